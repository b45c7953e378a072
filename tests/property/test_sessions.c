/* Sessions: response of mechanisms to mouse paths, in both formulations. The distance to the target is compared with
 * the nearest place that the point can have, and every frame with the one before; residuals alone would also be small
 * if a mechanism ran away. A call that fails leaves the session unchanged. */
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
#include "property/binding.h"

enum { FRAMES = 240 };
static const double pi = 3.14159265358979323846;

/* ---- a session with its scene ---------------------------------------------------------------------------------- */

typedef struct stage {
  const char *name, *formulation;
  mbs_model *model;
  mbs_arena *arena;
  const mbs_scene *scene;
  mbs_session *session;
  double *before; /* points of the previous frame */
  double stride;  /* largest displacement of a point between two frames [m] */
} stage;

static mbs_model *build(const char *text, const char *formulation) {
  char *analysis =
      models_text("{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"formulation\": \"%s\"}", formulation);
  mbs_model *model = models_build(text, analysis);
  free(analysis);
  return model;
}

static stage open_stage(const char *name, const char *text, const char *formulation) {
  mbs_error error = {0};
  stage out = {.name = name, .formulation = formulation, .model = build(text, formulation), .arena = mbs_arena_new(0)};
  out.scene = mbs_model_scene(out.model, out.arena);
  out.session = mbs_session_new(out.model, NULL, &error);
  if (!out.session) fail_msg("%s %s: %s", name, formulation, error.message);
  out.before = mbs_arena_alloc(out.arena, 3 * out.scene->point_count + 1, sizeof *out.before);
  return out;
}

static void close_stage(stage *self) {
  mbs_session_free(self->session);
  mbs_arena_free(self->arena);
  mbs_model_free(self->model);
}

/* Returns the point of the scene with this name, "body.point". */
static size_t point_of(const stage *self, const char *name) {
  for (size_t p = 0; p < self->scene->point_count; p++) {
    const mbs_scene_place *place = &self->scene->points[p];
    char own[200];
    snprintf(own, sizeof own, "%s.%s", self->scene->bodies[place->body].name, place->name);
    if (strcmp(own, name) == 0) return p;
  }
  fail_msg("%s has no point %s", self->name, name);
  return 0;
}

static const double *place_of(const stage *self, size_t point) {
  return mbs_session_points(self->session, 0) + (size_t)self->scene->dim * point;
}

static double distance_of(const double *a, const double *b, int dim) {
  double sum = 0;
  for (int k = 0; k < dim; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(sum);
}

/* Checks that the constraints hold and that no point jumped. */
static void check_frame(stage *self, double longest) {
  const mbs_model *model = self->model;
  mbs_system *system = self->session->run.system;
  size_t count = self->scene->point_count, dim = (size_t)self->scene->dim;
  const double *points = mbs_session_points(self->session, 0);
  mbs_constraints(system, MBS_WANT_PHI);
  for (size_t r = 0; r < model->rows; r++)
    if (!(fabs(system->Phi[r]) < 1e-10 * system->row_units[r])) {
      if (system->active[r] || !(fabs(system->Phi[r]) < 1e-9))
        fail_msg("%s %s: residual %g", self->name, self->formulation, system->Phi[r]);
    }
  for (size_t p = 0; p < count; p++) {
    double moved = distance_of(points + dim * p, self->before + dim * p, (int)dim);
    self->stride = fmax(self->stride, moved);
    if (!(moved <= longest)) fail_msg("%s %s: a point jumped by %g m", self->name, self->formulation, moved);
  }
  memcpy(self->before, points, count * dim * sizeof *points);
}

/* Drags a point to a place and checks that this allocates nothing. Returns the remaining distance, which must equal the
 * one that the call reports. */
static double pull(stage *self, size_t point, const double *target, double longest) {
  const mbs_scene_place *place = &self->scene->points[point];
  double distance = NAN;
  memcpy(self->before, mbs_session_points(self->session, 0),
         self->scene->point_count * (size_t)self->scene->dim * sizeof *self->before);
  size_t allocated = allocations_made();
  mbs_status status = mbs_session_drag(self->session, (size_t)place->body, place->at, target, 0, &distance);
  assert_int_equal(allocations_made(), allocated);
  if (status != MBS_OK) fail_msg("%s %s: %s", self->name, self->formulation, mbs_session_error(self->session)->message);
  check_frame(self, longest);
  double own = distance_of(place_of(self, point), target, self->scene->dim);
  assert_true(fabs(own - distance) < 1e-12 * (1 + distance));
  return distance;
}

static uint64_t noise;
/* Returns a random number about 0, to imitate an unsteady hand. */
static double jitter(double size) { return size * models_uniform(&noise); }

static const char *const formulations[] = {"joint", "body"};

static void expect_distance(const stage *self, int frame, double distance, double expected, double tolerance) {
  if (!(fabs(distance - expected) <= tolerance))
    fail_msg("%s %s, frame %d: %.9g m from the target, the nearest place is %.9g m from it", self->name,
             self->formulation, frame, distance, expected);
}

/* ---- one degree of freedom ------------------------------------------------------------------------------------- */

/* A pin that rotates about a centre follows the mouse round, as closely as it can. */
static void follow_circle(const char *name, const char *text, const char *point_name, const double centre[2],
                          double radius, double farthest) {
  for (int f = 0; f < 2; f++) {
    stage self = open_stage(name, text, formulations[f]);
    size_t point = point_of(&self, point_name);
    const double *at = place_of(&self, point);
    double start = atan2(at[1] - centre[1], at[0] - centre[0]), turned = 0, last = start;
    noise = 5;
    for (int k = 1; k <= FRAMES; k++) {
      double angle = start + 2 * pi * k / FRAMES + jitter(0.005), r = radius * (1 + jitter(0.3));
      const double target[2] = {centre[0] + r * cos(angle), centre[1] + r * sin(angle)};
      double distance = pull(&self, point, target, farthest);
      expect_distance(&self, k, distance, fabs(r - radius), 1e-4 * radius);
      at = place_of(&self, point);
      double now = atan2(at[1] - centre[1], at[0] - centre[0]);
      turned += remainder(now - last, 2 * pi);
      last = now;
    }
    assert_true(fabs(turned - 2 * pi) < 0.02);
    close_stage(&self);
  }
}

static void test_cranks_turn(void **state) {
  (void)state;
  char *four_bar = models_named("FourBar"), *slider_crank = models_named("SC");
  follow_circle("FourBar", four_bar, "crank.B", (const double[]){0, 0}, 0.3, 0.2);
  follow_circle("SC", slider_crank, "crank.A", (const double[]){0, 0}, 0.12, 0.1);
  free(four_bar);
  free(slider_crank);
}

/* Dragging works equally well for very small and very large mechanisms. */
static void test_sizes(void **state) {
  (void)state;
  static const models_scale scales[] = {{1e-9, 1e-20, 1e-3}, {1e6, 1e12, 10}};
  char *text = models_named("FourBar");
  for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
    char *scaled = models_scaled(text, &scales[k]);
    follow_circle("FourBar of another size", scaled, "crank.B", (const double[]){0, 0}, 0.3 * scales[k].length,
                  0.2 * scales[k].length);
    free(scaled);
  }
  free(text);
}

