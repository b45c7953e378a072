/* starting_step.c - chooses the first step.
 *
 * One explicit Euler step estimates the second derivative. The step is such that h^order times the larger of the first
 * two derivatives is 0.01, in tolerances. Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
 * 2nd ed., section II.4, and the function HINIT of their programs. */
#include "ode/steps.h"

/* theory (16.7) */
mbs_status mbs_starting_step(const mbs_method *method, const mbs_ode *ode, double t, const double *y, const double *f0,
                             const mbs_tolerance *tolerance, double h_max, double *y_trial, double *f_trial,
                             uint64_t *evaluations, double *h) {
  double states = 0, slopes = 0, curvature = 0;

  *h = h_max;
  if (ode->n_error == 0) return MBS_OK;
  /* d_0^2 = norm(y / sc)^2, d_1^2 = norm(f / sc)^2 */
  for (size_t i = 0; i < ode->n_error; i++) {
    const double scale = mbs_error_scale(tolerance, i, y[i], y[i]);
    states += (y[i] / scale) * (y[i] / scale);
    slopes += (f0[i] / scale) * (f0[i] / scale);
  }
  /* h_0 = 0.01 d_0 / d_1 */
  double guess = 1e-6;
  if (states > 1e-10 && slopes > 1e-10) guess = 0.01 * sqrt(states / slopes);
  guess = fmin(guess, h_max);
  *h = guess;

  for (size_t i = 0; i < ode->n; i++) y_trial[i] = y[i] + guess * f0[i];
  const mbs_status status = mbs_ode_evaluate(ode, t + guess, y_trial, f_trial, evaluations);
  if (status != MBS_OK) return mbs_status_rejects(status) ? MBS_OK : status;
  /* d_2 = norm((f(t + h_0, y + h_0 f) - f) / sc) / h_0 */
  for (size_t i = 0; i < ode->n_error; i++) {
    const double change = (f_trial[i] - f0[i]) / mbs_error_scale(tolerance, i, y[i], y[i]);
    curvature += change * change;
  }
  /* h = min(100 h_0, (0.01 / max(d_1, d_2))^(1/q)) */
  const double largest = fmax(sqrt(curvature) / guess, sqrt(slopes));
  const double wanted = largest > 1e-15 ? pow(0.01 / largest, 1.0 / method->order) : fmax(1e-6, 1e-3 * guess);
  *h = fmin(fmin(100 * guess, wanted), h_max);
  return MBS_OK;
}
