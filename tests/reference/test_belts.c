/* Belts and ropes against closed forms, in both formulations:
 *
 *   a belt on a turning arm   phi2 = a (1 - r1/r2), crossed a (1 + r1/r2), over many turns
 *   a belt drive              (J1 + J2 (r1/r2)^2) phi1'' = M; tensions with their mean, and the loads of the bearings
 *   a belt with a spring      w^2 = k / (J1 + J2 (r1/r2)^2)
 *   Atwood's machine          (m1 + m2 + J/r^2) a = (m1 - m2) g, a tension on each side
 *   a movable pulley          a = g (M - 2 m) / (M + 4 m)
 *   a hoist                   the load rises by r phi, T = m (g + r phi'')
 *   a rope that gets slack    cos(angle) = (2 g L - v^2) / (3 g L), then a parabola
 *   a rope that gets taut     the speed along it is lost
 *   an elastic rope           a fall from its anchor ends at m g (L + x) = k x^2 / 2 */
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

static const char *const formulations[] = {"joint", "body"};
enum { FORMULATIONS = 2 };

/* Compares two runs of a document, one in each formulation, at their last row, and their balances of energy. */
static void compare_formulations(const char *document, const char *const *sensors, size_t count, double tolerance) {
  model_run runs[FORMULATIONS];
  for (int k = 0; k < FORMULATIONS; k++) {
    MODEL(formulation,
        {"analysis": {"type": "dynamics", "t_end": 0.5, "dt": 0.05, "formulation": "%s",
                      "integrator": {"rtol": 1e-10, "atol": 1e-11}}});
    char *analysis = models_text(formulation, formulations[k]);
    runs[k] = model_run_merged(document, analysis);
    free(analysis);
    model_run_require(&runs[k]);
    const mbs_report *report = &runs[k].result->report;
    assert_true(report->energy_change_max <= 1e-8 * report->energy_scale);
  }
  for (size_t s = 0; s < count; s++) {
    const double value = model_run_value(&runs[0], sensors[s], -1, 0);
    assert_close(model_run_value(&runs[1], sensors[s], -1, 0), value, tolerance * (1 + fabs(value)));
  }
  for (int k = 0; k < FORMULATIONS; k++) model_run_free(&runs[k]);
}

/* ---- belts ----------------------------------------------------------------------------------------------------- */

static void test_arm(void **state) {
  (void)state;
  MODEL(arm,
      {"space": "planar", "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "arm", "mass": 1, "inertia": 0.1, "points": {"O": [0, 0], "P": [0.5, 0.1]}},
         {"name": "pulley", "mass": 1, "inertia": 0.1, "points": {"C": [0, 0]}, "initial": {"angle": 0.4}}],
       "joints": [
         {"name": "elbow", "type": "revolute", "points": ["ground.O", "arm.O"]},
         {"name": "pin", "type": "revolute", "points": ["arm.P", "pulley.C"]},
         {"name": "belt", "type": "belt",
          "pulleys": [{"point": "ground.O", "radius": %g}, {"point": "pulley.C", "radius": %g, "sense": %d}]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "elbow", "function": "-3*t"}],
       "sensors": [{"name": "angle", "value": "pulley.phi"}],
       "analysis": {"type": "%s", "t_end": 9, "dt": 1.5, "formulation": "%s"}});
  static const double radii[] = {0.12, 0.12, 0.08};
  static const char *const types[] = {"kinematics", "dynamics"};
  for (int k = 0; k < 16; k++) {
    const int sense = k / 4 % 2 ? -1 : 1;
    const double r1 = radii[0], r2 = radii[1 + k / 8];
    model_run run = model_run_text(arm, r1, r2, sense, types[k / 2 % 2], formulations[k % 2]);
    model_run_require(&run);
    for (long row = 0; row <= 6; row++) {
      const double a = -4.5 * (double)row;
      assert_close(model_run_value(&run, "angle", row, 0), 0.4 + a * (1 - sense * r1 / r2), 1e-6);
    }
    model_run_free(&run);
  }
}

