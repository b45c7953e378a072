/* schur.h - S = C M^-1 C' and C C', in skyline form or, of many rows, in one of least fill. */
#ifndef MBS_SCHUR_H
#define MBS_SCHUR_H

#include "equations/system.h"

/* S = values' diag(weights) values over the packed rows of C or Z, in skyline form; weights NULL: ones. With S_scale,
 * the largest diagonal of each block, so that a row that vanishes in some position shows. */
void mbs_assemble_schur(mbs_system *system, const mbs_real *values, const mbs_real *weights);

/* x [rows] := 0 in the rows that are left out as redundant. */
void mbs_zero_redundant(const mbs_system *system, mbs_real *x);

/* Its diagonal += share scale, as long as it is not factored. */
void mbs_shift_schur(mbs_system *system, double share);
/* Its factors, and the smallest ratio of a pivot to its scale; then x := S^-1 x, rows in the order of elimination. */
mbs_real mbs_factor_schur(mbs_system *system);
void mbs_solve_schur(const mbs_system *system, mbs_real *x);

#endif
