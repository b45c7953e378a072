/* Translational: the second body translates along u1. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_JOINT_POINTS,
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "u1 on the first body, u2 on the second; kept parallel"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

const mbs_joint_class mbs_joint_translational = {
    .base = {.name = "translational",
             .doc = "A slider without rotation.",
             .equation = "Phi = perp(u1).(rP1 - rP2), perp(u1).u2 (2 rows)\n"
                         "theta = u1.(rP2 - rP1)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_PLANAR},
    .symbol = MBS_SYMBOL_SLIDER,
    .planar = {.row_count = 2,
               .rows = {{.primitive = MBS_PRIMITIVE_NORMAL, .scale = 1, .labels = "normal"},
                        {.primitive = MBS_PRIMITIVE_PARALLEL, .scale = 1, .labels = "parallel"}},
               .coordinate_count = 1,
               .coordinates = {MBS_SLIDE_ROW},
               .in_tree = true},
};
