/* columns.c - see columns.h. */
#include "columns.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_columns_add(cli_columns *table, const char *format, ...) {
  if (table->count == table->capacity) {
    size_t capacity = table->capacity ? 2 * table->capacity : 32;
    char **cells = realloc(table->cells, capacity * sizeof *cells);
    if (!cells) return;
    table->cells = cells;
    table->capacity = capacity;
  }
  va_list arguments;
  va_start(arguments, format);
  char *cell = NULL;
  if (vasprintf(&cell, format, arguments) >= 0) table->cells[table->count++] = cell;
  va_end(arguments);
}

size_t cli_text_width(const char *text) {
  size_t length = 0;
  for (; *text; text++) length += ((unsigned char)*text & 0xc0) != 0x80;
  return length;
}

void cli_columns_print(cli_columns *table, FILE *out) {
  size_t width[CLI_COLUMNS_MAX] = {0};
  for (size_t i = 0; i < table->count; i++) {
    size_t length = cli_text_width(table->cells[i]);
    if (length > width[i % table->columns]) width[i % table->columns] = length;
  }
  int blanks = 2; /* before the next cell, if there is one: lines do not end with any */
  for (size_t i = 0; i < table->count; i++) {
    bool last = i % table->columns == table->columns - 1;
    size_t length = cli_text_width(table->cells[i]);
    if (length) fprintf(out, "%*s%s", blanks, "", table->cells[i]);
    blanks = (length ? 0 : blanks) + (int)(width[i % table->columns] - length) + 2;
    if (last) {
      fputs("\n", out);
      blanks = 2;
    }
    free(table->cells[i]);
  }
  free(table->cells);
  *table = (cli_columns){0};
}
