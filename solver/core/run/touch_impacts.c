/* Impacts of touches at an instant.
 *
 * The pair of bodies with the fastest approach receives its impulse, all its points together, then the next one, until
 * none approaches faster than `least_approach`: so an impulse passes through a row of touching balls. Slower approaches
 * end without an impulse of their own: the touch closes, and its row holds.
 *
 * Source: Pfeiffer, Glocker, Multibody Dynamics with Unilateral Contacts, 1996. */
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "run/touch_instant.h"

#include <math.h>
#include <string.h>

/* Relative difference of approach speeds that count as equal. Source: the document format. */
static const double equal_speeds = 1e-9;
enum { IMPACTS_PER_TOUCH = 1000, HALVINGS = 40 };

/* Returns e of an impact with this approach speed. */
static double restitution_of(const mbs_touch_instant *now, size_t i, double approach) {
  const mbs_touch *touch = &now->model->touches[i];
  double least = 0;
  const double e = touch->cls->restitution ? touch->cls->restitution(now->system, touch, &least) : 0;
  return approach < least ? 0 : e;
}

/* Returns the approach speed of a candidate, with its lever; 0 if it just closes. */
static double approach_of(const mbs_touch_instant *now, size_t i) {
  if (!now->work->candidate[i] || !now->model->touches[i].sides) return 0;
  const double speed = -mbs_touch_room_rate(now, i);
  return speed > mbs_touch_closing_speed(now, i) ? speed * mbs_touch_lever(now->system, &now->model->touches[i]) : 0;
}

/* Lists the touches of the next impact: all points of the pairs with the fastest approach, or of only one of them.
 * Returns the number of touches that approach so fast; 0 if none is faster than those that just close. */
static size_t list_next(mbs_touch_instant *now, bool one) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  double fastest = 0;
  size_t count = 0;
  MBS_EACH_NEAR(now->system->touches, i) {
    work->listed[i] = false;
    fastest = fmax(fastest, approach_of(now, i));
  }
  MBS_EACH_NEAR(now->system->touches, i) {
    if (fastest == 0 || approach_of(now, i) < (1 - equal_speeds) * fastest || (one && count > 0)) continue;
    count++;
    MBS_EACH_NEAR(now->system->touches, k)
    work->listed[k] |= model->touches[k].pair == model->touches[i].pair && work->candidate[k] &&
                       !mbs_touch_never_opens(&model->touches[k]);
  }
  return count;
}

/* Sets the numbers of a touch in a complementarity problem: it may rest, with its coefficients of friction. */
static void let_rest(mbs_touch_instant *now, size_t i) {
  const mbs_touch *touch = &now->model->touches[i];
  now->work->rests[i] = true;
  if (!touch->tangents) return;
  const mbs_dry_friction *law = touch->cls->friction(now->system, touch);
  now->work->mu[i] = law->mu_static;
  now->work->mu_slips[i] = law->mu_dynamic;
}

/* Finds the impulse of the listed touches into work->impulse, and their modes: each pushes, or separates. `share`
 * multiplies the coefficients of restitution. theory (12.13) */
static bool find_impulse(mbs_touch_instant *now, mbs_touch_problem *problem, double share) {
  mbs_touch_modes *work = now->work;
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &now->model->touches[i];
    if (!work->listed[i]) continue;
    const double approach = touch->sides ? -mbs_touch_room_rate(now, i) : 0;
    for (int r = touch->first_row; r < touch->first_row + mbs_touch_rows(touch); r++) work->missing[r] = work->rates[r];
    /* room'+ + e room'- */
    if (approach > 0) work->missing[mbs_touch_normal(touch)] *= 1 + share * restitution_of(now, i, approach);
    let_rest(now, i);
  }
  return mbs_touch_solve(problem,
                         &(mbs_touch_start){.in = work->listed,
                                            .rests = work->rests,
                                            .mu = work->mu,
                                            .mu_slips = work->mu_slips,
                                            .values = work->missing},
                         work->impulse);
}

