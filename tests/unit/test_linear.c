/* test_linear.c - the sparse kernels against LAPACK, and their results for singular matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/band.h"
#include "linalg/lapack.h"
#include "linalg/lcp.h"
#include "linalg/sparse.h"

enum { N = 9 };

static double uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* A symmetric positive definite matrix whose row i begins at column first[i], dense and in skyline form. */
static void make_skyline(const int first[N], uint64_t *seed, mbs_skyline *skyline, int row0[N], int position[N],
                         double dense[N * N], double *S) {
  int size = 0;
  memset(dense, 0, N * N * sizeof *dense);
  for (int i = 0; i < N; i++) {
    row0[i] = size;
    position[i] = i;
    for (int j = first[i]; j <= i; j++) {
      double value = i == j ? 6 + uniform(seed) : uniform(seed);
      dense[i * N + j] = dense[j * N + i] = value;
      S[size++] = value;
    }
  }
  *skyline = (mbs_skyline){.position = position, .first = (int *)first, .row0 = row0, .size = (size_t)size};
}

/* A band matrix with a small diagonal, so that rows are exchanged, against the dense solution; a column of zeros. */
static void test_band(void **unused) {
  (void)unused;
  uint64_t seed = 3;
  double *work = calloc(mbs_lapack_workspace(N, N), sizeof *work);
  for (size_t width = 0; width < N; width++) {
    double dense[N * N] = {0}, A[N * (3 * N + 1)] = {0}, b[N], x[N];
    int pivots[N];
    for (size_t j = 0; j < N; j++) {
      b[j] = x[j] = uniform(&seed);
      for (size_t i = j > width ? j - width : 0; i < N && i <= j + width; i++)
        dense[j * N + i] = A[mbs_band_at(width, i, j)] = (i == j && width ? 1e-3 : 1) * uniform(&seed);
    }
    assert_true(mbs_band_factor(N, width, A, pivots));
    mbs_band_solve(N, width, A, pivots, x);
    assert_true(mbs_linear_solve(N, dense, b, work));
    for (size_t i = 0; i < N; i++) assert_true(fabs(x[i] - b[i]) < 1e-10 * (1 + fabs(b[i])));
    memset(A, 0, sizeof A);
    assert_false(mbs_band_factor(N, width, A, pivots));
  }
  free(work);
}

static void test_skyline(void **unused) {
  (void)unused;
  static const int first[N] = {0, 0, 1, 0, 4, 3, 4, 7, 2};
  uint64_t seed = 1;
  int row0[N], position[N];
  double dense[N * N], S[N * N], scale[N], pivot[N], b[N], x[N];
  double *work = calloc(mbs_lapack_workspace(N, N), sizeof *work);
  mbs_skyline skyline;
  make_skyline(first, &seed, &skyline, row0, position, dense, S);
  for (int i = 0; i < N; i++) {
    b[i] = x[i] = uniform(&seed);
    scale[i] = dense[i * N + i];
  }
  assert_true(mbs_skyline_factor(&skyline, N, S, scale, pivot) > 0.1);
  mbs_skyline_solve(&skyline, N, S, pivot, x);
  assert_true(mbs_linear_solve(N, dense, b, work));
  for (int i = 0; i < N; i++) assert_true(fabs(x[i] - b[i]) < 1e-14);
  free(work);
}

/* A zero pivot in the middle gives NaN in later rows that depend on it and leaves the last ones valid. The result is
 * still that of the worst pivot. */
static void test_singular_skyline(void **unused) {
  (void)unused;
  int first[] = {0, 0, 0, 3}, row0[] = {0, 1, 3, 6}, position[] = {0, 1, 2, 3};
  double S[] = {1, 1, 1, 1, 1, 1, 2}, pivot[4];
  const double scale[] = {1, 1, 1, 2};
  const mbs_skyline skyline = {.position = position, .first = first, .row0 = row0, .size = 7};
  assert_true(mbs_skyline_factor(&skyline, 4, S, scale, pivot) == 0);
}

