/* conformance.c - see conformance.h. */
#include "store/conformance.h"

#include "server/store/common/wait.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const double long_lease = 60, short_lease = 1.5;
enum { PATIENCE_SECONDS = 90, EVENTS_MAX = 256, JOBS = 24 };

static const store_engine *engine;

/* ---- results of callbacks ---------------------------------------------------------------------------------------- */

/* Data from callbacks, under one lock; waiting tests check it after each callback. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;

typedef struct event_log {
  store_event events[EVENTS_MAX];
  char ids[EVENTS_MAX][SERVICE_ID_SIZE];
  size_t count;
} event_log;

typedef struct claim_box {
  store_claim claims[JOBS];
  size_t asked, answered, none;
} claim_box;

typedef struct fixture {
  srv_store *a, *b;
  event_log told_a, told_b;
  store_subscriber watch_a, watch_b;
  claim_box claims;
} fixture;

static void note_event(void *context, store_event event, const char *id) {
  event_log *log = context;
  pthread_mutex_lock(&lock);
  assert_true(log->count < EVENTS_MAX);
  log->events[log->count] = event;
  snprintf(log->ids[log->count++], SERVICE_ID_SIZE, "%s", id);
  pthread_cond_broadcast(&told);
  pthread_mutex_unlock(&lock);
}

static void note_claim(void *context, const store_claim *claim) {
  claim_box *box = context;
  pthread_mutex_lock(&lock);
  if (claim)
    box->claims[box->answered++] = *claim;
  else
    box->none++;
  pthread_cond_broadcast(&told);
  pthread_mutex_unlock(&lock);
}

/* Waits, with the lock held, for the next callback. Returns false on a timeout. */
static bool next_word(const struct timespec *until) { return pthread_cond_timedwait(&told, &lock, until) == 0; }

static struct timespec seconds_from_now(double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  double end = (double)until.tv_nsec / 1e9 + seconds;
  until.tv_sec += (time_t)end;
  until.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
  return until;
}

static size_t count_events(const event_log *log, store_event event, const char *id) {
  size_t count = 0;
  for (size_t i = 0; i < log->count; i++) count += log->events[i] == event && strcmp(log->ids[i], id) == 0;
  return count;
}

/* Expects that both subscribers receive the event. */
static void expect_event(fixture *f, store_event event, const char *id) {
  struct timespec until = seconds_from_now(PATIENCE_SECONDS);
  const event_log *logs[] = {&f->told_a, &f->told_b};
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    while (count_events(logs[i], event, id) == 0 && next_word(&until)) continue;
    size_t count = count_events(logs[i], event, id);
    pthread_mutex_unlock(&lock);
    assert_true(count > 0);
  }
}

static void expect_no_event(fixture *f, store_event event, const char *id) {
  pthread_mutex_lock(&lock);
  size_t count = count_events(&f->told_a, event, id) + count_events(&f->told_b, event, id);
  pthread_mutex_unlock(&lock);
  assert_int_equal(count, 0);
}

static void forget_events(fixture *f) {
  pthread_mutex_lock(&lock);
  f->told_a.count = f->told_b.count = 0;
  pthread_mutex_unlock(&lock);
}

static void close_both(fixture *f) {
  f->a->close(f->a);
  if (f->b != f->a) f->b->close(f->b);
}

static void watch_both(fixture *f) {
  f->watch_a = (store_subscriber){.notify = note_event, .context = &f->told_a};
  f->watch_b = (store_subscriber){.notify = note_event, .context = &f->told_b};
  f->a->subscribe(f->a, &f->watch_a);
  f->b->subscribe(f->b, &f->watch_b);
}

/* ---- blocking calls of the store --------------------------------------------------------------------------------- */

