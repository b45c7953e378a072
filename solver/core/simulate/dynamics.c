/* Dynamics: integrates   q' = v,   v' from the equations of motion,   with the work of drivers and actuators and the
 * dissipation as two more states. Constraints are enforced by projection after each step, or by
 *
 *   partitioning: the dependent coordinates and velocities are eliminated. Each evaluation recomputes them from the
 *     independent ones, which alone are the states of the differential equations; the integrator only carries the
 *     dependent ones as the start of Newton's iteration. An evaluation thus depends on its arguments only, and another
 *     choice of coordinates between two steps needs no restart.
 *
 * Angles whose full revolutions orientations do not determine are integrated, too, as the last states. Only the count
 * of revolutions depends on them. */
#include "simulate/dynamics.h"

#include "base/norms.h"
#include "constraints/projection.h"
#include "equations/contacts.h"
#include "equations/error_scales.h"
#include "equations/evaluate.h"
#include "equations/externals.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/masses.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "equations/switches.h"
#include "kernels/kernels.h"
#include "model/report_times.h"
#include "run/lock_up.h"
#include "run/notes.h"
#include "run/overflow_check.h"
#include "run/record.h"
#include "run/run_errors.h"
#include "run/start.h"
#include "run/touch_checks.h"
#include "simulate/analyses.h"
#include "simulate/state_extension.h"
#include "simulate/state_finder.h"

#include <math.h>
#include <string.h>

static bool blurred(void *context) {
  mbs_dynamics *self = context;
  bool since = self->near.blurred;
  self->near.blurred = false;
  return since;
}

static bool again(void *context) {
  mbs_dynamics *self = context;
  bool asked = self->last.again;
  self->last.again = false;
  return asked;
}

/* Returns true if projection would not move the current position. */
static bool on_constraints(mbs_system *system) {
  mbs_constraints(system, MBS_WANT_PHI);
  return mbs_largest(system->Phi, system->model->rows) <= system->projection_goal;
}

void mbs_dynamics_rates(mbs_dynamics *self, const double *y, double *dydt) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  /* (q', v') = (N(q) v, v') */
  model->kernels->rates(model, y, y + model->state.v, dydt);
  memcpy(dydt + model->state.v, system->vdot, model->nv * sizeof *dydt);
  mbs_states_rates(system, dydt + model->state.z);
  if (model->has_power) {
    const double driven = mbs_driver_power(system);
    /* W' = P_work + lambda.rhsV, E_d' = P_diss */
    dydt[model->state.quadratures + MBS_WORK] = system->power_work + driven;
    dydt[model->state.quadratures + MBS_DISSIPATED] = system->power_dissipated;
    self->energy.power = fabs(system->power_work) + fabs(driven) + fabs(system->power_dissipated);
  }
  if (self->revolutions.count) model->kernels->read_integrated_angles(system, 1, dydt + model->state.turns);
}

/* Completes an evaluation of the state y after mbs_dynamics_keep_constraints() has projected it. */
static mbs_status evaluate_kept(const mbs_dynamics *self, double t, const double *y) {
  mbs_system *system = self->run->system;
  const double *v = y + system->model->state.v;
  /* projection leaves the system at the position, with its C */
  if (mbs_dynamics_keeps_constraints(self)) return mbs_evaluate_placed(system, v);
  return mbs_evaluate(system, t, y, v);
}

/* Allowed residual of a stage, as a share of the tolerance, if dependent velocities are at most as fast as independent
 * ones. */
static const double stage_share = 1e-3;

/* Returns the residual that ends the iterations of a stage; 0: down to rounding. theory (11.13) */
static double enough_of(const mbs_dynamics *self) {
  if (self->near.singular || self->run->system->history_kept) return 0;
  return stage_share * fmin(self->tolerance.rtol, self->tolerance.atol) / fmax(1, self->partitioning.amplification);
}

