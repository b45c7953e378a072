/* test_integrators.c - the accuracy of the step methods against closed solutions, and the driver's reports, projection,
 * rejections and ends. Coefficients: test_order_conditions.c; events: test_events.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "ode/integrator.h"

static const double pi = 3.14159265358979323846;
enum { METHODS = 3 };
static const mbs_method *const methods[METHODS] = {&mbs_dopri5, &mbs_dop853, &mbs_rk4};

/* ---- Kepler's problem and others with closed solutions ------------------------------------------------------- */

/* Data that a run records, and problem constants. */
typedef struct recorder {
  uint64_t calls; /* calls of rhs */
  double *rows;   /* [row][n] reported, or NULL */
  double *times;  /* [row] */
  size_t n, reported, projected, accepted;
  double largest_step, last;
  double wall; /* position x at which rhs returns `wall_status` */
  mbs_status wall_status;
  mbs_status report_status;
  char *message; /* message of the failing callback */
} recorder;

static mbs_status record_report(void *context, size_t row, double t, const double *y) {
  recorder *r = context;

  assert_int_equal(row, r->reported);
  ++r->reported;
  if (r->times != NULL) r->times[row] = t;
  if (r->rows != NULL) memcpy(r->rows + row * r->n, y, r->n * sizeof *y);
  return r->report_status;
}

static mbs_status record_accepted(void *context, double t, const double *y) {
  recorder *r = context;
  (void)y;
  r->largest_step = fmax(r->largest_step, t - r->last);
  r->last = t;
  ++r->accepted;
  return MBS_OK;
}

static mbs_status integrate(const mbs_method *method, const mbs_ode *ode, double t0, double t1, double *y,
                            const double *times, size_t rows, const mbs_tolerance *tolerance, mbs_integration *stats,
                            mbs_error *error) {
  double *work = malloc(mbs_integrate_workspace(method, ode) * sizeof *work);

  assert_non_null(work);
  const mbs_status status = mbs_integrate(method, ode, t0, t1, y, times, rows, tolerance, work, stats, error);
  free(work);
  return status;
}

static mbs_status kepler_rhs(void *context, double t, const double *y, double *dydt) {
  recorder *r = context;
  const double d2 = y[0] * y[0] + y[1] * y[1], d3 = d2 * sqrt(d2);
  (void)t;
  ++r->calls;
  dydt[0] = y[2];
  dydt[1] = y[3];
  dydt[2] = -y[0] / d3;
  dydt[3] = -y[1] / d3;
  return MBS_OK;
}

/* Ellipse of eccentricity e, semi-axis 1, period 2 pi, from the pericentre. */
static void kepler_exact(double e, double t, double *y) {
  double E = t;

  for (int k = 0; k < 60; k++) E -= (E - e * sin(E) - t) / (1 - e * cos(E));
  const double c = cos(E), s = sin(E), b = sqrt(1 - e * e), rate = 1 / (1 - e * c);
  y[0] = c - e;
  y[1] = b * s;
  y[2] = -s * rate;
  y[3] = b * c * rate;
}

