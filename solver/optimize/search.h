/* search.h - an optimization while it goes on, as its methods see it.
 *
 * Methods work in coordinates x of the order of 1: a parameter with bounds is lower + x (upper - lower), another one
 * start + x |start|. */
#ifndef MBS_SEARCH_H
#define MBS_SEARCH_H

#include "optimize/trials.h"

typedef struct mbs_search {
  const struct mbs_plan *plan;
  mbs_trials *trials;
  mbs_arena *arena;
  size_t p;
  double *origin, *scale; /* [p] value = origin + scale x */
  double *low, *high;     /* [p] bounds of x, perhaps infinite */
  bool smooth;            /* derivatives are there */
  double cost_size;       /* what costs are measured by */
  char algorithms[64];    /* those that were used, in their order */
  const char *why;        /* these */
  size_t away;            /* the parameter that ran away without end; p: none */
  size_t looked_beside;   /* the row of the best trial beside which there are no better ones; SIZE_MAX: none yet */
} mbs_search;

/* How a method ended. */
typedef enum mbs_search_end {
  MBS_SEARCH_DONE,    /* by itself */
  MBS_SEARCH_STOPPED, /* no more trials are made */
  MBS_SEARCH_FAILED   /* it gave up, or came to the number of trials that it was allowed */
} mbs_search_end;

/* Values [p] for x, within their bounds to the bit, and at a bound where x is but for rounding; and back. */
void mbs_search_values(const mbs_search *search, const double *x, double *values);
void mbs_search_coordinates(const mbs_search *search, const double *values, double *x);

/* Remembers the name of an algorithm that is used. */
void mbs_search_uses(mbs_search *search, const char *algorithm);

/* ---- feasibility_restoration.c: puts the best trial onto the conditions that hold it, if that costs no more than
 * their violation was
 * worth. False: no more trials are made. */
bool mbs_search_restore_feasibility(mbs_search *search);

/* ---- nonlinear.c: an objective with conditions, by NLopt, from x [p]. */
mbs_search_end mbs_minimize_smooth(mbs_search *search, const double *x);
/* Without derivatives, with first steps of that length; by the other one of two methods, where there is one. */
mbs_search_end mbs_minimize_plain(mbs_search *search, const double *x, double step, bool other);
mbs_search_end mbs_minimize_everywhere(mbs_search *search, const double *x, size_t trials);

/* ---- least_squares.c: a fit, by cminpack. From x [p]. */
mbs_search_end mbs_fit(mbs_search *search, const double *x);
/* What the data tell of the parameters at the best trial, and their residuals. False: no memory. */
bool mbs_fit_examine(mbs_search *search, mbs_optimum *optimum);

#endif
