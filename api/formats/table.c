/* table.c - see table.h. */
#include "api/formats/table.h"

#include "api/formats/slice.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The array of coordinates and rates. */
#define COORDINATES "uT"

/* Reads the chosen columns that are in one array. Their numbers are at the same places as in `columns`. */
static service_status read_array(const api_table *table, const char *id, size_t array, size_t first, size_t stride,
                                 size_t count, const size_t *columns, size_t column_count, double *out) {
  size_t *own = malloc(2 * column_count * sizeof *own), *place = own + column_count, width = 0;
  if (!own) return SERVICE_FAILED;
  for (size_t k = 0; k < column_count; k++) {
    const api_table_column *column = &table->columns[columns[k]];
    if (column->array != array) continue;
    own[width] = column->column;
    place[width++] = k;
  }
  double *numbers = out && width ? malloc(count * width * sizeof *numbers) : NULL;
  service_status status = out && width && !numbers ? SERVICE_FAILED : SERVICE_OK;
  if (status == SERVICE_OK && width)
    status = table->source->read(table->source->context, id, table->arrays[array].name, first, stride, count, own,
                                 width, numbers);
  for (size_t row = 0; row < count && numbers && status == SERVICE_OK; row++)
    for (size_t k = 0; k < width; k++) out[row * column_count + place[k]] = numbers[row * width + k];
  free(numbers);
  free(own);
  return status;
}

/* Reads rows of the table, as service.read does; rows of the times are those of the source. */
static service_status read_table(void *context, const char *id, const char *name, size_t first, size_t stride,
                                 size_t count, const size_t *columns, size_t column_count, double *out) {
  const api_table *table = context;
  if (strcmp(name, API_TABLE) != 0)
    return table->source->read(table->source->context, id, name, first, stride, count, columns, column_count, out);
  service_status status = SERVICE_OK;
  for (size_t k = 0; k < column_count && status == SERVICE_OK; k++) {
    const size_t array = table->columns[columns[k]].array;
    bool read = false;
    for (size_t i = 0; i < k && !read; i++) read = table->columns[columns[i]].array == array;
    if (!read) status = read_array(table, id, array, first, stride, count, columns, column_count, out);
  }
  return status;
}

/* Returns true for an array that a table shows without being asked: coordinates, and arrays with one column, which are
 * sensors. */
static bool is_usual(const service_array *array, size_t labels) {
  return strcmp(array->name, COORDINATES) == 0 || (array->rank == 1 && labels == 1);
}

/* The texts of the columns so far. */
typedef struct table_texts {
  json_t *labels, *units, *seen;
} table_texts;

/* Adds the columns of an array whose labels are new. Returns false if memory runs out. */
static bool add_array(api_table *table, size_t index, table_texts *texts) {
  const service_array *array = &table->arrays[index];
  json_t *labels = array->labels ? json_loads(array->labels, 0, NULL) : NULL,
         *units = array->units ? json_loads(array->units, 0, NULL) : NULL, *label;
  const size_t count = json_array_size(labels);
  size_t k;
  api_table_column *columns = realloc(table->columns, (table->count + count + 1) * sizeof *columns);
  if (columns) table->columns = columns;
  size_t *usual = realloc(table->usual, (table->usual_count + count + 1) * sizeof *usual);
  if (usual) table->usual = usual;
  const bool good = labels && columns && usual;
  json_array_foreach(good ? labels : NULL, k, label) {
    const char *text = json_string_value(label), *unit = json_string_value(json_array_get(units, k));
    if (!text || json_object_get(texts->seen, text)) continue;
    json_object_set_new(texts->seen, text, json_true());
    json_array_append(texts->labels, label);
    json_array_append_new(texts->units, json_string(unit ? unit : ""));
    if (is_usual(array, count)) table->usual[table->usual_count++] = table->count;
    table->columns[table->count++] = (api_table_column){index, k};
  }
  json_decref(labels);
  json_decref(units);
  return good;
}

static bool describe(const api_table *table, const table_texts *texts, size_t rows, service_array *array) {
  *array = (service_array){.name = strdup(API_TABLE),
                           .unit = strdup(""),
                           .doc = strdup("columns of several arrays"),
                           .rank = 2,
                           .shape = {rows, table->count},
                           .labels = json_dumps(texts->labels, 0),
                           .units = json_dumps(texts->units, 0)};
  return array->name && array->unit && array->doc && array->labels && array->units;
}

bool api_table_open(api_table *table, const service *source, const service_array *arrays, size_t count,
                    service_array *array) {
  assert(source != NULL && array != NULL);
  *table = (api_table){.reader = *source, .source = source, .arrays = arrays};
  table->reader.context = table;
  table->reader.read = read_table;
  table_texts texts = {json_array(), json_array(), json_object()};
  bool good = texts.labels && texts.units && texts.seen;
  size_t rows = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    if (arrays[i].timeless || strcmp(arrays[i].name, API_TIMES) == 0) continue;
    good = good && add_array(table, i, &texts);
    if (arrays[i].shape[0] < rows) rows = arrays[i].shape[0];
  }
  good = good && describe(table, &texts, rows == SIZE_MAX ? 0 : rows, array);
  for (size_t i = 0; i < count; i++) array->partial |= arrays[i].partial;
  if (count) array->checksum = arrays[0].checksum;
  json_decref(texts.labels);
  json_decref(texts.units);
  json_decref(texts.seen);
  return good;
}

void api_table_free(api_table *table) {
  free(table->columns);
  free(table->usual);
  *table = (api_table){0};
}
