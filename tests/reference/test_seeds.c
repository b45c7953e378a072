/* test_seeds.c - the models of the seeds against seeds.json: results of the original programs (dap/: DAP_BC and DAP_JC
 * at tolerance 1e-12, checked there by an independent integration), and numbers and counts printed in the seeds.
 * docs/models/ makes the tables of the models' pages from the same file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "models.h"

enum { ROWS_MAX = 16 };

typedef struct comparison {
  const char *model;
  json_t *seed;
  mbs_result *result;
  size_t rows[ROWS_MAX]; /* row of the result for each instant of the reference */
  size_t instants;
} comparison;

static json_t *seeds, *models;

static json_t *read_json(const char *path) {
  char *text = models_file(path);
  json_t *value = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
  free(text);
  assert_non_null(value);
  return value;
}

static int read_seeds(void **unused) {
  (void)unused;
  seeds = read_json("tests/reference/seeds.json");
  models = json_object_get(seeds, "models");
  return 0;
}

static int free_seeds(void **unused) {
  (void)unused;
  json_decref(seeds);
  return 0;
}

static const char *text_of(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

static double number_of(const json_t *object, const char *name) {
  return json_number_value(json_object_get(object, name));
}

static double number(const json_t *array, size_t i) { return json_number_value(json_array_get(array, i)); }

/* Runs a model with an analysis of seeds.json; `formulation` NULL: that of the analysis. */
static mbs_result *run_as(const char *model, const json_t *analysis, const char *formulation) {
  json_t *asked = json_copy((json_t *)analysis);
  if (formulation) json_object_set_new(asked, "formulation", json_string(formulation));
  char *text = json_dumps(asked, 0), *document = models_named(model);
  mbs_result *result = models_run(document, text);
  free(document);
  free(text);
  json_decref(asked);
  return result;
}

/* Returns the row of an instant, which the result must have. */
static size_t row_at(const mbs_result *result, double t) {
  for (size_t row = 0; row < models_rows(result); row++)
    if (fabs(*models_row(result, "T", row) - t) < 1e-9) return row;
  fail_msg("no row at t = %g", t);
  return 0;
}

static comparison open_comparison(const char *model, const char *file) {
  comparison c = {.model = model};
  char path[128];
  snprintf(path, sizeof path, "tests/reference/dap/%s.json", file);
  c.seed = read_json(path);
  const json_t *analysis = json_object_get(json_object_get(seeds, "programs"), "analysis");
  c.result = run_as(model, analysis, strncmp(file, "BC", 2) == 0 ? "body" : "joint");
  const json_t *T = json_object_get(c.seed, "T");
  c.instants = json_array_size(T);
  assert_true(c.instants > 0 && c.instants <= ROWS_MAX);
  for (size_t i = 0; i < c.instants; i++) c.rows[i] = row_at(c.result, number(T, i));
  return c;
}

static void close_comparison(comparison *c) {
  json_decref(c->seed);
  mbs_result_free(c->result);
}

static void expect_near(const comparison *c, const char *what, size_t column, double t, double value, double wanted,
                        double tolerance) {
  if (!(fabs(value - wanted) <= tolerance))
    fail_msg("%s: %s[%zu] at t = %g is %.15g, in the reference %.15g", c->model, what, column, t, value, wanted);
}

static void check_start(const comparison *c) {
  bool body = json_object_get(c->seed, "ic_corrected_coordinates") != NULL;
  const json_t *q = json_object_get(c->seed, body ? "ic_corrected_coordinates" : "ic_corrected_theta"),
               *v = json_object_get(c->seed, body ? "ic_corrected_velocities" : "ic_corrected_theta_d");
  const mbs_report *report = &c->result->report;
  assert_int_equal(json_array_size(q), report->coordinates);
  for (size_t i = 0; i < report->coordinates; i++)
    expect_near(c, "corrected q", i, 0, report->q_after[i], number(q, i), 1e-9);
  for (size_t i = 0; i < report->velocities; i++)
    expect_near(c, "corrected v", i, 0, report->v_after[i], number(v, i), 1e-9);
}

/* Writes the numbers of nested arrays to `out` as a flat list. Returns their number. */
static size_t flatten(const json_t *value, double *out) {
  if (!json_is_array(value)) {
    *out = json_number_value(value);
    return 1;
  }
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(value); i++) count += flatten(json_array_get(value, i), out + count);
  return count;
}

