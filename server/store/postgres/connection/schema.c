/* schema.c - see schema.h. */
#include "server/store/postgres/connection/schema.h"

#include "embedded.h"
#include "server/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The advisory lock under which migrations are applied: "mbsd". */
#define LOCK "SELECT pg_advisory_xact_lock(1835168612)"

enum { OLDEST_SERVER = 130000, POOLER_TRIES = 8 };

static const char prefix[] = "postgres-";

/* Time limit of a response while tables are made or changed [s]. */
static const double migration_seconds = 3600;

static int number_of(const embedded_file *file) {
  if (strncmp(file->name, prefix, sizeof prefix - 1) != 0) return 0;
  return (int)strtol(file->name + sizeof prefix - 1, NULL, 10);
}

static int newest(void) {
  int most = 0;
  for (size_t i = 0; i < embedded_migrations_count; i++)
    if (number_of(&embedded_migrations[i]) > most) most = number_of(&embedded_migrations[i]);
  return most;
}

/* Checks that the server is supported. */
static bool check_server(postgres_db *db) {
  const char *where = db->address->where;
  int version = PQserverVersion(db->handle);
  PGresult *result = postgres_db_query(
      db, "SELECT current_setting('transaction_read_only') = 'on', current_setting('server_encoding')", "");
  if (!result) return false;
  bool read_only = postgres_integer(result, 0, 0) != 0, utf8 = strcmp(PQgetvalue(result, 0, 1), "UTF8") == 0;
  if (version < OLDEST_SERVER)
    snprintf(db->why, sizeof db->why, "the database %.120s has PostgreSQL %d; mbsd requires 13 or newer", where,
             version / 10000);
  else if (read_only)
    snprintf(db->why, sizeof db->why,
             "the database %.120s is read-only (a standby?): use the primary server, or several hosts with "
             "target_session_attrs=read-write",
             where);
  else if (!utf8)
    snprintf(db->why, sizeof db->why,
             "the database %.120s has the encoding %.20s; mbsd requires UTF8: create it with createdb --encoding=UTF8 "
             "--template=template0",
             where, PQgetvalue(result, 0, 1));
  PQclear(result);
  db->passing = db->passing || read_only; /* a standby may take over */
  return version >= OLDEST_SERVER && !read_only && utf8;
}

/* Returns the timeline of a primary server; 0: unknown, as some hosted servers do not report it. */
static int timeline_of(postgres_db *db) {
  PGresult *result = postgres_db_simple(db, "SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)");
  bool known = PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1;
  int timeline = known ? (int)strtol(PQgetvalue(result, 0, 0), NULL, 16) : 0;
  PQclear(result);
  return timeline;
}

/* Refuses a server that was replaced by a standby and still believes that it is the primary one. If this one took over,
 * no connection to the server before is used again. */
static bool check_timeline(postgres_db *db) {
  postgres_address *address = db->address;
  int timeline = timeline_of(db), seen = atomic_load(&address->timeline);
  while (timeline > seen)
    if (atomic_compare_exchange_strong(&address->timeline, &seen, timeline)) {
      if (seen > 0) db->changes = atomic_fetch_add(&address->changes, 1) + 1;
      return true;
    }
  if (timeline == 0 || timeline == seen) return true;
  db->passing = true;
  snprintf(
      db->why, sizeof db->why,
      "the server of the database %.120s is a former primary (timeline %d; %d has taken over): stop it, or restart "
      "mbsd if it is the right one",
      db->address->where, timeline, seen);
  return false;
}

/* Returns the version of the tables; 0: there are none, -1 on failure. */
static int read_version(postgres_db *db) {
  PGresult *result = postgres_db_query(db, "SELECT to_regclass('mbsd.version') IS NOT NULL", "");
  if (!result) return -1;
  bool there = postgres_integer(result, 0, 0) != 0;
  PQclear(result);
  if (!there) return 0;
  result = postgres_db_query(db, "SELECT version FROM mbsd.version", "");
  if (!result) return -1;
  int version = PQntuples(result) == 1 ? (int)postgres_integer(result, 0, 0) : -1;
  PQclear(result);
  return version;
}

static bool check_version(postgres_db *db, int version) {
  if (version > newest())
    snprintf(db->why, sizeof db->why,
             "the tables in %.120s have version %d of a newer mbsd; this mbsd supports versions up to %d: use the "
             "newer mbsd",
             db->address->where, version, newest());
  return version >= 0 && version <= newest();
}

bool postgres_schema_check(postgres_db *db) {
  if (!check_server(db) || !check_timeline(db)) return false;
  int version = read_version(db);
  if (!check_version(db, version)) return false;
  if (version == newest()) return true;
  snprintf(db->why, sizeof db->why,
           "the tables in %.120s were replaced while mbsd ran: they have version %d instead of %d; restart mbsd",
           db->address->where, version, newest());
  return false;
}

