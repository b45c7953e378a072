/* test_starts.c - start and accuracy of the assembly: starts of round numbers, at which Newton's steps vanish; axes
 * that end opposite; coordinates and data with a limited number of digits; uncorrected starts. */
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
#include "list.h"
#include "model_run.h"
#include "models.h"

static const char *const formulations[] = {"joint", "body"};

/* Returns n links of 1 m on the x axis, the last one held at `reach` from the origin; `more` is added to the
 * analysis. */
static char *chain_between(size_t n, double reach, const char *formulation, const char *more) {
  text_list *bodies = list_open(), *joints = list_open();
  MODEL(link,
      {"name": "l%zu", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]}});
  for (size_t i = 0; i < n; i++) list_add(bodies, link, i);
  list_add(joints, JSON({"name": "end", "type": "revolute", "points": ["ground.B", "l%zu.B"]}), n - 1);
  for (size_t i = 0; i < n; i++) {
    char before[32] = "ground.O";
    if (i) snprintf(before, sizeof before, "l%zu.B", i - 1);
    list_add(joints, JSON({"name": "j%zu", "type": "revolute", "points": ["%s", "l%zu.A"]}), i, before, i);
  }
  char *links = list_close(bodies), *pins = list_close(joints);
  MODEL(chain,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0], "B": [%.17g, 0]}},
       "bodies": [%s],
       "joints": [%s],
       "analysis": {"type": "assembly", "formulation": "%s"%s}});
  char *text = models_text(chain, reach, links, pins, formulation, more);
  free(links);
  free(pins);
  return text;
}

/* A straight chain has no preferred side on which to buckle. */
static void test_straight_chains(void **unused) {
  (void)unused;
  static const struct {
    size_t links;
    double reach;
  } chains[] = {{2, 1.9}, {2, 0.1}, {3, 1.5}, {10, 5}, {10, 9.9999}, {40, 30}, {300, 250}, {300, 299.99}};
  for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
    for (int f = 0; f < (chains[c].links > 40 ? 1 : 2); f++) {
      mbs_error error = {0};
      mbs_result *result = NULL;
      char *document = chain_between(chains[c].links, chains[c].reach, formulations[f], "");
      if (models_try_run(document, NULL, &result, &error) != MBS_OK)
        fail_msg("%zu links, %g m, %s: %s", chains[c].links, chains[c].reach, formulations[f], error.message);
      assert_true(result->report.position_residual < 1e-10);
      assert_non_null(models_note(result, "choose the direction"));
      mbs_result *again = models_run(document, NULL); /* the same side every time */
      assert_true(models_difference(result, again, "p", 0) == 0);
      mbs_result_free(again);
      mbs_result_free(result);
      free(document);
    }
  }
}

/* Coordinates in `hold` are not perturbed. */
static void test_straight_chain_held(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    char *document = chain_between(3, 2.5, formulations[f], PART(, "hold": ["j0"]));
    mbs_result *result = models_run(document, NULL);
    assert_true(fabs(models_row(result, "p", 0)[0]) < 1e-10);
    assert_true(result->report.position_residual < 1e-10);
    mbs_result_free(result);
    free(document);
  }
}

/* A distance of 2.1 m is too large for two links at every start. */
static void test_chain_too_short(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    mbs_error error = {0};
    mbs_result *result = NULL;
    char *document = chain_between(2, 2.1, formulations[f], "");
    assert_int_equal(models_try_run(document, NULL, &result, &error), MBS_CONTRADICTION);
    assert_non_null(strstr(error.message, "contradict one another"));
    assert_non_null(strstr(error.message, "give initial positions nearer to the assembled mechanism"));
    assert_null(models_note(result, "choose the direction"));
    mbs_result_free(result);
    free(document);
  }
}

/* A crank along the axis along which its tip is driven; without and with an initial angle. */
static void test_driver_across_its_crank(void **unused) {
  (void)unused;
  static const char *const initial[] = {"", PART(, "initial": {"position": 0})};
  for (int k = 0; k < 4; k++) {
    MODEL(driver_across_its_crank,
        {"space": "planar",
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [{"name": "crank", "mass": 1, "inertia": 1, "points": {"O": [-1, 0], "P": [0, 0]}}],
         "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "crank.O"]%s}],
         "drivers": [{"name": "push", "type": "x", "point": "crank.P", "function": "0.5"}],
         "analysis": {"type": "assembly", "formulation": "%s"}});
    model_run run = model_run_text(driver_across_its_crank, initial[k / 2], formulations[k % 2]);
    if (run.status != MBS_OK) fail_msg("%s", run.error.message);
    assert_true(fabs(cos(model_run_value(&run, "p", 0, 0)) - 0.5) < 1e-10);
    assert_true(fabs(model_run_value(&run, "p", 0, 0)) < 3.2);
    assert_non_null(models_note(run.result, "choose the direction"));
    model_run_free(&run);
  }
}

/* A four-bar without any initial values moves. */
static void test_four_bar_without_initial(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    MODEL(four_bar_without_initial,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0], "Q": [0.9, 0]}},
         "bodies": [
           {"name": "a", "mass": 1, "inertia": 0.0075, "points": {"A": [-0.15, 0], "B": [0.15, 0]}},
           {"name": "b", "mass": 1, "inertia": 0.05,   "points": {"A": [-0.4, 0], "B": [0.4, 0]}},
           {"name": "c", "mass": 1, "inertia": 0.04,   "points": {"A": [-0.35, 0], "B": [0.35, 0]}}],
         "joints": [
           {"name": "A", "type": "revolute", "points": ["ground.O", "a.A"]},
           {"name": "B", "type": "revolute", "points": ["a.B", "b.A"]},
           {"name": "C", "type": "revolute", "points": ["b.B", "c.A"]},
           {"name": "D", "type": "revolute", "points": ["c.B", "ground.Q"]}],
         "analysis": {"t_end": 1, "dt": 0.1, "formulation": "%s"}});
    model_run run = model_run_text(four_bar_without_initial, formulations[f]);
    if (run.status != MBS_OK) fail_msg("%s: %s", formulations[f], run.error.message);
    assert_int_equal(run.result->report.degrees_of_freedom, 1);
    assert_non_null(models_note(run.result, "choose the direction"));
    model_run_free(&run);
  }
}

