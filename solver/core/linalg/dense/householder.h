/* householder.h - Householder reflections I - tau v v', v[0] = 1. Source: Golub & Van Loan, Matrix Computations, 4th
 * ed., 5.1. */
#ifndef MBS_HOUSEHOLDER_H
#define MBS_HOUSEHOLDER_H

#include <stddef.h>

/* Returns sqrt(x'x) of x [n], without intermediate overflow or underflow. */
double mbs_euclidean_norm(size_t n, const double *x);

/* Computes the reflection that maps x [n], n >= 1, to (beta, 0, ..., 0): beta replaces x[0], and v[1..] replaces the
 * rest. Returns tau, which is 0 if no reflection is necessary. Source: algorithm 5.1.1. */
double mbs_reflection(size_t n, double *x);

/* Computes y [n] -= tau v (v'y); v[0] counts as 1 and is not read. Source: 5.1.4. */
void mbs_reflect(size_t n, const double *v, double tau, double *y);

#endif