/* Compares an array at all instants: each value to `tolerance` times max(1, |value|) or, with `of_largest`, times
 * max(1, the largest value). */
static void check_array(const comparison *c, const char *array, const char *field, double tolerance, bool of_largest) {
  const json_t *rows = json_object_get(c->seed, field);
  size_t columns = models_columns(c->result, array);
  if (!rows || columns == 0) return;
  double *wanted = calloc(columns * c->instants, sizeof *wanted), largest = 0;
  assert_int_equal(flatten(rows, wanted), columns * c->instants);
  for (size_t i = 0; i < columns * c->instants; i++) largest = fmax(largest, fabs(wanted[i]));
  for (size_t i = 0; i < c->instants; i++) {
    const double *row = models_row(c->result, array, c->rows[i]), t = *models_row(c->result, "T", c->rows[i]);
    for (size_t k = 0; k < columns; k++) {
      double value = wanted[i * columns + k], scale = fmax(1, of_largest ? largest : fabs(value));
      expect_near(c, array, k, t, row[k], value, tolerance * scale);
    }
  }
  free(wanted);
}

/* Compares the Jacobian where the reference has one; its signs are those of the multipliers. */
static void check_jacobian(const comparison *c) {
  const json_t *at = json_object_get(c->seed, "Jacobian_at_index0"), *all = json_object_get(c->seed, "Jacobian");
  size_t m = c->result->report.rows, n = c->result->report.velocities;
  if (!at || m == 0) return;
  double *wanted = calloc(m * n, sizeof *wanted);
  for (size_t i = 0; i < json_array_size(at); i++) {
    size_t row = c->rows[(size_t)number(at, i)];
    const double *Jac = models_row(c->result, "Jac", row), t = *models_row(c->result, "T", row);
    assert_int_equal(flatten(json_array_get(all, i), wanted), m * n);
    for (size_t k = 0; k < m * n; k++) expect_near(c, "Jac", k, t, Jac[k], wanted[k], 1e-7);
  }
  free(wanted);
}

static bool lists(const json_t *list, const char *text) {
  size_t i;
  json_t *item;
  json_array_foreach(list, i, item) {
    if (strcmp(json_string_value(item), text) == 0) return true;
  }
  return false;
}

static void compare(const char *model, const json_t *of) {
  comparison c = open_comparison(model, text_of(of, "results"));
  check_start(&c);
  check_jacobian(&c);
  size_t i;
  json_t *array;
  json_array_foreach(json_object_get(json_object_get(seeds, "programs"), "arrays"), i, array) {
    if (!lists(json_object_get(of, "except"), text_of(array, "array")))
      check_array(&c, text_of(array, "array"), text_of(array, "field"), number_of(array, "tolerance"),
                  json_is_true(json_object_get(array, "of_largest")));
  }
  close_comparison(&c);
}

static void test_results_of_the_programs(void **unused) {
  (void)unused;
  const char *model;
  json_t *of;
  size_t compared = 0;
  json_object_foreach(models, model, of) {
    if (!json_object_get(of, "results")) continue;
    compare(model, of);
    compared++;
  }
  assert_int_equal(compared, 7);
}

