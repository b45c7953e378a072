/* Rows of velocity level (mbs_level): a knife edge in all that a row goes through. The closed form is that of
 * Chaplygin's sleigh, whose edge is at the distance a behind the mass centre:
 *
 *   v' = a w^2,   (J + m a^2) w' = -m a v w,   v = V tanh(s), w = W / cosh(s), s' = a sqrt(2 E m) / (J + m a^2),
 *
 * v along the edge, E = (m v^2 + (J + m a^2) w^2) / 2. (Neimark, Fufaev, Dynamics of Nonholonomic Systems, 1972.) */
#include "api/base/values.h"
#include "api/certificate/findings.h"
#include "api/jobs/job.h"
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

#include "expect.h"

#include <math.h>

static const char *const formulations[] = {"joint", "body"};
static const char *const constraints[] = {"projection", "partitioning", "baumgarte", "none"};
static const char *const integrators[] = {
    JSON({"method": "dopri5", "rtol": 1e-10, "atol": 1e-12}), JSON({"method": "dop853", "rtol": 1e-10, "atol": 1e-12}),
    JSON({"method": "rk4", "fixed_step": 0.002}), JSON({"method": "bdf", "rtol": 1e-10, "atol": 1e-12})};
enum { FORMULATIONS = 2, CONSTRAINTS = 4, INTEGRATORS = 4 };

/* ---- Chaplygin's sleigh ------------------------------------------------------------------------------------------ */

static const double a = 0.4, mass = 2, inertia = 0.3, first_phase = -1.5, energy = 3;

static double edge_inertia(void) { return inertia + mass * a * a; }
static double phase(double t) { return first_phase + a * sqrt(2 * energy * mass) / edge_inertia() * t; }
static double along(double t) { return sqrt(2 * energy / mass) * tanh(phase(t)); }
static double turning(double t) { return sqrt(2 * energy / edge_inertia()) / cosh(phase(t)); }

/* The integral of w: of 1 / cosh(s) it is 2 atan(tanh(s / 2)). */
static double heading(double t) {
  return sqrt(edge_inertia() / mass) / a * 2 * (atan(tanh(phase(t) / 2)) - atan(tanh(first_phase / 2)));
}

/* The edge's place, by Simpson's rule. */
static void place(double t, double out[2]) {
  enum { PARTS = 2000 };
  out[0] = out[1] = 0;
  for (int k = 0; k <= PARTS; k++) {
    const double at = t * k / PARTS, weight = (k == 0 || k == PARTS ? 1 : k % 2 ? 4 : 2) * t / PARTS / 3;
    out[0] += weight * along(at) * cos(heading(at));
    out[1] += weight * along(at) * sin(heading(at));
  }
}

/* The sleigh, its edge at the origin along x; a second edge is the same once more. */
static model_run run_sleigh(const char *edges, const char *format, ...) __attribute__((format(printf, 2, 3)));
static model_run run_sleigh(const char *edges, const char *format, ...) {
  MODEL(sleigh,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [-0.4, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"position": [0.4, 0], "velocity": [%.17g, %.17g], "angular_velocity": %.17g}}],
       "joints": [%s]});
  char *base = models_text(sleigh, along(0), a * turning(0), turning(0), edges), *more = NULL;
  va_list arguments;
  va_start(arguments, format);
  assert_true(vasprintf(&more, format, arguments) > 0);
  va_end(arguments);
  model_run run = model_run_merged(base, more);
  free(base);
  free(more);
  return run;
}

#define EDGE(name) PART({"name": name, "type": "knife-edge", "points": ["ground.O", "s.P"], "vectors": "s.u"})
static const char one_edge[] = EDGE("edge"), two_edges[] = EDGE("edge") "," EDGE("again");

static void expect_sleigh(const model_run *run, double tolerance) {
  for (long row = 0; row <= 30; row++) {
    const double t = 0.1 * (double)row, c = cos(heading(t)), s = sin(heading(t));
    const double vx = along(t) * c - a * turning(t) * s, vy = along(t) * s + a * turning(t) * c;
    double at[2];
    place(t, at);
    assert_close(model_run_value(run, "p", row, 0), heading(t), tolerance);
    assert_close(model_run_value(run, "pd", row, 0), turning(t), tolerance);
    assert_close(model_run_value(run, "rd", row, 0), vx, tolerance);
    assert_close(model_run_value(run, "rd", row, 1), vy, tolerance);
    assert_close(model_run_value(run, "r", row, 0), at[0] + a * c, tolerance);
    assert_close(model_run_value(run, "r", row, 1), at[1] + a * s, tolerance);
    /* it has no Phi */
    assert_close(model_run_value(run, "residuals", row, 0), 0, 0);
  }
}

