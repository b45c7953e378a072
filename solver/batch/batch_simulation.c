/* Integrates several motions in vector lanes. Each motion has its own stepper (ode/stepper.h). Only the attempts of its
 * steps, nearly all of the work, are made in lanes: stages, projection, and the slope at the end. An attempt fails
 * in its lane if it is not ordinary: a pivot near a loss of rank, an iteration that needs new factors, a close limit,
 * or an event. The motion then repeats the attempt separately, from the start of the step. */
#include "batch/batch_simulation.h"

#include "batch/batch_internal.h"
#include "constraints/projection.h"
#include "equations/contacts.h"
#include "equations/forces.h"
#include "equations/residual_rounding.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "equations/state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

_Static_assert((int)MBS_BATCH_MAX == (int)MBS_LANES_MAX, "a lane for each run");

const char *mbs_batch_unsupported_reason(const mbs_model *model) {
  const mbs_method *method = mbs_method_named(model->method);
  if (model->type != MBS_DYNAMICS) return "an analysis other than dynamics";
  if (method != &mbs_dopri5 && method != &mbs_dop853) return "a method other than dopri5 and dop853";
  if (model->rows > 0 && model->constraints != MBS_PROJECTION) return "constraints that are not enforced by projection";
  return mbs_count_margins(model) > 0 ? "curves" : mbs_lanes_unsupported_reason(model);
}

bool mbs_batch_is_supported(const mbs_model *model) {
  return !mbs_batch_unsupported_reason(model) && mbs_lanes_supported(model);
}

/* Returns the run of a lane, or, if the lane has none, the next run that is active; NULL if there is none. */
static mbs_runner *runner_of(mbs_batch *self, int lane) {
  assert(lane >= 0 && lane < self->width);
  for (int k = 0; k < self->width; k++)
    if (mbs_runner_is_active(&self->runners[(lane + k) % self->width])) return &self->runners[(lane + k) % self->width];
  return NULL;
}

/* ---- redundant rows --------------------------------------------------------------------------------------------- */

/* Returns true if the run and the lanes omit the same redundant rows. */
static bool has_same_rows(const mbs_batch *self, const mbs_runner *runner) {
  const mbs_system *system = runner->run.system;
  return (system->all_active && self->lanes->all_active) ||
         memcmp(system->active, self->lanes->active, self->model->rows * sizeof(bool)) == 0;
}

/* Makes the lanes omit the redundant rows of a new run, unless another active run relies on their present rows. */
static void adopt_active_rows(mbs_batch *self, const mbs_runner *fresh) {
  for (int k = 0; k < self->width; k++)
    if (&self->runners[k] != fresh && mbs_runner_is_active(&self->runners[k]) && has_same_rows(self, &self->runners[k]))
      return;
  mbs_lanes_set_active_rows(self->lanes, fresh->run.system);
}

/* ---- callbacks of the lanes -------------------------------------------------------------------------------------- */

/* Lanes that are not `fine` are skipped: their results are not used. */

static void set_functions(void *user) {
  mbs_batch *self = user;
  for (int k = 0; k < self->width; k++)
    if (self->lanes->fine[k])
      self->lanes->fine[k] =
          mbs_lanes_set_functions(self->lanes, k, self->runners[k].run.system, self->lanes->t[k]) == MBS_OK;
}

static void apply_forces(void *user) {
  mbs_batch *self = user;
  for (int k = 0; k < self->width; k++) {
    mbs_system *system = self->runners[k].run.system;
    if (!self->lanes->fine[k]) continue;
    system->t = self->lanes->t[k];
    mbs_lanes_extract(self->lanes, k, system);
    mbs_apply_forces(system);
    mbs_lanes_store_forces(self->lanes, k, system);
  }
}