static double distance(size_t n, const double *a, const double *b) {
  double largest = 0;

  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

/* Largest errors with `steps` equal steps over half a period: at the end, and at theta = 0.4 in all steps. */
static void kepler_fixed(const mbs_method *method, int steps, double *end, double *inside) {
  const double e = 0.2, h = pi / steps;
  recorder r = {.n = 4};
  const mbs_ode ode = {.context = &r, .n = 4, .n_error = 4, .rhs = kepler_rhs};
  double y[4], y1[4], f0[4], f1[4], out[4], exact[4];
  double *work = malloc(method->workspace(4) * sizeof *work);
  uint64_t evaluations = 0;

  assert_non_null(work);
  kepler_exact(e, 0, y);
  *inside = 0;
  kepler_rhs(&r, 0, y, f0);
  for (int k = 0; k < steps; k++) {
    assert_int_equal(method->step(&ode, k * h, h, y, f0, y1, work, &evaluations), MBS_OK);
    kepler_rhs(&r, (k + 1) * h, y1, f1);
    assert_int_equal(method->dense_prepare(&ode, k * h, h, y, f0, y1, f1, work, &evaluations), MBS_OK);
    method->dense(4, 0.4, h, y, y1, work, out);
    kepler_exact(e, (k + 0.4) * h, exact);
    *inside = fmax(*inside, distance(4, out, exact));
    memcpy(y, y1, sizeof y);
    memcpy(f0, f1, sizeof f0);
  }
  kepler_exact(e, pi, exact);
  *end = distance(4, y, exact);
  free(work);
}

/* Halving the step divides the errors by 2^order. Between the ends too: dense output whose weights are of order p has
 * errors of h^(p+1), one step's worth, and the method adds h^order. */
static void test_observed_order(void **state) {
  static const struct {
    const mbs_method *method;
    int steps;
    double order;
  } cases[] = {{&mbs_dopri5, 40, 5}, {&mbs_dop853, 20, 8}, {&mbs_rk4, 60, 4}};
  (void)state;

  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double end[2], inside[2];
    for (int j = 0; j < 2; j++) kepler_fixed(cases[k].method, cases[k].steps << j, &end[j], &inside[j]);
    assert_true(log2(end[0] / end[1]) > cases[k].order - 0.4);
    assert_true(log2(inside[0] / inside[1]) > cases[k].order - 0.4);
  }
}

static void test_kepler_tolerances(void **state) {
  enum { ROWS = 101 };
  double times[ROWS], rows[ROWS * 4], exact[4];
  const double *last = &rows[4 * ROWS - 4];
  (void)state;

  for (int i = 0; i < ROWS; i++) times[i] = 6 * pi * i / (ROWS - 1);
  for (size_t m = 0; m < METHODS; m++) {
    double before = INFINITY;
    for (int digits = 4; digits <= 10; digits += 2) {
      const double rtol = pow(10, -digits);
      recorder r = {.n = 4, .rows = rows};
      const mbs_ode ode = {.context = &r, .n = 4, .n_error = 4, .rhs = kepler_rhs, .report = record_report};
      const mbs_tolerance tolerance = {.rtol = rtol, .atol = rtol, .fixed_step = 0.3 * pow(rtol, 0.25)};
      mbs_integration stats;
      double y[4], worst = 0;
      kepler_exact(0.5, 0, y);
      assert_int_equal(integrate(methods[m], &ode, 0, 6 * pi, y, times, ROWS, &tolerance, &stats, NULL), MBS_OK);
      assert_int_equal(r.reported, ROWS);
      assert_int_equal(stats.evaluations, r.calls);
      assert_true(stats.t == 6 * pi);
      for (size_t i = 0; i < ROWS; i++) {
        kepler_exact(0.5, times[i], exact);
        worst = fmax(worst, distance(4, rows + 4 * i, exact));
      }
      assert_true(worst < 6000 * rtol);
      assert_true(worst < before / 5);
      before = worst;
      assert_memory_equal(last, y, sizeof y);
    }
  }
}

static mbs_status arenstorf_rhs(void *context, double t, const double *y, double *dydt) {
  const double mu = 0.012277471, nu = 1 - mu;
  const double d1 = pow((y[0] + mu) * (y[0] + mu) + y[1] * y[1], 1.5);
  const double d2 = pow((y[0] - nu) * (y[0] - nu) + y[1] * y[1], 1.5);
  (void)context;
  (void)t;
  dydt[0] = y[2];
  dydt[1] = y[3];
  dydt[2] = y[0] + 2 * y[3] - nu * (y[0] + mu) / d1 - mu * (y[0] - nu) / d2;
  dydt[3] = y[1] - 2 * y[2] - nu * y[1] / d1 - mu * y[1] / d2;
  return MBS_OK;
}

