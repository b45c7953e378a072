/* db.c - see db.h. */
#include "server/store/sqlite/connection/db.h"

#include "api/base/text.h"
#include "embedded.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/sqlite/connection/row_checksum.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "mbsd" as PRAGMA application_id. */
enum { APPLICATION_ID = 0x6d627364, PATH_SIZE = 4096 };

/* Times that a connection waits for others [ms], and time between log messages about a full disk [s]. */
enum { BUSY_MS = 10000, READER_BUSY_MS = 1000 };
static const double full_seconds = 60;

/* Largest file that is checked before use: a second on a slow disk. Larger ones are checked afterwards [bytes]. */
static const sqlite3_int64 quick_bytes = 256 << 20;

/* ---- statements ------------------------------------------------------------------------------------------------ */

static service_status status_of(int code) {
  switch (code & 0xff) {
  case SQLITE_FULL: return SERVICE_NO_SPACE;
  case SQLITE_CONSTRAINT:
  case SQLITE_MISMATCH:
  case SQLITE_MISUSE:
  case SQLITE_RANGE:
  case SQLITE_TOOBIG: return SERVICE_REJECTED; /* caused by the statement and its values: it fails each time */
  default: return SERVICE_FAILED;
  }
}

service_status sqlite_db_failure(sqlite_db *db, const char *what) {
  int code = sqlite3_errcode(db->handle);
  double now = srv_clock_monotonic();
  bool full = (code & 0xff) == SQLITE_FULL, told = full && db->full_told > 0 && now - db->full_told < full_seconds;
  if (full && !told) db->full_told = now;
  if (!told)
    srv_log(SRV_ERROR, "database_error",
            (srv_field[]){srv_text("file", sqlite3_db_filename(db->handle, "main")),
                          srv_text("doing", what),
                          srv_text("error", sqlite3_errmsg(db->handle)),
                          {0}});
  return status_of(code);
}

static sqlite3_stmt *prepared(sqlite_db *db, const char *sql) {
  size_t i = 0;
  while (i < SQLITE_DB_STATEMENTS && db->statements[i].sql && db->statements[i].sql != sql) i++;
  if (i < SQLITE_DB_STATEMENTS && db->statements[i].sql) return db->statements[i].statement;
  sqlite3_stmt *statement = NULL;
  if (i == SQLITE_DB_STATEMENTS ||
      sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK) {
    sqlite_db_failure(db, sql);
    return NULL;
  }
  db->statements[i].sql = sql;
  db->statements[i].statement = statement;
  return statement;
}

static int bind_one(sqlite3_stmt *statement, int index, char kind, va_list *values) {
  if (kind == 't') {
    const char *text = va_arg(*values, const char *);
    return sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
  }
  if (kind == 'i') return sqlite3_bind_int64(statement, index, va_arg(*values, sqlite3_int64));
  if (kind == 'd') return sqlite3_bind_double(statement, index, va_arg(*values, double));
  assert(kind == 'b');
  const void *data = va_arg(*values, const void *);
  return sqlite3_bind_blob64(statement, index, data, va_arg(*values, size_t), SQLITE_STATIC);
}

static sqlite3_stmt *bound(sqlite_db *db, const char *sql, const char *kinds, va_list *values) {
  sqlite3_stmt *statement = prepared(db, sql);
  assert(!statement || sqlite3_bind_parameter_count(statement) == (int)strlen(kinds));
  assert(!statement || !sqlite3_stmt_busy(statement));
  for (int i = 0; statement && kinds[i]; i++) {
    if (bind_one(statement, i + 1, kinds[i], values) != SQLITE_OK) {
      sqlite_db_failure(db, sql);
      return NULL;
    }
  }
  return statement;
}

sqlite3_stmt *sqlite_db_query(sqlite_db *db, const char *sql, const char *kinds, ...) {
  va_list values;
  va_start(values, kinds);
  sqlite3_stmt *statement = bound(db, sql, kinds, &values);
  va_end(values);
  return statement;
}

service_status sqlite_db_run(sqlite_db *db, const char *sql, const char *kinds, ...) {
  va_list values;
  va_start(values, kinds);
  sqlite3_stmt *statement = bound(db, sql, kinds, &values);
  va_end(values);
  if (!statement) return SERVICE_FAILED;
  int code;
  do code = sqlite3_step(statement);
  while (code == SQLITE_ROW);
  service_status status = code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(db, sql);
  sqlite3_reset(statement);
  return status;
}

