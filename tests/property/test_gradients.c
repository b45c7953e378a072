/* Derivatives of a study's outputs: against closed forms, in every analysis; through a corrected start, a contact, a
 * bound of the model; and outputs without a derivative. */
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
#include "property/oscillator.h"

enum { MOST = 40 };

/* evaluations of the last run and its derivatives */
static uint64_t last_evaluations;

/* Runs a study of one run; returns its outputs and their gradient. */
static mbs_status run_one(const char *document, const char *analysis, const char *study, double *outputs,
                          double *gradient, mbs_error *error) {
  mbs_diagnostics list = {0};
  mbs_model *model = models_try_build_study(document, analysis, study, &list);
  for (size_t i = 0; i < list.count; i++) print_message("%s: %s\n", list.items[i].pointer, list.items[i].message);
  assert_non_null(model);
  mbs_diagnostics_free(&list);
  mbs_study *runs = mbs_study_new(model);
  const mbs_study_outline *outline = mbs_study_info_of(runs);
  double values[MOST];
  assert_true(outline->gradient);
  mbs_status status = mbs_study_run(runs, 0, NULL, values, outputs, error);
  memcpy(gradient, mbs_study_gradient(runs), outline->outputs * outline->parameters * sizeof *gradient);
  last_evaluations = mbs_study_evaluations(runs);
  mbs_study_free(runs);
  mbs_model_free(model);
  return status;
}

/* Compares rows of a gradient to a share of the largest entry of each row. Entries are scaled by the size of the
 * parameter. */
static void expect_rows(const double *gradient, const double *expected, const double *sizes, size_t outputs,
                        size_t parameters, double share, const char *what) {
  for (size_t i = 0; i < outputs; i++) {
    double most = 0;
    for (size_t j = 0; j < parameters; j++) most = fmax(most, fabs(expected[i * parameters + j] * sizes[j]));
    for (size_t j = 0; j < parameters; j++) {
      double is = gradient[i * parameters + j], should = expected[i * parameters + j];
      if (!(fabs(is - should) * sizes[j] <= share * most))
        fail_msg("%s: output %zu by parameter %zu: %.12g, not %.12g", what, i, j, is, should);
    }
  }
}

/* ---- dynamics -------------------------------------------------------------------------------------------------- */

/* x = A cos(w t), w = sqrt(k/m). */
OSCILLATOR("-k*b.x", {"k": 18, "m": 2, "A": 0.5, "T": 4.7, "z": 0, "s": 2});

/* The gradient is that of the exact motion, to the tolerance, for all settings of the integrator. */
static void test_oscillator(void **state) {
  static const struct {
    const char *integrator;
    double share;
  } cases[] = {{JSON({"method": "dop853", "rtol": 1e-11, "atol": 1e-13}), 2e-9},
               {JSON({"method": "dopri5", "rtol": 1e-4, "atol": 1e-5}), 1e-4},
               {JSON({"method": "rk4", "fixed_step": 0.05, "rtol": 1e-11, "atol": 1e-13}), 2e-9}};
  const double k = 18, m = 2, A = 0.5, T = 4.7, w = 3, pi = 3.14159265358979323846;
  const double s = sin(w * T), c = cos(w * T), wk = w / (2 * k), wm = -w / (2 * m);
  const double rate = -A * w * s, mean = A * s / (w * T);
  const double expected[][4] = {
      {-A * T * s * wk, -A * T * s * wm, c, rate},    /* x at the end; T is a parameter */
      {A * wk, A * wm, w, 0},                         /* largest velocity */
      {-pi / (w * w) * wk, -pi / (w * w) * wm, 0, 0}, /* time of the smallest x */
      {(A * c / w - mean / w) * wk, (A * c / w - mean / w) * wm, s / (w * T), (A * c - mean) / T},
      {-0.5 * pi / (w * w) * wk, -0.5 * pi / (w * w) * wm, 0, 0}, /* time of the first zero */
  };
  const double sizes[] = {k, m, A, T};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *analysis =
        models_text(PART({"type": "dynamics", "t_end": "T", "dt": 0.1, "integrator": %s}), cases[i].integrator);
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    mbs_status status = run_one(
        oscillator, analysis, JSON({
          "vary": [{"parameter": "k"}, {"parameter": "m"}, {"parameter": "A"}, {"parameter": "T"}],
          "gradient": true,
          "outputs": [
            {"name": "end", "of": "b.x"}, {"name": "fastest", "of": "b.vx", "take": "max"},
            {"name": "lowest", "of": "b.x", "take": "time_of_min"}, {"name": "mean", "of": "b.x", "take": "mean"},
            {"name": "zero", "of": "t", "take": "at", "when": "b.x"}
          ]
        }),
        outputs, gradient, &error);
    if (status != MBS_OK) fail_msg("%s", error.message);
    expect_rows(gradient, &expected[0][0], sizes, 5, 4, cases[i].share, cases[i].integrator);
    free(analysis);
  }
}

/* Sensitivities of an ordinary run: coordinates and velocities at all reporting times. */
static void test_sensitivities(void **state) {
  const double k = 18, A = 0.5, w = 3;
  mbs_error error;
  (void)state;
  mbs_model *model = models_build(oscillator, JSON({
                                    "type": "dynamics",
                                    "t_end": 2.5,
                                    "dt": 0.25,
                                    "integrator": {"method": "dopri5", "rtol": 1e-11, "atol": 1e-13},
                                    "sensitivities": ["k", "A"]
                                  }));
  mbs_result *result;
  assert_int_equal(mbs_model_sensitivities(model), 2);
  assert_int_equal(mbs_run(model, NULL, &result, &error), MBS_OK);
  mbs_status status = mbs_sensitivities(model, NULL, result, &error);
  if (status != MBS_OK) fail_msg("%s", error.message);
  const mbs_array *found = mbs_result_array(result, "sensitivities"), *T = mbs_result_array(result, "T");
  assert_true(found->rank == 3 && found->shape[0] == 11 && found->shape[1] == 2 && found->shape[2] == 2);
  assert_string_equal(found->labels[2], "rail.qd by k");
  for (size_t i = 0; i < found->shape[0]; i++) {
    const double t = T->data[i], s = sin(w * t), c = cos(w * t), wk = w / (2 * k);
    const double expected[] = {-A * t * s * wk, c, -A * (s + w * t * c) * wk, -w * s}, sizes[] = {k, A, k, A};
    for (int j = 0; j < 4; j++)
      assert_true(fabs(found->data[4 * i + (size_t)j] - expected[j]) * sizes[j] <= 2e-9 * A * w * (1 + w * t));
  }
  mbs_result_free(result);
  mbs_model_free(model);
}

/* A ball that falls on a stiff, damped floor, observed halfway through its upward flight. The expected numbers are from
 * an integration of the variational equations by complex steps, with phases joined where the force sets in. */
MODEL(ball, {
  "space": "planar",
  "parameters": {"h": 0.5, "v0": -0.2, "m": 1.2, "g": 9.81, "K": 4000, "c": 18},
  "gravity": [0, "-g"],
  "ground": {"points": {"P": [0, 0]}, "vectors": {"x": [1, 0]}},
  "bodies": [{
    "name": "ball",
    "mass": "m",
    "inertia": 1,
    "points": {"C": [0, 0]},
    "initial": {"position": [0, "h"], "velocity": [0, "v0"]}
  }],
  "forces": [{
    "name": "floor",
    "type": "contact",
    "point": "ball.C",
    "line": ["ground.P", "ground.x"],
    "law": "kelvin-voigt",
    "stiffness": "K",
    "damping": "c"
  }]
});

static void test_contact(void **state) {
  static const double sizes[] = {0.5, 0.2, 1.2, 9.81, 4000, 18};
  static const double expected[] = {0.7263175009648061,    0.03710574267302525,   0.09329247503931096,
                                    -0.015280513477575013, 2.58569687015765e-05,  -0.01196549138074832,
                                    5.249351960026843,     0.8929795726803939,    0.5454241216892088,
                                    -0.3012590113448212,   3.808395683330848e-05, -0.044824709631124955};
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  mbs_status status = run_one(ball, JSON({
                                "type": "dynamics",
                                "t_end": 0.62,
                                "dt": 0.01,
                                "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
                              }),
                              JSON({
                                "vary": [
                                  {"parameter": "h"}, {"parameter": "v0"}, {"parameter": "m"}, {"parameter": "g"},
                                  {"parameter": "K"}, {"parameter": "c"}
                                ],
                                "gradient": true,
                                "outputs": [{"name": "y", "of": "ball.y"}, {"name": "vy", "of": "ball.vy"}]
                              }),
                              outputs, gradient, &error);
  if (status != MBS_OK) fail_msg("%s", error.message);
  expect_rows(gradient, expected, sizes, 2, 6, 1e-8, "the ball");
}

/* A ball that turns around before it reaches the floor: 0.1 mm above it there is no contact, and a derivative exists.
 * If the ball just touches the floor, there is none. */
