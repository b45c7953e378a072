/* test_closed_forms.c - motions with closed-form solutions, and conserved quantities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "close.h"
#include "closed_forms.h"
#include "models.h"

static const double pi = 3.14159265358979323846, g = 9.81;

static char *analysis(double t_end, double dt, const char *more) {
  static char text[512];
  snprintf(text, sizeof text, PART({"t_end": %.17g, "dt": %.17g%s}), t_end, dt, more);
  return text;
}

static const char tight[] = PART(, "integrator": {"method": "dop853", "rtol": 1e-13, "atol": 1e-13});
MODEL(tight_body,
    , "formulation": "body", "integrator": {"method": "dop853", "rtol": 1e-13, "atol": 1e-13});

/* ---- closed forms -------------------------------------------------------------------------------------------- */

/* A rod of length l released at theta0 swings with the period 2 pi / (omega agm(1, cos(theta0 / 2))), omega^2 = 3 g / 2
 * l. After a quarter of it the rod is at the bottom, with the speed of the energy balance. */
static void test_period_of_a_pendulum(void **unused) {
  (void)unused;
  static const double angles[] = {0.1, 1, 2, 3};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    double omega = sqrt(1.5 * g), period = 2 * pi / (omega * agm(1, cos(angles[i] / 2)));
    double fastest = 2 * omega * sin(angles[i] / 2);
    char *document = models_chain(1, angles[i]);
    for (int body = 0; body < 2; body++) {
      mbs_result *result = models_run(document, analysis(period, period / 4, body ? tight_body : tight));
      static const double places[] = {1, 0, -1, 0, 1}, speeds[] = {0, -1, 0, 1, 0};
      for (size_t row = 0; row < 5; row++) {
        assert_close(*models_row(result, "p", row), places[row] * angles[i], 1e-9);
        assert_close(*models_row(result, "pd", row), speeds[row] * fastest, 1e-9);
      }
      mbs_result_free(result);
    }
    free(document);
  }
}

/* A thrown, spinning body. */
static void test_projectile(void **unused) {
  (void)unused;
  MODEL(stone,
      {"space": "planar", "gravity": [0.3, -9.81],
       "bodies": [
         {"name": "stone", "mass": 2, "inertia": 0.1, "points": {"P": [0.2, 0]},
          "initial": {"position": [1, 2], "angle": 0.5, "velocity": [3, 4], "angular_velocity": 7}}]});
  mbs_result *result = models_run(stone, analysis(3, 0.25, ""));
  for (size_t row = 0; row < models_rows(result); row++) {
    double t = 0.25 * (double)row, x = 1 + 3 * t + 0.15 * t * t, y = 2 + 4 * t - g * t * t / 2, phi = 0.5 + 7 * t;
    const double *r = models_row(result, "r", row), *rP = models_row(result, "rP", row);
    assert_close(r[0], x, 1e-12);
    assert_close(r[1], y, 1e-12 * fmax(1, fabs(y)));
    assert_close(*models_row(result, "p", row), phi, 1e-12 * phi);
    assert_close(rP[0], x + 0.2 * cos(phi), 1e-11);
    assert_close(models_row(result, "rPdd", row)[1], -g - 0.2 * 49 * sin(phi), 1e-10);
  }
  mbs_result_free(result);
}

/* m x'' + c x' + k x = 0 from x0 at rest: damped oscillation, and the work of the damper. */
static void test_spring_and_mass(void **unused) {
  (void)unused;
  const double m = 2, c = 0.8, k = 50, x0 = 0.3, l0 = 1;
  double delta = c / (2 * m), omega = sqrt(k / m - delta * delta);
  char document[1024];
  MODEL(document_format,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0], "A": [-1, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "mass", "mass": %g, "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "mass.O"],
          "vectors": ["ground.u", "mass.u"], "initial": {"position": %g}}],
       "forces": [
         {"name": "spring", "type": "spring-damper", "points": ["ground.A", "mass.O"], "stiffness": %g,
          "free_length": %g, "damping": %g}]});
  snprintf(document, sizeof document, document_format, m, x0, k, l0, c);
  for (int body = 0; body < 2; body++) {
    mbs_result *result = models_run(document, analysis(4, 0.1, body ? tight_body : tight));
    for (size_t row = 0; row < models_rows(result); row++) {
      double t = 0.1 * (double)row, decay = x0 * exp(-delta * t);
      double x = decay * (cos(omega * t) + delta / omega * sin(omega * t));
      double v = -decay * (omega + delta * delta / omega) * sin(omega * t);
      const double *energy = models_row(result, "energy", row);
      assert_close(models_row(result, "r", row)[0], x, 1e-10);
      assert_close(models_row(result, "rd", row)[0], v, 1e-10);
      assert_close(*models_row(result, "forces", row), k * x + c * v, 1e-8);
      assert_close(energy[0], m * v * v / 2, 1e-9);
      assert_close(energy[1], k * x * x / 2, 1e-9);
      assert_close(energy[3], k * x0 * x0 / 2 - energy[0] - energy[1], 1e-9);
    }
    mbs_result_free(result);
  }
}

