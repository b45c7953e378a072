/* problem.c - see problem.h. */
#include "api/http/problem.h"

#include "api/base/values.h"
#include "api/http/limits.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
  int status;
  const char *type, *title;
} kinds[API_PROBLEM_COUNT] = {
#define API_PROBLEM(symbol, status, slug, title) {status, "urn:mbsd:problem:" slug, title},
#include "api/http/problems.def"
#undef API_PROBLEM
};

/* Seconds after which a client may retry a request that cannot be served now. */
enum { RETRY_SECONDS = 5 };

/* Writes the problem document; `target` is that of the request, or NULL. `retry`: see RETRY_SECONDS. */
static void respond_retry(const char *target, api_response *response, api_problem_kind kind, json_t *detail,
                          json_t *more, double retry) {
  assert(kind < API_PROBLEM_COUNT);
  json_t *problem = json_object();
  json_object_set_new(problem, "type", json_string(kinds[kind].type));
  json_object_set_new(problem, "title", json_string(kinds[kind].title));
  json_object_set_new(problem, "status", json_integer(kinds[kind].status));
  json_object_set_new(problem, "detail", detail);
  if (target) json_object_set_new(problem, "instance", api_json_text(target));
  if (more) json_object_update_new(problem, more);
  api_buffer text = {0};
  if (!api_json_print(problem, &text)) {
    api_respond_no_memory(response);
    return;
  }
  api_respond_text(response, kinds[kind].status, "application/problem+json", text.data, text.size);
  if (kinds[kind].status == 503 || kinds[kind].status == 429)
    api_response_header(response, "Retry-After", "%.0f", ceil(retry));
}

static void respond(const char *target, api_response *response, api_problem_kind kind, json_t *detail, json_t *more) {
  respond_retry(target, response, kind, detail, more, RETRY_SECONDS);
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

void api_problem_with(const api_call *call, api_response *response, api_problem_kind kind, json_t *detail,
                      json_t *more) {
  respond(target_of(call), response, kind, detail, more);
}

void api_problem_limit(const api_call *call, api_response *response, const service_receipt *receipt) {
  const service_limit limit = receipt->limit;
  const double used = receipt->usage.used[limit], most = receipt->most;
  char detail[200];
  switch (limit) {
  case SERVICE_LIMIT_BYTES:
    snprintf(detail, sizeof detail,
             "Your jobs occupy %.0f bytes, and with this one they would exceed your limit of %.0f (stored-bytes); "
             "delete jobs that you do not need",
             used, most);
    break;
  case SERVICE_LIMIT_CPU:
    snprintf(detail, sizeof detail,
             "Your jobs have used %.6g s of processor time since midnight UTC; your limit is %.6g s a day "
             "(cpu-seconds). Try again tomorrow",
             used, most);
    break;
  default:
    snprintf(detail, sizeof detail,
             "The number of your queued jobs has reached your limit of %.0f (client-queue); try again later", most);
  }
  json_t *more = json_pack("{s:s, s:o, s:o}", "limit", service_limit_name(limit), "maximum",
                           api_limit_amount(limit, most), "used", api_limit_amount(limit, used));
  respond_retry(target_of(call), response, API_PROBLEM_TOO_MANY_REQUESTS, json_string(detail), more,
                limit == SERVICE_LIMIT_CPU ? fmax(receipt->usage.day_left, 1) : RETRY_SECONDS);
}

void api_problem_service(const api_call *call, api_response *response, service_status status, const char *what) {
  assert(status != SERVICE_OK);
  switch (status) {
  case SERVICE_PENDING: response->pending = true; return;
  case SERVICE_NOT_FOUND: api_problem(call, response, API_PROBLEM_NOT_FOUND, "There is no %s", what); return;
  case SERVICE_NOT_READY:
    api_problem(call, response, API_PROBLEM_NOT_READY, "The job has not finished; the %s is not available yet", what);
    return;
  case SERVICE_QUEUE_FULL:
    api_problem(call, response, API_PROBLEM_QUEUE_FULL,
                "The number of queued jobs has reached the limit of the service (--queue); try again later");
    return;
  case SERVICE_NO_WORKERS: api_problem(call, response, API_PROBLEM_NO_WORKERS, "No worker process is running"); return;
  case SERVICE_DRAINING:
    api_problem(call, response, API_PROBLEM_DRAINING, "The service is shutting down and accepts no new jobs");
    return;
  case SERVICE_NO_SPACE:
    api_problem(call, response, API_PROBLEM_NO_SPACE,
                "The free disk space has reached the reserve (--disk-reserve); delete jobs to free space");
    return;
  case SERVICE_UNAVAILABLE:
    api_problem(call, response, API_PROBLEM_UNAVAILABLE,
                "The storage has a fault, reported at /readyz; try again later");
    return;
  case SERVICE_CONFLICT:
    api_problem(call, response, API_PROBLEM_KEY_REUSED, "This Idempotency-Key was already used with a different body");
    return;
  case SERVICE_CHANGED:
    api_problem(call, response, API_PROBLEM_PRECONDITION_FAILED,
                "The %s has changed since you read it: its ETag is not that of If-Match. Read it again", what);
    return;
  case SERVICE_BUSY:
    api_problem(call, response, API_PROBLEM_UNAVAILABLE, "Too many requests of this type are waiting; try again later");
    return;
  case SERVICE_LATE:
    api_problem(call, response, API_PROBLEM_UNAVAILABLE,
                "The service is busy with other documents, or is shutting down; try again later");
    return;
  case SERVICE_DIED:
    api_problem(call, response, API_PROBLEM_INTERNAL,
                "The worker process that checked the document crashed or was killed; see the log of the service");
    return;
  case SERVICE_DAMAGED:
    api_problem(call, response, API_PROBLEM_RESULTS_DAMAGED,
                "The stored %s does not match its checksum: the disk or a file is damaged. Restore a backup, or run "
                "the job again",
                what);
    return;
  case SERVICE_OK:
  case SERVICE_CLIENT_FULL: /* api_problem_limit() */
  case SERVICE_TOO_LONG:
  case SERVICE_REJECTED:
  case SERVICE_FAILED: break;
  }
  api_problem(call, response, API_PROBLEM_INTERNAL,
              "The store could not be read or written; see the log of the service");
}

void api_problem_response(api_response *response, int status, const char *target, const char *detail) {
  *response = (api_response){0};
  api_problem_kind kind = 0;
  while (kind < API_PROBLEM_COUNT && kinds[kind].status != status) kind++;
  if (kind == API_PROBLEM_COUNT) kind = status < 500 ? API_PROBLEM_BAD_REQUEST : API_PROBLEM_INTERNAL;
  respond(target, response, kind, api_json_text(detail), NULL);
}
