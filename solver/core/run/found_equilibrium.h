/* found_equilibrium.h - the equilibrium of the report. */
#ifndef MBS_FOUND_EQUILIBRIUM_H
#define MBS_FOUND_EQUILIBRIUM_H

#include "run/run.h"

/* Reports the system's position, that of run->q, and its states as the equilibrium that the run found. Returns
 * MBS_NO_MEMORY if memory runs out. */
mbs_status mbs_report_equilibrium(mbs_run_state *run);

#endif
