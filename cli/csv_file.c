/* csv_file.c - see csv_file.h. */
#include "csv_file.h"

#include "api/base/values.h"
#include "api/formats/csv.h"
#include "api/formats/table.h"
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns descriptions of the arrays, [count]; NULL if memory runs out. */
static service_array *describe(const mbs_array *list, size_t count) {
  service_array *arrays = calloc(count + 1, sizeof *arrays);
  for (size_t i = 0; arrays && i < count; i++) {
    const mbs_array *array = &list[i];
    const size_t columns = mbs_array_columns(array);
    api_buffer labels = {0}, units = {0};
    api_json_write_texts(array->labels, columns, &labels);
    api_json_write_texts(array->units, columns, &units);
    api_buffer_add(&labels, "", 1);
    api_buffer_add(&units, "", 1);
    arrays[i] = cli_memory_array(array, labels.failed ? "[]" : labels.data, units.failed ? NULL : units.data);
    api_buffer_free(&labels);
    api_buffer_free(&units);
  }
  return arrays;
}

/* Writes the chosen columns. Returns false after printing an error. */
static bool write_slice(const char *path, api_slice *slice) {
  FILE *out = fopen(path, "w");
  const bool written = out && cli_memory_write(&api_format_csv, slice, out);
  const int reason = errno;
  const bool closed = !out || fclose(out) == 0;
  if (!written || !closed) fprintf(stderr, "mbs: cannot write %s: %s\n", path, strerror(written ? errno : reason));
  return written && closed;
}

bool cli_csv_file_write(const char *path, const char *columns, const mbs_array *list, size_t count) {
  cli_memory memory = {list, count};
  const service source = cli_memory_service(&memory);
  service_array *arrays = describe(list, count), whole = {0};
  api_table table = {0};
  api_slice slice = {0};
  char why[512];
  bool good = arrays && api_table_open(&table, &source, arrays, count, &whole) &&
              api_slice_open(&slice, &table.reader, "", &whole);
  if (!good) {
    fprintf(stderr, "mbs: cannot write %s: out of memory\n", path);
  } else if (table.count == 0) {
    fprintf(stderr, "mbs: %s is not written: this run has no arrays over time; use --out DIR\n", path);
    good = false;
  } else if (columns) {
    good = api_slice_choose(&slice, columns, why);
    if (good)
      good = write_slice(path, &slice);
    else
      fprintf(stderr, "mbs: %s is not written: %s\n", path, why);
  } else {
    api_slice_take(&slice, table.usual, table.usual_count);
    good = write_slice(path, &slice);
  }
  api_slice_close(&slice);
  service_array_free(&whole);
  api_table_free(&table);
  for (size_t i = 0; arrays && i < count; i++) service_array_free(&arrays[i]);
  free(arrays);
  return good;
}
