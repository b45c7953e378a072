#include "elements/forces/contact_geometry.h"

#include "base/rotation.h"

#include <math.h>
#include <string.h>

/* The nearest feature of a target, in its body's axes. */
typedef struct feature {
  enum { FACE, CENTRE, EDGE } kind;
  double at[3];     /* centre, or a point of the face or edge */
  double normal[3]; /* of a face; direction of an edge */
  double radius;    /* surface about a centre or an edge */
  double sign;      /* CENTRE: -1 inside a circle */
} feature;

/* Computes centre (body axes) and radius of a round part. */
static double round_part(const mbs_contact_shape *shape, int number, double centre[3]) {
  switch (shape->kind) {
  case MBS_CONTACT_POLYGON:
    centre[0] = shape->corners[number][0];
    centre[1] = shape->corners[number][1];
    centre[2] = 0;
    return 0;
  case MBS_CONTACT_BOX:
    for (int k = 0; k < 3; k++) {
      centre[k] = shape->at[k];
      for (int a = 0; a < 3; a++) centre[k] += (number >> a & 1 ? 1 : -1) * shape->half[a] * shape->A[3 * a + k];
    }
    return 0;
  case MBS_CONTACT_CAPSULE: memcpy(centre, shape->ends[number], sizeof shape->ends[number]); return shape->radius;
  default: memcpy(centre, shape->at, sizeof shape->at); return shape->radius;
  }
}

static feature about(const double at[3], double radius) {
  feature found = {.kind = CENTRE, .radius = radius, .sign = 1};
  memcpy(found.at, at, sizeof found.at);
  return found;
}

/* The nearest feature of a segment between two points. */
static feature of_segment(const double a[3], const double b[3], double radius, const double c[3]) {
  double e[3], to[3];
  for (int k = 0; k < 3; k++) {
    e[k] = b[k] - a[k];
    to[k] = c[k] - a[k];
  }
  const double length = sqrt(mbs_dot(e, e)), along = mbs_dot(e, to) / length;
  if (along <= 0) return about(a, radius);
  if (along >= length) return about(b, radius);
  feature found = {.kind = EDGE, .radius = radius, .sign = 1};
  memcpy(found.at, a, sizeof found.at);
  for (int k = 0; k < 3; k++) found.normal[k] = e[k] / length;
  return found;
}

/* Returns the number of points whose surroundings by `radius` contain a shape: its round parts, or a centre. */
static int count_parts(const mbs_contact_shape *shape) {
  switch (shape->kind) {
  case MBS_CONTACT_POLYGON: return shape->count;
  case MBS_CONTACT_BOX: return 8;
  case MBS_CONTACT_CAPSULE: return 2;
  case MBS_CONTACT_PLANE: return 0;
  case MBS_CONTACT_DISC:
  case MBS_CONTACT_ARC: break;
  }
  return 1;
}

void mbs_contact_bounds(const mbs_system *system, int body, const mbs_contact_shape *shape, double low[3],
                        double high[3]) {
  double own[3];
  const int count = count_parts(shape);
  for (int k = 0; k < 3; k++) {
    low[k] = count ? INFINITY : -INFINITY;
    high[k] = -low[k];
  }
  for (int i = 0; i < count; i++) {
    const double radius = round_part(shape, i, own);
    const mbs_moving c = mbs_moving_point(system, body, own);
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], c.at[k] - radius);
      high[k] = fmax(high[k], c.at[k] + radius);
    }
  }
}

double mbs_contact_reach(const mbs_contact_shape *shape) {
  double own[3], reach = 0;
  for (int i = 0; i < count_parts(shape); i++) {
    const double radius = round_part(shape, i, own);
    reach = fmax(reach, sqrt(mbs_dot(own, own)) + radius);
  }
  return reach;
}

/* Returns the distance of c from the line of a face of a polygon, positive outside. */
static double face_distance(const mbs_contact_shape *shape, int face, const double c[3]) {
  const double *a = shape->corners[face], *b = shape->corners[(face + 1) % shape->count];
  const double x = b[0] - a[0], y = b[1] - a[1];
  return ((c[0] - a[0]) * y - (c[1] - a[1]) * x) / hypot(x, y);
}

