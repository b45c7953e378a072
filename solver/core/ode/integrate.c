/* integrate.c - the loop around the step methods: step lengths, projection, events, reports.
 *
 * In a step the method computes y1, and the host projects it. f1 = f(t + h, y1) is the first stage of the next step in
 * every method, so that projection costs no evaluation. The error test follows, with Hairer's step size control
 *
 *     h_new = h min(grow, max(shrink, safety err_before^beta / err^(1/order - 0.75 beta))).
 *
 * If a guard becomes negative in a step, the step is repeated up to that instant. The state there then has the accuracy
 * of the method. If the repeated step ends just before the event, it is an ordinary step. The next step is as short as
 * the difference, and ends at the event. */
#include <assert.h>

#include "ode/stepper.h"

/* The control of the next step uses at least this error. */
static const double least_error = 1e-4;
/* If a step would end within this share of its length before the end of the span, it is lengthened to that end. */
static const double stretch = 1e-6;
/* Ratio of successive lengths tried to avoid a spot where rounding dominates slopes. */
static const double elsewhere = 0.85;
enum { ELSEWHERE_MAX = 6 };

/* Returns the size of the workspace without that of rows. */
static size_t steps_workspace(const mbs_method *method, const mbs_ode *ode) {
  return (method->dense_error ? 2 : 1) * method->workspace(ode->n) + 9 * ode->n + MBS_GUARD_ROWS * ode->n_guards + 1;
}

size_t mbs_integrate_workspace(const mbs_method *method, const mbs_ode *ode) {
  return steps_workspace(method, ode) + ode->n;
}

static mbs_status fail(const mbs_stepper *stepper, mbs_status status, double t) {
  return mbs_integration_finish_error(stepper->error, status, t);
}

static mbs_status fail_step(const mbs_stepper *stepper, mbs_status status) {
  return status != MBS_OK ? fail(stepper, status, stepper->t)
                          : mbs_integration_fail_step_size(stepper->error, stepper->t, stepper->smallest);
}

/* ---- one step ----------------------------------------------------------------------------------------------- */

/* Returns the ratio of the next step to one with this error norm. theory (16.6) */
static double growth(const mbs_stepper *stepper, double norm) {
  assert(!(norm < 0));
  const mbs_method *method = stepper->method;
  /* err^(1/q - 0.75 beta) */
  const double power = pow(norm, 1.0 / method->order - 0.75 * method->beta);

  if (norm > 1) return fmax(method->shrink, method->safety / power);
  const double before = method->beta > 0 ? pow(stepper->error_before, method->beta) : 1;
  /* min(g_+, max(g_-, s err_before^beta / power)) */
  return fmin(method->grow, fmax(method->shrink, method->safety * before / power));
}

/* Returns the longest step that the host allows from (t, y), where the slope is f; a fixed step does not change. */
static double allowed_length(const mbs_stepper *stepper, double t, const double *y, const double *f) {
  const mbs_ode *ode = stepper->ode;
  const double longest = ode->longest != NULL ? ode->longest(ode->context, t, y, f) : INFINITY;
  return stepper->method->adaptive ? fmin(stepper->longest, longest) : stepper->longest;
}

/* Makes the current step about `length` long, so that it meets the end of the span and leaves no tiny step before
 * it. */
static void set_length(mbs_stepper *stepper, double length) {
  assert(stepper->t < stepper->t_end);
  const double remaining = stepper->t_end - stepper->t;
  double h = fmax(fmin(length, stepper->limit), stepper->resolution);

  stepper->h = remaining;
  stepper->t1 = stepper->t_end;
  if (remaining <= h * (1 + stretch)) return;
  if (stepper->method->adaptive && remaining < 2 * h) h = 0.5 * remaining;
  stepper->t1 = stepper->t + h;
  stepper->h = stepper->t1 - stepper->t;
}

