/* Inputs of the document: values over time in the analysis, start values, motions of drivers, and errors. */
#include "close.h"
#include "model_run.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"

#include <math.h>

MODEL(cart,
    {"space": "planar", "gravity": [0, 0], "parameters": {"k": 3},
     "inputs": {"u": "2*k", "w": 0},
     "ground": {"points": {"O": [0, 0]}, "vectors": {"e": [1, 0]}},
     "bodies": [{"name": "cart", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"e": [1, 0]}}],
     "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "cart.C"],
                 "vectors": ["ground.e", "cart.e"]}],
     "forces": [{"name": "push", "type": "force", "body": "cart", "value": ["push_now", 0]}],
     "signals": [{"name": "push_now", "value": "u + w"}],
     "states": [{"name": "sum", "rate": "u"}],
     "sensors": [{"name": "u now", "value": "u"}],
     "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.125}});

static const char *const formulations[] = {"joint", "body"};
static const char *const methods[] = {JSON({"method": "dopri5"}), JSON({"method": "rk4", "fixed_step": 0.05}),
                                      JSON({"method": "bdf", "rtol": 1e-11, "atol": 1e-12})};
enum { FORMULATIONS = 2, METHODS = 3 };

static model_run run_with(const char *document, const char *members) {
  char *text = models_with(document, members);
  model_run run = model_run_text("%s", text);
  free(text);
  return run;
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

/* Without values the start value holds: x = u t^2 / (2 m). It follows its parameter. */
static void test_start_value(void **state) {
  (void)state;
  for (int value = 3; value <= 5; value += 2) {
    char *more = models_text(PART({"parameters": {"k": %d}}), value);
    model_run run = run_with(cart, more);
    model_run_require(&run);
    assert_close(model_run_value(&run, "theta", -1, 0), 2 * value / 4.0, 1e-13);
    assert_close(model_run_value(&run, "states", -1, 0), 2 * value, 1e-13);
    assert_close(model_run_value(&run, "u now", 3, 0), 2 * value, 0);
    model_run_free(&run);
    free(more);
  }
}

/* u rises from 0 to 6 N until 0.3 s, falls to 2 N until 0.5 s, and stays. */
static double force_at(double t) {
  if (t <= 0.3) return 20 * t;
  return t <= 0.5 ? 6 - 20 * (t - 0.3) : 2;
}
static double impulse_until(double t) {
  if (t <= 0.3) return 10 * t * t;
  if (t <= 0.5) return 0.9 + 6 * (t - 0.3) - 10 * (t - 0.3) * (t - 0.3);
  return 1.7 + 2 * (t - 0.5);
}

/* Straight lines between the points. Steps end at the kinks, so each method is exact. */
static void test_values_over_time(void **state) {
  (void)state;
  for (int k = 0; k < FORMULATIONS * METHODS; k++) {
    char *more = models_text(PART({"analysis": {"type": "dynamics", "t_end": 1, "dt": 0.125, "inputs": {"u": %s},
                                                "formulation": "%s", "integrator": %s}}),
                                   PART({"t": [0, 0.3, 0.5], "values": [0, 6, 2]}), formulations[k % FORMULATIONS],
                                         methods[k / FORMULATIONS]);
    model_run run = run_with(cart, more);
    model_run_require(&run);
    for (long row = 0; row < (long)models_rows(run.result); row++) {
      const double t = model_run_value(&run, "T", row, 0), tolerance = k / FORMULATIONS == 2 ? 1e-8 : 1e-12;
      assert_close(model_run_value(&run, "u now", row, 0), force_at(t), 1e-14);
      assert_close(model_run_value(&run, "states", row, 0), impulse_until(t), tolerance);
      assert_close(model_run_value(&run, "theta_d", row, 0), impulse_until(t) / 2, tolerance);
    }
    /* rk4: cubics interpolate rows inside of steps */
    assert_true(run.result->report.energy_change_max < (k / FORMULATIONS == 1 ? 1e-5 : 1e-9));
    model_run_free(&run);
    free(more);
  }
}

/* A run with values over time has the motion of a run with a table as a function. */
static void test_same_as_table(void **state) {
  (void)state;
  model_run one =
      run_with(cart, PART({"analysis": {"type": "dynamics", "t_end": 1, "dt": 0.125,
                                       "inputs": {"w": {"t": [0.1, 0.45, 0.7], "values": [1, -3, "k"]}}}}));
  model_run two = run_with(
      cart, PART({"inputs": {"u": 6},
                                       "functions": {"F": {"x": [0.1, 0.45, 0.7], "y": [1, -3, 3], "outside": "hold"}},
                                       "signals": [{"name": "push_now", "value": "u + F(t)"}]}));
  model_run_require(&one);
  model_run_require(&two);
  expect_same("table", one.result, two.result, "theta", 1e-9);
  model_run_free(&one);
  model_run_free(&two);
}

/* An event at a zero of an input: u(t) = 1 - 2 t passes 0 at 0.5. */
static void test_event(void **state) {
  (void)state;
  model_run run = run_with(cart, PART({"events": [{"name": "reverse", "when": "u", "set": {"sum": "10"}}],
                                       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.25,
                                                    "inputs": {"u": {"t": [0, 2], "values": [1, -3]}}}}));
  model_run_require(&run);
  assert_close(model_run_event(&run, "reverse", "when", 0), 0.5, 1e-12);
  assert_int_equal(model_run_events(&run, "reverse", "when"), 1);
  assert_close(model_run_value(&run, "states", -1, 0), 10 - 0.25, 1e-12);
  model_run_free(&run);
}

