/* test_dense.c - our own dense algebra (solver/core/linalg/dense) against LAPACK and against its specification: random
 * matrices, some rank-deficient, graded, tiny, huge or of size zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/dense.h"

enum { MOST = 24, TRIALS = 300 };
static const double rcond = 1e-9;

static uint64_t seed;

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-52 - 1;
}

static size_t below(size_t count) { return (size_t)((uniform() + 1) / 2 * (double)count) % count; }

/* Allocates exactly the workspace that an implementation requests, so that the sanitizer detects overruns. */
static double *work_of(const dense_functions *functions, size_t m, size_t n) {
  return calloc(functions->workspace(m, n), sizeof(double));
}

static double *copy_of(const double *A, size_t count) {
  double *copy = malloc((count + 1) * sizeof *copy);
  memcpy(copy, A, count * sizeof *A);
  return copy;
}

static double largest(const double *x, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void expect_near(const double *x, const double *y, size_t n, double tolerance) {
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i] - y[i]) <= tolerance)) fail_msg("entry %zu: %.17g, not %.17g +- %g", i, x[i], y[i], tolerance);
}

/* Makes an A [m x n] of rank `rank`, with columns graded by 2^-grade from each to the next, all multiplied by
 * `scale`. */
static void make_matrix(size_t m, size_t n, size_t rank, int grade, double scale, double *A) {
  double left[MOST * MOST], right[MOST * MOST];
  for (size_t i = 0; i < MOST * MOST; i++) {
    left[i] = uniform();
    right[i] = uniform();
  }
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < m; i++) {
      double sum = rank == m || rank == n ? uniform() : 0;
      for (size_t k = 0; k < rank && rank < m && rank < n; k++) sum += left[i * MOST + k] * right[j * MOST + k];
      A[j * m + i] = scale * ldexp(sum, -grade * (int)j);
    }
  }
}

static const double scales[] = {1, 1e-160, 1e120};

/* Chooses size, rank, grading and scale of a trial; few matrices are square and of full rank. */
static void choose(size_t *m, size_t *n, size_t *rank, double *A) {
  *m = below(MOST + 1);
  *n = below(MOST + 1);
  size_t k = *m < *n ? *m : *n;
  *rank = below(2) ? k : below(k + 1);
  make_matrix(*m, *n, *rank, below(4) == 0 ? 1 : 0, scales[below(3)], A);
}

/* ---- factorizations of square matrices ------------------------------------------------------------------------- */

static void test_lu(void **unused) {
  (void)unused;
  for (int trial = 0; trial < TRIALS; trial++) {
    size_t n = below(MOST + 1);
    double A[MOST * MOST] = {0}, B[MOST * 2], C[MOST * 2], D[MOST * MOST];
    int own_pivots[MOST], pivots[MOST];
    make_matrix(n, n, n, trial % 2, 1, A);
    for (size_t i = 0; i < 2 * n; i++) B[i] = C[i] = uniform();
    memcpy(D, A, sizeof D);
    double own = own_dense.lu_factor(n, A, own_pivots), other = lapack_dense.lu_factor(n, D, pivots);
    assert_true(fabs(own - other) <= 1e-10 * other);
    assert_memory_equal(own_pivots, pivots, n * sizeof *pivots);
    own_dense.lu_solve(n, 2, A, own_pivots, B);
    lapack_dense.lu_solve(n, 2, D, pivots, C);
    expect_near(B, C, 2 * n, 1e-13 * largest(C, 2 * n) / (other > 0 ? other : 1));
  }
}

static void test_singular_lu(void **unused) {
  (void)unused;
  double A[] = {1, 2, 3, 2, 4, 6, 0, 0, 1}, b[] = {1, 2, 3}, *work = work_of(&own_dense, 3, 3);
  double empty[9] = {0}, broken[] = {1, NAN, 2, 1};
  int pivots[3];
  assert_false(own_dense.linear_solve(3, A, b, work));
  assert_true(own_dense.lu_factor(3, empty, pivots) == 0);
  assert_true(own_dense.lu_factor(2, broken, pivots) == 0);
  assert_true(own_dense.lu_factor(0, NULL, NULL) == 1);
  assert_true(own_dense.linear_solve(0, NULL, NULL, work));
  free(work);
}

