/* route.c - see route.h. */
#include "api/http/route.h"

#include <assert.h>
#include <string.h>

bool api_route_matches(const api_route *route, api_call *call) {
  const char *pattern = route->path[1] ? route->path : "";
  size_t segment = 0, argument = 0;
  for (; *pattern; segment++) {
    pattern++;
    size_t length = strcspn(pattern, "/");
    if (segment == call->target.segment_count) return false;
    const char *text = call->target.segments[segment];
    if (pattern[0] == '{') {
      if (text[0] == '\0') return false;
      assert(argument < API_ARGUMENTS_MAX);
      call->arguments[argument++] = text;
    } else if (strlen(text) != length || strncmp(text, pattern, length) != 0) {
      return false;
    }
    pattern += length;
  }
  return segment == call->target.segment_count;
}
