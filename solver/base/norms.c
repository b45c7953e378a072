/* Looks at many numbers. */
#include "base/norms.h"

#include <math.h>

double mbs_largest(const double *x, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(x[i])) return INFINITY;
    if (fabs(x[i]) > largest) largest = fabs(x[i]);
  }
  return largest;
}

double mbs_largest_in_units(const double *x, const double *units, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(x[i])) return INFINITY;
    double size = fabs(x[i]) / units[i];
    if (size > largest) largest = size;
  }
  return largest;
}

/* x - x is 0, unless x is infinite or NaN: so is a sum of such. Four sums, as a processor makes several at once. */
bool mbs_finite(const double *x, size_t n) {
  double sums[4] = {0, 0, 0, 0}, rest = 0;
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; k++) sums[k] += x[i + k] - x[i + k];
  for (; i < n; i++) rest += x[i] - x[i];
  return sums[0] + sums[1] + sums[2] + sums[3] + rest == 0;
}
