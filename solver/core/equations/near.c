/* A list compares the boxes that contain the surfaces at all positions between the last accepted state and the present
 * one, so that no step passes through thin surfaces unnoticed. Surfaces that were farther apart than `skin` then are
 * apart while
 *
 *     d_a + d_b < skin,   d = distance of r from the covered box + max(arm norm(A - A1) - covered turn, 0)
 *
 * holds for all pairs of bodies, with the position r and axes A of a body, and A1 at that list. During a step lists
 * only grow, so that the samples of a margin agree. theory (7.35) */
#include "equations/near.h"

#include "base/order.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSE = MBS_POSE };

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

/* Returns the distance norm(A - A0) of the axes in two poses. */
static double turn(const double *pose, const double *before) {
  double sum = 0;
  for (int k = 3; k < POSE; k++) sum += (pose[k] - before[k]) * (pose[k] - before[k]);
  return sqrt(sum);
}

/* Returns the largest distance by which a surface has left the places that the last lists cover. */
static double moved(const mbs_system *system) {
  const mbs_near *self = system->near;
  double most = 0, pose[POSE];
  for (size_t b = 1; b <= system->model->nB; b++) {
    if (self->reach[b] == 0) continue;
    const mbs_cover *cover = &self->cover[b];
    double square = 0;
    read_pose(system, (int)b, pose);
    for (int k = 0; k < 3; k++) {
      const double out = fmax(fmax(pose[k] - cover->high[k], cover->low[k] - pose[k]), 0);
      square += out * out;
    }
    most = fmax(most, sqrt(square) + fmax(self->arm[b] * turn(pose, self->poses + b * POSE) - cover->turn, 0));
  }
  return most;
}

/* Finds reach and arm of all bodies, and the skin: half of the smallest reach. */
static void find_reaches(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_near *self = system->near;
  double least = INFINITY;
  memset(self->reach, 0, (model->nB + 1) * sizeof *self->reach);
  memset(self->arm, 0, (model->nB + 1) * sizeof *self->arm);
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    for (size_t k = 0; k < force->body_count && force->contacts > 0; k++) {
      const int body = force->bodies[k];
      double arm = 0;
      const double reach = body == 0 ? 0 : force->cls->surfaces.reach(system, force, k, &arm);
      self->reach[body] = fmax(self->reach[body], reach);
      self->arm[body] = fmax(self->arm[body], arm);
    }
  }
  for (size_t b = 1; b <= model->nB; b++)
    if (self->reach[b] > 0) least = fmin(least, self->reach[b]);
  self->skin = isfinite(least) ? 0.5 * least : 0;
}

/* Stores the poses of the present position, and the places between the last accepted state and it. */
static void cover_places(mbs_system *system) {
  mbs_near *self = system->near;
  for (size_t b = 1; b <= system->model->nB; b++) {
    double *pose = self->poses + b * POSE, before[POSE];
    const double *from = self->accepted + b * POSE;
    mbs_cover *cover = &self->cover[b];
    memcpy(before, self->steps ? from : pose, sizeof before);
    read_pose(system, (int)b, pose);
    cover->turn = (self->steps ? 0 : cover->turn) + self->arm[b] * turn(pose, before);
    for (int k = 0; k < 3; k++) {
      cover->low[k] = fmin(self->steps ? from[k] : cover->low[k], pose[k]);
      cover->high[k] = fmax(self->steps ? from[k] : cover->high[k], pose[k]);
    }
  }
  self->steps = false;
}

/* Makes the list of an element: sorts the points that its class finds, and keeps each once. */
static void make_list(mbs_system *system, const mbs_force *force) {
  mbs_near *self = system->near;
  const size_t f = (size_t)(force - system->model->forces);
  int *list = self->points + self->first[f];
  size_t count = 0;
  const size_t found = force->cls->surfaces.near(system, force, self->skin, self->found);
  qsort(self->found, found, sizeof *self->found, mbs_compare_ints);
  for (size_t i = 0; i < found; i++)
    if (i == 0 || self->found[i] != self->found[i - 1]) list[count++] = self->found[i];
  self->count[f] = count;
}

