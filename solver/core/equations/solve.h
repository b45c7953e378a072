/* solve.h - accelerations and multipliers, and the factors they come from. */
#ifndef MBS_SOLVE_H
#define MBS_SOLVE_H

#include "equations/elimination.h"

/* Forces, h, M and its factors, S and its factors, then vdot and lambda; constraints must be there. */
mbs_status mbs_accelerate(mbs_system *system);
/* x [rows] := S^-1 x, by the factors of the last mbs_accelerate or mbs_factor. */
void mbs_solve_multipliers(mbs_system *system, double *x);
/* vdot = M^-1 (x - C' S^-1 C M^-1 x): the velocities that the generalized impulse x [nv] gives within the constraints,
 * by the same factors. Spoils w, rhsA, lambda. */
void mbs_solve_within(mbs_system *system, const double *x);
/* vdot and lambda of M v' - C' lambda = h [nv], C v' = rhsA [rows] (NULL: 0), by the same factors at the same position.
 * Spoils w, rhsA. */
void mbs_resolve(mbs_system *system, const double *h, const double *rhsA);
/* M, Z and S and their factors from positions and C. */
mbs_status mbs_factor(mbs_system *system);
/* vdot = M^-1 C' S^-1 missing [rows]: the change of the velocities that makes up for what their rates miss. Needs
 * positions and C; spoils h, rhsA, lambda. */
mbs_status mbs_solve_impulse(mbs_system *system, const double *missing);
/* After mbs_shift_masses(), with C: whether every freedom without inertia is held. MBS_SINGULAR_MASS, with the body
 * named, where forces on everything find one that is not, even if the model's own forces would leave it at rest. Spoils
 * h, rhsA, vdot, lambda. */
mbs_status mbs_probe_masses(mbs_system *system);
/* Whether S was near a loss of rank at the last factorization, for what is usual in the model. */
bool mbs_near_singular(const mbs_system *system);
/* The pivot ratio above which S is far from that, and solved with without refinement. */
double mbs_ordinary_ratio(const mbs_system *system);

#endif
