/* csv.c - reads tables of functions from CSV files, which documents for the command line may name. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table that is read line by line. */
typedef struct csv_table {
  const char *path;
  size_t line; /* counted from 1 */
  bool begun;  /* a line with cells has been read */
  json_t *x, *y;
} csv_table;

enum { CELLS_MAX = 3 }; /* a table has two; the third one is an error */

/* Splits a line at commas, semicolons, tabs and spaces. Returns the number of cells; those from the third on count as
 * one. An empty line has none. */
static size_t split(char *line, char *cells[CELLS_MAX]) {
  static const char blanks[] = " \t\r";
  size_t count = 0;
  char *at = line + strspn(line, blanks);
  bool more = *at != '\0';
  while (more && count < CELLS_MAX) {
    char *end = at + strcspn(at, " \t\r,;"), *next = end + strspn(end, blanks);
    cells[count++] = at;
    more = *next != '\0';
    if (*next == ',' || *next == ';') next += 1 + strspn(next + 1, blanks);
    *end = '\0';
    at = next;
  }
  return count;
}

static bool read_number(const char *cell, double *value) {
  char *end;
  *value = strtod(cell, &end);
  return end > cell && *end == '\0' && isfinite(*value);
}

/* Adds the numbers of a line. Returns false after printing an error. */
static bool read_line(csv_table *table, char *line) {
  char *cells[CELLS_MAX];
  double numbers[CELLS_MAX] = {0};
  const size_t count = *line == '#' ? 0 : split(line, cells);
  size_t good = 0, wrong = CELLS_MAX;
  if (count == 0) return true;
  for (size_t i = count; i-- > 0;) {
    if (read_number(cells[i], &numbers[i]))
      good++;
    else
      wrong = i;
  }
  const bool heading = !table->begun && good == 0;
  table->begun = true;
  if (heading) return true;
  const size_t rows = json_array_size(table->x);
  const double before = rows > 0 ? json_real_value(json_array_get(table->x, rows - 1)) : -INFINITY;
  if (wrong < count)
    fprintf(stderr, "%s:%zu: '%s' is not a number\n", table->path, table->line, cells[wrong]);
  else if (count != 2)
    fprintf(stderr, "%s:%zu: a table has two columns, x and y\n", table->path, table->line);
  else if (numbers[0] < before)
    fprintf(stderr, "%s:%zu: x = %g after %g; x must not fall\n", table->path, table->line, numbers[0], before);
  else
    return json_array_append_new(table->x, json_real(numbers[0])) == 0 &&
           json_array_append_new(table->y, json_real(numbers[1])) == 0;
  return false;
}

/* Reads a text that ends with a 0. Returns false after printing an error. */
static bool read_table(csv_table *table, char *text) {
  static const char byte_order_mark[] = "\xEF\xBB\xBF";
  if (strncmp(text, byte_order_mark, 3) == 0) text += 3;
  for (char *next; text; text = next) {
    next = strchr(text, '\n');
    if (next) *next++ = '\0';
    table->line++;
    if (!read_line(table, text)) return false;
  }
  if (json_array_size(table->x) >= 2) return true;
  fprintf(stderr, "%s: a table needs at least two rows of numbers\n", table->path);
  return false;
}

/* Returns the path of a file that is named in the document at `document`, malloc'd; NULL if memory runs out. */
static char *path_beside(const char *document, const char *file) {
  const char *slash = strrchr(document, '/'), *here = "./";
  const size_t folder = *file == '/' ? 0 : slash ? (size_t)(slash - document) + 1 : strlen(here);
  char *path = malloc(folder + strlen(file) + 1);
  if (!path) return NULL;
  memcpy(path, slash ? document : here, folder);
  memcpy(path + folder, file, strlen(file) + 1);
  return path;
}

/* Replaces `csv` of a function by x and y. Returns false after printing an error. */
static bool fill(json_t *function, const char *document, const char *name) {
  const char *file = json_string_value(json_object_get(function, "csv"));
  if (json_object_get(function, "x") || json_object_get(function, "y")) {
    fprintf(stderr, "mbs: %s: the function '%s' has csv and x or y; remove one of them\n", document, name);
    return false;
  }
  csv_table table = {.path = path_beside(document, file), .x = json_array(), .y = json_array()};
  size_t size;
  char *text = table.path ? cli_read_file(table.path, &size) : NULL;
  const bool good = text && read_table(&table, text) && json_object_set(function, "x", table.x) == 0 &&
                    json_object_set(function, "y", table.y) == 0 && json_object_del(function, "csv") == 0;
  json_decref(table.x);
  json_decref(table.y);
  free((char *)table.path);
  free(text);
  return good;
}

int cli_read_tables(json_t *root, const char *path) {
  json_t *model = json_object_get(root, "model"), *function;
  json_t *functions = json_object_get(model ? model : root, "functions");
  const char *name;
  int count = 0;
  json_object_foreach(functions, name, function) {
    if (!json_is_string(json_object_get(function, "csv"))) continue;
    if (!fill(function, path, name)) return -1;
    count++;
  }
  return count;
}
