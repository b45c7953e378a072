/* results_npz.h - /api/v1/jobs/{id}/results.npz: all arrays of a job, streamed. */
#ifndef API_RESOURCES_RESULTS_NPZ_H
#define API_RESOURCES_RESULTS_NPZ_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_results_npz(const api_call *call, api_response *response);

#endif
