/* Dynamics: integration of   q' = v,   v' from the equations of motion,   with the work of drivers and actuators and
 * the dissipation as two more states. Constraints are kept by projection after each step, or
 *
 *   partitioning: the dependent coordinates and velocities are eliminated. An evaluation replaces them by what the
 *     independent ones make of them, so that these alone are the states of the differential equations; the integrator
 *     carries the others along as the start of Newton's iteration. An evaluation is thus a function of its arguments
 *     alone, and another choice of coordinates, made between two steps, needs no restart.
 *
 * Angles that only orientations tell, and these but for whole turns, are integrated, too: as the last states, which
 * nothing but the count of turns depends on. */
#include "analyses/analyses.h"
#include "base/norms.h"
#include "constraints/held.h"
#include "constraints/partition.h"
#include "constraints/projection.h"
#include "constraints/rank.h"
#include "equations/contacts.h"
#include "equations/error_units.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "equations/switches.h"
#include "integrators/integrator.h"
#include "kernels/kernels.h"
#include "model/breaks.h"
#include "model/report_times.h"
#include "results/accuracy.h"
#include "run/errors.h"
#include "run/finite.h"
#include "run/impulse.h"
#include "run/lock_up.h"
#include "run/notes.h"
#include "run/record.h"
#include "run/run.h"
#include "run/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct dynamics {
  mbs_run_state *run;
  size_t first_row;         /* of the segment that is being integrated */
  double *y;                /* scratch state for reports */
  double *stage;            /* [nq + nv] a stage on the constraints */
  size_t turns, first_turn; /* angles among the states, and the first of them */
  double *expected;         /* [turns] those of a state, by integration */
  double *turned;           /* [turns] those that the orientations of the step in hand tell */
  double *drift;            /* [turns] what orientations had beyond the integrals at the last accepted state */
  mbs_constraint_method constraints;
  bool sticks;  /* a law did: the report has a note of it */
  bool endless; /* the run ended with events without end */
  int *crept;   /* [force_count] successive reporting times at which smooth friction crept; -1: the report has a note */
  bool adaptive; /* steps may be tried again */
  bool again;    /* this one should be, see set_near() */
  mbs_impulse impulse;
  mbs_partition partition;
  size_t repartitions;
  double t_accepted, last_step;
  int crawl_steps;     /* see crawls() */
  double window_start; /* of its steps */
  double windows[2];   /* what the first and the middle one of slow_windows brought */
  int slow_windows;
  double kept_ratio;       /* largest pivot_ratio since the rows that are kept were chosen; 0: not known */
  bool near_singular;      /* since the last accepted step */
  bool blurred;            /* some acceleration since it was last asked, see blur_share */
  double worst_tolerance;  /* what rounding near a loss of rank let be reached */
  mbs_tolerance tolerance; /* of the integrator at this moment */
  double *units;           /* [nq + nv] what its absolute tolerance is counted in */
  mbs_local_errors errors;
  double power;        /* that drivers, forces and dampers exchanged at the last evaluation, each by itself [W] */
  double exchanged;    /* the largest energy that was kinetic, work, dissipated, or passed on in a step so far [J] */
  double least_energy; /* less is none [J] */
  double resistance;   /* the largest power so far for a unit of speed: what forces do work against the motion */
} dynamics;

/* A dependent velocity so many times faster than when the partition was chosen asks for another. */
static const double amplification_growth = 10;

/* The word for a method that does not keep the constraints. */
static const char *loose_word(const dynamics *self) {
  return self->constraints == MBS_BAUMGARTE ? "baumgarte" : "none";
}

static bool keeps_constraints(const dynamics *self) {
  return self->run->model->rows && (self->constraints == MBS_PROJECTION || self->constraints == MBS_PARTITIONING);
}

/* A step over which an integrated angle and the one of the orientation part by more is too long to tell turns [rad]. */
static const double parted = 0.25;

static void expect_turns(const dynamics *self, const double *y) {
  if (!self->turns) return;
  for (size_t k = 0; k < self->turns; k++) self->expected[k] = y[self->first_turn + k] + self->drift[k];
  self->run->model->kernels->expect_turns(self->run->system, self->expected);
}

