/* Members next to the model of a job: its key, its name and tags, equality with other jobs; and finding it again. */
#include "api/routes.h"
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

static const char *text_of(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}

/* Returns the body of the response, which must have this status. */
static json_t *answered(fake_answer *answer, int status) {
  if (answer->response.status != status) fail_msg("%d, not %d: %s", answer->response.status, status, answer->text);
  json_t *body = fake_answer_json(answer);
  fake_answer_free(answer);
  return body;
}

static json_t *post(const char *header, const char *body, int status) {
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", header, body, &answer);
  return answered(&answer, status);
}

/* Returns a pendulum with other members next to its model. */
static json_t *post_with(const char *members, int status) {
  char body[2048];
  snprintf(body, sizeof body, "{\"model\": %s, %s}", fake_pendulum, members);
  return post(NULL, body, status);
}

static json_t *patch(const char *type, const char *body, int status) {
  char header[128];
  snprintf(header, sizeof header, "Content-Type: %s", type);
  fake_answer answer;
  fake_request(&fake, "PATCH", "/api/v1/jobs/job-1", header, body, strlen(body), NULL, &answer);
  return answered(&answer, status);
}

/* ---- idempotency keys -------------------------------------------------------------------------------------------- */

static void test_a_key_stands_for_its_job(void **state) {
  (void)state;
  fake_answer answer;
  for (int i = 0; i < 2; i++) {
    fake_post(&fake, "/api/v1/jobs", "Idempotency-Key: one", fake_pendulum, &answer);
    assert_string_equal(fake_answer_header(&answer, "Location"), "/api/v1/jobs/job-1");
    const char *replayed = fake_answer_header(&answer, "Idempotency-Replayed");
    assert_true(i == 0 ? !replayed : replayed && strcmp(replayed, "true") == 0);
    json_decref(answered(&answer, 202));
  }
  assert_int_equal(fake.job_count, 1);
  json_decref(post("Idempotency-Key: two", fake_pendulum, 202));
  json_decref(post(NULL, fake_pendulum, 202));
  assert_int_equal(fake.job_count, 3);
  char other[2048];
  snprintf(other, sizeof other, "%s ", fake_pendulum);
  json_t *problem = post("Idempotency-Key: one", other, 422);
  assert_string_equal(text_of(problem, "type"), "urn:mbsd:problem:idempotency-key-reused");
  json_decref(problem);
  assert_int_equal(fake.job_count, 3);
}

/* The response after a wait also contains them. */
static void test_a_replay_may_wait(void **state) {
  (void)state;
  static const char header[] = "Idempotency-Key: one\nPrefer: wait=5";
  json_decref(post("Idempotency-Key: one", fake_pendulum, 202));
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", header, fake_pendulum, &answer);
  assert_string_equal(answer.response.wait_id, "job-1");
  fake_answer_free(&answer);
  fake_service_work(&fake);
  fake_request(&fake, "POST", "/api/v1/jobs", header, fake_pendulum, strlen(fake_pendulum), "job-1", &answer);
  assert_string_equal(fake_answer_header(&answer, "Idempotency-Replayed"), "true");
  json_decref(answered(&answer, 200));
}

static void test_bad_keys_are_refused(void **state) {
  (void)state;
  char longest[300] = "Idempotency-Key: ";
  size_t name = strlen(longest);
  memset(longest + name, 'k', 255);
  json_decref(post(longest, fake_pendulum, 202));
  longest[name + 255] = 'k';
  const char *const headers[] = {longest,
                                 "Idempotency-Key: ",
                                 "Idempotency-Key: a\x01z",
                                 "Idempotency-Key: a\tz",
                                 "Idempotency-Key: a\x7f",
                                 "Idempotency-Key: \xff",
                                 "Idempotency-Key: a\nIdempotency-Key: a"};
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    json_t *problem = post(headers[i], fake_pendulum, 400);
    assert_non_null(strstr(text_of(problem, "detail"), "Idempotency-Key"));
    json_decref(problem);
  }
  assert_int_equal(fake.job_count, 1);
}

/* ---- names, tags, keep ------------------------------------------------------------------------------------------- */

static void expect_called(const json_t *job, const char *name, const char *tags, bool keep) {
  const char *said = text_of(job, "name");
  assert_true(name ? said && strcmp(said, name) == 0 : json_is_null(json_object_get(job, "name")));
  char *text = json_dumps(json_object_get(job, "tags"), JSON_COMPACT);
  assert_string_equal(text, tags);
  free(text);
  assert_int_equal(json_is_true(json_object_get(job, "keep")), keep);
}

