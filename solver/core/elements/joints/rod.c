/* Rod (revolute-revolute, in space double spherical): a massless link between two points. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_JOINT_POINTS,
                                   {.name = "length",
                                    .kind = MBS_KIND_NUMBER,
                                    .fallback = NAN,
                                    .low = 0,
                                    .high = INFINITY,
                                    .low_open = true,
                                    .unit = "m",
                                    .doc = "distance of the points; default: the initial distance"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

const mbs_joint_class mbs_joint_rod = {
    .base = {.name = "rod",
             .doc = "A massless link: two points keep a constant distance.",
             .equation = "Phi = norm(rP1 - rP2) - L (1 row), L > 0",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .symbol = MBS_SYMBOL_ROD,
    .planar = {.row_count = 1,
               .rows = {{.primitive = MBS_PRIMITIVE_DISTANCE,
                         .scale = 1,
                         .constant = MBS_CONSTANT_FIELD_OR_INITIAL,
                         .field = "length",
                         .labels = "length"}}},
    .spatial = {.row_count = 1,
                .rows = {{.primitive = MBS_PRIMITIVE_DISTANCE,
                          .scale = 1,
                          .constant = MBS_CONSTANT_FIELD_OR_INITIAL,
                          .field = "length",
                          .labels = "length"}}},
};
