/* json.c - {"name", "shape", "labels", "units", "unit", "description", "data", "non_finite"}: the data is nested by its
 * shape; non-finite values are null, and their number is given at the end. */
#include "api/formats/json.h"

#include "api/base/values.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static bool json_begin(const api_slice *slice, api_buffer *out) {
  size_t shape[API_RANK_MAX];
  int rank = api_slice_shape(slice, shape);
  json_t *sizes = json_array();
  for (int i = 0; i < rank; i++) json_array_append_new(sizes, json_integer((json_int_t)shape[i]));
  json_t *labels = json_array(), *units = json_array();
  for (size_t i = 0; i < slice->column_count; i++) {
    json_array_append_new(labels, api_json_text(api_slice_label(slice, i)));
    json_array_append_new(units, api_json_text(api_slice_unit(slice, i)));
  }
  json_t *head = json_object();
  json_object_set_new(head, "name", api_json_text(slice->array.name));
  json_object_set_new(head, "shape", sizes);
  json_object_set_new(head, "labels", labels);
  json_object_set_new(head, "units", units);
  json_object_set_new(head, "unit", api_json_text(slice->array.unit));
  json_object_set_new(head, "description", api_json_text(slice->array.doc));
  if (slice->array.partial) json_object_set_new(head, "complete", json_false());
  char *text = api_json_string(head);
  if (!text) return false;
  api_buffer_text(out, text);
  free(text);
  out->size--; /* without the closing brace: the data follows */
  api_buffer_text(out, ",\"data\":[");
  return true;
}

/* Appends a row as nested arrays of depth `rank`. Returns the first number that was not used. */
static const double *print_nested(const size_t *shape, int rank, const double *numbers, api_buffer *out) {
  assert(rank >= 0 && rank < API_RANK_MAX);
  if (rank == 0) {
    if (isfinite(*numbers))
      api_buffer_number(out, *numbers);
    else
      api_buffer_text(out, "null");
    return numbers + 1;
  }
  api_buffer_byte(out, '[');
  for (size_t i = 0; i < shape[0]; i++) {
    if (i) api_buffer_byte(out, ',');
    numbers = print_nested(shape + 1, rank - 1, numbers, out);
  }
  api_buffer_byte(out, ']');
  return numbers;
}

static bool json_rows(const api_slice *slice, size_t first, size_t count, api_buffer *out) {
  size_t shape[API_RANK_MAX];
  int rank = api_slice_shape(slice, shape);
  for (size_t i = 0; i < count; i++) {
    if (first + i) api_buffer_byte(out, ',');
    print_nested(shape + 1, rank - 1, slice->block + i * slice->column_count, out);
  }
  return true;
}

static void json_end(const api_slice *slice, api_buffer *out) {
  api_buffer_print(out, "],\"non_finite\":%zu}\n", slice->non_finite);
}

const api_format api_format_json = {
    "json", "application/json", "application/json", json_begin, json_rows, json_end,
};