/* Compares with elimination in the full matrix. */
static void test_tridiagonal(void **unused) {
  (void)unused;
  for (int trial = 0; trial < TRIALS; trial++) {
    size_t n = 1 + below(MOST - 1);
    double band[3][MOST], A[MOST * MOST] = {0}, B[2 * MOST], C[2 * MOST];
    int pivots[MOST];
    for (size_t i = 0; i < MOST; i++) {
      for (int k = 0; k < 3; k++) band[k][i] = k == 1 && below(3) == 0 ? 0 : uniform();
      B[2 * i] = C[2 * i] = uniform();
      B[2 * i + 1] = C[2 * i + 1] = uniform();
    }
    for (size_t i = 0; i < n; i++) {
      A[i * n + i] = band[1][i];
      if (i + 1 < n) A[i * n + i + 1] = band[0][i];
      if (i + 1 < n) A[(i + 1) * n + i] = band[2][i];
    }
    bool regular = lapack_dense.lu_factor(n, A, pivots) > 0;
    assert_int_equal(own_dense.tridiagonal_solve(n, band[0], band[1], band[2], 2, B), regular);
    if (!regular) continue;
    lapack_dense.lu_solve(n, 2, A, pivots, C);
    expect_near(B, C, 2 * n, 1e-9 * largest(C, 2 * n));
  }
}

/* ---- ranks and least squares ----------------------------------------------------------------------------------- */

static void test_pivoted_columns(void **unused) {
  (void)unused;
  for (int trial = 0; trial < TRIALS; trial++) {
    size_t m, n, rank;
    double A[MOST * MOST];
    choose(&m, &n, &rank, A);
    double *B = copy_of(A, m * n), *own_work = work_of(&own_dense, m, n), *work = work_of(&lapack_dense, m, n);
    int own[MOST], other[MOST];
    assert_int_equal(own_dense.pivoted_columns(m, n, A, rcond, own, own_work), rank);
    assert_int_equal(lapack_dense.pivoted_columns(m, n, B, rcond, other, work), rank);
    assert_memory_equal(own, other, rank * sizeof *own);
    bool seen[MOST] = {false};
    for (size_t j = 0; j < n; j++) seen[own[j]] = true;
    for (size_t j = 0; j < n; j++) assert_true(seen[j]);
    for (size_t k = 0; k < rank; k++) assert_true(fabs(fabs(A[k * m + k]) - fabs(B[k * m + k])) <= 1e-11 * fabs(B[0]));
    free(B);
    free(own_work);
    free(work);
  }
}

static void test_least_squares(void **unused) {
  (void)unused;
  for (int trial = 0; trial < TRIALS; trial++) {
    size_t m, n, rank;
    double A[MOST * MOST], b[MOST], own[MOST], other[MOST], values[MOST];
    choose(&m, &n, &rank, A);
    double *B = copy_of(A, m * n), *C = copy_of(A, m * n);
    double *own_work = work_of(&own_dense, m, n), *work = work_of(&lapack_dense, m, n);
    for (size_t i = 0; i < m; i++) b[i] = uniform();
    assert_int_equal(own_dense.least_squares(m, n, A, b, rcond, own, own_work), rank);
    assert_int_equal(lapack_dense.least_squares(m, n, B, b, rcond, other, work), rank);
    assert_true(lapack_dense.singular_values(m, n, C, values, NULL, work));
    double condition = rank ? values[0] / values[rank - 1] : 1;
    expect_near(own, other, n, 1e-13 * condition * condition * largest(other, n));
    free(B);
    free(C);
    free(own_work);
    free(work);
  }
}

static void test_least_squares_of_nothing(void **unused) {
  (void)unused;
  double A[6] = {0}, b[] = {1, 2, 3}, x[] = {5, 5}, broken[] = {1, NAN, 2, 3}, *work = work_of(&own_dense, 3, 3);
  assert_int_equal(own_dense.least_squares(3, 2, A, b, rcond, x, work), 0);
  assert_true(x[0] == 0 && x[1] == 0);
  x[0] = x[1] = 5;
  assert_int_equal(own_dense.least_squares(0, 2, A, b, rcond, x, work), 0);
  assert_true(x[0] == 0 && x[1] == 0);
  assert_int_equal(own_dense.least_squares(2, 2, broken, b, rcond, x, work), -1);
  free(work);
}

/* ---- singular values and eigenvalues --------------------------------------------------------------------------- */

/* Checks that rows of Vt are orthonormal, and that the norm of A v_i is singular value i, or 0. */
static void expect_right_vectors(size_t m, size_t n, const double *A, const double *values, const double *Vt) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) {
      double product = 0;
      for (size_t j = 0; j < n; j++) product += Vt[j * n + i] * Vt[j * n + k];
      assert_true(fabs(product - (i == k)) < 1e-13);
    }
    double image[MOST], length = 0, size = largest(A, m * n);
    for (size_t row = 0; row < m && size > 0; row++) {
      image[row] = 0;
      for (size_t j = 0; j < n; j++) image[row] += A[j * m + row] / size * Vt[j * n + i];
      length = hypot(length, image[row]);
    }
    double value = i < m && size > 0 ? values[i] / size : 0;
    assert_true(fabs(length - value) <= 1e-13 * MOST);
  }
}

