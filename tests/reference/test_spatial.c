/* test_spatial.c - mechanisms in space with known motions: the strut of the seed, closed forms, planar mechanisms. */
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
#include "models.h"

static const double pi = 3.14159265358979323846;

static const char tight[] = PART("integrator": {"method": "dop853", "rtol": 1e-13, "atol": 1e-13});

static const char *const formulations[] = {"joint", "body"};

static mbs_result *run_named(const char *name, const char *analysis) {
  char *document = models_named(name);
  mbs_result *result = models_run(document, analysis);
  free(document);
  return result;
}

/* ---- the strut of seed 001, whose numbers are in seeds.json --------------------------------------------------- */

static void test_strut_jacobian(void **unused) {
  (void)unused;
  mbs_result *result = run_named("McPherson", NULL);
  const mbs_array *Jac_p = mbs_result_array(result, "Jac_p");
  assert_non_null(Jac_p);
  assert_int_equal(Jac_p->shape[1], 21);
  assert_int_equal(Jac_p->shape[2], 21);
  assert_true(result->report.jacobian_error < 1e-7);
  /* Row of the norm of the arm's Euler parameters: 2 p'. */
  const double *p = models_row(result, "p", 0), *row = models_row(result, "Jac_p", 0) + 18 * 21;
  for (int k = 0; k < 4; k++) assert_close(row[3 + k], 2 * p[k], 1e-15);
  assert_close(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], 1, 1e-15);
  mbs_result_free(result);
}

/* The report on the Jacobian does not depend on the selected arrays. */
static void test_strut_without_its_jacobian(void **unused) {
  (void)unused;
  mbs_result *all = run_named("McPherson", NULL),
             *few = run_named("McPherson", "{\"type\": \"kinematics\", \"formulation\": \"body\", \"t_end\": 1,"
                                           " \"dt\": 0.05, \"outputs\": [\"uT\"]}");
  assert_null(mbs_result_array(few, "Jac_p"));
  assert_true(few->report.jacobian_error == all->report.jacobian_error);
  mbs_result_free(few);
  mbs_result_free(all);
}

/* Accelerations, which the seed does not list, against differences of the velocities. */
static void test_strut_accelerations(void **unused) {
  (void)unused;
  static const char *const models[] = {"McPherson", "McPherson_arm"};
  static const char *const pairs[][2] = {{"rd", "rdd"}, {"omega", "omega_d"}};
  for (int m = 0; m < 2; m++) {
    mbs_result *result = run_named(models[m], JSON({"type": "kinematics", "t_end": 1, "dt": 0.01}));
    for (size_t row = 2; row + 2 < models_rows(result); row++)
      for (int k = 0; k < 2; k++)
        for (size_t c = 0; c < models_columns(result, pairs[k][0]); c++) {
          double v[5];
          for (size_t i = 0; i < 5; i++) v[i] = models_row(result, pairs[k][0], row + i - 2)[c];
          assert_close(models_row(result, pairs[k][1], row)[c], (v[0] - 8 * v[1] + 8 * v[3] - v[4]) / 0.12, 2e-6);
        }
    mbs_result_free(result);
  }
}

static void test_strut_driven_at_its_arm(void **unused) {
  (void)unused;
  mbs_result *result = run_named("McPherson_arm", JSON({"type": "kinematics", "t_end": 1, "dt": 0.5}));
  for (size_t row = 0; row < 3; row++) {
    double angle = (5 + 7.5 * (double)row) * pi / 180;
    const double *p = models_row(result, "p", row), *omega = models_row(result, "omega", row);
    assert_close(2 * acos(p[0]), angle, 1e-12);
    assert_close(p[3], sin(angle / 2), 1e-13);
    assert_close(omega[2], 15 * pi / 180, 1e-13);
  }
  mbs_result_free(result);
}

/* ---- bodies that spin ---------------------------------------------------------------------------------------- */

/* Computes sn, cn, dn of u and the parameter m = k^2, by the arithmetic-geometric mean (Abramowitz and Stegun,
 * 16.4). */
