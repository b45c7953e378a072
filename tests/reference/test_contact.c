/* Contact: results of the contact laws in closed form; no contact is missed. */
#include "close.h"
#include "model_run.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

/* A ball of mass 1 and radius 0.1 at height h with velocity v towards the ground. */
MODEL(ball,
    {"space": "planar", "gravity": [0, %.17g],
     "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
     "bodies": [
       {"name": "ball", "mass": 1, "inertia": 0.004, "points": {"C": [0, 0]},
        "initial": {"position": [0, %.17g], "velocity": [0, %.17g]}}],
     "forces": [%s],
     "analysis": {"type": "dynamics", "formulation": "%s", "t_end": %.17g, "dt": %.17g,
                  "integrator": {"method": "%s", "rtol": %g, "atol": %g}}});

/* Runs a ball. `law`: an object with the fields of the contact law. */
static model_run run_ball(double gravity, double height, double velocity, const char *law, const char *formulation,
                          double t_end, double dt, const char *method, double rtol, double atol) {
  MODEL(contact,
      {"name": "floor", "type": "contact", "point": "ball.C", "radius": 0.1, "line": ["ground.O", "ground.u"]});
  char *floor = models_merged(contact, law);
  model_run run = model_run_text(ball, gravity, height, velocity, floor, formulation, t_end, dt, method, rtol, atol);
  free(floor);
  return run;
}

/* ---- rebounds ------------------------------------------------------------------------------------------------ */

/* Computes the rebound r of N = K d^n (1 + x d'/d0'): from m d'' = -N, the integral of s / (1 + x s) over s = -r .. 1
 * is 0. */
static double exact_rebound(double x) {
  double low = 0, high = 1;
  for (int k = 0; k < 100; k++) {
    double r = 0.5 * (low + high);
    *((1 + r) * x - log1p(x) + log1p(-x * r) > 0 ? &low : &high) = r;
    if (1 - x * r <= 0) high = r;
  }
  return 0.5 * (low + high);
}

typedef struct law_case {
  const char *law;
  double e, x;
} law_case;

static void check_rebound(const law_case *c, const char *method, double rtol, double tolerance) {
  char law[200];
  const double speed = 3;
  snprintf(law, sizeof law, PART({"law": "%s", "stiffness": 1e9, "restitution": %.17g}), c->law, c->e);
  model_run run = run_ball(0.0, 0.4, -speed, law, "joint", 0.2, 0.01, method, rtol, rtol * 1e-3);
  model_run_require(&run);
  assert_int_equal(run.result->report.event_count, 2);
  assert_close(model_run_event(&run, "floor", "contact begins", 0), 0.3 / speed, 1e-9);
  assert_close(model_run_value(&run, "rd", -1, 1) / speed, exact_rebound(c->x), tolerance);
  assert_close(run.result->report.energy_change_max, 0, 100 * tolerance);
  model_run_free(&run);
}

static void test_rebounds(void **state) {
  (void)state;
  static const double restitutions[] = {0.1, 0.5, 0.9, 1};
  for (size_t k = 0; k < sizeof restitutions / sizeof *restitutions; k++) {
    const double e = restitutions[k];
    const law_case cases[] = {{"hunt-crossley", e, 1.5 * (1 - e)},
                              {"lankarani-nikravesh", e, 0.75 * (1 - e * e)},
                              {"flores", e, 1.6 * (1 - e) / e}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
      if (e == 1) {
        char law[200];
        snprintf(law, sizeof law, JSON({"law": "%s", "stiffness": 1e9, "restitution": 1}), cases[c].law);
        model_run run = run_ball(0.0, 0.4, -3.0, law, "body", 0.2, 0.01, "dopri5", 1e-9, 1e-12);
        assert_close(model_run_value(&run, "rd", -1, 1), 3, 1e-6);
        model_run_free(&run);
        continue;
      }
      check_rebound(&cases[c], "dopri5", 1e-9, 1e-7);
      check_rebound(&cases[c], "dop853", 1e-9, 1e-5);
      check_rebound(&cases[c], "bdf", 1e-9, 1e-5);
      check_rebound(&cases[c], "dopri5", 1e-3, 1e-2);
    }
  }
  /* Published values. */
  assert_close(exact_rebound(0.75 * 0.75), 0.7252, 5e-5);
  assert_close(exact_rebound(1.5 * 0.5), 0.6630, 5e-5);
}

