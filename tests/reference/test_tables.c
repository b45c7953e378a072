/* Named functions: tables and expressions in laws, drivers and numbers, by closed forms, and their errors.
 *
 * A cart of mass m with a damper of force D(v) follows m v' = -D(v). Where D is the straight line a + b v,
 *
 *   v = (v0 + a/b) e - a/b,   x = x0 + (v0 + a/b) (1 - e) m/b - a/b t,   e = exp(-b t / m). */
#include "close.h"
#include "model_run.h"
#include "models.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"

#include <math.h>

static const char *const formulations[] = {"joint", "body"};

/* A cart of 2 kg on a rail that starts at 0 with 2 m/s, with a force -`law` along the rail. `more` has members of the
 * document, each after a comma, `analysis` those of the analysis. */
static const char dynamics[] = PART("type": "dynamics", "t_end": 1.5);

static char *cart(const char *law, const char *more, const char *analysis) {
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0], "W": [-1, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "cart", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "cart.C"],
                   "vectors": ["ground.u", "cart.u"], "initial": {"position": 0, "velocity": 2}}],
       "forces": [{"name": "shock", "type": "spring-damper", "points": ["ground.W", "cart.C"], "actuator": "%s"}]
       %s,
       "analysis": {%s, "dt": 0.1, "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  return models_text(text, law, more, analysis);
}

