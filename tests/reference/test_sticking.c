/* Expressions that slide along their switches: dry friction that sticks and slips, against closed forms. */
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

static const double pi = 3.14159265358979323846;
static const char *const formulations[] = {"joint", "body"};
static const char *const constraints[] = {"projection", "partitioning", "baumgarte", "none"};
static const char *const integrators[] = {
    JSON({"method": "dopri5", "rtol": 1e-9, "atol": 1e-11}), JSON({"method": "dop853", "rtol": 1e-9, "atol": 1e-11}),
    JSON({"method": "rk4", "fixed_step": 0.0067}), JSON({"method": "bdf", "rtol": 1e-9, "atol": 1e-11})};

/* Runs a block on a rail without gravity, with an initial speed; the format adds members to the model. */
static model_run run_block(double mass, double speed, const char *format, ...) __attribute__((format(printf, 3, 4)));
static model_run run_block(double mass, double speed, const char *format, ...) {
  MODEL(block,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "m", "mass": %g, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"velocity": [%g, 0]}}],
       "joints": [
         {"name": "r", "type": "translational", "points": ["ground.O", "m.C"],
          "vectors": ["ground.u", "m.u"]}]});
  char *base = models_text(block, mass, speed), *more = NULL;
  va_list arguments;
  va_start(arguments, format);
  assert_true(vasprintf(&more, format, arguments) > 0);
  va_end(arguments);
  model_run run = model_run_merged(base, more);
  free(base);
  free(more);
  return run;
}