/* ---- poolers ----------------------------------------------------------------------------------------------------- */

/* Returns the server process that answers a connection now; 0: none. Prepares no statement. */
static long answering_process(postgres_db *db) {
  PGresult *result = postgres_db_simple(db, "SELECT pg_backend_pid()");
  long process = PQresultStatus(result) == PGRES_TUPLES_OK ? strtol(PQgetvalue(result, 0, 0), NULL, 10) : 0;
  PQclear(result);
  return process;
}

static bool begin_anything(postgres_db *db) {
  (void)db;
  return true;
}

/* Refuses a pooler that lets one server process serve two connections alternately: they would share session state,
 * LISTEN and prepared statements. Such a pooler cannot report the right process number when the connection is made. So
 * one test finds it, and a direct connection needs no further test. */
static bool check_pooler(postgres_db *db) {
  long process = answering_process(db);
  if (process == 0 || process == PQbackendPID(db->handle)) return true;
  postgres_db other = {.address = db->address, .begin = begin_anything, .seconds = POSTGRES_SECONDS};
  bool shared = false;
  if (postgres_db_connect(&other, true)) {
    for (int i = 0; i < POOLER_TRIES && !shared; i++) {
      long others = answering_process(&other);
      shared = others != 0 && others == answering_process(db);
    }
  }
  postgres_db_close(&other);
  if (shared)
    snprintf(db->why, sizeof db->why,
             "a connection pooler shares connections to %.120s between transactions, but mbsd needs its own (LISTEN, "
             "prepared statements). Set pool_mode = session in the pooler, or use the address of the server",
             db->address->where);
  return !shared;
}

/* ---- migrations -------------------------------------------------------------------------------------------------- */

static bool apply(postgres_db *db, int version) {
  if (version == 0 && postgres_db_script(db, "CREATE SCHEMA IF NOT EXISTS mbsd;"
                                             "CREATE TABLE mbsd.version (version int NOT NULL);"
                                             "INSERT INTO mbsd.version VALUES (0)") != SERVICE_OK)
    return false;
  for (size_t i = 0; i < embedded_migrations_count; i++) {
    const embedded_file *file = &embedded_migrations[i];
    if (number_of(file) <= version) continue;
    if (postgres_db_script(db, (const char *)file->data) != SERVICE_OK) return false;
  }
  return postgres_db_run(db, NULL, "UPDATE mbsd.version SET version = $1::int", "i", (int64_t)newest()) == SERVICE_OK;
}

/* Sets the reason of a failure to create the tables. */
static void tell_failure(postgres_db *db) {
  if (db->why[0]) return;
  bool forbidden = strcmp(db->code, "42501") == 0;
  snprintf(db->why, sizeof db->why, "the tables in %.120s cannot be created (SQLSTATE %.5s, see the log)%s",
           db->address->where, db->code,
           forbidden
               ? ": the owner of the database must GRANT CREATE ON DATABASE ... TO this user, or this user must own it"
               : "");
}

static bool migrate(postgres_db *db) {
  if (!check_server(db) || postgres_db_script(db, "BEGIN") != SERVICE_OK) return false;
  /* A server waits for another that creates the tables, and for large tables to change. */
  db->seconds = migration_seconds;
  if (postgres_db_script(db, "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; " LOCK) != SERVICE_OK)
    return false;
  int version = read_version(db);
  if (!check_version(db, version)) return false;
  if (version == newest()) return postgres_db_script(db, "COMMIT") == SERVICE_OK;
  if (!apply(db, version) || postgres_db_script(db, "COMMIT") != SERVICE_OK) return false;
  srv_log(SRV_INFO, "tables_made",
          (srv_field[]){srv_text("database", db->address->where),
                        srv_number("from_version", version),
                        srv_number("to_version", newest()),
                        {0}});
  return true;
}

static bool begin_migration(postgres_db *db) {
  bool good = check_pooler(db) && migrate(db);
  if (!good) tell_failure(db);
  return good;
}

bool postgres_schema_open(postgres_address *address, char message[POSTGRES_MESSAGE], bool *passing) {
  postgres_db db = {.address = address, .begin = begin_migration};
  bool good = false;
  for (size_t i = 0; i < address->server_count && !good; i++) {
    db.seconds = POSTGRES_LONG_SECONDS;
    good = postgres_db_connect(&db, true);
  }
  *passing = !good && db.passing;
  if (!good) memcpy(message, db.why, POSTGRES_MESSAGE);
  postgres_db_close(&db);
  return good;
}
