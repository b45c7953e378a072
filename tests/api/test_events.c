/* Events: the content of streams for one job and for all; where a stream begins, continues and ends. */

#include "service_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Requests events and compares the names and ids of all: "retry; started abc-1; done abc-2; ". */
static void expect_events(const char *target, const char *header, const char *expected, fake_answer *answer) {
  fake_get(&fake, target, header, answer);
  assert_int_equal(answer->response.status, 200);
  assert_false(answer->broken);
  assert_string_equal(fake_answer_header(answer, "Content-Type"), "text/event-stream");
  assert_string_equal(fake_answer_header(answer, "Cache-Control"), "no-store");
  assert_string_equal(fake_answer_header(answer, "X-Accel-Buffering"), "no");
  assert_null(fake_answer_header(answer, "Content-Encoding"));
  char *text = strdup(answer->text), *rest = text, seen[1024] = "";
  assert_int_equal(strncmp(text, "retry: 2000\n", 12), 0);
  for (char *line; (line = strsep(&rest, "\n")) && rest;) {
    size_t at = strlen(seen);
    if (strncmp(line, "event: ", 7) == 0) snprintf(seen + at, sizeof seen - at, "%s ", line + 7);
    if (strncmp(line, "id: ", 4) == 0) snprintf(seen + at, sizeof seen - at, "%s; ", line + 4);
  }
  assert_string_equal(seen, expected);
  free(text);
}

/* Returns the data of the event with this name and id as JSON. */
static json_t *data_of(const fake_answer *answer, const char *event, const char *id) {
  char head[128];
  snprintf(head, sizeof head, "event: %s\nid: %s\ndata: ", event, id);
  const char *data = strstr(answer->text, head);
  if (!data) fail_msg("no %s in %s", head, answer->text);
  data += strlen(head);
  const char *end = strchr(data, '\n');
  assert_true(end && end[1] == '\n');
  json_t *value = json_loadb(data, (size_t)(end - data), 0, NULL);
  assert_non_null(value);
  return value;
}

static double number(const json_t *object, const char *name) {
  return json_number_value(json_object_get(object, name));
}

static void expect_text(const json_t *object, const char *name, const char *text) {
  assert_string_equal(json_string_value(json_object_get(object, name)), text);
}

static void test_unknown_jobs_and_a_service_that_ends(void **state) {
  (void)state;
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs/nobody/events", NULL, &answer);
  assert_int_equal(answer.response.status, 404);
  assert_string_equal(fake_answer_header(&answer, "Content-Type"), "application/problem+json");
  fake_answer_free(&answer);
  fake.ready = false;
  fake_service_add(&fake, "queued");
  static const char *const targets[] = {"/api/v1/events", "/api/v1/jobs/job-1/events"};
  for (size_t i = 0; i < 2; i++) {
    fake_get(&fake, targets[i], NULL, &answer);
    assert_int_equal(answer.response.status, 503);
    fake_answer_free(&answer);
  }
  fake_get(&fake, "/api/v1/events?all=yes", NULL, &answer);
  assert_int_equal(answer.response.status, 400);
  fake_answer_free(&answer);
}

static void test_a_job_that_runs(void **state) {
  (void)state;
  fake_job *job = fake_service_add(&fake, "running");
  job->job.progress_t = 0.5;
  job->job.progress_evaluations = 7;
  fake_answer answer;
  expect_events("/api/v1/jobs/job-1/events", "Accept-Encoding: gzip", "abc-0; started abc-0; progress abc-0; ",
                &answer);
  json_t *data = data_of(&answer, "progress", "abc-0");
  expect_text(data, "id", "job-1");
  assert_true(number(data, "t") == 0.5 && number(data, "evaluations") == 7 && number(data, "fraction") == 0);
  json_decref(data);
  fake_answer_free(&answer);
}