/* Computes the rates of the state y = (q, v, z, W, E_d, turns). theory (16.1), (11.10) */
static mbs_status rhs(void *context, double t, const double *y, double *dydt) {
  mbs_dynamics *self = context;
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  self->last.again = false; /* set below for this evaluation */
  mbs_status status = mbs_run_check(run, t);
  if (status != MBS_OK) return status;
  bool close = self->near.singular || self->constraints == MBS_PARTITIONING;
  mbs_dynamics_enter(self, y);
  if (!close) {
    status = mbs_evaluate_kept(system, t, y, y + model->state.v);
    close = status == MBS_OK && mbs_near_singular(system) && mbs_dynamics_keeps_constraints(self);
    if (close) mbs_dynamics_set_near(self, true);
    self->last.again =
        close && self->last.adaptive && !self->near.observed && t > self->last.t && !on_constraints(system);
    if (self->last.again) return MBS_SINGULAR_POSITION;
  }
  if (close) {
    memcpy(self->stage, y, model->state.motion * sizeof *y);
    y = self->stage;
    self->partitioning.partition.enough = enough_of(self);
    status = mbs_dynamics_keep_constraints(self, t, self->stage);
    self->partitioning.partition.enough = 0;
    if (status == MBS_OK) status = evaluate_kept(self, t, self->stage);
    /* a stage may be much nearer than the start of the step */
    if (status == MBS_OK && mbs_near_singular(system)) mbs_dynamics_relax_tolerance(self);
  }
  self->near.blurred |= mbs_dynamics_rounding_dominates(system);
  if (status == MBS_OK) mbs_dynamics_rates(self, y, dydt);
  return status;
}

/* Returns the energy to which errors of work and dissipation are relative, so that their tolerance does not depend on
 * the unit of mass: the largest of the energies so far. The potential energy differs from its start by at most these.
 * The energy transferred in a step also counts: a driver supplies it and a force absorbs it in the same step. At a
 * start without energy, it is the energy of forces for the absolute tolerance of positions. theory (16.5) */
static double energy_size(void *context, double t, const double *y) {
  mbs_dynamics *self = context;
  const mbs_model *model = self->run->model;
  const double *v = y + model->state.v, *energies = y + model->state.quadratures;
  const double through = self->energy.power * fmax(t - self->last.t, self->last.length);
  mbs_set_position(self->run->system, t, y);
  mbs_set_velocity(self->run->system, v);
  const double kinetic = model->kernels->kinetic(self->run->system);
  const double fastest = mbs_largest_in_units(v, self->run->system->v_units, model->nv);
  /* the largest so far of T, W, E_d and the energy transferred in a step */
  self->energy.exchanged = fmax(fmax(self->energy.exchanged, kinetic),
                                fmax(through, fmax(fabs(energies[MBS_WORK]), fabs(energies[MBS_DISSIPATED]))));
  if (fastest > 0) self->energy.resistance = fmax(self->energy.resistance, self->energy.power / fastest);
  return self->energy.exchanged +
         (self->energy.resistance * self->tolerance.atol + self->energy.least) / self->tolerance.rtol;
}

/* Returns the kinetic energy of velocities of the size of their absolute tolerance. */
static double least_energy(const mbs_constants *constants) {
  const mbs_model *model = constants->model;
  double inertia = 0, speed = model->atol / constants->time;
  for (size_t b = 1; b <= model->nB; b++) {
    const mbs_body_constants *body = &constants->bodies[b];
    double turns = fmax(body->inertia[0], model->dim == 3 ? fmax(body->inertia[1], body->inertia[2]) : 0);
    inertia = fmax(inertia, fmax(body->mass * constants->length * constants->length, turns));
  }
  /* the largest inertia of a body times the square of atol / time */
  return inertia * speed * speed;
}

static void estimated(void *context, double t, const double *errors) {
  mbs_local_errors_note(&((mbs_dynamics *)context)->errors, t, errors);
}

void mbs_dynamics_set_energies(const mbs_dynamics *self, const double *y) {
  mbs_system *system = self->run->system;
  const double *energies = y + system->model->state.quadratures;
  if (!system->model->has_power) return;
  system->work = energies[MBS_WORK];
  system->dissipated = energies[MBS_DISSIPATED];
}

/* Projects the interpolated state in self->y onto the constraints. */
static mbs_status settle_inside(mbs_dynamics *self, double t) {
  mbs_dynamics_enter(self, self->y);
  mbs_status kept = mbs_dynamics_keep_constraints(self, t, self->y);
  const mbs_state_layout *at = &self->run->model->state;
  if (kept == MBS_OK) kept = mbs_sliding_project(self->run->system, t, self->y, self->y + at->v, self->y + at->z);
  if (kept == MBS_OK) mbs_dynamics_set_energies(self, self->y);
  return kept;
}

