/* Motions that go together. Each is driven as by itself (integrators/drive.h); only the attempts of their steps, which
 * are nearly all of the work, are made at once: stages, projection and the slope at the end. Whatever is not ordinary
 * in an attempt, a pivot near a loss of rank, an iteration that wants new factors, a limit that is near, an event, is
 * none of the lanes' business: that motion makes it again by itself, from its start. */
#include "analyses/together.h"

#include "analyses/dynamics.h"
#include "constraints/projection.h"
#include "equations/contacts.h"
#include "equations/forces.h"
#include "equations/rounding.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "integrators/drive.h"
#include "lanes/lanes.h"

#include <math.h>
#include <string.h>

_Static_assert((int)MBS_TOGETHER_MOST == (int)MBS_LANES_MOST, "a lane for each run");

enum { READS_MOST = 64 };

/* One run on its way. */
typedef struct mbs_runner {
  bool busy;     /* it has begun, and its end was not told */
  bool ended;    /* with `status` */
  bool in_lane;  /* so it makes the attempt in hand */
  bool prepares; /* its dense output is asked for before it is judged */
  mbs_run_state run;
  mbs_motion motion;
  mbs_drive drive;
  mbs_integration stats;
  mbs_status status; /* of the attempt in hand */
  double norm;
  bool accepted; /* it counts */
} mbs_runner;

/* What observers read first of a step (observer.h), if that is what lanes can read; else no inputs. */
typedef struct reads {
  size_t places, inputs;
  bool velocities; /* the states there have them */
  double place[READS_MOST];
  int input[READS_MOST];
} reads;

/* A half of a step that a lane has made, of a method whose dense output may fall short. */
typedef struct made_part {
  bool made;
  double t, h;
  double *y1, *f1, *workspace; /* its end and slope there [n]; the method's, ready for dense output */
  double *factors;             /* that states inside begin with */
  double pivot_ratio, power;   /* of its last slope */
  uint64_t evaluations;
} made_part;

enum { PARTS = MBS_FIRST_READS };

/* Of each lane where its step begins, how long it is, and where it ends. */
typedef struct span {
  double t[MBS_TOGETHER_MOST], h[MBS_TOGETHER_MOST], t1[MBS_TOGETHER_MOST];
} span;

struct mbs_together {
  const mbs_model *model;
  mbs_lanes *lanes;
  mbs_lane_numbers *numbers;
  int width;
  size_t n, stages; /* states, numbers of a method's workspace */
  double *nowhere;  /* [n or stages] what lanes without a run have to tell */
  span step;        /* the steps in hand */
  bool early_error; /* the method's error norm is known before a step's end is moved */
  reads reads;
  mbs_runner runners[MBS_TOGETHER_MOST];
  made_part parts[MBS_TOGETHER_MOST][PARTS];
};

bool mbs_together_suits(const mbs_model *model) {
  const mbs_method *method = mbs_method_named(model->method);
  return model->type == MBS_DYNAMICS && (method == &mbs_dopri5 || method == &mbs_dop853) &&
         mbs_count_margins(model) == 0 && (model->rows == 0 || model->constraints == MBS_PROJECTION) &&
         mbs_lanes_take(model);
}

static bool is_going(const mbs_runner *runner) { return runner->busy && !runner->ended; }

static int lane_of(const mbs_together *self, const mbs_dynamics *dynamics) {
  int lane = 0;
  while (lane + 1 < self->width && &self->runners[lane].motion.self != dynamics) lane++;
  return lane;
}

/* The run of a lane; of one that has none, another one. */
static mbs_runner *runner_of(mbs_together *self, int lane) {
  for (int k = 0; k < self->width; k++)
    if (is_going(&self->runners[(lane + k) % self->width])) return &self->runners[(lane + k) % self->width];
  return NULL;
}

/* ---- redundant rows --------------------------------------------------------------------------------------------- */