/* Every method and every way of keeping constraints. The multiplier is the force across the edge,
 * m v w J / (J + m a^2). */
static void test_sleigh(void **state) {
  (void)state;
  for (int k = 0; k < FORMULATIONS * CONSTRAINTS * INTEGRATORS; k++) {
    const bool keeps = k / FORMULATIONS % CONSTRAINTS < 2;
    static const double tolerances[INTEGRATORS] = {1e-7, 1e-7, 1e-7, 1e-6};
    const double tolerance = tolerances[k / (FORMULATIONS * CONSTRAINTS)];
    model_run run =
        run_sleigh(one_edge, PART({"analysis": {"type": "dynamics", "t_end": 3, "dt": 0.1, "formulation": "%s",
                                                "constraints": "%s", "integrator": %s}}),
                                  formulations[k % FORMULATIONS], constraints[k / FORMULATIONS % CONSTRAINTS],
                                  integrators[k / (FORMULATIONS * CONSTRAINTS)]);
    model_run_require(&run);
    expect_sleigh(&run, tolerance);
    for (long row = 0; row <= 30; row++) {
      const double t = 0.1 * (double)row, force = mass * along(t) * turning(t) * inertia / edge_inertia();
      assert_close(model_run_value(&run, "Lam", row, 0), force, 10 * tolerance);
      assert_close(model_run_value(&run, "reactions", row, 0), -force * sin(heading(t)), 10 * tolerance);
      assert_close(model_run_value(&run, "reactions", row, 1), force * cos(heading(t)), 10 * tolerance);
      assert_close(model_run_value(&run, "reactions", row, 2), 0, 1e-14);
      assert_close(model_run_value(&run, "energy", row, 0), energy, 10 * tolerance);
      if (keeps) assert_close(model_run_value(&run, "residuals", row, 1), 0, 1e-11);
      if (keeps) assert_close(model_run_value(&run, "residuals", row, 2), 0, 1e-11);
    }
    assert_int_equal(run.result->report.degrees_of_freedom, 3);
    assert_int_equal(run.result->report.velocity_freedoms, 2);
    model_run_free(&run);
  }
}

/* The same edge twice: one row is redundant, and the motion the same. */
static void test_redundant_edge(void **state) {
  (void)state;
  for (int k = 0; k < FORMULATIONS * 2; k++) {
    model_run run =
        run_sleigh(two_edges, PART({"analysis": {"type": "dynamics", "t_end": 3, "dt": 0.1, "formulation": "%s",
                                                  "constraints": "%s", "integrator": {"rtol": 1e-10, "atol": 1e-12}}}),
                                    formulations[k % FORMULATIONS], constraints[k / FORMULATIONS]);
    model_run_require(&run);
    expect_sleigh(&run, 1e-8);
    assert_int_equal(run.result->report.redundant_count, 1);
    assert_int_equal(run.result->report.degrees_of_freedom, 3);
    assert_int_equal(run.result->report.velocity_freedoms, 2);
    for (long row = 0; row <= 30; row++) {
      const double t = 0.1 * (double)row, force = mass * along(t) * turning(t) * inertia / edge_inertia();
      for (size_t r = 0; r < 2; r++) assert_close(model_run_value(&run, "Lam", row, r), force / 2, 1e-8);
    }
    model_run_free(&run);
  }
}

