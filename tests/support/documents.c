/* Parametric documents; see models.h. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct writer {
  char *text;
  size_t size;
  FILE *out;
} writer;

static writer *writer_open(void) {
  writer *w = calloc(1, sizeof *w);
  w->out = w ? open_memstream(&w->text, &w->size) : NULL;
  if (!w || !w->out) abort();
  return w;
}

static char *writer_close(writer *w) {
  if (fclose(w->out) != 0) abort();
  char *text = w->text;
  free(w);
  return text;
}

static const char *comma(size_t i) { return i ? ",\n" : "\n"; }

/* ---- chains and four-bars ------------------------------------------------------------------------------------ */

char *models_chain(size_t n, double angle) {
  writer *w = writer_open();
  fprintf(w->out, "{\"space\": \"planar\", \"gravity\": [0, -9.81], \"ground\": {\"points\": {\"B\": [0, 0]}},\n"
                  "\"bodies\": [");
  for (size_t i = 0; i < n; i++)
    fprintf(
        w->out,
        "%s{\"name\": \"rod%zu\", \"mass\": 1, \"inertia\": \"1/12\", \"points\": {\"A\": [0, 0.5], \"B\": [0, -0.5]}}",
        comma(i), i + 1);
  fprintf(w->out, "],\n\"joints\": [");
  for (size_t i = 0; i < n; i++) {
    fprintf(w->out, "%s{\"name\": \"pin%zu\", \"type\": \"revolute\", \"points\": [", comma(i), i + 1);
    if (i == 0)
      fprintf(w->out, "\"ground.B\", \"rod1.A\"], \"initial\": {\"position\": %.17g}}", angle);
    else
      fprintf(w->out, "\"rod%zu.B\", \"rod%zu.A\"]}", i, i + 1);
  }
  fprintf(w->out, "]}");
  return writer_close(w);
}

static void write_rod(FILE *out, const char *kind, size_t i, double x, double y, const char *angle,
                      const char *motion) {
  fprintf(
      out,
      "%s{\"name\": \"%s%zu\", \"mass\": 1, \"inertia\": \"1/12\", \"points\": {\"A\": [-0.5, 0], \"B\": [0.5, 0]}, "
      "\"initial\": {\"position\": [%.17g, %.17g], \"angle\": \"%s\", %s}}",
      kind[0] == 'u' ? comma(i) : ",\n", kind, i, x, y, angle, motion);
}

char *models_four_bars(size_t n) {
  writer *w = writer_open();
  fprintf(w->out, "{\"space\": \"planar\", \"gravity\": [0, -9.81], \"ground\": {\"points\": {");
  for (size_t i = 0; i <= n; i++) fprintf(w->out, "%s\"O%zu\": [%zu, 0]", comma(i), i, i);
  fprintf(w->out, "}},\n\"bodies\": [");
  for (size_t i = 0; i <= n; i++)
    write_rod(w->out, "upright", i, (double)i, 0.5, "pi/2", "\"velocity\": [0.5, 0], \"angular_velocity\": -1");
  for (size_t i = 0; i < n; i++)
    write_rod(w->out, "coupler", i, (double)i + 0.5, 1, "0", "\"velocity\": [1, 0], \"angular_velocity\": 0");
  fprintf(w->out, "],\n\"joints\": [");
  for (size_t i = 0; i <= n; i++)
    fprintf(w->out, "%s{\"name\": \"A%zu\", \"type\": \"revolute\", \"points\": [\"ground.O%zu\", \"upright%zu.A\"]}",
            comma(i), i, i, i);
  for (size_t i = 0; i < n; i++)
    fprintf(w->out,
            ",\n{\"name\": \"B%zu\", \"type\": \"revolute\", \"points\": [\"upright%zu.B\", \"coupler%zu.A\"]},\n"
            "{\"name\": \"C%zu\", \"type\": \"revolute\", \"points\": [\"coupler%zu.B\", \"upright%zu.B\"]}",
            i, i, i, i, i, i + 1);
  fprintf(w->out, "]}");
  return writer_close(w);
}

