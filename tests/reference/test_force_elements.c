/* Force elements, against closed forms in both formulations:
 *
 *   bushing       a body on it has the eigenvalues (-c +- sqrt(c^2 - 4 k m)) / (2 m) in each direction
 *   rotation      r'' = -(k/J) r about a principal axis, through half a turn; about an axis through full turns
 *   gravitation   an orbit closes after T = 2 pi sqrt(a^3 / (G (m1 + m2)))
 *   drag          a fall from rest has v = v_t tanh(g t / v_t); a linear drag in wind decays as exp(-c t / m)
 *   beam          a cantilever: u = F L^3 / (3 EI), F L / EA, T L / GJ; with a mass at its tip
 *                 det(K - w^2 M) = 0, K = EI/L^3 (12, -6 L; -6 L, 4 L^2); a chain under a moment is a regular polygon
 *   tyre          its law at a given slip angle and slip */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "close.h"
#include "expect.h"
#include "model_run.h"

static const double pi = 3.14159265358979323846, g = 9.81;
static const char *const formulations[] = {"joint", "body"};
enum { FORMULATIONS = 2 };

/* ---- bushing -------------------------------------------------------------------------------------------------- */

/* Expects that `count` pairs of eigenvalues include those of m x'' + c x' + k x = 0. */
static void expect_mode(const model_run *run, size_t count, double m, double c, double k) {
  const double re = -c / (2 * m), im = sqrt(k / m - re * re);
  for (size_t i = 0; i < 2 * count; i++)
    if (fabs(model_run_value(run, "eigenvalues", (long)i, 0) - re) < 1e-8 * sqrt(k / m) &&
        fabs(model_run_value(run, "eigenvalues", (long)i, 1) - im) < 1e-8 * sqrt(k / m))
      return;
  fail_msg("no eigenvalue %.15g + %.15g i", re, im);
}

static void test_bushing_in_the_plane(void **state) {
  (void)state;
  /* the axes of the bushing are turned by atan(3/4) */
  MODEL(bushing,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [1, 2]}, "vectors": {"x": [4, 3]}},
       "bodies": [{"name": "m", "mass": 3, "inertia": 0.05, "points": {"C": [0, 0]},
                   "initial": {"position": [1, 2], "angle": 7}}],
       "forces": [{"name": "bush", "type": "bushing", "points": ["ground.O", "m.C"], "vectors": "ground.x",
                   "stiffness": [2e4, 5e3, 300], "damping": [40, 10, 0.2], "preload": [%s, 0, 0]}],
       "analysis": {"type": "%s", "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(bushing, "0", "linearization", formulations[k]);
    model_run_require(&run);
    expect_mode(&run, 3, 3, 40, 2e4);
    expect_mode(&run, 3, 3, 10, 5e3);
    expect_mode(&run, 3, 0.05, 0.2, 300);
    model_run_free(&run);
    /* the preload moves it by 0.01 along (4, 3) / 5, without a resultant force */
    run = model_run_text(bushing, "200", "equilibrium", formulations[k]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 0), 1.008, 1e-10);
    assert_close(model_run_value(&run, "r", 0, 1), 2.006, 1e-10);
    assert_close(model_run_value(&run, "p", 0, 0), 7, 1e-12);
    const double x[] = {0, 0, 0, 0.01, 0, 0}; /* fx, fy, torque, x, y, turn */
    for (size_t i = 0; i < 6; i++) assert_close(model_run_value(&run, "forces", 0, i), x[i], 1e-7);
    model_run_free(&run);
  }
}

static void test_bushing_in_space(void **state) {
  (void)state;
  MODEL(bushing,
      {"space": "spatial", "gravity": [0, 0, 0], "ground": {"points": {"O": [0, 0, 0]}},
       "bodies": [{"name": "m", "mass": 3, "inertia": [0.05, 0.06, 0.07], "points": {"C": [0, 0, 0]},
                   "initial": {"orientation": {"axis": [0, 0, 1], "angle": 3.14159265358979323846}}}],
       "forces": [{"name": "bush", "type": "bushing", "points": ["ground.O", "m.C"],
                   "stiffness": [2e4, 5e3, 8e3, 300, 400, 500], "damping": [40, 10, 20, 0.2, 0.3, 0.4]}],
       "analysis": {"type": "linearization", "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(bushing, formulations[k]);
    model_run_require(&run);
    expect_mode(&run, 6, 3, 40, 2e4);
    expect_mode(&run, 6, 3, 10, 5e3);
    expect_mode(&run, 6, 3, 20, 8e3);
    expect_mode(&run, 6, 0.05, 0.2, 300);
    expect_mode(&run, 6, 0.06, 0.3, 400);
    expect_mode(&run, 6, 0.07, 0.4, 500);
    model_run_free(&run);
  }
}

static void test_errors_of_bushings(void **state) {
  (void)state;
  MODEL(bushing,
      {"space": "spatial",
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"x": [1, 0, 0], "y": [0.1, 1, 0]}},
       "bodies": [{"name": "m", "mass": 3, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0]},
                   "vectors": {"x": [1, 0, 0]}}],
       "forces": [{"name": "b", "type": "bushing", "points": ["ground.O", "m.C"], %s}]});
  const struct {
    const char *fields, *pointer, *words;
  } cases[] = {
      {PART("stiffness": [1, 1, 1]), "/model/forces/0/stiffness", "6"},
       {PART("stiffness": [1, 1, 1, 1, -1, 1]), "/model/forces/0/stiffness/4", "at least 0"},
        {PART("stiffness": [1, 1, 1, 1, 1, 1], "damping": [1, 1, -2, 1, 1, 1]), "/model/forces/0/damping/2",
                            "at least 0"},
         {PART("stiffness": [1, 1, 1, 1, 1, 1], "vectors": ["ground.x", "ground.y"]), "/model/forces/0/vectors/1",
                             "perpendicular"},
          {PART("stiffness": [1, 1, 1, 1, 1, 1], "vectors": ["m.x", "ground.y"]), "/model/forces/0/vectors/0",
                              "must be on 'ground'"},
           {PART("stiffness": ["1 N/m", 1, 1, "2 N/m", 1, 1]), "/model/forces/0/stiffness/3", "N m/rad"},
          };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = models_text(bushing, cases[i].fields);
    expect_error(document, JSON({"type": "assembly"}), cases[i].pointer, cases[i].words);
    free(document);
  }
}

