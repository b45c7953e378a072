/* Motions that go together. Each is driven as by itself (integrators/drive.h); only the attempts of their steps, which
 * are nearly all of the work, are made at once: stages, projection and the slope at the end. Whatever is not ordinary
 * in an attempt, a pivot near a loss of rank, an iteration that wants new factors, a limit that is near, is none of the
 * lanes' business: that motion makes it again by itself, from its start. */
#include "analyses/together.h"

#include "analyses/dynamics.h"
#include "constraints/projection.h"
#include "equations/contacts.h"
#include "equations/forces.h"
#include "equations/rounding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "integrators/drive.h"
#include "lanes/lanes.h"

#include <math.h>
#include <string.h>

_Static_assert((int)MBS_TOGETHER_MOST == (int)MBS_LANES_MOST, "a lane for each run");

/* One run on its way. */
typedef struct mbs_runner {
  bool busy;    /* it has begun, and its end was not told */
  bool ended;   /* with `status` */
  bool in_lane; /* so it makes the attempt in hand */
  bool looks;   /* who observes it looks inside the step in hand */
  mbs_run_state run;
  mbs_motion motion;
  mbs_drive drive;
  mbs_integration stats;
  mbs_status status; /* of the attempt in hand */
  double norm;
} mbs_runner;

struct mbs_together {
  const mbs_model *model;
  mbs_lanes *lanes;
  mbs_lane_numbers *numbers;
  int width;
  size_t n, stages; /* states, numbers of a method's workspace */
  double *nowhere;  /* [n or stages] what lanes without a run have to tell */
  mbs_runner runners[MBS_TOGETHER_MOST];
};

bool mbs_together_suits(const mbs_model *model) {
  const mbs_method *method = mbs_method_named(model->method);
  return model->type == MBS_DYNAMICS && (method == &mbs_dopri5 || method == &mbs_dop853) && model->switch_count == 0 &&
         model->memory_count == 0 && mbs_count_margins(model) == 0 &&
         (model->rows == 0 || model->constraints == MBS_PROJECTION) && mbs_lanes_take(model);
}

static bool is_going(const mbs_runner *runner) { return runner->busy && !runner->ended; }

/* The run of a lane; of one that has none, another one. */
static mbs_runner *runner_of(mbs_together *self, int lane) {
  for (int k = 0; k < self->width; k++)
    if (is_going(&self->runners[(lane + k) % self->width])) return &self->runners[(lane + k) % self->width];
  return NULL;
}

/* ---- what lanes ask for ------------------------------------------------------------------------------------------ */

static void set_functions(void *user) {
  mbs_together *self = user;
  for (int k = 0; k < self->width; k++)
    if (mbs_lanes_set_functions(self->lanes, k, runner_of(self, k)->run.system, self->lanes->t[k]) != MBS_OK)
      self->lanes->fine[k] = false;
}

static void apply_forces(void *user) {
  mbs_together *self = user;
  for (int k = 0; k < self->width; k++) {
    mbs_system *system = runner_of(self, k)->run.system;
    system->t = self->lanes->t[k];
    mbs_lanes_show(self->lanes, k, system);
    mbs_apply_forces(system);
    mbs_lanes_push(self->lanes, k, system);
    self->lanes->power_work[k] = system->power_work;
    self->lanes->power_dissipated[k] = system->power_dissipated;
  }
}

mbs_together *mbs_together_new(const mbs_model *model, size_t most, mbs_arena *arena) {
  mbs_together *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  self->model = model;
  self->n = model->nq + model->nv + (model->has_power ? 2 : 0);
  self->lanes = mbs_lanes_new(model, most, arena);
  if (!self->lanes) return NULL;
  self->width = (int)self->lanes->width;
  self->numbers = mbs_lane_numbers_new(self->lanes, arena);
  if (!self->numbers || !mbs_lanes_open_steps(self->lanes, model->method, self->n, arena, &self->stages)) return NULL;
  self->nowhere = mbs_arena_alloc(arena, self->n + self->stages + 1, sizeof *self->nowhere);
  self->lanes->host = (mbs_lane_host){self, set_functions, apply_forces};
  return self->nowhere ? self : NULL;
}

