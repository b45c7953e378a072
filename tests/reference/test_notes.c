/* test_notes.c - notes of a result: no gravity was given, an equilibrium stops a motion, the state of a linearization
 * is not an equilibrium, elements have no or less effect than expected. Also cases where no note may appear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "model_run.h"
#include "models.h"

static const char *const formulations[] = {"joint", "body"};
static const char no_gravity[] = "has no 'gravity'", held[] = "is held at its position at that time",
                  left_out[] = "the equilibrium includes neither this motion", moves[] = "is not at rest",
                  unbalanced[] = "are not balanced";

static void expect_note(const model_run *run, const char *words, bool wanted, const char *what) {
  if (run->status != MBS_OK) fail_msg("%s: %s", what, run->error.message);
  if ((models_note(run->result, words) != NULL) != wanted)
    fail_msg("%s: there is %s note that says '%s'", what, wanted ? "no" : "a", words);
}

/* ---- gravity ------------------------------------------------------------------------------------------------- */

static void expect_gravity_note(const char *field, double mass, const char *analysis, bool wanted) {
  MODEL(document,
      {"space": "planar", %s "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": %g, "inertia": %g, "points": {"A": [0, 0.5]}}],
       "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "b.A"]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "p", "function": "0*t"}],
       "analysis": {"type": "%s", "t_end": 0.1, "dt": 0.1}});
  model_run run = model_run_text(document, field, mass, mass, analysis);
  expect_note(&run, no_gravity, wanted, analysis);
  model_run_free(&run);
}

static void test_gravity_left_out(void **unused) {
  (void)unused;
  static const char *const with_forces[] = {"dynamics", "inverse-dynamics", "assembly", "equilibrium", "linearization"};
  for (size_t i = 0; i < sizeof with_forces / sizeof *with_forces; i++) {
    expect_gravity_note("", 1, with_forces[i], true);
    expect_gravity_note(PART("gravity": [0, 0],), 1, with_forces[i], false);
    expect_gravity_note(PART("gravity": [0, -9.81],), 1, with_forces[i], false);
    expect_gravity_note("", 0, with_forces[i], false); /* no body has a weight */
  }
  expect_gravity_note("", 1, "kinematics", false);
}

/* The shipped models state their gravity. */
static void test_gravity_of_the_models(void **unused) {
  (void)unused;
  glob_t found;
  assert_int_equal(glob("models/*.json", 0, NULL, &found), 0);
  assert_true(found.gl_pathc > 50);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    char *document = models_file(found.gl_pathv[i]);
    mbs_result *result = models_run(document, JSON({"type": "assembly"}));
    if (models_note(result, no_gravity)) fail_msg("%s: %s", found.gl_pathv[i], models_note(result, no_gravity));
    mbs_result_free(result);
    free(document);
  }
  globfree(&found);
}

/* ---- drivers at an equilibrium --------------------------------------------------------------------------------- */

/* Runs a bead of 2 kg on an arm that a motor rotates, with a spring of 50 N/m to the axle. */
static model_run run_bead(const char *function, double t_start, const char *formulation, const char *analysis) {
  MODEL(document,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "arm",  "mass": 1, "inertia": 1,   "points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         {"name": "bead", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "axle", "type": "revolute", "points": ["ground.O", "arm.O"]},
         {"name": "slot", "type": "translational", "points": ["arm.O", "bead.C"],
          "vectors": ["arm.u", "bead.u"], "initial": {"position": 0.5}}],
       "forces": [
         {"name": "s", "type": "spring-damper", "points": ["arm.O", "bead.C"], "stiffness": 50,
          "free_length": 0.32}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "axle", "function": %s}],
       "analysis": %s});
  char *start = models_text(PART({"t_start": %g, "formulation": "%s"}), t_start, formulation);
  char *whole = models_merged(analysis, start);
  model_run run = model_run_text(document, function, whole);
  free(start);
  free(whole);
  return run;
}