/* ---- random mechanisms --------------------------------------------------------------------------------------- */

double models_uniform(uint64_t *seed) { /* splitmix64 */
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(z >> 11) * 0x1p-52 - 1;
}

static size_t pick(uint64_t *seed, size_t count) {
  size_t k = (size_t)((models_uniform(seed) + 1) / 2 * (double)count);
  return k < count ? k : count - 1;
}

typedef struct place {
  double x, y;
} place;

enum { PLACES_MAX = 64 };

typedef struct random_body {
  place r;
  double angle;
  size_t number; /* in the document, from 1 on; 0 is the ground */
  place points[PLACES_MAX], vectors[PLACES_MAX];
  size_t point_count, vector_count;
} random_body;

typedef struct random_mechanism {
  uint64_t seed;
  random_body *bodies;
  size_t count; /* with the ground */
  int freedoms;
  writer *joints;
  size_t joint_count;
} random_mechanism;

static place to_body(const random_body *body, double x, double y) {
  double c = cos(body->angle), s = sin(body->angle);
  return (place){c * x + s * y, -s * x + c * y};
}

/* A place near another one. The order of calls is fixed, so that every compiler makes the same mechanism. */
static place near(random_mechanism *m, double x, double y) {
  x += models_uniform(&m->seed);
  y += models_uniform(&m->seed);
  return (place){x, y};
}

/* A point of a body at a global place; its index. */
static size_t add_point(random_body *body, double x, double y) {
  if (body->point_count == PLACES_MAX) abort();
  body->points[body->point_count] = to_body(body, x - body->r.x, y - body->r.y);
  return body->point_count++;
}

static size_t add_vector(random_body *body, double x, double y) {
  if (body->vector_count == PLACES_MAX) abort();
  body->vectors[body->vector_count] = to_body(body, x, y);
  return body->vector_count++;
}

static const char *name_of(const random_body *body, char out[24]) {
  if (body->number == 0) return "ground";
  snprintf(out, 24, "b%zu", body->number);
  return out;
}

/* "one.pI", "two.pJ" and, where there are vectors, theirs. */
static void write_sides(random_mechanism *m, random_body *one, random_body *two, const size_t at[4], int vectors) {
  char text1[24], text2[24];
  const char *name1 = name_of(one, text1), *name2 = name_of(two, text2);
  fprintf(m->joints->out, "\"points\": [\"%s.p%zu\", \"%s.p%zu\"]", name1, at[0], name2, at[1]);
  if (vectors == 1) fprintf(m->joints->out, ", \"vectors\": [\"%s.u%zu\"]", name1, at[2]);
  if (vectors == 2) fprintf(m->joints->out, ", \"vectors\": [\"%s.u%zu\", \"%s.u%zu\"]", name1, at[2], name2, at[3]);
}

static void begin_joint(random_mechanism *m, const char *type) {
  fprintf(m->joints->out, "%s{\"name\": \"j%zu\", \"type\": \"%s\", ", comma(m->joint_count), m->joint_count, type);
  m->joint_count++;
}

static void add_revolute(random_mechanism *m, random_body *one, random_body *two, const char *type) {
  place pin = near(m, 0.5 * (one->r.x + two->r.x), 0.5 * (one->r.y + two->r.y));
  size_t at[4] = {add_point(one, pin.x, pin.y), add_point(two, pin.x, pin.y), 0, 0};
  begin_joint(m, type);
  write_sides(m, one, two, at, 0);
  fprintf(m->joints->out, "}");
}

