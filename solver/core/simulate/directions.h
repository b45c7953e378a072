/* directions.h - whether the linear equations about a motion depend on which coordinates are the independent ones. */
#ifndef MBS_DIRECTIONS_H
#define MBS_DIRECTIONS_H

#include "simulate/linearize.h"

/* Whether the columns of R turn along the motion through the state (run->q, run->v), and not all independent
 * coordinates are those in `hold`: then another choice of them has other eigenvalues. theory (15.12) Leaves the system
 * at another position. An evaluation may fail; its status. */
mbs_status mbs_directions_turn(mbs_run_state *run, mbs_linearization *linear, bool *turn);

#endif
