/* response.h - a response, and functions with which handlers make one. */
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

/* A body that is produced piece by piece on worker threads, one call at a time. */
typedef struct api_stream {
  void *context;
  /* Reads at most `size` bytes. Returns their number, 0 at the end, -1 on failure, API_STREAM_WAIT if more data must
   * wait for an event of the subscription, and API_STREAM_AGAIN to let other streams continue first. */
  ssize_t (*read)(void *context, char *buffer, size_t size);
  void (*close)(void *context);
  /* True if the length is known: it is sent as Content-Length, and the body must not be longer. */
  bool sized;
  uint64_t size;
  /* Makes the next read begin at this byte, at most `size`. Returns 0, or -1 on failure. NULL: not seekable; otherwise
   * ranges of a sized stream with an ETag are served. */
  int (*seek)(void *context, uint64_t position);
  /* Frees memory that a later read can restore, while the client does not read. NULL: there is none. */
  void (*rest)(void *context);
  /* The subscription whose events let the body grow. Between reads the server may check it, skip events of other jobs,
   * and mark it as quiet. NULL: the body does not wait for events. */
  service_subscription *follower;
} api_stream;

enum { API_HEADERS_MAX = 24 };

typedef struct api_response {
  int status;
  bool whole;        /* no ranges of the body are served, although it has an ETag: it changes often */
  const char *route; /* path of the route that matched, "/api/v1/jobs/{id}"; NULL: none. A static text */
  struct {
    const char *name;
    char value[256];
  } headers[API_HEADERS_MAX];
  size_t header_count;
  /* Exactly one of these is set: `body` (malloc'd, or static if `body_static`), `stream` (read != NULL), `wait_id`,
   * `pending`, `beside`. */
  char *body;
  size_t body_size;
  bool body_static;
  api_stream stream;
  /* No response yet: handle the same request again on a worker thread. */
  bool beside;
  /* No response yet: handle the same request again when the operation that the service has begun is done. */
  bool pending;
  /* No response yet: handle the request again, with `waited`, when this job finishes or after `wait_seconds`. */
  char wait_id[SERVICE_ID_SIZE];
  double wait_seconds;
} api_response;

/* Adds a header; cuts a value that does not fit. */
void api_response_header(api_response *response, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns the value of a header that was added; NULL if there is none. */
const char *api_response_find(const api_response *response, const char *name);
/* Answers with `value` and a newline, as application/json. Releases `value`. */
void api_respond_json(api_response *response, int status, json_t *value);
/* Answers with `text`, malloc'd, which the response owns. NULL means that memory ran out. */
void api_respond_text(api_response *response, int status, const char *type, char *text, size_t size);
/* Answers with constant data. */
void api_respond_static(api_response *response, int status, const char *type, const void *data, size_t size);
/* Answers with a problem document that needs no memory: memory ran out. */
void api_respond_no_memory(api_response *response);
/* Callback that is called once when a file has been closed. */
typedef struct api_file_lender {
  void (*closed)(void *context, size_t loan); /* NULL: no callback */
  void *context;
  size_t loan; /* number passed to the callback */
} api_file_lender;
/* Answers with the first `size` bytes of an open file, or with the requested range of them (with an ETag). The response
 * owns the descriptor and closes it; it is closed immediately if memory runs out. `lender` may be NULL. */
void api_respond_file(api_response *response, int status, const char *type, int file, uint64_t size,
                      const api_file_lender *lender);
/* Answers without content. */
void api_respond_empty(api_response *response, int status);
/* Sets ETag to `tag`, given without quotes. Returns true if If-None-Match has the same tag or is "*": the response is
 * then the finished 304. */
bool api_respond_unchanged(const api_request *request, api_response *response, const char *tag);
/* Frees the contents of a response and closes its stream. */
void api_response_free(api_response *response);

#endif
