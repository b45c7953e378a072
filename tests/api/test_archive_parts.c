/* results.npz has a known length before anything is read, and supports ranges; results.csv.zip does not. */
#include "api/formats/archive.h"
#include "api/formats/csv.h"
#include "api/formats/npy.h"
#include "json.h"
#include "service_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 60001, COLUMNS = 6 }; /* of r: 2.9 MB, more than is skipped at a time before a range */

static const char target[] = "/api/v1/jobs/job-1/results.npz";
static fake_job *job;

static int open_job(void **state) {
  open_service(state);
  job = fake_service_add(&fake, "succeeded");
  static double r[COLUMNS * ROWS];
  for (size_t i = 0; i < (size_t)COLUMNS * ROWS; i++) r[i] = sqrt((double)i);
  fake_job_add_array(job, "T", 1, (const size_t[]){ROWS}, PART(["T"]), r, false);
  fake_job_add_array(job, "r", 3, (const size_t[]){ROWS, 3, 2}, PART(["1", "2", "3", "4", "5", "6"]), r, false);
  fake_job_add_array(job, "a/\xc3\xa4", 1, (const size_t[]){2}, PART(["x"]), r, false);
  fake_job_add_array(job, "no columns", 2, (const size_t[]){5, 0}, "[]", NULL, false);
  fake_job_add_array(job, "no rows", 2, (const size_t[]){0, 2}, PART(["p", "q"]), NULL, false);
  return 0;
}

/* Returns the response to HEAD, whose body is not read. */
static void head(const char *path, api_response *response) {
  const api_request request = {.method = "HEAD", .target = path, .beside = true, .service = &fake.service};
  api_handle(&request, response);
  assert_int_equal(response->status, 200);
}

static void expect_length(size_t length) {
  api_response response;
  fake.numbers_read = 0;
  head(target, &response);
  assert_true(response.stream.sized);
  assert_int_equal(response.stream.size, length);
  assert_int_equal(fake.numbers_read, 0);
  api_response_free(&response);
}

static void test_length(void **state) {
  (void)state;
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  assert_false(answer.broken);
  assert_true(answer.size > sizeof(double) * (COLUMNS + 1) * ROWS);
  assert_string_equal(fake_answer_header(&answer, "Accept-Ranges"), "bytes");
  expect_length(answer.size);
  fake_answer_free(&answer);

  strcpy(job->job.status, "running"); /* the whole that exists now; no range of it, because there is no tag */
  fake_get(&fake, target, "Range: bytes=0-5", &answer);
  assert_int_equal(answer.response.status, 200);
  assert_string_equal(fake_answer_header(&answer, "Accept-Ranges"), "none");
  expect_length(answer.size);
  fake_answer_free(&answer);

  job->array_count = 0;
  strcpy(job->job.status, "failed");
  fake_get(&fake, target, NULL, &answer);
  expect_length(answer.size);
  fake_answer_free(&answer);
  job->array_count = 5; /* restored, so that the arrays are freed */
}

static void test_text_has_no_length(void **state) {
  (void)state;
  api_response response;
  head("/api/v1/jobs/job-1/results.csv.zip", &response);
  assert_false(response.stream.sized);
  assert_string_equal(api_response_find(&response, "Accept-Ranges"), "none");
  api_response_free(&response);
}

/* Shapes without numbers are sufficient; beyond 4 GiB the length is not known. */
static void test_large_archives(void **state) {
  (void)state;
  char *const names[] = {"a", "b"};
  const size_t half = (size_t)1 << 28; /* numbers in 2 GiB */
  service_array arrays[] = {{.rank = 1, .shape = {half}}, {.rank = 2, .shape = {half / 2 - 1100000, 2}}};
  assert_int_equal(api_archive_size(&api_format_csv, names, arrays, 2), 0);
  uint64_t size = api_archive_size(&api_format_npy, names, arrays, 2);
  assert_in_range(size, ((uint64_t)4 << 30) - 17600000, ((uint64_t)4 << 30) - 17599000);
  assert_int_equal(api_archive_size(&api_format_npy, names, arrays, 0), 22); /* the end of the directory */
  arrays[1].shape[0] = half / 2;
  assert_int_equal(api_archive_size(&api_format_npy, names, arrays, 2), 0);
}

