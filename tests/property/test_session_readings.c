/* Readings of a session for a drawing: velocities of the motion along the degree of freedom against differences of
 * positions, all quantities of a played motion against the arrays of a run, instant centres and the sweep of a
 * mechanism against its geometry. Reading allocates nothing and leaves every bit of the motion unchanged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "equations/jacobian.h"
#include "interactive/session.h"
#include "models.h"

enum { NUMBERS_MAX = 4000 };
static const double full_turn = 6.283185307179586;
static const char *const formulations[] = {"joint", "body"};

/* A model in one formulation, and a session of it. */
typedef struct stage {
  const char *name, *formulation;
  mbs_model *model;
  mbs_session *session;
  size_t dim, points;
} stage;

static stage open_stage(const char *name, const char *text, const char *formulation) {
  mbs_error error = {0};
  char *analysis =
      models_text("{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"formulation\": \"%s\"}", formulation);
  stage out = {.name = name, .formulation = formulation, .model = models_build(text, analysis)};
  free(analysis);
  out.session = mbs_session_new(out.model, NULL, &error);
  if (!out.session) fail_msg("%s %s: %s", name, formulation, error.message);
  out.dim = (size_t)out.model->dim;
  out.points = out.dim * out.model->nP;
  assert_true(out.points < NUMBERS_MAX);
  return out;
}

static void close_stage(stage *self) {
  mbs_session_free(self->session);
  mbs_model_free(self->model);
}

/* Returns the first point of the scene with this name, "body.point". */
static size_t point_of(const stage *self, const char *name) {
  mbs_arena *arena = mbs_arena_new(0);
  const mbs_scene *scene = mbs_model_scene(self->model, arena);
  size_t found = scene->point_count;
  for (size_t p = 0; p < scene->point_count; p++) {
    char own[200];
    snprintf(own, sizeof own, "%s.%s", scene->bodies[scene->points[p].body].name, scene->points[p].name);
    if (strcmp(own, name) == 0) found = p;
  }
  assert_true(found < scene->point_count);
  mbs_arena_free(arena);
  return found;
}

static const double *place_of(const stage *self, size_t point) {
  return mbs_session_points(self->session, 0) + self->dim * point;
}

static double length_of(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* Drags the first point of body number 1 of the session. */
static void pull_about(stage *self) {
  const double at[3] = {0.1 * self->session->constants->extent, 0, 0};
  double target[3], distance;
  memcpy(target, mbs_session_centres(self->session, 0), self->dim * sizeof *target);
  for (size_t k = 0; k < self->dim; k++) target[k] += 0.03 * self->session->constants->extent * (double)(k + 1);
  mbs_session_drag(self->session, 1, at, target, 0, &distance);
}

/* ---- the motion along the degree of freedom -------------------------------------------------------------------- */

/* Checks that velocities are in the ratio of the displacements of points and mass centres in a short step of the sweep,
 * and that the largest is 1. */
static bool compare_with_step(stage *self) {
  mbs_session *session = self->session;
  size_t centres = self->dim * self->model->nB, count = self->points + centres;
  double before[2 * NUMBERS_MAX], rates[2 * NUMBERS_MAX], most = 0, fastest = 0, worst = 0;
  size_t allocated = allocations_made();
  if (mbs_session_take_unit_motion(session) != MBS_OK) return false;
  memcpy(rates, mbs_session_points(session, 1), self->points * sizeof *rates);
  memcpy(rates + self->points, mbs_session_centres(session, 1), centres * sizeof *rates);
  memcpy(before, mbs_session_points(session, 0), self->points * sizeof *before);
  memcpy(before + self->points, mbs_session_centres(session, 0), centres * sizeof *before);
  assert_null(mbs_session_points(session, 2));
  assert_null(mbs_session_reactions(session));
  assert_int_equal(mbs_session_sweep_begin(session, 1e-5), MBS_OK);
  if (mbs_session_sweep_next(session) != MBS_SWEEP_MOVED) return false;
  assert_null(mbs_session_points(session, 1));
  assert_int_equal(allocations_made(), allocated);
  const double *points = mbs_session_points(session, 0), *bodies = mbs_session_centres(session, 0);
  for (size_t i = 0; i < count; i++) before[i] = (i < self->points ? points[i] : bodies[i - self->points]) - before[i];
  for (size_t i = 0; i < count; i += self->dim) {
    most = fmax(most, length_of(before + i, self->dim));
    fastest = fmax(fastest, length_of(rates + i, self->dim));
  }
  if (fastest < 1e-9) return false; /* shafts that only rotate about their own axes */
  assert_true(most > 0 && fabs(fastest - 1) < 1e-12);
  for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs(before[i] / most - rates[i]));
  if (!(worst < 1e-3)) fail_msg("%s %s: a velocity differs by %g", self->name, self->formulation, worst);
  return true;
}

