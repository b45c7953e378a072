/* Runs of a study, and the derivatives of their outputs if requested. */
#include <assert.h>

#include "batch/batch_simulation.h"
#include "derivatives/gradients.h"
#include "mbs/optimize.h"
#include "run/report.h"
#include "simulate/second_run.h"
#include "study/design.h"
#include "study/point.h"
#include "study/run_batch.h"
#include "study/run_prefetch.h"
#include "study/study_info.h"

struct mbs_study {
  const mbs_model *model;
  mbs_arena *arena; /* data that last as long as the study */
  mbs_study_outline outline;
  mbs_point_runs *runs;
  mbs_gradients *gradients;   /* derivatives; NULL: not requested */
  mbs_run_prefetch *prefetch; /* computes batches; NULL: runs are made one by one */
  mbs_result nominal;         /* result of the document's own values; only its report is used */
  uint64_t evaluations;
  const char *note; /* note of the last run */
};

/* ---- a study ------------------------------------------------------------------------------------------------- */

static bool seeks(const mbs_model *model) { return model->plan && model->plan->purpose != MBS_PURPOSE_RUNS; }

size_t mbs_model_runs(const mbs_model *model) { return model->plan && !seeks(model) ? model->plan->runs : 0; }

size_t mbs_model_trials(const mbs_model *model) { return seeks(model) ? model->plan->runs : 0; }

mbs_study *mbs_study_new(const mbs_model *model) {
  assert(model->plan != NULL);
  mbs_arena *arena = mbs_arena_new(model->limits.memory);
  mbs_study *study = arena ? mbs_arena_alloc(arena, 1, sizeof *study) : NULL;
  if (!study) {
    mbs_arena_free(arena);
    return NULL;
  }
  *study = (mbs_study){.model = model, .arena = arena};
  study->runs = mbs_point_runs_new(model, arena);
  if (model->plan->gradient) study->gradients = mbs_gradients_new(model, arena);
  study->nominal.arena = arena;
  if (study->runs && (study->gradients || !model->plan->gradient) && mbs_report_open(model, &study->nominal) &&
      mbs_study_outline_of(model, arena, &study->outline))
    return study;
  mbs_study_free(study);
  return NULL;
}

void mbs_study_free(mbs_study *study) {
  if (!study) return;
  mbs_point_runs_free(study->runs);
  mbs_gradients_free(study->gradients);
  mbs_run_prefetch_free(study->prefetch);
  mbs_arena_free(study->arena);
}

const mbs_study_outline *mbs_study_info_of(const mbs_study *study) { return &study->outline; }

const mbs_report *mbs_study_report(const mbs_study *study) { return &study->nominal.report; }

const double *mbs_study_gradient(const mbs_study *study) {
  return study->gradients ? mbs_gradients_values(study->gradients) : NULL;
}

static bool is_batchable(const mbs_model *model) {
  return model->plan->purpose == MBS_PURPOSE_RUNS && !model->plan->gradient && mbs_runs_are_batchable(model);
}

size_t mbs_study_prefetch(mbs_study *study, size_t first, size_t end) {
  assert(first <= end);
  if (!study->prefetch && end - first > 1 && is_batchable(study->model))
    study->prefetch = mbs_run_prefetch_new(study->model, MBS_BATCH_MAX, study->arena);
  if (!study->prefetch) return 1;
  mbs_run_prefetch_expect(study->prefetch, first, end);
  return mbs_run_prefetch_width(study->prefetch);
}

bool mbs_study_is_computed(const mbs_study *study, size_t index) {
  return study->prefetch && mbs_run_prefetch_has(study->prefetch, index);
}

uint64_t mbs_study_evaluations(const mbs_study *study) { return study->evaluations; }

const char *mbs_study_note(const mbs_study *study) { return study->note; }

void mbs_study_point(const mbs_study *study, size_t index, double *values) {
  mbs_design_point(study->model->plan, index, values);
}

/* ---- a run --------------------------------------------------------------------------------------------------- */

mbs_status mbs_study_run(mbs_study *study, size_t index, const mbs_hooks *hooks, double *values, double *outputs,
                         mbs_error *error) {
  /* if derivatives are requested, the run itself is the first part of the progress */
  mbs_progress_part part = {.host = hooks, .share = MBS_GRADIENTS_AFTER};
  const mbs_hooks first = mbs_part_hooks(&part);
  mbs_design_point(study->model->plan, index, values);
  mbs_status status;
  study->note = NULL;
  if (study->prefetch &&
      mbs_run_prefetch_run(study->prefetch, index, hooks, outputs, &study->evaluations, &status, error)) {
    study->note = mbs_run_prefetch_note(study->prefetch, index);
    return status;
  }
  status = mbs_point_run(study->runs, values, study->gradients ? &first : hooks, outputs, error);
  study->evaluations = mbs_point_evaluations(study->runs);
  study->note = mbs_point_note(study->runs);
  if (!study->gradients) return status;
  if (status != MBS_OK) {
    mbs_gradients_none(study->gradients);
    return status;
  }
  status = mbs_gradients_at(study->gradients, values, study->evaluations, hooks, error);
  study->evaluations = mbs_gradients_evaluations(study->gradients);
  return status;
}
