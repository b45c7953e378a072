/* Contacts, limits and dry friction, in the search for a static equilibrium. No step passes through an open contact or
 * limit: it ends where it reaches one, which is a row from then on. At an equilibrium of the rows the one that pulls
 * most opens, and the search goes on, until all press. This is the method of active sets (Nocedal and Wright, Numerical
 * Optimization, 2006, ch. 16.5); with conservative forces the potential energy decreases at every step. theory (15.4)
 */
#include "simulate/statics.h"

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/state.h"
#include "equations/touches.h"
#include "kernels/kernels.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "run/sticking.h"
#include "run/touch_checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- open touches that a step reaches ------------------------------------------------------------------------ */

/* Returns the open touch that is penetrated most at the position self->q, and sets *side; NULL: none is. */
static mbs_touch_state *find_penetrated(const mbs_statics *self, int *side) {
  mbs_system *system = self->run->system;
  mbs_touch_state *deepest = NULL;
  double most = 0;
  mbs_set_position(system, self->t, self->q);
  mbs_touches_find_near(system);
  MBS_EACH_NEAR(system->touches, i) {
    const mbs_touch *touch = &system->model->touches[i];
    for (int s = 0; s < touch->sides && !system->touches->at[i].closed; s++) {
      const double depth = mbs_touch_depth(system, touch, s);
      if (!(depth > most)) continue;
      most = depth;
      *side = s;
      deepest = &system->touches->at[i];
    }
  }
  return deepest;
}

/* Returns a length [units] by which a step may continue from the present position, so that no open touch is passed
 * unnoticed: two surfaces approach each other by at most four times as much, each by a translation and a rotation. */
static double clear_way(mbs_system *system) {
  const mbs_touches *touches = system->touches;
  const double skin = system->near ? system->near->skin : 0;
  double room = skin > 0 ? skin : INFINITY; /* at least that of touches that are not near */
  MBS_EACH_NEAR(touches, i) {
    const mbs_touch *touch = &system->model->touches[i];
    for (int side = 0; side < touch->sides && !touches->at[i].closed; side++) {
      const double own = mbs_touch_lever(system, touch) * mbs_touch_room(system, touch, side);
      if (own < room) room = own;
    }
  }
  return fmax(mbs_fall_step, 0.25 * room / system->constants->length);
}

/* Returns true if an open touch is penetrated where the share of the step z ends. */
static bool is_beyond(mbs_statics *self, double share) {
  int side;
  return mbs_statics_move(self, share) && find_penetrated(self, &side);
}

/* Ends the step z where a touch is penetrated that is not yet at the share *low, but at `high`, and closes it. Returns
 * false, with *low beyond that place, if its surfaces only come to other faces there. */
static bool close_reached(mbs_statics *self, double *low, double high) {
  enum { HALVINGS = 50 };
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  mbs_correction ignored = {0};
  int side = 0;
  for (int k = 0; k < HALVINGS; k++) {
    const double share = 0.5 * (*low + high);
    *(is_beyond(self, share) ? &high : low) = share;
  }
  *low = high;
  (void)mbs_statics_move(self, high);
  mbs_touch_state *reached = find_penetrated(self, &side);
  const mbs_touch *touch = &run->model->touches[reached - system->touches->at];
  if (touch->cls->face) {
    mbs_touch_look(system, touch);
    if (mbs_touch_depth(system, touch, side) == 0) return false;
  }
  reached->closed = true;
  reached->side = side;
  reached->friction = self->rubs ? MBS_STICKS : MBS_FRICTION_OFF;
  mbs_touches_use_held(system);
  (void)mbs_correct_positions(system, run->model->t_start, self->q, &ignored, run->workspace);
  return true;
}

bool mbs_statics_stop(mbs_statics *self) {
  mbs_run_state *run = self->run;
  const double length = mbs_largest(self->z, self->freedoms);
  mbs_set_position(run->system, self->t, run->q);
  double low = 0;
  while (low < 1) {
    const double piece = fmax(clear_way(run->system), length / MBS_FOLLOW_STEPS_MAX);
    const double share = length - low * length > piece ? low + piece / length : 1;
    for (size_t i = 0; i <= run->model->touch_count && is_beyond(self, share); i++)
      if (close_reached(self, &low, share)) return true;
    mbs_touches_look(run->system);
    low = share;
  }
  return false;
}

/* ---- touches at an accepted place ---------------------------------------------------------------------------- */