static void test_near_contact(void **state) {
  static const double sizes[] = {0.5, 3}, expected[] = {1, 0.6, 0, 1};
  (void)state;
  for (int touches = 0; touches < 2; touches++) {
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    char *study =
        models_text(PART({
      "vary": [
        {"parameter": "h", "values": [%.17g]}, {"parameter": "v0", "values": [%.17g]},
        {"parameter": "g", "values": [-9.81]}
      ],
      "gradient": true,
      "outputs": [{"name": "y", "of": "ball.y"}, {"name": "vy", "of": "ball.vy"}]
    }),
                                        touches ? 0.5 : 0.5001, -sqrt(2 * 9.81 * 0.5));
    mbs_status status =
        run_one(ball, JSON({"type": "dynamics", "t_end": 0.6, "dt": 0.1, "integrator": {"rtol": 1e-11, "atol": 1e-13}}),
                study, outputs, gradient, &error);
    free(study);
    if (touches) {
      assert_int_equal(status, MBS_NO_DERIVATIVE);
      assert_true(isnan(gradient[0]) && isnan(gradient[3]));
      assert_non_null(strstr(error.message, "for the parameter 'h' at 0.5, the output 'y' has no derivative"));
      continue;
    }
    if (status != MBS_OK) fail_msg("%s", error.message);
    const double two[] = {gradient[0], gradient[1], gradient[3], gradient[4]};
    expect_rows(two, expected, sizes, 2, 2, 1e-8, "beside the floor");
  }
}

/* A ball overlaps its floor at 1 m at the start by less than the difference step of its height. Either the derivative
 * exists, or the message names the output without one. */
static void test_overlap_at_start(void **state) {
  static const double overlaps[] = {1e-6, 1e-5, 3e-5, 1e-4};
  (void)state;
  for (size_t i = 0; i < sizeof overlaps / sizeof *overlaps; i++) {
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    char *document = models_text(
        PART({
                                   "space": "planar",
                                   "gravity": [0, -9.81],
                                   "parameters": {"h": 1},
                                   "ground": {"points": {"P": [0, %.17g]}, "vectors": {"x": [1, 0]}},
                                   "bodies": [{
                                     "name": "ball",
                                     "mass": 1,
                                     "inertia": 1,
                                     "points": {"C": [0, 0]},
                                     "initial": {"position": [0, "h"]}
                                   }],
                                   "forces": [{
                                     "name": "floor",
                                     "type": "contact",
                                     "point": "ball.C",
                                     "line": ["ground.P", "ground.x"],
                                     "law": "kelvin-voigt",
                                     "stiffness": 1e5,
                                     "damping": 10
                                   }]
                                 }),
                                                1 + overlaps[i]);
    mbs_status status =
        run_one(document, JSON({"type": "dynamics", "t_end": 0.5, "dt": 0.1, "integrator": {"rtol": 1e-10}}),
                JSON({"vary": [{"parameter": "h"}], "gradient": true, "outputs": [{"name": "y", "of": "ball.y"}]}),
                outputs, gradient, &error);
    free(document);
    if (status == MBS_NO_DERIVATIVE && strstr(error.message, "the output 'y' has no derivative")) continue;
    if (status != MBS_OK) fail_msg("%g: %s", overlaps[i], error.message);
    assert_close(gradient[0], 0.04444790307, 1e-9);
  }
}

/* ---- at a bound of the model ----------------------------------------------------------------------------------- */

/* J = 0 is the smallest moment of inertia: theta'' = -g m L sin(theta) / (m L^2 + J), so that d/dJ = -g / (m L^2)
 * d/dg. */
MODEL(pendulum, {
  "space": "planar",
  "parameters": {"L": 1.3, "g": 9.81, "m": 0.7, "J": 0, "a": 1},
  "gravity": [0, "-g"],
  "ground": {"points": {"O": [0, 0]}},
  "bodies": [{"name": "bob", "mass": "m", "inertia": "J", "points": {"A": [0, "L"]}}],
  "joints": [{
    "name": "pin",
    "type": "revolute",
    "points": ["ground.O", "bob.A"],
    "initial": {"position": "a", "velocity": 0}
  }]
});

static void test_bound(void **state) {
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  mbs_status status = run_one(
      pendulum, JSON({"type": "dynamics", "t_end": 2, "dt": 0.1, "integrator": {"rtol": 1e-11, "atol": 1e-13}}), JSON({
        "vary": [{"parameter": "J"}, {"parameter": "g"}, {"parameter": "m"}],
        "gradient": true,
        "outputs": [{"name": "phi", "of": "bob.phi"}, {"name": "low", "of": "bob.phi", "take": "time_of_min"}]
      }),
      outputs, gradient, &error);
  if (status != MBS_OK) fail_msg("%s", error.message);
  for (int i = 0; i < 2; i++) {
    double expected = -9.81 / (0.7 * 1.3 * 1.3) * gradient[3 * i + 1];
    if (!(fabs(gradient[3 * i] - expected) < 1e-8 * fabs(expected)))
      fail_msg("by J: %.12g, not %.12g", gradient[3 * i], expected);
    assert_true(fabs(gradient[3 * i + 2]) < 1e-9); /* the mass has no influence */
  }
}

/* ---- other analyses -------------------------------------------------------------------------------------------- */

MODEL(slider_crank, {
  "space": "planar",
  "parameters": {"r": 0.3, "l": 0.8, "w": 2},
  "ground": {"points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}},
  "bodies": [
    {"name": "crank", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0], "B": ["r", 0]}},
    {"name": "rod", "mass": 1, "inertia": 0.1, "points": {"B": [0, 0], "C": ["l", 0]}},
    {"name": "slider", "mass": 1, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"x": [1, 0]}}
  ],
  "joints": [
    {"name": "A", "type": "revolute", "points": ["ground.O", "crank.A"], "initial": {"position": 0.4}},
    {"name": "B", "type": "revolute", "points": ["crank.B", "rod.B"], "initial": {"position": -0.6}},
    {
      "name": "S",
      "type": "translational",
      "points": ["ground.O", "slider.C"],
      "vectors": ["ground.x", "slider.x"],
      "initial": {"position": 1}
    },
    {"name": "C", "type": "revolute", "points": ["rod.C", "slider.C"], "cut": true}
  ],
  "drivers": [{"name": "motor", "type": "joint", "joint": "A", "function": "0.4 + w*t"}]
});

/* x = r cos(a) + sqrt(l^2 - r^2 sin(a)^2), a = 0.4 + w t. */
static void test_kinematics(void **state) {
  const double r = 0.3, l = 0.8, w = 2, t = 0.7, a = 0.4 + w * t, s = sin(a), c = cos(a);
  const double q = sqrt(l * l - r * r * s * s), rate = -r * s - r * r * s * c / q;
  const double expected[] = {c - r * s * s / q, l / q, rate * t, -1, 1, 0}, sizes[] = {r, l, w};
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  mbs_status status = run_one(
      slider_crank, JSON({"type": "kinematics", "t_end": 3, "dt": 0.25}), JSON({
        "vary": [{"parameter": "r"}, {"parameter": "l"}, {"parameter": "w"}],
        "gradient": true,
        "outputs": [
          {"name": "x", "of": "slider.x", "take": "at", "at": 0.7}, {"name": "least", "of": "slider.x", "take": "min"}
        ]
      }),
      outputs, gradient, &error);
  if (status != MBS_OK) fail_msg("%s", error.message);
  expect_rows(gradient, expected, sizes, 2, 3, 1e-9, "kinematics");
}

/* m g = k x + c x^3, and the frequency about the equilibrium: sqrt((k + 3 c x^2) / m) / 2 pi, where x changes with the
 * parameters. */