/* Finds the root of a function that changes sign between low and high, by bisection. */
static double root(double (*f)(double), double low, double high) {
  for (int k = 0; k < 200; k++) {
    double middle = 0.5 * (low + high);
    *((f(middle) > 0) == (f(low) > 0) ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

/* A block that slides to rest after v0 / (mu g) and v0^2 / (2 mu g) remains there, and then without friction. */
static void test_stop(void **state) {
  (void)state;
  for (int k = 0; k < 32; k++) {
    MODEL(stop,
        {"forces": [{"name": "rub", "type": "force", "body": "m", "value": ["-4*sign(m.vx)", 0]}],
         "analysis": {"type": "dynamics", "t_end": 20, "dt": 0.1, "formulation": "%s", "constraints": "%s",
                      "integrator": %s}});
    model_run run = run_block(2, 3, stop, formulations[k % 2], constraints[k / 2 % 4], integrators[k / 8]);
    model_run_require(&run);
    assert_close(model_run_event(&run, "rub", "sticks", 0), 1.5, 1e-8);
    assert_int_equal(run.result->report.event_count, 1);
    assert_close(model_run_value(&run, "r", -1, 0), 2.25, 1e-7);
    assert_close(model_run_value(&run, "r", 20, 0), model_run_value(&run, "r", -1, 0), 1e-15);
    assert_close(model_run_value(&run, "rd", -1, 0), 0, 1e-16);
    assert_close(model_run_value(&run, "forces", 10, 0), -4, 0);
    assert_close(model_run_value(&run, "forces", -1, 0), 0, 1e-14);
    assert_close(model_run_value(&run, "energy", -1, 2), -9, 1e-7);
    assert_non_null(strstr(run.result->report.notes[run.result->report.note_count - 1], "'rub' sticks at t = 1.5"));
    model_run_free(&run);
  }
}

/* Friction holds before the motion: a force of 3 sin t against at most 2 makes the block slip at asin(2/3), with v = 3
 * (cos t1 - cos t) - 2 (t - t1), until that is zero again. */
static double first_slip(double t) { return 3 * (cos(asin(2. / 3)) - cos(t)) - 2 * (t - asin(2. / 3)); }

static void test_harmonic_push(void **state) {
  (void)state;
  const double slips = asin(2. / 3), sticks = root(first_slip, 2, 3.8);
  const double way =
      3 * (cos(slips) * (sticks - slips) - sin(sticks) + sin(slips)) - (sticks - slips) * (sticks - slips);
  for (int k = 0; k < 8; k++) {
    MODEL(harmonic_push,
        {"forces": [
           {"name": "push", "type": "force", "body": "m", "value": ["3*sin(t)", 0]},
           {"name": "rub",  "type": "force", "body": "m", "value": ["if(m.vx > 0, -2, 2)", 0]}],
         "analysis": {"type": "dynamics", "t_end": 12.5, "dt": 0.1, "formulation": "%s", "integrator": %s}});
    model_run run = run_block(1, 0, harmonic_push, formulations[k % 2], integrators[k / 2]);
    model_run_require(&run);
    assert_close(model_run_event(&run, "rub", "sticks", 0), 0, 0);
    assert_close(model_run_value(&run, "forces", 5, 2), -3 * sin(0.5), 1e-12);
    for (size_t i = 0; i < 4; i++) {
      assert_close(model_run_event(&run, "rub", "slips", i), slips + (double)i * pi, 1e-7);
      if (i < 3) assert_close(model_run_event(&run, "rub", "sticks", i + 1), sticks + (double)i * pi, 1e-6);
    }
    assert_close(model_run_value(&run, "r", 35, 0), way, 1e-6);
    assert_close(model_run_value(&run, "r", 68, 0), 0, 1e-6);
    model_run_free(&run);
  }
}

/* A block of 2 kg on a belt at 0.5 m/s with friction of 4 N, on a spring of 8 N/m. It slips like an oscillator about
 * 0.5 m, moves with the belt until the spring force is 4 N, and then oscillates about 0.5 m, just touching the belt's
 * speed. */
static void test_belt(void **state) {
  (void)state;
  const double w = 2, sticks = asin(0.5) / w, x1 = 0.5 * (1 - cos(w * sticks));
  const double slips = sticks + (0.5 - x1) / 0.5;
  for (int k = 0; k < 8; k++) {
    MODEL(belt,
        {"forces": [
           {"name": "rub",    "type": "force", "body": "m", "value": ["-4*sign(m.vx - 0.5)", 0]},
           {"name": "spring", "type": "spring-damper", "points": ["ground.O", "m.C"], "stiffness": 8}],
         "analysis": {"type": "dynamics", "t_end": 9, "dt": 0.01, "formulation": "%s", "integrator": %s}});
    model_run run = run_block(2, 0, belt, formulations[k % 2], integrators[k / 2]);
    model_run_require(&run);
    assert_close(model_run_event(&run, "rub", "sticks", 0), sticks, 1e-7);
    assert_close(model_run_event(&run, "rub", "slips", 0), slips, 1e-6);
    for (long row = 0; row <= 900; row += 20) {
      const double t = 0.01 * (double)row;
      const double x = t < sticks  ? 0.5 * (1 - cos(w * t))
                       : t < slips ? x1 + 0.5 * (t - sticks)
                                   : 0.5 + 0.25 * sin(w * (t - slips));
      assert_close(model_run_value(&run, "r", row, 0), x, 2e-6);
    }
    model_run_free(&run);
  }
}

/* Friction that falls with the slip speed, (2 - 0.4 |s|) against s = v - 0.1: after the start of slip x'' = -k x + 2 -
 * 0.4 (0.1 - x'), so that with y = x - 1.96/k, y'' - 0.4 y' + k y = 0. */
static double slip_speed(double t) {
  const double k = 20, d = 0.2, w = sqrt(k - d * d), y0 = 0.04 / k, v0 = 0.1;
  const double B = (v0 - d * y0) / w;
  return exp(d * t) * ((d * y0 + w * B) * cos(w * t) + (d * B - w * y0) * sin(w * t)) - 0.1;
}

static double slip_way(double t) {
  const double k = 20, d = 0.2, w = sqrt(k - d * d), y0 = 0.04 / k, B = (0.1 - d * y0) / w;
  return exp(d * t) * (y0 * cos(w * t) + B * sin(w * t)) + 1.96 / k;
}

static void test_stick_slip_period(void **state) {
  (void)state;
  const double slip = root(slip_speed, 0.7, 1.55), stick = (2. / 20 - slip_way(slip)) / 0.1;
  assert_true(stick > 0);
  for (int k = 0; k < 8; k++) {
    MODEL(stick_slip_period,
        {"forces": [
           {"name": "rub", "type": "force", "body": "m",
            "value": ["-(2 - 0.4*abs(m.vx - 0.1))*sign(m.vx - 0.1)", 0]},
           {"name": "spring", "type": "spring-damper", "points": ["ground.O", "m.C"], "stiffness": 20}],
         "analysis": {"type": "dynamics", "t_end": 20, "dt": 0.1, "formulation": "%s", "integrator": %s}});
    model_run run = run_block(1, 0.1, stick_slip_period, formulations[k % 2], integrators[k / 2]);
    model_run_require(&run);
    assert_close(model_run_event(&run, "rub", "slips", 0), 1, 1e-7);
    for (size_t i = 0; i < 5; i++) {
      const double start = 1 + (double)i * (slip + stick);
      assert_close(model_run_event(&run, "rub", "slips", i), start, 1e-5);
      assert_close(model_run_event(&run, "rub", "sticks", i + 1), start + slip, 1e-5);
    }
    model_run_free(&run);
  }
}

/* A block on a block under a growing force: both stick, then the lower one slips on the ground, then the upper one on
 * the lower one. Action and reaction are two expressions. */
static void test_stack(void **state) {
  (void)state;
  const double both = 1.7 + 0.6, first = 3, second = 3 + 2 / 0.6 * both, end = 15;
  const double together = 0.5 * (second - first) * (second - first) / both;
  for (int k = 0; k < 16; k++) {
    MODEL(stack,
        {"space": "planar", "gravity": [0, 0],
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         "bodies": [
           {"name": "a", "mass": 1.7, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]},
            "initial": {"velocity": [0, 0]}},
           {"name": "b", "mass": 0.6, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]},
            "initial": {"velocity": [0, 0]}}],
         "joints": [
           {"name": "ra", "type": "translational", "points": ["ground.O", "a.C"],
            "vectors": ["ground.u", "a.u"]},
           {"name": "rb", "type": "translational", "points": ["ground.O", "b.C"],
            "vectors": ["ground.u", "b.u"]}],
         "forces": [
           {"name": "push",  "type": "force", "body": "a", "value": ["t", 0]},
           {"name": "floor", "type": "force", "body": "a", "value": ["-3*sign(a.vx)", 0]},
           {"name": "upper", "type": "force", "body": "b", "value": ["-2*sign(b.vx - a.vx)", 0]},
           {"name": "lower", "type": "force", "body": "a", "value": ["if(a.vx < %s, 2, -2)", 0]}],
         "analysis": {"type": "dynamics", "t_end": 15, "dt": 0.1, "formulation": "%s", "integrator": %s}});
    model_run run = model_run_text(stack, k < 8 ? "b.vx" : "rb.qd", formulations[k % 2], integrators[k / 2 % 4]);
    model_run_require(&run);
    assert_int_equal(model_run_events(&run, "upper", "sticks"), 1);
    assert_int_equal(model_run_events(&run, "lower", "sticks"), 1);
    assert_close(model_run_event(&run, "floor", "slips", 0), first, 1e-9);
    assert_close(model_run_event(&run, "upper", "slips", 0), second, 1e-7);
    assert_close(model_run_event(&run, "lower", "slips", 0), second, 1e-7);
    for (long row = 0; row <= 150; row += 10)
      assert_close(model_run_value(&run, "forces", row, 4), -model_run_value(&run, "forces", row, 6), 1e-12);
    assert_close(model_run_value(&run, "rd", 60, 0), model_run_value(&run, "rd", 60, 2), 1e-14);
    assert_close(model_run_value(&run, "rd", 60, 0), 0.5 * 9 / both, 1e-7);
    assert_close(model_run_value(&run, "rd", -1, 2), together + 2 / 0.6 * (end - second), 1e-6);
    model_run_free(&run);
  }
}

