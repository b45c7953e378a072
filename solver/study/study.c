/* The runs of a study. A run binds the numbers of the model to its point; where the structure of the model depends on
 * a parameter that takes another value, the model is built anew for that run. */
#include "analyses/observed.h"
#include "model/constants.h"
#include "model/quantities.h"
#include "run/report.h"
#include "study/design.h"
#include "study/takes.h"

#include <math.h>
#include <string.h>

struct mbs_study {
  const mbs_model *model;
  mbs_arena *arena;          /* of what lasts as long as the study */
  mbs_arena *kept, *scratch; /* of one run: its result, its system */
  mbs_study_outline outline;
  mbs_constants *constants;
  double *parameters; /* [model->parameter_count] NaN: as the document has them */
  mbs_takes *takes;
  mbs_result nominal; /* of the model as the document has it: its report alone */
  uint64_t evaluations;
};

/* ---- labels -------------------------------------------------------------------------------------------------- */

/* The unit of an output: as the document says of the sensor that it is taken of, else what its expression is of for
 * certain, in an integral times s. */
static const char *unit_of(const mbs_model *model, const mbs_planned_output *output, mbs_arena *arena) {
  static const mbs_dimension time = MBS_DIMENSION_TIME;
  if (output->take == MBS_TAKE_TIME_OF_MIN || output->take == MBS_TAKE_TIME_OF_MAX) return "s";
  if (output->take != MBS_TAKE_INTEGRAL && output->unit[0]) return output->unit;
  if (!output->of || output->unit[0]) return "";
  mbs_dimension dimension = mbs_law_dimension(model, output->of, arena);
  if (output->take == MBS_TAKE_INTEGRAL) dimension = mbs_dimension_product(dimension, time, 1);
  return mbs_dimension_text(dimension, arena);
}

static bool outline(mbs_study *study) {
  const mbs_model *model = study->model;
  const struct mbs_plan *plan = model->plan;
  const char **parameters = mbs_arena_alloc(study->arena, plan->vary_count + 1, sizeof *parameters),
             **outputs = mbs_arena_alloc(study->arena, plan->output_count + 1, sizeof *outputs),
             **units = mbs_arena_alloc(study->arena, plan->output_count + 1, sizeof *units);
  if (!parameters || !outputs || !units) return false;
  for (size_t i = 0; i < plan->vary_count; i++) parameters[i] = model->parameters[plan->vary[i].parameter].name;
  for (size_t i = 0; i < plan->output_count; i++) {
    outputs[i] = plan->outputs[i].name;
    units[i] = unit_of(model, &plan->outputs[i], study->arena);
    if (!units[i]) return false;
  }
  study->outline = (mbs_study_outline){.runs = plan->runs,
                                       .parameters = plan->vary_count,
                                       .outputs = plan->output_count,
                                       .parameter_labels = parameters,
                                       .output_labels = outputs,
                                       .output_units = units,
                                       .wall_seconds = plan->wall_seconds,
                                       .wall_name = plan->wall_name};
  return true;
}

/* ---- a study ------------------------------------------------------------------------------------------------- */

size_t mbs_model_runs(const mbs_model *model) { return model->plan ? model->plan->runs : 0; }

mbs_study *mbs_study_new(const mbs_model *model) {
  mbs_arena *arena = mbs_arena_new(model->limits.memory);
  mbs_study *study = arena ? mbs_arena_alloc(arena, 1, sizeof *study) : NULL;
  if (!study) {
    mbs_arena_free(arena);
    return NULL;
  }
  *study = (mbs_study){.model = model, .arena = arena};
  study->kept = mbs_arena_new(model->limits.memory);
  study->scratch = mbs_arena_new(model->limits.memory);
  study->constants = mbs_constants_new(model, arena);
  study->parameters = mbs_arena_alloc(arena, model->parameter_count + 1, sizeof *study->parameters);
  study->takes = mbs_takes_new(model, arena);
  study->nominal.arena = arena;
  if (study->kept && study->scratch && study->constants && study->parameters && study->takes &&
      mbs_report_open(model, &study->nominal) && outline(study))
    return study;
  mbs_study_free(study);
  return NULL;
}

void mbs_study_free(mbs_study *study) {
  if (!study) return;
  mbs_arena_free(study->kept);
  mbs_arena_free(study->scratch);
  mbs_arena_free(study->arena);
}

const mbs_study_outline *mbs_study_outlined(const mbs_study *study) { return &study->outline; }

const mbs_report *mbs_study_report(const mbs_study *study) { return &study->nominal.report; }

uint64_t mbs_study_evaluations(const mbs_study *study) { return study->evaluations; }

void mbs_study_point(const mbs_study *study, size_t index, double *values) {
  mbs_design_point(study->model->plan, index, values);
}

/* ---- a run --------------------------------------------------------------------------------------------------- */

static mbs_status run(mbs_study *study, const mbs_constants *constants, const mbs_hooks *hooks, double *outputs,
                      mbs_error *error) {
  mbs_arena_clear(study->kept);
  mbs_arena_clear(study->scratch);
  mbs_result *result = mbs_arena_alloc(study->kept, 1, sizeof *result);
  if (!result || !mbs_takes_begin(study->takes, constants)) {
    *error = (mbs_error){.status = MBS_NO_MEMORY, .time = NAN, .message = "no memory for a run"};
    return MBS_NO_MEMORY;
  }
  result->arena = study->kept;
  mbs_status status =
      mbs_run_observed(constants, mbs_takes_observer(study->takes), hooks, result, study->scratch, error);
  study->evaluations = result->report.evaluations;
  if (status == MBS_OK) return mbs_takes_finish(study->takes, result, outputs, error);
  mbs_status failed = mbs_takes_failed(study->takes, error);
  return failed == MBS_OK ? status : failed;
}

/* With a model of its own. */
static mbs_status run_anew(mbs_study *study, const mbs_hooks *hooks, double *outputs, mbs_error *error,
                           mbs_diagnostics *list) {
  mbs_model *model = mbs_model_build_for(&study->model->documents, study->parameters, &study->model->limits, list);
  if (!model) return list->count ? list->items[0].status : MBS_NO_MEMORY;
  mbs_status status = run(study, model->constants, hooks, outputs, error);
  mbs_model_free(model);
  return status;
}

mbs_status mbs_study_run(mbs_study *study, size_t index, const mbs_hooks *hooks, double *values, double *outputs,
                         mbs_error *error) {
  const mbs_model *model = study->model;
  const struct mbs_plan *plan = model->plan;
  mbs_diagnostics list = {0};
  *error = (mbs_error){.time = NAN};
  study->evaluations = 0;
  mbs_design_point(plan, index, values);
  for (size_t i = 0; i < model->parameter_count; i++) study->parameters[i] = NAN;
  for (size_t i = 0; i < plan->vary_count; i++) study->parameters[plan->vary[i].parameter] = values[i];
  mbs_status status = mbs_bind(study->constants, study->parameters, &list);
  if (status == MBS_OK) {
    status = run(study, study->constants, hooks, outputs, error);
  } else {
    /* another structure; or what is wrong, as a document with these values would be told */
    mbs_diagnostics_free(&list);
    list = (mbs_diagnostics){0};
    status = run_anew(study, hooks, outputs, error, &list);
    if (list.count) *error = list.items[0];
  }
  mbs_diagnostics_free(&list);
  for (size_t i = 0; i < plan->output_count && status != MBS_OK; i++) outputs[i] = NAN;
  return status;
}
