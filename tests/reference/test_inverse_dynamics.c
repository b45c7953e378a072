/* test_inverse_dynamics.c - efforts and reactions of driven mechanisms, and their kinematics. */
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

static char *analysis(const char *type, const char *formulation) {
  static char text[4][300];
  static int next;
  next = (next + 1) % 4;
  MODEL(text_format,
      {"type": "%s", "formulation": "%s", "t_end": 1, "dt": 0.02,
       "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}});
  snprintf(text[next], sizeof text[next], text_format, type, formulation);
  return text[next];
}

/* Motion, multipliers and energies equal those of dynamics with the same drivers; kinematics equals the motion without
 * forces. */
static void test_as_dynamics(void **unused) {
  (void)unused;
  static const char *const names[] = {"SCd", "FourBar_inverse"}, *const formulations[] = {"joint", "body"};
  static const char *const arrays[] = {"uT", "theta_dd", "rPdd", "Lam", "reactions", "energy", "forces"};
  for (size_t i = 0; i < 4; i++) {
    char *document = models_named(names[i / 2]);
    mbs_result *inverse = models_run(document, analysis("inverse-dynamics", formulations[i % 2]));
    mbs_result *forward = models_run(document, analysis("dynamics", formulations[i % 2]));
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
      expect_same(names[i / 2], inverse, forward, arrays[k], 1e-7);
    assert_true(inverse->report.energy_change_max < 1e-8 * 100);
    assert_true(inverse->report.residual_max[0] < 1e-11);
    mbs_result_free(inverse);
    mbs_result_free(forward);
    free(document);
  }
}

/* Replaces `from` in a text by `with`; frees the old text. */
static void replace(char **text, const char *from, const char *with) {
  char *at = strstr(*text, from), *made = NULL;
  assert_non_null(at);
  assert_true(asprintf(&made, "%.*s%s%s", (int)(at - *text), *text, with, at + strlen(from)) > 0);
  free(*text);
  *text = made;
}

/* The torque that inverse dynamics finds, applied to the crank without a driver, gives the same accelerations. */
static void test_torque_drives_the_same_motion(void **unused) {
  (void)unused;
  char *document = models_named("FourBar_inverse"), *free_document = models_named("FourBar");
  mbs_result *inverse = models_run(document, analysis("inverse-dynamics", "joint"));
  for (size_t row = 0; row < models_rows(inverse); row += 7) {
    char *state = models_with_state(free_document, inverse, row), torque[200];
    MODEL(torque_format,
        "forces": [{"name": "motor", "type": "torque", "body": "crank", "value": %.17g}], "joints");
    snprintf(torque, sizeof torque, torque_format, *models_row(inverse, "motor torque", row));
    replace(&state, JSON("joints"), torque);
    mbs_result *forward = models_run(state, JSON({"type": "assembly", "formulation": "body"}));
    static const char *const arrays[] = {"rdd", "pdd", "reactions"};
    for (size_t i = 0; i < 3; i++) {
      const double *one = models_row(forward, arrays[i], 0), *two = models_row(inverse, arrays[i], row);
      for (size_t k = 0; k < models_columns(forward, arrays[i]); k++) assert_close(one[k], two[k], 1e-8 * 300);
    }
    mbs_result_free(forward);
    free(state);
  }
  mbs_result_free(inverse);
  free(document);
  free(free_document);
}

static void test_kinematics_are_the_same(void **unused) {
  (void)unused;
  char *document = models_named("FourBar_inverse");
  char *sensors = strstr(document, JSON("sensors"));
  memcpy(sensors, JSON("x-ensor"), strlen(JSON("x-ensor"))); /* the sensors need forces */
  static const char *const arrays[] = {"uT", "theta_dd", "rP", "rPd", "rPdd", "Jac"};
  for (int body = 0; body < 2; body++) {
    mbs_result *kinematics = models_run(document, analysis("kinematics", body ? "body" : "joint"));
    mbs_result *inverse = models_run(document, analysis("inverse-dynamics", body ? "body" : "joint"));
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
      expect_same("FourBar_inverse", kinematics, inverse, arrays[i], 1e-9);
    mbs_result_free(kinematics);
    mbs_result_free(inverse);
  }
  free(document);
}

static void test_kinematics_refuses_forces(void **unused) {
  (void)unused;
  char *document = models_named("SCd");
  mbs_diagnostics list = {0};
  assert_null(models_try_build(document, analysis("kinematics", "joint"), &list));
  assert_int_equal(list.count, 1);
  assert_string_equal(list.items[0].pointer, "/model/sensors/1/value");
  assert_non_null(strstr(list.items[0].message, "inverse-dynamics"));
  mbs_diagnostics_free(&list);
  free(document);
}

/* A parallelogram with a third, parallel link: one row is redundant, and the multipliers are those of minimum norm. The
 * motion passes both change points. */
MODEL(parallelogram,
    {"space": "planar", "gravity": [0, -9.81],
     "ground": {"points": {"A": [0, 0], "B": [1, 0], "C": [2, 0]}},
     "bodies": [
       {"name": "a",   "mass": 1, "inertia": 0.1, "points": {"D": [-0.5, 0], "U": [0.5, 0]}},
       {"name": "b",   "mass": 1, "inertia": 0.1, "points": {"D": [-0.5, 0], "U": [0.5, 0]}},
       {"name": "c",   "mass": 1, "inertia": 0.1, "points": {"D": [-0.5, 0], "U": [0.5, 0]}},
       {"name": "bar", "mass": 1, "inertia": 0.1, "points": {"A": [-1, 0], "B": [0, 0], "C": [1, 0]}}],
     "joints": [
       {"name": "A",  "type": "revolute", "points": ["ground.A", "a.D"], "initial": {"position": 1}},
       {"name": "B",  "type": "revolute", "points": ["ground.B", "b.D"], "initial": {"position": 1}},
       {"name": "C",  "type": "revolute", "points": ["ground.C", "c.D"], "initial": {"position": 1}},
       {"name": "UA", "type": "revolute", "points": ["a.U", "bar.A"], "initial": {"position": -1}},
       {"name": "UB", "type": "revolute", "points": ["b.U", "bar.B"]},
       {"name": "UC", "type": "revolute", "points": ["c.U", "bar.C"]}],
     "drivers": [{"name": "motor", "type": "joint", "joint": "A", "function": "1 + 5*t"}],
     "sensors": [{"name": "effort", "value": "motor.effort"}]});

/* Checks the lower of two links after the driver of the upper one has changed its speed by 2 rad/s at 0.5 s: the
 * impulse acts at its pin, so that J dw + m r x dv = 0 there. */
static void check_speed_jump(const char *function, const char *constraints, const char *formulation) {
  char document[1200], how[200];
  MODEL(document_format,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "a", "mass": 2, "inertia": 0.3, "points": {"O": [-0.5, 0], "T": [0.5, 0]}},
         {"name": "b", "mass": 1, "inertia": 0.2, "points": {"T": [0, 0.3]}}],
       "joints": [
         {"name": "pin", "type": "revolute", "points": ["ground.O", "a.O"]},
         {"name": "el", "type": "revolute", "points": ["a.T", "b.T"],
          "initial": {"position": 0.4, "velocity": 1}}],
       "drivers": [{"name": "d", "type": "joint", "joint": "pin", "function": %s}]});
  snprintf(document, sizeof document, document_format, function);
  MODEL(how_format,
      {"t_end": 0.5000001, "dt": 0.5, "constraints": "%s", "formulation": "%s",
       "integrator": {"rtol": 1e-9, "atol": 1e-11}});
  snprintf(how, sizeof how, how_format, constraints, formulation);
  mbs_result *result = models_run(document, how);
  const double *p = models_row(result, "p", 1), *before = models_row(result, "pd", 1);
  const double *after = models_row(result, "pd", 2);
  double along = 0.3 * (sin(p[1]) * cos(p[0]) - cos(p[1]) * sin(p[0])); /* r.d, with d from pin to pin */
  assert_close(after[0] - before[0], 2, 1e-5);
  assert_close(after[1] - before[1], -along * 2 / (0.2 + 0.09), 1e-5);
  assert_true(result->report.energy_change_max < 1e-5);
  assert_string_equal(result->report.events[result->report.event_count - 1].element, "d");
  mbs_result_free(result);
}