static void jacobi(double u, double m, double out[3]) {
  double a[20], c[20], b = sqrt(1 - m), phi;
  int n = 0;
  a[0] = 1;
  c[0] = sqrt(m);
  while (fabs(c[n]) > 1e-16 && n < 18) {
    double mean = (a[n] + b) / 2, rest = (a[n] - b) / 2;
    b = sqrt(a[n] * b);
    a[++n] = mean;
    c[n] = rest;
  }
  phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
  out[0] = sin(phi);
  out[1] = cos(phi);
  out[2] = sqrt(1 - m * out[0] * out[0]);
}

/* Computes F(phi | m) by Simpson's rule. */
static double elliptic_integral(double phi, double m) {
  enum { STEPS = 20000 };
  double sum = 0;
  for (int k = 0; k <= STEPS; k++) {
    double s = sin(phi * k / STEPS);
    sum += (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) / sqrt(1 - m * s * s);
  }
  return sum * phi / (3 * STEPS);
}

/* Rotation of a torque-free body (Landau and Lifshitz, Mechanics, section 37), for L^2 > 2 T I2: omega = (A1 cn, A2 sn,
 * A3 dn) of a time scaled by `rate`. */
static void test_torque_free(void **unused) {
  (void)unused;
  const double I[] = {1, 2, 3}, start[] = {0.3, 1.5, 0.9};
  double T2 = 0, L2 = 0;
  for (int k = 0; k < 3; k++) {
    T2 += I[k] * start[k] * start[k];
    L2 += I[k] * I[k] * start[k] * start[k];
  }
  assert_true(L2 > T2 * I[1]);
  double A1 = sqrt((T2 * I[2] - L2) / (I[0] * (I[2] - I[0]))), A2 = sqrt((T2 * I[2] - L2) / (I[1] * (I[2] - I[1])));
  double A3 = sqrt((L2 - T2 * I[0]) / (I[2] * (I[2] - I[0])));
  double rate = sqrt((I[2] - I[1]) * (L2 - T2 * I[0]) / (I[0] * I[1] * I[2]));
  double m = (I[1] - I[0]) * (T2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - T2 * I[0]));
  double tau0 = elliptic_integral(atan2(start[1] / A2, start[0] / A1), m);
  char *document = models_named("TorqueFree"), analysis[256];
  snprintf(analysis, sizeof analysis, PART({"t_end": 20, "dt": 0.5, %s}), tight);
  char *place = strstr(document, "[0.01, 2, 0.01]");
  assert_non_null(place);
  memcpy(place, "[0.3,1.5, 0.90]", 15);
  mbs_result *result = models_run(document, analysis);
  for (size_t row = 0; row < models_rows(result); row++) {
    double wanted[3];
    jacobi(tau0 + rate * *models_row(result, "T", row), m, wanted);
    assert_close(*models_row(result, "omega1", row), A1 * wanted[1], 1e-9);
    assert_close(*models_row(result, "omega2", row), A2 * wanted[0], 1e-9);
    assert_close(*models_row(result, "omega3", row), A3 * wanted[2], 1e-9);
    const double *p = models_row(result, "p", row);
    assert_close(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], 1, 1e-14);
  }
  mbs_result_free(result);
  free(document);
}

/* The heavy symmetric top (Goldstein, section 5.7): u = cos(nutation) is between the roots u1 <= u2 < u3 of a cubic, u
 * = u1 + (u2 - u1) sn^2; the nutation starts from zero velocity at u2. Energy, spin and angular momentum about the
 * vertical are constant. */
