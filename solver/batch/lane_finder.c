/* lane_finder.c - finds several states inside a step in one call, for an observer that reads them one after another.
 * Each lane interpolates a state and projects it with the current factors. The results equal those of separate
 * projections as long as these factors serve all states; otherwise the states found are discarded. */
#include "batch/lane_finder.h"

#include "batch/lanes.h"
#include "constraints/projection.h"
#include "equations/sliding.h"
#include "equations/solve.h"

#include <math.h>
#include <string.h>

typedef struct lane_finder {
  mbs_lanes *lanes;
  mbs_lane_numbers *numbers;
  const mbs_constants *spread; /* constants that all lanes have */
  uint64_t factorizations;     /* number of the factorization that the lanes have; 0: none */
  size_t count;                /* number of states found */
  double t[MBS_LANES_MAX];
  bool good[MBS_LANES_MAX];
  double *states[MBS_LANES_MAX]; /* workspace */
} lane_finder;

static bool open_finder(const mbs_dynamics *self, size_t states, void **out) {
  const mbs_run_state *run = self->run;
  mbs_arena *arena = run->system->arena;
  *out = NULL;
  if (run->observer->forces || !run->model->rows || self->constraints != MBS_PROJECTION ||
      !mbs_lanes_supported(run->model))
    return true;
  lane_finder *finder = mbs_arena_alloc(arena, 1, sizeof *finder);
  if (!finder || !(finder->lanes = mbs_lanes_new(run->model, MBS_PIECE_AHEAD, arena))) return false;
  finder->numbers = mbs_lane_numbers_new(finder->lanes, arena);
  for (int k = 0; k < MBS_LANES_MAX; k++)
    if (!(finder->states[k] = mbs_arena_alloc(arena, states, sizeof(double)))) return false;
  *out = finder;
  return finder->numbers;
}

static void set_factors(lane_finder *finder, const mbs_system *system) {
  if (finder->spread != system->constants) mbs_lanes_broadcast(finder->lanes, finder->numbers, system);
  if (finder->factorizations != system->factorizations) mbs_lanes_broadcast_factors(finder->lanes, system);
  finder->spread = system->constants;
  finder->factorizations = system->factorizations;
}

static void find(void *context, size_t count, const double *times) {
  const mbs_observed_step *piece = context;
  mbs_dynamics *self = piece->self;
  lane_finder *finder = self->seen.finder;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  finder->count = 0;
  if (count < 2) return;
  mbs_dynamics_fetch_factors(self);
  if (!mbs_dynamics_projects_plainly(self)) return;
  set_factors(finder, system);
  mbs_lanes *lanes = finder->lanes;
  for (size_t k = 0; k < lanes->width; k++) {
    finder->t[k] = times[k < count ? k : count - 1];
    finder->good[k] = true;
    piece->step->state(piece->step, finder->t[k], finder->states[k]);
    if (model->function_count) finder->good[k] = mbs_lanes_set_functions(lanes, (int)k, system, finder->t[k]) == MBS_OK;
  }
  const double *const *q = (const double *const *)finder->states;
  const double *v[MBS_LANES_MAX];
  for (size_t k = 0; k < lanes->width; k++) v[k] = q[k] + model->nq;
  mbs_lanes_gather(lanes, lanes->q, model->nq, q);
  if (self->run->observer->velocities) mbs_lanes_gather(lanes, lanes->v, model->nv, v);
  mbs_lanes_project_positions(lanes, finder->good);
  if (self->run->observer->velocities) mbs_lanes_project_velocities(lanes, finder->good);
  finder->count = count;
}

static size_t width(const void *finder) { return ((const lane_finder *)finder)->lanes->width; }

static bool show(const mbs_dynamics *self, double t) {
  const lane_finder *finder = self->seen.finder;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  if (finder->factorizations != system->factorizations) return false;
  for (size_t k = 0; k < finder->count; k++) {
    if (finder->t[k] != t || !finder->good[k]) continue;
    system->t = t;
    system->redundant_residual = fmax(system->redundant_residual, finder->lanes->redundant[k]);
    mbs_lanes_extract(finder->lanes, (int)k, system);
    for (size_t i = 0; i < model->nq; i++) self->y[i] = finder->lanes->q[finder->lanes->width * i + k];
    if (!self->run->observer->velocities) return true;
    for (size_t i = 0; i < model->nv; i++) self->y[model->state.v + i] = finder->lanes->v[finder->lanes->width * i + k];
    return true;
  }
  return false;
}

const mbs_state_finder mbs_lane_finder = {.open = open_finder, .width = width, .find = find, .show = show};
