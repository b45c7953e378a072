/* Runs for given values of the parameters. */
#include "study/point.h"

#include "batch/batch_simulation.h"
#include "model/constants.h"
#include "study/reductions.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct mbs_point_runs {
  const mbs_model *model;
  mbs_arena *result_arena, *scratch; /* arenas of one run: for its result, and for its system */
  mbs_constants *constants;
  double *parameters; /* [model->parameter_count] NaN: the value in the document */
  mbs_reductions *reductions;
  mbs_result *result; /* result of the current run */
  uint64_t evaluations;
  double redundant_residual;
  const char *note, *passed;
  double passed_at;
  bool refused;
};

static bool has_reductions(const mbs_model *model) { return !model->plan->states && !model->plan->starts; }

mbs_point_runs *mbs_point_runs_new(const mbs_model *model, mbs_arena *arena) {
  mbs_point_runs *runs = mbs_arena_alloc(arena, 1, sizeof *runs);
  if (!runs) return NULL;
  *runs = (mbs_point_runs){.model = model,
                           .result_arena = mbs_arena_new(model->limits.memory),
                           .scratch = mbs_arena_new(model->limits.memory),
                           .constants = mbs_constants_new(model, arena),
                           .parameters = mbs_arena_alloc(arena, model->parameter_count + 1, sizeof *runs->parameters),
                           .reductions = has_reductions(model) ? mbs_reductions_new(model, arena) : NULL};
  if (runs->result_arena && runs->scratch && runs->constants && runs->parameters &&
      (runs->reductions || !has_reductions(model)))
    return runs;
  mbs_point_runs_free(runs);
  return NULL;
}

void mbs_point_runs_free(mbs_point_runs *runs) {
  if (!runs) return;
  mbs_arena_free(runs->result_arena);
  mbs_arena_free(runs->scratch);
}

uint64_t mbs_point_evaluations(const mbs_point_runs *runs) { return runs->evaluations; }

const char *mbs_point_note(const mbs_point_runs *runs) { return runs->note; }

const char *mbs_point_passed(const mbs_point_runs *runs, double *t) {
  *t = runs->passed_at;
  return runs->passed;
}

double mbs_point_redundant_residual(const mbs_point_runs *runs) { return runs->redundant_residual; }

bool mbs_point_refused(const mbs_point_runs *runs) { return runs->refused; }

bool mbs_point_flat(const mbs_point_runs *runs, size_t output) {
  return runs->reductions && mbs_reductions_flat(runs->reductions, output);
}

void mbs_point_track_modes(mbs_point_runs *runs, struct mbs_mode_tracking *modes) {
  if (runs->reductions) mbs_reductions_track_modes(runs->reductions, modes);
}

/* Stores what is needed from a run's report; NULL: there is no report. */
static void note_report(mbs_point_runs *runs, const mbs_result *result) {
  runs->evaluations = result ? result->report.evaluations : 0;
  runs->redundant_residual = result ? result->report.redundant_residual : 0;
  runs->note = NULL;
  runs->passed = result ? result->report.passed : NULL;
  runs->passed_at = result ? result->report.passed_at : 0;
}

/* Prepares a run with tangents by `count` parameters, or without (NULL). Returns false and fills `error` if memory runs
 * out. */
static bool open_run(mbs_point_runs *runs, const mbs_constants *constants, struct mbs_tangents *tangents, size_t count,
                     mbs_error *error) {
  mbs_arena_clear(runs->result_arena);
  mbs_arena_clear(runs->scratch);
  runs->refused = false;
  runs->result = mbs_arena_alloc(runs->result_arena, 1, sizeof *runs->result);
  if (!runs->result || (runs->reductions && !mbs_reductions_begin(runs->reductions, constants)) ||
      (tangents && !mbs_reductions_attach_tangents(runs->reductions, tangents, count))) {
    *error = (mbs_error){.status = MBS_NO_MEMORY, .time = NAN, .message = "no memory for a run"};
    return false;
  }
  runs->result->arena = runs->result_arena;
  return true;
}

mbs_status mbs_point_end(mbs_point_runs *runs, mbs_status status, double *outputs, mbs_error *error) {
  assert(runs->reductions != NULL && runs->result != NULL);
  note_report(runs, runs->result);
  if (runs->result->report.note_count) runs->note = runs->result->report.notes[0];
  if (status == MBS_OK) {
    status = mbs_reductions_finish(runs->reductions, runs->result, outputs, error);
  } else {
    const mbs_status failed = mbs_reductions_error(runs->reductions, error);
    if (failed != MBS_OK) status = failed;
  }
  for (size_t i = 0; i < runs->model->plan->output_count && status != MBS_OK; i++) outputs[i] = NAN;
  return status;
}

