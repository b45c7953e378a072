/* State of the SQLite store after a power failure: the flushed part of queue.db's log survives. */
#include "server/base/log.h"
#include "server/store/common/wait.h"
#include "server/store/sqlite/connection/open.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

enum { PATIENCE_SECONDS = 90, ROWS = 3, LOGS = 8, PATH = 128 };

/* ---- a file system that records how much of queue.db's log was flushed ------------------------------------------ */

static sqlite3_vfs noting;
static sqlite3_io_methods methods, real_methods;
static sqlite3_file *logs[LOGS];
static size_t log_count;
static sqlite3_int64 flushed;

static int sync_file(sqlite3_file *file, int flags) {
  int code = real_methods.xSync(file, flags);
  for (size_t i = 0; i < log_count && code == SQLITE_OK; i++)
    if (logs[i] == file) real_methods.xFileSize(file, &flushed);
  return code;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given) {
  sqlite3_vfs *real = vfs->pAppData;
  int code = real->xOpen(real, name, file, flags, given);
  if (code != SQLITE_OK || !(flags & SQLITE_OPEN_WAL) || !strstr(name, "queue.db-wal") || log_count == LOGS)
    return code;
  real_methods = methods = *file->pMethods;
  methods.xSync = sync_file;
  file->pMethods = &methods;
  logs[log_count++] = file;
  return code;
}

