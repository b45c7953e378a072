/* Sums of Chebyshev polynomials against known functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "study/chebyshev.h"

static void fit(double (*f)(double), int n, double *c) {
  double values[MBS_CHEBYSHEV_MAX + 1];
  for (int k = 0; k <= n; k++) values[k] = f(mbs_chebyshev_node(n, k));
  mbs_chebyshev_fit(n, values, c);
}

static double cubic(double x) { return 4 * x * x * x - 3 * x + 2 * (2 * x * x - 1) - 5; }

static void test_coefficients(void **state) {
  static const double expected[] = {-5, 0, 2, 1, 0, 0, 0, 0, 0};
  double c[9];
  (void)state;
  fit(cubic, 8, c);
  for (int k = 0; k < 9; k++) assert_true(fabs(c[k] - expected[k]) < 1e-14);
}

static void test_function(void **state) {
  double c[MBS_CHEBYSHEV_MAX + 1], d[MBS_CHEBYSHEV_MAX];
  const int n = MBS_CHEBYSHEV_MAX;
  (void)state;
  fit(exp, n, c);
  mbs_chebyshev_derivative(n, c, d);
  for (double x = -1; x <= 1; x += 0.01) {
    assert_true(fabs(mbs_chebyshev_value(n, c, x) - exp(x)) < 1e-14);
    assert_true(fabs(mbs_chebyshev_value(n - 1, d, x) - exp(x)) < 1e-12);
  }
  assert_true(fabs(mbs_chebyshev_integral(n, c) - (exp(1) - exp(-1))) < 1e-14);
  assert_true(fabs(mbs_chebyshev_square_integral(n, c) - (exp(2) - exp(-2)) / 2) < 1e-13);
}

/* Checks every weight in both ways of forming the sums. */
static void test_weights(void **state) {
  (void)state;
  for (int n = 8; n <= MBS_CHEBYSHEV_MAX; n += 8)
    for (int j = 0; j <= n; j++) {
      double values[MBS_CHEBYSHEV_MAX + 1] = {0}, c[MBS_CHEBYSHEV_MAX + 1];
      values[n - j] = j == 0 || j == n ? 2 : 1;
      mbs_chebyshev_fit(n, values, c);
      for (int k = 0; k <= n; k++)
        assert_true(fabs(c[k] * n / (k == 0 || k == n ? 1 : 2) - cos(j * k * 3.14159265358979323846 / n)) < 1e-14);
    }
}

static double wave(double x) { return sin(5 * x + 0.3); }

static void test_roots(void **state) {
  double c[MBS_CHEBYSHEV_MAX + 1], roots[MBS_CHEBYSHEV_MAX];
  (void)state;
  fit(wave, MBS_CHEBYSHEV_MAX, c);
  int count = mbs_chebyshev_roots(MBS_CHEBYSHEV_MAX, c, MBS_CHEBYSHEV_MAX, roots);
  assert_int_equal(count, 3);
  for (int k = 0; k < 3; k++) {
    double expected = ((k - 1) * 3.14159265358979323846 - 0.3) / 5;
    assert_true(fabs(roots[k] - expected) < 1e-6 && fabs(mbs_chebyshev_value(MBS_CHEBYSHEV_MAX, c, roots[k])) < 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_coefficients), cmocka_unit_test(test_function),
                                     cmocka_unit_test(test_weights), cmocka_unit_test(test_roots)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
