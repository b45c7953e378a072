/* band.c - Gaussian elimination with row pivoting within a band; U has up to `width` more superdiagonals than A. Bands
 * are narrow, so LAPACK would bring no gain, and the results are identical on every kind of CPU. Source: Golub & Van
 * Loan, 4th ed., 4.3.3. */
#include "linalg/band.h"

#include <assert.h>
#include <math.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void exchange(double *a, double *b) {
  double kept = *a;
  *a = *b;
  *b = kept;
}

bool mbs_band_factor(size_t n, size_t width, double *A, int *pivots) {
  for (size_t k = 0; k < n; k++) {
    const size_t low = least(n - 1, k + width), right = least(n - 1, k + 2 * width);
    double *column = A + mbs_band_at(width, k, k); /* column from the diagonal on */
    size_t row = k;
    for (size_t i = k + 1; i <= low; i++)
      if (fabs(column[i - k]) > fabs(column[row - k])) row = i;
    pivots[k] = (int)row;
    assert(row >= k && row <= low);
    if (!(fabs(column[row - k]) > 0)) return false;
    for (size_t j = k; row != k && j <= right; j++)
      exchange(&A[mbs_band_at(width, k, j)], &A[mbs_band_at(width, row, j)]);
    for (size_t i = k + 1; i <= low; i++) column[i - k] /= column[0];
    /* A_ij -= l_ik u_kj */
    for (size_t j = k + 1; j <= right; j++) {
      double *other = A + mbs_band_at(width, k, j);
      if (other[0] == 0) continue;
      for (size_t i = k + 1; i <= low; i++) other[i - k] -= column[i - k] * other[0];
    }
  }
  return true;
}

void mbs_band_solve(size_t n, size_t width, const double *A, const int *pivots, double *x) {
  /* L y = P x, then U x = y */
  for (size_t k = 0; k < n; k++) {
    const double *column = A + mbs_band_at(width, k, k);
    assert((size_t)pivots[k] >= k && (size_t)pivots[k] < n);
    exchange(&x[k], &x[pivots[k]]);
    for (size_t i = k + 1; i <= least(n - 1, k + width); i++) x[i] -= column[i - k] * x[k];
  }
  for (size_t k = n; k-- > 0;) {
    x[k] /= A[mbs_band_at(width, k, k)];
    for (size_t i = k > 2 * width ? k - 2 * width : 0; i < k; i++) x[i] -= A[mbs_band_at(width, i, k)] * x[k];
  }
}