static void test_singular_values(void **unused) {
  (void)unused;
  for (int trial = 0; trial < TRIALS; trial++) {
    size_t m, n, rank;
    double A[MOST * MOST], own[MOST], other[MOST], Vt[MOST * MOST];
    choose(&m, &n, &rank, A);
    double *B = copy_of(A, m * n), *C = copy_of(A, m * n), *D = copy_of(A, m * n);
    double *own_work = work_of(&own_dense, m, n), *work = work_of(&lapack_dense, m, n);
    size_t k = m < n ? m : n;
    assert_true(own_dense.singular_values(m, n, A, own, Vt, own_work));
    assert_true(lapack_dense.singular_values(m, n, B, other, NULL, work));
    expect_near(own, other, k, k ? 1e-13 * other[0] : 0);
    expect_right_vectors(m, n, D, own, Vt);
    assert_true(own_dense.singular_values(m, n, C, other, NULL, own_work));
    assert_memory_equal(own, other, k * sizeof *own);
    free(B);
    free(C);
    free(D);
    free(own_work);
    free(work);
  }
}

static void test_symmetric(void **unused) {
  (void)unused;
  for (int trial = 0; trial < TRIALS; trial++) {
    size_t n = below(MOST + 1);
    double A[MOST * MOST], S[MOST * MOST], own[MOST], other[MOST];
    make_matrix(n, n, trial % 3 ? n : n / 2, trial % 4 == 0, scales[trial % 3], A);
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < n; i++) S[j * n + i] = i <= j ? A[j * n + i] : A[i * n + j];
    for (size_t j = 0; j < n; j++)
      for (size_t i = j + 1; i < n; i++) A[j * n + i] = NAN; /* must not be read */
    double *B = copy_of(S, n * n), *own_work = work_of(&own_dense, n, n), *work = work_of(&lapack_dense, n, n);
    double size = largest(S, n * n);
    assert_true(own_dense.symmetric_eigen(n, A, own, own_work));
    assert_true(lapack_dense.symmetric_eigen(n, B, other, work));
    expect_near(own, other, n, 1e-13 * size);
    for (size_t k = 0; k < n; k++) {
      for (size_t i = 0; i < n; i++) {
        double image = 0, product = 0;
        for (size_t j = 0; j < n; j++) image += S[j * n + i] * A[k * n + j];
        for (size_t j = 0; j < n; j++) product += A[k * n + j] * A[i * n + j];
        assert_true(fabs(image - own[k] * A[k * n + i]) <= 1e-13 * size);
        assert_true(fabs(product - (i == k)) < 1e-13);
      }
    }
    free(B);
    free(own_work);
    free(work);
  }
}

/* Checks A v = lambda v with v of unit length, in dgeev's packing. */
static void expect_eigenvectors(size_t n, const double *A, const double *real, const double *imaginary,
                                const double *V) {
  for (size_t k = 0; k < n; k++) {
    bool pair = imaginary[k] != 0;
    const double *x = V + k * n, *y = pair ? x + n : NULL;
    double length = 0, size = largest(A, n * n);
    for (size_t i = 0; i < n; i++) {
      double re = 0, im = 0;
      for (size_t j = 0; j < n; j++) {
        re += A[j * n + i] * x[j];
        im += y ? A[j * n + i] * y[j] : 0;
      }
      re -= real[k] * x[i] - (y ? imaginary[k] * y[i] : 0);
      im -= y ? imaginary[k] * x[i] + real[k] * y[i] : 0;
      assert_true(hypot(re, im) <= 1e-12 * (double)n * size);
      length = hypot(length, hypot(x[i], y ? y[i] : 0));
    }
    assert_true(fabs(length - 1) < 1e-13);
    if (!pair) continue;
    assert_true(imaginary[k] > 0 && imaginary[k + 1] == -imaginary[k] && real[k + 1] == real[k]);
    k++;
  }
}

