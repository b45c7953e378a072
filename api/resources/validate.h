/* validate.h - /api/v1/validate: what the program understands of a document. */
#ifndef API_RESOURCES_VALIDATE_H
#define API_RESOURCES_VALIDATE_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_validate(const api_call *call, api_response *response);

#endif
