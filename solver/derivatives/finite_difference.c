/* Derivatives by differences of runs on both sides of the point. Runs at p + h_k and p - h_k, with h_k = H / c^k, k = 0
 * ... 3, give
 *
 *   D_k = (f(p + h_k) - f(p - h_k)) / 2 h_k        = f' + f''' h_k^2 / 6 + ...
 *   J_k = (f(p + h_k) + f(p - h_k) - 2 f(p)) / h_k = J  + f'' h_k + ...
 *
 * and runs on one side, k = 0 ... 7, give   F_k = (f(p + h_k) - f(p)) / h_k = f' + f'' h_k / 2 + ...
 *
 * D and F are extrapolated to h = 0 by Ridders' method (Advances in Engineering Software 4, 1982, page 75); the
 * differences of entries in its table estimate the error. J, extrapolated likewise, is the slope from above minus the
 * slope from below: zero unless there is a corner. c is irrational, so that an oscillating output has different phases
 * at all h_k. The eight runs form a batch if the model and the processor support it. If an error is too large, for
 * example near a corner, H becomes 16 times smaller. */
#include "derivatives/finite_difference.h"

#include "base/message.h"
#include "base/methods.h"
#include "model/constants.h"
#include "model/quantities.h"
#include "simulate/second_run.h"
#include "study/mode_tracking.h"
#include "study/point.h"
#include "study/run_batch.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = MBS_DIFFERENCE_RUNS, PAIRS = RUNS / 2, BATCHES_MAX = 6 };

/* H as a share of the parameter's size; c; factor by which H becomes smaller. */
static const double first_share = 1.0 / 16, ratio = 1.6180339887498949, shrink_factor = 16;
/* Differences magnify the errors of runs. Their tolerances are therefore smaller than the study's by
 * `tolerance_factor`, down to a floor. */
static const double tolerance_factor = 1.0 / 128, least_stiff_tolerance = 1e-10;
/* If the study uses a method for stiff equations, dop853 replaces it if it costs at most `explicit_cost` times as much.
 * A run near the point may cost `cost_factor` times as much as the run at the point. */
static const double explicit_cost = 50, cost_factor = 200;
/* Noise: this share of the runs' tolerance, or of the output and of the model's scale in its dimension. */
static const double noise_share = 1.0 / 16, rounding = 1e-15;
/* Error of an output that is not integrated, as a share of the output; error of any output, as a share of the model's
 * scale. */
static const double own_share = 1e-9, own_scale_share = 1e-11;
/* Relative uncertainty at which H need not become smaller, and largest uncertainty of a valid derivative. */
static const double goal_share = 1e-9, limit_share = 1e-6;
/* Redundant rows contradict each other if their residual exceeds `redundant_growth` times that at the point by more
 * than `redundant_share`. */
static const double redundant_share = 1e-9, redundant_growth = 1.25;

/* Estimates for one output by the current parameter. */
typedef struct estimate {
  double value, error;         /* best derivative and its uncertainty; INFINITY: none */
  double last;                 /* derivative of the last batch, even if it is uncertain */
  double corner, corner_first; /* |J| of the last batch and of the first */
  bool done;                   /* a smaller H would not improve it */
} estimate;

struct mbs_finite_difference {
  const mbs_model *study;
  mbs_model model; /* the study's model with a smaller tolerance */
  mbs_point_runs *runs;
  mbs_run_batch *run_batch; /* batch for the runs; NULL: runs are made separately */
  mbs_mode_tracking *modes;
  mbs_run_batch_run batch[RUNS];
  size_t outputs, parameters, batches;
  const double *point;          /* [parameters] */
  double *centre;               /* [outputs] at the point */
  double *noise, *own;          /* [outputs] noise of the runs, and errors of the study's own values */
  double *scales;               /* [outputs] scale of the model in the output's dimension; 0: none */
  bool *flat;                   /* [outputs] the output is the time of a flat extreme */
  estimate *of;                 /* [outputs] */
  double *gradient, *estimates; /* [outputs x parameters] */
  double redundant;             /* residual of redundant rows at the point */
  uint64_t evaluations, usual;  /* evaluations so far; evaluations of the run at the point */
  mbs_progress_part part;
  mbs_hooks hooks;
  size_t made, meant; /* runs made and runs planned */
  mbs_error failure;  /* error of the run that failed last */
};

