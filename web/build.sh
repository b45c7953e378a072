#!/usr/bin/env bash
# Builds the page: src/ -> dist/ (index.html, app.js and its chunks, app.css, solver-worker.js, icon.svg,
# licenses.txt). The program serves it at "/", and mbs.wasm with it where that was built (wasm/).
# Needs only esbuild, which is a single program: neither node nor npm.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

new=$(mktemp -d .dist-XXXXXX) # a failed build must not replace dist/
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"

esbuild=$(compgen -G 'node_modules/@esbuild/linux-*/bin/esbuild')
"$esbuild" app=src/main.ts solver-worker=src/solver/solver_worker.ts --bundle --splitting --minify \
  --format=esm --target=es2022 --outdir="$new" --metafile="$new/inputs.json" --log-level=warning
cp src/index.html src/icon.svg "$new"
for file in mbs.wasm mbs.licenses.txt; do
  [ ! -e "../build/wasm/$file" ] || cp "../build/wasm/$file" "$new"
done

# The licences of the packages in the page, which require that their text is distributed with it.
jq -r '[.inputs | keys[] | capture("^node_modules/(?<name>(@[^/]+/)?[^/]+)").name] | unique[]' "$new/inputs.json" |
  while read -r package; do
    printf '%s\n\n' "$package"
    cat "node_modules/$package/LICENSE"
    echo
  done >"$new/licenses.txt"
rm "$new/inputs.json"

rm -rf dist
mv "$new" dist
