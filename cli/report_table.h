/* report_table.h - fields of a report, and rows of the tables that it is printed in. */
#ifndef CLI_REPORT_TABLE_H
#define CLI_REPORT_TABLE_H

#include "columns.h"

#include <jansson.h>

/* The most rows that are printed of a table of results, and of other tables. More do not help at a terminal. */
enum { CLI_RESULTS_MAX = 12, CLI_ROWS_MAX = 40 };

/* Returns a text, "" if it is missing, null or no text. */
const char *cli_text(const json_t *value);
const char *cli_text_of(const json_t *object, const char *key);
/* Returns a number, NaN if it is missing or null. */
double cli_number_of(const json_t *object, const char *key);
/* Appends a cell with a number, "-" if it is missing or null. */
void cli_columns_json(cli_columns *table, const json_t *number);
/* Appends the row of heads, one for each column. */
void cli_columns_heads(cli_columns *table, const char *const *heads);
/* Prints how many of `count` rows were left out after `printed` ones, and where they are; nothing if none were. */
void cli_print_more(size_t count, size_t printed, const char *where, FILE *out);

#endif