static void test_speed_jump(void **unused) {
  (void)unused;
  static const char *const functions[] = {
      JSON({"piecewise": [{"until": 0.5, "function": "t"}, {"function": "0.5 + 3*(t - 0.5)"}]}),
      JSON("if(t < 0.5, t, 0.5 + 3*(t - 0.5))"), JSON("max(t, 0.5 + 3*(t - 0.5))"),
      JSON("0.5 + 2*(t - 0.5) + sqrt((t - 0.5)^2)"), JSON("0.5 + 2*(t - 0.5) + (t - 0.5)*atan(1/(t - 0.5))*2/pi")};
  static const char *const constraints[] = {"projection", "partitioning", "baumgarte", "none"};
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
    for (int c = 0; c < 4; c++) {
      check_speed_jump(functions[f], constraints[c], "joint");
      check_speed_jump(functions[f], constraints[c], "body");
    }
}

/* Expressions read the new velocity after an impulse: a force against the motion reverses with it. */
static void test_laws_after_an_impulse(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "cart", "mass": 1, "inertia": 1, "points": {"A": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "cart.A"],
          "vectors": ["ground.u", "cart.u"]}],
       "drivers": [{"name": "m", "type": "joint", "joint": "rail", "function": %s}],
       "forces": [{"name": "F", "type": "force", "point": "cart.A", "value": ["-10*sign(cart.vx)", 0]}],
       "sensors": [{"name": "effort", "value": "m.effort"}]});
  static const char *const functions[] = {JSON({"piecewise": [{"until": 1, "function": "t"}, {"function": "2 - t"}]}),
                                          JSON("if(t < 1, t, 2 - t)")};
  for (int k = 0; k < 2; k++) {
    char text[1200];
    snprintf(text, sizeof text, document, functions[k]);
    mbs_result *result = models_run(text, JSON({"type": "dynamics", "t_end": 2, "dt": 0.5}));
    assert_close(*models_row(result, "effort", 1), 10, 1e-9);
    assert_close(*models_row(result, "effort", 3), -10, 1e-9);
    mbs_result_free(result);
  }
}