/* Returns true if settle_inside() leaves the system at the position, with its rows. */
static bool is_placed(const mbs_dynamics *self) {
  const mbs_run_state *run = self->run;
  return mbs_dynamics_keeps_constraints(self) && run->system->sliding->count == 0;
}

/* Returns true if the rows of the results are projected, each with the factors of its own position. */
static bool has_own_factors(const mbs_dynamics *self) {
  return self->run->model->rows > 0 && self->constraints == MBS_PROJECTION;
}

/* Factors M and S at the position in self->y, so that a row does not depend on other rows: a projection that begins
 * with factors of another position has another result, within the tolerance of the interpolation. */
static mbs_status factor_inside(const mbs_dynamics *self, double t) {
  mbs_system *system = self->run->system;
  mbs_set_position(system, t, self->y);
  if (system->fault.status != MBS_OK) return MBS_OK; /* the projection will fail with this */
  mbs_constraints(system, MBS_WANT_C);
  return mbs_factor(system);
}

/* Returns true if the state of a row, or of an observer inside a step, could not be projected because the constraints
 * lose their rank there. The interpolated state is as accurate as the run. */
static bool is_lost(const mbs_dynamics *self, mbs_status status) {
  return status == MBS_SINGULAR_POSITION && mbs_near_singular(self->run->system);
}

static mbs_status settle_row(mbs_dynamics *self, double t, const double *y, bool *lost) {
  const size_t n = self->run->model->state.size;
  memcpy(self->y, y, n * sizeof *y);
  mbs_status status = has_own_factors(self) ? factor_inside(self, t) : MBS_OK;
  if (status == MBS_OK) status = settle_inside(self, t);
  *lost = is_lost(self, status);
  if (!*lost) return status;
  memcpy(self->y, y, n * sizeof *y);
  mbs_dynamics_set_energies(self, self->y);
  return MBS_OK;
}

/* Records the row whose state is in self->y. If rank is lost there, which may be known before or found now, the row has
 * the limits of the states next to it; if there are no limits, it is counted as lost. */
static mbs_status record_row(mbs_dynamics *self, size_t row, double t, bool lost) {
  mbs_run_state *run = self->run;
  const double *v = self->y + run->model->state.v;
  mbs_status status = MBS_OK;
  if (!lost) {
    status = is_placed(self) ? mbs_run_record_placed(run, row, t, v) : mbs_run_record(run, row, t, self->y, v);
    if (status != MBS_OK || !mbs_dynamics_has_lost_rank(run->system)) return status;
  }
  if (mbs_dynamics_evaluate_limit(self, t)) return mbs_run_record_given(run, row, t, false);
  if (self->lost.count++ == 0) self->lost.first = t;
  return mbs_run_record(run, row, t, self->y, v);
}

mbs_status mbs_dynamics_report(void *context, size_t row, double t, const double *y) {
  mbs_dynamics *self = context;
  mbs_system *system = self->run->system;
  bool lost;
  mbs_status status = settle_row(self, t, y, &lost);
  if (status != MBS_OK) return status;
  const uint64_t evaluations = system->evaluations;
  row += self->first_row;
  status = record_row(self, row, t, lost);
  system->evaluations = evaluations; /* results are not part of the method's work */
  if (status == MBS_OK) status = mbs_run_require_finite(self->run, row, t);
  if (status == MBS_OK) mbs_dynamics_note_creep(self, t);
  self->rows = row + 1;
  self->row_time = t;
  return status;
}

/* Projects the position in self->y onto the constraints, and leaves the system there. */
static mbs_status place_inside(mbs_dynamics *self, double t) {
  mbs_system *system = self->run->system;
  mbs_dynamics_enter(self, self->y);
  self->run->model->kernels->normalize(self->run->model, self->y);
  mbs_status status = mbs_project_positions(system, t, self->y);
  return status == MBS_OK ? system->fault.status : status;
}

/* Sets the system to the state in self->y, with accelerations and multipliers. If rank is lost, uses the limits of the
 * states next to it if they exist. */
static mbs_status set_state_with_forces(mbs_dynamics *self, double t, bool lost) {
  mbs_run_state *run = self->run;
  const double *v = self->y + run->model->state.v;
  if (!lost) {
    const mbs_status status = mbs_run_set_state(run, t, self->y, v);
    if (status != MBS_OK || !mbs_dynamics_has_lost_rank(run->system)) return status;
  }
  if (!mbs_dynamics_evaluate_limit(self, t)) return mbs_run_set_state(run, t, self->y, v);
  mbs_run_set_state_given(run, false);
  return MBS_OK;
}

