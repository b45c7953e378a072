/* Numbers bound to other parameter values equal those of a model built with these values: bit for bit, in every model
 * with parameters, independent of earlier bindings. Parameters that determine the structure are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder/builder.h"
#include "equations/evaluate.h"
#include "equations/state.h"
#include "equations/system.h"
#include "kernels/kernels.h"
#include "models.h"
#include "property/binding.h"

/* ---- comparing ------------------------------------------------------------------------------------------------- */

/* Evaluates the equations once at the start, in a system that had other numbers before and in a new one, and compares
 * them. */
static void assert_same_motion(mbs_system *used, const mbs_constants *two) {
  const mbs_model *model = used->model;
  mbs_arena *arena = mbs_arena_new(0);
  mbs_system *system[2] = {used, mbs_system_bound(two, arena)};
  mbs_status status[2];
  for (int k = 0; k < 2; k++)
    status[k] = mbs_evaluate(system[k], model->t_start, system[k]->constants->q0, system[k]->constants->v0);
  assert_int_equal(status[0], status[1]);
  assert_same("Phi", system[0]->Phi, system[1]->Phi, model->rows, sizeof(double));
  assert_same("C", system[0]->C, system[1]->C, model->value_count, sizeof(double));
  assert_same("rhsA", system[0]->rhsA, system[1]->rhsA, model->rows, sizeof(double));
  assert_same("v'", system[0]->vdot, system[1]->vdot, model->nv, sizeof(double));
  mbs_arena_free(arena);
}

/* ---- every model ----------------------------------------------------------------------------------------------- */

typedef struct tally {
  size_t models, bound, refused;
} tally;

static void bind_and_compare(const char *name, const char *text, const char *analysis, tally *count) {
  mbs_model *model = models_build(text, analysis);
  mbs_arena *arena = mbs_arena_new(0);
  mbs_constants *constants = mbs_constants_new(model, arena);
  mbs_diagnostics list = {0}, other_list = {0};
  double *values = mbs_arena_alloc(arena, model->parameter_count + 1, sizeof *values);
  uint64_t random = 7;
  print_message("%s\n", name);
  assert_int_equal(mbs_bind(constants, NULL, &list), MBS_OK);
  assert_same_numbers(model->constants, constants);
  mbs_system *used = mbs_system_bound(constants, arena);
  for (int round = 0; round < 4 && model->parameter_count; round++) {
    for (size_t i = 0; i < model->parameter_count; i++)
      values[i] = model->parameters[i].value * (1 + 0.02 * models_uniform(&random));
    char *changed = with_parameters(text, model, values);
    mbs_model *other = models_try_build(changed, analysis, &other_list);
    mbs_status status = mbs_bind(constants, values, &list);
    if (status == MBS_OK) {
      assert_non_null(other);
      assert_same_numbers(constants, other->constants);
      assert_same_motion(used, other->constants);
      count->bound++;
    } else {
      count->refused++;
    }
    mbs_diagnostics_free(&list);
    mbs_diagnostics_free(&other_list);
    list = other_list = (mbs_diagnostics){0};
    mbs_model_free(other);
    free(changed);
  }
  assert_int_equal(mbs_bind(constants, NULL, &list), MBS_OK);
  assert_same_numbers(model->constants, constants);
  count->models++;
  mbs_arena_free(arena);
  mbs_model_free(model);
}

static char *analysis_in(const char *text, const char *formulation) {
  json_t *document = json_loads(text, 0, NULL), *analysis = json_object_get(document, "analysis");
  json_object_set_new(analysis, "formulation", json_string(formulation));
  char *out = json_dumps(analysis, JSON_REAL_PRECISION(17));
  json_decref(document);
  return out;
}

