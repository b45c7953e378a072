/* What dynamics does after a step: other rows, another partition, an end to steps that come to nothing. */
#include "constraints/rank.h"
#include "equations/contacts.h"
#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "run/errors.h"
#include "simulate/dynamics.h"

#include <math.h>

/* A dependent velocity so many times faster than when the partition was chosen asks for another. */
static const double amplification_growth = 10;

/* Rows that are kept are chosen anew where their pivots fall below this share of what they were. */
static const double renewal_share = 0.3;

/* After a step, where rows are redundant: those that were kept at the start may come near a loss of rank where the
 * mechanism does not. */
static mbs_status renew_rows(mbs_dynamics *self, double t, const double *y) {
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

/* After a step: another partition where this one had become bad when the step's end was moved onto the constraints, and
 * a better one exists. theory (11.9) */
static mbs_status repartition(mbs_dynamics *self, double t, const double *y) {
  mbs_system *system = self->run->system;
  mbs_partition *partition = &self->partition;
  const double amplification = self->amplification;
  if (amplification <= amplification_growth * fmax(1, partition->amplification)) return MBS_OK;
  mbs_set_position(system, t, y);
  mbs_constraints(system, MBS_WANT_C);
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
static bool stays_slow(mbs_dynamics *self, double t) {
  double advance = t - self->window_start;
  /* steps to go at the pace of this window */
  bool hopeless = (self->run->model->t_end - t) * CRAWL_WINDOW > hopeless_steps * advance;
  self->window_start = t;
  self->slow_windows = hopeless ? self->slow_windows + 1 : 0;
  if (self->slow_windows == 2) self->windows[0] = advance; /* the first one has the start's own steps */
  if (self->slow_windows == 2 + CRAWL_WINDOWS) self->windows[1] = advance;
  if (self->slow_windows < 2 + 2 * CRAWL_WINDOWS) return false;
  self->slow_windows = 1;
  return advance / self->windows[1] <= self->windows[1] / self->windows[0];
}

static bool crawls(mbs_dynamics *self, double t) {
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

static void note_end(mbs_dynamics *self) {
  const mbs_system *system = self->run->system;
  self->end = (mbs_step_end){.near_singular = self->near_singular,
                             .shifted = system->shifted,
                             .unequal_masses = system->unequal_masses,
                             .pivot_ratio = system->pivot_ratio,
                             .rounding = system->rounding,
                             .rtol = self->tolerance.rtol,
                             .atol = self->tolerance.atol};
}

static void return_to_end(mbs_dynamics *self) {
  mbs_system *system = self->run->system;
  self->near_singular = system->own_directions = self->end.near_singular;
  system->shifted = self->end.shifted;
  system->unequal_masses = self->end.unequal_masses;
  system->pivot_ratio = self->end.pivot_ratio;
  system->rounding = self->end.rounding;
  self->tolerance.rtol = self->end.rtol;
  self->tolerance.atol = self->end.atol;
}

void mbs_dynamics_look(void *context, bool begins) {
  mbs_dynamics *self = context;
  if (begins)
    note_end(self);
  else if (self->looks)
    return_to_end(self);
  self->looks = begins;
}

/* Shows the limiter a step to (t, y). */
static mbs_status watch_laws(mbs_dynamics *self, double t, double step, const double *y) {
  mbs_system *system = self->run->system;
  const uint64_t evaluations = system->evaluations;
  mbs_step_limiter_accepted(self->limiter, t, step);
  if (!mbs_step_limiter_looks_for_poles(self->limiter, step)) return MBS_OK;
  mbs_dynamics_look(self, true);
  mbs_status status = mbs_evaluate(system, t, y, y + self->run->model->state.v);
  if (status == MBS_OK) status = mbs_step_limiter_find_pole(self->limiter, t, step);
  self->endless = status == MBS_STEP_TOO_SMALL;
  mbs_dynamics_look(self, false);
  system->evaluations = evaluations;
  return status;
}

mbs_status mbs_dynamics_accepted(void *context, double t, const double *y) {
  mbs_dynamics *self = context;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  mbs_status status = renew_rows(self, t, y);
  if (status != MBS_OK) return status;
  system->usual_ratio = fmax(system->usual_ratio, system->pivot_ratio);
  /* drift = theta - integral */
  for (size_t k = 0; k < self->turns; k++) self->drift[k] = self->turned[k] - y[model->state.turns + k];
  mbs_dynamics_enter(self, y);
  int wrong = mbs_sliding_wrong_side(system, t, y, y + model->state.v);
  if (wrong >= 0) {
    self->endless = true;
    return mbs_run_fail_nested(self->run, (size_t)wrong, t);
  }
  if ((status = watch_laws(self, t, t - self->t_accepted, y)) != MBS_OK) return status;
  mbs_dynamics_set_near(self, mbs_dynamics_still_near(self));
  if (crawls(self, t)) return MBS_LOCK_UP;
  if (model->curve_count > 0) {
    mbs_set_position(system, t, y);
    mbs_set_velocity(system, y + model->state.v);
    mbs_keep_contacts(system);
  }
  if (!system->all_active && !mbs_dynamics_keeps_constraints(self)) return mbs_dynamics_check_drifting(self, t, y);
  return self->constraints == MBS_PARTITIONING ? repartition(self, t, y) : MBS_OK;
}
