/* Keeps track of observed steps: the end of the last one, and whether the next one begins there. */
#include "constraints/projection.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "simulate/dynamics.h"

#include <string.h>

bool mbs_dynamics_projects_plainly(const mbs_dynamics *self) {
  const mbs_system *system = self->run->system;
  return system->sliding->count == 0 && !system->fresh_factors && !system->history_kept && !system->shifted &&
         !system->drivers_released && system->pivot_ratio > mbs_ordinary_ratio(system) &&
         system->rounding < mbs_projection_accepted;
}

void mbs_dynamics_fetch_factors(mbs_dynamics *self) {
  if (self->seen.factors) self->seen.factors(self->seen.factors_user, self);
  self->seen.factors = NULL;
}

/* Returns the size in bytes of the part of a state that projections may change. */
static size_t moved(const mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  return (model->nq + (self->run->observer->velocities ? model->nv : 0)) * sizeof(double);
}

bool mbs_dynamics_may_continue(const mbs_dynamics *self, double t) {
  return self->seen.finder && self->seen.stays && self->seen.until == t && self->run->model->switch_count == 0;
}

void mbs_dynamics_note_shown(mbs_dynamics *self, const mbs_ode_step *step, bool stays) {
  if (!self->seen.finder) return;
  step->state(step, step->t1, self->seen.end);
  self->seen.until = step->t1;
  self->seen.stays = stays;
}

bool mbs_dynamics_continues(const mbs_dynamics *self, const mbs_ode_step *step) {
  if (!mbs_dynamics_may_continue(self, step->t) || !mbs_dynamics_projects_plainly(self)) return false;
  step->state(step, step->t, self->y);
  return memcmp(self->y, self->seen.end, moved(self)) == 0;
}

void mbs_dynamics_note_end(mbs_dynamics *self, const mbs_ode_step *step) {
  if (!self->seen.finder) return;
  step->state(step, step->t1, self->seen.end);
  self->seen.until = step->t1;
  self->seen.stays = mbs_dynamics_projects_plainly(self) && memcmp(self->y, self->seen.end, moved(self)) == 0;
}
