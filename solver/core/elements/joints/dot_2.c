/* Dot-2: the height c of P2 over P1 along a1 is constant. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_JOINT_POINTS,
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 1,
                                    .max_count = 1,
                                    .or_single = true,
                                    .required = true,
                                    .doc = "a1, on the first body"},
                                   {.name = "offset", .kind = MBS_KIND_NUMBER, .fallback = 0, .unit = "m", .doc = "c"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

const mbs_joint_class mbs_joint_dot_2 = {
    .base = {.name = "dot-2",
             .doc = "A point of one body stays in a plane of the other body.",
             .equation = "Phi = a1.d - c (1 row), d = rP2 - rP1",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .spatial = {.row_count = 1,
                .rows = {{.primitive = MBS_PRIMITIVE_ALONG,
                          .scale = 1,
                          .constant = MBS_CONSTANT_FIELD,
                          .field = "offset",
                          .labels = "dot"}}},
};
