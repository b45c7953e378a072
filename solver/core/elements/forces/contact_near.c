/* Which points of a contact are near, and the distance of its nearest surfaces: sort and sweep along x over the boxes
 * that contain the shapes. theory (7.35) */
#include "elements/forces/contact.h"
#include "elements/forces/contact_rims.h"
#include "equations/near.h"

#include <math.h>
#include <stdlib.h>

/* The box that contains a shape. */
typedef struct bounds {
  double low[3], high[3];
  int shape;
} bounds;
_Static_assert(sizeof(bounds) <= MBS_BOUNDS, "workspace of mbs_near");

static int compare_lows(const void *a, const void *b) {
  const bounds *x = a, *y = b;
  return (x->low[0] > y->low[0]) - (x->low[0] < y->low[0]);
}

/* Computes the boxes of all shapes at the present position. Returns the workspace that has them. */
static bounds *find_bounds(const mbs_system *system, const mbs_force *force) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  const mbs_contact_points *self = force->structure;
  bounds *all = system->near->bounds;
  for (size_t k = 0; k < self->shape_count; k++) {
    all[k].shape = (int)k;
    mbs_contact_bounds(system, force->bodies[k], &data->shapes[k], all[k].low, all[k].high);
  }
  return all;
}

/* Returns the largest distance of two boxes along an axis; negative if they overlap. */
static double distance_of(const bounds *a, const bounds *b) {
  double distance = -INFINITY;
  for (int c = 0; c < 3; c++) distance = fmax(distance, fmax(a->low[c] - b->high[c], b->low[c] - a->high[c]));
  return distance;
}

/* Returns the points of two shapes, from range[0] up to range[1]. */
static const int *points_of(const mbs_contact_points *self, const bounds *one, const bounds *two) {
  const int a = one->shape < two->shape ? one->shape : two->shape, b = one->shape + two->shape - a;
  return self->pair0 + b * (b - 1) / 2 + a;
}

/* Adds the points in contact that are in the list. They remain near at any state at which an integrator tries their
 * forces. */
static size_t add_touching(const mbs_system *system, const mbs_force *force, int *out) {
  size_t count = 0;
  for (size_t n = 0; n < mbs_near_count(system, force) && force->points > 0 && system->settled; n++) {
    const size_t k = mbs_near_point(system, force, n);
    if (mbs_contact_is_touching(system, force, k)) out[count++] = (int)k;
  }
  return count;
}

/* The bounds of two shapes during the step must be nearer than `skin` along each axis. */
size_t mbs_contact_near(const mbs_system *system, const mbs_force *force, double skin, int *out) {
  const mbs_contact_points *self = force->structure;
  bounds *all = find_bounds(system, force);
  size_t count = add_touching(system, force, out);
  for (size_t k = 0; k < self->shape_count; k++) {
    const mbs_cover *cover = &system->near->cover[force->bodies[k]];
    const double *at = system->near->poses + MBS_POSE * force->bodies[k];
    for (int c = 0; c < 3; c++) {
      all[k].low[c] -= at[c] - cover->low[c] + cover->turn;
      all[k].high[c] += cover->high[c] - at[c] + cover->turn;
    }
  }
  qsort(all, self->shape_count, sizeof *all, compare_lows);
  for (size_t i = 0; i < self->shape_count; i++)
    for (size_t k = i + 1; k < self->shape_count && all[k].low[0] <= all[i].high[0] + skin; k++) {
      if (distance_of(&all[i], &all[k]) > skin) continue;
      const int *range = points_of(self, &all[i], &all[k]);
      for (int point = range[0]; point < range[1]; point++) out[count++] = point;
    }
  return count;
}

double mbs_contact_body_reach(const mbs_system *system, const mbs_force *force, size_t k, double *arm) {
  const mbs_contact_data *data = mbs_force_data(system, force);
  return mbs_contact_reach(&data->shapes[k], arm);
}

/* Returns true if no two shapes are nearer than their boxes: all but discs and balls are on one body. The distance of
 * corners is along the normal of a face, which may be less than that of the boxes. */
static bool are_bounded(const mbs_force *force) {
  const mbs_contact_points *self = force->structure;
  int body = -1;
  for (size_t k = 0; k < self->shape_count; k++) {
    if (self->shapes[k].kind == MBS_CONTACT_DISC) continue;
    if (body >= 0 && force->bodies[k] != body) return false;
    body = force->bodies[k];
  }
  return true;
}

/* Sweeps as for near points, with the smallest distance so far as skin. */
static double nearest_room(const mbs_system *system, const mbs_force *force) {
  const mbs_contact_points *self = force->structure;
  const bool bounded = are_bounded(force);
  bounds *all = find_bounds(system, force);
  double nearest = INFINITY;
  qsort(all, self->shape_count, sizeof *all, compare_lows);
  for (size_t i = 0; i < self->shape_count; i++)
    for (size_t k = i + 1; k < self->shape_count; k++) {
      if (bounded && all[k].low[0] - all[i].high[0] > nearest) break;
      if (bounded && distance_of(&all[i], &all[k]) > nearest) continue;
      const int *range = points_of(self, &all[i], &all[k]);
      for (int point = range[0]; point < range[1]; point++)
        nearest = fmin(nearest, mbs_contact_compliant_place(system, force, (size_t)point).room);
    }
  return nearest;
}

void mbs_contact_measure(mbs_system *system, const mbs_force *force) {
  double *out = system->outputs + force->first_output;
  if (force->points == 0) return; /* rigid: its touches do */
  out[MBS_CONTACT_GAP] = nearest_room(system, force);
  out[MBS_CONTACT_PENETRATION] = fmax(-out[MBS_CONTACT_GAP], 0);
}
