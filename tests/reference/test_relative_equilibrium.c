/* test_relative_equilibrium.c - equilibria relative to steadily moving joints: closed forms, dynamics from the state
 * found, both formulations, linearization about them, and models without one. */
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

static const double g = 9.81;
static const char
    joint[] = JSON({"type": "relative-equilibrium", "steady": ["spin"]}),
    body[] = JSON({"type": "relative-equilibrium", "steady": ["spin"], "formulation": "body"}),
    linear[] = JSON({"type": "linearization", "about": "relative-equilibrium", "steady": ["spin"]}),
    linear_in_body[] =
        JSON({"type": "linearization", "about": "relative-equilibrium", "steady": ["spin"], "formulation": "body"}),
    motion[] = JSON({"type": "dynamics", "t_end": 1, "dt": 0.25, "integrator": {"rtol": 1e-11, "atol": 1e-12}});

/* A ball of 2 kg on a massless arm of l = 0.5 m, whose hinge is on a vertical shaft at `a` from its axis, with a spring
 * that holds it at free angle 0. */
static const char pendulum[] = JSON({
  "space": "spatial",
  "gravity": [0, 0, -9.81],
  "parameters": {"w": 6, "a": 0, "k": 0, "start": 0.2},
  "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
  "bodies": [
    {
      "name": "shaft",
      "mass": 1,
      "inertia": [0.1, 0.1, 0.1],
      "points": {"O": [0, 0, 0], "H": ["-a", 0, 0]},
      "vectors": {"z": [0, 0, 1], "y": [0, 1, 0]}
    },
    {"name": "ball", "mass": 2, "inertia": [0, 0, 0], "points": {"H": [0, 0, 0.5]}, "vectors": {"y": [0, 1, 0]}}
  ],
  "joints": [
    {
      "name": "spin",
      "type": "revolute",
      "points": ["ground.O", "shaft.O"],
      "vectors": ["ground.z", "shaft.z"],
      "initial": {"position": 0.3, "velocity": "w"}
    },
    {
      "name": "hinge",
      "type": "revolute",
      "points": ["shaft.H", "ball.H"],
      "vectors": ["shaft.y", "ball.y"],
      "initial": {"position": "start"}
    }
  ],
  "forces": [{"name": "spring", "type": "rotational-spring-damper", "joint": "hinge", "stiffness": "k"}],
  "sensors": [
    {"name": "angle", "value": "hinge.q"}, {"name": "rate", "value": "spin.qd"},
    {"name": "towards", "value": "-(ball.x*ball.ax + ball.y*ball.ay)/sqrt(ball.x^2 + ball.y^2)"},
    {"name": "distance", "value": "sqrt(ball.x^2 + ball.y^2)"}, {"name": "lift", "value": "spin.fz"}
  ]
});

static double sensor(const mbs_result *result, const char *name) { return *models_row(result, name, 0); }

static void check_state(const mbs_result *result) {
  assert_int_equal(models_rows(result), 1);
  assert_true(result->report.residual_max[0] < 1e-10);
  assert_true(result->report.residual_max[1] < 1e-9);
  assert_true(result->report.residual_max[2] < 1e-8);
}

/* Expects that there is no equilibrium, and that the error names the element and contains `words`. */
static void fails(const char *document, const char *analysis, const char *element, const char *words) {
  mbs_result *result;
  mbs_error error;
  expect_failure(document, analysis, MBS_NO_EQUILIBRIUM, element, words, &result, &error);
  mbs_result_free(result);
}

/* The motion from the state found keeps the sensor. */
static void check_kept(const char *document, const mbs_result *state, const char *name, double tolerance) {
  char *start = models_with_state(document, state, 0);
  mbs_result *moved = models_run(start, motion);
  for (size_t i = 0; i < models_rows(moved); i++)
    assert_close(*models_row(moved, name, i), sensor(state, name), tolerance);
  mbs_result_free(moved);
  free(start);
}

