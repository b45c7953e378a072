/* How large a mechanism is. */
#include "builder/extent.h"

#include "base/norms.h"
#include "model/units.h"

#include <math.h>

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

static double diagonal(const box *b) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double side = b->high[k] - b->low[k];
    if (side > 0) sum += side * side;
  }
  return sqrt(sum);
}

/* How far the mass centres, and the points where forces act, are spread at the start. */
static double spread(const mbs_model *model) {
  box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (size_t i = 1; i <= model->nB; i++) enclose(&all, model->bodies[i].initial.r);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_frames *frames = &model->forces[f].frames;
    const double *r1 = model->bodies[frames->body1].initial.r, *r2 = model->bodies[frames->body2].initial.r;
    double end1[3], end2[3];
    for (int k = 0; k < 3; k++) {
      end1[k] = r1[k] + frames->s1[k];
      end2[k] = r2[k] + frames->s2[k];
    }
    enclose(&all, end1);
    enclose(&all, end2);
  }
  return diagonal(&all);
}

/* Largest radius of gyration. */
static double gyration(const mbs_model *model) {
  double largest = 0;
  for (size_t i = 1; i <= model->nB; i++) {
    const mbs_body *body = &model->bodies[i];
    double moment = fmax(body->inertia[0], model->dim == 3 ? fmax(body->inertia[1], body->inertia[2]) : 0);
    if (body->mass > 0) largest = fmax(largest, sqrt(moment / body->mass));
  }
  return largest;
}

/* Where joints have no points: 1 unless everything else is very small or very large. */
static double extent_without_points(const mbs_model *model) {
  double size = spread(model);
  if (!(size > 0 && isfinite(size))) size = gyration(model);
  return size > 0 && isfinite(size) && mbs_length_unit(size) != 1 ? size : 1;
}

bool mbs_measure_extent(mbs_model *model) {
  box *boxes = mbs_arena_alloc(model->arena, model->nB + 1, sizeof *boxes);
  model->radius2 = mbs_arena_alloc(model->arena, model->nB + 1, sizeof *model->radius2);
  if (!boxes || !model->radius2) return false;
  for (int k = 0; k < 3; k++) {
    boxes[0].low[k] = INFINITY;
    boxes[0].high[k] = -INFINITY;
  }
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_frames *frames = &model->joints[j].frames;
    if (mbs_largest(frames->s1, 3) == 0 && mbs_largest(frames->s2, 3) == 0) continue; /* of a gear: no points */
    enclose(&boxes[frames->body1], frames->s1);
    enclose(&boxes[frames->body2], frames->s2);
  }
  double extent = 0;
  for (size_t i = 0; i <= model->nB; i++) {
    double size = diagonal(&boxes[i]);
    model->radius2[i] = size * size;
    extent = fmax(extent, size);
  }
  model->extent = extent > 0 && isfinite(extent) ? extent : extent_without_points(model);
  model->length = mbs_length_unit(model->extent);
  double span = model->t_end - model->t_start;
  model->time = span > 0 ? mbs_time_unit(span, span) : 1;
  return true;
}
