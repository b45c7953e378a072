/* Broad phase: the list of touches whose surfaces may meet. A list compares the boxes that contain the surfaces both at
 * the last accepted state and at the present one, so that no step passes through thin surfaces unnoticed. Surfaces
 * that were farther apart than `skin` at the last list are apart while
 *
 *     d_a + d_b < skin,   d = norm(r - r0) + reach norm(A - A0)
 *
 * holds for all pairs of bodies, with the position r and axes A of a body and r0, A0 at that list. theory (7.35) */
#include "equations/touches.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

enum { POSE = 12 };

static void read_pose(const mbs_system *system, int body, double out[POSE]) {
  mbs_rigid_motion motion;
  system->kernels->motion(system, body, &motion);
  memcpy(out, motion.r, 3 * sizeof *out);
  memset(out + 3, 0, 9 * sizeof *out);
  for (int k = 0; k < system->model->dim; k++) {
    const double axis[3] = {k == 0, k == 1, k == 2};
    system->kernels->to_global(system, body, axis, out + 3 + 3 * k);
  }
}

/* Returns the largest distance by which a surface has moved since the last list. */
static double moved(const mbs_system *system) {
  const mbs_touches *self = system->touches;
  double most = 0, pose[POSE];
  for (size_t b = 1; b <= system->model->nB; b++) {
    if (self->reach[b] == 0) continue;
    const double *before = self->poses + b * POSE;
    double r = 0, A = 0;
    read_pose(system, (int)b, pose);
    for (int k = 0; k < 3; k++) r += (pose[k] - before[k]) * (pose[k] - before[k]);
    for (int k = 3; k < POSE; k++) A += (pose[k] - before[k]) * (pose[k] - before[k]);
    most = fmax(most, sqrt(r) + self->reach[b] * sqrt(A));
  }
  return most;
}

/* Finds the reach of all bodies, and the skin: half of the smallest one. */
static void find_reaches(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  double least = INFINITY;
  memset(self->reach, 0, (model->nB + 1) * sizeof *self->reach);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (force->touch0 < 0 || !model->touches[force->touch0].cls->reach) continue;
    const mbs_touch *first = &model->touches[force->touch0];
    for (size_t k = 0; k < force->body_count; k++) {
      double *reach = &self->reach[force->bodies[k]];
      *reach = fmax(*reach, force->bodies[k] == 0 ? 0 : first->cls->reach(system, first, k));
    }
  }
  for (size_t b = 1; b <= model->nB; b++)
    if (self->reach[b] > 0) least = fmin(least, self->reach[b]);
  self->skin = isfinite(least) ? 0.5 * least : 0;
}

void mbs_touches_keep_poses(mbs_system *system) {
  for (size_t b = 1; b <= system->model->nB; b++) read_pose(system, (int)b, system->touches->accepted + b * POSE);
}

static bool has_side(const mbs_system *system, const mbs_touch *touch) {
  return touch->cls->sided && touch->cls->sided(system, touch);
}

static void find_sided(mbs_system *system) {
  mbs_touches *self = system->touches;
  self->sided_count = 0;
  for (size_t i = 0; i < system->model->touch_count; i++) {
    const mbs_touch *touch = &system->model->touches[i];
    if (!has_side(system, touch)) continue;
    self->sided[self->sided_count++] = (int)i;
    if (!self->at[i].closed) mbs_touch_look(system, touch);
  }
}

void mbs_touches_find_near(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  if (system->fault.status != MBS_OK) return;
  if (self->known && (self->skin == 0 || 2 * moved(system) < self->skin)) return;
  if (!self->known) {
    mbs_touches_keep_poses(system);
    find_reaches(system);
    find_sided(system);
  }
  for (size_t b = 1; b <= model->nB; b++) {
    double *pose = self->poses + b * POSE, *travel = self->travel + 4 * b, A = 0;
    const double *from = self->accepted + b * POSE;
    read_pose(system, (int)b, pose);
    for (int k = 0; k < 3; k++) travel[k] = pose[k] - from[k];
    for (int k = 3; k < POSE; k++) A += (pose[k] - from[k]) * (pose[k] - from[k]);
    travel[3] = self->reach[b] * sqrt(A);
  }
  memcpy(self->was_near, self->is_near, model->touch_count);
  for (size_t k = 0; k < self->near_count; k++) self->is_near[self->near[k]] = false;
  self->near_count = 0;
  for (size_t i = 0; i < model->touch_count;) {
    const mbs_touch *first = &model->touches[i];
    size_t end = i + 1;
    while (end < model->touch_count && model->touches[end].force == first->force) end++;
    if (first->cls->near && self->skin > 0)
      self->near_count += first->cls->near(system, first, self->skin, self->near + self->near_count);
    else
      for (size_t k = i; k < end; k++) self->near[self->near_count++] = (int)k;
    i = end;
  }
  /* touches without memory of a side look at the surfaces that have come near */
  for (size_t k = 0; k < self->near_count; k++) {
    const int i = self->near[k];
    if (!self->was_near[i] && !self->at[i].closed && !has_side(system, &model->touches[i]))
      mbs_touch_look(system, &model->touches[i]);
    self->is_near[i] = true;
  }
  self->known = true;
}
