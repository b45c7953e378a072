/* csv_file.c - see csv_file.h. */
#include "csv_file.h"

#include "api/formats/csv.h"
#include "api/formats/table.h"
#include "memory.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns texts as a JSON array; NULL if memory runs out. */
static char *list_of(const char *const *texts, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(texts && texts[i] ? texts[i] : ""));
  char *text = json_dumps(list, 0);
  json_decref(list);
  return text;
}

/* Returns descriptions of the arrays, [count]; NULL if memory runs out. */
static service_array *describe(const cli_csv_file *file) {
  service_array *arrays = calloc(file->count + 1, sizeof *arrays);
  for (size_t i = 0; arrays && i < file->count; i++) {
    const mbs_array *array = &file->list[i];
    const size_t columns = mbs_array_columns(array);
    char *labels = list_of(array->labels, columns), *units = list_of(array->units, columns);
    arrays[i] = cli_memory_array(array, labels ? labels : "[]", units);
    free(labels);
    free(units);
  }
  return arrays;
}

static bool write_rows(api_slice *slice, FILE *out) {
  api_buffer text = {0};
  bool good = api_format_csv.begin(slice, &text);
  for (ssize_t rows = 1; good && rows > 0;) {
    good = !text.failed && fwrite(text.data, 1, text.size, out) == text.size;
    text.size = 0;
    const size_t first = slice->done;
    rows = good ? api_slice_next(slice) : 0;
    good = good && rows >= 0 && (rows == 0 || api_format_csv.rows(slice, first, (size_t)rows, &text));
  }
  api_buffer_free(&text);
  return good;
}

/* Writes the chosen columns. Returns false after printing an error. */
static bool write_slice(const char *path, api_slice *slice) {
  FILE *out = fopen(path, "w");
  const bool written = out && write_rows(slice, out);
  const int reason = errno;
  const bool closed = !out || fclose(out) == 0;
  if (!written || !closed) fprintf(stderr, "mbs: cannot write %s: %s\n", path, strerror(written ? errno : reason));
  return written && closed;
}

bool cli_csv_file_write(const cli_csv_file *file) {
  cli_memory memory = {file->list, file->count};
  const service source = cli_memory_service(&memory);
  service_array *arrays = describe(file), whole = {0};
  api_table table = {0};
  api_slice slice = {0};
  bool good = arrays && api_table_open(&table, &source, arrays, file->count, &whole) &&
              api_slice_open(&slice, &table.reader, "", &whole);
  if (!good) {
    fprintf(stderr, "mbs: cannot write %s: out of memory\n", file->path);
  } else if (table.count == 0) {
    fprintf(stderr, "mbs: %s is not written: this run has no arrays over time; use --out DIR\n", file->path);
    good = false;
  } else {
    api_slice_take(&slice, table.usual, table.usual_count);
    good = write_slice(file->path, &slice);
  }
  api_slice_close(&slice);
  service_array_free(&whole);
  api_table_free(&table);
  for (size_t i = 0; arrays && i < file->count; i++) service_array_free(&arrays[i]);
  free(arrays);
  return good;
}
