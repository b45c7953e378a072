/* results.c - see results.h. */
#include "server/store/sqlite/results/results.h"

#include "server/store/sqlite/operations/vacuum.h"

#include <stdlib.h>
#include <string.h>

/* Number of blobs dropped in one transaction. */
enum { DROP_BLOBS = 16 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

service_status sqlite_results_write(sqlite_db *results, const store_part *part) {
  const store_chunk *chunk = &part->chunk;
  sqlite3_int64 attempt = part->run.attempt;
  service_status status = sqlite_db_run(results, "INSERT INTO runs (job, attempt) VALUES (?, ?) ON CONFLICT DO NOTHING",
                                        "ti", part->run.id, attempt);
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(results,
                       "INSERT INTO parts (run, number, arrays, rows, bytes, checksum, layout, data)"
                       " VALUES ((SELECT id FROM runs WHERE job = ?1 AND attempt = ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                       "tiiiiiibb", part->run.id, attempt, (sqlite3_int64)part->number, (sqlite3_int64)chunk->arrays,
                       (sqlite3_int64)chunk->rows, (sqlite3_int64)chunk->bytes,
                       (sqlite3_int64)store_checksum(part->layout, part->layout_size), (const void *)part->layout,
                       part->layout_size, (const void *)(chunk->data.size > 0 ? chunk->data.data : ""),
                       chunk->data.size);
}

service_status sqlite_results_seal(sqlite_db *results, const store_run *run, store_extent *there, uint64_t *checksum,
                                   size_t *stored) {
  *stored = 0;
  *there = (store_extent){0};
  *checksum = 0;
  sqlite3_stmt *query = sqlite_db_query(results,
                                        "SELECT p.arrays, p.rows, p.bytes, p.checksum, length(p.data)"
                                        " FROM runs r JOIN parts p ON p.run = r.id"
                                        " WHERE r.job = ? AND r.attempt = ? ORDER BY p.number",
                                        "ti", run->id, (sqlite3_int64)run->attempt);
  int code = query ? SQLITE_DONE : SQLITE_ERROR;
  while (query && (code = sqlite3_step(query)) == SQLITE_ROW) {
    there->arrays += (size_t)sqlite3_column_int64(query, 0);
    there->rows += (size_t)sqlite3_column_int64(query, 1);
    there->bytes += (size_t)sqlite3_column_int64(query, 2);
    *checksum = store_checksum_chain(*checksum, (uint64_t)sqlite3_column_int64(query, 3));
    *stored += (size_t)sqlite3_column_int64(query, 4);
  }
  sqlite3_reset(query);
  if (code != SQLITE_DONE) return sqlite_db_failure(results, "read");
  if (*checksum == 0) return SERVICE_OK;
  return sqlite_db_run(results, "UPDATE runs SET checksum = ?3 WHERE job = ?1 AND attempt = ?2", "tii", run->id,
                       (sqlite3_int64)run->attempt, (sqlite3_int64)*checksum);
}

/* ---- dropping ---------------------------------------------------------------------------------------------------- */

/* Deletes some blobs of one of the two kinds. */
static service_status drop_blobs(sqlite_db *results, const char *sql, const char *job, int first, int last,
                                 bool *more) {
  service_status status =
      sqlite_db_run(results, sql, "tiii", job, (sqlite3_int64)first, (sqlite3_int64)last, (sqlite3_int64)DROP_BLOBS);
  *more = *more || (status == SERVICE_OK && sqlite3_changes(results->handle) == DROP_BLOBS);
  return status;
}

service_status sqlite_results_drop(sqlite_db *results, const char *job, int first, int last, bool *more) {
  *more = false;
  service_status status = drop_blobs(results,
                                     "DELETE FROM parts WHERE id IN (SELECT p.id FROM runs r JOIN parts p"
                                     " ON p.run = r.id WHERE r.job = ?1 AND r.attempt BETWEEN ?2 AND ?3 LIMIT ?4)",
                                     job, first, last, more);
  if (status == SERVICE_OK)
    status = drop_blobs(results,
                        "DELETE FROM tiles WHERE id IN (SELECT t.id FROM runs r JOIN tiles t ON t.run = r.id"
                        " WHERE r.job = ?1 AND r.attempt BETWEEN ?2 AND ?3 LIMIT ?4)",
                        job, first, last, more);
  if (status != SERVICE_OK || *more) return status;
  return sqlite_db_run(results, "DELETE FROM runs WHERE job = ?1 AND attempt BETWEEN ?2 AND ?3", "tii", job,
                       (sqlite3_int64)first, (sqlite3_int64)last);
}

typedef struct forget_command {
  sqlite_command command;
  sqlite_store *store;
  char job[SERVICE_ID_SIZE];
  int first, last;
  bool more; /* more remains to be dropped */
} forget_command;

static service_status forget_execute(sqlite_command *command, sqlite_db *db) {
  forget_command *self = (forget_command *)command;
  return sqlite_results_drop(db, self->job, self->first, self->last, &self->more);
}

static void forget_done(sqlite_command *command, service_status status) {
  forget_command *self = (forget_command *)command;
  sqlite_store *store = self->store;
  if (status == SERVICE_NO_SPACE && !sqlite_disk_reserve_give_up(&store->room)) {
    sqlite_writer_post_later(&store->results_writer, command); /* runs again when there may be space */
  } else if (status == SERVICE_NO_SPACE || (status == SERVICE_OK && self->more)) {
    sqlite_writer_post(&store->results_writer, command);
  } else {
    /* Free pages inside the file would not free disk space. The next start drops the remaining results. */
    if (status == SERVICE_OK && sqlite_vacuum_due(store, &store->results_writer.db))
      sqlite_vacuum(store, &store->results_writer);
    free(self);
  }
}

void sqlite_results_forget(sqlite_store *store, const char *job, int first, int last) {
  forget_command *self = malloc(sizeof *self);
  if (!self) return; /* the next start drops it */
  *self = (forget_command){.command = {forget_execute, forget_done, 0, SERVICE_OK, NULL, false},
                           .store = store,
                           .first = first,
                           .last = last};
  strncpy(self->job, job, SERVICE_ID_SIZE - 1);
  sqlite_writer_post(&store->results_writer, &self->command);
}
