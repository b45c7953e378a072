/* test_equilibrium.c - static equilibrium against closed forms, from bad starts, and models without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "expect.h"
#include "models.h"

static const double pi = 3.14159265358979323846, g = 9.81;
static const char joint[] = JSON({"type": "equilibrium"}),
                  body[] = JSON({"type": "equilibrium", "formulation": "body"});

static void check_rest(const mbs_result *result) {
  assert_int_equal(models_rows(result), 1);
  const char *const zero[] = {"theta_d", "theta_dd", "rPdd"};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < models_columns(result, zero[i]); k++) assert_close(models_row(result, zero[i], 0)[k], 0, 0);
  assert_true(result->report.residual_max[0] < 1e-10);
}

/* A rod hangs straight down from every start, except that it stays upright if it starts so. */
static void test_pendulum(void **unused) {
  (void)unused;
  for (double angle = 0.1; angle < pi; angle += 0.5) {
    char *document = models_chain(1, angle);
    for (int k = 0; k < 2; k++) {
      mbs_result *result = models_run(document, k ? body : joint);
      check_rest(result);
      assert_close(*models_row(result, "p", 0), 0, 1e-12);
      assert_close(models_row(result, "reactions", 0)[1], g, 1e-11);
      assert_int_equal(result->report.stable, 1);
      mbs_result_free(result);
    }
    free(document);
  }
  char *document = models_chain(1, pi);
  mbs_result *result = models_run(document, joint);
  assert_close(*models_row(result, "p", 0), pi, 1e-12);
  assert_int_equal(result->report.stable, 0);
  mbs_result_free(result);
  free(document);
}

/* Chains that start almost upright fall; the reaction in joint k bears the links below it. */
static void test_chains(void **unused) {
  (void)unused;
  static const size_t lengths[] = {2, 3, 8, 40};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    size_t n = lengths[i];
    char *document = models_chain(n, 3);
    for (int k = 0; k < (n > 10 ? 1 : 2); k++) {
      mbs_result *result = models_run(document, k ? body : joint);
      check_rest(result);
      for (size_t b = 0; b < n; b++) {
        assert_close(remainder(models_row(result, "p", 0)[b], 2 * pi), 0, 1e-9);
        assert_close(models_row(result, "reactions", 0)[3 * b + 1], g * (double)(n - b), 1e-8);
      }
      assert_int_equal(result->report.stable, 1);
      mbs_result_free(result);
    }
    free(document);
  }
}

/* The spring-held four-bar reaches one of its minima from every crank angle; V includes gravity and spring. */
static void test_spring_held_four_bar(void **unused) {
  (void)unused;
  char *document = models_named("FourBar_equilibrium");
  mbs_result *one = models_run(document, joint), *two = models_run(document, body);
  check_rest(one);
  check_rest(two);
  for (size_t k = 0; k < models_columns(one, "rP"); k++)
    assert_close(models_row(one, "rP", 0)[k], models_row(two, "rP", 0)[k], 1e-10);
  for (size_t k = 0; k < models_columns(one, "reactions"); k++)
    assert_close(models_row(one, "reactions", 0)[k], models_row(two, "reactions", 0)[k], 1e-8);
  assert_int_equal(one->report.stable, 1);
  /* Forces on the whole mechanism: the ground pins and the spring bear the weight. */
  const double *reactions = models_row(one, "reactions", 0), *tip = models_row(one, "rP", 0) + 2 * 6;
  double dx = 0.4 - tip[0], dy = 1.5 - tip[1], l = hypot(dx, dy), f = 100 * (l - 0.3);
  assert_close(*models_row(one, "spring force", 0), f, 1e-9);
  assert_close(reactions[0] - reactions[9] + f * dx / l, 0, 1e-8);
  assert_close(reactions[1] - reactions[10] + f * dy / l - 4.5 * g, 0, 1e-8);
  mbs_result_free(one);
  mbs_result_free(two);
  free(document);
}

