/* Documents that wait for a check: their order and waiting time, the choice of the worker, and the result when the
 * worker or the pool ends. The test acts as the processes of the workers. */
#include "server/base/clock.h"
#include "server/jobs/pool.h"
#include "server/jobs/pool_worker.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { WORKERS = 5 };

typedef struct fixture {
  pool_worker workers[WORKERS];
  int processes[WORKERS]; /* peer ends of the workers' sockets */
  srv_pool pool;
  srv_store store;
} fixture;

/* A document to check, and the number of its results. */
typedef struct asked {
  srv_check check; /* first */
  int dones;
} asked;

static void count_done(srv_check *check) { ((asked *)check)->dones++; }

static asked document(const char *id, bool validate) {
  asked self = {
      .check = {
          .document = {.text = "{}", .size = 2, .target = "/", .purpose = validate ? SERVICE_VALIDATE : SERVICE_RUN}}};
  snprintf(self.check.id, sizeof self.check.id, "%s", id);
  self.check.done = count_done;
  return self;
}

static bool never_behind(srv_store *store, bool waits) {
  (void)store;
  (void)waits;
  return false;
}

static void start(fixture *f, int i) {
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  f->processes[i] = ends[1];
  pool_worker_begin(&f->workers[i], i + 1, ends[0]);
}

static void set_up(fixture *f) {
  memset(f, 0, sizeof *f);
  f->store.is_behind = never_behind;
  f->pool = (srv_pool){.settings = {.workers = WORKERS, .jobs = 1, .check_memory = 1, .check_seconds = 60},
                       .store = &f->store,
                       .metrics = srv_metrics_new(),
                       .supervisor = {.socket = -1},
                       .workers = f->workers,
                       .epoll = epoll_create1(EPOLL_CLOEXEC)};
  pthread_mutex_init(&f->pool.mutex, NULL);
  pthread_cond_init(&f->pool.alive_changed, NULL);
  pool_checks_init(&f->pool.checks);
  for (int i = 0; i < WORKERS; i++) {
    f->workers[i] = (pool_worker){.pool = &f->pool, .slot = i, .socket = -1};
    start(f, i);
  }
}

static void tear_down(fixture *f) {
  for (int i = 0; i < WORKERS; i++) {
    message_reader_free(&f->workers[i].in);
    message_builder_free(&f->workers[i].out);
    if (f->workers[i].socket >= 0) close(f->workers[i].socket);
    close(f->processes[i]);
  }
  close(f->pool.epoll);
  pthread_cond_destroy(&f->pool.alive_changed);
  pthread_mutex_destroy(&f->pool.mutex);
  srv_metrics_free(f->pool.metrics);
}

static void go_round(fixture *f) { pool_checks_dispatch(&f->pool, srv_clock_monotonic(), true); }

/* Returns the worker that checks a document; fails if none does. */
static int worker_of(const fixture *f, const asked *document) {
  for (int i = 0; i < WORKERS; i++)
    if (f->workers[i].check == &document->check) return i;
  fail_msg("no worker checks '%s'", document->check.id);
  return -1;
}

static bool is_checked(const fixture *f, const asked *document) {
  for (int i = 0; i < WORKERS; i++)
    if (f->workers[i].check == &document->check) return true;
  return false;
}

static void tell_verdict(fixture *f, int i, int status, const char *text, const char *name) {
  message_builder out = {0};
  message_begin(&out, MESSAGE_VERDICT);
  message_put_integer(&out, (uint64_t)status);
  message_put_text(&out, text);
  message_put_text(&out, name);
  message_put_text(&out, NULL);
  message_put_text(&out, "called");
  message_put_text(&out, "[\"tag\"]");
  message_put_integer(&out, 1);
  message_put_integer(&out, 0);
  message_put_text(&out, "0123456789abcdef");
  message_put_integer(&out, 77);
  message_put_number(&out, 2.5);
  message_put_number(&out, 0.125);
  message_put_integer(&out, 12);
  assert_true(message_end(&out) && message_send(f->processes[i], out.data, out.size));
  message_builder_free(&out);
  pool_worker_event(&f->workers[i], EPOLLIN);
}