MODEL(hanging, {
  "space": "planar",
  "parameters": {"k": 30, "c": 200, "m": 2, "g": 9.81},
  "gravity": ["g", 0],
  "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
  "bodies": [{"name": "b", "mass": "m", "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}],
  "joints": [{
    "name": "rail",
    "type": "translational",
    "points": ["ground.O", "b.P"],
    "vectors": ["ground.u", "b.u"],
    "initial": {"position": 0.1}
  }],
  "forces": [{"name": "spring", "type": "force", "body": "b", "value": ["-k*b.x - c*b.x^3", 0]}]
});

static void test_rest(void **state) {
  static const char *const types[] = {"equilibrium", "linearization"};
  const double k = 30, c = 200, m = 2, g = 9.81, sizes[] = {k, c, m}, pi = 3.14159265358979323846;
  double x = 0.3;
  for (int i = 0; i < 50; i++) x -= (k * x + c * x * x * x - m * g) / (k + 3 * c * x * x);
  const double K = k + 3 * c * x * x, f = sqrt(K / m) / (2 * pi);
  const double moves[] = {-x / K, -x * x * x / K, g / K};
  const double own[] = {1, 3 * x * x, 0};
  double expected[2][3], outputs[MOST], gradient[MOST];
  for (int j = 0; j < 3; j++) {
    expected[0][j] = moves[j];
    expected[1][j] = f / (2 * K) * (own[j] + 6 * c * x * moves[j]) - (j == 2 ? f / (2 * m) : 0);
  }
  (void)state;
  for (int i = 0; i < 2; i++) {
    char *analysis = models_text(PART({"type": "%s"}), types[i]);
    char *study =
        models_text(PART({
                                "vary": [{"parameter": "k"}, {"parameter": "c"}, {"parameter": "m"}],
                                "gradient": true,
                                "outputs": [{"name": "o", "of": "%s"}]
                              }),
                                     i ? "frequencies[1]" : "b.x");
    mbs_error error;
    mbs_status status = run_one(hanging, analysis, study, outputs, gradient, &error);
    if (status != MBS_OK) fail_msg("%s: %s", types[i], error.message);
    expect_rows(gradient, expected[i], sizes, 1, 3, 1e-8, types[i]);
    free(analysis);
    free(study);
  }
}

/* The equilibrium position is straight down for every start: rounding must not appear as a derivative. */
static void test_hanging(void **state) {
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  mbs_status status = run_one(
      JSON({
        "space": "planar",
        "parameters": {"L": 1, "a": 1},
        "gravity": [0, -9.81],
        "ground": {"points": {"O": [0, 0]}},
        "bodies": [{"name": "bob", "mass": 1, "inertia": 0, "points": {"A": [0, "L"]}}],
        "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "bob.A"], "initial": {"position": "a"}}]
      }),
      JSON({"type": "equilibrium"}), JSON({
        "vary": [{"parameter": "a"}, {"parameter": "L"}],
        "gradient": true,
        "outputs": [{"name": "q", "of": "pin.q"}, {"name": "x", "of": "bob.x"}]
      }),
      outputs, gradient, &error);
  if (status != MBS_OK) fail_msg("%s", error.message);
  for (int k = 0; k < 4; k++) assert_true(fabs(gradient[k]) < 1e-12);
}

/* ---- the start ------------------------------------------------------------------------------------------------- */

/* A corrected start in body coordinates depends on the guess, and on everything that the correction moves: compared
 * with plain differences. */
MODEL(loose_pendulum, {
  "space": "planar",
  "parameters": {"L": 0.8, "x": 0.3, "a": 0.5},
  "gravity": [0, -9.81],
  "ground": {"points": {"O": [0, 0]}},
  "bodies": [{
    "name": "rod",
    "mass": 1,
    "inertia": 0.2,
    "points": {"A": [0, "L"]},
    "initial": {"position": ["x", -0.9], "angle": "a"}
  }],
  "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "rod.A"]}]
});

static double final_angle(double x) {
  char *document = strdup(loose_pendulum), number[64],
       outputs_text[] =
           JSON({"vary": [{"parameter": "L"}], "gradient": true, "outputs": [{"name": "phi", "of": "rod.phi"}]});
  char *at = strstr(document, "0.3");
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  snprintf(number, sizeof number, "%.17g", x);
  char *text = models_text(PART(%.*s%s%s), (int)(at - document), document, number, at + 3);
  mbs_status status = run_one(text, JSON({
                                "type": "dynamics",
                                "formulation": "body",
                                "t_end": 0.5,
                                "dt": 0.1,
                                "integrator": {"method": "dop853", "rtol": 1e-13, "atol": 1e-15}
                              }),
                              outputs_text, outputs, gradient, &error);
  if (status != MBS_OK) fail_msg("%s", error.message);
  free(document);
  free(text);
  return outputs[0];
}

static void test_start(void **state) {
  double outputs[MOST], gradient[MOST];
  const double x = 0.3, h = 1e-3;
  mbs_error error;
  (void)state;
  mbs_status status = run_one(loose_pendulum, JSON({
                                "type": "dynamics",
                                "formulation": "body",
                                "t_end": 0.5,
                                "dt": 0.1,
                                "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
                              }),
                              JSON({
                                "vary": [{"parameter": "x"}, {"parameter": "L"}],
                                "gradient": true,
                                "outputs": [{"name": "phi", "of": "rod.phi"}]
                              }),
                              outputs, gradient, &error);
  if (status != MBS_OK) fail_msg("%s", error.message);
  /* fourth order */
  double slope =
      (8 * (final_angle(x + h) - final_angle(x - h)) - final_angle(x + 2 * h) + final_angle(x - 2 * h)) / (12 * h);
  assert_true(fabs(slope) > 0.01);
  if (!(fabs(gradient[0] - slope) < 1e-8)) fail_msg("by x: %.12g, not %.12g", gradient[0], slope);
}

/* Every integration method is allowed if dop853 can compute the derivatives: by forward sensitivities, and by
 * differences if an expression switches. */
static void test_methods(void **state) {
  static const char *const outputs[] = {JSON({"name": "o", "of": "bob.phi"}),
                                        JSON({"name": "o", "of": "abs(bob.phi + 3)", "take": "rms"})};
  static const char *const methods[] = {"dopri5", "bdf"};
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    char *study = models_text(
        PART({"vary": [{"parameter": "g"}, {"parameter": "L"}], "gradient": true, "outputs": [%s]}), outputs[i]);
    double out[MOST], gradients[2][MOST];
    for (size_t k = 0; k < 2; k++) {
      char *analysis = models_text(
          PART({"type": "dynamics", "t_end": 2, "dt": 0.1, "integrator": {"method": "%s", "rtol": 1e-6}}), methods[k]);
      mbs_error error;
      if (run_one(pendulum, analysis, study, out, gradients[k], &error) != MBS_OK)
        fail_msg("%s: %s", methods[k], error.message);
      free(analysis);
    }
    for (size_t j = 0; j < 2; j++)
      if (!(fabs(gradients[1][j] / gradients[0][j] - 1) < 1e-9))
        fail_msg("output %zu by parameter %zu: %.12g by bdf, %.12g", i, j, gradients[1][j], gradients[0][j]);
    free(study);
  }
}

/* An uncorrected start that the motion moves onto the constraints: outputs and their derivatives are those of the moved
 * start. A slider-crank with a slightly wrong crank angle, compared with runs at neighbouring values. */
static void test_uncorrected(void **state) {
  static const double defects[] = {0, 1e-8, 1e-2};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    double outputs[3][MOST], gradient[MOST];
    mbs_error error;
    for (int run = 2; run >= 0; run--) { /* runs at -h, h, and the point itself */
      char *changed = models_text(PART({"parameters": {"a0": %.17g}, "joints": [
      {"name": "O", "type": "revolute", "points": ["ground.O", "crank.O"], "initial": {"position": "a0"}},
      {"name": "A", "type": "revolute", "points": ["crank.A", "rod.A"], "initial": {"position": -0.9730667574}},
      {"name": "rail", "type": "translational", "points": ["ground.O", "slider.B"],
       "vectors": ["ground.u", "slider.u"], "initial": {"position": 0.3422231294}},
      {"name": "B", "type": "revolute", "points": ["rod.B", "slider.B"]}]}),
                                                          0.679 + defects[i] + (double[]){0, 1e-4, -1e-4}[run]);
      char *document = models_named_with("SC", changed);
      const mbs_status status =
          run_one(document, JSON({
                    "type": "dynamics",
                    "t_end": 1,
                    "dt": 0.5,
                    "correct": false,
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}
                  }),
                  JSON({
                    "vary": [{"parameter": "a0"}],
                    "gradient": true,
                    "outputs": [
                      {"name": "start", "of": "O.q", "take": "initial"}, {"name": "end", "of": "slider.x"},
                      {"name": "most", "of": "crank.omega", "take": "max"}
                    ]
                  }),
                  outputs[run], gradient, &error);
      if (status != MBS_OK) fail_msg("off by %g: %s", defects[i], error.message);
      free(document);
      free(changed);
    }
    for (size_t k = 0; k < 3; k++) {
      const double difference = (outputs[1][k] - outputs[2][k]) / 2e-4;
      if (!(fabs(gradient[k] - difference) < 1e-5 * fmax(fabs(difference), 0.01)))
        fail_msg("off by %g, output %zu: %.9g, not %.9g", defects[i], k, gradient[k], difference);
    }
  }
}

/* ---- outputs without a derivative ------------------------------------------------------------------------------- */

