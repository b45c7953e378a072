/* Reactions of minimum norm. All multipliers with the same force C' lambda are lambda_0 + N z,  C' N = 0. The items x =
 * x_0 + X z, reactions of the joints and efforts of the drivers, are linear in them. z minimizes norm(x).
 *
 * Each redundant row r has a column of N:   e_r - y,   S y = C M^-1 C' e_r   in the independent rows. */
#include "constraints/min_norm_reactions.h"

#include "base/norms.h"
#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/teeth.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"
#include "model/rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A column of X is dependent below this share. */
static const double rank_tolerance = 1e-12;
/* The effect of a column of N on a joint is rounding below this share of its whole effect. */
static const double unshared = 1e-6;
enum { JOINT_ITEMS = 6 };

bool mbs_min_norm_reactions_open(mbs_min_norm_reactions *self, mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_arena *arena = system->arena;
  const size_t m = model->rows;
  size_t open = 0, items = JOINT_ITEMS * model->joint_count + model->driver_count;
  for (size_t r = 0; r < mbs_given_rows(model); r++) open += !system->active[r];
  *self =
      (mbs_min_norm_reactions){.open = open,
                               .items = items,
                               .null = mbs_arena_alloc(arena, m * open + 1, sizeof(double)),
                               .changes = mbs_arena_alloc(arena, items * open + 1, sizeof(double)),
                               .least = mbs_arena_alloc(arena, items + 1, sizeof(double)),
                               .before = mbs_arena_alloc(arena, m + 1, sizeof(double)),
                               .missing = mbs_arena_alloc(arena, m + 1, sizeof(double)),
                               .share = mbs_arena_alloc(arena, open + 1, sizeof(double)),
                               .velocity_units = mbs_arena_alloc(arena, model->nv + 1, sizeof(double)),
                               .row_units = mbs_arena_alloc(arena, m + 1, sizeof(double)),
                               .workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(items, open), sizeof(double)),
                               .shared = mbs_arena_alloc(arena, model->joint_count + model->driver_count + 1, 1)};
  return self->null && self->changes && self->least && self->before && self->missing && self->share &&
         self->velocity_units && self->row_units && self->workspace && self->shared;
}

/* Computes a column of N; the second pass removes the effect of rounding. theory (10.5) */
static void find_null(mbs_system *system, size_t row, double *null, double *missing) {
  assert(row < system->model->rows && !system->active[row]);
  const mbs_model *model = system->model;
  double *spread = system->motion;
  memset(null, 0, model->rows * sizeof *null);
  null[row] = 1;
  for (int pass = 0; pass < 2; pass++) {
    /* S y = C M^-1 C' N_r, N_r - y; redundant rows have no Z */
    mbs_jacobian_transposed(system, null, spread);
    mbs_solve_force_multipliers(system, spread, missing);
    for (size_t r = 0; r < model->rows; r++) null[r] -= missing[r];
  }
}

/* Returns true if the class computes all rows of a joint itself: such a joint is always a cut, and may have no second
 * body. */
static bool is_own(const mbs_model *model, const mbs_joint *joint) {
  for (int b = 0; b < joint->block_count; b++)
    if (model->blocks[joint->first_block + b].custom == NULL) return false;
  return joint->block_count > 0;
}

/* Returns the force of such a row in body coordinates: the norm of forces, and of moments divided by the extent. */
static double own_force(const mbs_system *system, const mbs_joint *joint, const mbs_block *block) {
  assert(block->custom != NULL);
  const mbs_model *model = system->model;
  const double *D = system->D + block->d0;
  double sum = 0;
  for (int b = 0; b < joint->body_count; b++)
    for (int k = 0; k < model->kernels->width; k++, D++) {
      /* norm(D) lambda */
      double entry = k < model->dim ? *D : *D / system->constants->extent;
      sum += entry * entry;
    }
  return sqrt(sum) * system->borne[block->first_row];
}

