/* test_fmu.c - FMUs of models, imported by a program of ours, against runs of the same documents. */
#include "fmu_importer.h"

#include "api/exports/fmu.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "close.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const versions[] = {"2.0", "3.0"};
enum { VERSIONS = 2 };

/* Returns the request for an FMU of a document with more members beside it, "'x': 1, ", in which ' stands for ". */
static char *request_of(const char *document, const char *version, const char *more) {
  char *text = models_text("{\"model\": %s, %s \"fmi\": \"%s\"}", document, more, version);
  for (char *at = text + strlen("{\"model\": ") + strlen(document); *at; at++)
    if (*at == '\'') *at = '"';
  return text;
}

static void open_model(const char *name, const char *version, const char *more, fmu_importer *fmu) {
  char *document = models_named(name), *request = request_of(document, version, more);
  fmu_importer_open(request, fmu);
  free(request);
  free(document);
}

/* Returns the column of the result with that label. */
static const double *column_of(const mbs_result *result, const char *label, size_t *columns) {
  for (size_t i = 0; i < result->array_count; i++) {
    const mbs_array *array = &result->arrays[i];
    *columns = mbs_array_columns(array);
    for (size_t k = 0; k < *columns && !array->timeless; k++)
      if (strcmp(array->labels[k], label) == 0) return array->data + k;
  }
  fail_msg("there is no column %s", label);
  return NULL;
}

/* Returns the largest absolute value of a column, at least 1. */
static double scale_of(const double *column, size_t columns, size_t rows) {
  double most = 1;
  for (size_t row = 0; row < rows; row++) most = fmax(most, fabs(column[row * columns]));
  return most;
}

/* Compares all outputs at a reporting time with the row of the run. */
static void expect_row(fmu_importer_instance *self, const mbs_result *result, size_t row, double tolerance) {
  const fmu_importer *fmu = self->fmu;
  for (size_t i = 0; i < fmu->count; i++) {
    size_t columns = 1;
    if (strcmp(fmu->variables[i].causality, "output") != 0) continue;
    const double *column = column_of(result, fmu->variables[i].name, &columns);
    const double expected = column[row * columns], found = fmu_importer_value(self, fmu->variables[i].name);
    if (!(fabs(found - expected) <= tolerance * scale_of(column, columns, models_rows(result))))
      fail_msg("%s in row %zu: %.17g, expected %.17g", fmu->variables[i].name, row, found, expected);
  }
}

/* Steps an instance through the reporting times of the run, and compares its outputs. */
static void follow(fmu_importer_instance *self, const mbs_result *result, double tolerance) {
  const double *t = mbs_result_array(result, "T")->data;
  double reached;
  expect_row(self, result, 0, tolerance);
  for (size_t row = 1; row < models_rows(result); row++) {
    if (fmu_importer_step(self, t[row - 1], t[row] - t[row - 1], &reached) != IMPORTER_OK)
      fail_msg("%s", self->message);
    assert_close(reached, t[row], 1e-9);
    assert_close(fmu_importer_value(self, "time"), t[row], 1e-9);
    expect_row(self, result, row, tolerance);
  }
}