static void test_annotations_come_with_the_model(void **state) {
  (void)state;
  json_t *job = post_with("\"name\": \"Versuch \xc3\xbc \\\"1\\\"\", \"tags\": [\"a\", \"b c\"], \"keep\": true", 202);
  expect_called(job, "Versuch \xc3\xbc \"1\"", "[\"a\",\"b c\"]", true);
  assert_string_equal(text_of(job, "model_name"), "Pendulum");
  json_decref(job);
  job = post_with("\"name\": null, \"tags\": []", 202);
  expect_called(job, NULL, "[]", false);
  json_decref(job);
}

/* Expects as many errors as `pointers` has, separated by spaces. */
static void expect_errors(json_t *problem, const char *pointers) {
  char found[256] = "";
  size_t i, length = 0;
  json_t *error;
  json_array_foreach(json_object_get(problem, "errors"), i, error) length +=
      (size_t)snprintf(found + length, sizeof found - length, "%s%s", i ? " " : "", text_of(error, "pointer"));
  assert_string_equal(found, pointers);
  json_decref(problem);
}

static void test_annotations_are_checked(void **state) {
  (void)state;
  char name[256] = "\"name\": \"";
  for (int i = 0; i < 201; i++) strcat(name, "n");
  strcat(name, "\"");
  expect_errors(post_with(name, 422), "/name");
  expect_errors(post_with("\"name\": 5, \"tags\": \"a\", \"keep\": 1, \"reuse\": null", 422),
                "/name /tags /keep /reuse");
  expect_errors(post_with("\"tags\": [\"a\", 7, \"\", \"a\"]", 422), "/tags/1 /tags/2 /tags/3");
  expect_errors(post_with("\"nmae\": \"x\"", 422), "/nmae");
  assert_int_equal(fake.job_count, 0);
}

static void test_a_job_is_renamed(void **state) {
  (void)state;
  json_decref(post_with("\"name\": \"old\", \"tags\": [\"x\"]", 202));
  json_t *job = patch("application/merge-patch+json", "{\"name\": \"new\", \"keep\": true}", 200);
  expect_called(job, "new", "[\"x\"]", true);
  json_decref(job);
  job = patch("application/json; charset=utf-8", "{\"name\": null, \"tags\": [\"y\", \"z\"], \"keep\": false}", 200);
  expect_called(job, NULL, "[\"y\",\"z\"]", false);
  json_decref(job);
  job = patch("application/json", "{\"tags\": []}", 200);
  expect_called(job, NULL, "[]", false);
  json_decref(job);
  fake.slow = true;
  json_decref(patch("application/json", "{}", 200));
  assert_int_equal(fake.rounds, 2);
}

static void test_changes_are_checked(void **state) {
  (void)state;
  json_decref(post_with("\"name\": \"old\"", 202));
  expect_errors(patch("application/json", "{\"name\": 1, \"status\": \"x\", \"reuse\": true}", 422),
                "/status /reuse /name");
  expect_errors(patch("application/json", "{\"tags\": [{}], \"keep\": \"yes\"}", 422), "/tags/0 /keep");
  expect_errors(patch("application/json", "[]", 422), "");
  json_decref(patch("application/json", "{\"name\":", 400));
  json_decref(patch("text/plain", "{\"name\": \"new\"}", 415));
  json_decref(patch("application/jsonp", "{}", 415));
  char *large = malloc((64 << 10) + 16);
  assert_non_null(large);
  sprintf(large, "{%*s}", 64 << 10, "");
  json_decref(patch("application/json", large, 413));
  free(large);
  assert_string_equal(fake.jobs[0].job.name, "old");
  fake_answer answer;
  fake_request(&fake, "PATCH", "/api/v1/jobs/none", "Content-Type: application/json", "{}", 2, NULL, &answer);
  json_decref(answered(&answer, 404));
}

/* ---- equal jobs -------------------------------------------------------------------------------------------------- */

MODEL(spelled,
    {"analysis": {"dt": 1e-1, "t_end": 1.0, "type": "dynamics"}, "tags": ["other"], "model":
      {"joints": [
         {"initial": {"position": "pi/6"}, "points": ["ground.O", "bob.A"], "type": "revolute", "name": "pin"}],
       "analysis": {"t_end": 7, "dt": 1}, "space": "planar", "parameters": {"L": 0.50}, "gravity": [0.0, -981e-2],
       "ground": {"points": {"O": [0, 0]}}, "name": "Pendulum",
       "bodies": [{"name": "bob", "mass": 2.0, "inertia": "0.1", "points": {"A": [0, "L"]}}]}});

