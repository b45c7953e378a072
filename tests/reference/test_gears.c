/* Joints between teeth, against closed forms in both formulations:
 *
 *   a gear pair      the bearings carry Ft = T / r and Fr = Ft tan p; external and internal, in the plane and in space
 *   a planetary set  zs (ws - wc) = -zr (wr - wc) (Willis), over many turns of the carrier
 *   a rack           F = T / r - m a, and Fr across it
 *   bevel gears      Fr cos g to the axis, Fr sin g along it; the differential: the mean of both sides is the cage
 *   a worm           F = T / r2 along the worm, its torque F r2 n / z (statics of the tooth)
 *
 * The separating force does no work: energy is preserved. It loads bearings with dry friction. */
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
#include "expect.h"
#include "model_run.h"
#include "models.h"

static const double pi = 3.14159265358979323846;
static const char *const formulations[] = {"joint", "body"};
enum { FORMULATIONS = 2 };

static double value_of(const model_run *run, const char *sensor) { return model_run_value(run, sensor, -1, 0); }

/* The wheel of radius 0.12 with the torque 6 N m at 30 degrees from a driven one of 0.05. Forces on the wheel's bearing
 * and on that of the pinion are opposite. */
static void test_spur(void **state) {
  (void)state;
  MODEL(spur,
      {"space": "planar", "parameters": {"a": %.17g},
       "ground": {"points": {"O": [0, 0], "B": ["a*cos(pi/6)", "a*sin(pi/6)"]}},
       "bodies": [{"name": "g1", "mass": 1, "inertia": 0.01, "points": {"C": [0, 0]}},
                  {"name": "g2", "mass": 4, "inertia": 0.1, "points": {"C": [0, 0]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.O", "g1.C"]},
                  {"name": "B", "type": "revolute", "points": ["ground.B", "g2.C"]},
                  {"name": "mesh", "type": "gear-pair", "points": ["g1.C", "g2.C"], "radii": [0.05, 0.12],
                   "mesh": "%s", "pressure_angle": "25 deg"}],
       "drivers": [{"name": "in", "type": "joint", "joint": "A", "function": "10*t"}],
       "forces": [{"name": "load", "type": "torque", "body": "g2", "value": %g}],
       "sensors": [{"name": "Bx", "value": "B.fx"}, {"name": "By", "value": "B.fy"}, {"name": "Ax", "value": "A.fx"},
                   {"name": "effort", "value": "in.effort"}, {"name": "Ft", "value": "mesh.tangential"},
                   {"name": "Fr", "value": "mesh.radial"}, {"name": "torque", "value": "mesh.torque"},
                   {"name": "lambda", "value": "mesh.lambda1"}, {"name": "w", "value": "g2.omega"}],
       "analysis": {"type": "%s", "t_end": 1, "dt": 0.5, "formulation": "%s"}});
  for (int k = 0; k < 16; k++) {
    const bool internal = k & 1, dynamic = k & 4;
    const double sign = internal ? -1 : 1, T = k & 2 ? -6 : 6, r1 = internal ? -0.05 : 0.05;
    model_run run = model_run_text(spur, 0.12 + sign * 0.05, internal ? "internal" : "external", T,
                                   dynamic ? "dynamics" : "inverse-dynamics", formulations[k / 8]);
    model_run_require(&run);
    /* T on the wheel: T = Ft r2; on it Ft across the line of the centres, sign Fr along it */
    const double Ft = T / 0.12, Fr = fabs(Ft) * tan(25 * pi / 180), c = cos(pi / 6), s = sin(pi / 6);
    assert_close(value_of(&run, "Ft"), Ft, 1e-8);
    assert_close(value_of(&run, "lambda"), -Ft, 1e-8);
    assert_close(value_of(&run, "Fr"), Fr, 1e-8);
    assert_close(value_of(&run, "torque"), -T, 1e-8);
    assert_close(value_of(&run, "Bx"), -(-s * Ft + sign * c * Fr), 1e-8);
    assert_close(value_of(&run, "By"), -(c * Ft + sign * s * Fr), 1e-8);
    assert_close(value_of(&run, "Ax"), -s * Ft + sign * c * Fr, 1e-8);
    assert_close(value_of(&run, "effort"), T * r1 / 0.12, 1e-8);
    assert_close(value_of(&run, "w"), -10 * r1 / 0.12, 1e-8);
    model_run_free(&run);
  }
}

/* A gear pair in space with shafts in bearings on one side: the bearing also carries the moment of the tooth force. */
static void test_spur_in_space(void **state) {
  (void)state;
  MODEL(spur,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"points": {"O": [0, 0, 0], "B": [0, 0.17, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [{"name": "g1", "mass": 1, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0], "M": [0, 0, 0.3]},
                   "vectors": {"z": [0, 0, 1], "n": [0, 0, -1]}},
                  {"name": "g2", "mass": 1, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0], "M": [0, 0, 0.3]},
                   "vectors": {"z": [0, 0, 1], "n": [0, 0, -1]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.O", "g1.C"], "vectors": ["ground.z", "g1.z"]},
                  {"name": "B", "type": "revolute", "points": ["ground.B", "g2.C"], "vectors": ["ground.z", "g2.z"]},
                  {"name": "mesh", "type": "gear-pair", "points": ["g1.M", "g2.M"], "vectors": ["g1.z", "g2.%s"],
                   "teeth": [20, 48], "module": "5 mm"}],
       "drivers": [{"name": "in", "type": "joint", "joint": "A", "function": "40*t"}],
       "forces": [{"name": "load", "type": "torque", "body": "g2", "value": [0, 0, -6]}],
       "sensors": [{"name": "fx", "value": "B.fx"}, {"name": "fy", "value": "B.fy"}, {"name": "tx", "value": "B.tx"},
                   {"name": "ty", "value": "B.ty"}, {"name": "q", "value": "B.q"}],
       "analysis": {"type": "%s", "t_end": 2, "dt": 1, "formulation": "%s"}});
  for (int k = 0; k < 8; k++) {
    model_run run =
        model_run_text(spur, k & 1 ? "n" : "z", k & 2 ? "dynamics" : "inverse-dynamics", formulations[k / 4]);
    model_run_require(&run);
    /* perp(e) = -x: Ft = -50, on the wheel (50, Fr); the bearing below takes it with its moment */
    const double Fr = 50 * tan(20 * pi / 180);
    assert_close(value_of(&run, "fx"), -50, 1e-6);
    assert_close(value_of(&run, "fy"), -Fr, 1e-6);
    assert_close(value_of(&run, "tx"), 0.3 * Fr, 1e-6);
    assert_close(value_of(&run, "ty"), -0.3 * 50, 1e-6);
    assert_close(value_of(&run, "q"), -80 * 20.0 / 48, 1e-7);
    model_run_free(&run);
  }
}

MODEL(planetary,
    {"space": "planar", "gravity": [0, 0], "parameters": {"rs": 0.03, "rp": 0.02, "rr": 0.07},
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [{"name": "sun", "mass": 1, "inertia": 0.01, "points": {"O": [0, 0]}},
                {"name": "carrier", "mass": 1, "inertia": 0.02, "points": {"O": [0, 0], "P": ["rs + rp", 0]}},
                {"name": "ring", "mass": 1, "inertia": 0.05, "points": {"O": [0, 0]}},
                {"name": "planet", "mass": 0.5, "inertia": 0.003, "points": {"P": [0, 0]},
                 "initial": {"position": ["rs + rp", 0]}}],
     "joints": [{"name": "js", "type": "revolute", "points": ["ground.O", "sun.O"]},
                {"name": "jc", "type": "revolute", "points": ["ground.O", "carrier.O"]},
                {"name": "jr", "type": "revolute", "points": ["ground.O", "ring.O"]},
                {"name": "jp", "type": "revolute", "points": ["carrier.P", "planet.P"]},
                {"name": "sp", "type": "gear-pair", "points": ["sun.O", "planet.P"], "radii": ["rs", "rp"]},
                {"name": "pr", "type": "gear-pair", "points": ["%s"], "radii": [%s], "mesh": "internal"}],
     "drivers": [{"name": "ds", "type": "joint", "joint": "js", "function": "10*t + t^2"},
                 {"name": "dc", "type": "joint", "joint": "jc", "function": "-7*t"}],
     "forces": [{"name": "load", "type": "torque", "body": "ring", "value": -8}],
     "sensors": [{"name": "ring_angle", "value": "ring.phi"}, {"name": "planet_angle", "value": "planet.phi"},
                 {"name": "es", "value": "ds.effort"}, {"name": "ec", "value": "dc.effort"},
                 {"name": "jrx", "value": "sqrt(jr.fx^2 + jr.fy^2)"},
                 {"name": "jpx", "value": "sqrt(jp.fx^2 + jp.fy^2)"},
                 {"name": "Fs", "value": "sp.tangential"}],
     "analysis": {"type": "%s", "t_end": 5, "dt": %g, "formulation": "%s",
                  "integrator": {"rtol": 1e-10, "atol": 1e-12}}});

/* rs (ws - wc) = -rr (wr - wc), rs (ws - wc) = -rp (wp - wc), with long steps over many turns. */
static void test_willis(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    const bool swapped = k & 1, dynamic = k & 2;
    model_run run = model_run_text(planetary, swapped ? "ring.O\", \"planet.P" : "planet.P\", \"ring.O",
                                   swapped ? "\"rr\", \"rp\"" : "\"rp\", \"rr\"",
                                   dynamic ? "dynamics" : "inverse-dynamics", dynamic ? 0.5 : 5.0, formulations[k / 4]);
    model_run_require(&run);
    const double s = 75, c = -35, ring = c - 3.0 / 7 * (s - c), planet = c - 1.5 * (s - c);
    assert_close(value_of(&run, "ring_angle"), ring, 1e-7);
    assert_close(value_of(&run, "planet_angle"), planet, 1e-7);
    /* The ring accelerates with -3/7 2; its teeth exert F on it, the planet turns with -3 rad/s^2. */
    const double ring_force = (0.05 * (-6.0 / 7) + 8) / 0.07, planet_force = ring_force - 0.003 * 3 / 0.02;
    const double radial = tan(20 * pi / 180);
    assert_close(fabs(value_of(&run, "Fs")), planet_force, 1e-6);
    assert_close(value_of(&run, "jrx"), ring_force * sqrt(1 + radial * radial), 1e-6);
    assert_close(value_of(&run, "es"), 0.01 * 2 - 0.03 * planet_force, 1e-7);
    model_run_free(&run);
  }
}

