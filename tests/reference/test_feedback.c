/* Laws of forces and rates that read accelerations, reactions, multipliers and efforts. */
#include "close.h"
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

static const char *const formulations[] = {"joint", "body"};

/* Two carts of 2 kg and 3 kg on a line, and a wheel of 0.5 kg m^2; the text gives other elements and the analysis. */
#define CARTS                                                                                                       \
  "{\"space\": \"planar\", \"gravity\": [0, -10], \"ground\": {\"points\": {\"O\": [0, 0], \"Q\": [0, 3]}, "        \
  "\"vectors\": {\"u\": [1, 0]}},"                                                                                  \
  "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": 1, \"points\": {\"P\": [0, 0]}, \"vectors\": {\"u\": "  \
  "[1, 0]}},"                                                                                                       \
  "{\"name\": \"b\", \"mass\": 3, \"inertia\": 1, \"points\": {\"P\": [0, 0]}, \"vectors\": {\"u\": [1, 0]}},"      \
  "{\"name\": \"w\", \"mass\": 1, \"inertia\": 0.5, \"points\": {\"P\": [0, 0]}}],"                                 \
  "\"joints\": [{\"name\": \"ra\", \"type\": \"translational\", \"points\": [\"ground.O\", \"a.P\"], \"vectors\": " \
  "[\"ground.u\", \"a.u\"]},"                                                                                       \
  "{\"name\": \"rb\", \"type\": \"translational\", \"points\": [\"ground.Q\", \"b.P\"], \"vectors\": "              \
  "[\"ground.u\", \"b.u\"]},"                                                                                       \
  "{\"name\": \"pin\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"w.P\"]}],"

static model_run carts(int formulation, const char *elements, const char *analysis) {
  return model_run_text(CARTS "%s, \"analysis\": {\"formulation\": \"%s\", %s}}", elements, formulations[formulation],
                        analysis);
}

static const char dynamics[] =
    "\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.5, \"integrator\": {\"rtol\": 1e-10, \"atol\": 1e-12}";

static double acceleration(const model_run *run, size_t body) { return model_run_value(run, "rdd", 0, 2 * body); }

/* F = -c a adds c to the mass. Two laws that read each other's acceleration: m1 a1 = F + k1 a2, m2 a2 = k2 a1. */
static void test_accelerations(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run = carts(f,
                          "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"12 - "
                          "4*a.ax\", 0]}]",
                          dynamics);
    model_run_require(&run);
    assert_close(acceleration(&run, 0), 2, 1e-13);
    assert_close(model_run_value(&run, "rd", -1, 0), 2, 1e-9);
    assert_close(model_run_value(&run, "forces", 0, 0), 4, 1e-12);
    assert_close(model_run_value(&run, "energy", -1, 2), model_run_value(&run, "energy", -1, 0), 1e-8);
    model_run_free(&run);
    run = carts(f,
                "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"12 + 1.5*b.ax\", "
                "0]}, {\"name\": \"g\", \"type\": \"force\", \"body\": \"b\", \"value\": [\"2*a.ax\", 0]}]",
                dynamics);
    model_run_require(&run);
    assert_close(acceleration(&run, 0), 12.0 / (2 - 1.5 * 2 / 3), 1e-12);
    assert_close(acceleration(&run, 1), 2.0 / 3 * 12.0 / (2 - 1.5 * 2 / 3), 1e-12);
    model_run_free(&run);
    /* J a = 3 - 0.2 a^3 */
    run = carts(f,
                "\"forces\": [{\"name\": \"n\", \"type\": \"torque\", \"body\": \"w\", \"value\": \"3 - "
                "0.2*pin.qdd^3\"}]",
                dynamics);
    model_run_require(&run);
    const double a = model_run_value(&run, "pdd", 0, 2);
    assert_close(0.5 * a + 0.2 * a * a * a, 3, 1e-12);
    model_run_free(&run);
  }
}

/* A force that reads a reaction which it changes: N = m g - F / 2 with F = 0.4 N pushed up at a slope of 1/2, and a
 * torque by the effort of a driver. */
static void test_reactions(void **state) {
  const double N = 2 * 10 / (1 + 0.4 / 2);
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run = carts(f,
                          "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": "
                          "[\"0.4*ra.fy\", \"0.2*ra.fy\"]}]",
                          dynamics);
    model_run_require(&run);
    assert_close(model_run_value(&run, "reactions", 0, 1), N, 1e-11);
    assert_close(acceleration(&run, 0), 0.4 * N / 2, 1e-12);
    model_run_free(&run);
    run = carts(f,
                "\"drivers\": [{\"name\": \"d\", \"type\": \"joint\", \"joint\": \"ra\", \"function\": \"3*t^2\"}],"
                "\"forces\": [{\"name\": \"n\", \"type\": \"torque\", \"body\": \"w\", \"value\": \"0.25*d.effort\"}]",
                dynamics);
    model_run_require(&run);
    assert_close(model_run_value(&run, "pdd", 0, 2), 0.25 * 2 * 6 / 0.5, 1e-11);
    model_run_free(&run);
    /* an actuator: the mass grows by 1 */
    run = carts(f,
                "\"forces\": [{\"name\": \"s\", \"type\": \"spring-damper\", \"points\": [\"b.P\", \"a.P\"], "
                "\"stiffness\": 0, \"actuator\": \"5 + w.alpha\"}, {\"name\": \"n\", \"type\": \"torque\", \"body\": "
                "\"w\", \"value\": 2}]",
                dynamics);
    model_run_require(&run);
    assert_close(model_run_value(&run, "forces", 0, 0), 9, 1e-12);
    model_run_free(&run);
  }
}

