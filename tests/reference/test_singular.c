/* test_singular.c - redundant constraints, and positions where constraints lose rank and several branches continue: the
 * motion must continue smoothly on its own branch and conserve its energy at every tolerance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "closed_forms.h"
#include "expect.h"
#include "models.h"

static const double g = 9.81;
static const char *const formulations[] = {"joint", "body"};
static const char *const methods[] = {"dopri5", "dop853"};

static const char *analysis(const char *formulation, const char *method, double t_end, double tolerance) {
  static char text[256];
  MODEL(text_format,
      {"formulation": "%s", "t_end": %g, "dt": 0.1, "integrator": {"method": "%s", "rtol": %g, "atol": %g}});
  snprintf(text, sizeof text, text_format, formulation, t_end, method, tolerance, tolerance);
  return text;
}

/* Returns the largest change of the energy, divided by the largest kinetic plus potential energy. */
static double energy_change(const mbs_result *result) {
  double scale = 0;
  for (size_t row = 0; row < models_rows(result); row++) {
    const double *energy = models_row(result, "energy", row);
    scale = fmax(scale, fabs(energy[0]) + fabs(energy[1]));
  }
  return result->report.energy_change_max / scale;
}

/* ---- singular positions -------------------------------------------------------------------------------------- */

/* Distance of a state from its smooth branch. */
typedef double (*distance)(const mbs_result *result, size_t row);

/* Energy loss of the methods in 10 s far from singular positions, in units of the tolerance: larger if the tolerance is
 * so loose that steps are longer than a radian. Also the rounding loss near a singular position, which depends on the
 * position of the steps (of 60 tolerances below 1e-9 a fifth lose more than 3e-9, the worst 1e-7). */
static const double usual_loss = 60, loose_tolerance = 1e-4, loose_loss = 200, rounding_loss = 3e-8;

/* Checks that a run of 10 s succeeds, stays on its branch, and does not lose more energy than the tolerance
 * explains. */
static void check_passage(const char *name, const char *document, const char *formulation, const char *method,
                          double tolerance, distance off_branch) {
  mbs_result *result = NULL;
  mbs_error error = {0};
  mbs_status status = models_try_run(document, analysis(formulation, method, 10, tolerance), &result, &error);
  if (status != MBS_OK) fail_msg("%s, %s, %s, %.0e: %s", name, formulation, method, tolerance, error.message);
  double worst = 0;
  for (size_t row = 0; row < models_rows(result); row++) worst = fmax(worst, off_branch(result, row));
  if (!(worst < 1e-6)) fail_msg("%s, %s, %s, %.0e: %.3g off its branch", name, formulation, method, tolerance, worst);
  const double loss = tolerance < 0.99 * loose_tolerance ? usual_loss : loose_loss;
  if (!(energy_change(result) < loss * tolerance + rounding_loss))
    fail_msg("%s, %s, %s, %.0e: the energy changes by %.3g", name, formulation, method, tolerance,
             energy_change(result));
  mbs_result_free(result);
}

/* Returns the tilt of the couplers, the second half of the bodies, which must stay level. */
static double tilt_of_couplers(const mbs_result *result, size_t row) {
  size_t bodies = models_columns(result, "p");
  const double *p = models_row(result, "p", row);
  double largest = 0;
  for (size_t i = bodies / 2 + 1; i < bodies; i++) largest = fmax(largest, fabs(p[i]));
  return largest;
}

/* Returns the distance of body 3, the slider, from twice the cosine of body 1, the crank. */
static double slider_off_course(const mbs_result *result, size_t row) {
  return fabs(models_row(result, "r", row)[4] - 2 * cos(*models_row(result, "p", row)));
}

