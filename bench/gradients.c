/* gradients.c - cost and error of the derivatives of a study.
 *
 *     build/release/bench/gradients [FILE ...]      {"model", "analysis", "study"}; default: four-bars, the vibration
 *                                               absorber, and rows of masses with many parameters
 *
 * Prints for each study, at the values of its document:
 *   p, told           number of parameters, and of those whose derivatives forward sensitivity gives
 *   alone, lanes      thread CPU time [us] of a run made separately, and of a run in a batch (run_batch.h)
 *   tangents          cost of all derivatives, as a study computes them, in runs made separately
 *   in lanes          the same for one parameter, in runs of a batch
 *   differences       cost of all derivatives by finite differences, in runs made separately
 *   difference        largest difference of the two gradients
 *   value, gradient   largest errors of the outputs and of the derivatives, by comparison with the tolerance 1e-12
 * Times are medians of rounds that measure all of them in turn. Outputs are compared relative to themselves,
 * derivatives relative to the largest entry of their row, with entries scaled by the sizes of their parameters. */
#include "derivatives/gradients.h"
#include "api/jobs/build.h"
#include "derivatives/finite_difference.h"
#include "derivatives/forward_sensitivity.h"
#include "derivatives/parameter_size.h"
#include "models.h"
#include "simulate/second_run.h"
#include "study/point.h"
#include "study/run_batch.h"
#include "times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 7, BATCH = 64 };

typedef struct subject {
  const mbs_model *model;
  mbs_arena *arena;
  double *values, *sizes, *outputs;
  uint64_t evaluations;
  double alone[REPEATS], lanes[REPEATS], tangents[REPEATS], differences[REPEATS];
} subject;

static double median_of(double *times) {
  sort_times(times, REPEATS);
  return median(times, REPEATS);
}

static double *allocate(const subject *it, size_t count) { return mbs_arena_alloc(it->arena, count, sizeof(double)); }

static double time_run(subject *it, mbs_point_runs *runs) {
  mbs_error error;
  const double start = now();
  if (mbs_point_run(runs, it->values, NULL, it->outputs, &error) != MBS_OK) fprintf(stderr, "%s\n", error.message);
  it->evaluations = mbs_point_evaluations(runs);
  return now() - start;
}

/* Returns the time of a run in a batch, where values differ by up to a thousandth. */
static double time_batch(const subject *it, mbs_run_batch *batch, mbs_run_batch_run *runs) {
  const size_t count = it->model->plan->vary_count;
  for (int i = 0; i < BATCH; i++)
    for (size_t j = 0; j < count; j++) runs[i].values[j] = it->values[j] * (1 + 1e-3 * i / BATCH);
  const double start = now();
  mbs_run_batch_make(batch, runs, BATCH, NULL);
  return (now() - start) / BATCH;
}

static double time_gradient(const subject *it, mbs_gradients *gradients) {
  mbs_error error = {.status = MBS_OK};
  const double start = now();
  if (mbs_gradients_at(gradients, it->values, it->evaluations, NULL, &error) != MBS_OK)
    fprintf(stderr, "%s\n", error.message);
  return now() - start;
}

static double time_differences(const subject *it, mbs_finite_difference *differences) {
  mbs_error error = {.status = MBS_OK};
  const double start = now();
  mbs_finite_difference_at(differences, it->values, it->sizes, NULL, 0, NULL, &error);
  return now() - start;
}

/* Measures everything in turn. Returns the gradient [output_count x vary_count]; *other is that by differences. */
static const double *time_all(subject *it, const double **other) {
  const mbs_model *model = it->model;
  mbs_point_runs *runs = mbs_point_runs_new(model, it->arena);
  mbs_run_batch *batch = mbs_runs_are_batchable(model) ? mbs_run_batch_new(model, BATCH, it->arena) : NULL;
  mbs_run_batch_run *made = mbs_arena_alloc(it->arena, BATCH, sizeof *made);
  mbs_gradients *gradients = mbs_gradients_new(model, it->arena);
  mbs_finite_difference *differences = mbs_finite_difference_new(model, it->arena);
  mbs_run_batch_open_runs(model, made, BATCH, it->arena);
  for (int k = 0; k < REPEATS; k++) {
    it->alone[k] = time_run(it, runs);
    it->lanes[k] = batch ? time_batch(it, batch, made) : it->alone[k];
    it->tangents[k] = time_gradient(it, gradients);
    it->differences[k] = time_differences(it, differences);
  }
  *other = mbs_finite_difference_values(differences);
  const double *gradient = mbs_gradients_values(gradients);
  mbs_point_runs_free(runs);
  if (batch) mbs_run_batch_free(batch);
  mbs_gradients_free(gradients);
  mbs_finite_difference_free(differences);
  return gradient;
}

/* Returns the number of parameters whose derivatives forward sensitivity gives. */
static size_t count_told(const subject *it) {
  const struct mbs_plan *plan = it->model->plan;
  mbs_error error;
  mbs_forward_sensitivity *forward = mbs_forward_sensitivity_new(it->model, it->arena);
  bool *known = mbs_arena_alloc(it->arena, plan->vary_count, sizeof *known);
  mbs_forward_sensitivity_at(forward, it->values, it->sizes, it->evaluations, NULL,
                             allocate(it, plan->output_count * plan->vary_count), known, &error);
  mbs_forward_sensitivity_free(forward);
  size_t told = 0;
  for (size_t j = 0; j < plan->vary_count; j++) told += known[j];
  return told;
}

