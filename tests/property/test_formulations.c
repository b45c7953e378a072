/* test_formulations.c - joint coordinates against body coordinates, from the same consistent state: equal
 * accelerations, reactions (of joints in the tree and of cuts), energies and motions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "models.h"

enum { MECHANISMS = 150 };

static const char body_again[] = JSON({"type": "assembly", "formulation": "body", "correct": false});

static void expect_all_same(const char *model, const mbs_result *one, const mbs_result *two, const char *const *arrays,
                            double tolerance) {
  for (size_t a = 0; arrays[a]; a++) expect_same(model, one, two, arrays[a], tolerance);
}

typedef char *(*generator)(uint64_t seed, size_t bodies, size_t loops);

static void compare_accelerations(generator random, const char *const *motions, const char *const *all) {
  int with_loops = 0, redundant = 0;
  for (uint64_t seed = 1; seed <= MECHANISMS; seed++) {
    char name[64], *document = random(seed, 1 + seed % 10, seed % 5);
    snprintf(name, sizeof name, "random mechanism %llu", (unsigned long long)seed);
    mbs_result *joint = models_run(document, JSON({"type": "assembly"}));
    char *again = models_with_state(document, joint, 0);
    mbs_result *body = models_run(again, body_again);
    assert_int_equal(joint->report.mobility, body->report.mobility);
    /* Reactions are unique if no row is redundant. */
    bool unique = body->report.redundant_count == 0;
    expect_all_same(name, joint, body, unique ? all : motions, 1e-9);
    with_loops += joint->report.rows > 0;
    redundant += !unique;
    mbs_result_free(joint);
    mbs_result_free(body);
    free(again);
    free(document);
  }
  print_message("%d mechanisms, %d with loops, %d with redundant rows\n", MECHANISMS, with_loops, redundant);
  assert_true(with_loops > MECHANISMS / 3);
}

static void compare_motions(generator random, const char *const *arrays) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    char name[64], *document = random(seed, 2 + seed % 4, 1 + seed % 2);
    snprintf(name, sizeof name, "random mechanism %llu", (unsigned long long)seed);
    mbs_result *start = models_run(document, JSON({"type": "assembly"}));
    char *again = models_with_state(document, start, 0);
    MODEL(in_joints,
        {"t_end": 0.5, "dt": 0.05, "integrator": {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}});
    mbs_result *joint = models_run(again, in_joints);
    MODEL(in_bodies,
        {"formulation": "body", "t_end": 0.5, "dt": 0.05,
         "integrator": {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}});
    mbs_result *body = models_run(again, in_bodies);
    expect_all_same(name, joint, body, arrays, 1e-8);
    mbs_result_free(start);
    mbs_result_free(joint);
    mbs_result_free(body);
    free(again);
    free(document);
  }
}

static void test_random_mechanisms(void **unused) {
  (void)unused;
  static const char *const all[] = {"r", "p", "rd", "pd", "rdd", "pdd", "energy", "reactions", NULL},
                           *const motions[] = {"r", "p", "rd", "pd", "rdd", "pdd", "energy", NULL};
  compare_accelerations(models_random, motions, all);
}

static void test_random_mechanisms_in_space(void **unused) {
  (void)unused;
  static const char *const all[] = {"r", "p", "rd", "omega", "rdd", "omega_d", "energy", "reactions", NULL},
                           *const motions[] = {"r", "p", "rd", "omega", "rdd", "omega_d", "energy", NULL};
  compare_accelerations(models_random_spatial, motions, all);
}

static void test_motion_of_random_mechanisms(void **unused) {
  (void)unused;
  compare_motions(models_random, (const char *const[]){"r", "p", "rd", "pd", "energy", NULL});
}

static void test_motion_of_random_mechanisms_in_space(void **unused) {
  (void)unused;
  compare_motions(models_random_spatial, (const char *const[]){"r", "p", "rd", "omega", "energy", NULL});
}

/* Compares a model in both formulations from the corrected start of the joint formulation. */
static void compare_model(const char *name, double t_end, const char *const *arrays) {
  char *document = models_named(name), analysis[2][256];
  mbs_result *start = models_run(document, JSON({"type": "assembly", "formulation": "joint"}));
  char *again = models_with_state(document, start, 0);
  MODEL(motion,
      {"formulation": "%s", "t_end": %g, "dt": 0.05,
       "integrator": {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}});
  for (int k = 0; k < 2; k++) snprintf(analysis[k], sizeof analysis[k], motion, k ? "body" : "joint", t_end);
  mbs_result *joint = models_run(again, analysis[0]), *body = models_run(again, analysis[1]);
  expect_all_same(name, joint, body, arrays, 1e-8);
  mbs_result_free(start);
  mbs_result_free(joint);
  mbs_result_free(body);
  free(again);
  free(document);
}