static void test_top(void **unused) {
  (void)unused;
  const double m = 0.5, l = 0.1, g = 9.81, I1 = 0.0004 + m * l * l, I3 = 0.0006, spin = 150, u2 = cos(pi / 6);
  double a = I3 * spin / I1, b = a * u2, beta = 2 * m * g * l / I1, alpha = beta * u2;
  double sum = (alpha + a * a) / beta - u2, product = (b * b - alpha) / (beta * u2);
  double half = sqrt(sum * sum / 4 - product), u1 = sum / 2 - half, u3 = sum / 2 + half;
  double k2 = (u2 - u1) / (u3 - u1), rate = sqrt(beta * (u3 - u1)) / 2, quarter = elliptic_integral(pi / 2, k2);
  for (int f = 0; f < 2; f++) {
    char analysis[256];
    snprintf(analysis, sizeof analysis,
             PART({"t_end": 0.5, "dt": 0.005, "formulation": "%s", %s}), formulations[f], tight);
    mbs_result *result = run_named("Top", analysis);
    for (size_t row = 0; row < models_rows(result); row++) {
      double functions[3], u = cos(*models_row(result, "nutation", row));
      const double *energy = models_row(result, "energy", row), *omega = models_row(result, "omega", row),
                   *r = models_row(result, "r", row), *rd = models_row(result, "rd", row);
      jacobi(quarter + rate * *models_row(result, "T", row), k2, functions);
      assert_close(u, u1 + (u2 - u1) * functions[0] * functions[0], 1e-8);
      assert_close(energy[0] + energy[1], 0.5 * I3 * spin * spin + m * g * l * u2, 1e-10);
      assert_close(*models_row(result, "spin", row), spin, 1e-7);
      /* Angular momentum of the centre's motion, of omega across the axis and along it. */
      double vertical = m * (r[0] * rd[1] - r[1] * rd[0]) + 0.0004 * (omega[2] - spin * u) + I3 * spin * u;
      assert_close(vertical, I3 * spin * u2, 1e-9);
    }
    mbs_result_free(result);
  }
}

/* ---- linkages ------------------------------------------------------------------------------------------------ */

static void test_universal_joint(void **unused) {
  (void)unused;
  const double bend = 40 * pi / 180, w = 10;
  mbs_result *result = run_named("UniversalJoint", NULL);
  for (size_t row = 0; row < models_rows(result); row++) {
    double a = w * *models_row(result, "T", row), c = cos(bend);
    double nearby = *models_row(result, "output angle", row);
    /* The zero of the input angle is where one fork is perpendicular to the plane of the shafts, and the other is in
     * it. */
    double wanted = atan2(sin(a), c * cos(a));
    wanted += 2 * pi * nearbyint((a - wanted) / (2 * pi));
    assert_close(*models_row(result, "input angle", row), a, 1e-11);
    assert_close(fabs(nearby - wanted) < 1 ? nearby - wanted : NAN, 0, 1e-10);
    assert_close(*models_row(result, "output rate", row), w * c / (c * c * cos(a) * cos(a) + sin(a) * sin(a)), 1e-9);
  }
  mbs_result_free(result);
}

/* 30 rows of rank 29 at every position (Bricard; IFToMM benchmark). */
static void test_bricard(void **unused) {
  (void)unused;
  char analysis[256];
  snprintf(analysis, sizeof analysis, PART({"formulation": "body", "t_end": 2, "dt": 0.1, %s}), tight);
  mbs_result *body = run_named("Bricard", analysis);
  snprintf(analysis, sizeof analysis, PART({"formulation": "joint", "t_end": 2, "dt": 0.1, %s}), tight);
  mbs_result *joint = run_named("Bricard", analysis);
  assert_int_equal(body->report.rows, 30);
  assert_int_equal(body->report.redundant_count, 1);
  assert_int_equal(body->report.degrees_of_freedom, 1);
  assert_true(body->report.energy_change_max < 1e-7 && joint->report.energy_change_max < 1e-7);
  for (size_t row = 0; row < models_rows(body); row++) assert_true(models_difference(body, joint, "r", row) < 1e-7);
  mbs_result_free(body);
  mbs_result_free(joint);
}

/* A pendulum about a tilted axis swings with g cos(tilt); the axis bears m g sin(tilt) along itself. */
static void test_tilted_pendulum(void **unused) {
  (void)unused;
  const double m = 2, l = 0.5, I = 0.17 + m * l * l, g = 9.81, tilt = pi / 6;
  char analysis[256];
  snprintf(analysis, sizeof analysis, PART({"t_end": 5, "dt": 0.1, %s}), tight);
  mbs_result *result = run_named("TiltedPendulum", analysis);
  for (size_t row = 0; row < models_rows(result); row++) {
    double q = *models_row(result, "theta", row), qd = *models_row(result, "theta_d", row);
    /* The bob starts level; q is its rotation from there. */
    assert_close(*models_row(result, "theta_dd", row) * I, -m * g * cos(tilt) * l * -cos(q), 1e-9);
    assert_close(0.5 * I * qd * qd, m * g * cos(tilt) * l * sin(q), 1e-9);
    assert_close(*models_row(result, "force along the axis", row), m * g * sin(tilt), 1e-9);
    assert_close(*models_row(result, "torque about the axis", row), 0, 1e-10);
  }
  mbs_result_free(result);
}

