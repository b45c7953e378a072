/* Chains and random mechanisms in space; see models.h. */
#include "models.h"

#include "base/rotation.h"
#include "list.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 32 };

typedef struct body {
  double r[3], p[4], A[9];
  size_t number; /* number in the document, from 1; 0 is the ground */
  double points[PLACES][3], vectors[PLACES][3];
  size_t point_count, vector_count;
} body;

typedef struct mechanism {
  uint64_t seed, first_seed; /* current state, and initial value */
  body *bodies;
  size_t count; /* including the ground */
  int freedoms;
  text_list *joints;
} mechanism;

static void random_vector(mechanism *m, double out[3]) {
  for (int k = 0; k < 3; k++) out[k] = models_uniform(&m->seed);
}

static void random_direction(mechanism *m, double out[3]) {
  double length;
  do {
    random_vector(m, out);
    length = sqrt(mbs_dot(out, out));
  } while (length < 0.1);
  for (int k = 0; k < 3; k++) out[k] /= length;
}

static size_t pick(mechanism *m, size_t count) {
  size_t k = (size_t)((models_uniform(&m->seed) + 1) / 2 * (double)count);
  return k < count ? k : count - 1;
}

/* Add points and vectors of a body at global places. Return their indices. */
static size_t add_point(body *b, const double at[3]) {
  double reach[3] = {at[0] - b->r[0], at[1] - b->r[1], at[2] - b->r[2]};
  if (b->point_count == PLACES) abort();
  mbs_rotate_back(b->A, reach, b->points[b->point_count]);
  return b->point_count++;
}

static size_t add_vector(body *b, const double u[3]) {
  if (b->vector_count == PLACES) abort();
  mbs_rotate_back(b->A, u, b->vectors[b->vector_count]);
  return b->vector_count++;
}

static void name_of(const body *b, char out[24]) {
  if (b->number)
    snprintf(out, 24, "b%zu", b->number);
  else
    snprintf(out, 24, "ground");
}

/* Constraints of a type of joint, so that the joint fits the poses of the bodies. */
typedef struct kind {
  const char *type;
  int rows;
  enum { SAME_POINT, ON_AXIS, IN_PLANE, ANYWHERE } points;
  enum { NO_VECTORS, FIRST_ONLY, PARALLEL, ACROSS } vectors;
  const char *more; /* further fields after a comma */
} kind;

static const kind tree_kinds[] = {
    {"revolute", 5, SAME_POINT, PARALLEL, ""},    {"prismatic", 5, ON_AXIS, PARALLEL, ""},
    {"cylindrical", 4, ON_AXIS, PARALLEL, ""},    {"universal", 4, SAME_POINT, ACROSS, ""},
    {"spherical", 3, SAME_POINT, NO_VECTORS, ""}, {"planar", 3, IN_PLANE, PARALLEL, ""},
    {"fixed", 6, SAME_POINT, NO_VECTORS, ""},
};

#define CUT PART(, "cut": true)

static const kind loop_kinds[] = {
    {"rod", 1, ANYWHERE, NO_VECTORS, ""},
    {"dot-2", 1, IN_PLANE, FIRST_ONLY, ""},
    {"revolute-spherical", 2, IN_PLANE, FIRST_ONLY, ""},
    {"spherical", 3, SAME_POINT, NO_VECTORS, CUT},
    {"universal", 4, SAME_POINT, ACROSS, CUT},
    {"cylindrical", 4, ON_AXIS, PARALLEL, CUT},
    {"planar", 3, IN_PLANE, PARALLEL, CUT},
};

