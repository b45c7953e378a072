/* Events, variables, sampled values and the end of a run by `stop_when`. */
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

#include "expect.h"

#include <math.h>

static const char *const formulations[] = {"joint", "body"};
static const char *const constraints[] = {"projection", "partitioning", "baumgarte", "none"};
static const char *const integrators[] = {
    JSON({"method": "dopri5", "rtol": 1e-10, "atol": 1e-12}), JSON({"method": "dop853", "rtol": 1e-10, "atol": 1e-12}),
    JSON({"method": "rk4", "fixed_step": 0.01}), JSON({"method": "bdf", "rtol": 1e-10, "atol": 1e-12})};
enum { FORMULATIONS = 2, CONSTRAINTS = 4, INTEGRATORS = 4 };

/* Runs a document with other members. */
static model_run run_with(const char *document, const char *members) {
  char *text = models_with(document, members);
  model_run run = model_run_text("%s", text);
  free(text);
  return run;
}

/* ---- a ball that an event throws back ------------------------------------------------------------------------ */

static const double g = 9.81, restitution = 0.8;

/* Time of hit number k, from 1, of a ball that falls from 1 m. */
static double hit(int k) {
  double t = sqrt(2 / g);
  for (int i = 1; i < k; i++) t += 2 * sqrt(2 / g) * pow(restitution, i);
  return t;
}

/* Height of the ball at t, after so many hits. */
static double height(double t, int hits) {
  if (hits == 0) return 1 - 0.5 * g * t * t;
  const double flight = t - hit(hits), v = sqrt(2 * g) * pow(restitution, hits);
  return v * flight - 0.5 * g * flight * flight;
}

MODEL(ball,
    {"space": "planar", "gravity": [0, -9.81],
     "ground": {"points": {"O": [0, 0]}, "vectors": {"v": [0, 1]}},
     "bodies": [{"name": "ball", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"v": [0, 1]}}],
     "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "ball.C"],
                 "vectors": ["ground.v", "ball.v"], "initial": {"position": 1}}],
     "variables": {"n": 0},
     "sensors": [{"name": "height", "value": "ball.y"}, {"name": "hits", "value": "n"}]});

static void expect_bounces(const model_run *run, double tolerance) {
  const size_t rows = models_rows(run->result);
  assert_close(model_run_value(run, "T", -1, 0), hit(5), tolerance);
  assert_close(run->result->report.stopped_at, hit(5), tolerance);
  for (long row = 0; row < (long)rows; row++) {
    const double t = model_run_value(run, "T", row, 0), hits = model_run_value(run, "variables", row, 0);
    int expected = 0;
    while (expected < 5 && (row + 1 == (long)rows || hit(expected + 1) <= t)) expected++;
    assert_close(hits, expected, 0);
    assert_close(model_run_value(run, "hits", row, 0), expected, 0);
    assert_close(model_run_value(run, "height", row, 0), height(t, expected), tolerance);
  }
  assert_int_equal(model_run_events(run, "hit", "when"), 5);
  for (int k = 1; k <= 5; k++) assert_close(model_run_event(run, "hit", "when", (size_t)k - 1), hit(k), tolerance);
  /* the energy that the impulses take is negative work */
  const double speed = sqrt(2 * g) * pow(restitution, 5);
  assert_close(model_run_value(run, "energy", -1, 2), 0.5 * 2 * speed * speed - 2 * g, 10 * tolerance);
  assert_true(run->result->report.energy_change_max < 100 * tolerance);
}

/* Every method, every way of keeping constraints, and the three ways to write the event. */
static void test_bounces(void **state) {
  (void)state;
  static const char *const whens[] = {JSON("when"
                                           : "ball.y", "direction"
                                           : "falling"),
                                      JSON("when"
                                           : "ball.y"),
                                      JSON("when"
                                           : "ball.y < 0")};
  static const char *const stops[] = {JSON("n >= 5"), JSON({"when": "ball.y", "direction": "falling", "count": 5}),
                                      JSON({"when": "rail.q < 0", "count": 5})};
  for (int k = 0; k < FORMULATIONS * CONSTRAINTS * INTEGRATORS; k++) {
    char *more = models_text(
        PART({"events": [{"name": "hit", %s, "set": {"n": "n + 1", "rail.qd": "-0.8*rail.qd"}}],
              "analysis": {"type": "dynamics", "t_end": 10, "dt": 0.1, "formulation": "%s", "constraints": "%s",
                           "integrator": %s, "stop_when": %s}}),
                         whens[k % 3], formulations[k % FORMULATIONS], constraints[k / FORMULATIONS % CONSTRAINTS],
                         integrators[k / (FORMULATIONS * CONSTRAINTS)], stops[k / 3 % 3]);
    model_run run = run_with(ball, more);
    model_run_require(&run);
    expect_bounces(&run, k / (FORMULATIONS * CONSTRAINTS) == 3 ? 1e-8 : 1e-11);
    model_run_free(&run);
    free(more);
  }
}

