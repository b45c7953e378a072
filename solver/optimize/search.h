/* search.h - state of an optimization, shared by its methods.
 *
 * Methods work in coordinates x of the order of 1. A parameter with two bounds is lower + x (upper - lower); any other
 * is start + x |start|. */
#ifndef MBS_SEARCH_H
#define MBS_SEARCH_H

#include "optimize/trials.h"

typedef struct mbs_search {
  const struct mbs_plan *plan;
  mbs_trials *trials;
  mbs_arena *arena;
  size_t p;
  double *origin, *scale; /* [p] value = origin + scale x */
  double *low, *high;     /* [p] bounds of x, may be infinite */
  bool smooth;            /* derivatives are available */
  double cost_size;       /* scale of costs */
  char algorithms[64];    /* names of the algorithms used, in order */
  const char *why;        /* reason for these algorithms */
  size_t away;            /* parameter that diverged; p: none */
  size_t polled_row;      /* row of the best trial around which polling found no better one; SIZE_MAX: none yet */
} mbs_search;

/* Result of a method. */
typedef enum mbs_search_end {
  MBS_SEARCH_DONE,    /* converged */
  MBS_SEARCH_STOPPED, /* the search must end */
  MBS_SEARCH_FAILED   /* failure, or all allowed trials used */
} mbs_search_end;

/* values: computes values [p] from x, within their bounds exactly, and at a bound if x is there up to rounding.
 * coordinates: computes x from values. */
void mbs_search_values(const mbs_search *search, const double *x, double *values);
void mbs_search_coordinates(const mbs_search *search, const double *values, double *x);

/* Records the name of an algorithm. */
void mbs_search_add_algorithm(mbs_search *search, const char *algorithm);

/* ---- feasibility_restoration.c ----
 * Moves the best trial onto its active constraints, if the cost rises by at most the worth of the violation. Returns
 * false if the search must end. */
bool mbs_search_restore_feasibility(mbs_search *search);

/* ---- nonlinear.c: an objective with constraints, by NLopt ----
 * Each function minimizes from x [p]. */
mbs_search_end mbs_minimize_smooth(mbs_search *search, const double *x);
/* Work without derivatives. derivative_free: starts with steps of this length; `other` selects the second of two
 * methods, if there are two. global: searches within the bounds with at most `trials` trials. */
mbs_search_end mbs_minimize_derivative_free(mbs_search *search, const double *x, double step, bool other);
mbs_search_end mbs_minimize_global(mbs_search *search, const double *x, size_t trials);

/* ---- least_squares.c: fits, by cminpack ----
 * Fits the data from x [p]. */
mbs_search_end mbs_fit(mbs_search *search, const double *x);
/* Computes what the data determine about the parameters at the best trial: covariance or dependent combination. Returns
 * false if memory runs out. */
bool mbs_fit_analyze(mbs_search *search, mbs_optimum *optimum);

#endif
