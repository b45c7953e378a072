/* Laws that divide by a length which becomes zero and stays there, as v / sqrt(vx^2 + vy^2) does when a body comes to
 * rest: the force then turns round within every step, and no step is short enough.
 *
 * Between the ends of two steps, h apart, the accelerations v' at the first one would change the vector x by
 *
 *     r = |x(v + h v') - x(v)|.
 *
 * On the way to zero and away from it, however slow, |x| is as large as the sum of r over the steps on that side. Where
 * the largest |x| at the ends of many steps is no more than what one step changes it by, x stays at zero. */
#include "equations/evaluate.h"
#include "equations/law.h"
#include "equations/state.h"
#include "run/errors.h"
#include "simulate/dynamics.h"

#include <math.h>

/* Steps one after the other that are judged together, or so many where all are tiny, and the share of the sum of their
 * r that the largest |x| may be. On the way to zero or from it that share is at least 1/2. A motion to and fro through
 * zero has less only with fewer than 16 steps a period. */
enum { CHATTER_STEPS = 20, TINY_STEPS = 200 };
static const double most_share = 0.2;
/* They are looked at where |x| is less than this share of its largest value so far, or the step is tiny: less than this
 * share of the span. Elsewhere the motion goes on. */
static const double small_length = 0.01, tiny_step = 1e-6;

/* One length that a law divides by. */
struct mbs_chatter {
  const mbs_law *law;
  const char *element;
  size_t index;    /* of the length in the law */
  double largest;  /* |x| so far */
  double rate;     /* r / h of the next step, where the last one is judged */
  double furthest; /* |x| at the ends of the steps that are judged, */
  double reach;    /* the sum of their r, */
  size_t steps;    /* and how many they are, with the end before the first */
};

static size_t norms_of(const mbs_law *law) { return law->expression ? mbs_expression_norms(law->expression) : 0; }

bool mbs_dynamics_find_chatter(mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  size_t count = 0;
  for (size_t f = 0; f < model->force_count; f++)
    for (size_t l = 0; l < model->forces[f].law_count; l++) count += norms_of(&model->forces[f].laws[l]);
  self->chatter = mbs_arena_alloc(arena, count + 1, sizeof *self->chatter);
  self->chatter_v = mbs_arena_alloc(arena, model->nv + 1, sizeof *self->chatter_v);
  if (!self->chatter || !self->chatter_v) return false;
  for (size_t f = 0; f < model->force_count; f++)
    for (size_t l = 0; l < model->forces[f].law_count; l++) {
      const mbs_law *law = &model->forces[f].laws[l];
      for (size_t k = 0, norms = norms_of(law); k < norms; k++)
        self->chatter[self->chatter_count++] =
            (struct mbs_chatter){.law = law, .element = model->forces[f].name, .index = k};
    }
  return true;
}

/* The vector at the state in hand; returns its components. */
static size_t read_vector(mbs_system *system, const struct mbs_chatter *chatter, double x[MBS_NORM_PARTS]) {
  mbs_law_value(system, chatter->law); /* into the slots */
  return mbs_expression_norm(mbs_law_expression(system, chatter->law), chatter->index, system->slots, x);
}

static double distance(const double *x, const double *y, size_t count) {
  double square = 0;
  for (size_t k = 0; k < count; k++) square += (x[k] - y[k]) * (x[k] - y[k]);
  return sqrt(square);
}

/* r / h for steps from (t, y), by one as long as the last one. Leaves the system at (t, y). */
static mbs_status find_rate(mbs_dynamics *self, struct mbs_chatter *chatter, double t, double step, const double *y) {
  mbs_system *system = self->run->system;
  const size_t nv = self->run->model->nv;
  const uint64_t evaluations = system->evaluations;
  double x[MBS_NORM_PARTS], moved[MBS_NORM_PARTS];
  mbs_dynamics_look(self, true);
  mbs_status status = mbs_evaluate(system, t, y, y + self->run->model->state.v);
  const size_t count = read_vector(system, chatter, x);
  for (size_t k = 0; k < nv; k++) self->chatter_v[k] = y[self->run->model->state.v + k] + step * system->vdot[k];
  mbs_set_velocity(system, self->chatter_v);
  read_vector(system, chatter, moved);
  mbs_set_velocity(system, y + self->run->model->state.v);
  mbs_dynamics_look(self, false);
  system->evaluations = evaluations;
  chatter->rate = distance(moved, x, count) / step;
  return status;
}

/* Judges the vector after a step to (t, y); *stays: it stays at zero. */
static mbs_status judge(mbs_dynamics *self, struct mbs_chatter *chatter, double t, double step, const double *y,
                        bool *stays) {
  static const double zero[MBS_NORM_PARTS];
  const mbs_model *model = self->run->model;
  double x[MBS_NORM_PARTS];
  const double length = distance(x, zero, read_vector(self->run->system, chatter, x));
  chatter->largest = fmax(chatter->largest, length);
  const bool tiny = step <= tiny_step * (model->t_end - model->t_start);
  const bool looked_at = length <= small_length * chatter->largest || tiny;
  *stays = false;
  chatter->steps = looked_at ? chatter->steps + 1 : 0;
  if (!looked_at) return MBS_OK;
  if (chatter->steps > (tiny ? TINY_STEPS : CHATTER_STEPS) + 1) chatter->steps = 1; /* judged in vain */
  chatter->reach = chatter->steps > 1 ? chatter->reach + chatter->rate * step : 0;
  chatter->furthest = chatter->steps > 1 ? fmax(chatter->furthest, length) : length;
  /* max |x| <= (sum r) / 5 */
  *stays = chatter->steps > CHATTER_STEPS && chatter->furthest <= most_share * chatter->reach;
  return find_rate(self, chatter, t, step, y);
}

mbs_status mbs_dynamics_watch_chatter(mbs_dynamics *self, double t, double step, const double *y) {
  mbs_system *system = self->run->system;
  bool stays;
  if (self->chatter_count == 0) return MBS_OK;
  mbs_set_position(system, t, y);
  mbs_set_velocity(system, y + self->run->model->state.v);
  for (size_t k = 0; k < self->chatter_count; k++) {
    const mbs_status status = judge(self, &self->chatter[k], t, step, y, &stays);
    if (status != MBS_OK) return status;
    if (!stays) continue;
    self->endless = true;
    return mbs_run_fail_vanishing(self->run, self->chatter[k].law, self->chatter[k].element, t);
  }
  return MBS_OK;
}

bool mbs_dynamics_vanishes(const mbs_dynamics *self, mbs_status status, double t) {
  if (status != MBS_STEP_TOO_SMALL && status != MBS_NOT_FINITE) return false;
  for (size_t k = 0; k < self->chatter_count; k++) {
    if (self->chatter[k].steps == 0) continue;
    mbs_run_fail_vanishing(self->run, self->chatter[k].law, self->chatter[k].element, t);
    return true;
  }
  return false;
}
