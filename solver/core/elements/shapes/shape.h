/* shape.h - fields shared by the shapes of a body. A shape is drawn in the axes of its body and has no mass. */
#ifndef MBS_SHAPE_H
#define MBS_SHAPE_H

#include "builder/builder.h"
#include "mbs/status.h"

#include <math.h>

#define MBS_SHAPE_COLOR                                                                                               \
  {.name = "name", .kind = MBS_KIND_TEXT, .doc = "name, with which contacts refer to the shape: \"body.name\""}, {    \
    .name = "color", .kind = MBS_KIND_COLOR, .doc = "\"#rrggbb\" or a CSS color name; default: the color of the body" \
  }
/* A position in the body's axes; in space an omitted third component is 0. */
#define MBS_SHAPE_PLACE(NAME, REQUIRED, DOC)                                                                          \
  {                                                                                                                   \
    .name = NAME, .kind = MBS_KIND_NUMBER, .min_count = 2, .max_count = MBS_DIM, .required = REQUIRED, .fallback = 0, \
    .unit = "m", .doc = DOC                                                                                           \
  }
#define MBS_SHAPE_LENGTH(NAME, DOC)                                                                                    \
  {                                                                                                                    \
    .name = NAME, .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .low = 0, .high = INFINITY, .unit = "m", \
    .doc = DOC                                                                                                         \
  }
/* Orientation of a solid: its axis, z if omitted, and its angle. */
#define MBS_SHAPE_AXIS(DOC)                                                                                          \
  {                                                                                                                  \
    .name = "axis", .kind = MBS_KIND_NUMBER, .min_count = 3, .max_count = 3, .spaces = MBS_SPATIAL, .fallback = NAN, \
    .doc = DOC                                                                                                       \
  }
#define MBS_SHAPE_ANGLE(DOC) \
  { .name = "angle", .kind = MBS_KIND_NUMBER, .fallback = 0, .unit = "rad", .doc = DOC }
#define MBS_SHAPE_END \
  { .name = NULL }

/* Reports an axis of length 0. */
static inline void mbs_shape_check_axis(mbs_builder *builder, const mbs_node *shape) {
  double axis[3] = {0};
  size_t stand_ins = builder->binder.stand_ins,
         count = mbs_read_numbers(mbs_numbers_of(builder), shape, "axis", axis, 3);
  if (count == 3 && builder->binder.stand_ins == stand_ins && axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(shape, "axis")->pointer, "an axis of length 0");
}

#endif