/* A ball on the floor at the start has not passed it: only later hits count. */
static void test_start_at_zero(void **state) {
  (void)state;
  model_run run = run_with(ball, PART({"events": [{"name": "hit", "when": "ball.y - 1", "set": {"n": "n + 1"}},
                             {"name": "below", "when": "ball.y <= 1", "set": {"n": "n + 10"}}],
                  "analysis": {"type": "dynamics", "t_end": 0.4, "dt": 0.1}}));
  model_run_require(&run);
  assert_close(model_run_value(&run, "variables", -1, 0), 0, 0);
  model_run_free(&run);
}

/* ---- rates of several coordinates ---------------------------------------------------------------------------- */

/* Two rods of 1 m and 1 kg on a pin, without gravity. */
MODEL(two_rods,
    {"space": "planar", "gravity": [0, 0],
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [{"name": "a", "mass": 1, "inertia": 0.08, "points": {"A": [-0.5, 0], "B": [0.5, 0]}},
                {"name": "b", "mass": 1, "inertia": 0.08, "points": {"B": [-0.5, 0]}}],
     "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "a.A"],
                 "initial": {"position": 0.3, "velocity": 1.5}},
                {"name": "q", "type": "revolute", "points": ["a.B", "b.B"],
                 "initial": {"position": 0.9, "velocity": -0.7}}],
     "sensors": [{"name": "momentum", "value": "0.08*(a.omega + b.omega) + a.x*a.vy - a.y*a.vx + b.x*b.vy - b.y*b.vx"},
                 {"name": "inner", "value": "0.08*b.omega + (b.x - a.B.x)*b.vy - (b.y - a.B.y)*b.vx"},
                 {"name": "energy_T", "value": "energy.kinetic - energy.work"}]});

static model_run run_rods(const char *set, const char *formulation) {
  char *more =
      models_text(PART({"events": [{"name": "e", "when": "t - 0.5", "set": {%s}}],
                                 "analysis": {"type": "dynamics", "t_end": 0.6, "dt": 0.1, "formulation": "%s",
                                              "integrator": {"rtol": 1e-11, "atol": 1e-13}}}),
                                    set, formulation);
  model_run run = run_with(two_rods, more);
  model_run_require(&run);
  free(more);
  return run;
}

/* The impulse of a set rate acts along its coordinate: between both rods it does not change their angular momentum
 * about the pin; at the pin it does not change that of the second rod about the joint between them. */
static void test_impulses(void **state) {
  (void)state;
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run inner = run_rods(PART("q.qd": "2*q.qd + 1"), formulations[k]),
                               outer = run_rods(PART("p.qd": "-p.qd"), formulations[k]),
                                                both = run_rods(PART("p.qd": "q.qd", "q.qd": "p.qd"), formulations[k]),
                                                                none = run_rods(PART("p.qd": "p.qd"), formulations[k]);
    const double before = model_run_value(&none, "momentum", 5, 0), p = model_run_value(&none, "pd", 5, 0),
                 q = model_run_value(&none, "pd", 5, 1) - p;
    assert_close(model_run_value(&inner, "momentum", 5, 0), before, 1e-11);
    assert_close(model_run_value(&inner, "pd", 5, 1) - model_run_value(&inner, "pd", 5, 0), 2 * q + 1, 1e-11);
    assert_close(model_run_value(&outer, "inner", 5, 0), model_run_value(&none, "inner", 5, 0), 1e-11);
    assert_close(model_run_value(&outer, "pd", 5, 0), -p, 1e-11);
    assert_close(model_run_value(&both, "pd", 5, 0), q, 1e-11);
    assert_close(model_run_value(&both, "pd", 5, 1), p + q, 1e-11);
    assert_close(model_run_value(&none, "momentum", 0, 0), before, 1e-11);
    const model_run *runs[] = {&inner, &outer, &both, &none};
    for (int i = 0; i < 4; i++) {
      assert_close(model_run_value(runs[i], "energy_T", 5, 0), model_run_value(runs[i], "energy_T", 0, 0), 1e-11);
      assert_close(model_run_event(runs[i], "e", "when", 0), 0.5, 1e-14);
    }
    model_run_free(&inner);
    model_run_free(&outer);
    model_run_free(&both);
    model_run_free(&none);
  }
}