/* Submits a job with the fields of `job` and a document. */
static service_status submit_as(srv_store *store, const char *id, double created, service_submission job) {
  char document[64];
  snprintf(document, sizeof document, "{\"name\": \"%s\"}", id);
  job.document = document;
  job.document_size = strlen(document);
  store_wait wait = STORE_WAIT_INIT;
  store->enqueue(store, id, created, &job, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static service_status submit(srv_store *store, const char *id) {
  return submit_as(store, id, 1, (service_submission){.model_name = id, .analysis = "{\"type\":\"dynamics\"}"});
}

/* Submits a job of a client with this estimated cost. */
static void submit_for(srv_store *store, const char *client, const char *id, service_cost cost) {
  const service_submission job = {.client = client, .cost = cost};
  assert_int_equal(submit_as(store, id, 1, job), SERVICE_OK);
}

static void ask(fixture *f, srv_store *store) {
  f->claims.asked++;
  store->claim(store, note_claim, &f->claims);
}

/* Waits until `count` claims have been answered. Returns false if that takes longer than `seconds`. */
static bool await_claims(fixture *f, size_t count, double seconds) {
  struct timespec until = seconds_from_now(seconds);
  pthread_mutex_lock(&lock);
  while (f->claims.answered + f->claims.none < count && next_word(&until)) continue;
  bool all = f->claims.answered + f->claims.none >= count;
  pthread_mutex_unlock(&lock);
  return all;
}

/* Claims a job and expects it to be `id`. */
static store_run claim(fixture *f, srv_store *store, const char *id) {
  size_t before = f->claims.answered;
  ask(f, store);
  assert_true(await_claims(f, before + f->claims.none + 1, PATIENCE_SECONDS));
  assert_int_equal(f->claims.answered, before + 1);
  assert_string_equal(f->claims.claims[before].run.id, id);
  return f->claims.claims[before].run;
}

typedef struct beat {
  store_wait wait; /* first member */
  store_lease leases[4];
} beat;

static void note_leases(void *context, service_status status, const store_run *runs, const store_lease *leases,
                        size_t count) {
  beat *self = context;
  (void)runs;
  if (status == SERVICE_OK) memcpy(self->leases, leases, count * sizeof *leases);
  store_wait_done(&self->wait, status);
}

static store_lease renew(srv_store *store, store_run run) {
  beat self = {.wait = STORE_WAIT_INIT};
  store->heartbeat(store, &run, 1, note_leases, &self);
  assert_int_equal(store_wait_for(&self.wait), SERVICE_OK);
  return self.leases[0];
}

static service_status finish(srv_store *store, store_end end) {
  store_wait wait = STORE_WAIT_INIT;
  store->finish(store, &end, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static service_status requeue(srv_store *store, store_run run, double t, bool crashed) {
  store_wait wait = STORE_WAIT_INIT;
  store->requeue(store, &run, t, crashed, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static service_status cancel(srv_store *store, const char *id) {
  store_wait wait = STORE_WAIT_INIT;
  store->cancel(store, id, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static service_status remove_job(srv_store *store, const char *id) {
  store_wait wait = STORE_WAIT_INIT;
  store->remove(store, id, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static service_status get(srv_store *store, const char *id, service_job *job) {
  store_wait wait = STORE_WAIT_INIT;
  store->get(store, id, job, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static size_t count_jobs(srv_store *store, job_state state) {
  size_t counts[JOB_STATES];
  store_wait wait = STORE_WAIT_INIT;
  store->counts(store, counts, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
  return counts[state];
}

/* Counts the arrays of a job, and their rows. */
static service_status list_arrays(srv_store *store, const char *id, size_t *count, size_t *rows) {
  service_array *list = NULL;
  *count = *rows = 0;
  store_wait wait = STORE_WAIT_INIT;
  store->arrays(store, id, &list, count, store_wait_done, &wait);
  service_status status = store_wait_for(&wait);
  if (status != SERVICE_OK) return status;
  for (size_t i = 0; i < *count; i++) {
    if (!list[i].timeless) *rows = list[i].shape[0];
    service_array_free(&list[i]);
  }
  free(list);
  return status;
}

static service_status read_column(srv_store *store, const char *id, const char *array, size_t column, size_t count,
                                  double *out) {
  store_wait wait = STORE_WAIT_INIT;
  store->read(store, id, array, 0, 1, count, &column, 1, out, store_wait_done, &wait);
  return store_wait_for(&wait);
}

/* Expects this status and attempt of a job, on both servers. */
static void expect_job(fixture *f, const char *id, const char *status, int attempt) {
  srv_store *stores[] = {f->a, f->b};
  for (int i = 0; i < 2; i++) {
    service_job job = {0};
    assert_int_equal(get(stores[i], id, &job), SERVICE_OK);
    assert_string_equal(job.status, status);
    assert_int_equal(job.attempt, attempt);
    service_job_free(&job);
  }
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static void write_tile(srv_store *store, const store_run *run, int position, size_t first, size_t rows, size_t columns,
                       store_extent *extent) {
  store_tile tile = {position, first, rows, malloc(rows * columns * sizeof(double)), rows * columns * sizeof(double)};
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < rows; i++) ((double *)tile.data)[j * rows + i] = (double)(first + i) + 100 * (double)j;
  extent->rows += rows;
  extent->bytes += tile.size;
  store->tile(store, run, &tile);
}

/* Writes T with `rows` rows and a matrix of two columns with `more`, in tiles of two rows. */
static store_extent write_results(srv_store *store, store_run run, size_t rows, size_t more) {
  store_extent extent = {.arrays = 2};
  const store_array heads[] = {
      {0, "T", "s", "times", NULL, NULL, 1, {0, 1, 1, 1}, false, 1, false},
      {1, "q", "m", "positions", "[\"x\",\"y\"]", "[\"m\",\"m\"]", 2, {0, 2, 1, 1}, false, 2, false}};
  for (int i = 0; i < 2; i++) {
    store->array(store, &run, &heads[i]);
    size_t all = i == 0 ? rows : more;
    for (size_t first = 0; first < all; first += 2)
      write_tile(store, &run, i, first, all - first < 2 ? all - first : 2, heads[i].columns, &extent);
  }
  return extent;
}

static store_end end_of(store_run run, job_state state, store_extent extent) {
  return (store_end){.run = run,
                     .state = state,
                     .report = state == JOB_SUCCEEDED ? "{\"evaluations\":7}" : NULL,
                     .error = state == JOB_SUCCEEDED ? NULL : "{\"code\":\"x\",\"t\":9}",
                     .progress = {9, 0.75, 7},
                     .extent = extent};
}

/* Waits until a job has `wanted` rows. */
static void await_rows(srv_store *store, const char *id, size_t wanted) {
  for (int i = 0; i < 50 * PATIENCE_SECONDS; i++) {
    size_t arrays, rows;
    if (list_arrays(store, id, &arrays, &rows) == SERVICE_OK && rows >= wanted) {
      assert_int_equal(rows, wanted);
      return;
    }
    usleep(20000);
  }
  fail_msg("no rows");
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

static void jobs_are_there_once_acknowledged(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  expect_job(f, "one", "queued", 0);
  assert_int_equal(submit(f->b, "one"), SERVICE_REJECTED);
  assert_int_equal(count_jobs(f->b, JOB_QUEUED), 1);
  service_job job = {0};
  assert_int_equal(get(f->b, "one", &job), SERVICE_OK);
  assert_string_equal(job.model_name, "one");
  assert_non_null(strstr(job.analysis, "dynamics"));
  assert_true(job.created == 1 && job.started == 0 && job.finished == 0);
  service_job_free(&job);
  assert_int_equal(get(f->b, "none", &job), SERVICE_NOT_FOUND);
  char *text = NULL;
  size_t size = 0;
  store_wait wait = STORE_WAIT_INIT;
  f->b->document(f->b, "one", &text, &size, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
  assert_true(size == strlen("{\"name\": \"one\"}") && memcmp(text, "{\"name\": \"one\"}", size) == 0);
  free(text);
}

static void lists_are_newest_first_in_pages(void **state) {
  fixture *f = *state;
  const char *ids[] = {"one", "two", "three"};
  for (int i = 0; i < 3; i++) assert_int_equal(submit(i == 1 ? f->b : f->a, ids[i]), SERVICE_OK);
  service_job_list list;
  store_wait first = STORE_WAIT_INIT, second = STORE_WAIT_INIT, third = STORE_WAIT_INIT;
  f->b->list(f->b, &(service_filter){0}, 2, NULL, &list, store_wait_done, &first);
  assert_int_equal(store_wait_for(&first), SERVICE_OK);
  assert_int_equal(list.count, 2);
  assert_string_equal(list.items[0].id, "three");
  assert_string_equal(list.items[1].id, "two");
  char cursor[sizeof list.next];
  memcpy(cursor, list.next, sizeof cursor);
  service_job_list_free(&list);
  f->a->list(f->a, &(service_filter){.status = "queued"}, 2, cursor, &list, store_wait_done, &second);
  assert_int_equal(store_wait_for(&second), SERVICE_OK);
  assert_int_equal(list.count, 1);
  assert_string_equal(list.items[0].id, "one");
  assert_string_equal(list.next, "");
  service_job_list_free(&list);
  f->a->list(f->a, &(service_filter){0}, 2, "nonsense", &list, store_wait_done, &third);
  assert_int_equal(store_wait_for(&third), SERVICE_NOT_FOUND);
}

static void each_job_is_claimed_once_oldest_first(void **state) {
  fixture *f = *state;
  for (int i = 0; i < JOBS / 2; i++) ask(f, i % 2 ? f->a : f->b); /* claims that wait for jobs */
  char id[SERVICE_ID_SIZE];
  for (int i = 0; i < JOBS; i++) {
    snprintf(id, sizeof id, "job-%02d", i);
    assert_int_equal(submit(i % 3 ? f->a : f->b, id), SERVICE_OK);
  }
  assert_true(await_claims(f, JOBS / 2, PATIENCE_SECONDS));
  for (int i = JOBS / 2; i < JOBS; i++) ask(f, i % 2 ? f->b : f->a); /* these claims find jobs */
  assert_true(await_claims(f, JOBS, PATIENCE_SECONDS));
  assert_int_equal(f->claims.answered, JOBS);
  bool seen[JOBS] = {false};
  for (int i = 0; i < JOBS; i++) {
    const store_claim *claim = &f->claims.claims[i];
    long number = strtol(claim->run.id + 4, NULL, 10);
    assert_false(seen[number]);
    seen[number] = true;
    assert_true((i < JOBS / 2) == (number < JOBS / 2));
    assert_true(claim->run.attempt == 1 && claim->crashes == 0);
    assert_true(claim->document_size > 0 && strncmp(claim->document, "{\"name\": \"job-", 14) == 0);
  }
  assert_int_equal(count_jobs(f->a, JOB_RUNNING), JOBS);
}

/* Jobs are claimed from clients in turn, first from those with the fewest running jobs; of each client the oldest. */
static void clients_take_turns(void **state) {
  fixture *f = *state;
  const service_cost unknown = {.seconds = INFINITY};
  static const char *const many[] = {"a1", "a2", "a3", "a4", "a5", "a6"};
  for (int i = 0; i < 6; i++) submit_for(i % 2 ? f->a : f->b, "a", many[i], unknown);
  store_run first = claim(f, f->a, "a1");
  submit_for(f->b, "b", "b1", unknown);
  submit_for(f->b, "b", "b2", unknown);
  store_run third = claim(f, f->a, "b1"); /* this client has no running job */
  submit_for(f->a, NULL, "c1", unknown);
  store_run second = claim(f, f->b, "c1");
  assert_int_equal(finish(f->a, end_of(first, JOB_FAILED, (store_extent){0})), SERVICE_OK);
  claim(f, f->b, "a2");
  assert_int_equal(finish(f->a, end_of(second, JOB_FAILED, (store_extent){0})), SERVICE_OK);
  assert_int_equal(requeue(f->b, third, 0, false), SERVICE_OK);
  third = claim(f, f->a, "b1"); /* this client's oldest job, and none of its jobs is running */
  assert_int_equal(third.attempt, 2);
  claim(f, f->a, "a3"); /* this client's last turn is the longest ago */
  claim(f, f->b, "b2");
  assert_int_equal(remove_job(f->a, "a4"), SERVICE_OK);
  assert_int_equal(cancel(f->b, "a5"), SERVICE_OK);
  claim(f, f->a, "a6");
}

/* A client with one job at a time does not keep others from their turn. */
static void no_client_starves(void **state) {
  fixture *f = *state;
  const service_cost unknown = {.seconds = INFINITY};
  submit_for(f->a, "b", "waits", unknown);
  char id[SERVICE_ID_SIZE];
  for (int i = 0; i < 3; i++) {
    snprintf(id, sizeof id, "a%d", i);
    submit_for(f->b, "a", id, unknown);
    ask(f, f->a);
    assert_true(await_claims(f, (size_t)i + 1, PATIENCE_SECONDS));
    store_run run = f->claims.claims[i].run;
    assert_int_equal(finish(f->a, end_of(run, JOB_FAILED, (store_extent){0})), SERVICE_OK);
    if (strcmp(run.id, "waits") == 0) return;
  }
  fail();
}

static void ask_short(fixture *f, srv_store *store) {
  f->claims.asked++;
  store->claim_short(store, note_claim, &f->claims);
}

/* Short jobs are identified by their estimate, until others of their kind have shown the real cost. */
static void short_jobs_are_claimed_by_themselves(void **state) {
  fixture *f = *state;
  submit_for(f->a, "a", "long", (service_cost){.kind = 1, .span = 1, .seconds = 5});
  submit_for(f->a, "a", "unknown", (service_cost){.seconds = INFINITY});
  ask_short(f, f->b);
  assert_false(await_claims(f, 1, 0.3));
  submit_for(f->b, "a", "short", (service_cost){.kind = 2, .span = 1, .seconds = 0.01});
  assert_true(await_claims(f, 1, PATIENCE_SECONDS));
  assert_string_equal(f->claims.claims[0].run.id, "short");
  expect_job(f, "long", "queued", 0);
}

static void how_long_a_kind_takes_is_learned(void **state) {
  fixture *f = *state;
  const service_cost brief = {.kind = 3, .span = 1, .seconds = 5}; /* wrong estimate */
  submit_for(f->a, "a", "one", brief);
  submit_for(f->b, "a", "two", brief);
  submit_for(f->a, "a", "much larger", (service_cost){.kind = 3, .span = 1e6, .seconds = 0.01});
  store_run run = claim(f, f->a, "one");
  store_end end = end_of(run, JOB_FAILED, (store_extent){0});
  end.seconds = 0.001; /* the run itself may take longer */
  assert_int_equal(finish(f->a, end), SERVICE_OK);
  ask_short(f, f->b); /* the store now knows that one waiting job is short, and the other is not */
  assert_true(await_claims(f, 2, PATIENCE_SECONDS));
  assert_string_equal(f->claims.claims[1].run.id, "two");
  ask_short(f, f->a);
  assert_false(await_claims(f, 3, 0.3));
  submit_for(f->b, "b", "three", brief);
  assert_true(await_claims(f, 3, PATIENCE_SECONDS));
  assert_string_equal(f->claims.claims[2].run.id, "three");
  /* The computation time counts, if it is known, not the time of the whole run. */
  store_end computed = end_of(f->claims.claims[2].run, JOB_SUCCEEDED, (store_extent){0}), silent = computed;
  computed.seconds = 2;
  assert_int_equal(finish(f->a, computed), SERVICE_OK);
  submit_for(f->a, "b", "four", brief);
  ask_short(f, f->b);
  assert_false(await_claims(f, 4, 0.3));
  silent.run = f->claims.claims[1].run;
  assert_int_equal(finish(f->b, silent), SERVICE_OK);
}

typedef struct keyed {
  store_wait wait; /* first member */
  service_receipt receipt;
} keyed;

static service_status submit_keyed(srv_store *store, const char *id, service_submission job, service_receipt *receipt) {
  *receipt = (service_receipt){.replayed = false};
  job.receipt = receipt;
  return submit_as(store, id, 1, job);
}

/* ---- limits of clients ------------------------------------------------------------------------------------------- */

static service_usage usage_of(srv_store *store, const char *client) {
  service_usage usage;
  store_wait wait = STORE_WAIT_INIT;
  store->usage(store, client, &usage, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
  assert_true(usage.day_left > 0 && usage.day_left <= 86400);
  return usage;
}

/* Expects on both servers what a client uses. */
static void expect_usage(fixture *f, const char *client, double queued, double bytes, double cpu) {
  srv_store *stores[] = {f->a, f->b};
  for (int i = 0; i < 2; i++) {
    const service_usage usage = usage_of(stores[i], client);
    assert_true(usage.used[SERVICE_LIMIT_QUEUE] == queued && usage.used[SERVICE_LIMIT_BYTES] == bytes);
    assert_true(fabs(usage.used[SERVICE_LIMIT_CPU] - cpu) < 1e-9);
  }
}

/* Expects that a job is refused because of a limit, which the receipt describes. */
static void expect_refusal(srv_store *store, const char *id, service_submission job, service_limit limit, double used) {
  service_receipt receipt;
  assert_int_equal(submit_keyed(store, id, job, &receipt), SERVICE_CLIENT_FULL);
  assert_int_equal(receipt.limit, limit);
  assert_true(receipt.most == job.most[limit] && fabs(receipt.usage.used[limit] - used) < 1e-9);
  assert_true(receipt.usage.day_left > 0 && receipt.usage.day_left <= 86400);
}

static void a_client_has_so_many_queued_jobs(void **state) {
  fixture *f = *state;
  const service_submission of_a = {.client = "a", .most = {[SERVICE_LIMIT_QUEUE] = 2}};
  const service_submission of_b = {.client = "b", .most = {[SERVICE_LIMIT_QUEUE] = 2}};
  assert_int_equal(submit_as(f->a, "a1", 1, of_a), SERVICE_OK);
  assert_int_equal(submit_as(f->b, "a2", 1, of_a), SERVICE_OK);
  expect_refusal(f->b, "a3", of_a, SERVICE_LIMIT_QUEUE, 2);
  assert_int_equal(submit_as(f->a, "b1", 1, of_b), SERVICE_OK);
  assert_int_equal(count_jobs(f->b, JOB_QUEUED), 3);
  claim(f, f->a, "a1");
  assert_int_equal(usage_of(f->b, "a").used[SERVICE_LIMIT_QUEUE], 1);
  assert_int_equal(submit_as(f->b, "a3", 1, of_a), SERVICE_OK);
}

/* The document of submit_as() for an id of two letters has 14 bytes. */
static void a_client_stores_so_many_bytes(void **state) {
  fixture *f = *state;
  enum { DOCUMENT = 14 };
  const service_submission of_a = {.client = "a", .most = {[SERVICE_LIMIT_BYTES] = 2 * DOCUMENT}};
  const service_submission of_b = {.client = "b", .most = {[SERVICE_LIMIT_BYTES] = 2 * DOCUMENT}};
  assert_int_equal(submit_as(f->a, "a1", 1, of_a), SERVICE_OK);
  assert_int_equal(submit_as(f->b, "a2", 1, of_a), SERVICE_OK);
  expect_refusal(f->b, "a3", of_a, SERVICE_LIMIT_BYTES, 2 * DOCUMENT);
  assert_int_equal(submit_as(f->a, "b1", 1, of_b), SERVICE_OK);
  expect_usage(f, "a", 2, 2 * DOCUMENT, 0);
  /* A report and results count with the end of the job. */
  store_run run = claim(f, f->a, "a1");
  const store_end end = end_of(run, JOB_SUCCEEDED, write_results(f->a, run, 3, 3));
  assert_true(usage_of(f->b, "a").used[SERVICE_LIMIT_BYTES] == 2 * DOCUMENT);
  assert_int_equal(finish(f->a, end), SERVICE_OK);
  const double all = usage_of(f->a, "a").used[SERVICE_LIMIT_BYTES];
  assert_true(all > 2 * DOCUMENT + (double)strlen(end.report));
  assert_int_equal(finish(f->a, end), SERVICE_NOT_FOUND); /* an end that is repeated counts once */
  close_both(f);
  engine->reopen(&f->a, &f->b);
  watch_both(f);
  expect_usage(f, "a", 1, all, 0);
  /* Removed jobs do not count, waiting or not. */
  assert_int_equal(remove_job(f->b, "a1"), SERVICE_OK);
  expect_usage(f, "a", 1, DOCUMENT, 0);
  assert_int_equal(submit_as(f->b, "a3", 1, of_a), SERVICE_OK);
  expect_refusal(f->a, "a4", of_a, SERVICE_LIMIT_BYTES, 2 * DOCUMENT);
  assert_int_equal(remove_job(f->a, "a2"), SERVICE_OK);
  assert_int_equal(remove_job(f->a, "a3"), SERVICE_OK);
  expect_usage(f, "a", 0, 0, 0);
  expect_usage(f, "b", 1, DOCUMENT, 0);
}

/* Waits until the day in which processor time is counted does not end during a test. */
static void await_safe_time_of_day(srv_store *store) {
  while (usage_of(store, "").day_left < PATIENCE_SECONDS) usleep(500000);
}

static void processor_time_of_a_client_is_limited(void **state) {
  fixture *f = *state;
  const service_submission of_a = {.client = "a", .most = {[SERVICE_LIMIT_CPU] = 2}, .content_hash = "same"};
  await_safe_time_of_day(f->a);
  assert_int_equal(submit_as(f->a, "a1", 1, of_a), SERVICE_OK);
  assert_int_equal(submit_as(f->a, "a2", 1, of_a), SERVICE_OK);
  store_run run = claim(f, f->a, "a1");
  assert_string_equal(f->claims.claims[0].client, "a");
  f->a->charge(f->a, &run, "a", 1.5);
  assert_int_equal(requeue(f->a, run, 0, true), SERVICE_OK); /* a crash costs time, too */
  expect_usage(f, "a", 2, 28, 1.5);
  assert_int_equal(submit_as(f->b, "a3", 1, of_a), SERVICE_OK);
  run = claim(f, f->b, "a1");
  f->b->charge(f->b, &run, "a", 0.75);
  assert_int_equal(finish(f->b, end_of(run, JOB_SUCCEEDED, (store_extent){0})), SERVICE_OK);
  expect_refusal(f->a, "a4", of_a, SERVICE_LIMIT_CPU, 2.25);
  expect_refusal(f->b, "a4", of_a, SERVICE_LIMIT_CPU, 2.25);
  /* Results that exist cost nothing. */
  service_submission again = of_a;
  service_receipt receipt;
  again.reuse = true;
  assert_int_equal(submit_keyed(f->a, "a4", again, &receipt), SERVICE_OK);
  assert_true(receipt.reused && strcmp(receipt.id, "a1") == 0);
  /* The time remains used although the job is removed and the servers start again. */
  assert_int_equal(remove_job(f->b, "a1"), SERVICE_OK);
  close_both(f);
  engine->reopen(&f->a, &f->b);
  watch_both(f);
  expect_usage(f, "a", 2, 28, 2.25);
  expect_usage(f, "b", 0, 0, 0);
  expect_refusal(f->b, "a4", of_a, SERVICE_LIMIT_CPU, 2.25);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static void a_key_identifies_one_job(void **state) {
  fixture *f = *state;
  service_receipt receipt;
  service_submission job = {.client = "a", .idempotency_key = "k", .body_hash = "one"};
  assert_int_equal(submit_keyed(f->a, "first", job, &receipt), SERVICE_OK);
  assert_true(strcmp(receipt.id, "first") == 0 && !receipt.replayed);
  assert_int_equal(submit_keyed(f->b, "second", job, &receipt), SERVICE_OK);
  assert_true(strcmp(receipt.id, "first") == 0 && receipt.replayed && !receipt.reused);
  job.body_hash = "two";
  assert_int_equal(submit_keyed(f->b, "second", job, &receipt), SERVICE_CONFLICT);
  job.client = "b"; /* each client has its own keys */
  assert_int_equal(submit_keyed(f->b, "second", job, &receipt), SERVICE_OK);
  assert_true(strcmp(receipt.id, "second") == 0 && !receipt.replayed);
  assert_int_equal(count_jobs(f->a, JOB_QUEUED), 2);
  /* Keys are removed with their jobs, and last as long. */
  assert_int_equal(remove_job(f->a, "second"), SERVICE_OK);
  assert_int_equal(submit_keyed(f->a, "third", job, &receipt), SERVICE_OK);
  assert_string_equal(receipt.id, "third");
  f->a->close(f->a);
  if (f->b != f->a) f->b->close(f->b);
  engine->reopen(&f->a, &f->b);
  assert_int_equal(submit_keyed(f->b, "fourth", job, &receipt), SERVICE_OK);
  assert_true(strcmp(receipt.id, "third") == 0 && receipt.replayed);
}

/* Only one of many simultaneous submissions with the same key adds a job, on both servers. */
static void a_key_is_taken_once(void **state) {
  fixture *f = *state;
  keyed all[JOBS];
  char id[SERVICE_ID_SIZE];
  for (int i = 0; i < JOBS; i++) {
    srv_store *store = i % 2 ? f->a : f->b;
    all[i] = (keyed){.wait = STORE_WAIT_INIT};
    snprintf(id, sizeof id, "job-%d", i);
    const service_submission job = {
        .document = "{}", .document_size = 2, .idempotency_key = "k", .body_hash = "one", .receipt = &all[i].receipt};
    store->enqueue(store, id, 1, &job, store_wait_done, &all[i].wait);
  }
  int added = 0;
  for (int i = 0; i < JOBS; i++) {
    assert_int_equal(store_wait_for(&all[i].wait), SERVICE_OK);
    assert_string_equal(all[i].receipt.id, all[0].receipt.id);
    added += !all[i].receipt.replayed;
  }
  assert_int_equal(added, 1);
  assert_int_equal(count_jobs(f->a, JOB_QUEUED), 1);
}

static void what_succeeded_is_reused(void **state) {
  fixture *f = *state;
  service_receipt receipt;
  service_submission job = {.content_hash = "same", .reuse = true, .body_hash = "b"};
  for (int i = 0; i < 2; i++) { /* neither a waiting job nor a failed one */
    const char *id = i ? "two" : "one";
    assert_int_equal(submit_keyed(f->a, id, job, &receipt), SERVICE_OK);
    assert_true(strcmp(receipt.id, id) == 0 && !receipt.reused);
    store_run run = claim(f, f->a, id);
    assert_int_equal(finish(f->a, end_of(run, i ? JOB_SUCCEEDED : JOB_FAILED, (store_extent){0})), SERVICE_OK);
  }
  job.idempotency_key = "k";
  assert_int_equal(submit_keyed(f->b, "three", job, &receipt), SERVICE_OK);
  assert_true(strcmp(receipt.id, "two") == 0 && receipt.reused);
  /* The key then refers to that job, as the response said. */
  assert_int_equal(submit_keyed(f->b, "three", job, &receipt), SERVICE_OK);
  assert_true(strcmp(receipt.id, "two") == 0 && receipt.replayed && receipt.reused);
  job.body_hash = "other";
  assert_int_equal(submit_keyed(f->b, "three", job, &receipt), SERVICE_CONFLICT);
  job.reuse = false;
  job.idempotency_key = NULL;
  assert_int_equal(submit_keyed(f->b, "three", job, &receipt), SERVICE_OK);
  assert_string_equal(receipt.id, "three");
}

/* Adds a job that succeeded, with the content shared by all of these. */
static void add_equal(fixture *f, const char *id, const char *name, const char *tags, bool keep) {
  const service_submission job = {.content_hash = "same", .name = name, .tags = tags, .keep = keep};
  service_receipt receipt;
  assert_int_equal(submit_keyed(f->a, id, job, &receipt), SERVICE_OK);
  assert_int_equal(finish(f->a, end_of(claim(f, f->a, id), JOB_SUCCEEDED, (store_extent){0})), SERVICE_OK);
}

/* A reused job must match the name, tags and keep of the submission; of several the newest is reused. */
static void what_is_reused_is_called_the_same(void **state) {
  fixture *f = *state;
  add_equal(f, "plain", NULL, NULL, false);
  add_equal(f, "named", "n", NULL, false);
  add_equal(f, "tagged", "n", "[\"t\"]", false);
  add_equal(f, "kept", NULL, "[\"t\",\"u\"]", true);
  static const struct {
    const char *name, *tags;
    bool keep;
    const char *id; /* NULL: a new job */
  } cases[] = {{NULL, NULL, false, "kept"},        {"n", NULL, false, "tagged"},
               {"n", "[\"t\"]", false, "tagged"},  {NULL, "[\"t\",\"u\"]", false, "kept"},
               {NULL, NULL, true, "kept"},         {"n", NULL, true, NULL},
               {"m", NULL, false, NULL},           {NULL, "[\"u\"]", false, NULL},
               {"n", "[\"t\",\"u\"]", false, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const service_submission job = {
        .content_hash = "same", .reuse = true, .name = cases[i].name, .tags = cases[i].tags, .keep = cases[i].keep};
    char id[16];
    snprintf(id, sizeof id, "new-%zu", i);
    service_receipt receipt;
    assert_int_equal(submit_keyed(f->b, id, job, &receipt), SERVICE_OK);
    assert_string_equal(receipt.id, cases[i].id ? cases[i].id : id);
    assert_int_equal(receipt.reused, cases[i].id != NULL);
  }
}

static service_status change(srv_store *store, const char *id, service_change what) {
  store_wait wait = STORE_WAIT_INIT;
  store->change(store, id, &what, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static void expect_called(srv_store *store, const char *id, const char *name, const char *tags, bool keep) {
  service_job job = {0};
  assert_int_equal(get(store, id, &job), SERVICE_OK);
  assert_true(name ? job.name && strcmp(job.name, name) == 0 : !job.name);
  assert_true(tags ? job.tags && strcmp(job.tags, tags) == 0 : !job.tags);
  assert_int_equal(job.keep, keep);
  service_job_free(&job);
}

static void jobs_are_renamed(void **state) {
  fixture *f = *state;
  const service_submission job = {.name = "old", .tags = "[\"x\"]", .content_hash = "h"};
  assert_int_equal(submit_as(f->a, "one", 1, job), SERVICE_OK);
  assert_int_equal(submit(f->a, "two"), SERVICE_OK);
  expect_called(f->b, "one", "old", "[\"x\"]", false);
  assert_int_equal(change(f->b, "one", (service_change){.set_keep = true, .keep = true}), SERVICE_OK);
  expect_called(f->a, "one", "old", "[\"x\"]", true);
  assert_int_equal(change(f->a, "one", (service_change){.set_name = true, .set_tags = true, .tags = "[]"}), SERVICE_OK);
  expect_called(f->b, "one", NULL, "[]", true);
  expect_called(f->b, "two", NULL, NULL, false);
  assert_int_equal(change(f->a, "none", (service_change){.set_keep = true}), SERVICE_NOT_FOUND);
  service_job read = {0};
  assert_int_equal(get(f->b, "one", &read), SERVICE_OK);
  assert_string_equal(read.content_hash, "h");
  service_job_free(&read);
}

/* Expects the ids that a filter finds, in pages of two, each followed by a space. */
static void expect_found(srv_store *store, service_filter filter, const char *ids) {
  char found[256] = "", cursor[64] = "";
  do {
    service_job_list list;
    store_wait wait = STORE_WAIT_INIT;
    store->list(store, &filter, 2, cursor, &list, store_wait_done, &wait);
    assert_int_equal(store_wait_for(&wait), SERVICE_OK);
    assert_true(list.count <= 2);
    for (size_t i = 0; i < list.count; i++) strcat(strcat(found, list.items[i].id), " ");
    memcpy(cursor, list.next, sizeof cursor);
    service_job_list_free(&list);
  } while (cursor[0]);
  assert_string_equal(found, ids);
}

static void lists_are_filtered(void **state) {
  fixture *f = *state;
  const service_submission jobs[] = {{.model_name = "Crank"},
                                     {.model_name = "rocker", .name = "Big CRANKS", .tags = "[\"a\",\"b\"]"},
                                     {.model_name = "Crank", .tags = "[\"ab\"]"},
                                     {.name = "x", .tags = "[\"b\"]"},
                                     {.model_name = "Crank"}};
  static const double created[] = {10, 20, 15, 30, 40}; /* created with a clock that was set back */
  static const char *const ids[] = {"1", "2", "3", "4", "5"};
  for (int i = 0; i < 5; i++) assert_int_equal(submit_as(f->a, ids[i], created[i], jobs[i]), SERVICE_OK);
  claim(f, f->a, "1");
  expect_found(f->b, (service_filter){0}, "5 4 3 2 1 ");
  expect_found(f->b, (service_filter){.model_name = "Crank"}, "5 3 1 ");
  expect_found(f->b, (service_filter){.model_name = "crank"}, "");
  expect_found(f->b, (service_filter){.model_name = "Crank", .status = "queued"}, "5 3 ");
  expect_found(f->b, (service_filter){.since = 20}, "5 4 2 ");
  expect_found(f->b, (service_filter){.since = 41}, "");
  expect_found(f->b, (service_filter){.tag = "b"}, "4 2 ");
  expect_found(f->b, (service_filter){.tag = "a"}, "2 ");
  expect_found(f->b, (service_filter){.text = "crank"}, "5 3 2 1 ");
  expect_found(f->b, (service_filter){.text = "B"}, "4 3 2 ");
  expect_found(f->b, (service_filter){.text = "crank", .since = 20, .tag = "b"}, "2 ");
}

static void stopped_claims_are_answered_with_none(void **state) {
  fixture *f = *state;
  ask(f, f->a);
  f->a->stop_claims(f->a);
  assert_true(await_claims(f, 1, PATIENCE_SECONDS));
  assert_int_equal(submit(f->b, "one"), SERVICE_OK);
  ask(f, f->a);
  assert_true(await_claims(f, 2, PATIENCE_SECONDS));
  assert_int_equal(f->claims.none, 2);
  expect_job(f, "one", "queued", 0);
}

static void heartbeats_report_cancels_and_losses(void **state) {
  fixture *f = *state;
  const char *ids[] = {"held", "cancelled", "back", "removed"};
  store_run runs[4];
  for (int i = 0; i < 4; i++) {
    assert_int_equal(submit(f->a, ids[i]), SERVICE_OK);
    runs[i] = claim(f, f->a, ids[i]);
    assert_int_equal(renew(f->a, runs[i]), STORE_LEASE_HELD);
  }
  assert_int_equal(cancel(f->b, "cancelled"), SERVICE_OK);
  assert_int_equal(requeue(f->b, runs[2], 0, false), SERVICE_OK);
  assert_int_equal(remove_job(f->b, "removed"), SERVICE_OK);
  for (int round = 0; round < 2; round++) {
    beat all = {.wait = STORE_WAIT_INIT};
    f->a->heartbeat(f->a, runs, 4, note_leases, &all);
    assert_int_equal(store_wait_for(&all.wait), SERVICE_OK);
    assert_int_equal(all.leases[0], STORE_LEASE_HELD);
    assert_int_equal(all.leases[1], STORE_LEASE_CANCELLED);
    assert_int_equal(all.leases[2], STORE_LEASE_LOST);
    assert_int_equal(all.leases[3], STORE_LEASE_LOST);
    if (round > 0) break;
    store_run again = claim(f, f->b, "back"); /* a run whose job another one claimed has lost it, too */
    assert_int_equal(again.attempt, 2);
    assert_int_equal(renew(f->b, again), STORE_LEASE_HELD);
  }
  assert_int_equal(finish(f->a, end_of(runs[0], JOB_SUCCEEDED, (store_extent){0})), SERVICE_OK);
  assert_int_equal(renew(f->a, runs[0]), STORE_LEASE_LOST);
}

/* This test uses short leases. */
static void leases_run_out_unless_renewed(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run first = claim(f, f->a, "one");
  const store_progress far = {3, 0.5, 10};
  f->a->progress(f->a, &first, &far);
  ask(f, f->b);
  for (int i = 0; i < 10; i++) { /* two leases long */
    assert_false(await_claims(f, 2, short_lease / 5));
    assert_int_equal(renew(f->a, first), STORE_LEASE_HELD);
  }
  assert_true(await_claims(f, 2, PATIENCE_SECONDS));
  const store_claim *taken = &f->claims.claims[1];
  assert_string_equal(taken->run.id, "one");
  assert_int_equal(taken->run.attempt, 2);
  struct timespec until = seconds_from_now(PATIENCE_SECONDS); /* the job was queued twice */
  pthread_mutex_lock(&lock);
  while (count_events(&f->told_a, STORE_EVENT_QUEUED, "one") < 2 && next_word(&until)) continue;
  assert_true(count_events(&f->told_a, STORE_EVENT_QUEUED, "one") >= 2);
  pthread_mutex_unlock(&lock);
  assert_int_equal(taken->crashes, 0);
  assert_int_equal(renew(f->a, first), STORE_LEASE_LOST);
  assert_int_equal(finish(f->a, end_of(first, JOB_SUCCEEDED, (store_extent){0})), SERVICE_NOT_FOUND);
  expect_no_event(f, STORE_EVENT_ENDED, "one");
}

/* This test uses short leases: no runner is left to end the job. */
static void a_cancelled_job_ends_with_its_lease(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run run = claim(f, f->a, "one");
  assert_int_equal(cancel(f->b, "one"), SERVICE_OK);
  ask(f, f->b);
  expect_event(f, STORE_EVENT_ENDED, "one");
  expect_job(f, "one", "cancelled", 1);
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, (store_extent){0})), SERVICE_NOT_FOUND);
  expect_job(f, "one", "cancelled", 1);
}

/* Waits until a server shows this progress of a job. */
static void await_progress(srv_store *store, const char *id, uint64_t evaluations, double t, double fraction) {
  for (int i = 0; i < 50 * PATIENCE_SECONDS; i++) {
    service_job job = {0};
    assert_int_equal(get(store, id, &job), SERVICE_OK);
    bool there = job.progress_evaluations == evaluations && job.progress_t == t && job.progress_fraction == fraction;
    service_job_free(&job);
    if (there) return;
    usleep(20000);
  }
  fail_msg("no progress");
}

static void progress_is_seen_everywhere(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run first = claim(f, f->a, "one");
  await_progress(f->b, "one", 0, 0, 0);
  for (int i = 1; i <= 40; i++) {
    const store_progress progress = {i / 10.0, i / 40.0, (uint64_t)i};
    f->a->progress(f->a, &first, &progress);
  }
  await_progress(f->a, "one", 40, 4, 1);
  await_progress(f->b, "one", 40, 4, 1);
  service_job_list list;
  store_wait wait = STORE_WAIT_INIT;
  f->b->list(f->b, &(service_filter){.status = "running"}, 10, NULL, &list, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
  assert_true(list.count == 1 && list.items[0].progress_t == 4);
  service_job_list_free(&list);
  /* The progress of the next attempt starts from zero, and the old attempt cannot change it. */
  assert_int_equal(requeue(f->a, first, 4, true), SERVICE_OK);
  await_progress(f->b, "one", 0, 0, 0);
  store_run second = claim(f, f->b, "one");
  const store_progress old = {5, 1, 50}, new = {0.5, 0.125, 5};
  f->b->progress(f->b, &second, &new);
  await_progress(f->a, "one", 5, 0.5, 0.125);
  f->a->progress(f->a, &first, &old);
  assert_int_equal(renew(f->a, first), STORE_LEASE_LOST);
  await_progress(f->a, "one", 5, 0.5, 0.125);
  assert_int_equal(finish(f->b, end_of(second, JOB_SUCCEEDED, (store_extent){0})), SERVICE_OK);
  await_progress(f->a, "one", 7, 9, 0.75);
}

static void an_end_shows_report_and_results(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run run = claim(f, f->a, "one");
  size_t arrays, rows;
  assert_int_equal(list_arrays(f->b, "one", &arrays, &rows), SERVICE_NOT_READY);
  store_extent extent = write_results(f->a, run, 5, 5);
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, extent)), SERVICE_OK);
  service_job job = {0};
  assert_int_equal(get(f->b, "one", &job), SERVICE_OK);
  assert_string_equal(job.status, "succeeded");
  assert_non_null(strstr(job.report, "evaluations"));
  assert_true(job.finished >= job.started && job.started > 0 && job.progress_t == 9);
  service_job_free(&job);
  assert_int_equal(list_arrays(f->b, "one", &arrays, &rows), SERVICE_OK);
  assert_true(arrays == 2 && rows == 5);
  double column[5];
  assert_int_equal(read_column(f->b, "one", "q", 1, 5, column), SERVICE_OK);
  for (int i = 0; i < 5; i++) assert_true(column[i] == i + 100);
  assert_int_equal(read_column(f->b, "one", "q", 2, 5, column), SERVICE_NOT_FOUND);
  assert_int_equal(read_column(f->b, "one", "none", 0, 5, column), SERVICE_NOT_FOUND);
  assert_int_equal(read_column(f->b, "one", "T", 0, 6, column), SERVICE_NOT_FOUND);
  assert_false(f->a->is_behind(f->a, true));
}

/* Returns true if a job's arrays may still grow. */
static bool is_partial(srv_store *store, const char *id) {
  service_array *list = NULL;
  size_t count = 0;
  store_wait wait = STORE_WAIT_INIT;
  store->arrays(store, id, &list, &count, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
  assert_true(count > 0);
  bool partial = list[0].partial;
  for (size_t i = 0; i < count; i++) {
    assert_true(list[i].partial == partial && (list[i].checksum != 0) == !partial);
    service_array_free(&list[i]);
  }
  free(list);
  return partial;
}

/* Results of a running job are readable after its progress, with as many rows as all arrays have. */
static void results_are_there_while_a_job_runs(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run run = claim(f, f->a, "one");
  store_extent extent = write_results(f->a, run, 6, 4);
  const store_progress progress = {1, 0.5, 3};
  f->a->progress(f->a, &run, &progress);
  await_rows(f->b, "one", 4);
  assert_true(is_partial(f->b, "one"));
  double column[6];
  assert_int_equal(read_column(f->b, "one", "T", 0, 4, column), SERVICE_OK);
  assert_true(column[3] == 3);
  assert_int_equal(read_column(f->b, "one", "T", 0, 5, column), SERVICE_NOT_FOUND);
  write_tile(f->a, &run, 1, 4, 2, 2, &extent);
  f->a->progress(f->a, &run, &progress);
  await_rows(f->b, "one", 6);
  assert_int_equal(read_column(f->b, "one", "q", 1, 6, column), SERVICE_OK);
  for (int i = 0; i < 6; i++) assert_true(column[i] == i + 100);
  assert_int_equal(read_column(f->b, "one", "q", 1, 6, NULL), SERVICE_OK); /* only compared with checksums */
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, extent)), SERVICE_OK);
  assert_false(is_partial(f->b, "one"));
  service_job job = {0};
  assert_int_equal(get(f->b, "one", &job), SERVICE_OK);
  assert_non_null(strstr(job.report, "\"results_checksum\":\""));
  service_job_free(&job);
}

/* An array without columns has no tiles, and as many rows as the others. */
static void arrays_without_columns_have_rows(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run run = claim(f, f->a, "one");
  store_extent extent = write_results(f->a, run, 3, 3);
  const store_array empty = {2, "Lam", NULL, NULL, "[]", "[]", 2, {0, 0, 1, 1}, false, 0, false};
  f->a->array(f->a, &run, &empty);
  extent.arrays++;
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, extent)), SERVICE_OK);
  service_array *list = NULL;
  size_t count = 0;
  store_wait wait = STORE_WAIT_INIT;
  f->b->arrays(f->b, "one", &list, &count, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
  assert_int_equal(count, 3);
  assert_true(list[2].shape[0] == 3 && list[2].shape[1] == 0);
  for (size_t i = 0; i < count; i++) service_array_free(&list[i]);
  free(list);
}

static void an_end_counts_once(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run first = claim(f, f->a, "one");
  write_results(f->a, first, 2, 2);
  assert_int_equal(requeue(f->a, first, 1, true), SERVICE_OK);
  store_run second = claim(f, f->b, "one");
  assert_int_equal(second.attempt, 2);
  assert_int_equal(f->claims.claims[1].crashes, 1);
  store_extent extent = write_results(f->b, second, 4, 4), stale = {2, 0, 0};
  write_tile(f->a, &first, 0, 2, 2, 1, &stale); /* this attempt does not know that another one replaced it */
  assert_int_equal(finish(f->a, end_of(first, JOB_FAILED, stale)), SERVICE_NOT_FOUND);
  expect_job(f, "one", "running", 2);
  assert_int_equal(requeue(f->a, first, 1, true), SERVICE_NOT_FOUND);
  assert_int_equal(finish(f->b, end_of(second, JOB_SUCCEEDED, extent)), SERVICE_OK);
  /* A runner that did not receive the response may repeat the call, or make another one. */
  for (int i = 0; i < 2; i++) {
    assert_int_equal(finish(f->b, end_of(second, JOB_SUCCEEDED, extent)), SERVICE_NOT_FOUND);
    assert_int_equal(finish(f->b, end_of(second, JOB_FAILED, (store_extent){0})), SERVICE_NOT_FOUND);
    assert_int_equal(requeue(f->b, second, 1, false), SERVICE_NOT_FOUND);
  }
  expect_job(f, "one", "succeeded", 2);
  size_t arrays, rows;
  assert_int_equal(list_arrays(f->a, "one", &arrays, &rows), SERVICE_OK);
  assert_true(arrays == 2 && rows == 4);
}

static void missing_results_are_reported(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run run = claim(f, f->a, "one");
  store_extent extent = write_results(f->a, run, 4, 4), ignored = {0};
  write_tile(f->a, &run, 0, 6, 2, 1, &ignored); /* rows 4 and 5 are missing: it is dropped */
  store_extent more = extent;
  more.bytes += ignored.bytes;
  more.rows += ignored.rows;
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, more)), SERVICE_NOT_READY);
  expect_job(f, "one", "running", 1);
  assert_int_equal(finish(f->a, end_of(run, JOB_FAILED, (store_extent){0})), SERVICE_OK);
  expect_job(f, "one", "failed", 1);
  size_t arrays, rows;
  assert_int_equal(list_arrays(f->b, "one", &arrays, &rows), SERVICE_OK);
  assert_int_equal(arrays, 0);
}

static void what_did_not_succeed_keeps_whole_rows(void **state) {
  fixture *f = *state;
  size_t arrays, rows;
  assert_int_equal(submit(f->a, "failed"), SERVICE_OK);
  store_run run = claim(f, f->a, "failed");
  store_extent extent = write_results(f->a, run, 5, 3);
  assert_int_equal(finish(f->a, end_of(run, JOB_FAILED, extent)), SERVICE_OK);
  assert_int_equal(list_arrays(f->b, "failed", &arrays, &rows), SERVICE_OK);
  assert_true(arrays == 2 && rows == 3);
  service_job job = {0};
  assert_int_equal(get(f->b, "failed", &job), SERVICE_OK);
  assert_true(job.progress_t == 2); /* time of the last saved row, as the worker left no report */
  assert_null(strstr(job.error, "9"));
  service_job_free(&job);
  /* A job that was requeued and is then cancelled has the results of its last attempt. */
  assert_int_equal(submit(f->a, "back"), SERVICE_OK);
  run = claim(f, f->a, "back");
  write_results(f->a, run, 4, 2);
  assert_int_equal(requeue(f->a, run, 9, false), SERVICE_OK);
  for (int i = 0; i < 2; i++) assert_int_equal(requeue(f->a, run, 9, false), SERVICE_NOT_FOUND);
  expect_job(f, "back", "queued", 1);
  assert_int_equal(cancel(f->b, "back"), SERVICE_OK);
  assert_int_equal(list_arrays(f->b, "back", &arrays, &rows), SERVICE_OK);
  assert_true(arrays == 2 && rows == 2);
}

static void cancels_end_waiting_jobs_and_notify_running_ones(void **state) {
  fixture *f = *state;
  assert_int_equal(cancel(f->a, "none"), SERVICE_NOT_FOUND);
  assert_int_equal(submit(f->a, "runs"), SERVICE_OK);
  store_run run = claim(f, f->a, "runs");
  assert_int_equal(submit(f->a, "waits"), SERVICE_OK);
  for (int i = 0; i < 2; i++) { /* a second call is not an error */
    assert_int_equal(cancel(f->b, "waits"), SERVICE_OK);
    assert_int_equal(cancel(f->b, "runs"), SERVICE_OK);
  }
  expect_event(f, STORE_EVENT_ENDED, "waits");
  expect_event(f, STORE_EVENT_CANCEL, "runs");
  expect_job(f, "waits", "cancelled", 0);
  expect_job(f, "runs", "running", 1);
  expect_no_event(f, STORE_EVENT_ENDED, "runs");
  /* The runner of the job requeues it without knowing of the cancel: the job ends. */
  assert_int_equal(requeue(f->a, run, 1, true), SERVICE_OK);
  expect_event(f, STORE_EVENT_ENDED, "runs");
  expect_job(f, "runs", "cancelled", 1);
  /* A finished job does not change. */
  assert_int_equal(submit(f->a, "done"), SERVICE_OK);
  run = claim(f, f->a, "done");
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, (store_extent){0})), SERVICE_OK);
  assert_int_equal(cancel(f->b, "done"), SERVICE_OK);
  expect_job(f, "done", "succeeded", 1);
}

static void subscribers_receive_ends_and_removals(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run run = claim(f, f->a, "one");
  expect_no_event(f, STORE_EVENT_ENDED, "one");
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, (store_extent){0})), SERVICE_OK);
  pthread_mutex_lock(&lock); /* must be notified on the handle that made it, before its callback */
  size_t count = count_events(&f->told_a, STORE_EVENT_ENDED, "one");
  pthread_mutex_unlock(&lock);
  assert_true(count > 0);
  expect_event(f, STORE_EVENT_ENDED, "one");
  assert_int_equal(remove_job(f->b, "one"), SERVICE_OK);
  expect_event(f, STORE_EVENT_REMOVED, "one");
  expect_no_event(f, STORE_EVENT_CANCEL, "one");
}

static void subscribers_receive_all_states_of_a_job(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  pthread_mutex_lock(&lock); /* must be notified on the handle that made it, before its callback */
  size_t count = count_events(&f->told_a, STORE_EVENT_QUEUED, "one");
  pthread_mutex_unlock(&lock);
  assert_true(count > 0);
  expect_event(f, STORE_EVENT_QUEUED, "one");
  expect_no_event(f, STORE_EVENT_STARTED, "one");
  store_run run = claim(f, f->a, "one");
  expect_event(f, STORE_EVENT_STARTED, "one");
  expect_no_event(f, STORE_EVENT_PROGRESS, "one");
  const store_progress progress = {1, 0.5, 10};
  f->a->progress(f->a, &run, &progress);
  expect_event(f, STORE_EVENT_PROGRESS, "one");
  forget_events(f);
  assert_int_equal(requeue(f->a, run, 1, false), SERVICE_OK);
  expect_event(f, STORE_EVENT_QUEUED, "one");
  run = claim(f, f->b, "one");
  expect_event(f, STORE_EVENT_STARTED, "one");
  forget_events(f);
  assert_int_equal(cancel(f->a, "one"), SERVICE_OK);
  assert_int_equal(requeue(f->b, run, 1, false), SERVICE_OK); /* the job ends, and is not requeued */
  expect_event(f, STORE_EVENT_ENDED, "one");
  expect_no_event(f, STORE_EVENT_QUEUED, "one");
}

static void removed_jobs_leave_nothing(void **state) {
  fixture *f = *state;
  assert_int_equal(submit(f->a, "one"), SERVICE_OK);
  store_run run = claim(f, f->a, "one");
  store_extent extent = write_results(f->a, run, 2, 2);
  assert_int_equal(remove_job(f->b, "one"), SERVICE_OK);
  assert_int_equal(remove_job(f->b, "one"), SERVICE_NOT_FOUND);
  write_tile(f->a, &run, 0, 2, 2, 1, &extent);
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, extent)), SERVICE_NOT_FOUND);
  service_job job = {0};
  size_t arrays, rows;
  assert_int_equal(get(f->a, "one", &job), SERVICE_NOT_FOUND);
  assert_int_equal(list_arrays(f->a, "one", &arrays, &rows), SERVICE_NOT_FOUND);
  for (job_state i = 0; i < JOB_STATES; i++) assert_int_equal(count_jobs(f->a, i), 0);
}

