/* Planar: P2 stays in the plane through P1 with the normal u, and the second body rotates about u. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME, MBS_JOINT_POINTS,
                                   MBS_JOINT_AXES("the normal of the plane, on the first and on the second body"),
                                   MBS_JOINT_CUT, MBS_JOINT_END};

const mbs_joint_class mbs_joint_planar = {
    .base = {.name = "planar",
             .doc = "A body on a plane.",
             .equation = "Phi = w1.u2, n1.u2, u1.d (3 rows), d = rP2 - rP1\ntheta = (w1.d, n1.d, rotation about u)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_PLATE,
    .spatial = {.row_count = 3,
                .rows = {MBS_PARALLEL_ROWS, {.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .labels = "normal"}},
                .coordinate_count = 3,
                .coordinates = {{.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .vector1 = MBS_VECTOR_W, .labels = "s1"},
                                {.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .vector1 = MBS_VECTOR_N, .labels = "s2"},
                                MBS_AXIS_TURN_ROW},
                .in_tree = true},
};
