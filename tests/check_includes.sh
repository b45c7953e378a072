#!/usr/bin/env bash
# The directions of include: solver <- api <- server, cli, wasm. Also what the rooms must not touch at all.
set -euo pipefail
cd "$(dirname "$0")/.."
failures=0
fail() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}

# refuse ROOM PATTERN REASON - no line of a room's sources may match.
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
refuse wasm "$system(microhttpd|sqlite3|libpq|pthread|threads|sys/socket)" "HTTP, SQL, threads"

# find_owner FILE NAME - sets `target` to where FILE's include of "NAME" is found. Called for thousands of lines: no
# process is made.
find_owner() {
  local folder
  for folder in "${1%/*}" solver solver/core . cmake; do
    target=$folder/$2
    target=${target#./}
    [ ! -f "$target" ] || return 0
  done
  target=
}

# Which files each room may include.
declare -A allowed=(
  [solver]='^solver/'
  [api]='^(api/|solver/mbs\.h$|cmake/embedded\.h$)'
  [server]='^(server/|api/|solver/mbs\.h$|cmake/embedded\.h$)'
  [wasm]='^(wasm/|api/|solver/mbs\.h$)'
  [cli]='^(cli/|api/|solver/mbs\.h$|cmake/embedded\.h$)'
)
for room in "${!allowed[@]}"; do
  [ -d "$room" ] || continue
  while IFS=: read -r file name; do
    find_owner "$file" "$name"
    [[ $target =~ ${allowed[$room]} ]] || fail "$file must not include \"$name\" (${target:-no such file})"
  done < <(grep -rHoP --include='*.[ch]' --include='*.def' '^ *# *include *"\K[^"]+' "$room")
done

# ---- the rooms of the solver ------------------------------------------------------------------------------------

# FOLDER: the others that it may include, along the way of the data. All know mbs.h and the headers of mbs/. The folders
# of core come first; those beside it include core, and core includes none of them.
rooms='
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
  awk -F: -v rooms="$rooms" '
    function room(file) {
      if (file ~ /^core\/elements\//) return "core/elements"
      return sub(/\/[^\/]*$/, "", file) ? file : "."
    }
    BEGIN {
      count = split(rooms, lines, "\n")
      for (i = 1; i <= count; i++) {
        n = split(lines[i], words, /[: ]+/)
        known[words[1]] = 1
        inside = words[1] ~ /^core\// ? "core/" : ""
        for (k = 2; k <= n; k++) may[words[1], inside words[k]] = 1
      }
    }
    {
      from = room($1); to = room($2); part = to; sub(/\/.*/, "", part)
      if (!(from in known)) print $1 ": its folder is not in the list of tests/check_includes.sh"
      else if ($2 != "mbs.h" && to != "mbs" && from != to && !((from, to) in may) && !((from, part) in may))
        print $1 " must not include \"" $2 "\""
      includes[$1, $2] = 1
      if (($2, $1) in includes) print $1 " and " $2 " include each other"
    }')
[ -z "$lines" ] || fail "The rooms of the solver:"$'\n'"$lines"

# ---- the rooms of the service: which may include which ------------------------------------------------------------

# ROOM: the rooms that it may include besides itself, in one line or more. A room is a folder, or a file without its
# extension.
service_rooms='
api/base:             solver
api/service:
api/documents:        api/base solver cmake
api/jobs:             api/base api/documents solver
api/jobs/block_size:
api/certificate:      api/base api/documents solver
api/checks:           api/base api/service api/documents api/http solver
api/formats:          api/base api/service
api/http:             api/base api/service cmake
api/resources:        api/base api/certificate api/documents api/service api/checks api/formats api/http solver cmake
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
while IFS=: read -r room others; do
  [ -z "$room" ] || may_include[$room]+=" $others"
done <<<"$service_rooms"

# find_room FILE - sets `room` to the innermost room that it is in.
find_room() {
  local path=${1%.*}
  case $path in solver/* | cmake/*) path=${path%%/*} ;; esac
  while [[ $path == */* && ! -v may_include[$path] ]]; do path=${path%/*}; done
  room=$path
}

service_includes=()
while IFS=: read -r file name; do
  find_owner "$file" "$name"
  service_includes+=("${file%.*} ${target%.*}")
  find_room "$target"
  other=$room
  find_room "$file"
  if [ ! -v "may_include[$room]" ]; then
    fail "$file is in no room of the service"
  elif [ "$room" != "$other" ] && [[ " ${may_include[$room]} " != *" $other "* ]]; then
    fail "$file must not include \"$name\": $room does not know $other"
  fi
done < <(grep -rHoP --include='*.[ch]' --include='*.def' '^ *# *include *"\K[^"]+' api server)

# Two files (with their headers) never include each other.
circles=$(printf '%s\n' "${service_includes[@]}" | sort -u |
  awk '$1 != $2 {if (($2, $1) in seen) print $2, "and", $1; seen[$1, $2]}')
[ -z "$circles" ] || fail "files that include each other:"$'\n'"$circles"

# The solver has no state of its own: no writable data in its objects.
if [ -n "${MBSD:-}" ] && [ -f "$(dirname "$MBSD")/libmbs.a" ]; then
  writable=$(nm -f sysv "$(dirname "$MBSD")/libmbs.a" 2>/dev/null |
    awk -F'|' '$7 ~ /^ *\.(data|bss|tdata|tbss|common)/ && $7 !~ /rel\.ro/ && $1 !~ /^__|san/ {print $1, $7}')
  [ -z "$writable" ] || fail "solver has variables that are not constant:"$'\n'"$writable"
fi
[ "$failures" -eq 0 ]
