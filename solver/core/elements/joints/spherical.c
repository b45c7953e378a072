/* Spherical: a ball in a socket. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME, MBS_JOINT_POINTS, MBS_JOINT_CUT, MBS_JOINT_END};

const mbs_joint_class mbs_joint_spherical = {
    .base = {.name = "spherical",
             .doc = "A ball joint: two points coincide.",
             .equation = "Phi = rP1 - rP2 (3 rows)\n"
                         "theta = Euler parameters of the second body against the first\n"
                         "v = their relative angular velocity in the first body's axes",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_BALL,
    .spatial = {.row_count = 1,
                .rows = {MBS_SPHERICAL_ROWS},
                .coordinate_count = 4,
                .coordinates = {MBS_EULER_ROWS},
                .in_tree = true},
};