/* The redundant hinge does not change the motion, and the sum of both reactions is that of a single hinge. */
static void test_door(void **unused) {
  (void)unused;
  char *document = models_named("Door"), analysis[256];
  snprintf(analysis, sizeof analysis, PART({"t_end": 3, "dt": 0.1, %s}), tight);
  mbs_result *two = models_run(document, analysis);
  assert_int_equal(two->report.redundant_count, 5);
  for (size_t row = 0; row < models_rows(two); row++) {
    const double *force = models_row(two, "reactions", row), *rdd = models_row(two, "rdd", row);
    assert_close(force[0] + force[6], 20 * (rdd[0] - 1), 1e-8);
    assert_close(force[1] + force[7], 20 * rdd[1], 1e-8);
    assert_close(force[2] + force[8], 20 * 9.76, 1e-8);
    /* (J + m l^2) q'' + c q' = -m g l sin(q), compared with the hinge in the tree and with the cut one. */
    double q = *models_row(two, "angle", row), qd = *models_row(two, "theta_d", row);
    assert_close((1.1 + 20 * 0.16) * *models_row(two, "theta_dd", row) + 12 * qd, -20 * 1 * 0.4 * sin(q), 1e-8);
    assert_close(q, *models_row(two, "theta", row), 1e-10);
  }
  mbs_result_free(two);
  free(document);
}

/* ---- the other analyses -------------------------------------------------------------------------------------- */

/* The tilted pendulum is in equilibrium below its axis, where it vibrates with omega^2 = m g cos(tilt) l / I. */
static void test_linearization(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    char analysis[100];
    snprintf(analysis, sizeof analysis, JSON({"type": "linearization", "formulation": "%s"}), formulations[f]);
    mbs_result *result = run_named("TiltedPendulum", analysis);
    assert_close(*models_row(result, "angle", 0), pi / 2, 1e-9);
    assert_close(*models_row(result, "frequencies", 0) * 2 * pi, sqrt(2 * 9.81 * cos(pi / 6) * 0.5 / 0.67), 1e-7);
    assert_int_equal(result->report.stable, 1);
    mbs_result_free(result);
    /* The modes of two rods on ball joints occur in pairs; spin about a rod has no stiffness. */
    result = run_named("DoubleSphericalPendulum", analysis);
    const mbs_array *frequencies = mbs_result_array(result, "frequencies");
    size_t n = frequencies->shape[0];
    assert_true(n >= 6);
    const double *hz = frequencies->data + n - 4;
    assert_close(hz[0], hz[1], 1e-9);
    assert_close(hz[2], hz[3], 1e-9);
    assert_true(frequencies->data[n - 5] < 1e-4 && hz[0] > 0.4 && hz[2] > 1.1);
    mbs_result_free(result);
  }
}

/* Inverse dynamics finds the effort of dynamics with the same driver. */
static void test_inverse_dynamics(void **unused) {
  (void)unused;
  char analysis[200];
  snprintf(analysis, sizeof analysis, PART({"t_end": 1, "dt": 0.1, %s}), tight);
  mbs_result *dynamics = run_named("SliderCrank3D", analysis);
  for (int f = 0; f < 2; f++) {
    snprintf(analysis, sizeof analysis, JSON({"type": "inverse-dynamics", "formulation": "%s", "t_end": 1, "dt": 0.1}),
             formulations[f]);
    mbs_result *inverse = run_named("SliderCrank3D", analysis);
    for (size_t row = 0; row < models_rows(dynamics); row++) {
      assert_close(*models_row(inverse, "torque", row), *models_row(dynamics, "torque", row), 1e-9);
      assert_true(models_difference(inverse, dynamics, "r", row) < 1e-9);
      assert_true(models_difference(inverse, dynamics, "rdd", row) < 1e-9);
    }
    mbs_result_free(inverse);
  }
  mbs_result_free(dynamics);
}