/* Checks that each of the first values has its own near value among the others. */
static void expect_same_values(size_t n, double *values[2], double *others[2], double tolerance) {
  bool taken[MOST] = {false};
  for (size_t k = 0; k < n; k++) {
    size_t nearest = n;
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
      double distance = hypot(values[0][k] - others[0][i], values[1][k] - others[1][i]);
      if (taken[i] || distance >= least) continue;
      least = distance;
      nearest = i;
    }
    if (!(least <= tolerance)) fail_msg("%g + %gi: nothing nearer than %g", values[0][k], values[1][k], least);
    taken[nearest] = true;
  }
}

static void expect_general(size_t n, const double *A, double tolerance) {
  double real[MOST], imaginary[MOST], other_real[MOST], other_imaginary[MOST], V[MOST * MOST], W[MOST * MOST];
  double *B = copy_of(A, n * n), *C = copy_of(A, n * n);
  double *own_work = work_of(&own_dense, n, n), *work = work_of(&lapack_dense, n, n);
  assert_true(own_dense.general_eigen(n, B, real, imaginary, V, own_work));
  assert_true(lapack_dense.general_eigen(n, C, other_real, other_imaginary, W, work));
  expect_same_values(n, (double *[]){real, imaginary}, (double *[]){other_real, other_imaginary},
                     tolerance * largest(A, n * n));
  expect_eigenvectors(n, A, real, imaginary, V);
  free(B);
  free(C);
  free(own_work);
  free(work);
}

static void test_general(void **unused) {
  (void)unused;
  for (int trial = 0; trial < TRIALS; trial++) {
    size_t n = below(MOST + 1);
    double A[MOST * MOST];
    make_matrix(n, n, n, 0, scales[trial % 3], A);
    for (size_t i = 0; i < n * n; i++)
      if (trial % 4 == 1)
        A[i] = i / n < i % n ? -A[i % n * n + i / n] : A[i]; /* skew-symmetric except for the
                                                                                * diagonal */
    expect_general(n, A, 1e-9);
  }
}

/* x'' = -K x - D x' as a first-order matrix, with stiffnesses of very different size. */
static void test_states(void **unused) {
  (void)unused;
  for (int trial = 0; trial < TRIALS; trial++) {
    size_t f = 1 + below(MOST / 2), n = 2 * f;
    double A[MOST * MOST] = {0};
    for (size_t i = 0; i < f; i++) {
      A[(f + i) * n + i] = 1;
      for (size_t j = 0; j < f; j++) {
        A[j * n + f + i] = (i == j ? -5 : uniform()) * ldexp(1, (int)i);
        A[(f + j) * n + f + i] = trial % 2 ? 0.1 * uniform() : 0;
      }
    }
    expect_general(n, A, 1e-11);
  }
}

/* Matrices on which unshifted or badly shifted steps cycle, or that are already triangular. */
static void test_special(void **unused) {
  (void)unused;
  for (size_t n = 1; n < 12; n++) {
    double cycle[MOST * MOST] = {0}, upper[MOST * MOST] = {0}, lower[MOST * MOST] = {0}, none[MOST * MOST] = {0};
    for (size_t j = 0; j < n; j++) {
      cycle[j * n + (j + 1) % n] = 1;
      for (size_t i = 0; i <= j; i++) upper[j * n + i] = lower[i * n + j] = i == j ? (double)i + 1 : uniform();
    }
    expect_general(n, cycle, 1e-13);
    expect_general(n, upper, 1e-9);
    expect_general(n, lower, 1e-9);
    expect_general(n, none, 0);
  }
}

static void test_not_finite(void **unused) {
  (void)unused;
  double A[] = {1, NAN, 2, INFINITY}, B[] = {1, NAN, NAN, 2}, C[] = {1, 2, NAN, 1}, real[2], imaginary[2], V[4];
  double *work = work_of(&own_dense, 2, 2);
  assert_false(own_dense.singular_values(2, 2, A, real, V, work));
  assert_false(own_dense.symmetric_eigen(2, B, real, work));
  assert_false(own_dense.general_eigen(2, C, real, imaginary, V, work));
  free(work);
}

static int begin(void **unused) {
  (void)unused;
  seed = 17;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_lu, begin),
      cmocka_unit_test(test_singular_lu),
      cmocka_unit_test_setup(test_tridiagonal, begin),
      cmocka_unit_test_setup(test_pivoted_columns, begin),
      cmocka_unit_test_setup(test_least_squares, begin),
      cmocka_unit_test(test_least_squares_of_nothing),
      cmocka_unit_test_setup(test_singular_values, begin),
      cmocka_unit_test_setup(test_symmetric, begin),
      cmocka_unit_test_setup(test_general, begin),
      cmocka_unit_test_setup(test_states, begin),
      cmocka_unit_test_setup(test_special, begin),
      cmocka_unit_test(test_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
