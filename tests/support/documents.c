/* Parametric documents; see models.h. */
#include "models.h"

#include "list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- chains and four-bars ------------------------------------------------------------------------------------ */

char *models_chain(size_t n, double angle) {
  text_list *bodies = list_open(), *joints = list_open();
  MODEL(rod,
      {"name": "rod%zu", "mass": 1, "inertia": "1/12", "points": {"A": [0, 0.5], "B": [0, -0.5]}});
  MODEL(first_pin,
      {"name": "pin1", "type": "revolute", "points": ["ground.B", "rod1.A"], "initial": {"position": %.17g}});
  MODEL(pin,
      {"name": "pin%zu", "type": "revolute", "points": ["rod%zu.B", "rod%zu.A"]});
  for (size_t i = 1; i <= n; i++) {
    list_add(bodies, rod, i);
    if (i == 1) list_add(joints, first_pin, angle);
    if (i > 1) list_add(joints, pin, i, i - 1, i);
  }
  MODEL(chain,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"B": [0, 0]}},
       "bodies": [%s],
       "joints": [%s]});
  return list_fill(chain, bodies, joints);
}

const char models_parallel_cranks[] = JSON({
  "space": "planar",
  "parameters": {"a": 0.5, "e": 0},
  "ground": {"points": {"O": [0, 0], "C": [1, 0], "E": [0.5, 0]}},
  "bodies": [
    {"name": "l", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0], "B": ["a", 0]}},
    {"name": "k", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0], "B": [1, 0], "E": [0.5, 0]}},
    {"name": "r", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0], "B": ["a", 0]}},
    {"name": "m", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0], "B": ["a+e", 0]}}
  ],
  "joints": [
    {"name": "O", "type": "revolute", "points": ["ground.O", "l.A"], "initial": {"position": 0.7}},
    {"name": "A", "type": "revolute", "points": ["l.B", "k.A"], "initial": {"position": -0.7}},
    {"name": "C", "type": "revolute", "points": ["ground.C", "r.A"], "initial": {"position": 0.7}},
    {"name": "B", "type": "revolute", "points": ["k.B", "r.B"], "cut": true},
    {"name": "E", "type": "revolute", "points": ["ground.E", "m.A"], "initial": {"position": 0.7}},
    {"name": "F", "type": "revolute", "points": ["k.E", "m.B"], "cut": true}
  ]
});

