/* Backlash, one-way clutches and ratchets against closed forms: in joint and in body coordinates, in the plane and in
 * space. Every motion keeps its energy balance. */
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

/* ---- runs ---------------------------------------------------------------------------------------------------- */

static char *analysis(int formulation, const char *type) {
  return models_text(PART({"analysis": {"type": "%s", "formulation": "%s"}}), type, formulations[formulation]);
}

static char *over_time(int formulation, const char *type, double t_end, double dt) {
  return models_text(JSON({
                       "analysis": {
                         "type": "%s",
                         "t_end": % .17g,
                         "dt": % .17g,
                         "formulation": "%s",
                         "integrator": {"rtol": 1e-10, "atol": 1e-12}
                       }
                     }),
                     type, t_end, dt, formulations[formulation]);
}

static model_run move(int dim, char *document, int formulation, double t_end, double dt) {
  model_run run = model_run_with(model_run_in(dim, document), over_time(formulation, "dynamics", t_end, dt));
  model_run_require(&run);
  const mbs_report *report = &run.result->report;
  assert_close(report->energy_change_max, 0, 1e-8 * report->energy_scale);
  return run;
}

/* Returns the angle (level 0, within half a turn) or angular velocity of body b, 0 the first, at a row. */
static double turned(const model_run *run, int dim, int level, size_t b, long row) {
  if (dim == 2) return model_run_value(run, level ? "pd" : "p", row, b);
  if (level) return model_run_value(run, "omega", row, 3 * b + 2);
  return 2 * atan2(model_run_value(run, "p", row, 4 * b + 3), model_run_value(run, "p", row, 4 * b));
}

/* ---- models -------------------------------------------------------------------------------------------------- */

/* Two wheels of 2 and 0.5 kg m^2 on fixed axles, with their initial speeds and a torque on each. */
static char *wheels_at(double angle, double speed1, double speed2, const char *torque1, const char *torque2,
                       const char *force) {
  MODEL(text,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0], "P": [1, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 2, "points": {"C": [0, 0]}},
                  {"name": "b", "mass": 1, "inertia": 0.5, "points": {"C": [0, 0]}, "initial": {"position": [1, 0]}}],
       "joints": [{"name": "i", "type": "revolute", "points": ["ground.O", "a.C"],
                   "initial": {"position": %.17g, "velocity": %.17g}},
                  {"name": "j", "type": "revolute", "points": ["ground.P", "b.C"], "initial": {"velocity": %.17g}}],
       "forces": [{"name": "A", "type": "torque", "body": "a", "value": "%s"},
                  {"name": "B", "type": "torque", "body": "b", "value": "%s"}, %s]});
  return models_text(text, angle, speed1, speed2, torque1, torque2, force);
}

static char *wheels(double speed1, double speed2, const char *torque1, const char *torque2, const char *force) {
  return wheels_at(0, speed1, speed2, torque1, torque2, force);
}

#define CLUTCH(part) "{\"name\": \"c\", \"type\": \"one-way-clutch\", " part "}"
#define PLAY(part) "{\"name\": \"b\", \"type\": \"backlash\", " part "}"

/* ---- clutch -------------------------------------------------------------------------------------------------- */

/* A wheel under the torque sin t - 1/2 rests until sin t = 1/2, overruns, and is held again when its speed is zero:
 * cos u + t/2 = cos t0 + t0/2 at u. */
static void test_clutch(void **state) {
  (void)state;
  const double unlocks = pi / 6;
  double locks = 3.8;
  for (int k = 0; k < 20; k++) locks -= (cos(unlocks) - cos(locks) - (locks - unlocks) / 2) / (sin(locks) - 0.5);
  EACH(f, dim) {
    model_run run = move(dim, wheels(0, 0, "sin(t) - 0.5", "0", CLUTCH(PART("joint": "i"))), f, 10, 0.1);
    assert_close(model_run_event(&run, "c", "locks", 0), 0, 0);
    assert_close(model_run_event(&run, "c", "unlocks", 0), unlocks, 1e-9);
    assert_close(model_run_event(&run, "c", "locks", 1), locks, 1e-8);
    assert_close(model_run_event(&run, "c", "unlocks", 1), 2 * pi + pi / 6, 1e-9);
    for (long row = 0; row <= 100; row++) {
      const double t = 0.1 * (double)row, phase = fmod(t, 2 * pi);
      const bool held = phase < unlocks || phase > locks;
      assert_close(model_run_output(&run, "c.torque", row), held ? 0.5 - sin(t) : 0, 1e-9);
      assert_close(turned(&run, dim, 1, 0, row), held ? 0 : (cos(unlocks) - cos(phase) - (phase - unlocks) / 2) / 2,
                   1e-8);
    }
    model_run_free(&run);
  }
}