/* The motions agree within ten times the relative tolerance, which is 1e-6 by default. */
static void test_equal_to_runs(void **state) {
  (void)state;
  static const struct {
    const char *name, *analysis;
    double tolerance;
  } cases[] = {{"SP", "{\"type\": \"dynamics\", \"t_end\": 2, \"dt\": 0.05}", 1e-5},
               {"FourBar", "{\"type\": \"dynamics\", \"t_end\": 0.5, \"dt\": 0.02}", 1e-5},
               {"AA", "{\"type\": \"dynamics\", \"t_end\": 0.5, \"dt\": 0.02}", 1e-5},
               {"BoxOnSlope", "{\"type\": \"dynamics\", \"t_end\": 0.5, \"dt\": 0.02}", 1e-5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = models_named(cases[i].name);
    mbs_result *result = models_run(document, cases[i].analysis);
    for (int v = 0; v < VERSIONS; v++) {
      char *more = models_text("\"analysis\": %s,", cases[i].analysis);
      char *request = request_of(document, versions[v], more);
      fmu_importer fmu;
      fmu_importer_instance self;
      fmu_importer_open(request, &fmu);
      assert_true(fmu_importer_new(&fmu, NULL, &self));
      fmu_importer_start(&self);
      follow(&self, result, cases[i].tolerance);
      assert_int_equal(fmu_importer_terminate(&self), IMPORTER_OK);
      assert_int_equal(self.messages, 0);
      fmu_importer_free(&self);
      fmu_importer_close(&fmu);
      free(request);
      free(more);
    }
    mbs_result_free(result);
    free(document);
  }
}

static void test_parameters(void **state) {
  (void)state;
  char *document = models_named_with("SP", "{\"parameters\": {\"k\": 35, \"L\": 0.8}}");
  mbs_result *result = models_run(document, NULL);
  for (int v = 0; v < VERSIONS; v++) {
    fmu_importer fmu;
    fmu_importer_instance self;
    open_model("SP", versions[v], "", &fmu);
    assert_true(fmu_importer_new(&fmu, NULL, &self));
    assert_close(fmu_importer_value(&self, "k"), 20, 0);
    assert_int_equal(fmu_importer_set(&self, "k", 35), IMPORTER_OK);
    assert_int_equal(fmu_importer_enter(&self, 0), IMPORTER_OK);
    assert_int_equal(fmu_importer_set(&self, "L", 0.8), IMPORTER_OK);
    assert_int_equal(fmu_importer_exit(&self), IMPORTER_OK);
    follow(&self, result, 1e-5);
    assert_int_equal(fmu_importer_set(&self, "k", 20), IMPORTER_ERROR); /* fixed */
    assert_close(fmu_importer_value(&self, "k"), 35, 0);
    fmu_importer_free(&self);
    fmu_importer_close(&fmu);
  }
  mbs_result_free(result);
  free(document);
}

/* ---- the same bits ----------------------------------------------------------------------------------------------- */

enum { STEPS = 20 };

/* Computes the outputs after each of some steps, [STEPS x fmu->count], from the current state at `t`. */
static void record(fmu_importer_instance *self, double t, double *out) {
  uint32_t *references = calloc(self->fmu->count, sizeof *references);
  for (size_t i = 0; i < self->fmu->count; i++) references[i] = self->fmu->variables[i].reference;
  for (int step = 0; step < STEPS; step++) {
    double reached;
    if (fmu_importer_step(self, t + step * 0.01, 0.01, &reached) != IMPORTER_OK ||
        fmu_importer_get(self, references, self->fmu->count, out + (size_t)step * self->fmu->count) != IMPORTER_OK)
      out[(size_t)step * self->fmu->count] = NAN;
  }
  free(references);
}

static double *new_record(const fmu_importer *fmu) { return calloc(STEPS * fmu->count, sizeof(double)); }

static void expect_same_bits(const fmu_importer *fmu, const double *found, const double *expected) {
  assert_memory_equal(found, expected, STEPS * fmu->count * sizeof(double));
  for (size_t i = 0; i < STEPS * fmu->count; i++) assert_true(isfinite(found[i]));
}

static void test_states_and_reset(void **state) {
  (void)state;
  for (int v = 0; v < VERSIONS; v++) {
    fmu_importer fmu;
    fmu_importer_instance self, other;
    void *at_start = NULL, *later = NULL, *loaded = NULL;
    open_model("AA", versions[v], "", &fmu);
    double *first = new_record(&fmu), *second = new_record(&fmu), *found = new_record(&fmu);
    assert_true(fmu_importer_new(&fmu, NULL, &self));
    fmu_importer_start(&self);
    assert_int_equal(fmu_importer_get_state(&self, &at_start), IMPORTER_OK);
    record(&self, 0, first);
    assert_int_equal(fmu_importer_get_state(&self, &later), IMPORTER_OK);
    record(&self, STEPS * 0.01, second);

    assert_int_equal(fmu_importer_set_state(&self, later), IMPORTER_OK);
    record(&self, STEPS * 0.01, found);
    expect_same_bits(&fmu, found, second);
    assert_int_equal(fmu_importer_set_state(&self, at_start), IMPORTER_OK);
    record(&self, 0, found);
    expect_same_bits(&fmu, found, first);

    size_t size;
    unsigned char *bytes = fmu_importer_save(&self, later, &size);
    assert_true(fmu_importer_new(&fmu, NULL, &other));
    assert_int_equal(fmu_importer_load(&other, bytes, size, &loaded), IMPORTER_OK);
    assert_int_equal(fmu_importer_set_state(&other, loaded), IMPORTER_OK);
    record(&other, STEPS * 0.01, found);
    expect_same_bits(&fmu, found, second);
    void *wrong = NULL;
    assert_int_equal(fmu_importer_load(&other, bytes, size - 1, &wrong), IMPORTER_ERROR);
    assert_null(wrong);

    assert_int_equal(fmu_importer_reset(&self), IMPORTER_OK);
    fmu_importer_start(&self);
    record(&self, 0, found);
    expect_same_bits(&fmu, found, first);

    assert_int_equal(fmu_importer_free_state(&self, &at_start), IMPORTER_OK);
    assert_int_equal(fmu_importer_free_state(&self, &later), IMPORTER_OK);
    assert_int_equal(fmu_importer_free_state(&other, &loaded), IMPORTER_OK);
    assert_null(later);
    fmu_importer_free(&self);
    fmu_importer_free(&other);
    free(bytes);
    free(first);
    free(second);
    free(found);
    fmu_importer_close(&fmu);
  }
}

enum { INSTANCES = 100 };

typedef struct thread_work {
  pthread_t id;
  fmu_importer_instance self;
  double *found;
} thread_work;

static void *work(void *user) {
  thread_work *self = user;
  if (fmu_importer_enter(&self->self, 0) == IMPORTER_OK && fmu_importer_exit(&self->self) == IMPORTER_OK)
    record(&self->self, 0, self->found);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  fmu_importer fmu;
  open_model("FourBar", "3.0", "", &fmu);
  thread_work *list = calloc(INSTANCES, sizeof *list);
  for (int i = 0; i < INSTANCES; i++) {
    list[i].found = new_record(&fmu);
    assert_true(fmu_importer_new(&fmu, NULL, &list[i].self));
  }
  work(&list[0]);
  for (int i = 1; i < INSTANCES; i++) assert_int_equal(pthread_create(&list[i].id, NULL, work, &list[i]), 0);
  for (int i = 1; i < INSTANCES; i++) pthread_join(list[i].id, NULL);
  for (int i = 0; i < INSTANCES; i++) {
    expect_same_bits(&fmu, list[i].found, list[0].found);
    fmu_importer_free(&list[i].self);
  }
  for (int i = 0; i < INSTANCES; i++) free(list[i].found);
  free(list);
  fmu_importer_close(&fmu);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

/* A slider whose force is undefined after t = 0.5, and a sensor that is not finite after t = 0.255. */
MODEL(slider,
      {"name": "Slider", "space": "planar", "gravity": [0, 0], "parameters": {"m": 2, "end": 0.5},
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": "m", "inertia": 1, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "b.B"],
                   "vectors": ["ground.u", "b.u"]}],
       "forces": [{"name": "push", "type": "force", "body": "b", "value": ["sqrt(end - t)", 0]}],
       "sensors": [{"name": "root", "value": "sqrt(0.255 - t)"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}});

static void open_slider(const char *version, fmu_importer *fmu) {
  char *request = request_of(slider, version, "");
  fmu_importer_open(request, fmu);
  free(request);
}

/* A failing step keeps the state before it; a value that is not finite is never returned with OK. */
static void test_discarded_steps(void **state) {
  (void)state;
  for (int v = 0; v < VERSIONS; v++) {
    fmu_importer fmu;
    fmu_importer_instance self;
    double reached, root;
    open_slider(versions[v], &fmu);
    const uint32_t reference = fmu_importer_reference(&fmu, "root");
    assert_true(fmu_importer_new(&fmu, NULL, &self));
    fmu_importer_start(&self);
    assert_int_equal(fmu_importer_step(&self, 0, 0.25, &reached), IMPORTER_OK);
    assert_int_equal(fmu_importer_get(&self, &reference, 1, &root), IMPORTER_OK);
    assert_close(root, sqrt(0.005), 1e-12);
    assert_int_equal(fmu_importer_step(&self, 0.25, 0.15, &reached), IMPORTER_OK);
    assert_int_equal(fmu_importer_get(&self, &reference, 1, &root), IMPORTER_DISCARD);
    assert_string_equal(self.category, "logStatusDiscard");
    assert_non_null(strstr(self.message, "root"));
    const double x = fmu_importer_value(&self, "b.x");

    assert_int_equal(fmu_importer_step(&self, 0.4, 0.3, &reached), IMPORTER_DISCARD);
    assert_close(reached, 0.4, 1e-12);
    assert_string_equal(self.category, "logStatusDiscard");
    assert_non_null(strstr(self.message, "not_finite: "));
    assert_non_null(strstr(self.message, "push"));
    assert_non_null(strstr(self.message, "t = "));
    assert_close(fmu_importer_value(&self, "b.x"), x, 0);
    assert_int_equal(fmu_importer_step(&self, 0.4, 0.05, &reached), IMPORTER_OK);
    /* m x'' = sqrt(end - t) */
    const double t = 0.45, end = 0.5;
    const double rate = (pow(end, 1.5) - pow(end - t, 1.5)) * 2 / 3 / 2;
    assert_close(fmu_importer_value(&self, "b.vx"), rate, 1e-8);
    fmu_importer_free(&self);
    fmu_importer_close(&fmu);
  }
}

static void test_errors(void **state) {
  (void)state;
  for (int v = 0; v < VERSIONS; v++) {
    fmu_importer fmu;
    fmu_importer_instance self;
    const uint32_t unknown = 1000, output = 3;
    double value, reached;
    open_slider(versions[v], &fmu);
    assert_false(fmu_importer_new(&fmu, "another token", &self));
    assert_non_null(strstr(self.message, "token"));
    assert_true(fmu_importer_new(&fmu, NULL, &self));
    assert_int_equal(fmu_importer_get(&self, &output, 1, &value), IMPORTER_ERROR); /* not initialized */
    assert_int_equal(fmu_importer_step(&self, 0, 0.1, &reached), IMPORTER_ERROR);
    assert_int_equal(fmu_importer_exit(&self), IMPORTER_ERROR);
    assert_int_equal(fmu_importer_get(&self, &unknown, 1, &value), IMPORTER_ERROR);
    assert_int_equal(fmu_importer_set(&self, "m", NAN), IMPORTER_ERROR);
    assert_int_equal(fmu_importer_set(&self, "b.x", 1), IMPORTER_ERROR);
    assert_string_equal(self.category, "logStatusError");
    assert_int_equal(fmu_importer_set(&self, "m", -1), IMPORTER_OK);
    assert_int_equal(fmu_importer_enter(&self, 0), IMPORTER_OK);
    assert_int_equal(fmu_importer_exit(&self), IMPORTER_ERROR);
    assert_non_null(strstr(self.message, "out_of_range: "));
    assert_non_null(strstr(self.message, "/bodies/0/mass"));
    assert_int_equal(fmu_importer_reset(&self), IMPORTER_OK);
    assert_int_equal(fmu_importer_enter(&self, 1), IMPORTER_ERROR); /* the motion starts at 0 */
    assert_int_equal(fmu_importer_reset(&self), IMPORTER_OK);
    fmu_importer_start(&self);
    assert_close(fmu_importer_value(&self, "m"), 2, 0);
    assert_int_equal(fmu_importer_step(&self, 0, -0.1, &reached), IMPORTER_ERROR);
    assert_int_equal(fmu_importer_step(&self, 0.2, 0.1, &reached), IMPORTER_ERROR);
    assert_int_equal(fmu_importer_step(&self, 0, 0.1, &reached), IMPORTER_OK);
    fmu_importer_free(&self);
    fmu_importer_close(&fmu);
  }
}

/* Returns the errors of a request that cannot be exported, "POINTER CODE; ...". */
static void expect_refusal(const char *members, const char *expected) {
  char *request = request_of(slider, "2.0", members), found[300] = "";
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  json_t *root = json_loads(request, JSON_DECODE_INT_AS_REAL, NULL), *texts;
  assert_non_null(root);
  texts = api_fmu_make(root, &limits, &list);
  assert_null(texts);
  for (size_t i = 0; i < list.count; i++)
    snprintf(found + strlen(found), sizeof found - strlen(found), "%s %s; ", list.items[i].pointer,
             mbs_status_code(list.items[i].status));
  assert_string_equal(found, expected);
  mbs_diagnostics_free(&list);
  free(request);
}

static void test_refusals(void **state) {
  (void)state;
  expect_refusal("'outputs': ['b.x', 'b.w', 'b.x', 1],",
                 "/outputs/1 unknown_name; /outputs/2 duplicate_name; /outputs/3 wrong_type; ");
  expect_refusal("'outputs': 'b.x',", "/outputs wrong_type; ");
  expect_refusal("'analysis': {'type': 'kinematics', 't_end': 1, 'dt': 0.1},", "/analysis/type invalid; ");
  expect_refusal(
      "'analysis': {'type': 'dynamics', 't_end': 1, 'dt': 0.1, 'constraints': 'none', 'stop_when': 'b.x - 1'},",
      "/analysis/constraints invalid; /analysis/stop_when invalid; ");
  expect_refusal("'colour': 1,", "/colour unknown_field; ");
  expect_refusal("'study': {'vary': [{'parameter': 'm', 'values': [1, 2]}], 'outputs': [{'name': 'x', 'of': 'b.x', "
                 "'take': 'final'}]},",
                 "/study invalid; ");
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* A force u on a mass of 2 kg along a rail, at first 3 N. */
MODEL(pushed,
      {"name": "Pushed", "space": "planar", "gravity": [0, 0], "inputs": {"u": 3},
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 1, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "b.B"],
                   "vectors": ["ground.u", "b.u"]}],
       "forces": [{"name": "push", "type": "force", "body": "b", "value": ["u", 0]}],
       "sensors": [{"name": "twice", "value": "2*u"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "inputs": {"u": {"t": [0, 1], "values": [0, 100]}}}});