/* An edge along a slide: its row follows from those of the slide, which stay, whatever the order of the document. */
static void test_edge_on_a_slide(void **state) {
  (void)state;
  MODEL(slide,
      {"name": "slide", "type": "translational", "points": ["ground.O", "s.P"], "vectors": ["ground.u", "s.u"],
       "cut": true});
  for (int k = 0; k < FORMULATIONS; k++) {
    char *joints = models_text("%s, %s", one_edge, slide);
    model_run run = run_sleigh(
        joints, PART({"analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "formulation": "%s"}}), formulations[k]);
    free(joints);
    model_run_require(&run);
    assert_int_equal(run.result->report.degrees_of_freedom, 1);
    assert_int_equal(run.result->report.velocity_freedoms, 1);
    assert_true(run.result->report.constraints[0].redundant);
    assert_false(run.result->report.constraints[1].redundant || run.result->report.constraints[2].redundant);
    model_run_free(&run);
  }
}

/* Positions are no concern of an edge; velocities change by the least that its row asks for, C' (C C')^-1 C v. */
static void test_correction(void **state) {
  (void)state;
  MODEL(pushed,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [-0.4, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"position": [7, -3], "angle": 0.7, "velocity": [1, 2], "angular_velocity": 0.5}}],
       "joints": [{"name": "edge", "type": "knife-edge", "points": ["ground.O", "s.P"], "vectors": "s.u"}],
       "analysis": {"type": "assembly", "formulation": "%s"}});
  const double n[3] = {-sin(0.7), cos(0.7), -a}, v[3] = {1, 2, 0.5};
  const double over = (n[0] * v[0] + n[1] * v[1] + n[2] * v[2]) / (1 + a * a);
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(pushed, formulations[k]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 0), 7, 0);
    assert_close(model_run_value(&run, "r", 0, 1), -3, 0);
    assert_close(model_run_value(&run, "p", 0, 0), 0.7, 0);
    for (size_t i = 0; i < 3; i++)
      assert_close(i < 2 ? model_run_value(&run, "rd", 0, i) : model_run_value(&run, "pd", 0, 0), v[i] - over * n[i],
                   1e-14);
    model_run_free(&run);
  }
}

/* ---- a mechanism ------------------------------------------------------------------------------------------------- */

/* A tractor on an edge at its rear draws a trailer on an edge by a pin: in joint coordinates the pin carries the
 * trailer, in body coordinates its rows are beside those of the edges. The start satisfies all rows. */
MODEL(trailer,
    {"space": "planar", "gravity": [0, 0],
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [
       {"name": "tractor", "mass": 3, "inertia": 0.5, "points": {"P": [-0.3, 0], "H": [-0.6, 0]},
        "vectors": {"u": [1, 0]}, "initial": {"position": [0, 0], "velocity": [1, 0.24], "angular_velocity": 0.8}},
       {"name": "trailer", "mass": 1, "inertia": 0.2, "points": {"F": [0.5, 0], "P": [-0.2, 0]},
        "vectors": {"u": [1, 0]},
        "initial": {"position": [-1.1, 0], "velocity": [1, -0.06857142857142857],
                    "angular_velocity": -0.34285714285714286}}],
     "joints": [
       {"name": "rear",  "type": "knife-edge", "points": ["ground.O", "tractor.P"], "vectors": "tractor.u"},
       {"name": "pin",   "type": "revolute",   "points": ["tractor.H", "trailer.F"]},
       {"name": "wheel", "type": "knife-edge", "points": ["ground.O", "trailer.P"], "vectors": "trailer.u"}],
     "forces": [{"name": "pull", "type": "force", "body": "tractor", "value": [1.5, 0], "frame": "body"}]});

static void test_trailer(void **state) {
  (void)state;
  mbs_result *results[FORMULATIONS * 3];
  for (int k = 0; k < FORMULATIONS * 3; k++) {
    char *analysis = models_text(PART({"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "%s",
                                       "constraints": "%s", "integrator": {"rtol": 1e-10, "atol": 1e-12}}),
                                       formulations[k % FORMULATIONS], constraints[k / FORMULATIONS]);
    results[k] = models_run(trailer, analysis);
    free(analysis);
    assert_int_equal(results[k]->report.degrees_of_freedom, 4);
    assert_int_equal(results[k]->report.velocity_freedoms, 2);
  }
  static const char *const arrays[] = {"r", "p", "rd", "pd", "rdd", "pdd", "reactions", "energy"};
  for (int k = 1; k < FORMULATIONS * 3; k++)
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
      expect_same(constraints[k / FORMULATIONS], results[0], results[k], arrays[i], k < 4 ? 1e-8 : 1e-6);
  for (int k = 0; k < FORMULATIONS * 3; k++) {
    const double *first = models_row(results[k], "energy", 0), *last = models_row(results[k], "energy", 20);
    assert_close(last[0] + last[1] - last[2] + last[3], first[0] + first[1], 1e-8);
    mbs_result_free(results[k]);
  }
}

/* ---- space ------------------------------------------------------------------------------------------------------- */