/* Ends the process of worker i; another one replaces it. `known`: the supervisor reports the end; else the process
 * ended with the supervisor. */
static void die(fixture *f, int i, bool known) {
  close(f->processes[i]);
  pool_worker_event(&f->workers[i], EPOLLIN);
  const supervisor_message end = {.verb = SUPERVISOR_ENDED, .status = SIGKILL};
  pool_worker_ended(&f->workers[i], known ? &end : NULL);
  start(f, i);
}

static void verdicts_are_returned(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  asked good = document("job", false), bad = document("bad", false);
  assert_int_equal(pool_checks_post(&f.pool, &good.check), SERVICE_PENDING);
  assert_int_equal(pool_checks_post(&f.pool, &bad.check), SERVICE_PENDING);
  assert_true(pool_checks_busy(&f.pool));
  go_round(&f);
  int worker = worker_of(&f, &good);
  message_reader in = {0};
  assert_int_equal(message_receive(&in, f.processes[worker], 1 << 20, 0), MESSAGE_READY);
  assert_int_equal(in.head.kind, MESSAGE_CHECK);
  message_reader_free(&in);
  tell_verdict(&f, worker, 0, NULL, "name");
  tell_verdict(&f, worker_of(&f, &bad), 422, "{}\n", NULL);
  assert_int_equal(good.dones + bad.dones, 2);
  assert_int_equal(good.check.status, SERVICE_OK);
  const service_verdict *verdict = &good.check.verdict;
  assert_string_equal(verdict->model_name, "name");
  assert_null(verdict->analysis);
  assert_string_equal(verdict->name, "called");
  assert_string_equal(verdict->tags, "[\"tag\"]");
  assert_true(verdict->keep && !verdict->reuse);
  assert_string_equal(verdict->content_hash, "0123456789abcdef");
  assert_true(verdict->cost.kind == 77 && verdict->cost.span == 2.5 && verdict->cost.seconds == 0.125);
  assert_int_equal(verdict->runs, 12);
  assert_int_equal(bad.check.verdict.status, 422);
  assert_string_equal(bad.check.verdict.text, "{}\n");
  assert_false(pool_checks_busy(&f.pool));
  service_verdict_free(&good.check.verdict);
  service_verdict_free(&bad.check.verdict);
  /* The job goes to the worker that has its model, the next document to another one. */
  assert_ptr_equal(pool_checks_idle_worker(&f.pool, "job"), &f.workers[worker]);
  assert_ptr_not_equal(pool_checks_idle_worker(&f.pool, NULL), &f.workers[worker]);
  assert_ptr_not_equal(pool_checks_idle_worker(&f.pool, "bad"), &f.workers[worker]);
  tear_down(&f);
}

/* Jobs begin in their order of submission. Another document replaces the model of the newest job. */
static void the_next_jobs_model_is_kept(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  double now = srv_clock_monotonic();
  static const char *const ids[WORKERS] = {"2", "1", "4", "3", "0"};
  for (int i = 0; i < WORKERS; i++) {
    snprintf(f.workers[i].cached_model_job, sizeof f.workers[i].cached_model_job, "%s", ids[i]);
    f.workers[i].cached_at = now - 5 + atoi(ids[i]);
  }
  assert_ptr_equal(pool_checks_idle_worker(&f.pool, NULL), &f.workers[2]);
  assert_ptr_equal(pool_checks_idle_worker(&f.pool, "5"), &f.workers[2]);
  assert_ptr_equal(pool_checks_idle_worker(&f.pool, "1"), &f.workers[1]);
  f.workers[1].cached_at = now - 60; /* no job used this model, so the worker dropped it */
  assert_ptr_equal(pool_checks_idle_worker(&f.pool, NULL), &f.workers[1]);
  assert_ptr_equal(pool_checks_idle_worker(&f.pool, "1"), &f.workers[1]);
  assert_string_equal(f.workers[1].cached_model_job, "");
  tear_down(&f);
}

