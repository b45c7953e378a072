/* schur.h - S = C M^-1 C' and C C', in skyline form or, for many rows, in a form of least fill. */
#ifndef MBS_SCHUR_H
#define MBS_SCHUR_H

#include "equations/system.h"

/* Assembles S = values' diag(weights) values over the packed rows of C or Z, in skyline form; weights NULL: ones. Also
 * computes S_scale, the largest diagonal of each block, by which a row that vanishes at some position is detected. */
void mbs_assemble_schur(mbs_system *system, const mbs_real *values, const mbs_real *weights);

/* Sets x [rows] to zero in the redundant rows of blocks that are in use. */
void mbs_zero_redundant(const mbs_system *system, mbs_real *x);

/* Adds share * scale to the diagonal of S, which must not be factored yet. */
void mbs_shift_schur(mbs_system *system, double share);
/* mbs_factor_schur() factors S and returns the smallest ratio of a pivot to its scale. mbs_solve_schur() computes x :=
 * S^-1 x, rows in the order of elimination. */
mbs_real mbs_factor_schur(mbs_system *system);
void mbs_solve_schur(const mbs_system *system, mbs_real *x);

#endif
