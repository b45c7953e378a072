/* Modes of touches at an instant.
 *
 * Impacts come first. The pair of bodies with the fastest approach receives its impulse, all its points together, then
 * the next one, until none approaches faster than `least_approach`: so an impulse passes through a row of touching
 * balls. Slower approaches end without an impulse of their own: the touch closes, and its row holds.
 *
 * Then accelerations decide, by a search over modes: the most violated condition changes its touch, until none is
 * violated,
 *
 *     closed: N >= 0      open: room'' >= 0      sticks: |T| <= mu_static N      slips: s'.direction >= 0
 *
 * Sources: Glocker, Set-Valued Force Laws, 2001; Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts, 1996;
 * the search is principal pivoting (Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, ch. 4). */
#include "run/touch_modes.h"

#include "base/message.h"
#include "base/norms.h"
#include "constraints/projection.h"
#include "constraints/rank.h"
#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "initial/correct.h"
#include "initial/row_factors.h"
#include "kernels/kernels.h"
#include "run/notes.h"
#include "run/run_errors.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shares of the scales of lengths, velocities, forces and accelerations below which these count as zero. Chosen: far
 * above rounding, far below the tolerance of a run. */
static const double zero_room = 1e-9, zero_speed = 1e-9, zero_force = 1e-8;
/* Relative difference of approach speeds that count as equal. Source: the document format. */
static const double equal_speeds = 1e-9;
/* Friction above this share of its limit breaks away together with another one that has reached it: surfaces that touch
 * redundantly reach it at one instant but for rounding. */
static const double at_limit_share = 1 - 1e-6;
/* A surface whose friction reaches its limit at a load below this share of the largest one opens: the limit is zero. */
static const double no_load_share = 1e-6;
enum { ROUNDS_PER_TOUCH = 8, ROUNDS_LEAST = 20, IMPACTS_PER_TOUCH = 1000, DIRECTIONS = 60, HALVINGS = 40 };

struct mbs_touch_modes {
  mbs_touch_state *before, *saved; /* [touch_count] */
  bool *candidate;                 /* [touch_count] room and approach are zero, so the touch may be closed */
  bool *listed;                    /* [touch_count] touches of an impact */
  bool *tried;                     /* [touch_count] need not be tried to stick */
  bool *base, *dependent;          /* [rows] rows of joints and drivers that are independent; workspace */
  double *missing, *rates;         /* [rows] */
  double *v;                       /* [nv] */
  double speed;                    /* scale of velocities [m/s] */
};
typedef struct mbs_touch_modes touch_modes;

typedef struct instant {
  mbs_run_state *run;
  mbs_system *system;
  const mbs_model *model;
  touch_modes *work;
  mbs_touch_state *at;
  double t;
  const double *q;
  double *v;
  double fastest; /* scale of accelerations in the search [m/s^2] */
} instant;

