/* States and signals of a document, against the solution of linear equations x' = A x, x(t) = exp(A t) x(0). */
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

enum { SIZE_MAX_OF_SYSTEM = 6 };

/* Computes x := exp(A t) x for A [n x n], row by row: Taylor series over short steps. */
static void propagate(size_t n, const double *A, double t, double *x) {
  enum { STEPS = 64, TERMS = 24 };
  const double h = t / STEPS;
  for (int step = 0; step < STEPS; step++) {
    double term[SIZE_MAX_OF_SYSTEM], next[SIZE_MAX_OF_SYSTEM];
    memcpy(term, x, n * sizeof *x);
    for (int k = 1; k < TERMS; k++) {
      for (size_t i = 0; i < n; i++) {
        next[i] = 0;
        for (size_t j = 0; j < n; j++) next[i] += A[i * n + j] * term[j] * h / k;
      }
      memcpy(term, next, n * sizeof *x);
      for (size_t i = 0; i < n; i++) x[i] += term[i];
    }
  }
}

/* A mass on a spring, pushed by a force that lags: 2 x'' = f - 80 x - 3 x', 0.2 f' = -25 x - f. */
static const char planar[] = JSON({
  "space": "planar",
  "gravity": [0, 0],
  "parameters": {"tau": 0.2, "k": 100},
  "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
  "bodies": [{"name": "cart", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
  "joints": [{
    "name": "rail",
    "type": "translational",
    "points": ["ground.O", "cart.C"],
    "vectors": ["ground.u", "cart.u"],
    "initial": {"position": 0.1}
  }],
  "signals": [
    {"name": "u", "value": "pull + 0*e"}, {"name": "pull", "value": "f + spring - 3*cart.vx"},
    {"name": "spring", "value": "80*e"}, {"name": "e", "value": "-cart.x"}, {"name": "five", "value": 5}
  ],
  "forces": [{"name": "F", "type": "force", "body": "cart", "value": ["u", 0]}],
  "sensors": [{"name": "twice", "value": "2*u"}]
});
static const char spatial[] = JSON({
  "space": "spatial",
  "gravity": [0, 0, 0],
  "parameters": {"tau": 0.2, "k": 100},
  "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [1, 0, 0]}},
  "bodies":
      [{"name": "cart", "mass": 2, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0]}, "vectors": {"u": [1, 0, 0]}}],
  "joints": [{
    "name": "rail",
    "type": "prismatic",
    "points": ["ground.O", "cart.C"],
    "vectors": ["ground.u", "cart.u"],
    "initial": {"position": 0.1}
  }],
  "signals": [
    {"name": "u", "value": "pull + 0*e"}, {"name": "pull", "value": "f + spring - 3*cart.vx"},
    {"name": "spring", "value": "80*e"}, {"name": "e", "value": "-cart.x"}, {"name": "five", "value": 5}
  ],
  "forces": [{"name": "F", "type": "force", "body": "cart", "value": ["u", 0, 0]}],
  "sensors": [{"name": "twice", "value": "2*u"}]
});
static const char states[] =
    JSON({"states": [{"name": "f", "rate": "(25*e - f)/tau", "initial": "k/50"}, {"name": "clock", "rate": 1}]});
static const char state[] = JSON({"states": [{"name": "f", "rate": "(25*e - f)/tau"}]});
static const double lag_matrix[] = {0, 1, 0, -40, -1.5, 0.5, -125, 0, -5};

static void expect_lag(const model_run *run, double tolerance) {
  double x[] = {0.1, 0, 2};
  for (long row = 0; row <= 4; row++) {
    const double u = x[2] - 80 * x[0] - 3 * x[1], t = 0.25 * (double)row;
    assert_close(model_run_value(run, "r", row, 0), x[0], tolerance);
    assert_close(model_run_value(run, "states", row, 0), x[2], tolerance);
    assert_close(model_run_value(run, "states", row, 1), t, tolerance);
    assert_close(model_run_value(run, "signals", row, 0), u, 100 * tolerance);
    assert_close(model_run_value(run, "signals", row, 3), -x[0], tolerance);
    assert_close(model_run_value(run, "signals", row, 4), 5, 0);
    assert_close(model_run_value(run, "twice", row, 0), 2 * u, 200 * tolerance);
    propagate(3, lag_matrix, 0.25, x);
  }
}

/* Each method integrates states with the motion, in each formulation and space. */
static void test_methods(void **unused) {
  static const char *const methods[] = {JSON({"method": "dopri5", "rtol": 1e-10, "atol": 1e-12}),
                                        JSON({"method": "dop853", "rtol": 1e-10, "atol": 1e-12}),
                                        JSON({"method": "rk4", "fixed_step": 0.0005}),
                                        JSON({"method": "bdf", "rtol": 1e-10, "atol": 1e-12})};
  static const double tolerances[] = {1e-8, 1e-9, 1e-9, 1e-6};
  (void)unused;
  for (int k = 0; k < 16; k++) {
    char *analysis = models_text(
        PART({"analysis": {"type": "dynamics", "t_end": 1, "dt": 0.25, "formulation": "%s", "integrator": %s}}),
             k % 2 ? "body" : "joint", methods[k / 4]);
    char *document = models_merged(k % 4 < 2 ? planar : spatial, states);
    model_run run = model_run_merged(document, analysis);
    model_run_require(&run);
    assert_int_equal(models_columns(run.result, "states"), 2);
    assert_int_equal(models_columns(run.result, "signals"), 5);
    expect_lag(&run, tolerances[k / 4]);
    model_run_free(&run);
    free(document);
    free(analysis);
  }
}

