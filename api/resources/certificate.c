/* certificate.c - see certificate.h. The checksums are computed from the stored data. The store compares this data with
 * its own checksums, so that corrupted results have no certificate. */
#include "api/resources/certificate.h"

#include "api/base/values.h"
#include "api/certificate/certificate.h"
#include "api/certificate/page.h"
#include "api/certificate/results_digest.h"
#include "api/documents/content.h"
#include "api/documents/document.h"
#include "api/http/fields.h"
#include "api/http/problem.h"
#include "api/resources/job_json.h"
#include "api/resources/result_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Numbers that are read at a time. */
enum { READ_AT_ONCE = 1 << 17 };

/* ---- which form -------------------------------------------------------------------------------------------------- */

static const char *const forms[] = {"json", "html", "text"};
static const char *const types[] = {"application/json", "text/html; charset=utf-8", "text/plain; charset=utf-8"};
enum { JSON, HTML, TEXT, FORMS };

/* Returns the first type in Accept that is available; weights (;q=) are ignored. Returns JSON if there is none. */
static int form_of_accept(const api_request *request) {
  static const char *const names[] = {"application/json", "text/html", "text/plain"};
  size_t line = 0;
  for (const char *accept; (accept = api_field_line(request, "Accept", &line));) {
    api_field rest = {accept, strlen(accept)}, part;
    while (api_field_next(&rest, ",", &part)) {
      size_t length = strcspn(part.text, ";, ");
      for (int i = 0; i < FORMS; i++)
        if (strlen(names[i]) == length && strncasecmp(part.text, names[i], length) == 0) return i;
    }
  }
  return JSON;
}

/* Returns the requested form; -1 after answering that there is none. */
static int choose_form(const api_call *call, api_response *response) {
  const char *name = api_target_query(&call->target, "format");
  if (!name) return form_of_accept(call->request);
  for (int i = 0; i < FORMS; i++)
    if (strcmp(forms[i], name) == 0) return i;
  api_problem(call, response, API_PROBLEM_BAD_REQUEST,
              "Unknown format '%.60s'; a certificate is available as json, html or text", name);
  return -1;
}

/* ---- arrays and their checksums -------------------------------------------------------------------------------- */

/* Adds the numbers of an array. Returns false after answering that they cannot be read. */
static bool add_numbers(const api_call *call, api_response *response, const service_array *array,
                        api_results_digest *digest) {
  size_t width = api_result_columns(array), rows = array->shape[0], some = width ? READ_AT_ONCE / width : 0;
  if (width == 0 || rows == 0) return true;
  if (some == 0) some = 1;
  if (some > rows) some = rows;
  size_t *columns = malloc(width * sizeof *columns);
  double *numbers = malloc(some * width * sizeof *numbers);
  service_status status = columns && numbers ? SERVICE_OK : SERVICE_FAILED;
  for (size_t k = 0; columns && k < width; k++) columns[k] = k;
  for (size_t row = 0; row < rows && status == SERVICE_OK; row += some) {
    size_t count = rows - row < some ? rows - row : some;
    status = call->service->read(call->service->context, call->arguments[0], array->name, row, 1, count, columns, width,
                                 numbers);
    if (status == SERVICE_OK) api_results_digest_numbers(digest, numbers, count * width);
  }
  free(columns);
  free(numbers);
  char what[200];
  snprintf(what, sizeof what, "array '%.100s' of job '%.40s'", array->name, call->arguments[0]);
  if (status != SERVICE_OK) api_problem_service(call, response, status, what);
  return status == SERVICE_OK;
}

/* Returns the checksums of all arrays; NULL after answering with an error. */
static json_t *digest_results(const api_call *call, api_response *response, const api_result_list *list) {
  api_results_digest digest;
  bool good = true;
  api_results_digest_begin(&digest);
  for (size_t i = 0; i < list->count && good; i++) {
    api_results_digest_array(&digest, list->items[i].name, list->items[i].shape, list->items[i].rank);
    good = add_numbers(call, response, &list->items[i], &digest);
    api_results_digest_array_end(&digest);
  }
  json_t *results = api_results_digest_end(&digest);
  if (good) return results;
  json_decref(results);
  return NULL;
}

