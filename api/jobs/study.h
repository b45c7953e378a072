/* study.h - runs a job that is a study: makes its blocks one after another and passes on their rows. If that takes
 * longer than a moment, other processes make blocks too, provided that the hooks offer them. */
#ifndef API_JOBS_STUDY_H
#define API_JOBS_STUDY_H

#include "api/jobs/job_hooks.h"
#include "api/jobs/outcome.h"

/* Runs the job of a model that was built with a study. Its arrays: parameters [runs x p], outputs [runs x m], status
 * [runs]. */
void api_study_run(const mbs_model *model, const job_hooks *hooks, job_outcome *outcome);

#endif
