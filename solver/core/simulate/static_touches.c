/* Contacts, limits and dry friction, in the search for a static equilibrium: a mechanism that nothing holds falls along
 * the forces until it touches something, theory (15.4). Touches that press are rows, and friction holds what it can. */
#include "simulate/statics.h"

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/state.h"
#include "equations/touches.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "run/sticking.h"
#include "run/touch_checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the least room of the open touches at the position q. */
static double least_room(const mbs_statics *self, const double *q) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  double least = INFINITY;
  if (!system->touches) return least;
  mbs_set_position(system, self->t, q);
  for (size_t i = 0; i < model->touch_count; i++)
    for (int side = 0; side < model->touches[i].sides && !system->touches->at[i].closed; side++) {
      const double room = mbs_touch_room(system, &model->touches[i], side);
      least = fmin(least, isnan(room) ? INFINITY : mbs_touch_lever(system, &model->touches[i]) * room);
    }
  return least;
}

/* Closes the open touches that are penetrated at self->q. */
static void close_reached(const mbs_statics *self) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  mbs_set_position(system, self->t, self->q);
  for (size_t i = 0; i < model->touch_count; i++) {
    mbs_touch_state *state = &system->touches->at[i];
    for (int side = 0; side < model->touches[i].sides && !state->closed; side++) {
      state->closed = mbs_touch_room(system, &model->touches[i], side) < 0;
      state->side = side;
    }
  }
}

/* Shortens the step z, which ends beyond an open touch, until it ends there within rounding, and closes what it
 * reaches. */
static void stop_at_touch(mbs_statics *self) {
  enum { HALVINGS = 50 };
  const size_t f = self->freedoms;
  double low = 0, high = 1, *whole = self->g; /* the force is not needed any more */
  memcpy(whole, self->z, f * sizeof *whole);
  for (int k = 0; k < HALVINGS; k++) {
    const double share = 0.5 * (low + high);
    for (size_t i = 0; i < f; i++) self->z[i] = share * whole[i];
    const bool beyond = !mbs_statics_go(self, self->lambda_trial) || least_room(self, self->q) < 0;
    *(beyond ? &high : &low) = share;
  }
  for (size_t i = 0; i < f; i++) self->z[i] = high * whole[i];
  if (mbs_statics_go(self, self->lambda_trial)) close_reached(self);
}

/* Moves from `start` along the forces, where nothing resists them, until an open touch closes or force elements balance
 * them; run->q and `start` become that position. Returns false if nothing is found. theory (15.4) */
static bool fall(mbs_statics *self, double *start) {
  enum { FALL_STEPS = 500 };
  static const double fall_step = 0.02; /* [units] obstacles are thicker */
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  bool reached = false, balanced = false;
  if (model->velocity_rows > 0 || model->relative) return false;
  memcpy(run->q, start, model->nq * sizeof *start);
  for (int k = 0; k < FALL_STEPS && !reached && !balanced; k++) {
    if (mbs_statics_balance(self, run->q, self->F, self->lambda) != MBS_OK ||
        mbs_statics_find_freedoms(self) != MBS_OK || mbs_statics_find_stiffness(self) != MBS_OK)
      return false;
    mbs_statics_project(self, self->F, self->g);
    balanced = mbs_largest(self->g, self->freedoms) <= mbs_force_accepted * self->scale;
    if (balanced) break;
    /* near a touch steps are shorter, so that they do not pass through it */
    const double room = least_room(self, run->q) / run->system->constants->length;
    mbs_statics_component_step(self, fmin(fall_step, fmax(room, 0.1 * fall_step)));
    if (!mbs_statics_go(self, self->lambda_trial)) return false;
    reached = least_room(self, self->q) < 0;
    if (reached) stop_at_touch(self);
    memcpy(run->q, self->q, model->nq * sizeof *run->q);
  }
  if (reached || balanced) memcpy(start, run->q, model->nq * sizeof *start);
  return reached || balanced;
}

mbs_status mbs_statics_search_falling(mbs_statics *self, double *start, const double *turns, int *stable) {
  enum { FALLS_MAX = 10 };
  mbs_status status = mbs_statics_search(self, start, turns, stable);
  for (int k = 0; k < FALLS_MAX && status == MBS_NO_EQUILIBRIUM && fall(self, start); k++) {
    mbs_run_forget_error(self->run);
    status = mbs_statics_search(self, start, turns, stable);
  }
  return status;
}

