/* test_events.c - location of events (balls, switches, friction) whose instants have a closed form. */
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

static const double pi = 3.14159265358979323846;
static const double g = 9.81;
enum { METHODS = 3, EVENTS_MAX = 2048, ROWS_MAX = 64, MARKS = 150 };
static const mbs_method *const methods[METHODS] = {&mbs_dopri5, &mbs_dop853, &mbs_rk4};

/* Data that a run records, and the modes of the systems below. */
typedef struct recorder {
  double times[EVENTS_MAX];
  size_t guards[EVENTS_MAX];
  size_t events;
  double rows[ROWS_MAX][4];
  size_t reported, accepted;
  double sides[2];    /* +1 or -1: held side of each guard */
  double restitution; /* coefficient of restitution of a ball */
  double floor;       /* height of the floor */
  double frequency;   /* frequency of an oscillator */
  mbs_status guard_status;
} recorder;

/* Creates a recorder whose guards are on this side. The caller frees it. */
static recorder *recorder_on(double side) {
  recorder *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->sides[0] = r->sides[1] = side;
  return r;
}

static void record(recorder *r, size_t index, double t) {
  assert_true(r->events < EVENTS_MAX);
  r->guards[r->events] = index;
  r->times[r->events++] = t;
}

static mbs_status record_report(void *context, size_t row, double t, const double *y) {
  recorder *r = context;
  (void)t;
  assert_int_equal(row, r->reported);
  assert_true(row < ROWS_MAX);
  memcpy(r->rows[r->reported++], y, 2 * sizeof *y);
  return MBS_OK;
}

static mbs_status record_accepted(void *context, double t, const double *y) {
  recorder *r = context;
  (void)t;
  (void)y;
  ++r->accepted;
  return MBS_OK;
}

static mbs_status integrate(const mbs_method *method, const mbs_ode *ode, double t1, double *y, const double *times,
                            size_t rows, const mbs_tolerance *tolerance, mbs_integration *stats, mbs_error *error) {
  double *work = malloc(mbs_integrate_workspace(method, ode) * sizeof *work);

  assert_non_null(work);
  const mbs_status status = mbs_integrate(method, ode, 0, t1, y, times, rows, tolerance, work, stats, error);
  free(work);
  return status;
}

/* ---- a ball: height and speed ------------------------------------------------------------------------------- */

static mbs_status ball_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  (void)t;
  dydt[0] = y[1];
  dydt[1] = -g;
  return MBS_OK;
}

static mbs_status ball_guards(void *context, double t, const double *y, double *guards) {
  const recorder *r = context;
  (void)t;
  guards[0] = y[0] - r->floor;
  return MBS_OK;
}

static mbs_status ball_event(void *context, size_t index, double t, double *y) {
  recorder *r = context;
  record(r, index, t);
  y[1] = -r->restitution * y[1];
  return MBS_OK;
}

static mbs_ode ball(recorder *r) {
  return (mbs_ode){.context = r,
                   .n = 2,
                   .n_error = 2,
                   .rhs = ball_rhs,
                   .n_guards = 1,
                   .guards = ball_guards,
                   .event = ball_event,
                   .accepted = record_accepted,
                   .report = record_report};
}

static void test_bouncing_ball(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder *r = recorder_on(0);
    r->restitution = 0.8;
    const mbs_ode ode = ball(r);
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.01};
    mbs_integration stats;
    double y[2] = {1, 0}, t = sqrt(2 / g), speed = sqrt(2 * g);
    assert_int_equal(integrate(methods[m], &ode, 3.5, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_true(r->events > 8);
    for (size_t k = 0; k < r->events; k++) {
      assert_close(r->times[k], t, 1e-13);
      speed *= 0.8;
      t += 2 * speed / g;
    }
    assert_true(t > 3.5);
    assert_int_equal(r->accepted, stats.steps + r->events);
    const double left = t - 3.5;
    assert_close(y[0], speed * left - 0.5 * g * left * left, 1e-12);
    free(r);
  }
}

/* A ball in upward gravity: thrown down, it reverses at its lowest point. */
static mbs_status lob_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  (void)t;
  dydt[0] = y[1];
  dydt[1] = g;
  return MBS_OK;
}

static mbs_status count_event(void *context, size_t index, double t, double *y) {
  recorder *r = context;
  (void)y;
  record(r, index, t);
  r->sides[index] = -r->sides[index];
  return MBS_OK;
}

