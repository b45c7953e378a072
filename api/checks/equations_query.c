/* equations_query.c - see equations_query.h. */
#include "api/checks/equations_query.h"

#include "api/base/name_list.h"
#include "api/http/problem.h"

#include <string.h>

static bool known_matrices(const api_call *call, const char *only, api_response *response) {
  char problem[300];
  if (api_equations_known(only, problem)) return true;
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "%s", problem);
  return false;
}

bool api_equations_query_read(const api_call *call, const api_target *target, api_response *response,
                              api_equations_query *query) {
  const char *format = api_target_query(target, "format"), *mathml = api_target_query(target, "mathml");
  *query = (api_equations_query){.format = format ? api_equations_format_named(format) : API_EQUATIONS_JSON,
                                 .only = api_target_query(target, "only"),
                                 .mathml = mathml && strcmp(mathml, "true") == 0};
  if (query->format == API_EQUATIONS_FORMATS) {
    api_name_list known;
    char hint[200];
    api_name_list_split(&known, "json|text|latex|mathml");
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "Unknown format '%.60s'; %s", format,
                api_name_list_hint(&known, format, hint, sizeof hint));
    return false;
  }
  if (mathml && !query->mathml && strcmp(mathml, "false") != 0) {
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "the query parameter mathml must be true or false");
    return false;
  }
  return !query->only || known_matrices(call, query->only, response);
}
