/* test_accuracy.c - the choice of steps, in any unit of mass, and the error estimates in the report. */
#include "close.h"
#include "model_run.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

static const char *const adaptive[] = {"dopri5", "dop853", "bdf"};
/* About 1e-20, 1 and 1e25 kg, as powers of 2, so that rounding is equal. */
static const double masses[] = {0x1p-66, 1, 0x1p83};

/* ---- work and dissipation ------------------------------------------------------------------------------------- */

/* Three orbits; placeholders: mass, method, tolerances. */
MODEL(satellite,
    {"space": "planar", "parameters": {"mu": 3.986e14, "m": %.17g},
     "bodies": [
       {"name": "s", "mass": "m", "inertia": "m",
        "initial": {"position": [7e6, 0], "velocity": [0, 7546.049108166282]}}],
     "forces": [
       {"name": "g", "type": "force", "body": "s",
        "value": ["-m*mu*s.x/(s.x^2+s.y^2)^1.5", "-m*mu*s.y/(s.x^2+s.y^2)^1.5"]}],
     "analysis": {"type": "dynamics", "t_end": 17485.559602866615, "dt": 1457.1299669055513,
                  "integrator": {"method": "%s", "rtol": %g, "atol": %g}}});

static void test_satellite(void **unused) {
  (void)unused;
  for (size_t k = 0; k < 3; k++) {
    model_run run = model_run_text(satellite, masses[k], "dopri5", 1e-6, 1e-9);
    model_run_require(&run);
    assert_in_range(run.result->report.steps, 80, 110); /* the orbit alone takes 95 */
    assert_true(run.result->report.energy_change_max < 3e-5 * run.result->report.energy_start);
    model_run_free(&run);
  }
}

/* A double pendulum with a damped joint and a torque; placeholders: mass, drivers, analysis, method, tolerances. */
MODEL(damped_pendulum,
    {"space": "planar", "parameters": {"m": %.17g}, "gravity": [0, -9.81],
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [
       {"name": "a", "mass": "m",   "inertia": "0.1*m", "points": {"P": [0, 0.5], "Q": [0, -0.5]}},
       {"name": "b", "mass": "2*m", "inertia": "0.2*m", "points": {"P": [0, 0.5]}}],
     "joints": [
       {"name": "A", "type": "revolute", "points": ["ground.O", "a.P"], "initial": {"position": 1}},
       {"name": "B", "type": "revolute", "points": ["a.Q", "b.P"]}],
     "drivers": [%s],
     "forces": [
       {"name": "c", "type": "rotational-spring-damper", "joint": "B", "stiffness": 0, "damping": "0.5*m"},
       {"name": "T", "type": "torque", "body": "a", "value": "3*m*sin(7*t)"}],
     "analysis": {"type": "%s", "t_end": 5, "dt": 0.5,
                  "integrator": {"method": "%s", "rtol": %g, "atol": %g}}});
/* Drivers that begin so gradually that the energies are at first smaller than their errors. */
MODEL(gentle_drivers,
    {"name": "d1", "type": "joint", "joint": "A", "function": "1+1e-2*t^5"},
    {"name": "d2", "type": "joint", "joint": "B", "function": "sin(t)^4"});

/* Returns the largest kinetic energy, work or dissipation at a reporting time. */
static double largest_exchange(const mbs_result *result) {
  double largest = 0;
  for (size_t row = 0; row < models_rows(result); row++) {
    const double *energy = models_row(result, "energy", row);
    largest = fmax(largest, fmax(energy[0], fmax(fabs(energy[2]), fabs(energy[3]))));
  }
  return largest;
}