char *models_with_forces(const char *chain, bool spatial, int which) {
  static const char spring[] = JSON({
    "name": "s",
    "type": "spring-damper",
    "points": ["ground.B", "rod2.B"],
    "stiffness": "k",
    "free_length": "l0",
    "damping": "k/20",
    "actuator": 2
  });
  char *spring_of_laws = models_text(JSON({
                                       "name": "S",
                                       "type": "spring-damper",
                                       "points": ["rod1.A", "rod3.B"],
                                       "stiffness": "k*(1 + l*tanh(l - 1)^2)",
                                       "free_length": "l0 + 0.1*sin(3*t)",
                                       "damping": "exp(-ld^2) + sqrt(l0)",
                                       "actuator": "%s"
                                     }),
                                     spatial ? "k/(2 + rod2.z^-2) - 2*cos(rod2.omega_y) + rod2.e1*rod3.A23"
                                             : "if(1, k/(2 + rod1.x^-2), 3) - 2*cos(rod2.phi) + abs(k)");
  char *turning_spring = models_text(JSON({
                                       "name": "r",
                                       "type": "rotational-spring-damper",
                                       "joint": "%s",
                                       "stiffness": "k",
                                       "free_angle": "l0",
                                       "damping": 0.3,
                                       "actuator": "k/7"
                                     }),
                                     spatial ? "j2" : "pin2");
  const char *const planar_forces[MODELS_FORCES + 1] = {
      spring,
      spring_of_laws,
      turning_spring,
      JSON({
        "name": "R",
        "type": "rotational-spring-damper",
        "bodies": ["rod1", "rod3"],
        "stiffness": "k + q*qd",
        "free_angle": "l0*sin(q)",
        "damping": "0.1*(2 + cos(pin1.q - rod2.omega))"
      }),
      JSON({"name": "f", "type": "force", "point": "rod3.B", "value": ["k", "-l0"], "frame": "body"}),
      JSON({"name": "F", "type": "force", "body": "rod2", "value": ["k*sin(t)", "l0*atan2(rod3.B.y, rod3.B.vx)"]}),
      JSON({"name": "n", "type": "torque", "body": "rod2", "value": "k/5 - l0"}),
      JSON({"name": "N", "type": "torque", "body": "rod3", "value": "-l0*rod3.omega*pin3.qd^2 + k"}),
      JSON({"name": "G", "type": "force", "body": "rod1", "value": ["s.force*l0", "0.1*F.fy - R.torque"]})};
  const char *const spatial_forces[MODELS_FORCES + 1] = {
      spring,
      spring_of_laws,
      turning_spring,
      JSON({
        "name": "R",
        "type": "rotational-spring-damper",
        "joint": "j3",
        "stiffness": "k + q*qd",
        "free_angle": "l0*sin(q)",
        "damping": "0.1*(2 + cos(j1.q - rod2.omega_x))"
      }),
      JSON({"name": "f", "type": "force", "point": "rod3.B", "value": ["k", "-l0", 1], "frame": "body"}),
      JSON({
        "name": "F",
        "type": "force",
        "body": "rod2",
        "value": ["k*sin(t)", "l0*atan2(rod3.B.y, rod3.B.vx)", "-rod2.vz"]
      }),
      JSON({"name": "n", "type": "torque", "body": "rod2", "value": ["k/5", 0.1, "l0"], "frame": "body"}),
      JSON(
          {"name": "N", "type": "torque", "body": "rod3", "value": ["-l0*rod3.omega_x^3", "-0.02*k*j3.qd", "rod3.e0"]}),
      JSON({"name": "G", "type": "force", "body": "rod1", "value": ["s.force*l0", "0.1*F.fy - R.torque", "N.tx"]})};
  const char *const *forces = spatial ? spatial_forces : planar_forces;
  text_list *all = list_open();
  for (int i = 0; i <= MODELS_FORCES; i++)
    if (which == MODELS_ALL_FORCES || i == which) list_add(all, "%s", forces[i]);
  char *text = list_fill("{\"parameters\": {\"k\": 5, \"l0\": 0.4}, \"forces\": [%s]}", all, NULL);
  char *out = models_merged(chain, text);
  free(text);
  free(spring_of_laws);
  free(turning_spring);
  return out;
}

char *models_four_bars(size_t n) {
  text_list *points = list_open(), *bodies = list_open(), *joints = list_open();
  MODEL(upright,
      {"name": "upright%zu", "mass": 1, "inertia": "1/12", "points": {"A": [-0.5, 0], "B": [0.5, 0]},
       "initial": {"position": [%zu, 0.5], "angle": "pi/2", "velocity": [0.5, 0], "angular_velocity": -1}});
  MODEL(coupler,
      {"name": "coupler%zu", "mass": 1, "inertia": "1/12", "points": {"A": [-0.5, 0], "B": [0.5, 0]},
       "initial": {"position": [%zu.5, 1], "angle": "0", "velocity": [1, 0], "angular_velocity": 0}});
  MODEL(pin_a, {"name": "A%zu", "type": "revolute", "points": ["ground.O%zu", "upright%zu.A"]});
  MODEL(pin_b, {"name": "B%zu", "type": "revolute", "points": ["upright%zu.B", "coupler%zu.A"]});
  MODEL(pin_c, {"name": "C%zu", "type": "revolute", "points": ["coupler%zu.B", "upright%zu.B"]});
  for (size_t i = 0; i <= n; i++) {
    list_add(points, PART("O%zu": [%zu, 0]), i, i);
    list_add(bodies, upright, i, i);
    list_add(joints, pin_a, i, i, i);
  }
  for (size_t i = 0; i < n; i++) {
    list_add(bodies, coupler, i, i);
    list_add(joints, pin_b, i, i, i);
    list_add(joints, pin_c, i, i, i + 1);
  }
  MODEL(four_bars,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {%s}},
       "bodies": [%s],
       "joints": [%s]});
  return list_fill(four_bars, points, bodies, joints);
}

