/* Results: the list of arrays, formats, slices, and the amount of data read from the store. */
#include "json.h"
#include "service_test.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 1001 };

static fake_job *job;

/* T = 0, 0.01, ... 10; r(t) of two bodies, whose third row has non-finite numbers; K without times. */
static int open_job(void **state) {
  open_service(state);
  job = fake_service_add(&fake, "succeeded");
  static double times[ROWS], r[4 * ROWS];
  for (size_t i = 0; i < ROWS; i++) {
    times[i] = (double)i * 0.01;
    for (size_t k = 0; k < 4; k++) r[4 * i + k] = (double)i + 0.1 * (double)k;
  }
  r[8] = NAN;
  r[9] = INFINITY;
  r[10] = -INFINITY;
  static const double stiffness[4] = {1, 2, 3, 1.0 / 3};
  fake_job_add_array(job, "T", 1, (const size_t[]){ROWS}, JSON(["T"]), times, false);
  job->arrays[0].units = strdup(JSON(["s"]));
  MODEL(labels, ["a.x","a.y","b, c.x","say \"b\""]);
  fake_job_add_array(job, "r", 3, (const size_t[]){ROWS, 2, 2}, labels, r, false);
  fake_job_add_array(job, "K", 2, (const size_t[]){2, 2}, PART(["1","2"]), stiffness, true);
  fake_job_add_array(job, "Lam", 2, (const size_t[]){ROWS, 0}, "[]", NULL, false);
  fake_job_add_array(job, "tip/height \xc3\xa4", 1, (const size_t[]){ROWS}, "[\"tip/height \xc3\xa4\"]", times, false);
  return 0;
}

static void expect_text(const char *target, const char *header, const char *text) {
  fake_answer answer;
  fake_get(&fake, target, header, &answer);
  assert_int_equal(answer.response.status, 200);
  assert_false(answer.broken);
  assert_string_equal(answer.text, text);
  fake_answer_free(&answer);
}

/* The JSON text as the service writes it: no blanks outside of strings, a newline at its end. */
static void expect_json(const char *target, const char *header, const char *text) {
  char compact[1000];
  size_t n = 0;
  bool string = false;
  for (const char *c = text; *c; c++) {
    if (*c == '"' && c[-(c > text)] != '\\') string = !string;
    if (*c != ' ' || string) compact[n++] = *c;
    assert_true(n + 2 < sizeof compact);
  }
  compact[n++] = '\n';
  compact[n] = '\0';
  expect_text(target, header, compact);
}

static void expect_status(const char *target, const char *header, int status, const char *detail) {
  fake_answer answer;
  fake_get(&fake, target, header, &answer);
  if (answer.response.status != status) fail_msg("%s: %d", target, answer.response.status);
  if (!strstr(answer.text, detail)) fail_msg("'%s' is not in %s", detail, answer.text);
  fake_answer_free(&answer);
}

static void test_list(void **state) {
  (void)state;
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs/job-1/results", NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  json_t *list = fake_answer_json(&answer);
  json_t *arrays = json_object_get(list, "arrays");
  assert_int_equal(json_array_size(arrays), 5);
  json_t *r = json_array_get(arrays, 1);
  assert_string_equal(json_string_value(json_object_get(r, "name")), "r");
  assert_int_equal(json_array_size(json_object_get(r, "shape")), 3);
  assert_int_equal(json_array_size(json_object_get(r, "labels")), 4);
  assert_int_equal(json_array_size(json_object_get(r, "units")), 4); /* stored without units: each is "" */
  assert_string_equal(json_string_value(json_array_get(json_object_get(r, "units"), 3)), "");
  assert_string_equal(json_string_value(json_object_get(r, "unit")), "m");
  const json_t *T = json_array_get(arrays, 0);
  assert_string_equal(json_string_value(json_array_get(json_object_get(T, "units"), 0)), "s");
  json_decref(list);
  fake_answer_free(&answer);
}

