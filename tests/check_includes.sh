#!/usr/bin/env bash
# The directions of include: solver <- api <- server, cli. Also what the rooms must not touch at all.
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
refuse solver "$system(jansson|microhttpd|sqlite3|libpq|pthread|threads|unistd|fcntl|dirent|sys/|time|locale)" \
  "JSON, HTTP, SQL, threads, files, clocks"
refuse solver '\b(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror|fopen|freopen|exit|abort|getenv)\(' \
  "files, stdout or the end of the process"
refuse api "$system(microhttpd|sqlite3|libpq|pthread|threads|sys/socket|netinet|sys/epoll)" "sockets, SQL, threads"
refuse cli "$system(microhttpd|sqlite3|libpq)" "HTTP, SQL"

# owner FILE NAME - where FILE's include of "NAME" is found.
owner() {
  local folder
  for folder in "$(dirname "$1")" solver solver/expression solver/integrators api server cmake; do
    if [ -f "$folder/$2" ]; then
      realpath --relative-to=. "$folder/$2"
      return
    fi
  done
}

# Which files each room may include.
declare -A allowed=(
  [solver]='^solver/'
  [api]='^(api/|solver/mbs\.h$|cmake/embedded\.h$)'
  [server]='^(server/|api/|solver/mbs\.h$|cmake/embedded\.h$)'
  [cli]='^(cli/|api/|solver/mbs\.h$|cmake/embedded\.h$)'
)
for room in "${!allowed[@]}"; do
  [ -d "$room" ] || continue
  while IFS=: read -r file name; do
    target=$(owner "$file" "$name")
    [[ $target =~ ${allowed[$room]} ]] || fail "$file must not include \"$name\" (${target:-no such file})"
  done < <(grep -rHoP --include='*.[ch]' --include='*.def' '^ *# *include *"\K[^"]+' "$room")
done

# The solver has no state of its own: no writable data in its objects.
if [ -n "${MBSD:-}" ] && [ -f "$(dirname "$MBSD")/libmbs.a" ]; then
  writable=$(nm -f sysv "$(dirname "$MBSD")/libmbs.a" 2>/dev/null |
    awk -F'|' '$7 ~ /^ *\.(data|bss|tdata|tbss|common)/ && $7 !~ /rel\.ro/ && $1 !~ /^__|san/ {print $1, $7}')
  [ -z "$writable" ] || fail "solver has variables that are not constant:"$'\n'"$writable"
fi
[ "$failures" -eq 0 ]