/* ---- rotation in space ---------------------------------------------------------------------------------------- */

MODEL(spinner,
    {"space": "spatial", "gravity": [0, 0, 0], "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [2, 1, 2]}},
     "bodies": [{"name": "b", "mass": 1, "inertia": [0.7, 0.7, 0.7], "points": {"P": [0, 0, 0]},
                 "vectors": {"z": [2, 1, 2]},
                 "initial": {"angular_velocity": ["2/3*%s", "1/3*%s", "2/3*%s"]}}],
     "joints": [%s],
     "forces": [{"name": "s", "type": "rotational-spring-damper", "bodies": ["ground", "b"], "stiffness": 0.7, %s}],
     "sensors": [{"name": "turned", "value": "%s"}],
     "analysis": {"type": "dynamics", "t_end": 3, "dt": 0.05, "formulation": "%s",
                  "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
static const char hinge[] =
    PART({"name": "h", "type": "revolute", "points": ["ground.O", "b.P"],
                                  "vectors": ["ground.z", "b.z"]});

/* The angle is w sin(t) for k = J. */
static void test_rotation_in_space(void **state) {
  (void)state;
  for (int k = 0; k < 2 * FORMULATIONS; k++) {
    const char *joint = k % 2 ? hinge : "", *formulation = formulations[k / 2];
    /* 4 rad, more than half a turn; the length of the vector by its component along (2, 1, 2) / 3 */
    model_run run = model_run_text(spinner, "4", "4", "4", joint, PART("damping": 0), "1.5*s.rx", formulation);
    model_run_require(&run);
    for (long row = 0; row <= 60; row++)
      assert_close(model_run_value(&run, "turned", row, 0), 4 * sin(0.05 * (double)row), 1e-8);
    model_run_free(&run);
    /* 30 rad about an axis, with full turns */
    run = model_run_text(spinner, "30", "30", "30", joint,
                         PART("vectors": ["ground.z", "b.z"]), "s.torque/0.7", formulation);
    model_run_require(&run);
    for (long row = 0; row <= 60; row++)
      assert_close(model_run_value(&run, "turned", row, 0), 30 * sin(0.05 * (double)row), 1e-7);
    model_run_free(&run);
    /* 6 rad: the vector ends at three quarters of a turn */
    run = model_run_text(spinner, "6", "6", "6", joint, PART("damping": 0), "1.5*s.rx", formulation);
    assert_int_equal(run.status, MBS_OUT_OF_RANGE);
    assert_string_equal(run.error.element, "s");
    assert_close(run.error.time, asin(1.5 * pi / 6), 1e-6);
    model_run_free(&run);
  }
}

static void test_errors_of_rotations(void **state) {
  (void)state;
  char *document = models_text(spinner, "1", "1", "1", "", PART("free_angle": 1, "actuator": 2), "t", "joint");
  expect_error(document, NULL, "/model/forces/0/free_angle", "needs an axis");
  expect_error(document, NULL, "/model/forces/0/actuator", "needs an axis");
  free(document);
  document = models_text(spinner, "1", "1", "1", "", PART("vectors": ["b.z", "ground.z"]), "t", "joint");
  expect_error(document, NULL, "/model/forces/0/vectors/0", "must be on 'ground', the first body");
  free(document);
}

/* ---- gravitation ---------------------------------------------------------------------------------------------- */

/* Two bodies of 3 and 1 kg, at first 1.5 m apart at the largest distance of an orbit with a = 1 and e = 0.5. */
static void test_orbit(void **state) {
  (void)state;
  MODEL(orbit,
      {"space": "%s", "parameters": {"G": 2, "T": "2*pi/sqrt(4*G)", "w": "sqrt(4*G*(2/1.5 - 1))"},
       "gravity": %s,
       "bodies": [
         {"name": "a", "mass": 3, "inertia": %s, "initial": {"position": [-0.375, 0%s], "velocity": [0, "-w/4"%s]}},
         {"name": "b", "mass": 1, "inertia": %s, "initial": {"position": [1.125, 0%s], "velocity": [0, "3/4*w"%s]}}],
       "forces": [{"name": "pull", "type": "gravitation", "bodies": ["a", "b"], "constant": "G"}],
       "sensors": [{"name": "V", "value": "energy.potential"}],
       "analysis": {"type": "dynamics", "t_end": "T", "dt": "T/2", "formulation": "%s",
                    "integrator": {"rtol": 1e-11, "atol": 1e-13}}});
  for (int k = 0; k < FORMULATIONS; k++)
    for (int space = 0; space < 2; space++) {
      const char *more = space ? ", 0" : "", *inertia = space ? "[1, 1, 1]" : "1";
      model_run run = model_run_text(orbit, space ? "spatial" : "planar", space ? "[0, 0, 0]" : "[0, 0]", inertia, more,
                                     more, inertia, more, more, formulations[k]);
      model_run_require(&run);
      const size_t dim = space ? 3 : 2;
      assert_close(model_run_value(&run, "r", 2, 0), -0.375, 1e-8);
      assert_close(model_run_value(&run, "r", 2, 1), 0, 1e-8);
      assert_close(model_run_value(&run, "r", 2, dim), 1.125, 1e-8);
      /* half an orbit later at the least distance, a (1 - e) */
      assert_close(model_run_value(&run, "r", 1, dim) - model_run_value(&run, "r", 1, 0), -0.5, 1e-8);
      assert_close(model_run_value(&run, "V", 1, 0), -2 * 3 * 1 / 0.5, 1e-7);
      assert_close(model_run_value(&run, "forces", 1, 0), 2 * 3 * 1 / 0.25, 1e-6);
      for (long row = 0; row < 3; row++)
        assert_close(model_run_value(&run, "energy", row, 0) + model_run_value(&run, "energy", row, 1), -3, 1e-8);
      model_run_free(&run);
    }
}

static void test_errors_of_gravitation(void **state) {
  (void)state;
  MODEL(pair,
      {"space": "planar", "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "a", "mass": 3, "inertia": 1, "points": {"P": [0, 0]}},
                  {"name": "b", "mass": 3, "inertia": 1}],
       "forces": [{"name": "f", "type": "gravitation", %s}], "analysis": {"type": "assembly"}});
  const struct {
    const char *fields, *pointer, *words;
  } cases[] = {
      {PART("bodies": ["a", "ground"]), "/model/forces/0/bodies", "no mass"},
       {PART("bodies": ["a", "a"]), "/model/forces/0/bodies", "two different"},
        {PART("points": ["a.P", "ground.O"]), "/model/forces/0", "strength"},
         {PART("constant": 1), "/model/forces/0", "give either"},
          {PART("bodies": ["a", "b"], "strength": 1), "/model/forces/0/strength", "belongs to"},
           {PART("bodies": ["a", "b"], "constant": -1), "/model/forces/0/constant", "at least 0"},
          };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = models_text(pair, cases[i].fields);
    expect_error(document, NULL, cases[i].pointer, cases[i].words);
    free(document);
  }
  mbs_result *result;
  mbs_error error;
  char *document = models_text(pair, PART("bodies": ["a", "b"]));
  expect_failure(document, NULL, MBS_OUT_OF_RANGE, "f", "coincide", &result, &error);
  mbs_result_free(result);
  free(document);
}

/* ---- drag ----------------------------------------------------------------------------------------------------- */

static void test_drag(void **state) {
  (void)state;
  MODEL(fall,
      {"space": "planar", "gravity": [0, -9.81],
       "bodies": [{"name": "b", "mass": 80, "inertia": 1, "points": {"P": [0, 0]}}],
       "forces": [{"name": "air", "type": "drag", %s}],
       "analysis": {"type": "dynamics", "t_end": 10, "dt": 1, "formulation": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run =
        model_run_text(fall, PART("body": "b", "density": 1.2, "area": 0.7, "coefficient": 1.1), formulations[k]);
    model_run_require(&run);
    const double square = 1.2 * 0.7 * 1.1 / 2, terminal = sqrt(80 * g / square);
    for (long row = 0; row <= 10; row++) {
      const double v = terminal * tanh(g * (double)row / terminal);
      assert_close(model_run_value(&run, "rd", row, 1), -v, 1e-7);
      assert_close(model_run_value(&run, "forces", row, 1), square * v * v, 1e-5);
      /* m g h = m v^2 / 2 + dissipated */
      const double h = terminal * terminal / g * log(cosh(g * (double)row / terminal));
      assert_close(model_run_value(&run, "energy", row, 3), 80 * g * h - 40 * v * v, 1e-3);
    }
    model_run_free(&run);
    /* v' = (c/m) (wind - v) - g: along x it approaches the wind's speed */
    run = model_run_text(fall, PART("point": "b.P", "linear": 40, "wind": ["3", 0]), formulations[k]);
    model_run_require(&run);
    for (long row = 0; row <= 10; row++) {
      const double share = 1 - exp(-0.5 * (double)row);
      assert_close(model_run_value(&run, "rd", row, 0), 3 * share, 1e-8);
      assert_close(model_run_value(&run, "rd", row, 1), -2 * g * share, 1e-7);
    }
    model_run_free(&run);
  }
  const struct {
    const char *fields, *pointer, *words;
  } cases[] = {
      {PART("body": "b"), "/model/forces/0", "or linear"},
       {PART("body": "b", "density": 1), "/model/forces/0", "'area' is missing"},
        {PART("linear": 1), "/model/forces/0", "either"},
         {PART("body": "b", "density": -1, "area": 1, "coefficient": 1), "/model/forces/0/density", "at least 0"},
          {PART("body": "b", "linear": 1, "wind": [1]), "/model/forces/0/wind", "2"},
         };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = models_text(fall, cases[i].fields, "joint");
    expect_error(document, NULL, cases[i].pointer, cases[i].words);
    free(document);
  }
}

/* ---- beam ----------------------------------------------------------------------------------------------------- */

/* Computes both w^2 of det(K - w^2 M) = 0 for a mass and its inertia at the tip of a cantilever. */
static void tip_modes(double EI, double L, double m, double J, double out[2]) {
  const double a = 12 * EI / (L * L * L), b = -6 * EI / (L * L), d = 4 * EI / L;
  const double mean = (a / m + d / J) / 2, det = (a * d - b * b) / (m * J);
  out[0] = mean + sqrt(mean * mean - det);
  out[1] = mean - sqrt(mean * mean - det);
}

static void test_cantilever_in_the_plane(void **state) {
  (void)state;
  MODEL(cantilever,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}},
       "bodies": [{"name": "tip", "mass": 2, "inertia": 0.03, "points": {"P": [0, 0]}, "vectors": {"x": [1, 0]},
                   "initial": {"position": [1.5, 0]}}],
       "forces": [
         {"name": "rod", "type": "beam", "points": ["ground.O", "tip.P"], "vectors": ["ground.x", "tip.x"],
          "axial_stiffness": 4e5, "bending_stiffness": 200},
         {"name": "load", "type": "force", "body": "tip", "value": [%s, %s]}],
       "analysis": {"type": "%s", "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    const double F = 1e-3, u = F * 1.5 * 1.5 * 1.5 / (3 * 200);
    model_run run = model_run_text(cantilever, "0", "1e-3", "equilibrium", formulations[k]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 1), u, 1e-9 * u);
    assert_close(model_run_value(&run, "p", 0, 0), F * 1.5 * 1.5 / (2 * 200), 1e-14);
    assert_close(model_run_value(&run, "forces", 0, 1), -F * 1.5, 1e-10); /* at the root; 0 at the tip */
    assert_close(model_run_value(&run, "forces", 0, 2), 0, 1e-10);
    model_run_free(&run);
    run = model_run_text(cantilever, "40", "0", "equilibrium", formulations[k]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "r", 0, 0), 1.5 + 40 * 1.5 / 4e5, 1e-11);
    assert_close(model_run_value(&run, "forces", 0, 0), 40, 1e-6);
    model_run_free(&run);
    run = model_run_text(cantilever, "0", "0", "linearization", formulations[k]);
    model_run_require(&run);
    double squares[2];
    tip_modes(200, 1.5, 2, 0.03, squares);
    expect_mode(&run, 3, 1, 0, squares[0]);
    expect_mode(&run, 3, 1, 0, squares[1]);
    expect_mode(&run, 3, 2, 0, 4e5 / 1.5);
    model_run_free(&run);
  }
}