/* Whether the position of a state, of which expect_turns() was told, has turned as far as the integrals say. */
static mbs_status check_turns(const dynamics *self, double t, const double *y) {
  mbs_system *system = self->run->system;
  if (!self->turns) return MBS_OK;
  mbs_set_position(system, t, y);
  system->model->kernels->read_turns(system, 0, self->turned);
  for (size_t k = 0; k < self->turns; k++)
    if (!(fabs(self->turned[k] - self->expected[k]) <= parted)) return MBS_NOT_ASSEMBLED;
  return MBS_OK;
}

/* Moves a state onto the constraints, those of the Euler parameters among them. */
static mbs_status keep_constraints(dynamics *self, double t, double *y) {
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  double *q = y, *v = y + model->nq;
  model->kernels->normalize(model, q);
  if (!keeps_constraints(self)) return MBS_OK;
  if (self->constraints == MBS_PARTITIONING) {
    mbs_status status = mbs_partition_positions(&self->partition, system, t, q);
    return status == MBS_OK ? mbs_partition_velocities(&self->partition, system, v) : status;
  }
  mbs_status status = mbs_project_positions(system, t, q);
  if (status != MBS_OK) return status;
  mbs_set_velocity(system, v);
  mbs_constraints(system, MBS_WANT_RHS);
  return mbs_project_velocities(system, v);
}

/* The same, and onto the surfaces along which laws slide. */
static mbs_status project(void *context, double t, double *y) {
  dynamics *self = context;
  expect_turns(self, y);
  mbs_status status = keep_constraints(self, t, y);
  if (status == MBS_OK) status = mbs_sliding_project(self->run->system, t, y, y + self->run->model->nq);
  return status == MBS_OK ? check_turns(self, t, y) : status;
}

/* At a distance d from a position where rank is lost, pivots are d^2 of what is usual and rounding errors of
 * accelerations go as 1 / d^3. A smaller tolerance than those errors, but at most near_tolerance, would only make the
 * steps collapse; below blur_share of the usual pivots they are what a step notices. */
static const double rounding = 1e-16, near_tolerance = 1e-8, blur_share = 1e-6;

static double reachable_tolerance(const mbs_system *system) {
  double share = system->pivot_ratio / system->usual_ratio;
  return fmin(rounding / (share * sqrt(share)), near_tolerance);
}

static void loosen(dynamics *self) {
  double reachable = reachable_tolerance(self->run->system);
  self->worst_tolerance = fmax(self->worst_tolerance, reachable);
  self->tolerance.rtol = fmax(self->tolerance.rtol, reachable);
  self->tolerance.atol = fmax(self->tolerance.atol, reachable);
}

/* Near a loss of rank a stage of the integrator is moved onto the constraints before it is evaluated. Accelerations are
 * smooth along the mechanism's own motion, also through a position where rank is lost, but off the constraints they
 * change within the distance to it, and the order of the method is lost. So it is when only some stages of a step are
 * moved: a step that comes near off the constraints is tried again with all of them moved. Near is left where pivots
 * are this share of what is usual, which is well above where it is entered, lest steps that come near begin far away
 * again and again. */
static const double leaving_share = 0.1;

static void set_near(dynamics *self, bool near) {
  const mbs_model *model = self->run->model;
  self->near_singular = self->run->system->own_directions = near;
  self->tolerance.rtol = model->rtol;
  self->tolerance.atol = model->atol;
  if (near) loosen(self);
}

static bool blurred(void *context) {
  dynamics *self = context;
  bool since = self->blurred;
  self->blurred = false;
  return since;
}

static bool again(void *context) {
  dynamics *self = context;
  bool asked = self->again;
  self->again = false;
  return asked;
}

/* Whether projection would leave the position in hand where it is. */
static bool on_constraints(mbs_system *system) {
  mbs_constraints(system, MBS_WANT_PHI);
  return mbs_largest(system->Phi, system->model->rows) <= system->projection_goal;
}

