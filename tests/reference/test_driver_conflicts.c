/* test_driver_conflicts.c - drivers that prescribe different motions of the same degree of freedom are named, and so is
 * a degree of freedom without a driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "model_run.h"
#include "models.h"

static const char *const formulations[] = {"joint", "body"}, *const types[] = {"kinematics", "inverse-dynamics",
                                                                               "dynamics"};

/* Runs a four-bar linkage with these drivers and additional bodies. */
static model_run run_four_bar(const char *bodies, const char *drivers, const char *type, const char *formulation) {
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"A": [0, 0], "D": [0.4, 0]}},
       "bodies": [
         {"name": "crank", "mass": 1, "inertia": 0.01, "points": {"A": [-0.05, 0], "B": [0.05, 0]}},
         {"name": "coupler", "mass": 1, "inertia": 0.01, "points": {"B": [-0.2, 0], "C": [0.2, 0]}},
         {"name": "rocker", "mass": 1, "inertia": 0.01, "points": {"D": [-0.125, 0], "C": [0.125, 0]}}%s],
       "joints": [
         {"name": "A", "type": "revolute", "points": ["ground.A", "crank.A"], "initial": {"position": "90 deg"}},
         {"name": "B", "type": "revolute", "points": ["crank.B", "coupler.B"]},
         {"name": "C", "type": "revolute", "points": ["coupler.C", "rocker.C"]},
         {"name": "D", "type": "revolute", "points": ["ground.D", "rocker.D"], "initial": {"position": "90 deg"}}],
       "drivers": [%s],
       "analysis": {"type": "%s", "formulation": "%s", "t_end": 1, "dt": 0.1}});
  return model_run_text(document, bodies, drivers, type, formulation);
}

static void expect_failure(model_run *run, mbs_status status, const char *words, const char *what) {
  if (run->status != status || !strstr(run->error.message, words))
    fail_msg("%s: status %d, '%s' lacks '%s'", what, run->status, run->error.message, words);
  model_run_free(run);
}

#define ON(name, joint, function) \
  "{\"name\": \"" name "\", \"type\": \"joint\", \"joint\": \"" joint "\", \"function\": \"" function "\"}"

static void test_conflicts(void **unused) {
  (void)unused;
  static const struct {
    const char *drivers, *words;
  } cases[] = {
      /* conflicts in positions, through the chain; in velocities; in accelerations, some time after the start */
      {ON("motor", "A", "pi/2 + 6*t") ", " ON("second", "D", "pi/2"), "drivers 'motor', 'second' prescribe different"},
      {ON("motor", "A", "pi/2 + 6*t") ", " ON("second", "A", "pi/2 + 5*t"), "drivers 'motor', 'second' prescribe"},
      {ON("motor", "A", "pi/2 + 6*t") ", " ON("second", "A", "pi/2 + 6*t + t^2"),
       "drivers 'motor', 'second' prescribe"},
      {ON("motor", "A", "pi/2 + 6*t") ", " ON("second", "D", "pi/2") ", " ON("third", "B", "0"),
       "drivers 'motor', 'second', 'third' prescribe different motions of the same degree of freedom at t = 0, because "
       "joints link what these drivers move; remove 2 of them"},
      /* the second prescribes the same as the first */
      {ON("motor", "A", "pi/2 + 6*t") ", " ON("same", "A", "pi/2 + 6*t") ", " ON("other", "D", "1"),
       "drivers 'motor', 'other' prescribe"},
      {ON("other", "D", "1") ", " ON("motor", "A", "pi/2 + 6*t"), "drivers 'other', 'motor' prescribe"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < 6; k++) {
      model_run run = run_four_bar("", cases[i].drivers, types[k % 3], formulations[k / 3]);
      expect_failure(&run, MBS_CONTRADICTION, cases[i].words, cases[i].drivers);
    }
}

static void test_the_same_motion_is_redundant(void **unused) {
  (void)unused;
  for (size_t k = 0; k < 6; k++) {
    model_run run = run_four_bar("", ON("motor", "A", "pi/2 + 6*t") ", " ON("same", "A", "pi/2 + 6*t"), types[k % 3],
                                 formulations[k / 3]);
    model_run_require(&run);
    assert_int_equal(run.result->report.redundant_count, 1);
    model_run_free(&run);
  }
}

/* Three drivers of two degrees of freedom: one of them is redundant. */
static void test_several_freedoms(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 1, "points": {"O": [0, 0], "B": [1, 0]}},
         {"name": "b", "mass": 1, "inertia": 1, "points": {"B": [0, 0], "T": [1, 0]}, "initial": {"position": [1, 0]}}],
       "joints": [
         {"name": "j1", "type": "revolute", "points": ["ground.O", "a.O"], "initial": {"position": 0.3}},
         {"name": "j2", "type": "revolute", "points": ["a.B", "b.B"], "initial": {"position": 0.4}}],
       "drivers": [%s],
       "analysis": {"type": "kinematics", "formulation": "%s", "t_end": 1, "dt": 0.1}});
  static const char angles[] =
      PART({"name": "x", "type": "angle", "body": "a", "function": "t"},
                                    {"name": "y", "type": "angle", "body": "b", "function": "0.1"},
                                    {"name": "z", "type": "relative-angle", "bodies": ["a", "b"], "function": "0.3"}),
              held[] = PART({"name": "x", "type": "x", "point": "a.O", "function": "0.3"}),
                            far[] = PART({"name": "x", "type": "x", "point": "b.T", "function": "1.5 + t"},
                                 {"name": "y", "type": "y", "point": "b.T", "function": "0.2"});
  for (size_t k = 0; k < 2; k++) {
    model_run run = model_run_text(document, angles, formulations[k]);
    expect_failure(&run, MBS_CONTRADICTION,
                   "different motions of the same 2 degrees of freedom at t = 0; remove 1 of them", "angles");
    run = model_run_text(document, held, formulations[k]);
    expect_failure(&run, MBS_CONTRADICTION,
                   "driver 'x' prescribes a motion at t = 0 for which the joints leave no degree of freedom", "a pin");
    /* drivers of different degrees of freedom that lead out of reach do not contradict one another */
    run = model_run_text(document, far, formulations[k]);
    expect_failure(&run, MBS_LOCK_UP, "driver 'x' prescribes a motion that the joints do not allow", "reach");
  }
}

