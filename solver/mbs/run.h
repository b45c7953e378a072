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
  /* Called regularly (at least every few hundred evaluations). Returning false stops the run with MBS_CANCELLED. */
  bool (*progress)(void *user, double t, double fraction, uint64_t evaluations);
  /* Returns seconds of a monotonic clock. If NULL, wall-clock limits have no effect. */
  double (*now)(void *user);
  /* Called after each row. The first `rows` rows of every array (all have a time axis) are then final and do not move
   * until mbs_run() returns. shape[0] is the number of rows of a complete run. Not called with error_estimate: arrays
   * are then complete only after the second run, when mbs_run() returns them. */
  void (*rows)(void *user, const struct mbs_result *result, size_t rows);
} mbs_hooks;

/* Runs the analysis of a model. On failure it returns the status and fills `error`; `*result` then contains everything
 * up to the failure. `*result` is NULL only if memory runs out. */
MBS_API mbs_status mbs_run(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result, mbs_error *error);
/* Runs the analysis `assembly` instead of the model's analysis, for the report on its corrected start. The arrays are
 * those of sensors, multipliers, reactions and forces. */
MBS_API mbs_status mbs_run_assembly_report(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result,
                                           mbs_error *error);

/* Returns the number of parameters for which the analysis requests derivatives. */
MBS_API size_t mbs_model_sensitivities(const mbs_model *model);
/* Adds the array `sensitivities` [rows x columns of uT x parameters] to the result of a completed run: the derivatives
 * of uT of the exact motion. Values without a derivative are NaN, and a note of the report gives the reason. Fails with
 * MBS_CANCELLED, MBS_TIMED_OUT or MBS_NO_MEMORY, and fills `error`. */
MBS_API mbs_status mbs_sensitivities(const mbs_model *model, const mbs_hooks *hooks, mbs_result *result,
                                     mbs_error *error);

#endif
