/* upkeep.c - see upkeep.h. */
#include "server/store/postgres/upkeep.h"

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/common/wait.h"
#include "server/store/postgres/health.h"
#include "server/store/postgres/results.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUND_SECONDS = 1, BATCH = 32 };

/* How often what nothing leads to is looked for, and the database measured [s]. */
static const double sweep_seconds = 20, measure_seconds = 5;
static const double day_seconds = 86400;

/* Dead rows of a hot table at which it is cleaned up without waiting for the server's autovacuum, which looks once a
 * minute. */
#define DEAD_ROWS "2000"

static bool is_stopping(postgres_upkeep *upkeep) {
  pthread_mutex_lock(&upkeep->mutex);
  bool stopping = upkeep->stopping;
  pthread_mutex_unlock(&upkeep->mutex);
  return stopping;
}

/* ---- retention --------------------------------------------------------------------------------------------------- */

/* Removes the jobs that ended first. It lasts as long as it is waited for. */
typedef struct retire_command {
  postgres_command command;
  postgres_store *store;
  store_wait wait;
  double age; /* least time since their end [s] */
  int64_t most;
  size_t count;
  char ids[BATCH][SERVICE_ID_SIZE];
} retire_command;

static const char retire[] = "WITH old AS (SELECT seq, id, status, bytes FROM jobs WHERE NOT keep AND finished > 0"
                             " AND finished < clock() - $1::float8 ORDER BY finished LIMIT $2 FOR UPDATE SKIP LOCKED),"
                             " gone AS (DELETE FROM jobs USING old WHERE jobs.seq = old.seq)"
                             " SELECT id, status, bytes FROM old WHERE pg_try_advisory_xact_lock(1835168613)";

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
    if (state < JOB_STATES) postgres_writer_count(writer, state, -1, -postgres_integer(result, row, 2));
    told = postgres_writer_tell(writer, STORE_EVENT_REMOVED, id) && told;
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

/* Returns how many went. */
static size_t remove_some(postgres_store *store, double age, size_t most) {
  retire_command self = {.command = {.execute = retire_execute, .done = retire_done},
                         .store = store,
                         .wait = STORE_WAIT_INIT,
                         .age = age,
                         .most = (int64_t)(most < BATCH ? most : BATCH)};
  postgres_writer_post(&store->results_writer, &self.command);
  return store_wait_for(&self.wait) == SERVICE_OK ? self.count : 0;
}

/* Bytes of all jobs, and how many there are. */
static bool measure_used(postgres_upkeep *upkeep, double *bytes, double *jobs) {
  PGresult *result = postgres_db_query(&upkeep->db,
                                       "SELECT sum(bytes)::float8, sum(queued + running + succeeded + failed"
                                       " + cancelled)::float8 FROM counts",
                                       "");
  if (!result) return false;
  *bytes = fmax(postgres_double(result, 0, 0), 0);
  *jobs = fmax(postgres_double(result, 0, 1), 0);
  PQclear(result);
  return true;
}

static size_t remove_old(postgres_upkeep *upkeep) {
  size_t removed = 0, now = upkeep->keep_days > 0 ? BATCH : 0;
  while (now == BATCH && !is_stopping(upkeep))
    removed += now = remove_some(upkeep->store, upkeep->keep_days * day_seconds, BATCH);
  return removed;
}

/* Removes jobs while all of them together take too many bytes, half of what is too much at a time, were they all of one
 * size. */
static size_t remove_large(postgres_upkeep *upkeep, double *over) {
  size_t removed = 0, now = 1;
  double used, jobs;
  *over = 0;
  while (upkeep->keep_bytes > 0 && !is_stopping(upkeep) && measure_used(upkeep, &used, &jobs)) {
    *over = used - (double)upkeep->keep_bytes;
    if (*over <= 0 || now == 0) break;
    double count = floor(*over / (used / fmax(jobs, 1)) / 2);
    removed += now = remove_some(upkeep->store, 0, count < 1 ? 1 : count > BATCH ? BATCH : (size_t)count);
  }
  return removed;
}

static size_t retention_round(postgres_upkeep *upkeep) {
  double over = 0, begin = srv_clock_monotonic();
  size_t old = remove_old(upkeep), large = remove_large(upkeep, &over);
  if (over > 0 && !upkeep->over_told && !is_stopping(upkeep))
    srv_log(SRV_WARNING, "more_is_kept_than_allowed",
            (srv_field[]){srv_number("bytes", over + (double)upkeep->keep_bytes),
                          srv_number("keep_bytes", (double)upkeep->keep_bytes),
                          srv_text("why", "the remaining jobs have `keep` or have not finished"),
                          {0}});
  upkeep->over_told = over > 0;
  if (old + large > 0)
    srv_log(SRV_INFO, "jobs_retired",
            (srv_field[]){srv_number("by_age", (double)old),
                          srv_number("by_size", (double)large),
                          srv_number("seconds", srv_clock_monotonic() - begin),
                          {0}});
  return old + large;
}

/* ---- what nothing leads to --------------------------------------------------------------------------------------- */

/* Runs that no job shows, will show, or waits with: of servers that died, and of jobs that were removed while they ran.
 * What a run writes that lives on is dropped with its end. */
static const char strays[] =
    "SELECT r.job, r.attempt FROM runs r LEFT JOIN jobs j ON j.id = r.job LEFT JOIN queue q ON q.id = r.job"
    " WHERE NOT r.settled AND (j.id IS NULL OR (j.status IS NOT NULL AND j.shown <> r.attempt)) LIMIT 1000";

