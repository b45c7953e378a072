/* optimization.h - runs a job that seeks the best values of parameters: an optimization or a fit to data. */
#ifndef API_JOBS_OPTIMIZATION_H
#define API_JOBS_OPTIMIZATION_H

#include "api/jobs/job_hooks.h"
#include "api/jobs/outcome.h"

/* Runs the job of a model that was built with an objective or data. Its arrays have one row for each trial: parameters,
 * outputs, objective, violation, status; a fit also has residuals, one row for each datum. */
void api_optimization_run(const mbs_model *model, const job_hooks *hooks, job_outcome *outcome);

#endif
