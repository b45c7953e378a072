/* driver_conflict.h - drivers that prescribe different motions of the same degree of freedom. */
#ifndef MBS_DRIVER_CONFLICT_H
#define MBS_DRIVER_CONFLICT_H

#include "run/run.h"

/* Replaces the error of a run that ended with MBS_CONTRADICTION by one that names all drivers concerned. It does so if
 * the row of a driver depends on others and contradicts them. The system must have the position and the time of the
 * failure. Keeps the error if no driver is concerned, if another cause was found, or if memory runs out. */
void mbs_run_name_drivers(mbs_run_state *run);

#endif