service_status sqlite_db_step(sqlite_db *db, const char *sql) {
  sqlite3_stmt *statement = prepared(db, sql);
  if (!statement) return SERVICE_FAILED;
  int code = sqlite3_step(statement);
  sqlite3_reset(statement);
  return code == SQLITE_DONE || code == SQLITE_ROW ? SERVICE_OK : status_of(code);
}

service_status sqlite_db_script(sqlite_db *db, const char *sql) {
  if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK) return sqlite_db_failure(db, sql);
  return SERVICE_OK;
}

char *sqlite_db_text(sqlite3_stmt *statement, int column) {
  return api_text_copy((const char *)sqlite3_column_text(statement, column));
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

static bool open_failed(sqlite_db *db, char message[SQLITE_DB_MESSAGE], const char *path) {
  snprintf(message, SQLITE_DB_MESSAGE, "%.300s: %.200s", path, sqlite3_errmsg(db->handle));
  sqlite_db_close(db);
  return false;
}

sqlite3_int64 sqlite_db_integer(sqlite_db *db, const char *sql) {
  sqlite3_int64 value = -1;
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
    value = sqlite3_column_int64(statement, 0);
  }
  sqlite3_finalize(statement);
  return value;
}

/* Returns the number of a migration "NAME-NNNN-what.sql" of this database, or 0. */
static int migration_number(const embedded_file *file, const char *name) {
  size_t length = strlen(name);
  if (strncmp(file->name, name, length) != 0 || file->name[length] != '-') return 0;
  return (int)strtol(file->name + length + 1, NULL, 10);
}

static bool apply_migration(sqlite_db *db, const embedded_file *file, int number) {
  char version[64];
  snprintf(version, sizeof version, "PRAGMA user_version = %d", number);
  if (sqlite_db_script(db, "BEGIN EXCLUSIVE") != SERVICE_OK) return false;
  if (sqlite_db_script(db, (const char *)file->data) == SERVICE_OK && sqlite_db_script(db, version) == SERVICE_OK &&
      sqlite_db_script(db, "COMMIT") == SERVICE_OK) {
    return true;
  }
  sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
  return false;
}

/* Copies the file to one named after its version. An existing copy comes from a migration that did not complete, and is
 * as good. */
static bool back_up(sqlite_db *db, const char *path, int version) {
  char copy[PATH_SIZE + 32];
  snprintf(copy, sizeof copy, "%s.version-%d", path, version);
  FILE *old = fopen(copy, "rb");
  if (old) {
    fclose(old);
    return true;
  }
  char *sql = sqlite3_mprintf("VACUUM INTO %Q", copy);
  bool good = sql && sqlite_db_script(db, sql) == SERVICE_OK;
  sqlite3_free(sql);
  return good;
}

/* State of a file before it is written to. */
typedef struct file_state {
  bool fresh;
  int version, newest; /* version of the file; newest version of the migrations */
} file_state;

/* Returns true if a file is the other one of the two databases: each has a table that the other lacks. */
static bool is_the_other(sqlite_db *db, const char *name) {
  return sqlite_db_integer(db, strcmp(name, "queue") == 0
                                   ? "SELECT sum((name = 'runs') - (name = 'jobs')) FROM sqlite_schema"
                                   : "SELECT sum((name = 'jobs') - (name = 'runs')) FROM sqlite_schema") == 1;
}

static const char other_name[] = "the names of queue.db and results.db were swapped: rename the files back";

static bool inspect(sqlite_db *db, const char *path, const char *name, file_state *state,
                    char message[SQLITE_DB_MESSAGE]) {
  sqlite3_int64 application = sqlite_db_integer(db, "PRAGMA application_id");
  *state = (file_state){.version = (int)sqlite_db_integer(db, "PRAGMA user_version"), .newest = sqlite_db_newest(name)};
  state->fresh =
      application == 0 && state->version == 0 && sqlite_db_integer(db, "SELECT count(*) FROM sqlite_schema") == 0;
  if (application < 0) {
    snprintf(message, SQLITE_DB_MESSAGE, "%.250s cannot be read (%.150s): restore the folder from a backup", path,
             sqlite3_errmsg(db->handle));
    return false;
  }
  if (!state->fresh && application != APPLICATION_ID) {
    snprintf(message, SQLITE_DB_MESSAGE,
             "%.250s is not a database of mbsd: move the file away, or use another folder with --data", path);
    return false;
  }
  if (is_the_other(db, name)) {
    snprintf(message, SQLITE_DB_MESSAGE, "%.300s: %s", path, other_name);
    return false;
  }
  if (state->version > state->newest) {
    snprintf(message, SQLITE_DB_MESSAGE, "%.300s has version %d of a newer mbsd; this mbsd supports versions up to %d",
             path, state->version, state->newest);
    return false;
  }
  return true;
}