/* The planet's bearing carries the sum of the tangential forces, and what the radial forces differ by; torques balance
 * around the axis. The planet's own weight of motion points to the axis. */
static void test_planet_bearing(void **state) {
  (void)state;
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run =
        model_run_text(planetary, "planet.P\", \"ring.O", "\"rp\", \"rr\"", "inverse-dynamics", 5.0, formulations[k]);
    model_run_require(&run);
    const double ring_force = (0.05 * (-6.0 / 7) + 8) / 0.07, planet_force = ring_force - 0.003 * 3 / 0.02;
    const double radial = tan(20 * pi / 180) * (planet_force - ring_force) + 0.5 * 49 * 0.05;
    assert_close(value_of(&run, "jpx"), hypot(planet_force + ring_force, radial), 1e-6);
    /* all torques: sun's driver + carrier's driver + load = rates of angular momentum */
    const double momentum = 0.01 * 2 + 0.05 * (-6.0 / 7) + 0.003 * (-3);
    assert_close(value_of(&run, "es") + value_of(&run, "ec") - 8, momentum, 1e-6);
    model_run_free(&run);
  }
}

/* A pinion that drives a rack up a slope, on either side of it. */
static void test_rack(void **state) {
  (void)state;
  MODEL(planar,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0], "C": [0.3, %g]}, "vectors": {"x": [1, 0]}},
       "bodies": [{"name": "rack", "mass": 2, "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}},
                  {"name": "pinion", "mass": 1, "inertia": 0.01, "points": {"C": [0, 0]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.C", "pinion.C"]},
                  {"name": "S", "type": "translational", "points": ["ground.O", "rack.O"],
                   "vectors": ["ground.x", "rack.x"]},
                  {"name": "mesh", "type": "rack-and-pinion", "points": ["pinion.C", "rack.O"], "vectors": ["rack.x"],
                   "teeth": 20, "module": "4 mm"}],
       "drivers": [{"name": "in", "type": "joint", "joint": "A", "function": "5*t^2"}],
       "forces": [{"name": "load", "type": "force", "body": "rack", "value": [-30, 0]}],
       "sensors": [{"name": "Ft", "value": "mesh.tangential"}, {"name": "x", "value": "rack.x"},
                   {"name": "Sy", "value": "S.fy"}, {"name": "Ay", "value": "A.fy"}, {"name": "Ax", "value": "A.fx"},
                   {"name": "effort", "value": "in.effort"}, {"name": "my", "value": "mesh.fy"}],
       "analysis": {"type": "inverse-dynamics", "t_end": 3, "dt": 3, "formulation": "%s"}});
  MODEL(spatial,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"points": {"O": [0, 0, 0], "C": [0.3, %g, 0]}, "vectors": {"x": [1, 0, 0], "z": [0, 0, 1]}},
       "bodies": [{"name": "rack", "mass": 2, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
                   "vectors": {"x": [1, 0, 0]}},
                  {"name": "pinion", "mass": 1, "inertia": [0.01, 0.01, 0.01], "points": {"C": [0, 0, 0]},
                   "vectors": {"z": [0, 0, 1]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.C", "pinion.C"],
                   "vectors": ["ground.z", "pinion.z"]},
                  {"name": "S", "type": "prismatic", "points": ["ground.O", "rack.O"],
                   "vectors": ["ground.x", "rack.x"]},
                  {"name": "mesh", "type": "rack-and-pinion", "points": ["pinion.C", "rack.O"],
                   "vectors": ["pinion.z", "rack.x"], "radius": 0.04}],
       "drivers": [{"name": "in", "type": "joint", "joint": "A", "function": "5*t^2"}],
       "forces": [{"name": "load", "type": "force", "body": "rack", "value": [-30, 0, 0]}],
       "sensors": [{"name": "Ft", "value": "mesh.tangential"}, {"name": "x", "value": "rack.x"},
                   {"name": "Sy", "value": "S.fy"}, {"name": "Ay", "value": "A.fy"}, {"name": "Ax", "value": "A.fx"},
                   {"name": "effort", "value": "in.effort"}, {"name": "my", "value": "mesh.fy"}],
       "analysis": {"type": "inverse-dynamics", "t_end": 3, "dt": 3, "formulation": "%s"}});
  for (int k = 0; k < 8; k++) {
    const double g = k & 1 ? -1 : 1;
    model_run run = k & 2 ? model_run_text(spatial, g * 0.04, formulations[k / 4])
                          : model_run_text(planar, g * 0.04, formulations[k / 4]);
    model_run_require(&run);
    /* The pinion above the rack turns counterclockwise and moves it to the right: x = g r phi. */
    const double a = g * 0.04 * 10, Ft = 2 * a + 30, Fr = Ft * tan(20 * pi / 180);
    assert_close(value_of(&run, "x"), g * 0.04 * 45, 1e-9);
    assert_close(value_of(&run, "Ft"), Ft, 1e-8);
    assert_close(value_of(&run, "my"), -g * Fr, 1e-8);
    assert_close(value_of(&run, "Sy"), g * Fr, 1e-8);
    assert_close(value_of(&run, "Ay"), -g * Fr, 1e-8);
    assert_close(value_of(&run, "Ax"), Ft, 1e-8);
    assert_close(value_of(&run, "effort"), 0.01 * 10 + g * 0.04 * Ft, 1e-8);
    model_run_free(&run);
  }
}