static mbs_status rhs(void *context, double t, const double *y, double *dydt) {
  dynamics *self = context;
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  self->again = false; /* what is asked for below is of this evaluation */
  mbs_status status = mbs_run_check(run, t);
  if (status != MBS_OK) return status;
  bool close = self->near_singular || self->constraints == MBS_PARTITIONING;
  expect_turns(self, y);
  if (!close) {
    status = mbs_evaluate(system, t, y, y + model->nq);
    close = status == MBS_OK && mbs_near_singular(system) && keeps_constraints(self);
    if (close) set_near(self, true);
    self->again = close && self->adaptive && t > self->t_accepted && !on_constraints(system);
    if (self->again) return MBS_SINGULAR_POSITION;
  }
  if (close) {
    memcpy(self->stage, y, (model->nq + model->nv) * sizeof *y);
    y = self->stage;
    status = keep_constraints(self, t, self->stage);
    if (status == MBS_OK) status = mbs_evaluate(system, t, y, y + model->nq);
    if (status == MBS_OK) loosen(self); /* a stage may come much closer than the step's start */
  }
  self->blurred |= model->rows && system->pivot_ratio < blur_share * system->usual_ratio;
  if (status != MBS_OK) return status;
  model->kernels->rates(model, y, y + model->nq, dydt);
  memcpy(dydt + model->nq, system->vdot, model->nv * sizeof *dydt);
  if (model->has_power) {
    const double driven = mbs_driver_power(system);
    dydt[model->nq + model->nv] = system->power_work + driven;
    dydt[model->nq + model->nv + 1] = system->power_dissipated;
    self->power = fabs(system->power_work) + fabs(driven) + fabs(system->power_dissipated);
  }
  if (self->turns) model->kernels->read_turns(system, 1, dydt + self->first_turn);
  return MBS_OK;
}

/* Work and dissipation follow the motion: they are asked to be right to the tolerance of the energies that they are a
 * part of, whatever the unit of mass. (The potential energy differs from its start by no more than these; what a driver
 * gives and a force takes at once is none of them, but passes through.) Where there is none yet, it is what the forces
 * make of the absolute tolerance of the positions. */
static double energy_size(void *context, double t, const double *y) {
  dynamics *self = context;
  const mbs_model *model = self->run->model;
  const double *v = y + model->nq, *energies = v + model->nv;
  const double through = self->power * fmax(t - self->t_accepted, self->last_step);
  mbs_set_position(self->run->system, t, y);
  mbs_set_velocity(self->run->system, v);
  const double kinetic = model->kernels->kinetic(self->run->system);
  const double fastest = mbs_largest_in_units(v, self->run->system->v_units, model->nv);
  self->exchanged = fmax(fmax(self->exchanged, kinetic), fmax(through, fmax(fabs(energies[0]), fabs(energies[1]))));
  if (fastest > 0) self->resistance = fmax(self->resistance, self->power / fastest);
  return self->exchanged + (self->resistance * self->tolerance.atol + self->least_energy) / self->tolerance.rtol;
}

/* The kinetic energy of velocities of the size of their absolute tolerance. */
static double least_energy(const mbs_model *model) {
  double inertia = 0, speed = model->atol / model->time;
  for (size_t b = 1; b <= model->nB; b++) {
    const mbs_body *body = &model->bodies[b];
    double turns = fmax(body->inertia[0], model->dim == 3 ? fmax(body->inertia[1], body->inertia[2]) : 0);
    inertia = fmax(inertia, fmax(body->mass * model->length * model->length, turns));
  }
  return inertia * speed * speed;
}

static void estimated(void *context, double t, const double *errors) {
  mbs_local_errors_note(&((dynamics *)context)->errors, t, errors);
}

/* Guards: the switches, then the margins of joints whose curves may touch at another place, too. */
static mbs_status guards(void *context, double t, const double *y, double *out) {
  dynamics *self = context;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  expect_turns(self, y);
  if (system->sliding->moving_count) { /* what the laws exert */
    mbs_status status = mbs_evaluate(system, t, y, y + model->nq);
    if (status != MBS_OK) return status;
  }
  mbs_switches_margins(system, t, y, y + model->nq, out);
  mbs_read_margins(system, out + model->switch_count);
  return system->fault.status;
}

