/* Jobs: submitting, waiting, reading, listing, cancelling. */
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

/* A proxy publishes the service under a path; a prefix that is not a plain path is ignored. */
static void test_prefix(void **state) {
  (void)state;
  static const struct {
    const char *header, *location;
  } cases[] = {{"X-Forwarded-Prefix: /mbs", "/mbs/api/v1/jobs/job-"},
               {"X-Forwarded-Prefix: /a/b/", "/a/b/api/v1/jobs/job-"},
               {"X-Forwarded-Prefix: //evil.example", "/api/v1/jobs/job-"},
               {"X-Forwarded-Prefix: /a/../b", "/api/v1/jobs/job-"},
               {"X-Forwarded-Prefix: https://evil.example/", "/api/v1/jobs/job-"},
               {"X-Forwarded-Prefix: /a\"b", "/api/v1/jobs/job-"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    fake_post(&fake, "/api/v1/jobs", cases[i].header, fake_pendulum, &answer);
    const char *location = fake_answer_header(&answer, "Location");
    assert_memory_equal(location, cases[i].location, strlen(cases[i].location));
    json_t *job = fake_answer_json(&answer);
    assert_string_equal(text_of(json_object_get(job, "links"), "self"), location);
    json_decref(job);
    fake_answer_free(&answer);
  }
}

/* A list of jobs stays small even if models have long names. */
static void test_long_names_are_cut(void **state) {
  (void)state;
  char name[1 + 2 * 500 + 1] = "a";
  for (int i = 0; i < 500; i++) strcat(name, "\xc3\xa4");
  json_t *model = json_loads(fake_pendulum, 0, NULL);
  json_object_set_new(model, "name", json_string(name));
  char *text = json_dumps(model, 0);
  json_decref(model);
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", "Content-Type: application/json", text, &answer);
  free(text);
  assert_int_equal(answer.response.status, 202);
  json_t *job = fake_answer_json(&answer);
  assert_int_equal(strlen(text_of(job, "model_name")), 1 + 2 * 199);
  json_decref(job);
  fake_answer_free(&answer);
}

static void test_post_and_look(void **state) {
  (void)state;
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", "Content-Type: application/json", fake_pendulum, &answer);
  assert_int_equal(answer.response.status, 202);
  assert_string_equal(fake_answer_header(&answer, "Location"), "/api/v1/jobs/job-1");
  assert_null(fake_answer_header(&answer, "Preference-Applied"));
  json_t *job = fake_answer_json(&answer);
  assert_string_equal(text_of(job, "id"), "job-1");
  assert_string_equal(text_of(job, "status"), "queued");
  assert_string_equal(text_of(job, "model_name"), "Pendulum");
  assert_string_equal(text_of(json_object_get(job, "analysis"), "type"), "dynamics");
  assert_string_equal(text_of(job, "created"), "2023-11-14T22:13:20.250Z");
  assert_true(json_is_null(json_object_get(job, "started")));
  assert_true(json_is_null(json_object_get(job, "report")));
  assert_string_equal(text_of(json_object_get(job, "links"), "cancel"), "/api/v1/jobs/job-1/cancel");
  json_decref(job);
  fake_answer_free(&answer);

  fake_service_work(&fake);
  fake_get(&fake, "/api/v1/jobs/job-1", NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  job = fake_answer_json(&answer);
  assert_string_equal(text_of(job, "status"), "succeeded");
  assert_string_equal(text_of(job, "finished"), "2023-11-14T22:13:22.500Z");
  assert_true(json_is_null(json_object_get(job, "error")));
  json_t *report = json_object_get(job, "report");
  assert_int_equal(json_integer_value(json_object_get(report, "degrees_of_freedom")), 1);
  assert_string_equal(text_of(report, "version"), MBS_VERSION);
  assert_string_equal(text_of(json_object_get(job, "links"), "results"), "/api/v1/jobs/job-1/results");
  json_decref(job);
  fake_answer_free(&answer);

  fake_get(&fake, "/api/v1/jobs/job-1/model", NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  assert_string_equal(answer.text, fake_pendulum);
  fake_answer_free(&answer);

  fake_get(&fake, "/api/v1/jobs/job-1/results/T?format=csv&from=0.95", NULL, &answer);
  assert_string_equal(answer.text, "t\n1\n");
  fake_answer_free(&answer);
}

/* Returns the report of the first job with this body. */
static json_t *report_of(const char *body) {
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, body, &answer);
  assert_int_equal(answer.response.status, 202);
  fake_answer_free(&answer);
  fake_service_work(&fake);
  fake_get(&fake, "/api/v1/jobs/job-1", NULL, &answer);
  json_t *job = fake_answer_json(&answer), *report = json_incref(json_object_get(job, "report"));
  json_decref(job);
  fake_answer_free(&answer);
  return report;
}

/* Values that were not computed are null or absent: with a rod that is too long for its points no start is found. */
static void test_report_of_no_start(void **state) {
  (void)state;
  MODEL(too_long,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [1, 0]}}],
       "joints": [
         {"name": "pin", "type": "revolute", "points": ["ground.O", "b.A"]},
         {"name": "far", "type": "rod", "points": ["ground.O", "b.A"], "length": 3}],
       "analysis": {"t_end": 1, "dt": 0.5}});
  json_t *report = report_of(too_long), *initial = json_object_get(report, "initial_conditions");
  assert_true(json_is_false(json_object_get(initial, "corrected")));
  assert_string_equal(text_of(json_object_get(initial, "failed"), "element"), "far");
  assert_string_equal(text_of(json_object_get(initial, "failed"), "row"), "far.length");
  assert_true(json_real_value(json_object_get(initial, "position_residual")) > 1);
  assert_true(json_is_null(json_object_get(initial, "velocity_residual")));
  static const char *const unknown[] = {"degrees_of_freedom", "velocity_freedoms", "mobility", "redundant"};
  for (int i = 0; i < 4; i++) assert_true(json_is_null(json_object_get(report, unknown[i])));
  assert_true(json_is_null(json_object_get(json_object_get(report, "residuals"), "position")));
  assert_true(json_is_null(json_object_get(json_object_get(report, "energy"), "largest_change")));
  assert_int_equal(json_integer_value(json_object_get(report, "recorded")), 0);
  assert_null(json_object_get(report, "final_state"));
  json_decref(report);
}

