#!/usr/bin/env bash
# Every shipped model gives the same bits where the C library and OpenBLAS are told of an older processor.
set -euo pipefail
cd "$(dirname "$0")/../.."
mbs=${MBS:-build/release/mbs}
[ "$(uname -m)" = x86_64 ] || exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for model in models/*.json; do
  rm -rf "$folder/one" "$folder/other"
  "$mbs" run "$model" --out "$folder/one" >/dev/null
  OPENBLAS_CORETYPE=Prescott GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2 \
    "$mbs" run "$model" --out "$folder/other" >/dev/null
  diff -rq "$folder/one" "$folder/other" || { echo "$model" && failed=1; }
done
exit "$failed"