/* Guards see the rotation of bodies through sines and cosines, of which a step must not hide a wave. */
static double longest_step(void *context, double t, const double *y) {
  const dynamics *self = context;
  const mbs_model *model = self->run->model;
  double fastest = 0;
  mbs_set_position(self->run->system, t, y);
  mbs_set_velocity(self->run->system, y + model->nq);
  for (size_t b = 1; b <= model->nB; b++) {
    double omega[3];
    mbs_angular_velocity(self->run->system, (int)b, omega);
    fastest = fmax(fastest, sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]));
  }
  return 1 / fastest; /* a radian */
}

/* Rows that are kept are chosen anew where their pivots fall below this share of what they were. */
static const double renewal_share = 0.3;

/* After a step, where rows are redundant: those that were kept at the start may come near a loss of rank where the
 * mechanism does not. */
static mbs_status renew_rows(dynamics *self, double t, const double *y) {
  mbs_system *system = self->run->system;
  if (system->all_active) return MBS_OK;
  self->kept_ratio = fmax(self->kept_ratio, system->pivot_ratio);
  if (system->pivot_ratio >= renewal_share * self->kept_ratio) return MBS_OK;
  self->kept_ratio = 0;
  mbs_set_position(system, t, y);
  mbs_constraints(system, MBS_WANT_C);
  if (self->constraints == MBS_PARTITIONING) return mbs_partition_choose(&self->partition, system, false);
  return mbs_renew_rows(system, self->run->workspace) ? mbs_factor(system) : MBS_OK;
}

/* After a step: another partition where this one has become bad and a better one exists. */
static mbs_status repartition(dynamics *self, double t, const double *y) {
  mbs_system *system = self->run->system;
  mbs_partition *partition = &self->partition;
  mbs_set_position(system, t, y);
  mbs_constraints(system, MBS_WANT_C);
  mbs_partition_factor(partition, system);
  double amplification = mbs_partition_amplification(partition, system);
  if (partition->regular && amplification <= amplification_growth * fmax(1, partition->amplification)) return MBS_OK;
  mbs_status status = mbs_partition_choose(partition, system, false);
  if (partition->amplification < 0.5 * amplification) self->repartitions++;
  return status;
}

/* A driver that leads into a dead position makes ever shorter steps: this many of less than this share of the span, all
 * near a loss of rank, do not come through. */
static const double crawl_share = 1e-6;
enum { CRAWL_STEPS_MAX = 200 };
/* So does a load on a structure that has no freedom but a singular one. Leaving a singular position takes many short
 * steps, too, but they grow faster and faster. Windows of steps, at a pace that leaves so many steps to go, whose
 * second half grew no more than their first do not come through. */
static const double hopeless_steps = 1e8;
enum { CRAWL_WINDOW = 2000, CRAWL_WINDOWS = 10 };

/* A window of steps has ended at t. */
static bool stays_slow(dynamics *self, double t) {
  double advance = t - self->window_start;
  bool hopeless = (self->run->model->t_end - t) * CRAWL_WINDOW > hopeless_steps * advance;
  self->window_start = t;
  self->slow_windows = hopeless ? self->slow_windows + 1 : 0;
  if (self->slow_windows == 2) self->windows[0] = advance; /* the first one has the start's own steps */
  if (self->slow_windows == 2 + CRAWL_WINDOWS) self->windows[1] = advance;
  if (self->slow_windows < 2 + 2 * CRAWL_WINDOWS) return false;
  self->slow_windows = 1;
  return advance / self->windows[1] <= self->windows[1] / self->windows[0];
}

static bool crawls(dynamics *self, double t) {
  const mbs_model *model = self->run->model;
  double step = t - self->t_accepted;
  self->t_accepted = t;
  self->last_step = step;
  bool near = self->near_singular || self->run->system->shifted;
  bool crawling = near && (!model->driver_count || step < crawl_share * (model->t_end - model->t_start));
  self->crawl_steps = crawling ? self->crawl_steps + 1 : 0;
  if (model->driver_count) return self->crawl_steps > CRAWL_STEPS_MAX;
  if (self->crawl_steps == 1) {
    self->window_start = t;
    self->slow_windows = 0;
  }
  if (self->crawl_steps <= CRAWL_WINDOW) return false;
  self->crawl_steps = 2;
  return stays_slow(self, t);
}

