/* Impacts of touches at an instant.
 *
 * The pair of bodies with the fastest approach receives its impulse, all its points together, then the next one, until
 * none approaches faster than `least_approach`: so an impulse passes through a row of touching balls. Slower approaches
 * end without an impulse of their own: the touch closes, and its row holds.
 *
 * Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts, 1996. */
#include "equations/solve.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "run/notes.h"
#include "run/touch_instant.h"

#include <math.h>
#include <string.h>

/* Relative difference of approach speeds that count as equal. Source: the document format. */
static const double equal_speeds = 1e-9;
enum { IMPACTS_PER_TOUCH = 1000, DIRECTIONS = 60, HALVINGS = 40 };

/* Returns e of an impact with this approach speed. */
static double restitution_of(const mbs_touch_instant *now, size_t i, double approach) {
  const mbs_touch *touch = &now->model->touches[i];
  double least = 0;
  const double e = touch->cls->restitution ? touch->cls->restitution(now->system, touch, &least) : 0;
  return approach < least ? 0 : e;
}

/* Lists the touches of the next impact: all points of the pairs with the fastest approach. Returns false if none
 * approaches faster than those that just close. */
static bool list_next(mbs_touch_instant *now) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  double fastest = 0;
  MBS_EACH_NEAR(now->system->touches, i)
  if (work->candidate[i] && model->touches[i].sides && -mbs_touch_room_rate(now, i) > mbs_touch_closing_speed(now, i))
    fastest = fmax(fastest, -mbs_touch_lever(now->system, &model->touches[i]) * mbs_touch_room_rate(now, i));
  if (fastest == 0) return false;
  memset(work->listed, false, model->touch_count * sizeof *work->listed);
  MBS_EACH_NEAR(now->system->touches, i) {
    if (!work->candidate[i] || !model->touches[i].sides ||
        -mbs_touch_lever(now->system, &model->touches[i]) * mbs_touch_room_rate(now, i) < (1 - equal_speeds) * fastest)
      continue;
    MBS_EACH_NEAR(now->system->touches, k)
    work->listed[k] |= model->touches[k].pair == model->touches[i].pair && work->candidate[k] &&
                       !mbs_touch_never_opens(&model->touches[k]);
  }
  return true;
}

/* Computes the impulse of the touches that are closed in the present modes, and the velocities after it into work->v.
 * `share` multiplies the coefficients of restitution. theory (12.13) */
static mbs_status impulse_of(mbs_touch_instant *now, double share) {
  mbs_system *system = now->system;
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  mbs_status status = mbs_touch_choose_rows(now, work->candidate);
  if (status != MBS_OK) return status;
  mbs_touch_read_rates(now, now->v, now->work->rates);
  for (size_t r = 0; r < model->rows; r++) work->missing[r] = 0;
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &model->touches[i];
    if (!now->at[i].closed) continue;
    if (touch->sides > 0) {
      const double approach = -mbs_touch_room_rate(now, i), e = share * restitution_of(now, i, approach);
      /* room'+ = -e room'- */
      work->missing[mbs_touch_normal(touch)] = -(1 + (approach > 0 ? e : 0)) * work->rates[mbs_touch_normal(touch)];
    }
    for (int c = 0; c < touch->tangents && now->at[i].friction == MBS_STICKS; c++)
      work->missing[mbs_touch_tangent(touch) + c] = -work->rates[mbs_touch_tangent(touch) + c];
  }
  status = mbs_solve_impulse(system, work->missing);
  if (status == MBS_OK) status = mbs_touches_impulse(system);
  if (status == MBS_OK) mbs_touches_share(system, MBS_SHARE_TO_HOLD);
  for (size_t k = 0; k < model->nv; k++) work->v[k] = now->v[k] + system->vdot[k];
  return status;
}

/* The kinds of conditions of an impulse, in the order in which they are restored. */
typedef enum condition { PUSHES, HOLDS, OPPOSES, CONDITIONS } condition;

/* A closed touch pushes, and an open one separates. */
static bool restore_push(mbs_touch_state *state, const mbs_touch *touch, double rate, const double *slip,
                         double largest, double small) {
  if (touch->sides == 0) return false;
  if (state->closed && state->N < -mbs_zero_force * largest) {
    mbs_touch_ends_pull(touch, state);
    return true;
  }
  if (state->closed || rate >= -small) return false;
  state->closed = true;
  state->friction = touch->tangents == 0                             ? MBS_FRICTION_OFF
                    : mbs_slip_length(slip, touch->tangents) > small ? MBS_SLIPS
                                                                     : MBS_STICKS;
  mbs_set_direction(slip, touch->tangents, 1, state->direction);
  return true;
}

