/* test_scene.c - the scene of a model from POST /validate. */
#include "service_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the response to a document written with ' for ". */
static json_t *validate(const char *query, const char *text) {
  char target[64], *document = strdup(text);
  for (char *at = document; *at; at++)
    if (*at == '\'') *at = '"';
  snprintf(target, sizeof target, "/api/v1/validate%s", query);
  fake_answer answer;
  fake_post(&fake, target, NULL, document, &answer);
  if (answer.response.status != 200) fail_msg("%s: %s", text, answer.text);
  json_t *understood = fake_answer_json(&answer);
  fake_answer_free(&answer);
  free(document);
  return understood;
}

static const char cam[] =
    "{'space': 'planar', 'parameters': {'R': 0.5}, 'ground': {'points': {'O': [0, 0]}, 'vectors': {'u': [2, 0]}}, "
    "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'points': {'A': ['R/2', 0]}, 'shapes': [{'type': 'circle', "
    "'radius': 'R', 'color': 'red'}]}, {'name': 'b', 'mass': 1, 'inertia': 1, 'points': {'B': [0, 0]}, 'initial': "
    "{'position': [0.5, 1]}}], 'joints': [{'name': 'hinge', 'type': 'revolute', 'points': ['ground.O', 'a.A']}, "
    "{'name': "
    "'slot', 'type': 'point-follower', 'points': ['b.B', 'a.A'], 'curve': {'x': 'alpha', 'y': '1 + 0*sqrt(8 - "
    "alpha)'}}], 'forces': [{'name': 'floor', 'type': 'contact', 'point': 'b.B', 'line': ['ground.O', 'ground.u'], "
    "'stiffness': 1000, 'restitution': 0.5}], 'view': {'x': ['-R', 1], 'y': [0, 1]}}";

static void expect_json(const json_t *scene, const char *member, const char *text) {
  char *wanted = strdup(text);
  for (char *at = wanted; *at; at++)
    if (*at == '\'') *at = '"';
  json_t *expected = json_loads(wanted, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
  char *found = json_dumps(json_object_get(scene, member), JSON_ENCODE_ANY);
  json_t *read = json_loads(found, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
  if (!expected || !json_equal(read, expected)) fail_msg("%s is %s", member, found);
  json_decref(read);
  json_decref(expected);
  free(found);
  free(wanted);
}

static void test_scene(void **state) {
  (void)state;
  json_t *answer = validate("?scene=true", cam);
  json_t *scene = json_object_get(answer, "scene");
  assert_int_equal(json_integer_value(json_object_get(scene, "dimension")), 2);
  expect_json(scene, "bodies",
              "[{'name': 'ground', 'shapes': []}, {'name': 'a', 'shapes': [{'type': 'circle', 'radius': 0.5, 'at': [0, "
              "0], 'color': 'red'}]}, {'name': 'b', 'shapes': []}]");
  expect_json(
      scene, "points",
      "[{'name': 'O', 'body': 0, 'at': [0, 0]}, {'name': 'A', 'body': 1, 'at': [0.25, 0]}, {'name': 'B', 'body': "
      "2, 'at': [0, 0]}]");
  expect_json(scene, "vectors", "[{'name': 'u', 'body': 0, 'at': [1, 0]}]");
  expect_json(scene, "view", "{'x': [-0.5, 1], 'y': [0, 1]}");
  const json_t *force = json_array_get(json_object_get(scene, "forces"), 0);
  expect_json(force, "type", "'contact'");
  expect_json(force, "point", "2");
  expect_json(force, "line", "[0, 0]");
  expect_json(force, "radius", "0");
  json_t *joint = json_array_get(json_object_get(scene, "joints"), 1);
  expect_json(joint, "points", "[2, 1]");
  json_t *curve = json_array_get(json_object_get(joint, "curve"), 0);
  expect_json(curve, "point", "1");
  expect_json(curve, "closed", "false");
  json_decref(answer);
}

/* A curve has no points where its expressions have no value. */
static void test_gaps(void **state) {
  (void)state;
  json_t *answer = validate("?scene=true", cam);
  json_t *joint = json_array_get(json_object_get(json_object_get(answer, "scene"), "joints"), 1);
  json_t *outline = json_object_get(json_array_get(json_object_get(joint, "curve"), 0), "outline"), *place;
  size_t index, gaps = 0;
  json_array_foreach(outline, index, place) gaps += json_is_null(json_array_get(place, 1));
  assert_true(gaps > 0 && gaps < json_array_size(outline));
  json_decref(answer);
}

/* The rest of the response does not depend on whether the scene is requested. */
static void test_only_if_asked_for(void **state) {
  (void)state;
  json_t *plain = validate("", cam), *without = validate("?scene=false", cam), *with = validate("?scene=true", cam);
  assert_null(json_object_get(plain, "scene"));
  assert_int_equal(json_object_del(with, "scene"), 0);
  json_t *answers[] = {plain, without, with};
  for (int i = 0; i < 3; i++) json_object_del(answers[i], "wall_seconds");
  assert_true(json_equal(plain, without) && json_equal(plain, with));
  for (int i = 0; i < 3; i++) json_decref(answers[i]);
  fake_answer answer;
  fake_post(&fake, "/api/v1/validate?scene=yes", NULL, fake_pendulum, &answer);
  assert_int_equal(answer.response.status, 400);
  fake_answer_free(&answer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SERVICE_TEST(test_scene),
      SERVICE_TEST(test_gaps),
      SERVICE_TEST(test_only_if_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