/* This test uses short leases, because a run may hold its job over the restart of its server until they expire. */
static void everything_lasts(void **state) {
  fixture *f = *state;
  const char *ids[] = {"ended", "runs", "waits"};
  for (int i = 0; i < 3; i++) assert_int_equal(submit(f->a, ids[i]), SERVICE_OK);
  store_run run = claim(f, f->a, "ended");
  store_extent extent = write_results(f->a, run, 3, 3);
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, extent)), SERVICE_OK);
  run = claim(f, f->b, "runs");
  close_both(f);
  engine->reopen(&f->a, &f->b);
  watch_both(f);
  expect_job(f, "ended", "succeeded", 1);
  size_t arrays, rows;
  assert_int_equal(list_arrays(f->b, "ended", &arrays, &rows), SERVICE_OK);
  assert_true(arrays == 2 && rows == 3);
  size_t before = f->claims.answered;
  ask(f, f->a);
  ask(f, f->b);
  assert_true(await_claims(f, before + 2, PATIENCE_SECONDS));
  for (size_t i = before; i < before + 2; i++) {
    const store_run *again = &f->claims.claims[i].run;
    bool ran = strcmp(again->id, "runs") == 0;
    assert_true(ran || strcmp(again->id, "waits") == 0);
    assert_int_equal(again->attempt, ran ? 2 : 1);
  }
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, (store_extent){0})), SERVICE_NOT_FOUND);
}