/* Makes the current step end at an event. */
static void cut(mbs_stepper *stepper, double length) {
  assert(length <= stepper->h);
  stepper->t1 = stepper->t + length;
  stepper->h = stepper->t1 - stepper->t;
  stepper->to_event = true;
}

/* Returns the largest error of a quadrature, in tolerances. */
static double worst_quadrature(const mbs_stepper *stepper) {
  double worst = 0;
  /* max |e_i| / sc */
  for (size_t i = stepper->ode->n_error; i < stepper->ode->n - stepper->ode->n_uncontrolled; i++)
    worst = fmax(worst, fabs(stepper->errors[i]) / mbs_quadrature_scale(stepper->tolerance, stepper->quadrature_size,
                                                                        stepper->y[i], stepper->y1[i]));
  return worst;
}

/* Returns that error; if it is more than `enough`, with the current size of the quadratures. */
static double quadrature_norm(mbs_stepper *stepper, double enough) {
  const mbs_ode *ode = stepper->ode;
  if (ode->quadrature_size == NULL) return 0;
  const double worst = worst_quadrature(stepper);
  if (!(worst > enough)) return worst;
  stepper->quadrature_size = ode->quadrature_size(ode->context, stepper->t1, stepper->y1);
  return worst_quadrature(stepper);
}

mbs_status mbs_stepper_judge_quadratures(mbs_stepper *stepper, double motion, double *norm) {
  *norm = motion;
  if (!isfinite(motion)) return MBS_NOT_FINITE;
  if (motion <= 1) *norm = fmax(motion, quadrature_norm(stepper, motion)); /* otherwise y1 is not reliable */
  return isfinite(*norm) ? MBS_OK : MBS_NOT_FINITE;
}

/* Computes the errors and the error norm of a step from its stages, and from f1 if the method needs it. */
static mbs_status error_norm(mbs_stepper *stepper, double *norm) {
  const double motion = stepper->method->error(stepper->ode, stepper->h, stepper->y, stepper->f0, stepper->y1,
                                               stepper->f1, stepper->tolerance, stepper->workspace, stepper->errors);
  return mbs_stepper_judge_quadratures(stepper, motion, norm);
}

static bool read_blurred(const mbs_stepper *stepper) {
  return stepper->ode->blurred != NULL && stepper->ode->blurred(stepper->ode->context);
}

void mbs_stepper_reset_attempt(mbs_stepper *stepper) {
  stepper->prepared = stepper->limited = false;
  stepper->blurred_inside = stepper->blurred_end = false;
  stepper->stiffness = NAN;
}

mbs_status mbs_stepper_attempt(mbs_stepper *stepper, double *norm) {
  const mbs_method *method = stepper->method;
  const mbs_ode *ode = stepper->ode;
  uint64_t *evaluations = &stepper->stats->evaluations;
  mbs_status status;

  mbs_stepper_reset_attempt(stepper);
  if (ode->set_observed != NULL) ode->set_observed(ode->context, false);
  read_blurred(stepper);
  *norm = 0;
  status =
      method->step(ode, stepper->t, stepper->h, stepper->y, stepper->f0, stepper->y1, stepper->workspace, evaluations);
  stepper->blurred_inside = read_blurred(stepper);
  if (status != MBS_OK) return status;
  if (method->early_error && ((status = error_norm(stepper, norm)) != MBS_OK || *norm > 1)) return status;
  if (ode->project != NULL && (status = ode->project(ode->context, stepper->t1, stepper->y1)) != MBS_OK) return status;
  if (!mbs_all_finite(ode->n, stepper->y1)) return MBS_NOT_FINITE;
  status = mbs_ode_evaluate(ode, stepper->t1, stepper->y1, stepper->f1, evaluations);
  stepper->blurred_end = read_blurred(stepper);
  if (status != MBS_OK) return status;
  if (ode->set_observed != NULL) ode->set_observed(ode->context, true);
  if (!mbs_all_finite(ode->n, stepper->f1)) return MBS_NOT_FINITE;
  return method->adaptive && !method->early_error ? error_norm(stepper, norm) : MBS_OK;
}

