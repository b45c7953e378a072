/* content.c - see content.h. */
#include "api/documents/content.h"

#include "api/base/hash.h"
#include "mbs.h"

#include <string.h>

/* ---- equal documents --------------------------------------------------------------------------------------------- */

static int add_piece(const char *text, size_t size, void *digest) {
  api_digest_add(digest, text, size);
  return 0;
}

/* Returns the content that is hashed. The analysis inside the model counts only if it is the one in use. */
static json_t *content_of(const api_document *document) {
  json_t *content = json_object(), *model = json_copy(document->model);
  if (json_is_object(model)) json_object_del(model, "analysis");
  bool whole = json_object_set_new(content, "engine", json_string(MBS_VERSION)) == 0;
  whole = json_object_set_new(content, "model", model) == 0 && whole;
  if (document->analysis) whole = json_object_set(content, "analysis", document->analysis) == 0 && whole;
  if (document->study) whole = json_object_set(content, "study", document->study) == 0 && whole;
  if (whole) return content;
  json_decref(content);
  return NULL;
}

/* Computes the digest of the content, and releases it. */
static bool hash_content(json_t *content, char out[API_DIGEST_SIZE]) {
  api_digest digest;
  api_digest_begin(&digest);
  int failed = content ? json_dump_callback(content, add_piece, &digest, JSON_COMPACT | JSON_SORT_KEYS) : -1;
  json_decref(content);
  if (failed) return false;
  api_digest_end(&digest, out);
  return true;
}

bool api_content_hash(const api_document *document, char out[API_DIGEST_SIZE]) {
  return hash_content(content_of(document), out);
}

bool api_content_document_hash(const api_document *document, char out[API_DIGEST_SIZE]) {
  json_t *content = content_of(document), *analysis = json_copy(document->analysis);
  json_object_del(content, "engine");
  if (json_is_object(analysis)) json_object_del(analysis, "certify");
  if (content && analysis) json_object_set(content, "analysis", analysis);
  json_decref(analysis);
  return hash_content(content, out);
}

/* ---- documents of one kind --------------------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text) { return api_hash(hash, text, strlen(text) + 1); }

/* Hashes a value without its numbers. The parser limits the depth of the recursion. */
static uint64_t hash_without_numbers(uint64_t hash, json_t *value) {
  const char type = (char)json_typeof(value);
  hash = api_hash(hash, &type, 1);
  if (json_is_string(value)) return hash_text(hash, json_string_value(value));
  size_t i;
  json_t *item;
  json_array_foreach(value, i, item) hash = hash_without_numbers(hash, item);
  const char *key;
  json_object_foreach(value, key, item) hash = hash_without_numbers(hash_text(hash, key), item);
  return hash;
}

uint64_t api_content_kind(const api_document *document) {
  uint64_t hash = hash_without_numbers(API_HASH_START, document->model);
  if (document->analysis) hash = hash_without_numbers(hash, document->analysis);
  if (document->study) hash = hash_without_numbers(hash, document->study);
  return hash ? hash : 1;
}

/* ---- their work -------------------------------------------------------------------------------------------------- */

bool api_content_span(const api_document *document, double *span, double *cells) {
  const json_t *start = json_object_get(document->analysis, "t_start"), *end, *step;
  end = json_object_get(document->analysis, "t_end");
  step = json_object_get(document->analysis, "dt");
  *span = json_number_value(end) - json_number_value(start);
  *cells = 0;
  if (document->study) return false; /* the time applies to each of its runs */
  if (!json_is_number(end) || (start && !json_is_number(start)) || !(*span > 0)) return false;
  if (!json_is_number(step) || !(json_number_value(step) > 0)) return false;
  *cells = *span / json_number_value(step) * (double)json_array_size(json_object_get(document->model, "bodies"));
  return true;
}
