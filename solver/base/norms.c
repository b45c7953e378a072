/* Looks at many numbers. */
#include "base/norms.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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

/* x - x is 0, and all its bits are, unless x is infinite or NaN. */
bool mbs_finite(const double *x, size_t n) {
  uint64_t all = 0;
  for (size_t i = 0; i < n; i++) {
    const double difference = x[i] - x[i];
    uint64_t bits;
    memcpy(&bits, &difference, sizeof bits);
    all |= bits;
  }
  return all == 0;
}
