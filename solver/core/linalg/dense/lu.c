/* lu.c - Gaussian elimination with row pivoting: P A = L U. Source: Golub & Van Loan, 4th ed., 3.4. */
#include "linalg/dense_small.h"
#include "linalg/lapack.h"

#include <assert.h>
#include <math.h>

/* Returns the row of the largest entry of a column [n], from row k on. */
static size_t largest_row(size_t n, const double *column, size_t k) {
  size_t best = k;
  for (size_t i = k + 1; i < n; i++)
    if (fabs(column[i]) > fabs(column[best])) best = i;
  return best;
}

static void exchange(double *a, double *b) {
  double kept = *a;
  *a = *b;
  *b = kept;
}

/* Algorithm 3.4.1; rows are counted from 1 in pivots[n], as LAPACK does. */
static void factor(size_t n, double *A, int *pivots) {
  for (size_t k = 0; k < n; k++) {
    double *column = A + k * n;
    size_t row = largest_row(n, column, k);
    pivots[k] = (int)row + 1;
    assert(row >= k && row < n);
    if (column[row] == 0) continue;
    for (size_t j = 0; row != k && j < n; j++) exchange(&A[j * n + k], &A[j * n + row]);
    for (size_t i = k + 1; i < n; i++) column[i] /= column[k];
    /* A_ij -= l_ik u_kj */
    for (size_t j = k + 1; j < n; j++) {
      double *right = A + j * n;
      for (size_t i = k + 1; i < n; i++) right[i] -= column[i] * right[k];
    }
  }
}

double mbs_dense_lu_factor(size_t n, double *A, int *pivots) {
  factor(n, A, pivots);
  return mbs_pivot_ratio(n, A);
}

void mbs_dense_lu_solve(size_t n, size_t count, const double *factors, const int *pivots, double *B) {
  for (double *b = B; b < B + n * count; b += n) {
    for (size_t k = 0; k < n; k++) exchange(&b[k], &b[pivots[k] - 1]);
    /* L y = P b, then U x = y */
    for (size_t k = 0; k < n; k++)
      for (size_t i = k + 1; i < n; i++) b[i] -= factors[k * n + i] * b[k];
    for (size_t k = n; k-- > 0;) {
      b[k] /= factors[k * n + k];
      for (size_t i = 0; i < k; i++) b[i] -= factors[k * n + i] * b[k];
    }
  }
}

bool mbs_dense_linear_solve(size_t n, double *A, double *b, double *workspace) {
  int *pivots = (int *)(void *)workspace;
  factor(n, A, pivots);
  for (size_t k = 0; k < n; k++)
    if (A[k * n + k] == 0) return false;
  mbs_dense_lu_solve(n, 1, A, pivots, b);
  return true;
}

/* Eliminates the entry below the diagonal in column k. A row exchange fills a second superdiagonal, which is stored in
 * `lower`. A zero on the diagonal means that the system is singular. */
static void eliminate(size_t n, size_t k, double *lower, double *diagonal, double *upper, size_t columns,
                      double *right) {
  bool swap = fabs(lower[k]) > fabs(diagonal[k]);
  double fill = 0;
  if (swap) {
    exchange(&diagonal[k], &lower[k]);
    exchange(&upper[k], &diagonal[k + 1]);
    if (k + 2 < n) exchange(&fill, &upper[k + 1]);
  }
  if (diagonal[k] == 0) return;
  double factor = lower[k] / diagonal[k];
  diagonal[k + 1] -= factor * upper[k];
  if (k + 2 < n) upper[k + 1] -= factor * fill;
  for (double *b = right + k; b < right + n * columns; b += n) {
    if (swap) exchange(&b[0], &b[1]);
    b[1] -= factor * b[0];
  }
  lower[k] = fill;
}

bool mbs_dense_tridiagonal_solve(size_t n, double *lower, double *diagonal, double *upper, size_t columns,
                                 double *right) {
  assert(n > 0);
  for (size_t k = 0; k + 1 < n; k++) eliminate(n, k, lower, diagonal, upper, columns, right);
  for (size_t k = 0; k < n; k++)
    if (diagonal[k] == 0) return false;
  for (double *b = right; b < right + n * columns; b += n) {
    for (size_t k = n; k-- > 0;) {
      if (k + 1 < n) b[k] -= upper[k] * b[k + 1];
      if (k + 2 < n) b[k] -= lower[k] * b[k + 2];
      b[k] /= diagonal[k];
    }
  }
  return true;
}