/* The state matrix of the same system, and its eigenvalues: those of the sample of the contract. */
static void test_linearization(void **unused) {
  static const double expected[][2] = {
      {-5.941429025838973, 0}, {-0.2792854870805132, 6.641030779768659}, {-0.2792854870805132, -6.641030779768659}};
  (void)unused;
  for (int k = 0; k < 4; k++) {
    char *analysis = models_text(PART({"analysis": {"type": "linearization", "about": "%s", "formulation": "%s"}}),
                                      "state", k % 2 ? "body" : "joint");
    char *document = models_merged(k < 2 ? planar : spatial, state);
    model_run run = model_run_merged(document, analysis);
    model_run_require(&run);
    for (long i = 0; i < 3; i++) {
      for (size_t j = 0; j < 3; j++)
        assert_close(model_run_value(&run, "state_matrix", i, j), lag_matrix[(size_t)i * 3 + j], 1e-10);
      for (size_t j = 0; j < 2; j++) assert_close(model_run_value(&run, "eigenvalues", i, j), expected[i][j], 1e-10);
    }
    assert_close(model_run_value(&run, "M", 0, 0), 2, 1e-12);
    assert_close(model_run_value(&run, "K", 0, 0), 80, 1e-9);
    assert_close(model_run_value(&run, "C_d", 0, 0), 3, 1e-10);
    model_run_free(&run);
    free(document);
    free(analysis);
  }
}

/* Equilibria of positions and states: a lag, f = -25 x + 3 = 80 x; an integrator, which moves the cart to 0.05; a
 * pendulum that a filter follows. */
static void test_equilibrium(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    char *analysis =
        models_text(PART({"analysis": {"type": "equilibrium", "formulation": "%s"}}), k % 2 ? "body" : "joint");
    char *document = models_merged(k < 2 ? planar : spatial,
                                   JSON({"states": [{"name": "f", "rate": "(25*e + 3 - f)/tau", "initial": 100}]}));
    model_run run = model_run_merged(document, analysis);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 0), 3.0 / 105, 1e-12);
    assert_close(model_run_value(&run, "states", 0, 0), 80 * 3.0 / 105, 1e-10);
    assert_int_equal(run.result->report.stable, 1);
    model_run_free(&run);
    free(document);
    document = models_merged(k < 2 ? planar : spatial, JSON({"states": [{"name": "f", "rate": "0.05 - cart.x"}]}));
    run = model_run_merged(document, analysis);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 0), 0.05, 1e-12);
    assert_close(model_run_value(&run, "states", 0, 0), 4, 1e-10);
    model_run_free(&run);
    free(document);
    free(analysis);
  }
  model_run run = model_run_text(
      "%s", JSON({
        "space": "planar",
        "gravity": [0, -9.81],
        "ground": {"points": {"O": [0, 0]}},
        "bodies": [{"name": "bob", "mass": 1, "inertia": 0.1, "points": {"P": [0, 1]}}],
        "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "bob.P"], "initial": {"position": 2.5}}],
        "states": [{"name": "s", "rate": "(pin.q + 1 - s)/0.1"}],
        "analysis": {"type": "equilibrium"}
      }));
  model_run_require(&run);
  assert_close(model_run_value(&run, "theta", 0, 0), 0, 1e-9);
  assert_close(model_run_value(&run, "states", 0, 0), 1, 1e-9);
  model_run_free(&run);
  mbs_result *result;
  mbs_error error;
  char *document = models_merged(planar, JSON({"states": [{"name": "f", "rate": "1 + 0*t"}]}));
  expect_failure(document, JSON({"type": "equilibrium"}), MBS_NO_EQUILIBRIUM, "f",
                 "the state 'f' changes by 1 per second", &result, &error);
  mbs_result_free(result);
  free(document);
}

static const char base[] = JSON({
  "space": "planar",
  "gravity": [0, 0],
  "parameters": {"k": 1},
  "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}}],
  "analysis": {"type": "dynamics", "t_end": 1, "dt": 1}
});

/* Returns the document with these members. */
static char *document_with(const char *members) { return models_merged(base, members); }

/* z' = z^2 with z(0) = 1: z = 1/(1 - t). */
static void test_growth(void **unused) {
  (void)unused;
  mbs_result *result;
  mbs_error error;
  char *document = document_with(JSON({"states": [{"name": "z", "rate": "z^2", "initial": 1}]}));
  expect_failure(document, JSON({"type": "dynamics", "t_end": 4, "dt": 0.1}), MBS_STEP_TOO_SMALL, "z",
                 "the state 'z' reaches", &result, &error);
  assert_close(error.time, 1, 1e-4);
  mbs_result_free(result);
  free(document);
}

/* Runs it. */
static model_run run_with(const char *members) {
  char *document = document_with(members);
  model_run run = model_run_text("%s", document);
  free(document);
  model_run_require(&run);
  return run;
}

/* ---- signals with states --------------------------------------------------------------------------------------- */

