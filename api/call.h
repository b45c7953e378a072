/* call.h - a request as its handler sees it, and what every handler needs to answer. */
#ifndef API_CALL_H
#define API_CALL_H

#include "api.h"
#include "target.h"

#include <jansson.h>

enum { API_ARGUMENTS_MAX = 2 };

typedef struct api_call {
  const api_request *request;
  const service *service;
  api_target target;
  const char *arguments[API_ARGUMENTS_MAX]; /* what stands for the {..} of the route's path */
} api_call;

/* The value of a request header; NULL where it did not come. */
const char *api_request_header(const api_request *request, const char *name);

/* Adds a header; a value that does not fit is cut. */
void api_response_header(api_response *response, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The answer is `value` (taken over) and a newline, as application/json. */
void api_respond_json(api_response *response, int status, json_t *value);
/* The answer is `text`, malloc'd, which is taken over; NULL is a failure for want of memory. */
void api_respond_text(api_response *response, int status, const char *type, char *text, size_t size);
/* The answer is constant. */
void api_respond_static(api_response *response, int status, const char *type, const void *data, size_t size);
/* The answer has no content. */
void api_respond_empty(api_response *response, int status);
/* Sets ETag. True when If-None-Match already has it: the response is then the finished 304. `tag` without quotes. */
bool api_respond_unchanged(const api_call *call, api_response *response, const char *tag);

#endif
