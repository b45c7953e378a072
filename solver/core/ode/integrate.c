/* integrate.c - the driver of the step methods: lengths of steps, projection, events, reports.
 *
 * A step: the method gives y1; the host projects it; f1 = f(t + h, y1) is the first stage of the next step in every
 * method, so projection costs no evaluation; then the error test, with Hairer's step size control
 *
 *     h_new = h min(grow, max(shrink, safety err_before^beta / err^(1/order - 0.75 beta))).
 *
 * With guards: a step in which one becomes negative is thrown away and done again up to that instant, so that the state
 * there has the accuracy of the method. Where the real step then ends just before the event, it is an ordinary step and
 * the next one, as short as that difference, ends at it. */
#include <assert.h>

#include "ode/drive.h"

/* Errors below count as this much in the control of the next step. */
static const double least_error = 1e-4;
/* A step that would end this part of itself before the end of the span is lengthened to it. */
static const double stretch = 1e-6;
/* Lengths tried, one this share of the other, so that a step misses a spot where rounding blurs slopes. */
static const double elsewhere = 0.85;
enum { ELSEWHERE_MAX = 6 };

/* Without what rows need. */
static size_t steps_workspace(const mbs_method *method, const mbs_ode *ode) {
  return (method->dense_error ? 2 : 1) * method->workspace(ode->n) + 9 * ode->n + MBS_GUARD_ROWS * ode->n_guards + 1;
}

size_t mbs_integrate_workspace(const mbs_method *method, const mbs_ode *ode) {
  return steps_workspace(method, ode) + ode->n;
}

static mbs_status fail(const mbs_drive *drive, mbs_status status, double t) {
  return mbs_end_failed(drive->error, status, t);
}

static mbs_status fail_step(const mbs_drive *drive, mbs_status status) {
  return status != MBS_OK ? fail(drive, status, drive->t) : mbs_end_too_small(drive->error, drive->t, drive->smallest);
}

/* ---- one step ----------------------------------------------------------------------------------------------- */

/* The ratio of the next step to one whose error norm was `norm`. theory (16.6) */
static double growth(const mbs_drive *drive, double norm) {
  assert(!(norm < 0));
  const mbs_method *method = drive->method;
  /* err^(1/q - 0.75 beta) */
  const double power = pow(norm, 1.0 / method->order - 0.75 * method->beta);

  if (norm > 1) return fmax(method->shrink, method->safety / power);
  const double before = method->beta > 0 ? pow(drive->error_before, method->beta) : 1;
  /* min(g_+, max(g_-, s err_before^beta / power)) */
  return fmin(method->grow, fmax(method->shrink, method->safety * before / power));
}

/* Returns the longest step that the host allows from (t, y), where the slope is f; a fixed step stays as it is. */
static double bearable(const mbs_drive *drive, double t, const double *y, const double *f) {
  const mbs_ode *ode = drive->ode;
  const double longest = ode->longest != NULL ? ode->longest(ode->context, t, y, f) : INFINITY;
  return drive->method->adaptive ? fmin(drive->longest, longest) : drive->longest;
}

/* Makes the step in hand about `length` long, so that the end of the span is met and no tiny step is left before it. */
static void set_length(mbs_drive *drive, double length) {
  assert(drive->t < drive->t_end);
  const double remaining = drive->t_end - drive->t;
  double h = fmax(fmin(length, drive->limit), drive->resolution);

  drive->h = remaining;
  drive->t1 = drive->t_end;
  if (remaining <= h * (1 + stretch)) return;
  if (drive->method->adaptive && remaining < 2 * h) h = 0.5 * remaining;
  drive->t1 = drive->t + h;
  drive->h = drive->t1 - drive->t;
}

/* Makes the step in hand end at an event. */
static void cut(mbs_drive *drive, double length) {
  assert(length <= drive->h);
  drive->t1 = drive->t + length;
  drive->h = drive->t1 - drive->t;
  drive->to_event = true;
}

/* The largest error of a quadrature, in units of the tolerance. */
static double worst_quadrature(const mbs_drive *drive) {
  double worst = 0;
  /* max |e_i| / sc */
  for (size_t i = drive->ode->n_error; i < drive->ode->n - drive->ode->n_unjudged; i++)
    worst = fmax(worst, fabs(drive->errors[i]) /
                            mbs_quadrature_scale(drive->tolerance, drive->quadrature_size, drive->y[i], drive->y1[i]));
  return worst;
}

