/* import.h - POST /api/v1/import: converts a model of another program. */
#ifndef API_RESOURCES_IMPORT_H
#define API_RESOURCES_IMPORT_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_import_post(const api_call *call, api_response *response);

#endif
