#include "linalg/dense/rotation.h"

#include <math.h>

mbs_plane_rotation mbs_diagonalizing(double p, double h, double q) {
  /* the root of t^2 + 2 z t - 1 = 0 nearer to 0 */
  double z = 0.5 * (q - p) / h, t = copysign(1, z) / (fabs(z) + hypot(1, z)), c = 1 / sqrt(1 + t * t);
  return (mbs_plane_rotation){.c = c, .s = t * c, .t = t};
}

void mbs_rotate(size_t n, double *x, double *y, size_t stride, mbs_plane_rotation by) {
  for (size_t i = 0; i < n * stride; i += stride) {
    double first = x[i], second = y[i];
    x[i] = by.c * first - by.s * second;
    y[i] = by.s * first + by.c * second;
  }
}