bool sqlite_db_quick_check(sqlite_db *db, char what[SQLITE_DB_MESSAGE]) {
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(db->handle, "PRAGMA quick_check(1)", -1, &query, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(query);
  const char *said = code == SQLITE_ROW ? (const char *)sqlite3_column_text(query, 0) : sqlite3_errmsg(db->handle);
  bool good = code == SQLITE_ROW && said && strcmp(said, "ok") == 0;
  /* SQLite's message may begin with a heading line. */
  const char *line = said ? strrchr(said, '\n') : NULL;
  snprintf(what, SQLITE_DB_MESSAGE, "%.200s", line ? line + 1 : said ? said : "out of memory");
  sqlite3_finalize(query);
  return good;
}

/* Applies the migrations after version `from`, up to `to`. */
static bool apply_migrations(sqlite_db *db, const char *name, int from, int to) {
  bool good = true;
  for (size_t i = 0; good && i < embedded_migrations_count; i++) {
    int number = migration_number(&embedded_migrations[i], name);
    if (number > from && number <= to) good = apply_migration(db, &embedded_migrations[i], number);
  }
  return good;
}

/* Returns true if a file contains the table, index or trigger of `made`, a row of type, name, tbl_name, sql. */
static bool has_as_made(sqlite_db *db, sqlite3_stmt *made, char what[SQLITE_DB_MESSAGE]) {
  const char *column[4];
  for (int i = 0; i < 4; i++) column[i] = (const char *)sqlite3_column_text(made, i);
  sqlite3_stmt *query =
      sqlite_db_query(db, "SELECT sql IS ? FROM sqlite_schema WHERE type = ? AND name = ? AND tbl_name = ?", "tttt",
                      column[3], column[0], column[1], column[2]);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  bool same = code == SQLITE_ROW && sqlite3_column_int(query, 0) == 1;
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    snprintf(what, SQLITE_DB_MESSAGE, "%.200s", sqlite3_errmsg(db->handle));
  else if (!same)
    snprintf(what, SQLITE_DB_MESSAGE, "the %.20s %.100s is %s", column[0], column[1],
             code == SQLITE_ROW ? "different from that of mbsd" : "missing");
  sqlite3_reset(query);
  return same;
}

bool sqlite_db_schema_check(sqlite_db *db, const char *name, char what[SQLITE_DB_MESSAGE]) {
  sqlite_db fresh = {0};
  sqlite3_stmt *list = NULL;
  int version = (int)sqlite_db_integer(db, "PRAGMA user_version"), code = SQLITE_ERROR;
  bool other = is_the_other(db, name);
  snprintf(what, SQLITE_DB_MESSAGE, "%s", other ? other_name : "its schema cannot be compared with that of mbsd");
  if (!other && sqlite3_open(":memory:", &fresh.handle) == SQLITE_OK &&
      sqlite_row_checksum_function(fresh.handle) == SQLITE_OK && apply_migrations(&fresh, name, 0, version))
    list = sqlite_db_query(&fresh, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid", "");
  while (list && (code = sqlite3_step(list)) == SQLITE_ROW && has_as_made(db, list, what)) continue;
  sqlite_db_close(&fresh);
  return code == SQLITE_DONE;
}

/* Checks a file before it is written to: its pages and rows only if that is quick. */
static bool look_through(sqlite_db *db, const char *path, const char *name, char message[SQLITE_DB_MESSAGE]) {
  char what[SQLITE_DB_MESSAGE];
  db->unchecked = sqlite_db_integer(db, "PRAGMA page_count") * sqlite_db_integer(db, "PRAGMA page_size") > quick_bytes;
  if (sqlite_db_schema_check(db, name, what) && (db->unchecked || sqlite_db_quick_check(db, what))) return true;
  snprintf(message, SQLITE_DB_MESSAGE,
           "%.200s is damaged (%.120s): run mbsd --check for details; restore the folder from a backup", path, what);
  return false;
}

int sqlite_db_newest(const char *name) {
  int newest = 0;
  for (size_t i = 0; i < embedded_migrations_count; i++) {
    int number = migration_number(&embedded_migrations[i], name);
    if (number > newest) newest = number;
  }
  return newest;
}

static bool migrate(sqlite_db *db, const char *path, const char *name, const file_state *state,
                    char message[SQLITE_DB_MESSAGE]) {
  if (!state->fresh && state->version < state->newest && !back_up(db, path, state->version)) {
    snprintf(message, SQLITE_DB_MESSAGE, "%.300s could not be copied before its migration", path);
    return false;
  }
  char mark[64];
  snprintf(mark, sizeof mark, "PRAGMA application_id = %d", APPLICATION_ID);
  bool good = !state->fresh || sqlite_db_script(db, mark) == SERVICE_OK;
  good = good && apply_migrations(db, name, state->version, state->newest);
  if (!good)
    snprintf(message, SQLITE_DB_MESSAGE, "%.300s could not be migrated: %.150s", path, sqlite3_errmsg(db->handle));
  return good;
}

/* A change writes whole pages: rows are small, blobs are large. Like auto_vacuum below, the size applies to a new file
 * only; others stay as they are. */
static const char *page_size_of(const char *name) {
  return strcmp(name, "queue") == 0 ? "PRAGMA page_size = 4096" : "PRAGMA page_size = 8192";
}

/* auto_vacuum applies to a new file only. With it, the space of deleted results can be returned, and the end of a blob
 * is found without reading all of it. Debian's SQLite overwrites deleted data by default: a removal would write as much
 * as it frees, on a disk that may be full. */
static const char settings[] = "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
                               "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = FAST;"
                               "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                               "PRAGMA journal_size_limit = 16777216";

/* Sets up a connection to a file and migrates the file. */
static bool prepare_file(sqlite_db *db, const char *path, const char *name, bool may_make,
                         char message[SQLITE_DB_MESSAGE]) {
  file_state state;
  if (!inspect(db, path, name, &state, message)) return false;
  if (state.fresh && !may_make) {
    snprintf(message, SQLITE_DB_MESSAGE, "%.200s is empty: restore the folder from a backup", path);
    return false;
  }
  if (!state.fresh && !look_through(db, path, name, message)) return false;
  if (sqlite3_exec(db->handle, page_size_of(name), NULL, NULL, NULL) != SQLITE_OK ||
      sqlite3_exec(db->handle, settings, NULL, NULL, NULL) != SQLITE_OK) {
    snprintf(message, SQLITE_DB_MESSAGE, "%.300s: %.200s", path, sqlite3_errmsg(db->handle));
    return false;
  }
  return migrate(db, path, name, &state, message);
}

bool sqlite_db_open(sqlite_db *db, const char *folder, const char *name, bool may_make,
                    char message[SQLITE_DB_MESSAGE]) {
  *db = (sqlite_db){0};
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s.db", folder, name);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK || sqlite3_busy_timeout(db->handle, BUSY_MS) ||
      sqlite_row_checksum_function(db->handle) != SQLITE_OK) {
    return open_failed(db, message, path);
  }
  if (prepare_file(db, path, name, may_make, message)) return true;
  sqlite_db_close(db);
  return false;
}

bool sqlite_db_open_reader(sqlite_db *db, const char *folder, const char *name, char message[SQLITE_DB_MESSAGE]) {
  *db = (sqlite_db){0};
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s.db", folder, name);
  /* Only the writer may write checkpoints, even if a reader is the last to close the file. The first read opens the log
   * immediately, because it cannot be opened after the directory was removed. */
  if (sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK ||
      sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) != SQLITE_OK ||
      sqlite3_busy_timeout(db->handle, READER_BUSY_MS) || sqlite_row_checksum_function(db->handle) != SQLITE_OK ||
      sqlite3_exec(db->handle,
                   "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA wal_autocheckpoint = 0;"
                   "SELECT count(*) FROM sqlite_schema",
                   NULL, NULL, NULL) != SQLITE_OK) {
    return open_failed(db, message, path);
  }
  return true;
}

void sqlite_db_close(sqlite_db *db) {
  for (size_t i = 0; i < SQLITE_DB_STATEMENTS; i++) sqlite3_finalize(db->statements[i].statement);
  sqlite3_close(db->handle);
  *db = (sqlite_db){0};
}
