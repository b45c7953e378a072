/* test_passages.c - driven motions through positions where C loses or nearly loses rank: each branch continues
 * smoothly, at every reporting step; quantities without a limit there are reported with their time. */
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
#include "list.h"
#include "model_run.h"
#include "models.h"

static const double pi = 3.14159265358979323846, g = 9.81;
static const char *const formulations[] = {"joint", "body"};

/* ---- a slider-crank whose crank and rod are equal -------------------------------------------------------------- */

/* Runs a slider-crank with crank and rod of 0.2 m, masses 1, 2 and 3 kg. The crank starts at 60 degrees and rotates at
 * 2 pi/3 rad/s. At 90 degrees slider and crank pin could also rotate as one about the origin. */
static model_run slider_crank(const char *type, const char *formulation, double t_end, double dt) {
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "crank",  "mass": 1, "inertia": 0.01, "points": {"O": [-0.1, 0], "A": [0.1, 0]}},
         {"name": "rod",    "mass": 2, "inertia": 0.02, "points": {"A": [-0.1, 0], "B": [0.1, 0]}},
         {"name": "slider", "mass": 3, "inertia": 1,    "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "crank.O"],
          "initial": {"position": "pi/3"}},
         {"name": "A", "type": "revolute", "points": ["crank.A", "rod.A"],
          "initial": {"position": "-2*pi/3"}},
         {"name": "rail", "type": "translational", "points": ["ground.O", "slider.B"],
          "vectors": ["ground.u", "slider.u"], "initial": {"position": 0.2}},
         {"name": "B", "type": "revolute", "points": ["rod.B", "slider.B"]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "pi/3 + 2*pi*t/3"}],
       "analysis": {"type": "%s", "formulation": "%s", "t_end": %.17g, "dt": %.17g,
                    "integrator": {"rtol": 1e-10}}});
  return model_run_text(document, type, formulation, t_end, dt);
}

static void test_equal_slider_crank(void **unused) {
  (void)unused;
  static const double steps[] = {0.05, 0.25, 0.24999, 0.013, 1.75}, w = 2 * 3.14159265358979323846 / 3;
  for (int k = 0; k < 20; k++) {
    model_run run =
        slider_crank(k / 10 ? "inverse-dynamics" : "kinematics", formulations[k % 2], 3.5, steps[k / 2 % 5]);
    model_run_require(&run);
    for (long row = 0; row < (long)mbs_result_array(run.result, "T")->shape[0]; row++) {
      double angle = pi / 3 + w * model_run_value(&run, "T", row, 0);
      assert_close(model_run_value(&run, "r", row, 4), 0.4 * cos(angle), 1e-9);
      assert_close(model_run_value(&run, "p", row, 1), -angle, 1e-9);
      assert_close(model_run_value(&run, "rd", row, 4), -0.4 * w * sin(angle), 1e-9);
      assert_close(model_run_value(&run, "pd", row, 1), -w, 1e-9);
      assert_close(model_run_value(&run, "pdd", row, 1), 0, 1e-7);
    }
    model_run_free(&run);
  }
}

/* The power of the effort equals the change of energy: tau w = d(T + V)/dt, where
 * 2T = const + m_rod (r')^2 + m_slider x'^2,  with the rod's centre at (0.3 cos, 0.1 sin) of the angle. */
static void test_effort_has_a_limit(void **unused) {
  (void)unused;
  static const double w = 2 * 3.14159265358979323846 / 3;
  for (int k = 0; k < 4; k++) {
    const bool integrated = k / 2;
    const double tolerance = integrated ? 1e-7 : 1e-8;
    model_run run = slider_crank(integrated ? "dynamics" : "inverse-dynamics", formulations[k % 2], 3, 0.05);
    model_run_require(&run);
    assert_null(models_note(run.result, "may be inaccurate or unbounded"));
    const mbs_array *multipliers = mbs_result_array(run.result, "Lam");
    for (long row = 0; row < 61; row++) {
      double angle = pi / 3 + w * 0.05 * (double)row, s = sin(angle), c = cos(angle);
      double kinetic = w * w * s * c * (2 * (0.09 - 0.01) + 3 * 0.16), potential = g * c * (1 * 0.1 + 2 * 0.1);
      assert_close(model_run_value(&run, "Lam", row, mbs_array_columns(multipliers) - 1), kinetic + potential,
                   tolerance);
    }
    assert_true(run.result->report.energy_change_max < tolerance);
    assert_true(run.result->report.residual_max[2] < tolerance);
    model_run_free(&run);
  }
}