static mbs_status set_state_at(const mbs_observed_step *piece, double t) {
  mbs_dynamics *self = piece->self;
  const mbs_model *model = self->run->model;
  const mbs_observer *observer = self->run->observer;
  mbs_system *system = self->run->system;
  const bool placed = is_placed(self);
  mbs_dynamics_fetch_factors(self);
  if (self->seen.finder && observer->finder->show(self, t)) return MBS_OK;
  piece->step->state(piece->step, t, self->y);
  if (placed && !observer->velocities) return place_inside(self, t);
  mbs_status status = settle_inside(self, t);
  const bool lost = is_lost(self, status);
  if (status != MBS_OK && !lost) return status;
  if (lost) {
    piece->step->state(piece->step, t, self->y);
    mbs_dynamics_set_energies(self, self->y);
  }
  if (observer->forces) return set_state_with_forces(self, t, lost);
  if (!placed || lost) return mbs_run_set_state(self->run, t, self->y, self->y + model->state.v);
  mbs_set_velocity(system, self->y + model->state.v);
  return system->fault.status;
}

static mbs_status set_state(void *context, double t) {
  const mbs_observed_step *piece = context;
  const mbs_status status = set_state_at(piece, t);
  if (status == MBS_OK && t == piece->step->t1) mbs_dynamics_note_end(piece->self, piece->step);
  return status;
}

/* Returns the values that an observer reads first in a step; NULL if they are not known. */
static const mbs_first_read *first_read(const mbs_dynamics *self, const mbs_ode_step *step, bool continues) {
  for (int i = 0; i < MBS_FIRST_READS; i++) {
    const mbs_first_read *first = &self->seen.first[i];
    if (first->known && first->t == step->t && first->t1 == step->t1 && (continues || first->started)) return first;
  }
  return NULL;
}

/* Returns the extension of the observer; NULL if there is none. */
static const mbs_state_extension *extension_of(const mbs_dynamics *self) {
  return self->run->observer ? self->run->observer->extension : NULL;
}

static mbs_status observe(void *context, const mbs_ode_step *step) {
  mbs_dynamics *self = context;
  mbs_run_state *run = self->run;
  mbs_observed_step shown = {self, step};
  if (!self->triggers.stopped && !mbs_observer_wants(run->observer, step->t1)) return MBS_OK;
  const bool continues = mbs_dynamics_continues(self, step);
  const mbs_first_read *read = first_read(self, step, continues);
  const void *finder = self->seen.finder;
  const mbs_state_extension *extension = extension_of(self);
  const mbs_piece piece = {.system = run->system,
                           .t = step->t,
                           .t1 = step->t1,
                           .context = &shown,
                           .set_state = set_state,
                           .continues = continues,
                           .last = self->triggers.stopped != NULL,
                           .first = read ? read->values : NULL,
                           .ahead = finder ? run->observer->finder->find : NULL,
                           .ahead_most = finder ? run->observer->finder->width(finder) : 0,
                           .slope = extension ? extension->slope : NULL,
                           .bend = extension ? extension->bend : NULL,
                           .tangents = extension ? extension->at : NULL};
  uint64_t evaluations = run->system->evaluations;
  self->seen.stays = false;
  if (finder) run->observer->finder->find(&shown, 0, NULL);
  if (read) mbs_dynamics_note_shown(self, step, read->stays);
  mbs_status status = run->observer->piece(run->observer->user, &piece);
  run->system->evaluations = evaluations;
  return status;
}

static bool inside(void *context, double t, double t1) {
  const mbs_observer *observer = ((mbs_dynamics *)context)->run->observer;
  return mbs_observer_wants(observer, t1) && observer->inside(observer->user, t, t1);
}

