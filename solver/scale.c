/* How large a mechanism is, and what that leaves of a residual. */
#include "space.h"

#include <float.h>
#include <math.h>

/* Of a sum of a few numbers, in units of the last place of the largest. */
static const double ulps = 16;

/* The box that holds a body's points that joints use, and its mass centre; of the ground its points alone, wherever
 * they are. */
typedef struct box {
  double low[3], high[3];
} box;

static void enclose(box *b, const double s[3]) {
  for (int k = 0; k < 3; k++) {
    b->low[k] = fmin(b->low[k], s[k]);
    b->high[k] = fmax(b->high[k], s[k]);
  }
}

bool mbs_measure_extent(mbs_model *model) {
  box *boxes = mbs_arena_alloc(model->arena, model->nB + 1, sizeof *boxes);
  if (!boxes) return false;
  for (int k = 0; k < 3; k++) {
    boxes[0].low[k] = INFINITY;
    boxes[0].high[k] = -INFINITY;
  }
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_sides *sides = &model->joints[j].sides;
    if (mbs_largest(sides->s1, 3) == 0 && mbs_largest(sides->s2, 3) == 0) continue; /* of a gear: no points */
    enclose(&boxes[sides->body1], sides->s1);
    enclose(&boxes[sides->body2], sides->s2);
  }
  double extent = 0;
  for (size_t i = 0; i <= model->nB; i++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
      double side = boxes[i].high[k] - boxes[i].low[k];
      if (side > 0) sum += side * side;
    }
    extent = fmax(extent, sqrt(sum));
  }
  model->extent = extent > 0 && isfinite(extent) ? extent : 1;
  return true;
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
  double extent = model->extent;
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
