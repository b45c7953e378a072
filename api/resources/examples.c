/* examples.c - see examples.h. */
#include "api/resources/examples.h"

#include "api/base/name_list.h"
#include "api/base/values.h"
#include "api/http/problem.h"
#include "embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char extension[] = ".json";

/* "SC" of "SC.json"; false for files that are no models. */
static bool example_name(const embedded_file *file, char name[64]) {
  size_t length = strlen(file->name), tail = sizeof extension - 1;
  if (length <= tail || length - tail >= 64 || strcmp(file->name + length - tail, extension) != 0) return false;
  snprintf(name, 64, "%.*s", (int)(length - tail), file->name);
  return true;
}

void api_examples_list(const api_call *call, api_response *response) {
  (void)call;
  json_t *examples = json_array();
  for (size_t i = 0; i < embedded_models_count; i++) {
    char name[64];
    if (!example_name(&embedded_models[i], name)) continue;
    json_t *model = json_loadb((const char *)embedded_models[i].data, embedded_models[i].size, 0, NULL);
    json_t *example = json_object();
    json_object_set_new(example, "name", api_json_text(name));
    json_object_set_new(example, "title", api_json_text(json_string_value(json_object_get(model, "name"))));
    json_object_set_new(example, "description",
                        api_json_text(json_string_value(json_object_get(model, "description"))));
    json_object_set_new(example, "space", api_json_text(json_string_value(json_object_get(model, "space"))));
    json_t *analysis = json_object_get(model, "analysis");
    json_object_set_new(example, "analysis", analysis ? json_incref(analysis) : json_null());
    json_array_append_new(examples, example);
    json_decref(model);
  }
  json_t *answer = json_object();
  json_object_set_new(answer, "examples", examples);
  api_respond_json(response, 200, answer);
}

void api_examples_get(const api_call *call, api_response *response) {
  char names[API_NAME_LIST_MAX][64];
  api_name_list known;
  api_name_list_split(&known, NULL);
  for (size_t i = 0; i < embedded_models_count && i < API_NAME_LIST_MAX; i++) {
    if (!example_name(&embedded_models[i], names[i])) continue;
    if (strcmp(names[i], call->arguments[0]) == 0) {
      api_respond_static(response, 200, "application/json", embedded_models[i].data, embedded_models[i].size);
      return;
    }
    api_name_list_add(&known, names[i]);
  }
  char hint[512];
  api_problem(call, response, API_PROBLEM_NOT_FOUND, "There is no example '%.60s'; %s", call->arguments[0],
              api_name_list_hint(&known, call->arguments[0], hint, sizeof hint));
}
