/* Dot-1: the angle c between two vectors is constant. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {
    MBS_JOINT_NAME,
    {.name = "vectors",
     .kind = MBS_KIND_VECTOR,
     .min_count = 2,
     .max_count = 2,
     .required = true,
     .doc = "a1 on the first, a2 on the second body"},
    {.name = "angle", .kind = MBS_KIND_NUMBER, .fallback = 1.57079632679489661923, .unit = "rad", .doc = "c"},
    MBS_JOINT_CUT,
    MBS_JOINT_END};

const mbs_joint_class mbs_joint_dot_1 = {
    .base = {.name = "dot-1",
             .doc = "Two vectors keep a constant angle.",
             .equation = "Phi = a1.a2 - cos(c) (1 row)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .spatial = {.row_count = 1,
                .rows = {{.primitive = MBS_PRIMITIVE_DOT,
                          .scale = 1,
                          .constant = MBS_CONSTANT_COSINE,
                          .field = "angle",
                          .labels = "dot"}}},
};
