#!/usr/bin/env bash
# Prints docs/manual/reference.md: what the links of the manual to pages of the reference lead to where the manual is
# read as it is in the source. In the service they lead to the pages themselves (build.sh).
#
# usage: docs/manual/list_reference.sh MBS
set -euo pipefail
mbs=$1
families=(joints drivers forces shapes functions)

cat <<'TEXT'
# Reference

What documents may contain, by page. The pages are made from the program, so that they fit its version: `mbs reference
joint-revolute` prints one of them, `mbs reference --out DIR` writes all, and the service shows them at `/docs/`.
TEXT

"$mbs" reference | while read -r name summary; do
  depth='##'
  for family in "${families[@]}"; do
    [[ $name != "${family%s}-"* ]] || depth='###'
  done
  printf '\n%s %s\n\n%s\n' "$depth" "$name" "$summary"
done
