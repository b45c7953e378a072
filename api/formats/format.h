/* format.h - a slice of a result array as JSON, CSV or NumPy's .npy, made block by block. */
#ifndef API_FORMATS_FORMAT_H
#define API_FORMATS_FORMAT_H

#include "api/base/buffer.h"
#include "api/formats/slice.h"

#include <stdbool.h>

typedef struct api_format {
  const char *name;   /* as in ?format= */
  const char *type;   /* the content type */
  const char *accept; /* what a client may write in Accept, "a|b" */
  /* What comes before the first row; `count` rows from row `first` of the slice, which are in slice->block; what comes
   * after the last row. False when something could not be read. */
  bool (*begin)(const api_slice *slice, api_buffer *out);
  bool (*rows)(const api_slice *slice, size_t first, size_t count, api_buffer *out);
  void (*end)(const api_slice *slice, api_buffer *out);
} api_format;

#endif
