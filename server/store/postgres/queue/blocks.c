/* blocks.c - see blocks.h. */
#include "server/store/postgres/queue/blocks.h"

#include "server/base/log.h"
#include "server/store/common/block_copy.h"
#include "server/store/postgres/connection/notifications.h"
#include "server/store/postgres/connection/state.h"
#include "server/store/postgres/operations/health.h"
#include "server/store/postgres/queue/studies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finish_block ------------------------------------------------------------------------------------------------ */

typedef struct block_command {
  postgres_command command;
  postgres_store *store;
  store_done done;
  void *context;
  store_run run;
  store_block block; /* data and report are copies, stored after this struct */
} block_command;

/* Keeps the longer of two blocks that begin at the same run: the runs that only it has may not be computed
 * again. */
static const char keep[] =
    "INSERT INTO blocks (job, first, runs, columns, checksum, report, data) VALUES ($1, $2, $3, $4, $5, $6, $7)"
    " ON CONFLICT (job, first) DO UPDATE SET runs = excluded.runs, columns = excluded.columns,"
    " checksum = excluded.checksum, report = excluded.report, data = excluded.data WHERE excluded.runs > blocks.runs";

static service_status keep_execute(postgres_command *command, postgres_writer *writer) {
  const block_command *self = (const block_command *)command;
  const store_block *block = &self->block;
  service_status status = postgres_studies_done(writer, &self->run, block);
  if (status != SERVICE_OK) return status;
  status = postgres_db_run(&writer->db, NULL, keep, "tiiiitb", self->run.id, (int64_t)block->first,
                           (int64_t)block->runs, (int64_t)block->columns, (int64_t)store_block_checksum(block),
                           block->report, (const void *)block->data, store_block_bytes(block));
  if (status != SERVICE_OK) return status;
  return postgres_writer_notify(writer, STORE_EVENT_PROGRESS, self->run.id) ? SERVICE_OK : SERVICE_FAILED;
}

static void keep_done(postgres_command *command, service_status status) {
  block_command *self = (block_command *)command;
  if (status == SERVICE_NO_SPACE) postgres_health_full(self->store);
  self->done(self->context, status);
  free(self);
}

static void finish_block(srv_store *verbs, const store_run *run, const store_block *block, store_done done,
                         void *context) {
  postgres_store *store = (postgres_store *)verbs;
  size_t bytes = store_block_copy_size(block);
  block_command *self = malloc(sizeof *self + bytes);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (block_command){{.execute = keep_execute, .done = keep_done, .weight = bytes, .may_be_lost = true},
                          store,
                          done,
                          context,
                          *run,
                          store_block_copy(block, self + 1)};
  postgres_writer_post(&store->results_writer, &self->command);
}

/* ---- block ------------------------------------------------------------------------------------------------------- */

/* Drops a damaged block and marks it as missing. */
typedef struct miss_command {
  postgres_command command;
  char job[SERVICE_ID_SIZE];
  int64_t first;
} miss_command;

static service_status miss_execute(postgres_command *command, postgres_writer *writer) {
  const miss_command *self = (const miss_command *)command;
  service_status status =
      postgres_db_run(&writer->db, NULL,
                      "WITH dropped AS (DELETE FROM blocks WHERE job = $1 AND first = $2 RETURNING job, first, runs)"
                      " INSERT INTO ranges (job, first, until) SELECT job, first, first + runs FROM dropped",
                      "ti", self->job, self->first);
  if (status != SERVICE_OK) return status;
  return postgres_writer_notify(writer, POSTGRES_EVENT_BLOCKS, self->job) ? SERVICE_OK : SERVICE_FAILED;
}

static void miss_done(postgres_command *command, service_status status) {
  (void)status; /* the block is found again */
  free(command);
}

static void miss(postgres_store *store, const char *job, size_t first) {
  miss_command *self = calloc(1, sizeof *self);
  srv_log(SRV_ERROR, "block_damaged", (srv_field[]){srv_text("id", job), srv_number("first", (double)first), {0}});
  if (!self) return;
  *self = (miss_command){.command = {.execute = miss_execute, .done = miss_done}, .first = (int64_t)first};
  snprintf(self->job, sizeof self->job, "%s", job);
  postgres_writer_post(&store->results_writer, &self->command);
}

typedef struct block_reading {
  postgres_reading reading;
  char id[SERVICE_ID_SIZE];
  int64_t from;
  store_block *out;
} block_reading;

/* Reads the block of a row: first, runs, columns, checksum, report, data. */
static service_status take_row(const PGresult *row, store_block *out) {
  *out = (store_block){.first = (size_t)postgres_integer(row, 0, 0),
                       .runs = (size_t)postgres_integer(row, 0, 1),
                       .columns = (size_t)postgres_integer(row, 0, 2)};
  return store_block_load(out, PQgetvalue(row, 0, 4), PQgetvalue(row, 0, 5), (size_t)PQgetlength(row, 0, 5),
                          (uint64_t)postgres_integer(row, 0, 3));
}

/* Finds the block that contains a run, or else the next block. */
static const char find_block[] =
    "SELECT first, runs, columns, checksum, report, data FROM blocks WHERE job = $1 AND first >= coalesce("
    "(SELECT first FROM blocks WHERE job = $1 AND first <= $2::bigint AND first + runs > $2::bigint"
    " ORDER BY first DESC LIMIT 1), $2::bigint) ORDER BY first LIMIT 1";

static service_status block_execute(postgres_reading *reading, postgres_reader *reader) {
  block_reading *self = (block_reading *)reading;
  PGresult *result = postgres_db_query(&reader->db, find_block, "ti", self->id, self->from);
  if (!result) return postgres_db_failure(&reader->db);
  service_status status = PQntuples(result) > 0 ? take_row(result, self->out) : SERVICE_NOT_FOUND;
  PQclear(result);
  if (status != SERVICE_DAMAGED) return status;
  atomic_fetch_add(&reading->store->health.wrong_numbers, 1);
  miss(reading->store, self->id, self->out->first);
  return SERVICE_NOT_FOUND;
}

static void block(srv_store *verbs, const char *id, size_t from, store_block *out, store_done done, void *context) {
  block_reading *self = calloc(1, sizeof *self);
  if (self) {
    self->reading.execute = block_execute;
    self->reading.store = (postgres_store *)verbs;
    self->from = (int64_t)from;
    self->out = out;
    strncpy(self->id, id, SERVICE_ID_SIZE - 1);
  }
  postgres_readers_post(&((postgres_store *)verbs)->readers, self ? &self->reading : NULL, done, context);
}

void postgres_block_verbs(srv_store *verbs) {
  verbs->finish_block = finish_block;
  verbs->block = block;
}