char *models_scissor_lift(size_t n, size_t slides) {
  const double angle = 0.5, c = cos(angle), s = sin(angle);
  text_list *bodies = list_open(), *joints = list_open();
  MODEL(rod,
      {"name": "%s%zu", "mass": 1, "inertia": "1/3", "points": {"A": [-1, 0], "M": [0, 0], "B": [1, 0]},
       "initial": {"position": [%.17g, %.17g], "angle": %.17g}});
  MODEL(foot, {"name": "foot", "type": "revolute", "points": ["ground.O", "p0.A"]});
  MODEL(middle, {"name": "m%zu", "type": "revolute", "points": ["p%zu.M", "q%zu.M"]});
  MODEL(left, {"name": "l%zu", "type": "revolute", "points": ["q%zu.B", "p%zu.A"]});
  MODEL(right, {"name": "r%zu", "type": "revolute", "points": ["p%zu.B", "q%zu.A"]});
  MODEL(slide,
      {"name": "slide%zu", "type": "revolute-translational", "points": ["ground.O", "q0.A"], "vectors": ["ground.e"]});
  list_add(joints, foot);
  for (size_t i = 0; i < n; i++) {
    const double height = (2 * (double)i + 1) * s;
    list_add(bodies, rod, "p", i, c, height, angle);
    list_add(bodies, rod, "q", i, c, height, 3.14159265358979323846 - angle);
    list_add(joints, middle, i, i, i);
    if (i == 0) continue;
    list_add(joints, left, i, i - 1, i);
    list_add(joints, right, i, i - 1, i);
  }
  for (size_t k = 0; k < slides; k++) list_add(joints, slide, k);
  MODEL(lift,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"e": [1, 0]}},
       "bodies": [%s],
       "joints": [%s]});
  return list_fill(lift, bodies, joints);
}

/* Adds a rod of a net to a list of bodies. */
static void add_net_rod(text_list *bodies, bool spatial, const char *kind, size_t i, size_t j, const double place[3]) {
  MODEL(planar_rod,
      {"name": "%s%zu_%zu", "mass": 1, "inertia": "1/12", "points": {"A": [-0.5, 0], "B": [0.5, 0]},
       "initial": {"position": [%.17g, %.17g], "angle": %.17g}});
  MODEL(spatial_rod,
      {"name": "%s%zu_%zu", "mass": 1, "inertia": [0.01, "1/12", "1/12"],
       "points": {"A": [-0.5, 0, 0], "B": [0.5, 0, 0]},
       "initial": {"position": [%.17g, %.17g, 0], "orientation": {"axis": [0, 0, 1], "angle": %.17g}}});
  if (spatial)
    list_add(bodies, spatial_rod, kind, i, j, place[0], place[1], place[2]);
  else
    list_add(bodies, planar_rod, kind, i, j, place[0], place[1], place[2]);
}

