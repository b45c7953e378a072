/* arrays.h - writes result arrays into a directory: one CSV or JSON file for each, or one .npz file. */
#ifndef CLI_ARRAYS_H
#define CLI_ARRAYS_H

#include "api/formats/archive.h"
#include "api/formats/format.h"
#include "api/service.h"
#include "folder.h"
#include "mbs.h"
#include "memory.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_arrays {
  cli_folder folder;
  cli_memory memory;      /* the arrays to come, which live as long as the run's result */
  char **files;           /* [memory.count] names of their files, those in an archive without an extension */
  service reader;         /* lets the API's formats read arrays from memory as from a store */
  const api_format *each; /* format of an array's file; NULL if all arrays go into an archive */
  api_archive *npz;
  api_buffer pending;
  FILE *file;  /* the archive's file */
  bool failed; /* something could not be written; the error was printed */
} cli_arrays;

/* Opens the directory, creates it if necessary, and locks it against other processes. Files of an older run stay until
 * cli_arrays_name(). `each` is NULL if all arrays go into one archive. `likely` is an array that the run will have: if
 * another program's file has its name, that is reported now and not after a long computation. Returns false after
 * printing an error. */
bool cli_arrays_open(cli_arrays *arrays, const char *folder, const api_format *each, const char *likely);
/* Sets the arrays that will be written, and removes the files of an older run from the directory. */
void cli_arrays_name(cli_arrays *arrays, const mbs_array *list, size_t count);
/* Writes one of them, with `labels` and `units` of its columns as JSON. Returns false after printing an error. */
bool cli_arrays_add(cli_arrays *arrays, const mbs_array *array, const char *labels, const char *units);
/* Finishes the archive and closes the directory. Returns false if anything could not be written; the error was
 * printed. */
bool cli_arrays_close(cli_arrays *arrays);

#endif
