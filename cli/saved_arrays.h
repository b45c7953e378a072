/* saved_arrays.h - reads the arrays that mbs run wrote into CSV or JSON files. */
#ifndef CLI_SAVED_ARRAYS_H
#define CLI_SAVED_ARRAYS_H

#include "mbs.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the path is a folder, or a file that has the form of a saved array. */
bool cli_is_saved(const char *path);
/* Reads the arrays of a folder, in the order in which the run wrote them, or of a file, into `arena`. Units of CSV
 * files are not known. Returns NULL after printing an error. */
mbs_array *cli_saved_arrays(const char *path, mbs_arena *arena, size_t *count);

#endif