/* The bob at the end of a massless link gets the impulse of a cart like one at the end of a light link. */
static void test_impulse_through_a_massless_link(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "cart", "mass": 1000, "inertia": 1000, "points": {"A": [0, 0]}, "vectors": {"u": [1, 0]}},
         {"name": "link", "mass": %g, "inertia": %g, "points": {"A": [-0.5, 0], "B": [0.5, 0]},
          "initial": {"angle": -1}},
         {"name": "bob", "mass": 2, "inertia": 0.3, "points": {"B": [-0.4, 0]}, "initial": {"angle": -0.3}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "cart.A"],
          "vectors": ["ground.u", "cart.u"]},
         {"name": "A", "type": "revolute", "points": ["cart.A", "link.A"]},
         {"name": "B", "type": "revolute", "points": ["link.B", "bob.B"]}],
       "drivers": [
         {"name": "m", "type": "joint", "joint": "rail",
          "function": {"piecewise": [{"until": 0.1, "function": 0}, {"function": "2*(t - 0.1)"}]}}]});
  mbs_result *results[4];
  for (int k = 0; k < 4; k++) {
    char text[1600], how[200];
    double mass = k / 2 ? 1e-7 : 0;
    snprintf(text, sizeof text, document, mass, mass / 12);
    MODEL(how_format,
        {"t_end": 0.100001, "dt": 0.1, "formulation": "%s", "integrator": {"rtol": 1e-9, "atol": 1e-11}});
    snprintf(how, sizeof how, how_format, k % 2 ? "body" : "joint");
    results[k] = models_run(text, how);
    assert_true(models_difference(results[k], results[0], "rd", 2) < 1e-5);
  }
  for (int k = 0; k < 4; k++) mbs_result_free(results[k]);
}

MODEL(driven_rod,
    {"space": "planar",
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [
       {"name": "rod", "mass": 1, "inertia": 1, "points": {"A": [-1, 0], "B": [1, 0]}},
       {"name": "bob", "mass": 1, "inertia": 0.1, "points": {"B": [0, 0.4]}}],
     "joints": [
       {"name": "O", "type": "revolute", "points": ["ground.O", "rod.A"]},
       {"name": "B", "type": "revolute", "points": ["rod.B", "bob.B"]}],
     "drivers": [
       {"name": "d", "type": "joint", "joint": "O", "function": "%s"},
       {"name": "e", "type": "joint", "joint": "B", "function": "0.2*t"}]});

/* Each analysis that follows a driver, each way to satisfy constraints, methods of each kind. */
static const char *const followers[] = {
    JSON({"type": "dynamics", "t_end": 1, "dt": 0.1}),
    JSON({"type": "dynamics", "t_end": 1, "dt": 0.1, "formulation": "body", "integrator": {"method": "dop853"}}),
    JSON({"type": "dynamics", "t_end": 1, "dt": 0.1, "constraints": "baumgarte"}),
    JSON({"type": "dynamics", "t_end": 1, "dt": 0.1, "constraints": "partitioning"}),
    JSON({"type": "dynamics", "t_end": 1, "dt": 0.1, "constraints": "none", "integrator": {"method": "bdf"}}),
    JSON({"type": "dynamics", "t_end": 1, "dt": 0.1, "integrator": {"method": "rk4", "fixed_step": 0.03}}),
    JSON({"type": "kinematics", "t_end": 1, "dt": 0.1}),
    JSON({"type": "inverse-dynamics", "t_end": 1, "dt": 0.1}),
    JSON({"type": "inverse-dynamics", "t_end": 1, "dt": 0.1, "formulation": "body"})};
