/* The size of a mechanism. */
#include "builder/extent.h"

#include "base/norms.h"
#include "model/units.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The box around a body's points that joints use, and its mass centre; for the ground only its points. */
typedef struct box {
  double low[3], high[3];
} box;

static void enclose(box *b, const double s[3]) {
  for (int k = 0; k < 3; k++) {
    b->low[k] = fmin(b->low[k], s[k]);
    b->high[k] = fmax(b->high[k], s[k]);
  }
}

static double diagonal(const box *b) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double side = b->high[k] - b->low[k];
    if (side > 0) sum += side * side;
  }
  return sqrt(sum);
}

/* Returns the extent of the mass centres, and of the points where forces act, at the start. */
static double spread(const mbs_constants *constants) {
  const mbs_model *model = constants->model;
  box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t i = 1; i <= model->nB; i++) enclose(&all, constants->bodies[i].initial.r);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_frames *frames = &model->forces[f].frames;
    const double *r1 = constants->bodies[frames->body1].initial.r, *r2 = constants->bodies[frames->body2].initial.r;
    const mbs_geometry *at = &constants->forces[f].geometry;
    double end1[3], end2[3];
    for (int k = 0; k < 3; k++) {
      end1[k] = r1[k] + at->s1[k];
      end2[k] = r2[k] + at->s2[k];
    }
    enclose(&all, end1);
    enclose(&all, end2);
  }
  return diagonal(&all);
}

/* Returns the largest radius of gyration. */
static double gyration(const mbs_constants *constants) {
  const mbs_model *model = constants->model;
  double largest = 0;
  for (size_t i = 1; i <= model->nB; i++) {
    const mbs_body_constants *body = &constants->bodies[i];
    double moment = fmax(body->inertia[0], model->dim == 3 ? fmax(body->inertia[1], body->inertia[2]) : 0);
    if (body->mass > 0) largest = fmax(largest, sqrt(moment / body->mass));
  }
  return largest;
}

/* Returns the extent if joints have no points: 1 unless everything else is very small or very large. */
static double extent_without_points(const mbs_constants *constants) {
  double size = spread(constants);
  if (!(size > 0 && isfinite(size))) size = gyration(constants);
  return size > 0 && isfinite(size) && mbs_length_unit(size) != 1 ? size : 1;
}

/* theory (17.1) */
void mbs_measure_extent(mbs_constants *constants) {
  const mbs_model *model = constants->model;
  box *boxes = (box *)constants->boxes;
  memset(boxes, 0, (model->nB + 1) * sizeof *boxes);
  for (int k = 0; k < 3; k++) {
    boxes[0].low[k] = INFINITY;
    boxes[0].high[k] = -INFINITY;
  }
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_frames *frames = &model->joints[j].frames;
    const mbs_geometry *at = &constants->joints[j].geometry;
    if (mbs_largest(at->s1, 3) == 0 && mbs_largest(at->s2, 3) == 0) continue; /* a gear without points */
    enclose(&boxes[frames->body1], at->s1);
    enclose(&boxes[frames->body2], at->s2);
  }
  double extent = 0;
  for (size_t i = 0; i <= model->nB; i++) {
    double size = diagonal(&boxes[i]);
    constants->radius2[i] = size * size;
    extent = fmax(extent, size);
  }
  constants->extent = extent > 0 && isfinite(extent) ? extent : extent_without_points(constants);
  constants->length = mbs_length_unit(constants->extent);
  assert(constants->extent > 0 && constants->length > 0);
  double span = model->t_end - model->t_start;
  constants->time = span > 0 ? mbs_time_unit(span, span) : 1;
}