/* Steps and energies do not depend on the unit of mass, and the energy balance is as accurate as the tolerance. */
static void check_masses(const char *analysis, const char *drivers, const char *method, double tolerance) {
  uint64_t steps = 0;
  for (size_t k = 0; k < 3; k++) {
    model_run run = model_run_text(damped_pendulum, masses[k], drivers, analysis, method, tolerance, tolerance);
    if (run.status != MBS_OK) fail_msg("%g kg, %s, %s: %s", masses[k], analysis, method, run.error.message);
    const double change = run.result->report.energy_change_max / largest_exchange(run.result);
    if (!(change < 300 * tolerance))
      fail_msg("%g kg, %s, %s, %g: the energy changes by %g", masses[k], analysis, method, tolerance, change);
    if (k == 0) steps = run.result->report.steps;
    if (strcmp(method, "bdf") != 0)
      assert_int_equal(run.result->report.steps, steps);
    else /* rounding depends on the rows selected by pivoting */
      assert_in_range(4 * run.result->report.steps, 3 * steps, 5 * steps);
    model_run_free(&run);
  }
}

static void test_units_of_mass(void **unused) {
  (void)unused;
  for (size_t m = 0; m < 3; m++)
    for (int digits = 5; digits <= 9; digits += 2) {
      check_masses("dynamics", "", adaptive[m], pow(10, -digits));
      check_masses("inverse-dynamics", gentle_drivers, adaptive[m], pow(10, -digits));
    }
}

/* The motion is so simple that steps could be as long as the span; the power then determines the steps: a damper of 1 +
 * sin(40 t) on a wheel rotated at 1 rad/s dissipates t + (1 - cos(40 t)) / 40. Placeholders: analysis, method,
 * tolerances. */
MODEL(driven_wheel,
    {"space": "planar",
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [{"name": "wheel", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}}],
     "joints": [{"name": "O", "type": "revolute", "points": ["ground.O", "wheel.O"]}],
     "drivers": [{"name": "d", "type": "joint", "joint": "O", "function": "t"}],
     "forces": [
       {"name": "c", "type": "rotational-spring-damper", "joint": "O", "stiffness": 0,
        "damping": "1+sin(40*t)"}],
     "analysis": {"type": "%s", "t_end": 5, "dt": 0.7,
                  "integrator": {"method": "%s", "rtol": %g, "atol": %g}}});

static void test_power_of_a_simple_motion(void **unused) {
  (void)unused;
  static const char *const analyses[] = {"dynamics", "inverse-dynamics"};
  for (int k = 0; k < 6; k++) {
    model_run run = model_run_text(driven_wheel, analyses[k % 2], adaptive[k / 2], 1e-7, 1e-7);
    model_run_require(&run);
    for (size_t row = 0; row < models_rows(run.result); row++) {
      const double t = *models_row(run.result, "T", row);
      assert_close(models_row(run.result, "energy", row)[3], t + (1 - cos(40 * t)) / 40, k < 4 ? 1e-5 : 1e-3);
    }
    model_run_free(&run);
  }
}

/* ---- between steps -------------------------------------------------------------------------------------------- */

static const char *how(const char *method, double tolerance, double t_end, double dt, bool estimate) {
  static char text[300];
  MODEL(text_format,
      {"t_end": %.17g, "dt": %.17g, "error_estimate": %s,
       "integrator": {"method": "%s", "rtol": %g, "atol": %g, "fixed_step": 0.002}});
  snprintf(text, sizeof text, text_format, t_end, dt, estimate ? "true" : "false", method, tolerance, tolerance);
  return text;
}

/* Returns the largest difference of uT from an exact run. */
static double error_of(const mbs_result *result, const mbs_result *exact) {
  double worst = 0;
  for (size_t row = 0; row < models_rows(result); row++)
    worst = fmax(worst, models_difference(exact, result, "uT", row));
  return worst;
}

