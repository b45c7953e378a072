/* problem.c - see problem.h. */
#include "problem.h"

#include "values.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
  int status;
  const char *type, *title;
} kinds[API_PROBLEM_COUNT] = {
#define API_PROBLEM(symbol, status, slug, title) {status, "urn:mbsd:problem:" slug, title},
#include "problems.def"
#undef API_PROBLEM
};

/* Seconds after which a client may try again what cannot be done now. */
enum { RETRY_SECONDS = 5 };

/* `target` of the request, or NULL. */
static void respond(const char *target, api_response *response, api_problem_kind kind, json_t *detail, json_t *more) {
  json_t *problem = json_object();
  json_object_set_new(problem, "type", json_string(kinds[kind].type));
  json_object_set_new(problem, "title", json_string(kinds[kind].title));
  json_object_set_new(problem, "status", json_integer(kinds[kind].status));
  json_object_set_new(problem, "detail", detail);
  if (target) json_object_set_new(problem, "instance", api_json_text(target));
  if (more) json_object_update_new(problem, more);
  api_buffer text = {0};
  if (!api_json_print(problem, &text)) {
    static const char no_memory[] = "{\"type\":\"about:blank\",\"title\":\"Out of memory\",\"status\":500}\n";
    api_respond_static(response, 500, "application/problem+json", no_memory, sizeof no_memory - 1);
    return;
  }
  api_respond_text(response, kinds[kind].status, "application/problem+json", text.data, text.size);
  if (kinds[kind].status == 503) api_response_header(response, "Retry-After", "%d", RETRY_SECONDS);
}

static const char *target_of(const api_call *call) { return call ? call->request->target : NULL; }

void api_problem(const api_call *call, api_response *response, api_problem_kind kind, const char *format, ...) {
  char detail[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  respond(target_of(call), response, kind, api_json_text(detail), NULL);
}

void api_problem_syntax(const api_call *call, api_response *response, const api_syntax_error *error) {
  json_t *place = json_object();
  json_object_set_new(place, "line", json_integer(error->line));
  json_object_set_new(place, "column", json_integer(error->column));
  respond(target_of(call), response, API_PROBLEM_MALFORMED_JSON, api_json_text(error->detail), place);
}

json_t *api_errors_json(const mbs_diagnostics *list) {
  json_t *errors = json_array();
  for (size_t i = 0; i < list->count; i++) {
    json_t *error = json_object();
    json_object_set_new(error, "pointer", api_json_text(list->items[i].pointer));
    json_object_set_new(error, "detail", api_json_text(list->items[i].message));
    json_object_set_new(error, "code", json_string(mbs_status_code(list->items[i].status)));
    json_array_append_new(errors, error);
  }
  return errors;
}

void api_problem_diagnostics(const api_call *call, api_response *response, const mbs_diagnostics *list) {
  size_t total = list->count + list->dropped;
  json_t *more = json_object();
  json_object_set_new(more, "errors", api_errors_json(list));
  if (list->dropped > 0) json_object_set_new(more, "dropped", json_integer((json_int_t)list->dropped));
  json_t *detail = total == 1 ? api_json_text(list->items[0].message) : json_sprintf("%zu mistakes, see errors", total);
  respond(target_of(call), response, API_PROBLEM_INVALID_DOCUMENT, detail, more);
}

void api_problem_service(const api_call *call, api_response *response, service_status status, const char *what) {
  switch (status) {
  case SERVICE_NOT_FOUND: api_problem(call, response, API_PROBLEM_NOT_FOUND, "There is no %s", what); return;
  case SERVICE_NOT_READY:
    api_problem(call, response, API_PROBLEM_NOT_READY, "The job has not ended: there is no %s yet", what);
    return;
  case SERVICE_QUEUE_FULL:
    api_problem(call, response, API_PROBLEM_QUEUE_FULL, "As many jobs are waiting as the service keeps");
    return;
  case SERVICE_NO_WORKERS:
    api_problem(call, response, API_PROBLEM_NO_WORKERS, "No worker process is there to run jobs");
    return;
  case SERVICE_DRAINING:
    api_problem(call, response, API_PROBLEM_DRAINING, "The service is about to stop and takes no new jobs");
    return;
  case SERVICE_NO_SPACE:
    api_problem(call, response, API_PROBLEM_NO_SPACE, "The disk's reserve is reached; delete jobs to make room");
    return;
  case SERVICE_CONFLICT:
    api_problem(call, response, API_PROBLEM_CONFLICT, "The idempotency key came before, with another body");
    return;
  case SERVICE_OK:
  case SERVICE_REJECTED:
  case SERVICE_FAILED: break;
  }
  api_problem(call, response, API_PROBLEM_INTERNAL, "The store could not be read or written; the log says more");
}

void api_problem_response(api_response *response, int status, const char *target, const char *detail) {
  *response = (api_response){0};
  api_problem_kind kind = 0;
  while (kind < API_PROBLEM_COUNT && kinds[kind].status != status) kind++;
  if (kind == API_PROBLEM_COUNT) kind = status < 500 ? API_PROBLEM_BAD_REQUEST : API_PROBLEM_INTERNAL;
  respond(target, response, kind, api_json_text(detail), NULL);
}
