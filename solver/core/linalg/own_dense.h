/* own_dense.h - the functions of linear/lapack.h, of our own: with small matrices (lapack.c) and, where there is no
 * LAPACK, with all (no_lapack.c). Arguments and results are those of the functions there. */
#ifndef MBS_OWN_DENSE_H
#define MBS_OWN_DENSE_H

#include <stdbool.h>
#include <stddef.h>

size_t mbs_own_workspace(size_t m, size_t n);
int mbs_own_least_squares(size_t m, size_t n, double *A, const double *b, double rcond, double *x, double *workspace);
bool mbs_own_singular_values(size_t m, size_t n, double *A, double *values, double *Vt, double *workspace);
bool mbs_own_linear_solve(size_t n, double *A, double *b, double *workspace);
size_t mbs_own_pivoted_columns(size_t m, size_t n, double *A, double rcond, int *order, double *workspace);
double mbs_own_lu_factor(size_t n, double *A, int *pivots);
void mbs_own_lu_solve(size_t n, size_t count, const double *factors, const int *pivots, double *B);
bool mbs_own_symmetric_eigen(size_t n, double *A, double *values, double *workspace);
bool mbs_own_general_eigen(size_t n, double *A, double *real, double *imaginary, double *V, double *workspace);
bool mbs_own_tridiagonal_solve(size_t n, double *lower, double *diagonal, double *upper, size_t columns, double *right);

#endif
