/* steps.h - functions that the methods, the integration loops and the search for events share; private to ode/. */
#ifndef MBS_STEPS_H
#define MBS_STEPS_H

#include "ode/integrator.h"

#include <float.h>
#include <math.h>

/* Evaluates f = f(t, y) and counts the evaluation. */
static inline mbs_status mbs_ode_evaluate(const mbs_ode *ode, mbs_real t, const mbs_real *y, mbs_real *f,
                                          uint64_t *evaluations) {
  ++*evaluations;
  return ode->rhs(ode->context, t, y, f);
}

/* Returns the scale of component i, which multiplies atol. */
static inline mbs_real mbs_error_unit(const mbs_tolerance *tolerance, size_t i) {
  return tolerance->units ? tolerance->units[i] : MBS_ALL(1);
}

/* Returns the tolerated error of component i, which is y0 at one end of the step and y1 at the other; never zero.
 * theory (16.3) */
static inline mbs_real mbs_error_scale(const mbs_tolerance *tolerance, size_t i, mbs_real y0, mbs_real y1) {
  return tolerance->atol * mbs_error_unit(tolerance, i) + tolerance->rtol * mbs_larger(mbs_size(y0), mbs_size(y1)) +
         DBL_MIN;
}

/* Returns the tolerated error of a quadrature that is part of a quantity of size `size`. theory (16.5) */
static inline double mbs_quadrature_scale(const mbs_tolerance *tolerance, double size, double y0, double y1) {
  return tolerance->rtol * fmax(size, fmax(fabs(y0), fabs(y1))) + DBL_MIN;
}

static inline bool mbs_all_finite(size_t n, const double *x) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* Returns true if a step that ended with `status` may be tried again with a smaller length. */
static inline bool mbs_status_rejects(mbs_status status) {
  return status == MBS_NOT_FINITE || status == MBS_SINGULAR_POSITION || status == MBS_LOCK_UP ||
         status == MBS_NOT_ASSEMBLED || status == MBS_CONTACT_NOT_UNIQUE || status == MBS_OUT_OF_RANGE;
}

/* Returns the largest additional error by interpolation, in tolerances. */
static inline double mbs_dense_share(const mbs_tolerance *tolerance) {
  return tolerance->dense > 0 ? tolerance->dense : 0.25;
}

/* Chooses the length of a first step from (t, y) with f0 = f(t, y), at most h_max, by Hairer's heuristic. Evaluates
 * once; `y_trial` and `f_trial` [n] are workspace. If that evaluation rejects, the first guess is used. */
mbs_status mbs_starting_step(const mbs_method *method, const mbs_ode *ode, double t, const double *y, const double *f0,
                             const mbs_tolerance *tolerance, double h_max, double *y_trial, double *f_trial,
                             uint64_t *evaluations, double *h);

/* A finished step that is ready for dense output. */
typedef struct mbs_finished_step {
  const mbs_method *method;
  const mbs_ode *ode;
  double t, h;
  const double *y, *y1;    /* [n] states at its ends */
  const double *workspace; /* workspace of the method */
  double *state;           /* [n] scratch: states inside the step */
} mbs_finished_step;

/* Rows of the table of guards [MBS_GUARD_ROWS][n_guards]: at the start of the step, inside, at its end, at the start of
 * a piece of it, before and after the first event found so far, scratch; then indices of guards that may have an
 * event. */
enum {
  MBS_GUARD_START = 0,
  MBS_GUARD_END = 6,
  MBS_GUARD_LEFT,
  MBS_GUARD_BEFORE,
  MBS_GUARD_AFTER,
  MBS_GUARD_SCRATCH,
  MBS_GUARD_LIVE,
  MBS_GUARD_ROWS
};

/* Computes the guards [n_guards] at (t, y). Returns MBS_NOT_FINITE if one is NaN. */
mbs_status mbs_guards_evaluate(const mbs_ode *ode, double t, const double *y, double *guards);

/* Returns true if a guard with the value `start` at the start of a step has its event at `value`. */
static inline bool mbs_guard_fell(double start, double value) { return value < 0 && value < start; }

/* Returns the time up to which rows are reported before the events at t, the end of a step: an event is located a few
 * units of resolution past its instant. INFINITY: there is no event, or rows do not wait for events. */
double mbs_rows_until(const mbs_ode *ode, const double *guards, double t, double resolution);

/* Finds the first event of a step: t + *theta h is at most `resolution` after it. Sets *theta to 1 if there is none
 * before the end; row MBS_GUARD_END shows if there is one at the end. Needs row MBS_GUARD_START and fills the others.
 * Also finds guards that are negative only inside the step. */
mbs_status mbs_event_find(const mbs_finished_step *step, double resolution, double *guards, double *theta);

/* ---- observation (observe.c) ---- */

/* Receives a part of a step up to t1, ready for dense output; the whole step if it cannot be divided. */
typedef mbs_status mbs_part_shown(void *context, const mbs_finished_step *part, double t1);

/* Divides a finished step, whose dense output is less accurate than the method, into parts that are separate steps.
 * `f0` is the slope at its start. `part_work` is a workspace of the method; `states` [4 n] stores the ends of parts. */
mbs_status mbs_step_subdivide(const mbs_finished_step *step, const mbs_tolerance *tolerance, const double *f0,
                              double *part_work, double *states, uint64_t *evaluations, mbs_part_shown *shown,
                              void *context);

/* Shows a finished step to the host. If it `falls_short`, its dense output is not accurate enough: then the step is
 * divided by mbs_step_subdivide(). */
mbs_status mbs_step_observe(const mbs_finished_step *step, bool falls_short, const mbs_tolerance *tolerance,
                            const double *f0, double *part_work, double *states, uint64_t *evaluations);

/* Shows a single state to the host, for an integration without steps. */
mbs_status mbs_state_observe(const mbs_method *method, const mbs_ode *ode, double t, const double *y);

/* Returns true if an observer needs states inside a step from t to t1. */
static inline bool mbs_ode_inside(const mbs_ode *ode, double t, double t1) {
  return ode->inside != NULL && ode->inside(ode->context, t, t1);
}

/* Returns true if the host ends the integration at an event. */
static inline bool mbs_ode_stopped(const mbs_ode *ode) { return ode->stopped != NULL && ode->stopped(ode->context); }

/* ---- runs that end early (failures.c) ---- */

/* Completes the error of a callback that failed with `status` at time t, unless it has a message. Returns `status`. */
mbs_status mbs_integration_finish_error(mbs_error *error, mbs_status status, double t);
/* Sets the error of an integrator that fails at time t, and removes the message of a repeated step. Returns
 * `status`. */
mbs_status mbs_integration_fail(mbs_error *error, mbs_status status, double t, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Sets the error for an error test that fails at the smallest step. */
mbs_status mbs_integration_fail_step_size(mbs_error *error, double t, double smallest);

/* Counts cut steps, to detect events that do not end (chattering). */
typedef struct mbs_chatter {
  double time;  /* CHATTER_EVENTS cut steps within this time are chattering [s] */
  double start; /* start of the current count [s] */
  int count;
} mbs_chatter;

mbs_chatter mbs_chatter_from(double t_start, double t_end, double resolution);
/* Counts a step cut at t, with the guards before and after it [n_guards]. Ends the run if there are too many. */
mbs_status mbs_chatter_check(mbs_chatter *chatter, const mbs_ode *ode, double t, const double *before,
                             const double *after, mbs_error *error);

#endif