/* Hertz contact, elastic: depth (5/4 m v^2 / K)^(2/5), duration 2.9432752 times depth over v. */
static void test_hertz(void **state) {
  (void)state;
  const double speed = 2, K = 1e8, depth = pow(1.25 * speed * speed / K, 0.4);
  /* The duration is 2 depth / v times the integral of (1 - x^2.5)^(-1/2), a beta function. */
  const double duration = 2 * depth / speed * sqrt(3.14159265358979323846) * tgamma(0.4) / (2.5 * tgamma(0.9));
  model_run run = run_ball(0.0, 0.3, -speed, JSON({"law": "hertz", "stiffness": 1e8}), "joint", 0.103, 1e-6, "dopri5",
                           1e-10, 1e-13);
  model_run_require(&run);
  assert_close(model_run_event(&run, "floor", "contact ends", 0) - model_run_event(&run, "floor", "contact begins", 0),
               duration, 1e-6 * duration);
  double deepest = 0;
  for (long row = 0; row <= 103000; row++) deepest = fmax(deepest, model_run_value(&run, "forces", row, 2));
  assert_close(deepest, depth, 1e-5 * depth);
  assert_close(model_run_value(&run, "rd", -1, 1), speed, 1e-7);
  assert_close(model_run_value(&run, "energy", -1, 3), 0, 1e-7);
  assert_close(run.result->report.energy_change_max, 0, 1e-7);
  model_run_free(&run);
}

/* Kelvin-Voigt: a linear oscillator until its force would become negative, at d'' = 0. There the ball leaves the
 * contact, and the energy stored in the spring is lost. */
static void test_kelvin_voigt(void **state) {
  (void)state;
  const double speed = 2, K = 1e6, c = 400, w = sqrt(K), zeta = c / (2 * w), wd = w * sqrt(1 - zeta * zeta);
  /* d = v/wd exp(-zeta w t) sin(wd t), so N = 0 where K d + c d' = 0. */
  const double duration = (3.14159265358979323846 - atan2(2 * zeta * sqrt(1 - zeta * zeta), 1 - 2 * zeta * zeta)) / wd;
  const double decay = speed * exp(-zeta * w * duration), sine = sin(wd * duration), cosine = cos(wd * duration);
  const double depth = decay / wd * sine, rate = decay * (cosine - zeta * w / wd * sine);
  assert_close(K * depth + c * rate, 0, 1e-9 * K * depth);
  static const char *const methods[] = {"dopri5", "bdf"};
  for (size_t m = 0; m < 2; m++) {
    model_run run = run_ball(0.0, 0.3, -speed, JSON({"law": "kelvin-voigt", "stiffness": 1e6, "damping": 400}), "joint",
                             0.2, 0.01, methods[m], 1e-9, 1e-12);
    model_run_require(&run);
    assert_int_equal(run.result->report.event_count, 2);
    double begin = model_run_event(&run, "floor", "contact begins", 0);
    assert_close(begin, 0.1, 1e-9);
    assert_close(model_run_event(&run, "floor", "contact ends", 0) - begin, duration - depth / rate, 1e-5 * duration);
    assert_close(model_run_value(&run, "rd", -1, 1), -rate, 1e-5);
    assert_close(model_run_value(&run, "energy", -1, 3), 0.5 * (speed * speed - rate * rate), 1e-5);
    assert_true(run.result->report.energy_change_max < 1e-5);
    model_run_free(&run);
  }
}