mbs_status mbs_dynamics_classify(const mbs_dynamics *self, mbs_status status, double t, const double *y) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  if (self->last.zeno || (status == MBS_LOCK_UP && run->error->element[0])) return status; /* the cause is named */
  if (mbs_run_undefined_force(run, status, t)) return status;
  bool collapsed = status == MBS_STEP_TOO_SMALL || status == MBS_LOCK_UP || status == MBS_NOT_FINITE ||
                   status == MBS_SINGULAR_POSITION || status == MBS_NOT_ASSEMBLED;
  mbs_status ended = collapsed ? mbs_run_functions_end(run, t) : MBS_OK;
  if (ended != MBS_OK) return ended;
  if (status == MBS_STEP_TOO_SMALL && model->named_states > 0 && !run->error->element[0]) {
    double *zdot = mbs_arena_alloc(run->system->arena, model->nz, sizeof *zdot);
    if (!zdot) return MBS_NO_MEMORY;
    mbs_states_rates(run->system, zdot);
    mbs_run_name_growth(run, t, y + model->state.z, zdot);
  }
  bool certain =
      status == MBS_LOCK_UP || (self->constraints == MBS_PARTITIONING && !self->partitioning.partition.regular);
  if (!collapsed || !model->rows) return status;
  mbs_status locked = mbs_run_locked(run, t, y, certain);
  return locked == MBS_OK ? status : locked;
}

/* Completes the start of a motion at t: takes the first samples, and notes the conditions that hold. */
static mbs_status begin_triggers(mbs_dynamics *self, double t, double *y) {
  mbs_status status = MBS_OK;
  if (self->triggers.begun) return MBS_OK;
  if (mbs_samples_are_due(self, t)) {
    status = mbs_samples_measure(self, t, y);
    mbs_dynamics_before_impulse(self, t, y);
    if (status == MBS_OK) mbs_samples_take(self, t);
    if (status == MBS_OK) status = mbs_samples_close(self, t, y);
    if (status == MBS_OK) status = mbs_dynamics_settle(self, t, y);
  }
  return status == MBS_OK ? mbs_triggers_begin(self, t, y) : status;
}

mbs_status mbs_dynamics_begin(mbs_dynamics *self, const mbs_segment *segment, double *y) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  const bool samples = self->triggers.begun && mbs_samples_are_due(self, segment->start);
  const bool change = samples || self->given;
  mbs_status status = self->triggers.begun ? mbs_triggers_reach(self, segment->before, y) : MBS_OK;
  if (status == MBS_OK && change) status = mbs_samples_measure(self, segment->before, y);
  if (status != MBS_OK) return status;
  mbs_dynamics_enter(self, y);
  if (segment->after_break || change) mbs_dynamics_before_impulse(self, segment->before, y);
  if (samples) mbs_samples_take(self, segment->start);
  if (self->given) mbs_externals_set(system, self->given, segment->start);
  system->span_end = segment->end.end;
  system->span_start = segment->end.next;
  mbs_switches_follow(system, segment->start, y, y + model->state.v);
  if (change)
    status = mbs_samples_close(self, segment->start, y);
  else if (segment->after_break)
    status = mbs_dynamics_apply_impulse(self, segment->start, y);
  if (status == MBS_OK) status = mbs_dynamics_settle(self, segment->start, y);
  if (status == MBS_OK) status = begin_triggers(self, segment->start, y);
  return status == MBS_OK && !segment->after_break && !run->quiet ? mbs_report_sticking(run, false) : status;
}

mbs_status mbs_dynamics_advance(mbs_dynamics *self, const mbs_ode *ode, const mbs_segment *segment, double *y,
                                double *workspace, mbs_integration *stats) {
  mbs_run_state *run = self->run;
  const mbs_status status = mbs_dynamics_begin(self, segment, y);
  *stats = (mbs_integration){.t = segment->start};
  if (status != MBS_OK || (ode->stopped && ode->stopped(ode->context))) return status;
  return mbs_integrate(mbs_method_named(run->model->method), ode, segment->start, segment->end.end, y, segment->times,
                       segment->rows, &self->tolerance, workspace, stats, run->error);
}

static mbs_status start_partition(mbs_dynamics *self) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  if (!mbs_partition_open(&self->partitioning.partition, system)) return MBS_NO_MEMORY;
  mbs_set_position(system, run->model->t_start, run->q);
  mbs_status status = mbs_partition_choose(&self->partitioning.partition, system, true);
  if (status == MBS_OK) mbs_dynamics_note_independent(self);
  return status;
}

/* Returns true if the end of a step must be projected. */
static bool projects(const mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  return mbs_dynamics_keeps_constraints(self) || model->nq != model->nv || model->switch_count ||
         model->trigger_count || self->revolutions.count;
}