static mbs_status side_guards(void *context, double t, const double *y, double *guards) {
  const recorder *r = context;
  (void)t;
  guards[0] = r->sides[0] * (y[0] - r->floor);
  return MBS_OK;
}

/* Steps of 1e-2 s detect a contact of 1e-5 s at any place within a step. */
static void test_short_contact(void **state) {
  const double duration = 1e-5, vertex = 0.5, depth = g * duration * duration / 8;
  (void)state;

  for (size_t m = 0; m < METHODS; m++) {
    for (int k = 0; k <= 400; k++) {
      recorder *r = recorder_on(1);
      r->floor = -0.5 * g * vertex * vertex + depth;
      const mbs_ode ode = {.context = r,
                           .n = 2,
                           .n_error = 2,
                           .rhs = lob_rhs,
                           .n_guards = 1,
                           .guards = side_guards,
                           .event = count_event};
      const double step = 0.01 + 2.5e-7 * k + 1e-5 * (k % 7);
      const mbs_tolerance tolerance = {
          .rtol = 1e-6, .atol = 1e-9, .max_step = step, .first_step = step, .fixed_step = step};
      mbs_integration stats;
      double y[2] = {0, -g * vertex};
      assert_int_equal(integrate(methods[m], &ode, 1, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
      assert_int_equal(r->events, 2);
      /* Tolerance: the rounding of the heights, 1e-16, divided by the speed at the contact, 5e-5. */
      assert_close(r->times[0], vertex - duration / 2, 1e-10);
      assert_close(r->times[1], vertex + duration / 2, 1e-10);
      free(r);
    }
  }
}

/* No event occurs in the same motion if the guard approaches zero to 1e-12 without changing sign. */
static void test_near_miss(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder *r = recorder_on(1);
    r->floor = -0.5 * g * 0.25 - 1e-12;
    const mbs_ode ode = {
        .context = r, .n = 2, .n_error = 2, .rhs = lob_rhs, .n_guards = 1, .guards = side_guards, .event = count_event};
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.013};
    mbs_integration stats;
    double y[2] = {0, -g * 0.5};
    assert_int_equal(integrate(methods[m], &ode, 1, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_int_equal(r->events, 0);
    assert_true(stats.steps < 100);
    free(r);
  }
}

/* ---- an oscillator: x = cos(w t), guards that follow its sign --------------------------------------------------- */

static mbs_status oscillator_rhs(void *context, double t, const double *y, double *dydt) {
  const recorder *r = context;
  (void)t;
  dydt[0] = y[1];
  dydt[1] = -r->frequency * r->frequency * y[0];
  return MBS_OK;
}

/* Every passage through a level is one event, although the guard is zero when the integration restarts. */
static void test_level_passages(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder *r = recorder_on(1);
    r->floor = 0.25;
    r->frequency = 2;
    const mbs_ode ode = {.context = r,
                         .n = 2,
                         .n_error = 2,
                         .rhs = oscillator_rhs,
                         .n_guards = 1,
                         .guards = side_guards,
                         .event = count_event};
    const mbs_tolerance tolerance = {.rtol = 1e-10, .atol = 1e-10, .fixed_step = 2e-3};
    mbs_integration stats;
    double y[2] = {1, 0};
    assert_int_equal(integrate(methods[m], &ode, 10, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_int_equal(r->events, 6);
    for (size_t k = 0; k < 6; k++) {
      const size_t turns = (k + 1) / 2;
      const double wanted = (k % 2 == 0 ? acos(0.25) : -acos(0.25)) / 2 + pi * (double)turns;
      assert_close(r->times[k], wanted, 1e-8);
    }
    assert_close(y[0], cos(20), 1e-8);
    free(r);
  }
}

/* The peak of a wave exceeds the level for 1e-5 of the period. The method chooses the steps. */
static void test_short_wave(void **state) {
  const double half = 1e-5 * pi;
  (void)state;

  for (size_t m = 0; m < METHODS; m++) {
    for (int k = 0; k < 50; k++) {
      recorder *r = recorder_on(1);
      r->floor = -cos(half);
      r->frequency = 1;
      const mbs_ode ode = {.context = r,
                           .n = 2,
                           .n_error = 2,
                           .rhs = oscillator_rhs,
                           .n_guards = 1,
                           .guards = side_guards,
                           .event = count_event};
      const mbs_tolerance tolerance = {.rtol = 1e-12, .atol = 1e-12, .fixed_step = 2e-3};
      mbs_integration stats;
      const double phase = 0.02 * k;
      double y[2] = {cos(phase), -sin(phase)};
      assert_int_equal(integrate(methods[m], &ode, 4, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
      assert_int_equal(r->events, 2);
      /* An error e of the heights shifts the instants by e / sin(half). */
      assert_close(r->times[0], pi - phase - half, 1e-6);
      assert_close(r->times[1], pi - phase + half, 1e-6);
      free(r);
    }
  }
}

/* ---- two guards, and guards at the ends ----------------------------------------------------------------------- */

static mbs_status clock_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  (void)t;
  (void)y;
  dydt[0] = 1;
  dydt[1] = -0.3;
  return MBS_OK;
}

static mbs_status clock_guards(void *context, double t, const double *y, double *guards) {
  const recorder *r = context;
  (void)t;
  guards[0] = r->sides[0] * (r->floor - y[0]);
  guards[1] = r->sides[1] * (y[1] + 0.3 * r->floor) * 7;
  return r->guard_status;
}

static mbs_ode clock_ode(recorder *r) {
  return (mbs_ode){.context = r,
                   .n = 2,
                   .n_error = 2,
                   .rhs = clock_rhs,
                   .n_guards = 2,
                   .guards = clock_guards,
                   .event = count_event,
                   .accepted = record_accepted,
                   .report = record_report};
}

static void test_simultaneous_guards(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder *r = recorder_on(1);
    r->floor = 0.7;
    const mbs_ode ode = clock_ode(r);
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.11};
    mbs_integration stats;
    double y[2] = {0, 0};
    assert_int_equal(integrate(methods[m], &ode, 1, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_int_equal(r->events, 2);
    assert_true(r->guards[0] + r->guards[1] == 1);
    for (size_t k = 0; k < 2; k++) assert_close(r->times[k], 0.7, 1e-14);
    free(r);
  }
}

/* Repeats the guards of the test before, with their instant at reports and at the ends of the span. */
static void test_event_at_reports_and_ends(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder *r = recorder_on(0);
    static const double times[] = {0, 0.25, 0.5, 0.75, 1};
    static const double instants[] = {0, 0.25, 0.5, 1 - 1e-12, 1};
    for (size_t k = 0; k < 5; k++) {
      memset(r, 0, sizeof *r);
      r->sides[0] = 1;
      r->sides[1] = 1;
      r->floor = instants[k];
      const mbs_ode ode = clock_ode(r);
      const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.11};
      mbs_integration stats;
      double y[2] = {0, 0};
      assert_int_equal(integrate(methods[m], &ode, 1, y, times, 5, &tolerance, &stats, NULL), MBS_OK);
      assert_int_equal(r->reported, 5);
      /* Rounding decides if the guard is already below zero at the very end. */
      if (k < 4) assert_int_equal(r->events, 2);
      for (size_t i = 0; i < r->events; i++) assert_close(r->times[i], instants[k], 1e-14);
      for (size_t i = 0; i < 5; i++) assert_close(r->rows[i][0], times[i], 1e-14);
      assert_true(stats.t == 1);
    }
    free(r);
  }
}

/* Reports at the instant of a jump that the previous run located, and one rounding unit to either side, show the state
 * before the jump. */
static void test_report_before_event(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    const double start[2] = {1, 0}, t = sqrt(2 / g);
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.01};
    mbs_integration stats;
    double times[4] = {0}, y[2];
    recorder *r = recorder_on(0);
    const mbs_ode ode = ball(r);
    for (size_t rows = 0; rows <= 4; rows += 4) {
      memset(r, 0, sizeof *r);
      memcpy(y, start, sizeof y);
      r->restitution = 0.5;
      assert_int_equal(integrate(methods[m], &ode, 0.6, y, times, rows, &tolerance, &stats, NULL), MBS_OK);
      times[0] = nextafter(r->times[0], 0);
      times[1] = r->times[0];
      times[2] = nextafter(r->times[0], 1);
      times[3] = r->times[0] + 1e-9;
    }
    assert_int_equal(r->reported, 4);
    for (size_t k = 0; k < 3; k++) assert_close(r->rows[k][1], -g * t, 1e-12);
    assert_close(r->rows[3][1], 0.5 * g * t, 1e-7);
    free(r);
  }
}

