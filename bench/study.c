/* study.c - runs of a study, one by one and in batches of as many as there are lanes.
 *
 *     build/release/bench/study [part of a line's name [together]]
 *
 * Studies whose runs have gravity of different size and direction, 2 s at 1e-8 unless stated otherwise: thread CPU time
 * of a single run and of one in a batch, medians of alternating rounds, and the ratio. "final": the last value of a
 * coordinate; "three": a final value, a maximum and an rms. */
#include "models.h"
#include "times.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options from the command line. */
static const char *wanted = "";
static bool only_together;

enum { ROUNDS = 5, RUNS = 512 };

/* Builds the document with two parameters for gravity, and a study of it. */
static mbs_model *build(const char *text, const char *method, double end, const char *outputs) {
  mbs_diagnostics list = {0};
  json_t *document = json_loads(text, 0, NULL);
  const char *space = json_string_value(json_object_get(document, "space"));
  const bool spatial = space && strcmp(space, "spatial") == 0;
  if (!json_object_get(document, "parameters")) json_object_set_new(document, "parameters", json_object());
  json_object_set_new(json_object_get(document, "parameters"), "gx", json_real(0));
  json_object_set_new(json_object_get(document, "parameters"), "gy", json_real(9.81));
  json_object_set_new(document, "gravity",
                      spatial ? json_pack("[s, i, s]", "gx", 0, "-gy") : json_pack("[s, s]", "gx", "-gy"));
  char *changed = json_dumps(document, 0);
  char *analysis = models_text(
      PART({
                                 "type": "dynamics",
                                 "t_end": %g,
                                 "dt": %g,
                                 "integrator": {"method": "%s", "rtol": 1e-8, "atol": 1e-10}
                               }),
             end, end, method);
  char *study = models_text(PART({
                              "vary": [
                                {"parameter": "gx", "uniform": [-2, 2]},
                                {"parameter": "gy", "uniform": [7, 12]}
                              ],
                              "design": "random",
                              "runs": %d,
                              "outputs": [%s]
                            }), RUNS, outputs);
  mbs_model *model = models_try_build_study(changed, analysis, study, &list);
  if (!model) fprintf(stderr, "%s %s\n", list.items[0].pointer, list.items[0].message);
  json_decref(document);
  free(changed);
  free(analysis);
  free(study);
  return model;
}

/* Returns the seconds per run. */
static double time_runs(const mbs_model *model, bool together) {
  mbs_study *study = mbs_study_new(model);
  double values[2], outputs[8];
  mbs_error error;
  const double start = now();
  if (together) mbs_study_prefetch(study, 0, RUNS);
  for (size_t i = 0; i < RUNS; i++)
    if (mbs_study_run(study, i, NULL, values, outputs, &error) != MBS_OK) fprintf(stderr, "%s\n", error.message);
  const double seconds = (now() - start) / RUNS;
  mbs_study_free(study);
  return seconds;
}

static void bench(const char *name, char *text, const char *method, double end, const char *body, const char *last) {
  for (int three = 0; three < 2; three++) {
    char label[64];
    snprintf(label, sizeof label, "%s, %s, %s", name, method, three ? "three" : "final");
    if (!strstr(label, wanted)) continue;
    char *outputs =
        three ? models_text("{\"name\": \"end\", \"of\": \"%s.%s\"}, {\"name\": \"most\", \"of\": \"%s.x\", \"take\": "
                            "\"max\"}, {\"name\": \"rms\", \"of\": \"%s.y\", \"take\": \"rms\"}",
                            body, last, body, body)
              : models_text("{\"name\": \"end\", \"of\": \"%s.%s\"}", body, last);
    mbs_model *model = build(text, method, end, outputs);
    double alone[ROUNDS], together[ROUNDS];
    for (int k = 0; model && k < ROUNDS; k++) {
      alone[k] = only_together ? 0 : time_runs(model, false);
      together[k] = time_runs(model, true);
    }
    sort_times(alone, ROUNDS);
    sort_times(together, ROUNDS);
    const double one = median(alone, ROUNDS), four = median(together, ROUNDS);
    printf("%-44s %9.1f %9.1f %7.2f\n", label, 1e6 * one, 1e6 * four, one / four);
    fflush(stdout);
    mbs_model_free(model);
    free(outputs);
  }
  free(text);
}

int main(int count, char **arguments) {
  if (count > 1) wanted = arguments[1];
  only_together = count > 2 && strcmp(arguments[2], "together") == 0;
  printf("study                                         alone [us]  together  ratio\n");
  bench("four-bar", models_named("FourBar"), "dopri5", 2, "rocker", "phi");
  bench("four-bar", models_named("FourBar"), "dop853", 2, "rocker", "phi");
  bench("slider-crank", models_named("SC"), "dopri5", 2, "slider", "phi");
  bench("squeezer 0.05 s", models_file("tests/reference/models/squeezer.json"), "dopri5", 0.05, "K1", "phi");
  bench("double pendulum", models_chain(2, 0.3), "dopri5", 2, "rod2", "phi");
  bench("triple pendulum", models_named("TP"), "dopri5", 2, "disc", "phi");
  bench("chain of 8", models_chain(8, 0.3), "dopri5", 2, "rod8", "phi");
  bench("spatial four-bar, rod", models_named("RSSR_rod"), "dopri5", 2, "rocker", "z");
  bench("spatial four-bar, ball", models_named("RSSR_ball"), "dopri5", 2, "rocker", "z");
  bench("spatial four-bar, ball", models_named("RSSR_ball"), "dop853", 2, "rocker", "z");
  bench("four-bar in space", models_in_space(models_named("FourBar")), "dopri5", 2, "rocker", "x");
  bench("spatial chain of 8", models_spatial_chain(8, false), "dopri5", 2, "rod8", "z");
  bench("spatial chain of 8, balls", models_spatial_chain(8, true), "dopri5", 2, "rod8", "z");
  bench("four-bar, a wave",
        models_named_with("FourBar",
                          JSON({"forces": [{"name": "wave", "type": "torque", "body": "crank", "value": "sin(5*t)"}]})),
        "dopri5", 2, "rocker", "phi");
  bench("four-bar, a stop", models_named_with("FourBar", JSON({
                                                "forces": [{
                                                  "name": "stop",
                                                  "type": "torque",
                                                  "body": "rocker",
                                                  "value": "if(rocker.phi < -2, 2000*(-2 - rocker.phi), 0)"
                                                }]
                                              })),
        "dopri5", 2, "rocker", "phi");
  bench("four-bar, driven by pieces",
        models_named_with("FourBar", JSON({
                            "drivers": [{
                              "name": "motor",
                              "type": "joint",
                              "joint": "O",
                              "function": {"ramp": {"t0": 0, "t1": 1, "f0": 1, "speed": 3}}
                            }]
                          })),
        "dopri5", 2, "rocker", "phi");
  bench("falling double rod", models_named("Rod2"), "dopri5", 2, "second", "phi");
  return 0;
}
