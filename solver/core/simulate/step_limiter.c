#include "simulate/step_limiter.h"

#include "equations/input.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "run/notes.h"
#include "run/run_errors.h"

#include <math.h>
#include <string.h>

/* The shortest step to which a law can limit steps, as a share of the run [1]. It limits the cost if a mechanism stays
 * in a localized feature. */
static const double least_share = 1e-5;

/* A law stays at a pole if this many successive steps, none longer than the shortest one, would reach it within `reach`
 * times their length. */
enum { POLE_STEPS = 20 };
static const double reach = 2;

/* A law that may have localized features. */
typedef struct limited_law {
  const mbs_law *law;
  const char *force;         /* the force it belongs to; NULL: another element */
  bool known;                /* the rates of all its inputs are known */
  double *at, *rate, *curve; /* [input_count] the inputs, their rates, half their second rates */
  double *low, *high;        /* [input_count] workspace */
  double span;               /* the last time span in which its functions moved by at most `lengths` [s] */
  int pole_steps;            /* successive steps that could reach a pole of it */
} limited_law;

struct mbs_step_limiter {
  mbs_run_state *run;
  limited_law *laws; /* [count] */
  size_t count;
  bool has_states, has_functions; /* true if laws depend on the state; if functions of time limit steps */
  bool adaptive;
  double lengths, whole,
      least;            /* largest number of lengths in a step; time span of the run [s]; its shortest step [s] */
  double limit;         /* the longest step at the last state [s], before `least` is applied */
  const char *limiting; /* the law or element that causes the limit */
  const char *passed;   /* a law or element that a step may have passed over; NULL: none */
  double passed_at;
};

/* Returns the highest level of an input whose rate is known: 1 for velocities, 0 for positions and time, -1 if none
 * is. */
static int level_of(const mbs_input *input) {
  switch (input->kind) {
  case MBS_INPUT_POINT:
  case MBS_INPUT_ANGLE:
  case MBS_INPUT_PRIMITIVE: return input->level <= 1 ? input->level : -1;
  case MBS_INPUT_TIME:
  case MBS_INPUT_EULER:
  case MBS_INPUT_MATRIX:
  case MBS_INPUT_STATE:
  case MBS_INPUT_CURVE:
  case MBS_INPUT_DISCRETE:
  case MBS_INPUT_EXTERNAL: return 0;
  default: return -1;
  }
}

static bool add_law(mbs_step_limiter *self, const mbs_law *law, const char *force) {
  const mbs_model *model = self->run->model;
  const size_t n = law->input_count;
  limited_law *out = &self->laws[self->count];
  if (!law->expression || n == 0 || !mbs_expression_may_be_localized(law->expression)) return true;
  double *numbers = mbs_arena_alloc(self->run->system->arena, 5 * n, sizeof *numbers);
  if (!numbers) return false;
  *out = (limited_law){.law = law, .force = force, .known = true, .span = self->whole};
  out->at = numbers;
  out->rate = numbers + n;
  out->curve = numbers + 2 * n;
  out->low = numbers + 3 * n;
  out->high = numbers + 4 * n;
  for (size_t i = 0; i < n; i++) {
    const mbs_input *input = &model->inputs[law->inputs[i]];
    out->known &= level_of(input) >= 0;
    self->has_states |= input->kind != MBS_INPUT_TIME;
  }
  if (out->known || force) self->count++;
  return true;
}

/* Returns the name of the force that a law belongs to, or NULL. */
static const char *force_of(const mbs_model *model, const mbs_law *law) {
  for (size_t f = 0; f < model->force_count; f++)
    for (size_t l = 0; l < model->forces[f].law_count; l++)
      if (law == &model->forces[f].laws[l]) return model->forces[f].name;
  return NULL;
}

mbs_step_limiter *mbs_step_limiter_new(mbs_run_state *run, int stages, bool adaptive) {
  const mbs_model *model = run->model;
  const double whole = model->t_end - model->t_start;
  mbs_step_limiter *self = mbs_arena_alloc(run->system->arena, 1, sizeof *self);
  if (!self) return NULL;
  *self = (mbs_step_limiter){.run = run, .adaptive = adaptive, .lengths = stages, .whole = whole, .limit = INFINITY};
  self->least = least_share * whole;
  self->laws = mbs_arena_alloc(run->system->arena, model->law_count + 1, sizeof *self->laws);
  if (!self->laws) return NULL;
  for (size_t f = 0; f < model->function_count; f++) self->has_functions |= model->functions[f].cls->longest != NULL;
  for (size_t l = 0; l < model->law_count; l++)
    if (model->laws[l]->moves && !add_law(self, model->laws[l], force_of(model, model->laws[l]))) return NULL;
  return self;
}

bool mbs_step_limiter_is_active(const mbs_step_limiter *self) { return self->count > 0 || self->has_functions; }

/* Reads (x, x', x''/2) of an input. Forces count as constant. */
static void read_input(const mbs_system *system, const mbs_input *input, double t, double out[3]) {
  const int level = level_of(input);
  out[0] = t;
  out[1] = 1;
  out[2] = 0;
  if (level < 0) {
    out[1] = 0;
    out[0] = 1;
  } else if (level == 1) {
    mbs_input acceleration = *input;
    acceleration.level = 2;
    out[0] = mbs_input_value(system, input);
    out[1] = mbs_input_value(system, &acceleration);
  } else if (input->kind != MBS_INPUT_TIME) {
    mbs_input_jet(system, input, out);
    out[2] = isfinite(out[2]) ? 0.5 * out[2] : 0;
  }
}

