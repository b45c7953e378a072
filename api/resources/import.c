/* import.c - see import.h. */
#include "api/resources/import.h"

#include "api/resources/request_validation.h"

void api_import_post(const api_call *call, api_response *response) {
  service_verdict verdict = {0};
  api_request_validate(call, response, SERVICE_IMPORT, &verdict);
  service_verdict_free(&verdict);
}