/* Returns the number of directions that the constraints leave, if that remains the same and all motions of one part are
 * along them; otherwise 0. */
static size_t count_freedoms(const mbs_dynamics *self) {
  const mbs_system *system = self->run->system;
  const mbs_model *model = self->run->model;
  size_t freedoms = model->nv;
  if (self->constraints != MBS_PROJECTION || model->nq != model->nv || model->nz || model->velocity_rows ||
      model->touch_count || model->rows == 0)
    return 0;
  for (size_t r = 0; r < model->rows; r++) freedoms -= system->active[r];
  return freedoms;
}

/* Computes directions from generalized impulses that are as good as random. */
static void find_directions(void *context, size_t freedoms, double *T) {
  const mbs_dynamics *self = context;
  mbs_system *system = self->run->system;
  const size_t nv = self->run->model->nv;
  uint64_t seed = 1;
  for (size_t j = 0; j < freedoms; j++) {
    for (size_t k = 0; k < nv; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      system->spread[k] = ldexp((double)(seed >> 32), -31) - 1;
      system->spread[k] /= system->v_units[k];
    }
    mbs_solve_within(system, system->spread);
    memcpy(T + j * nv, system->vdot, nv * sizeof *T);
  }
}

bool mbs_dynamics_open(mbs_dynamics *self, mbs_ode *ode) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_arena *arena = run->system->arena;
  const mbs_state_layout *at = &model->state;
  const mbs_method *method = mbs_method_named(model->method);
  const size_t guards = model->switch_count + mbs_count_margins(model) + model->trigger_count;
  if (!mbs_dynamics_open_watches(self, guards > 0)) return false;
  self->energy.least = least_energy(run->system->constants);
  *ode = (mbs_ode){.context = self,
                   .n = at->size,
                   .n_error = at->motion,
                   .n_uncontrolled = self->revolutions.count,
                   .rhs = rhs,
                   .quadrature_size = mbs_has_energy(run->system->constants) ? energy_size : NULL,
                   .estimated = run->observer ? NULL : estimated,
                   .project = projects(self) ? mbs_dynamics_project : NULL,
                   .n_guards = guards,
                   .guards = mbs_dynamics_guards,
                   .guard = run->system->touches ? mbs_dynamics_guard : NULL,
                   .longest = mbs_dynamics_limits_steps(self) ? mbs_dynamics_longest_step : NULL,
                   .blurred = blurred,
                   .again = again,
                   .event = mbs_dynamics_event,
                   .settle = mbs_dynamics_settle,
                   .fail_zeno = mbs_dynamics_fail_zeno,
                   .rows_after_events = self->run->system->touches != NULL || mbs_has_discrete(model),
                   .stopped = model->trigger_count ? mbs_triggers_stopped : NULL,
                   .set_observed = mbs_dynamics_set_observed,
                   .accepted = mbs_dynamics_accepted,
                   .report = mbs_dynamics_report,
                   .observe = run->observer ? observe : NULL,
                   .inside = run->observer ? inside : NULL};
  if (method->history && !mbs_dynamics_find_parts(self, &ode->parts)) return false;
  ode->freedoms = count_freedoms(self);
  ode->directions = find_directions;
  self->y = mbs_arena_alloc(arena, ode->n + 1, sizeof *self->y);
  self->stage = mbs_arena_alloc(arena, at->motion + 1, sizeof *self->stage);
  self->guards = mbs_arena_alloc(arena, guards + 1, sizeof *self->guards);
  self->crept = mbs_arena_alloc(arena, model->force_count + 1, sizeof *self->crept);
  self->units = mbs_arena_alloc(arena, at->motion + 1, sizeof *self->units);
  if (!self->y || !self->stage || !self->guards || !self->crept || !self->units ||
      !mbs_impulse_open(&self->impulse, model, arena) || !mbs_local_errors_open(&self->errors, model, arena) ||
      !mbs_triggers_open(self))
    return false;
  mbs_triggers_restart(self);
  return true;
}