static void test_drive(void **state) {
  (void)state;
  MODEL(drive,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"A": [0, 0], "B": [0.8, 0]}},
       "bodies": [
         {"name": "one", "mass": 1, "inertia": 0.02, "points": {"C": [0, 0]}},
         {"name": "two", "mass": 2, "inertia": 0.05, "points": {"C": [0, 0]}}],
       "joints": [
         {"name": "pin1", "type": "revolute", "points": ["ground.A", "one.C"]},
         {"name": "pin2", "type": "revolute", "points": ["ground.B", "two.C"]},
         {"name": "belt", "type": "belt", "tension": 100,
          "pulleys": [{"point": "one.C", "radius": 0.1}, {"point": "two.C", "radius": 0.25, "sense": %d}]}],
       "forces": [{"name": "motor", "type": "torque", "body": "one", "value": 3}],
       "sensors": [{"name": "angle", "value": "one.phi"}, {"name": "alpha", "value": "one.alpha"},
                   {"name": "T1", "value": "belt.tension1"}, {"name": "T2", "value": "belt.tension2"},
                   {"name": "l", "value": "belt.l"},
                   {"name": "fx", "value": "pin2.fx"}, {"name": "fy", "value": "pin2.fy"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.5, "formulation": "%s"}});
  const double J1 = 0.02, J2 = 0.05, r1 = 0.1, r2 = 0.25, M = 3, D = 0.8, pi = 3.14159265358979323846;
  for (int k = 0; k < 4; k++) {
    const int sense = k / 2 ? -1 : 1;
    model_run run = model_run_text(drive, sense, formulations[k % 2]);
    model_run_require(&run);
    const double alpha = M / (J1 + J2 * r1 * r1 / (r2 * r2)), pull = J2 * alpha * r1 / (r2 * r2);
    /* r1 (T1 - T2) + M = J1 alpha: strand 1 leaves pulley 1 */
    const double T1 = 100 - pull / 2, T2 = 100 + pull / 2, e = sense * r2 - r1, L = sqrt(D * D - e * e);
    for (long row = 0; row <= 2; row++) {
      assert_close(model_run_value(&run, "alpha", row, 0), alpha, 1e-9 * alpha);
      assert_close(model_run_value(&run, "T1", row, 0), T1, 1e-8);
      assert_close(model_run_value(&run, "T2", row, 0), T2, 1e-8);
      /* -(-T1 u1 + T2 u2), u1 = (L, -e)/D, u2 = (-L, -e)/D */
      assert_close(model_run_value(&run, "fx", row, 0), (T1 + T2) * L / D, 1e-7);
      assert_close(model_run_value(&run, "fy", row, 0), (T2 - T1) * e / D, 1e-7);
      /* open: 2 L + pi (r1 + r2) + 2 (r2 - r1) asin(e/D), crossed: 2 L + (r1 + r2) (pi + 2 asin((r1 + r2)/D)) */
      const double turn = asin(fabs(e) / D),
                   wraps = sense > 0 ? pi * (r1 + r2) + 2 * e * turn : (r1 + r2) * (pi + 2 * turn);
      assert_close(model_run_value(&run, "l", row, 0), 2 * L + wraps, 1e-9);
    }
    assert_close(model_run_value(&run, "angle", 2, 0), alpha / 2, 1e-7);
    for (size_t i = 0; i < run.result->report.note_count; i++) fail_msg("%s", run.result->report.notes[i]);
    model_run_free(&run);
  }
}

/* Without tension one strand of a belt that drives is pushed, which is noted. */
static void test_push_is_noted(void **state) {
  (void)state;
  MODEL(drive,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"A": [0, 0], "B": [0.8, 0]}},
       "bodies": [
         {"name": "one", "mass": 1, "inertia": 0.02, "points": {"C": [0, 0]}},
         {"name": "two", "mass": 2, "inertia": 0.05, "points": {"C": [0, 0]}}],
       "joints": [
         {"name": "pin1", "type": "revolute", "points": ["ground.A", "one.C"]},
         {"name": "pin2", "type": "revolute", "points": ["ground.B", "two.C"]},
         {"name": "belt", "type": "belt",
          "pulleys": [{"point": "one.C", "radius": 0.1}, {"point": "two.C", "radius": 0.25}]}],
       "forces": [{"name": "motor", "type": "torque", "body": "one", "value": "if(t < 0.55, 0, 1)"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}});
  model_run run = model_run_text(drive);
  model_run_require(&run);
  const mbs_report *report = &run.result->report;
  size_t found = 0;
  for (size_t i = 0; i < report->note_count; i++)
    found += strstr(report->notes[i], "'belt' at t = 0.6: the tension of a strand is negative") != NULL;
  assert_int_equal(found, 1);
  model_run_free(&run);
}

