/* dopri5.c - the explicit Runge-Kutta method of Dormand and Prince, order 5 with an error estimate of order 4:
 *
 *     k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y1 = y + h sum_i b_i k_i,   k_7 = f(t + h, y1)
 *
 * Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed., table II.5.2 and section II.6
 * (dense output of order 4); test of stiffness: Hairer, Wanner, part II, section IV.2. */
#include "ode/steps.h"

static const double c2 = 1.0 / 5, c3 = 3.0 / 10, c4 = 4.0 / 5, c5 = 8.0 / 9;
static const double a21 = 1.0 / 5;
static const double a31 = 3.0 / 40, a32 = 9.0 / 40;
static const double a41 = 44.0 / 45, a42 = -56.0 / 15, a43 = 32.0 / 9;
static const double a51 = 19372.0 / 6561, a52 = -25360.0 / 2187, a53 = 64448.0 / 6561, a54 = -212.0 / 729;
static const double a61 = 9017.0 / 3168, a62 = -355.0 / 33, a63 = 46732.0 / 5247, a64 = 49.0 / 176,
                    a65 = -5103.0 / 18656;
static const double b1 = 35.0 / 384, b3 = 500.0 / 1113, b4 = 125.0 / 192, b5 = -2187.0 / 6784, b6 = 11.0 / 84;
/* Weights of order 5 minus those of order 4. */
static const double e1 = 71.0 / 57600, e3 = -71.0 / 16695, e4 = 71.0 / 1920, e5 = -17253.0 / 339200, e6 = 22.0 / 525,
                    e7 = -1.0 / 40;
/* Weights of the highest term of the dense output. */
static const double d1 = -12715105075.0 / 11282082432, d3 = 87487479700.0 / 32700410799,
                    d4 = -10690763975.0 / 1880347072, d5 = 701980252875.0 / 199316789632,
                    d6 = -1453857185.0 / 822651844, d7 = 69997945.0 / 29380423;
/* The border of the region of stability, for h times an eigenvalue. */
static const double stability_border = 3.25;

/* Columns of the workspace; STAGE is the argument of the last stage that was evaluated. */
enum { K2, K3, K4, K5, K6, STAGE, R2, R3, R4, COLUMNS };

static size_t dopri5_work(size_t n) { return COLUMNS * n; }

/* theory (16.2) */
static mbs_status dopri5_step(const mbs_ode *ode, mbs_real t, mbs_real h, const mbs_real *restrict y,
                              const mbs_real *restrict k1, mbs_real *restrict y1, mbs_real *restrict workspace,
                              uint64_t *evaluations) {
  const size_t n = ode->n;
  mbs_real *restrict k2 = workspace + K2 * n, *restrict k3 = workspace + K3 * n, *restrict k4 = workspace + K4 * n;
  mbs_real *restrict k5 = workspace + K5 * n, *restrict k6 = workspace + K6 * n, *restrict s = workspace + STAGE * n;
  mbs_status status;

  /* the arguments y + h sum of a_ij k_j of the stages 2 to 6 */
  for (size_t i = 0; i < n; i++) s[i] = y[i] + h * (a21 * k1[i]);
  if ((status = mbs_ode_evaluate(ode, t + c2 * h, s, k2, evaluations)) != MBS_OK) return status;
  for (size_t i = 0; i < n; i++) s[i] = y[i] + h * (a31 * k1[i] + a32 * k2[i]);
  if ((status = mbs_ode_evaluate(ode, t + c3 * h, s, k3, evaluations)) != MBS_OK) return status;
  for (size_t i = 0; i < n; i++) s[i] = y[i] + h * (a41 * k1[i] + a42 * k2[i] + a43 * k3[i]);
  if ((status = mbs_ode_evaluate(ode, t + c4 * h, s, k4, evaluations)) != MBS_OK) return status;
  for (size_t i = 0; i < n; i++) s[i] = y[i] + h * (a51 * k1[i] + a52 * k2[i] + a53 * k3[i] + a54 * k4[i]);
  if ((status = mbs_ode_evaluate(ode, t + c5 * h, s, k5, evaluations)) != MBS_OK) return status;
  for (size_t i = 0; i < n; i++)
    s[i] = y[i] + h * (a61 * k1[i] + a62 * k2[i] + a63 * k3[i] + a64 * k4[i] + a65 * k5[i]);
  if ((status = mbs_ode_evaluate(ode, t + h, s, k6, evaluations)) != MBS_OK) return status;
  /* y_1 = y + h sum of b_i k_i */
  for (size_t i = 0; i < n; i++) y1[i] = y[i] + h * (b1 * k1[i] + b3 * k3[i] + b4 * k4[i] + b5 * k5[i] + b6 * k6[i]);
  return MBS_OK;
}

