#!/usr/bin/env bash
# Fetches the packages of the page without npm: from a registry of this test, configured in every possible place; from
# one with another file than the lock file states, and from one that does not respond.
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

# A machine without npm, with a separate home, whose apt-get has a package of npm that names a registry.
address=http://127.0.0.1:$port/
definitions=$folder/npm/usr/share/nodejs/npm/lib/utils/config/definitions.js
mkdir -p "$folder/bin" "$folder/home" "$folder/npm/DEBIAN" "$(dirname "$definitions")"
for program in base64 bash cat cp curl dirname dpkg-deb dpkg-query grep gzip id jq mkdir mktemp od readlink rm sed \
  sha512sum tail tar tr uname xargs; do
  ln -s "$(command -v "$program")" "$folder/bin"
done
printf '%s\n' 'Package: npm' 'Version: 1.0' 'Architecture: all' 'Maintainer: A Test <test@example.org>' \
  'Description: names a registry' >"$folder/npm/DEBIAN/control"
printf '%s\n' "define('proxy', {" '  default: null,' '})' "define('registry', {" "  default: '$address'," \
  '  type: url,' '})' "define('save-prefix', {" "  default: '^'," '})' >"$definitions"
dpkg-deb -b "$folder/npm" "$folder/npm_1.0_all.deb" >/dev/null

# program NAME COMMAND - installs a command with that name on the machine.
program() {
  printf '#!/bin/sh\n%s\n' "$2" >"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}

# fetch EXPECTED-CODE [NAME=VALUE...]
fetch() {
  local code=0 expected=$1
  shift
  env -i HOME="$folder/home" PATH="$folder/bin" npm_config_globalconfig="$folder/npmrc" "$@" \
    "$BASH" "$tree/scripts/fetch_page_packages.sh" >"$folder/out" 2>&1 || code=$?
  [ "$code" -eq "$expected" ] || fail "ended with $code, not with $expected"
}

# fetch_all WHERE [NAME=VALUE...] - expects all packages, and no other files.
fetch_all() {
  local where=$1
  shift
  rm -rf "$tree/web/node_modules"
  fetch 0 "$@"
  [ "$(cat "$tree/web/node_modules/@scope/two/LICENSE")" = @scope/two ] || fail "$where: no @scope/two"
  [ -e "$tree/web/node_modules/@esbuild/linux-$processor/LICENSE" ] || fail "$where: no esbuild"
  [ "$(find "$tree/web/node_modules" -name LICENSE | wc -l)" -eq 3 ] || fail "$where: more than the page is built from"
}

# Places that name the registry: each takes precedence over the one before, which now leads nowhere.
nowhere=http://127.0.0.1:9/
program apt-get "cp '$folder/npm_1.0_all.deb' ."
fetch_all "npm's own default"
program apt-get 'exit 1'
echo "registry=$address" >"$folder/npmrc"
fetch_all 'the configuration of the machine'
echo "registry=$nowhere" >"$folder/npmrc"
printf '; mine\nregistry = "%s"\n//127.0.0.1/:_authToken=x\n' "$address" >"$folder/home/.npmrc"
fetch_all 'that of the user'
echo "registry=$nowhere" >"$folder/home/.npmrc"
printf 'fund=false\nregistry=%s' "$address" >"$tree/web/.npmrc"
fetch_all 'that of the project'
echo "registry=$nowhere" >"$tree/web/.npmrc"
program npm "[ \"\$*\" != 'config get registry' ] || echo $address"
fetch_all 'npm'
program npm "echo $nowhere"
fetch_all 'the environment' npm_config_registry="$address"

rm "$folder/npmrc" "$folder/home/.npmrc" "$tree/web/.npmrc" "$folder/bin/npm"
fetch 1
grep -q '^No npm registry is known' "$folder/out" || fail 'not said that no registry is known'
! grep -nE 'https?://' scripts/fetch_page_packages.sh >"$folder/out" || fail 'the source names a registry'

rm -rf "$tree/web/node_modules/one"
pack one >/dev/null # packed later, so a different archive
echo more >>"$registry/one/-/one-1.0.0.tgz"
fetch 123 npm_config_registry="$address"
grep -q '^one 1.0.0: not the file' "$folder/out" || fail 'not said which package is wrong'
[ ! -e "$tree/web/node_modules/one" ] || fail 'a wrong file was unpacked'

kill "$server"
wait "$server" 2>/dev/null || true
fetch 1 npm_config_registry="$address"
grep -q '^The npm registry http://127.0.0.1:.* cannot be asked' "$folder/out" || fail 'not said that nobody answers'

# The build of the page fails because of it, and leaves no partial files.
(
  cd "$tree"
  . scripts/common.sh
  ! npm_config_registry=$address build_web
) >"$folder/out" 2>&1 || fail 'the page was built from nothing'
[ ! -e "$tree/web/dist" ] || fail 'half a page'
