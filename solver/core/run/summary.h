/* summary.h - summarizes the rows of results for the report. */
#ifndef MBS_SUMMARY_H
#define MBS_SUMMARY_H

#include "run/run.h"

/* Adds to the report of a run with complete arrays: the number of rows, the state and the energies of the last row, the
 * extremes of sensors and of drivers' efforts, and the modes of a linearization. Omits what is in no array of the run,
 * and what does not fit into memory. */
void mbs_run_summarize(mbs_run_state *run);

#endif
