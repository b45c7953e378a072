/* planar_lanes.h - the planar kernels over vectors, for lanes_simd.h. */
#include "batch/algebra_simd.h"

/* Renames the functions, because they exist once per width. */
#define planar_primitive_rows OF_WIDTH(lanes_primitive_rows)
#define planar_primitive_rows_at OF_WIDTH(lanes_primitive_rows_at)
#define planar_carry OF_WIDTH(lanes_carry)
#define planar_carry_velocity OF_WIDTH(lanes_carry_velocity)
#define planar_joint_of OF_WIDTH(lanes_joint_of)
#define planar_constants_of OF_WIDTH(lanes_constants_of)
#define planar_positions OF_WIDTH(lanes_positions)
#define planar_velocities OF_WIDTH(lanes_velocities)
#define planar_rows OF_WIDTH(lanes_rows)
#define planar_custom_row OF_WIDTH(lanes_custom_row)
#define planar_clear_wrenches OF_WIDTH(lanes_clear_wrenches)
#define planar_generalized_forces OF_WIDTH(lanes_generalized_forces)
#define planar_mass_matrix OF_WIDTH(lanes_mass_matrix)
#define planar_accelerations OF_WIDTH(lanes_accelerations)
#define planar_residual_forces OF_WIDTH(lanes_residual_forces)
#define planar_articulated_open OF_WIDTH(lanes_articulated_open)
#define planar_articulated_factor OF_WIDTH(lanes_articulated_factor)
#define planar_articulated_pivots OF_WIDTH(lanes_articulated_pivots)
#define planar_articulated_up OF_WIDTH(lanes_articulated_up)
#define planar_articulated_rows OF_WIDTH(lanes_articulated_rows)
#define planar_articulated_down OF_WIDTH(lanes_articulated_down)
#define planar_point OF_WIDTH(lanes_point)
#define planar_to_global OF_WIDTH(lanes_to_global)
#define planar_rotation OF_WIDTH(lanes_rotation)
#define planar_read_primitive OF_WIDTH(lanes_read_primitive)
#define planar_push OF_WIDTH(lanes_push)
#define planar_twist OF_WIDTH(lanes_twist)
#define planar_push_along OF_WIDTH(lanes_push_along)
#define planar_points OF_WIDTH(lanes_points)
#define planar_centres OF_WIDTH(lanes_centres)
#define planar_rotations OF_WIDTH(lanes_rotations)
#define planar_reactions OF_WIDTH(lanes_reactions)
#define planar_kinetic OF_WIDTH(lanes_kinetic)
#define planar_potential OF_WIDTH(lanes_potential)

#define KERNEL(name) planar_##name
#define ORIENTATION NULL

#include "kernels/planar/articulated.c"
#include "kernels/planar/bodies.c"
#include "kernels/planar/equations.c"
#include "kernels/planar/forces.c"
#include "kernels/planar/primitives.c"
#include "kernels/planar/readings.c"
#include "kernels/planar/rows.c"
#include "mbs/model.h"

#include <string.h>

typedef planar_workspace lane_workspace;
typedef planar_constants lane_constants;

/* Never called: lanes do not support models with rows that element classes compute. */
void planar_custom_row(mbs_system *system, const mbs_block *block, int want) {
  (void)system;
  (void)block;
  (void)want;
}

static void place_ground(planar_body *ground) { ground->c = MBS_ALL(1); }

/* Coordinates change by their velocities in the plane. */
static void displace(const mbs_model *model, const mbs_real *q, const mbs_real *dv, mbs_real *out) {
  for (size_t i = 0; i < model->nq; i++) out[i] = q[i] + dv[i];
}
static void position_rates(const mbs_model *model, const mbs_real *q, const mbs_real *v, mbs_real *qdot) {
  (void)q;
  memcpy(qdot, v, model->nq * sizeof *qdot);
}
static void normalize(const mbs_model *model, mbs_real *q) {
  (void)model;
  (void)q;
}
