/* integrator.h - integration of y' = f(t, y) with steps that a host may change before they are accepted.
 *
 * A method is a const descriptor. It owns nothing; its caller provides the workspace. The integration loop
 * (integrate.c) chooses the step, calls the method, lets the host project the new state onto its constraints, locates
 * events on the dense output and reports at the reporting times. */
#ifndef MBS_INTEGRATOR_H
#define MBS_INTEGRATOR_H

#include "base/methods.h"
#include "base/real.h"
#include "mbs/status.h"

/* An accepted step, or a part of one, for an observer; events at its end have not been handled yet. */
typedef struct mbs_ode_step {
  double t, t1;
  /* Computes the state y [n] at a time in [t, t1]: exact at the ends, interpolated and not projected inside. */
  void (*state)(const struct mbs_ode_step *step, double t, double *y);
  const void *finished; /* private to the integrator */
} mbs_ode_step;

/* Independent subsystems of the motion: parts of the states. A slope depends on the states of few parts only. */
typedef struct mbs_ode_parts {
  size_t count;
  const int *of; /* [n_error] the part of each state */
  const int *first,
      *others; /* others[first[p] .. first[p + 1]): the parts other than p on whose states the slopes of part p depend,
                * or whose slopes depend on p; each once, ascending */
} mbs_ode_parts;

/* The system as an integrator sees it. A function returns MBS_OK, a status that rejects the step, or a status that ends
 * the run. MBS_NOT_FINITE, MBS_SINGULAR_POSITION, MBS_LOCK_UP, MBS_NOT_ASSEMBLED, MBS_CONTACT_NOT_UNIQUE and
 * MBS_OUT_OF_RANGE reject the step, which is tried again with a smaller length; if the length becomes too small, that
 * status ends the run. All others end the run, e.g. MBS_CANCELLED, MBS_TIMED_OUT, MBS_TOO_MANY_EVALUATIONS. `event`,
 * `settle`, `accepted` and `report` cannot reject: each status of theirs other than MBS_OK ends the run.
 *
 * The methods of one step call these functions in this order:
 *
 * 1. `set_observed` (false) and `rhs` at each stage; `quadrature_size`, if quadratures limit the step; `project` and
 *    `rhs` at the end of the step; `set_observed` (true). `blurred` follows the evaluations.
 * 2. `longest` at the end of the step; `inside`; `guards` inside and at the end.
 * 3. `again`, if the attempt failed. A step that is rejected, or cut at an event, begins again with 1.
 * 4. `estimated`; `report` for each reporting time in the step; `inside` and `observe`, which may use `part`;
 *    `set_observed` (false); `accepted`.
 * 5. At an event: `event` for each of its guards, then `settle`; `rhs`, `guards` and `longest` of the new state;
 *    `accepted`. `fail_zeno` ends a run whose events do not end. */