void mbs_stepper_prepared(mbs_stepper *stepper, double error) {
  stepper->prepared = true;
  stepper->falls_short = error > mbs_dense_share(stepper->tolerance);
}

static mbs_status prepare(mbs_stepper *stepper) {
  const mbs_method *method = stepper->method;
  const mbs_ode *ode = stepper->ode;
  if (stepper->prepared) return MBS_OK;
  stepper->prepared = true;
  stepper->falls_short = false;
  const mbs_status status = method->dense_prepare(ode, stepper->t, stepper->h, stepper->y, stepper->f0, stepper->y1,
                                                  stepper->f1, stepper->workspace, &stepper->stats->evaluations);
  if (status == MBS_OK && method->dense_error != NULL)
    mbs_stepper_prepared(stepper,
                         method->dense_error(ode, stepper->y, stepper->y1, stepper->tolerance, stepper->workspace));
  return status;
}

bool mbs_stepper_is_observed(const mbs_stepper *stepper) {
  return mbs_ode_inside(stepper->ode, stepper->t, stepper->t1);
}

/* Returns true if states inside the current step are needed: for a reporting time there, or for an observer. */
static bool needs_states_inside(const mbs_stepper *stepper) {
  return (stepper->row < stepper->rows && stepper->report_times[stepper->row] < stepper->t1 - stepper->resolution) ||
         mbs_stepper_is_observed(stepper);
}

/* Returns true if the length of the current step is within the limit at its end, too. */
static bool is_within_limit(mbs_stepper *stepper) {
  if (!stepper->limited) stepper->limit = allowed_length(stepper, stepper->t1, stepper->y1, stepper->f1);
  stepper->limited = true;
  return !(stepper->h > 2 * stepper->limit);
}

bool mbs_stepper_needs_dense_output(mbs_stepper *stepper) {
  return is_within_limit(stepper) &&
         (needs_states_inside(stepper) || (stepper->ode->n_guards > 0 && !stepper->to_event));
}

/* Sets *length to the valid length of the current step: the whole step, or the part up to its first event. Fills the
 * last row of guards. Fails if dense output is needed and cannot be prepared. */
static mbs_status examine(mbs_stepper *stepper, double *length) {
  const mbs_ode *ode = stepper->ode;
  double theta;

  *length = stepper->h;
  if (needs_states_inside(stepper)) {
    const mbs_status ready = prepare(stepper);
    if (ready != MBS_OK) return ready;
  }
  if (ode->n_guards == 0) return MBS_OK;
  if (stepper->to_event)
    return mbs_guards_evaluate(ode, stepper->t1, stepper->y1, stepper->guards + MBS_GUARD_END * ode->n_guards);
  mbs_status status = prepare(stepper);
  if (status != MBS_OK) return status;
  const mbs_finished_step step = {stepper->method, ode,         stepper->t,         stepper->h,
                                  stepper->y,      stepper->y1, stepper->workspace, stepper->state};
  if ((status = mbs_event_find(&step, stepper->resolution, stepper->guards, &theta)) != MBS_OK) return status;
  /* plus half the resolution, so that rounding of t + length does not end the step just before the event; twice as much
   * after each cut at whose end rounding hid the event, as where a guard changes too slowly for so short a step */
  if (theta < 1) *length = fmin(theta * stepper->h + ldexp(stepper->resolution, stepper->missed - 1), stepper->h);
  return MBS_OK;
}

/* Returns true if the attempt should be repeated with another length, to avoid a spot where rounding dominates slopes.
 * If the step begins in such a spot, no length helps. theory (16.14) */
static bool should_try_elsewhere(const mbs_stepper *stepper, mbs_status status, double norm) {
  if (!stepper->method->adaptive || stepper->blurred_start || stepper->to_event) return false;
  if (status != MBS_OK) return stepper->blurred_inside && mbs_status_rejects(status);
  return stepper->blurred_end || (stepper->blurred_inside && norm > 1);
}