/* A belt over three pulleys, an idler outside it, in a mechanism whose bodies all move: the idler is on a slide that
 * changes the length of the belt, against its tension. */
static void test_moving_belt(void **state) {
  (void)state;
  MODEL(moving,
      {"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "arm", "mass": 2, "inertia": 0.3,
          "points": {"O": [-0.4, 0], "A": [-0.2, 0], "B": [0.4, 0], "S": [0.1, 0.4]}, "vectors": {"n": [0, 1]}},
         {"name": "a", "mass": 0.5, "inertia": 0.01, "points": {"C": [0, 0], "off": [0.05, 0]}},
         {"name": "b", "mass": 0.4, "inertia": 0.02, "points": {"C": [0.01, 0]}},
         {"name": "slide", "mass": 0.3, "inertia": 0.01, "points": {"C": [0, 0]}, "vectors": {"n": [0, 1]}},
         {"name": "idler", "mass": 0.2, "inertia": 0.002, "points": {"C": [0, 0]}}],
       "joints": [
         {"name": "shoulder", "type": "revolute", "points": ["ground.O", "arm.O"], "initial": {"position": 0.3}},
         {"name": "pa", "type": "revolute", "points": ["arm.A", "a.C"]},
         {"name": "pb", "type": "revolute", "points": ["arm.B", "b.C"]},
         {"name": "guide", "type": "translational", "points": ["arm.S", "slide.C"], "vectors": ["arm.n", "slide.n"]},
         {"name": "pi", "type": "revolute", "points": ["slide.C", "idler.C"]},
         {"name": "belt", "type": "belt", "tension": 40,
          "pulleys": [{"point": "a.C", "radius": 0.1}, {"point": "b.C", "radius": 0.15},
                      {"point": "idler.C", "radius": 0.08, "sense": -1}]}],
       "forces": [{"name": "spring", "type": "spring-damper", "points": ["arm.S", "slide.C"], "stiffness": 2000,
                   "free_length": 0.05},
                  {"name": "motor", "type": "torque", "body": "b", "value": 2}],
       "sensors": [{"name": "T1", "value": "belt.tension1"}, {"name": "T3", "value": "belt.tension3"},
                   {"name": "mean", "value": "(belt.tension1 + belt.tension2 + belt.tension3)/3"},
                   {"name": "ib", "value": "b.phi"}, {"name": "arm_angle", "value": "arm.phi"},
                   {"name": "fy", "value": "shoulder.fy"}, {"name": "y", "value": "idler.y"}]});
  static const char *const sensors[] = {"T1", "T3", "mean", "ib", "arm_angle", "fy", "y"};
  compare_formulations(moving, sensors, sizeof sensors / sizeof *sensors, 1e-6);
  model_run run = model_run_merged(moving, JSON({"analysis": {"type": "dynamics", "t_end": 0.5, "dt": 0.1}}));
  model_run_require(&run);
  for (long row = 0; row <= 5; row++) assert_close(model_run_value(&run, "mean", row, 0), 40, 1e-9);
  model_run_free(&run);
}

