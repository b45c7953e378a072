/* test_branches.c - a mechanism with several assembly branches is assembled at the solution nearest to its guesses,
 * known in closed form, without revolutions that only the iteration made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model_run.h"
#include "models.h"

static const char *const formulations[] = {"joint", "body"};
static const double units[] = {1e-3, 1, 1e3}; /* unit of length [m] */
static const double pi = 3.14159265358979323846;

/* Returns a number in [-1, 1], reproducibly. */
static double next_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-52 - 1;
}

typedef struct point {
  double x, y;
} point;

/* Returns the intersection of circles about a and b, to the left of the direction from a to b or to the right. */
static point meet(point a, double ra, point b, double rb, int side) {
  double dx = b.x - a.x, dy = b.y - a.y, d = hypot(dx, dy), along = (ra * ra - rb * rb + d * d) / (2 * d);
  double across = side * sqrt(ra * ra - along * along);
  return (point){a.x + (along * dx - across * dy) / d, a.y + (along * dy + across * dx) / d};
}

static double angle_of(point from, point to) { return atan2(to.y - from.y, to.x - from.x); }

static double distance_of_angles(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += pow(remainder(a[k] - b[k], 2 * pi), 2);
  return sqrt(sum);
}

/* ---- Jansen's leg ---------------------------------------------------------------------------------------------- */

enum { JANSEN_ANGLES = 6 };

/* Computes the eight assembly branches with the crank at `crank`: angles of J on the crank, tri1, K on the crank, C, F
 * on tri1, foot on C. NaN if a branch does not exist. */
static void jansen_ways(double crank, double ways[8][JANSEN_ANGLES]) {
  static const double m = 0.15, b = 0.415, c = 0.393, d = 0.401, e = 0.558, f = 0.394, g = 0.367, j = 0.5, k = 0.619;
  const point P = {-0.38, -0.078}, M = {m * cos(crank), m * sin(crank)};
  double x = (d * d + b * b - e * e) / (2 * b), y = sqrt(d * d - x * x);
  for (int way = 0; way < 8; way++) {
    point N = meet(M, j, P, b, way & 1 ? 1 : -1), C = meet(M, k, P, c, way & 2 ? 1 : -1);
    double tri1 = angle_of(P, N), lower = angle_of(P, C);
    point D = {P.x + x * cos(tri1) - y * sin(tri1), P.y + x * sin(tri1) + y * cos(tri1)};
    point E = meet(D, f, C, g, way & 4 ? 1 : -1);
    const double angles[] = {angle_of(M, N) - crank, tri1, angle_of(M, C) - crank, lower, angle_of(D, E) - tri1,
                             angle_of(C, E) - lower};
    memcpy(ways[way], angles, sizeof angles);
  }
}

/* Computes the coordinates of the legs from the angles of their bodies, in both formulations. */
static void jansen_angles(const model_run *run, double out[JANSEN_ANGLES]) {
  static const int body[] = {1, 2, 3, 4, 5, 6}, carrier[] = {0, -1, 0, -1, 2, 4};
  for (int k = 0; k < JANSEN_ANGLES; k++) {
    out[k] = model_run_value(run, "p", 0, (size_t)body[k]);
    if (carrier[k] >= 0) out[k] -= model_run_value(run, "p", 0, (size_t)carrier[k]);
  }
}

