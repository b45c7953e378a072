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

typedef struct run {
  const char *method;
  double t_end, dt, tolerance;
} run;

static mbs_model *build(const char *document, run r) {
  char analysis[256];
  snprintf(analysis, sizeof analysis,
           "{\"t_end\": %.17g, \"dt\": %.17g, \"integrator\": {\"method\": \"%s\", \"rtol\": %g, \"atol\": %g}}",
           r.t_end, r.dt, r.method, r.tolerance, r.tolerance);
  return models_build(document, analysis);
}

static void run_once(const char *name, const mbs_model *model, mbs_result **result) {
  if (mbs_run(model, NULL, result, NULL) == MBS_OK) return;
  fprintf(stderr, "%s failed\n", name);
  exit(1);
}

/* Largest difference of a coordinate of a joint, at the end, from a run of dop853 at 1e-13 [m, rad]. */
static double error_at_end(const char *name, const char *document, run r, const mbs_result *result) {
  mbs_model *model = build(document, (run){"dop853", r.t_end, r.dt, 1e-13});
  mbs_result *reference = NULL;
  run_once(name, model, &reference);
  size_t columns = models_columns(reference, "theta"), last = models_rows(reference) - 1;
  const double *at = models_row(result, "theta", last), *wanted = models_row(reference, "theta", last);
  double error = 0;
  for (size_t k = 0; k < columns; k++) error = fmax(error, fabs(at[k] - wanted[k]));
  mbs_result_free(reference);
  mbs_model_free(model);
  return error;
}

/* `times` runs of a model; `building` counts reading and building each time. */
static void bench(const char *name, char *document, run r, int times, bool building) {
  enum { ROUNDS = 5 };
  double best = INFINITY;
  mbs_result *result = NULL;
  mbs_model *model = build(document, r);
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    for (int i = 0; i < times; i++) {
      mbs_result_free(result);
      if (building) {
        mbs_model_free(model);
        model = build(document, r);
      }
      run_once(name, model, &result);
    }
    best = fmin(best, now() - start);
  }
  const mbs_report *report = &result->report;
  printf("%-26s %-7s %8.0e %10.3f %8llu %8llu %11.1e %11.1e %9.0f\n", name, r.method, r.tolerance, 1e3 * best,
         (unsigned long long)report->steps, (unsigned long long)report->evaluations,
         error_at_end(name, document, r, result), report->energy_change_max, times / best);
  mbs_result_free(result);
  mbs_model_free(model);
  free(document);
}

int main(void) {
  printf("%-26s %-7s %8s %10s %8s %8s %11s %11s %9s\n", "simulation", "method", "tol", "ms", "steps", "evals", "error",
         "energy [J]", "runs/s");
  static const double tolerances[] = {1e-8, 1e-9, 1e-10};
  for (int i = 0; i < 3; i++)
    bench("four-bar 10 s", models_file("tests/reference/models/crank-rocker.json"),
          (run){"dop853", 10, 10, tolerances[i]}, 1, false);
  bench("squeezer 0.05 s", models_file("tests/reference/models/squeezer.json"), (run){"dopri5", 0.05, 0.001, 1e-6}, 1,
        false);
  bench("squeezer 0.05 s, its end", models_file("tests/reference/models/squeezer.json"),
        (run){"dopri5", 0.05, 0.05, 1e-6}, 1, false);
  for (int i = 0; i < 3; i++)
    bench("40 four-bars 10 s", models_four_bars(40), (run){"dop853", 10, 10, tolerances[i]}, 1, false);
  bench("SC 2 s", models_named("SC"), (run){"dopri5", 2, 0.02, 1e-6}, 1, false);
  bench("TP 10 s", models_named("TP"), (run){"dopri5", 10, 0.02, 1e-6}, 1, false);
  bench("1000 four-bars of 2 s", models_four_bars(1), (run){"dop853", 2, 2, 1e-8}, 1000, true);
  return 0;
}