static void test_moving_driver_at_equilibrium(void **unused) {
  (void)unused;
  static const struct {
    const char *function;
    double t_start;
    bool noted;
  } cases[] = {{JSON("3*t"), 0, true},
               {JSON("3*t"), 7, true},
               {JSON("0.4"), 0, false},
               {JSON("1 - cos(2*t)"), 0, true}, /* standstill at that time, but with an acceleration */
               {JSON({"step": {"t0": 1, "t1": 2, "f0": 0, "f1": 3}}), 0, false},
               {JSON({"step": {"t0": 1, "t1": 2, "f0": 0, "f1": 3}}), 1.5, true}};
  static const char *const analyses[] = {JSON({"type": "equilibrium"}), JSON({"type": "linearization"})};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < 4; k++) {
      model_run run = run_bead(cases[i].function, cases[i].t_start, formulations[k / 2], analyses[k % 2]);
      expect_note(&run, held, cases[i].noted, cases[i].function);
      expect_note(&run, left_out, cases[i].noted, cases[i].function);
      if (cases[i].noted) assert_non_null(strstr(models_note(run.result, held), "'motor'"));
      assert_close(hypot(model_run_value(&run, "r", 0, 2), model_run_value(&run, "r", 0, 3)), 0.32, 1e-9);
      model_run_free(&run);
    }
}

/* A user's constraint that moves gives the same note, with the number of further ones. */
static void test_moving_constraint_at_equilibrium(void **unused) {
  (void)unused;
  MODEL(moving_constraint_at_equilibrium,
      {"space": "planar", "gravity": [0, -9.81],
       "bodies": [{"name": "b", "mass": 1, "inertia": 1}],
       "joints": [
         {"name": "belt",  "type": "expression", "value": "b.x - 2*t"},
         {"name": "shelf", "type": "expression", "value": "b.y"}],
       "drivers": [{"name": "spindle", "type": "angle", "body": "b", "function": "5*t"}],
       "analysis": {"type": "equilibrium"}});
  model_run run = model_run_text(moving_constraint_at_equilibrium);
  expect_note(&run, "'belt' (and 1 more) moves", true, "expression");
  model_run_free(&run);
}

/* A document with an initial spin: the flyball governor is at standstill in its equilibrium, with its balls hanging
 * down. */
static void test_spin_at_equilibrium(void **unused) {
  (void)unused;
  static const char *const analyses[] = {"equilibrium", "linearization"};
  for (size_t i = 0; i < 4; i++) {
    char how[96], *document = models_named("Governor");
    snprintf(how, sizeof how, JSON({"type": "%s", "formulation": "%s"}), analyses[i / 2], formulations[i % 2]);
    mbs_result *result = models_run(document, how);
    assert_non_null(models_note(result, left_out));
    assert_non_null(strstr(models_note(result, left_out), "but in an equilibrium it is 0"));
    mbs_result_free(result);
    free(document);
  }
}

/* ---- the state of a linearization ------------------------------------------------------------------------------ */

/* Checks a rod of length l at an angle from the downward vertical that rotates at a share of its natural rate. */
static void expect_unrest(double l, double angle, double rate, const char *formulation, bool moving, bool falling) {
  char what[128];
  const double g = 9.81;
  snprintf(what, sizeof what, "rod of %g m at %g rad and %g, %s", l, angle, rate, formulation);
  MODEL(document,
      {"space": "planar", "gravity": [0, %.17g],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "rod", "mass": 1, "inertia": %.17g, "points": {"O": [0, %.17g]}}],
       "joints": [
         {"name": "pin", "type": "revolute", "points": ["ground.O", "rod.O"],
          "initial": {"position": %.17g, "velocity": %.17g}}],
       "analysis": {"type": "linearization", "about": "state", "formulation": "%s"}});
  model_run run = model_run_text(document, -g, l * l / 12, l / 2, angle, rate * sqrt(g / l), formulation);
  model_run_require(&run);
  expect_note(&run, moves, moving, what);
  expect_note(&run, unbalanced, falling, what);
  model_run_free(&run);
}

