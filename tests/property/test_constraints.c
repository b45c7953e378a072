/* test_constraints.c - every joint and every driver of the element tables, in the plane and in space, in every role it
 * can have, at random states off the constraints: C against differences of Phi, rhsA and rhsV against differences in
 * time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equations/system.h"
#include "kernels/kernels.h"
#include "list.h"
#include "model/element.h"
#include "model/rows.h"
#include "models.h"
#include "probe.h"

enum { STATES = 5 };

static const mbs_space spaces[] = {MBS_PLANAR, MBS_SPATIAL};

static bool exists(mbs_space where, mbs_space space) { return where == 0 || (where & space) != 0; }

/* ---- documents ----------------------------------------------------------------------------------------------- */

/* What a field of a class gets that its kind does not say; "": the field is left out. */
static const struct {
  const char *cls, *field, *text;
  mbs_space space;
} special_fields[] = {
    {"point-follower", "curve", JSON({"polar": "1 + 0.1*cos(2*alpha)"}), MBS_ANY_SPACE},
    {"cam-follower", "curve", JSON([{"polar": "1 + 0.1*cos(2*alpha)"}, {"polar": "0.5"}]), MBS_ANY_SPACE},
    {"cam-flat-follower", "curve", JSON({"polar": "1 + 0.1*cos(2*alpha)"}), MBS_ANY_SPACE},
    {"belt", "pulleys", JSON([
       {"point": "a.p2", "radius": 0.05}, {"point": "x.p2", "radius": 0.03, "sense": -1},
       {"point": "c.p1", "radius": 0.04}, {"point": "ground.p2", "radius": 0.02}
     ]),
     MBS_PLANAR},
    {"rope", "path", JSON([
       {"drum": "ground.p1", "radius": 0.03}, {"pulley": "a.p2", "radius": 0.05},
       {"pulley": "c.p1", "radius": 0.04, "sense": -1, "grip": false}, {"point": "x.p2"}
     ]),
     MBS_PLANAR},
    {"rope", "path", JSON([{"point": "ground.p1"}, {"point": "a.p2"}, {"point": "x.p2"}]), MBS_SPATIAL},
    {"rope", "unilateral", "false", MBS_ANY_SPACE},
    {"expression", "value", JSON("b.x*x.p1.y - 0.3*c.phi^2 + distance(a.p1, x.p2) - sin(t)"), MBS_PLANAR},
    {"expression", "value", JSON("b.x*x.p1.z - 0.3*c.A12^2 + c.A31*b.e2 + distance(a.p1, x.p2) + turn.q - sin(t)"),
     MBS_SPATIAL},
    {"gear-pair", "radii", JSON([0.5, 0.3]), MBS_ANY_SPACE},
    {"gear-pair", "teeth", "", MBS_ANY_SPACE},
    {"gear-pair", "module", "", MBS_ANY_SPACE},
    {"rack-and-pinion", "vectors", JSON("x.u2"), MBS_PLANAR},
    {"rack-and-pinion", "teeth", "", MBS_ANY_SPACE},
    {"rack-and-pinion", "module", "", MBS_ANY_SPACE},
    {"bevel-gear", "radii", JSON([0.5, 0.3]), MBS_SPATIAL},
    {"bevel-gear", "teeth", "", MBS_SPATIAL},
    {"bevel-gear", "module", "", MBS_SPATIAL},
    {"worm-gear", "radii", JSON([0.2, 0.7]), MBS_SPATIAL},
    {"knife-edge", "vectors", JSON("x.u2"), MBS_PLANAR},
    {"velocity", "value",
     JSON("(b.vx - 0.4*turn.qd)*x.p1.y - c.omega*cos(b.phi) + distance_rate(a.p1, x.p2) - x.p2.vy/(2 + sin(t)) + t"),
     MBS_PLANAR},
    {"velocity", "value",
     JSON("(b.vx - 0.4*turn.qd)*x.p1.z - c.omega_y*c.A12 + distance_rate(a.p1, x.p2)*b.e2 - x.p2.vy/(2 + sin(t)) + t"),
     MBS_SPATIAL},
};

static const char *special_field(mbs_space space, const mbs_class *cls, const char *field) {
  for (size_t i = 0; i < sizeof special_fields / sizeof *special_fields; i++)
    if (strcmp(special_fields[i].cls, cls->name) == 0 && strcmp(special_fields[i].field, field) == 0 &&
        exists(special_fields[i].space, space))
      return special_fields[i].text;
  return NULL;
}

