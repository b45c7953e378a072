/* A cylinder between the centres of its ends. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {MBS_SHAPE_PLACE("from", true, "centre of one end, from the mass centre"),
                                   MBS_SHAPE_PLACE("to", true, "centre of the other end"),
                                   MBS_SHAPE_LENGTH("radius", "radius"), MBS_SHAPE_COLOR, MBS_SHAPE_END};

const mbs_shape_class mbs_shape_cylinder = {.base = {.name = "cylinder",
                                                     .doc = "A round bar with flat ends, or a disc.",
                                                     .fields = fields,
                                                     .family = MBS_FAMILY_SHAPE,
                                                     .spaces = MBS_SPATIAL}};
