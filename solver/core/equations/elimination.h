/* elimination.h - steps of the solution for accelerations and multipliers (solve.h), with the current factors. */
#ifndef MBS_ELIMINATION_H
#define MBS_ELIMINATION_H

#include "equations/system.h"

/* A pivot of M below this share of its diagonal counts as zero. */
static const double mbs_mass_floor = 1e-13;

/* Computes x [nv] := L^-T x (up) and x := L^-1 x (down), with the back end chosen by the structure of the model. */
void mbs_solve_up(mbs_system *system, mbs_real *x);
void mbs_solve_down(mbs_system *system, mbs_real *x);
/* Computes Z = L^-T C'. */
void mbs_transform_jacobian(mbs_system *system);
/* Computes x [rows] := S^-1 x with the factors of S, in the order of the rows. */
void mbs_solve_factors(mbs_system *system, mbs_real *x);
/* Computes out [nv] += Z x [rows]. */
void mbs_add_transformed(const mbs_system *system, const mbs_real *x, mbs_real *out);
/* Computes out [nv] = M^-1 C' x [rows]. */
void mbs_spread_multipliers(mbs_system *system, const mbs_real *x, mbs_real *out);
/* Computes missing [rows] = rhsA - Z' D^-1 w [nv]. */
void mbs_missing_accelerations(const mbs_system *system, const mbs_real *w, mbs_real *missing);

#endif
