/* api.h - what a request means: the one entry, api_handle(), from a request to a response.
 *
 * No sockets, no database, no threads: what a handler needs of its host it asks for through service.h, so the whole
 * API is tested in memory. */
#ifndef API_H
#define API_H

#include "service.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
  bool waited;            /* second call, after the wait that the first one asked for */
  const char *wait_id;    /* second call: the job that was waited for */
  const service *service; /* outlives the response and its stream */
} api_request;

/* A body made piece by piece. `read` fills at most `size` bytes and returns how many, 0 at the end, -1 on failure. */
typedef struct api_stream {
  void *context;
  ssize_t (*read)(void *context, char *buffer, size_t size);
  void (*close)(void *context);
} api_stream;

enum { API_HEADERS_MAX = 12 };

typedef struct api_response {
  int status;
  struct {
    const char *name;
    char value[256];
  } headers[API_HEADERS_MAX];
  size_t header_count;
  /* Exactly one of: `body` (malloc'd, or static when `body_static`), `stream` (read != NULL), or `wait_id` set. */
  char *body;
  size_t body_size;
  bool body_static;
  api_stream stream;
  /* Not an answer yet: call again with `waited` when this job ends, or after `wait_seconds`. */
  char wait_id[SERVICE_ID_SIZE];
  double wait_seconds;
} api_response;

/* What answering a request takes, for a host that has more than one thread. */
typedef enum api_work {
  API_WORK_READ,   /* hardly anything */
  API_WORK_CHANGE, /* it waits for the service */
  API_WORK_SUBMIT, /* it reads a document, which may take seconds */
  API_WORK_COMPUTE /* it solves equations, which may take seconds; the linear algebra does not stand two at once */
} api_work;

api_work api_request_work(const char *method, const char *target);

/* Answers a request. Never fails: trouble becomes a problem document (RFC 9457). `response` is zeroed first. */
void api_handle(const api_request *request, api_response *response);
/* Frees what a response owns; closes its stream. */
void api_response_free(api_response *response);
/* A problem document for errors that the host finds by itself (431, 413, 400 ...). `target` may be NULL. */
void api_problem_response(api_response *response, int status, const char *target, const char *detail);

#endif
