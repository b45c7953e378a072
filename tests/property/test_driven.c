/* test_driven.c - the reporting step determines the reports only, never the steps: driven mechanisms give the same rows
 * at every reporting step and in both formulations, or end at the same time with the same error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "models.h"

static const char *const formulations[] = {"joint", "body"}, *const types[] = {"kinematics", "inverse-dynamics"};

typedef struct outcome {
  mbs_status status;
  mbs_result *result;
  mbs_error error;
} outcome;

static outcome run(const char *document, const char *type, const char *formulation, double t_end, double dt) {
  char analysis[200];
  outcome out = {.result = NULL};
  MODEL(analysis_format,
      {"type": "%s", "formulation": "%s", "t_end": %.17g, "dt": %.17g, "integrator": {"rtol": 1e-10}});
  snprintf(analysis, sizeof analysis, analysis_format, type, formulation, t_end, dt);
  out.status = models_try_run(document, analysis, &out.result, &out.error);
  return out;
}

/* Returns true for arrays whose columns are the coordinates of the formulation, or that measure its quality. */
static bool is_of_formulation(const char *name) {
  static const char *const names[] = {"uT", "theta", "theta_d", "theta_dd", "Jac", "Lam", "Jac_p", "det"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

/* Compares rows of `one` with each `every`th row of `two`. */
static void expect_same(const char *name, const outcome *one, const outcome *two, size_t every, bool formulation,
                        double tolerance) {
  if (one->status != two->status || fabs(one->error.time - two->error.time) > 1e-5)
    fail_msg("%s: ended as %s at %g, and as %s at %g", name, mbs_status_code(one->status), one->error.time,
             mbs_status_code(two->status), two->error.time);
  for (size_t a = 0; a < one->result->array_count; a++) {
    const mbs_array *array = &one->result->arrays[a], *other = mbs_result_array(two->result, array->name);
    if (array->timeless || strcmp(array->name, "residuals") == 0 || (formulation && is_of_formulation(array->name)))
      continue;
    size_t columns = mbs_array_columns(array);
    for (size_t row = 0; row < array->shape[0] && row * every < other->shape[0]; row++) {
      const double *x = array->data + row * columns, *y = other->data + row * every * columns;
      double size = 1, difference = 0;
      for (size_t k = 0; k < columns; k++) {
        size = fmax(size, fabs(x[k]));
        difference = fmax(difference, fabs(x[k] - y[k]));
      }
      if (!(difference <= tolerance * size))
        fail_msg("%s: %s differs by %.3g of %.3g in row %zu of %zu", name, array->name, difference, size, row,
                 array->shape[0]);
    }
  }
}

/* Compares runs with reporting steps dt and dt/7, in both formulations. */
static size_t check(const char *name, const char *document, const char *type, double t_end, double dt) {
  outcome runs[4];
  char text[200];
  for (int k = 0; k < 4; k++) runs[k] = run(document, type, formulations[k / 2], t_end, k % 2 ? dt / 7 : dt);
  for (int f = 0; f < 2; f++) {
    snprintf(text, sizeof text, "%s, %s, %s, dt = %g", name, type, formulations[f], dt);
    expect_same(text, &runs[2 * f], &runs[2 * f + 1], 7, false, 1e-9);
  }
  snprintf(text, sizeof text, "%s, %s, the formulations, dt = %g", name, type, dt / 7);
  expect_same(text, &runs[1], &runs[3], 1, true, 1e-7);
  size_t rows = models_rows(runs[0].result);
  for (int k = 0; k < 4; k++) mbs_result_free(runs[k].result);
  return rows;
}

/* Returns true if drivers prescribe every degree of freedom of a model. */
static bool is_driven(const char *document) {
  mbs_result *result = models_run(document, JSON({"type": "assembly"}));
  bool driven = result->report.degrees_of_freedom == 0 && result->report.rows > 0 &&
                result->report.mobility > result->report.degrees_of_freedom;
  mbs_result_free(result);
  return driven;
}

static void test_models(void **unused) {
  (void)unused;
  DIR *folder = opendir("models");
  int count = 0;
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder));) {
    char name[128];
    if (sscanf(entry->d_name, "%120[^.].json", name) != 1 || !strstr(entry->d_name, ".json")) continue;
    char *document = models_named(name);
    if (is_driven(document)) {
      check(name, document, "inverse-dynamics", 0.9, 0.09);
      check(name, document, "inverse-dynamics", 0.9, 0.45);
      count++;
    }
    free(document);
  }
  closedir(folder);
  print_message("%d models\n", count);
  assert_true(count >= 6);
}

/* ---- random linkages ------------------------------------------------------------------------------------------- */