/* Finds the ends of the motion's segments, and its reporting times. */
static bool find_times(mbs_motion *motion) {
  const mbs_run_state *run = motion->self.run;
  mbs_arena *arena = run->system->arena;
  motion->rows = run->observer ? 0 : run->model->nt;
  motion->workspace =
      mbs_arena_alloc(arena, mbs_integrate_workspace(motion->method, &motion->ode), sizeof *motion->workspace);
  motion->times = mbs_arena_alloc(arena, motion->rows + 1, sizeof *motion->times);
  motion->breaks = mbs_find_breaks(run->system, true, &motion->segments);
  if (!motion->workspace || !motion->times || !motion->breaks) return false;
  for (size_t row = 0; row < motion->rows; row++) motion->times[row] = mbs_report_time(run->model, row);
  return true;
}

/* Sets the tolerances of the integrator and the scales of errors. */
static mbs_status set_tolerance(mbs_motion *motion) {
  mbs_dynamics *self = &motion->self;
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  const mbs_method *method = motion->method;
  double *y = motion->y;
  if (model->fixed_step > 0 && !mbs_method_has_fixed_steps(model->method))
    mbs_run_note(run, "'fixed_step' applies to %s only; %s chooses its own steps, which 'max_step' limits",
                 mbs_methods_of_fixed_steps(), model->method);
  self->tolerance = (mbs_tolerance){.rtol = model->rtol,
                                    .atol = model->atol,
                                    .units = self->units,
                                    .max_step = model->max_step,
                                    .fixed_step = model->fixed_step};
  run->system->history_kept = method->history;
  self->last.t = motion->t;
  self->last.adaptive = method->adaptive;
  mbs_switches_settle(run->system, motion->t, y, y + model->state.v, mbs_run_report_start, run);
  mbs_fill_error_scales(run->system, y, y + model->state.v, self->units);
  const mbs_state_extension *extension = extension_of(self);
  if (!extension) return MBS_OK;
  if (motion->segments > 1) return MBS_NO_DERIVATIVE;
  self->tolerance.dense = extension->dense;
  return extension->begin(self, y);
}

/* Opens the observer's finder of states, if it has one that supports the motion. */
static bool open_finder(mbs_dynamics *self, size_t states) {
  const mbs_observer *observer = self->run->observer;
  if (!observer || !observer->finder) return true;
  if (!observer->finder->open(self, states, &self->seen.finder)) return false;
  if (!self->seen.finder) return true;
  self->seen.end = mbs_arena_alloc(self->run->system->arena, states, sizeof *self->seen.end);
  return self->seen.end != NULL;
}

/* Chooses the method for constraints, and opens the equations and the state at the start. */
static mbs_status open_equations(mbs_motion *motion) {
  mbs_dynamics *self = &motion->self;
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_ode *ode = &motion->ode;
  bool partitioned = self->constraints == MBS_PARTITIONING && model->rows;
  mbs_status status;
  if (self->constraints == MBS_PARTITIONING && !partitioned) self->constraints = MBS_NONE;
  if (partitioned && (status = start_partition(self)) != MBS_OK) return status;
  if (self->constraints == MBS_BAUMGARTE) {
    run->system->alpha = model->alpha;
    run->system->beta = model->beta;
  }
  if (!mbs_dynamics_open(self, ode)) return MBS_NO_MEMORY;
  const mbs_state_extension *extension = extension_of(self);
  if (extension && (status = extension->open(self, ode)) != MBS_OK) return status;
  if (!open_finder(self, ode->n + 1)) return MBS_NO_MEMORY;
  double *y = motion->y = mbs_arena_alloc(run->system->arena, ode->n + 1, sizeof *y);
  if (!y) return MBS_NO_MEMORY;
  /* y = (q, v, z, 0, 0, turns) */
  memcpy(y, run->q, model->nq * sizeof *y);
  memcpy(y + model->state.v, run->v, model->nv * sizeof *y);
  mbs_set_position(run->system, model->t_start, run->q);
  memcpy(y + model->state.z, run->system->z, model->nz * sizeof *y);
  model->kernels->read_integrated_angles(run->system, 0, y + model->state.turns);
  /* An uncorrected start may violate the constraints. The first row must not, like all rows, nor the first step, whose
   * stages would mix rates before and after projection. */
  status = model->correct || !ode->project ? MBS_OK : mbs_dynamics_keep_constraints(self, model->t_start, y);
  if (extension) extension->start(self, y);
  return status;
}