/* Friction that sticks is within its limit. */
static bool restore_hold(const mbs_touch_instant *now, mbs_touch_state *state, const mbs_touch *touch) {
  if (state->friction != MBS_STICKS) return false;
  const double mu = touch->cls->friction(now->system, touch)->mu_static;
  if (mbs_slip_length(state->T, touch->tangents) <= mu * state->N * (1 + mbs_zero_force)) return false;
  mbs_touch_gives_way(touch, state);
  return true;
}

/* Friction that slips opposes the slip after the impulse. If that would be reversed, or if other surfaces of the bodies
 * hold them, the surface sticks. */
static bool restore_opposition(mbs_touch_state *state, const mbs_touch *touch, const double *slip, double small) {
  const double length = mbs_slip_length(slip, touch->tangents);
  if (state->friction != MBS_SLIPS) return false;
  double along = length > small ? 0 : -1;
  for (int c = 0; c < touch->tangents && length > small; c++) along += slip[c] / length * state->direction[c];
  if (along > 1 - mbs_zero_speed) return false;
  if (along < 0)
    state->friction = MBS_STICKS;
  else
    mbs_set_direction(slip, touch->tangents, 1, state->direction);
  return true;
}

/* Changes touches that violate a condition of the impulse with the rates `after` it. Returns false if there are none.
 * */
static bool restore(mbs_touch_instant *now, const double *after, size_t *touched) {
  const mbs_model *model = now->model;
  const double small = mbs_zero_speed * now->work->speed;
  double largest = 0;
  bool changed = false;
  MBS_EACH_NEAR(now->system->touches, i)
  if (now->at[i].closed) largest = fmax(largest, fabs(now->at[i].N));
  for (condition kind = PUSHES; kind < CONDITIONS && !changed; kind++) MBS_EACH_NEAR(now->system->touches, i) {
      const mbs_touch *touch = &model->touches[i];
      mbs_touch_state *state = &now->at[i];
      const double *slip = after + mbs_touch_tangent(touch);
      if (!now->work->listed[i]) continue;
      const double room = mbs_touch_signed(state, after[mbs_touch_normal(touch)]);
      const bool other = kind == PUSHES  ? restore_push(state, touch, room, slip, largest, small)
                         : kind == HOLDS ? restore_hold(now, state, touch)
                                         : restore_opposition(state, touch, slip, small);
      if (!other) continue;
      *touched = i;
      changed = true;
      if (kind != HOLDS) break;
    }
  return changed;
}

/* Restores violated conditions, from the present modes. `found`: none is left. */
static mbs_status restore_from(mbs_touch_instant *now, double share, size_t rounds, size_t *last, bool *found) {
  *found = false;
  for (size_t round = 0; round < rounds && !*found; round++) {
    const mbs_status status = impulse_of(now, share);
    if (status != MBS_OK) return status;
    double *after = now->work->missing;
    mbs_touch_read_rates(now, now->work->v, after);
    *found = !restore(now, after, last);
  }
  return MBS_OK;
}

/* Sets the modes of the listed touches by the velocities before the impact, with restitution. */
static mbs_status start_again(mbs_touch_instant *now, double share, bool *found) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  MBS_EACH_NEAR(now->system->touches, i) {
    now->at[i].closed = model->touches[i].sides == 0;
    now->at[i].friction = MBS_FRICTION_OFF;
    work->rests[i] = true;
    if (work->listed[i] && model->touches[i].tangents)
      work->mu[i] = model->touches[i].cls->friction(now->system, &model->touches[i])->mu_dynamic;
  }
  mbs_status status = mbs_touch_choose_rows(now, work->candidate);
  if (status == MBS_OK) status = mbs_factor(now->system);
  if (status != MBS_OK) return status;
  mbs_touch_read_rates(now, now->v, work->rates);
  memcpy(work->missing, work->rates, model->rows * sizeof *work->missing);
  MBS_EACH_NEAR(now->system->touches, i) {
    if (!work->listed[i]) continue;
    const double approach = -mbs_touch_room_rate(now, i);
    /* room'+ + e room'- */
    if (approach > 0)
      work->missing[mbs_touch_normal(&model->touches[i])] *= 1 + share * restitution_of(now, i, approach);
  }
  *found = mbs_touch_find_start(now, &(mbs_touch_start){work->listed, work->rests, work->mu, work->missing});
  return MBS_OK;
}

/* Finds the impulse of the listed touches: each pushes, or separates. Leaves the velocities in work->v. */
static mbs_status find_impulse(mbs_touch_instant *now, double share) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  size_t last = 0, listed = 0;
  bool found;
  mbs_status status;
  MBS_EACH_NEAR(now->system->touches, i) {
    mbs_touch_state *state = &now->at[i];
    listed += work->listed[i];
    state->closed =
        model->touches[i].sides > 0 && work->listed[i] && -mbs_touch_room_rate(now, i) > mbs_touch_zero_speed(now, i);
    state->friction = state->closed && model->touches[i].tangents ? MBS_STICKS : MBS_FRICTION_OFF;
  }
  status = restore_from(now, share, DIRECTIONS + listed, &last, &found);
  if (status != MBS_OK || found) return status;
  status = start_again(now, share, &found);
  if (status == MBS_OK && found)
    status = restore_from(now, share, DIRECTIONS + MBS_ROUNDS_PER_TOUCH * listed, &last, &found);
  return status != MBS_OK || found ? status : mbs_touch_fail_search(now, last);
}

