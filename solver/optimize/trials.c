/* Trials of an optimization. A trial costs a run; derivatives cost further runs. */
#include "optimize/trials.h"

#include "base/message.h"
#include "derivatives/gradients.h"
#include "model/constants.h"
#include "simulate/second_run.h"
#include "study/point.h"
#include "study/study_info.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Constraints hold to this share of their scale. */
static const double condition_share = 1e-8;
/* The scale of a constraint is at least this share of the change of its sides when everything they read changes by its
 * size. Each size is at least this share of its value in the first trial, so that "x <= 0" works near 0, too. */
static const double least_size = 0.1;
/* Relative step of differences for parameters that are computed from others. */
static const double follow_step = 1e-3;
/* Derivatives are as accurate as their motion. An optimum is sought with a motion of this tolerance. */
static const double exact_tolerance = 1e-11;

struct mbs_trials {
  const mbs_model *model;
  const struct mbs_plan *plan;
  mbs_result *result;
  const mbs_hooks *host;
  mbs_hooks hooks; /* hooks passed to runs */
  mbs_point_runs *runs;
  mbs_gradients *gradients;
  mbs_model exact;          /* the model with at most exact_tolerance, for derivatives and the motions that have them */
  uint64_t spent;           /* evaluations of the last run of the exact motion */
  mbs_constants *constants; /* constants for reading parameters */
  mbs_motion motion;
  bool *influence;    /* [p] a derivative was not 0 */
  bool has_influence; /* derivatives were available in some trial */
  bool lacked;
  size_t p, m, c, parameters;
  double *inputs;      /* [shown + parameters] outputs and parameters, which criteria may read */
  double *in, *slopes; /* [shown + parameters] inputs of one criterion, and its derivatives by them */
  double *first;       /* [shown + parameters] first nonzero value of each */
  double *assigned;    /* [parameters] */
  double *follow;      /* [parameters x p] d parameter / d value */
  double *scratch;     /* workspace of expressions */
  double *sizes;       /* [c] scales of constraints in the first trial, used by the methods */
  bool has_sizes;
  mbs_trial now, best;
  bool has_now, has_best;
  bool is_stale; /* the best trial belongs to the other motion; the next trial with outputs replaces it */
  mbs_trial_merit nearest;
  char note[512]; /* note in the report of the best trial; may be empty */
  size_t count;
  mbs_trial_failure failures[MBS_STATUS_COUNT];
  size_t failure_count;
  uint64_t evaluations;
  double started;
  mbs_status ended;
  mbs_error error;
};

/* ---- rows ------------------------------------------------------------------------------------------------------ */

enum { ROW_PARAMETERS, ROW_OUTPUTS, ROW_OBJECTIVE, ROW_VIOLATION, ROW_STATUS, ROW_ARRAYS };

static const char *const *one_text(mbs_arena *arena, const char *text) {
  const char **texts = mbs_arena_alloc(arena, 1, sizeof *texts);
  if (texts) *texts = text;
  return texts;
}

static bool open_rows(mbs_trials *self) {
  mbs_arena *arena = self->result->arena;
  const struct mbs_plan *plan = self->plan;
  mbs_study_outline outline;
  if (!mbs_study_outline_of(self->model, arena, &outline)) return false;
  mbs_array *arrays = mbs_arena_alloc(arena, ROW_ARRAYS, sizeof *arrays);
  if (!arrays) return false;
  arrays[ROW_PARAMETERS] = (mbs_array){.name = "parameters",
                                       .doc = "values of the parameters in each trial",
                                       .rank = 2,
                                       .shape = {0, self->p},
                                       .labels = outline.parameter_labels,
                                       .units = outline.parameter_units};
  arrays[ROW_OUTPUTS] = (mbs_array){.name = "outputs",
                                    .doc = "outputs of each trial; null if it failed",
                                    .rank = 2,
                                    .shape = {0, plan->shown_count},
                                    .labels = outline.output_labels,
                                    .units = outline.output_units};
  arrays[ROW_OBJECTIVE] = (mbs_array){.name = "objective",
                                      .doc = plan->purpose == MBS_PURPOSE_FIT
                                                 ? "sum of ((model - value) / sigma)^2 of each trial; null if it failed"
                                                 : "the objective in each trial; null if it failed"};
  arrays[ROW_VIOLATION] =
      (mbs_array){.name = "violation", .doc = "largest violation of a constraint in each trial; 0: all are satisfied"};
  arrays[ROW_STATUS] = (mbs_array){
      .name = "status", .doc = "0: the trial has outputs; above 0: number of its failure in report.study.failures"};
  for (int k = 0; k < ROW_ARRAYS; k++) {
    mbs_array *array = &arrays[k];
    if (array->rank == 0) {
      array->rank = 1;
      array->labels = one_text(arena, array->name);
      array->units = one_text(arena, "");
    }
    array->unit = "";
    array->shape[0] = plan->runs; /* largest possible number */
    array->timeless = array->by_run = true;
    array->data = mbs_arena_alloc(arena, plan->runs * mbs_array_columns(array) + 1, sizeof(double));
    if (!array->labels || !array->units || !array->data) return false;
  }
  self->result->arrays = arrays;
  self->result->array_count = ROW_ARRAYS;
  return true;
}