static void hash_of(const char *body, char hash[SERVICE_DIGEST_SIZE]) {
  json_t *job = post(NULL, body, 202);
  snprintf(hash, SERVICE_DIGEST_SIZE, "%s", text_of(job, "content_hash"));
  json_decref(job);
}

static void test_spelling_does_not_matter(void **state) {
  (void)state;
  char first[SERVICE_DIGEST_SIZE], same[SERVICE_DIGEST_SIZE], other[SERVICE_DIGEST_SIZE], body[2048];
  hash_of(fake_pendulum, first);
  hash_of(spelled, same);
  assert_int_equal(strlen(first), 64);
  assert_string_equal(first, same);
  snprintf(body, sizeof body, "%s", fake_pendulum);
  memcpy(strstr(body, "0.5"), "0.6", 3);
  hash_of(body, other);
  assert_string_not_equal(first, other);
  /* The jobs differ only in numbers, so they are of one kind, and their costs grow with the simulated time. */
  const service_cost *costs[] = {&fake.jobs[0].cost, &fake.jobs[2].cost};
  assert_true(costs[0]->kind != 0 && costs[0]->kind == costs[1]->kind);
  assert_float_equal(costs[0]->span, 1, 0);
  assert_true(costs[0]->seconds > 0 && costs[0]->seconds < 0.1);
  memcpy(strstr(body, "revolute"), "revolut2", 8);
  json_decref(post(NULL, body, 422));
}

static void test_what_cannot_be_guessed_is_not(void **state) {
  (void)state;
  char body[2048];
  MODEL(beside,
      {"model": %s, "analysis": {"t_end": "1", "dt": 0.1}});
  snprintf(body, sizeof body, beside, fake_pendulum);
  json_decref(post(NULL, body, 202));
  assert_true(isinf(fake.jobs[0].cost.seconds) && fake.jobs[0].cost.span == 1);
}

static void test_equal_jobs_are_reused(void **state) {
  (void)state;
  json_t *job = post_with("\"reuse\": true", 202); /* no equal job */
  assert_null(json_object_get(job, "reused"));
  json_decref(job);
  json_decref(post_with("\"reuse\": true", 202)); /* the equal job has not finished */
  fake_service_work(&fake);
  job = post_with("\"reuse\": true", 200);
  assert_string_equal(text_of(job, "id"), "job-1");
  assert_true(json_is_true(json_object_get(job, "reused")));
  assert_true(json_is_object(json_object_get(job, "report")));
  json_decref(job);
  json_decref(post_with("\"reuse\": false", 202));
  assert_int_equal(fake.job_count, 3);
}

/* A client that names its job gets one with that name; a job of another client is not renamed. */
static void test_reused_jobs_have_their_name(void **state) {
  (void)state;
  static const char mine[] = "\"reuse\": true, \"name\": \"mine\", \"tags\": [\"a\"]";
  json_decref(post_with("\"name\": \"theirs\"", 202));
  json_decref(post_with("\"tags\": [\"a\"]", 202));
  fake_service_work(&fake);
  json_t *job = post_with(mine, 202);
  expect_called(job, "mine", "[\"a\"]", false);
  json_decref(job);
  fake_service_work(&fake);
  job = post_with(mine, 200);
  assert_true(json_is_true(json_object_get(job, "reused")));
  assert_string_equal(text_of(job, "id"), "job-3");
  expect_called(job, "mine", "[\"a\"]", false);
  json_decref(job);
  job = post_with("\"reuse\": true, \"name\": null, \"tags\": [], \"keep\": false", 200); /* no conditions */
  assert_string_equal(text_of(job, "id"), "job-1");
  expect_called(job, "theirs", "[]", false);
  json_decref(job);
  json_decref(post_with("\"reuse\": true, \"keep\": true", 202));
  assert_string_equal(fake.jobs[0].job.name, "theirs");
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static void list(const char *query, int status) {
  char target[256];
  snprintf(target, sizeof target, "/api/v1/jobs?%s", query);
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  json_decref(answered(&answer, status));
}

static void test_lists_are_filtered(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds;
  } times[] = {{"1700000000.5", 1700000000.5},
               {"2023-11-14T22:13:20Z", 1700000000},
               {"2023-11-14T22:13:20.25Z", 1700000000.25},
               {"2023-11-14t22:13:20z", 1700000000},
               {"2023-11-14T23:13:20%2B01:00", 1700000000},
               {"2023-11-14T23:13:20+01:00", 1700000000},
               {"2023-11-14T20:43:20-01:30", 1700000000},
               {"2023-11-14", 1699920000},
               {"2024-02-29", 1709164800},
               {"1970-01-01", 0},
               {"", 0}};
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    char query[128];
    snprintf(query, sizeof query, "since=%s", times[i].text);
    list(query, 200);
    assert_float_equal(fake.filter.since, times[i].seconds, 1e-6);
  }
  static const char *const wrong[] = {"since=yesterday",
                                      "since=-5",
                                      "since=0x10",
                                      "since=5e3",
                                      "since=nan",
                                      "since=2023-11-31",
                                      "since=1e999",
                                      "since=2023-11-14T22:13:20",
                                      "status=finished",
                                      "since=2023-11-14T22:13:20%2B99:00",
                                      "model_name=a&q=b&q=c",
                                      "since=2023-11",
                                      "since=2023-11-14T",
                                      "since=2023-11-14Z",
                                      "since=2023-11-14T25:00:00Z"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) list(wrong[i], 400);
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs?since=today", NULL, &answer);
  assert_non_null(strstr(answer.text, "a date (2026-11-22), a date with time (2026-11-22T13:00:00Z)"));
  fake_answer_free(&answer);
  list("status=queued&model_name=&q=&tag=", 200);
  assert_true(!fake.filter.model_name && !fake.filter.text && !fake.filter.tag && fake.filter.status);
  list("model_name=a&q=b&tag=c", 200);
  assert_true(fake.filter.model_name && fake.filter.text && fake.filter.tag && !fake.filter.status);
}

