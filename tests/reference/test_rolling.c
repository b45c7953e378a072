/* Rolling wheels and balls, against closed forms in both formulations:
 *
 *   a ball on a turntable  v' = 2/7 W z x v: its centre runs on circles with 2/7 of the table's rate (Routh)
 *   a ball on a slope      s'' = 5/7 g sin(b)
 *   a coin in a circle     W^2 = m g R cos(a) / (sin(a) (m b R + C b/R + A cos(a))), a: angle from floor to coin,
 *                          b: radius of its centre's path, A and C: moments of inertia about a diameter and the axis
 *   an upright disc        s^2 = (m g R - C (C + m R^2) (v/R)^2 / A) / (A + m R^2) about straight rolling at v (Routh)
 *   a disc on a plate      its centre has J / (J + m R^2) of the plate's acceleration
 *   the Whipple bicycle    eigenvalues at 0 and 5 m/s (Meijaard et al., Proc. R. Soc. A 463, 2007, table 2)
 *   two driven wheels      the axle turns by (v_right - v_left) / b and goes on by (v_left + v_right) / 2 */
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

static const double pi = 3.14159265358979323846, g = 9.81;
static const char *const formulations[] = {"joint", "body"};
enum { FORMULATIONS = 2 };

/* v rotates about z at 2/7 of the table's rate 3.5 rad/s, 1 rad/s, and is 0.5 along y at first. */
static void test_turntable(void **state) {
  (void)state;
  MODEL(turntable,
      {"space": "spatial", "gravity": [0, 0, -9.81], "parameters": {"W": 3.5, "R": 0.1},
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [
         {"name": "table", "mass": 1, "inertia": [1, 1, 2], "points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]},
          "initial": {"angular_velocity": [0, 0, "W"]}},
         {"name": "ball", "mass": 2, "inertia": ["0.8*R^2", "0.8*R^2", "0.8*R^2"], "points": {"C": [0, 0, 0]},
          "initial": {"position": [1, 0, "R"], "velocity": [0, 0.5, 0], "angular_velocity": ["(W - 0.5)/R", 0, 0.7]}}],
       "joints": [
         {"name": "pivot", "type": "revolute", "points": ["ground.O", "table.O"], "vectors": ["ground.z", "table.z"]},
         {"name": "roll", "type": "rolling", "points": ["table.O", "ball.C"], "vectors": "table.z", "radius": "R"}],
       "drivers": [{"name": "turn", "type": "joint", "joint": "pivot", "function": "W*t"}],
       "sensors": [{"name": "load", "value": "roll.fz"}],
       "analysis": {"type": "dynamics", "t_end": 6, "dt": 0.1, "formulation": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(turntable, formulations[k]);
    model_run_require(&run);
    for (long row = 0; row <= 60; row++) {
      const double t = 0.1 * (double)row;
      assert_close(model_run_value(&run, "r", row, 3), 1 - 0.5 * (1 - cos(t)), 1e-8);
      assert_close(model_run_value(&run, "r", row, 4), 0.5 * sin(t), 1e-8);
      assert_close(model_run_value(&run, "r", row, 5), 0.1, 1e-12);
      assert_close(model_run_value(&run, "omega", row, 5), 0.7, 1e-8); /* nothing turns it about the normal */
      assert_close(model_run_value(&run, "load", row, 0), 2 * g, 1e-8);
    }
    assert_int_equal(run.result->report.degrees_of_freedom, 5);
    assert_int_equal(run.result->report.velocity_freedoms, 3);
    model_run_free(&run);
  }
}

static void test_ball_on_a_slope(void **state) {
  (void)state;
  MODEL(slope,
      {"space": "spatial", "gravity": [0, 0, -9.81], "parameters": {"b": 0.3, "R": 0.2},
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"n": ["-sin(b)", 0, "cos(b)"]}},
       "bodies": [
         {"name": "ball", "mass": 3, "inertia": ["1.2*R^2", "1.2*R^2", "1.2*R^2"], "points": {"C": [0, 0, 0]},
          "initial": {"position": ["-R*sin(b)", 0, "R*cos(b)"]}}],
       "joints": [{"name": "roll", "type": "rolling", "points": ["ground.O", "ball.C"], "vectors": ["ground.n"],
                   "radius": "R"}],
       "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(slope, formulations[k]);
    model_run_require(&run);
    for (long row = 0; row <= 20; row++) {
      const double t = 0.1 * (double)row, s = 5.0 / 14 * g * sin(0.3) * t * t;
      assert_close(model_run_value(&run, "r", row, 0), -0.2 * sin(0.3) - s * cos(0.3), 1e-8);
      assert_close(model_run_value(&run, "r", row, 1), 0, 1e-10);
      assert_close(model_run_value(&run, "r", row, 2), 0.2 * cos(0.3) - s * sin(0.3), 1e-8);
    }
    model_run_free(&run);
  }
}

/* The coin of mass 1, radius 0.5, at 60 degrees from the floor, its centre on a circle of radius 0.8 about the origin:
 * n = sin(a) x + cos(a) z is its axis, d = -cos(a) x + sin(a) z leads to its centre. */
static void test_coin(void **state) {
  (void)state;
  MODEL(coin,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [
         {"name": "coin", "mass": 1, "inertia": [0.0625, 0.0625, 0.125], "points": {"C": [0, 0, 0]},
          "vectors": {"a": [0, 0, 1]},
          "initial": {"position": [0.8, 0, %.17g], "orientation": {"axis": [0, 1, 0], "angle": %.17g},
                      "velocity": [0, %.17g, 0], "angular_velocity": [%.17g, 0, %.17g]}}],
       "joints": [{"name": "roll", "type": "rolling", "points": ["ground.O", "coin.C"],
                   "vectors": ["ground.z", "coin.a"], "radius": 0.5}],
       "sensors": [{"name": "in", "value": "roll.fx"}],
       "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  const double a = pi / 3, R = 0.5, b = 0.8, A = 0.0625, C = 0.125;
  const double rate = sqrt(g * R * cos(a) / (sin(a) * (b * R + C * b / R + A * cos(a)))),
               spin = -rate * (cos(a) + b / R);
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(coin, R * sin(a), a, rate * b, spin * sin(a), rate + spin * cos(a), formulations[k]);
    model_run_require(&run);
    for (long row = 0; row <= 20; row++) {
      const double t = 0.1 * (double)row;
      assert_close(model_run_value(&run, "r", row, 0), b * cos(rate * t), 1e-7);
      assert_close(model_run_value(&run, "r", row, 1), b * sin(rate * t), 1e-7);
      assert_close(model_run_value(&run, "r", row, 2), R * sin(a), 1e-7);
      assert_close(model_run_value(&run, "in", row, 0), -b * rate * rate * cos(rate * t), 1e-6);
    }
    model_run_free(&run);
  }
  /* the motion is steady, but its coefficients along global axes turn with it */
  char *document = models_text(coin, R * sin(a), a, rate * b, spin * sin(a), rate + spin * cos(a), "joint");
  mbs_result *linear = models_run(document, JSON({"type": "linearization", "about": "state"}));
  assert_non_null(models_note(linear, "not_steady"));
  mbs_result_free(linear);
  free(document);
}

/* Returns true if one of the eigenvalues is re + i im to 1e-9. */
static bool has_eigenvalue(const model_run *run, double re, double im) {
  const mbs_array *values = mbs_result_array(run->result, "eigenvalues");
  for (size_t i = 0; i < values->shape[0]; i++)
    if (fabs(values->data[2 * i] - re) < 1e-9 && fabs(values->data[2 * i + 1] - im) < 1e-9) return true;
  return false;
}

/* The published ones, and zeros for the rest: of 7 + 3, each velocity row leaves one in place of a pair. */
static void test_bicycle(void **state) {
  (void)state;
  static const struct {
    double speed, values[4][2];
  } published[] = {{0, {{3.13164324790656, 0}, {5.53094371765393, 0}, {-3.13164324790656, 0}, {-5.53094371765393, 0}}},
                   {5,
                    {{-14.078389692798236, 0},
                     {-0.7753418821958389, 4.464867713788224},
                     {-0.7753418821958389, -4.464867713788224},
                     {-0.32286642900408935, 0}}}};
  for (int k = 0; k < 2 * FORMULATIONS; k++) {
    char *more =
        models_text(PART({"parameters": {"v": %g, "lean_rate": 0, "rR": 0.3, "rF": 0.35, "w": 1.02,
                                                  "tilt": "pi/10"},
                                   "analysis": {"type": "linearization", "about": "state", "formulation": "%s"}}),
                          published[k / 2].speed, formulations[k % 2]);
    model_run run = model_run_changed("Bicycle", more);
    assert_int_equal(mbs_result_array(run.result, "eigenvalues")->shape[0], 10);
    for (int i = 0; i < 4; i++)
      assert_true(has_eigenvalue(&run, published[k / 2].values[i][0], published[k / 2].values[i][1]));
    assert_int_equal(run.result->report.degrees_of_freedom, 7);
    assert_int_equal(run.result->report.velocity_freedoms, 3);
    assert_null(models_note(run.result, "not_steady")); /* rolling straight on, the coefficients are constant */
    model_run_free(&run);
  }
}

/* A ball on a slope, held by a spring along it: it rolls by s = m g sin(b) / k until the spring balances the weight
 * along the slope, and turns by s / R. */
static void test_equilibrium(void **state) {
  (void)state;
  MODEL(held,
      {"space": "spatial", "gravity": [0, 0, -9.81], "parameters": {"b": 0.3, "R": 0.2},
       "ground": {"points": {"O": [0, 0, 0], "A": ["2*cos(b) - R*sin(b)", 0, "2*sin(b) + R*cos(b)"]},
                  "vectors": {"n": ["-sin(b)", 0, "cos(b)"]}},
       "bodies": [
         {"name": "ball", "mass": 3, "inertia": ["1.2*R^2", "1.2*R^2", "1.2*R^2"], "points": {"C": [0, 0, 0]},
          "initial": {"position": ["-R*sin(b)", 0, "R*cos(b)"]}}],
       "joints": [{"name": "roll", "type": "rolling", "points": ["ground.O", "ball.C"], "vectors": "ground.n",
                   "radius": "R"}],
       "forces": [{"name": "spring", "type": "spring-damper", "points": ["ground.A", "ball.C"], "stiffness": 40,
                   "free_length": 2}],
       "analysis": {"type": "equilibrium", "formulation": "%s"}});
  const double s = 3 * g * sin(0.3) / 40, turn = -s / 0.2;
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(held, formulations[k]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 0), -0.2 * sin(0.3) - s * cos(0.3), 1e-9);
    assert_close(model_run_value(&run, "r", 0, 1), 0, 1e-9);
    assert_close(model_run_value(&run, "r", 0, 2), 0.2 * cos(0.3) - s * sin(0.3), 1e-9);
    const double e[4] = {cos(turn / 2), 0, sin(turn / 2), 0};
    const double sign = model_run_value(&run, "p", 0, 0) * e[0] < 0 ? -1 : 1;
    for (size_t i = 0; i < 4; i++) assert_close(sign * model_run_value(&run, "p", 0, i), e[i], 1e-9);
    /* the spring balances the weight along the slope, and no friction is left */
    assert_close(model_run_value(&run, "reactions", 0, 0), -3 * g * cos(0.3) * sin(0.3), 1e-8);
    assert_close(model_run_value(&run, "reactions", 0, 2), 3 * g * cos(0.3) * cos(0.3), 1e-8);
    model_run_free(&run);
  }
}

