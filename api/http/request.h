/* request.h - a request as it came. */
#ifndef API_HTTP_REQUEST_H
#define API_HTTP_REQUEST_H

#include "api/service.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct api_header {
  const char *name; /* any case */
  const char *value;
} api_header;

typedef struct api_request {
  const char *method; /* "GET", "HEAD", "POST", "DELETE", ... */
  const char *target; /* raw path and query as sent, percent-encoded: "/api/v1/jobs?limit=5" */
  const api_header *headers;
  size_t header_count;
  const void *body;
  size_t body_size;
  const char *client;     /* who asks: the name of its token, or the address it comes from; NULL: not known */
  bool beside;            /* on a thread that may take its time: no other request waits for it */
  bool waited;            /* second call, after the wait that the first one asked for */
  const char *wait_id;    /* second call: the job that was waited for */
  const service *service; /* outlives the response and its stream */
} api_request;

/* The value of a request header; NULL where it did not come. */
const char *api_request_header(const api_request *request, const char *name);

#endif
