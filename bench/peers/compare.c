/* The mechanisms, and alternating measurements of both sides; see compare.h. */
#include "compare.h"

#include "models.h"
#include "times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 21, RUNS = 5 };
/* Minimum duration of a round, and limit above which runs are made only once [s]. */
static const double round_seconds = 2e-3, long_run_seconds = 2;

/* ---- the mechanisms ------------------------------------------------------------------------------------------ */

static char *chain_of_8(void) { return models_chain(8, 1); }
static char *chain_of_32(void) { return models_chain(32, 1); }
static char *chain_of_64(void) { return models_chain(64, 1); }
static char *chain_of_128(void) { return models_chain(128, 1); }
static char *spatial_chain_of_8(void) { return models_spatial_chain(8, false); }
static char *spatial_chain_of_32(void) { return models_spatial_chain(32, false); }
static char *spatial_chain_of_64(void) { return models_spatial_chain(64, false); }
static char *spatial_chain_of_128(void) { return models_spatial_chain(128, false); }

/* Returns a chain with balls instead of hinges, starting at the positions of the hinges: its own start would be at
 * rest. */
static char *balls(size_t n) {
  char *hinges = models_spatial_chain(n, false), *on_balls = models_spatial_chain(n, true);
  mbs_result *start = models_run(hinges, PART({"t_end": 0.001, "dt": 0.001}));
  char *document = models_with_state(on_balls, start, 0);
  mbs_result_free(start);
  free(hinges);
  free(on_balls);
  return document;
}

static char *balls_of_8(void) { return balls(8); }
static char *balls_of_32(void) { return balls(32); }
static char *balls_of_64(void) { return balls(64); }
static char *balls_of_128(void) { return balls(128); }
static char *crank_rocker(void) { return models_of_tests("crank-rocker"); }
static char *four_bars_1(void) { return models_four_bars(1); }
static char *four_bars_10(void) { return models_four_bars(10); }
static char *four_bars_40(void) { return models_four_bars(40); }
static char *squeezer(void) { return models_of_tests("squeezer"); }

const peers_subject peers_evaluated[] = {
    {"chain of 8", chain_of_8, 1},
    {"chain of 32", chain_of_32, 1},
    {"chain of 64", chain_of_64, 1},
    {"chain of 128", chain_of_128, 1},
    {"spatial chain of 8", spatial_chain_of_8, 1},
    {"spatial chain of 32", spatial_chain_of_32, 1},
    {"spatial chain of 64", spatial_chain_of_64, 1},
    {"spatial chain of 128", spatial_chain_of_128, 1},
    {"8 on balls", balls_of_8, 1},
    {"32 on balls", balls_of_32, 1},
    {"64 on balls", balls_of_64, 1},
    {"128 on balls", balls_of_128, 1},
    {"1 four-bar", four_bars_1, 1},
    {"10 four-bars", four_bars_10, 1},
    {"40 four-bars", four_bars_40, 1},
    {"squeezer", squeezer, 0.03},
};
const size_t peers_evaluated_count = sizeof peers_evaluated / sizeof *peers_evaluated;

const peers_subject peers_simulated[] = {
    {"four-bar (crank-rocker) 10 s", crank_rocker, 10},
    {"squeezer 0.03 s", squeezer, 0.03},
    {"chain of 8, 2 s", chain_of_8, 2},
};
const size_t peers_simulated_count = sizeof peers_simulated / sizeof *peers_simulated;

/* ---- evaluations --------------------------------------------------------------------------------------------- */

typedef struct side {
  void *self;
  void (*evaluate)(void *self, size_t state);
  size_t passes; /* number of passes over all states in a round */
} side;

static void evaluate_ours(void *self, size_t state) { peers_mechanism_evaluate(self, state); }

/* Returns the seconds of an evaluation. */
static double timed(const side *s) {
  const double start = now();
  for (size_t pass = 0; pass < s->passes; pass++)
    for (size_t state = 0; state < PEERS_STATES; state++) s->evaluate(s->self, state);
  return (now() - start) / (double)(s->passes * PEERS_STATES);
}

static void find_passes(side *s) {
  s->passes = 1;
  while (timed(s) * (double)(s->passes * PEERS_STATES) < round_seconds) s->passes *= 2;
}

void peers_print_head(const char *peer) {
  printf("%-34s %6s %5s %9s %7s %10s %7s %7s %7s %9s\n", "accelerations", "bodies", "rows", "ours, ns", "+-", peer,
         "+-", "ratio", "+-", "apart");
}

