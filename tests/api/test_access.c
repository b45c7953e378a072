/* Tokens: permissions of calls, and the responses to calls without permission. */
#include "api/http/access.h"
#include "api/routes.h"
#include "json.h"
#include "service_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Tokens are named after their permissions: "run" may run. */
static const service_holder *holder_of(void *context, const char *token, size_t size) {
  static const service_holder holders[] = {{"reader", SERVICE_RIGHT_READ, {0}},
                                           {"runner", SERVICE_RIGHT_RUN, {3, 5e9, 0}},
                                           {"admin", SERVICE_RIGHT_ADMIN, {0}}};
  (void)context;
  service_right right = strlen(token) == size ? service_right_find(token) : SERVICE_RIGHT_NONE;
  return right == SERVICE_RIGHT_NONE ? NULL : &holders[right - SERVICE_RIGHT_READ];
}

static int open_with_tokens(void **state) {
  open_service(state);
  fake.service.holder = holder_of;
  return 0;
}

#define TOKEN(token) "Authorization: Bearer " token

static void test_calls_and_rights(void **state) {
  (void)state;
  static const struct {
    const char *method, *target, *header;
    int status;
    const char *authenticate; /* NULL: no such header */
  } cases[] = {
      {"GET", "/healthz", NULL, 200, NULL},
      {"GET", "/readyz", NULL, 200, NULL},
      {"HEAD", "/healthz", TOKEN("wrong"), 200, NULL},
      {"GET", "/api/v1/openapi.json", NULL, 200, NULL},
      {"GET", "/api/v1/schemas/model.schema.json", NULL, 200, NULL},
      {"GET", "/api/v1/jobs", NULL, 401, "Bearer realm=\"mbsd\""},
      {"HEAD", "/api/v1/jobs", NULL, 401, "Bearer realm=\"mbsd\""},
      {"GET", "/api/v1", NULL, 401, "Bearer realm=\"mbsd\""},
      {"GET", "/metrics", NULL, 401, "Bearer realm=\"mbsd\""},
      {"GET", "/api/v1/examples", NULL, 401, "Bearer realm=\"mbsd\""},
      {"GET", "/api/v1/jobs/job-1", NULL, 401, "Bearer realm=\"mbsd\""},
      {"GET", "/api/v1/jobs", TOKEN("wrong"), 401, "Bearer realm=\"mbsd\", error=\"invalid_token\""},
      {"GET", "/api/v1/jobs", TOKEN(""), 401, "Bearer realm=\"mbsd\", error=\"invalid_token\""},
      {"GET", "/api/v1/jobs", "Authorization: Basic cmVhZA==", 401, "Bearer realm=\"mbsd\""},
      {"GET", "/api/v1/jobs", "Authorization: read", 401, "Bearer realm=\"mbsd\""},
      {"GET", "/api/v1/jobs", TOKEN("read"), 200, NULL},
      {"GET", "/api/v1/jobs", "authorization: bearer  read", 200, NULL},
      {"GET", "/metrics", TOKEN("read"), 200, NULL},
      {"POST", "/api/v1/jobs", NULL, 401, "Bearer realm=\"mbsd\""},
      {"POST", "/api/v1/jobs", TOKEN("read"), 403,
       "Bearer realm=\"mbsd\", error=\"insufficient_scope\", scope=\"run\""},
      {"POST", "/api/v1/validate", TOKEN("read"), 403,
       "Bearer realm=\"mbsd\", error=\"insufficient_scope\", scope=\"run\""},
      {"DELETE", "/api/v1/jobs/job-1", TOKEN("read"), 403,
       "Bearer realm=\"mbsd\", error=\"insufficient_scope\", scope=\"run\""},
      {"POST", "/api/v1/jobs", TOKEN("run"), 202, NULL},
      {"POST", "/api/v1/jobs", TOKEN("admin"), 202, NULL},
      {"GET", "/api/v1/jobs", TOKEN("admin"), 200, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    bool posts = strcmp(cases[i].method, "POST") == 0;
    fake_request(&fake, cases[i].method, cases[i].target, cases[i].header, posts ? fake_pendulum : NULL,
                 posts ? strlen(fake_pendulum) : 0, NULL, &answer);
    if (answer.response.status != cases[i].status)
      fail_msg("%s %s with %s: %d", cases[i].method, cases[i].target, cases[i].header, answer.response.status);
    const char *authenticate = fake_answer_header(&answer, "WWW-Authenticate");
    if (cases[i].authenticate)
      assert_string_equal(authenticate, cases[i].authenticate);
    else
      assert_null(authenticate);
    fake_answer_free(&answer);
  }
  assert_int_equal(fake.job_count, 2);
}

/* A new route requires a token unless it is listed as open. */
static void test_every_route_requires_a_token(void **state) {
  (void)state;
  size_t count, open = 0;
  const api_route *routes = api_routes(&count);
  for (size_t i = 0; i < count; i++) {
    bool reads = strcmp(routes[i].method, "GET") == 0;
    service_right right = api_access_right(&routes[i]);
    if (!reads) assert_int_equal(right, SERVICE_RIGHT_RUN);
    if (reads && right != SERVICE_RIGHT_READ) open++;
  }
  assert_int_equal(open, 5);
}

static void test_missing_data_is_reported(void **state) {
  (void)state;
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", TOKEN("read"), fake_pendulum, &answer);
  assert_non_null(strstr(answer.text, "needs the permission 'run'; the token of 'reader' has 'read'"));
  assert_non_null(strstr(answer.text, "urn:mbsd:problem:missing-right"));
  fake_answer_free(&answer);
  fake_get(&fake, "/api/v1/jobs", NULL, &answer);
  assert_non_null(strstr(answer.text, "Authorization: Bearer TOKEN"));
  assert_non_null(strstr(answer.text, "urn:mbsd:problem:no-token"));
  fake_answer_free(&answer);
}

/* A client with permission to run may end its own jobs. */
static void test_jobs_of_others(void **state) {
  (void)state;
  static const struct {
    const char *client, *token;
    int cancel, remove;
  } cases[] = {
      {"runner", TOKEN("run"), 200, 204},     {"somebody", TOKEN("run"), 403, 403}, {"", TOKEN("run"), 403, 403},
      {"somebody", TOKEN("admin"), 200, 204}, {"reader", TOKEN("read"), 403, 403},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_job *job = fake_service_add(&fake, "running");
    snprintf(job->job.client, sizeof job->job.client, "%s", cases[i].client);
    char target[64];
    fake_answer answer;
    snprintf(target, sizeof target, "/api/v1/jobs/%s/cancel", job->job.id);
    fake_post(&fake, target, cases[i].token, "", &answer);
    assert_int_equal(answer.response.status, cases[i].cancel);
    if (cases[i].cancel == 403)
      assert_non_null(strstr(answer.text, strstr(cases[i].token, "run") ? "'admin'" : "'run'"));
    fake_answer_free(&answer);
    *strrchr(target, '/') = '\0';
    fake_get(&fake, target, cases[i].token, &answer);
    assert_int_equal(answer.response.status, 200);
    fake_answer_free(&answer);
    fake_request(&fake, "DELETE", target, cases[i].token, NULL, 0, NULL, &answer);
    assert_int_equal(answer.response.status, cases[i].remove);
    fake_answer_free(&answer);
  }
  fake_answer answer;
  fake_request(&fake, "DELETE", "/api/v1/jobs/none", TOKEN("run"), NULL, 0, NULL, &answer);
  assert_int_equal(answer.response.status, 404);
  fake_answer_free(&answer);
}

static service_status broken_job(void *context, const char *id, service_job *out) {
  (void)context;
  (void)id;
  (void)out;
  return SERVICE_FAILED;
}

/* No client may end a job if its owner cannot be read. */
static void test_jobs_that_cannot_be_read(void **state) {
  (void)state;
  fake_job *job = fake_service_add(&fake, "running");
  fake.service.job = broken_job;
  fake_answer answer;
  char target[64];
  snprintf(target, sizeof target, "/api/v1/jobs/%s", job->job.id);
  fake_request(&fake, "DELETE", target, TOKEN("run"), NULL, 0, NULL, &answer);
  assert_int_equal(answer.response.status, 500);
  assert_true(job->used);
  fake_answer_free(&answer);
}

/* A token does not circumvent the protection against pages of other sites. */
static void test_other_sites(void **state) {
  (void)state;
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", TOKEN("run") "\nSec-Fetch-Site: cross-site", fake_pendulum, &answer);
  assert_int_equal(answer.response.status, 403);
  assert_non_null(strstr(answer.text, "cross-site"));
  fake_answer_free(&answer);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void test_a_token_has_its_own_limits(void **state) {
  (void)state;
  static const struct {
    const char *header;
    double most[SERVICE_LIMITS];
  } cases[] = {{TOKEN("run"), {3, 5e9, 60}}, {TOKEN("admin"), {2000, 0, 60}}};
  fake.service.limits.client[SERVICE_LIMIT_QUEUE] = 2000;
  fake.service.limits.client[SERVICE_LIMIT_CPU] = 60;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    fake_post(&fake, "/api/v1/jobs", cases[i].header, fake_pendulum, &answer);
    assert_int_equal(answer.response.status, 202);
    for (int k = 0; k < SERVICE_LIMITS; k++) assert_true(fake.most[k] == cases[i].most[k]);
    fake_answer_free(&answer);
  }
}

static const char *string_of(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

static void test_a_refusal_names_the_limit(void **state) {
  (void)state;
  static const struct {
    service_receipt refusal;
    const char *name, *retry, *advice;
    double maximum, used;
  } cases[] = {{{.limit = SERVICE_LIMIT_QUEUE, .most = 3, .usage = {{3, 1, 1}, 3599.2}},
                "client-queue",
                "5",
                "limit of 3",
                3,
                3},
               {{.limit = SERVICE_LIMIT_BYTES, .most = 5e9, .usage = {{1, 4999999999, 1}, 3599.2}},
                "stored-bytes",
                "5",
                "limit of 5000000000 (stored-bytes); delete",
                5e9,
                4999999999},
               {{.limit = SERVICE_LIMIT_CPU, .most = 0.5, .usage = {{1, 1, 0.75}, 3599.2}},
                "cpu-seconds",
                "3600",
                "have used 0.75 s of processor time",
                0.5,
                0.75},
               {{.limit = SERVICE_LIMIT_CPU, .most = 0.5, .usage = {{1, 1, 0.75}, 0}},
                "cpu-seconds",
                "1",
                "tomorrow",
                0.5,
                0.75}};
  fake.submit_status = SERVICE_CLIENT_FULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    fake.refusal = cases[i].refusal;
    fake_post(&fake, "/api/v1/jobs", TOKEN("run"), fake_pendulum, &answer);
    assert_int_equal(answer.response.status, 429);
    assert_string_equal(fake_answer_header(&answer, "Retry-After"), cases[i].retry);
    json_t *problem = fake_answer_json(&answer);
    assert_string_equal(string_of(problem, "type"), "urn:mbsd:problem:too-many-requests");
    assert_string_equal(string_of(problem, "limit"), cases[i].name);
    assert_non_null(strstr(string_of(problem, "detail"), cases[i].advice));
    assert_true(json_number_value(json_object_get(problem, "maximum")) == cases[i].maximum);
    assert_true(json_number_value(json_object_get(problem, "used")) == cases[i].used);
    json_decref(problem);
    fake_answer_free(&answer);
  }
}

static void test_usage(void **state) {
  (void)state;
  fake_answer answer;
  fake.usage = (service_usage){{2, 1234, 0.25}, 3599.5};
  fake_get(&fake, "/api/v1/usage", TOKEN("run"), &answer);
  assert_int_equal(answer.response.status, 200);
  assert_string_equal(answer.text,
                      "{\"client\":\"runner\",\"permission\":\"run\",\"limits\":["
                      "{\"name\":\"client-queue\",\"maximum\":3,\"used\":2},"
                      "{\"name\":\"stored-bytes\",\"maximum\":5000000000,\"used\":1234},"
                      "{\"name\":\"cpu-seconds\",\"maximum\":null,\"used\":0.25,\"resets_in\":3599.5}]}\n");
  fake_answer_free(&answer);
  fake.service.holder = NULL;
  fake_get(&fake, "/api/v1/usage", NULL, &answer);
  assert_non_null(strstr(answer.text, "\"permission\":null"));
  fake_answer_free(&answer);
}

int main(void) {
#define TOKENS_TEST(name) cmocka_unit_test_setup_teardown(name, open_with_tokens, close_service)
  const struct CMUnitTest tests[] = {
      TOKENS_TEST(test_calls_and_rights),
      TOKENS_TEST(test_every_route_requires_a_token),
      TOKENS_TEST(test_missing_data_is_reported),
      TOKENS_TEST(test_jobs_of_others),
      TOKENS_TEST(test_jobs_that_cannot_be_read),
      TOKENS_TEST(test_other_sites),
      TOKENS_TEST(test_a_token_has_its_own_limits),
      TOKENS_TEST(test_a_refusal_names_the_limit),
      TOKENS_TEST(test_usage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