static void test_a_study_has_no_time(void **state) {
  (void)state;
  fake_job *job = fake_service_add(&fake, "running");
  job->job.runs = 20;
  job->job.progress_fraction = 0.4; /* of runs that count no evaluations */
  service_event *rows = fake_service_tell(&fake, SERVICE_EVENT_ROWS, "job-1");
  rows->rows = 8;
  rows->runs = 20;
  fake_answer answer;
  expect_events("/api/v1/jobs/job-1/events", "Last-Event-ID: abc-0", "rows abc-1; ", &answer);
  json_t *data = data_of(&answer, "rows", "abc-1");
  assert_true(number(data, "rows") == 8 && !json_object_get(data, "t"));
  json_decref(data);
  fake_answer_free(&answer);
  expect_events("/api/v1/jobs/job-1/events", NULL, "abc-1; started abc-1; progress abc-1; ", &answer);
  data = data_of(&answer, "progress", "abc-1");
  assert_true(number(data, "fraction") == 0.4 && !json_object_get(data, "t"));
  json_decref(data);
  fake_answer_free(&answer);
}

static void test_it_resumes_after_the_last_event(void **state) {
  (void)state;
  fake_service_add(&fake, "succeeded")->job.report = strdup("{\n\"evaluations\": 3\r}");
  fake_service_tell(&fake, SERVICE_EVENT_QUEUED, "job-1");
  fake_service_tell(&fake, SERVICE_EVENT_STARTED, "job-2");
  fake_service_tell(&fake, SERVICE_EVENT_STARTED, "job-1");
  fake_service_tell(&fake, SERVICE_EVENT_PROGRESS, "job-1")->t = 2;
  service_event *rows = fake_service_tell(&fake, SERVICE_EVENT_ROWS, "job-1");
  rows->rows = 12;
  rows->t = 2;
  fake_service_tell(&fake, SERVICE_EVENT_DONE, "job-1");
  fake_answer answer;
  expect_events("/api/v1/jobs/job-1/events", "Last-Event-ID: abc-1",
                "started abc-3; progress abc-4; rows abc-5; done abc-6; ", &answer);
  json_t *data = data_of(&answer, "rows", "abc-5");
  assert_true(number(data, "rows") == 12 && number(data, "t") == 2);
  json_decref(data);
  data = data_of(&answer, "started", "abc-3");
  expect_text(data, "status", "running");
  json_decref(data);
  fake_answer whole;
  fake_get(&fake, "/api/v1/jobs/job-1", NULL, &whole);
  json_t *job = fake_answer_json(&whole);
  data = data_of(&answer, "done", "abc-6");
  assert_true(json_equal(job, data));
  assert_true(number(json_object_get(data, "report"), "evaluations") == 3);
  json_decref(data);
  json_decref(job);
  fake_answer_free(&whole);
  fake_answer_free(&answer);
  /* A client that has received the end gets a response that makes it stop reconnecting. */
  fake_get(&fake, "/api/v1/jobs/job-1/events", "Last-Event-ID: abc-6", &answer);
  assert_int_equal(answer.response.status, 204);
  fake_answer_free(&answer);
}

static void test_a_finished_job_is_returned_immediately(void **state) {
  (void)state;
  fake_service_add(&fake, "failed");
  fake_answer answer;
  expect_events("/api/v1/jobs/job-1/events", NULL, "abc-0; done abc-0; ", &answer);
  fake_answer_free(&answer);
}

static void test_missed_events_are_reported(void **state) {
  (void)state;
  fake_service_add(&fake, "succeeded");
  static const char *const ids[] = {"abd-1", "abc", "abc-", "abc-x", "-1", "abc-18446744073709551615", "\x01"};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    char header[128];
    snprintf(header, sizeof header, "Last-Event-ID: %s", ids[i]);
    fake_answer answer;
    expect_events("/api/v1/jobs/job-1/events", header, "missed abc-0; done abc-0; ", &answer);
    fake_answer_free(&answer);
    expect_events("/api/v1/events", header, "missed abc-0; ", &answer);
    fake_answer_free(&answer);
  }
}