static void note_flushes(void) {
  sqlite3_vfs *real = sqlite3_vfs_find(NULL);
  noting = *real;
  noting.zName = "noting";
  noting.pAppData = real;
  noting.xOpen = open_file;
  assert_int_equal(sqlite3_vfs_register(&noting, 1), SQLITE_OK);
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

static char folder[PATH], copy[PATH + 8];

static void __attribute__((format(printf, 1, 2))) run_shell(const char *format, ...) {
  char command[5 * PATH];
  va_list values;
  va_start(values, format);
  vsnprintf(command, sizeof command, format, values);
  va_end(values);
  assert_int_equal(system(command), 0);
}

static sqlite3_int64 log_size(void) {
  char path[PATH + 32];
  struct stat state;
  snprintf(path, sizeof path, "%s/queue.db-wal", folder);
  assert_int_equal(stat(path, &state), 0);
  return state.st_size;
}

static srv_store *open_store(const char *path) {
  char message[STORE_MESSAGE_SIZE] = "";
  srv_store *store = sqlite_store_open(path, 0, message);
  if (!store) fail_msg("%s", message);
  return store;
}

/* Opens the folder as a start finds it after a power failure, or after the process was killed, which loses nothing. */
static srv_store *open_after(bool power_went) {
  run_shell("rm -rf %s && cp -r %s %s && rm %s/*-shm", copy, folder, copy, copy);
  char path[PATH + 32];
  snprintf(path, sizeof path, "%s/queue.db-wal", copy);
  if (power_went) assert_int_equal(truncate(path, flushed), 0);
  return open_store(copy);
}

static int begin(void **state) {
  snprintf(folder, sizeof folder, "/tmp/mbsd-power-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(copy, sizeof copy, "%s-copy", folder);
  log_count = 0;
  *state = open_store(folder);
  return 0;
}

static int end(void **state) {
  srv_store *store = *state;
  store->close(store);
  run_shell("rm -rf %s %s", folder, copy);
  return 0;
}

/* ---- blocking calls of the store --------------------------------------------------------------------------------- */

static void submit(srv_store *store) {
  const service_submission job = {.document = "{}", .document_size = 2};
  store_wait wait = STORE_WAIT_INIT;
  store->enqueue(store, "one", 1, &job, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
}

typedef struct claimed_run {
  store_wait wait; /* first member */
  store_run run;
} claimed_run;

static void note_claim(void *context, const store_claim *claim) {
  claimed_run *self = context;
  if (claim) self->run = claim->run;
  if (claim) free(claim->document);
  store_wait_done(&self->wait, claim ? SERVICE_OK : SERVICE_FAILED);
}

static store_run claim(srv_store *store) {
  claimed_run self = {.wait = STORE_WAIT_INIT};
  store->claim(store, note_claim, &self);
  assert_int_equal(store_wait_for(&self.wait), SERVICE_OK);
  return self.run;
}

/* Writes an array of ROWS times `value`. */
static store_extent write_results(srv_store *store, store_run run, double value) {
  const store_array head = {0, "T", "s", "times", NULL, NULL, 1, {0, 1, 1, 1}, false, 1, false};
  store->array(store, &run, &head);
  store_tile tile = {0, 0, ROWS, malloc(ROWS * sizeof value), ROWS * sizeof value};
  for (size_t i = 0; i < ROWS; i++) ((double *)tile.data)[i] = value;
  assert_true(store->tile(store, &run, &tile));
  store->progress(store, &run, &(store_progress){1, 0.5, 1});
  return (store_extent){1, ROWS, ROWS * sizeof value};
}

static service_status read_value(srv_store *store, double *value) {
  size_t column = 0;
  store_wait wait = STORE_WAIT_INIT;
  store->read(store, "one", "T", 0, 1, 1, &column, 1, value, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static void await_value(srv_store *store, double wanted) {
  double value = 0;
  for (int i = 0; i < 100 * PATIENCE_SECONDS && read_value(store, &value) != SERVICE_OK; i++) usleep(10000);
  assert_true(value == wanted);
}

static void finish(srv_store *store, store_run run, store_extent extent) {
  const store_end end = {.run = run, .state = JOB_SUCCEEDED, .report = "{\"evaluations\":1}", .extent = extent};
  store_wait wait = STORE_WAIT_INIT;
  store->finish(store, &end, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
}

static void expect_job(srv_store *store, const char *status, int attempt) {
  service_job job = {0};
  store_wait wait = STORE_WAIT_INIT;
  store->get(store, "one", &job, store_wait_done, &wait);
  assert_int_equal(store_wait_for(&wait), SERVICE_OK);
  assert_string_equal(job.status, status);
  assert_int_equal(job.attempt, attempt);
  service_job_free(&job);
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

/* Results of a lost claim are deleted, so that its attempt number can be reused without mixing results. */
static void a_lost_claim_leaves_nothing(void **state) {
  srv_store *store = *state;
  submit(store);
  assert_true(flushed == log_size());
  store_run first = claim(store);
  assert_int_equal(first.attempt, 1);
  assert_true(flushed < log_size()); /* the claim did not wait for the disk */
  write_results(store, first, 7);
  await_value(store, 7);

  srv_store *after = open_after(true);
  double value;
  expect_job(after, "queued", 0);
  store_run second = claim(after);
  assert_int_equal(second.attempt, 1);
  assert_int_not_equal(read_value(after, &value), SERVICE_OK);
  finish(after, second, write_results(after, second, 8));
  expect_job(after, "succeeded", 1);
  await_value(after, 8);
  after->close(after);
}

static void a_claim_outlasts_its_process(void **state) {
  srv_store *store = *state;
  submit(store);
  claim(store);
  srv_store *after = open_after(false);
  expect_job(after, "queued", 1);
  assert_int_equal(claim(after).attempt, 2);
  after->close(after);
}

/* The flush of an end includes everything before it, also the claim. */
static void an_end_is_flushed(void **state) {
  srv_store *store = *state;
  submit(store);
  store_run run = claim(store);
  finish(store, run, write_results(store, run, 7));
  assert_true(flushed == log_size());
  srv_store *after = open_after(true);
  expect_job(after, "succeeded", 1);
  await_value(after, 7);
  after->close(after);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_lost_claim_leaves_nothing, begin, end),
      cmocka_unit_test_setup_teardown(a_claim_outlasts_its_process, begin, end),
      cmocka_unit_test_setup_teardown(an_end_is_flushed, begin, end),
  };
  srv_log_setup("error", false);
  note_flushes();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