static char *net_of(size_t n, bool spatial) {
  const double angle = 0.5, c = cos(angle), s = sin(angle), down = -3.14159265358979323846 / 2;
  text_list *bodies = list_open(), *joints = list_open();
  MODEL(knot, {"name": "k%zu", "type": "%s", "points": ["%s", "%s"]});
  for (size_t i = 0, next = 0; i <= n; i++)
    for (size_t j = 0; j <= n; j++) {
      const double x = (double)j * c, y = -(double)i + (j % 2 ? s : 0), middle = -(double)i + s / 2;
      if (j < n) add_net_rod(bodies, spatial, "h", i, j, (double[]){x + c / 2, middle, j % 2 ? -angle : angle});
      if (i < n) add_net_rod(bodies, spatial, "v", i, j, (double[]){x, y - 0.5, down});
      char ends[5][48];
      size_t count = 0;
      if (i == 0 && j == 0) snprintf(ends[count++], sizeof *ends, "ground.L");
      if (i == 0 && j == n) snprintf(ends[count++], sizeof *ends, "ground.R");
      if (j < n) snprintf(ends[count++], sizeof *ends, "h%zu_%zu.A", i, j);
      if (j > 0) snprintf(ends[count++], sizeof *ends, "h%zu_%zu.B", i, j - 1);
      if (i < n) snprintf(ends[count++], sizeof *ends, "v%zu_%zu.A", i, j);
      if (i > 0) snprintf(ends[count++], sizeof *ends, "v%zu_%zu.B", i - 1, j);
      for (size_t k = 1; k < count; k++)
        list_add(joints, knot, next++, spatial ? "spherical" : "revolute", ends[0], ends[k]);
    }
  text_list *right = list_open();
  list_add(right, "%.17g, %.17g", (double)n * c, n % 2 ? s : 0);
  MODEL(planar_net,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"L": [0, 0], "R": [%s]}},
       "bodies": [%s],
       "joints": [%s]});
  MODEL(spatial_net,
      {"space": "spatial", "gravity": [0, -9.81, 0],
       "ground": {"points": {"L": [0, 0, 0], "R": [%s, 0]}},
       "bodies": [%s],
       "joints": [%s]});
  return spatial ? list_fill(spatial_net, right, bodies, joints) : list_fill(planar_net, right, bodies, joints);
}

char *models_net(size_t n) { return net_of(n, false); }

char *models_spatial_net(size_t n) { return net_of(n, true); }

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
  size_t number; /* number in the document, from 1; 0 is the ground */
  place points[PLACES_MAX], vectors[PLACES_MAX];
  size_t point_count, vector_count;
} random_body;

typedef struct random_mechanism {
  uint64_t seed;
  random_body *bodies;
  size_t count; /* including the ground */
  int freedoms;
  text_list *joints;
} random_mechanism;

static place to_body(const random_body *body, double x, double y) {
  double c = cos(body->angle), s = sin(body->angle);
  return (place){c * x + s * y, -s * x + c * y};
}

/* Returns a place near another one. The order of calls is fixed, so that every compiler makes the same mechanism. */
static place near(random_mechanism *m, double x, double y) {
  x += models_uniform(&m->seed);
  y += models_uniform(&m->seed);
  return (place){x, y};
}

/* Adds the point of a body that is at a global place. Returns its index. */
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

/* Writes a joint. `at` has the indices of the points and, on the first `vectors` sides, of the vectors. `more` begins
 * with a comma. */
static void write_joint(random_mechanism *m, const char *type, const random_body *one, const random_body *two,
                        const size_t at[4], int vectors, const char *more) {
  char text1[24], text2[24], along[80] = "";
  const char *name1 = name_of(one, text1), *name2 = name_of(two, text2);
  if (vectors == 1) snprintf(along, sizeof along, PART(, "vectors": ["%s.u%zu"]), name1, at[2]);
  if (vectors == 2)
    snprintf(along, sizeof along, PART(, "vectors": ["%s.u%zu", "%s.u%zu"]), name1, at[2], name2, at[3]);
  MODEL(joint,
      {"name": "j%zu", "type": "%s", "points": ["%s.p%zu", "%s.p%zu"]%s%s});
  list_add(m->joints, joint, m->joints->count, type, name1, at[0], name2, at[1], along, more);
}

static void add_revolute(random_mechanism *m, random_body *one, random_body *two, const char *type) {
  place pin = near(m, 0.5 * (one->r.x + two->r.x), 0.5 * (one->r.y + two->r.y));
  size_t at[4] = {add_point(one, pin.x, pin.y), add_point(two, pin.x, pin.y), 0, 0};
  write_joint(m, type, one, two, at, 0, "");
}

