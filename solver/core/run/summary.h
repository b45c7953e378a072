/* summary.h - what the rows of results come to, for the report. */
#ifndef MBS_SUMMARY_H
#define MBS_SUMMARY_H

#include "run/run.h"

/* Adds to the report of a run whose arrays are closed: the number of rows, the state and the energies of the last one,
 * the extremes of sensors and of what drivers exert, and the modes of a linearization. Leaves out what is in no array
 * of the run, and what there is no memory for. */
void mbs_run_summarize(mbs_run_state *run);

#endif