/* ---- axes that end opposite ---------------------------------------------------------------------------------- */

/* Rows of parallel axes are also satisfied by opposite ones, which are nearer for a body rotated by more than a
 * quarter. */
static void test_body_upside_down(void **unused) {
  (void)unused;
  static const char *const types[] = {"revolute", "cylindrical", "screw", "planar", "prismatic"};
  static const double angles[] = {1.2, 2, 3, 3.14159265358979323846};
  for (int k = 0; k < 40; k++) {
    bool reversed = k % 2; /* ground as the second body */
    MODEL(body_upside_down,
        {"space": "spatial",
         "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
         "bodies": [
           {"name": "door", "mass": 1, "inertia": [0.1, 0.2, 0.25], "points": {"P": [-0.5, 0, 0]},
            "vectors": {"z": [0, 0, 1]},
            "initial": {"position": [0.5, 0, 0], "orientation": {"axis": [1, 0, 0], "angle": %.17g}}}],
         "joints": [{"name": "J", "type": "%s", "points": ["%s", "%s"], "vectors": ["%s", "%s"]%s}],
         "sensors": [
           {"name": "up", "value": "door.A33"},
           {"name": "q",  "value": "J.q%s"}],
         "analysis": {"type": "assembly", "formulation": "body"}});
    model_run run = model_run_text(body_upside_down, angles[k / 2 % 4], types[k / 8], reversed ? "door.P" : "ground.O",
                                   reversed ? "ground.O" : "door.P", reversed ? "door.z" : "ground.z",
                                   reversed ? "ground.z" : "door.z",
                                   k / 8 == 2 ? PART(, "pitch": "0.1") : "",
                                                     k / 8 == 1   ? "2"
                                                     : k / 8 == 3 ? "3"
                                                                  : "");
    if (run.status != MBS_OK) fail_msg("%s: %s", types[k / 8], run.error.message);
    bool prismatic = k / 8 == 4; /* which keeps the given orientation, except for the smallest rotation of its axis */
    assert_true(fabs(model_run_value(&run, "up", 0, 0) - 1) < 1e-9);
    assert_true(fabs(model_run_value(&run, "q", 0, 0)) < 1e-9);
    if (!prismatic && angles[k / 2 % 4] > 1.6) assert_non_null(models_note(run.result, "turned over"));
    model_run_free(&run);
  }
}

/* A universal joint whose second shaft starts 80 degrees from its bearing: both formulations find equal angles. */
static void test_inclined_shaft(void **unused) {
  (void)unused;
  double angle[2];
  for (int f = 0; f < 2; f++) {
    MODEL(shaft_beside_its_bearing,
        {"space": "spatial", "parameters": {"b": "40*pi/180"},
         "ground": {"points": {"O": [0, 0, 0]},
                    "vectors": {"in": [1, 0, 0], "out": ["cos(b)", "sin(b)", 0],
                                "across": ["-sin(b)", "cos(b)", 0]}},
         "bodies": [
           {"name": "input", "mass": 1, "inertia": [0.01, 0.05, 0.05], "points": {"O": [0.5, 0, 0]},
            "vectors": {"axis": [1, 0, 0], "fork": [0, 1, 0]}, "initial": {"position": [-0.5, 0, 0]}},
           {"name": "output", "mass": 1, "inertia": [0.01, 0.05, 0.05], "points": {"O": [-0.5, 0, 0]},
            "vectors": {"axis": [1, 0, 0], "fork": [0, 0, 1], "y": [0, 1, 0]},
            "initial": {"position": ["0.5*cos(b)", "0.5*sin(b)", 0],
                        "orientation": {"axis": [0, 0, -1], "angle": "b"}}}],
         "joints": [
           {"name": "in", "type": "revolute", "points": ["ground.O", "input.O"],
            "vectors": ["ground.in", "input.axis"]},
           {"name": "out", "type": "cylindrical", "points": ["ground.O", "output.O"],
            "vectors": ["ground.out", "output.axis"], "reference": ["ground.across", "output.y"]},
           {"name": "cross", "type": "universal", "points": ["input.O", "output.O"],
            "vectors": ["input.fork", "output.fork"]}],
         "drivers": [{"name": "motor", "type": "joint", "joint": "in", "function": "10*t"}],
         "sensors": [{"name": "angle", "value": "out.q2"}],
         "analysis": {"type": "kinematics", "t_end": 0.2, "dt": 0.01, "formulation": "%s"}});
    model_run run = model_run_text(shaft_beside_its_bearing, formulations[f]);
    if (run.status != MBS_OK) fail_msg("%s: %s", formulations[f], run.error.message);
    angle[f] = model_run_value(&run, "angle", -1, 0);
    model_run_free(&run);
  }
  assert_true(fabs(angle[0] - angle[1]) < 1e-9);
}