/* ---- switched systems ---------------------------------------------------------------------------------------- */

/* A block that slides to rest: v' = -mu g sign(v) with the side fixed until v changes sign; then it stays at rest. */
static mbs_status block_rhs(void *context, double t, const double *y, double *dydt) {
  const recorder *r = context;
  (void)t;
  dydt[0] = y[1];
  dydt[1] = r->sides[0] > 0 ? -0.3 * g - 0.1 * y[1] * y[1] : 0;
  return MBS_OK;
}

static mbs_status block_guards(void *context, double t, const double *y, double *guards) {
  const recorder *r = context;
  (void)t;
  guards[0] = r->sides[0] > 0 ? y[1] : 1;
  return MBS_OK;
}

static mbs_status block_event(void *context, size_t index, double t, double *y) {
  recorder *r = context;
  record(r, index, t);
  r->sides[0] = -1;
  y[1] = 0;
  return MBS_OK;
}

/* The switch does not reduce the accuracy of the method. */
static void test_friction_stop(void **state) {
  const double a = 0.3 * g, b = 0.1, v = 4;
  const double stop = atan(v * sqrt(b / a)) / sqrt(a * b), way = log1p(b * v * v / a) / (2 * b);
  (void)state;

  for (size_t m = 0; m < METHODS; m++) {
    recorder *r = recorder_on(1);
    const mbs_ode ode = {.context = r,
                         .n = 2,
                         .n_error = 2,
                         .rhs = block_rhs,
                         .n_guards = 1,
                         .guards = block_guards,
                         .event = block_event};
    const mbs_tolerance tolerance = {.rtol = 1e-11, .atol = 1e-11, .fixed_step = 1e-3};
    mbs_integration stats;
    double y[2] = {0, v};
    assert_int_equal(integrate(methods[m], &ode, 3, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_int_equal(r->events, 1);
    assert_close(r->times[0], stop, 1e-9);
    assert_close(y[0], way, 1e-9);
    assert_true(y[1] == 0);
    assert_true(stats.rejected < 10);
    free(r);
  }
}

/* x' = -side: both sides push towards x = 0, so the mode changes endlessly there. */
static mbs_status sliding_rhs(void *context, double t, const double *y, double *dydt) {
  const recorder *r = context;
  (void)t;
  (void)y;
  dydt[0] = -r->sides[0];
  return MBS_OK;
}

static mbs_status sliding_guards(void *context, double t, const double *y, double *guards) {
  const recorder *r = context;
  (void)t;
  guards[0] = 1;
  guards[1] = r->sides[0] * y[0];
  return MBS_OK;
}

static mbs_status sliding_event(void *context, size_t index, double t, double *y) {
  (void)y;
  recorder *r = context;
  record(r, index, t);
  r->sides[0] = -r->sides[0];
  return MBS_OK;
}

static mbs_ode sliding(recorder *r) {
  return (mbs_ode){.context = r,
                   .n = 1,
                   .n_error = 1,
                   .rhs = sliding_rhs,
                   .n_guards = 2,
                   .guards = sliding_guards,
                   .event = sliding_event};
}

static void test_chatter(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder *r = recorder_on(1);
    const mbs_ode ode = sliding(r);
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.01};
    mbs_integration stats;
    mbs_error error = {0};
    double y = 0.5;
    assert_int_equal(integrate(methods[m], &ode, 1, &y, NULL, 0, &tolerance, &stats, &error), MBS_STEP_TOO_SMALL);
    assert_close(error.time, 0.5, 1e-8);
    assert_non_null(strstr(error.message, "switch 1 "));
    free(r);
  }
}

