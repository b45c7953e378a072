/* mbs_verify_result(): compares a result with other runs. */
#include "base/methods.h"
#include "mbs/verification.h"
#include "simulate/second_run.h"
#include "verification/compare.h"
#include "verification/jacobian_samples.h"

#include <math.h>

bool mbs_model_certified(const mbs_model *model) { return model->certify; }

/* Returns the reason why a run that failed cannot be compared. */
static const char *why_incomparable(mbs_result *result, mbs_status status, const mbs_error *why) {
  return mbs_arena_format(result->arena, "this run failed with %s: %s", mbs_status_code(status), why->message);
}

/* Runs `model` within the remaining limits of the result, and compares. Returns MBS_CANCELLED with `error`. */
static mbs_status compare(const mbs_model *model, const mbs_model *from, bool finer, mbs_progress_part *part,
                          mbs_result *result, mbs_comparison *out, mbs_error *error) {
  mbs_model again;
  mbs_result *second = NULL;
  mbs_error why = {.time = NAN};
  const mbs_hooks hooks = mbs_part_hooks(part);
  double distance = 0;
  if (!mbs_second_model(from, model, &result->report, &again)) {
    out->why_not = "the first run used up its limits of time or evaluations";
    return MBS_OK;
  }
  if (finer) {
    mbs_refine(&again);
    mbs_bound_steps(&again, &result->report);
  }
  bool fixed = mbs_method_has_fixed_steps(again.method);
  out->rtol = fixed ? NAN : again.rtol;
  out->atol = fixed ? NAN : again.atol;
  out->fixed_step = fixed ? again.fixed_step : NAN;
  out->max_step = fixed || !(again.max_step > 0) ? NAN : again.max_step;
  mbs_status status = mbs_run(&again, &hooks, &second, &why);
  if (part->cancelled) {
    *error = why;
    mbs_result_free(second);
    return MBS_CANCELLED;
  }
  if (second) out->evaluations = second->report.evaluations;
  if (second) out->longest_step = second->report.longest_step;
  if (second && hooks.now) result->report.wall_seconds += second->report.wall_seconds;
  if (status != MBS_OK) {
    out->why_not = why_incomparable(result, status, &why);
  } else if (!mbs_start_alike(model, result, second, &distance)) {
    out->why_not =
        mbs_arena_format(result->arena, "its first position differs by %.3g of the size of the model", distance);
  } else {
    mbs_compare(model, result, second, out);
  }
  mbs_result_free(second);
  return MBS_OK;
}

static bool integrates(const mbs_model *model) {
  return model->type == MBS_DYNAMICS || model->type == MBS_INVERSE_DYNAMICS;
}

/* Returns true if no joint carries a body: both formulations then have the coordinates of the bodies. */
static bool all_float(const mbs_model *model) {
  for (size_t b = 1; b <= model->nB; b++)
    if (model->tree_joint[b] >= 0) return false;
  return true;
}

mbs_status mbs_verify_result(const mbs_model *model, const mbs_model *other, const char *why_not,
                             const mbs_hooks *hooks, mbs_result *result, mbs_error *error) {
  mbs_verification *out = mbs_arena_alloc(result->arena, 1, sizeof *out);
  if (!out) return MBS_NO_MEMORY;
  result->report.examination = out;
  mbs_progress_part part = {.host = hooks, .from = 0, .share = 0.05};
  const mbs_hooks look = mbs_part_hooks(&part);
  mbs_status status = mbs_sample_jacobian(model, result, &look, &out->jacobian);
  part = (mbs_progress_part){.host = hooks, .from = 0.05, .share = 0.5};
  out->finer.pointless = !integrates(model);
  out->other.pointless = other && all_float(model) && all_float(other);
  if (status == MBS_OK && out->finer.pointless)
    out->finer.why_not = "this analysis does not integrate over time";
  else if (status == MBS_OK)
    status = compare(model, model, true, &part, result, &out->finer, error);
  part = (mbs_progress_part){.host = hooks, .from = 0.55, .share = 0.45, .evaluations = out->finer.evaluations};
  if (status == MBS_OK && out->other.pointless)
    out->other.why_not = "all joints are cut, so both formulations have the same equations";
  else if (status == MBS_OK && !other)
    out->other.why_not = why_not;
  else if (status == MBS_OK)
    status = compare(model, other, false, &part, result, &out->other, error);
  if (status == MBS_CANCELLED && error->status != MBS_CANCELLED)
    *error = (mbs_error){.status = MBS_CANCELLED, .time = NAN, .message = "cancelled"};
  return status;
}
