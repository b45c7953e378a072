/* A sphere. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {MBS_SHAPE_LENGTH("radius", "radius"),
                                   MBS_SHAPE_PLACE("at", false, "centre, from the mass centre"), MBS_SHAPE_COLOR,
                                   MBS_SHAPE_END};

const mbs_shape_class mbs_shape_sphere = {
    .base = {.name = "sphere", .doc = "A ball.", .fields = fields, .family = MBS_FAMILY_SHAPE, .spaces = MBS_SPATIAL}};
