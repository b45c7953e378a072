/* Modes of touches at an instant. Impacts come first. Then accelerations decide, by a search over modes: the most
 * violated condition changes its touch, until none is violated,
 *
 *     closed: N >= 0    open: room'' >= 0    sticks: |T| <= mu_static N, s' = 0    slips: s'.direction >= 0
 *
 * Sources: Glocker, Set-Valued Force Laws, 2001; the search is principal pivoting (Cottle, Pang, Stone, The Linear
 * Complementarity Problem, 1992, ch. 4). */
#include "run/touch_modes.h"

#include "base/norms.h"
#include "constraints/projection.h"
#include "constraints/rank.h"
#include "equations/elimination.h"
#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "initial/row_factors.h"
#include "kernels/kernels.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "run/touch_checks.h"
#include "run/touch_instant.h"

#include <math.h>
#include <string.h>

/* Friction above this share of its limit breaks away together with another one that has reached it: surfaces that touch
 * redundantly reach it at one instant but for rounding. */
static const double at_limit_share = 1 - 1e-6;
/* A surface whose friction reaches its limit at a load below this share of the largest one opens: the limit is zero. */
static const double no_load_share = 1e-6;
/* Accelerations of dependent rows above this share of the largest one are not rounding: others determine them. */
static const double led_share = 1e-5;
enum { ROUNDS_LEAST = 20 };

