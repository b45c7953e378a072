/* Tangents (forward sensitivities): the residuals that they differentiate vanish at the computed accelerations; the
 * derivatives equal differences of whole runs; and none is computed if the motion is not smooth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/lanes.h"
#include "derivatives/finite_difference.h"
#include "derivatives/forward_sensitivity.h"
#include "derivatives/parameter_size.h"
#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/system.h"
#include "kernels/kernels.h"
#include "models.h"

enum { MOST = 64 };

/* ---- residuals ------------------------------------------------------------------------------------------------- */

/* Checks that h - M v' + C' lambda = 0, relative to the largest of h and C' lambda; with other accelerations it is -M
 * dv'. */
static void expect_no_residual(const char *document, const char *analysis, const char *what, uint64_t *random) {
  mbs_model *model = models_build(document, analysis);
  mbs_arena *arena = mbs_arena_new(0);
  mbs_system *system = mbs_system_new(model, arena);
  double q[4 * MOST], v[4 * MOST], forces[4 * MOST], size = 0;
  assert_true(model->nq <= 4 * MOST);
  for (size_t i = 0; i < model->nq; i++) q[i] = model->constants->q0[i] + 0.05 * models_uniform(random);
  for (size_t i = 0; i < model->nv; i++) v[i] = model->constants->v0[i] + models_uniform(random);
  model->kernels->normalize(model, q);
  if (mbs_evaluate(system, 0.1, q, v) == MBS_OK && !system->shifted) {
    model->kernels->residual_forces(system);
    mbs_jacobian_transposed(system, system->lambda, forces);
    for (size_t i = 0; i < model->nv; i++) size = fmax(size, fmax(fabs(system->h[i]), fabs(forces[i])));
    for (size_t i = 0; i < model->nv; i++)
      if (!(fabs(system->h[i] + forces[i]) <= 1e-9 * fmax(size, 1)))
        fail_msg("%s: residual %zu is %g of %g", what, i, system->h[i] + forces[i], size);
    system->vdot[0] += 1;
    double changed = 0;
    model->kernels->residual_forces(system);
    for (size_t i = 0; i < model->nv; i++) changed = fmax(changed, fabs(system->h[i] + forces[i]));
    assert_true(changed > 1e-6);
  }
  mbs_arena_free(arena);
  mbs_model_free(model);
}

static void test_residuals(void **state) {
  static const char *const analyses[] = {JSON({"type": "dynamics", "t_end": 1, "dt": 0.1}),
                                         JSON({"type": "dynamics", "t_end": 1, "dt": 0.1, "formulation": "body"})};
  uint64_t random = 3;
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed += MODELS_EVERY)
    for (int body = 0; body < 2; body++) {
      char *plane = models_random(seed, 6, 2), *space = models_random_spatial(seed, 5, 1);
      expect_no_residual(plane, analyses[body], "in the plane", &random);
      expect_no_residual(space, analyses[body], "in space", &random);
      free(plane);
      free(space);
    }
  char *chain = models_chain(30, 0.3), *balls = models_spatial_chain(16, true);
  expect_no_residual(chain, analyses[0], "a chain", &random);
  expect_no_residual(balls, analyses[0], "a chain of balls", &random);
  free(chain);
  free(balls);
  for (int body = 0; body < 2; body++) {
    char *plane = models_rotors(true), *space = models_spatial_rotors("universal");
    expect_no_residual(plane, analyses[body], "rotors in the plane", &random);
    expect_no_residual(space, analyses[body], "rotors in space", &random);
    free(plane);
    free(space);
  }
}

/* ---- derivatives ----------------------------------------------------------------------------------------------- */

/* A model with a study, and the derivatives by forward sensitivities and by finite differences. */
typedef struct both {
  mbs_model *model;
  mbs_arena *arena;
  double tangents[MOST];
  const double *differences;
  bool known[MOST];
  size_t outputs, parameters;
  uint64_t evaluations; /* cost of the forward sensitivities */
  size_t batches;       /* batches of runs for differences */
} both;

