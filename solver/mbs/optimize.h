/* mbs/optimize.h - searches the best values of parameters. */
#ifndef MBS_MBS_OPTIMIZE_H
#define MBS_MBS_OPTIMIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/run.h"
#include "mbs/status.h"

/* The reason why a search stopped. */
typedef enum mbs_stop {
  MBS_STOP_CONVERGED,  /* no better values exist near the best ones */
  MBS_STOP_LOCAL,      /* no better values exist near the best ones, but a global search did not finish */
  MBS_STOP_LIMIT,      /* the allowed number of trials was reached */
  MBS_STOP_INFEASIBLE, /* no trial satisfied the constraints */
  MBS_STOP_UNBOUNDED   /* a parameter without bounds diverged, and the objective improved all the way */
} mbs_stop;
/* Returns "converged", "local", "limit", "infeasible" or "unbounded". */
MBS_API const char *mbs_stop_word(mbs_stop stop);

/* A kind of failure of trials, with its first occurrence. */
typedef struct mbs_trial_failure {
  mbs_error error; /* error of the first failed trial */
  size_t count, first;
} mbs_trial_failure;

typedef struct mbs_optimum {
  /* Arrays with one row per trial: parameters, outputs, objective, violation, status; for a fit also residuals of the
   * best trial, one row per datum; and the report before the start of a run. */
  mbs_result result;
  size_t trials, limit;
  const mbs_trial_failure *failures; /* [failure_count] */
  size_t failure_count;
  bool has_best;
  size_t best; /* index of the best row */
  mbs_stop stopped;
  bool interrupted;            /* stopped by the host or its limits, not by the algorithm */
  const char *algorithm, *why; /* for instance "SLSQP", and the reason for that choice */
  uint64_t evaluations;        /* evaluations of the equations of motion */
  size_t parameters;
  const bool
      *has_influence;   /* [parameters] influences an output or the objective; NULL: derivatives were not computed */
  const bool *at_bound; /* [parameters] a better value is beyond the parameter's bound; NULL: not known */
  /* Statistics of a fit at the best values. */
  bool fitted;
  const double *covariance; /* [parameters x parameters] NaN if a parameter is at its bound; NULL: none */
  double residual_sd; /* square root of sum / (data - free parameters); NaN if data are not more than free parameters */
  const double
      *combination;    /* [parameters] direction that changes no datum; NULL: none, the data determine all parameters */
  double wall_seconds; /* limit for all trials together; 0: none */
  const char *wall_name;
} mbs_optimum;

/* Returns the largest number of trials of the search that the model was built with ("optimize" or "fit" in its study),
 * or 0 without a search. */
MBS_API size_t mbs_model_trials(const mbs_model *model);
/* Searches the best values of the parameters. Trials stay within the bounds, and the search avoids values whose trial
 * fails. Each trial calls hooks->rows. Fails with MBS_INFEASIBLE, MBS_START_FAILED (no trial has outputs),
 * MBS_CANCELLED, MBS_TIMED_OUT, MBS_NO_MEMORY, or MBS_METHOD_NOT_BUILT in a build without optimization. On failure it
 * fills `error`, and `*out` contains the results so far; `*out` is NULL only if memory runs out. */
MBS_API mbs_status mbs_optimize(const mbs_model *model, const mbs_hooks *hooks, mbs_optimum **out, mbs_error *error);
/* Frees an optimum. */
MBS_API void mbs_optimum_free(mbs_optimum *optimum);

#endif