bool mbs_touch_modes_open(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_arena *arena = run->system->arena;
  const size_t k = model->touch_count + 1, m = model->rows + 1;
  if (!model->touch_count || run->touch_modes) return true;
  mbs_touch_modes *work = mbs_arena_alloc(arena, 1, sizeof *work);
  if (!work) return false;
  *work = (mbs_touch_modes){.before = mbs_arena_alloc(arena, k, sizeof *work->before),
                            .saved = mbs_arena_alloc(arena, k, sizeof *work->saved),
                            .candidate = mbs_arena_alloc(arena, k, 1),
                            .listed = mbs_arena_alloc(arena, k, 1),
                            .tried = mbs_arena_alloc(arena, k, 1),
                            .base = mbs_arena_alloc(arena, m, 1),
                            .dependent = mbs_arena_alloc(arena, m, 1),
                            .held = mbs_arena_alloc(arena, m, 1),
                            .rests = mbs_arena_alloc(arena, k, 1),
                            .mu = mbs_arena_alloc(arena, k, sizeof(double)),
                            .mu_slips = mbs_arena_alloc(arena, k, sizeof(double)),
                            .loads = mbs_arena_alloc(arena, k, sizeof(double)),
                            .place = mbs_arena_alloc(arena, k, sizeof *work->place),
                            .impulse = mbs_arena_alloc(arena, m, sizeof(double)),
                            .sum = mbs_arena_alloc(arena, m, sizeof(double)),
                            .after = mbs_arena_alloc(arena, m, sizeof(double)),
                            .missing = mbs_arena_alloc(arena, m, sizeof(double)),
                            .rates = mbs_arena_alloc(arena, m, sizeof(double))};
  run->touch_modes = work;
  return work->before && work->saved && work->candidate && work->listed && work->tried && work->base &&
         work->dependent && work->held && work->rests && work->mu && work->mu_slips && work->loads && work->place &&
         work->impulse && work->sum && work->after && work->missing && work->rates;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* Sets the friction of a touch: off while it is open, else it sticks if its surfaces rest, and slips as they do. */
static void rub(const mbs_touch_instant *now, size_t i, bool rests) {
  const mbs_touch *touch = &now->model->touches[i];
  mbs_touch_state *state = &now->at[i];
  state->friction = !state->closed ? MBS_FRICTION_OFF : rests ? MBS_STICKS : MBS_SLIPS;
  if (state->friction == MBS_SLIPS)
    mbs_set_direction(now->work->rates + mbs_touch_tangent(touch), touch->tangents, 1, state->direction);
}

/* Opens and closes the touches that have a carrier with it. One that closes sticks if it rests. */
static void follow_carriers(mbs_touch_instant *now) {
  for (size_t i = 0; i < now->model->touch_count; i++) {
    const mbs_touch *touch = &now->model->touches[i];
    mbs_touch_state *state = &now->at[i];
    if (!touch->carrier || state->closed == now->at[touch->carrier - 1].closed) continue;
    state->closed = !state->closed;
    rub(now, i, mbs_touch_slip_speed(now, i) <= mbs_zero_speed * now->work->speed);
  }
}

/* Uses the rows of joints and drivers that are independent, and of touches those that hold, without the dependent ones.
 */
static void use_independent(mbs_touch_instant *now) {
  mbs_system *system = now->system;
  const mbs_touch_modes *work = now->work;
  system->all_active = true;
  for (size_t r = 0; r < now->model->rows; r++) {
    system->active[r] = r < now->model->bilateral_rows ? work->base[r] : work->held[r] && !work->dependent[r];
    system->all_active &= system->active[r];
  }
}

/* Chooses independent rows. Large pivots prove that all that hold are; otherwise ranks are found. Rows that held at the
 * last choice of this instant are still known. */
static mbs_status choose_independent(mbs_touch_instant *now) {
  mbs_system *system = now->system;
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  const size_t own = model->bilateral_rows;
  bool same = now->ranked, any = false;
  for (size_t r = own; r < model->rows; r++) {
    const bool holds = mbs_touch_row_holds(system, (int)r);
    same &= holds == work->held[r];
    any |= holds;
    work->held[r] = holds;
  }
  now->ranked = true;
  if (!same) memset(work->dependent, false, model->rows * sizeof *work->dependent);
  use_independent(now);
  if (same || !any || mbs_factor_rows(system)) return MBS_OK;
  size_t joint_rank;
  if (mbs_find_dependents(system, MBS_LEVEL_VELOCITY, mbs_least_row_share, work->dependent, own, &joint_rank,
                          now->run->workspace) < 0)
    return MBS_NO_MEMORY;
  use_independent(now);
  return MBS_OK;
}

mbs_status mbs_touch_choose_rows(mbs_touch_instant *now, const bool *shown) {
  mbs_system *system = now->system;
  follow_carriers(now);
  mbs_touches_use_rows(system, shown);
  if (!now->placed) {
    mbs_set_position(system, now->t, now->q);
    mbs_set_velocity(system, now->v);
    mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
    if (system->fault.status != MBS_OK) return system->fault.status;
    now->placed = true;
  }
  return choose_independent(now);
}

void mbs_touch_read_rates(const mbs_touch_instant *now, const double *v, double *out) {
  mbs_jacobian_times(now->system, v, out);
  for (size_t r = 0; r < now->model->rows; r++) out[r] -= now->system->rhsV[r];
}

double mbs_touch_room_rate(const mbs_touch_instant *now, size_t i) {
  return mbs_touch_signed(&now->at[i], now->work->rates[mbs_touch_normal(&now->model->touches[i])]);
}

double mbs_touch_slip_speed(const mbs_touch_instant *now, size_t i) {
  const mbs_touch *touch = &now->model->touches[i];
  return mbs_slip_length(now->work->rates + mbs_touch_tangent(touch), touch->tangents);
}

void mbs_set_direction(const double *x, int n, double sign, double *out) {
  const double length = mbs_slip_length(x, n);
  for (int c = 0; c < n && length > 0; c++) out[c] = sign * x[c] / length;
}

double mbs_touch_zero_speed(const mbs_touch_instant *now, size_t i) {
  return mbs_zero_speed * now->work->speed / mbs_touch_lever(now->system, &now->model->touches[i]);
}

double mbs_touch_closing_speed(const mbs_touch_instant *now, size_t i) {
  const mbs_touch *touch = &now->model->touches[i];
  double least = 0;
  if (touch->cls->restitution) (void)touch->cls->restitution(now->system, touch, &least);
  return fmax(least, mbs_touch_zero_speed(now, i));
}

static void open_touch(mbs_touch_state *state) {
  state->closed = false;
  state->friction = MBS_FRICTION_OFF;
}

/* Finds the touches that may be closed: those that were, those without room, and those without a normal row; of limits
 * those whose event it is. The event of a surface may be that it has come to another face or side, where it has room.
 */
static void find_candidates(mbs_touch_instant *now) {
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &now->model->touches[i];
    mbs_touch_state *state = &now->at[i];
    bool *candidate = &now->work->candidate[i];
    const bool left = touch->cls->beside && state->closed && touch->cls->beside(now->system, touch) > 0;
    if (left) open_touch(state);
    if (!state->closed && (left || state->at_limit || !state->looked || touch->cls->rate))
      mbs_touch_look(now->system, touch);
    const bool beside = touch->cls->beside && !state->closed && touch->cls->beside(now->system, touch) > 0;
    const bool at_limit = state->at_limit && !touch->cls->face;
    *candidate = (state->closed || at_limit || touch->sides == 0) && !beside;
    state->looked = true;
    for (int side = 0; side < touch->sides && !*candidate && !beside; side++) {
      const double room = mbs_touch_lever(now->system, touch) * mbs_touch_room(now->system, touch, side);
      if (room > mbs_zero_room * now->system->constants->extent) continue;
      state->side = side;
      *candidate = true;
    }
  }
}

