/* Projected Gauss-Seidel, and Lemke's method: Cottle, Pang, Stone, The Linear Complementarity Problem, 5.2, 4.4. */
#include "linalg/lcp.h"

#include <math.h>

enum { SWEEPS_MAX = 20000, PIVOTS_LEAST = 100, PIVOTS_PER_ROW = 20 };
static const double settled = 1e-15;

static double product(size_t n, const double *row, double b, const double *x) {
  for (size_t j = 0; j < n; j++) b += row[j] * x[j];
  return b;
}

static double best(double x, double w, double diagonal) {
  if (!(diagonal < 0)) return w > 0 ? 1 : w < 0 ? 0 : x;
  return fmin(fmax(x - w / diagonal, 0), 1);
}

/* theory (12.8) */
void mbs_lcp_solve(size_t n, const double *G, const double *b, double *x, double *w) {
  double change = INFINITY;
  for (int sweep = 0; sweep < SWEEPS_MAX && change > settled; sweep++) {
    change = 0;
    for (size_t i = 0; i < n; i++) {
      const double before = x[i];
      /* a_i := min(1, max(0, a_i - w_i / G_ii)), w = b + G a */
      x[i] = best(before, product(n, G + i * n, b[i], x), G[i * n + i]);
      change = fmax(change, fabs(x[i] - before));
    }
  }
  for (size_t i = 0; i < n; i++) w[i] = product(n, G + i * n, b[i], x);
}

/* ---- Lemke --------------------------------------------------------------------------------------------------- */

/* The basic variables are q + M times the others, which are zero. Their labels: w_i is i, z_i is n + i, the variable of
 * the covering vector 2 n. */
typedef struct tableau {
  size_t n;
  double *M, *q;      /* [n x n + 1], [n] */
  double *exact;      /* [n] */
  int *basic, *other; /* [n], [n + 1] labels */
} tableau;

/* Exchanges the basic variable of `row` with that of `column`, where the entry is not zero. */
static void exchange(tableau *self, size_t row, size_t column) {
  const size_t n = self->n, width = n + 1;
  double *pivot_row = self->M + row * width;
  const double pivot = pivot_row[column];
  /* x_c = (y_r - q_r - sum of M_rj x_j) / M_rc */
  for (size_t j = 0; j < width; j++) pivot_row[j] /= -pivot;
  pivot_row[column] = 1 / pivot;
  self->q[row] /= -pivot;
  self->exact[row] /= -pivot;
  for (size_t i = 0; i < n; i++) {
    double *at = self->M + i * width;
    const double factor = at[column];
    if (i == row || factor == 0) continue;
    at[column] = 0;
    for (size_t j = 0; j < width; j++) at[j] += factor * pivot_row[j];
    self->q[i] += factor * self->q[row];
    self->exact[i] += factor * self->exact[row];
  }
  const int label = self->basic[row];
  self->basic[row] = self->other[column];
  self->other[column] = label;
}

/* Returns the row whose variable becomes zero first while that of `column` grows; -1: none does. Among equal ones the
 * covering variable is preferred, then the largest pivot. */
static int leaving_row(const tableau *self, size_t column) {
  static const double no_pivot = 1e-11, equal = 1e-12;
  int best = -1;
  double least = INFINITY;
  for (size_t i = 0; i < self->n; i++) {
    const double slope = -self->M[i * (self->n + 1) + column];
    if (!(slope > no_pivot)) continue;
    const double ratio = fmax(self->q[i], 0) / slope;
    const bool same = best >= 0 && fabs(ratio - least) <= equal * (1 + least);
    if (same && self->basic[best] == 2 * (int)self->n) continue;
    const bool better =
        same ? self->basic[i] == 2 * (int)self->n || slope > -self->M[(size_t)best * (self->n + 1) + column]
             : ratio < least;
    if (!better) continue;
    best = (int)i;
    least = ratio;
  }
  return best;
}

bool mbs_lcp_lemke(size_t n, double *M, double *q, double *exact, double *z, int *labels) {
  tableau self = {n, M, q, exact, labels, labels + n};
  size_t row = 0, column = n;
  for (size_t i = 0; i < n; i++) {
    self.basic[i] = (int)i;
    self.other[i] = (int)(n + i);
    z[i] = 0;
    if (q[i] * M[row * (n + 1) + n] < q[row] * M[i * (n + 1) + n]) row = i;
  }
  self.other[n] = 2 * (int)n;
  if (n == 0 || q[row] >= 0) return true;
  for (size_t k = 0; k < PIVOTS_LEAST + PIVOTS_PER_ROW * n; k++) {
    const int left = self.basic[row];
    exchange(&self, row, column);
    if (left == 2 * (int)n) {
      for (size_t i = 0; i < n; i++)
        if (self.basic[i] >= (int)n) z[self.basic[i] - (int)n] = fmax(exact[i], 0);
      return true;
    }
    /* the complement of the variable that has left enters */
    const int enters = left < (int)n ? left + (int)n : left - (int)n;
    for (column = 0; self.other[column] != enters;) column++;
    const int next = leaving_row(&self, column);
    if (next < 0) return false;
    row = (size_t)next;
  }
  return false;
}
