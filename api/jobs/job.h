/* job.h - runs one job in a worker: from the text of a document to arrays, a report or an error. */
#ifndef API_JOBS_JOB_H
#define API_JOBS_JOB_H

#include "api/documents/document.h"
#include "api/jobs/job_hooks.h"
#include "api/jobs/outcome.h"
#include "api/jobs/verification.h"
#include "mbs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs the job of a request body: {"model": ..., "analysis": ...} or a bare model document. */
void api_job_run(const char *text, size_t size, const mbs_limits *limits, const job_hooks *hooks, job_outcome *outcome);
/* Runs the job of a body that was parsed from this text; frees the document. */
void api_job_run_document(api_document *document, const api_job_source *source, const job_hooks *hooks,
                          job_outcome *outcome);
/* Runs the job of a built model, which has its own limits, for this request body. If the source has no text, the result
 * is not compared with that of the other formulation. */
void api_job_run_model(const mbs_model *model, const api_job_source *source, const job_hooks *hooks,
                       job_outcome *outcome);

#endif
