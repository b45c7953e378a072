/* A closed polygon. */
#include "elements/shapes/shape.h"

static const mbs_field fields[] = {{.name = "points",
                                    .kind = MBS_KIND_ROW,
                                    .min_count = 2,
                                    .max_count = 100000,
                                    .required = true,
                                    .unit = "m",
                                    .doc = "corners [x, y], in space also [x, y, z], from the mass centre"},
                                   MBS_SHAPE_COLOR,
                                   MBS_SHAPE_END};

const mbs_shape_class mbs_shape_polygon = {.base = {.name = "polygon",
                                                    .doc = "A closed polygon.",
                                                    .fields = fields,
                                                    .family = MBS_FAMILY_SHAPE,
                                                    .spaces = MBS_ANY_SPACE}};
