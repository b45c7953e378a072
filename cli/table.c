/* table.c - see table.h. */
#include "table.h"

#include "api/base/values.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns descriptions of the arrays, [count]; NULL if memory runs out. */
static service_array *describe(const mbs_array *list, size_t count) {
  service_array *arrays = calloc(count + 1, sizeof *arrays);
  for (size_t i = 0; arrays && i < count; i++) {
    const mbs_array *array = &list[i];
    const size_t columns = mbs_array_columns(array);
    api_buffer labels = {0}, units = {0};
    api_json_write_texts(array->labels, columns, &labels);
    api_json_write_texts(array->units, columns, &units);
    api_buffer_add(&labels, "", 1);
    api_buffer_add(&units, "", 1);
    arrays[i] = cli_memory_array(array, labels.failed ? "[]" : labels.data, units.failed ? NULL : units.data);
    api_buffer_free(&labels);
    api_buffer_free(&units);
  }
  return arrays;
}

bool cli_table_open(cli_table *table, const mbs_array *list, size_t count, const char *columns, char why[512]) {
  service_array whole = {0};
  *table = (cli_table){.memory = {list, count}};
  table->source = cli_memory_service(&table->memory);
  table->arrays = describe(list, count);
  bool good = table->arrays && api_table_open(&table->table, &table->source, table->arrays, count, &whole) &&
              api_slice_open(&table->slice, &table->table.reader, "", &whole);
  service_array_free(&whole);
  if (!good) {
    snprintf(why, 512, "out of memory");
  } else if (table->table.count == 0) {
    snprintf(why, 512, "this run has no arrays over time");
    good = false;
  } else if (columns) {
    good = api_slice_choose(&table->slice, columns, why);
  } else {
    api_slice_take(&table->slice, table->table.usual, table->table.usual_count);
  }
  return good;
}

void cli_table_close(cli_table *table) {
  api_slice_close(&table->slice);
  api_table_free(&table->table);
  for (size_t i = 0; table->arrays && i < table->memory.count; i++) service_array_free(&table->arrays[i]);
  free(table->arrays);
  *table = (cli_table){0};
}
