/* archive.h - a ZIP file with one file for each array, written piece by piece: NumPy's .npz, or CSV.
 * libarchive writes the container because it can stream (libzip needs a seekable output) and uses ZIP64 beyond 4
 * GiB. */
#ifndef API_FORMATS_ARCHIVE_H
#define API_FORMATS_ARCHIVE_H

#include "api/base/buffer.h"
#include "api/formats/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct api_archive api_archive;

/* Creates an archive of arrays in `format`; .npy files are stored, text is compressed. All output is appended to `out`,
 * which the caller may empty between two calls. Returns NULL if memory runs out. */
api_archive *api_archive_new(api_buffer *out, const api_format *format);
/* Begins the file of a whole array, `name` (see file_names.h) with the extension of the format. */
bool api_archive_begin(api_archive *archive, const char *name, const api_slice *slice);
/* Adds the next rows of that slice. Returns their number, 0 at the end of the array, -1 on failure. */
ssize_t api_archive_next(api_archive *self, api_slice *slice);
/* Writes the directory of the archive. */
bool api_archive_end(api_archive *archive);
void api_archive_free(api_archive *self);

/* Returns the size in bytes of a whole archive of these arrays under these names, without reading them. Returns 0 if it
 * is not known in advance: for text, which is compressed, and from about 4 GiB on, where sizes and positions need more
 * bytes. */
uint64_t api_archive_size(const api_format *format, char *const *names, const service_array *arrays, size_t count);

#endif