/* Drivers of two shafts: the gear between them is named. */
static void test_conflicts_by_a_gear(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"A": [0, 0], "B": [1, 0]}},
       "bodies": [
         {"name": "pinion", "mass": 1, "inertia": 1, "points": {"A": [0, 0]}},
         {"name": "wheel", "mass": 1, "inertia": 1, "points": {"B": [0, 0]}}],
       "joints": [
         {"name": "A", "type": "revolute", "points": ["ground.A", "pinion.A"]},
         {"name": "B", "type": "revolute", "points": ["ground.B", "wheel.B"]},
         {"name": "mesh", "type": "gear", "bodies": ["pinion", "wheel"], "ratio": -0.5}],
       "drivers": [
         {"name": "m", "type": "joint", "joint": "A", "function": "t"},
         {"name": "m2", "type": "joint", "joint": "B", "function": "t"}],
       "analysis": {"type": "kinematics", "formulation": "%s", "t_end": 1, "dt": 0.1}});
  for (size_t k = 0; k < 2; k++) {
    model_run run = model_run_text(document, formulations[k]);
    expect_failure(&run, MBS_CONTRADICTION, "drivers 'm', 'm2' prescribe different motions", "a gear");
    run = model_run_text(document, formulations[k]);
    expect_failure(&run, MBS_CONTRADICTION, ", because 'mesh' links what these drivers move; remove 1 of them",
                   "a gear");
  }
}

static void test_conflicts_in_space(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "spatial", "gravity": [0, 0, 0], "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}}],
       "joints": [{"name": "j", "type": "cylindrical", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"]}],
       "drivers": [
         {"name": "slide", "type": "joint", "joint": "j", "coordinate": 1, "function": "t"},
         {"name": "turn", "type": "joint", "joint": "j", "coordinate": 2, "function": "t"},
         {"name": "lift", "type": "z", "point": "a.O", "function": "2*t"}],
       "analysis": {"type": "kinematics", "formulation": "%s", "t_end": 1, "dt": 0.1}});
  for (size_t k = 0; k < 2; k++) {
    model_run run = model_run_text(document, formulations[k]);
    expect_failure(&run, MBS_CONTRADICTION, "drivers 'slide', 'lift' prescribe", "a cylinder");
  }
}

static void test_what_is_not_driven(void **unused) {
  (void)unused;
  static const char lost[] = PART(, {"name": "lost", "mass": 1, "inertia": 1}),
                                  motor[] = ON("motor", "A", "pi/2 + 6*t"), *const left[] = {"B.q", "crank.phi"};
  for (size_t k = 0; k < 4; k++) {
    const char *type = types[k / 2], *formulation = formulations[k % 2];
    char words[200];
    model_run run = run_four_bar(lost, motor, type, formulation);
    expect_failure(&run, MBS_NOT_DRIVEN, "3 have no driver (3 of body 'lost', which no joint connects); add drivers",
                   "lost");
    run = run_four_bar(lost, "", type, formulation);
    snprintf(words, sizeof words, "4 have no driver (3 of body 'lost', which no joint connects, and %s)", left[k % 2]);
    expect_failure(&run, MBS_NOT_DRIVEN, words, "lost and no motor");
    run = run_four_bar("", "", type, formulation);
    snprintf(words, sizeof words, "1 has no driver (%s, which a driver of joint 'A' determines); add drivers",
             left[k % 2]);
    expect_failure(&run, MBS_NOT_DRIVEN, words, "no motor");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conflicts),          cmocka_unit_test(test_the_same_motion_is_redundant),
      cmocka_unit_test(test_several_freedoms),   cmocka_unit_test(test_conflicts_by_a_gear),
      cmocka_unit_test(test_conflicts_in_space), cmocka_unit_test(test_what_is_not_driven),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