void peers_compare(const peers_mechanism *mechanism, const char *remark, const peers_peer *peer, double allowed) {
  double apart = 0, ours[ROUNDS], theirs[ROUNDS], ratios[ROUNDS];
  char name[64];
  snprintf(name, sizeof name, "%s%s", mechanism->name, remark);
  for (size_t state = 0; state < PEERS_STATES; state++) {
    const double difference = peer->difference(peer->self, state);
    if (!(difference <= allowed)) {
      fprintf(stderr, "%s: accelerations of state %zu are %g apart\n", name, state, difference);
      exit(1);
    }
    apart = fmax(apart, difference);
  }
  side us = {(void *)mechanism, evaluate_ours, 1}, them = {peer->self, peer->evaluate, 1};
  find_passes(&us);
  find_passes(&them);
  for (size_t round = 0; round < ROUNDS; round++) {
    ours[round] = 1e9 * timed(&us);
    theirs[round] = 1e9 * timed(&them);
    ratios[round] = theirs[round] / ours[round];
  }
  sort_times(ours, ROUNDS);
  sort_times(theirs, ROUNDS);
  sort_times(ratios, ROUNDS);
  printf("%-34s %6zu %5zu %9.0f %6.1f%% %10.0f %6.1f%% %7.2f %6.1f%% %9.1e\n", name, mechanism->body_count,
         mechanism->rows, median(ours, ROUNDS), 100 * spread(ours, ROUNDS), median(theirs, ROUNDS),
         100 * spread(theirs, ROUNDS), median(ratios, ROUNDS), 100 * spread(ratios, ROUNDS), apart);
  fflush(stdout);
}

/* ---- simulations --------------------------------------------------------------------------------------------- */

static const double wanted_error = 1e-6;

/* A run of one side, and its final distance from the reference. */
typedef struct racer {
  const peers_mechanism *mechanism;
  const peers_peer *peer; /* NULL: our side */
  const double *reference;
  double *centres; /* [body_count + 1][3] */
} racer;

static double run_once(const racer *r, double setting) {
  return r->peer ? r->peer->simulate(r->peer->self, setting, r->centres)
                 : peers_mechanism_simulate(r->mechanism, "dop853", setting, r->centres);
}

static double error_of(const racer *r) {
  double error = 0;
  for (size_t k = 3; k < 3 * (r->mechanism->body_count + 1); k++) {
    const double difference = fabs(r->centres[k] - r->reference[k]);
    if (!(difference <= error)) error = difference;
  }
  return isfinite(error) ? error : INFINITY;
}

static void race(const racer *r, const char *by, const double *settings, size_t count) {
  double times[RUNS] = {0}, error = INFINITY, setting = settings[0];
  size_t runs = 1;
  for (size_t i = 0; i < count && !(error <= wanted_error); i++) {
    const double seconds = run_once(r, settings[i]), found = error_of(r);
    if (!(found < error)) continue;
    error = found;
    setting = settings[i];
    times[0] = seconds;
  }
  if (times[0] < long_run_seconds)
    for (runs = 0; runs < RUNS; runs++) times[runs] = run_once(r, setting);
  sort_times(times, runs);
  printf("%-34s %-26s %10.2g %10.1e %12.3f", r->mechanism->name, by, setting, error, 1e3 * median(times, runs));
  if (runs > 1) printf(" %6.1f%%", 100 * spread(times, runs));
  printf("\n");
  fflush(stdout);
}

void peers_print_simulations_head(void) {
  printf("\n%-34s %-26s %10s %10s %12s %7s\n", "simulation", "by", "setting", "error, m", "ms", "+-");
}

void peers_race(const peers_mechanism *mechanism, const char *peer_name, const peers_peer *peer, const double *settings,
                size_t count) {
  static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
  const size_t size = 3 * (mechanism->body_count + 1);
  double *centres = calloc(2 * size, sizeof *centres);
  if (!centres) exit(1);
  peers_mechanism_simulate(mechanism, "dop853", 1e-13, centres + size);
  racer r = {mechanism, NULL, centres + size, centres};
  race(&r, "ours, dop853", tolerances, sizeof tolerances / sizeof *tolerances);
  r.peer = peer;
  race(&r, peer_name, settings, count);
  free(centres);
}
