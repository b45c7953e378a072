/* study.h - a job that is a study: its blocks one after another, their rows on the way as they are done. They are made
 * in this process, and once that takes longer than a moment by others as well, where the hooks have them. */
#ifndef API_JOBS_STUDY_H
#define API_JOBS_STUDY_H

#include "api/jobs/job_hooks.h"
#include "api/jobs/outcome.h"

/* Of a model that was built with a study. Its arrays: parameters [runs x p], outputs [runs x m], status [runs]. */
void api_study_run(const mbs_model *model, const job_hooks *hooks, job_outcome *outcome);

#endif