mbs_batch *mbs_batch_new(const mbs_model *model, size_t most, mbs_arena *arena) {
  mbs_batch *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  self->model = model;
  const size_t n_error = model->state.motion;
  self->n = n_error + (model->has_power ? 2 : 0);
  assert(self->n == model->state.size);
  self->lanes = mbs_lanes_new(model, most, arena);
  if (!self->lanes) return NULL;
  self->width = (int)self->lanes->width;
  self->early_error = mbs_method_named(model->method)->early_error;
  self->numbers = mbs_lane_numbers_new(self->lanes, arena);
  if (!self->numbers || !mbs_lanes_open_steps(self->lanes, model->method, self->n, n_error, arena, &self->stages))
    return NULL;
  self->discarded = mbs_arena_alloc(arena, self->n + self->stages + 1, sizeof *self->discarded);
  self->lanes->host = (mbs_lane_host){self, set_functions, apply_forces};
  return self->discarded && mbs_batch_open_parts(self, arena) ? self : NULL;
}

int mbs_batch_width(const mbs_batch *batch) { return batch->width; }

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

/* Largest number of evaluations of an attempt, including its halves. */
enum { ATTEMPT_EVALUATIONS_MAX = 16 + 2 * 16 };

/* Returns true if the run has the tolerances of the model, which lanes use in their error norms. */
static bool has_tolerance(const mbs_runner *runner) {
  const mbs_tolerance *tolerance = &runner->motion.self.tolerance;
  return tolerance->rtol == runner->run.model->rtol && tolerance->atol == runner->run.model->atol;
}

/* Returns true if the run may make its next attempt in its lane. */
static bool is_ordinary(const mbs_batch *self, const mbs_runner *runner) {
  const mbs_system *system = runner->run.system;
  const mbs_limits *limits = &runner->run.model->limits;
  return !runner->motion.self.near.singular && has_tolerance(runner) && has_same_rows(self, runner) &&
         system->mass_shift == 0 && system->sliding->count == 0 && !runner->stepper.to_event &&
         system->rounding < mbs_projection_accepted &&
         (limits->evaluations == 0 || system->evaluations + ATTEMPT_EVALUATIONS_MAX < limits->evaluations);
}

/* Copies states, slopes, times and step lengths of all runs into the lanes. */
static void fill_lanes(mbs_batch *self, mbs_step_span *step) {
  mbs_lanes *lanes = self->lanes;
  const double *y[MBS_BATCH_MAX], *f0[MBS_BATCH_MAX];
  for (int k = 0; k < self->width; k++) {
    const mbs_runner *runner = runner_of(self, k);
    assert(runner != NULL);
    y[k] = runner->stepper.y;
    f0[k] = runner->stepper.f0;
    step->t[k] = runner->stepper.t;
    step->h[k] = runner->stepper.h;
    step->t1[k] = runner->stepper.t1;
    lanes->fine[k] = mbs_runner_is_active(&self->runners[k]) && self->runners[k].in_lane;
    lanes->least_ratio[k] = mbs_ordinary_ratio(runner->run.system);
  }
  mbs_lanes_gather(lanes, lanes->y, self->n, y);
  mbs_lanes_gather(lanes, lanes->f0, self->n, f0);
}

/* Copies an array of the lanes to the same array of each run's stepper. */
static void copy_to_steppers(mbs_batch *self, const double *from, size_t n, double *(*of)(mbs_stepper *stepper)) {
  double *to[MBS_BATCH_MAX];
  for (int k = 0; k < self->width; k++)
    to[k] = mbs_runner_is_active(&self->runners[k]) ? of(&self->runners[k].stepper) : self->discarded;
  mbs_lanes_scatter(self->lanes, from, n, to);
}

static double *y1_of(mbs_stepper *stepper) { return stepper->y1; }
static double *f1_of(mbs_stepper *stepper) { return stepper->f1; }
static double *errors_of(mbs_stepper *stepper) { return stepper->errors; }

/* Computes the error norms of the current attempts. If there are quadratures, also copies what each stepper needs to
 * include them in its norm. */
static void find_errors(mbs_batch *self, double norm[MBS_BATCH_MAX]) {
  mbs_lanes_errors(self->lanes, self->step.h, norm);
  if (!self->model->has_power) return;
  if (self->early_error) copy_to_steppers(self, self->lanes->y1, self->n, y1_of);
  copy_to_steppers(self, self->lanes->errors, self->n, errors_of);
}