/* ---- four-bars --------------------------------------------------------------------------------------------------- */

/* A four-bar with its crank at `angle`. The pin of coupler and rocker is the intersection of the circles about the
 * crank's tip and about (ground, 0), to the left of the line from the first to the second. */
typedef struct four_bar {
  double crank, coupler, rocker, ground;
} four_bar;

static void close_four_bar(const four_bar *bar, double angle, double out[2]) {
  double x = bar->ground - bar->crank * cos(angle), y = -bar->crank * sin(angle), d2 = x * x + y * y;
  double cosine = (bar->coupler * bar->coupler + d2 - bar->rocker * bar->rocker) / (2 * bar->coupler * sqrt(d2));
  out[0] = atan2(y, x) + acos(fmax(-1, fmin(1, cosine)));
  out[1] = atan2(bar->coupler * sin(out[0]) - y, bar->coupler * cos(out[0]) - x);
}

/* Runs a four-bar with links of 1, 2 and 3 kg; `velocities`: the initial ones of coupler and rocker, if any. */
static model_run run_four_bar(const four_bar *bar, double start, const char *function, const double *velocities,
                              const char *analysis) {
  double at[2];
  close_four_bar(bar, start, at);
  char more[2][40] = {"", ""};
  for (int k = 0; k < 2 && velocities; k++) snprintf(more[k], sizeof more[k], PART(, "velocity": %g), velocities[k]);
  MODEL(document,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0], "D": [%.17g, 0]}},
       "bodies": [
         {"name": "c", "mass": 1, "inertia": 0.1, "points": {"O": [%.17g, 0], "A": [%.17g, 0]}},
         {"name": "k", "mass": 2, "inertia": 0.2, "points": {"A": [%.17g, 0], "B": [%.17g, 0]}},
         {"name": "r", "mass": 3, "inertia": 0.3, "points": {"D": [%.17g, 0], "B": [%.17g, 0]}}],
       "joints": [
         {"name": "O", "type": "revolute", "points": ["ground.O", "c.O"],
          "initial": {"position": %.17g, "velocity": 1}},
         {"name": "A", "type": "revolute", "points": ["c.A", "k.A"], "initial": {"position": %.17g%s}},
         {"name": "D", "type": "revolute", "points": ["ground.D", "r.D"], "initial": {"position": %.17g%s}},
         {"name": "B", "type": "revolute", "points": ["k.B", "r.B"]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "%s"}],
       "analysis": %s});
  return model_run_text(document, bar->ground, -bar->crank / 2, bar->crank / 2, -bar->coupler / 2, bar->coupler / 2,
                        -bar->rocker / 2, bar->rocker / 2, start, at[0] - start, more[0], at[1], more[1], function,
                        analysis);
}

static const char *analysis(const char *type, int formulation, double t_end, double dt) {
  static char text[300];
  MODEL(motion,
      {"type": "%s", "formulation": "%s", "t_end": %.17g, "dt": %.17g, "integrator": {"rtol": 1e-10}});
  snprintf(text, sizeof text, motion, type, formulations[formulation], t_end, dt);
  return text;
}

