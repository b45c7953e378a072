/* lcp.h - linear complementarity problems with bounds. */
#ifndef MBS_LCP_H
#define MBS_LCP_H

#include <stdbool.h>
#include <stddef.h>

/* Finds x [n] in [0, 1] with w = b + G x such that, for each i,
 *
 *     w_i = 0,   or x_i = 1 and w_i > 0,   or x_i = 0 and w_i < 0.
 *
 * G [n x n] is stored by rows and has a negative diagonal; an x_i whose diagonal entry is not negative is set to the
 * bound that the sign of its w requires. x holds the initial guess on entry and the solution on return; w [n] is
 * output. The method is projected Gauss-Seidel, which converges if -G is symmetric and positive semidefinite up to
 * positive factors of its columns. */
void mbs_lcp_solve(size_t n, const double *G, const double *b, double *x, double *w);

/* Finds z [n] >= 0 with w = q + M z >= 0 and z'w = 0, by Lemke's complementary pivoting. The pivots are those of q; z
 * and w solve the problem with `exact` [n] in place of q, which differs from it by small numbers that break ties. M
 * [n x n + 1] is stored by rows; its last column is the covering vector, any positive numbers. M, q [n] and `exact` are
 * destroyed. `labels` has 2 n + 1 elements. Returns false if the method ends on a ray, or after too many pivots. For a
 * copositive M, as of contacts at rest with friction, it ends at a solution unless rounding misleads it, which another
 * covering vector avoids. Source: Cottle, Pang, Stone, 4.4. */
bool mbs_lcp_lemke(size_t n, double *M, double *q, double *exact, double *z, int *labels);

#endif
