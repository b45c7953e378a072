/* How wide the features of a spline's second derivative are, which is linear between two knots: from one of its
 * extremes to the next. In an interval of a feature that changes by d, where it goes on with the slope s, it is |d / s|
 * wide; a sine's is so half a period, 2 / omega at its steepest. */
#include "linalg/cubic.h"

#include <float.h>
#include <math.h>

/* What the second derivative goes back by, as a share of its largest value, is no extreme. */
static const double ripple = 1e-4;

/* Intervals whose narrowest feature is kept, lest each of them be looked at. */
enum { BLOCK = 64 };

/* features: widths [n - 1] of the intervals, then the least of each block */
size_t mbs_cubic_feature_count(size_t n) { return n + n / BLOCK + 1; }

static void second_derivatives(size_t n, const double *x, const double *y, const double *slopes, double *out) {
  for (size_t i = 0; i < n; i++) {
    const size_t k = i + 1 < n ? i : n - 2;
    double at[3];
    mbs_cubic_value(x[k + 1] - x[k], y[k], y[k + 1], slopes[k], slopes[k + 1], x[i] - x[k], at);
    out[i] = at[2];
  }
}

/* A feature from knot `begin` to `end`. */
static void set_feature(const double *x, const double *second, size_t begin, size_t end, double *widths) {
  const double change = fabs(second[end] - second[begin]);
  for (size_t i = begin; i < end; i++)
    widths[i] = change * (x[i + 1] - x[i]) / (fabs(second[i + 1] - second[i]) + DBL_MIN);
}

/* Extremes are taken where the second derivative goes back by more than a ripple. */
static void set_features(size_t n, const double *x, const double *second, double *widths) {
  double most = 0, direction = 0;
  size_t begin = 0, extreme = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(second[i]));
  for (size_t i = 1; i < n; i++) {
    const double on = second[i] - second[extreme];
    if (direction == 0 ? fabs(on) > ripple * most : on * direction > 0) {
      direction = copysign(1, on);
      extreme = i;
    } else if (direction != 0 && -on * direction > ripple * most) {
      set_feature(x, second, begin, extreme, widths);
      begin = extreme;
      extreme = i;
      direction = -direction;
    }
  }
  if (direction != 0) set_feature(x, second, begin, extreme, widths);
}

void mbs_cubic_find_features(size_t n, const double *x, const double *y, const double *slopes, double *features,
                             double *workspace) {
  double *blocks = features + n;
  for (size_t i = 0; i < mbs_cubic_feature_count(n); i++) features[i] = INFINITY;
  second_derivatives(n, x, y, slopes, workspace);
  set_features(n, x, workspace, features);
  for (size_t i = 0; i + 1 < n; i++) blocks[i / BLOCK] = fmin(blocks[i / BLOCK], features[i]);
}

double mbs_cubic_longest(size_t n, const double *x, const double *features, double at, double factor) {
  const double *blocks = features + n;
  const size_t first = mbs_cubic_interval(n, x, at);
  double h = x[n - 1] - x[0];
  for (size_t i = first; i + 1 < n && (i == first || x[i] - at < h); i++) {
    /* it ends before the interval, or is as short as that asks for */
    h = fmin(h, fmax(x[i] - at, factor * features[i]));
    if ((i + 1) % BLOCK == 0)
      while (i + 1 < n && factor * blocks[(i + 1) / BLOCK] >= h) i += BLOCK;
  }
  return h;
}