static both differentiate(const char *document, const char *analysis, const char *study) {
  mbs_diagnostics list = {0};
  mbs_error error;
  both out = {.model = models_try_build_study(document, analysis, study, &list), .arena = mbs_arena_new(0)};
  for (size_t i = 0; i < list.count; i++) print_message("%s: %s\n", list.items[i].pointer, list.items[i].message);
  assert_non_null(out.model);
  mbs_diagnostics_free(&list);
  out.outputs = out.model->plan->output_count;
  out.parameters = out.model->plan->vary_count;
  double values[MOST], sizes[MOST];
  assert_true(out.outputs * out.parameters <= MOST);
  for (size_t j = 0; j < out.parameters; j++)
    values[j] = out.model->parameters[out.model->plan->vary[j].parameter].value;
  assert_int_equal(mbs_parameter_sizes(out.model, values, sizes), MBS_OK);
  mbs_forward_sensitivity *forward = mbs_forward_sensitivity_new(out.model, out.arena);
  mbs_finite_difference *differences = mbs_finite_difference_new(out.model, out.arena);
  assert_true(forward && differences);
  assert_int_equal(mbs_forward_sensitivity_at(forward, values, sizes, 0, NULL, out.tangents, out.known, &error),
                   MBS_OK);
  mbs_finite_difference_at(differences, values, sizes, NULL, 0, NULL, &error);
  out.evaluations = mbs_forward_sensitivity_evaluations(forward);
  out.batches = mbs_finite_difference_batches(differences);
  out.differences = mbs_finite_difference_values(differences);
  mbs_forward_sensitivity_free(forward);
  mbs_finite_difference_free(differences);
  return out;
}

static void forget(both *found) {
  mbs_arena_free(found->arena);
  mbs_model_free(found->model);
}

/* Checks that rows agree to `share` of their largest entry, with entries scaled by the size of the parameter. If not
 * `all`, the sensitivities may omit parameters. Returns the evaluations of the sensitivities. */
static uint64_t expect_agreement(const char *document, const char *analysis, const char *study, double share, bool all,
                                 const char *what) {
  both found = differentiate(document, analysis, study);
  for (size_t i = 0; i < found.outputs; i++) {
    double most = 0;
    for (int pass = 0; pass < 2; pass++)
      for (size_t j = 0; j < found.parameters; j++) {
        const size_t k = i * found.parameters + j;
        const double p = found.model->parameters[found.model->plan->vary[j].parameter].value,
                     size = p != 0 ? fabs(p) : 1;
        if (all && !found.known[j]) fail_msg("%s: tangents do not determine parameter %zu", what, j);
        if (pass == 0) most = fmax(most, fabs(found.differences[k]) * size);
        if (pass == 1 && found.known[j] && !(fabs(found.tangents[k] - found.differences[k]) * size <= share * most))
          fail_msg("%s: output %zu by %zu: %.12g, by differences %.12g", what, i, j, found.tangents[k],
                   found.differences[k]);
      }
  }
  forget(&found);
  return found.evaluations;
}

static void expect_equal(const char *document, const char *analysis, const char *study, double share,
                         const char *what) {
  expect_agreement(document, analysis, study, share, true, what);
}

static void test_four_bar(void **state) {
  static const char *const formulations[] = {"joint", "body"};
  char *document = models_named("FourBar");
  (void)state;
  for (int i = 0; i < 2; i++) {
    char *analysis = models_text(PART({"type": "dynamics", "t_end": 1.5, "dt": 0.1, "formulation": "%s",
                                      "integrator": {"rtol": 1e-10, "atol": 1e-13}}),
                                       formulations[i]);
    expect_equal(
        document, analysis, JSON({
          "vary": [{"parameter": "a"}, {"parameter": "b"}, {"parameter": "c"}, {"parameter": "d"}],
          "gradient": true,
          "outputs": [
            {"name": "end", "of": "crank.phi"}, {"name": "at", "of": "rocker.omega", "take": "at", "at": 0.77},
            {"name": "most", "of": "coupler.y", "take": "max"},
            {"name": "when", "of": "coupler.y", "take": "time_of_max"},
            {"name": "mean", "of": "rocker.phi", "take": "mean"}, {"name": "rms", "of": "crank.omega", "take": "rms"},
            {"name": "passing", "of": "crank.omega", "take": "at", "when": "coupler.x - 0.5"},
            {"name": "load", "of": "B.fx"}, {"name": "kick", "of": "coupler.ay", "take": "at", "at": 0.4}
          ]
        }),
        3e-8, formulations[i]);
    free(analysis);
  }
  free(document);
}

