/* format.h - a format for slices of result arrays: JSON, CSV or NumPy's .npy, written block by block. */
#ifndef API_FORMATS_FORMAT_H
#define API_FORMATS_FORMAT_H

#include "api/base/buffer.h"
#include "api/formats/slice.h"

#include <stdbool.h>

typedef struct api_format {
  const char *name;   /* as in ?format= */
  const char *type;   /* content type */
  const char *accept; /* matching values of Accept, "a|b" */
  /* begin() writes the part before the first row, rows() `count` rows from row `first` of the slice, which are in
   * slice->block, and end() the part after the last row. begin() and rows() return false if something cannot be
   * read. */
  bool (*begin)(const api_slice *slice, api_buffer *out);
  bool (*rows)(const api_slice *slice, size_t first, size_t count, api_buffer *out);
  void (*end)(const api_slice *slice, api_buffer *out);
} api_format;

#endif
