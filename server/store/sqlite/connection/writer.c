/* writer.c - see writer.h. */
#include "server/store/sqlite/connection/writer.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

/* Maximum bytes of a transaction: a result of gigabytes must not delay later commands. */
enum { BATCH_BYTES = 4 << 20, RETRY_SECONDS = 1 };

/* Interval of attempts while another program holds the database, and time after which that is a fault. */
enum { LOOK_MILLISECONDS = 20, LOCKED_MILLISECONDS = 1000 };

/* Frames of the log after which it is copied into the file (SQLite's default), and minimum. */
enum { LOG_FRAMES = 1000, LEAST_LOG_FRAMES = 64 };

/* Time that others may delay a checkpoint, which can be made later [s]. */
static const double checkpoint_patience = 0.1;

/* Busy handler of SQLite: returns nonzero to try again. */
static int wait_for_lock(void *context, int count) {
  sqlite_writer *writer = context;
  if (count >= LOCKED_MILLISECONDS / LOOK_MILLISECONDS) sqlite_file_fault_locked(writer->fault);
  if (atomic_load(&writer->hurried) || count * LOOK_MILLISECONDS >= 1e3 * writer->patience) return 0;
  nanosleep(&(struct timespec){.tv_nsec = LOOK_MILLISECONDS * 1000000L}, NULL);
  return 1;
}

static void queue_init(sqlite_queue *queue) { *queue = (sqlite_queue){NULL, &queue->first}; }

static void queue_push(sqlite_queue *queue, sqlite_command *command) {
  assert(!*queue->last);
  command->next = NULL;
  *queue->last = command;
  queue->last = &command->next;
}

static sqlite_command *queue_pop(sqlite_queue *queue) {
  sqlite_command *command = queue->first;
  if (!command) return NULL;
  queue->first = command->next;
  if (!queue->first) queue->last = &queue->first;
  return command;
}

/* Waits for commands and takes as many as fit into a transaction. Returns false to stop. */
static bool take_batch(sqlite_writer *writer, sqlite_queue *batch) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += RETRY_SECONDS;
  pthread_mutex_lock(&writer->mutex);
  writer->busy = false;
  if (!writer->waiting.first) pthread_cond_broadcast(&writer->idle);
  while (!writer->waiting.first && !writer->stopping)
    if (pthread_cond_timedwait(&writer->wake, &writer->mutex, &until) != 0) break;
  bool go_on = writer->waiting.first || writer->later.first || !writer->stopping;
  size_t weight = 0;
  while (writer->waiting.first && weight <= BATCH_BYTES) {
    sqlite_command *command = queue_pop(&writer->waiting);
    weight += command->weight;
    queue_push(batch, command);
  }
  for (sqlite_command *command; (command = queue_pop(&writer->later));) queue_push(batch, command);
  writer->busy = true;
  pthread_mutex_unlock(&writer->mutex);
  return go_on;
}

/* Returns true for failures. A refused command has changed nothing and does not undo the other commands of the
 * transaction. */
static bool is_failure(service_status status) {
  bool refused = status == SERVICE_CONFLICT || status == SERVICE_CLIENT_FULL || status == SERVICE_CHANGED ||
                 status == SERVICE_DAMAGED;
  return status != SERVICE_OK && status != SERVICE_NOT_FOUND && status != SERVICE_NOT_READY && !refused;
}

/* Commits, if the files are still those that were opened: a commit to deleted files would be lost. */
static service_status commit(sqlite_writer *writer, bool wrote) {
  if (sqlite_file_fault_moved(writer->fault)) return SERVICE_FAILED;
  service_status status = sqlite_db_step(&writer->db, "COMMIT");
  if (status != SERVICE_OK)
    sqlite_file_fault_failed(writer->fault, writer->db.handle);
  else
    sqlite_file_fault_worked(writer->fault, wrote);
  return status;
}

/* Sets whether the commit of these commands waits for the disk; before the transaction begins, because SQLite does not
 * change it within one. If that fails, commits continue as before, and the next one tries again. */
