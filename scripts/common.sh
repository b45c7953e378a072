# common.sh - functions of ./run, ./test and docker/; to be sourced by bash in the root of the source.
# shellcheck shell=bash

say() { printf '%s\n' "$*" >&2; }

# Runs a command and shows its output only if it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  [ "$status" -eq 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

# missing_packages PURPOSE... - prints the packages of scripts/packages.txt that are not installed.
missing_packages() {
  local purpose package substitute
  sed 's/#.*//' scripts/packages.txt | while read -r purpose package substitute; do
    [[ " $* " == *" $purpose "* ]] || continue
    [ -z "$substitute" ] || ! command -v "$substitute" >/dev/null || continue
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# can_be_root, as_root COMMAND... - use sudo if it needs no password.
can_be_root() { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }

update_package_lists() { quietly as_root apt-get -o DPkg::Lock::Timeout=300 update; }

# is_debian - returns 0 if Debian's packages are available; otherwise prints a note.
is_debian() {
  ! command -v dpkg-query >/dev/null || return 0
  say "This system is not Debian; continuing without a check of the packages in scripts/packages.txt."
  return 1
}

# install_packages PURPOSE... - installs missing packages, or prints how to do so and fails.
install_packages() {
  local packages
  is_debian || return 0
  mapfile -t packages < <(missing_packages "$@")
  [ "${#packages[@]}" -gt 0 ] || return 0
  if ! can_be_root; then
    say "Some packages are missing. Install them and start again:"
    say "  sudo apt-get update && sudo apt-get install --no-install-recommends ${packages[*]}"
    return 1
  fi
  say "Installing ${packages[*]} (takes some minutes)"
  update_package_lists || return 1
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    install -y --no-install-recommends "${packages[@]}" || {
    say "The Debian packages could not be installed, for the reason above." \
      "Check that the mirrors in /etc/apt are reachable."
    return 1
  }
}

# unpack_packages - unpacks the files of required packages without their dependencies into build/packages, where CMake
# also searches; needs no root.
unpack_packages() {
  local packages folder=$PWD/build/packages archives link library
  is_debian || return 0
  mapfile -t packages < <(missing_packages files | grep -vxF -f <(cat "$folder/names.txt" 2>/dev/null))
  [ "${#packages[@]}" -gt 0 ] || return 0
  say "Unpacking ${packages[*]} into build/packages"
  archives=$(mktemp -d)
  if ! download_packages "$archives" "${packages[@]}"; then
    rm -rf "$archives"
    return 1
  fi
  mkdir -p "$folder"
  find "$archives" -name '*.deb' -exec dpkg-deb -x {} "$folder" \; || return 1
  rm -rf "$archives"
  # Shared libraries are in the installed packages: links point there.
  while read -r link; do
    library=/usr/lib/$(gcc -print-multiarch)/$(basename "$(readlink "$link")")
    [ ! -e "$library" ] || ln -sfn "$library" "$link"
  done < <(find "$folder/usr/lib" -xtype l)
  printf '%s\n' "${packages[@]}" >>"$folder/names.txt"
}

# download_packages FOLDER PACKAGE... - downloads the archives of packages.
download_packages() {
  local folder=$1
  shift
  (cd "$folder" && apt-get -qq download "$@" 2>/dev/null) && return 0
  if ! can_be_root; then
    say "The Debian package lists are missing or outdated. Run this command and start again:"
    say "  sudo apt-get update"
    return 1
  fi
  update_package_lists && (cd "$folder" && quietly apt-get download "$@")
}

# install_node_packages FOLDER - creates FOLDER/node_modules, and updates it only if package-lock.json has changed, so
# that existing modules need no network.
install_node_packages() {
  local lock=$1/package-lock.json installed=$1/node_modules/.installed-lock.json
  if ! cmp -s "$lock" "$installed"; then
    quietly npm --prefix "$1" ci --no-audit --no-fund || return 1
    install -D "$lock" "$installed"
  fi
}

# Prints the addresses from which apt gets packages, of those whose lists it has downloaded.
repositories() { apt-get indextargets --format "\$(REPO_URI)" 'Created-By: Packages' | awk '!seen[$0]++'; }

# fetch_source FOLDER PATH SHA256 - unpacks a source archive (.tar.gz) of Debian, by its path there, once.
fetch_source() {
  local folder=$1 path=$2 hash=$3 archive=$1.tar.gz repository
  [ ! -f "$folder/.$hash" ] || return 0
  rm -rf "$folder" && mkdir -p "$folder" || return 1
  [ -n "$(repositories)" ] || ! can_be_root || update_package_lists || return 1
  while read -r repository; do
    /usr/lib/apt/apt-helper download-file "$repository$path" "$archive" "SHA256:$hash" && break
  done < <(repositories) >"$folder.log" 2>&1
  tar -xzf "$archive" -C "$folder" --strip-components=1 2>>"$folder.log" || { cat "$folder.log" >&2 && return 1; }
  touch "$folder/.$hash"
}

# The version that Debian 12 has as a library, which has none for WebAssembly.
fetch_jansson() {
  fetch_source build/jansson pool/main/j/jansson/jansson_2.14.orig.tar.gz \
    c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b
}

# Builds build/wasm/mbs.wasm, the solver in the page.
build_module() {
  install_packages page || return 1
  fetch_jansson || return 1
  is_configured wasm || configure_preset wasm || return 1
  build_preset wasm
}

# fetch_page_packages - fetches the packages that the page is built from, unless npm has installed them.
fetch_page_packages() {
  local lock=web/package-lock.json folder=web/node_modules
  local installed=$folder/.installed-lock.json fetched=$folder/.page-lock.json
  ! cmp -s "$lock" "$installed" && ! cmp -s "$lock" "$fetched" || return 0
  rm -rf "$folder"
  quietly scripts/fetch_page_packages.sh || return 1
  install -D "$lock" "$fetched"
}

# Builds web/dist if it is older than its sources, or than the module.
build_web() {
  if [ -d web/dist ] && [ ! build/wasm/mbs.wasm -nt web/dist/mbs.wasm ] &&
    [ -z "$(find web \( -name node_modules -o -name dist \) -prune -o -type f -newer web/dist -print -quit)" ]; then
    return 0
  fi
  say "Building the page (web/dist)"
  fetch_page_packages && quietly web/build.sh
}

# is_configured PRESET - returns 0 if CMake has configured build/PRESET for this folder: the tree may have been moved.
is_configured() {
  [ -f "build/$1/build.ninja" ] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "build/$1/CMakeCache.txt"
}

# configure_preset PRESET OPTION...
configure_preset() {
  local fresh=()
  is_configured "$1" || fresh=(--fresh)
  quietly cmake "${fresh[@]}" --preset "$@"
}

# build_preset PRESET [TARGET...] - builds a configured preset, all of it or some targets.
build_preset() {
  local preset=$1
  shift
  say "Building build/$preset"
  quietly cmake --build "build/$preset" ${1:+--target "$@"}
}
