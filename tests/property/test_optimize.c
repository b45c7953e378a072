/* Optimizations and fits: against closed forms, at bounds, with conditions, without derivatives, and without a
 * solution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "property/oscillator.h"

/* The oscillator x = A cos(w t), w = sqrt(k/m): at t = 1 it is A cos w. */
OSCILLATOR("-k*b.x - c*b.vx", {"k": 18, "m": 1, "A": 0.5, "half": "A/2", "c": 0, "z": 1});

/* A damped oscillator with a constant force. */
MODEL(pushed, {
  "space": "planar",
  "parameters": {"k": 6.5, "m": 2.1, "c": 0.4},
  "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
  "bodies": [{"name": "b", "mass": "m", "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}],
  "joints": [{
    "name": "rail",
    "type": "translational",
    "points": ["ground.O", "b.P"],
    "vectors": ["ground.u", "b.u"],
    "initial": {"position": 0.5, "velocity": 0}
  }],
  "forces": [{"name": "push", "type": "force", "body": "b", "value": ["%s - k*b.x - c*b.vx", 0]}]
});

/* A fixed body. */
MODEL(placed, {
  "space": "planar",
  "parameters": {"a": 0, "b": 0},
  "bodies": [{"name": "b", "mass": 1, "inertia": 1, "initial": {"position": ["a", "b"]}}]
});

static const char *const two_seconds = JSON({"type": "dynamics", "t_end": 2, "dt": 0.1});
static const char *const one_second = JSON({"type": "dynamics", "t_end": 1, "dt": 0.1});
static const double pi = 3.14159265358979323846;

typedef struct counted {
  size_t rows; /* rows reported to the hook */
  size_t most; /* number of trials before cancellation; 0: no limit */
} counted;

static void count_rows(void *user, const mbs_result *result, size_t rows) {
  counted *self = user;
  assert_int_equal(rows, self->rows + 1);
  assert_true(mbs_result_array(result, "parameters")->shape[0] >= rows);
  self->rows = rows;
}

static bool go_on(void *user, double t, double fraction, uint64_t evaluations) {
  const counted *self = user;
  (void)t;
  (void)evaluations;
  assert_true(fraction >= 0 && fraction <= 1);
  return self->most == 0 || self->rows < self->most;
}

/* Checks that no trial is outside its bounds, and that the best trial is the row that the result names. */
static void check_rows(const mbs_optimum *optimum, const double *least, const double *most) {
  const mbs_array *values = mbs_result_array(&optimum->result, "parameters"),
                  *objective = mbs_result_array(&optimum->result, "objective"),
                  *status = mbs_result_array(&optimum->result, "status");
  assert_int_equal(values->shape[0], optimum->trials);
  assert_true(optimum->trials <= optimum->limit);
  for (size_t i = 0; i < optimum->trials; i++)
    for (size_t j = 0; j < optimum->parameters && least; j++) {
      double value = values->data[i * optimum->parameters + j];
      assert_true(value >= least[j] && value <= most[j]);
    }
  for (size_t i = 0; i < optimum->trials; i++) assert_int_equal(status->data[i] == 0, !isnan(objective->data[i]));
  if (optimum->has_best) assert_true(status->data[optimum->best] == 0);
}

static mbs_optimum *seek_in(const char *document, const char *analysis, const char *study, counted *count,
                            mbs_status *status, mbs_error *error) {
  mbs_diagnostics list = {0};
  mbs_model *model = models_try_build_study(document, analysis, study, &list);
  for (size_t i = 0; i < list.count; i++) print_message("%s: %s\n", list.items[i].pointer, list.items[i].message);
  assert_non_null(model);
  mbs_diagnostics_free(&list);
  assert_int_equal(mbs_model_runs(model), 0);
  assert_true(mbs_model_trials(model) > 0);
  const mbs_hooks hooks = {.user = count, .progress = go_on, .rows = count_rows};
  mbs_optimum *optimum;
  *status = mbs_optimize(model, &hooks, &optimum, error);
  assert_non_null(optimum);
  assert_int_equal(count->rows, optimum->trials);
  mbs_model_free(model);
  return optimum;
}

static mbs_optimum *seek(const char *document, const char *study, counted *count, mbs_status *status,
                         mbs_error *error) {
  return seek_in(document, one_second, study, count, status, error);
}

static double best_of(const mbs_optimum *optimum, const char *array, size_t column) {
  const mbs_array *found = mbs_result_array(&optimum->result, array);
  return found->data[optimum->best * mbs_array_columns(found) + column];
}

/* ---- closed forms ---------------------------------------------------------------------------------------------- */

typedef struct optimum_case {
  const char *study;
  size_t count;
  double values[3], tolerance;
  double least[3], most[3];
} optimum_case;

static void test_closed_forms(void **state) {
  static const double w0 = 1.5 * 3.14159265358979323846; /* w at which x passes through 0 */
  const optimum_case cases[] = {
      {JSON({
         "vary": [{"parameter": "k", "bounds": [10, 30], "start": 28}],
         "outputs": [{"name": "x", "of": "b.x"}],
         "optimize": {"minimize": "x^2"}
       }),
       1,
       {w0 * w0},
       1e-8,
       {10},
       {30}},
      /* a corner, and an infinite slope, at the minimum */
      {JSON({
         "vary": [{"parameter": "k", "bounds": [10, 30], "start": 28}],
         "outputs": [{"name": "x", "of": "b.x"}],
         "optimize": {"minimize": "abs(x)"}
       }),
       1,
       {w0 * w0},
       1e-7,
       {10},
       {30}},
      {JSON({
         "vary": [{"parameter": "k", "bounds": [10, 30], "start": 28}],
         "outputs": [{"name": "x", "of": "b.x"}],
         "optimize": {"minimize": "sqrt(abs(x))"}
       }),
       1,
       {w0 * w0},
       1e-7,
       {10},
       {30}},
      /* minimum at a bound */
      {JSON({
         "vary": [{"parameter": "k", "bounds": [12, 30], "start": 14}],
         "outputs": [{"name": "x", "of": "b.x"}],
         "optimize": {"maximize": "x", "method": "local"}
       }),
       1,
       {30},
       1e-12,
       {12},
       {30}},
      /* no bounds; `half` follows A */
      {JSON({
         "vary": [{"parameter": "A"}],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "(x + half - 3)^2"}
       }),
       1,
       {2},
       1e-8,
       {-INFINITY},
       {INFINITY}},
      /* the cost decreases along the line k = 12 m, down to the smallest k that m >= 0.8 allows */
      {JSON({
         "vary": [{"parameter": "k", "bounds": [1, 30]}, {"parameter": "m", "bounds": [0.1, 3]}],
         "outputs": [{"name": "x", "of": "b.x"}],
         "optimize": {"minimize": "k^2 + 100*m^2", "subject_to": ["k/m == 12", "m >= 0.8"]}
       }),
       2,
       {9.6, 0.8},
       1e-7,
       {1, 0.1},
       {30, 3}},
      /* maximize the smaller of two outputs, by a bound z on both: 3 z = 9 - k and z = k - 5 */
      {JSON({
         "vary": [{"parameter": "k", "bounds": [1, 30], "start": 20}, {"parameter": "z", "bounds": [-9, 9]}],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"maximize": "z", "subject_to": ["3*z <= 9 - k + 0*x", "z <= k - 5"]}
       }),
       2,
       {6, 1},
       1e-7,
       {1, -9},
       {30, 9}},
      /* a circle that is small compared with the bounds: values of far trials do not loosen its tolerance */
      {JSON({
         "vary": [
           {"parameter": "z", "bounds": [-1e5, 1e5], "start": 0.1},
           {"parameter": "half", "bounds": [-1e5, 1e5], "start": 0.1}
         ],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "z + 0*x", "subject_to": ["z^2 + half^2 == 1"]}
       }),
       1,
       {-1},
       2e-8,
       {-1e5, -1e5},
       {1e5, 1e5}},
      {JSON({
         "vary": [
           {"parameter": "z", "bounds": [-1e4, 1e4], "start": 0.1},
           {"parameter": "half", "bounds": [-1e4, 1e4], "start": 0.1}
         ],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "z + 0*x", "subject_to": ["z^2 + half^2 <= 1"]}
       }),
       1,
       {-1},
       2e-8,
       {-1e4, -1e4},
       {1e4, 1e4}},
      /* a minimum that is near compared with the bounds, from a start that is even nearer to zero */
      {JSON({
         "vary": [{"parameter": "z", "bounds": [-1e6, 1e6], "start": 1e-9}],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "(z - 3)^2 + 0*x"}
       }),
       1,
       {3},
       1e-8,
       {-1e6},
       {1e6}},
      /* a start at a saddle, and one at a maximum, with zero slope */
      {JSON({
         "vary": [{"parameter": "z", "start": 0.7}, {"parameter": "half", "start": 0, "bounds": [-0.1, 2]}],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "z^2 - half^2 + half^4 + 0*x"}
       }),
       2,
       {0, 0.7071067811865476},
       1e-6,
       {-INFINITY, -0.1},
       {INFINITY, 2}},
      {JSON({
         "vary": [{"parameter": "z", "start": 0}],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "cos(z - 0.5 + x)"}
       }),
       0,
       {0},
       0,
       {-INFINITY},
       {INFINITY}},
  };
  size_t bounds = 0; /* parameters at their bounds */
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const optimum_case *c = &cases[i];
    counted count = {0};
    mbs_error error;
    mbs_status status;
    mbs_optimum *optimum = seek(oscillator, c->study, &count, &status, &error);
    if (status != MBS_OK) fail_msg("case %zu: %s", i, error.message);
    assert_int_equal(optimum->stopped, MBS_STOP_CONVERGED);
    check_rows(optimum, c->least, c->most);
    for (size_t j = 0; j < c->count; j++) {
      double value = best_of(optimum, "parameters", j);
      if (!(fabs(value - c->values[j]) <= c->tolerance * fmax(1, fabs(c->values[j]))))
        fail_msg("case %zu, parameter %zu: %.12g, not %.12g", i, j, value, c->values[j]);
    }
    for (size_t j = 0; optimum->at_bound && j < optimum->parameters; j++) {
      const double value = best_of(optimum, "parameters", j);
      assert_int_equal(optimum->at_bound[j], value == c->least[j] || value == c->most[j]);
      bounds += optimum->at_bound[j];
    }
    assert_true(best_of(optimum, "violation", 0) <= 2e-7);
    if (c->count == 0) assert_true(best_of(optimum, "objective", 0) < -1 + 1e-9);
    mbs_optimum_free(optimum);
  }
  assert_true(bounds > 0);
}