/* Bevel gears with the shaft angle S in bearings on the ground, at the apex. */
static void test_bevel(void **state) {
  (void)state;
  MODEL(bevel,
      {"space": "spatial", "gravity": [0, 0, 0], "parameters": {"S": %.17g},
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"a": [1, 0, 0], "b": ["cos(S)", "sin(S)", 0]}},
       "bodies": [{"name": "g1", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [-0.1, 0, 0]},
                   "vectors": {"a": [1, 0, 0]}},
                  {"name": "g2", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
                   "vectors": {"a": [0, 0, 1]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.O", "g1.O"], "vectors": ["ground.a", "g1.a"]},
                  {"name": "B", "type": "revolute", "points": ["ground.O", "g2.O"], "vectors": ["ground.b", "g2.a"]},
                  {"name": "mesh", "type": "bevel-gear", "points": ["g1.O", "g2.O"], "vectors": ["g1.a", "g2.a"],
                   "teeth": [20, 30], "module": 0.004}],
       "drivers": [{"name": "in", "type": "joint", "joint": "A", "function": "30*t"}],
       "forces": [{"name": "load", "type": "torque", "body": "g2", "value": ["6*cos(S)", "6*sin(S)", 0]}],
       "sensors": [{"name": "q", "value": "B.q"}, {"name": "effort", "value": "in.effort"},
                   {"name": "fx", "value": "B.fx"}, {"name": "fy", "value": "B.fy"}, {"name": "fz", "value": "B.fz"},
                   {"name": "Ax", "value": "A.fx"}, {"name": "Ay", "value": "A.fy"}, {"name": "tx", "value": "B.tx"},
                   {"name": "ty", "value": "B.ty"}, {"name": "tz", "value": "B.tz"}, {"name": "Az", "value": "A.tz"},
                   {"name": "Ft", "value": "mesh.tangential"}, {"name": "Fr", "value": "mesh.radial"},
                   {"name": "mx", "value": "mesh.tx"}, {"name": "my", "value": "mesh.ty"}],
       "analysis": {"type": "inverse-dynamics", "t_end": 2, "dt": 1, "formulation": "%s"}});
  for (int k = 0; k < 6; k++) {
    const double S = (k % 3 == 0 ? 90 : k % 3 == 1 ? 60 : 110) * pi / 180;
    model_run run = model_run_text(bevel, S, formulations[k / 3]);
    model_run_require(&run);
    const double Ft = 6 / 0.06, Fr = Ft * tan(20 * pi / 180), g1 = atan2(sin(S), 1.5 + cos(S));
    assert_close(value_of(&run, "q"), -60 * 20.0 / 30, 1e-7);
    assert_close(value_of(&run, "Ft"), Ft, 1e-6);
    assert_close(value_of(&run, "Fr"), Fr, 1e-6);
    assert_close(value_of(&run, "effort"), 0.04 * Ft, 1e-6);
    /* On the first gear: Fr sin(g1) along its axis x, Fr cos(g1) to it, which is -y; Ft across both. */
    assert_close(value_of(&run, "Ax"), -Fr * sin(g1), 1e-6);
    assert_close(value_of(&run, "Ay"), Fr * cos(g1), 1e-6);
    assert_close(value_of(&run, "fx"), Fr * sin(g1), 1e-6);
    assert_close(value_of(&run, "fy"), -Fr * cos(g1), 1e-6);
    assert_close(value_of(&run, "fz"), -Ft, 1e-6);
    /* The force acts at the mean pitch point p, at 0.04 from the first axis: the moment p x F about the apex. */
    const double px = 0.04 / tan(g1), py = 0.04, x = -Fr * sin(g1), y = Fr * cos(g1);
    assert_close(value_of(&run, "mx"), py * Ft, 1e-6);
    assert_close(value_of(&run, "my"), -px * Ft, 1e-6);
    assert_close(value_of(&run, "tz"), -(px * y - py * x), 1e-6);
    assert_close(value_of(&run, "Az"), px * y - py * x, 1e-6);
    model_run_free(&run);
  }
}

