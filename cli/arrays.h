/* arrays.h - result arrays into a folder: a CSV or JSON file each, or one .npz file. */
#ifndef CLI_ARRAYS_H
#define CLI_ARRAYS_H

#include "api/formats/archive.h"
#include "api/formats/format.h"
#include "api/service.h"
#include "folder.h"
#include "mbs.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_arrays {
  cli_folder folder;
  /* The arrays to come, which live as long as the run's result, and the names of their files: [count], those in an
   * archive without an extension. */
  const mbs_array *list;
  char **files;
  size_t count;
  service memory;         /* the API's formats read them as from a store */
  const api_format *each; /* of the file of an array, NULL where there is an archive */
  api_archive *npz;
  api_buffer pending;
  FILE *file;  /* of the archive */
  bool failed; /* something could not be written, which has been said */
} cli_arrays;

/* Opens the folder, which is made if need be, and which other processes cannot write into meanwhile; it keeps the files
 * of an older run until cli_arrays_name(). `each` is NULL where all arrays go into one archive. `likely` is an array
 * that the run will have: a foreign file of that name is found now, not after a long computation. Returns false after
 * saying what is wrong. */
bool cli_arrays_open(cli_arrays *arrays, const char *folder, const api_format *each, const char *likely);
/* Takes the arrays that will be written, and removes the files of an older run from the folder. */
void cli_arrays_name(cli_arrays *arrays, const mbs_array *list, size_t count);
/* Writes one of them, with `labels` and `units` of its columns as JSON; returns false after saying what is wrong. */
bool cli_arrays_add(cli_arrays *arrays, const mbs_array *array, const char *labels, const char *units);
/* Ends the archive and closes the folder; returns false if anything could not be written, which has been said. */
bool cli_arrays_close(cli_arrays *arrays);

#endif