static void drop_strays(postgres_upkeep *upkeep) {
  PGresult *result = postgres_db_query(&upkeep->db, strays, "");
  for (int row = 0; row < PQntuples(result); row++) {
    int attempt = (int)postgres_integer(result, row, 1);
    postgres_results_forget(upkeep->store, PQgetvalue(result, row, 0), attempt, attempt);
  }
  PQclear(result);
}

/* What is of no use any more, in statements of their own: none of them is needed. */
static void sweep(postgres_upkeep *upkeep) {
  postgres_db *db = &upkeep->db;
  drop_strays(upkeep);
  postgres_db_run(db, NULL, "DELETE FROM keys WHERE created < clock() - $1::float8", "d", (double)STORE_KEY_SECONDS);
  postgres_db_run(db, NULL, "DELETE FROM progress WHERE NOT EXISTS (SELECT FROM queue WHERE queue.id = progress.id)",
                  "");
  postgres_db_run(db, NULL, "DELETE FROM turns WHERE last < clock() - 3600", "");
  postgres_db_run(db, NULL, "DELETE FROM costs WHERE job < (SELECT max(seq) - 100000 FROM jobs)", "");
  /* A run whose job shows it, but which was given back before it could be settled. */
  postgres_db_run(db, NULL,
                  "UPDATE runs SET settled = true FROM jobs WHERE NOT runs.settled AND jobs.id = runs.job"
                  " AND jobs.status IS NOT NULL AND jobs.shown = runs.attempt",
                  "");
}

static void vacuum(postgres_upkeep *upkeep) {
  PGresult *result =
      postgres_db_query(&upkeep->db,
                        "SELECT 1 FROM pg_stat_user_tables WHERE schemaname = 'mbsd' AND n_dead_tup > " DEAD_ROWS
                        " AND relname IN ('queue', 'progress', 'turns', 'counts')"
                        " AND coalesce(last_vacuum < now() - interval '5 s', true)",
                        "");
  bool due = result && PQntuples(result) > 0;
  PQclear(result);
  if (due) postgres_db_script(&upkeep->db, "VACUUM (SKIP_LOCKED, TRUNCATE off) queue, progress, turns, counts");
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static void measure(postgres_upkeep *upkeep, size_t retired) {
  srv_storage sizes = {.retired = retired};
  double jobs;
  PGresult *result = postgres_db_query(
      &upkeep->db,
      "SELECT (pg_total_relation_size('queue') + pg_total_relation_size('jobs') + pg_total_relation_size('documents'))"
      "::float8, (pg_total_relation_size('parts') + pg_total_relation_size('runs'))::float8,"
      " (SELECT coalesce(min(finished), 0) FROM jobs WHERE finished > 0 AND NOT keep)",
      "");
  if (result && measure_used(upkeep, &sizes.used_bytes, &jobs)) {
    sizes.queue_bytes = postgres_double(result, 0, 0);
    sizes.results_bytes = postgres_double(result, 0, 1);
    sizes.oldest_end = postgres_double(result, 0, 2);
    postgres_health_measured(upkeep->store, &sizes);
  }
  PQclear(result);
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

/* Waits between rounds; false: the store is about to close. */
static bool wait_for_next(postgres_upkeep *upkeep) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += ROUND_SECONDS;
  pthread_mutex_lock(&upkeep->mutex);
  while (!upkeep->stopping)
    if (pthread_cond_timedwait(&upkeep->wake, &upkeep->mutex, &until) != 0) break;
  bool go_on = !upkeep->stopping;
  pthread_mutex_unlock(&upkeep->mutex);
  return go_on;
}

static void *upkeep_thread(void *context) {
  postgres_upkeep *upkeep = context;
  do {
    double now = srv_clock_monotonic();
    if (!postgres_db_connect(&upkeep->db, false)) continue;
    size_t retired = retention_round(upkeep);
    if (now >= upkeep->sweep_at) sweep(upkeep);
    if (now >= upkeep->sweep_at) upkeep->sweep_at = now + sweep_seconds;
    if (now >= upkeep->measure_at || retired > 0) {
      vacuum(upkeep);
      measure(upkeep, retired);
      upkeep->measure_at = now + measure_seconds;
    }
  } while (wait_for_next(upkeep));
  return NULL;
}

bool postgres_upkeep_start(postgres_store *store) {
  postgres_upkeep *upkeep = &store->upkeep;
  upkeep->store = store;
  upkeep->db = (postgres_db){.address = &store->address, .begin = postgres_schema_check};
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&upkeep->mutex, NULL);
  pthread_cond_init(&upkeep->wake, &monotonic);
  pthread_condattr_destroy(&monotonic);
  return pthread_create(&upkeep->thread, NULL, upkeep_thread, upkeep) == 0;
}

void postgres_upkeep_stop(postgres_store *store) {
  postgres_upkeep *upkeep = &store->upkeep;
  pthread_mutex_lock(&upkeep->mutex);
  upkeep->stopping = true;
  pthread_cond_broadcast(&upkeep->wake);
  pthread_mutex_unlock(&upkeep->mutex);
  pthread_join(upkeep->thread, NULL);
  pthread_cond_destroy(&upkeep->wake);
  pthread_mutex_destroy(&upkeep->mutex);
  postgres_db_close(&upkeep->db);
}
