#!/usr/bin/env bash
# ./run: its help, a valid model, a model with an error, a missing file.
set -euo pipefail
folder=$(mktemp -d)
results=
trap 'rm -rf "$folder" ${results:+"$results"}' EXIT

fail() {
  printf '%s\n' "$1"
  cat "$folder/out"
  exit 1
}
# run EXPECTED-CODE ARGUMENT... - prints to $folder/out.
run() {
  local expected=$1 code=0
  shift
  ./run "$@" >"$folder/out" 2>&1 </dev/null || code=$?
  [ "$code" -eq "$expected" ] || fail "./run $* ended with $code"
}
printed() { grep -qE "$1" "$folder/out" || fail "not printed: $1"; }

run 0 --help
printed '^usage: \./run'

run 0 models/SC.json
printed '^Job [^ ]*: succeeded$'
printed '^Degrees of freedom: 1'
results=$(sed -n 's/^Results: \([^ ]*\) .*/\1/p' "$folder/out")
for file in job.json model.json results.npz Lam.csv; do
  [ -s "$results/$file" ] || fail "no $file among the results"
done
head -n 1 "$results/Lam.csv" | grep -q '^t,' || fail 'Lam.csv has no header'
[ ! -e "$results/service" ] || fail 'the private instance left its data'

sed 's/"mass"/"mas"/' models/SC.json >"$folder/wrong.json"
run 1 "$folder/wrong.json"
printed '^  /bodies/0/mas: '

run 1 "$folder/nothing.json"
printed 'no such file'