/* Few steps and many rows: those of dop853 are as accurate as a step at its tolerance. */
static void test_rows_inside_steps(void **unused) {
  (void)unused;
  char *document = models_named("AA");
  mbs_result *exact = models_run(document, how("dop853", 1e-13, 1.5, 0.01, false));
  for (int digits = 4; digits <= 10; digits++) {
    mbs_result *result = models_run(document, how("dop853", pow(10, -digits), 1.5, 0.01, false));
    assert_close(error_of(result, exact), 0, 3 * pow(10, -digits));
    assert_true(result->report.accuracy->row_steps > 0);
    mbs_result_free(result);
  }
  mbs_result_free(exact);
  free(document);
}

/* Interpolates many rows in parts of the steps, with about 30 additional evaluations per step. */
static void test_many_rows_inside_steps(void **unused) {
  (void)unused;
  char *document = models_of_tests("crank-rocker");
  mbs_result *few = models_run(document, how("dop853", 1e-8, 1, 1, false)),
             *many = models_run(document, how("dop853", 1e-8, 1, 1e-4, false)),
             *exact = models_run(document, how("dop853", 1e-13, 1, 1e-4, false));
  const mbs_report *report = &many->report;
  assert_int_equal(report->steps, few->report.steps);
  assert_true(report->accuracy->row_steps > 1000);
  assert_in_range(report->evaluations, few->report.evaluations, few->report.evaluations + 60 * report->steps);
  assert_close(error_of(many, exact), 0, 1e-7);
  mbs_result_free(exact);
  mbs_result_free(many);
  mbs_result_free(few);
  free(document);
}

/* ---- the report ------------------------------------------------------------------------------------------------ */

static double largest_of(const double *x, size_t n) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, x[i]);
  return largest;
}

/* Checks that the estimate has the size of the error, and that its array agrees with it. */
static void check_estimate(const char *name, const char *method, double tolerance) {
  char *document = models_named(name);
  mbs_result *exact = models_run(document, how("dop853", 1e-13, 2, 0.05, false)),
             *result = models_run(document, how(method, tolerance, 2, 0.05, true));
  const mbs_accuracy *accuracy = result->report.accuracy;
  const size_t n = result->report.coordinates + result->report.velocities, rows = models_rows(result);
  double error = 0, estimate = 0;
  assert_int_equal(models_columns(result, "error_estimate"), n);
  for (size_t row = 0; row < rows; row++)
    for (size_t k = 0; k < n; k++) {
      const double own = fabs(models_row(result, "error_estimate", row)[k]);
      assert_true(own <= accuracy->global_error[k]);
      if (*models_row(result, "T", row) == accuracy->global_error_time[k])
        assert_true(own == accuracy->global_error[k]);
      error = fmax(error, fabs(models_row(result, "uT", row)[k] - models_row(exact, "uT", row)[k]));
      estimate = fmax(estimate, own);
    }
  if (!(estimate > 0.5 * error && estimate < 2 * error))
    fail_msg("%s, %s, %g: the error is %g, not %g", name, method, tolerance, error, estimate);
  assert_true(accuracy->second.steps > result->report.steps && accuracy->second.evaluations > accuracy->second.steps);
  if (strcmp(method, "rk4") != 0) {
    assert_true(accuracy->rtol == tolerance && accuracy->atol == tolerance);
    assert_close(accuracy->second.rtol, tolerance / 10, 1e-15);
    assert_in_range(1e15 * largest_of(accuracy->local_error, n), 1e15 * tolerance / 1000, 1e15 * tolerance * 1000);
  } else {
    assert_true(isnan(accuracy->rtol) && accuracy->fixed_step == 0.002 && isnan(accuracy->local_error[0]));
  }
  mbs_result_free(exact);
  mbs_result_free(result);
  free(document);
}

static void test_estimates(void **unused) {
  (void)unused;
  static const char *const names[] = {"SC", "TP", "AA", "DoubleSphericalPendulum"};
  static const char *const methods[] = {"dopri5", "dop853", "bdf", "rk4"};
  for (size_t k = 0; k < 4; k++)
    for (size_t m = 0; m < 4; m++) check_estimate(names[k], methods[m], 1e-6);
}

