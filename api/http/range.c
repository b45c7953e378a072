/* range.c - see range.h. */
#include "api/http/range.h"

#include "api/http/problem.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Bytes first, ..., last of a body; empty if first > last. */
typedef struct byte_range {
  uint64_t first, last;
} byte_range;

/* Reads the digits at `*text`; numbers that are too large become the largest. Returns false if there are none. */
static bool read_number(const char **text, uint64_t *number) {
  if (!isdigit((unsigned char)**text)) return false;
  char *end;
  errno = 0;
  *number = strtoull(*text, &end, 10);
  if (errno == ERANGE) *number = UINT64_MAX;
  *text = end;
  return true;
}

/* Reads "bytes=5-", "bytes=5-9" or "bytes=-5" for a body of `size` bytes. Returns false for another format. */
static bool read_range(const char *text, uint64_t size, byte_range *range) {
  if (strncasecmp(text, "bytes=", 6) != 0) return false;
  text += 6;
  while (*text == ' ' || *text == '\t') text++;
  uint64_t first = 0, last = UINT64_MAX;
  bool from = read_number(&text, &first);
  if (*text++ != '-') return false;
  bool to = read_number(&text, &last);
  while (*text == ' ' || *text == '\t') text++;
  if (*text || (!from && !to) || (from && to && last < first)) return false;
  if (!from) {
    /* The last bytes of the body. */
    first = last < size ? size - last : 0;
    if (last == 0) first = size;
    last = UINT64_MAX;
  }
  *range = (byte_range){first, last < size ? last : size - 1};
  return true;
}

/* Returns true if the client's partial copy (If-Range) is of the same body. */
static bool is_same(const api_request *request, const api_response *response) {
  const char *known = api_request_header(request, "If-Range");
  const char *tag = api_response_find(response, "ETag");
  assert(tag);
  return !known || strcmp(known, tag) == 0;
}

/* Returns true if ranges of the body can be served, and sets its length. */
static bool has_parts(const api_response *response, uint64_t *size) {
  if (response->status != 200 || response->whole || !api_response_find(response, "ETag")) return false;
  if (response->stream.read) {
    *size = response->stream.size;
    return response->stream.sized && response->stream.seek;
  }
  *size = response->body_size;
  return response->body != NULL;
}

static void refuse(const api_call *call, api_response *response, uint64_t size) {
  api_response_free(response);
  api_problem(call, response, API_PROBLEM_RANGE_NOT_SATISFIABLE,
              "The requested range begins after the end of the response body, which has %" PRIu64 " bytes", size);
  api_response_header(response, "Content-Range", "bytes */%" PRIu64, size);
}

/* Reduces the body to a range. Returns false if the stream cannot seek there. */
static bool cut(api_response *response, byte_range range) {
  assert(range.first <= range.last);
  uint64_t count = range.last - range.first + 1;
  if (response->stream.read) {
    if (response->stream.seek(response->stream.context, range.first) != 0) return false;
    response->stream.size = count;
    return true;
  }
  if (response->body_static)
    response->body += range.first;
  else
    memmove(response->body, response->body + range.first, (size_t)count);
  response->body_size = (size_t)count;
  return true;
}

void api_range_apply(const api_call *call, api_response *response) {
  uint64_t size;
  if (!has_parts(response, &size)) {
    if (response->status == 200 && response->stream.read) api_response_header(response, "Accept-Ranges", "none");
    return;
  }
  api_response_header(response, "Accept-Ranges", "bytes");
  const char *asked = api_request_header(call->request, "Range");
  byte_range range;
  if (!asked || strcmp(call->request->method, "GET") != 0 || !is_same(call->request, response)) return;
  if (!read_range(asked, size, &range)) return;
  if (range.first >= size) {
    refuse(call, response, size);
  } else if (cut(response, range)) {
    response->status = 206;
    api_response_header(response, "Content-Range", "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, range.first, range.last,
                        size);
  } else {
    api_response_free(response);
    api_problem(call, response, API_PROBLEM_INTERNAL,
                "The response body cannot be read from the start of the requested range");
  }
}
