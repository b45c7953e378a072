/* start.h - where a run starts. */
#ifndef MBS_START_H
#define MBS_START_H

#include "run/run.h"

/* Initial conditions: correction where the analysis asks for it, ranks, redundant rows. Fills the report. */
mbs_status mbs_run_start(mbs_run_state *run);
/* Does the same in two parts: mbs_run_place() finds positions and velocities; mbs_run_prepare() finds ranks, redundant
 * rows and bodies without inertia at the state (run->q, run->v), which may have changed in between. */
mbs_status mbs_run_place(mbs_run_state *run);
mbs_status mbs_run_prepare(mbs_run_state *run);
/* Takes the position run->q as the start, with the velocities of least norm that its constraints ask for. Call it
 * between the two parts. */
mbs_status mbs_run_rest(mbs_run_state *run);
/* Finds the ranks at the state run->q of the start and leaves the redundant rows out of the equations. */
mbs_status mbs_run_leave_out_redundant(mbs_run_state *run);
/* Whether bodies lack inertia, at (t, run->q): the mass matrix is then shifted. MBS_SINGULAR_MASS where an analysis of
 * dynamics has a freedom that nothing holds. */
mbs_status mbs_find_massless(mbs_run_state *run, double t);

#endif