/* w^2 = k / (J1 + J2 (r1/r2)^2), and the torque M = k q at rest. */
static void test_belt_with_spring(void **state) {
  (void)state;
  MODEL(sprung,
      {"space": "planar", "ground": {"points": {"A": [0, 0], "B": [0, 1]}},
       "bodies": [
         {"name": "one", "mass": 1, "inertia": 0.02, "points": {"C": [0, 0]}},
         {"name": "two", "mass": 2, "inertia": 0.05, "points": {"C": [0, 0]}}],
       "joints": [
         {"name": "pin1", "type": "revolute", "points": ["ground.A", "one.C"]},
         {"name": "pin2", "type": "revolute", "points": ["ground.B", "two.C"]},
         {"name": "belt", "type": "belt", "tension": 10,
          "pulleys": [{"point": "one.C", "radius": 0.1}, {"point": "two.C", "radius": 0.25}]}],
       "forces": [{"name": "spring", "type": "rotational-spring-damper", "joint": "pin1", "stiffness": 8},
                  {"name": "load", "type": "torque", "body": "two", "value": 5}],
       "sensors": [{"name": "angle", "value": "one.phi"}],
       "analysis": {"type": "linearization", "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(sprung, formulations[k]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "frequencies", 0, 0), sqrt(8 / (0.02 + 0.05 * 0.16)) / 6.283185307179586, 1e-9);
    assert_close(model_run_value(&run, "angle", 0, 0), 5 * 0.4 / 8, 1e-9);
    model_run_free(&run);
  }
}

/* ---- ropes ----------------------------------------------------------------------------------------------------- */

static void test_atwood(void **state) {
  (void)state;
  MODEL(atwood,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"A": [-0.1, 0], "B": [0.1, 0], "W": [0, 2]}, "vectors": {"v": [0, 1]}},
       "bodies": [
         {"name": "a", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"v": [0, 1]}},
         {"name": "b", "mass": 3, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"v": [0, 1]}},
         {"name": "wheel", "mass": 1.5, "inertia": 0.02, "points": {"C": [0, 0]}}],
       "joints": [
         {"name": "ra", "type": "translational", "points": ["ground.A", "a.C"], "vectors": ["ground.v", "a.v"]},
         {"name": "rb", "type": "translational", "points": ["ground.B", "b.C"], "vectors": ["ground.v", "b.v"]},
         {"name": "pin", "type": "revolute", "points": ["ground.W", "wheel.C"]},
         {"name": "rope", "type": "rope", "unilateral": %s,
          "path": [{"point": "a.C"}, {"pulley": "wheel.C", "radius": 0.1, "sense": -1, "grip": %s},
                   {"point": "b.C"}]}],
       "sensors": [{"name": "y", "value": "a.y"},
                   {"name": "Ta", "value": "rope.%s"}, {"name": "Tb", "value": "rope.%s"},
                   {"name": "load", "value": "pin.fy"}, {"name": "angle", "value": "wheel.phi"},
                   {"name": "l", "value": "rope.l"}],
       "analysis": {"type": "dynamics", "t_end": 0.4, "dt": 0.2, "formulation": "%s"}});
  const double g = 9.81, pi = 3.14159265358979323846;
  for (int k = 0; k < 8; k++) {
    const bool grips = k / 4;
    model_run run = model_run_text(atwood, k / 2 % 2 ? "true" : "false", grips ? "true" : "false",
                                   grips ? "tension1" : "tension", grips ? "tension2" : "tension", formulations[k % 2]);
    model_run_require(&run);
    const double a = g / (5 + (grips ? 2 : 0)), Ta = 2 * (g + a), Tb = 3 * (g - a);
    for (long row = 0; row <= 2; row++) {
      const double t = 0.2 * (double)row;
      assert_close(model_run_value(&run, "y", row, 0), a * t * t / 2, 1e-7);
      assert_close(model_run_value(&run, "angle", row, 0), grips ? -10 * a * t * t / 2 : 0, 1e-6);
      assert_close(model_run_value(&run, "Ta", row, 0), Ta, 1e-8);
      assert_close(model_run_value(&run, "Tb", row, 0), Tb, 1e-8);
      assert_close(model_run_value(&run, "load", row, 0), 1.5 * g + Ta + Tb, 1e-7);
      assert_close(model_run_value(&run, "l", row, 0), 4 + 0.1 * pi, 1e-9);
    }
    assert_int_equal(model_run_events(&run, "rope", "slack"), 0);
    model_run_free(&run);
  }
}

