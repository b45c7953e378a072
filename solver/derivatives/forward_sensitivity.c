/* Forward sensitivity of a study: integrates the tangents of a motion from the derivatives of its start. The start is
 * corrected by an iteration whose limit depends on the guess in the document. Its derivatives are therefore those of
 * the whole iteration, by finite differences of starts alone. */
#include "derivatives/forward_sensitivity.h"

#include "batch/lane_finder.h"
#include "derivatives/finite_difference.h"
#include "derivatives/sensitivity_equations.h"
#include "model/report_times.h"
#include "simulate/second_run.h"
#include "study/point.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Largest cost of a motion with its tangents, in runs, and additional runs per parameter; smallest number of
 * evaluations that a run counts as. Beyond that cost, finite differences are used. */
static const uint64_t most_runs = 4, most_runs_each = 12;
static const uint64_t least_evaluations = 2000;
/* A parameter whose change by its size changes the state by less than the first share of its scales has an inexact
 * tangent. Below the second share the influence is rounding. */
static const double weak_share = 1e-3, rounding_share = 1e-11;
/* Relative change of a parameter by which its effect on the constants is found. */
static const double tried_share = 0x1p-11;

struct mbs_forward_sensitivity {
  mbs_model model;    /* the study's model with smaller tolerances */
  mbs_model starting; /* this model, with coordinates and velocities of the start as outputs */
  struct mbs_plan start_plan;
  mbs_point_runs *runs;
  mbs_finite_difference *starts; /* derivatives of the start; NULL: the analysis has no tangents */
  mbs_tangents tangents;
  size_t *parameters;  /* [count] index in the plan of each tangent's parameter */
  const double *point; /* [vary_count] values of the current call */
  const double *sizes; /* [vary_count] of the parameters */
  double *values;      /* [vary_count] */
  double *start;       /* [vary_count][states] */
  double *outputs;     /* [output_count] */
  double *columns;     /* [output_count x count] */
  size_t states;
  size_t row; /* next row of uT, if its entries are the outputs */
  uint64_t evaluations;
};

/* Sets tolerances and method for an accurate motion. The exact solution does not depend on them. */
static void refine(mbs_model *model) {
  mbs_refine_to(model, fmax(model->rtol, mbs_least_tolerance));
  model->method = "dop853";
  model->fixed_step = 0;
  model->constraints = MBS_PROJECTION;
  model->alpha = model->beta = 0;
  model->limits.evaluations = 0;
}

/* Returns true if the branches of an output's expressions allow derivatives. A value has those of its branch. Branches
 * of an integral must join without a jump, because the instants at which they change depend on the parameters. */
static bool suits_output(const mbs_model *model, const mbs_planned_output *output) {
  if (!output->of) return false;
  const mbs_expression *of = mbs_law_numbers(model->constants, output->of)->expression,
                       *when = output->has_when ? mbs_law_numbers(model->constants, &output->when)->expression : NULL;
  if (when && mbs_expression_switches(when) > 0) return false;
  if (!of || mbs_expression_switches(of) == 0) return true;
  switch (output->take) {
  case MBS_REDUCE_TIME_OF_MIN:
  case MBS_REDUCE_TIME_OF_MAX: return false;
  case MBS_REDUCE_MEAN:
  case MBS_REDUCE_RMS:
  case MBS_REDUCE_INTEGRAL: return mbs_expression_joins_branches(of);
  default: return true;
  }
}

static bool suits(const mbs_model *model) {
  const struct mbs_plan *plan = model->plan;
  if (model->type != MBS_DYNAMICS || plan->starts) return false;
  if (!model->correct && model->rows > 0)
    return false; /* the motion projects an inconsistent start, but `starts` does not */
  if (plan->states) return true;
  for (size_t i = 0; i < plan->output_count; i++)
    if (!suits_output(model, &plan->outputs[i])) return false;
  return true;
}

