/* certificate.c - see certificate.h. */
#include "certificate.h"

#include "api/base/values.h"
#include "api/certificate/certificate.h"
#include "api/certificate/page.h"
#include "api/documents/content.h"
#include "api/documents/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_document_sum(const char *text, size_t size, char out[API_DIGEST_SIZE]) {
  api_document document;
  api_syntax_error place;
  if (!api_document_parse(text, size, &document, &place)) return false;
  bool good = api_content_document_hash(&document, out);
  api_document_free(&document);
  return good;
}

char *cli_certified(const char *text, size_t *size, bool certify) {
  api_document document;
  api_syntax_error place;
  char *changed = NULL;
  if (!api_document_parse(text, *size, &document, &place)) return NULL;
  if (json_is_object(document.analysis)) {
    if (certify)
      json_object_set_new(document.analysis, "certify", json_true());
    else
      json_object_del(document.analysis, "certify");
    changed = api_json_string(json_incref(document.root));
  }
  api_document_free(&document);
  if (changed) *size = strlen(changed);
  return changed;
}

void cli_digest_array(api_results_digest *digest, const mbs_array *array) {
  api_results_digest_array(digest, array->name, array->shape, array->rank);
  api_results_digest_numbers(digest, array->data, array->shape[0] * mbs_array_columns(array));
  api_results_digest_array_end(digest);
}

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool write_file(const char *path, const api_buffer *text) {
  errno = 0;
  FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
  bool good = file && !text->failed && fwrite(text->data, 1, text->size, file) == text->size;
  int reason = errno;
  if (file && file != stdout && fclose(file) != 0) {
    reason = good ? errno : reason;
    good = false;
  }
  if (!good) fprintf(stderr, "mbs: %s: %s\n", path, reason ? strerror(reason) : "cannot be written");
  return good;
}

bool cli_write_certificate(const char *path, const char *text, size_t size, const job_outcome *outcome,
                           api_results_digest *digest) {
  char sum[API_DIGEST_SIZE];
  json_t *results = api_results_digest_end(digest), *report = api_json_parse(outcome->report),
         *error = api_json_parse(outcome->error);
  api_buffer out = {0};
  json_t *certificate = NULL;
  const api_certified from = {.document = sum, .report = report, .error = error, .results = results};
  if (cli_document_sum(text, size, sum))
    certificate = api_certificate_make(&from);
  else
    json_decref(results);
  if (!certificate)
    out.failed = true;
  else if (ends_with(path, ".html"))
    api_certificate_page(certificate, &out);
  else if (ends_with(path, ".txt"))
    api_certificate_text(certificate, &out);
  else
    api_json_print(json_incref(certificate), &out);
  bool good = write_file(path, &out);
  json_decref(certificate);
  json_decref(report);
  json_decref(error);
  api_buffer_free(&out);
  return good;
}
