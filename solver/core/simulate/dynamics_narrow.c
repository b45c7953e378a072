/* Forces and drivers may have pulses, waves and hills that are narrower than a step: its stages would pass them by, and
 * its error would not tell. How far the arguments of their expressions move in a step is bounded by interval arithmetic
 * (mbs_expression_moves()), and steps are made so short that this is a few lengths. Time goes through the step, places,
 * angles and velocities go on with the velocities and accelerations that they have at its start or its end.
 * Functions of time that are no expressions, as tables, say by themselves how long a step may be. */
#include "simulate/dynamics.h"

#include "equations/input.h"
#include "equations/state.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* No step is made shorter than this share of the run: where a function begins, as a root of the time does, its
 * argument moves without end. */
static const double least_share = 1e-6;

/* Nor for a function of places than this: a mechanism may stay where it is narrow. Velocities change within an impact,
 * and none stays where it changes fast. */
static const double least_place_share = 1e-4, least_velocity_share = 1e-9;

/* A law that may be narrow, and what its inputs are at the state in hand. */
typedef struct mbs_narrow_law {
  const mbs_law *law;
  bool states;        /* it depends on others than the time: */
  bool places;        /* what is narrow in it depends on places, not on velocities alone */
  double *at, *rate;  /* [input_count] */
  double *bend;       /* [input_count] half the second rate, as far as it is known */
  double *low, *high; /* [input_count] scratch */
  double span;        /* the last one in which it moved a few lengths at most */
} mbs_narrow_law;

/* What velocities are the rates of. */
static bool is_place(const mbs_input *input) {
  switch (input->kind) {
  case MBS_INPUT_POINT:
  case MBS_INPUT_ANGLE:
  case MBS_INPUT_PRIMITIVE: return input->level == 0;
  case MBS_INPUT_EULER:
  case MBS_INPUT_MATRIX:
  case MBS_INPUT_CURVE: return true;
  default: return false;
  }
}

/* What accelerations are the rates of. */
static bool is_velocity(const mbs_input *input) {
  return (input->kind == MBS_INPUT_POINT || input->kind == MBS_INPUT_ANGLE || input->kind == MBS_INPUT_PRIMITIVE) &&
         input->level == 1;
}

/* Whether a law may be narrow, and how far it moves is known: of the time, of places and of velocities. */
static bool may_pass(const mbs_system *system, const mbs_law *law, mbs_narrow_law *narrow) {
  narrow->states = narrow->places = false;
  if (!law->moves || !mbs_expression_may_be_narrow(law->expression)) return false;
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input *input = &system->model->inputs[law->inputs[i]];
    const bool time = input->kind == MBS_INPUT_TIME;
    if (!time && !is_place(input) && !is_velocity(input)) return false;
    narrow->states |= !time;
    narrow->places |= is_place(input) && mbs_expression_may_be_narrow_in(law->expression, i, system->slots);
  }
  return law->input_count > 0;
}

static bool open_law(mbs_narrow_law *narrow, const mbs_law *law, mbs_arena *arena) {
  double *numbers = mbs_arena_alloc(arena, 5 * law->input_count + 1, sizeof *numbers);
  if (!numbers) return false;
  narrow->law = law;
  narrow->at = numbers;
  narrow->rate = numbers + law->input_count;
  narrow->low = numbers + 2 * law->input_count;
  narrow->high = numbers + 3 * law->input_count;
  narrow->bend = numbers + 4 * law->input_count;
  return true;
}

bool mbs_dynamics_find_narrow(mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  for (size_t f = 0; f < model->function_count; f++) self->narrow_functions |= model->functions[f].cls->longest != NULL;
  self->narrow = mbs_arena_alloc(arena, model->law_count + 1, sizeof *self->narrow);
  for (size_t l = 0; self->narrow && l < model->law_count; l++) {
    mbs_narrow_law *narrow = &self->narrow[self->narrow_count];
    if (!may_pass(self->run->system, model->laws[l], narrow)) continue;
    if (!open_law(narrow, model->laws[l], arena)) return false;
    self->narrow_states |= narrow->states;
    narrow->span = model->t_end - model->t_start;
    self->narrow_count++;
  }
  return self->narrow != NULL;
}

/* The rate of a velocity, by the accelerations of the bodies. */
static double rate_of_velocity(const mbs_system *system, const mbs_input *input) {
  mbs_input acceleration = *input;
  acceleration.level = 2;
  return mbs_input_value(system, &acceleration);
}

/* The inputs of the laws at (t, y), and their rates, by the accelerations that the system has. */
static void read_inputs(mbs_dynamics *self, double t, const double *y) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  if (self->narrow_states) {
    mbs_dynamics_expect_turns(self, y);
    mbs_set_position(system, t, y);
    mbs_set_velocity(system, y + model->state.v);
    model->kernels->accelerations(system);
  }
  for (size_t k = 0; k < self->narrow_count; k++) {
    const mbs_narrow_law *narrow = &self->narrow[k];
    for (size_t i = 0; i < narrow->law->input_count; i++) {
      const mbs_input *input = &model->inputs[narrow->law->inputs[i]];
      double jet[3] = {t, 1, 0};
      if (is_velocity(input)) {
        jet[0] = mbs_input_value(system, input);
        jet[1] = rate_of_velocity(system, input);
      } else if (is_place(input)) {
        mbs_input_jet(system, input, jet);
      }
      narrow->at[i] = jet[0];
      narrow->rate[i] = jet[1];
      narrow->bend[i] = isfinite(jet[2]) ? 0.5 * jet[2] : 0;
    }
  }
}

/* x + x' s + x'' s^2 / 2 */
static double goes_to(const mbs_narrow_law *narrow, size_t i, double s) {
  return narrow->at[i] + (narrow->rate[i] + narrow->bend[i] * s) * s;
}

