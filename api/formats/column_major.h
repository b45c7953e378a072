/* column_major.h - an array with its first index running fastest, as MATLAB and Fortran keep them. */
#ifndef API_FORMATS_COLUMN_MAJOR_H
#define API_FORMATS_COLUMN_MAJOR_H

#include "api/base/temp_file.h"
#include "api/formats/slice.h"

typedef struct api_column_major {
  double *numbers;
  size_t bytes;
  bool mapped;
} api_column_major;

/* Reads all rows of the slice, a whole array. A large array is put into an unnamed file, which is mapped, so that it
 * takes no memory that the system could not have back. NO_SPACE, FAILED; close it all the same. */
service_status api_column_major_open(api_column_major *self, api_slice *slice, const api_temp_file *scratch);
void api_column_major_close(api_column_major *self);

#endif