/* The pool checks two documents of each kind at the same time: one worker is left for the running job. */
static void kinds_have_their_own_workers(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  asked looks[3] = {document("", true), document("", true), document("", true)};
  asked jobs[3] = {document("1", false), document("2", false), document("3", false)};
  for (int i = 0; i < 3; i++) pool_checks_post(&f.pool, &looks[i].check);
  for (int i = 0; i < 3; i++) pool_checks_post(&f.pool, &jobs[i].check);
  go_round(&f);
  for (int i = 0; i < 2; i++) assert_true(is_checked(&f, &looks[i]) && is_checked(&f, &jobs[i]));
  assert_false(is_checked(&f, &looks[2]) || is_checked(&f, &jobs[2]));
  assert_non_null(pool_checks_idle_worker(&f.pool, NULL));
  tell_verdict(&f, worker_of(&f, &looks[0]), 200, "{}\n", NULL);
  go_round(&f);
  assert_true(is_checked(&f, &looks[2]));
  assert_false(is_checked(&f, &jobs[2]));
  tell_verdict(&f, worker_of(&f, &jobs[0]), 0, NULL, NULL);
  go_round(&f);
  assert_true(is_checked(&f, &jobs[2]));
  service_verdict_free(&looks[0].check.verdict);
  service_verdict_free(&jobs[0].check.verdict);
  tear_down(&f);
}

/* Clients take turns, and a large document waits while another large one of its client is checked. */
static void no_client_has_all_workers(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  static const char large[POOL_SMALL_DOCUMENT + 1];
  asked mine[3] = {document("1", true), document("2", true), document("3", true)}, other = document("4", true);
  for (int i = 0; i < 3; i++) {
    if (i < 2) mine[i].check.document.text = large;
    if (i < 2) mine[i].check.document.size = sizeof large;
    snprintf(mine[i].check.client, sizeof mine[i].check.client, "mine");
  }
  for (int i = 0; i < 2; i++) pool_checks_post(&f.pool, &mine[i].check);
  go_round(&f);
  assert_true(is_checked(&f, &mine[0]) && !is_checked(&f, &mine[1]));
  pool_checks_post(&f.pool, &mine[2].check);
  pool_checks_post(&f.pool, &other.check);
  go_round(&f);
  assert_true(is_checked(&f, &other) && !is_checked(&f, &mine[1]) && !is_checked(&f, &mine[2]));
  tell_verdict(&f, worker_of(&f, &other), 200, "{}\n", NULL);
  go_round(&f);
  assert_true(is_checked(&f, &mine[2]) && !is_checked(&f, &mine[1]));
  tell_verdict(&f, worker_of(&f, &mine[0]), 200, "{}\n", NULL);
  go_round(&f);
  assert_true(is_checked(&f, &mine[1]));
  service_verdict_free(&other.check.verdict);
  service_verdict_free(&mine[0].check.verdict);
  tear_down(&f);
}

static void only_so_many_wait(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  asked looks[POOL_VALIDATIONS_WAITING + 1];
  for (int i = 0; i < POOL_VALIDATIONS_WAITING + 1; i++) {
    looks[i] = document("", true);
    service_status status = pool_checks_post(&f.pool, &looks[i].check);
    assert_int_equal(status, i < POOL_VALIDATIONS_WAITING ? SERVICE_PENDING : SERVICE_BUSY);
  }
  go_round(&f); /* begins the first of them */
  assert_int_equal(pool_checks_post(&f.pool, &looks[POOL_VALIDATIONS_WAITING].check), SERVICE_PENDING);
  asked others[POOL_VALIDATIONS_WAITING];
  for (int i = 0; i < POOL_VALIDATIONS_WAITING; i++) {
    others[i] = document("", true);
    snprintf(others[i].check.client, sizeof others[i].check.client, "other");
    assert_int_equal(pool_checks_post(&f.pool, &others[i].check), SERVICE_PENDING);
  }
  asked job = document("job", false);
  assert_int_equal(pool_checks_post(&f.pool, &job.check), SERVICE_PENDING);
  tear_down(&f);
}

