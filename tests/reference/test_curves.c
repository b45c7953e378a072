/* test_curves.c - joints of curves, gears and users' constraints against closed forms, against an equivalent mechanism
 * of other joints, and against contacts found by brute force. */
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

static const double pi = 3.14159265358979323846;

static void expect_near(const char *what, double value, double wanted, double tolerance) {
  if (!(fabs(value - wanted) <= tolerance)) fail_msg("%s: %.15g, expected %.15g", what, value, wanted);
}

/* Returns the largest difference of an array over all rows. */
static double difference(const mbs_result *one, const mbs_result *two, const char *array) {
  double largest = 0;
  assert_int_equal(models_rows(one), models_rows(two));
  for (size_t row = 0; row < models_rows(one); row++) largest = fmax(largest, models_difference(one, two, array, row));
  return largest;
}

static double sensor(const mbs_result *result, const char *name, size_t row) { return *models_row(result, name, row); }

static const char *const formulations[] = {"joint", "body"};

/* ---- cams ------------------------------------------------------------------------------------------------------- */

/* Returns a cam on a motor with a follower that slides vertically above it, initially at about `height`. */
static char *cam(double height, const char *contact, const char *motion, const char *analysis) {
  MODEL(model_format,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"up": [0, 1]}},
       "bodies": [
         {"name": "cam", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}},
         {"name": "follower", "mass": 2, "inertia": 1, "points": {"P": [0, 0]},
          "vectors": {"up": [0, 1], "face": [1, 0]}, "initial": {"position": [0, %g]}}],
       "joints": [
         {"name": "axis", "type": "revolute", "points": ["ground.O", "cam.O"]},
         {"name": "guide", "type": "translational", "points": ["ground.O", "follower.P"],
          "vectors": ["ground.up", "follower.up"]},
         %s],
       "drivers": [{"name": "motor", "type": "joint", "joint": "axis", "function": "%s"}],
       "sensors": [
         {"name": "y",     "value": "follower.y"},
         {"name": "vy",    "value": "follower.vy"},
         {"name": "ay",    "value": "follower.ay"},
         {"name": "alpha", "value": "contact.alpha1"}],
       "analysis": %s});
  return models_text(model_format, height, contact, motion, analysis);
}

/* An eccentric circle of radius R about the axis at e: the flat follower's lift is R + e sin(phi). */
static void test_eccentric_circle_under_a_flat_face(void **unused) {
  (void)unused;
  const double e = 0.3, R = 1, omega = 3;
  for (int k = 0; k < 4; k++) {
    MODEL(analysis_format,
        {"type": "%s", "formulation": "%s", "t_end": 3, "dt": 0.05,
         "integrator": {"rtol": 1e-9, "atol": 1e-11}});
    char *analysis = models_text(analysis_format, k < 2 ? "kinematics" : "dynamics", formulations[k % 2]);
    MODEL(contact,
        {"name": "contact", "type": "cam-flat-follower", "points": ["cam.O", "follower.P"],
         "vectors": ["follower.face"], "curve": {"polar": "0.3*cos(alpha) + sqrt(1 - 0.09*sin(alpha)^2)"}});
    char *document = cam(1.6, contact, "3*t", analysis);
    mbs_result *result = models_run(document, NULL);
    for (size_t row = 0; row < models_rows(result); row++) {
      double t = *models_row(result, "T", row), phi = omega * t;
      expect_near("y", sensor(result, "y", row), R + e * sin(phi), 1e-9);
      expect_near("vy", sensor(result, "vy", row), e * omega * cos(phi), 1e-8);
      expect_near("ay", sensor(result, "ay", row), -e * omega * omega * sin(phi), 1e-7);
      /* The contact is above the centre, at pi/2 - phi in the axes of the body. */
      double alpha = atan2(R + e * sin(phi), e * cos(phi)) - phi;
      expect_near("alpha", sensor(result, "alpha", row), alpha, 1e-7);
      expect_near("column of alpha", *models_row(result, "contact_parameters", row), alpha, 1e-7);
    }
    if (k >= 2) {
      /* The contact force at the contact point is m (g + a). */
      for (size_t row = 0; row < models_rows(result); row++) {
        const double *Lam = models_row(result, "Lam", row), *reaction = models_row(result, "reactions", row) + 6;
        double phi = omega * *models_row(result, "T", row), force = 2 * (9.81 - e * omega * omega * sin(phi));
        expect_near("multiplier", fabs(Lam[k == 2 ? 0 : 4]), force, 1e-6);
        expect_near("reaction", reaction[1], force, 1e-6);
        expect_near("torque", reaction[2], force * e * cos(phi), 1e-6);
      }
      expect_near("energy", result->report.energy_change_max, 0, 1e-6);
    }
    mbs_result_free(result);
    free(document);
    free(analysis);
  }
}

