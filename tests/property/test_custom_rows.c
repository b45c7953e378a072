/* test_custom_rows.c - rows that joints compute themselves (curves, users' expressions), in body and in joint
 * coordinates at random states off the constraints: C against differences of Phi, rhsV and rhsA against differences in
 * time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/rows.h"
#include "models.h"
#include "probe.h"

enum { STATES = 6 };

static const char body_analysis[] = JSON({"type": "assembly", "formulation": "body", "correct": false}),
                  joint_analysis[] = JSON({"type": "assembly", "correct": false});

/* Two arms, a - b and c, about 3 m apart; the joint under test connects b and c, which are roughly upright. */
static char *document(const char *joint) {
  MODEL(arms,
      {"space": "planar",
       "ground": {"points": {"A": [0, -1], "C": [4, 1]}, "vectors": {"u": [1, 0.3]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.3, "points": {"A": [-0.4, 0.1], "B": [0.3, 0.2]}},
         {"name": "b", "mass": 1, "inertia": 0.3, "points": {"B": [-0.1, -0.2], "P": [0.15, 0.1]},
          "vectors": {"u": [1, 0.2]}},
         {"name": "c", "mass": 1, "inertia": 0.3, "points": {"C": [0.2, 0.1], "P": [-0.2, 0.1]},
          "vectors": {"u": [0.2, 1]}}],
       "joints": [
         {"name": "turn", "type": "revolute", "points": ["ground.A", "a.A"]},
         {"name": "pin", "type": "revolute", "points": ["b.B", "a.B"]},
         {"name": "slot", "type": "revolute-translational", "points": ["ground.C", "c.C"],
          "vectors": ["ground.u"]},
         %s],
       "states": [
         {"name": "y", "rate": "sin(b.P.x)*w + 0.3*t*c.phi - y^2"},
         {"name": "w", "rate": "a.omega - w*c.vx + t"}],
       "signals": [
         {"name": "s", "type": "pid", "input": "cos(c.P.y)", "kp": 0.5, "ki": 2}]});
  return models_text(arms, joint);
}

/* ---- differences --------------------------------------------------------------------------------------------- */

static void compare(probe *p, const char *what, const double *values, double dt, bool rate, double sign, void *unused) {
  (void)unused;
  double found[16];
  assert_true(p->model->rows <= 16);
  probe_difference(p, 1e-3, dt, rate, found);
  for (size_t r = 0; r < p->model->rows; r++) {
    const double wanted = sign * found[r];
    if (!rate && p->model->levels[r] != MBS_LEVEL_POSITION) continue; /* there is no Phi */
    if (!(fabs(values[r] - wanted) <= 1e-7 * (1 + fabs(wanted))))
      fail_msg("%s of row %zu (%s): %.15g, by differences %.15g", what, r, mbs_row_element(p->model, r), values[r],
               wanted);
  }
}

static void check_rows(const mbs_model *model, uint64_t *seed) {
  probe p = probe_open(model);
  assert_true(model->rows > 0);
  for (int state = 0; state < STATES; state++) {
    probe_randomize(&p, 0.4, seed);
    probe_check(&p, compare, NULL);
  }
  probe_close(&p);
}

static void check_joint(const char *joint, uint64_t seed) {
  char *text = document(joint);
  for (int body = 0; body < 2; body++) {
    print_message("%s: %s\n", body ? "body" : "joint", joint);
    mbs_model *model = models_build(text, body ? body_analysis : joint_analysis);
    check_rows(model, &seed);
    mbs_model_free(model);
  }
  free(text);
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

MODEL(spline,
    {"spline": [[0.9, 0], [0.5, 0.6], [-0.2, 0.8], [-0.7, 0.3], [-0.6, -0.5], [0.1, -0.8], [0.7, -0.5]]});
static const char clockwise[] = JSON({"x": "0.1 + 0.8*cos(alpha)", "y": "-0.5*sin(alpha) - 0.05"}),
                  polar[] = JSON({"polar": "0.7 + 0.1*cos(2*alpha) + 0.05*sin(alpha)"}),
                  open_curve[] = JSON({"x": "-alpha", "y": "0.3*sin(alpha)", "start": 1}),
                  lobe[] = JSON({"polar": "0.8*if(mod(alpha, 2*pi) < 2*pi/3, 1.03 - 0.03*cos(3*alpha), 1)"}),
                  roller[] = JSON({"polar": 0.2});

static void test_point_followers(void **unused) {
  (void)unused;
  const char *const curves[] = {spline, clockwise, polar, open_curve, lobe};
  for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
    char joint[600];
    snprintf(joint, sizeof joint,
             PART({"name": "own", "type": "point-follower", "points": ["b.P", "c.P"], "curve": %s}), curves[i]);
    check_joint(joint, 3 + i);
  }
}