int mbs_together_width(const mbs_together *together) { return together->width; }

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

/* Evaluations of an attempt at the most. */
enum { ATTEMPT_MOST = 16 };

/* Whether a run may make its next attempt in its lane. */
static bool is_ordinary(const mbs_runner *runner) {
  const mbs_system *system = runner->run.system;
  const mbs_limits *limits = &runner->run.model->limits;
  return !runner->motion.self.near_singular && system->all_active && system->mass_shift == 0 &&
         system->rounding < mbs_projection_accepted &&
         (limits->evaluations == 0 || system->evaluations + ATTEMPT_MOST < limits->evaluations);
}

/* States, slopes, times and lengths of all lanes. */
static void fill_lanes(mbs_together *self, double h[MBS_TOGETHER_MOST], double t[MBS_TOGETHER_MOST],
                       double t1[MBS_TOGETHER_MOST]) {
  mbs_lanes *lanes = self->lanes;
  const double *y[MBS_TOGETHER_MOST], *f0[MBS_TOGETHER_MOST];
  for (int k = 0; k < self->width; k++) {
    const mbs_runner *runner = runner_of(self, k);
    y[k] = runner->drive.y;
    f0[k] = runner->drive.f0;
    t[k] = runner->drive.t;
    h[k] = runner->drive.h;
    t1[k] = runner->drive.t1;
    lanes->fine[k] = is_going(&self->runners[k]) && self->runners[k].in_lane;
    lanes->least_ratio[k] = mbs_ordinary_ratio(runner->run.system);
  }
  mbs_lanes_gather(lanes, lanes->y, self->n, y);
  mbs_lanes_gather(lanes, lanes->f0, self->n, f0);
}

/* An array of lanes into one of each run's drive. */
static void tell(mbs_together *self, const double *from, size_t n, double *(*of)(mbs_drive *drive)) {
  double *to[MBS_TOGETHER_MOST];
  for (int k = 0; k < self->width; k++)
    to[k] = is_going(&self->runners[k]) ? of(&self->runners[k].drive) : self->nowhere;
  mbs_lanes_scatter(self->lanes, from, n, to);
}

static double *y1_of(mbs_drive *drive) { return drive->y1; }
static double *f1_of(mbs_drive *drive) { return drive->f1; }
static double *workspace_of(mbs_drive *drive) { return drive->workspace; }

/* What slopes leave in a run, the last of them above all. */
static void note_slopes(const mbs_lanes *lanes, int lane, mbs_runner *runner, uint64_t count) {
  runner->run.system->evaluations += count;
  runner->stats.evaluations += count;
  if (runner->run.model->has_power)
    runner->motion.self.power =
        fabs(lanes->power_work[lane]) + fabs(lanes->driven[lane]) + fabs(lanes->power_dissipated[lane]);
}

/* A run whose stages are there; whether its attempt goes on. */
static bool take_stages(const mbs_lanes *lanes, int lane, mbs_runner *runner, uint64_t evaluations) {
  mbs_drive *drive = &runner->drive;
  runner->in_lane = lanes->fine[lane];
  if (!runner->in_lane) return false;
  note_slopes(lanes, lane, runner, evaluations);
  drive->prepared = drive->blurred_inside = drive->blurred_end = false;
  runner->norm = 0;
  runner->status = drive->method->early_error ? mbs_drive_error_norm(drive, &runner->norm) : MBS_OK;
  return runner->status == MBS_OK && runner->norm <= 1;
}

/* A run whose y1 is on the constraints, with the slope f1 there. */
static void take_end(const mbs_lanes *lanes, int lane, mbs_runner *runner) {
  mbs_drive *drive = &runner->drive;
  runner->in_lane = lanes->fine[lane];
  if (!runner->in_lane) return;
  note_slopes(lanes, lane, runner, 1);
  if (runner->run.model->rows) runner->run.system->pivot_ratio = lanes->pivot_ratio[lane];
  if (!drive->method->early_error) runner->status = mbs_drive_error_norm(drive, &runner->norm);
  runner->looks = runner->status == MBS_OK && runner->norm <= 1 && mbs_ode_inside(drive->ode, drive->t, drive->t1);
}

