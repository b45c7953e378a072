/* householder.h - Householder reflections I - tau v v', v[0] = 1. Source: Golub & Van Loan, Matrix Computations, 4th
 * ed., 5.1. */
#ifndef MBS_HOUSEHOLDER_H
#define MBS_HOUSEHOLDER_H

#include <stddef.h>

/* sqrt(x'x) of x [n], without overflow or underflow in between. */
double mbs_euclidean_norm(size_t n, const double *x);

/* The reflection that makes (beta, 0, ..., 0) of x [n], n >= 1: beta replaces x[0], v[1..] the rest. Returns tau, 0
 * where there is nothing to reflect. Source: algorithm 5.1.1. */
double mbs_reflection(size_t n, double *x);

/* y [n] -= tau v (v'y); v[0] counts as 1, whatever stands there. Source: 5.1.4. */
void mbs_reflect(size_t n, const double *v, double tau, double *y);

#endif
