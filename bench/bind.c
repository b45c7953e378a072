/* bind.c - microseconds to bind the numbers of a model to other parameters, and to rebuild the model. Medians over
 * rounds, thread CPU time. Run from the root of the source. */
#include "equations/evaluate.h"
#include "equations/system.h"
#include "models.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 31 };

static void bench(const char *name) {
  enum { BINDINGS = 200, BUILDS = 5 };
  char *text = models_named(name);
  mbs_model *model = models_build(text, NULL);
  mbs_arena *arena = mbs_arena_new(0);
  mbs_constants *constants = mbs_constants_new(model, arena);
  mbs_diagnostics list = {0};
  double *values = calloc(model->parameter_count + 1, sizeof *values), binds[ROUNDS], builds[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    double start = now();
    for (int k = 0; k < BINDINGS; k++) {
      for (size_t i = 0; i < model->parameter_count; i++) values[i] = model->parameters[i].value * (1 + 1e-4 * k);
      if (mbs_bind(constants, values, &list) != MBS_OK) exit(1);
    }
    binds[round] = (now() - start) / BINDINGS;
    start = now();
    for (int k = 0; k < BUILDS; k++) mbs_model_free(models_build(text, NULL));
    builds[round] = (now() - start) / BUILDS;
  }
  sort_times(binds, ROUNDS);
  sort_times(builds, ROUNDS);
  const double bind = median(binds, ROUNDS), build = median(builds, ROUNDS);
  printf("%-22s bind %8.2f us   read and build %8.1f us   ratio %6.1f\n", name, 1e6 * bind, 1e6 * build, build / bind);
  free(values);
  mbs_arena_free(arena);
  mbs_model_free(model);
  free(text);
}

int main(void) {
  static const char *const names[] = {"FourBar",    "SC",           "MP_A",     "SliderCrank3D",
                                      "Suspension", "PistonEngine", "McPherson"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) bench(names[i]);
  return 0;
}
