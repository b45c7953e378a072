/* archive.h - a ZIP file with one file an array, written piece by piece: NumPy's .npz, or CSV.
 *
 * libarchive writes the container: of the libraries at hand it is the one that streams (libzip wants to seek in its
 * output), and it goes on with ZIP64 past 4 GiB. */
#ifndef API_FORMATS_ARCHIVE_H
#define API_FORMATS_ARCHIVE_H

#include "api/base/buffer.h"
#include "api/formats/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct api_archive api_archive;

/* An archive of arrays in `format`; .npy is stored as it is, text is compressed. Everything is appended to `out`, which
 * the caller may empty between two calls. NULL when there is no memory. */
api_archive *api_archive_new(api_buffer *out, const api_format *format);
/* Begins the file `name` (see file_names.h), with the extension of the format, of a whole array. */
bool api_archive_begin(api_archive *archive, const char *name, const api_slice *slice);
/* Adds the next rows of that slice. Returns their number, 0 at the end of the array, -1 on failure. */
ssize_t api_archive_next(api_archive *self, api_slice *slice);
/* Writes the directory of the archive. */
bool api_archive_end(api_archive *archive);
void api_archive_free(api_archive *self);

/* Bytes of a whole archive of these arrays, under names as they are begun with; nothing is read for it. 0 where that is
 * not known before: of text, which is compressed, and of 4 GiB or so, where sizes and places take more bytes. */
uint64_t api_archive_size(const api_format *format, char *const *names, const service_array *arrays, size_t count);

#endif
