/* shape.h - what the shapes of a body share: fields. A shape is drawn, in the axes of its body, and has no mass. */
#ifndef MBS_SHAPE_H
#define MBS_SHAPE_H

#include "model/element.h"

#include <math.h>

#define MBS_SHAPE_COLOR \
  { .name = "color", .kind = MBS_KIND_COLOR, .doc = "\"#rrggbb\", or a name of CSS; left out: the body's" }
/* A place in the body's axes; in space a third component that is left out is 0. */
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
#define MBS_SHAPE_END \
  { .name = NULL }

#endif
