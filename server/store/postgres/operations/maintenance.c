/* maintenance.c - see maintenance.h. */
#include "server/store/postgres/operations/maintenance.h"

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/common/wait.h"
#include "server/store/postgres/operations/health.h"
#include "server/store/postgres/results/results.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUND_SECONDS = 1, BATCH = 32 };

/* Intervals of the search for orphans, and of the measurement of the database [s]. */
static const double sweep_seconds = 20, measure_seconds = 5;
static const double day_seconds = 86400;

/* Time limit of a statement, of which some clean large tables [s]; the server has the same. */
static const double statement_seconds = 120;

/* Dead rows of a busy table at which it is vacuumed without waiting for the server's autovacuum, which checks once a
 * minute. */
#define DEAD_ROWS "2000"

static bool is_stopping(postgres_maintenance *maintenance) {
  pthread_mutex_lock(&maintenance->mutex);
  bool stopping = maintenance->stopping;
  pthread_mutex_unlock(&maintenance->mutex);
  return stopping;
}

/* ---- retention --------------------------------------------------------------------------------------------------- */

/* Removes the jobs that ended first. The caller waits, so the command is on its stack. */
typedef struct retire_command {
  postgres_command command;
  postgres_store *store;
  store_wait wait;
  double age; /* minimum time since their end [s] */
  int64_t most;
  size_t count;
  char ids[BATCH][SERVICE_ID_SIZE];
} retire_command;

static const char retire[] =
    "WITH old AS (SELECT seq, id, status, bytes, client FROM jobs WHERE (SELECT pg_try_advisory_xact_lock(1835168613))"
    " AND NOT keep AND finished > 0 AND finished < clock() - $1::float8 ORDER BY finished LIMIT $2"
    " FOR UPDATE SKIP LOCKED), gone AS (DELETE FROM jobs USING old WHERE jobs.seq = old.seq)"
    " SELECT id, status, bytes, client FROM old";

static service_status retire_execute(postgres_command *command, postgres_writer *writer) {
  retire_command *self = (retire_command *)command;
  self->count = 0;
  PGresult *result = postgres_db_query(&writer->db, retire, "di", self->age, self->most);
  if (!result) return postgres_db_failure(&writer->db);
  bool told = true;
  for (int row = 0; row < PQntuples(result) && self->count < BATCH; row++) {
    char *id = self->ids[self->count++];
    postgres_copy(result, row, 0, id, SERVICE_ID_SIZE);
    job_state state = job_state_find(PQgetvalue(result, row, 1));
    const int64_t bytes = postgres_integer(result, row, 2);
    if (state < JOB_STATES) postgres_writer_count(writer, state, -1, -bytes);
    told = postgres_writer_use(writer, PQgetvalue(result, row, 3), -bytes, 0) &&
           postgres_writer_notify(writer, STORE_EVENT_REMOVED, id) && told;
  }
  PQclear(result);
  return told ? SERVICE_OK : SERVICE_FAILED;
}

static void retire_done(postgres_command *command, service_status status) {
  retire_command *self = (retire_command *)command;
  for (size_t i = 0; status == SERVICE_OK && i < self->count; i++)
    postgres_results_forget(self->store, self->ids[i], 0, INT_MAX);
  store_wait_done(&self->wait, status);
}

/* Returns the number of removed jobs. */
static size_t remove_some(postgres_store *store, double age, size_t most) {
  retire_command self = {.command = {.execute = retire_execute, .done = retire_done},
                         .store = store,
                         .wait = STORE_WAIT_INIT,
                         .age = age,
                         .most = (int64_t)(most < BATCH ? most : BATCH)};
  postgres_writer_post(&store->results_writer, &self.command);
  return store_wait_for(&self.wait) == SERVICE_OK ? self.count : 0;
}

/* Gets the bytes of all jobs, and their number. */
static bool measure_used(postgres_maintenance *maintenance, double *bytes, double *jobs) {
  PGresult *result = postgres_db_query(&maintenance->db,
                                       "SELECT sum(bytes)::float8, sum(queued + running + succeeded + failed"
                                       " + cancelled)::float8 FROM counts",
                                       "");
  if (!result) return false;
  *bytes = fmax(postgres_double(result, 0, 0), 0);
  *jobs = fmax(postgres_double(result, 0, 1), 0);
  PQclear(result);
  return true;
}