static void test_state_away_from_rest(void **unused) {
  (void)unused;
  static const double lengths[] = {1e-9, 1e-3, 1, 1e9}, pi = 3.14159265358979323846;
  for (size_t i = 0; i < 8; i++) {
    double l = lengths[i / 2];
    const char *formulation = formulations[i % 2];
    expect_unrest(l, 0, 0, formulation, false, false);
    expect_unrest(l, pi, 0, formulation, false, false);
    expect_unrest(l, 1e-4, 0, formulation, false, true);
    expect_unrest(l, pi / 2, 0, formulation, false, true);
    expect_unrest(l, 0, 1e-3, formulation, true, false);
    expect_unrest(l, pi / 3, 2, formulation, true, false);
  }
}

/* A motor that begins to rotate, so that the coefficients change. With one that rotates steadily, and at standstill,
 * the bead has constant coefficients wherever it is. */
static void test_state_with_a_driver(void **unused) {
  (void)unused;
  static const char about[] = JSON({"type": "linearization", "about": "state"});
  static const char *const functions[] = {JSON("3*t"), JSON("1 - cos(2*t)"), JSON("0.4")};
  for (size_t i = 0; i < 6; i++) {
    model_run run = run_bead(functions[i / 2], 0, formulations[i % 2], about);
    expect_note(&run, "not_steady: the state is not at rest ('motor' moves)", i / 2 == 1, functions[i / 2]);
    expect_note(&run, unbalanced, false, functions[i / 2]);
    model_run_free(&run);
  }
}

/* An equilibrium that was found is a state of rest; so is a state without loads, and one where nothing can move. */
static void test_states_at_rest(void **unused) {
  (void)unused;
  static const char *const names[] = {"SP", "SC", "AA", "TP", "MP_A", "PendulumSpring_ball", "FourBar_equilibrium"};
  static const char about[] = JSON({"type": "linearization", "about": "state", "formulation": "%s"});
  for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
    char how[96], *document = models_named(names[i / 2]);
    snprintf(how, sizeof how, about, formulations[i % 2]);
    mbs_result *start, *found = models_run(document, JSON({"type": "equilibrium"}));
    mbs_error error = {0};
    const mbs_status status = models_try_run(document, how, &start, &error);
    char *at_rest = models_with_state(document, found, 0);
    mbs_result *rest = models_run(at_rest, how);
    if (status == MBS_OK && !models_note(start, unbalanced) && !models_note(start, moves))
      fail_msg("%s: the start counts as rest", names[i / 2]);
    if (status != MBS_OK && (status != MBS_INVALID || i % 2 == 0)) fail_msg("%s: %s", names[i / 2], error.message);
    if (models_note(rest, unbalanced)) fail_msg("%s: %s", names[i / 2], models_note(rest, unbalanced));
    if (models_note(rest, moves)) fail_msg("%s: %s", names[i / 2], models_note(rest, moves));
    mbs_result_free(start);
    mbs_result_free(found);
    mbs_result_free(rest);
    free(at_rest);
    free(document);
  }
}

