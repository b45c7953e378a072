/* worker.c - see worker.h. */
#include "server/jobs/worker.h"

#include "api/checks/source.h"
#include "api/jobs/block.h"
#include "api/jobs/job.h"
#include "server/base/clock.h"
#include "server/jobs/message.h"
#include "server/jobs/process_memory.h"
#include "server/jobs/worker_check.h"
#include "server/store/store.h"

#include <assert.h>
#include <fcntl.h>
#include <jansson.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Interval at which a running job reads messages, and interval of its progress [s]. */
static const double look_seconds = 0.05, tell_seconds = 0.2;

/* Finished rows are sent after this time [s] and this share of the job's time: a crash loses no more than that, and a
 * long job does not produce many small tiles. */
static const double hand_over_seconds = 0.25, hand_over_share = 0.01;

/* Maximum message of the server: a document is never larger than a request body [bytes]. */
static const size_t largest_message = (size_t)2 << 30;

/* Memory cached as long as a model [bytes]: in total, and of one allocation. */
enum { KEPT_MEMORY = 16 << 20, KEPT_PIECE = 4 << 20 };

typedef struct worker {
  int socket;
  message_reader in;
  message_builder out;
  size_t base_memory; /* address space before any work */
  worker_cache cache;
  /* The current job: */
  bool cancelled;
  double started, looked, told, handed_over;
  double waited;      /* time spent waiting for the server to receive results [s]; not counted as the job's time */
  double t, fraction; /* last progress */
  uint64_t evaluations;
} worker;

/* Sends the messages that were built; exits if the server has ended. */
static void flush(worker *self) {
  double begin = srv_clock_monotonic();
  if (!message_send(self->socket, self->out.data, self->out.size)) _exit(EXIT_SUCCESS);
  self->waited += srv_clock_monotonic() - begin;
  self->out.size = 0;
}

/* Small messages are sent together, because each send wakes the server. */
static void end_message(worker *self, bool now) {
  if (!message_end(&self->out)) _exit(EXIT_FAILURE);
  if (now || self->out.size >= WORKER_TILE_BYTES) flush(self);
}

/* ---- callbacks of a running job -------------------------------------------------------------------------------- */

static double job_now(void *context) {
  const worker *self = context;
  return srv_clock_monotonic() - self->waited;
}

static void look_for_messages(worker *self) {
  for (;;) {
    message_result result = message_receive(&self->in, self->socket, largest_message, MSG_DONTWAIT);
    if (result == MESSAGE_WAIT) return;
    if (result != MESSAGE_READY) _exit(EXIT_SUCCESS);
    if (self->in.head.kind == MESSAGE_CANCEL) self->cancelled = true;
  }
}

static void tell_progress(worker *self, double now) {
  self->told = now;
  message_begin(&self->out, MESSAGE_PROGRESS);
  message_put_number(&self->out, self->t);
  message_put_number(&self->out, self->fraction);
  message_put_integer(&self->out, self->evaluations);
  end_message(self, true);
}

static bool job_progress(void *context, double t, double fraction, uint64_t evaluations) {
  worker *self = context;
  self->t = t;
  self->fraction = fraction;
  self->evaluations = evaluations;
  double now = srv_clock_monotonic();
  if (now - self->looked >= look_seconds) {
    self->looked = now;
    look_for_messages(self);
  }
  if (now - self->told >= tell_seconds) tell_progress(self, now);
  return !self->cancelled;
}

static bool job_wants_rows(void *context) {
  const worker *self = context;
  double now = srv_clock_monotonic();
  return now - self->handed_over >= fmax(hand_over_seconds, hand_over_share * (now - self->started));
}

/* Includes the progress: the time of a job that dies is at least that of its rows. */
static void job_has_rows(void *context, double t) {
  worker *self = context;
  self->t = fmax(self->t, t);
  self->handed_over = srv_clock_monotonic();
  tell_progress(self, self->handed_over);
}

static void job_computed(void *context) {
  worker *self = context;
  message_begin(&self->out, MESSAGE_COMPUTED);
  end_message(self, false);
}

/* Sends rows first, ... (`count` of them) as a tile, column by column. */
static bool send_tile(worker *self, size_t position, const mbs_array *array, size_t first, size_t count) {
  size_t columns = mbs_array_columns(array), bytes = sizeof(double);
  assert(count > 0 && columns > 0);
  message_begin_tile(&self->out, (uint32_t)position, first, count);
  char *tile = message_put_space(&self->out, count * columns * bytes); /* not aligned */
  if (!tile) {
    message_drop(&self->out);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const double *row = array->data + (first + i) * columns;
    for (size_t j = 0; j < columns; j++) memcpy(tile + (j * count + i) * bytes, &row[j], bytes);
  }
  end_message(self, false);
  return true;
}