/* Computes reactions and efforts for system->lambda, as forces. */
static void find_items(const mbs_min_norm_reactions *self, mbs_system *system, double *items) {
  const mbs_model *model = system->model;
  mbs_read_reactions(system);
  for (size_t j = 0; j < model->joint_count; j++, items += JOINT_ITEMS) {
    const mbs_joint *joint = &model->joints[j];
    memset(items, 0, JOINT_ITEMS * sizeof *items);
    if (is_own(model, joint)) {
      assert(joint->block_count <= JOINT_ITEMS);
      for (int b = 0; b < joint->block_count; b++)
        items[b] = own_force(system, joint, &model->blocks[joint->first_block + b]);
      continue;
    }
    for (int k = 0; k < JOINT_ITEMS; k++)
      items[k] = system->reactions[JOINT_ITEMS * j + (size_t)k] / (k < 3 ? 1 : system->constants->extent);
  }
  for (size_t d = 0; d < model->driver_count; d++) {
    int row = model->drivers[d].row;
    *items++ = system->borne[row] * self->row_units[row] / system->constants->extent;
  }
}

/* Computes the effect of column k of N, multiplied by `times`, on the items, as a column of X. Scales it to length 1,
 * and the column of N likewise. */
static void find_changes(mbs_min_norm_reactions *self, mbs_system *system, size_t k, double times) {
  assert(k < self->open);
  size_t m = system->model->rows;
  double *null = self->null + k * m, *change = self->changes + k * self->items, sum = 0;
  /* column of X: x(lambda_0 + N_r times) - x_0 */
  for (size_t r = 0; r < m; r++) system->lambda[r] = self->before[r] + times * null[r];
  find_items(self, system, change);
  for (size_t i = 0; i < self->items; i++) {
    change[i] -= self->least[i];
    sum += change[i] * change[i];
  }
  double length = sum > 0 ? sqrt(sum) : 1;
  for (size_t i = 0; i < self->items; i++) change[i] /= length;
  for (size_t r = 0; r < m; r++) null[r] *= times / length;
}

/* Marks the joints and drivers whose items the columns of X change. */
static void mark_shared(mbs_min_norm_reactions *self, const mbs_model *model) {
  for (size_t k = 0; k < self->open; k++) {
    const double *change = self->changes + k * self->items;
    for (size_t j = 0; j < model->joint_count; j++, change += JOINT_ITEMS)
      self->shared[j] |= mbs_largest(change, JOINT_ITEMS) > unshared;
    for (size_t d = 0; d < model->driver_count; d++) self->shared[model->joint_count + d] |= fabs(change[d]) > unshared;
  }
}

/* Computes lambda = lambda_0 + N z. theory (10.6) */
static void take_least(mbs_min_norm_reactions *self, mbs_system *system) {
  size_t m = system->model->rows;
  memcpy(system->lambda, self->before, m * sizeof *self->before);
  /* z minimizes norm(x_0 + X z) */
  for (size_t i = 0; i < self->items; i++) self->least[i] = -self->least[i];
  if (mbs_least_squares(self->items, self->open, self->changes, self->least, rank_tolerance, self->share,
                        self->workspace) < 0)
    return;
  for (size_t k = 0; k < self->open; k++)
    for (size_t r = 0; r < m; r++) system->lambda[r] += self->share[k] * self->null[k * m + r];
}

/* Chooses the multipliers once, with the signs that tooth forces have before; true if they have others afterwards. */
static bool choose_once(mbs_min_norm_reactions *self, mbs_system *system) {
  const mbs_model *model = system->model;
  const size_t m = model->rows;
  memcpy(self->before, system->lambda, m * sizeof *self->before);
  find_items(self, system, self->least);
  mbs_teeth_hold(system, true);
  /* Large enough that the difference of two reactions is not rounding. */
  double size = fmax(mbs_largest(self->least, self->items), mbs_largest(self->before, m));
  for (size_t r = 0, k = 0; r < mbs_given_rows(model) && k < self->open; r++) {
    if (system->active[r]) continue;
    find_null(system, r, self->null + k * m, self->missing);
    find_changes(self, system, k++, size > 0 ? size : 1);
  }
  mark_shared(self, model);
  take_least(self, system);
  mbs_teeth_bear(system);
  return mbs_teeth_hold(system, false);
}

void mbs_choose_reactions(mbs_min_norm_reactions *self, mbs_system *system) {
  enum { ROUNDS = 4 };
  mbs_scales(system, self->velocity_units, self->row_units);
  if (mbs_factor(system) == MBS_OK)
    for (int round = 0; round < ROUNDS && choose_once(self, system); round++) continue;
  mbs_read_reactions(system);
}
