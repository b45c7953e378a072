/* dense_small.h - this project's own implementations of the functions of linalg/lapack.h: used for small matrices
 * (lapack.c) and, in builds without LAPACK, for all matrices (lapack_fallback.c). Arguments and results are the same as
 * there. */
#ifndef MBS_DENSE_SMALL_H
#define MBS_DENSE_SMALL_H

#include <stdbool.h>
#include <stddef.h>

size_t mbs_dense_workspace(size_t m, size_t n);
int mbs_dense_least_squares(size_t m, size_t n, double *A, const double *b, double rcond, double *x, double *workspace);
bool mbs_dense_singular_values(size_t m, size_t n, double *A, double *values, double *Vt, double *workspace);
bool mbs_dense_linear_solve(size_t n, double *A, double *b, double *workspace);
size_t mbs_dense_pivoted_columns(size_t m, size_t n, double *A, double rcond, int *order, double *workspace);
double mbs_dense_lu_factor(size_t n, double *A, int *pivots);
void mbs_dense_lu_solve(size_t n, size_t count, const double *factors, const int *pivots, double *B);
bool mbs_dense_symmetric_eigen(size_t n, double *A, double *values, double *workspace);
bool mbs_dense_general_eigen(size_t n, double *A, double *real, double *imaginary, double *V, double *workspace);
bool mbs_dense_tridiagonal_solve(size_t n, double *lower, double *diagonal, double *upper, size_t columns,
                                 double *right);

#endif