/* ---- changes ------------------------------------------------------------------------------------------------- */

/* Lets friction that is at its limit slip, against its force. */
static void give_way(const mbs_touch *touch, mbs_touch_state *state) {
  state->friction = MBS_SLIPS;
  mbs_set_direction(state->T, touch->tangents, -1, state->direction);
}

/* Ends a pull: friction that sticks slips, as it may cause the pull; otherwise the touch opens. */
static void end_pull(const mbs_touch *touch, mbs_touch_state *state) {
  if (state->friction == MBS_STICKS && mbs_slip_length(state->T, touch->tangents) > 0)
    give_way(touch, state);
  else
    open_touch(state);
}

mbs_status mbs_touch_fail_search(const mbs_touch_instant *now, size_t touch) {
  return mbs_touch_fail_painleve(now->system, &now->model->touches[touch], "consistent", "");
}

mbs_status mbs_touch_fail_prescribed(const mbs_touch_instant *now, size_t i) {
  return mbs_fail_limit(now->run, now->t, &now->model->touches[i]);
}

/* ---- modes by accelerations ---------------------------------------------------------------------------------- */

static bool any_breaks_away(const mbs_touch_instant *now) {
  MBS_EACH_NEAR(now->system->touches, i)
  if (now->at[i].friction == MBS_STICKS && now->at[i].at_rest) return true;
  return false;
}

/* Returns true if the friction of a touch that stuck has just reached its limit. */
static bool breaks_away(const mbs_touch_instant *now, size_t i, bool any) {
  const mbs_touch *touch = &now->model->touches[i];
  const mbs_touch_state *before = &now->work->before[i];
  if (before->friction != MBS_STICKS) return false;
  if (before->at_rest) return true;
  const double limit = touch->cls->friction(now->system, touch)->mu_static * before->N;
  return any && mbs_slip_length(before->T, touch->tangents) > at_limit_share * limit;
}

/* Sets the modes with which the search begins. */
static void begin_search(mbs_touch_instant *now) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  const double small = mbs_zero_speed * work->speed;
  const bool any = any_breaks_away(now);
  double largest = 0;
  MBS_EACH_NEAR(now->system->touches, i) largest = fmax(largest, work->before[i].N);
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &model->touches[i];
    const mbs_touch_state *before = &work->before[i];
    mbs_touch_state *state = &now->at[i];
    if (touch->sides > 0) {
      work->candidate[i] = work->candidate[i] && mbs_touch_room_rate(now, i) <= mbs_touch_zero_speed(now, i) &&
                           -mbs_touch_room_rate(now, i) <= mbs_touch_closing_speed(now, i);
      /* a touch whose force has just become zero opens, unless it would approach */
      state->closed = work->candidate[i] && !(before->closed && (before->at_limit || before->N < 0));
      if (before->friction == MBS_STICKS && before->at_rest && before->N < no_load_share * largest)
        state->closed = false;
    }
    if (touch->carrier) state->closed = now->at[touch->carrier - 1].closed;
    work->listed[i] = false;
    if (!touch->tangents) continue;
    if (touch->cls->idle && touch->cls->idle(now->system, touch)) {
      state->friction = MBS_FRICTION_OFF;
      continue;
    }
    const double slip = mbs_touch_slip_speed(now, i);
    const bool rests = slip <= small || (state->at_rest && before->friction == MBS_SLIPS);
    const bool leaves = before->led && before->at_rest && slip > mbs_slow_slip(now->system) && state->closed;
    rub(now, i, rests && !leaves);
    work->tried[i] = !leaves && breaks_away(now, i, any);
    if (state->friction == MBS_STICKS && work->tried[i]) {
      state->friction = MBS_SLIPS;
      mbs_set_direction(before->T, touch->tangents, -1, state->direction);
    }
    work->listed[i] = rests; /* this surface may stick */
  }
}

