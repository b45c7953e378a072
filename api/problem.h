/* problem.h - problem documents (RFC 9457): the only place that knows which trouble is which HTTP status. */
#ifndef API_PROBLEM_H
#define API_PROBLEM_H

#include "api.h"
#include "call.h"
#include "document.h"
#include "mbs.h"

#include <jansson.h>

typedef enum api_problem_kind {
#define API_PROBLEM(symbol, status, slug, title) API_PROBLEM_##symbol,
#include "problems.def"
#undef API_PROBLEM
  API_PROBLEM_COUNT
} api_problem_kind;

/* Makes `response` a problem document. `call` may be NULL; `format` is a whole sentence without its full stop. */
void api_problem(const api_call *call, api_response *response, api_problem_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* 400 with `line` and `column`. */
void api_problem_syntax(const api_call *call, api_response *response, const api_syntax_error *error);
/* 422 with all `errors`, and the count `dropped` where there were more than the list holds. */
void api_problem_diagnostics(const api_call *call, api_response *response, const mbs_diagnostics *list);
/* What the host answered instead of SERVICE_OK; `what` names what was asked for: "job 5", "array 'Lam' of job 5". */
void api_problem_service(const api_call *call, api_response *response, service_status status, const char *what);

/* [{"pointer", "detail", "code"}, ...] */
json_t *api_errors_json(const mbs_diagnostics *list);

#endif