/* All links aligned: rank drops by N. */
static void test_four_bars(void **unused) {
  (void)unused;
  static const size_t sizes[] = {1, 2, 3, 5, 10, 20, 40};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    char name[32], *document = models_four_bars(sizes[s]);
    snprintf(name, sizeof name, "%zu four-bars", sizes[s]);
    for (int m = 0; m < 2; m++)
      for (int digits = 4; digits <= 13; digits++)
        check_passage(name, document, "joint", methods[m], pow(10, -digits), tilt_of_couplers);
    for (int m = 0; m < 2; m++)
      for (int digits = 4; digits <= 11 && sizes[s] <= 10; digits++)
        check_passage(name, document, "body", methods[m], pow(10, -digits), tilt_of_couplers);
    free(document);
  }
}

/* A parallelogram through its change points, starting at one. */
static void test_parallelogram(void **unused) {
  (void)unused;
  char *document = models_of_tests("parallelogram");
  for (int f = 0; f < 2; f++) {
    for (int m = 0; m < 2; m++)
      for (int digits = 4; digits <= 11; digits++)
        check_passage("parallelogram", document, formulations[f], methods[m], pow(10, -digits), tilt_of_couplers);
    mbs_result *start = models_run(document, analysis(formulations[f], "dopri5", 0, 1e-6));
    assert_int_equal(start->report.degrees_of_freedom, 1);
    assert_int_equal(start->report.redundant_count, 0);
    assert_int_equal(start->report.note_count, 1); /* note that the start is singular */
    mbs_result_free(start);
  }
  free(document);
}

static void test_slider_crank_with_equal_lengths(void **unused) {
  (void)unused;
  char *document = models_of_tests("equal-slider-crank");
  for (int f = 0; f < 2; f++)
    for (int m = 0; m < 2; m++)
      for (int digits = 5; digits <= 11; digits++)
        check_passage("slider-crank", document, formulations[f], methods[m], pow(10, -digits), slider_off_course);
  free(document);
}

/* ---- redundant rows ------------------------------------------------------------------------------------------ */

/* Three cranks and their coupler swing like a pendulum, omega^2 = (3 m l / 2 + M l) g / (3 m l^2 / 3 + M l^2). */
static void test_parallel_link(void **unused) {
  (void)unused;
  const double omega = sqrt((1.5 + 2) * g / (1 + 2));
  const double period = 2 * 3.14159265358979323846 / (omega * agm(1, cos(0.5)));
  char *document = models_of_tests("parallel-link");
  for (int f = 0; f < 2; f++) {
    char text[256];
    MODEL(text_format,
        {"formulation": "%s", "t_end": %.17g, "dt": %.17g,
         "integrator": {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}});
    snprintf(text, sizeof text, text_format, formulations[f], 4 * period, period);
    mbs_result *result = models_run(document, text);
    assert_int_equal(result->report.redundant_count, 1);
    assert_int_equal(result->report.degrees_of_freedom, 1);
    if (f == 1) assert_int_equal(result->report.rows, 12);
    for (size_t row = 0; row <= 4; row++)
      for (size_t body = 0; body < 3; body++) assert_true(fabs(models_row(result, "p", row)[body] - 1) < 1e-8);
    assert_true(energy_change(result) < 1e-10);
    mbs_result_free(result);
  }
  free(document);
}

/* All bodies slide down the rail, s = g sin(slope) t^2 / 2; the rail bears the weight. */
static void test_two_sliders_on_one_rail(void **unused) {
  (void)unused;
  char *document = models_of_tests("two-guides");
  for (int f = 0; f < 2; f++) {
    mbs_result *result = models_run(document, analysis(formulations[f], "dopri5", 2, 1e-8));
    assert_int_equal(result->report.redundant_count, 2);
    assert_int_equal(result->report.degrees_of_freedom, 1);
    for (size_t row = 0; row < models_rows(result); row++) {
      double t = *models_row(result, "T", row), s = 0.6 * g * t * t / 2;
      const double *r = models_row(result, "r", row), *reactions = models_row(result, "reactions", row);
      assert_true(fabs(r[0] - 0.8 * s) < 1e-9 && fabs(r[1] + 0.6 * s) < 1e-9);
      double normal = 0; /* reactions of both guides and of the slider's rail, along the rail's normal (0.6, 0.8) */
      for (size_t j = 0; j < 5; j++)
        if (j != 2 && j != 3) normal += 0.6 * reactions[3 * j] + 0.8 * reactions[3 * j + 1];
      assert_true(fabs(normal - 6 * g * 0.8) < 1e-8);
    }
    mbs_result_free(result);
  }
  free(document);
}