/* Over the ratio n the wheels are coupled while the clutch holds: (2 + 0.5/n^2) wa' = A + B/n. */
static void test_coupled(void **state) {
  (void)state;
  const double n = 2, w = 3;
  EACH(f, dim) {
    /* x = q_b - q_a / n: b must not fall behind, so a drives b from the start by an impulse */
    model_run run = move(dim, wheels(w, 0, "0", "0", CLUTCH(PART("joints": ["j", "i"], "ratio": 0.5))), f, 1, 0.1);
    const double common = w * 2 / (2 + 0.5 / (n * n));
    assert_close(turned(&run, dim, 1, 0, 5), common, 1e-10);
    assert_close(turned(&run, dim, 1, 1, 5), common / n, 1e-10);
    model_run_free(&run);
    /* x = q_a / n - q_b: a is faster, until the torque on b brings it to the speed of a */
    run = move(dim, wheels(w, 0, "-1", "2", CLUTCH(PART("joints": ["i", "j"], "ratio": 2))), f, 2, 0.05);
    /* 3 - t/2 = 2 * 4 t */
    const double meet = 3 / 8.5, speed = w - meet / 2;
    assert_close(model_run_event(&run, "c", "locks", 0), meet, 1e-9);
    /* 2 wa' = -1 + T, 0.5 wb' = 2 - n T, wa' = n wb' */
    const double T = (8 + 0.5) / (0.5 + 8), rate = (T - 1) / 2;
    assert_close(model_run_output(&run, "c.torque", 2), 0, 0);
    assert_close(model_run_output(&run, "c.torque", 20), T, 1e-9);
    assert_close(turned(&run, dim, 1, 0, -1), speed + rate * (2 - meet), 1e-8);
    assert_close(turned(&run, dim, 1, 1, -1), turned(&run, dim, 1, 0, -1) / n, 1e-9);
    model_run_free(&run);
  }
}

/* A start that turns backwards is stopped by an impulse, which takes the energy. */
static void test_backward_start(void **state) {
  (void)state;
  EACH(f, dim) {
    model_run run = move(dim, wheels(-3, 0, "-1", "0", CLUTCH(PART("joint": "i"))), f, 1, 0.1);
    assert_close(model_run_event(&run, "c", "locks", 0), 0, 0);
    assert_close(turned(&run, dim, 1, 0, 0), 0, 1e-14);
    assert_close(turned(&run, dim, 0, 0, -1), 0, 1e-12);
    assert_close(model_run_output(&run, "c.torque", -1), 1, 1e-12);
    model_run_free(&run);
  }
}

/* ---- ratchet ------------------------------------------------------------------------------------------------- */

/* Thrown up by 1.1 teeth, it falls back to the first; thrown by 0.9 teeth, to the start. The motion is so smooth that
 * one step could pass the tooth and come back. */
static void test_ratchet(void **state) {
  (void)state;
  const double pitch = 2 * pi / 8, share[] = {1.1, 0.9, 2.5}, bound[] = {1, 0, 2};
  for (int k = 0; k < 3; k++) {
    EACH(f, dim) {
      /* 2 w' = -4: it rises by w^2/4 in w/2 s */
      const double w = sqrt(4 * share[k] * pitch), t = w / 2 + sqrt((share[k] - bound[k]) * pitch);
      model_run run = move(dim, wheels(w, 0, "-4", "0", CLUTCH(PART("joint": "i", "teeth": 8))), f, 4, 0.25);
      assert_close(model_run_event(&run, "c", "locks", 0), t, 1e-8);
      assert_close(turned(&run, dim, 0, 0, -1), bound[k] * pitch, 1e-8);
      assert_close(model_run_output(&run, "c.torque", -1), 4, 1e-10);
      assert_close(model_run_output(&run, "c.torque", 0), 0, 0);
      model_run_free(&run);
    }
  }
}

