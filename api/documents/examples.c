/* examples.c - see examples.h. */
#include "api/documents/examples.h"

#include "api/base/name_list.h"
#include "api/base/values.h"
#include "embedded.h"
#include "mbs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

size_t api_example_count(void) { return embedded_models_count + embedded_studies_count; }

size_t api_example_models(void) { return embedded_models_count; }

api_example api_example_at(size_t i) {
  const embedded_file *file =
      i < embedded_models_count ? &embedded_models[i] : &embedded_studies[i - embedded_models_count];
  api_example example = {.text = (const char *)file->data, .size = file->size};
  int length = (int)(strlen(file->name) - strlen(".json"));
  snprintf(example.name, sizeof example.name, "%.*s", length, file->name);
  return example;
}

bool api_example_find(const char *name, api_example *found) {
  for (size_t i = 0; i < api_example_count(); i++) {
    *found = api_example_at(i);
    if (strcmp(found->name, name) == 0) return true;
  }
  return false;
}

static void lower(const char *text, char out[64]) {
  snprintf(out, 64, "%s", text);
  for (char *at = out; *at; at++) *at = (char)tolower((unsigned char)*at);
}

bool api_example_nearest(const char *name, api_example *found) {
  char words[API_NAME_LIST_MAX][64], word[64];
  const char *names[API_NAME_LIST_MAX];
  size_t count = 0;
  for (; count < api_example_count() && count < API_NAME_LIST_MAX; count++) {
    lower(api_example_at(count).name, words[count]);
    names[count] = words[count];
  }
  lower(name, word);
  const char *nearest = mbs_nearest(word, names, count);
  for (size_t i = 0; i < count && nearest; i++)
    if (names[i] == nearest) *found = api_example_at(i);
  return nearest != NULL;
}

/* Adds the types of a list's elements to `types`, each once. */
static void collect_types(const json_t *elements, json_t *types) {
  size_t i;
  json_t *element;
  json_array_foreach(elements, i, element) {
    json_t *type = json_object_get(element, "type");
    bool is_new = json_is_string(type);
    for (size_t k = 0; is_new && k < json_array_size(types); k++) is_new = !json_equal(type, json_array_get(types, k));
    if (is_new) json_array_append(types, type);
  }
}

json_t *api_example_json(const api_example *example) {
  static const struct {
    const char *name, *field;
  } texts[] = {{"title", "name"}, {"description", "description"}, {"space", "space"}};
  json_t *document = json_loadb(example->text, example->size, 0, NULL);
  const json_t *inner = json_object_get(document, "model");
  const json_t *model = inner ? inner : document;
  json_t *json = json_object();
  json_object_set_new(json, "name", api_json_text(example->name));
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    json_object_set_new(json, texts[i].name, api_json_text(json_string_value(json_object_get(model, texts[i].field))));
  json_t *analysis = json_object_get(document, "analysis");
  json_object_set_new(json, "analysis", analysis ? json_incref(analysis) : json_null());
  json_t *types = json_array();
  collect_types(json_object_get(model, "joints"), types);
  collect_types(json_object_get(model, "forces"), types);
  json_object_set_new(json, "elements", types);
  json_decref(document);
  return json;
}