/* The sleigh on a plane in space, by a planar joint. */
static void test_space(void **state) {
  (void)state;
  MODEL(spatial,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"n": [0, 0, 1]}},
       "bodies": [
         {"name": "s", "mass": 2, "inertia": [0.1, 0.2, 0.3], "points": {"P": [-0.4, 0, 0], "G": [0, 0, 0]},
          "vectors": {"u": [1, 0, 0], "n": [0, 0, 1]},
          "initial": {"position": [0.4, 0, 0], "velocity": [%.17g, %.17g, 0], "angular_velocity": [0, 0, %.17g]}}],
       "joints": [
         {"name": "table", "type": "planar", "points": ["ground.O", "s.G"], "vectors": ["ground.n", "s.n"]},
         {"name": "edge", "type": "knife-edge", "points": ["ground.O", "s.P"], "vectors": ["ground.n", "s.u"]}],
       "analysis": {"type": "dynamics", "t_end": 3, "dt": 0.1, "formulation": "%s", "constraints": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  for (int k = 0; k < FORMULATIONS * 2; k++) {
    model_run run = model_run_text(spatial, along(0), a * turning(0), turning(0), formulations[k % FORMULATIONS],
                                   constraints[k / FORMULATIONS]);
    model_run_require(&run);
    for (long row = 0; row <= 30; row++) {
      const double t = 0.1 * (double)row, c = cos(heading(t)), s = sin(heading(t));
      double at[2];
      place(t, at);
      assert_close(model_run_value(&run, "omega", row, 2), turning(t), 1e-8);
      assert_close(model_run_value(&run, "r", row, 0), at[0] + a * c, 1e-8);
      assert_close(model_run_value(&run, "r", row, 1), at[1] + a * s, 1e-8);
      assert_close(model_run_value(&run, "r", row, 2), 0, 1e-12);
    }
    assert_int_equal(run.result->report.degrees_of_freedom, 3);
    assert_int_equal(run.result->report.velocity_freedoms, 2);
    model_run_free(&run);
  }
}

/* A velocity that is prescribed: across its axis a block is moved at 0.6 t, by a force of 0.6 m that does the work. */
static void test_prescribed_velocity(void **state) {
  (void)state;
  MODEL(drifting,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]},
                   "initial": {"velocity": [1, 5]}}],
       "joints": [{"name": "edge", "type": "velocity", "value": "s.vy*cos(s.phi) - s.vx*sin(s.phi) - 0.6*t"}],
       "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "%s", "constraints": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  for (int k = 0; k < FORMULATIONS * CONSTRAINTS; k++) {
    model_run run = model_run_text(drifting, formulations[k % FORMULATIONS], constraints[k / FORMULATIONS]);
    model_run_require(&run);
    for (long row = 0; row <= 20; row++) {
      const double t = 0.1 * (double)row;
      assert_close(model_run_value(&run, "r", row, 0), t, 1e-10);
      assert_close(model_run_value(&run, "r", row, 1), 0.3 * t * t, 1e-8);
      assert_close(model_run_value(&run, "rd", row, 1), 0.6 * t, 1e-8);
      assert_close(model_run_value(&run, "Lam", row, 0), 1.2, 1e-8);
      assert_close(model_run_value(&run, "energy", row, 2), 0.36 * t * t, 1e-8);
    }
    model_run_free(&run);
  }
}

/* ---- impulses, driven motions ------------------------------------------------------------------------------------ */

/* At rest a driver begins to turn the sleigh at 2 rad/s: its impulse and that of the edge leave P at rest, and then
 * v' = a w^2. The work done on it is what it has. */
static void test_impulse(void **state) {
  (void)state;
  MODEL(jerk,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [-0.4, 0]}, "vectors": {"u": [1, 0]},
                   "initial": {"position": [0.4, 0]}}],
       "joints": [{"name": "edge", "type": "knife-edge", "points": ["ground.O", "s.P"], "vectors": "s.u"}],
       "drivers": [{"name": "turn", "type": "angle", "body": "s",
                    "function": {"piecewise": [{"until": 0.5, "function": 0}, {"function": "2*(t - 0.5)"}]}}],
       "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "%s", "constraints": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  for (int k = 0; k < FORMULATIONS * 2; k++) {
    model_run run = model_run_text(jerk, formulations[k % FORMULATIONS], constraints[k / FORMULATIONS]);
    model_run_require(&run);
    for (long row = 6; row <= 20; row++) {
      const double t = 0.1 * (double)row - 0.5, v = a * 4 * t, w = 2, c = cos(w * t), s = sin(w * t);
      assert_close(model_run_value(&run, "rd", row, 0), v * c - a * w * s, 1e-7);
      assert_close(model_run_value(&run, "rd", row, 1), v * s + a * w * c, 1e-7);
      assert_close(model_run_value(&run, "energy", row, 0), mass * v * v / 2 + edge_inertia() * w * w / 2, 1e-6);
      assert_close(model_run_value(&run, "energy", row, 2), model_run_value(&run, "energy", row, 0), 1e-6);
    }
    model_run_free(&run);
  }
}