static size_t remove_old(postgres_maintenance *maintenance) {
  size_t removed = 0, now = maintenance->keep_days > 0 ? BATCH : 0;
  while (now == BATCH && !is_stopping(maintenance))
    removed += now = remove_some(maintenance->store, maintenance->keep_days * day_seconds, BATCH);
  return removed;
}

/* Removes jobs while their total size exceeds the limit; each time half of the excess if all jobs had the same size. */
static size_t remove_large(postgres_maintenance *maintenance, double *over) {
  size_t removed = 0, now = 1;
  double used, jobs;
  *over = 0;
  while (maintenance->keep_bytes > 0 && !is_stopping(maintenance) && measure_used(maintenance, &used, &jobs)) {
    *over = used - (double)maintenance->keep_bytes;
    if (*over <= 0 || now == 0) break;
    double count = floor(*over / (used / fmax(jobs, 1)) / 2);
    removed += now = remove_some(maintenance->store, 0, count < 1 ? 1 : count > BATCH ? BATCH : (size_t)count);
  }
  return removed;
}

static size_t retention_round(postgres_maintenance *maintenance) {
  double over = 0, begin = srv_clock_monotonic();
  size_t old = remove_old(maintenance), large = remove_large(maintenance, &over);
  if (over > 0 && !maintenance->over_told && !is_stopping(maintenance))
    srv_log(SRV_WARNING, "more_is_kept_than_allowed",
            (srv_field[]){srv_number("bytes", over + (double)maintenance->keep_bytes),
                          srv_number("keep_bytes", (double)maintenance->keep_bytes),
                          srv_text("why", "the remaining jobs have `keep` or have not finished"),
                          {0}});
  maintenance->over_told = over > 0;
  if (old + large > 0)
    srv_log(SRV_INFO, "jobs_retired",
            (srv_field[]){srv_number("by_age", (double)old),
                          srv_number("by_size", (double)large),
                          srv_number("seconds", srv_clock_monotonic() - begin),
                          {0}});
  return old + large;
}

/* ---- rows without a job ------------------------------------------------------------------------------------------ */

/* Runs that no job shows or will show, or waits with: of servers that died, and of jobs removed while they ran. The
 * results of a run that is alive are dropped at its end. */
static const char orphans[] =
    "SELECT r.job, r.attempt FROM runs r LEFT JOIN jobs j ON j.id = r.job LEFT JOIN queue q ON q.id = r.job"
    " WHERE NOT r.settled AND (j.id IS NULL OR (j.status IS NOT NULL AND j.shown <> r.attempt)) LIMIT 1000";

static void drop_orphans(postgres_maintenance *maintenance) {
  PGresult *result = postgres_db_query(&maintenance->db, orphans, "");
  for (int row = 0; row < PQntuples(result); row++) {
    int attempt = (int)postgres_integer(result, row, 1);
    postgres_results_forget(maintenance->store, PQgetvalue(result, row, 0), attempt, attempt);
  }
  PQclear(result);
}

/* Joins the parts of clients that were idle for a day; of those that have no jobs nothing remains. */
static const char join_parts[] =
    "WITH idle AS (SELECT client, part FROM client_use WHERE day < today() - 1 ORDER BY client, part"
    " FOR UPDATE SKIP LOCKED), gone AS (DELETE FROM client_use USING idle WHERE client_use.client = idle.client"
    " AND client_use.part = idle.part RETURNING client_use.client, bytes)"
    " INSERT INTO client_use AS used (client, part, bytes, day) SELECT client, 0, sum(bytes)::bigint, today() FROM gone"
    " GROUP BY client HAVING sum(bytes) <> 0"
    " ON CONFLICT (client, part) DO UPDATE SET bytes = used.bytes + excluded.bytes";

/* Deletes unneeded rows, in separate statements, because each may fail without harm. */
static void sweep(postgres_maintenance *maintenance) {
  postgres_db *db = &maintenance->db;
  drop_orphans(maintenance);
  postgres_db_run(db, NULL, "DELETE FROM keys WHERE created < clock() - $1::float8", "d", (double)STORE_KEY_SECONDS);
  postgres_db_run(db, NULL, "DELETE FROM progress WHERE NOT EXISTS (SELECT FROM queue WHERE queue.id = progress.id)",
                  "");
  postgres_db_run(db, NULL, "DELETE FROM turns WHERE last < clock() - 3600", "");
  postgres_db_run(db, NULL, join_parts, "");
  postgres_db_run(db, NULL, "DELETE FROM costs WHERE job < (SELECT max(seq) - 100000 FROM jobs)", "");
  /* Settles a run that its job shows, but that was given back before it could be settled. */
  postgres_db_run(db, NULL,
                  "UPDATE runs SET settled = true FROM jobs WHERE NOT runs.settled AND jobs.id = runs.job"
                  " AND jobs.status IS NOT NULL AND jobs.shown = runs.attempt",
                  "");
}