/* Released at its equilibrium a linkage stays there. */
static void test_equilibrium(void **unused) {
  (void)unused;
  static const char *const names[] = {"RSSR_ball", "RSSR_solid", "Bricard"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *document = models_named(names[i]);
    mbs_result *still = models_run(document, JSON({"type": "equilibrium"}));
    char *again = models_with_state(document, still, 0);
    mbs_result *released = models_run(again, JSON({"type": "assembly", "formulation": "body", "correct": false}));
    const mbs_array *rdd = mbs_result_array(released, "rdd");
    for (size_t k = 0; k < rdd->shape[1] * 3; k++) assert_close(rdd->data[k], 0, 1e-6);
    mbs_result_free(still);
    mbs_result_free(released);
    free(document);
    free(again);
  }
}

/* ---- gears and users' constraints ----------------------------------------------------------------------------- */

/* A bevel gear pair with an inclined second wheel: it rotates by -1/2 times the angle of the first, over many
 * revolutions. */
static void test_gears(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "spatial",
       "ground": {"points": {"O": [0, 0, 0], "P": [1, 0, 1]}, "vectors": {"z": [0, 0, 1], "x": [1, 0, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
          "vectors": {"z": [0, 0, 1]}},
         {"name": "b", "mass": 1, "inertia": [1, 1, 2], "points": {"P": [0, 0, 0]},
          "vectors": {"axis": [0, 0, 1]},
          "initial": {"position": [1, 0, 1], "orientation": {"axis": [0, 1, 0], "angle": "pi/2"}}}],
       "joints": [
         {"name": "A", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"]},
         {"name": "B", "type": "revolute", "points": ["ground.P", "b.P"], "vectors": ["ground.x", "b.axis"]},
         {"name": "gear", "type": "gear", "vectors": ["a.z", "b.axis"], "ratio": -0.5}],
       "forces": [{"name": "n", "type": "torque", "body": "a", "value": [0, 0, 3]}],
       "sensors": [
         {"name": "qa", "value": "A.q"},
         {"name": "qb", "value": "B.q"}]});
  for (int f = 0; f < 2; f++) {
    char analysis[200];
    MODEL(analysis_format,
        {"formulation": "%s", "t_end": 6, "dt": 0.25, "integrator": {"rtol": 1e-11, "atol": 1e-11}});
    snprintf(analysis, sizeof analysis, analysis_format, formulations[f]);
    mbs_result *result = models_run(document, analysis);
    for (size_t row = 0; row < models_rows(result); row++) {
      double t = *models_row(result, "T", row), start = *models_row(result, "qb", 0);
      assert_close(*models_row(result, "qa", row), 0.5 * t * t * 3 / (1 + 2 * 0.25), 1e-8);
      assert_close(*models_row(result, "qb", row) - start, -0.25 * t * t * 3 / (1 + 2 * 0.25), 1e-8);
    }
    mbs_result_free(result);
  }
}

/* A point that an expression keeps on a sphere moves like one on a rod, with the same reaction force. */
static void test_own_constraint(void **unused) {
  (void)unused;
  MODEL(pendulum,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"points": {"O": [0, 0, 0]}},
       "bodies": [
         {"name": "bob", "mass": 2, "inertia": [0.1, 0.2, 0.25], "points": {"P": [0.1, 0.2, 0.3]},
          "initial": {"position": [0.9, 0.4, -0.3], "velocity": [0, 1, 0.5], "angular_velocity": [1, 2, 3]}}],
       "joints": [%s]});
  MODEL(sphere,
      {"name": "j", "type": "expression", "value": "sqrt(bob.P.x^2 + bob.P.y^2 + bob.P.z^2) - 1.2"});
  MODEL(rod,
      {"name": "j", "type": "rod", "points": ["bob.P", "ground.O"], "length": 1.2});
  char document[1000], analysis[200];
  mbs_result *results[2];
  snprintf(analysis, sizeof analysis, PART({"formulation": "body", "t_end": 1, "dt": 0.1, %s}), tight);
  for (int k = 0; k < 2; k++) {
    snprintf(document, sizeof document, pendulum, k ? sphere : rod);
    results[k] = models_run(document, analysis);
  }
  for (size_t row = 0; row < models_rows(results[0]); row++) {
    static const char *const arrays[] = {"r", "p", "rd", "omega", "rdd", "omega_d", "Lam", "energy"};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
      assert_true(models_difference(results[0], results[1], arrays[k], row) < 1e-9);
  }
  mbs_result_free(results[0]);
  mbs_result_free(results[1]);
}