/* The block M hangs in a loop of the rope; the other end carries m over a fixed pulley. */
static void test_movable_pulley(void **state) {
  (void)state;
  MODEL(block,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"A": [-0.1, 2], "O": [0, 0], "F": [0.25, 2], "B": [0.4, 0]}, "vectors": {"v": [0, 1]}},
       "bodies": [
         {"name": "M", "mass": 5, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"v": [0, 1]}},
         {"name": "m", "mass": 1.5, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"v": [0, 1]}}],
       "joints": [
         {"name": "rM", "type": "translational", "points": ["ground.O", "M.C"], "vectors": ["ground.v", "M.v"]},
         {"name": "rm", "type": "translational", "points": ["ground.B", "m.C"], "vectors": ["ground.v", "m.v"]}%s],
       "forces": [%s],
       "sensors": [{"name": "y", "value": "M.y"}, {"name": "ym", "value": "m.y"},
                   {"name": "tension", "value": "rope.tension"}],
       "analysis": {"type": "dynamics", "t_end": 0.5, "dt": 0.25, "formulation": "%s"}});
  MODEL(path,
      "path": [{"point": "ground.A"}, {"pulley": "M.C", "radius": 0.1, "grip": false},
               {"pulley": "ground.F", "radius": 0.15, "sense": -1, "grip": false}, {"point": "m.C"}]);
  const double g = 9.81, M = 5, m = 1.5, a = g * (M - 2 * m) / (M + 4 * m);
  for (int k = 0; k < 2 * FORMULATIONS; k++) {
    char *rope = models_text(PART(, {"name": "rope", "type": "rope", %s}), path);
    char *elastic = models_text(PART({"name": "rope", "type": "rope", "stiffness": 1e5, "damping": 300, %s}), path);
    model_run run = model_run_text(block, k / 2 ? "" : rope, k / 2 ? elastic : "", formulations[k % 2]);
    free(rope);
    free(elastic);
    model_run_require(&run);
    const double tolerance = k / 2 ? 5e-4 : 1e-7; /* 20 N stretch an elastic rope by 2e-4 m */
    assert_close(model_run_value(&run, "y", 2, 0), -a * 0.125, tolerance);
    assert_close(model_run_value(&run, "ym", 2, 0), a * 0.25, tolerance);
    assert_close(model_run_value(&run, "tension", 2, 0), m * (g + 2 * a), k / 2 ? 1e-3 : 1e-8);
    model_run_free(&run);
  }
}

/* The drum turns counterclockwise by 3 t^2: the rope leaves it on the right side, so its load rises. */
static void test_hoist(void **state) {
  (void)state;
  MODEL(hoist,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"W": [0, 2], "B": [0.2, 0]}, "vectors": {"v": [0, 1]}},
       "bodies": [
         {"name": "load", "mass": 4, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"v": [0, 1]}},
         {"name": "drum", "mass": 1, "inertia": 0.02, "points": {"C": [0, 0]}}],
       "joints": [
         {"name": "guide", "type": "translational", "points": ["ground.B", "load.C"],
          "vectors": ["ground.v", "load.v"]},
         {"name": "pin", "type": "revolute", "points": ["ground.W", "drum.C"]},
         {"name": "rope", "type": "rope", "path": [{"point": "load.C"}, {"drum": "drum.C", "radius": 0.2}]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "pin", "function": "3*t^2"}],
       "sensors": [{"name": "y", "value": "load.y"}, {"name": "tension", "value": "rope.tension"},
                   {"name": "l", "value": "rope.l"}, {"name": "torque", "value": "motor.effort"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.5, "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(hoist, formulations[k]);
    model_run_require(&run);
    const double T = 4 * (9.81 + 1.2);
    assert_close(model_run_value(&run, "y", 2, 0), 0.6, 1e-7);
    assert_close(model_run_value(&run, "l", 2, 0), 1.4, 1e-7);
    assert_close(model_run_value(&run, "tension", 2, 0), T, 1e-7);
    assert_close(model_run_value(&run, "torque", 2, 0), 0.2 * T + 0.02 * 6, 1e-7);
    model_run_free(&run);
  }
}

