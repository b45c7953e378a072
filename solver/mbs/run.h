/* mbs/run.h - runs of a model. */
#ifndef MBS_MBS_RUN_H
#define MBS_MBS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mbs/api.h"
#include "mbs/model.h"
#include "mbs/result.h"
#include "mbs/status.h"

/* Functions of the host that a run calls. Each member may be NULL, and so may the hooks of each function below. */
typedef struct mbs_hooks {
  void *user;
  /* Called now and then (at the least every few hundred evaluations); false stops the run as MBS_CANCELLED. */
  bool (*progress)(void *user, double t, double fraction, uint64_t evaluations);
  /* Seconds on a monotonic clock; without it wall-clock limits do not count. */
  double (*now)(void *user);
  /* Called after each row: the first `rows` of every array that is there (all with time) are final and stay where they
   * are until mbs_run() returns. shape[0] is what a whole run fills. Not called with error_estimate, where arrays are
   * complete with the second run only: the host has all of them from mbs_run() itself. */
  void (*rows)(void *user, const struct mbs_result *result, size_t rows);
} mbs_hooks;

/* Runs the analysis of a model. On failure it returns the status and fills `error`; `*result` then holds everything
 * up to the failure. `*result` is NULL only if memory runs out. */
MBS_API mbs_status mbs_run(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result, mbs_error *error);
/* Runs the analysis `assembly`, whatever analysis the model was built for, for the report on its corrected start. The
 * arrays are those of sensors, multipliers, reactions and forces. */
MBS_API mbs_status mbs_run_start_alone(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result,
                                       mbs_error *error);

/* Returns the number of parameters whose derivatives the analysis asks for. */
MBS_API size_t mbs_model_sensitivities(const mbs_model *model);
/* Adds the array `sensitivities` [rows x columns of uT x parameters] to the result of a completed run: the
 * derivatives of uT, of the exact motion. It is NaN where there is no derivative; a note of the report then says
 * why. Fails with MBS_CANCELLED, MBS_TIMED_OUT or MBS_NO_MEMORY, and fills `error`. */
MBS_API mbs_status mbs_sensitivities(const mbs_model *model, const mbs_hooks *hooks, mbs_result *result,
                                     mbs_error *error);

#endif