/* The rocker's pin moves on an arc: it stops at the ends, and returns with the mouse. */
static void test_a_rocker_stops_at_its_limits(void **state) {
  (void)state;
  const double a = 0.3, b = 0.8, c = 0.7, d = 0.9;
  char *text = models_named("FourBar");
  /* angle at C between the ground and the rocker when crank and coupler are in line */
  double near = acos((d * d + c * c - (b - a) * (b - a)) / (2 * d * c));
  double far = acos((d * d + c * c - (b + a) * (b + a)) / (2 * d * c)), middle = (near + far) / 2;
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("FourBar's rocker", text, formulations[f]);
    size_t point = point_of(&self, "rocker.A");
    double worst = 0;
    noise = 6;
    for (int k = 1; k <= 40; k++) { /* in small steps to the start of the path */
      double angle =
          middle + (1 - k / 40.0) * (atan2(place_of(&self, point)[1], d - place_of(&self, point)[0]) - middle);
      pull(&self, point, (const double[]){d - c * cos(angle), c * sin(angle)}, 0.3);
    }
    for (int k = 0; k <= 2 * FRAMES; k++) {
      double angle = middle + (far - near) * sin(2 * pi * k / FRAMES) + jitter(0.01), r = c * (1 + jitter(0.05));
      const double target[2] = {d - r * cos(angle), r * sin(angle)};
      double clamped = fmin(fmax(angle, near), far), distance = pull(&self, point, target, 0.3);
      double nearest = sqrt(r * r + c * c - 2 * r * c * cos(angle - clamped));
      worst = fmax(worst, distance - nearest);
      expect_distance(&self, k, distance, nearest, 0.02);
      if (fabs(angle - middle) < 0.3 * (far - near)) expect_distance(&self, k, distance, nearest, 1e-3);
    }
    print_message("rocker %s: at most %.2g m farther than the nearest place\n", formulations[f], worst);
    close_stage(&self);
  }
  free(text);
}

/* Returns a four-bar of links a (at O), b, c (at C) on a ground of length d, whose link c is at `angle` from the
 * ground. */
static char *four_bar(const double links[4], double angle) {
  const double a = links[0], b = links[1], c = links[2], d = links[3];
  const double B[2] = {d - c * cos(angle), c * sin(angle)}, length = hypot(B[0], B[1]);
  double along = acos((a * a + length * length - b * b) / (2 * a * length)) + atan2(B[1], B[0]);
  const double A[2] = {a * cos(along), a * sin(along)};
  return models_text(
      "{\"space\": \"planar\", \"ground\": {\"points\": {\"O\": [0, 0], \"C\": [%.17g, 0]}}, \"bodies\": ["
      "{\"name\": \"one\", \"mass\": 1, \"inertia\": 0.01, \"points\": {\"A\": [%.17g, 0], \"B\": [%.17g, 0]},"
      " \"initial\": {\"position\": [%.17g, %.17g], \"angle\": %.17g}},"
      "{\"name\": \"coupler\", \"mass\": 2, \"inertia\": 0.02, \"points\": {\"A\": [%.17g, 0], \"B\": [%.17g, 0]},"
      " \"initial\": {\"position\": [%.17g, %.17g], \"angle\": %.17g}},"
      "{\"name\": \"rocker\", \"mass\": 1.5, \"inertia\": 0.01, \"points\": {\"A\": [%.17g, 0], \"B\": [%.17g, 0]},"
      " \"initial\": {\"position\": [%.17g, %.17g], \"angle\": %.17g}}], \"joints\": ["
      "{\"name\": \"O\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"one.A\"]},"
      "{\"name\": \"A\", \"type\": \"revolute\", \"points\": [\"one.B\", \"coupler.A\"]},"
      "{\"name\": \"B\", \"type\": \"revolute\", \"points\": [\"coupler.B\", \"rocker.A\"]},"
      "{\"name\": \"C\", \"type\": \"revolute\", \"points\": [\"ground.C\", \"rocker.B\"]}]}",
      d, -a / 2, a / 2, A[0] / 2, A[1] / 2, along, -b / 2, b / 2, (A[0] + B[0]) / 2, (A[1] + B[1]) / 2,
      atan2(B[1] - A[1], B[0] - A[0]), -c / 2, c / 2, (B[0] + d) / 2, B[1] / 2, -angle);
}

/* Drags the rocker's pin past a limit, on round its circle, and back: it stays at the limit meanwhile. `side`: 1 for
 * the limit at the larger angle. */
