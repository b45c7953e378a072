#!/usr/bin/env bash
# Shows which tests detect a wrong tuned constant: multiplies it by 10 and by 0.1 in a copy of the source, builds the
# tests and runs them.
#
#   tests/move_threshold.sh NAME...                   the test that docs/theory/thresholds.md gives for the constant
#   TESTS='reference/starts unit/events' tests/move_threshold.sh NAME...
#
# NAME is the name of the constant, or FILE:NAME if several files have one of this name (core/ode/ends.c:NAME). Prints a
# line for each change: the constant, the factor, and the tests that fail; "none" if all pass. SCRATCH is the folder of
# the copy (default build/moved); BUILD_TYPE the kind of build (default Release).
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p;}' "$0"
  exit 2
}
scratch=${SCRATCH:-build/moved}
table=docs/theory/thresholds.md
mkdir -p "$scratch/source"

# copy_source - makes the copy equal to the working tree; equal files keep their times, so that little is rebuilt.
copy_source() {
  (cd "$scratch/source" && find . -type f -printf '%P\n') | LC_ALL=C sort |
    LC_ALL=C comm -23 - <(git ls-files | LC_ALL=C sort) |
    while IFS= read -r file; do rm -f "$scratch/source/$file"; done
  git ls-files -z | while IFS= read -r -d '' file; do
    [ ! -f "$file" ] || cmp -s "$file" "$scratch/source/$file" || {
      mkdir -p "$scratch/source/$(dirname "$file")"
      cp -p "$file" "$scratch/source/$file"
      touch "$scratch/source/$file"
    }
  done
}

# build_tests TEST... - builds the programs of tests such as reference/starts.
build_tests() { cmake --build "$scratch/build" --target "${@//\//_}" >"$scratch/build.log" 2>&1; }

# failing_tests TEST... - prints the names of failed tests; the status of ctest is then not 0.
failing_tests() {
  local names
  names=$(IFS='|' && printf '%s' "$*")
  ctest --test-dir "$scratch/build" -R "^($names)\$" 2>&1 |
    sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .*\*\*\*.*/\1/p' | tr '\n' ' ' || true
}

copy_source
[ -f "$scratch/build/build.ninja" ] ||
  cmake -S "$scratch/source" -B "$scratch/build" -G Ninja -DMBS_TESTS=ON -DCMAKE_BUILD_TYPE="${BUILD_TYPE:-Release}" \
    -DCMAKE_PREFIX_PATH="$PWD/build/packages/usr" \
    >"$scratch/build.log"
status=0
for wanted in "$@"; do
  name=${wanted##*:}
  rows=$(find solver -name '*.[ch]' | LC_ALL=C sort | xargs awk -f tests/thresholds.awk |
    awk -v name="$name" -v file="${wanted%"$name"}" '$2 == name && (file == "" || $1 ":" == "solver/" file)')
  [ "$(printf '%s' "$rows" | grep -c .)" = 1 ] || {
    printf 'one constant is needed for "%s", found:\n%s\n' "$wanted" "${rows:-none}" >&2
    status=1
    continue
  }
  read -r file name value <<<"$rows"
  if [ -n "${TESTS:-}" ]; then
    read -r -a tests <<<"$TESTS"
  else
    mapfile -t tests < <(awk -F ' *[|] *' -v name="\`$name\`" -v file="${file#solver/}" \
      '$2 == name && $3 == file {print $8}' "$table" | grep -oE '[a-z]+/[a-z_]+')
  fi
  [ ${#tests[@]} -gt 0 ] || {
    echo "$name: $table gives no test; set TESTS" >&2
    status=1
    continue
  }
  if [ "${tests[*]}" != "${passed:-}" ]; then
    build_tests "${tests[@]}" || {
      echo "the copy does not build: see $scratch/build.log" >&2
      exit 1
    }
    failed=$(failing_tests "${tests[@]}")
    [ -z "$failed" ] || {
      echo "without a change these tests fail: $failed" >&2
      exit 1
    }
    passed="${tests[*]}"
  fi
  for factor in 10 0.1; do
    moved="($value) * $factor"
    [[ $name =~ [a-z] ]] || moved=$(awk -v v="$((value))" -v f=$factor 'BEGIN {n = int(v * f); print n < 1 ? 1 : n}')
    awk -v name="$name" -v value="$value" -v moved="$moved" '{
      at = index($0, " " name " = " value)
      if (!done && at) {
        $0 = substr($0, 1, at - 1) " " name " = " moved substr($0, at + length(" " name " = " value))
        done = 1
      }
      print
    }' "$file" >"$scratch/source/$file"
    failed="to build (see $scratch/build.log)"
    ! build_tests "${tests[@]}" || failed=$(failing_tests "${tests[@]}")
    printf '%s %s x %s: fails %s\n' "$file" "$name" "$factor" "${failed:-none}"
    cp "$file" "$scratch/source/$file"
  done
done
exit $status
