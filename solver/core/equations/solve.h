/* solve.h - accelerations and multipliers, and the factors that determine them. */
#ifndef MBS_SOLVE_H
#define MBS_SOLVE_H

#include "equations/elimination.h"

/* Pivots of S below this share of their diagonal count as a loss of rank. */
static const double mbs_pivot_floor = 1e-9;

/* Computes forces, h, M and its factors, S and its factors, then vdot and lambda. The constraints must be computed. */
mbs_status mbs_accelerate(mbs_system *system);
/* Does that for given values of the laws that read accelerations or reactions. `factored`: the factors are those of
 * this position. */
mbs_status mbs_accelerate_given(mbs_system *system, bool factored);
/* Computes x [rows] := S^-1 x with the factors of the last mbs_accelerate or mbs_factor. */
void mbs_solve_multipliers(mbs_system *system, double *x);
/* Computes vdot = M^-1 (x - C' S^-1 C M^-1 x), the velocity change due to the generalized impulse x [nv] within the
 * constraints, with these factors. Overwrites w, rhsA, lambda. */
void mbs_solve_within(mbs_system *system, const double *x);
/* Solves M v' - C' lambda = h [nv], C v' = rhsA [rows] (NULL: 0) for vdot and lambda, with these factors at the same
 * position. Overwrites w, rhsA. */
void mbs_resolve(mbs_system *system, const double *h, const double *rhsA);
/* Computes x [rows] = S^-1 C M^-1 push, the multipliers that a force push [nv] needs with opposite sign. Overwrites
 * push; vdot and lambda keep their values. */
void mbs_solve_force_multipliers(mbs_system *system, double *push, double *x);
/* Computes M, Z and S and their factors from positions and C. */
mbs_status mbs_factor(mbs_system *system);
/* Computes vdot = M^-1 C' S^-1 missing [rows], the velocity change that removes the velocity residual `missing`. Needs
 * positions and C; overwrites h, rhsA, lambda. */
mbs_status mbs_solve_impulse(mbs_system *system, const double *missing);
/* Checks that the constraints hold every degree of freedom without inertia; called after mbs_shift_masses(), with C.
 * Returns MBS_SINGULAR_MASS, with the body named, if forces on all bodies find one that is not held, even if the
 * model's own forces would not move it. Overwrites h, rhsA, vdot, lambda. */
mbs_status mbs_probe_masses(mbs_system *system);
/* Returns true if S was near a loss of rank at the last factorization, compared with the model's usual pivots. */
bool mbs_near_singular(const mbs_system *system);
/* Returns the pivot ratio above which S is far from a loss of rank, and is solved without refinement. */
double mbs_ordinary_ratio(const mbs_system *system);

#endif
