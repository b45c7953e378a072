/* test_constraints.c - every joint and every driver of the element tables, in every role it can have, at random states
 * off the constraints: C against differences of Phi, rhsA and rhsV against differences in time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "models.h"
#include "system.h"

enum { STATES = 5 };

/* ---- documents ----------------------------------------------------------------------------------------------- */

/* What a required field of a class gets that its kind does not say. */
static const struct {
  const char *cls, *field, *text;
} special_fields[] = {
    {"point-follower", "curve", "{\"polar\": \"1 + 0.1*cos(2*alpha)\"}"},
    {"cam-follower", "curve", "[{\"polar\": \"1 + 0.1*cos(2*alpha)\"}, {\"polar\": \"0.5\"}]"},
    {"cam-flat-follower", "curve", "{\"polar\": \"1 + 0.1*cos(2*alpha)\"}"},
};

static const char *special_field(const mbs_class *cls, const char *field) {
  for (size_t i = 0; i < sizeof special_fields / sizeof *special_fields; i++)
    if (strcmp(special_fields[i].cls, cls->name) == 0 && strcmp(special_fields[i].field, field) == 0)
      return special_fields[i].text;
  return NULL;
}

/* One of each class; test_every_function_is_driven sees to it. */
static const char *const functions[] = {
    "0.4 + 0.3*sin(2*t) + 0.1*t^3",
    "{\"polynomial\": [0.2, -0.3, 0.5, 0.1]}",
    "{\"step\": {\"t0\": -0.5, \"t1\": 2, \"f0\": 0.3, \"f1\": 1.2}}",
    "{\"ramp\": {\"t0\": -0.5, \"t1\": 2, \"f0\": 0.3, \"speed\": 1.2}}",
    "{\"harmonic\": {\"offset\": 0.5, \"amplitude\": 0.3, \"frequency\": 3, \"phase\": 0.4}}",
};

/* The value of a field between two bodies; false where this test does not know one. */
static bool write_field(FILE *out, const mbs_class *cls, const mbs_field *field, const char *first,
                        const char *second) {
  const char *special = special_field(cls, field->name);
  int count = field->max_count;
  if (!special && field->kind != MBS_KIND_POINT && field->kind != MBS_KIND_VECTOR && field->kind != MBS_KIND_BODY &&
      field->kind != MBS_KIND_NUMBER && field->kind != MBS_KIND_JOINT)
    return false;
  fprintf(out, ", \"%s\": ", field->name);
  if (special)
    fputs(special, out);
  else if (field->kind == MBS_KIND_POINT || field->kind == MBS_KIND_VECTOR) {
    const char *place = field->kind == MBS_KIND_POINT ? "p" : "u";
    if (count == 0) fprintf(out, "\"%s.%s2\"", second, place);
    if (count == 1) fprintf(out, "[\"%s.%s1\"]", first, place);
    if (count == 2) fprintf(out, "[\"%s.%s1\", \"%s.%s2\"]", first, place, second, place);
  } else if (field->kind == MBS_KIND_BODY && count == 2)
    fprintf(out, "[\"%s\", \"%s\"]", first, second);
  else if (field->kind == MBS_KIND_BODY)
    fprintf(out, "\"%s\"", second);
  else if (field->kind == MBS_KIND_JOINT)
    fprintf(out, "\"slot\"");
  else
    fprintf(out, "%s", strcmp(field->name, "coordinate") == 0 ? "2" : "0.7");
  return true;
}

/* {"name": "element", "type": ...} of a class between two bodies; all fields but those of every joint are given. */
static void write_element(FILE *out, const mbs_class *cls, const char *first, const char *second, const char *more) {
  fprintf(out, "{\"name\": \"element\", \"type\": \"%s\"%s", cls->name, more);
  for (const mbs_field *field = cls->fields; field->name; field++) {
    if (strcmp(field->name, "name") == 0 || strcmp(field->name, "cut") == 0 || strcmp(field->name, "initial") == 0 ||
        strcmp(field->name, "function") == 0)
      continue;
    if (!write_field(out, cls, field, first, second) && field->required)
      fail_msg("%s: tell this test what its field '%s' may be", cls->name, field->name);
  }
  fprintf(out, "}");
}