/* Runs a leg in a unit of length, with guesses for its joints or (NULL) without. */
static model_run jansen(double unit, double crank, const double *guess, const char *formulation) {
  char initial[JANSEN_ANGLES][64] = {""};
  for (int k = 0; k < JANSEN_ANGLES && guess; k++)
    snprintf(initial[k], sizeof initial[k], PART(, "initial": {"position": %.17g}), guess[k]);
  MODEL(document,
      {"space": "planar",
       "parameters": {"u": %.17g, "b": "0.415*u", "d": "0.401*u", "e": "0.558*u",
                      "x": "(d^2 + b^2 - e^2)/(2*b)"},
       "ground": {"points": {"O": [0, 0], "P": ["-0.38*u", "-0.078*u"]}},
       "bodies": [
         {"name": "crank", "mass": 1, "inertia": 1, "points": {"O": [0, 0], "M": ["0.15*u", 0]}},
         {"name": "J", "mass": 1, "inertia": 1, "points": {"M": [0, 0], "N": ["0.5*u", 0]}},
         {"name": "tri1", "mass": 1, "inertia": 1,
          "points": {"P": [0, 0], "N": ["b", 0], "D": ["x", "sqrt(d^2 - x^2)"]}},
         {"name": "K", "mass": 1, "inertia": 1, "points": {"M": [0, 0], "C": ["0.619*u", 0]}},
         {"name": "C", "mass": 1, "inertia": 1, "points": {"P": [0, 0], "C": ["0.393*u", 0]}},
         {"name": "F", "mass": 1, "inertia": 1, "points": {"D": [0, 0], "E": ["0.394*u", 0]}},
         {"name": "foot", "mass": 1, "inertia": 1, "points": {"C": [0, 0], "E": ["0.367*u", 0]}}],
       "joints": [
         {"name": "motor", "type": "revolute", "points": ["ground.O", "crank.O"]},
         {"name": "cj",    "type": "revolute", "points": ["crank.M", "J.M"]%s},
         {"name": "p1",    "type": "revolute", "points": ["ground.P", "tri1.P"]%s},
         {"name": "ck",    "type": "revolute", "points": ["crank.M", "K.M"]%s},
         {"name": "p2",    "type": "revolute", "points": ["ground.P", "C.P"]%s},
         {"name": "n",     "type": "revolute", "points": ["J.N", "tri1.N"]},
         {"name": "kc",    "type": "revolute", "points": ["K.C", "C.C"]},
         {"name": "df",    "type": "revolute", "points": ["tri1.D", "F.D"]%s},
         {"name": "cf",    "type": "revolute", "points": ["C.C", "foot.C"]%s},
         {"name": "fe",    "type": "revolute", "points": ["F.E", "foot.E"]}],
       "drivers": [{"name": "drive", "type": "joint", "joint": "motor", "function": "%.17g"}],
       "analysis": {"type": "assembly", "formulation": "%s"}});
  return model_run_text(document, unit, initial[0], initial[1], initial[2], initial[3], initial[4], initial[5], crank,
                        formulation);
}

/* Checks that the run ended at the branch nearest to the guess, with angles within half a revolution of it. */
static void assert_nearest(const model_run *run, double crank, const double *guess, const char *name) {
  double ways[8][JANSEN_ANGLES], angles[JANSEN_ANGLES], least = INFINITY;
  if (run->status != MBS_OK) fail_msg("%s: %s", name, run->error.message);
  jansen_ways(crank, ways);
  jansen_angles(run, angles);
  for (int way = 0; way < 8; way++) {
    double distance = distance_of_angles(ways[way], guess, JANSEN_ANGLES);
    if (distance < least) least = distance; /* false if NaN */
  }
  double reached = distance_of_angles(angles, guess, JANSEN_ANGLES);
  if (!(fabs(reached - least) < 0.002 * least + 1e-8)) fail_msg("%s: %g from the guess, not %g", name, reached, least);
  for (int k = 0; k < JANSEN_ANGLES; k++) assert_true(fabs(angles[k] - guess[k]) < pi + 1e-6);
}

/* Guesses that differ by up to a radian from each branch, at any scale. */
static void test_jansen_takes_the_nearest_way(void **unused) {
  (void)unused;
  uint64_t state = 1;
  for (int k = 0; k < 48; k++) {
    double ways[8][JANSEN_ANGLES], guess[JANSEN_ANGLES], crank = 2 * pi * k / 48;
    jansen_ways(crank, ways);
    if (isnan(ways[k % 8][4])) continue;
    for (int i = 0; i < JANSEN_ANGLES; i++)
      guess[i] = remainder(ways[k % 8][i], 2 * pi) + (k < 24 ? 0.5 : 1) * next_number(&state);
    for (int f = 0; f < 2; f++) {
      model_run run = jansen(units[k % 3], crank, guess, formulations[f]);
      assert_nearest(&run, crank, guess, formulations[f]);
      model_run_free(&run);
    }
  }
}

/* No guesses at all: every joint begins at zero, and the report names what was moved far. */
static void test_jansen_without_guesses(void **unused) {
  (void)unused;
  static const double zero[JANSEN_ANGLES] = {0};
  for (int k = 0; k < 6; k++) {
    model_run run = jansen(units[k / 2], 0, NULL, formulations[k % 2]);
    assert_nearest(&run, 0, zero, formulations[k % 2]);
    assert_non_null(
        models_note(run.result, "assembly rotated 'cj' by -125 degrees, 'ck' by -133 degrees, 'cf' by 108 degrees"));
    assert_non_null(models_note(run.result, "give their 'initial' positions nearer"));
    model_run_free(&run);
  }
}

/* ---- a crank, a rod and a rocker in space ------------------------------------------------------------------------ */

