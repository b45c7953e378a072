/* Scales of a run: of rows of expressions, of quantities of order 1, of errors. */
#include "equations/error_scales.h"

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "model/units.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* theory (17.4) */
void mbs_measure_row_units(mbs_system *system, double t, const double *q) {
  const mbs_model *model = system->model;
  if (system->constants->length == 1) return;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_C);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    if (block->primitive != MBS_PRIMITIVE_CUSTOM || block->row->length) continue;
    const int *pattern = model->pattern + block->pattern0;
    /* [Phi_r] = max over k of |C_rk| [v_k] */
    double largest = 0;
    for (int c = 0; c < block->columns; c++)
      largest = fmax(largest, fabs(system->C[block->value0 + c]) * system->v_units[pattern[c]]);
    if (largest > 0 && isfinite(largest)) system->row_units[block->first_row] = largest;
  }
}

/* theory (17.15) */
double mbs_speed_floor(const mbs_system *system, const double *v) {
  double floor = 1 / system->constants->time;
  return floor < 1 ? fmax(floor, fmin(1, mbs_largest_in_units(v, system->v_units, system->model->nv))) : floor;
}

static bool is_turn(const mbs_model *model, size_t velocity) {
  assert(velocity < model->nv);
  int body = model->velocity_body[velocity];
  return (int)velocity >= model->first_v[body] + mbs_slide_count(model, body);
}

/* Estimates the time in which the fastest slide (or rotation) moves by one scale, from the current (v, v'). */
static double time_of_motion(const mbs_system *system, const double *v, bool turns) {
  const mbs_model *model = system->model;
  double shortest = INFINITY;
  for (size_t k = 0; k < model->nv; k++) {
    if (is_turn(model, k) != turns) continue;
    /* [v] / |v|, sqrt([v] / |v'|) */
    double unit = system->v_units[k];
    if (v[k] != 0) shortest = fmin(shortest, unit / fabs(v[k]));
    if (system->vdot[k] != 0) shortest = fmin(shortest, sqrt(unit / fabs(system->vdot[k])));
  }
  return shortest;
}

/* Returns the time scale of slides (or rotations). If one of the two times is ordinary, errors have the ordinary
 * scale. */
static double error_time(const mbs_system *system, const double *v, bool turns) {
  double span = system->model->t_end - system->model->t_start, motion = time_of_motion(system, v, turns);
  return mbs_time_unit(fmin(span, motion), fmax(span, motion));
}

/* theory (17.6) */
void mbs_fill_error_scales(mbs_system *system, const double *q, const double *v, double *units) {
  assert(system->model->state.motion == system->model->nq + system->model->nv + system->model->nz);
  const mbs_model *model = system->model;
  double slides = 1, turns = 1;
  uint64_t evaluations = system->evaluations;
  if (system->constants->time != 1 && mbs_evaluate(system, model->t_start, q, v) == MBS_OK) {
    slides = error_time(system, v, false);
    turns = error_time(system, v, true);
  }
  system->evaluations = evaluations; /* this evaluation is not part of the method's work */
  /* [q], [v] / T; states of elements have scale 1 */
  memcpy(units, system->q_units, model->nq * sizeof *units);
  for (size_t k = 0; k < model->nv; k++) {
    units[model->state.v + k] = system->v_units[k] / (is_turn(model, k) ? turns : slides);
  }
  for (size_t k = 0; k < model->nz; k++) units[model->state.z + k] = 1;
}

void mbs_scales(const mbs_system *system, double *velocities, double *rows) {
  mbs_fill_units(system->model, system->constants->extent, NULL, velocities, rows);
}