static void test_csv(void **state) {
  (void)state;
  expect_text("/api/v1/jobs/job-1/results/r?format=csv&from=0.01&to=0.02", NULL,
              "t,a.x,a.y,\"b, c.x\",\"say \"\"b\"\"\"\n"
              "0.01,1,1.1,1.2,1.3\n"
              "0.02,nan,inf,-inf,2.3\n");
  expect_text("/api/v1/jobs/job-1/results/T?to=0.02&stride=2", "Accept: text/csv", "t\n0\n0.02\n");
  expect_text("/api/v1/jobs/job-1/results/K?format=csv", NULL, "1,2\n1,2\n3,0.3333333333333333\n");
  expect_text("/api/v1/jobs/job-1/results/Lam?format=csv&to=0.01", NULL, "t\n0\n0.01\n");
}

/* Minus zero is written as a real number, which keeps its sign in every reader. */
static void test_minus_zero(void **state) {
  (void)state;
  static const double numbers[3] = {-0.0, 0.0, -1};
  fake_job_add_array(job, "Z", 2, (const size_t[]){1, 3}, PART(["a", "b", "c"]), numbers, true);
  expect_text("/api/v1/jobs/job-1/results/Z?format=csv", NULL, "a,b,c\n-0.0,0,-1\n");
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs/job-1/results/Z", NULL, &answer);
  assert_non_null(strstr(answer.text, "\"data\":[[-0.0,0,-1]]"));
  fake_answer_free(&answer);
}

/* Labels that a spreadsheet would execute as formulas get an apostrophe; numbers stay numbers. */
static void test_csv_has_no_formulas(void **state) {
  (void)state;
  static const double numbers[8] = {-1, 2, -3e-5, 4, 5, 6, 7, -INFINITY};
  fake_job_add_array(job, "F", 2, (const size_t[]){1, 8},
                     PART(["=1+1", "+a", "-b", "@c", "\td", "\re", "=HYPERLINK(\"x\",1)", "a=b"]), numbers, true);
  expect_text("/api/v1/jobs/job-1/results/F?format=csv", NULL,
              "\"'=1+1\",\"'+a\",\"'-b\",\"'@c\",\"'\td\",\"'\re\",\"'=HYPERLINK(\"\"x\"\",1)\",a=b\n"
              "-1,2,-3e-05,4,5,6,7,-inf\n");
}

static void test_json(void **state) {
  (void)state;
  MODEL(r,
      {"name": "r", "shape": [2, 2, 2], "labels": ["a.x", "a.y", "b, c.x", "say \"b\""],
       "units": ["", "", "", ""], "unit": "m", "description": "test data",
       "data": [[[1, 1.1], [1.2, 1.3]], [[null, null], [null, 2.3]]],
       "non_finite": 3});
  MODEL(lambda,
      {"name": "Lam", "shape": [2, 0], "labels": [], "units": [], "unit": "m", "description": "test data",
       "data": [[], []], "non_finite": 0});
  MODEL(times,
      {"name": "T", "shape": [1], "labels": ["T"], "units": ["s"], "unit": "m", "description": "test data",
       "data": [10], "non_finite": 0});
  expect_json("/api/v1/jobs/job-1/results/r?from=0.01&to=0.02", NULL, r);
  expect_json("/api/v1/jobs/job-1/results/Lam?to=0.01", "Accept: */*", lambda);
  expect_json("/api/v1/jobs/job-1/results/T?from=9.995&to=99", NULL, times);
}

static void test_columns(void **state) {
  (void)state;
  /* A label may contain a comma, whether the separating comma is escaped or not. */
  static const char csv[] = "t,\"b, c.x\",a.x\n0,0.2,0\n";
  expect_text("/api/v1/jobs/job-1/results/r?format=csv&to=0&columns=b,%20c.x,a.x", NULL, csv);
  expect_text("/api/v1/jobs/job-1/results/r?format=csv&to=0&columns=b%2C+c.x%2Ca.x", NULL, csv);
  MODEL(column,
      {"name": "r", "shape": [2, 1], "labels": ["a.y"], "units": [""], "unit": "m", "description": "test data",
       "data": [[0.1], [1.1]], "non_finite": 0});
  expect_json("/api/v1/jobs/job-1/results/r?columns=a.y&to=0.01", NULL, column);
  expect_status("/api/v1/jobs/job-1/results/r?columns=a.x,a.z", NULL, 400, "no column 'a.z'; did you mean 'a.x'?");
  expect_status("/api/v1/jobs/job-1/results/r?columns=", NULL, 400, "no column ''");
}