/* Returns rho_1 of the lecture on drivers. */
static double lobe(double alpha) {
  alpha -= 2 * pi * floor(alpha / (2 * pi));
  return alpha < 2 * pi / 3 ? 1.25 - 0.25 * cos(3 * alpha) : 1;
}

/* Returns the height of a circle of radius r that touches the cam, rotated by phi, from above: by bisection on its
 * distance from the cam. */
static double roller_height(double phi, double r) {
  double low = 1, high = 2.5;
  for (int k = 0; k < 50; k++) {
    double y = 0.5 * (low + high), least = INFINITY, best = 0;
    for (int pass = 0; pass < 4; pass++) {
      double step = pass ? 2e-3 * pow(1e-2, pass) : 2e-3, from = pass ? best - 150 * step : 0;
      for (int i = 0; i < (pass ? 300 : 3142); i++) {
        double alpha = from + i * step, rho = lobe(alpha);
        double distance = hypot(rho * cos(alpha + phi), rho * sin(alpha + phi) - y);
        if (distance < least) {
          least = distance;
          best = alpha;
        }
      }
    }
    *(least < r ? &low : &high) = y;
  }
  return 0.5 * (low + high);
}

static void test_cam_of_the_lecture(void **unused) {
  (void)unused;
  char *document = models_named("Cam");
  mbs_result *result = models_run(document, JSON({"type": "inverse-dynamics", "t_end": 1, "dt": 0.05}));
  for (size_t row = 0; row < models_rows(result); row++) {
    double t = *models_row(result, "T", row);
    expect_near("lift", sensor(result, "lift", row), roller_height(2 * pi * t, 0.25) - 1.25, 1e-7);
  }
  mbs_result_free(result);
  /* The curvature jumps at both ends of the lobe: when alpha = 0 and 2 pi/3 are on top. */
  result = models_run(document, JSON({"type": "dynamics", "t_end": 2, "dt": 0.1, "integrator": {"rtol": 1e-9}}));
  const double instants[] = {0.25, 11. / 12, 1.25, 23. / 12};
  const mbs_report *report = &result->report;
  size_t found = 0;
  for (size_t i = 0; i < report->event_count; i++) {
    assert_string_equal(report->events[i].element, "contact");
    if (found < 4 && fabs(report->events[i].t - instants[found]) < 1e-7) found++;
  }
  assert_int_equal(found, 4);
  expect_near("energy", report->energy_change_max, 0, 1e-5);
  mbs_result_free(result);
  free(document);
}

/* A lobe under a flat face: base circle and lobe touch it simultaneously before the contact reaches the concave
 * flank. */
static void test_concave_cam_under_a_flat_face(void **unused) {
  (void)unused;
  /* Compares the lobe's largest height h(theta) in the direction theta with the base circle's radius 1. */
  double low = -1.5, high = 0;
  for (int k = 0; k < 50; k++) {
    double theta = 0.5 * (low + high), most = 0;
    for (int i = 0; i <= 20000; i++) {
      double alpha = 2 * pi / 3 * i / 20000;
      most = fmax(most, lobe(alpha) * cos(alpha - theta));
    }
    *(most < 1 + 1e-9 ? &low : &high) = theta;
  }
  /* The direction of the face in the cam's axes is pi/2 - phi: from -pi/2 it rises to `low` while phi falls. */
  const double instant = (low + pi / 2) / 2;
  const char *const types[] = {"kinematics", "dynamics"};
  for (int k = 0; k < 2; k++) {
    char *analysis = models_text(JSON({"type": "%s", "t_end": 2, "dt": 0.01}), types[k]);
    MODEL(contact,
        {"name": "contact", "type": "cam-flat-follower", "points": ["cam.O", "follower.P"],
         "vectors": ["follower.face"],
         "curve": {"polar": "if(mod(alpha, 2*pi) < 2*pi/3, 5/4 - cos(3*alpha)/4, 1)"}});
    char *document = cam(1.6, contact, "pi - 2*t", analysis);
    mbs_result *result = NULL;
    mbs_error error = {0};
    expect_failure(document, NULL, MBS_CONTACT_NOT_UNIQUE, "contact", NULL, &result, &error);
    expect_near("time of the second contact", error.time, instant, 1e-3);
    assert_true(strstr(error.message, "second point") != NULL);
    assert_true(fabs(*models_row(result, "T", models_rows(result) - 1) - instant) < 0.011);
    mbs_result_free(result);
    free(document);
    free(analysis);
  }
}

