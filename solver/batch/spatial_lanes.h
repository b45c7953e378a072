/* spatial_lanes.h - the spatial kernels over vectors, for lanes_simd.h. */
#include "batch/algebra_simd.h"

/* Renames the functions, because they exist once per width. */
#define spatial_primitive_rows OF_WIDTH(lanes_primitive_rows)
#define spatial_carry OF_WIDTH(lanes_carry)
#define spatial_carry_velocity OF_WIDTH(lanes_carry_velocity)
#define spatial_joint_of OF_WIDTH(lanes_joint_of)
#define spatial_constants_of OF_WIDTH(lanes_constants_of)
#define spatial_positions OF_WIDTH(lanes_positions)
#define spatial_velocities OF_WIDTH(lanes_velocities)
#define spatial_rows OF_WIDTH(lanes_rows)
#define spatial_custom_row OF_WIDTH(lanes_custom_row)
#define spatial_clear_wrenches OF_WIDTH(lanes_clear_wrenches)
#define spatial_generalized_forces OF_WIDTH(lanes_generalized_forces)
#define spatial_mass_matrix OF_WIDTH(lanes_mass_matrix)
#define spatial_accelerations OF_WIDTH(lanes_accelerations)
#define spatial_residual_forces OF_WIDTH(lanes_residual_forces)
#define spatial_articulated_open OF_WIDTH(lanes_articulated_open)
#define spatial_articulated_factor OF_WIDTH(lanes_articulated_factor)
#define spatial_articulated_pivots OF_WIDTH(lanes_articulated_pivots)
#define spatial_articulated_up OF_WIDTH(lanes_articulated_up)
#define spatial_articulated_rows OF_WIDTH(lanes_articulated_rows)
#define spatial_articulated_down OF_WIDTH(lanes_articulated_down)
#define spatial_points_of OF_WIDTH(lanes_points_of)
#define spatial_primitive_at OF_WIDTH(lanes_primitive_at)
#define spatial_primitive_now OF_WIDTH(lanes_primitive_now)
#define spatial_turn_count OF_WIDTH(lanes_turn_count)
#define spatial_kept_turns OF_WIDTH(lanes_kept_turns)
#define spatial_displace OF_WIDTH(lanes_displace)
#define spatial_rates OF_WIDTH(lanes_rates)
#define spatial_normalize OF_WIDTH(lanes_normalize)
#define spatial_point OF_WIDTH(lanes_point)
#define spatial_to_global OF_WIDTH(lanes_to_global)
#define spatial_rotation OF_WIDTH(lanes_rotation)
#define spatial_orientation OF_WIDTH(lanes_orientation)
#define spatial_read_primitive OF_WIDTH(lanes_read_primitive)
#define spatial_push OF_WIDTH(lanes_push)
#define spatial_twist OF_WIDTH(lanes_twist)
#define spatial_push_along OF_WIDTH(lanes_push_along)
#define spatial_points OF_WIDTH(lanes_points)
#define spatial_centres OF_WIDTH(lanes_centres)
#define spatial_rotations OF_WIDTH(lanes_rotations)
#define spatial_reactions OF_WIDTH(lanes_reactions)
#define spatial_kinetic OF_WIDTH(lanes_kinetic)
#define spatial_potential OF_WIDTH(lanes_potential)

#define KERNEL(name) spatial_##name
#define ORIENTATION spatial_orientation

#include "kernels/spatial/articulated.c"
#include "kernels/spatial/bodies.c"
#include "kernels/spatial/equations.c"
#include "kernels/spatial/forces.c"
#include "kernels/spatial/parameters.c"
#include "kernels/spatial/primitives.c"
#include "kernels/spatial/readings.c"
#include "kernels/spatial/rows.c"
#include "mbs/model.h"

typedef spatial_workspace lane_workspace;
typedef spatial_constants lane_constants;

/* Never called: lanes do not support models with rows that element classes compute. */
void spatial_custom_row(mbs_system *system, const mbs_block *block, int want) {
  (void)system;
  (void)block;
  (void)want;
}

/* Never called: lanes do not support angles whose revolutions are counted by integration. */
void spatial_kept_turns(const mbs_system *system, const mbs_block *block, spatial_near *near) {
  (void)system;
  (void)block;
  (void)near;
}

static void place_ground(spatial_body *ground) {
  ground->p[0] = ground->A[0] = ground->A[4] = ground->A[8] = MBS_ALL(1);
}

static void displace(const mbs_model *model, const mbs_real *q, const mbs_real *dv, mbs_real *out) {
  spatial_displace(model, q, dv, out);
}
static void position_rates(const mbs_model *model, const mbs_real *q, const mbs_real *v, mbs_real *qdot) {
  spatial_rates(model, q, v, qdot);
}
static void normalize(const mbs_model *model, mbs_real *q) { spatial_normalize(model, q); }
