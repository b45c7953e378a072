/* pump.c - see pump.h. */
#include "pump.h"

#include "call.h"

#include <stdlib.h>
#include <string.h>

typedef struct body_pump {
  api_source source;
  api_buffer piece;
  size_t sent; /* of the piece */
  bool ended;
} body_pump;

static ssize_t pump_read(void *context, char *buffer, size_t size) {
  body_pump *pump = context;
  while (pump->sent == pump->piece.size) {
    if (pump->ended) return 0;
    pump->piece.size = 0;
    pump->sent = 0;
    int more = pump->source.fill(pump->source.context, &pump->piece);
    if (more < 0 || pump->piece.failed) return -1;
    pump->ended = more == 0;
  }
  size_t left = pump->piece.size - pump->sent;
  size_t take = left < size ? left : size;
  memcpy(buffer, pump->piece.data + pump->sent, take);
  pump->sent += take;
  return (ssize_t)take;
}

static void pump_close(void *context) {
  body_pump *pump = context;
  pump->source.close(pump->source.context);
  api_buffer_free(&pump->piece);
  free(pump);
}

void api_respond_source(api_response *response, int status, const char *type, const api_source *source) {
  body_pump *pump = calloc(1, sizeof *pump);
  if (!pump) {
    source->close(source->context);
    api_respond_text(response, status, type, NULL, 0);
    return;
  }
  pump->source = *source;
  response->status = status;
  response->stream = (api_stream){pump, pump_read, pump_close};
  api_response_header(response, "Content-Type", "%s", type);
}