/* Vectors do not determine full revolutions, nor two angles the sign of the Euler parameters; the `initial` of the
 * bodies does. */
static void test_turns_of_the_start(void **unused) {
  (void)unused;
  MODEL(slider,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [-1, 0]}},
       "bodies": [
         {"name": "b", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"angle": "-5*pi"}}],
       "joints": [{"name": "j", "type": "translational", "points": %s, "vectors": %s}]});
  MODEL(cross,
      {"space": "spatial",
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [1, 0, 0]}},
       "bodies": [
         {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [0, 0, 0]},
          "vectors": {"u": [0, 1, 0]}, "initial": {"orientation": {"euler_parameters": [-0.8, 0.6, 0, 0]}}}],
       "joints": [{"name": "j", "type": "universal", "points": %s, "vectors": %s}]});
  static const char *const ends[][2] = {{JSON(["ground.O", "b.P"]), JSON(["ground.u", "b.u"])},
                                        {JSON(["b.P", "ground.O"]), JSON(["b.u", "ground.u"])}};
  static const char *const analyses[] = {JSON({"type": "assembly"}), JSON({"type": "assembly", "formulation": "body"})};
  for (int k = 0; k < 8; k++) {
    char document[1000];
    snprintf(document, sizeof document, k / 4 ? cross : slider, ends[k / 2 % 2][0], ends[k / 2 % 2][1]);
    mbs_result *result = models_run(document, analyses[k % 2]);
    const double *p = models_row(result, "p", 0);
    if (!(fabs(p[0] - (k / 4 ? -0.8 : -15.707963267948966)) < 1e-12)) fail_msg("p starts at %.15g", p[0]);
    mbs_result_free(result);
  }
}

/* Mechanisms with one degree of freedom: `hold` determines the start, even if the coordinate is not one of the
 * joint. */
static void test_hold(void **unused) {
  (void)unused;
  static const struct {
    const char *model, *joint;
  } cases[] = {{"FourBar", "C"}, {"SliderCrank3D_free", "A"}, {"SliderCrank3D_free", "D"}};
  static const char *const arrays[] = {"r", "p", "rd", NULL};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char name[64], joint[128], body[128], *document = models_named(cases[i].model);
    snprintf(name, sizeof name, "%s, %s held", cases[i].model, cases[i].joint);
    snprintf(joint, sizeof joint, JSON({"type": "assembly", "hold": ["%s"]}), cases[i].joint);
    snprintf(body, sizeof body, JSON({"type": "assembly", "hold": ["%s"], "formulation": "body"}), cases[i].joint);
    mbs_result *one = models_run(document, joint), *two = models_run(document, body);
    expect_all_same(name, one, two, arrays, 1e-9);
    mbs_result_free(one);
    mbs_result_free(two);
    free(document);
  }
}

/* Compares matrices of a linearization to this share of their largest entry, which is the accuracy of the
 * differences. */
static void expect_same_matrix(const char *name, const mbs_result *one, const mbs_result *two, const char *matrix) {
  const mbs_array *x = mbs_result_array(one, matrix), *y = mbs_result_array(two, matrix);
  assert_int_equal(x->shape[0], y->shape[0]);
  double largest = 1;
  for (size_t i = 0; i < x->shape[0] * x->shape[0]; i++) largest = fmax(largest, fabs(x->data[i]));
  for (size_t i = 0; i < x->shape[0]; i++) assert_string_equal(x->labels[i], y->labels[i]);
  for (size_t i = 0; i < x->shape[0] * x->shape[0]; i++)
    if (!(fabs(x->data[i] - y->data[i]) <= 1e-7 * largest))
      fail_msg("%s: entry %zu of %s is %.15g and %.15g", name, i, matrix, x->data[i], y->data[i]);
}

/* Checks that both results have equal notes. */
static void expect_same_notes(const char *name, const mbs_result *one, const mbs_result *two) {
  assert_int_equal(one->report.note_count, two->report.note_count);
  for (size_t i = 0; i < one->report.note_count; i++)
    if (strcmp(one->report.notes[i], two->report.notes[i]) != 0)
      fail_msg("%s: '%s' and '%s'", name, one->report.notes[i], two->report.notes[i]);
}

