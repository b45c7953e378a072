/* report_table.c - see report_table.h. */
#include "report_table.h"

#include <math.h>

const char *cli_text(const json_t *value) {
  const char *text = json_string_value(value);
  return text ? text : "";
}

const char *cli_text_of(const json_t *object, const char *key) { return cli_text(json_object_get(object, key)); }

double cli_number_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

void cli_columns_json(cli_columns *table, const json_t *number) {
  if (json_is_number(number))
    cli_columns_number(table, 10, json_number_value(number));
  else
    cli_columns_text(table, "-");
}

void cli_columns_heads(cli_columns *table, const char *const *heads) {
  for (size_t i = 0; i < table->columns; i++) cli_columns_text(table, heads[i]);
}

void cli_print_more(size_t count, size_t printed, const char *where, FILE *out) {
  if (count > printed) fprintf(out, "  ... and %zu more, %s\n", count - printed, where);
}