/* Plans a study whose outputs are the states of the start. Returns false if memory runs out. */
static bool plan_starts(mbs_forward_sensitivity *self, mbs_arena *arena) {
  const struct mbs_plan *plan = self->model.plan;
  self->states = self->model.state.z;
  assert(self->states == self->model.nq + self->model.nv);
  self->start_plan = *plan;
  self->start_plan.starts = true;
  self->start_plan.states = false;
  self->start_plan.output_count = self->start_plan.shown_count = self->states;
  self->start_plan.outputs = mbs_arena_alloc(arena, self->states + 1, sizeof *self->start_plan.outputs);
  if (!self->start_plan.outputs) return false;
  for (size_t i = 0; i < self->states; i++) self->start_plan.outputs[i] = (mbs_planned_output){.name = "start"};
  self->starting = self->model;
  self->starting.plan = &self->start_plan;
  self->starts = mbs_finite_difference_new(&self->starting, arena);
  return self->starts;
}

/* Binds the constants for parameters changed along a direction. Returns false if the model rejects them. */
static bool bind(void *user, const mbs_parameter_direction *direction, double step, mbs_constants *constants) {
  mbs_forward_sensitivity *self = user;
  for (size_t k = 0; k < direction->count; k++) {
    const size_t j = self->parameters[direction->of[k]];
    self->values[j] = self->point[j] + step * direction->by[k];
  }
  const bool bound = mbs_point_bind(self->runs, self->values, constants);
  for (size_t k = 0; k < direction->count; k++) {
    const size_t j = self->parameters[direction->of[k]];
    self->values[j] = self->point[j];
  }
  return bound;
}

static bool open_tangents(mbs_forward_sensitivity *self, mbs_arena *arena) {
  const size_t count = self->model.plan->vary_count;
  self->tangents =
      (mbs_tangents){.of = mbs_arena_alloc(arena, count, sizeof *self->tangents.of), .bind = bind, .user = self};
  self->parameters = mbs_arena_alloc(arena, count, sizeof *self->parameters);
  self->values = mbs_arena_alloc(arena, count, sizeof *self->values);
  self->start = mbs_arena_alloc(arena, count * self->states + 1, sizeof *self->start);
  self->outputs = mbs_arena_alloc(arena, self->model.plan->output_count, sizeof *self->outputs);
  self->columns = mbs_arena_alloc(arena, self->model.plan->output_count * count, sizeof *self->columns);
  if (!self->tangents.of || !self->parameters || !self->values || !self->start || !self->outputs || !self->columns)
    return false;
  for (size_t j = 0; j < count; j++)
    for (int k = 0; k < MBS_FD_POINTS; k++)
      if (!(self->tangents.of[j].motion.displaced[k] = mbs_constants_new(&self->model, arena)) ||
          !(self->tangents.of[j].reads.displaced[k] = mbs_constants_new(&self->model, arena)))
        return false;
  return true;
}

mbs_forward_sensitivity *mbs_forward_sensitivity_new(const mbs_model *model, mbs_arena *arena) {
  mbs_forward_sensitivity *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  *self = (mbs_forward_sensitivity){.model = *model};
  if (!suits(model)) return self;
  refine(&self->model);
  self->runs = mbs_point_runs_new(&self->model, arena);
  if (self->runs && plan_starts(self, arena) && open_tangents(self, arena)) return self;
  mbs_forward_sensitivity_free(self);
  return NULL;
}

void mbs_forward_sensitivity_free(mbs_forward_sensitivity *forward) {
  if (!forward) return;
  mbs_point_runs_free(forward->runs);
  mbs_finite_difference_free(forward->starts);
}

uint64_t mbs_forward_sensitivity_evaluations(const mbs_forward_sensitivity *forward) { return forward->evaluations; }