typedef struct mbs_ode {
  void *context;
  size_t n;       /* states; may be 0 */
  size_t n_error; /* the first n_error states are the motion; the others are quadratures, on which f does not depend */
  size_t n_uncontrolled;      /* last states, whose errors do not limit the step; small ones do not change f */
  const mbs_ode_parts *parts; /* independent subsystems; NULL: each slope may depend on each state */
  /* Directions in which the constraints let y move, where the first half of the motion are positions and the second
   * half their rates. `directions` computes a basis of them, T [n_error / 2 x freedoms] by column, at the state of the
   * last evaluation. `freedoms` 0: none are known, or all are free. */
  size_t freedoms;
  void (*directions)(void *context, size_t freedoms, double *T);
  mbs_status (*rhs)(void *context, mbs_real t, const mbs_real *y, mbs_real *dydt);
  /* Projects the new state onto the constraints. Called once a step, before f(t, y) there. NULL: no constraints. */
  mbs_status (*project)(void *context, double t, double *y);
  /* Returns the size, at (t, y), to which errors of smaller quadratures are relative. Called only if the quadratures,
   * not the motion, would limit the step; the value is valid until the next call. NULL: quadratures do not limit
   * steps. */
  double (*quadrature_size)(void *context, double t, const double *y);
  /* Receives the local error estimates [n] of the step to t that was just accepted. May be NULL. */
  void (*estimated)(void *context, double t, const double *errors);
  /* Computes the guards [n_guards]; n_guards may be 0. The host writes every guard relative to its current mode: the
   * guard is non-negative while the mode is right. An event is a guard that becomes negative. If a guard is zero, or
   * negative by rounding, at the start of a step (as after its own event), it has its event when it falls below that
   * value. A guard is INFINITY while no event is in sight; in a step, once it is in sight it remains so. Otherwise
   * guards are smooth in t and y. A guard that is negative only inside a step is found if the step has no
   * structure finer than its quarters. A step is tried past an event before it is cut there, so that `rhs` must also
   * work a little past the guards of its mode. */
  size_t n_guards;
  mbs_status (*guards)(void *context, double t, const double *y, double *guards);
  /* Computes one guard, with less work than all. NULL: `guards` is called instead. */
  mbs_status (*guard)(void *context, size_t index, double t, const double *y, double *value);
  /* Returns the longest step from (t, y), where the slope is dydt: guards have no structure finer than its quarters,
   * and rhs has none that lies between the stages. A method with fixed steps asks, too, but keeps its step. NULL: any
   * step. */
  double (*longest)(void *context, double t, const double *y, const double *dydt);
  /* Returns true if rounding dominates a slope evaluated since the last call. If the slope at the start of the step is
   * accurate, the step is tried again with a shorter length, so that its stages and its end avoid the spot. May be
   * NULL. */
  bool (*blurred)(void *context);
  /* Returns true if the host rejected the last step only to evaluate it differently from its start. The step is then
   * tried again with the same length. May be NULL. */
  bool (*again)(void *context);
  /* Changes the mode after guard `index` became negative; the state is just past that instant. May change y. Called for
   * each such guard, in the order of their indices. */
  mbs_status (*event)(void *context, size_t index, double t, double *y);
  /* Completes the change of mode after `event` of all guards at t. May change y. May be NULL. */
  mbs_status (*settle)(void *context, double t, double *y);
  /* Returns true if the integration ends here, before the end of its span. Asked after each step. NULL: never. */
  bool (*stopped)(const void *context);
  /* Fails if the events of guard `index` do not end at t: fills the error and returns the status that ends the run. May
   * be NULL. */
  mbs_status (*fail_zeno)(void *context, size_t index, double t);
  /* Announces the start (true) or the end (false) of evaluations inside the current step, after the slope at its end
   * was evaluated. They serve dense output, guards, rows and observers, and must not affect later steps. An end may
   * come without a start. May be NULL. */
  void (*set_observed)(void *context, bool begins);
  /* Receives an accepted step that ended at (t, y). Called before the events at its end, and again after them. May be
   * NULL. */
  mbs_status (*accepted)(void *context, double t, const double *y);
  /* Receives the state y at the reporting time t number `row`: from the dense output (not projected), or the state
   * itself at the end of a step. At an event it is the state before the event, or after it if `rows_after_events`, as
   * where an event may change the velocities. */
  mbs_status (*report)(void *context, size_t row, double t, const double *y);
  bool rows_after_events;
  /* `observe` receives every step. The step is divided into parts if states inside are needed and interpolation over
   * the whole step is less accurate than the method. `inside` returns true if states inside a step from t to t1 are
   * needed. A status other than MBS_OK ends the run. Both NULL: there is no observer. */
  mbs_status (*observe)(void *context, const mbs_ode_step *step);
  bool (*inside)(void *context, double t, double t1);
  /* Provides a part of a step, from t over h, that has been computed already: its end y1 with the slope f1 there [n],
   * and the workspace of the method, ready for dense output. Counts its evaluations. Returns false if the part must be
   * computed. May be NULL. */
  bool (*part)(void *context, double t, double h, double *y1, double *f1, double *workspace, uint64_t *evaluations);
} mbs_ode;

typedef struct mbs_tolerance {
  double rtol, atol;
  const mbs_real *units; /* [n] scale of each state, which multiplies atol; NULL: 1 */
  double max_step;       /* largest step; 0: no limit */
  double first_step;     /* first step; 0: chosen automatically */
  double dense;          /* largest additional error by interpolation, in tolerances; 0: a quarter */
  double fixed_step;     /* the step of methods with fixed steps; shortened to meet events and the end exactly */
} mbs_tolerance;

typedef struct mbs_integration {
  uint64_t evaluations, steps, rejected;
  uint64_t row_steps;  /* reporting times inside a step that needed one or more separate steps */
  double longest_step; /* longest accepted step [s] */
  double t;            /* time reached [s] */
  double stiffness;    /* share of accepted steps that were limited by stability, 0..1 (Hairer's test) */
} mbs_integration;