/* A drift beyond this is worth a word, in units. */
static const double noted_drift = 1e-3;

/* Where nothing projects, redundant rows drift with the others. One that drifts away from them contradicts them. */
static mbs_status check_drifting(dynamics *self, double t, const double *y) {
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  double active = 0, redundant = 0;
  mbs_set_position(system, t, y);
  mbs_constraints(system, MBS_WANT_PHI);
  for (size_t r = 0; r < model->rows; r++) {
    double *largest = system->active[r] ? &active : &redundant;
    *largest = fmax(*largest, fabs(system->Phi[r]) / system->row_units[r]);
  }
  if (redundant <= noted_drift + 10 * active) return MBS_OK;
  mbs_run_note(self->run,
               "nothing keeps the constraints with \"constraints\": \"%s\": try projection before you look for "
               "a contradiction",
               loose_word(self));
  return mbs_check_redundant(system);
}

static mbs_status accepted(void *context, double t, const double *y) {
  dynamics *self = context;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  mbs_status status = renew_rows(self, t, y);
  if (status != MBS_OK) return status;
  system->usual_ratio = fmax(system->usual_ratio, system->pivot_ratio);
  for (size_t k = 0; k < self->turns; k++) self->drift[k] = self->turned[k] - y[self->first_turn + k];
  expect_turns(self, y);
  int wrong = mbs_sliding_wrong_side(system, t, y, y + model->nq);
  if (wrong >= 0) {
    self->endless = true;
    return mbs_run_fail_nested(self->run, (size_t)wrong, t);
  }
  set_near(self, mbs_near_singular(system) ||
                     (self->near_singular && system->pivot_ratio < leaving_share * system->usual_ratio));
  if (crawls(self, t)) return MBS_LOCK_UP;
  if (model->curve_count > 0) {
    mbs_set_position(system, t, y);
    mbs_set_velocity(system, y + model->nq);
    mbs_keep_contacts(system);
  }
  if (!system->all_active && !keeps_constraints(self)) return check_drifting(self, t, y);
  return self->constraints == MBS_PARTITIONING ? repartition(self, t, y) : MBS_OK;
}

/* What the constraints ask for after a change at (t, y), of which before_impulse() was told. */
static mbs_status take_impulse(dynamics *self, double t, double *y) {
  const mbs_model *model = self->run->model;
  double *v = y + model->nq, *work = model->has_power ? v + model->nv : NULL;
  if (!model->rows) return MBS_OK;
  mbs_status status = mbs_impulse_take(&self->impulse, self->run, t, y, v, keeps_constraints(self), work);
  if (status == MBS_OK && self->impulse.taken) mbs_switches_follow(self->run->system, t, y, v); /* laws that read v */
  return status;
}

static void before_impulse(dynamics *self, double t, const double *y) {
  if (self->run->model->rows) mbs_impulse_before(&self->impulse, self->run->system, t, y, y + self->run->model->nq);
}

static mbs_status event(void *context, size_t index, double t, double *y) {
  dynamics *self = context;
  mbs_run_state *run = self->run;
  if (index >= run->model->switch_count) return mbs_fail_margin(run->system, index - run->model->switch_count);
  expect_turns(self, y);
  if (mbs_sliding_may(run->system, index)) {
    mbs_sliding_event(run->system, index, t, y, y + run->model->nq);
    return MBS_OK;
  }
  before_impulse(self, t, y);
  mbs_change change = mbs_switches_event(run->system, index, t, y, y + run->model->nq);
  if (change.kind) mbs_run_event(run, t, change.element, change.kind);
  double *mode = &run->system->mode_held[index], chosen = *mode; /* at the switch itself the state does not tell */
  mbs_status status = take_impulse(self, t, y);
  *mode = chosen;
  return status;
}

