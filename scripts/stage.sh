#!/usr/bin/env bash
# Runs the stages of ./test --nightly, one at a time; see usage().
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
. scripts/common.sh

stages=(clang tidy threads fuzz coverage packages)

usage() {
  cat <<END
usage: scripts/stage.sh STAGE     one of: ${stages[*]}
       scripts/stage.sh --list    their names

  clang     clang compiles everything, too, without a warning (the commands of build/fuzz; code is made by fuzz alone)
  tidy      clang-tidy finds nothing in solver, api, server, cli that tests/tidy.txt does not name; it looks at
            TIDY_NODES (75000) states of a function at most, of clang's own 225000, which take twice as long
  threads   tests of what has threads, under the thread sanitizer (build/tsan)
  fuzz      FUZZ_SECONDS (60) of each fuzzer, from its corpus; what it finds is kept in build/fuzz/found
  coverage  most tests where lines are counted (build/coverage): no directory falls below tests/coverage.txt
  packages  the Debian packages are the same when made twice, lintian finds no error, and they can be installed, used,
            upgraded and purged in a fresh Debian root (deploy/debian/prove)

A stage whose tools are missing, and cannot be installed, is left out (exit code 77), but fails where CI is set.
END
}

tests=(-DMBS_TESTS=ON -DMBS_WERROR=ON -DMBS_LONG_TESTS=ON)

# Sanitizers find no free address range if the kernel randomizes addresses widely.
unspread=(setarch -R)
"${unspread[@]}" true 2>/dev/null || unspread=()

# run_tests PRESET CTEST-OPTION...
run_tests() {
  local preset=$1
  shift
  say "Testing build/$preset"
  "${unspread[@]}" ctest --test-dir "build/$preset" --output-on-failure --no-tests=error "$@"
}

stage_clang() {
  configure_preset fuzz "${tests[@]}"
  say "clang, every file"
  jq -r '.[].command' build/fuzz/compile_commands.json | grep '\.c$' |
    sed 's/ -o [^ ]*//; s/$/ -fsyntax-only/' | xargs -P "$(nproc)" -d '\n' -n 1 bash -c
}

# Prints findings as "FILE CHECK"; shows the text of new ones.
stage_tidy() {
  local log=build/fuzz/tidy.log found=build/fuzz/tidy.found known=build/fuzz/tidy.known
  local nodes=(-Xclang -analyzer-config -Xclang "max-nodes=${TIDY_NODES:-75000}")
  configure_preset fuzz "${tests[@]}"
  say "clang-tidy, some minutes"
  # Largest files first, so that no core is idle at the end.
  find solver api server cli -name '*.c' -printf '%s\t%p\n' | sort -rn | cut -f2 |
    xargs -P "$(nproc)" -n 1 clang-tidy --quiet "${nodes[@]/#/--extra-arg=}" -p build/fuzz >"$log" 2>&1 || true
  ! grep -E 'error: .*\[clang-diagnostic-error|Error while processing' "$log" || return 1
  sed -nE "s|^$PWD/([^:]*):[0-9:]* (warning\|error): .*\[([^],]*).*|\1 \3|p" "$log" | sort -u >"$found"
  sed 's/ *#.*//; /^$/d' tests/tidy.txt | sort -u >"$known"
  comm -13 "$found" "$known" | sed 's/$/: not found any more; its line in tests\/tidy.txt may go/' >&2
  comm -23 "$found" "$known" | while read -r file check; do
    grep -F -A 12 "$PWD/$file:" "$log" | grep -F -A 12 "[$check" >&2 || true
    say "New: $file $check"
  done
  [ -z "$(comm -23 "$found" "$known")" ]
}

stage_threads() {
  local stores=(tests/store/test_*.c)
  stores=("${stores[@]/#*test_/store_}")
  configure_preset tsan "${tests[@]}"
  build_preset tsan mbsd mbs_cli unit_task_queue "${stores[@]%.c}"
  # Some tests require a speed that this build may miss on a slow machine; a race is reported at its first occurrence.
  # The large documents of server/checks take minutes here, and only exercise algebra.
  run_tests tsan --repeat until-pass:3 \
    --tests-regex '^(unit/task_queue|store/.*|server/(connections|downloads|jobs|store))$' 2>&1 |
    tee build/tsan/tests.log
  ! grep -q ThreadSanitizer build/tsan/tests.log
}

