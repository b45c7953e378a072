/* Selection of the arrays in a result, and the Jacobian in compressed rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/jacobian.h"
#include "equations/state.h"
#include "equations/system.h"
#include "models.h"

/* ---- compressed rows ------------------------------------------------------------------------------------------- */

/* Checks that the entries equal those of the table, and that all other entries of the table are zero. */
static void compare(const char *document, const char *analysis) {
  mbs_model *model = models_build(document, analysis);
  mbs_arena *arena = mbs_arena_new(0);
  mbs_system *system = mbs_system_new(model, arena);
  mbs_jacobian_entries entries;
  double *table = mbs_arena_alloc(arena, model->rows * model->nv + 1, sizeof *table);
  assert_true(system && table && mbs_jacobian_entries_find(model, arena, &entries));
  mbs_set_position(system, model->t_start, model->constants->q0);
  mbs_set_velocity(system, model->constants->v0);
  mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHS);
  mbs_jacobian_rows(system, table);
  assert_int_equal(entries.row0[0], 0);
  assert_int_equal(entries.row0[model->rows], entries.count);
  for (size_t r = 0; r < model->rows; r++)
    for (size_t k = entries.row0[r]; k < entries.row0[r + 1]; k++) {
      double *place = &table[r * model->nv + (size_t)entries.column[k]];
      assert_true(k == entries.row0[r] || entries.column[k] > entries.column[k - 1]);
      assert_true(system->C[entries.from[k]] == *place);
      *place = 0;
    }
  for (size_t i = 0; i < model->rows * model->nv; i++) assert_true(table[i] == 0);
  mbs_arena_free(arena);
  mbs_model_free(model);
}

static void test_entries(void **state) {
  static const char *const analyses[] = {
      "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1}",
      "{\"type\": \"dynamics\", \"formulation\": \"body\", \"t_end\": 1, \"dt\": 0.1}"};
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++)
    for (int k = 0; k < 4; k++) {
      char *text = k < 2 ? models_random(seed, 8, 3) : models_random_spatial(seed, 6, 2);
      compare(text, analyses[k % 2]);
      free(text);
    }
}

/* A model whose full table would be very large: C v = 0 along its motion. */
static void test_large(void **state) {
  (void)state;
  char *text = models_four_bars(200);
  mbs_result *result = models_run(text, "{\"type\": \"dynamics\", \"t_end\": 0.02, \"dt\": 0.01}");
  assert_null(mbs_result_array(result, "Jac"));
  assert_non_null(models_note(result, "sparse matrix (CSR)"));
  const mbs_array *data = mbs_result_array(result, "Jac_data"), *indices = mbs_result_array(result, "Jac_indices"),
                  *begins = mbs_result_array(result, "Jac_indptr");
  assert_true(data && indices && begins);
  const size_t rows = begins->shape[0] - 1, last = models_rows(result) - 1;
  assert_int_equal(rows, models_columns(result, "Lam"));
  assert_int_equal(data->shape[1], indices->shape[0]);
  const double *C = models_row(result, "Jac_data", last), *v = models_row(result, "theta_d", last);
  double largest = 0;
  for (size_t r = 0; r < rows; r++) {
    double sum = 0;
    for (size_t k = (size_t)begins->data[r]; k < (size_t)begins->data[r + 1]; k++)
      sum += C[k] * v[(size_t)indices->data[k]];
    assert_true(fabs(sum) < 1e-9);
    largest = fmax(largest, fabs(v[r])); /* the model moves */
  }
  assert_true(largest > 1e-3);
  mbs_result_free(result);
  free(text);
}

/* ---- selected arrays ------------------------------------------------------------------------------------------- */

static void test_kept(void **state) {
  (void)state;
  char *text = models_named("SC");
  const char whole[] = "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1}",
             few[] =
                 "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"outputs\": [\"Lam\", \"theta\", \"omega\"]}";
  mbs_result *all = models_run(text, whole), *some = models_run(text, few);
  static const char *const names[] = {"T", "theta", "Lam"};
  assert_int_equal(some->array_count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(some->arrays[i].name, names[i]);
    for (size_t row = 0; row < models_rows(all); row++) assert_true(models_difference(all, some, names[i], row) == 0);
  }
  assert_true(some->report.residual_max[0] == all->report.residual_max[0]);
  assert_true(some->report.energy_change_max == all->report.energy_change_max);
  assert_non_null(models_note(some, "'omega'"));
  assert_null(models_note(all, "requested"));
  mbs_result_free(all);
  mbs_result_free(some);
  free(text);
}