/* The inertia of an armature and the ratio of a motor, in the tree and coupled. */
static void test_rotors(void **state) {
  static const char *const formulations[] = {"joint", "body"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    char *document = models_rotors(i >= 2);
    char *analysis = models_text(PART({"type": "dynamics", "t_end": 0.8, "dt": 0.1, "formulation": "%s",
                                      "integrator": {"rtol": 1e-10, "atol": 1e-13}}),
                                       formulations[i % 2]);
    expect_equal(document, analysis, JSON({
                   "vary": [{"parameter": "I"}, {"parameter": "N"}],
                   "gradient": true,
                   "outputs": [
                     {"name": "end", "of": "a.phi"}, {"name": "load", "of": "p.fx"},
                     {"name": "energy", "of": "energy.kinetic"}, {"name": "work", "of": "energy.work"}
                   ]
                 }),
                 3e-8, formulations[i % 2]);
    free(analysis);
    free(document);
  }
}

/* Forces with expressions, a driver, work: in the plane and in space. */
MODEL(driven, {
  "space": "planar",
  "parameters": {"r": 0.3, "l": 0.8, "w": 2, "k": 40, "c": 3, "m": 1.5},
  "gravity": [0, -9.81],
  "ground": {"points": {"O": [0, 0], "F": [1.6, 0]}, "vectors": {"x": [1, 0]}},
  "bodies": [
    {"name": "crank", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0], "B": ["r", 0]}},
    {"name": "rod", "mass": "m", "inertia": 0.1, "points": {"B": [0, 0], "C": ["l", 0]}},
    {"name": "slider", "mass": 1, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"x": [1, 0]}},
    {"name": "bob", "mass": "m/2", "inertia": 0.02, "points": {"P": [0, 0.2]}}
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
    {"name": "C", "type": "revolute", "points": ["rod.C", "slider.C"], "cut": true},
    {"name": "P", "type": "revolute", "points": ["slider.C", "bob.P"], "initial": {"position": 0.3}}
  ],
  "drivers": [{"name": "motor", "type": "joint", "joint": "A", "function": "0.4 + w*t + 0.1*sin(3*t)"}],
  "forces": [
    {
      "name": "spring",
      "type": "spring-damper",
      "points": ["slider.C", "ground.F"],
      "stiffness": "k",
      "free_length": 0.5
    },
    {"name": "drag", "type": "force", "body": "bob", "value": ["-c*bob.vx*exp(-t/4)", "-c*bob.vy^3"]}
  ]
});

static void test_driven(void **state) {
  (void)state;
  expect_equal(driven, JSON({"type": "dynamics", "t_end": 2, "dt": 0.1, "integrator": {"rtol": 1e-10, "atol": 1e-12}}),
               JSON({
                 "vary": [
                   {"parameter": "r"}, {"parameter": "l"}, {"parameter": "w"}, {"parameter": "k"}, {"parameter": "c"},
                   {"parameter": "m"}
                 ],
                 "gradient": true,
                 "outputs": [
                   {"name": "end", "of": "bob.phi"}, {"name": "torque", "of": "motor.effort", "take": "max"},
                   {"name": "swing", "of": "bob.omega", "take": "rms"},
                   {"name": "time", "of": "t", "take": "at", "when": "slider.x - 0.75"},
                   {"name": "low", "of": "bob.y", "take": "time_of_min"}, {"name": "work", "of": "energy.work"}
                 ]
               }),
               3e-8, "driven");
}

/* Long branches, which the recursive formulation evaluates, with springs and an expression of time. */
MODEL(chain, {
  "space": "planar",
  "parameters": {"k": 12, "L": 0.3, "g": 9.81},
  "gravity": [0, "-g"],
  "ground": {"points": {"O": [0, 0], "F": [0.9, 0.2]}},
  "bodies": [
    {"name": "a", "mass": 1, "inertia": 0.01, "points": {"P": ["-L/2", 0], "Q": ["L/2", 0]}},
    {"name": "b", "mass": 0.8, "inertia": 0.01, "points": {"P": ["-L/2", 0], "Q": ["L/2", 0]}},
    {"name": "c", "mass": 0.6, "inertia": 0.01, "points": {"P": ["-L/2", 0], "Q": ["L/2", 0.05]}}
  ],
  "joints": [
    {"name": "A", "type": "revolute", "points": ["ground.O", "a.P"], "initial": {"position": -0.3}},
    {"name": "B", "type": "revolute", "points": ["a.Q", "b.P"], "initial": {"position": -0.2}},
    {"name": "C", "type": "revolute", "points": ["b.Q", "c.P"], "initial": {"position": 0.4, "velocity": 1}}
  ],
  "forces": [
    {"name": "s", "type": "spring-damper", "points": ["c.Q", "ground.F"], "stiffness": "k", "free_length": 0.4},
    {"name": "f", "type": "force", "body": "b", "value": ["0.2*k*sin(4*t)", "-0.1*b.vy"]}
  ]
});