void mbs_stepper_begin(mbs_stepper *stepper) {
  stepper->rejected = stepper->to_event = false;
  stepper->elsewheres = 0;
  set_length(stepper, stepper->next);
}

/* Rejects the attempt and sets another length. */
static mbs_status try_length(mbs_stepper *stepper, double length, bool *again) {
  ++stepper->stats->rejected;
  set_length(stepper, length);
  *again = true;
  return MBS_OK;
}

/* Accepts the error of an attempt: proposes the next length, and cuts the step at an event. */
static void accept_error(mbs_stepper *stepper, double norm, double length, bool *again) {
  assert(norm <= 1);
  if (!stepper->to_event) {
    /* h_new = factor h; at most h after a rejection */
    const double factor = growth(stepper, norm);
    stepper->next = stepper->h * (stepper->rejected ? fmin(factor, 1) : factor);
    stepper->error_before = fmax(norm, least_error);
  }
  if (length >= stepper->h) return;
  cut(stepper, length);
  *again = true;
}

mbs_status mbs_stepper_judge(mbs_stepper *stepper, mbs_status status, double norm, bool *again) {
  double length = 0;
  *again = false;
  if (stepper->elsewheres < ELSEWHERE_MAX && should_try_elsewhere(stepper, status, norm)) {
    ++stepper->elsewheres;
    return try_length(stepper, elsewhere * stepper->h, again);
  }
  if (status == MBS_OK && norm <= 1 && !is_within_limit(stepper)) return try_length(stepper, 0.5 * stepper->h, again);
  if (status == MBS_OK && norm <= 1) status = examine(stepper, &length);
  if (status == MBS_OK && norm <= 1) {
    accept_error(stepper, norm, length, again);
    return MBS_OK;
  }
  if (status != MBS_OK && !mbs_status_rejects(status)) return fail(stepper, status, stepper->t);
  const bool same = status != MBS_OK && stepper->ode->again != NULL && stepper->ode->again(stepper->ode->context);
  /* step reduced by the error norm, or by half if it failed */
  const double shorter = stepper->h * (status == MBS_OK ? growth(stepper, norm) : same ? 1 : 0.5);
  if (shorter < stepper->smallest) return fail_step(stepper, status);
  stepper->rejected = stepper->rejected || !same;
  stepper->to_event = false;
  return try_length(stepper, shorter, again);
}

/* Tries, rejects and cuts the current step until it can be accepted, and proposes the next. */
static mbs_status advance(mbs_stepper *stepper) {
  bool again = true;
  mbs_status status = MBS_OK;
  mbs_stepper_begin(stepper);
  while (again && status == MBS_OK) {
    double norm;
    status = mbs_stepper_attempt(stepper, &norm);
    status = mbs_stepper_judge(stepper, status, norm, &again);
  }
  return status;
}

/* ---- between steps ------------------------------------------------------------------------------------------ */

/* Reports the next row with the state y. */
static mbs_status report_row(mbs_stepper *stepper, const double *y) {
  const double t = stepper->report_times[stepper->row];
  const mbs_status status = stepper->ode->report(stepper->ode->context, stepper->row, t, y);
  if (status != MBS_OK) return fail(stepper, status, t);
  ++stepper->row;
  return MBS_OK;
}

/* Computes the state at t inside the current step, which must be prepared: interpolated, or by a separate step from the
 * start of the current one, whose modes are valid up to its end. */
