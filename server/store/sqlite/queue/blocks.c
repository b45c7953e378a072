/* blocks.c - see blocks.h. */
#include "server/store/sqlite/queue/blocks.h"

#include "server/base/log.h"
#include "server/store/common/block_copy.h"
#include "server/store/sqlite/operations/vacuum.h"

#include <stdlib.h>
#include <string.h>

/* Number of blocks dropped in one transaction. */
enum { DROP_BLOCKS = 64 };

/* ---- finish_block ------------------------------------------------------------------------------------------------ */

typedef struct block_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  store_run run;
  store_block block; /* data and report are copies, stored after this struct */
} block_command;

/* Keeps the longer of two blocks that begin at the same run: the runs that only it has may not be computed
 * again. */
static service_status keep_execute(sqlite_command *command, sqlite_db *db) {
  const block_command *self = (const block_command *)command;
  const store_block *block = &self->block;
  return sqlite_db_run(db,
                       "INSERT INTO blocks (job, first, runs, columns, checksum, report, data)"
                       " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job, first) DO UPDATE SET runs = excluded.runs,"
                       " columns = excluded.columns, checksum = excluded.checksum, report = excluded.report,"
                       " data = excluded.data WHERE excluded.runs > blocks.runs",
                       "tiiiitb", self->run.id, (sqlite3_int64)block->first, (sqlite3_int64)block->runs,
                       (sqlite3_int64)block->columns, (sqlite3_int64)store_block_checksum(block), block->report,
                       (const void *)block->data, store_block_bytes(block));
}

/* Resets the count of interruptions of a study that progresses between them: it is not the one that kills the
 * service. */
typedef struct forgive_command {
  sqlite_command command;
  char id[SERVICE_ID_SIZE];
} forgive_command;

static service_status forgive_execute(sqlite_command *command, sqlite_db *db) {
  const forgive_command *self = (const forgive_command *)command;
  return sqlite_db_run(db, "UPDATE jobs SET interruptions = 0 WHERE id = ? AND interruptions > 0", "t", self->id);
}

static void forgive_done(sqlite_command *command, service_status status) {
  (void)status; /* after a failure the old count remains, and the next interruption adds to it */
  free(command);
}

static void forgive(sqlite_store *store, const char *id) {
  forgive_command *self = malloc(sizeof *self);
  if (!self) return;
  *self = (forgive_command){.command = {forgive_execute, forgive_done, 0, SERVICE_OK, NULL, true}};
  memcpy(self->id, id, SERVICE_ID_SIZE);
  sqlite_writer_post(&store->queue_writer, &self->command);
}

static void keep_done(sqlite_command *command, service_status status) {
  block_command *self = (block_command *)command;
  sqlite_store *store = self->store;
  if (status == SERVICE_OK) {
    if (sqlite_studies_done(&store->studies, &self->run, &self->block)) forgive(store, self->run.id);
    sqlite_writer_wake(&store->queue_writer); /* more of its runs may be missing than before */
    store_subscribers_notify(&store->subscribers, STORE_EVENT_PROGRESS, self->run.id);
  }
  self->done(self->context, status);
  free(self);
}

static void finish_block(srv_store *verbs, const store_run *run, const store_block *block, store_done done,
                         void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  size_t bytes = store_block_copy_size(block);
  service_status refused = !sqlite_studies_has(&store->studies, run->id)             ? SERVICE_NOT_FOUND
                           : !sqlite_disk_reserve_has(&store->room, 2 * bytes, true) ? SERVICE_NO_SPACE
                                                                                     : SERVICE_OK;
  block_command *self = refused == SERVICE_OK ? malloc(sizeof *self + bytes) : NULL;
  if (!self) {
    done(context, refused == SERVICE_OK ? SERVICE_FAILED : refused);
    return;
  }
  /* A power failure may lose this change: then the block is computed again. */
  *self = (block_command){{keep_execute, keep_done, bytes, SERVICE_OK, NULL, true},
                          store,
                          done,
                          context,
                          *run,
                          store_block_copy(block, self + 1)};
  sqlite_writer_post(&store->results_writer, &self->command);
}

/* ---- block ------------------------------------------------------------------------------------------------------- */