/* An analysis without motion has no such error. If the time does not suffice for a second run, the report says this and
 * keeps the first run. */
static void test_no_estimate(void **unused) {
  (void)unused;
  char *document = models_named("SC");
  static const char *const still[] = {"assembly", "equilibrium"};
  for (int k = 0; k < 2; k++) {
    char analysis[100];
    snprintf(analysis, sizeof analysis, JSON({"type": "%s", "error_estimate": true}), still[k]);
    mbs_result *result = models_run(document, analysis);
    assert_null(result->report.accuracy);
    assert_non_null(models_note(result, "'error_estimate' is not available"));
    mbs_result_free(result);
  }
  mbs_result *once = models_run(document, how("dopri5", 1e-6, 2, 0.05, false)), *result;
  char analysis[160];
  MODEL(analysis_format,
      {"t_end": 2, "dt": 0.05, "error_estimate": true, "limits": {"max_evaluations": %llu}});
  snprintf(analysis, sizeof analysis, analysis_format, (unsigned long long)once->report.evaluations + 200);
  result = models_run(document, analysis);
  assert_non_null(models_note(result, "no error estimate"));
  assert_null(result->report.accuracy->global_error);
  assert_null(mbs_result_array(result, "error_estimate"));
  assert_int_equal(models_rows(result), 41);
  mbs_result_free(once);
  mbs_result_free(result);
  free(document);
}

/* The host sees a single progress over both runs, and can cancel the second. */
typedef struct watch {
  double fraction, cancel_at;
} watch;

static bool progress(void *user, double t, double fraction, uint64_t evaluations) {
  watch *seen = user;
  (void)t;
  (void)evaluations;
  assert_true(fraction >= seen->fraction && fraction <= 1);
  seen->fraction = fraction;
  return fraction < seen->cancel_at;
}

static void test_progress_of_both_runs(void **unused) {
  (void)unused;
  char *document = models_named("SC");
  mbs_model *model = models_build(document, how("dopri5", 1e-8, 2, 0.05, true));
  for (int cancel = 0; cancel < 2; cancel++) {
    watch seen = {.cancel_at = cancel ? 0.7 : 2};
    mbs_hooks hooks = {.user = &seen, .progress = progress};
    mbs_result *result = NULL;
    mbs_error error = {0};
    assert_int_equal(mbs_run(model, &hooks, &result, &error), cancel ? MBS_CANCELLED : MBS_OK);
    assert_int_equal(models_rows(result), 41);
    if (cancel)
      assert_int_equal(error.status, MBS_CANCELLED);
    else
      assert_true(seen.fraction == 1);
    mbs_result_free(result);
  }
  mbs_model_free(model);
  free(document);
}

/* A pulse that is much shorter than the steps that the rest of the motion requires: v = 1 + P s sqrt(pi). Steps of
 * fixed length miss it, which the report notes. */
static void test_pulse(void **unused) {
  static const struct {
    const char *integrator;
    double tolerance; /* 0: the pulse is missed */
  } cases[] = {{JSON({"method": "dopri5"}), 1e-5},
               {JSON({"method": "dop853", "rtol": 1e-10}), 1e-8},
               {JSON({"method": "bdf", "rtol": 1e-8}), 1e-5},
               {JSON({"method": "rk4", "fixed_step": 0.04}), 0}};
  MODEL(pushed, {
    "space": "planar",
    "bodies": [{"name": "b", "mass": 1, "inertia": 0.1, "initial": {"velocity": [1, 0]}}],
    "forces": [{"name": "p", "type": "force", "body": "b", "value": ["1000*exp(-((t-0.5137)/1e-3)^2)", 0]}]
  });
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *analysis =
        models_text(PART({"type": "dynamics", "t_end": 2, "dt": 0.1, "integrator": %s}), cases[i].integrator);
    mbs_result *result = models_run(pushed, analysis);
    const mbs_array *uT = mbs_result_array(result, "uT");
    double error = fabs(uT->data[20 * 6 + 3] - 1 - sqrt(3.14159265358979323846));
    if (cases[i].tolerance > 0 && !(error <= cases[i].tolerance)) fail_msg("%s: %g", cases[i].integrator, error);
    assert_true((models_note(result, "the integration may miss the change") != NULL) == (cases[i].tolerance == 0));
    assert_true(result->report.steps < (cases[i].tolerance < 1e-6 || i == 2 ? 2000 : 200));
    mbs_result_free(result);
    free(analysis);
  }
}