/* The rocker has two positions for each position of the crank. */
static void test_spatial_rocker_takes_the_nearest_place(void **unused) {
  (void)unused;
  static const double a = 0.3, c = 0.6, length = 0.9, Q[3] = {0.5, 0.2, -0.1};
  uint64_t state = 2;
  for (int k = 0; k < 24; k++) {
    double crank = 2 * pi * k / 24, unit = units[k % 3], d[3] = {Q[0] - a * cos(crank), Q[1] - a * sin(crank), Q[2]};
    double reach = (length * length - d[0] * d[0] - d[1] * d[1] - d[2] * d[2] - c * c) / (2 * c);
    double middle = atan2(-d[2], d[0]), half = acos(reach / hypot(d[0], d[2]));
    if (isnan(half) || half < 0.2 || half > pi - 0.2) continue;
    double guess = middle + half * (k % 2 ? 1 : -1) + 0.8 * fmin(half, pi - half) * next_number(&state);
    double places[] = {middle + half, middle - half};
    bool second = fabs(remainder(places[1] - guess, 2 * pi)) < fabs(remainder(places[0] - guess, 2 * pi));
    for (int f = 0; f < 2; f++) {
      MODEL(spatial_rocker_takes_the_nearest_place,
          {"space": "spatial", "parameters": {"u": %.17g},
           "ground": {"points": {"O": [0, 0, 0], "Q": ["0.5*u", "0.2*u", "-0.1*u"]},
                      "vectors": {"z": [0, 0, 1], "y": [0, 1, 0]}},
           "bodies": [
             {"name": "crank", "mass": 1, "inertia": [1, 1, 1],
              "points": {"O": [0, 0, 0], "A": ["0.3*u", 0, 0]}, "vectors": {"z": [0, 0, 1]}},
             {"name": "rocker", "mass": 1, "inertia": [1, 1, 1],
              "points": {"Q": [0, 0, 0], "B": ["0.6*u", 0, 0]}, "vectors": {"y": [0, 1, 0]}}],
           "joints": [
             {"name": "O", "type": "revolute", "points": ["ground.O", "crank.O"],
              "vectors": ["ground.z", "crank.z"], "initial": {"position": %.17g}},
             {"name": "Q", "type": "revolute", "points": ["ground.Q", "rocker.Q"],
              "vectors": ["ground.y", "rocker.y"], "initial": {"position": %.17g}},
             {"name": "rod", "type": "rod", "points": ["crank.A", "rocker.B"], "length": "0.9*u"}],
           "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "%.17g"}],
           "sensors": [{"name": "angle", "value": "Q.q"}],
           "analysis": {"type": "assembly", "formulation": "%s"}});
      model_run run = model_run_text(spatial_rocker_takes_the_nearest_place, unit, crank + 0.8 * next_number(&state),
                                     guess, crank, formulations[f]);
      if (run.status != MBS_OK) fail_msg("%s: %s", formulations[f], run.error.message);
      double angle = model_run_value(&run, "angle", 0, 0), place = places[second];
      assert_true(fabs(remainder(angle - place, 2 * pi)) < 1e-8);
      assert_true(fabs(angle - guess) < pi);
      model_run_free(&run);
    }
  }
}

/* ---- revolutions ------------------------------------------------------------------------------------------------- */

/* Runs a crank whose angle a row counts: a driver, a user's expression, or a gear that rotates with it. */
static model_run counted(const char *row, const char *formulation) {
  MODEL(counted_crank,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0], "Q": [0.5, 0], "R": [2, 0]}},
       "bodies": [
         {"name": "crank",  "mass": 1, "inertia": 1, "points": {"O": [0, 0], "A": [0.3, 0]}},
         {"name": "wheel",  "mass": 1, "inertia": 1, "points": {"R": [0, 0]}},
         {"name": "rocker", "mass": 1, "inertia": 1, "points": {"Q": [0, 0], "B": [0.6, 0]}}],
       "joints": [
         {"name": "O",    "type": "revolute", "points": ["ground.O", "crank.O"]},
         {"name": "R",    "type": "revolute", "points": ["ground.R", "wheel.R"]},
         {"name": "Q",    "type": "revolute", "points": ["ground.Q", "rocker.Q"]},
         {"name": "rod",  "type": "rod",      "points": ["crank.A", "rocker.B"], "length": 0.9},
         {"name": "gear", "type": "gear",     "bodies": ["crank", "wheel"], "ratio": -1.5}%s],
       "drivers": [%s],
       "analysis": {"type": "assembly", "formulation": "%s"}});
  bool joint = strstr(row, JSON("expression")) != NULL;
  return model_run_text(counted_crank, joint ? row : "", joint ? "" : row, formulation);
}