/* A parallelogram that a driver holds stretched out can still move slightly: its stability is not verified. */
static void test_stretched_parallelogram(void **unused) {
  (void)unused;
  MODEL(stretched,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0], "D": [2, 0]}},
       "bodies": [
         {"name": "c", "mass": 1, "inertia": 0.1, "points": {"O": [-0.5, 0], "A": [0.5, 0]},
          "initial": {"position": [0.5, 0]}},
         {"name": "k", "mass": 1, "inertia": 0.1, "points": {"A": [-1, 0], "B": [1, 0]},
          "initial": {"position": [2, 0]}},
         {"name": "r", "mass": 1, "inertia": 0.1, "points": {"D": [-0.5, 0], "B": [0.5, 0]},
          "initial": {"position": [2.5, 0]}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "c.O"]},
         {"name": "A", "type": "revolute", "points": ["c.A", "k.A"]},
         {"name": "B", "type": "revolute", "points": ["k.B", "r.B"]},
         {"name": "D", "type": "revolute", "points": ["ground.D", "r.D"]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "%s"}],
       "analysis": {"type": "%s", "formulation": "%s"}});
  for (size_t i = 0; i < 8; i++) {
    const bool bent = i % 2;
    model_run run =
        model_run_text(stretched, bent ? "0.3" : "0", i / 2 % 2 ? "linearization" : "equilibrium", formulations[i / 4]);
    model_run_require(&run);
    expect_note(&run, "lose rank at this state", !bent, formulations[i / 4]);
    assert_int_equal(run.result->report.stable, bent ? 1 : -1);
    model_run_free(&run);
  }
}

/* ---- redundant constraints -------------------------------------------------------------------------------------- */

/* A door on two hinges. Kinematics has no reactions, so none can be undetermined. */
static void test_redundant_rows(void **unused) {
  (void)unused;
  static const char *const analyses[] = {"kinematics", "inverse-dynamics", "assembly"};
  for (int k = 0; k < 3; k++) {
    MODEL(redundant_rows,
        {"space": "spatial", "gravity": [0, 0, -9.81],
         "ground": {"points": {"O": [0, 0, 0], "P": [0, 0, 1]}, "vectors": {"z": [0, 0, 1]}},
         "bodies": [
           {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0], "P": [0, 0, 1]},
            "vectors": {"z": [0, 0, 1]}}],
         "joints": [
           {"name": "low", "type": "revolute", "points": ["ground.O", "b.O"],
            "vectors": ["ground.z", "b.z"]},
           {"name": "high", "type": "revolute", "points": ["ground.P", "b.P"],
            "vectors": ["ground.z", "b.z"]}],
         "drivers": [{"name": "motor", "type": "joint", "joint": "low", "function": "t"}],
         "analysis": {"type": "%s", "t_end": 0.1, "dt": 0.1}});
    model_run run = model_run_text(redundant_rows, analyses[k]);
    expect_note(&run, "are redundant: the motion is unique", true, analyses[k]);
    expect_note(&run, "not all reactions are", k > 0, analyses[k]);
    model_run_free(&run);
  }
}

/* ---- sensors without a value --------------------------------------------------------------------------------- */

/* A localized hill passed with a loose tolerance leaves the energies wrong, which a note reports. */
static void test_energies_that_do_not_balance(void **unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    model_run run = model_run_text(
        JSON({
          "space": "planar",
          "gravity": [0, -9.81],
          "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "initial": {"velocity": [1, 0]}}],
          "joints": [{"name": "hill", "type": "expression", "value": "b.y - 0.2*exp(-((b.x-5)/0.05)^2)"}],
          "analysis": {"type": "dynamics", "t_end": 10, "dt": 0.5, "integrator": {"rtol": "%s"}}
        }),
        i ? "1e-6" : "0.1");
    assert_int_equal(run.status, MBS_OK);
    bool said = false;
    for (size_t k = 0; k < run.result->report.note_count; k++)
      said |= strstr(run.result->report.notes[k], "the energy balance has an error of") != NULL;
    assert_int_equal(said, i == 0);
    model_run_free(&run);
  }
}

/* A sensor may overflow or be undefined: the report names it, the number of rows, and the first time. */
static void test_sensors_that_are_not_finite(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 0.5]}}],
       "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "b.A"]}],
       "sensors": [{"name": "fine", "value": "t"}, {"name": "grows", "value": "1e308*t*100"},
                   {"name": "root", "value": "%s"}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}});
  static const char words[] = "has no finite value at 10 of 11 reporting times, first at t = 0.1";
  model_run run = model_run_text(document, "log(0.45 - t)");
  expect_note(&run, words, true, "two sensors");
  expect_note(&run, "'grows' (and 1 more)", true, "the other one");
  const mbs_report *report = &run.result->report;
  assert_int_equal(report->non_finite_count, 2);
  assert_string_equal(report->non_finite[0].sensor, "grows");
  assert_int_equal(report->non_finite[0].count, 10);
  assert_string_equal(report->non_finite[1].sensor, "root");
  assert_int_equal(report->non_finite[1].count, 6);
  assert_close(report->non_finite[1].first_time, 0.5, 1e-12);
  model_run_free(&run);
}