/* The most violated condition. */
typedef struct violation {
  size_t touch;
  double size;
  enum { OPENS, CLOSES, BREAKS_AWAY, LED_AWAY, COMES_BACK, PRESCRIBED } kind;
} violation;

static void note(violation *worst, size_t touch, double size, int kind, bool first) {
  if (!(size > worst->size) || (first && worst->size > 0)) return;
  *worst = (violation){.touch = touch, .size = size, .kind = kind};
}

/* Returns the acceleration of a slip along its direction. */
static double along_of(const mbs_touch_instant *now, size_t i) {
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
static violation find_violation(mbs_touch_instant *now, bool first) {
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
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &model->touches[i];
    const mbs_touch_state *state = &now->at[i];
    const double room = touch->sides ? mbs_touch_signed(state, acceleration[mbs_touch_normal(touch)]) : 0;
    if (touch->sides > 0 && state->closed) {
      if (state->N < -mbs_zero_force * force) note(&worst, i, -state->N / force, OPENS, first);
      if (!system->active[mbs_touch_normal(touch)] && room < -led_share * fastest)
        note(&worst, i, -room / fastest, PRESCRIBED, first);
    } else if (touch->sides > 0 && now->work->candidate[i]) {
      if (room < -mbs_zero_force * fastest) note(&worst, i, -room / fastest, CLOSES, first);
    }
    if (state->friction == MBS_STICKS) {
      const double beyond = -mbs_touch_spare_friction(system, touch, state);
      if (beyond > mbs_zero_force * force) note(&worst, i, beyond / force, BREAKS_AWAY, first);
      const double led = mbs_slip_length(acceleration + mbs_touch_tangent(touch), touch->tangents);
      if (led > fmax(led_share * fastest, mbs_slow_slip(system) / system->constants->time))
        note(&worst, i, led / fastest, LED_AWAY, first);
    } else if (state->friction == MBS_SLIPS && now->work->listed[i]) {
      const double along = along_of(now, i);
      if (along < -mbs_zero_force * fastest) note(&worst, i, -along / fastest, COMES_BACK, first);
    }
  }
  return worst;
}

/* Lets a surface at rest stick that is to slip, but is held by others. Returns false if there is none. */
static bool stick_held(mbs_touch_instant *now) {
  MBS_EACH_NEAR(now->system->touches, i) {
    if (now->at[i].friction != MBS_SLIPS || !now->work->listed[i] || now->work->tried[i]) continue;
    if (along_of(now, i) > mbs_zero_force * now->fastest) continue;
    now->at[i].friction = MBS_STICKS;
    now->work->tried[i] = true;
    return true;
  }
  return false;
}

/* Opens a touch that was open and would pull, if only by rounding: others may just have opened in the same way. Returns
 * false if there is none. */
static bool open_weightless(mbs_touch_instant *now) {
  MBS_EACH_NEAR(now->system->touches, i) {
    mbs_touch_state *state = &now->at[i];
    if (now->model->touches[i].sides == 0 || !state->closed || now->work->before[i].closed || !(state->N < 0)) continue;
    open_touch(state);
    return true;
  }
  return false;
}

static void change_mode(mbs_touch_instant *now, const violation *what) {
  const mbs_touch *touch = &now->model->touches[what->touch];
  mbs_touch_state *state = &now->at[what->touch];
  switch (what->kind) {
  case OPENS: end_pull(touch, state); break;
  case CLOSES:
    state->closed = true;
    if (touch->tangents) rub(now, what->touch, now->work->listed[what->touch]);
    break;
  case BREAKS_AWAY: give_way(touch, state); break;
  case LED_AWAY: /* no friction can keep s' = 0: drivers, or rows of others, determine s' */
    state->friction = MBS_SLIPS;
    mbs_set_direction(now->work->missing + mbs_touch_tangent(touch), touch->tangents, 1, state->direction);
    break;
  case COMES_BACK: state->friction = MBS_STICKS; break;
  case PRESCRIBED: break;
  }
}