/* A localized potential hill at one position: v^2/2 + V(x) is constant, V' = -F. Steps of fixed length may miss it,
 * which the report notes. */
MODEL(hill, {
  "space": "planar",
  "ground": {"points": {"O": [0, 0]}},
  "bodies": [{"name": "b", "mass": 1, "inertia": 0.1, "points": {"C": [0, 0]}, "initial": {"velocity": [1, 0]}}],
  "forces": [{"name": "p", "type": "force", "body": "b", "value": ["%s", 0]}]
});

static void test_hill(void **unused) {
  static const struct {
    const char *force, *integrator;
    double tolerance; /* 0: the hill may be missed, with a note */
  } cases[] = {{"-0.2/0.3*exp(-((b.x-5)/0.3)^2)", JSON({"method": "dopri5"}), 1e-5},
               {"-0.2/3e-3*exp(-((b.x-5)/3e-3)^2)", JSON({"method": "dopri5"}), 1e-5},
               {"-0.2/3e-3*exp(-((b.x-5)/3e-3)^2)", JSON({"method": "dop853", "rtol": 1e-9}), 1e-7},
               {"-0.2/0.03*exp(-((b.x-5)/0.03)^2)", JSON({"method": "bdf", "rtol": 1e-8}), 1e-5},
               {"-0.2/3e-3*exp(-((b.x-5)/3e-3)^2)", JSON({"method": "rk4", "fixed_step": 0.3}), 0},
               {"-0.2/1e-5*exp(-((b.x-5)/1e-5)^2)", JSON({"method": "dopri5"}), 0},
               {"-0.2/0.03*exp(-((distance(b.C, ground.O)-5)/0.03)^2)", JSON({"method": "dopri5"}), 1e-5},
               {"-0.2/0.03*exp(-(atan2(b.x-5, 1)/0.03)^2)/(1+(b.x-5)^2)", JSON({"method": "dopri5"}), 1e-5},
               {"-cos(b.x/2-2.5)^200", JSON({"method": "dopri5"}), 1e-3}};
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = models_text(hill, cases[i].force);
    char *analysis =
        models_text(PART({"type": "dynamics", "t_end": 10, "dt": 1, "integrator": %s}), cases[i].integrator);
    mbs_result *result = models_run(document, analysis);
    /* v = sqrt(1 - 2 (0.2 sqrt(pi))) */
    const double end = sqrt(1 - 0.4 * sqrt(3.14159265358979323846));
    const double error = fabs(mbs_result_array(result, "uT")->data[10 * 6 + 3] - end);
    const bool seen = cases[i].tolerance > 0;
    if (seen && !(error <= cases[i].tolerance)) fail_msg("%s, %s: %g", cases[i].force, cases[i].integrator, error);
    if ((models_note(result, "the integration may miss the change") != NULL) == seen)
      fail_msg("%s, %s: note", cases[i].force, cases[i].integrator);
    assert_true(result->report.steps < 12000);
    mbs_result_free(result);
    free(analysis);
    free(document);
  }
}

/* A pulse of hyperbolic functions in any formula is detected, even if cosh() overflows before it: v^2/2 grows by the
 * work of the pulse. */
