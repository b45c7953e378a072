/* document_problem.c - see document_problem.h. */
#include "api/checks/document_problem.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"

void api_problem_syntax(const api_call *call, api_response *response, const api_syntax_error *error) {
  json_t *place = json_object();
  json_object_set_new(place, "line", json_integer(error->line));
  json_object_set_new(place, "column", json_integer(error->column));
  api_problem_with(call, response, API_PROBLEM_MALFORMED_JSON, api_json_text(error->detail), place);
}

void api_problem_diagnostics(const api_call *call, api_response *response, const mbs_diagnostics *list) {
  size_t total = list->count + list->dropped;
  json_t *more = json_object();
  json_object_set_new(more, "errors", api_errors_json(list));
  if (list->dropped > 0) json_object_set_new(more, "dropped", json_integer((json_int_t)list->dropped));
  json_t *detail = total == 1 && list->count == 1 ? api_json_text(list->items[0].message)
                                                  : json_sprintf("%zu mistakes, see errors", total);
  api_problem_with(call, response, API_PROBLEM_INVALID_DOCUMENT, detail, more);
}

void api_problem_unparsed(const api_call *call, api_response *response, const api_syntax_error *error,
                          const char *advice) {
  if (!error->no_memory) {
    api_problem_syntax(call, response, error);
    return;
  }
  mbs_diagnostics list = {0};
  mbs_diagnose(&list, MBS_TOO_LARGE, "", "the document needs more memory than there is for reading it%s%s",
               advice ? "; " : "", advice ? advice : "");
  api_problem_diagnostics(call, response, &list);
  mbs_diagnostics_free(&list);
}
