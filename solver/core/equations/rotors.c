/* Rotors that are not on the diagonal of M: their rows J. */
#include "equations/rotors.h"

#include "linalg/lapack.h"

#include <assert.h>
#include <string.h>

bool mbs_rotors_open(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_arena *arena = system->arena;
  const size_t n = model->coupled_rotors, rows = model->rows;
  system->coupled = NULL;
  if (n == 0) return true;
  mbs_coupled_rotors *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return false;
  *self = (mbs_coupled_rotors){
      .rotors = mbs_arena_alloc(arena, n, sizeof *self->rotors),
      .bias = mbs_arena_alloc(arena, n, sizeof(double)),
      .inertia = mbs_arena_alloc(arena, n, sizeof(double)),
      .vdot_of = mbs_arena_alloc(arena, n * model->nv + 1, sizeof(double)),
      .lambda_of = mbs_arena_alloc(arena, n * rows + 1, sizeof(double)),
      .zero = mbs_arena_alloc(arena, rows + 1, sizeof(double)),
      .A = mbs_arena_alloc(arena, n * n, sizeof(double)),
      .factors = mbs_arena_alloc(arena, n * n, sizeof(double)),
      .mu = mbs_arena_alloc(arena, n, sizeof(double)),
      .w = mbs_arena_alloc(arena, model->nv + 1, sizeof(double)),
      .workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(n, n) + n * (n + 2) + 1, sizeof(double))};
  system->coupled = self;
  if (!self->rotors || !self->bias || !self->inertia || !self->vdot_of || !self->lambda_of || !self->zero || !self->A ||
      !self->factors || !self->mu || !self->w || !self->workspace)
    return false;
  for (size_t i = 0; i < model->rotor_count; i++)
    if (model->rotors[i].coupled) self->rotors[self->count++] = (int)i;
  assert(self->count == n);
  return true;
}

void mbs_rotors_rows(mbs_system *system) {
  enum { WIDTH_MAX = 6 };
  const mbs_model *model = system->model;
  const mbs_kernels *kernels = model->kernels;
  mbs_coupled_rotors *self = system->coupled;
  for (size_t i = 0; self && i < self->count; i++) {
    const mbs_rotor *rotor = &model->rotors[self->rotors[i]];
    const mbs_input input = {.kind = MBS_INPUT_PRIMITIVE, .index = rotor->coordinate, .point = -1};
    double D[2 * WIDTH_MAX];
    mbs_input_row row;
    kernels->input_row(system, &input, &row);
    for (int b = 0; b < rotor->bodies.body_count; b++)
      memcpy(D + b * kernels->width, row.D[rotor->bodies.bodies[b] == row.bodies[0] ? 0 : 1],
             (size_t)kernels->width * sizeof *D);
    kernels->along_paths(system, &rotor->block, D, system->C + rotor->block.value0);
    self->bias[i] = row.bias;
    self->inertia[i] = system->constants->rotors[self->rotors[i]];
  }
}

double mbs_rotor_times(const mbs_system *system, const mbs_rotor *rotor, const double *x) {
  const int *pattern = system->model->pattern + rotor->block.pattern0;
  const double *J = system->C + rotor->block.value0;
  double sum = 0;
  for (int c = 0; c < rotor->block.columns; c++) sum += J[c] * x[pattern[c]];
  return sum;
}

void mbs_rotor_add(const mbs_system *system, const mbs_rotor *rotor, double factor, double *out) {
  const int *pattern = system->model->pattern + rotor->block.pattern0;
  const double *J = system->C + rotor->block.value0;
  for (int c = 0; c < rotor->block.columns; c++) out[pattern[c]] += factor * J[c];
}

void mbs_rotors_times(const mbs_system *system, const double *x, double *out) {
  const mbs_coupled_rotors *self = system->coupled;
  for (size_t i = 0; self && i < self->count; i++) {
    const mbs_rotor *rotor = &system->model->rotors[self->rotors[i]];
    mbs_rotor_add(system, rotor, self->inertia[i] * mbs_rotor_times(system, rotor, x), out);
  }
}
