/* target.h - the path and query of a request, split and decoded (RFC 3986). */
#ifndef API_HTTP_TARGET_H
#define API_HTTP_TARGET_H

#include <stdbool.h>
#include <stddef.h>

enum { API_SEGMENTS_MAX = 8, API_PARAMETERS_MAX = 8 };

typedef struct api_parameter {
  const char *name, *value;
} api_parameter;

/* "/api/v1/jobs?limit=5" has the segments "api", "v1", "jobs" and the parameter limit = "5"; "/" has no segment. */
typedef struct api_target {
  char *text; /* memory of the strings below */
  size_t segment_count;
  const char *segments[API_SEGMENTS_MAX];
  size_t parameter_count;
  api_parameter parameters[API_PARAMETERS_MAX];
} api_target;

/* Splits and decodes `raw`. Returns false, with the reason in `why`, for an invalid escape, %00, text that is not
 * UTF-8, and a repeated parameter. Free the target in either case. */
bool api_target_parse(const char *raw, api_target *target, char why[160]);
void api_target_free(api_target *target);
/* Returns the value of a query parameter; NULL if it is missing. */
const char *api_target_query(const api_target *target, const char *name);

#endif