static model_run run_cart(const char *law, const char *more, const char *analysis) {
  char *document = cart(law, more, analysis);
  model_run run = model_run_text("%s", document);
  free(document);
  return run;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static void test_kink_of_a_damper(void **state) {
  (void)state;
  MODEL(damper, ,
        "functions": {"D": {"x": [-3, 0, 0.5, 3], "y": [-12, 0, 4, 9]}},
        "sensors": [{"name": "x", "value": "cart.x"}, {"name": "v", "value": "cart.vx"}]);
  for (int f = 0; f < 2; f++) {
    char *formulation = models_text(PART("type": "dynamics", "t_end": 1.5, "formulation": "%s"), formulations[f]);
    model_run run = run_cart("D(ld)", damper, formulation);
    model_run_require(&run);
    /* D = 3 + 2 v down to v = 0.5, then 8 v */
    const double kink = log(3.5 / 2), there = 3.5 * (1 - exp(-kink)) - 1.5 * kink, rest = 1.5 - kink;
    assert_close(model_run_event(&run, "shock", "switch", 0), kink, 1e-9);
    assert_int_equal(model_run_events(&run, "shock", "switch"), 1);
    assert_close(model_run_value(&run, "v", -1, 0), 0.5 * exp(-4 * rest), 1e-9);
    assert_close(model_run_value(&run, "x", -1, 0), there + 0.125 * (1 - exp(-4 * rest)), 1e-9);
    assert_close(run.result->report.energy_change_max, 0, 1e-8);
    model_run_free(&run);
    free(formulation);
  }
}

static void test_jump_is_dry_friction(void **state) {
  (void)state;
  MODEL(friction, ,
        "functions": {"D": {"x": [-1, 0, 0, 1], "y": [-1.5, -1.5, 1.5, 1.5],
        "outside": "hold"}},
        "sensors": [{"name": "x", "value": "cart.x"}, {"name": "v", "value": "cart.vx"}]);
  for (int f = 0; f < 2; f++) {
    char *formulation = models_text(PART("type": "dynamics", "t_end": 5, "formulation": "%s"), formulations[f]);
    model_run run = run_cart("D(ld)", friction, formulation);
    model_run_require(&run);
    /* slowed down by 0.75 m/s^2, then at rest */
    assert_close(model_run_event(&run, "shock", "sticks", 0), 2 / 0.75, 1e-9);
    assert_close(model_run_value(&run, "x", -1, 0), 2 / 0.75, 1e-9);
    assert_close(model_run_value(&run, "v", -1, 0), 0, 1e-12);
    model_run_free(&run);
    free(formulation);
  }
}

static void test_end_of_a_table(void **state) {
  (void)state;
  MODEL(pushed, ,
        "functions": {"R": {"x": [0, 1], "y": [0, 0.1], "interpolation": "spline"}},
        "drivers": [{"name": "push", "type": "joint", "joint": "rail", "function": "2*t - R(t)"}]);
  mbs_result *result;
  mbs_error error;
  char *document = cart("D(ld)", PART(, "functions": {"D": {"x": [0.5, 3], "y": [4, 9]}}), dynamics);
  expect_failure(document, NULL, MBS_OUTSIDE_TABLE, "shock",
                 "the argument of the table 'D' is 0.5 and leaves the table, which begins at 0.5", &result, &error);
  assert_close(error.time, log(3.5 / 2), 1e-9);
  assert_string_equal(error.pointer, "/model/forces/0/actuator");
  mbs_result_free(result);
  free(document);
  document = cart("0", pushed, PART("type": "kinematics", "t_end": 1.5));
  expect_failure(document, NULL, MBS_OUTSIDE_TABLE, "push",
                 "the argument of the table 'R' is 1 and leaves the table, which ends at 1", &result, &error);
  assert_close(error.time, 1, 1e-6);
  mbs_result_free(result);
  free(document);
  document = cart("D(ld)", PART(, "functions": {"D": {"x": [0, 1], "y": [0, 1]}}), dynamics);
  expect_error(document, NULL, "/model/forces/0/actuator",
               "the argument of the table 'D' is 2, but the table ends at 1");
  free(document);
}

/* A sensor and a signal leave their tables at a row. The run ends there, and keeps the rows before. */
static void test_end_in_a_result(void **state) {
  (void)state;
  static const char *const reads[] = {
      PART(, "sensors": [{"name": "s", "value": "R(cart.x)"}]),
           PART(, "signals": [{"name": "s", "value": "1 + R(cart.x)"}]),
                PART(, "signals": [{"name": "s", "type": "pid", "input": "R(cart.x)", "kp": 2}])};
  static const char *const pointers[] = {"/model/sensors/0/value", "/model/signals/0/value", "/model/signals/0/input"};
  static const char *const types[] = {"dynamics", "kinematics", "inverse-dynamics"};
  for (int k = 0; k < 18; k++) {
    char *more = models_text(PART(%s, "functions": {"R": {"x": [0, 1.1], "y": [0, 2], "interpolation": "%s"}},
                                  "drivers": [%s]), reads[k / 6],
                                k % 2 ? "spline" : "linear",
                                k % 6 / 2
                                ? PART({"name": "push", "type": "joint", "joint": "rail", "function": "2*t"}) : "");
    char *analysis =
        models_text(PART("type": "%s", "t_end": 1, "formulation": "%s"), types[k % 6 / 2], formulations[k % 2]);
    char *document = cart("0", more, analysis);
    mbs_result *result;
    mbs_error error;
    expect_failure(document, NULL, MBS_OUTSIDE_TABLE, "s",
                   "the argument of the table 'R' is 1.2 and leaves the table, which ends at 1.1", &result, &error);
    assert_close(error.time, 0.6, 1e-12);
    assert_string_equal(error.pointer, pointers[k / 6]);
    assert_int_equal(models_rows(result), 6);
    mbs_result_free(result);
    free(document);
    free(analysis);
    free(more);
  }
}

/* Outputs of a study that leave a table between rows. */
static void test_end_in_a_study(void **state) {
  (void)state;
  static const char *const outputs[] = {
      PART("of": "k*R(cart.x)", "take": "max"),
           PART("of": "k*R(cart.x)", "take": "rms"),
                PART("of": "k*R(cart.x)"), PART("of": "k*R(cart.x)", "take": "at", "at": 0.85),
                                                PART("of": "k*t", "take": "at", "when": "R(cart.x) - 3"),
                                                     PART("of": "k*R(cart.x)", "take": "at", "when": "cart.x - 1.4")};
  char *document = cart("0", PART(, "parameters": {"k": 1}, "functions": {"R": {"x": [0, 1.1], "y": [0, 2]}}),
                                                                          PART("type": "dynamics", "t_end": 1));
  for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
    char *study = models_text(PART({"vary": [{"parameter": "k"}], "outputs": [{"name": "o", %s}]}), outputs[k]);
    mbs_diagnostics list = {0};
    mbs_model *model =
        models_try_build_study(document, JSON({"type": "dynamics", "t_end": 1, "dt": 0.1}), study, &list);
    if (!model) fail_msg("%s", list.items[0].message);
    mbs_study *run = mbs_study_new(model);
    mbs_error error;
    double parameter, value;
    assert_int_equal(mbs_study_run(run, 0, NULL, &parameter, &value, &error), MBS_OUTSIDE_TABLE);
    assert_non_null(strstr(error.message, "the argument of the table 'R' is "));
    assert_non_null(strstr(error.message, "and leaves the table, which ends at 1.1"));
    assert_true(error.time > 0.55 && error.time <= 1);
    mbs_study_free(run);
    mbs_model_free(model);
    mbs_diagnostics_free(&list);
    free(study);
  }
  free(document);
}

