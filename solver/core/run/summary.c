/* summary.c - see summary.h. */
#include "run/summary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Finds the extremes of column `column` of an array with time. */
static mbs_extremes find_extremes(const mbs_array *array, size_t column, const double *times) {
  assert(column < mbs_array_columns(array));
  const size_t columns = mbs_array_columns(array);
  mbs_extremes found = {.name = array->labels[column],
                        .unit = array->units[column],
                        .min = NAN,
                        .min_time = NAN,
                        .max = NAN,
                        .max_time = NAN};
  for (size_t row = 0; row < array->shape[0]; row++) {
    const double value = array->data[row * columns + column];
    if (!isfinite(value)) continue;
    if (!(value >= found.min)) {
      found.min = value;
      found.min_time = times[row];
    }
    if (!(value <= found.max)) {
      found.max = value;
      found.max_time = times[row];
    }
  }
  return found;
}

static void add_sensors(const mbs_run_state *run, const double *times) {
  mbs_report *report = &run->result->report;
  const size_t count = run->model->sensor_count;
  report->sensors = mbs_arena_alloc(run->result->arena, count + 1, sizeof *report->sensors);
  for (size_t s = 0; report->sensors && s < count; s++)
    if (run->output.sensors[s])
      report->sensors[report->sensor_count++] = find_extremes(run->output.sensors[s], 0, times);
}

/* Adds the extremes of the multipliers of the drivers' rows. */
static void add_efforts(const mbs_run_state *run, const double *times) {
  const mbs_model *model = run->model;
  const mbs_array *multipliers = run->output.arrays[MBS_OUTPUT_LAM];
  mbs_report *report = &run->result->report;
  report->efforts = mbs_arena_alloc(run->result->arena, model->driver_count + 1, sizeof *report->efforts);
  for (size_t d = 0; report->efforts && multipliers && d < model->driver_count; d++)
    if (model->drivers[d].row >= 0)
      report->efforts[report->effort_count++] = find_extremes(multipliers, (size_t)model->drivers[d].row, times);
}

/* Adds the state and the energies of the last row. */
static void add_final(const mbs_run_state *run) {
  assert(run->output.rows > 0);
  const mbs_model *model = run->model;
  const mbs_output *output = &run->output;
  mbs_report *report = &run->result->report;
  const size_t last = output->rows - 1;
  report->final_time = *mbs_output_row(output, MBS_OUTPUT_T, last);
  if (output->forces) {
    const double *energies = mbs_output_row(output, MBS_OUTPUT_ENERGY, last);
    report->kinetic_final = energies[0];
    report->potential_final = energies[1];
  }
  if (!output->arrays[MBS_OUTPUT_UT]) return;
  report->q_final = mbs_arena_alloc(run->result->arena, model->state.z + 1, sizeof(double));
  if (!report->q_final) return;
  report->v_final = report->q_final + model->nq;
  memcpy(report->q_final, mbs_output_row(output, MBS_OUTPUT_UT, last), model->state.z * sizeof(double));
}

static void add_modes(const mbs_run_state *run) {
  const mbs_output *output = &run->output;
  const mbs_array *frequencies = output->arrays[MBS_OUTPUT_FREQUENCIES];
  mbs_report *report = &run->result->report;
  if (!frequencies) return;
  report->modes = mbs_arena_alloc(run->result->arena, frequencies->shape[0] + 1, sizeof *report->modes);
  if (!report->modes) return;
  report->mode_count = frequencies->shape[0];
  for (size_t k = 0; k < report->mode_count; k++) {
    const double *eigenvalue = output->arrays[MBS_OUTPUT_EIGENVALUES]->data + 2 * k;
    report->modes[k] = (mbs_mode){.eigenvalue = {eigenvalue[0], eigenvalue[1]},
                                  .frequency = frequencies->data[k],
                                  .damping_ratio = output->arrays[MBS_OUTPUT_DAMPING_RATIOS]->data[k]};
  }
}

void mbs_run_summarize(mbs_run_state *run) {
  mbs_report *report = &run->result->report;
  report->recorded = run->output.rows;
  if (report->recorded == 0) return;
  const double *times = run->output.arrays[MBS_OUTPUT_T]->data;
  add_final(run);
  add_sensors(run, times);
  add_efforts(run, times);
  add_modes(run);
}
