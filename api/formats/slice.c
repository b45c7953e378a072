/* slice.c - see slice.h. */
#include "api/formats/slice.h"

#include "api/base/name_list.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks and pieces have so many numbers, unless a row has more. A block is read at a time, as some thousand numbers
 * cost as much as a few. A piece is returned at a time; it becomes text, which may have to wait for the client. */
enum { BLOCK_NUMBERS = 16384, PIECE_NUMBERS = 1024 };

struct api_slice_cache {
  size_t first, rows; /* rows of the slice */
  double *times;      /* [rows], NULL until they are needed */
  double numbers[];   /* rows x column_count */
};

bool api_slice_open(api_slice *slice, const service *source, const char *id, service_array *array) {
  *slice = (api_slice){.service = source, .array = *array, .stride = 1};
  *array = (service_array){0};
  snprintf(slice->id, sizeof slice->id, "%s", id);
  slice->count = slice->array.shape[0];
  slice->column_count = 1;
  for (int i = 1; i < slice->array.rank; i++) slice->column_count *= slice->array.shape[i];
  slice->labels = slice->array.labels ? json_loads(slice->array.labels, 0, NULL) : NULL;
  slice->units = slice->array.units ? json_loads(slice->array.units, 0, NULL) : NULL;
  slice->columns = malloc((slice->column_count + 1) * sizeof *slice->columns);
  if (!slice->labels || !slice->columns) return false;
  for (size_t i = 0; i < slice->column_count; i++) slice->columns[i] = i;
  return true;
}

void api_slice_close(api_slice *slice) {
  service_array_free(&slice->array);
  json_decref(slice->labels);
  json_decref(slice->units);
  free(slice->columns);
  api_slice_drop_buffer(slice);
  *slice = (api_slice){0};
}

static const char *label_at(const api_slice *slice, size_t index) {
  const char *label = json_string_value(json_array_get(slice->labels, index));
  return label ? label : "";
}

/* Returns the column whose label begins `list` and ends at a comma or the end, the longest of several; -1 if there is
 * none. */
static long find_label(const api_slice *slice, const char *list, size_t *length) {
  long found = -1;
  size_t index;
  json_t *label;
  json_array_foreach(slice->labels, index, label) {
    const char *text = json_string_value(label);
    size_t size = json_string_length(label);
    if (!text || strncmp(list, text, size) != 0 || (list[size] != ',' && list[size] != '\0')) continue;
    if (found >= 0 && size <= *length) continue;
    found = (long)index;
    *length = size;
  }
  return found;
}

static void explain_label(const api_slice *slice, const char *list, char why[512]) {
  size_t count = json_array_size(slice->labels);
  const char **known = calloc(count + 1, sizeof *known);
  char word[128], hint[256] = "";
  snprintf(word, sizeof word, "%.*s", (int)strcspn(list, ","), list);
  for (size_t i = 0; known && i < count; i++) known[i] = label_at(slice, i);
  if (known) api_name_hint(known, count, word, hint, sizeof hint);
  snprintf(why, 512, "Array '%.100s' has no column '%s'; %s", slice->array.name, word, hint);
  free(known);
}

