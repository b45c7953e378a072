/* row_query.c - see row_query.h. */
#include "api/resources/row_query.h"

#include "api/http/problem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool api_row_query_time(const api_call *call, api_response *response, const char *name, double *value) {
  const char *text = api_target_query(&call->target, name);
  *value = NAN;
  if (!text) return true;
  char *end;
  *value = strtod(text, &end);
  if (end != text && *end == '\0' && isfinite(*value)) return true;
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "The query parameter %s must be a time in seconds", name);
  return false;
}

bool api_row_query_stride(const api_call *call, api_response *response, size_t *stride) {
  const char *text = api_target_query(&call->target, "stride");
  *stride = 1;
  if (!text) return true;
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  *stride = (size_t)value;
  if (end != text && *end == '\0' && errno == 0 && value >= 1) return true;
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "The query parameter stride must be an integer of at least 1");
  return false;
}
