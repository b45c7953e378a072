/* test_bdf.c - the stiff method (BDF) alone: problems of the literature, events, projection, ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "ode/integrator.h"

enum { ROWS_MAX = 64, EVENTS_MAX = 64 };

typedef struct recorder {
  double rows[ROWS_MAX][3];
  double times[EVENTS_MAX];
  size_t reported, events, accepted;
  double rate; /* rate of a system below, or what makes it fail */
  mbs_status status;
} recorder;

static mbs_status record_row(void *context, size_t row, double t, const double *y) {
  recorder *r = context;
  (void)t;
  assert_int_equal(row, r->reported);
  assert_true(row < ROWS_MAX);
  memcpy(r->rows[r->reported++], y, 2 * sizeof *y);
  return MBS_OK;
}

static mbs_status count_accepted(void *context, double t, const double *y) {
  recorder *r = context;
  (void)t;
  (void)y;
  r->accepted++;
  return MBS_OK;
}

static mbs_status integrate(const mbs_ode *ode, double t1, double *y, const double *times, size_t rows, double rtol,
                            double atol, mbs_integration *stats, mbs_error *error) {
  double *work = malloc(mbs_integrate_workspace(&mbs_bdf, ode) * sizeof *work);
  assert_non_null(work);
  const mbs_status status = mbs_integrate(&mbs_bdf, ode, 0, t1, y, times, rows,
                                          &(mbs_tolerance){.rtol = rtol, .atol = atol}, work, stats, error);
  free(work);
  return status;
}

/* ---- problems of the literature ------------------------------------------------------------------------------ */