/* The beam is along the ground's y; its own y and z are the ground's z and x. */
static void test_cantilever_in_space(void **state) {
  (void)state;
  MODEL(cantilever,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"x": [0, 1, 0], "y": [0, 0, 1]}},
       "bodies": [{"name": "tip", "mass": 2, "inertia": [0.03, 0.05, 0.04], "points": {"P": [0, 0, 0]},
                   "vectors": {"x": [0, 1, 0], "y": [0, 0, 1]}, "initial": {"position": [0, 1.5, 0]}}],
       "forces": [
         {"name": "rod", "type": "beam", "points": ["ground.O", "tip.P"],
          "vectors": ["ground.x", "tip.x", "ground.y", "tip.y"],
          "axial_stiffness": 4e5, "bending_stiffness": [300, 200], "torsional_stiffness": 90, "damping": %s},
         {"name": "load", "type": "force", "body": "tip", "value": [%s, 0, %s]},
         {"name": "twist", "type": "torque", "body": "tip", "value": [0, %s, 0]}],
       "analysis": {"type": "%s", "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(cantilever, "0", "1e-3", "2e-3", "0", "equilibrium", formulations[k]);
    model_run_require(&run);
    const double cube = 1.5 * 1.5 * 1.5;
    assert_close(model_run_value(&run, "r", 0, 2), 2e-3 * cube / (3 * 200), 1e-13); /* along y: bends about z */
    assert_close(model_run_value(&run, "r", 0, 0), 1e-3 * cube / (3 * 300), 1e-13);
    model_run_free(&run);
    run = model_run_text(cantilever, "0", "0", "0", "30", "equilibrium", formulations[k]);
    model_run_require(&run);
    /* e2 = sin(phi / 2), phi = T L / GJ */
    assert_close(fabs(model_run_value(&run, "p", 0, 2)), sin(0.5 * 30 * 1.5 / 90), 1e-10);
    assert_close(model_run_value(&run, "forces", 0, 1), 30, 1e-7);
    model_run_free(&run);
    run = model_run_text(cantilever, "1e-3", "0", "0", "0", "linearization", formulations[k]);
    model_run_require(&run);
    double squares[2];
    tip_modes(200, 1.5, 2, 0.03, squares); /* about the ground's x */
    for (int i = 0; i < 2; i++) expect_mode(&run, 6, 1, 1e-3 * squares[i], squares[i]);
    tip_modes(300, 1.5, 2, 0.04, squares); /* about the ground's z */
    for (int i = 0; i < 2; i++) expect_mode(&run, 6, 1, 1e-3 * squares[i], squares[i]);
    expect_mode(&run, 6, 0.05, 1e-3 * 90 / 1.5, 90 / 1.5);
    expect_mode(&run, 6, 2, 1e-3 * 4e5 / 1.5, 4e5 / 1.5);
    model_run_free(&run);
  }
}

