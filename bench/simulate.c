/* simulate.c - milliseconds of whole runs: building the model, integrating, computing every result. Run from the top
 * folder of the source. */
#include "models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `times` runs of a model; `building` counts reading and building each time. */
static void bench(const char *name, char *document, const char *analysis, int times, bool building) {
  const int rounds = 5;
  double best = INFINITY;
  mbs_result *result = NULL;
  mbs_model *model = models_build(document, analysis);
  for (int round = 0; round < rounds; round++) {
    double start = now();
    for (int i = 0; i < times; i++) {
      mbs_result_free(result);
      if (building) {
        mbs_model_free(model);
        model = models_build(document, analysis);
      }
      if (mbs_run(model, NULL, &result, NULL) != MBS_OK) {
        fprintf(stderr, "%s failed\n", name);
        exit(1);
      }
    }
    best = fmin(best, now() - start);
  }
  const mbs_report *report = &result->report;
  printf("%-26s %10.3f %8llu %8llu %12.1e %10.0f\n", name, 1e3 * best, (unsigned long long)report->steps,
         (unsigned long long)report->evaluations, report->energy_change_max, times / best);
  mbs_result_free(result);
  mbs_model_free(model);
  free(document);
}

#define DOP853(t_end, dt, tolerance)                                                                     \
  "{\"t_end\": " t_end ", \"dt\": " dt ", \"integrator\": {\"method\": \"dop853\", \"rtol\": " tolerance \
  ", \"atol\": " tolerance "}}"

int main(void) {
  printf("%-26s %10s %8s %8s %12s %10s\n", "simulation", "ms", "steps", "evals", "energy [J]", "runs/s");
  bench("four-bar 10 s", models_four_bars(1), DOP853("10", "0.1", "1e-8"), 1, false);
  bench("four-bar 10 s, at its end", models_four_bars(1), DOP853("10", "10", "1e-8"), 1, false);
  bench("squeezer 0.05 s", models_file("tests/reference/models/squeezer.json"),
        "{\"t_end\": 0.05, \"dt\": 0.001, \"integrator\": {\"rtol\": 1e-6, \"atol\": 1e-6}}", 1, false);
  bench("40 four-bars 10 s", models_four_bars(40), DOP853("10", "10", "1e-8"), 1, false);
  bench("SC 2 s", models_named("SC"), NULL, 1, false);
  bench("TP 10 s", models_named("TP"), NULL, 1, false);
  bench("1000 four-bars of 2 s", models_four_bars(1), DOP853("2", "2", "1e-8"), 1000, true);
  return 0;
}
