/* test_turns.c - angles of joints in space over full turns, by closed forms: however long the steps of an integrator or
 * between reports are, whatever turns the bodies, in both formulations; and where angles start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "close.h"
#include "model_run.h"

static const double pi = 3.14159265358979323846;
static const char *const formulations[] = {"joint", "body"};

/* Integrators with long steps and with short ones, and the tolerance that a radian of motion is given: rtol, but many
 * steps of bdf, whose errors add. */
static const struct {
  const char *text;
  double tolerance;
} integrators[] = {{"'method': 'dopri5', 'rtol': 2e-3, 'atol': 2e-3", 2e-3},
                   {"'method': 'dopri5', 'rtol': 1e-3, 'atol': 1e-3", 1e-3},
                   {"'method': 'dop853', 'rtol': 2e-3, 'atol': 2e-3", 2e-3},
                   {"'method': 'dop853', 'rtol': 1e-3, 'atol': 1e-3", 1e-3},
                   {"'method': 'bdf', 'rtol': 1e-5, 'atol': 1e-5", 1e-3},
                   {"'method': 'dop853', 'rtol': 1e-10, 'atol': 1e-10", 1e-10},
                   {"'method': 'dopri5', 'rtol': 1e-10, 'atol': 1e-10", 1e-10}};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

/* How far an angle may be off after a way of so many radians. A step is some radians long and may add its tolerance, in
 * Euler parameters, of which angles are twice as much. It is less than half a turn here: a lost turn is always seen. */
static double allowed(int integrator, double way) {
  double error = 5 * integrators[integrator].tolerance * way;
  assert_true(error < pi);
  return error + 1e-12;
}

/* A wheel of moment 1 on the ground, and one of the same on it; what is between the brackets of the joints, and what
 * follows the joints. */
#define WHEELS(initial_a, initial_b, joints, more)                                                                    \
  "{'space': 'spatial', 'gravity': [0, 0, 0], 'ground': {'points': {'O': [0, 0, 0], 'P': [1, 0, 0]}, 'vectors': "     \
  "{'x': [1, 0, 0], 'z': [0, 0, 1]}}, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], 'points': {'O': [0, " \
  "0, "                                                                                                               \
  "0]}, 'vectors': {'x': [1, 0, 0], 'y': [0, 1, 0], 'z': [0, 0, 1]}" initial_a                                        \
  "}, {'name': 'b', 'mass': 1, 'inertia': "                                                                           \
  "[1, 1, 1], 'points': {'O': [0, 0, 0]}, 'vectors': {'z': [0, 0, 1]}" initial_b "}], 'joints': [" joints "], " more
#define REVOLUTE_A "{'name': 'A', 'type': 'revolute', 'points': ['ground.O', 'a.O'], 'vectors': ['ground.z', 'a.z']}"
#define REVOLUTE_B "{'name': 'B', 'type': 'revolute', 'points': ['a.O', 'b.O'], 'vectors': ['a.z', 'b.z']}"
#define BESIDE_A "{'name': 'B', 'type': 'revolute', 'points': ['ground.P', 'b.O'], 'vectors': ['ground.z', 'b.z']}"
#define ANGLES "'sensors': [{'name': 'qa', 'value': 'A.q'}, {'name': 'qb', 'value': 'B.q'}]"

/* ---- dynamics ------------------------------------------------------------------------------------------------- */

/* In opposite directions at constant speed, and with a torque that turns them round. */
static void test_spins(void **unused) {
  (void)unused;
  for (int k = 0; k < 2 * INTEGRATORS; k++) {
    model_run run = model_run_text(
        WHEELS(", 'initial': {'angular_velocity': [0, 0, 50]}", ", 'initial': {'angular_velocity': [0, 0, -20]}",
               REVOLUTE_A ", " REVOLUTE_B,
               "'forces': [{'name': 'n', 'type': 'torque', 'body': 'b', 'value': [0, 0, '90*cos(2*t)']}], " ANGLES
               ", 'analysis': {'formulation': '%s', 't_end': 4, 'dt': 2, 'integrator': {%s}}}"),
        formulations[k % 2], integrators[k / 2].text);
    assert_int_equal(run.status, MBS_OK);
    for (int row = 0; row < 3; row++) {
      double t = 2 * row, error = allowed(k / 2, 75 * t);
      assert_close(model_run_value(&run, "qa", row, 0), 50 * t, error);
      assert_close(model_run_value(&run, "qb", row, 0), -70 * t + 90 * (1 - cos(2 * t)) / 4, error);
    }
    model_run_free(&run);
  }
}