static size_t number_of(mbs_trials *self, const mbs_error *error) {
  size_t i = 0;
  while (i < self->failure_count && self->failures[i].error.status != error->status) i++;
  if (i == self->failure_count)
    self->failures[self->failure_count++] = (mbs_trial_failure){.error = *error, .first = self->count};
  assert(self->failure_count <= MBS_STATUS_COUNT);
  self->failures[i].count++;
  return i + 1;
}

static void keep_row(mbs_trials *self, const mbs_error *error) {
  assert(self->count < self->plan->runs);
  mbs_array *arrays = self->result->arrays;
  mbs_trial *now = &self->now;
  const size_t row = self->count, shown = self->plan->shown_count;
  const bool good = now->status == MBS_OK;
  memcpy(arrays[ROW_PARAMETERS].data + row * self->p, now->values, self->p * sizeof(double));
  for (size_t i = 0; i < shown; i++) arrays[ROW_OUTPUTS].data[row * shown + i] = now->outputs[i];
  const double sign = self->plan->objective.maximize ? -1 : 1;
  arrays[ROW_OBJECTIVE].data[row] = good ? sign * now->cost + 0.0 : NAN;
  arrays[ROW_VIOLATION].data[row] = good ? now->violation : NAN;
  arrays[ROW_STATUS].data[row] = good ? 0 : (double)number_of(self, error);
  now->row = row;
  self->count++;
  if (self->host && self->host->rows) self->host->rows(self->host->user, self->result, self->count);
}

/* ---- allocation -------------------------------------------------------------------------------------------------- */

static bool open_trial(mbs_trials *self, mbs_trial *trial) {
  mbs_arena *arena = self->result->arena;
  trial->values = mbs_arena_alloc(arena, self->p + 1, sizeof(double));
  trial->outputs = mbs_arena_alloc(arena, self->m + 1, sizeof(double));
  trial->conditions = mbs_arena_alloc(arena, self->c + 1, sizeof(double));
  trial->sizes = mbs_arena_alloc(arena, self->c + 1, sizeof(double));
  trial->output_slopes = mbs_arena_alloc(arena, self->m * self->p + 1, sizeof(double));
  trial->cost_slopes = mbs_arena_alloc(arena, self->p + 1, sizeof(double));
  trial->condition_slopes = mbs_arena_alloc(arena, self->c * self->p + 1, sizeof(double));
  return trial->values && trial->outputs && trial->conditions && trial->sizes && trial->output_slopes &&
         trial->cost_slopes && trial->condition_slopes;
}

static void copy_trial(const mbs_trials *self, mbs_trial *to, const mbs_trial *from) {
  assert(to != from);
  mbs_trial copy = *to;
  memcpy(copy.values, from->values, self->p * sizeof(double));
  memcpy(copy.outputs, from->outputs, self->m * sizeof(double));
  memcpy(copy.conditions, from->conditions, self->c * sizeof(double));
  memcpy(copy.sizes, from->sizes, self->c * sizeof(double));
  memcpy(copy.output_slopes, from->output_slopes, self->m * self->p * sizeof(double));
  memcpy(copy.cost_slopes, from->cost_slopes, self->p * sizeof(double));
  memcpy(copy.condition_slopes, from->condition_slopes, self->c * self->p * sizeof(double));
  *to = *from;
  to->values = copy.values;
  to->outputs = copy.outputs;
  to->conditions = copy.conditions;
  to->sizes = copy.sizes;
  to->output_slopes = copy.output_slopes;
  to->cost_slopes = copy.cost_slopes;
  to->condition_slopes = copy.condition_slopes;
}