static void test_none(void **state) {
  static const struct {
    const char *parameter, *output, *told;
  } cases[] = {
      {"z", JSON({"name": "o", "of": "b.x + abs(z)"}), "-1 from below and 1 from above"},
      {"z", JSON({"name": "o", "of": "b.x + 1e-3*max(z, 0)"}), "and 0.001 from above"},
      {"z", JSON({"name": "o", "of": "z*b.x", "take": "rms"}), "corner"},
      {"z", JSON({"name": "o", "of": "b.x + sqrt(abs(z))"}), "infinite slope"},
      {"s", JSON({"name": "o", "of": "b.x + floor(s)"}), "jumps"},
      {"s", JSON({"name": "o", "of": "b.x + 1e-4*max(s, 2)"}), "corner"},
      {"s", JSON({"name": "o", "of": "s + 0.01*abs(s - 2) + 0*b.x"}), "0.99 from below and 1.01 from above"},
      /* a flat maximum: its instant moves by a root of the change */
      {"s", JSON({"name": "o", "of": "-(t - s/2)^4", "take": "time_of_max"}), "second time derivative"},
      /* equal distances at both ends of the motion */
      {"z", JSON({"name": "o", "of": "abs(b.x + z)", "take": "max"}), "from below and"},
      /* equal at both ends of the motion, without a branch of an expression that would indicate it */
      {"s", JSON({"name": "o", "of": "(t - 0.825*s)^2", "take": "max"}), "from below and 2.7225"},
      {"s", JSON({"name": "o", "of": "(t - 0.825*s)^2", "take": "time_of_max"}), "no derivative"},
      /* x + s/2 + 0.5 - 1.5 reverses where it just reaches zero */
      {"s", JSON({"name": "o", "of": "t", "take": "at", "when": "b.x + s/2 - 0.5"}), "runs near this value fail"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *study = models_text(PART({
                      "vary": [{"parameter": "k"}, {"parameter": "%s"}],
                      "gradient": true,
                      "outputs": [%s, {"name": "other", "of": "b.vx"}]
                    }), cases[i].parameter,
                                               cases[i].output);
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    mbs_status status =
        run_one(oscillator, JSON({"type": "dynamics", "t_end": 3.3, "dt": 0.1}), study, outputs, gradient, &error);
    free(study);
    if (i + 1 == sizeof cases / sizeof *cases && status == MBS_NOT_REACHED)
      continue; /* the run itself may miss the
                                                                                       * zero */
    if (status != MBS_NO_DERIVATIVE) fail_msg("case %zu: %s, %.9g", i, mbs_status_code(status), gradient[1]);
    if (!strstr(error.message, cases[i].told)) fail_msg("case %zu: %s", i, error.message);
    assert_true(isnan(gradient[0]) && isnan(gradient[1]));
    assert_true(isfinite(outputs[0]) && isfinite(outputs[1]));
    if (i + 1 == sizeof cases / sizeof *cases) continue;
    assert_true(isfinite(gradient[2]) && isfinite(gradient[3])); /* the other output has its derivatives */
  }
}

/* A jump at the point itself, and unbounded slopes, without integration. */
static void test_jumps(void **state) {
  static const char *const jumps[] = {"floor(s)", "if(s > 2, 1, 0)", "sign(s - 2)", "b.x + 1e-3*floor(s)"};
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
    char *study = models_text(
        PART({
                      "vary": [{"parameter": "s"}],
                      "gradient": true,
                      "outputs": [{"name": "o", "of": "%s"}]
                    }), jumps[i]);
    mbs_status status = run_one(oscillator, JSON({"type": "equilibrium"}), study, outputs, gradient, &error);
    if (status != MBS_NO_DERIVATIVE) fail_msg("%s: %s, %.9g", jumps[i], mbs_status_code(status), gradient[0]);
    free(study);
  }
}

/* The ball bounces twice. The force has a kink where the contact law would become negative; the kink is located like
 * the start of contact. In the flight afterwards the derivatives of the velocity are constant, and those of the height
 * grow linearly. */
static void test_two_bounces(void **state) {
  double first[6] = {0};
  (void)state;
  for (int i = 0; i < 6; i++) {
    const double later = 0.03 * i;
    char *analysis = models_text(PART({
                                   "type": "dynamics",
                                   "t_end": %.17g,
                                   "dt": 0.1,
                                   "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}
                                 }),
                                        0.95 + later);
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    const mbs_status status = run_one(ball, analysis, JSON({
                                        "vary": [{"parameter": "h"}, {"parameter": "v0"}, {"parameter": "m"}],
                                        "gradient": true,
                                        "outputs": [{"name": "y", "of": "ball.y"}, {"name": "vy", "of": "ball.vy"}]
                                      }),
                                      outputs, gradient, &error);
    if (status != MBS_OK) fail_msg("%s: %s", analysis, error.message);
    if (i == 0) memcpy(first, gradient, sizeof first);
    for (int j = 0; j < 3; j++) {
      assert_close(gradient[3 + j], first[3 + j], 1e-7);
      assert_close(gradient[j], first[j] + later * first[3 + j], 1e-8);
    }
    free(analysis);
  }
}

/* Two eigenvalues that are equal except for rounding, as damping is critical: none of their quantities has a
 * derivative. */
static void test_critical_damping(void **state) {
  MODEL(damped, {
    "space": "planar",
    "parameters": {"p": %.17g, "d": %.17g},
    "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
    "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}],
    "joints": [
      {"name": "rail", "type": "translational", "points": ["ground.O", "b.P"], "vectors": ["ground.u", "b.u"]}
    ],
    "forces": [{"name": "f", "type": "force", "body": "b", "value": ["-p*b.x - d*b.vx", 0]}]
  });
  static const char *const quantities[] = {"damping_ratios[1]", "frequencies[1]", "eigenvalues[1].re",
                                           "eigenvalues[1].im"};
  (void)state;
  for (int i = 0; i < 40; i++) {
    const double p = 9 * pow(1.37, i / 4);
    char *document = models_text(damped, p, 2 * sqrt(p)),
         *study = models_text(PART({
                                "vary": [{"parameter": "p"}, {"parameter": "d"}],
                                "gradient": true,
                                "outputs": [
                                  {"name": "o", "of": "%s"}, {"name": "x", "of": "b.x"}, {"name": "e", "of": "%s"}
                                ]
                              }),
                                                            quantities[i % 4], quantities[(i + 1) % 4]);
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    const mbs_status status = run_one(document, JSON({"type": "linearization"}), study, outputs, gradient, &error);
    if (status != MBS_NO_DERIVATIVE) fail_msg("%s, %g: %s, %g", study, p, mbs_status_code(status), gradient[0]);
    if (!strstr(error.message, "there is no derivative of 'o' and 'e'")) fail_msg("%s", error.message);
    assert_true(isnan(gradient[0]) && isfinite(gradient[2]) && isnan(gradient[4]));
    free(document);
    free(study);
  }
}