/* A torsion spring is wound up by many turns and unwinds: I q'' = -k q. A lost turn would be a jump of its torque. */
static void test_torsion_pendulum(void **unused) {
  (void)unused;
  for (int k = 0; k < 2 * INTEGRATORS; k++) {
    model_run run = model_run_text(
        WHEELS(", 'initial': {'angular_velocity': [0, 0, 100]}", "",
               REVOLUTE_A ", {'name': 'B', 'type': 'fixed', 'points': ['a.O', 'b.O']}",
               "'forces': [{'name': 's', 'type': 'rotational-spring-damper', 'joint': 'A', 'stiffness': 2}], "
               "'sensors': [{'name': 'qa', 'value': 'A.q'}], 'analysis': {'formulation': '%s', 't_end': 6, 'dt': 1, "
               "'integrator': {%s}}}"),
        formulations[k % 2], integrators[k / 2].text);
    assert_int_equal(run.status, MBS_OK);
    for (int row = 0; row < 7; row++)
      assert_close(model_run_value(&run, "qa", row, 0), 100 * sin(row), allowed(k / 2, 50 * row));
    model_run_free(&run);
  }
}

/* What a full turn moves: a screw, whose thread is a constraint row, a gear, and a universal joint, about its first
 * arm. */
static void test_other_joints(void **unused) {
  (void)unused;
  static const struct {
    const char *joints, *value;
    double share; /* of the angle that the wheel alone would turn by, in `value` */
  } cases[] = {
      {"{'name': 'A', 'type': 'screw', 'pitch': 0.5, 'points': ['ground.O', 'a.O'], 'vectors': ['ground.z', 'a.z']}, "
       "{'name': 'B', 'type': 'spherical', 'points': ['ground.P', 'b.O']}",
       "a.z", 0.5 / (2 * 3.14159265358979323846) / (1 + 0.25 / (4 * 3.14159265358979323846 * 3.14159265358979323846))},
      {REVOLUTE_A ", " BESIDE_A ", {'name': 'G', 'type': 'gear', 'vectors': ['a.z', 'b.z'], 'ratio': -2.5}", "B.q",
       -2.5 / (1 + 2.5 * 2.5)},
      {"{'name': 'A', 'type': 'cylindrical', 'points': ['ground.O', 'a.O'], 'vectors': ['ground.z', 'a.z']}, "
       "{'name': 'B', 'type': 'spherical', 'points': ['ground.P', 'b.O']}",
       "A.q2", 1},
      {"{'name': 'A', 'type': 'universal', 'points': ['ground.O', 'a.O'], 'vectors': ['ground.z', 'a.x']}, {'name': "
       "'B', 'type': 'spherical', 'points': ['ground.P', 'b.O']}",
       "A.q1", 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int k = 0; k < 2 * INTEGRATORS; k++) {
      model_run run = model_run_text(
          WHEELS("", "", "%s",
                 "'forces': [{'name': 'n', 'type': 'torque', 'body': 'a', 'value': [0, 0, '200*cos(2*t)']}], "
                 "'sensors': [{'name': 'value', 'value': '%s'}], 'analysis': {'formulation': '%s', 't_end': 4, 'dt': "
                 "2, 'integrator': {%s}}}"),
          cases[c].joints, cases[c].value, formulations[k % 2], integrators[k / 2].text);
      assert_int_equal(run.status, MBS_OK);
      for (int row = 0; row < 3; row++)
        assert_close(model_run_value(&run, "value", row, 0), cases[c].share * 50 * (1 - cos(4 * row)),
                     allowed(k / 2, 65 * 2 * row));
      model_run_free(&run);
    }
}

/* Fixed steps of three turns tell nothing of turns: shorter ones are taken, and the report says so. */
static void test_long_fixed_steps(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    model_run run = model_run_text(
        WHEELS(", 'initial': {'angular_velocity': [0, 0, 20]}", "", REVOLUTE_A ", " REVOLUTE_B,
               ANGLES ", 'analysis': {'formulation': '%s', 't_end': 10, 'dt': 5, 'integrator': {'method': 'rk4', "
                      "'fixed_step': 1}}}"),
        formulations[f]);
    assert_int_equal(run.status, MBS_OK);
    assert_close(model_run_value(&run, "qa", -1, 0), 200, f ? pi : 1e-9);
    bool told = false;
    for (size_t n = 0; n < run.result->report.note_count; n++)
      told = told || strstr(run.result->report.notes[n], "'fixed_step'");
    assert_int_equal(told, f);
    model_run_free(&run);
  }
}