/* ---- the JSON of a job ------------------------------------------------------------------------------------------- */

/* JSON text in the store is returned unchanged for every content; other texts are encoded. */
static void test_the_whole_of_a_job(void **state) {
  (void)state;
  fake_job *job = fake_service_add(&fake, "failed");
  job->job.model_name = strdup("a \"b\" \\ \x01 \xc3\xa4");
  job->job.name = strdup("plain");
  job->job.tags = strdup("[\"\\u00e4\"]");
  job->job.analysis = strdup("{\"dt\":0.10000000000000001}");
  job->job.report = strdup("{\"steps\":12345678901234567,\"x\":[1e300,-0.0]}");
  job->job.error = strdup("{\"t\":2.5}");
  job->job.started = 1700000001.9999;
  job->job.finished = -0.5; /* by a clock that was wrong */
  job->job.progress_t = 1.0 / 3;
  job->job.progress_fraction = NAN;
  job->job.progress_evaluations = UINT64_C(9007199254740993);
  job->job.attempt = 2;
  MODEL(wanted,
      {"id": "job-1", "status": "failed", "model_name": "a \"b\" \\ \u0001 \u00e4", "name": "plain",
       "tags": ["\u00e4"], "keep": false, "owner": null, "analysis": {"dt": 0.1}, "content_hash": null,
       "created": "2023-11-14T22:13:20.250Z", "started": "2023-11-14T22:13:21.999Z",
       "finished": "1969-12-31T23:59:59.500Z", "attempt": 2,
       "progress": {"t": 0.33333333333333331, "fraction": null, "evaluations": 9007199254740993},
       "report": {"steps": 12345678901234567, "x": [1e300, -0.0]}, "error": {"t": 2.5},
       "links": {"self": "/api/v1/jobs/job-1", "model": "/api/v1/jobs/job-1/model",
                 "events": "/api/v1/jobs/job-1/events",
                 "equations": "/api/v1/jobs/job-1/equations",
                 "certificate": "/api/v1/jobs/job-1/certificate", "results": "/api/v1/jobs/job-1/results",
                 "npz": "/api/v1/jobs/job-1/results.npz", "mat": "/api/v1/jobs/job-1/results.mat",
                 "h5": "/api/v1/jobs/job-1/results.h5", "csv": "/api/v1/jobs/job-1/results.csv",
                 "csv_zip": "/api/v1/jobs/job-1/results.csv.zip", "glb": "/api/v1/jobs/job-1/results.glb",
                 "fmu": "/api/v1/jobs/job-1/model.fmu"}});
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs/job-1", NULL, &answer);
  json_t *said = answered(&answer, 200), *meant = json_loads(wanted, 0, NULL);
  assert_non_null(meant);
  if (!json_equal(said, meant)) fail_msg("%s", json_dumps(said, 0));
  json_decref(said);
  fake_get(&fake, "/api/v1/jobs", NULL, &answer);
  json_t *page = answered(&answer, 200);
  json_object_del(meant, "report");
  assert_true(json_equal(json_array_get(json_object_get(page, "jobs"), 0), meant));
  json_decref(page);
  /* Each run of a study has its own time; there is no FMU of all. */
  job->job.runs = 20;
  json_object_del(json_object_get(meant, "links"), "fmu");
  json_object_del(json_object_get(meant, "progress"), "t");
  fake_get(&fake, "/api/v1/jobs", NULL, &answer);
  page = answered(&answer, 200);
  assert_true(json_equal(json_array_get(json_object_get(page, "jobs"), 0), meant));
  json_decref(page);
  json_decref(meant);
}

