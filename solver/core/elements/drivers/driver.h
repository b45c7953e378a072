/* driver.h - fields shared by drivers. A driver adds one row, g(q) - C(t); it adds C' to rhsV and C'' to rhsA. */
#ifndef MBS_DRIVERS_DRIVER_H
#define MBS_DRIVERS_DRIVER_H

#include "model/element.h"

#define MBS_DRIVER_NAME \
  { .name = "name", .kind = MBS_KIND_TEXT, .required = true, .doc = "unique name" }
#define MBS_DRIVER_FUNCTION                                                                        \
  {                                                                                                \
    .name = "function", .kind = MBS_KIND_ELEMENT, .family = MBS_FAMILY_FUNCTION, .required = true, \
    .doc = "C(t): an expression in t, or one of the function objects"                              \
  }
#define MBS_DRIVER_END \
  { .name = NULL }

#endif
