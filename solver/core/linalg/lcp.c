/* Projected Gauss-Seidel: Cottle, Pang, Stone, The Linear Complementarity Problem, 5.2. */
#include "linalg/lcp.h"

#include <math.h>

enum { SWEEPS_MAX = 20000 };
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