/* A link to an FMU is there if the job computes a motion as FMUs do. */
static void test_link_to_an_fmu(void **state) {
  (void)state;
  static const struct {
    const char *analysis;
    size_t runs;
    bool linked;
  } cases[] = {{"{\"type\":\"dynamics\",\"t_end\":1}", 0, true},
               {"{\"t_end\":1}", 0, true},
               {NULL, 0, true},
               {"{\"type\":\"dynamics\"}", 3, false},
               {"{\"type\":\"kinematics\"}", 0, false},
               {"{\"type\":\"assembly\"}", 0, false},
               {"{\"type\":\"dynamics\",\"constraints\":\"baumgarte\"}", 0, false},
               {"{\"type\":\"dynamics\",\"stop_when\":\"t - 1\"}", 0, false}};
  fake_job *job = fake_service_add(&fake, "succeeded");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    free(job->job.analysis);
    job->job.analysis = cases[i].analysis ? strdup(cases[i].analysis) : NULL;
    job->job.runs = cases[i].runs;
    fake_get(&fake, "/api/v1/jobs/job-1", NULL, &answer);
    json_t *said = answered(&answer, 200);
    assert_int_equal(json_object_get(json_object_get(said, "links"), "fmu") != NULL, cases[i].linked);
    json_decref(said);
  }
}

static bool is_linked(json_t *links, const char *path) {
  const char *name;
  json_t *link;
  json_object_foreach(links, name, link) if (strcmp(json_string_value(link), path) == 0) return true;
  return false;
}

/* A finished job links to everything that can be read about it, and each link works. */
static void test_links(void **state) {
  (void)state;
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, fake_pendulum, &answer);
  fake_answer_free(&answer);
  fake_service_work(&fake);
  fake_get(&fake, "/api/v1/jobs/job-1", "X-Forwarded-Prefix: /mbs", &answer);
  json_t *job = answered(&answer, 200), *links = json_object_get(job, "links"), *link;
  const char *name;
  json_object_foreach(links, name, link) {
    assert_int_equal(strncmp(json_string_value(link), "/mbs/api/v1/jobs/job-1", 22), 0);
    fake_get(&fake, json_string_value(link) + strlen("/mbs"), NULL, &answer);
    if (answer.response.status != 200) fail_msg("%s: %d", name, answer.response.status);
    fake_answer_free(&answer);
  }
  static const char of_a_job[] = "/api/v1/jobs/{id}";
  size_t count, seen = 0;
  const api_route *routes = api_routes(&count);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(routes[i].method, "GET") != 0 || strstr(routes[i].path, "{name}") || strstr(routes[i].path, "{run}"))
      continue;
    if (strncmp(routes[i].path, of_a_job, strlen(of_a_job)) != 0) continue;
    char path[128];
    snprintf(path, sizeof path, "/mbs/api/v1/jobs/job-1%s", routes[i].path + strlen(of_a_job));
    if (!is_linked(links, path)) fail_msg("no link to %s", path);
    seen++;
  }
  assert_int_equal(seen, json_object_size(links));
  json_decref(job);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SERVICE_TEST(test_a_key_stands_for_its_job),
      SERVICE_TEST(test_a_replay_may_wait),
      SERVICE_TEST(test_bad_keys_are_refused),
      SERVICE_TEST(test_annotations_come_with_the_model),
      SERVICE_TEST(test_annotations_are_checked),
      SERVICE_TEST(test_a_job_is_renamed),
      SERVICE_TEST(test_changes_are_checked),
      SERVICE_TEST(test_spelling_does_not_matter),
      SERVICE_TEST(test_what_cannot_be_guessed_is_not),
      SERVICE_TEST(test_equal_jobs_are_reused),
      SERVICE_TEST(test_reused_jobs_have_their_name),
      SERVICE_TEST(test_lists_are_filtered),
      SERVICE_TEST(test_the_whole_of_a_job),
      SERVICE_TEST(test_link_to_an_fmu),
      SERVICE_TEST(test_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
