/* Stiff models with backward differentiation formulas: few steps, and satisfied constraints. */
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

#include <math.h>

/* A point mass on a damped spring of 1e8 N/m instead of a rod of 1 m. */
MODEL(spring_pendulum,
    {"space": "planar", "gravity": [0, -9.81],
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [
       {"name": "bob", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "initial": {"position": [1, 0]}}],
     "forces": [
       {"name": "spring", "type": "spring-damper", "points": ["ground.O", "bob.C"], "stiffness": 1e8,
        "free_length": 1, "damping": 1e4}],
     "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.01,
                  "integrator": {"method": "%s", "rtol": 1e-8, "atol": 1e-10}}});

static void test_stiff_spring(void **state) {
  (void)state;
  model_run stiff = model_run_text(spring_pendulum, "bdf");
  MODEL(stiff_spring,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "bob", "mass": 1, "inertia": 0, "points": {"P": [0, 1]}}],
       "joints": [
         {"name": "pin", "type": "revolute", "points": ["ground.O", "bob.P"],
          "initial": {"position": "pi/2"}}],
       "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.01, "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  model_run rod = model_run_text(stiff_spring);
  model_run_require(&stiff);
  model_run_require(&rod);
  for (long row = 0; row <= 200; row++)
    for (size_t k = 0; k < 2; k++)
      assert_close(model_run_value(&stiff, "r", row, k), model_run_value(&rod, "r", row, k), 5e-5);
  assert_true(stiff.result->report.steps < 6000);
  assert_true(stiff.result->report.evaluations < 12000);
  assert_true(stiff.result->report.energy_change_max < 1e-3);
  model_run_free(&stiff);
  model_run_free(&rod);
}

/* A double pendulum with a stiff spring and damper at its second joint. */
MODEL(held_pendulum,
    {"space": "planar", "gravity": [0, -9.81],
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [
       {"name": "a", "mass": 1, "inertia": 0.1, "points": {"P": [0, 0.5], "Q": [0, -0.5]}},
       {"name": "b", "mass": 1, "inertia": 0.1, "points": {"P": [0, 0.5]}}],
     "joints": [
       {"name": "A", "type": "revolute", "points": ["ground.O", "a.P"], "initial": {"position": "pi/3"}},
       {"name": "B", "type": "revolute", "points": ["a.Q", "b.P"],      "initial": {"position": 0.4}}],
     "forces": [
       {"name": "stop", "type": "rotational-spring-damper", "joint": "B", "stiffness": 1e6, "damping": 1e3,
        "free_angle": 0.1}],
     "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.02, "formulation": "%s",
                  "integrator": {"method": "%s", "rtol": %g, "atol": %g}}});

/* Stability limits an explicit method, and the report advises a better one. */
static void test_advice(void **state) {
  (void)state;
  static const char *const methods[] = {"dopri5", "bdf"};
  for (int k = 0; k < 2; k++) {
    model_run run = model_run_text(held_pendulum, "joint", methods[k], 1e-6, 1e-8);
    bool advised = false;
    model_run_require(&run);
    for (size_t n = 0; n < run.result->report.note_count; n++)
      advised = advised || strstr(run.result->report.notes[n], PART("method": "bdf"));
    assert_int_equal(advised, k == 0);
    assert_true(k == 0 ? run.result->report.steps > 5000 : run.result->report.steps < 1000);
    model_run_free(&run);
  }
}

/* A mechanism that stays at its equilibrium gets no advice, as no method would need fewer steps. */
static void test_no_advice_at_rest(void **state) {
  (void)state;
  model_run run = model_run_text(held_pendulum, "joint\", \"start\": \"equilibrium", "dopri5", 1e-10, 1e-12);
  model_run_require(&run);
  assert_true(run.result->report.from_equilibrium);
  assert_null(models_note(run.result, PART("method": "bdf")));
  model_run_free(&run);
}