static void test_every_model(void **state) {
  (void)state;
  glob_t found;
  tally count = {0};
  assert_int_equal(glob("models/*.json", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    char *text = models_file(found.gl_pathv[i]);
    for (int body = 0; body < 2; body++) {
      char *analysis = analysis_in(text, body ? "body" : "joint");
      bind_and_compare(found.gl_pathv[i], text, analysis, &count);
      free(analysis);
    }
    free(text);
  }
  globfree(&found);
  print_message("%zu models, %zu bindings the same, %zu refused\n", count.models, count.bound, count.refused);
  assert_true(count.bound > 2 * count.refused);
}

/* ---- parameters that cannot be bound --------------------------------------------------------------------------- */

/* A pendulum in which the parameter p can be a mass, a torque or an end time. */
static char *pendulum(const char *mass, const char *torque, const char *end) {
  static const char format[] =
      "{'name': 'p', 'space': 'planar', 'gravity': [0, -9.81], 'parameters': {'p': 2, 'twice': '2*p'},"
      " 'ground': {'points': {'O': [0, 0]}},"
      " 'bodies': [{'name': 'rod', 'mass': '%s', 'inertia': 0.1, 'points': {'A': [-0.5, 0]},"
      " 'shapes': [{'type': 'circle', 'radius': '1/(p - 7)^2'}]}],"
      " 'joints': [{'name': 'pin', 'type': 'revolute', 'points': ['ground.O', 'rod.A']}],"
      " 'forces': [{'name': 'motor', 'type': 'torque', 'body': 'rod', 'value': '%s'}],"
      " 'analysis': {'type': 'dynamics', 't_end': '%s', 'dt': 0.1}}";
  char *text = malloc(sizeof format + strlen(mass) + strlen(torque) + strlen(end));
  sprintf(text, format, mass, torque, end);
  for (char *at = text; *at; at++)
    if (*at == '\'') *at = '"';
  return text;
}

static void expect(const char *mass, const char *torque, const char *end, double p, mbs_status status,
                   const char *pointer) {
  char *text = pendulum(mass, torque, end);
  mbs_model *model = models_build(text, NULL);
  mbs_arena *arena = mbs_arena_new(0);
  mbs_constants *constants = mbs_constants_new(model, arena);
  mbs_diagnostics list = {0};
  assert_int_equal(mbs_bind(constants, (const double[]){p, NAN}, &list), status);
  assert_int_equal(list.count, status == MBS_OK ? 0 : 1);
  if (list.count) assert_string_equal(list.items[0].pointer, pointer);
  mbs_diagnostics_free(&list);
  assert_int_equal(mbs_bind(constants, NULL, &list), MBS_OK);
  assert_same_numbers(model->constants, constants);
  mbs_diagnostics_free(&list);
  mbs_arena_free(arena);
  mbs_model_free(model);
  free(text);
}

static void test_what_cannot_be_bound(void **state) {
  (void)state;
  expect("p", "twice", "1", 3, MBS_OK, NULL);
  expect("p - 1", "1", "1", 0.5, MBS_OUT_OF_RANGE, "/model/bodies/0/mass");
  expect("1", "t/p", "1", 0, MBS_INVALID, "/model/forces/0/value");
  expect("1/(p - 3)^2", "1", "1", 3, MBS_INVALID, "/model/bodies/0/mass");
  expect("1", "t*sqrt(p)", "1", -1, MBS_BAD_EXPRESSION, "/model/forces/0/value");
  expect("1", "if(p > 1, t, 2*t)", "1", 1.5, MBS_OK, NULL);
  expect("1", "if(p > 1, t, 2*t)", "1", 0.5, MBS_INVALID, "/model/forces/0/value");
  expect("1", "t^p", "1", 2.5, MBS_INVALID, "/model/forces/0/value");
  expect("1", "t^(p + 0.5)", "1", 2.7, MBS_OK, NULL);
  expect("1", "t", "p", 2.5, MBS_INVALID, "/model/analysis/t_end");
  expect("1", "t", "1", 7, MBS_INVALID, "/model/bodies/0/shapes/0/radius");
  expect("1", "t*p/3", "1", 0, MBS_OK, NULL);
  expect("1", "max(sqrt(p), 1)*t", "1", -1, MBS_BAD_EXPRESSION, "/model/forces/0/value");
  expect("1", "if(sqrt(p) > 1, t, 2*t)", "1", -1, MBS_INVALID, "/model/forces/0/value");
  expect("1", "floor(sqrt(p)/10) && t", "1", -1, MBS_INVALID, "/model/forces/0/value");
  expect("1", "1/(t - p)", "1", 0, MBS_BAD_EXPRESSION, "/model/forces/0/value");
  expect("1", "twice*t", "1", INFINITY, MBS_OUT_OF_RANGE, "/model/parameters/p");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_model), cmocka_unit_test(test_what_cannot_be_bound)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