/* Stationary points that are not minima: along an equality, at a corner of the bounds, between the axes; also with more
 * parameters than are tested in pairs. */
static void test_saddles(void **state) {
  static const struct {
    const char *study;
    double least;
    bool left; /* the search left a saddle */
  } cases[] = {
      {JSON({
         "vary": [
           {"parameter": "z", "bounds": [-2, 2], "start": 0.5}, {"parameter": "half", "bounds": [-2, 2], "start": 0.5}
         ],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "z*half + 0*x", "subject_to": ["z + half == 1"]}
       }),
       -2, true},
      /* a curve, whose own curvature matters: on this circle 2 z^2 + half^2 is greatest at z = 1 */
      {JSON({
         "vary":
             [{"parameter": "z", "bounds": [-2, 2], "start": 1}, {"parameter": "half", "bounds": [-2, 2], "start": 0}],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "2*z^2 + half^2 + 0*x", "subject_to": ["z^2 + half^2 == 1"], "method": "local"}
       }),
       1, true},
      {JSON({
         "vary":
             [{"parameter": "z", "bounds": [0, 2], "start": 0}, {"parameter": "half", "bounds": [0, 2], "start": 0}],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "-z*half + 0*x", "method": "local"}
       }),
       -4, true},
      {JSON({
         "vary":
             [{"parameter": "z", "bounds": [-1, 1], "start": 0}, {"parameter": "half", "bounds": [-1, 1], "start": 0}],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "z^2 + half^2 - 4*z*half + 0*x", "method": "local"}
       }),
       -2, true},
      /* the cost falls along the tangent of the condition, but L does not: a minimum, where the search must stay */
      {JSON({
         "vary": [
           {"parameter": "z", "bounds": [-2, 2], "start": 0.3}, {"parameter": "half", "bounds": [-2, 2], "start": 0.9}
         ],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "-half - 0.1*z^2 + 0*x", "subject_to": ["half <= 1 - z^2"], "method": "local"}
       }),
       -1, false},
      {JSON({
         "vary": [
           {"parameter": "z", "bounds": [-2, 2], "start": 0.3}, {"parameter": "half", "bounds": [-2, 2], "start": 0.9}
         ],
         "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
         "optimize": {"minimize": "(z - 0.4)^2 + 10*(half - z^2)^2 + 0*x", "method": "local"}
       }),
       0, false},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    counted count = {0};
    mbs_error error;
    mbs_status status;
    mbs_optimum *optimum = seek(oscillator, cases[i].study, &count, &status, &error);
    if (status != MBS_OK) fail_msg("case %zu: %s", i, error.message);
    assert_int_equal(optimum->stopped, MBS_STOP_CONVERGED);
    if (!(fabs(best_of(optimum, "objective", 0) - cases[i].least) < 1e-7))
      fail_msg("case %zu: %.12g, not %g", i, best_of(optimum, "objective", 0), cases[i].least);
    if ((strstr(optimum->why, "not a minimum") != NULL) != cases[i].left) fail_msg("case %zu: %s", i, optimum->why);
    mbs_optimum_free(optimum);
  }
}

