/* Documents with units: equal bits as without units, and errors at their places. */
#include "models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "expect.h"

/* ---- the same runs ----------------------------------------------------------------------------------------------- */

/* Numbers, expressions, lists, tables, parts of elements and the analysis. */
MODEL(planar_plain, {
  "space": "planar",
  "parameters": {"k": 20},
  "gravity": [0, -9.81],
  "ground": {"points": {"O": [0, 0.005]}, "vectors": {"u": [1, 0]}},
  "bodies": [
    {
      "name": "slider",
      "mass": 0.5,
      "inertia": 1e-4,
      "points": {"B": [0, 0]},
      "vectors": {"u": [1, 0]},
      "shapes": [{"type": "polygon", "points": [[0, 0], [0.03, 0], [0.03, 0.01]]}]
    },
    {"name": "bob", "mass": 2, "inertia": 0.2, "points": {"B": [0, 1]}, "initial": {"angular_velocity": 1}}
  ],
  "joints": [
    {
      "name": "rail",
      "type": "translational",
      "points": ["ground.O", "slider.B"],
      "vectors": ["ground.u", "slider.u"],
      "initial": {"position": 0.1, "velocity": 0.25}
    },
    {
      "name": "pin",
      "type": "revolute",
      "points": ["slider.B", "bob.B"],
      "initial": {"position": 1.7453292519943295, "velocity": 31.415926535897932}
    }
  ],
  "forces": [
    {
      "name": "spring",
      "type": "spring-damper",
      "points": ["ground.O", "slider.B"],
      "stiffness": 10000,
      "free_length": 0.06,
      "damping": 30
    },
    {"name": "push", "type": "force", "body": "bob", "value": [2.5, "k"]}
  ],
  "analysis": {"type": "dynamics", "t_end": 0.1, "dt": 0.01}
});

MODEL(planar_units, {
  "space": "planar",
  "parameters": {"k": 20},
  "gravity": [0, "-9.81 m/s^2"],
  "ground": {"points": {"O": [0, "5 mm"]}, "vectors": {"u": [1, 0]}},
  "bodies": [
    {
      "name": "slider",
      "mass": "500 g",
      "inertia": "1 kg*cm^2",
      "points": {"B": [0, "0 mm"]},
      "vectors": {"u": [1, 0]},
      "shapes": [{"type": "polygon", "points": [[0, 0], ["30 mm", 0], ["3 cm", "10 mm"]]}]
    },
    {
      "name": "bob",
      "mass": "2 kg",
      "inertia": 0.2,
      "points": {"B": [0, "1 m"]},
      "initial": {"angular_velocity": "1 rad/s"}
    }
  ],
  "joints": [
    {
      "name": "rail",
      "type": "translational",
      "points": ["ground.O", "slider.B"],
      "vectors": ["ground.u", "slider.u"],
      "initial": {"position": "100 mm", "velocity": "0.9 km/h"}
    },
    {
      "name": "pin",
      "type": "revolute",
      "points": ["slider.B", "bob.B"],
      "initial": {"position": "100 deg", "velocity": "300 rpm"}
    }
  ],
  "forces": [
    {
      "name": "spring",
      "type": "spring-damper",
      "points": ["ground.O", "slider.B"],
      "stiffness": "10 N/mm",
      "free_length": "60 mm",
      "damping": "30 N s/m"
    },
    {"name": "push", "type": "force", "body": "bob", "value": ["2.5e-3 kN", "k"]}
  ],
  "analysis": {"type": "dynamics", "t_end": "100 ms", "dt": "10 ms"}
});