/* A roller too large for the hollow at the start of the lobe: it touches base circle and flank simultaneously. */
static void test_roller_too_large_for_a_hollow(void **unused) {
  (void)unused;
  const double r = 1.5;
  /* The roller on the base circle at the angle theta of the cam's axes approaches the lobe as theta rises. */
  double low = -1.5, high = 0;
  for (int k = 0; k < 50; k++) {
    double theta = 0.5 * (low + high), least = INFINITY;
    for (int i = 1; i <= 20000; i++) {
      double alpha = 2 * pi / 3 * i / 20000, rho = lobe(alpha);
      least = fmin(least, hypot(rho * cos(alpha) - (1 + r) * cos(theta), rho * sin(alpha) - (1 + r) * sin(theta)));
    }
    *(least > r ? &low : &high) = theta;
  }
  const double instant = (low + pi / 2) / 2;
  MODEL(contact_format,
      {"name": "contact", "type": "cam-follower", "points": ["cam.O", "follower.P"],
       "curve": [{"polar": "if(mod(alpha, 2*pi) < 2*pi/3, 5/4 - cos(3*alpha)/4, 1)"}, {"polar": %g}]});
  char *contact = models_text(contact_format, r);
  char *document = cam(2.2, contact, "pi - 2*t", JSON({"type": "dynamics", "t_end": 2, "dt": 0.01}));
  mbs_result *result = NULL;
  mbs_error error = {0};
  assert_int_equal(models_try_run(document, NULL, &result, &error), MBS_CONTACT_NOT_UNIQUE);
  expect_near("time of the second contact", error.time, instant, 1e-3);
  mbs_result_free(result);
  free(document);
  free(contact);
}

/* Expects that a run ends at `instant`, in kinematics and dynamics and in both formulations, with a message that
 * contains `what`. */
static void expect_contact_to_end(double height, const char *contact, const char *motion, double instant,
                                  const char *what) {
  const char *const types[] = {"kinematics", "dynamics"};
  for (int k = 0; k < 4; k++) {
    char *analysis = models_text(JSON({"type": "%s", "formulation": "%s", "t_end": 2, "dt": 0.02}), types[k / 2],
                                 formulations[k % 2]);
    char *document = cam(height, contact, motion, analysis);
    mbs_result *result = NULL;
    mbs_error error = {0};
    expect_failure(document, NULL, MBS_CONTACT_NOT_UNIQUE, "contact", NULL, &result, &error);
    expect_near("time", error.time, instant, 2e-3);
    if (!strstr(error.message, what)) fail_msg("'%s' does not say '%s'", error.message, what);
    mbs_result_free(result);
    free(document);
    free(analysis);
  }
}

/* Contact of a curve with a flat face, and of two curves. */
#define FLAT(...)                      \
  JSON({                               \
    "name": "contact",                 \
    "type": "cam-flat-follower",       \
    "points": ["cam.O", "follower.P"], \
    "vectors": ["follower.face"],      \
    "curve": __VA_ARGS__               \
  })
#define PAIR(...) \
  JSON({"name": "contact", "type": "cam-follower", "points": ["cam.O", "follower.P"], "curve": [__VA_ARGS__]})

/* Two equal humps on a cam that rotates until they have equal height. The second one is on either side of alpha = 0,
 * within the first revolution and beyond it. */
static void test_second_hump_of_an_open_curve(void **unused) {
  (void)unused;
  static const char *const humps[] = {FLAT({"x": "alpha", "y": "1 - (alpha^2 - 1)^2", "start": 1}),
                                      FLAT({"x": "alpha", "y": "1 - (alpha^2 - 1)^2", "start": 1, "range": [-2, 2]}),
                                      FLAT({"x": "alpha - 5", "y": "1 - ((alpha - 5)^2 - 1)^2", "start": 6}),
                                      FLAT({"x": "alpha - pi", "y": "cos(alpha)", "start": 6, "range": [-1.5, 7.7]})};
  for (size_t i = 0; i < sizeof humps / sizeof *humps; i++)
    expect_contact_to_end(1.6, humps[i], "0.3 - 0.6*t", 0.5, "second point");
}

/* A roller in a hollow between the humps that is too small for it; the curve has either direction. */
static void test_roller_in_a_hollow_of_an_open_curve(void **unused) {
  (void)unused;
  static const char *const pairs[] = {
      PAIR({"x": "alpha", "y": "1 - (alpha^2 - 1)^2", "range": [-1.5, 1.5], "start": 0.5}, {"polar": 0.6}),
      PAIR({"x": "-alpha", "y": "1 - (alpha^2 - 1)^2", "range": [-1.5, 1.5], "start": -0.5}, {"polar": 0.6})};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    expect_contact_to_end(1, pairs[i], "0.3 - 0.6*t", 0.5, "second point");
}

/* A ring around an ellipse that is less curved at the end of its short axis: it touches both sides of that end when the
 * axis is upright, and so does the ellipse as the second curve. */
static void test_ellipse_in_a_ring(void **unused) {
  (void)unused;
  static const char *const pairs[] = {
      PAIR({"x": "1.4*cos(alpha)", "y": "0.8*sin(alpha)"}, {"polar": 2}),
      PAIR({"polar": "1.4*0.8/sqrt((0.8*cos(alpha))^2 + (1.4*sin(alpha))^2)"}, {"polar": 2})};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    expect_contact_to_end(1.2, pairs[i], "0.3 - 0.6*t", 0.5, "second point");
}

