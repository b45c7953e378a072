#!/usr/bin/env bash
# What the build computes for the pages of the models: each model's own run, and the runs that the seeds' numbers are
# compared with (tests/reference/seeds.json); and for the pages of functions what a slider does that follows them.
#
# usage: docs/models/build.sh MBS FOLDER
# Writes FOLDER/NAME.json, the model, FOLDER/NAME.compared, Markdown (compare.jq), for what is in that file, and
# FOLDER/NAME.plots, HTML (web/src/manual/plots.ts), which asks for node and the packages of the page: without these
# there are no plots.
set -euo pipefail
mbs=$1 out=$2
house=$(dirname "$(readlink -f "$0")")
top=$house/../..
reference=$top/tests/reference
mkdir -p "$out/runs"

# run NAME/PLACE [OPTION...] - arrays of a run, as JSON into runs/NAME/PLACE.
run() { "$mbs" run "${1%/*}" --out "$out/runs/$1" --json "${@:2}" >/dev/null; }

while read -r name _; do "$mbs" examples "$name" >"$out/$name.json"; done < <("$mbs" examples)

while IFS=$'\t' read -r place analysis; do
  run "$place" --analysis <(printf '%s\n' "$analysis")
done < <(jq -rf "$house/runs.jq" "$reference/seeds.json")

jq -r '.models | to_entries[] | select(.value.counts).key' "$reference/seeds.json" | while read -r name; do
  mkdir -p "$out/runs/$name"
  "$mbs" validate "$name" --json >"$out/runs/$name/understood.json"
done

# Only arrays that are compared.
mapfile -t wanted < <(jq -r '[.models[].values[]?.array, .programs.arrays[].array, "T"] | unique[]' \
  "$reference/seeds.json")
files=()
for array in "${wanted[@]}"; do
  mapfile -t -O "${#files[@]}" files < <(find "$out/runs" -name "$array.json")
done
jq -n --slurpfile seeds "$reference/seeds.json" --slurpfile claims "$reference/answers/seeds.json" \
  "\$seeds[0] as \$seeds | \$claims[0].misprints as \$misprints | $(cat "$house/compare.jq")" \
  "${files[@]}" "$out"/runs/*/understood.json "$reference"/dap/*.json |
  jq -r 'to_entries[] | "@model \(.key)", .value' |
  awk -v out="$out" '/^@model / { file = out "/" $2 ".compared"; next } { print >file }'

esbuild=$(compgen -G "$top/web/node_modules/@esbuild/linux-*/bin/esbuild" || true)
if [ -z "$esbuild" ] || [ -z "$(command -v node)" ]; then
  echo "The pages of the models go without plots: these ask for node and for the packages of the page." >&2
  exit 0
fi
while read -r name _; do
  run "$name/own"
done < <("$mbs" examples)
fence=$'\x60\x60\x60' # of a block in Markdown
while read -r name _; do
  example=$("$mbs" reference "$name" | sed -n "/^${fence}json/,/^$fence/{/^$fence/!p}")
  jq -n --argjson example "$example" -f "$house/function.jq" >"$out/$name.json"
  "$mbs" run "$out/$name.json" --out "$out/runs/$name/own" --json >/dev/null
done < <("$mbs" reference | grep '^function-')
"$esbuild" "$top/web/src/manual/plots.ts" --bundle --format=esm --outfile="$out/plots.mjs" --log-level=warning
node "$house/plots.mjs" "$out/plots.mjs" "$out"
