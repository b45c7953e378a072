/* test_turns.c - angles of joints in space over full revolutions, by closed forms: with steps of an integrator or
 * between reports of any length, with any cause of rotation, in both formulations; and the initial values of angles. */
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
#include "model_run.h"
#include "models.h"

static const double pi = 3.14159265358979323846;
static const char *const formulations[] = {"joint", "body"};

/* Integrators with long and short steps, and the allowed error per radian of motion: rtol, but more for the many steps
 * of bdf, whose errors add. */
static const struct {
  const char *text;
  double tolerance;
} integrators[] = {{JSON({"method": "dopri5", "rtol": 2e-3, "atol": 2e-3}), 2e-3},
                   {JSON({"method": "dopri5", "rtol": 1e-3, "atol": 1e-3}), 1e-3},
                   {JSON({"method": "dop853", "rtol": 2e-3, "atol": 2e-3}), 2e-3},
                   {JSON({"method": "dop853", "rtol": 1e-3, "atol": 1e-3}), 1e-3},
                   {JSON({"method": "bdf", "rtol": 1e-5, "atol": 1e-5}), 1e-3},
                   {JSON({"method": "dop853", "rtol": 1e-10, "atol": 1e-10}), 1e-10},
                   {JSON({"method": "dopri5", "rtol": 1e-10, "atol": 1e-10}), 1e-10}};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

/* Returns the allowed error of an angle after a rotation by `way` radians. A step spans some radians and may add its
 * tolerance in Euler parameters, of which angles are twice as large. The result is less than half a revolution, so that
 * a lost revolution is always detected. */
static double allowed(int integrator, double way) {
  double error = 5 * integrators[integrator].tolerance * way;
  assert_true(error < pi);
  return error + 1e-12;
}

/* Runs a wheel of moment of inertia 1 on the ground, and an equal one on it or next to it, with their initial values;
 * the format adds members to the model. */
static model_run run_wheels(const char *a, const char *b, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static model_run run_wheels(const char *a, const char *b, const char *format, ...) {
  MODEL(wheels,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"points": {"O": [0, 0, 0], "P": [1, 0, 0]}, "vectors": {"x": [1, 0, 0], "z": [0, 0, 1]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
          "vectors": {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}, "initial": %s},
         {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
          "vectors": {"z": [0, 0, 1]}, "initial": %s}]});
  char *base = models_text(wheels, a, b), *more = NULL;
  va_list arguments;
  va_start(arguments, format);
  assert_true(vasprintf(&more, format, arguments) > 0);
  va_end(arguments);
  model_run run = model_run_merged(base, more);
  free(base);
  free(more);
  return run;
}

/* ---- dynamics ------------------------------------------------------------------------------------------------- */

