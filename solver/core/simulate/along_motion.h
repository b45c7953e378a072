/* along_motion.h - follows a motion a little way from the state that is linearized: do eigenvalues depend on the choice
 * of independent coordinates, and do the coefficients of the linear equations change? */
#ifndef MBS_ALONG_MOTION_H
#define MBS_ALONG_MOTION_H

#include "simulate/linearize.h"

/* Sets *turn if the columns of R change along the motion through the state (run->q, run->v), and some independent
 * coordinate is not in `hold`: another choice of coordinates then has other eigenvalues. theory (15.12) Moves the
 * system to another position. Returns the status of an evaluation that fails. */
mbs_status mbs_depends_on_basis(mbs_run_state *run, mbs_linearization *linear, bool *turn);

/* Sets *change if the coefficients of the linear equations change along the motion through the state, or with time.
 * theory (15.21) Moves the system to another position. Returns the status of an evaluation that fails at the state. */
mbs_status mbs_coefficients_change(mbs_run_state *run, mbs_linearization *linear, bool *change);
/* Returns true if an expression of the model reads the time. */
bool mbs_reads_time(const mbs_model *model);

#endif