/* Statics requires no inertia: a massless load between two springs. */
static void test_massless(void **unused) {
  (void)unused;
  MODEL(truss,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0], "P": [2, 0]}},
       "bodies": [
         {"name": "node", "mass": 0, "inertia": 0, "points": {"C": [0, 0]},
          "initial": {"position": [0.7, -1]}}],
       "forces": [
         {"name": "a", "type": "spring-damper", "points": ["ground.O", "node.C"], "stiffness": 100,
          "free_length": 1},
         {"name": "b", "type": "spring-damper", "points": ["ground.P", "node.C"], "stiffness": 100,
          "free_length": 1},
         {"name": "load", "type": "force", "point": "node.C", "value": [0, -10]}]});
  mbs_result *result = models_run(truss, joint);
  const double *r = models_row(result, "r", 0);
  double l = hypot(r[0], r[1]);
  assert_close(r[0], 1, 1e-12);
  assert_close(2 * 100 * (l - 1) * -r[1] / l, 10, 1e-9);
  mbs_result_free(result);
}

/* Small displacements have full accuracy, even if the forces at the start were large: a slider held by -k x^n + F, and
 * a pendulum deflected by F. */
static void test_small_displacements(void **unused) {
  (void)unused;
  static const struct {
    double k, n, F;
  } cases[] = {{7, 1, 1e-10}, {7, 1, 1e-5}, {7e10, 1, 1}, {7e10, 1, -1e-3}, {2, 3, 1e-10}, {2, 3, 1e-4}};
  for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
    const double k = cases[i / 2].k, n = cases[i / 2].n, F = cases[i / 2].F;
    char *document = models_text(PART({
                                   "space": "planar",
                                   "gravity": [0, 0],
                                   "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
                                   "bodies": [{
                                     "name": "b",
                                     "mass": 1,
                                     "inertia": 1,
                                     "points": {"P": [0, 0]},
                                     "vectors": {"u": [1, 0]},
                                     "initial": {"position": [1, 0]}
                                   }],
                                   "joints": [{
                                     "name": "r",
                                     "type": "translational",
                                     "points": ["ground.O", "b.P"],
                                     "vectors": ["ground.u", "b.u"]
                                   }],
                                   "forces": [{
                                     "name": "f",
                                     "type": "force",
                                     "body": "b",
                                     "value": ["-%.17g*b.x^%g + %.17g", 0]
                                   }]
                                 }),
                                                      k, n, F);
    mbs_result *result = models_run(document, i % 2 ? body : joint);
    const double exact = copysign(pow(fabs(F) / k, 1 / n), F);
    assert_close(*models_row(result, "r", 0) / exact, 1, 1e-12);
    mbs_result_free(result);
    free(document);
  }
  for (double F = 1e-12; F < 1; F *= 1e3) {
    char *document = models_text(PART({"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 0]}},
              "bodies": [{"name": "b", "mass": 1, "inertia": 0.1, "points": {"A": [0, 1]}}],
              "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "b.A"],
                          "initial": {"position": 0.3}}],
              "forces": [{"name": "f", "type": "force", "body": "b", "value": [%.17g, 0]}]}),
                                                        F);
    mbs_result *result = models_run(document, joint);
    assert_close(*models_row(result, "p", 0) / atan(F / g), 1, 1e-12);
    mbs_result_free(result);
    free(document);
  }
}

/* Drivers are held at their values at t_start: the motor's torque is the slope of the potential energy. */
static void test_drivers_are_held(void **unused) {
  (void)unused;
  char *document = models_named("SCd");
  double energy[2], torque = 0;
  for (int k = 0; k < 3; k++) {
    char how[128];
    snprintf(how, sizeof how, PART({"type": "equilibrium", "t_start": %.17g}), 0.1 + 1e-4 * (k - 1));
    mbs_result *result = models_run(document, how);
    check_rest(result);
    assert_true(result->report.residual_max[1] == 0);
    if (k == 1) torque = *models_row(result, "motor torque", 0);
    if (k != 1) energy[k / 2] = models_row(result, "energy", 0)[1];
    mbs_result_free(result);
  }
  assert_close(torque, (energy[1] - energy[0]) / (2e-4 * 2 * pi), 1e-5);
  free(document);
}

static void expect_none(const char *document, const char *element) {
  mbs_result *result;
  mbs_error error = {0};
  expect_failure(document, joint, MBS_NO_EQUILIBRIUM, element, NULL, &result, &error);
  mbs_result_free(result);
}