/* Returns true if the instants at which outputs are taken are the same with both constants. */
static bool keeps_instants(const mbs_forward_sensitivity *self, const mbs_constants *one, const mbs_constants *other) {
  const struct mbs_plan *plan = self->model.plan;
  for (size_t i = 0; i < plan->output_count && !plan->states; i++) {
    const int constant = plan->outputs[i].at.constant;
    if (plan->outputs[i].take == MBS_REDUCE_AT && !plan->outputs[i].has_when && constant >= 0 &&
        one->numbers[constant] != other->numbers[constant])
      return false;
  }
  return true;
}

/* Selects the parameters on which only the numbers of the model depend, not its structure. */
static void choose_parameters(mbs_forward_sensitivity *self) {
  assert(self->starts != NULL);
  const size_t count = self->model.plan->vary_count;
  self->tangents.count = 0;
  for (size_t j = 0; j < count; j++) {
    mbs_tangent *tangent = &self->tangents.of[self->tangents.count];
    tangent->size = self->sizes[j];
    tangent->counted = tangent->size;
    tangent->start = self->start + j * self->states;
    self->parameters[self->tangents.count] = j;
    const mbs_parameter_direction change = {.count = 1, .of = &self->tangents.count, .by = &tangent->size};
    if (bind(self, &change, -tried_share, tangent->motion.displaced[0]) &&
        bind(self, &change, tried_share, tangent->motion.displaced[1]) &&
        keeps_instants(self, tangent->motion.displaced[0], tangent->motion.displaced[1]))
      self->tangents.count++;
  }
}

/* ---- the array uT -------------------------------------------------------------------------------------------- */

static bool has_row(void *user, double t, double t1) {
  const mbs_forward_sensitivity *self = user;
  const double next = self->row < self->model.nt ? mbs_report_time(&self->model, self->row) : INFINITY;
  return next > t && next < t1;
}

/* Stores the rows of uT in a piece: coordinates and velocities in the document's order. */
static mbs_status take_rows(void *user, const mbs_piece *piece) {
  mbs_forward_sensitivity *self = user;
  const mbs_model *model = &self->model;
  const double resolution = mbs_time_resolution(model);
  for (; self->row < model->nt; self->row++) {
    const double t = mbs_report_time(model, self->row);
    if (t > piece->t1 + resolution) break;
    size_t stride;
    const double *s = piece->tangents(piece->context, fmin(fmax(t, piece->t), piece->t1), &stride);
    double *row = self->columns + self->row * self->states * self->tangents.count;
    for (size_t j = 0; j < self->tangents.count; j++, s += stride) {
      for (size_t i = 0; i < model->nq; i++) row[i * self->tangents.count + j] = s[model->user_q[i]] + 0.0;
      for (size_t i = 0; i < model->nv; i++)
        row[(model->state.v + i) * self->tangents.count + j] = s[model->state.v + (size_t)model->user_v[i]] + 0.0;
    }
  }
  return MBS_OK;
}