/* y' = 1 with an event after each `floor`; the 3000th ends the run. */
static mbs_status tick_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context;
  (void)t;
  (void)y;
  dydt[0] = 1;
  return MBS_OK;
}

static mbs_status tick_guards(void *context, double t, const double *y, double *guards) {
  const recorder *r = context;
  (void)t;
  guards[0] = r->floor - y[0];
  return MBS_OK;
}

static mbs_status tick_event(void *context, size_t index, double t, double *y) {
  recorder *r = context;
  (void)index;
  (void)t;
  y[0] -= r->floor;
  return ++r->reported < 3000 ? MBS_OK : MBS_CANCELLED;
}

/* Events separated by 5e-13 of the span are chattering; events separated by 5e-12 are not. */
static void test_frequent_events(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    recorder *r = recorder_on(1);
    r->floor = k == 0 ? 5e-13 : 5e-12;
    const mbs_ode ode = {
        .context = r, .n = 1, .n_error = 1, .rhs = tick_rhs, .n_guards = 1, .guards = tick_guards, .event = tick_event};
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .first_step = 1e-12};
    mbs_integration stats;
    double y = 0;
    assert_int_equal(integrate(&mbs_dopri5, &ode, 1, &y, NULL, 0, &tolerance, &stats, NULL),
                     k == 0 ? MBS_STEP_TOO_SMALL : MBS_CANCELLED);
    free(r);
  }
}