/* A disc slightly smaller than a ring touches it at a single place. */
static void test_disc_that_nearly_fills_a_ring(void **unused) {
  (void)unused;
  const double e = 0.001, R = 1.0005 + 0.001;
  MODEL(disc_in_ring,
      {"name": "contact", "type": "cam-follower", "points": ["cam.O", "follower.P"],
       "curve": [{"polar": "%g*cos(alpha) + sqrt(1 - %g*sin(alpha)^2)"}, {"polar": %.17g}]});
  char *contact = models_text(disc_in_ring, e, e * e, R);
  char *document = cam(0.0015, contact, "3*t", JSON({"type": "kinematics", "t_end": 2, "dt": 0.05}));
  mbs_result *result = models_run(document, NULL);
  for (size_t row = 0; row < models_rows(result); row++) {
    /* The centre of the disc is at e from the axis, and at R - 1 from the centre of the ring. */
    double phi = 3 * *models_row(result, "T", row), across = e * cos(phi);
    double y = e * sin(phi) + sqrt((R - 1) * (R - 1) - across * across);
    expect_near("height", sensor(result, "y", row), y, 1e-9);
  }
  mbs_result_free(result);
  free(document);
  free(contact);
}

/* The contact with a parabola of limited width is at alpha = tan(phi)/2. Beads slide to an end of their wires. */
static void test_end_of_a_curve(void **unused) {
  (void)unused;
  const double instant = (pi / 4 - 0.3) / 0.6;
  expect_contact_to_end(1.6, FLAT({"x": "alpha", "y": "1 - alpha^2", "range": [-0.5, 0.5]}), "0.3 + 0.6*t", instant,
                        "end of the curve");
  MODEL(slot,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "bead", "mass": 1, "inertia": 0.1, "points": {"P": [0, 0]},
          "initial": {"position": [%d, %d]}}],
       "joints": [
         {"name": "contact", "type": "point-follower", "points": ["bead.P", "ground.O"],
          "curve": %s}],
       "analysis": {"t_end": 3, "dt": 0.05}});
  static const struct {
    int x, y;
    const char *curve, *what;
    double end;
  } cases[] = {{1, 1, JSON({"x": "alpha", "y": "alpha", "range": [0.25, 3]}), "end of the curve", 0.25},
               {1, 0, JSON({"x": "alpha", "y": "-0.75*(alpha - 1)", "range": [0, 1.8]}), "end of the curve", 1.8},
               {1, 1, JSON({"x": "alpha", "y": "alpha^1.5", "start": 1}), "not defined", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = models_text(slot, cases[i].x, cases[i].y, cases[i].curve);
    mbs_result *result = NULL;
    mbs_error error = {0};
    assert_int_equal(models_try_run(document, NULL, &result, &error), MBS_CONTACT_NOT_UNIQUE);
    assert_non_null(strstr(error.message, cases[i].what));
    size_t last = models_rows(result) - 1;
    const double *r = models_row(result, "r", last), *v = models_row(result, "rd", last);
    double left = error.time - *models_row(result, "T", last);
    expect_near("place of the end", r[0] + left * v[0], cases[i].end, 0.03);
    mbs_result_free(result);
    free(document);
  }
}

/* ---- two bodies that other joints could connect, too ------------------------------------------------------------ */

/* Returns an arm on the ground and a bob, with `joint` between them. */
static char *pair(const char *joint, const char *drivers) {
  MODEL(model_format,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "arm", "mass": 1, "inertia": 0.2, "points": {"O": [-0.5, 0], "E": [0.5, 0.1]}},
         {"name": "bob", "mass": 2, "inertia": 0.3, "points": {"P": [0.1, 0.2]},
          "initial": {"position": [1.4, -0.2], "angle": 0.2}}],
       "joints": [
         {"name": "axis", "type": "revolute", "points": ["ground.O", "arm.O"],
          "initial": {"position": 0.3, "velocity": 1}},
         %s],
       "drivers": [%s],
       "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.05,
                    "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}}});
  return models_text(model_format, joint, drivers);
}

static void expect_same_motion(const char *one, const char *two, double tolerance) {
  for (int f = 0; f < 2; f++) {
    MODEL(analysis_format,
        {"type": "dynamics", "formulation": "%s", "t_end": 2, "dt": 0.05,
         "integrator": {"method": "dop853", "rtol": 1e-11, "atol": 1e-12}});
    char *analysis = models_text(analysis_format, formulations[f]);
    mbs_result *first = models_run(one, analysis), *second = models_run(two, analysis);
    static const char *const arrays[] = {"r", "rd", "rdd", "p", "pd", "pdd", "energy"};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
      expect_near(arrays[i], difference(first, second, arrays[i]), 0, tolerance);
    mbs_result_free(first);
    mbs_result_free(second);
    free(analysis);
  }
}

