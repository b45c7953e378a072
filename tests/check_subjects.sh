#!/usr/bin/env bash
# Checks that the subject of each commit names its directories and the effect: "solver/path, tests: ...". Commits whose
# tree does not contain this check, and merges, are not checked. In a shallow clone, the commits that exist are checked.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! git rev-parse --git-dir >/dev/null 2>&1; then
  echo 'Not a clone that git can read: no subjects to judge.'
  exit 0
fi

# judged - prints the hash and the subject of each commit whose tree contains this check.
judged() {
  git rev-list --no-merges HEAD | sed 's|$|:tests/check_subjects.sh|' |
    git cat-file --batch-check='%(objecttype)' | paste -d' ' - <(git log --no-merges --format='%H %s' HEAD) |
    sed -n 's/^blob //p'
}

# Current names at the top of the tree and of the solver. Nearly all commits name these; they need no process.
declare -A now=()
while read -r name; do
  now[$name]=1
  [[ $name != ?*.* ]] || now[${name%%.*}]=1
done < <(git ls-tree --name-only HEAD && git ls-tree --name-only HEAD:solver &&
  { git ls-tree --name-only HEAD:solver/core 2>/dev/null || true; })

# is_directory PLACE COMMIT - returns 0 if PLACE begins with a name at the top of the tree, with or without its
# extension (docs/theory, .ci, CHANGELOG), or with a name inside solver/ or solver/core/ (ode/events).
is_directory() {
  { git ls-tree --name-only "$2" && git ls-tree --name-only "$2:solver"
    git ls-tree --name-only "$2:solver/core" || true; } 2>/dev/null |
    awk -v place="${1%%/*}" '$0 == place || index($0, place ".") == 1 {found = 1} END {exit !found}'
}

names_directories() {
  local subject=$1 commit=$2 directories directory
  [[ $subject != Revert\ * ]] || return 0
  [[ $subject == *': '?* ]] || return 1
  IFS=, read -ra directories <<<"${subject%%: *}"
  for directory in "${directories[@]}"; do
    directory=${directory# }
    [ ! -v "now[${directory%%/*}]" ] || continue
    # A directory that the commit removes exists only in its parent.
    is_directory "$directory" "$commit" || is_directory "$directory" "$commit^" || return 1
  done
}

failures=0
while read -r commit subject; do
  names_directories "$subject" "$commit" && continue
  printf '%.10s names no directory: %s\n' "$commit" "$subject"
  failures=$((failures + 1))
done < <(judged)
[ "$failures" -eq 0 ]
