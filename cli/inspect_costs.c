/* inspect_costs.c - measures the cost of the parts of an evaluation: medians of processor time. */
#include "inspect.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Duration of a sample, long compared with the resolution of the clock, and the total for all samples of a part,
 * whatever the size of the model [s]. */
static const double sample_seconds = 50e-6, budget_seconds = 0.3;
enum { SAMPLES_LEAST = 5, SAMPLES_MOST = 101 };

static double processor_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double measure_once(mbs_inspection *inspection, mbs_part part, size_t times, mbs_status *status) {
  double began = processor_now();
  *status = mbs_inspect_evaluate(inspection, part, times);
  return processor_now() - began;
}

/* Measures a call without the parts before it, which mbs_inspect_evaluate() evaluates once: the time for no call is
 * subtracted. */
static double measure_call(mbs_inspection *inspection, mbs_part part, size_t times, mbs_status *status) {
  double before = measure_once(inspection, part, 0, status);
  return (measure_once(inspection, part, times, status) - before) / (double)times;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

cli_cost cli_measure(mbs_inspection *inspection, mbs_part part) {
  cli_cost cost = {.microseconds = NAN};
  double samples[SAMPLES_MOST], began = processor_now();
  size_t times = 1, count = 0;
  measure_once(inspection, part, 1, &cost.status);
  while (cost.status == MBS_OK && times < 1 << 16 &&
         measure_once(inspection, part, times, &cost.status) < sample_seconds)
    times *= 2;
  while (cost.status == MBS_OK && count < SAMPLES_MOST &&
         (count < SAMPLES_LEAST || processor_now() - began < budget_seconds))
    samples[count++] = measure_call(inspection, part, times, &cost.status);
  if (cost.status != MBS_OK) return cost;
  qsort(samples, count, sizeof *samples, compare);
  cost.microseconds = 1e6 * fmax(samples[count / 2], 0);
  cost.calls = count * times;
  return cost;
}
