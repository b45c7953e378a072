/* What overflowed is no answer. */
#include "run/finite.h"

#include "equations/forces.h"
#include "run/errors.h"

#include <math.h>

static bool is_finite(const mbs_array *array, size_t row) {
  size_t count = array->timeless ? array->shape[0] : 1, columns = mbs_array_columns(array);
  const double *data = array->data + (array->timeless ? 0 : row * columns);
  for (size_t i = 0; i < count * columns; i++)
    if (!isfinite(data[i])) return false;
  return true;
}

/* The first force element that exerts or stores something that is not finite at the state in hand; NULL: none. */
static const mbs_force *find_force(mbs_system *system) {
  for (size_t f = 0; f < system->model->force_count; f++) {
    const mbs_force *force = &system->model->forces[f];
    system->potential_forces = 0;
    force->cls->apply(system, force, f);
    if (!isfinite(system->potential_forces) || !mbs_outputs_finite(system, force)) return force;
  }
  return NULL;
}

mbs_status mbs_run_require_finite(mbs_run_state *run, size_t row, double t) {
  for (size_t id = 0; id < MBS_OUTPUT_COUNT; id++) {
    const mbs_array *array = run->output.arrays[id];
    if (!array || is_finite(array, row)) continue;
    const mbs_force *force = find_force(run->system);
    if (run->output.rows > row) run->output.rows = row; /* the row is left out */
    if (row == 0) run->result->report.energy_start = 0;
    if (force)
      return mbs_run_fail(run, MBS_NOT_FINITE, t, force->name, "the force or the energy of '%s' is not finite",
                          force->name);
    return mbs_run_fail(run, MBS_NOT_FINITE, t, "", "the result '%s' has numbers that are not finite", array->name);
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
    mbs_run_fail(run, MBS_NOT_FINITE, t, name, "the force element '%s' has no finite value after t = %.9g", name, t);
    return true;
  }
  return false;
}
