/* test_redundancy.c - mechanisms with redundant rows: both formulations give equal accelerations, equal reactions of
 * minimum norm, and equal names of reactions that are not unique; along the whole motion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "expect.h"
#include "models.h"

enum { MECHANISMS = 60 };

/* ---- documents ----------------------------------------------------------------------------------------------- */

static const char suffix_again[] = "_again";

/* Returns the document with about half of its joints duplicated. */
static char *doubled(const char *document, uint64_t seed) {
  json_t *root = json_loads(document, JSON_DECODE_INT_AS_REAL, NULL), *joints = json_object_get(root, "joints");
  size_t count = json_array_size(joints);
  for (size_t j = 0; j < count; j++) {
    const char *type = json_string_value(json_object_get(json_array_get(joints, j), "type"));
    if (models_uniform(&seed) < 0 || strcmp(type, "floating") == 0) continue;
    json_t *again = json_deep_copy(json_array_get(joints, j));
    json_object_set_new(again, "name",
                        json_sprintf("%s%s", json_string_value(json_object_get(again, "name")), suffix_again));
    json_object_set_new(again, "cut", json_true());
    json_array_append_new(joints, again);
  }
  char *text = json_dumps(root, JSON_REAL_PRECISION(17));
  json_decref(root);
  return text;
}

/* Converts a planar document to a spatial one, with additional gravity across the plane and without forces: its loops
 * have redundant rows. Returns NULL if a joint has no counterpart in space. */
