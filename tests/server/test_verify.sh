#!/usr/bin/env bash
# Tests mbs verify: a certificate is valid only for its own document and results, and changes are found.
set -euo pipefail
cd "$(dirname "$0")/../.."
mbs=${MBS:-build/release/mbs}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
# is CODE WORDS ARGUMENTS... - expects this exit code and output of mbs verify.
is() {
  local code=0 answer
  answer=$("$mbs" verify "${@:3}" 2>&1) || code=$?
  [ "$code" = "$1" ] && grep -q "$2" <<<"$answer" && return
  printf 'verify %s: %s instead of %s, "%s":\n%s\n' "${*:3}" "$code" "$1" "$2" "$answer"
  failed=1
}
"$mbs" run models/SC.json --out "$folder" --npz --certificate "$folder/c.json" >/dev/null
"$mbs" run models/SC.json --certificate "$folder/c.html" >/dev/null
whole=(--model models/SC.json --results "$folder/results.npz" --run)
is 0 'identical, bit for bit' "$folder/c.json" "${whole[@]}"
is 0 'matches the certificate in it' "$folder/c.html" "${whole[@]}"

sed 's/"digits": *4/"digits":9/' "$folder/c.json" >"$folder/changed.json"
cmp -s "$folder/c.json" "$folder/changed.json" && echo "nothing was changed" && failed=1
is 3 'its checksum does not match' "$folder/changed.json"
sed '0,/Verified to about 4/s//Verified to about 9/' "$folder/c.html" >"$folder/changed.html"
cmp -s "$folder/c.html" "$folder/changed.html" && echo "nothing was changed" && failed=1
is 3 'does not match the certificate' "$folder/changed.html"

is 3 'differs from the document' "$folder/c.json" --model models/SP.json
sed 's/-9.81/-9.82/' models/SC.json >"$folder/other.json"
is 3 'different bits' "$folder/c.json" --model "$folder/other.json" --run
"$mbs" run "$folder/other.json" --out "$folder/other" --npz >/dev/null
is 3 'different numbers in' "$folder/c.json" --results "$folder/other/results.npz"
is 1 'is not a certificate' models/SC.json
exit "$failed"