/* Compares before and after a drag in every model with a single degree of freedom. */
static void test_unit_motion_is_a_difference_of_positions(void **state) {
  (void)state;
  glob_t found;
  size_t compared = 0;
  assert_int_equal(glob("models/*.json", 0, NULL, &found), 0);
  for (size_t i = 0; i < 2 * found.gl_pathc; i += MODELS_EVERY) {
    const char *path = found.gl_pathv[i / 2];
    char *text = models_file(path);
    stage self = open_stage(path, text, formulations[i % 2]);
    if (mbs_session_mobility(self.session) == 1) {
      compared += compare_with_step(&self);
      pull_about(&self);
      compared += compare_with_step(&self);
    }
    close_stage(&self);
    free(text);
  }
  globfree(&found);
  print_message("%zu motions compared\n", compared);
  assert_true(compared > 120 / MODELS_EVERY);
}

/* The drag determines the motion if there are several degrees of freedom; without any there is no motion. */
static void test_freedoms_without_a_direction(void **state) {
  (void)state;
  char *text = models_named("FiveBar");
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("FiveBar", text, formulations[f]);
    assert_int_equal(mbs_session_mobility(self.session), 2);
    assert_int_equal(mbs_session_take_unit_motion(self.session), MBS_LOCK_UP);
    assert_null(mbs_session_points(self.session, 1));
    assert_null(mbs_session_instant_centres(self.session));
    assert_int_equal(mbs_session_sweep_begin(self.session, 0.1), MBS_OUT_OF_RANGE);
    size_t point = point_of(&self, "left_arm.B");
    double before[2], after[2], distance;
    for (int k = 0; k < 5; k++) { /* in a straight line, in small steps */
      memcpy(before, place_of(&self, point), sizeof before);
      const double target[2] = {before[0] + 1e-3, before[1] + 5e-4};
      assert_int_equal(mbs_session_drag(self.session, 2, self.session->constants->points[point], target, 0, &distance),
                       MBS_OK);
      memcpy(after, place_of(&self, point), sizeof after);
    }
    assert_int_equal(mbs_session_take_unit_motion(self.session), MBS_OK);
    const double *v = mbs_session_points(self.session, 1) + 2 * point;
    double along = v[0] * (after[0] - before[0]) + v[1] * (after[1] - before[1]);
    assert_true(along > 0.99 * length_of(v, 2) * hypot(after[0] - before[0], after[1] - before[1]));
    close_stage(&self);
  }
  free(text);
}

/* Kennedy's theorem: three centres are in line. That of a coupler is where the lines of crank and rocker meet, those of
 * the other two are their pivots. If the lines are parallel it is far away. */
static void test_instant_centres_of_a_four_bar(void **state) {
  (void)state;
  char *text = models_named("FourBar");
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("FourBar", text, formulations[f]);
    size_t A = point_of(&self, "crank.B"), B = point_of(&self, "rocker.A");
    size_t seen = 0, far = 0;
    assert_int_equal(mbs_session_sweep_begin(self.session, 0.01), MBS_OK);
    for (mbs_sweep_result end = MBS_SWEEP_MOVED; end == MBS_SWEEP_MOVED; end = mbs_session_sweep_next(self.session)) {
      assert_int_equal(mbs_session_take_unit_motion(self.session), MBS_OK);
      const double *centre = mbs_session_instant_centres(self.session);
      double a[2], b[2];
      memcpy(a, place_of(&self, A), sizeof a);
      memcpy(b, place_of(&self, B), sizeof b);
      assert_true(hypot(centre[0], centre[1]) < 1e-9);
      assert_true(isnan(centre[4]) || hypot(centre[4] - 0.9, centre[5]) < 1e-6); /* the rocker stops at a limit */
      if (isnan(centre[2])) {
        far++;
        continue;
      }
      seen++;
      double size = hypot(centre[2], centre[3]) + 1;
      assert_true(fabs(centre[2] * a[1] - centre[3] * a[0]) < 1e-9 * size);
      assert_true(fabs((centre[2] - 0.9) * b[1] - centre[3] * (b[0] - 0.9)) < 1e-9 * size);
    }
    assert_true(seen > 600 && far < seen / 10);
    close_stage(&self);
  }
  free(text);
}