/* Columns of several arrays in any order; without a choice coordinates, rates and sensors. Of equal labels the first
 * array counts. */
static void test_table(void **state) {
  (void)state;
  static double u[2 * ROWS];
  for (size_t i = 0; i < ROWS; i++) u[2 * i] = (double)i, u[2 * i + 1] = 0.5;
  fake_job_add_array(job, "uT", 2, (const size_t[]){ROWS, 2}, PART(["pin.q", "a.x"]), u, false);
  expect_text("/api/v1/jobs/job-1/results.csv?from=0.02&to=0.05&stride=2", NULL,
              "t,tip/height \xc3\xa4,pin.q\n"
              "0.02,0.02,2\n"
              "0.04,0.04,4\n");
  expect_text("/api/v1/jobs/job-1/results.csv?rows=1:2&columns=pin.q,b,%20c.x,tip/height%20%C3%A4,a.y,pin.q", NULL,
              "t,pin.q,\"b, c.x\",tip/height \xc3\xa4,a.y,pin.q\n"
              "0.01,1,1.2,0.01,1.1,1\n");
  expect_text("/api/v1/jobs/job-1/results.csv?rows=3:4&columns=a.x", NULL, "t,a.x\n0.03,3\n");
  expect_status("/api/v1/jobs/job-1/results.csv?columns=pin.qq", NULL, 400, "did you mean 'pin.q'?");
  expect_status("/api/v1/jobs/job-1/results.csv?columns=1", NULL, 400, "no column '1'"); /* it has no times */
  expect_status("/api/v1/jobs/job-9/results.csv", NULL, 404, "no job 'job-9'");
  job->damaged = "uT";
  expect_status("/api/v1/jobs/job-1/results.csv", NULL, 500, "does not match its checksum");
  expect_text("/api/v1/jobs/job-1/results.csv?rows=3:4&columns=a.x", NULL, "t,a.x\n0.03,3\n");
  fake_job *matrices = fake_service_add(&fake, "succeeded");
  static const double one[1] = {1};
  fake_job_add_array(matrices, "K", 2, (const size_t[]){1, 1}, PART(["k"]), one, true);
  expect_status("/api/v1/jobs/job-2/results.csv", NULL, 404, "no arrays over time");
}