static void test_two_circles_are_a_rod(void **unused) {
  (void)unused;
  char *rod = pair(JSON({"name": "own", "type": "rod", "points": ["arm.E", "bob.P"], "length": 0.7}), "");
  const char *const circles[][2] = {{JSON({"polar": 0.4}), JSON({"polar": 0.3})},
                                    {JSON({"x": "0.4*sin(alpha)", "y": "0.4*cos(alpha)"}), JSON({"polar": 0.3})}};
  for (size_t i = 0; i < 2; i++) {
    MODEL(joint_format,
        {"name": "own", "type": "cam-follower", "points": ["arm.E", "bob.P"], "curve": [%s, %s]});
    char *joint = models_text(joint_format, circles[i][0], circles[i][1]);
    char *cams = pair(joint, "");
    expect_same_motion(rod, cams, 1e-8);
    mbs_result *one = models_run(rod, NULL), *two = models_run(cams, NULL);
    expect_near("reactions", difference(one, two, "reactions"), 0, 1e-6); /* the force passes through the centre of the
                                                                           * circle */
    mbs_result_free(one);
    mbs_result_free(two);
    free(joint);
    free(cams);
  }
  free(rod);
}

static void test_pin_in_a_round_slot_is_a_rod(void **unused) {
  (void)unused;
  char *rod = pair(JSON({"name": "own", "type": "rod", "points": ["arm.E", "bob.P"], "length": 0.7}), "");
  MODEL(round_slot,
      {"name": "own", "type": "point-follower", "points": ["arm.E", "bob.P"], "curve": {"polar": 0.7}});
  char *slot = pair(round_slot, "");
  expect_same_motion(rod, slot, 1e-8);
  free(slot);
  free(rod);
}

/* A bead on a wave-shaped wire: energy, and the shape. */
static void test_bead_on_a_wave(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "bead", "mass": 1, "inertia": 0.1, "points": {"P": [0, 0]},
          "initial": {"position": [0.1, 1], "velocity": [2, 0]}}],
       "joints": [
         {"name": "slot", "type": "point-follower", "points": ["bead.P", "ground.O"],
          "curve": {"x": "alpha", "y": "cos(alpha)", "start": 0.1}}],
       "sensors": [{"name": "place", "value": "slot.alpha1"}],
       "analysis": {"type": "dynamics", "t_end": 10, "dt": 0.1, "integrator": {"rtol": 1e-9, "atol": 1e-11}}});
  mbs_result *result = models_run(document, NULL);
  size_t last = models_rows(result) - 1;
  expect_near("energy", result->report.energy_change_max, 0, 1e-6);
  for (size_t row = 0; row <= last; row++) {
    const double *r = models_row(result, "r", row);
    expect_near("wave", r[1], cos(r[0]), 1e-9);
    expect_near("place", sensor(result, "place", row), r[0], 1e-9);
  }
  assert_true(models_row(result, "r", last)[0] > 10); /* passed several waves */
  mbs_result_free(result);
}

/* A ground with a wave-shaped curve and the bead exchange their roles in the joint: reactions are equal and
 * opposite. */
static void test_reaction_on_the_ground(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0.2, -1]}},
       "bodies": [
         {"name": "disc", "mass": 1, "inertia": 0.1, "points": {"P": [0.05, 0]},
          "initial": {"position": [0.5, 0.4], "velocity": [1, 0]}}],
       "joints": [{"name": "contact", "type": "cam-follower", "points": %s, "curve": %s}],
       "analysis": {"t_end": 0.5, "dt": 0.05, "integrator": {"rtol": 1e-11, "atol": 1e-12}}});
  char *one = models_text(document, JSON(["ground.O", "disc.P"]), JSON([{"polar": 1.2}, {"polar": 0.3}])),
       *two = models_text(document, JSON(["disc.P", "ground.O"]), JSON([{"polar": 0.3}, {"polar": 1.2}]));
  mbs_result *first = models_run(one, NULL), *second = models_run(two, NULL);
  for (size_t row = 0; row < models_rows(first); row++) {
    const double *on_disc = models_row(first, "reactions", row), *on_ground = models_row(second, "reactions", row);
    const double *P = models_row(first, "rP", row) + 2, *O = models_row(first, "rP", row);
    double x = P[0] - O[0], y = P[1] - O[1];
    if (row == 0) assert_true(hypot(on_disc[0], on_disc[1]) > 1);
    for (int k = 0; k < 2; k++) expect_near("force", on_ground[k], -on_disc[k], 1e-6);
    expect_near("torque about O", on_ground[2], -on_disc[2] - (x * on_disc[1] - y * on_disc[0]), 1e-6);
  }
  mbs_result_free(first);
  mbs_result_free(second);
  free(one);
  free(two);
}

