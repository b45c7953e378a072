/* job_key.c - see job_key.h. */
#include "api/resources/job_key.h"

#include "api/base/values.h"
#include "api/http/fields.h"
#include "api/http/problem.h"

#include <string.h>

static bool is_key(const char *text) {
  size_t length = strlen(text);
  if (length == 0 || length > API_JOB_KEY_MAX || !api_utf8_valid(text, length)) return false;
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] < ' ' || text[i] == '\x7f') return false;
  return true;
}

bool api_job_key_read(const api_call *call, api_response *response, api_job_key *key) {
  size_t line = 0;
  key->text = api_field_line(call->request, "Idempotency-Key", &line);
  if (!key->text) return true;
  if (!is_key(key->text) || api_field_line(call->request, "Idempotency-Key", &line)) {
    api_problem(
        call, response, API_PROBLEM_BAD_REQUEST,
        "The header Idempotency-Key must occur once and have 1 to %d bytes of UTF-8 text without control characters",
        API_JOB_KEY_MAX);
    return false;
  }
  api_digest digest;
  api_digest_begin(&digest);
  api_digest_add(&digest, call->request->body, call->request->body_size);
  api_digest_end(&digest, key->body_hash);
  return true;
}