/* ---- a ball on a plane --------------------------------------------------------------------------------------- */

/* The ball meets the plane when its centre is a radius above it, and finally rolls down with 5/7 g sin(tilt). */
static void test_bouncing_ball(void **unused) {
  (void)unused;
  const double g = 9.81, r = 0.1, tilt = 5 * pi / 180;
  mbs_result *result = run_named("BouncingBall", NULL);
  double above = 0.8 * cos(tilt) - r, speed = 0.5 * sin(tilt), pull = g * cos(tilt);
  assert_true(result->report.event_count > 10);
  assert_close(result->report.events[0].t, (speed + sqrt(speed * speed + 2 * pull * above)) / pull, 1e-9);
  size_t last = models_rows(result) - 1;
  const double *a = models_row(result, "rdd", last), *v = models_row(result, "rd", last),
               *omega = models_row(result, "omega", last);
  assert_close(a[0] * cos(tilt) - a[2] * sin(tilt), 5.0 / 7 * g * sin(tilt), 1e-5);
  assert_close(v[0] * cos(tilt) - v[2] * sin(tilt), omega[1] * r, 2e-4); /* the creep velocity provides the friction */
  assert_true(result->report.energy_change_max < 1e-4);
  mbs_result_free(result);
}

/* ---- angles over full revolutions ---------------------------------------------------------------------------- */

MODEL(wheel,
    {"space": "spatial",
     "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
     "bodies": [
       {"name": "wheel", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
        "vectors": {"z": [0, 0, 1]}}],
     "joints": [
       {"name": "hinge", "type": "%s", "points": ["ground.O", "wheel.O"],
        "vectors": ["ground.z", "wheel.z"]%s}],
     "drivers": [%s],
     "forces": [%s],
     "sensors": [{"name": "angle", "value": "hinge.q"}, {"name": "height", "value": "wheel.z"}]});

/* The angle counts the driven revolutions, in every formulation and with every driver; in large steps, too. */
static void test_turns_of_drivers(void **unused) {
  (void)unused;
  static const char *const drivers[] = {
      JSON({"name": "m", "type": "joint", "joint": "hinge", "function": "-15*t"}),
      JSON({"name": "m", "type": "rotation", "body": "wheel", "axis": [0, 0, 2], "function": "-15*t"})};
  for (int k = 0; k < 4; k++) {
    char document[1500], analysis[200];
    snprintf(document, sizeof document, wheel, "revolute", "", drivers[k / 2], "");
    snprintf(analysis, sizeof analysis, JSON({"type": "kinematics", "formulation": "%s", "t_end": 3, "dt": 0.15}),
             formulations[k % 2]);
    mbs_result *result = models_run(document, analysis);
    for (size_t row = 0; row < models_rows(result); row++) {
      double t = *models_row(result, "T", row);
      assert_close(*models_row(result, "angle", row), -15 * t, 1e-9);
      assert_close(models_row(result, "omega", row)[2], -15, 1e-9);
    }
    mbs_result_free(result);
  }
}

/* A driven coordinate equals the function of its driver, even if that starts with several revolutions; a screw advances
 * by all of them. */
