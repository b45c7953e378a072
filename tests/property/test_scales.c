/* test_scales.c - a mechanism so many times as long, heavy and slow moves the same way: every array of its results is
 * that of the original, in other units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

static const models_scale scales[] = {{1e-9, 1, 1}, {1e9, 1, 1},  {1, 1e-20, 1},        {1, 1e25, 1},
                                      {1, 1, 1e-6}, {1, 1, 1e6}, {1e-9, 1e-20, 1e-6}, {1e9, 1e25, 1e6}};
enum { SCALES = sizeof scales / sizeof *scales };

/* ---- arrays -------------------------------------------------------------------------------------------------- */

/* The unit of an array as powers of length, mass and time; of those of two parts the second one's too. */
typedef struct kind {
  const char *name;
  int length, mass, time;
} kind;

static const kind kinds[] = {{"T", 0, 0, 1},
                             {"r", 1, 0, 0},
                             {"rd", 1, 0, -1},
                             {"rdd", 1, 0, -2},
                             {"p", 0, 0, 0},
                             {"pd", 0, 0, -1},
                             {"pdd", 0, 0, -2},
                             {"omega", 0, 0, -1},
                             {"omega_d", 0, 0, -2},
                             {"rP", 1, 0, 0},
                             {"rPd", 1, 0, -1},
                             {"rPdd", 1, 0, -2},
                             {"reactions", 1, 1, -2},
                             {"energy", 2, 1, -2},
                             {"eigenvalues", 0, 0, -1},
                             {"frequencies", 0, 0, -1},
                             {"damping_ratios", 0, 0, 0}};

/* Numbers of a row that come in turn, and which of them belong to `part`: forces, then torques; kinetic and potential
 * energy, but not what is integrated beside the motion. */
static bool belongs(const char *name, size_t column, int part, bool planar) {
  if (strcmp(name, "energy") == 0) return part == 0 && column < 2;
  if (strcmp(name, "reactions") != 0) return part == 0;
  size_t forces = planar ? 2 : 3, all = planar ? 3 : 6;
  return (column % all < forces) == (part == 0);
}

/* Largest difference of the two arrays in the units of the first, as a share of max(1, its largest number). */
static double difference(const mbs_array *one, const mbs_array *two, const kind *of, const models_scale *by, int part,
                         bool planar) {
  size_t columns = mbs_array_columns(one), count = one->shape[0] * columns;
  double factor = pow(by->length, of->length + part) * pow(by->mass, of->mass) * pow(by->time, of->time);
  double largest = 1, error = 0;
  for (size_t i = 0; i < count; i++) {
    if (!belongs(of->name, i % columns, part, planar)) continue;
    largest = fmax(largest, fabs(one->data[i]));
    double here = fabs(one->data[i] - two->data[i] / factor);
    if (!(here <= error)) error = isnan(here) ? INFINITY : here;
  }
  return error / largest;
}

static void expect_scaled(const char *what, const mbs_result *one, const mbs_result *two, const models_scale *by,
                          double tolerance) {
  bool planar = strcmp(one->report.space, "planar") == 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const mbs_array *a = mbs_result_array(one, kinds[k].name), *b = mbs_result_array(two, kinds[k].name);
    if (!a) continue;
    if (a->shape[0] != b->shape[0]) fail_msg("%s: %s has %zu rows, not %zu", what, a->name, b->shape[0], a->shape[0]);
    for (int part = 0; part < 2; part++) {
      double found = difference(a, b, &kinds[k], by, part, planar);
      if (!(found <= tolerance)) fail_msg("%s: %s differs by %.3g of its size", what, kinds[k].name, found);
    }
  }
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

/* Runs a document as it is and scaled; what cannot be done must fail alike. */
static void compare(const char *name, const char *document, const char *analysis, const models_scale *by,
                    double tolerance) {
  char what[512], *scaled = models_scaled(document, by), *scaled_analysis = models_scaled_analysis(analysis, by);
  snprintf(what, sizeof what, "%s by %g m, %g kg, %g s, %s", name, by->length, by->mass, by->time, analysis);
  mbs_result *one = NULL, *two = NULL;
  mbs_error error = {0}, error_scaled = {0};
  mbs_status status = models_try_run(document, analysis, &one, &error);
  mbs_status status_scaled = models_try_run(scaled, scaled_analysis, &two, &error_scaled);
  if (status != status_scaled)
    fail_msg("%s: %s (%s), but %s (%s)", what, mbs_status_code(status), error.message, mbs_status_code(status_scaled),
             error_scaled.message);
  if (status == MBS_OK) expect_scaled(what, one, two, by, tolerance);
  if (one->report.correction_iterations != two->report.correction_iterations)
    fail_msg("%s: %d corrections, but %d", what, one->report.correction_iterations, two->report.correction_iterations);
  mbs_result_free(one);
  mbs_result_free(two);
  free(scaled);
  free(scaled_analysis);
}

#define EXACT "\"integrator\": {\"method\": \"dop853\", \"rtol\": 1e-11, \"atol\": 1e-12}, \"limits\": {\"max_evaluations\": 100000}"
#define SHORT "\"t_end\": 0.3, \"dt\": 0.05, "

static const char *const analyses[] = {
    "{\"type\": \"assembly\"}",
    "{\"type\": \"assembly\", \"formulation\": \"body\"}",
    "{" SHORT EXACT "}",
    "{\"formulation\": \"body\", " SHORT EXACT "}",
    "{\"constraints\": \"partitioning\", " SHORT EXACT "}",
    "{\"formulation\": \"body\", \"constraints\": \"partitioning\", " SHORT EXACT "}",
    "{\"type\": \"kinematics\", \"t_end\": 0.3, \"dt\": 0.01}",
    "{\"type\": \"kinematics\", \"formulation\": \"body\", \"t_end\": 0.3, \"dt\": 0.01}",
    "{\"type\": \"inverse-dynamics\", " SHORT EXACT "}",
    "{\"type\": \"equilibrium\"}",
    "{\"type\": \"equilibrium\", \"formulation\": \"body\"}",
    "{\"type\": \"linearization\"}",
    "{\"type\": \"linearization\", \"formulation\": \"body\"}",
};
enum { ANALYSES = sizeof analyses / sizeof *analyses };

static void test_models(void **unused) {
  (void)unused;
  glob_t files;
  size_t done = 0;
  assert_int_equal(glob("models/*.json", 0, NULL, &files), 0);
  for (size_t f = 0; f < files.gl_pathc; f++) {
    char *text = models_file(files.gl_pathv[f]), *document = models_scaled(text, &(models_scale){1, 1, 1});
    for (size_t a = 0; a < ANALYSES && document; a++)
      for (size_t s = 0; s < SCALES; s++, done++)
        compare(files.gl_pathv[f], document, analyses[a], &scales[s], 1e-7);
    if (!document) print_message("%s cannot be scaled\n", files.gl_pathv[f]);
    free(document);
    free(text);
  }
  globfree(&files);
  print_message("%zu runs\n", done);
}

static void test_random(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    char name[64], *document = seed % 2 ? models_random(seed, 1 + seed % 5, seed % 3)
                                        : models_random_spatial(seed, 1 + seed % 5, seed % 3);
    snprintf(name, sizeof name, "random mechanism %llu", (unsigned long long)seed);
    for (size_t a = 0; a < ANALYSES; a++)
      for (size_t s = 0; s < SCALES; s++) compare(name, document, analyses[a], &scales[s], 1e-7);
    free(document);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
