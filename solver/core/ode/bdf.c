/* bdf.c - backward differentiation formulas of order 1 to 5 for stiff systems, by SUNDIALS' CVODE:
 *
 *     sum over i of alpha_i y(t_n - i) = h beta f(t_n, y_n),   by Newton's method with the Jacobian df/dy.
 *
 * CVODE chooses the order and the step, and detects steps that leave the region of stability. Its projection applies
 * the host's constraints after the corrector of every step. Guards are searched on the interpolation polynomial of the
 * step; at an event the history ends and the integration restarts. Hindmarsh et al., SUNDIALS, ACM Trans. Math.
 * Software 31 (2005); Eich, Convergence results for a coordinate projection method, SIAM J. Numer. Anal. 30 (1993). */
#include "ode/newton.h"

#include <assert.h>
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { TRIALS = 100 };
/* Largest number of states of the motion for SUNDIALS' dense matrices, which Debian compiles without optimization. */
enum { FEW_STATES = 32 };

typedef struct bdf_run {
  const mbs_ode *ode;
  const mbs_tolerance *tolerance;
  mbs_integration *stats;
  mbs_error *error;
  mbs_status status; /* status of the last callback */
  size_t n;          /* CVODE's states: those of the host, at least one */
  SUNContext context;
  void *cvode;
  N_Vector vector, inside; /* [n] the state at the end of a step; a state inside it */
  SUNMatrix matrix;
  SUNLinearSolver solver;
  mbs_newton *newton; /* matrix for many states; NULL: few states, dense matrix */
  double t, t_end, resolution;
  double t_stepped;         /* time reached by CVODE, which may be after an event at t */
  double smallest, longest; /* shortest length of a repeated step; longest of any step */
  double piece;             /* start of the part of the step whose guards are searched */
  double *y, *y1;           /* [n] state at t, owned by the caller; at the end of that part */
  double *state;            /* [n] inside the step */
  double *guards;           /* [MBS_GUARD_ROWS][n_guards] */
  double *workspace;        /* dense() finds this run here */
  const double *report_times;
  size_t row, rows;
  mbs_chatter chatter;
} bdf_run;

/* ---- callbacks of CVODE ------------------------------------------------------------------------------------- */

/* Converts the status of a callback for CVODE: 0 success, 1 try again with a smaller step, -1 the run ends. */
static int answer(bdf_run *run, mbs_status status) {
  run->status = status;
  return status == MBS_OK ? 0 : mbs_status_rejects(status) ? 1 : -1;
}

static mbs_status evaluate(bdf_run *run, double t, const double *y, double *f) {
  if (run->ode->n == 0) f[0] = 0;
  const mbs_status status = mbs_ode_evaluate(run->ode, t, y, f, &run->stats->evaluations);
  for (size_t i = 0; status == MBS_OK && i < run->ode->n; i++)
    if (!isfinite(f[i])) return MBS_NOT_FINITE;
  return status;
}

static int rhs(realtype t, N_Vector y, N_Vector f, void *user) {
  return answer(user, evaluate(user, t, NV_DATA_S(y), NV_DATA_S(f)));
}

/* Computes df/dy by differences with the increments of Hairer's RADAU5. States after the first n_error are quadratures;
 * no slope depends on them. */
static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *user, N_Vector fresh, N_Vector spare1,
                    N_Vector spare2) {
  bdf_run *run = user;
  double *state = NV_DATA_S(y), *moved = NV_DATA_S(fresh);
  const double *at = NV_DATA_S(f);
  (void)spare1;
  (void)spare2;
  for (size_t j = 0; j < run->ode->n_error; j++) {
    const double kept = state[j];
    state[j] = kept + mbs_increment(run->tolerance, j, kept);
    const mbs_status status = evaluate(run, t, state, moved);
    const double step = state[j] - kept;
    state[j] = kept;
    if (status != MBS_OK) return answer(run, status);
    /* (f(y + Delta_j) - f(y)) / Delta_j */
    double *column = SM_COLUMN_D(J, (sunindextype)j);
    for (size_t i = 0; i < run->n; i++) column[i] = (moved[i] - at[i]) / step;
  }
  return answer(run, MBS_OK);
}