/* Computes the checksum of the document. Returns false after answering with an error. */
static bool digest_document(const api_call *call, api_response *response, char out[API_DIGEST_SIZE]) {
  char *text = NULL;
  size_t size = 0;
  api_document document;
  api_syntax_error place;
  service_status status = call->service->document(call->service->context, call->arguments[0], &text, &size);
  bool parsed = status == SERVICE_OK && api_document_parse(text, size, &document, &place);
  bool good = parsed && api_content_document_hash(&document, out);
  if (parsed) api_document_free(&document);
  free(text);
  if (!good)
    api_problem_service(call, response, status == SERVICE_OK ? SERVICE_DAMAGED : status, "document of the job");
  return good;
}

/* Makes the certificate. Returns NULL after answering with an error. */
static json_t *make(const api_call *call, api_response *response, const service_job *job, const api_result_list *list) {
  char document[API_DIGEST_SIZE];
  json_t *results = digest_document(call, response, document) ? digest_results(call, response, list) : NULL;
  if (!results) return NULL;
  json_t *report = api_json_parse(job->report), *error = api_json_parse(job->error);
  const api_certified from = {.job = job->id,
                              .finished = job->finished,
                              .document = document,
                              .report = report,
                              .error = error,
                              .results = results};
  json_t *certificate = api_certificate_make(&from);
  json_decref(report);
  json_decref(error);
  if (!certificate) api_respond_no_memory(response);
  return certificate;
}

/* ---- the answer ------------------------------------------------------------------------------------------------ */

static void respond(api_response *response, int form, json_t *certificate) {
  api_buffer text = {0};
  if (form == JSON) {
    api_respond_json(response, 200, certificate);
    return;
  }
  if (form == HTML)
    api_certificate_page(certificate, &text);
  else
    api_certificate_text(certificate, &text);
  json_decref(certificate);
  if (text.failed) api_buffer_free(&text);
  api_respond_text(response, 200, types[form], text.data, text.size);
  char policy[256];
  api_certificate_policy(policy);
  if (form == HTML) api_response_header(response, "Content-Security-Policy", "%s", policy);
}

/* Loads the job, which must have finished and not be a study. Returns false after answering with an error. */
static bool load(const api_call *call, api_response *response, service_job *job) {
  char what[80];
  service_status status = call->service->job(call->service->context, call->arguments[0], job);
  bool ended = status == SERVICE_OK && api_job_ended(job);
  snprintf(what, sizeof what, "%sjob '%.40s'", status == SERVICE_OK ? "certificate of " : "", call->arguments[0]);
  if (status != SERVICE_OK || !ended) {
    api_problem_service(call, response, status == SERVICE_OK ? SERVICE_NOT_READY : status, what);
    if (status == SERVICE_OK) service_job_free(job);
    return false;
  }
  return true;
}

static bool is_study(const api_result_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].by_run) return true;
  return false;
}

void api_certificate_get(const api_call *call, api_response *response) {
  int form = choose_form(call, response);
  service_job job;
  api_result_list list;
  if (form < 0 || !load(call, response, &job)) return;
  if (!api_result_list_load(call, response, &list)) {
    service_job_free(&job);
    return;
  }
  char tag[80];
  uint64_t checksum = list.count > 0 ? list.items[0].checksum : 0;
  snprintf(tag, sizeof tag, "certificate-%s-%s", forms[form], job.id);
  if (is_study(&list)) {
    api_problem(
        call, response, API_PROBLEM_NOT_FOUND,
        "Job '%.40s' is a study, and runs of a study have no certificate; submit one of its runs as a separate job",
        job.id);
  } else if (!api_results_unchanged(call, response, true, checksum, tag)) {
    json_t *certificate = make(call, response, &job, &list);
    if (certificate) respond(response, form, certificate);
  }
  if (response->status < 400) {
    api_set_result_headers(response, true, checksum);
    api_response_header(response, "Vary", "Accept");
  }
  api_result_list_free(&list);
  service_job_free(&job);
}
