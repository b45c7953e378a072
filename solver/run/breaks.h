/* breaks.h - times where functions of time are less smooth: a motion is followed up to each and begins anew there. */
#ifndef MBS_BREAKS_H
#define MBS_BREAKS_H

#include "model/constants.h"

/* Those within the span, ascending, and t_end last, in the arena; NULL: no memory. */
double *mbs_find_breaks(const mbs_constants *constants, mbs_arena *arena, size_t *count);

#endif