/* ---- setting up -------------------------------------------------------------------------------------------------- */

/* ---- studies ----------------------------------------------------------------------------------------------------- */

static void submit_study(srv_store *store, const char *client, const char *id, size_t runs) {
  assert_int_equal(submit_as(store, id, 1, (service_submission){.client = client, .runs = runs}), SERVICE_OK);
}

/* Returns the next claim of any kind. */
static store_claim claim_next(fixture *f, srv_store *store) {
  size_t before = f->claims.answered;
  ask(f, store);
  assert_true(await_claims(f, before + f->claims.none + 1, PATIENCE_SECONDS));
  return f->claims.claims[before];
}

/* Claims a study, which must be the next job, and begins to coordinate it. */
static store_run coordinate(fixture *f, srv_store *store, const char *id, size_t runs) {
  store_claim claimed = claim_next(f, store);
  assert_string_equal(claimed.run.id, id);
  assert_false(claimed.run.is_block);
  assert_int_equal(claimed.runs, runs);
  return claimed.run;
}

/* Claims a block of a study. */
static store_claim claim_block(fixture *f, srv_store *store, const char *id) {
  store_claim claimed = claim_next(f, store);
  assert_string_equal(claimed.run.id, id);
  assert_true(claimed.run.is_block && claimed.runs > 0);
  assert_non_null(claimed.document);
  return claimed;
}

