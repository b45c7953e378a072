#!/usr/bin/env bash
# Checks that files, folders and functions in the "Code:" lines of docs/theory exist, and that each equation has a
# number of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
# Base names of files and folders, and all words of the solver's source.
known=$({
  find solver -type f -printf '%f\n' | sed 's/\.[a-z]*$//'
  find solver -type d -printf '%f\n'
  grep -rhoE --include='*.[ch]' '[A-Za-z_][A-Za-z0-9_]*' solver
} | sort -u)

# A single process reads all pages: a process for each name would take most of the time of this check.
awk -F '`' '
  FILENAME == "-" {known[$0] = 1; next}
  FNR == 1 {on = done = 0}
  /^Code:/ && !done {on = 1}
  on && /^$/ {on = 0; done = 1}
  on {
    for (k = 2; k <= NF; k += 2) {
      name = $k
      sub(/[ (].*/, "", name)
      word = name
      sub(/\/$/, "", word)
      sub(/.*\//, "", word)
      sub(/\.def$/, "", word)
      if (!(word in known)) {
        print FILENAME ": Code: names `" name "`, which is not there"
        bad = 1
      }
    }
  }
  END {exit bad}' - docs/theory/[0-9]*.md <<<"$known"

twice=$(grep -oh '\\tag{[^}]*}' docs/theory/[0-9]*.md | sort | uniq -d)
if [ -n "$twice" ]; then
  echo "docs/theory: two equations have the number ${twice//$'\n'/, }"
  exit 1
fi