/* The crank rotates up to ten revolutions from one row to the next. */
static void test_branch_at_any_step(void **unused) {
  (void)unused;
  static const four_bar bar = {0.4, 1.1, 0.9, 1.2};
  static const double steps[] = {0.1, 1.4, 2.8, 7, 31.4, 62};
  for (int k = 0; k < 24; k++) {
    double dt = steps[k % 6];
    model_run run = run_four_bar(&bar, 0.4, "0.4 + t", NULL,
                                 analysis(k / 12 ? "inverse-dynamics" : "kinematics", k / 6 % 2, 62, dt));
    model_run_require(&run);
    for (long row = 0; row < (long)mbs_result_array(run.result, "T")->shape[0]; row++) {
      double wanted[2];
      close_four_bar(&bar, 0.4 + model_run_value(&run, "T", row, 0), wanted);
      assert_close(remainder(model_run_value(&run, "p", row, 1) - wanted[0], 2 * pi), 0, 1e-9);
      assert_close(remainder(model_run_value(&run, "p", row, 2) - wanted[1], 2 * pi), 0, 1e-9);
    }
    model_run_free(&run);
  }
}

static const four_bar parallelogram = {1, 2, 1, 2};

/* A parallelogram remains one through its change points, twice per revolution. */
static void test_parallelogram(void **unused) {
  (void)unused;
  static const double steps[] = {0.01, 0.05, 0.25, 0.37, 2};
  for (int k = 0; k < 10; k++) {
    model_run run =
        run_four_bar(&parallelogram, pi / 2, "pi/2 + 2*pi*t", NULL, analysis("kinematics", k % 2, 4, steps[k / 2]));
    model_run_require(&run);
    for (long row = 0; row < (long)mbs_result_array(run.result, "T")->shape[0]; row++) {
      double angle = pi / 2 + 2 * pi * model_run_value(&run, "T", row, 0);
      assert_close(model_run_value(&run, "p", row, 1), 0, 1e-9);
      assert_close(model_run_value(&run, "p", row, 2), angle, 1e-9);
      assert_close(model_run_value(&run, "pd", row, 2), 2 * pi, 1e-8);
      assert_close(model_run_value(&run, "pdd", row, 2), 0, 1e-6);
    }
    model_run_free(&run);
  }
}

/* The weights load the crank by (1/2 + 2 + 3/2) g cos(angle) m. The pin forces have no limit at the change points,
 * where a row ends the run. */
static void test_parallelogram_under_load(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    model_run run =
        run_four_bar(&parallelogram, pi / 2, "pi/2 + 2*pi*t", NULL, analysis("inverse-dynamics", f, 4, 0.0371));
    model_run_require(&run);
    const mbs_array *multipliers = mbs_result_array(run.result, "Lam");
    for (long row = 0; row < (long)multipliers->shape[0]; row++) {
      double angle = pi / 2 + 2 * pi * model_run_value(&run, "T", row, 0);
      assert_close(model_run_value(&run, "Lam", row, mbs_array_columns(multipliers) - 1), 4 * g * cos(angle), 1e-6);
    }
    assert_true(run.result->report.energy_change_max < 1e-6);
    model_run_free(&run);
    run = run_four_bar(&parallelogram, pi / 2, "pi/2 + 2*pi*t", NULL, analysis("inverse-dynamics", f, 4, 0.05));
    assert_int_equal(run.status, MBS_SINGULAR_POSITION);
    assert_close(run.error.time, 0.25, 1e-9);
    assert_non_null(strstr(run.error.message, "without bound there"));
    assert_int_equal(mbs_result_array(run.result, "T")->shape[0], 5);
    model_run_free(&run);
  }
}

/* A row of dynamics exactly at a change point, or within rounding of it, where multipliers are unbounded, gets a note
 * that it is unreliable; neighbouring rows need no note. */
static void test_row_at_a_change_point(void **unused) {
  (void)unused;
  static const char *const functions[] = {"pi/2 + 2*pi*t", "pi/2 + 2*pi*(t + 1e-9)", "pi/2 + 2*pi*(t - 1e-11)",
                                          "pi/2 + 2*pi*(t + 3e-6)"};
  for (size_t k = 0; k < 16; k++) {
    const bool at = k / 8;
    model_run run = run_four_bar(&parallelogram, pi / 2, functions[k / 2 % 4], NULL,
                                 analysis("dynamics", k % 2, 0.4, at ? 0.05 : 0.0371));
    model_run_require(&run);
    const char *note = models_note(run.result, "may be inaccurate or unbounded");
    assert_true((note != NULL) == at);
    if (note) assert_non_null(strstr(note, "at 1 reporting time, first at t = 0.25"));
    model_run_free(&run);
  }
}