/* A worm below or above its wheel; the wheel's torque 12 N m. */
static void test_worm(void **state) {
  (void)state;
  MODEL(worm,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"points": {"O": [0.2, 0, 0], "B": [0, 0, %g]}, "vectors": {"x": [1, 0, 0], "y": [0, 1, 0]}},
       "bodies": [{"name": "worm", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
                   "vectors": {"a": [1, 0, 0]}},
                  {"name": "wheel", "mass": 1, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0]},
                   "vectors": {"a": [0, 1, 0]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.O", "worm.O"],
                   "vectors": ["ground.x", "worm.a"]},
                  {"name": "B", "type": "revolute", "points": ["ground.B", "wheel.C"],
                   "vectors": ["ground.y", "wheel.a"]},
                  {"name": "mesh", "type": "worm-gear", "points": ["worm.O", "wheel.C"],
                   "vectors": ["worm.a", "wheel.a"],
                   "starts": 2, "teeth": 40, "radii": [0.02, 0.08], "hand": "%s"}],
       "drivers": [{"name": "in", "type": "joint", "joint": "A", "function": "50*t"}],
       "forces": [{"name": "load", "type": "torque", "body": "wheel", "value": [0, 12, 0]}],
       "sensors": [{"name": "q", "value": "B.q"}, {"name": "effort", "value": "in.effort"},
                   {"name": "fx", "value": "mesh.fx"}, {"name": "fy", "value": "mesh.fy"},
                   {"name": "fz", "value": "mesh.fz"},
                   {"name": "Ax", "value": "A.fx"}, {"name": "Ay", "value": "A.fy"}, {"name": "Az", "value": "A.fz"},
                   {"name": "Bx", "value": "B.fx"}, {"name": "By", "value": "B.fy"}, {"name": "Bz", "value": "B.fz"},
                   {"name": "Ty", "value": "A.ty"}, {"name": "Tz", "value": "A.tz"},
                   {"name": "Wx", "value": "B.tx"}, {"name": "Wz", "value": "B.tz"},
                   {"name": "Fr", "value": "mesh.radial"}],
       "analysis": {"type": "inverse-dynamics", "t_end": 2, "dt": 1, "formulation": "%s"}});
  for (int k = 0; k < 8; k++) {
    const double h = k & 1 ? -1 : 1, hand = k & 2 ? -1 : 1;
    model_run run = model_run_text(worm, h * 0.1, k & 2 ? "left" : "right", formulations[k / 4]);
    model_run_require(&run);
    /* e = h z. The right-hand worm turned about x moves its thread along x, the wheel above it turns about -(-y). */
    assert_close(value_of(&run, "q"), h * hand * 100 * 2 / 40, 1e-7);
    /* T on the wheel = r2 e x F: the worm exerts -h 150 along x on the wheel's rim below its centre */
    const double F = h * 12 / 0.08, L = hand * 0.08 * 2 / (40 * 0.02), across = h * F * L;
    const double Fr = fabs(F) * tan(20 * pi / 180) * sqrt(1 + L * L);
    assert_close(value_of(&run, "fx"), F, 1e-6);
    assert_close(value_of(&run, "fy"), across, 1e-6);
    assert_close(value_of(&run, "fz"), h * Fr, 1e-6);
    assert_close(value_of(&run, "Fr"), Fr, 1e-6);
    assert_close(value_of(&run, "effort"), -12 * h * hand * 2 / 40, 1e-6);
    assert_close(value_of(&run, "Ax"), F, 1e-6);
    assert_close(value_of(&run, "Ay"), across, 1e-6);
    assert_close(value_of(&run, "Az"), h * Fr, 1e-6);
    assert_close(value_of(&run, "Bx"), -F, 1e-6);
    assert_close(value_of(&run, "By"), -across, 1e-6);
    assert_close(value_of(&run, "Bz"), -h * Fr, 1e-6);
    /* moments of the tooth force at (-0.2, 0, 0.02 h) from A, and at (0, 0, -0.08 h) from B */
    assert_close(value_of(&run, "Ty"), -(-0.02 * h * F - 0.2 * h * Fr), 1e-6);
    assert_close(value_of(&run, "Tz"), -(0.2 * across), 1e-6);
    assert_close(value_of(&run, "Wx"), -(0.08 * h * across), 1e-6);
    assert_close(value_of(&run, "Wz"), 0, 1e-6);
    model_run_free(&run);
  }
}