bool mbs_touch_modes_open(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_arena *arena = run->system->arena;
  const size_t k = model->touch_count + 1, m = model->rows + 1;
  if (!model->touch_count || run->touch_modes) return true;
  touch_modes *work = mbs_arena_alloc(arena, 1, sizeof *work);
  if (!work) return false;
  *work = (touch_modes){.before = mbs_arena_alloc(arena, k, sizeof *work->before),
                        .saved = mbs_arena_alloc(arena, k, sizeof *work->saved),
                        .candidate = mbs_arena_alloc(arena, k, 1),
                        .listed = mbs_arena_alloc(arena, k, 1),
                        .tried = mbs_arena_alloc(arena, k, 1),
                        .base = mbs_arena_alloc(arena, m, 1),
                        .dependent = mbs_arena_alloc(arena, m, 1),
                        .missing = mbs_arena_alloc(arena, m, sizeof(double)),
                        .rates = mbs_arena_alloc(arena, m, sizeof(double)),
                        .v = mbs_arena_alloc(arena, model->nv + 1, sizeof(double))};
  run->touch_modes = work;
  return work->before && work->saved && work->candidate && work->listed && work->tried && work->base &&
         work->dependent && work->missing && work->rates && work->v;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* Evaluates the constraints with the present modes, and chooses independent rows among those that hold. Rows of joints
 * and drivers stay as they are. */
static mbs_status choose_rows(instant *now, const bool *shown) {
  mbs_system *system = now->system;
  const mbs_model *model = now->model;
  const size_t own = model->bilateral_rows;
  mbs_touches_use_rows(system, shown);
  mbs_set_position(system, now->t, now->q);
  mbs_set_velocity(system, now->v);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  if (system->fault.status != MBS_OK) return system->fault.status;
  bool any = false;
  for (size_t r = own; r < model->rows; r++) any |= mbs_touch_row_holds(system, (int)r);
  size_t joint_rank;
  if (any && mbs_find_dependents(system, MBS_LEVEL_VELOCITY, mbs_least_row_share, now->work->dependent, own,
                                 &joint_rank, now->run->workspace) < 0)
    return MBS_NO_MEMORY;
  system->all_active = true;
  for (size_t r = 0; r < model->rows; r++) {
    system->active[r] = r < own ? now->work->base[r] : mbs_touch_row_holds(system, (int)r) && !now->work->dependent[r];
    system->all_active &= system->active[r];
  }
  return MBS_OK;
}

/* Computes the rates C v - rhsV of all rows. */
static void read_rates(instant *now) {
  mbs_system *system = now->system;
  mbs_jacobian_times(system, now->v, now->work->rates);
  for (size_t r = 0; r < now->model->rows; r++) now->work->rates[r] -= system->rhsV[r];
}

/* Returns the rate of the room of a touch with a normal row. */
static double room_rate(const instant *now, size_t i) {
  const double rate = now->work->rates[mbs_touch_normal(&now->model->touches[i])];
  return now->at[i].side ? -rate : rate;
}

static double largest_slip(const instant *now, size_t i) {
  const mbs_touch *touch = &now->model->touches[i];
  double sum = 0;
  for (int c = 0; c < touch->tangents; c++) {
    const double rate = now->work->rates[mbs_touch_tangent(touch) + c];
    sum += rate * rate;
  }
  return sqrt(sum);
}

static double length_of(const double *x, int n) {
  double sum = 0;
  for (int c = 0; c < n; c++) sum += x[c] * x[c];
  return sqrt(sum);
}

/* Sets out [n] = sign x / norm(x); unchanged if x is zero. */
static void set_direction(const double *x, int n, double sign, double *out) {
  const double length = length_of(x, n);
  for (int c = 0; c < n && length > 0; c++) out[c] = sign * x[c] / length;
}

/* Finds the touches that may be closed: those that were, those whose event it is, and those without room. */
static void find_candidates(instant *now) {
  for (size_t i = 0; i < now->model->touch_count; i++) {
    const mbs_touch *touch = &now->model->touches[i];
    mbs_touch_state *state = &now->at[i];
    bool *candidate = &now->work->candidate[i];
    *candidate = state->closed || state->at_limit;
    if (!state->closed && !state->looked) mbs_touch_look(now->system, touch);
    state->looked = true;
    for (int side = 0; side < touch->sides && !*candidate; side++) {
      if (mbs_touch_room(now->system, touch, side) > zero_room * now->system->constants->extent) continue;
      state->side = side;
      *candidate = true;
    }
  }
}

/* ---- limits -------------------------------------------------------------------------------------------------- */

mbs_status mbs_fail_limit(mbs_run_state *run, double t, const mbs_touch *touch) {
  return mbs_run_fail(
      run, MBS_LIMIT_EXCEEDED, t, touch->name,
      "the motion exceeds a rigid limit of '%s' at t = %.9g; change the motion or the limit, or give the "
      "limit a stiffness",
      touch->name, t);
}

/* Fails if rigid surfaces penetrate each other at a start that must not be corrected. */
static mbs_status check_depths(mbs_run_state *run, double t, const double *q) {
  const mbs_model *model = run->model;
  mbs_set_position(run->system, t, q);
  for (size_t i = 0; i < model->touch_count && !model->correct; i++) {
    const mbs_touch *touch = &model->touches[i];
    const double room = touch->sides == 1 ? mbs_touch_room(run->system, touch, 0) : 0;
    if (room < -zero_room * run->system->constants->extent)
      return mbs_run_fail(
          run, MBS_NOT_ASSEMBLED, t, touch->name,
          "the rigid surfaces of '%s' penetrate each other by %.3g m at the start; separate them, or let "
          "\"correct\" be true",
          touch->name, -room);
  }
  return MBS_OK;
}

mbs_status mbs_check_limits(mbs_run_state *run, double t, const double *q) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_set_position(system, t, q);
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    for (int side = 0; side < 2 && touch->sides == 2; side++)
      if (mbs_touch_room(system, touch, side) < -zero_room * system->constants->extent)
        return mbs_fail_limit(run, t, touch);
  }
  return MBS_OK;
}

/* ---- start --------------------------------------------------------------------------------------------------- */

/* Closes the contacts whose surfaces penetrate each other at q, with `limits` also the limits that are exceeded, and
 * uses their rows. Returns false if there are none. */
static bool close_penetrated(mbs_system *system, double t, const double *q, bool limits) {
  const mbs_model *model = system->model;
  bool any = false;
  mbs_set_position(system, t, q);
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    mbs_touch_state *state = &system->touches->at[i];
    for (int side = 0; side < touch->sides && !state->closed && (touch->sides == 1 || limits); side++) {
      if (mbs_touch_room(system, touch, side) >= -zero_room * system->constants->extent) continue;
      any = state->closed = true;
      state->side = side;
    }
  }
  mbs_touches_use_rows(system, NULL);
  for (size_t r = model->bilateral_rows; r < model->rows; r++) system->active[r] = mbs_touch_row_holds(system, (int)r);
  return any;
}

