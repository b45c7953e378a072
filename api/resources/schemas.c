/* schemas.c - see schemas.h. */
#include "api/resources/schemas.h"

#include "api/http/problem.h"
#include "embedded.h"

#include <string.h>

static void respond_schema(const api_call *call, api_response *response, const char *name) {
  for (size_t i = 0; i < embedded_schemas_count; i++) {
    if (strcmp(embedded_schemas[i].name, name) != 0) continue;
    api_respond_static(response, 200, "application/json", embedded_schemas[i].data, embedded_schemas[i].size);
    return;
  }
  api_problem(call, response, API_PROBLEM_NOT_FOUND, "There is no schema '%.60s'", name);
}

void api_openapi(const api_call *call, api_response *response) { respond_schema(call, response, "openapi.json"); }

void api_schema_file(const api_call *call, api_response *response) {
  respond_schema(call, response, call->arguments[0]);
}
