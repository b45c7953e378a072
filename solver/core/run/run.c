/* Checks limits and cancellation during a run. */
#include "run/run.h"

#include "run/run_errors.h"

#include <math.h>

enum { CHECK_EVERY = 64 };

mbs_status mbs_run_check(mbs_run_state *run, double t) {
  const mbs_limits *limits = &run->model->limits;
  uint64_t evaluations = run->system->evaluations;
  if (!isfinite(t)) return MBS_NOT_FINITE; /* the method has failed */
  if (limits->evaluations && evaluations >= limits->evaluations)
    return mbs_run_fail(run, MBS_TOO_MANY_EVALUATIONS, t, "",
                        "the limit of %llu evaluations of the equations was reached at t = %.9g",
                        (unsigned long long)limits->evaluations, t);
  if (evaluations < run->next_check) return MBS_OK;
  run->next_check = evaluations + CHECK_EVERY;
  const mbs_hooks *hooks = run->hooks;
  if (!hooks) return MBS_OK;
  if (limits->wall_seconds > 0 && hooks->now && hooks->now(hooks->user) - run->started > limits->wall_seconds)
    return mbs_run_fail(run, MBS_TIMED_OUT, t, "", "the limit of %g s (%s) was reached at t = %.9g",
                        limits->wall_seconds, limits->wall_name ? limits->wall_name : "the wall clock", t);
  double span = run->model->t_end - run->model->t_start;
  double fraction = span > 0 ? (t - run->model->t_start) / span : 0;
  if (hooks->progress && !hooks->progress(hooks->user, t, fmin(fmax(fraction, 0), 1), evaluations))
    return mbs_run_fail(run, MBS_CANCELLED, t, "", "cancelled at t = %.9g", t);
  return MBS_OK;
}
