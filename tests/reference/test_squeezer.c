/* test_squeezer.c - Andrews' squeezing mechanism: its initial state, and the solution at t = 0.03 s of the Test Set for
 * Initial Value Problem Solvers (Mazzia, Magherini, release 2.4), whose angles are the coordinates of the model and
 * whose multipliers have the opposite sign. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models.h"

enum { COORDINATES = 7, ROWS = 6 };
/* beta, Theta, gamma, Phi, delta, Omega, epsilon in the order of the bodies K1, K2, K3, K4, K5, K6, K7. */
static const double angles[] = {15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                                0.5244099658805304, 0.5347301163226948, 1.048080741042263};
static const double rates[] = {1139.920302151208,  -1424.379294994111, 11.03291221937134, 19.29337464421385,
                               0.5735699284790808, -19.29337464421385, 0.3231791658026955};
static const double multipliers[] = {199.1753333731910, -29.75531228015052, 23.06654119098399,
                                     31.45271365475927, 22.64249232082739,  11.61740700019673};

static void expect_close(const char *what, size_t i, double value, double wanted, double tolerance) {
  if (!(fabs(value - wanted) <= tolerance)) fail_msg("%s[%zu] is %.15g, in the test set %.15g", what, i, value, wanted);
}

static void test_start(void **unused) {
  (void)unused;
  char *document = models_of_tests("squeezer");
  mbs_result *result = models_run(document, JSON({"type": "assembly"}));
  const double *accelerations = models_row(result, "theta_dd", 0), *lambda = models_row(result, "Lam", 0);
  expect_close("acceleration", 0, accelerations[0], 14222.4439199541138705911625887, 1e-8);
  expect_close("acceleration", 1, accelerations[1], -10666.8329399655854029433719415, 1e-8);
  for (size_t i = 2; i < COORDINATES; i++) expect_close("acceleration", i, accelerations[i], 0, 1e-8);
  expect_close("lambda", 0, -lambda[0], 98.5668703962410896057654982170, 1e-10);
  expect_close("lambda", 1, -lambda[1], -6.12268834425566265503114393122, 1e-10);
  mbs_result_free(result);
  free(document);
}

static void test_solution(void **unused) {
  (void)unused;
  char *document = models_of_tests("squeezer");
  MODEL(analysis,
      {"t_end": 0.03, "dt": 0.003, "integrator": {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}});
  mbs_result *result = models_run(document, analysis);
  size_t end = models_rows(result) - 1;
  const double *theta = models_row(result, "theta", end), *theta_d = models_row(result, "theta_d", end),
               *lambda = models_row(result, "Lam", end);
  for (size_t i = 0; i < COORDINATES; i++) {
    expect_close("angle", i, theta[i], angles[i], 3e-9);
    expect_close("rate", i, theta_d[i], rates[i], 1e-6);
  }
  for (size_t r = 0; r < ROWS; r++) expect_close("lambda", r, -lambda[r], multipliers[r], 1e-4);
  assert_true(result->report.energy_change_max < 1e-9);
  mbs_result_free(result);
  free(document);
}

/* Runs 0.05 s in both formulations, at an ordinary tolerance. */
static void test_energy(void **unused) {
  (void)unused;
  char *document = models_of_tests("squeezer");
  for (int body = 0; body < 2; body++) {
    char analysis[160];
    snprintf(analysis, sizeof analysis, JSON({"formulation": "%s", "t_end": 0.05, "dt": 0.001}),
             body ? "body" : "joint");
    mbs_result *result = models_run(document, analysis);
    assert_true(result->report.energy_change_max < 1e-4 * result->report.energy_start);
    mbs_result_free(result);
  }
  free(document);
}

/* The cranks are a few millimetres long and rotate at a thousand radians per second. The residual of the constraints
 * after projections, in metres, is therefore a large angle for formulas that use several previous steps. */
static void test_tight_tolerances_of_bdf(void **unused) {
  (void)unused;
  static const char *const formulations[] = {"joint", "body"}, *const constraints[] = {"projection", "partitioning"};
  char *document = models_of_tests("squeezer");
  for (int digits = 7; digits <= 11; digits++)
    for (int k = 0; k < 4; k++) {
      char analysis[240];
      mbs_result *result = NULL;
      mbs_error error = {0};
      MODEL(analysis_format,
          {"formulation": "%s", "constraints": "%s", "t_end": 0.05, "dt": 0.05,
           "integrator": {"method": "bdf", "rtol": 1e-%d, "atol": 1e-%d}});
      snprintf(analysis, sizeof analysis, analysis_format, formulations[k % 2], constraints[k / 2], digits, digits);
      if (models_try_run(document, analysis, &result, &error) != MBS_OK) fail_msg("%s: %s", analysis, error.message);
      const double change = result->report.energy_change_max / result->report.energy_start;
      if (!(change < 500 * pow(10, -digits))) fail_msg("%s: the energy changes by %g", analysis, change);
      assert_true(result->report.steps < 8000);
      mbs_result_free(result);
    }
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_start),
      cmocka_unit_test(test_solution),
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_tight_tolerances_of_bdf),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