/* Two expressions at one joint, one of the body's velocity, the other of the joint's: their sum holds 1.9 of their 2
 * N. */
static void test_one_switch_in_two_words(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    MODEL(one_switch_in_two_words,
        {"forces": [
           {"name": "one",   "type": "force", "body": "m", "value": ["-sign(m.vx)", 0]},
           {"name": "other", "type": "force", "body": "m", "value": ["if(r.qd >= 0, -1, 1)", 0]},
           {"name": "push",  "type": "force", "body": "m", "value": [1.9, 0]}],
         "analysis": {"type": "dynamics", "t_end": 20, "dt": 1, "formulation": "%s", "integrator": %s}});
    model_run run = run_block(1, 0.5, one_switch_in_two_words, formulations[k % 2], integrators[k / 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", -1, 0), 0.5 * 0.25 / 0.1, 1e-6);
    assert_close(model_run_value(&run, "rd", -1, 0), 0, 1e-15);
    assert_close(model_run_value(&run, "forces", -1, 0), -0.95, 1e-12);
    assert_close(model_run_value(&run, "forces", -1, 2), -0.95, 1e-12);
    model_run_free(&run);
  }
}

/* A force that switches with the position, and friction: the oscillation ends in finite time, and the block rests where
 * the force jumps. */
static void test_rest_at_a_jump(void **state) {
  (void)state;
  double t = 2, v = 1; /* from x = 1 downwards with 1 - 0.5 */
  for (; v > 1e-12; v *= sqrt(1. / 3)) t += v / 1.5 + v * sqrt(1. / 3) / 0.5;
  MODEL(rest_at_a_jump,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "m", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"position": [1, 0]}}],
       "joints": [
         {"name": "r", "type": "translational", "points": ["ground.O", "m.C"],
          "vectors": ["ground.u", "m.u"]}],
       "forces": [
         {"name": "pull", "type": "force", "body": "m",
          "value": ["-sign(m.x) - 0.5*sign(m.vx) + 0.2*if(t > 8, 1, 0)", 0]}],
       "analysis": {"type": "dynamics", "t_end": 10, "dt": 0.1}});
  model_run run = model_run_text(rest_at_a_jump);
  model_run_require(&run);
  assert_close(model_run_event(&run, "pull", "sticks", 0), t, 1e-3);
  assert_close(model_run_value(&run, "r", -1, 0), 0, 1e-8);
  assert_close(model_run_value(&run, "rd", -1, 0), 0, 1e-12);
  assert_close(model_run_value(&run, "forces", -1, 0), 0, 1e-12);
  model_run_free(&run);
}

