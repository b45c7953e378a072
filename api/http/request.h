/* request.h - a request as it was received. */
#ifndef API_HTTP_REQUEST_H
#define API_HTTP_REQUEST_H

#include "api/service.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct api_header {
  const char *name; /* in any case */
  const char *value;
} api_header;

typedef struct api_request {
  const char *method; /* "GET", "HEAD", "POST", "DELETE", ... */
  const char *target; /* raw path and query as sent, percent-encoded: "/api/v1/jobs?limit=5" */
  const api_header *headers;
  size_t header_count;
  const void *body;
  size_t body_size;
  const char *client;     /* sender: the name of its token, or its address; NULL: not known */
  bool beside;            /* runs on a worker thread, where no other request waits for it */
  bool waited;            /* second call, after the wait that the first call asked for */
  const char *wait_id;    /* second call: the job that it waited for */
  const service *service; /* outlives the response and its stream */
} api_request;

/* Returns the value of a request header; NULL if it is missing. */
const char *api_request_header(const api_request *request, const char *name);

#endif
