/* signal.h - fields and functions shared by signals. */
#ifndef MBS_SIGNALS_SIGNAL_H
#define MBS_SIGNALS_SIGNAL_H

#include "builder/builder.h"

#include <math.h>

#define MBS_SIGNAL_NAME                                                                       \
  {                                                                                           \
    .name = "name", .kind = MBS_KIND_TEXT, .required = true,                                  \
    .doc = "name in expressions and of its column; neither parameters nor states may have it" \
  }
#define MBS_SIGNAL_END \
  { .name = NULL }

#endif
