#include "linalg/sparse.h"

#include <assert.h>

/* theory (8.7) */
int mbs_tree_factor(const mbs_tree_pattern *pattern, size_t n, mbs_real *M, mbs_real *inverse, double smallest) {
  for (size_t k = 0; k < n; k++) /* save the diagonal, for the test of the pivots */
    inverse[k] = M[pattern->row0[k] + pattern->depth[k]];
  for (size_t k = n; k-- > 0;) {
    mbs_real *row = M + pattern->row0[k];
    const int *ancestors = pattern->ancestors + pattern->row0[k];
    int depth = pattern->depth[k];
    const mbs_real D = row[depth];
    if (mbs_any_not_above(D, smallest * inverse[k])) return (int)k;
    const mbs_real reciprocal = 1 / D;
    inverse[k] = reciprocal;
    for (int a = depth - 1; a >= 0; a--) {
      /* L_ka = M_ka / D_k, M_ab -= L_ka M_kb */
      mbs_real factor = row[a] * reciprocal;
      mbs_real *upper = M + pattern->row0[ancestors[a]];
      for (int b = 0; b <= a; b++) upper[b] -= factor * row[b];
      row[a] = factor;
    }
  }
  return -1;
}

/* theory (8.8) */
void mbs_tree_solve_up(const mbs_tree_pattern *pattern, size_t n, const mbs_real *M, mbs_real *x) {
  for (size_t k = n; k-- > 0;) {
    const mbs_real *row = M + pattern->row0[k];
    const int *ancestors = pattern->ancestors + pattern->row0[k];
    /* x_a -= L_ka x_k */
    mbs_real value = x[k];
    for (int a = 0; a < pattern->depth[k]; a++) x[ancestors[a]] -= row[a] * value;
  }
}

void mbs_tree_solve_down(const mbs_tree_pattern *pattern, size_t n, const mbs_real *M, mbs_real *x) {
  for (size_t k = 0; k < n; k++) {
    const mbs_real *row = M + pattern->row0[k];
    const int *ancestors = pattern->ancestors + pattern->row0[k];
    /* x_k -= sum of L_ka x_a */
    mbs_real sum = x[k];
    for (int a = 0; a < pattern->depth[k]; a++) sum -= row[a] * x[ancestors[a]];
    x[k] = sum;
  }
}

/* Returns the smaller of `worst` and the ratio of a pivot to its scale. */
static mbs_real worse(mbs_real worst, mbs_real D, mbs_real scale) {
  const mbs_real zero = MBS_ALL(0), ratio = mbs_if_positive(scale, D / scale, zero);
  /* keep NaN, which a zero pivot causes in later rows */
  return mbs_smaller(mbs_if_positive(ratio, ratio, zero), worst);
}

/* Same for two rows that both couple, as for a closed loop of hinges in the plane. */
static inline mbs_real factor_two(mbs_real S[3], const mbs_real scale[2], mbs_real inverse[2]) {
  const mbs_real product = S[1], first = 1 / S[0], factor = product * first, d = S[2] - product * factor;
  const mbs_real worst = worse(MBS_ALL(1), S[0], scale[0]);
  S[1] = factor;
  inverse[0] = first;
  inverse[1] = 1 / d;
  return worse(worst, d, scale[1]);
}

/* theory (8.17) */
mbs_real mbs_skyline_factor(const mbs_skyline *skyline, size_t n, mbs_real *S, const mbs_real *scale,
                            mbs_real *inverse) {
  if (n == 2 && skyline->first[1] == 0) return factor_two(S, scale, inverse);
  mbs_real worst = MBS_ALL(1);
  for (size_t i = 0; i < n; i++) {
    int first = skyline->first[i];
    mbs_real *row = S + skyline->row0[i] - first;
    /* y_j = S_ij - sum over k < j of y_k L_jk */
    for (int j = first; j < (int)i; j++) {
      const mbs_real *other = S + skyline->row0[j] - skyline->first[j];
      mbs_real sum = row[j];
      for (int k = first > skyline->first[j] ? first : skyline->first[j]; k < j; k++) sum -= row[k] * other[k];
      row[j] = sum;
    }
    /* L_ij = y_j / D_j, D_i = S_ii - sum of y_j L_ij */
    mbs_real d = row[i];
    for (int j = first; j < (int)i; j++) {
      mbs_real product = row[j];
      row[j] = product * inverse[j];
      d -= product * row[j];
    }
    inverse[i] = 1 / d;
    worst = worse(worst, d, scale[i]);
  }
  return worst;
}