/* A planar loop whose last hinge has opposite vectors: no start can correct that, and the message names the joint. */
static void test_vectors_opposite(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    MODEL(vectors_opposite,
        {"space": "spatial",
         "ground": {"points": {"O": [0, 0, 0], "Q": [1, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
         "bodies": [
           {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"A": [0, -0.5, 0], "B": [0, 0.5, 0]},
            "vectors": {"z": [0, 0, 1]}, "initial": {"position": [0, 0.5, 0]}},
           {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"A": [-0.5, 0, 0], "B": [0.5, 0, 0]},
            "vectors": {"z": [0, 0, 1], "down": [0, 0, -1]}, "initial": {"position": [0.5, 1, 0]}},
           {"name": "c", "mass": 1, "inertia": [1, 1, 1], "points": {"A": [0, -0.5, 0], "B": [0, 0.5, 0]},
            "vectors": {"z": [0, 0, 1]}, "initial": {"position": [1, 0.5, 0]}}],
         "joints": [
           {"name": "A", "type": "revolute", "points": ["ground.O", "a.A"], "vectors": ["ground.z", "a.z"]},
           {"name": "B", "type": "revolute", "points": ["a.B", "b.A"], "vectors": ["a.z", "b.z"]},
           {"name": "C", "type": "revolute", "points": ["b.B", "c.B"], "vectors": ["b.down", "c.z"],
            "cut": true},
           {"name": "D", "type": "revolute", "points": ["ground.Q", "c.A"], "vectors": ["ground.z", "c.z"]}],
         "analysis": {"type": "assembly", "formulation": "%s"}});
    model_run run = model_run_text(vectors_opposite, formulations[f]);
    assert_int_equal(run.status, MBS_NOT_ASSEMBLED);
    assert_string_equal(run.error.element, "C");
    assert_non_null(strstr(run.error.message, "opposite directions"));
    const mbs_report *report = &run.result->report;
    assert_false(report->corrected);
    assert_string_equal(report->failed_element, run.error.element);
    assert_int_equal(report->failed_row, -1); /* the rows are satisfied */
    assert_true(report->position_residual < 1e-9 && !report->ranked);
    model_run_free(&run);
  }
}

/* ---- large coordinates --------------------------------------------------------------------------------------- */

/* Returns the last link's angle of a four-bar with a displaced origin and another unit of length, under gravity or
 * driven. */
static double four_bar_at(double origin, double unit, bool driven, const char *analysis) {
  static const double a = 0.3, b = 0.8, c = 0.7, ground = 0.9, start = 1;
  double x = a * cos(start) - ground, y = a * sin(start), d = sqrt(x * x + y * y);
  double angle_c = atan2(y, x) - acos((d * d + c * c - b * b) / (2 * d * c));
  double bx = ground + c * cos(angle_c), by = c * sin(angle_c);
  double angle_b = atan2(by - a * sin(start), bx - a * cos(start));
  MODEL(document,
      {"space": "planar", "parameters": {"o": %.17g, "u": %.17g}, "gravity": [0, "-9.81*u"],
       "ground": {"points": {"O": ["o", "o"], "Q": ["o + 0.9*u", "o"]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": "0.0075*u^2",
          "points": {"A": ["-0.15*u", 0], "B": ["0.15*u", 0]},
          "initial": {"position": ["o + u*%.17g", "o + u*%.17g"], "angle": %.17g}},
         {"name": "b", "mass": 2, "inertia": "0.1*u^2", "points": {"A": ["-0.4*u", 0], "B": ["0.4*u", 0]},
          "initial": {"position": ["o + u*%.17g", "o + u*%.17g"], "angle": %.17g}},
         {"name": "c", "mass": 1.5, "inertia": "0.06*u^2",
          "points": {"A": ["-0.35*u", 0], "B": ["0.35*u", 0]},
          "initial": {"position": ["o + u*%.17g", "o + u*%.17g"], "angle": %.17g}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "a.A"]},
         {"name": "A", "type": "revolute", "points": ["a.B", "b.A"]},
         {"name": "B", "type": "revolute", "points": ["b.B", "c.A"]},
         {"name": "C", "type": "revolute", "points": ["c.B", "ground.Q"]}],
       "drivers": [%s],
       "analysis": %s});
  char *whole = models_merged(JSON({"t_end": 4, "dt": 0.1}), analysis);
  model_run run = model_run_text(
      document, origin, unit, a / 2 * cos(start), a / 2 * sin(start), start, (a * cos(start) + bx) / 2,
      (a * sin(start) + by) / 2, angle_b, (ground + bx) / 2, by / 2, angle_c + 3.14159265358979323846,
      driven ? JSON({"name": "motor", "type": "joint", "joint": "O", "function": "1 + 3*t"}) : "", whole);
  free(whole);
  if (run.status != MBS_OK) fail_msg("origin %g, unit %g, %s: %s", origin, unit, analysis, run.error.message);
  double angle = model_run_value(&run, "p", -1, 2);
  model_run_free(&run);
  return angle;
}

/* A prismatic joint with opposite initial vectors: the second vector ends along the first in both formulations, and as
 * a cut in body coordinates. As a cut in joint coordinates, where nothing rotates a body over, the message reports
 * opposite vectors. */
