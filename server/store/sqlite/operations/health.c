/* health.c - see health.h. */
#include "server/store/sqlite/operations/health.h"

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/sqlite/connection/data_directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 500 };

/* ---- looking --------------------------------------------------------------------------------------------------- */

/* Takes the lock again after its file was deleted, because a second daemon could start. Returns false if another
 * process has it. If the databases were deleted too, the held lock is theirs. */
static bool lock_again(sqlite_store *store) {
  char message[SQLITE_FOLDER_MESSAGE];
  int lock = sqlite_data_directory_lock(store->folder, message);
  if (lock < 0) return false;
  close(store->lock);
  store->lock = lock;
  srv_log(SRV_WARNING, "lock_taken_anew", (srv_field[]){srv_text("folder", store->folder), {0}});
  return true;
}

static bool look_at_folder(sqlite_store *store, char fault[SRV_STORAGE_TEXT]) {
  bool queue_moved = sqlite_file_fault_moved(&store->queue_fault),
       results_moved = sqlite_file_fault_moved(&store->results_fault);
  struct stat state;
  if (stat(store->folder, &state) != 0) {
    const char *why = errno == ENOENT ? "was deleted; put it back, or restore a backup and restart" : strerror(errno);
    snprintf(fault, SRV_STORAGE_TEXT, "the data folder %.100s %s", store->folder, why);
    return false;
  }
  if (queue_moved || results_moved) return true; /* the check reports their faults */
  if (sqlite_data_directory_lock_moved(store->folder, store->lock) && !lock_again(store)) {
    snprintf(fault, SRV_STORAGE_TEXT, "another process holds the lock of the data folder %.100s; stop that process",
             store->folder);
    return false;
  }
  return true;
}

static bool look_at_disk(sqlite_store *store, char fault[SRV_STORAGE_TEXT], double *free_bytes) {
  struct statvfs disk;
  bool good = statvfs(store->folder, &disk) == 0;
  *free_bytes = good ? (double)disk.f_bavail * (double)disk.f_frsize : 0;
  atomic_store(&store->health.space, good && *free_bytes >= (double)store->room.reserve);
  if (!good)
    snprintf(fault, SRV_STORAGE_TEXT, "the free disk space of %.80s cannot be read: %.60s", store->folder,
             strerror(errno));
  return good;
}

static double size_of(const char *path) {
  struct stat state;
  return stat(path, &state) == 0 ? (double)state.st_size : 0;
}

static double time_of(const char *folder, const char *name) {
  char path[SQLITE_FOLDER_PATH];
  struct stat state;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return stat(path, &state) == 0 ? (double)state.st_mtim.tv_sec : 0;
}

/* Copies faults of the databases, which the writers record between two checks. */
static void ask_file_faults(sqlite_store *store, char fault[SRV_STORAGE_TEXT]) {
  char text[SQLITE_FAULT_TEXT];
  sqlite_file_fault_text(&store->queue_fault, text);
  if (!text[0]) sqlite_file_fault_text(&store->results_fault, text);
  if (!fault[0]) memcpy(fault, text, SRV_STORAGE_TEXT);
}

static void log_change(const char *before, const char *now) {
  if (strcmp(before, now) == 0) return;
  if (now[0])
    srv_log(SRV_ERROR, "storage_fault", (srv_field[]){srv_text("fault", now), {0}});
  else
    srv_log(SRV_INFO, "storage_fault_over", (srv_field[]){srv_text("fault", before), {0}});
}

