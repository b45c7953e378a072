/* test_chains.c - open chains: pendulums of 1 to 60 links released from rest, and a double pendulum against its
 * equations of motion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models.h"

static const double pi = 3.14159265358979323846;

/* ---- energy -------------------------------------------------------------------------------------------------- */

static void check_chain(size_t n, const char *formulation) {
  char analysis[256], *document = models_chain(n, pi / 2);
  MODEL(analysis_format,
      {"formulation": "%s", "t_end": 2, "dt": 0.1,
       "integrator": {"method": "dop853", "rtol": 1e-8, "atol": 1e-8}});
  snprintf(analysis, sizeof analysis, analysis_format, formulation);
  mbs_result *result = models_run(document, analysis);
  double largest = 0;
  for (size_t row = 0; row < models_rows(result); row++)
    largest = fmax(largest, *models_row(result, "energy", row)); /* kinetic */
  if (!(result->report.energy_change_max < 1e-6 * largest))
    fail_msg("%zu links, %s: the energy changes by %.3g of %.3g", n, formulation, result->report.energy_change_max,
             largest);
  mbs_result_free(result);
  free(document);
}

static void test_chains_released_from_rest(void **unused) {
  (void)unused;
  for (size_t n = 1; n <= 60; n++) check_chain(n, "joint");
  for (size_t n = 1; n <= 60; n += n < 8 ? 1 : 13) check_chain(n, "body");
}

/* A horizontal rod on a pin has the angular acceleration 3 g / 2 l. */
static void test_first_acceleration(void **unused) {
  (void)unused;
  char *document = models_chain(1, pi / 2);
  mbs_result *result = models_run(document, JSON({"type": "assembly"}));
  assert_true(fabs(*models_row(result, "pdd", 0) + 1.5 * 9.81) < 1e-13);
  mbs_result_free(result);
  free(document);
}

/* ---- the double pendulum ------------------------------------------------------------------------------------- */

/* Two rods of 1 m and 1 kg, angles a, b from the vertical, y = (a, b, a', b'):
 *   4/3 a'' + 1/2 cos(a - b) b'' = -1/2 sin(a - b) b'^2 - 3/2 g sin a
 *   1/2 cos(a - b) a'' + 1/3 b'' = +1/2 sin(a - b) a'^2 - 1/2 g sin b */
static void double_pendulum(const long double y[4], long double out[4]) {
  const long double g = 9.81L, c = cosl(y[0] - y[1]), s = sinl(y[0] - y[1]);
  const long double f = -s * y[3] * y[3] / 2 - 1.5L * g * sinl(y[0]), h = s * y[2] * y[2] / 2 - g * sinl(y[1]) / 2;
  const long double determinant = 4.0L / 9 - c * c / 4;
  out[0] = y[2];
  out[1] = y[3];
  out[2] = (f / 3 - c * h / 2) / determinant;
  out[3] = (4 * h / 3 - c * f / 2) / determinant;
}

/* Integrates by the classical Runge-Kutta method over `steps` steps of h. */
static void runge_kutta(long double y[4], long double h, int steps) {
  for (int i = 0; i < steps; i++) {
    long double k[4][4], at[4];
    double_pendulum(y, k[0]);
    for (int stage = 1; stage < 4; stage++) {
      for (int j = 0; j < 4; j++) at[j] = y[j] + (stage == 3 ? h : h / 2) * k[stage - 1][j];
      double_pendulum(at, k[stage]);
    }
    for (int j = 0; j < 4; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
  }
}

/* Released at 2 rad it tumbles for 10 s, in which errors grow ten million times. */
static void test_double_pendulum(void **unused) {
  (void)unused;
  char *document = models_chain(2, 2);
  mbs_result *results[2];
  for (int body = 0; body < 2; body++) {
    char analysis[256];
    MODEL(analysis_format,
        {"formulation": "%s", "t_end": 10, "dt": 1,
         "integrator": {"method": "dop853", "rtol": 1e-13, "atol": 1e-13}});
    snprintf(analysis, sizeof analysis, analysis_format, body ? "body" : "joint");
    results[body] = models_run(document, analysis);
  }
  long double y[4] = {2, 2, 0, 0};
  for (size_t row = 0; row <= 10; row++) {
    if (row > 0) runge_kutta(y, 1.0L / 50000, 50000);
    for (int body = 0; body < 2; body++)
      for (int k = 0; k < 2; k++) {
        double error = fabs(models_row(results[body], "p", row)[k] - (double)y[k]);
        double rate_error = fabs(models_row(results[body], "pd", row)[k] - (double)y[k + 2]);
        if (!(fmax(error, rate_error) < 1e-6))
          fail_msg("rod %d is off by %.3g rad, %.3g rad/s after %zu s", k + 1, error, rate_error, row);
      }
  }
  mbs_result_free(results[0]);
  mbs_result_free(results[1]);
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chains_released_from_rest),
      cmocka_unit_test(test_first_acceleration),
      cmocka_unit_test(test_double_pendulum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