/* The bead has its equilibrium in a valley, for every start of the search. */
static void test_bead_at_rest(void **unused) {
  (void)unused;
  for (int k = 0; k < 5; k++) {
    double x = 0.2 + 1.4 * k;
    MODEL(document_format,
        {"space": "planar", "gravity": [0, -9.81],
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [
           {"name": "bead", "mass": 1, "inertia": 0.1, "points": {"P": [0, 0]},
            "initial": {"position": [%.17g, %.17g]}}],
         "joints": [
           {"name": "slot", "type": "point-follower", "points": ["bead.P", "ground.O"],
            "curve": {"x": "alpha", "y": "cos(alpha)", "start": %.17g}}],
         "analysis": {"type": "equilibrium"}});
    char *document = models_text(document_format, x, cos(x), x);
    mbs_result *result = models_run(document, NULL);
    const double *r = models_row(result, "r", 0);
    expect_near("x", r[0], pi, 1e-6);
    expect_near("y", r[1], -1, 1e-9);
    expect_near("multiplier", fabs(*models_row(result, "Lam", 0)), 9.81, 1e-6);
    mbs_result_free(result);
    free(document);
  }
}

/* The spline through n points of a circle: the error of its radius is proportional to n^-4. */
static void test_spline_converges_to_the_circle(void **unused) {
  (void)unused;
  double errors[3];
  for (int k = 0; k < 3; k++) {
    int n = 8 << k;
    char *points = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&points, &size);
    for (int i = 0; i < n; i++)
      fprintf(out, "%s[%.17g, %.17g]", i ? ", " : "", cos(2 * pi * i / n), sin(2 * pi * i / n));
    fclose(out);
    MODEL(contact_format,
        {"name": "contact", "type": "cam-flat-follower", "points": ["cam.O", "follower.P"],
         "vectors": ["follower.face"], "curve": {"spline": [%s]}});
    char *contact = models_text(contact_format, points);
    char *document = cam(1.6, contact, "t", JSON({"type": "kinematics", "t_end": 3, "dt": 0.01}));
    mbs_result *result = models_run(document, NULL);
    errors[k] = 0;
    for (size_t row = 0; row < models_rows(result); row++)
      errors[k] = fmax(errors[k], fabs(sensor(result, "y", row) - 1));
    mbs_result_free(result);
    free(document);
    free(contact);
    free(points);
  }
  for (int k = 0; k < 2; k++) expect_near("order", log2(errors[k] / errors[k + 1]), 4, 0.35);
  assert_true(errors[2] < 1e-5);
}

/* ---- gears ------------------------------------------------------------------------------------------------------ */

static void test_gears(void **unused) {
  (void)unused;
  const double n = -2.5, J1 = 0.4, J2 = 0.1, torque = 3;
  for (int points = 0; points < 2; points++)
    for (int f = 0; f < 2; f++) {
      MODEL(gears,
          {"space": "planar",
           "ground": {"points": {"A": [0, 0], "B": [1, 0]}},
           "bodies": [
             {"name": "one", "mass": 1, "inertia": %g, "points": {"O": [0, 0]}, "initial": {"angle": 0.4}},
             {"name": "two", "mass": 1, "inertia": %g, "points": {"O": [0, 0]}, "initial": {"angle": -0.3}}],
           "joints": [
             {"name": "a",    "type": "revolute", "points": ["ground.A", "one.O"]},
             {"name": "b",    "type": "revolute", "points": ["ground.B", "two.O"]},
             {"name": "gear", "type": "gear", "%s": %s, "ratio": %g}],
           "forces": [{"name": "motor", "type": "torque", "body": "one", "value": %g}],
           "analysis": {"type": "dynamics", "formulation": "%s", "t_end": 1, "dt": 0.1}});
      char *document =
          models_text(gears, J1, J2, points ? "points" : "bodies",
                      points ? JSON(["one.O", "two.O"]) : JSON(["one", "two"]), n, torque, formulations[f]);
      mbs_result *result = models_run(document, NULL);
      double alpha = torque / (J1 + n * n * J2);
      for (size_t row = 0; row < models_rows(result); row++) {
        double t = *models_row(result, "T", row), turn = 0.5 * alpha * t * t;
        const double *p = models_row(result, "p", row), *reaction = models_row(result, "reactions", row) + 6;
        expect_near("first gear", p[0], 0.4 + turn, 1e-9);
        expect_near("second gear", p[1], -0.3 + n * turn, 1e-9);
        expect_near("force", hypot(reaction[0], reaction[1]), 0, 1e-12);
        expect_near("torque", reaction[2], J2 * n * alpha, 1e-9);
      }
      mbs_result_free(result);
      free(document);
    }
}

/* ---- users' constraints ----------------------------------------------------------------------------------------- */

