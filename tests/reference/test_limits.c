/* test_limits.c - impossible and barely possible motions: drivers out of reach, contradictions, structures without a
 * degree of freedom, inconsistent starts, bodies without inertia, springs of zero length. */
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
#include "closed_forms.h"
#include "expect.h"
#include "models.h"

static const double pi = 3.14159265358979323846, g = 9.81;
static const char *const formulations[] = {"joint", "body"};

/* Returns the analysis with its formulation. */
static const char *with(const char *formulation, const char *analysis) {
  static char text[512];
  char *one = models_text(JSON({"formulation": "%s"}), formulation), *both = models_merged(one, analysis);
  snprintf(text, sizeof text, "%s", both);
  free(one);
  free(both);
  return text;
}

/* ---- motions that end ---------------------------------------------------------------------------------------- */

/* Checks that the slider is out of reach at 1.8 s, and that all earlier rows remain. */
static void check_lock_up(const char *analysis) {
  mbs_result *result = NULL;
  mbs_error error = {0};
  char *document = models_of_tests("out-of-reach");
  expect_failure(document, analysis, MBS_LOCK_UP, "push", NULL, &result, &error);
  assert_close(error.time, 1.8, 1e-3);
  size_t rows = models_rows(result); /* 0, 0.01, ... 1.79, and 1.80 if the run just reached it */
  assert_in_range(rows, 180, 181);
  for (size_t row = 0; row < rows; row++)
    assert_close(models_row(result, "r", row)[4], 0.2 + 0.1 * 0.01 * (double)row, 1e-9);
  mbs_result_free(result);
  free(document);
}

static void test_driver_out_of_reach(void **unused) {
  (void)unused;
  check_lock_up(JSON({"type": "kinematics", "t_end": 3, "dt": 0.01}));
  check_lock_up(JSON({"type": "kinematics", "formulation": "body", "t_end": 3, "dt": 0.01}));
  check_lock_up(JSON({"t_end": 3, "dt": 0.01}));
}

/* A plate carried by two parallel rods, and a link on it that an unbounded moment accelerates. The steps become too
 * small, but not because of the constraints, for every size of the mechanism. */
static void test_regular_at_any_size(void **unused) {
  (void)unused;
  static const double sizes[] = {0.0101, 0.012, 0.1, 1, 100};
  for (size_t k = 0; k < 2 * sizeof sizes / sizeof *sizes; k++) {
    double size = sizes[k / 2];
    char document[1600];
    mbs_result *result = NULL;
    mbs_error error = {0};
    MODEL(document_format,
        {"space": "planar", "gravity": [0, 0], "parameters": {"L": %.17g},
         "ground": {"points": {"O": [0, 0], "Q": ["L/20", 0]}},
         "bodies": [
           {"name": "plate", "mass": 1, "inertia": "L^2/10",
            "points": {"A": ["-L/2", 0], "B": ["-0.45*L", 0], "C": ["L/2", 0]},
            "initial": {"position": ["L/2", "-L/2"]}},
           {"name": "link", "mass": 1, "inertia": "L^2/10", "points": {"C": [0, 0]},
            "initial": {"position": ["L", "-L/2"]}}],
         "joints": [
           {"name": "left",  "type": "rod",      "points": ["ground.O", "plate.A"], "length": "L/2"},
           {"name": "right", "type": "rod",      "points": ["ground.Q", "plate.B"], "length": "L/2"},
           {"name": "C",     "type": "revolute", "points": ["plate.C", "link.C"]}],
         "forces": [{"name": "pull", "type": "torque", "body": "link", "value": "L^2/(0.5 - link.phi)^1.5"}]});
    snprintf(document, sizeof document, document_format, size);
    mbs_status status =
        models_try_run(document, with(formulations[k % 2], JSON({"t_end": 1, "dt": 0.1})), &result, &error);
    if (status != MBS_STEP_TOO_SMALL)
      fail_msg("%g m, %s: %s, %s", size, formulations[k % 2], mbs_status_code(status), error.message);
    mbs_result_free(result);
  }
}