/* A wheel on an inclined axis, with its switch written with the rotation matrix; in space, with every way to satisfy
 * the constraints. J w' = -0.6. */
static void test_space(void **state) {
  (void)state;
  for (int k = 0; k < 16; k++) {
    MODEL(space,
        {"space": "spatial", "gravity": [0, 0, -9.81],
         "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [0.6, 0, 0.8]}},
         "bodies": [
           {"name": "w", "mass": 2, "inertia": [0.3, 0.3, 0.5], "points": {"C": [0, 0, 0]},
            "vectors": {"u": [0, 0, 1]}}],
         "joints": [
           {"name": "axle", "type": "revolute", "points": ["ground.O", "w.C"],
            "vectors": ["ground.u", "w.u"], "initial": {"velocity": -2.4}}],
         "forces": [
           {"name": "rub", "type": "torque", "body": "w", "frame": "body",
            "value": [0, 0, "-0.6*sign(w.omega_x*w.A13 + w.omega_y*w.A23 + w.omega_z*w.A33)"]}],
         "analysis": {"type": "dynamics", "t_end": 5, "dt": 0.1, "formulation": "%s", "constraints": "%s",
                      "integrator": %s}});
    model_run run = model_run_text(space, formulations[k % 2], constraints[k / 2 % 2], integrators[k / 4]);
    model_run_require(&run);
    assert_close(model_run_event(&run, "rub", "sticks", 0), 2, 1e-7);
    assert_int_equal(run.result->report.event_count, 1);
    assert_close(model_run_value(&run, "omega", -1, 0), 0, 1e-13);
    assert_close(model_run_value(&run, "omega", -1, 2), 0, 1e-13);
    model_run_free(&run);
  }
}

/* Lengths, times and masses of any size. */
static void test_scales(void **state) {
  (void)state;
  static const double scales[][3] = {{1e-9, 1, 1e-20}, {1e-9, 1e-6, 1e-20}, {1e9, 1, 1e20}, {1, 1e3, 1e-9}};
  for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
    const double L = scales[k][0], T = scales[k][1], M = scales[k][2], force = M * L / T / T;
    MODEL(block,
        {"space": "planar", "gravity": [0, 0],
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         "bodies": [
           {"name": "m", "mass": %.17g, "inertia": %.17g, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]},
            "initial": {"velocity": [%.17g, 0]}}],
         "joints": [
           {"name": "r", "type": "translational", "points": ["ground.O", "m.C"],
            "vectors": ["ground.u", "m.u"]}],
         "forces": [
           {"name": "rub",  "type": "force", "body": "m", "value": ["-%.17g*sign(m.vx)", 0]},
           {"name": "push", "type": "force", "body": "m", "value": [%.17g, 0]}],
         "analysis": {"type": "dynamics", "t_end": %.17g, "dt": %.17g}});
    model_run run = model_run_text(block, M, M * L * L, L / T, 0.5 * force, 0.25 * force, 20 * T, T);
    model_run_require(&run);
    assert_close(model_run_event(&run, "rub", "sticks", 0) / T, 4, 1e-7);
    assert_close(model_run_value(&run, "r", -1, 0) / L, 2, 1e-6);
    assert_close(model_run_value(&run, "rd", -1, 0) * T / L, 0, 1e-14);
    assert_close(model_run_value(&run, "forces", -1, 0) / force, -0.25, 1e-12);
    model_run_free(&run);
  }
}

/* ---- friction where a driver prescribes the motion -------------------------------------------------------------- */

