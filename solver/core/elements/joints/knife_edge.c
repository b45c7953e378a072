/* Knife edge, a row of velocity level: the velocity of the point P2 of the second body relative to the first body has
 * no component across the edge u2 of the second body. In space the edge stands on a plane with the normal n of the
 * first body. (Neimark, Fufaev, Dynamics of Nonholonomic Systems, 1972.) */
#include "base/rotation.h"
#include "elements/joints/joint.h"
#include "equations/slip.h"
#include "equations/state.h"
#include "kernels/kernels.h"

#include <string.h>

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_JOINT_POINTS,
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 1,
                                    .max_count = 2,
                                    .or_single = true,
                                    .required = true,
                                    .doc = "u2, the edge, on the second body; in space before it n on the first"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

/* A vector of a body and its rate, global axes. */
static void vector_of(const mbs_system *system, int body, const double own[3], const double w[3], double a[3],
                      double rate[3]) {
  system->model->kernels->to_global(system, body, own, a);
  mbs_cross(w, a, rate);
}

/* p = rP2,   u = n x u2,   u' = n' x u2 + n x u2' */
static void row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  static const double z[3] = {0, 0, 1};
  const mbs_kernels *kernels = system->model->kernels;
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const bool planar = system->model->dim == 2;
  mbs_rigid_motion first, second;
  mbs_slip_direction slip;
  double n[3], n_rate[3] = {0}, u[3] = {0}, u_rate[3], arm[3] = {0};
  kernels->motion(system, joint->frames.body1, &first);
  kernels->motion(system, joint->frames.body2, &second);
  kernels->to_global(system, joint->frames.body2, at->s2, arm);
  vector_of(system, joint->frames.body2, at->u2, second.w, u, u_rate);
  memcpy(n, z, sizeof n);
  if (!planar) vector_of(system, joint->frames.body1, at->u1, first.w, n, n_rate);
  for (int k = 0; k < 3; k++) {
    slip.p[k] = second.r[k] + arm[k];
    slip.p_rate[k] = second.v[k];
  }
  mbs_add_cross(second.w, arm, slip.p_rate);
  mbs_cross(n, u, slip.u);
  mbs_cross(n, u_rate, slip.u_rate);
  mbs_add_cross(n_rate, u, slip.u_rate);
  mbs_slip_row(system, joint, &slip, out);
}

#define KNIFE_EDGE_ROW \
  { .primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .level = MBS_LEVEL_VELOCITY, .length = true, .labels = "across" }

const mbs_joint_class mbs_joint_knife_edge = {
    .base = {.name = "knife-edge",
             .doc = "An edge, as of a skate or a blade, that does not move sideways.",
             .equation = "(n x u2).(rP2' - velocity of the first body there) = 0 (1 row of velocity level)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .symbol = MBS_SYMBOL_NONE,
    .planar = {.row_count = 1, .rows = {KNIFE_EDGE_ROW}, .second_vector = true},
    .spatial = {.row_count = 1, .rows = {KNIFE_EDGE_ROW}},
    .row = row,
};
