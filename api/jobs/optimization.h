/* optimization.h - a job that seeks the best values of parameters: an optimization, or a fit to data. */
#ifndef API_JOBS_OPTIMIZATION_H
#define API_JOBS_OPTIMIZATION_H

#include "api/jobs/job_hooks.h"
#include "api/jobs/outcome.h"

/* Of a model that was built with something to seek. Its arrays have a row a trial: parameters, outputs, objective,
 * violation, status; of a fit also residuals, a row a datum. */
void api_optimization_run(const mbs_model *model, const job_hooks *hooks, job_outcome *outcome);

#endif
