/* body_stream.h - a response body that a source produces piece by piece. */
#ifndef API_HTTP_BODY_STREAM_H
#define API_HTTP_BODY_STREAM_H

#include "api/base/buffer.h"
#include "api/http/response.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct api_source {
  void *context;
  /* Appends the next piece, some kilobytes. Returns 1 if more may follow, 0 at the end, -1 on failure, and
   * API_STREAM_WAIT if the next piece must wait for an event of the subscription. */
  int (*fill)(void *context, api_buffer *out);
  void (*close)(void *context);
  /* The other members are as in api_stream and optional. `seek` makes the next piece begin at or before this byte of
   * the body; it returns how many bytes before, or -1 on failure. */
  bool sized;
  uint64_t size;
  int64_t (*seek)(void *context, uint64_t position);
  void (*rest)(void *context);
  service_subscription *follower;
} api_source;

/* Makes the source the body of `response`, with `status` and content type. The source is closed with the response, or
 * immediately if memory runs out. */
void api_respond_source(api_response *response, int status, const char *type, const api_source *source);

#endif
