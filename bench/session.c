/* session.c - microseconds of a frame (median and 99th percentile). Frames in which an unsteady hand drags a point
 * round a circle, with the distance to the mouse; in which a parameter is set; in which the motion advances by 1/60 s.
 * Thread CPU time. Run from the root of the source. */
#include "models.h"
#include "times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 240, ROUNDS = 5 };

static void print_times(const char *name, const char *formulation, const char *what, double *times, size_t count) {
  sort_times(times, count);
  printf("%-14s %-5s %-16s p50 %7.1f us   p99 %7.1f us   most %7.1f us", name, formulation, what,
         1e6 * times[count / 2], 1e6 * times[count * 99 / 100], 1e6 * times[count - 1]);
}

/* The dragged point, and the radius of its path, on which it starts [m]. */
typedef struct drag {
  const char *name, *text;
  const char *body, *point;
  double radius;
  bool has_a; /* true if parameter "a" exists */
} drag;

static size_t body_of(const mbs_scene *scene, const char *name) {
  for (size_t b = 1; b < scene->body_count; b++)
    if (strcmp(scene->bodies[b].name, name) == 0) return b;
  exit(1);
}

static const double *place_of(const mbs_scene *scene, size_t body, const char *name, size_t *number) {
  for (size_t p = 0; p < scene->point_count; p++)
    if (scene->points[p].body == (int)body && strcmp(scene->points[p].name, name) == 0) {
      *number = p;
      return scene->points[p].at;
    }
  exit(1);
}

/* Measures a slider for a parameter, if there is one, and playing. */
static void bench_others(const char *name, const char *formulation, mbs_session *session, bool has_a) {
  double times[FRAMES];
  for (int k = 0; k < FRAMES && has_a; k++) {
    double began = now();
    if (mbs_session_set(session, "a", 0.3 + 0.02 * sin(0.05 * k)) != MBS_OK) return;
    times[k] = now() - began;
  }
  if (has_a) print_times(name, formulation, "set a", times, FRAMES);
  if (has_a) printf("\n");
  for (int k = 0; k < FRAMES; k++) {
    double began = now();
    if (mbs_session_step(session, 1.0 / 60, NULL) != MBS_OK) {
      printf("%-14s %-5s play fails: %s\n", name, formulation, mbs_session_error(session)->message);
      return;
    }
    times[k] = now() - began;
  }
  print_times(name, formulation, "play", times, FRAMES);
  printf("\n");
}

static void bench(const drag *task, const char *formulation) {
  char *analysis =
      models_text("{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1, \"formulation\": \"%s\"}", formulation);
  mbs_model *model = models_build(task->text, analysis);
  mbs_arena *arena = mbs_arena_new(0);
  const mbs_scene *scene = mbs_model_scene(model, arena);
  mbs_error error;
  mbs_session *session = mbs_session_new(model, NULL, &error);
  if (!session) {
    printf("%s %s: %s\n", task->name, formulation, error.message);
    exit(1);
  }
  size_t number = 0, body = body_of(scene, task->body), dim = (size_t)scene->dim;
  const double *at = place_of(scene, body, task->point, &number);
  double start[3] = {0}, times[FRAMES * ROUNDS], worst = 0, sum = 0;
  memcpy(start, mbs_session_points(session, 0) + dim * number, dim * sizeof *start);
  uint64_t seed = 3;
  size_t failed = 0;
  for (int k = 0; k < FRAMES * ROUNDS; k++) {
    double phase = 6.283185307179586 * k / FRAMES, target[3], distance = 0;
    target[0] = start[0] + task->radius * (cos(phase) - 1) + 0.01 * task->radius * models_uniform(&seed);
    target[1] = start[1] + task->radius * sin(phase) + 0.01 * task->radius * models_uniform(&seed);
    target[2] = start[2];
    double began = now();
    failed += mbs_session_drag(session, body, at, target, 0, &distance) != MBS_OK;
    times[k] = now() - began;
    worst = fmax(worst, distance);
    sum += distance;
  }
  char what[64];
  snprintf(what, sizeof what, "%s.%s", task->body, task->point);
  print_times(task->name, formulation, what, times, FRAMES * ROUNDS);
  printf("   distance mean %.3f most %.3f m   failed %zu\n", sum / (FRAMES * ROUNDS), worst, failed);
  bench_others(task->name, formulation, session, task->has_a);
  mbs_session_free(session);
  mbs_arena_free(arena);
  mbs_model_free(model);
  free(analysis);
}

int main(void) {
  const drag drags[] = {{"FourBar", models_named("FourBar"), "crank", "B", 0.3, true},
                        {"FourBar", models_named("FourBar"), "rocker", "A", 0.3, false},
                        {"SC", models_named("SC"), "crank", "A", 0.1, false},
                        {"FiveBar", models_named("FiveBar"), "left_arm", "B", 0.3, false},
                        {"Bricard", models_named("Bricard"), "rod3", "P4", 0.3, false},
                        {"McPherson", models_named("McPherson"), "strut", "O", 2, false},
                        {"Strandbeest 12", models_strandbeest(12), "crank", "P1", 0.15, false},
                        {"Strandbeest 12", models_strandbeest(12), "lower1", "C", 0.3, false}};
  for (size_t i = 0; i < sizeof drags / sizeof *drags; i++)
    for (int body = 0; body < 2; body++) bench(&drags[i], body ? "body" : "joint");
  return 0;
}