MODEL(wiper,
    {"space": "planar", "gravity": [0, -9.81], "parameters": {"r": 0.04, "L": 0.3, "R": 0.08},
     "ground": {"points": {"O": [0, 0], "W": [0.28, 0.05]}},
     "bodies": [
       {"name": "crank", "mass": 0.1, "inertia": 1e-4, "points": {"O": [0, 0], "A": ["r", 0]}},
       {"name": "link",  "mass": 0.2, "inertia": 1e-3, "points": {"A": [0, 0], "B": ["L", 0]}},
       {"name": "arm",   "mass": 0.4, "inertia": 0.02, "points": {"W": [0, 0], "B": ["R", 0]}}],
     "joints": [
       {"name": "motor", "type": "revolute", "points": ["ground.O", "crank.O"]},
       {"name": "a", "type": "revolute", "points": ["crank.A", "link.A"]},
       {"name": "w", "type": "revolute", "points": ["ground.W", "arm.W"], "initial": {"position": -1.57}},
       {"name": "b", "type": "revolute", "points": ["link.B", "arm.B"]}],
     "drivers": [
       {"name": "drive", "type": "joint", "joint": "motor",
        "function": {"ramp": {"t0": 0, "t1": 0.5, "f0": 0, "speed": "2*pi"}}}],
     "forces": [{"name": "drag", "type": "torque", "body": "arm", "value": "-%g*sign(arm.omega)"}],
     "sensors": [
       {"name": "effort", "value": "drive.effort"},
       {"name": "ratio",  "value": "arm.omega/crank.omega"}],
     "analysis": {"type": "%s", "t_end": 3, "dt": %g, "formulation": "%s", "integrator": %s}});

/* The motor's additional torque for the friction is 0.3 |arm.omega| / crank.omega, by its power, at every reporting
 * step. */
static void test_wiper(void **state) {
  (void)state;
  static const char *const analyses[] = {"dynamics", "inverse-dynamics"};
  static const double steps[] = {0.01, 0.15, 0.003};
  for (int k = 0; k < 48; k++) {
    const double dt = steps[k % 3];
    const char *formulation = formulations[k / 3 % 2], *analysis = analyses[k / 6 % 2], *method = integrators[k / 12];
    model_run free = model_run_text(wiper, 0., analysis, dt, formulation, method);
    model_run run = model_run_text(wiper, 0.3, analysis, dt, formulation, method);
    model_run_require(&free);
    model_run_require(&run);
    assert_int_equal(run.result->report.event_count, 6);
    for (double t = 0.15; t < 3; t += 0.15) {
      const long row = lround(t / dt);
      const double friction = model_run_value(&run, "effort", row, 0) - model_run_value(&free, "effort", row, 0);
      assert_close(friction, 0.3 * fabs(model_run_value(&run, "ratio", row, 0)), 1e-7);
    }
    model_run_free(&run);
    model_run_free(&free);
  }
}

/* A driver that comes to rest leaves the direction of static friction open: the middle of the range, independent of the
 * approach. */
static void test_driven_to_rest(void **state) {
  (void)state;
  static const char *const analyses[] = {"dynamics", "inverse-dynamics"};
  for (int k = 0; k < 16; k++) {
    MODEL(driven_to_rest,
        {"drivers": [
           {"name": "d", "type": "joint", "joint": "r",
            "function": {"step": {"t0": 1, "t1": 2, "f0": 0, "f1": 0.7}}}],
         "forces": [{"name": "rub", "type": "force", "body": "m", "value": ["-3*sign(m.vx)", 0]}],
         "sensors": [{"name": "effort", "value": "d.effort"}],
         "analysis": {"type": "%s", "t_end": 4, "dt": 0.5, "formulation": "%s", "integrator": %s}});
    model_run run = run_block(1, 0, driven_to_rest, analyses[k / 2 % 2], formulations[k % 2], integrators[k / 4]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "effort", 1, 0), 0, 1e-9);
    assert_close(model_run_value(&run, "effort", 3, 0), 3, 1e-6);
    assert_close(model_run_value(&run, "effort", 6, 0), 0, 1e-6);
    model_run_free(&run);
  }
}

/* An expression that reads the output of another one cannot be held: the message names it, with a remedy. */
static void test_endless(void **state) {
  (void)state;
  MODEL(endless,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "m", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"velocity": [1, 0]}}],
       "joints": [
         {"name": "r", "type": "translational", "points": ["ground.O", "m.C"],
          "vectors": ["ground.u", "m.u"]}],
       "forces": [
         {"name": "push", "type": "force", "body": "m", "value": [0.1, 0]},
         {"name": "felt", "type": "force", "body": "m", "value": ["-0.01*m.vx", 0]},
         {"name": "rub",  "type": "force", "body": "m", "value": ["0.5*sign(felt.fx)", 0]}],
       "analysis": {"type": "dynamics", "t_end": 5, "dt": 0.1}});
  model_run run = model_run_text(endless);
  assert_int_equal(run.status, MBS_STEP_TOO_SMALL);
  assert_string_equal(run.error.element, "rub");
  assert_string_equal(run.error.pointer, "/forces/2/value/0");
  assert_non_null(strstr(run.error.message, "0.5*sign(felt.fx)"));
  assert_non_null(strstr(run.error.message, "tanh"));
  assert_null(strstr(run.error.message, "guard"));
  assert_close(run.error.time, 100 * log(0.41 / 0.4), 1e-6); /* v' = 0.1 - 0.01 v - 0.5 */
  model_run_free(&run);
}

