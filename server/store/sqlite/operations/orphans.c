/* orphans.c - see orphans.h. */
#include "server/store/sqlite/operations/orphans.h"

#include "server/store/sqlite/queue/job_rows.h"
#include "server/store/store.h"

#include <stdbool.h>
#include <string.h>

typedef struct settled_run {
  sqlite3_int64 row;
  char job[SERVICE_ID_SIZE];
  sqlite3_int64 attempt;
} settled_run;

/* Gets the next settled run. Returns NOT_FOUND if there is none. */
static service_status next_settled(sqlite_db *results, settled_run *run) {
  sqlite3_stmt *query = sqlite_db_query(
      results, "SELECT id, job, attempt FROM runs WHERE settled = 1 AND id > ? ORDER BY id LIMIT 1", "i", run->row);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  if (code == SQLITE_ROW) {
    *run = (settled_run){.row = sqlite3_column_int64(query, 0), .attempt = sqlite3_column_int64(query, 2)};
    strncpy(run->job, (const char *)sqlite3_column_text(query, 1), SERVICE_ID_SIZE - 1);
  }
  sqlite3_reset(query);
  if (code == SQLITE_ROW) return SERVICE_OK;
  return code == SQLITE_DONE ? SERVICE_NOT_FOUND : sqlite_db_failure(results, "read the runs");
}

/* Sets `found` to true if a query finds a row. */
static service_status finds(sqlite_db *db, sqlite3_stmt *query, bool *found) {
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  *found = code == SQLITE_ROW;
  sqlite3_reset(query);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(db, "read the runs");
}

/* Determines whether no job shows the run; a damaged job may show it. Examines the run again after its job, because a
 * removal unsettles the runs before it removes the job. */
static service_status is_orphan(sqlite_db *queue, sqlite_db *results, const settled_run *run, bool *orphan) {
  bool shown;
  *orphan = false;
  service_status status =
      finds(queue,
            sqlite_db_query(queue, "SELECT 1 FROM jobs WHERE id = ? AND (shown = ? OR NOT " SQLITE_JOB_IS_WHOLE ")",
                            "ti", run->job, run->attempt),
            &shown);
  if (status != SERVICE_OK || shown) return status;
  return finds(results, sqlite_db_query(results, "SELECT 1 FROM runs WHERE id = ? AND settled = 1", "i", run->row),
               orphan);
}

service_status sqlite_orphans_count(sqlite_db *queue, sqlite_db *results, size_t *count) {
  settled_run run = {.row = 0};
  service_status status;
  *count = 0;
  while ((status = next_settled(results, &run)) == SERVICE_OK) {
    bool orphan;
    status = is_orphan(queue, results, &run, &orphan);
    if (status != SERVICE_OK) return status;
    *count += orphan;
  }
  return status == SERVICE_NOT_FOUND ? SERVICE_OK : status;
}
