/* columns.h - a table of texts with aligned columns. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include "api/base/buffer.h"

#include <stddef.h>
#include <stdio.h>

enum { CLI_COLUMNS_MAX = 8 };

typedef struct cli_columns {
  size_t columns;   /* number of columns; cells come row by row */
  api_buffer cells; /* cells one after another, each ended by a 0 */
  size_t count;
  size_t width[CLI_COLUMNS_MAX]; /* width of the widest cell of each column so far */
} cli_columns;

/* Returns the number of characters of a UTF-8 text. */
size_t cli_text_width(const char *text);
/* Appends a cell. */
void cli_columns_text(cli_columns *table, const char *text);
/* Appends a cell with a formatted text; `format` as in printf. */
void cli_columns_add(cli_columns *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a number, as by "%.*g". */
void cli_columns_number(cli_columns *table, int precision, double value);
/* Prints the rows, indented, and frees the table. */
void cli_columns_print(cli_columns *table, FILE *out);

#endif
