/* document_problem.h - problem documents about invalid documents. */
#ifndef API_CHECKS_DOCUMENT_PROBLEM_H
#define API_CHECKS_DOCUMENT_PROBLEM_H

#include "api/documents/document.h"
#include "api/http/problem.h"
#include "mbs.h"

/* Answers 400 with `line` and `column`. */
void api_problem_syntax(const api_call *call, api_response *response, const api_syntax_error *error);
/* Answers 422 with all `errors`, and with the count `dropped` if there are more than the list holds. With `root`, the
 * document as it was sent, each error has `help`: the manual page about its element, as an address relative to that of
 * the request, or to the web page if there is no call. `root` may be NULL. */
void api_problem_diagnostics(const api_call *call, api_response *response, const mbs_diagnostics *list,
                             const json_t *root);
/* Answers for a text that could not be parsed: because of a syntax error, or because it needs too much memory. `advice`
 * says how to get more memory; may be NULL. */
void api_problem_unparsed(const api_call *call, api_response *response, const api_syntax_error *error,
                          const char *advice);

#endif
