/* interrupted_runs.c - see interrupted_runs.h. */
#include "server/store/sqlite/results/interrupted_runs.h"

#include "server/store/sqlite/queue/queue.h"
#include "server/store/sqlite/results/results.h"
#include "server/store/sqlite/results/run_loading.h"

#include <string.h>

/* ---- after a start ----------------------------------------------------------------------------------------------- */

/* Gets the next unsettled run after `*row`. Returns NOT_FOUND if there is none. */
static service_status next_unsettled(sqlite_db *results, store_run *run, sqlite3_int64 *row) {
  sqlite3_stmt *query = sqlite_db_query(
      results, "SELECT id, job, attempt FROM runs WHERE settled = 0 AND id > ? ORDER BY id LIMIT 1", "i", *row);
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  if (code == SQLITE_ROW) {
    *row = sqlite3_column_int64(query, 0);
    *run = (store_run){.attempt = sqlite3_column_int(query, 2)};
    strncpy(run->id, (const char *)sqlite3_column_text(query, 1), SERVICE_ID_SIZE - 1);
  }
  sqlite3_reset(query);
  if (code == SQLITE_DONE) return SERVICE_NOT_FOUND;
  return code == SQLITE_ROW ? SERVICE_OK : sqlite_db_failure(results, "recovery");
}

service_status sqlite_results_time(sqlite_db *results, const store_run *run, double *t, bool *found) {
  store_run_index index = {0};
  *found = false;
  service_status status = sqlite_run_load(results, run, &index);
  if (status == SERVICE_OK) status = sqlite_run_last_time(results, &index, t, found);
  store_run_index_free(&index);
  /* Damage is reported when the results are read: the job ends anyway. */
  return status == SERVICE_NOT_FOUND || status == SERVICE_DAMAGED ? SERVICE_OK : status;
}

/* Sets the time of a job that ended without a report of its worker to that of its last row. */
static service_status tell_time(sqlite_db *results, sqlite_db *queue, const store_run *run) {
  double t;
  bool found;
  service_status status = sqlite_results_time(results, run, &t, &found);
  if (!found) return status;
  return sqlite_db_run(queue,
                       "UPDATE jobs SET progress_t = ?2, error = json_set(error, '$.t', ?2)"
                       " WHERE id = ?1"
                       " AND report IS NULL AND error IS NOT NULL AND json_extract(error, '$.t') IS NULL",
                       "td", run->id, t);
}

static service_status drop(sqlite_db *results, const store_run *run) {
  service_status status = SERVICE_OK;
  for (bool more = true; more && status == SERVICE_OK;)
    status = sqlite_results_drop(results, run->id, run->attempt, run->attempt, &more);
  return status;
}

static service_status settle(sqlite_db *results, sqlite_db *queue, const store_run *run, sqlite3_int64 row) {
  store_extent there;
  uint64_t checksum;
  size_t stored;
  service_status status = tell_time(results, queue, run);
  if (status == SERVICE_OK) status = sqlite_results_seal(results, run, &there, &checksum, &stored);
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(results, "UPDATE runs SET settled = 1 WHERE id = ?", "i", row);
}

service_status sqlite_results_recover(sqlite_db *results, sqlite_db *queue) {
  store_run run;
  sqlite3_int64 row = 0;
  service_status status;
  while ((status = next_unsettled(results, &run, &row)) == SERVICE_OK) {
    bool wanted, shown;
    status = sqlite_queue_wants(queue, &run, &wanted, &shown);
    if (status == SERVICE_OK && !wanted) status = drop(results, &run);
    if (status == SERVICE_OK && shown) status = settle(results, queue, &run, row);
    if (status != SERVICE_OK) return status;
  }
  return status == SERVICE_NOT_FOUND ? SERVICE_OK : status;
}