/* A mass that a driver moves from standstill to standstill; the total work is 0 except for rounding. */
MODEL(driven_mass,
    {"space": "planar", "gravity": [0, 0],
     "parameters": {"m": %g, "t0": 0.2, "t1": 1.4, "f0": 0.1, "f1": 1.7, "te": 2, "p": 0},
     "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
     "bodies": [
       {"name": "b", "mass": "m", "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}],
     "joints": [
       {"name": "r", "type": "translational", "points": ["ground.O", "b.P"],
        "vectors": ["ground.u", "b.u"]}],
     "drivers": [
       {"name": "d", "type": "joint", "joint": "r",
        "function": {"step": {"t0": "t0", "t1": "t1", "f0": "f0", "f1": "f1"}}}]});

/* Two masses whose frequencies would be equal at k = 50 without the spring c between them. */
MODEL(two_masses,
    {"space": "planar", "gravity": [0, 0], "parameters": {"k": 50, "c": %g, "stiff": %g},
     "ground": {"points": {"O": [0, 0], "Q": [0, 1]}, "vectors": {"u": [1, 0]}},
     "bodies": [
       {"name": "a", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
       {"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
       {"name": "s", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
     "joints": [
       {"name": "js", "type": "translational", "points": ["ground.Q", "s.C"],
        "vectors": ["ground.u", "s.u"]},
       {"name": "ja", "type": "translational", "points": ["ground.O", "a.C"],
        "vectors": ["ground.u", "a.u"]},
       {"name": "jb", "type": "translational", "points": ["ground.Q", "b.C"],
        "vectors": ["ground.u", "b.u"]}],
     "forces": [
       {"name": "fa", "type": "force", "body": "a", "value": ["-k*a.x - c*(a.x - b.x)", 0]},
       {"name": "fb", "type": "force", "body": "b", "value": ["-50*b.x - c*(b.x - a.x)", 0]},
       {"name": "fs", "type": "force", "body": "s", "value": ["-stiff*s.x", 0]}]});

/* An output that is only rounding noise about zero has the derivative zero, next to others that need smaller difference
 * steps. */
static void test_work_of_a_cycle(void **state) {
  static const char *const analyses[] = {JSON({"type": "inverse-dynamics", "t_end": "te", "dt": 0.1}),
                                         JSON({"type": "dynamics", "t_end": "te", "dt": 0.1})};
  static const char study[] = JSON({
    "vary": [
      {"parameter": "m"}, {"parameter": "t0"}, {"parameter": "t1"}, {"parameter": "f0"}, {"parameter": "f1"},
      {"parameter": "te"}
    ],
    "gradient": true,
    "outputs": [
      {"name": "work", "of": "energy.work"}, {"name": "when", "of": "t", "take": "at", "when": "b.x - 0.9"},
      {"name": "effort", "of": "d.effort", "take": "max"}
    ]
  });
  (void)state;
  for (int i = 0; i < 8; i++) {
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    char *document = models_text(driven_mass, 1 + 0.37 * (i / 2));
    mbs_status status = run_one(document, analyses[i % 2], study, outputs, gradient, &error);
    if (status != MBS_OK) fail_msg("%s: %s", analyses[i % 2], error.message);
    for (int j = 0; j < 6; j++)
      if (!(fabs(gradient[j]) < 1e-7)) fail_msg("%s: %.3g by parameter %d", analyses[i % 2], gradient[j], j);
    free(document);
  }
}

/* The reported derivative is not more exact than differences show, and no corner is reported where there is none. */
static void test_no_corner_that_is_none(void **state) {
  static const struct {
    double spring; /* of the two masses; NAN: the driven one */
    double stiff;  /* another stiffness, which may be so large that eigenvectors are inaccurate */
    const char *analysis, *vary, *output, *told;
  } cases[] = {
      /* 3 (p/4)^(4/3) */
      {NAN, 0, JSON({"type": "kinematics", "t_end": 2, "dt": 0.1}), "p",
       JSON({"name": "o", "of": "p*(t - 1) - (t - 1)^4", "take": "max"}), "finite differences do not converge"},
      {0, 1e3, JSON({"type": "linearization"}), "k", JSON({"name": "o", "of": "frequencies[1]"}), "there is a corner"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    char *document = isnan(cases[i].spring) ? models_text(driven_mass, 1.0)
                                            : models_text(two_masses, cases[i].spring, cases[i].stiff),
         *study = models_text(PART({"vary": [{"parameter": "%s"}], "gradient": true, "outputs": [%s]}), cases[i].vary,
                                    cases[i].output);
    mbs_status status = run_one(document, cases[i].analysis, study, outputs, gradient, &error);
    if (status != MBS_NO_DERIVATIVE) fail_msg("case %zu: %s, %.9g", i, mbs_status_code(status), gradient[0]);
    if (!strstr(error.message, cases[i].told)) fail_msg("case %zu: %s", i, error.message);
    if (i < 1 && strstr(error.message, "corner")) fail_msg("case %zu: %s", i, error.message);
    free(document);
    free(study);
  }
}

/* Eigenvalues with a relative distance of 1e-8 have derivatives: of two masses coupled by a spring, or with their own
 * springs only, even if differences are inaccurate. */
static void test_near_modes(void **state) {
  static const struct {
    double spring, k, share, stiff;
  } cases[] = {{1e-2, 50, 1e-8, 1e3},  {1e-4, 50, 1e-8, 1e3},  {1e-5, 50, 1e-7, 1e3},    {1e-5, 50, 1e-7, 1e14},
               {0, 50.001, 1e-9, 1e3}, {0, 49.999, 1e-9, 1e3}, {0, 50.00001, 1e-9, 1e3}, {0, 50.000002, 1e-9, 1e3}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double k = cases[i].k, c = cases[i].spring, pi = 3.14159265358979323846;
    double outputs[MOST], gradient[MOST], expected[3] = {0, 0, 0};
    mbs_error error;
    char *document = models_text(two_masses, c, cases[i].stiff);
    char *study = models_text(PART({
                                "vary": [{"parameter": "k", "values": [%.17g]}],
                                "gradient": true,
                                "outputs": [
                                  {"name": "f1", "of": "frequencies[1]"}, {"name": "f2", "of": "frequencies[2]"},
                                  {"name": "im", "of": "eigenvalues[2].im"}
                                ]
                              }),
                                                            k);
    for (int mode = 0; mode < 2; mode++) {
      const double share = c > 0 ? 0.5 : (k > 50) == mode;
      expected[mode] = share / (4 * pi * sqrt(k + 2 * c * mode));
    }
    expected[2] = 2 * pi * expected[1];
    const mbs_status status = run_one(document, JSON({"type": "linearization"}), study, outputs, gradient, &error);
    if (status != MBS_OK) fail_msg("case %zu: %s", i, error.message);
    for (int o = 0; o < 3; o++)
      if (!(fabs(gradient[o] - expected[o]) <= cases[i].share * fabs(expected[o])))
        fail_msg("case %zu, output %d: %.12g, not %.12g", i, o, gradient[o], expected[o]);
    free(document);
    free(study);
  }
}

/* Two pendulums deflected by torques, with a weak spring between them: the equilibrium moves, too. */
static void test_near_pendulums(void **state) {
  static const char *const analyses[] = {JSON({"type": "linearization"}),
                                         JSON({"type": "linearization", "formulation": "body"})};
  static const double springs[] = {1e-2, 1e-4, 1e-5, 0};
  const double m = 1.3, g = 9.81, L = 0.45, J = 0.07 + m * L * L, T = 2.1, weight = m * g * L;
  /* f = sqrt(sqrt(weight^2 - T^2) / J) / 2 pi, differentiated by the torque on either */
  const double k = sqrt(weight * weight - T * T), expected = -0.5 * T / (4 * 3.14159265358979323846 * k * sqrt(k * J));
  (void)state;
  for (size_t i = 0; i < 8; i++) {
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    char *document = models_text(
        PART({"space": "planar", "gravity": [0, -9.81], "parameters": {"T": 2.1, "U": 2.1, "c": %g},
      "ground": {"points": {"O": [0, 0]}},
      "bodies": [{"name": "a", "mass": 1.3, "inertia": 0.07, "points": {"A": [0, 0.45]}},
                 {"name": "b", "mass": 1.3, "inertia": 0.07, "points": {"A": [0, 0.45]}}],
      "joints": [{"name": "ja", "type": "revolute", "points": ["ground.O", "a.A"], "initial": {"position": 0.3}},
                 {"name": "jb", "type": "revolute", "points": ["ground.O", "b.A"], "initial": {"position": 0.3}}],
      "forces": [{"name": "fa", "type": "torque", "body": "a", "value": "T - c*(a.phi - b.phi) - 0.02*a.omega"},
                 {"name": "fb", "type": "torque", "body": "b", "value": "U - c*(b.phi - a.phi) - 0.02*b.omega"}]}),
                                                              springs[i / 2]);
    const mbs_status status = run_one(document, analyses[i % 2], JSON({
                                        "vary": [{"parameter": "T"}, {"parameter": "U"}],
                                        "gradient": true,
                                        "outputs": [{"name": "f", "of": "frequencies[1]"}]
                                      }),
                                      outputs, gradient, &error);
    assert_int_equal(status, springs[i / 2] > 0 ? MBS_OK : MBS_NO_DERIVATIVE);
    for (int j = 0; j < 2 && status == MBS_OK; j++)
      if (!(fabs(gradient[j] / expected - 1) <= 1e-8)) fail_msg("case %zu: %.12g, not %.12g", i, gradient[j], expected);
    free(document);
  }
}

/* A differentiable function whose second derivative jumps at the point has its derivative; with an infinite second
 * derivative, it has it or none is reported. */
static void test_second_derivative_jumps(void **state) {
  static const struct {
    const char *output;
    double expected;
    bool maybe;
  } cases[] = {{"if(s > 2, s^2, 4*s - 4)", 4, false},
               {"if(s > 2, s^3/8, 3*s/2 - 2)", 1.5, false},
               {"s + (s - 2)*abs(s - 2)", 1, false},
               {"s + 50*max(s - 2, 0)^2", 1, false},
               {"exp(s/4)*if(s > 2, sin(s - 2), s - 2)", 1.6487212707001282, false},
               {"s + abs(s - 2)^1.5", 1, true},
               {"s + 1e-3*max(s - 2, 0)^1.2", 1, true}};
  static const char *const analyses[] = {JSON({"type": "equilibrium"}),
                                         JSON({"type": "dynamics", "t_end": 1, "dt": 0.1})};
  (void)state;
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    char *study = models_text(
        PART({
                      "vary": [{"parameter": "s"}],
                      "gradient": true,
                      "outputs": [{"name": "o", "of": "%s + 0*b.x"}]
                    }),
               cases[i / 2].output);
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    mbs_status status = run_one(oscillator, analyses[i % 2], study, outputs, gradient, &error);
    free(study);
    if (cases[i / 2].maybe && status == MBS_NO_DERIVATIVE) continue;
    if (status != MBS_OK) fail_msg("%s: %s", cases[i / 2].output, error.message);
    if (!(fabs(gradient[0] - cases[i / 2].expected) <= 1e-8 * cases[i / 2].expected))
      fail_msg("%s: %.12g, not %.12g", cases[i / 2].output, gradient[0], cases[i / 2].expected);
  }
}

/* Outputs that oscillate many times while a parameter changes by a small share have the correct derivative. */
static void test_turns(void **state) {
  static const int turns[] = {1, 32, 63, 64, 73, 128, 252, 253, 256, 260, 512, 1000, 4096};
  const double pi = 3.14159265358979323846;
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    char *study = models_text(PART({
                      "vary": [{"parameter": "s"}],
                      "gradient": true,
                      "outputs": [{"name": "o", "of": "sin(2*pi*%d*s + 0.3) + 0*b.x"}]
                    }),
                                     turns[i]);
    mbs_status status = run_one(oscillator, JSON({"type": "equilibrium"}), study, outputs, gradient, &error);
    const double expected = 2 * pi * turns[i] * cos(0.3);
    if (status != MBS_OK) fail_msg("%d turns: %s", turns[i], error.message);
    if (!(fabs(gradient[0] - expected) <= 1e-7 * expected))
      fail_msg("%d turns: %.12g, not %.12g", turns[i], gradient[0], expected);
    free(study);
  }
}

/* The first of several minima that are all zero determines the derivative. */
static void test_equal_zeros(void **state) {
  const double k = 18, w = 3, pi = 3.14159265358979323846, expected = -pi / (2 * w * w) * w / (2 * k);
  static const char *const outputs_of[] = {"abs(b.x)", "b.x^2", "max(0, b.x)"};
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  for (size_t i = 0; i < sizeof outputs_of / sizeof *outputs_of; i++) {
    char *study = models_text(PART({
                      "vary": [{"parameter": "k"}],
                      "gradient": true,
                      "outputs": [{"name": "o", "of": "%s", "take": "time_of_min"}]
                    }),
                                     outputs_of[i]);
    mbs_status status =
        run_one(oscillator, JSON({"type": "dynamics", "t_end": 7.3, "dt": 0.1}), study, outputs, gradient, &error);
    if (!(fabs(outputs[0] - pi / (2 * w)) < 1e-7)) fail_msg("%s: least at %.12g", outputs_of[i], outputs[0]);
    if (status == MBS_OK && !(fabs(gradient[0] - expected) < 1e-7 * fabs(expected)))
      fail_msg("%s: %.12g, not %.12g", outputs_of[i], gradient[0], expected);
    free(study);
  }
}

/* Returns a mass on a rail along x that starts at `place`; `parameters` is a list of members of the document. */
static char *on_rail(const char *parameters, const char *place, double mass, const char *start, const char *forces) {
  MODEL(rail,
      {"space": "planar", %s,
       "ground": {"points": {"O": %s}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": %g, "inertia": 0.1, "points": {"A": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "b.A"],
                   "vectors": ["ground.u", "b.u"], "initial": %s}],
       "forces": [%s]});
  return models_text(rail, parameters, place, mass, start, forces);
}

/* A parameter with a weak influence (relative to its size, or to 1 if it is 0) has derivatives with as many digits: by
 * forward sensitivities, and by differences if an expression switches. A mass that slides freely except for a very weak
 * spring and damper. */
static void test_weak(void **state) {
  static const struct {
    double mass, k, share;
    const char *more;
  } cases[] = {{1, 0, 1e-9, ""},      {1e5, 0, 1e-8, ""},    {1e5, 0, 1e-8, " + 0*if(t>0.4,1,0)"},
               {1e6, 1e-3, 1e-8, ""}, {1e9, 1e-3, 1e-8, ""}, {1e9, 0, 1e-8, " + 0*if(t>0.4,1,0)"}};
  const double x = 0.3, v = 1, t = 1, by_k = -(x * t * t / 2 + v * t * t * t / 6), by_c = -v * t * t / 2;
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *parameters = models_text(PART("parameters": {"k": %g, "c": 0}), cases[i].k);
    char *force = models_text(PART({"name": "f", "type": "force", "body": "b", "value": ["-k*b.x - c*b.vx%s", 0]}),
                                    cases[i].more);
    char *document = on_rail(parameters, "[0, 0]", cases[i].mass, JSON({"position": 0.3, "velocity": 1}), force);
    mbs_status status = run_one(
        document, JSON({"type": "dynamics", "t_end": 1, "dt": 1, "integrator": {"rtol": 1e-11, "atol": 1e-13}}), JSON({
          "vary": [{"parameter": "k"}, {"parameter": "c"}],
          "gradient": true,
          "outputs": [{"name": "x", "of": "b.x"}]
        }),
        outputs, gradient, &error);
    if (status != MBS_OK) fail_msg("%g kg: %s", cases[i].mass, error.message);
    if (!(fabs(gradient[0] * cases[i].mass - by_k) < cases[i].share * fabs(by_k)))
      fail_msg("%g kg%s by k: %.12g, not %.12g", cases[i].mass, cases[i].more, gradient[0] * cases[i].mass, by_k);
    if (!(fabs(gradient[1] * cases[i].mass - by_c) < cases[i].share * fabs(by_c)))
      fail_msg("%g kg%s by c: %.12g, not %.12g", cases[i].mass, cases[i].more, gradient[1] * cases[i].mass, by_c);
    free(force);
    free(parameters);
    free(document);
  }
}

/* A parameter that is zero except for rounding has the same derivatives as at zero, by forward sensitivities and by
 * differences (of an output that switches), in both formulations. The difference step is a share of the quantity that
 * the parameter enters, not of the parameter. */
static void test_tiny(void **state) {
  static const char *const values[] = {"0", "1e-12", "1e-300", "sin(pi)"};
  static const struct {
    const char *what, *gravity, *point, *mass, *angle, *stiffness;
  } cases[] = {{"gravity", "e", "0.25", "1", "1", "0"},
               {"a length", "0.5", "0.25 + e", "1", "1", "0"},
               {"a mass", "0.5", "0.25", "1 + e", "1", "0"},
               {"an angle", "0.5", "0.25", "1", "1 + e", "0"},
               {"a start at an angle", "0.5", "0.25", "1", "e", "0"},
               {"a stiffness", "0.5", "0.25", "1", "1", "e"}};
  static const char *const outputs_of[] = {"b.phi", "b.phi + 0*abs(b.phi)"};
  double outputs[MOST], gradient[MOST], at_zero = 0;
  mbs_error error;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int way = 0; way < 4; way++)
      for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        char *document = models_text(PART({"space": "planar", "parameters": {"e": "%s"}, "gravity": ["%s", -9.81],
                  "ground": {"points": {"O": [0, 0]}},
                  "bodies": [{"name": "b", "mass": "%s", "inertia": 0.02, "points": {"A": [0, "%s"]}}],
                  "joints": [{"name": "j", "type": "revolute", "points": ["ground.O", "b.A"],
                              "initial": {"position": "%s"}}],
                  "forces": [{"name": "f", "type": "torque", "body": "b", "value": "-(%s)*b.phi"}]}),
                                                         values[v], cases[i].gravity, cases[i].mass, cases[i].point,
                                                         cases[i].angle, cases[i].stiffness);
        char *analysis = models_text(PART({"type": "dynamics", "formulation": "%s", "t_end": 1.5, "dt": 0.5,
                  "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-13}}),
                                           way % 2 ? "body" : "joint");
        char *study =
            models_text(PART({"vary": [{"parameter": "e"}], "gradient": true, "outputs": [{"name": "o", "of": "%s"}]}),
                              outputs_of[way / 2]);
        const mbs_status status = run_one(document, analysis, study, outputs, gradient, &error);
        if (status != MBS_OK) fail_msg("%s, %s: %s", cases[i].what, values[v], error.message);
        if (v == 0) at_zero = gradient[0];
        if (!(fabs(gradient[0] - at_zero) <= 1e-8 * fabs(at_zero)) || at_zero == 0)
          fail_msg("%s = %s, way %d: %.12g, not %.12g", cases[i].what, values[v], way, gradient[0], at_zero);
        free(study);
        free(analysis);
        free(document);
      }
}

/* A derivative by one parameter costs a few runs of the study. Forward sensitivities, differences of an output that
 * switches (one or two batches of eight runs in lanes), and a reduction all stay within the limit. Evaluations of all
 * lanes are counted. */
static void test_cost(void **state) {
  static const struct {
    const char *output;
    double runs;
  } cases[] = {{JSON({"name": "o", "of": "bob.phi"}), 8},
               {JSON({"name": "o", "of": "bob.phi", "take": "rms"}), 8},
               {JSON({"name": "o", "of": "abs(bob.phi)"}), 20},
               {JSON({"name": "o", "of": "abs(bob.phi)", "take": "rms"}), 20},
               {JSON({"name": "o", "of": "if(bob.phi > 0, bob.phi, 0)", "take": "max"}), 20}};
  static const char *const analysis = JSON({"type": "dynamics", "t_end": 2, "dt": 0.1});
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double outputs[MOST], gradient[MOST];
    mbs_error error;
    mbs_result *result = models_run(pendulum, analysis);
    const double run = (double)result->report.evaluations;
    char *study = models_text(PART({"vary": [{"parameter": "g"}], "gradient": true, "outputs": [%s]}), cases[i].output);
    const mbs_status status = run_one(pendulum, analysis, study, outputs, gradient, &error);
    if (status != MBS_OK) fail_msg("%s: %s", cases[i].output, error.message);
    if (!((double)last_evaluations <= cases[i].runs * run))
      fail_msg("%s: %.3g runs", cases[i].output, (double)last_evaluations / run);
    free(study);
    mbs_result_free(result);
  }
}

/* A pendulum at x = `place`, pushed by a torque of 1e-6 N m times a = 1. Far from the origin the rounding of its
 * coordinates exceeds its angle. */
static mbs_status push_faintly(const char *place, const char *more, const char *formulation, double atol,
                               double *gradient, mbs_error *error) {
  double outputs[MOST];
  MODEL(pushed,
      {"space": "planar", "gravity": [0, -9.81], "parameters": {"a": 1}, "ground": {"points": {"O": [%s, 0]}},
       "bodies": [{"name": "b", "mass": 1.2, "inertia": 0.2, "points": {"A": [0, 1.1]}}],
       "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "b.A"], "initial": {"position": 1e-3}}],
       "forces": [{"name": "t", "type": "torque", "body": "b",
                   "value": "-0.1*b.omega + a*1e-6*exp(-((t - 1.9)/0.03)^2)%s"}]});
  char *document = models_text(pushed, place, more);
  char *analysis = models_text(
      PART({"type": "dynamics", "t_end": 2, "dt": 2, "formulation": "%s",
                                      "integrator": {"rtol": 1e-11, "atol": %g}}),
            formulation, atol);
  const mbs_status status =
      run_one(document, analysis,
              JSON({"vary": [{"parameter": "a"}], "gradient": true, "outputs": [{"name": "o", "of": "b.phi"}]}),
              outputs, gradient, error);
  free(document);
  free(analysis);
  return status;
}

/* A weak influence is as exact as the values of the output: by forward sensitivities and, in body coordinates far from
 * the origin, by differences. If the absolute tolerance is as small as rounding, derivatives do not request a smaller
 * one, which no step could meet. */
static void test_weak_influence(void **state) {
  static const char *const places[] = {"0", "6", "12", "100"}, *const more[] = {"", " + 0*if(t > 0.4, 1, 0)"};
  const double by_hinge = 3.16126151e-9; /* derivative in joint coordinates, accurate to 1e-9 at every place */
  double gradient[MOST];
  mbs_error error;
  (void)state;
  assert_int_equal(push_faintly("0", "", "joint", 1e-13, gradient, &error), MBS_OK);
  if (!(fabs(gradient[0] / by_hinge - 1) < 1e-8)) fail_msg("by a hinge: %.12g", gradient[0]);
  for (size_t i = 0; i < 8; i++) {
    const mbs_status status = push_faintly(places[i / 2], more[i % 2], "body", 1e-13, gradient, &error);
    if (status != MBS_OK) fail_msg("case %zu: %s", i, error.message);
    if (!(fabs(gradient[0] - by_hinge) < 1e-12)) fail_msg("case %zu: %.12g, not %.12g", i, gradient[0], by_hinge);
  }
  assert_int_equal(push_faintly("6", "", "body", 1e-16, gradient, &error), MBS_OK);
  if (!(fabs(gradient[0] - by_hinge) < 1e-12)) fail_msg("at 1e-16: %.12g", gradient[0]);
  if (last_evaluations > 1000000) fail_msg("at 1e-16 that took %.3g evaluations", (double)last_evaluations);
}

/* A slider that a driver moves by u = t + p t^2. The small p influences its acceleration strongly and its position
 * weakly. Derivatives at t = 2. */
static const struct {
  const char *of;
  double by_p; /* NAN: no derivative */
} beside[] = {{"d.effort", 2},
              {"b.x", 4},
              {"1 + 1e-3*d.effort", 2e-3},
              {"1e5 + d.effort", 2},
              {"b.vx", 4},
              {"b.y", 0},
              {"sin(1e7*d.effort)", 0} /* depends on the value */,
              {"abs(d.effort - 2*P)", NAN}};

enum { BESIDE = sizeof beside / sizeof *beside };

static double expect_beside(size_t i, double p) { return i == 6 ? 2e7 * cos(2e7 * p) : beside[i].by_p; }

/* The derivative of an output is as exact as if computed alone, next to outputs that change much more, not at all, or
 * have no derivative. If the output itself hardly changes, rounding limits the accuracy. */
static void test_beside(void **state) {
  static const double values[] = {1e-12, 1e-10, 1e-8, 1e-5};
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  for (size_t v = 0; v < sizeof values / sizeof *values; v++)
    for (size_t alone = 0; alone <= BESIDE; alone++) {
      char *parameters = models_text(PART("parameters": {"p": %g, "P": %g}), values[v], values[v]);
      char *place = on_rail(parameters, "[0, 0]", 1, JSON({"position": 0}), "");
      char *document = models_merged(
          place, JSON({"drivers": [{"name": "d", "type": "joint", "joint": "rail", "function": "t + p*t^2"}]}));
      char list[1000] = "";
      size_t count = 0;
      for (size_t i = 0; i < BESIDE; i++)
        if (alone == BESIDE || alone == i) {
          const size_t length = strlen(list);
          snprintf(list + length, sizeof list - length, "%s{\"name\": \"o%zu\", \"of\": \"%s\"}", count++ ? ", " : "",
                   i, beside[i].of);
        }
      char *study = models_text(PART({"vary": [{"parameter": "p"}], "gradient": true, "outputs": [%s]}), list);
      const mbs_status status = run_one(document, JSON({"type": "inverse-dynamics", "t_end": 2, "dt": 0.5}), study,
                                        outputs, gradient, &error);
      assert_int_equal(status, alone == BESIDE || alone == BESIDE - 1 ? MBS_NO_DERIVATIVE : MBS_OK);
      for (size_t k = 0; k < count; k++) {
        const size_t i = alone == BESIDE ? k : alone;
        const double expected = expect_beside(i, values[v]);
        if (isnan(expected) ? !isnan(gradient[k])
                            : !(fabs(gradient[k] - expected) <= (i == 3 ? 1e-5 : 1e-6) * fabs(expected)))
          fail_msg("'%s' at %g%s: %.12g, not %.12g", beside[i].of, values[v], alone == BESIDE ? "" : " alone",
                   gradient[k], expected);
      }
      free(study);
      free(document);
      free(place);
      free(parameters);
    }
}

/* Like test_beside, for motions: of a start, and with an expression that switches. */
static void test_beside_in_motion(void **state) {
  static const struct {
    const char *start, *force;
    double expected[4];
  } cases[] = {{JSON({"position": "1 + p", "velocity": "1e8*p"}), "0", {1, 1e8 + 1 + 2e-8, 1e8 + 1, 3.00000002}},
               {JSON({"position": 0.3, "velocity": 1}),
                "-p*b.x + 0*if(t>0.4,1,0)",
                {0, 0.3, -0.95 / 3 + 1e-8 / 24, 1.3 - 1e-8 * 1.9 / 3}}}; /* to first order in p */
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *force = models_text(PART({"name": "f", "type": "force", "body": "b", "value": ["%s", 0]}), cases[i].force);
    char *document = on_rail(PART("parameters": {"p": 1e-8}), "[0, 0]", 1, cases[i].start, force);
    const mbs_status status = run_one(
        document, JSON({"type": "dynamics", "t_end": 1, "dt": 1}), JSON({
          "vary": [{"parameter": "p"}],
          "gradient": true,
          "outputs": [
            {"name": "x0", "of": "b.x", "take": "initial"}, {"name": "v0", "of": "b.vx + p*b.x", "take": "initial"},
            {"name": "x", "of": "b.x"}, {"name": "f", "of": "p*b.x"}
          ]
        }),
        outputs, gradient, &error);
    if (status != MBS_OK) fail_msg("case %zu: %s", i, error.message);
    for (size_t k = 0; k < 4; k++) {
      const double expected = cases[i].expected[k];
      if (!(fabs(gradient[k] - expected) <= 1e-7 * fabs(expected)))
        fail_msg("case %zu, output %zu: %.12g, not %.12g", i, k, gradient[k], expected);
    }
    free(force);
    free(document);
  }
}

/* The instant of a flat extreme is inaccurate. If a derivative depends on it, such as that of |p|^(4/3) at 0, none is
 * reported along a smooth motion, rather than one that is wrong in its seventh digit. */
static void test_flat_in_motion(void **state) {
  static const struct {
    const char *of;
    double expected; /* NAN: no derivative */
  } cases[] = {{"p - (t - 1)^4", 1},
               {"p*b.x^2*0 + 2*p - (b.x - 0.9)^4", 2},
               {"p*(t - 1) - (t - 1)^4", NAN},
               {"p*b.vx - (b.x - 0.9)^4", NAN}};
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = on_rail(PART("parameters": {"p": 0}), "[0, 0]", 1, JSON({"position": 0.3, "velocity": 1}),
                                  JSON({"name": "f", "type": "force", "body": "b", "value": ["-0.7*b.x", 0]}));
    char *study = models_text(
        PART({"vary": [{"parameter": "p"}], "gradient": true, "outputs": [{"name": "o", "of": "%s", "take": "max"}]}),
              cases[i].of);
    const mbs_status status =
        run_one(document, JSON({"type": "dynamics", "t_end": 2, "dt": 0.1}), study, outputs, gradient, &error);
    const double expected = cases[i].expected;
    if (status != (isnan(expected) ? MBS_NO_DERIVATIVE : MBS_OK))
      fail_msg("'%s': %s, %.12g", cases[i].of, mbs_status_code(status), gradient[0]);
    if (isnan(expected)) assert_non_null(strstr(error.message, "finite differences do not converge"));
    if (!isnan(expected) && !(fabs(gradient[0] - expected) <= 1e-9)) fail_msg("'%s': %.12g", cases[i].of, gradient[0]);
    free(study);
    free(document);
  }
}

