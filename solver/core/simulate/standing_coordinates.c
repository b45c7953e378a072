/* Chooses constant joint coordinates by Gram-Schmidt with pivoting: after the rows of C, the gradients G_k whose
 * remainders are the largest shares of their lengths, until there is one for each degree of freedom. */
#include "simulate/standing_coordinates.h"

#include "base/norms.h"
#include "constraints/held_coordinates.h"
#include "constraints/rank.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "simulate/steady_motion.h"

#include <math.h>
#include <string.h>

typedef struct choice {
  size_t n, rank;
  double *basis; /* [n x n] unit vectors */
  double *row;   /* [n] remainder */
} choice;

static double length_of(const choice *self) { return sqrt(mbs_sum_of_squares(self->row, self->n)); }

/* Subtracts the components along the basis from the row, twice against rounding. Returns the share that remains. */
static double reduce(choice *self) {
  const double before = length_of(self);
  for (int pass = 0; pass < 2; pass++)
    for (size_t b = 0; b < self->rank; b++) mbs_take_off(self->n, self->basis + b * self->n, self->row);
  return before > 0 ? length_of(self) / before : 0;
}

/* Adds the direction of the row to the basis if enough of it remains. */
static bool add(choice *self) {
  if (self->rank == self->n || reduce(self) <= mbs_rank_tolerance) return false;
  const double length = length_of(self);
  for (size_t k = 0; k < self->n; k++) self->basis[self->rank * self->n + k] = self->row[k] / length;
  self->rank++;
  return true;
}

/* Copies the gradient of coordinate c, scaled. */
static void read_gradient(choice *self, const mbs_system *system, size_t c) {
  mbs_input_row row;
  int velocities[MBS_HELD_ENTRIES_MAX];
  double entries[MBS_HELD_ENTRIES_MAX];
  system->model->kernels->input_row(system, &(mbs_input){.kind = MBS_INPUT_PRIMITIVE, .index = (int)c, .point = -1},
                                    &row);
  const size_t count = mbs_held_coordinate_gradient(system->model, &row, velocities, entries);
  memset(self->row, 0, self->n * sizeof *self->row);
  for (size_t i = 0; i < count; i++) self->row[velocities[i]] += entries[i] * system->v_units[velocities[i]];
}

/* Adds the independent rows of C at the system's position. */
static void add_constraints(choice *self, mbs_system *system, double *C) {
  const size_t rows = system->model->rows;
  mbs_jacobian_dense(system, C);
  for (size_t r = 0; r < rows; r++) {
    if (!system->active[r]) continue;
    for (size_t k = 0; k < self->n; k++) self->row[k] = C[k * rows + r] * system->v_units[k];
    add(self);
  }
}

/* Returns the constant coordinate whose gradient has the largest remaining share; -1 if no share is large enough. */
static int next_standing(choice *self, const mbs_system *system) {
  const mbs_model *model = system->model;
  double most = mbs_rank_tolerance;
  int found = -1;
  for (size_t b = 1; b <= model->nB; b++) {
    const int j = model->start_joint[b];
    for (size_t k = 0; j >= 0 && k < model->joints[j].shape->coordinate_count; k++) {
      const int c = model->measured[j] + (int)k;
      if (mbs_is_steady(model, j, k) || model->coordinates[c].primitive == MBS_PRIMITIVE_EULER) continue;
      read_gradient(self, system, (size_t)c);
      const double share = reduce(self);
      if (!(share > most)) continue;
      most = share;
      found = c;
    }
  }
  return found;
}

mbs_status mbs_hold_standing(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_arena *arena = system->arena;
  const size_t n = model->nv;
  if (!model->measured || model->any_hold) return MBS_OK;
  mbs_model *copy = mbs_arena_alloc(arena, 1, sizeof *copy);
  mbs_block *coordinates = mbs_arena_alloc(arena, model->coordinate_count + 1, sizeof *coordinates);
  choice self = {.n = n,
                 .basis = mbs_arena_alloc(arena, n * n + 1, sizeof(double)),
                 .row = mbs_arena_alloc(arena, n + 1, sizeof(double))};
  double *C = mbs_arena_alloc(arena, model->rows * n + 1, sizeof *C);
  if (!copy || !coordinates || !self.basis || !self.row || !C) return MBS_NO_MEMORY;
  *copy = *model;
  memcpy(coordinates, model->coordinates, model->coordinate_count * sizeof *coordinates);
  copy->coordinates = coordinates;
  mbs_set_position(system, model->t_start, run->q);
  mbs_constraints(system, MBS_WANT_C);
  add_constraints(&self, system, C);
  for (int c; self.rank < n && (c = next_standing(&self, system)) >= 0;) {
    read_gradient(&self, system, (size_t)c);
    add(&self);
    coordinates[c].held = true;
    copy->held_count++;
    copy->any_hold = true;
  }
  run->model = system->model = copy;
  return MBS_OK;
}