/* Saves the first runs of a block, which took `seconds`: a column with their numbers, and a column of 1. */
static service_status finish_block(srv_store *store, const store_claim *claimed, size_t runs, double seconds) {
  double data[2 * 64];
  assert_true(runs <= 64);
  for (size_t i = 0; i < runs; i++) {
    data[2 * i] = (double)(claimed->first + i);
    data[2 * i + 1] = 1;
  }
  char report[40];
  snprintf(report, sizeof report, "{\"first\":%zu}", claimed->first);
  const store_block block = {claimed->first, runs, 2, data, report, seconds};
  store_wait wait = STORE_WAIT_INIT;
  store->finish_block(store, &claimed->run, &block, store_wait_done, &wait);
  return store_wait_for(&wait);
}

/* Reads the block that contains a run, or the next one. Returns the first run after it, or 0 if there is none. The rows
 * must be those of finish_block(). */
static size_t read_block(srv_store *store, const char *id, size_t from) {
  store_block block = {0};
  store_wait wait = STORE_WAIT_INIT;
  store->block(store, id, from, &block, store_wait_done, &wait);
  service_status status = store_wait_for(&wait);
  if (status == SERVICE_NOT_FOUND) return 0;
  assert_int_equal(status, SERVICE_OK);
  assert_true(block.columns == 2 && block.runs > 0 && block.first + block.runs > from);
  for (size_t i = 0; i < block.runs; i++)
    assert_true(block.data[2 * i] == (double)(block.first + i) && block.data[2 * i + 1] == 1);
  assert_non_null(strstr(block.report, "first"));
  size_t next = block.first + block.runs;
  free(block.data);
  free(block.report);
  return next;
}