static mbs_status state_inside(mbs_stepper *stepper, double t, double *state) {
  const mbs_method *method = stepper->method;
  const mbs_ode *ode = stepper->ode;
  if (stepper->falls_short) {
    mbs_status status = method->step(ode, stepper->t, t - stepper->t, stepper->y, stepper->f0, state, stepper->row_work,
                                     &stepper->stats->evaluations);
    if (status != MBS_OK && !mbs_status_rejects(status)) return status;
    ++stepper->stats->row_steps;
    if (status == MBS_OK && mbs_all_finite(ode->n, state)) return MBS_OK;
  }
  method->dense(ode->n, fmax((t - stepper->t) / stepper->h, 0), stepper->h, stepper->y, stepper->y1, stepper->workspace,
                state);
  return MBS_OK;
}

/* Returns true if the row is inside the current step. */
static bool is_inside(const mbs_stepper *stepper, size_t row) {
  return row < stepper->rows && stepper->report_times[row] < stepper->t1 - stepper->resolution &&
         stepper->report_times[row] <= stepper->rows_until;
}

/* Reports the rows inside a part of the current step, up to t1. */
static mbs_status report_part(void *context, const mbs_finished_step *part, double t1) {
  mbs_stepper *stepper = context;
  while (is_inside(stepper, stepper->row) && stepper->report_times[stepper->row] <= t1) {
    const double theta = (stepper->report_times[stepper->row] - part->t) / part->h;
    part->method->dense(part->ode->n, fmax(theta, 0), part->h, part->y, part->y1, part->workspace, stepper->row_state);
    const mbs_status status = report_row(stepper, stepper->row_state);
    if (status != MBS_OK) return status;
    ++stepper->stats->row_steps;
  }
  return MBS_OK;
}

/* If interpolation over the step is not accurate enough, this many rows inside it cost less with two parts of the step
 * (dop853: 30 evaluations) than with a separate step for each row (11). */
enum { ROWS_FOR_PARTS = 4 };

static mbs_status report_parts(mbs_stepper *stepper) {
  const mbs_finished_step step = {stepper->method, stepper->ode, stepper->t,         stepper->h,
                                  stepper->y,      stepper->y1,  stepper->workspace, stepper->state};
  if (!is_inside(stepper, stepper->row + ROWS_FOR_PARTS - 1)) return MBS_OK;
  mbs_status status = prepare(stepper);
  if (status == MBS_OK && stepper->falls_short)
    status = mbs_step_subdivide(&step, stepper->tolerance, stepper->f0, stepper->row_work, stepper->parts,
                                &stepper->stats->evaluations, report_part, stepper);
  if (status == MBS_OK) return MBS_OK;
  return fail(stepper, status, stepper->row < stepper->rows ? stepper->report_times[stepper->row] : stepper->t1);
}

/* Reports the rows up to the end of the current step. */
static mbs_status report_step(mbs_stepper *stepper) {
  mbs_status status = report_parts(stepper);
  while (status == MBS_OK && stepper->row < stepper->rows &&
         stepper->report_times[stepper->row] <= fmin(stepper->t1 + stepper->resolution, stepper->rows_until)) {
    const double t = stepper->report_times[stepper->row];
    const bool inside = is_inside(stepper, stepper->row);
    status = inside ? prepare(stepper) : MBS_OK;
    if (inside && status == MBS_OK) status = state_inside(stepper, t, stepper->row_state);
    if (status != MBS_OK) return fail(stepper, status, t);
    status = report_row(stepper, inside ? stepper->row_state : stepper->y1);
  }
  return status;
}

/* Shows the current step to the observer. */
static mbs_status observe(mbs_stepper *stepper) {
  const mbs_ode *ode = stepper->ode;
  const mbs_finished_step step = {stepper->method, ode,         stepper->t,         stepper->h,
                                  stepper->y,      stepper->y1, stepper->workspace, stepper->state};
  mbs_status status = MBS_OK;
  bool inside = false;
  if (ode->observe == NULL) return MBS_OK;
  if (mbs_ode_inside(ode, stepper->t, stepper->t1)) {
    status = prepare(stepper);
    inside = true;
  }
  if (status == MBS_OK)
    status = mbs_step_observe(&step, inside && stepper->falls_short, stepper->tolerance, stepper->f0, stepper->row_work,
                              stepper->parts, &stepper->stats->evaluations);
  return status == MBS_OK ? MBS_OK : fail(stepper, status, stepper->t);
}