/* Returns true if the friction of a touch that is closed sticks, in a search where it does if surfaces press. */
static bool sticks(const mbs_system *system, const mbs_touch *touch) {
  if (touch->tangents == 0) return false;
  return !mbs_touch_never_opens(touch) || touch->reacts || touch->cls->load(system, touch) > 0;
}

/* Returns true if a closed touch has left the face that it touches, by more than the place where steps end is known. */
static bool has_left(const mbs_system *system, const mbs_touch *touch) {
  return touch->sides > 0 && touch->cls->beside &&
         touch->cls->beside(system, touch) > mbs_zero_room * system->constants->extent;
}

bool mbs_statics_accept_touches(mbs_statics *self) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  bool changes = false;
  mbs_touches_look(system);
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    mbs_touch_state *state = &system->touches->at[i];
    const bool ends = state->closed && has_left(system, touch);
    if (ends) {
      state->closed = false;
      mbs_touch_look(system, touch);
    }
    if (touch->carrier) state->closed = system->touches->at[touch->carrier - 1].closed;
    mbs_slip_mode friction = state->closed ? state->friction : MBS_FRICTION_OFF;
    if (self->rubs) friction = state->closed && sticks(system, touch) ? MBS_STICKS : MBS_FRICTION_OFF;
    changes |= ends || friction != state->friction;
    state->friction = friction;
  }
  if (changes) mbs_touches_use_held(system);
  return changes;
}

/* ---- falls --------------------------------------------------------------------------------------------------- */

void mbs_statics_reset_touches(const mbs_statics *self) {
  mbs_system *system = self->run->system;
  if (!self->touches) return;
  memcpy(system->touches->at, self->touches, system->model->touch_count * sizeof *self->touches);
  mbs_touches_use_held(system);
}

/* Moves from `start` along the forces in short steps, where nothing resists them, until touches or force elements
 * balance them; run->q and `start` become that position. Returns false if nothing is found. theory (15.4) */
static bool fall(mbs_statics *self, double *start) {
  enum { FALL_STEPS = 500 };
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  if (model->velocity_rows > 0 || model->relative) return false;
  memcpy(run->q, start, model->nq * sizeof *start);
  mbs_statics_reset_touches(self);
  for (int k = 0; k < FALL_STEPS; k++) {
    if (mbs_statics_arrive(self) != MBS_OK || mbs_statics_find_stiffness(self) != MBS_OK) return false;
    mbs_statics_project(self, self->F, self->g);
    if (mbs_largest(self->g, self->freedoms) <= mbs_force_accepted * self->scale) {
      memcpy(start, run->q, model->nq * sizeof *start);
      return true;
    }
    mbs_statics_component_step(self, mbs_fall_step);
    if (!mbs_statics_go(self, self->lambda_trial)) return false;
    if (self->touches) (void)mbs_statics_stop(self);
    memcpy(run->q, self->q, model->nq * sizeof *run->q);
  }
  return false;
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

/* ---- the search ---------------------------------------------------------------------------------------------- */

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

/* Opens the touch that pulls most at the place of self->lambda. Returns false if there is none. */
static bool open_pulling(mbs_statics *self) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  double worst = mbs_force_accepted * self->scale;
  mbs_touch_state *chosen = NULL;
  for (size_t i = 0; i < run->model->touch_count; i++) {
    const mbs_touch *touch = &run->model->touches[i];
    mbs_touch_state *state = &system->touches->at[i];
    if (touch->sides == 0 || !state->closed) continue;
    const int row = mbs_touch_normal(touch);
    const double pull = -mbs_touch_signed(state, self->lambda[row]) * system->row_units[row];
    if (!(pull > worst)) continue;
    worst = pull;
    chosen = state;
  }
  if (!chosen) return false;
  chosen->closed = false;
  chosen->friction = MBS_FRICTION_OFF;
  return true;
}

/* Leaves an unstable equilibrium, to which the search may come from a symmetric start, in the direction that does most
 * work. Returns false if touches prevent it. */
static bool leave_unstable(mbs_statics *self) {
  mbs_run_state *run = self->run;
  if (mbs_statics_examine(self) != MBS_OK) return false;
  for (int sign = 1; sign >= -1; sign -= 2) {
    mbs_statics_softest(self, sign * mbs_fall_step, self->z);
    if (is_beyond(self, 1)) continue;
    memcpy(run->q, self->q, run->model->nq * sizeof *run->q);
    return true;
  }
  return false;
}

/* Prepares a search from run->q with the touches that are closed: the position satisfies their rows, and is its
 * `start`. */
