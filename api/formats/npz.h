/* npz.h - NumPy's archive of arrays: a ZIP file with one stored .npy file an array, written piece by piece.
 *
 * libarchive writes the container: of the libraries at hand it is the one that streams (libzip wants to seek in its
 * output), and it goes on with ZIP64 past 4 GiB. */
#ifndef API_FORMATS_NPZ_H
#define API_FORMATS_NPZ_H

#include "api/base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct api_npz api_npz;

/* Everything is appended to `out`, which the caller may empty between two calls. NULL when there is no memory. */
api_npz *api_npz_new(api_buffer *out);
/* Begins the array of the file `name`.npy (see file_names.h); exactly the product of `shape` numbers must follow. */
bool api_npz_begin(api_npz *npz, const char *name, const size_t *shape, int rank);
bool api_npz_add(api_npz *npz, const double *numbers, size_t count);
/* Writes the directory of the archive. */
bool api_npz_end(api_npz *npz);
void api_npz_free(api_npz *npz);

#endif