/* The sleigh at rest with these drivers. */
static char *led(const char *drivers) {
  MODEL(sleigh,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [-0.4, 0]}, "vectors": {"u": [1, 0]},
                   "initial": {"position": [0.4, 0]}}],
       "joints": [{"name": "edge", "type": "knife-edge", "points": ["ground.O", "s.P"], "vectors": "s.u"}],
       "drivers": [%s]});
  return models_text(sleigh, drivers);
}

static const char turn[] = JSON({"name": "turn", "type": "angle", "body": "s", "function": "0.7*t"});
static const char go[] = JSON({"name": "go", "type": "x", "point": "s.P", "function": "t + 0.1*sin(3*t)"});

/* Drivers of the angle and of P's x leave no freedom of velocities, but y: y' = x' tan(phi), which is integrated. */
static void test_driven(void **state) {
  (void)state;
  static const char *const types[] = {"kinematics", "inverse-dynamics", "dynamics"};
  for (int f = 0; f < FORMULATIONS; f++) {
    mbs_result *results[3];
    char *drivers = models_text("%s, %s", turn, go), *steered = led(drivers);
    for (int k = 0; k < 3; k++) {
      char *analysis = models_text(PART({"type": "%s", "t_end": 1.5, "dt": 0.05, "formulation": "%s",
                                         "integrator": {"rtol": 1e-10, "atol": 1e-12}}),
                                         types[k], formulations[f]);
      results[k] = models_run(steered, analysis);
      free(analysis);
      assert_int_equal(results[k]->report.degrees_of_freedom, 1);
      assert_int_equal(results[k]->report.velocity_freedoms, 0);
    }
    static const char *const moves[] = {"r", "p", "rd", "pd", "rdd", "pdd"}, *const forces[] = {"Lam", "energy"};
    for (size_t i = 0; i < 6; i++)
      for (int k = 0; k < 2; k++) expect_same(types[k], results[2], results[k], moves[i], 1e-7);
    for (size_t i = 0; i < 2; i++) expect_same("forces", results[2], results[1], forces[i], 1e-7);
    /* y' = (1 + 0.3 cos(3 t)) tan(0.7 t), by Simpson's rule */
    double y = 0;
    for (int k = 0; k <= 3000; k++) {
      const double t = 1.5 * k / 3000;
      y += (k == 0 || k == 3000 ? 1 : k % 2 ? 4 : 2) * (1 + 0.3 * cos(3 * t)) * tan(0.7 * t) * 1.5 / 3000 / 3;
    }
    assert_close(models_row(results[0], "rP", 30)[3], y, 1e-8);
    for (int k = 0; k < 3; k++) mbs_result_free(results[k]);
    free(drivers);
    free(steered);
  }
}

/* What no driver moves is a velocity: one of two here. */
static void test_not_driven(void **state) {
  (void)state;
  mbs_result *result = NULL;
  mbs_error error = {0};
  char *document = led(turn);
  expect_failure(document, JSON({"type": "kinematics", "t_end": 1, "dt": 0.1}), MBS_NOT_DRIVEN, "",
                 "but 1 has no driver", &result, &error);
  mbs_result_free(result);
  free(document);
}

/* ---- states ---------------------------------------------------------------------------------------------------- */

/* A spring draws the sleigh until it pulls across the edge, which is at the mass centre here: of the places where it
 * does one that is near. */
