/* sparse.h - the small factorizations of an evaluation. They use the structure of a mechanism, and below order 40 or
 * so a call of LAPACK costs more than its work; everything larger or rank-revealing is LAPACK's (lapack.h). */
#ifndef MBS_SPARSE_H
#define MBS_SPARSE_H

#include "base/real.h"
#include "model/model.h"

/* M = L' D L with the pattern of the tree (Featherstone, Rigid Body Dynamics Algorithms, 6.5): in place, row k then
 * holds L in its ancestors' places; inverse[n] becomes 1 / D. Returns -1, or the first k whose pivot is not above
 * `smallest` times the diagonal of M. */
int mbs_tree_factor(const mbs_tree_pattern *pattern, size_t n, mbs_real *M, mbs_real *inverse, double smallest);
/* x := L^-T x, from the leaves to the root. */
void mbs_tree_solve_up(const mbs_tree_pattern *pattern, size_t n, const mbs_real *M, mbs_real *x);
/* x := L^-1 x, from the root to the leaves. */
void mbs_tree_solve_down(const mbs_tree_pattern *pattern, size_t n, const mbs_real *M, mbs_real *x);

/* S = L D L' in place, row by row within the skyline: strict lower part L, inverse[n] = 1 / D. Returns the smallest
 * ratio of a pivot to scale[n], what the diagonal would be far from a loss of rank (1 for n = 0); a scale of 0 counts
 * as ratio 0. */
mbs_real mbs_skyline_factor(const mbs_skyline *skyline, size_t n, mbs_real *S, const mbs_real *scale,
                            mbs_real *inverse);
/* x := S^-1 x. */
void mbs_skyline_solve(const mbs_skyline *skyline, size_t n, const mbs_real *S, const mbs_real *inverse, mbs_real *x);

/* The same of many rows, entries S [fill->entries], factors L [fill->size]; y [n] is zero before and after, next [n] is
 * workspace. */
mbs_real mbs_fill_factor(const mbs_fill *fill, size_t n, const mbs_real *S, const mbs_real *scale, mbs_real *L,
                         mbs_real *inverse, mbs_real *y, int *next);
void mbs_fill_solve(const mbs_fill *fill, size_t n, const mbs_real *L, const mbs_real *inverse, mbs_real *x);

#endif