/* Inputs are held between two communication points, and outputs follow them at once. */
static void test_inputs(void **state) {
  (void)state;
  for (int v = 0; v < VERSIONS; v++) {
    char *request = request_of(pushed, versions[v], "");
    fmu_importer fmu;
    fmu_importer_instance self;
    double x = 0, speed = 0, reached;
    fmu_importer_open(request, &fmu);
    for (size_t i = 0; i < fmu.count; i++)
      if (strcmp(fmu.variables[i].name, "u") == 0) {
        assert_string_equal(fmu.variables[i].causality, "input");
        assert_close(fmu.variables[i].start, 3, 0);
      }
    assert_true(fmu_importer_new(&fmu, NULL, &self));
    fmu_importer_start(&self);
    assert_close(fmu_importer_value(&self, "twice"), 6, 0);
    for (int step = 0; step < 10; step++) {
      const double h = 0.1, u = step == 0 ? 3 : sin(step);
      if (step > 0) assert_int_equal(fmu_importer_set(&self, "u", u), IMPORTER_OK);
      assert_close(fmu_importer_value(&self, "twice"), 2 * u, 1e-15);
      assert_int_equal(fmu_importer_step(&self, step * h, h, &reached), IMPORTER_OK);
      x += h * speed + h * h * u / 4;
      speed += h * u / 2;
      assert_close(fmu_importer_value(&self, "b.x"), x, 1e-8);
      assert_close(fmu_importer_value(&self, "rail.qd"), speed, 1e-8);
    }
    fmu_importer_free(&self);
    fmu_importer_close(&fmu);
    free(request);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_to_runs), cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_inputs),        cmocka_unit_test(test_states_and_reset),
      cmocka_unit_test(test_threads),       cmocka_unit_test(test_discarded_steps),
      cmocka_unit_test(test_errors),        cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