static void test_flat_followers(void **unused) {
  (void)unused;
  const char *const curves[] = {spline, clockwise, polar};
  for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
    char joint[600];
    MODEL(joint_format,
        {"name": "own", "type": "cam-flat-follower", "points": ["b.P", "c.P"], "vectors": ["c.u"],
         "curve": %s});
    snprintf(joint, sizeof joint, joint_format, curves[i]);
    check_joint(joint, 11 + i);
  }
}

MODEL(cams,
    {"name": "own", "type": "cam-follower", "points": ["b.P", "c.P"], "curve": [%s, %s]});

static void test_cam_followers(void **unused) {
  (void)unused;
  const char *const pairs[][2] = {
      {spline, roller}, {clockwise, polar}, {polar, clockwise}, {lobe, roller}, {polar, spline}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char joint[900];
    snprintf(joint, sizeof joint, cams, pairs[i][0], pairs[i][1]);
    check_joint(joint, 21 + i);
  }
}

/* A curve inside another one, in either order. */
static void test_inner_cam_followers(void **unused) {
  (void)unused;
  static const char ring[] = JSON({"polar": "6 + 0.3*cos(2*alpha)"});
  const char *const pairs[][2] = {{ring, polar}, {polar, ring}, {ring, roller}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    char joint[900];
    snprintf(joint, sizeof joint, cams, pairs[i][0], pairs[i][1]);
    check_joint(joint, 31 + i);
  }
}

static void test_expressions(void **unused) {
  (void)unused;
  const char *const values[] = {"b.x",
                                "b.P.x*c.phi + sin(a.y) - 0.1*t^3",
                                "distance(b.P, c.P)*turn.q - pin.q*slot.q1 + cos(t)*slot.q2",
                                "b.phi^2 + a.B.y*b.P.y*c.P.x + exp(0.2*a.phi*t)",
                                "b.x - y",
                                "y*b.P.x*c.phi + y^2*t - sin(y*a.y)",
                                "a.phi - s*y*t"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char joint[300];
    snprintf(joint, sizeof joint, JSON({"name": "own", "type": "expression", "value": "%s"}), values[i]);
    check_joint(joint, 41 + i);
  }
}

/* Rows of velocity level with states, whose rates may read velocities. */
static void test_velocities_with_states(void **unused) {
  (void)unused;
  const char *const values[] = {"b.vx - y", "y*b.vx + w^2*c.omega - w*y*t + s", "a.omega*sin(w*b.y) + c.P.vy - exp(y)"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char joint[300];
    snprintf(joint, sizeof joint, JSON({"name": "own", "type": "velocity", "value": "%s"}), values[i]);
    check_joint(joint, 51 + i);
  }
}

static void test_gear(void **unused) {
  (void)unused;
  check_joint(JSON({"name": "own", "type": "gear", "bodies": ["b", "c"], "ratio": -2.5}), 51);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_point_followers),
      cmocka_unit_test(test_flat_followers),
      cmocka_unit_test(test_cam_followers),
      cmocka_unit_test(test_inner_cam_followers),
      cmocka_unit_test(test_expressions),
      cmocka_unit_test(test_velocities_with_states),
      cmocka_unit_test(test_gear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