/* A separate damping factor in Hunt and Crossley's law: K d^n (1 + c/K d'), equivalent to x = c v / K. */
static void test_hunt_crossley_damping(void **state) {
  (void)state;
  const double speed = 3, x = 0.6;
  char law[200];
  snprintf(law, sizeof law, PART({"law": "hunt-crossley", "stiffness": 1e9, "damping": %.17g}), x * 1e9 / speed);
  model_run run = run_ball(0.0, 0.4, -speed, law, "joint", 0.2, 0.01, "dopri5", 1e-9, 1e-12);
  assert_close(model_run_value(&run, "rd", -1, 1) / speed, exact_rebound(x), 1e-7);
  model_run_free(&run);
}

/* Two bodies of masses 1 and 3 on a rail; the contact line is on the second, moving one. */
static void test_two_bodies(void **state) {
  (void)state;
  MODEL(two_bodies,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "ball", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "initial": {"velocity": [2, 0]}},
         {"name": "wall", "mass": 3, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"down": [0, 1]},
          "initial": {"position": [1, 0], "velocity": [-1, 0]}}],
       "forces": [
         {"name": "impact", "type": "contact", "point": "ball.C", "radius": 0.25,
          "line": ["wall.P", "wall.down"], "law": "lankarani-nikravesh", "stiffness": 1e9,
          "restitution": 0.5}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "integrator": {"rtol": 1e-9, "atol": 1e-12}}});
  model_run run = model_run_text(two_bodies);
  const double r = exact_rebound(0.75 * 0.75), centre = (2 - 3) / 4.0;
  model_run_require(&run);
  assert_close(model_run_event(&run, "impact", "contact begins", 0), 0.75 / 3, 1e-10);
  assert_close(model_run_value(&run, "rd", -1, 0), centre - 0.75 * 3 * r, 1e-6);
  assert_close(model_run_value(&run, "rd", -1, 2), centre + 0.25 * 3 * r, 1e-6);
  model_run_free(&run);
}

/* A ball meets an inclined plane in space: the contact force acts along the normal, and the tangential velocity is
 * unchanged. */
static void test_plane_in_space(void **state) {
  (void)state;
  static const char *const methods[] = {"dopri5", "bdf"};
  const double r = exact_rebound(0.75 * (1 - 0.64)), n[3] = {0, 0.6, 0.8}, v[3] = {1, 0.5, -3};
  for (int k = 0; k < 2; k++) {
    MODEL(plane_in_space,
        {"space": "spatial",
         "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"n": [0, 3, 4]}},
         "bodies": [
           {"name": "ball", "mass": 1, "inertia": [0.004, 0.004, 0.004], "points": {"C": [0, 0, 0]},
            "initial": {"position": [0, 0, 1], "velocity": [1, 0.5, -3], "angular_velocity": [3, 20, -5]}}],
         "forces": [
           {"name": "slope", "type": "contact", "point": "ball.C", "radius": 0.1,
            "plane": ["ground.O", "ground.n"], "law": "lankarani-nikravesh", "stiffness": 1e9,
            "restitution": 0.8}],
         "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1,
                      "integrator": {"method": "%s", "rtol": 1e-9, "atol": 1e-12}}});
    model_run run = model_run_text(plane_in_space, methods[k]);
    model_run_require(&run);
    const double approach = -(v[1] * n[1] + v[2] * n[2]);
    assert_close(model_run_event(&run, "slope", "contact begins", 0), (0.8 - 0.1) / approach, 1e-9);
    for (size_t c = 0; c < 3; c++)
      assert_close(model_run_value(&run, "rd", -1, c), v[c] + (1 + r) * approach * n[c], 1e-5);
    model_run_free(&run);
  }
}

/* ---- instants ------------------------------------------------------------------------------------------------ */