static void wait_at_limit(const double links[4], const char *formulation, int side) {
  const double a = links[0], b = links[1], c = links[2], d = links[3], beyond = 250 * pi / 180;
  double far = acos((d * d + c * c - (b + a) * (b + a)) / (2 * d * c));
  double folded =
      (d * d + c * c - (b - a) * (b - a)) / (2 * d * c); /* beyond 1 it swings to both sides of the ground */
  double near = folded > 1 ? -far : acos(folded), middle = (near + far) / 2;
  char *text = four_bar(links, middle);
  stage self = open_stage("double rocker", text, formulation);
  size_t point = point_of(&self, "rocker.A");
  double limit = side > 0 ? far : near, most = fabs(limit - middle) + beyond;
  noise = 11;
  for (int k = 0; k <= 4 * FRAMES; k++) {
    double angle = middle + side * most * (1 - fabs(1 - k / (2.0 * FRAMES))), r = c * (1 + jitter(0.02));
    const double target[2] = {d - r * cos(angle), r * sin(angle)};
    pull(&self, point, target, 0.3);
    const double *at = place_of(&self, point);
    double own = atan2(at[1], d - at[0]), expected = side > 0 ? fmin(angle, far) : fmax(angle, near);
    if (!(fabs(own - expected) < 0.06))
      fail_msg("double rocker %g %g %g %g %s, frame %d: at %g rad, not at %g, with the mouse at %g", a, b, c, d,
               formulation, k, own, expected, angle);
  }
  close_stage(&self);
  free(text);
}

static void test_a_double_rocker_waits_at_its_limits(void **state) {
  (void)state;
  static const double links[][4] = {
      {0.8, 0.3, 0.7, 0.9}, {0.5, 0.4, 0.6, 1.1}, {0.35, 0.4, 0.35, 0.8}, {2, 0.8, 1.7, 2.4}};
  for (size_t k = 0; k < sizeof links / sizeof *links; k++)
    for (int f = 0; f < 2; f++)
      for (int side = -1; side <= 1; side += 2) wait_at_limit(links[k], formulations[f], side);
}

/* A crank-rocker keeps its assembly branch for every jump of the mouse: the pin of its rocker stays on the same side of
 * the line from the crank's pin to the ground. */
static void test_wild_targets_change_no_branch(void **state) {
  (void)state;
  char *text = models_named("FourBar");
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("FourBar", text, formulations[f]);
    size_t crank = point_of(&self, "crank.B"), rocker = point_of(&self, "rocker.A"),
           ground = point_of(&self, "ground.C");
    const size_t pulled[] = {crank, rocker, point_of(&self, "coupler.A"), point_of(&self, "coupler.B")};
    noise = 19;
    for (int k = 0; k < 8 * FRAMES; k++) {
      const double target[2] = {0.5 + jitter(1.5), jitter(1.5)};
      pull(&self, pulled[k % 4], target, 2);
      const double *a = place_of(&self, crank), *b = place_of(&self, rocker), *c = place_of(&self, ground);
      assert_true((c[0] - a[0]) * (b[1] - a[1]) - (c[1] - a[1]) * (b[0] - a[0]) > 0);
    }
    close_stage(&self);
  }
  free(text);
}

/* ---- several degrees of freedom -------------------------------------------------------------------------------- */

static void test_a_five_bar_within_reach_and_beyond(void **state) {
  (void)state;
  char *text = models_named("FiveBar");
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("FiveBar", text, formulations[f]);
    size_t point = point_of(&self, "left_arm.B");
    const double start[2] = {place_of(&self, point)[0], place_of(&self, point)[1]};
    noise = 7;
    for (int k = 0; k <= FRAMES; k++) { /* a circle that the point can follow */
      double angle = 2 * pi * k / FRAMES;
      const double target[2] = {start[0] + 0.1 * (cos(angle) - 1) + jitter(0.002),
                                start[1] + 0.1 * sin(angle) + jitter(0.002)};
      expect_distance(&self, k, pull(&self, point, target, 0.1), 0, 1e-9);
    }
    double distance = 0;
    for (int k = 0; k <= FRAMES; k++) { /* outwards along a line, at whose end both arms are stretched */
      double share = (double)k / FRAMES;
      const double target[2] = {start[0] + share * (0.5 - start[0]) + jitter(0.001), start[1] + share * (3 - start[1])};
      distance = pull(&self, point, target, 0.3);
    }
    for (int k = 0; k < 20; k++) distance = pull(&self, point, (const double[]){0.5, 3}, 0.1);
    expect_distance(&self, 0, distance, 3 - sqrt(1.1 * 1.1 - 0.25), 1e-3);
    for (int k = 0; k <= FRAMES; k++) { /* backwards */
      double share = 1 - (double)k / FRAMES;
      const double target[2] = {start[0] + share * (0.5 - start[0]) + jitter(0.001), start[1] + share * (3 - start[1])};
      distance = pull(&self, point, target, 0.4);
    }
    expect_distance(&self, 1, distance, 0, 2e-3);
    for (int k = 0; k <= FRAMES; k++) { /* beyond the range of the left arms alone */
      double share = (double)k / FRAMES;
      const double target[2] = {start[0] + share * (1.9 * cos(0.5) - start[0]),
                                start[1] + share * (1.9 * sin(0.5) - start[1])};
      distance = pull(&self, point, target, 0.3);
    }
    expect_distance(&self, 2, distance, 0.8, 1e-3);
    close_stage(&self);
  }
  free(text);
}

/* A light arm on a heavy carriage: either could move its tip to the target. */
static void test_heavy_parts_stay(void **state) {
  (void)state;
  MODEL(carriage,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}},
       "bodies": [{"name": "carriage", "mass": 100, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"x": [1, 0]}},
                  {"name": "arm", "mass": 1, "inertia": 0.1, "points": {"P": [0, 0.5], "T": [0, -0.5]},
                   "initial": {"position": [0, -0.5], "angle": 0}}],
       "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "carriage.P"],
                   "vectors": ["ground.x", "carriage.x"]},
                  {"name": "pin", "type": "revolute", "points": ["carriage.P", "arm.P"]}]});
  double at[2] = {0, 0};
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("carriage", carriage, formulations[f]);
    size_t tip = point_of(&self, "arm.T"), seat = point_of(&self, "carriage.P");
    for (int k = 1; k <= 60; k++) {
      const double target[2] = {sin(0.01 * k), -cos(0.01 * k)};
      expect_distance(&self, k, pull(&self, tip, target, 0.1), 0, 1e-5);
    }
    at[f] = place_of(&self, seat)[0];
    assert_true(fabs(at[f]) < 0.02 * sin(0.6));
    close_stage(&self);
  }
  assert_true(fabs(at[0] - at[1]) < 1e-4);
}