static void note_power(const mbs_lanes *lanes, int lane, mbs_runner *runner) {
  if (runner->run.model->has_power) runner->motion.self.energy.power = mbs_lane_power(lanes, lane);
}

static void count(mbs_runner *runner, uint64_t evaluations) {
  runner->run.system->evaluations += evaluations;
  runner->stats.evaluations += evaluations;
}

/* Finishes the stages of a run's attempt, made with `evaluations`; `norm` is the error norm of the motion if the
 * method knows it early. Returns true if the attempt continues. */
static bool finish_stages(const mbs_lanes *lanes, int lane, mbs_runner *runner, double norm, uint64_t evaluations) {
  assert(lane >= 0 && lane < (int)lanes->width);
  mbs_stepper *stepper = &runner->stepper;
  runner->in_lane = lanes->fine[lane];
  if (!runner->in_lane) return false;
  mbs_stepper_reset_attempt(stepper);
  runner->norm = 0;
  note_power(lanes, lane, runner);
  runner->status = stepper->method->early_error ? mbs_stepper_judge_quadratures(stepper, norm, &runner->norm) : MBS_OK;
  const bool goes_on = runner->status == MBS_OK && runner->norm <= 1;
  if (!goes_on) count(runner, evaluations);
  return goes_on;
}

/* Finishes a run's attempt, whose end y1 was projected and has the slope f1. `evaluations` is the total of the attempt;
 * `norm` is used if the method did not know it early. */
static void finish_attempt(const mbs_lanes *lanes, int lane, mbs_runner *runner, double norm, double stiffness,
                           uint64_t evaluations) {
  mbs_stepper *stepper = &runner->stepper;
  runner->in_lane = lanes->fine[lane];
  if (!runner->in_lane) return;
  count(runner, evaluations);
  note_power(lanes, lane, runner);
  mbs_runner_note_redundant(lanes, lane, runner);
  if (runner->run.model->rows) runner->run.system->pivot_ratio = lanes->pivot_ratio[lane];
  runner->run.system->shifted = runner->run.system->unequal_masses = false;
  mbs_dynamics_set_observed(&runner->motion.self, true);
  stepper->stiffness = stiffness;
  if (!stepper->method->early_error) runner->status = mbs_stepper_judge_quadratures(stepper, norm, &runner->norm);
  runner->prepares = runner->status == MBS_OK && runner->norm <= 1 && mbs_stepper_needs_dense_output(stepper);
}

/* ---- attempts of all runs ---------------------------------------------------------------------------------------- */

/* Prepares dense output of all runs that need it. A run whose lane is not fine prepares it separately. */
static void prepare_in_lanes(mbs_batch *self) {
  mbs_lanes *lanes = self->lanes;
  const uint64_t evaluations = mbs_lanes_prepare(lanes, self->step.t, self->step.h);
  double *to[MBS_BATCH_MAX], error[MBS_BATCH_MAX];
  mbs_lanes_dense_error(lanes, error);
  for (int k = 0; k < self->width; k++) {
    mbs_runner *runner = &self->runners[k];
    to[k] = runner->prepares ? runner->stepper.workspace : self->discarded;
    runner->prepares = runner->prepares && lanes->fine[k];
  }
  mbs_lanes_scatter(lanes, lanes->stages, self->stages, to);
  for (int k = 0; k < self->width; k++) {
    mbs_runner *runner = &self->runners[k];
    if (!runner->prepares) continue;
    count(runner, evaluations);
    if (evaluations > 0) note_power(lanes, k, runner);
    if (runner->run.model->rows) runner->run.system->pivot_ratio = lanes->pivot_ratio[k];
    mbs_stepper_prepared(&runner->stepper, error[k]);
  }
}

/* Returns true if the end of a step is projected: onto constraints, or Euler parameters to unit length. */
static bool moves_onto(const mbs_model *model) { return model->rows || model->nq != model->nv; }

