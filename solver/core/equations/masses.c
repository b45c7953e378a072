/* Bodies without inertia. */
#include "equations/masses.h"

#include "kernels/kernels.h"

#include <assert.h>
#include <math.h>

/* Shift of a singular mass matrix, as a share of the smallest inertia on its diagonal; inertias below a share of the
 * largest count as zero. An iteration (solve.c) removes the error of the shift. A smaller shift needs fewer iterations
 * but loses more digits of S. */
static const double mass_shift_share = 1e-3, no_inertia = 1e-9;

bool mbs_has_energy(const mbs_constants *constants) {
  const mbs_model *model = constants->model;
  for (size_t b = 1; b <= model->nB; b++) {
    const mbs_body_constants *body = &constants->bodies[b];
    if (body->mass > 0 || body->inertia[0] > 0 || body->inertia[1] > 0 || body->inertia[2] > 0) return true;
  }
  return model->force_count + model->rotor_count > 0;
}

void mbs_set_mass_shift(mbs_system *system, double shift) {
  assert(shift >= 0);
  /* mu_k = shift / W_k */
  system->mass_shift = shift;
  for (size_t k = 0; k < system->model->nv; k++) system->mass_shifts[k] = shift / system->v_weights[k];
}

/* Returns the diagonal entry of M for velocity k, in its scale. */
static double own_inertia(const mbs_system *system, size_t k) {
  assert(k < system->model->nv);
  const mbs_tree_pattern *tree = &system->model->tree;
  return fabs(system->M[tree->row0[k] + tree->depth[k]]) * system->v_weights[k];
}

void mbs_shift_masses(mbs_system *system) {
  const mbs_model *model = system->model;
  double least = INFINITY, largest = 0; /* over the degrees of freedom with inertia */
  model->kernels->mass_matrix(system);
  for (size_t k = 0; k < model->nv; k++) largest = fmax(largest, own_inertia(system, k));
  /* mu: a share of the smallest nonzero inertia */
  for (size_t k = 0; k < model->nv; k++) {
    double own = own_inertia(system, k);
    if (own > no_inertia * largest) least = fmin(least, own);
  }
  mbs_set_mass_shift(system, largest > 0 ? mass_shift_share * least : mass_shift_share);
}