MODEL(many, {
  "space": "planar",
  "parameters": {%s},
  "bodies": [{"name": "b", "mass": 1, "inertia": 1, "initial": {"position": [1, 0]}}]
});

MODEL(search_of_many, {
  "vary": [%s],
  "outputs": [{"name": "x", "of": "b.x"}],
  "optimize": {"minimize": "%s%s", "method": "local"}
});

/* The search leaves the saddle at the middle both with the largest number of parameters that are tested in pairs and
 * with more. */
static void test_saddles_of_many(void **state) {
  static const size_t sizes[] = {5, 20};
  (void)state;
  for (size_t k = 0; k < 2; k++) {
    const size_t n = sizes[k];
    char names[1000] = "", vary[3000] = "", sum[3000] = "x - 1", pairs[3000] = "";
    for (size_t i = 0; i < n; i++) {
      sprintf(names + strlen(names), "%s\"p%zu\": 0", i ? "," : "", i);
      sprintf(vary + strlen(vary), "%s{\"parameter\": \"p%zu\", \"bounds\": [-1, 1]}", i ? "," : "", i);
      sprintf(sum + strlen(sum), " + p%zu^2", i);
      sprintf(pairs + strlen(pairs), " - 3*p%zu*p%zu", i, (i + 1) % n);
    }
    char *model = models_text(many, names);
    for (int saddle = 0; saddle < 2; saddle++) {
      char *study = models_text(search_of_many, vary, sum, saddle ? pairs : "");
      counted count = {0};
      mbs_error error;
      mbs_status status;
      mbs_optimum *optimum = seek(model, study, &count, &status, &error);
      if (status != MBS_OK) fail_msg("%zu parameters: %s", n, error.message);
      assert_int_equal(optimum->stopped, MBS_STOP_CONVERGED);
      const double least = best_of(optimum, "objective", 0);
      print_message("%zu parameters, saddle %d: %g after %zu trials\n", n, saddle, least, optimum->trials);
      if (saddle ? !(least < -2.0 * (double)n + 1e-6) : least != 0) fail_msg("%zu parameters: %g", n, least);
      mbs_optimum_free(optimum);
      free(study);
    }
    free(model);
  }
}