/* Three planets share the load of a gearbox; the carrier runs at 3/10 of the sun. At the end of the run the torque on
 * the carrier is 10/3 of that of the motor, and each bearing of a planet carries a third of it at 0.05 m. */
static void test_shared_load(void **state) {
  (void)state;
  MODEL(changes,
      {"sensors": [
         {"name": "F1", "value": "sun1.tangential"}, {"name": "F2", "value": "sun2.tangential"},
         {"name": "F3", "value": "sun3.tangential"}, {"name": "R1", "value": "ring1.radial"},
         {"name": "S", "value": "sqrt(shaft.fx^2 + shaft.fy^2)"},
         {"name": "C", "value": "sqrt(output.fx^2 + output.fy^2)"},
         {"name": "P1", "value": "sqrt(pin1.fx^2 + pin1.fy^2)"}, {"name": "P3", "value": "sqrt(pin3.fx^2 + pin3.fy^2)"},
         {"name": "ws", "value": "sun.omega"}, {"name": "wc", "value": "carrier.omega"}],
       "analysis": {"type": "dynamics", "t_end": 20, "dt": 20, "formulation": "%s", "integrator": {"rtol": 1e-10}}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_changed("PlanetaryGearbox", models_text(changes, formulations[k]));
    /* 3 * 10/3 = 2 wc, a steady state */
    assert_close(value_of(&run, "wc"), 5, 1e-6);
    assert_close(value_of(&run, "ws"), 50.0 / 3, 1e-6);
    const double F = 3 / (3 * 0.03), radial = F * tan(20 * pi / 180);
    assert_close(fabs(value_of(&run, "F1")), F, 1e-5);
    assert_close(value_of(&run, "F2"), value_of(&run, "F1"), 1e-6);
    assert_close(value_of(&run, "F3"), value_of(&run, "F1"), 1e-6);
    assert_close(value_of(&run, "R1"), radial, 1e-5);
    assert_close(value_of(&run, "S"), 0, 1e-6);
    assert_close(value_of(&run, "C"), 0, 1e-6);
    /* the separating forces of sun and ring cancel; the planet is held on its circle */
    assert_close(value_of(&run, "P1"), hypot(2 * F, 0.2 * 25 * 0.05), 1e-5);
    assert_close(value_of(&run, "P3"), hypot(2 * F, 0.2 * 25 * 0.05), 1e-5);
    model_run_free(&run);
  }
}

/* The torque on the cage is 4 times that of the engine; both wheels get half of it, and run at 20/2 and 20/6 rad/s. */
static void test_differential(void **state) {
  (void)state;
  for (int k = 0; k < FORMULATIONS; k++) {
    MODEL(changes,
        {"analysis": {"type": "dynamics", "t_end": 20, "dt": 5, "formulation": "%s",
                      "integrator": {"rtol": 1e-10, "atol": 1e-12}},
         "sensors": [{"name": "wl", "value": "left.omega_x"}, {"name": "wr", "value": "right.omega_x"},
                     {"name": "wc", "value": "cage.omega_x"}, {"name": "wp", "value": "pinion.omega_y"},
                     {"name": "turns", "value": "cage_bearing.q - (right_bearing.q - left_bearing.q)/2"},
                     {"name": "Ft", "value": "crown.tangential"}, {"name": "Fr", "value": "crown.radial"},
                     {"name": "thrust", "value": "left_bearing.fx"}]});
    model_run run = model_run_changed("Differential", models_text(changes, formulations[k]));
    assert_close(value_of(&run, "wl"), 10, 1e-6);
    assert_close(value_of(&run, "wr"), 10.0 / 3, 1e-6);
    assert_close(value_of(&run, "wc"), 20.0 / 3, 1e-6);
    assert_close(fabs(value_of(&run, "wp")), 80.0 / 3, 1e-6);
    for (long row = 0; row <= 4; row++) assert_close(model_run_value(&run, "turns", row, 0), 0, 1e-7);
    assert_close(fabs(value_of(&run, "Ft")), 10 / 0.025, 1e-5);
    assert_close(value_of(&run, "Fr"), 10 / 0.025 * tan(20 * pi / 180), 1e-5);
    /* teeth at 45 degrees push the left gear to the left with Fr / sqrt(2), Ft = 20 / 0.03 */
    assert_close(value_of(&run, "thrust"), 20 / 0.03 * tan(20 * pi / 180) / sqrt(2), 1e-4);
    model_run_free(&run);
  }
}

/* Dry friction in the wheel's bearing of radius 0.02 is loaded by the whole tooth force:
 * Ft 0.12 = 6 + mu 0.02 Ft / cos(p) against the motion. */
static void test_friction_of_a_bearing(void **state) {
  (void)state;
  MODEL(rubbing,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0], "B": [0.17, 0]}},
       "bodies": [{"name": "g1", "mass": 1, "inertia": 0.01, "points": {"C": [0, 0]}},
                  {"name": "g2", "mass": 4, "inertia": 0.1, "points": {"C": [0, 0]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.O", "g1.C"]},
                  {"name": "B", "type": "revolute", "points": ["ground.B", "g2.C"]},
                  {"name": "mesh", "type": "gear-pair", "points": ["g1.C", "g2.C"], "radii": [0.05, 0.12]}],
       "drivers": [{"name": "in", "type": "joint", "joint": "A", "function": "-10*t"}],
       "forces": [{"name": "load", "type": "torque", "body": "g2", "value": %g},
                  {"name": "rub", "type": "friction", "joint": "B", "law": "coulomb", "mu_dynamic": 0.3,
                   "radius": 0.02}],
       "sampled": [{"name": "seen", "period": 0.25, "value": "mesh.tangential"}],
       "sensors": [{"name": "Ft", "value": "mesh.tangential"}, {"name": "effort", "value": "in.effort"}],
       "analysis": {"type": "%s", "t_end": 1, "dt": 0.5, "formulation": "%s"}});
  for (int k = 0; k < 8; k++) {
    const double T = k & 1 ? 6 : -6, c = 0.3 * 0.02 / cos(20 * pi / 180);
    model_run run = model_run_text(rubbing, T, k & 2 ? "dynamics" : "inverse-dynamics", formulations[k / 4]);
    model_run_require(&run);
    /* the wheel turns with 10 5/12: Ft 0.12 = T - c |Ft| */
    const double Ft = T / (0.12 + (T > 0 ? c : -c));
    assert_close(value_of(&run, "Ft"), Ft, 1e-7);
    assert_close(value_of(&run, "effort"), 0.05 * Ft, 1e-7);
    if (k & 2) assert_close(value_of(&run, "sampled"), Ft, 1e-7);
    model_run_free(&run);
  }
}

