/* undriven.h - degrees of freedom without a driver, for analyses of driven motions. */
#ifndef MBS_UNDRIVEN_H
#define MBS_UNDRIVEN_H

#include "run/run.h"

/* Writes to report->undriven which degrees of freedom are left at the start, if the document requests an analysis that
 * needs a driver for each. The system must have the position of the start, and its ranks must be known. Returns MBS_OK
 * or MBS_NO_MEMORY. */
mbs_status mbs_run_find_undriven(mbs_run_state *run);

#endif
