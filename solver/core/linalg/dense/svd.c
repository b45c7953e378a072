/* svd.c - singular values by one-sided Jacobi rotations: the columns of A V become orthogonal to each other, and their
 * norms are the singular values. Source: Golub & Van Loan, 4th ed., 8.6.6 (Jacobi SVD procedures). */
#include "base/norms.h"
#include "linalg/dense/householder.h"
#include "linalg/dense/rotation.h"
#include "linalg/dense_small.h"

#include <float.h>
#include <math.h>

enum { SWEEPS_MAX = 60 };

static double product(size_t n, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Makes two columns [m] orthogonal, unless they already are or both are shorter than `noise`. The same rotation is
 * applied to the columns of V [n], if given. */
static bool rotate_pair(size_t m, double *a, double *b, double noise, size_t n, double *va, double *vb) {
  double aa = product(m, a, a), bb = product(m, b, b), ab = product(m, a, b);
  if (fmax(aa, bb) <= noise * noise || fmin(aa, bb) < DBL_MIN / DBL_EPSILON) return false;
  if (fabs(ab) <= sqrt((double)m) * DBL_EPSILON * sqrt(aa) * sqrt(bb)) return false;
  mbs_plane_rotation rotation = mbs_diagonalizing(aa, ab, bb);
  mbs_rotate(m, a, b, 1, rotation);
  if (va) mbs_rotate(n, va, vb, 1, rotation);
  return true;
}

/* Applies rotations until all columns of A are orthogonal. Columns shorter than the rounding errors of the longest are
 * not changed. Returns false if there is no convergence after SWEEPS_MAX sweeps. */
static bool orthogonalize(size_t m, size_t n, double *A, double *V) {
  for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    bool rotated = false;
    double longest = 0;
    for (size_t j = 0; j < n; j++) longest = fmax(longest, mbs_euclidean_norm(m, A + j * m));
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++)
        rotated |=
            rotate_pair(m, A + p * m, A + q * m, DBL_EPSILON * longest, n, V ? V + p * n : NULL, V ? V + q * n : NULL);
    if (!rotated) return true;
  }
  return false;
}

static void exchange(size_t n, double *x, double *y) {
  for (size_t i = 0; i < n; i++) {
    double kept = x[i];
    x[i] = y[i];
    y[i] = kept;
  }
}

/* Sorts the columns of V in descending order of lengths[n]. */
static void sort(size_t n, double *lengths, double *V) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t j = k + 1; j < n; j++)
      if (lengths[j] > lengths[best]) best = j;
    exchange(1, &lengths[k], &lengths[best]);
    if (V && best != k) exchange(n, V + k * n, V + best * n);
  }
}

static void transpose(size_t n, double *V) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) exchange(1, &V[i * n + j], &V[j * n + i]);
}

bool mbs_dense_singular_values(size_t m, size_t n, double *A, double *values, double *Vt, double *workspace) {
  size_t k = m < n ? m : n;
  double largest = mbs_largest(A, m * n), *lengths = workspace;
  int exponent;
  if (!isfinite(largest)) return false;
  /* scale A by a power of 2, so that squares neither overflow nor underflow */
  frexp(largest, &exponent);
  for (size_t i = 0; i < m * n; i++) A[i] = ldexp(A[i], -exponent);
  if (Vt)
    for (size_t i = 0; i < n * n; i++) Vt[i] = i % (n + 1) == 0;
  if (!orthogonalize(m, n, A, Vt)) return false;
  for (size_t j = 0; j < n; j++) lengths[j] = ldexp(mbs_euclidean_norm(m, A + j * m), exponent);
  sort(n, lengths, Vt);
  if (Vt) transpose(n, Vt);
  for (size_t i = 0; i < k; i++) values[i] = lengths[i];
  return true;
}
