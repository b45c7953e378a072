/* retention.c - see retention.h. */
#include "server/store/sqlite/operations/retention.h"

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/common/wait.h"
#include "server/store/sqlite/queue/finish.h"
#include "server/store/sqlite/queue/job_rows.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* Number of jobs removed together, and maximum time to drop their results before others are removed. */
enum { BATCH = 32, DROP_SECONDS = 10 };

static const double day_seconds = 86400;

typedef struct batch {
  char ids[BATCH][SERVICE_ID_SIZE];
  size_t count;
} batch;

static bool stopping(sqlite_store *store) {
  pthread_mutex_lock(&store->health.mutex);
  bool stop = store->health.stopping;
  pthread_mutex_unlock(&store->health.mutex);
  return stop;
}

/* Returns the wall clock of the start plus monotonic time: setting the clock ages no job. */
static double even_time(const sqlite_store *store) { return srv_clock_monotonic() + store->maintenance.wall_offset; }

/* ---- used space, oldest jobs ----------------------------------------------------------------------------------- */

static double used_pages(sqlite_db *db) {
  sqlite3_int64 pages = sqlite_db_integer(db, "PRAGMA page_count"),
                free = sqlite_db_integer(db, "PRAGMA freelist_count");
  sqlite3_int64 size = sqlite_db_integer(db, "PRAGMA page_size");
  return pages < free || free < 0 ? 0 : (double)(pages - free) * (double)size;
}

double sqlite_retention_used(sqlite_store *store) {
  return used_pages(&store->maintenance.queue) + used_pages(&store->maintenance.results);
}

/* Finds the jobs that ended first, among those that ended before `before`. Skips damaged rows, whose end is unknown. */
static bool find_oldest(sqlite_db *queue, double before, size_t most, batch *out) {
  out->count = 0;
  sqlite3_stmt *query = sqlite_db_query(queue,
                                        "SELECT id FROM jobs WHERE keep = 0 AND finished > 0 AND finished < ?"
                                        " AND " SQLITE_JOB_IS_WHOLE " ORDER BY finished LIMIT ?",
                                        "di", before, (sqlite3_int64)(most < BATCH ? most : BATCH));
  int code = SQLITE_ERROR;
  while (query && (code = sqlite3_step(query)) == SQLITE_ROW && out->count < BATCH)
    strncpy(out->ids[out->count++], (const char *)sqlite3_column_text(query, 0), SERVICE_ID_SIZE - 1);
  sqlite3_reset(query);
  return code == SQLITE_DONE;
}

/* ---- removing -------------------------------------------------------------------------------------------------- */

/* Waits until the results of removed jobs are dropped, because their space is not free before. */
static void await_drop(sqlite_store *store, const batch *removed) {
  double until = srv_clock_monotonic() + DROP_SECONDS;
  for (size_t i = 0; i < removed->count && srv_clock_monotonic() < until && !stopping(store);) {
    sqlite3_stmt *query =
        sqlite_db_query(&store->maintenance.results, "SELECT 1 FROM runs WHERE job = ?", "t", removed->ids[i]);
    bool there = query && sqlite3_step(query) == SQLITE_ROW;
    sqlite3_reset(query);
    if (there)
      nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    else
      i++;
  }
}

/* Returns the number of removed jobs. */
static size_t remove_batch(sqlite_store *store, batch *wanted) {
  store_wait waits[BATCH];
  size_t removed = 0;
  for (size_t i = 0; i < wanted->count; i++) {
    waits[i] = (store_wait)STORE_WAIT_INIT;
    sqlite_remove_ended(store, wanted->ids[i], store_wait_done, &waits[i]);
  }
  for (size_t i = 0; i < wanted->count; i++)
    if (store_wait_for(&waits[i]) == SERVICE_OK) removed++;
  await_drop(store, wanted);
  return removed;
}

/* Removes jobs past the age limit. Returns their number. */
static size_t remove_old(sqlite_store *store) {
  size_t removed = 0, now = 1;
  batch wanted;
  double before = even_time(store) - store->maintenance.keep_days * day_seconds;
  while (now > 0 && !stopping(store) && find_oldest(&store->maintenance.queue, before, BATCH, &wanted) &&
         wanted.count > 0)
    removed += now = remove_batch(store, &wanted);
  return removed;
}

/* Returns the number of jobs to remove together: about half of the excess if all jobs had the same size. */
static size_t jobs_of(sqlite_store *store, double bytes, double used) {
  double jobs = (double)sqlite_db_integer(&store->maintenance.queue, "SELECT sum(jobs) FROM counts");
  double count = floor(bytes / (used / fmax(jobs, 1)) / 2);
  return count < 1 ? 1 : count > BATCH ? BATCH : (size_t)count;
}

/* Removes jobs while their total size exceeds the limit. Returns their number. */
static size_t remove_large(sqlite_store *store, double *over) {
  size_t removed = 0, now = 1;
  batch wanted;
  for (;;) {
    double used = sqlite_retention_used(store);
    *over = used - (double)store->maintenance.keep_bytes;
    if (*over <= 0 || now == 0 || stopping(store)) return removed;
    size_t most = jobs_of(store, *over, used);
    if (!find_oldest(&store->maintenance.queue, INFINITY, most, &wanted) || wanted.count == 0) return removed;
    removed += now = remove_batch(store, &wanted);
  }
}

void sqlite_retention_round(sqlite_store *store) {
  sqlite_maintenance *maintenance = &store->maintenance;
  double begin = srv_clock_monotonic(), over = 0;
  size_t old = maintenance->keep_days > 0 ? remove_old(store) : 0;
  size_t large = maintenance->keep_bytes > 0 ? remove_large(store, &over) : 0;
  if (over > 0 && !maintenance->over_told && !stopping(store))
    srv_log(SRV_WARNING, "more_is_kept_than_allowed",
            (srv_field[]){srv_number("bytes", over + (double)maintenance->keep_bytes),
                          srv_number("keep_bytes", (double)maintenance->keep_bytes),
                          srv_text("why", "the remaining jobs have `keep` or have not finished"),
                          {0}});
  maintenance->over_told = over > 0;
  if (old + large == 0) return;
  pthread_mutex_lock(&store->health.mutex);
  store->health.last.retired += old + large;
  pthread_mutex_unlock(&store->health.mutex);
  srv_log(SRV_INFO, "jobs_retired",
          (srv_field[]){srv_number("by_age", (double)old),
                        srv_number("by_size", (double)large),
                        srv_number("seconds", srv_clock_monotonic() - begin),
                        srv_number("used_bytes", sqlite_retention_used(store)),
                        {0}});
}