/* A hard ball: every flight lasts 2 v / g, and every impact reduces the speed by the same factor. */
static void test_bouncing_ball(void **state) {
  (void)state;
  const double g = 9.81, r = exact_rebound(0.75 * (1 - 0.81));
  static const char *const methods[] = {"dopri5", "dop853", "bdf"};
  for (size_t m = 0; m < 3; m++) {
    model_run run = run_ball(-g, 1.1, 0.0, JSON({"stiffness": 1e12, "restitution": 0.9}), "body", 4.0, 0.01, methods[m],
                             1e-9, 1e-12);
    model_run_require(&run);
    double speed = sqrt(2 * g);
    assert_close(model_run_event(&run, "floor", "contact begins", 0), sqrt(2 / g), 1e-8);
    for (size_t k = 0; k < 4; k++) {
      speed *= r;
      double flight =
          model_run_event(&run, "floor", "contact begins", k + 1) - model_run_event(&run, "floor", "contact ends", k);
      assert_close(flight, 2 * speed / g, 1e-4);
    }
    model_run_free(&run);
  }
}

/* Returns the height of the lower end of a rod of half length 1 in free flight. */
static double lower_end(double y, double vy, double phi, double omega, double t) {
  return y + vy * t - 0.5 * 9.81 * t * t - fabs(cos(phi + omega * t));
}

static double random_between(uint64_t *seed, double low, double high) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* Rods that spin and fall, with loose tolerances and impacts of about 1e-5 s: the first impact is at the exact instant,
 * and no end ever passes below the ground. */
static void test_no_contact_is_missed(void **state) {
  (void)state;
  static const char *const methods[] = {"dopri5", "dop853", "bdf"};
  uint64_t seed = 20;
  for (int k = 0; k < 300; k++) {
    const double y = random_between(&seed, 1.2, 4), vy = random_between(&seed, -3, 6);
    const double phi = random_between(&seed, 0, 6.28), omega = random_between(&seed, -60, 60);
    double t = 0, step = 1e-4;
    while (lower_end(y, vy, phi, omega, t + step) > 0) t += step;
    for (int b = 0; b < 50; b++, step /= 2)
      if (lower_end(y, vy, phi, omega, t + step / 2) > 0) t += step / 2;
    MODEL(no_contact_is_missed,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         "bodies": [
           {"name": "rod", "mass": 1, "inertia": 0.3, "points": {"A": [0, -1], "B": [0, 1]},
            "initial": {"position": [0, %.17g], "velocity": [0, %.17g], "angle": %.17g,
                        "angular_velocity": %.17g}}],
         "forces": [
           {"name": "A", "type": "contact", "point": "rod.A", "line": ["ground.O", "ground.u"],
            "law": "lankarani-nikravesh", "stiffness": 1e13, "restitution": 0.8},
           {"name": "B", "type": "contact", "point": "rod.B", "line": ["ground.O", "ground.u"],
            "law": "lankarani-nikravesh", "stiffness": 1e13, "restitution": 0.8}],
         "analysis": {"type": "dynamics", "t_end": %.17g, "dt": 0.01,
                      "integrator": {"method": "%s", "rtol": 1e-3, "atol": 1e-6}}});
    model_run run = model_run_text(no_contact_is_missed, y, vy, phi, omega, t + 0.3, methods[k % 3]);
    model_run_require(&run);
    double first = fmin(fmin(model_run_event(&run, "A", "contact begins", 0), INFINITY),
                        fmin(model_run_event(&run, "B", "contact begins", 0), INFINITY));
    assert_true(first < t + 1e-2);
    assert_close(lower_end(y, vy, phi, omega, first), 0, k % 3 == 2 ? 5e-2 : 1e-6);
    for (long row = 0; row < (long)mbs_result_array(run.result, "T")->shape[0]; row++)
      for (size_t end = 0; end < 2; end++) assert_true(model_run_value(&run, "rP", row, 3 + 2 * end) > -1e-2);
    model_run_free(&run);
  }
}

/* ---- friction and standstill ---------------------------------------------------------------------------------- */

