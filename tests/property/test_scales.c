/* test_scales.c - a mechanism scaled in length, mass and time moves in the same way: every array of its results is that
 * of the original, in other units. */
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

static const models_scale scales[] = {{1e-9, 1, 1},   {1e9, 1, 1},         {1, 1e-20, 1e-6},
                                      {1, 1e25, 1e6}, {1e-9, 1e-20, 1e-6}, {1e9, 1e25, 1e6}};
enum { SCALES = sizeof scales / sizeof *scales };

/* ---- arrays -------------------------------------------------------------------------------------------------- */

/* Unit of an array as powers of length, mass and time; for arrays of two parts also the unit of the second part. */
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

/* Returns true if a column belongs to `part`: forces, then torques; kinetic and potential energy, but not the
 * integrated energies. */
static bool belongs(const char *name, size_t column, int part, bool planar) {
  if (strcmp(name, "energy") == 0) return part == 0 && column < 2;
  if (strcmp(name, "reactions") != 0) return part == 0;
  size_t forces = planar ? 2 : 3, all = planar ? 3 : 6;
  return (column % all < forces) == (part == 0);
}

/* Returns the largest difference of the two arrays in the units of the first, divided by max(1, its largest number). */
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

/* Runs a document in original and scaled form; if it fails, both must fail alike. Runs that exceed the limits are not
 * compared. */
static void compare(const char *name, const char *document, const char *analysis, const models_scale *by,
                    double tolerance) {
  char what[512], *scaled = models_scaled(document, by), *scaled_analysis = models_scaled_analysis(analysis, by);
  snprintf(what, sizeof what, "%s by %g m, %g kg, %g s, %s", name, by->length, by->mass, by->time, analysis);
  mbs_result *one = NULL, *two = NULL;
  mbs_error error = {0}, error_scaled = {0};
  mbs_status status = models_try_run(document, analysis, &one, &error);
  mbs_status status_scaled = models_try_run(scaled, scaled_analysis, &two, &error_scaled);
  bool stopped = status == MBS_TOO_MANY_EVALUATIONS || status_scaled == MBS_TOO_MANY_EVALUATIONS;
  if (status != status_scaled && !stopped)
    fail_msg("%s: %s (%s), but %s (%s)", what, mbs_status_code(status), error.message, mbs_status_code(status_scaled),
             error_scaled.message);
  if (status == MBS_OK && !stopped) expect_scaled(what, one, two, by, tolerance);
  mbs_result_free(one);
  mbs_result_free(two);
  free(scaled);
  free(scaled_analysis);
}