/* ---- driven motions ------------------------------------------------------------------------------------------- */

/* A wheel turned about a global axis: the joint's angle is no coordinate of the driver's, in either analysis; rows are
 * as far apart as they like. The gear's wheel has an angle of its own. */
static void test_driven_wheels(void **unused) {
  (void)unused;
  static const struct {
    const char *function;
    double at[3]; /* its values at 0, 2, 4 s */
  } cases[] = {{"'20*t'", {0, 40, 80}},
               {"'-35*t^2 + 3*t'", {0, -134, -548}},
               {"'100*sin(t)'", {0, 90.929742682568170, -75.680249530792827}},
               {"{'step': {'t0': 2.5, 't1': 3.5, 'f0': 0, 'f1': 50}}", {0, 0, 50}}};
  static const char *const analyses[] = {"kinematics", "inverse-dynamics"};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int k = 0; k < 8; k++) {
      double dt = k / 4 ? 2 : 0.125;
      model_run run = model_run_text(
          WHEELS("", "",
                 REVOLUTE_A ", " BESIDE_A ", {'name': 'G', 'type': 'gear', 'vectors': ['a.z', 'b.z'], 'ratio': -2.5}",
                 "'drivers': [{'name': 'm', 'type': 'rotation', 'body': 'a', 'axis': [0, 0, 1], 'function': "
                 "%s}], " ANGLES ", 'analysis': {'type': '%s', 'formulation': '%s', 't_end': 4, 'dt': %g}}"),
          cases[c].function, analyses[k / 2 % 2], formulations[k % 2], dt);
      assert_int_equal(run.status, MBS_OK);
      for (int i = 0; i < 3; i++) {
        long row = lround(2 * i / dt);
        assert_close(model_run_value(&run, "qa", row, 0), cases[c].at[i], 1e-7);
        assert_close(model_run_value(&run, "qb", row, 0), -2.5 * cases[c].at[i], 1e-7);
      }
      model_run_free(&run);
    }
}

/* A screw is turned by its advance. */
static void test_driven_screw(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    model_run run = model_run_text(
        WHEELS("", "",
               "{'name': 'A', 'type': 'screw', 'pitch': 0.1, 'points': ['ground.O', 'a.O'], 'vectors': ['ground.z', "
               "'a.z']}, " REVOLUTE_B,
               "'drivers': [{'name': 'm', 'type': 'z', 'point': 'a.O', 'function': 'smoothstep(t, 0, 0, 1, 2)'}, "
               "{'name': 'n', 'type': 'joint', 'joint': 'B', 'function': '-30*t'}], " ANGLES
               ", 'analysis': {'type': 'kinematics', 'formulation': '%s', 't_end': 2, 'dt': %g}}"),
        formulations[k % 2], k / 2 ? 1.0 : 0.05);
    assert_int_equal(run.status, MBS_OK);
    assert_close(model_run_value(&run, "qa", -1, 0), 40 * pi, 1e-7);
    assert_close(model_run_value(&run, "qb", -1, 0), -60, 1e-7);
    model_run_free(&run);
  }
}

/* Two shafts 0.7 rad apart, joined by a universal joint whose first arm is in their plane to begin with: tan(b) =
 * tan(a) / cos(0.7), counted as a is. Either of the joints may be the cut. */
