/* lapack.h - rank-revealing dense algebra by LAPACK (OpenBLAS). Matrices are column-major. */
#ifndef MBS_LAPACK_H
#define MBS_LAPACK_H

#include <stdbool.h>
#include <stddef.h>

/* Doubles of work space that the functions below need for an m x n matrix. */
size_t mbs_lapack_work(size_t m, size_t n);

/* Of all x that minimize norm(A x - b), A [m x n] (destroyed), the one of minimum norm, into x [n]. Singular values
 * below `rcond` times the largest count as zero. Returns the rank, or -1 when the iteration failed. b [m] is kept.
 * Source: LAPACK dgelsd. */
int mbs_least_squares(size_t m, size_t n, double *A, const double *b, double rcond, double *x, double *work);

/* Singular values [min(m, n)], descending, of A [m x n] (destroyed); with Vt != NULL the right singular vectors as rows
 * of Vt [n x n]. False when the iteration failed. Source: LAPACK dgesvd. */
bool mbs_singular_values(size_t m, size_t n, double *A, double *values, double *Vt, double *work);

/* Solves A x = b, A [n x n] (destroyed), in place. False where A is exactly singular. Source: LAPACK dgesv. */
bool mbs_linear_solve(size_t n, double *A, double *b, double *work);

#endif