/* The same, where it is more than `enough`, of the size that the quadratures have by now. */
static double quadrature_norm(mbs_drive *drive, double enough) {
  const mbs_ode *ode = drive->ode;
  if (ode->quadrature_size == NULL) return 0;
  const double worst = worst_quadrature(drive);
  if (!(worst > enough)) return worst;
  drive->quadrature_size = ode->quadrature_size(ode->context, drive->t1, drive->y1);
  return worst_quadrature(drive);
}

mbs_status mbs_drive_judge_quadratures(mbs_drive *drive, double motion, double *norm) {
  *norm = motion;
  if (!isfinite(motion)) return MBS_NOT_FINITE;
  if (motion <= 1) *norm = fmax(motion, quadrature_norm(drive, motion)); /* else y1 may be anywhere */
  return isfinite(*norm) ? MBS_OK : MBS_NOT_FINITE;
}

/* The same of a step whose stages are there, and f1 where the method wants it; with the errors. */
static mbs_status error_norm(mbs_drive *drive, double *norm) {
  const double motion = drive->method->error(drive->ode, drive->h, drive->y, drive->f0, drive->y1, drive->f1,
                                             drive->tolerance, drive->workspace, drive->errors);
  return mbs_drive_judge_quadratures(drive, motion, norm);
}

static bool take_blurred(const mbs_drive *drive) {
  return drive->ode->blurred != NULL && drive->ode->blurred(drive->ode->context);
}

void mbs_drive_forget(mbs_drive *drive) {
  drive->prepared = drive->limited = false;
  drive->blurred_inside = drive->blurred_end = false;
  drive->stiffness = NAN;
}

mbs_status mbs_drive_attempt(mbs_drive *drive, double *norm) {
  const mbs_method *method = drive->method;
  const mbs_ode *ode = drive->ode;
  uint64_t *evaluations = &drive->stats->evaluations;
  mbs_status status;

  mbs_drive_forget(drive);
  if (ode->look != NULL) ode->look(ode->context, false);
  take_blurred(drive);
  *norm = 0;
  status = method->step(ode, drive->t, drive->h, drive->y, drive->f0, drive->y1, drive->workspace, evaluations);
  drive->blurred_inside = take_blurred(drive);
  if (status != MBS_OK) return status;
  if (method->early_error && ((status = error_norm(drive, norm)) != MBS_OK || *norm > 1)) return status;
  if (ode->project != NULL && (status = ode->project(ode->context, drive->t1, drive->y1)) != MBS_OK) return status;
  if (!mbs_all_finite(ode->n, drive->y1)) return MBS_NOT_FINITE;
  status = mbs_ode_evaluate(ode, drive->t1, drive->y1, drive->f1, evaluations);
  drive->blurred_end = take_blurred(drive);
  if (status != MBS_OK) return status;
  if (ode->look != NULL) ode->look(ode->context, true);
  if (!mbs_all_finite(ode->n, drive->f1)) return MBS_NOT_FINITE;
  return method->adaptive && !method->early_error ? error_norm(drive, norm) : MBS_OK;
}

void mbs_drive_prepared(mbs_drive *drive, double error) {
  drive->prepared = true;
  drive->falls_short = error > mbs_dense_share(drive->tolerance);
}

static mbs_status prepare(mbs_drive *drive) {
  const mbs_method *method = drive->method;
  const mbs_ode *ode = drive->ode;
  if (drive->prepared) return MBS_OK;
  drive->prepared = true;
  drive->falls_short = false;
  const mbs_status status = method->dense_prepare(ode, drive->t, drive->h, drive->y, drive->f0, drive->y1, drive->f1,
                                                  drive->workspace, &drive->stats->evaluations);
  if (status == MBS_OK && method->dense_error != NULL)
    mbs_drive_prepared(drive, method->dense_error(ode, drive->y, drive->y1, drive->tolerance, drive->workspace));
  return status;
}

bool mbs_drive_is_observed(const mbs_drive *drive) { return mbs_ode_inside(drive->ode, drive->t, drive->t1); }

/* Whether states inside the step in hand are asked for: a reporting time lies there, or somebody observes. */
static bool asked_inside(const mbs_drive *drive) {
  return (drive->row < drive->rows && drive->report_times[drive->row] < drive->t1 - drive->resolution) ||
         mbs_drive_is_observed(drive);
}

