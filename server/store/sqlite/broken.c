/* broken.c - see broken.h. */
#include "server/store/sqlite/broken.h"

#include "server/store/sqlite/queue.h"
#include "server/store/sqlite/results.h"
#include "server/store/sqlite/state.h"

#include <string.h>

/* ---- what is whole ----------------------------------------------------------------------------------------------- */

static service_status find_run(sqlite_db *results, const store_run *run, sqlite3_int64 *row) {
  sqlite3_stmt *query = sqlite_db_query(results, "SELECT id FROM runs WHERE job = ? AND attempt = ?", "ti", run->id,
                                        (sqlite3_int64)run->attempt);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  *row = code == SQLITE_ROW ? sqlite3_column_int64(query, 0) : 0;
  sqlite3_reset(query);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(results, "read");
}

service_status sqlite_results_cut(sqlite_db *results, const store_run *run) {
  sqlite3_int64 row;
  service_status status = find_run(results, run, &row);
  if (status != SERVICE_OK || row == 0) return status;
  status = sqlite_db_run(results,
                         "DELETE FROM arrays WHERE run = ?1 AND timeless AND 8 * shape0 * columns <>"
                         " (SELECT coalesce(sum(length(data)), 0) FROM tiles t"
                         " WHERE t.run = arrays.run AND t.position = arrays.position)",
                         "i", row);
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(results,
                       "UPDATE arrays SET shape0 = (SELECT min(shape0) FROM arrays WHERE run = ?1 AND NOT timeless)"
                       " WHERE run = ?1 AND NOT timeless",
                       "i", row);
}

/* ---- after a start ----------------------------------------------------------------------------------------------- */

/* The next run after `*row` that may be left over. NOT_FOUND: there is none. */
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

/* The time of the last row of a run, if it has any. */
static bool last_time(sqlite_db *results, sqlite3_int64 row, double *t) {
  sqlite3_stmt *query = sqlite_db_query(results,
                                        "SELECT t.data, a.shape0 - t.tile * a.tile_rows FROM arrays a JOIN tiles t"
                                        " ON t.run = a.run AND t.position = a.position"
                                        " WHERE a.run = ? AND a.name = 'T' AND t.tile * a.tile_rows < a.shape0"
                                        " ORDER BY t.tile DESC LIMIT 1",
                                        "i", row);
  bool found = query && sqlite3_step(query) == SQLITE_ROW;
  if (found)
    memcpy(t, (const char *)sqlite3_column_blob(query, 0) + 8 * (sqlite3_column_int64(query, 1) - 1), sizeof *t);
  sqlite3_reset(query);
  return found;
}

service_status sqlite_results_time(sqlite_db *results, const store_run *run, double *t, bool *found) {
  sqlite3_int64 row;
  service_status status = find_run(results, run, &row);
  *found = status == SERVICE_OK && row != 0 && last_time(results, row, t);
  return status;
}

/* A job that ended without its worker's word has come as far as its rows. */
static service_status tell_time(sqlite_db *results, sqlite_db *queue, const store_run *run, sqlite3_int64 row) {
  double t;
  if (!last_time(results, row, &t)) return SERVICE_OK;
  return sqlite_db_run(queue,
                       "UPDATE jobs SET progress_t = ?2, error = json_set(error, '$.t', ?2) WHERE id = ?1"
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
  service_status status = tell_time(results, queue, run, row);
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
    if (status == SERVICE_OK) status = wanted ? sqlite_results_cut(results, &run) : drop(results, &run);
    if (status == SERVICE_OK && shown) status = settle(results, queue, &run, row);
    if (status != SERVICE_OK) return status;
  }
  return status == SERVICE_NOT_FOUND ? SERVICE_OK : status;
}