/* The equilibrium, in which the spring force equals the weight: 9.81 / 100 below the free length. */
static void test_report_of_an_equilibrium(void **state) {
  (void)state;
  MODEL(hangs,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [0, 1]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 0]}, "vectors": {"u": [0, 1]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "b.A"], "vectors": ["ground.u", "b.u"],
          "initial": {"position": -1}}],
       "forces": [
         {"name": "s", "type": "spring-damper", "points": ["ground.O", "b.A"], "stiffness": 100, "free_length": 1}],
       "sensors": [{"name": "height", "value": "b.y"}],
       "analysis": {"type": "equilibrium", "outputs": ["height"]}});
  json_t *report = report_of(hangs), *final = json_object_get(report, "final_state");
  const json_t *height = json_array_get(json_object_get(report, "sensors"), 0);
  const double rest = -1 - 0.0981;
  assert_true(fabs(json_real_value(json_array_get(json_object_get(final, "coordinates"), 0)) - rest) < 1e-9);
  assert_true(fabs(json_real_value(json_object_get(final, "potential_energy")) - (9.81 * rest + 50 * 0.0981 * 0.0981)) <
              1e-9);
  assert_string_equal(text_of(height, "array"), "height");
  assert_true(fabs(json_real_value(json_object_get(height, "max")) - rest) < 1e-9);
  assert_true(json_is_true(json_object_get(report, "stable")));
  const json_t *found = json_object_get(report, "equilibrium"), *poses = json_object_get(found, "poses");
  assert_true(fabs(json_real_value(json_object_get(json_object_get(found, "coordinates"), "rail.q")) - rest) < 1e-9);
  assert_int_equal(json_object_size(poses), 1);
  const json_t *position = json_object_get(json_object_get(poses, "b"), "position");
  assert_int_equal(json_array_size(position), 2);
  assert_true(fabs(json_real_value(json_array_get(position, 1)) - rest) < 1e-9);
  assert_true(fabs(json_number_value(json_object_get(json_object_get(poses, "b"), "angle"))) < 1e-9);
  assert_int_equal(json_object_size(json_object_get(found, "states")), 0);
  assert_true(json_is_true(json_object_get(found, "stable")));
  json_decref(report);
}

static void test_analysis_beside_the_model_counts(void **state) {
  (void)state;
  char body[2048];
  MODEL(beside,
      {"model": %s, "analysis": {"t_end": 0.2, "dt": 0.1}, "x-note": 1});
  snprintf(body, sizeof body, beside, fake_pendulum);
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, body, &answer);
  assert_int_equal(answer.response.status, 202);
  fake_answer_free(&answer);
  fake_service_work(&fake);
  fake_get(&fake, "/api/v1/jobs/job-1/results", NULL, &answer);
  json_t *list = fake_answer_json(&answer);
  json_t *shape = json_object_get(json_array_get(json_object_get(list, "arrays"), 0), "shape");
  assert_int_equal(json_integer_value(json_array_get(shape, 0)), 3);
  json_decref(list);
  fake_answer_free(&answer);
}

