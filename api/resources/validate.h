/* validate.h - /api/v1/validate: validates a document and reports how it was understood. */
#ifndef API_RESOURCES_VALIDATE_H
#define API_RESOURCES_VALIDATE_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_validate(const api_call *call, api_response *response);

#endif