/* A rocker that is too long by 1e-10 to 1e-3: the branches come close, and the rocker reverses. A rocker that is too
 * short: the crank cannot pass. */
static void test_all_but_a_parallelogram(void **unused) {
  (void)unused;
  for (int k = 0; k < 16; k++) {
    double excess = pow(10, -10 + k / 2);
    four_bar bar = parallelogram;
    bar.rocker += excess;
    model_run run = run_four_bar(&bar, 1, "1 + 2*pi*t", NULL, analysis("kinematics", k % 2, 1, k % 3 ? 0.1 : 0.5));
    model_run_require(&run);
    assert_close(model_run_value(&run, "p", -1, 0) - model_run_value(&run, "p", 0, 0), 2 * pi, 1e-9);
    assert_close(model_run_value(&run, "p", -1, 2), model_run_value(&run, "p", 0, 2), 1e-9);
    model_run_free(&run);
    bar.rocker = 1 - excess;
    run = run_four_bar(&bar, 1, "1 + 2*pi*t", NULL, analysis("kinematics", k % 2, 1, k % 3 ? 0.1 : 0.5));
    assert_true(run.status == MBS_SINGULAR_POSITION || run.status == MBS_LOCK_UP);
    /* The crank's tip is farthest from D when coupler and rocker are in line. */
    double farthest = acos((1 + 4 - (3 - excess) * (3 - excess)) / 4);
    assert_close(run.error.time, (farthest - 1) / (2 * pi), 1e-6);
    model_run_free(&run);
  }
}

/* Two branches start at a change point; initial velocities select one, and the first row is its limit. */
static void test_start_at_a_change_point(void **unused) {
  (void)unused;
  static const double velocities[][2] = {{-1, 1}, {-3, -3}};
  for (int k = 0; k < 2; k++) {
    model_run run = run_four_bar(&parallelogram, 0, "t", velocities[k], analysis("kinematics", 0, 1, 0.05));
    model_run_require(&run);
    for (long row = 0; row < 21; row++) {
      double t = 0.05 * (double)row; /* antiparallelogram: tan(rocker/2) = -3 tan(crank/2) */
      assert_close(model_run_value(&run, "p", row, 2), k ? -2 * atan(3 * tan(t / 2)) : t, 1e-8);
    }
    assert_close(model_run_value(&run, "pd", 0, 2), k ? -3 : 1, 1e-7);
    model_run_free(&run);
  }
}

/* A slider-crank with equal crank and rod, started far from the position where they overlap. Its correction ends near
 * that position, at a distance of the root of its own tolerance, which a note reports. */
static void test_start_near_a_change_point(void **unused) {
  MODEL(folded,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.1, "points": {"O": [-0.25, 0], "A": [0.25, 0]}},
         {"name": "b", "mass": 1, "inertia": 0.1, "points": {"A": [-0.25, 0], "B": [0.25, 0]}},
         {"name": "s", "mass": 1, "inertia": 0.1, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "j1", "type": "revolute", "points": ["ground.O", "a.O"], "initial": {"position": 0}},
         {"name": "j2", "type": "revolute", "points": ["a.A", "b.A"], "initial": {"position": 0}},
         {"name": "rail", "type": "translational", "points": ["ground.O", "s.B"],
          "vectors": ["ground.u", "s.u"], "initial": {"position": 1}},
         {"name": "j3", "type": "revolute", "points": ["b.B", "s.B"]}],
       "drivers": [{"name": "d", "type": "joint", "joint": "j1", "function": "%s"}],
       "analysis": {"type": "%s", "formulation": "%s", "t_end": 0.1, "dt": 0.05}});
  (void)unused;
  for (int k = 0; k < 8; k++) {
    const bool far = k / 4;
    model_run run = model_run_text(folded, far ? "pi/4*(1 + t)" : "pi/2*(1 + t)",
                                   k / 2 % 2 ? "kinematics" : "inverse-dynamics", formulations[k % 2]);
    model_run_require(&run);
    assert_true((models_note(run.result, "close to a singular position") != NULL) == !far);
    model_run_free(&run);
  }
}