static void test_sensors(void **state) {
  (void)state;
  char *text = models_named("SC");
  mbs_result *all = models_run(text, "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"outputs\": [\"sensors\"]}"),
             *one =
                 models_run(text, "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"outputs\": [\"slider x\"]}");
  assert_non_null(mbs_result_array(all, "slider x"));
  assert_int_equal(one->array_count, 2);
  assert_string_equal(one->arrays[1].name, "slider x");
  mbs_result_free(all);
  mbs_result_free(one);
  free(text);
}

/* Arrays computed from others: in space det from Jac_p, and Jac_p from Jac. */
static void test_made_from_others(void **state) {
  (void)state;
  char *text = models_named("McPherson");
  mbs_result *all = models_run(text, NULL);
  assert_non_null(mbs_result_array(all, "det"));
  char *with = models_text("{\"type\": \"kinematics\", \"formulation\": \"body\", \"t_end\": 0.2, \"dt\": 0.1, "
                           "\"outputs\": [\"det\"]}");
  char *without = models_text("{\"type\": \"kinematics\", \"formulation\": \"body\", \"t_end\": 0.2, \"dt\": 0.1}");
  mbs_result *det = models_run(text, with), *rest = models_run(text, without);
  assert_int_equal(det->array_count, 2);
  assert_true(models_difference(det, rest, "det", models_rows(det) - 1) == 0);
  mbs_result_free(all);
  mbs_result_free(det);
  mbs_result_free(rest);
  free(with);
  free(without);
  free(text);
}

static void test_refused(void **state) {
  static const struct {
    const char *analysis, *pointer, *words;
  } cases[] = {{"{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"outputs\": [\"theta\", \"Lamm\"]}", "/outputs/1",
                "did you mean 'Lam'"},
               {"{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"outputs\": [\"uT\"], \"certify\": true}",
                "/outputs", "'certify' needs all result arrays"},
               {"{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"outputs\": [\"T\"], \"error_estimate\": true}",
                "/outputs", "'error_estimate' needs all result arrays"}};
  (void)state;
  char *text = models_named("SC");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    mbs_diagnostics list = {0};
    assert_null(models_try_build(text, cases[i].analysis, &list));
    assert_int_equal(list.count, 1);
    assert_non_null(strstr(list.items[0].pointer, cases[i].pointer));
    assert_non_null(strstr(list.items[0].message, cases[i].words));
    mbs_diagnostics_free(&list);
  }
  free(text);
}

/* ---- the start alone ------------------------------------------------------------------------------------------- */

/* Checks that the assembly of a model built for another analysis equals that of the same model built for assembly. */
static void compare_starts(const char *document) {
  json_t *root = json_loads(document, 0, NULL), *analysis = json_object_get(root, "analysis");
  json_object_set_new(analysis, "type", json_string("assembly"));
  char *assembly = json_dumps(analysis, 0);
  mbs_model *for_motion = models_build(document, NULL), *for_start = models_build(document, assembly);
  free(assembly);
  json_decref(root);
  mbs_result *one = NULL, *other = NULL;
  mbs_error error, other_error;
  const mbs_status status = mbs_run_assembly_report(for_motion, NULL, &one, &error);
  assert_int_equal(status, mbs_run(for_start, NULL, &other, &other_error));
  if (status != MBS_OK) assert_string_equal(error.message, other_error.message);
  const mbs_report *a = &one->report, *b = &other->report;
  assert_string_equal(a->analysis, "assembly");
  assert_int_equal(a->evaluations, b->evaluations);
  assert_int_equal(a->note_count, b->note_count);
  for (size_t i = 0; i < a->note_count; i++) assert_string_equal(a->notes[i], b->notes[i]);
  assert_int_equal(a->non_finite_count, b->non_finite_count);
  assert_memory_equal(a->q_after, b->q_after, a->coordinates * sizeof(double));
  assert_memory_equal(a->v_after, b->v_after, a->velocities * sizeof(double));
  assert_memory_equal(a->residual_max, b->residual_max, sizeof a->residual_max);
  assert_true(a->jacobian_error == b->jacobian_error || (isnan(a->jacobian_error) && isnan(b->jacobian_error)));
  mbs_result_free(one);
  mbs_result_free(other);
  mbs_model_free(for_motion);
  mbs_model_free(for_start);
}

static void test_start_alone(void **state) {
  static const char *const names[] = {"SC",      "AA",    "BouncingBall", "FourBar_equilibrium", "FourBar_inverse",
                                      "Bricard", "Gears", "Cam",          "Suspension",          "SP_modes",
                                      "TP",      "Top"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = models_named(names[i]);
    compare_starts(text);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_entries),
                                     cmocka_unit_test(test_large),
                                     cmocka_unit_test(test_kept),
                                     cmocka_unit_test(test_sensors),
                                     cmocka_unit_test(test_made_from_others),
                                     cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_start_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