/* A free planetary set and bevel gears with springs keep their energy over many turns, in both formulations alike. */
static void test_energy(void **state) {
  (void)state;
  MODEL(bevels,
      {"sensors": [{"name": "q", "value": "left_bearing.q"}, {"name": "f", "value": "pin.fx"}],
       "forces": [{"name": "spring", "type": "rotational-spring-damper", "joint": "left_bearing", "stiffness": 40,
                   "free_angle": 20}],
       "analysis": {"type": "dynamics", "t_end": 3, "dt": 0.25, "formulation": "%s",
                    "integrator": {"rtol": 1e-10, "atol": 1e-12}}});
  model_run runs[FORMULATIONS];
  for (int k = 0; k < FORMULATIONS; k++) {
    runs[k] = model_run_changed("Differential", models_text(bevels, formulations[k]));
    const mbs_report *report = &runs[k].result->report;
    assert_true(report->energy_change_max <= 1e-7 * report->energy_scale);
  }
  expect_same("bevel gears", runs[0].result, runs[1].result, "q", 1e-7);
  expect_same("bevel gears", runs[0].result, runs[1].result, "reactions", 1e-5);
  for (int k = 0; k < FORMULATIONS; k++) model_run_free(&runs[k]);
}

/* Teeth that do not fit end the run, with the distance that would. */
static void test_geometry(void **state) {
  (void)state;
  MODEL(pair,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0], "B": [%.17g, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}},
                  {"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.O", "a.C"]},
                  {"name": "B", "type": "revolute", "points": ["ground.B", "b.C"]},
                  {"name": "mesh", "type": "gear-pair", "points": ["a.C", "b.C"], %s}],
       "analysis": {"type": "assembly", "formulation": "%s"}});
  static const struct {
    double distance;
    const char *fields;
    bool fits;
    const char *words;
  } cases[] = {{0.17, PART("radii": [0.05, 0.12]), true, NULL},
                {0.17 * (1 + 5e-7), PART("radii": [0.05, 0.12]), true, NULL},
                 {0.17 * (1 + 2e-6), PART("radii": [0.05, 0.12]), false, "mesh at 0.17 m"},
                  {0.2, PART("radii": [0.05, 0.12]), false, "is 0.2 m, but its teeth mesh at 0.17 m"},
                   {0.07, PART("radii": [0.05, 0.12], "mesh": "internal"), true, NULL},
                    {0.17, PART("radii": [0.05, 0.12], "mesh": "internal"), false, "mesh at 0.07 m"},
                     {0.17, PART("teeth": [20, 48], "module": "5 mm"), true, NULL}};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    model_run run = model_run_text(pair, cases[i / 2].distance, cases[i / 2].fields, formulations[i % 2]);
    assert_int_equal(run.status, cases[i / 2].fits ? MBS_OK : MBS_GEAR_GEOMETRY);
    if (!cases[i / 2].fits) {
      assert_string_equal(run.error.element, "mesh");
      if (!strstr(run.error.message, cases[i / 2].words)) fail_msg("%s", run.error.message);
    }
    model_run_free(&run);
  }
}

