/* column_major.h - an array in column-major order (the first index varies fastest), as in MATLAB and Fortran. */
#ifndef API_FORMATS_COLUMN_MAJOR_H
#define API_FORMATS_COLUMN_MAJOR_H

#include "api/base/temp_file.h"
#include "api/formats/slice.h"

typedef struct api_column_major {
  double *numbers;
  size_t bytes;
  bool mapped;
} api_column_major;

/* Reads all rows of the slice, which must be a whole array. A large array is written to an unnamed file and mapped, so
 * that the system can reclaim its memory. Returns NO_SPACE or FAILED on failure. Close it in any case. */
service_status api_column_major_open(api_column_major *self, api_slice *slice, const api_temp_file *scratch);
void api_column_major_close(api_column_major *self);

#endif
