/* Room and margins of touches, which tell their events, and the limits of prescribed motions. */
#include "equations/touches.h"

#include "model/quantities.h"

#include <assert.h>
#include <math.h>

/* Shares of the scale of forces that are rounding: a touch at rest must not open and close by them. Chosen:
 * a hundred times what was seen. */
static const double force_noise = 1e-10, limit_noise = 1e-13;
/* A limit with steps has reached a step that is nearer than this share of its length; chosen: far above rounding. */
static const double step_reached = 1e-9;

static double room_of(mbs_system *system, const mbs_touch *touch, int side) {
  mbs_custom_row row = {.number = 0};
  touch->cls->row(system, touch, 0, side, &row);
  return side ? -row.value : row.value;
}

void mbs_touch_look(mbs_system *system, const mbs_touch *touch) {
  mbs_touch_state *state = &system->touches->at[touch - system->model->touches];
  if (touch->cls->face) state->face = touch->cls->face(system, touch);
  if (touch->cls->rate) state->bound += room_of(system, touch, 0);
  if (touch->cls->pitch && !state->looked) {
    const double pitch = touch->cls->pitch(system, touch);
    state->bound += pitch * floor(room_of(system, touch, 0) / pitch + step_reached);
  }
  state->looked = true;
}

double mbs_touch_room(mbs_system *system, const mbs_touch *touch, int side) {
  const bool follows = touch->cls->rate || touch->cls->pitch;
  if (follows && !system->touches->at[touch - system->model->touches].looked) mbs_touch_look(system, touch);
  return room_of(system, touch, side);
}

double mbs_touch_lever(const mbs_system *system, const mbs_touch *touch) {
  const int c = touch->coordinate[0];
  const bool turns = c >= 0 && mbs_primitive_dimension(system->model->coordinates[c].primitive).rad != 0;
  return turns ? system->constants->extent : 1;
}

double mbs_touch_spare_friction(const mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  return touch->cls->friction(system, touch)->mu_static * state->N - mbs_slip_length(state->T, touch->tangents);
}

void mbs_touches_keep_margins(mbs_system *system) {
  mbs_touches *self = system->touches;
  mbs_touches_share(system, MBS_SHARE_TO_HOLD);
  for (size_t k = 0; k < self->present_count; k++) {
    const mbs_touch *touch = &system->model->touches[self->present[k]];
    mbs_touch_state *state = &self->at[self->present[k]];
    state->least_N = state->closed && touch->sides > 0 ? fmin(state->N, 0) : 0;
    state->least_limit = state->friction == MBS_STICKS ? fmin(mbs_touch_spare_friction(system, touch, state), 0) : 0;
  }
}

static double friction_margin(const mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  double along = 0;
  if (state->friction == MBS_FRICTION_OFF) return INFINITY;
  if (state->friction == MBS_STICKS) {
    const double held =
        mbs_touch_spare_friction(system, touch, state) - state->least_limit + limit_noise * system->touches->force;
    return state->led ? fmin(held, mbs_slow_slip(system) - mbs_slip_length(state->slip, touch->tangents)) : held;
  }
  for (int c = 0; c < touch->tangents; c++) along += state->slip[c] * state->direction[c];
  return along - state->slow;
}

static double normal_margin(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state, int side) {
  if (state->closed) {
    const double away = touch->cls->beside ? touch->cls->beside(system, touch) : 0;
    return away > 0 ? -away : state->N - state->least_N + force_noise * system->touches->force;
  }
  const double room = touch->cls->rate ? touch->cls->rate(system, touch) : mbs_touch_room(system, touch, side);
  return room - state->floor[side];
}

/* Returns the distance to the next step of a limit. */
static double step_margin(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  return state->closed ? 1 : touch->cls->pitch(system, touch) - mbs_touch_room(system, touch, 0);
}

/* Returns the margin of switch `number` of a near touch. */
static double margin_of(mbs_system *system, const mbs_touch *touch, int number) {
  const mbs_touch_state *state = &system->touches->at[touch - system->model->touches];
  if (number < touch->sides)
    return number != state->side && state->closed ? 1 : normal_margin(system, touch, state, number);
  return touch->cls->pitch ? step_margin(system, touch, state) : friction_margin(system, touch, state);
}

void mbs_touches_margins(mbs_system *system, double *margins) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  if (!self->follows) mbs_touches_find_near(system);
  for (size_t i = 0; i < model->touch_count; i++)
    for (int k = 0; k < mbs_touch_switches(&model->touches[i]); k++) margins[model->touches[i].switch0 + k] = INFINITY;
  if (self->follows) return;
  MBS_EACH_NEAR(self, i) {
    const mbs_touch *touch = &model->touches[i];
    for (int k = 0; k < mbs_touch_switches(touch); k++) margins[touch->switch0 + k] = margin_of(system, touch, k);
  }
}

