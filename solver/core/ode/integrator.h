/* integrator.h - integration of y' = f(t, y) with steps that a host may change before they are accepted.
 *
 * A method is a const descriptor. It owns nothing: its workspace is handed in. The driver loop (integrate.c) chooses
 * the step, calls the method, lets the host project the new state onto its constraints, locates events on the dense
 * output and reports at the reporting times. */
#ifndef MBS_INTEGRATOR_H
#define MBS_INTEGRATOR_H

#include "base/methods.h"
#include "base/real.h"
#include "mbs/status.h"

/* A step that counts, or a part of one, as an observer sees it, before the events at its end. */
typedef struct mbs_ode_step {
  double t, t1;
  /* The state at a time of [t, t1] into y [n]: at its ends exactly, inside interpolated and not projected. */
  void (*state)(const struct mbs_ode_step *step, double t, double *y);
  const void *finished; /* the integrator's own */
} mbs_ode_step;

/* What slopes of the motion depend on: parts of it, most of which have nothing to do with each other. */
typedef struct mbs_ode_parts {
  size_t count;
  const int *of; /* [n_error] the part that a state belongs to */
  const int *first,
      *others; /* others[first[p] .. first[p + 1]): parts whose states the slopes of part p depend on beside
                              * its own, and whose slopes depend on it; each once, ascending */
} mbs_ode_parts;

/* The system as an integrator sees it. Functions return MBS_OK, or a status that rejects the step (MBS_NOT_FINITE,
 * MBS_SINGULAR_POSITION, MBS_LOCK_UP, MBS_NOT_ASSEMBLED, MBS_CONTACT_NOT_UNIQUE, MBS_OUT_OF_RANGE: tried again with a
 * smaller one; when it becomes too small that status ends the run) or ends the run (all others, e.g. MBS_CANCELLED,
 * MBS_TIMED_OUT, MBS_TOO_MANY_EVALUATIONS). `event`, `settle`, `accepted` and `report` cannot reject: any status
 * of theirs ends the run.
 *
 * The methods of one step call these functions in this order:
 *
 * 1. `look` (false) and `rhs` at each stage; `quadrature_size`, if quadratures limit the step; `project` and `rhs` at
 *    the end of the step; `look` (true). `blurred` follows the evaluations.
 * 2. `longest` at the end of the step; `inside`; `guards` inside and at the end.
 * 3. `again`, if the attempt failed. A step that is rejected, or cut at an event, begins again with 1.
 * 4. `estimated`; `report` for each reporting time in the step; `inside` and `observe`, which may use `part`;
 *    `look` (false); `accepted`.
 * 5. At an event: `event` for each of its guards, then `settle`; `rhs`, `guards` and `longest` of the new state;
 *    `accepted`. `endless` ends a run whose events do not end. */
