#!/usr/bin/env bash
# Checks that files, folders and functions in the "Code:" lines of docs/theory exist.
set -euo pipefail
cd "$(dirname "$0")/.."
failures=0
fail() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

# Base names of files and folders, and all words of the solver's source.
known=$({
  find solver -type f -printf '%f\n' | sed 's/\.[a-z]*$//'
  find solver -type d -printf '%f\n'
  grep -rhoE --include='*.[ch]' '[A-Za-z_][A-Za-z0-9_]*' solver
} | sort -u)

for page in docs/theory/[0-9]*.md; do
  while read -r name; do
    grep -qxF "$(basename "${name%/}" .def)" <<<"$known" || fail "$page: Code: names \`$name\`, which is not there"
  done < <(awk -F '`' '/^Code:/ {on = 1} on && /^$/ {exit} on {for (k = 2; k <= NF; k += 2) print $k}' "$page" |
    sed 's/[ (].*//')
done

[ "$failures" -eq 0 ]