/* A cart of 2 kg that starts at 0.1 m with 0.3 m/s and is pushed by the signal u. */
static const char pushed[] = JSON({
  "space": "planar",
  "gravity": [0, 0],
  "parameters": {"kp": 30, "N": 40},
  "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
  "bodies": [{"name": "cart", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
  "joints": [{
    "name": "rail",
    "type": "translational",
    "points": ["ground.O", "cart.C"],
    "vectors": ["ground.u", "cart.u"],
    "initial": {"position": 0.1, "velocity": 0.3}
  }],
  "forces": [{"name": "F", "type": "force", "body": "cart", "value": ["u", 0]}],
  "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.25, "integrator": {"rtol": 1e-10, "atol": 1e-12}}
});

/* Linear feedback: x' = A x with x = (position, velocity, states), u = row.x. */
typedef struct feedback {
  const char *signal;
  size_t n;
  double A[SIZE_MAX_OF_SYSTEM * SIZE_MAX_OF_SYSTEM], start[SIZE_MAX_OF_SYSTEM], row[SIZE_MAX_OF_SYSTEM];
} feedback;

static const feedback feedbacks[] = {
    {JSON({"name": "u", "type": "pid", "input": "-cart.x", "kp": "kp", "ki": 12, "kd": 4, "filter": "N"}),
     4,
     {0, 1, 0, 0, -95, 0, 6, -80, -1, 0, 0, 0, -40, 0, 0, -40},
     {0.1, 0.3, 0, -0.1},
     {-190, 0, 12, -160}},
    {JSON({"name": "u", "type": "pid", "input": "-cart.x", "kp": "kp", "ki": 12, "kd": 4, "limits": [-1e6, "1e6"]}),
     3,
     {0, 1, 0, -15, -2, 6, -1, 0, 0},
     {0.1, 0.3, 0},
     {-30, -4, 12}},
    {JSON({"name": "u", "type": "pid", "input": "-cart.x", "kp": "kp"}), 2, {0, 1, -15, 0}, {0.1, 0.3}, {-30, 0}},
    /* (3 s^2 + 30 s + 5) / (0.5 s^2 + 2 s + 40) */
    {JSON({
       "name": "u",
       "type": "transfer-function",
       "input": "-cart.x",
       "numerator": [0, 3, "kp", 5],
       "denominator": [0.5, 2, "N"]
     }),
     4,
     {0, 1, 0, 0, -3, 0, -117.5, 9, 0, 0, 0, 1, -2, 0, -80, -4},
     {0.1, 0.3, 0, 0},
     {-6, 0, -235, 18}},
    /* 7 / (0.5 s^3 + 2 s^2 + s + 4) */
    {JSON({
       "name": "u",
       "type": "transfer-function",
       "input": "-cart.x",
       "numerator": [7],
       "denominator": [0.5, 2, 1, 4]
     }),
     5,
     {0, 1, 0, 0, 0, 0, 0, 3.5, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, -2, 0, -8, -2, -4},
     {0.1, 0.3, 0, 0, 0},
     {0, 0, 7, 0, 0}},
    {JSON({"name": "u", "type": "transfer-function", "input": "-cart.x", "numerator": [7], "denominator": [2]}),
     2,
     {0, 1, -1.75, 0},
     {0.1, 0.3},
     {-3.5, 0}}};

/* Controllers and transfer functions against linear equations, in a motion and in their state matrix. */
static void test_feedbacks(void **unused) {
  (void)unused;
  for (size_t k = 0; k < sizeof feedbacks / sizeof *feedbacks; k++) {
    const feedback *each = &feedbacks[k];
    char *signals = models_text("{\"signals\": [%s]}", each->signal), *document = models_merged(pushed, signals);
    model_run run = model_run_text("%s", document);
    model_run_require(&run);
    double x[SIZE_MAX_OF_SYSTEM];
    memcpy(x, each->start, sizeof x);
    for (long row = 0; row <= 4; row++) {
      double u = 0;
      for (size_t j = 0; j < each->n; j++) u += each->row[j] * x[j];
      assert_close(model_run_value(&run, "r", row, 0), x[0], 1e-8);
      assert_close(model_run_value(&run, "rd", row, 0), x[1], 1e-8);
      assert_close(model_run_value(&run, "signals", row, 0), u, 1e-6);
      propagate(each->n, each->A, 0.25, x);
    }
    model_run_free(&run);
    if (each->n > 2) {
      mbs_result *linear = models_run(document, JSON({"type": "linearization", "about": "state"}));
      for (size_t i = 0; i < each->n * each->n; i++)
        assert_close(models_row(linear, "state_matrix", i / each->n)[i % each->n], each->A[i], 1e-9);
      mbs_result_free(linear);
    }
    free(document);
    free(signals);
  }
}

/* A controller whose input is a state, with a derivative: x'' = u/2, f' = x - f, u = 2 f + 3 f'. Parameters
 * may have the names of a controller's own states. */
static void test_input_is_a_state(void **unused) {
  const double A[] = {0, 1, 0, 1.5, 0, -0.5, 1, 0, -1};
  double x[] = {0.1, 0.3, 0.2};
  (void)unused;
  char *document = models_with(pushed, JSON({
                                 "parameters": {"I": 5, "D": 6, "rate": 2},
                                 "states": [{"name": "f", "rate": "cart.x - f", "initial": 0.2}],
                                 "signals": [{"name": "u", "type": "pid", "input": "f + I - 5", "kp": "rate", "kd": 3}]
                               }));
  model_run run = model_run_text("%s", document);
  model_run_require(&run);
  for (long row = 0; row <= 4; row++) {
    assert_close(model_run_value(&run, "r", row, 0), x[0], 1e-8);
    assert_close(model_run_value(&run, "signals", row, 0), 3 * x[0] - x[2], 1e-8);
    propagate(3, A, 0.25, x);
  }
  model_run_free(&run);
  free(document);
}

/* A motor that turns a wheel of 0.5 kg m^2 through a gear of 5:1, at 12 V: linear equations for the angle, its rate,
 * the current and the constant 1. Without inductance the current is algebraic. */
static void test_motor(void **unused) {
  static const double J = 0.5, R = 2, L = 0.5, k = 0.8, N = 5, b = 0.01, V = 12;
  const double with[] = {0, 1, 0, 0, 0, -N * N * b / J, N * k / J, 0, 0, -k * N / L, -R / L, V / L, 0, 0, 0, 0};
  const double without[] = {0, 1, 0, 0, -(N * N * b + N * N * k * k / R) / J, N * k * V / R / J, 0, 0, 0};
  (void)unused;
  for (int kind = 0; kind < 8; kind++) {
    const bool inductive = kind % 2 == 0, body = kind / 2 % 2 != 0;
    char *document = models_text(PART({"space": "%s", "parameters": {"R": 2}, "ground": {"points": {"O": %s}%s},
             "bodies": [{"name": "wheel", "mass": 1, "inertia": %s, "points": {"O": %s}%s}],
             "joints": [{"name": "axle", "type": "revolute", "points": ["ground.O", "wheel.O"]%s}],
             "forces": [{"name": "M", "type": "dc-motor", "joint": "axle", "voltage": "6*R", "resistance": "R",
                         "inductance": %g, "torque_constant": 0.8, "gear_ratio": 5, "damping": 0.01}],
             "sensors": [{"name": "i", "value": "M.current"}, {"name": "angle", "value": "axle.q"},
                         {"name": "speed", "value": "axle.qd"}],
             "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.25, "formulation": "%s",
                          "integrator": {"rtol": 1e-10, "atol": 1e-12}}}),
                                                                         kind < 4 ? "planar" : "spatial",
                                                                         kind < 4 ? "[0, 0]" : "[0, 0, 0]",
                                                                         kind < 4 ? ""
                                                                                  : ", \"vectors\": {\"z\": [0, 0, 1]}",
                                                                         kind < 4 ? "0.5" : "[1, 1, 0.5]",
                                                                         kind < 4 ? "[0, 0]" : "[0, 0, 0]",
                                                                         kind < 4 ? ""
                                                                                  : ", \"vectors\": {\"z\": [0, 0, 1]}",
                                                                         kind < 4 ? ""
                                                                                  : ", \"vectors\": [\"ground.z\", "
                                                                                    "\"wheel.z\"]",
                                                                         inductive ? L : 0, body ? "body" : "joint");
    model_run run = model_run_text("%s", document);
    model_run_require(&run);
    double x[] = {0, 0, inductive ? 0 : 1, 1};
    for (long row = 0; row <= 4; row++) {
      const double current = inductive ? x[2] : (V - k * N * x[1]) / R;
      assert_close(model_run_value(&run, "angle", row, 0), x[0], 1e-8);
      assert_close(model_run_value(&run, "speed", row, 0), x[1], 1e-8);
      assert_close(model_run_value(&run, "i", row, 0), current, 1e-8);
      assert_close(model_run_value(&run, "forces", row, 1), N * (k * current - b * N * x[1]), 1e-7);
      const double *energy = models_row(run.result, "energy", (size_t)row);
      assert_close(energy[0] - energy[2] + energy[3], 0, 1e-7);
      if (inductive)
        propagate(4, with, 0.25, x);
      else
        propagate(3, without, 0.25, x);
    }
    model_run_free(&run);
    if (inductive) {
      mbs_result *linear = models_run(document, JSON({"type": "linearization", "about": "state"}));
      for (size_t i = 0; i < 9; i++)
        assert_close(models_row(linear, "state_matrix", i / 3)[i % 3], with[i / 3 * 4 + i % 3], 1e-9);
      mbs_result_free(linear);
    }
    free(document);
  }
}

/* Anti-windup. With u = 20, x = 2 t - 0.4 (1 - exp(-5 t)). When kp e falls to 20 the integrator begins, as fast as u
 * stays at its limit, until ki e = kp x'. Then the equations are linear. */
static void test_limits(void **unused) {
  (void)unused;
  static const double A[] = {0, 1, 0, -15, -5, 50, -1, 0, 0};
  const double kp = 30, ki = 100;
  model_run run = model_run_merged(
      JSON({
        "analysis": {"type": "dynamics", "t_end": 0.75, "dt": 0.05, "integrator": {"rtol": 1e-10, "atol": 1e-12}},
        "space": "planar",
        "gravity": [0, 0],
        "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
        "bodies": [{"name": "cart", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
        "joints": [
          {"name": "rail", "type": "translational", "points": ["ground.O", "cart.C"], "vectors": ["ground.u",
                                                                                                  "cart.u"]}
        ],
        "forces": [{"name": "F", "type": "force", "body": "cart", "value": ["u - 10*cart.vx", 0]}]
      }),
      JSON({
        "signals": [{"name": "u", "type": "pid", "input": "1 - cart.x", "kp": 30, "ki": 100, "limits": [-20, 20]}]
      }));
  model_run_require(&run);
  double t = 0.4;
  for (int k = 0; k < 50; k++) { /* ki (1 - x) = kp v */
    const double e = exp(-5 * t), x = 2 * t - 0.4 * (1 - e), v = 2 * (1 - e);
    t += (ki * (1 - x) - kp * v) / (ki * v + kp * 10 * e);
  }
  const double decay = exp(-5 * t);
  double x[] = {2 * t - 0.4 * (1 - decay), 2 * (1 - decay), 0};
  x[2] = (20 - kp * (1 - x[0])) / ki;
  x[0] -= 1; /* the equations are homogeneous in x - 1 */
  propagate(3, A, 0.75 - t, x);
  assert_close(model_run_value(&run, "r", -1, 0), 1 + x[0], 1e-7);
  assert_close(model_run_value(&run, "rd", -1, 0), x[1], 1e-7);
  assert_close(model_run_value(&run, "signals", -1, 0), -kp * x[0] + ki * x[2], 1e-5);
  assert_close(model_run_event(&run, "u", "slides", 0), 0.32783951479, 1e-6);
  model_run_free(&run);
}

/* A state whose rate drives it back to zero from both sides stays there: z' = -sign(z) + 0.5 ends at 0. */
static void test_sliding_state(void **unused) {
  (void)unused;
  model_run run = run_with(JSON({"states": [{"name": "z", "rate": "0.5 - sign(z)", "initial": 0.25}]}));
  assert_close(model_run_value(&run, "states", -1, 0), 0, 1e-9);
  assert_close(model_run_event(&run, "z", "slides", 0), 0.5, 1e-7);
  model_run_free(&run);
}

/* ---- documents ------------------------------------------------------------------------------------------------- */

static void test_names(void **unused) {
  (void)unused;
  static const char *const refused[][3] = {
      {JSON({"states": [{"name": "k", "rate": 1}]}), "/model/states/0/name", "there is already a parameter named 'k'"},
      {JSON({"states": [{"name": "t", "rate": 1}]}), "/model/states/0/name", "'t' is a reserved name"},
      {JSON({"signals": [{"name": "sin", "value": 1}]}), "/model/signals/0/name", "'sin' has a meaning in expressions"},
      {JSON({"states": [{"name": "a b", "rate": 1}]}), "/model/states/0/name", "is not a valid state name"},
      {JSON({"states": [{"name": "f", "rate": 1}, {"name": "f", "rate": 1}]}), "/model/states/1/name",
       "already a state named"},
      {JSON({"states": [{"name": "f", "rate": 1}], "signals": [{"name": "f", "value": 1}]}), "/model/signals/0/name",
       "already a state named 'f'"},
      {JSON({"states": [{"name": "f", "rate": "energy.kinetic"}]}), "/model/states/0/rate",
       "available in sensors only"},
      {JSON({"states": [{"name": "f", "rate": "g"}]}), "/model/states/0/rate", "no parameter or quantity 'g'"},
      {JSON({"states": [{"name": "f", "rate": "2*tip height"}], "sensors": [{"name": "tip height", "value": 1}]}),
       "/model/states/0/rate", "'tip height' is a sensor, which no expression can read"},
      {JSON({"states": [{"name": "f", "rate": 1, "initial": "f"}]}), "/model/states/0/initial", "'f'"},
      {JSON({
         "states": [{"name": "f", "rate": 1}],
         "drivers": [{"name": "d", "type": "x", "point": "b.P", "function": "f"}]
       }),
       "/model/drivers/0/function", "'f' is a state; only t"},
      {JSON({
         "signals": [{"name": "e", "value": "t"}],
         "drivers": [{"name": "d", "type": "x", "point": "b.P", "function": "2*e"}]
       }),
       "/model/drivers/0/function", "'e' is a signal; only t"},
      {JSON({
         "states": [{"name": "f", "rate": "b.vx"}],
         "joints": [{"name": "j", "type": "expression", "value": "b.x - f"}]
       }),
       "/model/joints/0/value", "depends on 'f', whose rate depends on velocities"},
      {JSON({
         "states": [{"name": "f", "rate": "b.ax"}],
         "joints": [{"name": "j", "type": "velocity", "value": "b.vx - f"}]
       }),
       "/model/joints/0/value", "depends on 'f', whose rate depends on forces or accelerations"},
      {JSON({
         "states": [{"name": "f", "rate": "j.lambda1"}],
         "joints": [{"name": "j", "type": "expression", "value": "b.x - f"}]
       }),
       "/model/joints/0/value", "depends on 'f', whose rate depends on forces or accelerations"},
      {JSON({
         "signals": [{"name": "a", "value": "b.ax"}],
         "forces": [{"name": "F", "type": "drag", "body": "b", "linear": 1, "wind": ["2*a", 0]}]
       }),
       "/model/forces/0/wind/0", "in 'a' at column 1: accelerations are available in sensors, forces"},
      {JSON({"signals": [{"name": "a", "type": "no"}]}), "/model/signals/0/type", "unknown type 'no'"},
      {JSON({"signals": [{"name": "a", "type": "pid", "input": "b.vx", "kd": 1}]}), "/model/signals/0/input",
       "give a 'filter'"},
      {JSON({"signals": [{"name": "a", "type": "pid", "input": "a", "kp": 1}]}), "/model/signals/0/input",
       "'a' depends on itself"},
      {JSON({"signals": [{"name": "a", "type": "pid", "input": 1, "kp": 1, "limits": [2, 1]}]}),
       "/model/signals/0/limits", "must be smaller"},
      {JSON({
         "signals": [{"name": "a", "type": "transfer-function", "input": 1, "numerator": [1, 1], "denominator": [2]}]
       }),
       "/model/signals/0/numerator", "not proper"},
      {JSON({
         "signals": [{"name": "a", "type": "transfer-function", "input": 1, "numerator": [1], "denominator": [0, 2]}]
       }),
       "/model/signals/0/denominator", "must not be 0"},
      {JSON({
         "signals": [{"name": "a", "type": "pid", "input": "b.x", "kd": 1, "filter": 5}],
         "joints": [{"name": "j", "type": "velocity", "value": "b.vx - a"}]
       }),
       "/model/joints/0/value", "starts at the value of its input"},
      {JSON({
         "signals": [{"name": "a", "type": "pid", "input": "b.x", "kd": 1}],
         "joints": [{"name": "j", "type": "expression", "value": "b.x - a"}]
       }),
       "/model/joints/0/value", "a constraint cannot depend on the derivative of a signal's input"},
      {JSON({"states": [{"name": "f", "rate": "a"}], "signals": [{"name": "a", "type": "pid", "input": "f", "kd": 1}]}),
       "/model/signals/0/input", "give a 'filter'"},
      {JSON({"states": [{"name": "f", "rate": 1}], "sensors": [{"name": "states", "value": 1}]}),
       "/model/sensors/0/name", "'states' is the name of a result array"}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    char *document = document_with(refused[i][0]);
    expect_error(document, NULL, refused[i][1], refused[i][2]);
    free(document);
  }
  char *document = document_with(JSON(
      {"states": [{"name": "f", "rate": "b.vx"}], "joints": [{"name": "j", "type": "velocity", "value": "b.vx - f"}]}));
  expect_error(document, JSON({"type": "kinematics", "t_end": 1, "dt": 1}), "/model/joints/0/value",
               "depends on 'f', whose rate, or that of a state in it, depends on velocities");
  free(document);
  model_run run = run_with(JSON({"sensors": [{"name": "states", "value": 1}, {"name": "signals", "value": 2}]}));
  assert_close(model_run_value(&run, "signals", 0, 0), 2, 0);
  model_run_free(&run);
}

/* ---- constraints that read states ------------------------------------------------------------------------------- */

/* Two carts, m1 = 2 and m2 = 3, with x1 + x2/2 = z, z' = x2 - 2 z + 1, and a spring and a damper at the second one.
 * With z'' = v2 - 2 z', in x2, v2, z - 1/2:
 *
 *   (m2 + m1/4) v2' = -k x2 - c v2 + m1/2 z'' */
static char *two_carts(bool space, const char *formulation, const char *drivers, const char *analysis) {
  MODEL(in_plane, "space": "planar", "gravity": [0, 0],
        "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
        "bodies": [
          {"name": "a", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
          {"name": "b", "mass": 3, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
        "forces": [{"name": "F", "type": "force", "body": "b", "value": ["-40*b.x - 3*b.vx", 0]}]);
  MODEL(in_space, "space": "spatial", "gravity": [0, 0, 0],
        "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [1, 0, 0]}},
        "bodies": [
          {"name": "a", "mass": 2, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0]}, "vectors": {"u": [1, 0, 0]}},
          {"name": "b", "mass": 3, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0]}, "vectors": {"u": [1, 0, 0]}}],
        "forces": [{"name": "F", "type": "force", "body": "b", "value": ["-40*b.x - 3*b.vx", 0, 0]}]);
  MODEL(text,
      {%s,
       "joints": [
         {"name": "i", "type": "%s", "points": ["ground.O", "a.C"], "vectors": ["ground.u", "a.u"],
          "initial": {"position": 0.15, "velocity": 0.55}},
         {"name": "j", "type": "%s", "points": ["ground.O", "b.C"], "vectors": ["ground.u", "b.u"],
          "initial": {"position": 0.1, "velocity": 0.3}},
         {"name": "row", "type": "expression", "value": "a.x + b.x/2 - z"}],
       "states": [{"name": "z", "initial": 0.2, "rate": "b.x - 2*z + 1"}],
       "drivers": [%s],
       "sensors": [%s %s {"name": "force", "value": "2*a.ax"},
                   {"name": "x1", "value": "a.x"}, {"name": "x2", "value": "b.x"}, {"name": "v2", "value": "b.vx"}],
       "analysis": {"formulation": "%s", "integrator": {"rtol": 1e-10, "atol": 1e-12}, %s}});
  const char *forces = strstr(analysis, "kinematics") ? "" : PART({"name": "lambda", "value": "row.lambda1"},);
  const char *effort = *forces && *drivers ? PART({"name": "effort", "value": "d.effort"},) : "";
  const char *slide = space ? "prismatic" : "translational";
  return models_text(text, space ? in_space : in_plane, slide, slide, drivers, forces, effort, formulation, analysis);
}

static const double two_carts_matrix[9] = {0, 1, 0, -42 / 3.5, -2 / 3.5, 4 / 3.5, 1, 0, -2};

static model_run run_two_carts(int k, const char *drivers, const char *analysis) {
  static const char *const formulations[] = {"joint", "body"};
  char *document = two_carts(k / 2 % 2, formulations[k % 2], drivers, analysis);
  model_run run = model_run_text("%s", document);
  free(document);
  model_run_require(&run);
  return run;
}

static void test_constraint_of_a_state(void **unused) {
  (void)unused;
  static const char *const methods[] = {"projection", "partitioning", "baumgarte"};
  for (int k = 0; k < 12; k++) {
    char *analysis = models_text(PART("type": "dynamics", "t_end": 1, "dt": 0.25, "constraints": "%s"), methods[k / 4]);
    model_run run = run_two_carts(k, "", analysis);
    for (long row = 0; row <= 4; row++) {
      double x[] = {0.1, 0.3, -0.3};
      propagate(3, two_carts_matrix, 0.25 * (double)row, x);
      assert_close(model_run_value(&run, "x2", row, 0), x[0], 1e-9);
      assert_close(model_run_value(&run, "v2", row, 0), x[1], 1e-8);
      assert_close(model_run_value(&run, "states", row, 0), x[2] + 0.5, 1e-9);
      assert_close(model_run_value(&run, "x1", row, 0), x[2] + 0.5 - x[0] / 2, 1e-9);
      assert_close(model_run_value(&run, "lambda", row, 0), model_run_value(&run, "force", row, 0), 1e-8);
    }
    assert_true(run.result->report.energy_change_max < 1e-8);
    model_run_free(&run);
    free(analysis);
  }
}

/* At the equilibrium x2 = 0, z = 1/2; about it, and about the start, A has the eigenvalues of the matrix. */
static void test_constraint_of_a_state_at_rest(void **unused) {
  (void)unused;
  static const char *const analyses[] = {
      PART("type": "equilibrium"), PART("type": "linearization"), PART("type": "linearization", "about": "state")};
  for (int k = 0; k < 12; k++) {
    model_run run = run_two_carts(k, "", analyses[k / 4]);
    if (k / 4 < 2) {
      assert_close(model_run_value(&run, "states", 0, 0), 0.5, 1e-12);
      assert_close(model_run_value(&run, "x1", 0, 0), 0.5, 1e-12);
      assert_close(model_run_value(&run, "x2", 0, 0), 0, 1e-12);
    }
    for (long i = 0; i < 3 && k / 4 > 0; i++) {
      /* s^3 - tr s^2 + minors s - det = 0 */
      const double *A = two_carts_matrix, re = model_run_value(&run, "eigenvalues", i, 0),
                   im = model_run_value(&run, "eigenvalues", i, 1), tr = A[0] + A[4] + A[8],
                   minors = -A[1] * A[3] + A[4] * A[8] - A[5] * A[7] + A[0] * A[8] - A[2] * A[6],
                   det = A[1] * A[5] * A[6] - A[1] * A[3] * A[8];
      const double re2 = re * re - im * im, im2 = 2 * re * im, re3 = re2 * re - im2 * im, im3 = re2 * im + im2 * re;
      assert_close(re3 - tr * re2 + minors * re - det, 0, 1e-6);
      assert_close(im3 - tr * im2 + minors * im, 0, 1e-6);
    }
    model_run_free(&run);
  }
}

/* A driver prescribes x2 = cos(2 t)/10, so that z = 1/2 + (cos 2t + sin 2t)/40 - 0.325 exp(-2 t). Kinematics and
 * inverse dynamics have the motion, and the forces, of dynamics. */
static void test_constraint_of_a_state_driven(void **unused) {
  (void)unused;
  static const char *const types[] = {"dynamics", "kinematics", "inverse-dynamics"};
  const char *driver = PART({"name": "d", "type": "joint", "joint": "j", "function": "cos(2*t)/10"});
  for (int k = 0; k < 12; k++) {
    const bool forces = k / 4 != 1;
    char *analysis = models_text(PART("type": "%s", "t_end": 2, "dt": 0.5), types[k / 4]);
    model_run run = run_two_carts(k, driver, analysis);
    for (long row = 0; row <= 4; row++) {
      const double t = 0.5 * (double)row, c = cos(2 * t), s = sin(2 * t), e = 0.325 * exp(-2 * t);
      const double z = 0.5 + (c + s) / 40 - e, x1_dd = -(c + s) / 10 - 4 * e + 0.2 * c, lambda = 2 * x1_dd;
      assert_close(model_run_value(&run, "states", row, 0), z, 1e-8);
      assert_close(model_run_value(&run, "x1", row, 0), z - c / 20, 1e-8);
      assert_close(model_run_value(&run, "force", row, 0), lambda, 1e-7);
      if (!forces) continue;
      assert_close(model_run_value(&run, "lambda", row, 0), lambda, 1e-7);
      assert_close(model_run_value(&run, "effort", row, 0), -1.2 * c + 4 * c - 0.6 * s - lambda / 2, 1e-7);
    }
    model_run_free(&run);
    free(analysis);
  }
}

/* The start of each run of a study follows the start value of the state: the nearest to (0.15, 0.1). */
static void test_constraint_of_a_state_in_a_study(void **unused) {
  (void)unused;
  char *carts = two_carts(false, "joint", "", PART("type": "dynamics", "t_end": 0.1, "dt": 0.1));
  char *document = models_merged(carts, JSON({"parameters": {"z0": 0.2}})), *at = strstr(document, "\"initial\": 0.2");
  assert_non_null(at);
  char *text =
      models_text("%.*s%s%s", (int)(at - document), document, PART("initial": "z0"), at + strlen("\"initial\": 0.2"));
  mbs_diagnostics list = {0};
  mbs_model *model = models_try_build_study(
      text, JSON({"type": "dynamics", "t_end": 0.1, "dt": 0.1}), JSON({
        "vary": [{"parameter": "z0", "from": 0.2, "to": 0.8, "count": 3}],
        "outputs": [{"name": "x1", "of": "a.x", "take": "initial"}, {"name": "x2", "of": "b.x", "take": "initial"}]
      }),
      &list);
  if (!model) fail_msg("%s", list.items[0].message);
  mbs_study *study = mbs_study_new(model);
  for (int k = 0; k < 3; k++) {
    double z0, x[2];
    mbs_error error;
    assert_int_equal(mbs_study_run(study, k, NULL, &z0, x, &error), MBS_OK);
    /* (x1, x2) + (1, 1/2) (z - x1 - x2/2) / (5/4) */
    assert_close(x[0], 0.15 + 0.8 * (z0 - 0.2), 1e-12);
    assert_close(x[1], 0.1 + 0.4 * (z0 - 0.2), 1e-12);
  }
  mbs_study_free(study);
  mbs_model_free(model);
  mbs_diagnostics_free(&list);
  free(text);
  free(document);
  free(carts);
}

/* A rate that jumps is an impulse of the constraint; a state that an event sets cannot move it. */
static void test_constraint_of_a_jump(void **unused) {
  (void)unused;
  MODEL(text,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "a", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "i", "type": "translational", "points": ["ground.O", "a.C"], "vectors": ["ground.u", "a.u"]},
         {"name": "row", "type": "expression", "value": "a.x - z"}],
       "states": [{"name": "z", "rate": "%s"}, {"name": "w", "rate": 0}], "variables": {"n": 0},
       "events": [{"name": "e", "when": "t - 0.25", "set": {"%s": "1"}}],
       "sensors": [{"name": "x", "value": "a.x"}, {"name": "v", "value": "a.vx"},
                   {"name": "work", "value": "energy.work"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.5, "formulation": "%s"}});
  static const char *const formulations[] = {"joint", "body"}, *const rates[] = {"if(t < 0.25, 0, 3)", "3*n",
                                                                                 "if(t < 0.25, 0, 3) + w"};
  for (int k = 0; k < 6; k++) {
    model_run run = model_run_text(text, rates[k / 2], "n", formulations[k % 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "x", -1, 0), 3 * 0.75, 1e-12);
    assert_close(model_run_value(&run, "v", -1, 0), 3, 1e-12);
    assert_close(model_run_value(&run, "work", -1, 0), 9, 1e-9);
    assert_int_equal(model_run_events(&run, "row", "impulse: the speed that a constraint prescribes jumps"), 1);
    model_run_free(&run);
    run = model_run_text(text, "3*n", "z", formulations[k % 2]);
    assert_int_equal(run.status, MBS_CONTRADICTION);
    assert_string_equal(run.error.element, "row");
    model_run_free(&run);
  }
}