/* Drivers lead the ball on the circle on which it rolls freely, and a row keeps its spin about the normal: no velocity
 * is left, the orientation is integrated, and the drivers of the ball exert nothing. That of the table balances the
 * friction of the ball: 1 N at the lever 0.5 sin(t). */
static void test_led_ball(void **state) {
  (void)state;
  static const char *const types[] = {"kinematics", "inverse-dynamics", "dynamics"};
  enum { TYPES = 3 };
  static const char efforts[] = PART({"name": "on_turn", "value": "turn.effort"}, {"name": "on_x", "value": "x.effort"},
           {"name": "on_y", "value": "y.effort"});
  MODEL(more,
           {"joints": [
              {"name": "pivot", "type": "revolute", "points": ["ground.O", "table.O"],
               "vectors": ["ground.z", "table.z"]},
              {"name": "contact", "type": "rolling", "points": ["table.O", "ball.C"], "vectors": "table.z",
               "radius": "R"},
              {"name": "spin", "type": "velocity", "value": "ball.omega_z - 0.7"}],
            "drivers": [
              {"name": "turn", "type": "joint", "joint": "pivot", "function": "W*t"},
              {"name": "x", "type": "x", "point": "ball.C", "function": "0.5 + 0.5*cos(t)"},
              {"name": "y", "type": "y", "point": "ball.C", "function": "0.5*sin(t)"}],
            "sensors": [%s],
            "analysis": {"type": "%s", "t_end": 3, "dt": 0.1, "formulation": "%s",
                         "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  for (int f = 0; f < FORMULATIONS; f++) {
    model_run runs[TYPES];
    for (int k = 0; k < TYPES; k++) {
      runs[k] = model_run_changed("Turntable", models_text(more, k == 0 ? "" : efforts, types[k], formulations[f]));
      assert_int_equal(runs[k].result->report.degrees_of_freedom, 3);
      assert_int_equal(runs[k].result->report.velocity_freedoms, 0);
    }
    for (long row = 0; row <= 30; row++) {
      const double t = 0.1 * (double)row;
      for (int k = 0; k < TYPES; k++) {
        assert_close(model_run_value(&runs[k], "r", row, 3), 0.5 + 0.5 * cos(t), 1e-8);
        assert_close(model_run_value(&runs[k], "omega", row, 5), 0.7, 1e-8);
        for (size_t i = 4; i < 8; i++) /* Euler parameters of the ball */
          assert_close(model_run_value(&runs[k], "p", row, i), model_run_value(&runs[2], "p", row, i), 1e-7);
        if (k == 0) continue;
        assert_close(model_run_value(&runs[k], "on_turn", row, 0), -0.5 * sin(t), 1e-6);
        assert_close(model_run_value(&runs[k], "on_x", row, 0), 0, 1e-6);
        assert_close(model_run_value(&runs[k], "on_y", row, 0), 0, 1e-6);
      }
    }
    for (int k = 0; k < TYPES; k++) model_run_free(&runs[k]);
  }
}

/* A disc that stands upright and rolls straight on: two eigenvalues of lean and yaw, and 6 zeros. It falls at 1 m/s and
 * is steady at 3 m/s, beyond sqrt(g R / 3). */
static void test_upright_disc(void **state) {
  (void)state;
  MODEL(upright,
      {"space": "spatial", "gravity": [0, 0, -9.81], "parameters": {"R": 0.5, "v": %g},
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [
         {"name": "disc", "mass": 2, "inertia": ["R^2/2", "R^2", "R^2/2"], "points": {"C": [0, 0, 0]},
          "vectors": {"a": [0, 1, 0]},
          "initial": {"position": [0, 0, "R"], "velocity": ["v", 0, 0], "angular_velocity": [0, "v/R", 0]}}],
       "joints": [{"name": "roll", "type": "rolling", "points": ["ground.O", "disc.C"],
                   "vectors": ["ground.z", "disc.a"], "radius": "R"}],
       "analysis": {"type": "linearization", "about": "state", "formulation": "%s"}});
  const double mass = 2, R = 0.5, A = mass * R * R / 4, C = mass * R * R / 2;
  for (int k = 0; k < 2 * FORMULATIONS; k++) {
    const double v = k < FORMULATIONS ? 1 : 3, spin = v / R;
    const double square = (mass * g * R - C * (C + mass * R * R) * spin * spin / A) / (A + mass * R * R);
    const double re = square > 0 ? sqrt(square) : 0, im = square < 0 ? sqrt(-square) : 0;
    model_run run = model_run_text(upright, v, formulations[k % FORMULATIONS]);
    model_run_require(&run);
    const mbs_array *values = mbs_result_array(run.result, "eigenvalues");
    int zeros = 0;
    assert_int_equal(values->shape[0], 8);
    for (size_t i = 0; i < 8; i++) zeros += hypot(values->data[2 * i], values->data[2 * i + 1]) < 1e-9;
    assert_int_equal(zeros, 6);
    assert_true(has_eigenvalue(&run, re, im) && has_eigenvalue(&run, -re, -im));
    assert_int_equal(run.result->report.degrees_of_freedom, 5);
    assert_int_equal(run.result->report.velocity_freedoms, 3);
    assert_null(mbs_result_array(run.result, "K"));
    assert_null(models_note(run.result, "not_steady"));
    model_run_free(&run);
  }
}

/* In the plane: a disc on a plate that is led at 3 t^2 / 2 is a joint of the tree, or a cut. */
static void test_disc_on_a_plate(void **state) {
  (void)state;
  MODEL(plate,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "plate", "mass": 5, "inertia": 1, "points": {"A": [0, 0], "T": [0, 0.1]}, "vectors": {"u": [1, 0]},
          "initial": {"position": [0, 0]}},
         {"name": "disc", "mass": 2, "inertia": 0.0625, "points": {"C": [0, 0]}, "initial": {"position": [0.4, 0.35]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "plate.A"],
          "vectors": ["ground.u", "plate.u"]},
         {"name": "roll", "type": "disc", "points": ["plate.T", "disc.C"], "vectors": "plate.u", "radius": 0.25,
          "cut": %s}],
       "drivers": [{"name": "lead", "type": "joint", "joint": "rail", "function": "1.5*t^2"}],
       "sensors": [{"name": "grip", "value": "roll.fx"}, {"name": "load", "value": "roll.fy"}],
       "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  for (int k = 0; k < 2 * FORMULATIONS; k++) {
    model_run run = model_run_text(plate, k < FORMULATIONS ? "false" : "true", formulations[k % FORMULATIONS]);
    model_run_require(&run);
    for (long row = 0; row <= 20; row++) {
      const double t = 0.1 * (double)row;
      assert_close(model_run_value(&run, "r", row, 2), 0.4 + 0.5 * t * t, 1e-8);
      assert_close(model_run_value(&run, "r", row, 3), 0.35, 1e-10);
      assert_close(model_run_value(&run, "p", row, 1), t * t / 0.25, 1e-8);
      assert_close(model_run_value(&run, "grip", row, 0), 2, 1e-8);
      assert_close(model_run_value(&run, "load", row, 0), 2 * g, 1e-8);
    }
    assert_int_equal(run.result->report.degrees_of_freedom, 1);
    assert_int_equal(run.result->report.velocity_freedoms, 1);
    model_run_free(&run);
  }
}