/* The default method takes few steps at rest under a load that friction balances up to rounding. */
static void test_held_load(void **state) {
  (void)state;
  static const double loads[] = {0, 0.1, 0.3, 0.49, 0.5};
  for (int k = 0; k < 20; k++) {
    char push[40];
    snprintf(push, sizeof push, "%g", loads[k % 5]);
    MODEL(held_load,
        {"forces": [
           {"name": "push", "type": "force", "body": "m", "value": ["%s", 0]},
           {"name": "rub",  "type": "force", "body": "m", "value": ["-0.5*sign(m.vx)", 0]}],
         "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.5, "formulation": "%s", "integrator": %s}});
    model_run run = run_block(1, 0, held_load, push, formulations[k / 5 % 2], k / 10 ? JSON({"method": "bdf"}) : "{}");
    model_run_require(&run);
    assert_true(run.result->report.evaluations < 1000);
    assert_close(model_run_value(&run, "r", -1, 0), 0, 1e-12);
    model_run_free(&run);
  }
}

/* A switch inside a switch cannot be held: the message names the expression. If it is only crossed it does no harm. */
static void test_switch_inside_a_switch(void **state) {
  (void)state;
  static const char *const laws[] = {"-0.5*sign(m.vx)*abs(sign(m.vx))", "max(-0.5, -0.5*sign(m.vx))",
                                     "-0.5*sign(sign(m.vx))", "if(if(m.vx > 0, 1, 0) > 0.5, -0.5, 0.5)"};
  for (int k = 0; k < 4; k++) {
    MODEL(switch_inside_a_switch,
        {"forces": [{"name": "rub", "type": "force", "body": "m", "value": ["%s", 0]}],
         "analysis": {"type": "dynamics", "t_end": 4, "dt": 0.5}});
    model_run run = run_block(1, 1, switch_inside_a_switch, laws[k]);
    assert_int_equal(run.status, MBS_STEP_TOO_SMALL);
    assert_string_equal(run.error.element, "rub");
    assert_close(run.error.time, 2, 0.05);
    assert_non_null(strstr(run.error.message, "inside another"));
    assert_string_equal(run.error.pointer, "/forces/0/value/0");
    model_run_free(&run);
  }
}

/* Dry friction on a four-bar's crank and rocker and, as action and reaction, in its first pin, with a harmonic torque:
 * equal motions with every method, and never an action without its reaction. */
static void test_dry_four_bar(void **state) {
  (void)state;
  double last[4];
  for (int k = 0; k < 4; k++) {
    MODEL(dry_four_bar,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0], "C": [0.9, 0]}},
         "bodies": [
           {"name": "crank", "mass": 1, "inertia": 0.0075, "points": {"A": [-0.15, 0], "B": [0.15, 0]},
            "initial": {"position": [0.081, 0.1262], "angle": 1}},
           {"name": "coupler", "mass": 2, "inertia": "2*0.64/12", "points": {"A": [-0.4, 0], "B": [0.4, 0]},
            "initial": {"position": [0.4949, 0.4743], "angle": 0.5881}},
           {"name": "rocker", "mass": 1.5, "inertia": 0.06125, "points": {"A": [-0.35, 0], "B": [0.35, 0]},
            "initial": {"position": [0.8638, 0.3481], "angle": -1.4673}}],
         "joints": [
           {"name": "O", "type": "revolute", "points": ["ground.O", "crank.A"]},
           {"name": "A", "type": "revolute", "points": ["crank.B", "coupler.A"]},
           {"name": "B", "type": "revolute", "points": ["coupler.B", "rocker.A"]},
           {"name": "C", "type": "revolute", "points": ["rocker.B", "ground.C"]}],
         "forces": [
           {"name": "f0", "type": "torque", "body": "crank", "value": "-3.93*sign(crank.omega)"},
           {"name": "f1", "type": "torque", "body": "rocker", "value": "-6.92*sign(rocker.omega)"},
           {"name": "f2", "type": "torque", "body": "coupler",
            "value": "-9.87*sign(coupler.omega - crank.omega)"},
           {"name": "f3", "type": "torque", "body": "crank",
            "value": "9.87*sign(coupler.omega - crank.omega)"},
           {"name": "f4", "type": "torque", "body": "crank", "value": "-18.8*sin(1.1*t)"}],
         "analysis": {"type": "dynamics", "t_end": 4, "dt": 0.125, "constraints": "%s",
                      "integrator": {"method": "%s", "rtol": 1e-9, "atol": 1e-11}}});
    model_run run = model_run_text(dry_four_bar, constraints[k / 2], k % 2 ? "dop853" : "dopri5");
    model_run_require(&run);
    for (long row = 0; row < 33; row++)
      assert_close(model_run_value(&run, "forces", row, 2) + model_run_value(&run, "forces", row, 3), 0, 1e-9);
    last[k] = model_run_value(&run, "p", -1, 0);
    assert_close(last[k], last[0], 1e-5);
    model_run_free(&run);
  }
}