static void add_slide(random_mechanism *m, random_body *one, random_body *two, bool slot) {
  double direction = 3 * models_uniform(&m->seed), c = cos(direction), s = sin(direction);
  place p1 = near(m, one->r.x, one->r.y);
  double slide = 1.5 * models_uniform(&m->seed), offset = slot ? models_uniform(&m->seed) : 0;
  size_t at[4] = {add_point(one, p1.x, p1.y),
                  add_point(two, p1.x + slide * c - offset * s, p1.y + slide * s + offset * c), add_vector(one, c, s),
                  slot ? 0 : add_vector(two, c, s)};
  char more[40] = "";
  if (slot) snprintf(more, sizeof more, PART(, "offset": %.17g), offset);
  write_joint(m, slot ? "revolute-translational" : "translational", one, two, at, slot ? 1 : 2, more);
}

static void add_rod(random_mechanism *m, random_body *one, random_body *two) {
  place p1 = near(m, one->r.x, one->r.y), p2 = near(m, two->r.x, two->r.y + 3);
  size_t at[4] = {add_point(one, p1.x, p1.y), add_point(two, p2.x, p2.y), 0, 0};
  write_joint(m, "rod", one, two, at, 0, "");
}

static void add_disc(random_mechanism *m, random_body *body) {
  double direction = 3 * models_uniform(&m->seed), c = cos(direction), s = sin(direction);
  double radius = 0.7 + 0.5 * models_uniform(&m->seed), slide = models_uniform(&m->seed);
  place centre = near(m, body->r.x, body->r.y);
  random_body *ground = &m->bodies[0];
  size_t at[4] = {add_point(ground, centre.x + radius * s - slide * c, centre.y - radius * c - slide * s),
                  add_point(body, centre.x, centre.y), add_vector(ground, c, s), 0};
  char more[40];
  snprintf(more, sizeof more, PART(, "radius": %.17g), radius);
  write_joint(m, "disc", ground, body, at, 1, more);
}

/* Adds the joint that connects body i to the tree, or none. */
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
    list_add(m->joints, JSON({"name": "j%zu", "type": "floating", "body": "%s"}), m->joints->count,
             name_of(child, name));
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

/* Returns the members `points` and `vectors` of a body. */
static char *places(const random_body *body) {
  text_list *points = list_open(), *vectors = list_open();
  for (size_t k = 0; k < body->point_count; k++)
    list_add(points, PART("p%zu": [%.17g, %.17g]), k, body->points[k].x, body->points[k].y);
  for (size_t k = 0; k < body->vector_count; k++)
    list_add(vectors, PART("u%zu": [%.17g, %.17g]), k, body->vectors[k].x, body->vectors[k].y);
  return list_fill(PART("points": {%s}, "vectors": {%s}), points, vectors);
}

static void write_forces(const random_mechanism *m, text_list *forces) {
  MODEL(spring,
      {"name": "s%zu", "type": "spring-damper", "points": ["%s.p0", "%s.p0"], "stiffness": 3, "free_length": 0.4,
       "damping": 0.3, "actuator": "0.1*l*sin(t)"});
  MODEL(torque,
      {"name": "n%zu", "type": "torque", "body": "%s", "value": "0.2*cos(b1.phi) - 0.1*b1.omega"});
  for (size_t k = 0; k < m->count; k++) {
    char text1[24], text2[24];
    const random_body *one = &m->bodies[k], *two = &m->bodies[(k + 1) % m->count];
    list_add(forces, spring, k, name_of(one, text1), name_of(two, text2));
    list_add(forces, torque, k, name_of(one->number ? one : two, text1));
  }
}

/* Puts bodies at random places in random order; each has a point p0 to which springs attach. Returns order[number] =
 * body. */
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
    size_t k = 1 + pick(&m->seed, i); /* extends a random permutation by one */
    order[i] = order[k];
    order[k] = i;
  }
  for (size_t n = 1; n < m->count; n++) m->bodies[order[n]].number = n;
  return order;
}