static bool moves(const mbs_model *model) { return model->type == MBS_DYNAMICS && !model->plan->starts; }

static bool ends_all(mbs_status status) {
  return status == MBS_CANCELLED || status == MBS_TIMED_OUT || status == MBS_NO_MEMORY;
}

/* Sets tolerances and method for accurate runs. The exact solution does not depend on them. */
static void refine(const mbs_model *from, bool stiff, mbs_model *model) {
  model->rtol = from->rtol;
  model->atol = from->atol;
  mbs_refine_to(model, fmax(tolerance_factor * from->rtol, stiff ? least_stiff_tolerance : mbs_least_tolerance));
  model->method = stiff ? from->method : "dop853";
  model->fixed_step = 0;
  if (model->constraints == MBS_BAUMGARTE || model->constraints == MBS_NONE) model->constraints = MBS_PROJECTION;
  model->alpha = model->beta = 0;
  model->limits.evaluations = 0;
}

/* Sets the model's scale in the dimension of each output: kg^a m^b s^c of its mass, extent and time. */
static void set_scales(mbs_finite_difference *self, mbs_arena *arena) {
  const mbs_model *model = &self->model;
  const mbs_constants *constants = model->constants;
  const double time = model->t_end > model->t_start ? model->t_end - model->t_start : 1;
  double mass = 0;
  for (size_t i = 1; i <= model->nB; i++) mass += constants->bodies[i].mass;
  for (size_t i = 0; i < self->outputs && !model->plan->states; i++) {
    const mbs_planned_output *output = &model->plan->outputs[i];
    const mbs_dimension of = output->of ? mbs_law_dimension(model, output->of, arena) : (mbs_dimension){0};
    if (model->plan->starts) self->scales[i] = fmax(constants->extent, 1);
    if (of.known) self->scales[i] = pow(mass, of.kg) * pow(constants->extent, of.m) * pow(time, of.s);
    if (!isfinite(self->scales[i])) self->scales[i] = 0;
  }
}

mbs_finite_difference *mbs_finite_difference_new(const mbs_model *model, mbs_arena *arena) {
  assert(model->plan != NULL);
  const struct mbs_plan *plan = model->plan;
  mbs_finite_difference *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  const size_t outputs = plan->output_count, parameters = plan->vary_count;
  *self = (mbs_finite_difference){.study = model, .model = *model, .outputs = outputs, .parameters = parameters};
  refine(model, mbs_method_is_stiff(model->method ? model->method : "dop853"), &self->model);
  self->runs = mbs_point_runs_new(&self->model, arena);
  self->modes = mbs_mode_tracking_new(model->limits.memory, arena);
  double **const arrays[] = {&self->centre, &self->noise, &self->own, &self->scales};
  bool there = self->runs && self->modes && mbs_run_batch_open_runs(model, self->batch, RUNS, arena);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    there = there && (*arrays[i] = mbs_arena_alloc(arena, outputs, sizeof(double))) != NULL;
  self->flat = mbs_arena_alloc(arena, outputs, sizeof *self->flat);
  self->of = mbs_arena_alloc(arena, outputs, sizeof *self->of);
  self->gradient = mbs_arena_alloc(arena, outputs * parameters, sizeof *self->gradient);
  self->estimates = mbs_arena_alloc(arena, outputs * parameters, sizeof *self->estimates);
  const bool batched = there && mbs_runs_are_batchable(&self->model);
  if (batched) self->run_batch = mbs_run_batch_new(&self->model, RUNS, arena);
  if (there && (self->run_batch || !batched) && self->flat && self->of && self->gradient && self->estimates) {
    set_scales(self, arena);
    return self;
  }
  mbs_finite_difference_free(self);
  return NULL;
}

void mbs_finite_difference_free(mbs_finite_difference *self) {
  if (!self) return;
  mbs_point_runs_free(self->runs);
  mbs_run_batch_free(self->run_batch);
  mbs_mode_tracking_free(self->modes);
}

const double *mbs_finite_difference_values(const mbs_finite_difference *self) { return self->gradient; }

const double *mbs_finite_difference_estimates(const mbs_finite_difference *self) { return self->estimates; }

uint64_t mbs_finite_difference_evaluations(const mbs_finite_difference *self) { return self->evaluations; }

size_t mbs_finite_difference_batches(const mbs_finite_difference *self) { return self->batches; }

