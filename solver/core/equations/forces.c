/* Evaluation of force elements. */
#include "equations/forces.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void mbs_apply_forces(mbs_system *system) {
  const mbs_model *model = system->model;
  if (model->force_count) model->kernels->clear_wrenches(system); /* only forces write them */
  system->power_work = system->power_dissipated = system->potential_forces = 0;
  for (size_t k = 0; k < model->force_count; k++) {
    int i = model->force_order[k];
    assert(i >= 0 && (size_t)i < model->force_count);
    model->forces[i].cls->apply(system, &model->forces[i], (size_t)i);
  }
}

void mbs_forces_show(mbs_system *system) {
  for (size_t f = 0; f < system->model->force_count; f++) {
    const mbs_force *force = &system->model->forces[f];
    if (force->cls->show) force->cls->show(system, force);
  }
}

void mbs_states_start(const mbs_system *system, double *z) {
  const mbs_model *model = system->model;
  memset(z, 0, model->nz * sizeof *z);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (force->cls->states.count && force->cls->states.start) force->cls->states.start(system, force, z + force->z0);
  }
}

void mbs_states_rates(const mbs_system *system, double *zdot) {
  const mbs_model *model = system->model;
  if (model->nz == 0) return;
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (force->cls->states.count) force->cls->states.rates(system, force, zdot + force->z0);
  }
}

bool mbs_outputs_finite(const mbs_system *system, const mbs_force *force) {
  assert((size_t)(force->first_output + force->outputs) <= system->model->output_count);
  for (int k = 0; k < force->outputs; k++)
    if (!isfinite(system->outputs[force->first_output + k])) return false;
  return true;
}
