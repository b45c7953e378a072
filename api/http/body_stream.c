/* body_stream.c - see body_stream.h. */
#include "api/http/body_stream.h"

#include <stdlib.h>
#include <string.h>

typedef struct body_stream {
  api_source source;
  api_buffer piece;
  size_t sent; /* of the piece */
  bool ended;
} body_stream;

static ssize_t stream_read(void *context, char *buffer, size_t size) {
  body_stream *stream = context;
  while (stream->sent == stream->piece.size) {
    if (stream->ended) return 0;
    stream->piece.size = 0;
    stream->sent = 0;
    int more = stream->source.fill(stream->source.context, &stream->piece);
    if (more < 0 || stream->piece.failed) return -1;
    stream->ended = more == 0;
  }
  size_t left = stream->piece.size - stream->sent;
  size_t take = left < size ? left : size;
  memcpy(buffer, stream->piece.data + stream->sent, take);
  stream->sent += take;
  return (ssize_t)take;
}

static void stream_close(void *context) {
  body_stream *stream = context;
  stream->source.close(stream->source.context);
  api_buffer_free(&stream->piece);
  free(stream);
}

void api_respond_source(api_response *response, int status, const char *type, const api_source *source) {
  body_stream *stream = calloc(1, sizeof *stream);
  if (!stream) {
    source->close(source->context);
    api_respond_text(response, status, type, NULL, 0);
    return;
  }
  stream->source = *source;
  response->status = status;
  response->stream = (api_stream){.context = stream, .read = stream_read, .close = stream_close};
  api_response_header(response, "Content-Type", "%s", type);
}
