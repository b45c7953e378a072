/* observed.h - a run whose motion somebody observes. */
#ifndef MBS_OBSERVED_H
#define MBS_OBSERVED_H

#include "mbs/run.h"
#include "run/run.h"

/* Runs the analysis of a model with these numbers; no rows are recorded and no notes made, but the observer is shown
 * the motion, which is that of mbs_run(), bit for bit. `result` is empty but for its arena, which is not the scratch:
 * of a linearization it gets eigenvalues, frequencies and damping ratios. On failure returns its status and fills
 * `error`. */
mbs_status mbs_run_observed(const mbs_constants *constants, const mbs_observer *observer, const mbs_hooks *hooks,
                            mbs_result *result, mbs_arena *scratch, mbs_error *error);

/* The same in parts, of which the run's analysis is the middle: `run` is filled, and what it points to lasts as long.
 * Of a beginning that ends with a status there is no end. */
mbs_status mbs_observed_begin(mbs_run_state *run, const mbs_constants *constants, const mbs_observer *observer,
                              const mbs_hooks *hooks, mbs_result *result, mbs_arena *scratch, mbs_error *error);
mbs_status mbs_observed_end(mbs_run_state *run, mbs_status status);

/* The start of such a run alone: its coordinates and velocities y [nq + nv], corrected. */
mbs_status mbs_run_started(const mbs_constants *constants, const mbs_hooks *hooks, mbs_result *result,
                           mbs_arena *scratch, double *y, mbs_error *error);

#endif
