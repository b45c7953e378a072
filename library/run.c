/* run.c - mbsd_run(): runs a document in this process. */
#include "answer.h"
#include "texts.h"
#include "threads.h"

#include "api/base/clock.h"
#include "api/base/values.h"
#include "api/documents/document.h"
#include "api/documents/report_json.h"
#include "api/jobs/build.h"
#include "api/jobs/job.h"

#include <stdlib.h>
#include <string.h>

/* Interval in which the progress is reported [s]: short for a user who waits for an end, long beside a callback. */
static const double progress_seconds = 0.01;

/* The hooks' data of a run. */
typedef struct running {
  const mbsd_control *control;
  mbsd_answer *answer;
  double reported; /* time of the last report of progress */
  bool failed;     /* memory ran out for the arrays */
  thread_pool *threads;
} running;

static bool progress(void *context, double t, double fraction, uint64_t evaluations) {
  running *self = context;
  (void)evaluations;
  const double time = api_now(NULL);
  if (time - self->reported < progress_seconds) return true;
  self->reported = time;
  return self->control->progress(self->control->user, t, fraction);
}

static void keep_arrays(void *context, const mbs_array *list, size_t count) {
  running *self = context;
  self->failed = !answer_copy_arrays(self->answer, list, count);
}

static bool share(void *context, const job_share *share) {
  return thread_pool_share(((const running *)context)->threads, share);
}

static job_shared take_shared(void *context, size_t first, api_block_result *made, double *ahead) {
  return thread_pool_take(((const running *)context)->threads, first, made, ahead);
}

static mbsd_status status_of(const job_outcome *outcome) {
  if (strcmp(outcome->status, "succeeded") == 0) return MBSD_SUCCEEDED;
  return strcmp(outcome->status, "cancelled") == 0 ? MBSD_CANCELLED : MBSD_FAILED;
}

/* Runs a built model. Returns false if memory runs out. */
static bool run_model(const mbs_model *model, const api_job_source *source, running *self) {
  static const mbsd_control none = {0};
  if (!self->control) self->control = &none;
  if (mbs_model_runs(model) > 0 && self->control->threads != 1) self->threads = thread_pool_new(self->control->threads);
  const job_hooks hooks = {.context = self,
                           .progress = self->control->progress ? progress : NULL,
                           .now = api_now,
                           .share = self->threads ? share : NULL,
                           .shared = take_shared,
                           .arrays = keep_arrays};
  job_outcome outcome;
  api_job_run_model(model, source, &hooks, &outcome);
  thread_pool_free(self->threads);
  self->answer->status = status_of(&outcome);
  self->answer->json = outcome.report;
  self->answer->error = outcome.error;
  return !self->failed && (outcome.error || self->answer->status == MBSD_SUCCEEDED);
}

/* Builds the model of a document. Returns NULL, with the answer in `refusal`, if the document is invalid. */
static mbs_model *build(const char *text, size_t size, const mbs_limits *limits, mbsd_answer **refusal) {
  api_document document;
  api_syntax_error syntax = {0};
  json_t *error = NULL;
  if (!api_document_parse(text, size, &document, &syntax)) {
    *refusal = answer_malformed(&syntax);
    return NULL;
  }
  mbs_model *model = api_build_document(&document, limits, &error);
  if (!model) *refusal = answer_new(MBSD_INVALID, NULL, error);
  return model;
}

static mbsd_answer *check_text(const char *text, size_t size) {
  mbsd_answer *answer = NULL;
  const mbs_limits limits = {0};
  mbs_model *model = build(text, size, &limits, &answer);
  if (model) answer = answer_new(MBSD_SUCCEEDED, NULL, NULL);
  mbs_model_free(model);
  return answer;
}

mbsd_answer *mbsd_check(const char *text, size_t size) { RETURN_WITH_TEXTS(mbsd_answer *, check_text(text, size)); }

static mbsd_answer *run_text(const char *text, size_t size, const mbsd_control *control) {
  mbsd_answer *refusal = NULL;
  const mbs_limits limits = {0};
  mbs_model *model = build(text, size, &limits, &refusal);
  if (!model) return refusal;
  running self = {.control = control, .answer = answer_new(MBSD_SUCCEEDED, NULL, NULL)};
  const bool good = self.answer && run_model(model, &(api_job_source){text, size, &limits}, &self);
  mbs_model_free(model);
  if (good) return self.answer;
  mbsd_answer_free(self.answer);
  return NULL;
}

mbsd_answer *mbsd_run(const char *text, size_t size, const mbsd_control *control) {
  RETURN_WITH_TEXTS(mbsd_answer *, run_text(text, size, control));
}
