/* Rounding error of a constraint residual. */
#include "equations/residual_rounding.h"

#include "base/norms.h"
#include "kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rounding error of a sum of a few numbers, in units of the last place of the largest. */
static const double ulps = 16;

/* theory (17.5) */
double mbs_residual_rounding(const mbs_system *system) {
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = system->model;
  double direction = model->dim == 3 ? 1 : 0; /* directions have rows, too */
  double largest = fmax(system->radius / system->constants->length, direction);
  for (size_t b = 1; b <= model->nB; b++) {
    /* |r_i| / length */
    double r[3] = {0};
    model->kernels->point(system, (int)b, centre, 0, r);
    largest = fmax(largest, mbs_largest(r, 3) / system->constants->length);
  }
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    if (block->function < 0) continue;
    /* |f| / [Phi] */
    largest = fmax(largest, fabs(system->functions[3 * block->function]) / system->row_units[block->first_row]);
  }
  return isfinite(largest) ? ulps * DBL_EPSILON * largest : 0;
}
