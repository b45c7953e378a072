/* output.c - see output.h. */
#include "results/output.h"

#include "base/norms.h"
#include "equations/law.h"
#include "model/quantities.h"
#include "results/records.h"

#include <assert.h>
#include <string.h>

/* ---- which models' runs have what ---------------------------------------------------------------------------- */

typedef bool has_output(const mbs_output *output);

static bool has_always(const mbs_output *output) { return (void)output, true; }
static bool has_later(const mbs_output *output) { return (void)output, false; }
static bool has_planar(const mbs_output *output) { return output->model->dim == 2; }
static bool has_spatial(const mbs_output *output) { return output->model->dim == 3; }
static bool has_forces(const mbs_output *output) { return output->forces; }
static bool has_states(const mbs_output *output) { return output->model->named_states > 0; }
static bool has_signals(const mbs_output *output) { return output->model->signal_count > 0; }
static bool has_curves(const mbs_output *output) { return output->model->curve_count > 0; }
static bool has_variables(const mbs_output *output) { return output->model->variable_count > 0; }
static bool has_sampled(const mbs_output *output) { return output->model->sampled_count > 0; }

static bool has_jacobian(const mbs_output *output) { return !output->jacobian_left_out && !output->jacobian_sparse; }

static bool has_sparse_jacobian(const mbs_output *output) {
  return !output->jacobian_left_out && output->jacobian_sparse;
}

static bool has_euler_jacobian(const mbs_output *output) {
  return has_jacobian(output) && has_spatial(output) && output->model->body_formulation;
}