/* Documents of jobs wait without limit while there are workers. */
static void expired_checks_are_late(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  asked looks[3] = {document("", true), document("", true), document("", true)};
  asked jobs[3] = {document("1", false), document("2", false), document("3", false)};
  for (int i = 0; i < 3; i++) pool_checks_post(&f.pool, &looks[i].check);
  for (int i = 0; i < 3; i++) pool_checks_post(&f.pool, &jobs[i].check);
  go_round(&f);
  pool_checks_dispatch(&f.pool, srv_clock_monotonic() + POOL_VALIDATION_PATIENCE + 1, true);
  assert_int_equal(looks[0].dones + jobs[2].dones, 0);
  assert_int_equal(looks[2].dones, 1);
  assert_int_equal(looks[2].check.status, SERVICE_LATE);
  pool_checks_dispatch(&f.pool, srv_clock_monotonic(), false);
  assert_int_equal(jobs[2].dones, 1);
  assert_int_equal(jobs[2].check.status, SERVICE_NO_WORKERS);
  tear_down(&f);
}

/* Closing waits for nothing, not even for running checks. */
static void close_rejects_everything(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  asked looks[3] = {document("", true), document("", true), document("", true)};
  pool_checks_post(&f.pool, &looks[0].check);
  go_round(&f);
  pool_checks_post(&f.pool, &looks[1].check);
  int worker = worker_of(&f, &looks[0]);
  pool_checks_close(&f.pool);
  assert_int_equal(pool_checks_post(&f.pool, &looks[2].check), SERVICE_LATE);
  go_round(&f);
  assert_int_equal(looks[1].check.status, SERVICE_LATE);
  pool_worker_check(&f.workers[worker], srv_clock_monotonic());
  assert_true(f.workers[worker].killed);
  die(&f, worker, true);
  assert_int_equal(looks[0].check.status, SERVICE_LATE);
  assert_int_equal(looks[0].dones + looks[1].dones + looks[2].dones, 2);
  tear_down(&f);
}

/* A check is retried once after its worker died; the death of the supervisor does not count. */
static void death_of_a_worker(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  asked job = document("job", false);
  pool_checks_post(&f.pool, &job.check);
  for (int round = 0; round < 3; round++) {
    go_round(&f);
    assert_int_equal(job.dones, 0);
    die(&f, worker_of(&f, &job), round > 0);
  }
  assert_int_equal(job.dones, 1);
  assert_int_equal(job.check.status, SERVICE_DIED);
  go_round(&f);
  assert_false(is_checked(&f, &job));
  assert_false(pool_checks_busy(&f.pool));
  tear_down(&f);
}

static void deadline(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  f.pool.settings.check_seconds = 0;
  asked job = document("job", false);
  pool_checks_post(&f.pool, &job.check);
  go_round(&f);
  int worker = worker_of(&f, &job);
  pool_worker_check(&f.workers[worker], srv_clock_monotonic());
  die(&f, worker, true);
  assert_int_equal(job.check.status, SERVICE_TOO_LONG);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verdicts_are_returned),
      cmocka_unit_test(the_next_jobs_model_is_kept),
      cmocka_unit_test(kinds_have_their_own_workers),
      cmocka_unit_test(no_client_has_all_workers),
      cmocka_unit_test(only_so_many_wait),
      cmocka_unit_test(expired_checks_are_late),
      cmocka_unit_test(close_rejects_everything),
      cmocka_unit_test(death_of_a_worker),
      cmocka_unit_test(deadline),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
