/* validate.c - see validate.h. */
#include "api/resources/validate.h"

#include "api/documents/validation.h"
#include "api/resources/check_limits.h"
#include "api/resources/document_problem.h"

#include <string.h>

/* The assembly runs in the process that answers requests, one after another, so it may not take long. */
static const double assembly_seconds = 2;
static const uint64_t assembly_evaluations = 100000;

/* Whether the answer is to tell how the model is drawn; false, and `response` filled, where that is not said. */
static bool take_scene(const api_call *call, bool *scene, api_response *response) {
  const char *text = api_target_query(&call->target, "scene");
  *scene = text && strcmp(text, "true") == 0;
  if (!text || *scene || strcmp(text, "false") == 0) return true;
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "scene is true or false");
  return false;
}

void api_validate(const api_call *call, api_response *response) {
  bool scene;
  if (!take_scene(call, &scene, response)) return;
  api_document document;
  api_syntax_error error;
  if (!api_document_parse(call->request->body, call->request->body_size, &document, &error)) {
    api_problem_syntax(call, response, &error);
    return;
  }
  mbs_limits limits = api_check_limits(call->service);
  limits.wall_seconds = assembly_seconds;
  limits.evaluations = assembly_evaluations;
  mbs_diagnostics list = {0};
  json_t *answer = api_document_validate(&document, &limits, scene, &list);
  if (answer)
    api_respond_json(response, 200, answer);
  else
    api_problem_diagnostics(call, response, &list);
  mbs_diagnostics_free(&list);
  api_document_free(&document);
}
