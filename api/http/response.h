/* response.h - an answer, and what every handler needs to make one. */
#ifndef API_HTTP_RESPONSE_H
#define API_HTTP_RESPONSE_H

#include "api/http/request.h"
#include "api/service.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { API_STREAM_WAIT = -2, API_STREAM_AGAIN = -3 };

/* A body made piece by piece, on threads that may take their time, one call at a time. */
typedef struct api_stream {
  void *context;
  /* Fills at most `size` bytes and returns how many, 0 at the end, -1 on failure; API_STREAM_WAIT: there is nothing
   * before something happens for its follower; API_STREAM_AGAIN: nothing so far, but others should have their turn. */
  ssize_t (*read)(void *context, char *buffer, size_t size);
  void (*close)(void *context);
  /* Where its length is known: it goes out with Content-Length, and is no longer than that. */
  bool sized;
  uint64_t size;
  /* The next read begins at this byte of it, at most `size`: 0, or -1 on failure. NULL: it cannot; else parts of a
   * sized stream that have an ETag are answered (Range). */
  int (*seek)(void *context, uint64_t position);
  /* Frees what a later read can make again: the client does not read now. NULL: there is nothing to free. */
  void (*rest)(void *context);
  /* Of a body that grows as things happen, whom they happen for; the server may look at him, let him skip what is not
   * for him and say that he is quiet, while nothing is read. NULL: it is all there. */
  service_subscription *follower;
} api_stream;

enum { API_HEADERS_MAX = 16 };

typedef struct api_response {
  int status;
  struct {
    const char *name;
    char value[256];
  } headers[API_HEADERS_MAX];
  size_t header_count;
  /* Exactly one of: `body` (malloc'd, or static when `body_static`), `stream` (read != NULL), `wait_id`, `pending`,
   * `beside`. */
  char *body;
  size_t body_size;
  bool body_static;
  api_stream stream;
  /* Not an answer yet: call again with the same request on a thread that may take its time. */
  bool beside;
  /* Not an answer yet: call again with the same request when what the service has begun is done. */
  bool pending;
  /* Not an answer yet: call again with `waited` when this job ends, or after `wait_seconds`. */
  char wait_id[SERVICE_ID_SIZE];
  double wait_seconds;
} api_response;

/* Adds a header; a value that does not fit is cut. */
void api_response_header(api_response *response, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The value of a header that was added; NULL where there is none. */
const char *api_response_find(const api_response *response, const char *name);
/* The answer is `value` (taken over) and a newline, as application/json. */
void api_respond_json(api_response *response, int status, json_t *value);
/* The answer is `text`, malloc'd, which is taken over; NULL is a failure for want of memory. */
void api_respond_text(api_response *response, int status, const char *type, char *text, size_t size);
/* The answer is constant. */
void api_respond_static(api_response *response, int status, const char *type, const void *data, size_t size);
/* A problem document that takes no memory: there is none. */
void api_respond_no_memory(api_response *response);
/* Who is told once when a file has been closed. */
typedef struct api_file_lender {
  void (*closed)(void *context, size_t loan); /* NULL: nobody */
  void *context;
  size_t loan; /* which one */
} api_file_lender;
/* The answer is an open file, its first `size` bytes, whole or in the part that is asked for (Range, with an ETag); the
 * descriptor is taken over, and closed with the response or here when there is no memory. `lender` may be NULL. */
void api_respond_file(api_response *response, int status, const char *type, int file, uint64_t size,
                      const api_file_lender *lender);
/* The answer has no content. */
void api_respond_empty(api_response *response, int status);
/* Sets ETag. True when If-None-Match already has it: the response is then the finished 304. `tag` without quotes. */
bool api_respond_unchanged(const api_request *request, api_response *response, const char *tag);
/* Frees what a response owns; closes its stream. */
void api_response_free(api_response *response);

#endif