/* An expression that is strongly curved within a change of its parameter by 20 %, with little influence compared with
 * other terms of an output. Exact derivatives are those of the expression alone. */
static void test_bending(void **state) {
  static const char law[] = "tanh(4*B) + 0.05*B";
  static const double slope = 1.270079984829636; /* 4 / cosh(4 B)^2 + 0.05 at B = 0.3 */
  static const struct {
    double mass;
    const char *of, *take, *also;
    double times, share; /* ratio of the output's derivative to the slope of the expression; tolerance */
  } cases[] = {{1.3, "1e4 + rail.torque", "final", "", -1, 1e-8},
               {1.3, "1e6 + rail.torque", "final", "", -1, 1e-7},
               {1.3, "rail.torque", "mean", "{\"name\": \"also\", \"of\": \"b.x\", \"take\": \"rms\"}", -1, 1e-8},
               {1e3, "b.x", "final", "{\"name\": \"also\", \"of\": \"b.y\", \"take\": \"mean\"}", 5e-4, 1e-8}};
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *forces = models_text(PART({"name": "tq", "type": "torque", "body": "b", "value": "%s"},
                                    {"name": "f", "type": "force", "body": "b", "value": ["%s", 0]}), law, law);
    char *document = on_rail(PART("parameters": {"B": 0.3}, "gravity": [0, -9.81]), "[0.2, -0.1]", cases[i].mass,
                                                 JSON({"position": 0.4}), forces);
    char *study = models_text(PART({
                                "vary": [{"parameter": "B"}],
                                "gradient": true,
                                "outputs": [{"name": "o", "of": "%s", "take": "%s"} %s %s]
                              }),
                                     cases[i].of, cases[i].take, *cases[i].also ? ", " : "", cases[i].also);
    const mbs_status status =
        run_one(document, JSON({"type": "dynamics", "t_end": 1, "dt": 1}), study, outputs, gradient, &error);
    const double expected = cases[i].times * slope;
    if (status != MBS_OK) fail_msg("%s of %g kg: %s", cases[i].of, cases[i].mass, error.message);
    if (!(fabs(gradient[0] - expected) <= cases[i].share * fabs(expected)))
      fail_msg("%s of %g kg: %.12g, not %.12g", cases[i].of, cases[i].mass, gradient[0], expected);
    free(forces);
    free(study);
    free(document);
  }
}

