/* export.h - models as FMUs. */
#ifndef API_RESOURCES_EXPORT_H
#define API_RESOURCES_EXPORT_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_export_fmu_post(const api_call *call, api_response *response);
void api_export_fmu_of_job(const api_call *call, api_response *response);

#endif
