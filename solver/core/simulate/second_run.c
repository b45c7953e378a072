/* Prepares a second run of a model, for comparison with the first. */
#include "simulate/second_run.h"

#include "equations/residual_rounding.h"

static bool part_progress(void *user, double t, double fraction, uint64_t evaluations) {
  mbs_progress_part *part = user;
  const mbs_hooks *host = part->host;
  part->cancelled =
      !host->progress(host->user, t, part->from + part->share * fraction, part->evaluations + evaluations);
  return !part->cancelled;
}

static double part_now(void *user) {
  const mbs_hooks *host = ((mbs_progress_part *)user)->host;
  return host->now(host->user);
}

mbs_hooks mbs_part_hooks(mbs_progress_part *part) {
  const mbs_hooks *host = part->host;
  return (mbs_hooks){.user = part,
                     .progress = host && host->progress ? part_progress : NULL,
                     .now = host && host->now ? part_now : NULL};
}

bool mbs_second_model(const mbs_model *from, const mbs_model *model, const mbs_report *first, mbs_model *out) {
  mbs_limits *limits = &out->limits;
  *out = *from;
  out->error_estimate = false;
  *limits = model->limits;
  if (limits->evaluations)
    limits->evaluations -= first->evaluations < limits->evaluations ? first->evaluations : limits->evaluations;
  if (limits->wall_seconds > 0) limits->wall_seconds -= first->wall_seconds;
  limits->wall_name = "time left after the first run";
  return (!model->limits.evaluations || limits->evaluations > 0) &&
         (!(model->limits.wall_seconds > 0) || limits->wall_seconds > 0);
}

void mbs_refine(mbs_model *model) {
  model->rtol /= 10;
  model->atol /= 10;
  model->fixed_step /= 2;
}

/* The limit of the step allows at least `least_steps` steps, which cost less than the other parts of a certificate. If
 * evaluations are limited, the steps may use `spent_share` of what is left; the finer tolerance and the run in the
 * other formulation need the remainder. */
static const double least_steps = 500, spent_share = 0.25;

void mbs_bound_steps(mbs_model *model, const mbs_report *first) {
  double steps = fmax(least_steps, (double)first->steps);
  if (model->limits.evaluations && first->evaluations)
    steps = fmin(steps,
                 spent_share * (double)model->limits.evaluations * (double)first->steps / (double)first->evaluations);
  const double bound = (model->t_end - model->t_start) / fmax(steps, 1);
  model->max_step = model->max_step > 0 ? fmin(0.5 * model->max_step, bound) : bound;
}

void mbs_refine_to(mbs_model *model, double rtol) {
  const double atol = model->atol * fmin(rtol / model->rtol, 1);
  model->atol = fmin(model->atol, fmax(atol, mbs_unit_rounding));
  model->rtol = rtol;
}