/* The constraints are satisfied in body coordinates, and both formulations agree with an explicit method. */
static void test_constraints(void **state) {
  (void)state;
  model_run runs[3] = {model_run_text(held_pendulum, "joint", "dopri5", 1e-8, 1e-10),
                       model_run_text(held_pendulum, "joint", "bdf", 1e-8, 1e-10),
                       model_run_text(held_pendulum, "body", "bdf", 1e-8, 1e-10)};
  for (int k = 0; k < 3; k++) {
    model_run_require(&runs[k]);
    assert_true(runs[k].result->report.residual_max[0] < 1e-10);
    assert_true(runs[k].result->report.residual_max[1] < 1e-10);
    for (long row = 0; row <= 100; row++)
      for (size_t c = 0; c < 4; c++)
        assert_close(model_run_value(&runs[k], "r", row, c), model_run_value(&runs[0], "r", row, c), 2e-5);
  }
  assert_true(runs[2].result->report.steps < 3000);
  for (int k = 0; k < 3; k++) model_run_free(&runs[k]);
}

/* The models added with the stiff method, contact and friction satisfy their energy balance and their constraints. */
static void test_models(void **state) {
  (void)state;
  static const char *const names[] = {"CB_bc",   "Rod2",      "MP_A_bc",   "MP_B_bc",
                                      "MP_C_bc", "Cart_B_bc", "Cart_C_bc", "Cart_D_bc"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    model_run run = model_run_file(names[k]);
    model_run_require(&run);
    const mbs_report *report = &run.result->report;
    assert_true(report->energy_change_max < 1e-4 * fmax(1, fabs(report->energy_start)));
    assert_true(report->residual_max[0] < 1e-9);
    model_run_free(&run);
  }
}

/* Tight tolerances of closed loops: the residual after the projection must not count as an error of the steps. */
static void test_tight_tolerances(void **state) {
  (void)state;
  static const char *const names[] = {"FourBar", "Cart_C_bc", "RSSR_ball"}, *const formulations[] = {"joint", "body"};
  MODEL(how,
      {"t_end": 0.5, "dt": 0.1, "formulation": "%s",
       "integrator": {"method": "%s", "rtol": 1e-%d, "atol": 1e-%d}});
  for (size_t k = 0; k < 2 * sizeof names / sizeof *names; k++) {
    const char *formulation = formulations[k % 2];
    char analysis[200], *document = models_named(names[k / 2]);
    snprintf(analysis, sizeof analysis, how, formulation, "dop853", 12, 13);
    mbs_result *exact = models_run(document, analysis);
    for (int exponent = 9; exponent <= 12; exponent++) {
      mbs_result *result = NULL;
      mbs_error error = {0};
      snprintf(analysis, sizeof analysis, how, formulation, "bdf", exponent, exponent + 2);
      if (models_try_run(document, analysis, &result, &error) != MBS_OK)
        fail_msg("%s, %s: %s", names[k / 2], analysis, error.message);
      for (size_t row = 0; row < models_rows(result); row++)
        assert_close(models_difference(exact, result, "r", row), 0, 100 * pow(10, -exponent));
      mbs_result_free(result);
    }
    mbs_result_free(exact);
    free(document);
  }
}

/* Adds a part to a list of JSON. */
__attribute__((format(printf, 2, 3))) static void append(char **list, const char *format, ...) {
  char part[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(part, sizeof part, format, arguments);
  va_end(arguments);
  char *longer = models_text("%s%s%s", *list, **list ? "," : "", part);
  free(*list);
  *list = longer;
}

/* Returns links in a row, each connected to the previous one by a stiff spring and damper. */
static char *stiff_chain(size_t n) {
  char *bodies = models_text("%s", ""), *joints = models_text("%s", ""), *forces = models_text("%s", "");
  for (size_t i = 0; i < n; i++) {
    MODEL(body, {"name": "b%zu", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]}});
    MODEL(joint, {"name": "j%zu", "type": "revolute", "points": ["%s.%s", "b%zu.A"]});
    MODEL(force,
        {"name": "s%zu", "type": "rotational-spring-damper", "joint": "j%zu", "stiffness": 1e5, "damping": 1e3});
    char before[24];
    snprintf(before, sizeof before, i ? "b%zu" : "ground", i - 1);
    append(&bodies, body, i);
    append(&joints, joint, i, before, i ? "B" : "O", i);
    append(&forces, force, i, i);
  }
  MODEL(chain,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [%s], "joints": [%s], "forces": [%s]});
  char *document = models_text(chain, bodies, joints, forces);
  free(bodies);
  free(joints);
  free(forces);
  return document;
}