mbs_status mbs_separate_surfaces(mbs_run_state *run, mbs_correction *out) {
  mbs_system *system = run->system;
  const double t = run->model->t_start;
  mbs_status status = MBS_OK;
  if (!system->touches) return MBS_OK;
  for (size_t k = 0; k <= run->model->touch_count && status == MBS_OK && close_penetrated(system, t, run->q, k > 0);
       k++)
    status = mbs_correct_positions(system, t, run->q, out, run->workspace);
  mbs_touches_forget(system);
  mbs_set_position(system, t, run->q);
  return status;
}

/* ---- impacts ------------------------------------------------------------------------------------------------- */

/* Returns e of an impact with this approach speed. */
static double restitution_of(const instant *now, size_t i, double approach) {
  const mbs_touch *touch = &now->model->touches[i];
  double least = 0;
  const double e = touch->cls->restitution ? touch->cls->restitution(now->system, touch, &least) : 0;
  return approach < least ? 0 : e;
}

/* Returns the approach speed up to which a touch closes without an impact. */
static double closing_speed(const instant *now, size_t i) {
  const mbs_touch *touch = &now->model->touches[i];
  double least = 0;
  if (touch->cls->restitution) (void)touch->cls->restitution(now->system, touch, &least);
  return fmax(least, zero_speed * now->work->speed);
}

/* Lists the touches of the next impact: all points of the pairs with the fastest approach. Returns false if none
 * approaches faster than those that just close. */
static bool list_next(instant *now) {
  const mbs_model *model = now->model;
  touch_modes *work = now->work;
  double fastest = 0;
  for (size_t i = 0; i < model->touch_count; i++)
    if (work->candidate[i] && model->touches[i].sides && -room_rate(now, i) > closing_speed(now, i))
      fastest = fmax(fastest, -room_rate(now, i));
  if (fastest == 0) return false;
  memset(work->listed, false, model->touch_count * sizeof *work->listed);
  for (size_t i = 0; i < model->touch_count; i++) {
    if (!work->candidate[i] || !model->touches[i].sides || -room_rate(now, i) < (1 - equal_speeds) * fastest) continue;
    for (size_t k = 0; k < model->touch_count; k++)
      work->listed[k] |=
          model->touches[k].pair == model->touches[i].pair && work->candidate[k] && model->touches[k].sides > 0;
  }
  return true;
}

/* Computes the impulse of the touches that are closed in the present modes, and the velocities after it into work->v.
 * `share` multiplies the coefficients of restitution. theory (12.13) */
static mbs_status impulse_of(instant *now, double share) {
  mbs_system *system = now->system;
  const mbs_model *model = now->model;
  touch_modes *work = now->work;
  mbs_status status = choose_rows(now, work->candidate);
  if (status != MBS_OK) return status;
  read_rates(now);
  for (size_t r = 0; r < model->rows; r++) work->missing[r] = 0;
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    if (touch->sides == 0 || !now->at[i].closed) continue;
    const double approach = -room_rate(now, i), e = share * restitution_of(now, i, approach);
    /* room'+ = -e room'- */
    work->missing[mbs_touch_normal(touch)] = -(1 + (approach > 0 ? e : 0)) * work->rates[mbs_touch_normal(touch)];
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
  if (state->closed && state->N < -zero_force * largest) {
    if (state->friction == MBS_STICKS && length_of(state->T, touch->tangents) > 0) { /* friction may cause the pull */
      state->friction = MBS_SLIPS;
      set_direction(state->T, touch->tangents, -1, state->direction);
      return true;
    }
    state->closed = false;
    state->friction = MBS_FRICTION_OFF;
    return true;
  }
  if (state->closed || rate >= -small) return false;
  state->closed = true;
  state->friction = touch->tangents == 0                       ? MBS_FRICTION_OFF
                    : length_of(slip, touch->tangents) > small ? MBS_SLIPS
                                                               : MBS_STICKS;
  set_direction(slip, touch->tangents, 1, state->direction);
  return true;
}

/* Friction that sticks is within its limit. */
static bool restore_hold(const instant *now, mbs_touch_state *state, const mbs_touch *touch) {
  if (state->friction != MBS_STICKS) return false;
  const double mu = touch->cls->friction(now->system, touch)->mu_static;
  if (length_of(state->T, touch->tangents) <= mu * state->N * (1 + zero_force)) return false;
  state->friction = MBS_SLIPS;
  set_direction(state->T, touch->tangents, -1, state->direction);
  return true;
}

/* Friction that slips opposes the slip after the impulse. If that would be reversed, or if other surfaces of the bodies
 * hold them, the surface sticks. */
