/* document_problem.c - see document_problem.h. */
#include "api/checks/document_problem.h"

#include "api/base/values.h"
#include "api/documents/manual_link.h"
#include "api/documents/report_json.h"

#include <stdio.h>
#include <string.h>

void api_problem_syntax(const api_call *call, api_response *response, const api_syntax_error *error) {
  json_t *place = json_object();
  json_object_set_new(place, "line", json_integer(error->line));
  json_object_set_new(place, "column", json_integer(error->column));
  api_problem_with(call, response, API_PROBLEM_MALFORMED_JSON, api_json_text(error->detail), place);
}

/* Writes the relative path from the address of the request to the parent of the manual: "../../". */
static void way_to_top(const api_call *call, char *way, size_t size) {
  size_t length = 0;
  way[0] = '\0';
  const char *path = call ? strchr(call->request->target, '/') : NULL;
  while (path && (path = strpbrk(path + 1, "/?")) != NULL && *path == '/' && length + 3 < size)
    length += (size_t)snprintf(way + length, size - length, "../");
}

static void add_help(const api_call *call, const json_t *root, json_t *errors) {
  char way[64], page[API_MANUAL_LINK_SIZE];
  way_to_top(call, way, sizeof way);
  size_t index;
  json_t *error;
  json_array_foreach(errors, index, error) {
    api_manual_link_at(root, json_string_value(json_object_get(error, "pointer")), page);
    if (page[0]) json_object_set_new(error, "help", json_sprintf("%sdocs/%s.html", way, page));
  }
}

void api_problem_diagnostics(const api_call *call, api_response *response, const mbs_diagnostics *list,
                             const json_t *root) {
  size_t total = list->count + list->dropped;
  json_t *more = json_object();
  json_t *errors = api_errors_json(list);
  if (root) add_help(call, root, errors);
  json_object_set_new(more, "errors", errors);
  if (list->dropped > 0) json_object_set_new(more, "dropped", json_integer((json_int_t)list->dropped));
  json_t *detail = total == 1 && list->count == 1
                       ? api_json_text(list->items[0].message)
                       : json_sprintf("the document has %zu errors, listed in the field \"errors\"", total);
  api_problem_with(call, response, API_PROBLEM_INVALID_DOCUMENT, detail, more);
}

void api_problem_unparsed(const api_call *call, api_response *response, const api_syntax_error *error,
                          const char *advice) {
  if (!error->no_memory) {
    api_problem_syntax(call, response, error);
    return;
  }
  mbs_diagnostics list = {0};
  mbs_diagnose(&list, MBS_TOO_LARGE, "", "the document needs more memory than is available to read it%s%s",
               advice ? "; " : "", advice ? advice : "");
  api_problem_diagnostics(call, response, &list, NULL);
  mbs_diagnostics_free(&list);
}