/* y' = 1 with a guard that is negative for 1 % of a step near its eighth, and rises slowly elsewhere. */
static mbs_status notch_guards(void *context, double t, const double *y, double *guards) {
  const recorder *r = context;
  const double off = (t - r->floor) / 0.03;
  (void)y;
  guards[0] = r->sides[0] * (1 + 0.1 * t - 1.05 * exp(-off * off));
  return MBS_OK;
}

/* The search bisects if the samples do not describe the guard: both zeros are found. */
static void test_notch_between_samples(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder *r = recorder_on(1);
    r->floor = 0.125;
    const mbs_ode ode = {.context = r,
                         .n = 1,
                         .n_error = 1,
                         .rhs = tick_rhs,
                         .n_guards = 1,
                         .guards = notch_guards,
                         .event = count_event};
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .first_step = 1, .fixed_step = 1};
    mbs_integration stats;
    double y = 0;
    assert_int_equal(integrate(methods[m], &ode, 1, &y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    assert_int_equal(r->events, 2);
    free(r);
  }
}

/* Like sliding, but the host settles the mode in the middle once the events of an instant are processed, or reports
 * that the events do not end. */
static mbs_status sliding_settle(void *context, double t, double *y) {
  recorder *r = context;
  (void)t;
  r->sides[0] = 0;
  y[0] = 0;
  return MBS_OK;
}

static mbs_status sliding_endless(void *context, size_t index, double t) {
  record(context, 100 + index, t);
  return MBS_LOCK_UP;
}

static void test_settled_chatter(void **state) {
  (void)state;
  static const mbs_method *const all[] = {&mbs_dopri5, &mbs_dop853, &mbs_rk4, &mbs_bdf};
  for (int k = 0; k < 8; k++) {
    recorder *r = recorder_on(1);
    mbs_ode ode = sliding(r);
    ode.settle = k % 2 ? NULL : sliding_settle;
    ode.fail_zeno = sliding_endless;
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.01};
    mbs_integration stats;
    mbs_error error = {0};
    double y = 0.5;
    mbs_status status = integrate(all[k / 2], &ode, 1, &y, NULL, 0, &tolerance, &stats, &error);
    assert_close(r->times[0], 0.5, 1e-8);
    if (k % 2) {
      assert_int_equal(status, MBS_LOCK_UP);
      assert_int_equal(r->guards[r->events - 1], 101);
    } else {
      assert_int_equal(status, MBS_OK);
      assert_int_equal(r->events, 1);
      assert_true(y == 0);
    }
    free(r);
  }
}

/* ---- guards that fail, repeatability --------------------------------------------------------------------------- */

static mbs_status undefined_guards(void *context, double t, const double *y, double *guards) {
  (void)context;
  (void)y;
  guards[0] = guards[1] = sqrt(0.5 - t);
  return MBS_OK;
}

static void test_failing_guards(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder *r = recorder_on(1);
    r->floor = 2;
    mbs_ode ode = clock_ode(r);
    const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.11};
    mbs_integration stats;
    mbs_error error = {0};
    double y[2] = {0, 0};
    r->guard_status = MBS_TIMED_OUT;
    assert_int_equal(integrate(methods[m], &ode, 1, y, NULL, 0, &tolerance, &stats, &error), MBS_TIMED_OUT);
    ode.guards = undefined_guards;
    assert_int_equal(integrate(methods[m], &ode, 1, y, NULL, 0, &tolerance, &stats, &error), MBS_NOT_FINITE);
    assert_close(error.time, 0.5, 1e-12);
    free(r);
  }
}

