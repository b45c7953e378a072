/* response.c - see call.h. */
#include "call.h"

#include "fields.h"
#include "problem.h"
#include "values.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *api_request_header(const api_request *request, const char *name) {
  for (size_t i = 0; i < request->header_count; i++) {
    if (strcasecmp(request->headers[i].name, name) == 0) return request->headers[i].value;
  }
  return NULL;
}

void api_response_header(api_response *response, const char *name, const char *format, ...) {
  if (response->header_count == API_HEADERS_MAX) return;
  response->headers[response->header_count].name = name;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(response->headers[response->header_count].value, sizeof response->headers[0].value, format, arguments);
  va_end(arguments);
  response->header_count++;
}

void api_respond_text(api_response *response, int status, const char *type, char *text, size_t size) {
  if (!text) {
    api_problem(NULL, response, API_PROBLEM_INTERNAL, "Out of memory");
    return;
  }
  response->status = status;
  response->body = text;
  response->body_size = size;
  api_response_header(response, "Content-Type", "%s", type);
}

void api_respond_json(api_response *response, int status, json_t *value) {
  api_buffer text = {0};
  api_json_print(value, &text);
  api_respond_text(response, status, "application/json", text.data, text.size);
}

void api_respond_static(api_response *response, int status, const char *type, const void *data, size_t size) {
  response->status = status;
  response->body = (char *)data; /* static: nobody writes to it */
  response->body_size = size;
  response->body_static = true;
  api_response_header(response, "Content-Type", "%s", type);
}

void api_respond_empty(api_response *response, int status) {
  response->status = status;
  response->body = (char *)"";
  response->body_static = true;
}

bool api_respond_unchanged(const api_call *call, api_response *response, const char *tag) {
  char quoted[96];
  snprintf(quoted, sizeof quoted, "\"%s\"", tag);
  api_response_header(response, "ETag", "%s", quoted);
  size_t line = 0;
  for (const char *known; (known = api_field_line(call->request, "If-None-Match", &line));) {
    if (strcmp(known, "*") != 0 && !strstr(known, quoted)) continue;
    api_respond_empty(response, 304);
    return true;
  }
  return false;
}