double mbs_touch_margin(mbs_system *system, size_t index) {
  const mbs_touch *touch = mbs_touch_of_switch(system->model, index);
  mbs_touches *self = system->touches;
  assert(touch != NULL);
  if (self->follows) return INFINITY;
  mbs_touches_find_near(system);
  if (!self->is_near[touch - system->model->touches]) return INFINITY;
  return margin_of(system, touch, (int)index - touch->switch0);
}

/* Returns true if the margins of touch i need its forces. */
static bool needs_forces(const mbs_system *system, size_t i) {
  const mbs_touch_state *state = &system->touches->at[i];
  return (state->closed && system->model->touches[i].sides > 0) || state->friction != MBS_FRICTION_OFF;
}

bool mbs_touch_margin_needs_forces(const mbs_system *system, size_t index) {
  return needs_forces(system, (size_t)(mbs_touch_of_switch(system->model, index) - system->model->touches));
}

bool mbs_touches_need_forces(const mbs_system *system) {
  for (size_t k = 0; system->touches && k < system->touches->present_count; k++)
    if (needs_forces(system, (size_t)system->touches->present[k])) return true;
  return false;
}

const mbs_touch *mbs_touch_of_switch(const mbs_model *model, size_t index) {
  /* switches are numbered in the order of the touches, with gaps; the last touch that begins at or before `index` */
  size_t low = 0, high = model->touch_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if ((size_t)model->touches[middle].switch0 <= index)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return NULL;
  const mbs_touch *touch = &model->touches[low - 1];
  return index < (size_t)touch->switch0 + (size_t)mbs_touch_switches(touch) ? touch : NULL;
}

void mbs_touch_event(mbs_system *system, size_t index) {
  const mbs_touch *touch = mbs_touch_of_switch(system->model, index);
  assert(touch != NULL);
  mbs_touch_state *state = &system->touches->at[touch - system->model->touches];
  const int number = (int)index - touch->switch0;
  if (number >= touch->sides && touch->cls->pitch)
    state->bound += touch->cls->pitch(system, touch);
  else if (number >= touch->sides)
    state->at_rest = true;
  else {
    state->at_limit = true;
    if (!state->closed) state->side = number;
  }
}

/* ---- limits of prescribed motions ------------------------------------------------------------------------------- */

/* Returns true if a prescribed motion must not exceed the touch. */
static bool limits_motion(const mbs_touch *touch) { return touch->sides > 0 || mbs_touch_is_limit(touch); }

size_t mbs_count_limits(const mbs_model *model) {
  size_t count = 0;
  for (size_t i = 0; i < model->touch_count; i++) count += limits_motion(&model->touches[i]) ? 2 : 0;
  return count;
}

static void read_limit(mbs_system *system, const mbs_touch *touch, double margins[2]) {
  const double pitch = touch->cls->pitch ? touch->cls->pitch(system, touch) : 0;
  margins[0] = margins[1] = 1;
  if (!mbs_touch_is_limit(touch)) { /* surfaces that slide on each other are deep by rounding */
    if (system->touches->is_near[touch - system->model->touches])
      margins[0] = mbs_touch_room(system, touch, 0) + mbs_zero_room * system->constants->extent;
    return;
  }
  margins[0] = touch->cls->rate ? touch->cls->rate(system, touch) + mbs_slow_slip(system)
                                : mbs_touch_room(system, touch, 0) + step_reached * pitch;
  margins[1] = touch->sides == 2 ? mbs_touch_room(system, touch, 1) : pitch > 0 ? pitch - margins[0] : 1;
}

void mbs_read_limits(mbs_system *system, double *margins) {
  if (system->touches) mbs_touches_find_near(system);
  for (size_t i = 0; i < system->model->touch_count; i++) {
    if (!limits_motion(&system->model->touches[i])) continue;
    read_limit(system, &system->model->touches[i], margins);
    margins += 2;
  }
}

const mbs_touch *mbs_exceed_limit(mbs_system *system, size_t index) {
  const mbs_model *model = system->model;
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    if (!limits_motion(touch)) continue;
    if (index == 1 && touch->cls->pitch) {
      system->touches->at[i].bound += touch->cls->pitch(system, touch);
      return NULL;
    }
    if (index < 2) return touch;
    index -= 2;
  }
  return NULL;
}
