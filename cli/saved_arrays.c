/* saved_arrays.c - see saved_arrays.h. */
#include "saved_arrays.h"

#include "api/formats/slice.h"
#include "cli.h"
#include "folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* An array, by default the one of the columns that a table shows without being asked. */
#define USUAL "uT"

static bool ends_with(const char *text, const char *end) {
  const size_t size = strlen(text), length = strlen(end);
  return size > length && strcmp(text + size - length, end) == 0;
}

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Returns a saved array that was parsed; NULL if the file is not one. */
static json_t *parse_array(const char *path) {
  json_t *root = json_load_file(path, JSON_DECODE_INT_AS_REAL, NULL);
  if (json_is_array(json_object_get(root, "labels")) && json_is_array(json_object_get(root, "data"))) return root;
  json_decref(root);
  return NULL;
}

bool cli_is_saved(const char *path) {
  if (is_folder(path) || ends_with(path, ".csv") || ends_with(path, ".npz")) return true;
  json_t *array = ends_with(path, ".json") ? parse_array(path) : NULL;
  json_decref(array);
  return array != NULL;
}

/* ---- arrays that grow -------------------------------------------------------------------------------------------- */

typedef struct saved {
  mbs_arena *arena;
  mbs_array *list; /* [count], malloc'd */
  size_t count;
} saved;

/* Adds an array with its columns. Returns false if memory runs out. */
static bool add(saved *self, const char *name, const char *const *labels, const char *const *units, size_t rows,
                size_t columns, double *data, bool timeless) {
  mbs_array *list = realloc(self->list, (self->count + 1) * sizeof *list);
  if (!list) return false;
  self->list = list;
  list[self->count++] = (mbs_array){.name = mbs_arena_text(self->arena, name),
                                    .unit = "",
                                    .doc = "",
                                    .rank = columns == 1 ? 1 : 2,
                                    .shape = {rows, columns},
                                    .labels = labels,
                                    .units = units,
                                    .data = data,
                                    .timeless = timeless};
  return true;
}