typedef struct mbs_ode {
  void *context;
  size_t n;       /* states; may be 0 */
  size_t n_error; /* the first n_error of them are the motion; the others are quadratures, on which f does not depend */
  size_t n_unjudged; /* but for the last so many: their errors choose no step, and small ones change nothing in f */
  const mbs_ode_parts *parts; /* NULL: each slope may depend on each state */
  mbs_status (*rhs)(void *context, mbs_real t, const mbs_real *y, mbs_real *dydt);
  /* Moves the new state onto the constraints; NULL: nothing to do. Called once a step, before f(t, y) there. */
  mbs_status (*project)(void *context, double t, double *y);
  /* What errors of the quadratures are relative to where they themselves are smaller, at (t, y). Asked only where
   * the quadratures, not the motion, would choose the step; what it was counts until it is asked again. NULL: the
   * quadratures do not choose. */
  double (*quadrature_size)(void *context, double t, const double *y);
  /* Local error estimates [n] of the step to t that was just accepted. May be NULL. */
  void (*estimated)(void *context, double t, const double *errors);
  /* Guards [n_guards]; none: n_guards 0. The host writes every guard relative to the mode it holds: non-negative while
   * the mode is right. An event is a guard that becomes negative. A guard that is zero, or negative by rounding, where
   * a step begins (as after its own event) has its event only when it falls below that value. Smooth in t and y: a
   * guard that is negative only inside a step is found where the step has no finer structure than its quarters. A step
   * is tried past an event before it is cut there, so `rhs` must also work a little past the guards of its mode. */
  size_t n_guards;
  mbs_status (*guards)(void *context, double t, const double *y, double *guards);
  /* Returns the longest step from (t, y), where the slope is dydt: guards have no structure finer than its quarters,
   * and rhs has none that lies between the stages. A method with fixed steps asks, too, but keeps its step. NULL: any
   * step. */
  double (*longest)(void *context, double t, const double *y, const double *dydt);
  /* Whether rounding blurred a slope evaluated since the last call. A step from a state with a clear slope is then done
   * again a little shorter, so that its stages and its end miss the spot. May be NULL. */
  bool (*blurred)(void *context);
  /* Whether the host rejected the last step only to evaluate it in another way from its start: it is then tried again
   * as long as it was. May be NULL. */
  bool (*again)(void *context);
  /* Guard `index` became negative, the state is at that instant (just past it): change the mode; may change y. Called
   * for each such guard, in the order of their indices. */
  mbs_status (*event)(void *context, size_t index, double t, double *y);
  /* All events at t are told: what they make of the state together; may change y. May be NULL. */
  mbs_status (*settle)(void *context, double t, double *y);
  /* Guard `index` has its event again and again at t: says so, and returns the status that ends the run. May be
   * NULL. */
  mbs_status (*endless)(void *context, size_t index, double t);
  /* Looking inside the step in hand begins, where the slope at its end was evaluated last, or has ended, if it had
   * begun. What is evaluated meanwhile is of dense output, guards, rows and observers; steps are to go on as if it were
   * not. May be NULL. */
  void (*look)(void *context, bool begins);
  /* A step ending at (t, y) was accepted. Called before the events at its end, and again after them. May be NULL. */
  mbs_status (*accepted)(void *context, double t, const double *y);
  /* Reporting time number `row`, t = its time, y from the dense output (not projected), or the state itself at the
   * end of a step. At an event: the state before it. */
  mbs_status (*report)(void *context, size_t row, double t, const double *y);
  /* Every step, in parts where its states inside are wanted and interpolation over the whole would not be as exact as
   * the method. `inside`: whether they are, of a step from t to t1. Any status ends the run. Both NULL: nobody
   * observes. */
  mbs_status (*observe)(void *context, const mbs_ode_step *step);
  bool (*inside)(void *context, double t, double t1);
  /* A part of a step, from t over h, that is made already: its end y1 with the slope f1 there [n], and the workspace of
   * the method, ready for dense output; the evaluations that it took are counted then. False: it is to be made. May be
   * NULL. */
  bool (*part)(void *context, double t, double h, double *y1, double *f1, double *workspace, uint64_t *evaluations);
} mbs_ode;

typedef struct mbs_tolerance {
  double rtol, atol;
  const mbs_real *units; /* [n] what atol is counted in; NULL: 1 */
  double max_step;       /* 0: none */
  double first_step;     /* 0: chosen */
  double dense;          /* what interpolation may add to the error of a step, in tolerances; 0: a quarter */
  double fixed_step;     /* of methods with fixed steps: the step; it is shortened to meet events and the end exactly */
} mbs_tolerance;

typedef struct mbs_integration {
  uint64_t evaluations, steps, rejected;
  uint64_t row_steps;  /* reporting times inside a step that got a step of their own, or of several of them */
  double longest_step; /* of those that were accepted [s] */
  double t;            /* reached */
  double stiffness;    /* share of accepted steps that were limited by stability, 0..1 (Hairer's test) */
} mbs_integration;