static void tell_change(void *context, const mbs_change *change) {
  dynamics *self = context;
  double t = self->run->system->t;
  mbs_run_event(self->run, t, change->element, change->kind);
  if (self->sticks || strcmp(change->kind, "sticks") != 0) return;
  self->sticks = true;
  mbs_run_note(self->run,
               "'%s' sticks at t = %.9g: both branches of its law drive its switch back to zero, and it is held there "
               "by the value between them; the events tell of others",
               change->element, t);
}

/* After all events of an instant. */
static mbs_status settle(void *context, double t, double *y) {
  dynamics *self = context;
  mbs_system *system = self->run->system;
  expect_turns(self, y);
  mbs_status status = mbs_sliding_settle(system, t, y, y + self->run->model->nq, tell_change, self);
  if (status != MBS_STEP_TOO_SMALL) return status;
  self->endless = true;
  return mbs_run_fail_nested(self->run, (size_t)system->sliding->nested, t);
}

static mbs_status endless(void *context, size_t index, double t) {
  dynamics *self = context;
  self->endless = true;
  return mbs_run_fail_endless(self->run, index, t);
}

static void report_start(void *context, const mbs_change *change) {
  dynamics *self = context;
  mbs_run_event(self->run, self->run->model->t_start, change->element, change->kind);
}

/* Smooth friction that crept at two reporting times did not only pass through zero. */
static void note_creep(dynamics *self, double t) {
  const mbs_model *model = self->run->model;
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    double transition, slip;
    if (!force->cls->creep || self->crept[f] < 0) continue;
    slip = force->cls->creep(self->run->system, force, &transition);
    self->crept[f] = slip > 0 ? self->crept[f] + 1 : 0;
    if (self->crept[f] < 2) continue;
    self->crept[f] = -1;
    mbs_run_note(self->run,
                 "'%s' creeps, at t = %.9g with %.3g m/s: below its transition_velocity of %.3g m/s smooth friction "
                 "slips where dry friction sticks; a smaller transition_velocity creeps less, and the law of a force "
                 "or torque with sign(), as -mu*N*sign(v), sticks",
                 force->name, t, slip, transition);
  }
}

static mbs_status report(void *context, size_t row, double t, const double *y) {
  dynamics *self = context;
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  size_t n = model->nq + model->nv + (model->has_power ? 2 : 0);
  memcpy(self->y, y, n * sizeof *y);
  expect_turns(self, y);
  mbs_status kept = keep_constraints(self, t, self->y);
  if (kept == MBS_OK) kept = mbs_sliding_project(run->system, t, self->y, self->y + model->nq);
  if (kept != MBS_OK) return kept;
  if (model->has_power) {
    run->system->work = self->y[n - 2];
    run->system->dissipated = self->y[n - 1];
  }
  uint64_t evaluations = run->system->evaluations;
  mbs_status status = mbs_run_record(run, self->first_row + row, t, self->y, self->y + model->nq);
  if (status == MBS_OK) status = mbs_run_require_finite(run, self->first_row + row, t);
  if (status == MBS_OK) note_creep(self, t);
  run->system->evaluations = evaluations; /* results are not part of the method's work */
  return status;
}

/* A step from (t, q) that cannot go on where C has lost its rank is a lock-up or a singular position, one without a
 * force is that element's; the rest keeps its name. */
static mbs_status classify(const dynamics *self, mbs_status status, double t, const double *q) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  if (self->endless) return status;
  if (mbs_run_undefined_force(run, status, t)) return status;
  bool collapsed = status == MBS_STEP_TOO_SMALL || status == MBS_LOCK_UP || status == MBS_NOT_FINITE ||
                   status == MBS_SINGULAR_POSITION || status == MBS_NOT_ASSEMBLED;
  mbs_status ended = collapsed ? mbs_run_functions_end(run, t) : MBS_OK;
  if (ended != MBS_OK) return ended;
  bool certain = status == MBS_LOCK_UP || (self->constraints == MBS_PARTITIONING && !self->partition.regular);
  if (!collapsed || !model->rows) return status;
  mbs_status locked = mbs_run_locked(run, t, q, certain);
  return locked == MBS_OK ? status : locked;
}