/* Returns the name of the array in a file: that of the file without its extension. */
static const char *array_name(saved *self, const char *path) {
  const char *slash = strrchr(path, '/');
  char *name = mbs_arena_text(self->arena, slash ? slash + 1 : path), *dot = name ? strrchr(name, '.') : NULL;
  if (dot) *dot = '\0';
  return name;
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

/* Reads a field of the header line in place, and advances `text` behind its comma. Removes the quotes, and the
 * apostrophe of a text that looks like a formula (csv.h). Sets `last` at the end of the line. */
static char *read_field(char **text, bool *last) {
  char *at = *text, *out = at, *field = at;
  if (*at == '"') {
    for (at++; *at && (*at != '"' || at[1] == '"'); *out++ = *at++) at += *at == '"';
    if (*at == '"') at++;
    if (out > field + 1 && *field == '\'' && strchr("=+-@\t\r", field[1])) field++;
  } else {
    at += strcspn(at, ",\r\n");
    out = at;
  }
  *last = *at != ',';
  *text = *last ? at + strspn(at, "\r\n") : at + 1;
  *out = '\0';
  return field;
}

/* Reads the labels of a header line. Returns NULL if memory runs out. */
static const char **read_labels(saved *self, char **text, size_t *count) {
  size_t commas = 1;
  for (const char *c = *text; *c && *c != '\n'; c++) commas += *c == ',';
  const char **labels = mbs_arena_alloc(self->arena, commas, sizeof *labels);
  *count = 0;
  for (bool last = false; labels && !last;) {
    labels[*count] = mbs_arena_text(self->arena, read_field(text, &last));
    if (!labels[(*count)++]) return NULL;
  }
  return labels;
}

/* Reads `rows` lines of numbers. Returns NULL after printing an error. */
static double *read_rows(saved *self, const char *path, const char *text, size_t rows, size_t columns) {
  double *numbers = mbs_arena_alloc(self->arena, rows * columns + 1, sizeof *numbers);
  const char *at = text;
  for (size_t i = 0; numbers && i < rows * columns; i++) {
    char *end;
    numbers[i] = strtod(at, &end);
    const char expected = (i + 1) % columns ? ',' : '\n';
    if (end == at || (*end != expected && (expected == ',' || (*end != '\0' && *end != '\r')))) {
      fprintf(stderr, "%s:%zu: not a row of %zu numbers\n", path, i / columns + 2, columns);
      return NULL;
    }
    at = end + strspn(end, ",\r\n");
  }
  if (!numbers) fprintf(stderr, "mbs: %s: out of memory\n", path);
  return numbers;
}

/* Adds the columns of a CSV file, of which the first one may be the time. Without `name`, the file is a table of many
 * arrays, and its times are added, too. */
static bool add_csv(saved *self, const char *path, char *text, const char *name) {
  size_t columns, rows = 0;
  const char **labels = read_labels(self, &text, &columns);
  const bool is_time = name && strcmp(name, API_TIMES) == 0;
  if (!labels) return false;
  for (const char *c = text; *c; c += strspn(c, "\r\n")) {
    c += strcspn(c, "\n");
    rows++;
  }
  double *numbers = read_rows(self, path, text, rows, columns);
  const bool timed = !is_time && strcmp(labels[0], "t") == 0;
  const char **units = mbs_arena_alloc(self->arena, columns, sizeof *units);
  double *data = mbs_arena_alloc(self->arena, rows * columns + 1, sizeof *data),
         *times = mbs_arena_alloc(self->arena, rows + 1, sizeof *times);
  if (!numbers || !units || !data || !times) return false;
  for (size_t k = 0; k < columns; k++) units[k] = is_time ? "s" : "";
  for (size_t i = 0; i < rows; i++) {
    times[i] = numbers[i * columns];
    memcpy(data + i * (columns - timed), numbers + i * columns + timed, (columns - timed) * sizeof *data);
  }
  static const char *const time_label[] = {API_TIMES}, *const time_unit[] = {"s"};
  if (!name && timed && !add(self, API_TIMES, time_label, time_unit, rows, 1, times, false)) return false;
  return add(self, name ? name : USUAL, labels + timed, units, rows, columns - timed, data, !timed && !is_time);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Appends the numbers of nested lists; null is NaN. Returns false if there are more than fit. */
static bool flatten(const json_t *value, double *out, size_t most, size_t *count) {
  size_t i;
  json_t *item;
  if (!json_is_array(value)) {
    if (*count == most) return false;
    out[(*count)++] = json_is_number(value) ? json_number_value(value) : NAN;
    return true;
  }
  json_array_foreach(value, i, item) if (!flatten(item, out, most, count)) return false;
  return true;
}

static const char **read_texts(saved *self, const json_t *list, size_t count) {
  const char **texts = mbs_arena_alloc(self->arena, count + 1, sizeof *texts);
  for (size_t i = 0; texts && i < count; i++) {
    const char *text = json_string_value(json_array_get(list, i));
    texts[i] = mbs_arena_text(self->arena, text ? text : "");
    if (!texts[i]) return NULL;
  }
  return texts;
}

static bool add_json(saved *self, const char *path, const char *name) {
  json_t *array = parse_array(path), *data = json_object_get(array, "data");
  const size_t rows = json_array_size(data), columns = json_array_size(json_object_get(array, "labels"));
  double *numbers = mbs_arena_alloc(self->arena, rows * columns + 1, sizeof *numbers);
  size_t count = 0;
  const char **labels = read_texts(self, json_object_get(array, "labels"), columns),
             **units = read_texts(self, json_object_get(array, "units"), columns);
  bool good = numbers && labels && units && flatten(data, numbers, rows * columns, &count) && count == rows * columns;
  if (!good) fprintf(stderr, "mbs: %s is not an array that mbs run wrote\n", path);
  good = good && add(self, name, labels, units, rows, columns, numbers, false);
  json_decref(array);
  return good;
}

/* ---- files and folders ------------------------------------------------------------------------------------------- */

static bool add_file(saved *self, const char *path, const char *name) {
  if (name && ends_with(path, ".json")) return add_json(self, path, name);
  if (ends_with(path, ".json")) {
    fprintf(stderr, "mbs: %s has no times; use its folder\n", path);
    return false;
  }
  if (!ends_with(path, ".csv")) {
    fprintf(stderr, "mbs: %s has no labels of columns; run the model without --npz\n", path);
    return false;
  }
  size_t size;
  char *text = cli_read_file(path, &size);
  const bool good = text && add_csv(self, path, text, name);
  free(text);
  return good;
}

static bool add_folder(saved *self, const char *path) {
  const char *list = mbs_arena_format(self->arena, "%s/%s", path, CLI_MANIFEST);
  json_t *manifest = json_load_file(list, 0, NULL), *files = json_object_get(manifest, "files"), *file;
  size_t i;
  bool good = json_array_size(files) > 0;
  if (!good) fprintf(stderr, "mbs: %s has no results of mbs run --out\n", path);
  if (good && !json_is_true(json_object_get(manifest, "complete")))
    fprintf(stderr, "mbs: the results in %s are incomplete\n", path);
  json_array_foreach(files, i, file) {
    const char *whole = mbs_arena_format(self->arena, "%s/%s", path, json_string_value(file));
    good = good && add_file(self, whole, array_name(self, whole));
  }
  json_decref(manifest);
  return good;
}

/* JSON files do not say which arrays have no times: those with another number of rows than the array of times. */
static void find_timeless(const saved *self) {
  const mbs_array *times = NULL;
  for (size_t i = 0; i < self->count && !times; i++)
    if (strcmp(self->list[i].name, API_TIMES) == 0) times = &self->list[i];
  for (size_t i = 0; times && i < self->count; i++)
    self->list[i].timeless = self->list[i].timeless || self->list[i].shape[0] != times->shape[0];
}

mbs_array *cli_saved_arrays(const char *path, mbs_arena *arena, size_t *count) {
  saved self = {.arena = arena};
  bool good = is_folder(path) ? add_folder(&self, path) : add_file(&self, path, NULL);
  mbs_array *list = good ? mbs_arena_alloc(arena, self.count + 1, sizeof *list) : NULL;
  if (list) {
    find_timeless(&self);
    memcpy(list, self.list, self.count * sizeof *list);
    *count = self.count;
  }
  free(self.list);
  return list;
}