enum { FOLLOWERS = sizeof followers / sizeof *followers };

/* No mechanism can follow a driver whose value jumps, with a switch or without; all rows before the jump remain. */
static void test_value_jump(void **unused) {
  (void)unused;
  static const struct {
    const char *function;
    double t;
  } cases[] = {{"if(t < 0.5, 0.3*t, 0.7 + 0.2*t)", 0.5},
               {"floor(3*t)", 1.0 / 3},
               {"mod(t, 0.37)", 0.37},
               {"atan2(sin(5*t), cos(5*t))", 3.14159265358979323846 / 5},
               {"1e-3*atan2(sin(-5*t), cos(5*t))", 3.14159265358979323846 / 5},
               {"2*atan(tan(2.5*t))", 3.14159265358979323846 / 5},
               {"atan(1/(t - 0.637))", 0.637},
               {"0.1*(t - 0.45)/sqrt((t - 0.45)^2)", 0.45},
               {"tanh(1/(t - 0.5))", 0.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int k = 0; k < FOLLOWERS; k++) {
      char text[1200];
      mbs_result *result = NULL;
      mbs_error error = {0};
      snprintf(text, sizeof text, driven_rod, cases[i].function);
      expect_failure(text, followers[k], MBS_CONTRADICTION, "d", "jumps by", &result, &error);
      assert_close(error.time, cases[i].t, 1e-9);
      const size_t rows = models_rows(result);
      assert_in_range(rows, (size_t)ceil(cases[i].t * 10), (size_t)floor(cases[i].t * 10) + 1);
      mbs_result_free(result);
    }
}

/* Steep functions, jumps of the second derivative, and functions near a pole or a branch cut are followed without a
 * note. */
static void test_no_jump(void **unused) {
  (void)unused;
  static const char *const functions[] = {"0.3*tanh((t - 0.55)/1e-2)", "0.1*tanh((t - 0.55)/1e-4)",
                                          "(t - 0.45)*abs(t - 0.45)",  "(t - 0.45)*sqrt((t - 0.45)^2)",
                                          "acos(0.999*cos(3*t))",      "atan2(sin(3*t) + 2, cos(3*t))",
                                          "atan2(0.01 - t, 1)",        "sqrt((t - 0.5)^2 + 1e-6)",
                                          "((t - 0.5)^2)^1.5"};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    for (int k = 0; k < FOLLOWERS; k++) {
      char text[1200];
      snprintf(text, sizeof text, driven_rod, functions[i]);
      mbs_result *result = models_run(text, followers[k]);
      for (size_t e = 0; e < result->report.event_count; e++)
        assert_null(strstr(result->report.events[e].kind, "impulse"));
      mbs_result_free(result);
    }
}

/* A driver may have the name of the body that it moves. */
static void test_effort_of_a_driver_named_as_a_body(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "rod", "mass": 2, "inertia": 1, "points": {"A": [-1, 0]}}],
       "joints": [{"name": "O", "type": "revolute", "points": ["ground.O", "rod.A"]}],
       "drivers": [{"name": "rod", "type": "joint", "joint": "O", "function": "t"}],
       "sensors": [
         {"name": "effort", "value": "rod.effort"},
         {"name": "angle",  "value": "rod.phi"}]});
  mbs_result *result = models_run(document, JSON({"type": "inverse-dynamics", "t_end": 1, "dt": 1}));
  for (size_t row = 0; row < 2; row++) {
    assert_close(*models_row(result, "angle", row), (double)row, 1e-12);
    assert_close(*models_row(result, "effort", row), 2 * 9.81 * cos((double)row), 1e-9);
  }
  mbs_result_free(result);
}

static void test_redundant_rows(void **unused) {
  (void)unused;
  for (int body = 0; body < 2; body++) {
    mbs_result *result = models_run(parallelogram, analysis("inverse-dynamics", body ? "body" : "joint"));
    assert_int_equal(result->report.redundant_count, 1);
    for (size_t row = 0; row < models_rows(result); row++) {
      double angle = 1 + 5 * *models_row(result, "T", row);
      const double *p = models_row(result, "p", row);
      for (size_t b = 0; b < 3; b++) assert_close(p[b], angle, 1e-9);
      assert_close(p[3], 0, 1e-9);
      /* The angle lifts three links and the bar: torque = (3/2 + 1) m g l cos(angle). */
      assert_close(*models_row(result, "effort", row), 2.5 * 9.81 * cos(angle), 1e-6);
    }
    assert_true(result->report.energy_change_max < 1e-6);
    mbs_result_free(result);
  }
}