static const char *job_array(void *context, const mbs_array *array, const char *labels_json, const char *units_json) {
  worker *self = context;
  size_t columns = mbs_array_columns(array);
  if (columns * sizeof(double) > WORKER_TILE_MAX) return "one row of a result array is larger than 64 MiB";
  message_begin(&self->out, MESSAGE_ARRAY);
  message_put_integer(&self->out, (uint64_t)array->rank);
  for (int i = 0; i < 4; i++) message_put_integer(&self->out, i < array->rank ? array->shape[i] : 1);
  message_put_integer(&self->out, store_row_kind(array->timeless, array->by_run));
  message_put_integer(&self->out, columns);
  message_put_text(&self->out, array->name);
  message_put_text(&self->out, array->unit);
  message_put_text(&self->out, array->doc);
  message_put_text(&self->out, labels_json);
  message_put_text(&self->out, units_json);
  end_message(self, false);
  return NULL;
}

static const char *job_rows(void *context, size_t position, const mbs_array *array, size_t first, size_t count) {
  worker *self = context;
  size_t row_bytes = mbs_array_columns(array) * sizeof(double), end = first + count;
  if (row_bytes == 0) return NULL; /* the header contains everything */
  size_t tile_rows = row_bytes < WORKER_TILE_BYTES ? WORKER_TILE_BYTES / row_bytes : 1;
  assert(tile_rows * row_bytes <= WORKER_TILE_MAX);
  for (size_t row = first; row < end; row += tile_rows) {
    size_t rows = end - row < tile_rows ? end - row : tile_rows;
    if (!send_tile(self, position, array, row, rows)) return "the worker process is out of memory";
  }
  return NULL;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------ */

/* Updates the count from the report, because progress is reported before the end. */
static void count_evaluations(worker *self, const job_outcome *outcome) {
  if (outcome->evaluations > self->evaluations) self->evaluations = outcome->evaluations;
}

static void send_outcome(worker *self, const job_outcome *outcome) {
  assert(outcome->status[0]);
  message_begin(&self->out, MESSAGE_OUTCOME);
  message_put_text(&self->out, outcome->status);
  message_put_number(&self->out, self->t);
  message_put_number(&self->out, self->fraction);
  message_put_integer(&self->out, self->evaluations);
  message_put_number(&self->out, outcome->seconds);
  message_put_text(&self->out, outcome->report);
  message_put_text(&self->out, outcome->error);
  end_message(self, true);
}

static void begin_job(worker *self) {
  self->cancelled = false;
  self->started = self->looked = self->told = self->handed_over = srv_clock_monotonic();
  self->waited = self->t = self->fraction = 0;
  self->evaluations = 0;
}

/* Runs a document, with the cached model if the document was checked here. */
static void run_document(worker *self, const char *document, size_t size, const mbs_limits *limits,
                         const job_hooks *hooks) {
  job_outcome outcome = {.status = ""};
  const mbs_model *model = worker_cache_find(&self->cache, document, size);
  if (model) {
    api_job_run_model(model, &(api_job_source){document, size, limits}, hooks, &outcome);
  } else {
    worker_cache_drop(&self->cache);
    api_job_run(document, size, limits, hooks, &outcome);
  }
  count_evaluations(self, &outcome);
  send_outcome(self, &outcome);
  job_outcome_free(&outcome);
}

static void send_block(worker *self, const api_block_result *result, double seconds) {
  if (!result->report) _exit(EXIT_FAILURE); /* memory ran out */
  message_begin(&self->out, MESSAGE_BLOCK);
  message_put_integer(&self->out, result->failed);
  message_put_integer(&self->out, result->runs);
  message_put_integer(&self->out, result->columns);
  message_put_number(&self->out, seconds);
  message_put_text(&self->out, result->report);
  message_put_bytes(&self->out, result->rows, result->runs * result->columns * sizeof(double));
  end_message(self, true);
}

/* Runs a block; caches the model for the next block, and the message that contains the document. */
static void run_block(worker *self, char *body, const char *document, size_t size, const mbs_limits *limits,
                      const api_block *block, const job_hooks *hooks) {
  api_block_result result;
  json_t *error = NULL;
  const mbs_model *model = worker_cache_find(&self->cache, document, size);
  if (model)
    free(body);
  else
    model = worker_cache_build(&self->cache, body, document, size, limits, &error);
  if (model)
    api_block_run_model(model, block, hooks, &result);
  else
    api_block_fail(error, &result);
  send_block(self, &result, srv_clock_monotonic() - self->started);
  api_block_result_free(&result);
}

static void run_job(worker *self) {
  message_cursor cursor = message_open(&self->in);
  const worker_limits asked = worker_limits_take(&cursor);
  size_t size;
  api_block block = {.first = message_take_integer(&cursor), .runs = message_take_integer(&cursor)};
  block.seconds = message_take_number(&cursor);
  block.crashed = message_take_integer(&cursor) != 0;
  const char *document = message_take_rest(&cursor, &size);
  if (cursor.failed) _exit(EXIT_FAILURE);
  /* A model and a run have one arena each; the kernel limits the whole process. */
  char advice[WORKER_ADVICE_SIZE];
  const mbs_limits limits = worker_job_limits(&asked, advice);
  process_memory_limit(self->base_memory + asked.memory);
  begin_job(self);
  /* The document must outlive the messages that are read while the job runs. */
  char *body = self->in.body;
  self->in.body = NULL;
  const job_hooks hooks = {.context = self,
                           .progress = job_progress,
                           .now = job_now,
                           .array = job_array,
                           .rows = job_rows,
                           .wants_rows = job_wants_rows,
                           .has_rows = job_has_rows,
                           .computed = job_computed,
                           .array_bytes = asked.result_bytes};
  if (block.runs > 0) {
    run_block(self, body, document, size, &limits, &block, &hooks);
  } else {
    run_document(self, document, size, &limits, &hooks);
    free(body);
  }
}

/* Keeps the memory of one job for the next: returning it and clearing it again takes longer than much of a small job's
 * work. */
static void keep_memory(void) {
  mallopt(M_MMAP_THRESHOLD, KEPT_PIECE);
  mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
}

/* A model, and memory, are cached for a short time only, so that an idle process is small. */
static message_result wait_for_message(worker *self) {
  message_result result;
  bool idle = false;
  while ((result = message_receive(&self->in, self->socket, largest_message, 0)) == MESSAGE_WAIT) {
    worker_cache_drop(&self->cache);
    if (!idle) malloc_trim(0);
    idle = true;
  }
  return result;
}

static void check(worker *self) {
  worker_check(&self->cache, &self->in, &self->out, self->base_memory);
  flush(self);
  message_builder_free(&self->out);
}

/* Descriptors of a worker: an empty input, the log for last messages of libraries, and these. */
enum { SOCKET = 3, MEMORY, DESCRIPTORS };

/* Moves a descriptor to its number. */
static void move_to(int descriptor, int place) {
  if (descriptor == place) return;
  if (descriptor < 0 || dup2(descriptor, place) < 0) _exit(WORKER_EXIT_OPEN);
  close(descriptor);
}

/* Acquires all that the worker needs, and drops all other rights. */
static void confine(int socket, const worker_settings *settings) {
  const struct timeval patience = {.tv_sec = WORKER_KEEP_SECONDS};
  move_to(socket, SOCKET);
  if (setsockopt(SOCKET, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) _exit(WORKER_EXIT_OPEN);
  process_memory_keep(MEMORY);
  move_to(open("/dev/null", O_RDONLY), STDIN_FILENO);
  json_object_seed(0); /* reads a file, unless it was done before */
  api_source_prepare();
  if (settings->confined && !srv_sandbox_forbid_files()) _exit(WORKER_EXIT_OPEN);
  if (!srv_sandbox_limit(DESCRIPTORS)) _exit(WORKER_EXIT_OPEN);
  if (settings->confined && !srv_sandbox_forbid_calls()) _exit(WORKER_EXIT_OPEN);
}

void srv_worker_main(int socket, const worker_settings *settings) {
  worker self = {.socket = SOCKET};
  prctl(PR_SET_NAME, "mbsd-worker");
  confine(socket, settings);
  keep_memory();
  self.base_memory = process_memory();
  message_result result;
  while ((result = wait_for_message(&self)) == MESSAGE_READY) {
    srv_sandbox_allow_time(settings->seconds);
    /* A cancel that comes just after the end of its job is ignored. */
    if (self.in.head.kind == MESSAGE_JOB) run_job(&self);
    if (self.in.head.kind == MESSAGE_CHECK) check(&self);
    process_memory_limit(SIZE_MAX); /* the next document may be larger than the limit of the last one */
  }
  _exit(result == MESSAGE_FOREIGN ? WORKER_EXIT_FOREIGN : EXIT_SUCCESS);
}
