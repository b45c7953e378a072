/* symmetric.c - eigenvalues of symmetric matrices by the cyclic Jacobi method. Source: Golub & Van Loan, 4th ed., 8.5.4
 * (cyclic by rows). */
#include "base/norms.h"
#include "linalg/dense/rotation.h"
#include "linalg/dense_small.h"

#include <float.h>
#include <math.h>

enum { SWEEPS_MAX = 60 };

/* Rotates S [n x n] and the columns of V if the entry (p, q) is greater than `small`. */
static bool rotate_pair(size_t n, double *S, double *V, size_t p, size_t q, double small) {
  double h = S[q * n + p];
  if (fabs(h) <= small) return false;
  mbs_plane_rotation rotation = mbs_diagonalizing(S[p * n + p], h, S[q * n + q]);
  mbs_rotate(n, S + p * n, S + q * n, 1, rotation);
  mbs_rotate(n, S + p, S + q, n, rotation);
  S[q * n + p] = S[p * n + q] = 0;
  mbs_rotate(n, V + p * n, V + q * n, 1, rotation);
  return true;
}

/* Returns false if S is not diagonal after SWEEPS_MAX sweeps. */
static bool diagonalize(size_t n, double *S, double *V, double small) {
  for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
    bool rotated = false;
    for (size_t p = 0; p < n; p++)
      for (size_t q = p + 1; q < n; q++) rotated |= rotate_pair(n, S, V, p, q, small);
    if (!rotated) return true;
  }
  return false;
}

static void sort(size_t n, double *values, double *V) {
  for (size_t k = 0; k < n; k++) {
    size_t least = k;
    for (size_t j = k + 1; j < n; j++)
      if (values[j] < values[least]) least = j;
    if (least == k) continue;
    double value = values[k];
    values[k] = values[least];
    values[least] = value;
    for (size_t i = 0; i < n; i++) {
      double kept = V[k * n + i];
      V[k * n + i] = V[least * n + i];
      V[least * n + i] = kept;
    }
  }
}

bool mbs_dense_symmetric_eigen(size_t n, double *A, double *values, double *workspace) {
  double *S = workspace;
  /* only the upper triangle is used, as in LAPACK */
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i <= j; i++) S[i * n + j] = S[j * n + i] = A[j * n + i];
  double largest = mbs_largest(S, n * n);
  if (!isfinite(largest)) return false;
  for (size_t i = 0; i < n * n; i++) A[i] = i % (n + 1) == 0;
  if (!diagonalize(n, S, A, 0.125 * DBL_EPSILON * largest)) return false;
  for (size_t i = 0; i < n; i++) values[i] = S[i * n + i];
  sort(n, values, A);
  return true;
}