/* Revolutions that rows count remain; others are removed. */
static void test_counted_turns_stay(void **unused) {
  (void)unused;
  MODEL(own, , {"name": "own", "type": "expression", "value": "O.q - 20"});
  static const char *const rows[] = {JSON({"name": "motor", "type": "joint", "joint": "O", "function": "20"}),
                                     JSON({"name": "motor", "type": "angle", "body": "wheel", "function": "-30"}), own};
  for (int k = 0; k < 6; k++) {
    model_run run = counted(rows[k / 2], formulations[k % 2]);
    if (run.status != MBS_OK) fail_msg("%s: %s", rows[k / 2], run.error.message);
    assert_true(fabs(model_run_value(&run, "p", 0, 0) - 20) < 1e-8);
    assert_true(fabs(model_run_value(&run, "p", 0, 1) + 30) < 1e-8);
    assert_true(fabs(model_run_value(&run, "p", 0, 2)) <= pi);
    assert_true(run.result->report.position_residual < 1e-9);
    assert_non_null(models_note(run.result, "assembly rotated 'O' by 1146 degrees"));
    model_run_free(&run);
  }
}

/* A Newton step rotates a bar, which must lie along x in either direction, back by as much as its crank was driven. The
 * result is the same assembly branch without the revolutions. */
static void test_revolutions_of_the_iteration_are_removed(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    MODEL(turns_of_the_way_there_go,
        {"space": "planar",
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [
           {"name": "crank", "mass": 1, "inertia": 1, "points": {"O": [0, 0], "A": [1, 0]}},
           {"name": "bar",   "mass": 1, "inertia": 1, "points": {"A": [0, 0], "B": [1, 0]}},
           {"name": "hand",  "mass": 1, "inertia": 1, "points": {"B": [0, 0]}}],
         "joints": [
           {"name": "O", "type": "revolute", "points": ["ground.O", "crank.O"]},
           {"name": "A", "type": "revolute", "points": ["crank.A", "bar.A"]},
           {"name": "B", "type": "revolute", "points": ["bar.B", "hand.B"], "initial": {"position": 0.1}},
           {"name": "along", "type": "expression", "value": "sin(bar.phi)"}],
         "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "20"}],
         "analysis": {"type": "assembly", "formulation": "%s"}});
    model_run run = model_run_text(turns_of_the_way_there_go, formulations[f]);
    if (run.status != MBS_OK) fail_msg("%s: %s", formulations[f], run.error.message);
    double crank = model_run_value(&run, "p", 0, 0), bar = model_run_value(&run, "p", 0, 1);
    assert_true(fabs(crank - 20) < 1e-9);
    assert_true(fabs(bar - 6 * pi) < 1e-9);
    assert_true(fabs(model_run_value(&run, "p", 0, 2) - bar - 0.1) < 1e-9);
    assert_null(models_note(run.result, "several ways"));
    model_run_free(&run);
  }
}

/* A torsion spring reads the angle nearest to the guess, which may contain many revolutions. */
static void test_guesses_of_many_turns(void **unused) {
  (void)unused;
  uint64_t state = 3;
  double ways[8][JANSEN_ANGLES], guess[JANSEN_ANGLES];
  jansen_ways(1, ways);
  for (int k = 0; k < 8; k++) {
    for (int i = 0; i < JANSEN_ANGLES; i++)
      guess[i] = ways[3][i] + 2 * pi * (double)((k + i) % 5 - 2) + 0.9 * next_number(&state);
    model_run run = jansen(1, 1, guess, formulations[k % 2]);
    assert_nearest(&run, 1, guess, formulations[k % 2]);
    model_run_free(&run);
  }
}

/* ---- unchanged solutions ----------------------------------------------------------------------------------------- */

/* A slider-crank without drivers keeps Newton's solution, although other positions of its branch are nearer. A move of
 * 26 degrees causes no note. */
static void test_free_mechanism_keeps_newtons_solution(void **unused) {
  (void)unused;
  model_run run = model_run_file("SC");
  assert_int_equal(run.status, MBS_OK);
  assert_int_equal(run.result->report.correction_iterations, 4);
  assert_true(fabs(run.result->report.q_after[0] - 0.6792008580454657) < 1e-9);
  assert_null(models_note(run.result, "assembly rotated"));
  assert_null(models_note(run.result, "several ways"));
  model_run_free(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_jansen_takes_the_nearest_way),
      cmocka_unit_test(test_jansen_without_guesses),
      cmocka_unit_test(test_spatial_rocker_takes_the_nearest_place),
      cmocka_unit_test(test_counted_turns_stay),
      cmocka_unit_test(test_revolutions_of_the_iteration_are_removed),
      cmocka_unit_test(test_guesses_of_many_turns),
      cmocka_unit_test(test_free_mechanism_keeps_newtons_solution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