/* Whether a run leaves out the rows that lanes do. */
static bool has_rows(const mbs_together *self, const mbs_runner *runner) {
  return memcmp(runner->run.system->active, self->lanes->active, self->model->rows * sizeof(bool)) == 0;
}

/* Lanes leave out the rows of a run that begins where they have none with those they leave out now. */
static void take_rows(mbs_together *self, const mbs_runner *fresh) {
  for (int k = 0; k < self->width; k++)
    if (&self->runners[k] != fresh && is_going(&self->runners[k]) && has_rows(self, &self->runners[k])) return;
  mbs_lanes_take_rows(self->lanes, fresh->run.system);
}

/* How far redundant rows are from what they ask for where a lane was moved onto the others. */
static void note_redundant(const mbs_lanes *lanes, int lane, const mbs_runner *runner) {
  mbs_system *system = runner->run.system;
  if (system->model->rows) system->strayed = fmax(system->strayed, lanes->redundant[lane]);
}

/* ---- what lanes ask for ------------------------------------------------------------------------------------------ */

/* Nobody counts on lanes that are not fine. */

static void set_functions(void *user) {
  mbs_together *self = user;
  for (int k = 0; k < self->width; k++)
    if (self->lanes->fine[k])
      self->lanes->fine[k] =
          mbs_lanes_set_functions(self->lanes, k, self->runners[k].run.system, self->lanes->t[k]) == MBS_OK;
}

static void apply_forces(void *user) {
  mbs_together *self = user;
  for (int k = 0; k < self->width; k++) {
    mbs_system *system = self->runners[k].run.system;
    if (!self->lanes->fine[k]) continue;
    system->t = self->lanes->t[k];
    mbs_lanes_show(self->lanes, k, system);
    mbs_apply_forces(system);
    mbs_lanes_push(self->lanes, k, system);
  }
}

static bool open_parts(mbs_together *self, mbs_arena *arena) {
  const size_t factors = mbs_lanes_factor_numbers(self->model);
  if (!mbs_method_named(self->model->method)->dense_error) return true;
  for (int k = 0; k < self->width; k++)
    for (int i = 0; i < PARTS; i++) {
      made_part *part = &self->parts[k][i];
      double *room = mbs_arena_alloc(arena, 2 * self->n + self->stages + factors, sizeof *room);
      if (!room) return false;
      part->y1 = room;
      part->f1 = room + self->n;
      part->workspace = part->f1 + self->n;
      part->factors = part->workspace + self->stages;
    }
  return true;
}

mbs_together *mbs_together_new(const mbs_model *model, size_t most, mbs_arena *arena) {
  mbs_together *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  self->model = model;
  self->n = model->nq + model->nv + (model->has_power ? 2 : 0);
  self->lanes = mbs_lanes_new(model, most, arena);
  if (!self->lanes) return NULL;
  self->width = (int)self->lanes->width;
  self->early_error = mbs_method_named(model->method)->early_error;
  self->numbers = mbs_lane_numbers_new(self->lanes, arena);
  if (!self->numbers || !mbs_lanes_open_steps(self->lanes, model->method, self->n, arena, &self->stages)) return NULL;
  self->nowhere = mbs_arena_alloc(arena, self->n + self->stages + 1, sizeof *self->nowhere);
  self->lanes->host = (mbs_lane_host){self, set_functions, apply_forces};
  return self->nowhere && open_parts(self, arena) ? self : NULL;
}

int mbs_together_width(const mbs_together *together) { return together->width; }

/* ---- attempts ---------------------------------------------------------------------------------------------------- */

/* Evaluations of an attempt at the most, with those of its halves. */
enum { ATTEMPT_MOST = 16 + 2 * 16 };

/* Whether a run may make its next attempt in its lane. */
static bool is_ordinary(const mbs_together *self, const mbs_runner *runner) {
  const mbs_system *system = runner->run.system;
  const mbs_limits *limits = &runner->run.model->limits;
  return !runner->motion.self.near_singular && has_rows(self, runner) && system->mass_shift == 0 &&
         system->sliding->count == 0 && !runner->drive.to_event && system->rounding < mbs_projection_accepted &&
         (limits->evaluations == 0 || system->evaluations + ATTEMPT_MOST < limits->evaluations);
}