/* A start between two teeth, below zero. */
static void test_ratchet_start(void **state) {
  (void)state;
  EACH(f, dim) {
    char *document = wheels_at(-1, 0, 0, "-4", "0", CLUTCH(PART("joint": "i", "teeth": 8)));
    model_run run = move(dim, document, f, 4, 0.25);
    assert_close(model_run_event(&run, "c", "locks", 0), sqrt(pi / 2 - 1), 1e-8);
    assert_close(turned(&run, dim, 0, 0, -1), -pi / 2, 1e-8);
    model_run_free(&run);
  }
}

/* ---- backlash ------------------------------------------------------------------------------------------------ */

/* Wheel b crosses its play of 0.6 about x = q_b - q_a and strikes wheel a: momentum is kept, speeds part by e. */
static void test_rigid_backlash(void **state) {
  (void)state;
  EACH(f, dim) {
    model_run run =
        move(dim, wheels(0, 3, "0", "0", PLAY(PART("joints": ["j", "i"], "gap": 0.6, "restitution": 0.5))), f, 1, 0.05);
    double t = 0.3 / 3, x = 3, mean = 3 * 0.5 / 2.5;
    for (size_t k = 0; t < 1; k++) {
      assert_close(model_run_event(&run, "b", "limit reached", k), t, 1e-9);
      x *= -0.5;
      t += 0.6 / fabs(x);
    }
    assert_close(turned(&run, dim, 1, 0, -1), mean - 0.2 * x, 1e-9);
    assert_close(turned(&run, dim, 1, 1, -1), mean + 0.8 * x, 1e-9);
    assert_close(model_run_output(&run, "b.x", 1), 0.15, 1e-10);
    model_run_free(&run);
    /* driven through the play, the wheels turn together: (2 + 0.5) w' = 1, the force on x is that on b */
    run = move(dim, wheels(0, 0, "0", "1", PLAY(PART("joints": ["j", "i"], "gap": 0.6))), f, 4, 0.1);
    const double meet = sqrt(2 * 0.3 * 0.5), common = meet / 0.5 * 0.5 / 2.5;
    assert_close(model_run_event(&run, "b", "limit reached", 0), meet, 1e-9);
    assert_close(turned(&run, dim, 1, 0, -1), common + (4 - meet) / 2.5, 1e-8);
    assert_close(model_run_output(&run, "b.force", -1), -0.8, 1e-9);
    assert_close(model_run_output(&run, "b.x", -1), 0.3, 1e-9);
    model_run_free(&run);
  }
}

/* A spring beyond the play: half a period of the reduced inertia. */
static void test_compliant_backlash(void **state) {
  (void)state;
  const double J = 1 / (1 / 0.5 + 1 / 2.), K = 90, rate = sqrt(K / J);
  EACH(f, dim) {
    model_run run =
        move(dim, wheels(0, 3, "0", "0", PLAY(PART("joints": ["j", "i"], "offset": 0.2, "gap": 1, "stiffness": 90))), f,
                         0.4, 0.01);
    assert_close(model_run_event(&run, "b", "limit reached", 0), 0.7 / 3, 1e-9);
    const double d = 3 / rate * sin(rate * (0.3 - 0.7 / 3));
    assert_close(model_run_output(&run, "b.x", 30), 0.5 + d, 1e-8);
    assert_close(model_run_output(&run, "b.force", 30), -K * d, 1e-6);
    model_run_free(&run);
    run = move(dim, wheels(0, -3, "0", "0", PLAY(PART("joint": "j", "gap": 0.6, "stiffness": 90, "damping": 2))), f, 2,
                           0.01);
    /* while x' < 0: 0.5 d'' + 2 d' + 90 d = 0, released where the damper would pull */
    const double decay = 2, w = sqrt(180 - 4.), u = 0.05;
    const double depth = 3 / w * exp(-decay * u) * sin(w * u);
    const double speed = 3 * exp(-decay * u) * (cos(w * u) - decay / w * sin(w * u));
    assert_close(model_run_output(&run, "b.x", 15), -0.3 - depth, 1e-8);
    assert_close(model_run_output(&run, "b.force", 15), 90 * depth + 2 * speed, 1e-6);
    model_run_free(&run);
  }
}

/* ---- analyses of a state ------------------------------------------------------------------------------------- */

/* A pendulum of 1 kg, 0.5 m, at an angle from below. */
static char *pendulum(double angle, const char *force) {
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0.5]}}],
       "joints": [{"name": "i", "type": "revolute", "points": ["ground.O", "a.A"], "initial": {"position": %.17g}}],
       "forces": [%s]});
  return models_text(text, angle, force);
}