static void test_equilibrium(void **state) {
  (void)state;
  MODEL(drawn,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"A": [2, 1]}},
       "bodies": [{"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "edge", "type": "knife-edge", "points": ["ground.A", "s.P"], "vectors": "s.u"}],
       "forces": [{"name": "spring", "type": "spring-damper", "points": ["ground.A", "s.P"], "stiffness": 5}],
       "analysis": {"type": "equilibrium", "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(drawn, formulations[k]);
    model_run_require(&run);
    const double dx = 2 - model_run_value(&run, "r", 0, 0), dy = 1 - model_run_value(&run, "r", 0, 1);
    const double angle = model_run_value(&run, "p", 0, 0);
    assert_close(dx * cos(angle) + dy * sin(angle), 0, 1e-10);
    assert_close(model_run_value(&run, "Lam", 0, 0), 5 * (dx * sin(angle) - dy * cos(angle)), 1e-10);
    assert_true(fabs(dx) < 2 && fabs(dy) < 2 && fabs(angle) < 2);
    model_run_free(&run);
  }
}

/* About straight motion at v along x: of five eigenvalues only that of w is not zero, -m a v / (J + m a^2). */
static void test_straight_motion(void **state) {
  (void)state;
  MODEL(straight,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [-0.4, 0]}, "vectors": {"u": [1, 0]},
                   "initial": {"velocity": [%g, 0]}}],
       "joints": [{"name": "edge", "type": "knife-edge", "points": ["ground.O", "s.P"], "vectors": "s.u"}],
       "analysis": {"type": "linearization", "about": "state", "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS * 2; k++) {
    const double v = k < FORMULATIONS ? 1.5 : -0.8, s = -mass * a * v / edge_inertia();
    model_run run = model_run_text(straight, v, formulations[k % FORMULATIONS]);
    model_run_require(&run);
    assert_int_equal(models_rows(run.result), 1);
    int zeros = 0, found = 0;
    const mbs_array *values = mbs_result_array(run.result, "eigenvalues");
    assert_int_equal(values->shape[0], 5);
    for (size_t i = 0; i < 5; i++) {
      const double *value = values->data + 2 * i;
      zeros += value[0] == 0 && value[1] == 0;
      found += fabs(value[0] - s) < 1e-9 && value[1] == 0;
    }
    assert_int_equal(zeros, 4);
    assert_int_equal(found, 1);
    assert_null(mbs_result_array(run.result, "K"));
    assert_null(models_note(run.result, "not_steady"));
    model_run_free(&run);
  }
}

/* A sleigh held along its edge by a spring: a pair for that, and zeros. */
static void test_about_rest(void **state) {
  (void)state;
  MODEL(held,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"A": [-3, 0]}},
       "bodies": [{"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [-0.4, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "edge", "type": "knife-edge", "points": ["ground.A", "s.P"], "vectors": "s.u"}],
       "forces": [{"name": "spring", "type": "spring-damper", "points": ["ground.A", "s.P"], "stiffness": 18,
                   "free_length": 2.6}],
       "analysis": {"type": "linearization", "about": "state", "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(held, formulations[k]);
    model_run_require(&run);
    const mbs_array *frequencies = mbs_result_array(run.result, "frequencies");
    const mbs_array *values = mbs_result_array(run.result, "eigenvalues");
    assert_int_equal(values->shape[0], 5);
    double fastest = 0;
    for (size_t i = 0; i < frequencies->shape[0]; i++) fastest = fmax(fastest, frequencies->data[i]);
    assert_close(fastest, 3 / (2 * 3.14159265358979323846), 1e-9);
    model_run_free(&run);
  }
}

/* ---- the rest -------------------------------------------------------------------------------------------------- */

/* A sleigh that is pulled by hand goes along its edge. */
static void test_session(void **state) {
  (void)state;
  for (int k = 0; k < FORMULATIONS; k++) {
    char *analysis =
        models_text(PART({"type": "dynamics", "t_end": 1, "dt": 0.1, "formulation": "%s"}), formulations[k]);
    char *document = led("");
    mbs_model *model = models_build(document, analysis);
    mbs_error error = {0};
    mbs_session *session = mbs_session_new(model, NULL, &error);
    assert_non_null(session);
    assert_int_equal(mbs_session_assemble(session), MBS_OK);
    assert_int_equal(mbs_session_freedoms(session), 3);
    assert_int_equal(mbs_session_mobility(session), 2);
    double distance;
    for (int i = 0; i < 20; i++) {
      const double target[2] = {0.4 + 0.02 * (i + 1), 0};
      assert_int_equal(mbs_session_drag(session, 1, (double[]){0, 0}, target, 0, &distance), MBS_OK);
    }
    const double *at = mbs_session_centres(session, 0);
    assert_close(at[0], 0.8, 1e-3);
    assert_close(at[1], 0, 1e-9);
    assert_int_equal(mbs_session_step(session, 0.01, NULL), MBS_OK);
    mbs_session_free(session);
    mbs_model_free(model);
    free(document);
    document = led(turn);
    model = models_build(document, analysis);
    session = mbs_session_new(model, NULL, &error);
    assert_non_null(session);
    assert_int_equal(mbs_session_drive(session, "turn", 0.3), MBS_OK);
    assert_int_equal(mbs_session_step(session, 0.01, NULL), MBS_OK);
    mbs_session_free(session);
    mbs_model_free(model);
    free(document);
    free(analysis);
  }
}

/* Derivatives of a motion by the distance of the edge, which differences of runs confirm. */
static void test_sensitivities(void **state) {
  (void)state;
  MODEL(sleigh,
      {"space": "planar", "gravity": [0, 0], "parameters": {"a": %.17g},
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": ["-a", 0]}, "vectors": {"u": [1, 0]},
                   "initial": {"position": [0.4, 0], "velocity": [0.5, 0], "angular_velocity": 1.3}}],
       "joints": [{"name": "edge", "type": "knife-edge", "points": ["ground.O", "s.P"], "vectors": "s.u"}],
       "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.5, "formulation": "%s", %s
                    "integrator": {"rtol": 1e-11, "atol": 1e-13}}});
  const double step = 1e-3;
  for (int f = 0; f < FORMULATIONS; f++) {
    char *document = models_text(sleigh, a, formulations[f], PART("sensitivities": ["a"],));
    mbs_model *model = models_build(document, NULL);
    mbs_result *result = NULL;
    mbs_error error = {0};
    assert_int_equal(mbs_run(model, NULL, &result, &error), MBS_OK);
    assert_int_equal(mbs_sensitivities(model, NULL, result, &error), MBS_OK);
    model_run up = model_run_text(sleigh, a + step, formulations[f], ""),
              down = model_run_text(sleigh, a - step, formulations[f], "");
    const mbs_array *found = mbs_result_array(result, "sensitivities");
    const size_t columns = models_columns(result, "uT");
    assert_non_null(found);
    for (long row = 0; row < 5; row++)
      for (size_t c = 0; c < columns; c++) {
        const double difference =
            (model_run_value(&up, "uT", row, c) - model_run_value(&down, "uT", row, c)) / (2 * step);
        assert_close(found->data[(size_t)row * columns + c], difference, 1e-4);
      }
    mbs_result_free(result);
    mbs_model_free(model);
    free(document);
    model_run_free(&up);
    model_run_free(&down);
  }
}

