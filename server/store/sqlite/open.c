/* open.c - opening and closing the SQLite store. */
#include "server/store/sqlite/open.h"

#include "server/base/log.h"
#include "server/store/sqlite/array_reading.h"
#include "server/store/sqlite/assembly.h"
#include "server/store/sqlite/broken.h"
#include "server/store/sqlite/finish.h"
#include "server/store/sqlite/job_reading.h"
#include "server/store/sqlite/leases.h"
#include "server/store/sqlite/queue.h"
#include "server/store/sqlite/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the folder ------------------------------------------------------------------------------------------------ */

/* Makes a folder and the ones above it. */
static bool make_folder(const char *folder) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
    *slash = '/';
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* The lock goes with the process, however it ends. -1 with the reason in `message`. */
static int lock_folder(const char *folder, char message[STORE_MESSAGE_SIZE]) {
  char path[4096];
  snprintf(path, sizeof path, "%s/lock", folder);
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    snprintf(message, STORE_MESSAGE_SIZE, "cannot open %.300s: %s", path, strerror(errno));
    return -1;
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    snprintf(message, STORE_MESSAGE_SIZE, "another daemon uses the folder %.300s", folder);
    close(file);
    return -1;
  }
  return file;
}

static bool has_space(srv_store *verbs) { return sqlite_room_has(&((const sqlite_store *)verbs)->room, 0, false); }

static void watch(srv_store *verbs, store_watcher *watcher) {
  sqlite_watchers_add(&((sqlite_store *)verbs)->watchers, watcher);
}

/* ---- opening and closing ---------------------------------------------------------------------------------------- */

static void store_close(srv_store *verbs) {
  sqlite_store *self = (sqlite_store *)verbs;
  /* A job's end goes from the results to the queue and back. */
  sqlite_writer_settle(&self->results_writer);
  sqlite_writer_settle(&self->queue_writer);
  sqlite_db_close(&self->queue_reader.db);
  sqlite_db_close(&self->results_reader.db);
  sqlite_writer_stop(&self->results_writer);
  sqlite_writer_stop(&self->queue_writer);
  pthread_mutex_destroy(&self->queue_reader.mutex);
  pthread_mutex_destroy(&self->results_reader.mutex);
  pthread_mutex_destroy(&self->watchers.mutex);
  pthread_mutex_destroy(&self->running.mutex);
  for (size_t i = 0; i < SQLITE_INDEXES; i++) sqlite_run_index_free(&self->indexes[i]);
  sqlite_assemblies_free(&self->assemblies);
  sqlite_room_close(&self->room);
  free(self->running.jobs);
  close(self->lock);
  free(self->folder);
  free(self);
}

/* Opens both files for writing and sets right what a dead daemon left. */
static bool open_files(const char *folder, sqlite_db *queue, sqlite_db *results, char message[STORE_MESSAGE_SIZE]) {
  if (!sqlite_db_open(queue, folder, "queue", message)) return false;
  if (!sqlite_db_open(results, folder, "results", message)) {
    sqlite_db_close(queue);
    return false;
  }
  if (sqlite_queue_recover(queue) != SERVICE_OK || sqlite_results_recover(results, queue) != SERVICE_OK) {
    snprintf(message, STORE_MESSAGE_SIZE, "the database in %.300s could not be set right after its last use", folder);
    sqlite_db_close(queue);
    sqlite_db_close(results);
    return false;
  }
  return true;
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
  pthread_mutex_init(&self->queue_reader.mutex, NULL);
  pthread_mutex_init(&self->results_reader.mutex, NULL);
  pthread_mutex_init(&self->watchers.mutex, NULL);
  pthread_mutex_init(&self->running.mutex, NULL);
  sqlite_assemblies_init(&self->assemblies);
  if (sqlite_writer_start(&self->queue_writer, &queue) && sqlite_writer_start(&self->results_writer, &results)) {
    return true;
  }
  /* Without threads nothing else will work either: the process ends, and what is open ends with it. */
  snprintf(message, STORE_MESSAGE_SIZE, "cannot start a thread: %s", strerror(errno));
  return false;
}

static void set_verbs(srv_store *verbs) {
  verbs->lease_seconds = STORE_LEASE_SECONDS;
  verbs->close = store_close;
  verbs->has_space = has_space;
  verbs->watch = watch;
  sqlite_queue_verbs(verbs);
  sqlite_lease_verbs(verbs);
  sqlite_finish_verbs(verbs);
  sqlite_assembly_verbs(verbs);
  sqlite_job_reading_verbs(verbs);
  sqlite_array_reading_verbs(verbs);
}

srv_store *sqlite_store_open(const char *folder, size_t reserve, char message[STORE_MESSAGE_SIZE]) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* no lock for statistics that nobody asks for */
  if (!make_folder(folder)) {
    snprintf(message, STORE_MESSAGE_SIZE, "cannot make the folder %.300s: %s", folder, strerror(errno));
    return NULL;
  }
  int lock = lock_folder(folder, message);
  if (lock < 0) return NULL;
  sqlite_store *self = calloc(1, sizeof *self);
  char *copy = strdup(folder);
  if (!self || !copy) {
    snprintf(message, STORE_MESSAGE_SIZE, "out of memory");
  } else {
    self->folder = copy;
    self->reserve = reserve;
    self->lock = lock;
    sqlite_room_open(&self->room, self->folder, reserve);
    set_verbs(&self->verbs);
    if (start(self, message)) {
      sqlite_room_keep(&self->room);
      return &self->verbs;
    }
    sqlite_room_close(&self->room);
  }
  close(lock);
  free(copy);
  free(self);
  return NULL;
}