stage_fuzz() {
  local seconds=${FUZZ_SECONDS:-60} fuzzer name failed=0 running=()
  configure_preset fuzz "${tests[@]}"
  mkdir -p build/fuzz/found
  for fuzzer in tests/fuzz/fuzz_*.c; do
    name=$(basename "$fuzzer" .c)
    build_preset fuzz "$name"
    say "$name for $seconds s"
    mkdir -p "build/fuzz/grown/$name"
    "${unspread[@]}" "build/fuzz/tests/$name" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 \
      -print_final_stats=1 -close_fd_mask=2 -artifact_prefix="build/fuzz/found/$name-" \
      "build/fuzz/grown/$name" "tests/fuzz/corpus/${name#fuzz_}" >"build/fuzz/$name.log" 2>&1 &
    running+=("$! $name")
  done
  for fuzzer in "${running[@]}"; do
    if wait "${fuzzer% *}"; then
      say "${fuzzer#* }: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/${fuzzer#* }.log") inputs"
    else
      failed=1
      tail -n 40 "build/fuzz/${fuzzer#* }.log" >&2
    fi
  done
  [ "$failed" -eq 0 ]
}

# Prints "DIRECTORY EXECUTED LINES" for each directory, and for all of them.
count_lines() {
  find build/coverage/CMakeFiles -name '*.gcda' -print0 | xargs -0 gcov --no-output 2>/dev/null |
    awk -v top="$PWD/" '
      /^File / {
        file = substr($0, 7, length($0) - 7)
        sub(/^(\.\.\/)+/, top, file) # where a compiler cache makes paths relative
        directory = ""
        if (index(file, top) == 1 && file ~ /\.c$/ && !(file in seen)) directory = substr(file, length(top) + 1)
        sub(/\/.*/, "", directory)
        seen[file] = 1
      }
      /^Lines executed:/ && directory ~ /^(solver|api|server|cli)$/ {
        split($2, part, /[:%]/)
        lines[directory] += $4; executed[directory] += part[2] * $4 / 100
        lines["all"] += $4; executed["all"] += part[2] * $4 / 100
      }
      /^Lines executed:/ {directory = ""}
      END {for (directory in lines) printf "%s %.0f %d\n", directory, executed[directory], lines[directory]}' | sort
}

stage_coverage() {
  local directory executed lines floor bad=0 counted=0
  # Tests that take long without optimization, and cover few additional lines.
  local slow='^(property/(binding_random|driven|redundancy|scales|duplicate_errors)|server/(hostile|kills|limits)'
  slow+='|reference/(branches|passages|singular|starts|sticking|turns)|clients/(matlab|python)_client)$'
  configure_preset coverage "${tests[@]}"
  build_preset coverage
  find build/coverage -name '*.gcda' -delete
  # Other builds check that they pass; here a slow machine may try twice.
  run_tests coverage -j "$(nproc)" --repeat until-pass:2 --exclude-regex "$slow" \
    --label-regex '^(unit|property|reference|api|store|server|fuzz|clients)$' || bad=1
  while read -r directory executed lines; do
    floor=$(sed -n "s/^$directory *//p" tests/coverage.txt)
    awk -v directory="$directory" -v executed="$executed" -v lines="$lines" -v floor="${floor:-0}" 'BEGIN {
      share = 100 * executed / lines
      printf "%-7s %5.1f %% of %d lines, at least %s\n", directory, share, lines, floor
      exit share < floor}' || bad=1
    counted=$((counted + 1))
  done < <(count_lines)
  [ "$counted" -gt 0 ] || { say "No line was counted" && bad=1; }
  [ "$bad" -eq 0 ]
}

stage_packages() {
  configure_preset release "${tests[@]}"
  build_preset release
  as_root deploy/debian/prove
}

case "${1:-}" in
  --list) printf '%s\n' "${stages[@]}" ;;
  --help | -h | '') usage ;;
  *)
    [[ " ${stages[*]} " == *" $1 "* ]] || { usage >&2 && exit 2; }
    purposes=(image run test)
    case $1 in clang | tidy | fuzz | packages) purposes+=(check) ;; esac
    [ "$1" != packages ] || purposes+=(extra) # of Python
    if ! install_packages "${purposes[@]}" || ! unpack_packages; then
      [ -z "${CI:-}" ] || exit 1
      say "$1: left out, because packages are missing"
      exit 77
    fi
    "stage_$1"
    ;;
esac
