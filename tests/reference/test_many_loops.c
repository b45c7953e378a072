/* Mechanisms with many adjacent loops: the automatically chosen formulation is as accurate as the other, and costs grow
 * as expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

static mbs_result *run(const char *document, const char *formulation, double t_end) {
  char analysis[256];
  MODEL(asked,
      {"t_end": %g, "dt": %g, "formulation": "%s", "integrator": {"method": "dop853", "rtol": 1e-10, "atol": 1e-10}});
  MODEL(open, {"t_end": %g, "dt": %g, "integrator": {"method": "dop853", "rtol": 1e-10, "atol": 1e-10}});
  if (formulation)
    snprintf(analysis, sizeof analysis, asked, t_end, t_end / 2, formulation);
  else
    snprintf(analysis, sizeof analysis, open, t_end, t_end / 2);
  return models_run(document, analysis);
}

/* Nothing is chosen automatically for few loops, or if the document specifies a formulation. Many loops: body
 * coordinates, with a note. */
static void test_formulation(void **unused) {
  (void)unused;
  static const struct {
    size_t stages;
    const char *asked, *expected;
  } cases[] = {{20, NULL, "joint"}, {20, "body", "body"}, {100, "joint", "joint"}, {100, NULL, "body"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *document = models_scissor_lift(cases[k].stages, 1);
    mbs_result *result = run(document, cases[k].asked, 1e-3);
    assert_string_equal(result->report.formulation, cases[k].expected);
    assert_int_equal(models_note(result, "body coordinates were chosen") != NULL, k == 3);
    mbs_result_free(result);
    free(document);
  }
}

/* Both formulations give the same fall. A lift has one degree of freedom, a net has those that its meshes leave. */
static void test_same_motion(void **unused) {
  (void)unused;
  char *documents[] = {models_scissor_lift(100, 1), models_net(10)};
  for (size_t k = 0; k < 2; k++) {
    mbs_result *chosen = run(documents[k], k == 0 ? NULL : "body", 0.005), *other = run(documents[k], "joint", 0.005);
    for (size_t row = 0; row < models_rows(other); row++) {
      assert_true(models_difference(chosen, other, "r", row) < 1e-8);
      assert_true(models_difference(chosen, other, "rd", row) < 1e-6);
    }
    assert_int_equal(chosen->report.redundant_count, 0);
    assert_int_equal(chosen->report.degrees_of_freedom, other->report.degrees_of_freedom);
    mbs_result_free(chosen);
    mbs_result_free(other);
    free(documents[k]);
  }
}

/* The small pivots of a long ladder are not a loss of rank; a duplicated row is one, among equally small pivots. */
static void test_ranks(void **unused) {
  (void)unused;
  for (size_t slides = 1; slides <= 3; slides++) {
    char *document = models_scissor_lift(120, slides);
    mbs_result *result = run(document, "body", 1e-3);
    assert_int_equal(result->report.redundant_count, slides - 1);
    assert_int_equal(result->report.degrees_of_freedom, 1);
    mbs_result_free(result);
    free(document);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_formulation),
      cmocka_unit_test(test_same_motion),
      cmocka_unit_test(test_ranks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
