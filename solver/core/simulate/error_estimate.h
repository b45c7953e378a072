/* error_estimate.h - the difference from a second, finer run. */
#ifndef MBS_ERROR_ESTIMATE_H
#define MBS_ERROR_ESTIMATE_H

#include "mbs/run.h"
#include "model/model.h"

/* mbs_run() for a model with error_estimate: the run, then another at a tenth of its tolerances (rk4: at half its
 * step), whose difference is the estimate. That the second one cannot be had is a note in the report, not a failure;
 * but the host may cancel either. */
mbs_status mbs_run_twice(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result, mbs_error *error);

#endif
