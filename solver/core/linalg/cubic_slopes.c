/* cubic_slopes.c - slopes of cubic curves that depend on a few neighbours only (h_i, d_i: lengths and chords).
 *
 *   Akima    m_i = (|d_{i+1} - d_i| d_{i-1} + |d_{i-1} - d_{i-2}| d_i) / (|d_{i+1} - d_i| + |d_{i-1} - d_{i-2}|),
 *            the mean of d_{i-1}, d_i for 0/0; chords beyond the ends by d_{-1} = 2 d_0 - d_1
 *            (H. Akima, J. ACM 17, 1970, 589)
 *   PCHIP    m_i = (w_1 + w_2) / (w_1 / d_{i-1} + w_2 / d_i), w_1 = 2 h_i + h_{i-1}, w_2 = h_i + 2 h_{i-1};
 *            0 where the chords differ in sign (F. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984, 300) */
#include "linalg/cubic.h"

#include <assert.h>
#include <math.h>

/* The points of a curve; one that is periodic repeats its first value at its end. */
typedef struct points {
  size_t n;
  const double *x, *y;
  bool periodic;
} points;

static double step(const points *p, size_t i) { return p->x[i + 1] - p->x[i]; }

/* Returns chord i, from -2 to n: those beyond the ends are continued. */
static double chord(const points *p, long i) {
  const long last = (long)p->n - 2;
  if (i >= 0 && i <= last) return (p->y[i + 1] - p->y[i]) / step(p, (size_t)i);
  if (p->periodic) return chord(p, i < 0 ? i + last + 1 : i - last - 1);
  if (last == 0) return chord(p, 0);
  return i < 0 ? 2 * chord(p, i + 1) - chord(p, i + 2) : 2 * chord(p, i - 1) - chord(p, i - 2);
}

void mbs_cubic_akima(size_t n, const double *x, const double *y, bool periodic, double *slopes) {
  assert(n >= 2);
  const points p = {n, x, y, periodic};
  for (size_t i = 0; i < n; i++) {
    const long k = (long)i;
    const double before = chord(&p, k - 1), after = chord(&p, k);
    const double right = fabs(chord(&p, k + 1) - after), left = fabs(before - chord(&p, k - 2));
    slopes[i] = right + left > 0 ? (right * before + left * after) / (right + left) : 0.5 * (before + after);
  }
}

static double harmonic(double h0, double h1, double d0, double d1) {
  const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return d0 * d1 > 0 ? (w0 + w1) / (w0 / d0 + w1 / d1) : 0;
}

/* Returns the slope at an end, from the two steps and chords next to it, limited to keep the curve monotone. */
static double end_slope(double h0, double h1, double d0, double d1) {
  const double slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0) return 0;
  return d0 * d1 <= 0 && fabs(slope) > 3 * fabs(d0) ? 3 * d0 : slope;
}

void mbs_cubic_monotone(size_t n, const double *x, const double *y, bool periodic, double *slopes) {
  assert(n >= 2);
  const points p = {n, x, y, periodic};
  const double first = chord(&p, 0), last = chord(&p, (long)n - 2);
  for (size_t i = 1; i + 1 < n; i++)
    slopes[i] = harmonic(step(&p, i - 1), step(&p, i), chord(&p, (long)i - 1), chord(&p, (long)i));
  if (periodic) {
    slopes[0] = slopes[n - 1] = harmonic(step(&p, n - 2), step(&p, 0), last, first);
  } else if (n == 2) {
    slopes[0] = slopes[1] = first;
  } else {
    slopes[0] = end_slope(step(&p, 0), step(&p, 1), first, chord(&p, 1));
    slopes[n - 1] = end_slope(step(&p, n - 2), step(&p, n - 3), last, chord(&p, (long)n - 3));
  }
}
