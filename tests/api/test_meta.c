/* Information about the service; descriptions compared with its tables; examples; the web interface. */
#include "api/documents/schema.h"
#include "api/routes.h"
#include "embedded.h"
#include "service_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *get_json(const char *target) {
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  json_t *value = json_loadb(answer.text, answer.size, 0, NULL);
  assert_non_null(value);
  fake_answer_free(&answer);
  return value;
}

static void test_health(void **state) {
  (void)state;
  json_t *health = get_json("/healthz");
  assert_string_equal(json_string_value(json_object_get(health, "status")), "ok");
  json_decref(health);
  json_decref(get_json("/readyz"));
  fake.ready = false;
  fake_answer answer;
  fake_get(&fake, "/readyz", NULL, &answer);
  assert_int_equal(answer.response.status, 503);
  assert_non_null(strstr(answer.text, "no worker is there"));
  assert_non_null(fake_answer_header(&answer, "Retry-After"));
  fake_answer_free(&answer);
  fake_get(&fake, "/metrics", NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  assert_non_null(strstr(fake_answer_header(&answer, "Content-Type"), "text/plain; version=0.0.4"));
  fake_answer_free(&answer);
}

static bool is_parameter_of(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; at && *at; at += strcspn(at, "|"), at += *at == '|') {
    if (strcspn(at, "|") == length && strncmp(at, name, length) == 0) return true;
  }
  return false;
}

/* Compares the query parameters of an operation with those of the route; returns their number. */
static size_t check_parameters(const api_route *route, const json_t *operation) {
  size_t count = 0, index;
  json_t *parameter;
  json_array_foreach(json_object_get(operation, "parameters"), index, parameter) {
    const char *in = json_string_value(json_object_get(parameter, "in"));
    if (!in || strcmp(in, "query") != 0) continue;
    const char *name = json_string_value(json_object_get(parameter, "name"));
    if (!is_parameter_of(route->parameters, name)) fail_msg("%s has no parameter %s", route->path, name);
    count++;
  }
  return count;
}

static void test_openapi_describes_every_route(void **state) {
  (void)state;
  json_t *openapi = get_json("/api/v1/openapi.json");
  json_t *paths = json_object_get(openapi, "paths");
  size_t count;
  const api_route *routes = api_routes(&count);
  for (size_t i = 0; i < count; i++) {
    const char *method = strcmp(routes[i].method, "GET") == 0     ? "get"
                         : strcmp(routes[i].method, "POST") == 0  ? "post"
                         : strcmp(routes[i].method, "PATCH") == 0 ? "patch"
                                                                  : "delete";
    json_t *operation = json_object_get(json_object_get(paths, routes[i].path), method);
    if (!operation) fail_msg("openapi.json lacks %s %s", method, routes[i].path);
    /* Every call rejects an unknown parameter, and a host name that is not the service's. */
    const json_t *answers = json_object_get(operation, "responses");
    if (!json_object_get(answers, "400") || !json_object_get(answers, "403"))
      fail_msg("openapi.json lacks an answer of %s %s", method, routes[i].path);
    size_t known = routes[i].parameters ? 1 : 0;
    for (const char *c = routes[i].parameters; c && *c; c++) known += *c == '|';
    assert_int_equal(check_parameters(&routes[i], operation), known);
  }
  size_t described = 0;
  const char *path, *key;
  json_t *item, *operation;
  json_object_foreach(paths, path, item) {
    json_object_foreach(item, key, operation) described += strcmp(key, "parameters") != 0;
  }
  assert_int_equal(described, count);
  json_decref(openapi);
}

