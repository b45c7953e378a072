/* body_stream.h - a streamed body from a source that makes it piece by piece. */
#ifndef API_HTTP_BODY_STREAM_H
#define API_HTTP_BODY_STREAM_H

#include "api/base/buffer.h"
#include "api/http/response.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct api_source {
  void *context;
  /* Appends the next piece, some kilobytes: 1 when more may follow, 0 at the end, -1 on failure; API_STREAM_WAIT: there
   * is none before something happens for the follower. */
  int (*fill)(void *context, api_buffer *out);
  void (*close)(void *context);
  /* The rest is as in api_stream, and may be left out. `seek`: the next piece begins at this byte of the body or
   * before it; returns how many bytes before, or -1 on failure. */
  bool sized;
  uint64_t size;
  int64_t (*seek)(void *context, uint64_t position);
  void (*rest)(void *context);
  service_subscription *follower;
} api_source;

/* Makes the source the body of `response`, with `status` and content type; the source is closed with the response, or
 * here when there is no memory. */
void api_respond_source(api_response *response, int status, const char *type, const api_source *source);

#endif