static void write_body(random_mechanism *m, text_list *bodies, size_t n, const random_body *body) {
  double mass = 1.5 + models_uniform(&m->seed), inertia = 0.6 + 0.5 * models_uniform(&m->seed);
  place velocity = near(m, 0, 0);
  double rate = models_uniform(&m->seed);
  char *where = places(body);
  MODEL(one,
      {"name": "b%zu", "mass": %.17g, "inertia": %.17g,
       "initial": {"position": [%.17g, %.17g], "angle": %.17g, "velocity": [%.17g, %.17g],
                   "angular_velocity": %.17g},
       %s});
  list_add(bodies, one, n, mass, inertia, body->r.x, body->r.y, body->angle, velocity.x, velocity.y, rate, where);
  free(where);
}

char *models_random(uint64_t seed, size_t count, size_t loops) {
  random_mechanism m = {.seed = seed, .count = count + 1, .joints = list_open()};
  text_list *ground = list_open(), *bodies = list_open(), *forces = list_open();
  size_t *order = place_bodies(&m);
  for (size_t i = 1; i < m.count; i++) add_tree_joint(&m, i);
  for (size_t k = 0; k < loops; k++) add_loop(&m);
  char *where = places(&m.bodies[0]);
  list_add(ground, "%s", where);
  for (size_t n = 1; n < m.count; n++) write_body(&m, bodies, n, &m.bodies[order[n]]);
  write_forces(&m, forces);
  free(where);
  free(order);
  free(m.bodies);
  MODEL(document,
      {"space": "planar", "gravity": [1, -9.81],
       "ground": {%s},
       "bodies": [%s],
       "joints": [%s],
       "forces": [%s]});
  return list_fill(document, ground, bodies, m.joints, forces);
}

/* ---- a row of masses ----------------------------------------------------------------------------------------- */

static void write_masses(FILE *out, int count) {
  fputs("\"bodies\": [", out);
  for (int i = 0; i < count; i++)
    fprintf(out,
            "%s{\"name\": \"b%d\", \"mass\": %g, \"inertia\": 0.1, \"points\": {\"P\": [0, 0]},"
            "\"vectors\": {\"x\": [1, 0]}}",
            i ? ", " : "", i, 1 + 0.05 * i);
  fputs("], \"joints\": [", out);
  for (int i = 0; i < count; i++)
    fprintf(out,
            "%s{\"name\": \"s%d\", \"type\": \"translational\", \"points\": [\"ground.P\", \"b%d.P\"],"
            "\"vectors\": [\"ground.x\", \"b%d.x\"], \"initial\": {\"position\": %g}}",
            i ? ", " : "", i, i, i, 0.5 * (i + 1));
}

char *models_row_of_masses(int count, const char *more) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) abort();
  fputs("{\"space\": \"planar\", \"gravity\": [\"g\", 0], \"parameters\": {\"g\": 9.81", out);
  for (int i = 0; i < count; i++) fprintf(out, ", \"k%d\": %d, \"c%d\": %g", i, 400 + 10 * i, i, 0.5 + 0.05 * i);
  fputs("}, \"ground\": {\"points\": {\"P\": [0, 0]}, \"vectors\": {\"x\": [1, 0]}}, ", out);
  write_masses(out, count);
  fputs("], \"forces\": [", out);
  for (int i = 0; i < count; i++) {
    char before[16] = "ground";
    if (i) snprintf(before, sizeof before, "b%d", i - 1);
    fprintf(out,
            "%s{\"name\": \"f%d\", \"type\": \"spring-damper\", \"points\": [\"%s.P\", \"b%d.P\"],"
            "\"stiffness\": \"k%d\", \"damping\": \"c%d\", \"free_length\": 0.5}",
            i ? ", " : "", i, before, i, i, i);
  }
  fprintf(out, "%s]}", more);
  fclose(out);
  return text;
}

char *models_varied_of_masses(int count) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) abort();
  fputs("[{\"parameter\": \"g\"}", out);
  for (int i = 0; i < count; i++) fprintf(out, ", {\"parameter\": \"k%d\"}, {\"parameter\": \"c%d\"}", i, i);
  fputs("]", out);
  fclose(out);
  return text;
}
