/* What force elements read and exert. */
#include "equations/forces.h"

#include "kernels/kernels.h"

#include <math.h>

void mbs_point_motion(const mbs_system *system, int body, const double s[3], double r[3], double v[3]) {
  system->model->kernels->point(system, body, s, 0, r);
  system->model->kernels->point(system, body, s, 1, v);
}

void mbs_push(mbs_system *system, int body, const double s[3], const double f[3]) {
  system->model->kernels->push(system, body, s, f);
}

void mbs_twist(mbs_system *system, int body, const double n[3]) { system->model->kernels->twist(system, body, n); }

void mbs_push_along(mbs_system *system, int coordinate, double Q) {
  system->model->kernels->push_along(system, &system->model->coordinates[coordinate], Q);
}

void mbs_to_global(const mbs_system *system, int body, const double u[3], double out[3]) {
  system->model->kernels->to_global(system, body, u, out);
}

void mbs_angular_velocity(const mbs_system *system, int body, double omega[3]) {
  system->model->kernels->rotation(system, body, 1, omega);
}

void mbs_apply_forces(mbs_system *system) {
  const mbs_model *model = system->model;
  if (model->force_count) model->kernels->clear_wrenches(system); /* nothing else writes them */
  system->power_work = system->power_dissipated = system->potential_forces = 0;
  for (size_t k = 0; k < model->force_count; k++) {
    int i = model->force_order[k];
    model->forces[i].cls->apply(system, &model->forces[i], (size_t)i);
  }
}

bool mbs_outputs_finite(const mbs_system *system, const mbs_force *force) {
  for (int k = 0; k < force->outputs; k++)
    if (!isfinite(system->outputs[force->first_output + k])) return false;
  return true;
}
