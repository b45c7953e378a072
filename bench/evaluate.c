/* evaluate.c - nanoseconds of one evaluation of the equations of motion, and their ratio to hand-written accelerations
 * of the same mechanism: at states along a motion, alternating in one run of one thread; thread CPU time, medians over
 * rounds of both sides. Run from the root of the source. */
#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/system.h"
#include "kernels/kernels.h"
#include "models.h"
#include "specialized/specialized.h"
#include "times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 64, ROUNDS = 41 };
/* Minimum duration of a round [s]. */
static const double round_seconds = 2e-3;

typedef enum special { NOTHING, FOUR_BARS, SPATIAL_FOUR_BARS, SLIDER_CRANK, SQUEEZER, CHAIN, SPATIAL_CHAIN } special;

typedef struct subject {
  mbs_model *model;
  mbs_arena *arena;
  mbs_system *system;
  mbs_result *motion;
  special hand;
  size_t bodies, loops;
  double *states;     /* [STATES][nq + nv] coordinates and velocities along the motion */
  double *q, *v;      /* [STATES x bodies] state of the hand-written side */
  double *out, *work; /* [bodies] accelerations of the hand-written side, its workspace */
} subject;

/* ---- the two sides ------------------------------------------------------------------------------------------- */

static void evaluate(const subject *s, size_t state) {
  const double *row = s->states + state * s->model->state.z;
  mbs_evaluate_kept(s->system, 0, row, row + s->model->state.v);
}

static void evaluate_by_hand(const subject *s, size_t state) {
  const double *q = s->q + state * s->bodies, *v = s->v + state * s->bodies;
  switch (s->hand) {
  case FOUR_BARS: specialized_four_bars(s->loops, q, v, s->out, s->work); break;
  case SPATIAL_FOUR_BARS: specialized_spatial_four_bars(s->loops, q, v, s->out, s->work); break;
  case SLIDER_CRANK: specialized_slider_crank(q, v, s->out); break;
  case SQUEEZER: specialized_squeezer(q, v, s->out); break;
  case CHAIN: specialized_chain(s->bodies, q, v, s->out, s->work); break;
  case SPATIAL_CHAIN: specialized_spatial_chain(s->bodies, q, v, s->out, s->work); break;
  case NOTHING: break;
  }
}

/* Returns the coordinate of a body in the hand-written side at the current state: its angle, for the slider its
 * position, in space the angle of its hinge; level 0, 1, 2. */
static double read_body(const subject *s, size_t body, int level) {
  const mbs_kernels *kernels = s->model->kernels;
  double x[3];
  if (s->hand == SLIDER_CRANK && body == 2) {
    kernels->point(s->system, s->model->user_body[body], (double[3]){0, 0, 0}, level, x);
    return x[0];
  }
  if (s->hand == SPATIAL_CHAIN) {
    const double *const of[] = {s->system->q, s->system->v, s->system->vdot};
    return of[level][body];
  }
  if (s->hand == SPATIAL_FOUR_BARS && level == 0) {
    kernels->to_global(s->system, s->model->user_body[body], (double[3]){1, 0, 0}, x);
    return atan2(x[1], x[0]);
  }
  kernels->rotation(s->system, s->model->user_body[body], level, x);
  return x[2];
}

/* Computes the states of the hand-written side, and checks that both sides give equal accelerations. */
static void check(const char *name, const subject *s) {
  for (size_t state = 0; state < STATES; state++) {
    evaluate(s, state);
    s->model->kernels->accelerations(s->system);
    for (size_t b = 0; b < s->bodies; b++) {
      s->q[state * s->bodies + b] = read_body(s, b, 0);
      s->v[state * s->bodies + b] = read_body(s, b, 1);
    }
    evaluate_by_hand(s, state);
    double scale = 1;
    for (size_t b = 0; b < s->bodies; b++) scale = fmax(scale, fabs(read_body(s, b, 2)));
    for (size_t b = 0; b < s->bodies; b++) {
      double wanted = read_body(s, b, 2);
      if (fabs(s->out[b] - wanted) <= 1e-9 * scale) continue;
      fprintf(stderr, "%s, state %zu: acceleration %zu is %.15g, by hand %.15g\n", name, state, b, wanted, s->out[b]);
      exit(1);
    }
  }
}

/* ---- times --------------------------------------------------------------------------------------------------- */

/* Returns the seconds of an evaluation, over all states `passes` times. */
static double timed(const subject *s, void (*call)(const subject *, size_t), size_t passes) {
  const double start = now();
  for (size_t pass = 0; pass < passes; pass++)
    for (size_t state = 0; state < STATES; state++) call(s, state);
  return (now() - start) / (double)(passes * STATES);
}

static size_t passes_of(const subject *s, void (*call)(const subject *, size_t)) {
  size_t passes = 1;
  while (timed(s, call, passes) * (double)(passes * STATES) < round_seconds) passes *= 2;
  return passes;
}

