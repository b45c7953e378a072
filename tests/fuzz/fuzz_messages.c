/* fuzz_messages.c - any bytes as messages of a worker: the server accepts results in order and within their limits, or
 * drops the worker. */
#include "server/jobs/pool_checks.h"
#include "server/jobs/pool_worker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 4096, MOST_ARRAYS = 4096, MOST_INPUT = 1 << 16 };

/* The requested block, for inputs of odd length. */
enum { BLOCK_FIRST = 7, BLOCK_RUNS = 3 };

/* A store that checks everything it is given. */
typedef struct strict_store {
  srv_store verbs; /* first member */
  size_t arrays, bytes, rows[MOST_ARRAYS];
  int ends;
} strict_store;

static void require(bool condition) {
  if (!condition) abort();
}

static void take_progress(srv_store *verbs, const store_run *run, const store_progress *progress) {
  (void)verbs;
  require(run->attempt == 1 && isfinite(progress->t) && isfinite(progress->fraction));
}

static void take_array(srv_store *verbs, const store_run *run, const store_array *array) {
  strict_store *self = (strict_store *)verbs;
  require(run->attempt == 1 && array->name && (size_t)array->position == self->arrays);
  self->arrays++;
}

static bool take_tile(srv_store *verbs, const store_run *run, const store_tile *tile) {
  strict_store *self = (strict_store *)verbs;
  require(run->attempt == 1 && (size_t)tile->position < self->arrays && tile->rows > 0);
  if (tile->position < MOST_ARRAYS) {
    require(tile->first == self->rows[tile->position]);
    self->rows[tile->position] += tile->rows;
  }
  self->bytes += tile->size;
  require(self->bytes <= MOST_BYTES);
  free(tile->data);
  return true;
}

static void take_charge(srv_store *verbs, const store_run *run, const char *client, double seconds) {
  (void)verbs;
  require(run->attempt == 1 && client[0] == '\0' && isfinite(seconds) && seconds > 0);
}

static void take_end(srv_store *verbs, const store_end *end, store_done done, void *context) {
  strict_store *self = (strict_store *)verbs;
  require(end->state >= JOB_SUCCEEDED && end->state < JOB_STATES && isfinite(end->progress.t));
  require(end->extent.arrays == self->arrays && end->extent.bytes == self->bytes);
  self->ends++;
  done(context, SERVICE_OK);
}

static void take_requeue(srv_store *verbs, const store_run *run, double t, bool crashed, store_done done,
                         void *context) {
  (void)crashed;
  require(run->attempt == 1 && isfinite(t));
  ((strict_store *)verbs)->ends++;
  done(context, SERVICE_OK);
}

static void take_block(srv_store *verbs, const store_run *run, const store_block *block, store_done done,
                       void *context) {
  require(run->is_block && block->first == BLOCK_FIRST && block->runs > 0 && block->runs <= BLOCK_RUNS);
  require(block->report && block->data && block->runs * block->columns * sizeof(double) <= MOST_INPUT);
  ((strict_store *)verbs)->ends++;
  done(context, SERVICE_OK);
}

static bool never_behind(srv_store *verbs, bool waits) {
  (void)verbs;
  (void)waits;
  return false;
}

/* If the first byte is even, the input is messages. Otherwise each message begins with kind, array, first row, rows and
 * size, a byte each, so that whole messages are more frequent. */
static void put_messages(message_builder *out, const uint8_t *data, size_t size) {
  if (size == 0 || data[0] % 2 == 0) {
    if (size > 0) message_put_bytes(out, data + 1, size - 1);
    return;
  }
  for (size_t at = 1; at + 5 <= size;) {
    const uint8_t *head = data + at;
    size_t body = head[4] < size - at - 5 ? head[4] : size - at - 5;
    message_begin_tile(out, head[1], head[2], head[3]);
    uint32_t kind = head[0] % 16;
    memcpy(out->data + out->begin + offsetof(message_head, kind), &kind, sizeof kind);
    message_put_bytes(out, head + 5, body);
    message_end(out);
    at += 5 + body;
  }
}

static void run(pool_worker *worker, bool is_block) {
  store_claim claim = {.run = {.id = "job", .attempt = 1, .is_block = is_block},
                       .document = strdup("{}"),
                       .document_size = 2,
                       .first = is_block ? BLOCK_FIRST : 0,
                       .runs = is_block ? BLOCK_RUNS : 0};
  pool_worker_run(worker, &claim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > MOST_INPUT) return 0; /* more than the socket holds */
  strict_store store = {.verbs = {.progress = take_progress,
                                  .array = take_array,
                                  .tile = take_tile,
                                  .charge = take_charge,
                                  .finish = take_end,
                                  .requeue = take_requeue,
                                  .finish_block = take_block,
                                  .is_behind = never_behind}};
  pool_worker worker = {.socket = -1};
  srv_pool pool = {.settings = {.workers = 1, .jobs = 1, .job = {.result_bytes = MOST_BYTES, .seconds = 60}},
                   .store = &store.verbs,
                   .metrics = srv_metrics_new(),
                   .supervisor = {.socket = -1},
                   .workers = &worker,
                   .epoll = epoll_create1(EPOLL_CLOEXEC)};
  pthread_mutex_init(&pool.mutex, NULL);
  pthread_cond_init(&pool.alive_changed, NULL);
  pool_checks_init(&pool.checks);
  worker.pool = &pool;
  int ends[2], room = 4 * MOST_INPUT;
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  pool_worker_begin(&worker, 1, ends[0]);
  run(&worker, size % 2 == 1);
  message_builder out = {0};
  put_messages(&out, data, size);
  if (out.size > 0) send(ends[1], out.data, out.size, MSG_DONTWAIT | MSG_NOSIGNAL);
  message_builder_free(&out);
  close(ends[1]);
  for (int i = 0; i < 1024 && worker.socket >= 0; i++) pool_worker_event(&worker, EPOLLIN);
  require(worker.socket < 0);
  const supervisor_message end = {.verb = SUPERVISOR_ENDED};
  pool_worker_ended(&worker, &end); /* the messages cannot have kept the job alive beyond this */
  require(store.ends == 1 && worker.state == POOL_WORKER_ABSENT);
  srv_metrics_free(pool.metrics);
  close(pool.epoll);
  pthread_cond_destroy(&pool.alive_changed);
  pthread_mutex_destroy(&pool.mutex);
  return 0;
}
