/* balance.h - the conditions of Karush, Kuhn and Tucker at a trial, and the multipliers that they go with.
 *
 * What follows is a function of Lagrange, L = f + sum_k lambda_k g_k, with f as a share of what costs are measured by
 * and each g_k as a share of what its condition compares. */
#ifndef MBS_BALANCE_H
#define MBS_BALANCE_H

#include "optimize/search.h"

typedef struct mbs_balance {
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
} mbs_balance;

/* Of a trial with slopes. False: there are none, or no memory. It goes on to hold when other trials are made. */
bool mbs_balance_open(mbs_balance *balance, mbs_search *search, const mbs_trial *trial);
/* Whether no direction leads to better values, as far as first derivatives tell. */
bool mbs_balance_holds(const mbs_balance *balance);
/* L of another trial that has outputs. */
double mbs_balance_value(const mbs_balance *balance, const mbs_trial *trial);
/* Whether parameter j is pressed against a bound: L rises away from it. */
bool mbs_balance_presses(const mbs_balance *balance, size_t j);
/* Whether active condition i, a number below active_count, is pressed against, or an equality. */
bool mbs_balance_needs(const mbs_balance *balance, size_t i);

#endif