/* Returns true if the step in hand is short enough for the host at its end, too. */
static bool is_borne(mbs_drive *drive) {
  if (!drive->limited) drive->limit = bearable(drive, drive->t1, drive->y1, drive->f1);
  drive->limited = true;
  return !(drive->h > 2 * drive->limit);
}

bool mbs_drive_looks_inside(mbs_drive *drive) {
  return is_borne(drive) && (asked_inside(drive) || (drive->ode->n_guards > 0 && !drive->to_event));
}

/* How much of the step in hand holds: all of it, or the part up to its first event. Fills the last row of guards. What
 * is asked for inside and cannot be interpolated does not hold. */
static mbs_status examine(mbs_drive *drive, double *length) {
  const mbs_ode *ode = drive->ode;
  double theta;

  *length = drive->h;
  if (asked_inside(drive)) {
    const mbs_status ready = prepare(drive);
    if (ready != MBS_OK) return ready;
  }
  if (ode->n_guards == 0) return MBS_OK;
  if (drive->to_event)
    return mbs_guards_evaluate(ode, drive->t1, drive->y1, drive->guards + MBS_GUARD_END * ode->n_guards);
  mbs_status status = prepare(drive);
  if (status != MBS_OK) return status;
  const mbs_finished_step step = {drive->method, ode,       drive->t,         drive->h,
                                  drive->y,      drive->y1, drive->workspace, drive->state};
  if ((status = mbs_event_find(&step, drive->resolution, drive->guards, &theta)) != MBS_OK) return status;
  /* Half the resolution more, lest rounding of t + length ends the step just before the event. */
  if (theta < 1) *length = fmin(theta * drive->h + 0.5 * drive->resolution, drive->h);
  return MBS_OK;
}

/* Whether the attempt should be made again with another length to miss a spot where rounding blurs slopes. Where the
 * step begins in such a spot no length helps. theory (16.14) */
static bool looks_elsewhere(const mbs_drive *drive, mbs_status status, double norm) {
  if (!drive->method->adaptive || drive->blurred_start || drive->to_event) return false;
  if (status != MBS_OK) return drive->blurred_inside && mbs_status_rejects(status);
  return drive->blurred_end || (drive->blurred_inside && norm > 1);
}

void mbs_drive_begin(mbs_drive *drive) {
  drive->rejected = drive->to_event = false;
  drive->elsewheres = 0;
  set_length(drive, drive->next);
}

/* The attempt is thrown away for another of this length. */
static mbs_status try_length(mbs_drive *drive, double length, bool *again) {
  ++drive->stats->rejected;
  set_length(drive, length);
  *again = true;
  return MBS_OK;
}

/* The attempt meets the tolerance: what of it holds, and the length of the next step. */
static void take_length(mbs_drive *drive, double norm, double length, bool *again) {
  assert(norm <= 1);
  if (!drive->to_event) {
    /* h_new = factor h; no longer than h after a rejection */
    const double factor = growth(drive, norm);
    drive->next = drive->h * (drive->rejected ? fmin(factor, 1) : factor);
    drive->error_before = fmax(norm, least_error);
  }
  if (length >= drive->h) return;
  cut(drive, length);
  *again = true;
}

mbs_status mbs_drive_judge(mbs_drive *drive, mbs_status status, double norm, bool *again) {
  double length = 0;
  *again = false;
  if (drive->elsewheres < ELSEWHERE_MAX && looks_elsewhere(drive, status, norm)) {
    ++drive->elsewheres;
    return try_length(drive, elsewhere * drive->h, again);
  }
  if (status == MBS_OK && norm <= 1 && !is_borne(drive)) return try_length(drive, 0.5 * drive->h, again);
  if (status == MBS_OK && norm <= 1) status = examine(drive, &length);
  if (status == MBS_OK && norm <= 1) {
    take_length(drive, norm, length, again);
    return MBS_OK;
  }
  if (status != MBS_OK && !mbs_status_rejects(status)) return fail(drive, status, drive->t);
  const bool same = status != MBS_OK && drive->ode->again != NULL && drive->ode->again(drive->ode->context);
  /* by the error norm; by half where the step could not be made */
  const double shorter = drive->h * (status == MBS_OK ? growth(drive, norm) : same ? 1 : 0.5);
  if (shorter < drive->smallest) return fail_step(drive, status);
  drive->rejected = drive->rejected || !same;
  drive->to_event = false;
  return try_length(drive, shorter, again);
}