static mbs_status run_with(mbs_point_runs *runs, const mbs_constants *constants, struct mbs_tangents *tangents,
                           size_t count, const mbs_hooks *hooks, double *outputs, mbs_error *error) {
  assert(tangents == NULL || runs->reductions != NULL);
  if (!open_run(runs, constants, tangents, count, error)) return MBS_NO_MEMORY;
  if (!runs->reductions) {
    mbs_status started = mbs_run_started(constants, hooks, runs->result, runs->scratch, outputs, error);
    note_report(runs, runs->result);
    return started;
  }
  mbs_status status =
      mbs_run_observed(constants, mbs_reductions_observer(runs->reductions), hooks, runs->result, runs->scratch, error);
  return mbs_point_end(runs, status, outputs, error);
}

static mbs_status run(mbs_point_runs *runs, const mbs_constants *constants, const mbs_hooks *hooks, double *outputs,
                      mbs_error *error) {
  return run_with(runs, constants, NULL, 0, hooks, outputs, error);
}

/* Copies the integration settings, which do not depend on the model's numbers. */
static void integrate_as(mbs_model *model, const mbs_model *from) {
  model->method = from->method;
  model->rtol = from->rtol;
  model->atol = from->atol;
  model->fixed_step = from->fixed_step;
  model->constraints = from->constraints;
  model->alpha = from->alpha;
  model->beta = from->beta;
  model->limits = from->limits;
}

/* Sets the values of the varied parameters; the others are NaN. */
static void set_parameters(mbs_point_runs *runs, const double *values) {
  assert(runs->model->plan != NULL);
  const mbs_model *model = runs->model;
  const struct mbs_plan *plan = model->plan;
  for (size_t i = 0; i < model->parameter_count; i++) runs->parameters[i] = NAN;
  for (size_t i = 0; i < plan->vary_count; i++) runs->parameters[plan->vary[i].parameter] = values[i];
}

/* Builds a new model with the parameters that are set. */
static mbs_model *build_anew(const mbs_point_runs *runs, mbs_diagnostics *list) {
  const mbs_model *from = runs->model;
  mbs_model *model = mbs_model_build_for(&from->documents, runs->parameters, &from->limits, list);
  if (!model) return NULL;
  integrate_as(model, from);
  model->error_estimate = false;
  return model;
}

static mbs_status run_anew(mbs_point_runs *runs, const mbs_hooks *hooks, double *outputs, mbs_error *error,
                           mbs_diagnostics *list) {
  mbs_model *model = build_anew(runs, list);
  if (!model) return list->count ? list->items[0].status : MBS_NO_MEMORY;
  mbs_status status = run(runs, model->constants, hooks, outputs, error);
  mbs_model_free(model);
  return status;
}

static bool same_times(const mbs_model *one, const mbs_model *other) {
  return one->nt == other->nt && one->t_start == other->t_start && one->t_end == other->t_end && one->dt == other->dt;
}

/* Computes the array uT by a run with a newly built model. */
static mbs_status run_states(mbs_point_runs *runs, const mbs_hooks *hooks, double *outputs, mbs_error *error,
                             mbs_diagnostics *list) {
  mbs_model *model = build_anew(runs, list);
  mbs_result *result = NULL;
  if (!model) return list->count ? list->items[0].status : MBS_NO_MEMORY;
  runs->refused = false;
  mbs_status status = mbs_run(model, hooks, &result, error);
  note_report(runs, result);
  const mbs_array *uT = result ? mbs_result_array(result, "uT") : NULL;
  const size_t count = runs->model->plan->output_count;
  if (status == MBS_OK && !(same_times(model, runs->model) && uT && uT->shape[0] * mbs_array_columns(uT) == count)) {
    status = MBS_INVALID;
    *error = (mbs_error){.status = status, .time = NAN, .message = "the reporting times depend on the parameter"};
  }
  if (status == MBS_OK) memcpy(outputs, uT->data, count * sizeof *outputs);
  runs->passed = NULL; /* the text belongs to this result */
  mbs_result_free(result);
  mbs_model_free(model);
  return status;
}