/* Evaluates the slope, guards and limit at the start of the next step: at a first state, or after an event. The
 * starting step is at most `next`. */
static mbs_status start(mbs_stepper *stepper, bool choose_step) {
  const mbs_ode *ode = stepper->ode;
  uint64_t *evaluations = &stepper->stats->evaluations;
  mbs_status status = mbs_ode_evaluate(ode, stepper->t, stepper->y, stepper->f0, evaluations);
  double h;

  stepper->blurred_start = read_blurred(stepper);
  if (status == MBS_OK && !mbs_all_finite(ode->n, stepper->f0)) status = MBS_NOT_FINITE;
  if (status == MBS_OK && ode->n_guards > 0) status = mbs_guards_evaluate(ode, stepper->t, stepper->y, stepper->guards);
  stepper->error_before = least_error;
  stepper->limit = allowed_length(stepper, stepper->t, stepper->y, stepper->f0);
  if (status == MBS_OK && choose_step) {
    /* h of (16.7), within the span and the limit */
    const double h_max = fmin(stepper->limit, stepper->t_end - stepper->t);
    status = mbs_starting_step(stepper->method, ode, stepper->t, stepper->y, stepper->f0, stepper->tolerance, h_max,
                               stepper->y1, stepper->f1, evaluations, &h);
    stepper->next = fmin(stepper->next, h);
  }
  return status == MBS_OK ? MBS_OK : fail(stepper, status, stepper->t);
}

/* Handles the events at the end of a step. */
static mbs_status change_modes(mbs_stepper *stepper) {
  const mbs_ode *ode = stepper->ode;
  double *before = stepper->guards;
  const double *after = stepper->guards + MBS_GUARD_END * ode->n_guards;
  bool changed = false;
  mbs_status status;

  /* the guards that fell below min(0, m(t_start)) */
  for (size_t i = 0; i < ode->n_guards; i++) {
    if (!mbs_guard_fell(before[i], after[i])) continue;
    changed = true;
    if ((status = ode->event(ode->context, i, stepper->t, stepper->y)) != MBS_OK)
      return fail(stepper, status, stepper->t);
  }
  if (changed && ode->settle != NULL && (status = ode->settle(ode->context, stepper->t, stepper->y)) != MBS_OK)
    return fail(stepper, status, stepper->t);
  if ((changed || stepper->to_event) &&
      (status = mbs_chatter_check(&stepper->chatter, ode, stepper->t, before, after, stepper->error)) != MBS_OK)
    return status;
  stepper->missed = !changed && stepper->to_event ? stepper->missed + 1 : 0;
  if (!changed) {
    for (size_t i = 0; i < ode->n_guards; i++) before[i] = after[i];
    return MBS_OK;
  }
  if (stepper->t < stepper->t_end && (status = start(stepper, stepper->method->adaptive)) != MBS_OK) return status;
  status = ode->accepted != NULL ? ode->accepted(ode->context, stepper->t, stepper->y) : MBS_OK;
  return status == MBS_OK ? MBS_OK : fail(stepper, status, stepper->t);
}

/* Reports the rows that waited for the events at the end of the step. */
static mbs_status report_late(mbs_stepper *stepper) {
  mbs_status status = MBS_OK;
  while (status == MBS_OK && stepper->row < stepper->rows &&
         stepper->report_times[stepper->row] <= stepper->t + stepper->resolution)
    status = report_row(stepper, stepper->y);
  return status;
}