/* Prints bodies, rows, time of an evaluation with its spread, and the ratio to the hand-written side. */
static void measure(const char *name, const subject *s) {
  double times[ROUNDS], by_hand[ROUNDS], ratios[ROUNDS];
  size_t passes = passes_of(s, evaluate), passes_by_hand = s->hand ? passes_of(s, evaluate_by_hand) : 0;
  for (size_t round = 0; round < ROUNDS; round++) {
    times[round] = 1e9 * timed(s, evaluate, passes);
    by_hand[round] = s->hand ? 1e9 * timed(s, evaluate_by_hand, passes_by_hand) : NAN;
    ratios[round] = times[round] / by_hand[round];
  }
  sort_times(times, ROUNDS);
  double each = median(times, ROUNDS);
  printf("%-20s %6zu %6zu %10.0f %6.1f%% %9.1f", name, s->bodies, s->model->rows, each, 100 * spread(times, ROUNDS),
         each / (double)s->bodies);
  if (s->hand) {
    sort_times(by_hand, ROUNDS);
    sort_times(ratios, ROUNDS);
    printf(" %10.0f %7.2f %6.1f%%", median(by_hand, ROUNDS), median(ratios, ROUNDS), 100 * spread(ratios, ROUNDS));
  }
  printf("\n");
}

/* Ends the program if a state violates the constraints. */
static void check_position(const char *name, const subject *s, size_t state) {
  evaluate(s, state);
  if (s->model->rows) mbs_constraints(s->system, MBS_WANT_PHI);
  for (size_t r = 0; r < s->model->rows; r++) {
    if (fabs(s->system->Phi[r]) <= 1e-6) continue;
    fprintf(stderr, "%s, state %zu: row %zu is violated by %g\n", name, state, r, s->system->Phi[r]);
    exit(1);
  }
}

static void read_states(const char *name, subject *s) {
  const mbs_model *model = s->model;
  s->states = calloc(STATES * model->state.z, sizeof *s->states);
  for (size_t state = 0; state < STATES; state++) {
    models_state(s->motion, model, state, s->states + state * model->state.z);
    check_position(name, s, state);
  }
}

/* Deactivates the rows that the run found redundant. */
static void leave_out_redundant(const subject *s) {
  for (size_t r = 0; r < s->model->rows; r++) {
    if (!s->motion->report.constraints[r].redundant) continue;
    s->system->active[r] = false;
    s->system->all_active = false;
  }
}

/* Measures a document at states of its motion from a corrected start. */
static void bench(const char *name, char *document, double t_end, special hand, size_t loops) {
  char analysis[256];
  snprintf(
      analysis, sizeof analysis,
      "{\"type\": \"dynamics\", \"formulation\": \"joint\", \"t_end\": %.17g, \"dt\": %.17g, \"outputs\": [\"uT\"],"
      " \"integrator\": {\"rtol\": 1e-6, \"atol\": 1e-8}}",
      t_end, t_end / (STATES - 1));
  subject s = {.model = models_build(document, analysis), .arena = mbs_arena_new(0), .hand = hand, .loops = loops};
  s.system = mbs_system_new(s.model, s.arena);
  s.bodies = s.model->nB;
  s.q = calloc((2 * STATES + 1 + SPECIALIZED_SPATIAL) * (s.bodies + 1), sizeof *s.q);
  s.v = s.q + STATES * s.bodies;
  s.out = s.v + STATES * s.bodies;
  s.work = s.out + s.bodies;
  mbs_error error = {0};
  if (mbs_run(s.model, NULL, &s.motion, &error) != MBS_OK) {
    fprintf(stderr, "%s: %s\n", name, error.message);
    exit(1);
  }
  leave_out_redundant(&s);
  read_states(name, &s);
  if (hand != NOTHING) check(name, &s);
  measure(name, &s);
  free(s.q);
  free(s.states);
  mbs_result_free(s.motion);
  mbs_arena_free(s.arena);
  mbs_model_free(s.model);
  free(document);
}

int main(void) {
  char name[32];
  printf("%-20s %6s %6s %10s %7s %9s %10s %7s %7s\n", "mechanism", "bodies", "rows", "ns", "+-", "ns/body", "by hand",
         "ratio", "+-");
  bench("slider-crank", models_named("SC"), 2, SLIDER_CRANK, 0);
  bench("squeezer", models_file("tests/reference/models/squeezer.json"), 0.03, SQUEEZER, 0);
  static const size_t loops[] = {1, 10, 40, 400};
  for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
    snprintf(name, sizeof name, "%zu four-bar%s", loops[i], loops[i] == 1 ? "" : "s");
    bench(name, models_four_bars(loops[i]), 1, FOUR_BARS, loops[i]);
  }
  for (size_t i = 0; i < 2; i++) {
    char *planar = models_four_bars(loops[i]);
    snprintf(name, sizeof name, "%zu four-bar%s, space", loops[i], loops[i] == 1 ? "" : "s");
    bench(name, models_in_space(planar), 1, SPATIAL_FOUR_BARS, loops[i]);
    free(planar);
  }
  for (size_t n = 2; n <= 512; n *= 4) {
    snprintf(name, sizeof name, "chain of %zu", n);
    bench(name, models_chain(n, 1), 1, CHAIN, 0);
  }
  for (size_t n = 2; n <= 128; n *= 4) {
    snprintf(name, sizeof name, "spatial chain of %zu", n);
    bench(name, models_spatial_chain(n, false), 1, SPATIAL_CHAIN, 0);
    snprintf(name, sizeof name, "%zu on balls", n);
    bench(name, models_spatial_chain(n, true), 1, NOTHING, 0);
  }
  static const char *const others[] = {"AA", "TP", "RSSR_rod", "RSSR_ball", "Bricard"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) bench(others[i], models_named(others[i]), 1, NOTHING, 0);
  return 0;
}
