/* static_equilibrium.h - finds a static equilibrium of a constrained system. */
#ifndef MBS_STATIC_EQUILIBRIUM_H
#define MBS_STATIC_EQUILIBRIUM_H

#include "run/run.h"

/* Finds an equilibrium from run->q, at rest and with drivers held at their positions at t_start:
 *
 *   h(q, 0) + C' lambda = 0,   Phi(q) = 0.
 *
 * Stores it in run->q and lambda [rows]; sets run->v to zero, and the system's drivers stay held. Steps go where the
 * forces do work, so that the result is a stable equilibrium unless the start is an unstable one. Sets *stable by the
 * stiffness there, which decides if forces are conservative: 1 stable, 0 unstable, -1 a degree of freedom without
 * stiffness. Fails with MBS_NO_EQUILIBRIUM, naming the unbalanced coordinate. */
mbs_status mbs_find_equilibrium(mbs_run_state *run, double *lambda, int *stable);

#endif
