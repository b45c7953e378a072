/* A rod with round ends. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {MBS_SHAPE_PLACE("from", true, "centre of one round end, from the mass centre"),
                                   MBS_SHAPE_PLACE("to", true, "centre of the other end"),
                                   MBS_SHAPE_LENGTH("radius", "half of the thickness"), MBS_SHAPE_COLOR, MBS_SHAPE_END};

const mbs_shape_class mbs_shape_capsule = {.base = {.name = "capsule",
                                                    .doc = "A rod with round ends; in planar models a link.",
                                                    .fields = fields,
                                                    .family = MBS_FAMILY_SHAPE,
                                                    .spaces = MBS_ANY_SPACE}};
