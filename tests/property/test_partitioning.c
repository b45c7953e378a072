/* test_partitioning.c - every way of satisfying the constraints gives the same motion. The independent coordinates are
 * those in `hold`; others replace them where they become ill-conditioned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "models.h"

static char *analysis(const char *constraints, const char *formulation, double t_end, const char *more) {
  static char text[4][512];
  static int next;
  next = (next + 1) % 4;
  MODEL(text_format,
      {"t_end": %.17g, "dt": %.17g, "constraints": "%s", "formulation": "%s",
       "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}%s});
  snprintf(text[next], sizeof text[next], text_format, t_end, t_end / 50, constraints, formulation, more);
  return text[next];
}

static void compare_methods(const char *document, const char *formulation, double t_end, const char *what) {
  mbs_result *projected = models_run(document, analysis("projection", formulation, t_end, ""));
  mbs_result *partitioned = models_run(document, analysis("partitioning", formulation, t_end, ""));
  mbs_result *stabilized = models_run(document, analysis("baumgarte", formulation, t_end, ""));
  static const char *const arrays[] = {"uT", "theta_dd", "Lam", "reactions", "energy"};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    expect_same(what, partitioned, projected, arrays[i], 1e-6);
    expect_same(what, stabilized, projected, arrays[i], 1e-6);
  }
  expect_same(what, partitioned, projected, "rP", 1e-7);
  assert_true(partitioned->report.residual_max[0] <= 1e-10);
  assert_true(partitioned->report.residual_max[1] <= 1e-8);
  mbs_result_free(projected);
  mbs_result_free(partitioned);
  mbs_result_free(stabilized);
}

static void test_methods_agree_on_models(void **unused) {
  (void)unused;
  static const char *const names[] = {"SC",
                                      "SCd",
                                      "AA",
                                      "MP_A",
                                      "FourBar",
                                      "FiveBar",
                                      "FiveBar_driven",
                                      "PendulumSpring_ball",
                                      "PendulumSpring_rod",
                                      "PendulumSpring_solid"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *document = models_named(names[i]);
    compare_methods(document, "joint", 0.5, names[i]);
    compare_methods(document, "body", 0.5, names[i]);
    free(document);
  }
}

static void test_methods_agree_on_random_mechanisms(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    char what[32], *document = models_random(seed, 4 + seed % 5, 1 + seed % 2);
    snprintf(what, sizeof what, "seed %d", (int)seed);
    compare_methods(document, seed % 2 ? "joint" : "body", 0.1, what);
    free(document);
  }
}

/* The pendulum-spring closed by a ball cut and by a solid cut is the same mechanism. */
static void test_cuts_agree(void **unused) {
  (void)unused;
  char *ball = models_named("PendulumSpring_ball"), *solid = models_named("PendulumSpring_solid");
  const char *how = analysis("partitioning", "joint", 5, PART(, "hold": ["hinge", "rail"]));
  mbs_result *one = models_run(ball, how), *two = models_run(solid, how);
  expect_same("cuts", one, two, "pendulum angle", 1e-8);
  expect_same("cuts", one, two, "slider position", 1e-8);
  assert_non_null(models_note(one, "hinge.qd, rail.qd"));
  mbs_result_free(one);
  mbs_result_free(two);
  free(ball);
  free(solid);
}

/* A crank-rocker with a prescribed motion of its rocker; the crank rotates fully. */
MODEL(crank_rocker,
    {"space": "planar", "gravity": [0, -9.81],
     "ground": {"points": {"O": [0, 0], "C": [0.9, 0]}},
     "bodies": [
       {"name": "crank", "mass": 1, "inertia": 0.01, "points": {"A": [-0.15, 0], "B": [0.15, 0]},
        "initial": {"position": [0.081, 0.1262], "angle": 1}},
       {"name": "coupler", "mass": 2, "inertia": 0.1, "points": {"A": [-0.4, 0], "B": [0.4, 0]},
        "initial": {"position": [0.4693, 0.5169], "angle": 0.7}},
       {"name": "rocker", "mass": 1.5, "inertia": 0.06, "points": {"B": [0.35, 0], "C": [-0.35, 0]},
        "initial": {"position": [0.8345, 0.3438], "angle": 1.7}}],
     "joints": [
       {"name": "O", "type": "revolute", "points": ["ground.O", "crank.A"], "cut": false},
       {"name": "A", "type": "revolute", "points": ["crank.B", "coupler.A"], "cut": false},
       {"name": "B", "type": "revolute", "points": ["coupler.B", "rocker.B"], "cut": true},
       {"name": "C", "type": "revolute", "points": ["ground.C", "rocker.C"], "cut": false,
        "initial": {"velocity": 12}}]});