/* The angle of the ball, by bisection of  m l (w^2 (a + l sin th) cos th - g sin th) = k th,  from its larger side. */
static double angle_of(double w, double a, double k) {
  double low = 1e-3, high = 1.55;
  for (int i = 0; i < 200; i++) {
    const double th = 0.5 * (low + high);
    const double moment = 2 * 0.5 * (w * w * (a + 0.5 * sin(th)) * cos(th) - g * sin(th)) - k * th;
    *(moment > 0 ? &low : &high) = th;
  }
  return low;
}

/* cos th = g / (w^2 l), and with an offset of the hinge and a spring the root of the equation. */
static void test_pendulum(void **unused) {
  (void)unused;
  static const double cases[][3] = {{6, 0, 0}, {9, 0, 0}, {6, 0.1, 0}, {3, 0.1, 0}, {7, 0.2, 5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double w = cases[i][0], a = cases[i][1], k = cases[i][2];
    const double expected = a == 0 && k == 0 ? acos(g / (w * w * 0.5)) : angle_of(w, a, k);
    char *added = models_text("{\"parameters\": {\"w\": %g, \"a\": %g, \"k\": %g, \"start\": 0.2}}", w, a, k);
    char *document = models_with(pendulum, added);
    for (int n = 0; n < 2; n++) {
      mbs_result *result = models_run(document, n ? body : joint);
      const double radius = a + 0.5 * sin(expected);
      check_state(result);
      assert_close(sensor(result, "angle"), expected, 1e-9);
      assert_close(sensor(result, "rate"), w, 1e-12);
      assert_close(sensor(result, "distance"), radius, 1e-9);
      assert_close(sensor(result, "towards"), w * w * radius, 1e-7);
      assert_close(sensor(result, "lift"), 3 * g, 1e-9);
      assert_int_equal(result->report.stable, 1);
      check_kept(document, result, "angle", 1e-7);
      mbs_result_free(result);
    }
    free(document);
    free(added);
  }
}

/* Relative to the shaft, m l^2 th'' = -dU/dth; without offset and spring the eigenvalue is +-i w sin th. */
static void test_pendulum_linear(void **unused) {
  (void)unused;
  const double sine = sin(angle_of(6, 0, 0));
  for (int n = 0; n < 2; n++) {
    mbs_result *result = models_run(pendulum, n ? linear_in_body : linear);
    check_state(result);
    assert_true(result->report.modes[0].frequency > 0);
    const double *values = models_row(result, "eigenvalues", 0);
    assert_int_equal(mbs_result_array(result, "eigenvalues")->shape[0], 2);
    assert_close(values[0], 0, 1e-8);
    assert_close(fabs(values[1]), 6 * sine, 1e-7);
    assert_int_equal(result->report.stable, 1);
    mbs_result_free(result);
  }
}

/* A bead on a hoop that turns about its vertical diameter leaves its lowest place if w^2 > g / R. */
static void test_bifurcation(void **unused) {
  (void)unused;
  static const double rates[] = {2, 4, 5, 8};
  for (size_t i = 0; i < 4; i++) {
    const double w = rates[i], slow = g / 0.5 - w * w;
    for (int moved = 0; moved < 2; moved++) {
      char *added = models_text("{\"parameters\": {\"w\": %g, \"a\": 0, \"k\": 0, \"start\": %g}}", w, moved * 1e-3);
      char *document = models_with(pendulum, added);
      mbs_result *result = models_run(document, linear);
      const double *values = models_row(result, "eigenvalues", 0);
      if (slow > 0) {
        assert_close(sensor(result, "angle"), 0, 1e-10);
        assert_close(fabs(values[1]), sqrt(slow), 1e-7);
        assert_int_equal(result->report.stable, 1);
      } else if (moved) {
        assert_close(sensor(result, "angle"), acos(g / (w * w * 0.5)), 1e-9);
        assert_close(fabs(values[1]), w * sin(sensor(result, "angle")), 1e-7);
        assert_int_equal(result->report.stable, 1);
      } else {
        assert_close(sensor(result, "angle"), 0, 1e-12);
        assert_close(fabs(values[0]), sqrt(-slow), 1e-7);
        assert_int_equal(result->report.stable, 0);
      }
      mbs_result_free(result);
      free(document);
      free(added);
    }
  }
}

/* A mass of 2 kg on a spring of k = 300 N/m and 0.4 m along an arm that turns in the plane. */
static const char arm[] = JSON({
  "space": "planar",
  "gravity": [0, 0],
  "parameters": {"w": 5},
  "ground": {"points": {"O": [0, 0]}},
  "bodies": [
    {"name": "arm", "mass": 1, "inertia": 0.3, "points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
    {"name": "mass", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}
  ],
  "joints": [
    {
      "name": "spin",
      "type": "revolute",
      "points": ["ground.O", "arm.O"],
      "initial": {"position": 0.7, "velocity": "w"}
    },
    {
      "name": "guide",
      "type": "translational",
      "points": ["arm.O", "mass.C"],
      "vectors": ["arm.u", "mass.u"],
      "initial": {"position": 0.4}
    }
  ],
  "forces": [
    {"name": "spring", "type": "spring-damper", "points": ["arm.O", "mass.C"], "stiffness": 300, "free_length": 0.4}
  ],
  "sensors": [
    {"name": "radius", "value": "guide.q"}, {"name": "rate", "value": "spin.qd"},
    {"name": "tension", "value": "spring.force"}
  ]
});

/* r = k r0 / (k - m w^2), and the eigenvalue is +-i sqrt(k / m - w^2). */
static void test_planar_arm(void **unused) {
  (void)unused;
  const double r = 300 * 0.4 / (300 - 2 * 25);
  char *driven =
      models_with(arm, JSON({"drivers": [{"name": "motor", "type": "angle", "body": "arm", "function": "0.7 + 5*t"}]}));
  for (int n = 0; n < 4; n++) {
    const char *document = n / 2 ? driven : arm;
    mbs_result *result = models_run(document, n % 2 ? body : joint);
    check_state(result);
    assert_close(sensor(result, "radius"), r, 1e-10);
    assert_close(sensor(result, "rate"), 5, 1e-12);
    assert_close(sensor(result, "tension"), 300 * (r - 0.4), 1e-8);
    assert_int_equal(result->report.stable, 1);
    assert_null(models_note(result, "is kept by"));
    check_kept(document, result, "radius", 1e-8);
    mbs_result_free(result);
    result = models_run(document, n % 2 ? linear_in_body : linear);
    assert_int_equal(mbs_result_array(result, "eigenvalues")->shape[0], 2);
    assert_close(fabs(models_row(result, "eigenvalues", 0)[1]), sqrt(300 / 2.0 - 25), 1e-7);
    mbs_result_free(result);
  }
  free(driven);
  /* beyond the critical speed the spring is too weak */
  char *fast = models_with(arm, JSON({"parameters": {"w": 13}}));
  fails(fast, joint, "guide", "along the coordinate of 'guide'");
  free(fast);
}

/* A bearing with friction needs a torque, which is noted and is the effort of the joint. */
static void test_effort(void **unused) {
  (void)unused;
  char *document = models_with(
      arm, JSON({
        "forces": [
          {
            "name": "spring",
            "type": "spring-damper",
            "points": ["arm.O", "mass.C"],
            "stiffness": 300,
            "free_length": 0.4
          },
          {"name": "oil", "type": "rotational-spring-damper", "joint": "spin", "stiffness": 0, "damping": 0.2}
        ]
      }));
  mbs_result *result = models_run(document, joint);
  assert_non_null(models_note(result, "the rate of 'spin' is kept by a torque of 1 N m"));
  assert_close(result->report.efforts[0].max, 1, 1e-9);
  assert_close(sensor(result, "radius"), 0.48, 1e-10);
  mbs_result_free(result);
  free(document);
}

/* Porter's governor, whose lower links close loops. With the lift F = k (f - 0.75 + 2 l cos th) of its spring,
 *
 *   m w^2 (a + l sin th) cos th = ((m + M) g - F) sin th.
 *
 * The mass of the coordinate th, 2 m l^2 + M (2 l sin th)^2, the derivative of the moment and the damping of the sleeve
 * give the eigenvalues. */
static void test_closed_loops(void **unused) {
  (void)unused;
  const double w = 110 * 2 * 3.14159265358979323846 / 60, l = 0.3, a = 0.04, m = 1.5, M = 4, k = 600;
  double low = 1e-3, high = 1.55;
  for (int i = 0; i < 200; i++) {
    const double th = 0.5 * (low + high), lift = k * (0.3 - 0.75 + 2 * l * cos(th));
    *(m * w * w * (a + l * sin(th)) * cos(th) > ((m + M) * g - lift) * sin(th) ? &low : &high) = th;
  }
  const double s = sin(low), c = cos(low), lift = k * (0.3 - 0.75 + 2 * l * c), turn = 2 * l * s;
  const double mass = 2 * m * l * l + M * turn * turn, damping = 20 * turn * turn;
  const double stiffness =
      -2 * l * (m * w * w * (l * c * c - (a + l * s) * s) - ((m + M) * g - lift) * c - k * turn * s);
  char *document = models_named("CentrifugalGovernor");
  mbs_result *results[2];
  for (int n = 0; n < 2; n++) {
    mbs_result *result = results[n] = models_run(
        document, n ? JSON({"type": "relative-equilibrium", "steady": ["bearing"], "formulation": "body"}) : NULL);
    check_state(result);
    assert_close(sensor(result, "angle"), low, 1e-9);
    assert_close(sensor(result, "height"), -2 * l * c, 1e-9);
    assert_close(sensor(result, "bearing force"), (2 + M + 2 * m) * g, 1e-8);
    assert_int_equal(result->report.stable, 1);
  }
  static const char *const arrays[] = {"rP", "rPd", "rPdd", "energy"};
  for (size_t i = 0; i < 4; i++) assert_true(models_difference(results[0], results[1], arrays[i], 0) < 1e-8);
  check_kept(document, results[0], "height", 1e-7);
  for (int n = 0; n < 2; n++) mbs_result_free(results[n]);
  for (int n = 0; n < 2; n++) {
    static const char *const ways[] = {
        JSON({"type": "linearization", "about": "relative-equilibrium", "steady": ["bearing"]}), JSON({
          "type": "linearization",
          "about": "relative-equilibrium",
          "steady": ["bearing"],
          "formulation": "body",
          "hold": ["slide"]
        })};
    mbs_result *result = models_run(document, ways[n]);
    const double *values = models_row(result, "eigenvalues", 0), half = 0.5 * damping / mass;
    assert_int_equal(mbs_result_array(result, "eigenvalues")->shape[0], 2);
    assert_close(values[0], -half, 1e-7);
    assert_close(fabs(values[1]), sqrt(stiffness / mass - half * half), 1e-7);
    mbs_result_free(result);
  }
  free(document);
}

/* A PI controller keeps the speed of the arm against friction of 0.2 w = 1 N m: its integral state becomes 1 / ki. */
static void test_controller(void **unused) {
  (void)unused;
  char *document = models_with(
      arm, JSON({
        "states": [{"name": "integral", "rate": "5 - spin.qd"}],
        "forces": [
          {
            "name": "spring",
            "type": "spring-damper",
            "points": ["arm.O", "mass.C"],
            "stiffness": 300,
            "free_length": 0.4
          },
          {"name": "oil", "type": "rotational-spring-damper", "joint": "spin", "stiffness": 0, "damping": 0.2},
          {"name": "motor", "type": "torque", "body": "arm", "value": "3*(5 - spin.qd) + 4*integral"}
        ]
      }));
  for (int n = 0; n < 2; n++) {
    mbs_result *result = models_run(document, n ? body : joint);
    const mbs_found_equilibrium *found = result->report.equilibrium;
    check_state(result);
    assert_close(sensor(result, "radius"), 0.48, 1e-9);
    assert_int_equal(found->states, 1);
    assert_string_equal(found->state_labels[0], "integral");
    assert_close(found->x[0], 0.25, 1e-9);
    assert_null(models_note(result, "is kept by"));
    assert_close(result->report.efforts[0].max, 0, 1e-9);
    char *standing =
        models_with(document, JSON({"states": [{"name": "integral", "rate": "5 - spin.qd", "initial": 0.25}]}));
    check_kept(standing, result, "radius", 1e-8);
    check_kept(standing, result, "rate", 1e-8);
    free(standing);
    mbs_result_free(result);
  }
  /* at another speed the state changes */
  char *fast = models_with(document, JSON({"parameters": {"w": 6}}));
  fails(fast, joint, "integral", "the state 'integral' changes by -1 per second");
  free(fast);
  free(document);
}

/* Two shafts with a gear pair: both are steady; if only one is listed, the other cannot stand. */
static void test_gears(void **unused) {
  (void)unused;
  MODEL(shafts,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"A": [0, 0], "B": [0.3, 0]}},
       "bodies": [
         {"name": "small", "mass": 1, "inertia": 0.1, "points": {"C": [0, 0]}},
         {"name": "large", "mass": 2, "inertia": 0.3, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
         {"name": "mass", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "spin", "type": "revolute", "points": ["ground.A", "small.C"]},
         {"name": "slow", "type": "revolute", "points": ["ground.B", "large.C"], "initial": {"velocity": -5}},
         {"name": "mesh", "type": "gear-pair", "points": ["small.C", "large.C"], "radii": [0.1, 0.2]},
         {"name": "guide", "type": "translational", "points": ["large.C", "mass.C"], "vectors": ["large.u", "mass.u"],
          "initial": {"position": 0.4}}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "spin", "function": "10*t"}],
       "forces": [{"name": "spring", "type": "spring-damper", "points": ["large.C", "mass.C"], "stiffness": 300,
                   "free_length": 0.4},
                  {"name": "oil", "type": "rotational-spring-damper", "joint": "slow", "stiffness": 0,
                   "damping": 0.2}],
       "sensors": [{"name": "radius", "value": "guide.q"}, {"name": "effort", "value": "motor.effort"},
                   {"name": "tooth", "value": "mesh.tangential"}]});
  for (int n = 0; n < 2; n++) {
    mbs_result *result =
        models_run(shafts, n ? JSON({"type": "relative-equilibrium", "steady": ["spin", "slow"], "formulation": "body"})
                             : JSON({"type": "relative-equilibrium", "steady": ["spin", "slow"]}));
    check_state(result);
    assert_close(sensor(result, "radius"), 0.48, 1e-9);
    assert_close(sensor(result, "effort"), 0.5, 1e-9);
    assert_close(fabs(sensor(result, "tooth")), 5, 1e-8);
    assert_null(models_note(result, "is kept by"));
    mbs_result_free(result);
  }
  fails(shafts, joint, "mesh", "list in \"steady\" all joints that move");
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void test_errors(void **unused) {
  (void)unused;
  expect_error(arm, JSON({"type": "relative-equilibrium"}), "/analysis", "missing field 'steady'");
  expect_error(arm, JSON({"type": "relative-equilibrium", "steady": ["spni"]}), "/analysis/steady/0",
               "did you mean 'spin'");
  expect_error(arm, JSON({"type": "relative-equilibrium", "steady": ["spin", "spin"]}), "/analysis/steady/1", "twice");
  expect_error(arm, JSON({"type": "relative-equilibrium", "steady": ["guide"]}), "/analysis/steady/0", "has no rate");
  expect_error(arm, JSON({"type": "equilibrium", "steady": ["spin"]}), "/analysis/steady", "relative equilibrium only");
  expect_error(arm, JSON({"type": "linearization", "about": "relative-equilibrium"}), "/analysis",
               "missing field 'steady'");
  char *fixed = models_with(arm, JSON({
                              "joints": [{"name": "spin", "type": "rigid", "points": ["ground.O", "arm.O"]}],
                              "forces": [],
                              "sensors": [],
                              "analysis": {"type": "relative-equilibrium", "steady": ["spin"]}
                            }));
  expect_error(fixed, NULL, "/model/analysis/steady/0", "has no coordinate that could move");
  free(fixed);
}

