/* A rim with the centre c, the unit axis a, and the radius R, above a plane through o with the normal n:
 *
 *     w = (n x a) x a,   u = w / norm(w),   lowest point c + R u,   gap n.(c + R u - o)
 *
 * R norm(w) is the height by which the rim is tilted. theory (7.32) */
#include "elements/forces/contact_rims.h"

#include "base/rotation.h"

#include <float.h>
#include <math.h>

/* A rim that is tilted by less than this keeps its lowest point in the half where it was at the last accepted state: a
 * rim that comes flat goes on smoothly, until its other half touches. Chosen: a tilted rim may roll by more than half a
 * turn in a step, one that is nearly flat does not. */
static const double nearly_flat = 0.1;
/* Angles in a turn, by which the lowest point is remembered. */
enum { ANGLES = 1 << 20 };
/* Fixed points replace the lowest one of a rim that is tilted by less than this share of the tolerance. Chosen: so both
 * count in between. */
static const double flat_share = 0.1;

/* An angle as a number, from 1 on. */
static double angle_of(int side) { return mbs_full_turn * side / ANGLES; }
static int side_of(double phi) { return ANGLES + (int)lround(remainder(phi, mbs_full_turn) / mbs_full_turn * ANGLES); }

/* Computes the unit axis of a cylinder or capsule, or a unit vector across it, in body axes. */
static void axis_of(const mbs_contact_shape *cylinder, double axis[3], double across[3]) {
  double length = 0;
  int least = 0;
  for (int k = 0; k < 3; k++) {
    axis[k] = cylinder->ends[1][k] - cylinder->ends[0][k];
    length += axis[k] * axis[k];
  }
  for (int k = 0; k < 3; k++) {
    axis[k] /= sqrt(length);
    if (fabs(axis[k]) < fabs(axis[least])) least = k;
  }
  const double other[3] = {least == 0, least == 1, least == 2};
  mbs_cross(axis, other, across);
  length = sqrt(mbs_dot(across, across));
  for (int k = 0; k < 3; k++) across[k] /= length;
}

/* Returns a cos(angle) + b sin(angle). */
static mbs_moving turned(const mbs_moving *a, const mbs_moving *b, double angle) {
  mbs_moving out;
  const double c = cos(angle), s = sin(angle);
  for (int k = 0; k < 3; k++) {
    out.at[k] = c * a->at[k] + s * b->at[k];
    out.rate[k] = c * a->rate[k] + s * b->rate[k];
  }
  return out;
}

/* A rim relative to a plane. */
typedef struct rim {
  mbs_moving axis;
  mbs_moving first, second; /* directions across the axis, from which angles of fixed points count */
  mbs_moving w;             /* towards the lowest point */
  double tilt;              /* its length */
} rim;

static rim rim_of(const mbs_system *system, int body, const mbs_contact_shape *plane, int round_body,
                  const mbs_contact_shape *cylinder) {
  double own[3], beside[3];
  axis_of(cylinder, own, beside);
  const mbs_moving n = mbs_moving_vector(system, body, plane->normal);
  rim self = {.axis = mbs_moving_vector(system, round_body, own),
              .first = mbs_moving_vector(system, round_body, beside)};
  const mbs_moving across = mbs_moving_cross(&n, &self.axis);
  self.second = mbs_moving_cross(&self.axis, &self.first);
  self.w = mbs_moving_cross(&across, &self.axis);
  self.tilt = sqrt(mbs_dot(self.w.at, self.w.at));
  return self;
}

/* Returns the direction towards the lowest point; `side` is that of the last accepted state. */
static mbs_moving lowest_of(const rim *self, int side) {
  if (!(self->tilt > 0)) return self->first;
  mbs_moving u = mbs_moving_unit(&self->w, NULL);
  if (side == 0 || self->tilt > nearly_flat) return u;
  const mbs_moving before = turned(&self->first, &self->second, angle_of(side));
  const double sign = mbs_dot(before.at, u.at) < 0 ? -1 : 1;
  for (int k = 0; k < 3; k++) {
    u.at[k] *= sign;
    u.rate[k] *= sign;
  }
  return u;
}

/* Returns the direction across the axis towards a point. */
static mbs_moving direction_of(const rim *self, int kind, int side) {
  if (kind >= MBS_RIM_FIXED && kind < MBS_RIM_COMPLIANT)
    return turned(&self->first, &self->second, mbs_full_turn / 8 * (kind - MBS_RIM_FIXED));
  const mbs_moving u = lowest_of(self, side);
  if (kind == MBS_RIM_LOWEST) return u;
  const mbs_moving across = mbs_moving_cross(&self->axis, &u);
  return turned(&u, &across, mbs_full_turn / 3 * (kind - MBS_RIM_COMPLIANT));
}