/* Tries, rejects and cuts until the step in hand can be accepted, and proposes the next. */
static mbs_status advance(mbs_drive *drive) {
  bool again = true;
  mbs_status status = MBS_OK;
  mbs_drive_begin(drive);
  while (again && status == MBS_OK) {
    double norm;
    status = mbs_drive_attempt(drive, &norm);
    status = mbs_drive_judge(drive, status, norm, &again);
  }
  return status;
}

/* ---- between steps ------------------------------------------------------------------------------------------ */

/* Reports the next row, at state y. */
static mbs_status report_row(mbs_drive *drive, const double *y) {
  const double t = drive->report_times[drive->row];
  const mbs_status status = drive->ode->report(drive->ode->context, drive->row, t, y);
  if (status != MBS_OK) return fail(drive, status, t);
  ++drive->row;
  return MBS_OK;
}

/* The state at t inside the step in hand, which is prepared: interpolated, or by a step of its own from the start of
 * this one, whose modes hold as far as its end. */
static mbs_status state_inside(mbs_drive *drive, double t, double *state) {
  const mbs_method *method = drive->method;
  const mbs_ode *ode = drive->ode;
  if (drive->falls_short) {
    mbs_status status = method->step(ode, drive->t, t - drive->t, drive->y, drive->f0, state, drive->row_work,
                                     &drive->stats->evaluations);
    if (status != MBS_OK && !mbs_status_rejects(status)) return status;
    ++drive->stats->row_steps;
    if (status == MBS_OK && mbs_all_finite(ode->n, state)) return MBS_OK;
  }
  method->dense(ode->n, fmax((t - drive->t) / drive->h, 0), drive->h, drive->y, drive->y1, drive->workspace, state);
  return MBS_OK;
}

/* Whether the row is inside the step in hand. */
static bool is_inside(const mbs_drive *drive, size_t row) {
  return row < drive->rows && drive->report_times[row] < drive->t1 - drive->resolution;
}

/* Reports inside a part of the step in hand, up to t1. */
static mbs_status report_part(void *context, const mbs_finished_step *part, double t1) {
  mbs_drive *drive = context;
  while (is_inside(drive, drive->row) && drive->report_times[drive->row] <= t1) {
    const double theta = (drive->report_times[drive->row] - part->t) / part->h;
    part->method->dense(part->ode->n, fmax(theta, 0), part->h, part->y, part->y1, part->workspace, drive->row_state);
    const mbs_status status = report_row(drive, drive->row_state);
    if (status != MBS_OK) return status;
    ++drive->stats->row_steps;
  }
  return MBS_OK;
}

/* Where interpolation over the step falls short, so many rows inside it cost less by two parts of it (dop853: 30
 * evaluations) than by a step of its own for each (11). */
enum { ROWS_FOR_PARTS = 4 };

static mbs_status report_parts(mbs_drive *drive) {
  const mbs_finished_step step = {drive->method, drive->ode, drive->t,         drive->h,
                                  drive->y,      drive->y1,  drive->workspace, drive->state};
  if (!is_inside(drive, drive->row + ROWS_FOR_PARTS - 1)) return MBS_OK;
  mbs_status status = prepare(drive);
  if (status == MBS_OK && drive->falls_short)
    status = mbs_step_in_parts(&step, drive->tolerance, drive->f0, drive->row_work, drive->parts,
                               &drive->stats->evaluations, report_part, drive);
  if (status == MBS_OK) return MBS_OK;
  return fail(drive, status, drive->row < drive->rows ? drive->report_times[drive->row] : drive->t1);
}

/* Reports up to the end of the step in hand. */
static mbs_status report_step(mbs_drive *drive) {
  mbs_status status = report_parts(drive);
  while (status == MBS_OK && drive->row < drive->rows &&
         drive->report_times[drive->row] <= drive->t1 + drive->resolution) {
    const double t = drive->report_times[drive->row];
    const bool inside = is_inside(drive, drive->row);
    status = inside ? prepare(drive) : MBS_OK;
    if (inside && status == MBS_OK) status = state_inside(drive, t, drive->row_state);
    if (status != MBS_OK) return fail(drive, status, t);
    status = report_row(drive, inside ? drive->row_state : drive->y1);
  }
  return status;
}

