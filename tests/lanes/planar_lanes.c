#define MBS_LANES 4
/* The same names, of other functions. */
#define planar_primitive_rows lanes_primitive_rows
#define planar_primitive_rows_at lanes_primitive_rows_at
#define planar_carry lanes_carry
#define planar_carry_velocity lanes_carry_velocity
#define planar_joint_of lanes_joint_of
#define planar_constants_of lanes_constants_of
#define planar_positions lanes_positions
#define planar_velocities lanes_velocities
#define planar_rows lanes_rows
#define planar_custom_row lanes_custom_row
#define planar_clear_wrenches lanes_clear_wrenches
#define planar_generalized_forces lanes_generalized_forces
#define planar_mass_matrix lanes_mass_matrix
#define planar_accelerations lanes_accelerations
#define planar_residual_forces lanes_residual_forces
#define planar_articulated_open lanes_articulated_open
#define planar_articulated_factor lanes_articulated_factor
#define planar_articulated_up lanes_articulated_up
#define planar_articulated_rows lanes_articulated_rows
#define planar_articulated_down lanes_articulated_down

/* The kernels themselves. */
#include "kernels/planar/articulated.c"
#include "kernels/planar/bodies.c"
#include "kernels/planar/equations.c"
#include "kernels/planar/primitives.c"
#include "kernels/planar/rows.c"

#include "lanes/planar_lanes.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)MBS_LANES == (int)LANES, "as many lanes as the test has");

/* Rows that classes compute themselves come later. */
void lanes_custom_row(mbs_system *system, const mbs_block *block, int want) {
  (void)system;
  (void)block;
  (void)want;
  abort();
}

size_t lanes_block_size(void) { return sizeof(mbs_block_constants) / sizeof(mbs_real); }

size_t lanes_kernel_size(void) { return sizeof(planar_constants) / sizeof(mbs_real); }

/* Two more than are needed: pieces of 64 bytes and more are aligned for vectors. */
static mbs_real *lanes_of(mbs_arena *arena, const double *from, size_t count) {
  mbs_real *to = mbs_arena_alloc(arena, count + 2, sizeof *to);
  if (to && from) memcpy(to, from, count * sizeof *to);
  return to;
}

static bool open_workspace(const mbs_model *model, mbs_arena *arena, mbs_system *system) {
  planar_workspace *workspace = mbs_arena_alloc(arena, 1, sizeof *workspace);
  if (!workspace) return false;
  workspace->bodies = mbs_arena_alloc(arena, model->nB + 1, sizeof *workspace->bodies);
  workspace->columns = mbs_arena_alloc(arena, model->nv + 1, sizeof *workspace->columns);
  if (!workspace->bodies || !workspace->columns) return false;
  if (model->recursive && !lanes_articulated_open(model, arena, workspace)) return false;
  workspace->bodies[0].c = MBS_ALL(1);
  system->kernel_workspace = workspace;
  system->mass_shifts = mbs_arena_alloc(arena, model->nv + 1, sizeof *system->mass_shifts);
  return system->mass_shifts;
}

static bool evaluate(mbs_arena *arena, const mbs_model *model, const lanes_in *in, const lanes_out *out) {
  mbs_constants constants = {.model = model,
                             .blocks = (void *)lanes_of(arena, in->blocks, model->block_numbers * lanes_block_size()),
                             .kernels = lanes_of(arena, in->kernels, (model->nB + 1) * lanes_kernel_size()),
                             .radius2 = lanes_of(arena, in->radius2, model->nB + 1)};
  mbs_system system = {.model = model,
                       .constants = &constants,
                       .arena = arena,
                       .q = lanes_of(arena, in->q, model->nq),
                       .v = lanes_of(arena, in->v, model->nv),
                       .functions = lanes_of(arena, in->functions, 3 * model->function_count),
                       .Phi = lanes_of(arena, NULL, model->rows),
                       .rhsV = lanes_of(arena, NULL, model->rows),
                       .rhsA = lanes_of(arena, NULL, model->rows),
                       .C = lanes_of(arena, NULL, model->value_count),
                       .h = lanes_of(arena, NULL, model->nv),
                       .w = lanes_of(arena, NULL, model->nv),
                       .M_diagonal = lanes_of(arena, NULL, model->nv),
                       .M = lanes_of(arena, NULL, model->tree.size)};
  memcpy(constants.gravity, in->gravity, sizeof constants.gravity);
  if (!open_workspace(model, arena, &system) || !system.M) return false;
  lanes_positions(&system);
  lanes_velocities(&system);
  lanes_rows(&system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  lanes_clear_wrenches(&system);
  lanes_generalized_forces(&system);
  memcpy(out->h, system.h, model->nv * sizeof(mbs_real));
  if (model->recursive) {
    lanes_articulated_factor(&system, 0);
    memcpy(out->M, system.M_diagonal, model->nv * sizeof(mbs_real));
    memcpy(out->M + LANES * model->nv, system.w, model->nv * sizeof(mbs_real));
  } else {
    lanes_mass_matrix(&system);
    memcpy(out->M, system.M, model->tree.size * sizeof(mbs_real));
  }
  memcpy(out->Phi, system.Phi, model->rows * sizeof(mbs_real));
  memcpy(out->rhsV, system.rhsV, model->rows * sizeof(mbs_real));
  memcpy(out->rhsA, system.rhsA, model->rows * sizeof(mbs_real));
  memcpy(out->C, system.C, model->value_count * sizeof(mbs_real));
  return true;
}

bool lanes_evaluate(const mbs_model *model, const lanes_in *in, const lanes_out *out) {
  mbs_arena *arena = mbs_arena_new(0);
  bool done = arena && evaluate(arena, model, in, out);
  mbs_arena_free(arena);
  return done;
}