/* Returns the largest difference of two gradients, relative to the largest entry of each row. */
static double distance(const subject *it, const double *gradient, const double *other) {
  const struct mbs_plan *plan = it->model->plan;
  double worst = 0;
  for (size_t i = 0; i < plan->output_count; i++) {
    double most = 0, apart = 0;
    for (size_t j = 0; j < plan->vary_count; j++) {
      const size_t k = i * plan->vary_count + j;
      most = fmax(most, fabs(other[k]) * it->sizes[j]);
      apart = fmax(apart, fabs(gradient[k] - other[k]) * it->sizes[j]);
    }
    if (most > 0) worst = fmax(worst, apart / most);
  }
  return worst;
}

/* Computes the error of the outputs, and that of a gradient, from a motion with the tolerance 1e-12. */
static void find_errors(const subject *it, const double *gradient, double *of_values, double *of_gradient) {
  mbs_model exact = *it->model;
  const struct mbs_plan *plan = exact.plan;
  double *outputs = allocate(it, plan->output_count);
  mbs_error error;
  mbs_refine_to(&exact, 1e-12);
  exact.method = "dop853";
  mbs_gradients *gradients = mbs_gradients_new(&exact, it->arena);
  *of_values = 0;
  mbs_gradients_outputs(gradients, it->values, NULL, outputs, &error);
  mbs_gradients_at(gradients, it->values, it->evaluations, NULL, &error);
  for (size_t i = 0; i < plan->output_count; i++)
    *of_values = fmax(*of_values, fabs(it->outputs[i] - outputs[i]) / fabs(outputs[i]));
  *of_gradient = distance(it, gradient, mbs_gradients_values(gradients));
  mbs_gradients_free(gradients);
}

static void measure(const char *name, const char *text) {
  json_t *failure = NULL;
  const mbs_limits limits = {0};
  mbs_model *model = api_build_text(text, strlen(text), &limits, &failure);
  if (!model || !model->plan) {
    fprintf(stderr, "%s: no study can be made of it\n", name);
    exit(1);
  }
  const struct mbs_plan *plan = model->plan;
  subject it = {.model = model, .arena = mbs_arena_new(0)};
  it.values = allocate(&it, plan->vary_count);
  it.sizes = allocate(&it, plan->vary_count);
  it.outputs = allocate(&it, plan->output_count);
  for (size_t j = 0; j < plan->vary_count; j++) it.values[j] = model->parameters[plan->vary[j].parameter].value;
  mbs_parameter_sizes(model, it.values, it.sizes);
  const double *other, *gradient = time_all(&it, &other);
  double of_values, of_gradient;
  find_errors(&it, gradient, &of_values, &of_gradient);
  const double alone = median_of(it.alone), lanes = median_of(it.lanes), tangents = median_of(it.tangents);
  printf("%-34s %3zu %3zu %9.1f %9.1f %9.2f %9.2f %9.2f %10.1e %9.1e %9.1e\n", name, plan->vary_count, count_told(&it),
         1e6 * alone, 1e6 * lanes, tangents / alone, tangents / lanes / (double)plan->vary_count,
         median_of(it.differences) / alone, distance(&it, gradient, other), of_values, of_gradient);
  mbs_arena_free(it.arena);
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
    "\"study\": {\"vary\": [%s], \"gradient\": true, \"outputs\": [%s]}}";

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

/* Outputs of the four-bar: without and with kinks. */
static const char smooth_outputs[] = "{\"name\": \"end\", \"of\": \"crank.phi\"},"
                                     "{\"name\": \"most\", \"of\": \"crank.phi\", \"take\": \"max\"},"
                                     "{\"name\": \"rms\", \"of\": \"rocker.phi\", \"take\": \"rms\"}",
                  kinked_outputs[] = "{\"name\": \"way\", \"of\": \"abs(crank.omega)\", \"take\": \"integral\"},"
                                     "{\"name\": \"rms\", \"of\": \"max(rocker.omega, 0)\", \"take\": \"rms\"}";

/* Measures a four-bar with one parameter or all of its lengths. */
static void measure_four_bar(double tolerance, bool all, bool kinked) {
  static const char *const varied[] = {
      "{\"parameter\": \"a\"}",
      "{\"parameter\": \"a\"}, {\"parameter\": \"b\"}, {\"parameter\": \"c\"}, {\"parameter\": \"d\"}"};
  char text[4096], name[64];
  snprintf(text, sizeof text, four_bar, tolerance, tolerance, varied[all], kinked ? kinked_outputs : smooth_outputs);
  snprintf(name, sizeof name, "%s at %.0e, %d parameter%s", kinked ? "kinked" : "four-bar", tolerance, all ? 4 : 1,
           all ? "s" : "");
  measure(name, text);
}

int main(int argc, char **argv) {
  static const double tolerances[] = {1e-6, 1e-8, 1e-11};
  printf("study                                p told     alone     lanes  tangents  in lanes differences difference"
         "     value  gradient\n");
  for (int i = 1; i < argc; i++) {
    char *text = read_file(argv[i]);
    measure(argv[i], text);
    free(text);
  }
  for (int i = 0; i < 6 && argc == 1; i++) measure_four_bar(tolerances[i / 2], i % 2, false);
  for (int all = 0; all < 2 && argc == 1; all++) measure_four_bar(tolerances[0], all, true);
  if (argc == 1) {
    char *text = read_file("studies/Absorber.json");
    measure("Absorber", text);
    free(text);
  }
  for (int count = 4; count <= 20 && argc == 1; count += 16) {
    char *text = study_of_masses(count), name[64];
    snprintf(name, sizeof name, "%d masses at 1e-11", count);
    measure(name, text);
    free(text);
  }
  return 0;
}
