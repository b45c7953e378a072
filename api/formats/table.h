/* table.h - columns of several arrays of a job side by side, read like the columns of one array. */
#ifndef API_FORMATS_TABLE_H
#define API_FORMATS_TABLE_H

#include "api/service.h"

#include <stdbool.h>
#include <stddef.h>

/* Name of the array that a table looks like. */
#define API_TABLE "results"

typedef struct api_table_column {
  size_t array; /* among table->arrays */
  size_t column;
} api_table_column;

typedef struct api_table {
  service reader; /* reads the array API_TABLE, and T, of the job */
  const service *source;
  const service_array *arrays; /* not owned */
  api_table_column *columns;   /* [count], one for each label; the first of equal labels */
  size_t count;
  size_t *usual; /* [usual_count] columns of coordinates, rates and sensors, which a user expects without asking */
  size_t usual_count;
} api_table;

/* Opens the table of all columns with times of the `count` arrays of a job, which the source reads; `array` receives
 * its description, to be freed with service_array_free(). Arrays and source must outlive the table. Returns false if
 * memory runs out. Free the table in any case. */
bool api_table_open(api_table *table, const service *source, const service_array *arrays, size_t count,
                    service_array *array);
void api_table_free(api_table *table);

#endif