static mbs_status van_der_pol(void *context, double t, const double *y, double *f) {
  (void)context;
  (void)t;
  f[0] = y[1];
  f[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
  return MBS_OK;
}

/* Hairer, Wanner, Solving Ordinary Differential Equations II, IV.10; the reference of the IVP test set at t = 2. */
static void test_van_der_pol(void **state) {
  (void)state;
  const mbs_ode ode = {.n = 2, .n_error = 2, .rhs = van_der_pol};
  mbs_integration stats;
  double y[2] = {2, 0};
  assert_int_equal(integrate(&ode, 2, y, NULL, 0, 1e-8, 1e-10, &stats, NULL), MBS_OK);
  assert_close(y[0], 1.706167732170483, 1e-5);
  assert_close(y[1], -0.8928097010247975, 1e-5);
  assert_true(stats.steps < 5000 && stats.evaluations < 15000);
}

static mbs_status robertson(void *context, double t, const double *y, double *f) {
  (void)context;
  (void)t;
  f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
  f[2] = 3e7 * y[1] * y[1];
  f[1] = -f[0] - f[2];
  return MBS_OK;
}

static void test_robertson(void **state) {
  (void)state;
  const mbs_ode ode = {.n = 3, .n_error = 3, .rhs = robertson};
  mbs_integration stats;
  double y[3] = {1, 0, 0};
  assert_int_equal(integrate(&ode, 40, y, NULL, 0, 1e-9, 1e-14, &stats, NULL), MBS_OK);
  assert_close(y[0], 0.7158270687194, 1e-7);
  assert_close(y[1], 0.9185534764558e-5, 1e-12);
  assert_close(y[2], 0.2841637457458, 1e-7);
  assert_true(stats.steps < 1500);
}

/* ---- many states: own matrices ------------------------------------------------------------------------------- */

enum { MANY = 60 };

/* y_i' = k (y_i-1 - 2 y_i + y_i+1), zero at both ends, and the integral of y_0^2. */
static mbs_status heat(void *context, double t, const double *y, double *f) {
  (void)context;
  (void)t;
  for (size_t i = 0; i < MANY; i++) f[i] = 1e4 * ((i ? y[i - 1] : 0) - 2 * y[i] + (i + 1 < MANY ? y[i + 1] : 0));
  f[MANY] = y[0] * y[0];
  return MBS_OK;
}

/* Like heat, with inertia and damping: x_i'' = k (...) - c x_i', the positions first. */
static mbs_status rope(void *context, double t, const double *y, double *f) {
  const size_t n = MANY / 2;
  (void)context;
  (void)t;
  for (size_t i = 0; i < n; i++) {
    f[i] = y[n + i];
    f[n + i] = 1e4 * ((i ? y[i - 1] : 0) - 2 * y[i] + (i + 1 < n ? y[i + 1] : 0)) - 1e3 * y[n + i];
  }
  f[MANY] = y[0] * y[0];
  return MBS_OK;
}

/* States that couple to their neighbours in a row. Part i has the states i, i + parts, ... */
static mbs_ode_parts row_of_parts(size_t parts, int *of, int *first, int *others) {
  int filled = 0;
  for (size_t i = 0; i < MANY; i++) of[i] = (int)(i % parts);
  for (size_t p = 0; p < parts; p++) {
    first[p] = filled;
    if (p) others[filled++] = (int)p - 1;
    if (p + 1 < parts) others[filled++] = (int)p + 1;
  }
  first[parts] = filled;
  return (mbs_ode_parts){parts, of, first, others};
}

/* Checks mode k of the rope of n, which decays as exp(-rate t), with the structure given and without. */
static void test_many_states(void **state) {
  (void)state;
  int of[MANY], first[MANY + 1], others[2 * MANY];
  uint64_t evaluations[2][2];
  for (int structured = 0; structured < 2; structured++)
    for (int inert = 0; inert < 2; inert++) {
      const size_t n = inert ? MANY / 2 : MANY;
      const mbs_ode_parts parts = row_of_parts(n, of, first, others);
      const mbs_ode ode = {.n = MANY + 1,
                           .n_error = MANY,
                           .n_uncontrolled = 1,
                           .rhs = inert ? rope : heat,
                           .parts = structured ? &parts : NULL};
      mbs_integration stats;
      double y[MANY + 1] = {0};
      const double angle = M_PI / (double)(n + 1), stiffness = 4e4 * pow(sin(angle / 2), 2);
      const double rate = inert ? 500 - sqrt(250000 - stiffness) : stiffness, t = 1 / rate;
      for (size_t i = 0; i < n; i++) {
        y[i] = sin((double)(i + 1) * angle);
        if (inert) y[n + i] = -rate * y[i];
      }
      assert_int_equal(integrate(&ode, t, y, NULL, 0, 1e-9, 1e-12, &stats, NULL), MBS_OK);
      for (size_t i = 0; i < n; i++) assert_close(y[i], exp(-1) * sin((double)(i + 1) * angle), 3e-8);
      assert_close(y[MANY], pow(sin(angle), 2) * (1 - exp(-2)) / (2 * rate), 1e-9);
      assert_true(stats.steps < 400);
      evaluations[structured][inert] = stats.evaluations;
    }
  /* the structure gives one evaluation per colour (three colours, of one or two states) instead of one per column */
  for (int inert = 0; inert < 2; inert++) assert_true(evaluations[1][inert] < evaluations[0][inert] - 50);
}

/* ---- the loop ------------------------------------------------------------------------------------------------ */

static mbs_status ball(void *context, double t, const double *y, double *f) {
  (void)context;
  (void)t;
  f[0] = y[1];
  f[1] = -10;
  return MBS_OK;
}

static mbs_status height(void *context, double t, const double *y, double *guards) {
  (void)context;
  (void)t;
  guards[0] = y[0];
  return MBS_OK;
}

static mbs_status bounce(void *context, size_t index, double t, double *y) {
  recorder *r = context;
  assert_int_equal(index, 0);
  assert_true(r->events < EVENTS_MAX);
  r->times[r->events++] = t;
  y[1] *= -0.5;
  return MBS_OK;
}

/* Dropped from 5 m: impacts at 1, 2, 2.5, 2.75 ... s; reports on both sides of them. */
static void test_bouncing_ball(void **state) {
  (void)state;
  recorder r = {0};
  const mbs_ode ode = {.context = &r,
                       .n = 2,
                       .n_error = 2,
                       .rhs = ball,
                       .n_guards = 1,
                       .guards = height,
                       .event = bounce,
                       .accepted = count_accepted,
                       .report = record_row};
  const double times[] = {0, 0.5, 1.5, 2.25, 2.6};
  mbs_integration stats;
  double y[2] = {5, 0};
  assert_int_equal(integrate(&ode, 2.8, y, times, 5, 1e-9, 1e-11, &stats, NULL), MBS_OK);
  assert_int_equal(r.events, 4);
  for (size_t k = 0; k < 4; k++) assert_close(r.times[k], 3 - ldexp(2, -(int)k), 1e-6);
  assert_int_equal(r.reported, 5);
  assert_int_equal(r.accepted, stats.steps + r.events);
  assert_close(r.rows[0][0], 5, 0);
  assert_close(r.rows[1][0], 3.75, 1e-6);
  assert_close(r.rows[2][0], 1.25, 1e-6);
  assert_close(r.rows[3][0], 0.3125, 1e-6);
  assert_close(stats.t, 2.8, 1e-15);
}

static mbs_status circle(void *context, double t, const double *y, double *f) {
  (void)context;
  (void)t;
  f[0] = -y[1];
  f[1] = y[0];
  return MBS_OK;
}

static mbs_status onto_circle(void *context, double t, double *y) {
  const double radius = hypot(y[0], y[1]);
  (void)context;
  (void)t;
  y[0] /= radius;
  y[1] /= radius;
  return MBS_OK;
}

/* The projection is satisfied after every step and does not reduce the order. */
static void test_projection(void **state) {
  (void)state;
  const mbs_ode ode = {.n = 2, .n_error = 2, .rhs = circle, .project = onto_circle};
  for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
    mbs_integration stats;
    double y[2] = {1, 0};
    assert_int_equal(integrate(&ode, 20, y, NULL, 0, rtol, rtol, &stats, NULL), MBS_OK);
    assert_close(hypot(y[0], y[1]), 1, 1e-15);
    assert_close(y[0], cos(20), 2000 * rtol);
    assert_close(y[1], sin(20), 2000 * rtol);
  }
}

