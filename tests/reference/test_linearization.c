/* test_linearization.c - matrices, eigenvalues and modes against closed forms and against differences of energies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "models.h"

static const double pi = 3.14159265358979323846, g = 9.81;
static const char about_equilibrium[] = JSON({"type": "linearization"}),
                  about_state[] = JSON({"type": "linearization", "about": "state"}),
                  about_state_in_body[] = JSON({"type": "linearization", "about": "state", "formulation": "body"}),
                  in_body[] = JSON({"type": "linearization", "formulation": "body"});

/* ---- properties of every result ------------------------------------------------------------------------------ */

static double complex eigenvalue(const mbs_result *result, size_t k) {
  const double *value = models_row(result, "eigenvalues", k);
  return value[0] + value[1] * I;
}

/* Checks (lambda^2 M + lambda C_d + K) shape = 0 for modes in terms of the independent velocities, which are found by
 * their labels; with rows of velocity level there are no such matrices. */
static void check_modes(const mbs_result *result) {
  const mbs_array *M = mbs_result_array(result, "M"), *C = mbs_result_array(result, "C_d"),
                  *K = mbs_result_array(result, "K"), *modes = mbs_result_array(result, "modes");
  if (!M) return;
  size_t n = M->shape[0], nv = modes->shape[1];
  assert_true(M->timeless && modes->timeless);
  assert_int_equal(mbs_result_array(result, "eigenvalues")->shape[0], 2 * n);
  assert_int_equal(mbs_result_array(result, "frequencies")->shape[0], modes->shape[0]);
  for (size_t k = 0; k < modes->shape[0]; k++) {
    double complex lambda = eigenvalue(result, k), shape[16];
    for (size_t i = 0; i < n; i++)
      for (size_t v = 0; v < nv; v++)
        if (strcmp(result->report.velocity_labels[v], M->labels[i]) == 0)
          shape[i] = modes->data[(k * nv + v) * 2] + modes->data[(k * nv + v) * 2 + 1] * I;
    for (size_t i = 0; i < n; i++) {
      double complex sum = 0;
      double size = 0;
      for (size_t j = 0; j < n; j++) {
        double complex term = lambda * lambda * M->data[i * n + j] + lambda * C->data[i * n + j] + K->data[i * n + j];
        sum += term * shape[j];
        size += cabs(lambda * lambda) * fabs(M->data[i * n + j]) + fabs(K->data[i * n + j]);
      }
      assert_true(cabs(sum) <= 1e-9 * (size + 1));
    }
    double size = cabs(lambda);
    if (size > 0) assert_close(*models_row(result, "damping_ratios", k), -creal(lambda) / size, 1e-12);
    assert_close(*models_row(result, "frequencies", k), cimag(lambda) > 0 ? size / (2 * pi) : 0, 1e-12 * size);
  }
}

static mbs_result *linearize(const char *document, const char *how) {
  mbs_result *result = models_run(document, how);
  assert_int_equal(models_rows(result), 1);
  check_modes(result);
  return result;
}

/* ---- closed forms -------------------------------------------------------------------------------------------- */

/* A hanging mass: m x'' + c x' + k x = m g. */
static void test_one_mass(void **unused) {
  (void)unused;
  static const double dampings[] = {0, 3, 40, 60};
  const double m = 2, k = 200;
  for (size_t i = 0; i < 4; i++) {
    char document[1200];
    double c = dampings[i];
    MODEL(document_format,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [0, -1]}},
         "bodies": [
           {"name": "b", "mass": %g, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [0, -1]}}],
         "joints": [
           {"name": "rail", "type": "translational", "points": ["ground.O", "b.C"],
            "vectors": ["ground.u", "b.u"], "initial": {"position": 1}}],
         "forces": [
           {"name": "s", "type": "spring-damper", "points": ["ground.O", "b.C"], "stiffness": %g,
            "damping": %g, "free_length": 0.5}]});
    snprintf(document, sizeof document, document_format, m, k, c);
    mbs_result *result = linearize(document, about_equilibrium);
    assert_close(*models_row(result, "theta", 0), 0.5 + m * g / k, 1e-12);
    assert_close(*models_row(result, "M", 0), m, 1e-12);
    assert_close(*models_row(result, "C_d", 0), c, 1e-9);
    assert_close(*models_row(result, "K", 0), k, 1e-8);
    double complex root = csqrt(c * c - 4 * k * m), wanted = (-c + root) / (2 * m);
    double tolerance = cabs(root) < 1 ? 1e-4 : 1e-9; /* a double eigenvalue */
    assert_true(cabs(eigenvalue(result, 0) - wanted) < tolerance);
    assert_true(cabs(eigenvalue(result, 1) - (-c - root) / (2 * m)) < tolerance);
    if (c < 40) {
      assert_close(*models_row(result, "frequencies", 0), sqrt(k / m) / (2 * pi), 1e-9);
      assert_close(*models_row(result, "damping_ratios", 0), c / (2 * sqrt(k * m)), 1e-9);
    }
    assert_int_equal(result->report.stable, 1);
    mbs_result_free(result);
  }
}