static void test_another_choice_where_the_first_becomes_bad(void **unused) {
  (void)unused;
  const char *hold = PART(, "hold": ["C"]);
  mbs_result *projected = models_run(crank_rocker, analysis("projection", "joint", 2, hold));
  mbs_result *partitioned = models_run(crank_rocker, analysis("partitioning", "joint", 2, hold));
  assert_true(fabs(models_row(projected, "p", models_rows(projected) - 1)[0]) > 4 * 3.15); /* full revolutions */
  assert_non_null(models_note(partitioned, "start: C.qd"));
  assert_non_null(models_note(partitioned, "selected again"));
  expect_same("repartition", partitioned, projected, "uT", 1e-6);
  assert_true(partitioned->report.energy_change_max < 1e-7 * 200);
  mbs_result_free(projected);
  mbs_result_free(partitioned);
}

static void test_hold_that_cannot_be(void **unused) {
  (void)unused;
  mbs_result *result;
  mbs_error error = {0};
  const char *how = analysis("partitioning", "joint", 1, PART(, "correct": false, "hold": ["A", "O"]));
  assert_int_equal(models_try_run(crank_rocker, how, &result, &error), MBS_INVALID);
  assert_non_null(strstr(error.message, "cannot all be independent"));
  mbs_result_free(result);
}

static void test_repeats_are_the_same(void **unused) {
  (void)unused;
  mbs_result *one = models_run(crank_rocker, analysis("partitioning", "body", 1, ""));
  mbs_result *two = models_run(crank_rocker, analysis("partitioning", "body", 1, ""));
  for (size_t row = 0; row < models_rows(one); row++)
    assert_memory_equal(models_row(one, "uT", row), models_row(two, "uT", row),
                        models_columns(one, "uT") * sizeof(double));
  mbs_result_free(one);
  mbs_result_free(two);
}

/* Constraints drift without stabilization; Baumgarte's gains correct a violated start: Phi'' + 2 alpha Phi' + beta^2
 * Phi = 0, which decays as (1 + 10 t) exp(-10 t) if both are 10. */
static void test_baumgarte_brings_back(void **unused) {
  (void)unused;
  MODEL(pendulum,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "bob", "mass": 1, "inertia": 1, "points": {"A": [0, 1]},
          "initial": {"position": [0, -1.01]}}],
       "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "bob.A"]}]});
  mbs_result *result = models_run(pendulum, analysis("baumgarte", "body", 1, PART(, "correct": false)));
  for (size_t row = 0; row < models_rows(result); row++) {
    double t = *models_row(result, "T", row);
    double gap = models_row(result, "rP", row)[3]; /* component of the bob's point, the second one */
    if (!(fabs(gap + 0.01 * (1 + 10 * t) * exp(-10 * t)) < 1e-9)) fail_msg("gap %.12g at t = %g", gap, t);
  }
  mbs_result_free(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_methods_agree_on_models),
      cmocka_unit_test(test_methods_agree_on_random_mechanisms),
      cmocka_unit_test(test_cuts_agree),
      cmocka_unit_test(test_another_choice_where_the_first_becomes_bad),
      cmocka_unit_test(test_hold_that_cannot_be),
      cmocka_unit_test(test_repeats_are_the_same),
      cmocka_unit_test(test_baumgarte_brings_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
