/* check.h - /api/v1/check: compares a student's equations of a model with the derived ones. */
#ifndef API_RESOURCES_CHECK_H
#define API_RESOURCES_CHECK_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_check_post(const api_call *call, api_response *response);

#endif