/* ---- analyses of one instant ------------------------------------------------------------------------------------- */

/* A spring of 8 N/m against the force u(t_start) = 4 N: the cart stands at 0.5 m, and vibrates with sqrt(8 / 2). */
static void test_equilibrium(void **state) {
  (void)state;
  static const char *const types[] = {"equilibrium", "linearization"};
  for (int k = 0; k < 2; k++) {
    char *more = models_text(
        PART({"states": [], "forces": [{"name": "push", "type": "force", "body": "cart", "value": ["u - 8*rail.q", 0]}],
              "analysis": {"type": "%s", "t_start": 1, "inputs": {"u": {"t": [0, 2], "values": [0, 8]}}}}),
                                                     types[k]);
    model_run run = run_with(cart, more);
    model_run_require(&run);
    assert_close(model_run_value(&run, "theta", 0, 0), 0.5, 1e-9);
    assert_close(model_run_value(&run, "u now", 0, 0), 4, 1e-14);
    if (k == 1) assert_close(model_run_value(&run, "frequencies", 0, 0), 2 / (2 * 3.14159265358979323846), 1e-9);
    model_run_free(&run);
    free(more);
  }
}

/* ---- drivers ----------------------------------------------------------------------------------------------------- */

MODEL(driven,
    {"space": "planar", "gravity": [0, 0], "inputs": {"s": 0.1, "s_d": 1, "s_dd": 2},
     "ground": {"points": {"O": [0, 0]}, "vectors": {"e": [1, 0]}},
     "bodies": [{"name": "cart", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"e": [1, 0]}}],
     "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "cart.C"],
                 "vectors": ["ground.e", "cart.e"]}],
     "drivers": [{"name": "motor", "type": "joint", "joint": "rail", "function": "sin(s)"}],
     "sensors": [{"name": "force", "value": "motor.effort"}]});

static void expect_sine(const char *analysis, double (*s)(double t, int rate), double tolerance) {
  static const char *const types[] = {"dynamics", "inverse-dynamics"};
  for (int k = 0; k < 2 * FORMULATIONS; k++) {
    char *more = models_text(PART({"analysis": {"type": "%s", "formulation": "%s", "t_end": 1, "dt": 0.125, %s}}),
                                  types[k / 2], formulations[k % 2], analysis);
    model_run run = run_with(driven, more);
    model_run_require(&run);
    for (long row = 0; row < (long)models_rows(run.result); row++) {
      const double t = model_run_value(&run, "T", row, 0), x = s(t, 0), v = s(t, 1);
      assert_close(model_run_value(&run, "theta", row, 0), sin(x), tolerance);
      assert_close(model_run_value(&run, "theta_d", row, 0), v * cos(x), tolerance);
      assert_close(model_run_value(&run, "force", row, 0), 2 * (s(t, 2) * cos(x) - v * v * sin(x)), 10 * tolerance);
    }
    model_run_free(&run);
    free(more);
  }
}

