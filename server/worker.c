/* worker.c - see worker.h. */
#include "worker.h"

#include "clock.h"
#include "frame.h"
#include "job.h"

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
  size_t bytes, most_bytes; /* of results */
} worker;

/* The server is gone, or speaks another language: there is nobody to work for. */
static void send_or_exit(const worker *self, const void *data, size_t size) {
  if (!frame_send(self->socket, data, size)) _exit(EXIT_SUCCESS);
}

static void send_frame(worker *self) {
  if (!frame_end(&self->out)) _exit(EXIT_FAILURE);
  send_or_exit(self, self->out.data, self->out.size);
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
    frame_begin(&self->out, FRAME_PROGRESS);
    frame_put_number(&self->out, t);
    frame_put_number(&self->out, fraction);
    frame_put_integer(&self->out, evaluations);
    send_frame(self);
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
  frame_head head = {FRAME_TILE, self->arrays, tile, size};
  send_or_exit(self, &head, sizeof head);
  send_or_exit(self, block, size);
  free(block);
  return true;
}

static bool job_array(void *host, const mbs_array *array, const char *labels_json) {
  worker *self = host;
  size_t columns = 1;
  for (int i = 1; i < array->rank; i++) columns *= array->shape[i];
  size_t rows = array->shape[0], row_bytes = columns * sizeof(double);
  if (row_bytes > WORKER_TILE_MAX || (row_bytes > 0 && rows > (self->most_bytes - self->bytes) / row_bytes))
    return false;
  self->bytes += rows * row_bytes;
  size_t tile_rows = row_bytes > 0 && row_bytes < WORKER_TILE_BYTES ? WORKER_TILE_BYTES / row_bytes : 1;
  frame_begin(&self->out, FRAME_ARRAY);
  frame_put_integer(&self->out, (uint64_t)array->rank);
  for (int i = 0; i < 4; i++) frame_put_integer(&self->out, i < array->rank ? array->shape[i] : 1);
  frame_put_integer(&self->out, array->timeless);
  frame_put_integer(&self->out, columns);
  frame_put_integer(&self->out, tile_rows);
  frame_put_text(&self->out, array->name);
  frame_put_text(&self->out, array->unit);
  frame_put_text(&self->out, array->doc);
  frame_put_text(&self->out, labels_json);
  send_frame(self);
  for (size_t tile = 0, first = 0; first < rows; tile++, first += tile_rows) {
    size_t count = rows - first < tile_rows ? rows - first : tile_rows;
    if (!send_tile(self, array, columns, tile, first, count)) return false;
  }
  self->arrays++;
  return true;
}

/* ---- jobs ------------------------------------------------------------------------------------------------------ */

static size_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%lu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(const worker *self, size_t bytes) {
  struct rlimit limit = {self->base_memory + bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
}

static void send_outcome(worker *self, const job_outcome *outcome) {
  frame_begin(&self->out, FRAME_OUTCOME);
  frame_put_text(&self->out, outcome->status);
  frame_put_number(&self->out, self->t);
  frame_put_number(&self->out, self->fraction);
  frame_put_integer(&self->out, self->evaluations);
  frame_put_text(&self->out, outcome->report);
  frame_put_text(&self->out, outcome->error);
  send_frame(self);
}

static void run_job(worker *self) {
  frame_cursor cursor = frame_open(&self->in);
  mbs_limits limits = {.wall_seconds = frame_take_number(&cursor)};
  size_t memory = frame_take_integer(&cursor);
  limits.rows = frame_take_integer(&cursor);
  self->most_bytes = frame_take_integer(&cursor);
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
  self->bytes = 0;
  /* The document must outlive the messages that are read while the job runs. */
  char *body = self->in.body;
  self->in.body = NULL;
  job_host host = {.host = self, .progress = job_progress, .now = job_now, .array = job_array};
  job_outcome outcome = {.status = ""};
  api_job_run(document, size, &limits, &host, &outcome);
  free(body);
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