MODEL(exact,
    {"t_end": 0.1, "dt": 0.02,
     "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}, "limits": {"max_evaluations": 5000}});
MODEL(exact_body,
    {"formulation": "body", "t_end": 0.1, "dt": 0.02,
     "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}, "limits": {"max_evaluations": 5000}});
MODEL(exact_partitioning,
    {"constraints": "partitioning", "t_end": 0.1, "dt": 0.02,
     "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}, "limits": {"max_evaluations": 5000}});
MODEL(exact_body_partitioning,
    {"formulation": "body", "constraints": "partitioning", "t_end": 0.1, "dt": 0.02,
     "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}, "limits": {"max_evaluations": 5000}});
MODEL(exact_inverse,
    {"type": "inverse-dynamics", "t_end": 0.1, "dt": 0.02,
     "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}, "limits": {"max_evaluations": 5000}});

static const char *const motions[] = {JSON({"type": "assembly"}),
                                      exact,
                                      exact_body,
                                      exact_partitioning,
                                      exact_body_partitioning,
                                      JSON({"type": "kinematics", "t_end": 0.1, "dt": 0.01}),
                                      JSON({"type": "kinematics", "formulation": "body", "t_end": 0.1, "dt": 0.01}),
                                      exact_inverse,
                                      NULL};
static const char *const statics[] = {
    JSON({"type": "equilibrium"}), JSON({"type": "equilibrium", "formulation": "body"}),
    JSON({"type": "linearization"}), JSON({"type": "linearization", "formulation": "body"}), NULL};

/* Runs every analysis with every second scale in turn. */
static void compare_all(const char *name, const char *document, const char *const *analyses, double tolerance) {
  for (size_t a = 0; analyses[a]; a++)
    for (size_t s = a % 2; s < SCALES; s += 2) compare(name, document, analyses[a], &scales[s], tolerance);
}

static void test_motion_of_models(void **unused) {
  (void)unused;
  glob_t files;
  assert_int_equal(glob("models/*.json", 0, NULL, &files), 0);
  for (size_t f = 0; f < files.gl_pathc; f++) {
    char *text = models_file(files.gl_pathv[f]), *document = models_scaled(text, &(models_scale){1, 1, 1});
    if (document)
      compare_all(files.gl_pathv[f], document, motions, 1e-7);
    else
      print_message("%s cannot be scaled\n", files.gl_pathv[f]);
    free(document);
    free(text);
  }
  globfree(&files);
}

/* Models with a unique equilibrium in which no body can rotate freely. */
static void test_equilibria_of_models(void **unused) {
  (void)unused;
  static const char *const names[] = {"SP", "FourBar_equilibrium", "PendulumSpring", "SC", "Door", "AA", "MP_A"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = models_named(names[i]), *document = models_scaled(text, &(models_scale){1, 1, 1});
    compare_all(names[i], document, statics, 1e-6);
    free(document);
    free(text);
  }
}

static void test_random_mechanisms(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    char name[64], *document = seed % 2 ? models_random(seed, 1 + seed % 5, seed % 3)
                                        : models_random_spatial(seed, 1 + seed % 5, seed % 3);
    snprintf(name, sizeof name, "random mechanism %llu", (unsigned long long)seed);
    compare_all(name, document, motions, 1e-7);
    free(document);
  }
}

/* ---- default tolerances -------------------------------------------------------------------------------------- */

/* A mass on a spring oscillates as cos(2 t) with every method. With absolute tolerances in metres, a mechanism of
 * nanometres would be integrated without error control. */
static void test_default_tolerances(void **unused) {
  (void)unused;
  MODEL(oscillator,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "j", "type": "translational", "points": ["ground.O", "b.P"],
          "vectors": ["ground.u", "b.u"], "initial": {"position": 1}}],
       "forces": [{"name": "s", "type": "force", "body": "b", "value": ["-8*b.x", 0]}]});
  static const char *const methods[] = {"dopri5", "dop853", "bdf"}, *const formulations[] = {"joint", "body"};
  for (size_t k = 0; k < 6 * SCALES; k++) {
    const models_scale *by = &scales[k / 6];
    char text[256];
    snprintf(text, sizeof text, JSON({"t_end": 5, "dt": 0.25, "formulation": "%s", "integrator": {"method": "%s"}}),
             formulations[k / 3 % 2], methods[k % 3]);
    char *document = models_scaled(oscillator, by), *analysis = models_scaled_analysis(text, by);
    mbs_result *result = models_run(document, analysis);
    for (size_t row = 0; row < models_rows(result); row++) {
      double t = *models_row(result, "T", row) / by->time, x = models_row(result, "r", row)[0] / by->length;
      double v = models_row(result, "rd", row)[0] * by->time / by->length;
      if (!(fabs(x - cos(2 * t)) < 2e-3 && fabs(v + 2 * sin(2 * t)) < 4e-3))
        fail_msg("by %g m, %g s, %s: x = %.6g, v = %.6g at t = %g", by->length, by->time, text, x, v, t);
    }
    mbs_result_free(result);
    free(document);
    free(analysis);
  }
}

/* Pendulums so thin that their moments of inertia about the mass centre are negligible. */
static void test_thin_rods(void **unused) {
  (void)unused;
  MODEL(pendulum,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 1e-1, "points": {"A": [0, 0.5], "B": [0, -0.5]}},
         {"name": "b", "mass": 1, "inertia": 1e-1, "points": {"A": [0, 0.5]}}],
       "joints": [
         {"name": "p", "type": "revolute", "points": ["ground.O", "a.A"], "initial": {"position": 1}},
         {"name": "q", "type": "revolute", "points": ["a.B", "b.A"],      "initial": {"position": 0.5}}]});
  compare_all("double pendulum", pendulum, motions, 1e-7);
  char *chain = models_chain(64, 0.3), *spatial = models_spatial_chain(64, true); /* uses the recursive formulation */
  MODEL(exact_short,
      {"t_end": 0.02, "dt": 0.01,
       "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}, "limits": {"max_evaluations": 5000}});
  static const char *const short_motion[] = {exact_short, NULL};
  compare_all("chain", chain, short_motion, 1e-7);
  compare_all("spatial chain", spatial, short_motion, 1e-7);
  free(chain);
  free(spatial);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_motion_of_models),
                                     cmocka_unit_test(test_equilibria_of_models),
                                     cmocka_unit_test(test_random_mechanisms),
                                     cmocka_unit_test(test_default_tolerances), cmocka_unit_test(test_thin_rods)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