/* Compares the numbers of one entry of "values" in a formulation. Returns how many were compared. */
static size_t check_values(const char *model, const json_t *values, const char *formulation) {
  mbs_result *result = run_as(model, json_object_get(values, "analysis"), formulation);
  const char *array = text_of(values, "array");
  const json_t *columns = json_object_get(values, "columns"), *factor = json_object_get(values, "factor");
  const comparison c = {.model = model, .result = result};
  size_t i, k, count = 0;
  json_t *t, *given;
  json_array_foreach(json_object_get(values, "t"), i, t) {
    const double *row = models_row(result, array, row_at(result, json_number_value(t)));
    json_array_foreach(json_array_get(json_object_get(values, "given"), i), k, given) {
      size_t column = (size_t)number(columns, k);
      assert_true(column < models_columns(result, array));
      double value = row[column] * (factor ? json_number_value(factor) : 1);
      expect_near(&c, array, column, json_number_value(t), value, strtod(json_string_value(given), NULL),
                  number_of(values, "tolerance"));
      count++;
    }
  }
  mbs_result_free(result);
  return count;
}

static void test_values(void **unused) {
  (void)unused;
  const char *model;
  json_t *of, *values, *formulation;
  size_t i, f, count = 0;
  json_object_foreach(models, model, of) {
    json_array_foreach(json_object_get(of, "values"), i, values) {
      const json_t *formulations = json_object_get(values, "formulations");
      if (!formulations) count += check_values(model, values, NULL);
      json_array_foreach(formulations, f, formulation) {
        count += check_values(model, values, json_string_value(formulation));
      }
    }
  }
  assert_true(count >= 50);
}

/* Compares the counts in the seeds: bodies, coordinates, rows, degrees of freedom. */
static void test_counts(void **unused) {
  (void)unused;
  const char *model;
  json_t *of, *count;
  size_t i, counts = 0;
  json_object_foreach(models, model, of) {
    if (!json_object_get(of, "counts")) continue;
    char *document = models_named(model);
    mbs_result *result = models_run(document, NULL);
    const mbs_report *report = &result->report;
    json_array_foreach(json_object_get(of, "counts"), i, count) {
      const char *what = text_of(count, "what");
      double ours = strcmp(what, "rows") == 0                 ? (double)report->rows
                    : strcmp(what, "coordinates") == 0        ? (double)report->coordinates
                    : strcmp(what, "degrees_of_freedom") == 0 ? (double)report->degrees_of_freedom
                    : strcmp(what, "bodies") == 0             ? (double)mbs_result_array(result, "r")->shape[1]
                                                              : NAN;
      if (ours != number_of(count, "value")) fail_msg("%s: %s is %g", model, what, ours);
      counts++;
    }
    mbs_result_free(result);
    free(document);
  }
  assert_true(counts >= 30);
}

/* Computes the accelerations of the sliding pendulum by manually derived equations: m2 c = m l / 2 cos(a), s
 * likewise. */
static void slide_and_swing(const double y[4], double rate[4]) {
  const double g = 9.81, k = 20, free_length = 0.6, m = 7, half = 0.5, mass = 2, inertia = 0.2;
  double c = mass * half * cos(y[1]), s = mass * half * sin(y[1]), J = inertia + mass * half * half;
  double f = s * y[3] * y[3] - k * (y[0] - free_length), n = -s * g, determinant = m * J - c * c;
  rate[0] = y[2];
  rate[1] = y[3];
  rate[2] = (J * f - c * n) / determinant;
  rate[3] = (m * n - c * f) / determinant;
}