/* A mass of 1 kg on a stiff spring, and another one hanging from it on a spring softer by ten powers of ten: lambda^4 +
 * (k1 + 2 k2) lambda^2 + k1 k2 = 0. */
static void test_soft_next_to_stiff(void **unused) {
  (void)unused;
  static const double soft = 100, stiff = 1e12;
  MODEL(document_format,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [0, -1]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [0, -1]}},
         {"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [0, -1]}}],
       "joints": [
         {"name": "r", "type": "translational", "points": ["ground.O", "a.C"],
          "vectors": ["ground.u", "a.u"], "initial": {"position": 1}},
         {"name": "s", "type": "translational", "points": ["a.C", "b.C"], "vectors": ["a.u", "b.u"],
          "initial": {"position": 1}}],
       "forces": [
         {"name": "stiff", "type": "spring-damper", "points": ["ground.O", "a.C"], "stiffness": %g,
          "free_length": 0.5},
         {"name": "soft", "type": "spring-damper", "points": ["a.C", "b.C"], "stiffness": %g,
          "free_length": 0.5}]});
  char *document = models_text(document_format, stiff, soft);
  mbs_result *result = linearize(document, about_equilibrium);
  const double sum = stiff + 2 * soft, fast = 0.5 * (sum + sqrt(sum * sum - 4 * stiff * soft));
  const double wanted[] = {sqrt(stiff * soft / fast), sqrt(fast)};
  for (size_t k = 0; k < 2; k++) assert_true(cabs(eigenvalue(result, k) - I * wanted[k]) <= 1e-12 * wanted[k]);
  assert_int_equal(result->report.stable, 1);
  mbs_result_free(result);
  free(document);
}

/* A mass of 1 kg on a stiff spring along a rail, a pendulum hanging from it: with the rail's direction (ux, uy),
 *
 *   M = (2, l ux; l ux, J + l^2),   K = diag(k, g l). */
static void test_pendulum_from_a_stiff_mass(void **unused) {
  (void)unused;
  static const double rails[2][2] = {{0, -1}, {0.6, -0.8}}, l = 0.7, J = 0.1;
  static const char *const ways[] = {about_equilibrium, in_body};
  MODEL(document_format,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [%g, %g]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"position": [%g, %g]}},
         {"name": "b", "mass": 1, "inertia": %g, "points": {"A": [0, %g]},
          "initial": {"position": [%g, %g]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "a.C"],
          "vectors": ["ground.u", "a.u"], "initial": {"position": 1}},
         {"name": "pin", "type": "revolute", "points": ["a.C", "b.A"]}],
       "forces": [
         {"name": "s", "type": "spring-damper", "points": ["ground.O", "a.C"], "stiffness": %g,
          "free_length": 0.5}]});
  for (int i = 0; i < 24; i++) {
    const double *u = rails[i / 12], k = pow(10, 2 + 2 * (i / 2 % 6)), coupling = l * u[0];
    char *document = models_text(document_format, u[0], u[1], u[0], u[1], J, l, u[0] + 0.05, u[1] - l, k);
    mbs_result *result = linearize(document, ways[i % 2]);
    assert_close(models_row(result, "p", 0)[1], 0, 1e-12);
    const double a = 2 * (J + l * l) - coupling * coupling, b = 2 * g * l + (J + l * l) * k, c = k * g * l;
    const double larger = 0.5 * (b + sqrt(b * b - 4 * a * c)), wanted[] = {sqrt(c / larger), sqrt(larger / a)};
    for (size_t m = 0; m < 2; m++) {
      const double off = cabs(eigenvalue(result, m) - I * wanted[m]) / wanted[m];
      if (!(off <= 1e-12)) fail_msg("k = %g, way %d: eigenvalue %zu is off by %.2g", k, i % 2, m, off);
    }
    mbs_result_free(result);
    free(document);
  }
}

/* Two equal point masses on threads of length 1: omega^2 = (2 -+ sqrt 2) g / l, angles 1 : +- sqrt 2. */
MODEL(double_pendulum,
    {"space": "planar", "gravity": [0, -9.81],
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [
       {"name": "a", "mass": 1, "inertia": 0, "points": {"A": [0, 1], "C": [0, 0]},
        "initial": {"position": [0.4, -0.9]}},
       {"name": "b", "mass": 1, "inertia": 0, "points": {"A": [0, 1]}, "initial": {"position": [1, -1.6]}}],
     "joints": [
       {"name": "p", "type": "revolute", "points": ["ground.O", "a.A"], "initial": {"position": 0.4}},
       {"name": "q", "type": "revolute", "points": ["a.C", "b.A"],      "initial": {"position": 0.3}}]});