/* One step method. `workspace` holds `workspace(n)` doubles that keep the stages of the last step. */
typedef struct mbs_method {
  const char *name;    /* "dopri5" */
  bool adaptive;       /* name and this: as the table says */
  int stages;          /* evaluations a step */
  int order;           /* of the error estimate's step size control: err ~ h^order */
  bool history;        /* steps depend on states before their start: the projection of one must not differ by chance */
  bool early_error;    /* error() needs neither the projection of y1 nor f1, which a rejected step is spared */
  double safety;       /* of the step size control: share of the length that the error would allow */
  double beta;         /* of the step size control: weight of the error before, 0: none */
  double shrink, grow; /* smallest and largest ratio of a step to the one before */
  size_t (*workspace)(size_t n);
  /* From (t, y) with f0 = f(t, y) over h: y1 [n] (not projected). Evaluations are counted in *evaluations. */
  mbs_status (*step)(const mbs_ode *ode, mbs_real t, mbs_real h, const mbs_real *y, const mbs_real *f0, mbs_real *y1,
                     mbs_real *workspace, uint64_t *evaluations);
  /* With y1 after projection and f1 = f(t + h, y1), unless early_error: the error norm of the motion, <= 1 accepts, and
   * what it is made of, the errors [n] of all states. NULL when not adaptive. */
  mbs_real (*error)(const mbs_ode *ode, mbs_real h, const mbs_real *y, const mbs_real *f0, const mbs_real *y1,
                    const mbs_real *f1, const mbs_tolerance *tolerance, const mbs_real *workspace, mbs_real *errors);
  /* h times the largest eigenvalue seen, over where the region of stability ends: above 1 stability, not accuracy,
   * limited this step. May be NULL. */
  mbs_real (*stiffness)(size_t n, mbs_real h, const mbs_real *y1, const mbs_real *f1, const mbs_real *workspace);
  /* Prepares interpolation on the step (dop853 evaluates three more times, only when asked). */
  mbs_status (*dense_prepare)(const mbs_ode *ode, mbs_real t, mbs_real h, const mbs_real *y, const mbs_real *f0,
                              const mbs_real *y1, const mbs_real *f1, mbs_real *workspace, uint64_t *evaluations);
  /* y(t + theta h) into out [n], 0 <= theta <= 1. */
  void (*dense)(size_t n, mbs_real theta, mbs_real h, const mbs_real *y, const mbs_real *y1, const mbs_real *workspace,
                mbs_real *out);
  /* After dense_prepare: about the largest error of dense() on the step, in units of the tolerance. Where it is large,
   * states inside are those of steps of their own. NULL: it is no larger than what the step control allows. */
  mbs_real (*dense_error)(const mbs_ode *ode, const mbs_real *y, const mbs_real *y1, const mbs_tolerance *tolerance,
                          const mbs_real *workspace);
  /* A method of several steps that has a loop of its own: mbs_integrate() is this, and of the functions above it has
   * workspace() and dense() alone. NULL: one step. */
  mbs_status (*integrate)(const struct mbs_method *method, const mbs_ode *ode, double t_start, double t_end, double *y,
                          const double *report_times, size_t rows, const mbs_tolerance *tolerance, double *workspace,
                          mbs_integration *stats, mbs_error *error);
} mbs_method;

/* What methods.def says of one, for its descriptor. */
#define MBS_METHOD_OF_TABLE(id) .name = #id, .adaptive = MBS_ADAPTIVE_##id

#define MBS_METHOD(name, steps, stiff, doc) extern const mbs_method mbs_##name;
#include "base/methods.def"
#undef MBS_METHOD
/* The default one where there is none of that name. */
const mbs_method *mbs_method_named(const char *name);

/* Doubles of workspace for mbs_integrate(). */
size_t mbs_integrate_workspace(const mbs_method *method, const mbs_ode *ode);
/* Integrates from t_start to t_end (t_end >= t_start), reporting at report_times [rows] (ascending, within the span;
 * the first one may be t_start). y [n] is the start and becomes the end, or the last accepted state on failure.
 * `stats` is set from zero. `error` may be NULL; on failure it gets the status and the time reached, and a message
 * where the callback that failed left it empty. Ends of its own: MBS_STEP_TOO_SMALL (the error test fails at the
 * smallest step; events without end at one instant), MBS_NOT_FINITE, MBS_OUT_OF_RANGE (rk4 without fixed_step). */
mbs_status mbs_integrate(const mbs_method *method, const mbs_ode *ode, double t_start, double t_end, double *y,
                         const double *report_times, size_t rows, const mbs_tolerance *tolerance, double *workspace,
                         mbs_integration *stats, mbs_error *error);

#endif