/* A chain of thirty links, whose branch is long enough for the recursive formulation. */
static void test_a_chain_by_its_end(void **state) {
  (void)state;
  char *text = models_chain(30, 0.1);
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("chain", text, formulations[f]);
    size_t point = point_of(&self, "rod30.B");
    const double start[2] = {place_of(&self, point)[0], place_of(&self, point)[1]};
    double distance = 0;
    for (int k = 1; k <= FRAMES; k++) {
      double share = (double)k / FRAMES;
      const double target[2] = {(1 - share) * start[0] + 12 * share, (1 - share) * start[1] - 8 * share};
      distance = pull(&self, point, target, 2);
    }
    expect_distance(&self, FRAMES, distance, 0, 1e-3);
    close_stage(&self);
  }
  free(text);
}

/* ---- change points, redundant rows ----------------------------------------------------------------------------- */

/* Returns a bar of 1 m on cranks of 0.4 m whose pivots are 1 m apart; a third crank is in the middle. */
static char *parallelogram(int cranks) {
  MODEL(two,
      {"space": "planar", "gravity": [0, -9.81], "parameters": {"h": 0.4},
       "ground": {"points": {"O1": [0, 0], "O2": [1, 0], "O3": [0.5, 0]}},
       "bodies": [{"name": "bar", "mass": 1, "inertia": 0.1, "points": {"P1": [-0.5, 0], "P2": [0.5, 0], "P3": [0, 0]},
                   "initial": {"position": [0.5, 0.4], "angle": 0}},
                  {"name": "c1", "mass": 1, "inertia": 0.01, "points": {"O": [-0.2, 0], "P": [0.2, 0]},
                   "initial": {"position": [0, 0.2], "angle": "pi/2"}},
                  {"name": "c2", "mass": 1, "inertia": 0.01, "points": {"O": [-0.2, 0], "P": [0.2, 0]},
                   "initial": {"position": [1, 0.2], "angle": "pi/2"}}%s],
       "joints": [{"name": "A1", "type": "revolute", "points": ["ground.O1", "c1.O"]},
                  {"name": "B1", "type": "revolute", "points": ["c1.P", "bar.P1"]},
                  {"name": "A2", "type": "revolute", "points": ["ground.O2", "c2.O"]},
                  {"name": "B2", "type": "revolute", "points": ["c2.P", "bar.P2"]}%s]});
  MODEL(body,
      , {"name": "c3", "mass": 1, "inertia": 0.01, "points": {"O": ["-h/2", 0], "P": ["h/2", 0]},
         "initial": {"position": [0.5, 0.2], "angle": "pi/2"}});
  MODEL(joints,
      , {"name": "A3", "type": "revolute", "points": ["ground.O3", "c3.O"]},
        {"name": "B3", "type": "revolute", "points": ["c3.P", "bar.P3"]});
  return models_text(two, cranks > 2 ? body : "", cranks > 2 ? joints : "");
}

static void test_parallelograms_stay_parallelograms(void **state) {
  (void)state;
  for (int cranks = 2; cranks <= 3; cranks++) {
    char *text = parallelogram(cranks);
    follow_circle(cranks == 2 ? "parallelogram" : "parallelogram of three cranks", text, "c1.P", (const double[]){0, 0},
                  0.4, 0.2);
    for (int f = 0; f < 2; f++) { /* drag the bar through two revolutions */
      stage self = open_stage("parallelogram", text, formulations[f]);
      size_t point = point_of(&self, "bar.P3");

      noise = 9;
      for (int k = 1; k <= 2 * FRAMES; k++) {
        double angle = pi / 2 + 2 * pi * k / FRAMES;
        const double target[2] = {0.5 + 0.4 * cos(angle) + jitter(0.004), 0.4 * sin(angle) + jitter(0.004)};
        pull(&self, point, target, 0.1);
        const double *poses = mbs_session_poses(self.session);
        if (!(fabs(poses[2]) < 1e-6))
          fail_msg("%d cranks, %s, frame %d: the bar turned by %g", cranks, formulations[f], k, poses[2]);
      }
      close_stage(&self);
    }
    free(text);
  }
}

/* A ring of six rods, five of them moving: one degree of freedom, one redundant row. */
static void test_a_ring_in_space(void **state) {
  (void)state;
  char *text = models_named("Bricard");
  double distances[2][FRAMES + 1];
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("Bricard", text, formulations[f]);
    size_t point = point_of(&self, "rod3.P4");
    double start[3];
    memcpy(start, place_of(&self, point), sizeof start);
    noise = 11;
    for (int k = 0; k <= FRAMES; k++) {
      double angle = 2 * pi * k / FRAMES;
      const double target[3] = {start[0] + 0.2 * sin(angle) + jitter(0.002), start[1] + 0.2 * sin(angle),
                                start[2] + 0.2 * (1 - cos(angle))};
      distances[f][k] = pull(&self, point, target, 0.5);
    }
    close_stage(&self);
  }
  for (int k = 0; k <= FRAMES; k++) assert_true(fabs(distances[0][k] - distances[1][k]) < 1e-3);
  free(text);
}

/* ---- drivers --------------------------------------------------------------------------------------------------- */

/* A strut whose wheel point is driven. In a drag the driver follows; when the motion plays, the point follows the
 * driver. */
