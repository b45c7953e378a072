/* schemas.h - the descriptions built into the program: /api/v1/openapi.json and /api/v1/schemas. */
#ifndef API_RESOURCES_SCHEMAS_H
#define API_RESOURCES_SCHEMAS_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_openapi(const api_call *call, api_response *response);
void api_schema_file(const api_call *call, api_response *response);

#endif