/* A spring has a potential if its stiffness and free length are constant, in any notation; otherwise its energy counts
 * as work. The balance closes either way. */
static void test_energy_of_springs(void **unused) {
  (void)unused;
  static const struct {
    const char *stiffness, *free_length;
    bool potential;
  } cases[] = {{"40", "1", true},
               {"2*k", "L - 1", true},
               {"if(k > 10, sqrt(1600), t)", "min(L, 1)", true},
               {"2*k + 0*t", "1", false},
               {"40", "1 + 0*l", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char document[1024];
    MODEL(document_format,
        {"space": "planar", "parameters": {"k": 20, "L": 2},
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [
           {"name": "b", "mass": 1, "inertia": 1, "points": {"O": [0, 0]},
            "initial": {"position": [1.5, 0]}}],
         "forces": [
           {"name": "s", "type": "spring-damper", "points": ["ground.O", "b.O"], "stiffness": "%s",
            "free_length": "%s"}]});
    snprintf(document, sizeof document, document_format, cases[i].stiffness, cases[i].free_length);
    mbs_result *result = models_run(document, analysis(0.3, 0.1, tight));
    for (size_t row = 0; row < models_rows(result); row++) {
      const double *energy = models_row(result, "energy", row), x = models_row(result, "r", row)[0] - 1;
      assert_close(energy[1], cases[i].potential ? 20 * x * x : 0, 1e-12);
      assert_close(energy[2], cases[i].potential ? 0 : 5 - 20 * x * x, 1e-10);
      assert_close(energy[0], 5 - 20 * x * x, 1e-10);
    }
    mbs_result_free(result);
  }
}

/* A force that reads the length of a spring is independent of the position of the spring in the document. */
static void test_order_of_force_elements(void **unused) {
  (void)unused;
  MODEL(spring,
      {"name": "s", "type": "spring-damper", "points": ["ground.O", "b.O"], "stiffness": 10, "free_length": 1});
  MODEL(force,
      {"name": "f", "type": "force", "body": "b", "value": [0, "0.1*s.l + 0.2*s.force"]});
  for (int later = 0; later < 2; later++) {
    char document[1024];
    MODEL(document_format,
        {"space": "planar",
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [
           {"name": "b", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}, "initial": {"position": [2, 0]}}],
         "forces": [%s, %s],
         "sensors": [{"name": "length", "value": "s.l"}]});
    snprintf(document, sizeof document, document_format, later ? force : spring, later ? spring : force);
    mbs_result *result = models_run(document, analysis(1, 0.25, ""));
    const double *rdd = models_row(result, "rdd", 0);
    assert_close(rdd[0], -10, 1e-12);
    assert_close(rdd[1], 0.1 * 2 + 0.2 * 10, 1e-12);
    for (size_t row = 0; row < models_rows(result); row++) {
      const double *r = models_row(result, "r", row);
      assert_close(*models_row(result, "length", row), hypot(r[0], r[1]), 1e-12);
    }
    mbs_result_free(result);
  }
}

/* A rod held at rest by its joint: the reaction force and torque are those of statics. */
static void test_reaction_of_a_support(void **unused) {
  (void)unused;
  char *document = models_chain(1, 0);
  mbs_result *result = models_run(document, JSON({"type": "assembly"}));
  const double *reaction = models_row(result, "reactions", 0);
  assert_close(reaction[0], 0, 1e-14);
  assert_close(reaction[1], g, 1e-14);
  assert_close(reaction[2], 0, 1e-14);
  mbs_result_free(result);
  free(document);
}

/* ---- conservation -------------------------------------------------------------------------------------------- */

/* Returns the largest change of the energy balance, divided by the largest kinetic plus potential energy. */
static double energy_change(const mbs_result *result) {
  double scale = 0;
  for (size_t row = 0; row < models_rows(result); row++) {
    const double *energy = models_row(result, "energy", row);
    scale = fmax(scale, fabs(energy[0]) + fabs(energy[1]));
  }
  return result->report.energy_change_max / scale;
}