static double kinetic_of(mbs_touch_instant *now, const double *v) {
  mbs_set_velocity(now->system, v);
  return now->model->kernels->kinetic(now->system);
}

/* Lowers restitution if the energy would rise, which friction can cause. */
static mbs_status limit_energy(mbs_touch_instant *now, double before) {
  double low = 0, high = 1;
  if (kinetic_of(now, now->work->v) <= before * (1 + mbs_zero_force)) return MBS_OK;
  for (int k = 0; k < HALVINGS; k++) {
    const double share = 0.5 * (low + high);
    mbs_set_velocity(now->system, now->v);
    const mbs_status status = find_impulse(now, share);
    if (status != MBS_OK) return status;
    *(kinetic_of(now, now->work->v) <= before ? &low : &high) = share;
  }
  mbs_set_velocity(now->system, now->v);
  const mbs_status status = find_impulse(now, low);
  mbs_run_note(now->run,
               "at t = %.9g restitution was lowered to the share %.3g, because with friction the kinetic energy "
               "would have risen",
               now->t, low);
  return status;
}

static bool all_scleronomic(const mbs_touch_instant *now) {
  for (size_t r = 0; r < now->model->rows; r++)
    if (now->system->rhsV[r] != 0) return false;
  return true;
}

mbs_status mbs_touches_collide(mbs_touch_instant *now) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  memcpy(work->saved, now->at, model->touch_count * sizeof *work->saved);
  mbs_status status = MBS_OK;
  size_t count = 0;
  bool any = false;
  while (status == MBS_OK && list_next(now)) {
    any = true;
    if (count++ > IMPACTS_PER_TOUCH * model->touch_count) return MBS_STEP_TOO_SMALL;
    const double before = kinetic_of(now, now->v);
    status = find_impulse(now, 1);
    if (status == MBS_OK && all_scleronomic(now)) status = limit_energy(now, before);
    if (status != MBS_OK) break;
    MBS_EACH_NEAR(now->system->touches, i)
    if (work->listed[i] && now->at[i].closed && model->touches[i].cls->impact && !work->saved[i].closed)
      mbs_run_event(now->run, now->t, model->touches[i].name, model->touches[i].cls->impact);
    memcpy(now->v, work->v, model->nv * sizeof *work->v);
    mbs_set_velocity(now->system, now->v);
    mbs_touch_read_rates(now, now->v, now->work->rates);
    MBS_EACH_NEAR(now->system->touches, i)
    if (model->touches[i].sides && now->at[i].closed && work->listed[i] &&
        !now->system->active[mbs_touch_normal(&model->touches[i])] &&
        -mbs_touch_room_rate(now, i) > mbs_touch_zero_speed(now, i))
      return mbs_touch_fail_prescribed(now, i);
  }
  /* sides may have been found only now */
  if (any) MBS_EACH_NEAR(now->system->touches, i) {
      const int side = now->at[i].side;
      now->at[i] = work->saved[i];
      now->at[i].side = side;
    }
  return status;
}

mbs_status mbs_touches_close_slowly(mbs_touch_instant *now) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  bool any = false;
  memcpy(work->saved, now->at, model->touch_count * sizeof *work->saved);
  MBS_EACH_NEAR(now->system->touches, i) {
    mbs_touch_state *state = &now->at[i];
    const double rate = model->touches[i].sides && work->candidate[i] ? mbs_touch_room_rate(now, i) : INFINITY;
    state->closed = rate <= mbs_touch_zero_speed(now, i) && -rate <= mbs_touch_closing_speed(now, i);
    /* surfaces that stick stay so */
    const bool holds =
        state->closed && model->touches[i].tangents &&
        (work->before[i].friction == MBS_STICKS || mbs_touch_slip_speed(now, i) <= mbs_zero_speed * work->speed);
    state->friction = holds ? MBS_STICKS : MBS_FRICTION_OFF;
    any |= state->closed && rate < 0;
  }
  mbs_status status = any ? impulse_of(now, 0) : MBS_OK;
  memcpy(now->at, work->saved, model->touch_count * sizeof *work->saved);
  if (!any || status != MBS_OK) return status;
  memcpy(now->v, work->v, model->nv * sizeof *work->v);
  status = mbs_touch_choose_rows(now, work->candidate);
  mbs_touch_read_rates(now, now->v, now->work->rates);
  return status;
}
