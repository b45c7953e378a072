/* Revolute-translational: the pin P2 moves in a straight slot of the first body, through P1 along u1, at distance L. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_JOINT_POINTS,
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 1,
                                    .max_count = 1,
                                    .or_single = true,
                                    .required = true,
                                    .doc = "u1, the direction of the slot, on the first body"},
                                   {.name = "offset",
                                    .kind = MBS_KIND_NUMBER,
                                    .fallback = 0,
                                    .unit = "m",
                                    .doc = "L, distance of the pin's path from P1 along perp(u1)"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

const mbs_joint_class mbs_joint_revolute_translational = {
    .base = {.name = "revolute-translational",
             .doc = "A pin in a straight slot.",
             .equation = "Phi = perp(u1).(rP2 - rP1) - L (1 row)\n"
                         "theta = (u1.(rP2 - rP1), phi2 - phi1)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_PLANAR},
    .symbol = MBS_SYMBOL_PIN,
    .planar = {.row_count = 1,
               .rows = {{.primitive = MBS_PRIMITIVE_NORMAL,
                         .scale = -1,
                         .constant = MBS_CONSTANT_FIELD,
                         .field = "offset",
                         .labels = "normal"}},
               .coordinate_count = 2,
               .coordinates = {MBS_SLIDE_ROW, MBS_TURN_ROW},
               .in_tree = true,
               .offset = "offset"},
};
