/* A line between two points. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {MBS_SHAPE_PLACE("from", true, "one end point, from the mass centre"),
                                   MBS_SHAPE_PLACE("to", true, "the other end point"), MBS_SHAPE_COLOR, MBS_SHAPE_END};

const mbs_shape_class mbs_shape_line = {.base = {.name = "line",
                                                 .doc = "A line between two points.",
                                                 .fields = fields,
                                                 .family = MBS_FAMILY_SHAPE,
                                                 .spaces = MBS_ANY_SPACE}};