static size_t most_slots(const struct mbs_plan *plan) {
  const mbs_objective *objective = &plan->objective;
  size_t most = objective->criterion ? mbs_expression_slots(objective->criterion) : 0;
  for (size_t k = 0; k < 2 * objective->count; k++) {
    const mbs_condition *condition = &objective->conditions[k / 2];
    size_t slots = mbs_expression_slots(k % 2 ? condition->right : condition->left);
    most = slots > most ? slots : most;
  }
  return most;
}

/* Reports progress as a share of all trials, and ends the search at its time limit. */
static bool progress(void *user, double t, double fraction, uint64_t evaluations) {
  mbs_trials *self = user;
  (void)t;
  const double done = ((double)self->count + fraction) / (double)self->plan->runs;
  if (self->host && self->host->progress &&
      !self->host->progress(self->host->user, 0, fmin(done, 1), self->evaluations + evaluations))
    self->ended = MBS_CANCELLED;
  if (self->ended == MBS_OK && self->plan->wall_seconds > 0 && self->host && self->host->now &&
      self->host->now(self->host->user) - self->started > self->plan->wall_seconds)
    self->ended = MBS_TIMED_OUT;
  return self->ended == MBS_OK;
}

static double now_of(void *user) {
  const mbs_trials *self = user;
  return self->host->now(self->host->user);
}

mbs_trials *mbs_trials_new(const mbs_model *model, const mbs_hooks *hooks, mbs_result *result) {
  assert(model->plan != NULL);
  const struct mbs_plan *plan = model->plan;
  mbs_arena *arena = result->arena;
  mbs_trials *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  const bool has_clock = hooks && hooks->now;
  *self = (mbs_trials){.model = model,
                       .plan = plan,
                       .result = result,
                       .host = hooks,
                       .p = plan->vary_count,
                       .m = plan->output_count,
                       .c = plan->objective.count,
                       .parameters = model->parameter_count,
                       .started = has_clock ? hooks->now(hooks->user) : 0};
  self->hooks = (mbs_hooks){.user = self, .progress = progress, .now = has_clock ? now_of : NULL};
  self->inputs = mbs_arena_alloc(arena, plan->shown_count + self->parameters + 1, sizeof(double));
  self->in = mbs_arena_alloc(arena, plan->shown_count + self->parameters + 1, sizeof(double));
  self->slopes = mbs_arena_alloc(arena, plan->shown_count + self->parameters + 1, sizeof(double));
  self->first = mbs_arena_alloc(arena, plan->shown_count + self->parameters + 1, sizeof(double));
  self->assigned = mbs_arena_alloc(arena, self->parameters + 1, sizeof(double));
  self->follow = mbs_arena_alloc(arena, self->parameters * self->p + 1, sizeof(double));
  self->scratch = mbs_arena_alloc(arena, most_slots(plan) + 1, sizeof(double));
  self->sizes = mbs_arena_alloc(arena, self->c + 1, sizeof(double));
  self->influence = mbs_arena_alloc(arena, self->p + 1, sizeof *self->influence);
  self->constants = mbs_constants_new(model, arena);
  self->runs = mbs_point_runs_new(model, arena);
  self->exact = *model;
  if (model->rtol > exact_tolerance) mbs_refine_to(&self->exact, exact_tolerance);
  self->gradients = mbs_gradients_new(&self->exact, arena);
  if (self->inputs && self->in && self->slopes && self->first && self->assigned && self->follow && self->scratch &&
      self->sizes && self->influence && self->constants && self->runs && self->gradients &&
      open_trial(self, &self->now) && open_trial(self, &self->best) && open_rows(self))
    return self;
  mbs_trials_free(self);
  return NULL;
}

void mbs_trials_free(mbs_trials *trials) {
  if (!trials) return;
  mbs_point_runs_free(trials->runs);
  mbs_gradients_free(trials->gradients);
}

/* ---- criteria ---------------------------------------------------------------------------------------------------- */

