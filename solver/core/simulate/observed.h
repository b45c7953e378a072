/* observed.h - runs with an observer. */
#ifndef MBS_OBSERVED_H
#define MBS_OBSERVED_H

#include "mbs/run.h"
#include "run/run.h"

/* Runs the analysis of a model with these constants for an observer. Records no rows and no notes; the motion equals
 * that of mbs_run() bit for bit. `result` only needs an arena, other than `scratch`; a linearization adds eigenvalues,
 * frequencies and damping ratios to it. On failure returns the status and fills `error`. */
mbs_status mbs_run_observed(const mbs_constants *constants, const mbs_observer *observer, const mbs_hooks *hooks,
                            mbs_result *result, mbs_arena *scratch, mbs_error *error);

/* Begin and end such a run; the caller runs the analysis in between. mbs_observed_begin() fills `run`; its arguments
 * must outlive it. If it fails, do not call mbs_observed_end(). */
mbs_status mbs_observed_begin(mbs_run_state *run, const mbs_constants *constants, const mbs_observer *observer,
                              const mbs_hooks *hooks, mbs_result *result, mbs_arena *scratch, mbs_error *error);
mbs_status mbs_observed_end(mbs_run_state *run, mbs_status status);

/* Finds only the corrected start of such a run: its coordinates and velocities y [nq + nv]. */
mbs_status mbs_run_started(const mbs_constants *constants, const mbs_hooks *hooks, mbs_result *result,
                           mbs_arena *scratch, double *y, mbs_error *error);

#endif
