/* examples.h - /api/v1/examples: the models that are built into the program. */
#ifndef API_RESOURCES_EXAMPLES_H
#define API_RESOURCES_EXAMPLES_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_examples_list(const api_call *call, api_response *response);
void api_examples_get(const api_call *call, api_response *response);

#endif
