/* accuracy.c - error estimates of the integration steps. */
#include "results/accuracy.h"

#include "base/methods.h"
#include "results/output.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool mbs_local_errors_open(mbs_local_errors *errors, const mbs_model *model, mbs_arena *arena) {
  errors->n = model->state.z;
  errors->largest = mbs_arena_alloc(arena, errors->n + 1, sizeof *errors->largest);
  errors->time = mbs_arena_alloc(arena, errors->n + 1, sizeof *errors->time);
  for (size_t i = 0; errors->time && i < errors->n; i++) errors->time[i] = NAN;
  return errors->largest && errors->time;
}

void mbs_local_errors_note(mbs_local_errors *errors, double t, const double *estimates) {
  for (size_t i = 0; i < errors->n; i++) {
    if (!(fabs(estimates[i]) > errors->largest[i])) continue;
    errors->largest[i] = fabs(estimates[i]);
    errors->time[i] = t;
  }
}

bool mbs_accuracy_open(const mbs_model *model, mbs_result *result) {
  mbs_accuracy *accuracy = mbs_arena_alloc(result->arena, 1, sizeof *accuracy);
  size_t n = model->state.z;
  if (!accuracy) return false;
  bool fixed = mbs_method_has_fixed_steps(model->method);
  *accuracy = (mbs_accuracy){.rtol = fixed ? NAN : model->rtol,
                             .atol = fixed ? NAN : model->atol,
                             .fixed_step = fixed ? model->fixed_step : NAN,
                             .local_error = mbs_arena_alloc(result->arena, n + 1, sizeof(double)),
                             .local_error_time = mbs_arena_alloc(result->arena, n + 1, sizeof(double))};
  for (size_t i = 0; accuracy->local_error && accuracy->local_error_time && i < n; i++)
    accuracy->local_error[i] = accuracy->local_error_time[i] = NAN;
  result->report.accuracy = accuracy;
  return accuracy->local_error && accuracy->local_error_time;
}

void mbs_accuracy_store_local(const mbs_model *model, const mbs_local_errors *errors, mbs_accuracy *accuracy) {
  assert(errors->n == model->state.z);
  if (!isnan(accuracy->fixed_step)) return; /* a method without error estimates */
  for (size_t i = 0; i < model->state.z; i++) {
    size_t at = i < model->nq ? (size_t)model->user_q[i] : model->nq + (size_t)model->user_v[i - model->nq];
    accuracy->local_error[i] = errors->largest[at];
    accuracy->local_error_time[i] = errors->time[at];
  }
}