/* Shows the step in hand to who observes. */
static mbs_status observe(mbs_drive *drive) {
  const mbs_ode *ode = drive->ode;
  const mbs_finished_step step = {drive->method, ode,       drive->t,         drive->h,
                                  drive->y,      drive->y1, drive->workspace, drive->state};
  mbs_status status = MBS_OK;
  bool inside = false;
  if (ode->observe == NULL) return MBS_OK;
  if (mbs_ode_inside(ode, drive->t, drive->t1)) {
    status = prepare(drive);
    inside = true;
  }
  if (status == MBS_OK)
    status = mbs_step_observe(&step, inside && drive->falls_short, drive->tolerance, drive->f0, drive->row_work,
                              drive->parts, &drive->stats->evaluations);
  return status == MBS_OK ? MBS_OK : fail(drive, status, drive->t);
}

/* Evaluates what the next step needs of its start, which is a first state or one that an event may have changed; the
 * starting step is not longer than `next` was. */
static mbs_status start(mbs_drive *drive, bool choose_step) {
  const mbs_ode *ode = drive->ode;
  uint64_t *evaluations = &drive->stats->evaluations;
  mbs_status status = mbs_ode_evaluate(ode, drive->t, drive->y, drive->f0, evaluations);
  double h;

  drive->blurred_start = take_blurred(drive);
  if (status == MBS_OK && !mbs_all_finite(ode->n, drive->f0)) status = MBS_NOT_FINITE;
  if (status == MBS_OK && ode->n_guards > 0) status = mbs_guards_evaluate(ode, drive->t, drive->y, drive->guards);
  drive->error_before = least_error;
  drive->limit = bearable(drive, drive->t, drive->y, drive->f0);
  if (status == MBS_OK && choose_step) {
    /* h of (16.7), within the span and what guards bear */
    const double h_max = fmin(drive->limit, drive->t_end - drive->t);
    status = mbs_starting_step(drive->method, ode, drive->t, drive->y, drive->f0, drive->tolerance, h_max, drive->y1,
                               drive->f1, evaluations, &h);
    drive->next = fmin(drive->next, h);
  }
  return status == MBS_OK ? MBS_OK : fail(drive, status, drive->t);
}

/* The events at the end of a step. */
static mbs_status change_modes(mbs_drive *drive) {
  const mbs_ode *ode = drive->ode;
  double *before = drive->guards;
  const double *after = drive->guards + MBS_GUARD_END * ode->n_guards;
  bool changed = false;
  mbs_status status;

  /* the guards that fell below min(0, m(t_start)) */
  for (size_t i = 0; i < ode->n_guards; i++) {
    if (!mbs_guard_fell(before[i], after[i])) continue;
    changed = true;
    if ((status = ode->event(ode->context, i, drive->t, drive->y)) != MBS_OK) return fail(drive, status, drive->t);
  }
  if (changed && ode->settle != NULL && (status = ode->settle(ode->context, drive->t, drive->y)) != MBS_OK)
    return fail(drive, status, drive->t);
  if ((changed || drive->to_event) &&
      (status = mbs_chatter_check(&drive->chatter, ode, drive->t, before, after, drive->error)) != MBS_OK)
    return status;
  if (!changed) {
    for (size_t i = 0; i < ode->n_guards; i++) before[i] = after[i];
    return MBS_OK;
  }
  if (drive->t < drive->t_end && (status = start(drive, drive->method->adaptive)) != MBS_OK) return status;
  status = ode->accepted != NULL ? ode->accepted(ode->context, drive->t, drive->y) : MBS_OK;
  return status == MBS_OK ? MBS_OK : fail(drive, status, drive->t);
}