static mbs_status integrate_states(mbs_forward_sensitivity *self, const mbs_hooks *hooks, bool *determined) {
  const mbs_observer observer = {.user = self,
                                 .extension = &mbs_tangents_extension,
                                 .finder = &mbs_lane_finder,
                                 .extended = &self->tangents,
                                 .inside = has_row,
                                 .piece = take_rows};
  self->row = 0;
  mbs_status status = mbs_point_observe(self->runs, self->point, &observer, hooks);
  *determined = status == MBS_OK && self->row == self->model.nt &&
                self->model.nt * self->states == self->model.plan->output_count;
  for (size_t k = 0; *determined && k < self->model.plan->output_count * self->tangents.count; k++)
    *determined = isfinite(self->columns[k]);
  return status;
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

/* Returns true if the computation must end, for a reason other than the motion. */
static bool ends_all(mbs_status status) {
  return status == MBS_CANCELLED || status == MBS_TIMED_OUT || status == MBS_NO_MEMORY;
}

/* Computes dy/dp of the start, by parameter. */
static mbs_status find_start(mbs_forward_sensitivity *self, const mbs_hooks *hooks, mbs_error *error) {
  const size_t count = self->model.plan->vary_count;
  mbs_status status = mbs_finite_difference_at(self->starts, self->point, self->sizes, NULL, 0, hooks, error);
  const double *rows = mbs_finite_difference_values(self->starts);
  self->evaluations = mbs_finite_difference_evaluations(self->starts);
  for (size_t i = 0; i < self->states; i++)
    for (size_t j = 0; j < count; j++) self->start[j * self->states + i] = rows[i * count + j];
  return status;
}

/* Returns true if all derivatives by tangent number `k` are known. */
static bool has_all_derivatives(const mbs_forward_sensitivity *self, size_t k) {
  assert(k < self->tangents.count);
  for (size_t i = 0; i < self->model.plan->output_count; i++)
    if (!isfinite(self->columns[i * self->tangents.count + k])) return false;
  return true;
}

/* Stores the known derivatives. Keeps the tangents that turned out to be small, to integrate them again with errors
 * counted for larger changes of their parameters. */
static void store_columns(mbs_forward_sensitivity *self, double *gradient, bool *known) {
  assert(self->tangents.count <= self->model.plan->vary_count);
  const struct mbs_plan *plan = self->model.plan;
  const size_t count = self->tangents.count;
  size_t weak = 0;
  for (size_t k = 0; k < count; k++) {
    mbs_tangent tangent = self->tangents.of[k];
    const size_t parameter = self->parameters[k];
    const double influence = tangent.most * tangent.size;
    if (tangent.counted == tangent.size && influence > rounding_share && influence < weak_share) {
      tangent.counted = 1 / tangent.most;
      self->tangents.of[k] = self->tangents.of[weak];
      self->tangents.of[weak] = tangent;
      self->parameters[k] = self->parameters[weak];
      assert(weak <= k);
      self->parameters[weak++] = parameter;
      continue;
    }
    known[parameter] = has_all_derivatives(self, k);
    for (size_t i = 0; i < plan->output_count; i++)
      gradient[i * plan->vary_count + parameter] = self->columns[i * count + k];
  }
  self->tangents.count = weak;
}

/* Integrates a motion with the current tangents. */
static mbs_status integrate(mbs_forward_sensitivity *self, const mbs_hooks *hooks, bool *determined) {
  mbs_status status = self->model.plan->states
                          ? integrate_states(self, hooks, determined)
                          : mbs_point_run_tangents(self->runs, self->point, &self->tangents, self->tangents.count,
                                                   hooks, self->outputs, self->columns, determined);
  self->evaluations += mbs_point_evaluations(self->runs);
  return status;
}

mbs_status mbs_forward_sensitivity_at(mbs_forward_sensitivity *forward, const double *values, const double *sizes,
                                      uint64_t evaluations, const mbs_hooks *hooks, double *gradient, bool *known,
                                      mbs_error *error) {
  mbs_forward_sensitivity *self = forward;
  const struct mbs_plan *plan = self->model.plan;
  bool determined = false;
  self->evaluations = 0;
  for (size_t j = 0; j < plan->vary_count; j++) known[j] = false;
  if (!self->starts) return MBS_OK;
  self->point = values;
  self->sizes = sizes;
  memcpy(self->values, values, plan->vary_count * sizeof *values);
  choose_parameters(self);
  if (self->tangents.count == 0) return MBS_OK;
  mbs_status status = find_start(self, hooks, error);
  if (status != MBS_OK) return ends_all(status) ? status : MBS_OK;
  const uint64_t motion = evaluations > least_evaluations ? evaluations : least_evaluations;
  self->model.limits.evaluations = motion * (most_runs + most_runs_each * self->tangents.count);
  while (self->tangents.count > 0 && (status = integrate(self, hooks, &determined)) == MBS_OK && determined)
    store_columns(self, gradient, known);
  if (!ends_all(status)) return MBS_OK;
  *error = (mbs_error){.status = status, .time = NAN};
  return status;
}