/* Coordinates in `hold` stay independent. */
static void test_hold(void **state) {
  (void)state;
  MODEL(arm,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [-0.4, 0], "H": [0.3, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"velocity": [1, 0], "angular_velocity": 0}},
         {"name": "arm", "mass": 1, "inertia": 0.1, "points": {"H": [-0.5, 0]},
          "initial": {"position": [0.8, 0.02], "angular_velocity": 2}}],
       "joints": [
         {"name": "edge", "type": "knife-edge", "points": ["ground.O", "s.P"], "vectors": "s.u"},
         {"name": "pin",  "type": "revolute",   "points": ["s.H", "arm.H"]}]});
  mbs_result *results[FORMULATIONS * 2];
  for (int k = 0; k < FORMULATIONS * 2; k++) {
    char *analysis =
        models_text(PART({"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "%s", "hold": ["pin"],
                                       "constraints": "%s", "integrator": {"rtol": 1e-10, "atol": 1e-12}}),
                          formulations[k % FORMULATIONS], constraints[k / FORMULATIONS]);
    results[k] = models_run(arm, analysis);
    free(analysis);
  }
  for (int f = 0; f < FORMULATIONS; f++) { /* projection against partitioning; formulations correct differently */
    expect_same("hold", results[f], results[f + FORMULATIONS], "r", 1e-7);
    expect_same("hold", results[f], results[f + FORMULATIONS], "pd", 1e-7);
  }
  for (int k = 0; k < FORMULATIONS * 2; k++) mbs_result_free(results[k]);
}

/* Two edges at one pin along each other ask for one velocity, and turned against each other for none: what moves there
 * cannot go on, or not without a word. */
