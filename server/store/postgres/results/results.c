/* results.c - see results.h. */
#include "server/store/postgres/results/results.h"

#include <stdlib.h>
#include <string.h>

/* Number of parts dropped in one transaction. */
enum { DROP_PARTS = 64 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

service_status postgres_results_write(postgres_db *db, const store_part *part) {
  const store_chunk *chunk = &part->chunk;
  /* The first part creates the row of a run; it may already exist if the connection was lost. */
  return postgres_db_run(db, NULL,
                         "WITH made AS (INSERT INTO runs (job, attempt) SELECT $1, $2::int WHERE $3::int = 0"
                         " ON CONFLICT (job, attempt) DO UPDATE SET attempt = runs.attempt RETURNING id)"
                         " INSERT INTO parts (run, number, arrays, rows, bytes, checksum, layout, data)"
                         " SELECT id, $3::int, $4::bigint, $5::bigint, $6::bigint, $7::bigint, $8::bytea, $9::bytea"
                         " FROM (SELECT id FROM made UNION ALL SELECT id FROM runs WHERE job = $1"
                         " AND attempt = $2::int AND $3::int > 0) AS run ON CONFLICT DO NOTHING",
                         "tiiiiiibb", part->run.id, (int64_t)part->run.attempt, (int64_t)part->number,
                         (int64_t)chunk->arrays, (int64_t)chunk->rows, (int64_t)chunk->bytes,
                         (int64_t)store_checksum(part->layout, part->layout_size), (const void *)part->layout,
                         part->layout_size, (const void *)chunk->data.data, chunk->data.size);
}

service_status postgres_results_seal(postgres_db *db, const store_run *run, store_extent *there, uint64_t *checksum,
                                     size_t *stored) {
  *stored = 0;
  *there = (store_extent){0};
  *checksum = 0;
  PGresult *result =
      postgres_db_query(db,
                        "SELECT p.arrays, p.rows, p.bytes, p.checksum, octet_length(p.data) FROM runs r JOIN parts p"
                        " ON p.run = r.id WHERE r.job = $1 AND r.attempt = $2::int ORDER BY p.number",
                        "ti", run->id, (int64_t)run->attempt);
  if (!result) return postgres_db_failure(db);
  for (int row = 0; row < PQntuples(result); row++) {
    there->arrays += (size_t)postgres_integer(result, row, 0);
    there->rows += (size_t)postgres_integer(result, row, 1);
    there->bytes += (size_t)postgres_integer(result, row, 2);
    *checksum = store_checksum_chain(*checksum, (uint64_t)postgres_integer(result, row, 3));
    *stored += (size_t)postgres_integer(result, row, 4);
  }
  PQclear(result);
  if (*checksum == 0) return SERVICE_OK;
  return postgres_db_run(db, NULL, "UPDATE runs SET checksum = $3, settled = true WHERE job = $1 AND attempt = $2::int",
                         "tii", run->id, (int64_t)run->attempt, (int64_t)*checksum);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static service_status load_parts(postgres_db *db, store_run_index *index) {
  PGresult *result = postgres_db_query(db,
                                       "SELECT number, checksum, bytes, layout FROM parts"
                                       " WHERE run = $1 AND number >= $2::int ORDER BY number",
                                       "ii", index->row, (int64_t)index->parts);
  if (!result) return postgres_db_failure(db);
  service_status status = SERVICE_OK;
  for (int row = 0; row < PQntuples(result) && status == SERVICE_OK; row++) {
    int64_t number = postgres_integer(result, row, 0);
    const index_part part = {.id = number,
                             .number = number,
                             .checksum = (uint64_t)postgres_integer(result, row, 1),
                             .bytes = (size_t)postgres_integer(result, row, 2),
                             .layout = PQgetvalue(result, row, 3),
                             .layout_size = (size_t)PQgetlength(result, row, 3)};
    status = store_run_index_take(index, &part);
  }
  PQclear(result);
  return status;
}

service_status postgres_results_index(postgres_db *db, const store_run *run, store_run_index *index) {
  PGresult *result = postgres_db_query(db, "SELECT id, checksum FROM runs WHERE job = $1 AND attempt = $2::int", "ti",
                                       run->id, (int64_t)run->attempt);
  if (!result) return postgres_db_failure(db);
  bool found = PQntuples(result) > 0, over = found && !PQgetisnull(result, 0, 1);
  int64_t row = found ? postgres_integer(result, 0, 0) : 0;
  uint64_t seal = over ? (uint64_t)postgres_integer(result, 0, 1) : 0;
  PQclear(result);
  if (row != index->row || (index->sealed && !(over && seal == index->checksum))) store_run_index_free(index);
  if (!found) return SERVICE_NOT_FOUND;
  if (index->sealed) return SERVICE_OK;
  index->run = *run;
  index->row = row;
  service_status status = load_parts(db, index);
  if (status == SERVICE_OK && over && index->checksum != seal) status = SERVICE_DAMAGED;
  index->sealed = over;
  if (status == SERVICE_DAMAGED) store_run_index_damaged(run, NULL);
  if (status != SERVICE_OK) store_run_index_free(index);
  return status;
}

service_status postgres_results_time(postgres_db *db, const store_run *run, double *t, bool *found) {
  store_run_index index = {0};
  postgres_blob blob = {.db = db};
  index_reader reader = postgres_blob_reader(&blob);
  *found = false;
  service_status status = postgres_results_index(db, run, &index);
  if (status == SERVICE_OK) status = store_run_index_last_time(&reader, &index, t, found);
  store_run_index_free(&index);
  postgres_blob_free(&blob);
  /* Damage is reported when the results are read: the job ends anyway. */
  return status == SERVICE_NOT_FOUND || status == SERVICE_DAMAGED ? SERVICE_OK : status;
}

/* ---- dropping ---------------------------------------------------------------------------------------------------- */

typedef struct forget_command {
  postgres_command command;
  postgres_store *store;
  char job[SERVICE_ID_SIZE];
  int first, last;
  bool more; /* more remains to be dropped */
} forget_command;

static service_status forget_execute(postgres_command *command, postgres_writer *writer) {
  forget_command *self = (forget_command *)command;
  size_t count = 0;
  service_status status =
      postgres_db_run(&writer->db, &count,
                      "DELETE FROM parts WHERE (run, number) IN (SELECT p.run, p.number FROM runs r JOIN parts p"
                      " ON p.run = r.id WHERE r.job = $1 AND r.attempt BETWEEN $2::int AND $3::int LIMIT $4)",
                      "tiii", self->job, (int64_t)self->first, (int64_t)self->last, (int64_t)DROP_PARTS);
  self->more = count == DROP_PARTS;
  if (status != SERVICE_OK || self->more) return status;
  return postgres_db_run(&writer->db, NULL, "DELETE FROM runs WHERE job = $1 AND attempt BETWEEN $2::int AND $3::int",
                         "tii", self->job, (int64_t)self->first, (int64_t)self->last);
}

static void forget_done(postgres_command *command, service_status status) {
  forget_command *self = (forget_command *)command;
  if (status == SERVICE_OK && self->more)
    postgres_writer_post(&self->store->results_writer, command);
  else
    free(self); /* the maintenance drops the remaining parts */
}

void postgres_results_forget(postgres_store *store, const char *job, int first, int last) {
  forget_command *self = malloc(sizeof *self);
  if (!self) return; /* the maintenance finds it */
  *self = (forget_command){
      .command = {.execute = forget_execute, .done = forget_done}, .store = store, .first = first, .last = last};
  strncpy(self->job, job, SERVICE_ID_SIZE - 1);
  postgres_writer_post(&store->results_writer, &self->command);
}
