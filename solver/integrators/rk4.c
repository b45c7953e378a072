/* rk4.c - the classical Runge-Kutta method of order 4 with fixed steps.
 *
 * Between the ends of a step: the cubic with the right values and slopes at both ends (Hermite). Its error is of the
 * order h^4, the same as that of the method over a span, so it costs no accuracy that was there.
 * Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed., table II.1.2 and section II.6.
 */
#include "integrators/steps.h"

/* Columns of the workspace. */
enum { K2, K3, K4, STAGE, R2, R3, COLUMNS };

static size_t rk4_work(size_t n) { return COLUMNS * n; }

/* theory (16.2) */
static mbs_status rk4_step(const mbs_ode *ode, double t, double h, const double *restrict y, const double *restrict k1,
                           double *restrict y1, double *restrict workspace, uint64_t *evaluations) {
  const size_t n = ode->n;
  double *restrict k2 = workspace + K2 * n, *restrict k3 = workspace + K3 * n, *restrict k4 = workspace + K4 * n;
  double *restrict s = workspace + STAGE * n;
  mbs_status status;

  /* k_2 = f(t + h/2, y + h/2 k_1), k_3 = f(t + h/2, y + h/2 k_2), k_4 = f(t + h, y + h k_3) */
  for (size_t i = 0; i < n; i++) s[i] = y[i] + 0.5 * h * k1[i];
  if ((status = mbs_ode_evaluate(ode, t + 0.5 * h, s, k2, evaluations)) != MBS_OK) return status;
  for (size_t i = 0; i < n; i++) s[i] = y[i] + 0.5 * h * k2[i];
  if ((status = mbs_ode_evaluate(ode, t + 0.5 * h, s, k3, evaluations)) != MBS_OK) return status;
  for (size_t i = 0; i < n; i++) s[i] = y[i] + h * k3[i];
  if ((status = mbs_ode_evaluate(ode, t + h, s, k4, evaluations)) != MBS_OK) return status;
  /* y_1 = y + h/6 (k_1 + 2 k_2 + 2 k_3 + k_4) */
  for (size_t i = 0; i < n; i++) y1[i] = y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  return MBS_OK;
}

/* theory (16.9) */
static mbs_status rk4_dense_prepare(const mbs_ode *ode, double t, double h, const double *restrict y,
                                    const double *restrict f0, const double *restrict y1, const double *restrict f1,
                                    double *restrict workspace, uint64_t *evaluations) {
  const size_t n = ode->n;
  double *restrict r2 = workspace + R2 * n, *restrict r3 = workspace + R3 * n;
  (void)t;
  (void)evaluations;

  for (size_t i = 0; i < n; i++) {
    /* r_2 = h f_0 - Delta, r_3 = Delta - h f_1 - r_2 */
    const double difference = y1[i] - y[i];
    r2[i] = h * f0[i] - difference;
    r3[i] = difference - h * f1[i] - r2[i];
  }
  return MBS_OK;
}

/* theory (16.9) */
static void rk4_dense(size_t n, double theta, double h, const double *restrict y, const double *restrict y1,
                      const double *restrict workspace, double *restrict out) {
  const double *restrict r2 = workspace + R2 * n, *restrict r3 = workspace + R3 * n;
  const double rest = 1 - theta;
  (void)h;

  /* y + theta (Delta + (1 - theta) (r_2 + theta r_3)) */
  for (size_t i = 0; i < n; i++) out[i] = y[i] + theta * (y1[i] - y[i] + rest * (r2[i] + theta * r3[i]));
}

const mbs_method mbs_rk4 = {
    MBS_METHOD_OF_TABLE(rk4),
    .order = 4,
    .safety = 1,
    .beta = 0,
    .shrink = 0.5,
    .grow = 2,
    .workspace = rk4_work,
    .step = rk4_step,
    .error = NULL,
    .stiff = NULL,
    .dense_prepare = rk4_dense_prepare,
    .dense = rk4_dense,
};