/* A disc thrown flat on a rough floor slides until it rolls: at 2/3 of its speed for m R^2 / 2, after v / (3 mu g). */
static void test_slipping_disc(void **state) {
  (void)state;
  MODEL(slipping_disc,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "disc", "mass": 2, "inertia": 0.01, "points": {"C": [0, 0]},
          "initial": {"position": [0, %.17g], "velocity": [3, 0]}}],
       "forces": [
         {"name": "floor", "type": "contact", "point": "disc.C", "radius": 0.1,
          "line": ["ground.O", "ground.u"], "law": "hunt-crossley", "stiffness": 1e7, "restitution": 0.5,
          "friction": {"law": "coulomb", "mu_dynamic": 0.2, "transition_velocity": 1e-4}}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.01,
                    "integrator": {"method": "bdf", "rtol": 1e-8}}});
  model_run run = model_run_text(slipping_disc, 0.1 - pow(2 * 9.81 / 1e7, 2.0 / 3));
  model_run_require(&run);
  assert_int_equal(run.result->report.event_count, 1);
  assert_close(model_run_event(&run, "floor", "in contact at the start: no restitution until it ends", 0), 0, 0);
  assert_non_null(models_note(run.result, "'floor' at t = 0: it overlaps at the start"));
  assert_close(model_run_value(&run, "forces", 10, 0), 2 * 9.81, 1e-4);
  assert_close(model_run_value(&run, "forces", 10, 1), 0.2 * 2 * 9.81, 1e-4);
  assert_close(model_run_value(&run, "rd", 25, 0), 3 - 0.2 * 9.81 * 0.25, 1e-4);
  assert_close(model_run_value(&run, "rd", -1, 0), 2, 1e-3);
  assert_close(model_run_value(&run, "pd", -1, 0), -20, 1e-2);
  /* Sliding dissipates a third of the energy, m v^2 / 6. */
  assert_close(model_run_value(&run, "energy", -1, 3), 2 * 9 / 6.0, 1e-3);
  assert_true(run.result->report.energy_change_max < 1e-4);
  model_run_free(&run);
}

/* A ball comes to rest on the floor after infinitely many impacts. */
static void test_rest(void **state) {
  (void)state;
  static const char *const laws[] = {JSON({"law": "lankarani-nikravesh", "stiffness": 1e8, "restitution": 0.3}),
                                     JSON({"law": "hunt-crossley", "stiffness": 1e8, "restitution": 0.2}),
                                     JSON({"law": "flores", "stiffness": 1e8, "restitution": 0.4}),
                                     JSON({"law": "kelvin-voigt", "stiffness": 1e5, "damping": 300})};
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
    model_run run = run_ball(-9.81, 0.3, 0.0, laws[k], "body", 3.0, 0.01, "dopri5", 1e-6, 1e-9);
    model_run_require(&run);
    assert_close(model_run_value(&run, "forces", -1, 0), 9.81, 0.01);
    assert_close(model_run_value(&run, "rd", -1, 1), 0, 1e-4);
    assert_true(run.result->report.energy_change_max < 1e-3);
    assert_true(run.result->report.evaluations < 400000);
    model_run_free(&run);
  }
}

/* A pendulum meets a wall: formulations and methods agree, and the constraints also hold at the instants of impact. */
static void test_pendulum(void **state) {
  (void)state;
  static const char *const formulations[] = {"joint", "body", "body", "joint"}, *const methods[] = {"dopri5", "dopri5",
                                                                                                    "bdf", "bdf"};
  model_run runs[4];
  for (int k = 0; k < 4; k++) {
    MODEL(pendulum,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0], "W": [-0.1, 0]}, "vectors": {"down": [0, -1]}},
         "bodies": [{"name": "bob", "mass": 2, "inertia": 0.1, "points": {"P": [0, 1], "C": [0, 0]}}],
         "joints": [
           {"name": "pin", "type": "revolute", "points": ["ground.O", "bob.P"],
            "initial": {"position": "pi/3"}}],
         "forces": [
           {"name": "wall", "type": "contact", "point": "bob.C", "radius": 0.1,
            "line": ["ground.W", "ground.down"], "law": "hunt-crossley", "stiffness": 1e9,
            "restitution": 0.7}],
         "analysis": {"type": "dynamics", "formulation": "%s", "t_end": 3, "dt": 0.02,
                      "integrator": {"method": "%s", "rtol": 1e-9, "atol": 1e-11}}});
    runs[k] = model_run_text(pendulum, formulations[k], methods[k]);
    model_run_require(&runs[k]);
    const mbs_report *report = &runs[k].result->report;
    assert_true(report->residual_max[0] < 1e-10 && report->residual_max[1] < 1e-10);
    assert_close(report->energy_change_max, 0, 1e-4);
    assert_int_equal(report->event_count, runs[0].result->report.event_count);
    for (size_t e = 0; e < report->event_count; e++)
      assert_close(report->events[e].t, runs[0].result->report.events[e].t, 1e-4);
    for (long row = 0; row <= 150; row++)
      assert_close(model_run_value(&runs[k], "p", row, 0), model_run_value(&runs[0], "p", row, 0), 1e-4);
  }
  assert_true(runs[0].result->report.event_count >= 4);
  for (int k = 0; k < 4; k++) model_run_free(&runs[k]);
}

