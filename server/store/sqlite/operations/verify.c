/* verify.c - see verify.h. */
#include "server/store/sqlite/operations/verify.h"

#include "server/store/sqlite/results/run_loading.h"

#include <string.h>

typedef struct verification {
  sqlite_db *db;
  sqlite_results_check *check;
  void (*damaged)(void *context, const char *job, int attempt, const char *array);
  void *context;
} verification;

static void tell(const verification *self, const store_run *run, const char *array) {
  self->check->damaged++;
  if (self->damaged) self->damaged(self->context, run->id, run->attempt, array);
}

static service_status verify_array(const verification *self, const store_run_index *index, const index_array *array) {
  uint64_t before = self->check->bytes;
  service_status status = sqlite_run_check(self->db, index, array, &self->check->bytes);
  self->check->arrays++;
  if (index->old) self->check->unchecked += self->check->bytes - before;
  if (status != SERVICE_DAMAGED) return status;
  tell(self, &index->run, array->head.name);
  return SERVICE_OK;
}

static service_status verify_run(const verification *self, const store_run *run) {
  store_run_index index = {0};
  service_status status = sqlite_run_load(self->db, run, &index);
  self->check->runs++;
  if (status == SERVICE_DAMAGED) tell(self, run, NULL);
  for (size_t i = 0; i < index.count && status == SERVICE_OK; i++)
    status = verify_array(self, &index, &index.arrays[i]);
  store_run_index_free(&index);
  return status == SERVICE_DAMAGED || status == SERVICE_NOT_FOUND ? SERVICE_OK : status;
}

/* Gets the run after the row `*row`. Returns NOT_FOUND if there is none. */
static service_status next_run(sqlite_db *results, store_run *run, sqlite3_int64 *row) {
  sqlite3_stmt *query =
      sqlite_db_query(results, "SELECT id, job, attempt FROM runs WHERE id > ? ORDER BY id LIMIT 1", "i", *row);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  if (code == SQLITE_ROW) {
    *row = sqlite3_column_int64(query, 0);
    *run = (store_run){.attempt = sqlite3_column_int(query, 2)};
    strncpy(run->id, (const char *)sqlite3_column_text(query, 1), SERVICE_ID_SIZE - 1);
  }
  sqlite3_reset(query);
  if (code == SQLITE_ROW) return SERVICE_OK;
  return code == SQLITE_DONE ? SERVICE_NOT_FOUND : sqlite_db_failure(results, "verify");
}

service_status sqlite_results_verify(sqlite_db *results, sqlite_results_check *check,
                                     void (*damaged)(void *context, const char *job, int attempt, const char *array),
                                     void *context) {
  *check = (sqlite_results_check){0};
  const verification self = {results, check, damaged, context};
  store_run run;
  sqlite3_int64 row = 0;
  service_status status;
  while ((status = next_run(results, &run, &row)) == SERVICE_OK)
    if ((status = verify_run(&self, &run)) != SERVICE_OK) return status;
  return status == SERVICE_NOT_FOUND ? SERVICE_OK : status;
}
