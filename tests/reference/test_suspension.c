/* test_suspension.c - the suspension with superimposed arms of the Robotran notes: five coordinates q1 to q5, two rows,
 *
 *   l1 cos(q2) - l2 sin(q2 + q3) - l1 cos(q5) = 0,   l1 sin(q2) + l2 cos(q2 + q3) - l1 sin(q5) - l2 = 0,
 *
 * with turns counted counter-clockwise, so three independent ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "close.h"
#include "models.h"

static const double l1 = 0.35, l2 = 0.2, g = 9.81;

/* Runs with the initial values of q1, q2 and q4 in `hold`; with partitioning they are the independent coordinates. */
static mbs_result *run_with(const char *constraints, const char *formulation) {
  char analysis[512], *document = models_named("Suspension");
  MODEL(analysis_format,
      {"t_end": 3, "dt": 0.05, "integrator": {"method": "dop853", "rtol": 1e-10, "atol": 1e-12},
       "constraints": "%s", "formulation": "%s", "hold": ["heave", "lower pivot", "hub"]});
  snprintf(analysis, sizeof analysis, analysis_format, constraints, formulation);
  mbs_result *result = models_run(document, analysis);
  free(document);
  return result;
}

static mbs_result *run_partitioned(void) { return run_with("partitioning", "joint"); }

static void test_structure(void **unused) {
  (void)unused;
  static const char *const labels[] = {"heave.q", "lower pivot.q", "A.q", "hub.q", "upper pivot.q"};
  mbs_result *result = run_partitioned();
  const mbs_report *report = &result->report;
  assert_int_equal(report->coordinates, 5);
  assert_int_equal(report->rows, 2);
  assert_int_equal(report->mobility, 3);
  assert_int_equal(report->redundant_count, 0);
  for (size_t i = 0; i < 5; i++) assert_string_equal(report->coordinate_labels[i], labels[i]);
  /* The initial values of the independent coordinates are unchanged, the others follow: the arms remain parallel. */
  const double start[] = {0.5, -0.15, 0.15, 0, -0.15};
  for (size_t i = 0; i < 5; i++) assert_close(report->q_after[i], start[i], 1e-12);
  mbs_result_free(result);
}

/* Rows of the notes, which depend neither on the chassis nor on the wheel. */
static void test_rows(void **unused) {
  (void)unused;
  mbs_result *result = run_partitioned();
  for (size_t row = 0; row < models_rows(result); row++) {
    const double *q = models_row(result, "theta", row), *Jac = models_row(result, "Jac", row);
    double s2 = l1 * sin(q[1]), c2 = l1 * cos(q[1]), s23 = l2 * sin(q[1] + q[2]), c23 = l2 * cos(q[1] + q[2]);
    double s5 = l1 * sin(q[4]), c5 = l1 * cos(q[4]);
    const double wanted[2][5] = {{0, -s2 - c23, -c23, 0, s5}, {0, c2 - s23, -s23, 0, -c5}};
    assert_close(c2 - s23 - c5, 0, 1e-12);
    assert_close(s2 + c23 - s5 - l2, 0, 1e-12);
    for (size_t k = 0; k < 10; k++) assert_close(Jac[k], wanted[k / 5][k % 5], 1e-12);
    assert_close(q[2], -q[1], 1e-9);
    assert_close(q[4], q[1], 1e-9);
  }
  mbs_result_free(result);
}

/* While the arms stay parallel, heave y and arm angle a have the equations
 *
 *   m y'' + b cos(a) a'' = b sin(a) a'^2 - m g + N,   b cos(a) y'' + J a'' = -b cos(a) g + l1 cos(a) N + strut,
 *
 * b = first moment about the pivots of the arms and of all that hangs on their ends, J = second moment. */
static void test_accelerations(void **unused) {
  (void)unused;
  const double m = 300 + 4 + 10 + 20 + 3, ends = 10 + 20, b = (4 + 3) * l1 / 2 + ends * l1;
  const double J = 0.05 + 0.04 + (4 + 3) * l1 * l1 / 4 + ends * l1 * l1;
  mbs_result *result = run_partitioned();
  for (size_t row = 0; row < models_rows(result); row++) {
    const double *q = models_row(result, "theta", row), *v = models_row(result, "theta_d", row);
    const double *forces = models_row(result, "forces", row), *acceleration = models_row(result, "theta_dd", row);
    double a = q[1], arm = l1 / 2 + 0.075, dx = 0.25 - arm * cos(a), dy = 0.5 - arm * sin(a), l = hypot(dx, dy);
    double rate = arm * v[1] * (sin(a) * dx - cos(a) * dy) / l, tension = 40000 * (l - 0.6) + 3000 * rate;
    double turning = tension * arm * (cos(a) * dy - sin(a) * dx) / l, N = forces[2];
    double f = b * sin(a) * v[1] * v[1] - m * g + N, n = -b * cos(a) * g + l1 * cos(a) * N + turning;
    double c = b * cos(a), determinant = m * J - c * c;
    assert_close(forces[0], tension, 1e-6);
    assert_close(acceleration[0], (J * f - c * n) / determinant, 1e-7);
    assert_close(acceleration[1], (m * n - c * f) / determinant, 1e-7);
    assert_close(acceleration[3], 0, 1e-9); /* no torque rotates the wheel relative to the upright */
  }
  mbs_result_free(result);
}

/* The motion is equal for all coordinates and constraint methods, and the energy balance closes. */
static void test_formulations_agree(void **unused) {
  (void)unused;
  static const char *const arrays[] = {"r", "p", "rd", "pd", "energy", "forces"};
  mbs_result *results[] = {run_partitioned(), run_with("projection", "joint"), run_with("projection", "body")};
  for (size_t k = 0; k < 3; k++) {
    const mbs_report *report = &results[k]->report;
    assert_true(report->energy_change_max < 1e-8 * fabs(report->energy_start));
    assert_true(report->residual_max[0] < 1e-10);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
      for (size_t row = 0; row < models_rows(results[0]); row++)
        assert_close(models_difference(results[0], results[k], arrays[i], row), 0, 1e-8);
  }
  for (size_t k = 0; k < 3; k++) mbs_result_free(results[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_structure),
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_accelerations),
      cmocka_unit_test(test_formulations_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