mbs_status mbs_motion_open(mbs_motion *motion, mbs_run_state *run) {
  *motion = (mbs_motion){.self = {.run = run, .constraints = run->model->constraints},
                         .method = mbs_method_named(run->model->method),
                         .t = run->model->t_start};
  mbs_status status = mbs_run_start_motion(run);
  if (status == MBS_OK) status = open_equations(motion);
  if (status == MBS_OK && !find_times(motion)) status = MBS_NO_MEMORY;
  return status == MBS_OK ? set_tolerance(motion) : status;
}

mbs_segment mbs_motion_segment(mbs_motion *motion) {
  const size_t s = motion->segment++, first = motion->next_row;
  /* the reporting times up to the next break */
  const double resolution = mbs_time_resolution(motion->self.run->model);
  while (motion->next_row < motion->rows &&
         (mbs_is_before_break(&motion->breaks[s], motion->times[motion->next_row], resolution) ||
          motion->segment == motion->segments))
    motion->next_row++;
  motion->self.first_row = first;
  return (mbs_segment){.before = motion->t,
                       .start = s > 0 ? motion->breaks[s - 1].next : motion->t,
                       .end = motion->breaks[s],
                       .after_break = s > 0,
                       .times = motion->times + first,
                       .rows = motion->next_row - first};
}

void mbs_motion_count(mbs_motion *motion, const mbs_integration *stats) {
  mbs_report *summary = &motion->self.run->result->report;
  motion->t = stats->t;
  summary->steps += stats->steps;
  summary->rejected += stats->rejected;
  summary->longest_step = fmax(summary->longest_step, stats->longest_step);
  summary->accuracy->row_steps += stats->row_steps;
  motion->stiffness = fmax(motion->stiffness, stats->stiffness);
}

mbs_status mbs_motion_close(mbs_motion *motion, mbs_status status) {
  mbs_dynamics *self = &motion->self;
  mbs_run_state *run = self->run;
  mbs_accuracy_store_local(run->model, &self->errors, run->result->report.accuracy);
  if (status == MBS_OK)
    mbs_dynamics_note_method(self, motion->stiffness);
  else
    status = mbs_dynamics_classify(self, status, motion->t, motion->y);
  if (self->partitioning.changes)
    mbs_run_note(run, "the independent coordinates were selected again %zu time%s during the motion",
                 self->partitioning.changes, self->partitioning.changes == 1 ? "" : "s");
  return status;
}

/* Sets y to the state at the end of a motion, for an observer. */
static void state_of_end(const mbs_ode_step *step, double t, double *y) {
  const mbs_motion *motion = step->finished;
  (void)t;
  memcpy(y, motion->y, motion->ode.n * sizeof *y);
}

/* Reports that `stop_when` has ended the motion, and records its state as the last row, unless a reporting time was
 * there. */
static mbs_status close_stopped(mbs_motion *motion) {
  mbs_dynamics *self = &motion->self;
  mbs_report *report = &self->run->result->report;
  const double t = self->triggers.stop_time;
  report->stopped_at = t;
  report->stopped_by = mbs_arena_text(self->run->result->arena, self->triggers.stopped->when.text);
  if (self->run->observer)
    return observe(self, &(mbs_ode_step){.t = t, .t1 = t, .state = state_of_end, .finished = motion});
  /* an event is located some units of resolution past its instant, to which a reporting time may be equal */
  if (self->rows > 0 && self->row_time >= t - 4 * mbs_time_resolution(self->run->model)) return MBS_OK;
  return mbs_dynamics_report(self, self->rows - self->first_row, t, motion->y);
}

mbs_status mbs_motion_run(mbs_motion *motion) {
  mbs_status status = MBS_OK;
  while (motion->segment < motion->segments && status == MBS_OK && !motion->self.triggers.stopped) {
    mbs_integration stats = {.t = motion->t};
    const mbs_segment segment = mbs_motion_segment(motion);
    status = mbs_dynamics_advance(&motion->self, &motion->ode, &segment, motion->y, motion->workspace, &stats);
    mbs_motion_count(motion, &stats);
  }
  if (status == MBS_OK && motion->self.triggers.stopped) status = close_stopped(motion);
  return mbs_motion_close(motion, status);
}

mbs_status mbs_run_dynamics(mbs_run_state *run) {
  mbs_motion motion;
  const mbs_status status = mbs_motion_open(&motion, run);
  return status == MBS_OK ? mbs_motion_run(&motion) : status;
}