/* States, slopes, times and lengths of all lanes. */
static void fill_lanes(mbs_together *self, span *step) {
  mbs_lanes *lanes = self->lanes;
  const double *y[MBS_TOGETHER_MOST], *f0[MBS_TOGETHER_MOST];
  for (int k = 0; k < self->width; k++) {
    const mbs_runner *runner = runner_of(self, k);
    y[k] = runner->drive.y;
    f0[k] = runner->drive.f0;
    step->t[k] = runner->drive.t;
    step->h[k] = runner->drive.h;
    step->t1[k] = runner->drive.t1;
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
static double power_of(const mbs_lanes *lanes, int lane) {
  return fabs(lanes->power_work[lane]) + fabs(lanes->driven[lane]) + fabs(lanes->power_dissipated[lane]);
}

static void note_power(const mbs_lanes *lanes, int lane, mbs_runner *runner) {
  if (runner->run.model->has_power) runner->motion.self.power = power_of(lanes, lane);
}

static void count(mbs_runner *runner, uint64_t evaluations) {
  runner->run.system->evaluations += evaluations;
  runner->stats.evaluations += evaluations;
}

/* A run whose stages are there, which took so many evaluations; whether its attempt goes on. */
static bool take_stages(const mbs_lanes *lanes, int lane, mbs_runner *runner, uint64_t evaluations) {
  mbs_drive *drive = &runner->drive;
  runner->in_lane = lanes->fine[lane];
  if (!runner->in_lane) return false;
  mbs_drive_forget(drive);
  runner->norm = 0;
  note_power(lanes, lane, runner);
  runner->status = drive->method->early_error ? mbs_drive_error_norm(drive, &runner->norm) : MBS_OK;
  const bool goes_on = runner->status == MBS_OK && runner->norm <= 1;
  if (!goes_on) count(runner, evaluations);
  return goes_on;
}

/* A run whose y1 is on the constraints, with the slope f1 there, after so many evaluations in all. */
static void take_end(const mbs_lanes *lanes, int lane, mbs_runner *runner, uint64_t evaluations) {
  mbs_drive *drive = &runner->drive;
  runner->in_lane = lanes->fine[lane];
  if (!runner->in_lane) return;
  count(runner, evaluations);
  note_power(lanes, lane, runner);
  note_redundant(lanes, lane, runner);
  if (runner->run.model->rows) runner->run.system->pivot_ratio = lanes->pivot_ratio[lane];
  runner->run.system->shifted = runner->run.system->unequal_masses = false;
  mbs_dynamics_look(&runner->motion.self, true);
  if (!drive->method->early_error) runner->status = mbs_drive_error_norm(drive, &runner->norm);
  runner->prepares = runner->status == MBS_OK && runner->norm <= 1 && mbs_drive_looks_inside(drive);
}

/* ---- what is read first inside the steps ------------------------------------------------------------------------- */

static void return_factors(const void *user, mbs_dynamics *dynamics) {
  const mbs_together *self = user;
  mbs_lanes_return_factors(self->lanes, lane_of(self, dynamics), dynamics->run->system);
}

/* Reads at place number `p`, at `times`, for record `which`. */
static void read_place(mbs_together *self, int which, size_t p, const double *times, bool good[MBS_TOGETHER_MOST],
                       bool stays[MBS_TOGETHER_MOST]) {
  const reads *all = &self->reads;
  double out[MBS_TOGETHER_MOST];
  mbs_lanes_stand(self->lanes, times, all->velocities, good, stays);
  for (int k = 0; k < self->width; k++)
    if (good[k]) note_redundant(self->lanes, k, &self->runners[k]);
  for (size_t i = 0; i < all->inputs; i++) {
    mbs_lanes_read(self->lanes, &self->model->inputs[all->input[i]], out);
    for (int k = 0; k < self->width; k++)
      if (good[k]) self->runners[k].motion.self.first[which].values[p * all->inputs + i] = out[k];
  }
}

/* What observers read first of steps, or parts of them, that are ready for dense output in those lanes. What begins at
 * the end of one that was read may continue it. */
static void read_in_lanes(mbs_together *self, int which, const span *of, const bool in[MBS_TOGETHER_MOST]) {
  const reads *all = &self->reads;
  bool good[MBS_TOGETHER_MOST], stays[MBS_TOGETHER_MOST], starts = false, any = false;
  double times[MBS_TOGETHER_MOST];
  for (int k = 0; k < self->width; k++) {
    const mbs_dynamics *dynamics = &self->runners[k].motion.self;
    any |= good[k] = in[k] && dynamics->first[which].values;
    starts |= good[k] && !(which == 0 ? mbs_dynamics_may_continue(dynamics, of->t[k])
                                      : dynamics->first[0].known && dynamics->first[0].stays);
  }
  if (all->inputs == 0 || !any) return;
  for (size_t p = starts ? 0 : 1; p < all->places; p++) {
    for (int k = 0; k < self->width; k++) times[k] = mbs_time_of_place(of->t[k], of->t1[k], all->place[p]);
    mbs_lanes_inside(self->lanes, of->t, of->h, of->t1, times);
    read_place(self, which, p, times, good, stays);
  }
  for (int k = 0; k < self->width; k++) {
    mbs_first_read *read = &self->runners[k].motion.self.first[which];
    if (good[k])
      *read = (mbs_first_read){
          .values = read->values, .known = true, .started = starts, .stays = stays[k], .t = of->t[k], .t1 = of->t1[k]};
  }
}

/* Nothing is read or made of the step in hand. */
static void forget_step(mbs_together *self, int lane) {
  mbs_dynamics *dynamics = &self->runners[lane].motion.self;
  dynamics->factors = NULL;
  for (int i = 0; i < MBS_FIRST_READS; i++) dynamics->first[i].known = self->parts[lane][i].made = false;
}

/* ---- parts of steps that cannot be interpolated ------------------------------------------------------------------ */

static void return_kept(const void *user, mbs_dynamics *dynamics) {
  const made_part *part = user;
  mbs_lanes_return_kept(part->factors, dynamics->run->system);
}

/* A part of the step in hand of a run, if it is made. */
static bool take_part(void *context, double t, double h, double *y1, double *f1, double *workspace,
                      uint64_t *evaluations) {
  mbs_dynamics *dynamics = context;
  const mbs_together *self = dynamics->host;
  const made_part *parts = self->parts[lane_of(self, dynamics)], *part = parts;
  mbs_system *system = dynamics->run->system;
  while (part < parts + PARTS && !(part->made && part->t == t && part->h == h)) part++;
  if (part == parts + PARTS) return false;
  memcpy(y1, part->y1, self->n * sizeof *y1);
  memcpy(f1, part->f1, self->n * sizeof *f1);
  memcpy(workspace, part->workspace, self->stages * sizeof *workspace);
  *evaluations += part->evaluations;
  system->evaluations += part->evaluations;
  if (self->model->rows) system->pivot_ratio = part->pivot_ratio;
  if (self->model->has_power) dynamics->power = part->power;
  system->shifted = system->unequal_masses = false; /* so are the factors, which are fetched when they are needed */
  dynamics->factors = return_kept;
  dynamics->factors_user = part;
  return true;
}

/* Keeps the parts number `which` that lanes have made, where these can be interpolated; else `in` becomes false. */
static void keep_parts(mbs_together *self, int which, const span *of, uint64_t evaluations,
                       bool in[MBS_TOGETHER_MOST]) {
  mbs_lanes *lanes = self->lanes;
  double *y1[MBS_TOGETHER_MOST], *f1[MBS_TOGETHER_MOST], *stages[MBS_TOGETHER_MOST];
  for (int k = 0; k < self->width; k++) {
    y1[k] = self->parts[k][which].y1;
    f1[k] = self->parts[k][which].f1;
    stages[k] = self->parts[k][which].workspace;
  }
  mbs_lanes_scatter(lanes, lanes->y1, self->n, y1);
  mbs_lanes_scatter(lanes, lanes->f1, self->n, f1);
  mbs_lanes_scatter(lanes, lanes->stages, self->stages, stages);
  for (int k = 0; k < self->width; k++) {
    made_part *part = &self->parts[k][which];
    const mbs_drive *drive = &self->runners[k].drive;
    const double *start = which == 0 ? drive->y : self->parts[k][which - 1].y1;
    in[k] = in[k] && lanes->fine[k] && mbs_all_finite(self->n, part->y1) &&
            drive->method->dense_error(drive->ode, start, part->y1, drive->tolerance, part->workspace) <=
                mbs_dense_share(drive->tolerance);
    if (!in[k]) continue;
    part->made = true;
    part->t = of->t[k];
    part->h = of->h[k];
    part->evaluations = evaluations;
    part->pivot_ratio = lanes->pivot_ratio[k];
    part->power = power_of(lanes, k);
    mbs_lanes_keep_factors(lanes, k, part->factors);
  }
}

/* The last parts in those lanes end as the whole steps do. */
static void end_as_steps_do(const mbs_together *self, const bool in[MBS_TOGETHER_MOST]) {
  for (int k = 0; k < self->width; k++)
    for (size_t i = 0; i < self->n && in[k]; i++)
      self->lanes->y1[i * (size_t)self->width + (size_t)k] = self->runners[k].drive.y1[i];
}

/* Halves of the steps in hand that cannot be interpolated as a whole, as mbs_step_in_parts() begins them. */
static void halve_in_lanes(mbs_together *self, const span *whole, bool in[MBS_TOGETHER_MOST]) {
  mbs_lanes *lanes = self->lanes;
  span half = *whole;
  for (int which = 0; which < PARTS; which++) {
    for (int k = 0; k < self->width; k++) {
      const double end = whole->t[k] + whole->h[k];
      half.h[k] = which == 0 ? 0.5 * whole->h[k] : end - half.t[k];
      half.t1[k] = which == 0 ? half.t[k] + half.h[k] : end;
      lanes->fine[k] = in[k];
    }
    uint64_t evaluations = mbs_lanes_step(lanes, half.t, half.h) + 1;
    double ends[MBS_TOGETHER_MOST];
    for (int k = 0; k < self->width; k++) ends[k] = half.t[k] + half.h[k];
    mbs_lanes_rates(lanes, ends, lanes->y1, lanes->f1);
    evaluations += mbs_lanes_prepare(lanes, half.t, half.h);
    keep_parts(self, which, &half, evaluations, in);
    if (which + 1 == PARTS) end_as_steps_do(self, in);
    read_in_lanes(self, which, &half, in);
    memcpy(lanes->y, lanes->y1, (size_t)self->width * self->n * sizeof *lanes->y);
    memcpy(lanes->f0, lanes->f1, (size_t)self->width * self->n * sizeof *lanes->f0);
    memcpy(half.t, half.t1, sizeof half.t);
  }
}

/* ---- attempts, all of them --------------------------------------------------------------------------------------- */

/* Dense output of all runs that want it. Where a lane is not fine, its run prepares it by itself. */
static void prepare_in_lanes(mbs_together *self) {
  mbs_lanes *lanes = self->lanes;
  const uint64_t evaluations = mbs_lanes_prepare(lanes, self->step.t, self->step.h);
  double *to[MBS_TOGETHER_MOST];
  for (int k = 0; k < self->width; k++) {
    mbs_runner *runner = &self->runners[k];
    runner->prepares = runner->prepares && lanes->fine[k];
    to[k] = runner->prepares ? runner->drive.workspace : self->nowhere;
  }
  mbs_lanes_scatter(lanes, lanes->stages, self->stages, to);
  for (int k = 0; k < self->width; k++) {
    mbs_runner *runner = &self->runners[k];
    if (!runner->prepares) continue;
    count(runner, evaluations);
    if (evaluations > 0) note_power(lanes, k, runner);
    if (runner->run.model->rows) runner->run.system->pivot_ratio = lanes->pivot_ratio[k];
    mbs_drive_prepared(&runner->drive);
  }
}

/* States inside the steps that count, of runs that are looked into, as their observers read them first. They begin with
 * the factors that these steps have left in lanes. */
static void look_in_lanes(mbs_together *self) {
  bool whole[MBS_TOGETHER_MOST], halved[MBS_TOGETHER_MOST], any = false;
  int halves = 0;
  for (int k = 0; k < self->width; k++) {
    const mbs_runner *runner = &self->runners[k];
    const bool looks = runner->prepares && runner->accepted && mbs_drive_is_observed(&runner->drive);
    halved[k] = looks && runner->drive.falls_short;
    whole[k] = looks && !halved[k];
    halves += halved[k];
    any |= looks;
  }
  if (!any) return;
  read_in_lanes(self, 0, &self->step, whole);
  for (int k = 0; k < self->width; k++) {
    mbs_dynamics *dynamics = &self->runners[k].motion.self;
    if (!whole[k] && !halved[k]) continue;
    dynamics->factors = return_factors;
    dynamics->factors_user = self;
    /* where lanes go on to halves they do not keep them */
    if (halves > 1 || !dynamics->first[0].known) mbs_dynamics_fetch_factors(dynamics);
  }
  if (halves > 1) halve_in_lanes(self, &self->step, halved);
}

/* Whether a step's end is moved: onto constraints, or Euler parameters back to one. */
static bool moves_onto(const mbs_model *model) { return model->rows || model->nq != model->nv; }

/* The attempts in hand of all runs that make them in lanes. */
static void attempt_in_lanes(mbs_together *self) {
  mbs_lanes *lanes = self->lanes;
  const span *step = &self->step;
  bool goes_on[MBS_TOGETHER_MOST], any = false, prepare = false;
  fill_lanes(self, &self->step);
  const uint64_t evaluations = mbs_lanes_step(lanes, step->t, step->h);
  if (self->early_error) tell(self, lanes->y1, self->n, y1_of);
  tell(self, lanes->stages, self->stages, workspace_of);
  for (int k = 0; k < self->width; k++)
    any |= goes_on[k] = self->runners[k].in_lane && take_stages(lanes, k, &self->runners[k], evaluations);
  if (!any) return;
  mbs_lanes_at(lanes, step->t1, lanes->y1);
  if (moves_onto(self->model)) mbs_lanes_project_positions(lanes, lanes->fine);
  if (self->model->rows) mbs_lanes_project_velocities(lanes, lanes->fine);
  mbs_lanes_rates(lanes, step->t1, lanes->y1, lanes->f1);
  tell(self, lanes->y1, self->n, y1_of);
  tell(self, lanes->f1, self->n, f1_of);
  for (int k = 0; k < self->width; k++) {
    if (goes_on[k]) take_end(lanes, k, &self->runners[k], evaluations + 1);
    prepare |= self->runners[k].prepares;
  }
  if (prepare) prepare_in_lanes(self);
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
    runner->in_lane = runner->prepares = runner->accepted = false;
    if (!is_going(runner)) continue;
    forget_step(self, k);
    const bool ordinary = is_ordinary(self, runner);
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

/* The next piece of a motion whose equations are those that lanes have. */
static mbs_status begin_segment(mbs_runner *runner) {
  mbs_motion *motion = &runner->motion;
  const mbs_segment segment = mbs_motion_segment(motion);
  mbs_status status = mbs_dynamics_begin(&motion->self, &segment, motion->y);
  runner->stats = (mbs_integration){.t = motion->t};
  if (status != MBS_OK) return status;
  return mbs_drive_open(&runner->drive, motion->method, &motion->ode, segment.start, segment.end, motion->y,
                        segment.times, segment.rows, &motion->self.tolerance, motion->workspace, &runner->stats,
                        runner->run.error);
}

/* Begins the next step, unless the run has come to its end, or to one. */
static void next_step(mbs_runner *runner, mbs_status status) {
  mbs_motion *motion = &runner->motion;
  while (status == MBS_OK && !(runner->drive.t < runner->drive.t_end) && motion->segment < motion->segments) {
    mbs_motion_count(motion, &runner->stats);
    status = begin_segment(runner);
  }
  if (status == MBS_OK && runner->drive.t < runner->drive.t_end)
    mbs_drive_begin(&runner->drive);
  else
    end(runner, status);
}

/* What the attempt in hand of a run is worth; one with a status ends it. */
static void judge(mbs_runner *runner) {
  bool again;
  const mbs_status status = mbs_drive_judge(&runner->drive, runner->status, runner->norm, &again);
  runner->accepted = status == MBS_OK && !again;
  if (status != MBS_OK) end(runner, status);
}

/* A motion whose equations are those that lanes have: its first step. */
static void begin_steps(mbs_together *self, mbs_runner *runner) {
  runner->motion.self.host = self;
  runner->motion.ode.part = self->parts[0][0].y1 ? take_part : NULL;
  next_step(runner, begin_segment(runner));
}

/* What an observer reads first, if lanes can read it. */
static reads reads_of(const mbs_model *model, const mbs_observer *observer) {
  const mbs_first_reads *first = &observer->first;
  reads out = {.places = first->places, .velocities = observer->velocities};
  bool can = first->places <= READS_MOST && first->inputs <= READS_MOST && !observer->forces;
  for (size_t i = 0; can && i < first->inputs; i++) can = mbs_lanes_read_input(&model->inputs[first->input[i]]);
  if (!can) return out;
  out.inputs = first->inputs;
  memcpy(out.place, first->place, first->places * sizeof *out.place);
  memcpy(out.input, first->input, first->inputs * sizeof *out.input);
  return out;
}

/* Makes what a run's observer reads first that of all, where it is the first of them; those who read other things are
 * not read for. */
static void take_reads(mbs_together *self, int lane) {
  mbs_runner *runner = &self->runners[lane];
  const mbs_system *system = runner->run.system;
  const mbs_first_reads *first = &runner->run.observer->first;
  reads *all = &self->reads;
  bool others = false;
  for (int k = 0; k < self->width; k++) others |= k != lane && is_going(&self->runners[k]);
  if (!others) *all = reads_of(self->model, runner->run.observer);
  if (all->inputs == 0 || first->inputs != all->inputs || first->places != all->places ||
      runner->run.observer->velocities != all->velocities ||
      memcmp(first->place, all->place, all->places * sizeof *all->place) != 0 ||
      memcmp(first->input, all->input, all->inputs * sizeof *all->input) != 0)
    return;
  for (int i = 0; i < MBS_FIRST_READS; i++)
    runner->motion.self.first[i].values = mbs_arena_alloc(system->arena, all->places * all->inputs, sizeof(double));
}

/* Whether the motion of a run can go on with others. */
static bool suits(const mbs_together *self, const mbs_motion *motion) {
  const mbs_ode *ode = &motion->ode;
  return ode->n == self->n && (ode->project != NULL || !moves_onto(self->model));
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
    take_rows(self, runner);
    take_reads(self, lane);
    begin_steps(self, runner);
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
      if (is_going(&self->runners[k])) judge(&self->runners[k]);
    look_in_lanes(self);
    for (int k = 0; k < self->width; k++)
      if (self->runners[k].accepted) next_step(&self->runners[k], mbs_drive_accept(&self->runners[k].drive));
  }
}