/* A planetary set in space on a tilted axis: the turns of the ring and the planet, counted over steps of many turns of
 * the carrier, which runs at -7 t + 0.3 t^3. */
static void test_willis_in_space(void **state) {
  (void)state;
  MODEL(set,
      {"space": "spatial", "gravity": [0, 0, 0], "parameters": {"rs": 0.03, "rp": 0.02, "rr": 0.07},
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"a": [1, 2, 2]}},
       "bodies": [{"name": "sun", "mass": 1, "inertia": [1, 1, 2], "points": {"O": [0, 0, 0]},
                   "vectors": {"a": [0, 0, 1]}},
                  {"name": "carrier", "mass": 1, "inertia": [1, 1, 2],
                   "points": {"O": [0, 0, 0], "P": ["rs + rp", 0, 0.01]}, "vectors": {"a": [0, 0, 1]}},
                  {"name": "ring", "mass": 1, "inertia": [1, 1, 2], "points": {"O": [0, 0, 0]},
                   "vectors": {"a": [0, 0, 1]}},
                  {"name": "planet", "mass": 1, "inertia": [1, 1, 2], "points": {"O": [0, 0, 0]},
                   "vectors": {"a": [0, 0, 1]}}],
       "joints": [
         {"name": "js", "type": "revolute", "points": ["ground.O", "sun.O"],     "vectors": ["ground.a", "sun.a"]},
         {"name": "jc", "type": "revolute", "points": ["ground.O", "carrier.O"], "vectors": ["ground.a", "carrier.a"]},
         {"name": "jr", "type": "revolute", "points": ["ground.O", "ring.O"],    "vectors": ["ground.a", "ring.a"]},
         {"name": "jp", "type": "revolute", "points": ["carrier.P", "planet.O"], "vectors": ["carrier.a", "planet.a"]},
         {"name": "sp", "type": "gear-pair", "points": ["sun.O", "planet.O"], "vectors": ["sun.a", "planet.a"],
          "radii": ["rs", "rp"]},
         {"name": "pr", "type": "gear-pair", "points": ["ring.O", "planet.O"], "vectors": ["ring.a", "planet.a"],
          "radii": ["rr", "rp"], "mesh": "internal"}],
       "drivers": [{"name": "ds", "type": "joint", "joint": "js", "function": "10*t + t^2"},
                   {"name": "dc", "type": "joint", "joint": "jc", "function": "-7*t + 0.3*t^3"}],
       "sensors": [{"name": "ring_angle", "value": "jr.q"}, {"name": "planet_angle", "value": "jp.q"}],
       "analysis": {"type": "%s", "t_end": 10, "dt": 10, "formulation": "%s"}});
  for (int k = 0; k < 4; k++) {
    model_run run = model_run_text(set, k & 1 ? "dynamics" : "kinematics", formulations[k / 2]);
    model_run_require(&run);
    assert_close(value_of(&run, "ring_angle"), 230 + 3.0 / 7 * 30, 1e-6);
    assert_close(value_of(&run, "planet_angle"), 1.5 * 30, 1e-6);
    model_run_free(&run);
  }
}