/* Returns all parameters for these values of the varied ones. */
static const double *parameters_at(mbs_trials *self, const double *values) {
  mbs_diagnostics list = {0};
  for (size_t i = 0; i < self->parameters; i++) self->assigned[i] = NAN;
  for (size_t j = 0; j < self->p; j++) self->assigned[self->plan->vary[j].parameter] = values[j];
  mbs_bind_parameters(self->constants, self->assigned, &list);
  mbs_diagnostics_free(&list);
  return self->constants->parameters;
}

static bool any_follows(const mbs_trials *self) {
  for (size_t i = 0; i < self->parameters; i++)
    if (self->model->parameters[i].expression) return true;
  return false;
}

/* Computes d parameter / d value, by differences of fourth order for parameters that are computed from others. */
static void find_follow(mbs_trials *self) {
  double *values = self->now.values;
  const size_t p = self->p;
  const bool follows = any_follows(self);
  memset(self->follow, 0, self->parameters * p * sizeof(double));
  for (size_t j = 0; j < p; j++) {
    self->follow[(size_t)self->plan->vary[j].parameter * p + j] = 1;
    const double v = values[j], h = follow_step * (v != 0 ? fabs(v) : 1);
    static const double steps[] = {1, -1, 2, -2}, weights[] = {8, -8, -1, 1};
    for (int k = 0; k < 4 && follows; k++) {
      values[j] = v + steps[k] * h;
      const double *at = parameters_at(self, values);
      for (size_t i = 0; i < self->parameters; i++)
        if (self->model->parameters[i].expression && isnan(self->assigned[i]))
          self->follow[i * p + j] += weights[k] * at[i] / (12 * h);
      values[j] = v;
    }
  }
}

static void set_inputs(mbs_trials *self) {
  const size_t shown = self->plan->shown_count;
  memcpy(self->inputs, self->now.outputs, shown * sizeof(double));
  memcpy(self->inputs + shown, parameters_at(self, self->now.values), self->parameters * sizeof(double));
  for (size_t i = 0; i < shown + self->parameters; i++)
    if (self->first[i] == 0 && isfinite(self->inputs[i])) self->first[i] = fabs(self->inputs[i]);
}

/* Evaluates a criterion; its inputs are a subset of all inputs. */
static double criterion_value(mbs_trials *self, const mbs_expression *criterion) {
  size_t count;
  const int *inputs = mbs_expression_inputs(criterion, &count);
  double value;
  if (mbs_expression_is_constant(criterion, &value)) return value;
  for (size_t k = 0; k < count; k++) self->in[k] = self->inputs[inputs[k]];
  return mbs_expression_value(criterion, self->in, NULL, self->scratch);
}

/* Returns the change of one side of a constraint when everything it reads changes by its size: for "1e9*(x^2 - 1)" near
 * x = 1 that is 2e9. */
static double change_of_side(mbs_trials *self, const mbs_expression *side) {
  size_t count;
  const int *inputs = mbs_expression_inputs(side, &count);
  double sum = 0;
  for (size_t k = 0; k < count; k++) self->in[k] = self->inputs[inputs[k]];
  if (count > 0) mbs_expression_gradient(side, self->in, NULL, self->scratch, self->slopes);
  for (size_t k = 0; k < count; k++) {
    const double change = fabs(self->slopes[k]) * fmax(fabs(self->in[k]), least_size * self->first[inputs[k]]);
    if (isfinite(change)) sum += change;
  }
  return sum;
}

/* Returns the scale of a constraint. theory (20.7) */
static double size_of(mbs_trials *self, const mbs_condition *condition, double left, double right) {
  const double most = change_of_side(self, condition->left) + change_of_side(self, condition->right);
  return fmax(fmax(fabs(left), fabs(right)), least_size * most);
}

/* Records that a used output has only estimated derivatives. */
static void use_output(mbs_trials *self, size_t output) {
  assert(output < self->m);
  if (isnan(mbs_gradients_values(self->gradients)[output * self->p])) self->lacked = true;
}