/* Computes the rates after the impulse into work->missing, and returns the change of the kinetic energy. */
static double energy_of(mbs_touch_instant *now, mbs_touch_problem *problem) {
  const mbs_touch_modes *work = now->work;
  double energy = 0;
  memcpy(work->missing, work->rates, now->model->rows * sizeof *work->rates);
  mbs_touch_problem_add_rates(problem, work->impulse, work->missing);
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &now->model->touches[i];
    for (int r = touch->first_row; r < touch->first_row + mbs_touch_rows(touch) && work->listed[i]; r++)
      energy += 0.5 * work->impulse[r] * (work->rates[r] + work->missing[r]);
  }
  return energy;
}

/* Lowers restitution if the energy would rise, which friction can cause. */
static bool limit_energy(mbs_touch_instant *now, mbs_touch_problem *problem, double kinetic) {
  double low = 0, high = 1;
  if (energy_of(now, problem) <= mbs_zero_force * kinetic) return true;
  for (int k = 0; k < HALVINGS; k++) {
    const double share = 0.5 * (low + high);
    if (!find_impulse(now, problem, share)) return false;
    *(energy_of(now, problem) <= 0 ? &low : &high) = share;
  }
  mbs_run_note(now->run,
               "at t = %.9g restitution was lowered to the share %.3g, because with friction the kinetic energy "
               "would have risen",
               now->t, low);
  return find_impulse(now, problem, low);
}

static bool all_scleronomic(const mbs_touch_instant *now) {
  for (size_t r = 0; r < now->model->rows; r++)
    if (now->system->rhsV[r] != 0) return false;
  return true;
}

/* Fails if joints and drivers move a listed touch against its limit, whose approach no impulse can end. */
static mbs_status check_held(mbs_touch_instant *now, mbs_touch_problem *problem) {
  MBS_EACH_NEAR(now->system->touches, i)
  if (now->work->listed[i] && approach_of(now, i) > 0 && mbs_touch_is_held(problem, i))
    return mbs_touch_fail_prescribed(now, i);
  return MBS_OK;
}

/* Makes one impact of the listed touches: changes work->rates, and adds its impulses to work->sum. */
static mbs_status collide(mbs_touch_instant *now, mbs_touch_problem *problem, double kinetic, bool scleronomic) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  const mbs_status held = check_held(now, problem);
  if (held != MBS_OK) return held;
  bool found = find_impulse(now, problem, 1);
  if (!found && list_next(now, true)) found = find_impulse(now, problem, 1);
  if (found && scleronomic) found = limit_energy(now, problem, kinetic);
  size_t first = 0;
  MBS_EACH_NEAR(now->system->touches, i)
  if (work->listed[i]) first = i;
  if (!found) return mbs_touch_fail_search(now, first);
  mbs_touch_problem_add_rates(problem, work->impulse, work->rates);
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &model->touches[i];
    if (!work->listed[i]) continue;
    for (int r = touch->first_row; r < touch->first_row + mbs_touch_rows(touch); r++) work->sum[r] += work->impulse[r];
    if (now->at[i].closed && touch->cls->impact && !work->saved[i].closed)
      mbs_run_event(now->run, now->t, touch->name, touch->cls->impact);
  }
  return MBS_OK;
}

/* Fails because impacts of the listed touches follow one another without end: between surfaces that drivers move
 * towards each other. */
static mbs_status fail_endless(mbs_touch_instant *now, bool scleronomic) {
  size_t first = 0;
  while (!now->work->listed[first]) first++;
  if (!scleronomic) return mbs_touch_fail_prescribed(now, first);
  const char *name = now->model->touches[first].name;
  return mbs_run_fail(now->run, MBS_STEP_TOO_SMALL, now->t, name,
                      "impacts of '%s' follow one another at t = %.9g without end; reduce its restitution", name,
                      now->t);
}

