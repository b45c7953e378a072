/* validate.c - see validate.h. */
#include "api/resources/validate.h"

#include "api/resources/body_check.h"

void api_validate(const api_call *call, api_response *response) {
  service_verdict verdict = {0};
  api_body_check(call, response, true, &verdict);
  service_verdict_free(&verdict);
}