/* The elements hold the pendulum where they press; without a force they count as open. */
static void test_equilibrium(void **state) {
  (void)state;
  static const struct {
    const char *force, *output;
    double start, angle, torque; /* torque 1: that which holds the weight */
  } cases[] = {{CLUTCH(PART("joint": "i")), "c.torque", 0.5, 0.5, 1},
                {CLUTCH(PART("joint": "i")), "c.torque", -0.5, 0, 0},
                 {CLUTCH(PART("joint": "i", "teeth": 20)), "c.torque", 0.5, 0.31415926535897931, 1},
                  {CLUTCH(PART("joint": "i", "teeth": 20)), "c.torque", -0.5, 0, 0},
                   {PLAY(PART("joint": "i", "offset": 0.6, "gap": 0.2)), "b.force", 0.6, 0.5, 1},
                    {PLAY(PART("joint": "i", "offset": -0.6, "gap": 0.2)), "b.force", -0.6, -0.5, 1},
                     {PLAY(PART("joint": "i", "offset": 0.1, "gap": 0.4)), "b.force", 0.2, 0, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    EACH(f, dim) {
      model_run run =
          model_run_with(model_run_in(dim, pendulum(cases[k].start, cases[k].force)), analysis(f, "equilibrium"));
      model_run_require(&run);
      assert_close(turned(&run, dim, 0, 0, 0), cases[k].angle, 1e-9);
      assert_close(model_run_output(&run, cases[k].output, 0), cases[k].torque * 9.81 * 0.5 * sin(cases[k].angle),
                   1e-9);
      model_run_free(&run);
      run = model_run_with(model_run_in(dim, pendulum(cases[k].start, cases[k].force)), analysis(f, "linearization"));
      model_run_require(&run);
      assert_int_equal(run.result->report.mode_count, cases[k].torque > 0 ? 0 : 1);
      if (cases[k].torque == 0)
        assert_close(fabs(run.result->report.modes[0].eigenvalue[1]), sqrt(9.81 * 0.5 / 0.35), 1e-6);
      model_run_free(&run);
      run = model_run_with(model_run_in(dim, pendulum(cases[k].angle, cases[k].force)), analysis(f, "assembly"));
      model_run_require(&run);
      assert_close(model_run_output(&run, cases[k].output, 0), cases[k].torque * 9.81 * 0.5 * sin(cases[k].angle),
                   1e-9);
      model_run_free(&run);
    }
  }
}

/* Prescribed motions that turn a clutch backwards, or a ratchet below its last tooth, fail; others pass. */
static void test_prescribed(void **state) {
  (void)state;
  static const char *const types[] = {"kinematics", "inverse-dynamics", "dynamics"};
  static const struct {
    const char *force, *motion;
    double fails; /* at this time; 0: not; -1: at the start */
  } cases[] = {{CLUTCH(PART("joint": "i")), "sin(t)", 1.5707963267948966},
                {CLUTCH(PART("joint": "i")), "t - sin(t)", 0},
                 {CLUTCH(PART("joint": "i")), "-t", -1},
                  {CLUTCH(PART("joint": "i", "teeth": 12)), "sin(t)", 2.1271333},
                   {CLUTCH(PART("joint": "i", "teeth": 12)), "0.3 + 0.2*sin(3*t)", 0},
                    {PLAY(PART("joint": "i", "gap": 1)), "2*sin(t)", 0.25268025514207865}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int type = 0; type < 3; type++) {
      EACH(f, dim) {
        char *free_one = pendulum(0, cases[k].force);
        char *driver = models_text(JSON({"drivers": [{"name": "d", "type": "joint", "joint": "i", "function": "%s"}]}),
                                   cases[k].motion);
        char *document = models_merged(free_one, driver);
        free(free_one);
        free(driver);
        model_run run = model_run_with(model_run_in(dim, document), over_time(f, types[type], 3, 0.25));
        if (cases[k].fails == 0) {
          model_run_require(&run);
        } else {
          if (run.status != MBS_LIMIT_EXCEEDED) fail_msg("case %zu, %s: %s", k, types[type], run.error.message);
          const double tooth = cases[k].fails > 2 ? pi - asin(pi / 6) : fmax(cases[k].fails, 0);
          assert_close(run.error.time, tooth, 1e-6);
        }
        model_run_free(&run);
      }
    }
}

/* ---- errors -------------------------------------------------------------------------------------------------- */

static void test_errors(void **state) {
  (void)state;
  static const struct {
    const char *force, *pointer, *message;
  } cases[] = {{CLUTCH(PART("teeth": 3)), "/forces/2", "missing field 'joint' or 'joints'"},
                {CLUTCH(PART("joint": "i", "joints": ["i", "j"])), "/forces/2", "not both"},
                 {CLUTCH(PART("joint": "i", "ratio": 2)), "/forces/2/ratio", "two 'joints'"},
                  {CLUTCH(PART("joint": "x")), "/forces/2/joint", "'x'"},
                   {CLUTCH(PART("joints": ["i", "x"])), "/forces/2/joints/1", "'x'"},
                    {CLUTCH(PART("joints": ["i"])), "/forces/2/joints", ""},
                     {CLUTCH(PART("joint": "i", "teeth": 2.5)), "/forces/2/teeth", "whole number"},
                      {PLAY(PART("joint": "i")), "/forces/2", "'gap'"},
                       {PLAY(PART("joint": "i", "gap": 0)), "/forces/2/gap", ""},
                        {PLAY(PART("joint": "i", "gap": 1, "damping": 2)), "/forces/2/damping", "needs a stiffness"},
                         {PLAY(PART("joint": "i", "gap": 1, "stiffness": 2, "restitution": 0.5)),
                               "/forces/2/restitution", "restitution"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    mbs_diagnostics list = {0};
    char *document = wheels(0, 0, "0", "0", cases[k].force);
    assert_null(models_try_build(document, JSON({"type": "assembly"}), &list));
    if (strcmp(list.items[0].pointer + strlen("/model"), cases[k].pointer) != 0 ||
        !strstr(list.items[0].message, cases[k].message))
      fail_msg("case %zu: %s: %s", k, list.items[0].pointer, list.items[0].message);
    assert_int_equal(list.count, 1);
    mbs_diagnostics_free(&list);
    free(document);
  }
}

/* ---- starts ---------------------------------------------------------------------------------------------------- */

static const char *const single[] = {JSON({"type": "dynamics", "t_end": 0.1, "dt": 0.1}), JSON({"type": "assembly"}),
                                     JSON({"type": "equilibrium"}), JSON({"type": "linearization"})};

/* A point mass above, on or in the floor: it starts on the floor in each analysis, its load is its weight, and the
 * contact is no constraint that counts. */
static void test_start_in_the_floor(void **unused) {
  (void)unused;
  MODEL(floor,
      {"space": "planar", "gravity": [0, -10],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]},
                   "initial": {"position": [0, %g]}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "line": ["ground.O", "ground.u"], "point": "b.C"}],
       "sensors": [{"name": "y", "value": "b.y"}, {"name": "N", "value": "c.force"}], "analysis": %s});
  for (int k = 0; k < 8; k++) {
    model_run run = model_run_text(floor, k % 2 ? -0.01 : 0.0, single[k / 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "y", 0, 0), 0, 1e-15);
    assert_close(model_run_value(&run, "N", 0, 0), 20, 1e-9);
    assert_int_equal(run.result->report.degrees_of_freedom, 3);
    assert_int_equal(run.result->report.velocity_freedoms, 3);
    if (k % 2) {
      assert_close(run.result->report.q_before[1], -0.01, 0);
      assert_close(run.result->report.q_after[1], 0, 1e-15);
    }
    model_run_free(&run);
  }
}