/* Two links in line between pins at a distance equal to their length: only infinitesimal motions are possible, and the
 * links cannot bear a transverse load. The run must end with MBS_SINGULAR_POSITION and the name of an element. */
static void test_taut_links(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0], "Q": [2, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]}},
         {"name": "b", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]}}],
       "joints": [
         {"name": "A", "type": "revolute", "points": ["ground.O", "a.A"]},
         {"name": "B", "type": "revolute", "points": ["a.B", "b.A"]},
         {"name": "C", "type": "revolute", "points": ["b.B", "ground.Q"]}]});
  for (int f = 0; f < 2; f++) {
    mbs_result *result = NULL;
    mbs_error error = {0};
    assert_int_equal(models_try_run(document, analysis(formulations[f], "dopri5", 1, 1e-6), &result, &error),
                     MBS_SINGULAR_POSITION);
    assert_true(error.element[0] != 0);
    assert_true(result->report.evaluations < 2000000);
    mbs_result_free(result);
  }
}

/* A flat parallelogram under a torque leaves its singular start in many short steps. */
static void test_leaving_a_singular_start(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0], "C": [2, 0]}},
       "bodies": [
         {"name": "crank", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]}},
         {"name": "coupler", "mass": 1, "inertia": 0.3, "points": {"A": [-1, 0], "B": [1, 0]},
          "initial": {"position": [2, 0]}},
         {"name": "rocker", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]},
          "initial": {"position": [2.5, 0]}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "crank.A"]},
         {"name": "A", "type": "revolute", "points": ["crank.B", "coupler.A"]},
         {"name": "B", "type": "revolute", "points": ["coupler.B", "rocker.B"]},
         {"name": "C", "type": "revolute", "points": ["ground.C", "rocker.A"]}],
       "forces": [{"name": "F", "type": "torque", "body": "crank", "value": 0.5}]});
  for (int f = 0; f < 2; f++) {
    mbs_result *result = models_run(document, analysis(formulations[f], "dopri5", 1, 1e-6));
    assert_true(result->report.energy_change_max < 1e-4);
    mbs_result_free(result);
  }
}

/* A driver and a duplicate that deviates from it: this must be detected even without projection. */
static void test_redundant_rows_that_drift(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "rod", "mass": 1, "inertia": 1, "points": {"A": [-1, 0]}}],
       "joints": [{"name": "O", "type": "revolute", "points": ["ground.O", "rod.A"]}],
       "drivers": [
         {"name": "d1", "type": "joint", "joint": "O", "function": "t"},
         {"name": "d2", "type": "joint", "joint": "O", "function": "t + t^3"}]});
  static const char *const constraints[] = {"projection", "partitioning", "baumgarte", "none"};
  for (int c = 0; c < 4; c++) {
    char how[120];
    mbs_result *result = NULL;
    mbs_error error = {0};
    snprintf(how, sizeof how, JSON({"t_end": 1, "dt": 0.1, "constraints": "%s"}), constraints[c]);
    expect_failure(document, how, MBS_CONTRADICTION, "d2", NULL, &result, &error);
    mbs_result_free(result);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_four_bars),
      cmocka_unit_test(test_parallelogram),
      cmocka_unit_test(test_slider_crank_with_equal_lengths),
      cmocka_unit_test(test_parallel_link),
      cmocka_unit_test(test_two_sliders_on_one_rail),
      cmocka_unit_test(test_redundant_rows_that_drift),
      cmocka_unit_test(test_taut_links),
      cmocka_unit_test(test_leaving_a_singular_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
