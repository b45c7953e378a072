/* test_singular_starts.c - starts at a position where the constraints lose rank, and at all distances from it down to
 * rounding: the motion continues on one of its branches, or the run reports why not, and the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_run.h"
#include "models.h"

static const double pi = 3.14159265358979323846;
static const char *const formulations[] = {"joint", "body"};
enum { KINEMATICS, INVERSE_DYNAMICS, DRIVEN_DYNAMICS, FREE };
static const char *const types[] = {"kinematics", "inverse-dynamics", "dynamics", "dynamics without a driver"};
enum { DECADES = 16 };

/* ---- mechanisms that fold ------------------------------------------------------------------------------------ */

/* A four-bar whose sides are equal in pairs, or a slider-crank with equal rod and crank: folded at the crank's angle
 * `fold` [rad]. Lengths in units of `unit`. */
typedef struct folded {
  const char *name;
  double crank, coupler, rocker, ground, fold;
  bool slider;
} folded;

static const folded mechanisms[] = {
    {"parallelogram", 1, 2, 1, 2, 3.14159265358979323846, false},
    {"parallelogram at 0", 1, 2, 1, 2, 0, false},
    {"kite", 1, 2, 2, 1, 0, false},
    {"long kite", 0.3, 2.7, 2.7, 0.3, 0, false},
    {"slider-crank", 1, 1, 0, 0, 3.14159265358979323846 / 2, true},
};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

/* Computes the angles of coupler and rocker against the ground [rad], or the angle of the rod and the position of the
 * slider, with the crank at `angle`, on branch number `way`. */
static void place(const folded *of, double angle, int way, double out[2]) {
  double x = angle - of->fold;
  if (of->slider) {
    /* the rod leads back to the rail, or lies on the crank */
    out[0] = way == 0 ? -angle : angle - pi;
    out[1] = way == 0 ? 2 * of->crank * cos(angle) : 0;
    return;
  }
  if (of->crank == of->rocker) {
    /* parallel: level coupler; crossed: tan(rocker/2) = -(ground + crank)/(ground - crank) tan(crank/2) */
    double s = (of->ground + of->crank) / (of->ground - of->crank);
    double rocker = of->fold == 0 ? -2 * atan(s * tan(x / 2)) : pi - 2 * atan(tan(x / 2) / s);
    out[1] = way == 0 ? angle : rocker;
    out[0] = way == 0 ? 0
                      : atan2(of->rocker * sin(rocker) - of->crank * sin(angle),
                              of->ground + of->rocker * cos(rocker) - of->crank * cos(angle));
    return;
  }
  /* a kite: its far corner is on the bisector of the crank's angle */
  double middle = of->crank * cos(x / 2), half = of->crank * sin(x / 2);
  double far = middle + sqrt(of->rocker * of->rocker - half * half);
  double cx = far * cos(x / 2), cy = far * sin(x / 2);
  out[0] = atan2(cy - of->crank * sin(x), cx - of->crank * cos(x));
  out[1] = atan2(cy, cx - of->ground);
}

/* Initial values in the document: all numbers of one branch, those of the other, or only the crank's. */
enum { FIRST_WAY, SECOND_WAY, CRANK_ALONE, STARTS };

typedef struct start {
  const folded *of;
  double offset, unit; /* angle of the crank from its fold [rad]; [m] */
  int typed, type, formulation;
} start;