void mbs_skyline_solve(const mbs_skyline *skyline, size_t n, const mbs_real *S, const mbs_real *inverse, mbs_real *x) {
  /* x := L^-1 x, D^-1 x, L^-T x */
  if (n == 2 && skyline->first[1] == 0) {
    const mbs_real second = (x[1] - S[1] * x[0]) * inverse[1];
    x[0] = x[0] * inverse[0] - S[1] * second;
    x[1] = second;
    return;
  }
  for (size_t i = 0; i < n; i++) {
    const mbs_real *row = S + skyline->row0[i] - skyline->first[i];
    mbs_real sum = x[i];
    for (int j = skyline->first[i]; j < (int)i; j++) sum -= row[j] * x[j];
    x[i] = sum;
  }
  for (size_t i = 0; i < n; i++) x[i] *= inverse[i];
  for (size_t i = n; i-- > 0;) {
    const mbs_real *row = S + skyline->row0[i] - skyline->first[i];
    mbs_real value = x[i];
    for (int j = skyline->first[i]; j < (int)i; j++) x[j] -= row[j] * value;
  }
}

/* theory (8.17), row by row: y holds row i; L_ik is subtracted for each row k that is nonzero in it. Davis, LDL, ACM
 * Trans. Math. Software 31 (2005) */
mbs_real mbs_fill_factor(const mbs_fill *fill, size_t n, const mbs_real *S, const mbs_real *scale, mbs_real *L,
                         mbs_real *inverse, mbs_real *y, int *next) {
  mbs_real worst = MBS_ALL(1);
  for (size_t i = 0; i < n; i++) {
    next[i] = fill->column0[i];
    for (int e = fill->start0[i]; e < fill->start0[i + 1]; e++)
      if (fill->starts[e] <= (int)i) y[fill->starts[e]] = S[e];
    mbs_real d = y[i];
    y[i] = MBS_ALL(0);
    for (int p = fill->row0[i]; p < fill->row0[i + 1]; p++) {
      const int k = fill->left[p];
      assert(k >= 0 && k < (int)i);
      const mbs_real value = y[k];
      y[k] = MBS_ALL(0);
      /* y_j -= L_jk y_k of the rows k < j < i */
      for (int e = fill->column0[k]; e < next[k]; e++) y[fill->below[e]] -= L[e] * value;
      /* L_ik = y_k / D_k, D_i = S_ii - sum of y_k L_ik */
      const mbs_real factor = value * inverse[k];
      d -= value * factor;
      L[next[k]++] = factor;
    }
    inverse[i] = 1 / d;
    worst = worse(worst, d, scale[i]);
  }
  return worst;
}

void mbs_fill_solve(const mbs_fill *fill, size_t n, const mbs_real *L, const mbs_real *inverse, mbs_real *x) {
  /* x := L^-1 x, D^-1 x, L^-T x */
  for (size_t k = 0; k < n; k++)
    for (int e = fill->column0[k]; e < fill->column0[k + 1]; e++) x[fill->below[e]] -= L[e] * x[k];
  for (size_t k = 0; k < n; k++) x[k] *= inverse[k];
  for (size_t k = n; k-- > 0;) {
    mbs_real sum = x[k];
    for (int e = fill->column0[k]; e < fill->column0[k + 1]; e++) sum -= L[e] * x[fill->below[e]];
    x[k] = sum;
  }
}
