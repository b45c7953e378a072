#include "derivatives/parameter_size.h"

#include "equations/error_scales.h"
#include "equations/evaluate.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "model/constants.h"
#include "model/plan.h"
#include "study/point.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A parameter counts as zero below this share of its scale. */
static const double zero_share = 0x1p-20;
/* Change of a parameter, as a share of its scale, that probes its effect; an effect above `large_effect` is too
 * large. */
static const double tried_share = 0x1p-10, large_effect = 0x1p-5;
/* A smaller effect is rounding. */
static const double rounding = 1e-14;
/* Distance from the start at which accelerations are compared, in scales, so that few of them are zero by chance. */
static const double displacement = 0x1p-4;
enum { TRIES_MAX = 16 };

typedef struct probe {
  const mbs_model *model;
  mbs_point_runs *runs;
  mbs_system *system;
  mbs_constants *at, *displaced; /* constants at the point and at a changed value */
  double *values;                /* [vary_count] */
  double *q, *v;                 /* [nq], [nv] a state near the start */
  double *units;                 /* [nq + nv] */
  double *accelerations;         /* [nv] at the point */
  bool moves;                    /* accelerations are compared, too */
  double largest;                /* largest acceleration, in scales */
} probe;

static double acceleration_unit(const probe *self, size_t i) {
  assert(i < self->model->nv);
  return self->units[self->model->nq + i] / self->model->constants->time;
}

/* Computes the accelerations at the state with these constants. Returns false if they are not finite. */
static bool accelerate(probe *self, const mbs_constants *constants) {
  const mbs_model *model = self->model;
  self->system->constants = constants;
  self->system->fault = (mbs_fault){0};
  const double t = model->t_start + 0.381966 * (model->t_end - model->t_start);
  bool finite = mbs_evaluate(self->system, t, self->q, self->v) == MBS_OK;
  for (size_t i = 0; i < model->nv; i++) finite = finite && isfinite(self->system->vdot[i]);
  return finite;
}

static bool open_probe(probe *self, const double *values, mbs_arena *arena) {
  const mbs_model *model = self->model;
  const size_t n = model->state.motion + 1;
  self->runs = mbs_point_runs_new(model, arena);
  self->at = mbs_constants_new(model, arena);
  self->displaced = mbs_constants_new(model, arena);
  self->values = mbs_arena_alloc(arena, model->plan->vary_count, sizeof *self->values);
  self->q = mbs_arena_alloc(arena, n, sizeof *self->q);
  self->v = mbs_arena_alloc(arena, n, sizeof *self->v);
  self->units = mbs_arena_alloc(arena, n, sizeof *self->units);
  self->accelerations = mbs_arena_alloc(arena, n, sizeof *self->accelerations);
  if (!self->runs || !self->at || !self->displaced || !self->values || !self->q || !self->v || !self->units ||
      !self->accelerations)
    return false;
  memcpy(self->values, values, model->plan->vary_count * sizeof *values);
  return true;
}

/* Sets up the state and its accelerations. Returns false if memory runs out. */
static bool open_state(probe *self, mbs_arena *arena) {
  const mbs_model *model = self->model;
  self->system = mbs_system_bound(self->at, arena);
  if (!self->system) return false;
  memcpy(self->q, self->at->q0, model->nq * sizeof *self->q);
  memcpy(self->v, self->at->v0, model->nv * sizeof *self->v);
  mbs_set_position(self->system, model->t_start, self->q);
  mbs_fill_error_scales(self->system, self->q, self->v, self->units);
  for (size_t i = 0; i < model->nq; i++)
    self->q[i] += displacement * self->units[i] * (0.5 + fmod(0.618034 * (double)i, 1));
  for (size_t i = 0; i < model->nv; i++)
    self->v[i] += displacement * self->units[model->nq + i] * (0.5 + fmod(0.754878 * (double)i, 1));
  model->kernels->normalize(model, self->q);
  self->largest = 1;
  self->moves = model->type != MBS_KINEMATICS && accelerate(self, self->at);
  for (size_t i = 0; i < model->nv && self->moves; i++) {
    self->accelerations[i] = self->system->vdot[i];
    self->largest = fmax(self->largest, fabs(self->accelerations[i]) / acceleration_unit(self, i));
  }
  return true;
}

/* Returns the largest relative change of the compared quantities. */
static double response(probe *self) {
  assert(self->displaced->model == self->model);
  const mbs_model *model = self->model;
  const mbs_constants *at = self->at, *displaced = self->displaced;
  double change = 0, mass = 0, moved = 0;
  for (size_t i = 0; i < model->nq; i++) change = fmax(change, fabs(displaced->q0[i] - at->q0[i]) / self->units[i]);
  for (size_t i = 0; i < model->nv; i++)
    change = fmax(change, fabs(displaced->v0[i] - at->v0[i]) / self->units[model->nq + i]);
  for (size_t i = 0; i < model->nP; i++)
    for (int k = 0; k < 3; k++) moved = fmax(moved, fabs(displaced->points[i][k] - at->points[i][k]));
  change = fmax(change, moved / at->extent);
  for (size_t i = 1; i <= model->nB; i++) mass = fmax(mass, at->bodies[i].mass);
  for (size_t i = 1; i <= model->nB && mass > 0; i++)
    change = fmax(change, fabs(displaced->bodies[i].mass - at->bodies[i].mass) / mass);
  if (!self->moves || !accelerate(self, displaced)) return change;
  for (size_t i = 0; i < model->nv; i++)
    change = fmax(change,
                  fabs(self->system->vdot[i] - self->accelerations[i]) / (acceleration_unit(self, i) * self->largest));
  return change;
}

/* Returns the scale of parameter j. Changes p upwards, or downwards if the model rejects larger values. */
static double scale_of(probe *self, size_t j) {
  assert(j < self->model->plan->vary_count);
  const double p = self->values[j];
  double scale = 1;
  for (int k = 0; k < TRIES_MAX; k++) {
    bool bound = false;
    for (int sign = 1; sign >= -1 && !bound; sign -= 2) {
      self->values[j] = p + sign * tried_share * scale;
      bound = self->values[j] != p && mbs_point_bind(self->runs, self->values, self->displaced);
    }
    self->values[j] = p;
    const double change = bound ? response(self) : INFINITY;
    if (change <= rounding) return 1;
    if (change <= large_effect) return scale * tried_share / change;
    scale *= fmax(tried_share / change, tried_share);
  }
  return 1;
}

mbs_status mbs_parameter_sizes(const mbs_model *model, const double *values, double *sizes) {
  assert(model->plan != NULL);
  mbs_arena *arena = mbs_arena_new(model->limits.memory);
  probe self = {.model = model};
  const size_t count = model->plan->vary_count;
  for (size_t j = 0; j < count; j++) sizes[j] = fabs(values[j]);
  bool opened = arena && open_probe(&self, values, arena);
  const bool bound = opened && mbs_point_bind(self.runs, values, self.at);
  opened = opened && (!bound || open_state(&self, arena));
  for (size_t j = 0; opened && j < count; j++) {
    const double scale = bound ? scale_of(&self, j) : 1;
    if (sizes[j] < zero_share * scale) sizes[j] = scale;
  }
  mbs_point_runs_free(self.runs);
  mbs_arena_free(arena);
  return opened ? MBS_OK : MBS_NO_MEMORY;
}
