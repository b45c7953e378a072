/* upkeep.c - see upkeep.h. */
#include "server/store/sqlite/upkeep.h"

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/sqlite/retention.h"
#include "server/store/wait.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* How often there is a round; pages given back in one transaction; how many may stay free, which new results fill. */
enum { ROUND_SECONDS = 1, VACUUM_PAGES = 256, FREE_PAGES = 64 };

/* What a file may be longer than its pages before the log is written into it, which cuts it. */
static const double cut_bytes = 1 << 20;

/* Waits between rounds; false: the store is about to close. */
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

static void look_through(sqlite_store *store, sqlite_db *db, sqlite_guard *guard) {
  char what[SQLITE_DB_MESSAGE];
  double begin = srv_clock_monotonic();
  sqlite3_progress_handler(db->handle, 100000, stop_check, store);
  bool good = sqlite_db_quick_check(db, what);
  sqlite3_progress_handler(db->handle, 0, NULL, NULL);
  if (is_stopping(store)) return;
  if (!good) sqlite_guard_damaged(guard, what);
  srv_log(SRV_INFO, "database_looked_through",
          (srv_field[]){srv_text("file", guard->name),
                        srv_text("found", what),
                        srv_number("seconds", srv_clock_monotonic() - begin),
                        {0}});
}

static void set_note(sqlite_store *store, const char *text) {
  pthread_mutex_lock(&store->health.mutex);
  snprintf(store->health.last.note, SRV_STORAGE_TEXT, "%s", text);
  pthread_mutex_unlock(&store->health.mutex);
}

/* ---- giving space back ----------------------------------------------------------------------------------------- */

typedef struct vacuum_command {
  sqlite_command command;
  store_wait wait;
} vacuum_command;

static service_status vacuum_execute(sqlite_command *command, sqlite_db *db) {
  (void)command;
  char sql[64];
  snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%d)", VACUUM_PAGES);
  return sqlite_db_script(db, sql);
}

static service_status nothing_execute(sqlite_command *command, sqlite_db *db) {
  (void)command;
  (void)db;
  return SERVICE_OK;
}

static void waited_done(sqlite_command *command, service_status status) {
  store_wait_done(&((vacuum_command *)command)->wait, status);
}

static service_status do_and_wait(sqlite_writer *writer, service_status (*execute)(sqlite_command *, sqlite_db *),
                                  size_t weight) {
  vacuum_command self = {{execute, waited_done, weight, SERVICE_OK, NULL, false}, STORE_WAIT_INIT};
  sqlite_writer_post(writer, &self.command);
  return store_wait_for(&self.wait);
}

/* Gives free pages at the end of a file back to the disk. */
static void give_back(sqlite_store *store, sqlite_db *reader, sqlite_writer *writer, const sqlite_guard *guard) {
  sqlite3_int64 before = sqlite_db_integer(reader, "PRAGMA freelist_count");
  while (before > FREE_PAGES && !is_stopping(store)) {
    if (do_and_wait(writer, vacuum_execute, VACUUM_PAGES * 8192) != SERVICE_OK) return;
    sqlite3_int64 now = sqlite_db_integer(reader, "PRAGMA freelist_count");
    if (now >= before) return; /* as many come as go */
    before = now;
  }
  struct stat state;
  double pages =
      (double)sqlite_db_integer(reader, "PRAGMA page_count") * (double)sqlite_db_integer(reader, "PRAGMA page_size");
  if (stat(guard->paths[0], &state) != 0 || (double)state.st_size <= pages + cut_bytes) return;
  atomic_store(&writer->checkpoint, true);
  do_and_wait(writer, nothing_execute, 0);
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
  double used = sqlite_retention_used(store), oldest = earliest_end(&store->upkeep.queue);
  pthread_mutex_lock(&store->health.mutex);
  store->health.last.used_bytes = used;
  store->health.last.oldest_end = oldest;
  pthread_mutex_unlock(&store->health.mutex);
}

static void *upkeep_thread(void *context) {
  sqlite_store *store = context;
  sqlite_upkeep *upkeep = &store->upkeep;
  measure(store);
  if (upkeep->unchecked) {
    set_note(store, "the databases are being looked through, which takes a while after a start");
    look_through(store, &upkeep->queue, &store->queue_guard);
    look_through(store, &upkeep->results, &store->results_guard);
    set_note(store, "");
  }
  while (wait_for_next(store)) {
    sqlite_retention_round(store);
    give_back(store, &upkeep->queue, &store->queue_writer, &store->queue_guard);
    give_back(store, &upkeep->results, &store->results_writer, &store->results_guard);
    measure(store);
  }
  return NULL;
}

bool sqlite_upkeep_start(sqlite_store *store, bool unchecked, char message[SQLITE_DB_MESSAGE]) {
  sqlite_upkeep *upkeep = &store->upkeep;
  upkeep->unchecked = unchecked;
  upkeep->wall_offset = srv_clock_wall() - srv_clock_monotonic();
  if (!sqlite_db_open_reader(&upkeep->queue, store->folder, "queue", message)) return false;
  if (!sqlite_db_open_reader(&upkeep->results, store->folder, "results", message)) {
    sqlite_db_close(&upkeep->queue);
    return false;
  }
  if (pthread_create(&upkeep->thread, NULL, upkeep_thread, store) == 0) return true;
  snprintf(message, SQLITE_DB_MESSAGE, "cannot start a thread: %s", strerror(errno));
  return false;
}

void sqlite_upkeep_stop(sqlite_store *store) {
  pthread_join(store->upkeep.thread, NULL);
  sqlite_db_close(&store->upkeep.queue);
  sqlite_db_close(&store->upkeep.results);
}