static bool has_square_jacobian(const mbs_output *output) {
  return has_euler_jacobian(output) && output->model->bilateral_rows + output->model->nB == output->model->nq;
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

bool mbs_output_has(const mbs_output *output, mbs_output_id id) { return outputs[id].has(output); }

/* Sets the unit of every column to that of the array. */
static bool repeat_unit(mbs_array *array, mbs_arena *arena) {
  size_t count = mbs_array_columns(array);
  const char **units = mbs_arena_alloc(arena, count + 1, sizeof *units);
  for (size_t i = 0; units && i < count; i++) units[i] = array->unit;
  array->units = units;
  return units != NULL;
}

/* Sets the shape, labels and units of an array with time. */
static bool open_columns(const mbs_model *model, mbs_output_id id, mbs_array *array, mbs_arena *arena) {
  mbs_columns axes[2], all;
  for (int k = 0; k < 2; k++)
    if (!outputs[id].axes[k](model, outputs[id].level, arena, &axes[k])) return false;
  array->rank = 1 + (axes[0].labels != NULL) + (axes[1].labels != NULL);
  assert(array->rank >= 1 && array->rank <= 3);
  array->shape[0] = model->nt;
  array->shape[1] = axes[0].count;
  array->shape[2] = axes[1].count;
  all = axes[0];
  if (array->rank == 3 && !mbs_columns_product(&axes[0], &axes[1], arena, &all)) return false;
  array->labels = array->rank == 1 ? &outputs[id].name : all.labels;
  array->units = all.units;
  return outputs[id].units == units_each || repeat_unit(array, arena);
}

/* ---- which are kept ------------------------------------------------------------------------------------------ */

static bool is_named(const mbs_model *model, const char *name) {
  for (size_t i = 0; i < model->array_name_count; i++)
    if (strcmp(model->array_names[i], name) == 0) return true;
  return false;
}

static bool is_kept(const mbs_model *model, mbs_output_id id) {
  return model->array_name_count == 0 || id == MBS_OUTPUT_T || is_named(model, outputs[id].name);
}

/* Returns whether an array is needed because the run reads it itself or because another array is computed from it. The
 * state of an analysis of a single instant is its result. */
static bool is_needed(const mbs_model *model, mbs_output_id id) {
  if (is_kept(model, id) || id == MBS_OUTPUT_RESIDUALS || id == MBS_OUTPUT_ENERGY) return true;
  if (id == MBS_OUTPUT_UT && model->type >= MBS_ASSEMBLY) return true;
  const bool for_det = is_kept(model, MBS_OUTPUT_DET), for_Jac_p = for_det || is_kept(model, MBS_OUTPUT_JAC_P);
  return (id == MBS_OUTPUT_JAC && for_Jac_p) || (id == MBS_OUTPUT_JAC_P && for_det);
}

static bool sensor_is_kept(const mbs_model *model, const mbs_sensor *sensor) {
  return model->array_name_count == 0 || is_named(model, "sensors") || is_named(model, sensor->name);
}

/* Returns a new array of the result, or of the run itself if it is not stored. NULL if memory runs out. */
static mbs_array *new_array(const mbs_model *model, mbs_output_id id, mbs_result *result) {
  assert(result->array_count < MBS_OUTPUT_COUNT + model->sensor_count);
  return is_kept(model, id) ? &result->arrays[result->array_count++]
                            : mbs_arena_alloc(result->arena, 1, sizeof(mbs_array));
}

static bool open_array(mbs_output *output, mbs_output_id id, mbs_result *result) {
  mbs_array *array = output->arrays[id] = new_array(output->model, id, result);
  if (!array) return false;
  array->name = outputs[id].name;
  array->unit = outputs[id].unit;
  array->doc = outputs[id].doc;
  if (!open_columns(output->model, id, array, result->arena)) return false;
  const size_t columns = mbs_array_columns(array);
  output->recorded[output->recorded_count].id = id;
  output->recorded[output->recorded_count++].columns = columns;
  return true;
}

/* Allocates memory for all rows in one block. */
static bool open_rows(mbs_output *output, mbs_arena *arena) {
  enum { LINE = 8 }; /* doubles in a cache line, to which each array is aligned */
  const size_t rows = output->model->nt;
  size_t room = 0;
  for (size_t k = 0; k < output->recorded_count; k++) room += rows * output->recorded[k].columns + LINE;
  double *block = mbs_arena_alloc(arena, room, sizeof *block);
  for (size_t k = 0; block && k < output->recorded_count; k++) {
    output->arrays[output->recorded[k].id]->data = block;
    block += (rows * output->recorded[k].columns + LINE) / LINE * LINE;
  }
  return block != NULL;
}

/* ---- sensors ------------------------------------------------------------------------------------------------- */

/* Returns the unit of a sensor: as given in the document, otherwise the dimension of its expression if it is known,
 * otherwise "". */
static const char *sensor_unit(const mbs_model *model, const mbs_sensor *sensor, mbs_arena *arena) {
  if (sensor->unit[0]) return mbs_arena_text(arena, sensor->unit);
  return mbs_dimension_text(mbs_law_dimension(model, &sensor->law, arena), arena);
}

static bool open_sensor(const mbs_model *model, const mbs_sensor *sensor, mbs_result *result, mbs_array **out) {
  mbs_arena *arena = result->arena;
  mbs_array *array = *out = &result->arrays[result->array_count++];
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

/* Largest number of entries of the Jacobian as a table; a larger one is stored in compressed sparse rows. As a table,
 * it is the only array that grows with the square of the model size. */
static const double table_entries = 1e5;

double mbs_output_jacobian_bytes(const mbs_output *output) {
  const mbs_model *model = output->model;
  const double rows = (double)model->bilateral_rows + (model->dim == 3 ? (double)model->nB : 0);
  const double entries = output->jacobian_sparse ? (double)model->value_count : rows * (double)model->nq;
  return (double)model->nt * entries * sizeof(double);
}

bool mbs_output_open_bare(mbs_output *output, const mbs_model *model, bool forces, mbs_result *result) {
  *output = (mbs_output){.model = model, .forces = forces};
  output->jacobian_sparse = (double)model->bilateral_rows * (double)model->nv > table_entries;
  output->jacobian_left_out = mbs_output_jacobian_bytes(output) > 0.25 * (double)model->limits.memory;
  result->arrays = mbs_arena_alloc(result->arena, MBS_OUTPUT_COUNT + model->sensor_count + 1, sizeof *result->arrays);
  return result->arrays != NULL;
}

/* Adds the rows and columns of Jac_data. */
static bool add_pattern(mbs_output *output, mbs_result *result) {
  static const char *const columns[] = {"column"}, *const begins[] = {"begin"};
  const size_t rows = output->model->bilateral_rows, *row0 = output->entries.row0;
  double *column = mbs_output_add(output, MBS_OUTPUT_JAC_INDICES, result, 1, &output->entries.count, columns, NULL);
  double *begin = mbs_output_add(output, MBS_OUTPUT_JAC_INDPTR, result, 1, (size_t[]){rows + 1}, begins, NULL);
  if (!column || !begin) return false;
  for (size_t k = 0; k < output->entries.count; k++) column[k] = output->entries.column[k];
  for (size_t r = 0; r <= rows; r++) begin[r] = (double)row0[r];
  output->added = 0; /* finite once for all rows */
  return true;
}

bool mbs_output_open(mbs_output *output, const mbs_model *model, bool forces, mbs_result *result) {
  mbs_arena *arena = result->arena;
  if (!mbs_output_open_bare(output, model, forces, result)) return false;
  for (int id = 0; id < MBS_OUTPUT_COUNT; id++)
    if (outputs[id].has(output) && is_needed(model, (mbs_output_id)id) &&
        !open_array(output, (mbs_output_id)id, result))
      return false;
  if (!open_rows(output, arena)) return false;
  if ((output->arrays[MBS_OUTPUT_JAC] || output->arrays[MBS_OUTPUT_JAC_DATA]) &&
      !mbs_jacobian_entries_find(model, arena, &output->entries))
    return false;
  if (output->arrays[MBS_OUTPUT_DET]) {
    output->workspace = mbs_arena_alloc(arena, model->nq * (model->nq + 1), sizeof *output->workspace);
    if (!output->workspace) return false;
  }
  output->sensors = mbs_arena_alloc(arena, model->sensor_count + 1, sizeof *output->sensors);
  if (!output->sensors) return false;
  for (size_t s = 0; s < model->sensor_count; s++)
    if (sensor_is_kept(model, &model->sensors[s]) &&
        !open_sensor(model, &model->sensors[s], result, &output->sensors[s]))
      return false;
  return !output->arrays[MBS_OUTPUT_JAC_DATA] || add_pattern(output, result);
}

double *mbs_output_row(const mbs_output *output, mbs_output_id id, size_t row) {
  assert(output->arrays[id] != NULL);
  return output->arrays[id]->data + row * mbs_array_columns(output->arrays[id]);
}

/* Returns whether all numbers of a row are finite. Arrays are checked after all of them are written, because a vector
 * load immediately after scalar stores stalls the processor. */
static bool is_finite(const mbs_output *output, size_t row) {
  bool finite = true;
  for (size_t k = 0; k < output->recorded_count; k++) {
    const size_t columns = output->recorded[k].columns;
    finite &= mbs_finite(output->arrays[output->recorded[k].id]->data + row * columns, columns);
  }
  return finite;
}

/* Fills a row of the recorded array `k`. */
static void record_array(const mbs_output *output, const mbs_system *system, size_t row, size_t k) {
  const mbs_output_id id = output->recorded[k].id;
  const mbs_recording recording = {output, system, row, outputs[id].level};
  outputs[id].record(&recording, output->arrays[id]->data + row * output->recorded[k].columns);
}

void mbs_output_record(mbs_output *output, const mbs_system *system, size_t row) {
  assert(row < output->model->nt);
  const mbs_model *model = output->model;
  for (size_t k = 0; k < output->recorded_count; k++) record_array(output, system, row, k);
  double *signals = output->arrays[MBS_OUTPUT_SIGNALS] ? mbs_output_row(output, MBS_OUTPUT_SIGNALS, row) : NULL;
  for (size_t i = 0; signals && i < model->signal_count; i++)
    signals[i] = mbs_law_value(system, &model->signals[i].law);
  output->row_finite = is_finite(output, row);
  for (size_t s = 0; s < model->sensor_count; s++)
    if (output->sensors[s]) output->sensors[s]->data[row] = mbs_law_value(system, &model->sensors[s].law);
  if (row >= output->rows) output->rows = row + 1;
}

double *mbs_output_add(mbs_output *output, mbs_output_id id, mbs_result *result, int rank, const size_t *shape,
                       const char *const *labels, const char *const *units) {
  assert(rank >= 1 && rank <= 4);
  size_t count = 1;
  for (int k = 0; k < rank; k++) count *= shape[k];
  double *data = mbs_arena_alloc(result->arena, count + 1, sizeof *data);
  if (!data || !labels) return NULL;
  mbs_array *array = output->arrays[id] = new_array(output->model, id, result);
  if (!array) return NULL;
  *array = (mbs_array){.name = outputs[id].name,
                       .unit = outputs[id].unit,
                       .doc = outputs[id].doc,
                       .rank = rank,
                       .labels = labels,
                       .units = units,
                       .data = data,
                       .timeless = true};
  memcpy(array->shape, shape, (size_t)rank * sizeof *shape);
  output->added++;
  return units || repeat_unit(array, result->arena) ? data : NULL;
}

void mbs_output_close(mbs_output *output) {
  assert(output->rows <= output->model->nt);
  for (int id = 0; id < MBS_OUTPUT_COUNT; id++)
    if (output->arrays[id] && !output->arrays[id]->timeless) output->arrays[id]->shape[0] = output->rows;
  for (size_t s = 0; output->sensors && s < output->model->sensor_count; s++)
    if (output->sensors[s]) output->sensors[s]->shape[0] = output->rows;
}
