/* usage.c - see usage.h. */
#include "api/resources/usage.h"

#include "api/base/values.h"
#include "api/http/limits.h"
#include "api/http/problem.h"

static json_t *limit_json(service_limit limit, double most, const service_usage *usage) {
  json_t *json = json_object();
  json_object_set_new(json, "name", json_string(service_limit_name(limit)));
  json_object_set_new(json, "maximum", most > 0 ? api_limit_amount(limit, most) : json_null());
  json_object_set_new(json, "used", api_limit_amount(limit, usage->used[limit]));
  if (limit == SERVICE_LIMIT_CPU) json_object_set_new(json, "resets_in", api_json_number(usage->day_left));
  return json;
}

void api_usage_get(const api_call *call, api_response *response) {
  const char *client = call->request->client ? call->request->client : "";
  service_usage usage;
  service_status status = call->service->usage(call->service->context, client, &usage);
  if (status != SERVICE_OK) {
    api_problem_service(call, response, status, "usage");
    return;
  }
  double most[SERVICE_LIMITS];
  api_limits_of(call, most);
  json_t *limits = json_array(), *answer = json_object();
  for (service_limit i = 0; i < SERVICE_LIMITS; i++) json_array_append_new(limits, limit_json(i, most[i], &usage));
  json_object_set_new(answer, "client", api_json_text(client));
  json_object_set_new(answer, "permission",
                      call->holder ? json_string(service_right_name(call->holder->right)) : json_null());
  json_object_set_new(answer, "limits", limits);
  api_respond_json(response, 200, answer);
}