/* In space, a universal joint in a loop: the rates of all constraints stay, and the rate that was set is there. */
static void test_impulse_in_space(void **state) {
  (void)state;
  for (int k = 0; k < FORMULATIONS; k++) {
    char *more = models_text(PART({"events": [{"name": "e", "when": "t > 0.25", "set": {"C.qd1": "1"}}],
                                   "sensors": [{"name": "rate", "value": "C.qd1"}],
                                   "analysis": {"type": "dynamics", "t_end": 0.5, "dt": 0.05, "formulation": "%s",
                                                "stop_when": "t > 0.25",
                                                "integrator": {"rtol": 1e-10, "atol": 1e-12}}}),
                                                           formulations[k]);
    char *document = models_named_with("SliderCrank3D_free", more);
    model_run run = model_run_text("%s", document);
    model_run_require(&run);
    assert_int_equal(models_rows(run.result), 6);
    assert_close(model_run_value(&run, "rate", -1, 0), 1, 1e-12);
    assert_true(run.result->report.residual_max[1] < 1e-12);
    assert_true(run.result->report.energy_change_max < 1e-9);
    model_run_free(&run);
    free(document);
    free(more);
  }
}

/* A rate that a driver or a loop determines cannot be set. */
static void test_determined_rates(void **state) {
  (void)state;
  mbs_result *result;
  mbs_error error;
  char *loop = models_named_with(
      "SliderCrank3D_free", PART({"events": [{"name": "e", "when": "t > 0.25", "set": {"A.qd": "1", "D.qd": "1"}}]}));
  char *driven =
      models_with(two_rods, PART({"drivers": [{"name": "d", "type": "joint", "joint": "q", "function": "0.9 - 0.7*t"}],
                      "events": [{"name": "e", "when": "t > 0.25", "set": {"q.qd": "1"}}],
                      "analysis": {"type": "dynamics", "t_end": 0.6, "dt": 0.1}}));
  for (int k = 0; k < FORMULATIONS; k++) {
    char *analysis =
        models_text(PART({"type": "dynamics", "t_end": 0.6, "dt": 0.1, "formulation": "%s"}), formulations[k]);
    expect_failure(loop, analysis, MBS_CONTRADICTION, "D", "sets 'D.qd'", &result, &error);
    mbs_result_free(result);
    expect_failure(driven, analysis, MBS_CONTRADICTION, "q", "sets 'q.qd'", &result, &error);
    mbs_result_free(result);
    free(analysis);
  }
  free(loop);
  free(driven);
}