static feature face_of(const mbs_contact_shape *shape, int face) {
  const double *a = shape->corners[face], *b = shape->corners[(face + 1) % shape->count];
  const double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
  return (feature){.kind = FACE, .at = {a[0], a[1]}, .normal = {y / length, -x / length}, .sign = 1};
}

/* The face or corner of a convex polygon that is nearest to c; inside, the face with the least depth. */
static feature of_polygon(const mbs_contact_shape *shape, const double c[3], int side) {
  double best = -INFINITY;
  int face = 0;
  const int count = shape->count;
  for (int i = 0; i < count; i++) {
    const double distance = face_distance(shape, i, c);
    if (count == 2 && side != 0 && (i == 0) != (side > 0)) continue;
    if (!(distance > best)) continue;
    best = distance;
    face = i;
  }
  const double *a = shape->corners[face], *b = shape->corners[(face + 1) % count];
  const double x = b[0] - a[0], y = b[1] - a[1], along = (c[0] - a[0]) * x + (c[1] - a[1]) * y;
  /* beyond an end of a segment neither side is solid */
  if ((best > 0 || count == 2) && (along < 0 || along > x * x + y * y)) {
    const double *corner = along < 0 ? a : b;
    return about((const double[3]){corner[0], corner[1], 0}, 0);
  }
  return face_of(shape, face);
}

static feature of_arc(const mbs_contact_shape *shape, const double c[3]) {
  const double angle = atan2(c[1] - shape->at[1], c[0] - shape->at[0]);
  const double middle = 0.5 * (shape->from + shape->to), half = 0.5 * (shape->to - shape->from);
  const double beside = remainder(angle - middle, mbs_full_turn);
  if (fabs(beside) > half) {
    const double end = beside > 0 ? shape->to : shape->from;
    return about((const double[3]){shape->at[0] + shape->radius * cos(end), shape->at[1] + shape->radius * sin(end), 0},
                 0);
  }
  feature found = about(shape->at, shape->radius);
  found.sign = shape->inside ? -1 : 1;
  return found;
}

/* The face, edge or corner of a box that is nearest to c; inside, the face with the least depth. */
static feature of_box(const mbs_contact_shape *shape, const double c[3]) {
  double own[3], nearest[3], depth = -INFINITY;
  int outside = 0, deepest = 0, inner = 0;
  for (int a = 0; a < 3; a++) {
    own[a] = 0;
    for (int k = 0; k < 3; k++) own[a] += shape->A[3 * a + k] * (c[k] - shape->at[k]);
    nearest[a] = fmin(fmax(own[a], -shape->half[a]), shape->half[a]);
    if (nearest[a] != own[a])
      outside++;
    else
      inner = a;
    if (fabs(own[a]) - shape->half[a] > depth) {
      depth = fabs(own[a]) - shape->half[a];
      deepest = a;
    }
  }
  if (outside <= 1) nearest[deepest] = copysign(shape->half[deepest], own[deepest]);
  double at[3];
  for (int k = 0; k < 3; k++) {
    at[k] = shape->at[k];
    for (int a = 0; a < 3; a++) at[k] += nearest[a] * shape->A[3 * a + k];
  }
  feature found = about(at, 0);
  if (outside == 3) return found;
  found.kind = outside <= 1 ? FACE : EDGE;
  for (int k = 0; k < 3; k++)
    found.normal[k] = outside <= 1 ? copysign(1, own[deepest]) * shape->A[3 * deepest + k] : shape->A[3 * inner + k];
  return found;
}

/* Returns the face of a polygon with the number `side` of mbs_contact_side(). */
static int face_number(const mbs_contact_shape *target, int side) {
  return target->count == 2 ? (side > 0 ? 0 : 1) : side - 1;
}