/* The closed orbit of Hairer, Norsett, Wanner, section II.0: steps between 1e-4 and 0.6. */
static void test_arenstorf(void **state) {
  static const double start[4] = {0.994, 0, 0, -2.00158510637908252240537862224};
  const mbs_ode ode = {.n = 4, .n_error = 4, .rhs = arenstorf_rhs};
  const mbs_tolerance tolerance = {.rtol = 1e-11, .atol = 1e-11};
  (void)state;

  for (size_t m = 0; m < 2; m++) {
    mbs_integration stats;
    double y[4];
    memcpy(y, start, sizeof y);
    assert_int_equal(
        integrate(methods[m], &ode, 0, 17.0652165601579625588917206249, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_true(distance(2, y, start) < 1e-5);
    assert_true(stats.rejected > 0 && stats.steps < 3000);
  }
}

/* ---- the driver --------------------------------------------------------------------------------------------- */

static void test_reports_do_not_change_steps(void **state) {
  enum { ROWS = 1000 };
  double times[ROWS];
  (void)state;

  for (int i = 0; i < ROWS; i++) times[i] = 0.01 * i;
  for (size_t m = 0; m < METHODS; m++) {
    const mbs_tolerance tolerance = {.rtol = 1e-7, .atol = 1e-9, .fixed_step = 0.03};
    mbs_integration stats[3];
    double y[3][4];
    for (int k = 0; k < 3; k++) {
      recorder r = {.n = 4};
      const mbs_ode ode = {.context = &r, .n = 4, .n_error = 4, .rhs = kepler_rhs, .report = record_report};
      kepler_exact(0.3, 0, y[k]);
      assert_int_equal(integrate(methods[m], &ode, 0, 10, y[k], times, k == 0 ? 0 : ROWS, &tolerance, &stats[k], NULL),
                       MBS_OK);
      assert_int_equal(r.reported, k == 0 ? 0 : ROWS);
    }
    /* Reports do not change a bit of the result, and repeated runs agree. */
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(y[1], y[2], sizeof y[0]);
    assert_int_equal(stats[0].steps, stats[1].steps);
    assert_memory_equal(&stats[1], &stats[2], sizeof stats[0]);
    if (methods[m] == &mbs_dopri5) assert_int_equal(stats[0].evaluations, stats[1].evaluations);
  }
}

/* A pendulum of length 1 in Cartesian coordinates x, y, x', y' with its tension. */
static mbs_status pendulum_rhs(void *context, double t, const double *y, double *dydt) {
  recorder *r = context;
  const double g = 9.81;
  const double tension = (y[2] * y[2] + y[3] * y[3] - g * y[1]) / (y[0] * y[0] + y[1] * y[1]);
  (void)t;
  ++r->calls;
  dydt[0] = y[2];
  dydt[1] = y[3];
  dydt[2] = -tension * y[0];
  dydt[3] = -tension * y[1] - g;
  return MBS_OK;
}

static mbs_status pendulum_project(void *context, double t, double *y) {
  recorder *r = context;
  const double length = hypot(y[0], y[1]);
  (void)t;
  ++r->projected;
  y[0] /= length;
  y[1] /= length;
  const double along = y[0] * y[2] + y[1] * y[3];
  y[2] -= along * y[0];
  y[3] -= along * y[1];
  return MBS_OK;
}

static void test_projection(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder r = {.n = 4};
    const mbs_ode ode = {.context = &r,
                         .n = 4,
                         .n_error = 4,
                         .rhs = pendulum_rhs,
                         .project = pendulum_project,
                         .accepted = record_accepted};
    const mbs_tolerance tolerance = {.rtol = 1e-8, .atol = 1e-10, .fixed_step = 2e-3};
    mbs_integration stats;
    double y[4] = {1, 0, 0, 0};
    assert_int_equal(integrate(methods[m], &ode, 0, 20, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_close(hypot(y[0], y[1]), 1, 4e-16);
    assert_close(y[0] * y[2] + y[1] * y[3], 0, 1e-14);
    assert_close(0.5 * (y[2] * y[2] + y[3] * y[3]) + 9.81 * y[1], 0, 2e-5);
    /* Projection costs no evaluation: every method evaluates its own stages, the first one reused from the previous
     * step. */
    const uint64_t stages = methods[m] == &mbs_dopri5 ? 6 : methods[m] == &mbs_dop853 ? 12 : 4;
    const uint64_t early = methods[m]->early_error ? stats.rejected : 0;
    assert_int_equal(r.accepted, stats.steps);
    assert_int_equal(r.projected, stats.steps + stats.rejected - early);
    assert_int_equal(stats.evaluations,
                     stages * (stats.steps + stats.rejected) - early + (methods[m]->adaptive ? 2 : 1));
  }
}

static mbs_status no_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  (void)t;
  (void)y;
  (void)dydt;
  return MBS_OK;
}

static void test_nothing_to_integrate(void **state) {
  static const double times[] = {1, 1.25, 1.5, 2, 3};
  (void)state;

  for (size_t m = 0; m < METHODS; m++) {
    double seen[5];
    recorder r = {.times = seen};
    const mbs_ode ode = {.context = &r, .rhs = no_rhs, .report = record_report};
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.25};
    mbs_integration stats;
    assert_int_equal(integrate(methods[m], &ode, 1, 3, NULL, times, 5, &tolerance, &stats, NULL), MBS_OK);
    assert_int_equal(r.reported, 5);
    assert_memory_equal(seen, times, sizeof seen);
    assert_int_equal(stats.steps, methods[m]->adaptive ? 1 : 8);
  }
}

static mbs_status decay_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  (void)t;
  dydt[0] = -y[0];
  return MBS_OK;
}

