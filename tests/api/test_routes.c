/* Paths, methods, queries and headers: everything before a handler runs. */
#include "api/http/problem.h"
#include "json.h"
#include "service_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_problem(const fake_answer *answer, int status, const char *detail) {
  assert_int_equal(answer->response.status, status);
  assert_string_equal(fake_answer_header(answer, "Content-Type"), "application/problem+json");
  json_t *problem = fake_answer_json(answer);
  assert_int_equal(json_integer_value(json_object_get(problem, "status")), status);
  assert_non_null(json_string_value(json_object_get(problem, "type")));
  assert_non_null(json_string_value(json_object_get(problem, "title")));
  const char *said = json_string_value(json_object_get(problem, "detail"));
  assert_non_null(said);
  if (!strstr(said, detail)) fail_msg("'%s' is not in '%s'", detail, said);
  json_decref(problem);
}

static void test_refused_targets(void **state) {
  (void)state;
  static const struct {
    const char *target;
    int status;
    const char *detail;
  } cases[] = {
      {"/nothing", 404, "No resource has this path"},
      {"/api/v1/jobs/", 404, ""},
      {"/api/v1/jobs/a/b", 404, ""},
      {"/api/v1/jobs/no-such-job", 404, "no job 'no-such-job'"},
      {"/healthz/", 404, ""},
      {"", 400, "does not begin with '/'"},
      {"http://other/healthz", 400, "does not begin with '/'"},
      {"/api/v1/jobs/%00", 400, "%00"},
      {"/api/v1/jobs/%0", 400, "hexadecimal"},
      {"/api/v1/jobs/%zz", 400, "hexadecimal"},
      {"/api/v1/jobs/%", 400, "hexadecimal"},
      {"/api/v1/jobs/%ff", 400, "UTF-8"},
      {"/api/v1/jobs/\xff", 400, "UTF-8"},
      {"/1/2/3/4/5/6/7/8/9", 400, "more than 8 segments"},
      {"/api/v1/jobs?limit=%00", 400, "%00"},
      {"/api/v1/jobs?limit=1&limit=2", 400, "Duplicate query parameter"},
      {"/api/v1/jobs?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9", 400, "more than 8 parameters"},
      {"/api/v1/jobs?limitt=5", 400, "did you mean 'limit'?"},
      {"/api/v1/jobs?colour=red", 400, "available: status, model_name, owner, since, q, tag, limit, cursor"},
      {"/healthz?x", 400, "none are available"},
      {"/api/v1/jobs?limit=0", 400, "from 1 to"},
      {"/api/v1/jobs?limit=5x", 400, "from 1 to"},
      {"/api/v1/jobs?limit=", 400, "from 1 to"},
      {"/api/v1/jobs?status=runing", 400, "did you mean 'running'?"},
      {"/api/v1/jobs?cursor=zz", 400, "cursor"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    fake_get(&fake, cases[i].target, NULL, &answer);
    expect_problem(&answer, cases[i].status, cases[i].detail);
    fake_answer_free(&answer);
  }
}

static void test_methods(void **state) {
  (void)state;
  static const struct {
    const char *method, *target;
    int status;
    const char *allow;
  } cases[] = {
      {"DELETE", "/api/v1/jobs", 405, "GET, HEAD, POST"},
      {"PUT", "/api/v1/jobs/5", 405, "GET, HEAD, PATCH, DELETE"},
      {"GET", "/api/v1/validate", 405, "POST"},
      {"HEAD", "/api/v1/validate", 405, "POST"},
      {"OPTIONS", "/healthz", 405, "GET, HEAD"},
      {"POST", "/nothing", 404, NULL},
      {"HEAD", "/healthz", 200, NULL},
      {"HEAD", "/api/v1/examples", 200, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    fake_request(&fake, cases[i].method, cases[i].target, NULL, NULL, 0, NULL, &answer);
    assert_int_equal(answer.response.status, cases[i].status);
    const char *allow = fake_answer_header(&answer, "Allow");
    if (cases[i].allow)
      assert_string_equal(allow, cases[i].allow);
    else
      assert_null(allow);
    fake_answer_free(&answer);
  }
}

static void test_other_sites_may_not_change_anything(void **state) {
  (void)state;
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", "Sec-Fetch-Site: cross-site", fake_pendulum, &answer);
  expect_problem(&answer, 403, "another origin");
  fake_answer_free(&answer);
  assert_int_equal(fake.job_count, 0);
  fake_post(&fake, "/api/v1/jobs", "Sec-Fetch-Site: same-origin", fake_pendulum, &answer);
  assert_int_equal(answer.response.status, 202);
  fake_answer_free(&answer);
  fake_get(&fake, "/api/v1/jobs", "Sec-Fetch-Site: cross-site", &answer);
  assert_int_equal(answer.response.status, 200);
  fake_answer_free(&answer);
}

/* Older browsers send only the origin of the page. */
static void test_origins(void **state) {
  (void)state;
  static const struct {
    const char *headers;
    int status;
  } cases[] = {
      {"Origin: http://evil.example\nHost: 127.0.0.1:8080", 403},
      {"Origin: http://127.0.0.1:8080\nHost: 127.0.0.1:8080", 202},
      {"Origin: HTTP://LocalHost:8080\nHost: localhost:8080", 202},
      {"Origin: http://127.0.0.1:9090\nHost: 127.0.0.1:8080", 403},
      {"Origin: http://127.0.0.1\nHost: 127.0.0.1:8080", 403},
      {"Origin: http://127.0.0.1:8080.evil.example\nHost: 127.0.0.1:8080", 403},
      {"Origin: https://mbsd.example\nHost: mbsd.example", 202},
      {"Origin: https://mbsd.example\nHost: mbsd.example:443", 202},
      {"Origin: https://mbsd.example\nHost: mbsd.example:80", 403},
      {"Origin: null\nHost: 127.0.0.1:8080", 403},
      {"Origin: file://\nHost: 127.0.0.1:8080", 403},
      {"Origin: http://mbsd.example", 403},
      /* A proxy may have changed the host: the browser's comparison is more reliable. */
      {"Origin: http://mbsd.example\nHost: 127.0.0.1:8080\nSec-Fetch-Site: same-origin", 202},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    fake_post(&fake, "/api/v1/jobs", cases[i].headers, fake_pendulum, &answer);
    assert_int_equal(answer.response.status, cases[i].status);
    fake_answer_free(&answer);
    fake_get(&fake, "/api/v1/jobs", cases[i].headers, &answer);
    assert_int_equal(answer.response.status, 200);
    fake_answer_free(&answer);
  }
}

/* The name of another site may resolve to this machine. */
static void test_hosts(void **state) {
  (void)state;
  static const struct {
    const char *names, *header;
    int status;
  } cases[] = {
      {"", "Host: evil.example", 403},
      {"", "Host: evil.example:8080", 403},
      {"", "User-Agent: Mozilla/5.0 (X11)\nHost: evil.example", 403},
      {"", "User-Agent: curl/8\nHost: evil.example", 403},
      {"", "Host: 127.0.0.1.evil.example", 403},
      {"", "Host: localhost.evil.example", 403},
      {"", "Host: 127.1", 403}, /* browsers write addresses in full */
      {"", "Host: [::1", 400},
      {"", "Host: [localhost]x", 400},
      {"", "Host: :8080", 400},
      {"", "Host: localhost:80a", 400},
      {"", "Host: ", 400},
      {"", "Host: localhost", 200},
      {"", "Host: LOCALHOST.:9999", 200},
      {"", "Host: 127.0.0.1:8080", 200},
      {"", "Host: 10.0.0.1:8080", 200}, /* an address is not a name that could resolve to another host */
      {"", "Host: [2001:db8::2]:8080", 200},
      {"", "Host: [::1]", 200},
      {"", NULL, 200}, /* HTTP/1.0 */
      {"mbsd.example, other.example", "Host: Other.Example:443", 200},
      {"mbsd.example, other.example", "Host: mbsd.example.", 200},
      {"mbsd.example, other.example", "Host: mbsd.exampl", 403},
      {"mbsd.example, other.example", "Host: mbsd.example.evil.example", 403},
      {"mbsd.example,*", "Host: evil.example", 200},
      {"*", "Host: evil.example:", 200},
      {"*", "Host: evil.example:x", 400},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake.service.host_names = cases[i].names;
    fake_answer answer;
    fake_get(&fake, "/api/v1/jobs", cases[i].header, &answer);
    if (cases[i].status == 200)
      assert_int_equal(answer.response.status, 200);
    else
      expect_problem(&answer, cases[i].status, cases[i].status == 403 ? "--host-name=" : "expected HOST or HOST:PORT");
    fake_answer_free(&answer);
  }
}

/* Cases behind a proxy that replaces Host. */
static void test_names_of_the_service_are_own_origins(void **state) {
  (void)state;
  static const struct {
    const char *headers;
    int status;
  } cases[] = {
      {"Origin: https://mbsd.example\nHost: 127.0.0.1:8080", 202},
      {"Origin: http://MBSD.example\nHost: 127.0.0.1:8080", 202},
      {"Origin: https://mbsd.example:9999\nHost: 127.0.0.1:8080", 403},
      {"Origin: https://evil.example\nHost: 127.0.0.1:8080", 403},
      {"Origin: https://mbsd.example\nHost: 127.0.0.1:8080\nSec-Fetch-Site: cross-site", 403},
  };
  fake.service.host_names = "mbsd.example,*";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fake_answer answer;
    fake_post(&fake, "/api/v1/jobs", cases[i].headers, fake_pendulum, &answer);
    assert_int_equal(answer.response.status, cases[i].status);
    fake_answer_free(&answer);
  }
}

static void test_body_over_the_limit(void **state) {
  (void)state;
  fake.service.limits.body_bytes = 100;
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, fake_pendulum, &answer);
  expect_problem(&answer, 413, "100 bytes");
  fake_answer_free(&answer);
}