static void test_driven_struts(void **state) {
  (void)state;
  char *text = models_named("McPherson");
  double ends[2][3];
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("McPherson", text, formulations[f]);
    size_t point = point_of(&self, "strut.O");
    double start[3];
    memcpy(start, place_of(&self, point), sizeof start);
    assert_int_equal(mbs_session_freedoms(self.session), 0);
    assert_int_equal(mbs_session_mobility(self.session), 1);
    noise = 13;
    for (int k = 0; k <= FRAMES; k++) {
      double rise = 1.5 * sin(2 * pi * k / FRAMES);
      const double target[3] = {start[0], start[1] + rise + jitter(0.01), start[2]};
      double distance = pull(&self, point, target, 1.5);
      assert_true(distance < 0.5);
      double led = self.session->run.system->functions[0];
      assert_true(fabs(led - place_of(&self, point)[1]) < 1e-9);
    }
    memcpy(self.before, mbs_session_points(self.session, 0), self.scene->point_count * 3 * sizeof(double));
    assert_int_equal(mbs_session_drive(self.session, "rise", 7), MBS_OK);
    check_frame(&self, 4);
    assert_true(fabs(place_of(&self, point)[1] - 7) < 1e-9);
    memcpy(ends[f], place_of(&self, point), sizeof ends[f]);
    assert_int_equal(mbs_session_evaluate(self.session), MBS_OK);
    const double *rates = mbs_session_points(self.session, 1) + 3 * point;
    assert_true(fabs(rates[1] - 4) < 1e-9); /* the function of time continues from there */
    close_stage(&self);
  }
  assert_true(distance_of(ends[0], ends[1], 3) < 1e-8);
  free(text);
}

/* ---- many bodies ----------------------------------------------------------------------------------------------- */

static void test_twelve_legs(void **state) {
  (void)state;
  char *text = models_strandbeest(12);
  follow_circle("Strandbeest", text, "crank.P1", (const double[]){0, 0}, 0.15, 0.4);
  free(text);
}

/* ---- all models ------------------------------------------------------------------------------------------------ */

typedef struct tally {
  size_t sessions, pulls, held, slices, ended;
} tally;

/* Returns the largest residual of the constraints; for redundant ones it depends on the accuracy of the data. */
static double residual_of(const mbs_session *session, bool redundant) {
  mbs_system *system = session->run.system;
  double largest = 0;
  mbs_constraints(system, MBS_WANT_PHI);
  for (size_t r = 0; r < session->model->rows; r++)
    if (system->active[r] || redundant) largest = fmax(largest, fabs(system->Phi[r]) / system->row_units[r]);
  return largest;
}

/* Drags a point after a target that jumps about; its distance must never grow. Then plays the motion. */
static void drag_about(const char *name, const char *text, const char *formulation, tally *count) {
  stage self = open_stage(name, text, formulation);
  mbs_session *session = self.session;
  double extent = session->constants->extent;
  size_t dim = (size_t)self.scene->dim;
  uint64_t seed = 17;
  count->sessions++;
  for (size_t p = 0; p < self.scene->point_count; p++) {
    const mbs_scene_place *place = &self.scene->points[p];
    for (int k = 0; k < 6 && place->body > 0; k++) {
      double target[3] = {0, 0, 0}, before[3] = {0, 0, 0}, distance = 0;
      memcpy(before, place_of(&self, p), dim * sizeof *before);
      for (size_t i = 0; i < dim; i++) target[i] = before[i] + 0.2 * extent * models_uniform(&seed);
      mbs_status status = mbs_session_drag(session, (size_t)place->body, place->at, target, 0, &distance);
      count->pulls++;
      count->held += status == MBS_LOCK_UP;
      if (status != MBS_OK && status != MBS_LOCK_UP)
        fail_msg("%s %s, %s: %s", name, formulation, place->name, mbs_session_error(session)->message);
      double started = distance_of(before, target, (int)dim), ends = distance_of(place_of(&self, p), target, (int)dim);
      if (!(ends <= started * (1 + 1e-12)))
        fail_msg("%s %s, %s: farther by %g m", name, formulation, place->name, ends - started);
      if (status == MBS_OK && !(fabs(ends - distance) <= 1e-9 * extent))
        fail_msg("%s %s: %g m are reported, not %g", name, formulation, distance, ends);
      if (!(residual_of(session, false) < 1e-10) || !(residual_of(session, true) < 1e-6))
        fail_msg("%s %s, %s: residual %g", name, formulation, place->name, residual_of(session, false));
    }
  }
  for (int k = 0; k < 5; k++) {
    mbs_status status = mbs_session_step(session, 1e-3, NULL);
    count->slices++;
    count->ended += status != MBS_OK;
    assert_int_equal(mbs_session_error(session)->message[0] == 0, status == MBS_OK);
    assert_true(residual_of(session, false) < 1e-10);
  }
  close_stage(&self);
}

static void test_every_model(void **state) {
  (void)state;
  glob_t found;
  tally counts[2] = {{0}, {0}};
  assert_int_equal(glob("models/*.json", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    char *text = models_file(found.gl_pathv[i]);
    for (int f = 0; f < 2; f++) drag_about(found.gl_pathv[i], text, formulations[f], &counts[f]);
    free(text);
  }
  globfree(&found);
  for (uint64_t seed = 1; seed <= 12; seed++)
    for (int space = 0; space < 2; space++) {
      char *text = space ? models_random_spatial(seed, 6, 2) : models_random(seed, 8, 3);
      for (int f = 0; f < 2; f++) drag_about(space ? "random in space" : "random", text, formulations[f], &counts[f]);
      free(text);
    }
  for (int f = 0; f < 2; f++) {
    const tally *count = &counts[f];
    print_message("%s: %zu sessions, %zu drags of which %zu were held, %zu slices of which %zu ended\n",
                  formulations[f], count->sessions, count->pulls, count->held, count->slices, count->ended);
    assert_true(10 * count->ended < count->slices);
  }
  assert_int_equal(counts[0].held, counts[1].held);
}

/* ---- mechanisms that cannot move ------------------------------------------------------------------------------- */

MODEL(triangle,
    {"space": "planar", "gravity": [0, -9.81],
     "ground": {"points": {"O": [0, 0], "C": [1, 0]}},
     "bodies": [{"name": "left", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]},
                 "initial": {"position": [0.25, 0.43], "angle": 1.05}},
                {"name": "right", "mass": 1, "inertia": 0.1, "points": {"A": [-0.5, 0], "B": [0.5, 0]},
                 "initial": {"position": [0.75, 0.43], "angle": -1.05}}],
     "joints": [{"name": "foot", "type": "revolute", "points": ["ground.O", "left.A"]},
                {"name": "top", "type": "revolute", "points": ["left.B", "right.A"]},
                {"name": "other_foot", "type": "revolute", "points": ["ground.C", "right.B"]}]});

