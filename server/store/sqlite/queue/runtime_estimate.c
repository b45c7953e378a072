/* runtime_estimate.c - see runtime_estimate.h.
 *
 * A rate [s for a unit of span] is written only if it differs by a factor of two: so the end of a job seldom causes
 * another database change, and the queue is not scanned each time. The computation time is used, if it is known,
 * because the times of the worker and the disk do not depend on the kind of job. */
#include "server/store/sqlite/queue/runtime_estimate.h"

enum { JOBS_REMEMBERED = 100000 };

/* Without a rate a job takes its submitted estimate; an unknown (infinite) time is not short. */
service_status sqlite_runtime_expect(sqlite_db *queue, const service_cost *cost, sqlite3_int64 *brief) {
  *brief = cost->seconds <= STORE_SHORT_SECONDS;
  if (cost->kind == 0) return SERVICE_OK;
  sqlite3_stmt *query = sqlite_db_query(queue, "SELECT rate * ?1 <= ?2 FROM costs WHERE kind = ?3", "ddi", cost->span,
                                        STORE_SHORT_SECONDS, (sqlite3_int64)cost->kind);
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  if (code == SQLITE_ROW) *brief = sqlite3_column_int64(query, 0);
  sqlite3_reset(query);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(queue, "costs");
}

service_status sqlite_runtime_learn(sqlite_db *queue, const char *id, double seconds) {
  service_status status = sqlite_db_run(
      queue,
      "INSERT INTO costs (kind, rate, job)"
      " SELECT kind, max(CASE WHEN ?2 > 0 THEN ?2 ELSE finished - started END, 1e-4) / span, seq FROM jobs"
      " WHERE id = ?1 AND kind <> 0 AND runs = 0 AND status <> 'cancelled'"
      " ON CONFLICT (kind) DO UPDATE SET rate = excluded.rate, job = excluded.job"
      " WHERE excluded.rate > 2 * rate OR excluded.rate < 0.5 * rate OR excluded.job > job + 1000",
      "td", id, seconds);
  if (status != SERVICE_OK || sqlite3_changes(queue->handle) == 0) return status;
  return sqlite_db_run(queue,
                       "UPDATE jobs SET short = (c.rate * jobs.span <= ?2) FROM jobs AS seen, costs AS c"
                       " WHERE seen.id = ?1 AND c.kind = seen.kind AND jobs.status = 'queued' AND jobs.kind = "
                       "seen.kind AND jobs.runs = 0"
                       " AND jobs.runs = 0 AND jobs.short <> (c.rate * jobs.span <= ?2)",
                       "td", id, STORE_SHORT_SECONDS);
}

service_status sqlite_runtime_forget(sqlite_db *queue) {
  return sqlite_db_run(queue, "DELETE FROM costs WHERE job < (SELECT max(seq) - ?1 FROM jobs)", "i",
                       (sqlite3_int64)JOBS_REMEMBERED);
}
