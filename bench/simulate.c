/* simulate.c - milliseconds of whole runs: integration and all results; for a sweep also building each model, which
 * differs from run to run. Thread CPU time, medians over rounds. Run from the root of the source. */
#include "models.h"
#include "times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9 };

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

/* Returns the largest difference of a joint coordinate at the end from a run of dop853 at 1e-13 [m, rad]. */
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

static void print(const char *name, run r, double times[ROUNDS], const mbs_report *report, double error) {
  sort_times(times, ROUNDS);
  printf("%-26s %-7s %8.0e %10.3f %6.1f%% %8llu %8llu %11.1e %11.1e\n", name, r.method, r.tolerance,
         1e3 * median(times, ROUNDS), 100 * spread(times, ROUNDS), (unsigned long long)report->steps,
         (unsigned long long)report->evaluations, error, report->energy_change_max);
}

/* Measures runs of a model. */
static void bench(const char *name, char *document, run r) {
  double times[ROUNDS];
  mbs_result *result = NULL;
  mbs_model *model = build(document, r);
  for (int round = 0; round < ROUNDS; round++) {
    mbs_result_free(result);
    const double start = now();
    run_once(name, model, &result);
    times[round] = now() - start;
  }
  print(name, r, times, &result->report, error_at_end(name, document, r, result));
  mbs_result_free(result);
  mbs_model_free(model);
  free(document);
}

/* Returns the document with another gravity for run i. */
static char *with_other_gravity(const char *document, int i) {
  static const char found[] = "-9.81";
  const char *at = strstr(document, found);
  size_t size = strlen(document) + 32;
  char *out = malloc(size);
  if (!at || !out) exit(1);
  snprintf(out, size, "%.*s%.15g%s", (int)(at - document), document, -9.81 * (0.9 + 0.2 * i / 1000.0),
           at + sizeof found - 1);
  return out;
}

/* Measures runs of different mechanisms of one structure, each built from its text: time per run. */
static void sweep(const char *name, char *document, run r) {
  enum { RUNS = 200 };
  double times[ROUNDS];
  mbs_result *result = NULL;
  for (int round = 0; round < ROUNDS; round++) {
    times[round] = 0;
    for (int i = 0; i < RUNS; i++) {
      char *other = with_other_gravity(document, (round * RUNS + i) % 1000);
      mbs_result_free(result);
      const double start = now();
      mbs_model *model = build(other, r);
      run_once(name, model, &result);
      times[round] += (now() - start) / RUNS;
      mbs_model_free(model);
      free(other);
    }
  }
  print(name, r, times, &result->report, NAN);
  mbs_result_free(result);
  free(document);
}

int main(void) {
  printf("%-26s %-7s %8s %10s %7s %8s %8s %11s %11s\n", "simulation", "method", "tol", "ms", "+-", "steps", "evals",
         "error", "energy [J]");
  static const double tolerances[] = {1e-8, 1e-9, 1e-10};
  for (int i = 0; i < 3; i++)
    bench("four-bar 10 s", models_file("tests/reference/models/crank-rocker.json"),
          (run){"dop853", 10, 10, tolerances[i]});
  bench("squeezer 0.05 s", models_file("tests/reference/models/squeezer.json"), (run){"dopri5", 0.05, 0.001, 1e-6});
  bench("squeezer 0.05 s, its end", models_file("tests/reference/models/squeezer.json"),
        (run){"dopri5", 0.05, 0.05, 1e-6});
  for (int i = 0; i < 3; i++) bench("40 four-bars 10 s", models_four_bars(40), (run){"dop853", 10, 10, tolerances[i]});
  bench("slider-crank 2 s", models_named("SC"), (run){"dopri5", 2, 0.02, 1e-6});
  bench("triple pendulum 10 s", models_named("TP"), (run){"dopri5", 10, 0.02, 1e-6});
  sweep("sweep of four-bars, 2 s", models_four_bars(1), (run){"dop853", 2, 2, 1e-8});
  return 0;
}
