/* study.h - a job that is a study, in one process: its blocks one after another, their rows on the way as they are
 * done. */
#ifndef API_JOBS_STUDY_H
#define API_JOBS_STUDY_H

#include "api/jobs/job_hooks.h"
#include "api/jobs/outcome.h"

/* Of a model that was built with a study. Its arrays: parameters [runs x p], outputs [runs x m], status [runs]. */
void api_study_run(const mbs_model *model, const job_hooks *hooks, job_outcome *outcome);

#endif