/* ---- inconsistent models ------------------------------------------------------------------------------------- */

/* Runs a crank on a pin, held by rods of these lengths from the ground to its tip. */
static mbs_status crank_with_rods(double length1, double length2, const char *formulation, mbs_error *error) {
  char document[1024];
  mbs_result *result = NULL;
  MODEL(document_format,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0], "B": [2, 0]}},
       "bodies": [
         {"name": "crank", "mass": 1, "inertia": 1, "points": {"O": [-0.5, 0], "P": [0.5, 0]},
          "initial": {"position": [0.5, 0], "angle": 0.7}}],
       "joints": [
         {"name": "pin", "type": "revolute", "points": ["ground.O", "crank.O"]},
         {"name": "one", "type": "rod",      "points": ["ground.B", "crank.P"], "length": %.17g},
         {"name": "two", "type": "rod",      "points": ["crank.P", "ground.B"], "length": %.17g}]});
  snprintf(document, sizeof document, document_format, length1, length2);
  mbs_status status = models_try_run(document, with(formulation, JSON({"type": "assembly"})), &result, error);
  mbs_result_free(result);
  return status;
}

/* Only one of three drivers is impossible: from 0.5 s it asks a tip to go where its arm cannot reach. */
static void test_driver_to_blame(void **unused) {
  (void)unused;
  static const char drivers[3][120] = {JSON({"name": "first", "type": "joint", "joint": "pa", "function": "t"}),
                                       JSON({"name": "locks", "type": "x", "point": "b.tip", "function": "5.5 + t"}),
                                       JSON({"name": "third", "type": "joint", "joint": "pc", "function": "t"})};
  static const char *const types[] = {"dynamics", "kinematics", "inverse-dynamics"};
  for (int k = 0; k < 18; k++) { /* each type with the drivers in three orders, in both formulations */
    char document[1600], analysis[120];
    MODEL(document_format,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"A": [0, 0], "B": [5, 0], "C": [10, 0]}},
         "bodies": [
           {"name": "a", "mass": 1e-6, "inertia": 1e-6, "points": {"O": [0, 0]}},
           {"name": "b", "mass": 1,    "inertia": 1,    "points": {"O": [0, 0], "tip": [1, 0]}},
           {"name": "c", "mass": 1,    "inertia": 1,    "points": {"O": [-0.5, 0]}}],
         "joints": [
           {"name": "pa", "type": "revolute", "points": ["ground.A", "a.O"]},
           {"name": "pb", "type": "revolute", "points": ["ground.B", "b.O"], "initial": {"position": 1.0}},
           {"name": "pc", "type": "revolute", "points": ["ground.C", "c.O"]}],
         "drivers": [%s, %s, %s]});
    snprintf(document, sizeof document, document_format, drivers[k % 3], drivers[(k + 1) % 3], drivers[(k + 2) % 3]);
    snprintf(analysis, sizeof analysis, JSON({"type": "%s", "formulation": "%s", "t_end": 1, "dt": 0.05}),
             types[k / 3 % 3], formulations[k / 9]);
    mbs_result *result = NULL;
    mbs_error error = {0};
    expect_failure(document, analysis, MBS_LOCK_UP, "locks", NULL, &result, &error);
    assert_close(error.time, 0.5, 1e-3);
    mbs_result_free(result);
  }
}