/* A box that rests on two contacts and is pulled along the floor with 4 N: both hold it, and both are named. The loads
 * are 8 and 10 N, and the friction is shared as their squares. */
static void test_held_on_two_corners(void **unused) {
  (void)unused;
  MODEL(box,
      {"space": "planar", "gravity": [2, -9],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.05, "points": {"a": [-0.2, -0.1], "b": [0.2, -0.1]},
                   "initial": {"position": [0, 0.1]}}],
       "forces": [{"name": "left", "type": "contact", "law": "rigid", "line": ["ground.O", "ground.u"], "point": "b.a",
                   "friction": {"law": "coulomb", "mu_dynamic": 0.3}},
                  {"name": "right", "type": "contact", "law": "rigid", "line": ["ground.O", "ground.u"], "point": "b.b",
                   "friction": {"law": "coulomb", "mu_dynamic": 0.3}}],
       "sensors": [{"name": "share", "value": "left.friction"}],
       "analysis": {"type": "equilibrium", "formulation": "%s"}});
  for (int f = 0; f < 2; f++) {
    model_run run = model_run_text(box, formulations[f]);
    model_run_require(&run);
    const mbs_report *report = &run.result->report;
    assert_int_equal(report->held_count, 2);
    assert_string_equal(report->held_by_friction[0], "left");
    assert_string_equal(report->held_by_friction[1], "right");
    assert_close(model_run_value(&run, "share", 0, 0), -4.0 * 64 / 164, 1e-8);
    model_run_free(&run);
  }
}