/* Drivers prescribe x = sin 3t: a lag z' = (x - z)/T, the velocity as the integral of the acceleration and, from
 * t = 1/2 on, the way of a switched rate. In inverse dynamics a force reads the lag, so that effort = m a - z. */
static void test_driven(void **unused) {
  static const char *const types[] = {"kinematics", "inverse-dynamics"}, *const formulations[] = {"joint", "body"};
  static const char *const methods[] = {"dopri5", "bdf"};
  const double w = 3, T = 0.2, m = 2, q = 1 + w * w * T * T;
  (void)unused;
  for (int k = 0; k < 8; k++) {
    model_run run = model_run_text(
        "{\"space\": \"planar\", \"ground\": {\"points\": {\"O\": [0, 0]}, \"vectors\": {\"u\": [1, 0]}},"
        "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": 1, \"points\": {\"P\": [0, 0]}, \"vectors\": "
        "{\"u\": [1, 0]}}],"
        "\"joints\": [{\"name\": \"r\", \"type\": \"translational\", \"points\": [\"ground.O\", \"a.P\"], "
        "\"vectors\": [\"ground.u\", \"a.u\"]}],"
        "\"drivers\": [{\"name\": \"d\", \"type\": \"joint\", \"joint\": \"r\", \"function\": \"sin(3*t)\"}],"
        "\"states\": [{\"name\": \"z\", \"rate\": \"(a.x - z)/0.2\"}, {\"name\": \"v\", \"initial\": 3, "
        "\"rate\": \"a.ax\"}, {\"name\": \"s\", \"rate\": \"if(t < 0.5, 0, 4)\"}],"
        "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"z\", 0]}]%s,"
        "\"analysis\": {\"type\": \"%s\", \"formulation\": \"%s\", \"t_end\": 2, \"dt\": 0.1, \"integrator\": "
        "{\"method\": \"%s\", \"rtol\": 1e-9, \"atol\": 1e-11}}}",
        k % 2 ? ", \"sensors\": [{\"name\": \"effort\", \"value\": \"d.effort\"}]" : "", types[k % 2],
        formulations[k / 2 % 2], methods[k / 4]);
    model_run_require(&run);
    for (long row = 0; row <= 20; row++) {
      const double t = 0.1 * (double)row;
      const double z = (sin(w * t) - w * T * cos(w * t) + w * T * exp(-t / T)) / q;
      assert_close(model_run_value(&run, "states", row, 0), z, 1e-7);
      assert_close(model_run_value(&run, "states", row, 1), w * cos(w * t), 1e-7);
      assert_close(model_run_value(&run, "states", row, 2), t < 0.5 ? 0 : 4 * (t - 0.5), 1e-7);
      if (k % 2) assert_close(model_run_value(&run, "effort", row, 0), -m * w * w * sin(w * t) - z, 1e-6);
    }
    model_run_free(&run);
  }
}