/* Searches from the present modes. Returns MBS_PAINLEVE without a message if it ends without a solution. */
static mbs_status search_from(mbs_touch_instant *now, size_t rounds, violation *worst) {
  for (size_t round = 0; round < rounds; round++) {
    mbs_status status = mbs_touch_choose_rows(now, now->work->candidate);
    if (status == MBS_OK) status = mbs_evaluate(now->system, now->t, now->q, now->v);
    if (status != MBS_OK) return status;
    mbs_touches_share(now->system, MBS_SHARE_TO_HOLD);
    *worst = find_violation(now, round > rounds / 2);
    const bool early = round < rounds / 2;
    if (worst->size == 0 && !(early && open_weightless(now)) && !stick_held(now))
      return now->system->touches->unstable ? MBS_PAINLEVE : MBS_OK;
    if (worst->size == 0) continue;
    if (worst->kind == PRESCRIBED) return MBS_PAINLEVE;
    change_mode(now, worst);
  }
  return MBS_PAINLEVE;
}

/* Opens all candidates, with the numbers that a start of the search needs, and evaluates the accelerations without
 * them into work->missing. Of touches that never open, the friction of those at rest whose load no reaction changes is
 * left out. */
static mbs_status open_candidates(mbs_touch_instant *now) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &model->touches[i];
    const bool stays = mbs_touch_never_opens(touch);
    work->rests[i] = work->listed[i] && !touch->reacts;
    if (stays && !work->rests[i]) continue;
    open_touch(&now->at[i]);
    now->at[i].closed = stays;
    if (!touch->tangents || !work->candidate[i]) continue;
    const mbs_dry_friction *law = touch->cls->friction(now->system, touch);
    work->mu[i] = work->rests[i] ? law->mu_static : mbs_dry_coefficient(law, mbs_touch_slip_speed(now, i));
    work->mu_slips[i] = mbs_dry_coefficient(law, 0);
    mbs_set_direction(work->rates + mbs_touch_tangent(touch), touch->tangents, 1, now->at[i].direction);
  }
  mbs_status status = mbs_touch_choose_rows(now, work->candidate);
  if (status == MBS_OK) status = mbs_evaluate(now->system, now->t, now->q, now->v);
  if (status != MBS_OK) return status;
  mbs_jacobian_times(now->system, now->system->vdot, work->missing);
  for (size_t r = 0; r < model->rows; r++) work->missing[r] -= now->system->rhsA[r];
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &model->touches[i];
    if (mbs_touch_never_opens(touch) && work->rests[i]) work->loads[i] = touch->cls->load(now->system, touch);
  }
  return MBS_OK;
}

/* Sets the modes of the candidates by their complementarity problem. */
static mbs_status start_again(mbs_touch_instant *now, const violation *worst, bool *found) {
  mbs_touch_modes *work = now->work;
  const mbs_status status = open_candidates(now);
  if (status != MBS_OK) return status;
  mbs_touch_problem *problem = mbs_touch_problem_new(now, work->candidate);
  if (problem && worst->kind == PRESCRIBED && mbs_touch_is_held(problem, worst->touch)) {
    mbs_touch_problem_free(problem);
    return mbs_touch_fail_prescribed(now, worst->touch);
  }
  *found = problem && mbs_touch_solve(problem,
                                      &(mbs_touch_start){.in = work->candidate,
                                                         .rests = work->rests,
                                                         .mu = work->mu,
                                                         .mu_slips = work->mu_slips,
                                                         .loads = work->loads,
                                                         .values = work->missing},
                                      work->impulse);
  mbs_touch_problem_free(problem);
  return problem ? MBS_OK : MBS_NO_MEMORY;
}

/* Returns true if a surface slips from rest, but not in its direction: changes of one mode at a time do not find
 * directions that depend on each other. */
static bool any_turns(const mbs_touch_instant *now) {
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &now->model->touches[i];
    if (now->at[i].friction != MBS_SLIPS || !now->work->listed[i] || touch->tangents == 1 || touch->reacts) continue;
    const double *acceleration = now->work->missing + mbs_touch_tangent(touch), along = along_of(now, i);
    double across[MBS_TANGENTS_MAX];
    for (int c = 0; c < touch->tangents; c++) across[c] = acceleration[c] - along * now->at[i].direction[c];
    if (mbs_slip_length(across, touch->tangents) > mbs_zero_force * now->fastest) return true;
  }
  return false;
}