/* Dense output of all runs that are looked into, whose states inside begin with the factors that this leaves. Where a
 * lane is not fine, its run prepares it by itself. */
static void prepare_in_lanes(mbs_together *self, const double h[MBS_TOGETHER_MOST], const double t[MBS_TOGETHER_MOST]) {
  mbs_lanes *lanes = self->lanes;
  const uint64_t evaluations = mbs_lanes_prepare(lanes, t, h);
  double *to[MBS_TOGETHER_MOST];
  for (int k = 0; k < self->width; k++) {
    self->runners[k].looks = self->runners[k].looks && lanes->fine[k];
    to[k] = self->runners[k].looks ? self->runners[k].drive.workspace : self->nowhere;
  }
  mbs_lanes_scatter(lanes, lanes->stages, self->stages, to);
  for (int k = 0; k < self->width; k++) {
    mbs_runner *runner = &self->runners[k];
    if (!runner->looks) continue;
    if (evaluations > 0) note_slopes(lanes, k, runner, evaluations);
    mbs_lanes_return_factors(lanes, k, runner->run.system);
    if (runner->run.model->rows) runner->run.system->pivot_ratio = lanes->pivot_ratio[k];
    mbs_drive_prepared(&runner->drive);
  }
}

/* Whether a step's end is moved: onto constraints, or Euler parameters back to one. */
static bool moves_onto(const mbs_model *model) { return model->rows || model->nq != model->nv; }

/* The attempts in hand of all runs that make them in lanes. */
static void attempt_in_lanes(mbs_together *self) {
  mbs_lanes *lanes = self->lanes;
  double h[MBS_TOGETHER_MOST], t[MBS_TOGETHER_MOST], t1[MBS_TOGETHER_MOST];
  bool goes_on[MBS_TOGETHER_MOST], any = false;
  fill_lanes(self, h, t, t1);
  const uint64_t evaluations = mbs_lanes_step(lanes, t, h);
  tell(self, lanes->y1, self->n, y1_of);
  tell(self, lanes->stages, self->stages, workspace_of);
  for (int k = 0; k < self->width; k++)
    any |= goes_on[k] = self->runners[k].in_lane && take_stages(lanes, k, &self->runners[k], evaluations);
  if (!any) return;
  mbs_lanes_at(lanes, t1, lanes->y1);
  if (moves_onto(self->model)) mbs_lanes_project_positions(lanes, lanes->fine);
  if (self->model->rows) mbs_lanes_project_velocities(lanes, lanes->fine);
  mbs_lanes_rates(lanes, t1, lanes->y1, lanes->f1);
  tell(self, lanes->y1, self->n, y1_of);
  tell(self, lanes->f1, self->n, f1_of);
  bool look = false;
  for (int k = 0; k < self->width; k++) {
    self->runners[k].looks = false;
    if (goes_on[k]) take_end(lanes, k, &self->runners[k]);
    look |= self->runners[k].looks;
  }
  if (look) prepare_in_lanes(self, h, t);
}

/* One by itself, whose last projection left the rounding of its position. */
static void attempt_alone(mbs_runner *runner) {
  mbs_system *system = runner->run.system;
  if (runner->run.model->rows && !runner->motion.self.near_singular) {
    mbs_set_position(system, runner->drive.t, runner->drive.y);
    system->rounding = mbs_rounding(system);
  }
  runner->status = mbs_drive_attempt(&runner->drive, &runner->norm);
}

