/* A worker that checks documents: its verdicts, and the model that it stores for the job. */
#include "server/jobs/process_memory.h"
#include "server/jobs/worker_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char good[] = "{\"name\": \"bob\", \"space\": \"planar\", \"bodies\": [{\"name\": \"b\", \"mass\": 1, "
                           "\"inertia\": 1}], \"analysis\": {\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1}}";
static const size_t MiB = (size_t)1 << 20;

/* Returns a completed message as if it had been received. */
static message_reader received(message_builder *out) {
  assert_true(message_end(out));
  message_reader in = {.have = out->size};
  memcpy(&in.head, out->data, sizeof in.head);
  in.body = malloc(in.head.size + 1);
  assert_non_null(in.body);
  memcpy(in.body, out->data + sizeof in.head, in.head.size);
  message_builder_free(out);
  return in;
}

/* A verdict as sent by the worker. */
typedef struct verdict {
  message_reader in;
  int status;
  const char *text, *name, *analysis;
} verdict;

static verdict check(worker_cache *cache, bool validate, size_t memory, size_t job_memory, const char *document) {
  message_builder out = {0};
  message_begin(&out, MESSAGE_CHECK);
  message_put_integer(&out, validate ? SERVICE_VALIDATE : SERVICE_RUN);
  message_put_integer(&out, memory);
  const worker_limits limits = {.memory = job_memory, .rows = 1000, .runs = 1000, .result_bytes = 1e6, .seconds = 10};
  worker_limits_put(&out, &limits);
  message_put_text(&out, "/where");
  message_put_bytes(&out, document, strlen(document));
  message_reader in = received(&out);
  worker_check(cache, &in, &out, process_memory());
  process_memory_limit(SIZE_MAX);
  message_reader_free(&in);
  verdict self = {.in = received(&out)};
  assert_int_equal(self.in.head.kind, MESSAGE_VERDICT);
  message_cursor cursor = message_open(&self.in);
  self.status = (int)message_take_integer(&cursor);
  self.text = message_take_text(&cursor);
  self.name = message_take_text(&cursor);
  self.analysis = message_take_text(&cursor);
  assert_false(cursor.failed);
  return self;
}

static void model_of_a_job_is_cached(void **state) {
  (void)state;
  worker_cache cache = {0};
  verdict said = check(&cache, false, 512 * MiB, 2048 * MiB, good);
  assert_int_equal(said.status, 0);
  assert_null(said.text);
  assert_string_equal(said.name, "bob");
  assert_string_equal(said.analysis, "{\"type\":\"dynamics\",\"t_end\":1.0,\"dt\":0.10000000000000001}");
  message_reader_free(&said.in);
  assert_non_null(worker_cache_find(&cache, good, strlen(good)));
  assert_null(worker_cache_find(&cache, good, strlen(good) - 1));
  char other[sizeof good];
  memcpy(other, good, sizeof good);
  other[sizeof good - 3] = ' ';
  assert_null(worker_cache_find(&cache, other, strlen(other)));
  /* The model is dropped when the next document arrives. */
  said = check(&cache, false, 512 * MiB, 2048 * MiB, "{");
  assert_int_equal(said.status, 400);
  assert_non_null(strstr(said.text, "\"instance\":\"/where\""));
  message_reader_free(&said.in);
  assert_null(worker_cache_find(&cache, good, strlen(good)));
  worker_cache_drop(&cache);
}

static void validation_keeps_nothing(void **state) {
  (void)state;
  worker_cache cache = {0};
  verdict said = check(&cache, true, 512 * MiB, 2048 * MiB, good);
  assert_int_equal(said.status, 200);
  assert_non_null(strstr(said.text, "\"assembled\":true"));
  assert_null(cache.model);
  message_reader_free(&said.in);
}

/* The model is rebuilt if the job may use less memory than the check, or if the limit is too small to apply. */
static void limits_that_differ(void **state) {
  (void)state;
  static const size_t cases[][2] = {{512, 1000}, {32, 2048}};
  for (size_t i = 0; i < 2; i++) {
    worker_cache cache = {0};
    verdict said = check(&cache, false, cases[i][0] * MiB, cases[i][1] * MiB, good);
    assert_int_equal(said.status, 0);
    assert_null(cache.model);
    message_reader_free(&said.in);
  }
  worker_cache cache = {0};
  verdict said = check(&cache, false, 100, 2048 * MiB, good);
  assert_int_equal(said.status, 422);
  assert_non_null(strstr(said.text, "--check-memory"));
  message_reader_free(&said.in);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(model_of_a_job_is_cached),
      cmocka_unit_test(validation_keeps_nothing),
      cmocka_unit_test(limits_that_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
