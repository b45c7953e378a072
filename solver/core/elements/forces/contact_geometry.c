#include "elements/forces/contact_geometry.h"

#include "base/rotation.h"
#include "elements/forces/contact_edges.h"
#include "elements/forces/contact_rims.h"

#include <math.h>
#include <string.h>

/* The nearest feature of a target, in its body's axes. */
typedef struct feature {
  enum { FACE, CENTRE, EDGE, RIM } kind;
  double at[3];     /* centre, or a point of the face or edge */
  double normal[3]; /* of a face; direction of an edge; axis of a rim */
  double radius;    /* surface about a centre or an edge; radius of a rim */
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
  case MBS_CONTACT_CAPSULE:
  case MBS_CONTACT_CYLINDER: memcpy(centre, shape->ends[number], sizeof shape->ends[number]); return shape->radius;
  default: memcpy(centre, shape->at, sizeof shape->at);
  }
  if (shape->kind != MBS_CONTACT_ARC || number == 0) return shape->radius;
  const double end = number == 1 ? shape->from : shape->to;
  centre[0] += shape->radius * cos(end);
  centre[1] += shape->radius * sin(end);
  return 0;
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

/* Returns the number of points whose surroundings by `radius` contain a shape: its round parts, the ends of a cylinder,
 * or a centre. */
static int count_parts(const mbs_contact_shape *shape) {
  switch (shape->kind) {
  case MBS_CONTACT_POLYGON: return shape->count;
  case MBS_CONTACT_BOX: return 8;
  case MBS_CONTACT_CAPSULE:
  case MBS_CONTACT_CYLINDER: return 2;
  case MBS_CONTACT_PLANE: return 0;
  case MBS_CONTACT_DISC:
  case MBS_CONTACT_ARC: break;
  }
  return 1;
}

