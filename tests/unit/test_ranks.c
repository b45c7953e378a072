/* test_ranks.c - identification of redundant rows, which leave the rest of the result unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models.h"

static const char *const formulations[] = {"joint", "body"};

/* Runs two arms welded to each other on one pin, with `more` constraints. */
static mbs_result *welded(const char *more, const char *formulation) {
  char document[2048], analysis[128];
  MODEL(document_format,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.1, "points": {"O": [-0.37, 0.1], "W": [0.53, 0.2]},
          "initial": {"position": [0.37, -0.1], "angular_velocity": 1}},
         {"name": "b", "mass": 2, "inertia": 0.2, "points": {"W": [-0.41, -0.3], "E": [0.6, 0.7]},
          "initial": {"position": [1.31, 0.4]}}],
       "joints": [
         {"name": "pin", "type": "revolute", "points": ["ground.O", "a.O"]},
         {"name": "weld", "type": "rigid", "points": ["a.W", "b.W"]}%s]});
  snprintf(document, sizeof document, document_format, more);
  snprintf(analysis, sizeof analysis, JSON({"type": "assembly", "formulation": "%s"}), formulation);
  return models_run(document, analysis);
}

/* Rows whose Jacobian consists only of rounding errors in joint coordinates: between bodies that cannot move relative
 * to each other. */
static void test_rows_within_a_rigid_pair(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    mbs_result *free_pair = welded("", formulations[f]);
    MODEL(more,
        , {"name": "rod", "type": "rod", "points": ["a.O", "b.E"]},
        {"name": "pin2", "type": "revolute", "points": ["b.W", "a.W"], "cut": true});
    mbs_result *tied = welded(more, formulations[f]);
    assert_int_equal(tied->report.redundant_count, 3);
    assert_int_equal(tied->report.degrees_of_freedom, 1);
    assert_true(models_difference(tied, free_pair, "pd", 0) < 1e-12);
    assert_true(models_difference(tied, free_pair, "rdd", 0) < 1e-12);
    mbs_result_free(free_pair);
    mbs_result_free(tied);
  }
}

/* A duplicate pin makes an exactly zero pivot before regular rows. */
static void test_the_same_pin_twice(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    mbs_result *once = welded("", formulations[f]);
    mbs_result *twice = welded(
        PART(, {"name": "again", "type": "revolute", "points": ["ground.O", "a.O"], "cut": true}), formulations[f]);
    assert_int_equal(twice->report.redundant_count, 2);
    for (size_t r = 0; r < twice->report.rows; r++)
      assert_int_equal(twice->report.constraints[r].redundant,
                       strcmp(twice->report.constraints[r].element, "again") == 0);
    assert_true(isfinite(twice->report.velocity_residual));
    assert_true(models_difference(twice, once, "pdd", 0) < 1e-12);
    mbs_result_free(once);
    mbs_result_free(twice);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_within_a_rigid_pair),
      cmocka_unit_test(test_the_same_pin_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