/* Makes impacts until none approaches. */
static mbs_status collide_all(mbs_touch_instant *now, mbs_touch_problem *problem) {
  const bool scleronomic = all_scleronomic(now);
  const double kinetic = now->model->kernels->kinetic(now->system);
  mbs_status status = MBS_OK;
  size_t count = 0, candidates = 0;
  MBS_EACH_NEAR(now->system->touches, i) candidates += now->work->candidate[i];
  while (status == MBS_OK && list_next(now, false) > 0) {
    if (count++ > IMPACTS_PER_TOUCH * candidates) return fail_endless(now, scleronomic);
    status = collide(now, problem, kinetic, scleronomic);
  }
  return status;
}

/* Changes now->v by impulses p [rows] of touches. */
static void apply_impulse(mbs_touch_instant *now, const double *p) {
  mbs_system *system = now->system;
  mbs_jacobian_transposed(system, p, system->touches->push);
  mbs_resolve(system, system->touches->push, NULL);
  for (size_t k = 0; k < now->model->nv; k++) now->v[k] += system->vdot[k];
  mbs_set_velocity(system, now->v);
}

/* Opens the touches with a normal row, and those that they carry, and computes the factors without them. */
static mbs_status open_all(mbs_touch_instant *now) {
  MBS_EACH_NEAR(now->system->touches, i) {
    now->at[i].closed = now->model->touches[i].sides == 0;
    now->at[i].friction = MBS_FRICTION_OFF;
  }
  const mbs_status status = mbs_touch_choose_rows(now, now->work->candidate);
  return status == MBS_OK ? mbs_factor(now->system) : status;
}

/* ---- jams ---------------------------------------------------------------------------------------------------- */

/* Returns true if the slip of a touch of the problem presses its own surfaces together more than they can yield: then
 * the touch alone has no solution, or two. */
static bool jams_alone(mbs_touch_instant *now, mbs_touch_problem *problem, size_t i) {
  const mbs_touch *touch = &now->model->touches[i];
  const mbs_touch_modes *work = now->work;
  double *p = work->impulse, *rates = work->missing;
  const int normal = mbs_touch_normal(touch);
  if (work->rests[i] || touch->tangents == 0 || touch->sides == 0) return false;
  memset(p, 0, now->model->rows * sizeof *p);
  memset(rates, 0, now->model->rows * sizeof *rates);
  p[normal] = mbs_touch_signed(&now->at[i], 1);
  for (int c = 0; c < touch->tangents; c++) p[mbs_touch_tangent(touch) + c] = -work->mu[i] * now->at[i].direction[c];
  mbs_touch_problem_add_rates(problem, p, rates);
  return mbs_touch_signed(&now->at[i], rates[normal]) <= 0;
}

/* Returns true if a touch jams alone, or friction slips whose load is a joint's reaction, which may be the cause. */
static bool has_own_cause(mbs_touch_instant *now, mbs_touch_problem *problem) {
  MBS_EACH_NEAR(now->system->touches, i) {
    const bool slides = now->work->before[i].friction == MBS_SLIPS;
    if (now->work->candidate[i] && (now->model->touches[i].reacts ? slides : jams_alone(now, problem, i))) return true;
  }
  return false;
}

/* theory (12.18) */
mbs_status mbs_touches_release(mbs_touch_instant *now, bool *released) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  *released = false;
  memcpy(work->sum, work->missing, model->rows * sizeof *work->sum); /* accelerations without the candidates */
  mbs_touch_problem *problem = mbs_touch_problem_new(now, work->candidate);
  if (!problem) return MBS_NO_MEMORY;
  const bool own = has_own_cause(now, problem);
  mbs_touch_problem_free(problem);
  mbs_status status = own ? MBS_OK : open_all(now);
  if (status != MBS_OK || own) return status;
  if (!(problem = mbs_touch_problem_new(now, work->candidate))) return MBS_NO_MEMORY;
  memcpy(work->missing, work->rates, model->rows * sizeof *work->rates);
  MBS_EACH_NEAR(now->system->touches, i) {
    const mbs_touch *touch = &model->touches[i];
    if (!work->candidate[i] || mbs_touch_never_opens(touch)) continue;
    if (touch->sides > 0) work->missing[mbs_touch_normal(touch)] = 0;
    let_rest(now, i);
  }
  *released = mbs_touch_solve(problem,
                              &(mbs_touch_start){.in = work->candidate,
                                                 .rests = work->rests,
                                                 .mu = work->mu,
                                                 .mu_slips = work->mu_slips,
                                                 .values = work->missing,
                                                 .next = work->sum},
                              work->impulse);
  mbs_touch_problem_free(problem);
  if (*released) apply_impulse(now, work->impulse);
  return MBS_OK;
}