/* Drivers whose function of time is not defined from 1 s on, or whose rate is unbounded or has a pole there. */
static void test_function_that_ends(void **unused) {
  (void)unused;
  MODEL(format,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "rod", "mass": 1, "inertia": 1, "points": {"A": [-1, 0]}}],
       "joints": [{"name": "O", "type": "revolute", "points": ["ground.O", "rod.A"]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "%s"}]});
  static const char *const types[] = {"dynamics", "kinematics", "inverse-dynamics"};
  static const char *const functions[] = {"sqrt(1 - t)", "1/(1 - t)"};
  for (int i = 0; i < 6; i++) {
    char analysis[100], document[600];
    snprintf(document, sizeof document, format, functions[i / 3]);
    mbs_result *result = NULL;
    mbs_error error = {0};
    snprintf(analysis, sizeof analysis, JSON({"type": "%s", "t_end": 2, "dt": 0.1}), types[i % 3]);
    expect_failure(document, analysis, MBS_OUT_OF_RANGE, "motor", NULL, &result, &error);
    assert_close(error.time, 1, 0.01);
    assert_in_range(models_rows(result), 10, 11);
    mbs_result_free(result);
  }
}

/* A driven distance that goes to 0, where it has no direction, and on to negative values. With gravity across it the
 * angular velocity of the body grows without bound. */
static void test_distance_that_goes_to_zero(void **unused) {
  (void)unused;
  static const char *const analyses[] = {
      JSON({"type": "kinematics"}),
      JSON({"type": "inverse-dynamics"}),
      JSON({"type": "dynamics"}),
      JSON({"integrator": {"method": "dop853"}}),
      JSON({"integrator": {"method": "bdf"}}),
      JSON({"integrator": {"method": "rk4", "fixed_step": 0.01}}),
      JSON({"constraints": "partitioning"}),
      JSON({"constraints": "baumgarte"}),
  };
  MODEL(others,
      , {"name": "y", "type": "y",     "point": "b.P", "function": "0"},
        {"name": "a", "type": "angle", "body": "b",    "function": "0"});
  for (size_t k = 0; k < 2 * sizeof analyses / sizeof *analyses; k++) {
    char document[900], *analysis = models_merged(analyses[k / 2], JSON({"t_end": 1, "dt": 0.15}));
    mbs_result *result = NULL;
    mbs_error error = {0};
    MODEL(document_format,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [
           {"name": "b", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "initial": {"position": [1, 0]}}],
         "drivers": [
           {"name": "d", "type": "distance", "points": ["ground.O", "b.P"], "function": "1 - 2*t"}%s]});
    snprintf(document, sizeof document, document_format, k / 2 < 2 ? others : "");
    assert_int_equal(models_try_run(document, with(formulations[k % 2], analysis), &result, &error), MBS_OUT_OF_RANGE);
    free(analysis);
    assert_string_equal(error.element, "d");
    assert_non_null(strstr(error.message, "must stay above 0"));
    assert_close(error.time, 0.5, 1e-3);
    assert_int_equal(models_rows(result), 4);
    mbs_result_free(result);
  }
}

static void test_contradictions(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    mbs_error error = {0};
    assert_int_equal(crank_with_rods(1.5, 1.5, formulations[f], &error), MBS_OK);
    assert_int_equal(crank_with_rods(1.5, 1.6, formulations[f], &error), MBS_CONTRADICTION);
    assert_true(strcmp(error.element, "one") == 0 || strcmp(error.element, "two") == 0);
    assert_non_null(strstr(error.message, "residual"));
  }
}

/* The tip cannot be farther than 3 m from B. */
static void test_out_of_reach_at_the_start(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    mbs_error error = {0};
    mbs_status status = crank_with_rods(3.5, 3.5, formulations[f], &error);
    assert_true(status == MBS_NOT_ASSEMBLED || status == MBS_CONTRADICTION);
    assert_string_not_equal(error.element, "");
  }
}

