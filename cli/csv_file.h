/* csv_file.h - coordinates, rates and sensors of a run in one CSV file. */
#ifndef CLI_CSV_FILE_H
#define CLI_CSV_FILE_H

#include "mbs.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_csv_file {
  const char *path;
  const mbs_array *list; /* [count] the arrays of the run, which live as long as its result */
  size_t count;
} cli_csv_file;

/* Writes the file. Returns false after printing an error. */
bool cli_csv_file_write(const cli_csv_file *file);

#endif
