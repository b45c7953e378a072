/* Updates dynamics after a step: independent rows, partition, and the end of motions that stagnate. */
#include "constraints/rank.h"
#include "equations/contacts.h"
#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "equations/touches.h"
#include "run/run_errors.h"
#include "simulate/dynamics.h"

#include <assert.h>
#include <math.h>

/* If a dependent velocity is faster by this factor than when the partition was chosen, another one is chosen. */
static const double amplification_growth = 10;

/* Selects the independent rows again after a step, if rows are redundant: the rows selected at the start may approach a
 * loss of rank where the mechanism does not. */
static mbs_status renew_rows(mbs_dynamics *self, double t, const double *y) {
  mbs_system *system = self->run->system;
  if (system->all_active) return MBS_OK;
  self->near.reference_pivot_ratio = fmax(self->near.reference_pivot_ratio, system->pivot_ratio);
  if (system->pivot_ratio >= mbs_renewal_share * self->near.reference_pivot_ratio) return MBS_OK;
  self->near.reference_pivot_ratio = 0;
  mbs_set_position(system, t, y);
  mbs_constraints(system, MBS_WANT_C);
  if (self->constraints == MBS_PARTITIONING) return mbs_partition_choose(&self->partitioning.partition, system, false);
  return mbs_renew_rows(system, self->run->workspace) ? mbs_factor(system) : MBS_OK;
}

/* Chooses another partition after a step, if the current one had become bad at the projected end of the step and there
 * is a better one. theory (11.9) */
static mbs_status repartition(mbs_dynamics *self, double t, const double *y) {
  mbs_system *system = self->run->system;
  mbs_partition *partition = &self->partitioning.partition;
  const double amplification = self->partitioning.amplification;
  if (amplification <= amplification_growth * fmax(1, partition->amplification)) return MBS_OK;
  mbs_set_position(system, t, y);
  mbs_constraints(system, MBS_WANT_C);
  mbs_status status = mbs_partition_choose(partition, system, false);
  if (partition->amplification < 0.5 * amplification) self->partitioning.changes++;
  return status;
}

static void note_end(mbs_dynamics *self) {
  const mbs_system *system = self->run->system;
  self->near.end = (mbs_step_end){.near_singular = self->near.singular,
                                  .shifted = system->shifted,
                                  .unequal_masses = system->unequal_masses,
                                  .pivot_ratio = system->pivot_ratio,
                                  .rounding = system->rounding,
                                  .rtol = self->tolerance.rtol,
                                  .atol = self->tolerance.atol};
}

static void return_to_end(mbs_dynamics *self) {
  mbs_system *system = self->run->system;
  self->near.singular = system->fresh_factors = self->near.end.near_singular;
  system->shifted = self->near.end.shifted;
  system->unequal_masses = self->near.end.unequal_masses;
  system->pivot_ratio = self->near.end.pivot_ratio;
  system->rounding = self->near.end.rounding;
  self->tolerance.rtol = self->near.end.rtol;
  self->tolerance.atol = self->near.end.atol;
}

void mbs_dynamics_set_observed(void *context, bool begins) {
  mbs_dynamics *self = context;
  if (begins)
    note_end(self);
  else if (self->near.observed)
    return_to_end(self);
  self->near.observed = begins;
}

/* Passes an accepted step to (t, y) to the limiter. */
static mbs_status watch_laws(void *context, double t, double step, const double *y) {
  mbs_dynamics *self = context;
  mbs_system *system = self->run->system;
  const uint64_t evaluations = system->evaluations;
  mbs_step_limiter_accepted(self->limiter, t, step);
  if (!mbs_step_limiter_looks_for_poles(self->limiter, step)) return MBS_OK;
  mbs_dynamics_set_observed(self, true);
  mbs_status status = mbs_evaluate(system, t, y, y + self->run->model->state.v);
  if (status == MBS_OK) status = mbs_step_limiter_find_pole(self->limiter, t, step);
  self->last.zeno = status == MBS_STEP_TOO_SMALL;
  mbs_dynamics_set_observed(self, false);
  system->evaluations = evaluations;
  return status;
}