/* theory (16.3) */
static mbs_real dopri5_error(const mbs_ode *ode, mbs_real h, const mbs_real *y, const mbs_real *k1, const mbs_real *y1,
                             const mbs_real *k7, const mbs_tolerance *tolerance, const mbs_real *workspace,
                             mbs_real *errors) {
  const size_t n = ode->n;
  const mbs_real *k3 = workspace + K3 * n, *k4 = workspace + K4 * n, *k5 = workspace + K5 * n, *k6 = workspace + K6 * n;
  mbs_real sum = MBS_ALL(0);

  /* order 5 less order 4: e = h sum of e_i k_i */
  for (size_t i = 0; i < n; i++)
    errors[i] = h * (e1 * k1[i] + e3 * k3[i] + e4 * k4[i] + e5 * k5[i] + e6 * k6[i] + e7 * k7[i]);
  /* err^2 n = sum of (e_i / sc_i)^2 */
  for (size_t i = 0; i < ode->n_error; i++) {
    const mbs_real ratio = errors[i] / mbs_error_scale(tolerance, i, y[i], y1[i]);
    sum += ratio * ratio;
  }
  return ode->n_error > 0 ? mbs_sqrt(sum / (double)ode->n_error) : sum;
}

/* The sixth and the seventh stage are both at t + h. The ratio of the difference of f to that of their arguments
 * estimates the largest eigenvalue. theory (16.8) */
static mbs_real dopri5_stiffness(size_t n, mbs_real h, const mbs_real *y1, const mbs_real *k7,
                                 const mbs_real *workspace) {
  const mbs_real *k6 = workspace + K6 * n, *stage = workspace + STAGE * n;
  mbs_real slopes = MBS_ALL(0), states = MBS_ALL(0);

  for (size_t i = 0; i < n; i++) {
    slopes += (k7[i] - k6[i]) * (k7[i] - k6[i]);
    states += (y1[i] - stage[i]) * (y1[i] - stage[i]);
  }
  /* h norm(k_7 - k_6) / norm(y_1 - Y_6), relative to the border */
  return mbs_if_positive(states, h * mbs_sqrt(slopes) / (stability_border * mbs_sqrt(states)), MBS_ALL(0));
}

/* theory (16.9) */
static mbs_status dopri5_dense_prepare(const mbs_ode *ode, mbs_real t, mbs_real h, const mbs_real *restrict y,
                                       const mbs_real *restrict k1, const mbs_real *restrict y1,
                                       const mbs_real *restrict k7, mbs_real *restrict workspace,
                                       uint64_t *evaluations) {
  const size_t n = ode->n;
  const mbs_real *restrict k3 = workspace + K3 * n, *restrict k4 = workspace + K4 * n,
                           *restrict k5 = workspace + K5 * n;
  const mbs_real *restrict k6 = workspace + K6 * n;
  mbs_real *restrict r2 = workspace + R2 * n, *restrict r3 = workspace + R3 * n, *restrict r4 = workspace + R4 * n;
  (void)t;
  (void)evaluations;

  for (size_t i = 0; i < n; i++) {
    /* r_2 = h f_0 - Delta, r_3 = Delta - h f_1 - r_2, r_4 = h sum of d_i k_i */
    const mbs_real difference = y1[i] - y[i];
    r2[i] = h * k1[i] - difference;
    r3[i] = difference - h * k7[i] - r2[i];
    r4[i] = h * (d1 * k1[i] + d3 * k3[i] + d4 * k4[i] + d5 * k5[i] + d6 * k6[i] + d7 * k7[i]);
  }
  return MBS_OK;
}

/* theory (16.9) */
static void dopri5_dense(size_t n, mbs_real theta, mbs_real h, const mbs_real *restrict y, const mbs_real *restrict y1,
                         const mbs_real *restrict workspace, mbs_real *restrict out) {
  const mbs_real *restrict r2 = workspace + R2 * n, *restrict r3 = workspace + R3 * n,
                           *restrict r4 = workspace + R4 * n;
  const mbs_real rest = 1 - theta;
  (void)h;

  /* y + theta (Delta + (1 - theta) (r_2 + theta (r_3 + (1 - theta) r_4))) */
  for (size_t i = 0; i < n; i++)
    out[i] = y[i] + theta * (y1[i] - y[i] + rest * (r2[i] + theta * (r3[i] + rest * r4[i])));
}

const mbs_method mbs_dopri5 = {
    MBS_METHOD_OF_TABLE(dopri5),
    .stages = 6,
    .order = 5,
    .safety = 0.9,
    .beta = 0.04,
    .shrink = 0.2,
    .grow = 10,
    .workspace = dopri5_work,
    .step = dopri5_step,
    .error = dopri5_error,
    .stiffness = dopri5_stiffness,
    .dense_prepare = dopri5_dense_prepare,
    .dense = dopri5_dense,
};
