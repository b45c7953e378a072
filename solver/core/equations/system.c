/* The workspace of a run. */
#include "equations/system.h"

#include "base/norms.h"
#include "equations/discrete.h"
#include "equations/externals.h"
#include "equations/feedback.h"
#include "equations/near.h"
#include "equations/rotors.h"
#include "equations/sliding.h"
#include "equations/strands.h"
#include "equations/teeth.h"
#include "equations/touches.h"
#include "kernels/kernels.h"
#include "model/rows.h"
#include "model/units.h"

#include <assert.h>
#include <math.h>

/* Largest residual that a projection may leave: this, and this share of the tolerance. The residual differs from step
 * to step. In the history of a multistep method it is noise, which the error test multiplies. */
static const double projection_goal = 1e-11, projection_share = 0.01;

/* An array of numbers of a system. */
typedef struct array {
  double **place;
  size_t count;
} array;

/* Allocates zeroed arrays. Returns false if memory runs out. */
static bool open_arrays(mbs_arena *arena, const array *arrays, size_t count) {
  for (size_t i = 0; i < count; i++) {
    *arrays[i].place = mbs_arena_alloc(arena, arrays[i].count + 1, sizeof(double));
    if (!*arrays[i].place) return false;
  }
  return true;
}

static bool open_coordinates(mbs_system *system) {
  const mbs_model *model = system->model;
  const size_t n = model->nv;
  const array arrays[] = {{&system->q_units, model->nq},
                          {&system->v_units, n},
                          {&system->v_weights, n},
                          {&system->mass_shifts, n},
                          {&system->M, model->tree.size},
                          {&system->M_diagonal, n},
                          {&system->h, n},
                          {&system->vdot, n},
                          {&system->w, n},
                          {&system->spread, n},
                          {&system->motion, n},
                          {&system->vdot_before, n}};
  system->column_of = mbs_arena_alloc(system->arena, n + 1, sizeof *system->column_of);
  return system->column_of && open_arrays(system->arena, arrays, sizeof arrays / sizeof *arrays);
}

static bool open_rows(mbs_system *system) {
  const mbs_model *model = system->model;
  const mbs_fill *fill = model->skyline.fill;
  const size_t m = model->rows;
  system->S_room = fill ? fill->entries : model->skyline.size;
  const array arrays[] = {{&system->Phi, m},
                          {&system->rhsV, m},
                          {&system->rhsA, m},
                          {&system->C, model->value_count},
                          {&system->Z, model->value_count},
                          {&system->D, model->d_count},
                          {&system->lambda, m},
                          {&system->row_units, m},
                          {&system->S, system->S_room},
                          {&system->S_factors, fill ? fill->size : 0},
                          {&system->S_row, fill ? m : 0},
                          {&system->S_pivot, m},
                          {&system->S_scale, m},
                          {&system->permuted, m},
                          {&system->target, m},
                          {&system->residual, m},
                          {&system->rates, m},
                          {&system->combination, m},
                          {&system->lengths, m}};
  system->active = mbs_arena_alloc(system->arena, m + 1, sizeof *system->active);
  system->S_next = mbs_arena_alloc(system->arena, m + 1, sizeof *system->S_next);
  system->row_list = mbs_arena_alloc(system->arena, m + 1, sizeof *system->row_list);
  return system->active && system->S_next && system->row_list &&
         mbs_independent_row_set_open(model, system->arena, &system->schur_rows) &&
         open_arrays(system->arena, arrays, sizeof arrays / sizeof *arrays);
}

