/* A rectangle, given by its centre; in space perpendicular to the body's z axis. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {
    MBS_SHAPE_LENGTH("width", "length along the body's x axis"),
    MBS_SHAPE_LENGTH("height", "length along the body's y axis"),
    MBS_SHAPE_PLACE("at", false, "centre, from the mass centre"),
    {.name = "angle", .kind = MBS_KIND_NUMBER, .fallback = 0, .unit = "rad", .doc = "rotation about z"},
    MBS_SHAPE_COLOR,
    MBS_SHAPE_END};

const mbs_shape_class mbs_shape_rectangle = {
    .base = {.name = "rectangle",
             .doc = "A rectangle; in space perpendicular to the body's z axis.",
             .fields = fields,
             .family = MBS_FAMILY_SHAPE,
             .spaces = MBS_ANY_SPACE}};
