/* The values of variables and sampled values, and the instants of samples:   t_k = t_start + offset + k period. */
#include "equations/discrete.h"

#include "equations/law.h"
#include "model/report_times.h"

#include <assert.h>
#include <math.h>

void mbs_discrete_reset(mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t i = 0; i < model->discrete_count; i++)
    system->discrete[i] = mbs_law_value(system, &model->discrete[i].initial);
}

double mbs_sample_time(const mbs_constants *constants, size_t sampled, double k) {
  assert(sampled < constants->model->sampled_count);
  const mbs_sampling *of = &constants->sampling[sampled];
  return constants->model->t_start + of->offset + k * of->period;
}

double mbs_samples_until(const mbs_constants *constants, size_t sampled, double t) {
  const mbs_sampling *of = &constants->sampling[sampled];
  const double late = t - constants->model->t_start - of->offset, rounding = mbs_time_resolution(constants->model);
  return fmax(0, 1 + floor((late + rounding) / of->period));
}

double mbs_next_sample(const mbs_constants *constants, double t) {
  const mbs_model *model = constants->model;
  double next = INFINITY;
  for (size_t i = 0; i < model->sampled_count; i++)
    next = fmin(next, mbs_sample_time(constants, i, mbs_samples_until(constants, i, t)));
  return next;
}

const mbs_trigger *mbs_trigger_of_switch(const mbs_model *model, size_t index) {
  for (size_t i = 0; i < model->trigger_count; i++) {
    const mbs_law *when = &model->triggers[i].when;
    if (index >= (size_t)when->mode0 && index < (size_t)when->mode0 + (size_t)when->switches)
      return &model->triggers[i];
  }
  return NULL;
}