static void runge_kutta(double y[4], double h) {
  static const double ahead[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double sum[4] = {0}, rate[4] = {0}, at[4];
  for (int stage = 0; stage < 4; stage++) {
    for (int i = 0; i < 4; i++) at[i] = y[i] + h * ahead[stage] * rate[i];
    slide_and_swing(at, rate);
    for (int i = 0; i < 4; i++) sum[i] += weight[stage] * rate[i];
  }
  for (int i = 0; i < 4; i++) y[i] += h * sum[i];
}

/* The start listed in the manual, 0.3 pi rad/s, against an integration of manually derived equations. */
static void test_start_of_the_listing(void **unused) {
  (void)unused;
  MODEL(how,
      {"formulation": "%s", "t_end": 4, "dt": 0.02,
       "integrator": {"method": "dop853", "rtol": 1e-10, "atol": 1e-11}});
  const double pi = 3.14159265358979323846;
  char analysis[256], *document = models_named("SP_listing");
  for (int body = 0; body < 2; body++) {
    snprintf(analysis, sizeof analysis, how, body ? "body" : "joint");
    mbs_result *result = models_run(document, analysis);
    double y[4] = {1, pi / 6, 0, 0.3 * pi}, rate[4];
    for (size_t row = 0; row < models_rows(result); row++) {
      const double *r = models_row(result, "r", row), *rd = models_row(result, "rd", row);
      slide_and_swing(y, rate);
      assert_close(r[0], y[0], 1e-8);
      assert_close(rd[0], y[2], 1e-8);
      assert_close(models_row(result, "p", row)[1], y[1], 1e-8);
      assert_close(models_row(result, "pd", row)[1], y[3], 1e-8);
      assert_close(models_row(result, "rdd", row)[0], rate[2], 1e-7);
      assert_close(models_row(result, "pdd", row)[1], rate[3], 1e-7);
      for (int step = 0; step < 100; step++) runge_kutta(y, 0.02 / 100);
    }
    mbs_result_free(result);
  }
  free(document);
}

/* The cart in the coordinates of DAP_JC's files, where theta2 is the absolute angle of the chassis: the Jacobian given
 * there, in the direction of the motor. */
static void test_Cart_C(void **unused) {
  (void)unused;
  const double R = 0.1, a = 0.6, pi = 3.14159265358979323846;
  char *document = models_named("Cart_C");
  mbs_result *result = models_run(document, JSON({"t_end": 1, "dt": 0.1}));
  double torque = 20 * (1 - 0.6 / (4 * pi)), inertia = 24 * R * R + 2 * 0.5;
  assert_close(models_row(result, "theta_dd", 0)[0], -torque / inertia, 1e-9);
  for (size_t row = 0; row < models_rows(result); row++) {
    const double *theta = models_row(result, "theta", row), *p = models_row(result, "p", row);
    const double *Jac = models_row(result, "Jac", row), *r = models_row(result, "r", row);
    assert_close(theta[1], p[1] - p[0], 1e-12); /* rear wheel, chassis, front wheel */
    assert_close(*models_row(result, "chassis angle", row), theta[0] + theta[1], 1e-12);
    assert_close(r[0], -R * theta[0], 1e-12);
    static const double typed_in[2][3] = {{-1, 0, 1}, {0, 1, 0}};
    for (size_t k = 0; k < 2; k++) {
      const double *C = Jac + 3 * k, scale = k ? a : R;
      assert_close(C[0] - C[1], scale * typed_in[k][0], 1e-9);
      assert_close(C[1], scale * typed_in[k][1], 1e-9);
      assert_close(C[2], scale * typed_in[k][2], 1e-9);
    }
  }
  mbs_result_free(result);
  free(document);
}

/* The drivers lecture: f = (1.5 sin t + 3 t^2)^2 and its two derivatives at t = 2.3, as the motion of a slider. */
static void test_expression_of_the_drivers_lecture(void **unused) {
  (void)unused;
  MODEL(slider,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "slider", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "slider.O"],
          "vectors": ["ground.u", "slider.u"]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "rail", "function": "(1.5*sin(t) + 3*t^2)^2"}]});
  mbs_result *result = models_run(slider, JSON({"type": "assembly", "t_start": 2.3}));
  assert_true(fabs(*models_row(result, "theta", 0) - 288.6110967445356) < 1e-10);
  assert_true(fabs(*models_row(result, "theta_d", 0) - 434.9269896528085) < 1e-10);
  assert_true(fabs(*models_row(result, "theta_dd", 0) - 493.5673277342701) < 1e-10);
  mbs_result_free(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_results_of_the_programs),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_counts),
      cmocka_unit_test(test_start_of_the_listing),
      cmocka_unit_test(test_Cart_C),
      cmocka_unit_test(test_expression_of_the_drivers_lecture),
  };
  return cmocka_run_group_tests(tests, read_seeds, free_seeds);
}