/* Adds `sign` times the derivatives of a criterion to out [p]. */
static void add_slopes(mbs_trials *self, const mbs_expression *criterion, double sign, double *out) {
  size_t count;
  const size_t shown = self->plan->shown_count, p = self->p;
  const int *inputs = mbs_expression_inputs(criterion, &count);
  double value;
  if (mbs_expression_is_constant(criterion, &value)) return;
  for (size_t k = 0; k < count; k++) self->in[k] = self->inputs[inputs[k]];
  mbs_expression_gradient(criterion, self->in, NULL, self->scratch, self->slopes);
  for (size_t k = 0; k < count; k++) {
    const size_t input = (size_t)inputs[k];
    if (input < shown && self->slopes[k] != 0) use_output(self, input);
    const double *row = input < shown ? self->now.output_slopes + input * p : self->follow + (input - shown) * p;
    for (size_t j = 0; j < p && self->slopes[k] != 0; j++) out[j] += sign * self->slopes[k] * row[j];
  }
}

double mbs_trial_residual(const struct mbs_plan *plan, const mbs_trial *trial, size_t i) {
  assert(i < plan->data_count);
  const mbs_datum *datum = &plan->data[i];
  return (trial->outputs[plan->shown_count + i] - datum->value) / datum->sigma;
}

static double residual(const mbs_trials *self, size_t i) { return mbs_trial_residual(self->plan, &self->now, i); }

/* Computes cost and constraints of the trial. Returns false if they are not finite. */
static bool judge(mbs_trials *self) {
  mbs_trial *now = &self->now;
  const mbs_objective *objective = &self->plan->objective;
  now->cost = now->violation = now->excess = 0;
  now->worst = 0;
  for (size_t i = 0; i < self->plan->data_count; i++) now->cost += residual(self, i) * residual(self, i);
  if (self->plan->purpose == MBS_PURPOSE_FIT) return isfinite(now->cost);
  set_inputs(self);
  now->cost = (objective->maximize ? -1 : 1) * criterion_value(self, objective->criterion);
  bool finite = isfinite(now->cost);
  for (size_t k = 0; k < self->c; k++) {
    const mbs_condition *condition = &objective->conditions[k];
    const double left = criterion_value(self, condition->left), right = criterion_value(self, condition->right);
    const double value = condition->relation == MBS_AT_LEAST ? right - left : left - right;
    const double excess = condition->relation == MBS_EQUAL ? fabs(value) : fmax(value, 0);
    now->sizes[k] = size_of(self, condition, left, right);
    if (!self->has_sizes) self->sizes[k] = now->sizes[k];
    now->conditions[k] = value;
    if (excess > now->violation) now->worst = k;
    now->violation = fmax(now->violation, excess);
    if (excess > 0) now->excess = fmax(now->excess, excess / fmax(now->sizes[k], DBL_MIN));
    finite = finite && isfinite(value);
  }
  self->has_sizes = self->has_sizes || finite;
  return finite;
}

static void judge_slopes(mbs_trials *self) {
  mbs_trial *now = &self->now;
  const mbs_objective *objective = &self->plan->objective;
  memset(now->cost_slopes, 0, self->p * sizeof(double));
  memset(now->condition_slopes, 0, self->c * self->p * sizeof(double));
  for (size_t i = 0; i < self->plan->data_count; i++) {
    const double *row = now->output_slopes + (self->plan->shown_count + i) * self->p;
    use_output(self, self->plan->shown_count + i);
    for (size_t j = 0; j < self->p; j++)
      now->cost_slopes[j] += 2 * residual(self, i) * row[j] / self->plan->data[i].sigma;
  }
  if (self->plan->purpose == MBS_PURPOSE_FIT) return;
  find_follow(self);
  set_inputs(self);
  add_slopes(self, objective->criterion, objective->maximize ? -1 : 1, now->cost_slopes);
  for (size_t k = 0; k < self->c; k++) {
    const mbs_condition *condition = &objective->conditions[k];
    const double sign = condition->relation == MBS_AT_LEAST ? -1 : 1;
    add_slopes(self, condition->left, sign, now->condition_slopes + k * self->p);
    add_slopes(self, condition->right, -sign, now->condition_slopes + k * self->p);
  }
}

/* ---- trials ---------------------------------------------------------------------------------------------------- */

bool mbs_trial_is_feasible(const mbs_trial *trial) { return trial->excess <= condition_share; }

static bool is_better(const mbs_trial *one, const mbs_trial *other) {
  const bool holds = mbs_trial_is_feasible(one), held = mbs_trial_is_feasible(other);
  if (holds != held) return holds;
  return holds ? one->cost < other->cost : one->excess < other->excess;
}