/* A ball at rest on a rigid stop can be thrown up, but not through the stop. */
static void test_touch(void **state) {
  (void)state;
  char *document = models_with(
      ball, PART({"joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "ball.C"],
                              "vectors": ["ground.v", "ball.v"], "initial": {"position": 0.1},
                              "limits": {"lower": 0.1}}],
                  "events": [{"name": "up", "when": "t - 0.5", "set": {"rail.qd": "3"}},
                             {"name": "down", "when": "t > 1.5", "set": {"rail.qd": "-2"}}]}));
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = run_with(
        document, k ? PART({"analysis": {"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "body"}})
                           : PART({"analysis": {"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "joint"}}));
    model_run_require(&run);
    assert_close(model_run_value(&run, "height", 8, 0), 0.1 + 3 * 0.3 - 0.5 * g * 0.09, 1e-9);
    assert_close(model_run_event(&run, "rail", "limit reached", 1), 0.5 + 6 / g, 1e-9);
    assert_close(model_run_value(&run, "height", -1, 0), 0.1, 1e-9);
    assert_true(run.result->report.energy_change_max < 1e-9);
    model_run_free(&run);
  }
  free(document);
}

/* ---- variables -------------------------------------------------------------------------------------------------- */

/* Right sides read the values before; then conditions count again; a row shows the values after its instant. */
static void test_rounds(void **state) {
  (void)state;
  model_run run = run_with(
      ball, PART({"variables": {"a": 1, "b": 2, "c": 0, "n": 0},
                  "events": [{"name": "swap", "when": "t - 0.2", "set": {"a": "b", "b": "a"}},
                             {"name": "second", "when": "a > 1.5", "set": {"c": "c + 10*b + a"}},
                             {"name": "third", "when": "c > 5", "set": {"n": "n + 1"}}],
                  "analysis": {"type": "dynamics", "t_end": 0.4, "dt": 0.1}}));
  static const double after[] = {2, 1, 12, 1}, before[] = {1, 2, 0, 0};
  model_run_require(&run);
  for (long row = 0; row < 5; row++)
    for (size_t i = 0; i < 4; i++)
      assert_close(model_run_value(&run, "variables", row, i), row < 2 ? before[i] : after[i], 0);
  assert_int_equal(run.result->report.event_count, 3);
  model_run_free(&run);
}

static void test_endless_rounds(void **state) {
  (void)state;
  mbs_result *result;
  mbs_error error;
  char *document = models_with(
      ball, PART({"variables": {"n": 0},
                  "events": [{"name": "first", "when": "t > 0.2 && n == 2*floor(n/2)", "set": {"n": "n + 1"}},
                             {"name": "second", "when": "n == 2*floor(n/2) + 1", "set": {"n": "n + 1"}}],
                  "analysis": {"type": "dynamics", "t_end": 0.4, "dt": 0.1}}));
  expect_failure(document, NULL, MBS_STEP_TOO_SMALL, "first", "trigger one another without end", &result, &error);
  mbs_result_free(result);
  free(document);
}

/* Variables in laws, in constraints and in potentials: the balance of energy closes. A constraint's value must not
 * jump. */
static void test_variables_in_laws(void **state) {
  (void)state;
  char *document = models_with(
      ball, PART({"variables": {"k": 100, "d": 0},
                  "forces": [{"name": "spring", "type": "spring-damper", "points": ["ground.O", "ball.C"],
                              "stiffness": "k", "free_length": 1.5, "damping": "d"}],
                  "events": [{"name": "change", "when": "rail.qd", "set": {"k": "k + 20", "d": "d + 2"}}],
                  "sensors": [],
                  "analysis": {"type": "dynamics", "t_end": 3, "dt": 0.1,
                               "integrator": {"rtol": 1e-10, "atol": 1e-12}}}));
  for (int k = 0; k < FORMULATIONS; k++) {
    char *analysis = models_text(PART({"type": "dynamics", "t_end": 3, "dt": 0.1, "formulation": "%s",
                                       "integrator": {"rtol": 1e-10, "atol": 1e-12}}),
                                       formulations[k]);
    mbs_result *result = models_run(document, analysis);
    assert_true(result->report.event_count > 1);
    assert_true(result->report.energy_change_max < 1e-8);
    mbs_result_free(result);
    free(analysis);
  }
  free(document);
  document = models_with(
      two_rods,
      PART({"variables": {"d": 0},
                      "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "a.A"]},
                                 {"name": "q", "type": "revolute", "points": ["a.B", "b.B"]},
                                 {"name": "c", "type": "expression", "value": "b.phi - 2*a.phi - d"}],
                      "events": [{"name": "e", "when": "t > 0.2", "set": {"d": "1"}}], "sensors": [],
                      "analysis": {"type": "dynamics", "t_end": 0.4, "dt": 0.1}}));
  mbs_result *result;
  mbs_error error;
  expect_failure(document, NULL, MBS_CONTRADICTION, "c", "jumps", &result, &error);
  mbs_result_free(result);
  free(document);
}

/* ---- sampled values ------------------------------------------------------------------------------------------- */

/* A mass whose force a controller sets at instants. */
MODEL(controlled,
    {"space": "planar", "gravity": [0, 0],
     "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
     "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
     "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "b.C"],
                 "vectors": ["ground.u", "b.u"], "initial": {"position": 1}}],
     "sampled": [{"name": "u", "period": %g, "offset": %g, "initial": 0.5, "value": "-4*rail.q - 2*rail.qd"},
                 {"name": "old", "period": %g, "offset": %g, "value": "u + 0*b.ax"}],
     "forces": [{"name": "f", "type": "force", "body": "b", "value": ["u", 0]}],
     "sensors": [{"name": "a", "value": "b.ax"}],
     "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.05, "formulation": "%s", "integrator": %s}});

/* Between samples the force is constant; a row at a sample shows the new one, also at the end of the run. */
static void test_sampled(void **state) {
  (void)state;
  static const double times[][2] = {{0.1, 0}, {0.1, 0.03}, {0.07, 0}, {0.02, 0}, {3, 0}, {0.5, 0.5}};
  for (int k = 0; k < 6 * FORMULATIONS * INTEGRATORS; k++) {
    const double period = times[k % 6][0], offset = times[k % 6][1];
    const int method = k / 6 / FORMULATIONS;
    model_run run = model_run_text(controlled, period, offset, period, offset, formulations[k / 6 % FORMULATIONS],
                                   integrators[method]);
    const double tolerance = method == 3 ? 1e-7 : 1e-12;
    model_run_require(&run);
    assert_int_equal(models_rows(run.result), 21);
    for (long row = 0; row <= 20; row++) {
      const double t = 0.05 * (double)row;
      double x = 1, v = 0, u = 0.5, old = 0, at = 0;
      for (int i = 0; offset + i * period <= t + 1e-12; i++) {
        const double h = offset + i * period - at, before = u;
        x += v * h + 0.5 * u * h * h;
        v += u * h;
        at += h;
        u = -4 * x - 2 * v;
        old = before;
      }
      x += v * (t - at) + 0.5 * u * (t - at) * (t - at);
      assert_close(model_run_value(&run, "theta", row, 0), x, tolerance);
      assert_close(model_run_value(&run, "sampled", row, 0), u, 10 * tolerance);
      assert_close(model_run_value(&run, "sampled", row, 1), old, 10 * tolerance);
      assert_close(model_run_value(&run, "a", row, 0), u, 10 * tolerance);
    }
    model_run_free(&run);
  }
}

/* A zero at the instant of a sample, or at the end of the run, is one event, and the row there shows the state after
 * it. */
static void test_zeros_at_breaks(void **state) {
  (void)state;
  static const double periods[] = {0.1, 0.05, 0.5, 3};
  for (int k = 0; k < 4 * INTEGRATORS; k++) {
    char *members = models_text(
        PART({"sampled": [{"name": "s", "period": %g, "value": "t"}],
                          "events": [{"name": "e", "when": "%s", "set": {"n": "n + 1"}}],
                          "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "integrator": %s}}),
                                     periods[k % 4],
                                     k % 3 == 0   ? "t - 0.5"
                                     : k % 3 == 1 ? "0.5 - t"
                                                  : "(t - 0.5)*(t - 1)",
                                     integrators[k / 4]);
    model_run run = run_with(ball, members);
    model_run_require(&run);
    for (long row = 0; row <= 10; row++)
      assert_close(model_run_value(&run, "variables", row, 0), (row >= 5) + (k % 3 == 2 && row == 10), 0);
    model_run_free(&run);
    free(members);
  }
}

/* Analyses of a state keep the values that hold at the start, here with the first sample. */
static void test_other_analyses(void **state) {
  (void)state;
  static const char *const analyses[] = {JSON({"type": "assembly"}), JSON({"type": "equilibrium"}),
                                         JSON({"type": "linearization", "about": "state"})};
  char *document = models_text(PART({"space": "planar", "gravity": [0, -10],
            "ground": {"points": {"O": [0, 0]}, "vectors": {"v": [0, 1]}},
            "bodies": [{"name": "b", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"v": [0, 1]}}],
            "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "b.C"],
                        "vectors": ["ground.v", "b.v"], "initial": {"position": 1}}],
            "variables": {"k": 40}, "sampled": [{"name": "u", "period": 0.1, "initial": 7, "value": "5*rail.q"},
                                                {"name": "w", "period": 0.1, "offset": 0.1, "initial": 7, "value": 1}],
            "events": [{"name": "e", "when": "t > 1", "set": {"k": "0", "rail.qd": "1"}}],
            "forces": [{"name": "f", "type": "force", "body": "b", "value": [0, "u + w - 7 - k*rail.q"]}],
            "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}}));
  for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++) {
    mbs_result *result = models_run(document, analyses[i]);
    assert_close(models_row(result, "variables", 0)[0], 40, 0);
    assert_close(models_row(result, "sampled", 0)[0], 5, 1e-14);
    assert_close(models_row(result, "sampled", 0)[1], 7, 0);
    assert_non_null(models_note(result, "variables and sampled values keep their values at the start"));
    if (i == 1) assert_close(models_row(result, "theta", 0)[0], (5 - 20) / 40.0, 1e-9); /* k q = u - m g */
    if (i == 2) assert_close(models_row(result, "frequencies", 0)[0], sqrt(40 / 2.0) / 2 / 3.14159265358979, 1e-6);
    mbs_result_free(result);
  }
  free(document);
}

/* ---- the end of a run ----------------------------------------------------------------------------------------- */

static void expect_end(const char *stop, double t, size_t rows) {
  char *more =
      models_text(PART({"events": [], "analysis": {"type": "dynamics", "t_end": 0.4, "dt": 0.1, "stop_when": %s,
                                                            "integrator": {"rtol": 1e-11, "atol": 1e-13}}}),
                                   stop);
  model_run run = run_with(ball, more);
  model_run_require(&run);
  assert_int_equal(models_rows(run.result), rows);
  assert_int_equal(run.result->report.recorded, rows);
  assert_close(model_run_value(&run, "T", -1, 0), t, 1e-10);
  assert_close(model_run_value(&run, "height", -1, 0), height(t, 0), 1e-10);
  assert_int_equal(run.result->report.stopped_by != NULL, t < 0.4);
  model_run_free(&run);
  free(more);
}

static void test_stop(void **state) {
  (void)state;
  expect_end(JSON("ball.y < 0.8"), sqrt(0.4 / g), 4);
  expect_end(JSON("ball.y - 0.8"), sqrt(0.4 / g), 4);
  expect_end(JSON({"when": "ball.y - 0.8", "direction": "rising"}), 0.4, 5);
  expect_end(JSON({"when": "sin(20*t)", "count": 2}), 2 * 3.14159265358979 / 20, 5);
  expect_end(JSON("t - 0.2"), 0.2, 3);
  expect_end(JSON("t >= 0.2"), 0.2, 3);
  expect_end(JSON("ball.y > 0.5"), 0, 1);
  expect_end(JSON("t > 5"), 0.4, 5);
}

/* The outputs of a study end with the run: the last height, the mean speed and the time of the end. */
static void test_study(void **state) {
  (void)state;
  char *document = models_with(ball, PART({"parameters": {"level": 0.8}}));
  MODEL(analysis, {"type": "dynamics", "t_end": 3, "dt": 0.1, "stop_when": "ball.y - level",
                   "integrator": {"rtol": 1e-10, "atol": 1e-12}});
  MODEL(study, {"vary": [{"parameter": "level", "values": [0.8, 0.5]}],
                "outputs": [{"name": "end", "of": "t"}, {"name": "y", "of": "ball.y"},
                            {"name": "mean", "of": "ball.vy", "take": "mean"},
                            {"name": "least", "of": "ball.y", "take": "min"}]});
  mbs_diagnostics list = {0};
  mbs_error error;
  mbs_model *model = models_try_build_study(document, analysis, study, &list);
  assert_non_null(model);
  mbs_study *runs = mbs_study_new(model);
  for (size_t run = 0; run < 2; run++) {
    const double level = run ? 0.5 : 0.8, t = sqrt(2 * (1 - level) / g);
    double value, outputs[4];
    if (mbs_study_run(runs, run, NULL, &value, outputs, &error) != MBS_OK) fail_msg("%s", error.message);
    assert_close(outputs[0], t, 1e-9);
    assert_close(outputs[1], level, 1e-9);
    assert_close(outputs[2], (level - 1) / t, 1e-8);
    assert_close(outputs[3], level, 1e-8);
  }
  mbs_study_free(runs);
  mbs_model_free(model);
  free(document);
}

/* Derivatives across an event or a sample are refused by name; before it they exist. */
static void test_derivatives(void **state) {
  (void)state;
  static const char *const passing[] = {JSON("events"
                                             : [{"name": "hit", "when": "t - 0.2", "set": {"n": 1}}]),
                                        JSON("sampled"
                                             : [{"name": "hit", "period": 0.2, "value": "ball.y"}]),
                                        JSON("events"
                                             : [{"name": "hit", "when": "t - 2", "set": {"n": 1}}])};
  for (int k = 0; k < 3; k++) {
    char *members = models_text(PART({"parameters": {"h": 1}, "gravity": [0, "-9.81*h"], %s}), passing[k]),
                                *document = models_with(ball, members);
    mbs_model *model =
        models_build(document, PART({"type": "dynamics", "t_end": 0.3, "dt": 0.1, "sensitivities": ["h"]}));
    mbs_result *result;
    mbs_error error = {.time = 0};
    assert_int_equal(mbs_run(model, NULL, &result, &error), MBS_OK);
    assert_int_equal(mbs_sensitivities(model, NULL, result, &error), MBS_OK);
    const double *last = models_row(result, "sensitivities", 3);
    if (k < 2) assert_true(isnan(last[0]) && models_note(result, "passes 'hit'"));
    if (k == 2) assert_close(last[0], -0.5 * 9.81 * 0.09, 1e-6);
    mbs_result_free(result);
    mbs_model_free(model);
    free(members);
    free(document);
  }
}

/* A mechanism in motion passes its events, from call to call, and goes on where a run would end. */
static void test_session(void **state) {
  (void)state;
  char *document = models_with(
      ball, PART({"events": [{"name": "hit", "when": "ball.y", "set": {"n": "n + 1", "rail.qd": "-0.8*rail.qd"}}],
                  "sampled": [{"name": "seen", "period": 0.25, "value": "ball.y"}],
                  "forces": [{"name": "side", "type": "force", "body": "ball", "value": ["seen + n", 0]}],
                  "analysis": {"type": "dynamics", "t_end": 3, "dt": 0.1, "stop_when": "n >= 1",
                               "integrator": {"rtol": 1e-10, "atol": 1e-12}}}));
  mbs_model *model = models_build(document, NULL);
  mbs_error error;
  mbs_session *session = mbs_session_new(model, NULL, &error);
  assert_non_null(session);
  for (int i = 1; i <= 20; i++) {
    assert_int_equal(mbs_session_step(session, 0.1, NULL), MBS_OK);
    const double t = 0.1 * i, at = 0.25 * floor(t / 0.25 - 1e-9);
    int hits = 0, before = 0;
    while (hit(hits + 1) < t) hits++;
    while (hit(before + 1) < at) before++;
    assert_close(mbs_session_poses(session)[1], height(t, hits), 1e-8);
    assert_int_equal(mbs_session_evaluate(session), MBS_OK);
    /* the force across the rail shows both values; a sample at the end of a step is taken when the next one begins */
    assert_close(mbs_session_forces(session)[0], height(at, before) + hits, 1e-8);
  }
  mbs_session_free(session);
  mbs_model_free(model);
  free(document);
}

/* ---- errors of documents -------------------------------------------------------------------------------------- */

static void expect_wrong(const char *members, const char *pointer, const char *words) {
  char *document = models_with(ball, PART({"analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}})),
                               *wrong = models_with(document, members);
  char *place = models_text("/model%s", pointer);
  expect_error(wrong, NULL, place, words);
  free(place);
  free(document);
  free(wrong);
}

/* A new value that a table does not have ends the run by the table's name. */
static void test_outside_of_a_table(void **state) {
  (void)state;
  static const char *const changes[] = {PART({"functions": {"F": {"x": [0, 1], "y": [0, 1]}},
            "events": [{"name": "e", "when": "t - 0.2", "set": {"n": "F(t + 2)"}}]}),
      PART({"functions": {"F": {"x": [0, 1], "y": [0, 1]}},
            "sampled": [{"name": "e", "period": 0.2, "value": "F(1.5*t + 0.8)"}]})};
  for (size_t k = 0; k < 2; k++) {
    char *document = models_with(ball, changes[k]);
    mbs_result *result;
    mbs_error error;
    expect_failure(document, JSON({"type": "dynamics", "t_end": 0.4, "dt": 0.1}), MBS_OUTSIDE_TABLE, "e", "'F'",
                   &result, &error);
    assert_close(error.time, 0.2, 1e-9);
    mbs_result_free(result);
    free(document);
  }
}

#define EVENT(...) PART({"events": [{"name": "e", __VA_ARGS__}]})

static void test_errors(void **state) {
  (void)state;
  expect_wrong(EVENT("when" : "t - 1", "set" : {"m": 1}), "/events/0/set/m", "no variable 'm'");
  expect_wrong(EVENT("when" : "t - 1", "set" : {"rial.qd": 1}), "/events/0/set/rial.qd", "did you mean 'rail'");
  expect_wrong(EVENT("when" : "t - 1", "set" : {"rail.q": 1}), "/events/0/set/rail.q", "qd of joint 'rail'");
  expect_wrong(EVENT("when" : "t - 1", "set" : {"rail.qd2": 1}), "/events/0/set/rail.qd2", "qd of joint 'rail'");
  expect_wrong(EVENT("when" : "t - 1", "set" : {"n": "x"}), "/events/0/set/n", "no parameter or quantity 'x'");
  expect_wrong(EVENT("when" : "ball.ay"), "/events/0/when", "accelerations");
  expect_wrong(EVENT("when" : "rail.fx"), "/events/0/when", "reactions");
  expect_wrong(EVENT("when" : "energy.work"), "/events/0/when", "energies");
  expect_wrong(EVENT("when" : 1), "/events/0/when", "constant");
  expect_wrong(EVENT("when" : "t > 1", "direction" : "falling"), "/events/0/direction", "becomes true");
  expect_wrong(PART({"events": [{"name": "e", "when": "t - 1"}, {"name": "e", "when": "t - 2"}]}), "/events/1/name",
                     "already an event named 'e'");
  expect_wrong(PART({"parameters": {"n": 1}}), "/variables/n", "already a parameter");
  expect_wrong(PART({"variables": {"t": 1}}), "/variables/t", "reserved");
  expect_wrong(PART({"sampled": [{"name": "n", "period": 1, "value": "t"}]}), "/sampled/0/name", "already");
  expect_wrong(PART({"sampled": [{"name": "u", "period": 0, "value": "t"}]}), "/sampled/0/period", "greater than 0");
  expect_wrong(PART({"sampled": [{"name": "u", "period": 1, "offset": -1, "value": "t"}]}), "/sampled/0/offset",
                    "at least 0");
  expect_wrong(PART({"sampled": [{"name": "u", "period": 1, "value": "t"}],
                     "events": [{"name": "e", "when": "t - 1", "set": {"u": 1}}]}), "/events/0/set/u",
                                 "sampled value");
  expect_wrong(PART({"inputs": {"u": 1}, "events": [{"name": "e", "when": "t - 1", "set": {"u": 1}}]}),
                                "/events/0/set/u",
                                "'u' is an input, whose values come from outside the model; an event sets");
  expect_wrong(PART({"signals": [{"name": "u", "value": "n"}],
                     "events": [{"name": "e", "when": "t - 1", "set": {"u": 1}}]}), "/events/0/set/u",
                                 "is a signal");
  expect_wrong(PART({"drivers": [{"name": "d", "type": "joint", "joint": "rail", "function": "n*t"}]}),
                    "/drivers/0/function", "only t and parameters");
  expect_wrong(PART({"sensors": [{"name": "variables", "value": "t"}]}), "/sensors/0/name", "result array");
  expect_wrong(PART({"analysis": {"type": "equilibrium", "stop_when": "t > 1"}}), "/analysis/stop_when",
                    "dynamics only");
  expect_wrong(PART({"analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "stop_when": {"when": "ball.ay"}}}),
                     "/analysis/stop_when/when", "accelerations");
  expect_wrong(
      PART({"analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "stop_when": {"when": "t", "count": 1.5}}}),
            "/analysis/stop_when/count", "whole number");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounces),
                                     cmocka_unit_test(test_start_at_zero),
                                     cmocka_unit_test(test_impulses),
                                     cmocka_unit_test(test_impulse_in_space),
                                     cmocka_unit_test(test_determined_rates),
                                     cmocka_unit_test(test_touch),
                                     cmocka_unit_test(test_rounds),
                                     cmocka_unit_test(test_endless_rounds),
                                     cmocka_unit_test(test_variables_in_laws),
                                     cmocka_unit_test(test_sampled),
                                     cmocka_unit_test(test_outside_of_a_table),
                                     cmocka_unit_test(test_zeros_at_breaks),
                                     cmocka_unit_test(test_other_analyses),
                                     cmocka_unit_test(test_stop),
                                     cmocka_unit_test(test_study),
                                     cmocka_unit_test(test_derivatives),
                                     cmocka_unit_test(test_session),
                                     cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