mbs_contact_place mbs_contact_rim_at(const mbs_system *system, int body, const mbs_contact_shape *plane, int round_body,
                                     const mbs_contact_shape *cylinder, int number, int side) {
  const rim self = rim_of(system, body, plane, round_body, cylinder);
  const mbs_moving u = direction_of(&self, number / 2, side);
  const mbs_moving c = mbs_moving_point(system, round_body, cylinder->ends[number % 2]);
  const mbs_moving o = mbs_moving_point(system, body, plane->at);
  mbs_contact_place out = {.n = mbs_moving_vector(system, body, plane->normal)};
  for (int k = 0; k < 3; k++) {
    out.p.at[k] = c.at[k] + cylinder->radius * u.at[k];
    out.p.rate[k] = c.rate[k] + cylinder->radius * u.rate[k];
    out.room += out.n.at[k] * (out.p.at[k] - o.at[k]);
  }
  return out;
}

int mbs_contact_rim_side(const mbs_system *system, int body, const mbs_contact_shape *plane, int round_body,
                         const mbs_contact_shape *cylinder, int number) {
  if (number / 2 >= MBS_RIM_COMPLIANT) return 0;
  const rim self = rim_of(system, body, plane, round_body, cylinder);
  if (number / 2 == MBS_RIM_LOWEST)
    return side_of(atan2(mbs_dot(self.w.at, self.second.at), mbs_dot(self.w.at, self.first.at)));
  const mbs_moving u = direction_of(&self, number / 2, 0);
  const bool flat = cylinder->radius * self.tilt <= mbs_contact_on_line * system->constants->extent;
  return flat || mbs_dot(u.at, self.w.at) < 0 ? 1 : 2;
}

double mbs_contact_rim_beside(const mbs_system *system, int body, const mbs_contact_shape *plane, int round_body,
                              const mbs_contact_shape *cylinder, int number, int side, bool closed) {
  if (number / 2 >= MBS_RIM_COMPLIANT) return -INFINITY;
  const double height = cylinder->radius * rim_of(system, body, plane, round_body, cylinder).tilt;
  const double slack = mbs_contact_on_line * system->constants->extent;
  if (number / 2 == MBS_RIM_LOWEST) return flat_share * slack - height;
  return closed || side == 2 ? height - 2 * slack : -INFINITY;
}

/* ---- axes of capsules ---------------------------------------------------------------------------------------- */

/* A rim c + R u(phi), u = cos(phi) first + sin(phi) second, and an axis m + s e with -h <= s <= h. */
typedef struct rim_and_axis {
  mbs_moving c, first, second, m, e;
  double radius, half, thickness;
} rim_and_axis;

static rim_and_axis open_pair(const mbs_contact_pair *pair, int number) {
  const mbs_contact_shape *cylinder = pair->target, *capsule = pair->round;
  double own[3], beside[3], middle[3], direction[3];
  axis_of(cylinder, own, beside);
  rim_and_axis self = {.radius = cylinder->radius, .thickness = capsule->radius};
  const mbs_moving a = mbs_moving_vector(pair->system, pair->body, own);
  self.c = mbs_moving_point(pair->system, pair->body, cylinder->ends[(number - MBS_CONTACT_RIMS) / 2]);
  self.first = mbs_moving_vector(pair->system, pair->body, beside);
  self.second = mbs_moving_cross(&a, &self.first);
  axis_of(capsule, direction, beside);
  for (int k = 0; k < 3; k++) {
    middle[k] = 0.5 * (capsule->ends[0][k] + capsule->ends[1][k]);
    self.half += 0.5 * direction[k] * (capsule->ends[1][k] - capsule->ends[0][k]);
  }
  self.m = mbs_moving_point(pair->system, pair->round_body, middle);
  self.e = mbs_moving_vector(pair->system, pair->round_body, direction);
  return self;
}

/* Returns half of the square of the distance of a place of the rim from the line of the axis; sets its derivatives in
 * phi, and s. */
static double distance_at(const rim_and_axis *self, double phi, double *slope, double *curvature, double *s) {
  double d[3], t[3], across[3];
  for (int k = 0; k < 3; k++) {
    const double u = cos(phi) * self->first.at[k] + sin(phi) * self->second.at[k];
    t[k] = cos(phi) * self->second.at[k] - sin(phi) * self->first.at[k];
    d[k] = self->c.at[k] + self->radius * u - self->m.at[k];
    across[k] = -u;
  }
  const double along = mbs_dot(d, self->e.at), te = mbs_dot(t, self->e.at);
  *s = along;
  for (int k = 0; k < 3; k++) d[k] -= along * self->e.at[k];
  *slope = self->radius * mbs_dot(d, t);
  *curvature = self->radius * (self->radius * (1 - te * te) + mbs_dot(d, across));
  return 0.5 * mbs_dot(d, d);
}