static void write_joint(mechanism *m, const kind *k, body *one, body *two) {
  double at[3], u[3], w[3], slide = models_uniform(&m->seed);
  char name1[24], name2[24], sides[80] = "";
  random_vector(m, at);
  for (int i = 0; i < 3; i++) at[i] += 0.5 * (one->r[i] + two->r[i]);
  random_direction(m, u);
  random_direction(m, w);
  double along = mbs_dot(u, w), length = sqrt(1 - along * along);
  for (int i = 0; i < 3; i++) w[i] = (w[i] - along * u[i]) / length;
  size_t p1 = add_point(one, at), v1 = 0, v2 = 0;
  for (int i = 0; i < 3; i++)
    at[i] += k->points == ON_AXIS    ? slide * u[i]
             : k->points == IN_PLANE ? w[i]
             : k->points == ANYWHERE ? u[i] + w[i]
                                     : 0;
  size_t p2 = add_point(two, at);
  if (k->vectors != NO_VECTORS) v1 = add_vector(one, u);
  if (k->vectors == PARALLEL || k->vectors == ACROSS) v2 = add_vector(two, k->vectors == ACROSS ? w : u);
  name_of(one, name1);
  name_of(two, name2);
  if (k->vectors == FIRST_ONLY) snprintf(sides, sizeof sides, PART(, "vectors": ["%s.u%zu"]), name1, v1);
  if (k->vectors == PARALLEL || k->vectors == ACROSS)
    snprintf(sides, sizeof sides, PART(, "vectors": ["%s.u%zu", "%s.u%zu"]), name1, v1, name2, v2);
  MODEL(joint,
      {"name": "j%zu", "type": "%s", "points": ["%s.p%zu", "%s.p%zu"]%s%s});
  list_add(m->joints, joint, m->joints->count, k->type, name1, p1, name2, p2, k->more, sides);
  m->freedoms -= k->rows;
}

static void add_tree_joint(mechanism *m, size_t i) {
  body *child = &m->bodies[i], *parent = &m->bodies[pick(m, i)];
  bool turned = models_uniform(&m->seed) < 0;
  size_t chosen = pick(m, sizeof tree_kinds / sizeof *tree_kinds + 1);
  m->freedoms += 6;
  if (chosen < sizeof tree_kinds / sizeof *tree_kinds)
    write_joint(m, &tree_kinds[chosen], turned ? child : parent, turned ? parent : child);
}

static void add_loop(mechanism *m) {
  size_t i = pick(m, m->count), j = pick(m, m->count - 1);
  const kind *k = &loop_kinds[pick(m, sizeof loop_kinds / sizeof *loop_kinds)];
  if (j >= i) j++;
  if (m->freedoms > k->rows) write_joint(m, k, &m->bodies[i], &m->bodies[j]);
}

/* Returns the members `points` and `vectors` of a body. */
static char *places(const body *b) {
  text_list *points = list_open(), *vectors = list_open();
  for (size_t k = 0; k < b->point_count; k++) {
    const double *p = b->points[k];
    list_add(points, PART("p%zu": [%.17g, %.17g, %.17g]), k, p[0], p[1], p[2]);
  }
  for (size_t k = 0; k < b->vector_count; k++) {
    const double *u = b->vectors[k];
    list_add(vectors, PART("u%zu": [%.17g, %.17g, %.17g]), k, u[0], u[1], u[2]);
  }
  return list_fill(PART("points": {%s}, "vectors": {%s}), points, vectors);
}

static void write_body(mechanism *m, text_list *bodies, const body *b) {
  double n[10];
  for (int k = 0; k < 10; k++) n[k] = models_uniform(&m->seed);
  char *where = places(b);
  MODEL(one,
      {"name": "b%zu", "mass": %.17g, "inertia": [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g],
       "initial": {"position": [%.17g, %.17g, %.17g],
                   "orientation": {"euler_parameters": [%.17g, %.17g, %.17g, %.17g]},
                   "velocity": [%.17g, %.17g, %.17g], "angular_velocity": [%.17g, %.17g, %.17g]},
       %s});
  list_add(bodies, one, b->number, 1.5 + n[0], 1 + 0.2 * n[1], 1.1 + 0.2 * n[2], 1.2 + 0.2 * n[3], 0.05 * n[1],
           0.05 * n[2], 0.05 * n[3], b->r[0], b->r[1], b->r[2], b->p[0], b->p[1], b->p[2], b->p[3], n[4], n[5], n[6],
           n[7], n[8], n[9], where);
  free(where);
}

