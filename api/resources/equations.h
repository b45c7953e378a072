/* equations.h - the equations of a model in a request, and of a job at one of its reporting times. */
#ifndef API_RESOURCES_EQUATIONS_H
#define API_RESOURCES_EQUATIONS_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_equations_post(const api_call *call, api_response *response);
void api_equations_of_job(const api_call *call, api_response *response);

#endif