static void test_driven_shafts(void **unused) {
  (void)unused;
  const double k = 1 / cos(0.7);
  for (int i = 0; i < 8; i++) {
    model_run run = model_run_text(
        "{'space': 'spatial', 'ground': {'points': {'O': [0, 0, 0]}, 'vectors': {'x': [1, 0, 0], 't': ['cos(0.7)', "
        "'sin(0.7)', 0]}}, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], 'points': {'O': [0, 0, 0]}, "
        "'vectors': {'x': [1, 0, 0], 'y': [0, 1, 0]}}, {'name': 'b', 'mass': 1, 'inertia': [1, 1, 1], 'points': {'O': "
        "[0, 0, 0]}, 'vectors': {'x': [1, 0, 0], 'z': [0, 0, 1]}, 'initial': {'orientation': {'euler_parameters': "
        "['-cos(0.35)', 0, 0, '-sin(0.35)']}}}], 'joints': [{'name': 'A', 'type': 'revolute', 'points': ['ground.O', "
        "'a.O'], 'vectors': ['ground.x', 'a.x']}, {'name': 'U', 'type': 'universal', 'points': ['a.O', 'b.O'], "
        "'vectors': ['a.y', 'b.z'], 'cut': %s}, {'name': 'B', 'type': 'cylindrical', 'points': ['ground.O', 'b.O'], "
        "'vectors': ['ground.t', 'b.x'], 'cut': %s}], 'drivers': [{'name': 'm', 'type': 'rotation', 'body': 'a', "
        "'axis': [1, 0, 0], 'function': '60*sin(1.3*t)'}], 'sensors': [{'name': 'qa', 'value': 'A.q'}, {'name': 'qb', "
        "'value': 'B.q2'}], 'analysis': {'type': 'kinematics', 'formulation': '%s', 't_end': 4, 'dt': %g}}",
        i / 2 % 2 ? "true" : "false", i / 2 % 2 ? "false" : "true", formulations[i % 2], i / 4 ? 2.0 : 0.1);
    assert_int_equal(run.status, MBS_OK);
    double a = 60 * sin(1.3 * 4), b = a + atan2((k - 1) * sin(a) * cos(a), cos(a) * cos(a) + k * sin(a) * sin(a));
    assert_close(model_run_value(&run, "qa", -1, 0), a, 1e-7);
    assert_close(model_run_value(&run, "qb", -1, 0), b, 1e-7);
    model_run_free(&run);
  }
}

/* ---- at rest -------------------------------------------------------------------------------------------------- */

/* Springs unwind to where they are free, many turns away. */
static void test_equilibrium(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    model_run run = model_run_text(
        WHEELS("", "", REVOLUTE_A ", " REVOLUTE_B,
               "'forces': [{'name': 's', 'type': 'rotational-spring-damper', 'joint': 'A', 'stiffness': 3, "
               "'free_angle': 50}, {'name': 'r', 'type': 'rotational-spring-damper', 'joint': 'B', 'stiffness': 1, "
               "'free_angle': -20}], " ANGLES ", 'analysis': {'type': 'equilibrium', 'formulation': '%s'}}"),
        formulations[f]);
    assert_int_equal(run.status, MBS_OK);
    assert_close(model_run_value(&run, "qa", 0, 0), 50, 1e-8);
    assert_close(model_run_value(&run, "qb", 0, 0), -20, 1e-8);
    model_run_free(&run);
  }
}

/* ---- where angles start --------------------------------------------------------------------------------------- */

