/* Evaluation of force elements. */
#include "equations/forces.h"
#include "equations/feedback.h"
#include "equations/law.h"
#include "equations/touches.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void mbs_apply_forces(mbs_system *system) {
  const mbs_model *model = system->model;
  /* only forces and rotors write them */
  if (model->force_count + model->rotor_count) model->kernels->clear_wrenches(system);
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
    if (force->contacts > 0 && force->cls->surfaces.measure) force->cls->surfaces.measure(system, force);
  }
}

/* Sets the states that start at the input of their signal. An input may read other signals with such states, but not in
 * a loop. */
static void start_at_inputs(mbs_system *system, double *z) {
  const mbs_model *model = system->model;
  bool changed = true;
  for (size_t round = 0; round <= model->state_count && changed; round++) {
    changed = false;
    for (size_t k = model->named_states; k < model->state_count; k++) {
      if (!model->states[k].starts_at_input) continue;
      if (!changed) mbs_apply_forces(system); /* laws may read forces */
      const double before = z[k];
      z[k] = mbs_law_value(system, &model->signals[model->states[k].signal].input);
      changed |= z[k] != before;
    }
  }
}

void mbs_states_start(mbs_system *system) {
  const mbs_model *model = system->model;
  double *z = system->z;
  memset(z, 0, model->nz * sizeof *z);
  memcpy(z, system->constants->state_starts, model->state_count * sizeof *z);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (force->z_count && force->cls->states.start) force->cls->states.start(system, force, z + force->z0);
  }
  start_at_inputs(system, z);
}

void mbs_states_rates(mbs_system *system, double *zdot) {
  const mbs_model *model = system->model;
  if (model->nz == 0) return;
  if (model->rates_read_reactions)
    mbs_feedback_read(system);
  else if (system->touches && model->rates_read_forces)
    mbs_touches_show(system); /* known since the accelerations */
  for (size_t k = 0; k < model->state_count; k++) zdot[k] = mbs_law_value(system, &model->states[k].rate);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (force->z_count) force->cls->states.rates(system, force, zdot + force->z0);
  }
}

const char *mbs_state_owner(const mbs_model *model, size_t k) {
  assert(k < model->nz);
  if (k < model->state_count) return model->states[k].name;
  size_t f = 0;
  while ((size_t)model->forces[f].z0 + model->forces[f].z_count <= k) f++;
  return model->forces[f].name;
}

bool mbs_outputs_finite(const mbs_system *system, const mbs_force *force) {
  assert((size_t)(force->first_output + force->outputs) <= system->model->output_count);
  for (int k = 0; k < force->outputs; k++)
    if (!isfinite(system->outputs[force->first_output + k])) return false;
  return true;
}