/* One of each class; test_every_function_is_driven sees to it. */
static const char *const functions[] = {
    "0.4 + 0.3*sin(2*t) + 0.1*t^3",
    JSON({"polynomial": [0.2, -0.3, 0.5, 0.1]}),
    JSON({"step": {"t0": -0.5, "t1": 2, "f0": 0.3, "f1": 1.2}}),
    JSON({"ramp": {"t0": -0.5, "t1": 2, "f0": 0.3, "speed": 1.2}}),
    JSON({"spline": {"t": [-1, 0, 0.5, 1.2, 2, 4], "f": [0.1, 0.4, 0.3, 0.9, 1.1, 0.8]}}),
    JSON({"piecewise": [{"until": -5, "function": 1}, {"function": "0.5 + 0.2*sin(t)"}]}),
    JSON({"harmonic": {"offset": 0.5, "amplitude": 0.3, "frequency": 3, "phase": 0.4}}),
};

/* The value of a field between two bodies; false where this test does not know one. */
static bool write_field(text_list *out, mbs_space space, const mbs_class *cls, const mbs_field *field,
                        const char *first, const char *second) {
  bool across = strcmp(field->name, "reference") == 0;
  const char *special = special_field(space, cls, field->name);
  int count = field->max_count;
  if (!special && field->kind != MBS_KIND_POINT && field->kind != MBS_KIND_VECTOR && field->kind != MBS_KIND_BODY &&
      field->kind != MBS_KIND_NUMBER && field->kind != MBS_KIND_JOINT)
    return false;
  const char *name = field->name;
  if (special && !*special) return true;
  if (strcmp(name, "armature") == 0) return true; /* not of joints without coordinates; see reference/rotors */
  if (special)
    list_add(out, PART("%s": %s), name, special);
  else if (across)
    list_add(out, PART("%s": ["%s.w1", "%s.w2"]), name, first, second);
  else if (field->kind == MBS_KIND_NUMBER && count == 3)
    list_add(out, PART("%s": [0.3, -0.5, 0.9]), name);
  else if (field->kind == MBS_KIND_POINT || field->kind == MBS_KIND_VECTOR) {
    bool second_vector = cls->family == MBS_FAMILY_JOINT && ((const mbs_joint_class *)cls)->planar.second_vector;
    const char *place = field->kind == MBS_KIND_POINT ? "p" : "u";
    if (count == 0) list_add(out, PART("%s": "%s.%s2"), name, second, place);
    if (count == 1) list_add(out, PART("%s": ["%s.%s1"]), name, second_vector ? second : first, place);
    if (count == 2) list_add(out, PART("%s": ["%s.%s1", "%s.%s2"]), name, first, place, second, place);
  } else if (field->kind == MBS_KIND_BODY && count == 2)
    list_add(out, PART("%s": ["%s", "%s"]), name, first, second);
  else if (field->kind == MBS_KIND_BODY)
    list_add(out, PART("%s": "%s"), name, second);
  else if (field->kind == MBS_KIND_JOINT)
    list_add(out, PART("%s": "slot"), name);
  else
    list_add(out, PART("%s": %s), name, strcmp(name, "coordinate") == 0 ? "2" : "0.7");
  return true;
}

/* {"name": "element", "type": ...} of a class between two bodies; all fields but those of every joint are given. */
static char *element(mbs_space space, const mbs_class *cls, const char *first, const char *second, const char *more) {
  text_list *fields = list_open();
  list_add(fields, PART("name": "element", "type": "%s", %s), cls->name, more);
  for (const mbs_field *field = cls->fields; field->name; field++) {
    if (strcmp(field->name, "name") == 0 || strcmp(field->name, "cut") == 0 || strcmp(field->name, "initial") == 0 ||
        strcmp(field->name, "function") == 0 || !exists(field->spaces, space))
      continue;
    if (!write_field(fields, space, cls, field, first, second) && field->required)
      fail_msg("%s: add values for its field '%s' to this test", cls->name, field->name);
  }
  return list_fill("{%s}", fields);
}

/* u1 and u2, w1 and w2 across them. */
static char *spatial_places(uint64_t *seed) {
  double n[12];
  for (int k = 0; k < 12; k++) n[k] = models_uniform(seed);
  MODEL(places,
      "points": {"p1": [%g, %g, %g], "p2": [%g, %g, %g]},
      "vectors": {"u1": [1.5, %.15g, %.15g], "u2": [%.15g, %.15g, 1.5],
                  "w1": [%.15g, 1, %.15g],   "w2": [1, %.15g, %.15g]});
  return models_text(places, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], -(n[6] + n[10] * n[7]) / 1.5,
                     n[10], n[11], -(n[8] + n[11] * n[9]) / 1.5);
}