/* Rates read accelerations and reactions after these are known: z' = a.ax, z' = ra.fy. */
static void test_rates(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run = carts(f,
                          "\"states\": [{\"name\": \"v\", \"initial\": 1, \"rate\": \"a.ax\"}, {\"name\": \"p\", "
                          "\"rate\": \"ra.fy - push.torque\"}],"
                          "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": "
                          "[\"6*cos(t)\", 0]}, {\"name\": \"push\", \"type\": \"dc-motor\", \"joint\": \"pin\", "
                          "\"voltage\": 3, \"resistance\": 1e9, \"torque_constant\": 1e9, \"rotor_inertia\": 1.5, "
                          "\"gear_ratio\": 1e-9}]",
                          dynamics);
    model_run_require(&run);
    assert_close(model_run_value(&run, "states", -1, 0), 1 + 3 * sin(1), 1e-9);
    /* the torque of the motor is J w', with w' = 3e-9 / (0.5 + 1.5e-18) at rest */
    assert_close(model_run_value(&run, "states", -1, 1), 20, 1e-6);
    model_run_free(&run);
  }
}

/* A law reads the torque of a motor with a rotor, which is known only with the accelerations. */
static void test_motor(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run = carts(f,
                          "\"forces\": [{\"name\": \"m\", \"type\": \"dc-motor\", \"joint\": \"pin\", \"voltage\": 4, "
                          "\"resistance\": 2, \"torque_constant\": 0.5, \"rotor_inertia\": 0.25, \"gear_ratio\": 2}, "
                          "{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"m.torque\", 0]}]",
                          dynamics);
    model_run_require(&run);
    /* at rest N k i = 2 and w' = 2 / (0.5 + 1) */
    assert_close(acceleration(&run, 0), 0.5 * (2 / 1.5) / 2, 1e-12);
    model_run_free(&run);
  }
}

/* Linearization and inverse dynamics have the mass m + c, an equilibrium the reactions of rest. */
static void test_analyses(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run = carts(f,
                          "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"-30*a.x "
                          "- 4*a.ax\", 0]}, {\"name\": \"g\", \"type\": \"force\", \"body\": \"b\", \"value\": "
                          "[\"-50*b.x + 0.5*ra.fy\", 0]}, {\"name\": \"n\", \"type\": \"torque\", \"body\": \"w\", "
                          "\"value\": \"-w.phi\"}]",
                          "\"type\": \"linearization\"");
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 2), 0.5 * 20 / 50, 1e-10); /* b.x */
    const double expected[] = {sqrt(1 / 0.5), sqrt(30.0 / 6), sqrt(50.0 / 3)};
    for (size_t k = 0; k < 3; k++) {
      const double w = 2 * 3.14159265358979323846 * model_run_value(&run, "frequencies", (long)k, 0);
      bool found = false;
      for (size_t j = 0; j < 3; j++) found = found || fabs(w - expected[j]) < 1e-7;
      assert_true(found);
    }
    model_run_free(&run);
    run = carts(f,
                "\"drivers\": [{\"name\": \"d\", \"type\": \"joint\", \"joint\": \"ra\", \"function\": \"3*t^2\"}, "
                "{\"name\": \"e\", \"type\": \"joint\", \"joint\": \"rb\", \"function\": \"0\"}, {\"name\": \"h\", "
                "\"type\": \"joint\", \"joint\": \"pin\", \"function\": \"0\"}],"
                "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"-4*a.ax\", 0]}],"
                "\"sensors\": [{\"name\": \"effort\", \"value\": \"d.effort\"}]",
                "\"type\": \"inverse-dynamics\", \"t_end\": 1, \"dt\": 0.5");
    model_run_require(&run);
    assert_close(model_run_value(&run, "effort", 1, 0), 6 * 6, 1e-11);
    model_run_free(&run);
    run =
        carts(f,
              "\"drivers\": [{\"name\": \"d\", \"type\": \"joint\", \"joint\": \"ra\", \"function\": \"3*t^2\"}, "
              "{\"name\": \"e\", \"type\": \"joint\", \"joint\": \"rb\", \"function\": \"0\"}, {\"name\": \"h\", "
              "\"type\": \"joint\", \"joint\": \"pin\", \"function\": \"0\"}],"
              "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"-4*d.effort\", 0]}]",
              "\"type\": \"kinematics\", \"t_end\": 1, \"dt\": 0.5");
    model_run_require(&run);
    model_run_free(&run);
  }
}