mbs_status mbs_stepper_accept(mbs_stepper *stepper) {
  assert(stepper->t1 >= stepper->t && stepper->t1 <= stepper->t_end + stepper->resolution);
  const mbs_ode *ode = stepper->ode;
  const mbs_method *method = stepper->method;
  mbs_status status;

  if (method->adaptive && ode->estimated != NULL) ode->estimated(ode->context, stepper->t1, stepper->errors);
  if (method->stiffness != NULL && isnan(stepper->stiffness))
    stepper->stiffness = method->stiffness(ode->n, stepper->h, stepper->y1, stepper->f1, stepper->workspace);
  if (stepper->stiffness > 1) ++stepper->stiff_steps;
  stepper->rows_until = mbs_rows_until(stepper->ode, stepper->guards, stepper->t1, stepper->resolution);
  if ((status = report_step(stepper)) != MBS_OK || (status = observe(stepper)) != MBS_OK) return status;
  if (ode->set_observed != NULL) ode->set_observed(ode->context, false);
  /* y = y_1, f_0 = f_1, t = t_1 */
  for (size_t i = 0; i < ode->n; i++) stepper->y[i] = stepper->y1[i];
  double *const f0 = stepper->f0;
  stepper->f0 = stepper->f1;
  stepper->f1 = f0;
  stepper->blurred_start = stepper->blurred_end;
  stepper->t = stepper->t1;
  stepper->stats->t = stepper->t;
  ++stepper->stats->steps;
  stepper->stats->longest_step = fmax(stepper->stats->longest_step, stepper->h);
  stepper->stats->stiffness = (double)stepper->stiff_steps / (double)stepper->stats->steps;
  if (ode->accepted != NULL && (status = ode->accepted(ode->context, stepper->t, stepper->y)) != MBS_OK)
    return fail(stepper, status, stepper->t);
  status = ode->n_guards > 0 ? change_modes(stepper) : MBS_OK;
  return status == MBS_OK ? report_late(stepper) : status;
}

mbs_status mbs_stepper_open(mbs_stepper *stepper, const mbs_method *method, const mbs_ode *ode, double t_start,
                            double t_end, double *y, const double *report_times, size_t rows,
                            const mbs_tolerance *tolerance, double *workspace, mbs_integration *stats,
                            mbs_error *error) {
  assert(ode->n_error + ode->n_uncontrolled <= ode->n);
  assert(method->step == NULL || (method->safety > 0 && method->shrink > 0 && method->grow >= 1));
  assert(ode->n_guards == 0 || (ode->guards != NULL && ode->event != NULL));
  const size_t n = ode->n;
  const double resolution = 4 * DBL_EPSILON * fmax(fabs(t_start), fabs(t_end));
  const double longest = method->adaptive ? tolerance->max_step : tolerance->fixed_step;
  const bool first_given = method->adaptive && tolerance->first_step > 0;
  *stepper = (mbs_stepper){
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
    return mbs_integration_fail(error, MBS_OUT_OF_RANGE, t_start,
                                "a method with fixed steps needs a step greater than 0");
  while (stepper->row < rows && report_times[stepper->row] <= t_start + resolution)
    if ((status = report_row(stepper, y)) != MBS_OK) return status;
  if (t_end <= t_start) return mbs_state_observe(method, ode, t_start, y);
  return start(stepper, method->adaptive && !first_given);
}

mbs_status mbs_integrate(const mbs_method *method, const mbs_ode *ode, double t_start, double t_end, double *y,
                         const double *report_times, size_t rows, const mbs_tolerance *tolerance, double *workspace,
                         mbs_integration *stats, mbs_error *error) {
  if (method->integrate != NULL)
    return method->integrate(method, ode, t_start, t_end, y, report_times, rows, tolerance, workspace, stats, error);
  mbs_stepper stepper;
  mbs_status status = mbs_stepper_open(&stepper, method, ode, t_start, t_end, y, report_times, rows, tolerance,
                                       workspace, stats, error);
  while (status == MBS_OK && stepper.t < t_end && !mbs_ode_stopped(ode)) {
    status = advance(&stepper);
    if (status == MBS_OK) status = mbs_stepper_accept(&stepper);
  }
  return status;
}