const char *mbs_finite_difference_note(const mbs_finite_difference *self) { return mbs_point_note(self->runs); }

mbs_status mbs_finite_difference_outputs(mbs_finite_difference *self, const double *values, const mbs_hooks *hooks,
                                         double *outputs, mbs_error *error) {
  mbs_point_track_modes(self->runs, NULL);
  const mbs_status status = mbs_point_run(self->runs, values, hooks, outputs, error);
  self->evaluations = mbs_point_evaluations(self->runs);
  return status;
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

/* Sets the part of the progress that the next `count` runs are, of all planned runs. */
static void set_progress(mbs_finite_difference *self, size_t count) {
  assert(count > 0);
  if (self->made + count > self->meant) self->meant = self->made + count;
  const double share = (1 - MBS_FINITE_DIFFERENCE_AFTER) / (double)self->meant;
  self->part.share = share * (double)count;
  self->part.from = MBS_FINITE_DIFFERENCE_AFTER + share * (double)self->made;
  self->part.evaluations = self->evaluations;
}

/* Makes one separate run. */
static mbs_status run_separately(mbs_finite_difference *self, const double *values, double *outputs,
                                 double *redundant) {
  const mbs_status status = mbs_point_run(self->runs, values, &self->hooks, outputs, &self->failure);
  self->evaluations += mbs_point_evaluations(self->runs);
  *redundant = mbs_point_redundant_residual(self->runs);
  return status;
}

/* Estimates the noise of the runs and the errors of the study's own values, by a run with the study's tolerance. */
static mbs_status measure_errors(mbs_finite_difference *self) {
  mbs_model *model = &self->model;
  const double rtol = model->rtol, atol = model->atol, *own = self->centre;
  const double noise = moves(model) ? fmax(noise_share * rtol, rounding) : rounding;
  const double share = moves(model) ? self->study->rtol : own_share;
  mbs_status status = MBS_OK;
  if (moves(model)) {
    double ignored;
    model->rtol = self->study->rtol;
    model->atol = self->study->atol;
    own = self->batch[0].outputs;
    status = run_separately(self, self->point, self->batch[0].outputs, &ignored);
    self->made++;
    model->rtol = rtol; /* restored bit for bit: a run must not depend on earlier runs */
    model->atol = atol;
  }
  for (size_t i = 0; i < self->outputs && status == MBS_OK; i++) {
    const double size = fabs(self->centre[i]), scale = self->scales[i];
    self->noise[i] = fmax(noise * size, rounding * scale);
    self->own[i] = fmax(fmax(share * size, own_scale_share * scale), fabs(own[i] - self->centre[i]));
  }
  return status;
}

mbs_error mbs_passed_error(const char *name, double t) {
  mbs_error error = {.status = MBS_NO_DERIVATIVE, .time = t};
  snprintf(error.element, sizeof error.element, "%s", name);
  mbs_message(
      error.message, sizeof error.message,
      "no output has a derivative, because the motion passes '%.80s' at t = %.9g: derivatives across events and "
      "samples are not computed",
      name, t);
  return error;
}

/* Describes in `failure` why outputs have no derivatives if the run at the point passed an event or a sample. */
static bool refuse_passed(mbs_finite_difference *self) {
  double t;
  const char *passed = mbs_point_passed(self->runs, &t);
  if (!passed) return false;
  self->failure = mbs_passed_error(passed, t);
  return true;
}

/* Makes the run at the point: by dop853 if that is suitable, otherwise by the study's method for stiff equations. */
static mbs_status run_point(mbs_finite_difference *self) {
  const bool stiff = mbs_method_is_stiff(self->study->method ? self->study->method : "dop853") && moves(self->study);
  mbs_mode_tracking_begin(self->modes);
  mbs_point_track_modes(self->runs, self->modes);
  refine(self->study, false, &self->model);
  set_progress(self, 1);
  if (stiff) self->model.limits.evaluations = (uint64_t)(explicit_cost * (double)(self->evaluations + 1000));
  mbs_status status = run_separately(self, self->point, self->centre, &self->redundant);
  if (stiff && status != MBS_OK && !ends_all(status)) {
    refine(self->study, true, &self->model);
    status = run_separately(self, self->point, self->centre, &self->redundant);
  }
  self->made++;
  if (status == MBS_OK && refuse_passed(self)) return MBS_NO_DERIVATIVE;
  self->usual = mbs_point_evaluations(self->runs);
  self->model.limits.evaluations = (uint64_t)(cost_factor * (double)(self->usual + 1000));
  return status == MBS_OK ? measure_errors(self) : status;
}

typedef enum batch_end { BATCH_MADE, BATCH_FAILED, BATCH_REFUSED, BATCH_STOPPED } batch_end;

/* Makes runs at p + steps [RUNS] of parameter j. Returns BATCH_REFUSED if the model rejects the value of run *which. */
static batch_end make_batch(mbs_finite_difference *self, size_t j, const double *steps, int *which) {
  assert(j < self->parameters);
  for (int k = 0; k < RUNS; k++) {
    memcpy(self->batch[k].values, self->point, self->parameters * sizeof *self->point);
    self->batch[k].values[j] += steps[k];
    self->batch[k].status = MBS_INVALID;
  }
  self->batches++;
  set_progress(self, self->run_batch ? RUNS : 1);
  if (self->run_batch) mbs_run_batch_make(self->run_batch, self->batch, RUNS, &self->hooks);
  for (int k = 0; k < RUNS; k++) {
    mbs_run_batch_run *run = &self->batch[k];
    const bool in_lane = self->run_batch && !run->run_separately && run->status == MBS_OK;
    mbs_status status = MBS_OK;
    if (in_lane) {
      self->evaluations += run->evaluations;
    } else {
      set_progress(self, 1);
      status = run_separately(self, run->values, run->outputs, &run->redundant_residual);
    }
    self->made++;
    *which = k;
    if (ends_all(status)) return BATCH_STOPPED;
    if (status != MBS_OK) return mbs_point_refused(self->runs) ? BATCH_REFUSED : BATCH_FAILED;
    if (run->redundant_residual <= redundant_growth * self->redundant + redundant_share) continue;
    self->failure = (mbs_error){.status = MBS_CONTRADICTION, .time = NAN};
    mbs_message(self->failure.message, sizeof self->failure.message,
                "redundant constraints agree at this value of the parameter, but contradict one another at "
                "neighbouring values (residual %.3g)",
                run->redundant_residual);
    return BATCH_FAILED;
  }
  return BATCH_MADE;
}

/* ---- derivatives --------------------------------------------------------------------------------------------- */

/* Extrapolates values at h, h/c, h/c^2 ... of an expansion in h^first, h^(first + step) ... to h = 0 by Ridders'
 * method. *error is the larger difference between the result and the two entries from which it was computed. */
static double extrapolate(const double *values, int n, int first, int step, double *error) {
  assert(n > 1 && n <= RUNS);
  double row[RUNS] = {values[0]}, best = values[0];
  *error = INFINITY;
  for (int k = 1; k < n; k++) {
    double low = values[k];
    for (int m = 0; m < k; m++) {
      const double power = pow(ratio, first + m * step), before = row[m];
      const double next = (power * low - before) / (power - 1), apart = fmax(fabs(next - low), fabs(next - before));
      row[m] = low;
      low = next;
      if (apart > *error) continue;
      *error = apart;
      best = next;
    }
    row[k] = low;
  }
  return best;
}

/* Extrapolates values of pairs, in h^first, h^(first + 2) ..., or in all powers of h if the error is then much smaller.
 * That happens if the second derivatives from above and below differ, as for p |p|. */
static double extrapolate_either(const double *values, int first, double *error) {
  double other_error;
  const double value = extrapolate(values, PAIRS, first, 2, error);
  const double other = extrapolate(values, PAIRS, 1, 1, &other_error);
  if (!(other_error < 0.1 * *error)) return value;
  *error = other_error;
  return other;
}

static double output_at(const mbs_finite_difference *self, int k, size_t i) { return self->batch[k].outputs[i]; }

/* Returns the derivative from both sides and sets *corner to |J|. */
static double read_pairs(const mbs_finite_difference *self, size_t i, const double *steps, double *error,
                         double *corner) {
  assert(i < self->outputs);
  const double centre = self->centre[i];
  double D[PAIRS], J[PAIRS], ignored;
  for (int k = 0; k < PAIRS; k++) {
    const double above = output_at(self, 2 * k, i), below = output_at(self, 2 * k + 1, i), h = steps[2 * k];
    D[k] = (above - below) / (2 * h);
    J[k] = ((above - centre) + (below - centre)) / h;
  }
  *corner = fabs(extrapolate_either(J, 1, &ignored));
  return extrapolate_either(D, 2, error);
}

static double read_side(const mbs_finite_difference *self, size_t i, const double *steps, double *error) {
  assert(i < self->outputs);
  double F[RUNS];
  for (int k = 0; k < RUNS; k++) F[k] = (output_at(self, k, i) - self->centre[i]) / steps[k];
  return extrapolate(F, RUNS, 1, 1, error);
}

/* Updates the estimates that a batch improves. The uncertainty of a slope is the error of the extrapolation, plus half
 * the difference of the slopes of both sides, plus the noise divided by the smallest step. Returns true if a smaller H
 * would improve no output. */
static bool read_batch(mbs_finite_difference *self, const double *steps, bool both) {
  bool all = true;
  for (size_t i = 0; i < self->outputs; i++) {
    estimate *of = &self->of[i];
    if (of->done) continue;
    double error, corner = 0;
    of->last = both ? read_pairs(self, i, steps, &error, &corner) : read_side(self, i, steps, &error);
    const double noise = self->noise[i] / fabs(steps[RUNS - 1]), uncertain = error + 0.5 * corner + noise;
    if (isnan(of->corner_first)) of->corner_first = corner;
    of->corner = corner;
    if (uncertain < of->error) {
      of->value = of->last;
      of->error = uncertain;
    }
    of->done = of->error <= goal_share * fabs(of->value) || noise > 0.5 * uncertain;
    all = all && of->done;
  }
  return all;
}

/* Sets the steps of a batch: pairs, or all on one side (1 or -1). */
static void set_steps(double H, int side, double *steps) {
  assert(side >= -1 && side <= 1);
  double h = H;
  for (int k = 0; k < RUNS; k++) {
    steps[k] = side ? side * h : k % 2 ? -h : h;
    if (side || k % 2) h /= ratio;
  }
}

/* Finds the slopes by parameter j of this size. Sets *made if at least one batch succeeded. */
static batch_end find_slopes(mbs_finite_difference *self, size_t j, double size, bool *made) {
  assert(j < self->parameters);
  const mbs_vary *vary = &self->model.plan->vary[j];
  const double above = vary->most - self->point[j], below = self->point[j] - vary->least;
  double H = fmin(first_share * size, 0.25 * (vary->most - vary->least)), steps[RUNS];
  /* near a bound, runs are on one side or at shorter distances */
  int side = fmin(above, below) * shrink_factor >= H ? 0 : above > below ? 1 : -1, which = 0;
  if (!side) H = fmin(H, fmin(above, below));
  const double first = H;
  *made = false;
  for (size_t i = 0; i < self->outputs; i++)
    self->of[i] = (estimate){.value = NAN, .error = INFINITY, .last = NAN, .corner_first = NAN};
  for (int k = 0; k < BATCHES_MAX; k++) {
    set_steps(H, side, steps);
    batch_end end = make_batch(self, j, steps, &which);
    assert(which >= 0 && which < RUNS);
    if (end == BATCH_REFUSED && !side) { /* e.g. a mass below zero */
      side = steps[which] > 0 ? -1 : 1;
      set_steps(H, side, steps);
      end = make_batch(self, j, steps, &which);
      if (end == BATCH_REFUSED) side = 0;
    }
    if (end == BATCH_STOPPED) return end;
    *made = *made || end == BATCH_MADE;
    if (end == BATCH_MADE && read_batch(self, steps, !side)) break;
    H /= shrink_factor;
  }
  for (size_t i = 0; i < self->outputs; i++)
    if (!(self->of[i].error <= fmax(limit_share * fabs(self->of[i].value), self->own[i] / first)))
      self->of[i].value = NAN;
  return BATCH_MADE;
}

/* ---- outputs without a derivative -------------------------------------------------------------------------------- */

static bool is_flat(const mbs_finite_difference *self, size_t i) {
  const mbs_reduction take = self->model.plan->outputs[i].take;
  return (take == MBS_REDUCE_TIME_OF_MIN || take == MBS_REDUCE_TIME_OF_MAX) && mbs_point_flat(self->runs, i);
}

/* Writes the reason why output i has no derivative to `why`; empty if it has one. */
static void explain(const mbs_finite_difference *self, size_t i, char *why, size_t size) {
  assert(i < self->outputs);
  const mbs_planned_output *output = &self->model.plan->outputs[i];
  const estimate *of = &self->of[i];
  *why = 0;
  if (!output->of && mbs_mode_tracking_is_critical(self->modes, output->number))
    mbs_message(why, size, "it is a double eigenvalue, as at critical damping, and has an infinite slope");
  else if (self->flat[i])
    mbs_message(
        why, size,
        "the second time derivative at the extreme is zero, so that the time of the extreme has an infinite slope");
  else if (!isnan(of->value))
    return;
  else if (of->corner > 2 * of->corner_first)
    mbs_message(why, size, "its slope keeps growing near this value, so that it jumps or has an infinite slope there");
  else if (of->corner > 0.5 * of->corner_first && of->corner > of->error)
    mbs_message(why, size, "its slope is %.6g from below and %.6g from above, so that there is a corner",
                of->last - 0.5 * of->corner, of->last + 0.5 * of->corner);
  else
    mbs_message(why, size,
                "finite differences do not converge (%.3g, uncertain by %.2g): near this value it jumps, bends sharply "
                "or has an infinite slope, or it depends on the parameter too strongly or too weakly",
                of->last, of->error);
}

/* Stores the slopes by parameter j in the gradient. Describes missing ones in `error` and sets *status. */
static void store_slopes(mbs_finite_difference *self, size_t j, bool made, mbs_status *status, mbs_error *error) {
  assert(j < self->parameters);
  const struct mbs_plan *plan = self->model.plan;
  const char *name = self->model.parameters[plan->vary[j].parameter].name;
  for (size_t i = 0; i < self->outputs; i++) {
    const size_t at = i * self->parameters + j;
    const estimate *of = &self->of[i];
    char why[400], text[500];
    self->estimates[at] = !made ? NAN : isnan(of->value) ? of->last : of->value + 0.0;
    if (made) explain(self, i, why, sizeof why);
    self->gradient[at] = made && !*why ? of->value + 0.0 : NAN; /* avoids -0 */
    if (made && !*why) continue;
    const mbs_error first = *error;
    if (made)
      mbs_message(text, sizeof text, "the output '%.80s' has no derivative: %s", plan->outputs[i].name, why);
    else
      mbs_message(text, sizeof text, "no output has a derivative, because runs near this value fail: %.400s",
                  self->failure.message);
    *error = (mbs_error){.status = MBS_NO_DERIVATIVE, .time = made ? NAN : self->failure.time};
    mbs_message(error->message, sizeof error->message, "for the parameter '%.80s' at %.9g, %s", name, self->point[j],
                text);
    if (*status != MBS_OK) *error = first;
    *status = MBS_NO_DERIVATIVE;
  }
}

mbs_status mbs_finite_difference_at(mbs_finite_difference *self, const double *values, const double *sizes,
                                    const bool *known, uint64_t evaluations, const mbs_hooks *hooks, mbs_error *error) {
  assert(values != NULL && sizes != NULL);
  self->point = values;
  self->evaluations = evaluations;
  self->batches = self->made = 0;
  self->meant = 1;
  for (size_t j = 0; j < self->parameters; j++)
    if (!known || !known[j]) self->meant += RUNS;
  self->part = (mbs_progress_part){.host = hooks};
  self->hooks = mbs_part_hooks(&self->part);
  for (size_t k = 0; k < self->outputs * self->parameters; k++) self->gradient[k] = self->estimates[k] = NAN;
  mbs_status status = run_point(self);
  if (status != MBS_OK) {
    *error = self->failure;
    if (ends_all(status) || status == MBS_NO_DERIVATIVE) return status;
    error->status = MBS_NO_DERIVATIVE;
    mbs_message(error->message, sizeof error->message,
                "no output has a derivative, because the run fails at the tolerance %.2g that derivatives need: %.500s",
                self->model.rtol, self->failure.message);
    return MBS_NO_DERIVATIVE;
  }
  for (size_t i = 0; i < self->outputs; i++) self->flat[i] = is_flat(self, i);
  for (size_t j = 0; j < self->parameters; j++) {
    bool made;
    if (known && known[j]) continue;
    if (find_slopes(self, j, sizes[j], &made) == BATCH_STOPPED) {
      *error = self->failure;
      return self->failure.status;
    }
    store_slopes(self, j, made, &status, error);
  }
  return status;
}
