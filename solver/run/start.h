/* start.h - where a run starts. */
#ifndef MBS_START_H
#define MBS_START_H

#include "run/run.h"

/* Initial conditions: correction where the analysis asks for it, ranks, redundant rows. Fills the report. */
mbs_status mbs_run_start(mbs_run_state *run);
/* Whether bodies lack inertia, at (t, run->q): the mass matrix is then shifted. MBS_SINGULAR_MASS where an analysis of
 * dynamics has a freedom that nothing holds. */
mbs_status mbs_find_massless(mbs_run_state *run, double t);

#endif
