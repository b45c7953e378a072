#!/usr/bin/env bash
# Renders the manual: docs/manual/*.md, two pages from docs/, and the reference that `mbs reference` writes, each as a
# page NAME.html with the same column of links, all in one folder.
#
# usage: docs/manual/build.sh LOWDOWN MBS FOLDER
set -euo pipefail
lowdown=$1 mbs=$2 out=$3
house=$(dirname "$(readlink -f "$0")")
new=$(mktemp -d "$out.XXXXXX") # what cannot be rendered must not leave half a manual
trap 'rm -rf "$new"' EXIT
pages=$new/pages site=$new/site
mkdir "$pages" "$site"

guide=(index first-model page modelling equations equations-models checking failures studies api dap operations)
cp "$house"/*.md "$house"/../{page,operations}.md "$pages"
"$mbs" reference --out "$pages"

# equations_of NAME TITLE - the page of an example: what it is, the mechanism itself, its equations.
equations_of() {
  printf '# %s: its equations\n\n' "$2"
  "$mbs" examples "$1" | jq -r '.description // ""'
  printf '\n[%s](../?embed#example=%s)\n\n' "$2" "$1"
  printf 'What the symbols mean: [the equations of a model](equations.md). At a terminal, mbs equations %s.\n\n' "$1"
  echo '@equations@'
  {
    echo '<div class="equations">'
    "$mbs" equations "$1" --format mathml | sed -e '1,/<body>/d' -e '/<\/body>/d' -e '/^<h1>/d'
    echo '</div>'
  } >"$new/equations-$1"
}

mapfile -t models < <("$mbs" examples | sed -E 's/^([^ ]+) +(.*)/\1\t\2/')
{
  printf '# The equations of the models\n\n'
  printf 'The models that come with the program, each with its equations as it derives them.\n\n'
  printf '| model | |\n| --- | --- |\n'
  for model in "${models[@]}"; do
    IFS=$'\t' read -r name title <<<"$model"
    printf '| [%s](equations-%s.md) | %s |\n' "$name" "$name" "$title"
    equations_of "$name" "$title" >"$pages/equations-$name.md"
  done
} >"$pages/equations-models.md"

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
drawing='<p><a href="(\.\.\/)\?embed(#[^"]*)">([^<]*)<\/a><\/p>'
figure='<figure><iframe src="\1?embed\2" title="\3" loading="lazy"><\/iframe>'
figure+='<figcaption><a href="\1\2">\3<\/a>: pull it, or press Play.<\/figcaption><\/figure>'

# Pages of the manual have links among their Markdown files; what else the source has is not there.
render() {
  local equations=$new/$1
  [ -f "$equations" ] || equations=/dev/null
  "$lowdown" -t html --out-no-smarty --parse-no-super --parse-no-math --parse-no-intraemph "$pages/$1.md" |
    sed -E -e 's/(href="[A-Za-z0-9_-]+)\.md(#[^"]*)?"/\1.html\2"/g' -e "s/$drawing/$figure/" |
    sed -e '/@equations@/{' -e "r $equations" -e d -e '}'
}

# The column of links as one page has it: where it is, and its family open.
column_of() {
  local family=
  case $1 in *-*) family=${1%%-*}s ;; *) family=$1 ;; esac
  sed -e "s|<a href=\"$1\.html\">|<a href=\"$1.html\" aria-current=\"page\">|" \
    -e "s|<details id=\"nav-$family\">|<details id=\"nav-$family\" open>|" "$new/columns.html"
}

for page in "$pages"/*.md; do
  name=$(basename "$page" .md)
  while IFS= read -r line; do
    case $line in
      @content@) render "$name" ;;
      @links@) column_of "$name" ;;
      *) printf '%s\n' "${line/@title@/$(title "$name")}" ;;
    esac
  done <"$house/page.html" >"$site/$name.html"
done
cp "$house/manual.css" "$site"
rm -rf "$out"
mv "$site" "$out"