enum { PIECES = 6 };

/* Returns a chain of beams of 0.5 m, each with the bodies b1, b2 .. at its ends, with a load at the last one. */
static char *chain_of_beams(const char *load, const char *type, const char *formulation) {
  char *bodies = models_text("%s", ""), *beams = models_text("%s", "");
  for (int i = 1; i <= PIECES; i++) {
    char name[16] = "ground", *more = NULL;
    if (i > 1) snprintf(name, sizeof name, "b%d", i - 1);
    more = models_text("%s%s{\"name\": \"b%d\", \"mass\": 1, \"inertia\": 0.02, \"points\": {\"P\": [0, 0]}, "
                       "\"vectors\": {\"x\": [1, 0]}, \"initial\": {\"position\": [%g, 0]}}",
                       bodies, i > 1 ? ", " : "", i, 0.5 * i);
    free(bodies);
    bodies = more;
    more = models_text("%s{\"name\": \"beam%d\", \"type\": \"beam\", \"points\": [\"%s.P\", \"b%d.P\"], \"vectors\": "
                       "[\"%s.x\", \"b%d.x\"], \"axial_stiffness\": 1e6, \"bending_stiffness\": 20}, ",
                       beams, i, name, i, name, i);
    free(beams);
    beams = more;
  }
  MODEL(chain,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"P": [0, 0]}, "vectors": {"x": [1, 0]}},
       "bodies": [%s], "forces": [%s %s],
       "analysis": {"type": "%s", "formulation": "%s"}});
  char *document = models_text(chain, bodies, beams, load, type, formulation);
  free(bodies);
  free(beams);
  return document;
}

