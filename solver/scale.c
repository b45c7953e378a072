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