static void test_a_truss_says_what_holds_it(void **state) {
  (void)state;
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("triangle", triangle, formulations[f]);
    const mbs_scene_place *top = &self.scene->points[point_of(&self, "left.B")];
    double distance = 0;
    assert_int_equal(mbs_session_mobility(self.session), 0);
    assert_int_equal(mbs_session_drag(self.session, (size_t)top->body, top->at, (const double[]){0.6, 1}, 0, &distance),
                     MBS_LOCK_UP);
    const mbs_error *error = mbs_session_error(self.session);
    assert_int_equal(error->status, MBS_LOCK_UP);
    assert_string_equal(error->element, "foot");
    assert_non_null(strstr(error->message, "'left' cannot move: 'foot', 'top' hold it"));
    close_stage(&self);
  }
}

/* The pivot of a crank stays in its place, although the crank can move. */
static void test_a_pivot_cannot_be_pulled(void **state) {
  (void)state;
  char *text = models_named("FourBar");
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("FourBar", text, formulations[f]);
    const mbs_scene_place *pivot = &self.scene->points[point_of(&self, "crank.A")];
    double distance = 0;
    assert_int_equal(
        mbs_session_drag(self.session, (size_t)pivot->body, pivot->at, (const double[]){0.2, 0.1}, 0, &distance),
        MBS_LOCK_UP);
    assert_non_null(
        strstr(mbs_session_error(self.session)->message, "this point of 'crank' cannot move: 'O', 'A' hold it"));
    close_stage(&self);
  }
  free(text);
}

/* ---- calls that fail ------------------------------------------------------------------------------------------- */

/* Copy of the whole state of a session. */
typedef struct picture {
  double numbers[600];
  size_t count;
} picture;

static void add(picture *self, const double *x, size_t n) {
  assert_true(self->count + n <= sizeof self->numbers / sizeof *self->numbers);
  memcpy(self->numbers + self->count, x, n * sizeof *x);
  self->count += n;
}

static picture take(const stage *self) {
  const mbs_session *session = self->session;
  const mbs_model *model = self->model;
  picture out = {.count = 0};
  double sizes[] = {session->now.t, session->now.damping, mbs_session_freedoms(session)};
  add(&out, sizes, 3);
  add(&out, session->now.q, model->nq);
  add(&out, session->now.v, model->nv);
  add(&out, session->now.offsets, model->function_count);
  add(&out, session->now.direction, model->nv);
  add(&out, session->values, model->parameter_count);
  add(&out, session->constants->parameters, model->parameter_count);
  add(&out, mbs_session_poses(self->session), model->nB * (model->dim == 3 ? 7 : 3));
  add(&out, mbs_session_points(self->session, 0), model->nP * (size_t)model->dim);
  for (size_t r = 0; r < model->rows; r++) out.numbers[out.count++] = session->run.system->active[r];
  return out;
}

static void expect_unchanged(const stage *self, const picture *before, mbs_status status, mbs_status expected) {
  picture after = take(self);
  assert_int_equal(status, expected);
  assert_int_equal(mbs_session_error(self->session)->status, expected);
  assert_true(mbs_session_error(self->session)->message[0]);
  assert_same("states", before->numbers, after.numbers, before->count, sizeof(double));
}

static void test_what_fails_leaves_the_state(void **state) {
  (void)state;
  char *text = models_named("FourBar"), *driven = models_named("McPherson");
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("FourBar", text, formulations[f]);
    size_t point = point_of(&self, "crank.B");
    const mbs_scene_place *place = &self.scene->points[point];
    double distance = 0;
    for (int k = 0; k < 20; k++)
      pull(&self, point, (const double[]){0.3 * cos(1 + 0.05 * k), 0.3 * sin(1 + 0.05 * k)}, 0.2);
    picture before = take(&self);
    expect_unchanged(&self, &before, mbs_session_set(self.session, "a", 5), MBS_NOT_ASSEMBLED);
    expect_unchanged(&self, &before, mbs_session_set(self.session, "a", INFINITY), MBS_OUT_OF_RANGE);
    expect_unchanged(&self, &before, mbs_session_set(self.session, "nothing", 1), MBS_UNKNOWN_NAME);
    expect_unchanged(&self, &before, mbs_session_drive(self.session, "nothing", 1), MBS_UNKNOWN_NAME);
    expect_unchanged(
        &self, &before,
        mbs_session_drag(self.session, (size_t)place->body, place->at, (const double[]){NAN, 0}, 0, &distance),
        MBS_OUT_OF_RANGE);
    expect_unchanged(&self, &before, mbs_session_drag(self.session, 0, place->at, (const double[]){1, 0}, 0, &distance),
                     MBS_OUT_OF_RANGE);
    close_stage(&self);
    self = open_stage("McPherson", driven, formulations[f]);
    before = take(&self);
    expect_unchanged(&self, &before, mbs_session_drive(self.session, "rise", 40), MBS_LOCK_UP);
    expect_unchanged(&self, &before, mbs_session_drive(self.session, "rise", INFINITY), MBS_OUT_OF_RANGE);
    close_stage(&self);
  }
  free(text);
  free(driven);
  text = parallelogram(3); /* redundant rows would become independent, with no solution nearby */
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("parallelogram", text, formulations[f]);
    pull(&self, point_of(&self, "c1.P"), (const double[]){0.2, 0.3}, 0.3);
    picture before = take(&self);
    mbs_status status = mbs_session_set(self.session, "h", 0.45);
    assert_true(status == MBS_NOT_ASSEMBLED || status == MBS_CONTRADICTION);
    expect_unchanged(&self, &before, status, status);
    assert_int_equal(mbs_session_freedoms(self.session), 1);
    assert_int_equal(mbs_session_evaluate(self.session), MBS_OK);
    pull(&self, point_of(&self, "c1.P"), (const double[]){0, 0.4}, 0.5);
    close_stage(&self);
  }
  free(text);
}

/* ---- parameters ------------------------------------------------------------------------------------------------ */

/* After a parameter is set, the session equals that of a model built with the value that starts at the same
 * position. */
