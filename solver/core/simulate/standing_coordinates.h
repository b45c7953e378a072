/* standing_coordinates.h - independent coordinates about a motion in body coordinates. */
#ifndef MBS_STANDING_COORDINATES_H
#define MBS_STANDING_COORDINATES_H

#include "run/run.h"

/* Makes joint coordinates of a model in body coordinates the independent ones at run->q if they are not steady, as if
 * they were listed in `hold`. The directions of the coordinates of bodies change along the motion. Replaces run->model
 * and the system's model by a copy with these coordinates. Does nothing if the document has `hold`. Returns
 * MBS_NO_MEMORY if memory runs out. */
mbs_status mbs_hold_standing(mbs_run_state *run);

#endif
