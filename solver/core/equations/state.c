/* Positions and velocities. */
#include "equations/state.h"

#include "kernels/kernels.h"

#include <assert.h>
#include <math.h>

/* Computes a function of time; if drivers are held, at the instant at which they are held. */
static void set_function(mbs_system *system, size_t index, double t) {
  assert(index < system->model->function_count);
  const mbs_function *function = &system->model->functions[index];
  assert(function->cls->value != NULL);
  double *value = system->functions + 3 * index;
  function->cls->value(system, function, t, value);
  value[0] += system->offsets[index];
  if (system->drivers_held) {
    if (!function->steady) value[1] = 0;
    value[2] = 0;
  }
  value[1] += system->rate_offsets[2 * index];
  value[2] += system->rate_offsets[2 * index + 1];
  if (isnan(value[0]))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, function->element,
                       "its function of time is not defined there; it may be outside its table");
  else if (!isfinite(value[0]) || !isfinite(value[1]) || !isfinite(value[2]))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, function->element,
                       "its function of time has no finite first or second derivative there");
  else if (function->distance && !(value[0] > system->constants->functions[function->number].least))
    mbs_position_fault(system, MBS_OUT_OF_RANGE, function->element,
                       "its function of time must stay above 0: a distance near 0 has no direction");
}

static void locate_contacts(mbs_system *system) {
  const mbs_model *model = system->model;
  for (size_t j = 0; j < model->joint_count; j++)
    if (model->joints[j].cls->locate) model->joints[j].cls->locate(system, &model->joints[j]);
}

void mbs_set_functions(mbs_system *system, double t) {
  system->t = t;
  system->fault.status = MBS_OK;
  for (size_t f = 0; f < system->model->function_count; f++) set_function(system, f, t - system->drivers_behind);
}

void mbs_set_position(mbs_system *system, double t, const double *q) {
  assert(q != NULL || system->model->nq == 0);
  const mbs_model *model = system->model;
  mbs_set_functions(system, t);
  system->q = q;
  model->kernels->positions(system);
  if (model->locates) locate_contacts(system);
}

void mbs_set_velocity(mbs_system *system, const double *v) {
  assert(v != NULL || system->model->nv == 0);
  assert(system->q != NULL || system->model->nq == 0);
  system->v = v;
  system->model->kernels->velocities(system);
}

void mbs_displace(const mbs_model *model, const double *q, const double *dv, double *out) {
  model->kernels->displace(model, q, dv, out);
}
