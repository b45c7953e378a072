/* Cylindrical: the second body translates along u and rotates about it. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME, MBS_JOINT_POINTS,
                                   MBS_JOINT_AXES("the axis, on the first and on the second body"), MBS_JOINT_CUT,
                                   MBS_JOINT_END};

const mbs_joint_class mbs_joint_cylindrical = {
    .base = {.name = "cylindrical",
             .doc = "A slider that can rotate about its axis.",
             .equation = "Phi = w1.u2, n1.u2, w1.d, n1.d (4 rows), d = rP2 - rP1\ntheta = (u1.d, rotation about u)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_BARREL,
    .spatial = {.row_count = 4,
                .rows = {MBS_PARALLEL_ROWS, MBS_ON_AXIS_ROWS},
                .coordinate_count = 2,
                .coordinates = {MBS_SLIDE_ROW, MBS_AXIS_TURN_ROW},
                .in_tree = true},
};
