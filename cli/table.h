/* table.h - columns of all arrays of a run side by side, as results.csv of the service has them. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "api/formats/slice.h"
#include "api/formats/table.h"
#include "mbs.h"
#include "memory.h"

#include <stdbool.h>
#include <stddef.h>

/* The table refers to its own members, so it must not be moved. */
typedef struct cli_table {
  cli_memory memory;
  service source;
  service_array *arrays; /* [memory.count] */
  api_table table;
  api_slice slice; /* the chosen columns */
} cli_table;

/* Opens the table of the `count` arrays of a run, which must outlive it, with the columns of a list of labels,
 * separated by commas, or (NULL) with coordinates, rates and sensors. Returns false with the reason in `why`. Close it
 * in any case. */
bool cli_table_open(cli_table *table, const mbs_array *list, size_t count, const char *columns, char why[512]);
void cli_table_close(cli_table *table);

#endif