/* A block of 2 kg on a belt with the speed w, loaded by F, has friction of at most 5 N. With |F| < 5 it moves with the
 * belt, held by -F; else its acceleration is (F -+ 5) / 2. Every row with forces must report this. */
static void test_rows_of_a_state(void **state) {
  (void)state;
  static const char *const laws[] = {"-5*sign(m.vx - w)", "if(m.vx > w, -5, 5)", "-5*(m.vx - w)/abs(m.vx - w)",
                                     "if(m.vx > w, -5, if(m.vx < w, 5, 0))"};
  static const char *const analyses[] = {JSON({"type": "assembly"}),
                                         JSON({"type": "dynamics", "t_end": 0.1, "dt": 0.1}),
                                         JSON({"type": "linearization", "about": "state"})};
  static const double speeds[] = {0, 0.2, -3}, pushes[] = {2.5, -4.9, 7, -6};
  for (int k = 0; k < 2 * 4 * 3 * 3 * 4; k++) {
    const double w = speeds[k / 24 % 3], F = pushes[k / 72 % 4];
    MODEL(rows_of_a_state,
        {"parameters": {"w": %g},
         "forces": [
           {"name": "rub",  "type": "force", "body": "m", "value": ["%s", 0]},
           {"name": "push", "type": "force", "body": "m", "value": [%g, 0]}]});
    char *forces = models_text(rows_of_a_state, w, laws[k / 2 % 4], F);
    char *analysis = models_text("{\"analysis\": {\"formulation\": \"%s\", %s}", formulations[k % 2],
                                 strchr(analyses[k / 8 % 3], '{') + 1);
    char *whole = models_merged(forces, analysis);
    model_run run = run_block(2, w, "%s", whole);
    model_run_require(&run);
    const double held = fabs(F) < 5 ? -F : copysign(5, -F);
    assert_close(model_run_value(&run, "rdd", 0, 0), (F + held) / 2, 1e-13);
    assert_close(model_run_value(&run, "forces", 0, 0), held, 1e-13);
    model_run_free(&run);
    free(forces);
    free(analysis);
    free(whole);
  }
}