static void write_forces(const mechanism *m, text_list *forces) {
  MODEL(spring,
      {"name": "s%zu", "type": "spring-damper", "points": ["%s.p0", "%s.p0"], "stiffness": 3, "free_length": 0.4,
       "damping": 0.3, "actuator": "0.1*l*sin(t)"});
  MODEL(torque,
      {"name": "n%zu", "type": "torque", "body": "%s", "value": ["0.2*b1.A12", "-0.1*b1.omega_y", 0.3],
       "frame": "%s"});
  MODEL(force,
      {"name": "f%zu", "type": "force", "point": "%s.p0", "value": [0.4, "0.2*b1.e2", "b1.vz"], "frame": "body"});
  for (size_t k = 0; k < m->count; k++) {
    char one[24], two[24];
    name_of(&m->bodies[k], one);
    name_of(&m->bodies[(k + 1) % m->count], two);
    const char *moving = m->bodies[k].number ? one : two;
    list_add(forces, spring, k, one, two);
    list_add(forces, torque, k, moving, k % 2 ? "body" : "global");
    list_add(forces, force, k, moving);
  }
}

/* Puts bodies in random poses; each has a point p0 to which springs attach. */
static void place_bodies(mechanism *m) {
  size_t bodies = m->count - 1;
  for (size_t i = 0; i < m->count; i++) {
    body *b = &m->bodies[i];
    double axis[3], at[3];
    b->number = i ? 1 + (i * 7 + m->first_seed) % bodies : 0; /* an order other than the tree's, if 7 is no divisor */
    if (bodies % 7 == 0) b->number = i;
    b->p[0] = 1;
    if (i > 0) {
      random_vector(m, b->r);
      random_direction(m, axis);
      mbs_euler_of_turn(axis, 2.5 * models_uniform(&m->seed), b->p);
    }
    mbs_euler_matrix(b->p, b->A);
    random_vector(m, at);
    for (int k = 0; k < 3; k++) at[k] += b->r[k];
    add_point(b, at);
  }
}

char *models_random_spatial(uint64_t seed, size_t count, size_t loops) {
  mechanism m = {.seed = seed, .first_seed = seed, .count = count + 1, .bodies = calloc(count + 1, sizeof(body))};
  text_list *ground = list_open(), *bodies = list_open(), *forces = list_open();
  m.joints = list_open();
  if (!m.bodies) abort();
  place_bodies(&m);
  for (size_t i = 1; i < m.count; i++) add_tree_joint(&m, i);
  for (size_t k = 0; k < loops; k++) add_loop(&m);
  char *where = places(&m.bodies[0]);
  list_add(ground, "%s", where);
  for (size_t n = 1; n < m.count; n++)
    for (size_t i = 1; i < m.count; i++)
      if (m.bodies[i].number == n) write_body(&m, bodies, &m.bodies[i]);
  write_forces(&m, forces);
  free(where);
  free(m.bodies);
  MODEL(document,
      {"space": "spatial", "gravity": [1, -3, -9.81],
       "ground": {%s},
       "bodies": [%s],
       "joints": [%s],
       "forces": [%s]});
  return list_fill(document, ground, bodies, m.joints, forces);
}

char *models_spatial_chain(size_t n, bool balls) {
  text_list *bodies = list_open(), *joints = list_open();
  MODEL(rod,
      {"name": "rod%zu", "mass": 1, "inertia": [0.09, 0.09, 0.01],
       "points": {"A": [0, 0, 0.5], "B": [0, 0, -0.5]}, "vectors": {"x": [1, 0, 0], "y": [0, 1, 0]}});
  MODEL(ball,
      {"name": "j%zu", "type": "spherical", "points": ["%s.B", "rod%zu.A"]});
  MODEL(hinge,
      {"name": "j%zu", "type": "revolute", "points": ["%s.B", "rod%zu.A"], "vectors": ["%s.%s", "rod%zu.%s"],
       "initial": {"position": 0.3, "velocity": 0.1}});
  for (size_t i = 1; i <= n; i++) {
    char before[32] = "ground";
    const char *axis = i % 2 ? "x" : "y";
    if (i > 1) snprintf(before, sizeof before, "rod%zu", i - 1);
    list_add(bodies, rod, i);
    if (balls) list_add(joints, ball, i, before, i);
    if (!balls) list_add(joints, hinge, i, before, i, before, axis, i, axis);
  }
  MODEL(chain,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"B": [0, 0, 0]}, "vectors": {"x": [1, 0, 0], "y": [0, 1, 0]}},
       "bodies": [%s],
       "joints": [%s]});
  return list_fill(chain, bodies, joints);
}