/* Conditions hold to a share of the quantities that they compare in the trial itself, so that a factor changes nothing,
 * nor does a distant start. The best values violate active conditions only by rounding, not by the allowed
 * tolerance. */
static void test_conditions_hold(void **state) {
  static const struct {
    const char *condition;
    double start, bound, least, factor;
  } cases[] = {{"z^2 + half^2 <= 1", 0.4, 2, -1.4142135623730951, 1},
               {"1e9*(z^2 + half^2 - 1) <= 0", 0.4, 2, -1.4142135623730951, 1e9},
               {"1e-9*(1 - z^2) >= half^2/1e9", 0.4, 2, -1.4142135623730951, 1e-9},
               {"z^2 + half^2 == 1", 1e5, 1e6, -1.4142135623730951, 1e4 /* rounding errors of 1e6 */},
               /* both sides are zero at the start, and stay small */
               {"half - z^2 == 0", 0, 2, -0.25, 1},
               {"z <= half - z", 0, 2, -4, 1}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *study =
        models_text(PART({
      "vary": [
        {"parameter": "z", "bounds": [-%g, %g], "start": %g}, {"parameter": "half", "bounds": [-%g, %g], "start": %g}
      ],
      "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
      "runs": 2000,
      "optimize": {"minimize": "z + half + 0*x", "subject_to": ["%s"]}
    }),
                                                   cases[i].bound, cases[i].bound, cases[i].start, cases[i].bound,
                                                   cases[i].bound, cases[i].start, cases[i].condition);
    counted count = {0};
    mbs_error error = {.message = ""};
    mbs_status status;
    mbs_optimum *optimum = seek(oscillator, study, &count, &status, &error);
    if (status != MBS_OK) fail_msg("%s: %s", cases[i].condition, error.message);
    const double objective = best_of(optimum, "objective", 0), violation = best_of(optimum, "violation", 0);
    if (!(fabs(objective - cases[i].least) < 1e-7) || !(violation <= 1e-13 * cases[i].factor))
      fail_msg("%s: %.12g, violated by %g, not %.12g", cases[i].condition, objective, violation, cases[i].least);
    mbs_optimum_free(optimum);
    free(study);
  }
}

/* The global method finds the least of many minima: x = A cos w has minima at w = pi and 3 pi; the cost prefers the
 * second. */
static void test_global(void **state) {
  counted count = {0};
  mbs_error error;
  mbs_status status;
  (void)state;
  mbs_optimum *optimum = seek(oscillator, JSON({
                                "vary": [{"parameter": "k", "bounds": [1, 150], "start": 5}],
                                "outputs": [{"name": "x", "of": "b.x"}],
                                "runs": 400,
                                "optimize": {"minimize": "x - k/1000", "method": "global"}
                              }),
                              &count, &status, &error);
  assert_int_equal(status, MBS_OK);
  assert_true(optimum->stopped == MBS_STOP_CONVERGED || optimum->stopped == MBS_STOP_LOCAL);
  double w = sqrt(best_of(optimum, "parameters", 0));
  assert_true(fabs(w - 3 * pi) < 0.1);
  /* d/dk (A cos w - k/1000) = 0 */
  assert_true(fabs(-0.5 * sin(w) / (2 * w) - 1e-3) < 1e-9);
  mbs_optimum_free(optimum);
}

/* ---- fits ------------------------------------------------------------------------------------------------------ */

/* Data with A = 0.5 and k = 20 and deviations that are not orthogonal to the model. The fit is where the derivatives of
 * the sum vanish, computed with a closed form of the model. */
static void test_fit(void **state) {
  enum { DATA = 9 };
  static const double off[DATA] = {0.01, -0.02, 0.015, 0.005, -0.01, 0.02, -0.015, 0.01, -0.005};
  char times[200] = "", values[400] = "";
  double measured[DATA];
  (void)state;
  for (int i = 0; i < DATA; i++) {
    double t = 0.1 * (i + 1);
    measured[i] = 0.5 * cos(sqrt(20.0) * t) + off[i];
    sprintf(times + strlen(times), "%s%.17g", i ? "," : "", t);
    sprintf(values + strlen(values), "%s%.17g", i ? "," : "", measured[i]);
  }
  for (int weighted = 0; weighted < 2; weighted++) {
    char *study = models_text(PART({
      "vary": [
        {"parameter": "k", "bounds": [5, 40], "start": 25}, {"parameter": "A", "bounds": [0.1, 2], "start": 1}
      ],
      "fit": {"data": [{"of": "b.x", "t": [%s], "values": [%s] %s}]}
    }),
                                                         times, values, weighted ? ",\"sigma\": 0.02" : "");
    counted count = {0};
    mbs_error error;
    mbs_status status;
    mbs_optimum *optimum = seek(oscillator, study, &count, &status, &error);
    if (status != MBS_OK) fail_msg("%s", error.message);
    assert_int_equal(optimum->stopped, MBS_STOP_CONVERGED);
    check_rows(optimum, (double[]){5, 0.1}, (double[]){40, 2});
    const double k = best_of(optimum, "parameters", 0), A = best_of(optimum, "parameters", 1), w = sqrt(k);
    double sum = 0, by_k = 0, by_A = 0, kk = 0, kA = 0, AA = 0, sigma = weighted ? 0.02 : 1;
    const mbs_array *residuals = mbs_result_array(&optimum->result, "residuals");
    assert_int_equal(residuals->shape[0], DATA);
    for (int i = 0; i < DATA; i++) {
      double t = 0.1 * (i + 1), r = (A * cos(w * t) - measured[i]) / sigma;
      double rk = -A * sin(w * t) * t / (2 * w) / sigma, rA = cos(w * t) / sigma;
      assert_true(fabs(residuals->data[4 * i + 3] - r) < 1e-8 / sigma);
      sum += r * r;
      by_k += r * rk;
      by_A += r * rA;
      kk += rk * rk;
      kA += rk * rA;
      AA += rA * rA;
    }
    assert_true(fabs(best_of(optimum, "objective", 0) - sum) <= 1e-8 * sum);
    assert_true(fabs(by_k) <= 1e-7 * sqrt(kk * sum) && fabs(by_A) <= 1e-7 * sqrt(AA * sum));
    assert_true(fabs(optimum->residual_sd - sqrt(sum / (DATA - 2))) <= 1e-8);
    const double factor = weighted ? 1 : sum / (DATA - 2), determinant = kk * AA - kA * kA;
    const double expected[] = {AA, -kA, -kA, kk};
    assert_non_null(optimum->covariance);
    assert_null(optimum->combination);
    for (int j = 0; j < 4; j++) {
      double should = factor * expected[j] / determinant;
      assert_true(fabs(optimum->covariance[j] - should) <= 1e-6 * fabs(should));
    }
    mbs_optimum_free(optimum);
    free(study);
  }
}

