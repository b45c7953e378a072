/* rk4.c - the classical Runge-Kutta method of order 4 with fixed steps.
 *
 * Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed., table II.1.2. */
#include "ode/cubic_dense.h"
#include "ode/steps.h"

/* Columns of the workspace. */
enum { K2 = MBS_CUBIC_COLUMNS, K3, K4, STAGE, COLUMNS };

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

const mbs_method mbs_rk4 = {
    MBS_METHOD_OF_TABLE(rk4),
    .stages = 4,
    .order = 4,
    .safety = 1,
    .beta = 0,
    .shrink = 0.5,
    .grow = 2,
    .workspace = rk4_work,
    .step = rk4_step,
    .error = NULL,
    .stiffness = NULL,
    .dense_prepare = mbs_cubic_dense_prepare,
    .dense = mbs_cubic_dense,
};