/* ---- instants ------------------------------------------------------------------------------------------------ */

mbs_status mbs_touches_collide(mbs_touch_instant *now) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  if (list_next(now, false) == 0) return MBS_OK;
  memcpy(work->saved, now->at, model->touch_count * sizeof *work->saved);
  memset(work->sum, 0, model->rows * sizeof *work->sum);
  mbs_status status = open_all(now);
  if (status != MBS_OK) return status;
  mbs_touch_problem *problem = mbs_touch_problem_new(now, work->candidate);
  status = problem ? collide_all(now, problem) : MBS_NO_MEMORY;
  mbs_touch_problem_free(problem);
  if (status != MBS_OK) return status;
  apply_impulse(now, work->sum);
  MBS_EACH_NEAR(now->system->touches, i) now->at[i] = work->saved[i];
  status = mbs_touch_choose_rows(now, work->candidate);
  mbs_touch_read_rates(now, now->v, work->rates);
  return status;
}

/* Changes now->v by the impulse that ends the rates of the rows of touches that hold. */
static mbs_status end_rates(mbs_touch_instant *now) {
  mbs_system *system = now->system;
  mbs_touch_modes *work = now->work;
  mbs_status status = mbs_touch_choose_rows(now, work->candidate);
  if (status != MBS_OK) return status;
  memset(work->missing, 0, now->model->rows * sizeof *work->missing);
  for (size_t r = now->model->bilateral_rows; r < now->model->rows; r++)
    if (mbs_touch_row_holds(system, (int)r)) work->missing[r] = -work->rates[r];
  status = mbs_solve_impulse(system, work->missing);
  if (status == MBS_OK) status = mbs_touches_impulse(system);
  if (status != MBS_OK) return status;
  for (size_t k = 0; k < now->model->nv; k++) now->v[k] += system->vdot[k];
  mbs_set_velocity(system, now->v);
  return MBS_OK;
}

mbs_status mbs_touches_close_slowly(mbs_touch_instant *now) {
  const mbs_model *model = now->model;
  mbs_touch_modes *work = now->work;
  bool any = false;
  memcpy(work->saved, now->at, model->touch_count * sizeof *work->saved);
  MBS_EACH_NEAR(now->system->touches, i) {
    mbs_touch_state *state = &now->at[i];
    const mbs_touch *touch = &model->touches[i];
    const mbs_touch_state *before = &work->before[i];
    const double rate = touch->sides && work->candidate[i] ? mbs_touch_room_rate(now, i) : INFINITY;
    /* a slip in several directions that has just ended is made zero, which it is within the tolerance */
    const bool ends = before->friction == MBS_SLIPS && before->at_rest && touch->tangents > 1;
    state->closed = (rate <= mbs_touch_zero_speed(now, i) && -rate <= mbs_touch_closing_speed(now, i)) ||
                    (ends && mbs_touch_never_opens(touch));
    /* surfaces that stick stay so */
    const bool holds =
        state->closed && touch->tangents &&
        (ends || before->friction == MBS_STICKS || mbs_touch_slip_speed(now, i) <= mbs_zero_speed * work->speed);
    state->friction = holds ? MBS_STICKS : MBS_FRICTION_OFF;
    any |= state->closed && (rate < 0 || ends);
  }
  mbs_status status = any ? end_rates(now) : MBS_OK;
  memcpy(now->at, work->saved, model->touch_count * sizeof *work->saved);
  if (!any || status != MBS_OK) return status;
  status = mbs_touch_choose_rows(now, work->candidate);
  mbs_touch_read_rates(now, now->v, now->work->rates);
  return status;
}
