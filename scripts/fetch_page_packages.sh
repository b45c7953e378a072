#!/usr/bin/env bash
# Fetches the packages of the page into web/node_modules without npm; see usage().
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../web"
# shellcheck source=scripts/common.sh
. ../scripts/common.sh

usage() {
  cat <<'END'
usage: scripts/fetch_page_packages.sh [--help]

The packages of web/package-lock.json that go into the page, and esbuild, which bundles them: not those that its tests
need besides. Each has to have the checksum that the lock file gives. They come from the registry that npm would ask:
that of npm_config_registry, of web/.npmrc, of ~/.npmrc or of /etc/npmrc; or else npm's own default, which is read from
Debian's package of npm. That package is fetched for it, and not installed.
END
}
[ $# -eq 0 ] || { usage && exit 0; }

# configured_registry - prints the registry that npm's configuration names, if any.
configured_registry() {
  local file found
  for file in .npmrc "${npm_config_userconfig:-$HOME/.npmrc}" "${npm_config_globalconfig:-/etc/npmrc}"; do
    [ -r "$file" ] || continue
    found=$(sed -nE 's/^ *registry *= *"?([^" ]+)"? *$/\1/p' "$file" | tail -n 1)
    [ -z "$found" ] || { echo "$found" && return; }
  done
}

# default_registry - prints the registry that npm uses if none is configured.
default_registry() {
  local folder
  folder=$(mktemp -d)
  if is_debian && download_packages "$folder" npm; then
    dpkg-deb --fsys-tarfile "$folder"/npm_*.deb | tar -xO --wildcards '*/definitions.js' |
      sed -nE "/'registry', \{/,/\}/s/.*default: '([^']+)'.*/\1/p"
  fi
  rm -rf "$folder"
}

registry=${npm_config_registry:-}
if [ -z "$registry" ] && command -v npm >/dev/null; then registry=$(npm config get registry); fi
[ -n "$registry" ] || registry=$(configured_registry)
[ -n "$registry" ] || registry=$(default_registry)
[ -n "$registry" ] || { say "No npm registry is known: name one, as in npm_config_registry=ADDRESS." && exit 1; }
export registry
case $(uname -m) in
  x86_64) processor=x64 ;;
  aarch64) processor=arm64 ;;
  *) echo "esbuild: no program for $(uname -m) is known here; install npm" >&2 && exit 1 ;;
esac

reason=$(curl -fsSL --retry 1 --connect-timeout 10 --max-time 60 -o /dev/null "${registry%/}/esbuild/latest" 2>&1) || {
  echo "The npm registry $registry cannot be asked for what the page is built from (${reason##*$'\n'})." >&2
  exit 1
}

# fetch FOLDER VERSION INTEGRITY - "sha512-" and the checksum in base64, as npm writes it.
fetch() {
  local folder=$1 name=${1#node_modules/} archive asked
  archive=$(mktemp)
  asked=$(base64 -d <<<"${3#sha512-}" | od -An -v -tx1 | tr -d ' \n')
  curl -fsSL --retry 3 --max-time 120 -o "$archive" "${registry%/}/$name/-/${name##*/}-$2.tgz"
  if ! sha512sum --check --status <<<"$asked  $archive"; then
    echo "$name $2: not the file that web/package-lock.json names" >&2
    rm -f "$archive"
    return 1
  fi
  rm -rf "$folder"
  mkdir -p "$folder"
  tar -xzf "$archive" --no-same-owner --strip-components=1 -C "$folder"
  rm -f "$archive"
}
export -f fetch

jq -r --arg esbuild "node_modules/@esbuild/linux-$processor" '
  .packages | to_entries[]
  | select(.key == $esbuild or (.key != "" and (.value.dev or .value.optional | not)))
  | .key, .value.version, .value.integrity' package-lock.json |
  xargs -P 8 -n 3 bash -euo pipefail -c 'fetch "$@"' fetch
