/* Revolute: a pin through P1 and P2, in space a hinge with the axis u. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME, MBS_JOINT_POINTS,
                                   MBS_JOINT_AXES("the axis, on the first and on the second body"), MBS_JOINT_CUT,
                                   MBS_JOINT_END};

const mbs_joint_class mbs_joint_revolute = {
    .base = {.name = "revolute",
             .doc = "A pin; in space a hinge about an axis.",
             .equation = "Phi = rP1 - rP2 (2 rows); in space rP1 - rP2, w1.u2, n1.u2 (5 rows)\ntheta = phi2 - phi1; in "
                         "space the rotation about u",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .symbol = MBS_SYMBOL_PIN,
    .planar = {.row_count = 1,
               .rows = {{.primitive = MBS_PRIMITIVE_POINT, .scale = 1, .labels = "x|y"}},
               .coordinate_count = 1,
               .coordinates = {MBS_TURN_ROW},
               .in_tree = true},
    .spatial = {.row_count = 3,
                .rows = {MBS_SPHERICAL_ROWS, MBS_PARALLEL_ROWS},
                .coordinate_count = 1,
                .coordinates = {MBS_AXIS_TURN_ROW},
                .in_tree = true},
};