static void test_chain(void **state) {
  (void)state;
  expect_equal(chain, JSON({"type": "dynamics", "t_end": 1, "dt": 0.1, "integrator": {"rtol": 1e-10, "atol": 1e-12}}),
               JSON({
                 "vary": [{"parameter": "k"}, {"parameter": "L"}, {"parameter": "g"}],
                 "gradient": true,
                 "outputs": [
                   {"name": "x", "of": "c.x"}, {"name": "v", "of": "c.vy", "take": "at", "at": 0.61},
                   {"name": "rms", "of": "b.omega", "take": "rms"}, {"name": "pull", "of": "s.force"}
                 ]
               }),
               3e-8, "a chain with springs");
}

/* A ball and a universal joint in space, held by a spring; a loop closed by a rod. */
MODEL(spatial, {
  "space": "spatial",
  "parameters": {"g": 9.81, "push": 0.4, "L": 0.7, "J": 0.02, "k": 25, "a": 0.5},
  "gravity": [0, "push", "-g"],
  "ground": {"points": {"O": [0, 0, 0], "F": [1, 0.3, -0.2]}},
  "bodies": [
    {
      "name": "upper",
      "mass": 1,
      "inertia": ["J", 0.03, 0.02],
      "points": {"A": [0, 0, "L/2"], "B": [0, 0, "-L/2"]}
    },
    {"name": "lower", "mass": 0.8, "inertia": [0.03, 0.02, 0.015], "points": {"B": [0, 0, 0.4], "C": [0.1, 0, -0.4]}}
  ],
  "joints": [
    {
      "name": "A",
      "type": "spherical",
      "points": ["ground.O", "upper.A"],
      "initial": {"position": ["cos(a)", "sin(a)", 0, 0], "velocity": [0, 1.5, 0.3]}
    },
    {
      "name": "B",
      "type": "spherical",
      "points": ["upper.B", "lower.B"],
      "initial": {"position": ["cos(0.3)", 0, "-sin(0.3)", 0], "velocity": [0.2, 0, 1]}
    }
  ],
  "forces": [{
    "name": "spring",
    "type": "spring-damper",
    "points": ["lower.C", "ground.F"],
    "stiffness": "k",
    "damping": 0.4,
    "free_length": 0.6
  }]
});

static void test_space(void **state) {
  static const char *const formulations[] = {"joint", "body"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    char *analysis = models_text(PART({"type": "dynamics", "t_end": 1, "dt": 0.1, "formulation": "%s",
                                      "integrator": {"rtol": 1e-10, "atol": 1e-12}}),
                                       formulations[i]);
    expect_equal(spatial, analysis, JSON({
                   "vary": [
                     {"parameter": "g"}, {"parameter": "push"}, {"parameter": "L"}, {"parameter": "J"},
                     {"parameter": "k"}, {"parameter": "a"}
                   ],
                   "gradient": true,
                   "outputs": [
                     {"name": "x", "of": "lower.x"}, {"name": "v", "of": "upper.vz", "take": "at", "at": 0.61},
                     {"name": "mean", "of": "lower.vy", "take": "mean"}, {"name": "load", "of": "A.fz"},
                     {"name": "low", "of": "lower.z", "take": "min"}
                   ]
                 }),
                 3e-8, formulations[i]);
    free(analysis);
  }
}

/* ---- many parameters ------------------------------------------------------------------------------------------- */

/* Checks the derivatives of ten masses in a row by all of their parameters, with more forces, and one more output. */
static uint64_t expect_masses(const char *more, const char *of, bool all, const char *what) {
  const int count = 10;
  char *document = models_row_of_masses(count, more), *vary = models_varied_of_masses(count);
  strcpy(strrchr(vary, ','), "]"); /* the influence of the last damper is so small that its derivative is left to
                                    * differences */
  char *study = models_text(PART({
    "vary": %s,
    "gradient": true,
    "outputs": [
      {"name": "end", "of": "b9.vx"}, {"name": "rms", "of": "b8.vx", "take": "rms"},
      {"name": "middle", "of": "%s", "take": "at", "at": 0.5}
    ]
  }),
                                                vary, of);
  const uint64_t evaluations = expect_agreement(
      document, JSON({"type": "dynamics", "t_end": 0.6, "dt": 0.1, "integrator": {"rtol": 1e-10, "atol": 1e-12}}),
      study, 1e-8, all, what);
  free(study);
  free(vary);
  free(document);
  return evaluations;
}