/* A moment EI 0.3 / 0.5 bends each piece by 0.3 rad, and turns the last body by 1.8 rad: chord number i, from 0, has
 * the direction (i + 1/2) 0.3. */
static void test_chain_under_a_moment(void **state) {
  (void)state;
  for (int k = 0; k < FORMULATIONS; k++) {
    char *document = chain_of_beams(JSON({"name": "M", "type": "torque", "body": "b6", "value": 12}), "equilibrium",
                                    formulations[k]);
    model_run run = model_run_text("%s", document);
    free(document);
    model_run_require(&run);
    double x = 0, y = 0;
    for (size_t i = 0; i < PIECES; i++) {
      x += 0.5 * cos(0.3 * ((double)i + 0.5));
      y += 0.5 * sin(0.3 * ((double)i + 0.5));
      assert_close(model_run_value(&run, "r", 0, 2 * i), x, 1e-8);
      assert_close(model_run_value(&run, "r", 0, 2 * i + 1), y, 1e-8);
      assert_close(model_run_value(&run, "p", 0, i), 0.3 * (double)(i + 1), 1e-8);
    }
    model_run_free(&run);
  }
}

/* Euler's load pi^2 EI / (4 L^2), with an error of the order of 1 / PIECES^2: the column is stable below it only. */
static void test_buckling(void **state) {
  (void)state;
  const double euler = pi * pi * 20 / (4 * 9);
  for (int k = 0; k < 2 * FORMULATIONS; k++) {
    char *load = models_text(JSON({"name": "F", "type": "force", "body": "b6", "value": [% g, 0]}),
                             -euler * (k % 2 ? 1.02 : 0.98));
    char *document = chain_of_beams(load, "linearization", formulations[k / 2]);
    model_run run = model_run_text("%s", document);
    free(load);
    free(document);
    model_run_require(&run);
    assert_int_equal(run.result->report.stable, k % 2 ? 0 : 1);
    model_run_free(&run);
  }
}