static bool restore_opposition(mbs_touch_state *state, const mbs_touch *touch, const double *slip, double small) {
  const double length = length_of(slip, touch->tangents);
  if (state->friction != MBS_SLIPS) return false;
  double along = length > small ? 0 : -1;
  for (int c = 0; c < touch->tangents && length > small; c++) along += slip[c] / length * state->direction[c];
  if (along > 1 - zero_speed) return false;
  if (along < 0)
    state->friction = MBS_STICKS;
  else
    set_direction(slip, touch->tangents, 1, state->direction);
  return true;
}

/* Changes touches that violate a condition of the impulse with the rates `after` it. Returns false if there are none.
 * */
static bool restore(instant *now, const double *after, size_t *touched) {
  const mbs_model *model = now->model;
  const double small = zero_speed * now->work->speed;
  double largest = 0;
  bool changed = false;
  for (size_t i = 0; i < model->touch_count; i++)
    if (now->at[i].closed) largest = fmax(largest, fabs(now->at[i].N));
  for (condition kind = PUSHES; kind < CONDITIONS && !changed; kind++)
    for (size_t i = 0; i < model->touch_count; i++) {
      const mbs_touch *touch = &model->touches[i];
      mbs_touch_state *state = &now->at[i];
      const double *slip = after + mbs_touch_tangent(touch);
      if (!now->work->listed[i]) continue;
      const double rate = after[mbs_touch_normal(touch)], room = state->side ? -rate : rate;
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

static mbs_status fail_search(instant *now, size_t touch) {
  mbs_error *error = now->system->error;
  const char *name = now->model->touches[touch].name;
  if (error && error->message[0] == 0) {
    error->time = now->t;
    snprintf(error->element, sizeof error->element, "%s", name);
    mbs_message(
        error->message, sizeof error->message,
        "the dry friction of '%s' has no consistent solution at t = %.9g (the paradox of Painleve); use a smaller "
        "coefficient, or a compliant contact",
        name, now->t);
  }
  return MBS_PAINLEVE;
}

/* Finds the impulse of the listed touches: each pushes, or separates. Leaves the velocities in work->v. */
static mbs_status find_impulse(instant *now, double share) {
  const mbs_model *model = now->model;
  touch_modes *work = now->work;
  const double small = zero_speed * work->speed;
  size_t last = 0;
  for (size_t i = 0; i < model->touch_count; i++) {
    mbs_touch_state *state = &now->at[i];
    state->closed = model->touches[i].sides > 0 && work->listed[i] && -room_rate(now, i) > small;
    state->friction = state->closed && model->touches[i].tangents ? MBS_STICKS : MBS_FRICTION_OFF;
  }
  for (size_t round = 0; round < DIRECTIONS + ROUNDS_PER_TOUCH * model->touch_count; round++) {
    const mbs_status status = impulse_of(now, share);
    if (status != MBS_OK) return status;
    double *after = work->missing;
    mbs_jacobian_times(now->system, work->v, after);
    for (size_t r = 0; r < model->rows; r++) after[r] -= now->system->rhsV[r];
    if (!restore(now, after, &last)) return MBS_OK;
  }
  return fail_search(now, last);
}

static double kinetic_of(instant *now, const double *v) {
  mbs_set_velocity(now->system, v);
  return now->model->kernels->kinetic(now->system);
}

/* Lowers restitution if the energy would rise, which friction can cause. */
static mbs_status limit_energy(instant *now, double before) {
  double low = 0, high = 1;
  if (kinetic_of(now, now->work->v) <= before * (1 + zero_force)) return MBS_OK;
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

static bool all_scleronomic(const instant *now) {
  for (size_t r = 0; r < now->model->rows; r++)
    if (now->system->rhsV[r] != 0) return false;
  return true;
}

/* Fails because joints and drivers move the touch against its limit. */
static mbs_status fail_prescribed(instant *now, size_t i) {
  const mbs_touch *touch = &now->model->touches[i];
  if (touch->sides == 2) return mbs_fail_limit(now->run, now->t, touch);
  return mbs_run_fail(now->run, MBS_LOCK_UP, now->t, touch->name,
                      "the joints and drivers move the surfaces of '%s' into each other at t = %.9g", touch->name,
                      now->t);
}

/* Makes all impacts of the instant. theory (12.12) */
static mbs_status collide(instant *now) {
  const mbs_model *model = now->model;
  touch_modes *work = now->work;
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
    for (size_t i = 0; i < model->touch_count; i++)
      if (work->listed[i] && now->at[i].closed && model->touches[i].cls->impact && !work->saved[i].closed)
        mbs_run_event(now->run, now->t, model->touches[i].name, model->touches[i].cls->impact);
    memcpy(now->v, work->v, model->nv * sizeof *work->v);
    mbs_set_velocity(now->system, now->v);
    read_rates(now);
    for (size_t i = 0; i < model->touch_count; i++)
      if (now->at[i].closed && work->listed[i] && !now->system->active[mbs_touch_normal(&model->touches[i])] &&
          -room_rate(now, i) > zero_speed * work->speed)
        return fail_prescribed(now, i);
  }
  /* sides may have been found only now */
  for (size_t i = 0; any && i < model->touch_count; i++) {
    const int side = now->at[i].side;
    now->at[i] = work->saved[i];
    now->at[i].side = side;
  }
  return status;
}

/* Ends the slow approaches of touches that close, together with the rates of those that rest. */
static mbs_status close_slowly(instant *now) {
  const mbs_model *model = now->model;
  touch_modes *work = now->work;
  bool any = false;
  memcpy(work->saved, now->at, model->touch_count * sizeof *work->saved);
  for (size_t i = 0; i < model->touch_count; i++) {
    mbs_touch_state *state = &now->at[i];
    const double rate = model->touches[i].sides && work->candidate[i] ? room_rate(now, i) : INFINITY;
    state->closed = rate <= zero_speed * work->speed && -rate <= closing_speed(now, i);
    /* surfaces that stick stay so */
    const bool holds = state->closed && model->touches[i].tangents &&
                       (work->before[i].friction == MBS_STICKS || largest_slip(now, i) <= zero_speed * work->speed);
    state->friction = holds ? MBS_STICKS : MBS_FRICTION_OFF;
    any |= state->closed && rate < 0;
  }
  mbs_status status = any ? impulse_of(now, 0) : MBS_OK;
  memcpy(now->at, work->saved, model->touch_count * sizeof *work->saved);
  if (!any || status != MBS_OK) return status;
  memcpy(now->v, work->v, model->nv * sizeof *work->v);
  status = choose_rows(now, work->candidate);
  read_rates(now);
  return status;
}

/* ---- modes by accelerations ---------------------------------------------------------------------------------- */

static bool any_breaks_away(const instant *now) {
  for (size_t i = 0; i < now->model->touch_count; i++)
    if (now->at[i].friction == MBS_STICKS && now->at[i].at_rest) return true;
  return false;
}

/* Returns true if the friction of a touch that stuck has just reached its limit. */
static bool breaks_away(const instant *now, size_t i, bool any) {
  const mbs_touch *touch = &now->model->touches[i];
  const mbs_touch_state *before = &now->work->before[i];
  if (before->friction != MBS_STICKS) return false;
  if (before->at_rest) return true;
  const double limit = touch->cls->friction(now->system, touch)->mu_static * before->N;
  return any && length_of(before->T, touch->tangents) > at_limit_share * limit;
}

/* Sets the modes with which the search begins. */
static void begin_search(instant *now) {
  const mbs_model *model = now->model;
  touch_modes *work = now->work;
  const double small = zero_speed * work->speed;
  const bool any = any_breaks_away(now);
  double largest = 0;
  for (size_t i = 0; i < model->touch_count; i++) largest = fmax(largest, work->before[i].N);
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    const mbs_touch_state *before = &work->before[i];
    mbs_touch_state *state = &now->at[i];
    if (touch->sides > 0) {
      work->candidate[i] =
          work->candidate[i] && room_rate(now, i) <= small && -room_rate(now, i) <= closing_speed(now, i);
      /* a touch whose force has just become zero opens, unless it would approach */
      state->closed = work->candidate[i] && !(before->closed && (before->at_limit || before->N < 0));
      if (before->friction == MBS_STICKS && before->at_rest && before->N < no_load_share * largest)
        state->closed = false;
    }
    if (!touch->tangents) continue;
    const double slip = largest_slip(now, i);
    const bool rests = slip <= small || (state->at_rest && before->friction == MBS_SLIPS);
    state->friction = !state->closed ? MBS_FRICTION_OFF : rests ? MBS_STICKS : MBS_SLIPS;
    if (state->friction == MBS_SLIPS)
      set_direction(work->rates + mbs_touch_tangent(touch), touch->tangents, 1, state->direction);
    work->tried[i] = breaks_away(now, i, any);
    if (state->friction == MBS_STICKS && work->tried[i]) {
      state->friction = MBS_SLIPS;
      set_direction(before->T, touch->tangents, -1, state->direction);
    }
    work->listed[i] = rests; /* this surface may stick */
  }
}

/* The most violated condition. */
typedef struct violation {
  size_t touch;
  double size;
  enum { OPENS, CLOSES, BREAKS_AWAY, COMES_BACK, PRESCRIBED } kind;
} violation;

static void note(violation *worst, size_t touch, double size, int kind, bool first) {
  if (!(size > worst->size) || (first && worst->size > 0)) return;
  *worst = (violation){.touch = touch, .size = size, .kind = kind};
}

/* Returns the acceleration of a slip along its direction. */
static double along_of(const instant *now, size_t i) {
  const mbs_touch *touch = &now->model->touches[i];
  const double *acceleration = now->work->missing + mbs_touch_tangent(touch);
  double along = 0;
  for (int c = 0; c < touch->tangents; c++) along += acceleration[c] * now->at[i].direction[c];
  return along;
}

/* Returns the largest acceleration that reactions cause. At rest they cancel those of the other forces, and rounding is
 * a share of them. */
static double caused_by_reactions(mbs_system *system) {
  const mbs_model *model = system->model;
  double *motion = system->motion;
  mbs_jacobian_transposed(system, system->lambda, motion);
  mbs_solve_up(system, motion);
  for (size_t k = 0; k < model->nv; k++) motion[k] *= system->M_diagonal[k];
  mbs_solve_down(system, motion);
  return mbs_largest_in_units(motion, system->v_units, model->nv) * system->constants->length;
}

/* Returns the most violated condition at the evaluated state, or the first one; size 0: none. */
static violation find_violation(instant *now, bool first) {
  const mbs_model *model = now->model;
  mbs_system *system = now->system;
  double *acceleration = now->work->missing, force = 0, fastest = caused_by_reactions(system), mass = 0;
  violation worst = {.touch = 0, .size = 0};
  mbs_jacobian_times(system, system->vdot, acceleration);
  for (size_t r = 0; r < model->rows; r++) {
    force = fmax(force, fabs(system->lambda[r]));
    fastest = fmax(fastest, fabs(acceleration[r]) + fabs(system->rhsA[r]));
    acceleration[r] -= system->rhsA[r];
  }
  fastest = fmax(fastest, mbs_largest_in_units(system->vdot, system->v_units, model->nv) * system->constants->length);
  now->fastest = fastest;
  /* bodies in free fall may touch without force: what counts is the force that moves them */
  for (size_t b = 1; b <= model->nB; b++) mass += system->constants->bodies[b].mass;
  force = system->touches->force = fmax(force, mass * fastest);
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    const mbs_touch_state *state = &now->at[i];
    if (touch->sides > 0 && state->closed) {
      if (state->N < -zero_force * force) note(&worst, i, -state->N / force, OPENS, first);
      const double own = state->side ? -acceleration[mbs_touch_normal(touch)] : acceleration[mbs_touch_normal(touch)];
      if (!system->active[mbs_touch_normal(touch)] && own < -1e3 * zero_force * fastest)
        note(&worst, i, -own / fastest, PRESCRIBED, first);
    } else if (touch->sides > 0 && now->work->candidate[i]) {
      const double a = state->side ? -acceleration[mbs_touch_normal(touch)] : acceleration[mbs_touch_normal(touch)];
      if (a < -zero_force * fastest) note(&worst, i, -a / fastest, CLOSES, first);
    }
    if (state->friction == MBS_STICKS) {
      const double beyond =
          length_of(state->T, touch->tangents) - touch->cls->friction(system, touch)->mu_static * state->N;
      if (beyond > zero_force * force) note(&worst, i, beyond / force, BREAKS_AWAY, first);
    } else if (state->friction == MBS_SLIPS && now->work->listed[i]) {
      const double along = along_of(now, i);
      if (along < -zero_force * fastest) note(&worst, i, -along / fastest, COMES_BACK, first);
    }
  }
  return worst;
}