/* A frequency from a long record: the sum of squares has a local minimum about every pi/T, and only one is deep. */
static void test_fit_of_a_frequency(void **state) {
  enum { DATA = 80 };
  static const double T = 12, w = 17.3;
  char times[DATA * 24] = "", values[DATA * 24] = "";
  (void)state;
  for (int i = 0; i < DATA; i++) {
    const double t =
        T * (i + 1 + 0.4 * sin(5.0 * i)) / (DATA + 1); /* not equidistant, as equidistant times fit other frequencies,
                                                        * too */
    sprintf(times + strlen(times), "%s%.10g", i ? "," : "", t);
    sprintf(values + strlen(values), "%s%.10g", i ? "," : "", 0.5 * cos(w * t) + 0.01 * sin(7.0 * i));
  }
  static const struct {
    const char *method;
    int runs;
    int found; /* expected result; -1: either */
  } cases[] = {{"local", 500, false}, {"global", 500, true}, {"global", 40, -1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    char *study =
        models_text(PART({
      "vary": [{"parameter": "k", "bounds": [1, 1600], "start": 30}],
      "runs": %d,
      "fit": {"method": "%s", "data": [{"of": "b.x", "t": [%s], "values": [%s]}]}
    }),
                                             cases[c].runs, cases[c].method, times, values);
    counted count = {0};
    mbs_error error;
    mbs_status status;
    mbs_optimum *optimum =
        seek_in(oscillator, JSON({"type": "dynamics", "t_end": 12, "dt": 12}), study, &count, &status, &error);
    if (status != MBS_OK) fail_msg("%s", error.message);
    const double found = sqrt(best_of(optimum, "parameters", 0));
    if (cases[c].found >= 0 && (fabs(found - w) < 1e-3) != cases[c].found)
      fail_msg("%s of %d found %g", cases[c].method, cases[c].runs, found);
    /* Only a search that ended without reaching its limit of runs reports convergence. */
    assert_int_equal(optimum->stopped, cases[c].runs == 40 ? MBS_STOP_LOCAL : MBS_STOP_CONVERGED);
    assert_true(optimum->trials <= (size_t)cases[c].runs);
    assert_int_equal(strstr(optimum->algorithm, "CRS2") != NULL, strcmp(cases[c].method, "global") == 0);
    mbs_optimum_free(optimum);
    free(study);
  }
}

/* Data that determine k/m only; a parameter without influence on the data; a parameter at its bound. */
static void test_determined_parameters(void **state) {
  counted count = {0};
  mbs_error error;
  mbs_status status;
  (void)state;
  mbs_optimum *optimum = seek(
      oscillator, JSON({
        "vary":
            [{"parameter": "k", "bounds": [5, 40], "start": 25}, {"parameter": "m", "bounds": [0.5, 3], "start": 1.1}],
        "fit": {"data": [{"of": "b.x", "t": [0.2, 0.4, 0.6], "values": [0.3, -0.1, -0.4]}]}
      }),
      &count, &status, &error);
  assert_int_equal(status, MBS_OK);
  assert_null(optimum->covariance);
  assert_non_null(optimum->combination);
  const double k = best_of(optimum, "parameters", 0), m = best_of(optimum, "parameters", 1);
  assert_true(fabs(optimum->combination[0] / optimum->combination[1] - k / m) < 1e-5 * k / m);
  mbs_optimum_free(optimum);
  count = (counted){0};
  optimum = seek(
      oscillator, JSON({
        "vary":
            [{"parameter": "k", "bounds": [5, 15], "start": 10}, {"parameter": "A", "bounds": [0.1, 2], "start": 1}],
        "outputs": [{"name": "x", "of": "b.x"}],
        "fit": {"data": [{"of": "b.x", "t": [0.2, 0.4, 0.6], "values": [0.31, -0.11, -0.45]}]}
      }),
      &count, &status, &error);
  assert_int_equal(status, MBS_OK);
  assert_true(optimum->at_bound[0] && !optimum->at_bound[1]);
  assert_true(best_of(optimum, "parameters", 0) == 15);
  assert_non_null(optimum->covariance);
  assert_true(isnan(optimum->covariance[0]) && isnan(optimum->covariance[1]) && optimum->covariance[3] > 0);
  mbs_optimum_free(optimum);
}

/* A force alone makes k, m and c distinguishable. It is so weak that the derivatives are dependent to 1e-7, but the fit
 * finds the values, with correspondingly large standard deviations. Without the force, and if derivatives are
 * differences of whole runs, the values are not determined. */
static void test_weak_data(void **state) {
  static const char *const forces[] = {"1e-6", "0", "if(t > 0.25, 1e-300, 0)"};
  (void)state;
  for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
    char *model = models_text(pushed, forces[i]), values[1000] = "", times[300] = "";
    for (int k = 1; k <= 20; k++) {
      const double t = 0.1 * k, m = 2, c = 0.5, K = 7, a = c / (2 * m), w = sqrt(K / m - a * a), s = i ? 0 : 1e-6 / K;
      const double x = s + exp(-a * t) * ((0.5 - s) * cos(w * t) + a * (0.5 - s) / w * sin(w * t));
      sprintf(values + strlen(values), "%s%.17g", k > 1 ? "," : "", x);
      sprintf(times + strlen(times), "%s%.17g", k > 1 ? "," : "", t);
    }
    char *study =
        models_text(PART({
      "vary": [
        {"parameter": "k", "bounds": [1, 20]}, {"parameter": "m", "bounds": [0.5, 6]},
        {"parameter": "c", "bounds": [0, 3]}
      ],
      "fit": {"data": [{"of": "b.x", "t": [%s], "values": [%s], "sigma": 1e-8}]}
    }),
                                                times, values);
    counted count = {0};
    mbs_error error;
    mbs_status status;
    mbs_optimum *optimum = seek_in(model, two_seconds, study, &count, &status, &error);
    assert_int_equal(status, MBS_OK);
    assert_int_equal(optimum->covariance != NULL, i == 0);
    assert_int_equal(optimum->combination != NULL, i > 0);
    if (i == 0)
      assert_true(sqrt(optimum->covariance[0]) > 0.01 && sqrt(optimum->covariance[0]) < 1);
    else
      assert_true(fabs(optimum->combination[1] / optimum->combination[0] - 2.0 / 7) < 1e-6);
    mbs_optimum_free(optimum);
    free(study);
    free(model);
  }
}

