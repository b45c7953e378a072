#include "linear/lapack.h"

#include <string.h>

double mbs_determinant(size_t n, const double *A, double *workspace) {
  int *pivots = (int *)(void *)(workspace + n * n);
  double product = 1;
  memcpy(workspace, A, n * n * sizeof *A);
  /* +- product of U_kk, a sign for each exchange of rows */
  mbs_lu_factor(n, workspace, pivots);
  for (size_t k = 0; k < n; k++) product *= pivots[k] == (int)k + 1 ? workspace[k * n + k] : -workspace[k * n + k];
  return product;
}