/* ---- elements without effect, and gears ------------------------------------------------------------------------- */

/* A joint that the document cuts has no coordinates of its own. */
static void test_initial_of_a_cut_joint(void **unused) {
  (void)unused;
  MODEL(wheel,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "wheel", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}}],
       "joints": [{"name": "axle", "type": "revolute", "points": ["ground.O", "wheel.O"], "cut": %s,
                   "initial": {"position": 0.4}}],
       "analysis": {"type": "assembly"}});
  for (int cut = 0; cut < 2; cut++) {
    char *document = models_text(wheel, cut ? "true" : "false");
    mbs_result *result = models_run(document, NULL);
    assert_int_equal(models_note(result, "'initial' has no effect") != NULL, cut);
    mbs_result_free(result);
    free(document);
  }
}

static void test_loads_on_the_ground(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0], "P": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 0.5]}}],
       "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "b.A"]}],
       "forces": [{"name": "push", "type": "force", "%s": "%s", "value": [1, "t"]},
                  {"name": "twist", "type": "torque", "body": "%s", "value": 2}],
       "analysis": {"type": "%s", "t_end": 0.1, "dt": 0.1}});
  static const char *const types[] = {"dynamics", "assembly"};
  for (size_t i = 0; i < 2; i++) {
    model_run run = model_run_text(document, "point", "ground.P", "ground", types[i]);
    expect_note(&run, "'push', 'twist' act on the fixed ground only", true, "both");
    model_run_free(&run);
    run = model_run_text(document, "body", "ground", "b", types[i]);
    expect_note(&run, "'push' acts on the fixed ground only", true, "the force");
    model_run_free(&run);
    run = model_run_text(document, "point", "b.A", "b", types[i]);
    expect_note(&run, "the fixed ground only", false, "none");
    model_run_free(&run);
  }
}

static void test_sensors_of_constants(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "parameters": {"k": 3},
       "ground": {"points": {"O": [0, 0], "P": [1, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 0.5], "B": [0, 0]}}],
       "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "b.A"]}],
       "sensors": [{"name": "s", "value": "%s"}],
       "analysis": {"type": "dynamics", "t_end": 0.1, "dt": 0.1}});
  static const struct {
    const char *value;
    bool constant;
  } cases[] = {{"3", true},
               {"k^2 + pi", true},
               {"ground.P.x", true},
               {"ground.P.vx + k", true},
               {"distance(ground.O, ground.P)", true},
               {"distance(b.A, b.B)", true},
               {"t", false},
               {"p.q", false},
               {"b.x + ground.P.x", false},
               {"distance(ground.P, b.B)", false},
               {"p.fx", false},
               {"energy.kinetic", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    model_run run = model_run_text(document, cases[i].value);
    expect_note(&run, "sensor 's' uses only quantities that do not change", cases[i].constant, cases[i].value);
    model_run_free(&run);
  }
}

/* A whole number beyond a revolution is probably in degrees. */
static void test_angles_in_degrees(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 0]}, "initial": {"angle": %s}}],
       "joints": [{"name": "p", "type": "revolute", "points": ["ground.O", "b.A"], "initial": {"position": %s}}],
       "analysis": {"type": "assembly"}});
  static const struct {
    const char *body, *joint, *note;
  } cases[] = {{"0", "30", "'p' is 30 rad, more than a revolution; for degrees write \"30 deg\""},
               {"-22.5", "0", "'b' is -22.5 rad"},
               {"\"400 deg\"", "\"400 deg\"", NULL},
               {"\"4*pi\"", "\"4*pi\"", NULL},
               {"6", "6", NULL},
               {"40.8407", "40.8407", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    model_run run = model_run_text(document, cases[i].body, cases[i].joint);
    expect_note(&run, cases[i].note ? cases[i].note : "more than a revolution", cases[i].note != NULL, cases[i].joint);
    model_run_free(&run);
  }
}

