/* Derivatives of the coordinates and velocities of a run: the gradients (gradients.h) of a study whose outputs are the
 * entries of the array uT. */
#include "derivatives/finite_difference.h"
#include "derivatives/gradients.h"
#include "model/plan.h"
#include "results/output.h"
#include "run/notes.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const mbs_error no_memory = {.status = MBS_NO_MEMORY, .time = NAN, .message = "no memory for the sensitivities"};

size_t mbs_model_sensitivities(const mbs_model *model) { return model->sensitivity_count; }

/* Plans a study of the parameters, with an output for each entry of uT. Returns false if memory runs out. */
static bool plan_states(const mbs_model *model, const mbs_array *T, const mbs_array *uT, mbs_arena *arena,
                        struct mbs_plan *plan) {
  assert(T->shape[0] == uT->shape[0]);
  const size_t columns = mbs_array_columns(uT), rows = uT->shape[0];
  *plan = (struct mbs_plan){
      .states = true, .runs = 1, .vary_count = model->sensitivity_count, .output_count = rows * columns};
  plan->vary = mbs_arena_alloc(arena, plan->vary_count, sizeof *plan->vary);
  plan->outputs = mbs_arena_alloc(arena, plan->output_count + 1, sizeof *plan->outputs);
  if (!plan->vary || !plan->outputs) return false;
  for (size_t j = 0; j < plan->vary_count; j++)
    plan->vary[j] = (mbs_vary){.parameter = model->sensitivities[j], .count = 1, .least = -INFINITY, .most = INFINITY};
  for (size_t k = 0; k < plan->output_count; k++) {
    char name[200];
    snprintf(name, sizeof name, "%.150s at t = %.9g", uT->labels[k % columns], T->data[k / columns]);
    plan->outputs[k] = (mbs_planned_output){.name = mbs_arena_text(arena, name)};
    if (!plan->outputs[k].name) return false;
  }
  return true;
}

/* Returns labels such as "bob.phi by k". */
static const char *const *label(const mbs_model *model, const mbs_array *uT, mbs_arena *arena) {
  const size_t columns = mbs_array_columns(uT), p = model->sensitivity_count;
  const char **labels = mbs_arena_alloc(arena, columns * p + 1, sizeof *labels);
  for (size_t k = 0; labels && k < columns * p; k++) {
    char text[400];
    snprintf(text, sizeof text, "%.190s by %.190s", uT->labels[k / p],
             model->parameters[model->sensitivities[k % p]].name);
    if (!(labels[k] = mbs_arena_text(arena, text))) return NULL;
  }
  return labels;
}

/* Adds the array with the derivatives to the result. Returns false if memory runs out. */
static bool keep(const mbs_model *model, const double *values, const mbs_array *uT, mbs_result *result) {
  const size_t columns = mbs_array_columns(uT), rows = uT->shape[0], p = model->sensitivity_count;
  assert(columns == model->nq + model->nv);
  mbs_output output = {.model = model};
  const char *const *labels = label(model, uT, result->arena);
  double *data =
      labels ? mbs_output_add(&output, MBS_OUTPUT_SENSITIVITIES, result, 3, (size_t[]){rows, columns, p}, labels, NULL)
             : NULL;
  if (!data) return false;
  memcpy(data, values, rows * columns * p * sizeof *data);
  output.arrays[MBS_OUTPUT_SENSITIVITIES]->timeless = false;
  return true;
}

/* Adds the array without a derivative. */
static bool keep_none(const mbs_model *model, const mbs_array *uT, mbs_result *result, mbs_arena *scratch) {
  const size_t count = uT->shape[0] * mbs_array_columns(uT) * model->sensitivity_count;
  double *values = mbs_arena_alloc(scratch, count + 1, sizeof *values);
  for (size_t k = 0; values && k < count; k++) values[k] = NAN;
  return values && keep(model, values, uT, result);
}

/* Computes the derivatives and then adds the array: during progress callbacks hosts may read the arrays of the
 * result. */
static mbs_status find(const mbs_model *model, const mbs_hooks *hooks, mbs_result *result, mbs_arena *scratch,
                       mbs_error *error) {
  assert(model->sensitivity_count > 0);
  const mbs_array *uT = mbs_result_array(result, "uT"), *T = mbs_result_array(result, "T");
  const size_t p = model->sensitivity_count;
  struct mbs_plan plan;
  mbs_model with_plan = *model;
  with_plan.plan = &plan;
  double *values = mbs_arena_alloc(scratch, p, sizeof *values);
  *error = no_memory;
  if (!values || !plan_states(model, T, uT, scratch, &plan)) return MBS_NO_MEMORY;
  if (result->report.passed) {
    *error = mbs_passed_error(result->report.passed, result->report.passed_at);
    return keep_none(model, uT, result, scratch) ? MBS_NO_DERIVATIVE : MBS_NO_MEMORY;
  }
  mbs_gradients *gradients = mbs_gradients_new(&with_plan, scratch);
  if (!gradients) return MBS_NO_MEMORY;
  for (size_t j = 0; j < p; j++) values[j] = model->parameters[model->sensitivities[j]].value;
  mbs_status status = mbs_gradients_at(gradients, values, result->report.evaluations, hooks, error);
  result->report.evaluations = mbs_gradients_evaluations(gradients);
  const bool told = status == MBS_OK || status == MBS_NO_DERIVATIVE;
  if (told && !keep(model, mbs_gradients_values(gradients), uT, result)) {
    *error = no_memory;
    status = MBS_NO_MEMORY;
  }
  mbs_gradients_free(gradients);
  return status;
}

mbs_status mbs_sensitivities(const mbs_model *model, const mbs_hooks *hooks, mbs_result *result, mbs_error *error) {
  mbs_arena *scratch = mbs_arena_new(model->limits.memory);
  if (!scratch) {
    *error = no_memory;
    return MBS_NO_MEMORY;
  }
  mbs_status status = find(model, hooks, result, scratch, error);
  mbs_arena_free(scratch);
  if (status != MBS_NO_DERIVATIVE) return status;
  mbs_report_note(result, "the array sensitivities is incomplete: %s", error->message);
  return MBS_OK;
}