static void test_hyperbolic_pulse(void **unused) {
  static const struct {
    const char *force;
    double work; /* work for a width of 1 */
  } pulses[] = {{"25/cosh((b.x-0.5)/s)^2", 50},
                {"25*cosh((b.x-0.5)/s)^(-2)", 50},
                {"25/(1+sinh((b.x-0.5)/s)^2)", 50},
                {"25*(1-tanh((b.x-0.5)/s)^2)", 50},
                {"25/cosh((b.x-0.5)/s)", 25 * 3.14159265358979323846},
                {"25*exp(-cosh((b.x-0.5)/s))", 50 * 0.42102443824070833334}};
  MODEL(pulse, {
    "space": "planar",
    "parameters": {"s": %.17g},
    "bodies": [{"name": "b", "mass": 1, "inertia": 0.1, "initial": {"velocity": [1, 0]}}],
    "forces": [{"name": "p", "type": "force", "body": "b", "value": ["%s", 0]}]
  });
  static const double widths[] = {0.00625, 0.001, 0.0003};
  (void)unused;
  for (size_t i = 0; i < sizeof pulses / sizeof *pulses; i++)
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
      char *document = models_text(pulse, widths[w], pulses[i].force);
      mbs_result *result = models_run(document, JSON({"type": "dynamics", "t_end": 2, "dt": 0.5}));
      const double end = mbs_result_array(result, "uT")->data[4 * 6 + 3];
      if (!(fabs(end - sqrt(1 + 2 * pulses[i].work * widths[w])) <= 1e-5))
        fail_msg("%s, s = %g: %g", pulses[i].force, widths[w], end);
      mbs_result_free(result);
      free(document);
    }
}

/* Returns the evaluations of a run past a pulse of this expression. */
static uint64_t pulse_evaluations(const char *force, double *end) {
  char *document = models_text(hill, force);
  mbs_result *result = models_run(document, JSON({"type": "dynamics", "t_end": 10, "dt": 1}));
  const uint64_t evaluations = result->report.evaluations;
  *end = mbs_result_array(result, "uT")->data[10 * 6 + 3];
  mbs_result_free(result);
  free(document);
  return evaluations;
}

/* A Gaussian costs the same in every notation of its power, and a pulse of hyperbolic functions hardly more. */
static void test_pulses_alike(void **unused) {
  static const char *const forces[] = {"-0.2/3e-3*pow(2.718281828459045,-((b.x-5)/3e-3)^2)",
                                       "-0.2/3e-3*2.718281828459045^(-((b.x-5)/3e-3)^2)",
                                       "-0.2/3e-3*10^(-((b.x-5)/3e-3)^2/2.302585092994046)"};
  (void)unused;
  double end, other;
  const uint64_t evaluations = pulse_evaluations("-0.2/3e-3*exp(-((b.x-5)/3e-3)^2)", &end);
  for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
    assert_true(pulse_evaluations(forces[i], &other) < 3 * evaluations);
    assert_true(fabs(other - end) < 1e-6);
  }
  assert_true(pulse_evaluations("-0.2/3e-3/cosh((b.x-5)/3e-3)^2", &other) < 5 * evaluations);
  assert_true(fabs(other - sqrt(0.2)) < 1e-5);
}

/* A body pushed from rest by a constant or growing force reaches a hill faster than its velocity before the step
 * predicts: v^2/2 is the work of the push less the work of the hill. */