static void test_turns_at_the_start(void **unused) {
  (void)unused;
  static const char driver[] = JSON({"name": "m", "type": "joint", "joint": "hinge", "function": "10 + t"});
  for (int k = 0; k < 5; k++) {
    bool screw = k >= 3; /* in both formulations: a screw of the tree, and a cut whose thread counts revolutions like
                          * its driver */
    char document[1500], analysis[200];
    snprintf(document, sizeof document, wheel, screw ? "screw" : "revolute",
             screw ? PART(, "pitch": 0.5) : k == 2 ? PART(, "initial": {"position": 25}) : "", driver, "");
    snprintf(analysis, sizeof analysis, JSON({"type": "kinematics", "formulation": "%s", "t_end": 3, "dt": 0.5}),
             formulations[screw ? k - 3 : k % 2]);
    mbs_result *result = models_run(document, analysis);
    for (size_t row = 0; row < models_rows(result); row++) {
      double wanted = 10 + *models_row(result, "T", row);
      assert_close(*models_row(result, "angle", row), wanted, 1e-9);
      assert_close(*models_row(result, "height", row), screw ? 0.5 * wanted / (2 * pi) : 0, 1e-9);
    }
    mbs_result_free(result);
  }
}

/* A wheel on a cut hinge: the position is that of the body, and the initial angle determines the number of revolutions.
 * A screw advances with its revolutions, in the tree and as a cut. */
static void test_turns_of_cuts(void **unused) {
  (void)unused;
  char document[1500];
  snprintf(document, sizeof document, wheel, "revolute", PART(, "cut": true, "initial": {"position": 12}), "", "");
  mbs_result *result = models_run(document, JSON({"type": "assembly"}));
  assert_close(*models_row(result, "angle", 0), 4 * pi, 1e-12);
  mbs_result_free(result);
  static const char torque[] = JSON({"name": "n", "type": "torque", "body": "wheel", "value": [0, 0, 2]});
  for (int cut = 0; cut < 2; cut++) {
    snprintf(document, sizeof document, wheel, "screw",
             cut ? PART(, "pitch": 0.5, "cut": true) : PART(, "pitch": 0.5, "cut": false), "", torque);
    result = models_run(document, JSON({"t_end": 6, "dt": 0.2, "integrator": {"rtol": 1e-10, "atol": 1e-12}}));
    double h = 0.5 / (2 * pi);
    for (size_t row = 0; row < models_rows(result); row++) {
      double t = *models_row(result, "T", row), wanted = 0.5 * t * t * 2 / (1 + h * h);
      assert_close(*models_row(result, "angle", row), wanted, 1e-6);
      assert_close(*models_row(result, "height", row), h * wanted, 1e-7);
    }
    mbs_result_free(result);
  }
}

/* ---- planar mechanisms --------------------------------------------------------------------------------------- */

static double difference_in_plane(const mbs_result *planar, const mbs_result *spatial, const char *array, size_t row) {
  size_t count = models_columns(planar, array) / 2;
  const double *one = models_row(planar, array, row), *two = models_row(spatial, array, row);
  double largest = 1, difference = 0;
  for (size_t b = 0; b < count; b++) {
    for (size_t k = 0; k < 2; k++) {
      largest = fmax(largest, fabs(one[2 * b + k]));
      difference = fmax(difference, fabs(one[2 * b + k] - two[3 * b + k]));
    }
    difference = fmax(difference, fabs(two[3 * b + 2]));
  }
  return difference / largest;
}

static void compare_in_space(const char *name, const char *formulation) {
  static const char *const arrays[] = {"r", "rd", "rdd", "rP"};
  char *document = models_named(name), analysis[300];
  mbs_result *start = models_run(document, JSON({"type": "assembly"}));
  char *again = models_with_state(document, start, 0), *lifted = models_in_space(again);
  assert_non_null(lifted);
  snprintf(analysis, sizeof analysis, PART({"t_end": 1, "dt": 0.05, "formulation": "%s", %s}), formulation, tight);
  mbs_result *planar = models_run(again, analysis), *spatial = models_run(lifted, analysis);
  for (size_t row = 0; row < models_rows(planar); row++) {
    for (int k = 0; k < 4; k++) {
      double difference = difference_in_plane(planar, spatial, arrays[k], row);
      if (!(difference <= 1e-9))
        fail_msg("%s, %s: %s differs by %.3g at t = %g", name, formulation, arrays[k], difference,
                 *models_row(planar, "T", row));
    }
    for (size_t b = 0; b < models_columns(planar, "pd"); b++) {
      assert_close(models_row(spatial, "omega", row)[3 * b + 2], models_row(planar, "pd", row)[b], 1e-8);
      assert_close(models_row(spatial, "p", row)[4 * b], cos(models_row(planar, "p", row)[b] / 2), 1e-9);
    }
  }
  mbs_result_free(start);
  mbs_result_free(planar);
  mbs_result_free(spatial);
  free(document);
  free(again);
  free(lifted);
}

