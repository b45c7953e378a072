/* Curves: their values.   polar       r = rho(alpha) (cos alpha, sin alpha)
 *                         parametric  r = (x(alpha), y(alpha))
 *                         spline      the closed cubic spline through points, alpha the length of its chords */
#include "kernels/curve.h"

#include "linalg/cubic.h"

#include <math.h>

/* Computes a law of alpha with its first two derivatives. */
static void law_at(const mbs_law *law, double alpha, const double *mode, double *slots, double out[3]) {
  const double jet[3] = {alpha, 1, 0}; /* alpha is the only possible input */
  out[0] = law->value;
  out[1] = out[2] = 0;
  if (law->expression) mbs_expression_jet(law->expression, jet, mode ? mode + law->mode0 : NULL, slots, out);
}

static void spline_at(const mbs_curve *curve, double alpha, double out[3][2]) {
  double local = alpha - curve->period * floor(alpha / curve->period);
  size_t i = mbs_cubic_interval(curve->knots + 1, curve->alpha, local);
  const double *from = curve->points + 4 * i, *to = from + 4;
  for (int k = 0; k < 2; k++) {
    double value[3];
    mbs_cubic_value(curve->alpha[i + 1] - curve->alpha[i], from[k], to[k], from[2 + k], to[2 + k],
                    local - curve->alpha[i], value);
    for (int d = 0; d < 3; d++) out[d][k] = value[d];
  }
}

/* theory (5.1) */
void mbs_curve_at(const mbs_curve *curve, double alpha, const double *mode, double *slots, double out[3][2]) {
  double f[3], g[3];
  switch (curve->kind) {
  case MBS_CURVE_SPLINE: spline_at(curve, alpha, out); return;
  case MBS_CURVE_PARAMETRIC:
    law_at(&curve->laws[0], alpha, mode, slots, f);
    law_at(&curve->laws[1], alpha, mode, slots, g);
    /* r = (x, y), r' = (x', y'), r'' = (x'', y'') */
    for (int d = 0; d < 3; d++) {
      out[d][0] = f[d];
      out[d][1] = g[d];
    }
    return;
  case MBS_CURVE_POLAR: break;
  }
  law_at(&curve->laws[0], alpha, mode, slots, f);
  double c = cos(alpha), s = sin(alpha);
  /* r = rho e, r' = rho' e + rho perp(e), r'' = (rho'' - rho) e + 2 rho' perp(e), e = (cos alpha, sin alpha) */
  const double along[] = {f[0], f[1], f[2] - f[0]}, across[] = {0, f[0], 2 * f[1]};
  for (int d = 0; d < 3; d++) {
    out[d][0] = along[d] * c - across[d] * s;
    out[d][1] = along[d] * s + across[d] * c;
  }
}

double mbs_curve_end_distance(const mbs_curve *curve, double alpha) {
  double range = (double)(curve->count - 1) * curve->step, at = (alpha - curve->first) / range;
  return curve->ends ? fmin(at, 1 - at) : INFINITY;
}