/* Makes the current attempts in lanes. */
static void attempt_in_lanes(mbs_batch *self) {
  mbs_lanes *lanes = self->lanes;
  const mbs_step_span *step = &self->step;
  bool goes_on[MBS_BATCH_MAX], any = false, prepare = false;
  double norm[MBS_BATCH_MAX] = {0}, stiffness[MBS_BATCH_MAX];
  fill_lanes(self, &self->step);
  const uint64_t evaluations = mbs_lanes_step(lanes, step->t, step->h);
  if (self->early_error) find_errors(self, norm);
  for (int k = 0; k < self->width; k++)
    any |= goes_on[k] = self->runners[k].in_lane && finish_stages(lanes, k, &self->runners[k], norm[k], evaluations);
  if (!any) return;
  mbs_lanes_at(lanes, step->t1, lanes->y1);
  if (moves_onto(self->model)) mbs_lanes_project_positions(lanes, lanes->fine);
  if (self->model->rows) mbs_lanes_project_velocities(lanes, lanes->fine);
  mbs_lanes_rates(lanes, step->t1, lanes->y1, lanes->f1);
  copy_to_steppers(self, lanes->y1, self->n, y1_of);
  copy_to_steppers(self, lanes->f1, self->n, f1_of);
  if (!self->early_error) find_errors(self, norm);
  mbs_lanes_stiffness(lanes, step->h, stiffness);
  for (int k = 0; k < self->width; k++) {
    if (goes_on[k]) finish_attempt(lanes, k, &self->runners[k], norm[k], stiffness[k], evaluations + 1);
    prepare |= self->runners[k].prepares;
  }
  if (prepare) prepare_in_lanes(self);
}

/* Makes an attempt separately. Recomputes the rounding of the position, which the last projection, in a lane, did
 * not. */
static void attempt_separately(mbs_runner *runner) {
  mbs_system *system = runner->run.system;
  if (runner->run.model->rows && !runner->motion.self.near.singular) {
    mbs_set_position(system, runner->stepper.t, runner->stepper.y);
    system->rounding = mbs_residual_rounding(system);
  }
  runner->status = mbs_stepper_attempt(&runner->stepper, &runner->norm);
}

