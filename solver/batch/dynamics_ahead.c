/* dynamics_ahead.c - states inside a step that an observer asks for one after another, found several at a time, a lane
 * each: interpolated and moved onto the constraints by the factors in hand. They are what they are one by one, as long
 * as these factors serve all of them; where they do not, what was found is forgotten. */
#include "simulate/dynamics.h"

#include "batch/lanes.h"
#include "constraints/projection.h"
#include "equations/sliding.h"
#include "equations/solve.h"

#include <math.h>
#include <string.h>

typedef struct mbs_dynamics_ahead {
  mbs_lanes *lanes;
  mbs_lane_numbers *numbers;
  const mbs_constants *spread; /* that all lanes have */
  uint64_t factorizations;     /* the one whose factors they have; 0: none */
  size_t count;                /* of the states found */
  double t[MBS_LANES_MOST];
  bool good[MBS_LANES_MOST];
  double *states[MBS_LANES_MOST]; /* workspace */
} mbs_dynamics_ahead;

bool mbs_dynamics_open_ahead(mbs_dynamics *self, size_t states) {
  const mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_arena *arena = run->system->arena;
  if (!run->observer || run->observer->forces || !model->rows || self->constraints != MBS_PROJECTION ||
      !mbs_lanes_take(model))
    return true;
  self->seen.ahead = mbs_arena_alloc(arena, 1, sizeof *self->seen.ahead);
  if (!self->seen.ahead) return false;
  self->seen.ahead->lanes = mbs_lanes_new(model, MBS_PIECE_AHEAD, arena);
  if (!self->seen.ahead->lanes) return false;
  if (!(self->seen.end = mbs_arena_alloc(arena, states, sizeof(double)))) return false;
  self->seen.ahead->numbers = mbs_lane_numbers_new(self->seen.ahead->lanes, arena);
  for (int k = 0; k < MBS_LANES_MOST; k++)
    if (!(self->seen.ahead->states[k] = mbs_arena_alloc(arena, states, sizeof(double)))) return false;
  return self->seen.ahead->numbers;
}

/* Whether projections need nothing but the factors in hand, without refinement. */
static bool is_ordinary(const mbs_dynamics *self) {
  const mbs_system *system = self->run->system;
  return system->sliding->count == 0 && !system->own_directions && !system->history_kept && !system->shifted &&
         !system->drivers_released && system->pivot_ratio > mbs_ordinary_ratio(system) &&
         system->rounding < mbs_projection_accepted;
}

static void take_factors(mbs_dynamics_ahead *ahead, const mbs_system *system) {
  if (ahead->spread != system->constants) mbs_lanes_spread(ahead->lanes, ahead->numbers, system);
  if (ahead->factorizations != system->factorizations) mbs_lanes_spread_factors(ahead->lanes, system);
  ahead->spread = system->constants;
  ahead->factorizations = system->factorizations;
}

void mbs_dynamics_fetch_factors(mbs_dynamics *self) {
  if (self->seen.factors) self->seen.factors(self->seen.factors_user, self);
  self->seen.factors = NULL;
}

void mbs_dynamics_look_ahead(void *context, size_t count, const double *times) {
  const mbs_observed_step *piece = context;
  mbs_dynamics *self = piece->self;
  mbs_dynamics_ahead *ahead = self->seen.ahead;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  if (!ahead) return;
  ahead->count = 0;
  if (count < 2) return;
  mbs_dynamics_fetch_factors(self);
  if (!is_ordinary(self)) return;
  take_factors(ahead, system);
  mbs_lanes *lanes = ahead->lanes;
  for (size_t k = 0; k < lanes->width; k++) {
    ahead->t[k] = times[k < count ? k : count - 1];
    ahead->good[k] = true;
    piece->step->state(piece->step, ahead->t[k], ahead->states[k]);
    if (model->function_count) ahead->good[k] = mbs_lanes_set_functions(lanes, (int)k, system, ahead->t[k]) == MBS_OK;
  }
  const double *const *q = (const double *const *)ahead->states;
  const double *v[MBS_LANES_MOST];
  for (size_t k = 0; k < lanes->width; k++) v[k] = q[k] + model->nq;
  mbs_lanes_gather(lanes, lanes->q, model->nq, q);
  if (self->run->observer->velocities) mbs_lanes_gather(lanes, lanes->v, model->nv, v);
  mbs_lanes_project_positions(lanes, ahead->good);
  if (self->run->observer->velocities) mbs_lanes_project_velocities(lanes, ahead->good);
  ahead->count = count;
}

size_t mbs_dynamics_ahead_width(const mbs_dynamics *self) {
  return self->seen.ahead ? self->seen.ahead->lanes->width : 0;
}

bool mbs_dynamics_found_ahead(const mbs_dynamics *self, double t) {
  const mbs_dynamics_ahead *ahead = self->seen.ahead;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  if (!ahead || ahead->factorizations != system->factorizations) return false;
  for (size_t k = 0; k < ahead->count; k++) {
    if (ahead->t[k] != t || !ahead->good[k]) continue;
    system->t = t;
    system->strayed = fmax(system->strayed, ahead->lanes->redundant[k]);
    mbs_lanes_show(ahead->lanes, (int)k, system);
    for (size_t i = 0; i < model->nq; i++) self->y[i] = ahead->lanes->q[ahead->lanes->width * i + k];
    if (!self->run->observer->velocities) return true;
    for (size_t i = 0; i < model->nv; i++) self->y[model->state.v + i] = ahead->lanes->v[ahead->lanes->width * i + k];
    return true;
  }
  return false;
}

/* The numbers of a state that projections may move. */
static size_t moved(const mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  return (model->nq + (self->run->observer->velocities ? model->nv : 0)) * sizeof(double);
}

bool mbs_dynamics_may_continue(const mbs_dynamics *self, double t) {
  return self->seen.ahead && self->seen.stays && self->seen.until == t && self->run->model->switch_count == 0;
}

void mbs_dynamics_note_shown(mbs_dynamics *self, const mbs_ode_step *step, bool stays) {
  if (!self->seen.ahead) return;
  step->state(step, step->t1, self->seen.end);
  self->seen.until = step->t1;
  self->seen.stays = stays;
}

bool mbs_dynamics_continues(const mbs_dynamics *self, const mbs_ode_step *step) {
  if (!mbs_dynamics_may_continue(self, step->t) || !is_ordinary(self)) return false;
  step->state(step, step->t, self->y);
  return memcmp(self->y, self->seen.end, moved(self)) == 0;
}

void mbs_dynamics_note_end(mbs_dynamics *self, const mbs_ode_step *step) {
  if (!self->seen.ahead) return;
  step->state(step, step->t1, self->seen.end);
  self->seen.until = step->t1;
  self->seen.stays = is_ordinary(self) && memcmp(self->y, self->seen.end, moved(self)) == 0;
}