/* Searches twice: from the present modes, and from those of the complementarity problem. `jams`: without success. */
static mbs_status search_twice(mbs_touch_instant *now, size_t rounds, violation *worst, bool *jams) {
  bool found = false;
  mbs_status status = search_from(now, rounds / 2, worst);
  if (status == MBS_OK && any_turns(now)) status = MBS_PAINLEVE;
  if (status != MBS_PAINLEVE || now->run->error->message[0]) return status;
  status = start_again(now, worst, &found);
  if (status == MBS_OK) status = found ? search_from(now, rounds, worst) : MBS_PAINLEVE;
  *jams = status == MBS_PAINLEVE && !now->run->error->message[0];
  return *jams ? MBS_OK : status;
}

/* Sets the modes of candidates to those of the impulse that ended a jam. */
static void use_saved(mbs_touch_instant *now) {
  const mbs_touch_modes *work = now->work;
  MBS_EACH_NEAR(now->system->touches, i) {
    if (!work->candidate[i] || mbs_touch_never_opens(&now->model->touches[i])) continue;
    now->at[i].closed = work->saved[i].closed;
    now->at[i].friction = work->saved[i].friction;
    memcpy(now->at[i].direction, work->saved[i].direction, sizeof now->at[i].direction);
  }
}

/* Finds the modes. Surfaces that jam together stop slipping, some at each impulse. */
static mbs_status search(mbs_touch_instant *now) {
  mbs_touch_modes *work = now->work;
  size_t candidates = 0;
  MBS_EACH_NEAR(now->system->touches, i) candidates += work->candidate[i];
  const size_t rounds = ROUNDS_LEAST + MBS_ROUNDS_PER_TOUCH * candidates;
  for (size_t k = 0; k <= candidates; k++) {
    bool jams = false, released;
    violation worst = {.touch = 0};
    mbs_status status = search_twice(now, rounds, &worst, &jams);
    if (!jams) return status;
    if ((status = open_candidates(now)) == MBS_OK) status = mbs_touches_release(now, &released);
    if (status != MBS_OK) return status;
    if (!released) return mbs_touch_fail_search(now, worst.touch);
    memcpy(work->saved, now->at, now->model->touch_count * sizeof *work->saved);
    mbs_touch_read_rates(now, now->v, work->rates);
    begin_search(now);
    use_saved(now);
  }
  return mbs_touch_fail_search(now, 0);
}

/* ---- the instant --------------------------------------------------------------------------------------------- */

static void report(const mbs_touch_instant *now, size_t i, const char *kind) {
  if (kind) mbs_run_event(now->run, now->t, now->model->touches[i].name, kind);
}

