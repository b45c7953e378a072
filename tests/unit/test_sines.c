/* Sines and cosines of many angles equal those of one angle bit for bit. The latter differ from sin() and cos() by at
 * most one unit in the last place for all angles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sines.h"
#include "models.h"

enum { COUNT = 4096, ROUNDS = 300 };

static const double pi = 3.14159265358979323846;

static void expect_same(double is, double should, const char *what, double angle) {
  if (isnan(is) && isnan(should)) return;
  if (memcmp(&is, &should, sizeof is) != 0) fail_msg("%s(%.17g) = %.17g, not %.17g", what, angle, is, should);
}

static void expect_near(double is, double should, const char *what, double angle) {
  if (isnan(is) && isnan(should)) return;
  if (is != should && nextafter(is, should) != should)
    fail_msg("%s(%.17g) = %.17g, not within one unit of %.17g", what, angle, is, should);
}

static void expect_sines(size_t count, const double *angles) {
  static double sines[COUNT], cosines[COUNT];
  mbs_sines(count, angles, sines, cosines);
  for (size_t i = 0; i < count; i++) {
    double sine, cosine;
    mbs_sine_and_cosine(angles[i], &sine, &cosine);
    expect_same(sines[i], sine, "sin", angles[i]);
    expect_same(cosines[i], cosine, "cos", angles[i]);
    expect_near(sine, sin(angles[i]), "sin", angles[i]);
    expect_near(cosine, cos(angles[i]), "cos", angles[i]);
  }
}

/* Random angles of all sizes, also close to multiples of pi/4. */
static void test_random(void **state) {
  static const double sizes[] = {3, 20, 100, 2e4, 3e5, 1e-3, 1e-7, 1e-12};
  static double angles[COUNT];
  uint64_t random = 5;
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < COUNT; i++) {
      const double u = models_uniform(&random), v = models_uniform(&random);
      angles[i] = sizes[round % 8] * u;
      if (round % 3 == 2) angles[i] = floor(40 * v) * (pi / 4) * (1 + u * exp2(-floor(25 * (v + 1))));
    }
    expect_sines(COUNT, angles);
  }
}

static void test_special(void **state) {
  static const double angles[] = {0,        -0.0, INFINITY, -INFINITY,  NAN,      1e300,      -1e-310,
                                  DBL_MIN,  pi,   -pi / 2,  pi / 4,     -pi / 4,  3 * pi / 4, 1e5,
                                  -99999.5, 1e-7, 0.78,     0.78539816, 0.785390, -0.7853901, 2.5};
  const size_t count = sizeof angles / sizeof *angles;
  double some[MBS_SINES_ROOM(sizeof angles / sizeof *angles)];
  (void)state;
  for (size_t n = 1; n <= count; n++) {
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) some[i] = i < n ? angles[i] : 1;
    expect_sines(n, some);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_special)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