/* A bob on a rope of length 1, from its lowest place with a speed between sqrt(2 g L) and sqrt(5 g L). */
static void test_slack(void **state) {
  (void)state;
  MODEL(bob,
      {"space": "%s", "gravity": %s,
       "ground": {"points": {"O": %s}},
       "bodies": [{"name": "bob", "mass": 2, "inertia": %s, "points": {"C": %s},
                   "initial": {"position": %s, "velocity": %s}}],
       "joints": [{"name": "rope", "type": "rope", "path": [{"point": "ground.O"}, {"point": "bob.C"}]}],
       "sensors": [{"name": "x", "value": "bob.x"}, {"name": "y", "value": "bob.y"},
                   {"name": "tension", "value": "rope.tension"}],
       "analysis": {"type": "dynamics", "t_end": 0.9, "dt": 0.05, "formulation": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  const double g = 9.81, v0 = 6, cosine = (2 * g - v0 * v0) / (3 * g), sine = sqrt(1 - cosine * cosine),
               v = sqrt(v0 * v0 - 2 * g * (1 - cosine));
  for (int k = 0; k < 2 * FORMULATIONS; k++) {
    const bool space = k / 2;
    model_run run = space ? model_run_text(bob, "spatial", "[0, -9.81, 0]", "[0, 0, 0]", "[1, 1, 1]", "[0, 0, 0]",
                                           "[0, -1, 0]", "[6, 0, 0]", formulations[k % 2])
                          : model_run_text(bob, "planar", "[0, -9.81]", "[0, 0]", "1", "[0, 0]", "[0, -1]", "[6, 0]",
                                           formulations[k % 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "tension", 0, 0), 2 * (g + v0 * v0), 1e-8);
    const double slack = model_run_event(&run, "rope", "slack", 0);
    assert_true(slack > 0.4 && slack < 0.8);
    /* it leaves the circle at (sine, -cosine) with v (cosine, sine) */
    const double s = 0.9 - slack;
    assert_close(model_run_value(&run, "x", -1, 0), sine + v * cosine * s, 1e-7);
    assert_close(model_run_value(&run, "y", -1, 0), -cosine + v * sine * s - 0.5 * g * s * s, 1e-7);
    assert_close(model_run_value(&run, "tension", -1, 0), 0, 1e-12);
    model_run_free(&run);
  }
}

/* A bob is thrown up from a rope on which it hangs, and comes back after 2 v/g. */
static void test_taut(void **state) {
  (void)state;
  MODEL(thrown,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "bob", "mass": 2, "inertia": 1, "points": {"C": [0, 0]},
                   "initial": {"position": [0, -1], "velocity": [0, 3]}}],
       "joints": [{"name": "rope", "type": "rope", "length": %g, "path": [{"point": "ground.O"}, {"point": "bob.C"}]}],
       "sensors": [{"name": "y", "value": "bob.y"},
                   {"name": "tension", "value": "rope.tension"}],
       "analysis": {"type": "dynamics", "t_end": 1.5, "dt": 0.1, "formulation": "%s"}});
  const double g = 9.81, v = 3;
  for (int k = 0; k < 2 * FORMULATIONS; k++) {
    const double more = k / 2 ? 0.3 : 0, fall = sqrt(v * v + 2 * g * more);
    model_run run = model_run_text(thrown, 1 + more, formulations[k % 2]);
    model_run_require(&run);
    assert_int_equal(model_run_events(&run, "rope", "taut"), 1);
    assert_close(model_run_event(&run, "rope", "taut", 0), (v + fall) / g, 1e-8);
    assert_close(model_run_value(&run, "y", 0, 0), -1, 1e-12);
    assert_close(model_run_value(&run, "tension", 1, 0), 0, 1e-12);
    assert_close(model_run_value(&run, "y", -1, 0), -1 - more, 1e-8);
    assert_close(model_run_value(&run, "tension", -1, 0), 2 * g, 1e-6);
    assert_close(model_run_value(&run, "energy", -1, 3), fall * fall, 1e-6);
    model_run_free(&run);
  }
}

static void test_elastic_fall(void **state) {
  (void)state;
  MODEL(fall,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "bob", "mass": 2, "inertia": 1, "points": {"C": [0, 0]},
                   "initial": {"position": [0, -0.01]}}],
       "forces": [{"name": "rope", "type": "rope", "length": 1, "stiffness": 300,
                   "path": [{"point": "ground.O"}, {"point": "bob.C"}]}],
       "sensors": [{"name": "y", "value": "bob.y"}, {"name": "tension", "value": "rope.tension"},
                   {"name": "l", "value": "rope.l"}],
       "analysis": {"type": "%s", "t_end": 1.5, "dt": 0.001, "integrator": {"rtol": 1e-9, "atol": 1e-11}}});
  const double g = 9.81, w = sqrt(150), L = 1, sag = g / 150, speed = sqrt(2 * g * 0.99);
  model_run run = model_run_text(fall, "dynamics");
  model_run_require(&run);
  const double taut = model_run_event(&run, "rope", "taut", 0), slack = model_run_event(&run, "rope", "slack", 0);
  assert_close(taut, speed / g, 1e-8);
  /* x = sag (1 - cos) + speed/w sin, zero again at tan(w s / 2) = -speed / (w sag) */
  assert_close(slack - taut, 2 * (3.14159265358979323846 - atan(speed / (w * sag))) / w, 1e-7);
  double lowest = 0;
  for (long row = 0; row <= 1500; row++) lowest = fmin(lowest, model_run_value(&run, "y", row, 0));
  assert_close(lowest, -(L + sag + sqrt(sag * sag + speed * speed / (w * w))), 1e-5);
  assert_true(run.result->report.energy_change_max <= 1e-7 * run.result->report.energy_scale);
  model_run_free(&run);
  run = model_run_text(fall, "equilibrium");
  model_run_require(&run);
  assert_close(model_run_value(&run, "y", 0, 0), -L - sag, 1e-9);
  assert_close(model_run_value(&run, "tension", 0, 0), 2 * g, 1e-8);
  assert_close(model_run_value(&run, "l", 0, 0), L + sag, 1e-9);
  model_run_free(&run);
}

