/* job.c - see job.h. */
#include "api/jobs/job.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"
#include "api/jobs/build.h"
#include "api/jobs/optimization.h"
#include "api/jobs/result_stream.h"
#include "api/jobs/study.h"
#include "api/jobs/verification.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fraction of the work of a job with sensitivities that the run itself takes, approximately. */
static const double sensitive_share = 0.1;

static void finish(job_outcome *outcome, const char *status, json_t *error) {
  assert(!outcome->error && strlen(status) < sizeof outcome->status);
  snprintf(outcome->status, sizeof outcome->status, "%s", status);
  outcome->error = error ? api_json_string(error) : NULL;
}

void api_job_run_model(const mbs_model *model, const api_job_source *source, const job_hooks *hooks,
                       job_outcome *outcome) {
  if (mbs_model_runs(model) > 0) {
    api_study_run(model, hooks, outcome);
    return;
  }
  if (mbs_model_trials(model) > 0) {
    api_optimization_run(model, hooks, outcome);
    return;
  }
  *outcome = (job_outcome){0};
  bool certified = mbs_model_certified(model), sensitive = mbs_model_sensitivities(model) > 0;
  api_result_stream handover = {.hooks = hooks, .share = certified ? API_RUN_SHARE : sensitive ? sensitive_share : 1};
  const mbs_hooks run_hooks = api_result_stream_hooks(&handover);
  mbs_result *result = NULL;
  mbs_error error = {0};
  mbs_status status = mbs_run(model, &run_hooks, &result, &error);
  json_t *dropped = NULL;
  if (!certified) handover.share = 1;
  if (status == MBS_OK && sensitive) status = mbs_sensitivities(model, &run_hooks, result, &error);
  if (status == MBS_OK && certified) status = api_verify_result(model, source, hooks, result, &error);
  if (result) {
    if (hooks->report)
      hooks->report(hooks->context, api_report_short_json(&result->report));
    else
      outcome->report = api_json_string(api_report_json(&result->report));
    outcome->evaluations = result->report.evaluations;
    outcome->seconds = result->report.wall_seconds;
    dropped = api_result_stream_finish(&handover, result);
  }
  mbs_result_free(result);
  if (status == MBS_CANCELLED)
    finish(outcome, "cancelled", api_error_json(&error));
  else if (status != MBS_OK)
    finish(outcome, "failed", api_error_json(&error));
  else if (dropped)
    finish(outcome, "failed", json_incref(dropped));
  else
    finish(outcome, "succeeded", NULL);
  json_decref(dropped);
}

/* Runs a model and frees it; without one, reports `error`. */
static void run_built(mbs_model *model, json_t *error, const api_job_source *source, const job_hooks *hooks,
                      job_outcome *outcome) {
  if (model && hooks->built) hooks->built(hooks->context, model);
  if (model)
    api_job_run_model(model, source, hooks, outcome);
  else
    finish(outcome, "failed", error);
  mbs_model_free(model);
}

void api_job_run_document(api_document *document, const api_job_source *source, const job_hooks *hooks,
                          job_outcome *outcome) {
  *outcome = (job_outcome){0};
  json_t *error = NULL;
  mbs_model *model = api_build_document(document, source->limits, &error);
  run_built(model, error, source, hooks, outcome);
}

void api_job_run(const char *text, size_t size, const mbs_limits *limits, const job_hooks *hooks,
                 job_outcome *outcome) {
  *outcome = (job_outcome){0};
  json_t *error = NULL;
  mbs_model *model = api_build_text(text, size, limits, &error);
  run_built(model, error, &(api_job_source){text, size, limits}, hooks, outcome);
}