/* Adds a rod from (x0, y0) to (x1, y1) with a third point away from its line. */
static void add_rod(text_list *bodies, int number, double x0, double y0, double x1, double y1) {
  double length = hypot(x1 - x0, y1 - y0);
  MODEL(rod,
      {"name": "b%d", "mass": %g, "inertia": %g,
       "points": {"A": [%.17g, 0], "B": [%.17g, 0], "C": [%.17g, %.17g]},
       "initial": {"position": [%.17g, %.17g], "angle": %.17g}});
  list_add(bodies, rod, number, 1 + 0.3 * number, 0.1 * length * length, -length / 2, length / 2, 0.1 * length,
           0.2 * length, (x0 + x1) / 2, (y0 + y1) / 2, atan2(y1 - y0, x1 - x0));
}

/* A crank, and pairs of rods that each connect a previous rod to the ground: Watt's and Stephenson's chains and longer
 * ones. The crank is short, so that it can usually rotate fully; otherwise the mechanism locks. */
static char *random_linkage(uint64_t seed, int pairs, double speed) {
  text_list *bodies = list_open(), *joints = list_open(), *points = list_open(), *drivers = list_open();
  MODEL(to_rod,
      {"name": "a%d", "type": "revolute", "points": ["b%d.%s", "b%d.A"]});
  MODEL(to_ground,
      {"name": "g%d", "type": "revolute", "points": ["ground.G%d", "b%d.A"]});
  MODEL(tip,
      {"name": "c%d", "type": "revolute", "points": ["b%d.B", "b%d.B"]});
  double angle = 3 * models_uniform(&seed), crank = 0.3 + 0.1 * models_uniform(&seed);
  double px = crank * cos(angle), py = crank * sin(angle);
  add_rod(bodies, 0, 0, 0, px, py);
  list_add(joints, JSON({"name": "O", "type": "revolute", "points": ["ground.O", "b0.A"]}));
  list_add(points, PART("O": [0, 0]));
  const char *from = "B";
  for (int k = 0; k < pairs; k++) {
    int one = 2 * k + 1, two = one + 1;
    double gx = px + 0.9 + 0.2 * models_uniform(&seed), gy = py + 0.4 * models_uniform(&seed);
    double side = models_uniform(&seed) > 0 ? 1 : -1, d = hypot(gx - px, gy - py), l = 0.8 * d, m = 0.75 * d;
    double along = (l * l - m * m + d * d) / (2 * d), across = side * sqrt(l * l - along * along);
    double bx = px + (along * (gx - px) - across * (gy - py)) / d,
           by = py + (along * (gy - py) + across * (gx - px)) / d;
    add_rod(bodies, one, px, py, bx, by);
    add_rod(bodies, two, gx, gy, bx, by);
    list_add(points, PART("G%d": [%.17g, %.17g]), k, gx, gy);
    list_add(joints, to_rod, k, k ? 2 * k : 0, from, one);
    list_add(joints, to_ground, k, k, two);
    list_add(joints, tip, k, one, two);
    double phi = atan2(by - gy, bx - gx), length = hypot(bx - gx, by - gy); /* the next pair attaches to point C of this
                                                                             * rod */
    px = (gx + bx) / 2 + 0.1 * length * cos(phi) - 0.2 * length * sin(phi);
    py = (gy + by) / 2 + 0.1 * length * sin(phi) + 0.2 * length * cos(phi);
    from = "C";
  }
  list_add(drivers, JSON({"name": "motor", "type": "joint", "joint": "O", "function": "%.17g + %.17g*t"}), angle,
           speed);
  MODEL(linkage,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {%s}},
       "bodies": [%s],
       "joints": [%s],
       "drivers": [%s]});
  return list_fill(linkage, points, bodies, joints, drivers);
}

/* Cranks that rotate from a small angle to several revolutions between two rows. */
static void test_random_linkages(void **unused) {
  (void)unused;
  int whole = 0;
  for (uint64_t seed = 1; seed <= 24; seed += MODELS_EVERY) {
    char name[64], *document = random_linkage(seed, 1 + seed % 4, seed % 2 ? 2 * M_PI : -5);
    snprintf(name, sizeof name, "linkage %llu", (unsigned long long)seed);
    for (int k = 0; k < 2; k++) {
      size_t rows = check(name, document, types[k], 3.3, seed % 3 ? 0.55 : 1.65);
      whole += rows > (seed % 3 ? 6 : 2);
    }
    free(document);
  }
  print_message("%d motions reached their end\n", whole);
  if (MODELS_EVERY == 1) assert_in_range(whole, 12, 47); /* of 48; in a few of them the cranks may all be short */
}

/* Like test_random_linkages, in space, where joint and body coordinates count revolutions. */
static void test_random_linkages_in_space(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 6; seed += MODELS_EVERY) {
    char name[64], *planar = random_linkage(seed, 1 + seed % 2, 2 * M_PI);
    char *document = models_in_space(planar);
    assert_non_null(document);
    snprintf(name, sizeof name, "spatial linkage %llu", (unsigned long long)seed);
    check(name, document, "kinematics", 1.4, 0.7);
    free(planar);
    free(document);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_models),
      cmocka_unit_test(test_random_linkages),
      cmocka_unit_test(test_random_linkages_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