/* Sets *rests if friction and contacts hold the mechanism at run->q. */
static mbs_status settle_touches(mbs_statics *self, bool *rests) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  const double t = run->model->t_start;
  mbs_statics_set_velocities(self);
  mbs_touches_forget(system);
  self->stands = false;
  mbs_status status = mbs_statics_balance(self, run->q, self->F, self->lambda); /* the forces are the scale */
  if (status == MBS_OK) status = mbs_run_settle_laws(run, t);
  mbs_statics_set_velocities(self);
  if (status == MBS_OK) status = mbs_evaluate(system, t, run->q, run->v);
  memcpy(self->lambda, system->lambda, run->model->rows * sizeof *self->lambda);
  if (run->model->relative) mbs_statics_read_forces(self);
  if (status == MBS_OK) mbs_statics_balance_with(self, self->lambda, self->F);
  *rests = status == MBS_OK && mbs_largest(self->F, self->n) <= mbs_force_accepted * self->scale;
  return status;
}

/* Opens the touch that pulls most, or closes the one that is penetrated most. Returns false if there is none. */
static bool change_touch(mbs_statics *self) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  double worst = mbs_force_accepted;
  mbs_touch_state *chosen = NULL;
  int chosen_side = 0;
  mbs_set_position(system, run->model->t_start, run->q);
  for (size_t i = 0; i < run->model->touch_count; i++) {
    const mbs_touch *touch = &run->model->touches[i];
    mbs_touch_state *state = &system->touches->at[i];
    if (touch->sides == 0) continue;
    if (state->closed) {
      const double lambda = self->lambda[mbs_touch_normal(touch)], N = state->side ? -lambda : lambda;
      const double pull = -N * system->constants->length / (self->scale > 0 ? self->scale : 1);
      if (pull > worst) {
        worst = pull;
        chosen = state;
      }
    }
    for (int side = 0; side < touch->sides && !state->closed; side++) {
      const double depth =
          -mbs_touch_lever(system, touch) * mbs_touch_room(system, touch, side) / system->constants->extent;
      if (!(depth > worst)) continue;
      worst = depth;
      chosen = state;
      chosen_side = side;
    }
  }
  if (!chosen) return false;
  chosen->closed = !chosen->closed;
  chosen->side = chosen_side;
  return true;
}

/* Searches the equilibrium without dry friction, also of laws; contacts and limits are rows while they press. */
static mbs_status search_without_friction(mbs_statics *self, double *start, const double *turns, int *stable) {
  enum { CHANGES_PER_TOUCH = 4, CHANGES_LEAST = 20 };
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  const size_t most = CHANGES_LEAST + CHANGES_PER_TOUCH * run->model->touch_count;
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < run->model->touch_count; i++) system->touches->at[i].friction = MBS_FRICTION_OFF;
  self->stands = system->sliding->most > 0;
  for (size_t k = 0; k < most; k++) {
    mbs_correction ignored = {0};
    mbs_set_position(system, run->model->t_start, run->q);
    mbs_touches_find_near(system);
    mbs_touches_use_held(system);
    status = mbs_correct_positions(system, run->model->t_start, run->q, &ignored, run->workspace);
    if (status == MBS_OK) status = mbs_statics_search(self, start, turns, stable);
    if (status == MBS_NO_EQUILIBRIUM && fall(self, start)) {
      mbs_run_forget_error(run);
      continue;
    }
    if (status != MBS_OK || !change_touch(self)) return status;
  }
  return status;
}

/* Adds to the message of a failed search the friction that is too small. */
static void name_weak_friction(const mbs_run_state *run) {
  for (size_t i = 0; i < run->model->touch_count; i++) {
    if (run->model->touches[i].tangents == 0) continue;
    const size_t length = strlen(run->error->message);
    snprintf(run->error->message + length, sizeof run->error->message - length,
             "; the dry friction of '%.120s' is too small to hold the mechanism", run->model->touches[i].name);
    return;
  }
}

/* Decides the touches at an equilibrium without friction. Fails if they do not rest there. */
static mbs_status settle_at_rest(mbs_statics *self) {
  bool rests = false;
  const mbs_status status = settle_touches(self, &rests);
  return status == MBS_OK && !rests ? mbs_statics_fail_unbalanced(self) : status;
}

mbs_status mbs_statics_search_touches(mbs_statics *self, double *start, const double *turns, const double *x0,
                                      int *stable) {
  bool rests = false;
  mbs_status status = settle_touches(self, &rests);
  if (status != MBS_OK || rests) return status;
  status = search_without_friction(self, start, turns, stable);
  if (status == MBS_NO_EQUILIBRIUM) name_weak_friction(self->run);
  if (status == MBS_OK && x0) status = mbs_statics_search_states(self, start, x0, true);
  return status == MBS_OK ? settle_at_rest(self) : status;
}

mbs_status mbs_statics_report_held(mbs_statics *self) {
  mbs_run_state *run = self->run;
  const mbs_status status = mbs_report_sticking(run, true);
  if (status == MBS_OK && run->result->report.held_count)
    mbs_run_note(run,
                 "dry friction of '%s'%s helps to hold the equilibrium, so that positions nearby are equilibria, too; "
                 "another start may lead to another position",
                 run->result->report.held_by_friction[0], run->result->report.held_count > 1 ? " (and others)" : "");
  return status;
}