static void test_slide_opposite(void **unused) {
  (void)unused;
  static const char *const names[] = {"x", "y", "turn"};
  double places[2][3] = {{0}};
  for (int i = 0; i < 4; i++) {
    const char *formulation = formulations[i % 2], *cut = i < 2 ? "false" : "true";
    char *document = models_text(
        PART({"space": "planar", "gravity": [1, -9.81],
      "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
      "bodies": [{"name": "c", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0.5], "B": [0.3, -0.5]},
                  "vectors": {"u": [-1, 0]}, "initial": {"position": [2, -0.5], "angle": 0}}],
      "joints": [{"name": "s", "type": "translational", "points": ["ground.O", "c.A"],
                  "vectors": ["ground.u", "c.u"], "cut": %s}],
      "sensors": [{"name": "x", "value": "c.B.x"}, {"name": "y", "value": "c.B.y"}, {"name": "turn", "value": "c.phi"}],
      "analysis": {"type": "dynamics", "t_end": 0.1, "dt": 0.1, "formulation": "%s"}}),
                                                                            cut, formulation);
    mbs_result *result;
    mbs_error error;
    const mbs_status status = models_try_run(document, NULL, &result, &error);
    if (i == 2) { /* a cut in joint coordinates */
      assert_int_equal(status, MBS_NOT_ASSEMBLED);
      assert_string_equal(error.element, "s");
    } else {
      assert_int_equal(status, MBS_OK);
      for (int k = 0; k < 3; k++) places[i == 0 ? 0 : 1][k] = *models_row(result, names[k], 0);
    }
    if (i == 1 || i == 3)
      for (int k = 0; k < 3; k++) assert_true(fabs(places[0][k] - places[1][k]) < 1e-9);
    if (result) mbs_result_free(result);
    free(document);
  }
  assert_true(fabs(places[0][0] - 1.7) < 1e-9 && fabs(places[0][1] - 1) < 1e-9);
}

/* The unit in the last place of 1e6 is larger than 1e-10. */
static void test_far_and_small_units(void **unused) {
  (void)unused;
  static const char *const analyses[] = {
      JSON({"formulation": "joint"}), JSON({"constraints": "partitioning"}), JSON({"type": "kinematics"}),
      JSON({"type": "kinematics", "formulation": "body"}), JSON({"type": "assembly", "formulation": "body"})};
  for (size_t k = 0; k < sizeof analyses / sizeof *analyses; k++) {
    bool driven = k == 2 || k == 3;
    double here = four_bar_at(0, 1, driven, analyses[k]);
    double tolerance = driven ? 1e-7 : 1e-4; /* angles of a moving mechanism contain the integrator's errors */
    assert_true(fabs(four_bar_at(1e6, 1, driven, analyses[k]) - here) < tolerance);
    if (k == 3) continue; /* one velocity is 1e6 times as large as others: ranks are lost in rounding */
    assert_true(fabs(four_bar_at(0, 1e6, driven, analyses[k]) - here) < tolerance);
    assert_true(fabs(four_bar_at(1e9, 1e6, driven, analyses[k]) - here) < tolerance);
  }
}

/* ---- data with few decimals ---------------------------------------------------------------------------------- */

/* Runs a four-bar in space, a loop with three redundant rows, whose last hinge is tilted. */
static model_run tilted_four_bar(double tilt, const char *formulation) {
  MODEL(document,
      {"space": "spatial", "gravity": [0, -9.81, 0],
       "ground": {"points": {"O": [0, 0, 0], "Q": [0.9, 0, 0]},
                  "vectors": {"z": [0, 0, 1], "tilted": [%.17g, 0, 1]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": [0.001, 0.0075, 0.0075],
          "points": {"A": [-0.15, 0, 0], "B": [0.15, 0, 0]}, "vectors": {"z": [0, 0, 1]},
          "initial": {"position": [0.08104534588022096, 0.12622064772118446, 0],
                      "orientation": {"axis": [0, 0, 1], "angle": 1.0}, "angular_velocity": [0, 0, 1]}},
         {"name": "b", "mass": 1, "inertia": [0.001, 0.05, 0.05],
          "points": {"A": [-0.4, 0, 0], "B": [0.4, 0, 0]}, "vectors": {"z": [0, 0, 1]},
          "initial": {"position": [0.49489273604503375, 0.47434848171626265, 0],
                      "orientation": {"axis": [0, 0, 1], "angle": 0.5880840545127963}}},
         {"name": "c", "mass": 1, "inertia": [0.001, 0.04, 0.04],
          "points": {"A": [-0.35, 0, 0], "B": [0.35, 0, 0]}, "vectors": {"z": [0, 0, 1]},
          "initial": {"position": [0.8638473901648128, 0.3481278339950782, 0],
                      "orientation": {"axis": [0, 0, 1], "angle": -1.467318587572852}}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "a.A"], "vectors": ["ground.z", "a.z"]},
         {"name": "A", "type": "revolute", "points": ["a.B", "b.A"], "vectors": ["a.z", "b.z"]},
         {"name": "B", "type": "revolute", "points": ["b.B", "c.A"], "vectors": ["b.z", "c.z"]},
         {"name": "Q", "type": "revolute", "points": ["c.B", "ground.Q"],
          "vectors": ["c.z", "ground.tilted"]}],
       "sensors": [{"name": "angle", "value": "O.q"}],
       "analysis": {"t_end": 1, "dt": 0.5, "formulation": "%s"}});
  return model_run_text(document, tilt, formulation);
}

/* A tilt within the rounding of data removes no degree of freedom; from 1e-10 on there is a note. A larger tilt is an
 * error that names the hinge. */
static void test_tilted_hinge(void **unused) {
  (void)unused;
  static const double tilts[] = {0, 1e-13, 1e-12, 1e-11, 3e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6};
  for (int f = 0; f < 2; f++) {
    double flat = NAN;
    for (size_t k = 0; k < sizeof tilts / sizeof *tilts; k++) {
      model_run run = tilted_four_bar(tilts[k], formulations[f]);
      if (run.status != MBS_OK) fail_msg("%s, tilt %g: %s", formulations[f], tilts[k], run.error.message);
      assert_int_equal(run.result->report.degrees_of_freedom, 1);
      assert_int_equal(run.result->report.redundant_count, 3);
      assert_true(run.result->report.position_residual < 1e-6);
      assert_true((models_note(run.result, "more digits") != NULL) == (run.result->report.position_residual >= 1e-10) ||
                  run.result->report.position_residual > 5e-11);
      double angle = model_run_value(&run, "angle", -1, 0);
      if (k == 0) flat = angle;
      assert_true(fabs(angle - flat) < 1e-5);
      model_run_free(&run);
    }
    model_run run = tilted_four_bar(3e-5, formulations[f]);
    assert_true(run.status == MBS_CONTRADICTION || run.status == MBS_NOT_ASSEMBLED);
    assert_non_null(strstr(run.error.message, "with more digits"));
    model_run_free(&run);
  }
}

