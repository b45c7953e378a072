/* gzip.c - see gzip.h. */
#include "api/http/gzip.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LEVEL = 6, MEMORY_LEVEL = 8, WINDOW = 15, GZIP = 16 /* added to the window: with header and trailer */ };

char *api_gzip_text(const void *text, size_t size, size_t *packed_size) {
  z_stream packer = {.next_in = (Bytef *)text, .avail_in = (uInt)size};
  if (size > UINT32_MAX / 2 ||
      deflateInit2(&packer, LEVEL, Z_DEFLATED, WINDOW + GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
    return NULL;
  }
  uLong bound = deflateBound(&packer, (uLong)size);
  char *packed = malloc(bound);
  packer.next_out = (Bytef *)packed;
  packer.avail_out = (uInt)bound;
  bool good = packed && deflate(&packer, Z_FINISH) == Z_STREAM_END;
  *packed_size = packer.total_out;
  deflateEnd(&packer);
  if (good) return packed;
  free(packed);
  return NULL;
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
/* Largest overhead of a compressed part over its text (RFC 1951: stored blocks), with the mark at its end, header and
 * trailer. */
enum { TAIL = 8, OVERHEAD = 128, SHARE = 1024, LEAST_TEXT = 64 };

typedef struct gzip_stream {
  api_stream inner;
  uLong check;
  uint32_t size; /* of the text so far, modulo 2^32 */
  bool begun, ended;
} gzip_stream;

/* Fills `text` from the inner stream; returns less than `size` only at its end, -1 on failure. */
static ssize_t read_text(gzip_stream *self, char *text, size_t size) {
  size_t got = 0;
  while (got < size && !self->ended) {
    ssize_t part = self->inner.read(self->inner.context, text + got, size - got);
    if (part < 0) return -1;
    self->ended = part == 0;
    got += (size_t)part;
  }
  return (ssize_t)got;
}

static char *put_number(char *out, uint32_t number) {
  for (int i = 0; i < 4; i++, number >>= 8) *out++ = (char)(number & 0xff);
  return out;
}

/* Compresses a part of the text; `room` must be sufficient. Returns the end of the output; NULL if memory runs out. */
static char *pack(gzip_stream *self, char *text, size_t size, char *out, size_t room) {
  assert(size <= UINT32_MAX && room <= UINT32_MAX);
  z_stream packer = {.next_in = (Bytef *)text, .avail_in = (uInt)size};
  packer.next_out = (Bytef *)out;
  packer.avail_out = (uInt)room;
  if (deflateInit2(&packer, LEVEL, Z_DEFLATED, -WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) return NULL;
  int code = deflate(&packer, self->ended ? Z_FINISH : Z_FULL_FLUSH);
  bool whole = packer.avail_in == 0 && code == (self->ended ? Z_STREAM_END : Z_OK);
  out = (char *)packer.next_out;
  deflateEnd(&packer);
  self->check = crc32(self->check, (const Bytef *)text, (uInt)size);
  self->size += (uint32_t)size;
  return whole ? out : NULL;
}

static ssize_t gzip_read(void *context, char *buffer, size_t size) {
  gzip_stream *self = context;
  if (self->ended) return 0;
  size_t spare = OVERHEAD + size / SHARE;
  if (size < spare + LEAST_TEXT) return -1;
  size_t room = size - spare;
  char *text = malloc(room), *out = buffer;
  ssize_t got = text ? read_text(self, text, room) : -1;
  if (got >= 0) {
    if (!self->begun) memcpy(out, head, sizeof head);
    if (!self->begun) out += sizeof head;
    self->begun = true;
    assert((size_t)got <= room);
    out = pack(self, text, (size_t)got, out, size - sizeof head - TAIL);
  }
  free(text);
  if (got < 0 || !out) return -1;
  if (self->ended) out = put_number(put_number(out, (uint32_t)self->check), self->size);
  return out - buffer;
}

static void gzip_rest(void *context) {
  gzip_stream *self = context;
  if (self->inner.rest) self->inner.rest(self->inner.context);
}

static void gzip_close(void *context) {
  gzip_stream *self = context;
  if (self->inner.close) self->inner.close(self->inner.context);
  free(self);
}

bool api_gzip_stream(api_stream *stream) {
  assert(stream->read && !stream->follower);
  gzip_stream *self = malloc(sizeof *self);
  if (!self) return false;
  *self = (gzip_stream){.inner = *stream, .check = crc32(0, NULL, 0)};
  *stream = (api_stream){.context = self, .read = gzip_read, .close = gzip_close, .rest = gzip_rest};
  return true;
}
