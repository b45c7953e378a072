/* npz.c - see npz.h. */
#include "api/formats/npz.h"

#include "api/formats/npy.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>

struct api_npz {
  struct archive *archive;
  api_buffer *out;
};

static la_ssize_t append(struct archive *archive, void *npz, const void *data, size_t size) {
  (void)archive;
  api_buffer *out = ((api_npz *)npz)->out;
  api_buffer_add(out, data, size);
  return out->failed ? -1 : (la_ssize_t)size;
}

api_npz *api_npz_new(api_buffer *out) {
  api_npz *npz = calloc(1, sizeof *npz);
  if (!npz) return NULL;
  npz->out = out;
  npz->archive = archive_write_new();
  if (npz->archive && archive_write_set_format_zip(npz->archive) == ARCHIVE_OK &&
      archive_write_zip_set_compression_store(npz->archive) == ARCHIVE_OK &&
      archive_write_set_format_option(npz->archive, "zip", "hdrcharset", "UTF-8") == ARCHIVE_OK &&
      /* Pieces are handed on as they come, without padding at the end. */
      archive_write_set_bytes_per_block(npz->archive, 0) == ARCHIVE_OK &&
      archive_write_set_bytes_in_last_block(npz->archive, 1) == ARCHIVE_OK &&
      archive_write_open(npz->archive, npz, NULL, append, NULL) == ARCHIVE_OK) {
    return npz;
  }
  api_npz_free(npz);
  return NULL;
}

static bool write_all(api_npz *npz, const void *data, size_t size) {
  return archive_write_data(npz->archive, data, size) == (la_ssize_t)size;
}

bool api_npz_begin(api_npz *npz, const char *name, const size_t *shape, int rank) {
  api_buffer header = {0};
  api_npy_header(&header, shape, rank);
  size_t count = 1;
  for (int i = 0; i < rank; i++) count *= shape[i];
  api_buffer path = {0};
  api_buffer_print(&path, "%s.npy", name);
  api_buffer_add(&path, "", 1);
  struct archive_entry *entry = archive_entry_new();
  bool fine = entry && !header.failed && !path.failed;
  if (fine) {
    archive_entry_set_pathname_utf8(entry, path.data);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)(header.size + count * sizeof(double)));
    /* No time is set: the same job gives the same bytes. */
    fine = archive_write_header(npz->archive, entry) == ARCHIVE_OK && write_all(npz, header.data, header.size);
  }
  archive_entry_free(entry);
  api_buffer_free(&path);
  api_buffer_free(&header);
  return fine;
}

bool api_npz_add(api_npz *npz, const double *numbers, size_t count) {
  return write_all(npz, numbers, count * sizeof *numbers);
}

bool api_npz_end(api_npz *npz) { return archive_write_close(npz->archive) == ARCHIVE_OK; }

void api_npz_free(api_npz *npz) {
  if (!npz) return;
  archive_write_free(npz->archive); /* closes, and so writes to `out`, unless it is closed */
  free(npz);
}