void mbs_contact_bounds(const mbs_system *system, int body, const mbs_contact_shape *shape, double low[3],
                        double high[3]) {
  double own[3];
  const bool behind = shape->kind == MBS_CONTACT_ARC && shape->inside; /* everything behind the arc is solid */
  const int count = behind ? 0 : count_parts(shape);
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

double mbs_contact_reach(const mbs_contact_shape *shape, double *arm) {
  double own[3], reach = 0;
  *arm = 0;
  for (int i = 0; i < count_parts(shape); i++) {
    const double radius = round_part(shape, i, own), length = sqrt(mbs_dot(own, own));
    reach = fmax(reach, length + radius);
    *arm = fmax(*arm, length);
  }
  return reach;
}

/* Returns the number of faces of a polygon or box. */
static int count_faces(const mbs_contact_shape *shape) { return shape->kind == MBS_CONTACT_BOX ? 6 : shape->count; }

/* Returns a face of a polygon or box. */
static feature face_of(const mbs_contact_shape *shape, int face) {
  if (shape->kind == MBS_CONTACT_BOX) {
    const int a = face / 2, sign = face % 2 ? 1 : -1;
    feature found = {.kind = FACE, .sign = 1};
    for (int k = 0; k < 3; k++) {
      found.normal[k] = sign * shape->A[3 * a + k];
      found.at[k] = shape->at[k] + shape->half[a] * found.normal[k];
    }
    return found;
  }
  const double *a = shape->corners[face], *b = shape->corners[(face + 1) % shape->count];
  const double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
  return (feature){.kind = FACE, .at = {a[0], a[1]}, .normal = {y / length, -x / length}, .sign = 1};
}

/* Returns the distance of c from the plane of a face, positive outside. */
static double face_distance(const mbs_contact_shape *shape, int face, const double c[3]) {
  const feature found = face_of(shape, face);
  double distance = 0;
  for (int k = 0; k < 3; k++) distance += found.normal[k] * (c[k] - found.at[k]);
  return distance;
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

/* The side, end, or rim of a cylinder that is nearest to c; inside, the one with the least depth. */
static feature of_cylinder(const mbs_contact_shape *shape, const double c[3]) {
  double axis[3], length = 0, along = 0, beside = 0;
  for (int k = 0; k < 3; k++) length += pow(shape->ends[1][k] - shape->ends[0][k], 2);
  length = sqrt(length);
  for (int k = 0; k < 3; k++) {
    axis[k] = (shape->ends[1][k] - shape->ends[0][k]) / length;
    along += axis[k] * (c[k] - shape->ends[0][k]);
  }
  for (int k = 0; k < 3; k++) beside += pow(c[k] - shape->ends[0][k] - along * axis[k], 2);
  const int end = along > 0.5 * length;
  const double beyond = fmax(-along, along - length), outside = sqrt(beside) - shape->radius;
  feature found = {.kind = EDGE, .radius = shape->radius, .sign = 1};
  memcpy(found.at, shape->ends[end], sizeof found.at);
  memcpy(found.normal, axis, sizeof found.normal);
  if (beyond > 0 && outside > 0) {
    found.kind = RIM;
  } else if (beyond > outside) {
    found.kind = FACE;
    for (int k = 0; k < 3 && end == 0; k++) found.normal[k] = -axis[k];
  }
  return found;
}

/* Returns the face of a polygon or box with the number `side` of mbs_contact_side(). */
static int face_number(const mbs_contact_shape *target, int side) {
  return count_faces(target) == 2 ? (side > 0 ? 0 : 1) : side - 1;
}

/* Returns true for corners of a polygon or box and another one: the face that they touch is chosen for all together. */
static bool have_faces(const mbs_contact_shape *target, const mbs_contact_shape *round) {
  return target->kind == round->kind && (target->kind == MBS_CONTACT_POLYGON || target->kind == MBS_CONTACT_BOX);
}

static feature feature_of(const mbs_contact_shape *target, const mbs_contact_shape *round, const double c[3],
                          int side) {
  feature found = {.kind = FACE, .sign = 1};
  if (side != 0 && have_faces(target, round)) return face_of(target, face_number(target, side));
  switch (target->kind) {
  case MBS_CONTACT_PLANE:
    memcpy(found.at, target->at, sizeof found.at);
    memcpy(found.normal, target->normal, sizeof found.normal);
    return found;
  case MBS_CONTACT_DISC: return about(target->at, target->radius);
  case MBS_CONTACT_POLYGON: return of_polygon(target, c, side);
  case MBS_CONTACT_ARC: return of_arc(target, c);
  case MBS_CONTACT_BOX: return of_box(target, c);
  case MBS_CONTACT_CYLINDER: return of_cylinder(target, c);
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

/* Returns the vector from a feature to c, a moving point. For an edge, its part across the edge; for a rim, the vector
 * from the nearest place of the rim. */
static mbs_moving to_centre(const mbs_system *system, int body, const feature *found, const mbs_moving *c) {
  const mbs_moving o = mbs_moving_point(system, body, found->at);
  mbs_moving d;
  for (int k = 0; k < 3; k++) {
    d.at[k] = c->at[k] - o.at[k];
    d.rate[k] = c->rate[k] - o.rate[k];
  }
  if (found->kind != EDGE && found->kind != RIM) return d;
  const mbs_moving e = mbs_moving_vector(system, body, found->normal);
  const double along = mbs_dot(e.at, d.at), pace = mbs_dot(e.rate, d.at) + mbs_dot(e.at, d.rate);
  mbs_moving across = d;
  for (int k = 0; k < 3; k++) {
    across.at[k] -= along * e.at[k];
    across.rate[k] -= pace * e.at[k] + along * e.rate[k];
  }
  if (found->kind == EDGE) return across;
  const mbs_moving u = mbs_moving_unit(&across, NULL);
  for (int k = 0; k < 3; k++) {
    d.at[k] -= found->radius * u.at[k];
    d.rate[k] -= found->radius * u.rate[k];
  }
  return d;
}

/* theory (7.23) */
mbs_contact_place mbs_contact_at(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                                 const mbs_contact_shape *round, int number, int side) {
  mbs_contact_place out = {.room = 0};
  double own[3], local[3] = {0, 0, 0};
  const mbs_contact_pair pair = {system, target, round, body, round_body};
  if (mbs_contact_is_edge(target->kind, round->kind, number))
    return mbs_contact_edges_at(&pair,
                                side ? side : mbs_contact_edges_choose(&pair, number - MBS_CONTACT_EDGES, NULL, 0));
  if (mbs_contact_is_rim(target->kind, round->kind, number))
    return mbs_contact_rim_axis_at(&pair, number, side ? side : mbs_contact_rim_choose(&pair, number, 0, 0));
  if (number == MBS_CONTACT_CROSSING && round->kind == MBS_CONTACT_CAPSULE)
    return mbs_contact_between_capsules(system, body, target, round_body, round);
  if (round->kind == MBS_CONTACT_CYLINDER)
    return mbs_contact_rim_at(system, body, target, round_body, round, number, side);
  const double radius = round_part(round, number, own);
  const mbs_moving c = mbs_moving_point(system, round_body, own);
  const bool single = target->kind == MBS_CONTACT_PLANE || target->kind == MBS_CONTACT_DISC; /* its only feature */
  if (!single) to_body(system, body, c.at, local);
  const feature found = feature_of(target, round, local, side);
  const mbs_moving d = to_centre(system, body, &found, &c);
  if (found.kind == FACE) {
    out.n = mbs_moving_vector(system, body, found.normal);
    out.room = mbs_dot(out.n.at, d.at) - radius;
  } else {
    double length;
    out.n = mbs_moving_unit(&d, &length);
    out.room = found.sign * (length - (found.kind == RIM ? 0 : found.radius)) - radius;
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

/* Computes a round part's centre in the axes of a body. */
static void round_in_body(const mbs_system *system, int body, int round_body, const mbs_contact_shape *round,
                          int number, double out[3]) {
  double own[3];
  (void)round_part(round, number, own);
  const mbs_moving c = mbs_moving_point(system, round_body, own);
  to_body(system, body, c.at, out);
}

/* Returns the face in front of which a polygon or box is as a whole, or with the least depth: 1 and up. */
static int separating_face(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                           const mbs_contact_shape *round) {
  double least[MBS_CONTACT_CORNERS], c[3];
  int best = 0;
  const int count = count_faces(target);
  for (int i = 0; i < count; i++) least[i] = INFINITY;
  for (int k = 0; k < count_parts(round); k++) {
    round_in_body(system, body, round_body, round, k, c);
    for (int i = 0; i < count; i++) least[i] = fmin(least[i], face_distance(target, i, c));
  }
  for (int i = 1; i < count; i++)
    if (least[i] > least[best]) best = i;
  return best + 1;
}

bool mbs_contact_is_sided(const mbs_contact_shape *target, const mbs_contact_shape *round, int number) {
  const bool segment = target->kind == MBS_CONTACT_POLYGON && target->count == 2;
  return segment && (round->kind == MBS_CONTACT_POLYGON || (round->kind == MBS_CONTACT_ARC && number > 0));
}

int mbs_contact_shape_side(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                           const mbs_contact_shape *round) {
  double middle[3], local[3];
  memcpy(middle, round->at, sizeof middle);
  if (round->kind == MBS_CONTACT_ARC) {
    /* halfway between the middle of the arc and that of its chord */
    const double angle = 0.5 * (round->from + round->to), half = 0.5 * (round->to - round->from);
    middle[0] += round->radius * 0.5 * (1 + cos(half)) * cos(angle);
    middle[1] += round->radius * 0.5 * (1 + cos(half)) * sin(angle);
  }
  for (int i = 0; i < round->count; i++)
    for (int k = 0; k < 2; k++) middle[k] += round->corners[i][k] / round->count;
  to_body(system, body, mbs_moving_point(system, round_body, middle).at, local);
  const double distance = face_distance(target, 0, local), *a = target->corners[0], *b = target->corners[1];
  return fabs(distance) <= mbs_contact_on_line * hypot(b[0] - a[0], b[1] - a[1]) ? 0 : distance > 0 ? 1 : -1;
}

int mbs_contact_side(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                     const mbs_contact_shape *round, int number) {
  mbs_rigid_motion second;
  double local[3];
  if (round->kind == MBS_CONTACT_CYLINDER) return mbs_contact_rim_side(system, body, target, round_body, round, number);
  if (have_faces(target, round) && count_faces(target) > 2)
    return separating_face(system, body, target, round_body, round);
  if (target->kind != MBS_CONTACT_POLYGON || target->count > 2) return 0;
  round_in_body(system, body, round_body, round, number, local);
  const double *a = target->corners[0], *b = target->corners[1], x = b[0] - a[0], y = b[1] - a[1];
  const double distance = (local[0] - a[0]) * y - (local[1] - a[1]) * x;
  if (fabs(distance) > mbs_contact_on_line * (x * x + y * y)) return distance < 0 ? -1 : 1;
  /* on the segment: the side of the shape's middle, or if that is on it, too, of the body's mass centre */
  const int middle = mbs_contact_shape_side(system, body, target, round_body, round);
  if (middle != 0) return middle;
  system->model->kernels->motion(system, round_body, &second);
  to_body(system, body, second.r, local);
  const double centre = (local[0] - a[0]) * y - (local[1] - a[1]) * x;
  return fabs(centre) <= mbs_contact_on_line * (x * x + y * y) ? 0 : centre < 0 ? -1 : 1;
}

/* Returns the distance of the centre of an arc in front of a polygon; in front of a segment if it is on the side of the
 * arc's middle. The circle touches from there only. */
static double centre_distance(const mbs_contact_pair *pair) {
  double c[3], distance = -INFINITY;
  round_in_body(pair->system, pair->body, pair->round_body, pair->round, 0, c);
  if (pair->target->count == 2)
    return face_distance(pair->target, 0, c) *
           mbs_contact_shape_side(pair->system, pair->body, pair->target, pair->round_body, pair->round);
  for (int i = 0; i < pair->target->count; i++) distance = fmax(distance, face_distance(pair->target, i, c));
  return distance;
}

/* Returns the distance by which the place of an arc's circle that is nearest to a line or polygon is beyond the ends of
 * the arc; for the ends, the distance by which it is between them. A polygon inside the circle touches with corners. */
static double beside_arc(const mbs_contact_pair *pair, int number) {
  const mbs_contact_shape *target = pair->target, *arc = pair->round;
  if (target->kind == MBS_CONTACT_POLYGON && arc->inside) return -INFINITY;
  const mbs_contact_place place = mbs_contact_at(pair->system, pair->body, target, pair->round_body, arc, 0, 0);
  const mbs_moving x = mbs_moving_vector(pair->system, pair->round_body, (const double[3]){1, 0, 0});
  const double *n = place.n.at;
  const double angle = atan2(n[0] * x.at[1] - n[1] * x.at[0], -mbs_dot(n, x.at)); /* of -n in the body */
  const double middle = 0.5 * (arc->from + arc->to), half = 0.5 * (arc->to - arc->from);
  double beyond = arc->radius * (fabs(remainder(angle - middle, mbs_full_turn)) - half);
  if (target->kind == MBS_CONTACT_POLYGON) beyond = fmax(beyond, -centre_distance(pair));
  return (number == 0 ? beyond : -beyond) - mbs_contact_on_line * arc->radius;
}

/* Returns the distance by which a corner of a box is beyond the ends of a capsule's axis. */
static double beyond_axis(const mbs_contact_shape *capsule, const double c[3]) {
  double length = 0, along = 0;
  for (int k = 0; k < 3; k++) {
    const double e = capsule->ends[1][k] - capsule->ends[0][k];
    length += e * e;
    along += e * (c[k] - capsule->ends[0][k]);
  }
  length = sqrt(length);
  along /= length;
  return fmax(-along, along - length) - mbs_contact_on_line * length;
}

/* Returns the distance along a capsule's axis by which its end is farther out than the place nearest to a sharp edge,
 * rim or corner; negative: no other place of the axis is nearer. Beside a face and a round side several places of the
 * axis touch together. */
static double beyond_edge(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                          const mbs_contact_shape *capsule, int number, const double c[3]) {
  const feature found = feature_of(target, capsule, c, 0);
  if (found.kind == FACE || (found.kind == EDGE && found.radius > 0)) return -INFINITY;
  const mbs_moving end = mbs_moving_point(system, round_body, capsule->ends[number]);
  const mbs_moving other = mbs_moving_point(system, round_body, capsule->ends[1 - number]);
  const mbs_moving d = to_centre(system, body, &found, &end);
  double along = 0, length = 0;
  for (int k = 0; k < 3; k++) {
    const double e = end.at[k] - other.at[k];
    length += e * e;
    along += e * d.at[k];
  }
  return along / sqrt(length) - 2 * mbs_contact_on_line * sqrt(length);
}

/* Returns the distance by which a corner is beyond the ends of a face, or in front of another one. Where two corners
 * meet, only that of the `first` shape is within. */
static double beyond_face(const mbs_contact_shape *target, int face, const double c[3], bool first) {
  double beside = -INFINITY, second = -INFINITY, length = 0;
  if (target->kind == MBS_CONTACT_BOX) {
    for (int k = 0; k < 3; k++) length = fmax(length, 2 * target->half[k]);
  } else {
    const double *a = target->corners[face], *b = target->corners[(face + 1) % target->count];
    const double x = b[0] - a[0], y = b[1] - a[1];
    length = hypot(x, y);
    const double along = ((c[0] - a[0]) * x + (c[1] - a[1]) * y) / length;
    if (target->count == 2) beside = fmax(-along, along - length);
  }
  for (int i = 0; i < count_faces(target) && count_faces(target) > 2; i++) {
    if (i == face) continue;
    const double distance = face_distance(target, i, c);
    second = fmax(second, fmin(distance, beside));
    beside = fmax(beside, distance);
  }
  const double slack = mbs_contact_on_line * length;
  if (first) return beside - slack;
  /* a face of a polygon ends at corners, that of a box at edges, on which a corner counts */
  return target->kind == MBS_CONTACT_BOX ? fmax(beside - slack, second + 0.5 * slack) : beside + 0.5 * slack;
}

bool mbs_contact_is_round(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                          const mbs_contact_shape *round, int number, int side) {
  double c[3];
  round_in_body(system, body, round_body, round, number, c);
  return face_distance(target, face_number(target, side), c) < beyond_face(target, 0, c, true);
}

double mbs_contact_beside(const mbs_system *system, int body, const mbs_contact_shape *target, int round_body,
                          const mbs_contact_shape *round, int number, int side, bool closed, bool first) {
  double c[3];
  const mbs_contact_pair pair = {system, target, round, body, round_body};
  if (mbs_contact_is_edge(target->kind, round->kind, number))
    return mbs_contact_edges_beside(&pair,
                                    side ? side : mbs_contact_edges_choose(&pair, number - MBS_CONTACT_EDGES, NULL, 0));
  if (mbs_contact_is_rim(target->kind, round->kind, number))
    return mbs_contact_rim_axis_beside(&pair, number, side ? side : mbs_contact_rim_choose(&pair, number, 0, 0));
  if (round->kind == MBS_CONTACT_ARC) return beside_arc(&pair, number);
  if (round->kind == MBS_CONTACT_CYLINDER)
    return mbs_contact_rim_beside(system, body, target, round_body, round, number, side, closed);
  const bool edged = target->kind == MBS_CONTACT_BOX || target->kind == MBS_CONTACT_CYLINDER;
  const bool at_end = round->kind == MBS_CONTACT_CAPSULE && edged;
  const bool at_axis = round->kind == MBS_CONTACT_BOX && target->kind == MBS_CONTACT_CAPSULE;
  const bool at_face = side != 0 && have_faces(target, round);
  if (!at_end && !at_axis && !at_face) return -INFINITY;
  round_in_body(system, body, round_body, round, number, c);
  if (at_end) return beyond_edge(system, body, target, round_body, round, number, c);
  return at_axis ? beyond_axis(target, c) : beyond_face(target, face_number(target, side), c, first);
}

/* Axes with a larger cosine of the angle with a normal are along it. Chosen: between that of 45 degrees, as normals are
 * often along axes, and 1; at least one axis has a cosine below 0.58. */
static const double along_normal = 0.8;

mbs_moving mbs_contact_across(const mbs_system *system, int body, const mbs_contact_place *place, int number) {
  const mbs_moving *n = &place->n;
  if (system->model->dim == 2)
    return (mbs_moving){.at = {n->at[1], -n->at[0], 0}, .rate = {n->rate[1], -n->rate[0], 0}};
  /* across the first axis of the target's body that is not along n */
  mbs_moving e = {.at = {1, 0, 0}};
  for (int a = 0; a < 3; a++) {
    e = mbs_moving_vector(system, body, (const double[3]){a == 0, a == 1, a == 2});
    if (fabs(mbs_dot(e.at, n->at)) < along_normal) break;
  }
  const mbs_moving w = mbs_moving_cross(&e, n), u1 = mbs_moving_unit(&w, NULL);
  return number == 0 ? u1 : mbs_moving_cross(n, &u1);
}
