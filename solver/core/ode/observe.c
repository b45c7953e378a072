/* Shows a step to its observer. If dense output is less accurate than the method, the step is divided into parts. Each
 * part is a step of the method from the end of the part before. Over half the length, interpolation of order p is 2^p
 * times as accurate. Rows of results use such parts, too. */
#include "ode/steps.h"

/* The shortest part, as a share of the step. */
static const double shortest = 1.0 / 64;

static void state(const mbs_ode_step *step, double t, double *y) {
  const mbs_finished_step *finished = step->finished;
  const size_t n = finished->ode->n;
  const double *end = t <= step->t ? finished->y : t >= step->t1 ? finished->y1 : NULL;
  if (end == NULL) {
    /* y(t + theta h) */
    const double theta = (t - finished->t) / finished->h;
    finished->method->dense(n, theta, finished->h, finished->y, finished->y1, finished->workspace, y);
    return;
  }
  for (size_t i = 0; i < n; i++) y[i] = end[i];
}

static mbs_status show(void *context, const mbs_finished_step *step, double t1) {
  (void)context;
  const mbs_ode_step shown = {.t = step->t, .t1 = t1, .state = state, .finished = step};
  return step->ode->observe(step->ode->context, &shown);
}

mbs_status mbs_state_observe(const mbs_method *method, const mbs_ode *ode, double t, const double *y) {
  const mbs_finished_step step = {.method = method, .ode = ode, .t = t, .y = y, .y1 = y};
  return ode->observe != NULL ? show(NULL, &step, t) : MBS_OK;
}

/* Makes a part from (t, y) with slope f over h: its end y1 with the slope f1 there, ready for dense output. Returns
 * false if the part fails, or if its dense output is not accurate enough either; *status is set if it ends the run. */
static bool make_part(const mbs_finished_step *part, const mbs_tolerance *tolerance, const double *f, double *y1,
                      double *f1, double *work, uint64_t *evaluations, mbs_status *status) {
  const mbs_ode *ode = part->ode;
  const mbs_method *method = part->method;
  *status = MBS_OK;
  if (ode->part != NULL && ode->part(ode->context, part->t, part->h, y1, f1, work, evaluations)) return true;
  *status = method->step(ode, part->t, part->h, part->y, f, y1, work, evaluations);
  if (*status == MBS_OK && !mbs_all_finite(ode->n, y1)) *status = MBS_NOT_FINITE;
  if (*status == MBS_OK) *status = mbs_ode_evaluate(ode, part->t + part->h, y1, f1, evaluations);
  if (*status == MBS_OK) *status = method->dense_prepare(ode, part->t, part->h, part->y, f, y1, f1, work, evaluations);
  return *status == MBS_OK && method->dense_error(ode, part->y, y1, tolerance, work) <= mbs_dense_share(tolerance);
}

mbs_status mbs_step_subdivide(const mbs_finished_step *step, const mbs_tolerance *tolerance, const double *f0,
                              double *part_work, double *states, uint64_t *evaluations, mbs_part_shown *shown,
                              void *context) {
  const size_t n = step->ode->n;
  const double t1 = step->t + step->h;
  mbs_finished_step part = *step;
  const double *f = f0;
  double h = 0.5 * step->h, *next = states;
  part.workspace = part_work;
  while (part.t < t1) {
    const bool last = part.t + h * (1 + 1e-9) >= t1;
    mbs_status status;
    double *y1 = next, *f1 = next + n;
    part.h = last ? t1 - part.t : h;
    part.y1 = y1;
    const bool made = make_part(&part, tolerance, f, y1, f1, part_work, evaluations, &status);
    if (status != MBS_OK && !mbs_status_rejects(status)) return status;
    if (!made && h > shortest * step->h) {
      h *= 0.5;
      continue;
    }
    if (status != MBS_OK) return shown(context, step, t1); /* interpolation over the whole step */
    if (last) part.y1 = step->y1;                          /* the motion continues from this state */
    if ((status = shown(context, &part, last ? t1 : part.t + part.h)) != MBS_OK || last) return status;
    part.t += part.h;
    part.y = y1;
    f = f1;
    next = next == states ? states + 2 * n : states;
  }
  return MBS_OK;
}

mbs_status mbs_step_observe(const mbs_finished_step *step, bool falls_short, const mbs_tolerance *tolerance,
                            const double *f0, double *part_work, double *states, uint64_t *evaluations) {
  if (!falls_short) return show(NULL, step, step->t + step->h);
  return mbs_step_subdivide(step, tolerance, f0, part_work, states, evaluations, show, NULL);
}