/* Several coordinates of different units in one list. */
MODEL(spatial_format, {
  "space": "spatial",
  "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
  "bodies": [
    {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [%s, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
    {"name": "ball", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [0, 0, 0]}}
  ],
  "joints": [
    {
      "name": "rod",
      "type": "cylindrical",
      "points": ["ground.O", "a.P"],
      "vectors": ["ground.z", "a.z"],
      "initial": {"position": [%s, %s], "velocity": [%s, %s]}
    },
    {
      "name": "socket",
      "type": "spherical",
      "points": ["a.P", "ball.P"],
      "initial": {"position": [1, 0, 0, 0], "velocity": [%s, 0, 0]}
    }
  ],
  "analysis": {"type": "dynamics", "t_end": 0.1, "dt": 0.01}
});

/* Functions of time have the unit of the driven quantity. */
MODEL(driven_format, {
  "space": "planar",
  "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
  "bodies": [
    {"name": "crank", "mass": 1, "inertia": 1, "points": {"A": [0, 0]}},
    {"name": "slider", "mass": 1, "inertia": 1, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}},
    {"name": "wheel", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}}
  ],
  "joints": [
    {"name": "pin", "type": "revolute", "points": ["ground.O", "crank.A"]},
    {"name": "rail", "type": "translational", "points": ["ground.O", "slider.B"], "vectors": ["ground.u", "slider.u"]},
    {"name": "axle", "type": "revolute", "points": ["ground.O", "wheel.C"]}
  ],
  "drivers": [
    {
      "name": "motor",
      "type": "joint",
      "joint": "pin",
      "function": {"ramp": {"t0": 0, "t1": %s, "f0": %s, "speed": %s}}
    },
    {
      "name": "push",
      "type": "x",
      "point": "slider.B",
      "function": {
        "piecewise": [
          {"until": 0.5, "function": {"step": {"t0": 0, "t1": 0.5, "f0": %s, "f1": %s}}},
          {"function": {"harmonic": {"offset": %s, "amplitude": %s, "frequency": 1, "phase": -0.5}}}
        ]
      }
    },
    {"name": "turn", "type": "angle", "body": "wheel", "function": %s}
  ],
  "analysis": {"type": "kinematics", "t_end": 1, "dt": 0.1}
});

static void expect_same_runs(const char *one, const char *two) {
  mbs_result *plain = models_run(one, NULL), *units = models_run(two, NULL);
  expect_same("with units", plain, units, "uT", 0);
  mbs_result_free(plain);
  mbs_result_free(units);
}

