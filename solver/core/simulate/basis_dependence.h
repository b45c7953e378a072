/* basis_dependence.h - checks if linear equations about a motion depend on the choice of independent coordinates. */
#ifndef MBS_BASIS_DEPENDENCE_H
#define MBS_BASIS_DEPENDENCE_H

#include "simulate/linearize.h"

/* Whether the columns of R turn along the motion through the state (run->q, run->v), and not all independent
 * coordinates are those in `hold`: then another choice of them has other eigenvalues. theory (15.12) Leaves the system
 * at another position. An evaluation may fail; its status. */
mbs_status mbs_depends_on_basis(mbs_run_state *run, mbs_linearization *linear, bool *turn);

#endif
