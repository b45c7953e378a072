/* Inertias along coordinates: the field `armature` of joints, and the rotor of a motor. */
#include "close.h"
#include "list.h"
#include "model_run.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const char *const formulations[] = {"joint", "body"};
/* A joint in the tree, a cut one, and body coordinates. */
static const char *const forms[] = {"\"armature\": 0.7", "\"armature\": 0.7, \"cut\": true", "\"armature\": 0.7"};

/* A pendulum of mass m, inertia J at the distance l: w^2 = m g l / (J + m l^2 + I), and the same for its acceleration
 * at 90 degrees. The reaction is that of this acceleration. */
static void test_pendulum(void **state) {
  const double m = 2, J = 0.3, l = 0.8, I = 0.7, g = 9.81, K = J + m * l * l + I;
  (void)state;
  for (int k = 0; k < 3; k++) {
    model_run run = model_run_text(
        "{\"space\": \"planar\", \"gravity\": [0, -9.81], \"ground\": {\"points\": {\"O\": [0, 0]}},"
        "\"bodies\": [{\"name\": \"b\", \"mass\": 2, \"inertia\": 0.3, \"points\": {\"P\": [0, 0.8]}, \"initial\": "
        "{\"position\": [0, -0.8]}}],"
        "\"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"b.P\"], %s}],"
        "\"analysis\": {\"type\": \"linearization\", \"formulation\": \"%s\"}}",
        forms[k], formulations[k / 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "frequencies", 0, 0), sqrt(m * g * l / K) / (2 * pi), 1e-12);
    model_run_free(&run);
    run = model_run_text(
        "{\"space\": \"planar\", \"gravity\": [0, -9.81], \"ground\": {\"points\": {\"O\": [0, 0]}},"
        "\"bodies\": [{\"name\": \"b\", \"mass\": 2, \"inertia\": 0.3, \"points\": {\"P\": [0, 0.8]}, \"initial\": "
        "{\"position\": [0.8, 0], \"angle\": \"pi/2\"}}],"
        "\"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"b.P\"], %s}],"
        "\"analysis\": {\"type\": \"dynamics\", \"t_end\": 2, \"dt\": 0.1, \"formulation\": \"%s\", \"integrator\": "
        "{\"rtol\": 1e-10, \"atol\": 1e-12}}}",
        forms[k], formulations[k / 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "pdd", 0, 0), -m * g * l / K, 1e-12);
    assert_close(model_run_value(&run, "reactions", 0, 1), m * (g - m * g * l * l / K), 1e-11);
    assert_close(model_run_value(&run, "reactions", 0, 2), 0, 1e-11);
    for (long row = 0; row <= 20; row++) { /* T = (J + m l^2 + I) w^2 / 2 */
      const double w = model_run_value(&run, "pd", row, 0);
      assert_close(model_run_value(&run, "energy", row, 0), K * w * w / 2, 1e-12);
    }
    assert_true(run.result->report.energy_change_max < 1e-7);
    model_run_free(&run);
  }
}

/* A motor without inductance turns a wheel J from rest, with K = J + N^2 Jr:   w = w1 (1 - exp(-t / T)),
 * T = K R / (N^2 (k^2 + b R)),   w1 = k V / (N (k^2 + b R)). Its torque is J w'. */
static void test_motor(void **state) {
  const double J = 2, Jr = 0.05, N = 6, R = 0.5, k = 0.3, b = 0.01, V = 12, K = J + N * N * Jr;
  const double T = K * R / (N * N * (k * k + b * R)), w1 = k * V / (N * (k * k + b * R));
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run = model_run_text(
        "{\"space\": \"planar\", \"ground\": {\"points\": {\"O\": [0, 0]}}, \"parameters\": {\"Jr\": 0.05},"
        "\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": 2, \"points\": {\"P\": [0, 0]}}],"
        "\"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"b.P\"]}],"
        "\"forces\": [{\"name\": \"m\", \"type\": \"dc-motor\", \"joint\": \"pin\", \"voltage\": 12, \"resistance\": "
        "0.5, \"torque_constant\": 0.3, \"gear_ratio\": 6, \"rotor_inertia\": \"Jr\", \"damping\": 0.01}],"
        "\"analysis\": {\"type\": \"dynamics\", \"t_end\": 2, \"dt\": 0.1, \"formulation\": \"%s\", \"integrator\": "
        "{\"rtol\": 1e-10, \"atol\": 1e-12}, \"sensitivities\": [\"Jr\"]}}",
        formulations[f]);
    model_run_require(&run);
    for (long row = 0; row <= 20; row++) {
      const double t = 0.1 * (double)row, e = exp(-t / T), w = w1 * (1 - e);
      assert_close(model_run_value(&run, "pd", row, 0), w, 1e-8);
      assert_close(model_run_value(&run, "forces", row, 0), (V - k * N * w) / R, 1e-6);
      assert_close(model_run_value(&run, "forces", row, 1), J * w1 * e / T, 1e-6);
      assert_close(model_run_value(&run, "energy", row, 0), K * w * w / 2, 1e-6);
    }
    assert_true(run.result->report.energy_change_max < 1e-6);
    model_run_free(&run);
  }
}

