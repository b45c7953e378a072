#!/usr/bin/env bash
# Checks that the version in solver/mbs.h is that of the programs, of the changelog's newest release and of README, and
# that no other file has a copy.
set -euo pipefail
cd "$(dirname "$0")/.."
failures=0
# expect WHAT FOUND - fails unless FOUND is the version.
expect() {
  [ "$2" != "$version" ] || return 0
  printf '%s: %s, but solver/mbs.h has %s\n' "$1" "${2:-none}" "$version"
  failures=$((failures + 1))
}

version=$(sed -nE 's/^#define MBS_VERSION "([0-9]+\.[0-9]+\.[0-9]+)"$/\1/p' solver/mbs.h)
[ -n "$version" ] || { echo 'solver/mbs.h has no MBS_VERSION' && exit 1; }
expect CHANGELOG.md "$(sed -nE 's/^## \[?([0-9][^] ]*).*/\1/p' CHANGELOG.md | head -n 1)"
expect README.md "$(sed -nE 's/^Version ([0-9.]+) .*/\1/p' README.md)"
expect 'mbsd --version' "$("$MBSD" --version | cut -d' ' -f2)"
expect 'mbs --version' "$("$MBS" --version | cut -d' ' -f2)"
build=$(dirname "$MBSD")
expect 'the build' "$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")"
if git grep -nF "$version" -- clients cmake deploy docker schemas scripts; then
  echo 'these files have a copy of the version'
  failures=$((failures + 1))
fi
for file in web/package.json web/package-lock.json; do
  copy=$(jq -r '.version // empty, .packages[""].version // empty' "$file")
  [ -z "$copy" ] || { echo "$file: a second version, $copy" && failures=$((failures + 1)); }
done
[ "$failures" -eq 0 ]