/* Expects exactly one error of the document: a loop at this pointer, with these names. */
static void expect_loop(const char *members, const char *pointer, const char *names) {
  mbs_diagnostics list = {0};
  char *document = document_with(members);
  assert_null(models_try_build(document, NULL, &list));
  assert_int_equal(list.count, 1);
  assert_int_equal(list.items[0].status, MBS_ALGEBRAIC_LOOP);
  assert_string_equal(list.items[0].pointer, pointer);
  if (!strstr(list.items[0].message, names)) fail_msg("'%s' does not say '%s'", list.items[0].message, names);
  mbs_diagnostics_free(&list);
  free(document);
}

static void test_loops(void **unused) {
  (void)unused;
  expect_loop(JSON({"signals": [{"name": "a", "value": "a"}]}), "/model/signals/0/value", "read a_late in place of a");
  expect_loop(JSON({
                "signals": [
                  {"name": "a", "value": "2*c"}, {"name": "b2", "value": "a"}, {"name": "c", "value": "b2"},
                  {"name": "reader", "value": "a + 1"}
                ],
                "forces": [{"name": "F", "type": "force", "body": "b", "value": ["a", 0]}]
              }),
              "/model/signals/0/value", "'b2', 'c', 'a' depend on one another without a state");
  expect_loop(JSON({
                "signals": [{"name": "a", "value": "c"}, {"name": "c", "value": "F.fx"}],
                "forces": [{"name": "F", "type": "force", "body": "b", "value": ["a", 0]}]
              }),
              "/model/forces/0", "'F', 'a', 'c' depend on one another without a state");
  expect_loop(JSON({
                "forces": [
                  {"name": "F", "type": "force", "body": "b", "value": ["G.fx", 0]},
                  {"name": "G", "type": "force", "body": "b", "value": ["F.fx", 0]}
                ]
              }),
              "/model/forces/0", "'F', 'G' depend on one another without a state");
  /* a state breaks the loop */
  model_run run = run_with(JSON({
    "states": [{"name": "s", "rate": "F.fx - s", "initial": 1}],
    "signals": [{"name": "a", "value": "2*s"}],
    "forces": [{"name": "F", "type": "force", "body": "b", "value": ["a", 0]}]
  }));
  assert_close(model_run_value(&run, "states", -1, 0), exp(1), 1e-5);
  model_run_free(&run);
}