/* Held coordinates are the independent ones, both coordinates of the tree and measures between bodies. */
static void test_held_coordinates_are_independent(void **unused) {
  (void)unused;
  static const struct {
    const char *model, *joints, *independent;
  } cases[] = {{"FourBar", JSON(["C"]), "C.qd"},
               {"SliderCrank3D_free", JSON(["A"]), "A.qd"},
               {"SliderCrank3D_free", JSON(["D"]), "D.qd"},
               {"SP", JSON(["rail", "pin"]), "rail.qd, pin.qd"},
               {"guided-arm", JSON(["guide", "elbow"]), "guide.qd1, guide.qd2, elbow.qd"}};
  static const char *const matrices[] = {"M", "C_d", "K"}, *const motion[] = {"r", "rd", NULL};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = i == 4 ? models_of_tests("guided-arm") : models_named(cases[i].model);
    mbs_result *linear[2], *moved[2];
    for (int f = 0; f < 2; f++) {
      char how[300];
      MODEL(linearization,
          {"type": "linearization", "about": "state", "hold": %s, "formulation": "%s"});
      MODEL(motion_held,
          {"hold": %s, "formulation": "%s", "constraints": "partitioning", "t_end": 0.3, "dt": 0.1,
           "integrator": {"rtol": 1e-11, "atol": 1e-12}});
      snprintf(how, sizeof how, linearization, cases[i].joints, f ? "body" : "joint");
      linear[f] = models_run(document, how);
      snprintf(how, sizeof how, motion_held, cases[i].joints, f ? "body" : "joint");
      moved[f] = models_run(document, how);
      if (f && !models_note(moved[f], cases[i].independent))
        fail_msg("%s: %s not named", cases[i].model, cases[i].independent);
    }
    for (size_t k = 0; k < 3; k++) expect_same_matrix(cases[i].model, linear[0], linear[1], matrices[k]);
    expect_same_notes(cases[i].model, linear[0], linear[1]);
    expect_all_same(cases[i].model, moved[0], moved[1], motion, 1e-8);
    for (int f = 0; f < 2; f++) {
      mbs_result_free(linear[f]);
      mbs_result_free(moved[f]);
    }
    free(document);
  }
}

/* Coordinates that depend on one another cannot all be independent, in either formulation. */
static void test_held_coordinates_that_depend(void **unused) {
  (void)unused;
  char *document = models_named("FourBar");
  for (int f = 0; f < 2; f++) {
    char how[200];
    mbs_result *result = NULL;
    mbs_error error = {0};
    MODEL(how_format,
        {"type": "linearization", "about": "state", "correct": false, "hold": ["A", "C"], "formulation": "%s"});
    snprintf(how, sizeof how, how_format, f ? "body" : "joint");
    assert_int_equal(models_try_run(document, how, &result, &error), MBS_INVALID);
    assert_non_null(strstr(error.message, "cannot all be independent"));
    mbs_result_free(result);
  }
  free(document);
}

static void test_models(void **unused) {
  (void)unused;
  static const char *const names[] = {"SP",   "SC",     "SCd",   "TP",    "AA",       "MP_A",
                                      "MP_B", "Cart_C", "SP_bc", "AA_bc", "Cart_A_bc"};
  static const char *const arrays[] = {"r", "p", "rd", "pd", "energy", NULL};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) compare_model(names[i], 2, arrays);
}

static void test_models_in_space(void **unused) {
  (void)unused;
  static const char *const names[] = {"Top",
                                      "TorqueFree",
                                      "DoubleSphericalPendulum",
                                      "Door",
                                      "SliderCrank3D",
                                      "SliderCrank3D_free",
                                      "TiltedPendulum",
                                      "Bricard",
                                      "RSSR_rod",
                                      "RSSR_ball",
                                      "RSSR_solid",
                                      "McPherson"};
  static const char *const arrays[] = {"r", "p", "rd", "omega", "energy", NULL};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) compare_model(names[i], 0.5, arrays);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_mechanisms),
      cmocka_unit_test(test_motion_of_random_mechanisms),
      cmocka_unit_test(test_random_mechanisms_in_space),
      cmocka_unit_test(test_motion_of_random_mechanisms_in_space),
      cmocka_unit_test(test_turns_of_the_start),
      cmocka_unit_test(test_hold),
      cmocka_unit_test(test_held_coordinates_are_independent),
      cmocka_unit_test(test_held_coordinates_that_depend),
      cmocka_unit_test(test_models),
      cmocka_unit_test(test_models_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
