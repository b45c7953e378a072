/* open.c - opens and closes the SQLite store. */
#include "server/store/sqlite/connection/open.h"

#include "server/store/sqlite/connection/data_directory.h"
#include "server/store/sqlite/connection/identity.h"
#include "server/store/sqlite/connection/state.h"
#include "server/store/sqlite/operations/health.h"
#include "server/store/sqlite/operations/maintenance.h"
#include "server/store/sqlite/queue/blocks.h"
#include "server/store/sqlite/queue/enqueue.h"
#include "server/store/sqlite/queue/finish.h"
#include "server/store/sqlite/queue/job_reading.h"
#include "server/store/sqlite/queue/job_rows.h"
#include "server/store/sqlite/queue/leases.h"
#include "server/store/sqlite/queue/queue.h"
#include "server/store/sqlite/queue/usage.h"
#include "server/store/sqlite/results/array_reading.h"
#include "server/store/sqlite/results/interrupted_runs.h"
#include "server/store/sqlite/results/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Time that another program may hold a database before writes fail [s]. Short for the queue, whose clients can retry;
 * long for results, which cannot be produced again. */
static const double queue_patience = 1, results_patience = 30;

static void subscribe(srv_store *verbs, store_subscriber *subscriber) {
  store_subscribers_add(&((sqlite_store *)verbs)->subscribers, subscriber);
}

/* ---- opening and closing ---------------------------------------------------------------------------------------- */

static void store_close(srv_store *verbs) {
  sqlite_store *self = (sqlite_store *)verbs;
  atomic_store(&self->queue_writer.hurried, true);
  atomic_store(&self->results_writer.hurried, true);
  sqlite_health_stop(self);
  sqlite_maintenance_stop(self);
  /* The end of a job goes from the results to the queue and back. */
  sqlite_writer_settle(&self->results_writer);
  sqlite_writer_settle(&self->queue_writer);
  sqlite_db_close(&self->queue_reader.db);
  sqlite_db_close(&self->results_reader.db);
  sqlite_writer_stop(&self->results_writer);
  sqlite_writer_stop(&self->queue_writer);
  pthread_mutex_destroy(&self->queue_reader.mutex);
  pthread_mutex_destroy(&self->results_reader.mutex);
  pthread_mutex_destroy(&self->subscribers.mutex);
  pthread_mutex_destroy(&self->running.mutex);
  pthread_mutex_destroy(&self->health.mutex);
  pthread_cond_destroy(&self->health.wake);
  sqlite_file_fault_free(&self->queue_fault);
  sqlite_file_fault_free(&self->results_fault);
  for (size_t i = 0; i < SQLITE_INDEXES; i++) store_run_index_free(&self->indexes[i]);
  store_assemblies_free(&self->assemblies);
  sqlite_studies_free(&self->studies);
  sqlite_disk_reserve_close(&self->room);
  free(self->running.jobs);
  close(self->lock);
  free(self->folder);
  free(self);
}

/* Recovers from the death of a daemon. */
static bool recover(const char *folder, sqlite_db *queue, sqlite_db *results, char message[STORE_MESSAGE_SIZE]) {
  if (sqlite_job_rows_keep(queue) == SERVICE_OK && sqlite_queue_recover(queue) == SERVICE_OK &&
      sqlite_results_recover(results, queue) == SERVICE_OK && sqlite_blocks_recover(results, queue) == SERVICE_OK &&
      sqlite_usage_recover(queue, results) == SERVICE_OK)
    return true;
  const char *why = sqlite3_errmsg(queue->handle);
  if (sqlite3_errcode(queue->handle) == SQLITE_OK || sqlite3_errcode(queue->handle) >= SQLITE_ROW)
    why = sqlite3_errmsg(results->handle);
  snprintf(message, STORE_MESSAGE_SIZE, "the database in %.200s could not be recovered after its last use: %.150s",
           folder, why);
  return false;
}

/* Opens both files for writing. */
static bool open_files(const char *folder, sqlite_db *queue, sqlite_db *results, char message[STORE_MESSAGE_SIZE]) {
  bool fresh;
  if (!sqlite_data_directory_complete(folder, &fresh, message)) return false;
  if (fresh && !sqlite_data_directory_begin(folder, message)) return false;
  if (!sqlite_db_open(queue, folder, "queue", fresh, message)) return false;
  if (!sqlite_db_open(results, folder, "results", fresh, message)) {
    sqlite_db_close(queue);
    return false;
  }
  if (!sqlite_identity_pair(queue, results, folder, message) || !recover(folder, queue, results, message)) {
    sqlite_db_close(queue);
    sqlite_db_close(results);
    return false;
  }
  if (fresh) sqlite_data_directory_made(folder);
  return true;
}

