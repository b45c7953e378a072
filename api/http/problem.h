/* problem.h - problem documents (RFC 9457); the only place that maps errors to HTTP statuses. */
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

/* Makes `response` a problem document. `call` may be NULL; `format` is a sentence without its full stop. */
void api_problem(const api_call *call, api_response *response, api_problem_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Makes a problem document with this detail and additional members, both of which it releases; `more` may be NULL. */
void api_problem_with(const api_call *call, api_response *response, api_problem_kind kind, json_t *detail,
                      json_t *more);
/* Makes a problem document, or a pending response, from a status other than SERVICE_OK. `what` names the requested
 * thing: "job 5", "array 'Lam' of job 5". */
void api_problem_service(const api_call *call, api_response *response, service_status status, const char *what);
/* Makes a problem document of a submission that was refused with CLIENT_FULL: it has the limit, its maximum, what is
 * used of it, and in Retry-After when that changes. */
void api_problem_limit(const api_call *call, api_response *response, const service_receipt *receipt);
/* Makes a problem document for an error that the server detects itself (431, 413, 400 ...). `target` may be NULL. */
void api_problem_response(api_response *response, int status, const char *target, const char *detail);

#endif
