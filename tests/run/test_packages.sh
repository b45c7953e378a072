#!/usr/bin/env bash
# cpack -G DEB: unpacked into a folder, the packages have what they need. The program runs a model of the gallery
# anywhere, programs in C and in Python use the library, the service starts with the options of its package.
# scripts/stage.sh packages installs them.
set -euo pipefail
top=$PWD
build=$(dirname "$(readlink -f "$MBSD")")
folder=$(mktemp -d)
service=
trap '[ -z "$service" ] || kill "$service"; rm -rf "$folder"' EXIT

fail() {
  printf '%s\n' "$1"
  exit 1
}

cpack -G DEB --config "$build/CPackConfig.cmake" -B "$folder" >"$folder/log" 2>&1 || { cat "$folder/log" && exit 1; }
version=$("$MBS" --version | cut -d' ' -f2)
root=$folder/root
for name in mbsd mbs libmbs0 libmbs-dev python3-mbsd; do
  file=$(echo "$folder/${name}_${version}"_*.deb)
  if [ ! -e "$file" ] && [ "$name" = python3-mbsd ] && [ -z "${CI:-}" ]; then continue; fi
  dpkg-deb -x "$file" "$root" || fail "there is no package $name"
  [ "$(dpkg-deb -f "$file" Version)" = "$version" ] || fail "$file has another version"
  [ -s "$root/usr/share/doc/$name/copyright" ] || fail "$name has no copyright"
done
# Without RUNPATH the threaded OpenBLAS might be found.
for name in mbsd mbs libmbs0; do
  dpkg-deb -f "$folder/${name}_${version}"_*.deb Depends | grep -q 'libopenblas0-serial' || fail "$name: no OpenBLAS"
done
[ "$(dpkg-deb -f "$folder/libmbs-dev_${version}"_*.deb Depends)" = "libmbs0 (= $version)" ]
[ "$(dpkg-deb --ctrl-tarfile "$folder/mbsd_${version}"_*.deb | tar -xO ./conffiles)" = /etc/mbsd.conf ]

mkdir "$folder/elsewhere"
cd "$folder/elsewhere"
"$root/usr/bin/mbs" run SC >out
grep -q '^Degrees of freedom: 1' out || fail "mbs run SC: $(cat out)"
if command -v lowdown >/dev/null; then
  for name in mbs mbsd; do zgrep -q "^.TH \"${name^^}\"" "$root/usr/share/man/man1/$name.1.gz"; done
fi

export LD_LIBRARY_PATH=$root/usr/lib
flags=$(PKG_CONFIG_PATH=$root/usr/lib/pkgconfig pkg-config --cflags --libs mbs)
[[ $flags == *"$root/usr/"* ]] || fail "pkg-config found another library: $flags"
# shellcheck disable=SC2086
cc -o document "$root/usr/share/doc/libmbs-dev/examples/document.c" $flags
./document "$top/models/SC.json" >out
[ "$(wc -l <out)" -gt 10 ] || fail "the example in C prints: $(cat out)"

if [ -e "$root/usr/lib/python3/dist-packages/mbsd.py" ]; then
  PYTHONPATH=$root/usr/lib/python3/dist-packages /usr/bin/python3 -B - "$top/models/SC.json" "$version" <<'END'
import sys

import mbsd

assert mbsd.__version__ == sys.argv[2], mbsd.__version__
result = mbsd.run(sys.argv[1], analysis={"t_end": 0.1})
assert result.T[-1] == 0.1 and result["theta"].shape[0] == len(result.T)
END
fi

unset LD_LIBRARY_PATH
"$root/usr/bin/mbsd" --config="$root/etc/mbsd.conf" --data="$folder/data" --port=0 >ready 2>log &
service=$!
until grep -q 'listening on' ready; do
  kill -0 "$service" 2>/dev/null || fail "the service did not start: $(cat log)"
  sleep 0.1
done
address=$(sed -n 's/^mbsd listening on //p' ready)
[[ $address == http://127.0.0.1:* ]] || fail "the service listens on $address"
curl -fsS "$address/healthz" | jq -e --arg version "$version" '.version == $version' >/dev/null
kill "$service"
wait "$service"
service=