/* Lets a surface at rest stick that is to slip, but is held by others. Returns false if there is none. */
static bool stick_held(instant *now) {
  const mbs_model *model = now->model;
  for (size_t i = 0; i < model->touch_count; i++) {
    if (now->at[i].friction != MBS_SLIPS || !now->work->listed[i] || now->work->tried[i]) continue;
    if (along_of(now, i) > zero_force * now->fastest) continue;
    now->at[i].friction = MBS_STICKS;
    now->work->tried[i] = true;
    return true;
  }
  return false;
}

/* Opens a touch that was open and would pull, if only by rounding: others may just have opened in the same way. Returns
 * false if there is none. */
static bool open_weightless(instant *now) {
  for (size_t i = 0; i < now->model->touch_count; i++) {
    mbs_touch_state *state = &now->at[i];
    if (now->model->touches[i].sides == 0 || !state->closed || now->work->before[i].closed || !(state->N < 0)) continue;
    state->closed = false;
    state->friction = MBS_FRICTION_OFF;
    return true;
  }
  return false;
}

static void change_mode(instant *now, const violation *what) {
  const mbs_touch *touch = &now->model->touches[what->touch];
  mbs_touch_state *state = &now->at[what->touch];
  switch (what->kind) {
  case OPENS:
    if (state->friction == MBS_STICKS && length_of(state->T, touch->tangents) > 0) { /* friction may cause the pull */
      state->friction = MBS_SLIPS;
      set_direction(state->T, touch->tangents, -1, state->direction);
      break;
    }
    state->closed = false;
    state->friction = MBS_FRICTION_OFF;
    break;
  case CLOSES:
    state->closed = true;
    if (touch->tangents) {
      state->friction = now->work->listed[what->touch] ? MBS_STICKS : MBS_SLIPS;
      if (state->friction == MBS_SLIPS)
        set_direction(now->work->rates + mbs_touch_tangent(touch), touch->tangents, 1, state->direction);
    }
    break;
  case BREAKS_AWAY:
    state->friction = MBS_SLIPS;
    set_direction(state->T, touch->tangents, -1, state->direction);
    break;
  case COMES_BACK: state->friction = MBS_STICKS; break;
  case PRESCRIBED: break;
  }
}