/* Follows the distance to its minimum. */
static double find_minimum(const rim_and_axis *self, double phi) {
  enum { STEPS = 50 };
  double slope, curvature, s;
  for (int k = 0; k < STEPS; k++) {
    (void)distance_at(self, phi, &slope, &curvature, &s);
    const double longest = mbs_full_turn / 32, step = curvature > 0 ? -slope / curvature
                                                      : slope > 0   ? -longest
                                                                    : longest;
    phi += fmin(fmax(step, -longest), longest);
    if (fabs(step) <= 4 * DBL_EPSILON * fmax(fabs(phi), 1)) break;
  }
  return phi;
}

int mbs_contact_rim_choose(const mbs_contact_pair *pair, int number, int held, int other) {
  enum { SAMPLES = 64 };
  const rim_and_axis self = open_pair(pair, number);
  double values[SAMPLES], minima[2] = {0, 0}, distances[2] = {INFINITY, INFINITY}, slope, curvature, s;
  if (held > 0) return side_of(find_minimum(&self, angle_of(held)));
  for (int i = 0; i < SAMPLES; i++) values[i] = distance_at(&self, mbs_full_turn * i / SAMPLES, &slope, &curvature, &s);
  for (int i = 0; i < SAMPLES; i++) {
    if (!(values[i] < values[(i + 1) % SAMPLES] && values[i] <= values[(i + SAMPLES - 1) % SAMPLES])) continue;
    const double phi = find_minimum(&self, mbs_full_turn * i / SAMPLES);
    const double distance = distance_at(&self, phi, &slope, &curvature, &s);
    /* the distance has at most two minima */
    const int at = distance < distances[0] ? 0 : 1;
    if (at == 0) {
      minima[1] = minima[0];
      distances[1] = distances[0];
    }
    minima[at] = phi;
    distances[at] = distance;
  }
  int chosen = (number - MBS_CONTACT_RIMS) % 2;
  if (other > 0) chosen = cos(minima[0] - angle_of(other)) < cos(minima[1] - angle_of(other)) ? 0 : 1;
  if (other > 0 && !isfinite(distances[1])) return -1;
  return isfinite(distances[chosen]) ? side_of(minima[chosen]) : -1;
}

double mbs_contact_rim_axis_beside(const mbs_contact_pair *pair, int number, int side) {
  double slope, curvature, s;
  if (side < 0) return pair->system->constants->extent;
  const rim_and_axis self = open_pair(pair, number);
  (void)distance_at(&self, find_minimum(&self, angle_of(side)), &slope, &curvature, &s);
  return fabs(s) - self.half + mbs_contact_on_line * self.half;
}

/* d = m + s e - c - R u, d.e = d.t = 0, t = du/dphi; the rates of s and phi follow from both conditions.
 * theory (7.34) */
mbs_contact_place mbs_contact_rim_axis_at(const mbs_contact_pair *pair, int number, int side) {
  double slope, curvature, s, length;
  if (side < 0) return (mbs_contact_place){.room = pair->system->constants->extent};
  const rim_and_axis self = open_pair(pair, number);
  const double phi = find_minimum(&self, angle_of(side)), R = self.radius;
  (void)distance_at(&self, phi, &slope, &curvature, &s);
  const mbs_moving u = turned(&self.first, &self.second, phi);
  mbs_moving d, t;
  for (int k = 0; k < 3; k++) {
    t.at[k] = cos(phi) * self.second.at[k] - sin(phi) * self.first.at[k];
    t.rate[k] = cos(phi) * self.second.rate[k] - sin(phi) * self.first.rate[k];
    d.at[k] = self.m.at[k] + s * self.e.at[k] - self.c.at[k] - R * u.at[k];
    d.rate[k] = self.m.rate[k] + s * self.e.rate[k] - self.c.rate[k] - R * u.rate[k];
  }
  /* s' - R t.e phi' = f,   t.e s' - (R + d.u) phi' = g */
  const double te = mbs_dot(t.at, self.e.at), f = -mbs_dot(d.rate, self.e.at) - mbs_dot(d.at, self.e.rate);
  const double g = -mbs_dot(d.rate, t.at) - mbs_dot(d.at, t.rate), b = R + mbs_dot(d.at, u.at);
  const double turn = (te * f - g) / (b - R * te * te), pace = f + R * te * turn;
  mbs_contact_place out = {.room = 0};
  for (int k = 0; k < 3; k++) d.rate[k] += pace * self.e.at[k] - R * turn * t.at[k];
  out.n = mbs_moving_unit(&d, &length);
  out.room = length - self.thickness;
  for (int k = 0; k < 3; k++) {
    out.p.at[k] = self.m.at[k] + s * self.e.at[k] - self.thickness * out.n.at[k];
    out.p.rate[k] = self.m.rate[k] + s * self.e.rate[k] + pace * self.e.at[k] - self.thickness * out.n.rate[k];
  }
  return out;
}
