/* Rolling wheels and balls, against closed forms in both formulations:
 *
 *   a ball on a turntable  v' = 2/7 W z x v: its centre runs on circles with 2/7 of the table's rate (Routh)
 *   a ball on a slope      s'' = 5/7 g sin(b)
 *   a coin in a circle     W^2 = m g R cos(a) / (sin(a) (m b R + C b/R + A cos(a))), a: angle from floor to coin,
 *                          b: radius of its centre's path, A and C: moments of inertia about a diameter and the axis
 *   the Whipple bicycle    eigenvalues at 0 and 5 m/s (Meijaard et al., Proc. R. Soc. A 463, 2007, table 2) */
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
    char *bicycle = models_named_with("Bicycle", more);
    model_run run = model_run_text("%s", bicycle);
    free(bicycle);
    free(more);
    model_run_require(&run);
    assert_int_equal(mbs_result_array(run.result, "eigenvalues")->shape[0], 10);
    for (int i = 0; i < 4; i++)
      assert_true(has_eigenvalue(&run, published[k / 2].values[i][0], published[k / 2].values[i][1]));
    assert_int_equal(run.result->report.degrees_of_freedom, 7);
    assert_int_equal(run.result->report.velocity_freedoms, 3);
    model_run_free(&run);
  }
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_turntable),  cmocka_unit_test(test_ball_on_a_slope),
      cmocka_unit_test(test_coin),       cmocka_unit_test(test_bicycle),
      cmocka_unit_test(test_flat_wheel), cmocka_unit_test(test_values_that_do_not_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
