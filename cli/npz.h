/* npz.h - arrays of an .npz, one after another. */
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

/* All arrays of a file, malloc'd each; NULL after saying what is wrong. */
cli_npz_array *cli_npz_read(const char *path, size_t *count);
void cli_npz_free(cli_npz_array *arrays, size_t count);

#endif