/* Placed on the floor without depth or speed, a ball sinks to its equilibrium. */
static void test_laid_down(void **state) {
  (void)state;
  model_run run = run_ball(-9.81, 0.1, 0.0, JSON({"stiffness": 1e8, "restitution": 0.5}), "joint", 1.0, 0.01, "dopri5",
                           1e-6, 1e-10);
  model_run_require(&run);
  assert_close(model_run_event(&run, "floor", "contact begins", 0), 0, 1e-8);
  assert_close(model_run_value(&run, "forces", -1, 0), 9.81, 1e-2);
  assert_close(model_run_value(&run, "forces", -1, 2), pow(9.81 / 1e8, 2.0 / 3), 1e-8);
  assert_true(run.result->report.evaluations < 200000);
  model_run_free(&run);
}

/* A ball that starts at a depth of 1 cm has no approach velocity: it leaves with the whole energy of the contact, and
 * only later impacts have the restitution of the law. */
static void test_start_in_penetration(void **state) {
  (void)state;
  static const struct {
    const char *law, *method;
    double e, x;
  } cases[] = {{"flores", "dopri5", 0.9, 1.6 / 9},
               {"lankarani-nikravesh", "bdf", 0.5, 0.75 * (1 - 0.25)},
               {"hunt-crossley", "dop853", 0.3, 1.5 * 0.7}};
  const double K = 1e6, d = 0.01, g = 9.81, v = sqrt(2 * (K * pow(d, 2.5) / 2.5 - g * d));
  for (size_t k = 0; k < 3; k++) {
    char law[200];
    snprintf(law, sizeof law, PART({"law": "%s", "stiffness": %g, "restitution": %.17g}), cases[k].law, K, cases[k].e);
    model_run run = run_ball(-g, 0.1 - d, 0.0, law, k == 1 ? "body" : "joint", 0.7, 0.01, cases[k].method, 1e-8, 1e-10);
    model_run_require(&run);
    assert_close(model_run_event(&run, "floor", "in contact at the start: no restitution until it ends", 0), 0, 0);
    double ends = model_run_event(&run, "floor", "contact ends", 0);
    const double begins = model_run_event(&run, "floor", "contact begins", 0);
    assert_close(begins, ends + 2 * v / g, 1e-6);
    /* Gravity also changes the speed during the impact. */
    ends = model_run_event(&run, "floor", "contact ends", 1);
    assert_close(model_run_value(&run, "rd", -1, 1) + g * (0.7 - ends), v * exact_rebound(cases[k].x),
                 g * (ends - begins));
    assert_true(run.result->report.energy_change_max < 1e-4);
    model_run_free(&run);
  }
}

/* ---- documents ------------------------------------------------------------------------------------------------ */