/* A single difference determines several columns of the Jacobian. Columns include expressions that are constant where
 * the structure is determined, or that depend on differences that are equal there. */
static void test_columns(void **state) {
  static const char *const none = "", *const late = JSON(, {
                                        "name": "late",
                                        "type": "force",
                                        "body": "b1",
                                        "value": ["-5*tanh(60*(b3.x - 2.45))", 0]
                                      });
  (void)state;
  char *document = models_row_of_masses(10, none);
  mbs_model *model = models_build(document, JSON({"type": "dynamics", "t_end": 0.6, "dt": 0.1}));
  /* 12 differences per state, compared with 20 along the tangents; a processor without vectors has no columns */
  const uint64_t evaluations = expect_masses(none, "b8.x", true, "masses");
  if (mbs_lanes_supported(model)) assert_true(evaluations < 65000);
  mbs_model_free(model);
  free(document);
  expect_masses(late, "b8.x", true, "masses with a force that is constant at first");
  /* the derivatives of this output may be too steep */
  expect_masses(none, "k1*tanh(200*(b2.x - 2.155))", false, "what is constant beside where it is read");
  expect_masses(none, "b0.x + tanh(500*(b2.x - b1.x - 0.688))", false, "a difference that is constant there");
  expect_masses(none, "b0.x + exp(-((t - 0.5)/0.002)^2)*k1/k2", false, "a ratio that counts at an instant");
}

/* A pulse that is zero at first, and small compared with other forces: differences must not use points where the pulse
 * has another value. */
static void test_pulse(void **state) {
  (void)state;
  expect_agreement(
      JSON({
        "space": "planar",
        "parameters": {"K": 1e9, "w": 0.02, "t0": 0.9, "a": 1e-5},
        "gravity": [0, 0],
        "ground": {"points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}},
        "bodies": [
          {"name": "big", "mass": 1e7, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"x": [1, 0]}},
          {"name": "small", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"x": [1, 0]}}
        ],
        "joints": [
          {
            "name": "p",
            "type": "translational",
            "points": ["ground.O", "big.C"],
            "vectors": ["ground.x", "big.x"],
            "initial": {"position": 1}
          },
          {
            "name": "q",
            "type": "translational",
            "points": ["ground.O", "small.C"],
            "vectors": ["ground.x", "small.x"],
            "initial": {"position": 1}
          }
        ],
        "forces": [
          {"name": "f", "type": "force", "body": "big", "value": ["-K*big.x", 0]},
          {"name": "g", "type": "force", "body": "small", "value": ["-0.2*small.x + a*exp(-((t - t0)/w)^2)", 0]}
        ]
      }),
      JSON({"type": "dynamics", "t_end": 1, "dt": 0.5, "integrator": {"rtol": 1e-11, "atol": 1e-16}}),
      JSON({"vary": [{"parameter": "w"}], "gradient": true, "outputs": [{"name": "x", "of": "small.x"}]}), 1e-6, false,
      "a pulse's width");
}

/* Returns coordinates and velocities at all reporting times, for differences of runs. */
static double *states_with(const char *document, const char *analysis, double L, size_t *count) {
  char number[32], *changed = strdup(document), *at = strstr(changed, "0.7");
  snprintf(number, sizeof number, "%.17g", L);
  *at = 0;
  char *text = models_text(PART(%s%s%s), changed, number, at + 3);
  mbs_result *result = models_run(text, analysis);
  const mbs_array *uT = mbs_result_array(result, "uT");
  *count = uT->shape[0] * mbs_array_columns(uT);
  double *out = malloc(*count * sizeof *out);
  memcpy(out, uT->data, *count * sizeof *out);
  mbs_result_free(result);
  free(text);
  free(changed);
  return out;
}