/* Gravity across the axis: no state is an equilibrium at every angle. */
static void test_depends_on_angle(void **unused) {
  (void)unused;
  char *document = models_with(arm, JSON({"gravity": [0, -9.81]}));
  fails(document, joint, "guide", "depend on the position of the steady joints");
  fails(document, body, "mass", "depend on the position of the steady joints");
  free(document);
}

/* A law whose stiffness changes as the shaft turns, while the wheel is in balance: no constant linear equations. */
static void test_periodic_stiffness(void **unused) {
  (void)unused;
  MODEL(wheel,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "arm", "mass": 1, "inertia": 0.3, "points": {"O": [0, 0]}},
         {"name": "wheel", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}}],
       "joints": [
         {"name": "spin", "type": "revolute", "points": ["ground.O", "arm.O"], "initial": {"velocity": 3}},
         {"name": "hinge", "type": "revolute", "points": ["arm.O", "wheel.C"], "initial": {"position": 0.1}}],
       "forces": [{"name": "law", "type": "torque", "body": "wheel", "value": "-(5 + 2*cos(arm.phi))*hinge.q"}],
       "sensors": [{"name": "angle", "value": "hinge.q"}]});
  for (int n = 0; n < 2; n++) {
    mbs_result *result = models_run(wheel, n ? body : joint);
    assert_close(sensor(result, "angle"), 0, 1e-10);
    assert_int_equal(result->report.stable, -1);
    assert_non_null(models_note(result, "the stiffness depends on the position of the steady joints"));
    mbs_result_free(result);
    fails(wheel, n ? linear_in_body : linear, "", "no linear equations with constant coefficients");
  }
}

