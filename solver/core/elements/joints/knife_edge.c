/* Knife edge, a row of velocity level: the velocity of the point P2 of the second body relative to the first body has
 * no component across the edge u2 of the second body. In space the edge stands on a plane with the normal n of the
 * first body. (Neimark, Fufaev, Dynamics of Nonholonomic Systems, 1972.) */
#include "base/rotation.h"
#include "elements/joints/joint.h"
#include "equations/slip.h"

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

/* p = rP2,   u = n x u2,   u' = n' x u2 + n x u2' */
static void row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const mbs_moving u2 = mbs_moving_vector(system, joint->frames.body2, at->u2);
  mbs_moving n = {.at = {0, 0, 1}};
  if (system->model->dim == 3) n = mbs_moving_vector(system, joint->frames.body1, at->u1);
  const mbs_slip_direction slip = {.p = mbs_moving_point(system, joint->frames.body2, at->s2),
                                   .u = mbs_moving_cross(&n, &u2)};
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