static feature feature_of(const mbs_contact_shape *target, const mbs_contact_shape *round, const double c[3],
                          int side) {
  feature found = {.kind = FACE, .sign = 1};
  if (side != 0 && target->kind == MBS_CONTACT_POLYGON && round->kind == MBS_CONTACT_POLYGON)
    return face_of(target, face_number(target, side));
  switch (target->kind) {
  case MBS_CONTACT_PLANE:
    memcpy(found.at, target->at, sizeof found.at);
    memcpy(found.normal, target->normal, sizeof found.normal);
    return found;
  case MBS_CONTACT_DISC: return about(target->at, target->radius);
  case MBS_CONTACT_POLYGON: return of_polygon(target, c, side);
  case MBS_CONTACT_ARC: return of_arc(target, c);
  case MBS_CONTACT_BOX: return of_box(target, c);
  case MBS_CONTACT_CAPSULE: return of_segment(target->ends[0], target->ends[1], target->radius, c);
  }
  return found;
}

/* Computes x in the axes of a body, from its position. */
static void to_body(const mbs_system *system, int body, const double x[3], double out[3]) {
  mbs_rigid_motion motion;
  system->model->kernels->motion(system, body, &motion);
  for (int a = 0; a < 3; a++) {
    const double own[3] = {a == 0, a == 1, a == 2};
    double axis[3] = {0, 0, a == 2};
    system->model->kernels->to_global(system, body, own, axis);
    out[a] = 0;
    for (int k = 0; k < 3; k++) out[a] += axis[k] * (x[k] - motion.r[k]);
  }
  if (system->model->dim == 2) out[2] = 0;
}

/* ---- capsules ------------------------------------------------------------------------------------------------ */

/* An axis c + s e, 0 <= s <= 1, of a capsule. */
typedef struct capsule_axis {
  mbs_moving c, e;
  double s, rate; /* place on the axis, and its rate */
} capsule_axis;

static capsule_axis axis_of(const mbs_system *system, int body, const mbs_contact_shape *capsule) {
  double own[3];
  for (int k = 0; k < 3; k++) own[k] = capsule->ends[1][k] - capsule->ends[0][k];
  return (capsule_axis){.c = mbs_moving_point(system, body, capsule->ends[0]),
                        .e = mbs_moving_vector(system, body, own)};
}

static double within(double s) { return fmin(fmax(s, 0), 1); }

/* Solves a x + b y = f, b x + c y = g. */
static void solve_pair(double a, double b, double c, double f, double g, double *x, double *y) {
  const double determinant = a * c - b * b;
  *x = (f * c - g * b) / determinant;
  *y = (g * a - f * b) / determinant;
}

/* Finds the nearest places of two axes: with d = c1 - c2 + s1 e1 - s2 e2, d.e1 = d.e2 = 0 unless a place is an end.
 * Parallel axes have the nearest place at an end. Source: Ericson, Real-Time Collision Detection, 2005, ch. 5. */
static void nearest_places(capsule_axis *one, capsule_axis *two) {
  /* axes whose angle has a smaller square of its sine count as parallel; chosen: far above rounding */
  static const double parallel = 1e-12;
  double w[3];
  for (int k = 0; k < 3; k++) w[k] = one->c.at[k] - two->c.at[k];
  const double a = mbs_dot(one->e.at, one->e.at), b = mbs_dot(one->e.at, two->e.at), c = mbs_dot(two->e.at, two->e.at);
  const double f = mbs_dot(w, one->e.at), g = mbs_dot(w, two->e.at);
  one->s = a * c - b * b > parallel * a * c ? within((b * g - f * c) / (a * c - b * b)) : 0;
  two->s = (b * one->s + g) / c;
  if (two->s >= 0 && two->s <= 1) return;
  two->s = within(two->s);
  one->s = within((b * two->s - f) / a);
}

/* Sets the rates of the places: the derivatives of d.e1 = 0 and d.e2 = 0. */
static void find_place_rates(capsule_axis *one, capsule_axis *two) {
  double d[3], drift[3];
  for (int k = 0; k < 3; k++) {
    d[k] = one->c.at[k] - two->c.at[k] + one->s * one->e.at[k] - two->s * two->e.at[k];
    drift[k] = one->c.rate[k] - two->c.rate[k] + one->s * one->e.rate[k] - two->s * two->e.rate[k];
  }
  /* d' = drift + s1' e1 - s2' e2 */
  solve_pair(mbs_dot(one->e.at, one->e.at), -mbs_dot(one->e.at, two->e.at), mbs_dot(two->e.at, two->e.at),
             -mbs_dot(drift, one->e.at) - mbs_dot(d, one->e.rate), mbs_dot(drift, two->e.at) + mbs_dot(d, two->e.rate),
             &one->rate, &two->rate);
}

