/* examples.c - see examples.h. */
#include "api/resources/examples.h"

#include "api/documents/examples.h"
#include "api/http/problem.h"

void api_examples_list(const api_call *call, api_response *response) {
  (void)call;
  json_t *models = json_array(), *studies = json_array();
  for (size_t i = 0; i < api_example_count(); i++) {
    const api_example example = api_example_at(i);
    json_array_append_new(i < api_example_models() ? models : studies, api_example_json(&example));
  }
  json_t *answer = json_object();
  json_object_set_new(answer, "examples", models);
  json_object_set_new(answer, "studies", studies);
  api_respond_json(response, 200, answer);
}

void api_examples_get(const api_call *call, api_response *response) {
  const char *name = call->arguments[0];
  api_example example;
  if (api_example_find(name, &example))
    api_respond_static(response, 200, "application/json", example.text, example.size);
  else if (api_example_nearest(name, &example))
    api_problem(call, response, API_PROBLEM_NOT_FOUND, "There is no example '%.60s'; did you mean '%s'?", name,
                example.name);
  else
    api_problem(call, response, API_PROBLEM_NOT_FOUND, "There is no example '%.60s'; /api/v1/examples lists all", name);
}
