/* encoding.c - see encoding.h. */
#include "api/http/encoding.h"

#include "api/http/fields.h"
#include "api/http/gzip.h"
#include "api/http/problem.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Shorter texts are sent uncompressed; texts longer than the second limit are compressed on a worker thread [bytes]. */
enum { LEAST = 1024, MOST_AT_ONCE = 16 << 10 };

/* ---- Accept-Encoding of a request -------------------------------------------------------------------------------- */

/* Weights of Accept-Encoding; negative: not given. */
typedef struct encoding_liking {
  double gzip, identity, others;
  bool said;
} encoding_liking;

static bool is_word(api_field field, const char *word) {
  return field.length == strlen(word) && strncasecmp(field.text, word, field.length) == 0;
}

static void consider(encoding_liking *liking, api_field part) {
  api_field name, parameter;
  if (!api_field_next(&part, ";", &name)) return;
  double weight = 1;
  char text[16];
  while (api_field_next(&part, ";", &parameter))
    if (api_field_value(parameter, "q", text, sizeof text)) weight = strtod(text, NULL);
  if (is_word(name, "gzip") || is_word(name, "x-gzip")) liking->gzip = weight;
  if (is_word(name, "identity")) liking->identity = weight;
  if (is_word(name, "*")) liking->others = weight;
}

static encoding_liking read_liking(const api_request *request) {
  encoding_liking liking = {.gzip = -1, .identity = -1, .others = -1};
  size_t line = 0;
  for (const char *text; (text = api_field_line(request, "Accept-Encoding", &line));) {
    api_field rest = {text, strlen(text)}, part;
    liking.said = true;
    while (api_field_next(&rest, ",", &part)) consider(&liking, part);
  }
  if (liking.gzip < 0) liking.gzip = liking.others > 0 ? liking.others : 0;
  /* An encoding that is not named is acceptable with the lowest weight, unless "*;q=0" excludes it. */
  if (liking.identity < 0) liking.identity = liking.others == 0 ? 0 : 1e-4;
  return liking;
}

/* ---- responses that compression shortens ------------------------------------------------------------------------- */

/* Returns true for types that compress well: texts and programs. */
static bool shrinks(const char *type) {
  static const char *const known[] = {"text/", "application/json", "application/problem+json", "application/wasm",
                                      "image/svg+xml"};
  for (size_t i = 0; type && i < sizeof known / sizeof *known; i++)
    if (strncasecmp(type, known[i], strlen(known[i])) == 0) return true;
  return false;
}

static bool is_long(const api_response *response) {
  if (response->stream.read) return !response->stream.sized || response->stream.size >= LEAST;
  return response->body_size >= LEAST;
}

/* ---- texts that never change, packed once ------------------------------------------------------------------------ */

typedef struct packed_text packed_text;
struct packed_text {
  const void *text; /* address of the constant text */
  char *packed;
  size_t size;
  packed_text *next;
};
static _Atomic(packed_text *) packed_texts;

static const packed_text *find_packed(const void *text) {
  const packed_text *packed = atomic_load(&packed_texts);
  while (packed && packed->text != text) packed = packed->next;
  return packed;
}

/* Compresses a constant text and stores it. Returns NULL if memory runs out. */
static const packed_text *keep_packed(const api_response *response) {
  packed_text *packed = malloc(sizeof *packed);
  if (!packed) return NULL;
  *packed = (packed_text){.text = response->body};
  packed->packed = api_gzip_text(response->body, response->body_size, &packed->size);
  if (!packed->packed) {
    free(packed);
    return NULL;
  }
  packed->next = atomic_load(&packed_texts);
  while (!atomic_compare_exchange_weak(&packed_texts, &packed->next, packed)) continue;
  return packed;
}

/* ---- encoding ---------------------------------------------------------------------------------------------------- */

/* Makes the ETag weak: the compressed body is another representation with the same meaning. */
static void weaken_tag(api_response *response) {
  const char *tag = api_response_find(response, "ETag");
  if (!tag || strncmp(tag, "W/", 2) == 0) return;
  for (size_t i = 0; i < response->header_count; i++) {
    char *value = response->headers[i].value;
    size_t length = strlen(value);
    if (value != tag || length + 3 > sizeof response->headers[i].value) continue;
    memmove(value + 2, value, length + 1);
    memcpy(value, "W/", 2);
  }
}

static bool pack_body(api_response *response) {
  assert(response->stream.read || (response->body && response->body_size > 0));
  if (response->stream.read) return api_gzip_stream(&response->stream);
  if (response->body_static) {
    const packed_text *packed = find_packed(response->body);
    if (!packed) packed = keep_packed(response);
    if (!packed) return false;
    response->body = packed->packed;
    response->body_size = packed->size;
    return true;
  }
  size_t size;
  char *packed = api_gzip_text(response->body, response->body_size, &size);
  if (!packed) return false;
  free(response->body);
  response->body = packed;
  response->body_size = size;
  return true;
}

/* Returns true if compression would make other requests wait. */
static bool is_slow(const api_call *call, const api_response *response) {
  if (call->request->beside || response->stream.read || response->body_size <= MOST_AT_ONCE) return false;
  return !response->body_static || !find_packed(response->body);
}

bool api_encoding_apply(const api_call *call, api_response *response) {
  if (!response->stream.read && response->body_size == 0) return false;
  if (response->stream.follower)
    return false; /* events must be sent immediately, not when a compressor's buffer is full */
  encoding_liking liking = read_liking(call->request);
  bool worth = shrinks(api_response_find(response, "Content-Type")) && is_long(response), must = liking.identity == 0;
  bool reads = strcmp(call->request->method, "GET") == 0 || strcmp(call->request->method, "HEAD") == 0;
  if (worth) api_response_header(response, "Vary", "Accept-Encoding");
  if (liking.gzip <= 0) {
    if (!must || response->status != 200 || !reads) return false;
    api_response_free(response);
    api_problem(call, response, API_PROBLEM_NOT_ACCEPTABLE,
                "Accept-Encoding excludes identity and gzip, the only encodings of this service");
    return true;
  }
  if (!must && (!worth || liking.gzip < liking.identity || api_request_header(call->request, "Range"))) return false;
  if (is_slow(call, response)) {
    /* A request that changed something is not repeated. */
    if (!reads) return false;
    api_response_free(response);
    response->beside = true;
    return true;
  }
  if (!pack_body(response)) return false;
  weaken_tag(response);
  api_response_header(response, "Content-Encoding", "gzip");
  return true;
}

bool api_encoding_reads(const api_call *call, api_response *response) {
  const char *encoding = api_request_header(call->request, "Content-Encoding");
  if (!encoding || strcasecmp(encoding, "identity") == 0 || call->request->body_size == 0) return true;
  api_problem(call, response, API_PROBLEM_UNSUPPORTED_ENCODING,
              "The request body is encoded as '%.40s'; send it without a Content-Encoding", encoding);
  api_response_header(response, "Accept-Encoding", "identity");
  return false;
}
