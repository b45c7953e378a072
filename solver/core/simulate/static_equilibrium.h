/* equilibrium.h - static equilibrium of a constrained system. */
#ifndef MBS_EQUILIBRIUM_H
#define MBS_EQUILIBRIUM_H

#include "run/run.h"

/* From run->q to a position where, at rest and with drivers held where they are at t_start,
 *
 *   h(q, 0) + C' lambda = 0,   Phi(q) = 0,
 *
 * into run->q and lambda [rows]; run->v becomes zero, and the system's drivers stay held. Goes where the forces do
 * work, so that it ends at a stable equilibrium unless it starts at an unstable one. `stable` says what the stiffness
 * there does, which decides where forces are conservative: 1 stable, 0 unstable, -1 a freedom without stiffness.
 * MBS_NO_EQUILIBRIUM, naming what stays unbalanced. */
mbs_status mbs_find_equilibrium(mbs_run_state *run, double *lambda, int *stable);

#endif