/* Orientations of the two wheels, further fields of their joints, and where the angles start. */
static const struct {
  const char *a, *b, *more_a, *more_b;
  double qa, qb;
} starts[] = {
    /* Either sign of Euler parameters: 0.4 rad, and 2.9 rad less that. */
    {"'euler_parameters': [0.98006657784124163, 0, 0, 0.19866933079506122]",
     "'euler_parameters': [0.12050276936736662, 0, 0, 0.99271299103758847]", "", "", 0.4, 2.5},
    {"'euler_parameters': [-0.98006657784124163, 0, 0, -0.19866933079506122]",
     "'euler_parameters': [0.12050276936736662, 0, 0, 0.99271299103758847]", "", "", 0.4, 2.5},
    {"'euler_parameters': [0.98006657784124163, 0, 0, 0.19866933079506122]",
     "'euler_parameters': [-0.12050276936736662, 0, 0, -0.99271299103758847]", "", "", 0.4, 2.5},
    /* Half a turn is pi, from wherever rounding comes. */
    {"'euler_parameters': [0, 0, 0, 1]", "'euler_parameters': [1e-17, 0, 0, -1]", "", "", 3.14159265358979323846, 0},
    {"'euler_parameters': [1e-17, 0, 0, -1]", "'euler_parameters': [1, 0, 0, 0]", "", "", 3.14159265358979323846,
     3.14159265358979323846},
    /* An axis and an angle tell whole turns; about another axis than the joint's they are none of it. */
    {"'axis': [0, 0, 1], 'angle': 13", "'axis': [0, 0, -1], 'angle': 27", "", "", 13, -40},
    {"'axis': [0, 0, 1], 'angle': 13", "'euler_parameters': [0.8, 0, 0, 0.6]", "", "", 13,
     1.2870022175865686 - 13 + 4 * 3.14159265358979323846},
    {"'axis': [0, 0, 1], 'angle': '5*pi'", "'axis': [0, 0, 1], 'angle': '4.5*pi'", "", "", 5 * 3.14159265358979323846,
     -0.5 * 3.14159265358979323846},
    /* So does the joint's own start. */
    {"'euler_parameters': [-1, 0, 0, 0]", "'axis': [0, 0, 1], 'angle': 0.5", ", 'initial': {'position': 20}",
     ", 'initial': {'position': -30}", 20, -30},
};

static void test_starts(void **unused) {
  (void)unused;
  for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
    for (int f = 0; f < 2; f++) {
      model_run run = model_run_text(
          WHEELS(", 'initial': {'orientation': {%s}}", ", 'initial': {'orientation': {%s}}",
                 "{'name': 'A', 'type': 'revolute', 'points': ['ground.O', 'a.O'], 'vectors': ['ground.z', 'a.z']%s}, "
                 "{'name': 'B', 'type': 'revolute', 'points': ['a.O', 'b.O'], 'vectors': ['a.z', 'b.z']%s}",
                 ANGLES ", 'analysis': {'type': 'assembly', 'formulation': '%s'}}"),
          starts[s].a, starts[s].b, starts[s].more_a, starts[s].more_b, formulations[f]);
      assert_int_equal(run.status, MBS_OK);
      assert_close(model_run_value(&run, "qa", 0, 0), starts[s].qa, 1e-9);
      assert_close(model_run_value(&run, "qb", 0, 0), starts[s].qb, 1e-9);
      model_run_free(&run);
    }
}

/* An orientation by a third of a turn or two about a diagonal, which only puts one axis in another's place, winds no
 * joint. */
static void test_start_about_another_axis(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    model_run run = model_run_text(
        WHEELS(", 'initial': {'orientation': {'axis': [1, 1, 1], 'angle': '%d*pi/3'}}", "",
               "{'name': 'A', 'type': 'revolute', 'points': ['ground.O', 'a.O'], 'vectors': ['ground.z', 'a.%s']}, "
               "{'name': 'B', 'type': 'fixed', 'points': ['a.O', 'b.O']}",
               "'sensors': [{'name': 'qa', 'value': 'A.q'}], 'analysis': {'type': 'assembly', 'formulation': '%s'}}"),
        k / 2 ? 4 : 2, k / 2 ? "x" : "y", formulations[k % 2]);
    assert_int_equal(run.status, MBS_OK);
    double start = model_run_value(&run, "qa", 0, 0);
    assert_true(start > -pi && start < pi + 1e-12);
    model_run_free(&run);
  }
}

