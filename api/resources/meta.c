/* meta.c - see meta.h. */
#include "api/resources/meta.h"

#include "api/base/values.h"
#include "api/http/problem.h"
#include "api/http/route.h"
#include "mbs.h"

#include <stdlib.h>
#include <string.h>

void api_health(const api_call *call, api_response *response) {
  (void)call;
  api_respond_json(response, 200, json_pack("{s:s, s:s}", "status", "ok", "version", MBS_VERSION));
}

void api_ready(const api_call *call, api_response *response) {
  char reason[SERVICE_REASON_SIZE] = "";
  if (call->service->ready(call->service->context, reason) == SERVICE_OK) {
    api_respond_json(response, 200, json_pack("{s:s, s:s*}", "status", "ready", "note", *reason ? reason : NULL));
  } else {
    api_problem(call, response, API_PROBLEM_UNAVAILABLE, "%s", reason);
  }
}

void api_metrics(const api_call *call, api_response *response) {
  char *text = NULL;
  service_status status = call->service->metrics(call->service->context, &text);
  if (status == SERVICE_OK && text) {
    api_respond_text(response, 200, "text/plain; version=0.0.4; charset=utf-8", text, strlen(text));
  } else {
    api_problem_service(call, response, status, "metrics");
  }
}

void api_index(const api_call *call, api_response *response) {
  const api_route *routes = call->routes;
  json_t *calls = json_array();
  for (size_t i = 0; i < call->route_count; i++) {
    json_array_append_new(calls, json_pack("{s:s, s:s}", "method", routes[i].method, "path", routes[i].path));
  }
  json_t *answer = json_object();
  json_object_set_new(answer, "version", json_string(MBS_VERSION));
  json_object_set_new(answer, "openapi", json_string("/api/v1/openapi.json"));
  json_object_set_new(answer, "model_schema", json_string("/api/v1/schemas/model.schema.json"));
  json_object_set_new(answer, "calls", calls);
  api_respond_json(response, 200, answer);
}