static double start_motion(double t, int rate) { return rate == 0 ? 0.1 + t + t * t : rate == 1 ? 1 + 2 * t : 2; }

/* Without values over time the rates continue the start value. */
static void test_driver_from_start(void **state) {
  (void)state;
  expect_sine("\"correct\": true", start_motion, 1e-6);
}

static double table_motion(double t, int rate) { return rate == 0 ? t * t * t : rate == 1 ? 3 * t * t : 6 * t; }

/* The quintics of a table pass exactly through a cubic motion, of which the points give value and rates. */
static void test_driver_over_time(void **state) {
  (void)state;
  expect_sine(PART("inputs": {"s": {"t": [0, 0.5, 1], "values": [0, 0.125, 1]},
                              "s_d": {"t": [0, 0.5, 1], "values": [0, 0.75, 3]},
                              "s_dd": {"t": [0, 1], "values": [0, 6]}}), table_motion, 1e-6);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void expect_refused(const char *document, const char *members, const char *pointer, const char *words) {
  char *text = models_with(document, members), *place = models_text("/model%s", pointer);
  expect_error(text, NULL, place, words);
  free(place);
  free(text);
}

static void test_errors(void **state) {
  (void)state;
  expect_refused(cart, PART({"bodies": [{"name": "cart", "mass": "u", "inertia": "w", "points": {"C": ["u", 0]},
                                         "vectors": {"e": [1, 0]}}]}),
                                        "/bodies/0/mass", "'u' is an input, which changes");
  expect_refused(cart, PART({"bodies": [{"name": "cart", "mass": 1, "inertia": 1, "points": {"C": ["u", 0]},
                                         "vectors": {"e": [1, 0]}}]}),
                                        "/bodies/0/points/C/0", "only parameters are allowed");
  expect_refused(cart, PART({"parameters": {"k": "u"}}), "/parameters/k", "'u' is an input");
  expect_refused(cart, PART({"drivers": [{"name": "motor", "type": "joint", "joint": "rail", "function": "u"}]}),
                            "/drivers/0/function", "add the inputs 'u_d' and 'u_dd'");
  expect_refused(cart, PART({"inputs": {"u": 0, "w": 0, "sin": 0}}), "/inputs/sin", "choose another name");
  expect_refused(cart, PART({"inputs": {"u": 0, "w": 0, "sum": 0}}), "/states/0/name", "already an input");
  expect_refused(cart, PART({"inputs": {"u": 0, "w": 0, "k": 0}}), "/inputs/k", "already a parameter");
  expect_refused(cart, PART({"joints": [{"name": "rail", "type": "expression", "value": "cart.x - u"}]}),
                            "/joints/0/value", "a constraint cannot depend");
  expect_refused(cart, PART({"analysis": {"type": "assembly", "inputs": {"uu": {"t": [0], "values": [1]}}}}),
                                          "/analysis/inputs/uu", "no input 'uu'; did you mean 'u'?");
  expect_refused(cart, PART({"analysis": {"type": "assembly", "inputs": {"u": {"t": [0, 1, 1], "values": [1, 2, 3]}}}}),
                                          "/analysis/inputs/u/t/2", "t must ascend: 1 comes after 1");
  expect_refused(cart, PART({"analysis": {"type": "assembly", "inputs": {"u": {"t": [0, 1], "values": [1]}}}}),
                                          "/analysis/inputs/u/values", "2 numbers in t need 2 in values, not 1");
  expect_refused(cart, PART({"analysis": {"type": "assembly", "inputs": {"u": {"t": [0, "w"], "values": [1, 2]}}}}),
                                          "/analysis/inputs/u/t/1", "'w' is an input");
  expect_refused(driven, PART({"analysis": {"type": "assembly", "inputs": {"s": {"t": [0], "values": [1]}}}}),
                                            "/drivers/0/function",
                                            "values of all or none of the inputs 's', 's_d' and 's_dd'");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_start_value),      cmocka_unit_test(test_values_over_time),
                                     cmocka_unit_test(test_same_as_table),    cmocka_unit_test(test_event),
                                     cmocka_unit_test(test_equilibrium),      cmocka_unit_test(test_driver_from_start),
                                     cmocka_unit_test(test_driver_over_time), cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