static void vacuum(postgres_maintenance *maintenance) {
  PGresult *result =
      postgres_db_query(&maintenance->db,
                        "SELECT 1 FROM pg_stat_user_tables WHERE schemaname = 'mbsd' AND n_dead_tup > " DEAD_ROWS
                        " AND relname IN ('queue', 'progress', 'turns', 'counts', 'client_use')"
                        " AND coalesce(last_vacuum < now() - interval '5 s', true)",
                        "");
  bool due = result && PQntuples(result) > 0;
  PQclear(result);
  if (due)
    postgres_db_script(&maintenance->db,
                       "VACUUM (SKIP_LOCKED, TRUNCATE off) queue, progress, turns, counts, client_use");
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static void measure(postgres_maintenance *maintenance, size_t retired) {
  srv_storage sizes = {.retired = retired};
  double jobs;
  PGresult *result = postgres_db_query(
      &maintenance->db,
      "SELECT (pg_total_relation_size('queue') + pg_total_relation_size('jobs') + pg_total_relation_size('documents'))"
      "::float8, (pg_total_relation_size('parts') + pg_total_relation_size('runs'))::float8,"
      " (SELECT coalesce(min(finished), 0) FROM jobs WHERE finished > 0 AND NOT keep)",
      "");
  if (result && measure_used(maintenance, &sizes.used_bytes, &jobs)) {
    sizes.queue_bytes = postgres_double(result, 0, 0);
    sizes.results_bytes = postgres_double(result, 0, 1);
    sizes.oldest_end = postgres_double(result, 0, 2);
    postgres_health_measured(maintenance->store, &sizes);
  }
  PQclear(result);
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

/* Waits between rounds. Returns false if the store is about to close. */
static bool wait_for_next(postgres_maintenance *maintenance) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += ROUND_SECONDS;
  pthread_mutex_lock(&maintenance->mutex);
  while (!maintenance->stopping)
    if (pthread_cond_timedwait(&maintenance->wake, &maintenance->mutex, &until) != 0) break;
  bool go_on = !maintenance->stopping;
  pthread_mutex_unlock(&maintenance->mutex);
  return go_on;
}

static void *maintenance_thread(void *context) {
  postgres_maintenance *maintenance = context;
  do {
    double now = srv_clock_monotonic();
    if (!postgres_db_connect(&maintenance->db, false)) continue;
    size_t retired = retention_round(maintenance);
    if (now >= maintenance->sweep_at) sweep(maintenance);
    if (now >= maintenance->sweep_at) maintenance->sweep_at = now + sweep_seconds;
    if (now >= maintenance->measure_at || retired > 0) {
      vacuum(maintenance);
      measure(maintenance, retired);
      maintenance->measure_at = now + measure_seconds;
    }
  } while (wait_for_next(maintenance));
  return NULL;
}

bool postgres_maintenance_start(postgres_store *store) {
  postgres_maintenance *maintenance = &store->maintenance;
  maintenance->store = store;
  maintenance->db =
      (postgres_db){.address = &store->address, .begin = postgres_schema_check, .seconds = statement_seconds};
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&maintenance->mutex, NULL);
  pthread_cond_init(&maintenance->wake, &monotonic);
  pthread_condattr_destroy(&monotonic);
  return pthread_create(&maintenance->thread, NULL, maintenance_thread, maintenance) == 0;
}

void postgres_maintenance_stop(postgres_store *store) {
  postgres_maintenance *maintenance = &store->maintenance;
  pthread_mutex_lock(&maintenance->mutex);
  maintenance->stopping = true;
  pthread_cond_broadcast(&maintenance->wake);
  pthread_mutex_unlock(&maintenance->mutex);
  pthread_join(maintenance->thread, NULL);
  pthread_cond_destroy(&maintenance->wake);
  pthread_mutex_destroy(&maintenance->mutex);
  postgres_db_close(&maintenance->db);
}
