/* check.h - /api/v1/check: somebody's own equations of a model, compared with those that are derived. */
#ifndef API_RESOURCES_CHECK_H
#define API_RESOURCES_CHECK_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_check_post(const api_call *call, api_response *response);

#endif
