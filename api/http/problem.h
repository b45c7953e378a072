/* problem.h - problem documents (RFC 9457): the only place that knows which trouble is which HTTP status. */
#ifndef API_HTTP_PROBLEM_H
#define API_HTTP_PROBLEM_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <jansson.h>

typedef enum api_problem_kind {
#define API_PROBLEM(symbol, status, slug, title) API_PROBLEM_##symbol,
#include "api/http/problems.def"
#undef API_PROBLEM
  API_PROBLEM_COUNT
} api_problem_kind;

/* Makes `response` a problem document. `call` may be NULL; `format` is a whole sentence without its full stop. */
void api_problem(const api_call *call, api_response *response, api_problem_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with a detail and members of its own, which are taken over; `more` may be NULL. */
void api_problem_with(const api_call *call, api_response *response, api_problem_kind kind, json_t *detail,
                      json_t *more);
/* What the service answered instead of SERVICE_OK, which may be that it is not done; `what` names what was asked for:
 * "job 5", "array 'Lam' of job 5". */
void api_problem_service(const api_call *call, api_response *response, service_status status, const char *what);
/* A problem document for errors that the server finds by itself (431, 413, 400 ...). `target` may be NULL. */
void api_problem_response(api_response *response, int status, const char *target, const char *detail);

#endif