/* Two rods between the same points that differ by less than the trusted accuracy of data, and by more. */
static void test_rods_of_all_but_one_length(void **unused) {
  (void)unused;
  static const struct {
    double difference;
    mbs_status status;
  } cases[] = {{1e-12, MBS_OK}, {1e-8, MBS_OK}, {1e-5, MBS_CONTRADICTION}, {1e-2, MBS_CONTRADICTION}};
  for (int k = 0; k < 8; k++) {
    MODEL(rods_of_all_but_one_length,
        {"space": "planar",
         "ground": {"points": {"O": [0, 0], "B": [2, 0]}},
         "bodies": [
           {"name": "crank", "mass": 1, "inertia": 1, "points": {"O": [-0.5, 0], "P": [0.5, 0]},
            "initial": {"position": [0.5, 0], "angle": 0.7}}],
         "joints": [
           {"name": "pin", "type": "revolute", "points": ["ground.O", "crank.O"]},
           {"name": "one", "type": "rod",      "points": ["ground.B", "crank.P"], "length": 1.5},
           {"name": "two", "type": "rod",      "points": ["crank.P", "ground.B"], "length": %.17g}],
         "analysis": {"type": "assembly", "formulation": "%s"}});
    model_run run = model_run_text(rods_of_all_but_one_length, 1.5 + cases[k / 2].difference, formulations[k % 2]);
    assert_int_equal(run.status, cases[k / 2].status);
    if (run.status == MBS_OK) assert_int_equal(run.result->report.redundant_count, 1);
    assert_true((models_note(run.result, "more digits") != NULL) == (k / 2 == 1));
    model_run_free(&run);
  }
}

/* ---- failed starts --------------------------------------------------------------------------------------------- */

/* The report of a failed start names the joint of the message with its residual, and contains no statement about
 * uncomputed quantities. Links of 0.4 m and 0.25 m between supports 3 m apart leave a gap of 2.35 m, which body
 * coordinates distribute over the joints. */
static void test_start_not_found(void **unused) {
  (void)unused;
  MODEL(apart,
      {"space": "planar",
       "ground": {"points": {"A": [0, 0], "D": [3, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.01, "points": {"A": [-0.2, 0],   "C": [0.2, 0]},
          "initial": {"position": [0.2, 0]}},
         {"name": "b", "mass": 1, "inertia": 0.01, "points": {"D": [-0.125, 0], "C": [0.125, 0]},
          "initial": {"position": [2.875, 0], "angle": "pi"}}],
       "joints": [
         {"name": "A", "type": "revolute", "points": ["ground.A", "a.A"]},
         {"name": "D", "type": "revolute", "points": ["ground.D", "b.D"], "initial": {"position": "pi"}},
         {"name": "C", "type": "revolute", "points": ["a.C", "b.C"]}],
       "analysis": {"type": "%s", "formulation": "%s", "t_end": 1, "dt": 0.5}});
  static const char *const analyses[] = {"kinematics", "dynamics", "assembly", "equilibrium", "linearization"};
  for (int k = 0; k < 10; k++) {
    char told[40];
    model_run run = model_run_text(apart, analyses[k / 2], k % 2 ? "body" : "joint");
    const mbs_report *report = &run.result->report;
    assert_true(run.status == MBS_NOT_ASSEMBLED || run.status == MBS_CONTRADICTION);
    assert_false(report->corrected);
    assert_false(report->ranked);
    assert_int_equal(report->recorded, 0);
    assert_string_equal(report->failed_element, run.error.element);
    assert_string_equal(report->constraints[report->failed_row].element, run.error.element);
    snprintf(told, sizeof told, ": %.3g", report->position_residual);
    assert_non_null(strstr(run.error.message, told));
    assert_true(k % 2 ? report->position_residual > 0.5 : fabs(report->position_residual - 2.35) < 1e-6);
    assert_true(isnan(report->velocity_residual) && isnan(report->energy_start));
    for (size_t i = 0; i < report->velocities; i++) assert_true(isnan(report->v_after[i]));
    model_run_free(&run);
  }
}

/* A position without velocities: two drivers prescribe different speeds of one joint. The report contains the position
 * found with its residual, and the residual of the velocities. */
static void test_velocities_not_found(void **unused) {
  (void)unused;
  MODEL(two_speeds,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}}],
       "joints": [{"name": "j", "type": "revolute", "points": ["ground.O", "b.O"]}],
       "drivers": [
         {"name": "d1", "type": "joint", "joint": "j", "function": "t"},
         {"name": "d2", "type": "joint", "joint": "j", "function": "3 * t"}],
       "analysis": {"type": "assembly", "formulation": "%s"}});
  for (int k = 0; k < 2; k++) {
    model_run run = model_run_text(two_speeds, k ? "body" : "joint");
    const mbs_report *report = &run.result->report;
    assert_int_equal(run.status, MBS_CONTRADICTION);
    assert_false(report->corrected);
    /* the row with the largest residual, and both drivers in the message */
    assert_string_equal(report->failed_element, report->constraints[report->failed_row].element);
    assert_non_null(strstr(run.error.message, "'d1', 'd2'"));
    assert_true(report->constraints[report->failed_row].driver);
    assert_true(report->position_residual < 1e-9);
    assert_true(fabs(report->velocity_residual - 1) < 1e-9); /* both drivers differ from the mean of 1 and 3 */
    model_run_free(&run);
  }
}