/* The attempts in hand of all runs. */
static void attempt(mbs_together *self) {
  int lanes = 0;
  for (int k = 0; k < self->width; k++) {
    mbs_runner *runner = &self->runners[k];
    runner->in_lane = false;
    if (!is_going(runner)) continue;
    const bool ordinary = is_ordinary(runner);
    runner->status = ordinary ? mbs_run_check(&runner->run, runner->drive.t) : MBS_OK;
    runner->in_lane = ordinary && runner->status == MBS_OK;
    lanes += runner->in_lane;
  }
  /* where there is one lane only, it is not worth it */
  if (lanes > 1) attempt_in_lanes(self);
  for (int k = 0; k < self->width; k++) {
    mbs_runner *runner = &self->runners[k];
    const bool done = lanes > 1 && runner->in_lane;
    if (is_going(runner) && !done && runner->status == MBS_OK) attempt_alone(runner);
  }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void end(mbs_runner *runner, mbs_status status) {
  mbs_motion_count(&runner->motion, &runner->stats);
  runner->status = mbs_observed_end(&runner->run, mbs_motion_close(&runner->motion, status));
  runner->ended = true;
}

/* Begins the next step, unless the run has come to its end, or to one. */
static void next_step(mbs_runner *runner, mbs_status status) {
  if (status == MBS_OK && runner->drive.t < runner->drive.t_end)
    mbs_drive_begin(&runner->drive);
  else
    end(runner, status);
}

/* What becomes of the attempt in hand. */
static void go_on(mbs_runner *runner) {
  bool again;
  const mbs_status status = mbs_drive_judge(&runner->drive, runner->status, runner->norm, &again);
  if (status == MBS_OK && again) return;
  next_step(runner, status == MBS_OK ? mbs_drive_accept(&runner->drive) : status);
}

/* A motion whose equations are those that lanes have: its first step. */
static void begin_steps(mbs_runner *runner) {
  mbs_motion *motion = &runner->motion;
  const mbs_segment segment = mbs_motion_segment(motion);
  mbs_status status = mbs_dynamics_begin(&motion->self, &segment, motion->y);
  runner->stats = (mbs_integration){.t = motion->t};
  if (status == MBS_OK)
    status = mbs_drive_open(&runner->drive, motion->method, &motion->ode, segment.start, segment.end, motion->y,
                            segment.times, segment.rows, &motion->self.tolerance, motion->workspace, &runner->stats,
                            runner->run.error);
  next_step(runner, status);
}

/* Whether the motion of a run can go on with others. */
static bool suits(const mbs_together *self, const mbs_motion *motion) {
  const mbs_ode *ode = &motion->ode;
  return motion->segments == 1 && ode->n == self->n && ode->narrow == NULL && ode->n_guards == 0 &&
         (ode->project != NULL) == moves_onto(self->model);
}

void mbs_together_begin(mbs_together *self, int lane, const mbs_constants *constants, const mbs_observer *observer,
                        const mbs_hooks *hooks, mbs_result *result, mbs_arena *scratch, mbs_error *error) {
  mbs_runner *runner = &self->runners[lane];
  *runner = (mbs_runner){.busy = true};
  mbs_status status = mbs_observed_begin(&runner->run, constants, observer, hooks, result, scratch, error);
  runner->ended = status != MBS_OK;
  runner->status = status;
  if (runner->ended) return;
  status = mbs_motion_open(&runner->motion, &runner->run);
  if (status == MBS_OK && suits(self, &runner->motion)) {
    mbs_lane_numbers_set(self->numbers, constants, lane);
    mbs_lanes_take_system(self->lanes, lane, runner->run.system);
    mbs_lanes_use(self->lanes, self->numbers);
    begin_steps(runner);
    return;
  }
  if (status == MBS_OK) status = mbs_motion_run(&runner->motion);
  runner->status = mbs_observed_end(&runner->run, status);
  runner->ended = true;
}

/* A lane without numbers has those of another one. */
static void fill_numbers(mbs_together *self) {
  for (int k = 0; k < self->width; k++) {
    const mbs_runner *other = runner_of(self, k);
    if (is_going(&self->runners[k]) || self->runners[k].busy || !other) continue;
    mbs_lane_numbers_set(self->numbers, other->run.system->constants, k);
    mbs_lanes_take_system(self->lanes, k, other->run.system);
  }
  mbs_lanes_use(self->lanes, self->numbers);
}

int mbs_together_go_on(mbs_together *self, mbs_status *status) {
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
      if (is_going(&self->runners[k])) go_on(&self->runners[k]);
  }
}