/* A parallelogram that starts in a line and rotates freely: each pin bears the inertia of the bodies behind it. */
static void test_free_start_at_a_change_point(void **unused) {
  static const double carried[] = {-2, -1, -2, -1};
  MODEL(parallel,
      {"space": "planar", "gravity": [0, 0],
       "ground": {"points": {"O": [0, 0], "X": [2, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.1, "points": {"O": [-0.25, 0], "A": [0.25, 0]}},
         {"name": "b", "mass": 1, "inertia": 0.1, "points": {"A": [-1, 0], "B": [1, 0]}},
         {"name": "c", "mass": 1, "inertia": 0.1, "points": {"O": [-0.25, 0], "B": [0.25, 0]}}],
       "joints": [
         {"name": "j1", "type": "revolute", "points": ["ground.O", "a.O"],
          "initial": {"position": 0, "velocity": 2}},
         {"name": "j2", "type": "revolute", "points": ["a.A", "b.A"],
          "initial": {"position": 0, "velocity": -2}},
         {"name": "j3", "type": "revolute", "points": ["ground.X", "c.O"],
          "initial": {"position": 0, "velocity": 2}},
         {"name": "j4", "type": "revolute", "points": ["c.B", "b.B"]}],
       "analysis": {"type": "dynamics", "formulation": "%s", "t_end": 1, "dt": 0.1}});
  (void)unused;
  for (int f = 0; f < 2; f++) {
    model_run run = model_run_text(parallel, formulations[f]);
    model_run_require(&run);
    assert_null(models_note(run.result, "may be inaccurate or unbounded"));
    for (long j = 0; j < 4; j++) {
      assert_close(model_run_value(&run, "reactions", 0, 3 * j), carried[j], 1e-6);
      assert_close(model_run_value(&run, "reactions", 0, 3 * j + 1), 0, 1e-6);
    }
    model_run_free(&run);
  }
}

/* A crank that reverses, stops its rise or begins another piece of its function at a change point. */
static void test_functions_that_change_there(void **unused) {
  (void)unused;
  static const char *const functions[] = {"pi/2*(2 - abs(t - 1))", "if(t < 1, pi/2*(1 + t), pi/2*(3 - t))",
                                          "if(t < 1, pi/2*(1 + t), pi + t - 1)"};
  static const double ends[] = {pi / 2, pi / 2, pi + 1};
  for (int k = 0; k < 12; k++) {
    model_run run = run_four_bar(&parallelogram, pi / 2, functions[k % 3], NULL,
                                 analysis("kinematics", k / 3 % 2, 2, k / 6 ? 0.25 : 0.3));
    model_run_require(&run);
    for (long row = 0; row < (long)mbs_result_array(run.result, "T")->shape[0]; row++) {
      assert_close(model_run_value(&run, "p", row, 1), 0, 1e-8);
      assert_close(model_run_value(&run, "p", row, 2), model_run_value(&run, "p", row, 0), 1e-8);
    }
    if (k / 6) assert_close(model_run_value(&run, "p", -1, 2), ends[k % 3], 1e-8);
    model_run_free(&run);
  }
}

/* Parallelograms in a row, each driven by the one before, lose rank simultaneously. */
static void test_parallelograms_in_a_row(void **unused) {
  (void)unused;
  for (int k = 0; k < 8; k++) {
    text_list *points = list_open(), *bodies = list_open(), *joints = list_open();
    int loops = 2 + k / 2;
    MODEL(crank,
        {"name": "c%d", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]},
         "initial": {"position": [%.17g, %.17g], "angle": 1}});
    MODEL(coupler,
        {"name": "k%d", "mass": 1, "inertia": 0.2, "points": {"A": [-0.75, 0], "B": [0.75, 0]},
         "initial": {"position": [%.17g, %.17g]}});
    for (int i = 0; i <= loops; i++) {
      double x = 1.5 * i, s = sin(1), c = cos(1);
      list_add(points, PART("G%d": [%.17g, 0]), i, x);
      list_add(bodies, crank, i, x + c / 2, s / 2);
      list_add(joints, JSON({"name": "g%d", "type": "revolute", "points": ["ground.G%d", "c%d.A"]}), i, i, i);
      if (i == 0) continue;
      list_add(bodies, coupler, i, x - 0.75 + c, s);
      list_add(joints, JSON({"name": "a%d", "type": "revolute", "points": ["c%d.B", "k%d.A"]}), i, i - 1, i);
      list_add(joints, JSON({"name": "b%d", "type": "revolute", "points": ["k%d.B", "c%d.B"]}), i, i, i);
    }
    text_list *motion = list_open();
    list_add(motion, "%s", analysis("kinematics", k % 2, 1, 0.1));
    MODEL(parallelograms_in_a_row,
        {"space": "planar", "gravity": [0, 0],
         "ground": {"points": {%s}},
         "bodies": [%s],
         "joints": [%s],
         "drivers": [{"name": "m", "type": "joint", "joint": "g0", "function": "1 + 2*pi*t"}],
         "analysis": %s});
    char *document = list_fill(parallelograms_in_a_row, points, bodies, joints, motion);
    model_run run = model_run_text("%s", document);
    free(document);
    model_run_require(&run);
    for (size_t i = 1; i <= (size_t)loops; i++)
      assert_close(model_run_value(&run, "p", -1, 2 * i - 1), 1 + 2 * pi, 1e-7);
    model_run_free(&run);
  }
}