/* ---- uncorrected starts, and drivers that cannot start --------------------------------------------------------- */

/* The report gives the residual of the start, and states if it remains. */
static void test_start_not_corrected(void **unused) {
  (void)unused;
  static const struct {
    const char *constraints;
    bool moves;
  } methods[] = {{"projection", true}, {"partitioning", true}, {"baumgarte", false}, {"none", false}};
  char *document = models_named("SC");
  for (int k = 0; k < 4; k++) {
    char analysis[120];
    snprintf(analysis, sizeof analysis, JSON({"t_end": 0.01, "dt": 0.01, "correct": false, "constraints": "%s"}),
             methods[k].constraints);
    mbs_result *result = models_run(document, analysis);
    double crank = 65 * 3.14159265358979323846 / 180, rod = crank - 0.6;
    double along = 0.12 * cos(crank) + 0.26 * cos(rod) - 0.4, across = 0.12 * sin(crank) + 0.26 * sin(rod);
    assert_true(fabs(result->report.position_residual - fmax(fabs(along), fabs(across))) < 1e-12);
    assert_false(result->report.corrected);
    assert_true((models_note(result, "'correct' is false") != NULL) == methods[k].moves);
    mbs_result_free(result);
  }
  mbs_result *good = models_run(document, JSON({"t_end": 0.01, "dt": 0.01}));
  assert_null(models_note(good, "'correct' is false"));
  mbs_result_free(good);
  free(document);
}

/* Distant points and distant guesses do not count in the size of a mechanism: it is assembled to rounding. */
static void test_far_marks_and_guesses(void **unused) {
  (void)unused;
  MODEL(origin, "O": [0, 0]);
  MODEL(origin_and_earth, "earth": [0, -6.371e6], "O": [0, 0]);
  MODEL(guess, "position": 0.4);
  MODEL(far_guess, "position": 1e6);
  static const char *const more[][2] = {{origin, origin_and_earth}, {guess, far_guess}};
  for (int k = 0; k < 4; k++) {
    char *document = models_named("SC"), text[6000];
    char *at = strstr(document, more[k / 2][0]);
    if (at) {
      snprintf(text, sizeof text, "%.*s%s%s", (int)(at - document), document, more[k / 2][1],
               at + strlen(more[k / 2][0]));
      mbs_result *result =
          models_run(text, k % 2 ? JSON({"type": "assembly", "formulation": "body"}) : JSON({"type": "assembly"}));
      assert_true(result->report.position_residual < 1e-8);
      assert_int_equal(result->report.redundant_count, 0);
      assert_null(models_note(result, "more digits"));
      mbs_result_free(result);
    } else {
      fail_msg("models/SC.json has no '%s'", more[k / 2][0]);
    }
    free(document);
  }
}

/* An uncorrected start whose rates violate the constraints: the first row satisfies them, and so does the motion, with
 * every method. Reference: the angle integrated from the projected rate. */
static void test_rates_not_corrected(void **unused) {
  static const struct {
    const char *method;
    double tolerance;
  } methods[] = {{JSON({"method": "dopri5", "rtol": 1e-10}), 1e-8},
                 {JSON({"method": "dop853", "rtol": 1e-10}), 1e-8},
                 {JSON({"method": "dop853", "rtol": 1e-5}), 1e-4},
                 {JSON({"method": "rk4", "fixed_step": 0.002}), 1e-8},
                 {JSON({"method": "bdf", "rtol": 1e-9}), 1e-6}};
  MODEL(pendulum, {
    "space": "planar",
    "gravity": [0, -9.81],
    "ground": {"points": {"O": [0, 0]}},
    "bodies": [{
      "name": "b",
      "mass": 1,
      "inertia": 0.01,
      "points": {"A": [-0.5, 0]},
      "initial": {"position": [0.5, 0], "velocity": [0, 0], "angular_velocity": -3}
    }],
    "joints": [{"name": "j", "type": "revolute", "points": ["ground.O", "b.A"], "cut": true}]
  });
  (void)unused;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    mbs_error error = {0};
    mbs_result *result = NULL;
    char *analysis = models_text(
        PART({"type": "dynamics", "t_end": 0.2, "dt": 0.1, "correct": false, "integrator": %s}), methods[i].method);
    if (models_try_run(pendulum, analysis, &result, &error) != MBS_OK) fail_msg("%s", error.message);
    const mbs_array *uT = mbs_result_array(result, "uT");
    /* (I + m L^2) omega = I omega_0: the smallest change in the norm of the masses */
    assert_true(fabs(uT->data[5] + 3 * 0.01 / 0.26) < 1e-12);
    if (!(fabs(uT->data[2 * 6 + 5] + 3.82701952446) <= methods[i].tolerance))
      fail_msg("%s: %.12g", methods[i].method, uT->data[2 * 6 + 5]);
    mbs_result_free(result);
    free(analysis);
  }
}