/* Forces that nothing resists at the start move the mechanism until a stop or the floor carries it. */
static void test_equilibrium_at_a_stop(void **unused) {
  (void)unused;
  MODEL(slide,
      {"space": "planar", "gravity": [0, -10],
       "ground": {"points": {"O": [0, 0], "F": [0, -0.5]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
                  {"name": "ball", "mass": 3, "inertia": 0.1, "points": {"C": [0, 0]},
                   "shapes": [{"type": "circle", "name": "rim", "radius": 0.1}]},
                  {"name": "table", "mass": 1, "inertia": 1, "points": {"C": [0, 0]},
                   "shapes": [{"type": "rectangle", "name": "top", "width": 4, "height": 0.02}]}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"], %s},
                  {"name": "weld", "type": "rigid", "points": ["ground.F", "table.C"]}],
       "forces": [{"name": "push", "type": "force", "body": "b", "value": [4, 0]},
                  {"name": "floor", "type": "contact", "shapes": ["table.top", "ball.rim"], %s}],
       "sensors": [{"name": "x", "value": "b.x"}, {"name": "y", "value": "ball.y"},
                   {"name": "N", "value": "floor.force"}],
       "analysis": {"type": "equilibrium", "formulation": "%s"}});
  static const char *const limits[] = {
      PART("limits": {"upper": 1}),
           PART("limits": {"upper": 1, "stiffness": 100})}, *const laws[] = {
                                                                PART("law": "rigid"),
                                                                     PART("law": "kelvin-voigt", "stiffness": 3000)};
  for (int k = 0; k < 8; k++) {
    const int soft = k & 1, yields = k >> 1 & 1;
    model_run run = model_run_text(slide, limits[soft], laws[yields], formulations[k >> 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "x", 0, 0), soft ? 1.04 : 1, 1e-9);
    assert_close(model_run_value(&run, "y", 0, 0), yields ? -0.4 : -0.39, 1e-9);
    assert_close(model_run_value(&run, "N", 0, 0), 30, 1e-6);
    model_run_free(&run);
  }
  model_run falls = model_run_text(slide, PART("limits": {"lower": -1}), laws[0], "joint");
  assert_int_equal(falls.status, MBS_NO_EQUILIBRIUM);
  assert_string_equal(falls.error.element, "j");
  model_run_free(&falls);
}

/* A start beyond a rigid limit ends each analysis. */
static void test_start_beyond_a_limit(void **unused) {
  (void)unused;
  MODEL(slide,
      {"space": "planar", "gravity": [0, -10],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"], "initial": {"position": %g}, "limits": {"upper": "1 m"}}],
       "analysis": %s});
  for (int k = 0; k < 8; k++) {
    model_run run = model_run_text(slide, k % 2 ? 1.2 : 0.9, single[k / 2]);
    if (k % 2) {
      assert_int_equal(run.status, MBS_LIMIT_EXCEEDED);
      assert_string_equal(run.error.element, "j");
      assert_close(run.error.time, 0, 0);
    } else {
      model_run_require(&run);
      assert_int_equal(run.result->report.degrees_of_freedom, 1);
    }
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_clutch),
                                     cmocka_unit_test(test_coupled),
                                     cmocka_unit_test(test_backward_start),
                                     cmocka_unit_test(test_ratchet),
                                     cmocka_unit_test(test_ratchet_start),
                                     cmocka_unit_test(test_rigid_backlash),
                                     cmocka_unit_test(test_compliant_backlash),
                                     cmocka_unit_test(test_equilibrium),
                                     cmocka_unit_test(test_prescribed),
                                     cmocka_unit_test(test_start_in_the_floor),
                                     cmocka_unit_test(test_held_on_two_corners),
                                     cmocka_unit_test(test_equilibrium_at_a_stop),
                                     cmocka_unit_test(test_start_beyond_a_limit),
                                     cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