/* A massless mechanism: the motor's torque against a force F on the slider is -F dx/dq at every speed. */
static void test_massless(void **unused) {
  (void)unused;
  MODEL(slider_crank,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "crank",  "mass": 0, "inertia": 0, "points": {"O": [-0.5, 0], "A": [0.5, 0]}},
         {"name": "rod",    "mass": 0, "inertia": 0, "points": {"A": [-1, 0], "B": [1, 0]}},
         {"name": "slider", "mass": 0, "inertia": 0, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "crank.O"], "initial": {"position": 0.3}},
         {"name": "A", "type": "revolute", "points": ["crank.A", "rod.A"], "initial": {"position": -0.4}},
         {"name": "rail", "type": "translational", "points": ["ground.O", "slider.B"],
          "vectors": ["ground.u", "slider.u"], "initial": {"position": 2.9}},
         {"name": "B", "type": "revolute", "points": ["rod.B", "slider.B"]}],
       "forces": [{"name": "load", "type": "force", "point": "slider.B", "value": [-7, 0]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "0.3 + 5*t + sin(3*t)"}],
       "sensors": [{"name": "effort", "value": "motor.effort"}]});
  for (int body = 0; body < 2; body++) {
    mbs_result *result = models_run(slider_crank, analysis("inverse-dynamics", body ? "body" : "joint"));
    for (size_t row = 0; row < models_rows(result); row++) {
      double q = models_row(result, "p", row)[0];
      double slope = -sin(q) - sin(q) * cos(q) / sqrt(4 - sin(q) * sin(q));
      assert_close(*models_row(result, "effort", row), 7 * slope, 1e-8);
    }
    mbs_result_free(result);
  }
}

/* A driver separates the ends of two links of 1 m: they are straight at 2 m. */
static void test_lock_up(void **unused) {
  (void)unused;
  MODEL(links,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]}},
         {"name": "b", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]}},
         {"name": "s", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "a.A"], "initial": {"position": 0.7}},
         {"name": "P", "type": "revolute", "points": ["a.B", "b.A"], "initial": {"position": -1.4}},
         {"name": "R", "type": "translational", "points": ["ground.O", "s.A"],
          "vectors": ["ground.u", "s.u"], "initial": {"position": 1.5}},
         {"name": "Q", "type": "revolute", "points": ["b.B", "s.A"]}],
       "drivers": [{"name": "puller", "type": "x", "point": "s.A", "function": "1.49 + t"}]});
  static const char *const types[] = {"kinematics", "inverse-dynamics"}, *const formulations[] = {"joint", "body"};
  for (size_t i = 0; i < 4; i++) {
    mbs_result *result;
    mbs_error error = {0};
    expect_failure(links, analysis(types[i / 2], formulations[i % 2]), MBS_LOCK_UP, "puller", NULL, &result, &error);
    assert_close(error.time, 0.51, 1e-6);
    assert_int_equal(models_rows(result), 26); /* rows up to 0.5 s */
    mbs_result_free(result);
  }
}

static void test_not_driven(void **unused) {
  (void)unused;
  char *document = models_named("FourBar");
  mbs_result *result;
  mbs_error error = {0};
  assert_int_equal(models_try_run(document, analysis("inverse-dynamics", "body"), &result, &error), MBS_NOT_DRIVEN);
  assert_non_null(
      strstr(error.message, "inverse-dynamics needs a driver for every degree of freedom, but 1 has no driver"));
  mbs_result_free(result);
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_as_dynamics),
      cmocka_unit_test(test_torque_drives_the_same_motion),
      cmocka_unit_test(test_kinematics_are_the_same),
      cmocka_unit_test(test_kinematics_refuses_forces),
      cmocka_unit_test(test_speed_jump),
      cmocka_unit_test(test_laws_after_an_impulse),
      cmocka_unit_test(test_impulse_through_a_massless_link),
      cmocka_unit_test(test_value_jump),
      cmocka_unit_test(test_no_jump),
      cmocka_unit_test(test_effort_of_a_driver_named_as_a_body),
      cmocka_unit_test(test_redundant_rows),
      cmocka_unit_test(test_massless),
      cmocka_unit_test(test_lock_up),
      cmocka_unit_test(test_not_driven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
