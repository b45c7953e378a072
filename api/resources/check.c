/* check.c - see check.h. */
#include "api/resources/check.h"

#include "api/resources/request_validation.h"

void api_check_post(const api_call *call, api_response *response) {
  service_verdict verdict = {0};
  api_request_validate(call, response, SERVICE_CHECK_ANSWERS, &verdict);
  service_verdict_free(&verdict);
}
