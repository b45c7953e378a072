/* The end of a job in the pool: the messages on the worker's socket, and a store that refuses to save the end. */
#include "server/jobs/job_end.h"
#include "server/jobs/pool.h"
#include "server/jobs/pool_worker.h"
#include "server/jobs/process_time.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { ENDS_MAX = 8 };

/* A store that returns the next of `answers` from each finish(), and records the arguments. */
typedef struct fake_store {
  srv_store verbs;
  service_status answers[ENDS_MAX];
  store_end ends[ENDS_MAX];
  char errors[ENDS_MAX][256];
  size_t count;
  store_progress progress;
  double charged; /* processor time [s] */
} fake_store;

static void fake_finish(srv_store *verbs, const store_end *end, store_done done, void *context) {
  fake_store *self = (fake_store *)verbs;
  size_t i = self->count++;
  assert_true(i < ENDS_MAX);
  self->ends[i] = *end;
  snprintf(self->errors[i], sizeof self->errors[i], "%s", end->error ? end->error : "");
  done(context, self->answers[i]);
}

static void fake_charge(srv_store *verbs, const store_run *run, const char *client, double seconds) {
  assert_string_equal(run->id, "job");
  assert_string_equal(client, "anna");
  assert_true(seconds > 0);
  ((fake_store *)verbs)->charged += seconds;
}

static void fake_requeue(srv_store *verbs, const store_run *run, double t, bool crashed, store_done done,
                         void *context) {
  (void)verbs;
  (void)run;
  (void)t;
  (void)crashed;
  done(context, SERVICE_OK);
}

static void fake_progress(srv_store *verbs, const store_run *run, const store_progress *progress) {
  assert_string_equal(run->id, "job");
  assert_int_equal(run->attempt, 1);
  ((fake_store *)verbs)->progress = *progress;
}

static bool never_behind(srv_store *verbs, bool waits) {
  (void)verbs;
  (void)waits;
  return false;
}

/* A pool of one worker that runs a job; the test acts as its process, which computes for the job. */
typedef struct fixture {
  fake_store store;
  pool_worker worker;
  srv_pool pool;
  int process;
} fixture;

static void set_up(fixture *f) {
  memset(f, 0, sizeof *f);
  f->store.verbs = (srv_store){.finish = fake_finish,
                               .requeue = fake_requeue,
                               .charge = fake_charge,
                               .progress = fake_progress,
                               .is_behind = never_behind};
  f->pool = (srv_pool){.settings = {.workers = 1, .job.seconds = 60},
                       .store = &f->store.verbs,
                       .metrics = srv_metrics_new(),
                       .workers = &f->worker,
                       .epoll = epoll_create1(EPOLL_CLOEXEC)};
  pthread_mutex_init(&f->pool.mutex, NULL);
  pthread_cond_init(&f->pool.alive_changed, NULL);
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  f->process = ends[1];
  f->worker = (pool_worker){.pool = &f->pool, .socket = -1};
  pool_worker_begin(&f->worker, getpid(), ends[0]);
  const store_claim claim = {.run = {.id = "job", .attempt = 1}, .client = "anna", .document = calloc(1, 1)};
  pool_worker_run(&f->worker, &claim);
}

static void tear_down(fixture *f) {
  job_end_forget(&f->pool);
  message_reader_free(&f->worker.in);
  message_builder_free(&f->worker.out);
  if (f->worker.socket >= 0) close(f->worker.socket);
  close(f->process);
  close(f->pool.epoll);
  pthread_cond_destroy(&f->pool.alive_changed);
  pthread_mutex_destroy(&f->pool.mutex);
  srv_metrics_free(f->pool.metrics);
}

/* Sends the progress of the worker's process or, with a status, the outcome of its job. */
static void tell(fixture *f, const char *status, double t, double fraction, uint64_t evaluations) {
  message_builder out = {0};
  message_begin(&out, status ? MESSAGE_OUTCOME : MESSAGE_PROGRESS);
  if (status) message_put_text(&out, status);
  message_put_number(&out, t);
  message_put_number(&out, fraction);
  message_put_integer(&out, evaluations);
  if (status) message_put_number(&out, 0.25);
  if (status) message_put_text(&out, "{}");
  if (status) message_put_text(&out, NULL);
  assert_true(message_end(&out) && message_send(f->process, out.data, out.size));
  message_builder_free(&out);
  pool_worker_event(&f->worker, EPOLLIN);
}