static void add_slide(random_mechanism *m, random_body *one, random_body *two, bool slot) {
  double direction = 3 * models_uniform(&m->seed), c = cos(direction), s = sin(direction);
  place p1 = near(m, one->r.x, one->r.y);
  double slide = 1.5 * models_uniform(&m->seed), offset = slot ? models_uniform(&m->seed) : 0;
  size_t at[4] = {add_point(one, p1.x, p1.y),
                  add_point(two, p1.x + slide * c - offset * s, p1.y + slide * s + offset * c), add_vector(one, c, s),
                  slot ? 0 : add_vector(two, c, s)};
  begin_joint(m, slot ? "revolute-translational" : "translational");
  write_sides(m, one, two, at, slot ? 1 : 2);
  if (slot) fprintf(m->joints->out, ", \"offset\": %.17g", offset);
  fprintf(m->joints->out, "}");
}

static void add_rod(random_mechanism *m, random_body *one, random_body *two) {
  place p1 = near(m, one->r.x, one->r.y), p2 = near(m, two->r.x, two->r.y + 3);
  size_t at[4] = {add_point(one, p1.x, p1.y), add_point(two, p2.x, p2.y), 0, 0};
  begin_joint(m, "rod");
  write_sides(m, one, two, at, 0);
  fprintf(m->joints->out, "}");
}

static void add_disc(random_mechanism *m, random_body *body) {
  double direction = 3 * models_uniform(&m->seed), c = cos(direction), s = sin(direction);
  double radius = 0.7 + 0.5 * models_uniform(&m->seed), slide = models_uniform(&m->seed);
  place centre = near(m, body->r.x, body->r.y);
  random_body *ground = &m->bodies[0];
  size_t at[4] = {add_point(ground, centre.x + radius * s - slide * c, centre.y - radius * c - slide * s),
                  add_point(body, centre.x, centre.y), add_vector(ground, c, s), 0};
  begin_joint(m, "disc");
  write_sides(m, ground, body, at, 1);
  fprintf(m->joints->out, ", \"radius\": %.17g}", radius);
}

/* The joint that holds body i in the tree, or none. */
static void add_tree_joint(random_mechanism *m, size_t i) {
  random_body *child = &m->bodies[i], *parent = &m->bodies[pick(&m->seed, i)];
  bool turned = models_uniform(&m->seed) < 0;
  random_body *one = turned ? child : parent, *two = turned ? parent : child;
  double kind = (models_uniform(&m->seed) + 1) / 2;
  char name[24];
  m->freedoms += 3;
  if (kind < 0.55) {
    add_revolute(m, one, two, "revolute");
    m->freedoms -= 2;
  } else if (kind < 0.7) {
    add_slide(m, one, two, false);
    m->freedoms -= 2;
  } else if (kind < 0.82) {
    add_slide(m, one, two, true);
    m->freedoms -= 1;
  } else if (kind < 0.9) {
    add_disc(m, child);
    m->freedoms -= 2;
  } else if (kind < 0.94) {
    add_revolute(m, one, two, "rigid");
    m->freedoms -= 3;
  } else if (kind < 0.97) {
    begin_joint(m, "floating");
    fprintf(m->joints->out, "\"body\": \"%s\"}", name_of(child, name));
  }
}

static void add_loop(random_mechanism *m) {
  size_t i = pick(&m->seed, m->count), j = pick(&m->seed, m->count - 1);
  if (j >= i) j++;
  random_body *one = &m->bodies[i], *two = &m->bodies[j];
  size_t kind = pick(&m->seed, 3);
  if (kind == 0 && m->freedoms > 2) {
    add_revolute(m, one, two, "revolute");
    m->freedoms -= 2;
  } else if (kind == 1 && m->freedoms > 1) {
    add_slide(m, one, two, true);
    m->freedoms--;
  } else if (m->freedoms > 1) {
    add_rod(m, one, two);
    m->freedoms--;
  }
}

static void write_places(FILE *out, const random_body *body) {
  fprintf(out, "\"points\": {");
  for (size_t k = 0; k < body->point_count; k++)
    fprintf(out, "%s\"p%zu\": [%.17g, %.17g]", k ? ", " : "", k, body->points[k].x, body->points[k].y);
  fprintf(out, "}, \"vectors\": {");
  for (size_t k = 0; k < body->vector_count; k++)
    fprintf(out, "%s\"u%zu\": [%.17g, %.17g]", k ? ", " : "", k, body->vectors[k].x, body->vectors[k].y);
  fprintf(out, "}");
}