static char *in_space(const char *document) {
  char *lifted = models_in_space(document);
  json_t *root = lifted ? json_loads(lifted, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
  free(lifted);
  if (!root) return NULL;
  json_object_del(root, "forces");
  json_object_set_new(root, "gravity", json_pack("[f,f,f]", 1.0, -9.81, 2.0));
  char *text = json_dumps(root, JSON_REAL_PRECISION(17));
  json_decref(root);
  return text;
}

/* Finds the map of a body's points or vectors, and the name in it, for a place "body.name". */
static json_t *places(json_t *root, const char *place, const char *map, const char **name) {
  *name = strchr(place, '.') + 1;
  size_t length = strcspn(place, "."), b;
  json_t *body;
  if (strncmp(place, "ground", length) == 0) return json_object_get(json_object_get(root, "ground"), map);
  json_array_foreach(json_object_get(root, "bodies"), b, body) {
    const char *own = json_string_value(json_object_get(body, "name"));
    if (strlen(own) == length && strncmp(own, place, length) == 0) return json_object_get(body, map);
  }
  return NULL;
}

/* Adds a point of body `side` of the joint, displaced by `shift` along the joint's axis. Returns its name. */
static json_t *shifted_point(json_t *root, const json_t *joint, size_t side, double shift, const char *suffix) {
  const char *point = json_string_value(json_array_get(json_object_get(joint, "points"), side)), *name, *axis_name;
  const char *vector = json_string_value(json_array_get(json_object_get(joint, "vectors"), side));
  json_t *points = places(root, point, "points", &name), *vectors = places(root, vector, "vectors", &axis_name);
  json_t *from = json_object_get(points, name), *axis = json_object_get(vectors, axis_name), *moved = json_array();
  for (size_t k = 0; k < 3; k++)
    json_array_append_new(
        moved, json_real(json_real_value(json_array_get(from, k)) + shift * json_real_value(json_array_get(axis, k))));
  char key[64];
  snprintf(key, sizeof key, "%s%s", name, suffix);
  json_object_set_new(points, key, moved);
  return json_sprintf("%s%s", point, suffix);
}

/* Duplicates every hinge of a spatial document, as a ball or a hinge, at other places of its axis. */
static char *on_more_hinges(const char *document, const char *type, const double *shifts, size_t count) {
  json_t *root = json_loads(document, JSON_DECODE_INT_AS_REAL, NULL), *joints = json_object_get(root, "joints");
  size_t old = json_array_size(joints);
  for (size_t j = 0; j < old; j++)
    for (size_t k = 0; k < count; k++) {
      const json_t *joint = json_array_get(joints, j);
      if (strcmp(json_string_value(json_object_get(joint, "type")), "revolute") != 0) continue;
      char suffix[24];
      snprintf(suffix, sizeof suffix, "_%zu", k);
      json_t *again = json_pack("{s:o, s:s, s:[o,o], s:b}", "name",
                                json_sprintf("%s%s", json_string_value(json_object_get(joint, "name")), suffix), "type",
                                type, "points", shifted_point(root, joint, 0, shifts[k], suffix),
                                shifted_point(root, joint, 1, shifts[k], suffix), "cut", 1);
      if (strcmp(type, "revolute") == 0) json_object_set(again, "vectors", json_object_get(joint, "vectors"));
      json_array_append_new(joints, again);
    }
  char *text = json_dumps(root, JSON_REAL_PRECISION(17));
  json_decref(root);
  return text;
}

/* ---- comparisons --------------------------------------------------------------------------------------------- */

static const char joint_start[] = JSON({"type": "assembly"}),
                  body_start[] = JSON({"type": "assembly", "formulation": "body", "correct": false});

static void expect_same_names(const char *what, const mbs_report *one, const mbs_report *two) {
  if (one->not_unique_count != two->not_unique_count)
    fail_msg("%s: %zu and %zu names", what, one->not_unique_count, two->not_unique_count);
  for (size_t i = 0; i < one->not_unique_count; i++) assert_string_equal(one->not_unique[i], two->not_unique[i]);
}

/* Compares one state in both formulations. Returns the number of redundant rows. */
static size_t compare(const char *what, const char *document) {
  mbs_result *joint = models_run(document, joint_start);
  char *again = models_with_state(document, joint, 0);
  mbs_result *body = models_run(again, body_start);
  size_t redundant = joint->report.redundant_count;
  assert_int_equal(redundant, body->report.redundant_count);
  expect_same(what, joint, body, "rdd", 1e-11);
  expect_same(what, joint, body, mbs_result_array(joint, "pdd") ? "pdd" : "omega_d", 1e-11);
  expect_same(what, joint, body, "reactions", 1e-10);
  expect_same_names(what, &joint->report, &body->report);
  assert_int_equal(redundant > 0, joint->report.not_unique_count > 0);
  mbs_result_free(joint);
  mbs_result_free(body);
  free(again);
  return redundant;
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

static size_t find_joint(const json_t *joints, const char *name) {
  size_t j = 0;
  while (j < json_array_size(joints) &&
         strcmp(json_string_value(json_object_get(json_array_get(joints, j), "name")), name) != 0)
    j++;
  return j;
}

static bool is_named(const mbs_report *report, const char *name) {
  for (size_t i = 0; i < report->not_unique_count; i++)
    if (strcmp(report->not_unique[i], name) == 0) return true;
  return false;
}

/* If the reactions of a mechanism are unique, a duplicated joint and its duplicate bear half of the original reaction
 * each, and other joints the same as before. */
static void expect_halves(const char *single, const char *twice, const char *analysis) {
  mbs_result *one = models_run(single, analysis), *two = models_run(twice, analysis);
  json_t *root = json_loads(twice, 0, NULL), *joints = json_object_get(root, "joints"), *joint;
  size_t j, width = strcmp(one->report.space, "spatial") == 0 ? 6 : 3;
  size_t count = models_columns(one, "reactions") / width;
  const double *whole = models_row(one, "reactions", 0), *parts = models_row(two, "reactions", 0);
  json_array_foreach(joints, j, joint) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", json_string_value(json_object_get(joint, "name")), suffix_again);
    if (j >= count) continue;
    size_t again = find_joint(joints, name);
    bool doubled_too = again < json_array_size(joints);
    for (size_t k = 0; k < width; k++) {
      double part = parts[width * j + k];
      assert_close(part, (doubled_too ? 0.5 : 1) * whole[width * j + k], 1e-9 * (1 + fabs(part)));
      if (doubled_too) assert_close(parts[width * again + k], part, 1e-9 * (1 + fabs(part)));
    }
    name[strlen(name) - strlen(suffix_again)] = 0;
    if (is_named(&two->report, name) != doubled_too) fail_msg("%s is named wrongly", name);
  }
  json_decref(root);
  mbs_result_free(one);
  mbs_result_free(two);
}

typedef char *(*generator)(uint64_t seed, size_t bodies, size_t loops);

static void compare_doubled(generator random) {
  size_t redundant = 0, halved = 0;
  for (uint64_t seed = 1; seed <= MECHANISMS; seed++) {
    char what[64], *once = random(seed, 1 + seed % 10, seed % 5), *twice = doubled(once, seed);
    snprintf(what, sizeof what, "doubled mechanism %llu", (unsigned long long)seed);
    redundant += compare(what, twice) > 0;
    mbs_result *single = models_run(once, joint_start);
    if (single->report.redundant_count == 0) {
      expect_halves(once, twice, joint_start);
      halved++;
    }
    mbs_result_free(single);
    free(once);
    free(twice);
  }
  assert_true(redundant > MECHANISMS / 2 && halved > MECHANISMS / 2);
}

static void test_doubled_joints(void **unused) {
  (void)unused;
  compare_doubled(models_random);
}

static void test_doubled_joints_in_space(void **unused) {
  (void)unused;
  compare_doubled(models_random_spatial);
}

static void test_more_hinges_on_an_axis(void **unused) {
  (void)unused;
  static const double shifts[] = {0.011, 0.13, 1};
  for (uint64_t seed = 1; seed <= MECHANISMS; seed++)
    for (size_t k = 1; k <= 6; k++) {
      char *once = models_random_spatial(seed, 1 + seed % 10, seed % 5),
           *more = on_more_hinges(once, k % 2 ? "revolute" : "spherical", shifts, (k + 1) / 2);
      compare("hinges on an axis", more);
      free(once);
      free(more);
    }
}

/* A planar mechanism does not determine the reactions across its plane. */
static void test_planar_loops_in_space(void **unused) {
  (void)unused;
  for (size_t n = 1; n <= 8; n++) {
    char *planar = models_four_bars(n), *document = in_space(planar);
    assert_int_equal(compare("four-bars in space", document), 3 * n);
    free(document);
    free(planar);
  }
  static const char *const names[] = {"Bricard", "Door"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *document = models_named(names[i]);
    assert_true(compare(names[i], document) > 0);
    free(document);
  }
}

/* Two equal hinges, as far above the mass centre as below it, share the weight equally; two equal drivers share the
 * torque. */
static void test_equal_shares(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "spatial", "gravity": [0, 0, -10], "parameters": {"r": %.17g},
       "ground": {"points": {"L": [0, 0, "-r"], "U": [0, 0, "r"]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [
         {"name": "door", "mass": 4, "inertia": ["r^2", "r^2", "r^2"],
          "points": {"L": ["-r", 0, "-r"], "U": ["-r", 0, "r"]}, "vectors": {"z": [0, 0, 1]},
          "initial": {"position": ["r", 0, 0]}}],
       "joints": [
         {"name": "lower", "type": "revolute", "points": ["ground.L", "door.L"],
          "vectors": ["ground.z", "door.z"]},
         {"name": "upper", "type": "revolute", "points": ["ground.U", "door.U"],
          "vectors": ["ground.z", "door.z"]}],
       "drivers": [
         {"name": "one", "type": "joint", "joint": "lower", "function": "t^2"},
         {"name": "two", "type": "joint", "joint": "upper", "function": "t^2"}],
       "sensors": [{"name": "efforts", "value": "one.effort - two.effort"}]});
  static const double sizes[] = {1e-3, 1, 1e3};
  for (int k = 0; k < 6; k++) {
    double size = sizes[k / 2];
    char *text = models_text(document, size), how[120];
    snprintf(how, sizeof how, JSON({"type": "inverse-dynamics", "t_end": 1, "dt": 0.5, "formulation": "%s"}),
             k % 2 ? "body" : "joint");
    mbs_result *result = models_run(text, how);
    for (size_t row = 0; row < models_rows(result); row++) {
      const double *reaction = models_row(result, "reactions", row), t = *models_row(result, "T", row);
      double effort = 5 * size * size * 2;
      assert_close(reaction[2], 20, 1e-9);
      assert_close(reaction[8], 20, 1e-9);
      /* Both hinges keep the body on its circle. */
      double along = reaction[0] * cos(t * t) + reaction[1] * sin(t * t);
      double other = reaction[6] * cos(t * t) + reaction[7] * sin(t * t);
      assert_close(along + other, -4 * size * 4 * t * t, 1e-9 * (1 + size));
      assert_close(*models_row(result, "efforts", row), 0, 1e-9 * effort);
      assert_close(models_row(result, "Lam", row)[result->report.rows - 1], effort / 2, 1e-9 * effort);
    }
    assert_int_equal(result->report.not_unique_count, 4);
    mbs_result_free(result);
    free(text);
  }
}

static char *bennett(double size, bool driven) {
  char *text = models_of_tests("bennett");
  json_t *root = json_loads(text, 0, NULL);
  json_object_set_new(json_object_get(root, "parameters"), "s", json_real(size));
  if (!driven) json_object_del(root, "drivers");
  free(text);
  text = json_dumps(root, JSON_REAL_PRECISION(17));
  json_decref(root);
  return text;
}

static mbs_result *run_bennett(double size, bool driven, bool body) {
  char how[200], *document = bennett(size, driven);
  MODEL(how_format,
      {"type": "%s", "formulation": "%s", "t_end": 2, "dt": 0.05,
       "integrator": {"rtol": 1e-10, "atol": 1e-12}});
  snprintf(how, sizeof how, how_format, driven ? "inverse-dynamics" : "dynamics", body ? "body" : "joint");
  mbs_result *result = models_run(document, how);
  free(document);
  return result;
}

/* Every choice of three removed rows at the start becomes wrong later. The linkage itself has no singular position, so
 * no accuracy may be lost and no loss reported. */
static void test_independent_rows_change(void **unused) {
  (void)unused;
  for (int driven = 0; driven < 2; driven++) {
    mbs_result *joint = run_bennett(1, driven, false), *body = run_bennett(1, driven, true);
    const mbs_report *reports[] = {&joint->report, &body->report};
    for (int f = 0; f < 2; f++) {
      assert_int_equal(reports[f]->redundant_count, 3);
      assert_int_equal(reports[f]->not_unique_count, 4);
      assert_true(reports[f]->residual_max[2] < 1e-9);
      for (size_t i = 0; i < reports[f]->note_count; i++) assert_null(strstr(reports[f]->notes[i], "loss of rank"));
    }
    expect_same("Bennett", joint, body, "rdd", driven ? 1e-9 : 1e-8);
    expect_same("Bennett", joint, body, "reactions", driven ? 1e-9 : 1e-8);
    mbs_result_free(joint);
    mbs_result_free(body);
  }
}

/* Lengths and gravity in other units, and forces accordingly. */
static void test_units_of_length(void **unused) {
  (void)unused;
  static const double sizes[] = {1e-2, 1e2};
  mbs_result *metre = run_bennett(1, true, false);
  size_t count = models_columns(metre, "reactions");
  for (int k = 0; k < 4; k++) {
    double size = sizes[k / 2];
    mbs_result *other = run_bennett(size, true, k % 2);
    for (size_t row = 0; row < models_rows(metre); row++)
      for (size_t i = 0; i < count; i++) {
        double unit = i % 6 < 3 ? size : size * size, wanted = models_row(metre, "reactions", row)[i];
        assert_close(models_row(other, "reactions", row)[i] / unit, wanted, 1e-6);
      }
    mbs_result_free(other);
  }
  mbs_result_free(metre);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_doubled_joints),         cmocka_unit_test(test_doubled_joints_in_space),
      cmocka_unit_test(test_more_hinges_on_an_axis), cmocka_unit_test(test_planar_loops_in_space),
      cmocka_unit_test(test_equal_shares),           cmocka_unit_test(test_independent_rows_change),
      cmocka_unit_test(test_units_of_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
