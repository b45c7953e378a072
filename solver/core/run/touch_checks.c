/* Checks and reports of touches. */
#include "run/touch_checks.h"

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/feedback.h"
#include "equations/input.h"
#include "equations/law.h"
#include "equations/sliding.h"
#include "equations/state.h"
#include "equations/teeth.h"
#include "kernels/kernels.h"
#include "run/run_errors.h"
#include "run/touch_instant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- limits -------------------------------------------------------------------------------------------------- */

mbs_status mbs_fail_limit(mbs_run_state *run, double t, const mbs_touch *touch) {
  if (!mbs_touch_is_limit(touch))
    return mbs_run_fail(run, MBS_LOCK_UP, t, touch->name,
                        "the joints and drivers move the surfaces of '%s' into each other at t = %.9g; change the "
                        "motion, or use a compliant contact",
                        touch->name, t);
  if (touch->sides == 1)
    return mbs_run_fail(run, MBS_LIMIT_EXCEEDED, t, touch->name,
                        "the motion turns the one-way clutch '%s' backwards at t = %.9g; change the motion",
                        touch->name, t);
  return mbs_run_fail(
      run, MBS_LIMIT_EXCEEDED, t, touch->name,
      "the motion exceeds a rigid limit of '%s' at t = %.9g; change the motion or the limit, or give the "
      "limit a stiffness",
      touch->name, t);
}

double mbs_touch_depth(mbs_system *system, const mbs_touch *touch, int side) {
  const double depth = -mbs_touch_lever(system, touch) * mbs_touch_room(system, touch, side);
  return depth > mbs_zero_room * system->constants->extent ? depth : 0;
}

/* Fails if rigid surfaces penetrate each other at the present position. */
static mbs_status check_depths(mbs_run_state *run, double t) {
  const mbs_model *model = run->model;
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    const double depth = touch->sides == 1 ? mbs_touch_depth(run->system, touch, 0) : 0;
    if (depth > 0)
      return mbs_run_fail(
          run, MBS_NOT_ASSEMBLED, t, touch->name,
          "the rigid surfaces of '%s' penetrate each other by %.3g m at the start; separate them, or let "
          "\"correct\" be true",
          touch->name, depth);
  }
  return MBS_OK;
}

/* Fails because a joint starts beyond a limit. */
static mbs_status fail_start(mbs_run_state *run, double t, const mbs_touch *touch, int side) {
  const double room = mbs_touch_room(run->system, touch, side);
  const mbs_input input = {.kind = MBS_INPUT_PRIMITIVE, .index = touch->coordinate[0], .point = -1};
  const double q = mbs_input_value(run->system, &input), bound = side ? q + room : q - room;
  const mbs_primitive primitive = run->model->coordinates[touch->coordinate[0]].primitive;
  const char *unit = mbs_is_turn(primitive) ? "rad" : "m";
  return mbs_run_fail(run, MBS_LIMIT_EXCEEDED, t, touch->name,
                      "'%s' starts at %.6g %s, beyond its %s limit %.6g %s; change its initial position or driver, or "
                      "the limit",
                      touch->name, q, unit, side ? "upper" : "lower", bound, unit);
}

mbs_status mbs_check_limits(mbs_run_state *run, double t, const double *q) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_set_position(system, t, q);
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    for (int side = 0; side < touch->sides && mbs_touch_is_limit(touch); side++) {
      if (mbs_touch_depth(system, touch, side) == 0) continue;
      const bool one = touch->sides == 2 && touch->coordinate[0] >= 0 && touch->coordinate[1] < 0;
      return one ? fail_start(run, t, touch, side) : mbs_fail_limit(run, t, touch);
    }
  }
  return MBS_OK;
}

mbs_status mbs_check_clutches(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_set_position(system, model->t_start, run->q);
  mbs_set_velocity(system, run->v);
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    if (!mbs_touch_is_limit(touch) || !touch->cls->rate) continue;
    if (touch->cls->rate(system, touch) < -mbs_slow_slip(system)) return mbs_fail_limit(run, model->t_start, touch);
  }
  return MBS_OK;
}

/* ---- start --------------------------------------------------------------------------------------------------- */

mbs_status mbs_check_touching_start(mbs_run_state *run) {
  const double t = run->model->t_start;
  if (!run->system->touches) return MBS_OK;
  mbs_status status = mbs_check_limits(run, t, run->q);
  if (status == MBS_OK && !run->model->correct) status = check_depths(run, t);
  mbs_touches_forget(run->system);
  return status;
}

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
      if (mbs_touch_depth(system, touch, side) == 0) continue;
      any = state->closed = true;
      state->side = side;
    }
  }
  mbs_touches_use_held(system);
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

/* ---- loads --------------------------------------------------------------------------------------------------- */

