/* npy.h - NumPy's file format for one array (version 1.0): little-endian 64-bit floats, row-major. */
#ifndef API_FORMATS_NPY_H
#define API_FORMATS_NPY_H

#include "api/base/buffer.h"
#include "api/formats/format.h"

#include <stddef.h>
#include <stdint.h>

/* Appends the header; the numbers follow as they are in memory. */
void api_npy_header(api_buffer *out, const size_t *shape, int rank);
/* Returns the size of a whole file in bytes; 0 if memory runs out. */
uint64_t api_npy_size(const size_t *shape, int rank);

/* The format of slices. */
extern const api_format api_format_npy;

#endif
