#!/usr/bin/env bash
# Checks that no function of the programs has more lines than .clang-tidy allows
# (readability-function-size.LineThreshold). In formatted source a body is between a line that ends in "{" and "}" at
# the first column; clang-tidy counts statements.
set -euo pipefail
cd "$(dirname "$0")/.."
most=$(sed -nE "s/.*readability-function-size\.LineThreshold, value: '([0-9]+)'.*/\1/p" .clang-tidy)
# shellcheck disable=SC2016 # the program's own $
find solver api import library server cli wasm -name '*.c' -print0 | xargs -0 awk -v most="$most" '
  FNR == 1 {head = begin = ""}
  /^[A-Za-z_].*[(]/ {head = $0; head_line = FNR}
  /^[^ \t#\/}].*\) \{$/ || (/^ .*\) \{$/ && head != "" && begin == "") {begin = FNR}
  /^[}]/ {
    if (begin != "" && FNR - begin > most) {
      printf "%s:%d: %d lines, more than %d: %s\n", FILENAME, head_line, FNR - begin, most, head
      bad = 1
    }
    head = begin = ""
  }
  END {exit bad}'