/* Welded bodies keep their declared relative orientation, for every orientation of the first. */
static void test_welded(void **unused) {
  static const char *const models[] = {
      JSON({
        "space": "planar",
        "ground": {"points": {"O": [0, 0]}},
        "bodies": [
          {"name": "arm", "mass": 1, "inertia": 0.1, "points": {"O": [-0.5, 0], "P": [0.5, 0]}},
          {"name": "plate", "mass": 1, "inertia": 0.1, "points": {"P": [-0.2, 0]}, "initial": {"angle": 0.1}}
        ],
        "joints": [
          {"name": "pin", "type": "revolute", "points": ["ground.O", "arm.O"], "initial": {"position": 0.5}},
          {"name": "weld", "type": "rigid", "points": ["arm.P", "plate.P"]}
        ]
      }),
      JSON({
        "space": "spatial",
        "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"y": [0, 1, 0]}},
        "bodies": [
          {
            "name": "arm",
            "mass": 1,
            "inertia": [0.1, 0.1, 0.1],
            "points": {"O": [-0.5, 0, 0], "P": [0.5, 0, 0]},
            "vectors": {"y": [0, 1, 0]}
          },
          {
            "name": "plate",
            "mass": 1,
            "inertia": [0.1, 0.1, 0.1],
            "points": {"P": [-0.2, 0, 0]},
            "initial": {"orientation": {"axis": [0, 1, 0], "angle": 0.1}}
          }
        ],
        "joints": [
          {
            "name": "pin",
            "type": "revolute",
            "points": ["ground.O", "arm.O"],
            "vectors": ["ground.y", "arm.y"],
            "initial": {"position": 0.5}
          },
          {"name": "weld", "type": "fixed", "points": ["arm.P", "plate.P"]}
        ]
      })};
  (void)unused;
  for (int m = 0; m < 2; m++)
    for (int f = 0; f < 2; f++) {
      mbs_error error = {0};
      mbs_result *result = NULL;
      char *analysis = models_text(PART({"type": "assembly", "formulation": "%s"}), formulations[f]);
      if (models_try_run(models[m], analysis, &result, &error) != MBS_OK) fail_msg("%s", error.message);
      const mbs_array *p = mbs_result_array(result, "p");
      double angle = m == 0 ? p->data[1] : 2 * atan2(p->data[6], p->data[4]);
      assert_true(fabs(angle - 0.6) < 1e-12);
      mbs_result_free(result);
      free(analysis);
    }
}

/* The position is consistent, but no rate is: the fault is the driver's, not that of the constraints. */
static void test_drivers_without_a_rate(void **unused) {
  (void)unused;
  static const char *const functions[] = {"sqrt(t)", "asin(1 - t)"}, *const types[] = {"kinematics", "dynamics"};
  for (int k = 0; k < 8; k++) {
    MODEL(drivers_without_a_rate,
        {"space": "planar",
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [{"name": "crank", "mass": 1, "inertia": 1, "points": {"O": [-1, 0]}}],
         "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "crank.O"]}],
         "drivers": [{"name": "motor", "type": "joint", "joint": "pin", "function": "%s"}],
         "analysis": {"type": "%s", "t_end": 1, "dt": 0.1, "correct": %s}});
    model_run run =
        model_run_text(drivers_without_a_rate, functions[k % 2], types[k / 2 % 2], k / 4 ? "false" : "true");
    assert_int_equal(run.status, MBS_OUT_OF_RANGE);
    assert_string_equal(run.error.element, "motor");
    assert_non_null(strstr(run.error.message, "no finite"));
    model_run_free(&run);
  }
}

/* A quarter car: wheel and body on their springs, above their equilibrium and moving; placeholders for the analysis. */
MODEL(quarter_car, {
  "space": "planar",
  "gravity": [0, -9.81],
  "ground": {"points": {"O": [0, 0]}, "vectors": {"y": [0, 1]}},
  "bodies": [
    {"name": "wheel", "mass": 40, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"y": [0, 1]}},
    {"name": "car", "mass": 300, "inertia": 10, "points": {"C": [0, 0]}, "vectors": {"y": [0, 1]}}
  ],
  "joints": [
    {
      "name": "w",
      "type": "translational",
      "points": ["ground.O", "wheel.C"],
      "vectors": ["ground.y", "wheel.y"],
      "initial": {"position": 0.35, "velocity": 1}
    },
    {
      "name": "s",
      "type": "translational",
      "points": ["wheel.C", "car.C"],
      "vectors": ["wheel.y", "car.y"],
      "initial": {"position": 0.5}
    }
  ],
  "forces": [
    {"name": "tyre", "type": "force", "body": "wheel", "value": [0, "180000*max(0.3 - wheel.y, 0)"]}, {
      "name": "spring",
      "type": "spring-damper",
      "points": ["wheel.C", "car.C"],
      "stiffness": 18000,
      "free_length": 0.6,
      "damping": 1200
    }
  ],
  "analysis": {
    "type": "dynamics",
    "t_end": 2,
    "dt": 0.1,
    "start": "equilibrium",
    "formulation": "%s",
    "constraints": "%s"
  }
});

/* The car remains at rest with all coordinates and methods. */
static void test_at_rest(void **unused) {
  static const char *const methods[] = {"projection", "partitioning", "baumgarte", "none"};
  const double rest[] = {0.3 - 340 * 9.81 / 180000, 0.9 - 340 * 9.81 / 180000 - 300 * 9.81 / 18000};
  (void)unused;
  for (int k = 0; k < 8; k++) {
    model_run run = model_run_text(quarter_car, formulations[k % 2], methods[k / 2]);
    model_run_require(&run);
    const mbs_report *report = &run.result->report;
    for (long row = 0; row < 21; row++)
      for (size_t b = 0; b < 2; b++) {
        assert_close(model_run_value(&run, "r", row, 2 * b + 1), rest[b], 1e-8);
        assert_close(model_run_value(&run, "rd", row, 2 * b + 1), 0, 1e-6);
      }
    /* the given start, and the actual one */
    assert_true(report->from_equilibrium);
    if (k % 2 == 0) {
      assert_close(report->q_before[0], 0.35, 0);
      assert_close(report->v_before[0], 1, 0);
      assert_close(report->q_after[0], rest[0], 1e-12);
      assert_close(report->v_after[0], 0, 0);
    }
    assert_non_null(models_note(run.result, "= 1 is ignored"));
    assert_null(models_note(run.result, "unstable"));
    model_run_free(&run);
  }
}