bool api_slice_choose(api_slice *slice, const char *list, char why[512]) {
  assert(!slice->chosen && slice->done == 0);
  size_t *columns = NULL, count = 0;
  for (const char *at = list;; at++) {
    size_t length = 0;
    long column = find_label(slice, at, &length);
    size_t *grown = column < 0 ? NULL : realloc(columns, (count + 1) * sizeof *columns);
    if (!grown) {
      if (column < 0)
        explain_label(slice, at, why);
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
  free(slice->columns);
  slice->columns = columns;
  slice->column_count = count;
  slice->chosen = true;
  return true;
}

void api_slice_take(api_slice *slice, const size_t *columns, size_t count) {
  assert(!slice->chosen && slice->done == 0 && count <= slice->column_count);
  memcpy(slice->columns, columns, count * sizeof *columns);
  slice->column_count = count;
  slice->chosen = true;
}

static service_status read_time(const api_slice *slice, size_t row, double *time) {
  size_t column = 0;
  return slice->service->read(slice->service->context, slice->id, API_TIMES, row, 1, 1, &column, 1, time);
}

/* Counts the rows whose time is < `bound`, or <= `bound` if `inclusive`. */
static service_status count_before(const api_slice *slice, double bound, bool inclusive, size_t *rows) {
  size_t low = 0, high = slice->array.shape[0];
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    double time = 0;
    service_status status = read_time(slice, middle, &time);
    if (status != SERVICE_OK) return status;
    if (time < bound || (inclusive && time <= bound))
      low = middle + 1;
    else
      high = middle;
  }
  *rows = low;
  return SERVICE_OK;
}

void api_slice_rows(api_slice *slice, size_t from, size_t to, size_t stride) {
  assert(stride > 0);
  size_t end = to < slice->array.shape[0] ? to : slice->array.shape[0];
  slice->first = from;
  slice->stride = stride;
  slice->count = end > from ? (end - from - 1) / stride + 1 : 0;
}

service_status api_slice_cut(api_slice *slice, double from, double to, size_t stride) {
  /* Times are multiples of dt: a request for 0.3 must find 0.30000000000000004. */
  const double slack = 1e-9;
  size_t first = 0, end = slice->array.shape[0];
  service_status status = SERVICE_OK;
  if (!isnan(from)) status = count_before(slice, from - slack * fabs(from), false, &first);
  if (status == SERVICE_OK && !isnan(to)) status = count_before(slice, to + slack * fabs(to), true, &end);
  if (status == SERVICE_OK) api_slice_rows(slice, first, end, stride);
  return status;
}

void api_slice_drop_buffer(api_slice *slice) {
  if (slice->cache) free(slice->cache->times);
  free(slice->cache);
  slice->cache = NULL;
  slice->block = NULL;
}

void api_slice_seek(api_slice *slice, size_t row) {
  assert(row <= slice->count);
  slice->done = row;
  slice->non_finite = 0;
}

static bool is_cached(const api_slice *slice, size_t row) {
  return slice->cache && row >= slice->cache->first && row - slice->cache->first < slice->cache->rows;
}

/* Reads rows in advance, from the next one on. Returns false if they cannot be read. */
static bool read_block(api_slice *slice, size_t width) {
  assert(width > 0 && slice->done < slice->count);
  size_t most = width < BLOCK_NUMBERS ? BLOCK_NUMBERS / width : 1, left = slice->count - slice->done;
  size_t rows = left < most ? left : most, first = slice->first + slice->done * slice->stride;
  api_slice_drop_buffer(slice);
  api_slice_cache *cache = malloc(sizeof *cache + rows * width * sizeof cache->numbers[0]);
  if (!cache) return false;
  cache->first = slice->done;
  cache->rows = rows;
  cache->times = NULL;
  slice->cache = cache;
  return slice->column_count == 0 ||
         slice->service->read(slice->service->context, slice->id, slice->array.name, first, slice->stride, rows,
                              slice->columns, slice->column_count, cache->numbers) == SERVICE_OK;
}

ssize_t api_slice_next(api_slice *slice) {
  size_t width = slice->column_count ? slice->column_count : 1;
  if (slice->done >= slice->count) return 0;
  if (!is_cached(slice, slice->done) && !read_block(slice, width)) {
    api_slice_drop_buffer(slice);
    return -1;
  }
  const api_slice_cache *cache = slice->cache;
  size_t most = width < PIECE_NUMBERS ? PIECE_NUMBERS / width : 1, at = slice->done - cache->first;
  size_t left = cache->rows - at, rows = left < most ? left : most;
  slice->block = cache->numbers + at * slice->column_count;
  for (size_t i = 0; i < rows * slice->column_count; i++) slice->non_finite += !isfinite(slice->block[i]);
  slice->done += rows;
  assert(rows > 0 && slice->done <= slice->count);
  return (ssize_t)rows;
}

/* Reads the times of all rows that were read in advance. */
static bool read_times(const api_slice *slice) {
  api_slice_cache *cache = slice->cache;
  if (cache->times) return true;
  cache->times = malloc((cache->rows + 1) * sizeof *cache->times);
  size_t column = 0, first = slice->first + cache->first * slice->stride;
  if (cache->times && slice->service->read(slice->service->context, slice->id, API_TIMES, first, slice->stride,
                                           cache->rows, &column, 1, cache->times) == SERVICE_OK) {
    return true;
  }
  free(cache->times);
  cache->times = NULL;
  return false;
}

bool api_slice_times(const api_slice *slice, size_t first, size_t count, double *times) {
  if (count == 0) return true;
  if (!is_cached(slice, first) || !is_cached(slice, first + count - 1) || !read_times(slice)) return false;
  memcpy(times, slice->cache->times + (first - slice->cache->first), count * sizeof *times);
  return true;
}

int api_slice_shape(const api_slice *slice, size_t shape[API_RANK_MAX]) {
  assert(slice->array.rank >= 1 && slice->array.rank <= API_RANK_MAX);
  shape[0] = slice->count;
  if (slice->chosen) {
    shape[1] = slice->column_count;
    return 2;
  }
  for (int i = 1; i < slice->array.rank; i++) shape[i] = slice->array.shape[i];
  return slice->array.rank;
}

const char *api_slice_label(const api_slice *slice, size_t column) {
  assert(column < slice->column_count);
  return label_at(slice, slice->columns[column]);
}

const char *api_slice_unit(const api_slice *slice, size_t column) {
  assert(column < slice->column_count);
  const char *unit = json_string_value(json_array_get(slice->units, slice->columns[column]));
  return unit ? unit : "";
}
