/* response.c - see response.h. */
#include "api/http/response.h"

#include "api/base/values.h"
#include "api/http/fields.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void api_response_header(api_response *response, const char *name, const char *format, ...) {
  assert(response->header_count < API_HEADERS_MAX);
  if (response->header_count == API_HEADERS_MAX) return;
  response->headers[response->header_count].name = name;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(response->headers[response->header_count].value, sizeof response->headers[0].value, format, arguments);
  va_end(arguments);
  response->header_count++;
}

const char *api_response_find(const api_response *response, const char *name) {
  for (size_t i = 0; i < response->header_count; i++)
    if (strcasecmp(response->headers[i].name, name) == 0) return response->headers[i].value;
  return NULL;
}

/* Begins a response. A second one would leak the memory of the first. */
static void begin(api_response *response, int status) {
  assert(!response->body && !response->stream.read && !response->pending && !response->beside);
  assert(status >= 200 && status < 600);
  response->status = status;
}

void api_respond_text(api_response *response, int status, const char *type, char *text, size_t size) {
  if (!text) {
    api_respond_no_memory(response);
    return;
  }
  begin(response, status);
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
  begin(response, status);
  response->body = (char *)data; /* constant: never written to */
  response->body_size = size;
  response->body_static = true;
  api_response_header(response, "Content-Type", "%s", type);
}

void api_respond_no_memory(api_response *response) {
  static const char text[] = "{\"type\":\"urn:mbsd:problem:internal\",\"title\":\"Internal "
                             "error\",\"status\":500,\"detail\":\"Out of memory\"}\n";
  api_respond_static(response, 500, "application/problem+json", text, sizeof text - 1);
}

void api_respond_empty(api_response *response, int status) {
  begin(response, status);
  response->body = (char *)"";
  response->body_static = true;
}

bool api_respond_unchanged(const api_request *request, api_response *response, const char *tag) {
  char quoted[96];
  snprintf(quoted, sizeof quoted, "\"%s\"", tag);
  api_response_header(response, "ETag", "%s", quoted);
  size_t line = 0;
  for (const char *known; (known = api_field_line(request, "If-None-Match", &line));) {
    if (strcmp(known, "*") != 0 && !strstr(known, quoted)) continue;
    api_respond_empty(response, 304);
    return true;
  }
  return false;
}

void api_response_free(api_response *response) {
  if (response->stream.close) response->stream.close(response->stream.context);
  if (!response->body_static) free(response->body);
  *response = (api_response){0};
}
