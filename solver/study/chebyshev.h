/* chebyshev.h - a function on an interval as a sum of Chebyshev polynomials (Trefethen, Approximation Theory and
 * Approximation Practice, 2013):
 *
 *   p(x) = c_0 + c_1 T_1(x) + ... + c_n T_n(x),   x from -1 to 1. */
#ifndef MBS_CHEBYSHEV_H
#define MBS_CHEBYSHEV_H

enum { MBS_CHEBYSHEV_MAX = 16 }; /* highest degree */

/* Returns node number `k` of degree n, a power of 2 up to 64, from -1 (k = 0) to 1 (k = n): -cos(k pi / n). Nodes of
 * half the degree are every second one. */
double mbs_chebyshev_node(int n, int k);
/* Computes the coefficients [n + 1] of the polynomial through values [n + 1] at the nodes; n is a power of 2. */
void mbs_chebyshev_fit(int n, const double *values, double *c);
double mbs_chebyshev_value(int n, const double *c, double x);
/* Computes the coefficients [n] of the derivative; n >= 1. */
void mbs_chebyshev_derivative(int n, const double *c, double *d);
/* Return the integrals of p and of p^2 over [-1, 1]. */
double mbs_chebyshev_integral(int n, const double *c);
double mbs_chebyshev_square_integral(int n, const double *c);
/* Finds the zeros at which p changes sign in (-1, 1), in ascending order, at most `most`. Returns their number. Of
 * three zeros within one search interval it finds one; the search intervals are pi/32 in the angle of the nodes, pi/64
 * above degree 8. */
int mbs_chebyshev_roots(int n, const double *c, int most, double *roots);

#endif
