/* worker.c - see worker.h. */
#include "worker.h"

#include "clock.h"
#include "frame.h"
#include "job.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* How often [s] a running job looks for messages, and how often it tells its progress. */
static const double look_seconds = 0.05, tell_seconds = 0.2;

/* What the server may send: a document is never larger than a request body. */
static const size_t largest_frame = (size_t)2 << 30;

typedef struct worker {
  int socket;
  frame_reader in;
  frame_builder out;
  size_t base_memory; /* address space before the first job */
  /* The job. */
  bool cancelled;
  double looked, told;
  double t, fraction; /* last progress */
  uint64_t evaluations;
  uint32_t arrays;
} worker;

/* Sends what was put together. If the server is gone there is nobody to work for. */
static void flush(worker *self) {
  if (!frame_send(self->socket, self->out.data, self->out.size)) _exit(EXIT_SUCCESS);
  self->out.size = 0;
}

/* Small frames go together, because each send wakes the server. */
static void end_frame(worker *self, bool now) {
  if (!frame_end(&self->out)) _exit(EXIT_FAILURE);
  if (now || self->out.size >= WORKER_TILE_BYTES) flush(self);
}

/* ---- what a job asks of its host ------------------------------------------------------------------------------- */

static double job_now(void *host) {
  (void)host;
  return srv_clock_monotonic();
}

static void look_for_messages(worker *self) {
  for (;;) {
    frame_result result = frame_receive(&self->in, self->socket, largest_frame, MSG_DONTWAIT);
    if (result == FRAME_WAIT) return;
    if (result != FRAME_READY) _exit(EXIT_SUCCESS);
    if (self->in.head.kind == FRAME_CANCEL) self->cancelled = true;
  }
}

static bool job_progress(void *host, double t, double fraction, uint64_t evaluations) {
  worker *self = host;
  self->t = t;
  self->fraction = fraction;
  self->evaluations = evaluations;
  double now = srv_clock_monotonic();
  if (now - self->looked >= look_seconds) {
    self->looked = now;
    look_for_messages(self);
  }
  if (now - self->told >= tell_seconds) {
    self->told = now;
    frame_begin(&self->out, FRAME_PROGRESS, 0, 0);
    frame_put_number(&self->out, t);
    frame_put_number(&self->out, fraction);
    frame_put_integer(&self->out, evaluations);
    end_frame(self, true);
  }
  return !self->cancelled;
}

/* Sends rows first, ... (`count` of them) as a tile: column after column. */
static bool send_tile(worker *self, const mbs_array *array, size_t columns, size_t tile, size_t first, size_t count) {
  size_t size = count * columns * sizeof(double);
  double *block = malloc(size);
  if (!block) return false;
  for (size_t i = 0; i < count; i++) {
    const double *row = array->data + (first + i) * columns;
    for (size_t j = 0; j < columns; j++) block[j * count + i] = row[j];
  }
  frame_begin(&self->out, FRAME_TILE, self->arrays, tile);
  frame_put_bytes(&self->out, block, size);
  free(block);
  end_frame(self, false);
  return true;
}

static const char *job_array(void *host, const mbs_array *array, const char *labels_json) {
  worker *self = host;
  size_t columns = mbs_array_columns(array), rows = array->shape[0], row_bytes = columns * sizeof(double);
  if (row_bytes > WORKER_TILE_MAX) return "a single row of it takes more than 64 MiB";
  size_t tile_rows = row_bytes > 0 && row_bytes < WORKER_TILE_BYTES ? WORKER_TILE_BYTES / row_bytes : 1;
  frame_begin(&self->out, FRAME_ARRAY, 0, 0);
  frame_put_integer(&self->out, (uint64_t)array->rank);
  for (int i = 0; i < 4; i++) frame_put_integer(&self->out, i < array->rank ? array->shape[i] : 1);
  frame_put_integer(&self->out, array->timeless);
  frame_put_integer(&self->out, columns);
  frame_put_integer(&self->out, tile_rows);
  frame_put_text(&self->out, array->name);
  frame_put_text(&self->out, array->unit);
  frame_put_text(&self->out, array->doc);
  frame_put_text(&self->out, labels_json);
  end_frame(self, false);
  for (size_t tile = 0, first = 0; first < rows; tile++, first += tile_rows) {
    size_t count = rows - first < tile_rows ? rows - first : tile_rows;
    if (!send_tile(self, array, columns, tile, first, count)) return "the worker process is out of memory";
  }
  self->arrays++;
  return NULL;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------ */

static size_t address_space(void) {
  char text[64] = "";
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (!fgets(text, sizeof text, file)) text[0] = '\0';
  fclose(file);
  return strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE); /* its first number: pages in all */
}

static void limit_memory(const worker *self, size_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0) return;
  rlim_t wanted = self->base_memory + bytes;
  limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

/* The report has the last count: progress is told before the end. */
static void count_evaluations(worker *self, const job_outcome *outcome) {
  json_t *report = outcome->report ? json_loads(outcome->report, 0, NULL) : NULL;
  json_int_t count = json_integer_value(json_object_get(report, "evaluations"));
  if (count > 0 && (uint64_t)count > self->evaluations) self->evaluations = (uint64_t)count;
  json_decref(report);
}

static void send_outcome(worker *self, const job_outcome *outcome) {
  frame_begin(&self->out, FRAME_OUTCOME, 0, 0);
  frame_put_text(&self->out, outcome->status);
  frame_put_number(&self->out, self->t);
  frame_put_number(&self->out, self->fraction);
  frame_put_integer(&self->out, self->evaluations);
  frame_put_text(&self->out, outcome->report);
  frame_put_text(&self->out, outcome->error);
  end_frame(self, true);
}

static void run_job(worker *self) {
  frame_cursor cursor = frame_open(&self->in);
  mbs_limits limits = {.wall_seconds = frame_take_number(&cursor)};
  size_t memory = frame_take_integer(&cursor);
  limits.rows = frame_take_integer(&cursor);
  size_t array_bytes = frame_take_integer(&cursor);
  size_t size;
  const char *document = frame_take_rest(&cursor, &size);
  if (cursor.failed) _exit(EXIT_FAILURE);
  /* A model and a run have an arena each; the process as a whole is held to the limit by the kernel. */
  limits.memory = memory / 2;
  limit_memory(self, memory);
  self->cancelled = false;
  self->looked = self->told = srv_clock_monotonic();
  self->t = self->fraction = 0;
  self->evaluations = 0;
  self->arrays = 0;
  /* The document must outlive the messages that are read while the job runs. */
  char *body = self->in.body;
  self->in.body = NULL;
  job_host host = {
      .host = self, .progress = job_progress, .now = job_now, .array = job_array, .array_bytes = array_bytes};
  job_outcome outcome = {.status = ""};
  api_job_run(document, size, &limits, &host, &outcome);
  free(body);
  count_evaluations(self, &outcome);
  send_outcome(self, &outcome);
  job_outcome_free(&outcome);
}

void srv_worker_main(int socket) {
  worker self = {.socket = socket};
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  prctl(PR_SET_NAME, "mbsd-worker");
  self.base_memory = address_space();
  while (frame_receive(&self.in, self.socket, largest_frame, 0) == FRAME_READY) {
    /* A cancel may come just after its job has ended: it means nothing then. */
    if (self.in.head.kind == FRAME_JOB) run_job(&self);
  }
  _exit(EXIT_SUCCESS);
}