/* Reads the block of a row: first, runs, columns, checksum, report, data. */
static service_status take_row(sqlite3_stmt *row, store_block *out) {
  *out = (store_block){.first = (size_t)sqlite3_column_int64(row, 0),
                       .runs = (size_t)sqlite3_column_int64(row, 1),
                       .columns = (size_t)sqlite3_column_int64(row, 2)};
  const char *report = (const char *)sqlite3_column_text(row, 4);
  const void *data = sqlite3_column_blob(row, 5);
  return store_block_load(out, report, data, (size_t)sqlite3_column_bytes(row, 5),
                          (uint64_t)sqlite3_column_int64(row, 3));
}

/* Reads the block of a query, if it has runs after `from`. Returns NOT_FOUND otherwise. */
static service_status read_row(sqlite_db *db, sqlite3_stmt *query, size_t from, store_block *out) {
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  service_status status = code == SQLITE_DONE ? SERVICE_NOT_FOUND : SERVICE_OK;
  if (code != SQLITE_ROW && code != SQLITE_DONE) status = sqlite_db_failure(db, "read");
  if (code == SQLITE_ROW && (size_t)(sqlite3_column_int64(query, 0) + sqlite3_column_int64(query, 1)) <= from)
    status = SERVICE_NOT_FOUND;
  if (status == SERVICE_OK) status = take_row(query, out);
  sqlite3_reset(query);
  return status;
}

#define BLOCK "SELECT first, runs, columns, checksum, report, data FROM blocks WHERE job = ? AND first "

static service_status find_block(sqlite_store *store, const char *id, size_t from, store_block *out) {
  sqlite_db *db = &store->results_reader.db;
  pthread_mutex_lock(&store->results_reader.mutex);
  service_status status = read_row(
      db, sqlite_db_query(db, BLOCK "<= ? ORDER BY first DESC LIMIT 1", "ti", id, (sqlite3_int64)from), from, out);
  if (status == SERVICE_NOT_FOUND)
    status =
        read_row(db, sqlite_db_query(db, BLOCK "> ? ORDER BY first LIMIT 1", "ti", id, (sqlite3_int64)from), from, out);
  pthread_mutex_unlock(&store->results_reader.mutex);
  return status;
}

typedef struct drop_command {
  sqlite_command command;
  sqlite_store *store;
  char job[SERVICE_ID_SIZE];
  sqlite3_int64 from, count; /* runs of the blocks to be dropped */
  bool more;
} drop_command;

static service_status drop_execute(sqlite_command *command, sqlite_db *db) {
  drop_command *self = (drop_command *)command;
  service_status status = sqlite_db_run(db,
                                        "DELETE FROM blocks WHERE rowid IN (SELECT rowid FROM blocks WHERE job = ?"
                                        " AND first + runs > ? AND first < ? LIMIT ?)",
                                        "tiii", self->job, self->from, self->count, (sqlite3_int64)DROP_BLOCKS);
  self->more = status == SERVICE_OK && sqlite3_changes(db->handle) == DROP_BLOCKS;
  return status;
}

static void drop_done(sqlite_command *command, service_status status) {
  drop_command *self = (drop_command *)command;
  sqlite_store *store = self->store;
  if (status == SERVICE_OK && self->more) {
    sqlite_writer_post(&store->results_writer, command);
    return;
  }
  /* The next start drops the remaining blocks. */
  if (status == SERVICE_OK && sqlite_vacuum_due(store, &store->results_writer.db))
    sqlite_vacuum(store, &store->results_writer);
  free(self);
}

/* Drops the blocks that contain runs first, ..., end - 1. */
static void drop_blocks(sqlite_store *store, const char *id, size_t first, size_t end) {
  drop_command *self = calloc(1, sizeof *self);
  if (!self) return;
  self->command = (sqlite_command){drop_execute, drop_done, 0, SERVICE_OK, NULL, true};
  self->store = store;
  self->from = (sqlite3_int64)first;
  self->count = (sqlite3_int64)end;
  strncpy(self->job, id, SERVICE_ID_SIZE - 1);
  sqlite_writer_post(&store->results_writer, &self->command);
}

/* Marks a requested run as missing if no worker computes it: its stored block is damaged, or memory ran out when it was
 * to be marked. */