/* A link with constant rotation, driven by the x (or y) of its tip through its dead points: without weight only its pin
 * force is not zero. */
static void test_tip_through_its_dead_points(void **unused) {
  (void)unused;
  for (int k = 0; k < 4; k++) {
    MODEL(tip_through_its_dead_points,
        {"space": "planar", "gravity": [0, 0],
         "ground": {"points": {"O": [0, 0]}},
         "bodies": [{"name": "a", "mass": 2, "inertia": 0.3, "points": {"O": [0, 0], "T": [1, 0]}}],
         "joints": [
           {"name": "O", "type": "revolute", "points": ["ground.O", "a.O"], "initial": {"position": 1}}],
         "drivers": [{"name": "m", "type": "%s", "point": "a.T", "function": "%s(1 + 3*t)"}],
         "analysis": %s});
    model_run run = model_run_text(tip_through_its_dead_points, k / 2 ? "y" : "x", k / 2 ? "sin" : "cos",
                                   analysis("inverse-dynamics", k % 2, 3, 0.1));
    model_run_require(&run);
    for (long row = 0; row < 31; row++) {
      assert_close(model_run_value(&run, "p", row, 0), 1 + 0.3 * (double)row, 1e-9);
      assert_close(model_run_value(&run, "Lam", row, k % 2 ? 2 : 0), 0, 1e-6);
    }
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tip_through_its_dead_points),
      cmocka_unit_test(test_functions_that_change_there),
      cmocka_unit_test(test_parallelograms_in_a_row),
      cmocka_unit_test(test_equal_slider_crank),
      cmocka_unit_test(test_effort_has_a_limit),
      cmocka_unit_test(test_branch_at_any_step),
      cmocka_unit_test(test_parallelogram),
      cmocka_unit_test(test_parallelogram_under_load),
      cmocka_unit_test(test_row_at_a_change_point),
      cmocka_unit_test(test_all_but_a_parallelogram),
      cmocka_unit_test(test_start_at_a_change_point),
      cmocka_unit_test(test_free_start_at_a_change_point),
      cmocka_unit_test(test_start_near_a_change_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