static char *planar_places(uint64_t *seed) {
  double n[8];
  for (int k = 0; k < 8; k++) n[k] = models_uniform(seed);
  MODEL(places,
      "points": {"p1": [%g, %g], "p2": [%g, %g]},
      "vectors": {"u1": [1.5, %g], "u2": [%g, 1.5]});
  return models_text(places, n[0], n[1], n[2], n[3], n[4], n[5]);
}

static char *places(mbs_space space, uint64_t *seed) {
  return space == MBS_SPATIAL ? spatial_places(seed) : planar_places(seed);
}

typedef enum role {
  ROLE_BODY,     /* a row in body coordinates */
  ROLE_CUT,      /* a cut joint between two arms of the tree */
  ROLE_TREE,     /* carries a body that a rod holds */
  ROLE_REVERSED, /* the same, from its second body to its first */
  ROLE_COUNT
} role;

static const char *const role_names[] = {"body coordinates", "cut", "tree", "tree, reversed"};

static char *bodies_of(mbs_space space, const char *const *names, int count, uint64_t *seed) {
  text_list *bodies = list_open();
  MODEL(body,
      {"name": "%s", "mass": 1, "inertia": %s, %s});
  for (int i = 0; i < count; i++) {
    char *where = places(space, seed);
    list_add(bodies, body, names[i], space == MBS_PLANAR ? "0.3" : "[0.3, 0.4, 0.5, 0.02, -0.03, 0.01]", where);
    free(where);
  }
  return list_close(bodies);
}

/* The document with these bodies, joints and drivers; it takes the last two. */
static char *document_of(mbs_space space, const char *const *names, int count, char *joints, char *drivers,
                         uint64_t *seed) {
  char *ground = places(space, seed), *bodies = bodies_of(space, names, count, seed);
  MODEL(whole,
      {"space": "%s",
       "ground": {%s},
       "bodies": [%s],
       "joints": [%s],
       "drivers": [%s]});
  char *text =
      models_text(whole, space == MBS_PLANAR ? "planar" : "spatial", ground, bodies, joints, drivers ? drivers : "");
  free(ground);
  free(bodies);
  free(joints);
  free(drivers);
  return text;
}

/* The joints around the element: turn and slide of one arm, swing and pin of the other. */
MODEL(planar_arms,
    {"name": "turn",  "type": "revolute",      "points": ["ground.p1", "a.p1"]},
    {"name": "slide", "type": "translational", "points": ["b.p1", "a.p2"], "vectors": ["b.u1", "a.u2"]},
    {"name": "swing", "type": "revolute",      "points": ["ground.p2", "c.p2"]});
MODEL(planar_pin,
    {"name": "pin", "type": "revolute", "points": ["x.p1", "c.p1"]});
MODEL(planar_slot,
    {"name": "slot", "type": "revolute-translational", "points": ["a.p2", "b.p1"], "vectors": ["a.u1"],
     "offset": 0.2});
MODEL(spatial_arms,
    {"name": "turn",  "type": "revolute",    "points": ["ground.p1", "a.p1"], "vectors": ["ground.u1", "a.u1"]},
    {"name": "slide", "type": "cylindrical", "points": ["b.p1", "a.p2"],      "vectors": ["b.u1", "a.u2"]},
    {"name": "swing", "type": "spherical",   "points": ["ground.p2", "c.p2"]});
MODEL(spatial_pin,
    {"name": "pin", "type": "universal", "points": ["x.p1", "c.p1"], "vectors": ["x.u1", "c.u2"]});
MODEL(spatial_slot,
    {"name": "slot", "type": "universal", "points": ["a.p2", "b.p1"], "vectors": ["a.u1", "b.u2"]});

/* Two arms: turn and slide; turn, then `x`. */
static char *joint_document(mbs_space space, const mbs_class *cls, role as, uint64_t *seed) {
  static const char *const bodies[] = {"a", "b", "c", "x"};
  bool planar = space == MBS_PLANAR;
  const char *base = "b", *held;
  char *own;
  if (as == ROLE_BODY || as == ROLE_CUT) {
    held = planar ? planar_pin : spatial_pin;
    own = element(space, cls, base, "x", PART("cut": true));
  } else {
    bool reversed = as == ROLE_REVERSED;
    held = JSON({"name": "rod", "type": "rod", "points": ["x.p1", "c.p1"], "length": 1.1});
    own = element(space, cls, reversed ? "x" : base, reversed ? "b" : "x", PART("cut": false));
  }
  char *joints = models_text("%s,\n%s,\n%s", planar ? planar_arms : spatial_arms, held, own);
  free(own);
  return document_of(space, bodies, 4, joints, NULL, seed);
}

