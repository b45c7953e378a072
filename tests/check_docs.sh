#!/usr/bin/env bash
# What the documentation names is there: files, folders and functions in the "Code:" lines of docs/theory; and README
# tells of all elements and methods that documents may have.
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

# MACRO FILE - each name that MACRO(name, ...) has in a table, as documents write it.
while read -r macro table; do
  while read -r name; do
    grep -qF "\`${name//_/-}\`" README.md || fail "README.md does not tell of \`${name//_/-}\` ($table)"
  done < <(sed -nE "s/^$macro\(([a-z0-9_]+).*/\1/p" "$table")
done <<'TABLES'
MBS_JOINT solver/model/elements.def
MBS_DRIVER solver/model/elements.def
MBS_FORCE solver/model/elements.def
MBS_FUNCTION solver/model/elements.def
MBS_METHOD solver/base/methods.def
TABLES
[ "$failures" -eq 0 ]