/* ---- Newton's method with many states ------------------------------------------------------------------------- */

static mbs_status slopes(void *context, double t, const double *y, double *f) { return evaluate(context, t, y, f); }

/* The matrix and the solver that CVODE receives are placeholders for run->newton. */
static SUNMatrix_ID own_matrix(SUNMatrix matrix) {
  (void)matrix;
  return SUNMATRIX_CUSTOM;
}

static SUNLinearSolver_Type own_type(SUNLinearSolver solver) {
  (void)solver;
  return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID own_solver(SUNLinearSolver solver) {
  (void)solver;
  return SUNLINEARSOLVER_CUSTOM;
}

/* Computes the factors of 1 - gamma df/dy; uses the current df/dy if `serves`. */
static int prepare(realtype t, N_Vector y, N_Vector f, SUNMatrix matrix, booleantype serves, booleantype *renewed,
                   realtype gamma, void *user, N_Vector moved, N_Vector spare1, N_Vector spare2) {
  bdf_run *run = user;
  (void)matrix;
  (void)spare1;
  (void)spare2;
  *renewed = !serves;
  if (!serves) {
    const mbs_status status =
        mbs_newton_differentiate(run->newton, slopes, run, t, NV_DATA_S(y), NV_DATA_S(f), NV_DATA_S(moved));
    if (status != MBS_OK) return answer(run, status);
  }
  run->status = MBS_OK;
  return mbs_newton_factor(run->newton, gamma) ? 0 : 1;
}

static int factored(SUNLinearSolver solver, SUNMatrix matrix) {
  (void)solver;
  (void)matrix;
  return 0;
}

static int solve(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, realtype tolerance) {
  const bdf_run *run = solver->content;
  (void)matrix;
  (void)tolerance;
  memcpy(NV_DATA_S(x), NV_DATA_S(b), run->n * sizeof(double));
  mbs_newton_solve(run->newton, NV_DATA_S(x));
  return 0;
}

static bool open_newton(bdf_run *run) {
  run->newton = mbs_newton_new(run->ode, run->tolerance);
  run->matrix = SUNMatNewEmpty(run->context);
  run->solver = SUNLinSolNewEmpty(run->context);
  if (!run->newton || !run->matrix || !run->solver) return false;
  run->matrix->ops->getid = own_matrix;
  run->solver->content = run;
  run->solver->ops->gettype = own_type;
  run->solver->ops->getid = own_solver;
  run->solver->ops->setup = factored;
  run->solver->ops->solve = solve;
  return CVodeSetLinearSolver(run->cvode, run->solver, run->matrix) == CV_SUCCESS &&
         CVodeSetLinSysFn(run->cvode, prepare) == CV_SUCCESS;
}

static bool open_dense(bdf_run *run) {
  const sunindextype n = (sunindextype)run->n;
  run->matrix = SUNDenseMatrix(n, n, run->context);
  run->solver = run->matrix ? SUNLinSol_Dense(run->vector, run->matrix, run->context) : NULL;
  return run->solver && CVodeSetLinearSolver(run->cvode, run->solver, run->matrix) == CV_SUCCESS &&
         CVodeSetJacFn(run->cvode, jacobian) == CV_SUCCESS;
}

/* ---- the error test and the constraints ------------------------------------------------------------------------ */

/* Weight of quadratures that do not count, because their size is not known yet. */
static const double no_weight = 1e-150;

/* Computes the error weights. Quadratures count, too: in a simple motion steps would otherwise be too long for them at
 * low order. */
static int weights(N_Vector y, N_Vector weight, void *user) {
  const bdf_run *run = user;
  const mbs_ode *ode = run->ode;
  const double *state = NV_DATA_S(y);
  double *out = NV_DATA_S(weight), size = 0;
  /* 1 / sc of (16.3), then of (16.5) */
  for (size_t i = 0; i < run->n; i++)
    out[i] = i < ode->n_error ? 1 / mbs_error_scale(run->tolerance, i, state[i], 0) : no_weight;
  if (ode->n == ode->n_error + ode->n_uncontrolled || ode->quadrature_size == NULL) return 0;
  size = ode->quadrature_size(ode->context, run->t_stepped, state);
  for (size_t i = ode->n_error; size > 0 && i < ode->n - ode->n_uncontrolled; i++)
    out[i] = 1 / mbs_quadrature_scale(run->tolerance, size, state[i], 0);
  return 0;
}

static int project(realtype t, N_Vector y, N_Vector correction, realtype tolerance, N_Vector error, void *user) {
  bdf_run *run = user;
  double *moved = NV_DATA_S(correction);
  const double *state = NV_DATA_S(y);
  (void)tolerance;
  (void)error;
  memcpy(moved, state, run->n * sizeof *moved);
  const mbs_status status = run->ode->project(run->ode->context, t, moved);
  /* P(y) - y */
  for (size_t i = 0; i < run->n; i++) moved[i] -= state[i];
  return answer(run, status);
}

/* Ignores CVODE's messages, which address programmers; this module reports its own errors. */
static void ignore(int code, const char *module, const char *function, char *message, void *user) {
  (void)code;
  (void)module;
  (void)function;
  (void)message;
  (void)user;
}

/* ---- opening and closing ------------------------------------------------------------------------------------ */

static bool open_run(bdf_run *run) {
  const sunindextype n = (sunindextype)run->n;
  if (SUNContext_Create(NULL, &run->context) != 0) return false;
  run->cvode = CVodeCreate(CV_BDF, run->context);
  run->vector = N_VNew_Serial(n, run->context);
  run->inside = N_VNew_Serial(n, run->context);
  if (!run->cvode || !run->vector || !run->inside) return false;
  N_VConst(0, run->vector);
  memcpy(NV_DATA_S(run->vector), run->y, run->ode->n * sizeof *run->y);
  CVodeSetErrHandlerFn(run->cvode, ignore, NULL);
  if (CVodeInit(run->cvode, rhs, run->t, run->vector) != CV_SUCCESS) return false;
  CVodeSetUserData(run->cvode, run);
  CVodeWFtolerances(run->cvode, weights);
  if (!(run->ode->n_error > FEW_STATES ? open_newton(run) : open_dense(run))) return false;
  CVodeSetStabLimDet(run->cvode, SUNTRUE);
  /* only the smallest step ends a run, not a number of trials */
  CVodeSetMinStep(run->cvode, run->smallest);
  CVodeSetMaxErrTestFails(run->cvode, TRIALS);
  CVodeSetMaxConvFails(run->cvode, TRIALS);
  CVodeSetInitStep(run->cvode, run->tolerance->first_step);
  if (run->ode->project) {
    if (CVodeSetProjFn(run->cvode, project) != CV_SUCCESS) return false;
    CVodeSetProjErrEst(run->cvode, SUNFALSE);
    CVodeSetMaxNumProjFails(run->cvode, TRIALS);
  }
  return CVodeSetStopTime(run->cvode, run->t_end) == CV_SUCCESS;
}

/* Adds CVODE's count of rejected steps, which a restart sets to zero. */
static void count_rejected(bdf_run *run) {
  long int errors = 0, failures = 0;
  CVodeGetNumErrTestFails(run->cvode, &errors);
  CVodeGetNumStepSolveFails(run->cvode, &failures);
  run->stats->rejected += (uint64_t)(errors + failures);
}

static void close_run(bdf_run *run) {
  if (run->cvode) count_rejected(run);
  CVodeFree(&run->cvode);
  if (run->newton) {
    if (run->solver) SUNLinSolFreeEmpty(run->solver);
    if (run->matrix) SUNMatFreeEmpty(run->matrix);
    mbs_newton_free(run->newton);
  } else {
    if (run->solver) SUNLinSolFree(run->solver);
    if (run->matrix) SUNMatDestroy(run->matrix);
  }
  if (run->inside) N_VDestroy(run->inside);
  if (run->vector) N_VDestroy(run->vector);
  SUNContext_Free(&run->context);
}

/* ---- steps -------------------------------------------------------------------------------------------------- */

/* Interpolates the state at t within CVODE's last step. */
static void interpolate(const bdf_run *run, double t, double *out) {
  CVodeGetDky(run->cvode, t, 0, run->inside);
  memcpy(out, NV_DATA_S(run->inside), run->ode->n * sizeof *out);
}

static void dense(size_t n, double theta, double h, const double *y, const double *y1, const double *workspace,
                  double *out) {
  const bdf_run *run;
  (void)n;
  (void)y;
  (void)y1;
  memcpy(&run, workspace, sizeof run);
  interpolate(run, run->piece + theta * h, out);
}

/* Restarts at (t, y) without history. */
static mbs_status restart(bdf_run *run) {
  count_rejected(run);
  run->t_stepped = run->t;
  memcpy(NV_DATA_S(run->vector), run->y, run->ode->n * sizeof *run->y);
  if (CVodeReInit(run->cvode, run->t, run->vector) != CV_SUCCESS ||
      CVodeSetStopTime(run->cvode, run->t_end) != CV_SUCCESS)
    return mbs_integration_finish_error(run->error, MBS_NO_MEMORY, run->t);
  return MBS_OK;
}

/* Converts CVODE's failure: to the status of the callback that caused it, otherwise to a step that became too small. */
static mbs_status failed(bdf_run *run, int flag) {
  const bool by_host = flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR || flag == CV_REPTD_RHSFUNC_ERR ||
                       flag == CV_UNREC_RHSFUNC_ERR || flag == CV_PROJFUNC_FAIL || flag == CV_REPTD_PROJFUNC_ERR ||
                       flag == CV_LSETUP_FAIL || flag == CV_CONV_FAILURE;
  if (flag == CV_MEM_FAIL) return mbs_integration_finish_error(run->error, MBS_NO_MEMORY, run->t);
  if (by_host && run->status != MBS_OK) return mbs_integration_finish_error(run->error, run->status, run->t);
  return mbs_integration_fail_step_size(run->error, run->t, run->smallest);
}

/* Reports the rows up to time t, where the state is `end`; later ones than `until` wait for events at t. */
static mbs_status report(bdf_run *run, double t, double until, const double *end) {
  while (run->row < run->rows && run->report_times[run->row] <= fmin(t + run->resolution, until)) {
    const double at = run->report_times[run->row];
    const double *y = end;
    if (at < t - run->resolution) {
      interpolate(run, at, run->state);
      y = run->state;
    }
    const mbs_status status = run->ode->report(run->ode->context, run->row++, at, y);
    if (status != MBS_OK) return mbs_integration_finish_error(run->error, status, at);
  }
  return MBS_OK;
}

/* Shows the step to t1, or its part up to there, to the observer. */
static mbs_status observe(bdf_run *run, double t1) {
  const mbs_finished_step step = {&mbs_bdf, run->ode, run->t, t1 - run->t, run->y, run->y1, run->workspace, run->state};
  if (run->ode->observe == NULL) return MBS_OK;
  run->piece = run->t;
  const mbs_status status = mbs_step_observe(&step, false, run->tolerance, NULL, NULL, NULL, NULL);
  return status == MBS_OK ? MBS_OK : mbs_integration_finish_error(run->error, status, run->t);
}

/* Finds the first event in (t, t1], the current step. Moves *t1 to it and sets y1 to the state there. The last row of
 * guards belongs to *t1. */
static mbs_status examine(bdf_run *run, double *t1) {
  const mbs_ode *ode = run->ode;
  const mbs_finished_step step = {&mbs_bdf, ode, run->t, *t1 - run->t, run->y, run->y1, run->workspace, run->state};
  double theta;
  run->piece = run->t;
  memcpy(run->y1, NV_DATA_S(run->vector), ode->n * sizeof *run->y1);
  mbs_status status = mbs_event_find(&step, run->resolution, run->guards, &theta);
  if (status != MBS_OK || theta >= 1) return status;
  const double event = run->t + theta * step.h + 0.5 * run->resolution;
  if (event < *t1) {
    *t1 = event;
    interpolate(run, event, run->y1);
  }
  if (ode->project && (status = ode->project(ode->context, *t1, run->y1)) != MBS_OK) return status;
  return mbs_guards_evaluate(ode, *t1, run->y1, run->guards + MBS_GUARD_END * ode->n_guards);
}

/* Handles the events at t, where the state has become y. */
static mbs_status change_modes(bdf_run *run, bool cut) {
  const mbs_ode *ode = run->ode;
  double *before = run->guards;
  const double *after = run->guards + MBS_GUARD_END * ode->n_guards;
  bool changed = false;
  mbs_status status;
  /* the guards that fell below min(0, m(t_start)) */
  for (size_t i = 0; i < ode->n_guards; i++) {
    if (!mbs_guard_fell(before[i], after[i])) continue;
    changed = true;
    if ((status = ode->event(ode->context, i, run->t, run->y)) != MBS_OK)
      return mbs_integration_finish_error(run->error, status, run->t);
  }
  if (changed && ode->settle && (status = ode->settle(ode->context, run->t, run->y)) != MBS_OK)
    return mbs_integration_finish_error(run->error, status, run->t);
  if (changed || cut) {
    if ((status = mbs_chatter_check(&run->chatter, ode, run->t, before, after, run->error)) != MBS_OK) return status;
    if (run->t < run->t_end && (status = restart(run)) != MBS_OK) return status;
  }
  if (!changed) {
    memcpy(before, after, ode->n_guards * sizeof *before);
    return MBS_OK;
  }
  if ((status = mbs_guards_evaluate(ode, run->t, run->y, before)) == MBS_OK && ode->accepted)
    status = ode->accepted(ode->context, run->t, run->y);
  return status == MBS_OK ? MBS_OK : mbs_integration_finish_error(run->error, status, run->t);
}

/* Passes CVODE's error estimates of the step to t to the host. */
static void pass_errors(bdf_run *run, double t) {
  const mbs_ode *ode = run->ode;
  if (ode->estimated == NULL || CVodeGetEstLocalErrors(run->cvode, run->inside) != CV_SUCCESS) return;
  ode->estimated(ode->context, t, NV_DATA_S(run->inside));
}

/* Sets run->inside to the slope at t: from CVODE's last step, or evaluated at its start. */
static mbs_status find_slope(bdf_run *run) {
  realtype last = 0;
  CVodeGetLastStep(run->cvode, &last);
  if (last > 0 && CVodeGetDky(run->cvode, run->t, 1, run->inside) == CV_SUCCESS) return MBS_OK;
  return evaluate(run, run->t, run->y, NV_DATA_S(run->inside));
}

/* Limits the next step, which CVODE has chosen already, by a stop time. */
static mbs_status limit_step(bdf_run *run) {
  const mbs_ode *ode = run->ode;
  if (!ode->longest) return MBS_OK;
  const mbs_status status = find_slope(run);
  if (status != MBS_OK) return status;
  const double longest = ode->longest(ode->context, run->t, run->y, NV_DATA_S(run->inside));
  CVodeSetStopTime(run->cvode, fmin(run->t_end, run->t + longest));
  return MBS_OK;
}

/* Makes one step, or the part of it up to its first event. */
static mbs_status advance(bdf_run *run) {
  const mbs_ode *ode = run->ode;
  realtype t1 = run->t;
  mbs_status status;
  CVodeSetMaxStep(run->cvode, isfinite(run->longest) ? run->longest : 0);
  if ((status = limit_step(run)) != MBS_OK) return mbs_integration_finish_error(run->error, status, run->t);
  const int flag = CVode(run->cvode, run->t_end, run->vector, &t1, CV_ONE_STEP);
  if (flag < 0) return failed(run, flag);
  run->t_stepped = t1;
  pass_errors(run, t1);
  /* the step, or its part up to the first event */
  double end = t1;
  if (ode->n_guards > 0) {
    if ((status = examine(run, &end)) != MBS_OK) return mbs_integration_finish_error(run->error, status, run->t);
  } else {
    memcpy(run->y1, NV_DATA_S(run->vector), ode->n * sizeof *run->y1);
  }
  if ((status = report(run, end, mbs_rows_until(run->ode, run->guards, end, run->resolution), run->y1)) != MBS_OK ||
      (status = observe(run, end)) != MBS_OK)
    return status;
  memcpy(run->y, run->y1, ode->n * sizeof *run->y);
  run->stats->longest_step = fmax(run->stats->longest_step, end - run->t);
  run->t = run->stats->t = end;
  ++run->stats->steps;
  if (ode->accepted && (status = ode->accepted(ode->context, run->t, run->y)) != MBS_OK)
    return mbs_integration_finish_error(run->error, status, run->t);
  if (ode->n_guards == 0 || (status = change_modes(run, end < t1)) != MBS_OK) return status;
  return report(run, run->t, INFINITY, run->y);
}

static size_t work_of(size_t n) {
  (void)n;
  return sizeof(bdf_run *) / sizeof(double) + 1;
}

static mbs_status integrate(const mbs_method *method, const mbs_ode *ode, double t_start, double t_end, double *y,
                            const double *report_times, size_t rows, const mbs_tolerance *tolerance, double *workspace,
                            mbs_integration *stats, mbs_error *error) {
  assert(ode->n_error <= ode->n);
  const size_t n = ode->n;
  bdf_run run = {
      .ode = ode,
      .tolerance = tolerance,
      .stats = stats,
      .error = error,
      .n = n > 0 ? n : 1,
      .t = t_start,
      .t_stepped = t_start,
      .t_end = t_end,
      .resolution = 4 * DBL_EPSILON * fmax(fabs(t_start), fabs(t_end)),
      .longest = tolerance->max_step > 0 ? tolerance->max_step : INFINITY,
      .y = y,
      .y1 = workspace + n,
      .state = workspace + 2 * n,
      .guards = workspace + 4 * n,
      .workspace = workspace + 4 * n + MBS_GUARD_ROWS * ode->n_guards,
      .report_times = report_times,
      .rows = rows,
  };
  const bdf_run *self = &run;
  (void)method;
  memcpy(run.workspace, &self, sizeof self);
  run.smallest = 4 * run.resolution;
  run.chatter = mbs_chatter_from(t_start, t_end, run.resolution);
  *stats = (mbs_integration){.t = t_start};
  mbs_status status = report(&run, t_start, INFINITY, y);
  if (status != MBS_OK) return status;
  if (t_end <= t_start) return mbs_state_observe(method, ode, t_start, y);
  if (!open_run(&run))
    status = mbs_integration_fail(error, MBS_NO_MEMORY, t_start, "no memory for the stiff integrator");
  if (status == MBS_OK && ode->n_guards > 0 && (status = mbs_guards_evaluate(ode, t_start, y, run.guards)) != MBS_OK)
    mbs_integration_finish_error(error, status, t_start);
  while (status == MBS_OK && run.t_end - run.t > 2 * run.resolution && !mbs_ode_stopped(ode)) status = advance(&run);
  if (status == MBS_OK && !mbs_ode_stopped(ode)) { /* an event that ends the run has reported its row */
    stats->t = t_end;
    status = report(&run, t_end, INFINITY, y);
  }
  close_run(&run);
  return status;
}

const mbs_method mbs_bdf = {
    MBS_METHOD_OF_TABLE(bdf), .stages = 1, .order = 5, .history = true, .workspace = work_of, .dense = dense,
    .integrate = integrate,
};
