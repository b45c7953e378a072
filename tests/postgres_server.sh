# postgres_server.sh - a PostgreSQL server for tests in a temporary folder, reached by a socket there alone; for
# tests/private_postgres and tests/postgres.
# shellcheck shell=bash

# find_postgres - sets `programs` to the folder of the newest version; ends with 77 if there is none.
find_postgres() {
  programs=$(find /usr/lib/postgresql -maxdepth 3 -name initdb -printf '%h\n' 2>/dev/null | sort -V | tail -n 1)
  [ -n "$programs" ] || { echo "Debian's package postgresql is not installed" >&2 && exit 77; }
}

# make_postgres - sets `folder` to a new folder with a cluster, and `as` to the command that runs its server. As root it
# runs as user nobody, because PostgreSQL does not run as root. MBSD_TEST_FSYNC=on makes it write through to the disk.
make_postgres() {
  as=(setpriv)
  folder=$(mktemp -d "${TMPDIR:-/tmp}/mbsd-postgres-XXXXXX")
  if [ "$(id -u)" -eq 0 ]; then
    as+=(--reuid nobody --regid nogroup --clear-groups)
    chown nobody:nogroup "$folder"
  fi
  (cd "$folder" && "${as[@]}" env HOME="$folder" "$programs/initdb" --pgdata="$folder/data" --username=mbsd \
    --auth=trust --encoding=UTF8 --locale=C --no-sync) >"$folder/initdb.log" 2>&1 || {
    cat "$folder/initdb.log" >&2
    return 1
  }
  cat >>"$folder/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$folder'
fsync = ${MBSD_TEST_FSYNC:-off}
max_connections = 200
shared_buffers = 64MB
autovacuum_naptime = 5s
logging_collector = off
END
}

# await_postgres PROCESS - waits until it responds; fails if it ends before.
await_postgres() {
  until "$programs/pg_isready" --quiet --host="$folder"; do
    if ! kill -0 "$1" 2>/dev/null; then
      cat "$folder/server.log" >&2
      return 1
    fi
    sleep 0.1
  done
}

# name_postgres FOLDER - exports the server's address, and its folder, to a test.
name_postgres() {
  export MBSD_TEST_POSTGRES="postgresql://mbsd@/postgres?host=$1" MBSD_TEST_POSTGRES_FOLDER=$1
}