static void test_waiting(void **state) {
  (void)state;
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", "Prefer: respond-async, wait=10", fake_pendulum, &answer);
  assert_string_equal(answer.response.wait_id, "job-1");
  assert_float_equal(answer.response.wait_seconds, 10, 0);
  fake_answer_free(&answer);
  /* The wait ended before the job: status 202. */
  fake_request(&fake, "POST", "/api/v1/jobs", "Prefer: wait=10", fake_pendulum, strlen(fake_pendulum), "job-1",
               &answer);
  assert_int_equal(answer.response.status, 202);
  assert_string_equal(fake_answer_header(&answer, "Preference-Applied"), "wait=10");
  fake_answer_free(&answer);
  fake_service_work(&fake);
  fake_request(&fake, "POST", "/api/v1/jobs", "Prefer: wait=10", fake_pendulum, strlen(fake_pendulum), "job-1",
               &answer);
  assert_int_equal(answer.response.status, 200);
  assert_string_equal(fake_answer_header(&answer, "Location"), "/api/v1/jobs/job-1");
  fake_answer_free(&answer);
  assert_int_equal(fake.job_count, 1);

  /* Reading a job can also wait; a finished job is returned immediately. */
  fake_service_add(&fake, "running");
  fake_get(&fake, "/api/v1/jobs/job-2", "Prefer: wait=5", &answer);
  assert_string_equal(answer.response.wait_id, "job-2");
  fake_answer_free(&answer);
  fake_get(&fake, "/api/v1/jobs/job-1", "Prefer: wait=5", &answer);
  assert_int_equal(answer.response.status, 200);
  fake_answer_free(&answer);
}

static void test_waiting_is_bounded(void **state) {
  (void)state;
  static const struct {
    const char *header;
    double seconds; /* 0: no waiting */
  } cases[] = {{"Prefer: wait=999999", 30},
               {"Prefer: wait=0", 0},
               {"Prefer: wait=-5", 0},
               {"Prefer: wait=abc", 0},
               {"Prefer: wait=nan", 0},
               {"Prefer: handling=lenient; wait=0.5", 0.5},
               {"Prefer: WAIT=2", 2},
               {"Prefer: await=3", 0},
               {"Prefer: wait=\"5\"", 5},
               {"prefer: wait = 4", 4},
               {"Prefer: return=\"a,wait=9\"", 0},
               {"Prefer: respond-async\nPrefer: wait=3", 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    fake_post(&fake, "/api/v1/jobs", cases[i].header, fake_pendulum, &answer);
    assert_float_equal(answer.response.wait_seconds, cases[i].seconds, 0);
    assert_int_equal(answer.response.status, cases[i].seconds > 0 ? 0 : 202);
    fake_answer_free(&answer);
  }
}

static void test_list(void **state) {
  (void)state;
  for (int i = 0; i < 5; i++) fake_service_add(&fake, i % 2 ? "failed" : "succeeded");
  fake_answer answer;
  fake_get(&fake, "/api/v1/jobs?limit=2", NULL, &answer);
  json_t *list = fake_answer_json(&answer);
  json_t *jobs = json_object_get(list, "jobs");
  assert_int_equal(json_array_size(jobs), 2);
  assert_string_equal(text_of(json_array_get(jobs, 0), "id"), "job-5");
  assert_null(json_object_get(json_array_get(jobs, 0), "report"));
  char next[128];
  snprintf(next, sizeof next, "/api/v1/jobs?limit=3&cursor=%s", text_of(list, "next"));
  json_decref(list);
  fake_answer_free(&answer);
  fake_get(&fake, next, NULL, &answer);
  list = fake_answer_json(&answer);
  jobs = json_object_get(list, "jobs");
  assert_int_equal(json_array_size(jobs), 3);
  assert_string_equal(text_of(json_array_get(jobs, 2), "id"), "job-1");
  assert_true(json_is_null(json_object_get(list, "next")));
  json_decref(list);
  fake_answer_free(&answer);
  fake_get(&fake, "/api/v1/jobs?status=failed", NULL, &answer);
  list = fake_answer_json(&answer);
  assert_int_equal(json_array_size(json_object_get(list, "jobs")), 2);
  json_decref(list);
  fake_answer_free(&answer);
}

/* A well-formed model that cannot be assembled: a failed job, not an invalid document. */
MODEL(contradiction,
    {"space": "planar",
     "ground": {"points": {"O": [0, 0], "Q": [1, 0]}},
     "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 1], "C": [0, -1]}}],
     "joints": [
       {"name": "pin",  "type": "revolute", "points": ["ground.O", "b.A"]},
       {"name": "link", "type": "rod",      "points": ["ground.Q", "b.C"], "length": 50}],
     "analysis": {"t_end": 1, "dt": 0.1}});

static void test_failed_job(void **state) {
  (void)state;
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, contradiction, &answer);
  assert_int_equal(answer.response.status, 202);
  fake_answer_free(&answer);
  fake_service_work(&fake);
  fake_get(&fake, "/api/v1/jobs/job-1", NULL, &answer);
  json_t *job = fake_answer_json(&answer);
  assert_string_equal(text_of(job, "status"), "failed");
  json_t *error = json_object_get(job, "error");
  assert_string_equal(text_of(error, "code"), mbs_status_code(MBS_NOT_ASSEMBLED));
  assert_string_equal(text_of(error, "element"), "link");
  assert_true(json_is_object(json_object_get(job, "report")));
  json_decref(job);
  fake_answer_free(&answer);

  fake_post(&fake, "/api/v1/validate", NULL, contradiction, &answer);
  assert_int_equal(answer.response.status, 200);
  json_t *understood = fake_answer_json(&answer);
  assert_true(json_is_false(json_object_get(understood, "assembled")));
  assert_string_equal(text_of(json_object_get(understood, "error"), "code"), mbs_status_code(MBS_NOT_ASSEMBLED));
  assert_int_equal(json_array_size(json_object_get(understood, "bodies")), 1);
  json_decref(understood);
  fake_answer_free(&answer);
}

