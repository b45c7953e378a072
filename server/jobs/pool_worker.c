/* pool_worker.c - see pool_worker.h. */
#include "server/jobs/pool_worker.h"

#include "api/base/array_grow.h"
#include "api/jobs/block_size.h"
#include "server/base/clock.h"
#include "server/base/epoll.h"
#include "server/base/log.h"
#include "server/jobs/job_end.h"
#include "server/jobs/process_time.h"
#include "server/jobs/worker.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time for a worker to stop by itself [s]: after a cancel, after its time limit, and between two parts of results. */
static const double cancel_seconds = 1, overtime_seconds = 2, results_seconds = 30;

enum { MESSAGES_AT_ONCE = 64 };

/* ---- its state --------------------------------------------------------------------------------------------------- */

bool pool_run_is(const store_run *run, const store_run *meant) {
  if (strcmp(run->id, meant->id) != 0) return false;
  if (meant->attempt == 0) return run->is_block || !meant->is_block;
  return meant->attempt == run->attempt && meant->is_block == run->is_block;
}

bool pool_worker_is_alive(pool_worker_state state) {
  return state == POOL_WORKER_IDLE || state == POOL_WORKER_CHECKING || state == POOL_WORKER_BUSY;
}

bool pool_worker_has_process(pool_worker_state state) {
  return pool_worker_is_alive(state) || state == POOL_WORKER_GONE;
}

void pool_worker_become(pool_worker *worker, pool_worker_state state) {
  srv_pool *pool = worker->pool;
  pthread_mutex_lock(&pool->mutex);
  if (pool_worker_is_alive(worker->state)) pool->alive_seen = srv_clock_monotonic();
  pool->alive += (size_t)pool_worker_is_alive(state) - (size_t)pool_worker_is_alive(worker->state);
  pool->busy += (size_t)(state == POOL_WORKER_BUSY) - (size_t)(worker->state == POOL_WORKER_BUSY);
  bool had_block = worker->has_run && worker->run.run.is_block;
  worker->state = state;
  if (state != POOL_WORKER_GONE) worker->has_run = state == POOL_WORKER_BUSY;
  pool->blocks += (size_t)(worker->has_run && worker->run.run.is_block) - (size_t)had_block;
  assert(pool->busy <= pool->alive && pool->alive <= pool->settings.workers);
  assert(pool->blocks <= pool->settings.workers);
  pthread_cond_broadcast(&pool->alive_changed);
  pthread_mutex_unlock(&pool->mutex);
}

void pool_worker_kill(pool_worker *worker) {
  if (worker->killed) return;
  worker->killed = true;
  srv_supervisor_send(&worker->pool->supervisor, SUPERVISOR_KILL, worker->slot, worker->pid);
}

