/* test_repeats.c - no allocation between two evaluations, and equal bits from equal jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "equations/evaluate.h"
#include "equations/system.h"
#include "models.h"

/* ---- counting allocations ------------------------------------------------------------------------------------ */

static void test_counting_counts(void **unused) {
  (void)unused;
  allocations_start();
  size_t before = allocations_made();
  void *volatile place = malloc(24);
  assert_non_null(place);
  assert_true(allocations_made() > before);
  free(place);
}

/* ---- models -------------------------------------------------------------------------------------------------- */

enum { DOCUMENTS = 7 };

/* Open chains short and long, loops, drivers, redundant rows, expressions. */
static char *document_at(int i) {
  switch (i) {
  case 0: return models_named("TP");
  case 1: return models_named("SCd");
  case 2: return models_named("MP_A");
  case 3: return models_chain(20, 1);
  case 4: return models_four_bars(10);
  case 5: return models_of_tests("two-guides");
  default: return models_random(7, 8, 3);
  }
}

static const char *const formulations[] = {"joint", "body"};

static const char *analysis(const char *formulation, double tolerance) {
  static char text[256];
  MODEL(text_format,
      {"formulation": "%s", "t_end": 0.5, "dt": 0.1, "integrator": {"rtol": %g, "atol": %g}});
  snprintf(text, sizeof text, text_format, formulation, tolerance, tolerance);
  return text;
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

static void test_evaluations_do_not_allocate(void **unused) {
  (void)unused;
  for (int i = 0; i < DOCUMENTS; i++)
    for (int f = 0; f < 2; f++) {
      char *document = document_at(i);
      mbs_model *model = models_build(document, analysis(formulations[f], 1e-6));
      mbs_arena *arena = mbs_arena_new(0);
      mbs_system *system = mbs_system_new(model, arena);
      mbs_evaluate(system, 0, model->constants->q0, model->constants->v0);
      size_t before = allocations_made();
      for (int k = 1; k <= 100; k++) mbs_evaluate(system, 1e-4 * k, model->constants->q0, model->constants->v0);
      assert_int_equal(allocations_made(), before);
      mbs_arena_free(arena);
      mbs_model_free(model);
      free(document);
    }
}

/* A run allocates only before its first step: a hundred times as many evaluations allocate no more. */
static void test_runs_allocate_at_the_start(void **unused) {
  (void)unused;
  for (int i = 0; i < DOCUMENTS; i++)
    for (int f = 0; f < 2; f++) {
      char *document = document_at(i);
      size_t counts[2];
      uint64_t evaluations[2];
      for (int k = 0; k < 2; k++) {
        mbs_model *model = models_build(document, analysis(formulations[f], k ? 1e-10 : 1e-3));
        mbs_result *result = NULL;
        size_t before = allocations_made();
        assert_int_equal(mbs_run(model, NULL, &result, NULL), MBS_OK);
        counts[k] = allocations_made() - before;
        evaluations[k] = result->report.evaluations;
        mbs_result_free(result);
        mbs_model_free(model);
      }
      assert_true(evaluations[1] > evaluations[0]);
      assert_int_equal(counts[0], counts[1]);
      free(document);
    }
}

static void test_same_bits(void **unused) {
  (void)unused;
  for (int i = 0; i < DOCUMENTS; i++)
    for (int f = 0; f < 2; f++) {
      char *document = document_at(i);
      mbs_result *one = models_run(document, analysis(formulations[f], 1e-7));
      mbs_result *two = models_run(document, analysis(formulations[f], 1e-7));
      assert_int_equal(one->array_count, two->array_count);
      assert_int_equal(one->report.evaluations, two->report.evaluations);
      for (size_t a = 0; a < one->array_count; a++) {
        const mbs_array *x = &one->arrays[a], *y = &two->arrays[a];
        assert_int_equal(x->shape[0], y->shape[0]);
        assert_memory_equal(x->data, y->data, x->shape[0] * models_columns(one, x->name) * sizeof(double));
      }
      mbs_result_free(one);
      mbs_result_free(two);
      free(document);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counting_counts),
      cmocka_unit_test(test_evaluations_do_not_allocate),
      cmocka_unit_test(test_runs_allocate_at_the_start),
      cmocka_unit_test(test_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