/* A law with a corner: above 1 m/s^2 a force -2 (a - 1) acts, from F = 2 t = 2 on. */
static void test_switch(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    model_run run = carts(f,
                          "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"2*t - "
                          "max(0, 2*(a.ax - 1))\", 0]}]",
                          "\"type\": \"dynamics\", \"t_end\": 2, \"dt\": 0.5, \"integrator\": {\"rtol\": 1e-9, "
                          "\"atol\": 1e-11}");
    model_run_require(&run);
    assert_close(model_run_event(&run, "f", "switch", 0), 1, 1e-8);
    /* v(1) = 1/2, then a = (2 t + 2) / 4 */
    assert_close(model_run_value(&run, "rd", -1, 0), 0.5 + 0.75 + 0.5, 1e-8);
    model_run_free(&run);
  }
}

/* k1 k2 = m1 m2 has no solution; a law that reads a reaction which redundant rows leave open has none that is
 * unique. */
static void test_loops(void **state) {
  (void)state;
  mbs_result *result;
  mbs_error error;
  char *document = models_text(
      CARTS "\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"12 + 3*b.ax\", 0]}, "
            "{\"name\": \"g\", \"type\": \"force\", \"body\": \"b\", \"value\": [\"2*a.ax\", 0]}]}");
  expect_failure(document, JSON({"type": "dynamics", "t_end": 1, "dt": 0.5}), MBS_ALGEBRAIC_LOOP, "f",
                 "'f', 'g' depend on accelerations", &result, &error);
  mbs_result_free(result);
  free(document);
  document = models_text(
      "{\"space\": \"planar\", \"gravity\": [0, -10], \"ground\": {\"points\": {\"O\": [0, 0], \"Q\": [1, 0]}},"
      "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": 1, \"points\": {\"P\": [0, 0], \"Q\": [1, 0]}},"
      "{\"name\": \"w\", \"mass\": 1, \"inertia\": 0.5, \"points\": {\"P\": [0, 0]}}],"
      "\"joints\": [{\"name\": \"p\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"a.P\"]}, {\"name\": \"q\", "
      "\"type\": \"revolute\", \"points\": [\"ground.Q\", \"a.Q\"]}, {\"name\": \"pin\", \"type\": \"revolute\", "
      "\"points\": [\"ground.O\", \"w.P\"]}],"
      "\"forces\": [{\"name\": \"n\", \"type\": \"torque\", \"body\": \"w\", \"value\": \"p.fx + 1\"}]}");
  expect_failure(document, JSON({"type": "dynamics", "t_end": 1, "dt": 0.5}), MBS_ALGEBRAIC_LOOP, "n", "redundant",
                 &result, &error);
  mbs_result_free(result);
  free(document);
}

/* Not in stiffness, rows, drivers and `when`; energies in sensors only. */
static void test_errors(void **state) {
  static const struct {
    const char *elements, *pointer, *words;
  } cases[] = {
      {"\"forces\": [{\"name\": \"s\", \"type\": \"spring-damper\", \"points\": [\"ground.O\", \"a.P\"], "
       "\"stiffness\": \"a.ax\"}]",
       "/model/forces/0/stiffness", "accelerations are available in sensors, forces, torques, actuators and rates"},
      {"\"forces\": [{\"name\": \"f\", \"type\": \"force\", \"body\": \"a\", \"value\": [\"energy.kinetic\", 0]}]",
       "/model/forces/0/value/0", "energies are available in sensors only"},
      {"\"events\": [{\"name\": \"e\", \"when\": \"ra.fy > 3\", \"set\": {\"ra.qd\": 1}}]", "/model/events/0/when",
       "reactions of joints are available"},
      {"\"forces\": [{\"name\": \"m\", \"type\": \"dc-motor\", \"joint\": \"pin\", \"voltage\": 4, \"resistance\": 2, "
       "\"torque_constant\": 0.5, \"rotor_inertia\": 1}, {\"name\": \"s\", \"type\": \"spring-damper\", \"points\": "
       "[\"ground.O\", \"a.P\"], \"stiffness\": \"m.torque\"}]",
       "/model/forces/1/stiffness", "known only together with the accelerations"}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *document = models_text(CARTS "%s, \"analysis\": {\"type\": \"assembly\"}}", cases[k].elements);
    expect_error(document, NULL, cases[k].pointer, cases[k].words);
    free(document);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_accelerations), cmocka_unit_test(test_reactions),
                                     cmocka_unit_test(test_rates),         cmocka_unit_test(test_motor),
                                     cmocka_unit_test(test_analyses),      cmocka_unit_test(test_switch),
                                     cmocka_unit_test(test_loops),         cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