void sqlite_health_look(sqlite_store *store) {
  char fault[SRV_STORAGE_TEXT] = "", disk_fault[SRV_STORAGE_TEXT] = "", told[SRV_STORAGE_TEXT];
  double free_bytes;
  bool there = look_at_folder(store, fault);
  if (!look_at_disk(store, disk_fault, &free_bytes) && there) memcpy(fault, disk_fault, sizeof fault);
  memcpy(told, fault, sizeof told);
  ask_file_faults(store, told);
  sqlite_health *health = &store->health;
  pthread_mutex_lock(&health->mutex);
  srv_storage *last = &health->last;
  memcpy(last->fault, fault, sizeof fault);
  last->free_bytes = free_bytes;
  last->reserve_bytes = (double)store->room.reserve;
  last->queue_bytes = size_of(store->queue_fault.paths[0]);
  last->queue_wal_bytes = size_of(store->queue_fault.paths[1]);
  last->results_bytes = size_of(store->results_fault.paths[0]);
  last->results_wal_bytes = size_of(store->results_fault.paths[1]);
  last->last_backup = time_of(store->folder, "backed-up");
  pthread_mutex_unlock(&health->mutex);
  log_change(health->told, told);
  memcpy(health->told, told, sizeof told);
}

/* ---- asking the databases -------------------------------------------------------------------------------------- */

typedef struct probe_command {
  sqlite_command command;
  sqlite_store *store;
  sqlite_file_fault *fault;
} probe_command;

/* A transaction that can begin shows that no other program holds the database. Other faults are over when a write
 * succeeds. */
static service_status probe_execute(sqlite_command *command, sqlite_db *db) {
  const probe_command *self = (const probe_command *)command;
  if (!sqlite_file_fault_needs_write(self->fault)) return SERVICE_OK;
  return sqlite_db_run(db, "UPDATE identity SET id = id", "");
}

static void probe_done(sqlite_command *command, service_status status) {
  const probe_command *self = (const probe_command *)command;
  (void)status; /* already recorded in the fault */
  atomic_fetch_sub(&self->store->health.probes, 1);
  free(command);
}

static void probe(sqlite_store *store, sqlite_writer *writer, sqlite_file_fault *fault) {
  probe_command *self = malloc(sizeof *self);
  if (!self) return;
  *self = (probe_command){{probe_execute, probe_done, 0, SERVICE_OK, NULL, false}, store, fault};
  atomic_fetch_add(&store->health.probes, 1);
  sqlite_writer_post(writer, &self->command);
}

/* ---- the thread ------------------------------------------------------------------------------------------------ */

/* Waits until the next check. Returns false to stop. */
static bool wait_for_next(sqlite_health *health) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += LOOK_MILLISECONDS * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&health->mutex);
  while (!health->stopping)
    if (pthread_cond_timedwait(&health->wake, &health->mutex, &until) != 0) break;
  bool go_on = !health->stopping;
  pthread_mutex_unlock(&health->mutex);
  return go_on;
}

static void *health_thread(void *context) {
  sqlite_store *store = context;
  while (wait_for_next(&store->health)) {
    if (atomic_load(&store->health.probes) == 0) {
      probe(store, &store->queue_writer, &store->queue_fault);
      probe(store, &store->results_writer, &store->results_fault);
    }
    sqlite_health_look(store);
  }
  return NULL;
}

bool sqlite_health_start(sqlite_store *store) {
  sqlite_health *health = &store->health;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&health->mutex, NULL);
  pthread_cond_init(&health->wake, &monotonic);
  pthread_condattr_destroy(&monotonic);
  sqlite_health_look(store);
  return pthread_create(&health->thread, NULL, health_thread, store) == 0;
}

void sqlite_health_stop(sqlite_store *store) {
  sqlite_health *health = &store->health;
  pthread_mutex_lock(&health->mutex);
  health->stopping = true;
  pthread_cond_broadcast(&health->wake);
  pthread_mutex_unlock(&health->mutex);
  pthread_join(health->thread, NULL);
}

/* ---- the verbs ------------------------------------------------------------------------------------------------- */

static bool has_space(srv_store *verbs) { return atomic_load(&((sqlite_store *)verbs)->health.space); }

static void tell(srv_store *verbs, srv_storage *out) {
  sqlite_store *store = (sqlite_store *)verbs;
  pthread_mutex_lock(&store->health.mutex);
  *out = store->health.last;
  pthread_mutex_unlock(&store->health.mutex);
  out->checksum_failures = atomic_load(&store->health.wrong_numbers);
  ask_file_faults(store, out->fault);
}

void sqlite_health_verbs(srv_store *verbs) {
  verbs->has_space = has_space;
  verbs->health = tell;
}
