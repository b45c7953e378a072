/* Estimates the error of a run by its difference from a run with a tenth of the tolerances. If errors are proportional
 * to the tolerance, that is 0.9 of the error. If motions are chaotic, or events fall on different sides of a reporting
 * time, it is the distance of the two motions. */
#include "simulate/error_estimate.h"

#include "results/output.h"
#include "run/notes.h"
#include "simulate/second_run.h"

#include <math.h>

/* Adds the array error_estimate, and the largest entry of each column with its time. */
static bool compare(const mbs_model *model, mbs_result *result, const mbs_result *second) {
  const mbs_array *uT = mbs_result_array(result, "uT"), *fine = mbs_result_array(second, "uT"),
                  *T = mbs_result_array(result, "T");
  size_t n = model->state.z, rows = uT->shape[0];
  mbs_accuracy *accuracy = result->report.accuracy;
  mbs_output output = {.model = model};
  double *difference =
      mbs_output_add(&output, MBS_OUTPUT_ERROR_ESTIMATE, result, 2, (size_t[]){rows, n}, uT->labels, uT->units);
  double *largest = mbs_arena_alloc(result->arena, n + 1, sizeof *largest),
         *time = mbs_arena_alloc(result->arena, n + 1, sizeof *time);
  if (!difference || !largest || !time) return false;
  output.arrays[MBS_OUTPUT_ERROR_ESTIMATE]->timeless = false;
  for (size_t k = 0; k < n; k++) time[k] = *T->data;
  for (size_t i = 0; i < rows * n; i++) {
    /* y_tol - y_(tol/10); NaN where the second run has ended before */
    difference[i] = i / n < fine->shape[0] ? uT->data[i] - fine->data[i] : NAN;
    if (!(fabs(difference[i]) > largest[i % n])) continue;
    largest[i % n] = fabs(difference[i]);
    time[i % n] = T->data[i / n];
  }
  accuracy->global_error = largest;
  accuracy->global_error_time = time;
  return true;
}

static mbs_status estimate(const mbs_model *model, const mbs_hooks *hooks, mbs_result *result, mbs_error *error) {
  mbs_model finer;
  mbs_result *second = NULL;
  mbs_error why = {.time = NAN};
  mbs_progress_part part = {.host = hooks, .from = 0.4, .share = 0.6, .evaluations = result->report.evaluations};
  const mbs_hooks own = mbs_part_hooks(&part);
  mbs_status status = MBS_OK;
  mbs_accuracy *accuracy = result->report.accuracy;
  if (!mbs_second_model(model, model, &result->report, &finer)) {
    mbs_report_note(result, "no error estimate: the run used up its limits of time or evaluations, so that the second "
                            "run, with which it would be compared, was not made; raise the limits");
    return MBS_OK;
  }
  mbs_refine(&finer);
  status = mbs_run(&finer, &own, &second, &why);
  accuracy->second = (mbs_second_run){.rtol = accuracy->rtol / 10,
                                      .atol = accuracy->atol / 10,
                                      .fixed_step = accuracy->fixed_step / 2,
                                      .evaluations = second ? second->report.evaluations : 0,
                                      .steps = second ? second->report.steps : 0};
  if (status == MBS_OK && !compare(model, result, second)) status = MBS_NO_MEMORY;
  if (second && hooks && hooks->now) result->report.wall_seconds += second->report.wall_seconds;
  if (status != MBS_OK && part.cancelled)
    *error = why;
  else if (status != MBS_OK)
    mbs_report_note(result, "no error estimate: the second run, with tighter tolerances, failed with %s: %s",
                    mbs_status_code(status), why.message);
  mbs_result_free(second);
  return part.cancelled ? status : MBS_OK;
}

mbs_status mbs_run_twice(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result, mbs_error *error) {
  mbs_model once = *model;
  mbs_error local;
  mbs_progress_part part = {.host = hooks, .from = 0, .share = 0.4};
  const mbs_hooks own = mbs_part_hooks(&part);
  once.error_estimate = false;
  if (!error) error = &local;
  mbs_status status = mbs_run(&once, &own, result, error);
  if (!*result) return status;
  if ((*result)->report.accuracy) return status == MBS_OK ? estimate(model, hooks, *result, error) : status;
  mbs_report_note(*result, "'error_estimate' is not available: this analysis does not integrate over time");
  return status;
}