/* A method of integration. `workspace` points to `workspace(n)` doubles that store the stages of the last step. */
typedef struct mbs_method {
  const char *name;    /* "dopri5" */
  bool adaptive;       /* name and `adaptive` are those of methods.def */
  int stages;          /* evaluations a step */
  int order;           /* order of the error estimate for the step size control: err ~ h^order */
  bool history;        /* steps depend on states before their start; projections must then be reproducible */
  bool early_error;    /* error() needs neither the projection of y1 nor f1, so that a rejected step saves both */
  double safety;       /* step size control: factor of the length that the error would allow */
  double beta;         /* step size control: exponent of the previous error; 0: none */
  double shrink, grow; /* smallest and largest ratio of a step to the one before */
  size_t (*workspace)(size_t n);
  /* Makes a step from (t, y) with f0 = f(t, y) over h: y1 [n] (not projected). Adds its evaluations to *evaluations. */
  mbs_status (*step)(const mbs_ode *ode, mbs_real t, mbs_real h, const mbs_real *y, const mbs_real *f0, mbs_real *y1,
                     mbs_real *workspace, uint64_t *evaluations);
  /* Returns the error norm of the motion; a step is accepted if it is <= 1. Sets the errors [n] of all states. y1 is
   * projected and f1 = f(t + h, y1), unless early_error. NULL if not adaptive. */
  mbs_real (*error)(const mbs_ode *ode, mbs_real h, const mbs_real *y, const mbs_real *f0, const mbs_real *y1,
                    const mbs_real *f1, const mbs_tolerance *tolerance, const mbs_real *workspace, mbs_real *errors);
  /* Returns h times the largest observed eigenvalue, relative to the border of the region of stability. Above 1,
   * stability and not accuracy limits the step. May be NULL. */
  mbs_real (*stiffness)(size_t n, mbs_real h, const mbs_real *y1, const mbs_real *f1, const mbs_real *workspace);
  /* Prepares interpolation on the step. dop853 needs three more evaluations, only if called. */
  mbs_status (*dense_prepare)(const mbs_ode *ode, mbs_real t, mbs_real h, const mbs_real *y, const mbs_real *f0,
                              const mbs_real *y1, const mbs_real *f1, mbs_real *workspace, uint64_t *evaluations);
  /* Interpolates y(t + theta h) into out [n], 0 <= theta <= 1. */
  void (*dense)(size_t n, mbs_real theta, mbs_real h, const mbs_real *y, const mbs_real *y1, const mbs_real *workspace,
                mbs_real *out);
  /* Estimates the largest error of dense() on the step, in tolerances; call it after dense_prepare. If the error is
   * large, states inside are computed by separate steps. NULL: the error is below that of the step. */
  mbs_real (*dense_error)(const mbs_ode *ode, const mbs_real *y, const mbs_real *y1, const mbs_tolerance *tolerance,
                          const mbs_real *workspace);
  /* Replaces mbs_integrate() for a multistep method with its own loop, which needs only workspace() and dense() of the
   * functions above. NULL: a method of single steps. */
  mbs_status (*integrate)(const struct mbs_method *method, const mbs_ode *ode, double t_start, double t_end, double *y,
                          const double *report_times, size_t rows, const mbs_tolerance *tolerance, double *workspace,
                          mbs_integration *stats, mbs_error *error);
} mbs_method;

/* Initializes the fields that methods.def defines for a method. */
#define MBS_METHOD_OF_TABLE(id) .name = #id, .adaptive = MBS_ADAPTIVE_##id

#define MBS_METHOD(name, steps, stiff, doc) extern const mbs_method mbs_##name;
#include "base/methods.def"
#undef MBS_METHOD
/* Returns the method of this name, or the default method if there is none. */
const mbs_method *mbs_method_named(const char *name);

/* Returns the size of the workspace for mbs_integrate(), in doubles. */
size_t mbs_integrate_workspace(const mbs_method *method, const mbs_ode *ode);
/* Integrates from t_start to t_end >= t_start and reports at report_times [rows], which are ascending and within the
 * span; the first may be t_start. y [n] is the start and becomes the end, or the last accepted state on failure. Resets
 * `stats` first. `error` may be NULL; on failure it gets the status and the time reached, and a message if the callback
 * that failed left it empty. The integrator itself fails with MBS_STEP_TOO_SMALL (the error test fails at the smallest
 * step, or events at one instant do not end), MBS_NOT_FINITE or MBS_OUT_OF_RANGE (rk4 without fixed_step). */
mbs_status mbs_integrate(const mbs_method *method, const mbs_ode *ode, double t_start, double t_end, double *y,
                         const double *report_times, size_t rows, const mbs_tolerance *tolerance, double *workspace,
                         mbs_integration *stats, mbs_error *error);

#endif
