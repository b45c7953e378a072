/* report_table.h - reads fields of a report and writes rows of printed tables. */
#ifndef CLI_REPORT_TABLE_H
#define CLI_REPORT_TABLE_H

#include "columns.h"

#include <jansson.h>

/* Largest number of rows printed of a table of results, and of other tables. More are not useful in a terminal. */
enum { CLI_RESULTS_MAX = 12, CLI_ROWS_MAX = 40 };

/* Return a text; "" if it is missing, null or not a text. */
const char *cli_text(const json_t *value);
const char *cli_text_of(const json_t *object, const char *key);
/* Returns a number; NaN if it is missing or null. */
double cli_number_of(const json_t *object, const char *key);
/* Appends a cell with a number; "-" if it is missing or null. */
void cli_columns_json(cli_columns *table, const json_t *number);
/* Appends the row of column titles. */
void cli_columns_heads(cli_columns *table, const char *const *heads);
/* Prints how many of `count` rows were left out after `printed` rows, and where they can be found; prints nothing if
 * none were. */
void cli_print_more(size_t count, size_t printed, const char *where, FILE *out);

#endif