/* The turns of a universal joint's two arms, and of a screw, which has climbed by them. */
static void test_starts_of_other_joints(void **unused) {
  (void)unused;
  static const struct {
    const char *body, *joint, *one, *two;
    double values[2];
  } cases[] = {
      {"",
       "'universal', 'vectors': ['ground.x', 'a.y'], 'initial': {'position': [20, -30]}",
       "A.q1",
       "A.q2",
       {20, -30}},
      {"'axis': [1, 0, 0], 'angle': 20", "'universal', 'vectors': ['ground.x', 'a.y']", "A.q1", "A.q2", {20, 0}},
      {"'axis': [0, 1, 0], 'angle': 20", "'universal', 'vectors': ['ground.x', 'a.y']", "A.q1", "A.q2", {0, 20}},
      {"",
       "'screw', 'pitch': 0.5, 'vectors': ['ground.z', 'a.z'], 'initial': {'position': 25}",
       "A.q",
       "a.z",
       {25, 12.5 / (2 * 3.14159265358979323846)}},
      {"'axis': [0, 0, 1], 'angle': 25",
       "'screw', 'pitch': 0.5, 'vectors': ['ground.z', 'a.z']",
       "A.q",
       "a.z",
       {25, 12.5 / (2 * 3.14159265358979323846)}}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int f = 0; f < 2; f++) {
      model_run run = model_run_text(
          WHEELS(", 'initial': {%s%s%s}", "",
                 "{'name': 'A', 'points': ['ground.O', 'a.O'], 'type': %s}, {'name': 'B', 'type': 'spherical', "
                 "'points': ['ground.P', 'b.O']}",
                 "'sensors': [{'name': 'one', 'value': '%s'}, {'name': 'two', 'value': '%s'}], 'analysis': {'type': "
                 "'assembly', 'formulation': '%s'}}"),
          cases[c].body[0] ? "'orientation': {" : "", cases[c].body, cases[c].body[0] ? "}" : "", cases[c].joint,
          cases[c].one, cases[c].two, formulations[f]);
      assert_int_equal(run.status, MBS_OK);
      assert_close(model_run_value(&run, "one", 0, 0), cases[c].values[0], 1e-9);
      assert_close(model_run_value(&run, "two", 0, 0), cases[c].values[1], 1e-9);
      model_run_free(&run);
    }
}

/* A gear pair on two parallel axles in space, its first wheel driven from beyond half a turn on: the second one is
 * where the ratio says, or the run says that it cannot tell. */
static void test_driven_gear_beyond_half_a_turn(void **state) {
  (void)state;
  static const double ratios[] = {2, 2.5, -1, 0.5}, begins[] = {3.5, -5, 20};
  for (int k = 0; k < 72; k++) {
    double ratio = ratios[k % 4], start = begins[k / 4 % 3];
    bool body = k / 12 % 2, moves = k / 24 > 0;
    model_run run = model_run_text(
        "{'space': 'spatial', 'gravity': [0, 0, 0], 'ground': {'points': {'A': [0, 0, 0], 'B': [1, 0, 0]}, 'vectors': "
        "{'z': [0, 0, 1]}}, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], 'points': {'O': [0, 0, 0]}, "
        "'vectors': {'z': [0, 0, 1]}}, {'name': 'b', 'mass': 1, 'inertia': [1, 1, 1], 'points': {'O': [0, 0, 0]}, "
        "'vectors': {'z': [0, 0, 1]}, 'initial': {'position': [1, 0, 0]}}], 'joints': [{'name': 'ja', 'type': "
        "'revolute', 'points': ['ground.A', 'a.O'], 'vectors': ['ground.z', 'a.z']}, {'name': 'jb', 'type': "
        "'revolute', 'points': ['ground.B', 'b.O'], 'vectors': ['ground.z', 'b.z']}, {'name': 'g', 'type': 'gear', "
        "'bodies': ['a', 'b'], 'vectors': ['a.z', 'b.z'], 'ratio': %g}], 'drivers': [{'name': 'm', 'type': 'joint', "
        "'joint': 'ja', 'function': '%g + t'}], 'sensors': [{'name': 'qa', 'value': 'ja.q'}, {'name': 'qb', 'value': "
        "'jb.q'}], 'analysis': {'type': '%s', 'formulation': '%s' %s}}",
        ratio, start, moves ? k / 48 ? "inverse-dynamics" : "kinematics" : "assembly", body ? "body" : "joint",
        moves ? ", 't_end': 2, 'dt': 1" : "");
    if (body && run.status == MBS_NOT_ASSEMBLED) {
      assert_string_equal(run.error.element, "g");
      assert_non_null(strstr(run.error.message, "turns"));
    } else {
      assert_int_equal(run.status, MBS_OK);
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