static void worker_listen(pool_worker *worker, unsigned events) {
  srv_epoll_set(worker->pool->epoll, worker->socket, &worker->events, events, worker);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

void pool_worker_begin(pool_worker *worker, pid_t pid, int socket) {
  assert(worker->socket < 0 && !pool_worker_has_process(worker->state));
  worker->pid = pid;
  worker->socket = socket;
  worker->killed = worker->ended = worker->end_known = false;
  worker->cached_model_job[0] = '\0';
  worker->began = srv_clock_monotonic();
  worker->events = 0;
  worker_listen(worker, EPOLLIN);
  pool_worker_become(worker, POOL_WORKER_IDLE);
}

/* Describes how a process ended. */
static void describe_end(const pool_worker *worker, char text[128]) {
  if (WIFSIGNALED(worker->end_status) && WTERMSIG(worker->end_status) == SIGSYS) {
    snprintf(text, 128, "violated the sandbox (forbidden system call) and was killed");
  } else if (WIFSIGNALED(worker->end_status)) {
    int signal = WTERMSIG(worker->end_status);
    snprintf(text, 128, "was killed by signal %d (%s)", signal, strsignal(signal));
  } else if (WEXITSTATUS(worker->end_status) == WORKER_EXIT_FOREIGN) {
    snprintf(text, 128, "received a message of another program or version");
  } else if (WEXITSTATUS(worker->end_status) == WORKER_EXIT_OPEN) {
    snprintf(text, 128, "could not enter its sandbox (--sandbox) or switch to its user (--worker-user)");
  } else {
    snprintf(text, 128, "exited with code %d", WEXITSTATUS(worker->end_status));
  }
}

/* Frees the data of a run that was passed to job_end.c. */
static void forget_run(pool_worker *worker) {
  free(worker->run.arrays);
  worker->run.arrays = NULL;
}

/* Charges the worker's run with the processor time since its begin, if the total `now` is known. */
static void charge(const pool_worker *worker, double now) {
  const pool_run *run = &worker->run;
  srv_store *store = worker->pool->store;
  if (run->cpu_before >= 0 && now > run->cpu_before)
    store->charge(store, &run->run, run->client, now - run->cpu_before);
}

/* Processes the end of a worker after its socket was read to the end and its process has ended. */
static void conclude(pool_worker *worker) {
  assert(worker->ended && worker->socket < 0 && pool_worker_has_process(worker->state));
  char why[128] = "exited with the supervisor";
  if (worker->end_known) describe_end(worker, why);
  bool had_run = worker->has_run;
  if (had_run || !worker->killed)
    srv_log(SRV_WARNING, "worker_ended",
            (srv_field[]){srv_number("pid", worker->pid),
                          srv_text("how", why),
                          srv_text("job", had_run ? worker->run.run.id : "-"),
                          srv_text("check", worker->check ? worker->check->document.target : "-"),
                          {0}});
  if (had_run && worker->end_known) charge(worker, worker->end_seconds);
  if (had_run) job_end_death(worker, why, !worker->end_known);
  bool had_check = worker->check != NULL;
  if (had_check) pool_checks_death(worker, !worker->end_known);
  forget_run(worker);
  message_reader_free(&worker->in);
  message_builder_free(&worker->out);
  double now = srv_clock_monotonic();
  /* A worker that dies immediately is restarted after a pause. */
  worker->start_at = now - worker->began < 1 && !had_run && !had_check ? now + 1 : now;
  pool_worker_become(worker, POOL_WORKER_ABSENT);
}

void pool_worker_ended(pool_worker *worker, const supervisor_message *end) {
  assert(pool_worker_has_process(worker->state) && !worker->ended);
  worker->ended = true;
  worker->end_known = end != NULL;
  worker->end_status = end ? end->status : 0;
  worker->end_seconds = end ? end->seconds : 0;
  if (worker->socket < 0) conclude(worker);
}

static void close_socket(pool_worker *worker) {
  assert(worker->socket >= 0);
  worker_listen(worker, 0);
  close(worker->socket);
  worker->socket = -1;
  worker->word_by = srv_clock_monotonic() + POOL_SUPERVISOR_SECONDS;
  pool_worker_become(worker, POOL_WORKER_GONE);
  if (worker->ended) conclude(worker);
}

/* ---- sending ---------------------------------------------------------------------------------------------------- */

static void flush(pool_worker *worker) {
  assert(worker->out_sent <= worker->out.size);
  while (worker->out_sent < worker->out.size) {
    ssize_t sent = send(worker->socket, worker->out.data + worker->out_sent, worker->out.size - worker->out_sent,
                        MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) break; /* full, or closed: reading will report that */
    worker->out_sent += (size_t)sent;
  }
  bool all = worker->out_sent == worker->out.size;
  if (all) message_builder_free(&worker->out);
  if (all) worker->out_sent = 0;
  worker_listen(worker, all ? worker->events & ~(unsigned)EPOLLOUT : worker->events | EPOLLOUT);
}

void pool_worker_send(pool_worker *worker) {
  worker->out_sent = 0;
  if (message_end(&worker->out))
    flush(worker);
  else
    pool_worker_kill(worker);
}

/* Clears the record of a job's model at other workers, which will not be needed any more. */
static void forget_model(srv_pool *pool, const char *id) {
  for (size_t i = 0; i < pool->settings.workers; i++)
    if (strcmp(pool->workers[i].cached_model_job, id) == 0) pool->workers[i].cached_model_job[0] = '\0';
}

void pool_worker_run(pool_worker *worker, const store_claim *claim) {
  assert(worker->state == POOL_WORKER_IDLE && worker->out.size == 0 && !worker->run.arrays);
  assert(claim->run.attempt > 0 && claim->run.is_block == (claim->runs > 0));
  srv_pool *pool = worker->pool;
  bool built = strcmp(worker->cached_model_job, claim->run.id) == 0; /* the check built the model */
  bool is_block = claim->run.is_block;                               /* then the model is cached for the next one */
  if (!is_block) forget_model(pool, claim->run.id);
  snprintf(worker->cached_model_job, sizeof worker->cached_model_job, "%s", is_block ? claim->run.id : "");
  double now = srv_clock_monotonic();
  worker->run = (pool_run){.run = claim->run,
                           .cpu_before = process_time(worker->pid),
                           .crashes = claim->crashes,
                           .started = now,
                           .first = claim->first,
                           .runs = claim->runs,
                           .deadline = now + pool->settings.job.seconds + overtime_seconds};
  memcpy(worker->run.client, claim->client, sizeof worker->run.client);
  pool_worker_become(worker, POOL_WORKER_BUSY);
  worker->cached_at = now;
  if (!is_block || !built) worker->pace = 0;
  srv_log(is_block ? SRV_DEBUG : SRV_INFO, is_block ? "block_started" : "job_started",
          (srv_field[]){srv_text("id", claim->run.id),
                        srv_number("attempt", claim->run.attempt),
                        srv_number("worker", worker->pid),
                        srv_number("built", built),
                        is_block ? srv_number("first", (double)claim->first) : (srv_field){0},
                        {0}});
  message_begin(&worker->out, MESSAGE_JOB);
  worker_limits_put(&worker->out, &pool->settings.job);
  message_put_integer(&worker->out, is_block ? claim->first : 0);
  message_put_integer(&worker->out, is_block ? claim->runs : 0);
  message_put_number(&worker->out, API_BLOCK_MOST_SECONDS);
  message_put_integer(&worker->out, is_block && claim->crashes > POOL_MOST_CRASHES);
  message_put_bytes(&worker->out, claim->document, claim->document_size);
  free(claim->document);
  worker->out_sent = 0;
  if (message_end(&worker->out)) {
    flush(worker);
  } else {
    worker->run.stop = POOL_STOP_DRAINED; /* no memory here: the job may succeed later */
    pool_worker_kill(worker);
  }
}

double pool_worker_block_end(const pool_worker *worker) {
  const pool_run *run = &worker->run;
  bool makes = worker->state == POOL_WORKER_BUSY && run->run.is_block && run->stop == POOL_STOP_NONE;
  return makes && worker->pace > 0 ? run->started + fmin(worker->pace * (double)run->runs, API_BLOCK_MOST_SECONDS)
                                   : INFINITY;
}

void pool_worker_stop(pool_worker *worker, pool_stop stop) {
  assert(worker->has_run && stop != POOL_STOP_NONE);
  if (worker->run.stop != POOL_STOP_NONE && stop != POOL_STOP_REMOVED) return;
  worker->run.stop = stop;
  worker->run.kill_at = srv_clock_monotonic() + cancel_seconds;
  if (stop == POOL_STOP_DRAINED) {
    pool_worker_kill(worker);
  } else if (worker->out.size == 0) {
    message_begin(&worker->out, MESSAGE_CANCEL);
    if (message_end(&worker->out)) flush(worker);
  }
}

/* ---- receiving -------------------------------------------------------------------------------------------------- */

/* Reads t, fraction and evaluations. If a run ends in non-finite numbers the last finite ones stay: JSON has no others,
 * and the database would read them as missing. */
static void take_numbers(pool_worker *worker, message_cursor *cursor) {
  double t = message_take_number(cursor), fraction = message_take_number(cursor);
  uint64_t evaluations = message_take_integer(cursor);
  store_progress *progress = &worker->run.progress;
  if (isfinite(t)) progress->t = t;
  if (isfinite(fraction)) progress->fraction = fraction;
  progress->evaluations = evaluations < INT64_MAX ? evaluations : INT64_MAX; /* limit of the database's integers */
}

static bool take_progress(pool_worker *worker) {
  message_cursor cursor = message_open(&worker->in);
  take_numbers(worker, &cursor);
  srv_store *store = worker->pool->store;
  if (!worker->run.run.is_block) store->progress(store, &worker->run.run, &worker->run.progress);
  return !cursor.failed;
}

/* Extends the deadline of a computed job while its results arrive. */
static void extend_deadline(pool_run *run) {
  double until = srv_clock_monotonic() + results_seconds;
  if (run->computed && until > run->deadline) run->deadline = until;
}

static bool take_computed(pool_worker *worker) {
  worker->run.computed = true;
  extend_deadline(&worker->run);
  return true;
}

static bool take_array(pool_worker *worker) {
  srv_pool *pool = worker->pool;
  pool_run *run = &worker->run;
  assert(!run->run.is_block && run->extent.arrays <= run->array_capacity);
  message_cursor cursor = message_open(&worker->in);
  store_array array = {.position = (int)run->extent.arrays, .rank = (int)message_take_integer(&cursor)};
  for (int i = 0; i < 4; i++) array.shape[i] = message_take_integer(&cursor);
  store_take_row_kind((int)message_take_integer(&cursor), &array.timeless, &array.by_run);
  array.columns = message_take_integer(&cursor);
  array.name = message_take_text(&cursor);
  array.unit = message_take_text(&cursor);
  array.doc = message_take_text(&cursor);
  array.labels = message_take_text(&cursor);
  array.units = message_take_text(&cursor);
  if (cursor.failed || !array.name || array.columns > WORKER_TILE_MAX) return false;
  pool_array *arrays = api_array_grow(run->arrays, run->extent.arrays, &run->array_capacity, sizeof *arrays);
  if (!arrays) return false;
  run->arrays = arrays;
  arrays[run->extent.arrays++] = (pool_array){.columns = array.columns, .whole = array.timeless && !array.by_run};
  extend_deadline(run);
  pool->store->array(pool->store, &run->run, &array);
  return true;
}

/* Rows come in order, each once. */
static bool take_tile(pool_worker *worker) {
  srv_pool *pool = worker->pool;
  pool_run *run = &worker->run;
  const message_head *head = &worker->in.head;
  assert(run->extent.bytes <= pool->settings.job.result_bytes);
  if (head->position >= run->extent.arrays || head->size > pool->settings.job.result_bytes - run->extent.bytes)
    return false;
  pool_array *array = &run->arrays[head->position];
  size_t row_bytes = array->columns * sizeof(double);
  bool whole = row_bytes > 0 && head->size % row_bytes == 0 && head->size / row_bytes == head->rows;
  if (!whole || head->rows == 0 || head->first != array->rows) return false;
  array->rows += head->rows;
  run->extent.rows += array->whole ? 0 : head->rows;
  run->extent.bytes += head->size;
  extend_deadline(run);
  const store_tile tile = {(int)head->position, head->first, head->rows, worker->in.body, head->size};
  worker->in.body = NULL;
  if (!pool->store->tile(pool->store, &run->run, &tile)) pool_worker_stop(worker, POOL_STOP_NOT_KEPT);
  return true;
}

static bool take_outcome(pool_worker *worker) {
  message_cursor cursor = message_open(&worker->in);
  const char *status = message_take_text(&cursor);
  take_numbers(worker, &cursor);
  double seconds = message_take_number(&cursor);
  const char *report = message_take_text(&cursor), *error = message_take_text(&cursor);
  if (isfinite(seconds)) worker->run.seconds = seconds;
  if (cursor.failed || !status || job_state_find(status) < JOB_SUCCEEDED || job_state_find(status) == JOB_STATES)
    return false;
  charge(worker, process_time(worker->pid));
  job_end_outcome(worker, status, report, error);
  forget_run(worker);
  pool_worker_become(worker, POOL_WORKER_IDLE);
  return true;
}

/* Reads the rows of a block, which may be fewer than requested. */
static bool take_block(pool_worker *worker) {
  pool_run *run = &worker->run;
  assert(run->run.is_block && run->runs > 0);
  message_cursor cursor = message_open(&worker->in);
  bool failed = message_take_integer(&cursor) != 0;
  store_block block = {.first = run->first, .runs = message_take_integer(&cursor)};
  block.columns = message_take_integer(&cursor);
  block.seconds = message_take_number(&cursor);
  block.report = (char *)message_take_text(&cursor);
  size_t size, row = block.columns * sizeof(double);
  const char *rows = message_take_rest(&cursor, &size);
  bool whole = block.columns <= WORKER_TILE_MAX && block.runs <= run->runs && size == block.runs * row;
  if (cursor.failed || !block.report || !whole || (!failed && row == 0)) return false;
  if (failed) { /* a failed block contains the error of all its runs, and no rows */
    block.runs = run->runs;
    block.columns = 0;
  }
  double *aligned = malloc(size + 1);
  if (!aligned) return false;
  if (size > 0) memcpy(aligned, rows, size);
  block.data = aligned;
  worker->pace = block.runs > 0 ? block.seconds / (double)block.runs : 0;
  charge(worker, process_time(worker->pid));
  job_end_block(worker, &block);
  free(aligned);
  worker->cached_at = srv_clock_monotonic();
  pool_worker_become(worker, POOL_WORKER_IDLE);
  return true;
}

static bool take_message(pool_worker *worker) {
  if (worker->state == POOL_WORKER_CHECKING)
    return worker->in.head.kind == MESSAGE_VERDICT && pool_checks_take_verdict(worker);
  if (worker->state != POOL_WORKER_BUSY) return false;
  message_kind kind = worker->in.head.kind;
  if (worker->run.run.is_block && kind != MESSAGE_PROGRESS) return kind == MESSAGE_BLOCK && take_block(worker);
  switch (kind) {
  case MESSAGE_PROGRESS: return take_progress(worker);
  case MESSAGE_ARRAY: return take_array(worker);
  case MESSAGE_TILE: return take_tile(worker);
  case MESSAGE_COMPUTED: return take_computed(worker);
  case MESSAGE_OUTCOME: return take_outcome(worker);
  default: return false;
  }
}

/* Returns the maximum size of a message. A verdict repeats the document's analysis, whose numbers may become longer
 * (0.1, as it is written, takes 19 bytes). */
static size_t largest_message(const pool_worker *worker) {
  size_t document = worker->check ? worker->check->document.size : 0;
  return WORKER_TILE_MAX + 8 * document;
}

static void log_broken(const pool_worker *worker, message_result result) {
  char text[96];
  const char *why = result == MESSAGE_FOREIGN ? message_complaint(&worker->in.head, text) : NULL;
  srv_log(SRV_ERROR, "worker_broken",
          (srv_field[]){
              srv_number("pid", worker->pid), srv_text("why", why ? why : "the worker sent an invalid message"), {0}});
}

void pool_worker_event(pool_worker *worker, unsigned events) {
  if (worker->socket < 0) return;
  if (events & EPOLLOUT) flush(worker);
  srv_store *store = worker->pool->store;
  for (int i = 0; i < MESSAGES_AT_ONCE; i++) {
    message_result result = message_receive(&worker->in, worker->socket, largest_message(worker), MSG_DONTWAIT);
    if (result == MESSAGE_WAIT) break;
    if (result == MESSAGE_READY && take_message(worker)) {
      if (worker->state == POOL_WORKER_BUSY && store->is_behind(store, false)) {
        worker->run.paused_at = srv_clock_monotonic();
        worker_listen(worker, 0);
        return;
      }
      continue;
    }
    if (result != MESSAGE_CLOSED) {
      log_broken(worker, result);
      if (worker->run.stop == POOL_STOP_NONE) worker->run.stop = POOL_STOP_BROKEN;
      pool_worker_kill(worker);
    }
    close_socket(worker);
    return;
  }
}

bool pool_worker_unread(const pool_worker *worker) {
  return worker->socket >= 0 && (worker->events & EPOLLIN) && message_is_begun(&worker->in);
}

/* ---- deadlines -------------------------------------------------------------------------------------------------- */

void pool_worker_check(pool_worker *worker, double now) {
  srv_store *store = worker->pool->store;
  if (worker->socket >= 0 && !(worker->events & EPOLLIN)) {
    /* The worker waits for the store, so its deadline is extended. */
    worker->run.deadline += now - worker->run.paused_at;
    worker->run.paused_at = now;
    if (!store->is_behind(store, true)) worker_listen(worker, worker->events | EPOLLIN);
  }
  if (worker->state == POOL_WORKER_CHECKING) pool_checks_deadline(worker, now);
  if (worker->state != POOL_WORKER_BUSY || worker->killed) return;
  pool_run *run = &worker->run;
  /* A computed job is soon sent, and its report is useful. */
  bool unkept = run->stop == POOL_STOP_NOT_KEPT && !run->computed;
  bool asked = run->stop == POOL_STOP_CANCELLED || run->stop == POOL_STOP_REMOVED || unkept;
  if (asked && now >= run->kill_at) pool_worker_kill(worker);
  if (run->stop == POOL_STOP_NONE && now >= run->deadline) {
    run->stop = POOL_STOP_TIMED_OUT;
    pool_worker_kill(worker);
  }
}