/* A table of a driver with kinks in its rate: x = R(t), with exact rates, in kinematics and in dynamics. */
static void test_driver_on_a_road(void **state) {
  (void)state;
  MODEL(road, ,
        "functions": {"R": {"x": [0, 1, 2, 3], "y": [0, 2, 2.5, 4], "interpolation": "monotone"}},
        "drivers": [{"name": "push", "type": "joint", "joint": "rail", "function": "R(t)"}],
        "sensors": [{"name": "v", "value": "cart.vx"}, {"name": "a", "value": "cart.ax"}]);
  static const char *const types[] = {"kinematics", "dynamics", "inverse-dynamics"};
  for (int k = 0; k < 3; k++) {
    char *type = models_text(PART("type": "%s", "t_end": 1.5), types[k]);
    model_run run = run_cart("0", road, type);
    model_run_require(&run);
    /* the slopes at 0, 1, 2 are 2.75, 0.8 (the harmonic mean of 2 and 0.5), 0.75 (of 0.5 and 1.5) */
    const double s = 0.5, slope = 0.8, next = 0.75, c2 = 3 * 0.5 - 2 * slope - next, c3 = slope + next - 2 * 0.5;
    assert_close(model_run_value(&run, "v", 15, 0), slope + s * (2 * c2 + 3 * s * c3), 1e-8);
    assert_close(model_run_value(&run, "a", 15, 0), 2 * c2 + 6 * s * c3, 1e-8);
    assert_close(model_run_event(&run, "push", "switch", 0), 1, 1e-9);
    model_run_free(&run);
    free(type);
  }
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Runs sensors over time with these functions. */
static model_run run_sensors(const char *functions, const char *sensors) {
  char *more = models_text(PART(, "functions": {%s}, "sensors": [%s]), functions, sensors);
  model_run run = run_cart("0", more, dynamics);
  free(more);
  model_run_require(&run);
  return run;
}

static void test_interpolations(void **state) {
  (void)state;
  MODEL(functions,
        "cube": {"x": [-1, 0, 0.5, 2, 3], "y": [-1, 0, 0.125, 8, 27], "interpolation": "spline"},
        "parabola": {"x": [0, 1, 4], "y": [0, 1, 16], "interpolation": "spline"},
        "line": {"x": [0, 2], "y": [0, 4], "interpolation": "spline", "outside": "extend"},
        "square": {"x": [-1, 0, 1, 2, 3], "y": [1, 0, 1, 4, 9], "interpolation": "akima"},
        "akima": {"x": [0, 1, 2, 3, 4, 5], "y": [0, 0, 0, 1, 1, 1], "interpolation": "akima"},
        "steps": {"x": [0, 1, 2, 3], "y": [0, 0, 1, 1], "interpolation": "monotone"});
  MODEL(sensors,
        {"name": "cube", "value": "cube(2*t) - (2*t)^3"}, {"name": "parabola", "value": "parabola(2*t) - 4*t^2"},
        {"name": "line", "value": "line(4*t) - 8*t"}, {"name": "square", "value": "square(2*t) - 4*t^2"},
        {"name": "akima", "value": "akima(2 + t)"}, {"name": "steps", "value": "steps(1 + t)"});
  model_run run = run_sensors(functions, sensors);
  static const char *const exact[] = {"cube", "parabola", "line", "square"};
  for (int k = 0; k < 4; k++)
    for (long row = 0; row <= 15; row++) assert_close(model_run_value(&run, exact[k], row, 0), 0, 1e-13);
  for (long row = 0; row <= 10; row++) {
    /* slopes 0 at both ends, from Akima's weights and from the change of sign */
    const double t = 0.1 * (double)row, smooth = t * t * (3 - 2 * t);
    assert_close(model_run_value(&run, "akima", row, 0), smooth, 1e-14);
    assert_close(model_run_value(&run, "steps", row, 0), smooth, 1e-14);
  }
  model_run_free(&run);
}

static void test_continuations(void **state) {
  (void)state;
  MODEL(functions,
        "hold": {"x": [0, 1], "y": [1, 3], "outside": "hold"},
        "on": {"x": [0, 1], "y": [1, 3], "outside": "extend"},
        "saw": {"x": [0, 1, 1], "y": [0, 1, 0], "outside": "periodic"},
        "curve": {"x": [0, 1, 2], "y": [0, 1, 4], "interpolation": "spline", "outside": "extend"},
        "step": {"x": [0.25, 0.25], "y": [2, 5], "outside": "hold"},
        "wave": {"x": [0, 0.25, 0.5, 0.75, 1], "y": [0, 1, 0, -1, 0], "interpolation": "spline",
        "outside": "periodic"});
  MODEL(sensors,
        {"name": "hold", "value": "hold(2*t - 1)"}, {"name": "on", "value": "on(2*t - 1) - 1 - 2*(2*t - 1)"},
        {"name": "saw", "value": "saw(3*t - 2) - mod(3*t, 1)"}, {"name": "curve", "value": "curve(2 + t) - 4 - 4*t"},
        {"name": "step", "value": "step(t)"}, {"name": "wave", "value": "wave(t - 3) - wave(t + 5)"},
        {"name": "crest", "value": "wave(t)"});
  model_run run = run_sensors(functions, sensors);
  for (long row = 0; row <= 15; row++) {
    const double t = 0.1 * (double)row;
    assert_close(model_run_value(&run, "hold", row, 0), fmin(fmax(1 + 2 * (2 * t - 1), 1), 3), 1e-14);
    assert_close(model_run_value(&run, "on", row, 0), 0, 1e-14);
    assert_close(model_run_value(&run, "saw", row, 0), 0, 1e-14);
    assert_close(model_run_value(&run, "curve", row, 0), 0, 1e-14);
    assert_close(model_run_value(&run, "step", row, 0), t < 0.25 ? 2 : 5, 0);
    assert_close(model_run_value(&run, "wave", row, 0), 0, 1e-14);
  }
  /* by symmetry the slopes are m, 0, -m, 0, m; continuity of the second derivative at 0 gives m = 6 */
  assert_close(model_run_value(&run, "crest", 1, 0), 0.1 * (6 + 0.1 * (0 - 0.1 * 32)), 1e-13);
  model_run_free(&run);
}

static void test_two_arguments(void **state) {
  (void)state;
  MODEL(functions,
        "G": {"x": [0, 1, 3], "y": [-1, 0.5], "z": [[0, 1], [2, 5], [4, -1]], "outside": "hold"},
        "H": {"x": [0, 1, 3], "y": [-1, 0.5], "z": [[0, 1], [2, 5], [4, -1]], "outside": "extend"});
  MODEL(sensors,
        {"name": "inside", "value": "G(1 + t, t - 0.5)"}, {"name": "beside", "value": "G(4 + t, 2)"},
        {"name": "corner", "value": "G(-1, -2 - t)"}, {"name": "beyond", "value": "H(3 + t, t)"});
  model_run run = run_sensors(functions, sensors);
  for (long row = 0; row <= 10; row++) {
    const double t = 0.1 * (double)row, u = t / 2, w = (t + 0.5) / 1.5, v = (t + 1) / 1.5, far = 1 + t / 2;
    assert_close(model_run_value(&run, "inside", row, 0), (1 - u) * ((1 - w) * 2 + w * 5) + u * ((1 - w) * 4 - w),
                 1e-14);
    assert_close(model_run_value(&run, "beside", row, 0), -1, 0);
    assert_close(model_run_value(&run, "corner", row, 0), 0, 0);
    assert_close(model_run_value(&run, "beyond", row, 0), (1 - far) * ((1 - v) * 2 + v * 5) + far * ((1 - v) * 4 - v),
                 1e-13);
  }
  model_run_free(&run);
}

/* A function that is an expression has the bits of this expression; parameters may call functions, and have units. */
static void test_expressions(void **state) {
  (void)state;
  MODEL(parameters, ,
        "parameters": {"c": 0.5, "d": "twice(c) + F(c)", "speed": "60 rpm"},
        "functions": {"damp": {"arguments": ["v", "k"], "value": "twice(v) + k*v^3"},
                      "twice": {"arguments": ["x"], "value": "2*x"},
                      "one": {"arguments": ["x"], "value": 1},
                      "F": {"x": [0, 1], "y": [0, "c"]}},
        "sensors": [{"name": "d", "value": "d"}, {"name": "w", "value": "one(t)*speed"}]);
  model_run named = run_cart("damp(ld, c)", parameters, dynamics),
            written = run_cart("2*ld + c*ld^3", parameters, dynamics);
  model_run_require(&named);
  model_run_require(&written);
  expect_same("written out", named.result, written.result, "uT", 0);
  assert_close(model_run_value(&named, "d", 0, 0), 1.25, 1e-15);
  assert_close(model_run_value(&named, "w", 0, 0), 2 * 3.14159265358979323846, 1e-15);
  model_run_free(&named);
  model_run_free(&written);
}

/* The force c F(k v) of a table with kinks: derivatives by c and k, which differences of runs confirm. */
static model_run run_scaled(double c, double k, const char *names) {
  MODEL(more, , "parameters": {"c": %.17g, "k": %.17g},
        "functions": {"F": {"x": [-1, 0, 0.7, 3], "y": [-2, 0, 0.7, 2]}});
  char *members = models_text(more, c, k);
  char *analysis = models_text(PART("type": "dynamics", "t_end": 1.5, "sensitivities": ["%s"]), names);
  model_run run = run_cart("c*F(k*ld)", members, analysis);
  free(members);
  free(analysis);
  model_run_require(&run);
  return run;
}

static void test_sensitivities(void **state) {
  (void)state;
  const double step = 1e-4;
  for (int which = 0; which < 2; which++) {
    const double dc = which ? 0 : step, dk = which ? step : 0;
    const char *name = which ? "k" : "c";
    model_run run = run_scaled(1.5, 0.5, name), up = run_scaled(1.5 + dc, 0.5 + dk, name),
              down = run_scaled(1.5 - dc, 0.5 - dk, name);
    mbs_error error;
    assert_int_equal(mbs_sensitivities(run.model, NULL, run.result, &error), MBS_OK);
    const mbs_array *found = mbs_result_array(run.result, "sensitivities");
    const size_t columns = models_columns(run.result, "uT");
    assert_non_null(found);
    assert_int_equal(model_run_events(&run, "shock", "switch"), 1);
    for (long row = 0; row <= 15; row++)
      for (size_t c = 0; c < columns; c++) {
        const double rise = model_run_value(&up, "uT", row, c) - model_run_value(&down, "uT", row, c);
        assert_close(found->data[(size_t)row * columns + c], rise / (2 * step), 1e-6);
      }
    model_run_free(&run);
    model_run_free(&up);
    model_run_free(&down);
  }
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* For each mistake: its pointer, words of its message, the law of the damper, the functions. */
MODEL(mistakes,
  [
    ["/functions/F/x/3", "x must ascend", "0", {"F": {"x": [0, 1, 1, 1], "y": [0, 1, 2, 3]}}],
    ["/functions/F/x/2", "1 comes after 2", "0", {"F": {"x": [0, 2, 1], "y": [0, 1, 2]}}],
    ["/functions/F/x/2", "x must ascend", "0", {"F": {"x": [0, 1, 1], "y": [0, 1, 2], "interpolation": "spline"}}],
    ["/functions/F/x", "a jump at an end", "0", {"F": {"x": [0, 1, 1], "y": [0, 1, 2]}}],
    ["/functions/F/y", "needs 3 values in y, not 2", "0", {"F": {"x": [0, 1, 2], "y": [0, 1]}}],
    ["/functions/F/y/1", "division by zero", "0", {"F": {"x": [0, 1], "y": [0, "1/0"]}}],
    ["/functions/F/y", "must end with its first value", "0",
     {"F": {"x": [0, 1, 2], "y": [0, 1, 2], "interpolation": "akima", "outside": "periodic"}}],
    ["/functions/F/x", "at least 4 points", "0",
     {"F": {"x": [0, 1, 2], "y": [0, 1, 0], "interpolation": "spline", "outside": "periodic"}}],
    ["/functions/F/z/1", "needs 2 values in each row", "0", {"F": {"x": [0, 1], "y": [0, 1], "z": [[0, 1], [0]]}}],
    ["/functions/F/z", "needs 2 rows", "0", {"F": {"x": [0, 1], "y": [0, 1], "z": [[0, 1], [0, 1], [2, 3]]}}],
    ["/functions/F/interpolation", "linearly", "0",
     {"F": {"x": [0, 1], "y": [0, 1], "z": [[0, 1], [0, 1]], "interpolation": "spline"}}],
    ["/functions/F", "missing field 'y'", "0", {"F": {"x": [0, 1]}}],
    ["/functions/F/x", "has no 'x'", "0", {"F": {"x": [0, 1], "y": [0, 1], "value": "1"}}],
    ["/functions/F", "missing field 'value'", "0", {"F": {"arguments": ["a"]}}],
    ["/functions/F/arguments/1", "already an argument", "0", {"F": {"arguments": ["a", "a"], "value": "a"}}],
    ["/functions/F/value", "only arguments, parameters", "0", {"F": {"arguments": ["a"], "value": "a + cart.x"}}],
    ["/functions/F/value", "calls itself (by way of 'F')", "0", {"F": {"arguments": ["a"], "value": "F(a)"}}],
    ["/functions/F/value", "'F', 'G'", "0",
     {"F": {"arguments": ["a"], "value": "G(a)"}, "G": {"arguments": ["a"], "value": "1 + F(a)"}}],
    ["/forces/0/actuator", "F takes 1 argument, not 2", "F(1, 2)", {"F": {"x": [0, 1], "y": [0, 1]}}],
    ["/forces/0/actuator", "F has no value for 2", "F(2)", {"F": {"x": [0, 1], "y": [0, 1]}}],
    ["/functions/p", "already a parameter", "0", {"p": {"x": [0, 1], "y": [0, 1]}}],
    ["/functions/sin", "reserved", "0", {"sin": {"x": [0, 1], "y": [0, 1]}}],
    ["/functions/distance", "reserved", "0", {"distance": {"x": [0, 1], "y": [0, 1]}}],
    ["/functions/t", "reserved", "0", {"t": {"x": [0, 1], "y": [0, 1]}}],
    ["/functions/a b", "not a valid function name", "0", {"a b": {"x": [0, 1], "y": [0, 1]}}]
  ]);

static void test_errors(void **state) {
  (void)state;
  json_t *list = json_loads(mistakes, 0, NULL), *functions;
  const char *pointer, *words, *law;
  assert_non_null(list);
  for (size_t i = 0; i < json_array_size(list); i++) {
    assert_int_equal(json_unpack(json_array_get(list, i), "[sss o]", &pointer, &words, &law, &functions), 0);
    char *text = json_dumps(functions, JSON_PRESERVE_ORDER);
    char *more = models_text(PART(, "parameters": {"p": 1}, "functions": %s), text);
    char *document = cart(law, more, dynamics), *place = models_text("/model%s", pointer);
    expect_error(document, NULL, place, words);
    free(text);
    free(more);
    free(document);
    free(place);
  }
  json_decref(list);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kink_of_a_damper), cmocka_unit_test(test_jump_is_dry_friction),
      cmocka_unit_test(test_end_of_a_table),   cmocka_unit_test(test_end_in_a_result),
      cmocka_unit_test(test_end_in_a_study),   cmocka_unit_test(test_driver_on_a_road),
      cmocka_unit_test(test_interpolations),   cmocka_unit_test(test_continuations),
      cmocka_unit_test(test_two_arguments),    cmocka_unit_test(test_expressions),
      cmocka_unit_test(test_sensitivities),    cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
