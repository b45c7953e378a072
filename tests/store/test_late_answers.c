/* The HTTP side with a store that answers later, like one over a network, and whose jobs end elsewhere: a SQLite store
 * with delayed answers, in front of a daemon without workers. */
#include "server/base/log.h"
#include "server/http/http.h"
#include "server/http/listen_socket.h"
#include "server/http/task_queue.h"
#include "server/store/common/wait.h"
#include "server/store/sqlite/connection/open.h"

#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 40000, ANSWER_MAX = 4 << 20, THREADS = 4 };

/* Longer than the timeout of ctest: a response is caused by the event, not by the end of the wait. */
#define LONG_WAIT "Prefer: wait=10000\r\n"

/* ---- a store that answers later ---------------------------------------------------------------------------------- */

typedef struct late_store {
  srv_store verbs; /* first */
  srv_store *inner;
  srv_task_queue *threads;
  atomic_int delay_ms;
  atomic_bool held;    /* if true, answers wait */
  atomic_int waiting;  /* number of answers that threads currently delay */
  atomic_int answered; /* number of answers */
  atomic_bool deaf;    /* if true, events are lost */
  store_subscriber own, *watcher;
} late_store;

typedef struct late_answer {
  srv_task task; /* first */
  late_store *store;
  store_done done;
  void *context;
  service_status status;
} late_answer;

static void tell(srv_task *task, bool late) {
  late_answer *self = (late_answer *)task;
  (void)late;
  late_store *store = self->store;
  usleep((useconds_t)atomic_load(&store->delay_ms) * 1000);
  atomic_fetch_add(&store->waiting, 1);
  while (atomic_load(&store->held)) usleep(1000);
  atomic_fetch_sub(&store->waiting, 1);
  atomic_fetch_add(&store->answered, 1);
  self->done(self->context, self->status);
  free(self);
}

static void hold_back(void *context, service_status status) {
  late_answer *self = context;
  self->status = status;
  srv_task_queue_post(self->store->threads, &self->task);
}

static late_answer *later(srv_store *verbs, store_done done, void *context) {
  late_answer *self = calloc(1, sizeof *self);
  *self = (late_answer){.task.run = tell, .store = (late_store *)verbs, .done = done, .context = context};
  return self;
}

static srv_store *inner_of(srv_store *verbs) { return ((late_store *)verbs)->inner; }

static void late_get(srv_store *verbs, const char *id, service_job *out, store_done done, void *context) {
  inner_of(verbs)->get(inner_of(verbs), id, out, hold_back, later(verbs, done, context));
}

static void late_list(srv_store *verbs, const service_filter *filter, size_t limit, const char *cursor,
                      service_job_list *out, store_done done, void *context) {
  inner_of(verbs)->list(inner_of(verbs), filter, limit, cursor, out, hold_back, later(verbs, done, context));
}

static void late_arrays(srv_store *verbs, const char *id, service_array **list, size_t *count, store_done done,
                        void *context) {
  inner_of(verbs)->arrays(inner_of(verbs), id, list, count, hold_back, later(verbs, done, context));
}

static void late_read(srv_store *verbs, const char *id, const char *array, size_t first, size_t stride, size_t count,
                      const size_t *columns, size_t column_count, double *out, store_done done, void *context) {
  inner_of(verbs)->read(inner_of(verbs), id, array, first, stride, count, columns, column_count, out, hold_back,
                        later(verbs, done, context));
}

static void late_cancel(srv_store *verbs, const char *id, store_done done, void *context) {
  inner_of(verbs)->cancel(inner_of(verbs), id, hold_back, later(verbs, done, context));
}

static void late_remove(srv_store *verbs, const char *id, store_done done, void *context) {
  inner_of(verbs)->remove(inner_of(verbs), id, hold_back, later(verbs, done, context));
}

static void overhear(void *context, store_event event, const char *id) {
  late_store *self = context;
  if (!atomic_load(&self->deaf)) self->watcher->notify(self->watcher->context, event, id);
}

static void late_health(srv_store *verbs, srv_storage *out) { inner_of(verbs)->health(inner_of(verbs), out); }

static void late_subscribe(srv_store *verbs, store_subscriber *watcher) {
  late_store *self = (late_store *)verbs;
  self->watcher = watcher;
  self->own = (store_subscriber){.notify = overhear, .context = self};
  self->inner->subscribe(self->inner, &self->own);
}

/* ---- the daemon -------------------------------------------------------------------------------------------------- */

typedef struct fixture {
  char folder[64];
  late_store store;
  srv_config config;
  srv_server server;
  srv_http *http;
  srv_listen_socket listening;
  pthread_t thread;
  bool ended;
} fixture;

