/* archive.c - see archive.h. */
#include "api/formats/archive.h"

#include "api/formats/npy.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct api_archive {
  struct archive *archive;
  const api_format *format;
  api_buffer *out;
  api_buffer piece; /* of the current file */
};

static la_ssize_t append(struct archive *archive, void *context, const void *data, size_t size) {
  (void)archive;
  api_buffer *out = ((api_archive *)context)->out;
  api_buffer_add(out, data, size);
  return out->failed ? -1 : (la_ssize_t)size;
}

/* A higher compression level hardly shortens digits. */
static bool set_compression(struct archive *archive, const api_format *format) {
  if (format == &api_format_npy) return archive_write_zip_set_compression_store(archive) == ARCHIVE_OK;
  return archive_write_zip_set_compression_deflate(archive) == ARCHIVE_OK &&
         archive_write_set_format_option(archive, "zip", "compression-level", "1") == ARCHIVE_OK;
}

api_archive *api_archive_new(api_buffer *out, const api_format *format) {
  api_archive *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->out = out;
  self->format = format;
  self->archive = archive_write_new();
  if (self->archive && archive_write_set_format_zip(self->archive) == ARCHIVE_OK &&
      set_compression(self->archive, format) &&
      archive_write_set_format_option(self->archive, "zip", "hdrcharset", "UTF-8") == ARCHIVE_OK &&
      /* Data is passed on immediately, without padding at the end. */
      archive_write_set_bytes_per_block(self->archive, 0) == ARCHIVE_OK &&
      archive_write_set_bytes_in_last_block(self->archive, 1) == ARCHIVE_OK &&
      archive_write_open(self->archive, self, NULL, append, NULL) == ARCHIVE_OK) {
    return self;
  }
  api_archive_free(self);
  return NULL;
}

/* Passes the piece to the archive. */
static bool write_piece(api_archive *self) {
  bool fine = !self->piece.failed &&
              archive_write_data(self->archive, self->piece.data, self->piece.size) == (la_ssize_t)self->piece.size;
  self->piece.size = 0;
  return fine;
}

/* The size of compressed data follows it. No time is stored, so that the same job gives the same bytes. */
static bool write_header(api_archive *self, const char *path, uint64_t size) {
  struct archive_entry *entry = archive_entry_new();
  if (!entry) return false;
  archive_entry_set_pathname_utf8(entry, path);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  if (self->format == &api_format_npy) archive_entry_set_size(entry, (la_int64_t)size);
  bool fine = archive_write_header(self->archive, entry) == ARCHIVE_OK;
  archive_entry_free(entry);
  return fine;
}

/* Begins a file of `size` bytes, which follow. */
static bool begin_file(api_archive *self, const char *name, uint64_t size) {
  api_buffer path = {0};
  api_buffer_print(&path, "%s.%s", name, self->format->name);
  api_buffer_add(&path, "", 1);
  bool fine = !path.failed && write_header(self, path.data, size);
  api_buffer_free(&path);
  return fine;
}

bool api_archive_begin(api_archive *self, const char *name, const api_slice *slice) {
  assert(self->piece.size == 0 && slice->done == 0);
  if (!self->format->begin(slice, &self->piece) || self->piece.failed) return false;
  size_t numbers = slice->count * slice->column_count;
  return begin_file(self, name, self->piece.size + numbers * sizeof(double)) && write_piece(self);
}

ssize_t api_archive_next(api_archive *self, api_slice *slice) {
  size_t first = slice->done;
  ssize_t rows = api_slice_next(slice);
  if (rows > 0 && !self->format->rows(slice, first, (size_t)rows, &self->piece)) return -1;
  if (rows == 0) self->format->end(slice, &self->piece);
  return rows >= 0 && write_piece(self) ? rows : -1;
}

bool api_archive_end(api_archive *self) { return archive_write_close(self->archive) == ARCHIVE_OK; }

void api_archive_free(api_archive *self) {
  if (!self) return;
  archive_write_free(self->archive); /* also closes the archive, which writes to `out`, unless it is closed */
  api_buffer_free(&self->piece);
  free(self);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* libarchive switches to ZIP64 slightly below 4 GiB. */
static const uint64_t largest_plain = 0xff000000;

/* Writes an archive of empty files: the bytes between the contents of a real one, which do not depend on them. */
static bool write_frame(api_archive *frame, char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!begin_file(frame, names[i], 0)) return false;
  return api_archive_end(frame);
}

uint64_t api_archive_size(const api_format *format, char *const *names, const service_array *arrays, size_t count) {
  assert(count == 0 || (names && arrays));
  if (format != &api_format_npy) return 0;
  api_buffer out = {0};
  api_archive *frame = api_archive_new(&out, format);
  bool known = frame && write_frame(frame, names, count) && !out.failed;
  uint64_t size = out.size;
  for (size_t i = 0; known && i < count; i++) {
    uint64_t file = api_npy_size(arrays[i].shape, arrays[i].rank);
    size += file;
    known = file > 0 && size < largest_plain;
  }
  api_archive_free(frame);
  api_buffer_free(&out);
  return known ? size : 0;
}