static void test_set_is_a_fresh_build(void **state) {
  (void)state;
  static const struct {
    const char *model, *parameter;
    double value;
  } changes[] = {{"FourBar", "a", 0.25}, {"FourBar", "b", 0.95}, {"FiveBar", "d", 1.3}, {"FiveBar", "b", 0.9}};
  for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
    for (int f = 0; f < 2; f++) {
      char *text = models_named(changes[c].model);
      stage self = open_stage(changes[c].model, text, formulations[f]);
      double *values = calloc(self.model->parameter_count, sizeof *values);
      for (size_t i = 0; i < self.model->parameter_count; i++)
        values[i] = strcmp(self.model->parameters[i].name, changes[c].parameter) == 0 ? changes[c].value : NAN;
      size_t allocated = allocations_made();
      assert_int_equal(mbs_session_set(self.session, changes[c].parameter, changes[c].value), MBS_OK);
      assert_int_equal(allocations_made(), allocated);
      memcpy(self.before, mbs_session_points(self.session, 0), self.scene->point_count * 2 * sizeof(double));
      check_frame(&self, 1e-9);
      char *changed = with_parameters(text, self.model, values);
      mbs_model *other = build(changed, formulations[f]);
      mbs_error error;
      mbs_session *fresh = mbs_session_new(other, self.session, &error);
      assert_non_null(fresh);
      mbs_constants *carried = self.session->constants; /* except for the start, which was carried over */
      memcpy(carried->q0, fresh->constants->q0, self.model->nq * sizeof(double));
      assert_same_numbers(carried, fresh->constants);
      for (size_t i = 0; i < self.model->nq; i++) assert_true(fabs(fresh->now.q[i] - self.session->now.q[i]) < 1e-10);
      assert_int_equal(mbs_session_evaluate(self.session), MBS_OK);
      assert_int_equal(mbs_session_evaluate(fresh), MBS_OK);
      const double *one = mbs_session_reactions(self.session), *two = mbs_session_reactions(fresh);
      for (size_t i = 0; i < 3 * self.model->joint_count; i++)
        assert_true(fabs(one[i] - two[i]) < 1e-8 * (1 + fabs(two[i])));
      mbs_session_free(fresh);
      mbs_model_free(other);
      free(changed);
      free(values);
      close_stage(&self);
      free(text);
    }
}

/* ---- edited documents ------------------------------------------------------------------------------------------- */

/* The session of an edited document starts at the position of the session before. */
static void test_edits_go_on_from_where_it_stood(void **state) {
  (void)state;
  char *text = models_named("FourBar"), *driven = models_named("McPherson");
  for (int f = 0; f < 2; f++) {
    mbs_error error;
    stage self = open_stage("FourBar", text, formulations[f]);
    size_t point = point_of(&self, "crank.B");
    for (int k = 0; k <= 30; k++) {
      double angle = 1 + 0.05 * k;
      pull(&self, point, (const double[]){0.3 * cos(angle), 0.3 * sin(angle)}, 0.2);
    }
    char *edited = with_parameters(text, self.model, (const double[]){NAN, NAN, NAN, 0.95});
    mbs_model *other = build(edited, formulations[f]);
    mbs_session *next = mbs_session_new(other, self.session, &error), *anew = mbs_session_new(other, NULL, &error);
    assert_true(fabs(mbs_session_poses(next)[2] - 2.5) < 0.1);
    assert_true(fabs(mbs_session_poses(anew)[2] - 2.5) > 1);
    mbs_session_free(next);
    mbs_session_free(anew);
    mbs_model_free(other);
    free(edited);
    close_stage(&self);
    self = open_stage("McPherson", driven, formulations[f]); /* a driver that was moved by a drag stays there */
    point = point_of(&self, "strut.O");
    assert_int_equal(mbs_session_drive(self.session, "rise", 7.5), MBS_OK);
    next = mbs_session_new(self.model, self.session, &error);
    assert_non_null(next);
    assert_true(distance_of(mbs_session_points(next, 0) + 3 * point, place_of(&self, point), 3) < 1e-9);
    mbs_session_free(next);
    close_stage(&self);
  }
  free(text);
  free(driven);
}

/* ---- playing --------------------------------------------------------------------------------------------------- */

static bool refuse(void *user, double t, double fraction, uint64_t evaluations) {
  (void)user, (void)t, (void)fraction, (void)evaluations;
  return false;
}

/* Compares a motion in slices with that of a run, also over impacts and with drivers. */
static void play(const char *name, double slice, double tolerance) {
  char *text = models_named(name);
  for (int f = 0; f < 2; f++) {
    char *analysis = models_text("{\"type\": \"dynamics\", \"t_end\": %.17g, \"dt\": %.17g, \"formulation\": \"%s\"}",
                                 30 * slice, slice, formulations[f]);
    mbs_result *result = models_run(text, analysis);
    mbs_error error;
    mbs_model *model = models_build(text, analysis);
    mbs_session *session = mbs_session_new(model, NULL, &error);
    assert_non_null(session);
    const mbs_hooks cancel = {.progress = refuse};
    size_t allocated = allocations_made(), count = model->nP * (size_t)model->dim;
    for (size_t row = 1; row <= 30; row++) {
      double t = mbs_session_time(session), v = session->now.v[0];
      if (row == 7) { /* a cancelled slice leaves the state unchanged */
        assert_int_equal(mbs_session_step(session, slice, &cancel), MBS_CANCELLED);
        assert_true(mbs_session_time(session) == t && session->now.v[0] == v);
      }
      if (row == 8) allocated = allocations_made();
      if (mbs_session_step(session, slice, NULL) != MBS_OK)
        fail_msg("%s: %s", name, mbs_session_error(session)->message);
      const double *points = mbs_session_points(session, 0), *expected = models_row(result, "rP", row);
      for (size_t i = 0; i < count; i++)
        if (!(fabs(points[i] - expected[i]) < tolerance))
          fail_msg("%s %s, t = %g: a point differs by %g m", name, formulations[f], mbs_session_time(session),
                   points[i] - expected[i]);
    }
    assert_int_equal(allocations_made(), allocated);
    assert_int_equal(mbs_session_evaluate(session), MBS_OK);
    const double *reactions = mbs_session_reactions(session), *expected = models_row(result, "reactions", 30);
    for (size_t i = 0; i < models_columns(result, "reactions"); i++)
      assert_true(fabs(reactions[i] - expected[i]) < 1e3 * tolerance * (1 + fabs(expected[i])));
    mbs_session_free(session);
    mbs_model_free(model);
    mbs_result_free(result);
    free(analysis);
  }
  free(text);
}

