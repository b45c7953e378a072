/* static_equilibrium.h - finds a static equilibrium of a constrained system. */
#ifndef MBS_STATIC_EQUILIBRIUM_H
#define MBS_STATIC_EQUILIBRIUM_H

#include "run/run.h"

/* Stability of a relative equilibrium whose stiffness changes along the steady motion. */
enum { MBS_STABILITY_PERIODIC = -2 };

/* Finds an equilibrium from run->q, with drivers held at their positions at t_start: at rest (v = 0, v' = 0), or
 * relative to the motion of steady joints at the start (run->v):
 *
 *   h(q, v) - M v' + C' lambda = 0,   Phi(q) = 0.
 *
 * Stores it in run->q, lambda [rows], run->v and the system's vdot; the system's drivers stay held. Steps go where the
 * forces do work, so that the result is a stable equilibrium unless the start is an unstable one. Sets *stable by the
 * stiffness there, which decides if forces are conservative: 1 stable, 0 unstable, -1 a degree of freedom without
 * stiffness, or MBS_STABILITY_PERIODIC. Fails with MBS_NO_EQUILIBRIUM, naming the unbalanced coordinate, or what
 * prevents the steady motion or depends on it. */
mbs_status mbs_find_equilibrium(mbs_run_state *run, double *lambda, int *stable);

#endif