static void test_errors_of_beams(void **state) {
  (void)state;
  MODEL(beam,
      {"space": "spatial",
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0.1, 0, 1]}},
       "bodies": [{"name": "b", "mass": 3, "inertia": [1, 1, 1], "points": {"P": [0, 0, 0]},
                   "vectors": {"x": [1, 0, 0], "y": [0, 1, 0]}, "initial": {"position": [%s, %s, 0]}}],
       "forces": [{"name": "f", "type": "beam", "points": ["ground.O", "b.P"], "axial_stiffness": 1,
                   "torsional_stiffness": 1, %s}], "analysis": {"type": "assembly"}});
  static const char vectors[] = PART("vectors": ["ground.x", "b.x", "ground.y", "b.y"], "bending_stiffness": [1, 1]);
  const struct {
    const char *fields, *pointer, *words;
  } cases[] = {
      {PART("vectors": ["ground.x", "b.x"], "bending_stiffness": [1, 1]), "/model/forces/0/vectors", "4"},
       {PART("vectors": ["ground.x", "b.x", "ground.z", "b.y"], "bending_stiffness": [1, 1]),
                         "/model/forces/0/vectors/2", "perpendicular"},
        {PART("vectors": ["ground.x", "ground.x", "ground.y", "b.y"], "bending_stiffness": [1, 1]),
                          "/model/forces/0/vectors/1", "must be on 'b'"},
         {PART("vectors": ["ground.x", "b.x", "ground.y", "b.y"], "bending_stiffness": [1, -1]),
                           "/model/forces/0/bending_stiffness/1", "at least 0"},
          {PART("vectors": ["ground.x", "b.x", "ground.y", "b.y"], "bending_stiffness": [1, 1], "length": 0),
                            "/model/forces/0/length", "greater than 0"},
         };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = models_text(beam, "1", "0", cases[i].fields);
    expect_error(document, NULL, cases[i].pointer, cases[i].words);
    free(document);
  }
  const char *const places[][3] = {{"0", "0", "coincide"}, {"-1", "0.1", "bent by 90 degrees"}};
  for (size_t i = 0; i < 2; i++) {
    char *document = models_text(beam, places[i][0], places[i][1], vectors);
    mbs_result *result;
    mbs_error error;
    expect_failure(document, NULL, MBS_OUT_OF_RANGE, "f", places[i][2], &result, &error);
    mbs_result_free(result);
    free(document);
  }
}

/* ---- tyre ----------------------------------------------------------------------------------------------------- */

/* A wheel at (0.5, 0) of a body that moves at (20, 3) m/s and turns at 2 rad/s: its velocity is (20, 4), its heading
 * turned by 0.1 rad. */
static void test_tyre(void **state) {
  (void)state;
  MODEL(car,
      {"space": "planar", "gravity": [0, 0],
       "bodies": [{"name": "car", "mass": 900, "inertia": 1500, "points": {"W": [0.5, 0]},
                   "vectors": {"u": ["cos(0.1)", "sin(0.1)"]},
                   "initial": {"velocity": [%s, %s], "angular_velocity": %s}}],
       "forces": [{"name": "wheel", "type": "tyre", "point": "car.W", "vectors": "car.u", %s}],
       "analysis": {"type": "assembly", "formulation": "%s"}});
  const double vx = 20 * cos(0.1) + 4 * sin(0.1), vy = 4 * cos(0.1) - 20 * sin(0.1);
  const double angle = atan(vy / vx), slip = (0.3 * 70 - vx) / vx;
  const double B = 8 * angle, K = 11 * slip;
  const double lateral = -1.1 * 4000 * sin(1.4 * atan(B - 0.3 * (B - atan(B))));
  const double along = 1.2 * 4000 * sin(1.6 * atan(K));
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(car, "20", "3", "2",
                                   PART("cornering_stiffness": 6e4, "slip_stiffness": 5e4, "spin": 70, "radius": 0.3),
                                        formulations[k]);
    model_run_require(&run);
    const double linear[] = {-6e4 * angle, 5e4 * slip, angle, slip};
    for (size_t i = 0; i < 4; i++)
      assert_close(model_run_value(&run, "forces", 0, i), linear[i], 1e-10 * (1 + fabs(linear[i])));
    /* the acceleration of the mass centre, and the moment about it */
    const double fx = linear[1] * cos(0.1) - linear[0] * sin(0.1), fy = linear[1] * sin(0.1) + linear[0] * cos(0.1);
    assert_close(model_run_value(&run, "rdd", 0, 0), fx / 900, 1e-10);
    assert_close(model_run_value(&run, "rdd", 0, 1), fy / 900, 1e-10);
    assert_close(model_run_value(&run, "pdd", 0, 0), 0.5 * fy / 1500, 1e-10);
    model_run_free(&run);
    run = model_run_text(car, "20", "3", "2",
                         PART("law": "magic-formula", "load": 4000, "spin": "70 + t", "radius": 0.3,
                              "lateral": {"B": 8, "C": 1.4, "D": 1.1, "E": 0.3},
                              "longitudinal": {"B": 11, "C": 1.6, "D": 1.2}), formulations[k]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "forces", 0, 0), lateral, 1e-8);
    assert_close(model_run_value(&run, "forces", 0, 1), along, 1e-8);
    model_run_free(&run);
  }
  const struct {
    const char *fields, *pointer, *words;
  } cases[] = {
      {PART("load": 1), "/model/forces/0", "give 'cornering_stiffness'"},
       {PART("cornering_stiffness": -1), "/model/forces/0/cornering_stiffness", "at least 0"},
        {PART("cornering_stiffness": 1, "spin": 3), "/model/forces/0", "'radius' is missing"},
         {PART("cornering_stiffness": 1, "lateral": {"B": 1, "C": 1, "D": 1}), "/model/forces/0/lateral", "belongs to"},
          {PART("law": "magic-formula", "lateral": {"B": 1, "C": 1}), "/model/forces/0/lateral", "D"},
           {PART("law": "magic-formula", "lateral": {"B": 1, "C": 1, "D": 1}), "/model/forces/0", "'load' is missing"},
          };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *document = models_text(car, "20", "3", "2", cases[i].fields, "joint");
    expect_error(document, NULL, cases[i].pointer, cases[i].words);
    free(document);
  }
  mbs_result *result;
  mbs_error error;
  char *document = models_text(car, "0", "0", "0", PART("slip_stiffness": 5e4, "spin": 70, "radius": 0.3), "joint");
  expect_failure(document, NULL, MBS_OUT_OF_RANGE, "wheel", "slip is not defined", &result, &error);
  mbs_result_free(result);
  free(document);
}

