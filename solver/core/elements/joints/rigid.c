/* Rigid: the bodies move together. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME, MBS_JOINT_POINTS, MBS_JOINT_CUT, MBS_JOINT_END};

const mbs_joint_class mbs_joint_rigid = {
    .base = {.name = "rigid",
             .doc = "Two bodies fixed to each other.",
             .equation = "Phi = rP1 - rP2, phi1 - phi2 - (their initial difference) (3 rows)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_PLANAR},
    .symbol = MBS_SYMBOL_BLOCK,
    .planar = {.row_count = 2,
               .rows = {{.primitive = MBS_PRIMITIVE_POINT, .scale = 1, .labels = "x|y"},
                        {.primitive = MBS_PRIMITIVE_ANGLE,
                         .scale = 1,
                         .weight1 = 1,
                         .weight2 = -1,
                         .constant = MBS_CONSTANT_INITIAL,
                         .labels = "phi"}},
               .in_tree = true},
};