/* A rope that may become slack needs a hint if drivers do not determine the motion. */
static void test_slack_rope(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 2]}},
       "bodies": [{"name": "load", "mass": 10, "inertia": 0.1, "points": {"P": [0, 0]}}],
       "joints": [{"name": "hoist", "type": "rope", "path": [{"point": "load.P"}, {"point": "ground.O"}],
                   "unilateral": %s}],
       "analysis": {"type": "inverse-dynamics", "t_end": 1, "dt": 0.1}});
  for (int k = 0; k < 2; k++) {
    model_run run = model_run_text(document, k ? "true" : "false");
    assert_int_equal(run.status, MBS_NOT_DRIVEN);
    assert_int_equal(models_note(run.result, "'hoist' may become slack and so determines no coordinate") != NULL, k);
    model_run_free(&run);
  }
}

/* Two gears whose ratios differ hold a pair of wheels, unless a driver or a constraint of the time moves it. */
static void test_no_degree_of_freedom(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"A": [0, 0], "B": [0.2, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}},
                  {"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "initial": {"position": [0.2, 0]}}],
       "joints": [%s
                  {"name": "ja", "type": "revolute", "points": ["ground.A", "a.C"]},
                  {"name": "jb", "type": "revolute", "points": ["ground.B", "b.C"]},
                  {"name": "g1", "type": "gear", "bodies": ["a", "b"], "ratio": 3}],
       "forces": [{"name": "m", "type": "torque", "body": "a", "value": 5}],
       "drivers": [%s],
       "analysis": {"type": "%s", "t_end": 0.1, "dt": 0.1, "formulation": "%s"}});
  static const char second[] =
      PART({"name": "g2", "type": "gear", "bodies": ["a", "b"], "ratio": -3},),
            timed[] = PART({"name": "e", "type": "expression", "value": "ja.q - t^2"},),
                           motor[] = PART({"name": "d", "type": "joint", "joint": "ja", "function": "t"});
  static const struct {
    const char *joints, *drivers, *analysis;
    bool wanted;
  } cases[] = {{second, "", "dynamics", true},
               {second, "", "equilibrium", false},
               {"", "", "dynamics", false},
               {"", motor, "dynamics", false},
               {timed, "", "dynamics", false}};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    const size_t k = i / 2;
    model_run run = model_run_text(document, cases[k].joints, cases[k].drivers, cases[k].analysis, formulations[i % 2]);
    expect_note(&run, "no degree of freedom: no body moves", cases[k].wanted, cases[k].joints);
    if (cases[k].wanted) assert_non_null(models_note(run.result, "check the signs of the ratios of gears"));
    model_run_free(&run);
  }
}

/* Runs a sun gear on the ground and a planet hinged to a carrier, which `carrier` connects to the ground. */
static model_run run_planet(const char *carrier, const char *planet, const char *formulation, const char *analysis) {
  MODEL(document,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0], "P": [0.15, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "sun", "mass": 1, "inertia": 0.01, "points": {"O": [0, 0]}},
         {"name": "carrier", "mass": 1, "inertia": 0.02, "points": {"O": [0, 0], "P": [0.15, 0]},
          "vectors": {"u": [1, 0]}},
         {"name": "planet", "mass": 0.5, "inertia": 0.003, "points": {"P": [0, 0]},
          "initial": {"position": [0.15, 0]}}],
       "joints": [
         {"name": "js", "type": "revolute", "points": ["ground.O", "sun.O"]},
         {"name": "jc", %s},
         {"name": "jp", "type": "revolute", "points": ["%s.P", "planet.P"]},
         {"name": "mesh", "type": "gear", "bodies": ["sun", "planet"], "ratio": -1.5}],
       "sensors": [{"name": "w", "value": "planet.omega"}],
       "analysis": {"type": "%s", "t_end": 0.1, "dt": 0.1, "formulation": "%s"}});
  return model_run_text(document, carrier, planet, analysis, formulation);
}

