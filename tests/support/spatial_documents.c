/* Chains and random mechanisms in space; see models.h. */
#include "base/rotation.h"
#include "models.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 32 };

typedef struct body {
  double r[3], p[4], A[9];
  size_t number; /* in the document, from 1 on; 0 is the ground */
  double points[PLACES][3], vectors[PLACES][3];
  size_t point_count, vector_count;
} body;

typedef struct mechanism {
  uint64_t seed;
  body *bodies;
  size_t count; /* with the ground */
  int freedoms;
  FILE *joints;
  size_t joint_count;
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

/* Points and vectors of a body at global places; their indices. */
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

/* What joints of a type keep, so that they fit where the bodies are. */
typedef struct kind {
  const char *type;
  int rows;
  enum { SAME_POINT, ON_AXIS, IN_PLANE, ANYWHERE } points;
  enum { NO_VECTORS, FIRST_ONLY, PARALLEL, ACROSS } vectors;
  const char *more;
} kind;

static const kind tree_kinds[] = {
    {"revolute", 5, SAME_POINT, PARALLEL, ""},    {"prismatic", 5, ON_AXIS, PARALLEL, ""},
    {"cylindrical", 4, ON_AXIS, PARALLEL, ""},    {"universal", 4, SAME_POINT, ACROSS, ""},
    {"spherical", 3, SAME_POINT, NO_VECTORS, ""}, {"planar", 3, IN_PLANE, PARALLEL, ""},
    {"fixed", 6, SAME_POINT, NO_VECTORS, ""},
};

static const kind loop_kinds[] = {
    {"rod", 1, ANYWHERE, NO_VECTORS, ""},
    {"dot-2", 1, IN_PLANE, FIRST_ONLY, ""},
    {"revolute-spherical", 2, IN_PLANE, FIRST_ONLY, ""},
    {"spherical", 3, SAME_POINT, NO_VECTORS, ", \"cut\": true"},
    {"universal", 4, SAME_POINT, ACROSS, ", \"cut\": true"},
    {"cylindrical", 4, ON_AXIS, PARALLEL, ", \"cut\": true"},
    {"planar", 3, IN_PLANE, PARALLEL, ", \"cut\": true"},
};

static void write_joint(mechanism *m, const kind *k, body *one, body *two) {
  double at[3], u[3], w[3], slide = models_uniform(&m->seed);
  char name1[24], name2[24];
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
  fprintf(m->joints, "%s{\"name\": \"j%zu\", \"type\": \"%s\", \"points\": [\"%s.p%zu\", \"%s.p%zu\"]%s",
          m->joint_count ? ",\n" : "\n", m->joint_count, k->type, name1, p1, name2, p2, k->more);
  if (k->vectors == FIRST_ONLY) fprintf(m->joints, ", \"vectors\": [\"%s.u%zu\"]", name1, v1);
  if (k->vectors == PARALLEL || k->vectors == ACROSS)
    fprintf(m->joints, ", \"vectors\": [\"%s.u%zu\", \"%s.u%zu\"]", name1, v1, name2, v2);
  fprintf(m->joints, "}");
  m->joint_count++;
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

static void write_places(FILE *out, const body *b) {
  fprintf(out, "\"points\": {");
  for (size_t k = 0; k < b->point_count; k++)
    fprintf(out, "%s\"p%zu\": [%.17g, %.17g, %.17g]", k ? ", " : "", k, b->points[k][0], b->points[k][1],
            b->points[k][2]);
  fprintf(out, "}, \"vectors\": {");
  for (size_t k = 0; k < b->vector_count; k++)
    fprintf(out, "%s\"u%zu\": [%.17g, %.17g, %.17g]", k ? ", " : "", k, b->vectors[k][0], b->vectors[k][1],
            b->vectors[k][2]);
  fprintf(out, "}");
}

static void write_body(mechanism *m, FILE *out, const body *b) {
  double n[10];
  for (int k = 0; k < 10; k++) n[k] = models_uniform(&m->seed);
  fprintf(out,
          "%s{\"name\": \"b%zu\", \"mass\": %.17g, \"inertia\": [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g],\n"
          "\"initial\": {\"position\": [%.17g, %.17g, %.17g], \"orientation\": {\"euler_parameters\": [%.17g, %.17g, "
          "%.17g, %.17g]}, \"velocity\": [%.17g, %.17g, %.17g], \"angular_velocity\": [%.17g, %.17g, %.17g]}, ",
          b->number > 1 ? ",\n" : "\n", b->number, 1.5 + n[0], 1 + 0.2 * n[1], 1.1 + 0.2 * n[2], 1.2 + 0.2 * n[3],
          0.05 * n[1], 0.05 * n[2], 0.05 * n[3], b->r[0], b->r[1], b->r[2], b->p[0], b->p[1], b->p[2], b->p[3], n[4],
          n[5], n[6], n[7], n[8], n[9]);
  write_places(out, b);
  fprintf(out, "}");
}

static void write_forces(const mechanism *m, FILE *out) {
  fprintf(out, "\"forces\": [");
  for (size_t k = 0; k < m->count; k++) {
    char one[24], two[24];
    name_of(&m->bodies[k], one);
    name_of(&m->bodies[(k + 1) % m->count], two);
    const char *moving = m->bodies[k].number ? one : two;
    fprintf(
        out,
        "%s{\"name\": \"s%zu\", \"type\": \"spring-damper\", \"points\": [\"%s.p0\", \"%s.p0\"], \"stiffness\": 3, "
        "\"free_length\": 0.4, \"damping\": 0.3, \"actuator\": \"0.1*l*sin(t)\"},\n"
        "{\"name\": \"n%zu\", \"type\": \"torque\", \"body\": \"%s\", \"value\": [\"0.2*b1.A12\", "
        "\"-0.1*b1.omega_y\", 0.3], \"frame\": \"%s\"},\n"
        "{\"name\": \"f%zu\", \"type\": \"force\", \"point\": \"%s.p0\", \"value\": [0.4, \"0.2*b1.e2\", \"b1.vz\"], "
        "\"frame\": \"body\"}",
        k ? ",\n" : "\n", k, one, two, k, moving, k % 2 ? "body" : "global", k, moving);
  }
  fprintf(out, "]");
}

char *models_random_spatial(uint64_t seed, size_t bodies, size_t loops) {
  char *joints = NULL, *text = NULL;
  size_t size;
  mechanism m = {.seed = seed, .count = bodies + 1, .bodies = calloc(bodies + 1, sizeof(body))};
  m.joints = open_memstream(&joints, &size);
  if (!m.bodies || !m.joints) abort();
  for (size_t i = 0; i < m.count; i++) {
    body *b = &m.bodies[i];
    double axis[3], at[3];
    b->number = i ? 1 + (i * 7 + seed) % bodies : 0; /* in another order than the tree's, where 7 is no divisor */
    if (bodies % 7 == 0) b->number = i;
    b->p[0] = 1;
    if (i > 0) {
      random_vector(&m, b->r);
      random_direction(&m, axis);
      mbs_euler_of_turn(axis, 2.5 * models_uniform(&m.seed), b->p);
    }
    mbs_euler_matrix(b->p, b->A);
    random_vector(&m, at);
    for (int k = 0; k < 3; k++) at[k] += b->r[k];
    add_point(b, at);
  }
  for (size_t i = 1; i < m.count; i++) add_tree_joint(&m, i);
  for (size_t k = 0; k < loops; k++) add_loop(&m);
  fclose(m.joints);
  FILE *out = open_memstream(&text, &size);
  if (!out) abort();
  fprintf(out, "{\"space\": \"spatial\", \"gravity\": [1, -3, -9.81], \"ground\": {");
  write_places(out, &m.bodies[0]);
  fprintf(out, "},\n\"bodies\": [");
  for (size_t n = 1; n < m.count; n++)
    for (size_t i = 1; i < m.count; i++)
      if (m.bodies[i].number == n) write_body(&m, out, &m.bodies[i]);
  fprintf(out, "],\n\"joints\": [%s],\n", joints);
  write_forces(&m, out);
  fprintf(out, "}");
  fclose(out);
  free(joints);
  free(m.bodies);
  return text;
}

char *models_spatial_chain(size_t n, bool balls) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) abort();
  fprintf(out, "{\"space\": \"spatial\", \"gravity\": [0, 0, -9.81], \"ground\": {\"points\": {\"B\": [0, 0, 0]}, "
               "\"vectors\": {\"x\": [1, 0, 0], \"y\": [0, 1, 0]}},\n\"bodies\": [");
  for (size_t i = 1; i <= n; i++)
    fprintf(out,
            "%s{\"name\": \"rod%zu\", \"mass\": 1, \"inertia\": [0.09, 0.09, 0.01], \"points\": {\"A\": [0, 0, 0.5], "
            "\"B\": [0, 0, -0.5]}, \"vectors\": {\"x\": [1, 0, 0], \"y\": [0, 1, 0]}}",
            i > 1 ? ",\n" : "\n", i);
  fprintf(out, "],\n\"joints\": [");
  for (size_t i = 1; i <= n; i++) {
    char before[32] = "ground";
    const char *axis = i % 2 ? "x" : "y";
    if (i > 1) snprintf(before, sizeof before, "rod%zu", i - 1);
    fprintf(out, "%s{\"name\": \"j%zu\", \"type\": \"%s\", \"points\": [\"%s.B\", \"rod%zu.A\"]", i > 1 ? ",\n" : "\n",
            i, balls ? "spherical" : "revolute", before, i);
    if (!balls)
      fprintf(out, ", \"vectors\": [\"%s.%s\", \"rod%zu.%s\"], \"initial\": {\"position\": 0.3, \"velocity\": 0.1}",
              before, axis, i, axis);
    fprintf(out, "}");
  }
  fprintf(out, "]}");
  fclose(out);
  return text;
}