static void test_expressions_equal_joints(void **unused) {
  (void)unused;
  char *rod = pair(JSON({"name": "own", "type": "rod", "points": ["arm.E", "bob.P"], "length": 0.7}), "");
  char *own = pair(JSON({"name": "own", "type": "expression", "value": "distance(arm.E, bob.P) - 0.7"}), "");
  expect_same_motion(rod, own, 1e-8);
  mbs_result *one = models_run(rod, NULL), *two = models_run(own, NULL);
  expect_near("multipliers", difference(one, two, "Lam"), 0, 1e-7);
  mbs_result_free(one);
  mbs_result_free(two);
  char *pin = pair(JSON({"name": "own", "type": "revolute", "points": ["arm.E", "bob.P"], "cut": true}), "");
  MODEL(pin_by_hand,
      {"name": "own", "type": "expression", "value": "arm.E.x - bob.P.x"},
      {"name": "more", "type": "expression", "value": "arm.E.y - bob.P.y"});
  char *written = pair(pin_by_hand, "");
  expect_same_motion(pin, written, 1e-8);
  free(rod);
  free(own);
  free(pin);
  free(written);
}

/* A constraint of three bodies and time: its power equals that of the drivers. */
static void test_rheonomic_expressions_equal_drivers(void **unused) {
  (void)unused;
  char *driven = pair(JSON({"name": "pin", "type": "revolute", "points": ["arm.E", "bob.P"]}),
                      JSON({"name": "d", "type": "joint", "joint": "pin", "function": "0.3*sin(2*t)"}));
  MODEL(by_angles,
      {"name": "pin", "type": "revolute", "points": ["arm.E", "bob.P"]},
      {"name": "d", "type": "expression", "value": "bob.phi - arm.phi - 0.3*sin(2*t)"});
  char *own = pair(by_angles, "");
  MODEL(by_coordinate,
      {"name": "pin", "type": "revolute", "points": ["arm.E", "bob.P"]},
      {"name": "d", "type": "expression", "value": "2*(pin.q - 0.3*sin(2*t))"});
  char *coordinate = pair(by_coordinate, "");
  expect_same_motion(driven, own, 1e-8);
  expect_same_motion(driven, coordinate, 1e-8);
  mbs_result *result = models_run(own, NULL);
  assert_true(fabs(models_row(result, "energy", 30)[2]) > 0.1); /* the work is not zero */
  expect_near("energy", result->report.energy_change_max, 0, 1e-8);
  mbs_result_free(result);
  free(driven);
  free(own);
  free(coordinate);
}

/* ---- functions of time ------------------------------------------------------------------------------------------ */

/* Returns a body on a rail whose driver follows a function. */
static char *driven(const char *function) {
  MODEL(model_format,
      {"space": "planar",
       "bodies": [{"name": "b", "mass": 2, "inertia": 1, "initial": {"position": [0, 0]}}],
       "joints": [{"name": "f", "type": "floating", "body": "b"}],
       "drivers": [{"name": "d", "type": "joint", "joint": "f", "function": %s}],
       "sensors": [
         {"name": "x",      "value": "b.x"},
         {"name": "v",      "value": "b.vx"},
         {"name": "a",      "value": "b.ax"},
         {"name": "effort", "value": "d.effort"}],
       "analysis": {"type": "dynamics", "t_end": 4, "dt": 0.25}});
  return models_text(model_format, function);
}

static void test_splines(void **unused) {
  (void)unused;
  /* The spline reproduces a cubic exactly. */
  MODEL(cubic,
      {"spline": {"t": [0, 0.7, 1.5, 3, 4], "f": ["0", "0.7^3 - 2*0.7^2", "1.5^3 - 2*1.5^2", 9, 32]}});
  char *document = driven(cubic);
  mbs_result *result = models_run(document, NULL);
  for (size_t row = 0; row < models_rows(result); row++) {
    double t = *models_row(result, "T", row);
    expect_near("x", sensor(result, "x", row), t * t * t - 2 * t * t, 1e-9);
    expect_near("v", sensor(result, "v", row), 3 * t * t - 4 * t, 1e-8);
    expect_near("a", sensor(result, "a", row), 6 * t - 4, 1e-8);
  }
  mbs_result_free(result);
  free(document);
  /* The run ends with an error where the table ends; earlier rows remain. */
  document = driven(JSON({"spline": {"t": [0, 1, 2, 3], "f": [0, 1, 0, 1]}}));
  mbs_error error = {0};
  expect_failure(document, NULL, MBS_OUT_OF_RANGE, "d", NULL, &result, &error);
  expect_near("end of the table", error.time, 3, 1e-9);
  assert_int_equal(models_rows(result), 13);
  mbs_result_free(result);
  free(document);
}

