/* lapack_fallback.c - replaces lapack.c in builds without LAPACK: uses this project's own functions for every size. */
#include "linalg/dense_small.h"
#include "linalg/lapack.h"

size_t mbs_lapack_workspace(size_t m, size_t n) { return mbs_dense_workspace(m, n); }

int mbs_least_squares(size_t m, size_t n, double *A, const double *b, double rcond, double *x, double *workspace) {
  return mbs_dense_least_squares(m, n, A, b, rcond, x, workspace);
}

bool mbs_singular_values(size_t m, size_t n, double *A, double *values, double *Vt, double *workspace) {
  return mbs_dense_singular_values(m, n, A, values, Vt, workspace);
}

bool mbs_linear_solve(size_t n, double *A, double *b, double *workspace) {
  return mbs_dense_linear_solve(n, A, b, workspace);
}

size_t mbs_pivoted_columns(size_t m, size_t n, double *A, double rcond, int *order, double *workspace) {
  return mbs_dense_pivoted_columns(m, n, A, rcond, order, workspace);
}

double mbs_lu_factor(size_t n, double *A, int *pivots) { return mbs_dense_lu_factor(n, A, pivots); }

void mbs_lu_solve(size_t n, size_t count, const double *factors, const int *pivots, double *B) {
  mbs_dense_lu_solve(n, count, factors, pivots, B);
}

bool mbs_symmetric_eigen(size_t n, double *A, double *values, double *workspace) {
  return mbs_dense_symmetric_eigen(n, A, values, workspace);
}

bool mbs_general_eigen(size_t n, double *A, double *real, double *imaginary, double *V, double *workspace) {
  return mbs_dense_general_eigen(n, A, real, imaginary, V, workspace);
}

bool mbs_tridiagonal_solve(size_t n, double *lower, double *diagonal, double *upper, size_t columns, double *right) {
  return mbs_dense_tridiagonal_solve(n, lower, diagonal, upper, columns, right);
}