/* The example DifferentialDrive, whose mass centre is d ahead of the axle: v is constant and w = phi', so that
 * F_left + F_right = -m d w^2, (F_right - F_left) b / 2 = (J + m d^2) w' + m d v w. */
static void test_driven_wheels(void **state) {
  (void)state;
  static const char *const types[] = {"kinematics", "inverse-dynamics", "dynamics"};
  enum { TYPES = 3 };
  const double swing = 2.404825557695773, v = 0.5, b = 0.4, mass = 8, J = 0.25, d = 0.1, pace = 2 * pi / 10;
  for (int k = 0; k < TYPES * FORMULATIONS; k++) {
    static const char forces[] =
        PART({"name": "drive_left", "value": "left.lambda1"}, {"name": "drive_right", "value": "right.lambda1"});
    char *changes = models_text(
        PART({"sensors": [%s],
                                      "analysis": {"type": "%s", "t_end": 10, "dt": 0.1, "formulation": "%s",
                                                   "integrator": {"rtol": 1e-10, "atol": 1e-12}}}),
                          k < FORMULATIONS ? "" : forces, types[k / FORMULATIONS], formulations[k % FORMULATIONS]);
    model_run run = model_run_changed("DifferentialDrive", changes);
    assert_int_equal(run.result->report.degrees_of_freedom, 3);
    assert_int_equal(run.result->report.velocity_freedoms, 0);
    for (long row = 0; row <= 100; row++) {
      const double t = 0.1 * (double)row, w = swing * pace * sin(pace * t),
                   w_rate = swing * pace * pace * cos(pace * t);
      const double sum = -mass * d * w * w, moment = (J + mass * d * d) * w_rate + mass * d * v * w;
      assert_close(model_run_value(&run, "p", row, 0), swing * (1 - cos(pace * t)), 1e-8);
      if (k < FORMULATIONS) continue;
      assert_close(model_run_value(&run, "drive_left", row, 0), sum / 2 - moment / b, 1e-7);
      assert_close(model_run_value(&run, "drive_right", row, 0), sum / 2 + moment / b, 1e-7);
    }
    /* it comes back, and is at its start once before, where the paths of the eight cross */
    for (size_t i = 0; i < 2; i++)
      assert_close(model_run_value(&run, "r", -1, i), model_run_value(&run, "r", 0, i), 1e-7);
    model_run_free(&run);
  }
}