static void numbers_are_finite(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  const store_progress *told = &f.store.progress;
  tell(&f, NULL, NAN, INFINITY, 1);
  assert_true(told->t == 0 && told->fraction == 0 && told->evaluations == 1);
  tell(&f, NULL, 2.5, 0.25, 2);
  tell(&f, NULL, -INFINITY, 0.5, 3);
  assert_true(told->t == 2.5 && told->fraction == 0.5 && told->evaluations == 3);
  tell(&f, "failed", INFINITY, NAN, UINT64_MAX);
  assert_int_equal(f.store.count, 1);
  assert_true(f.store.ends[0].progress.t == 2.5 && f.store.ends[0].progress.fraction == 0.5);
  assert_true(f.store.ends[0].seconds == 0.25);
  assert_true(f.store.ends[0].progress.evaluations == INT64_MAX);
  assert_int_equal(f.pool.endings_open, 0);
  tear_down(&f);
}

static void rejected_end_fails_the_job(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  f.store.answers[0] = SERVICE_REJECTED;
  tell(&f, "succeeded", 1, 1, 10);
  assert_int_equal(f.store.count, 2);
  assert_int_equal(f.store.ends[1].state, JOB_FAILED);
  assert_null(f.store.ends[1].report);
  assert_non_null(strstr(f.store.errors[1], "\"end_not_kept\""));
  assert_int_equal(f.pool.endings_open, 0);
  assert_false(srv_pool_stuck(&f.pool));
  tear_down(&f);
}

static void end_rejected_twice_is_left(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  f.store.answers[0] = f.store.answers[1] = SERVICE_REJECTED;
  tell(&f, "succeeded", 1, 1, 10);
  job_end_retry(&f.pool, INFINITY);
  assert_int_equal(f.store.count, 2);
  assert_int_equal(f.pool.endings_open, 0);
  tear_down(&f);
}

static void passing_failure_is_tried_again(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  f.store.answers[0] = SERVICE_FAILED;
  f.store.answers[1] = SERVICE_NO_SPACE;
  tell(&f, "succeeded", 1, 1, 10);
  assert_true(srv_pool_stuck(&f.pool));
  job_end_retry(&f.pool, INFINITY);
  job_end_retry(&f.pool, INFINITY);
  assert_int_equal(f.store.count, 3);
  assert_int_equal(f.store.ends[2].state, JOB_SUCCEEDED);
  assert_false(srv_pool_stuck(&f.pool));
  assert_int_equal(f.pool.endings_open, 0);
  tear_down(&f);
}

static void end_of_a_removed_job_is_dropped(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  f.store.answers[0] = SERVICE_FAILED;
  tell(&f, "succeeded", 1, 1, 10);
  job_end_drop(&f.pool, &(store_run){.id = "another"});
  job_end_drop(&f.pool, &(store_run){.id = "job", .attempt = 2});
  assert_true(srv_pool_stuck(&f.pool));
  job_end_drop(&f.pool, &(store_run){.id = "job"});
  assert_false(srv_pool_stuck(&f.pool));
  assert_int_equal(f.pool.endings_open, 0);
  job_end_retry(&f.pool, INFINITY);
  assert_int_equal(f.store.count, 1);
  tear_down(&f);
}

/* Uses at least this processor time [s]. */
static void compute_for(double seconds) {
  for (double end = process_time(getpid()) + seconds; process_time(getpid()) < end;) continue;
}

static void a_job_costs_the_time_of_its_worker(void **state) {
  (void)state;
  fixture f;
  compute_for(0.01); /* for an earlier job, which does not count */
  const double before = process_time(getpid());
  set_up(&f);
  compute_for(0.02);
  tell(&f, "succeeded", 1, 1, 10);
  assert_true(f.store.charged >= 0.02 && f.store.charged <= process_time(getpid()) - before);
  tear_down(&f);
}

/* Its supervisor reports the time of a worker that has died. */
static void a_death_costs_the_time_of_the_worker(void **state) {
  (void)state;
  for (int known = 0; known < 2; known++) {
    fixture f;
    set_up(&f);
    const supervisor_message end = {.verb = SUPERVISOR_ENDED, .status = 9, .seconds = f.worker.run.cpu_before + 2.5};
    shutdown(f.process, SHUT_RDWR);
    pool_worker_event(&f.worker, EPOLLIN);
    pool_worker_ended(&f.worker, known ? &end : NULL);
    assert_true(fabs(f.store.charged - 2.5 * known) < 1e-9);
    assert_int_equal(f.pool.endings_open, 0);
    tear_down(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_finite),
      cmocka_unit_test(rejected_end_fails_the_job),
      cmocka_unit_test(end_rejected_twice_is_left),
      cmocka_unit_test(passing_failure_is_tried_again),
      cmocka_unit_test(end_of_a_removed_job_is_dropped),
      cmocka_unit_test(a_job_costs_the_time_of_its_worker),
      cmocka_unit_test(a_death_costs_the_time_of_the_worker),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