/* Updates `nearest`, the best of all trials with either motion: the one with the smallest absolute violation, which is
 * 0 if it is feasible; among equals the one with the lowest cost. */
static void keep_nearest(mbs_trials *self) {
  const mbs_trial *now = &self->now;
  mbs_trial_merit *nearest = &self->nearest;
  const mbs_trial_merit merit = {.row = now->row,
                                 .any = true,
                                 .feasible = mbs_trial_is_feasible(now),
                                 .violation = now->violation,
                                 .worst = now->worst,
                                 .cost = now->cost};
  const double before = nearest->feasible ? 0 : nearest->violation, after = merit.feasible ? 0 : now->violation;
  if (!nearest->any || after < before || (after == before && now->cost < nearest->cost)) *nearest = merit;
}

static bool same_values(const mbs_trials *self, const mbs_trial *trial, const double *values) {
  return memcmp(trial->values, values, self->p * sizeof(double)) == 0;
}

/* Returns true if a status ends all trials, and stores it with its error. */
static bool ends_all(mbs_trials *self, mbs_status status, const mbs_error *error) {
  const bool mine = self->ended != MBS_OK;
  if (!mine && status != MBS_CANCELLED && status != MBS_NO_MEMORY) return false;
  if (!mine) self->ended = status;
  self->error = *error;
  return true;
}

/* Returns true if two values differ by more than rounding. */
static bool differs(double one, double other) {
  return fabs(one - other) > mbs_influence_share * fmax(fabs(one), fabs(other));
}

/* Records that a parameter has influence if a trial differs from the best one in this parameter alone and in a result.
 * That helps where slopes are zero. */
static void note_influence_of_difference(mbs_trials *self) {
  const mbs_trial *now = &self->now, *best = &self->best;
  size_t count = 0, at = 0;
  for (size_t j = 0; j < self->p; j++) {
    if (!differs(now->values[j], best->values[j])) continue; /* coordinates of the search may round */
    count++;
    at = j;
  }
  if (count != 1 || self->influence[at]) return;
  bool any = differs(now->cost, best->cost);
  for (size_t k = 0; k < self->c && !any; k++) any = differs(now->conditions[k], best->conditions[k]);
  for (size_t i = 0; i < self->m && !any; i++) any = differs(now->outputs[i], best->outputs[i]);
  self->influence[at] = any;
}

/* Makes the run for now.values. Returns false if the search must end. */
static bool run(mbs_trials *self) {
  mbs_trial *now = &self->now;
  mbs_error error = {.time = NAN};
  const char *note;
  now->has_slopes = false;
  if (self->motion == MBS_MOTION_GIVEN) {
    now->status = mbs_point_run(self->runs, now->values, &self->hooks, now->outputs, &error);
    self->evaluations += mbs_point_evaluations(self->runs);
    note = mbs_point_note(self->runs);
  } else {
    now->status = mbs_gradients_outputs(self->gradients, now->values, &self->hooks, now->outputs, &error);
    self->spent = mbs_gradients_evaluations(self->gradients);
    self->evaluations += self->spent;
    note = mbs_gradients_note(self->gradients);
  }
  if (now->status != MBS_OK && ends_all(self, now->status, &error)) return false;
  if (now->status == MBS_OK && !judge(self)) {
    now->status = MBS_NOT_FINITE;
    error = (mbs_error){.status = MBS_NOT_FINITE, .time = NAN};
    mbs_message(error.message, sizeof error.message, "the objective or a constraint has no finite value");
  }
  if (now->status != MBS_OK) {
    now->cost = now->violation = now->excess = NAN;
    for (size_t i = 0; i < self->m; i++) now->outputs[i] = NAN;
  }
  keep_row(self, &error);
  self->has_now = true;
  if (now->status == MBS_OK) keep_nearest(self);
  if (now->status == MBS_OK && self->has_best && !self->is_stale) note_influence_of_difference(self);
  if (now->status == MBS_OK && (!self->has_best || self->is_stale || is_better(now, &self->best))) {
    copy_trial(self, &self->best, now);
    self->has_best = true;
    self->is_stale = false;
    snprintf(self->note, sizeof self->note, "%s", note ? note : "");
  }
  return true;
}