/* The example ChaplyginSleigh, whose closed form its description gives. */
static void test_sleigh(void **state) {
  (void)state;
  model_run run = model_run_file("ChaplyginSleigh");
  model_run_require(&run);
  const double V = 1.2, a = 0.4, mass = 2, edge = 0.3 + mass * a * a, W = V * sqrt(mass / edge);
  for (long row = 0; row <= 300; row++) {
    const double s = -3 + W * a * 0.02 * (double)row / sqrt(edge / mass);
    assert_close(model_run_value(&run, "along", row, 0), V * tanh(s), 1e-7);
    assert_close(model_run_value(&run, "pd", row, 0), W / cosh(s), 1e-7);
    assert_close(model_run_value(&run, "force", row, 0), mass * V * tanh(s) * W / cosh(s) * 0.3 / edge, 1e-6);
  }
  model_run_free(&run);
}

/* A wheel that lies on its plane touches it all around. */
static void test_flat_wheel(void **state) {
  (void)state;
  MODEL(flat,
      {"space": "spatial",
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [{"name": "wheel", "mass": 1, "inertia": [1, 1, 2], "points": {"C": [0, 0, 0]},
                   "vectors": {"a": [0, 0, 1]}}],
       "joints": [{"name": "roll", "type": "rolling", "points": ["ground.O", "wheel.C"],
                   "vectors": ["ground.z", "wheel.a"], "radius": 0.5}],
       "analysis": {"type": "assembly", "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(flat, formulations[k]);
    assert_int_equal(run.status, MBS_CONTACT_NOT_UNIQUE);
    assert_string_equal(run.error.element, "roll");
    model_run_free(&run);
  }
}

/* What a `velocity` joint cannot be is said of its value. */
static void test_values_that_do_not_do(void **state) {
  (void)state;
  static const struct {
    const char *value;
    mbs_status status;
  } wrong[] = {{"b.vx*b.vy", MBS_NOT_LINEAR},
               {"sin(b.vx)", MBS_NOT_LINEAR},
               {"1/(1 + b.omega)", MBS_NOT_LINEAR},
               {"abs(b.vx)", MBS_NOT_LINEAR},
               {"if(b.vx, 1, 2)", MBS_NOT_LINEAR},
               {"b.vx^2", MBS_NOT_LINEAR},
               {"b.x - 1", MBS_INVALID},
               {"b.vx + b.ax", MBS_BAD_EXPRESSION},
               {"b.vx + s.force", MBS_BAD_EXPRESSION},
               {"if(b.x > 0, b.vx, -b.vx)", MBS_OK},
               {"b.vx*b.x/(2 + t)", MBS_OK}};
  MODEL(free_body,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "initial": {"position": [1, 0]}}],
       "joints": [{"name": "own", "type": "velocity", "value": "%s"}],
       "forces": [{"name": "s", "type": "spring-damper", "points": ["ground.O", "b.C"], "stiffness": 1}],
       "analysis": {"type": "assembly"}});
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    char *document = models_text(free_body, wrong[k].value);
    mbs_diagnostics list = {0};
    mbs_model *model = models_try_build(document, NULL, &list);
    if (wrong[k].status == MBS_OK) {
      assert_non_null(model);
    } else {
      assert_null(model);
      assert_int_equal(list.count, 1);
      assert_int_equal(list.items[0].status, wrong[k].status);
      assert_string_equal(list.items[0].pointer, "/model/joints/0/value");
    }
    mbs_model_free(model);
    mbs_diagnostics_free(&list);
    free(document);
  }
}