/* Everything moves: a drum on an arm, a pulley that slides and one that grips, a bob; both kinds of rope. */
static void test_moving_rope(void **state) {
  (void)state;
  MODEL(moving,
      {"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 0], "Q": [1.2, 0.6]}},
       "bodies": [
         {"name": "arm", "mass": 2, "inertia": 0.3, "points": {"O": [-0.4, 0], "A": [-0.2, 0.1], "B": [0.4, 0]}},
         {"name": "drum", "mass": 0.5, "inertia": 0.01, "points": {"C": [0, 0]}},
         {"name": "wheel", "mass": 0.4, "inertia": 0.02, "points": {"C": [0.01, 0]}},
         {"name": "bob", "mass": 1, "inertia": 0.01, "points": {"C": [0, 0.02]},
          "initial": {"position": [1.5, -0.8]}}],
       "joints": [
         {"name": "shoulder", "type": "revolute", "points": ["ground.O", "arm.O"], "initial": {"position": 0.3}},
         {"name": "pa", "type": "revolute", "points": ["arm.A", "drum.C"]},
         {"name": "pb", "type": "revolute", "points": ["arm.B", "wheel.C"]}%s],
       "forces": [%s{"name": "spring", "type": "rotational-spring-damper", "joint": "pa", "stiffness": 10},
                  {"name": "stay", "type": "rotational-spring-damper", "joint": "shoulder", "stiffness": 50}],
       "sensors": [{"name": "tension", "value": "rope.tension%s"}, {"name": "drum_angle", "value": "drum.phi"},
                   {"name": "arm_angle", "value": "arm.phi"}, {"name": "x", "value": "bob.x"},
                   {"name": "y", "value": "bob.y"}, {"name": "fy", "value": "shoulder.fy"},
                   {"name": "l", "value": "rope.l"}]});
  MODEL(path,
      "path": [{"drum": "drum.C", "radius": 0.06, "sense": -1}, {"pulley": "wheel.C", "radius": 0.1, "sense": %s},
               {"pulley": "ground.Q", "radius": 0.05, "sense": -1, "grip": false}, {"point": "bob.C"}]);
  static const char *const sensors[] = {"tension", "drum_angle", "arm_angle", "x", "y", "fy", "l"};
  for (int k = 0; k < 2; k++) {
    char *elements = models_text(path, k ? JSON(1, "grip" : false) : "1");
    char *rope = models_text(k        ? PART({"name": "rope", "type": "rope", "stiffness": 3000, "damping": 5, %s},)
                                      : PART(, {"name": "rope", "type": "rope", "unilateral": false, %s}), elements);
    char *document = models_text(moving, k ? "" : rope, k ? rope : "", k ? "" : "2");
    compare_formulations(document, sensors, sizeof sensors / sizeof *sensors, 1e-6);
    free(document);
    free(rope);
    free(elements);
  }
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static void expect_error(const char *joint, const char *force, const char *pointer, const char *words) {
  MODEL(document,
      {"space": "planar", "ground": {"points": {"O": [0, 0], "P": [0.3, 0], "Q": [1, 0]}},
       "bodies": [{"name": "one", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}}],
       "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "one.C"]}%s%s],
       "forces": [%s],
       "analysis": {"type": "assembly"}});
  model_run run = model_run_text(document, *joint ? "," : "", joint, force);
  if (run.model) fail_msg("no error: %s%s", joint, force);
  if (strcmp(run.error.pointer, pointer) != 0 || !strstr(run.error.message, words))
    fail_msg("%s: %s", run.error.pointer, run.error.message);
  model_run_free(&run);
}

static void expect_belt_error(const char *pulleys, const char *pointer, const char *words) {
  MODEL(format,
      {"name": "belt", "type": "belt", "pulleys": %s});
  char *belt = models_text(format, pulleys);
  expect_error(belt, "", pointer, words);
  free(belt);
}