/* ---- sweeps --------------------------------------------------------------------------------------------------- */

/* Runs a sweep round, or to the end of a side. Returns the angle of the point about a place on the way, and the number
 * of positions. Checks the constraints at each. */
static mbs_sweep_result go_round(stage *self, size_t point, const double about[2], double *turned, size_t *count) {
  mbs_system *system = self->session->run.system;
  const double *at = place_of(self, point);
  double last = atan2(at[1] - about[1], at[0] - about[0]);
  *turned = 0;
  *count = 0;
  assert_int_equal(mbs_session_sweep_begin(self->session, 0.03), MBS_OK);
  size_t allocated = allocations_made();
  mbs_sweep_result end = MBS_SWEEP_MOVED;
  while (end == MBS_SWEEP_MOVED) {
    end = mbs_session_sweep_next(self->session);
    at = place_of(self, point);
    double now = atan2(at[1] - about[1], at[0] - about[0]);
    if (end != MBS_SWEEP_REVERSED) *turned += remainder(now - last, full_turn);
    last = now;
    (*count)++;
    mbs_constraints(system, MBS_WANT_PHI);
    for (size_t r = 0; r < self->model->rows; r++) assert_true(fabs(system->Phi[r]) < 1e-9);
  }
  if (end == MBS_SWEEP_CLOSED) assert_int_equal(allocations_made(), allocated);
  return end;
}

static void test_sweeps_close(void **state) {
  (void)state;
  static const struct { const char *model, *point; } cranks[] = {{"FourBar", "crank.B"}, {"SC", "crank.A"}};
  for (size_t i = 0; i < 2 * 2; i++) {
    char *text = models_named(cranks[i / 2].model);
    stage self = open_stage(cranks[i / 2].model, text, formulations[i % 2]);
    double turned;
    size_t count;
    mbs_sweep_result end =
        go_round(&self, point_of(&self, cranks[i / 2].point), (const double[]){0, 0}, &turned, &count);
    print_message("%s %s: %zu positions, turned by %.4f\n", self.name, self.formulation, count, turned);
    assert_int_equal(end, MBS_SWEEP_CLOSED);
    assert_true(fabs(fabs(turned) - full_turn) < 0.05);
    close_stage(&self);
    free(text);
  }
  char *text = models_strandbeest(12);
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("Strandbeest", text, formulations[f]);
    double turned;
    size_t count;
    mbs_sweep_result end = go_round(&self, point_of(&self, "crank.P1"), (const double[]){0, 0}, &turned, &count);
    print_message("%s %s: %zu positions, turned by %.4f\n", self.name, self.formulation, count, turned);
    assert_int_equal(end, MBS_SWEEP_CLOSED);
    assert_true(fabs(fabs(turned) - full_turn) < 0.05);
    close_stage(&self);
  }
  free(text);
}

MODEL(slider, {"space": "planar", "gravity": [0, 0],
               "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
               "bodies": [{"name": "block", "mass": 1, "inertia": 1, "points": {"P": [0, 0]},
                           "vectors": {"u": [1, 0]}}],
               "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "block.P"],
                           "vectors": ["ground.u", "block.u"]}]});

/* A sweep that never returns goes to both sides. */
static void test_a_sweep_without_an_end(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("slider", slider, formulations[f]);
    size_t point = point_of(&self, "block.P");
    double turned;
    size_t count;
    assert_int_equal(go_round(&self, point, (const double[]){0, -1}, &turned, &count), MBS_SWEEP_REVERSED);
    assert_true(fabs(place_of(&self, point)[0]) < 1e-12);
    assert_int_equal(mbs_session_sweep_next(self.session), MBS_SWEEP_MOVED);
    assert_true(place_of(&self, point)[0] * turned > 0); /* a counterclockwise rotation moves towards negative x */
    mbs_sweep_result end = MBS_SWEEP_MOVED;
    while (end == MBS_SWEEP_MOVED) end = mbs_session_sweep_next(self.session);
    assert_int_equal(end, MBS_SWEEP_DONE);
    close_stage(&self);
  }
}

/* ---- played motions -------------------------------------------------------------------------------------------- */

static void expect_array(const char *name, const char *array, const double *got, const double *expected, size_t count,
                         double tolerance) {
  assert_non_null(got);
  for (size_t i = 0; i < count; i++)
    if (!(fabs(got[i] - expected[i]) <= tolerance * (1 + fabs(expected[i]))))
      fail_msg("%s, %s[%zu]: %.9g, not %.9g", name, array, i, got[i], expected[i]);
}

