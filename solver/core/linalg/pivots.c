/* pivots.c - quantities computed from the pivots of LU factors, with LAPACK or without. */
#include "linalg/lapack.h"

#include <math.h>
#include <string.h>

void mbs_pivot_range(size_t n, const double *factors, double *least, double *most) {
  for (size_t i = 0; i < n; i++) {
    const double pivot = fabs(factors[i * n + i]);
    *least = isfinite(pivot) ? fmin(*least, pivot) : 0;
    *most = fmax(*most, pivot);
  }
}

double mbs_pivot_ratio(size_t n, const double *factors) {
  double least = INFINITY, most = 0;
  mbs_pivot_range(n, factors, &least, &most);
  return n == 0 ? 1 : most > 0 ? least / most : 0;
}

double mbs_determinant(size_t n, const double *A, double *workspace) {
  int *pivots = (int *)(void *)(workspace + n * n);
  double product = 1;
  memcpy(workspace, A, n * n * sizeof *A);
  /* +- product of U_kk, with one change of sign for each row exchange */
  mbs_lu_factor(n, workspace, pivots);
  for (size_t k = 0; k < n; k++) product *= pivots[k] == (int)k + 1 ? workspace[k * n + k] : -workspace[k * n + k];
  return product;
}