static void test_hill_on_the_way(void **unused) {
  static const char *const integrators[] = {JSON({"method": "dopri5"}), JSON({"method": "dop853", "rtol": 1e-9}),
                                            JSON({"method": "bdf", "rtol": 1e-8})};
  static const struct {
    const char *push;
    double centre, width, took;
  } cases[] = {{"1", 2, 0.01, 0.6}, {"1", 2, 1e-3, 0.6},   {"1", 12, 0.1, 3.6},
               {"1", 30, 0.01, 9},  {"t", 2.1, 0.01, 0.6}, {"t", 2.1, 1e-3, 0.6}};
  MODEL(pushed, {
    "space": "planar",
    "bodies": [{"name": "b", "mass": 1, "inertia": 0.1}],
    "forces": [{"name": "p", "type": "force", "body": "b", "value": ["%s-%.17g*exp(-((b.x-%g)/%g)^2)", 0]}]
  });
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t m = 0; m < sizeof integrators / sizeof *integrators; m++) {
      const double height = cases[i].took / (cases[i].width * sqrt(3.14159265358979323846));
      char *document = models_text(pushed, cases[i].push, height, cases[i].centre, cases[i].width);
      char *analysis = models_text(PART({"type": "dynamics", "t_end": 10, "dt": 10, "integrator": %s}), integrators[m]);
      mbs_result *result = models_run(document, analysis);
      const double *last = mbs_result_array(result, "uT")->data + 6, x = last[0], v = last[3];
      const double given = mbs_result_array(result, "energy")->data[4 + 2];
      /* `given` is the work of all forces; the work of a constant push of 1 N is x, and the hill takes its part */
      if (cases[i].push[0] == '1' && !(fabs(v * v / 2 - x + cases[i].took) <= 1e-4 * x))
        fail_msg("case %zu, %s: %g J", i, integrators[m], v * v / 2 - x);
      if (!(fabs(v * v / 2 - given) <= 1e-4 * given)) fail_msg("case %zu, %s: balance", i, integrators[m]);
      mbs_result_free(result);
      free(analysis);
      free(document);
    }
}

/* A velocity that a localized resistance cannot pass: v' = 1 - 2 exp(-((v - 5)/s)^2) ends where it is zero, at 5 - s
 * sqrt(ln 2). A pushed body, and a wheel on a pin. */
static void test_resistance(void **unused) {
  static const struct {
    const char *force, *torque, *integrator;
    double width;
    bool seen;
  } cases[] = {{"1-2*exp(-((b.vx-5)/0.03)^2)", "0", JSON({"method": "dopri5"}), 0.03, true},
               {"1-2*exp(-((b.vx-5)/3e-3)^2)", "0", JSON({"method": "dop853", "rtol": 1e-9}), 3e-3, true},
               {"1-2*exp(-((b.vx-5)/3e-3)^2)", "0", JSON({"method": "bdf", "rtol": 1e-8}), 3e-3, true},
               {"1-2*exp(-((b.vx-5)/3e-3)^2)", "0", JSON({"method": "rk4", "fixed_step": 0.01}), 3e-3, false},
               {"0", "1-2*exp(-((w.omega-5)/0.03)^2)", JSON({"method": "dopri5", "rtol": 1e-8}), 0.03, true}};
  MODEL(pushed, {
    "space": "planar",
    "ground": {"points": {"O": [0, 0]}},
    "bodies": [
      {"name": "b", "mass": 1, "inertia": 0.1},
      {"name": "w", "mass": 1, "inertia": 0.75, "points": {"P": [0.5, 0]}}
    ],
    "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "w.P"]}],
    "forces": [
      {"name": "f", "type": "force", "body": "b", "value": ["%s", 0]},
      {"name": "m", "type": "torque", "body": "w", "value": "%s"}
    ]
  });
  (void)unused;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = models_text(pushed, cases[i].force, cases[i].torque);
    char *analysis =
        models_text(PART({"type": "dynamics", "t_end": 10, "dt": 1, "integrator": %s}), cases[i].integrator);
    mbs_result *result = models_run(document, analysis);
    const mbs_array *uT = mbs_result_array(result, "uT");
    const double *last = uT->data + 10 * 8, fastest = fmax(last[4], last[7]); /* vx of b, omega of w */
    const double error = fabs(fastest - 5 + cases[i].width * sqrt(log(2)));
    if (cases[i].seen && !(error <= 1e-3 * cases[i].width)) fail_msg("case %zu: %g", i, error);
    if ((models_note(result, "the integration may miss the change") != NULL) == cases[i].seen)
      fail_msg("case %zu: note", i);
    mbs_result_free(result);
    free(analysis);
    free(document);
  }
}