const mbs_event *mbs_point_events(mbs_point_runs *runs, const double *values, const mbs_hooks *hooks, mbs_arena *arena,
                                  size_t *count) {
  mbs_diagnostics list = {0};
  mbs_result *result = NULL;
  mbs_error error;
  *count = 0;
  set_parameters(runs, values);
  mbs_model *model = build_anew(runs, &list);
  mbs_diagnostics_free(&list);
  if (!model) return NULL;
  mbs_event *events = NULL;
  if (mbs_run(model, hooks, &result, &error) == MBS_OK && result->report.event_count > 0)
    events = mbs_arena_alloc(arena, result->report.event_count, sizeof *events);
  for (size_t i = 0; events && i < result->report.event_count; i++) {
    events[i] = result->report.events[i];
    events[i].element = mbs_arena_text(arena, events[i].element);
    if (events[i].element) *count = i + 1;
  }
  mbs_result_free(result);
  mbs_model_free(model);
  return events;
}

bool mbs_point_bind(mbs_point_runs *runs, const double *values, mbs_constants *constants) {
  mbs_diagnostics list = {0};
  set_parameters(runs, values);
  mbs_status status = mbs_bind(constants, runs->parameters, &list);
  mbs_diagnostics_free(&list);
  return status == MBS_OK;
}

mbs_status mbs_point_run_tangents(mbs_point_runs *runs, const double *values, struct mbs_tangents *tangents,
                                  size_t count, const mbs_hooks *hooks, double *outputs, double *gradient,
                                  bool *determined) {
  mbs_error error = {.time = NAN};
  *determined = false;
  note_report(runs, NULL);
  if (!mbs_point_bind(runs, values, runs->constants)) return MBS_INVALID;
  mbs_status status = run_with(runs, runs->constants, tangents, count, hooks, outputs, &error);
  *determined = status == MBS_OK && mbs_reductions_gradient(runs->reductions, outputs, gradient);
  return status;
}

mbs_status mbs_point_observe(mbs_point_runs *runs, const double *values, const mbs_observer *observer,
                             const mbs_hooks *hooks) {
  mbs_error error;
  note_report(runs, NULL);
  mbs_arena_clear(runs->result_arena);
  mbs_arena_clear(runs->scratch);
  if (!mbs_point_bind(runs, values, runs->constants)) return MBS_INVALID;
  mbs_result *result = mbs_arena_alloc(runs->result_arena, 1, sizeof *result);
  if (!result) return MBS_NO_MEMORY;
  result->arena = runs->result_arena;
  mbs_status status = mbs_run_observed(runs->constants, observer, hooks, result, runs->scratch, &error);
  note_report(runs, result);
  return status;
}

bool mbs_point_begin(mbs_point_runs *runs, const double *values, mbs_batch *batch, int lane, const mbs_hooks *hooks,
                     mbs_error *error) {
  assert(lane >= 0);
  *error = (mbs_error){.time = NAN};
  note_report(runs, NULL);
  if (!runs->reductions || !mbs_point_bind(runs, values, runs->constants)) return false;
  if (!open_run(runs, runs->constants, NULL, 0, error)) return false;
  mbs_batch_begin(batch, lane, runs->constants, mbs_reductions_observer(runs->reductions), hooks, runs->result,
                  runs->scratch, error);
  return true;
}

mbs_status mbs_point_run(mbs_point_runs *runs, const double *values, const mbs_hooks *hooks, double *outputs,
                         mbs_error *error) {
  const mbs_model *model = runs->model;
  const struct mbs_plan *plan = model->plan;
  mbs_diagnostics list = {0};
  *error = (mbs_error){.time = NAN};
  note_report(runs, NULL);
  runs->refused = true;
  set_parameters(runs, values);
  mbs_status status = plan->states ? MBS_OK : mbs_bind(runs->constants, runs->parameters, &list);
  if (plan->states) {
    status = run_states(runs, hooks, outputs, error, &list);
    if (list.count) *error = list.items[0];
  } else if (status == MBS_OK) {
    status = run(runs, runs->constants, hooks, outputs, error);
  } else {
    /* the structure changes, or the values are invalid; building the model reports the errors of a document with these
     * values */
    mbs_diagnostics_free(&list);
    list = (mbs_diagnostics){0};
    status = run_anew(runs, hooks, outputs, error, &list);
    if (list.count) *error = list.items[0];
  }
  mbs_diagnostics_free(&list);
  for (size_t i = 0; i < plan->output_count && status != MBS_OK; i++) outputs[i] = NAN;
  return status;
}
