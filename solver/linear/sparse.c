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

/* The smaller one of a ratio and that of a pivot to its scale. */
static double worse(double worst, double pivot, double scale) {
  double ratio = scale > 0 ? pivot / scale : 0;
  if (!(ratio > 0)) ratio = 0; /* NaN, which a zero pivot makes of rows after it, must not be forgotten */
  return ratio < worst ? ratio : worst;
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
    worst = worse(worst, d, scale[i]);
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

/* theory (8.17), row by row: y is row i, of which L_ik takes its share from the rows k has. Davis, LDL, ACM Trans.
 * Math. Software 31 (2005) */
double mbs_fill_factor(const mbs_fill *fill, size_t n, const double *S, const double *scale, double *L, double *inverse,
                       double *y, int *next) {
  double worst = 1;
  for (size_t i = 0; i < n; i++) {
    next[i] = fill->column0[i];
    for (int e = fill->start0[i]; e < fill->start0[i + 1]; e++)
      if (fill->starts[e] <= (int)i) y[fill->starts[e]] = S[e];
    double d = y[i];
    y[i] = 0;
    for (int p = fill->row0[i]; p < fill->row0[i + 1]; p++) {
      const int k = fill->left[p];
      const double value = y[k];
      y[k] = 0;
      /* y_j -= L_jk y_k of the rows k < j < i */
      for (int e = fill->column0[k]; e < next[k]; e++) y[fill->below[e]] -= L[e] * value;
      /* L_ik = y_k / D_k, D_i = S_ii - sum of y_k L_ik */
      const double factor = value * inverse[k];
      d -= value * factor;
      L[next[k]++] = factor;
    }
    inverse[i] = 1 / d;
    worst = worse(worst, d, scale[i]);
  }
  return worst;
}

void mbs_fill_solve(const mbs_fill *fill, size_t n, const double *L, const double *inverse, double *x) {
  /* x := L^-1 x, D^-1 x, L^-T x */
  for (size_t k = 0; k < n; k++)
    for (int e = fill->column0[k]; e < fill->column0[k + 1]; e++) x[fill->below[e]] -= L[e] * x[k];
  for (size_t k = 0; k < n; k++) x[k] *= inverse[k];
  for (size_t k = n; k-- > 0;) {
    double sum = x[k];
    for (int e = fill->column0[k]; e < fill->column0[k + 1]; e++) sum -= L[e] * x[fill->below[e]];
    x[k] = sum;
  }
}
