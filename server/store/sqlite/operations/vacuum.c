/* vacuum.c - see vacuum.h. */
#include "server/store/sqlite/operations/vacuum.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Bytes freed in one transaction: normally; when the disk is short, because the change needs as much space itself; and
 * when the store closes, where no command waits behind it. */
enum { GIVE_BYTES = 2 << 20, GIVE_BYTES_SHORT = 1 << 20, GIVE_BYTES_LAST = 32 << 20 };

/* Free bytes that may stay if the disk is not short; bytes by which a file may exceed its pages, and size that a log
 * may have. */
enum { SPARE_BYTES = 128 << 10, SLACK_BYTES = 1 << 20 };

typedef struct vacuum_command {
  sqlite_command command;
  sqlite_store *store;
  sqlite_writer *writer;
  double free; /* free bytes when the transaction began */
} vacuum_command;

static bool is_short(const sqlite_store *store) { return !sqlite_disk_reserve_has(&store->room, 0, false); }

/* Returns the bytes of the pages that a pragma counts. */
static double bytes_of(sqlite_db *db, const char *count) {
  return (double)sqlite_db_integer(db, count) * (double)sqlite_db_integer(db, "PRAGMA page_size");
}

static double free_bytes(sqlite_db *db) { return bytes_of(db, "PRAGMA freelist_count"); }

static bool has_spare(const sqlite_store *store, double bytes) { return bytes > (is_short(store) ? 0 : SPARE_BYTES); }

/* Returns true if the file is longer than the pages of the database by more than SLACK_BYTES. A checkpoint then
 * truncates it. */
static bool is_long(sqlite_db *db) {
  struct stat file;
  const char *path = sqlite3_db_filename(db->handle, "main");
  return path && stat(path, &file) == 0 && (double)file.st_size > bytes_of(db, "PRAGMA page_count") + SLACK_BYTES;
}

/* Returns true if the log uses space that the disk needs. */
static bool has_long_log(sqlite_db *db) {
  struct stat file;
  const char *path = sqlite3_db_filename(db->handle, "main");
  return path && stat(sqlite3_filename_wal(path), &file) == 0 && file.st_size > SLACK_BYTES;
}

bool sqlite_vacuum_due(const sqlite_store *store, sqlite_db *db) {
  return has_spare(store, free_bytes(db)) || is_long(db) || (is_short(store) && has_long_log(db));
}

static service_status vacuum_execute(sqlite_command *command, sqlite_db *db) {
  vacuum_command *self = (vacuum_command *)command;
  char sql[64];
  self->free = free_bytes(db);
  sqlite3_int64 size = sqlite_db_integer(db, "PRAGMA page_size"), bytes = is_short(self->store) ? GIVE_BYTES_SHORT
                                                                          : atomic_load(&self->writer->hurried)
                                                                              ? GIVE_BYTES_LAST
                                                                              : GIVE_BYTES;
  snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%d)", (int)(bytes / (size > 0 ? size : bytes)));
  return sqlite_db_script(db, sql);
}

/* Returns true if another transaction is to free more. Returns false if new rows have used as much as was freed; the
 * next round of maintenance then checks again. */
static bool goes_on(const vacuum_command *self, service_status status) {
  double now = free_bytes(&self->writer->db);
  if (status == SERVICE_NO_SPACE) return sqlite_disk_reserve_give_up(&self->store->room);
  return status == SERVICE_OK && now < self->free && has_spare(self->store, now);
}

static void vacuum_done(sqlite_command *command, service_status status) {
  vacuum_command *self = (vacuum_command *)command;
  bool again = goes_on(self, status);
  sqlite_writer_checkpoint(self->writer); /* truncates the file, and empties the log */
  if (again) {
    sqlite_writer_post(self->writer, command);
    return;
  }
  free(self);
}

void sqlite_vacuum(sqlite_store *store, sqlite_writer *writer) {
  vacuum_command *self = malloc(sizeof *self);
  if (!self) return; /* the next round of maintenance tries again */
  *self = (vacuum_command){{vacuum_execute, vacuum_done, GIVE_BYTES, SERVICE_OK, NULL, false}, store, writer, 0};
  sqlite_writer_post(writer, &self->command);
}
