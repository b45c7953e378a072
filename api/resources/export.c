/* export.c - see export.h. A worker makes the texts of an FMU, like a check of a document. The library is added here,
 * as it is the same for all. */
#include "api/resources/export.h"

#include "api/base/values.h"
#include "api/exports/fmu.h"
#include "api/http/problem.h"
#include "api/resources/request_validation.h"
#include "api/resources/result_name.h"

#include <stdlib.h>
#include <string.h>

/* Replaces the texts in the response by the file of the FMU. */
static void pack(const char *id, api_response *response) {
  json_t *texts = json_loadb(response->body, response->body_size, 0, NULL);
  api_buffer file = {0};
  const bool good = texts && api_fmu_write(texts, &file);
  api_response_free(response);
  *response = (api_response){0};
  if (good) {
    api_respond_text(response, 200, "application/zip", file.data, file.size);
    api_result_disposition(response, json_string_value(json_object_get(texts, "name")), id, NULL, "fmu");
  } else {
    api_buffer_free(&file);
    api_respond_no_memory(response);
  }
  json_decref(texts);
}

static void export_document(const api_call *call, api_response *response, const char *id,
                            const service_document *document) {
  service_verdict verdict = {0};
  api_request_validate_document(call, response, document, "application/json", &verdict);
  service_verdict_free(&verdict);
  if (response->status == 200) pack(id, response);
}

void api_export_fmu_post(const api_call *call, api_response *response) {
  const api_request *request = call->request;
  const service_document document = {
      .text = request->body, .size = request->body_size, .target = request->target, .purpose = SERVICE_EXPORT};
  export_document(call, response, "", &document);
}

/* Returns the job's document with the version of FMI beside its model; NULL after answering with an error. */
static char *compose(const api_call *call, api_response *response) {
  char *text = NULL;
  size_t size = 0;
  const service_status status = call->service->document(call->service->context, call->arguments[0], &text, &size);
  json_t *root = text ? json_loadb(text, size, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
  free(text);
  if (!root) {
    api_problem_service(call, response, status == SERVICE_OK ? SERVICE_DAMAGED : status, "document of the job");
    return NULL;
  }
  const char *fmi = api_target_query(&call->target, "fmi");
  if (fmi) json_object_set_new(root, "fmi", json_string(fmi));
  return api_json_string(root);
}

void api_export_fmu_of_job(const api_call *call, api_response *response) {
  char *text = compose(call, response);
  if (!text) return;
  const service_document document = {
      .text = text, .size = strlen(text), .target = call->request->target, .purpose = SERVICE_EXPORT, .own = text};
  export_document(call, response, call->arguments[0], &document);
}