/* M = L' D L along a tree of velocities. */
static void test_tree(void **unused) {
  (void)unused;
  static const int parent[N] = {-1, 0, 1, 1, 3, -1, 5, 5, 7};
  uint64_t seed = 2;
  int depth[N], row0[N], ancestors[N * N], size = 0;
  double dense[N * N] = {0}, M[N * N], inverse[N], b[N], x[N];
  double *work = calloc(mbs_lapack_workspace(N, N), sizeof *work);
  for (int k = 0; k < N; k++) {
    row0[k] = size;
    depth[k] = parent[k] < 0 ? 0 : depth[parent[k]] + 1;
    for (int a = depth[k], j = k; a >= 0; a--, j = j < 0 ? j : parent[j]) ancestors[size + a] = j;
    for (int a = 0; a <= depth[k]; a++) {
      int j = ancestors[size + a];
      M[size + a] = j == k ? 6 + uniform(&seed) : uniform(&seed);
      dense[j * N + k] = dense[k * N + j] = M[size + a];
    }
    size += depth[k] + 1;
  }
  const mbs_tree_pattern pattern = {
      .parent = (int *)parent, .depth = depth, .row0 = row0, .ancestors = ancestors, .size = (size_t)size};
  for (int i = 0; i < N; i++) b[i] = x[i] = uniform(&seed);
  assert_int_equal(mbs_tree_factor(&pattern, N, M, inverse, 1e-13), -1);
  mbs_tree_solve_up(&pattern, N, M, x);
  for (int i = 0; i < N; i++) x[i] *= inverse[i];
  mbs_tree_solve_down(&pattern, N, M, x);
  assert_true(mbs_linear_solve(N, dense, b, work));
  for (int i = 0; i < N; i++) assert_true(fabs(x[i] - b[i]) < 1e-14);
  free(work);
}

static void test_singular_tree(void **unused) {
  (void)unused;
  int parent[] = {-1, 0}, depth[] = {0, 1}, row0[] = {0, 1}, ancestors[] = {0, 0, 1};
  double M[] = {2, 2, 2}, inverse[2];
  const mbs_tree_pattern pattern = {.parent = parent, .depth = depth, .row0 = row0, .ancestors = ancestors, .size = 3};
  assert_int_equal(mbs_tree_factor(&pattern, 2, M, inverse, 1e-13), 0);
}

static void test_least_squares(void **unused) {
  (void)unused;
  /* x + y = 2 twice: the solution of least norm. */
  double A[] = {1, 1, 1, 1}, b[] = {2, 2}, x[2], *work = calloc(mbs_lapack_workspace(2, 2), sizeof *work);
  assert_int_equal(mbs_least_squares(2, 2, A, b, 1e-9, x, work), 1);
  assert_true(fabs(x[0] - 1) < 1e-14 && fabs(x[1] - 1) < 1e-14);
  double B[] = {3, 0, 0, 4}, values[2];
  assert_true(mbs_singular_values(2, 2, B, values, NULL, work));
  assert_true(fabs(values[0] - 4) < 1e-14 && fabs(values[1] - 3) < 1e-14);
  free(work);
}

/* Checks that x and w are complementary between bounds. */
static void assert_complementary(size_t n, const double *x, const double *w, double tolerance) {
  for (size_t i = 0; i < n; i++) {
    assert_true(x[i] >= 0 && x[i] <= 1);
    assert_true(x[i] == 1 || w[i] < tolerance);
    assert_true(x[i] == 0 || w[i] > -tolerance);
  }
}

static void test_box(void **unused) {
  (void)unused;
  uint64_t seed = 7;
  int inside = 0, outside = 0;
  for (int run = 0; run < 200; run++) {
    double R[N * N], G[N * N], b[N], x[N], w[N];
    for (int i = 0; i < N * N; i++) R[i] = uniform(&seed);
    /* The matrix is -R R' with scaled columns; every second one has rank 5 only. */
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        G[i * N + j] = i == j && run % 2 == 0 ? -0.1 : 0;
        for (int k = 0; k < (run % 2 ? 5 : N); k++) G[i * N + j] -= R[i * N + k] * R[j * N + k] * (1 + 0.1 * j);
      }
    for (int i = 0; i < N; i++) {
      x[i] = 0.5;
      b[i] = 0;
      for (int j = 0; j < N; j++) b[i] -= G[i * N + j] * (0.5 + 0.8 * uniform(&seed));
    }
    mbs_lcp_solve(N, G, b, x, w);
    assert_complementary(N, x, w, 1e-9);
    for (int i = 0; i < N; i++) *(x[i] > 0 && x[i] < 1 ? &inside : &outside) += 1;
  }
  assert_true(inside > 100 && outside > 100);
  const double G = 2, b = -0.5; /* a diagonal entry that drives away from zero */
  double x = 0.5, w;
  mbs_lcp_solve(1, &G, &b, &x, &w);
  assert_true(x == 1 && w == 1.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_band), cmocka_unit_test(test_skyline),       cmocka_unit_test(test_singular_skyline),
      cmocka_unit_test(test_tree), cmocka_unit_test(test_singular_tree), cmocka_unit_test(test_least_squares),
      cmocka_unit_test(test_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