static void test_step_limits(void **state) {
  mbs_integration stats;
  mbs_error error = {0};
  (void)state;

  for (size_t m = 0; m < METHODS; m++) {
    recorder r = {.n = 1};
    const mbs_ode ode = {.context = &r, .n = 1, .n_error = 1, .rhs = decay_rhs, .accepted = record_accepted};
    const mbs_tolerance tolerance = {.rtol = 1e-3, .atol = 1e-3, .max_step = 0.1, .fixed_step = 0.1};
    double y = 1;
    assert_int_equal(integrate(methods[m], &ode, 0, 10, &y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_true(r.largest_step <= 0.1 * (1 + 1e-5));
    assert_true(stats.steps >= 100 && stats.steps <= 105);
    if (!methods[m]->adaptive) assert_int_equal(stats.steps, 100);
    assert_close(y, exp(-10), 1e-6);
  }
  {
    recorder r = {.n = 1};
    const mbs_ode ode = {.context = &r, .n = 1, .n_error = 1, .rhs = decay_rhs, .accepted = record_accepted};
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-6, .first_step = 1e-3, .max_step = 1e-3};
    double y = 1;
    assert_int_equal(integrate(&mbs_dop853, &ode, 0, 1e-3, &y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_int_equal(stats.steps, 1);
    assert_int_equal(stats.evaluations, 13);
  }
  const mbs_ode ode = {.n = 1, .n_error = 1, .rhs = decay_rhs};
  const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-6};
  double y = 1;
  assert_int_equal(integrate(&mbs_rk4, &ode, 0, 1, &y, NULL, 0, &tolerance, &stats, &error), MBS_OUT_OF_RANGE);
  assert_int_equal(error.status, MBS_OUT_OF_RANGE);
  assert_true(error.message[0] != '\0');
}

/* If a multiple of the fixed step misses the end of the span by 3e-7 of a step, the step is adjusted to meet it; a miss
 * by 3e-6 makes two more steps. */
static void test_last_fixed_step(void **state) {
  (void)state;
  const mbs_ode ode = {.n = 1, .n_error = 1, .rhs = decay_rhs};
  const struct {
    double step;
    uint64_t steps;
  } cases[] = {{0.3333333, 3}, {0.333333, 4}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-6, .fixed_step = cases[k].step};
    mbs_integration stats;
    double y = 1;
    assert_int_equal(integrate(&mbs_rk4, &ode, 0, 1, &y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_int_equal(stats.steps, cases[k].steps);
    assert_close(y, exp(-1), 1e-3);
  }
}

/* y' = 1 until t = 1, then y' = 1 + 6e-4 (t - 1)^5. */
static mbs_status late_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  (void)y;
  dydt[0] = t <= 1 ? 1 : 1 + 6e-4 * pow(t - 1, 5);
  return MBS_OK;
}

typedef struct step_lengths {
  double last, h[8], error[8];
  size_t count;
} step_lengths;

static void note_errors(void *context, double t, const double *errors) {
  step_lengths *steps = context;
  if (steps->count < 8) {
    steps->h[steps->count] = t - steps->last;
    steps->error[steps->count++] = errors[0];
  }
  steps->last = t;
}

/* Hairer's step control of dopri5 treats a previous error below 1e-4 as 1e-4: h_3 / h_2 = 0.9 (1e-4)^0.04 / err_2^(1/5
 * - 0.03) after a step without an error. */
static void test_error_before(void **state) {
  (void)state;
  step_lengths steps = {0};
  const mbs_ode ode = {.context = &steps, .n = 1, .n_error = 1, .rhs = late_rhs, .estimated = note_errors};
  const mbs_tolerance tolerance = {.rtol = 0, .atol = 1e-6, .first_step = 1, .max_step = 1};
  mbs_integration stats;
  double y = 0;
  assert_int_equal(integrate(&mbs_dopri5, &ode, 0, 5, &y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
  assert_true(steps.count > 2 && steps.error[0] == 0 && steps.h[1] == 1);
  const double norm = steps.error[1] / tolerance.atol;
  assert_true(norm > 0.1 && norm < 1);
  assert_close(steps.h[2] / steps.h[1], 0.9 * pow(1e-4, 0.04) / pow(norm, 0.17), 1e-9);
}

static mbs_status sine_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  (void)t;
  dydt[0] = y[1];
  dydt[1] = -y[0];
  return MBS_OK;
}

/* The estimated error of dop853's dense output is between a third and three times the largest error inside the step:
 * here y = sin(t), in steps of 0.8 from ten phases of a period. */
static void test_dense_error(void **state) {
  (void)state;
  const double h = 0.8;
  const mbs_ode ode = {.n = 2, .n_error = 2, .rhs = sine_rhs};
  const mbs_tolerance tolerance = {.rtol = 0, .atol = 1};
  const mbs_method *method = &mbs_dop853;
  double *work = malloc(method->workspace(2) * sizeof *work), estimates = 0, errors = 0;
  assert_non_null(work);
  for (int k = 0; k < 10; k++) {
    const double t = 0.2 * pi * k, y[2] = {sin(t), cos(t)};
    double f0[2], y1[2], f1[2], inside[2], worst = 0;
    uint64_t evaluations = 0;
    sine_rhs(NULL, t, y, f0);
    assert_int_equal(method->step(&ode, t, h, y, f0, y1, work, &evaluations), MBS_OK);
    sine_rhs(NULL, t + h, y1, f1);
    assert_int_equal(method->dense_prepare(&ode, t, h, y, f0, y1, f1, work, &evaluations), MBS_OK);
    for (int i = 1; i < 20; i++) {
      method->dense(2, 0.05 * i, h, y, y1, work, inside);
      worst = fmax(worst, fmax(fabs(inside[0] - sin(t + 0.05 * i * h)), fabs(inside[1] - cos(t + 0.05 * i * h))));
    }
    errors += worst;
    estimates += method->dense_error(&ode, y, y1, &tolerance, work);
  }
  assert_true(estimates > errors / 3 && estimates < 3 * errors);
  free(work);
}

static void test_empty_span(void **state) {
  static const double times[] = {5};
  recorder r = {.n = 1};
  const mbs_ode ode = {.context = &r, .n = 1, .n_error = 1, .rhs = decay_rhs, .report = record_report};
  const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-6};
  mbs_integration stats;
  double y = 1;
  (void)state;

  assert_int_equal(integrate(&mbs_dopri5, &ode, 5, 5, &y, times, 1, &tolerance, &stats, NULL), MBS_OK);
  assert_int_equal(r.reported, 1);
  assert_int_equal(stats.steps, 0);
  assert_true(stats.t == 5);
}

/* y' = -lambda (y - cos t): stability limits the step once the initial transient has decayed. */
static mbs_status stiff_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  dydt[0] = -2000 * (y[0] - cos(t));
  return MBS_OK;
}

static void test_stiffness(void **state) {
  const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-6};
  (void)state;

  for (size_t m = 0; m < 2; m++) {
    mbs_integration stats;
    recorder r = {.n = 4};
    const mbs_ode stiff = {.n = 1, .n_error = 1, .rhs = stiff_rhs};
    const mbs_ode kepler = {.context = &r, .n = 4, .n_error = 4, .rhs = kepler_rhs};
    double y[4] = {1};
    assert_int_equal(integrate(methods[m], &stiff, 0, 5, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_true(stats.stiffness > 0.3 && stats.stiffness <= 1);
    kepler_exact(0.5, 0, y);
    assert_int_equal(integrate(methods[m], &kepler, 0, 20, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_true(stats.stiffness < 0.05);
  }
}

/* ---- rejections and ends ------------------------------------------------------------------------------------ */

/* x' = v, v' = -x until x passes the wall. */
static mbs_status wall_rhs(void *context, double t, const double *y, double *dydt) {
  recorder *r = context;
  (void)t;
  ++r->calls;
  dydt[0] = y[1];
  dydt[1] = -y[0];
  if (y[0] <= r->wall) return MBS_OK;
  if (r->wall_status == MBS_NOT_FINITE) {
    dydt[1] = sqrt(r->wall - y[0]);
    return MBS_OK;
  }
  if (r->message != NULL) snprintf(r->message, 16, "the wall");
  return r->wall_status;
}

/* The run ends at the wall with the status of the wall; everything before it is reported. */
static void test_wall(void **state) {
  static const mbs_status statuses[] = {MBS_LOCK_UP, MBS_SINGULAR_POSITION, MBS_NOT_ASSEMBLED, MBS_NOT_FINITE};
  double times[100];
  (void)state;

  for (int i = 0; i < 100; i++) times[i] = 0.01 * i;
  for (size_t m = 0; m < METHODS; m++) {
    for (size_t k = 0; k < 4; k++) {
      recorder r = {.n = 2, .wall = 0.5, .wall_status = statuses[k]};
      const mbs_ode ode = {.context = &r, .n = 2, .n_error = 2, .rhs = wall_rhs, .report = record_report};
      const mbs_tolerance tolerance = {.rtol = 1e-9, .atol = 1e-9, .fixed_step = 5e-3};
      mbs_integration stats;
      mbs_error error = {0};
      double y[2] = {0, 1};
      if (k == 0) r.message = error.message;
      assert_int_equal(integrate(methods[m], &ode, 0, 1, y, times, 100, &tolerance, &stats, &error), statuses[k]);
      assert_close(stats.t, pi / 6, 1e-7);
      assert_close(y[0], 0.5, 1e-7);
      assert_true(y[0] <= 0.5);
      assert_true(error.time == stats.t);
      assert_int_equal(error.status, statuses[k]);
      assert_int_equal(r.reported, 53);
      if (k == 0)
        assert_string_equal(error.message, "the wall");
      else
        assert_non_null(strstr(error.message, "0.5235987"));
      assert_true(r.calls < 4000);
    }
  }
}

static void test_hard_ends(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    /* A status that ends the run does so immediately. */
    recorder r = {.n = 2, .wall = 0.5, .wall_status = MBS_CANCELLED};
    mbs_ode ode = {.context = &r, .n = 2, .n_error = 2, .rhs = wall_rhs, .report = record_report};
    const mbs_tolerance tolerance = {.rtol = 1e-9, .atol = 1e-9, .fixed_step = 5e-3};
    mbs_integration stats;
    mbs_error error = {0};
    double y[2] = {0, 1};
    assert_int_equal(integrate(methods[m], &ode, 0, 1, y, NULL, 0, &tolerance, &stats, &error), MBS_CANCELLED);
    assert_true(stats.rejected == 0 || methods[m]->adaptive);
    assert_true(error.time == stats.t && stats.t < pi / 6);

    /* An initial state that cannot be evaluated ends the run, as no smaller step exists. The initial report was
     * made. */
    static const double times[] = {0};
    r = (recorder){.n = 2, .wall = -1, .wall_status = MBS_SINGULAR_POSITION};
    y[0] = 0;
    y[1] = 1;
    assert_int_equal(integrate(methods[m], &ode, 0, 1, y, times, 1, &tolerance, &stats, &error), MBS_SINGULAR_POSITION);
    assert_int_equal(r.reported, 1);
    assert_int_equal(r.calls, 1);

    /* A report ends the run with its status, at its time. */
    static const double later[] = {0.125};
    r = (recorder){.n = 2, .wall = 9, .report_status = MBS_SINGULAR_POSITION};
    y[0] = 0;
    y[1] = 1;
    assert_int_equal(integrate(methods[m], &ode, 0, 1, y, later, 1, &tolerance, &stats, &error), MBS_SINGULAR_POSITION);
    assert_true(error.time == 0.125);
  }
}

/* y' = y^2 has no solution beyond t = 1. A rate that jumps without a guard costs steps but passes. */
static mbs_status blow_up_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  (void)t;
  dydt[0] = y[0] * y[0];
  return MBS_OK;
}

static mbs_status noise_rhs(void *context, double t, const double *y, double *dydt) {
  recorder *r = context;
  (void)t;
  (void)y;
  dydt[0] = ++r->calls % 2 == 0 ? 1e6 : -1e6;
  return MBS_OK;
}

static void test_smallest_step(void **state) {
  const mbs_tolerance tolerance = {.rtol = 1e-8, .atol = 1e-10};
  (void)state;

  for (size_t m = 0; m < 2; m++) {
    recorder r = {.n = 1};
    const mbs_ode blow_up = {.n = 1, .n_error = 1, .rhs = blow_up_rhs};
    const mbs_ode noise = {.context = &r, .n = 1, .n_error = 1, .rhs = noise_rhs};
    mbs_integration stats;
    mbs_error error = {0};
    double y = 1;
    const mbs_status status = integrate(methods[m], &blow_up, 0, 2, &y, NULL, 0, &tolerance, &stats, &error);
    assert_true(status == MBS_STEP_TOO_SMALL || status == MBS_NOT_FINITE);
    assert_close(stats.t, 1, 1e-6);
    y = 0;
    snprintf(error.message, sizeof error.message, "of a step that was tried again");
    assert_int_equal(integrate(methods[m], &noise, 0, 1, &y, NULL, 0, &tolerance, &stats, &error), MBS_STEP_TOO_SMALL);
    assert_non_null(strstr(error.message, "step size"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_observed_order), cmocka_unit_test(test_kepler_tolerances),
      cmocka_unit_test(test_arenstorf),      cmocka_unit_test(test_reports_do_not_change_steps),
      cmocka_unit_test(test_projection),     cmocka_unit_test(test_nothing_to_integrate),
      cmocka_unit_test(test_step_limits),    cmocka_unit_test(test_last_fixed_step),
      cmocka_unit_test(test_error_before),   cmocka_unit_test(test_dense_error),
      cmocka_unit_test(test_empty_span),     cmocka_unit_test(test_stiffness),
      cmocka_unit_test(test_wall),           cmocka_unit_test(test_hard_ends),
      cmocka_unit_test(test_smallest_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
