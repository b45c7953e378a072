/* test_turns.c - angles over full revolutions in random mechanisms in space, with a spring in each rotating joint and a
 * sensor of each angle: the sign of Euler parameters changes nothing, and both formulations count revolutions
 * equally. */
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

#include "expect.h"
#include "models.h"

enum { SIGNS = 60, MOTIONS = 12 };

static const char *const formulations[] = {"joint", "body"};

/* Coordinates of a joint type that are angles, from the first to the last. */
static const struct {
  const char *type;
  int first, last, count;
} turning[] = {{"revolute", 1, 1, 1}, {"cylindrical", 2, 2, 2}, {"universal", 1, 2, 2}, {"planar", 3, 3, 3}};

/* Returns the entry of `turning` for a joint; -1 if its type has no angle. */
static int turning_of(const json_t *joint) {
  const char *type = json_string_value(json_object_get(joint, "type"));
  for (size_t k = 0; k < sizeof turning / sizeof *turning; k++)
    if (strcmp(type, turning[k].type) == 0) return (int)k;
  return -1;
}

static json_t *parsed(char *text) {
  json_t *value = json_loads(text, 0, NULL);
  if (!value) abort();
  free(text);
  return value;
}

/* Returns the text of a document and releases the document. */
static char *text_of(json_t *document) {
  char *text = json_dumps(document, JSON_REAL_PRECISION(17));
  json_decref(document);
  if (!text) abort();
  return text;
}

static json_t *spring(const char *joint) {
  MODEL(format,
      {"name": "t%s", "type": "rotational-spring-damper", "joint": "%s", "stiffness": 0.1, "damping": 0.02,
       "actuator": 4});
  return parsed(models_text(format, joint, joint));
}

static void add_sensors(json_t *sensors, const char *joint, int kind) {
  for (int k = turning[kind].first; k <= turning[kind].last; k++) {
    char number[12] = "";
    if (turning[kind].count > 1) snprintf(number, sizeof number, "%d", k);
    char *sensor = models_text(JSON({"name": "angle_%s_%d", "value": "%s.q%s"}), joint, k, joint, number);
    json_array_append_new(sensors, parsed(sensor));
  }
}

/* Returns a random mechanism with springs and sensors. Its expressions read entries of rotation matrices, not Euler
 * parameters, whose sign is that of the document. */
static char *random_turning(uint64_t seed, size_t bodies, size_t loops) {
  json_t *document = parsed(models_random_spatial(seed, bodies, loops)), *joint, *force, *sensors = json_array();
  json_t *forces = json_object_get(document, "forces");
  size_t i, springs = 0;
  json_array_foreach(forces, i, force) {
    json_t *value = json_object_get(force, "value");
    if (strcmp(json_string_value(json_object_get(force, "type")), "force") == 0)
      json_array_set_new(value, 1, json_string("0.2*b1.A23"));
  }
  json_array_foreach(json_object_get(document, "joints"), i, joint) {
    const char *name = json_string_value(json_object_get(joint, "name"));
    int kind = turning_of(joint);
    if (kind < 0) continue;
    json_array_insert_new(forces, springs++, spring(name));
    add_sensors(sensors, name, kind);
  }
  json_object_set_new(document, "sensors", sensors);
  return text_of(document);
}

/* Returns the document with the opposite sign of the Euler parameters of some bodies. */
static char *with_signs(const char *document, uint64_t bodies) {
  json_t *root = json_loads(document, 0, NULL), *body;
  size_t b;
  json_array_foreach(json_object_get(root, "bodies"), b, body) {
    json_t *orientation = json_object_get(json_object_get(body, "initial"), "orientation");
    json_t *p = json_object_get(orientation, "euler_parameters");
    for (size_t k = 0; k < 4 && bodies >> b & 1; k++)
      json_array_set_new(p, k, json_real(-json_number_value(json_array_get(p, k))));
  }
  return text_of(root);
}

/* Compares the angles in `sensors` and the other arrays. */
static void expect_all_same(const char *what, const mbs_result *one, const mbs_result *two, const char *const *arrays,
                            double tolerance) {
  assert_int_equal(models_rows(one), models_rows(two));
  for (size_t a = 0; arrays[a]; a++) expect_same(what, one, two, arrays[a], tolerance);
  for (size_t a = 0; a < one->array_count; a++)
    if (strncmp(one->arrays[a].name, "angle_", 6) == 0) expect_same(what, one, two, one->arrays[a].name, tolerance);
}

/* q and -q are the same orientation: only the reported Euler parameters may differ. */
static void test_signs_of_euler_parameters(void **unused) {
  (void)unused;
  static const char *const arrays[] = {"r",   "rd",  "rdd",    "omega",  "omega_d", "rP",
                                       "rPd", "Lam", "energy", "forces", NULL};
  for (uint64_t seed = 1; seed <= SIGNS; seed++) {
    char what[64], analysis[200], *document = random_turning(seed, 1 + seed % 6, seed % 3);
    char *other = with_signs(document, seed * 0x9E3779B97F4A7C15u >> 7 | 1);
    for (int f = 0; f < 2; f++) {
      snprintf(what, sizeof what, "random mechanism %llu, %s", (unsigned long long)seed, formulations[f]);
      snprintf(analysis, sizeof analysis, JSON({"formulation": "%s", "t_end": 0.2, "dt": 0.05}), formulations[f]);
      mbs_result *one = models_run(document, analysis), *two = models_run(other, analysis);
      expect_all_same(what, one, two, arrays, 1e-9);
      mbs_result_free(one);
      mbs_result_free(two);
    }
    free(document);
    free(other);
  }
}

/* Both formulations start from one state with the same angles, and count the same revolutions. */
static void test_formulations(void **unused) {
  (void)unused;
  static const char *const arrays[] = {"r", "rd", "omega", "energy", NULL};
  double farthest = 0;
  for (uint64_t seed = 1; seed <= MOTIONS; seed++) {
    char what[64], analysis[200], *document = random_turning(seed, 2 + seed % 4, 1 + seed % 2);
    mbs_result *start = models_run(document, JSON({"type": "assembly"})), *results[2];
    char *again = models_with_state(document, start, 0);
    for (int f = 0; f < 2; f++) {
      MODEL(analysis_format,
          {"formulation": "%s", "t_end": 4, "dt": 1,
           "integrator": {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}});
      snprintf(analysis, sizeof analysis, analysis_format, formulations[f]);
      results[f] = models_run(again, analysis);
    }
    snprintf(what, sizeof what, "random mechanism %llu", (unsigned long long)seed);
    expect_all_same(what, results[0], results[1], arrays, 1e-5);
    for (size_t a = 0; a < results[0]->array_count; a++)
      if (strncmp(results[0]->arrays[a].name, "angle_", 6) == 0)
        farthest = fmax(farthest, fabs(*models_row(results[0], results[0]->arrays[a].name, 4)));
    mbs_result_free(start);
    mbs_result_free(results[0]);
    mbs_result_free(results[1]);
    free(document);
    free(again);
  }
  print_message("angles of up to %.3g rad\n", farthest);
  assert_true(farthest > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_signs_of_euler_parameters),
      cmocka_unit_test(test_formulations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
