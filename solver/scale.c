/* How large a mechanism is, and what that leaves of a residual. */
#include "space.h"

#include <float.h>
#include <math.h>

/* Of a sum of a few numbers, in units of the last place of the largest. */
static const double ulps = 16;

double mbs_extent(const mbs_system *system) {
  const mbs_model *model = system->model;
  double low[3] = {0}, high[3] = {0}, square = 0;
  for (size_t p = 0; p < model->nP + model->nB; p++) { /* points, and the mass centres */
    static const double centre[3] = {0, 0, 0};
    double r[3] = {0};
    if (p < model->nP)
      model->space->point(system, model->points[p].body, model->points[p].s, 0, r);
    else
      model->space->point(system, (int)(p - model->nP) + 1, centre, 0, r);
    for (int k = 0; k < 3; k++) {
      low[k] = p ? fmin(low[k], r[k]) : r[k];
      high[k] = p ? fmax(high[k], r[k]) : r[k];
    }
  }
  for (int k = 0; k < 3; k++) square += (high[k] - low[k]) * (high[k] - low[k]);
  return square > 0 && isfinite(square) ? sqrt(square) : 1;
}

int mbs_slide_count(const mbs_model *model, int body) {
  int carrier = model->tree_joint[body], count = 0;
  if (carrier < 0) return model->dim;
  const mbs_joint_shape *shape = model->joints[carrier].shape;
  for (size_t k = 0; k < shape->coordinate_count; k++) count += !mbs_is_turn(shape->coordinates[k].measure);
  return count;
}

void mbs_units(const mbs_system *system, double *velocities, double *rows) {
  const mbs_model *model = system->model;
  double extent = mbs_extent(system);
  for (int body = 1; body <= (int)model->nB; body++) {
    int slides = mbs_slide_count(model, body);
    for (int k = model->first_v[body]; k < model->first_v[body + 1]; k++)
      velocities[k] = k < model->first_v[body] + slides ? extent : 1;
  }
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    bool is_length = block->measure == MBS_MEASURE_POINT || block->measure == MBS_MEASURE_NORMAL ||
                     block->measure == MBS_MEASURE_DISTANCE || block->measure == MBS_MEASURE_ALONG;
    bool unknown = block->measure == MBS_MEASURE_OWN;
    for (int r = 0; r < block->rows; r++)
      rows[block->first_row + r] = is_length ? extent : unknown ? fmin(1, extent) : 1;
  }
}

double mbs_rounding(const mbs_system *system) {
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = system->model;
  double largest = system->reach;
  for (size_t b = 1; b <= model->nB; b++) {
    double r[3] = {0};
    model->space->point(system, (int)b, centre, 0, r);
    largest = fmax(largest, mbs_largest(r, 3));
  }
  for (size_t f = 0; f < model->function_count; f++) largest = fmax(largest, fabs(system->functions[3 * f]));
  return isfinite(largest) ? ulps * DBL_EPSILON * largest : 0;
}