/* The correction of a start that is inconsistent in position and velocity satisfies both to rounding. */
static void test_inconsistent_start(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0], "C": [1, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]},
          "initial": {"position": [0.1, 0.6], "angle": 1.4, "velocity": [1, -2]}},
         {"name": "b", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]},
          "initial": {"position": [0.6, 1.1], "angle": 0.2, "angular_velocity": 3}}],
       "joints": [
         {"name": "A", "type": "revolute", "points": ["ground.O", "a.A"]},
         {"name": "B", "type": "revolute", "points": ["a.B", "b.A"]},
         {"name": "C", "type": "rod",      "points": ["b.B", "ground.C"], "length": 1}]});
  for (int f = 0; f < 2; f++) {
    mbs_result *result = models_run(document, with(formulations[f], JSON({"type": "assembly"})));
    const mbs_report *report = &result->report;
    assert_true(report->corrected && report->correction_iterations > 0);
    assert_true(report->position_residual < 1e-13);
    assert_true(report->velocity_residual < 1e-13);
    mbs_result_free(result);
  }
}

/* ---- structures ---------------------------------------------------------------------------------------------- */

/* A structure without a degree of freedom: the reactions are those of statics and constant. The tension in each bar is
 * 100 N / sqrt 2 along its 45 degrees. */
static void test_locked_structure(void **unused) {
  (void)unused;
  char *document = models_of_tests("truss");
  for (int f = 0; f < 2; f++)
    for (int dynamics = 0; dynamics < 2; dynamics++) {
      mbs_result *result = models_run(
          document, with(formulations[f], dynamics ? JSON({"t_end": 1, "dt": 0.1}) : JSON({"type": "assembly"})));
      assert_int_equal(result->report.degrees_of_freedom, 0);
      size_t last = models_rows(result) - 1;
      const double *reactions = models_row(result, "reactions", last), *r = models_row(result, "r", last);
      /* Reactions of A and B on their bars and of C on the right bar; the load acts on the left bar. */
      static const double wanted[] = {-50, 50, 0, 50, 50, 0, -50, -50, 0};
      for (size_t k = 0; k < 9; k++) assert_close(reactions[k], wanted[k], 1e-9);
      assert_close(r[0], -0.5, 1e-12);
      mbs_result_free(result);
    }
  free(document);
}

/* ---- bodies without inertia ---------------------------------------------------------------------------------- */

/* A point mass on a pin swings like the simple pendulum of textbooks; in body coordinates M is singular. */
static void test_point_mass_held_by_its_joint(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "bob", "mass": 2, "inertia": 0, "points": {"O": [0, 1.5]},
          "initial": {"position": ["1.5*sin(1)", "-1.5*cos(1)"], "angle": 1}}],
       "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "bob.O"]}]});
  double period = 2 * pi * sqrt(1.5 / g) / agm(1, cos(0.5));
  for (int f = 0; f < 2; f++) {
    char more[256];
    MODEL(swing,
        {"t_end": %.17g, "dt": %.17g, "integrator": {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}});
    snprintf(more, sizeof more, swing, period, period / 4);
    mbs_result *result = models_run(document, with(formulations[f], more));
    assert_close(*models_row(result, "p", 1), 0, 1e-8);
    assert_close(*models_row(result, "p", 2), -1, 1e-8);
    assert_close(*models_row(result, "p", 4), 1, 1e-8);
    /* The pin bears the weight and the centrifugal force at the bottom, m g (3 - 2 cos 1). */
    assert_close(models_row(result, "reactions", 1)[1], 2 * g * (3 - 2 * cos(1)), 1e-6);
    mbs_result_free(result);
  }
}