/* Compares the rows of a run with the same motion in slices of a session, read at each slice. */
static void compare_with_run(const char *name, double slice, double tolerance) {
  char *text = models_named(name);
  for (int f = 0; f < 2; f++) {
    char *analysis = models_text("{\"type\": \"dynamics\", \"t_end\": %.17g, \"dt\": %.17g, \"formulation\": \"%s\"}",
                                 20 * slice, slice, formulations[f]);
    mbs_result *result = models_run(text, analysis);
    mbs_error error;
    mbs_model *model = models_build(text, analysis);
    mbs_session *session = mbs_session_new(model, NULL, &error);
    size_t dim = (size_t)model->dim;
    for (size_t row = 1; row <= 20; row++) {
      assert_int_equal(mbs_session_step(session, slice, NULL), MBS_OK);
      assert_int_equal(mbs_session_evaluate(session), MBS_OK);
      static const char *const of_points[] = {"rP", "rPd", "rPdd"}, *const of_centres[] = {"r", "rd", "rdd"};
      for (int level = 0; level < 3; level++) {
        double allowed = tolerance * (level == 0 ? 1 : level == 1 ? 10 : 1000);
        expect_array(name, of_points[level], mbs_session_points(session, level),
                     models_row(result, of_points[level], row), dim * model->nP, allowed);
        expect_array(name, of_centres[level], mbs_session_centres(session, level),
                     models_row(result, of_centres[level], row), dim * model->nB, allowed);
      }
    }
    mbs_session_free(session);
    mbs_model_free(model);
    mbs_result_free(result);
    free(analysis);
  }
  free(text);
}

static void test_a_played_motion_is_that_of_a_run(void **state) {
  (void)state;
  compare_with_run("FourBar", 0.02, 1e-6);
  compare_with_run("SCd", 0.01, 1e-6);
  compare_with_run("Bricard", 0.02, 1e-6);
}

/* A block of 2 kg on a rail with a load of 6 N. Dry friction of at most 20 N keeps it at rest, also after it was moved
 * manually; with at most 5 N it accelerates at 1/2 m/s^2. */
static void test_what_sticks(void **state) {
  (void)state;
  MODEL(held,
      {"space": "planar", "gravity": [3, -9],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
          "vectors": ["ground.u", "b.u"]}],
       "forces": [{"name": "dry", "type": "force", "body": "b", "value": ["-%g*sign(b.vx)", 0]}]});
  for (int n = 0; n < 4; n++) {
    const double bound = n / 2 ? 5 : 20, rate = n / 2 ? 0.5 : 0, friction = n / 2 ? -5 : -6;
    char *text = models_text(held, bound);
    stage self = open_stage("held", text, formulations[n % 2]);
    for (int k = 0; k < 3; k++) {
      assert_int_equal(mbs_session_evaluate(self.session), MBS_OK);
      assert_true(fabs(mbs_session_centres(self.session, 2)[0] - rate) < 1e-13);
      assert_true(fabs(mbs_session_forces(self.session)[0] - friction) < 1e-12);
      assert_int_equal(k == 1 ? mbs_session_take_unit_motion(self.session) : mbs_session_assemble(self.session),
                       MBS_OK);
    }
    assert_int_equal(mbs_session_step(self.session, 0.1, NULL), MBS_OK);
    assert_int_equal(mbs_session_evaluate(self.session), MBS_OK);
    assert_true(fabs(mbs_session_centres(self.session, 2)[0] - rate) < 1e-12);
    close_stage(&self);
    free(text);
  }
}