static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *law, *part;
  } cases[] = {{JSON({"stiffness": 1e8}), "needs a 'restitution'"},
               {JSON({"law": "hertz", "stiffness": 1, "restitution": 0.5}), "has no restitution"},
               {JSON({"law": "flores", "stiffness": 1, "restitution": 0.5, "damping": 1}), "has no damping"},
               {JSON({"law": "hunt-crossley", "stiffness": 1, "restitution": 0.5, "damping": 1}), "not both"},
               {JSON({"law": "hunt-crossley", "stiffness": 1}), "or a 'damping'"},
               {JSON({"law": "flores", "stiffness": 1, "restitution": 0}), "above 0"},
               {JSON({"law": "hertz", "stiffness": 0}), "greater than 0"},
               {JSON({"law": "hertz", "stiffness": 1, "friction": {"law": "tanh", "mu_dynamic": 1, "mu_static": 2}}),
                "does not apply to the law"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    model_run run = run_ball(0.0, 1.0, 0.0, cases[k].law, "body", 1.0, 0.1, "dopri5", 1e-6, 1e-9);
    assert_null(run.model);
    if (!strstr(run.error.message, cases[k].part)) fail_msg("%s: %s", cases[k].law, run.error.message);
    model_run_free(&run);
  }
}

/* A law whose switch affects two components is a single event. */
static void test_one_event(void **state) {
  (void)state;
  MODEL(one_event,
      {"space": "planar",
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "initial": {"velocity": [1, 0]}}],
       "forces": [
         {"name": "field", "type": "force", "body": "b",
          "value": ["if(b.x > 1, -1, 0)", "if(b.x > 1, 1, 0)"]}],
       "analysis": {"type": "dynamics", "t_end": 1.5, "dt": 0.1}});
  model_run run = model_run_text(one_event);
  model_run_require(&run);
  assert_int_equal(run.result->report.event_count, 1);
  assert_close(model_run_event(&run, "field", "switch", 0), 1, 1e-12);
  assert_close(model_run_value(&run, "rd", -1, 0), 0.5, 1e-9);
  assert_close(model_run_value(&run, "rd", -1, 1), 0.5, 1e-9);
  model_run_free(&run);
}

/* A disc that rests on a compliant floor has m s^2 + c s + n K d^(n-1) = 0, at any depth d, also where the steps of the
 * differences reach beyond the contact. */
static void test_linearization(void **unused) {
  (void)unused;
  static const double stiffness[] = {2e4, 1e5, 1e8};
  for (size_t i = 0; i < 4 * sizeof stiffness / sizeof *stiffness; i++) {
    const bool hertz = i / 2 % 2;
    const double K = stiffness[i / 4], m = 2, g = 9.81, n = hertz ? 1.5 : 1, d = pow(m * g / K, 1 / n);
    const double k = n * K * pow(d, n - 1), c = hertz ? 0 : sqrt(k * m);
    MODEL(text,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
         "bodies": [{"name": "b", "mass": 2, "inertia": 0.01, "points": {"C": [0, 0]},
                     "initial": {"position": [0, %.17g]}}],
         "forces": [{"name": "c", "type": "contact", "point": "b.C", "radius": 0.1, "line": ["ground.O", "ground.u"],
                     %s, "stiffness": %.17g%s}],
         "analysis": {"type": "linearization", "formulation": "%s"}});
    char *damping = hertz ? models_text("%s", "") : models_text(PART(, "damping": %.17g), c);
    model_run run = model_run_text(text, 0.1 - d,
                                   hertz ? PART("law": "hertz")
                                         : PART("law": "kelvin-voigt"), K, damping, i % 2 ? "joint" : "body");
    model_run_require(&run);
    const mbs_array *frequencies = mbs_result_array(run.result, "frequencies");
    double fastest = 0;
    for (size_t j = 0; j < frequencies->shape[0]; j++) fastest = fmax(fastest, frequencies->data[j]);
    assert_close(fastest, sqrt(k / m) / (2 * 3.14159265358979323846), 1e-7 * sqrt(k / m));
    model_run_free(&run);
    free(damping);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rebounds),
      cmocka_unit_test(test_hertz),
      cmocka_unit_test(test_kelvin_voigt),
      cmocka_unit_test(test_hunt_crossley_damping),
      cmocka_unit_test(test_two_bodies),
      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_no_contact_is_missed),
      cmocka_unit_test(test_slipping_disc),
      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_plane_in_space),
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_laid_down),
      cmocka_unit_test(test_start_in_penetration),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_one_event),
      cmocka_unit_test(test_linearization),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
