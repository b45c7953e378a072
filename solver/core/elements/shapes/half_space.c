/* A half-space, everything behind a plane; drawn as a square of the plane. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {MBS_SHAPE_PLACE("at", false, "a point of its plane, from the mass centre"),
                                   {.name = "normal",
                                    .kind = MBS_KIND_NUMBER,
                                    .min_count = 3,
                                    .max_count = 3,
                                    .required = true,
                                    .fallback = NAN,
                                    .doc = "normal of the plane, towards the free side"},
                                   MBS_SHAPE_COLOR,
                                   MBS_SHAPE_END};

const mbs_shape_class mbs_shape_half_space = {.base = {.name = "half-space",
                                                       .doc = "Everything behind a plane.",
                                                       .fields = fields,
                                                       .family = MBS_FAMILY_SHAPE,
                                                       .spaces = MBS_SPATIAL}};
