/* Checks that results are finite. */
#include "run/overflow_check.h"

#include "base/norms.h"
#include "equations/forces.h"
#include "equations/law.h"
#include "run/notes.h"
#include "run/run_errors.h"

#include <math.h>
#include <stdio.h>

static bool is_finite(const mbs_array *array, size_t row) {
  const size_t count = array->timeless ? array->shape[0] : 1, columns = mbs_array_columns(array);
  return mbs_finite(array->data + (array->timeless ? 0 : row * columns), count * columns);
}

/* Returns the first force element with a force or energy that is not finite at the current state; NULL if there is
 * none. */
static const mbs_force *find_force(mbs_system *system) {
  for (size_t f = 0; f < system->model->force_count; f++) {
    const mbs_force *force = &system->model->forces[f];
    system->potential_forces = 0;
    force->cls->apply(system, force, f);
    if (!isfinite(system->potential_forces) || !mbs_outputs_finite(system, force)) return force;
  }
  return NULL;
}

/* Returns the first law of a force element whose value is not finite; NULL if there is none. */
static const mbs_law *find_law(const mbs_system *system, const mbs_force *force) {
  for (size_t l = 0; l < force->law_count; l++)
    if (force->laws[l].text && !isfinite(mbs_law_current(system, &force->laws[l]))) return &force->laws[l];
  return NULL;
}

/* Returns the first array that is not finite; NULL if there is none. */
static const mbs_array *find_array(const mbs_output *output, size_t row) {
  if (output->row_finite && output->added == 0) return NULL;
  for (size_t id = 0; id < MBS_OUTPUT_COUNT; id++)
    if (output->arrays[id] && !is_finite(output->arrays[id], row)) return output->arrays[id];
  return NULL;
}

static void remove_row(mbs_run_state *run, size_t row) {
  if (run->output.rows > row) run->output.rows = row;
  if (row == 0) run->result->report.energy_start = NAN;
}

mbs_status mbs_run_require_tables(mbs_run_state *run, size_t row) {
  const mbs_model *model = run->model;
  const mbs_output *output = &run->output;
  const double *signals = output->arrays[MBS_OUTPUT_SIGNALS] ? mbs_output_row(output, MBS_OUTPUT_SIGNALS, row) : NULL;
  bool outside = false;
  for (size_t i = 0; signals && i < model->signal_count && !outside; i++)
    outside = !isfinite(signals[i]) &&
              mbs_law_fails_outside(run->system, &model->signals[i].law, model->signals[i].name, run->error);
  for (size_t s = 0; output->sensors && s < model->sensor_count && !outside; s++)
    outside = output->sensors[s] && !isfinite(output->sensors[s]->data[row]) &&
              mbs_law_fails_outside(run->system, &model->sensors[s].law, model->sensors[s].name, run->error);
  if (!outside) return MBS_OK;
  remove_row(run, row);
  return MBS_OUTSIDE_TABLE;
}

mbs_status mbs_run_require_finite(mbs_run_state *run, size_t row, double t) {
  const mbs_status status = mbs_run_require_tables(run, row);
  if (status != MBS_OK) return status;
  const mbs_array *array = find_array(&run->output, row);
  if (array) {
    const mbs_force *force = find_force(run->system);
    remove_row(run, row);
    if (force)
      return mbs_run_fail(run, MBS_NOT_FINITE, t, force->name, "the force or the energy of '%s' is not finite",
                          force->name);
    return mbs_run_fail(run, MBS_NOT_FINITE, t, "", "the result '%s' contains numbers that are not finite",
                        array->name);
  }
  if (run->hooks && run->hooks->rows) run->hooks->rows(run->hooks->user, run->result, row + 1);
  return MBS_OK;
}

bool mbs_run_undefined_force(mbs_run_state *run, mbs_status status, double t) {
  const mbs_model *model = run->model;
  for (size_t f = 0; f < model->force_count && status == MBS_NOT_FINITE; f++) {
    const char *name = model->forces[f].name;
    if (mbs_outputs_finite(run->system, &model->forces[f])) continue;
    run->error->message[0] = 0;
    const mbs_law *law = find_law(run->system, &model->forces[f]);
    if (!law)
      mbs_run_fail(run, MBS_NOT_FINITE, t, name, "the force element '%s' has no finite value after t = %.9g", name, t);
    else
      mbs_run_fail(run, MBS_NOT_FINITE, t, name,
                   "the value '%.200s' of '%s' is not a finite number just after t = %.9g; write it so that it is "
                   "defined there, for example with abs(x) or max(x, 0) in place of x",
                   law->text, name, t);
    return true;
  }
  return false;
}

/* Counts the values of a sensor that are not finite. */
static mbs_non_finite count_non_finite(const mbs_array *sensor, const double *times) {
  mbs_non_finite found = {.sensor = sensor->name};
  for (size_t row = 0; row < sensor->shape[0]; row++) {
    if (isfinite(sensor->data[row])) continue;
    if (found.count++ == 0) found.first_time = times[row];
  }
  return found;
}

void mbs_run_report_non_finite(mbs_run_state *run) {
  const mbs_output *output = &run->output;
  mbs_report *report = &run->result->report;
  size_t sensors = run->model->sensor_count;
  report->non_finite = mbs_arena_alloc(run->result->arena, sensors + 1, sizeof *report->non_finite);
  for (size_t s = 0; report->non_finite && s < sensors; s++) {
    if (!output->sensors[s]) continue;
    mbs_non_finite found = count_non_finite(output->sensors[s], output->arrays[MBS_OUTPUT_T]->data);
    if (found.count > 0) report->non_finite[report->non_finite_count++] = found;
  }
  const mbs_non_finite *first = report->non_finite;
  if (!first || report->non_finite_count == 0) return;
  char others[64] = "";
  if (report->non_finite_count > 1) snprintf(others, sizeof others, " (and %zu more)", report->non_finite_count - 1);
  mbs_run_note(run,
               "the sensor '%s'%s has no finite value at %zu of %zu reporting times, first at t = %.9g; see non_finite "
               "in the report",
               first->sensor, others, first->count, output->rows, first->first_time);
}
