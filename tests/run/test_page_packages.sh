#!/usr/bin/env bash
# What the page is built from, fetched without npm: from a registry of this test's own, from one that holds
# another file than the lock file says, and from one that is not there.
set -euo pipefail
folder=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
fail() { printf '%s\n' "$*" && cat "$folder/out" && exit 1; }

# A page of two packages, one of them with a scope, and one that only tests need.
case $(uname -m) in x86_64) processor=x64 ;; *) processor=arm64 ;; esac
tree=$folder/tree registry=$folder/registry
mkdir -p "$tree/web" "$registry/esbuild"
cp -r scripts "$tree"
echo '{}' >"$registry/esbuild/latest"

# pack NAME - a package of version 1.0.0; prints its integrity.
pack() {
  local archive=$registry/$1/-/${1##*/}-1.0.0.tgz
  mkdir -p "$folder/package" "$registry/$1/-"
  echo "$1" >"$folder/package/LICENSE"
  tar -czf "$archive" -C "$folder" package
  python3 - "$archive" <<'END'
import base64, hashlib, sys
with open(sys.argv[1], "rb") as file:
    print("sha512-" + base64.b64encode(hashlib.sha512(file.read()).digest()).decode())
END
}
jq -n --arg one "$(pack one)" --arg two "$(pack @scope/two)" --arg esbuild "$(pack "@esbuild/linux-$processor")" \
  --arg key "node_modules/@esbuild/linux-$processor" '{packages: {
    "": {name: "page"},
    "node_modules/one": {version: "1.0.0", integrity: $one},
    "node_modules/@scope/two": {version: "1.0.0", integrity: $two},
    "node_modules/@esbuild/other": {version: "1.0.0", integrity: "sha512-none", dev: true, optional: true},
    "node_modules/tests": {version: "1.0.0", integrity: "sha512-none", dev: true},
    ($key): {version: "1.0.0", integrity: $esbuild, dev: true, optional: true}}}' >"$tree/web/package-lock.json"

python3 -u -m http.server --bind 127.0.0.1 --directory "$registry" 0 >"$folder/log" 2>&1 &
server=$!
until port=$(sed -nE 's/.* port ([0-9]+) .*/\1/p' "$folder/log") && [ -n "$port" ]; do sleep 0.05; done

# fetch EXPECTED-CODE PORT
fetch() {
  local code=0
  npm_config_registry=http://127.0.0.1:$2 "$tree/scripts/fetch_page_packages.sh" >"$folder/out" 2>&1 || code=$?
  [ "$code" -eq "$1" ] || fail "ended with $code, not with $1"
}

fetch 0 "$port"
[ "$(cat "$tree/web/node_modules/@scope/two/LICENSE")" = @scope/two ] || fail 'no @scope/two'
[ -e "$tree/web/node_modules/@esbuild/linux-$processor/LICENSE" ] || fail 'no esbuild'
[ "$(find "$tree/web/node_modules" -name LICENSE | wc -l)" -eq 3 ] || fail 'more than the page is built from'

rm -rf "$tree/web/node_modules/one"
pack one >/dev/null # at another time: another archive
echo more >>"$registry/one/-/one-1.0.0.tgz"
fetch 123 "$port"
grep -q '^one 1.0.0: not the file' "$folder/out" || fail 'not said which package is wrong'
[ ! -e "$tree/web/node_modules/one" ] || fail 'a wrong file was unpacked'

kill "$server"
wait "$server" 2>/dev/null || true
fetch 1 "$port"
grep -q '^The npm registry http://127.0.0.1:.* cannot be asked' "$folder/out" || fail 'not said that nobody answers'

# The build of the page fails by that, and leaves nothing half done.
(
  cd "$tree"
  . scripts/house.sh
  ! npm_config_registry=http://127.0.0.1:$port build_web
) >"$folder/out" 2>&1 || fail 'the page was built from nothing'
[ ! -e "$tree/web/dist" ] || fail 'half a page'