static void read_inputs(mbs_step_limiter *self, double t) {
  mbs_system *system = self->run->system;
  if (self->has_states) system->model->kernels->accelerations(system);
  for (size_t k = 0; k < self->count; k++) {
    const limited_law *law = &self->laws[k];
    for (size_t i = 0; i < law->law->input_count; i++) {
      double x[3];
      read_input(system, &system->model->inputs[law->law->inputs[i]], t, x);
      law->at[i] = x[0];
      law->rate[i] = x[1];
      law->curve[i] = x[2];
    }
  }
}

/* Returns an upper bound for the travel of a law's functions, in lengths, within a time s before and after the
 * state. */
static double moves(const mbs_step_limiter *self, const limited_law *law, double s) {
  const mbs_system *system = self->run->system;
  for (size_t i = 0; i < law->law->input_count; i++) {
    /* x + x' s + x'' s^2 / 2 */
    const double way = fabs(law->rate[i]) * s, bend = law->curve[i] * s * s;
    law->low[i] = law->at[i] - way + fmin(bend, 0);
    law->high[i] = law->at[i] + way + fmax(bend, 0);
  }
  const mbs_expression *expression = mbs_law_numbers(system->constants, law->law)->expression;
  return mbs_expression_argument_travel(expression, law->low, law->high, false, system->slots);
}

/* Returns true if a divisor of a law reaches zero within a time s at its rate. */
static bool comes_to_pole(const mbs_step_limiter *self, const limited_law *law, double s) {
  const mbs_system *system = self->run->system;
  const double part = 1e-3; /* share of s in which the divisor is linear */
  for (size_t i = 0; i < law->law->input_count; i++) law->high[i] = law->at[i] + law->rate[i] * part * s;
  const mbs_expression *expression = mbs_law_numbers(system->constants, law->law)->expression;
  return mbs_expression_divisor_vanishes(expression, law->at, law->high, 1 / part, system->slots);
}

/* Returns the longest time span, halved as often as needed, in which a law's functions move by at most `lengths`. The
 * search begins at the last span. A possible pole is no limit: intervals overestimate, and slopes show a real one.
 * Returns 0 if the span would be too short. */
static double longest_span(const mbs_step_limiter *self, limited_law *law) {
  while (law->span > self->least && !(moves(self, law, law->span) <= self->lengths)) law->span *= 0.5;
  while (law->span < self->whole && moves(self, law, 2 * law->span) <= self->lengths) law->span *= 2;
  if (law->span >= self->whole || !isfinite(moves(self, law, 2 * law->span))) return INFINITY;
  return law->span > self->least || moves(self, law, law->span) <= self->lengths ? law->span : 0;
}

static void limit(mbs_step_limiter *self, double longest, const char *what) {
  if (!(longest < self->limit)) return;
  self->limit = longest;
  self->limiting = what;
}

double mbs_step_limiter_longest(mbs_step_limiter *self, double t, const double *dydt) {
  const mbs_model *model = self->run->model;
  if (self->has_states) memcpy(self->run->system->vdot, dydt + model->state.v, model->nv * sizeof *dydt);
  self->limit = INFINITY;
  for (size_t f = 0; f < model->function_count; f++) {
    const mbs_function *function = &model->functions[f];
    if (!function->cls->longest) continue;
    limit(self, function->cls->longest(self->run->system, function, t, self->lengths), function->element);
  }
  read_inputs(self, t);
  for (size_t k = 0; k < self->count; k++)
    if (self->laws[k].known) limit(self, longest_span(self, &self->laws[k]), self->laws[k].law->text);
  return fmax(self->limit, self->least);
}

static void note_passed(mbs_step_limiter *self, const char *what, double t) {
  if (self->passed) return;
  self->passed = what;
  self->passed_at = t;
}

bool mbs_step_limiter_looks_for_poles(mbs_step_limiter *self, double step) {
  const bool looks = self->has_states && (!self->adaptive || step <= self->least);
  for (size_t k = 0; k < self->count && !looks; k++) self->laws[k].pole_steps = 0;
  return looks;
}

mbs_status mbs_step_limiter_find_pole(mbs_step_limiter *self, double t, double step) {
  read_inputs(self, t);
  for (size_t k = 0; k < self->count; k++) {
    limited_law *law = &self->laws[k];
    law->pole_steps = law->force && comes_to_pole(self, law, reach * step) ? law->pole_steps + 1 : 0;
    if (law->pole_steps < POLE_STEPS) continue;
    if (self->adaptive) return mbs_run_fail_vanishing(self->run, law->law, law->force, t);
    note_passed(self, law->law->text, t);
  }
  return MBS_OK;
}

void mbs_step_limiter_accepted(mbs_step_limiter *self, double t, double step) {
  /* a step may end where a shorter one should begin */
  if (step > 2 * self->limit) note_passed(self, self->limiting, t - step);
}

void mbs_step_limiter_note(const mbs_step_limiter *self) {
  if (!self->passed) return;
  mbs_run_note(
      self->run, "'%.100s' changes within less than %s near t = %.9g, so that the integration may miss the change; %s",
      self->passed, self->adaptive ? "the shortest steps allowed for it" : "one step of 'fixed_step'", self->passed_at,
      self->adaptive ? "check with a smaller 'max_step'"
                     : "reduce 'fixed_step', or choose a method with adaptive steps");
}