/* How far the functions of a law move from `start` to `end` after the instant of its inputs. */
static double moves(const mbs_system *system, const mbs_narrow_law *narrow, double start, double end) {
  const mbs_law *law = narrow->law;
  const mbs_expression *expression = mbs_law_numbers(system->constants, law)->expression;
  const double *mode = law->switches && system->mode ? system->mode + law->mode0 : NULL;
  if (law->switches && !mode) return 0;
  for (size_t i = 0; i < law->input_count; i++) {
    const double first = goes_to(narrow, i, start), last = goes_to(narrow, i, end);
    /* where x' + x'' s = 0 */
    const double turn = -narrow->rate[i] / (2 * narrow->bend[i]);
    const double most = turn > start && turn < end ? goes_to(narrow, i, turn) : first;
    narrow->low[i] = fmin(fmin(first, last), most);
    narrow->high[i] = fmax(fmax(first, last), most);
  }
  return mbs_expression_moves(expression, narrow->low, narrow->high, mode, !narrow->states, system->slots);
}

/* Whether a law is narrow whose functions move too far in a span. Of the state it is not where twice as much may lead
 * to a pole: intervals cannot tell, and slopes do. Nor where intervals tell nothing of the state itself. */
static bool is_narrow(const mbs_system *system, const mbs_narrow_law *narrow, double start, double end) {
  if (!narrow->states) return true;
  return isfinite(moves(system, narrow, 2 * start, 2 * end)) && moves(system, narrow, 0, 0) == 0;
}

static double least_share_of(const mbs_narrow_law *narrow) {
  return narrow->places ? least_place_share : narrow->states ? least_velocity_share : least_share;
}

/* The longest part of the run, halved as often as needed, in which a law's functions move so far at the most. The
 * search begins where the last one ended, with the same result since functions move less far in a part of a span. */
static double longest_span(const mbs_dynamics *self, mbs_narrow_law *narrow, double lengths) {
  const mbs_system *system = self->run->system;
  const double whole = self->run->model->t_end - self->run->model->t_start;
  const double least = least_share_of(narrow) * whole;
  while (narrow->span > least && !(moves(system, narrow, 0, narrow->span) <= lengths)) narrow->span *= 0.5;
  while (narrow->span < whole && moves(system, narrow, 0, 2 * narrow->span) <= lengths) narrow->span *= 2;
  if (narrow->span >= whole) return INFINITY;
  return is_narrow(system, narrow, 0, 2 * narrow->span) ? fmax(narrow->span, least) : INFINITY;
}

/* Even in the shortest step that is made for it a law may move so many times further than it should. */
static const double too_far = 4;

static void note_passed(mbs_dynamics *self, const char *what, double t) {
  if (self->passed) return;
  self->passed = what;
  self->passed_at = t;
}

/* The longest step from t that functions of time can bear, but for the shortest one that is made for them. */
static double longest_of_functions(mbs_dynamics *self, double t, double lengths) {
  const mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  const double least = least_share * (model->t_end - model->t_start);
  double longest = INFINITY;
  for (size_t f = 0; f < model->function_count; f++) {
    const mbs_function *function = &model->functions[f];
    if (!function->cls->longest) continue;
    const double h = function->cls->longest(system, function, t, lengths);
    if (too_far * h < least) note_passed(self, function->element, t);
    longest = fmin(longest, fmax(h, least));
  }
  return longest;
}

/* Whether the step that ends with these inputs was too long for a law, as one sees from there: what it began with does
 * not tell how much faster a place went in the end. */
static bool was_too_long(const mbs_system *system, const mbs_narrow_law *narrow, double step, double lengths) {
  const double whole = system->model->t_end - system->model->t_start;
  return narrow->states && step > least_share_of(narrow) * whole && !(moves(system, narrow, -step, 0) <= 2 * lengths) &&
         is_narrow(system, narrow, -step, 0);
}

double mbs_dynamics_narrow_step(void *context, double t, const double *y, const double *dydt, double lengths) {
  mbs_dynamics *self = context;
  const mbs_model *model = self->run->model;
  double longest = longest_of_functions(self, t, lengths);
  if (self->narrow_states) memcpy(self->run->system->vdot, dydt + model->state.v, model->nv * sizeof *dydt);
  read_inputs(self, t, y);
  for (size_t k = 0; k < self->narrow_count; k++) {
    mbs_narrow_law *narrow = &self->narrow[k];
    const double span = longest_span(self, narrow, lengths), step = t - self->t_accepted;
    longest = fmin(longest, span);
    if (was_too_long(self->run->system, narrow, step, lengths)) longest = fmin(longest, 0.25 * step);
    if (self->passed || !isfinite(span) || moves(self->run->system, narrow, 0, span) <= too_far * lengths) continue;
    note_passed(self, narrow->law->text, t);
  }
  return longest;
}

/* Of a step of fixed length: so many lengths are too many for its stages. */
static const double fixed_lengths = 2;

void mbs_dynamics_watch_narrow(mbs_dynamics *self, double t, double step, const double *y) {
  const mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  if (self->adaptive || self->passed || step <= least_share * (model->t_end - model->t_start)) return;
  for (size_t f = 0; f < model->function_count; f++) {
    const mbs_function *function = &model->functions[f];
    if (function->cls->longest && function->cls->longest(system, function, t - step, fixed_lengths) < step)
      note_passed(self, function->element, t - step);
  }
  if (self->narrow_count) read_inputs(self, t, y);
  for (size_t k = 0; k < self->narrow_count; k++)
    if (!(moves(system, &self->narrow[k], -step, 0) <= fixed_lengths) && is_narrow(system, &self->narrow[k], -step, 0))
      note_passed(self, self->narrow[k].law->text, t - step);
}