/* Laws, elements and curves. */
static bool open_elements(mbs_system *system) {
  const mbs_model *model = system->model;
  const array arrays[] = {{&system->functions, 3 * model->function_count},
                          {&system->offsets, model->function_count},
                          {&system->rate_offsets, 2 * model->function_count},
                          {&system->mode_held, model->switch_count},
                          {&system->margins, model->switch_count},
                          {&system->memory, model->memory_count},
                          {&system->z, model->nz},
                          {&system->discrete, model->discrete_count},
                          {&system->externals, model->external_count},
                          {&system->slots, model->slot_max},
                          {&system->in, model->input_max},
                          {&system->jets, 3 * model->input_max},
                          {&system->rate_jets, 3 * model->input_max},
                          {&system->kept_in, model->input_max},
                          {&system->gradient, model->input_max},
                          {&system->strand_angles, model->strand_turns},
                          {&system->strand_rates, model->strand_turns},
                          {&system->outputs, model->output_count},
                          {&system->rotor_forces, model->rotor_count},
                          {&system->reactions, 6 * model->joint_count}};
  system->contacts = mbs_arena_alloc(system->arena, model->curve_count + 1, sizeof *system->contacts);
  system->sliding = mbs_sliding_new(model, system->arena);
  if (!mbs_near_open(system)) return false;
  if (model->touch_count > 0 && !(system->touches = mbs_touches_new(model, system->arena))) return false;
  return system->contacts && system->sliding && open_arrays(system->arena, arrays, sizeof arrays / sizeof *arrays);
}

mbs_system *mbs_system_new(const mbs_model *model, mbs_arena *arena) {
  return mbs_system_bound(model->constants, arena);
}

void mbs_system_rebind(mbs_system *system, const mbs_constants *constants) {
  assert(constants != NULL && constants->model->constants == system->model->constants);
  const mbs_model *model = system->model;
  system->constants = constants;
  mbs_discrete_reset(system);
  mbs_externals_reset(system);
  mbs_fill_units(model, constants->length, system->q_units, system->v_units, system->row_units);
  for (size_t k = 0; k < model->nv; k++) system->v_weights[k] = system->v_units[k] * system->v_units[k];
  system->radius = 0;
  for (size_t p = 0; p < model->nP; p++) system->radius = fmax(system->radius, mbs_largest(constants->points[p], 3));
}

mbs_system *mbs_system_bound(const mbs_constants *constants, mbs_arena *arena) {
  assert(constants != NULL && constants->model != NULL);
  const mbs_model *model = constants->model;
  mbs_system *system = mbs_arena_alloc(arena, 1, sizeof *system);
  if (!system) return NULL;
  system->model = model;
  system->kernels = model->kernels;
  assert(model->state.quadratures == model->nq + model->nv + model->nz);
  system->arena = arena;
  system->kernel_workspace = model->kernels->workspace(constants, arena);
  if (!system->kernel_workspace || !open_coordinates(system) || !open_rows(system) || !open_elements(system) ||
      !mbs_teeth_open(system) || !mbs_rotors_open(system) || !mbs_feedback_open(system))
    return NULL;
  mbs_system_rebind(system, constants);
  mbs_strands_start(system);
  system->span_end = system->span_start = INFINITY;
  system->projection_goal = fmin(projection_goal, projection_share * model->atol);
  for (size_t r = 0; r < model->rows; r++) system->active[r] = r < model->bilateral_rows; /* touches are open */
  system->all_active = model->rows == model->bilateral_rows;
  return system;
}

void mbs_position_fault(mbs_system *system, mbs_status status, const char *element, const char *what) {
  assert(status != MBS_OK);
  if (system->fault.status == MBS_OK) system->fault = (mbs_fault){status, element, what, system->t};
}

mbs_status mbs_not_finite(const mbs_system *system) {
  return system->fault.status != MBS_OK ? system->fault.status : MBS_NOT_FINITE;
}

const char *mbs_row_element(const mbs_model *model, size_t row) {
  assert(row < model->rows);
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if ((int)row >= joint->first_row && (int)row < joint->first_row + joint->row_count) return joint->name;
  }
  for (size_t d = 0; d < model->driver_count; d++)
    if (model->drivers[d].row == (int)row) return model->drivers[d].name;
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    if ((int)row >= touch->first_row && (int)row < touch->first_row + mbs_touch_rows(touch)) return touch->name;
  }
  return "";
}
