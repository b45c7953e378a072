/* lapack.h - rank-revealing dense linear algebra. Uses LAPACK, and for small matrices this project's own functions
 * (lapack.c, dense/). A build without LAPACK (option MBS_OWN_DENSE) uses only these (lapack_fallback.c). Matrices are
 * column-major. */
#ifndef MBS_LAPACK_H
#define MBS_LAPACK_H

#include <stdbool.h>
#include <stddef.h>

/* Number of doubles of workspace that the functions below need for an m x n matrix. */
size_t mbs_lapack_workspace(size_t m, size_t n);

/* Computes into x [n] the minimum-norm solution of the least-squares problem min |A x - b|, with A [m x n] (destroyed)
 * and b [m] (unchanged). Singular values below `rcond` times the largest count as zero; for small matrices, and without
 * LAPACK, diagonal entries of R in a QR factorization with column pivoting. Returns the rank, or -1 if the iteration
 * failed. Source: LAPACK dgelsd. */
int mbs_least_squares(size_t m, size_t n, double *A, const double *b, double rcond, double *x, double *workspace);

/* Computes the singular values [min(m, n)] of A [m x n] (destroyed), in descending order, and if Vt != NULL the right
 * singular vectors as rows of Vt [n x n]. Returns false if the iteration failed. Source: LAPACK dgesvd. */
bool mbs_singular_values(size_t m, size_t n, double *A, double *values, double *Vt, double *workspace);

/* Solves A x = b in place, with A [n x n] (destroyed). Returns false if A is exactly singular. Source: LAPACK dgesv. */
bool mbs_linear_solve(size_t n, double *A, double *b, double *workspace);

/* Computes a QR factorization with column pivoting of A [m x n] (destroyed). order[n] lists the columns in pivot order,
 * the most independent first. Returns the rank: the number of diagonal entries of R that are at least `rcond` times the
 * first. Source: LAPACK dgeqp3. */
size_t mbs_pivoted_columns(size_t m, size_t n, double *A, double rcond, int *order, double *workspace);

/* Computes the LU factors of A [n x n] in place, with pivots[n]. Returns the ratio of the smallest to the largest
 * pivot: 0 if A is exactly singular, 1 for n = 0. Source: LAPACK dgetrf. */
double mbs_lu_factor(size_t n, double *A, int *pivots);
/* Returns the same ratio for given factors [n x n]. */
double mbs_pivot_ratio(size_t n, const double *factors);
/* Extends a range of magnitudes by the pivots of given factors [n x n]. Pivots that are not finite count as 0. */
void mbs_pivot_range(size_t n, const double *factors, double *least, double *most);
/* Solves A X = B with these factors, B [n x count] in place. Source: LAPACK dgetrs. */
void mbs_lu_solve(size_t n, size_t count, const double *factors, const int *pivots, double *B);

/* Computes the eigenvalues [n], in ascending order, of the symmetric matrix A [n x n]; the eigenvectors replace its
 * columns. Returns false if the iteration failed. Source: LAPACK dsyev. */
bool mbs_symmetric_eigen(size_t n, double *A, double *values, double *workspace);
/* Computes the eigenvalues [n] of A [n x n] (destroyed) and, as columns of V [n x n], the right eigenvectors in the
 * format of dgeev: for a conjugate pair the column of its first value is the real part, the next one the imaginary
 * part. Returns false if the iteration failed. Source: LAPACK dgeev. */
bool mbs_general_eigen(size_t n, double *A, double *real, double *imaginary, double *V, double *workspace);

/* Returns the determinant of A [n x n] (unchanged), stored by rows or by columns. `workspace` has n (n + 1) doubles.
 * Source: LAPACK dgetrf. */
double mbs_determinant(size_t n, const double *A, double *workspace);

/* Solves a tridiagonal system in place for `columns` right-hand sides [n x columns], with lower and upper [n - 1] and
 * diagonal [n] (all destroyed). Returns false if it is singular. The arguments are those of LAPACK's dgtsv. */
bool mbs_tridiagonal_solve(size_t n, double *lower, double *diagonal, double *upper, size_t columns, double *right);

#endif
