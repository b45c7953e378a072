/* results_glb.h - GET /api/v1/jobs/{id}/results.glb: the mechanism and its motion as a binary glTF file. */
#ifndef API_RESOURCES_RESULTS_GLB_H
#define API_RESOURCES_RESULTS_GLB_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_results_glb(const api_call *call, api_response *response);

#endif
