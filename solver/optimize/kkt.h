/* kkt.h - Karush-Kuhn-Tucker conditions at a trial, and their multipliers.
 *
 * The Lagrangian is L = f + sum_k lambda_k g_k, with f relative to the scale of costs and each g_k relative to the
 * scale of its constraint. */
#ifndef MBS_KKT_H
#define MBS_KKT_H

#include "optimize/search.h"

typedef struct mbs_kkt {
  mbs_search *search;
  double *x;      /* [p] */
  size_t *free;   /* [free_count] parameters between their bounds */
  size_t *active; /* [active_count] active constraints */
  double *lambda; /* [active_count] */
  double *slopes; /* [p] dL/dx */
  double *rows;   /* [active_count x p] dg/dx */
  double value;   /* L */
  double size;    /* largest |df/dx|, at least the smallest one that counts */
  size_t free_count, active_count;
} mbs_kkt;

/* Computes the multipliers at a trial with derivatives. Returns false if there are none or if memory runs out. The
 * result remains valid when other trials are made. */
bool mbs_kkt_open(mbs_kkt *kkt, mbs_search *search, const mbs_trial *trial);
/* Returns true if the conditions hold: to first order, no feasible direction improves the objective. */
bool mbs_kkt_satisfied(const mbs_kkt *kkt);
/* Returns L at another trial with outputs. */
double mbs_kkt_lagrangian(const mbs_kkt *kkt, const mbs_trial *trial);
/* Returns true if the bound on parameter j is active: L increases into the feasible interval. */
bool mbs_kkt_bound_active(const mbs_kkt *kkt, size_t j);
/* Returns true if active constraint i < active_count is an equality or has a significant multiplier. */
bool mbs_kkt_constraint_active(const mbs_kkt *kkt, size_t i);

#endif