static void test_events_of_all(void **state) {
  (void)state;
  fake_service_add(&fake, "failed")->job.model_name = strdup("pendulum");
  fake.jobs[0].job.error = strdup("{\"code\":\"limit\"}");
  fake.jobs[0].job.report = strdup("{}");
  fake_answer answer;
  expect_events("/api/v1/events", NULL, "abc-0; ", &answer);
  fake_answer_free(&answer);
  fake_service_tell(&fake, SERVICE_EVENT_QUEUED, "job-1");
  fake_service_tell(&fake, SERVICE_EVENT_STARTED, "job-1");
  fake_service_tell(&fake, SERVICE_EVENT_STARTED, "gone");
  fake_service_tell(&fake, SERVICE_EVENT_DONE, "gone");
  fake_service_tell(&fake, SERVICE_EVENT_REMOVED, "gone");
  fake_service_tell(&fake, SERVICE_EVENT_DONE, "job-1");
  expect_events("/api/v1/events", "Last-Event-ID: abc-0", "queued abc-1; started abc-2; removed abc-5; done abc-6; ",
                &answer);
  json_t *data = data_of(&answer, "done", "abc-6");
  expect_text(data, "status", "failed");
  expect_text(data, "model_name", "pendulum");
  expect_text(json_object_get(data, "error"), "code", "limit");
  assert_null(json_object_get(data, "report"));
  json_decref(data);
  fake_answer_free(&answer);
}

static void test_a_job_that_is_removed(void **state) {
  (void)state;
  fake_service_add(&fake, "running");
  fake_service_tell(&fake, SERVICE_EVENT_STARTED, "job-1");
  fake_service_tell(&fake, SERVICE_EVENT_REMOVED, "job-1");
  fake_service_tell(&fake, SERVICE_EVENT_DONE, "job-1"); /* the last event of the stream */
  fake_answer answer;
  expect_events("/api/v1/jobs/job-1/events", "Last-Event-ID: abc-0", "started abc-1; removed abc-2; ", &answer);
  fake_answer_free(&answer);
}

/* Reads the available events and compares them. */
static void expect_text_of(const api_stream *stream, const char *text) {
  char piece[4096];
  ssize_t got = stream->read(stream->context, piece, sizeof piece);
  assert_int_equal(got, strlen(text));
  assert_memory_equal(piece, text, strlen(text));
  assert_int_equal(stream->read(stream->context, piece, sizeof piece), API_STREAM_WAIT);
}

static void test_a_quiet_stream_shows_that_it_lives(void **state) {
  (void)state;
  const api_request request = {.method = "GET", .target = "/api/v1/events", .service = &fake.service};
  api_response response;
  api_handle(&request, &response);
  service_subscription *follower = response.stream.follower;
  assert_non_null(follower);
  expect_text_of(&response.stream, "retry: 2000\nid: abc-0\n\n");
  fake_service_tell(&fake, SERVICE_EVENT_REMOVED, "job-1");
  follower->quiet = true; /* an event was added in the meantime */
  expect_text_of(&response.stream, "event: removed\nid: abc-1\ndata: {\"id\":\"job-1\"}\n\n");
  follower->quiet = true;
  expect_text_of(&response.stream, ": nothing new\nid: abc-1\n\n");
  api_response_free(&response);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SERVICE_TEST(test_unknown_jobs_and_a_service_that_ends),
      SERVICE_TEST(test_a_job_that_runs),
      SERVICE_TEST(test_a_study_has_no_time),
      SERVICE_TEST(test_it_resumes_after_the_last_event),
      SERVICE_TEST(test_a_finished_job_is_returned_immediately),
      SERVICE_TEST(test_missed_events_are_reported),
      SERVICE_TEST(test_events_of_all),
      SERVICE_TEST(test_a_job_that_is_removed),
      SERVICE_TEST(test_a_quiet_stream_shows_that_it_lives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