mbs_status mbs_drive_accept(mbs_drive *drive) {
  assert(drive->t1 >= drive->t && drive->t1 <= drive->t_end + drive->resolution);
  const mbs_ode *ode = drive->ode;
  const mbs_method *method = drive->method;
  mbs_status status;

  if (method->adaptive && ode->estimated != NULL) ode->estimated(ode->context, drive->t1, drive->errors);
  if (method->stiffness != NULL && isnan(drive->stiffness))
    drive->stiffness = method->stiffness(ode->n, drive->h, drive->y1, drive->f1, drive->workspace);
  if (drive->stiffness > 1) ++drive->stiff_steps;
  if ((status = report_step(drive)) != MBS_OK || (status = observe(drive)) != MBS_OK) return status;
  if (ode->look != NULL) ode->look(ode->context, false);
  /* y = y_1, f_0 = f_1, t = t_1 */
  for (size_t i = 0; i < ode->n; i++) drive->y[i] = drive->y1[i];
  double *const f0 = drive->f0;
  drive->f0 = drive->f1;
  drive->f1 = f0;
  drive->blurred_start = drive->blurred_end;
  drive->t = drive->t1;
  drive->stats->t = drive->t;
  ++drive->stats->steps;
  drive->stats->longest_step = fmax(drive->stats->longest_step, drive->h);
  drive->stats->stiffness = (double)drive->stiff_steps / (double)drive->stats->steps;
  if (ode->accepted != NULL && (status = ode->accepted(ode->context, drive->t, drive->y)) != MBS_OK)
    return fail(drive, status, drive->t);
  return ode->n_guards > 0 ? change_modes(drive) : MBS_OK;
}

mbs_status mbs_drive_open(mbs_drive *drive, const mbs_method *method, const mbs_ode *ode, double t_start, double t_end,
                          double *y, const double *report_times, size_t rows, const mbs_tolerance *tolerance,
                          double *workspace, mbs_integration *stats, mbs_error *error) {
  assert(ode->n_error + ode->n_unjudged <= ode->n);
  assert(ode->n_guards == 0 || (ode->guards != NULL && ode->event != NULL));
  const size_t n = ode->n;
  const double resolution = 4 * DBL_EPSILON * fmax(fabs(t_start), fabs(t_end));
  const double longest = method->adaptive ? tolerance->max_step : tolerance->fixed_step;
  const bool first_given = method->adaptive && tolerance->first_step > 0;
  *drive = (mbs_drive){
      .method = method,
      .ode = ode,
      .tolerance = tolerance,
      .stats = stats,
      .error = error,
      .t = t_start,
      .t_end = t_end,
      .resolution = resolution,
      .smallest = 4 * resolution,
      .longest = longest > 0 ? longest : INFINITY,
      .next = first_given ? tolerance->first_step : INFINITY,
      .chatter = mbs_chatter_from(t_start, t_end, resolution),
      .y = y,
      .f0 = workspace,
      .y1 = workspace + n,
      .f1 = workspace + 2 * n,
      .state = workspace + 3 * n,
      .errors = workspace + 4 * n,
      .guards = workspace + 5 * n,
      .workspace = workspace + 5 * n + MBS_GUARD_ROWS * ode->n_guards,
      .parts = workspace + 5 * n + MBS_GUARD_ROWS * ode->n_guards + method->workspace(n),
      .row_work = workspace + 9 * n + MBS_GUARD_ROWS * ode->n_guards + method->workspace(n),
      .row_state = workspace + steps_workspace(method, ode),
      .report_times = report_times,
      .rows = rows,
  };
  mbs_status status;

  *stats = (mbs_integration){.t = t_start};
  if (!method->adaptive && !(longest > 0))
    return mbs_end_given_up(error, MBS_OUT_OF_RANGE, t_start, "a method with fixed steps needs a step greater than 0");
  while (drive->row < rows && report_times[drive->row] <= t_start + resolution)
    if ((status = report_row(drive, y)) != MBS_OK) return status;
  if (t_end <= t_start) return mbs_state_observe(method, ode, t_start, y);
  return start(drive, method->adaptive && !first_given);
}

mbs_status mbs_integrate(const mbs_method *method, const mbs_ode *ode, double t_start, double t_end, double *y,
                         const double *report_times, size_t rows, const mbs_tolerance *tolerance, double *workspace,
                         mbs_integration *stats, mbs_error *error) {
  if (method->integrate != NULL)
    return method->integrate(method, ode, t_start, t_end, y, report_times, rows, tolerance, workspace, stats, error);
  mbs_drive drive;
  mbs_status status =
      mbs_drive_open(&drive, method, ode, t_start, t_end, y, report_times, rows, tolerance, workspace, stats, error);
  while (status == MBS_OK && drive.t < t_end) {
    status = advance(&drive);
    if (status == MBS_OK) status = mbs_drive_accept(&drive);
  }
  return status;
}
