/* A box, given by its centre. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {{.name = "size",
                                    .kind = MBS_KIND_NUMBER,
                                    .min_count = 3,
                                    .max_count = 3,
                                    .required = true,
                                    .fallback = NAN,
                                    .low = 0,
                                    .high = INFINITY,
                                    .unit = "m",
                                    .doc = "lengths along the body's x, y and z axes, before the rotation"},
                                   MBS_SHAPE_PLACE("at", false, "centre, from the mass centre"),
                                   MBS_SHAPE_AXIS("axis of the rotation by the angle; default: z"),
                                   MBS_SHAPE_ANGLE("rotation about the axis"),
                                   MBS_SHAPE_COLOR,
                                   MBS_SHAPE_END};

const mbs_shape_class mbs_shape_box = {.base = {.name = "box",
                                                .doc = "A box; in planar models use a rectangle.",
                                                .fields = fields,
                                                .family = MBS_FAMILY_SHAPE,
                                                .spaces = MBS_SPATIAL},
                                       .check = mbs_shape_check_axis};
