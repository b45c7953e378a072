#!/usr/bin/env bash
# Checks the form of the source: formatting, line lengths, shell scripts, nothing unfinished, no machine's paths.
set -u
cd "$(dirname "$0")/.." || exit
failures=0
# expect_none WHAT LINES - fails if there are any lines.
expect_none() {
  [ -n "$2" ] || return 0
  printf '%s:\n%s\n' "$1" "$2"
  failures=$((failures + 1))
}

# Files of the tree that are our own text, not made by a build or a package manager.
mapfile -d '' files < <(find . \( -path ./build -o -path ./data -o -path ./web/dist -o -path ./clients/python/build \
  -o -name .git -o -name node_modules -o -name corpus -o -name __pycache__ \) -prune \
  -o -type f ! -name package-lock.json -print0 | sort -z)
c_files=()
scripts=()
for file in "${files[@]}"; do # no process for each of them
  case $file in
    *.c | *.h | *.cpp | *.hpp) c_files+=("$file") ;;
    *.sh) scripts+=("$file") ;;
    *)
      first=
      IFS= LC_ALL=C read -r -n 64 first <"$file" 2>/dev/null
      [[ ! $first =~ ^#!.*[/\ ](ba)?sh$ ]] || scripts+=("$file")
      ;;
  esac
done

# This file itself contains the patterns.
matches() { grep -nI "$@" "${files[@]}" | grep -v '^./tests/check_tree.sh:'; }

expect_none 'Not formatted (clang-format -i FILE)' \
  "$(printf '%s\0' "${c_files[@]}" | xargs -0 -P "$(nproc)" -n 50 clang-format --dry-run 2>&1 |
    grep -F 'warning:' | cut -d: -f1 | sort -u)"
expect_none 'Lines over 120 columns' \
  "$(awk 'length > 120 {print FILENAME ":" FNR ": " length}' "${c_files[@]}" "${scripts[@]}")"
expect_none 'shellcheck' "$(shellcheck -x "${scripts[@]}" 2>&1)"
expect_none 'Messages that may have nan or inf (mbs_message())' \
  "$(grep -nE '\bv?snprintf\([^,]*message,' -r solver --include='*.c' --include='*.h')"
expect_none 'Trailing blanks' "$(matches -E '[[:space:]]$')"
expect_none 'Unfinished' "$(matches -wE 'TODO|FIXME|XXX|HACK')"
expect_none 'Paths of one machine' "$(matches -E '(^|[^a-zA-Z0-9_.$}/-])/(work|home|root|Users)/')"
[ "$failures" -eq 0 ]