/* Every "$ref" of openapi.json refers to an existing part of it. */
static void check_references(const json_t *root, const json_t *value) {
  const char *key;
  json_t *member;
  size_t index;
  json_array_foreach(value, index, member) check_references(root, member);
  json_object_foreach((json_t *)value, key, member) {
    check_references(root, member);
    const char *reference = strcmp(key, "$ref") == 0 ? json_string_value(member) : NULL;
    if (!reference) continue;
    if (strncmp(reference, "#/", 2) != 0) fail_msg("%s leads out of the document", reference);
    char parts[256];
    snprintf(parts, sizeof parts, "%s", reference + 2);
    const json_t *at = root;
    for (char *save, *part = strtok_r(parts, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
      at = json_object_get(at, part);
    }
    if (!at) fail_msg("%s leads nowhere", reference);
  }
}

static void test_references_of_openapi(void **state) {
  (void)state;
  json_t *openapi = get_json("/api/v1/openapi.json");
  check_references(openapi, openapi);
  json_decref(openapi);
}

static void test_model_schema_is_that_of_the_tables(void **state) {
  (void)state;
  char *text = api_schema_text();
  assert_non_null(text);
  fake_answer answer;
  fake_get(&fake, "/api/v1/schemas/model.schema.json", NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  json_t *made = json_loads(text, 0, NULL), *kept = json_loads(answer.text, 0, NULL);
  if (!json_equal(made, kept)) fail_msg("schemas/model.schema.json is outdated: write it with `mbs schema`");
  check_references(made, made);
  json_decref(made);
  json_decref(kept);
  free(text);
  fake_answer_free(&answer);
  fake_get(&fake, "/api/v1/schemas/other.json", NULL, &answer);
  assert_int_equal(answer.response.status, 404);
  fake_answer_free(&answer);
}

static void test_index(void **state) {
  (void)state;
  json_t *index = get_json("/api/v1");
  size_t count;
  api_routes(&count);
  assert_int_equal(json_array_size(json_object_get(index, "calls")), count);
  json_decref(index);
}

/* The documents of a list are valid, and their models can be assembled. */
static void examples_are_valid(const json_t *examples) {
  size_t index;
  json_t *example;
  json_array_foreach(examples, index, example) {
    const char *name = json_string_value(json_object_get(example, "name"));
    assert_non_null(json_string_value(json_object_get(example, "title")));
    assert_non_null(json_string_value(json_object_get(example, "description")));
    char target[128];
    snprintf(target, sizeof target, "/api/v1/examples/%s", name);
    fake_answer document, answer;
    fake_get(&fake, target, NULL, &document);
    assert_int_equal(document.response.status, 200);
    fake_post(&fake, "/api/v1/validate", NULL, document.text, &answer);
    if (answer.response.status != 200) fail_msg("%s: %s", name, answer.text);
    json_t *understood = fake_answer_json(&answer);
    if (!json_is_true(json_object_get(understood, "assembled"))) fail_msg("%s: %s", name, answer.text);
    json_decref(understood);
    fake_answer_free(&answer);
    fake_answer_free(&document);
  }
}

static void test_examples_are_valid(void **state) {
  (void)state;
  json_t *list = get_json("/api/v1/examples");
  const json_t *models = json_object_get(list, "examples"), *studies = json_object_get(list, "studies");
  assert_int_equal(json_array_size(models), embedded_models_count);
  assert_int_equal(json_array_size(studies), embedded_studies_count);
  examples_are_valid(models);
  examples_are_valid(studies);
  json_decref(list);
  fake_answer answer;
  fake_get(&fake, "/api/v1/examples/no-such-example", NULL, &answer);
  assert_int_equal(answer.response.status, 404);
  fake_answer_free(&answer);
  fake_get(&fake, "/api/v1/examples/fourbr", NULL, &answer);
  json_t *problem = fake_answer_json(&answer);
  assert_non_null(strstr(json_string_value(json_object_get(problem, "detail")), "did you mean 'FourBar'?"));
  json_decref(problem);
  fake_answer_free(&answer);
}

static void test_examples_tell_their_elements(void **state) {
  (void)state;
  json_t *list = get_json("/api/v1/examples");
  size_t index;
  json_t *example, *found = NULL;
  json_array_foreach(json_object_get(list, "examples"), index, example) {
    if (strcmp(json_string_value(json_object_get(example, "name")), "SC") == 0) found = example;
  }
  json_t *wanted = json_pack("[sss]", "revolute", "translational", "spring-damper");
  assert_true(json_equal(json_object_get(found, "elements"), wanted));
  json_decref(wanted);
  json_decref(list);
}

static void test_web_files(void **state) {
  (void)state;
  for (size_t i = 0; i < embedded_web_count; i++) {
    char target[256], header[128];
    snprintf(target, sizeof target, "/%s", embedded_web[i].name);
    fake_answer answer;
    fake_get(&fake, target, NULL, &answer);
    assert_int_equal(answer.response.status, 200);
    assert_int_equal(answer.size, embedded_web[i].size);
    assert_non_null(strstr(fake_answer_header(&answer, "Content-Security-Policy"), "default-src 'none'"));
    snprintf(header, sizeof header, "If-None-Match: %s", fake_answer_header(&answer, "ETag"));
    fake_answer_free(&answer);
    fake_get(&fake, target, header, &answer);
    assert_int_equal(answer.response.status, 304);
    fake_answer_free(&answer);
    fake_request(&fake, "POST", target, NULL, NULL, 0, NULL, &answer);
    assert_int_equal(answer.response.status, 404);
    fake_answer_free(&answer);
  }
  fake_answer answer;
  fake_get(&fake, "/", NULL, &answer);
  assert_int_equal(answer.response.status, embedded_web_count > 0 ? 200 : 404);
  fake_answer_free(&answer);
  fake_get(&fake, "/../schemas/openapi.json", NULL, &answer);
  assert_int_equal(answer.response.status, 404);
  fake_answer_free(&answer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SERVICE_TEST(test_health),
      SERVICE_TEST(test_openapi_describes_every_route),
      SERVICE_TEST(test_references_of_openapi),
      SERVICE_TEST(test_model_schema_is_that_of_the_tables),
      SERVICE_TEST(test_index),
      SERVICE_TEST(test_examples_are_valid),
      SERVICE_TEST(test_examples_tell_their_elements),
      SERVICE_TEST(test_web_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
