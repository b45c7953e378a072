/* lcp.h - complementarity between bounds. */
#ifndef MBS_LCP_H
#define MBS_LCP_H

#include <stddef.h>

/* Finds x [n] between 0 and 1 with w = b + G x such that
 *
 *     w_i = 0,   or x_i = 1 and w_i > 0,   or x_i = 0 and w_i < 0,
 *
 * G [n x n] row by row, its diagonal negative; x_i with a diagonal that is not goes to the bound that its w asks for.
 * x holds where to start, and becomes the solution; w [n]. By projected Gauss-Seidel sweeps, which converge where -G is
 * symmetric and semidefinite, but for positive factors of its columns. */
void mbs_lcp_solve(size_t n, const double *G, const double *b, double *x, double *w);

#endif