static void write_forces(random_mechanism *m, FILE *out) {
  fprintf(out, "\"forces\": [");
  for (size_t k = 0; k < m->count; k++) {
    char text1[24], text2[24];
    const random_body *one = &m->bodies[k], *two = &m->bodies[(k + 1) % m->count];
    fprintf(
        out,
        "%s{\"name\": \"s%zu\", \"type\": \"spring-damper\", \"points\": [\"%s.p0\", \"%s.p0\"], \"stiffness\": 3, "
        "\"free_length\": 0.4, \"damping\": 0.3, \"actuator\": \"0.1*l*sin(t)\"},\n"
        "{\"name\": \"n%zu\", \"type\": \"torque\", \"body\": \"%s\", \"value\": \"0.2*cos(b1.phi) - 0.1*b1.omega\"}",
        comma(k), k, name_of(one, text1), name_of(two, text2), k, name_of(one->number ? one : two, text1));
  }
  fprintf(out, "]");
}

/* Bodies at random places, in random order; each has a point p0 where springs hold on. Returns order[number] = body. */
static size_t *place_bodies(random_mechanism *m) {
  size_t *order = calloc(m->count, sizeof *order);
  m->bodies = calloc(m->count, sizeof *m->bodies);
  if (!m->bodies || !order) abort();
  for (size_t i = 0; i < m->count; i++) {
    random_body *body = &m->bodies[i];
    if (i > 0) {
      body->r = near(m, 0, 0);
      body->angle = 3 * models_uniform(&m->seed);
    }
    place p0 = near(m, body->r.x, body->r.y);
    add_point(body, p0.x, p0.y);
    if (i == 0) continue;
    size_t k = 1 + pick(&m->seed, i); /* a random permutation, as it grows */
    order[i] = order[k];
    order[k] = i;
  }
  for (size_t n = 1; n < m->count; n++) m->bodies[order[n]].number = n;
  return order;
}

static void write_body(random_mechanism *m, FILE *out, size_t n, const random_body *body) {
  double mass = 1.5 + models_uniform(&m->seed), inertia = 0.6 + 0.5 * models_uniform(&m->seed);
  place velocity = near(m, 0, 0);
  double rate = models_uniform(&m->seed);
  fprintf(out,
          "%s{\"name\": \"b%zu\", \"mass\": %.17g, \"inertia\": %.17g, \"initial\": {\"position\": [%.17g, %.17g], "
          "\"angle\": %.17g, \"velocity\": [%.17g, %.17g], \"angular_velocity\": %.17g}, ",
          comma(n - 1), n, mass, inertia, body->r.x, body->r.y, body->angle, velocity.x, velocity.y, rate);
  write_places(out, body);
  fprintf(out, "}");
}

char *models_random(uint64_t seed, size_t bodies, size_t loops) {
  random_mechanism m = {.seed = seed, .count = bodies + 1, .joints = writer_open()};
  size_t *order = place_bodies(&m);
  for (size_t i = 1; i < m.count; i++) add_tree_joint(&m, i);
  for (size_t k = 0; k < loops; k++) add_loop(&m);
  char *joints = writer_close(m.joints);
  writer *w = writer_open();
  fprintf(w->out, "{\"space\": \"planar\", \"gravity\": [1, -9.81], \"ground\": {");
  write_places(w->out, &m.bodies[0]);
  fprintf(w->out, "},\n\"bodies\": [");
  for (size_t n = 1; n < m.count; n++) write_body(&m, w->out, n, &m.bodies[order[n]]);
  fprintf(w->out, "],\n\"joints\": [%s],\n", joints);
  write_forces(&m, w->out);
  fprintf(w->out, "}");
  free(joints);
  free(order);
  free(m.bodies);
  return writer_close(w);
}