static void test_energy_of_the_models(void **unused) {
  (void)unused;
  static const char *const names[] = {"SP", "SC", "TP", "SP_bc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *document = models_named(names[i]);
    mbs_result *result = models_run(
        document, analysis(10, 0.05, PART(, "integrator": {"method": "dop853", "rtol": 1e-10, "atol": 1e-11})));
    if (!(energy_change(result) < 1e-8)) fail_msg("%s: energy changes by %.3g", names[i], energy_change(result));
    mbs_result_free(result);
    free(document);
  }
}

/* The balance T + V - work + dissipated is constant for every model, with dampers and drivers. */
static void test_balance_of_the_models(void **unused) {
  (void)unused;
  static const char *const names[] = {"SP",   "SC",     "SCd",   "TP",    "AA",       "MP_A",
                                      "MP_B", "Cart_C", "SP_bc", "AA_bc", "Cart_A_bc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *document = models_named(names[i]);
    mbs_result *result = models_run(
        document, analysis(5, 0.05, PART(, "integrator": {"method": "dop853", "rtol": 1e-10, "atol": 1e-11})));
    if (!(energy_change(result) < 1e-8)) fail_msg("%s: the balance changes by %.3g", names[i], energy_change(result));
    mbs_result_free(result);
    free(document);
  }
}

/* Projection bounds the residuals for every tolerance of the integration. */
static void test_residuals_of_the_models(void **unused) {
  (void)unused;
  static const char *const names[] = {"SC", "SCd", "AA", "MP_A", "MP_B", "Cart_C", "SP_bc", "AA_bc", "Cart_A_bc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (int k = 3; k <= 10; k += 7) {
      char *document = models_named(names[i]), more[96];
      snprintf(more, sizeof more, PART(, "integrator": {"rtol": 1e-%d, "atol": 1e-%d}), k, k + 3);
      mbs_result *result = models_run(document, analysis(5, 0.01, more));
      for (int level = 0; level < 2; level++)
        if (!(result->report.residual_max[level] < 1e-10))
          fail_msg("%s: residual %d is %.3g", names[i], level, result->report.residual_max[level]);
      mbs_result_free(result);
      free(document);
    }
}

/* 1250 oscillations of one and a half seconds, and the phase is still right. */
static void test_a_long_run(void **unused) {
  (void)unused;
  double omega = sqrt(1.5 * g), period = 2 * pi / (omega * agm(1, cos(0.5)));
  char *document = models_chain(1, 1);
  for (int body = 0; body < 2; body++) {
    mbs_result *result = models_run(document, analysis(1250 * period, 125 * period, body ? tight_body : tight));
    assert_true(1250 * period > 2000);
    assert_true(energy_change(result) < 1e-8);
    assert_true(result->report.residual_max[0] < 1e-10);
    for (size_t row = 0; row < models_rows(result); row++) assert_close(*models_row(result, "p", row), 1, 1e-6);
    mbs_result_free(result);
  }
  free(document);
}

/* A crank of 1 kg, rotated at a constant rate: its driver's work equals the gain of potential energy, with its own
 * accuracy although the motion itself has no error. */
static void test_work_of_a_driver(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "crank", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0]}}],
       "joints": [{"name": "O", "type": "revolute", "points": ["ground.O", "crank.A"]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "2*pi*t"}]});
  static const char *const analyses[] = {JSON({"type": "dynamics", "t_end": 9, "dt": 0.1}),
                                         JSON({"type": "dynamics", "formulation": "body", "t_end": 9, "dt": 0.1}),
                                         JSON({"type": "inverse-dynamics", "t_end": 9, "dt": 0.1})};
  for (int k = 0; k < 3; k++) {
    mbs_result *result = models_run(document, analyses[k]);
    for (size_t row = 0; row < models_rows(result); row++) {
      double t = *models_row(result, "T", row);
      assert_close(models_row(result, "energy", row)[2], 0.5 * 9.81 * sin(2 * pi * t), 1e-3);
    }
    mbs_result_free(result);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_period_of_a_pendulum),    cmocka_unit_test(test_projectile),
      cmocka_unit_test(test_spring_and_mass),         cmocka_unit_test(test_reaction_of_a_support),
      cmocka_unit_test(test_energy_of_springs),       cmocka_unit_test(test_order_of_force_elements),
      cmocka_unit_test(test_energy_of_the_models),    cmocka_unit_test(test_balance_of_the_models),
      cmocka_unit_test(test_residuals_of_the_models), cmocka_unit_test(test_a_long_run),
      cmocka_unit_test(test_work_of_a_driver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
