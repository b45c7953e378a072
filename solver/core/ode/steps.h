/* steps.h - what the methods, the drivers and the search for events share; private to ode/. */
#ifndef MBS_STEPS_H
#define MBS_STEPS_H

#include "ode/integrator.h"

#include <float.h>
#include <math.h>

/* f = f(t, y), counted. */
static inline mbs_status mbs_ode_evaluate(const mbs_ode *ode, mbs_real t, const mbs_real *y, mbs_real *f,
                                          uint64_t *evaluations) {
  ++*evaluations;
  return ode->rhs(ode->context, t, y, f);
}

/* What atol is counted in, of component i. */
static inline mbs_real mbs_error_unit(const mbs_tolerance *tolerance, size_t i) {
  return tolerance->units ? tolerance->units[i] : MBS_ALL(1);
}

/* What an error of 1 means in component i, which is y0 at one end of the step and y1 at the other; never zero.
 * theory (16.3) */
static inline mbs_real mbs_error_scale(const mbs_tolerance *tolerance, size_t i, mbs_real y0, mbs_real y1) {
  return tolerance->atol * mbs_error_unit(tolerance, i) + tolerance->rtol * mbs_larger(mbs_size(y0), mbs_size(y1)) +
         DBL_MIN;
}

/* The same in a quadrature, of which what it is a part of has the size `size`. theory (16.5) */
static inline double mbs_quadrature_scale(const mbs_tolerance *tolerance, double size, double y0, double y1) {
  return tolerance->rtol * fmax(size, fmax(fabs(y0), fabs(y1))) + DBL_MIN;
}

static inline bool mbs_all_finite(size_t n, const double *x) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* Whether a step that ended like this may be tried again with a smaller length. */
static inline bool mbs_status_rejects(mbs_status status) {
  return status == MBS_NOT_FINITE || status == MBS_SINGULAR_POSITION || status == MBS_LOCK_UP ||
         status == MBS_NOT_ASSEMBLED || status == MBS_CONTACT_NOT_UNIQUE || status == MBS_OUT_OF_RANGE;
}

/* What interpolation may add to the error of a step, in units of the tolerance. */
static inline double mbs_dense_share(const mbs_tolerance *tolerance) {
  return tolerance->dense > 0 ? tolerance->dense : 0.25;
}

/* The length of a first step from (t, y) with f0 = f(t, y), at most h_max: Hairer's heuristic. Evaluates once, with
 * `y_trial` and `f_trial` [n] as workspace; a status that rejects steps leaves its first guess. */
mbs_status mbs_starting_step(const mbs_method *method, const mbs_ode *ode, double t, const double *y, const double *f0,
                             const mbs_tolerance *tolerance, double h_max, double *y_trial, double *f_trial,
                             uint64_t *evaluations, double *h);

/* A finished step that is ready for dense output. */
typedef struct mbs_finished_step {
  const mbs_method *method;
  const mbs_ode *ode;
  double t, h;
  const double *y, *y1;    /* [n] its ends */
  const double *workspace; /* of the method */
  double *state;           /* [n] scratch: states inside the step */
} mbs_finished_step;

/* Rows of the table of guards [MBS_GUARD_ROWS][n_guards]: at the step's start, inside, at its end, where a piece of it
 * begins, before and behind the first event so far, scratch. */
enum {
  MBS_GUARD_START = 0,
  MBS_GUARD_END = 6,
  MBS_GUARD_LEFT,
  MBS_GUARD_BEFORE,
  MBS_GUARD_AFTER,
  MBS_GUARD_SCRATCH,
  MBS_GUARD_ROWS
};

/* The guards at (t, y) into guards [n_guards]; MBS_NOT_FINITE where one is NaN. */
mbs_status mbs_guards_evaluate(const mbs_ode *ode, double t, const double *y, double *guards);

/* Whether a guard that was `start` at the start of a step has its event at `value`. */
static inline bool mbs_guard_fell(double start, double value) { return value < 0 && value < start; }

/* Where the first event of a step is: t + *theta h is at most `resolution` past it. *theta is 1 when there is none
 * before the end; whether there is one at the end is seen in the last row. Row MBS_GUARD_START is given, the others are
 * filled. Also finds guards that are negative only inside the step. */
mbs_status mbs_event_find(const mbs_finished_step *step, double resolution, double *guards, double *theta);

/* ---- observation (observe.c) ---- */

/* A part of a step up to t1, ready for dense output; or, where no part can be made, all of the step. */
typedef mbs_status mbs_part_shown(void *context, const mbs_finished_step *part, double t1);

/* A finished step, whose dense output is not as exact as the method, in parts that are steps of their own. `f0`: the
 * slope at its start. `part_work` is a workspace of the method, `states` [4 n] holds the ends of parts. */
mbs_status mbs_step_subdivide(const mbs_finished_step *step, const mbs_tolerance *tolerance, const double *f0,
                              double *part_work, double *states, uint64_t *evaluations, mbs_part_shown *shown,
                              void *context);

/* Shows the host a finished step; in parts, as above, where it `falls_short`. */
mbs_status mbs_step_observe(const mbs_finished_step *step, bool falls_short, const mbs_tolerance *tolerance,
                            const double *f0, double *part_work, double *states, uint64_t *evaluations);

/* The same where there are no steps: a state alone. */
mbs_status mbs_state_observe(const mbs_method *method, const mbs_ode *ode, double t, const double *y);

/* Whether an observer wants states inside a step. */
static inline bool mbs_ode_inside(const mbs_ode *ode, double t, double t1) {
  return ode->inside != NULL && ode->inside(ode->context, t, t1);
}

/* ---- how a run ends before its time (failures.c) ---- */

/* A callback failed at time t with `status`; its message counts where it left one. Returns `status`. */
mbs_status mbs_integration_finish_error(mbs_error *error, mbs_status status, double t);
/* The integrator gives up at time t; messages of steps that were tried again are forgotten. Returns `status`. */
mbs_status mbs_integration_fail(mbs_error *error, mbs_status status, double t, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The error test fails at the smallest step. */
mbs_status mbs_integration_fail_step_size(mbs_error *error, double t, double smallest);

/* Steps cut for events that come without end are no motion any more. */
typedef struct mbs_chatter {
  double time;  /* how long MBS_CHATTER_EVENTS cut steps must take */
  double start; /* when the present count of cut steps began */
  int count;
} mbs_chatter;

mbs_chatter mbs_chatter_from(double t_start, double t_end, double resolution);
/* Counts a step cut at t, guards before and after it [n_guards]; ends the run where there are too many. */
mbs_status mbs_chatter_check(mbs_chatter *chatter, const mbs_ode *ode, double t, const double *before,
                             const double *after, mbs_error *error);

#endif
