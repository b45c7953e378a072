/* dense.h - the functions of linalg/lapack.h as a table, so that two implementations can be compared. */
#ifndef TEST_DENSE_H
#define TEST_DENSE_H

#include "linalg/lapack.h"

typedef struct dense_functions {
  size_t (*workspace)(size_t m, size_t n);
  int (*least_squares)(size_t m, size_t n, double *A, const double *b, double rcond, double *x, double *workspace);
  bool (*singular_values)(size_t m, size_t n, double *A, double *values, double *Vt, double *workspace);
  bool (*linear_solve)(size_t n, double *A, double *b, double *workspace);
  size_t (*pivoted_columns)(size_t m, size_t n, double *A, double rcond, int *order, double *workspace);
  double (*lu_factor)(size_t n, double *A, int *pivots);
  void (*lu_solve)(size_t n, size_t count, const double *factors, const int *pivots, double *B);
  bool (*symmetric_eigen)(size_t n, double *A, double *values, double *workspace);
  bool (*general_eigen)(size_t n, double *A, double *real, double *imaginary, double *V, double *workspace);
  bool (*tridiagonal_solve)(size_t n, double *lower, double *diagonal, double *upper, size_t columns, double *right);
} dense_functions;

/* Functions of LAPACK, and those of solver/core/linalg/dense. */
extern const dense_functions lapack_dense, own_dense;

#endif