static void write_places(FILE *out, uint64_t *seed) {
  double numbers[8];
  for (int k = 0; k < 8; k++) numbers[k] = models_uniform(seed);
  fprintf(out, "\"points\": {\"p1\": [%g, %g], \"p2\": [%g, %g]}, \"vectors\": {\"u1\": [1.5, %g], \"u2\": [%g, 1.5]}",
          numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
}

typedef enum role {
  ROLE_BODY,     /* a row in body coordinates */
  ROLE_CUT,      /* a cut joint between two arms of the tree */
  ROLE_TREE,     /* carries a body that a rod holds */
  ROLE_REVERSED, /* the same, from its second body to its first */
  ROLE_COUNT
} role;

static const char *const role_names[] = {"body coordinates", "cut", "tree", "tree, reversed"};

/* Two arms: turn and slide; turn, then `x`. */
static char *joint_document(const mbs_class *cls, role as, uint64_t *seed) {
  static const char *const bodies[] = {"a", "b", "c", "x"};
  bool grounded = strcmp(cls->name, "disc") == 0;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  fprintf(out, "{\"space\": \"planar\", \"ground\": {");
  write_places(out, seed);
  fprintf(out, "}, \"bodies\": [");
  for (int i = 0; i < 4; i++) {
    fprintf(out, "%s{\"name\": \"%s\", \"mass\": 1, \"inertia\": 0.3, ", i ? ",\n" : "", bodies[i]);
    write_places(out, seed);
    fprintf(out, "}");
  }
  fprintf(out, "],\n\"joints\": [{\"name\": \"turn\", \"type\": \"revolute\", \"points\": [\"ground.p1\", \"a.p1\"]},\n"
               "{\"name\": \"slide\", \"type\": \"translational\", \"points\": [\"b.p1\", \"a.p2\"], \"vectors\": "
               "[\"b.u1\", \"a.u2\"]},\n{\"name\": \"swing\", \"type\": \"revolute\", \"points\": [\"ground.p2\", "
               "\"c.p2\"]},\n");
  if (as == ROLE_BODY || as == ROLE_CUT) {
    fprintf(out, "{\"name\": \"pin\", \"type\": \"revolute\", \"points\": [\"x.p1\", \"c.p1\"]},\n");
    write_element(out, cls, grounded ? "ground" : "b", "x", ", \"cut\": true");
  } else {
    fprintf(out, "{\"name\": \"rod\", \"type\": \"rod\", \"points\": [\"x.p1\", \"c.p1\"], \"length\": 1.1},\n");
    const char *first = as == ROLE_REVERSED ? "x"
                        : grounded          ? "ground"
                                            : "b",
               *second = as == ROLE_REVERSED ? "b" : "x";
    write_element(out, cls, first, second, ", \"cut\": false");
  }
  fprintf(out, "]}");
  fclose(out);
  return text;
}

static bool can_have(const mbs_class *cls, role as) {
  const mbs_joint_shape *shape = &((const mbs_joint_class *)cls)->planar;
  if (as == ROLE_BODY || as == ROLE_CUT) return shape->row_count > 0;
  if (as == ROLE_REVERSED && (strcmp(cls->name, "disc") == 0 || strcmp(cls->name, "floating") == 0)) return false;
  return shape->in_tree;
}

/* ---- differences --------------------------------------------------------------------------------------------- */

typedef struct probe {
  mbs_arena *arena;
  const mbs_model *model;
  mbs_system *system;
  double t, *q, *v, *moved, *dq;
} probe;

static probe probe_open(const mbs_model *model) {
  probe p = {.arena = mbs_arena_new(0), .model = model};
  p.system = mbs_system_new(model, p.arena);
  double **arrays[] = {&p.q, &p.v, &p.moved, &p.dq};
  for (int i = 0; i < 4; i++) *arrays[i] = mbs_arena_alloc(p.arena, model->nq + model->nv + 1, sizeof(double));
  return p;
}

static void probe_randomize(probe *p, uint64_t *seed) {
  p->t = 0.8 + 0.7 * models_uniform(seed);
  for (size_t i = 0; i < p->model->nq; i++) p->q[i] = 1.3 * models_uniform(seed);
  for (size_t i = 0; i < p->model->nv; i++) p->v[i] = 2 * models_uniform(seed);
}

/* Constraints at the state moved by h along dq, and in time by h dt. */
static void probe_at(probe *p, double h, double dt) {
  for (size_t k = 0; k < p->model->nv; k++) p->moved[p->model->nq + k] = h * p->dq[k];
  mbs_displace(p->model, p->q, p->moved + p->model->nq, p->moved);
  mbs_set_position(p->system, p->t + h * dt, p->moved);
  mbs_set_velocity(p->system, p->v);
  mbs_constraints(p->system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
}

/* The derivative of Phi, or with `rate` of C v - rhsV, along dq and dt [rows]: a difference of fourth order. */
static void probe_derivative(probe *p, double dt, bool rate, double *out) {
  static const double places[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  const double h = 1e-3;
  size_t m = p->model->rows;
  double *values = calloc(m + 1, sizeof *values);
  memset(out, 0, m * sizeof *out);
  for (int k = 0; k < 4; k++) {
    probe_at(p, h * places[k], dt);
    if (rate) mbs_jacobian_times(p->system, p->v, values);
    for (size_t r = 0; r < m; r++)
      out[r] += weights[k] * (rate ? values[r] - p->system->rhsV[r] : p->system->Phi[r]) / (12 * h);
  }
  free(values);
}

static void expect_close(const char *what, const mbs_model *model, size_t row, double value, double wanted) {
  if (!(fabs(value - wanted) <= 2e-8 * (1 + fabs(wanted))))
    fail_msg("%s of row %zu (%s): %.15g, by differences %.15g", what, row, mbs_row_element(model, row), value, wanted);
}

static void check_constraints(const mbs_model *model, uint64_t *seed) {
  probe p = probe_open(model);
  size_t m = model->rows, n = model->nv;
  assert_true(m > 0);
  double *C = calloc(m * n, sizeof *C), *rhs = calloc(m, sizeof *rhs), *found = calloc(m, sizeof *found);
  for (int state = 0; state < STATES; state++) {
    probe_randomize(&p, seed);
    memset(p.dq, 0, n * sizeof *p.dq);
    probe_at(&p, 0, 0);
    mbs_jacobian_dense(p.system, C);
    for (size_t k = 0; k < n; k++) {
      p.dq[k] = 1;
      probe_derivative(&p, 0, false, found);
      p.dq[k] = 0;
      for (size_t r = 0; r < m; r++) expect_close("C", model, r, C[k * m + r], found[r]);
    }
    memcpy(rhs, p.system->rhsV, m * sizeof *rhs);
    probe_derivative(&p, 1, false, found); /* Phi_t = -rhsV */
    for (size_t r = 0; r < m; r++) expect_close("rhsV", model, r, rhs[r], -found[r]);
    memcpy(p.dq, p.v, n * sizeof *p.dq);
    probe_at(&p, 0, 1);
    memcpy(rhs, p.system->rhsA, m * sizeof *rhs);
    probe_derivative(&p, 1, true, found); /* (C v - rhsV)' = C v' - rhsA, v' = 0 */
    for (size_t r = 0; r < m; r++) expect_close("rhsA", model, r, rhs[r], -found[r]);
  }
  free(C);
  free(rhs);
  free(found);
  mbs_arena_free(p.arena);
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

static void test_joints(void **unused) {
  (void)unused;
  uint64_t seed = 11;
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_JOINT, i)) != NULL; i++) {
    if (!(cls->spaces & MBS_PLANAR)) continue;
    for (role as = 0; as < ROLE_COUNT; as++) {
      if (!can_have(cls, as)) continue;
      print_message("%s, %s\n", cls->name, role_names[as]);
      char *document = joint_document(cls, as, &seed);
      mbs_model *model = models_build(document, as == ROLE_BODY ? "{\"type\": \"assembly\", \"formulation\": \"body\"}"
                                                                : "{\"type\": \"assembly\"}");
      check_constraints(model, &seed);
      mbs_model_free(model);
      free(document);
    }
  }
}

static char *driver_document(const mbs_class *cls, const char *function, uint64_t *seed) {
  static const char *const bodies[] = {"a", "b"};
  char *text = NULL, quoted[160];
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  fprintf(out, "{\"space\": \"planar\", \"ground\": {");
  write_places(out, seed);
  fprintf(out, "}, \"bodies\": [");
  for (int i = 0; i < 2; i++) {
    fprintf(out, "%s{\"name\": \"%s\", \"mass\": 1, \"inertia\": 0.3, ", i ? ",\n" : "", bodies[i]);
    write_places(out, seed);
    fprintf(out, "}");
  }
  fprintf(out,
          "],\n\"joints\": [{\"name\": \"turn\", \"type\": \"revolute\", \"points\": [\"ground.p1\", \"a.p1\"]},\n"
          "{\"name\": \"slot\", \"type\": \"revolute-translational\", \"points\": [\"a.p2\", \"b.p1\"], \"vectors\": "
          "[\"a.u1\"], \"offset\": 0.2}],\n\"drivers\": [");
  snprintf(quoted, sizeof quoted, function[0] == '{' ? ", \"function\": %s" : ", \"function\": \"%s\"", function);
  write_element(out, cls, "a", "b", quoted);
  fprintf(out, "]}");
  fclose(out);
  return text;
}

static void test_drivers(void **unused) {
  (void)unused;
  uint64_t seed = 12;
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_DRIVER, i)) != NULL; i++) {
    if (!(cls->spaces & MBS_PLANAR)) continue;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
      for (int body = 0; body < 2; body++) {
        char *document = driver_document(cls, functions[f], &seed);
        mbs_model *model = models_build(document, body ? "{\"type\": \"assembly\", \"formulation\": \"body\"}"
                                                       : "{\"type\": \"assembly\"}");
        check_constraints(model, &seed);
        mbs_model_free(model);
        free(document);
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
    snprintf(key, sizeof key, "{\"%s\"", cls->name);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
      found = found || strncmp(functions[f], key, strlen(key)) == 0;
    if (!found) fail_msg("add a function '%s' to this test", cls->name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints),
      cmocka_unit_test(test_drivers),
      cmocka_unit_test(test_every_function_is_driven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