/* Expects that a job shows this number of runs. */
static void expect_runs(srv_store *store, const char *id, size_t runs) {
  service_job job;
  assert_int_equal(get(store, id, &job), SERVICE_OK);
  assert_int_equal(job.runs, runs);
  service_job_free(&job);
}

/* The time of a block counts for the client of its study. */
static void blocks_cost_processor_time(void **state) {
  fixture *f = *state;
  await_safe_time_of_day(f->a);
  assert_int_equal(submit_as(f->a, "study", 1, (service_submission){.client = "a", .runs = 4}), SERVICE_OK);
  claim(f, f->a, "study");
  const store_claim block = claim_block(f, f->b, "study");
  assert_string_equal(block.client, "a");
  f->b->charge(f->b, &block.run, block.client, 0.5);
  assert_int_equal(requeue(f->b, block.run, 0, false), SERVICE_OK);
  for (int i = 0; i < 50 * PATIENCE_SECONDS && usage_of(f->a, "a").used[SERVICE_LIMIT_CPU] == 0; i++) usleep(20000);
  assert_true(usage_of(f->a, "a").used[SERVICE_LIMIT_CPU] == 0.5);
}

static void blocks_are_each_run_once(void **state) {
  fixture *f = *state;
  enum { RUNS = 1000 };
  submit_study(f->a, "ann", "study", RUNS);
  store_run run = coordinate(f, f->a, "study", RUNS);
  expect_job(f, "study", "running", 1);
  int made[RUNS] = {0};
  size_t done = 0;
  for (int i = 0; done < RUNS; i++) {
    assert_true(i < JOBS - 1);
    srv_store *store = i % 2 ? f->a : f->b;
    store_claim block = claim_block(f, store, "study");
    size_t kept = block.runs < 64 ? block.runs : 64; /* the others are requeued */
    for (size_t k = 0; k < kept; k++) made[block.first + k]++;
    assert_int_equal(finish_block(store, &block, kept, 0.001 * (double)kept), SERVICE_OK);
    assert_int_equal(finish_block(store, &block, kept, 0.001), SERVICE_OK); /* repeated */
    done += kept;
  }
  for (size_t i = 0; i < RUNS; i++) assert_int_equal(made[i], 1);
  expect_event(f, STORE_EVENT_PROGRESS, "study");
  size_t from = 0;
  while (from < RUNS) {
    size_t next = read_block(f->a, "study", from);
    assert_true(next > from);
    from = next;
  }
  assert_int_equal(read_block(f->b, "study", RUNS), 0);
  expect_runs(f->b, "study", RUNS);
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, (store_extent){0})), SERVICE_OK);
  expect_runs(f->b, "study", RUNS);
  assert_int_equal(read_block(f->a, "study", 0), 0);
}