static service_status set_flush(sqlite_writer *writer, const sqlite_command *first, const sqlite_command *end) {
  bool flush = false;
  for (const sqlite_command *command = first; command != end; command = command->next)
    flush = flush || !command->may_be_lost;
  if (flush == writer->flushes) return SERVICE_OK;
  service_status status =
      sqlite_db_script(&writer->db, flush ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  if (status == SERVICE_OK) writer->flushes = flush;
  return flush ? status : SERVICE_OK;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static void note_log(sqlite_writer *writer, int end, int moved) {
  writer->log_end = end;
  writer->moved = moved;
  atomic_store(&writer->unmoved, (size_t)(end - moved) * writer->page_bytes);
}

/* Copies committed changes into the file, except those behind an older state that a reader uses. */
static void move_log(sqlite_writer *writer, int mode) {
  int end = -1, moved = -1;
  sqlite3_wal_checkpoint_v2(writer->db.handle, "main", mode, &end, &moved);
  if (end >= 0 && moved >= 0) note_log(writer, end, moved);
}

/* Replaces sqlite3_wal_autocheckpoint(), which does not report how far it came. A log that was copied completely is
 * overwritten from its beginning. */
static int after_commit(void *context, sqlite3 *handle, const char *name, int frames) {
  (void)handle;
  (void)name;
  sqlite_writer *writer = context;
  note_log(writer, frames, frames < writer->log_end ? 0 : writer->moved);
  if (frames >= writer->log_frames) move_log(writer, SQLITE_CHECKPOINT_PASSIVE);
  return SQLITE_OK;
}

void sqlite_writer_checkpoint(sqlite_writer *writer) {
  double patience = writer->patience;
  writer->patience = checkpoint_patience;
  move_log(writer, SQLITE_CHECKPOINT_TRUNCATE);
  writer->patience = patience;
}

size_t sqlite_writer_unmoved(sqlite_writer *writer) { return atomic_load(&writer->unmoved); }

/* ---- transactions ------------------------------------------------------------------------------------------------ */

/* Executes commands in one transaction. On failure nothing is changed, and the failure is returned; `begun`: a command
 * was executed. */
static service_status execute_together(sqlite_writer *writer, sqlite_command *first, const sqlite_command *end,
                                       bool *begun) {
  sqlite_db *db = &writer->db;
  assert(first && first != end && sqlite3_get_autocommit(db->handle));
  service_status status = set_flush(writer, first, end);
  if (status == SERVICE_OK) status = sqlite_db_step(db, "BEGIN IMMEDIATE");
  *begun = status == SERVICE_OK;
  if (!*begun) {
    sqlite_file_fault_failed(writer->fault, db->handle);
    return status;
  }
  int changes = sqlite3_total_changes(db->handle);
  for (sqlite_command *command = first; command != end && !is_failure(status); command = command->next) {
    status = command->status = command->execute(command, db);
    if (status == SERVICE_FAILED) sqlite_file_fault_failed(writer->fault, db->handle);
  }
  if (!is_failure(status)) status = commit(writer, sqlite3_total_changes(db->handle) != changes);
  /* Errors such as a full disk have already ended the transaction. */
  if (is_failure(status) && !sqlite3_get_autocommit(db->handle)) sqlite_db_run(db, "ROLLBACK", "");
  return status;
}

static void execute_batch(sqlite_writer *writer, const sqlite_queue *batch) {
  bool begun;
  service_status status = execute_together(writer, batch->first, NULL, &begun);
  if (!is_failure(status)) return;
  bool alone = !batch->first->next;
  for (sqlite_command *command = batch->first; command; command = command->next) {
    /* If no transaction can be started, the command is not the cause. */
    if (!alone && begun) status = execute_together(writer, command, command->next, &begun);
    if (is_failure(status)) command->status = status;
  }
}

static void *writer_thread(void *context) {
  sqlite_writer *writer = context;
  sqlite_queue batch;
  for (;;) {
    queue_init(&batch);
    if (!take_batch(writer, &batch)) break;
    /* Commands that were not ready come last, because the new ones may make them ready. */
    for (sqlite_command *command; (command = queue_pop(&writer->parked));) queue_push(&batch, command);
    if (!batch.first) continue;
    execute_batch(writer, &batch);
    for (sqlite_command *command; (command = queue_pop(&batch));) {
      if (command->status == SERVICE_NOT_READY) {
        queue_push(&writer->parked, command);
      } else {
        command->done(command, command->status);
      }
    }
  }
  for (sqlite_command *command; (command = queue_pop(&writer->parked));) command->done(command, SERVICE_NOT_READY);
  return NULL;
}

/* Returns the frames of a log of `bytes` bytes. */
static int log_frames(size_t bytes, size_t page) {
  if (bytes == 0 || bytes / page > LOG_FRAMES) return LOG_FRAMES;
  return bytes / page < LEAST_LOG_FRAMES ? LEAST_LOG_FRAMES : (int)(bytes / page);
}

bool sqlite_writer_start(sqlite_writer *writer, const sqlite_db *db, sqlite_file_fault *fault, double patience,
                         size_t log_bytes) {
  *writer = (sqlite_writer){.db = *db, .fault = fault, .patience = patience, .flushes = true};
  sqlite3_busy_handler(writer->db.handle, wait_for_lock, writer);
  sqlite3_int64 page = sqlite_db_integer(&writer->db, "PRAGMA page_size");
  writer->page_bytes = page > 0 ? (size_t)page : 4096;
  writer->log_frames = log_frames(log_bytes, writer->page_bytes);
  sqlite3_wal_hook(writer->db.handle, after_commit, writer);
  queue_init(&writer->waiting);
  queue_init(&writer->later);
  queue_init(&writer->parked);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_mutex_init(&writer->mutex, NULL);
  pthread_cond_init(&writer->wake, &monotonic);
  pthread_cond_init(&writer->idle, NULL);
  pthread_condattr_destroy(&monotonic);
  return pthread_create(&writer->thread, NULL, writer_thread, writer) == 0;
}

/* Returns true if a parked command waits for the same thing. */
static bool has_parked_like(const sqlite_writer *writer, const sqlite_command *command) {
  const sqlite_command *parked = writer->parked.first;
  while (parked && parked->execute != command->execute) parked = parked->next;
  return parked != NULL;
}

void sqlite_writer_post(sqlite_writer *writer, sqlite_command *command) {
  assert(command->execute && command->done);
  pthread_mutex_lock(&writer->mutex);
  bool is_idle = !writer->busy && !writer->waiting.first;
  if (is_idle && has_parked_like(writer, command)) {
    queue_push(&writer->later, command);
  } else {
    queue_push(&writer->waiting, command);
    pthread_cond_signal(&writer->wake);
  }
  pthread_mutex_unlock(&writer->mutex);
}

static service_status nothing_execute(sqlite_command *command, sqlite_db *db) {
  (void)command;
  (void)db;
  return SERVICE_OK;
}

static void nothing_done(sqlite_command *command, service_status status) {
  (void)status;
  free(command);
}

/* Posts an empty command, because any command makes the thread retry those that wait. */
void sqlite_writer_wake(sqlite_writer *writer) {
  sqlite_command *nothing = malloc(sizeof *nothing);
  if (!nothing) return;
  *nothing = (sqlite_command){nothing_execute, nothing_done, 0, SERVICE_OK, NULL, true};
  sqlite_writer_post(writer, nothing);
}

void sqlite_writer_post_later(sqlite_writer *writer, sqlite_command *command) {
  assert(command->execute && command->done);
  pthread_mutex_lock(&writer->mutex);
  queue_push(&writer->later, command);
  pthread_mutex_unlock(&writer->mutex);
}

void sqlite_writer_settle(sqlite_writer *writer) {
  pthread_mutex_lock(&writer->mutex);
  while (writer->busy || writer->waiting.first) pthread_cond_wait(&writer->idle, &writer->mutex);
  pthread_mutex_unlock(&writer->mutex);
}

void sqlite_writer_stop(sqlite_writer *writer) {
  pthread_mutex_lock(&writer->mutex);
  writer->stopping = true;
  pthread_cond_signal(&writer->wake);
  pthread_mutex_unlock(&writer->mutex);
  pthread_join(writer->thread, NULL);
  pthread_cond_destroy(&writer->idle);
  pthread_cond_destroy(&writer->wake);
  pthread_mutex_destroy(&writer->mutex);
  sqlite_db_close(&writer->db);
}
