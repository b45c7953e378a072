/* sparse.h - the small factorizations used in each evaluation of the equations. They exploit the structure of a
 * mechanism; below order 40 or so a call of LAPACK costs more than the computation itself. All larger or rank-revealing
 * factorizations use lapack.h. */
#ifndef MBS_SPARSE_H
#define MBS_SPARSE_H

#include "base/real.h"
#include "model/model.h"

/* Factors M = L' D L in place with the sparsity pattern of the tree (Featherstone, Rigid Body Dynamics Algorithms,
 * 6.5). Row k then holds L at the positions of its ancestors, and inverse[n] holds 1 / D. Returns -1 on success, or the
 * first k whose pivot is not greater than `smallest` times the diagonal entry of M. */
int mbs_tree_factor(const mbs_tree_pattern *pattern, size_t n, mbs_real *M, mbs_real *inverse, double smallest);
/* Computes x := L^-T x, from the leaves to the root. */
void mbs_tree_solve_up(const mbs_tree_pattern *pattern, size_t n, const mbs_real *M, mbs_real *x);
/* Computes x := L^-1 x, from the root to the leaves. */
void mbs_tree_solve_down(const mbs_tree_pattern *pattern, size_t n, const mbs_real *M, mbs_real *x);

/* Factors S = L D L' in place, row by row within the skyline: the strict lower part becomes L, and inverse[n] = 1 / D.
 * Returns the smallest ratio of a pivot to scale[n], which is the value that the diagonal entry would have far from a
 * loss of rank (1 for n = 0). A scale of 0 counts as ratio 0. */
mbs_real mbs_skyline_factor(const mbs_skyline *skyline, size_t n, mbs_real *S, const mbs_real *scale,
                            mbs_real *inverse);
/* Computes x := S^-1 x. */
void mbs_skyline_solve(const mbs_skyline *skyline, size_t n, const mbs_real *S, const mbs_real *inverse, mbs_real *x);

/* Same factorization for systems with many rows: entries S [fill->entries], factors L [fill->size]. y [n] must be zero
 * on entry and is zero on return; next [n] is workspace. */
mbs_real mbs_fill_factor(const mbs_fill *fill, size_t n, const mbs_real *S, const mbs_real *scale, mbs_real *L,
                         mbs_real *inverse, mbs_real *y, int *next);
void mbs_fill_solve(const mbs_fill *fill, size_t n, const mbs_real *L, const mbs_real *inverse, mbs_real *x);

#endif