static bool can_have(mbs_space space, const mbs_class *cls, role as) {
  const mbs_joint_class *joint = (const mbs_joint_class *)cls;
  const mbs_joint_shape *shape = space == MBS_PLANAR ? &joint->planar : &joint->spatial;
  if (as == ROLE_BODY || as == ROLE_CUT) return shape->row_count > 0;
  if (as == ROLE_REVERSED && strcmp(cls->name, "floating") == 0) return false;
  return shape->in_tree;
}

/* ---- differences --------------------------------------------------------------------------------------------- */

static void randomize(probe *p, uint64_t *seed) {
  p->t = 0.8 + 0.7 * models_uniform(seed);
  for (size_t i = 0; i < p->model->nq; i++) p->q[i] = 1.3 * models_uniform(seed);
  for (size_t i = 0; i < p->model->nv; i++) p->v[i] = 2 * models_uniform(seed);
  p->model->kernels->normalize(p->model, p->q);
}

/* Its limit; doubt[rows]: what the last halving of h changed, where a row is curved strongly. */
static void probe_derivative(probe *p, double dt, bool rate, double *out, double *doubt) {
  probe_difference(p, 1e-3, dt, rate, doubt);
  probe_difference(p, 5e-4, dt, rate, out);
  for (size_t r = 0; r < p->model->rows; r++) doubt[r] = fabs(doubt[r] - out[r]);
}

/* The turns of a driven angle are chosen so that its Phi is within half a turn: at that edge there is no derivative. */
static bool at_edge(const mbs_system *system) {
  for (size_t r = 0; r < system->model->rows; r++)
    if (fabs(fabs(system->Phi[r]) - 3.14) < 0.05) return true;
  return false;
}

/* Returns true if a row has a Phi; that of one that has none is 0. */
static bool has_value(const probe *p, size_t row) {
  if (p->model->levels[row] == MBS_LEVEL_POSITION) return true;
  assert_true(p->system->Phi[row] == 0);
  return false;
}

static void compare(probe *p, const char *what, const double *values, double dt, bool rate, double sign, void *unused) {
  (void)unused;
  const size_t m = p->model->rows;
  double *found = calloc(2 * m, sizeof *found), *doubt = found + m;
  probe_derivative(p, dt, rate, found, doubt);
  for (size_t r = 0; r < m; r++) {
    const double wanted = sign * found[r];
    if (!rate && !has_value(p, r)) continue;
    if (!(fabs(values[r] - wanted) <= 2e-8 * (1 + fabs(wanted)) + doubt[r]))
      fail_msg("%s of row %zu (%s): %.15g, by differences %.15g", what, r, mbs_row_element(p->model, r), values[r],
               wanted);
  }
  free(found);
}

static void check_constraints(const mbs_model *model, uint64_t *seed) {
  probe p = probe_open(model);
  assert_true(model->rows > 0);
  for (int state = 0; state < STATES; state++) {
    do {
      randomize(&p, seed);
      probe_at(&p, 0, 0);
    } while (at_edge(p.system));
    probe_check(&p, compare, NULL);
  }
  probe_close(&p);
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

static void test_joints(void **unused) {
  (void)unused;
  uint64_t seed = 11;
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_JOINT, i)) != NULL; i++) {
    for (int k = 0; k < 2 * ROLE_COUNT; k++) {
      mbs_space space = spaces[k / ROLE_COUNT];
      role as = (role)(k % ROLE_COUNT);
      if (!exists(cls->spaces, space) || !can_have(space, cls, as)) continue;
      print_message("%s, %s, %s\n", space == MBS_PLANAR ? "planar" : "spatial", cls->name, role_names[as]);
      char *document = joint_document(space, cls, as, &seed);
      mbs_model *model = models_build(document, as == ROLE_BODY ? JSON({"type": "assembly", "formulation": "body"})
                                                                : JSON({"type": "assembly"}));
      check_constraints(model, &seed);
      mbs_model_free(model);
      free(document);
    }
  }
}