/* Derivatives exist where parameters and outputs are zero, and at bounds on both. */
static void test_at_zero(void **state) {
  counted count = {0};
  mbs_error error;
  mbs_status status;
  (void)state;
  mbs_optimum *optimum = seek_in(
      placed, two_seconds, JSON({
        "vary": [{"parameter": "a", "bounds": [0, 2], "start": 0}, {"parameter": "b", "bounds": [0, 2], "start": 0}],
        "outputs": [{"name": "x", "of": "b.x"}, {"name": "y", "of": "b.y"}],
        "optimize": {"minimize": "-x*y", "subject_to": ["x + y <= 3"]}
      }),
      &count, &status, &error);
  assert_int_equal(status, MBS_OK);
  assert_int_equal(optimum->stopped, MBS_STOP_CONVERGED);
  assert_true(fabs(best_of(optimum, "objective", 0) + 2.25) < 1e-7);
  assert_string_equal(optimum->algorithm, "SLSQP");
  mbs_optimum_free(optimum);
}

/* A parameter that ends at its bound except for rounding is at the bound, and is reported so. A parameter that starts
 * within rounding of its bound has a one-sided derivative. */
static void test_near_bounds(void **state) {
  counted count = {0};
  mbs_error error;
  mbs_status status;
  (void)state;
  mbs_optimum *optimum = seek(
      oscillator, JSON({
        "vary":
            [{"parameter": "k", "bounds": [5, 19.5], "start": 15}, {"parameter": "c", "bounds": [0, 3], "start": 0.5}],
        "fit": {
          "data": [{
            "of": "b.x",
            "t": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
            "values": [0.453, 0.321, 0.111, -0.107, -0.307, -0.458, -0.502, -0.481, -0.331]
          }]
        }
      }),
      &count, &status, &error);
  assert_int_equal(status, MBS_OK);
  assert_true(best_of(optimum, "parameters", 0) == 19.5 && best_of(optimum, "parameters", 1) == 0);
  assert_true(optimum->at_bound[0] && optimum->at_bound[1]);
  assert_null(optimum->combination);
  mbs_optimum_free(optimum);
  for (double start = 1e-16; start < 1e-5; start *= 1e3) {
    char *study = models_text(PART({
      "vary": [{"parameter": "c", "bounds": [0, 9], "start": %.17g}],
      "outputs": [{"name": "x", "of": "b.x"}],
      "optimize": {"minimize": "(x + 0.15)^2", "method": "local"}
    }), start);
    count = (counted){0};
    optimum = seek(oscillator, study, &count, &status, &error);
    assert_int_equal(status, MBS_OK);
    assert_int_equal(optimum->stopped, MBS_STOP_CONVERGED);
    if (!(best_of(optimum, "objective", 0) < 1e-16) || optimum->trials > 30)
      fail_msg("from %g: %g after %zu trials", start, best_of(optimum, "objective", 0), optimum->trials);
    mbs_optimum_free(optimum);
    free(study);
  }
}