static const char moving_centre[] = "gear 'mesh' relates the absolute angles of two bodies",
                  tooth_forces[] = "gear 'mesh' exerts torques only";

static void test_gears_on_carriers(void **unused) {
  (void)unused;
  static const char turns[] =
      PART("type": "revolute", "points": ["ground.O", "carrier.O"]),
           welded[] = PART("type": "rigid", "points": ["ground.O", "carrier.O"]),
                           slides[] = PART("type": "translational", "points": ["ground.O", "carrier.O"],
                                    "vectors": ["ground.u", "carrier.u"]);
  static const struct {
    const char *carrier, *planet;
    bool moves;
  } cases[] = {
      {turns, "carrier", true}, {welded, "carrier", false}, {slides, "carrier", true}, {turns, "ground", false}};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    model_run run = run_planet(cases[i / 2].carrier, cases[i / 2].planet, formulations[i % 2], "dynamics");
    expect_note(&run, moving_centre, cases[i / 2].moves, cases[i / 2].carrier);
    if (i / 2 == 0) {
      const char *note = models_note(run.result, moving_centre);
      assert_non_null(strstr(note, "the centre of 'planet' can move"));
      assert_non_null(strstr(note, "use a joint of type gear-pair, whose angles are relative to the carrier"));
    }
    model_run_free(&run);
  }
}

/* Both gears on a sliding cart, which does not rotate: their ratio is that of the teeth. On an arm it is not. */
static void test_gears_on_one_body(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "cart", "mass": 1, "inertia": 1, "points": {"O": [0, 0], "P": [0.2, 0]}, "vectors": {"u": [1, 0]}},
         {"name": "a", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}},
         {"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "initial": {"position": [0.2, 0]}}],
       "joints": [
         {"name": "rail", %s},
         {"name": "ja", "type": "revolute", "points": ["cart.O", "a.C"]},
         {"name": "jb", "type": "revolute", "points": ["cart.P", "b.C"]},
         {"name": "mesh", "type": "gear", "points": ["a.C", "b.C"], "ratio": -2}],
       "analysis": {"type": "dynamics", "t_end": 0.1, "dt": 0.1}});
  model_run run = model_run_text(
      document, PART("type": "translational", "points": ["ground.O", "cart.O"],
                                                "vectors": ["ground.u", "cart.u"]));
  expect_note(&run, moving_centre, false, "a cart");
  model_run_free(&run);
  run = model_run_text(document, PART("type": "revolute", "points": ["ground.O", "cart.O"]));
  expect_note(&run, moving_centre, true, "an arm");
  assert_non_null(strstr(models_note(run.result, moving_centre), "the centre of 'a', 'b' can move"));
  model_run_free(&run);
}

