/* columns.c - see columns.h. */
#include "columns.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { LIKELY_CELL = 128, INDENT = 2, GAP = 2 };

size_t cli_text_width(const char *text) {
  size_t length = 0;
  for (; *text; text++) length += ((unsigned char)*text & 0xc0) != 0x80;
  return length;
}

/* Updates the width of the column with the last cell. */
static void count_cell(cli_columns *table, const char *text) {
  size_t *width = &table->width[table->count++ % table->columns], own = cli_text_width(text);
  if (own > *width) *width = own;
}

void cli_columns_text(cli_columns *table, const char *text) {
  api_buffer_add(&table->cells, text, strlen(text) + 1);
  if (!table->cells.failed) count_cell(table, text);
}

void cli_columns_add(cli_columns *table, const char *format, ...) {
  char likely[LIKELY_CELL];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(likely, sizeof likely, format, arguments);
  va_end(arguments);
  char *cell = length < 0 ? NULL : api_buffer_extend(&table->cells, (size_t)length + 1);
  if (!cell) return;
  va_start(arguments, format);
  if ((size_t)length < sizeof likely)
    memcpy(cell, likely, (size_t)length + 1);
  else
    vsnprintf(cell, (size_t)length + 1, format, arguments);
  va_end(arguments);
  count_cell(table, cell);
}

/* Writes small integers without printf(), because most numbers of a large table are such. */
void cli_columns_number(cli_columns *table, int precision, double value) {
  char digits[2] = {0};
  if (value >= 0 && value <= 9 && value == (int)value && !signbit(value)) {
    digits[0] = (char)('0' + (int)value);
    cli_columns_text(table, digits);
  } else {
    cli_columns_add(table, "%.*g", precision, value);
  }
}

static void add_blanks(api_buffer *lines, size_t count) {
  char *blanks = api_buffer_extend(lines, count);
  if (blanks) memset(blanks, ' ', count);
}

void cli_columns_print(cli_columns *table, FILE *out) {
  api_buffer lines = {0};
  size_t blanks = INDENT; /* printed before the next cell, so that no line ends with blanks */
  const char *cell = table->cells.data;
  for (size_t i = 0; i < table->count; i++) {
    const size_t column = i % table->columns, size = strlen(cell), length = cli_text_width(cell);
    if (size > 0) {
      add_blanks(&lines, blanks);
      api_buffer_add(&lines, cell, size);
      blanks = 0;
    }
    blanks += table->width[column] - length + GAP;
    if (column == table->columns - 1) {
      api_buffer_text(&lines, "\n");
      blanks = INDENT;
    }
    cell += size + 1;
  }
  if (lines.size > 0) fwrite(lines.data, 1, lines.size, out);
  api_buffer_free(&lines);
  api_buffer_free(&table->cells);
  *table = (cli_columns){0};
}
