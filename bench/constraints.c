/* constraints.c - whole runs with coordinate partitioning, and their ratio to runs with projection: alternating in one
 * run of one thread; thread CPU time, medians. Run from the root of the source. */
#include "models.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 41 };
/* Minimum duration of a round of runs [s]. */
static const double round_seconds = 4e-3;

typedef struct span {
  const char *method;
  double t_end, dt, tolerance;
} span;

static mbs_model *build(const char *document, span s, const char *constraints) {
  char analysis[256];
  snprintf(analysis, sizeof analysis,
           "{\"t_end\": %.17g, \"dt\": %.17g, \"constraints\": \"%s\","
           " \"integrator\": {\"method\": \"%s\", \"rtol\": %g, \"atol\": %g}}",
           s.t_end, s.dt, constraints, s.method, s.tolerance, s.tolerance);
  return models_build(document, analysis);
}

/* Returns the seconds of a run, and its evaluations. */
static double run(const mbs_model *model, size_t times, unsigned long long *evaluations) {
  const double start = now();
  for (size_t i = 0; i < times; i++) {
    mbs_result *result = NULL;
    if (mbs_run(model, NULL, &result, NULL) != MBS_OK) exit(1);
    *evaluations = (unsigned long long)result->report.evaluations;
    mbs_result_free(result);
  }
  return (now() - start) / (double)times;
}

static void bench(const char *name, char *document, span s) {
  double projected[ROUNDS], partitioned[ROUNDS], ratios[ROUNDS];
  unsigned long long one = 0, other = 0;
  mbs_model *projection = build(document, s, "projection"), *partitioning = build(document, s, "partitioning");
  const size_t times = 1 + (size_t)(round_seconds / run(projection, 1, &one));
  for (int i = 0; i < ROUNDS; i++) {
    projected[i] = 1e3 * run(projection, times, &one);
    partitioned[i] = 1e3 * run(partitioning, times, &other);
    ratios[i] = partitioned[i] / projected[i];
  }
  sort_times(projected, ROUNDS);
  sort_times(partitioned, ROUNDS);
  sort_times(ratios, ROUNDS);
  printf("%-24s %-7s %8.0e %10.3f %8llu %10.3f %8llu %7.2f %6.1f%%\n", name, s.method, s.tolerance,
         median(projected, ROUNDS), one, median(partitioned, ROUNDS), other, median(ratios, ROUNDS),
         100 * spread(ratios, ROUNDS));
  mbs_model_free(projection);
  mbs_model_free(partitioning);
  free(document);
}

int main(void) {
  printf("%-24s %-7s %8s %10s %8s %10s %8s %7s\n", "model", "method", "tol", "proj. ms", "evals", "part. ms", "evals",
         "ratio");
  bench("four-bar", models_file("tests/reference/models/crank-rocker.json"), (span){"dop853", 10, 10, 1e-8});
  bench("four-bar, 500 rows", models_file("tests/reference/models/crank-rocker.json"),
        (span){"dop853", 10, 0.02, 1e-8});
  bench("four-bar", models_file("tests/reference/models/crank-rocker.json"), (span){"dopri5", 10, 10, 1e-6});
  bench("slider-crank", models_named("SC"), (span){"dopri5", 2, 2, 1e-6});
  bench("slider-crank, 100 rows", models_named("SC"), (span){"dopri5", 2, 0.02, 1e-6});
  bench("squeezer", models_file("tests/reference/models/squeezer.json"), (span){"dopri5", 0.05, 0.05, 1e-6});
  bench("10 four-bars", models_four_bars(10), (span){"dop853", 10, 10, 1e-8});
  return 0;
}