static void test_gears_in_space(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"points": {"O": [0, 0, 0], "P": [0.1, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [
         {"name": "arm", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0], "P": [0.1, 0, 0]},
          "vectors": {"z": [0, 0, 1]}},
         {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
         {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]},
          "initial": {"position": [0.1, 0, 0]}}],
       "joints": [
         {"name": "jarm", "type": "revolute", "points": ["ground.O", "arm.O"], "vectors": ["ground.z", "arm.z"]},
         {"name": "ja", "type": "cylindrical", "points": ["ground.O", "a.C"], "vectors": ["ground.z", "a.z"]},
         {"name": "jb", "type": "revolute", "points": ["%s.P", "b.C"], "vectors": ["%s.z", "b.z"]},
         {"name": "mesh", "type": "gear", "bodies": ["a", "b"], "vectors": ["a.z", "b.z"], "ratio": -2}],
       "analysis": {"type": "dynamics", "t_end": 0.1, "dt": 0.1}});
  model_run run = model_run_text(document, "ground", "ground");
  expect_note(&run, moving_centre, false, "on the ground");
  expect_note(&run, "the reactions of 'ja', 'jb' omit the tooth forces", true, "bearings");
  model_run_free(&run);
  run = model_run_text(document, "arm", "arm");
  expect_note(&run, moving_centre, true, "on an arm");
  assert_non_null(strstr(models_note(run.result, moving_centre), "gear-pair, or of another gear with teeth"));
  model_run_free(&run);
}

/* The note names the bearings of both gears if there are reactions: not in kinematics, nor if no reactions are stored
 * or read. */
static void test_tooth_forces(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"A": [0, 0], "B": [0.3, 0]}},
       "bodies": [
         {"name": "p", "mass": 1, "inertia": 0.005, "points": {"A": [0, 0]}},
         {"name": "w", "mass": 3, "inertia": 0.06, "points": {"B": [0, 0]}, "initial": {"position": [0.3, 0]}}],
       "joints": [
         {"name": "A", "type": "revolute", "points": ["ground.A", "p.A"]},
         {"name": "B", "type": "revolute", "points": ["ground.B", "w.B"]},
         {"name": "mesh", "type": "gear", "points": ["p.A", "w.B"], "ratio": -0.5}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "A", "function": "3*t"}],
       "sensors": [{"name": "s", "value": "%s"}],
       "analysis": {"type": "%s", "t_end": 1, "dt": 0.5%s}});
  static const char only_sensors[] = PART(, "outputs": ["s"]);
  static const struct {
    const char *sensor, *type, *kept;
    bool wanted;
  } cases[] = {{"A.fy", "inverse-dynamics", "", true},
               {"p.phi", "dynamics", "", true},
               {"p.phi", "kinematics", "", false},
               {"A.fy", "inverse-dynamics", only_sensors, true},
               {"p.phi", "inverse-dynamics", only_sensors, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    model_run run = model_run_text(document, cases[i].sensor, cases[i].type, cases[i].kept);
    expect_note(&run, tooth_forces, cases[i].wanted, cases[i].type);
    if (cases[i].wanted)
      assert_non_null(strstr(models_note(run.result, tooth_forces),
                             "the reactions of 'A', 'B' omit the tooth forces; use a joint of type gear-pair, whose"));
    expect_note(&run, moving_centre, false, cases[i].type);
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gravity_left_out),
      cmocka_unit_test(test_gravity_of_the_models),
      cmocka_unit_test(test_moving_driver_at_equilibrium),
      cmocka_unit_test(test_moving_constraint_at_equilibrium),
      cmocka_unit_test(test_spin_at_equilibrium),
      cmocka_unit_test(test_state_away_from_rest),
      cmocka_unit_test(test_state_with_a_driver),
      cmocka_unit_test(test_states_at_rest),
      cmocka_unit_test(test_stretched_parallelogram),
      cmocka_unit_test(test_redundant_rows),
      cmocka_unit_test(test_energies_that_do_not_balance),
      cmocka_unit_test(test_sensors_that_are_not_finite),
      cmocka_unit_test(test_loads_on_the_ground),
      cmocka_unit_test(test_initial_of_a_cut_joint),
      cmocka_unit_test(test_sensors_of_constants),
      cmocka_unit_test(test_angles_in_degrees),
      cmocka_unit_test(test_no_degree_of_freedom),
      cmocka_unit_test(test_slack_rope),
      cmocka_unit_test(test_gears_on_carriers),
      cmocka_unit_test(test_gears_on_one_body),
      cmocka_unit_test(test_gears_in_space),
      cmocka_unit_test(test_tooth_forces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
