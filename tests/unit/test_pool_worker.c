/* A worker as the pool sees it: all its messages are processed, and a job's model is requested only once. The test acts
 * as the process of the worker. */
#include "server/jobs/pool_worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { WORKERS = 2, MANY = 200 };

typedef struct fixture {
  srv_store store; /* first */
  size_t told;     /* number of progress messages */
  pool_worker workers[WORKERS];
  srv_pool pool;
  int process; /* peer end of the socket of the first worker */
} fixture;

static bool never_behind(srv_store *store, bool waits) {
  (void)store;
  (void)waits;
  return false;
}

static void count_progress(srv_store *store, const store_run *run, const store_progress *progress) {
  fixture *f = (fixture *)store;
  (void)run;
  f->told++;
  assert_int_equal(progress->evaluations, f->told);
}

static void set_up(fixture *f) {
  memset(f, 0, sizeof *f);
  f->store = (srv_store){.is_behind = never_behind, .progress = count_progress};
  f->pool = (srv_pool){.settings = {.workers = WORKERS, .jobs = 1, .job.seconds = 60},
                       .store = &f->store,
                       .supervisor = {.socket = -1},
                       .workers = f->workers,
                       .epoll = epoll_create1(EPOLL_CLOEXEC)};
  pthread_mutex_init(&f->pool.mutex, NULL);
  pthread_cond_init(&f->pool.alive_changed, NULL);
  for (int i = 0; i < WORKERS; i++) f->workers[i] = (pool_worker){.pool = &f->pool, .slot = i, .socket = -1};
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  f->process = ends[1];
  pool_worker_begin(&f->workers[0], 1, ends[0]);
}

static void tear_down(fixture *f) {
  message_reader_free(&f->workers[0].in);
  message_builder_free(&f->workers[0].out);
  close(f->workers[0].socket);
  close(f->process);
  close(f->pool.epoll);
  pthread_cond_destroy(&f->pool.alive_changed);
  pthread_mutex_destroy(&f->pool.mutex);
}

static void run_job(fixture *f) {
  const store_claim claim = {.run = {.id = "job", .attempt = 1}, .document = strdup("{}"), .document_size = 2};
  pool_worker_run(&f->workers[0], &claim);
}

/* Each call processes a limited number of messages, so that other workers are served. The socket reports no event for
 * messages that were received with earlier ones. */
static void all_messages_are_processed(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  run_job(&f);
  message_builder out = {0};
  for (uint64_t i = 1; i <= MANY; i++) {
    message_begin(&out, MESSAGE_PROGRESS);
    message_put_number(&out, 1);
    message_put_number(&out, 0.5);
    message_put_integer(&out, i);
    assert_true(message_end(&out));
  }
  assert_true(message_send(f.process, out.data, out.size));
  pool_worker_event(&f.workers[0], EPOLLIN);
  assert_true(f.told > 0 && f.told < MANY);
  for (int i = 0; i < MANY && pool_worker_unread(&f.workers[0]); i++) pool_worker_event(&f.workers[0], 0);
  assert_int_equal(f.told, MANY);
  message_builder_free(&out);
  tear_down(&f);
}

static void a_model_is_requested_once(void **state) {
  (void)state;
  fixture f;
  set_up(&f);
  strcpy(f.workers[0].cached_model_job, "other");
  strcpy(f.workers[1].cached_model_job, "job");
  run_job(&f);
  assert_string_equal(f.workers[0].cached_model_job, "");
  assert_string_equal(f.workers[1].cached_model_job, "");
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_messages_are_processed),
      cmocka_unit_test(a_model_is_requested_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