/* A ball rolls on a plane under a spring that starts without force and across the only motion, so that the stiffness is
 * zero: 2 N along the plane = k (1 - l0 / l) x. */
static void test_equilibrium_from_no_stiffness(void **unused) {
  (void)unused;
  MODEL(text,
      {"space": "spatial", "gravity": [2, 0, -9],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": [0.004, 0.004, 0.004], "points": {"C": [0, 0, 0]},
                   "initial": {"position": [0, 0, 0.1]}}],
       "joints": [{"name": "r", "type": "rolling", "points": ["ground.O", "b.C"], "vectors": "ground.z",
                   "radius": 0.1}],
       "forces": [{"name": "s", "type": "spring-damper", "points": ["ground.O", "b.C"], "stiffness": 10,
                   "free_length": 0.1}],
       "sensors": [{"name": "x", "value": "b.x"}],
       "analysis": {"type": "equilibrium", "formulation": "%s"}});
  EACH_FORMULATION(f) {
    model_run run = model_run_text(text, f ? "body" : "joint");
    model_run_require(&run);
    const double x = model_run_value(&run, "x", 0, 0);
    assert_close(10 * (1 - 0.1 / sqrt(x * x + 0.01)) * x, 2, 1e-9);
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equilibrium_from_no_stiffness),
      cmocka_unit_test(test_turntable),
      cmocka_unit_test(test_ball_on_a_slope),
      cmocka_unit_test(test_coin),
      cmocka_unit_test(test_bicycle),
      cmocka_unit_test(test_equilibrium),
      cmocka_unit_test(test_led_ball),
      cmocka_unit_test(test_upright_disc),
      cmocka_unit_test(test_disc_on_a_plate),
      cmocka_unit_test(test_driven_wheels),
      cmocka_unit_test(test_sleigh),
      cmocka_unit_test(test_flat_wheel),
      cmocka_unit_test(test_values_that_do_not_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