static void test_none(void **unused) {
  (void)unused;
  MODEL(stone,
      {"space": "planar", "gravity": [0, -9.81],
       "bodies": [{"name": "stone", "mass": 1, "inertia": 1}]});
  expect_none(stone, "stone");
  MODEL(sledge,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [2, 1]}},
       "bodies": [
         {"name": "sledge", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "incline", "type": "translational", "points": ["ground.O", "sledge.O"],
          "vectors": ["ground.u", "sledge.u"]}]});
  expect_none(sledge, "incline");
  MODEL(wheel,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "wheel", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}}],
       "joints": [{"name": "axle", "type": "revolute", "points": ["ground.O", "wheel.O"]}],
       "forces": [{"name": "motor", "type": "torque", "body": "wheel", "value": 3}]});
  expect_none(wheel, "axle");
}

/* Large forces of stiff contacts during the iteration must not loosen the limit for unbalanced forces in mid-air: what
 * is found lies on the ground, as the rod does. Two rods with a pin may not be found; a ball on a slope has no
 * equilibrium. */
static void test_stiff_contacts(void **unused) {
  (void)unused;
  enum { ROD, TWO_RODS };
  static const char *const names[] = {"Rod", "Rod2", "BouncingBall"};
  for (int i = 0; i < 6; i++) {
    char *document = models_named(names[i / 2]);
    mbs_result *result = NULL;
    mbs_error error = {0};
    const mbs_status status = models_try_run(document, i % 2 ? body : joint, &result, &error);
    if (i / 2 != TWO_RODS) assert_int_equal(status, i / 2 == ROD ? MBS_OK : MBS_NO_EQUILIBRIUM);
    if (status == MBS_OK)
      assert_true(fabs(*models_row(result, "r", 0)) < 1e-3 && fabs(models_row(result, "r", 0)[1]) < 1e-3);
    else
      assert_int_equal(status, MBS_NO_EQUILIBRIUM);
    mbs_result_free(result);
    free(document);
  }
}

/* A slider on a level rail is in equilibrium everywhere: neither stable nor unstable. */
static void test_neutral(void **unused) {
  (void)unused;
  MODEL(sledge,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "sledge", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "sledge.O"],
          "vectors": ["ground.u", "sledge.u"]}]});
  mbs_result *result = models_run(sledge, joint);
  assert_int_equal(result->report.stable, -1);
  assert_close(models_row(result, "reactions", 0)[1], g, 1e-12);
  mbs_result_free(result);
}

/* ---- dry friction -------------------------------------------------------------------------------------------- */

/* Blocks of 2 kg on a slope along x with 3 m/s^2 along it: the first one, at x0, has the given friction and a spring of
 * stiffness k. The second one, at `second`, has only a spring of 50 N/m. */
static char *slope(const char *law, double x0, double k, double second) {
  MODEL(block,
      {"space": "planar", "gravity": [3, -9],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "a", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
         {"name": "b", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "ja", "type": "translational", "points": ["ground.O", "a.C"],
          "vectors": ["ground.u", "a.u"], "initial": {"position": %g}},
         {"name": "jb", "type": "translational", "points": ["ground.O", "b.C"],
          "vectors": ["ground.u", "b.u"], "initial": {"position": %g}}],
       "forces": [
         {"name": "dry", "type": "force", "body": "a", "value": ["%s", 0]},
         {"name": "s", "type": "force", "body": "a", "value": ["-%g*a.x", 0]},
         {"name": "t", "type": "force", "body": "b", "value": ["-50*b.x", 0]}]});
  return models_text(block, x0, second, law, k);
}

/* Friction of up to 20 N holds the block at its start and balances 6 N and the spring. If the spring force is larger,
 * the block goes to where no friction is needed, at 6 / k. */
