/* rows.c - cost of a row of results compared with an evaluation of the same model: runs with many reporting times minus
 * runs with one, in one run of one thread; thread CPU time, medians. Run from the root of the source. */
#include "equations/evaluate.h"
#include "equations/system.h"
#include "models.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 15, ROWS = 10000 };

static mbs_model *build(const char *document, const char *method, size_t rows) {
  char analysis[256];
  snprintf(analysis, sizeof analysis,
           "{\"type\": \"dynamics\", \"t_end\": 2, \"dt\": %.17g,"
           " \"integrator\": {\"method\": \"%s\", \"rtol\": 1e-8, \"atol\": 1e-8}}",
           2.0 / (double)rows, method);
  return models_build(document, analysis);
}

/* Returns the seconds of a run. */
static double run(const mbs_model *model) {
  mbs_result *result = NULL;
  const double start = now();
  if (mbs_run(model, NULL, &result, NULL) != MBS_OK) exit(1);
  const double taken = now() - start;
  mbs_result_free(result);
  return taken;
}

/* Returns the seconds of an evaluation. */
static double evaluate(mbs_system *system) {
  enum { CALLS = 2000 };
  const mbs_constants *constants = system->constants;
  const double start = now();
  for (int i = 0; i < CALLS; i++) mbs_evaluate(system, 0, constants->q0, constants->v0);
  return (now() - start) / CALLS;
}

static void bench(const char *name, char *document, const char *method) {
  double evaluations[ROUNDS], rows[ROUNDS], ratios[ROUNDS];
  mbs_model *many = build(document, method, ROWS), *one = build(document, method, 1);
  mbs_arena *arena = mbs_arena_new(0);
  mbs_system *system = mbs_system_new(one, arena);
  if (!system) exit(1);
  for (int i = 0; i < ROUNDS; i++) {
    evaluations[i] = 1e9 * evaluate(system);
    rows[i] = 1e9 * (run(many) - run(one)) / (ROWS - 1);
    ratios[i] = rows[i] / evaluations[i];
  }
  sort_times(evaluations, ROUNDS);
  sort_times(rows, ROUNDS);
  sort_times(ratios, ROUNDS);
  printf("%-24s %-7s %13.0f %10.0f %8.2f\n", name, method, median(evaluations, ROUNDS), median(rows, ROUNDS),
         median(ratios, ROUNDS));
  mbs_arena_free(arena);
  mbs_model_free(one);
  mbs_model_free(many);
  free(document);
}

int main(void) {
  printf("%-24s %-7s %13s %10s %8s\n", "model", "method", "evaluation ns", "row ns", "ratio");
  bench("four-bar", models_file("tests/reference/models/crank-rocker.json"), "dop853");
  bench("four-bar", models_file("tests/reference/models/crank-rocker.json"), "dopri5");
  bench("slider-crank (SC)", models_named("SC"), "dop853");
  bench("8 four-bars", models_four_bars(8), "dop853");
  bench("chain of 8", models_chain(8, 0.5), "dop853");
  return 0;
}
