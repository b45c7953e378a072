/* arrays.h - result arrays into a folder: a CSV or JSON file each, or one .npz file. */
#ifndef CLI_ARRAYS_H
#define CLI_ARRAYS_H

#include "api/formats/archive.h"
#include "api/formats/format.h"
#include "api/service.h"
#include "mbs.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_arrays {
  const char *folder;
  /* The arrays to come, which live as long as the run's result, and the names of their files. */
  const mbs_array *list;
  char **files;
  size_t count;
  service memory;         /* the API's formats read them as from a store */
  const api_format *each; /* of the file of an array, NULL where there is an archive */
  api_archive *npz;
  api_buffer pending;
  FILE *file;
} cli_arrays;

/* Makes the folder and, where `each` is NULL, begins the archive; false after saying what is wrong. */
bool cli_arrays_open(cli_arrays *arrays, const char *folder, const api_format *each);
/* Tells which arrays will be written. */
void cli_arrays_name(cli_arrays *arrays, const mbs_array *list, size_t count);
/* Writes one of them; `labels` and `units` of its columns as JSON. */
bool cli_arrays_add(cli_arrays *arrays, const mbs_array *array, const char *labels, const char *units);
/* Ends the archive; false when something could not be written. */
bool cli_arrays_close(cli_arrays *arrays);

#endif