/* Returns masses in a row between stiff springs; an expression reads the last one and pushes the first. */
static char *spring_row(size_t n) {
  char *bodies = models_text("%s", ""), *forces = models_text("%s", "");
  for (size_t i = 0; i < n; i++) {
    MODEL(body,
        {"name": "b%zu", "mass": 1, "inertia": 0.1, "points": {"A": [-0.1, 0], "B": [0.1, 0]},
         "initial": {"position": [%zu, 0], "velocity": [0, 0.1]}});
    MODEL(force,
        {"name": "s%zu", "type": "spring-damper", "points": ["%s.%s", "b%zu.A"], "stiffness": 1e5, "damping": 1e3,
         "free_length": 0.8});
    char before[24];
    snprintf(before, sizeof before, i ? "b%zu" : "ground", i - 1);
    append(&bodies, body, i, i + 1);
    append(&forces, force, i, before, i ? "B" : "O", i);
  }
  MODEL(row,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0.1, 0], "E": [%zu, 0]}},
       "bodies": [%s],
       "forces": [%s,
         {"name": "end", "type": "spring-damper", "points": ["b%zu.B", "ground.E"], "stiffness": 1e5, "damping": 1e3,
          "free_length": 0.8},
         {"name": "pull", "type": "force", "point": "b0.A", "value": ["100 * (b%zu.A.x - b0.A.x)", 0]}]});
  char *document = models_text(row, n + 1, bodies, forces, n - 1, n - 1);
  free(bodies);
  free(forces);
  return document;
}

/* Many states with our own matrices: dense for a chain, banded for a row. The result is as exact as an explicit method,
 * at a cost that grows with the number of springs only. */
static void test_many_states(void **state) {
  (void)state;
  MODEL(how, {"t_end": 0.2, "dt": 0.1, "integrator": {"method": "%s", "rtol": 1e-%d, "atol": 1e-%d}});
  for (int row = 0; row < 2; row++) {
    char analysis[200], *document = row ? spring_row(20) : stiff_chain(20);
    snprintf(analysis, sizeof analysis, how, "dop853", 12, 13);
    mbs_result *exact = models_run(document, analysis);
    for (int exponent = 6; exponent <= 10; exponent++) {
      snprintf(analysis, sizeof analysis, how, "bdf", exponent, exponent + 2);
      mbs_result *result = models_run(document, analysis);
      for (size_t k = 0; k < models_rows(result); k++)
        assert_close(models_difference(exact, result, "r", k), 0, 100 * pow(10, -exponent));
      mbs_result_free(result);
    }
    mbs_result_free(exact);
    free(document);
  }
}

/* The Jacobian needs one evaluation per kind of state, not one per state. */
static void test_growth(void **state) {
  (void)state;
  uint64_t evaluations[2];
  for (int k = 0; k < 2; k++) {
    char *document = spring_row(k ? 80 : 20);
    mbs_result *result = models_run(
        document, JSON({"t_end": 0.1, "dt": 0.1, "integrator": {"method": "bdf", "rtol": 1e-6, "atol": 1e-8}}));
    evaluations[k] = result->report.evaluations;
    assert_true(result->report.steps < 1000);
    mbs_result_free(result);
    free(document);
  }
  assert_true(evaluations[1] < 2 * evaluations[0]);
}

/* The Jacobian of a lift with one degree of freedom needs two evaluations, however many states there are. */
static void test_growth_of_a_lift(void **state) {
  (void)state;
  double heights[2];
  for (int k = 0; k < 2; k++) {
    char *document = models_scissor_lift(60, 1);
    mbs_result *result =
        models_run(document, k ? JSON({"t_end": 0.1, "dt": 0.1, "integrator": {"method": "bdf", "rtol": 1e-8}})
                               : JSON({"t_end": 0.1, "dt": 0.1, "integrator": {"method": "dop853", "rtol": 1e-10}}));
    heights[k] = models_row(result, "r", 1)[2 * 119 + 1];
    if (k) assert_true(result->report.evaluations < 4 * result->report.steps + 20);
    mbs_result_free(result);
    free(document);
  }
  assert_close(heights[1], heights[0], 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stiff_spring), cmocka_unit_test(test_advice), cmocka_unit_test(test_no_advice_at_rest),
      cmocka_unit_test(test_constraints),  cmocka_unit_test(test_models), cmocka_unit_test(test_tight_tolerances),
      cmocka_unit_test(test_many_states),  cmocka_unit_test(test_growth), cmocka_unit_test(test_growth_of_a_lift),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
