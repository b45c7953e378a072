/* gradients.c - cost of the derivatives of a study, and agreement of the two ways to compute them.
 *
 *     build/release/bench/gradients [FILE ...]      {"model", "analysis", "study"}; default: four-bars, and a row of
 *                                               masses with many parameters
 *
 * Prints for each study, at the values of its document: the thread CPU time of a run; the cost in runs of the outputs'
 * derivatives by tangents (forward sensitivities) and by differences, each the median of five; the largest difference
 * of the two, relative to the largest entry of a row, with entries scaled by the size of each parameter. */
#include "api/jobs/build.h"
#include "derivatives/finite_difference.h"
#include "derivatives/forward_sensitivity.h"
#include "derivatives/parameter_size.h"
#include "models.h"
#include "study/point.h"
#include "times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5 };

typedef struct subject {
  const mbs_model *model;
  mbs_arena *arena;
  double *values, *sizes, *outputs, *gradient;
  bool *known;
  uint64_t evaluations;
} subject;

static double median_of(double *times) {
  sort_times(times, REPEATS);
  return median(times, REPEATS);
}

static double time_runs(subject *it) {
  double times[REPEATS];
  mbs_point_runs *runs = mbs_point_runs_new(it->model, it->arena);
  for (int k = 0; k < REPEATS; k++) {
    mbs_error error;
    const double start = now();
    if (mbs_point_run(runs, it->values, NULL, it->outputs, &error) != MBS_OK) fprintf(stderr, "%s\n", error.message);
    times[k] = now() - start;
  }
  it->evaluations = mbs_point_evaluations(runs);
  mbs_point_runs_free(runs);
  return median_of(times);
}

static double time_tangents(subject *it) {
  double times[REPEATS];
  mbs_error error;
  mbs_forward_sensitivity *forward = mbs_forward_sensitivity_new(it->model, it->arena);
  for (int k = 0; k < REPEATS; k++) {
    const double start = now();
    mbs_forward_sensitivity_at(forward, it->values, it->sizes, it->evaluations, NULL, it->gradient, it->known, &error);
    times[k] = now() - start;
  }
  mbs_forward_sensitivity_free(forward);
  return median_of(times);
}

/* Measures differences, and their largest difference from the tangents; NaN if tangents give no derivative. */
static double time_differences(subject *it, double *difference) {
  double times[REPEATS];
  mbs_error error;
  const struct mbs_plan *plan = it->model->plan;
  mbs_finite_difference *differences = mbs_finite_difference_new(it->model, it->arena);
  for (int k = 0; k < REPEATS; k++) {
    const double start = now();
    mbs_finite_difference_at(differences, it->values, it->sizes, NULL, 0, NULL, &error);
    times[k] = now() - start;
  }
  *difference = NAN;
  for (size_t i = 0; i < plan->output_count; i++) {
    const double *row = mbs_finite_difference_values(differences) + i * plan->vary_count,
                 *other = it->gradient + i * plan->vary_count;
    double most = 0, apart = NAN;
    for (size_t j = 0; j < plan->vary_count; j++) {
      const double size = it->sizes[j];
      most = fmax(most, fabs(row[j]) * size);
      if (it->known[j]) apart = fmax(apart, fabs(row[j] - other[j]) * size);
    }
    if (most > 0) *difference = fmax(*difference, apart / most);
  }
  mbs_finite_difference_free(differences);
  return median_of(times);
}

static void measure(const char *name, const char *text) {
  json_t *error = NULL;
  const mbs_limits limits = {0};
  mbs_model *model = api_build_text(text, strlen(text), &limits, &error);
  if (!model || !model->plan) {
    fprintf(stderr, "%s: no study can be made of it\n", name);
    exit(1);
  }
  const struct mbs_plan *plan = model->plan;
  mbs_arena *arena = mbs_arena_new(0);
  subject it = {.model = model,
                .arena = arena,
                .values = mbs_arena_alloc(arena, plan->vary_count, sizeof(double)),
                .sizes = mbs_arena_alloc(arena, plan->vary_count, sizeof(double)),
                .outputs = mbs_arena_alloc(arena, plan->output_count, sizeof(double)),
                .gradient = mbs_arena_alloc(arena, plan->output_count * plan->vary_count, sizeof(double)),
                .known = mbs_arena_alloc(arena, plan->vary_count, sizeof(bool))};
  for (size_t j = 0; j < plan->vary_count; j++) it.values[j] = model->parameters[plan->vary[j].parameter].value;
  mbs_parameter_sizes(model, it.values, it.sizes);
  double difference;
  const double run = time_runs(&it), tangents = time_tangents(&it), differences = time_differences(&it, &difference);
  size_t told = 0;
  for (size_t j = 0; j < plan->vary_count; j++) told += it.known[j];
  printf("%-34s %3zu %3zu   %9.3f   %8.2f   %8.2f   %9.1e\n", name, plan->vary_count, told, 1e3 * run, tangents / run,
         differences / run, difference);
  mbs_arena_free(arena);
  mbs_model_free(model);
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 22);
  if (!file || !text || fread(text, 1, (1 << 22) - 1, file) == 0) exit(1);
  fclose(file);
  return text;
}

