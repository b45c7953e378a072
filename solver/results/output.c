/* output.c - see output.h. */
#include "results/output.h"

#include "equations/law.h"
#include "model/quantities.h"
#include "results/records.h"

#include <string.h>

/* ---- which models' runs have what ---------------------------------------------------------------------------- */

typedef bool has_output(const mbs_output *output);

static bool has_always(const mbs_output *output) { return (void)output, true; }
static bool has_later(const mbs_output *output) { return (void)output, false; }
static bool has_planar(const mbs_output *output) { return output->model->dim == 2; }
static bool has_spatial(const mbs_output *output) { return output->model->dim == 3; }
static bool has_forces(const mbs_output *output) { return output->forces; }
static bool has_curves(const mbs_output *output) { return output->model->curve_count > 0; }
static bool has_jacobian(const mbs_output *output) { return !output->jacobian_left_out; }

static bool has_euler_jacobian(const mbs_output *output) {
  return has_jacobian(output) && has_spatial(output) && output->model->body_formulation;
}

static bool has_square_jacobian(const mbs_output *output) {
  return has_euler_jacobian(output) && output->model->rows + output->model->nB == output->model->nq;
}

/* ---- the table ----------------------------------------------------------------------------------------------- */

enum { units_same, units_each };

static const struct {
  const char *name, *unit, *doc;
  has_output *has;
  mbs_axis *axes[2];
  mbs_record *record;
  int level, units;
} outputs[MBS_OUTPUT_COUNT] = {
#define MBS_OUTPUT(id, name, needs, axis1, axis2, level, unit, units, record, doc) \
  {name, unit, doc, has_##needs, {mbs_axis_##axis1, mbs_axis_##axis2}, mbs_record_##record, level, units_##units},
#include "model/outputs.def"
#undef MBS_OUTPUT
};

/* Every column in the unit of the array. */
static bool repeat_unit(mbs_array *array, mbs_arena *arena) {
  size_t count = mbs_array_columns(array);
  const char **units = mbs_arena_alloc(arena, count + 1, sizeof *units);
  for (size_t i = 0; units && i < count; i++) units[i] = array->unit;
  array->units = units;
  return units != NULL;
}

/* Shape, labels and units of an array with time. */
static bool open_columns(const mbs_model *model, mbs_output_id id, mbs_array *array, mbs_arena *arena) {
  mbs_columns axes[2], all;
  for (int k = 0; k < 2; k++)
    if (!outputs[id].axes[k](model, outputs[id].level, arena, &axes[k])) return false;
  array->rank = 1 + (axes[0].labels != NULL) + (axes[1].labels != NULL);
  array->shape[0] = model->nt;
  array->shape[1] = axes[0].count;
  array->shape[2] = axes[1].count;
  all = axes[0];
  if (array->rank == 3 && !mbs_columns_product(&axes[0], &axes[1], arena, &all)) return false;
  array->labels = array->rank == 1 ? &outputs[id].name : all.labels;
  array->units = all.units;
  return outputs[id].units == units_each || repeat_unit(array, arena);
}

static bool open_array(mbs_output *output, mbs_output_id id, mbs_result *result) {
  mbs_array *array = output->arrays[id] = &result->arrays[result->array_count++];
  array->name = outputs[id].name;
  array->unit = outputs[id].unit;
  array->doc = outputs[id].doc;
  if (!open_columns(output->model, id, array, result->arena)) return false;
  array->data = mbs_arena_alloc(result->arena, array->shape[0] * mbs_array_columns(array) + 1, sizeof(double));
  return array->data != NULL;
}

/* ---- sensors ------------------------------------------------------------------------------------------------- */

/* The unit of what a sensor reads: as the document says, else what its expression is of for certain, else "". */
static const char *sensor_unit(const mbs_model *model, const mbs_sensor *sensor, mbs_arena *arena) {
  if (sensor->unit[0]) return mbs_arena_text(arena, sensor->unit);
  return mbs_dimension_text(mbs_law_dimension(model, &sensor->law, arena), arena);
}

static bool open_sensor(const mbs_model *model, const mbs_sensor *sensor, mbs_result *result) {
  mbs_arena *arena = result->arena;
  mbs_array *array = &result->arrays[result->array_count++];
  const char **label = mbs_arena_alloc(arena, 1, sizeof *label), **unit = mbs_arena_alloc(arena, 1, sizeof *unit);
  if (!label || !unit) return false;
  *label = mbs_arena_text(arena, sensor->name);
  *unit = sensor_unit(model, sensor, arena);
  *array = (mbs_array){.name = *label,
                       .unit = mbs_arena_text(arena, sensor->unit),
                       .doc = mbs_arena_text(arena, sensor->doc),
                       .rank = 1,
                       .shape = {model->nt},
                       .labels = label,
                       .units = unit,
                       .data = mbs_arena_alloc(arena, model->nt + 1, sizeof(double))};
  return array->name && array->unit && array->doc && *unit && array->data;
}

/* ---- a run --------------------------------------------------------------------------------------------------- */

/* The Jacobian is the one array that grows with the square of the model. */
static bool is_jacobian_too_large(const mbs_model *model) {
  double rows = (double)model->rows + (model->dim == 3 ? (double)model->nB : 0);
  double bytes = (double)model->nt * rows * (double)model->nq * sizeof(double);
  return bytes > 0.25 * (double)model->limits.memory;
}

bool mbs_output_open_bare(mbs_output *output, const mbs_model *model, bool forces, mbs_result *result) {
  *output = (mbs_output){.model = model, .forces = forces, .jacobian_left_out = is_jacobian_too_large(model)};
  result->arrays = mbs_arena_alloc(result->arena, MBS_OUTPUT_COUNT + model->sensor_count + 1, sizeof *result->arrays);
  return result->arrays != NULL;
}

bool mbs_output_open(mbs_output *output, const mbs_model *model, bool forces, mbs_result *result) {
  mbs_arena *arena = result->arena;
  if (!mbs_output_open_bare(output, model, forces, result)) return false;
  for (int id = 0; id < MBS_OUTPUT_COUNT; id++)
    if (outputs[id].has(output) && !open_array(output, (mbs_output_id)id, result)) return false;
  if (output->arrays[MBS_OUTPUT_DET]) {
    output->workspace = mbs_arena_alloc(arena, model->nq * (model->nq + 1), sizeof *output->workspace);
    if (!output->workspace) return false;
  }
  output->sensors = result->arrays + result->array_count;
  for (size_t s = 0; s < model->sensor_count; s++)
    if (!open_sensor(model, &model->sensors[s], result)) return false;
  return true;
}

double *mbs_output_row(const mbs_output *output, mbs_output_id id, size_t row) {
  return output->arrays[id]->data + row * mbs_array_columns(output->arrays[id]);
}

void mbs_output_record(mbs_output *output, const mbs_system *system, size_t row) {
  const mbs_model *model = output->model;
  mbs_recording recording = {output, system, row, 0};
  for (int id = 0; id < MBS_OUTPUT_COUNT; id++) {
    if (!output->arrays[id] || output->arrays[id]->timeless) continue;
    recording.level = outputs[id].level;
    outputs[id].record(&recording, mbs_output_row(output, (mbs_output_id)id, row));
  }
  for (size_t s = 0; s < model->sensor_count; s++)
    output->sensors[s].data[row] = mbs_law_value(system, &model->sensors[s].law);
  if (row >= output->rows) output->rows = row + 1;
}

double *mbs_output_add(mbs_output *output, mbs_output_id id, mbs_result *result, int rank, const size_t *shape,
                       const char *const *labels, const char *const *units) {
  size_t count = 1;
  for (int k = 0; k < rank; k++) count *= shape[k];
  double *data = mbs_arena_alloc(result->arena, count + 1, sizeof *data);
  if (!data || !labels) return NULL;
  mbs_array *array = output->arrays[id] = &result->arrays[result->array_count++];
  *array = (mbs_array){.name = outputs[id].name,
                       .unit = outputs[id].unit,
                       .doc = outputs[id].doc,
                       .rank = rank,
                       .labels = labels,
                       .units = units,
                       .data = data,
                       .timeless = true};
  memcpy(array->shape, shape, (size_t)rank * sizeof *shape);
  return units || repeat_unit(array, result->arena) ? data : NULL;
}

void mbs_output_close(mbs_output *output) {
  for (int id = 0; id < MBS_OUTPUT_COUNT; id++)
    if (output->arrays[id] && !output->arrays[id]->timeless) output->arrays[id]->shape[0] = output->rows;
  for (size_t s = 0; output->sensors && s < output->model->sensor_count; s++)
    output->sensors[s].shape[0] = output->rows;
}
