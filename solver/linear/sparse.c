#include "linear/sparse.h"

/* theory (8.7) */
int mbs_tree_factor(const mbs_tree_pattern *pattern, size_t n, double *M, double *inverse, double smallest) {
  for (size_t k = 0; k < n; k++) /* remembers the diagonal, to judge the pivots */
    inverse[k] = M[pattern->row0[k] + pattern->depth[k]];
  for (size_t k = n; k-- > 0;) {
    double *row = M + pattern->row0[k];
    const int *ancestors = pattern->ancestors + pattern->row0[k];
    int depth = pattern->depth[k];
    double pivot = row[depth];
    if (!(pivot > smallest * inverse[k])) return (int)k;
    double reciprocal = 1 / pivot;
    inverse[k] = reciprocal;
    for (int a = depth - 1; a >= 0; a--) {
      /* L_ka = M_ka / D_k, M_ab -= L_ka M_kb */
      double factor = row[a] * reciprocal;
      double *upper = M + pattern->row0[ancestors[a]];
      for (int b = 0; b <= a; b++) upper[b] -= factor * row[b];
      row[a] = factor;
    }
  }
  return -1;
}

/* theory (8.8) */
void mbs_tree_solve_up(const mbs_tree_pattern *pattern, size_t n, const double *M, double *x) {
  for (size_t k = n; k-- > 0;) {
    const double *row = M + pattern->row0[k];
    const int *ancestors = pattern->ancestors + pattern->row0[k];
    /* x_a -= L_ka x_k */
    double value = x[k];
    for (int a = 0; a < pattern->depth[k]; a++) x[ancestors[a]] -= row[a] * value;
  }
}

void mbs_tree_solve_down(const mbs_tree_pattern *pattern, size_t n, const double *M, double *x) {
  for (size_t k = 0; k < n; k++) {
    const double *row = M + pattern->row0[k];
    const int *ancestors = pattern->ancestors + pattern->row0[k];
    /* x_k -= sum of L_ka x_a */
    double sum = x[k];
    for (int a = 0; a < pattern->depth[k]; a++) sum -= row[a] * x[ancestors[a]];
    x[k] = sum;
  }
}

/* theory (8.17) */
double mbs_skyline_factor(const mbs_skyline *skyline, size_t n, double *S, const double *scale, double *inverse) {
  double worst = 1;
  for (size_t i = 0; i < n; i++) {
    int first = skyline->first[i];
    double *row = S + skyline->row0[i] - first;
    /* y_j = S_ij - sum over k < j of y_k L_jk */
    for (int j = first; j < (int)i; j++) {
      const double *other = S + skyline->row0[j] - skyline->first[j];
      double sum = row[j];
      for (int k = first > skyline->first[j] ? first : skyline->first[j]; k < j; k++) sum -= row[k] * other[k];
      row[j] = sum;
    }
    /* L_ij = y_j / D_j, D_i = S_ii - sum of y_j L_ij */
    double d = row[i];
    for (int j = first; j < (int)i; j++) {
      double product = row[j];
      row[j] = product * inverse[j];
      d -= product * row[j];
    }
    inverse[i] = 1 / d;
    double ratio = scale[i] > 0 ? d / scale[i] : 0;
    if (!(ratio > 0)) ratio = 0; /* NaN, which a zero pivot makes of rows after it, must not be forgotten */
    if (ratio < worst) worst = ratio;
  }
  return worst;
}

void mbs_skyline_solve(const mbs_skyline *skyline, size_t n, const double *S, const double *inverse, double *x) {
  /* x := L^-1 x, D^-1 x, L^-T x */
  for (size_t i = 0; i < n; i++) {
    const double *row = S + skyline->row0[i] - skyline->first[i];
    double sum = x[i];
    for (int j = skyline->first[i]; j < (int)i; j++) sum -= row[j] * x[j];
    x[i] = sum;
  }
  for (size_t i = 0; i < n; i++) x[i] *= inverse[i];
  for (size_t i = n; i-- > 0;) {
    const double *row = S + skyline->row0[i] - skyline->first[i];
    double value = x[i];
    for (int j = skyline->first[i]; j < (int)i; j++) x[j] -= row[j] * value;
  }
}
