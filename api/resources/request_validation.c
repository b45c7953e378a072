/* request_validation.c - see request_validation.h. */
#include "api/resources/request_validation.h"

#include "api/checks/document_problem.h"

#include <string.h>

static void respond_too_long(const api_call *call, api_response *response) {
  mbs_diagnostics list = {0};
  mbs_diagnose(&list, MBS_TIMED_OUT, "", "validation stopped after %g s (limit --check-seconds of the service)",
               call->service->limits.check_seconds);
  api_problem_diagnostics(call, response, &list, NULL);
  mbs_diagnostics_free(&list);
}

/* Answers with the worker's response. */
static void respond_verdict(api_response *response, const char *media_type, service_verdict *verdict) {
  const char *type = verdict->status >= 400 ? "application/problem+json" : media_type;
  api_respond_text(response, verdict->status, type, verdict->text, verdict->text ? strlen(verdict->text) : 0);
  verdict->text = NULL;
}

bool api_request_validate_document(const api_call *call, api_response *response, const service_document *document,
                                   const char *media_type, service_verdict *verdict) {
  service_document sent = *document;
  sent.client = call->request->client;
  service_status status = call->service->check(call->service->context, &sent, verdict);
  if (status == SERVICE_OK && verdict->status == 0) return true;
  if (status == SERVICE_OK)
    respond_verdict(response, media_type, verdict);
  else if (status == SERVICE_TOO_LONG)
    respond_too_long(call, response);
  else
    api_problem_service(call, response, status, "check");
  return false;
}

bool api_request_validate(const api_call *call, api_response *response, service_purpose purpose,
                          service_verdict *verdict) {
  const api_request *request = call->request;
  const service_document document = {
      .text = request->body, .size = request->body_size, .target = request->target, .purpose = purpose};
  return api_request_validate_document(call, response, &document, "application/json", verdict);
}
