#!/usr/bin/env bash
# Checks the directions of includes: solver <- api <- server, cli, wasm; and what a directory must not use at all.
set -euo pipefail
cd "$(dirname "$0")/.."
failures=0
fail() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

# refuse DIRECTORY PATTERN REASON - reports the lines of sources in DIRECTORY that match PATTERN.
refuse() {
  local lines
  if lines=$(grep -rnE --include='*.[ch]' --include='*.def' "$2" "$1" 2>/dev/null); then
    fail "$1 must not know $3:"$'\n'"$lines"
  fi
}

system='^ *# *include *<'
others='jansson|microhttpd|sqlite3|libpq|pthread|threads|unistd|fcntl|dirent|time|locale'
refuse solver "$system($others|sys/([^m]|m[^m]))" "JSON, HTTP, SQL, threads, files, clocks" # memory it may: sys/mman
refuse solver '\b(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror|fopen|freopen|exit|abort|getenv)\(' \
  "files, stdout or the end of the process"
refuse api "$system(microhttpd|sqlite3|libpq|pthread|threads|sys/socket|netinet|sys/epoll)" "sockets, SQL, threads"
refuse cli "$system(microhttpd|sqlite3|libpq)" "HTTP, SQL"
refuse library "$system(microhttpd|sqlite3|libpq|sys/socket|netinet)" "HTTP, SQL, the network"
refuse fmu "$system(microhttpd|sqlite3|libpq|pthread|threads|unistd|fcntl|sys/)" "HTTP, SQL, threads, the system"
refuse import "$system(microhttpd|sqlite3|libpq|pthread|threads|sys/socket|netinet)" "HTTP, SQL, threads, the network"
refuse wasm "$system(microhttpd|sqlite3|libpq|pthread|threads|sys/socket)" "HTTP, SQL, threads"

