/* Directions along several columns of a Jacobian, or one, in which one difference is made. States are measured in their
 * scales, parameters in their sizes. */
#include "derivatives/sensitivity_internal.h"

#include <math.h>
#include <string.h>

/* Distance of the generic states from the state, in scales; and their times, as shares of the motion. */
static const double displacement = 0.5;
static const double generic_times[MBS_QUASI_RANDOM_STATES] = {0.381966, 0.786151};

double mbs_quasi_random(size_t i, int series) {
  /* multiples of these are spread evenly: the golden ratio and its generalizations to two and three dimensions */
  static const double ratios[MBS_QUASI_RANDOM_STATES + 1] = {0.6180339887498949, 0.7548776662466927,
                                                             0.5698402909980532};
  const double x = ratios[series] * (double)(i + 1);
  return x - floor(x) - 0.5;
}

double mbs_tangent_generic_state(const mbs_tangent_work *work, int which, const double *y, double *out) {
  const mbs_model *model = work->self->run->model;
  memcpy(out, y, work->n * sizeof *out);
  for (size_t i = 0; i < model->state.motion; i++)
    out[i] += displacement * work->self->units[i] * mbs_quasi_random(i, which);
  return model->t_start + generic_times[which] * (model->t_end - model->t_start);
}

/* Binds the constants for differences by states alone, the same at all points. Returns false on failure. */
static bool open_point(mbs_tangent_work *work, mbs_arena *arena) {
  static const mbs_parameter_direction none = {0};
  work->point = mbs_constants_new(work->self->run->model, arena);
  work->numbers = mbs_lane_numbers_new(work->lanes, arena);
  if (!work->point || !work->numbers || !work->tangents->bind(work->tangents->user, &none, 0, work->point))
    return false;
  for (int k = 0; k < MBS_FD_POINTS; k++) mbs_lane_numbers_set(work->numbers, work->point, k);
  return true;
}

bool mbs_direction_open(mbs_tangent_work *work, bool by_parameters, mbs_direction *out, mbs_arena *arena) {
  const size_t most = by_parameters ? work->tangents->count : 0;
  *out = (mbs_direction){.s = mbs_arena_alloc(arena, work->n, sizeof *out->s),
                         .of = mbs_arena_alloc(arena, most + 1, sizeof *out->of),
                         .by = mbs_arena_alloc(arena, most + 1, sizeof *out->by)};
  if (!out->s || !out->of || !out->by || (!work->point && !open_point(work, arena))) return false;
  for (int k = 0; k < MBS_FD_POINTS; k++) {
    out->fd.displaced[k] = by_parameters ? mbs_constants_new(work->self->run->model, arena) : work->point;
    if (!out->fd.displaced[k]) return false;
  }
  out->fd.lanes = by_parameters ? mbs_lane_numbers_new(work->lanes, arena) : work->numbers;
  return out->fd.lanes;
}

void mbs_direction_clear(const mbs_tangent_work *work, mbs_direction *out) {
  memset(out->s, 0, work->n * sizeof *out->s);
  out->count = 0;
}

/* Returns true if the column is a state; otherwise sets the tangent of its parameter. */
static bool is_state(const mbs_tangent_work *work, size_t column, size_t *tangent) {
  const size_t states = work->self->run->model->state.motion;
  *tangent = column - states;
  return column < states;
}

double mbs_direction_add(const mbs_tangent_work *work, size_t column, double by, mbs_direction *out) {
  size_t tangent;
  if (is_state(work, column, &tangent)) return out->s[column] = by * work->self->units[column];
  out->of[out->count] = tangent;
  return out->by[out->count++] = by * work->tangents->of[tangent].size;
}

void mbs_direction_mark_nan(const mbs_tangent_work *work, size_t column, const double *y, mbs_direction *along,
                            double *out) {
  size_t tangent;
  memcpy(out, y, work->n * sizeof *y);
  memset(along->s, 0, work->n * sizeof *along->s);
  if (is_state(work, column, &tangent))
    out[column] = NAN;
  else
    mbs_lane_numbers_mark_nan(along->fd.lanes, work->self->run->model);
}

void mbs_direction_begin(mbs_direction *out, double share) {
  const mbs_parameter_direction direction = {out->count, out->of, out->by};
  mbs_fd_step_init(&out->fd, &direction, out->count ? 1 : INFINITY, share);
}