/* ---- no answer ------------------------------------------------------------------------------------------------- */

static void test_no_answer(void **state) {
  static const struct {
    const char *study;
    mbs_status status;
    bool has_best;
    mbs_stop stopped;
    const char *words;
  } cases[] = {
      {JSON({
         "vary": [{"parameter": "k", "bounds": [1, 30]}],
         "outputs": [{"name": "x", "of": "b.x"}],
         "optimize": {"minimize": "k", "subject_to": ["x >= 0.6"]}
       }),
       MBS_INFEASIBLE, true, MBS_STOP_INFEASIBLE, "violate"},
      {JSON({
         "vary": [{"parameter": "m", "bounds": [-3, -1]}],
         "outputs": [{"name": "x", "of": "b.x"}],
         "optimize": {"minimize": "x"}
       }),
       MBS_START_FAILED, false, MBS_STOP_LIMIT, "mass must be at least 0"},
      {JSON({
         "vary": [{"parameter": "k", "bounds": [1, 30]}, {"parameter": "m", "bounds": [1, 2]}],
         "outputs": [{"name": "x", "of": "b.x"}],
         "runs": 7,
         "optimize": {"minimize": "x"}
       }),
       MBS_OK, true, MBS_STOP_LIMIT, ""},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    counted count = {0};
    mbs_error error = {.message = ""};
    mbs_status status;
    mbs_optimum *optimum = seek(oscillator, cases[i].study, &count, &status, &error);
    assert_int_equal(status, cases[i].status);
    assert_int_equal(optimum->has_best, cases[i].has_best);
    assert_int_equal(optimum->stopped, cases[i].stopped);
    if (!strstr(error.message, cases[i].words)) fail_msg("case %zu: %s", i, error.message);
    check_rows(optimum, NULL, NULL);
    mbs_optimum_free(optimum);
  }
}

/* If no point satisfies the conditions, no trial has a smaller violation than the best one. Cases: a side that grows
 * with the violation, so that the relative violation falls; several conditions of different size; a search that
 * continues with a more accurate motion. */
static void test_least_violated(void **state) {
  static const char *const studies[] = {
      JSON({
        "vary": [{"parameter": "k", "bounds": [1, 30]}],
        "outputs": [{"name": "x", "of": "b.x"}],
        "runs": 60,
        "optimize": {"minimize": "x", "subject_to": ["k >= 2*k + 1"]}
      }),
      JSON({
        "vary": [{"parameter": "k", "bounds": [1, 30], "start": 20}, {"parameter": "c", "bounds": [0, 2]}],
        "outputs": [{"name": "x", "of": "b.x"}],
        "runs": 80,
        "optimize": {"minimize": "k", "subject_to": ["1000*x + k >= 2000 + 3*k", "c >= 3 + c/2", "x == 40*c - 90"]}
      }),
      JSON({
        "vary": [{"parameter": "k", "bounds": [1, 30]}],
        "outputs": [{"name": "x", "of": "b.x"}],
        "runs": 40,
        "optimize": {"maximize": "k", "subject_to": ["k^2 + 1 <= x"], "method": "global"}
      })};
  (void)state;
  for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
    counted count = {0};
    mbs_error error = {.message = ""};
    mbs_status status;
    char words[100];
    mbs_optimum *optimum = seek(oscillator, studies[i], &count, &status, &error);
    assert_int_equal(status, MBS_INFEASIBLE);
    assert_int_equal(optimum->stopped, MBS_STOP_INFEASIBLE);
    const double *violation = mbs_result_array(&optimum->result, "violation")->data, least = violation[optimum->best];
    for (size_t k = 0; k < optimum->trials; k++)
      if (violation[k] < least)
        fail_msg("study %zu: trial %zu violates by %g, the best one, %zu, by %g", i, k, violation[k], optimum->best,
                 least);
    snprintf(words, sizeof words, "is violated by %.6g", least);
    if (!strstr(error.message, words)) fail_msg("study %zu: %s, but the best has %s", i, error.message, words);
    mbs_optimum_free(optimum);
  }
}

/* The cost has no lower limit. */
static void test_without_end(void **state) {
  counted count = {0};
  mbs_error error;
  mbs_status status;
  (void)state;
  mbs_optimum *optimum = seek(oscillator, JSON({
                                "vary": [{"parameter": "z"}],
                                "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
                                "optimize": {"minimize": "z + x"}
                              }),
                              &count, &status, &error);
  assert_int_equal(status, MBS_OK);
  assert_int_equal(optimum->stopped, MBS_STOP_UNBOUNDED);
  if (!strstr(optimum->why, "'z' falls; give it bounds")) fail_msg("%s", optimum->why);
  mbs_optimum_free(optimum);
  /* a minimum far away is still found */
  count = (counted){0};
  optimum = seek(oscillator, JSON({
                   "vary": [{"parameter": "z", "start": 1}],
                   "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
                   "optimize": {"minimize": "(log(z) - 20)^2 + 0*x"}
                 }),
                 &count, &status, &error);
  assert_int_equal(status, MBS_OK);
  assert_int_equal(optimum->stopped, MBS_STOP_CONVERGED);
  assert_true(fabs(log(best_of(optimum, "parameters", 0)) - 20) < 1e-6);
  mbs_optimum_free(optimum);
}

