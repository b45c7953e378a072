/* basis_dependence.h - checks if linear equations about a motion depend on the choice of independent coordinates. */
#ifndef MBS_BASIS_DEPENDENCE_H
#define MBS_BASIS_DEPENDENCE_H

#include "simulate/linearize.h"

/* Sets *turn if the columns of R change along the motion through the state (run->q, run->v), and some independent
 * coordinate is not in `hold`: another choice of coordinates then has other eigenvalues. theory (15.12) Moves the
 * system to another position. Returns the status of an evaluation that fails. */
mbs_status mbs_depends_on_basis(mbs_run_state *run, mbs_linearization *linear, bool *turn);

#endif
