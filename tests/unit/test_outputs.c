/* The tables of result arrays and quantities: units of columns, and names that sensors may not have. */
#include "model/element.h"
#include "model/quantities.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *unit_of(const mbs_result *result, const char *name, const char *label) {
  const mbs_array *array = mbs_result_array(result, name);
  assert_non_null(array);
  for (size_t i = 0; i < mbs_array_columns(array); i++)
    if (strcmp(array->labels[i], label) == 0) return array->units[i];
  fail_msg("%s has no column %s", name, label);
  return NULL;
}

static void expect_unit(const mbs_result *result, const char *name, const char *label, const char *unit) {
  if (strcmp(unit_of(result, name, label), unit) != 0)
    fail_msg("%s, %s: '%s', not '%s'", name, label, unit_of(result, name, label), unit);
}

/* ---- columns ------------------------------------------------------------------------------------------------- */

static void expect_columns(const char *model, const char *analysis, const char *const (*columns)[3], size_t count) {
  char *document = models_named(model);
  mbs_result *result = models_run(document, analysis);
  for (size_t i = 0; i < count; i++) expect_unit(result, columns[i][0], columns[i][1], columns[i][2]);
  for (size_t i = 0; i < result->array_count; i++)
    for (size_t k = 0; k < mbs_array_columns(&result->arrays[i]); k++) assert_non_null(result->arrays[i].units[k]);
  mbs_result_free(result);
  free(document);
}

#define EXPECT_COLUMNS(model, analysis, ...)                                    \
  do {                                                                          \
    static const char *const columns[][3] = {__VA_ARGS__};                      \
    expect_columns(model, analysis, columns, sizeof columns / sizeof *columns); \
  } while (0)

#define ASSEMBLY(formulation) "{\"type\": \"assembly\", \"formulation\": \"" formulation "\"}"

static void columns(void **state) {
  (void)state;
  EXPECT_COLUMNS("SC", ASSEMBLY("joint"), {"T", "T", "s"}, {"energy", "kinetic", "J"}, {"residuals", "velocity", ""});
  EXPECT_COLUMNS("SC", ASSEMBLY("body"), {"uT", "crank.x", "m"}, {"uT", "crank.omega", "rad/s"},
                 {"theta_dd", "crank.alpha", "rad/s^2"}, {"theta", "crank.phi", "rad"}, {"rd", "crank.vx", "m/s"},
                 {"p", "crank.phi", "rad"});
  EXPECT_COLUMNS("Top", ASSEMBLY("joint"), {"omega", "top.omega_x", "rad/s"}, {"p", "top.e0", ""});
}

/* ---- sensors ------------------------------------------------------------------------------------------------- */

/* A slider on a rail along x with a pendulum; a spring connects the slider to the ground. */
static const char plant[] =
    "{\"space\": \"planar\", \"gravity\": [0, -9.81], \"parameters\": {\"k\": 100, \"l\": 2},"
    " \"ground\": {\"points\": {\"O\": [0, 0], \"W\": [-3, 0]}, \"vectors\": {\"u\": [1, 0]}},"
    " \"bodies\": [{\"name\": \"sledge\", \"mass\": 2, \"inertia\": 1, \"points\": {\"C\": [0, 0]},"
    "               \"vectors\": {\"u\": [1, 0]}},"
    "              {\"name\": \"bob\", \"mass\": 1, \"inertia\": 0.1, \"points\": {\"A\": [0, 0.5]}}],"
    " \"joints\": [{\"name\": \"rail\", \"type\": \"translational\", \"points\": [\"ground.O\", \"sledge.C\"],"
    "               \"vectors\": [\"ground.u\", \"sledge.u\"]},"
    "              {\"name\": \"pin\", \"type\": \"revolute\", \"points\": [\"sledge.C\", \"bob.A\"]}],"
    " \"forces\": [{\"name\": \"spring\", \"type\": \"spring-damper\", \"points\": [\"ground.W\", \"sledge.C\"],"
    "               \"stiffness\": 10, \"free_length\": 3},"
    "              {\"name\": \"brake\", \"type\": \"torque\", \"body\": \"bob\", \"value\": \"-pin.qd\"}],"
    " \"sensors\": [{\"name\": \"s\", \"value\": \"%s\"%s}],"
    " \"analysis\": {\"type\": \"assembly\", \"formulation\": \"%s\"}}";

static void expect_sensor(const char *value, const char *more, const char *formulation, const char *unit) {
  char document[3000];
  snprintf(document, sizeof document, plant, value, more, formulation);
  mbs_result *result = models_run(document, NULL);
  const mbs_array *sensor = mbs_result_array(result, "s");
  if (strcmp(sensor->units[0], unit) != 0) fail_msg("%s: '%s', not '%s'", value, sensor->units[0], unit);
  assert_string_equal(sensor->unit, more[0] ? unit : "");
  mbs_result_free(result);
}