/* A massless rod between two sliders: its pins constrain all its degrees of freedom. */
static void test_massless_rod(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"x": [1, 0], "y": [0, 1]}},
       "bodies": [
         {"name": "across", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"x": [1, 0]},
          "initial": {"position": [0.6, 0]}},
         {"name": "rod", "mass": 0, "inertia": 0, "points": {"A": [-0.5, 0], "B": [0.5, 0]},
          "initial": {"position": [0.3, 0.4], "angle": "atan2(0.8, -0.6)"}},
         {"name": "up", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"y": [0, 1]},
          "initial": {"position": [0, 0.8]}}],
       "joints": [
         {"name": "floor", "type": "translational", "points": ["ground.O", "across.P"],
          "vectors": ["ground.x", "across.x"]},
         {"name": "wall", "type": "translational", "points": ["ground.O", "up.P"],
          "vectors": ["ground.y", "up.y"]},
         {"name": "A", "type": "revolute", "points": ["across.P", "rod.A"]},
         {"name": "B", "type": "revolute", "points": ["rod.B", "up.P"]}]});
  /* Equal masses at (cos a, 0) and (0, sin a): the rod turns as a pendulum, a'' = -g cos a. */
  for (int f = 0; f < 2; f++) {
    mbs_result *result = models_run(
        document, with(formulations[f], JSON({"t_end": 2, "dt": 0.01, "integrator": {"rtol": 1e-9, "atol": 1e-10}})));
    const double *alpha = models_row(result, "pdd", 0);
    assert_close(fabs(alpha[1]), g * 0.6, 1e-8);
    double omega = models_row(result, "pd", 200)[1], height = models_row(result, "r", 200)[5];
    assert_close(omega * omega / 2, g * (0.8 - height), 1e-6);
    mbs_result_free(result);
  }
}

/* A driven mechanism without any mass moves like one with mass, and its steps do not follow the rounding errors of its
 * powers. */
static void test_nothing_has_mass(void **unused) {
  static const char *const bodies = JSON({
    "bodies": [
      {
        "name": "crank",
        "mass": 0,
        "inertia": 0,
        "points": {"A": ["-a/2", 0], "B": ["a/2", 0]},
        "initial": {"position": [0.081, 0.1262], "angle": 1}
      },
      {
        "name": "coupler",
        "mass": 0,
        "inertia": 0,
        "points": {"A": ["-b/2", 0], "B": ["b/2", 0]},
        "initial": {"position": [0.4949, 0.4743], "angle": 0.5881}
      },
      {
        "name": "rocker",
        "mass": 0,
        "inertia": 0,
        "points": {"A": ["-c/2", 0], "B": ["c/2", 0]},
        "initial": {"position": [0.8638, 0.3481], "angle": -1.4673}
      }
    ],
    "drivers": [{"name": "m", "type": "angle", "body": "crank", "function": "1 + t"}]
  });
  static const char *const types[] = {"dynamics", "inverse-dynamics"}, *const ways[] = {"joint", "body"};
  (void)unused;
  for (int i = 0; i < 4; i++) {
    char *document = models_named_with("FourBar", bodies),
         *analysis =
             models_text(PART({"type": "%s", "t_end": 3, "dt": 0.1, "formulation": "%s"}), types[i / 2], ways[i % 2]);
    mbs_result *result = models_run(document, analysis);
    if (result->report.evaluations > 2000)
      fail_msg("case %d: %llu evaluations", i, (unsigned long long)result->report.evaluations);
    mbs_result_free(result);
    free(analysis);
    free(document);
  }
}

/* A free point mass has no defined angular acceleration, so the model is refused with its name. */
/* A link with so small an inertia that body coordinates could mistake it for a loss of rank: both formulations, driven
 * and free, agree for every value. */
