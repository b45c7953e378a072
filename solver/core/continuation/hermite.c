/* Evaluates Hermite interpolation by Newton's form of the interpolating polynomial with repeated nodes z_0 <= ... <=
 * z_(N-1) (Stoer, Bulirsch, section 2.1.5):
 *
 *   p(s) = sum_j d_j (s - z_0) ... (s - z_(j-1)),   d_j: divided differences; for j + 1 equal nodes d_j = f^(j) / j!.
 *
 * The weight of a datum is p for data of which this datum is 1 and all others are 0. */
#include "continuation/hermite.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

/* Computes the divided differences d [count] over the nodes z [count] for datum number `unit` = 1, all others 0. */
static void divide(size_t count, size_t per_node, const double *z, size_t unit, double *d) {
  assert(unit < count);
  size_t node = unit / per_node, level = unit % per_node;
  double factorial = 1;
  for (size_t i = 0; i < count; i++) d[i] = level == 0 && i / per_node == node ? 1 : 0;
  for (size_t j = 1; j < count; j++) {
    factorial *= (double)j;
    for (size_t i = count - 1; i >= j; i--) {
      /* equal nodes: f^(j) / j!; otherwise (d_i - d_(i-1)) / (z_i - z_(i-j)) */
      bool repeated = i / per_node == (i - j) / per_node;
      if (repeated)
        d[i] = j == level && i / per_node == node ? 1 / factorial : 0;
      else
        d[i] = (d[i] - d[i - 1]) / (z[i] - z[i - j]);
    }
  }
}

/* theory (14.2) */
void mbs_hermite_weights(size_t nodes, size_t per_node, const double *times, double t, double *value, double *slope) {
  assert(nodes > 0 && per_node > 0 && nodes * per_node <= MBS_HERMITE_MAX);
  double z[MBS_HERMITE_MAX], d[MBS_HERMITE_MAX], scale = nodes > 1 ? fabs(times[nodes - 1] - times[0]) : 1;
  size_t count = nodes * per_node;
  for (size_t i = 0; i < count; i++) z[i] = (times[i / per_node] - t) / scale; /* shifted so that p is evaluated at 0 */
  for (size_t unit = 0; unit < count; unit++) {
    double p = 0, rate = 0, measure = pow(scale, (double)(unit % per_node)); /* a k-th derivative scales by scale^k */
    divide(count, per_node, z, unit, d);
    /* p and its slope at 0 by Horner's scheme */
    for (size_t i = count; i-- > 0;) {
      rate = -z[i] * rate + p;
      p = -z[i] * p + d[i];
    }
    if (value) value[unit] = p * measure;
    if (slope) slope[unit] = rate * measure / scale;
  }
}
