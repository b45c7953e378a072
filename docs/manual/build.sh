#!/usr/bin/env bash
# Renders the manual: docs/manual/*.md, three pages from docs/, and the reference that `mbs reference` writes, each as a
# page NAME.html with the same column of links, all in one folder; beneath it models/ with a page for each example.
#
# usage: docs/manual/build.sh LOWDOWN MBS FOLDER
set -euo pipefail
lowdown=$1 mbs=$2 out=$3
house=$(dirname "$(readlink -f "$0")")
new=$(mktemp -d "$out.XXXXXX") # what cannot be rendered must not leave half a manual
trap 'rm -rf "$new"' EXIT
pages=$new/pages site=$new/site
mkdir -p "$pages/models" "$site/models"

guide=(index first-model page modelling space equations models checking accuracy certificate failures studies
  optimization plots api calls library import fmu dap operations scale)

# In the source links lead to files that are there; here the reference, the models and the pages from docs/ have pages
# beside this one, and records of decisions have none.
beside='s/\]\(reference\.md#([a-z0-9-]+)\)/](\1.md)/g; s/\]\(\.\.\/(page|operations|scale)\.md/](\1.md/g'
beside+='; s/\]\(\.\.\/\.\.\/models\)/](models.md)/g; s/\[([^]]*)\]\(decisions\/[^)]*\)/\1/g'
beside+='; s/\]\(manual\//](/g' # in the pages from docs/
for page in "$house"/*.md "$house"/../{page,operations,scale}.md; do
  [ "${page##*/}" = reference.md ] || sed -E "$beside" "$page" >"$pages/${page##*/}"
done
"$mbs" reference --out "$pages"

"$house/../models/build.sh" "$mbs" "$new/models"

# insert NAME - a line that what the file NAME of $new/models has comes in place of, once the page is rendered.
insert() { [ ! -s "$new/models/$1" ] || printf '\n@insert %s@\n\n' "$1"; }

for name in "$new"/models/function-*.plots; do
  [ -e "$name" ] || continue
  name=$(basename "$name" .plots)
  {
    printf '\nA slider that follows it, for two seconds:\n'
    insert "$name.plots"
  } >>"$pages/$name.md"
done

# page_of NAME TITLE - the page of an example: what it is, the mechanism itself, its results, its equations.
page_of() {
  local compared=$new/models/$1.compared
  printf '# %s\n\n%s\n\n' "$2" "${descriptions[$1]}"
  printf '[%s](../../?embed#example=%s)\n\n' "$2" "$1"
  [ ! -s "$new/models/$1.plots" ] || printf '## Results\n'
  insert "$1.plots"
  [ ! -f "$compared" ] || { printf '%s\n\n' "## The seed's result beside ours" && cat "$compared"; }
  printf '## Equations\n\nWhat the symbols mean: [the equations of a model](../equations.md). '
  printf 'At a terminal: mbs equations %s.\n' "$1"
  {
    echo '<div class="equations" role="region" aria-label="Equations" tabindex="0">'
    "$mbs" equations "$1" --format mathml |
      sed -e '1,/<body>/d' -e '/<\/body>/d' -e '/^<h1>/d' -e 's|\(</\?\)h2>|\1h3>|g'
    echo '</div>'
  } >"$new/models/$1.equations"
  insert "$1.equations"
}

declare -A descriptions
while IFS=$'\t' read -r name description; do descriptions[$name]=$description; done < <(
  jq -r '"\(input_filename | split("/")[-1] | rtrimstr(".json"))\t\(.description // "")"' "$new"/models/*.json)
mapfile -t models < <("$mbs" examples | sed -E 's/^([^ ]+) +(.*)/\1\t\2/')
{
  printf '# The models\n\n'
  printf 'The models that come with the program, a page each: the mechanism, which moves, and its equations; where it\n'
  printf 'is from a seed, what the seed has of it beside what the program computes.\n\n'
  printf '| model | |\n| --- | --- |\n'
  for model in "${models[@]}"; do
    IFS=$'\t' read -r name title <<<"$model"
    printf '| [%s](models/%s.md) | %s |\n' "$name" "$name" "$title"
    page_of "$name" "$title" >"$pages/models/$name.md"
  done
} >"$pages/models.md"

mapfile -t reference < <("$mbs" reference | cut -d ' ' -f 1)

# title NAME - what the page's heading says.
title() { sed -n '/^# /{s/^# //p;q}' "$pages/$1.md"; }

# link NAME
link() { printf '<li><a href="%s.html">%s</a></li>\n' "$1" "$(title "$1")"; }

# The pages of a family: `joints` lists what is in joint-*.
family() {
  local page
  printf '<details id="nav-%s"><summary>%s</summary><ul>\n' "$1" "$(title "$1")"
  link "$1"
  for page in "${reference[@]}"; do [[ $page != "${1%s}-"* ]] || link "$page"; done
  printf '</ul></details>\n'
}

columns() {
  local name families=(joints drivers forces functions shapes)
  echo '<ul>'
  for name in "${guide[@]}"; do link "$name"; done
  echo '</ul><h2>Reference</h2><ul>'
  for name in "${reference[@]}" symbols; do
    [[ " ${families[*]} " == *" $name "* || $name == *-* ]] || link "$name"
  done
  echo '</ul>'
  for name in "${families[@]}"; do family "$name"; done
}
columns >"$new/columns.html"

# A link to a mechanism that stands alone becomes a frame with the mechanism, and below it a link to its whole page.
drawing='<p><a href="((\.\.\/)+)\?embed(#[^"]*)">([^<]*)<\/a><\/p>'
figure='<figure><iframe src="\1?embed\3" title="\4" loading="lazy"><\/iframe>'
figure+='<figcaption><a href="\1\3">\4<\/a>: pull it, or press Play.<\/figcaption><\/figure>'

# Pages of the manual have links among their Markdown files; what else the source has is not there.
render() {
  "$lowdown" -t html --out-no-smarty --parse-no-super --parse-no-math --parse-no-intraemph "$pages/$1.md" |
    sed -E -e 's/(href="[A-Za-z0-9_./-]+)\.md(#[^"]*)?"/\1.html\2"/g' -e "s/$drawing/$figure/" |
    while IFS= read -r line; do
      case $line in
        '<p>@insert '*) line=${line#<p>@insert } && cat "$new/models/${line%@</p>}" ;;
        *) printf '%s\n' "$line" ;;
      esac
    done
}

# The column of links as a page in the folder $2 above has it: where it is, and its family open.
column_of() {
  local family='' here=$1
  case $1 in models/*) here=models ;; *-*) family=${1%%-*}s ;; *) family=$1 ;; esac
  sed -e "s|<a href=\"$here\.html\">|<a href=\"$here.html\" aria-current=\"page\">|" \
    -e "s|<details id=\"nav-$family\">|<details id=\"nav-$family\" open>|" -e "s|<a href=\"|&$2|" "$new/columns.html"
}

# page NAME - the page as it is served.
page() {
  local line up='' kind=''
  [[ $1 != */* ]] || { up=../ && kind=' class="model"'; }
  while IFS= read -r line; do
    case $line in
      @content@) render "$1" ;;
      @links@) column_of "$1" "$up" ;;
      *)
        line=${line/@title@/$(title "$1")}
        line=${line/@kind@/$kind}
        printf '%s\n' "${line//@up@/$up}"
        ;;
    esac
  done <"$house/page.html"
}

for page in "$pages"/*.md "$pages"/models/*.md; do
  name=${page#"$pages/"} name=${name%.md}
  page "$name" >"$site/$name.html"
done
cp "$house/manual.css" "$house"/../page{,-build}.png "$site"
rm -rf "$out"
mv "$site" "$out"