static model_run run_start(const start *at) {
  const folded *of = at->of;
  double angle = of->fold + at->offset, rest[2], L = at->unit;
  place(of, at->typed == CRANK_ALONE ? of->fold : angle, at->typed == SECOND_WAY, rest);
  double crank = angle;
  bool driven = at->type != FREE;
  MODEL(four_bar,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0], "D": [%.17g, 0]}},
       "bodies": [
         {"name": "crank",   "mass": 1, "inertia": %.17g, "points": {"O": [%.17g, 0], "A": [%.17g, 0]}},
         {"name": "coupler", "mass": 2, "inertia": %.17g, "points": {"A": [%.17g, 0], "B": [%.17g, 0]}},
         {"name": "rocker",  "mass": 3, "inertia": %.17g, "points": {"D": [%.17g, 0], "B": [%.17g, 0]}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "crank.O"],
          "initial": {"position": %.17g, "velocity": %d}},
         {"name": "A", "type": "revolute", "points": ["crank.A", "coupler.A"], "initial": {"position": %.17g}},
         {"name": "D", "type": "revolute", "points": ["ground.D", "rocker.D"], "initial": {"position": %.17g}},
         {"name": "B", "type": "revolute", "points": ["coupler.B", "rocker.B"]}],
       "drivers": [%s],
       "analysis": {"type": "%s", "formulation": "%s", "t_end": 0.5, "dt": 0.05}});
  MODEL(slider_crank,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "crank",  "mass": 1, "inertia": %.17g, "points": {"O": [%.17g, 0], "A": [%.17g, 0]}},
         {"name": "rod",    "mass": 2, "inertia": %.17g, "points": {"A": [%.17g, 0], "B": [%.17g, 0]}},
         {"name": "slider", "mass": 3, "inertia": %.17g, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "crank.O"],
          "initial": {"position": %.17g, "velocity": %d}},
         {"name": "A", "type": "revolute", "points": ["crank.A", "rod.A"], "initial": {"position": %.17g}},
         {"name": "rail", "type": "translational", "points": ["ground.O", "slider.B"],
          "vectors": ["ground.u", "slider.u"], "initial": {"position": %.17g}},
         {"name": "B", "type": "revolute", "points": ["rod.B", "slider.B"]}],
       "drivers": [%s],
       "analysis": {"type": "%s", "formulation": "%s", "t_end": 0.5, "dt": 0.05}});
  char driver[200] = "";
  if (driven)
    snprintf(driver, sizeof driver,
             PART({"name": "motor", "type": "joint", "joint": "O", "function": "%.17g + t"}), angle);
  const char *type = driven ? types[at->type] : "dynamics", *formulation = formulations[at->formulation];
  double a = of->crank * L / 2, b = of->coupler * L / 2, c = of->rocker * L / 2;
  if (of->slider)
    return model_run_text(slider_crank, 0.1 * L * L, -a, a, 0.2 * L * L, -b, b, 0.3 * L * L, crank, driven ? 0 : 1,
                          rest[0] - crank, rest[1] * L, driver, type, formulation);
  return model_run_text(four_bar, of->ground * L, 0.1 * L * L, -a, a, 0.2 * L * L, -b, b, 0.3 * L * L, -c, c, crank,
                        driven ? 0 : 1, rest[0] - crank, rest[1], driver, type, formulation);
}

/* ---- required properties -------------------------------------------------------------------------------------- */

static bool has_number_of_none(const char *text) {
  /* words that begin with these letters, such as "infinite", are not numbers */
  for (const char *at = text; *at; at++) {
    bool begins = at == text || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", at[-1]);
    if (!begins || (strncmp(at, "nan", 3) != 0 && strncmp(at, "inf", 3) != 0)) continue;
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", at[3]) || at[3] == '\0') return true;
  }
  return false;
}

static double turned(double angle) { return remainder(angle, 2 * pi); }

/* Returns the distance of a row from branch number `way`. */
static double off_way(const model_run *run, const start *at, long row, int way) {
  double angle = model_run_value(run, "p", row, 0), rest[2];
  place(at->of, angle, way, rest);
  double off = fabs(turned(model_run_value(run, "p", row, 1) - rest[0]));
  double second = at->of->slider ? model_run_value(run, "r", row, 4) / at->unit - rest[1]
                                 : turned(model_run_value(run, "p", row, 2) - rest[1]);
  return fmax(off, fabs(second));
}