/* The loops of planar mechanisms have redundant rows in space. */
static void test_planar_mechanisms(void **unused) {
  (void)unused;
  static const char *const names[] = {"AA",
                                      "AA_bc",
                                      "CB_bc",
                                      "Excavator",
                                      "FiveBar",
                                      "FiveBar_driven",
                                      "FourBar",
                                      "FourBar_equilibrium",
                                      "FourBar_inverse",
                                      "MP_A",
                                      "MP_A_bc",
                                      "PendulumSpring",
                                      "PendulumSpring_ball",
                                      "PendulumSpring_rod",
                                      "PendulumSpring_solid",
                                      "SC",
                                      "SCd",
                                      "SP",
                                      "SP_bc",
                                      "SP_modes",
                                      "TP",
                                      "WebCutter"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    compare_in_space(names[i], "joint");
    compare_in_space(names[i], "body");
  }
}

/* ---- zeros given by vectors ------------------------------------------------------------------------------------ */

/* Returns the Euler parameters of the only body at the start. */
static void orientation_of(const char *joint, const char *formulation, double p[4]) {
  char *document = models_text(
      "{\"space\": \"spatial\", \"ground\": {\"points\": {\"O\": [0, 0, 0]}, \"vectors\": {\"x\": [1, 0, 0], \"y\": "
      "[0, 1, "
      "0], \"z\": [0, 0, 1]}}, \"bodies\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": [0, 1, 0], \"inertia_check\": "
      "false, "
      "\"points\": {\"P\": [0, 0, 0]}, \"vectors\": {\"x\": [1, 0, 0], \"y\": [0, 1, 0], \"z\": [0, 0, 1]}}], "
      "\"joints\": "
      "[{\"name\": \"j\", \"points\": [\"ground.O\", \"b.P\"], %s}], \"analysis\": {\"type\": \"assembly\", "
      "\"formulation\": \"%s\"}}",
      joint, formulation);
  mbs_result *result = models_run(document, NULL);
  memcpy(p, models_row(result, "p", 0), 4 * sizeof *p);
  assert_non_null(models_note(result, "the inertia of 'b' is not checked"));
  mbs_result_free(result);
  free(document);
}

/* A quarter turn about z: the body's x axis is along y. */
static void test_zeros_of_vectors(void **unused) {
  (void)unused;
  static const char *const joints[] = {
      PART("type": "fixed", "vectors": ["ground.z", "b.z"], "reference": ["ground.y", "b.x"]),
                                        PART("type": "universal", "vectors": ["ground.z", "b.x"],
                                             "reference": ["ground.y", "b.z"])};
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < 2; k++) {
      double p[4];
      orientation_of(joints[i], formulations[k], p);
      assert_close(fabs(p[0]), sqrt(0.5), 1e-12);
      assert_close(fabs(p[3]), sqrt(0.5), 1e-12);
      assert_true(p[0] * p[3] > 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strut_jacobian),      cmocka_unit_test(test_strut_without_its_jacobian),
      cmocka_unit_test(test_strut_accelerations), cmocka_unit_test(test_strut_driven_at_its_arm),
      cmocka_unit_test(test_torque_free),         cmocka_unit_test(test_top),
      cmocka_unit_test(test_universal_joint),     cmocka_unit_test(test_bricard),
      cmocka_unit_test(test_tilted_pendulum),     cmocka_unit_test(test_door),
      cmocka_unit_test(test_linearization),       cmocka_unit_test(test_inverse_dynamics),
      cmocka_unit_test(test_equilibrium),         cmocka_unit_test(test_gears),
      cmocka_unit_test(test_own_constraint),      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_turns_of_drivers),    cmocka_unit_test(test_turns_at_the_start),
      cmocka_unit_test(test_turns_of_cuts),       cmocka_unit_test(test_planar_mechanisms),
      cmocka_unit_test(test_zeros_of_vectors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
