/* mbs/optimize.h - the best values of parameters. */
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

/* Why it stopped. */
typedef enum mbs_stop {
  MBS_STOP_CONVERGED,  /* no better values are near the best ones */
  MBS_STOP_LOCAL,      /* the same; but a search of all values was not finished */
  MBS_STOP_LIMIT,      /* as many trials were made as are allowed */
  MBS_STOP_INFEASIBLE, /* no trial satisfied the constraints */
  MBS_STOP_UNBOUNDED   /* a parameter without bounds ran away, and what is sought grew better all the way */
} mbs_stop;
/* Returns "converged", "local", "limit", "infeasible" or "unbounded". */
MBS_API const char *mbs_stop_word(mbs_stop stop);

/* A kind of failure of trials. */
typedef struct mbs_trial_failure {
  mbs_error error; /* of the first one */
  size_t count, first;
} mbs_trial_failure;

typedef struct mbs_optimum {
  mbs_result result; /* arrays with a row a trial: parameters, outputs, objective, violation, status; of a fit also
                        residuals of the best one, a row a datum; and what a run reports before it begins */
  size_t trials, limit;
  const mbs_trial_failure *failures; /* [failure_count] */
  size_t failure_count;
  bool has_best;
  size_t best; /* its row */
  mbs_stop stopped;
  bool interrupted;            /* by the host or by its limits, so that it did not stop by itself */
  const char *algorithm, *why; /* "SLSQP", and why that one */
  uint64_t evaluations;        /* of the equations of motion */
  size_t parameters;
  const bool *has_influence; /* [parameters] on an output, or on what is sought; NULL: there were no derivatives */
  /* Of a fit: what its data tell of the parameters at the best values. */
  bool fitted;
  const double *covariance;  /* [parameters x parameters] NaN where a parameter is at its bound; NULL: there is none */
  double residual_sd;        /* root of the sum over data less free parameters; NaN where there are no more */
  const double *combination; /* [parameters] that changes no datum; NULL: there is none, the data tell all apart */
  const bool *at_bound;      /* [parameters] */
  double wall_seconds;       /* the limit of all trials together; 0: none */
  const char *wall_name;
} mbs_optimum;

/* Returns the largest number of trials of the search that the model was built with ("optimize" or "fit" in its study);
 * 0: it has none. */
MBS_API size_t mbs_model_trials(const mbs_model *model);
/* Searches the best values of the parameters. It tries no values outside their bounds, and avoids values whose trial
 * fails. Each trial calls hooks->rows. Fails with MBS_INFEASIBLE, MBS_START_FAILED (no trial has outputs),
 * MBS_CANCELLED, MBS_TIMED_OUT, MBS_NO_MEMORY, or MBS_METHOD_NOT_BUILT in a build without optimization. On failure
 * it fills `error`, and `*out` holds what was found so far; `*out` is NULL only if memory runs out. */
MBS_API mbs_status mbs_optimize(const mbs_model *model, const mbs_hooks *hooks, mbs_optimum **out, mbs_error *error);
/* Frees an optimum. */
MBS_API void mbs_optimum_free(mbs_optimum *optimum);

#endif