static double limit_by_laws(void *context, double t, const double *y, const double *dydt) {
  const mbs_dynamics *self = context;
  (void)y;
  return mbs_step_limiter_longest(self->limiter, t, dydt);
}

/* Notes an accepted step of length `step` [s] to t and updates the nearness to a loss of rank. Returns MBS_LOCK_UP if
 * the motion stagnates there. */
static mbs_status note_step(mbs_dynamics *self, double t, double step) {
  mbs_dynamics_set_near(self, mbs_dynamics_still_near(self));
  const bool near = self->near.singular || self->run->system->shifted;
  self->last.t = t;
  self->last.length = step;
  return mbs_stagnation_accepted(&self->stagnation, t, step, near) ? MBS_LOCK_UP : MBS_OK;
}

static void add_watch(mbs_dynamics *self, mbs_step_watch watch) {
  assert(self->watch_count < MBS_WATCHES_MAX);
  self->watches[self->watch_count++] = watch;
}

bool mbs_dynamics_open_watches(mbs_dynamics *self, bool guards) {
  mbs_run_state *run = self->run;
  const mbs_method *method = mbs_method_named(run->model->method);
  self->limiter = mbs_step_limiter_new(run, method->stages, method->adaptive);
  if (!self->limiter || !mbs_revolutions_open(&self->revolutions, run->model, run->system->arena)) return false;
  self->stagnation = (mbs_stagnation){.model = run->model};
  self->watch_count = 0;
  if (guards) add_watch(self, (mbs_step_watch){self, mbs_dynamics_radian, NULL});
  add_watch(self, (mbs_step_watch){self, mbs_step_limiter_is_active(self->limiter) ? limit_by_laws : NULL, watch_laws});
  return true;
}

bool mbs_dynamics_limits_steps(const mbs_dynamics *self) {
  for (size_t k = 0; k < self->watch_count; k++)
    if (self->watches[k].longest) return true;
  return false;
}

double mbs_dynamics_longest_step(void *context, double t, const double *y, const double *dydt) {
  mbs_dynamics *self = context;
  double longest = INFINITY;
  mbs_dynamics_enter(self, y);
  mbs_set_position(self->run->system, t, y);
  mbs_set_velocity(self->run->system, y + self->run->model->state.v);
  for (size_t k = 0; k < self->watch_count; k++) {
    const mbs_step_watch *watch = &self->watches[k];
    if (watch->longest) longest = fmin(longest, watch->longest(watch->self, t, y, dydt));
  }
  return longest;
}

mbs_status mbs_dynamics_accepted(void *context, double t, const double *y) {
  mbs_dynamics *self = context;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  mbs_status status = renew_rows(self, t, y);
  if (status != MBS_OK) return status;
  mbs_triggers_accepted(self, t, y);
  system->usual_ratio = fmax(system->usual_ratio, system->pivot_ratio);
  mbs_revolutions_accept(&self->revolutions, model, y);
  mbs_dynamics_enter(self, y);
  if (system->touches || system->near) {
    mbs_set_position(system, t, y);
    mbs_set_velocity(system, y + model->state.v);
    mbs_near_accepted(system);
  }
  if (system->touches) {
    mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHSV);
    mbs_touches_read_slips(system);
    mbs_touches_accepted(system);
  }
  int wrong = mbs_sliding_wrong_side(system, t, y, y + model->state.v);
  if (wrong >= 0) {
    self->last.zeno = true;
    return mbs_run_fail_nested(self->run, (size_t)wrong, t);
  }
  const double step = t - self->last.t;
  for (size_t k = 0; k < self->watch_count; k++) {
    const mbs_step_watch *watch = &self->watches[k];
    if (watch->accepted && (status = watch->accepted(watch->self, t, step, y)) != MBS_OK) return status;
  }
  if ((status = note_step(self, t, step)) != MBS_OK) return status;
  if (model->curve_count > 0) {
    mbs_set_position(system, t, y);
    mbs_set_velocity(system, y + model->state.v);
    mbs_accept_contacts(system);
  }
  if (!system->all_active && !mbs_dynamics_keeps_constraints(self)) return mbs_dynamics_check_drifting(self, t, y);
  return self->constraints == MBS_PARTITIONING ? repartition(self, t, y) : MBS_OK;
}