static void report_changes(const mbs_touch_instant *now) {
  MBS_EACH_NEAR(now->system->touches, i) {
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

static bool same_modes(const mbs_touch_instant *now) {
  MBS_EACH_NEAR(now->system->touches, i)
  if (now->at[i].closed != now->work->before[i].closed || now->at[i].friction != now->work->before[i].friction)
    return false;
  return true;
}

/* Returns the least room, or rate, without an event of a touch that is open now: 0, or below the present one if that is
 * near. */
static double floor_of(const mbs_touch_instant *now, const mbs_touch *touch, int side) {
  static const double rounding = 1e-13; /* [1] of the scale; chosen: a thousand units of rounding */
  const bool follows = touch->cls->rate != NULL;
  const double room = follows ? touch->cls->rate(now->system, touch) : mbs_touch_room(now->system, touch, side);
  const double length = follows ? now->work->speed : now->system->constants->extent; /* or m/s */
  const double scale = length / mbs_touch_lever(now->system, touch);
  return room > mbs_zero_room * scale ? 0 : fmin(0, room) - rounding * scale;
}

/* Finds the surfaces that stick although a row of their slip depends on others: drivers may lead them away later. */
static void find_led(mbs_touch_instant *now) {
  const mbs_system *system = now->system;
  system->touches->any_led = false;
  MBS_EACH_NEAR(system->touches, i) {
    const mbs_touch *touch = &now->model->touches[i];
    mbs_touch_state *state = &now->at[i];
    state->led = false;
    for (int c = 0; c < touch->tangents && now->model->driver_count > 0; c++)
      state->led |= state->friction == MBS_STICKS && !system->active[mbs_touch_tangent(touch) + c];
    system->touches->any_led |= state->led;
  }
}

/* Makes the impacts of the instant and finds the modes after them. */
static mbs_status decide(mbs_touch_instant *now) {
  find_candidates(now);
  mbs_status status = mbs_touch_choose_rows(now, now->work->candidate);
  if (status != MBS_OK) return status;
  mbs_touch_read_rates(now, now->v, now->work->rates);
  status = mbs_touches_collide(now);
  if (status == MBS_OK) status = mbs_touches_close_slowly(now);
  if (status != MBS_OK) return status;
  begin_search(now);
  return search(now);
}

static mbs_touch_instant instant_of(mbs_run_state *run, double t, const double *q, double *v) {
  return (mbs_touch_instant){.run = run,
                             .system = run->system,
                             .model = run->model,
                             .work = run->touch_modes,
                             .at = run->system->touches->at,
                             .t = t,
                             .q = q,
                             .v = v};
}

mbs_status mbs_touches_settle(mbs_run_state *run, double t, const double *q, double *v, double *loss) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  if (!system->touches) return MBS_OK;
  if (!mbs_touch_modes_open(run)) return MBS_NO_MEMORY;
  mbs_touch_instant now = instant_of(run, t, q, v);
  mbs_touch_modes *work = now.work;
  for (size_t r = 0; r < model->bilateral_rows; r++) work->base[r] = system->active[r];
  if (any_breaks_away(&now)) { /* the forces of this instant tell which surfaces do */
    const mbs_status known = mbs_evaluate(system, t, q, v);
    if (known != MBS_OK) return known;
    mbs_touches_share(system, MBS_SHARE_TO_HOLD);
  }
  mbs_set_position(system, t, q);
  mbs_touches_find_near(system);
  mbs_near_keep_poses(system);
  memcpy(work->before, now.at, model->touch_count * sizeof *work->before);
  mbs_set_velocity(system, v);
  work->speed = system->constants->length *
                fmax(1 / system->constants->time, mbs_largest_in_units(v, system->v_units, model->nv));
  const double before = loss ? model->kernels->kinetic(system) : 0;
  system->touches->trial = true;
  mbs_status status = decide(&now);
  system->touches->trial = false;
  if (status != MBS_OK) return status;
  report_changes(&now);
  MBS_EACH_NEAR(system->touches, i) {
    now.at[i].at_rest = now.at[i].at_limit = false;
    /* a touch that has opened, and stays near, has its next event when it is deeper */
    for (int side = 0; side < model->touches[i].sides; side++)
      now.at[i].floor[side] = floor_of(&now, &model->touches[i], side);
  }
  status = mbs_touch_choose_rows(&now, NULL);
  find_led(&now);
  if (status == MBS_OK) status = mbs_evaluate(system, t, q, v);
  if (status == MBS_OK && !same_modes(&now)) system->usual_ratio = system->pivot_ratio;
  if (status == MBS_OK && model->rows > 0) status = mbs_project_velocities(system, v);
  if (status == MBS_OK) status = mbs_evaluate(system, t, q, v);
  if (status == MBS_OK) mbs_touches_find_slow(system);
  if (status == MBS_OK) mbs_touches_keep_margins(system);
  if (loss) *loss += before - model->kernels->kinetic(system);
  return status;
}

/* Returns the largest weight m |g_k| of a body. In joint coordinates an equilibrium shows no other force. */
static double largest_weight(const mbs_system *system) {
  double largest = 0;
  for (size_t b = 1; b <= system->model->nB; b++)
    for (int k = 0; k < system->model->dim; k++)
      largest = fmax(largest, system->constants->bodies[b].mass * fabs(system->constants->gravity[k]));
  return largest;
}

mbs_status mbs_touches_open_weightless(mbs_run_state *run, double t, const double *q, double *v) {
  mbs_system *system = run->system;
  const mbs_touch *first = NULL;
  size_t count = 0;
  if (!system->touches) return MBS_OK;
  mbs_touch_instant now = instant_of(run, t, q, v);
  mbs_touches_share(system, MBS_SHARE_TO_HOLD);
  const double none = mbs_zero_force * fmax(system->touches->force, largest_weight(system));
  for (size_t i = 0; i < run->model->touch_count; i++) {
    const mbs_touch *touch = &run->model->touches[i];
    if (touch->sides == 0 || !now.at[i].closed || now.at[i].N > none) continue;
    open_touch(&now.at[i]);
    if (count++ == 0) first = touch;
  }
  if (count == 0) return MBS_OK;
  mbs_run_note(run, "'%s'%s touches without force, and counts as open", first->name, count > 1 ? " (and others)" : "");
  const mbs_status status = mbs_touch_choose_rows(&now, NULL);
  return status == MBS_OK ? mbs_evaluate(system, t, q, v) : status;
}
