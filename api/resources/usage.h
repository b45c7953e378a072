/* usage.h - GET /api/v1/usage: the limits of the client, and what it uses of them. */
#ifndef API_RESOURCES_USAGE_H
#define API_RESOURCES_USAGE_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_usage_get(const api_call *call, api_response *response);

#endif