/* A flywheel on its axis: its reactions are constant except for rounding, and the first of equal extremes counts. */
static void test_still(void **state) {
  static const char flywheel[] = JSON({
    "space": "spatial",
    "parameters": {"m": 1.3, "w": 20, "h": 0.37},
    "gravity": [0.4, -0.2, -9.81],
    "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0.2, 0.3, 1]}},
    "bodies": [{
      "name": "b",
      "mass": "m",
      "inertia": [0.1, 0.1, 0.17],
      "points": {"A": [0, 0, "-h"]},
      "vectors": {"z": [0, 0, 1]}
    }],
    "joints": [{
      "name": "r",
      "type": "revolute",
      "points": ["ground.O", "b.A"],
      "vectors": ["ground.z", "b.z"],
      "initial": {"position": 0.4, "velocity": "w"}
    }]
  });
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  (void)state;
  const mbs_status status =
      run_one(flywheel, JSON({"type": "dynamics", "t_end": 1, "dt": 0.1}), JSON({
                "vary": [{"parameter": "m"}, {"parameter": "w"}, {"parameter": "h"}],
                "gradient": true,
                "outputs": [
                  {"name": "t", "of": "r.fx", "take": "time_of_max"},
                  {"name": "u", "of": "r.fz", "take": "time_of_min"}, {"name": "v", "of": "r.fx", "take": "max"}
                ]
              }),
              outputs, gradient, &error);
  if (status != MBS_OK) fail_msg("%s", error.message);
  for (size_t i = 0; i < 2; i++) assert_true(outputs[i] == 0);
  for (size_t k = 0; k < 6; k++) assert_true(gradient[k] == 0);
  assert_true(fabs(gradient[6] + 0.4) < 1e-9);
}