static mbs_status search(instant *now) {
  const size_t rounds = ROUNDS_LEAST + ROUNDS_PER_TOUCH * now->model->touch_count;
  violation worst = {.touch = 0};
  for (size_t round = 0; round < rounds; round++) {
    mbs_status status = choose_rows(now, now->work->candidate);
    if (status == MBS_OK) status = mbs_evaluate(now->system, now->t, now->q, now->v);
    if (status != MBS_OK) return status;
    mbs_touches_share(now->system, MBS_SHARE_TO_HOLD);
    worst = find_violation(now, round > rounds / 2);
    const bool early = round < rounds / 2;
    if (worst.size == 0 && !(early && open_weightless(now)) && !stick_held(now)) return MBS_OK;
    if (worst.size == 0) continue;
    if (worst.kind == PRESCRIBED) return fail_prescribed(now, worst.touch);
    change_mode(now, &worst);
  }
  return fail_search(now, worst.touch);
}

/* ---- the instant --------------------------------------------------------------------------------------------- */

static void report(const instant *now, size_t i, const char *kind) {
  if (kind) mbs_run_event(now->run, now->t, now->model->touches[i].name, kind);
}

static void report_changes(const instant *now) {
  for (size_t i = 0; i < now->model->touch_count; i++) {
    const mbs_touch *touch = &now->model->touches[i];
    const mbs_touch_state *before = &now->work->before[i], *after = &now->at[i];
    if (touch->sides > 0 && after->closed && !before->closed && before->at_limit) report(now, i, touch->cls->impact);
    if (touch->sides > 0 && after->closed != before->closed)
      report(now, i, after->closed ? touch->cls->begins : touch->cls->ends);
    if (after->friction == MBS_STICKS && before->friction != MBS_STICKS) report(now, i, "sticks");
    if (after->friction == MBS_SLIPS && before->friction == MBS_STICKS) report(now, i, "slips");
    if (after->friction != MBS_SLIPS || before->friction != MBS_SLIPS) continue;
    double along = 0;
    for (int c = 0; c < touch->tangents; c++) along += before->direction[c] * after->direction[c];
    if (before->at_rest && along < 0) report(now, i, "reverses");
  }
}