/* A step function has zero slope but still a least value: methods without derivatives find the lowest step. */
static void test_steps(void **state) {
  static const struct {
    const char *of, *minimize;
    double least;
  } cases[] = {{"b.x", "floor(10*z) + 0*x", 0}, {"floor(10*z) + 0*b.x", "x", 0}, {"b.x", "if(z > 1.4, 2, 1) + 0*x", 1}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *study = models_text(PART({
      "vary": [{"parameter": "z", "bounds": [0, 3], "start": 1.55}],
      "outputs": [{"name": "x", "of": "%s", "take": "initial"}],
      "optimize": {"minimize": "%s", "method": "local"}
    }),
                                               cases[i].of, cases[i].minimize);
    counted count = {0};
    mbs_error error;
    mbs_status status;
    mbs_optimum *optimum = seek(oscillator, study, &count, &status, &error);
    if (status != MBS_OK) fail_msg("%s", error.message);
    if (best_of(optimum, "objective", 0) != cases[i].least || !strstr(optimum->why, "steps"))
      fail_msg("%s of %s: %g (%s)", cases[i].minimize, cases[i].of, best_of(optimum, "objective", 0), optimum->why);
    mbs_optimum_free(optimum);
    free(study);
  }
}

/* Half of the values cannot be simulated: a failed trial shortens the step. A parameter without influence is
 * reported. */
static void test_failing_trials(void **state) {
  counted count = {0};
  mbs_error error;
  mbs_status status;
  (void)state;
  mbs_optimum *optimum = seek(
      oscillator, JSON({
        "vary":
            [{"parameter": "m", "bounds": [-2, 2], "start": -1}, {"parameter": "z", "bounds": [0, 2], "start": 0.5}],
        "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
        "optimize": {"minimize": "(m - 0.1)^2 + 0*z*x"}
      }),
      &count, &status, &error);
  assert_int_equal(status, MBS_OK);
  assert_int_equal(optimum->stopped, MBS_STOP_CONVERGED);
  assert_true(fabs(best_of(optimum, "parameters", 0) - 0.1) < 1e-6);
  assert_int_equal(optimum->failure_count, 1);
  assert_int_equal(optimum->failures[0].error.status, MBS_OUT_OF_RANGE);
  assert_int_equal(optimum->failures[0].first, 0);
  assert_non_null(optimum->has_influence);
  assert_true(optimum->has_influence[0] && !optimum->has_influence[1]);
  mbs_optimum_free(optimum);
}

/* A parameter whose slope is zero at the start and at the end of the search still has an influence, as neighbouring
 * values show. */
static void test_stationary_parameter(void **state) {
  counted count = {0};
  mbs_error error;
  mbs_status status;
  (void)state;
  mbs_optimum *optimum = seek(
      oscillator, JSON({
        "vary": [{"parameter": "z", "bounds": [-1, 1], "start": 0}, {"parameter": "m", "bounds": [1, 3], "start": 1.5}],
        "outputs": [{"name": "x", "of": "b.x", "take": "initial"}],
        "optimize": {"minimize": "z^2 + (m - 2)^2 + 0*x", "method": "local"}
      }),
      &count, &status, &error);
  assert_int_equal(status, MBS_OK);
  assert_int_equal(optimum->stopped, MBS_STOP_CONVERGED);
  assert_true(fabs(best_of(optimum, "parameters", 0)) < 1e-6 && fabs(best_of(optimum, "parameters", 1) - 2) < 1e-6);
  assert_non_null(optimum->has_influence);
  assert_true(optimum->has_influence[0] && optimum->has_influence[1]);
  mbs_optimum_free(optimum);
}

static void test_cancel(void **state) {
  counted count = {.most = 5};
  mbs_error error;
  mbs_status status;
  (void)state;
  mbs_optimum *optimum = seek(oscillator, JSON({
                                "vary": [{"parameter": "k", "bounds": [10, 30], "start": 28}],
                                "outputs": [{"name": "x", "of": "b.x"}],
                                "optimize": {"minimize": "x^2"}
                              }),
                              &count, &status, &error);
  assert_int_equal(status, MBS_CANCELLED);
  assert_true(optimum->has_best && optimum->trials == 5);
  mbs_optimum_free(optimum);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_forms),
      cmocka_unit_test(test_saddles),
      cmocka_unit_test(test_saddles_of_many),
      cmocka_unit_test(test_conditions_hold),
      cmocka_unit_test(test_global),
      cmocka_unit_test(test_fit),
      cmocka_unit_test(test_fit_of_a_frequency),
      cmocka_unit_test(test_determined_parameters),
      cmocka_unit_test(test_near_bounds),
      cmocka_unit_test(test_weak_data),
      cmocka_unit_test(test_at_zero),
      cmocka_unit_test(test_no_answer),
      cmocka_unit_test(test_least_violated),
      cmocka_unit_test(test_failing_trials),
      cmocka_unit_test(test_stationary_parameter),
      cmocka_unit_test(test_cancel),
      cmocka_unit_test(test_without_end),
      cmocka_unit_test(test_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