static void test_states(void **state) {
  static const char *const formulations[] = {"joint", "body"};
  const double L = 0.7, h = 2e-4;
  (void)state;
  for (int i = 0; i < 2; i++) {
    char *analysis = models_text(PART({
      "type": "dynamics",
      "t_end": 1,
      "dt": 0.1,
      "formulation": "%s",
      "integrator": {"rtol": 1e-12, "atol": 1e-13},
      "sensitivities": ["g", "L"]
    }),
                                        formulations[i]);
    size_t count;
    double *above = states_with(spatial, analysis, L + h, &count),
           *below = states_with(spatial, analysis, L - h, &count);
    mbs_model *model = models_build(spatial, analysis);
    mbs_result *result;
    mbs_error error;
    assert_int_equal(mbs_run(model, NULL, &result, &error), MBS_OK);
    const uint64_t evaluations = result->report.evaluations;
    assert_int_equal(mbs_sensitivities(model, NULL, result, &error), MBS_OK);
    assert_true(result->report.evaluations < 20 * evaluations); /* differences would cost more */
    const mbs_array *found = mbs_result_array(result, "sensitivities");
    assert_int_equal(found->shape[0] * found->shape[1], count);
    double most = 0;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(found->data[2 * k + 1]));
    for (size_t k = 0; k < count; k++) {
      const double expected = (above[k] - below[k]) / (2 * h), is = found->data[2 * k + 1];
      if (!(fabs(is - expected) <= 1e-5 * most))
        fail_msg("%s: entry %zu: %.12g, by differences %.12g", formulations[i], k, is, expected);
    }
    free(above);
    free(below);
    mbs_result_free(result);
    mbs_model_free(model);
    free(analysis);
  }
}

/* ---- derivatives that are left to differences
 * ----------------------------------------------------------------------- */

static void expect_untold(const char *document, const char *analysis, const char *study, const char *what) {
  both found = differentiate(document, analysis, study);
  for (size_t j = 0; j < found.parameters; j++)
    if (found.known[j]) fail_msg("%s: tangents determine parameter %zu", what, j);
  forget(&found);
}

MODEL(pendulum, {
  "space": "planar",
  "parameters": {"L": 1.3, "g": 9.81, "a": 1, "T": 2, "z": 0},
  "gravity": [0, "-g"],
  "ground": {"points": {"O": [0, 0]}},
  "bodies": [{"name": "bob", "mass": 1, "inertia": 0.1, "points": {"A": [0, "L"]}}],
  "joints": [{
    "name": "pin",
    "type": "revolute",
    "points": ["ground.O", "bob.A"],
    "initial": {"position": "a", "velocity": 0}
  }]
});

static void test_doubts(void **state) {
  static const struct {
    const char *analysis, *vary, *output;
  } cases[] = {
      /* the end time changes */
      {JSON({"type": "dynamics", "t_end": "T", "dt": 0.1}), "T", JSON({"name": "o", "of": "bob.phi"})},
      /* a corner at the point itself */
      {JSON({"type": "dynamics", "t_end": 2, "dt": 0.1}), "z", JSON({"name": "o", "of": "bob.phi + abs(z)"})},
      {JSON({"type": "dynamics", "t_end": 2, "dt": 0.1}), "z",
       JSON({"name": "o", "of": "-bob.phi + abs(z)", "take": "max"})},
      /* the extreme is where another branch begins, and beside a jump at the end of the motion */
      {JSON({"type": "dynamics", "t_end": 2, "dt": 0.1}), "g",
       JSON({"name": "o", "of": "min(bob.phi, g*(0.5 - bob.phi)/9.81)", "take": "max"})},
      {JSON({"type": "dynamics", "t_end": 0.3, "dt": 0.1}), "g",
       JSON({"name": "o", "of": "if(t < 0.3, abs(bob.omega), 0)", "take": "max"})},
      {JSON({"type": "dynamics", "t_end": 2, "dt": 0.1}), "z",
       JSON({"name": "o", "of": "bob.phi + abs(z)", "take": "rms"})},
      /* branches that jump while an integral is taken, and branches of an instant */
      {JSON({"type": "dynamics", "t_end": 2, "dt": 0.1}), "g",
       JSON({"name": "o", "of": "if(bob.phi > 0, 1, 0)", "take": "integral"})},
      {JSON({"type": "dynamics", "t_end": 2, "dt": 0.1}), "g",
       JSON({"name": "o", "of": "sign(bob.phi)*bob.phi", "take": "mean"})},
      {JSON({"type": "dynamics", "t_end": 2, "dt": 0.1}), "g",
       JSON({"name": "o", "of": "abs(bob.phi)", "take": "time_of_max"})},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *study = models_text(PART({"vary": [{"parameter": "%s"}], "gradient": true, "outputs": [%s]}), cases[i].vary,
                                    cases[i].output);
    expect_untold(pendulum, cases[i].analysis, study, cases[i].output);
    free(study);
  }
}