/* The reported forces of springs and contacts are magnitudes; their directions are those of the drawing. */
static void test_forces(void **state) {
  (void)state;
  char *text = models_named("SC"), *ball = models_named("BouncingBall");
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("SC", text, formulations[f]);
    assert_null(mbs_session_forces(self.session));
    for (int k = 0; k < 10; k++) assert_int_equal(mbs_session_step(self.session, 0.01, NULL), MBS_OK);
    assert_int_equal(mbs_session_evaluate(self.session), MBS_OK);
    const mbs_system *system = self.session->run.system;
    double reactions[60], power = system->power_work;
    memcpy(reactions, mbs_session_reactions(self.session), 3 * self.model->joint_count * sizeof *reactions);
    size_t allocated = allocations_made(), springs = 0;
    const double *pushed = mbs_session_forces(self.session);
    assert_int_equal(allocations_made(), allocated);
    for (size_t i = 0; i < self.model->force_count; i++) {
      const mbs_force *force = &self.model->forces[i];
      if (strcmp(force->cls->base.name, "spring-damper") != 0) continue;
      const double *one = mbs_session_points(self.session, 0) + 2 * force->frames.point1;
      const double *two = mbs_session_points(self.session, 0) + 2 * force->frames.point2;
      double tension = system->outputs[force->first_output], l = hypot(two[0] - one[0], two[1] - one[1]);
      for (int k = 0; k < 2; k++) /* tension acts on the second point towards the first */
        assert_true(fabs(pushed[2 * i + (size_t)k] + tension * (two[k] - one[k]) / l) < 1e-12 * (1 + fabs(tension)));
      springs += fabs(tension) > 1e-3;
    }
    assert_true(springs > 0);
    /* an earlier reading gives the same again */
    assert_true(system->power_work == power);
    expect_array("SC", "reactions", mbs_session_reactions(self.session), reactions, 3 * self.model->joint_count, 0);
    close_stage(&self);

    self = open_stage("BouncingBall", ball, formulations[f]);
    size_t touched = 0;
    const double tilt = 5 * full_turn / 360;
    for (int k = 0; k < 400; k++) {
      assert_int_equal(mbs_session_step(self.session, 0.005, NULL), MBS_OK);
      assert_int_equal(mbs_session_evaluate(self.session), MBS_OK);
      const mbs_force *force = &self.model->forces[0];
      const double *push = mbs_session_forces(self.session);
      double normal = self.session->run.system->outputs[force->first_output];
      assert_true(fabs(push[0] * sin(tilt) + push[2] * cos(tilt) - normal) <= 1e-9 * (1 + normal));
      touched += normal > 0;
    }
    assert_true(touched > 0);
    close_stage(&self);
  }
  free(text);
  free(ball);
}

/* A session reports as many redundant rows as a run, with names. */
static void test_redundant_rows_are_reported(void **state) {
  (void)state;
  char *text = models_named("Bricard");
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("Bricard", text, formulations[f]);
    const mbs_report *report = mbs_session_report(self.session);
    size_t named = 0;
    for (size_t r = 0; r < report->rows; r++)
      named += report->constraints[r].redundant && report->constraints[r].label[0] != 0;
    assert_int_equal(report->redundant_count, 1);
    assert_int_equal(named, 1);
    close_stage(&self);
  }
  free(text);
}

static void test_mass_centre(void **state) {
  (void)state;
  char *text = models_named("FourBar");
  stage self = open_stage("FourBar", text, "joint");
  const double *r = mbs_session_centres(self.session, 0), *all = mbs_session_mass_centre(self.session);
  for (int k = 0; k < 2; k++) assert_true(fabs(all[k] - (r[k] + 2 * r[2 + k] + 1.5 * r[4 + k]) / 4.5) < 1e-12);
  close_stage(&self);
  free(text);
}

/* Reads between the slices of a motion, and between drags. */
static void test_reading_changes_nothing(void **state) {
  (void)state;
  static const char *const names[] = {"FourBar", "BouncingBall", "SCd", "McPherson"};
  for (size_t i = 0; i < 8; i++) {
    char *text = models_named(names[i / 2]);
    stage read = open_stage(names[i / 2], text, formulations[i % 2]);
    stage plain = open_stage(names[i / 2], text, formulations[i % 2]);
    for (int k = 0; k < 60; k++) {
      if (k == 30) pull_about(&read), pull_about(&plain);
      mbs_status status = mbs_session_step(read.session, 0.01, NULL);
      assert_int_equal(mbs_session_step(plain.session, 0.01, NULL), status);
      mbs_session_take_unit_motion(read.session);
      assert_memory_equal(mbs_session_points(read.session, 0), mbs_session_points(plain.session, 0),
                          read.points * sizeof(double));
    }
    close_stage(&read);
    close_stage(&plain);
    free(text);
  }
}

int main(void) {
  allocations_start();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_unit_motion_is_a_difference_of_positions),
                                     cmocka_unit_test(test_freedoms_without_a_direction),
                                     cmocka_unit_test(test_instant_centres_of_a_four_bar),
                                     cmocka_unit_test(test_sweeps_close),
                                     cmocka_unit_test(test_a_sweep_without_an_end),
                                     cmocka_unit_test(test_a_played_motion_is_that_of_a_run),
                                     cmocka_unit_test(test_forces),
                                     cmocka_unit_test(test_what_sticks),
                                     cmocka_unit_test(test_redundant_rows_are_reported),
                                     cmocka_unit_test(test_mass_centre),
                                     cmocka_unit_test(test_reading_changes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
