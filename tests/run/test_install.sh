#!/usr/bin/env bash
# cmake --install: the programs run from their installed places, the unit exists, and completion offers commands,
# examples and options.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$(dirname "$MBSD")" --prefix "$folder" >"$folder/log" || { cat "$folder/log" && exit 1; }
PATH=$folder/bin:$PATH
[ "$(command -v mbs)" = "$folder/bin/mbs" ]
mbs validate SC >/dev/null
mbsd --version >/dev/null
grep -q '^ExecStart=' "$folder/lib/systemd/system/mbsd.service"

if command -v lowdown >/dev/null; then
  for program in mbs mbsd; do grep -q "^.TH \"${program^^}\"" "$folder/share/man/man1/$program.1"; done
  grep -qF -- '--token-file' "$folder/share/man/man1/mbsd.1"
fi

# complete WORD... - prints the completions of the last word.
complete_words() {
  (
    # shellcheck source=deploy/completion.bash
    . "$folder/share/bash-completion/completions/mbs"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    "_$1"
    printf '%s\n' "${COMPREPLY[@]}"
  )
}
expect() {
  local wanted=$1
  shift
  # grep without -q, which may end before all output is written.
  complete_words "$@" | grep -xe "$wanted" >/dev/null || { echo "$*: $wanted is not offered" && exit 1; }
}
expect run mbs ru
expect examples mbs ''
expect FourBar_inverse mbs run Four
expect --npz mbs run SC --n
expect --token-file mbsd --tok
for format in $(mbs equations --help | sed -nE 's/^  --format F +//p' | grep -oE '(text|json|latex|mathml)'); do
  expect "$format" mbs equations SC --format ''
done
expect mathml mbs equations SC --format m
expect mathml mbs equations SC --format = m
expect latex mbs equations SC --format =
expect urdf mbs import arm.urdf --format u
expect body mbs equations SC --formulation b
expect rhsA mbs equations SC --only r
expect joint-revolute mbs reference joint-r
expect "$folder/bin" mbs run SC --out "$folder/b"
[ -z "$(complete_words mbs run SC --analysis Four)" ]
[ -z "$(complete_words mbs run SC --csv Four)" ]
if complete_words mbs equations SC --format '' | grep -vxE 'text|json|latex|mathml'; then exit 1; fi
if complete_words mbs run SC --n | grep -qxe --analysis; then echo 'more is offered than begins so' && exit 1; fi
