/* elimination.h - the steps that accelerations and multipliers are found by (solve.h), with the factors in hand. */
#ifndef MBS_ELIMINATION_H
#define MBS_ELIMINATION_H

#include "equations/system.h"

/* A pivot of M below this share of its diagonal is none. */
static const double mbs_mass_floor = 1e-13;

/* x [nv] := L^-T x and x := L^-1 x, by the back end that the model's structure chose. */
void mbs_solve_up(mbs_system *system, mbs_real *x);
void mbs_solve_down(mbs_system *system, mbs_real *x);
/* Z = L^-T C' */
void mbs_transform_jacobian(mbs_system *system);
/* x [rows] := the factors of S to the power of -1 times x, in the order of the rows. */
void mbs_solve_factors(mbs_system *system, mbs_real *x);
/* out [nv] += Z x [rows]. */
void mbs_add_transformed(const mbs_system *system, const mbs_real *x, mbs_real *out);
/* out [nv] = M^-1 C' x [rows]. */
void mbs_spread_multipliers(mbs_system *system, const mbs_real *x, mbs_real *out);
/* missing [rows] = rhsA - Z' D^-1 w [nv]. */
void mbs_missing_accelerations(const mbs_system *system, const mbs_real *w, mbs_real *missing);

#endif
