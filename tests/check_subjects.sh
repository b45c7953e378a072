#!/usr/bin/env bash
# The subject of a commit names its rooms and the effect: "solver/path, tests: ...". Commits that were made before this
# check was in their tree are as they are; so are merges. Of a shallow clone those are judged that it has.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! git rev-parse --git-dir >/dev/null 2>&1; then
  echo 'Not a clone that git can read: no subjects to judge.'
  exit 0
fi

# judged - the commits whose tree has this check, each with its subject.
judged() {
  git rev-list --no-merges HEAD | sed 's|$|:tests/check_subjects.sh|' |
    git cat-file --batch-check='%(objecttype)' | paste -d' ' - <(git log --no-merges --format='%H %s' HEAD) |
    sed -n 's/^blob //p'
}

# Names at the top of the tree and of the solver as they are now, which nearly all commits name: no process for those.
declare -A now=()
while read -r name; do
  now[$name]=1
  [[ $name != ?*.* ]] || now[${name%%.*}]=1
done < <(git ls-tree --name-only HEAD && git ls-tree --name-only HEAD:solver &&
  { git ls-tree --name-only HEAD:solver/core 2>/dev/null || true; })

# is_room PLACE COMMIT - whether it begins with a name at the top of the tree, with or without its ending (docs/theory,
# .ci, CHANGELOG), or with one of the solver's own (ode/events).
is_room() {
  { git ls-tree --name-only "$2" && git ls-tree --name-only "$2:solver"
    git ls-tree --name-only "$2:solver/core" || true; } 2>/dev/null |
    awk -v place="${1%%/*}" '$0 == place || index($0, place ".") == 1 {found = 1} END {exit !found}'
}

names_rooms() {
  local subject=$1 commit=$2 rooms room
  [[ $subject != Revert\ * ]] || return 0
  [[ $subject == *': '?* ]] || return 1
  IFS=, read -ra rooms <<<"${subject%%: *}"
  for room in "${rooms[@]}"; do
    room=${room# }
    [ ! -v "now[${room%%/*}]" ] || continue
    # What a commit removes is in its parent.
    is_room "$room" "$commit" || is_room "$room" "$commit^" || return 1
  done
}

failures=0
while read -r commit subject; do
  names_rooms "$subject" "$commit" && continue
  printf '%.10s names no room: %s\n' "$commit" "$subject"
  failures=$((failures + 1))
done < <(judged)
[ "$failures" -eq 0 ]