MODEL(motor, {"drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "0.7 + t"}]});

/* A parameter whose smallest change makes redundant constraints contradictory has no derivative. */
static void test_redundant(void **state) {
  static const char *const analyses[] = {JSON({"type": "dynamics", "t_end": 1, "dt": 0.5}),
                                         JSON({"type": "kinematics", "t_end": 1, "dt": 0.5}),
                                         JSON({"type": "dynamics", "t_end": 1, "dt": 0.5, "formulation": "body"})};
  double outputs[MOST], gradient[MOST];
  mbs_error error;
  char *document = models_merged(models_parallel_cranks, motor);
  (void)state;
  for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++)
    for (int kept = 0; kept < 2; kept++) {
      char *study = models_text(
          PART({
                                  "vary": [{"parameter": "%s"}],
                                  "gradient": true,
                                  "outputs": [{"name": "x", "of": "k.x"}]
                                }),
                 kept ? "a" : "e");
      mbs_status status = run_one(document, analyses[i], study, outputs, gradient, &error);
      if (kept && status != MBS_OK) fail_msg("analysis %zu: %s", i, error.message);
      if (kept && !(fabs(gradient[0] - cos(1.7)) < 1e-8)) fail_msg("analysis %zu: %.12g", i, gradient[0]);
      if (!kept) assert_int_equal(status, MBS_NO_DERIVATIVE);
      if (!kept) assert_non_null(strstr(error.message, "redundant"));
      free(study);
    }
  free(document);
}

/* A failed run has no derivatives; a run cancelled by the hooks returns that status. */
static bool no_more(void *user, double t, double fraction, uint64_t evaluations) {
  (void)t, (void)evaluations;
  double *last = user;
  assert_true(fraction >= *last && fraction <= 1);
  *last = fraction;
  return fraction < 0.5;
}

static void test_ends(void **state) {
  mbs_diagnostics list = {0};
  mbs_model *model = models_try_build_study(oscillator, JSON({"type": "dynamics", "t_end": 3, "dt": 0.1}), JSON({
                                              "vary": [{"parameter": "k", "values": [18, 20]}],
                                              "gradient": true,
                                              "outputs": [{"name": "o", "of": "sqrt(19 - k + 0*t) + b.x"}]
                                            }),
                                            &list);
  assert_non_null(model);
  mbs_study *runs = mbs_study_new(model);
  double value, output, last = 0;
  mbs_error error;
  const mbs_hooks hooks = {.user = &last, .progress = no_more};
  (void)state;
  assert_int_equal(mbs_study_run(runs, 1, NULL, &value, &output, &error), MBS_NOT_FINITE);
  assert_true(isnan(output) && isnan(*mbs_study_gradient(runs)));
  assert_int_equal(mbs_study_run(runs, 0, &hooks, &value, &output, &error), MBS_CANCELLED);
  assert_int_equal(mbs_study_run(runs, 0, NULL, &value, &output, &error), MBS_OK);
  assert_true(isfinite(*mbs_study_gradient(runs)));
  mbs_study_free(runs);
  mbs_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_oscillator),
                                     cmocka_unit_test(test_contact),
                                     cmocka_unit_test(test_near_contact),
                                     cmocka_unit_test(test_overlap_at_start),
                                     cmocka_unit_test(test_sensitivities),
                                     cmocka_unit_test(test_hanging),
                                     cmocka_unit_test(test_bound),
                                     cmocka_unit_test(test_kinematics),
                                     cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_start),
                                     cmocka_unit_test(test_methods),
                                     cmocka_unit_test(test_uncorrected),
                                     cmocka_unit_test(test_none),
                                     cmocka_unit_test(test_ends),
                                     cmocka_unit_test(test_jumps),
                                     cmocka_unit_test(test_critical_damping),
                                     cmocka_unit_test(test_two_bounces),
                                     cmocka_unit_test(test_work_of_a_cycle),
                                     cmocka_unit_test(test_no_corner_that_is_none),
                                     cmocka_unit_test(test_near_modes),
                                     cmocka_unit_test(test_near_pendulums),
                                     cmocka_unit_test(test_second_derivative_jumps),
                                     cmocka_unit_test(test_turns),
                                     cmocka_unit_test(test_equal_zeros),
                                     cmocka_unit_test(test_weak),
                                     cmocka_unit_test(test_weak_influence),
                                     cmocka_unit_test(test_tiny),
                                     cmocka_unit_test(test_cost),
                                     cmocka_unit_test(test_beside),
                                     cmocka_unit_test(test_flat_in_motion),
                                     cmocka_unit_test(test_beside_in_motion),
                                     cmocka_unit_test(test_redundant),
                                     cmocka_unit_test(test_bending),
                                     cmocka_unit_test(test_still)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
