/* Largest absolute values. */
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