static void test_edges_that_part(void **state) {
  (void)state;
  MODEL(scissors,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "s", "mass": 2, "inertia": 0.3, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"velocity": [1, 0]}},
         {"name": "b", "mass": 1, "inertia": 0.1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "first",  "type": "knife-edge", "points": ["ground.O", "s.P"], "vectors": "s.u"},
         {"name": "pin",    "type": "revolute",   "points": ["s.P", "b.P"]},
         {"name": "second", "type": "knife-edge", "points": ["ground.O", "b.P"], "vectors": "b.u"}],
       "drivers": [{"name": "open", "type": "joint", "joint": "pin", "function": "0.5*t"}]});
  for (int k = 0; k < FORMULATIONS * 2; k++) {
    mbs_result *result = NULL;
    mbs_error error = {0};
    char *analysis =
        models_text(PART({"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "%s",
                                       "constraints": "%s"}),
                         formulations[k % FORMULATIONS], constraints[k / FORMULATIONS]);
    const mbs_status status = models_try_run(scissors, analysis, &result, &error);
    if (status == MBS_OK) /* partitioning takes the velocity away, and says that energy is lost */
      assert_non_null(models_note(result, "the energy balance has an error of 1.5 J"));
    else
      assert_int_equal(status, MBS_SINGULAR_POSITION);
    mbs_result_free(result);
    free(analysis);
  }
}

/* A certificate finds nothing against a motion with such rows: the other formulation agrees, and the Jacobian of the
 * rows that have a Phi. */
static void test_certificate(void **state) {
  (void)state;
  char *alone = led("");
  const char *const documents[] = {trailer, alone};
  for (int k = 0; k < 2; k++) {
    char *text = models_text(PART({"model": %s, "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "certify": true,
"formulation": "body"}}),
                                   documents[k]);
    const job_hooks hooks = {0};
    const mbs_limits limits = {0};
    job_outcome outcome;
    api_findings findings;
    api_job_run(text, strlen(text), &limits, &hooks, &outcome);
    json_t *report = api_json_parse(outcome.report), *error = api_json_parse(outcome.error);
    assert_true(!error || json_is_null(error));
    api_findings_make(report, error, &findings);
    for (size_t i = 0; i < findings.count; i++) {
      if (findings.items[i].against) fail_msg("%s: %s", findings.items[i].check, findings.items[i].text);
      if (strcmp(findings.items[i].check, "jacobian") == 0) assert_true(findings.items[i].examined == (k == 0));
    }
    json_decref(report);
    json_decref(error);
    job_outcome_free(&outcome);
    free(text);
  }
  free(alone);
}

/* The equations show such a row in numbers, and say what it is. */
static void test_equations(void **state) {
  (void)state;
  char *drivers = models_text("%s, %s", turn, go), *steered = led(drivers);
  for (int f = 0; f < FORMULATIONS; f++) {
    char *analysis =
        models_text(PART({"type": "dynamics", "t_end": 1, "dt": 0.1, "formulation": "%s"}), formulations[f]);
    mbs_model *model = models_build(steered, analysis);
    mbs_equations *equations = mbs_equations_new(model);
    mbs_error error = {0};
    assert_non_null(equations);
    assert_int_equal(mbs_equations_start(equations, &error), MBS_OK);
    bool said = false;
    for (size_t i = 0; i < equations->word_count; i++)
      said |= strcmp(equations->words[i],
                     "edge (knife-edge) is a constraint of 1 row, which restricts velocities only.") == 0;
    assert_true(said);
    for (size_t m = 0; m < equations->matrix_count; m++)
      if (strcmp(equations->matrices[m].name, "C") == 0) {
        const mbs_equation_matrix *C = &equations->matrices[m];
        double sum = 0; /* (0, 1, -a) of the edge: n and the lever */
        for (size_t c = 0; c < C->column_count; c++)
          for (int k = 0; k < C->columns[c].size; k++) sum += C->blocks[c].value[k];
        assert_close(sum, 1 - a, 1e-15);
      }
    mbs_equations_free(equations);
    mbs_model_free(model);
    free(analysis);
  }
  free(drivers);
  free(steered);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sleigh),
      cmocka_unit_test(test_redundant_edge),
      cmocka_unit_test(test_edge_on_a_slide),
      cmocka_unit_test(test_correction),
      cmocka_unit_test(test_trailer),
      cmocka_unit_test(test_space),
      cmocka_unit_test(test_prescribed_velocity),
      cmocka_unit_test(test_impulse),
      cmocka_unit_test(test_driven),
      cmocka_unit_test(test_not_driven),
      cmocka_unit_test(test_equilibrium),
      cmocka_unit_test(test_straight_motion),
      cmocka_unit_test(test_about_rest),
      cmocka_unit_test(test_session),
      cmocka_unit_test(test_sensitivities),
      cmocka_unit_test(test_hold),
      cmocka_unit_test(test_edges_that_part),
      cmocka_unit_test(test_certificate),
      cmocka_unit_test(test_equations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