static bool same_modes(const instant *now) {
  for (size_t i = 0; i < now->model->touch_count; i++)
    if (now->at[i].closed != now->work->before[i].closed || now->at[i].friction != now->work->before[i].friction)
      return false;
  return true;
}

/* Returns the least room without an event of a touch that is open now: 0, or below the present room if it is near. */
static double floor_of(const mbs_system *system, double room) {
  static const double rounding = 1e-13; /* [1] of the extent; chosen: a thousand units of rounding */
  const double extent = system->constants->extent;
  return room > zero_room * extent ? 0 : fmin(0, room) - rounding * extent;
}

/* Makes the impacts of the instant and finds the modes after them. */
static mbs_status decide(instant *now) {
  find_candidates(now);
  for (size_t i = 0; i < now->model->touch_count; i++) now->work->candidate[i] |= now->model->touches[i].sides == 0;
  mbs_status status = choose_rows(now, now->work->candidate);
  if (status != MBS_OK) return status;
  read_rates(now);
  status = collide(now);
  if (status == MBS_OK) status = close_slowly(now);
  if (status != MBS_OK) return status;
  begin_search(now);
  return search(now);
}

mbs_status mbs_touches_settle(mbs_run_state *run, double t, const double *q, double *v, double *loss) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  if (!system->touches) return MBS_OK;
  if (!mbs_touch_modes_open(run)) return MBS_NO_MEMORY;
  instant now = {run, system, model, run->touch_modes, system->touches->at, t, q, v, 0};
  touch_modes *work = now.work;
  for (size_t r = 0; r < model->bilateral_rows; r++) work->base[r] = system->active[r];
  if (any_breaks_away(&now)) { /* the forces of this instant tell which surfaces do */
    const mbs_status known = mbs_evaluate(system, t, q, v);
    if (known != MBS_OK) return known;
    mbs_touches_share(system, MBS_SHARE_TO_HOLD);
  }
  memcpy(work->before, now.at, model->touch_count * sizeof *work->before);
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, v);
  work->speed = system->constants->length *
                fmax(1 / system->constants->time, mbs_largest_in_units(v, system->v_units, model->nv));
  if (t == model->t_start && model->type == MBS_DYNAMICS) {
    mbs_status beyond = mbs_check_limits(run, t, q);
    if (beyond == MBS_OK) beyond = check_depths(run, t, q);
    if (beyond != MBS_OK) return beyond;
  }
  const double before = loss ? model->kernels->kinetic(system) : 0;
  system->touches->trial = true;
  mbs_status status = decide(&now);
  system->touches->trial = false;
  if (status != MBS_OK) return status;
  report_changes(&now);
  for (size_t i = 0; i < model->touch_count; i++) {
    now.at[i].at_rest = now.at[i].at_limit = false;
    /* a touch that has opened, and stays near, has its next event when it is deeper */
    for (int side = 0; side < model->touches[i].sides; side++)
      now.at[i].floor[side] = floor_of(system, mbs_touch_room(system, &model->touches[i], side));
  }
  status = choose_rows(&now, NULL);
  if (status == MBS_OK) status = mbs_evaluate(system, t, q, v);
  if (status == MBS_OK && !same_modes(&now)) system->usual_ratio = system->pivot_ratio;
  if (status == MBS_OK && model->rows > 0) status = mbs_project_velocities(system, v);
  if (status == MBS_OK) status = mbs_evaluate(system, t, q, v);
  if (loss) *loss += before - kinetic_of(&now, v);
  return status;
}