/* Two controllers with limits in a cascade. */
static void test_cascade(void **unused) {
  (void)unused;
  model_run run = run_with(JSON({
    "signals": [
      {"name": "outer", "type": "pid", "input": "1 - b.x", "kp": 3, "limits": [-2, 2]},
      {"name": "inner", "type": "pid", "input": "outer - b.vx", "kp": 4, "limits": [-5, 6]}
    ]
  }));
  assert_close(model_run_value(&run, "signals", 0, 0), 2, 0);
  assert_close(model_run_value(&run, "signals", 0, 1), 6, 0);
  model_run_free(&run);
}

/* Signals contain signals: their text doubles 60 times, but not their programs. */
static void test_nesting(void **unused) {
  (void)unused;
  char text[8000] = "{\"signals\": [{\"name\": \"s0\", \"value\": \"b.x + 1\"}";
  size_t used = strlen(text);
  for (int i = 1; i <= 60; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, ", {\"name\": \"s%d\", \"value\": \"0.5*(s%d + s%d)\"}",
                             i, i - 1, i - 1);
  snprintf(text + used, sizeof text - used, "]}");
  model_run run = run_with(text);
  assert_close(model_run_value(&run, "signals", 0, 60), 1, 0);
  model_run_free(&run);
}

/* A chain of definitions, the last first, that is longer than a reader's stack may carry. */
static void test_long_chain(void **unused) {
  (void)unused;
  char text[32000] = "{\"signals\": [";
  size_t used = strlen(text);
  for (int i = 400; i > 0; i--)
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "{\"name\": \"s%d\", \"value\": \"s%d + 1\"}, ", i, i - 1);
  snprintf(text + used, sizeof text - used, "{\"name\": \"s0\", \"value\": \"b.x\"}]}");
  char *document = document_with(text);
  expect_error(document, NULL, "/model/signals/101/value", "stand for one another in a chain");
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_constraint_of_a_state),
                                     cmocka_unit_test(test_constraint_of_a_state_at_rest),
                                     cmocka_unit_test(test_constraint_of_a_state_driven),
                                     cmocka_unit_test(test_constraint_of_a_state_in_a_study),
                                     cmocka_unit_test(test_constraint_of_a_jump),
                                     cmocka_unit_test(test_driven),
                                     cmocka_unit_test(test_methods),
                                     cmocka_unit_test(test_linearization),
                                     cmocka_unit_test(test_equilibrium),
                                     cmocka_unit_test(test_feedbacks),
                                     cmocka_unit_test(test_motor),
                                     cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_sliding_state),
                                     cmocka_unit_test(test_names),
                                     cmocka_unit_test(test_loops),
                                     cmocka_unit_test(test_growth),
                                     cmocka_unit_test(test_nesting),
                                     cmocka_unit_test(test_input_is_a_state),
                                     cmocka_unit_test(test_long_chain),
                                     cmocka_unit_test(test_cascade)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