static void test_pieces(void **unused) {
  (void)unused;
  /* Standstill, then an acceleration, then a spline; the effort jumps with the acceleration. */
  MODEL(pieces,
      {"piecewise": [
         {"until": 1, "function": 0.5},
         {"until": 2.6, "function": "0.5 + (t - 1)^2"},
         {"function":
           {"piecewise": [{"until": 10, "function": {"polynomial": ["0.5 + 1.6^2 - 2.6*3.2", 3.2]}}]}}]});
  char *document = driven(pieces);
  mbs_result *result = models_run(document, NULL);
  for (size_t row = 0; row < models_rows(result); row++) {
    double t = *models_row(result, "T", row);
    double x = t < 1 ? 0.5 : t < 2.6 ? 0.5 + (t - 1) * (t - 1) : 0.5 + 1.6 * 1.6 + 3.2 * (t - 2.6);
    double a = t <= 1 ? 0 : t < 2.6 ? 2 : 0; /* a row at a switch reports the piece before it */
    expect_near("x", sensor(result, "x", row), x, 1e-9);
    expect_near("a", sensor(result, "a", row), a, 1e-9);
    expect_near("effort", sensor(result, "effort", row), 2 * a, 1e-8);
  }
  assert_true(result->report.rejected == 0);
  mbs_result_free(result);
  free(document);
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

static void expect_joint_mistake(const char *joint, const char *field, const char *words) {
  char *document = pair(joint, ""), *pointer = models_text("/model/joints/1%s", field);
  expect_error(document, NULL, pointer, words);
  free(document);
  free(pointer);
}

static void test_mistakes(void **unused) {
  (void)unused;
#define OWN(law) JSON({"name": "own", "type": "expression", "value": law})
#define SLOT(...) JSON({"name": "own", "type": "point-follower", "points": ["arm.E", "bob.P"], "curve": __VA_ARGS__})
  expect_joint_mistake(OWN("bob.vx"), "/value", "without velocities");
  expect_joint_mistake(OWN("distance_rate(bob.P, ground.O)"), "/value", "without velocities");
  expect_joint_mistake(OWN("axis.qd"), "/value", "without velocities");
  expect_joint_mistake(OWN("sin(t)"), "/value", "depends on no body");
  expect_joint_mistake(OWN(1), "/value", "depends on no body");
  expect_joint_mistake(SLOT({"polar": "1 + t"}), "/curve/polar", "only alpha and parameters");
  expect_joint_mistake(SLOT({"polar": "1 + bob.x"}), "/curve/polar", "only alpha and parameters");
  expect_joint_mistake(SLOT({"polar": 1, "x": 2}), "/curve", "exactly one of 'polar'");
  expect_joint_mistake(SLOT({"x": 2}), "/curve", "exactly one of 'polar'");
  expect_joint_mistake(SLOT({"polar": 0}), "/curve", "no direction");
  expect_joint_mistake(SLOT({"polar": "1/alpha"}), "/curve", "no point");
  expect_joint_mistake(SLOT({"spline": [[0, 0], [1, 0], [1, 0]]}), "/curve/spline/1",
                       "successive points of the spline coincide");
  expect_joint_mistake(SLOT({"spline": [[0, 0], [1, 0], [1, 1]], "range": [0, 1]}), "/curve/range", "no 'range'");
  expect_joint_mistake(SLOT({"polar": 1, "range": [1, 1]}), "/curve/range", "from a smaller to a larger alpha");
  expect_joint_mistake(JSON({"name": "own", "type": "gear", "ratio": 2}), "", "missing field 'bodies'");
  expect_joint_mistake(JSON({"name": "own", "type": "gear", "ratio": 2, "bodies": ["arm", "arm"]}), "/bodies",
                       "two different bodies");
  char *document = driven(JSON({"piecewise": [{"until": 1, "function": 0}, {"function": 1}]}));
  expect_error(document, NULL, "/model/drivers/0/function/piecewise", "between two pieces at t = 1");
  free(document);
  document = driven(JSON({"piecewise": [{"function": 0}, {"until": 1, "function": 0}]}));
  expect_error(document, NULL, "/model/drivers/0/function/piecewise/0", "only the last piece");
  free(document);
  document = driven(JSON({"spline": {"t": [0, 1, 1], "f": [0, 1, 2]}}));
  expect_error(document, NULL, "/model/drivers/0/function/spline/t", "must ascend");
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_eccentric_circle_under_a_flat_face),
      cmocka_unit_test(test_cam_of_the_lecture),
      cmocka_unit_test(test_concave_cam_under_a_flat_face),
      cmocka_unit_test(test_roller_too_large_for_a_hollow),
      cmocka_unit_test(test_second_hump_of_an_open_curve),
      cmocka_unit_test(test_roller_in_a_hollow_of_an_open_curve),
      cmocka_unit_test(test_ellipse_in_a_ring),
      cmocka_unit_test(test_disc_that_nearly_fills_a_ring),
      cmocka_unit_test(test_end_of_a_curve),
      cmocka_unit_test(test_two_circles_are_a_rod),
      cmocka_unit_test(test_pin_in_a_round_slot_is_a_rod),
      cmocka_unit_test(test_bead_on_a_wave),
      cmocka_unit_test(test_reaction_on_the_ground),
      cmocka_unit_test(test_bead_at_rest),
      cmocka_unit_test(test_spline_converges_to_the_circle),
      cmocka_unit_test(test_gears),
      cmocka_unit_test(test_expressions_equal_joints),
      cmocka_unit_test(test_rheonomic_expressions_equal_drivers),
      cmocka_unit_test(test_splines),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
