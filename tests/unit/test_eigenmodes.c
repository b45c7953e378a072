/* test_eigenmodes.c - eigenvalues of pencils in which some are smaller than others by many powers of ten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "simulate/eigenmodes.h"

enum { N = 4 };

/* M = S S', K = S diag(kappa) S' with integers, so that everything is exact: s = +- i sqrt(kappa). */
static void make_pencil(const double *kappa, double *M, double *K) {
  static const double S[N][N] = {{1, 0, 0, 0}, {2, 1, 0, 0}, {-1, 3, 1, 0}, {1, -2, 2, 1}};
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++) {
      M[j * N + i] = K[j * N + i] = 0;
      for (size_t k = 0; k < N; k++) {
        M[j * N + i] += S[i][k] * S[j][k];
        K[j * N + i] += S[i][k] * kappa[k] * S[j][k];
      }
    }
}

static mbs_eigenmodes find(mbs_arena *arena, const double *M, const double *C, const double *K) {
  static const double none[N * N] = {0}, units[N] = {1, 1, 1, 1};
  const mbs_pencil pencil = {N, M, C, K, none, none};
  mbs_eigenmodes out;
  assert_int_equal(mbs_eigenmodes_find(&pencil, units, 0, arena, &out), MBS_OK);
  return out;
}

/* Low frequencies next to high ones have full accuracy, and so have their shapes. */
static void test_slow_next_to_fast(void **unused) {
  (void)unused;
  static const double kappa[N] = {0x1p0, 0x1p13, 0x1p26, 0x1p39}, none[N * N] = {0};
  double M[N * N], K[N * N];
  mbs_arena *arena = mbs_arena_new(0);
  make_pencil(kappa, M, K);
  const mbs_eigenmodes found = find(arena, M, none, K);
  assert_int_equal(found.modes, N);
  for (size_t k = 0; k < N; k++) {
    const double *s = found.values + 2 * k, *x = found.shapes + 2 * N * k, wanted = sqrt(kappa[k]);
    if (!(hypot(s[0], s[1] - wanted) <= 1e-13 * wanted)) fail_msg("%.17g, not %.17g", s[1], wanted);
    double scale[N], largest = 0; /* scale of each coordinate, in which stiff and soft coordinates compare */
    for (size_t i = 0; i < N; i++) {
      scale[i] = sqrt(kappa[k] * M[i * N + i] + K[i * N + i]);
      largest = fmax(largest, fabs(x[2 * i]) * scale[i]);
    }
    for (size_t i = 0; i < N; i++) {
      double sum = 0;
      for (size_t j = 0; j < N; j++) sum += (K[j * N + i] - kappa[k] * M[j * N + i]) * x[2 * j];
      if (!(fabs(sum) / scale[i] <= 1e-12 * largest))
        fail_msg("shape %zu: %.2g of %.2g", k, fabs(sum) / scale[i], largest);
    }
  }
  mbs_arena_free(arena);
}

/* Damping C = a M + b K gives s^2 + (a + b kappa) s + kappa = 0 for each, with real or complex roots. */
static void test_damped(void **unused) {
  (void)unused;
  static const double kappa[N] = {0x1p0, 0x1p10, 0x1p20, 0x1p36}, a = 0x1p-2, b = 0x1p-10;
  double M[N * N], C[N * N], K[N * N];
  mbs_arena *arena = mbs_arena_new(0);
  make_pencil(kappa, M, K);
  for (size_t i = 0; i < N * N; i++) C[i] = a * M[i] + b * K[i];
  const mbs_eigenmodes found = find(arena, M, C, K);
  for (size_t k = 0; k < N; k++) {
    const double half = 0.5 * (a + b * kappa[k]), square = half * half - kappa[k];
    const double slow = square > 0 ? -kappa[k] / (half + sqrt(square)) : -half;
    const double wanted[2] = {slow, square > 0 ? 0 : sqrt(-square)}, size = hypot(wanted[0], wanted[1]);
    double nearest = INFINITY;
    for (size_t j = 0; j < found.modes; j++)
      nearest = fmin(nearest, hypot(found.values[2 * j] - wanted[0], found.values[2 * j + 1] - wanted[1]));
    if (!(nearest <= 1e-13 * size)) fail_msg("%.17g %.17g is missed by %.3g", wanted[0], wanted[1], nearest);
  }
  mbs_arena_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slow_next_to_fast),
      cmocka_unit_test(test_damped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
