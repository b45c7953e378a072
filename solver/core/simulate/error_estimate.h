/* error_estimate.h - estimates errors by the difference from a second, finer run. */
#ifndef MBS_ERROR_ESTIMATE_H
#define MBS_ERROR_ESTIMATE_H

#include "mbs/run.h"
#include "model/model.h"

/* Runs a model with error_estimate: mbs_run(), then a second run at a tenth of its tolerances (rk4: at half its step).
 * The difference is the estimate. If the second run fails, the report has a note; but the host may cancel either
 * run. */
mbs_status mbs_run_twice(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result, mbs_error *error);

#endif