/* v / |v| in every notation is a sign: the block of test_stop(). */
static void test_quotients_that_are_signs(void **state) {
  (void)state;
  static const char *const laws[] = {"-4*m.vx/abs(m.vx)", "-4*m.vx/sqrt(m.vx^2)", "m.vx*(-4/abs(m.vx))",
                                     "-8*m.vx/(2*abs(-m.vx))", "-4*(m.vx/(m.vx^2)^0.5)",
                                     /* the value at rest alone is of no consequence */
                                     "4*if(m.vx == 0, 0, -m.vx/abs(m.vx))", "if(m.vx == 0, 7, -4*sign(m.vx))",
                                     "if(m.vx != 0, -4*sign(m.vx), 0)"};
  for (int k = 0; k < 64; k++) {
    MODEL(quotient,
        {"forces": [{"name": "rub", "type": "force", "body": "m", "value": ["%s", 0]}],
         "analysis": {"type": "dynamics", "t_end": 4, "dt": 0.1, "formulation": "%s", "integrator": %s}});
    model_run run = run_block(2, 3, quotient, laws[k / 8], formulations[k % 2], integrators[k / 2 % 4]);
    model_run_require(&run);
    assert_close(model_run_event(&run, "rub", "sticks", 0), 1.5, 1e-8);
    assert_close(model_run_value(&run, "r", -1, 0), 2.25, 1e-7);
    model_run_free(&run);
    /* starts at rest */
    run = run_block(2, 0, quotient, laws[k / 8], formulations[k % 2], integrators[k / 2 % 4]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", -1, 0), 0, 0);
    model_run_free(&run);
  }
}

/* Runs a body of 1 kg with this speed, with friction of 2 N against it and g along x. */
static model_run run_puck(int k, const char *length, double v, double g) {
  MODEL(puck,
      {"space": "%s", "gravity": %s,
       "bodies": [{"name": "m", "mass": 1, "inertia": %s, "initial": {"velocity": %s}}],
       "forces": [{"name": "rub", "type": "force", "body": "m", "value": [%s]}],
       "analysis": {"type": "dynamics", "t_end": 4, "dt": 0.1, "formulation": "%s", "integrator": %s,
                    "limits": {"wall_seconds": 20}}});
  const bool space = k % 2;
  char *gravity = models_text(space ? "[%g, 0, 0]" : "[%g, 0]", g);
  char *velocity = models_text(space ? "[%g, %g, 0]" : "[%g, %g]", g != 0 ? v : 0.6 * v, g != 0 ? 0 : 0.8 * v);
  char *law = models_text("\"-2*m.vx/%s\", \"-2*m.vy/%s\"%s", length, length, space ? ", 0" : "");
  model_run run = model_run_text(puck, space ? "spatial" : "planar", gravity, space ? "[1, 1, 1]" : "1", velocity, law,
                                 formulations[k / 2 % 2], integrators[k / 4]);
  free(gravity);
  free(velocity);
  free(law);
  return run;
}

/* Friction against the velocity stops a body after v / 2; the expression that then divides zero by zero is named
 * immediately. A passage through zero continues: with -5 N the velocity is zero at 3/7 s, and then falls by 3 m/s^2. */
static void test_isotropic_friction(void **state) {
  (void)state;
  static const char length[] = "sqrt(m.vx^2 + m.vy^2)", wide[] = "sqrt(m.vx^2 + m.vy^2 + 0.001^2)";
  const double t1 = 3. / 7;
  for (int k = 0; k < 16; k++) {
    model_run run = run_puck(k, length, 5, 0);
    if (k / 4 == 2) { /* a fixed step cannot become too small */
      model_run_require(&run);
      assert_non_null(models_note(run.result, "the integration may miss the change"));
      assert_close(model_run_value(&run, "r", -1, 1), 5, 0.02);
    } else {
      assert_int_equal(run.status, MBS_LAW_UNDEFINED);
      assert_string_equal(run.error.element, "rub");
      assert_string_equal(run.error.pointer, "/forces/0/value/0");
      assert_close(run.error.time, 2.5, 1e-3);
      assert_non_null(strstr(run.error.message, "'friction'"));
    }
    model_run_free(&run);
    run = run_puck(k, length, 3, -5);
    model_run_require(&run);
    /* bdf may use the Jacobian from before the jump: it may miss the change, and reports this */
    if (k / 4 == 3)
      assert_non_null(models_note(run.result, "the integration may miss the change"));
    else
      assert_close(model_run_value(&run, "r", -1, 0), 9. / 14 - 1.5 * (4 - t1) * (4 - t1), k / 4 < 2 ? 1e-4 : 0.05);
    model_run_free(&run);
    if (k / 4 == 2) continue; /* steps of rk4 are too long for the width */
    run = run_puck(k, wide, 5, 0);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", -1, 1), 5, 1e-4);
    model_run_free(&run);
  }
  /* starts at rest */
  model_run run = run_puck(0, length, 0, 0);
  assert_null(run.model);
  assert_string_equal(run.error.pointer, "/forces/0/value/0");
  assert_non_null(strstr(run.error.message, "v/sqrt(vx^2 + vy^2 + 0.001^2)"));
  model_run_free(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dry_four_bar),
      cmocka_unit_test(test_held_load),
      cmocka_unit_test(test_switch_inside_a_switch),
      cmocka_unit_test(test_stop),
      cmocka_unit_test(test_harmonic_push),
      cmocka_unit_test(test_belt),
      cmocka_unit_test(test_stick_slip_period),
      cmocka_unit_test(test_stack),
      cmocka_unit_test(test_one_switch_in_two_words),
      cmocka_unit_test(test_rest_at_a_jump),
      cmocka_unit_test(test_space),
      cmocka_unit_test(test_scales),
      cmocka_unit_test(test_wiper),
      cmocka_unit_test(test_driven_to_rest),
      cmocka_unit_test(test_endless),
      cmocka_unit_test(test_rows_of_a_state),
      cmocka_unit_test(test_quotients_that_are_signs),
      cmocka_unit_test(test_isotropic_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