static void test_light_inertia(void **unused) {
  (void)unused;
  static const double inertias[] = {1e-6, 1e-9, 1e-10, 1e-12, 1e-14, 1e-30};
  MODEL(driven,
      {"name": "m", "type": "joint", "joint": "O", "function": "t"},
      {"name": "n", "type": "joint", "joint": "P", "function": "t^2"});
  for (int k = 0; k < 24; k++) {
    char document[1200];
    MODEL(document_format,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [
           {"name": "a", "mass": 1, "inertia": %g,  "points": {"A": [-0.5, 0], "B": [0.5, 0]}},
           {"name": "b", "mass": 2, "inertia": 0.1, "points": {"B": [-0.5, 0]}}],
         "joints": [
           {"name": "O", "type": "revolute", "points": ["ground.O", "a.A"]},
           {"name": "P", "type": "revolute", "points": ["a.B", "b.B"]}],
         "drivers": [%s]});
    snprintf(document, sizeof document, document_format, inertias[k % 6], k / 6 % 2 ? driven : "");
    mbs_result *results[2];
    for (int f = 0; f < 2; f++) {
      char more[200];
      MODEL(motion,
          {"t_end": 0.5, "dt": 0.1, "constraints": "%s", "integrator": {"rtol": 1e-9, "atol": 1e-11}});
      snprintf(more, sizeof more, motion, k / 12 ? "partitioning" : "projection");
      results[f] = models_run(document, with(formulations[f], more));
      assert_true(results[f]->report.residual_max[2] < 1e-5);
    }
    for (size_t row = 0; row < models_rows(results[0]); row++) {
      assert_true(models_difference(results[0], results[1], "r", row) < 1e-8);
      assert_true(models_difference(results[0], results[1], "reactions", row) < 1e-7);
    }
    for (int f = 0; f < 2; f++) mbs_result_free(results[f]);
  }
}

static void test_freedom_without_inertia(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    mbs_result *result = NULL;
    mbs_error error = {0};
    static const char speck[] = JSON({"space": "planar", "bodies": [{"name": "speck", "mass": 1, "inertia": 0}]});
    expect_failure(speck, with(formulations[f], JSON({"t_end": 1, "dt": 0.1})), MBS_SINGULAR_MASS, "speck", NULL,
                   &result, &error);
    assert_non_null(strstr(error.message, "give it a moment of inertia"));
    mbs_result_free(result);
  }
}

/* The square root of a rate that becomes negative. */
static void test_law_without_value(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "bar", "mass": 1, "inertia": 0.01, "points": {"O": [0, 0.2]}}],
       "joints": [
         {"name": "pin", "type": "revolute", "points": ["ground.O", "bar.O"], "initial": {"position": "30 deg"}}],
       "forces": [{"name": "law", "type": "torque", "body": "bar", "value": "-0.5*sqrt(pin.qd)"}]});
  for (int f = 0; f < 2; f++) {
    mbs_result *result = NULL;
    mbs_error error = {0};
    expect_failure(document, with(formulations[f], JSON({"t_end": 1, "dt": 0.1})), MBS_NOT_FINITE, "law",
                   "the value '-0.5*sqrt(pin.qd)' of 'law' is not a finite number just after t = 0", &result, &error);
    mbs_result_free(result);
  }
}

/* ---- numbers too large --------------------------------------------------------------------------------------- */

/* A spring so far from its free length that its energy, or the work of its force, overflows: no result, and no endless
 * search for one. */
static void test_numbers_that_overflow(void **unused) {
  (void)unused;
  static const struct {
    const char *analysis, *element;
    mbs_status status;
  } cases[] = {{JSON({"type": "assembly"}), "far", MBS_NOT_FINITE},
               {JSON({"type": "linearization", "about": "state"}), "far", MBS_NOT_FINITE},
               {JSON({"type": "linearization"}), "rail", MBS_NO_EQUILIBRIUM},
               {JSON({"type": "equilibrium"}), "rail", MBS_NO_EQUILIBRIUM}};
  MODEL(document,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "b.C"],
          "vectors": ["ground.u", "b.u"], "initial": {"position": 1}}],
       "forces": [
         {"name": "near", "type": "spring-damper", "points": ["ground.O", "b.C"], "stiffness": 9,
          "free_length": 1},
         {"name": "far", "type": "spring-damper", "points": ["ground.O", "b.C"], "stiffness": 9,
          "free_length": 1e300}]});
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    mbs_result *result = NULL;
    mbs_error error = {0};
    assert_int_equal(models_try_run(document, cases[k].analysis, &result, &error), cases[k].status);
    assert_string_equal(error.element, cases[k].element);
    mbs_result_free(result);
  }
}

/* ---- springs ------------------------------------------------------------------------------------------------- */