static void test_slices_are_a_motion(void **state) {
  (void)state;
  play("FourBar", 0.02, 1e-6);
  play("Bricard", 0.02, 1e-6);
  play("SCd", 0.01, 1e-6);
  play("BouncingBall", 0.05, 1e-3);
}

/* A driver that asks for an impossible motion ends the motion, not the session. */
static void test_a_motion_ends_where_it_locks(void **state) {
  (void)state;
  char *text = models_named("McPherson");
  for (int f = 0; f < 2; f++) {
    stage self = open_stage("McPherson", text, formulations[f]);
    mbs_status status = MBS_OK;
    double t = 0;
    for (int k = 0; k < 600 && status == MBS_OK; k++) {
      t = mbs_session_time(self.session);
      status = mbs_session_step(self.session, 1.0 / 60, NULL);
    }
    assert_int_equal(status, MBS_LOCK_UP);
    assert_string_equal(mbs_session_error(self.session)->element, "rise");
    assert_true(t > 1 && mbs_session_time(self.session) == t);
    assert_true(residual_of(self.session, true) < 1e-9);
    assert_int_equal(mbs_session_drive(self.session, "rise", 6), MBS_OK);
    assert_int_equal(mbs_session_step(self.session, 1.0 / 60, NULL), MBS_OK);
    close_stage(&self);
  }
  free(text);
}

/* A driver whose value jumps ends the motion at the jump; a driver whose rate jumps causes an impulse. */
static void test_drivers_that_break_in_play(void **state) {
  (void)state;
  static const struct {
    const char *driver;
    double t;
  } cases[] = {
      {JSON({"drivers": [{"name": "d", "type": "joint", "joint": "O", "function": "atan2(sin(5*t), cos(5*t))"}]}),
       pi / 5},
      {JSON({"drivers": [{"name": "d", "type": "joint", "joint": "O", "function": "sqrt((t - 0.5)^2)"}]}), 0},
      {JSON({"drivers": [{"name": "d", "type": "joint", "joint": "O", "function": "abs(t - 0.5)"}]}), 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int f = 0; f < 2; f++) {
      char *text = models_named_with("FourBar", cases[i].driver);
      stage self = open_stage("FourBar", text, formulations[f]);
      mbs_status status = MBS_OK;
      for (int k = 0; k < 20 && status == MBS_OK; k++) status = mbs_session_step(self.session, 0.05, NULL);
      assert_int_equal(status, cases[i].t > 0 ? MBS_CONTRADICTION : MBS_OK);
      if (cases[i].t > 0) {
        assert_string_equal(mbs_session_error(self.session)->element, "d");
        assert_true(fabs(mbs_session_error(self.session)->time - cases[i].t) < 1e-9);
        assert_true(fabs(mbs_session_time(self.session) - 0.6) < 1e-9);
      }
      assert_true(residual_of(self.session, true) < 1e-9);
      close_stage(&self);
      free(text);
    }
}

/* A dragged mechanism starts to move from rest at its new position. */
static void test_motion_begins_where_it_was_left(void **state) {
  (void)state;
  char *text = models_named("FourBar");
  stage self = open_stage("FourBar", text, "body");
  size_t point = point_of(&self, "crank.B");
  for (int k = 0; k < 20; k++)
    pull(&self, point, (const double[]){0.3 * cos(1 + 0.05 * k), 0.3 * sin(1 + 0.05 * k)}, 0.2);
  double start[2] = {place_of(&self, point)[0], place_of(&self, point)[1]};
  assert_int_equal(mbs_session_evaluate(self.session), MBS_OK);
  const double *a = mbs_session_points(self.session, 2) + 2 * point;
  double fall[2] = {a[0], a[1]}, t = 1e-3;
  assert_true(hypot(fall[0], fall[1]) > 1);
  assert_int_equal(mbs_session_step(self.session, t, NULL), MBS_OK);
  for (int k = 0; k < 2; k++) assert_true(fabs(place_of(&self, point)[k] - start[k] - fall[k] * t * t / 2) < 1e-8);
  assert_null(mbs_session_points(self.session, 1));
  close_stage(&self);
  free(text);
}

int main(void) {
  allocations_start();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cranks_turn),
                                     cmocka_unit_test(test_a_rocker_stops_at_its_limits),
                                     cmocka_unit_test(test_a_double_rocker_waits_at_its_limits),
                                     cmocka_unit_test(test_wild_targets_change_no_branch),
                                     cmocka_unit_test(test_a_five_bar_within_reach_and_beyond),
                                     cmocka_unit_test(test_heavy_parts_stay),
                                     cmocka_unit_test(test_a_chain_by_its_end),
                                     cmocka_unit_test(test_parallelograms_stay_parallelograms),
                                     cmocka_unit_test(test_a_ring_in_space),
                                     cmocka_unit_test(test_driven_struts),
                                     cmocka_unit_test(test_twelve_legs),
                                     cmocka_unit_test(test_every_model),
                                     cmocka_unit_test(test_a_truss_says_what_holds_it),
                                     cmocka_unit_test(test_a_pivot_cannot_be_pulled),
                                     cmocka_unit_test(test_sizes),
                                     cmocka_unit_test(test_what_fails_leaves_the_state),
                                     cmocka_unit_test(test_set_is_a_fresh_build),
                                     cmocka_unit_test(test_edits_go_on_from_where_it_stood),
                                     cmocka_unit_test(test_slices_are_a_motion),
                                     cmocka_unit_test(test_a_motion_ends_where_it_locks),
                                     cmocka_unit_test(test_drivers_that_break_in_play),
                                     cmocka_unit_test(test_motion_begins_where_it_was_left)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