static void test_double_pendulum(void **unused) {
  (void)unused;
  mbs_result *result = linearize(double_pendulum, about_equilibrium);
  assert_close(*models_row(result, "frequencies", 0), sqrt((2 - sqrt(2)) * g) / (2 * pi), 1e-10);
  assert_close(*models_row(result, "frequencies", 1), sqrt((2 + sqrt(2)) * g) / (2 * pi), 1e-10);
  for (size_t k = 0; k < 2; k++) { /* relative angles: second over first is ratio - 1 */
    const double *mode = models_row(result, "modes", k);
    assert_close(mode[2] / mode[0], (k ? -sqrt(2) : sqrt(2)) - 1, 1e-8);
    assert_close(mode[1], 0, 1e-8);
  }
  assert_int_equal(result->report.stable, 1);
  mbs_result_free(result);
}

/* An inverted rod of 1 kg and 1 m: lambda = +- sqrt(m g l / J) = sqrt(3 g / 2). */
static void test_inverted_pendulum(void **unused) {
  (void)unused;
  char *document = models_chain(1, pi);
  static const char *const ways[] = {about_equilibrium, about_state, in_body};
  for (size_t i = 0; i < 3; i++) {
    mbs_result *result = linearize(document, ways[i]);
    assert_close(models_row(result, "eigenvalues", 0)[0], sqrt(1.5 * g), 1e-9);
    assert_close(models_row(result, "eigenvalues", 1)[0], -sqrt(1.5 * g), 1e-9);
    assert_close(*models_row(result, "frequencies", 0), 0, 0);
    assert_int_equal(result->report.stable, 0);
    mbs_result_free(result);
  }
  free(document);
}

/* A bead on an arm that a motor rotates at w: about this motion K = k - m w^2, and the centrifugal force acts. */
static void test_about_a_motion(void **unused) {
  (void)unused;
  const double k = 50, m = 2, w = 3;
  MODEL(bead,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "arm",  "mass": 1, "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         {"name": "bead", "mass": 2, "inertia": 0, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "axle", "type": "revolute", "points": ["ground.O", "arm.O"], "initial": {"velocity": 3}},
         {"name": "slot", "type": "translational", "points": ["arm.O", "bead.C"],
          "vectors": ["arm.u", "bead.u"], "initial": {"position": 0.5}}],
       "forces": [
         {"name": "s", "type": "spring-damper", "points": ["arm.O", "bead.C"], "stiffness": 50,
          "free_length": 0.32, "damping": "4 + 2*ld"}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "axle", "function": "3*t"}]});
  mbs_result *result = linearize(bead, about_state);
  assert_close(*models_row(result, "M", 0), m, 1e-12);
  assert_close(*models_row(result, "K", 0), k - m * w * w, 1e-8);
  assert_close(*models_row(result, "C_d", 0), 4, 1e-8);
  assert_close(models_row(result, "theta_d", 0)[0], w, 1e-12);
  mbs_result_free(result);
}

/* ---- motions -------------------------------------------------------------------------------------------------- */

/* Runs a bead of m = 1.5 kg on a spring of 40 N/m and 0.4 N s/m, at r = 0.7 m of an arm that rotates at w = 3 rad/s,
 * where the spring force equals the centrifugal force. The arm is driven or free. */
static mbs_status run_turning_bead(double phase, bool driven, const char *how, mbs_result **result, mbs_error *error) {
  MODEL(format,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "arm",  "mass": 1,   "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         {"name": "bead", "mass": 1.5, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "axle", "type": "revolute", "points": ["ground.O", "arm.O"],
          "initial": {"position": %.17g, "velocity": 3}},
         {"name": "slot", "type": "translational", "points": ["arm.O", "bead.P"],
          "vectors": ["arm.u", "bead.u"], "initial": {"position": 0.7}}],
       "forces": [
         {"name": "s", "type": "spring-damper", "points": ["arm.O", "bead.P"], "stiffness": 40,
          "free_length": "0.7 - 1.5*9*0.7/40", "damping": 0.4}],
       "drivers": [%s]});
  char *motor =
           models_text(JSON({"name": "motor", "type": "joint", "joint": "axle", "function": "3*t + %.17g"}), phase),
       *document = models_text(format, phase, driven ? motor : "");
  const mbs_status status = models_try_run(document, how, result, error);
  free(document);
  free(motor);
  return status;
}

