/* evaluate.c - nanoseconds of one evaluation of the equations of motion, and their ratio to the same mechanism's
 * accelerations written by hand, in one run of one thread. Run from the top folder of the source. */
#include "equations/evaluate.h"
#include "equations/system.h"
#include "kernels/kernels.h"
#include "models.h"
#include "specialized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Shortest mean time of several batches of calls [ns]. */
static double primitive(void (*call)(void *), void *context) {
  const double batch_seconds = 0.01;
  enum { BATCHES = 8 };
  size_t calls = 1;
  double best = INFINITY;
  for (int batch = 0; batch < BATCHES;) {
    double start = now();
    for (size_t i = 0; i < calls; i++) call(context);
    double seconds = now() - start;
    if (seconds < batch_seconds) {
      calls *= 2;
      continue;
    }
    best = fmin(best, seconds / (double)calls);
    batch++;
  }
  return 1e9 * best;
}

/* ---- the two sides ------------------------------------------------------------------------------------------- */

typedef enum special { NOTHING, FOUR_BAR, SLIDER_CRANK, CHAIN } special;

typedef struct subject {
  mbs_model *model;
  mbs_arena *arena;
  mbs_system *system;
  special hand;
  size_t n;
  double *q, *v, *out, *work; /* of the hand-written side */
} subject;

static void call_solver(void *context) {
  subject *s = context;
  mbs_evaluate(s->system, 0, s->model->constants->q0, s->model->constants->v0);
}

static void call_special(void *context) {
  subject *s = context;
  if (s->hand == FOUR_BAR) specialized_four_bar(s->q, s->v, s->out);
  if (s->hand == SLIDER_CRANK) specialized_slider_crank(s->q, s->v, s->out);
  if (s->hand == CHAIN) specialized_chain(s->n, s->q, s->v, s->out, s->work);
}

/* Angles of the bodies, except of the slider, its place; and their rates and accelerations. */
static void read_state(const subject *s, double *q, double *v, double *a) {
  const mbs_kernels *kernels = s->model->kernels;
  for (size_t b = 0; b < s->n; b++) {
    double *const out[] = {q, v, a};
    for (int level = 0; level < 3; level++) {
      double x[3];
      bool slider = s->hand == SLIDER_CRANK && b == 2;
      if (slider)
        kernels->point(s->system, s->model->user_body[b], (double[3]){0, 0, 0}, level, x);
      else
        kernels->rotation(s->system, s->model->user_body[b], level, x);
      out[level][b] = slider ? x[0] : x[2];
    }
  }
}

/* The hand-written side must say the same. */
static void check(const char *name, subject *s) {
  double *wanted = calloc(s->n, sizeof *wanted);
  call_solver(s);
  s->model->kernels->accelerations(s->system);
  read_state(s, s->q, s->v, wanted);
  call_special(s);
  for (size_t i = 0; i < s->n; i++)
    if (!(fabs(s->out[i] - wanted[i]) <= 1e-8 * (1 + fabs(wanted[i])))) {
      fprintf(stderr, "%s: acceleration %zu is %.15g, by hand %.15g\n", name, i, wanted[i], s->out[i]);
      exit(1);
    }
  free(wanted);
}

static void bench(const char *name, char *document, special hand) {
  /* A corrected start, a little off its rest. */
  mbs_result *start = models_run(document, "{\"type\": \"assembly\"}");
  char *corrected = models_with_state(document, start, 0);
  subject s = {.model = models_build(corrected, "{\"type\": \"assembly\"}"), .arena = mbs_arena_new(0), .hand = hand};
  s.system = mbs_system_new(s.model, s.arena);
  s.n = s.model->nB;
  s.q = calloc(8 * s.n, sizeof *s.q);
  s.v = s.q + s.n;
  s.out = s.v + s.n;
  s.work = s.out + s.n;
  double solver = primitive(call_solver, &s);
  printf("%-16s %6zu %6zu %10.0f %10.1f", name, s.n, s.model->rows, solver, solver / (double)s.n);
  if (hand != NOTHING) {
    check(name, &s);
    double by_hand = primitive(call_special, &s);
    printf(" %10.0f %7.1f", by_hand, solver / by_hand);
  }
  printf("\n");
  free(s.q);
  mbs_arena_free(s.arena);
  mbs_model_free(s.model);
  mbs_result_free(start);
  free(corrected);
  free(document);
}

int main(void) {
  printf("%-16s %6s %6s %10s %10s %10s %7s\n", "mechanism", "bodies", "rows", "ns", "ns/body", "by hand", "ratio");
  bench("SC", models_named("SC"), SLIDER_CRANK);
  bench("AA", models_named("AA"), NOTHING);
  bench("TP", models_named("TP"), NOTHING);
  bench("squeezer", models_file("tests/reference/models/squeezer.json"), NOTHING);
  static const size_t loops[] = {1, 10, 40, 400};
  for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
    char name[32];
    snprintf(name, sizeof name, "%zu four-bar%s", loops[i], loops[i] == 1 ? "" : "s");
    bench(name, models_four_bars(loops[i]), loops[i] == 1 ? FOUR_BAR : NOTHING);
  }
  for (size_t n = 2; n <= 512; n *= 2) {
    char name[32];
    snprintf(name, sizeof name, "chain of %zu", n);
    bench(name, models_chain(n, 1), CHAIN);
  }
  bench("RSSR_rod", models_named("RSSR_rod"), NOTHING);
  bench("RSSR_ball", models_named("RSSR_ball"), NOTHING);
  bench("Bricard", models_named("Bricard"), NOTHING);
  for (size_t n = 2; n <= 512; n *= 2) {
    char name[32];
    snprintf(name, sizeof name, "spatial %zu", n);
    bench(name, models_spatial_chain(n, false), NOTHING);
    snprintf(name, sizeof name, "%zu on balls", n);
    bench(name, models_spatial_chain(n, true), NOTHING);
  }
  return 0;
}
