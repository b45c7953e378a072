/* target.h - the path and query of a request, decoded piece by piece (RFC 3986). */
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
  char *text; /* what the pointers below point into */
  size_t segment_count;
  const char *segments[API_SEGMENTS_MAX];
  size_t parameter_count;
  api_parameter parameters[API_PARAMETERS_MAX];
} api_target;

/* Splits and decodes `raw`. False, with the reason in `why`, for what has no meaning: a bad escape, %00, text that is
 * not UTF-8, a parameter that comes twice. Free the target in either case. */
bool api_target_parse(const char *raw, api_target *target, char why[160]);
void api_target_free(api_target *target);
/* The value of a query parameter; NULL where it did not come. */
const char *api_target_query(const api_target *target, const char *name);

#endif