static void note_influence_of_slopes(mbs_trials *self) {
  const mbs_trial *now = &self->now;
  self->has_influence = true;
  for (size_t j = 0; j < self->p; j++) {
    const double size = fmax(fabs(now->values[j]), DBL_MIN);
    bool any = fabs(now->cost_slopes[j]) * size > mbs_influence_share * fabs(now->cost);
    for (size_t k = 0; k < self->c; k++) any = any || now->condition_slopes[k * self->p + j] != 0;
    for (size_t i = 0; i < self->m && !any; i++)
      any = fabs(now->output_slopes[i * self->p + j]) * size > mbs_influence_share * fabs(now->outputs[i]);
    self->influence[j] = self->influence[j] || any;
  }
}

/* Computes the derivatives of the trial. Returns false if the search must end. */
static bool find_slopes(mbs_trials *self) {
  mbs_trial *now = &self->now;
  mbs_error error = {.time = NAN};
  mbs_status status = mbs_gradients_at(self->gradients, now->values, self->spent, &self->hooks, &error);
  self->evaluations += mbs_gradients_evaluations(self->gradients) - self->spent;
  if (status != MBS_OK && status != MBS_NO_DERIVATIVE && ends_all(self, status, &error)) return false;
  const double *estimates = mbs_gradients_estimates(self->gradients);
  for (size_t k = 0; k < self->m * self->p; k++) now->output_slopes[k] = isfinite(estimates[k]) ? estimates[k] : 0;
  judge_slopes(self);
  note_influence_of_slopes(self);
  now->has_slopes = true;
  if (self->has_best && self->best.row == now->row) copy_trial(self, &self->best, now);
  return true;
}

const mbs_trial *mbs_trial_at(mbs_trials *trials, const double *values, bool slopes) {
  mbs_trials *self = trials;
  if (self->ended != MBS_OK) return NULL;
  const bool is_best = self->has_best && !self->is_stale && same_values(self, &self->best, values);
  if (is_best && !(self->has_now && self->now.row == self->best.row)) copy_trial(self, &self->now, &self->best);
  if (!is_best && !(self->has_now && same_values(self, &self->now, values))) {
    if (mbs_trials_left(self) == 0) return NULL;
    memcpy(self->now.values, values, self->p * sizeof(double));
    if (!run(self)) return NULL;
  }
  if (slopes && self->motion == MBS_MOTION_EXACT && self->now.status == MBS_OK && !self->now.has_slopes &&
      !find_slopes(self))
    return NULL;
  return &self->now;
}

void mbs_trials_prefer(mbs_trials *trials) {
  copy_trial(trials, &trials->best, &trials->now);
  trials->has_best = true;
  trials->is_stale = false;
}

const mbs_trial *mbs_trials_best(const mbs_trials *trials) { return trials->has_best ? &trials->best : NULL; }

const mbs_trial_merit *mbs_trials_nearest(const mbs_trials *trials) { return &trials->nearest; }

double mbs_trials_condition_size(const mbs_trials *trials, size_t k) {
  return trials->sizes[k] > 0 ? trials->sizes[k] : 1;
}

const char *mbs_trials_parameter_name(const mbs_trials *trials, size_t j) {
  return trials->model->parameters[trials->plan->vary[j].parameter].name;
}

size_t mbs_trials_count(const mbs_trials *trials) { return trials->count; }

size_t mbs_trials_left(const mbs_trials *trials) { return trials->plan->runs - trials->count; }

void mbs_trials_set_motion(mbs_trials *trials, mbs_motion motion) {
  trials->motion = motion;
  trials->has_now = false;
  trials->is_stale = true;
}

bool mbs_trials_lacked_slopes(mbs_trials *trials) {
  bool lacked = trials->lacked;
  trials->lacked = false;
  return lacked;
}

mbs_status mbs_trials_end(const mbs_trials *trials, mbs_error *error) {
  *error = trials->error;
  error->status = trials->ended;
  return trials->ended;
}

const bool *mbs_trials_influence(const mbs_trials *trials) { return trials->has_influence ? trials->influence : NULL; }

const char *mbs_trials_note(const mbs_trials *trials) { return trials->note; }

const mbs_trial_failure *mbs_trials_failures(const mbs_trials *trials, size_t *count) {
  *count = trials->failure_count;
  return trials->failures;
}

uint64_t mbs_trials_evaluations(const mbs_trials *trials) { return trials->evaluations; }
