#!/usr/bin/env bash
# Checks that docs/theory/thresholds.md lists exactly the tuned constants of the solver, with their values in the code.
# Checks that the tests it names exist.
# shellcheck disable=SC2016 # backticks are those of Markdown
set -euo pipefail
cd "$(dirname "$0")/.."
table=docs/theory/thresholds.md
in_code=$(find solver -name '*.[ch]' -print0 | xargs -0 awk -f tests/thresholds.awk | sed 's|^solver/||' |
  LC_ALL=C sort)
in_table=$(sed -nE 's/^\| `([A-Za-z_0-9]+)` \| ([^ |]+) \| `([^`]+)` \|.*/\2 \1 \3/p' "$table" | LC_ALL=C sort)
failures=0
if ! difference=$(diff <(printf '%s\n' "$in_code") <(printf '%s\n' "$in_table")); then
  printf '%s differs from the code (< file name value of the code, > of the table):\n%s\n' "$table" "$difference"
  failures=1
fi
for test in $(grep '^| ' "$table" | grep -oE '`(unit|property|reference|server)/[a-z_0-9]+`' | tr -d '`' | sort -u); do
  ls "tests/${test%/*}/test_${test#*/}".* >/dev/null 2>&1 || {
    echo "$table names a test that does not exist: $test"
    failures=1
  }
done
exit $failures