static void *run(void *context) {
  srv_http_run(context);
  return NULL;
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  char message[LISTEN_SOCKET_MESSAGE_SIZE] = "", *arguments[] = {"mbsd", NULL};
  strcpy(f->folder, "/tmp/mbsd-late-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  srv_store *inner = sqlite_store_open(f->folder, 0, message);
  assert_non_null(inner);
  f->store.inner = inner;
  f->store.verbs = (srv_store){.answers_later = true, /* the verbs that a daemon without workers needs */
                               .health = late_health,
                               .cancel = late_cancel,
                               .remove = late_remove,
                               .get = late_get,
                               .list = late_list,
                               .arrays = late_arrays,
                               .read = late_read,
                               .subscribe = late_subscribe};
  f->store.threads = srv_task_queue_start(THREADS, SIZE_MAX, INFINITY);
  atomic_init(&f->store.delay_ms, 1);
  assert_int_equal(srv_config_read(1, arguments, &f->config, stdout, stderr), SRV_CONFIG_RUN);
  f->server = (srv_server){.config = &f->config, .store = &f->store.verbs, .metrics = srv_metrics_new()};
  f->config.port = 0;
  f->config.wait = 10000;
  assert_true(srv_listen_socket_open(&f->config, &f->listening, message));
  f->http = srv_http_new(f->listening.file, &f->server);
  assert_non_null(f->http);
  assert_int_equal(pthread_create(&f->thread, NULL, run, f->http), 0);
  *state = f;
  return 0;
}

/* Stops like after a drain, only once. */
static void stop(fixture *f) {
  if (f->ended) return;
  atomic_store(&f->store.held, false); /* a failed test leaves it true */
  srv_http_pool_drained(f->http);
  pthread_join(f->thread, NULL);
  f->ended = true;
}

static int tear_down(void **state) {
  static const char *const files[] = {"queue.db", "results.db", "lock"};
  fixture *f = *state;
  stop(f);
  f->store.inner->close(f->store.inner);
  srv_http_free(f->http);
  srv_task_queue_stop(f->store.threads);
  srv_metrics_free(f->server.metrics);
  srv_config_free(&f->config);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", f->folder, files[i]);
    unlink(path);
  }
  int left = rmdir(f->folder);
  free(f);
  return left;
}

/* ---- jobs that run elsewhere ------------------------------------------------------------------------------------- */

static void take_claim(void *context, const store_claim *claim) {
  assert_non_null(claim);
  free(claim->document);
  store_wait_done(context, SERVICE_OK);
}

/* Adds a running job with attempt 1. */
static store_run begin(fixture *f, const char *id) {
  srv_store *store = f->store.inner;
  const service_submission job = {.document = "{}", .document_size = 2, .model_name = id, .analysis = "{}"};
  store_wait enqueued = STORE_WAIT_INIT, claimed = STORE_WAIT_INIT;
  store->enqueue(store, id, 1, &job, store_wait_done, &enqueued);
  assert_int_equal(store_wait_for(&enqueued), SERVICE_OK);
  store->claim(store, take_claim, &claimed);
  store_wait_for(&claimed);
  store_run run = {.attempt = 1};
  strcpy(run.id, id);
  return run;
}

static void end(fixture *f, store_run run, size_t rows) {
  srv_store *store = f->store.inner;
  const store_array head = {0, "T", "s", "times", "[\"T\"]", "[\"s\"]", 1, {0, 1, 1, 1}, false, 1, false};
  store_tile tile = {0, 0, rows, malloc(rows * sizeof(double) + 1), rows * sizeof(double)};
  for (size_t i = 0; i < rows; i++) ((double *)tile.data)[i] = (double)i;
  store->array(store, &run, &head);
  store->tile(store, &run, &tile);
  const store_end end = {.run = run, .state = JOB_SUCCEEDED, .report = "{}", .extent = {1, rows, tile.size}};
  store_wait wait = STORE_WAIT_INIT;
  store->finish(store, &end, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
}

/* ---- clients ----------------------------------------------------------------------------------------------------- */

static int send_request(const fixture *f, const char *method, const char *target, const char *header) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)f->listening.port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int client = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
  char request[512];
  int size = snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n",
                      method, target, header);
  assert_int_equal(write(client, request, (size_t)size), size);
  return client;
}

static int ask(const fixture *f, const char *target, const char *header) {
  return send_request(f, "GET", target, header);
}

/* Returns the whole response, which the caller frees. */
static char *answer(int client) {
  char *text = malloc(ANSWER_MAX + 1);
  size_t size = 0;
  for (ssize_t got; (got = read(client, text + size, ANSWER_MAX - size)) > 0;) size += (size_t)got;
  close(client);
  text[size] = '\0';
  return text;
}