/* What a run that came to its end has to say of its method. */
static void note_method(const dynamics *self, double stiffness) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  const mbs_report *summary = &run->result->report;
  if (self->worst_tolerance > model->rtol)
    mbs_run_note(run,
                 "the motion passed near a loss of rank, where rounding limits what can be reached: steps there were "
                 "taken with tolerances of up to %.1g",
                 self->worst_tolerance);
  if (model->rows && !keeps_constraints(self) && run->drift > noted_drift)
    mbs_run_note(run,
                 "the constraints have drifted by up to %.2g: \"constraints\": \"%s\" does not keep them; projection "
                 "does, and smaller tolerances help",
                 summary->residual_max[0], loose_word(self));
  if (model->fixed_step > 0 && summary->rejected > 0 && strcmp(model->method, "rk4") == 0)
    mbs_run_note(run, "steps of 'fixed_step' were too long %llu times, and shorter ones were taken there",
                 (unsigned long long)summary->rejected);
  if (stiffness > 0.5)
    mbs_run_note(run, "stability, not accuracy, limited most steps: the equations are stiff, and the integrator "
                      "\"method\": \"bdf\" would take fewer steps");
}

static mbs_status integrate(dynamics *self, const mbs_ode *ode, double *y, mbs_arena *arena) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_report *summary = &run->result->report;
  const mbs_method *method = mbs_method_named(model->method);
  double *workspace = mbs_arena_alloc(arena, mbs_integrate_workspace(method, ode), sizeof *workspace);
  double *times = mbs_arena_alloc(arena, model->nt, sizeof *times);
  size_t segments, next_row = 0;
  double *breaks = mbs_find_breaks(model, arena, &segments);
  if (!workspace || !times || !breaks) return MBS_NO_MEMORY;
  for (size_t row = 0; row < model->nt; row++) times[row] = mbs_report_time(model, row);
  if (model->fixed_step > 0 && strcmp(model->method, "rk4") != 0)
    mbs_run_note(run, "'fixed_step' counts with rk4 only: %s chooses its steps; 'max_step' bounds them", model->method);
  self->tolerance = (mbs_tolerance){.rtol = model->rtol,
                                    .atol = model->atol,
                                    .units = self->units,
                                    .max_step = model->max_step,
                                    .fixed_step = model->fixed_step};
  run->system->history_kept = method->history;
  double t = model->t_start, stiffness = 0;
  self->t_accepted = t;
  self->adaptive = method->adaptive;
  mbs_switches_settle(run->system, t, y, y + model->nq, report_start, self);
  mbs_fill_error_units(run->system, y, y + model->nq, self->units);
  mbs_status status = MBS_OK;
  for (size_t s = 0; s < segments && status == MBS_OK; s++) {
    size_t end = next_row;
    while (end < model->nt && (times[end] <= breaks[s] || s + 1 == segments)) end++;
    mbs_integration stats;
    self->first_row = next_row;
    expect_turns(self, y);
    if (s > 0) before_impulse(self, t, y);
    run->system->t_left = breaks[s];
    mbs_switches_follow(run->system, t, y, y + model->nq);
    if (s > 0) status = take_impulse(self, t, y);
    if (status == MBS_OK) status = settle(self, t, y);
    if (status != MBS_OK) break;
    status = mbs_integrate(method, ode, t, breaks[s], y, times + next_row, end - next_row, &self->tolerance, workspace,
                           &stats, run->error);
    t = stats.t;
    next_row = end;
    summary->steps += stats.steps;
    summary->rejected += stats.rejected;
    summary->accuracy->row_steps += stats.row_steps;
    stiffness = fmax(stiffness, stats.stiffness);
  }
  mbs_accuracy_store_local(model, &self->errors, summary->accuracy);
  if (status != MBS_OK) return classify(self, status, t, y);
  note_method(self, stiffness);
  return MBS_OK;
}

