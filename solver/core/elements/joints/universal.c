/* Universal (Cardan): a cross with the arms u1 on the first and u2 on the second body. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {
    MBS_JOINT_NAME,
    MBS_JOINT_POINTS,
    {.name = "vectors",
     .kind = MBS_KIND_VECTOR,
     .min_count = 2,
     .max_count = 2,
     .required = true,
     .doc = "axes of the cross: u1 on the first body, u2 on the second, perpendicular to each other"},
    MBS_JOINT_REFERENCE("zeros of the rotations: a vector on the first body, perpendicular to u1, to which u2 is "
                        "parallel if phi1 = 0, and one on the second, perpendicular to u2, for u1 and phi2"),
    MBS_JOINT_CUT,
    MBS_JOINT_END};

const mbs_joint_class mbs_joint_universal = {
    .base = {.name = "universal",
             .doc = "A universal joint: a cross between two forks.",
             .equation = "Phi = rP1 - rP2, u1.u2 (4 rows)\ntheta = (rotation about u1, rotation about u2)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_CROSS,
    .spatial = {.row_count = 2,
                .rows = {MBS_SPHERICAL_ROWS, {.primitive = MBS_PRIMITIVE_DOT, .scale = 1, .labels = "cross"}},
                .coordinate_count = 2,
                .coordinates = {{.primitive = MBS_PRIMITIVE_CROSS1, .scale = 1, .labels = "phi1"},
                                {.primitive = MBS_PRIMITIVE_CROSS2, .scale = 1, .labels = "phi2"}},
                .in_tree = true,
                .zero = MBS_ZERO_CROSS},
};
