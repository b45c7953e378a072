/* driver_conflict.h - drivers that ask for different motions of the same freedom. */
#ifndef MBS_DRIVER_CONFLICT_H
#define MBS_DRIVER_CONFLICT_H

#include "run/run.h"

/* Replaces the error of a run that ended with MBS_CONTRADICTION, where the row of a driver depends on others and
 * contradicts them, by one that names all drivers concerned. Call it with the position and time of the failure in the
 * system. Leaves the error as it is where no driver is concerned, where another cause was found, or without memory. */
void mbs_run_name_drivers(mbs_run_state *run);

#endif