static void note_independent(const dynamics *self) {
  const mbs_model *model = self->run->model;
  const mbs_partition *partition = &self->partition;
  const char **held = mbs_held_labels(model, self->run->result->arena);
  char text[400] = "";
  size_t length = 0;
  for (size_t i = 0; i < model->nv + (held ? partition->held : 0); i++) { /* in the document's order */
    bool own = i < model->nv;
    if ((own && partition->place[model->user_v[i]] >= 0) || length + 1 >= sizeof text) continue;
    int written = snprintf(text + length, sizeof text - length, "%s%s", length ? ", " : "",
                           own ? self->run->result->report.velocity_labels[i] : held[i - model->nv]);
    length += written > 0 ? (size_t)written : 0;
  }
  if (length) mbs_run_note(self->run, "independent velocities at the start: %s", text);
}

static mbs_status start_partition(dynamics *self) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  if (!mbs_partition_open(&self->partition, system)) return MBS_NO_MEMORY;
  mbs_set_position(system, run->model->t_start, run->q);
  mbs_status status = mbs_partition_choose(&self->partition, system, true);
  if (status == MBS_OK) note_independent(self);
  return status;
}

/* Whether a step's end must be moved onto something. */
static bool projects(const dynamics *self) {
  const mbs_model *model = self->run->model;
  return keeps_constraints(self) || model->nq != model->nv || model->switch_count || self->turns;
}

static mbs_status run_motion(dynamics *self) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_arena *arena = run->system->arena;
  size_t n = model->nq + model->nv, powers = model->has_power ? 2 : 0;
  bool partitioned = self->constraints == MBS_PARTITIONING && model->rows;
  mbs_status status;
  self->turns = model->kernels->free_turns(model);
  self->first_turn = n + powers;
  self->least_energy = least_energy(model);
  if (self->constraints == MBS_PARTITIONING && !partitioned) self->constraints = MBS_NONE;
  if (partitioned && (status = start_partition(self)) != MBS_OK) return status;
  if (self->constraints == MBS_BAUMGARTE) {
    run->system->alpha = model->alpha;
    run->system->beta = model->beta;
  }
  mbs_ode ode = {.context = self,
                 .n = n + powers + self->turns,
                 .n_error = n,
                 .n_unjudged = self->turns,
                 .rhs = rhs,
                 .quadrature_size = energy_size,
                 .estimated = estimated,
                 .project = projects(self) ? project : NULL,
                 .n_guards = model->switch_count + mbs_count_margins(model),
                 .guards = guards,
                 .longest = longest_step,
                 .blurred = blurred,
                 .again = again,
                 .event = event,
                 .settle = settle,
                 .endless = endless,
                 .accepted = accepted,
                 .report = report};
  double *y = mbs_arena_alloc(arena, ode.n + 1, sizeof *y);
  self->y = mbs_arena_alloc(arena, ode.n + 1, sizeof *self->y);
  self->stage = mbs_arena_alloc(arena, n + 1, sizeof *self->stage);
  self->crept = mbs_arena_alloc(arena, model->force_count + 1, sizeof *self->crept);
  self->expected = mbs_arena_alloc(arena, 3 * self->turns + 1, sizeof *self->expected);
  self->units = mbs_arena_alloc(arena, n + 1, sizeof *self->units);
  if (!y || !self->y || !self->stage || !self->crept || !self->expected || !self->units ||
      !mbs_impulse_open(&self->impulse, model, arena) || !mbs_local_errors_open(&self->errors, model, arena))
    return MBS_NO_MEMORY;
  self->turned = self->expected + self->turns;
  self->drift = self->turned + self->turns;
  memcpy(y, run->q, model->nq * sizeof *y);
  memcpy(y + model->nq, run->v, model->nv * sizeof *y);
  mbs_set_position(run->system, model->t_start, run->q);
  model->kernels->read_turns(run->system, 0, y + self->first_turn);
  status = integrate(self, &ode, y, arena);
  if (self->repartitions)
    mbs_run_note(run, "the independent coordinates were chosen anew %zu time%s", self->repartitions,
                 self->repartitions == 1 ? "" : "s");
  return status;
}

mbs_status mbs_run_dynamics(mbs_run_state *run) {
  dynamics self = {.run = run, .constraints = run->model->constraints};
  mbs_status status = mbs_run_start(run);
  return status == MBS_OK ? run_motion(&self) : status;
}