static void test_belt_errors(void **state) {
  (void)state;
  expect_belt_error(JSON([{"point": "one.C", "radius": 0.1}]), "/joints/1/pulleys", "2");
  expect_belt_error(JSON([{"point": "one.C", "radius": 0.1}, {"point": "ground.P", "radius": 0.21}]),
                    "/joints/1/pulleys/1", "overlap");
  expect_belt_error(JSON([{"point": "one.C", "radius": 0.1}, {"point": "ground.O", "radius": 0.21}]),
                    "/joints/1/pulleys/1", "overlap");
  expect_belt_error(JSON([{"point": "one.C", "radius": 0.1}, {"point": "ground.Q", "radius": 0}]),
                    "/joints/1/pulleys/1/radius", "0");
  expect_belt_error(JSON([{"point": "one.C", "radius": 0.1}, {"point": "ground.Q"}]), "/joints/1/pulleys/1", "radius");
  expect_belt_error(JSON([{"point": "one.C", "radius": 0.1}, {"point": "ground.R", "radius": 0.1}]),
                    "/joints/1/pulleys/1/point", "'R'");
  expect_belt_error(JSON([{"point": "one.C", "radius": 0.1, "sense": 0}, {"point": "ground.Q", "radius": 0.1}]),
                    "/joints/1/pulleys/0/sense", "1");
  expect_belt_error(JSON([{"point": "ground.O", "radius": 0.1}, {"point": "ground.Q", "radius": 0.1}]),
                    "/joints/1/pulleys", "'ground'");
}

static void expect_rope_error(const char *path, const char *pointer, const char *words) {
  MODEL(format,
      {"name": "rope", "type": "rope", "path": %s});
  char *rope = models_text(format, path);
  expect_error(rope, "", pointer, words);
  free(rope);
}

static void test_rope_errors(void **state) {
  (void)state;
  expect_rope_error(JSON([{"point": "one.C"}]), "/joints/1/path", "2");
  expect_rope_error(JSON([{"pulley": "one.C", "radius": 0.1}, {"point": "ground.Q"}]), "/joints/1/path/0/pulley",
                    "ends at a point or on a drum");
  expect_rope_error(JSON([{"point": "ground.P"}, {"drum": "one.C", "radius": 0.1}, {"point": "ground.Q"}]),
                    "/joints/1/path/1/drum", "a drum is an end");
  expect_rope_error(JSON([{"drum": "one.C"}, {"point": "ground.Q"}]), "/joints/1/path/0", "radius");
  expect_rope_error(JSON([{"point": "one.C", "radius": 0.1}, {"point": "ground.Q"}]), "/joints/1/path/0/radius",
                    "point");
  expect_rope_error(JSON([{"point": "one.C", "drum": "one.C"}, {"point": "ground.Q"}]), "/joints/1/path/0",
                    "one of them");
  expect_rope_error(JSON([{}, {"point": "ground.Q"}]), "/joints/1/path/0", "'point'");
  expect_rope_error(JSON([{"drum": "one.C", "radius": 0.4}, {"point": "ground.P"}]), "/joints/1/path/1", "no tangent");
  expect_rope_error(JSON([{"point": "one.C"}, {"point": "ground.O"}]), "/joints/1/path/1", "coincide");
  expect_rope_error(JSON([{"point": "ground.P"}, {"point": "ground.O"}]), "/joints/1/path", "'ground'");
  expect_error(
      "", JSON({
        "name": "rope",
        "type": "rope",
        "stiffness": 1,
        "path": [{"point": "ground.P"}, {"pulley": "one.C", "radius": 0.1, "grip": true}, {"point": "ground.Q"}]
      }),
      "/forces/0/path/1/grip", "elastic");
  expect_error("", JSON({"name": "rope", "type": "rope", "path": [{"point": "one.C"}, {"point": "ground.Q"}]}),
               "/forces/0", "stiffness");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arm),
      cmocka_unit_test(test_drive),
      cmocka_unit_test(test_push_is_noted),
      cmocka_unit_test(test_moving_belt),
      cmocka_unit_test(test_belt_with_spring),
      cmocka_unit_test(test_belt_errors),
      cmocka_unit_test(test_atwood),
      cmocka_unit_test(test_movable_pulley),
      cmocka_unit_test(test_hoist),
      cmocka_unit_test(test_slack),
      cmocka_unit_test(test_taut),
      cmocka_unit_test(test_elastic_fall),
      cmocka_unit_test(test_moving_rope),
      cmocka_unit_test(test_rope_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
