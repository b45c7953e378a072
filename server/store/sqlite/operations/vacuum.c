/* vacuum.c - see vacuum.h. */
#include "server/store/sqlite/operations/vacuum.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* What is given back in one transaction; where the disk is short, for it needs as much room itself; and where the store
 * closes, so that nobody waits behind it [bytes]. */
enum { GIVE_BYTES = 2 << 20, GIVE_BYTES_SHORT = 1 << 20, GIVE_BYTES_LAST = 32 << 20 };

/* What may stay free where the disk is not short, and what a file may be longer than its pages [bytes]. */
enum { SPARE_BYTES = 128 << 10, SLACK_BYTES = 1 << 20 };

typedef struct vacuum_command {
  sqlite_command command;
  sqlite_store *store;
  sqlite_writer *writer;
  double free; /* bytes, when it began */
} vacuum_command;

static bool is_short(const sqlite_store *store) { return !sqlite_disk_reserve_has(&store->room, 0, false); }

/* Bytes of the pages that a pragma counts. */
static double bytes_of(sqlite_db *db, const char *count) {
  return (double)sqlite_db_integer(db, count) * (double)sqlite_db_integer(db, "PRAGMA page_size");
}

static double free_bytes(sqlite_db *db) { return bytes_of(db, "PRAGMA freelist_count"); }

static bool has_spare(const sqlite_store *store, double bytes) { return bytes > (is_short(store) ? 0 : SPARE_BYTES); }

/* Whether the file on the disk is worth being cut to what is in it, which a checkpoint does. */
static bool is_long(sqlite_db *db) {
  struct stat file;
  const char *path = sqlite3_db_filename(db->handle, "main");
  return path && stat(path, &file) == 0 && (double)file.st_size > bytes_of(db, "PRAGMA page_count") + SLACK_BYTES;
}

/* Whether the log keeps room that the disk is short of. */
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

/* Whether there is more to give: not where as much comes as goes, which the next round of maintenance looks at. */
static bool goes_on(const vacuum_command *self, service_status status) {
  double now = free_bytes(&self->writer->db);
  if (status == SERVICE_NO_SPACE) return sqlite_disk_reserve_give_up(&self->store->room);
  return status == SERVICE_OK && now < self->free && has_spare(self->store, now);
}

static void vacuum_done(sqlite_command *command, service_status status) {
  vacuum_command *self = (vacuum_command *)command;
  bool again = goes_on(self, status);
  sqlite_writer_checkpoint(self->writer); /* cuts the file, and empties the journal */
  if (again) {
    sqlite_writer_post(self->writer, command);
    return;
  }
  free(self);
}

void sqlite_vacuum(sqlite_store *store, sqlite_writer *writer) {
  vacuum_command *self = malloc(sizeof *self);
  if (!self) return; /* the next round of maintenance asks again */
  *self = (vacuum_command){{vacuum_execute, vacuum_done, GIVE_BYTES, SERVICE_OK, NULL, false}, store, writer, 0};
  sqlite_writer_post(writer, &self->command);
}
