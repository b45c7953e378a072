#include "elements/forces/contact_edges.h"

#include "base/rotation.h"

#include <math.h>

/* ---- places of two lines ------------------------------------------------------------------------------------- */

/* A line c + s e. */
typedef struct line {
  mbs_moving c, e;
  double s, rate; /* place on the line, and its rate */
} line;

/* The axis of a capsule: 0 <= s <= 1. */
static line axis_of(const mbs_system *system, int body, const mbs_contact_shape *capsule) {
  double own[3];
  for (int k = 0; k < 3; k++) own[k] = capsule->ends[1][k] - capsule->ends[0][k];
  return (line){.c = mbs_moving_point(system, body, capsule->ends[0]), .e = mbs_moving_vector(system, body, own)};
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
static void nearest_places(line *one, line *two) {
  double w[3];
  for (int k = 0; k < 3; k++) w[k] = one->c.at[k] - two->c.at[k];
  const double a = mbs_dot(one->e.at, one->e.at), b = mbs_dot(one->e.at, two->e.at), c = mbs_dot(two->e.at, two->e.at);
  const double f = mbs_dot(w, one->e.at), g = mbs_dot(w, two->e.at);
  one->s = a * c - b * b > mbs_edges_parallel * a * c ? within((b * g - f * c) / (a * c - b * b)) : 0;
  two->s = (b * one->s + g) / c;
  if (two->s >= 0 && two->s <= 1) return;
  two->s = within(two->s);
  one->s = within((b * two->s - f) / a);
}

/* Sets the rates of the places: the derivatives of d.e1 = 0 and d.e2 = 0. */
static void find_place_rates(line *one, line *two) {
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

/* Returns the vector between the places of two lines. */
static mbs_moving between(const line *one, const line *two) {
  mbs_moving d;
  for (int k = 0; k < 3; k++) {
    d.at[k] = two->c.at[k] + two->s * two->e.at[k] - one->c.at[k] - one->s * one->e.at[k];
    d.rate[k] = two->c.rate[k] + two->s * two->e.rate[k] + two->rate * two->e.at[k] - one->c.rate[k] -
                one->s * one->e.rate[k] - one->rate * one->e.at[k];
  }
  return d;
}

/* Returns the point of the surface about the place of a line, against n. */
static mbs_moving place_on(const line *at, double radius, const mbs_moving *n) {
  mbs_moving p;
  for (int k = 0; k < 3; k++) {
    p.at[k] = at->c.at[k] + at->s * at->e.at[k] - radius * n->at[k];
    p.rate[k] = at->c.rate[k] + at->s * at->e.rate[k] + at->rate * at->e.at[k] - radius * n->rate[k];
  }
  return p;
}

/* theory (7.33) */
mbs_contact_place mbs_contact_between_capsules(const mbs_system *system, int body, const mbs_contact_shape *target,
                                               int round_body, const mbs_contact_shape *round) {
  line one = axis_of(system, body, target), two = axis_of(system, round_body, round);
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
  const mbs_moving d = between(&one, &two);
  mbs_contact_place out = {.room = 0};
  double length;
  out.n = mbs_moving_unit(&d, &length);
  out.room = length - target->radius - round->radius;
  out.p = place_on(&two, round->radius, &out.n);
  return out;
}

/* ---- edges --------------------------------------------------------------------------------------------------- */

enum { BOX_EDGES = 12 };
/* Least cosine of the angle between the normal of two edges and the direction in which the solids are farthest apart:
 * 45 degrees. Chosen: edges at other sides have normals at right angles to it, or opposite. */
static const double far_side = 0.7;

/* A box at the present position, global axes. A capsule and a cylinder are boxes without thickness, of one edge with a
 * radius. */
typedef struct solid {
  double centre[3], axes[3][3], half[3], radius;
  int edges;
} solid;

/* Two solids that may touch, and the direction from the first to the second along which they are farthest apart, or
 * have the least depth. */
typedef struct solids {
  solid one, two;
  double apart[3];
  double far; /* the distance of edges that have no crossing */
} solids;

/* An edge: its direction, which is that of an axis of the solid, and the signs of the coordinates along the other two
 * axes. */
typedef struct edge {
  int along, across[2];
  double sign[2];
} edge;

static edge edge_number(const solid *self, int number) {
  if (self->edges == 1) return (edge){0, {1, 2}, {0, 0}};
  const int a = number / 4;
  return (edge){a, {(a + 1) % 3, (a + 2) % 3}, {number & 1 ? 1 : -1, number & 2 ? 1 : -1}};
}

/* Computes the middle of an edge and its unit direction in body axes, and its half length. */
static double edge_in_body(const mbs_contact_shape *shape, int number, double middle[3], double direction[3]) {
  const solid box = {.edges = shape->kind == MBS_CONTACT_BOX ? BOX_EDGES : 1};
  const edge e = edge_number(&box, number);
  double length = 0;
  if (box.edges == BOX_EDGES) {
    for (int k = 0; k < 3; k++) {
      middle[k] = shape->at[k];
      for (int i = 0; i < 2; i++) middle[k] += e.sign[i] * shape->half[e.across[i]] * shape->A[3 * e.across[i] + k];
      direction[k] = shape->A[3 * e.along + k];
    }
    return shape->half[e.along];
  }
  for (int k = 0; k < 3; k++) {
    middle[k] = 0.5 * (shape->ends[0][k] + shape->ends[1][k]);
    direction[k] = shape->ends[1][k] - shape->ends[0][k];
    length += direction[k] * direction[k];
  }
  length = sqrt(length);
  for (int k = 0; k < 3; k++) direction[k] /= length;
  return 0.5 * length;
}

static solid solid_of(const mbs_system *system, int body, const mbs_contact_shape *shape) {
  solid self = {.radius = shape->radius, .edges = BOX_EDGES};
  if (shape->kind != MBS_CONTACT_BOX) {
    double middle[3], direction[3];
    self.edges = 1;
    self.half[0] = edge_in_body(shape, 0, middle, direction);
    const mbs_moving c = mbs_moving_point(system, body, middle), e = mbs_moving_vector(system, body, direction);
    for (int k = 0; k < 3; k++) {
      self.centre[k] = c.at[k];
      self.axes[0][k] = e.at[k];
    }
    return self;
  }
  const mbs_moving c = mbs_moving_point(system, body, shape->at);
  for (int a = 0; a < 3; a++) {
    const mbs_moving e = mbs_moving_vector(system, body, shape->A + 3 * a);
    self.half[a] = shape->half[a];
    self.centre[a] = c.at[a];
    for (int k = 0; k < 3; k++) self.axes[a][k] = e.at[k];
  }
  self.radius = 0;
  return self;
}

/* Returns the largest coordinate along n of a solid about its centre. */
static double support(const solid *self, const double n[3]) {
  double sum = self->radius;
  for (int a = 0; a < 3; a++) sum += self->half[a] * fabs(mbs_dot(n, self->axes[a]));
  return sum;
}

/* Takes the direction n, of any length, for the one along which the solids are farthest apart, if it is. */
static void try_direction(solids *self, const double n[3], double *most) {
  const double length = sqrt(mbs_dot(n, n));
  double unit[3], to[3];
  if (length * length <= mbs_edges_parallel) return;
  for (int k = 0; k < 3; k++) {
    unit[k] = n[k] / length;
    to[k] = self->two.centre[k] - self->one.centre[k];
  }
  const double along = mbs_dot(unit, to), apart = fabs(along) - support(&self->one, unit) - support(&self->two, unit);
  if (!(apart > *most)) return;
  *most = apart;
  for (int k = 0; k < 3; k++) self->apart[k] = along < 0 ? -unit[k] : unit[k];
}

static solids solids_of(const mbs_contact_pair *pair) {
  solids self = {.one = solid_of(pair->system, pair->body, pair->target),
                 .two = solid_of(pair->system, pair->round_body, pair->round),
                 .far = pair->system->constants->extent};
  double most = -INFINITY, n[3];
  for (int a = 0; a < 3 && self.one.edges == BOX_EDGES; a++) try_direction(&self, self.one.axes[a], &most);
  for (int a = 0; a < 3 && self.two.edges == BOX_EDGES; a++) try_direction(&self, self.two.axes[a], &most);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      mbs_cross(self.one.axes[a], self.two.axes[b], n);
      try_direction(&self, n, &most);
    }
  return self;
}

static double middle_of(const solid *self, const edge *e, int k) {
  double x = self->centre[k];
  for (int i = 0; i < 2; i++) x += e->sign[i] * self->half[e->across[i]] * self->axes[e->across[i]][k];
  return x;
}

/* Computes the distance of two edges along their common normal, and returns by how much they do not touch there: they
 * cross beyond an end, or at a far side. A normal that is not between those of the two faces of an edge needs no
 * condition: then a face is nearer to the other solid, at the end of an edge or at another crossing. */
static double edges_apart(const solids *self, int number, double *room) {
  const solid *one = &self->one, *two = &self->two;
  const edge a = edge_number(one, number / BOX_EDGES), b = edge_number(two, number % BOX_EDGES);
  const double *e1 = one->axes[a.along], *e2 = two->axes[b.along];
  double n[3], d[3], out = 0, s1, s2;
  mbs_cross(e1, e2, n);
  const double length = sqrt(mbs_dot(n, n));
  *room = self->far;
  if (length * length <= mbs_edges_parallel) return self->far;
  for (int k = 0; k < 3; k++) {
    n[k] /= length;
    d[k] = middle_of(two, &b, k) - middle_of(one, &a, k);
    for (int i = 0; i < 2; i++) out += a.sign[i] * n[k] * one->axes[a.across[i]][k];
  }
  if (one->edges == 1) out = mbs_dot(n, d);
  for (int k = 0; k < 3 && out < 0; k++) n[k] = -n[k];
  solve_pair(1, -mbs_dot(e1, e2), 1, mbs_dot(d, e1), -mbs_dot(d, e2), &s1, &s2);
  const double size = 2 * fmin(one->half[a.along], two->half[b.along]), slack = mbs_contact_on_line * size;
  *room = mbs_dot(n, d) - one->radius - two->radius;
  const double beside = fmax(fabs(s1) - one->half[a.along], fabs(s2) - two->half[b.along]) + 0.5 * slack;
  /* edges at the far sides of the solids have normals of their own, but the solids do not touch there */
  return one->edges == 1 ? beside : fmax(beside, size * (far_side - mbs_dot(n, self->apart)));
}

int mbs_contact_edges_choose(const mbs_contact_pair *pair, int rank, const int *taken, int count) {
  const solids self = solids_of(pair);
  double distances[BOX_EDGES * BOX_EDGES];
  int best = -1;
  for (int i = 0; i < BOX_EDGES * BOX_EDGES; i++) {
    double room;
    distances[i] = NAN;
    if (i / BOX_EDGES >= self.one.edges || i % BOX_EDGES >= self.two.edges) continue;
    const double beside = edges_apart(&self, i, &room);
    distances[i] = fmax(beside, room);
  }
  for (int k = 0; k < count; k++) distances[taken[k] - 1] = NAN;
  for (int k = 0; k <= rank; k++) {
    if (best >= 0) distances[best] = NAN;
    best = -1;
    for (int i = 0; i < BOX_EDGES * BOX_EDGES; i++)
      if (!isnan(distances[i]) && (best < 0 || distances[i] < distances[best])) best = i;
    if (best < 0) break;
  }
  return best + 1;
}

double mbs_contact_edges_beside(const mbs_contact_pair *pair, int number) {
  const solids self = solids_of(pair);
  double room;
  return number > 0 ? edges_apart(&self, number - 1, &room) : self.far;
}

static line edge_line(const mbs_system *system, int body, const mbs_contact_shape *shape, int number) {
  double middle[3], direction[3];
  (void)edge_in_body(shape, number, middle, direction);
  return (line){.c = mbs_moving_point(system, body, middle), .e = mbs_moving_vector(system, body, direction)};
}

/* n = +- e1 x e2 / norm(e1 x e2), outward from the first; gap = n.(c2 - c1) - the radii. theory (7.31) */
mbs_contact_place mbs_contact_edges_at(const mbs_contact_pair *pair, int number) {
  const solid first = {.edges = pair->target->kind == MBS_CONTACT_BOX ? BOX_EDGES : 1};
  if (number == 0) return (mbs_contact_place){.room = pair->system->constants->extent};
  line one = edge_line(pair->system, pair->body, pair->target, (number - 1) / BOX_EDGES);
  line two = edge_line(pair->system, pair->round_body, pair->round, (number - 1) % BOX_EDGES);
  const mbs_moving w = mbs_moving_cross(&one.e, &two.e), d = between(&one, &two);
  const double radii = (first.edges == 1 ? pair->target->radius : 0) + pair->round->radius;
  mbs_contact_place out = {.n = mbs_moving_unit(&w, NULL)};
  double outward = mbs_dot(out.n.at, d.at);
  if (first.edges == BOX_EDGES) {
    const edge e = edge_number(&first, (number - 1) / BOX_EDGES);
    outward = 0;
    for (int i = 0; i < 2; i++) {
      const mbs_moving axis = mbs_moving_vector(pair->system, pair->body, pair->target->A + 3 * e.across[i]);
      outward += e.sign[i] * mbs_dot(out.n.at, axis.at);
    }
  }
  for (int k = 0; k < 3 && outward < 0; k++) {
    out.n.at[k] = -out.n.at[k];
    out.n.rate[k] = -out.n.rate[k];
  }
  solve_pair(1, -mbs_dot(one.e.at, two.e.at), 1, mbs_dot(d.at, one.e.at), -mbs_dot(d.at, two.e.at), &one.s, &two.s);
  find_place_rates(&one, &two);
  out.room = mbs_dot(out.n.at, d.at) - radii;
  out.p = place_on(&two, pair->round->radius, &out.n);
  return out;
}