/* ---- motions --------------------------------------------------------------------------------------------------- */

/* Runs a mechanism with one element in both formulations: equal motions, a balanced energy, and derivatives in k that
 * agree with differences of two runs. */
static void check_motion(char *(*document_of)(const char *, const char *, const char *), const char *element) {
  static const char *const values[] = {"2", "1.999", "2.001"};
  mbs_result *runs[FORMULATIONS][3];
  for (int k = 0; k < FORMULATIONS; k++)
    for (int i = 0; i < 3; i++) {
      char *text = document_of(values[i], element, formulations[k]);
      mbs_model *model = models_build(text, NULL);
      mbs_error error = {0};
      runs[k][i] = models_run(text, NULL);
      if (i == 0 && mbs_sensitivities(model, NULL, runs[k][i], &error) != MBS_OK) fail_msg("%s", error.message);
      mbs_model_free(model);
      free(text);
    }
  const mbs_result *joint = runs[0][0], *body = runs[1][0];
  const size_t last = models_rows(joint) - 1, columns = models_columns(joint, "uT");
  static const char *const arrays[] = {"r", "rd", "rdd", "forces", "energy"};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) expect_same(element, joint, body, arrays[i], 1e-6);
  for (size_t row = 0; row <= last; row++) {
    const double *at = models_row(joint, "energy", row), *start = models_row(joint, "energy", 0);
    assert_close(at[0] + at[1] - at[2] + at[3], start[0] + start[1], 1e-6 * (1 + fabs(start[0]) + fabs(start[1])));
  }
  const double *derivative = models_row(joint, "sensitivities", last), *low = models_row(runs[0][1], "uT", last),
               *high = models_row(runs[0][2], "uT", last);
  for (size_t c = 0; c < columns; c++)
    if (!(fabs(derivative[c] - (high[c] - low[c]) / 2e-3) <= 1e-4 * (1 + fabs(derivative[c]))))
      fail_msg("%s: the derivative of column %zu is %.10g, by a difference %.10g", element, c, derivative[c],
               (high[c] - low[c]) / 2e-3);
  for (int k = 0; k < FORMULATIONS; k++)
    for (int i = 0; i < 3; i++) mbs_result_free(runs[k][i]);
}