/* Makes the current attempts of all runs. */
static void attempt(mbs_batch *self) {
  int lanes = 0;
  for (int k = 0; k < self->width; k++) {
    mbs_runner *runner = &self->runners[k];
    runner->in_lane = runner->prepares = runner->accepted = false;
    if (!mbs_runner_is_active(runner)) continue;
    mbs_batch_discard_step(self, k);
    const bool ordinary = is_ordinary(self, runner);
    runner->status = ordinary ? mbs_run_check(&runner->run, runner->stepper.t) : MBS_OK;
    runner->in_lane = ordinary && runner->status == MBS_OK;
    lanes += runner->in_lane;
  }
  /* a single lane would be slower than a separate attempt */
  if (lanes > 1) attempt_in_lanes(self);
  for (int k = 0; k < self->width; k++) {
    mbs_runner *runner = &self->runners[k];
    const bool done = lanes > 1 && runner->in_lane;
    if (mbs_runner_is_active(runner) && !done && runner->status == MBS_OK) attempt_separately(runner);
  }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void end(mbs_runner *runner, mbs_status status) {
  assert(!runner->ended);
  mbs_motion_count(&runner->motion, &runner->stats);
  runner->status = mbs_observed_end(&runner->run, mbs_motion_close(&runner->motion, status));
  runner->ended = true;
}

/* Begins the next segment of a motion. */
static mbs_status begin_segment(mbs_runner *runner) {
  assert(runner->motion.segment < runner->motion.segments);
  mbs_motion *motion = &runner->motion;
  const mbs_segment segment = mbs_motion_segment(motion);
  mbs_status status = mbs_dynamics_begin(&motion->self, &segment, motion->y);
  runner->stats = (mbs_integration){.t = motion->t};
  if (status != MBS_OK) return status;
  return mbs_stepper_open(&runner->stepper, motion->method, &motion->ode, segment.start, segment.end.end, motion->y,
                          segment.times, segment.rows, &motion->self.tolerance, motion->workspace, &runner->stats,
                          runner->run.error);
}

/* Begins the next step, or the next segment; ends the run after its last segment or on failure. */
static void next_step(mbs_runner *runner, mbs_status status) {
  mbs_motion *motion = &runner->motion;
  while (status == MBS_OK && !(runner->stepper.t < runner->stepper.t_end) && motion->segment < motion->segments) {
    mbs_motion_count(motion, &runner->stats);
    status = begin_segment(runner);
  }
  if (status == MBS_OK && runner->stepper.t < runner->stepper.t_end)
    mbs_stepper_begin(&runner->stepper);
  else
    end(runner, status);
}

/* Accepts or rejects the current attempt of a run. Ends the run if the attempt failed. */
static void judge(mbs_runner *runner) {
  bool again;
  const mbs_status status = mbs_stepper_judge(&runner->stepper, runner->status, runner->norm, &again);
  runner->accepted = status == MBS_OK && !again;
  if (status != MBS_OK) end(runner, status);
}

/* Begins the first step of a motion that has the equations of the lanes. */
static void begin_steps(mbs_batch *self, mbs_runner *runner) {
  runner->motion.self.seen.batch = self;
  runner->motion.ode.part = self->parts[0][0].y1 ? mbs_batch_use_part : NULL;
  next_step(runner, begin_segment(runner));
}

/* Returns true if lanes have the equations of this motion. */
static bool is_compatible(const mbs_batch *self, const mbs_motion *motion) {
  const mbs_ode *ode = &motion->ode;
  return ode->n == self->n && (ode->project != NULL || !moves_onto(self->model));
}

/* Gives a lane the numbers and scales of a run. */
static void set_runner(mbs_batch *self, int lane, const mbs_runner *runner) {
  mbs_lane_numbers_set(self->numbers, runner->run.system->constants, lane);
  mbs_lanes_set_projection_scales(self->lanes, lane, runner->run.system);
  mbs_lanes_set_error_scales(self->lanes, lane, runner->motion.self.units);
}

void mbs_batch_begin(mbs_batch *self, int lane, const mbs_constants *constants, const mbs_observer *observer,
                     const mbs_hooks *hooks, mbs_result *result, mbs_arena *scratch, mbs_error *error) {
  assert(lane >= 0 && lane < self->width && !self->runners[lane].busy);
  mbs_runner *runner = &self->runners[lane];
  *runner = (mbs_runner){.busy = true};
  mbs_status status = mbs_observed_begin(&runner->run, constants, observer, hooks, result, scratch, error);
  runner->ended = status != MBS_OK;
  runner->status = status;
  if (runner->ended) return;
  status = mbs_motion_open(&runner->motion, &runner->run);
  if (status == MBS_OK && is_compatible(self, &runner->motion)) {
    set_runner(self, lane, runner);
    mbs_lanes_use(self->lanes, self->numbers);
    adopt_active_rows(self, runner);
    mbs_batch_set_reads(self, lane);
    begin_steps(self, runner);
    return;
  }
  if (status == MBS_OK) status = mbs_motion_run(&runner->motion);
  runner->status = mbs_observed_end(&runner->run, status);
  runner->ended = true;
}

/* Gives each lane without a run the numbers of another run. */
static void fill_numbers(mbs_batch *self) {
  for (int k = 0; k < self->width; k++) {
    const mbs_runner *other = runner_of(self, k);
    if (!mbs_runner_is_active(&self->runners[k]) && !self->runners[k].busy && other) set_runner(self, k, other);
  }
  mbs_lanes_use(self->lanes, self->numbers);
}

int mbs_batch_advance(mbs_batch *self, mbs_status *status) {
  fill_numbers(self);
  for (;;) {
    for (int k = 0; k < self->width; k++) {
      mbs_runner *runner = &self->runners[k];
      if (!runner->busy || !runner->ended) continue;
      *status = runner->status;
      runner->busy = false;
      return k;
    }
    if (!runner_of(self, 0)) return -1;
    attempt(self);
    for (int k = 0; k < self->width; k++)
      if (mbs_runner_is_active(&self->runners[k])) judge(&self->runners[k]);
    mbs_batch_read_inside(self);
    for (int k = 0; k < self->width; k++)
      if (self->runners[k].accepted) next_step(&self->runners[k], mbs_stepper_accept(&self->runners[k].stepper));
  }
}