/* The rotating frame gives m x'' + c x' + (k - m w^2) x = 0. If the arm is free the angular momentum (J + m r^2) w is
 * constant, and the stiffness is greater by 4 m^2 r^2 w^2 / (J + m r^2). This holds for every phase, and for joint
 * coordinates of either formulation. Positions along fixed axes have other eigenvalues, which depend on the phase. */
static void test_bead_of_a_turning_arm(void **unused) {
  (void)unused;
  static const double phases[] = {0, 0.7, 1.5707963267948966, 2.5, -4};
  static const char *const ways[] = {
      JSON({"type": "linearization", "about": "state"}),
      JSON({"type": "linearization", "about": "state", "formulation": "body", "hold": ["axle", "slot"]}),
      JSON({"type": "linearization", "about": "state", "formulation": "body", "hold": ["slot"]}),
      JSON({"type": "linearization", "about": "state", "formulation": "body"})};
  const double m = 1.5, k = 40, c = 0.4, r = 0.7, w = 3, J = 2;
  const double inertia = J + m * r * r,
               stiffness[] = {k - m * w * w + 4 * m * m * r * r * w * w / inertia, k - m * w * w};
  for (size_t i = 0; i < 2 * sizeof phases / sizeof *phases; i++)
    for (int way = 0; way < 4; way++) {
      const bool driven = i % 2, refused = way == 2 && !driven;
      if (way == 1 && driven) continue; /* the driver prescribes the coordinate of the axle */
      mbs_result *result;
      mbs_error error = {0};
      const mbs_status status = run_turning_bead(phases[i / 2], driven, ways[way], &result, &error);
      assert_int_equal(status, refused ? MBS_INVALID : MBS_OK);
      assert_int_equal(result->report.stable, -1);
      if (refused) {
        assert_string_equal(error.pointer, "/analysis/about");
        assert_non_null(strstr(error.message, "depend on the choice of independent coordinates"));
      } else {
        const double real = -c / (2 * m), imaginary = sqrt(stiffness[driven] / m - real * real);
        const size_t last = mbs_result_array(result, "frequencies")->shape[0] - 1;
        assert_true(cabs(eigenvalue(result, last) - real - imaginary * _Complex_I) < 1e-9);
        assert_null(models_note(result, "not_steady")); /* the same equations hold at every angle of the arm */
      }
      mbs_result_free(result);
    }
}

/* A pendulum of 0.5 m that hangs still from a cart, which moves at 2 m/s, driven or free, on a slope. No direction
 * rotates, so all coordinates have equal eigenvalues, with omega^2 = m g l / (J + m l^2) if the cart is driven. */
static void test_motion_along_a_line(void **unused) {
  (void)unused;
  for (int i = 0; i < 4; i++) {
    const bool driven = i / 2, in_joints = i % 2;
    MODEL(format,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, %g]}},
         "bodies": [
           {"name": "cart", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, %g]}},
           {"name": "rod", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0.5]}}],
         "joints": [
           {"name": "rail", "type": "translational", "points": ["ground.O", "cart.C"],
            "vectors": ["ground.u", "cart.u"], "initial": {"position": 0.3, "velocity": 2}},
           {"name": "pin", "type": "revolute", "points": ["cart.C", "rod.A"]}],
         "drivers": [%s],
         "analysis": {"type": "linearization", "about": "state", "formulation": "%s"}});
    const double slope = driven ? 0.3 : 0;
    char *document =
        models_text(format, slope, slope,
                    driven ? JSON({"name": "motor", "type": "joint", "joint": "rail", "function": "0.3 + 2*t"}) : "",
                    in_joints ? "joint" : "body");
    mbs_result *result = linearize(document, NULL);
    const size_t last = mbs_result_array(result, "frequencies")->shape[0] - 1;
    /* M = (3, l; l, J + l^2), K = diag(0, g l) if the cart is free */
    const double inertia = 0.1 + 0.25 - (driven ? 0 : 0.25 / 3);
    assert_true(cabs(eigenvalue(result, last) - sqrt(0.5 * g / inertia) * _Complex_I) < 1e-8);
    assert_null(models_note(result, "not_steady"));
    assert_int_equal(result->report.stable, -1);
    mbs_result_free(result);
    free(document);
  }
}

/* A bead on a spring on a rail: its coefficients are constant wherever it moves. They change if the stiffness depends
 * on time, even at rest, or on the position; not if only a sensor or a load depends on time. */
