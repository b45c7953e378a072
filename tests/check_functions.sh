#!/usr/bin/env bash
# No function is longer than .clang-tidy allows.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(dirname "$MBSD")
jq -r '.[].file' "$build/compile_commands.json" | grep -E '/(solver|api|server|cli)/[^ ]*\.c$' | sort -u |
  xargs -P "$(nproc)" -n 8 \
    clang-tidy --quiet -p "$build" --extra-arg=-w --checks='-*,readability-function-size' 2>/dev/null
