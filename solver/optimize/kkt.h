/* kkt.h - the conditions of Karush, Kuhn and Tucker at a trial, and the multipliers that they go with.
 *
 * What follows is a function of Lagrange, L = f + sum_k lambda_k g_k, with f as a share of what costs are measured by
 * and each g_k as a share of what its condition compares. */
#ifndef MBS_KKT_H
#define MBS_KKT_H

#include "optimize/search.h"

typedef struct mbs_kkt {
  mbs_search *search;
  double *x;      /* [p] */
  size_t *free;   /* [free_count] parameters between their bounds */
  size_t *active; /* [active_count] conditions that hold them */
  double *lambda; /* [active_count] */
  double *slopes; /* [p] dL/dx */
  double *rows;   /* [active_count x p] dg/dx */
  double value;   /* L */
  double size;    /* the largest |df/dx|, and at least what counts as one */
  size_t free_count, active_count;
} mbs_kkt;

/* Of a trial with slopes. False: there are none, or no memory. It goes on to hold when other trials are made. */
bool mbs_kkt_open(mbs_kkt *kkt, mbs_search *search, const mbs_trial *trial);
/* Whether no direction leads to better values, as far as first derivatives tell. */
bool mbs_kkt_satisfied(const mbs_kkt *kkt);
/* L of another trial that has outputs. */
double mbs_kkt_lagrangian(const mbs_kkt *kkt, const mbs_trial *trial);
/* Whether parameter j is pressed against a bound: L rises away from it. */
bool mbs_kkt_bound_active(const mbs_kkt *kkt, size_t j);
/* Whether active condition i, a number below active_count, is pressed against, or an equality. */
bool mbs_kkt_constraint_active(const mbs_kkt *kkt, size_t i);

#endif