static void test_headers_of_every_answer(void **state) {
  (void)state;
  static const char *const targets[] = {"/healthz", "/nothing", "/api/v1/examples", "/%00", "/api/v1/openapi.json"};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
    fake_answer answer;
    fake_get(&fake, targets[i], NULL, &answer);
    assert_string_equal(fake_answer_header(&answer, "X-Content-Type-Options"), "nosniff");
    assert_string_equal(fake_answer_header(&answer, "Cache-Control"), "no-store");
    fake_answer_free(&answer);
  }
}

static void test_server_problems(void **state) {
  (void)state;
  static const int statuses[] = {400, 408, 413, 414, 431, 500, 503, 418, 505, 599};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    api_response response;
    api_problem_response(&response, statuses[i], "/asked/for", "what the server says");
    assert_non_null(response.body);
    assert_non_null(strstr(response.body, PART("instance":"/asked/for")));
    int expected = statuses[i] == 418 ? 400 : statuses[i] == 599 ? 500 : statuses[i];
    assert_int_equal(response.status, expected);
    api_response_free(&response);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SERVICE_TEST(test_refused_targets),
      SERVICE_TEST(test_methods),
      SERVICE_TEST(test_other_sites_may_not_change_anything),
      SERVICE_TEST(test_origins),
      SERVICE_TEST(test_hosts),
      SERVICE_TEST(test_names_of_the_service_are_own_origins),
      SERVICE_TEST(test_body_over_the_limit),
      SERVICE_TEST(test_headers_of_every_answer),
      cmocka_unit_test(test_server_problems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