/* Imitates a crash of the database that lost a claim, but whose claimant still knows it. */
static void a_block_of_a_forgotten_claim_is_saved(void **state) {
  fixture *f = *state;
  submit_study(f->a, "ann", "study", 1000);
  coordinate(f, f->a, "study", 1000);
  const store_claim unknown = {.run = {"study", 3, true}, .first = 0, .runs = 8};
  assert_int_equal(finish_block(f->a, &unknown, 8, 0.001), SERVICE_OK);
  assert_int_equal(read_block(f->b, "study", 0), 8);
  store_claim next = claim_block(f, f->b, "study");
  assert_int_equal(next.first, 8);
  size_t kept = next.runs < 64 ? next.runs : 64;
  assert_int_equal(finish_block(f->b, &next, kept, 0.001), SERVICE_OK);
  assert_int_equal(claim_block(f, f->a, "study").first, 8 + kept);
}

static void blocks_that_go_back_are_handed_out_again(void **state) {
  fixture *f = *state;
  submit_study(f->a, "ann", "study", 4);
  coordinate(f, f->a, "study", 4);
  store_claim all = claim_block(f, f->b, "study");
  assert_true(all.first == 0 && all.runs == 4);
  assert_int_equal(renew(f->b, all.run), STORE_LEASE_HELD);
  assert_int_equal(requeue(f->b, all.run, 0, false), SERVICE_OK);
  assert_int_equal(requeue(f->b, all.run, 0, false), SERVICE_NOT_FOUND);
  assert_int_equal(renew(f->b, all.run), STORE_LEASE_LOST);
  store_claim again = claim_block(f, f->a, "study");
  assert_true(again.first == 0 && again.runs == 4 && again.run.attempt != all.run.attempt);
  /* The block is halved until the run that kills workers is identified. */
  assert_int_equal(requeue(f->a, again.run, 0, true), SERVICE_OK);
  store_claim half = claim_block(f, f->b, "study");
  assert_true(half.first == 0 && half.runs == 2 && half.crashes == 0);
  assert_int_equal(requeue(f->b, half.run, 0, true), SERVICE_OK);
  for (int crashes = 0; crashes < 3; crashes++) {
    store_claim one = claim_block(f, f->b, "study");
    assert_true(one.first == 0 && one.runs == 1 && one.crashes == crashes);
    assert_int_equal(requeue(f->b, one.run, 0, true), SERVICE_OK);
  }
  /* Every attempt may deliver the block. */
  assert_int_equal(finish_block(f->a, &all, 4, 0.1), SERVICE_OK);
  assert_int_equal(read_block(f->b, "study", 0), 4);
  ask(f, f->a);
  assert_false(await_claims(f, f->claims.answered + 1, 0.3));
}

static void blocks_go_back_with_their_leases(void **state) {
  fixture *f = *state;
  submit_study(f->a, "ann", "study", 2);
  store_run run = coordinate(f, f->a, "study", 2);
  store_claim lost = claim_block(f, f->b, "study");
  size_t before = f->claims.answered;
  ask(f, f->a);
  while (!await_claims(f, before + 1, 0.3)) assert_int_equal(renew(f->a, run), STORE_LEASE_HELD);
  store_claim found = f->claims.claims[before];
  assert_true(found.run.is_block && found.first == lost.first && found.runs == lost.runs);
  assert_int_equal(renew(f->b, lost.run), STORE_LEASE_LOST);
}