static void test_slices_read_only_what_they_need(void **state) {
  (void)state;
  fake_answer answer;
  fake.numbers_read = 0;
  fake_get(&fake, "/api/v1/jobs/job-1/results/r?from=5&to=6&stride=10&columns=a.x", NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  json_t *array = fake_answer_json(&answer);
  json_t *data = json_object_get(array, "data");
  assert_int_equal(json_array_size(data), 11);
  assert_float_equal(json_number_value(json_array_get(json_array_get(data, 10), 0)), 600, 0);
  json_decref(array);
  fake_answer_free(&answer);
  /* 11 numbers, and two bisections of 1001 times. */
  assert_true(fake.numbers_read <= 11 + 2 * 11);
}

static void test_npy(void **state) {
  (void)state;
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs/job-1/results/r?to=0.01", "Accept: application/x-npy", &answer);
  assert_int_equal(answer.response.status, 200);
  assert_memory_equal(answer.text, "\x93NUMPY\x01\x00", 8);
  size_t header = 10 + (unsigned char)answer.text[8] + 256u * (unsigned char)answer.text[9];
  assert_int_equal(header % 64, 0);
  assert_non_null(strstr(answer.text + 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,2,2,), }"));
  assert_int_equal(answer.size, header + 8 * sizeof(double));
  double second;
  memcpy(&second, answer.text + header + sizeof(double), sizeof second);
  assert_float_equal(second, 0.1, 0);
  fake_answer_free(&answer);
}

static void test_npz(void **state) {
  (void)state;
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs/job-1/results.npz", NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  assert_false(answer.broken);
  static const char *const names[] = {"T.npy", "r.npy", "K.npy", "Lam.npy", "tip_height \xc3\xa4.npy"};
  static const size_t numbers[] = {ROWS, (size_t)4 * ROWS, 4, 0, ROWS};
  setlocale(LC_CTYPE, "C.UTF-8"); /* reading, unlike writing, converts names to the locale */
  struct archive *archive = archive_read_new();
  archive_read_support_format_zip_seekable(archive);
  archive_read_set_option(archive, "zip", "hdrcharset", "UTF-8");
  assert_int_equal(archive_read_open_memory(archive, answer.text, answer.size), ARCHIVE_OK);
  for (size_t i = 0; i < 5; i++) {
    struct archive_entry *entry;
    assert_true(archive_read_next_header(archive, &entry) >= ARCHIVE_WARN);
    assert_string_equal(archive_entry_pathname_utf8(entry), names[i]);
    static char content[128 + sizeof(double) * 4 * ROWS];
    la_ssize_t size = archive_read_data(archive, content, sizeof content);
    assert_int_equal(size, 128 + numbers[i] * sizeof(double));
  }
  struct archive_entry *none;
  assert_int_equal(archive_read_next_header(archive, &none), ARCHIVE_EOF);
  archive_read_free(archive);
  fake_answer_free(&answer);
}

static void test_same_bytes_again(void **state) {
  (void)state;
  fake_answer first, second;
  fake_get(&fake, "/api/v1/jobs/job-1/results.npz", NULL, &first);
  fake_get(&fake, "/api/v1/jobs/job-1/results.npz", NULL, &second);
  assert_int_equal(first.size, second.size);
  assert_memory_equal(first.text, second.text, first.size);
  fake_answer_free(&first);
  fake_answer_free(&second);
}

static void test_tags(void **state) {
  (void)state;
  static const char target[] = "/api/v1/jobs/job-1/results/r?to=0.01";
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  char header[128];
  snprintf(header, sizeof header, "If-None-Match: %s", fake_answer_header(&answer, "ETag"));
  fake_answer_free(&answer);
  fake_get(&fake, target, header, &answer);
  assert_int_equal(answer.response.status, 304);
  assert_int_equal(answer.size, 0);
  fake_answer_free(&answer);
  char lines[192];
  snprintf(lines, sizeof lines, "If-None-Match: \"another\"\n%s", header);
  fake_get(&fake, target, lines, &answer);
  assert_int_equal(answer.response.status, 304);
  fake_answer_free(&answer);
  fake_get(&fake, "/api/v1/jobs/job-1/results/r?to=0.02", header, &answer);
  assert_int_equal(answer.response.status, 200);
  fake_answer_free(&answer);
}

static void test_refused(void **state) {
  (void)state;
  fake_service_add(&fake, "running");
  expect_status("/api/v1/jobs/job-2/results", NULL, 409, "has not finished");
  expect_status("/api/v1/jobs/job-2/results/T", NULL, 409, "has not finished");
  expect_status("/api/v1/jobs/job-2/results.npz", NULL, 409, "has not finished");
  expect_status("/api/v1/jobs/job-9/results/T", NULL, 404, "no job 'job-9'");
  expect_status("/api/v1/jobs/job-1/results/t", NULL, 404, "did you mean 'T'?");
  expect_status("/api/v1/jobs/job-1/results/xyz", NULL, 404, "available: T, r, K");
  expect_status("/api/v1/jobs/job-1/results/Lan", NULL, 404, "did you mean 'Lam'?");
  expect_status("/api/v1/jobs/job-1/results/T?format=xml", NULL, 400, "available: json, csv, npy");
  expect_status("/api/v1/jobs/job-1/results/T?from=soon", NULL, 400, "parameter from must be a time");
  expect_status("/api/v1/jobs/job-1/results/T?to=nan", NULL, 400, "parameter to must be a time");
  expect_status("/api/v1/jobs/job-1/results/T?stride=0", NULL, 400, "stride must be an integer");
  expect_status("/api/v1/jobs/job-1/results/T?stride=-1", NULL, 400, "stride must be an integer");
  expect_status("/api/v1/jobs/job-1/results/T?stride=99999999999999999999", NULL, 400, "stride must be an integer");
  expect_status("/api/v1/jobs/job-1/results/K?from=1", NULL, 400, "have no times");
  expect_status("/api/v1/jobs/job-1/results/T", "Accept: image/png", 406, "JSON, CSV or .npy");
  expect_status("/api/v1/jobs/job-1/results/T", "Accept: application/json;q=0", 406, "JSON, CSV or .npy");
}

static void test_accept(void **state) {
  (void)state;
  static const struct {
    const char *header, *type;
  } cases[] = {
      {"Accept: text/csv, application/json", "text/csv; charset=utf-8; header=present"},
      {"Accept: text/csv;q=0.5, application/json", "application/json"},
      {"Accept: text/html,application/xhtml+xml,*/*;q=0.8", "application/json"},
      {"Accept: image/png, application/octet-stream", "application/x-npy"},
      {"Accept: Text/CSV", "text/csv; charset=utf-8; header=present"},
      {"Accept: text/*", "text/csv; charset=utf-8; header=present"},
      {"Accept: application/*", "application/json"},
      {"Accept: text/csv;header=present;Q=0.5, application/json;q=0.4", "text/csv; charset=utf-8; header=present"},
      {"Accept: application/json;q=0, */*", "text/csv; charset=utf-8; header=present"},
      {"Accept: */*, application/json;q=0.1, text/csv; q=0.2", "application/x-npy"},
      {"Accept: ", "application/json"},
      {"Accept: image/png\nAccept: text/csv", "text/csv; charset=utf-8; header=present"},
      {"Accept: text/html;p=\"application/json, \", text/csv", "text/csv; charset=utf-8; header=present"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    fake_get(&fake, "/api/v1/jobs/job-1/results/T", cases[i].header, &answer);
    assert_string_equal(fake_answer_header(&answer, "Content-Type"), cases[i].type);
    fake_answer_free(&answer);
  }
  expect_status("/api/v1/jobs/job-1/results/T", "Accept: application/json;q=0", 406, "JSON, CSV or .npy");
  expect_status("/api/v1/jobs/job-1/results/T", "Accept: */*;q=0", 406, "JSON, CSV or .npy");
}

static void test_name_with_a_slash(void **state) {
  (void)state;
  expect_text("/api/v1/jobs/job-1/results/tip%2Fheight%20%C3%A4?format=csv&to=0", NULL, "t,tip/height \xc3\xa4\n0,0\n");
}

/* A store that fails in the middle ends the body early, so that the server breaks the connection. A comparison with the
 * checksum only (`out` NULL) succeeds. */
static service_status fail_read(void *context, const char *id, const char *array, size_t first, size_t stride,
                                size_t count, const size_t *columns, size_t column_count, double *out) {
  (void)context, (void)id, (void)array, (void)first, (void)stride, (void)count, (void)columns, (void)column_count;
  return out ? SERVICE_FAILED : SERVICE_OK;
}

static void test_store_fails(void **state) {
  (void)state;
  fake.service.read = fail_read;
  static const char *const targets[] = {"/api/v1/jobs/job-1/results/r", "/api/v1/jobs/job-1/results/r?format=csv",
                                        "/api/v1/jobs/job-1/results.npz"};
  for (size_t i = 0; i < 3; i++) {
    fake_answer answer;
    fake_get(&fake, targets[i], NULL, &answer);
    assert_true(answer.broken);
    fake_answer_free(&answer);
  }
  expect_status("/api/v1/jobs/job-1/results/r?from=1", NULL, 500, "could not be read");
}

/* Numbers that differ from their checksum are reported before the response begins, with the name of their array. */
static void test_damaged(void **state) {
  (void)state;
  job->damaged = "r";
  expect_status("/api/v1/jobs/job-1/results/r", NULL, 500, "array 'r' of job 'job-1' does not match its checksum");
  expect_status("/api/v1/jobs/job-1/results/r?format=csv", NULL, 500, "array 'r'");
  expect_status("/api/v1/jobs/job-1/results/r?format=npy", NULL, 500, "array 'r'");
  expect_status("/api/v1/jobs/job-1/results.npz", NULL, 500, "array 'r'");
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs/job-1/results/r", NULL, &answer);
  assert_null(fake_answer_header(&answer, "ETag"));
  assert_non_null(strstr(answer.text, "urn:mbsd:problem:results-damaged"));
  fake_answer_free(&answer);
  expect_text("/api/v1/jobs/job-1/results/K?format=csv", NULL, "1,2\n1,2\n3,0.3333333333333333\n");
  job->damaged = "T"; /* the times of the rows */
  expect_status("/api/v1/jobs/job-1/results/r?format=csv", NULL, 500, "array 'T'");
  job->damaged = "";
  expect_status("/api/v1/jobs/job-1/results", NULL, 500, "list of arrays of job 'job-1'");
}

static void expect_header(const char *target, const char *name, const char *value) {
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  const char *found = fake_answer_header(&answer, name);
  if (value)
    assert_string_equal(found, value);
  else
    assert_null(found);
  fake_answer_free(&answer);
}

/* While a job runs, responses say that they are incomplete, and must not be cached. */
static void test_running(void **state) {
  (void)state;
  static const char *const targets[] = {"/api/v1/jobs/job-1/results", "/api/v1/jobs/job-1/results/T",
                                        "/api/v1/jobs/job-1/results/T?format=csv", "/api/v1/jobs/job-1/results.npz"};
  for (int running = 0; running < 2; running++) {
    if (running) strcpy(job->job.status, "running");
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
      expect_header(targets[i], "Mbsd-Complete", running ? "false" : "true");
      expect_header(targets[i], "Cache-Control", running ? "no-store" : "private, no-cache");
      expect_header(targets[i], "Mbsd-Results-Checksum", running ? NULL : "xxh3-0000000000000abc");
      if (running) expect_header(targets[i], "ETag", NULL);
    }
    fake_answer answer;
    fake_get(&fake, "/api/v1/jobs/job-1/results", NULL, &answer);
    json_t *list = fake_answer_json(&answer);
    assert_true(json_is_true(json_object_get(list, "complete")) == !running);
    const char *checksum = json_string_value(json_object_get(list, "checksum"));
    if (running)
      assert_null(checksum);
    else
      assert_string_equal(checksum, "xxh3-0000000000000abc");
    json_decref(list);
    fake_answer_free(&answer);
    fake_get(&fake, "/api/v1/jobs/job-1/results/T?from=9.99", NULL, &answer);
    json_t *array = fake_answer_json(&answer);
    assert_int_equal(json_array_size(json_object_get(array, "data")), 2);
    assert_true(json_is_false(json_object_get(array, "complete")) == running);
    json_decref(array);
    fake_answer_free(&answer);
  }
}

int main(void) {
#define RESULTS_TEST(name) cmocka_unit_test_setup_teardown(name, open_job, close_service)
  const struct CMUnitTest tests[] = {
      RESULTS_TEST(test_list),
      RESULTS_TEST(test_csv),
      RESULTS_TEST(test_csv_has_no_formulas),
      RESULTS_TEST(test_minus_zero),
      RESULTS_TEST(test_json),
      RESULTS_TEST(test_columns),
      RESULTS_TEST(test_table),
      RESULTS_TEST(test_slices_read_only_what_they_need),
      RESULTS_TEST(test_npy),
      RESULTS_TEST(test_npz),
      RESULTS_TEST(test_same_bytes_again),
      RESULTS_TEST(test_tags),
      RESULTS_TEST(test_refused),
      RESULTS_TEST(test_accept),
      RESULTS_TEST(test_name_with_a_slash),
      RESULTS_TEST(test_store_fails),
      RESULTS_TEST(test_damaged),
      RESULTS_TEST(test_running),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