/* Racks, bevel gears, worms and axes that do not fit. */
static void test_geometry_of_other_teeth(void **state) {
  (void)state;
  MODEL(two,
      {"space": "spatial", "gravity": [0, 0, 0],
       "ground": {"points": {"O": [0, 0, 0], "B": [0, 0, 0.1]},
                  "vectors": {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1], "t": [1e-4, 1, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
                   "vectors": {"u": [0, 0, 1]}},
                  {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0]},
                   "vectors": {"u": [0, 0, 1]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.%s", "a.u"]},
                  {"name": "B", "type": "%s", "points": ["ground.B", "b.O"], "vectors": ["ground.%s", "b.u"]},
                  {"name": "mesh", "type": "%s", "points": ["a.O", "b.O"], "vectors": ["a.u", "b.u"], %s}],
       "analysis": {"type": "assembly", "formulation": "%s"}});
  static const struct {
    const char *one, *joint, *other, *type, *fields, *words;
  } cases[] = {
      {"y", "prismatic", "x", "rack-and-pinion", PART("radius": 0.1), NULL},
       {"y", "prismatic", "x", "rack-and-pinion", PART("radius": 0.2), "is 0.1 m, but its teeth mesh at 0.2 m"},
        {"t", "prismatic", "x", "rack-and-pinion", PART("radius": 0.1), "perpendicular to its rack"},
         {"x", "revolute", "y", "bevel-gear", PART("radii": [0.1, 0.1]), "0.1 m apart"},
          {"x", "revolute", "x", "bevel-gear", PART("radii": [0.1, 0.1]), "are parallel"},
           {"x", "revolute", "y", "worm-gear", PART("starts": 1, "teeth": 9, "radii": [0.02, 0.08]), NULL},
            {"x", "revolute", "y", "worm-gear", PART("starts": 1, "teeth": 9, "radii": [0.03, 0.08]), "mesh at 0.11 m"},
             {"x", "revolute", "t", "worm-gear", PART("starts": 1, "teeth": 9, "radii": [0.02, 0.08]), "perpendicular"},
              {"y", "revolute", "y", "gear-pair", PART("radii": [0.02, 0.08]), NULL},
               {"y", "revolute", "t", "gear-pair", PART("radii": [0.02, 0.08]), "must be parallel"}};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    model_run run = model_run_text(two, cases[i / 2].one, cases[i / 2].joint, cases[i / 2].other, cases[i / 2].type,
                                   cases[i / 2].fields, formulations[i % 2]);
    if ((run.status == MBS_OK) != !cases[i / 2].words) fail_msg("%s: %s", cases[i / 2].type, run.error.message);
    if (cases[i / 2].words) {
      assert_int_equal(run.status, MBS_GEAR_GEOMETRY);
      if (!strstr(run.error.message, cases[i / 2].words)) fail_msg("%s", run.error.message);
    }
    model_run_free(&run);
  }
}

/* A wheel on springs moves out of mesh, which ends the run. */
static void test_compliant_centre(void **state) {
  (void)state;
  MODEL(soft,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0], "L": [0.07, 0], "R": [0.27, 0]}, "vectors": {"x": [1, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 0.01, "points": {"C": [0, 0]}},
                  {"name": "block", "mass": 1, "inertia": 0.01, "points": {"C": [0, 0]}, "vectors": {"x": [1, 0]},
                   "initial": {"position": [0.17, 0]}},
                  {"name": "b", "mass": 1, "inertia": 0.01, "points": {"C": [0, 0]}}],
       "joints": [{"name": "A", "type": "revolute", "points": ["ground.O", "a.C"]},
                  {"name": "S", "type": "translational", "points": ["ground.O", "block.C"],
                   "vectors": ["ground.x", "block.x"]},
                  {"name": "B", "type": "revolute", "points": ["block.C", "b.C"]},
                  {"name": "mesh", "type": "gear-pair", "points": ["a.C", "b.C"], "radii": [0.05, 0.12]}],
       "forces": [{"name": "soft", "type": "spring-damper", "points": ["ground.R", "block.C"], "stiffness": 1000,
                   "free_length": 0.09}],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "formulation": "%s"}});
  for (int k = 0; k < FORMULATIONS; k++) {
    model_run run = model_run_text(soft, formulations[k]);
    assert_int_equal(run.status, MBS_GEAR_GEOMETRY);
    assert_string_equal(run.error.element, "mesh");
    assert_close(run.error.time, 0.1, 1e-12);
    model_run_free(&run);
  }
}

static void expect_field_error(const char *fields, const char *pointer, const char *words) {
  MODEL(pair,
      {"space": "planar",
       "bodies": [{"name": "a", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}},
                  {"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}}],
       "joints": [{"name": "mesh", "type": "gear-pair", "points": ["a.C", "b.C"], %s}],
       "analysis": {"type": "assembly"}});
  char *document = models_text(pair, fields);
  expect_error(document, NULL, pointer, words);
  free(document);
}

static void test_fields(void **state) {
  (void)state;
  expect_field_error(PART("mesh": "external"), "/model/joints/0", "missing field 'radii'");
  expect_field_error(PART("teeth": [20, 30]), "/model/joints/0", "missing field 'module'");
  expect_field_error(PART("module": 0.1), "/model/joints/0", "missing field 'teeth'");
  expect_field_error(PART("radii": [1, 2], "module": 0.1), "/model/joints/0/module", "give either 'radii'");
  expect_field_error(PART("radii": [1, 2], "teeth": [1, 2]), "/model/joints/0/teeth", "give either 'radii'");
  expect_field_error(PART("radii": [1, 1], "mesh": "internal"), "/model/joints/0/radii", "must have different radii");
  expect_field_error(PART("radii": [1, -1]), "/model/joints/0/radii/1", "");
  expect_field_error(PART("radii": [1, 2], "pressure_angle": "90 deg"), "/model/joints/0/pressure_angle", "");
  expect_field_error(PART("radii": [1, 2], "mesh": "inside"), "/model/joints/0/mesh", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spur),
      cmocka_unit_test(test_spur_in_space),
      cmocka_unit_test(test_willis),
      cmocka_unit_test(test_planet_bearing),
      cmocka_unit_test(test_rack),
      cmocka_unit_test(test_bevel),
      cmocka_unit_test(test_worm),
      cmocka_unit_test(test_shared_load),
      cmocka_unit_test(test_differential),
      cmocka_unit_test(test_friction_of_a_bearing),
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_geometry),
      cmocka_unit_test(test_willis_in_space),
      cmocka_unit_test(test_geometry_of_other_teeth),
      cmocka_unit_test(test_compliant_centre),
      cmocka_unit_test(test_fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