/* Rotations in opposite directions at constant speed, and with a torque that reverses them. */
static void test_spins(void **unused) {
  (void)unused;
  for (int k = 0; k < 2 * INTEGRATORS; k++) {
    MODEL(spins,
        {"joints": [
           {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"]},
           {"name": "B", "type": "revolute", "points": ["a.O", "b.O"],      "vectors": ["a.z", "b.z"]}],
         "forces": [{"name": "n", "type": "torque", "body": "b", "value": [0, 0, "90*cos(2*t)"]}],
         "sensors": [
           {"name": "qa", "value": "A.q"},
           {"name": "qb", "value": "B.q"}],
         "analysis": {"formulation": "%s", "t_end": 4, "dt": 2, "integrator": %s}});
    model_run run = run_wheels(JSON({"angular_velocity": [0, 0, 50]}), JSON({"angular_velocity": [0, 0, -20]}), spins,
                               formulations[k % 2], integrators[k / 2].text);
    model_run_require(&run);
    for (int row = 0; row < 3; row++) {
      double t = 2 * row, error = allowed(k / 2, 75 * t);
      assert_close(model_run_value(&run, "qa", row, 0), 50 * t, error);
      assert_close(model_run_value(&run, "qb", row, 0), -70 * t + 90 * (1 - cos(2 * t)) / 4, error);
    }
    model_run_free(&run);
  }
}

/* A torsion spring is wound by many revolutions and unwinds: I q'' = -k q. A lost revolution would be a jump of its
 * torque. */
static void test_torsion_pendulum(void **unused) {
  (void)unused;
  for (int k = 0; k < 2 * INTEGRATORS; k++) {
    MODEL(torsion_pendulum,
        {"joints": [
           {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"]},
           {"name": "B", "type": "fixed",    "points": ["a.O", "b.O"]}],
         "forces": [{"name": "s", "type": "rotational-spring-damper", "joint": "A", "stiffness": 2}],
         "sensors": [{"name": "qa", "value": "A.q"}],
         "analysis": {"formulation": "%s", "t_end": 6, "dt": 1, "integrator": %s}});
    model_run run = run_wheels(JSON({"angular_velocity": [0, 0, 100]}), "{}", torsion_pendulum, formulations[k % 2],
                               integrators[k / 2].text);
    model_run_require(&run);
    for (int row = 0; row < 7; row++)
      assert_close(model_run_value(&run, "qa", row, 0), 100 * sin(row), allowed(k / 2, 50 * row));
    model_run_free(&run);
  }
}

/* Other joints with full revolutions: a screw, whose thread is a constraint row, a gear, and a universal joint about
 * its first arm. */
static void test_other_joints(void **unused) {
  (void)unused;
  MODEL(screw,
      {"name": "A", "type": "screw", "pitch": 0.5, "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"]},
      {"name": "B", "type": "spherical", "points": ["ground.P", "b.O"]});
  MODEL(gear,
      {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"]},
      {"name": "B", "type": "revolute", "points": ["ground.P", "b.O"], "vectors": ["ground.z", "b.z"]},
      {"name": "G", "type": "gear", "vectors": ["a.z", "b.z"], "ratio": -2.5});
  MODEL(cylindrical,
      {"name": "A", "type": "cylindrical", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"]},
      {"name": "B", "type": "spherical",   "points": ["ground.P", "b.O"]});
  MODEL(universal,
      {"name": "A", "type": "universal", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.x"]},
      {"name": "B", "type": "spherical", "points": ["ground.P", "b.O"]});
  static const struct {
    const char *joints, *value;
    double share; /* ratio of `value` to the angle of the wheel if it rotated alone */
  } cases[] = {
      {screw, "a.z",
       0.5 / (2 * 3.14159265358979323846) / (1 + 0.25 / (4 * 3.14159265358979323846 * 3.14159265358979323846))},
      {gear, "B.q", -2.5 / (1 + 2.5 * 2.5)},
      {cylindrical, "A.q2", 1},
      {universal, "A.q1", 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int k = 0; k < 2 * INTEGRATORS; k++) {
      MODEL(other_joints,
          {"joints": [%s],
           "forces": [{"name": "n", "type": "torque", "body": "a", "value": [0, 0, "200*cos(2*t)"]}],
           "sensors": [{"name": "value", "value": "%s"}],
           "analysis": {"formulation": "%s", "t_end": 4, "dt": 2, "integrator": %s}});
      model_run run = run_wheels("{}", "{}", other_joints, cases[c].joints, cases[c].value, formulations[k % 2],
                                 integrators[k / 2].text);
      model_run_require(&run);
      for (int row = 0; row < 3; row++)
        assert_close(model_run_value(&run, "value", row, 0), cases[c].share * 50 * (1 - cos(4 * row)),
                     allowed(k / 2, 65 * 2 * row));
      model_run_free(&run);
    }
}

/* Fixed steps of three revolutions cannot count revolutions: shorter steps are used, which the report notes. */
static void test_long_fixed_steps(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    MODEL(long_fixed_steps,
        {"joints": [
           {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"]},
           {"name": "B", "type": "revolute", "points": ["a.O", "b.O"],      "vectors": ["a.z", "b.z"]}],
         "sensors": [
           {"name": "qa", "value": "A.q"},
           {"name": "qb", "value": "B.q"}],
         "analysis": {"formulation": "%s", "t_end": 10, "dt": 5,
                      "integrator": {"method": "rk4", "fixed_step": 1}}});
    model_run run = run_wheels(JSON({"angular_velocity": [0, 0, 20]}), "{}", long_fixed_steps, formulations[f]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "qa", -1, 0), 200, f ? pi : 1e-9);
    bool told = false;
    for (size_t n = 0; n < run.result->report.note_count; n++)
      told = told || strstr(run.result->report.notes[n], "'fixed_step'");
    assert_int_equal(told, f);
    model_run_free(&run);
  }
}

/* ---- driven motions ------------------------------------------------------------------------------------------- */

/* A wheel rotated about a global axis: the joint's angle is not a coordinate of the driver, in either analysis; rows
 * have any distance. The gear's wheel has its own angle. */
static void test_driven_wheels(void **unused) {
  (void)unused;
  static const struct {
    const char *function;
    double at[3]; /* its values at 0, 2, 4 s */
  } cases[] = {{JSON("20*t"), {0, 40, 80}},
               {JSON("-35*t^2 + 3*t"), {0, -134, -548}},
               {JSON("100*sin(t)"), {0, 90.929742682568170, -75.680249530792827}},
               {JSON({"step": {"t0": 2.5, "t1": 3.5, "f0": 0, "f1": 50}}), {0, 0, 50}}};
  static const char *const analyses[] = {"kinematics", "inverse-dynamics"};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int k = 0; k < 8; k++) {
      double dt = k / 4 ? 2 : 0.125;
      MODEL(driven_wheels,
          {"joints": [
             {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"],
              "vectors": ["ground.z", "a.z"]},
             {"name": "B", "type": "revolute", "points": ["ground.P", "b.O"],
              "vectors": ["ground.z", "b.z"]},
             {"name": "G", "type": "gear", "vectors": ["a.z", "b.z"], "ratio": -2.5}],
           "drivers": [{"name": "m", "type": "rotation", "body": "a", "axis": [0, 0, 1], "function": %s}],
           "sensors": [
             {"name": "qa", "value": "A.q"},
             {"name": "qb", "value": "B.q"}],
           "analysis": {"type": "%s", "formulation": "%s", "t_end": 4, "dt": %g}});
      model_run run =
          run_wheels("{}", "{}", driven_wheels, cases[c].function, analyses[k / 2 % 2], formulations[k % 2], dt);
      model_run_require(&run);
      for (int i = 0; i < 3; i++) {
        long row = lround(2 * i / dt);
        assert_close(model_run_value(&run, "qa", row, 0), cases[c].at[i], 1e-7);
        assert_close(model_run_value(&run, "qb", row, 0), -2.5 * cases[c].at[i], 1e-7);
      }
      model_run_free(&run);
    }
}

/* A driver of its advance rotates a screw. */
static void test_driven_screw(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    MODEL(driven_screw,
        {"joints": [
           {"name": "A", "type": "screw", "pitch": 0.1, "points": ["ground.O", "a.O"],
            "vectors": ["ground.z", "a.z"]},
           {"name": "B", "type": "revolute", "points": ["a.O", "b.O"], "vectors": ["a.z", "b.z"]}],
         "drivers": [
           {"name": "m", "type": "z", "point": "a.O", "function": "smoothstep(t, 0, 0, 1, 2)"},
           {"name": "n", "type": "joint", "joint": "B", "function": "-30*t"}],
         "sensors": [
           {"name": "qa", "value": "A.q"},
           {"name": "qb", "value": "B.q"}],
         "analysis": {"type": "kinematics", "formulation": "%s", "t_end": 2, "dt": %g}});
    model_run run = run_wheels("{}", "{}", driven_screw, formulations[k % 2], k / 2 ? 1.0 : 0.05);
    model_run_require(&run);
    assert_close(model_run_value(&run, "qa", -1, 0), 40 * pi, 1e-7);
    assert_close(model_run_value(&run, "qb", -1, 0), -60, 1e-7);
    model_run_free(&run);
  }
}

/* Two shafts 0.7 rad apart, connected by a universal joint whose first arm is initially in their plane: tan(b) = tan(a)
 * / cos(0.7), counted like a. Either of the joints can be the cut. */
static void test_driven_shafts(void **unused) {
  (void)unused;
  const double k = 1 / cos(0.7);
  for (int i = 0; i < 8; i++) {
    MODEL(driven_shafts,
        {"space": "spatial",
         "ground": {"points": {"O": [0, 0, 0]},
                    "vectors": {"x": [1, 0, 0], "t": ["cos(0.7)", "sin(0.7)", 0]}},
         "bodies": [
           {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
            "vectors": {"x": [1, 0, 0], "y": [0, 1, 0]}},
           {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
            "vectors": {"x": [1, 0, 0], "z": [0, 0, 1]},
            "initial": {"orientation": {"euler_parameters": ["-cos(0.35)", 0, 0, "-sin(0.35)"]}}}],
         "joints": [
           {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.x", "a.x"]},
           {"name": "U", "type": "universal", "points": ["a.O", "b.O"], "vectors": ["a.y", "b.z"],
            "cut": %s},
           {"name": "B", "type": "cylindrical", "points": ["ground.O", "b.O"],
            "vectors": ["ground.t", "b.x"], "cut": %s}],
         "drivers": [
           {"name": "m", "type": "rotation", "body": "a", "axis": [1, 0, 0], "function": "60*sin(1.3*t)"}],
         "sensors": [
           {"name": "qa", "value": "A.q"},
           {"name": "qb", "value": "B.q2"}],
         "analysis": {"type": "kinematics", "formulation": "%s", "t_end": 4, "dt": %g}});
    model_run run = model_run_text(driven_shafts, i / 2 % 2 ? "true" : "false", i / 2 % 2 ? "false" : "true",
                                   formulations[i % 2], i / 4 ? 2.0 : 0.1);
    model_run_require(&run);
    double a = 60 * sin(1.3 * 4), b = a + atan2((k - 1) * sin(a) * cos(a), cos(a) * cos(a) + k * sin(a) * sin(a));
    assert_close(model_run_value(&run, "qa", -1, 0), a, 1e-7);
    assert_close(model_run_value(&run, "qb", -1, 0), b, 1e-7);
    model_run_free(&run);
  }
}

/* ---- equilibria ----------------------------------------------------------------------------------------------- */

/* Springs unwind to their free angle, many revolutions away. */
static void test_equilibrium(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    MODEL(equilibrium,
        {"joints": [
           {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"]},
           {"name": "B", "type": "revolute", "points": ["a.O", "b.O"],      "vectors": ["a.z", "b.z"]}],
         "forces": [
           {"name": "s", "type": "rotational-spring-damper", "joint": "A", "stiffness": 3, "free_angle": 50},
           {"name": "r", "type": "rotational-spring-damper", "joint": "B", "stiffness": 1,
            "free_angle": -20}],
         "sensors": [
           {"name": "qa", "value": "A.q"},
           {"name": "qb", "value": "B.q"}],
         "analysis": {"type": "equilibrium", "formulation": "%s"}});
    model_run run = run_wheels("{}", "{}", equilibrium, formulations[f]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "qa", 0, 0), 50, 1e-8);
    assert_close(model_run_value(&run, "qb", 0, 0), -20, 1e-8);
    model_run_free(&run);
  }
}

/* ---- initial angles ------------------------------------------------------------------------------------------- */

/* Orientations of the two wheels, initial positions of their joints, if any, and the initial angles. */
static const struct {
  const char *a, *b, *more_a, *more_b;
  double qa, qb;
} starts[] = {
    /* Either sign of Euler parameters: 0.4 rad, and 2.9 rad less that. */
    {JSON({"euler_parameters": [0.98006657784124163, 0, 0, 0.19866933079506122]}),
     JSON({"euler_parameters": [0.12050276936736662, 0, 0, 0.99271299103758847]}), NULL, NULL, 0.4, 2.5},
    {JSON({"euler_parameters": [-0.98006657784124163, 0, 0, -0.19866933079506122]}),
     JSON({"euler_parameters": [0.12050276936736662, 0, 0, 0.99271299103758847]}), NULL, NULL, 0.4, 2.5},
    {JSON({"euler_parameters": [0.98006657784124163, 0, 0, 0.19866933079506122]}),
     JSON({"euler_parameters": [-0.12050276936736662, 0, 0, -0.99271299103758847]}), NULL, NULL, 0.4, 2.5},
    /* Half a revolution is pi for every sign of the rounding error. */
    {JSON({"euler_parameters": [0, 0, 0, 1]}), JSON({"euler_parameters": [1e-17, 0, 0, -1]}), NULL, NULL,
     3.14159265358979323846, 0},
    {JSON({"euler_parameters": [1e-17, 0, 0, -1]}), JSON({"euler_parameters": [1, 0, 0, 0]}), NULL, NULL,
     3.14159265358979323846, 3.14159265358979323846},
    /* An axis and an angle determine full revolutions; revolutions about an axis other than the joint's do not
     * count. */
    {JSON({"axis": [0, 0, 1], "angle": 13}), JSON({"axis": [0, 0, -1], "angle": 27}), NULL, NULL, 13, -40},
    {JSON({"axis": [0, 0, 1], "angle": 13}), JSON({"euler_parameters": [0.8, 0, 0, 0.6]}), NULL, NULL, 13,
     1.2870022175865686 - 13 + 4 * 3.14159265358979323846},
    {JSON({"axis": [0, 0, 1], "angle": "5*pi"}), JSON({"axis": [0, 0, 1], "angle": "4.5*pi"}), NULL, NULL,
     5 * 3.14159265358979323846, -0.5 * 3.14159265358979323846},
    /* The joint's own initial position determines full revolutions, too. */
    {JSON({"euler_parameters": [-1, 0, 0, 0]}), JSON({"axis": [0, 0, 1], "angle": 0.5}), "20", "-30", 20, -30},
};

static void test_starts(void **unused) {
  (void)unused;
  for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
    for (int f = 0; f < 2; f++) {
      MODEL(wheels,
          {"space": "spatial", "gravity": [0, 0, 0],
           "ground": {"points": {"O": [0, 0, 0], "P": [1, 0, 0]},
                      "vectors": {"x": [1, 0, 0], "z": [0, 0, 1]}},
           "bodies": [
             {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
              "vectors": {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}, "initial": {"orientation": %s}},
             {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
              "vectors": {"z": [0, 0, 1]}, "initial": {"orientation": %s}}],
           "joints": [
             {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"],
              "vectors": ["ground.z", "a.z"]%s},
             {"name": "B", "type": "revolute", "points": ["a.O", "b.O"], "vectors": ["a.z", "b.z"]%s}],
           "sensors": [
             {"name": "qa", "value": "A.q"},
             {"name": "qb", "value": "B.q"}],
           "analysis": {"type": "assembly", "formulation": "%s"}});
      char more_a[60] = "", more_b[60] = "";
      if (starts[s].more_a) snprintf(more_a, sizeof more_a, PART(, "initial": {"position": %s}), starts[s].more_a);
      if (starts[s].more_b) snprintf(more_b, sizeof more_b, PART(, "initial": {"position": %s}), starts[s].more_b);
      model_run run = model_run_text(wheels, starts[s].a, starts[s].b, more_a, more_b, formulations[f]);
      model_run_require(&run);
      assert_close(model_run_value(&run, "qa", 0, 0), starts[s].qa, 1e-9);
      assert_close(model_run_value(&run, "qb", 0, 0), starts[s].qb, 1e-9);
      model_run_free(&run);
    }
}

/* An orientation by one or two thirds of a revolution about a diagonal, which only exchanges the axes, adds no
 * revolution to a joint. */
static void test_start_about_another_axis(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    MODEL(start_about_another_axis,
        {"space": "spatial", "gravity": [0, 0, 0],
         "ground": {"points": {"O": [0, 0, 0], "P": [1, 0, 0]}, "vectors": {"x": [1, 0, 0], "z": [0, 0, 1]}},
         "bodies": [
           {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
            "vectors": {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]},
            "initial": {"orientation": {"axis": [1, 1, 1], "angle": "%d*pi/3"}}},
           {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
            "vectors": {"z": [0, 0, 1]}}],
         "joints": [
           {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.%s"]},
           {"name": "B", "type": "fixed",    "points": ["a.O", "b.O"]}],
         "sensors": [{"name": "qa", "value": "A.q"}],
         "analysis": {"type": "assembly", "formulation": "%s"}});
    model_run run = model_run_text(start_about_another_axis, k / 2 ? 4 : 2, k / 2 ? "x" : "y", formulations[k % 2]);
    model_run_require(&run);
    double start = model_run_value(&run, "qa", 0, 0);
    assert_true(start > -pi && start < pi + 1e-12);
    model_run_free(&run);
  }
}

/* Revolutions of a universal joint's two arms, and of a screw, which has advanced by them. */
static void test_starts_of_other_joints(void **unused) {
  (void)unused;
  static const char about_x[] = JSON({"orientation": {"axis": [1, 0, 0], "angle": 20}}),
                    about_y[] = JSON({"orientation": {"axis": [0, 1, 0], "angle": 20}}),
                    about_z[] = JSON({"orientation": {"axis": [0, 0, 1], "angle": 25}});
  MODEL(universal,
      {"name": "A", "type": "universal", "points": ["ground.O", "a.O"], "vectors": ["ground.x", "a.y"]});
  MODEL(universal_from,
      {"name": "A", "type": "universal", "points": ["ground.O", "a.O"], "vectors": ["ground.x", "a.y"],
       "initial": {"position": [20, -30]}});
  MODEL(screw,
      {"name": "A", "type": "screw", "points": ["ground.O", "a.O"], "pitch": 0.5, "vectors": ["ground.z", "a.z"]});
  MODEL(screw_from,
      {"name": "A", "type": "screw", "points": ["ground.O", "a.O"], "pitch": 0.5, "vectors": ["ground.z", "a.z"],
       "initial": {"position": 25}});
  static const struct {
    const char *body, *joint, *one, *two;
    double values[2];
  } cases[] = {{"{}", universal_from, "A.q1", "A.q2", {20, -30}},
               {about_x, universal, "A.q1", "A.q2", {20, 0}},
               {about_y, universal, "A.q1", "A.q2", {0, 20}},
               {"{}", screw_from, "A.q", "a.z", {25, 12.5 / (2 * 3.14159265358979323846)}},
               {about_z, screw, "A.q", "a.z", {25, 12.5 / (2 * 3.14159265358979323846)}}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int f = 0; f < 2; f++) {
      MODEL(starts_of_other_joints,
          {"space": "spatial", "gravity": [0, 0, 0],
           "ground": {"points": {"O": [0, 0, 0], "P": [1, 0, 0]},
                      "vectors": {"x": [1, 0, 0], "z": [0, 0, 1]}},
           "bodies": [
             {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
              "vectors": {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}, "initial": %s},
             {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
              "vectors": {"z": [0, 0, 1]}}],
           "joints": [
             %s,
             {"name": "B", "type": "spherical", "points": ["ground.P", "b.O"]}],
           "sensors": [
             {"name": "one", "value": "%s"},
             {"name": "two", "value": "%s"}],
           "analysis": {"type": "assembly", "formulation": "%s"}});
      model_run run = model_run_text(starts_of_other_joints, cases[c].body, cases[c].joint, cases[c].one, cases[c].two,
                                     formulations[f]);
      model_run_require(&run);
      assert_close(model_run_value(&run, "one", 0, 0), cases[c].values[0], 1e-9);
      assert_close(model_run_value(&run, "two", 0, 0), cases[c].values[1], 1e-9);
      model_run_free(&run);
    }
}

/* A gear pair on two parallel axles in space, its first wheel driven from an angle beyond half a revolution. The second
 * wheel is where the ratio requires, or the run reports that the angle is undetermined. */
static void test_driven_gear_beyond_half_a_turn(void **state) {
  (void)state;
  static const double ratios[] = {2, 2.5, -1, 0.5}, begins[] = {3.5, -5, 20};
  for (int k = 0; k < 72; k++) {
    double ratio = ratios[k % 4], start = begins[k / 4 % 3];
    bool body = k / 12 % 2, moves = k / 24 > 0;
    MODEL(driven_gear_beyond_half_a_turn,
        {"space": "spatial", "gravity": [0, 0, 0],
         "ground": {"points": {"A": [0, 0, 0], "B": [1, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
         "bodies": [
           {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
            "vectors": {"z": [0, 0, 1]}},
           {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
            "vectors": {"z": [0, 0, 1]}, "initial": {"position": [1, 0, 0]}}],
         "joints": [
           {"name": "ja", "type": "revolute", "points": ["ground.A", "a.O"], "vectors": ["ground.z", "a.z"]},
           {"name": "jb", "type": "revolute", "points": ["ground.B", "b.O"], "vectors": ["ground.z", "b.z"]},
           {"name": "g",  "type": "gear", "bodies": ["a", "b"], "vectors": ["a.z", "b.z"], "ratio": %g}],
         "drivers": [{"name": "m", "type": "joint", "joint": "ja", "function": "%g + t"}],
         "sensors": [
           {"name": "qa", "value": "ja.q"},
           {"name": "qb", "value": "jb.q"}],
         "analysis": {"type": "%s", "formulation": "%s"%s}});
    model_run run = model_run_text(driven_gear_beyond_half_a_turn, ratio, start,
                                   moves ? k / 48 ? "inverse-dynamics" : "kinematics" : "assembly",
                                   body ? "body" : "joint", moves ? PART(, "t_end": 2, "dt": 1) : "");
    if (body && run.status == MBS_NOT_ASSEMBLED) {
      assert_string_equal(run.error.element, "g");
      assert_non_null(strstr(run.error.message, "revolutions"));
    } else {
      model_run_require(&run);
      assert_close(model_run_value(&run, "qa", 0, 0), start, 1e-9);
      assert_close(model_run_value(&run, "qb", 0, 0), ratio * start, 1e-8);
      if (moves) assert_close(model_run_value(&run, "qb", 2, 0), ratio * (start + 2), 1e-8);
    }
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_driven_gear_beyond_half_a_turn),
      cmocka_unit_test(test_spins),
      cmocka_unit_test(test_torsion_pendulum),
      cmocka_unit_test(test_other_joints),
      cmocka_unit_test(test_long_fixed_steps),
      cmocka_unit_test(test_driven_wheels),
      cmocka_unit_test(test_driven_screw),
      cmocka_unit_test(test_driven_shafts),
      cmocka_unit_test(test_equilibrium),
      cmocka_unit_test(test_starts),
      cmocka_unit_test(test_start_about_another_axis),
      cmocka_unit_test(test_starts_of_other_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