/* A quadrature (f[1]) of a stiff state (f[0]). */
static mbs_status with_quadrature(void *context, double t, const double *y, double *f) {
  (void)context;
  f[0] = -1e6 * (y[0] - cos(t));
  f[1] = y[0];
  return MBS_OK;
}

static double unit_size(void *context, double t, const double *y) {
  (void)context;
  (void)t;
  (void)y;
  return 1;
}

static void test_quadrature(void **state) {
  (void)state;
  const mbs_ode ode = {.n = 2, .n_error = 1, .rhs = with_quadrature, .quadrature_size = unit_size};
  mbs_integration stats;
  double y[2] = {1, 0};
  assert_int_equal(integrate(&ode, 3, y, NULL, 0, 1e-8, 1e-10, &stats, NULL), MBS_OK);
  assert_close(y[0], cos(3), 2e-6);
  assert_close(y[1], sin(3), 2e-6);
  assert_true(stats.steps < 1000);
}

static mbs_status nothing(void *context, double t, const double *y, double *f) {
  (void)context;
  (void)t;
  (void)y;
  (void)f;
  return MBS_OK;
}

static mbs_status alarm_clock(void *context, double t, const double *y, double *guards) {
  const recorder *r = context;
  (void)y;
  guards[0] = r->events ? 1 : 0.3 - t;
  return MBS_OK;
}

static mbs_status ring(void *context, size_t index, double t, double *y) {
  recorder *r = context;
  (void)index;
  (void)y;
  r->times[r->events++] = t;
  return MBS_OK;
}

/* A system without states still has its events. */
static void test_no_state(void **state) {
  (void)state;
  recorder r = {0};
  const mbs_ode ode = {.context = &r, .rhs = nothing, .n_guards = 1, .guards = alarm_clock, .event = ring};
  mbs_integration stats;
  double y[1];
  assert_int_equal(integrate(&ode, 1, y, NULL, 0, 1e-6, 1e-9, &stats, NULL), MBS_OK);
  assert_int_equal(r.events, 1);
  assert_close(r.times[0], 0.3, 1e-14);
}

/* ---- ends ---------------------------------------------------------------------------------------------------- */

static mbs_status failing(void *context, double t, const double *y, double *f) {
  const recorder *r = context;
  f[0] = r->status == MBS_NOT_FINITE && t > 0.5 ? NAN : y[0] * y[0];
  return t > 0.5 && r->status != MBS_NOT_FINITE ? r->status : MBS_OK;
}

/* Statuses of the host are returned. A status that rejects steps ends the run only when the step becomes too small. */
static void test_failures(void **state) {
  (void)state;
  static const mbs_status statuses[] = {MBS_CANCELLED, MBS_SINGULAR_POSITION, MBS_NOT_FINITE};
  for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++) {
    recorder r = {.status = statuses[k]};
    const mbs_ode ode = {.context = &r, .n = 1, .n_error = 1, .rhs = failing};
    mbs_integration stats;
    mbs_error error = {0};
    double y[1] = {0.1};
    assert_int_equal(integrate(&ode, 1, y, NULL, 0, 1e-6, 1e-9, &stats, &error), statuses[k]);
    assert_int_equal(error.status, statuses[k]);
    assert_true(stats.t <= 0.5);
    assert_true(error.message[0] != 0);
  }
}

static mbs_status pole(void *context, double t, const double *y, double *f) {
  (void)context;
  (void)t;
  f[0] = y[0] * y[0];
  return MBS_OK;
}

/* The solution of y' = y^2, y(0) = 1 goes to infinity at t = 1. */
static void test_pole(void **state) {
  (void)state;
  const mbs_ode ode = {.n = 1, .n_error = 1, .rhs = pole};
  mbs_integration stats;
  mbs_error error = {0};
  double y[1] = {1};
  const mbs_status status = integrate(&ode, 2, y, NULL, 0, 1e-6, 1e-9, &stats, &error);
  assert_true(status == MBS_STEP_TOO_SMALL || status == MBS_NOT_FINITE);
  assert_close(stats.t, 1, 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_van_der_pol),   cmocka_unit_test(test_robertson),  cmocka_unit_test(test_many_states),
      cmocka_unit_test(test_bouncing_ball), cmocka_unit_test(test_projection), cmocka_unit_test(test_quadrature),
      cmocka_unit_test(test_no_state),      cmocka_unit_test(test_failures),   cmocka_unit_test(test_pole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