/* A pendulum on a cart that a driver moves: it hangs, or is inverted, and the cart has the rate of its driver. */
static void test_driven_from_rest(void **unused) {
  MODEL(format, {
    "space": "planar",
    "gravity": [0, -9.81],
    "ground": {"points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}},
    "bodies": [
      {"name": "cart", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"x": [1, 0]}},
      {"name": "bob", "mass": 2, "inertia": 0.1, "points": {"A": [0, %d]}}
    ],
    "joints": [
      {"name": "rail", "type": "translational", "points": ["ground.O", "cart.C"], "vectors": ["ground.x", "cart.x"]}, {
        "name": "pin",
        "type": "revolute",
        "points": ["cart.C", "bob.A"],
        "initial": {"position": %d, "velocity": 2}
      }
    ],
    "drivers": [{"name": "go", "type": "joint", "joint": "rail", "function": "0.5*(t - 1) + 0.1*sin(3*(t - 1))"}],
    "analysis": {"type": "dynamics", "t_start": 1, "t_end": 1, "dt": 1, "start": "equilibrium", "formulation": "%s"}
  });
  (void)unused;
  for (int k = 0; k < 4; k++) {
    model_run run =
        k < 2 ? model_run_text(format, 1, 1, formulations[k]) : model_run_text(format, -1, 0, formulations[k % 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 0), 0, 1e-12);
    assert_close(model_run_value(&run, "rd", 0, 0), 0.8, 1e-12);
    assert_close(model_run_value(&run, "p", 0, 1), 0, 1e-9);
    assert_non_null(models_note(run.result, "is computed with 'go' held at its position at t = 1"));
    assert_int_equal(models_note(run.result, "unstable") != NULL, k >= 2);
    model_run_free(&run);
  }
}

/* A spring-held four-bar with loops, and a chain of ball joints in space: the start is the equilibrium that the
 * equilibrium analysis finds. */
static void test_where_equilibrium_is(void **unused) {
  char *documents[] = {models_named("FourBar_equilibrium"), models_spatial_chain(3, true)};
  (void)unused;
  for (int k = 0; k < 4; k++) {
    char *still = models_text("{\"type\": \"equilibrium\", \"formulation\": \"%s\"}", formulations[k % 2]),
         *moving = models_text(
             PART({
                                 "type": "dynamics",
                                 "t_end": 0.5,
                                 "dt": 0.1,
                                 "start": "equilibrium",
                                 "formulation": "%s"
                               }),
                  formulations[k % 2]);
    mbs_result *rest = models_run(documents[k / 2], still), *motion = models_run(documents[k / 2], moving);
    for (size_t i = 0; i < models_columns(rest, "r"); i++)
      for (size_t row = 0; row < models_rows(motion); row++)
        assert_close(models_row(motion, "r", row)[i], models_row(rest, "r", 0)[i], 1e-7);
    mbs_result_free(rest);
    mbs_result_free(motion);
    free(still);
    free(moving);
  }
  free(documents[0]);
  free(documents[1]);
}

/* A falling body has no equilibrium, and other analyses cannot start from one. */
static void test_no_rest(void **unused) {
  static const char *const others[] = {"kinematics", "inverse-dynamics", "assembly", "equilibrium", "linearization"};
  MODEL(format, {
    "space": "planar",
    "gravity": [0, -9.81],
    "bodies": [{"name": "ball", "mass": 1, "inertia": 1}],
    "analysis": {"type": "%s", "t_end": 1, "dt": 1, "start": "%s"}
  });
  (void)unused;
  model_run run = model_run_text(format, "dynamics", "equilibrium");
  assert_int_equal(run.status, MBS_NO_EQUILIBRIUM);
  model_run_free(&run);
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    run = model_run_text(format, others[k], k % 2 ? "given" : "equilibrium");
    assert_null(run.model);
    assert_non_null(strstr(run.error.message, "'start' applies to dynamics only"));
    assert_int_equal(strstr(run.error.message, "'about'") != NULL, k == 4);
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight_chains),
      cmocka_unit_test(test_straight_chain_held),
      cmocka_unit_test(test_chain_too_short),
      cmocka_unit_test(test_driver_across_its_crank),
      cmocka_unit_test(test_four_bar_without_initial),
      cmocka_unit_test(test_body_upside_down),
      cmocka_unit_test(test_inclined_shaft),
      cmocka_unit_test(test_slide_opposite),
      cmocka_unit_test(test_vectors_opposite),
      cmocka_unit_test(test_far_and_small_units),
      cmocka_unit_test(test_tilted_hinge),
      cmocka_unit_test(test_rods_of_all_but_one_length),
      cmocka_unit_test(test_start_not_found),
      cmocka_unit_test(test_velocities_not_found),
      cmocka_unit_test(test_start_not_corrected),
      cmocka_unit_test(test_rates_not_corrected),
      cmocka_unit_test(test_welded),
      cmocka_unit_test(test_drivers_without_a_rate),
      cmocka_unit_test(test_at_rest),
      cmocka_unit_test(test_driven_from_rest),
      cmocka_unit_test(test_where_equilibrium_is),
      cmocka_unit_test(test_no_rest),
      cmocka_unit_test(test_far_marks_and_guesses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
