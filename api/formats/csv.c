/* csv.c - a header row of labels, then the rows; the first column is the time if the rows have one. */
#include "api/formats/csv.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if spreadsheets would execute the text as a formula. */
static bool is_formula(const char *text) { return *text && strchr("=+-@\t\r", *text); }

void api_csv_field(api_buffer *out, const char *text) {
  if (!is_formula(text) && !strpbrk(text, ",\"\r\n")) {
    api_buffer_text(out, text);
    return;
  }
  api_buffer_text(out, is_formula(text) ? "\"'" : "\"");
  for (const char *c = text; *c; c++) {
    if (*c == '"') api_buffer_text(out, "\"");
    api_buffer_byte(out, *c);
  }
  api_buffer_text(out, "\"");
}

void api_csv_number(api_buffer *out, double value) {
  if (isnan(value))
    api_buffer_text(out, "nan"); /* printf may write "-nan" */
  else
    api_buffer_number(out, value);
}

/* Returns true if a column of times is added. Timeless arrays and the array of times itself get none. */
static bool has_time_column(const api_slice *slice) {
  return !slice->array.timeless && strcmp(slice->array.name, API_TIMES) != 0;
}

static bool csv_begin(const api_slice *slice, api_buffer *out) {
  bool time = has_time_column(slice);
  if (time) api_buffer_text(out, "t");
  for (size_t i = 0; i < slice->column_count; i++) {
    if (time || i) api_buffer_text(out, ",");
    api_csv_field(out, strcmp(slice->array.name, API_TIMES) == 0 ? "t" : api_slice_label(slice, i));
  }
  api_buffer_text(out, "\n");
  return true;
}

static bool csv_rows(const api_slice *slice, size_t first, size_t count, api_buffer *out) {
  bool time = has_time_column(slice);
  double *times = time ? malloc(count * sizeof *times) : NULL;
  if (time && (!times || !api_slice_times(slice, first, count, times))) {
    free(times);
    return false;
  }
  assert(slice->block && first + count == slice->done);
  const double *number = slice->block;
  for (size_t i = 0; i < count; i++) {
    if (time) api_csv_number(out, times[i]);
    for (size_t k = 0; k < slice->column_count; k++) {
      if (time || k) api_buffer_byte(out, ',');
      api_csv_number(out, *number++);
    }
    api_buffer_byte(out, '\n');
  }
  free(times);
  return true;
}

static void csv_end(const api_slice *slice, api_buffer *out) { (void)slice, (void)out; }

const api_format api_format_csv = {
    "csv", "text/csv; charset=utf-8; header=present", "text/csv", csv_begin, csv_rows, csv_end,
};