bool mbs_near_has(const mbs_system *system, const mbs_force *force, size_t k) {
  const int key = (int)k, *list = system->near->points + system->near->first[force - system->model->forces];
  return bsearch(&key, list, mbs_near_count(system, force), sizeof *list, mbs_compare_ints) != NULL;
}

void mbs_near_update(mbs_system *system) {
  mbs_near *self = system->near;
  if (!self || system->fault.status != MBS_OK) return;
  if (self->known && (self->skin == 0 || 2 * moved(system) < self->skin)) return;
  if (!self->known) {
    mbs_near_keep_poses(system);
    find_reaches(system);
  }
  cover_places(system);
  for (size_t f = 0; f < system->model->force_count && self->skin > 0; f++)
    if (system->model->forces[f].contacts > 0) make_list(system, &system->model->forces[f]);
  self->known = true;
  self->lists++;
}

void mbs_near_forget(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_near *self = system->near;
  if (!self) return;
  self->known = false;
  for (size_t f = 0; f < model->force_count; f++) {
    self->count[f] = model->forces[f].contacts;
    for (size_t k = 0; k < self->count[f]; k++) self->points[self->first[f] + k] = (int)k;
  }
}

void mbs_near_keep_poses(mbs_system *system) {
  if (!system->near) return;
  for (size_t b = 1; b <= system->model->nB; b++) read_pose(system, (int)b, system->near->accepted + b * POSE);
  system->near->steps = true;
}

void mbs_near_accepted(mbs_system *system) {
  if (!system->near) return;
  mbs_near_update(system);
  mbs_near_keep_poses(system);
  for (size_t f = 0; f < system->model->force_count; f++) {
    const mbs_force *force = &system->model->forces[f];
    if (force->contacts > 0 && force->cls->surfaces.accepted) force->cls->surfaces.accepted(system, force);
  }
}

/* Returns true if a law reads an output of the element that depends on surfaces that are far. */
static bool is_measured(const mbs_model *model, const mbs_force *force) {
  for (size_t i = 0; i < model->input_count; i++) {
    const int output = model->inputs[i].index - force->first_output;
    if (model->inputs[i].kind == MBS_INPUT_FORCE && output >= 0 && output < force->outputs &&
        (force->cls->surfaces.far_outputs >> output & 1))
      return true;
  }
  return false;
}

bool mbs_near_open(mbs_system *system) {
  const mbs_model *model = system->model;
  size_t points = 0, most_points = 0, most_bodies = 0;
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (force->contacts == 0) continue;
    points += force->contacts;
    if (force->contacts > most_points) most_points = force->contacts;
    if (force->body_count > most_bodies) most_bodies = force->body_count;
  }
  if (points == 0) return true;
  mbs_arena *arena = system->arena;
  const size_t bodies = model->nB + 1;
  mbs_near *self = system->near = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return false;
  *self = (mbs_near){.reach = mbs_arena_alloc(arena, bodies, sizeof(double)),
                     .arm = mbs_arena_alloc(arena, bodies, sizeof(double)),
                     .poses = mbs_arena_alloc(arena, POSE * bodies, sizeof(double)),
                     .accepted = mbs_arena_alloc(arena, POSE * bodies, sizeof(double)),
                     .cover = mbs_arena_alloc(arena, bodies, sizeof *self->cover),
                     .first = mbs_arena_alloc(arena, model->force_count + 1, sizeof *self->first),
                     .count = mbs_arena_alloc(arena, model->force_count, sizeof *self->count),
                     .points = mbs_arena_alloc(arena, points, sizeof *self->points),
                     .found = mbs_arena_alloc(arena, 2 * most_points, sizeof *self->found),
                     .measured = mbs_arena_alloc(arena, model->force_count, sizeof *self->measured),
                     .bounds = mbs_arena_alloc(arena, most_bodies, MBS_BOUNDS)};
  if (!self->reach || !self->arm || !self->poses || !self->accepted || !self->cover || !self->first || !self->count ||
      !self->points || !self->found || !self->measured || !self->bounds)
    return false;
  for (size_t f = 0; f < model->force_count; f++) {
    self->first[f + 1] = self->first[f] + model->forces[f].contacts;
    self->measured[f] = model->forces[f].contacts > 0 && is_measured(model, &model->forces[f]);
  }
  mbs_near_forget(system);
  return true;
}
