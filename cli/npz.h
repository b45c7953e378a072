/* npz.h - reads the arrays of an .npz file. */
#ifndef CLI_NPZ_H
#define CLI_NPZ_H

#include <stdbool.h>
#include <stddef.h>

/* An array of doubles; `name` without .npy. */
typedef struct cli_npz_array {
  char name[256];
  double *data; /* malloc'd, row by row */
  size_t count;
} cli_npz_array;

/* Returns all arrays of a file, each malloc'd; NULL after printing an error. */
cli_npz_array *cli_npz_read(const char *path, size_t *count);
void cli_npz_free(cli_npz_array *arrays, size_t count);

#endif