/* Returns the angle of a pendulum at t = 10 s whose pivot moves by a function of time. */
static double swing(const char *function, const char *integrator, bool *missed) {
  MODEL(moved, {
    "space": "planar",
    "gravity": [0, -9.81],
    "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
    "bodies": [
      {"name": "cart", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}},
      {"name": "rod", "mass": 1, "inertia": 0.01, "points": {"A": [0, 0.5]}}
    ],
    "joints": [
      {
        "name": "rail",
        "type": "translational",
        "points": ["ground.O", "cart.P"],
        "vectors": ["ground.u", "cart.u"]
      },
      {"name": "pin", "type": "revolute", "points": ["cart.P", "rod.A"]}
    ],
    "drivers": [{"name": "push", "type": "joint", "joint": "rail", "function": %s}]
  });
  char *document = models_text(moved, function),
       *analysis = models_text(PART({"type": "dynamics", "t_end": 10, "dt": 5, "integrator": %s}), integrator);
  mbs_result *result = models_run(document, analysis);
  const double angle = mbs_result_array(result, "uT")->data[2 * 4 + 1];
  *missed = models_note(result, "the integration may miss the change") != NULL;
  mbs_result_free(result);
  free(document);
  free(analysis);
  return angle;
}

/* A table of a driver that is constant except for a step, after which the pendulum swings; alone, and as a piece. */
static void test_table(void **unused) {
  static const char table[] = JSON({
    "spline": {
      "t": [0, 1, 2, 3, 4, 4.9, 4.98, 4.99, 5, 5.01, 5.02, 5.03, 5.04, 5.1, 6, 7, 8, 9, 10],
      "f": [0, 0, 0, 0, 0, 0, 0, 0, 0.01, 0.05, 0.09, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    }
  });
  static const struct {
    const char *integrator;
    double tolerance; /* 0: the step may be missed, with a note */
  } cases[] = {{JSON({"method": "dopri5"}), 1e-4},
               {JSON({"method": "dop853", "rtol": 1e-9}), 1e-6},
               {JSON({"method": "bdf", "rtol": 1e-8}), 1e-4},
               {JSON({"method": "rk4", "fixed_step": 0.1}), 0}};
  bool missed;
  (void)unused;
  for (int f = 0; f < 2; f++) {
    char *function =
        models_text(f ? PART({"piecewise": [{"until": 1, "function": "0"}, {"function": %s}]}) : "%s", table);
    const double known = swing(function, JSON({"method": "dop853", "rtol": 1e-11, "max_step": 2e-3}), &missed);
    assert_true(fabs(known) > 1e-2 && !missed);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      const double angle = swing(function, cases[i].integrator, &missed);
      if (missed != (cases[i].tolerance == 0)) fail_msg("%s: note", cases[i].integrator);
      if (!missed && !(fabs(angle - known) <= cases[i].tolerance))
        fail_msg("%s: %g, not %g", cases[i].integrator, angle, known);
    }
    free(function);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_satellite),
      cmocka_unit_test(test_units_of_mass),
      cmocka_unit_test(test_power_of_a_simple_motion),
      cmocka_unit_test(test_rows_inside_steps),
      cmocka_unit_test(test_many_rows_inside_steps),
      cmocka_unit_test(test_estimates),
      cmocka_unit_test(test_no_estimate),
      cmocka_unit_test(test_pulse),
      cmocka_unit_test(test_hill),
      cmocka_unit_test(test_hyperbolic_pulse),
      cmocka_unit_test(test_pulses_alike),
      cmocka_unit_test(test_hill_on_the_way),
      cmocka_unit_test(test_resistance),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_progress_of_both_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
