/* undriven.h - freedoms that an analysis of driven motions needs drivers for. */
#ifndef MBS_UNDRIVEN_H
#define MBS_UNDRIVEN_H

#include "run/run.h"

/* Writes to report->undriven which freedoms are left at the start, where the document asks for an analysis that needs a
 * driver for each. Call it with the start's position in the system and its ranks known. Returns MBS_OK or
 * MBS_NO_MEMORY. */
mbs_status mbs_run_find_undriven(mbs_run_state *run);

#endif
