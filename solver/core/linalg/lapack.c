/* lapack.c - uses LAPACK for large matrices and this project's own functions for small ones. For those sizes they are
 * as fast or faster where it matters, and their results are identical on every kind of CPU and in the web page, unlike
 * those of OpenBLAS. */
#include "linalg/lapack.h"

#include "linalg/dense_small.h"

#include <math.h>
#include <string.h>

/* LAPACK's Fortran interface; lengths of the character arguments come last. */
extern void dgelsd_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
                    double *s, const double *rcond, int *rank, double *workspace, const int *lwork, int *iwork,
                    int *info);
extern void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda,
                    double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *workspace,
                    const int *lwork, int *info, size_t jobu_length, size_t jobvt_length);
extern void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb,
                   int *info);
extern void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau, double *workspace,
                    const int *lwork, int *info);
extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *ipiv,
                    double *b, const int *ldb, int *info, size_t trans_length);
extern void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
                   double *workspace, const int *lwork, int *info, size_t jobz_length, size_t uplo_length);
extern void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr,
                   double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr, double *workspace,
                   const int *lwork, int *info, size_t jobvl_length, size_t jobvr_length);

/* Matrices with at most this many rows or at most this many columns are small. */
#ifndef MBS_OWN_UP_TO
#define MBS_OWN_UP_TO 32
#endif
static size_t smaller(size_t m, size_t n) { return m < n ? m : n; }
static bool is_small(size_t m, size_t n) { return smaller(m, n) <= MBS_OWN_UP_TO; }

/* Bounds from LAPACK's documentation for smlsiz = 25, rounded up generously: dgelsd needs 12 k + 2 k 25 + 8 k nlvl + k
 * + 26^2 doubles and 3 k nlvl + 11 k integers (k = min(m, n), nlvl < 32), dgesvd needs 5 max(m, n). */
static size_t scratch_size(size_t k, size_t big) { return 12 * k + 50 * k + 8 * 32 * k + k + 700 + 6 * big; }
static size_t integer_size(size_t k) { return 3 * 32 * k + 11 * k + 16; }

size_t mbs_lapack_workspace(size_t m, size_t n) {
  size_t k = smaller(m, n), big = m < n ? n : m;
  size_t size = scratch_size(k, big) + integer_size(k) / 2 + big + 2 * k + 16 + n;
  /* workspace for the largest small matrix within an m x n one */
  size_t low = mbs_dense_workspace(smaller(m, MBS_OWN_UP_TO), n),
         high = mbs_dense_workspace(m, smaller(n, MBS_OWN_UP_TO));
  size_t own = low < high ? high : low;
  return own < size ? size : own;
}

int mbs_least_squares(size_t m, size_t n, double *A, const double *b, double rcond, double *x, double *workspace) {
  if (is_small(m, n)) return mbs_dense_least_squares(m, n, A, b, rcond, x, workspace);
  size_t k = smaller(m, n), big = m < n ? n : m;
  int rows = (int)m, columns = (int)n, one = 1, ldb = (int)big, rank = 0, info = 0;
  double *rhs = workspace, *singular = rhs + big, *scratch = singular + k;
  int lwork = (int)scratch_size(k, big);
  int *integers = (int *)(void *)(scratch + lwork);
  memset(rhs, 0, big * sizeof *rhs);
  memcpy(rhs, b, m * sizeof *b);
  /* x = A+ b, with singular values below rcond taken as zero */
  dgelsd_(&rows, &columns, &one, A, &rows, rhs, &ldb, singular, &rcond, &rank, scratch, &lwork, integers, &info);
  memcpy(x, rhs, n * sizeof *x);
  return info == 0 ? rank : -1;
}

bool mbs_singular_values(size_t m, size_t n, double *A, double *values, double *Vt, double *workspace) {
  if (is_small(m, n)) return mbs_dense_singular_values(m, n, A, values, Vt, workspace);
  size_t k = smaller(m, n), big = m < n ? n : m;
  int rows = (int)m, columns = (int)n, one = 1, info = 0;
  int lwork = (int)scratch_size(k, big);
  /* A = U diag(values) V' */
  dgesvd_("N", Vt ? "A" : "N", &rows, &columns, A, &rows, values, NULL, &one, Vt, Vt ? &columns : &one, workspace,
          &lwork, &info, 1, 1);
  return info == 0;
}

bool mbs_linear_solve(size_t n, double *A, double *b, double *workspace) {
  if (is_small(n, n)) return mbs_dense_linear_solve(n, A, b, workspace);
  int order = (int)n, one = 1, info = 0;
  dgesv_(&order, &one, A, &order, (int *)(void *)workspace, b, &order, &info);
  return info == 0;
}

size_t mbs_pivoted_columns(size_t m, size_t n, double *A, double rcond, int *order, double *workspace) {
  if (is_small(m, n)) return mbs_dense_pivoted_columns(m, n, A, rcond, order, workspace);
  size_t k = smaller(m, n), rank = 0;
  int rows = (int)m, columns = (int)n, lwork = (int)scratch_size(k, m < n ? n : m), info = 0;
  memset(order, 0, n * sizeof *order); /* no column is fixed in advance */
  /* A P = Q R */
  dgeqp3_(&rows, &columns, A, &rows, order, workspace, workspace + k, &lwork, &info);
  for (size_t j = 0; j < n; j++) order[j]--;
  while (rank < k && fabs(A[rank * m + rank]) > rcond * fabs(A[0])) rank++;
  return rank;
}

double mbs_lu_factor(size_t n, double *A, int *pivots) {
  if (is_small(n, n)) return mbs_dense_lu_factor(n, A, pivots);
  int order = (int)n, info = 0;
  /* P A = L U; least |U_ii| / largest */
  dgetrf_(&order, &order, A, &order, pivots, &info);
  return mbs_pivot_ratio(n, A);
}

void mbs_lu_solve(size_t n, size_t count, const double *factors, const int *pivots, double *B) {
  if (is_small(n, n)) {
    mbs_dense_lu_solve(n, count, factors, pivots, B);
    return;
  }
  int order = (int)n, columns = (int)count, info = 0;
  if (count) dgetrs_("N", &order, &columns, factors, &order, pivots, B, &order, &info, 1);
}

bool mbs_symmetric_eigen(size_t n, double *A, double *values, double *workspace) {
  if (is_small(n, n)) return mbs_dense_symmetric_eigen(n, A, values, workspace);
  int order = (int)n, lwork = (int)scratch_size(n, n), info = 0;
  dsyev_("V", "U", &order, A, &order, values, workspace, &lwork, &info, 1, 1);
  return info == 0;
}

bool mbs_general_eigen(size_t n, double *A, double *real, double *imaginary, double *V, double *workspace) {
  if (is_small(n, n)) return mbs_dense_general_eigen(n, A, real, imaginary, V, workspace);
  int order = (int)n, one = 1, lwork = (int)scratch_size(n, n), info = 0;
  dgeev_("N", "V", &order, A, &order, real, imaginary, NULL, &one, V, &order, workspace, &lwork, &info, 1, 1);
  return info == 0;
}

/* Uses the own function for every size, so that results for splines do not depend on the number of points. */
bool mbs_tridiagonal_solve(size_t n, double *lower, double *diagonal, double *upper, size_t columns, double *right) {
  return mbs_dense_tridiagonal_solve(n, lower, diagonal, upper, columns, right);
}