/* validate replaces the requested analysis by an assembly, and reports if that analysis must fail. */
static void test_validate_reports_missing_drivers(void **state) {
  (void)state;
  static const struct {
    const char *analysis;
    size_t notes;
  } cases[] = {{"dynamics", 0}, {"kinematics", 1}, {"inverse-dynamics", 1}};
  for (size_t i = 0; i < 3; i++) {
    fake_answer answer;
    char body[1200];
    MODEL(beside,
        {"model": %s, "analysis": {"type": "%s", "t_end": 1, "dt": 0.1}});
    snprintf(body, sizeof body, beside, fake_pendulum, cases[i].analysis);
    fake_post(&fake, "/api/v1/validate", NULL, body, &answer);
    assert_int_equal(answer.response.status, 200);
    json_t *understood = fake_answer_json(&answer);
    assert_string_equal(text_of(understood, "analysis"), cases[i].analysis);
    json_t *notes = json_object_get(understood, "notes");
    assert_int_equal(json_array_size(notes), cases[i].notes);
    if (cases[i].notes) assert_non_null(strstr(json_string_value(json_array_get(notes, 0)), "1 has no driver"));
    json_decref(understood);
    fake_answer_free(&answer);
  }
}

static void expect_status(const char *method, const char *target, int status) {
  fake_answer answer;
  fake_request(&fake, method, target, NULL, NULL, 0, NULL, &answer);
  assert_int_equal(answer.response.status, status);
  fake_answer_free(&answer);
}

static void test_stopping(void **state) {
  (void)state;
  fake_service_add(&fake, "running");
  expect_status("POST", "/api/v1/jobs/job-1/cancel", 200);
  expect_status("POST", "/api/v1/jobs/job-1/cancel", 200);
  expect_status("POST", "/api/v1/jobs/job-7/cancel", 404);
  expect_status("DELETE", "/api/v1/jobs/job-1", 204);
  expect_status("DELETE", "/api/v1/jobs/job-1", 404);
  expect_status("GET", "/api/v1/jobs/job-1", 404);
  expect_status("GET", "/api/v1/jobs/job-1/model", 404);
}