/* A cylindrical joint turns steadily, and its slide, whose rate is 0, is at rest on a spring. */
static void test_several_coordinates(void **unused) {
  (void)unused;
  MODEL(shaft,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [
         {"name": "shaft", "mass": 1, "inertia": [0.1, 0.1, 0.1], "points": {"O": [0, 0, 0]},
          "vectors": {"z": [0, 0, 1]}}],
       "joints": [
         {"name": "spin", "type": "cylindrical", "points": ["ground.O", "shaft.O"],
          "vectors": ["ground.z", "shaft.z"], "initial": {"position": [0.1, 0.3], "velocity": [0, "5 rad/s"]}}],
       "forces": [
         {"name": "s", "type": "spring-damper", "points": ["ground.O", "shaft.O"], "stiffness": 100,
          "free_length": 0.2}],
       "sensors": [{"name": "height", "value": "spin.q1"}, {"name": "rate", "value": "spin.qd2"}]});
  for (int n = 0; n < 2; n++) {
    mbs_result *result = models_run(shaft, n ? body : joint);
    assert_close(sensor(result, "height"), 0.2 - g / 100, 1e-9);
    assert_close(sensor(result, "rate"), 5, 1e-12);
    assert_int_equal(result->report.stable, 1);
    mbs_result_free(result);
  }
  char *ball = models_with(
      shaft,
      JSON({"joints": [{"name": "spin", "type": "spherical", "points": ["ground.O", "shaft.O"]}], "sensors": []}));
  expect_error(ball, joint, "/analysis/steady/0", "cannot be steady");
  free(ball);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pendulum),
                                     cmocka_unit_test(test_pendulum_linear),
                                     cmocka_unit_test(test_bifurcation),
                                     cmocka_unit_test(test_planar_arm),
                                     cmocka_unit_test(test_effort),
                                     cmocka_unit_test(test_closed_loops),
                                     cmocka_unit_test(test_controller),
                                     cmocka_unit_test(test_gears),
                                     cmocka_unit_test(test_errors),
                                     cmocka_unit_test(test_depends_on_angle),
                                     cmocka_unit_test(test_periodic_stiffness),
                                     cmocka_unit_test(test_several_coordinates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
