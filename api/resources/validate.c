/* validate.c - see validate.h. */
#include "api/resources/validate.h"

#include "api/http/problem.h"
#include "api/resources/request_validation.h"

#include <string.h>

/* Reads whether the response includes the scene of the model. Returns false after answering that the value is
 * invalid. */
static bool take_scene(const api_call *call, bool *scene, api_response *response) {
  const char *text = api_target_query(&call->target, "scene");
  *scene = text && strcmp(text, "true") == 0;
  if (!text || *scene || strcmp(text, "false") == 0) return true;
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "The query parameter scene must be true or false");
  return false;
}

void api_validate(const api_call *call, api_response *response) {
  service_verdict verdict = {0};
  bool scene;
  if (!take_scene(call, &scene, response)) return;
  api_request_validate(call, response, scene ? SERVICE_DRAW : SERVICE_VALIDATE, &verdict);
  service_verdict_free(&verdict);
}
