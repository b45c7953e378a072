/* C2 at an inner knot i, with h_i = x_{i+1} - x_i and the chords d_i = (y_{i+1} - y_i) / h_i:
 *
 *   h_i m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_{i-1} m_{i+1} = 3 (h_i d_{i-1} + h_{i-1} d_i)
 *
 * (de Boor, A Practical Guide to Splines, ch. 4, with the end conditions "not-a-knot" there). */
#include "linalg/cubic.h"

#include "linalg/lapack.h"

#include <assert.h>
#include <string.h>

size_t mbs_cubic_workspace(size_t n) { return 5 * (n + 1); }

/* Fills row i of the system above, between the chords before and after the knot. */
static void inner_row(size_t i, double h0, double h1, double d0, double d1, double *lower, double *diagonal,
                      double *upper, double *right) {
  lower[i] = h1;
  diagonal[i] = 2 * (h0 + h1);
  upper[i] = h0;
  right[i] = 3 * (h1 * d0 + h0 * d1);
}

static double chord(const double *x, const double *y, size_t i) { return (y[i + 1] - y[i]) / (x[i + 1] - x[i]); }

/* Computes the slopes for two or three knots. */
static void short_slopes(size_t n, const double *x, const double *y, double *slopes) {
  double d0 = chord(x, y, 0), h0 = x[1] - x[0];
  if (n == 2) {
    slopes[0] = slopes[1] = d0;
    return;
  }
  /* the parabola through three knots */
  double d1 = chord(x, y, 1), h1 = x[2] - x[1], bend = (d1 - d0) / (h0 + h1);
  slopes[0] = d0 - bend * h0;
  slopes[1] = d0 + bend * h0;
  slopes[2] = d1 + bend * h1;
}

/* theory (6.9) */
bool mbs_cubic_not_a_knot(size_t n, const double *x, const double *y, double *slopes, double *workspace) {
  assert(n >= 2);
  double *lower = workspace, *diagonal = lower + n, *upper = diagonal + n;
  if (n < 4) {
    short_slopes(n, x, y, slopes);
    return true;
  }
  /* equal third derivatives on both sides of the second knot: h_1 m_0 + (h_0 + h_1) m_1 = ... */
  double h0 = x[1] - x[0], h1 = x[2] - x[1];
  diagonal[0] = h1;
  upper[0] = h0 + h1;
  slopes[0] = ((h0 + 2 * (h0 + h1)) * h1 * chord(x, y, 0) + h0 * h0 * chord(x, y, 1)) / (h0 + h1);
  for (size_t i = 1; i + 1 < n; i++)
    inner_row(i, x[i] - x[i - 1], x[i + 1] - x[i], chord(x, y, i - 1), chord(x, y, i), lower, diagonal, upper, slopes);
  /* likewise at the last but one knot, from the other end */
  h0 = x[n - 1] - x[n - 2];
  h1 = x[n - 2] - x[n - 3];
  lower[n - 1] = h0 + h1;
  diagonal[n - 1] = h1;
  slopes[n - 1] = (h0 * h0 * chord(x, y, n - 3) + (2 * (h0 + h1) + h0) * h1 * chord(x, y, n - 2)) / (h0 + h1);
  return mbs_tridiagonal_solve(n, lower + 1, diagonal, upper, 1, slopes);
}

/* Solves the cyclic system as a tridiagonal one with a rank-one update (Sherman-Morrison). theory (6.9) */
bool mbs_cubic_periodic(size_t n, const double *x, const double *y, double *slopes, double *workspace) {
  assert(n >= 3);
  double *lower = workspace, *diagonal = lower + n, *upper = diagonal + n, *right = upper + n; /* right: two columns */
  for (size_t i = 0; i < n; i++) {
    size_t before = i ? i - 1 : n - 1;
    inner_row(i, x[before + 1] - x[before], x[i + 1] - x[i], chord(x, y, before), chord(x, y, i), lower, diagonal,
              upper, right);
  }
  double corner = lower[0], far_corner = upper[n - 1], gamma = -diagonal[0];
  memset(right + n, 0, n * sizeof *right);
  /* (T + u w') m = r with u = (gamma, 0, ..., far_corner), w = (1, 0, ..., corner / gamma) */
  right[n] = gamma;
  right[2 * n - 1] = far_corner;
  diagonal[0] -= gamma;
  diagonal[n - 1] -= corner * far_corner / gamma;
  if (!mbs_tridiagonal_solve(n, lower + 1, diagonal, upper, 2, right)) return false;
  const double *z = right + n;
  /* m = y - z w.y / (1 + w.z), T y = r, T z = u */
  double factor = (right[0] + corner / gamma * right[n - 1]) / (1 + z[0] + corner / gamma * z[n - 1]);
  for (size_t i = 0; i < n; i++) slopes[i] = right[i] - factor * z[i];
  slopes[n] = slopes[0];
  return true;
}

size_t mbs_cubic_interval(size_t n, const double *x, double at) {
  assert(n >= 2);
  size_t low = 0, high = n - 1;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    *(x[middle] <= at ? &low : &high) = middle;
  }
  return low;
}

/* theory (6.8) */
void mbs_cubic_coefficients(double h, double y0, double y1, double slope0, double slope1, double c[4]) {
  const double d = (y1 - y0) / h;
  c[0] = y0;
  c[1] = slope0;
  c[2] = (3 * d - 2 * slope0 - slope1) / h;
  c[3] = (slope0 + slope1 - 2 * d) / (h * h);
}

void mbs_cubic_value(double h, double y0, double y1, double slope0, double slope1, double s, double out[3]) {
  double c[4];
  mbs_cubic_coefficients(h, y0, y1, slope0, slope1, c);
  /* f = y_0 + s (m_0 + s (c_2 + s c_3)) */
  out[0] = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
  out[1] = c[1] + s * (2 * c[2] + 3 * s * c[3]);
  out[2] = 2 * c[2] + 6 * s * c[3];
}