static void expect(int client, const char *part) {
  char *text = answer(client);
  assert_non_null(strstr(text, part));
  free(text);
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

static void requests_are_answered(void **state) {
  fixture *f = *state;
  end(f, begin(f, "one"), 3);
  expect(ask(f, "/api/v1/jobs/one", ""), "\"succeeded\"");
  expect(ask(f, "/api/v1/jobs/none", ""), "404 Not Found");
  expect(ask(f, "/api/v1/jobs?limit=5", ""), "\"one\"");
  expect(ask(f, "/api/v1/jobs/one/results", ""), "\"T\"");
}

static void streams_come_whole(void **state) {
  fixture *f = *state;
  end(f, begin(f, "one"), ROWS);
  char *text = answer(ask(f, "/api/v1/jobs/one/results/T?format=csv", ""));

  assert_true(strlen(text) > 2 * 65536); /* several parts */
  assert_non_null(strstr(text, "39999"));
  assert_string_equal(text + strlen(text) - 5, "0\r\n\r\n");
  free(text);
}

/* Many simultaneous requests wait for the store concurrently. */
static void slow_answers_block_no_request(void **state) {
  fixture *f = *state;
  begin(f, "one");
  atomic_store(&f->store.held, true);
  int clients[THREADS], before = atomic_load(&f->store.answered);
  for (int i = 0; i < THREADS; i++) clients[i] = ask(f, "/api/v1/jobs/one", "");
  while (atomic_load(&f->store.waiting) < THREADS) usleep(1000); /* would never happen in sequence */
  expect(ask(f, "/healthz", ""), "200 OK");
  assert_int_equal(atomic_load(&f->store.answered), before);
  atomic_store(&f->store.held, false);
  for (int i = 0; i < THREADS; i++) expect(clients[i], "\"running\"");
}

static void changes_wait_for_the_store(void **state) {
  fixture *f = *state;
  begin(f, "one");
  atomic_store(&f->store.delay_ms, 100);
  expect(send_request(f, "POST", "/api/v1/jobs/one/cancel", "Content-Length: 0\r\n"), "202 Accepted");
  expect(send_request(f, "DELETE", "/api/v1/jobs/one", ""), "204 No Content");
  expect(send_request(f, "DELETE", "/api/v1/jobs/one", ""), "404 Not Found");
  expect(ask(f, "/api/v1/jobs/one", ""), "404 Not Found");
  atomic_store(&f->store.delay_ms, 1);
}

static void waiting_ends_with_the_job(void **state) {
  fixture *f = *state;
  store_run run = begin(f, "one");
  int client = ask(f, "/api/v1/jobs/one", LONG_WAIT);
  assert_int_equal(poll(&(struct pollfd){.fd = client, .events = POLLIN}, 1, 200), 0); /* no answer before the end */
  end(f, run, 1);
  expect(client, "\"succeeded\"");
}

/* The event was lost, and the server only knows that some event was. */
static void waiting_ends_with_a_missed_notice(void **state) {
  fixture *f = *state;
  store_run run = begin(f, "one"), other = begin(f, "two");
  atomic_store(&f->store.deaf, true);
  int client = ask(f, "/api/v1/jobs/one", LONG_WAIT);
  assert_int_equal(poll(&(struct pollfd){.fd = client, .events = POLLIN}, 1, 200), 0);
  end(f, run, 1);
  end(f, other, 1);
  f->store.watcher->notify(f->store.watcher->context, STORE_EVENT_MISSED, "");
  expect(client, "\"succeeded\"");
}

/* Requests that still wait for a thread at the end are refused, as no thread will process them. */
static void the_end_waits_for_no_line(void **state) {
  enum { MANY = 64 };
  fixture *f = *state;
  begin(f, "one");
  atomic_store(&f->store.delay_ms, 1000);
  int clients[MANY];
  for (int i = 0; i < MANY; i++) clients[i] = ask(f, "/api/v1/jobs/one", "");
  int before = atomic_load(&f->store.answered);
  stop(f);
  assert_in_range(atomic_load(&f->store.answered) - before, 0, MANY - 1);
  for (int i = 0; i < MANY; i++) close(clients[i]);
}

int main(void) {
  srv_log_setup("error", false);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(requests_are_answered),      TEST(streams_come_whole),        TEST(slow_answers_block_no_request),
      TEST(changes_wait_for_the_store), TEST(waiting_ends_with_the_job), TEST(waiting_ends_with_a_missed_notice),
      TEST(the_end_waits_for_no_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
