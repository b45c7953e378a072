/* meta.h - information about the service: health, readiness, metrics, the index of calls. */
#ifndef API_RESOURCES_META_H
#define API_RESOURCES_META_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_index(const api_call *call, api_response *response);
void api_health(const api_call *call, api_response *response);
void api_ready(const api_call *call, api_response *response);
void api_metrics(const api_call *call, api_response *response);

#endif
