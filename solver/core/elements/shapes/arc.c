/* An arc of a circle, counterclockwise from one angle to another; planar. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {MBS_SHAPE_LENGTH("radius", "radius"),
                                   MBS_SHAPE_PLACE("at", false, "centre, from the mass centre"),
                                   {.name = "from",
                                    .kind = MBS_KIND_NUMBER,
                                    .required = true,
                                    .fallback = NAN,
                                    .unit = "rad",
                                    .doc = "angle of its start"},
                                   {.name = "to",
                                    .kind = MBS_KIND_NUMBER,
                                    .required = true,
                                    .fallback = NAN,
                                    .unit = "rad",
                                    .doc = "angle of its end, above that of its start"},
                                   {.name = "side",
                                    .kind = MBS_KIND_CHOICE,
                                    .choices = "outside|inside",
                                    .fallback_text = "outside",
                                    .doc = "the side on which other shapes touch it"},
                                   MBS_SHAPE_COLOR,
                                   MBS_SHAPE_END};

const mbs_shape_class mbs_shape_arc = {.base = {.name = "arc",
                                                .doc = "An arc of a circle.",
                                                .fields = fields,
                                                .family = MBS_FAMILY_SHAPE,
                                                .spaces = MBS_PLANAR}};
