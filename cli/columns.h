/* columns.h - a table of texts whose columns are aligned. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CLI_COLUMNS_MAX = 8 };

typedef struct cli_columns {
  size_t columns; /* of a row; cells come row by row */
  char **cells;
  size_t count, capacity;
} cli_columns;

/* Characters of a UTF-8 text. */
size_t cli_text_width(const char *text);
/* Appends a cell; `format` as in printf. */
void cli_columns_add(cli_columns *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the rows, indented, and frees the table. */
void cli_columns_print(cli_columns *table, FILE *out);

#endif