static void runs_are_the_same(void **state) {
  (void)state;
  expect_same_runs(planar_plain, planar_units);
  char *plain = models_text(spatial_format, "0.005", "0.002", "1.5707963267948966", "0.5", "31.415926535897932",
                            "6.2831853071795865"),
       *units = models_text(spatial_format, "\"5 mm\"", "\"2 mm\"", "\"90 deg\"", "\"50 cm/s\"", "\"300 rpm\"",
                            "\"1 rev/s\"");
  expect_same_runs(plain, units);
  free(plain);
  free(units);
  plain = models_text(driven_format, "0.1", "1.5707963267948966", "31.415926535897932", "0.003", "0.005", "0.005",
                      "0.002", "6.2831853071795865"),
  units = models_text(driven_format, "\"100 ms\"", "\"90 deg\"", "\"300 rpm\"", "\"3 mm\"", "\"5 mm\"", "\"5 mm\"",
                      "\"2 mm\"", "\"1 rev\"");
  expect_same_runs(plain, units);
  free(plain);
  free(units);
  const char *const splines[] = {"{\"spline\": {\"t\": [0, 0.5, 1], \"f\": [0, 0.78539816339744831, 1]}}",
                                 "{\"spline\": {\"t\": [0, \"500 ms\", 1], \"f\": [0, \"45 deg\", \"1 rad\"]}}"};
  plain = models_text(driven_format, "1", "0", "1", "0", "0", "0", "0", splines[0]);
  units = models_text(driven_format, "1", "0", "1", "0", "0", "0", "0", splines[1]);
  expect_same_runs(plain, units);
  free(plain);
  free(units);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void errors_are_at_their_places(void **state) {
  (void)state;
  char *wrong =
      models_text(spatial_format, "\"5 deg\"", "\"2 deg\"", "\"90 mm\"", "\"50 cm\"", "\"300 Hz\"", "\"1 m/s\"");
  const struct {
    const char *pointer, *words;
  } mistakes[] = {
      {"/model/bodies/0/points/P/0", "expected a length, in m or mm, got '5 deg'"},
      {"/model/joints/0/initial/position/0", "expected a length, in m or mm, got '2 deg'"},
      {"/model/joints/0/initial/position/1", "expected an angle, in rad or deg, got '90 mm'"},
      {"/model/joints/0/initial/velocity/0", "expected a velocity, in m/s or km/h, got '50 cm'"},
      {"/model/joints/0/initial/velocity/1", "expected an angular velocity, in rad/s, deg/s or rpm, got '300 Hz'"},
      {"/model/joints/1/initial/velocity/0", "expected an angular velocity, in rad/s, deg/s or rpm, got '1 m/s'"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    expect_error(wrong, NULL, mistakes[i].pointer, mistakes[i].words);
  free(wrong);
}

static void functions_are_of_their_driver(void **state) {
  (void)state;
  char *wrong =
      models_text(driven_format, "\"1 mm\"", "\"90 mm\"", "\"300 Hz\"", "\"3 deg\"", "0", "0", "\"2 rad\"", "\"1 m\"");
  const struct {
    const char *pointer, *words;
  } mistakes[] = {
      {"/model/drivers/0/function/ramp/t1", "expected a time, in s or ms, got '1 mm'"},
      {"/model/drivers/0/function/ramp/f0", "expected an angle, in rad or deg, got '90 mm'"},
      {"/model/drivers/0/function/ramp/speed", "expected an angular velocity, in rad/s, deg/s or rpm, got '300 Hz'"},
      {"/model/drivers/1/function/piecewise/0/function/step/f0", "expected a length, in m or mm, got '3 deg'"},
      {"/model/drivers/1/function/piecewise/1/function/harmonic/amplitude",
       "expected a length, in m or mm, got '2 rad'"},
      {"/model/drivers/2/function", "expected an angle, in rad or deg, got '1 m'"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    expect_error(wrong, NULL, mistakes[i].pointer, mistakes[i].words);
  free(wrong);
}

/* A number with a unit in every place that has no unit, or whose unit depends on the document. */
MODEL(open_document, {
  "space": "planar",
  "parameters": {"L": "5 mm"},
  "ground": {"points": {"O": [0, 0]}, "vectors": {"u": ["1 m", 0]}},
  "bodies": [{"name": "a", "mass": "-2 g", "inertia": "2*5 mm", "points": {"P": ["L", 0]}}],
  "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "a.P"]}],
  "forces": [{
    "name": "floor",
    "type": "contact",
    "point": "a.P",
    "line": ["ground.O", "ground.u"],
    "stiffness": "10 N/mm",
    "restitution": "0.5 m"
  }],
  "sensors": [{"name": "far", "value": "3 mm"}],
  "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "integrator": {"rtol": "1e-6 mm"}}
});

static void open_units_say_what_to_write(void **state) {
  (void)state;
  const struct {
    const char *pointer, *words;
  } mistakes[] = {
      {"/model/ground/vectors/u/0", "write the number in SI units, 1"},
      {"/model/bodies/0/mass", "mass must be at least 0, not -0.002"},
      {"/model/bodies/0/inertia", "in '2*5 mm' at column 5: expected an operator or the end but found 'mm'"},
      {"/model/forces/0/stiffness", "the unit here is N/m^n, and '10 N/mm' cannot be checked against it"},
      {"/model/forces/0/restitution", "write the number in SI units, 0.5"},
      {"/model/sensors/0/value", "write the number in SI units, 0.003"},
      {"/model/analysis/integrator/rtol", "write the number in SI units, 1e-09"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    expect_error(open_document, NULL, mistakes[i].pointer, mistakes[i].words);
}

/* ---- parameters with a unit -------------------------------------------------------------------------------------- */

/* A crank whose numbers depend on parameters. `%s`: values not in SI units. */
MODEL(crank_format, {
  "space": "planar",
  "parameters": {
    "L": %s,
    "speed": %s,
    "k": %s,
    "rho": %s,
    "T": %s,
    "omega": "2*speed",
    "m": "rho*L^3",
    "half": "L/2",
    "gain": 3,
    "x": "%s"
  },
  "gravity": [0, -9.81],
  "ground": {"points": {"O": [0, 0], "S": [1, 1]}},
  "bodies": [{
    "name": "crank",
    "mass": "%s",
    "inertia": "m*L^2/12",
    "points": {"A": ["-half", 0], "B": ["half", 0]}
  }],
  "joints":
    [{"name": "pin", "type": "revolute", "points": ["ground.O", "crank.A"], "initial": {"velocity": "%s"}}],
  "forces": [{
    "name": "spring",
    "type": "spring-damper",
    "points": ["ground.S", "crank.B"],
    "stiffness": "k",
    "free_length": "max(L, 0.1)",
    "actuator": "%s"
  }],
  "sensors": [
    {"name": "share", "value": "crank.B.x/L"}, {"name": "beyond", "value": "crank.B.x + half"},
    {"name": "times", "value": "gain*crank.B.x"}, {"name": "turned", "value": "%s"}
  ],
  "analysis": {"type": "dynamics", "t_end": "T", "dt": "T/10"}
});

/* Returns the document with one of its texts replaced: 0 the parameter x, 1 the mass, 2 the start, 3 the expression, 4
 * the sensor. */
static char *crank_with(size_t place, const char *text) {
  const char *texts[] = {"1", "m", "omega", "k*(l - L)", "pin.q - speed*t"};
  if (text) texts[place] = text;
  return models_text(crank_format, "\"120 mm\"", "\"60 rpm\"", "\"0.02 N/mm\"", "\"7.85 g/cm^3\"", "\"500 ms\"",
                     texts[0], texts[1], texts[2], texts[3], texts[4]);
}

static void parameters_have_units(void **state) {
  (void)state;
  char *units = crank_with(0, NULL);
  char *plain = models_text(crank_format, "0.12", "6.283185307179586", "20", "7850", "0.5", "1", "m", "omega",
                            "k*(l - L)", "pin.q - speed*t");
  expect_same_runs(plain, units);
  mbs_result *result = models_run(units, NULL);
  const struct {
    const char *sensor, *unit;
  } sensors[] = {{"share", ""}, {"beyond", "m"}, {"times", ""}, {"turned", "rad"}};
  for (size_t i = 0; i < sizeof sensors / sizeof *sensors; i++)
    assert_string_equal(mbs_result_array(result, sensors[i].sensor)->units[0], sensors[i].unit);
  mbs_result_free(result);
  free(plain);
  free(units);
}

/* Dimensions that match for every power of an angle, and parameters without a unit, which may have any. */
static void dimensions_that_fit(void **state) {
  (void)state;
  static const struct {
    size_t place;
    const char *text;
  } cases[] = {{0, "L + 0.3"},
               {0, "sqrt(k/m)"},
               {0, "if(L > 1, half, gain)"},
               {1, "gain*speed"},
               {1, "k*T^2"},
               {1, "k/speed^2"},
               {1, "max(m, 0.1)"},
               {1, "gain"},
               {1, "m*(1 + 0.1*sin(T))"},
               {2, "sqrt(k/m)"},
               {2, "2*pi/T"},
               {2, "L/half/T"},
               {2, "speed + 1"},
               {2, "gain"},
               {3, "k*l + gain*ld"},
               {3, "m*ld/T"},
               {3, "0.1*sin(speed*t)"},
               {3, "k*L*sin(speed*t) + 0.1*cos(omega*t)"},
               {3, "min(k*L, 2)"},
               {3, "20*l"},
               {3, "k*smoothstep(t, 0, 0, T, L)"},
               {3, "gain*(l - L)"},
               {4, "crank.B.x^2 + L^2"},
               {4, "distance(crank.B, ground.S) - L"},
               {4, "crank.x + t + gain*L"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = crank_with(cases[i].place, cases[i].text);
    mbs_model_free(models_build(document, NULL));
    free(document);
  }
}

static void dimensions_that_do_not(void **state) {
  (void)state;
  static const struct {
    size_t place;
    const char *text, *words;
  } cases[] = {
      {0, "L + speed", "in 'L + speed' values of different units are added or compared: one is m, the other rad/s"},
      {0, "if(L > T, 1, 2)", "one is s, the other m"},
      {0, "min(k, L)", "one is N/m, the other m"},
      {0, "5 mn", "unknown unit 'mn'"},
      {1, "speed", "'speed' is rad/s, but mass needs kg"},
      {1, "omega", "'omega' is rad/s, but mass needs kg"},
      {1, "2*speed", "'2*speed' is rad/s, but mass needs kg"},
      {1, "L^2", "'L^2' is m^2, but mass needs kg"},
      {1, "L/half", "'L/half' is a plain number, but mass needs kg"},
      {2, "L/T", "'L/T' is m/s, but velocity needs rad/s"},
      {2, "1/T + L/T", "one is 1/s, the other m/s"},
      {3, "k", "'k' is N/m, but actuator needs N"},
      {3, "k*(l - T)", "one is m, the other s"},
      {3, "k*ld", "'k*ld' is kg m/s^3, but actuator needs N"},
      {4, "crank.B.vx + L", "one is m/s, the other m"},
      {4, "crank.B.x + L + t*k", "one is m, the other N s/m"},
  };
  static const char *const pointers[] = {"/model/parameters/x", "/model/bodies/0/mass",
                                         "/model/joints/0/initial/velocity", "/model/forces/0/actuator",
                                         "/model/sensors/3/value"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = crank_with(cases[i].place, cases[i].text);
    expect_error(document, NULL, pointers[cases[i].place], cases[i].words);
    free(document);
  }
}

/* A frequency cannot be used as an angular velocity without a conversion. */
static void hertz_are_no_radians(void **state) {
  (void)state;
  char *document = models_text(crank_format, "1", "\"10 Hz\"", "20", "1", "1", "1", "1", "speed", "0", "0");
  expect_error(document, NULL, "/model/joints/0/initial/velocity", "'speed' is 1/s, but velocity needs rad/s");
  free(document);
  document = models_text(crank_format, "1", "\"10 Hz\"", "20", "1", "1", "1", "1", "2*pi*speed", "0", "0");
  mbs_model_free(models_build(document, NULL));
  free(document);
}

/* A missing point is a single error: the length of its spring adds no error of dimension. */
static void other_errors_are_single(void **state) {
  (void)state;
  mbs_diagnostics list = {0};
  char *document = crank_with(0, NULL), *point = strstr(document, "ground.S");
  point[7] = 'Q';
  assert_null(models_try_build(document, NULL, &list));
  assert_int_equal(list.count, 1);
  assert_string_equal(list.items[0].pointer, "/model/forces/0/points/0");
  mbs_diagnostics_free(&list);
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_are_the_same),
      cmocka_unit_test(errors_are_at_their_places),
      cmocka_unit_test(functions_are_of_their_driver),
      cmocka_unit_test(open_units_say_what_to_write),
      cmocka_unit_test(parameters_have_units),
      cmocka_unit_test(dimensions_that_fit),
      cmocka_unit_test(dimensions_that_do_not),
      cmocka_unit_test(hertz_are_no_radians),
      cmocka_unit_test(other_errors_are_single),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
