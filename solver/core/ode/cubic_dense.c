#include "ode/cubic_dense.h"

mbs_status mbs_cubic_dense_prepare(const mbs_ode *ode, double t, double h, const double *restrict y,
                                   const double *restrict f0, const double *restrict y1, const double *restrict f1,
                                   double *restrict workspace, uint64_t *evaluations) {
  const size_t n = ode->n;
  double *restrict r2 = workspace, *restrict r3 = workspace + n;
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

void mbs_cubic_dense(size_t n, double theta, double h, const double *restrict y, const double *restrict y1,
                     const double *restrict workspace, double *restrict out) {
  const double *restrict r2 = workspace, *restrict r3 = workspace + n;
  const double rest = 1 - theta;
  (void)h;

  /* y + theta (Delta + (1 - theta) (r_2 + theta r_3)) */
  for (size_t i = 0; i < n; i++) out[i] = y[i] + theta * (y1[i] - y[i] + rest * (r2[i] + theta * r3[i]));
}
