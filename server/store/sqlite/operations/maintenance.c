/* maintenance.c - see maintenance.h. */
#include "server/store/sqlite/operations/maintenance.h"

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/sqlite/operations/orphans.h"
#include "server/store/sqlite/operations/retention.h"
#include "server/store/sqlite/operations/vacuum.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUND_SECONDS = 1 }; /* time between rounds */

/* Waits between rounds. Returns false if the store is about to close. */
static bool wait_for_next(sqlite_store *store) {
  sqlite_health *health = &store->health;
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += ROUND_SECONDS;
  pthread_mutex_lock(&health->mutex);
  while (!health->stopping)
    if (pthread_cond_timedwait(&health->wake, &health->mutex, &until) != 0) break;
  bool go_on = !health->stopping;
  pthread_mutex_unlock(&health->mutex);
  return go_on;
}

static bool is_stopping(sqlite_store *store) {
  pthread_mutex_lock(&store->health.mutex);
  bool stopping = store->health.stopping;
  pthread_mutex_unlock(&store->health.mutex);
  return stopping;
}

/* ---- looking through large files ------------------------------------------------------------------------------- */

static int stop_check(void *context) { return is_stopping(context); }

static void look_through(sqlite_store *store, sqlite_db *db, sqlite_file_fault *fault) {
  char what[SQLITE_DB_MESSAGE];
  double begin = srv_clock_monotonic();
  sqlite3_progress_handler(db->handle, 100000, stop_check, store);
  bool good = sqlite_db_quick_check(db, what);
  sqlite3_progress_handler(db->handle, 0, NULL, NULL);
  if (is_stopping(store)) return;
  if (!good) sqlite_file_fault_damaged(fault, what);
  srv_log(SRV_INFO, "database_looked_through",
          (srv_field[]){srv_text("file", fault->name),
                        srv_text("found", what),
                        srv_number("seconds", srv_clock_monotonic() - begin),
                        {0}});
}

static void set_note(sqlite_store *store, const char *text) {
  pthread_mutex_lock(&store->health.mutex);
  snprintf(store->health.last.note, SRV_STORAGE_TEXT, "%s", text);
  pthread_mutex_unlock(&store->health.mutex);
}

/* ---- results that nothing leads to ------------------------------------------------------------------------------ */

static void tell_orphans(sqlite_store *store) {
  size_t count;
  if (sqlite_orphans_count(&store->maintenance.queue, &store->maintenance.results, &count) != SERVICE_OK || count == 0)
    return;
  srv_log(SRV_WARNING, "jobs_missing",
          (srv_field[]){srv_number("runs", (double)count),
                        srv_text("why", "results.db has results without a job: queue.db is older than results.db, or "
                                        "its log (queue.db-wal) was lost; run mbsd --check"),
                        {0}});
}

/* ---- the thread ------------------------------------------------------------------------------------------------ */

static double earliest_end(sqlite_db *queue) {
  sqlite3_stmt *query = sqlite_db_query(queue,
                                        "SELECT min(t) FROM ("
                                        "SELECT min(finished) t FROM jobs WHERE keep = 0 AND finished > 0 UNION ALL "
                                        "SELECT min(finished) t FROM jobs WHERE keep = 1 AND finished > 0)",
                                        "");
  double t = query && sqlite3_step(query) == SQLITE_ROW ? sqlite3_column_double(query, 0) : 0;
  sqlite3_reset(query);
  return t;
}

static void measure(sqlite_store *store) {
  double used = sqlite_retention_used(store), oldest = earliest_end(&store->maintenance.queue);
  pthread_mutex_lock(&store->health.mutex);
  store->health.last.used_bytes = used;
  store->health.last.oldest_end = oldest;
  pthread_mutex_unlock(&store->health.mutex);
}

static void *maintenance_thread(void *context) {
  sqlite_store *store = context;
  sqlite_maintenance *maintenance = &store->maintenance;
  measure(store);
  tell_orphans(store);
  if (maintenance->unchecked) {
    set_note(store, "the databases are being checked after the start, which may take some time");
    look_through(store, &maintenance->queue, &store->queue_fault);
    look_through(store, &maintenance->results, &store->results_fault);
    set_note(store, "");
  }
  while (wait_for_next(store)) {
    sqlite_retention_round(store);
    if (sqlite_vacuum_due(store, &maintenance->queue)) sqlite_vacuum(store, &store->queue_writer);
    if (sqlite_vacuum_due(store, &maintenance->results)) sqlite_vacuum(store, &store->results_writer);
    sqlite_disk_reserve_keep(&store->room); /* creates the file again after it was deleted */
    measure(store);
  }
  return NULL;
}

bool sqlite_maintenance_start(sqlite_store *store, bool unchecked, char message[SQLITE_DB_MESSAGE]) {
  sqlite_maintenance *maintenance = &store->maintenance;
  maintenance->unchecked = unchecked;
  maintenance->wall_offset = srv_clock_wall() - srv_clock_monotonic();
  if (!sqlite_db_open_reader(&maintenance->queue, store->folder, "queue", message)) return false;
  if (!sqlite_db_open_reader(&maintenance->results, store->folder, "results", message)) {
    sqlite_db_close(&maintenance->queue);
    return false;
  }
  if (pthread_create(&maintenance->thread, NULL, maintenance_thread, store) == 0) return true;
  snprintf(message, SQLITE_DB_MESSAGE, "cannot start a thread: %s", strerror(errno));
  return false;
}

void sqlite_maintenance_stop(sqlite_store *store) {
  pthread_join(store->maintenance.thread, NULL);
  sqlite_db_close(&store->maintenance.queue);
  sqlite_db_close(&store->maintenance.results);
}