static void sensors(void **state) {
  static const char *const cases[][2] = {
      /* Single quantities. */
      {"t", "s"},
      {"rail.q", "m"},
      {"pin.q", "rad"},
      {"rail.qd", "m/s"},
      {"pin.qdd", "rad/s^2"},
      {"bob.A.vx", "m/s"},
      {"bob.omega", "rad/s"},
      {"pin.fx", "N"},
      {"pin.torque", "N m"},
      {"spring.force", "N"},
      {"brake.torque", "N m"},
      {"energy.kinetic", "J"},
      {"distance(ground.W, bob.A)", "m"},
      {"spring.l", "m"},
      /* Combinations of quantities. */
      {"-abs(rail.q) + bob.x", "m"},
      {"rail.q - 1.5", "m"},
      {"sqrt(bob.x^2 + bob.y^2)", "m"},
      {"bob.vx^2", "m^2/s^2"},
      {"atan2(bob.vy, bob.vx)", "rad"},
      {"spring.force * rail.qd", "W"},
      {"brake.torque * pin.qd", "W"},
      {"spring.force / distance(ground.W, bob.A)", "N/m"},
      {"pin.qd^2 * bob.x", "m/s^2"},
      {"1 / bob.y", ""}, /* 1 may have any unit */
      {"if(t > 1, bob.x, 0)", "m"},
      {"max(bob.x, bob.y)", "m"},
      /* The unit is left empty where it is ambiguous. */
      {"sin(pin.q)", ""},
      {"57.3 * pin.q", ""},
      {"l * pin.qd", ""},
      {"rail.q + l * sin(pin.q)", ""},
      {"rail.q + pin.q", ""},
      {"bob.x ^ 1.5", ""},
      {"2.5", ""},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_sensor(cases[i][0], "", "joint", cases[i][1]);
    expect_sensor(cases[i][0], "", "body", cases[i][1]);
  }
  expect_sensor("rail.lambda1", "", "body", "N");
  expect_sensor("rail.lambda2", "", "body", "N m");
  expect_sensor("57.3 * pin.q", ", \"unit\": \"deg\"", "joint", "deg"); /* unit that the document states */
}

/* ---- names --------------------------------------------------------------------------------------------------- */

static void sensors_called_like_arrays(void **state) {
  static const char *const names[] = {
#define MBS_OUTPUT(id, name, ...) name,
#include "model/outputs.def"
#undef MBS_OUTPUT
  };
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char document[3000], more[300];
    /* arrays of other analyses, whose names are free here */
    const bool free_name = strcmp(names[i], "state_matrix") == 0 || strcmp(names[i], "frequency") == 0 ||
                           strcmp(names[i], "response") == 0;
    snprintf(document, sizeof document, plant, "t", "", "joint");
    /* arrays that only some models have are there, too */
    snprintf(more, sizeof more,
             "\"states\": [{\"name\": \"z\", \"rate\": 1}], \"signals\": [{\"name\": \"w\", \"value\": \"z\"}], "
             "\"variables\": {\"n\": 0}, \"sampled\": [{\"name\": \"u\", \"period\": 1, \"value\": 0}], \"sensors\": "
             "[{\"name\": \"%s\", ",
             names[i]);
    char *at = strstr(document, "\"sensors\": [{\"name\": \"s\", "),
         *rest = strdup(at + strlen("\"sensors\": [{\"name\": \"s\", "));
    snprintf(at, sizeof document - (size_t)(at - document), "%s%s", more, rest);
    free(rest);
    mbs_diagnostics list = {0};
    mbs_model *model = models_try_build(document, NULL, &list);
    assert_int_equal(list.count, free_name ? 0 : 1);
    if (!free_name) assert_int_equal(list.items[0].status, MBS_DUPLICATE_NAME);
    mbs_model_free(model);
    mbs_diagnostics_free(&list);
  }
}

/* Every name that a class of force elements declares as an output or as its length has an entry in the tables. */
static void outputs_of_forces(void **state) {
  (void)state;
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_FORCE, i)) != NULL; i++) {
    const mbs_force_class *force = (const mbs_force_class *)cls;
    const char *const lists[] = {force->outputs, force->spatial_outputs, force->length};
    for (int k = 0; k < 3; k++) {
      for (const char *at = lists[k]; at && *at; at += strcspn(at, "|"), at += *at == '|') {
        char word[40];
        int number;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, "|"), at);
        if (!mbs_quantity_find(MBS_OF_FORCE, 3, word, &number) && !mbs_quantity_find(MBS_OF_FORCE, 2, word, &number))
          fail_msg("quantities.def does not know '%s'", word);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns),
      cmocka_unit_test(sensors),
      cmocka_unit_test(sensors_called_like_arrays),
      cmocka_unit_test(outputs_of_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