/* Share of the size of multipliers, or of a law, that counts as a change; chosen: far above rounding. */
static const double open_share = 1e-6;

/* Fails if multipliers without force change a law that reads reactions; `size` of them is tried. */
static mbs_status check_feedback(mbs_run_state *run, const double *null, double size, const double *chosen) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  for (size_t i = 0; i < model->feedback_count; i++) {
    double values[2];
    for (int k = 0; k < 2; k++) {
      for (size_t r = 0; r < model->rows; r++) system->lambda[r] = chosen[r] + k * size * null[r];
      mbs_feedback_read(system);
      values[k] = mbs_law_current(system, model->feedback[i].law);
    }
    if (fabs(values[1] - values[0]) > open_share * fmax(fabs(values[0]), fabs(values[1])))
      return mbs_run_fail(run, MBS_ALGEBRAIC_LOOP, model->t_start, model->feedback[i].element,
                          "redundant constraints leave a reaction open that the law of '%s' reads; remove redundant "
                          "constraints",
                          model->feedback[i].element);
  }
  return MBS_OK;
}

/* Fails if multipliers without force change the load of friction in a joint; `size` of them is tried. */
static mbs_status check_null(mbs_run_state *run, const double *null, double size, const double *chosen) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    if (!touch->reacts) continue;
    double loads[2];
    for (int k = 0; k < 2; k++) {
      for (size_t r = 0; r < model->rows; r++) system->lambda[r] = chosen[r] + k * size * null[r];
      mbs_read_reactions(system);
      loads[k] = touch->cls->load(system, touch);
    }
    if (fabs(loads[1] - loads[0]) > open_share * size)
      return mbs_run_fail(
          run, MBS_REACTION_NOT_UNIQUE, model->t_start, touch->name,
          "the normal force of the friction '%s' is undetermined: redundant constraints do not determine the reaction "
          "of joint '%s'; use a joint with fewer constraints, or give the friction a 'preload'",
          touch->name, model->joints[touch->of_joint].name);
  }
  return system->feedback ? check_feedback(run, null, size, chosen) : MBS_OK;
}

mbs_status mbs_check_loads(mbs_run_state *run) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  bool any = false;
  for (size_t i = 0; i < model->touch_count; i++) any |= model->touches[i].reacts;
  any = any || model->feedback_count > 0;
  if (!any || run->least.open == 0) return MBS_OK;
  mbs_status status = mbs_evaluate(system, model->t_start, run->q, run->v);
  if (status != MBS_OK) return status;
  model->kernels->accelerations(system);
  mbs_choose_reactions(&run->least, system);
  double *chosen = mbs_arena_alloc(system->arena, model->rows + 1, sizeof *chosen);
  if (!chosen) return MBS_NO_MEMORY;
  memcpy(chosen, system->lambda, model->rows * sizeof *chosen);
  const double largest = mbs_largest(chosen, model->rows), size = largest > 0 ? largest : 1;
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

/* Returns true if the weight of a surface is that of no force, as 0 of sign(v). */
static bool is_idle(const mbs_surface *surface) {
  return surface->prescribed || surface->order != 1 || fabs(surface->weight - 0.5) <= no_friction;
}

mbs_status mbs_report_sticking(mbs_run_state *run, bool held) {
  const mbs_model *model = run->model;
  const mbs_touches *touches = run->system->touches;
  const mbs_sliding *sliding = run->system->sliding;
  mbs_report *report = &run->result->report;
  size_t count = 0;
  if (!touches && !(held && sliding->count)) return MBS_OK;
  const char **names = mbs_arena_alloc(run->result->arena, model->touch_count + model->force_count + 1, sizeof *names);
  if (!names) return MBS_NO_MEMORY;
  if (touches) mbs_touches_share(run->system, MBS_SHARE_TO_SHOW);
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    const mbs_touch_state *state = &touches->at[i];
    if (state->friction != MBS_STICKS) continue;
    const double limit = touch->cls->friction(run->system, touch)->mu_static * state->N;
    if (held && mbs_slip_length(state->T, touch->tangents) <= no_friction * limit) continue;
    const char *element = model->forces[touch->force].name;
    if (is_named(names, count, element)) continue;
    if (!(names[count++] = mbs_arena_text(run->result->arena, element))) return MBS_NO_MEMORY;
  }
  for (size_t k = 0; k < model->switch_count && held; k++) {
    const int number = abs(sliding->member[k]);
    if (number == 0 || is_idle(&sliding->surfaces[number - 1]) || is_named(names, count, sliding->elements[k]))
      continue;
    if (!(names[count++] = mbs_arena_text(run->result->arena, sliding->elements[k]))) return MBS_NO_MEMORY;
  }
  *(held ? &report->held_by_friction : &report->sticking) = names;
  *(held ? &report->held_count : &report->sticking_count) = count;
  return MBS_OK;
}