# find_owner FILE NAME - sets `target` to the path of the file that FILE's include of "NAME" finds. It starts no
# process, as it is called for thousands of lines.
find_owner() {
  local folder
  for folder in "${1%/*}" solver solver/core . cmake; do
    target=$folder/$2
    target=${target#./}
    [ ! -f "$target" ] || return 0
  done
  target=
}

# Files that each directory may include.
declare -A allowed=(
  [solver]='^solver/'
  [api]='^(api/|import/import\.h$|solver/mbs\.h$|cmake/embedded\.h$)'
  [server]='^(server/|api/|solver/mbs\.h$|cmake/embedded\.h$)'
  [wasm]='^(wasm/|api/|solver/mbs\.h$)'
  [cli]='^(cli/|api/|import/import\.h$|solver/mbs\.h$|cmake/embedded\.h$)'
  [library]='^(library/|api/|import/import\.h$|solver/mbs\.h$|solver/mbs/[a-z]+\.h$)'
  [fmu]='^(fmu/|library/mbs/mbsd\.h$|api/|solver/mbs\.h$)'
  [import]='^(import/|solver/mbs\.h$)'
)
for directory in "${!allowed[@]}"; do
  [ -d "$directory" ] || continue
  while IFS=: read -r file name; do
    find_owner "$file" "$name"
    [[ $target =~ ${allowed[$directory]} ]] || fail "$file must not include \"$name\" (${target:-no such file})"
  done < <(grep -rHoP --include='*.[ch]' --include='*.def' '^ *# *include *"\K[^"]+' "$directory")
done

# ---- the directories of the solver ------------------------------------------------------------------------------

# DIRECTORY: the directories that it may include, in the order in which data passes through them. All may include mbs.h
# and the headers of mbs/. The directories of core come first. The others include core; core includes none of them.
directories='
.: mbs
mbs:
core/base:
core/state:
core/expression: base
core/model: base expression state
core/linalg: base model
core/linalg/dense: base linalg
core/kernels: base model linalg
core/equations: base expression model linalg kernels
core/kernels/planar: base model linalg kernels equations
core/kernels/spatial: base model linalg kernels equations
core/builder: base expression model linalg kernels equations
core/elements: base expression model linalg kernels equations kernels/planar builder
core/constraints: base model linalg kernels equations
core/initial: base model linalg kernels equations constraints
core/ode: base linalg
core/results: base expression model linalg kernels equations
core/run: base model linalg kernels equations constraints initial results
core/inspect: base expression model kernels equations initial results run
core/continuation: base model linalg kernels equations constraints run
core/simulate: base model linalg kernels equations constraints initial ode results run continuation
batch: core
derivatives: core batch study
study: core batch derivatives
optimize: core derivatives study
verification: core
interactive: core
symbolic: core
symbolic/answers: core symbolic
'
lines=$(grep -rHoP --include='*.[ch]' --include='*.def' '^ *# *include *"\K[^"]+' solver |
  while IFS=: read -r file name; do
    find_owner "$file" "$name"
    printf '%s:%s\n' "${file#solver/}" "${target#solver/}"
  done | sort |
  awk -F: -v directories="$directories" '
    function directory_of(file) {
      if (file ~ /^core\/elements\//) return "core/elements"
      return sub(/\/[^\/]*$/, "", file) ? file : "."
    }
    BEGIN {
      count = split(directories, lines, "\n")
      for (i = 1; i <= count; i++) {
        n = split(lines[i], words, /[: ]+/)
        known[words[1]] = 1
        inside = words[1] ~ /^core\// ? "core/" : ""
        for (k = 2; k <= n; k++) may[words[1], inside words[k]] = 1
      }
    }
    {
      from = directory_of($1); to = directory_of($2); part = to; sub(/\/.*/, "", part)
      if (!(from in known)) print $1 ": its directory is not in the list of tests/check_includes.sh"
      else if ($2 != "mbs.h" && to != "mbs" && from != to && !((from, to) in may) && !((from, part) in may))
        print $1 " must not include \"" $2 "\""
      includes[$1, $2] = 1
      if (($2, $1) in includes) print $1 " and " $2 " include each other"
    }')
[ -z "$lines" ] || fail "The directories of the solver:"$'\n'"$lines"

# ---- the directories of the service -----------------------------------------------------------------------------

# DIRECTORY: the directories that it may include besides itself, in one line or more. A file without its extension
# counts as a directory here.
service_directories='
api/base:             solver
api/service:
api/documents:        api/base solver cmake
api/jobs:             api/base api/documents api/jobs/block_size solver
api/jobs/block_size:
api/imports:          api/documents import solver
api/exports:          api/base api/documents solver cmake
api/certificate:      api/base api/documents solver
api/checks:           api/base api/service api/documents api/exports api/http api/imports import solver
api/formats:          api/base api/service
api/drawing:          api/base api/service api/formats
api/http:             api/base api/service cmake
api/resources:        api/base api/certificate api/documents api/drawing api/exports api/service api/checks
api/resources:        api/formats api/http solver cmake
api/routes:           api/http api/resources
api/api:              api/base api/http api/routes
server/base:          api/service solver
server/store:         api/base api/service server/base
server/store/common:  api/base api/service server/base server/store
server/store/sqlite:  api/base api/jobs/block_size api/service server/base server/store server/store/common cmake
server/store/postgres: api/base api/jobs/block_size api/service server/base server/store server/store/common cmake
server/jobs:          api/base api/checks api/jobs api/jobs/block_size api/service
server/jobs:          server/base server/store server/store/common
server/service:       api/base api/service server/base server/store server/store/common server/jobs
server/http:          api/api api/service api/http
server/http:          server/base server/store server/store/common server/jobs server/service
server/main: solver server/base server/jobs server/service server/http server/store/sqlite server/store/postgres
'
declare -A may_include=()
while IFS=: read -r directory others; do
  [ -z "$directory" ] || may_include[$directory]+=" $others"
done <<<"$service_directories"

# find_directory FILE - sets `directory` to the innermost listed directory that contains FILE.
find_directory() {
  local path=${1%.*}
  case $path in solver/* | cmake/* | import/*) path=${path%%/*} ;; esac
  while [[ $path == */* && ! -v may_include[$path] ]]; do path=${path%/*}; done
  directory=$path
}

service_includes=()
while IFS=: read -r file name; do
  find_owner "$file" "$name"
  service_includes+=("${file%.*} ${target%.*}")
  find_directory "$target"
  other=$directory
  find_directory "$file"
  if [ ! -v "may_include[$directory]" ]; then
    fail "$file is in no listed directory of the service"
  elif [ "$directory" != "$other" ] && [[ " ${may_include[$directory]} " != *" $other "* ]]; then
    fail "$file must not include \"$name\": $directory may not include $other"
  fi
done < <(grep -rHoP --include='*.[ch]' --include='*.def' '^ *# *include *"\K[^"]+' api server)

# No two files (with their headers) include each other.
circles=$(printf '%s\n' "${service_includes[@]}" | sort -u |
  awk '$1 != $2 {if (($2, $1) in seen) print $2, "and", $1; seen[$1, $2]}')
[ -z "$circles" ] || fail "files that include each other:"$'\n'"$circles"

# The solver has no global state: its objects contain no writable data.
if [ -n "${MBSD:-}" ] && [ -f "$(dirname "$MBSD")/libmbs.a" ]; then
  writable=$(nm -f sysv "$(dirname "$MBSD")/libmbs.a" 2>/dev/null |
    awk -F'|' '$7 ~ /^ *\.(data|bss|tdata|tbss|common)/ && $7 !~ /rel\.ro/ && $1 !~ /^__|san/ {print $1, $7}')
  [ -z "$writable" ] || fail "solver has variables that are not constant:"$'\n'"$writable"
fi
[ "$failures" -eq 0 ]
