/* qr.c - QR factorization with column pivoting, A P = Q R, and minimum-norm least squares by the complete orthogonal
 * decomposition A P = Q [S' 0; 0 0] Z'. Source: Golub & Van Loan, 4th ed., 5.4 and 5.5.3; update of the norms of the
 * remaining columns: Drmac & Bujanovic, On the failure of rank-revealing QR factorization software, ACM TOMS 35
 * (2008). */
#include "linalg/dense/householder.h"
#include "linalg/dense_small.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Norms of the columns from the current row on, and their values when they were last computed from the entries. */
typedef struct column_norms {
  double *now, *summed; /* [n] each */
} column_norms;

static void exchange_columns(size_t m, double *A, int *order, column_norms norms, size_t a, size_t b) {
  assert(a <= b);
  if (a == b) return;
  for (size_t i = 0; i < m; i++) {
    double kept = A[a * m + i];
    A[a * m + i] = A[b * m + i];
    A[b * m + i] = kept;
  }
  int number = order[a];
  order[a] = order[b];
  order[b] = number;
  norms.now[b] = norms.now[a]; /* the norms of a finished column are not needed */
  norms.summed[b] = norms.summed[a];
}

/* Updates the norm of column j after its entry `above` was removed; `rest` [rows] holds the remaining entries. */
static void shorten(column_norms norms, size_t j, double above, size_t rows, const double *rest) {
  if (norms.now[j] == 0) return;
  double share = fabs(above) / norms.now[j], left = fmax(0, 1 - share * share);
  double since = norms.now[j] / norms.summed[j];
  if (left * since * since > sqrt(DBL_EPSILON)) {
    norms.now[j] *= sqrt(left);
  } else { /* cancellation: compute the norm again */
    norms.now[j] = norms.summed[j] = mbs_euclidean_norm(rows, rest);
  }
}

/* Algorithm 5.4.1: R is stored in the upper triangle of A [m x n], the reflections below it and in tau[min(m, n)]. */
static void pivoted_qr(size_t m, size_t n, double *A, int *order, double *tau, column_norms norms) {
  for (size_t j = 0; j < n; j++) {
    order[j] = (int)j;
    norms.now[j] = norms.summed[j] = mbs_euclidean_norm(m, A + j * m);
  }
  for (size_t k = 0; k < m && k < n; k++) {
    size_t best = k;
    for (size_t j = k + 1; j < n; j++)
      if (norms.now[j] > norms.now[best]) best = j;
    exchange_columns(m, A, order, norms, k, best);
    const double *v = A + k * m + k;
    tau[k] = mbs_reflection(m - k, A + k * m + k);
    for (size_t j = k + 1; j < n; j++) {
      double *column = A + j * m + k;
      mbs_reflect(m - k, v, tau[k], column);
      shorten(norms, j, column[0], m - k - 1, column + 1);
    }
  }
}

static size_t rank_of(size_t m, size_t n, const double *R, double rcond) {
  size_t rank = 0;
  while (rank < m && rank < n && fabs(R[rank * m + rank]) > rcond * fabs(R[0])) rank++;
  return rank;
}

size_t mbs_dense_pivoted_columns(size_t m, size_t n, double *A, double rcond, int *order, double *workspace) {
  size_t k = m < n ? m : n;
  pivoted_qr(m, n, A, order, workspace, (column_norms){workspace + k, workspace + k + n});
  return rank_of(m, n, A, rcond);
}

/* Computes into y [n] the minimum-norm solution of R y = c [rank] with the first `rank` rows of R [m x n]: R' = Z S by
 * reflections, S' s = c, y = Z (s, 0). Z: [n x rank], tau [rank]. */
static void shortest_solution(size_t m, size_t n, size_t rank, const double *R, const double *c, double *y, double *Z,
                              double *tau) {
  for (size_t i = 0; i < rank; i++)
    for (size_t j = 0; j < n; j++) Z[i * n + j] = j < i ? 0 : R[j * m + i];
  for (size_t k = 0; k < rank; k++) {
    tau[k] = mbs_reflection(n - k, Z + k * n + k);
    for (size_t j = k + 1; j < rank; j++) mbs_reflect(n - k, Z + k * n + k, tau[k], Z + j * n + k);
  }
  memset(y, 0, n * sizeof *y);
  for (size_t i = 0; i < rank; i++) {
    double sum = c[i];
    for (size_t k = 0; k < i; k++) sum -= Z[i * n + k] * y[k];
    y[i] = sum / Z[i * n + i];
  }
  for (size_t k = rank; k-- > 0;) mbs_reflect(n - k, Z + k * n + k, tau[k], y + k);
}

int mbs_dense_least_squares(size_t m, size_t n, double *A, const double *b, double rcond, double *x,
                            double *workspace) {
  size_t k = m < n ? m : n;
  double *tau = workspace, *tau_right = tau + k, *norms = tau_right + k, *c = norms + 2 * n, *y = c + m, *Z = y + n;
  int *order = (int *)(void *)(Z + n * k);
  pivoted_qr(m, n, A, order, tau, (column_norms){norms, norms + n});
  for (size_t i = 0; i < k; i++)
    if (!isfinite(A[i * m + i])) return -1;
  size_t rank = rank_of(m, n, A, rcond);
  assert(rank <= k);
  memcpy(c, b, m * sizeof *b);
  /* c = Q'b, R y = c, x = P y */
  for (size_t i = 0; i < rank; i++) mbs_reflect(m - i, A + i * m + i, tau[i], c + i);
  shortest_solution(m, n, rank, A, c, y, Z, tau_right);
  for (size_t j = 0; j < n; j++) x[order[j]] = y[j];
  return (int)rank;
}
