/* Revolute-spherical: a massless link, hinged about u1 at P1 and with a ball at P2. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_JOINT_POINTS,
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 1,
                                    .max_count = 1,
                                    .or_single = true,
                                    .required = true,
                                    .doc = "u1, the axis of the hinge, on the first body"},
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

const mbs_joint_class mbs_joint_revolute_spherical = {
    .base = {.name = "revolute-spherical",
             .doc = "A massless link between a hinge and a ball joint.",
             .equation = "Phi = u1.d, norm(d) - L (2 rows), d = rP2 - rP1, L > 0",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_ROD,
    .spatial = {.row_count = 2,
                .rows = {{.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .labels = "axis"},
                         {.primitive = MBS_PRIMITIVE_DISTANCE,
                          .scale = 1,
                          .constant = MBS_CONSTANT_FIELD_OR_INITIAL,
                          .field = "length",
                          .labels = "length"}}},
};
