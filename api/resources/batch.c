/* batch.c - see batch.h. The array is divided by its brackets, braces and quotes only; the check of each document reads
 * it. */
#include "api/resources/batch.h"

#include "api/base/buffer.h"
#include "api/checks/document_problem.h"
#include "api/http/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct text_part {
  const char *text;
  size_t size;
} text_part;

static const char blanks[] = " \t\r\n";

static bool is_blank(char c) { return c != '\0' && strchr(blanks, c) != NULL; }

bool api_batch_is(const api_request *request) {
  const char *text = request->body;
  size_t at = 0;
  while (at < request->body_size && is_blank(text[at])) at++;
  if (at == request->body_size || text[at] != '[') return false;
  for (at++; at < request->body_size && is_blank(text[at]); at++) continue;
  return at == request->body_size || text[at] != ']';
}

/* Returns the end of a text in quotes that begins at `at`, behind the closing quote. */
static size_t end_of_text(const char *text, size_t size, size_t at) {
  for (at++; at < size && text[at] != '"'; at++)
    if (text[at] == '\\') at++;
  return at < size ? at + 1 : size;
}

/* Returns the end of the value that begins at `at`: the comma or the bracket behind it. */
static size_t end_of_value(const char *text, size_t size, size_t at) {
  size_t depth = 0;
  while (at < size) {
    const char c = text[at];
    if (depth == 0 && (c == ',' || c == ']' || c == '}')) return at;
    if (c == '[' || c == '{') depth++;
    if (c == ']' || c == '}') depth--;
    at = c == '"' ? end_of_text(text, size, at) : at + 1;
  }
  return size;
}

/* Divides an array into its values. `count` is their number; only the first SERVICE_BATCH_MAX are in `parts`. Returns
 * false with the place of the fault if the text is no array. */
static bool divide(const char *text, size_t size, text_part *parts, size_t *count, size_t *fault) {
  size_t at = 0;
  *count = 0;
  while (at < size && is_blank(text[at])) at++;
  do {
    at++; /* the bracket or the comma */
    while (at < size && is_blank(text[at])) at++;
    size_t end = end_of_value(text, size, at);
    if (*count < SERVICE_BATCH_MAX) parts[*count] = (text_part){text + at, end - at};
    ++*count;
    at = end;
  } while (at < size && text[at] == ',');
  *fault = at;
  if (at >= size || text[at] != ']') return false;
  for (at++; at < size && is_blank(text[at]); at++) continue;
  *fault = at;
  return at == size;
}

static void respond_fault(const api_call *call, api_response *response, size_t fault) {
  const char *text = call->request->body;
  api_syntax_error error = {.line = 1, .column = 1};
  for (size_t i = 0; i < fault; i++) {
    error.column = text[i] == '\n' ? 1 : error.column + 1;
    error.line += text[i] == '\n';
  }
  snprintf(error.detail, sizeof error.detail, "the array of documents has no end, or something follows it");
  api_problem_syntax(call, response, &error);
}

/* Copies the headers that concern each document: not those about the answer to the request. */
static api_header *headers_of(const api_request *request, size_t *count) {
  api_header *list = malloc((request->header_count + 1) * sizeof *list);
  *count = 0;
  for (size_t i = 0; list && i < request->header_count; i++) {
    const char *name = request->headers[i].name;
    if (strcasecmp(name, "Prefer") != 0 && strcasecmp(name, "Idempotency-Key") != 0)
      list[(*count)++] = request->headers[i];
  }
  return list;
}

/* Computes the key of document i. Returns false if the request has none. */
static bool key_of(const api_job_key *whole, size_t i, const text_part *part, char *text, size_t size,
                   api_job_key *key) {
  *key = (api_job_key){.text = NULL};
  if (!whole->text) return false;
  api_digest digest;
  snprintf(text, size, "%s#%zu", whole->text, i);
  key->text = text;
  api_digest_begin(&digest);
  api_digest_add(&digest, part->text, part->size);
  api_digest_end(&digest, key->body_hash);
  return true;
}

/* Moves the answer to one document into its part. Returns false if it is not known yet. */
static bool keep_answer(service_part *part, api_response *answer) {
  if (answer->pending) return false;
  part->text = answer->body_static ? strndup(answer->body, answer->body_size) : answer->body;
  part->size = part->text ? answer->body_size : 0;
  part->status = answer->status;
  answer->body = NULL;
  answer->body_size = 0;
  return true;
}

static void write_part(const service_part *part, api_buffer *out) {
  api_buffer_print(out, "{\"status\":%d,\"%s\":", part->status, part->status < 400 ? "job" : "problem");
  size_t size = part->size;
  while (size > 0 && is_blank(part->text[size - 1])) size--;
  if (size > 0)
    api_buffer_add(out, part->text, size);
  else
    api_buffer_text(out, "null");
  api_buffer_text(out, "}");
}

static void respond_parts(const api_call *call, api_response *response, size_t count) {
  api_buffer text = {0};
  api_buffer_text(&text, "{\"jobs\":[");
  for (size_t i = 0; i < count; i++) {
    if (i > 0) api_buffer_text(&text, ",");
    write_part(call->service->part(call->service->context, i), &text);
  }
  api_buffer_text(&text, "]}\n");
  if (text.failed) api_buffer_free(&text);
  api_respond_text(response, 207, "application/json", text.data, text.size);
}

/* Submits document i, unless its answer is known. Returns false if it is not known yet. */
static bool submit_one(const api_call *call, const api_request *request, size_t i, const api_job_key *key,
                       api_batch_submit *submit) {
  service_part *part = call->service->part(call->service->context, i);
  if (part->status) return true;
  api_request one = *request;
  api_call of_one = *call;
  api_response answer = {0};
  one.service = &part->service;
  of_one.request = &one;
  of_one.service = &part->service;
  submit(&of_one, &answer, key);
  const bool known = keep_answer(part, &answer);
  api_response_free(&answer);
  return known;
}

void api_batch_post(const api_call *call, api_response *response, api_batch_submit *submit) {
  text_part parts[SERVICE_BATCH_MAX];
  size_t count, fault;
  api_job_key whole, key;
  if (!divide(call->request->body, call->request->body_size, parts, &count, &fault)) {
    respond_fault(call, response, fault);
    return;
  }
  if (count > SERVICE_BATCH_MAX) {
    api_problem(call, response, API_PROBLEM_BODY_TOO_LARGE, "The array has %zu documents; a request may have %d", count,
                SERVICE_BATCH_MAX);
    return;
  }
  if (!api_job_key_read(call, response, &whole)) return;
  api_request request = *call->request;
  api_header *headers = headers_of(call->request, &request.header_count);
  request.headers = headers;
  bool good = headers && call->service->part(call->service->context, 0), known = true;
  for (size_t i = 0; i < count && good; i++) {
    char text[API_JOB_KEY_MAX + 8];
    key_of(&whole, i, &parts[i], text, sizeof text, &key);
    request.body = parts[i].text;
    request.body_size = parts[i].size;
    if (!submit_one(call, &request, i, &key, submit)) known = false;
  }
  free(headers);
  if (!good)
    api_respond_no_memory(response);
  else if (known)
    respond_parts(call, response, count);
  else
    response->pending = true;
}