static void test_held_by_friction(void **unused) {
  (void)unused;
  static const char *const laws[] = {"-20*sign(a.vx)", "if(a.vx > 0, -20, 20)",
                                     "if(a.vx > 0, -20, if(a.vx < 0, 20, 0))", "-20*a.vx/abs(a.vx) - 3*a.vx"};
  const struct {
    double x0, k, x;
  } cases[] = {{0, 0, 0}, {0.3, 0, 0.3}, {0.3, 50, 0.3}, {0.7, 50, 0.12}, {-0.9, 50, 0.12}};
  for (size_t i = 0; i < 5; i++)
    for (int n = 0; n < 16; n++) {
      char *document = slope(laws[n / 4], cases[i].x0, cases[i].k, n / 2 % 2 ? 0.7 : 0.12);
      mbs_result *result = models_run(document, n % 2 ? body : joint);
      check_rest(result);
      const double held = cases[i].x == cases[i].x0 ? -6 + cases[i].k * cases[i].x : 0;
      assert_close(models_row(result, "r", 0)[0], cases[i].x, 1e-12);
      assert_close(models_row(result, "r", 0)[2], 0.12, 1e-12);
      assert_close(models_row(result, "forces", 0)[0], held, 1e-11);
      assert_non_null(models_note(result, "'dry' (/model/forces/0/value/0) helps to hold"));
      assert_non_null(models_note(result, "positions nearby are equilibria, too"));
      assert_int_equal(result->report.stable, -1);
      mbs_result_free(result);
      free(document);
    }
}

/* Friction of 5 N is too weak for 6 N. */
static void test_too_weak_friction(void **unused) {
  (void)unused;
  for (int n = 0; n < 4; n++) {
    mbs_result *result;
    mbs_error error = {0};
    char *document = slope("-5*sign(a.vx)", 0.1, 0, n / 2 ? 0.7 : 0.12);
    assert_int_equal(models_try_run(document, n % 2 ? body : joint, &result, &error), MBS_NO_EQUILIBRIUM);
    assert_non_null(strstr(error.message, "'-5*sign(a.vx)' of 'dry' (/model/forces/0/value/0)"));
    mbs_result_free(result);
    free(document);
  }
}

/* A stop that is just touched at the start is no friction: 2 kg at 3 m/s^2 compress it by 6 / 1000. */
static void test_stop_only_touched(void **unused) {
  (void)unused;
  static const char *const laws[] = {"-1000*max(0, a.x)", "-max(0, 1000*a.x + 10*a.vx)", "if(a.x > 0, -1000*a.x, 0)"};
  for (int n = 0; n < 6; n++) {
    char *document = slope(laws[n / 2], 0, 0, 0);
    mbs_result *result = models_run(document, n % 2 ? body : joint);
    check_rest(result);
    assert_close(models_row(result, "r", 0)[0], 0.006, 1e-12);
    assert_null(models_note(result, "sticks"));
    assert_int_equal(result->report.stable, 1);
    mbs_result_free(result);
    free(document);
  }
}

/* Dry friction of 2 N holds a slider at the start, but not against the force x = 5 N of a state at rest: with a spring
 * the slider moves to x / k, without one there is no equilibrium. */
static void test_friction_and_states(void **unused) {
  (void)unused;
  MODEL(slider,
      {"space": "planar", "gravity": [0, 0], "parameters": {"k": 100},
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "j", "type": "translational", "points": ["ground.O", "b.C"], "vectors": ["ground.u", "b.u"]}],
       "states": [{"name": "x", "rate": "5 - x"}],
       "forces": [
         {"name": "dry", "type": "friction", "joint": "j", "law": "coulomb", "mu_dynamic": 0.2, "preload": 10},
         {"name": "push", "type": "force", "body": "b", "value": ["x - k*j.q", 0]}]});
  char *loose = models_with(slider, JSON({"parameters": {"k": 0}}));
  for (int n = 0; n < 2; n++) {
    mbs_result *result = models_run(slider, n ? body : joint);
    assert_close(*models_row(result, "r", 0), 5.0 / 100, 1e-9);
    assert_close(*models_row(result, "states", 0), 5, 1e-9);
    assert_int_equal(result->report.held_count, 0);
    mbs_result_free(result);
    mbs_error error;
    expect_failure(loose, n ? body : joint, MBS_NO_EQUILIBRIUM, n ? "b" : "j", "is too small to hold", &result, &error);
    mbs_result_free(result);
  }
  free(loose);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_chains),
      cmocka_unit_test(test_spring_held_four_bar),
      cmocka_unit_test(test_massless),
      cmocka_unit_test(test_small_displacements),
      cmocka_unit_test(test_drivers_are_held),
      cmocka_unit_test(test_none),
      cmocka_unit_test(test_stiff_contacts),
      cmocka_unit_test(test_neutral),
      cmocka_unit_test(test_held_by_friction),
      cmocka_unit_test(test_too_weak_friction),
      cmocka_unit_test(test_stop_only_touched),
      cmocka_unit_test(test_friction_and_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