/* ---- loads --------------------------------------------------------------------------------------------------- */

/* Fails if multipliers without force change the load of friction in a joint; `size` of them is tried. */
static mbs_status check_null(mbs_run_state *run, const double *null, double size, const double *chosen) {
  static const double open_share = 1e-6; /* of the size; chosen: far above rounding */
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    if (!touch->reacts) continue;
    double loads[2];
    for (int k = 0; k < 2; k++) {
      for (size_t r = 0; r < model->rows; r++) system->lambda[r] = chosen[r] + k * size * null[r];
      model->kernels->reactions(system);
      loads[k] = touch->cls->load(system, touch);
    }
    if (fabs(loads[1] - loads[0]) > open_share * size)
      return mbs_run_fail(
          run, MBS_REACTION_NOT_UNIQUE, model->t_start, touch->name,
          "redundant constraints leave the reaction of joint '%s' open, which is the load of the friction "
          "'%s'; remove redundant constraints, or give the friction a 'preload'",
          model->joints[touch->of_joint].name, touch->name);
  }
  return MBS_OK;
}

mbs_status mbs_check_loads(mbs_run_state *run) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  bool any = false;
  for (size_t i = 0; i < model->touch_count; i++) any |= model->touches[i].reacts;
  if (!any || run->least.open == 0 || model->type == MBS_KINEMATICS) return MBS_OK;
  mbs_status status = mbs_evaluate(system, model->t_start, run->q, run->v);
  if (status != MBS_OK) return status;
  model->kernels->accelerations(system);
  mbs_choose_reactions(&run->least, system);
  double *chosen = mbs_arena_alloc(system->arena, model->rows + 1, sizeof *chosen);
  if (!chosen) return MBS_NO_MEMORY;
  memcpy(chosen, system->lambda, model->rows * sizeof *chosen);
  const double size = fmax(mbs_largest(chosen, model->rows), DBL_MIN);
  for (size_t k = 0; k < run->least.open && status == MBS_OK; k++)
    status = check_null(run, run->least.null + k * model->rows, size, chosen);
  return status;
}

/* ---- report -------------------------------------------------------------------------------------------------- */

/* Friction below this share of its limit is rounding. */
static const double no_friction = 1e-9;

static bool is_named(const char **names, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

mbs_status mbs_report_sticking(mbs_run_state *run, bool held) {
  const mbs_model *model = run->model;
  const mbs_touches *touches = run->system->touches;
  mbs_report *report = &run->result->report;
  size_t count = 0;
  if (!touches) return MBS_OK;
  const char **names = mbs_arena_alloc(run->result->arena, model->touch_count + 1, sizeof *names);
  if (!names) return MBS_NO_MEMORY;
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    const mbs_touch_state *state = &touches->at[i];
    if (state->friction != MBS_STICKS) continue;
    const double limit = touch->cls->friction(run->system, touch)->mu_static * state->N;
    if (held && length_of(state->T, touch->tangents) <= no_friction * limit) continue;
    const char *element = model->forces[touch->force].name;
    if (is_named(names, count, element)) continue;
    if (!(names[count++] = mbs_arena_text(run->result->arena, element))) return MBS_NO_MEMORY;
  }
  *(held ? &report->held_by_friction : &report->sticking) = names;
  *(held ? &report->held_count : &report->sticking_count) = count;
  return MBS_OK;
}
