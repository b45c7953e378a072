/* lapack.h - rank-revealing dense algebra, by LAPACK and, with small matrices, by functions of our own (lapack.c,
 * dense/); where there is no LAPACK, by these alone (lapack_fallback.c), which a build chooses with MBS_OWN_DENSE. Matrices
 * are column-major. */
#ifndef MBS_LAPACK_H
#define MBS_LAPACK_H

#include <stdbool.h>
#include <stddef.h>

/* Doubles of workspace that the functions below need for an m x n matrix. */
size_t mbs_lapack_workspace(size_t m, size_t n);

/* Of all x that minimize norm(A x - b), A [m x n] (destroyed), the one of minimum norm, into x [n]. Singular values
 * below `rcond` times the largest count as zero; of our own, diagonal entries of R in a QR with column pivoting.
 * Returns the rank, or -1 when the iteration failed. b [m] is kept. Source: LAPACK dgelsd. */
int mbs_least_squares(size_t m, size_t n, double *A, const double *b, double rcond, double *x, double *workspace);

/* Singular values [min(m, n)], descending, of A [m x n] (destroyed); with Vt != NULL the right singular vectors as rows
 * of Vt [n x n]. False when the iteration failed. Source: LAPACK dgesvd. */
bool mbs_singular_values(size_t m, size_t n, double *A, double *values, double *Vt, double *workspace);

/* Solves A x = b, A [n x n] (destroyed), in place. False where A is exactly singular. Source: LAPACK dgesv. */
bool mbs_linear_solve(size_t n, double *A, double *b, double *workspace);

/* QR with column pivoting of A [m x n] (destroyed): order[n] lists the columns, the most independent first. Returns the
 * rank: how many diagonal entries of R are not below `rcond` times the first. Source: LAPACK dgeqp3. */
size_t mbs_pivoted_columns(size_t m, size_t n, double *A, double rcond, int *order, double *workspace);

/* LU factors of A [n x n] in place, with pivots[n]. Returns the ratio of the smallest to the largest pivot, 0 where A
 * is exactly singular, 1 for n = 0. Source: LAPACK dgetrf. */
double mbs_lu_factor(size_t n, double *A, int *pivots);
/* That ratio, of factors [n x n]. */
double mbs_pivot_ratio(size_t n, const double *factors);
/* Solves A X = B by these factors, B [n x count] in place. Source: LAPACK dgetrs. */
void mbs_lu_solve(size_t n, size_t count, const double *factors, const int *pivots, double *B);

/* Eigenvalues [n], ascending, of the symmetric A [n x n], whose columns become the eigenvectors. False when the
 * iteration failed. Source: LAPACK dsyev. */
bool mbs_symmetric_eigen(size_t n, double *A, double *values, double *workspace);
/* Eigenvalues [n] of A [n x n] (destroyed), and as columns of V [n x n] the right eigenvectors as dgeev packs them: for
 * a conjugate pair the column of its first value is the real part, the next the imaginary part. False when the
 * iteration failed. Source: LAPACK dgeev. */
bool mbs_general_eigen(size_t n, double *A, double *real, double *imaginary, double *V, double *workspace);

/* Determinant of A [n x n], which is kept, by rows or by columns. `workspace`: n (n + 1) doubles. Source: LAPACK
 * dgetrf. */
double mbs_determinant(size_t n, const double *A, double *workspace);

/* Solves a tridiagonal system for `columns` right sides [n x columns], in place: lower and upper [n - 1], diagonal [n]
 * (all destroyed). False where it is singular. Arguments are those of LAPACK's dgtsv. */
bool mbs_tridiagonal_solve(size_t n, double *lower, double *diagonal, double *upper, size_t columns, double *right);

#endif