static void block(srv_store *verbs, const char *id, size_t from, store_block *out, store_done done, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  /* Asked before the search: a block stored in between is not missing. */
  bool expected = sqlite_studies_expect(&store->studies, id, from);
  service_status status =
      sqlite_studies_has(&store->studies, id) ? find_block(store, id, from, out) : SERVICE_NOT_FOUND;
  if (status == SERVICE_DAMAGED) {
    srv_log(SRV_ERROR, "block_damaged", (srv_field[]){srv_text("id", id), srv_number("from", (double)from), {0}});
    drop_blocks(store, id, out->first, out->first + 1);
    sqlite_studies_miss(&store->studies, id, from);
    status = SERVICE_NOT_FOUND;
  } else if (!expected && (status == SERVICE_NOT_FOUND || (status == SERVICE_OK && out->first > from))) {
    sqlite_studies_miss(&store->studies, id, from);
  }
  done(context, status);
}

/* ---- studies ----------------------------------------------------------------------------------------------------- */

/* Removes the runs stored before a crash from the missing runs. */
static void find_done(sqlite_store *store, const char *id) {
  store_run nobody = {.attempt = 0};
  strncpy(nobody.id, id, SERVICE_ID_SIZE - 1);
  pthread_mutex_lock(&store->results_reader.mutex);
  sqlite_db *db = &store->results_reader.db;
  sqlite3_stmt *query = sqlite_db_query(db, "SELECT first, runs FROM blocks WHERE job = ? ORDER BY first", "t", id);
  while (query && sqlite3_step(query) == SQLITE_ROW) {
    store_block found = {.first = (size_t)sqlite3_column_int64(query, 0),
                         .runs = (size_t)sqlite3_column_int64(query, 1)};
    sqlite_studies_done(&store->studies, &nobody, &found);
  }
  sqlite3_reset(query);
  pthread_mutex_unlock(&store->results_reader.mutex);
}

void sqlite_blocks_begin(sqlite_store *store, const char *id, const char *client, size_t runs) {
  bool known = sqlite_studies_has(&store->studies, id);
  if (!sqlite_studies_begin(&store->studies, id, client, runs)) return; /* the coordinator's lease expires */
  if (!known) find_done(store, id);
  sqlite_writer_wake(&store->queue_writer);
}

void sqlite_blocks_end(sqlite_store *store, const char *id) {
  if (sqlite_studies_end(&store->studies, id)) drop_blocks(store, id, 0, SIZE_MAX / 2);
}

/* Gets the next job that has blocks. Returns NOT_FOUND if there is none. */
static service_status next_job(sqlite_db *results, char job[SERVICE_ID_SIZE]) {
  sqlite3_stmt *query = sqlite_db_query(results, "SELECT job FROM blocks WHERE job > ? ORDER BY job LIMIT 1", "t", job);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  if (code == SQLITE_ROW) strncpy(job, (const char *)sqlite3_column_text(query, 0), SERVICE_ID_SIZE - 1);
  sqlite3_reset(query);
  if (code == SQLITE_DONE) return SERVICE_NOT_FOUND;
  return code == SQLITE_ROW ? SERVICE_OK : sqlite_db_failure(results, "recovery");
}

service_status sqlite_blocks_recover(sqlite_db *results, sqlite_db *queue) {
  char job[SERVICE_ID_SIZE] = "";
  service_status status;
  while ((status = next_job(results, job)) == SERVICE_OK) {
    sqlite3_stmt *query = sqlite_db_query(queue, "SELECT 1 FROM jobs WHERE id = ? AND status = 'queued'", "t", job);
    int code = query ? sqlite3_step(query) : SQLITE_ERROR;
    sqlite3_reset(query);
    if (code == SQLITE_DONE) status = sqlite_db_run(results, "DELETE FROM blocks WHERE job = ?", "t", job);
    if (code != SQLITE_DONE && code != SQLITE_ROW) status = sqlite_db_failure(queue, "recovery");
    if (status != SERVICE_OK) return status;
  }
  return status == SERVICE_NOT_FOUND ? SERVICE_OK : status;
}

void sqlite_block_verbs(srv_store *verbs) {
  verbs->finish_block = finish_block;
  verbs->block = block;
}