/* The nearest places of two capsules: where the axes cross at a distance, or at an end. theory (7.24) */
static mbs_contact_place between_capsules(const mbs_system *system, int body, const mbs_contact_shape *target,
                                          int round_body, const mbs_contact_shape *round) {
  capsule_axis one = axis_of(system, body, target), two = axis_of(system, round_body, round);
  nearest_places(&one, &two);
  if (two.s <= 0 || two.s >= 1) return mbs_contact_at(system, body, target, round_body, round, two.s >= 1, 0);
  if (one.s <= 0 || one.s >= 1) {
    mbs_contact_place turned = mbs_contact_at(system, round_body, round, body, target, one.s >= 1, 0);
    for (int k = 0; k < 3; k++) {
      turned.n.at[k] = -turned.n.at[k];
      turned.n.rate[k] = -turned.n.rate[k];
    }
    return turned;
  }
  find_place_rates(&one, &two);
  mbs_contact_place out = {.room = 0};
  mbs_moving d, place;
  double length;
  for (int k = 0; k < 3; k++) {
    place.at[k] = two.c.at[k] + two.s * two.e.at[k];
    place.rate[k] = two.c.rate[k] + two.s * two.e.rate[k] + two.rate * two.e.at[k];
    d.at[k] = place.at[k] - one.c.at[k] - one.s * one.e.at[k];
    d.rate[k] = place.rate[k] - one.c.rate[k] - one.s * one.e.rate[k] - one.rate * one.e.at[k];
  }
  out.n = mbs_moving_unit(&d, &length);
  out.room = length - target->radius - round->radius;
  for (int k = 0; k < 3; k++) {
    out.p.at[k] = place.at[k] - round->radius * out.n.at[k];
    out.p.rate[k] = place.rate[k] - round->radius * out.n.rate[k];
  }
  return out;
}

/* theory (7.23) */
mbs_contact_place mbs_contact_at(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                                 const mbs_contact_shape *round, int number, int side) {
  mbs_contact_place out = {.room = 0};
  mbs_moving d;
  double own[3], local[3];
  if (number == MBS_CONTACT_CROSSING && round->kind == MBS_CONTACT_CAPSULE)
    return between_capsules(system, body, target, round_body, round);
  const double radius = round_part(round, number, own);
  const mbs_moving c = mbs_moving_point(system, round_body, own);
  to_body(system, body, c.at, local);
  const feature found = feature_of(target, round, local, side);
  const mbs_moving o = mbs_moving_point(system, body, found.at);
  for (int k = 0; k < 3; k++) {
    d.at[k] = c.at[k] - o.at[k];
    d.rate[k] = c.rate[k] - o.rate[k];
  }
  if (found.kind == FACE) {
    out.n = mbs_moving_vector(system, body, found.normal);
    out.room = mbs_dot(out.n.at, d.at) - radius;
  } else {
    if (found.kind == EDGE) {
      const mbs_moving e = mbs_moving_vector(system, body, found.normal);
      const double along = mbs_dot(e.at, d.at), pace = mbs_dot(e.rate, d.at) + mbs_dot(e.at, d.rate);
      for (int k = 0; k < 3; k++) {
        d.at[k] -= along * e.at[k];
        d.rate[k] -= pace * e.at[k] + along * e.rate[k];
      }
    }
    double length;
    out.n = mbs_moving_unit(&d, &length);
    out.room = found.sign * (length - found.radius) - radius;
    for (int k = 0; k < 3; k++) {
      out.n.at[k] *= found.sign;
      out.n.rate[k] *= found.sign;
    }
  }
  for (int k = 0; k < 3; k++) {
    out.p.at[k] = c.at[k] - radius * out.n.at[k];
    out.p.rate[k] = c.rate[k] - radius * out.n.rate[k];
  }
  return out;
}

