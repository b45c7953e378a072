/* The planar kernels a second time, with a vector of four numbers for each of theirs (base/real.h). This file alone is
 * compiled for a processor that has such vectors. */
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
#define mbs_jacobian_times lanes_jacobian_times
#define mbs_jacobian_transposed lanes_jacobian_transposed

/* The kernels themselves. */
#include "equations/products.c"
#include "kernels/planar/bodies.c"
#include "kernels/planar/equations.c"
#include "kernels/planar/primitives.c"
#include "kernels/planar/rows.c"

#include "lanes/planar_lanes.h"

#include <string.h>

_Static_assert((int)MBS_LANES == (int)MBS_LANE_COUNT, "vectors have as many numbers as there are lanes");

/* Models with rows that classes compute themselves are not taken. */
void lanes_custom_row(mbs_system *system, const mbs_block *block, int want) {
  (void)system;
  (void)block;
  (void)want;
}

size_t mbs_lane_block_size(void) { return sizeof(mbs_block_constants) / sizeof(mbs_real); }
size_t mbs_lane_kernel_size(void) { return sizeof(planar_constants) / sizeof(mbs_real); }
size_t mbs_lane_body_size(void) { return sizeof(planar_body) / sizeof(mbs_real); }

/* A system of vectors. */
typedef struct lane_system {
  mbs_constants constants;
  mbs_system system;
  planar_workspace workspace;
  mbs_real *vdot, *pushed, *rates;
} lane_system;

static lane_system *own(const mbs_lanes *lanes) { return lanes->own; }

/* Two more than are needed: pieces of 64 bytes and more are aligned for vectors. */
static mbs_real *vectors(mbs_arena *arena, size_t count) { return mbs_arena_alloc(arena, count + 2, sizeof(mbs_real)); }

static bool open_arrays(lane_system *self, const mbs_model *model, mbs_arena *arena) {
  mbs_system *system = &self->system;
  mbs_real **const arrays[] = {(mbs_real **)&system->q,
                               (mbs_real **)&system->v,
                               &system->functions,
                               &system->Phi,
                               &system->rhsV,
                               &system->rhsA,
                               &system->C,
                               &system->h,
                               &self->vdot,
                               &self->pushed,
                               &self->rates};
  const size_t counts[] = {model->nq,          model->nv,   3 * model->function_count,
                           model->rows,        model->rows, model->rows,
                           model->value_count, model->nv,   model->nv,
                           model->nv,          model->rows};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = vectors(arena, counts[i]))) return false;
  system->vdot = self->vdot;
  return true;
}

bool mbs_planar_lanes_open(mbs_lanes *lanes, mbs_arena *arena) {
  const mbs_model *model = lanes->model;
  lane_system *self = mbs_arena_alloc(arena, 2, sizeof *self);
  if (!self || !open_arrays(self, model, arena)) return false;
  self->constants.model = self->system.model = model;
  self->system.constants = &self->constants;
  self->system.kernel_workspace = &self->workspace;
  self->workspace.bodies = mbs_arena_alloc(arena, model->nB + 1, sizeof *self->workspace.bodies);
  self->workspace.columns = mbs_arena_alloc(arena, model->nv + 1, sizeof *self->workspace.columns);
  if (!self->workspace.bodies || !self->workspace.columns) return false;
  self->workspace.bodies[0].c = MBS_ALL(1); /* the ground */
  lanes->own = self;
  lanes->bodies = (double *)self->workspace.bodies;
  lanes->q = (double *)self->system.q;
  lanes->v = (double *)self->system.v;
  lanes->functions = (double *)self->system.functions;
  lanes->Phi = (double *)self->system.Phi;
  lanes->rhsV = (double *)self->system.rhsV;
  lanes->rhsA = (double *)self->system.rhsA;
  lanes->vdot = (double *)self->vdot;
  lanes->h = (double *)self->system.h;
  lanes->pushed = (double *)self->pushed;
  lanes->rates = (double *)self->rates;
  return true;
}

void mbs_planar_lanes_use(mbs_lanes *lanes, const mbs_lane_numbers *numbers) {
  mbs_constants *constants = &own(lanes)->constants;
  constants->blocks = (mbs_block_constants *)(void *)numbers->blocks;
  constants->kernels = numbers->kernels;
  constants->radius2 = (mbs_real *)(void *)numbers->radius2;
  memcpy(constants->gravity, numbers->gravity, sizeof constants->gravity);
}

void mbs_planar_lanes_positions(mbs_lanes *lanes) { lanes_positions(&own(lanes)->system); }
void mbs_planar_lanes_velocities(mbs_lanes *lanes) { lanes_velocities(&own(lanes)->system); }
void mbs_planar_lanes_rows(mbs_lanes *lanes, int want) { lanes_rows(&own(lanes)->system, want); }
void mbs_planar_lanes_residual_forces(mbs_lanes *lanes) { lanes_residual_forces(&own(lanes)->system); }

void mbs_planar_lanes_times(mbs_lanes *lanes, const double *x) {
  lanes_jacobian_times(&own(lanes)->system, (const mbs_real *)(const void *)x, own(lanes)->rates);
}

void mbs_planar_lanes_transposed(mbs_lanes *lanes, const double *y) {
  lanes_jacobian_transposed(&own(lanes)->system, (const mbs_real *)(const void *)y, own(lanes)->pushed);
}