/* Returns a description of the fault of a run, or NULL if it has none. */
static const char *fault_of(const model_run *run, const start *at) {
  static char text[1000];
  const mbs_report *report = run->result ? &run->result->report : NULL;
  for (size_t k = 0; report && k < report->note_count; k++)
    if (has_number_of_none(report->notes[k])) {
      snprintf(text, sizeof text, "note '%s'", report->notes[k]);
      return text;
    }
  if (report && report->redundant_count > 0) return "a row is called redundant";
  if (run->status == MBS_OK && fabs(at->offset) < 1e-10 && !models_note(run->result, "a singular position"))
    return "no note";
  if (run->status != MBS_OK) {
    bool named = run->status == MBS_SINGULAR_POSITION && at->type != KINEMATICS;
    if (named && isfinite(run->error.time) && !has_number_of_none(run->error.message)) return NULL;
    snprintf(text, sizeof text, "%s at %g: %s", mbs_status_code(run->status), run->error.time, run->error.message);
    return text;
  }
  long rows = (long)mbs_result_array(run->result, "T")->shape[0];
  double worst[2] = {0, 0}, missed = 0;
  for (long row = 0; row < rows; row++) {
    double t = model_run_value(run, "T", row, 0);
    for (int way = 0; way < 2; way++) worst[way] = fmax(worst[way], off_way(run, at, row, way));
    if (at->type != FREE)
      missed = fmax(missed, fabs(model_run_value(run, "p", row, 0) - at->of->fold - at->offset - t));
  }
  if (rows == 11 && fmin(worst[0], worst[1]) < 2e-5 && missed < 1e-7) return NULL;
  snprintf(text, sizeof text, "%ld rows, off its ways by %.2g and %.2g, off its driver by %.2g", rows, worst[0],
           worst[1], missed);
  return text;
}

/* Tests a kind of start of a mechanism, an analysis and a formulation at all offsets. */
static void scan(start at) {
  static const double units[] = {1, 1e-3, 1e3, 0.07};
  for (int k = -2 * DECADES; k <= 2 * DECADES; k++) {
    /* 0, and both directions from 1e-16 to 1e-1 */
    at.offset = k == 0 ? 0 : copysign(pow(10, -16.5 + abs(k) / 2.0), k);
    at.unit = units[(k + 2 * DECADES) % (at.type < DRIVEN_DYNAMICS ? 4 : 3)];
    if (k % MODELS_EVERY != 0) continue;
    model_run run = run_start(&at);
    const char *fault = fault_of(&run, &at);
    if (fault)
      fail_msg("%s, start %d, %s, %s, in %g m, %.3g from its fold: %s", at.of->name, at.typed, types[at.type],
               formulations[at.formulation], at.unit, at.offset, fault);
    model_run_free(&run);
  }
}

/* Returns true if such a start is tested. Excluded are the second branch of a kite, where the crank is at standstill,
 * and starts of free motions whose other numbers do not fit the speed of the crank. */
static bool has_start(const folded *of, int typed, int type) {
  const bool kite = of->crank == of->ground;
  return !(kite && typed == SECOND_WAY) && !(type == FREE && (typed == CRANK_ALONE || kite || of->slider));
}

static void test_offsets(int first_type, int last_type) {
  for (size_t m = 0; m < MECHANISMS; m++)
    for (int typed = 0; typed < STARTS; typed++)
      for (int type = first_type; type <= last_type; type++)
        for (int f = 0; f < 2; f++)
          if (has_start(&mechanisms[m], typed, type)) scan((start){&mechanisms[m], 0, 1, typed, type, f});
}

/* Kinematics succeeds at each distance; inverse dynamics succeeds too, or forces have no limit. */
static void test_driven_paths(void **unused) {
  (void)unused;
  test_offsets(KINEMATICS, INVERSE_DYNAMICS);
}

static void test_dynamics(void **unused) {
  (void)unused;
  test_offsets(DRIVEN_DYNAMICS, FREE);
}

/* A kite that starts folded continues as its crank moves it; the driver alone selects the branch. */
static void test_kite(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    const start at = {&mechanisms[2], 0, 1, FIRST_WAY, KINEMATICS, f};
    model_run run = run_start(&at);
    model_run_require(&run);
    assert_int_equal(run.result->report.degrees_of_freedom, 0);
    assert_int_equal(run.result->report.mobility, 1);
    assert_int_equal(run.result->report.redundant_count, 0);
    for (long row = 0; row < 11; row++) assert_true(off_way(&run, &at, row, 0) < 1e-9);
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kite),
      cmocka_unit_test(test_driven_paths),
      cmocka_unit_test(test_dynamics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