static void a_study_resumes_where_it_stopped(void **state) {
  fixture *f = *state;
  submit_study(f->a, "ann", "study", 12);
  store_run run = coordinate(f, f->a, "study", 12);
  store_claim first = claim_block(f, f->b, "study");
  store_claim second = claim_block(f, f->b, "study");
  assert_int_equal(requeue(f->a, run, 0, false), SERVICE_OK);
  expect_job(f, "study", "queued", 1);
  /* No block is claimed without a coordinator, but finished ones are saved. */
  assert_int_equal(finish_block(f->b, &second, second.runs, 0.1), SERVICE_OK);
  store_run anew = coordinate(f, f->b, "study", 12);
  assert_int_equal(anew.attempt, 2);
  assert_int_equal(read_block(f->a, "study", second.first), second.first + second.runs);
  assert_int_equal(finish_block(f->b, &first, first.runs, 0.1), SERVICE_OK);
  for (size_t done = first.runs + second.runs; done < 12;) {
    store_claim rest = claim_block(f, f->a, "study");
    assert_true(rest.first >= first.runs + second.runs);
    assert_int_equal(finish_block(f->a, &rest, rest.runs, 0.1), SERVICE_OK);
    done += rest.runs;
  }
  assert_int_equal(finish(f->a, end_of(run, JOB_SUCCEEDED, (store_extent){0})), SERVICE_NOT_FOUND);
  assert_int_equal(finish(f->b, end_of(anew, JOB_SUCCEEDED, (store_extent){0})), SERVICE_OK);
}

static void blocks_end_with_their_job(void **state) {
  fixture *f = *state;
  for (int way = 0; way < 2; way++) {
    const char *id = way == 0 ? "cancelled" : "removed";
    submit_study(f->a, "ann", id, 100);
    store_run run = coordinate(f, f->a, id, 100);
    store_claim block = claim_block(f, f->b, id), other = claim_block(f, f->b, id);
    assert_int_equal(finish_block(f->b, &block, block.runs, 0.1), SERVICE_OK);
    if (way == 0) {
      assert_int_equal(cancel(f->b, id), SERVICE_OK);
      expect_event(f, STORE_EVENT_CANCEL, id);
      assert_true(read_block(f->a, id, 0) > 0);
      assert_int_equal(finish(f->a, end_of(run, JOB_CANCELLED, (store_extent){0})), SERVICE_OK);
    } else {
      assert_int_equal(remove_job(f->b, id), SERVICE_OK);
    }
    assert_int_equal(read_block(f->a, id, 0), 0);
    assert_int_equal(renew(f->b, other.run), STORE_LEASE_LOST);
    assert_int_equal(finish_block(f->b, &other, other.runs, 0.1), SERVICE_NOT_FOUND);
  }
}

/* A study leaves capacity for other jobs, of its own client and of others. */
static void studies_take_turns(void **state) {
  fixture *f = *state;
  submit_study(f->a, "ann", "study", 100000);
  coordinate(f, f->a, "study", 100000);
  submit_study(f->a, "ann", "later", 10);
  for (int i = 0; i < 2; i++) claim_block(f, f->a, "study");
  submit_for(f->a, "ann", "hers", (service_cost){.seconds = INFINITY});
  claim(f, f->b, "hers"); /* this client has no other running job */
  submit_for(f->a, "bob", "his", (service_cost){.seconds = INFINITY});
  claim(f, f->b, "his");
  claim_block(f, f->b, "study"); /* the other study waits until this one ends */
}

/* Expects that no block can be prefetched, without waiting. */
static void expect_none_ahead(fixture *f, srv_store *store) {
  size_t none = f->claims.none;
  f->claims.asked++;
  store->claim_next_block(store, note_claim, &f->claims);
  assert_true(await_claims(f, f->claims.answered + none + 1, PATIENCE_SECONDS));
  assert_int_equal(f->claims.none, none + 1);
}

/* Prefetches a block. */
static store_claim claim_next_block(fixture *f, srv_store *store, const char *id) {
  size_t before = f->claims.answered;
  f->claims.asked++;
  store->claim_next_block(store, note_claim, &f->claims);
  assert_true(await_claims(f, before + f->claims.none + 1, PATIENCE_SECONDS));
  assert_int_equal(f->claims.answered, before + 1);
  store_claim claimed = f->claims.claims[before];
  assert_string_equal(claimed.run.id, id);
  assert_true(claimed.run.is_block && claimed.runs > 0 && claimed.document);
  return claimed;
}

/* Blocks are prefetched when it is the turn of their study; jobs and studies never are. */
static void blocks_are_claimed_ahead(void **state) {
  fixture *f = *state;
  expect_none_ahead(f, f->a);
  submit_study(f->a, "ann", "study", 100);
  expect_none_ahead(f, f->b);
  coordinate(f, f->a, "study", 100);
  store_claim made = claim_block(f, f->b, "study"), ahead = claim_next_block(f, f->b, "study");
  assert_int_equal(ahead.first, made.first + made.runs);
  assert_int_equal(renew(f->b, ahead.run), STORE_LEASE_HELD);
  submit_for(f->a, "ann", "hers", (service_cost){.seconds = INFINITY});
  expect_none_ahead(f, f->b);
  claim(f, f->b, "hers");
  claim_next_block(f, f->b, "study"); /* three blocks in addition to a single job: no other job waits */
  submit_for(f->a, "bob", "his", (service_cost){.seconds = INFINITY});
  expect_none_ahead(f, f->a);
  claim(f, f->a, "his");
  /* A prefetched block that is not computed is requeued, and a crash of its worker does not count as its own. */
  assert_int_equal(requeue(f->b, ahead.run, 0, false), SERVICE_OK);
  store_claim again = claim_next_block(f, f->a, "study");
  assert_true(again.first == ahead.first && again.runs == ahead.runs && again.crashes == 0);
  assert_int_equal(renew(f->b, ahead.run), STORE_LEASE_LOST);
  f->a->stop_claims(f->a);
  expect_none_ahead(f, f->a);
}

static int set_up(void **state, double lease) {
  fixture *f = calloc(1, sizeof *f);
  engine->open(lease, &f->a, &f->b);
  watch_both(f);
  *state = f;
  return 0;
}

static int set_up_long(void **state) { return set_up(state, long_lease); }

static int set_up_short(void **state) { return set_up(state, short_lease); }

static int tear_down(void **state) {
  fixture *f = *state;
  close_both(f);
  int unanswered = f->claims.answered + f->claims.none != f->claims.asked; /* close answers waiting claims */
  for (size_t i = 0; i < f->claims.answered; i++) free(f->claims.claims[i].document);
  free(f);
  return unanswered;
}

#define WITH_LONG_LEASES(test) cmocka_unit_test_setup_teardown(test, set_up_long, tear_down)
#define WITH_SHORT_LEASES(test) cmocka_unit_test_setup_teardown(test, set_up_short, tear_down)

int store_conformance(const store_engine *tested) {
  engine = tested;
  const struct CMUnitTest tests[] = {
      WITH_LONG_LEASES(jobs_are_there_once_acknowledged),
      WITH_LONG_LEASES(lists_are_newest_first_in_pages),
      WITH_LONG_LEASES(each_job_is_claimed_once_oldest_first),
      WITH_LONG_LEASES(clients_take_turns),
      WITH_LONG_LEASES(no_client_starves),
      WITH_LONG_LEASES(short_jobs_are_claimed_by_themselves),
      WITH_LONG_LEASES(how_long_a_kind_takes_is_learned),
      WITH_LONG_LEASES(a_client_has_so_many_queued_jobs),
      WITH_LONG_LEASES(a_client_stores_so_many_bytes),
      WITH_LONG_LEASES(processor_time_of_a_client_is_limited),
      WITH_LONG_LEASES(blocks_cost_processor_time),
      WITH_LONG_LEASES(a_key_identifies_one_job),
      WITH_LONG_LEASES(a_key_is_taken_once),
      WITH_LONG_LEASES(what_succeeded_is_reused),
      WITH_LONG_LEASES(what_is_reused_is_called_the_same),
      WITH_LONG_LEASES(jobs_are_renamed),
      WITH_LONG_LEASES(lists_are_filtered),
      WITH_LONG_LEASES(stopped_claims_are_answered_with_none),
      WITH_LONG_LEASES(heartbeats_report_cancels_and_losses),
      WITH_SHORT_LEASES(leases_run_out_unless_renewed),
      WITH_SHORT_LEASES(a_cancelled_job_ends_with_its_lease),
      WITH_LONG_LEASES(progress_is_seen_everywhere),
      WITH_LONG_LEASES(an_end_shows_report_and_results),
      WITH_LONG_LEASES(results_are_there_while_a_job_runs),
      WITH_LONG_LEASES(arrays_without_columns_have_rows),
      WITH_LONG_LEASES(an_end_counts_once),
      WITH_LONG_LEASES(missing_results_are_reported),
      WITH_LONG_LEASES(what_did_not_succeed_keeps_whole_rows),
      WITH_LONG_LEASES(cancels_end_waiting_jobs_and_notify_running_ones),
      WITH_LONG_LEASES(subscribers_receive_ends_and_removals),
      WITH_LONG_LEASES(subscribers_receive_all_states_of_a_job),
      WITH_LONG_LEASES(removed_jobs_leave_nothing),
      WITH_SHORT_LEASES(everything_lasts),
      WITH_LONG_LEASES(blocks_are_each_run_once),
      WITH_LONG_LEASES(a_block_of_a_forgotten_claim_is_saved),
      WITH_LONG_LEASES(blocks_that_go_back_are_handed_out_again),
      WITH_SHORT_LEASES(blocks_go_back_with_their_leases),
      WITH_LONG_LEASES(a_study_resumes_where_it_stopped),
      WITH_LONG_LEASES(blocks_end_with_their_job),
      WITH_LONG_LEASES(studies_take_turns),
      WITH_LONG_LEASES(blocks_are_claimed_ahead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