/* A driver of the joint exerts (J + I) q''. */
static void test_inverse_dynamics(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    model_run run = model_run_text(
        "{\"space\": \"planar\", \"ground\": {\"points\": {\"O\": [0, 0]}},"
        "\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": 2, \"points\": {\"P\": [0, 0]}}],"
        "\"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"b.P\"], %s}],"
        "\"drivers\": [{\"name\": \"d\", \"type\": \"joint\", \"joint\": \"pin\", \"function\": \"3*t^2\"}],"
        "\"sensors\": [{\"name\": \"effort\", \"value\": \"d.effort\"}],"
        "\"analysis\": {\"type\": \"inverse-dynamics\", \"t_end\": 1, \"dt\": 0.5, \"formulation\": \"%s\"}}",
        forms[k], formulations[k / 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "effort", 1, 0), (2 + 0.7) * 6, 1e-11);
    model_run_free(&run);
  }
}

/* An event sets the rate of the first of two coupled coordinates: the impulse changes both by the full inertia. The
 * chain is at rest and straight, with bodies of inertia J about their pins at the centres of mass, without mass at a
 * distance: only the armatures couple them. (J1 + I1 + I2) w1 - I2 w2 = p, (J2 + I2) (w2 - w1) + J2 w1 = 0. */
static void test_impulse(void **state) {
  const double J2 = 1, I2 = 3, w1 = 2, w2 = w1 * I2 / (J2 + I2);
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run =
        model_run_text("{\"space\": \"planar\", \"ground\": {\"points\": {\"O\": [0, 0]}},"
                       "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 2, \"points\": {\"P\": [0, 0]}},"
                       "{\"name\": \"b\", \"mass\": 1, \"inertia\": 1, \"points\": {\"P\": [0, 0]}}],"
                       "\"joints\": [{\"name\": \"p\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"a.P\"]},"
                       "{\"name\": \"q\", \"type\": \"revolute\", \"points\": [\"a.P\", \"b.P\"], \"armature\": 3}],"
                       "\"events\": [{\"name\": \"kick\", \"when\": \"t - 0.5\", \"set\": {\"p.qd\": 2}}],"
                       "\"analysis\": {\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.5, \"formulation\": \"%s\"}}",
                       formulations[f]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "pd", -1, 0), w1, 1e-12);
    assert_close(model_run_value(&run, "pd", -1, 1), w2, 1e-12);
    assert_close(model_run_value(&run, "energy", -1, 0), w1 * w1 + w2 * w2 / 2 + I2 * (w2 - w1) * (w2 - w1) / 2, 1e-12);
    assert_close(model_run_value(&run, "energy", -1, 2), model_run_value(&run, "energy", -1, 0), 1e-12);
    model_run_free(&run);
  }
}

/* Two joints with inertias hit a limit of the first, which dissipates energy; both formulations agree. */
static void test_impacts(void **state) {
  mbs_result *results[2];
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run = model_run_text(
        "{\"space\": \"planar\", \"gravity\": [0, -9.81], \"ground\": {\"points\": {\"O\": [0, 0]}},"
        "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": 0.3, \"points\": {\"A\": [-0.5, 0], \"B\": [0.5, "
        "0]}},"
        "{\"name\": \"b\", \"mass\": 1, \"inertia\": 0.1, \"points\": {\"A\": [-0.4, 0]}}],"
        "\"joints\": [{\"name\": \"p\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"a.A\"], \"armature\": "
        "0.7, \"limits\": {\"lower\": -0.3, \"restitution\": 0.5}, \"initial\": {\"position\": 0.3}},"
        "{\"name\": \"q\", \"type\": \"revolute\", \"points\": [\"a.B\", \"b.A\"], \"armature\": 2.5, \"initial\": "
        "{\"position\": -0.8}}],"
        "\"analysis\": {\"type\": \"dynamics\", \"t_end\": 1.5, \"dt\": 0.1, \"formulation\": \"%s\", \"integrator\": "
        "{\"rtol\": 1e-11, \"atol\": 1e-13}}}",
        formulations[f]);
    model_run_require(&run);
    assert_true(model_run_value(&run, "energy", -1, 3) > 0.1);
    assert_true(run.result->report.energy_change_max < 1e-7);
    results[f] = run.result;
    mbs_model_free(run.model);
  }
  for (size_t row = 0; row <= 15; row++) {
    assert_true(models_difference(results[0], results[1], "r", row) < 1e-7);
    assert_true(models_difference(results[0], results[1], "energy", row) < 1e-7);
  }
  mbs_result_free(results[0]);
  mbs_result_free(results[1]);
}

