/* start.h - the start of a run. */
#ifndef MBS_START_H
#define MBS_START_H

#include "run/run.h"

/* Finds the initial conditions: correction if the analysis needs it, ranks, redundant rows. Fills the report. */
mbs_status mbs_run_start(mbs_run_state *run);
/* Does the same in two parts: mbs_run_place() finds positions and velocities; mbs_run_prepare() finds ranks, redundant
 * rows and bodies without inertia at the state (run->q, run->v), which may have changed in between. */
mbs_status mbs_run_place(mbs_run_state *run);
mbs_status mbs_run_prepare(mbs_run_state *run);
/* Takes the samples that are due at the start, for an analysis in which sampled values keep them. */
mbs_status mbs_run_sample_start(mbs_run_state *run);
/* Makes the position run->q, a static equilibrium, the start, with the velocities of least norm that satisfy its
 * constraints. Call it between the two parts. */
mbs_status mbs_run_start_at_equilibrium(mbs_run_state *run);
/* Finds the ranks at the state run->q of the start and removes the redundant rows from the equations. */
mbs_status mbs_run_leave_out_redundant(mbs_run_state *run);
/* Shifts the mass matrix if bodies lack inertia at (t, run->q). Returns MBS_SINGULAR_MASS if an analysis of dynamics
 * has a degree of freedom without inertia or constraint. */
mbs_status mbs_find_massless(mbs_run_state *run, double t);

#endif