/* The log of results uses at most this fraction (1/8) of the disk's reserve before it is copied into the file. */
enum { LOG_SHARE = 8 };

/* Starts the threads over open files. */
static bool start_threads(sqlite_store *self, const sqlite_db *queue, const sqlite_db *results,
                          char message[STORE_MESSAGE_SIZE]) {
  pthread_mutex_init(&self->queue_reader.mutex, NULL);
  pthread_mutex_init(&self->results_reader.mutex, NULL);
  pthread_mutex_init(&self->subscribers.mutex, NULL);
  pthread_mutex_init(&self->running.mutex, NULL);
  sqlite_parts_init(self);
  sqlite_studies_init(&self->studies);
  bool guarded = sqlite_studies_functions(&self->studies, queue->handle) &&
                 sqlite_file_fault_init(&self->queue_fault, self->folder, "queue.db") &&
                 sqlite_file_fault_init(&self->results_fault, self->folder, "results.db");
  if (guarded && sqlite_writer_start(&self->queue_writer, queue, &self->queue_fault, queue_patience, 0) &&
      sqlite_writer_start(&self->results_writer, results, &self->results_fault, results_patience,
                          self->room.reserve / LOG_SHARE) &&
      sqlite_health_start(self)) {
    return sqlite_maintenance_start(self, queue->unchecked || results->unchecked, message);
  }
  snprintf(message, STORE_MESSAGE_SIZE, "cannot start a thread: %s", strerror(errno));
  return false;
}

static bool start(sqlite_store *self, char message[STORE_MESSAGE_SIZE]) {
  sqlite_db queue, results;
  if (!open_files(self->folder, &queue, &results, message)) return false;
  if (!sqlite_db_open_reader(&self->queue_reader.db, self->folder, "queue", message) ||
      !sqlite_db_open_reader(&self->results_reader.db, self->folder, "results", message)) {
    sqlite_db_close(&self->queue_reader.db);
    sqlite_db_close(&queue);
    sqlite_db_close(&results);
    return false;
  }
  /* Without threads nothing else works: the process ends and releases everything. */
  return start_threads(self, &queue, &results, message);
}

static void set_verbs(srv_store *verbs) {
  verbs->lease_seconds = STORE_LEASE_SECONDS;
  verbs->close = store_close;
  verbs->subscribe = subscribe;
  sqlite_enqueue_verbs(verbs);
  sqlite_health_verbs(verbs);
  sqlite_queue_verbs(verbs);
  sqlite_lease_verbs(verbs);
  sqlite_finish_verbs(verbs);
  sqlite_usage_verbs(verbs);
  sqlite_part_verbs(verbs);
  sqlite_block_verbs(verbs);
  sqlite_job_reading_verbs(verbs);
  sqlite_array_reading_verbs(verbs);
}

srv_store *sqlite_store_open_with(const sqlite_store_settings *settings, char message[STORE_MESSAGE_SIZE]) {
  const char *folder = settings->folder;
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* avoids a lock for unused statistics */
  if (!sqlite_data_directory_make(folder)) {
    snprintf(message, STORE_MESSAGE_SIZE, "cannot create the folder %.300s: %s", folder, strerror(errno));
    return NULL;
  }
  int lock = sqlite_data_directory_lock(folder, message);
  if (lock < 0) return NULL;
  sqlite_data_directory_tighten(folder);
  sqlite_data_directory_sweep(folder);
  sqlite_store *self = calloc(1, sizeof *self);
  char *copy = strdup(folder);
  if (!self || !copy) {
    snprintf(message, STORE_MESSAGE_SIZE, "out of memory");
  } else {
    self->folder = copy;
    self->lock = lock;
    self->maintenance.keep_days = settings->keep_days;
    self->maintenance.keep_bytes = settings->keep_bytes;
    sqlite_disk_reserve_open(&self->room, self->folder, settings->reserve);
    set_verbs(&self->verbs);
    if (start(self, message)) {
      sqlite_disk_reserve_keep(&self->room);
      return &self->verbs;
    }
    sqlite_disk_reserve_close(&self->room);
  }
  close(lock);
  free(copy);
  free(self);
  return NULL;
}

srv_store *sqlite_store_open(const char *folder, size_t reserve, char message[STORE_MESSAGE_SIZE]) {
  return sqlite_store_open_with(&(sqlite_store_settings){.folder = folder, .reserve = reserve}, message);
}