static void test_changing_coefficients(void **unused) {
  (void)unused;
  static const struct {
    const char *force;
    double position, velocity;
    const char *note;
  } cases[] = {{"-40*rail.q - 0.3*rail.qd", 0, 0, NULL},
               {"-40*rail.q - 0.3*rail.qd", 0.5, -2, NULL},
               {"-40*rail.q - 0.3*rail.qd + 5*sin(3*t)", 0, 0, NULL},
               {"-40*rail.q*(1 + 0.1*sin(3*t))", 0, 0, "not_steady: laws depend on t, and"},
               {"-40*rail.q*(1 + 0.1*cos(128*pi*t))", 0, 0, "not_steady: laws depend on t, and"},
               {"-40*rail.q^3 - 40*rail.q", 0, 0, NULL},
               {"-40*rail.q^3 - 40*rail.q", 0.5, 0, "not_steady: the forces at the state are not balanced"},
               {"-40*rail.q^3 - 40*rail.q", 0, 2, "not_steady: the state is not at rest ('"},
               {"-40*rail.q - rail.qd^3", 0, 2, "not_steady: the state is not at rest ('"}};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    MODEL(format,
        {"space": "planar", "gravity": [0, 0],
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         "bodies": [{"name": "bead", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
         "joints": [
           {"name": "rail", "type": "translational", "points": ["ground.O", "bead.C"],
            "vectors": ["ground.u", "bead.u"], "initial": {"position": %g, "velocity": %g}}],
         "forces": [{"name": "law", "type": "force", "point": "bead.C", "value": ["%s", 0]}],
         "sensors": [{"name": "now", "value": "t"}],
         "analysis": {"type": "linearization", "about": "state", "formulation": "%s"}});
    const char *note = cases[i / 2].note;
    char *document =
        models_text(format, cases[i / 2].position, cases[i / 2].velocity, cases[i / 2].force, i % 2 ? "joint" : "body");
    mbs_result *result = linearize(document, NULL);
    if (!note) assert_null(models_note(result, "not_steady"));
    if (note) assert_non_null(models_note(result, note));
    mbs_result_free(result);
    free(document);
  }
}

/* Ziegler's column: two rods of 1 m with springs of 1 N m/rad, masses 2 and 1 kg at their ends, under a compressive
 * force that follows the second rod. Its only equilibrium is the straight one, which flutters from P = 7/2 - sqrt(2)
 * on, although K is regular. */
static void test_follower_force(void **unused) {
  (void)unused;
  static const double shares[] = {0.5, 0.999, 1.001, 1.1}, starts[] = {0, 0.2};
  double critical = 3.5 - sqrt(2);
  for (size_t i = 0; i < 8; i++) {
    char document[1500];
    double P = critical * shares[i / 2];
    MODEL(document_format,
        {"space": "planar",
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [
           {"name": "a", "mass": 2, "inertia": 0, "points": {"O": [-1, 0], "A": [0, 0]}},
           {"name": "b", "mass": 1, "inertia": 0, "points": {"A": [-1, 0], "T": [0, 0]}}],
         "joints": [
           {"name": "O", "type": "revolute", "points": ["ground.O", "a.O"], "initial": {"position": %g}},
           {"name": "A", "type": "revolute", "points": ["a.A", "b.A"]}],
         "forces": [
           {"name": "s", "type": "rotational-spring-damper", "joint": "O", "stiffness": 1},
           {"name": "r", "type": "rotational-spring-damper", "joint": "A", "stiffness": 1},
           {"name": "P", "type": "force", "point": "b.T", "value": [%.17g, 0], "frame": "body"}]});
    snprintf(document, sizeof document, document_format, starts[i % 2], -P);
    mbs_result *result = linearize(document, about_equilibrium);
    const double *K = models_row(result, "K", 0);
    assert_close(K[0], 1, 1e-8);
    assert_close(K[1], P, 1e-8);
    assert_close(K[2], 0, 1e-8);
    assert_close(K[3], 1, 1e-8);
    assert_int_equal(result->report.stable, shares[i / 2] < 1);
    mbs_result_free(result);
  }
}

/* ---- closed loops -------------------------------------------------------------------------------------------- */

/* Measures kinetic energy for the crank at 1 rad/s, potential energy, and length of the spring of the four-bar after
 * the crank is rotated by `shift`. */
static void measure(const char *document, const mbs_result *at, double shift, double *T, double *V, double *l) {
  char text[6000], how[] = JSON({"type": "assembly", "hold": ["O"]}), *start = models_with_state(document, at, 0);
  /* The initial value of the crank's joint takes precedence over that of the body. */
  char *joint = strstr(start, PART("name": "O"));
  assert_non_null(joint);
  MODEL(turned_on,
      %.*s "initial": {"position": %.17g, "velocity": 1}, %s);
  snprintf(text, sizeof text, turned_on, (int)(joint - start), start, models_row(at, "p", 0)[0] + shift, joint);
  mbs_result *result = models_run(text, how);
  const double *energy = models_row(result, "energy", 0), *tip = models_row(result, "rP", 0) + 2 * 6;
  *T = energy[0];
  *V = energy[1];
  *l = hypot(0.4 - tip[0], 1.5 - tip[1]);
  mbs_result_free(result);
  free(start);
}

static double first_difference(const double *f, double h) { return (f[0] - 8 * f[1] + 8 * f[3] - f[4]) / (12 * h); }

static double second_difference(const double *f, double h) {
  return (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / (12 * h * h);
}

/* The crank as the independent coordinate q: M = 2 T for q' = 1, K = V'', C_d = c (l')^2. */
static void test_spring_held_four_bar(void **unused) {
  (void)unused;
  char *document = models_named("FourBar_equilibrium");
  mbs_result *result = linearize(document, JSON({"type": "linearization", "hold": ["O"]}));
  double T[5], V[5], l[5], h = 1e-2;
  for (int i = 0; i < 5; i++) measure(document, result, (i - 2) * h, &T[i], &V[i], &l[i]);
  assert_string_equal(mbs_result_array(result, "M")->labels[0], "O.qd");
  assert_close(*models_row(result, "M", 0), 2 * T[2], 1e-10);
  assert_close(*models_row(result, "K", 0), second_difference(V, h), 1e-5);
  assert_close(*models_row(result, "C_d", 0), pow(first_difference(l, h), 2), 1e-7);
  assert_int_equal(result->report.stable, 1);
  mbs_result *other = linearize(document, in_body);
  for (size_t k = 0; k < 2; k++) assert_true(cabs(eigenvalue(result, k) - eigenvalue(other, k)) < 1e-8);
  mbs_result_free(result);
  mbs_result_free(other);
  free(document);
}

/* Both formulations have equal eigenvalues, and a small vibration has the frequency that they predict. */
static void test_formulations_agree(void **unused) {
  (void)unused;
  static const char *const names[] = {"SP", "SC", "AA", "TP", "MP_A", "PendulumSpring_ball"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *document = models_named(names[i]);
    mbs_result *one = linearize(document, about_equilibrium), *two = linearize(document, in_body);
    size_t count = mbs_result_array(one, "eigenvalues")->shape[0];
    assert_int_equal(count, mbs_result_array(two, "eigenvalues")->shape[0]);
    for (size_t k = 0; k < count; k++) {
      double nearest = INFINITY, size = cabs(eigenvalue(one, k));
      for (size_t j = 0; j < count; j++) nearest = fmin(nearest, cabs(eigenvalue(one, k) - eigenvalue(two, j)));
      if (!(nearest < 1e-6 * (1 + size))) fail_msg("%s: eigenvalue %zu differs by %.3g", names[i], k, nearest);
    }
    assert_int_equal(one->report.stable, two->report.stable);
    mbs_result_free(one);
    mbs_result_free(two);
    free(document);
  }
}

/* Two carts and a spring: one mode with omega^2 = k (1/m1 + 1/m2), and a free motion of both, whose double zero must
 * not appear as a pair of rounding errors. */
static void test_free_motion(void **unused) {
  (void)unused;
  static const char *const ways[] = {about_equilibrium, about_state, in_body};
  for (int k = 0; k < 12; k++) { /* different positions, which round differently */
    char document[1600];
    MODEL(document_format,
        {"space": "planar",
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         "bodies": [
           {"name": "a", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
           {"name": "b", "mass": 3, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
         "joints": [
           {"name": "ja", "type": "translational", "points": ["ground.O", "a.C"],
            "vectors": ["ground.u", "a.u"], "initial": {"position": %.17g}},
           {"name": "jb", "type": "translational", "points": ["ground.O", "b.C"],
            "vectors": ["ground.u", "b.u"], "initial": {"position": %.17g}}],
         "forces": [
           {"name": "s", "type": "spring-damper", "points": ["a.C", "b.C"], "stiffness": 48,
            "free_length": 1}]});
    snprintf(document, sizeof document, document_format, 0.1 * k * k, 0.1 * k * k + 1);
    mbs_result *result = linearize(document, ways[k % 3]);
    assert_int_equal(mbs_result_array(result, "frequencies")->shape[0], 3);
    for (size_t mode = 0; mode < 2; mode++) {
      assert_true(eigenvalue(result, mode) == 0);
      assert_close(*models_row(result, "frequencies", mode), 0, 0);
      assert_close(*models_row(result, "damping_ratios", mode), 0, 0);
    }
    assert_close(*models_row(result, "frequencies", 2), 8 / (2 * pi), 1e-8);
    assert_close(*models_row(result, "damping_ratios", 2), 0, 1e-8);
    assert_int_equal(result->report.stable, -1);
    mbs_result_free(result);
  }
}

/* A top that spins upright on a ball joint: its tilt a + b i satisfies   I_1 s^2 - i I_3 omega s - m g l = 0. The tilt
 * is a rotation on top of an orientation that itself rotates. */
static void test_spinning_top(void **unused) {
  const double m = 1, l = 0.5, inertia = 0.1 + m * l * l, spin = 0.05, weight = m * g * l;
  const double critical = 2 * sqrt(inertia * weight) / spin, shares[] = {1.01, 2, 0.7, 0};
  (void)unused;
  for (size_t i = 0; i < 8; i++) {
    const double omega = shares[i / 2] * critical;
    char *document = models_text(
        PART({"space": "spatial", "gravity": [0, 0, -9.81], "ground": {"points": {"O": [0, 0, 0]}},
      "bodies": [{"name": "top", "mass": 1, "inertia": [0.1, 0.1, 0.05], "points": {"O": [0, 0, -0.5]},
                  "initial": {"position": [0, 0, 0.5], "angular_velocity": [0, 0, %.17g]}}],
      "joints": [{"name": "O", "type": "spherical", "points": ["ground.O", "top.O"]}]}),
                                                          omega);
    mbs_result *result = models_run(
        document, i % 2 ? JSON({"type": "linearization", "about": "state", "formulation": "body"}) : about_state);
    /* s, and its conjugate for the opposite tilt; the spin itself has a double zero */
    const double complex root = csqrt(4 * inertia * weight - spin * spin * omega * omega);
    for (int sign = -1; sign <= 1; sign += 2) {
      const double complex expected = (spin * omega * I + sign * root) / (2 * inertia);
      double nearest[2] = {INFINITY, INFINITY};
      for (size_t k = 0; k < 6; k++) {
        nearest[0] = fmin(nearest[0], cabs(eigenvalue(result, k) - expected));
        nearest[1] = fmin(nearest[1], cabs(eigenvalue(result, k) - conj(expected)));
      }
      if (!(fmax(nearest[0], nearest[1]) < 1e-7))
        fail_msg("case %zu: none is %.9g %+.9gi", i, creal(expected), cimag(expected));
    }
    mbs_result_free(result);
    free(document);
  }
}

static void test_nothing_can_move(void **unused) {
  (void)unused;
  char *document = models_named("SCd");
  mbs_result *result = models_run(document, about_equilibrium);
  assert_int_equal(mbs_result_array(result, "M")->shape[0], 0);
  assert_int_equal(mbs_result_array(result, "modes")->shape[0], 0);
  assert_int_equal(result->report.stable, 1);
  mbs_result_free(result);
  free(document);
}

/* ---- sticking friction --------------------------------------------------------------------------------------- */

/* Returns the number of zero eigenvalues, and the eigenvalue with the largest imaginary part. */
static size_t count_zeros(const mbs_result *result, double complex *fastest) {
  size_t zeros = 0, count = mbs_result_array(result, "eigenvalues")->shape[0];
  *fastest = 0;
  for (size_t k = 0; k < count; k++) {
    zeros += eigenvalue(result, k) == 0;
    if (cimag(eigenvalue(result, k)) > cimag(*fastest)) *fastest = eigenvalue(result, k);
  }
  return zeros;
}

/* A block of 2 kg held by dry friction between springs does not vibrate. A second one of 3 kg without friction,
 * attached to it, vibrates as if attached to the ground: omega^2 = k / 3. */
static void test_held_block(void **unused) {
  (void)unused;
  static const char *const laws[] = {"-5*sign(a.vx)", "if(a.vx > 0, -5, 5)", "-5*a.vx/abs(a.vx)"};
  static const char *const analyses[] = {JSON({"type": "linearization"}),
                                         JSON({"type": "linearization", "formulation": "body"}),
                                         JSON({"type": "linearization", "about": "state"}),
                                         JSON({"type": "linearization", "about": "state", "formulation": "body"})};
  const double k = 48;
  for (int n = 0; n < 12; n++) {
    MODEL(blocks,
        {"space": "planar", "gravity": [0, 0],
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         "bodies": [
           {"name": "a", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
           {"name": "b", "mass": 3, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
         "joints": [
           {"name": "ja", "type": "translational", "points": ["ground.O", "a.C"],
            "vectors": ["ground.u", "a.u"]},
           {"name": "jb", "type": "translational", "points": ["a.C", "b.C"],
            "vectors": ["a.u", "b.u"], "initial": {"position": 1}}],
         "forces": [
           {"name": "dry", "type": "force", "body": "a", "value": ["%s", 0]},
           {"name": "s", "type": "force", "body": "a", "value": ["-50*(a.x - 0.05)", 0]},
           {"name": "t", "type": "spring-damper", "points": ["a.C", "b.C"], "stiffness": %g, "free_length": 1}]});
    char *document = models_text(blocks, laws[n / 4], k);
    double complex fastest;
    mbs_result *result = linearize(document, analyses[n % 4]);
    /* the guard a.vx = 0 is a row of velocity level, which leaves one eigenvalue of zero */
    assert_null(mbs_result_array(result, "M"));
    assert_int_equal(mbs_result_array(result, "eigenvalues")->shape[0], 3);
    assert_int_equal(mbs_result_array(result, "state_matrix")->shape[0], 3);
    assert_int_equal(count_zeros(result, &fastest), 1);
    assert_true(cabs(fastest - sqrt(k / 3) * I) < 1e-8);
    assert_close(models_row(result, "forces", 0)[0], -2.5, 1e-11);
    assert_non_null(models_note(result, "'dry' (/model/forces/0/value/0) sticks at the state"));
    assert_int_equal(result->report.stable, -1);
    mbs_result_free(result);
    free(document);
  }
}

/* A disc of 1 kg and radius 1 m rolls upright at w: 5/4 lean'' = (1 - 3 w^2) lean with |g| = 1, from (I + m R^2) lean''
 * - (J + m R^2) w heading' = m g R lean and I heading' = -J w lean + const, I = 1/4, J = 1/2. Two friction laws, one
 * along each axis, stick for every bound and heading. */
static void test_rolling_disc(void **unused) {
  (void)unused;
  const double speeds[] = {1, 0.3, 2}, headings[] = {0, 0.5};
  for (int n = 0; n < 24; n++) {
    const double w = speeds[n / 2 % 3], heading = headings[n / 6 % 2], bound = n / 12 ? 20 : 3;
    MODEL(disc,
        {"space": "spatial", "gravity": [0, 0, -1], "parameters": {"F": %g},
         "bodies": [
           {"name": "d", "mass": 1, "inertia": [0.25, 0.5, 0.25],
            "initial": {"position": [0, 0, 1], "orientation": {"axis": [0, 0, 1], "angle": %.17g},
                        "velocity": [%.17g, %.17g, 0], "angular_velocity": [%.17g, %.17g, 0]}}],
         "joints": [{"name": "touch", "type": "expression", "value": "d.z - sqrt(1 - d.A32^2)"}],
         "forces": [
           {"name": "f", "type": "force", "body": "d", "value": ["-F*sign(%s)", "-F*sign(%s)", 0]},
           {"name": "n", "type": "torque", "body": "d",
            "value": ["-F*sqrt(1 - d.A32^2)*sign(%s)", "F*sqrt(1 - d.A32^2)*sign(%s)",
                      "F*d.A32/sqrt(1 - d.A32^2)*(d.A22*sign(%s) - d.A12*sign(%s))"]}]});
    static const char x[] = "d.vx - d.omega_y*sqrt(1 - d.A32^2) - d.omega_z*d.A22*d.A32/sqrt(1 - d.A32^2)",
                      y[] = "d.vy + d.omega_z*d.A12*d.A32/sqrt(1 - d.A32^2) + d.omega_x*sqrt(1 - d.A32^2)";
    const double c = cos(heading), s = sin(heading), square = (1 - 3 * w * w) / 1.25;
    char *document = models_text(disc, bound, heading, w * c, w * s, -w * s, w * c, x, y, y, x, x, y);
    double complex fastest;
    mbs_result *result = models_run(document, n % 2 ? about_state_in_body : about_state);
    size_t zeros = count_zeros(result, &fastest), found = 0;
    assert_int_equal(mbs_result_array(result, "eigenvalues")->shape[0], 8); /* 5 coordinates, 3 velocities */
    for (size_t k = 0; k < 8; k++) found += cabs(eigenvalue(result, k) - csqrt(square)) < 1e-7;
    assert_int_equal(found, 1);
    if (square < 0) assert_true(cabs(fastest - csqrt(square)) < 1e-7);
    if (heading == 0) assert_int_equal(zeros, 6);
    assert_non_null(models_note(result, "sticks at the state"));
    mbs_result_free(result);
    free(document);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_mass),
      cmocka_unit_test(test_soft_next_to_stiff),
      cmocka_unit_test(test_pendulum_from_a_stiff_mass),
      cmocka_unit_test(test_double_pendulum),
      cmocka_unit_test(test_inverted_pendulum),
      cmocka_unit_test(test_about_a_motion),
      cmocka_unit_test(test_bead_of_a_turning_arm),
      cmocka_unit_test(test_motion_along_a_line),
      cmocka_unit_test(test_changing_coefficients),
      cmocka_unit_test(test_spinning_top),
      cmocka_unit_test(test_follower_force),
      cmocka_unit_test(test_spring_held_four_bar),
      cmocka_unit_test(test_formulations_agree),
      cmocka_unit_test(test_nothing_can_move),
      cmocka_unit_test(test_free_motion),
      cmocka_unit_test(test_held_block),
      cmocka_unit_test(test_rolling_disc),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