static void test_same_bits(void **state) {
  (void)state;
  for (size_t m = 0; m < METHODS; m++) {
    recorder *r[2];
    mbs_integration stats[2];
    double y[2][2] = {{1, 0.3}, {1, 0.3}};
    for (int k = 0; k < 2; k++) {
      r[k] = calloc(1, sizeof *r[k]);
      assert_non_null(r[k]);
      r[k]->restitution = 0.7;
      const mbs_ode ode = ball(r[k]);
      const mbs_tolerance tolerance = {.rtol = 1e-6, .atol = 1e-9, .fixed_step = 0.01};
      assert_int_equal(integrate(methods[m], &ode, 2.2, y[k], NULL, 0, &tolerance, &stats[k], NULL), MBS_OK);
    }
    assert_memory_equal(r[0], r[1], sizeof *r[0]);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
    free(r[0]);
    free(r[1]);
  }
}

/* ---- many guards ---------------------------------------------------------------------------------------------- */

/* A clock y' = 1 that passes unordered marks; every third one shares its instant with others. */
typedef struct marks {
  double at[MARKS], passed[MARKS];
  size_t calls;
} marks;

static mbs_status marks_rhs(void *context, double t, const double *y, double *dydt) {
  (void)context, (void)t, (void)y;
  dydt[0] = 1;
  return MBS_OK;
}

static mbs_status marks_guards(void *context, double t, const double *y, double *guards) {
  marks *m = context;
  (void)t;
  m->calls++;
  for (size_t i = 0; i < MARKS; i++) {
    const double left = sin(m->at[i] - y[0]); /* nonlinear in y */
    guards[i] = isnan(m->passed[i]) ? left : -left;
  }
  return MBS_OK;
}

static mbs_status marks_event(void *context, size_t index, double t, double *y) {
  marks *m = context;
  (void)y;
  assert_true(isnan(m->passed[index]));
  m->passed[index] = t;
  return MBS_OK;
}

/* Each mark is passed at its instant, and marks of one instant in one step. The number of guard evaluations grows with
 * the number of instants, not of guards. */
static void test_many_guards(void **state) {
  (void)state;
  for (size_t k = 0; k < METHODS; k++) {
    marks m = {.calls = 0};
    size_t instants = 0;
    for (size_t i = 0; i < MARKS; i++) {
      const bool shared = i % 3 == 0;
      m.at[i] = shared ? 0.1 + 0.2 * (double)(i * 7919 % 5) : 0.05 + 0.9 * (double)(i * 7919 % 997) / 997;
      m.passed[i] = NAN;
      instants += !shared;
    }
    const mbs_ode ode = {.context = &m,
                         .n = 1,
                         .n_error = 1,
                         .rhs = marks_rhs,
                         .n_guards = MARKS,
                         .guards = marks_guards,
                         .event = marks_event};
    const mbs_tolerance tolerance = {.rtol = 1e-9, .atol = 1e-12, .fixed_step = 0.1};
    mbs_integration stats;
    double y[1] = {0};
    assert_int_equal(integrate(methods[k], &ode, 1, y, NULL, 0, &tolerance, &stats, NULL), MBS_OK);
    for (size_t i = 0; i < MARKS; i++) assert_close(m.passed[i], m.at[i], 1e-14);
    print_message("%zu steps, %zu looks at %d guards with %zu instants\n", (size_t)stats.steps, m.calls, MARKS,
                  instants + 5);
    assert_true(m.calls < 40 * (instants + 5));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_short_contact),
      cmocka_unit_test(test_near_miss),
      cmocka_unit_test(test_level_passages),
      cmocka_unit_test(test_short_wave),
      cmocka_unit_test(test_simultaneous_guards),
      cmocka_unit_test(test_many_guards),
      cmocka_unit_test(test_event_at_reports_and_ends),
      cmocka_unit_test(test_report_before_event),
      cmocka_unit_test(test_friction_stop),
      cmocka_unit_test(test_chatter),
      cmocka_unit_test(test_frequent_events),
      cmocka_unit_test(test_notch_between_samples),
      cmocka_unit_test(test_settled_chatter),
      cmocka_unit_test(test_failing_guards),
      cmocka_unit_test(test_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