/* Derivatives left to differences of runs cost at most three batches of eight runs per parameter. */
static void test_batches(void **state) {
  (void)state;
  both found = differentiate(
      pendulum, JSON({"type": "dynamics", "t_end": 2, "dt": 0.1}), JSON({
        "vary": [{"parameter": "g"}],
        "gradient": true,
        "outputs": [
          {"name": "oa", "of": "if(bob.phi > 0, bob.phi, 0)", "take": "rms"},
          {"name": "ob", "of": "if(bob.phi > 0, bob.phi, 0)", "take": "max"}, {"name": "oc", "of": "abs(bob.omega)"}
        ]
      }));
  assert_true(!found.known[0] && found.batches <= 3);
  for (size_t i = 0; i < 3; i++) assert_true(isfinite(found.differences[i]));
  forget(&found);
}

/* An extreme inside of a branch, or at an end of the motion, has the derivatives of that branch; so has a value. An
 * integral has derivatives where the branches join without a jump. */
static void test_branches(void **state) {
  (void)state;
  expect_equal(pendulum,
               JSON({"type": "dynamics", "t_end": 0.3, "dt": 0.1, "integrator": {"rtol": 1e-10, "atol": 1e-12}}), JSON({
                 "vary": [{"parameter": "a"}, {"parameter": "g"}],
                 "gradient": true,
                 "outputs": [
                   {"name": "last", "of": "abs(bob.omega)", "take": "max"},
                   {"name": "first", "of": "if(bob.phi > 0, bob.phi + 0.001*g, 0)", "take": "max"}
                 ]
               }),
               3e-8, "ends");
  expect_equal(pendulum,
               JSON({"type": "dynamics", "t_end": 2, "dt": 0.1, "integrator": {"rtol": 1e-10, "atol": 1e-12}}), JSON({
                 "vary": [{"parameter": "a"}, {"parameter": "g"}],
                 "gradient": true,
                 "outputs": [
                   {"name": "turn", "of": "if(t < 0.5, 0, abs(bob.phi))", "take": "max"},
                   {"name": "speed", "of": "min(bob.omega, 20)", "take": "min"},
                   {"name": "last", "of": "if(bob.phi > 0, bob.phi, 2*g*bob.phi)"},
                   {"name": "way", "of": "abs(bob.omega)", "take": "integral"},
                   {"name": "swing", "of": "max(bob.phi - 0.05*g, -abs(bob.omega))", "take": "rms"},
                   {"name": "mean", "of": "bob.phi^2*min(bob.omega, 0)", "take": "mean"}
                 ]
               }),
               3e-8, "branches");
}

/* Equal extremes have a derivative only if their derivatives agree. */
static void test_equal_extremes(void **state) {
  static const char *const analysis =
      JSON({"type": "dynamics", "t_end": 5, "dt": 0.1, "integrator": {"rtol": 1e-10, "atol": 1e-12}});
  (void)state;
  expect_equal(pendulum, analysis, JSON({
                 "vary": [{"parameter": "a"}, {"parameter": "g"}],
                 "gradient": true,
                 "outputs": [{"name": "o", "of": "bob.omega^2", "take": "max"}]
               }),
               3e-8, "twice as fast");
  expect_untold(pendulum, analysis, JSON({
                  "vary": [{"parameter": "a"}, {"parameter": "z"}],
                  "gradient": true,
                  "outputs": [{"name": "o", "of": "bob.omega^2 + z*bob.omega", "take": "max"}]
                }),
                "there and back");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_residuals),      cmocka_unit_test(test_four_bar), cmocka_unit_test(test_driven),
      cmocka_unit_test(test_rotors),         cmocka_unit_test(test_space),    cmocka_unit_test(test_doubts),
      cmocka_unit_test(test_equal_extremes), cmocka_unit_test(test_states),   cmocka_unit_test(test_chain),
      cmocka_unit_test(test_batches),        cmocka_unit_test(test_columns),  cmocka_unit_test(test_pulse),
      cmocka_unit_test(test_branches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
