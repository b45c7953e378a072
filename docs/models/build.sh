#!/usr/bin/env bash
# What the build computes for the pages of the models: each model's own run, and the runs that the seeds' numbers are
# compared with (tests/reference/seeds.json).
#
# usage: docs/models/build.sh MBS FOLDER
# Writes FOLDER/compared.json, {"NAME": Markdown} (compare.jq).
set -euo pipefail
mbs=$1 out=$2
house=$(dirname "$(readlink -f "$0")")
reference=$house/../../tests/reference
mkdir -p "$out/runs"

# run NAME/PLACE ANALYSIS - arrays of a run, as JSON into runs/NAME/PLACE.
run() {
  mkdir -p "$out/runs/$1"
  printf '%s\n' "$2" >"$out/runs/$1/analysis"
  "$mbs" run "${1%/*}" --analysis "$out/runs/$1/analysis" --out "$out/runs/$1" --json >/dev/null
}

while IFS=$'\t' read -r place analysis; do run "$place" "$analysis"; done \
  < <(jq -rf "$house/runs.jq" "$reference/seeds.json")

jq -r '.models | to_entries[] | select(.value.counts).key' "$reference/seeds.json" | while read -r name; do
  mkdir -p "$out/runs/$name"
  "$mbs" validate "$name" --json >"$out/runs/$name/understood.json"
done

# Only arrays that are compared.
mapfile -t wanted < <(jq -r '[.models[].values[]?.array, .programs.arrays[].array, "T"] | unique[]' "$reference/seeds.json")
files=()
for array in "${wanted[@]}"; do
  mapfile -t -O "${#files[@]}" files < <(find "$out/runs" -name "$array.json")
done
jq -n --slurpfile seeds "$reference/seeds.json" --slurpfile claims "$reference/claims/seeds.json" \
  "\$seeds[0] as \$seeds | \$claims[0].misprints as \$misprints | $(cat "$house/compare.jq")" \
  "${files[@]}" "$out"/runs/*/understood.json "$reference"/dap/*.json >"$out/compared.json"
