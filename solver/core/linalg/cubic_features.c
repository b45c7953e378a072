/* cubic_features.c - the extrema of the second derivative of a spline, which is linear between two knots. */
#include "linalg/cubic.h"

#include <assert.h>
#include <math.h>

/* Reversals of the second derivative that are smaller than this fraction of its largest value do not count as extrema;
 * they come from rounding of the data. */
static const double ripple = 1e-4;

static double second_derivative(size_t n, const double *x, const double *y, const double *slopes, size_t knot) {
  const size_t k = knot + 1 < n ? knot : n - 2;
  double at[3];
  mbs_cubic_value(x[k + 1] - x[k], y[k], y[k + 1], slopes[k], slopes[k + 1], x[knot] - x[k], at);
  return at[2];
}

void mbs_cubic_find_extremes(size_t n, const double *x, const double *y, const double *slopes, double *extremes) {
  assert(n >= 2);
  double most = 0, last = 0, direction = 0;
  size_t count = 0, extreme = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(second_derivative(n, x, y, slopes, i)));
  for (size_t i = 0; i < n; i++) {
    const double second = second_derivative(n, x, y, slopes, i), on = second - last;
    if (direction != 0 && -on * direction > ripple * most) extremes[count++] = x[extreme];
    if (i > 0 && fabs(on) <= ripple * most && !(on * direction > 0)) continue;
    direction = i > 0 ? copysign(1, on) : 0;
    last = second;
    extreme = i;
  }
  while (count < n) extremes[count++] = INFINITY;
}

double mbs_cubic_longest(size_t n, const double *extremes, double at, size_t passed) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (extremes[middle] > at)
      high = middle;
    else
      low = middle + 1;
  }
  return low + passed < n ? extremes[low + passed] - at : INFINITY;
}