/* Both formulations agree for all kinds of coordinates, and energy is conserved. */
static void test_formulations(void **state) {
  static const char *const arrays[] = {"r", "rd", "rdd", "energy", "reactions"};
  static const char *const types[] = {"cylindrical", "universal", "planar", NULL};
  (void)state;
  for (int k = 0; k < 6; k++) {
    char *document = k < 2 ? models_rotors(k == 1) : models_spatial_rotors(types[k - 2]);
    mbs_result *results[2];
    for (int f = 0; f < 2; f++) {
      char *analysis = models_text("{\"formulation\": \"%s\", \"type\": \"dynamics\", \"t_end\": 0.5, \"dt\": 0.1, "
                                   "\"integrator\": {\"rtol\": 1e-11, \"atol\": 1e-13}}",
                                   formulations[f]);
      results[f] = models_run(document, analysis);
      assert_true(results[f]->report.energy_change_max < 1e-8);
      free(analysis);
    }
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
      expect_same("formulations", results[0], results[1], arrays[a], 1e-8);
    mbs_result_free(results[0]);
    mbs_result_free(results[1]);
    free(document);
  }
}

/* A chain long enough for the recursion, with inertias on every third joint. */
static void test_recursion(void **state) {
  enum { BODIES = 40 };
  model_run runs[2];
  (void)state;
  for (int f = 0; f < 2; f++) {
    text_list *bodies = list_open(), *joints = list_open();
    for (int i = 0; i < BODIES; i++) {
      list_add(bodies, PART({"name": "b%d", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0.5], "B": [0, -0.5]}}), i);
      char *last = i ? models_text("b%d.B", i - 1) : models_text("ground.O");
      list_add(joints, PART({"name": "j%d", "type": "revolute", "points": ["%s", "b%d.A"] %s %s}), i, last, i,
                             i % 3 ? "" : PART(, "armature": 1.5), i ? "" : PART(, "initial": {"position": 0.5}));
      free(last);
    }
    char *document = list_fill(PART({"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 0]}},
                                     "bodies": [%s], "joints": [%s]}), bodies, joints);
    char *analysis = models_text(PART({"analysis": {"type": "dynamics", "t_end": 0.5, "dt": 0.1, "formulation": "%s",
                                                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}}),
                                       formulations[f]);
    runs[f] = model_run_with(document, analysis);
    model_run_require(&runs[f]);
  }
  for (size_t row = 0; row <= 5; row++) {
    assert_true(models_difference(runs[0].result, runs[1].result, "rdd", row) < 1e-6);
    assert_true(models_difference(runs[0].result, runs[1].result, "reactions", row) < 1e-6);
    assert_true(models_difference(runs[0].result, runs[1].result, "energy", row) < 1e-8);
  }
  model_run_free(&runs[0]);
  model_run_free(&runs[1]);
}

/* A rod without mass and inertia may have a degree of freedom if a rotor has inertia along it. */
static void test_massless(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run = model_run_text(
        "{\"space\": \"planar\", \"ground\": {\"points\": {\"O\": [0, 0]}},"
        "\"bodies\": [{\"name\": \"b\", \"mass\": 0, \"inertia\": 0, \"points\": {\"P\": [0, 0]}}],"
        "\"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"b.P\"], \"armature\": "
        "2}],"
        "\"forces\": [{\"name\": \"n\", \"type\": \"torque\", \"body\": \"b\", \"value\": 3}],"
        "\"analysis\": {\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.5, \"formulation\": \"%s\"}}",
        formulations[f]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "pd", -1, 0), 1.5, 1e-9);
    model_run_free(&run);
  }
}

static void test_errors(void **state) {
  (void)state;
  char *document;
  static const char joint[] =
      "{\"space\": \"planar\", \"ground\": {\"points\": {\"O\": [0, 0]}}, \"bodies\": [{\"name\": \"b\", \"mass\": 1, "
      "\"inertia\": 1, \"points\": {\"P\": [0, 1]}}], \"joints\": [{\"name\": \"j\", \"type\": \"%s\", \"points\": "
      "[\"ground.O\", \"b.P\"], \"armature\": %s}], \"analysis\": {\"type\": \"assembly\"}}";
  static const struct {
    const char *type, *armature, *pointer, *words;
  } cases[] = {{"revolute", "-1", "/model/joints/0/armature", "must be at least 0"},
               {"revolute", "[1, 2]", "/model/joints/0/armature", "one inertia for all coordinates, or 1, not 2"},
               {"rigid", "1", "/model/joints/0/armature", "has no coordinate"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    document = models_text(joint, cases[k].type, cases[k].armature);
    expect_error(document, NULL, cases[k].pointer, cases[k].words);
    free(document);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),  cmocka_unit_test(test_motor),    cmocka_unit_test(test_inverse_dynamics),
      cmocka_unit_test(test_impulse),   cmocka_unit_test(test_impacts),  cmocka_unit_test(test_formulations),
      cmocka_unit_test(test_recursion), cmocka_unit_test(test_massless), cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