/* Returns the document of a pendulum of two bodies with the element, for this value of k. */
static char *in_the_plane(const char *k, const char *element, const char *formulation) {
  MODEL(pendulum,
      {"space": "planar", "gravity": [0, -9.81], "parameters": {"k": %s},
       "ground": {"points": {"O": [0, 0], "Q": [2, 0.3]}, "vectors": {"x": [1, 0]}},
       "bodies": [
         {"name": "a", "mass": 2, "inertia": 0.3, "points": {"O": [-0.5, 0], "P": [0.5, 0]}, "vectors": {"x": [1, 0]}},
         {"name": "b", "mass": 1, "inertia": 0.2, "points": {"P": [-0.4, 0], "Q": [0.4, 0]}, "vectors": {"x": [1, 0]}}],
       "joints": [
         {"name": "j", "type": "revolute", "points": ["ground.O", "a.O"], "initial": {"velocity": -1}},
         {"name": "i", "type": "revolute", "points": ["a.P", "b.P"], "initial": {"position": 0.2, "velocity": 2}}],
       "forces": [{"name": "e", %s}],
       "analysis": {"type": "dynamics", "t_end": 0.5, "dt": 0.1, "formulation": "%s", "sensitivities": ["k"],
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  return models_text(pendulum, k, element, formulation);
}

static void test_motions_in_the_plane(void **state) {
  (void)state;
  check_motion(in_the_plane,
               PART("type": "bushing", "points": ["ground.Q", "b.Q"], "stiffness": ["20*k", 30, "k"],
                              "damping": [1, "k", 0.1], "preload": [1, 2, 3]));
  check_motion(in_the_plane,
               PART("type": "beam", "points": ["b.Q", "ground.Q"], "vectors": ["b.x", "ground.x"],
                              "length": 0.3, "axial_stiffness": "20*k", "bending_stiffness": "k/4", "damping": 0.01));
  check_motion(in_the_plane, PART("type": "gravitation", "bodies": ["a", "b"], "constant": "k"));
  check_motion(in_the_plane, PART("type": "drag", "point": "b.Q", "density": "k", "area": 1, "coefficient": 0.5,
                              "wind": ["1 + t", 0]));
  check_motion(in_the_plane, PART("type": "tyre", "point": "b.Q", "vectors": "b.x", "cornering_stiffness": "k"));
}

/* Returns the document of a pendulum of two bodies with the element, for this value of k. */
static char *in_space(const char *k, const char *element, const char *formulation) {
  MODEL(pendulum,
      {"space": "spatial", "gravity": [0, -9.81, 0], "parameters": {"k": %s},
       "ground": {"points": {"O": [0, 0, 0], "Q": [2, 0.3, 0.2]},
                  "vectors": {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}},
       "bodies": [
         {"name": "a", "mass": 2, "inertia": [0.1, 0.3, 0.3], "points": {"O": [-0.5, 0, 0], "P": [0.5, 0, 0]},
          "vectors": {"x": [1, 0, 0], "z": [0, 0.1, 1]}},
         {"name": "b", "mass": 1, "inertia": [0.1, 0.2, 0.2], "points": {"P": [-0.4, 0, 0], "Q": [0.4, 0, 0]},
          "vectors": {"x": [1, 0, 0], "y": [0, 1, 0]}}],
       "joints": [
         {"name": "j", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.z", "a.z"],
          "initial": {"velocity": -1}},
         {"name": "i", "type": "spherical", "points": ["a.P", "b.P"], "initial": {"velocity": [0.4, 0.5, 2]}}],
       "forces": [{"name": "e", %s}],
       "analysis": {"type": "dynamics", "t_end": 0.5, "dt": 0.1, "formulation": "%s", "sensitivities": ["k"],
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  return models_text(pendulum, k, element, formulation);
}

static void test_motions_in_space(void **state) {
  (void)state;
  check_motion(in_space,
               PART("type": "bushing", "points": ["ground.Q", "b.Q"], "vectors": ["ground.y", "ground.z"],
                              "stiffness": ["20*k", 30, 10, "k", 1, 2], "damping": [1, "k", 1, 0.1, 0.2, 0.3]));
  check_motion(in_space, PART("type": "beam", "points": ["b.Q", "ground.Q"],
                              "vectors": ["b.x", "ground.x", "b.y", "ground.y"], "length": 0.3,
                              "axial_stiffness": "20*k", "bending_stiffness": ["k/4", 0.3],
                              "torsional_stiffness": "k/9", "damping": 0.01));
  check_motion(in_space,
               PART("type": "rotational-spring-damper", "bodies": ["a", "b"], "stiffness": "k",
                              "damping": 0.1));
  check_motion(in_space,
               PART("type": "rotational-spring-damper", "bodies": ["ground", "b"],
                              "vectors": ["ground.x", "b.x"], "stiffness": "k", "damping": "0.1*k"));
  check_motion(in_space, PART("type": "drag", "body": "b", "density": "k", "area": 1, "coefficient": 0.5));
}

/* ---- examples -------------------------------------------------------------------------------------------------- */

/* A small turn of the wheel, whose rate of turn settles at V d / (L + K V^2). */
static void test_car(void **state) {
  (void)state;
  char *document = models_named_with("TyreCar", JSON({
                                       "parameters": {
                                         "m": 1400,
                                         "J": 2300,
                                         "a": 1.2,
                                         "b": 1.5,
                                         "V": 25,
                                         "steer": 0.001,
                                         "g": 9.81,
                                         "Nf": "m*g*b/(a + b)",
                                         "Nr": "m*g*a/(a + b)"
                                       }
                                     }));
  model_run run = model_run_text("%s", document);
  free(document);
  model_run_require(&run);
  const double L = 2.7, Nf = 1400 * g * 1.5 / L, Nr = 1400 * g * 1.2 / L;
  const double K = 1400 / L * (1.5 / (11 * 1.4 * Nf) - 1.2 / (13 * 1.4 * Nr));
  const double wanted = 25 * 0.001 / (L + K * 25 * 25);
  assert_close(model_run_value(&run, "yaw rate", -1, 0), wanted, 1e-4 * wanted);
  model_run_free(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bushing_in_the_plane),
      cmocka_unit_test(test_bushing_in_space),
      cmocka_unit_test(test_errors_of_bushings),
      cmocka_unit_test(test_rotation_in_space),
      cmocka_unit_test(test_errors_of_rotations),
      cmocka_unit_test(test_orbit),
      cmocka_unit_test(test_errors_of_gravitation),
      cmocka_unit_test(test_drag),
      cmocka_unit_test(test_cantilever_in_the_plane),
      cmocka_unit_test(test_cantilever_in_space),
      cmocka_unit_test(test_chain_under_a_moment),
      cmocka_unit_test(test_buckling),
      cmocka_unit_test(test_motions_in_the_plane),
      cmocka_unit_test(test_motions_in_space),
      cmocka_unit_test(test_car),
      cmocka_unit_test(test_errors_of_beams),
      cmocka_unit_test(test_tyre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