static char *driver_document(mbs_space space, const mbs_class *cls, const char *function, uint64_t *seed) {
  static const char *const bodies[] = {"a", "b"};
  char more[160];
  snprintf(more, sizeof more, function[0] == '{' ? PART("function": %s) : PART("function": "%s"), function);
  MODEL(planar_joints,
      {"name": "turn", "type": "revolute", "points": ["ground.p1", "a.p1"]}, %s);
  MODEL(spatial_joints,
      {"name": "turn", "type": "spherical", "points": ["ground.p1", "a.p1"]}, %s);
  char *joints =
      space == MBS_PLANAR ? models_text(planar_joints, planar_slot) : models_text(spatial_joints, spatial_slot);
  return document_of(space, bodies, 2, joints, element(space, cls, "a", "b", more), seed);
}

static void test_drivers(void **unused) {
  (void)unused;
  uint64_t seed = 12;
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_DRIVER, i)) != NULL; i++) {
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
      for (int k = 0; k < 4; k++) {
        mbs_space space = spaces[k / 2];
        bool body = k % 2 == 1;
        if (!exists(cls->spaces, space)) continue;
        char *document = driver_document(space, cls, functions[f], &seed);
        mbs_model *model = models_build(document, body ? JSON({"type": "assembly", "formulation": "body"})
                                                       : JSON({"type": "assembly"}));
        check_constraints(model, &seed);
        mbs_model_free(model);
        free(document);
      }
  }
}

/* What a descriptor says must count: the kernels pass over fields that a measure does not use. */
static void check_row(const char *joint, const mbs_row *row, bool spatial) {
  mbs_primitive primitive = row->primitive;
  bool planar_only = primitive == MBS_PRIMITIVE_NORMAL || primitive == MBS_PRIMITIVE_PARALLEL;
  bool spatial_only = primitive == MBS_PRIMITIVE_DOT || primitive == MBS_PRIMITIVE_TURN ||
                      primitive == MBS_PRIMITIVE_CROSS1 || primitive == MBS_PRIMITIVE_CROSS2 ||
                      primitive == MBS_PRIMITIVE_EULER;
  if (spatial ? planar_only : spatial_only) fail_msg("%s: measure %d does not exist there", joint, (int)primitive);
  bool weight1 = primitive == MBS_PRIMITIVE_ANGLE || (primitive == MBS_PRIMITIVE_ALONG && !spatial);
  bool weight2 = primitive == MBS_PRIMITIVE_ANGLE || primitive == MBS_PRIMITIVE_ALONG;
  if (row->weight1 != 0 && !weight1) fail_msg("%s: weight1 does not count in measure %d", joint, (int)primitive);
  if (row->weight2 != 0 && !weight2) fail_msg("%s: weight2 does not count in measure %d", joint, (int)primitive);
  if (row->level == MBS_LEVEL_VELOCITY && primitive != MBS_PRIMITIVE_CUSTOM)
    fail_msg("%s: measure %d has no rows of velocity level", joint, (int)primitive);
  if (row->component != 0 && primitive != MBS_PRIMITIVE_EULER && primitive != MBS_PRIMITIVE_CUSTOM)
    fail_msg("%s: component does not count in measure %d", joint, (int)primitive);
}

static void test_descriptors(void **unused) {
  (void)unused;
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_JOINT, i)) != NULL; i++) {
    const mbs_joint_class *joint = (const mbs_joint_class *)cls;
    for (int spatial = 0; spatial < 2; spatial++) {
      const mbs_joint_shape *shape = spatial ? &joint->spatial : &joint->planar;
      for (size_t r = 0; r < shape->row_count; r++) check_row(cls->name, &shape->rows[r], spatial);
      for (size_t k = 0; k < shape->coordinate_count; k++) check_row(cls->name, &shape->coordinates[k], spatial);
    }
  }
}

/* A class of functions that the list above lacks would go untested. */
static void test_every_function_is_driven(void **unused) {
  (void)unused;
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_FUNCTION, i)) != NULL; i++) {
    bool found = strcmp(cls->name, "expression") == 0;
    char key[64];
    snprintf(key, sizeof key, "{" JSON("%s"), cls->name);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
      found = found || strncmp(functions[f], key, strlen(key)) == 0;
    if (!found) fail_msg("add a function '%s' to this test", cls->name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints),
      cmocka_unit_test(test_drivers),
      cmocka_unit_test(test_descriptors),
      cmocka_unit_test(test_every_function_is_driven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