/* Distance from a segment, as a share of its length, below which a corner is on it. Chosen: far above rounding. */
static const double on_line = 1e-9;

/* Computes a round part's centre in the axes of a body. */
static void round_in_body(const mbs_system *system, int body, int round_body, const mbs_contact_shape *round,
                          int number, double out[3]) {
  double own[3];
  (void)round_part(round, number, own);
  const mbs_moving c = mbs_moving_point(system, round_body, own);
  to_body(system, body, c.at, out);
}

/* Returns the face in front of which a polygon is as a whole, or with the least depth: 1 and up. */
static int separating_face(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                           const mbs_contact_shape *round) {
  double least[MBS_CONTACT_CORNERS], c[3];
  int best = 0;
  for (int i = 0; i < target->count; i++) least[i] = INFINITY;
  for (int k = 0; k < round->count; k++) {
    round_in_body(system, body, round_body, round, k, c);
    for (int i = 0; i < target->count; i++) least[i] = fmin(least[i], face_distance(target, i, c));
  }
  for (int i = 1; i < target->count; i++)
    if (least[i] > least[best]) best = i;
  return best + 1;
}

int mbs_contact_side(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                     const mbs_contact_shape *round, int number) {
  mbs_rigid_motion second;
  double local[3];
  if (target->kind != MBS_CONTACT_POLYGON) return 0;
  if (target->count > 2)
    return round->kind == MBS_CONTACT_POLYGON ? separating_face(system, body, target, round_body, round) : 0;
  round_in_body(system, body, round_body, round, number, local);
  const double *a = target->corners[0], *b = target->corners[1], x = b[0] - a[0], y = b[1] - a[1];
  const double distance = (local[0] - a[0]) * y - (local[1] - a[1]) * x;
  if (fabs(distance) > on_line * (x * x + y * y)) return distance < 0 ? -1 : 1;
  /* on the segment: the body is on the side of its mass centre */
  system->model->kernels->motion(system, round_body, &second);
  to_body(system, body, second.r, local);
  return (local[0] - a[0]) * y - (local[1] - a[1]) * x < 0 ? -1 : 1;
}

double mbs_contact_beside(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                          const mbs_contact_shape *round, int number, int side, bool first) {
  double c[3], beside = -INFINITY;
  if (side == 0 || target->kind != MBS_CONTACT_POLYGON || round->kind != MBS_CONTACT_POLYGON) return -INFINITY;
  round_in_body(system, body, round_body, round, number, c);
  const int face = face_number(target, side);
  const double *a = target->corners[face], *b = target->corners[(face + 1) % target->count];
  const double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
  for (int i = 0; i < target->count && target->count > 2; i++)
    if (i != face) beside = fmax(beside, face_distance(target, i, c));
  if (target->count == 2) {
    const double along = ((c[0] - a[0]) * x + (c[1] - a[1]) * y) / length;
    beside = fmax(-along, along - length);
  }
  return beside + (first ? -on_line : 0.5 * on_line) * length;
}

mbs_moving mbs_contact_across(const mbs_system *system, int body, const mbs_contact_place *place, int number) {
  const mbs_moving *n = &place->n;
  if (system->model->dim == 2)
    return (mbs_moving){.at = {n->at[1], -n->at[0], 0}, .rate = {n->rate[1], -n->rate[0], 0}};
  /* across the axis of the target's body that is least along n */
  mbs_moving e = {.at = {1, 0, 0}};
  double least = INFINITY;
  for (int a = 0; a < 3; a++) {
    const mbs_moving axis = mbs_moving_vector(system, body, (const double[3]){a == 0, a == 1, a == 2});
    if (!(fabs(mbs_dot(axis.at, n->at)) < least)) continue;
    least = fabs(mbs_dot(axis.at, n->at));
    e = axis;
  }
  const mbs_moving w = mbs_moving_cross(&e, n), u1 = mbs_moving_unit(&w, NULL);
  return number == 0 ? u1 : mbs_moving_cross(n, &u1);
}
