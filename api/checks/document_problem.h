/* document_problem.h - answers about documents that are wrong. */
#ifndef API_CHECKS_DOCUMENT_PROBLEM_H
#define API_CHECKS_DOCUMENT_PROBLEM_H

#include "api/documents/document.h"
#include "api/http/problem.h"
#include "mbs.h"

/* 400 with `line` and `column`. */
void api_problem_syntax(const api_call *call, api_response *response, const api_syntax_error *error);
/* 422 with all `errors`, and the count `dropped` where there were more than the list holds. `root`, the document as it
 * was sent: each error has as `help` the page of the manual that tells of the element concerned, relative to the
 * request's address, without a call to the web page's; NULL: it has not. */
void api_problem_diagnostics(const api_call *call, api_response *response, const mbs_diagnostics *list,
                             const json_t *root);
/* Of a text that could not be parsed, for what it says or for the memory that its tree takes: how a user gets more of
 * that is `advice`, or NULL. */
void api_problem_unparsed(const api_call *call, api_response *response, const api_syntax_error *error,
                          const char *advice);

#endif
