#include "linalg/dense/householder.h"

#include "base/norms.h"

#include <math.h>

double mbs_euclidean_norm(size_t n, const double *x) {
  double largest = mbs_largest(x, n), sum = 0;
  if (largest == 0 || !isfinite(largest)) return largest;
  for (size_t i = 0; i < n; i++) sum += (x[i] / largest) * (x[i] / largest);
  return largest * sqrt(sum);
}

double mbs_reflection(size_t n, double *x) {
  if (mbs_largest(x + 1, n - 1) == 0) return 0;
  /* beta = -sign(x_0) |x|, v = x - beta e_0 over its first entry, tau = (beta - x_0) / beta */
  double first = x[0], beta = -copysign(mbs_euclidean_norm(n, x), first);
  for (size_t i = 1; i < n; i++) x[i] /= first - beta;
  x[0] = beta;
  return (beta - first) / beta;
}

void mbs_reflect(size_t n, const double *v, double tau, double *y) {
  double product = y[0];
  for (size_t i = 1; i < n; i++) product += v[i] * y[i];
  product *= tau;
  y[0] -= product;
  for (size_t i = 1; i < n; i++) y[i] -= product * v[i];
}
