/* Derivatives by forward sensitivity where it applies, and by finite differences otherwise. */
#include "derivatives/gradients.h"

#include "derivatives/finite_difference.h"
#include "derivatives/forward_sensitivity.h"
#include "derivatives/parameter_size.h"
#include "simulate/second_run.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Share of the progress of derivatives that belongs to forward sensitivity. */
static const double forward_share = 0.5;

struct mbs_gradients {
  const mbs_model *model;
  const struct mbs_plan *plan;
  size_t outputs, parameters;
  mbs_forward_sensitivity *forward;
  mbs_finite_difference *differences;
  bool *known;       /* [parameters] known from forward sensitivity */
  double *sizes;     /* [parameters] */
  double *gradient;  /* [outputs x parameters] */
  double *estimates; /* [outputs x parameters] */
  uint64_t evaluations;
};

mbs_gradients *mbs_gradients_new(const mbs_model *model, mbs_arena *arena) {
  assert(model->plan != NULL);
  const struct mbs_plan *plan = model->plan;
  mbs_gradients *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  *self = (mbs_gradients){.model = model, .plan = plan, .outputs = plan->output_count, .parameters = plan->vary_count};
  const size_t entries = self->outputs * self->parameters;
  self->sizes = mbs_arena_alloc(arena, self->parameters, sizeof *self->sizes);
  self->known = mbs_arena_alloc(arena, self->parameters, sizeof *self->known);
  self->gradient = mbs_arena_alloc(arena, entries, sizeof *self->gradient);
  self->estimates = mbs_arena_alloc(arena, entries, sizeof *self->estimates);
  self->forward = mbs_forward_sensitivity_new(model, arena);
  self->differences = mbs_finite_difference_new(model, arena);
  if (self->known && self->sizes && self->gradient && self->estimates && self->forward && self->differences)
    return self;
  mbs_gradients_free(self);
  return NULL;
}

void mbs_gradients_free(mbs_gradients *gradients) {
  if (!gradients) return;
  mbs_forward_sensitivity_free(gradients->forward);
  mbs_finite_difference_free(gradients->differences);
}

const double *mbs_gradients_values(const mbs_gradients *gradients) { return gradients->gradient; }

const double *mbs_gradients_estimates(const mbs_gradients *gradients) { return gradients->estimates; }

uint64_t mbs_gradients_evaluations(const mbs_gradients *gradients) { return gradients->evaluations; }

void mbs_gradients_none(mbs_gradients *gradients) {
  for (size_t i = 0; i < gradients->outputs * gradients->parameters; i++)
    gradients->gradient[i] = gradients->estimates[i] = NAN;
}

mbs_status mbs_gradients_outputs(mbs_gradients *gradients, const double *values, const mbs_hooks *hooks,
                                 double *outputs, mbs_error *error) {
  mbs_status status = mbs_finite_difference_outputs(gradients->differences, values, hooks, outputs, error);
  gradients->evaluations = mbs_finite_difference_evaluations(gradients->differences);
  return status;
}

const char *mbs_gradients_note(const mbs_gradients *gradients) {
  return mbs_finite_difference_note(gradients->differences);
}

/* Copies the columns of parameters that forward sensitivity does not give. */
static void copy_differences(mbs_gradients *self) {
  assert(self->differences != NULL);
  const double *rows = mbs_finite_difference_values(self->differences),
               *estimates = mbs_finite_difference_estimates(self->differences);
  for (size_t i = 0; i < self->outputs; i++)
    for (size_t j = 0; j < self->parameters; j++) {
      const size_t k = i * self->parameters + j;
      if (!self->known[j]) self->gradient[k] = rows[k];
      self->estimates[k] = self->known[j] ? self->gradient[k] : estimates[k];
    }
}

/* Sets each row that has a NaN to NaN. */
static void clear_gaps(mbs_gradients *self) {
  for (size_t i = 0; i < self->outputs; i++) {
    double *row = self->gradient + i * self->parameters;
    bool gap = false;
    for (size_t j = 0; j < self->parameters; j++) gap = gap || isnan(row[j]);
    for (size_t j = 0; j < self->parameters && gap; j++) row[j] = NAN;
  }
}

/* Lists the outputs without a derivative in the message, if there are several and the message names one of them. */
static void list_gaps(const mbs_gradients *self, mbs_error *error) {
  size_t gaps = 0, length = strlen(error->message);
  for (size_t i = 0; i < self->outputs; i++) gaps += isnan(self->gradient[i * self->parameters]);
  if (gaps < 2 || !strstr(error->message, "the output '")) return;
  const char *before = "; there is no derivative of ";
  for (size_t i = 0, told = 0; i < self->outputs && length < sizeof error->message; i++) {
    if (!isnan(self->gradient[i * self->parameters])) continue;
    length += (size_t)snprintf(error->message + length, sizeof error->message - length, "%s'%.60s'", before,
                               self->plan->outputs[i].name);
    before = ++told + 1 < gaps ? ", " : " and ";
  }
}

mbs_status mbs_gradients_at(mbs_gradients *gradients, const double *values, uint64_t evaluations,
                            const mbs_hooks *hooks, mbs_error *error) {
  assert(values != NULL && error != NULL);
  mbs_gradients *self = gradients;
  const double share = forward_share * (1 - MBS_GRADIENTS_AFTER);
  mbs_progress_part part = {.host = hooks, .from = MBS_GRADIENTS_AFTER, .share = share, .evaluations = evaluations};
  const mbs_hooks first = mbs_part_hooks(&part);
  bool all = true;
  mbs_gradients_none(self);
  mbs_status status = mbs_parameter_sizes(self->model, values, self->sizes);
  if (status != MBS_OK) {
    *error = (mbs_error){.status = status, .time = NAN, .message = "no memory for derivatives"};
    return status;
  }
  status = mbs_forward_sensitivity_at(self->forward, values, self->sizes, evaluations, &first, self->gradient,
                                      self->known, error);
  self->evaluations = evaluations + mbs_forward_sensitivity_evaluations(self->forward);
  if (status != MBS_OK) return status;
  for (size_t j = 0; j < self->parameters; j++) all = all && self->known[j];
  if (all) {
    memcpy(self->estimates, self->gradient, self->outputs * self->parameters * sizeof *self->gradient);
    return MBS_OK;
  }
  part.from += share;
  assert(part.from < 1);
  part.share = 1 - part.from;
  status =
      mbs_finite_difference_at(self->differences, values, self->sizes, self->known, self->evaluations, &first, error);
  self->evaluations = mbs_finite_difference_evaluations(self->differences);
  copy_differences(self);
  clear_gaps(self);
  if (status == MBS_NO_DERIVATIVE) list_gaps(self, error);
  return status;
}