static void expect_part(const fake_answer *whole, size_t first, size_t count) {
  char range[64], content[64];
  snprintf(range, sizeof range, "Range: bytes=%zu-%zu", first, first + count - 1);
  snprintf(content, sizeof content, "bytes %zu-%zu/%zu", first, first + count - 1, whole->size);
  fake_answer part;
  fake_get(&fake, target, range, &part);
  assert_int_equal(part.response.status, 206);
  assert_string_equal(fake_answer_header(&part, "Content-Range"), content);
  assert_false(part.broken);
  assert_int_equal(part.response.stream.size, count);
  assert_true(part.size >= count); /* the server sends no more than the announced length */
  assert_memory_equal(part.text, whole->text + first, count);
  fake_answer_free(&part);
}

static void test_parts(void **state) {
  (void)state;
  fake_answer whole;
  fake_get(&fake, target, NULL, &whole);
  static const size_t places[] = {0, 1, 29, 30, 500, 4096, 480000, 480300, 1000000, 2500000};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    expect_part(&whole, places[i], 1);
    expect_part(&whole, places[i], 5000);
    expect_part(&whole, places[i], whole.size - places[i]);
  }
  for (size_t count = 1; count < 900; count += 31) expect_part(&whole, whole.size - count, count);
  fake_answer part;
  char range[64];
  snprintf(range, sizeof range, "Range: bytes=%zu-", whole.size);
  fake_get(&fake, target, range, &part);
  assert_int_equal(part.response.status, 416);
  fake_answer_free(&part);
  fake_answer_free(&whole);
}

/* While a range far from the beginning is prepared, other streams continue. */
static void test_turns(void **state) {
  (void)state;
  const api_header range = {"Range", "bytes=-22"};
  const api_request request = {.method = "GET",
                               .target = target,
                               .headers = &range,
                               .header_count = 1,
                               .beside = true,
                               .service = &fake.service};
  api_response response;
  api_handle(&request, &response);
  assert_int_equal(response.status, 206);
  assert_true(fake.numbers_read * sizeof(double) < (3 << 19));
  char end[64];
  ssize_t got;
  int turns = 0;
  while ((got = response.stream.read(response.stream.context, end, sizeof end)) == API_STREAM_AGAIN) turns++;
  assert_in_range(turns, 1, 4);
  assert_int_equal(got, 22);
  assert_memory_equal(end, "PK\5\6", 4);
  api_response_free(&response);
}

static size_t reads_left;
static service_status (*real_read)(void *context, const char *id, const char *array, size_t first, size_t stride,
                                   size_t count, const size_t *columns, size_t column_count, double *out);

static service_status fail_later(void *context, const char *id, const char *array, size_t first, size_t stride,
                                 size_t count, const size_t *columns, size_t column_count, double *out) {
  if (out && reads_left-- == 0) return SERVICE_FAILED;
  return real_read(context, id, array, first, stride, count, columns, column_count, out);
}

/* A read error before a range is reported immediately if it is near the beginning; otherwise it ends the response too
 * early. */
static void test_failures(void **state) {
  (void)state;
  real_read = fake.service.read;
  fake.service.read = fail_later;
  for (size_t reads = 0; reads < 20; reads += 19) {
    reads_left = reads;
    fake_answer answer;
    fake_get(&fake, target, "Range: bytes=-10", &answer);
    assert_int_equal(answer.response.status, reads == 0 ? 500 : 206);
    assert_int_equal(answer.broken, reads > 0);
    fake_answer_free(&answer);
  }
}

int main(void) {
#define PARTS_TEST(name) cmocka_unit_test_setup_teardown(name, open_job, close_service)
  const struct CMUnitTest tests[] = {
      PARTS_TEST(test_length),         PARTS_TEST(test_text_has_no_length),
      PARTS_TEST(test_large_archives), PARTS_TEST(test_parts),
      PARTS_TEST(test_turns),          PARTS_TEST(test_failures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