static const char four_bar[] =
    "{\"model\": {\"name\": \"four-bar\", \"space\": \"planar\", \"gravity\": [0, -9.81],"
    "\"parameters\": {\"a\": 0.3, \"b\": 0.8, \"c\": 0.7, \"d\": 0.9},"
    "\"ground\": {\"points\": {\"O\": [0, 0], \"C\": [\"d\", 0]}}, \"bodies\": ["
    "{\"name\": \"crank\", \"mass\": 1, \"inertia\": 0.0075, \"points\": {\"A\": [\"-a/2\", 0], \"B\": [\"a/2\", 0]}},"
    "{\"name\": \"coupler\", \"mass\": 2, \"inertia\": 0.1, \"points\": {\"A\": [\"-b/2\", 0], \"B\": [\"b/2\", 0]}},"
    "{\"name\": \"rocker\", \"mass\": 1.5, \"inertia\": 0.06, \"points\": {\"A\": [\"-c/2\", 0], \"B\": [\"c/2\", "
    "0]}}],"
    "\"joints\": [{\"name\": \"O\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"crank.A\"],"
    "\"initial\": {\"position\": 1}},"
    "{\"name\": \"A\", \"type\": \"revolute\", \"points\": [\"crank.B\", \"coupler.A\"],"
    "\"initial\": {\"position\": -0.41}},"
    "{\"name\": \"C\", \"type\": \"revolute\", \"points\": [\"ground.C\", \"rocker.B\"],"
    "\"initial\": {\"position\": -1.467}},"
    "{\"name\": \"B\", \"type\": \"revolute\", \"points\": [\"coupler.B\", \"rocker.A\"], \"cut\": true}]},"
    "\"analysis\": {\"type\": \"dynamics\", \"t_end\": 2, \"dt\": 0.01,"
    "\"integrator\": {\"rtol\": %g, \"atol\": %g}},"
    "\"study\": {\"vary\": [%s], \"gradient\": true, \"outputs\": [{\"name\": \"end\", \"of\": \"crank.phi\"},"
    "{\"name\": \"most\", \"of\": \"crank.phi\", \"take\": \"max\"},"
    "{\"name\": \"rms\", \"of\": \"rocker.phi\", \"take\": \"rms\"}]}}";

/* Returns a study of a row of masses with 2 count + 1 parameters (gravity, springs and dampers) and three outputs. */
static char *study_of_masses(int count) {
  char *model = models_row_of_masses(count, ""), *vary = models_varied_of_masses(count);
  char *text = models_text(
      PART({
    "model": %s,
    "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.05, "integrator": {"rtol": 1e-11, "atol": 1e-11}},
    "study": {
      "gradient": true,
      "vary": %s,
      "outputs": [
        {"name": "end", "of": "b%d.x"},
        {"name": "most", "of": "b%d.x", "take": "max"},
        {"name": "rms", "of": "b%d.vx", "take": "rms"}
      ]
    }
  }),
                                                  model, vary, count - 1, count - 1, count / 2);
  free(model);
  free(vary);
  return text;
}

int main(int argc, char **argv) {
  static const char *const varied[] = {
      "{\"parameter\": \"a\"}",
      "{\"parameter\": \"a\"}, {\"parameter\": \"b\"}, {\"parameter\": \"c\"}, {\"parameter\": \"d\"}"};
  static const double tolerances[] = {1e-8, 1e-11};
  printf("study                                p told   run [ms]   tangents   differences   difference\n");
  for (int i = 1; i < argc; i++) {
    char *text = read_file(argv[i]);
    measure(argv[i], text);
    free(text);
  }
  for (int i = 0; i < 4 && argc == 1; i++) {
    char text[4096], name[64];
    snprintf(text, sizeof text, four_bar, tolerances[i / 2], tolerances[i / 2], varied[i % 2]);
    snprintf(name, sizeof name, "four-bar at %.0e, %d parameter%s", tolerances[i / 2], i % 2 ? 4 : 1, i % 2 ? "s" : "");
    measure(name, text);
  }
  for (int count = 4; count <= 20 && argc == 1; count += 16) {
    char *text = study_of_masses(count), name[64];
    snprintf(name, sizeof name, "%d masses at 1e-11", count);
    measure(name, text);
    free(text);
  }
  return 0;
}