static mbs_status prepare(mbs_statics *self, double *start, double *turns) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  mbs_correction ignored = {0};
  mbs_set_position(system, run->model->t_start, run->q);
  mbs_touches_find_near(system);
  mbs_touches_use_held(system);
  const mbs_status status = mbs_correct_positions(system, run->model->t_start, run->q, &ignored, run->workspace);
  memcpy(start, run->q, run->model->nq * sizeof *start);
  mbs_set_position(system, run->model->t_start, run->q);
  run->model->kernels->read_integrated_angles(system, 0, turns);
  return status;
}

/* Searches the equilibrium without dry friction, also of laws, or with friction that sticks; contacts and limits are
 * rows while they press. */
static mbs_status search_touching(mbs_statics *self, double *start, double *turns, int *stable) {
  enum { CHANGES_PER_TOUCH = 4, CHANGES_LEAST = 20 };
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  const size_t most = CHANGES_LEAST + CHANGES_PER_TOUCH * run->model->touch_count;
  mbs_status status = MBS_OK;
  bool fallen = false;
  for (size_t i = 0; i < run->model->touch_count && !self->rubs; i++)
    system->touches->at[i].friction = MBS_FRICTION_OFF;
  self->stands = system->sliding->most > 0;
  for (size_t k = 0; k < most; k++) {
    status = prepare(self, start, turns);
    if (status == MBS_OK) status = mbs_statics_search(self, start, turns, stable);
    if (status == MBS_NO_EQUILIBRIUM && !fallen && fall(self, start)) {
      fallen = true;
      mbs_run_forget_error(run);
      continue;
    }
    if (status != MBS_OK) return status;
    if (self->downhill && *stable == 0 && leave_unstable(self)) continue;
    if (!open_pulling(self)) return status;
  }
  return status;
}

/* Decides the touches at an equilibrium. Fails if they do not rest there; then friction is too small. */
static mbs_status settle_at_rest(mbs_statics *self) {
  mbs_run_state *run = self->run;
  bool rests = false;
  mbs_status status = settle_touches(self, &rests);
  if (status != MBS_OK || rests) return status;
  status = mbs_statics_fail_unbalanced(self);
  for (size_t i = 0; i < run->model->touch_count; i++) {
    if (run->system->touches->at[i].friction != MBS_SLIPS) continue;
    const size_t length = strlen(run->error->message);
    snprintf(run->error->message + length, sizeof run->error->message - length,
             "; the dry friction of '%.120s' is too small to hold the mechanism", run->model->touches[i].name);
    break;
  }
  return status;
}

/* Searches from `start`, with friction that sticks wherever surfaces press, after the search without friction has
 * failed. If that does not help, the error remains. */
static mbs_status search_sticking(mbs_statics *self, double *start, double *turns, int *stable) {
  mbs_run_state *run = self->run;
  const mbs_error before = *run->error;
  const double failed = run->t_failed;
  bool rubs = false, rests;
  for (size_t i = 0; i < run->model->touch_count; i++) rubs |= run->model->touches[i].tangents > 0;
  if (!rubs) return MBS_NO_EQUILIBRIUM;
  memcpy(run->q, start, run->model->nq * sizeof *start);
  run->model->kernels->expect_integrated_angles(run->system, turns);
  mbs_run_forget_error(run);
  mbs_status status = settle_touches(self, &rests);
  self->rubs = true;
  if (status == MBS_OK) status = search_touching(self, start, turns, stable);
  self->rubs = false;
  if (status != MBS_NO_EQUILIBRIUM) return status;
  *run->error = before;
  run->t_failed = failed;
  return status;
}

mbs_status mbs_statics_search_touches(mbs_statics *self, double *start, double *turns, const double *x0, int *stable) {
  mbs_run_state *run = self->run;
  const size_t nq = run->model->nq, angles = run->model->kernels->integrated_angles(run->model);
  bool rests = false;
  mbs_status status = settle_touches(self, &rests);
  if (status != MBS_OK || rests) return status;
  double *first = mbs_arena_alloc(run->system->arena, nq + angles + 1, sizeof *first);
  if (!first) return MBS_NO_MEMORY;
  memcpy(first, start, nq * sizeof *start);
  memcpy(first + nq, turns, angles * sizeof *turns);
  status = search_touching(self, start, turns, stable);
  if (status == MBS_NO_EQUILIBRIUM) status = search_sticking(self, first, first + nq, stable);
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
