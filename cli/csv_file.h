/* csv_file.h - columns of several arrays of a run in one CSV file. */
#ifndef CLI_CSV_FILE_H
#define CLI_CSV_FILE_H

#include "mbs.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes the file from all `count` arrays of the run: the columns of a list of labels, separated by commas, or (NULL)
 * coordinates, rates and sensors. Returns false after printing an error. */
bool cli_csv_file_write(const char *path, const char *columns, const mbs_array *list, size_t count);

#endif
