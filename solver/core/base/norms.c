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

double mbs_sum_of_squares(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

/* Infinities and NaN have all exponent bits set; adding one there carries into the sign bit. */
bool mbs_finite(const double *x, size_t n) {
  const uint64_t sign = UINT64_C(1) << 63, one = UINT64_C(1) << 52;
  uint64_t all = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    all |= (bits & ~sign) + one;
  }
  return !(all & sign);
}
