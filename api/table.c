/* table.c - see table.h. */
#include "table.h"

#include "words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers read at once, unless a row has more. */
enum { BLOCK_NUMBERS = 16384 };

bool api_table_open(api_table *table, const service *host, const char *id, service_array *array) {
  *table = (api_table){.service = host, .array = *array, .stride = 1};
  *array = (service_array){0};
  snprintf(table->id, sizeof table->id, "%s", id);
  table->count = table->array.shape[0];
  table->column_count = 1;
  for (int i = 1; i < table->array.rank; i++) table->column_count *= table->array.shape[i];
  table->labels = table->array.labels ? json_loads(table->array.labels, 0, NULL) : NULL;
  table->columns = malloc((table->column_count + 1) * sizeof *table->columns);
  if (!table->labels || !table->columns) return false;
  for (size_t i = 0; i < table->column_count; i++) table->columns[i] = i;
  return true;
}

void api_table_close(api_table *table) {
  service_array_free(&table->array);
  json_decref(table->labels);
  free(table->columns);
  free(table->block);
  *table = (api_table){0};
}

static const char *label_at(const api_table *table, size_t index) {
  const char *label = json_string_value(json_array_get(table->labels, index));
  return label ? label : "";
}

/* The column whose label begins `list` and ends at a comma or the end, the longest of several; -1 where none does. */
static long find_label(const api_table *table, const char *list, size_t *length) {
  long found = -1;
  size_t index;
  json_t *label;
  json_array_foreach(table->labels, index, label) {
    const char *text = json_string_value(label);
    size_t size = json_string_length(label);
    if (!text || strncmp(list, text, size) != 0 || (list[size] != ',' && list[size] != '\0')) continue;
    if (found >= 0 && size <= *length) continue;
    found = (long)index;
    *length = size;
  }
  return found;
}

static void explain_label(const api_table *table, const char *list, char why[512]) {
  size_t count = json_array_size(table->labels);
  const char **known = calloc(count + 1, sizeof *known);
  char word[128], hint[256] = "";
  snprintf(word, sizeof word, "%.*s", (int)strcspn(list, ","), list);
  for (size_t i = 0; known && i < count; i++) known[i] = label_at(table, i);
  if (known) api_hint(known, count, word, hint, sizeof hint);
  snprintf(why, 512, "Array '%.100s' has no column '%s'; %s", table->array.name, word, hint);
  free(known);
}

bool api_table_choose(api_table *table, const char *list, char why[512]) {
  size_t *columns = NULL, count = 0;
  for (const char *at = list;; at++) {
    size_t length = 0;
    long column = find_label(table, at, &length);
    size_t *grown = column < 0 ? NULL : realloc(columns, (count + 1) * sizeof *columns);
    if (!grown) {
      if (column < 0)
        explain_label(table, at, why);
      else
        snprintf(why, 512, "Out of memory");
      free(columns);
      return false;
    }
    columns = grown;
    columns[count++] = (size_t)column;
    at += length;
    if (*at == '\0') break;
  }
  free(table->columns);
  table->columns = columns;
  table->column_count = count;
  table->chosen = true;
  return true;
}

static service_status read_time(const api_table *table, size_t row, double *time) {
  size_t column = 0;
  return table->service->read(table->service->host, table->id, API_TIMES, row, 1, 1, &column, 1, time);
}

/* The number of rows whose time is < `bound`, or <= `bound` if `inclusive`. */
static service_status count_before(const api_table *table, double bound, bool inclusive, size_t *rows) {
  size_t low = 0, high = table->array.shape[0];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    double time = 0;
    service_status status = read_time(table, middle, &time);
    if (status != SERVICE_OK) return status;
    if (time < bound || (inclusive && time <= bound))
      low = middle + 1;
    else
      high = middle;
  }
  *rows = low;
  return SERVICE_OK;
}

service_status api_table_cut(api_table *table, double from, double to, size_t stride) {
  /* Times are multiples of dt: 0.3 asked for must find 0.30000000000000004. */
  const double slack = 1e-9;
  size_t first = 0, end = table->array.shape[0];
  service_status status = SERVICE_OK;
  if (!isnan(from)) status = count_before(table, from - slack * fabs(from), false, &first);
  if (status == SERVICE_OK && !isnan(to)) status = count_before(table, to + slack * fabs(to), true, &end);
  if (status != SERVICE_OK) return status;
  table->first = first;
  table->stride = stride;
  table->count = end > first ? (end - first - 1) / stride + 1 : 0;
  return SERVICE_OK;
}

ssize_t api_table_next(api_table *table) {
  size_t width = table->column_count ? table->column_count : 1;
  size_t most = width < BLOCK_NUMBERS ? BLOCK_NUMBERS / width : 1;
  size_t left = table->count - table->done;
  size_t rows = left < most ? left : most;
  if (rows == 0) return 0;
  if (!table->block) table->block = malloc(most * width * sizeof *table->block);
  if (!table->block) return -1;
  size_t first = table->first + table->done * table->stride;
  if (table->column_count > 0 &&
      table->service->read(table->service->host, table->id, table->array.name, first, table->stride, rows,
                           table->columns, table->column_count, table->block) != SERVICE_OK) {
    return -1;
  }
  for (size_t i = 0; i < rows * table->column_count; i++) table->non_finite += !isfinite(table->block[i]);
  table->done += rows;
  return (ssize_t)rows;
}

bool api_table_times(const api_table *table, size_t first, size_t count, double *times) {
  size_t column = 0;
  return table->service->read(table->service->host, table->id, API_TIMES, table->first + first * table->stride,
                              table->stride, count, &column, 1, times) == SERVICE_OK;
}

int api_table_shape(const api_table *table, size_t shape[API_RANK_MAX]) {
  shape[0] = table->count;
  if (table->chosen) {
    shape[1] = table->column_count;
    return 2;
  }
  for (int i = 1; i < table->array.rank; i++) shape[i] = table->array.shape[i];
  return table->array.rank;
}

const char *api_table_label(const api_table *table, size_t column) { return label_at(table, table->columns[column]); }