/* A spring of zero free length pulls a mass through its own end: x = cos(omega t), through zero length and back; and a
 * second mass in a plane, which starts at zero length. */
static void test_spring_through_zero_length(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "on a rail", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"position": [1, 0]}},
         {"name": "free", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "initial": {"velocity": [3, 4]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "on a rail.P"],
          "vectors": ["ground.u", "on a rail.u"]}],
       "forces": [
         {"name": "one", "type": "spring-damper", "points": ["ground.O", "on a rail.P"], "stiffness": 25},
         {"name": "two", "type": "spring-damper", "points": ["free.P", "ground.O"],      "stiffness": 25}]});
  for (int f = 0; f < 2; f++) {
    MODEL(analysis,
        {"t_end": 10, "dt": 0.1, "integrator": {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}});
    mbs_result *result = models_run(document, with(formulations[f], analysis));
    for (size_t row = 0; row < models_rows(result); row++) {
      double t = *models_row(result, "T", row);
      const double *r = models_row(result, "r", row);
      assert_close(r[0], cos(5 * t), 1e-9);
      assert_close(r[2], 0.6 * sin(5 * t), 1e-9);
      assert_close(r[3], 0.8 * sin(5 * t), 1e-9);
    }
    mbs_result_free(result);
  }
}

/* An expression that becomes undefined is named, and the rows before remain. */
static void test_force_without_a_value(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar",
       "bodies": [{"name": "b", "mass": 1, "inertia": 1}],
       "forces": [
         {"name": "n", "type": "torque", "body": "b", "value": 1},
         {"name": "f", "type": "force",  "body": "b", "value": ["sqrt(1 - t)", 0]}]});
  for (int k = 0; k < 2; k++) {
    mbs_result *result = NULL;
    mbs_error error = {0};
    const char *analysis = with(formulations[k], JSON({"t_end": 2, "dt": 0.25}));
    expect_failure(document, analysis, MBS_NOT_FINITE, "f", NULL, &result, &error);
    assert_close(error.time, 1, 1e-6);
    assert_in_range(models_rows(result), 4, 5); /* the run may just have reached sqrt(0) at 1 s */
    mbs_result_free(result);
  }
}

/* A row with numbers that overflowed is not a result: the job reports this and omits the row. */
static void test_overflow_is_left_out(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [1, 0]}}],
       "forces": [
         {"name": "s", "type": "spring-damper", "points": ["ground.O", "b.A"], "stiffness": 1e10,
          "free_length": 1e300}]});
  mbs_result *result = NULL;
  mbs_error error = {0};
  expect_failure(document, JSON({"t_end": 1, "dt": 0.1}), MBS_NOT_FINITE, "s", NULL, &result, &error);
  assert_int_equal(models_rows(result), 0);
  assert_int_equal(result->report.recorded, 0);
  assert_true(isnan(result->report.energy_start)); /* the row of this value was omitted */
  mbs_result_free(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_driver_out_of_reach),
      cmocka_unit_test(test_driver_to_blame),
      cmocka_unit_test(test_regular_at_any_size),
      cmocka_unit_test(test_function_that_ends),
      cmocka_unit_test(test_distance_that_goes_to_zero),
      cmocka_unit_test(test_contradictions),
      cmocka_unit_test(test_out_of_reach_at_the_start),
      cmocka_unit_test(test_inconsistent_start),
      cmocka_unit_test(test_locked_structure),
      cmocka_unit_test(test_point_mass_held_by_its_joint),
      cmocka_unit_test(test_massless_rod),
      cmocka_unit_test(test_nothing_has_mass),
      cmocka_unit_test(test_light_inertia),
      cmocka_unit_test(test_freedom_without_inertia),
      cmocka_unit_test(test_law_without_value),
      cmocka_unit_test(test_numbers_that_overflow),
      cmocka_unit_test(test_spring_through_zero_length),
      cmocka_unit_test(test_force_without_a_value),
      cmocka_unit_test(test_overflow_is_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