static void test_service_says_no(void **state) {
  (void)state;
  static const struct {
    service_status said;
    int status;
    bool retry;
  } cases[] = {{SERVICE_CLIENT_FULL, 429, true}, {SERVICE_QUEUE_FULL, 503, true}, {SERVICE_NO_WORKERS, 503, true},
               {SERVICE_DRAINING, 503, true},    {SERVICE_NO_SPACE, 507, false},  {SERVICE_CONFLICT, 422, false},
               {SERVICE_FAILED, 500, false},     {SERVICE_UNAVAILABLE, 503, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake.submit_status = cases[i].said;
    fake_answer answer;
    fake_post(&fake, "/api/v1/jobs", NULL, fake_pendulum, &answer);
    assert_int_equal(answer.response.status, cases[i].status);
    assert_int_equal(fake_answer_header(&answer, "Retry-After") != NULL, cases[i].retry);
    json_t *problem = fake_answer_json(&answer);
    assert_string_equal(text_of(problem, "instance"), "/api/v1/jobs");
    json_decref(problem);
    fake_answer_free(&answer);
  }
}

/* ---- pending calls ----------------------------------------------------------------------------------------------- */

static void test_pending(void **state) {
  (void)state;
  fake.slow = true;
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, fake_pendulum, &answer);
  assert_int_equal(answer.response.status, 202);
  assert_int_equal(fake.rounds, 2);
  fake_answer_free(&answer);
  assert_int_equal(fake.job_count, 1); /* once */
  fake_post(&fake, "/api/v1/validate", NULL, fake_pendulum, &answer);
  assert_int_equal(answer.response.status, 200);
  assert_int_equal(fake.rounds, 2);
  fake_answer_free(&answer);
  fake_post(&fake, "/api/v1/jobs/job-1/cancel", NULL, "", &answer);
  assert_int_equal(answer.response.status, 200);
  assert_int_equal(fake.rounds, 2);
  fake_answer_free(&answer);
  fake_request(&fake, "DELETE", "/api/v1/jobs/job-1", NULL, NULL, 0, NULL, &answer);
  assert_int_equal(answer.response.status, 204);
  assert_int_equal(fake.rounds, 2);
  fake_answer_free(&answer);
}

static void test_checks_fail(void **state) {
  (void)state;
  static const struct {
    service_status said;
    int status;
    const char *words;
  } cases[] = {{SERVICE_BUSY, 503, "are waiting; try again"},
               {SERVICE_LATE, 503, "is busy with other documents"},
               {SERVICE_NO_WORKERS, 503, "No worker process"},
               {SERVICE_DIED, 500, "crashed or was killed"},
               {SERVICE_TOO_LONG, 422, "validation stopped after 60 s (limit --check-seconds"},
               {SERVICE_FAILED, 500, ""}};
  static const char *const targets[] = {"/api/v1/jobs", "/api/v1/validate"};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    fake.check_status = cases[i / 2].said;
    fake_answer answer;
    fake_post(&fake, targets[i % 2], NULL, fake_pendulum, &answer);
    assert_int_equal(answer.response.status, cases[i / 2].status);
    assert_int_equal(fake_answer_header(&answer, "Retry-After") != NULL, cases[i / 2].status == 503);
    json_t *problem = fake_answer_json(&answer);
    assert_string_equal(text_of(problem, "instance"), targets[i % 2]);
    assert_non_null(strstr(text_of(problem, "detail"), cases[i / 2].words));
    json_decref(problem);
    fake_answer_free(&answer);
  }
  assert_int_equal(fake.job_count, 0);
}

/* The report names numbers that JSON cannot represent. */
static void test_non_finite(void **state) {
  (void)state;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 0]}}],
       "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "b.A"]}],
       "sensors": [{"name": "grows", "value": "1e308*t*100"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.5}});
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, document, &answer);
  assert_int_equal(answer.response.status, 202);
  fake_answer_free(&answer);
  fake_service_work(&fake);
  fake_get(&fake, "/api/v1/jobs/job-1", NULL, &answer);
  json_t *finished = fake_answer_json(&answer), *report = json_object_get(finished, "report");
  json_t *wanted = json_pack("[{s:s,s:i,s:f}]", "array", "grows", "count", 2, "first_t", 0.5);
  assert_true(json_equal(json_object_get(report, "non_finite"), wanted));
  assert_int_equal(json_array_size(json_object_get(report, "notes")), 1);
  json_decref(wanted);
  json_decref(finished);
  fake_answer_free(&answer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SERVICE_TEST(test_long_names_are_cut),
      SERVICE_TEST(test_post_and_look),
      SERVICE_TEST(test_prefix),
      SERVICE_TEST(test_report_of_no_start),
      SERVICE_TEST(test_report_of_an_equilibrium),
      SERVICE_TEST(test_analysis_beside_the_model_counts),
      SERVICE_TEST(test_waiting),
      SERVICE_TEST(test_waiting_is_bounded),
      SERVICE_TEST(test_list),
      SERVICE_TEST(test_stopping),
      SERVICE_TEST(test_validate_reports_missing_drivers),
      SERVICE_TEST(test_failed_job),
      SERVICE_TEST(test_service_says_no),
      SERVICE_TEST(test_pending),
      SERVICE_TEST(test_checks_fail),
      SERVICE_TEST(test_non_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
