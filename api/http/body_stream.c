/* body_stream.c - see body_stream.h. A client that does not read needs little memory: a piece is used up before the
 * next one if possible, and the buffer is freed while the stream waits. */
#include "api/http/body_stream.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Bytes before the requested position that are skipped at a time; then other streams continue. */
enum { DROPPED_AT_ONCE = 1 << 20 };

typedef struct body_stream {
  api_source source;
  api_buffer piece;
  size_t sent;     /* of the piece */
  size_t largest;  /* largest piece so far */
  uint64_t before; /* bytes that must still be skipped */
  bool ended, waits;
} body_stream;

/* Produces the next piece. Returns false if the source fails. */
static bool next_piece(body_stream *stream) {
  assert(!stream->ended && stream->sent == stream->piece.size);
  stream->piece.size = stream->sent = 0;
  int more = stream->source.fill(stream->source.context, &stream->piece);
  stream->waits = more == API_STREAM_WAIT;
  if ((more < 0 && !stream->waits) || stream->piece.failed) return false;
  stream->ended = more == 0;
  if (stream->piece.size > stream->largest) stream->largest = stream->piece.size;
  return true;
}

/* Skips bytes before the requested position. Returns false if the source fails or ends too early. */
static bool drop(body_stream *stream) {
  for (uint64_t dropped = 0; stream->before > 0 && dropped < DROPPED_AT_ONCE;) {
    if (stream->sent == stream->piece.size && (stream->ended || !next_piece(stream))) return false;
    size_t left = stream->piece.size - stream->sent;
    size_t take = stream->before < left ? (size_t)stream->before : left;
    stream->sent += take;
    stream->before -= take;
    dropped += take;
  }
  return true;
}

static ssize_t stream_read(void *context, char *buffer, size_t size) {
  body_stream *stream = context;
  size_t got = 0;
  assert(size > 0 && stream->sent <= stream->piece.size);
  if (stream->before > 0 && !drop(stream)) return -1;
  if (stream->before > 0) return API_STREAM_AGAIN;
  while (got < size) {
    if (stream->sent == stream->piece.size) {
      /* The next piece would probably not fit: it is produced by the next read. */
      if (stream->ended || (got > 0 && size - got < stream->largest)) break;
      if (!next_piece(stream)) return -1;
      if (stream->waits) return got > 0 ? (ssize_t)got : API_STREAM_WAIT;
    }
    size_t left = stream->piece.size - stream->sent;
    size_t take = left < size - got ? left : size - got;
    if (take > 0) memcpy(buffer + got, stream->piece.data + stream->sent, take);
    stream->sent += take;
    got += take;
  }
  return (ssize_t)got;
}

/* A source that fails immediately is reported now. */
static int stream_seek(void *context, uint64_t position) {
  body_stream *stream = context;
  int64_t before = stream->source.seek(stream->source.context, position);
  stream->ended = false;
  stream->piece.size = stream->sent = 0;
  if (before < 0) return -1;
  stream->before = (uint64_t)before;
  return next_piece(stream) && drop(stream) ? 0 : -1;
}

static void stream_rest(void *context) {
  body_stream *stream = context;
  if (stream->source.rest) stream->source.rest(stream->source.context);
  if (stream->sent < stream->piece.size) return;
  api_buffer_free(&stream->piece);
  stream->sent = 0;
}

static void stream_close(void *context) {
  body_stream *stream = context;
  stream->source.close(stream->source.context);
  api_buffer_free(&stream->piece);
  free(stream);
}

void api_respond_source(api_response *response, int status, const char *type, const api_source *source) {
  assert(source->fill && source->close && !response->body && !response->stream.read);
  body_stream *stream = calloc(1, sizeof *stream);
  if (!stream) {
    source->close(source->context);
    api_respond_text(response, status, type, NULL, 0);
    return;
  }
  stream->source = *source;
  response->status = status;
  response->stream = (api_stream){.context = stream,
                                  .read = stream_read,
                                  .close = stream_close,
                                  .sized = source->sized,
                                  .size = source->size,
                                  .seek = source->seek ? stream_seek : NULL,
                                  .rest = stream_rest,
                                  .follower = source->follower};
  api_response_header(response, "Content-Type", "%s", type);
}
