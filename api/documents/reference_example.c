/* reference_example.c - see reference_example.h. */
#include "api/documents/reference_example.h"

#include "api/documents/document.h"
#include "api/documents/examples.h"
#include "api/documents/manual_link.h"
#include "api/documents/markdown.h"
#include "api/documents/validation.h"

#include <ctype.h>
#include <string.h>

/* ---- objects of a class in a document ---------------------------------------------------------------------------- */

/* The best example so far: that with most members, and of these the shortest; of whole models the shortest. */
typedef struct found {
  const mbs_class *cls;
  json_t *value;       /* borrowed from its document */
  const json_t *owner; /* the element that is or contains the example */
  size_t members, length;
  bool better; /* better than those of earlier documents */
} found;

static void offer(found *best, json_t *value, const json_t *owner) {
  size_t members = best->cls == mbs_class_model() ? 0 : json_object_size(value);
  size_t length = json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
  if (best->length > 0 && (members < best->members || (members == best->members && length >= best->length))) return;
  *best =
      (found){.cls = best->cls, .value = value, .owner = owner, .members = members, .length = length, .better = true};
}

static void look_in(const mbs_class *cls, json_t *object, const json_t *owner, found *best);

/* Considers a function, a value of its own kind: {"ramp": {...}}. */
static void look_at_function(json_t *value, const json_t *owner, found *best) {
  const char *name = json_is_object(value) ? json_object_iter_key(json_object_iter(value)) : "expression";
  const mbs_class *cls = name ? mbs_class_find(MBS_FAMILY_FUNCTION, name) : NULL;
  if (!cls) return;
  if (cls == best->cls) offer(best, value, owner);
  if (json_is_object(value)) look_in(cls, json_object_get(value, name), owner, best);
}

static void look_at(const mbs_field *field, json_t *value, const json_t *owner, found *best) {
  if (field->kind == MBS_KIND_OBJECT) {
    look_in(field->of, value, owner, best);
  } else if (field->family == MBS_FAMILY_FUNCTION) {
    look_at_function(value, owner, best);
  } else {
    const char *type = json_string_value(json_object_get(value, "type"));
    const mbs_class *cls = type ? mbs_class_find(field->family, type) : NULL;
    if (cls) look_in(cls, value, value, best);
  }
}

static void look_in(const mbs_class *cls, json_t *object, const json_t *owner, found *best) {
  if (cls == best->cls && cls->family != MBS_FAMILY_FUNCTION) offer(best, object, owner);
  for (const mbs_field *field = cls->fields; field->name; field++) {
    json_t *value = json_object_get(object, field->name), *item;
    if (!value || (field->kind != MBS_KIND_OBJECT && field->kind != MBS_KIND_ELEMENT)) continue;
    size_t index;
    if (!json_is_array(value)) look_at(field, value, owner, best);
    json_array_foreach(value, index, item) look_at(field, item, owner, best);
  }
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static bool parse_example(const api_example *example, api_document *document) {
  api_syntax_error error;
  return api_document_parse(example->text, example->size, document, &error);
}

/* Runs an analysis of a single position: the document's own, or else its assembly. Returns NULL on failure. */
static mbs_result *run_instant(const api_document *document) {
  static const mbs_limits limits = {0};
  static const mbs_hooks hooks = {0};
  api_document instant;
  mbs_diagnostics list = {0};
  mbs_result *result = NULL;
  mbs_error error;
  if (json_object_get(document->analysis, "t_end"))
    api_document_assembly(document, &instant);
  else
    api_document_adopt(json_incref(document->root), &instant);
  mbs_model *model = api_document_build(&instant, &limits, &list);
  if (model) mbs_run(model, &hooks, &result, &error);
  mbs_model_free(model);
  mbs_diagnostics_free(&list);
  api_document_free(&instant);
  return result;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* Returns true if a column belongs to the element: "pin", "pin.q", in a matrix also "pin.x/slider.q". */
static bool column_is_of(const char *label, const char *name) {
  size_t length = strlen(name);
  return strncmp(label, name, length) == 0 && (label[length] == '\0' || label[length] == '.');
}

/* Appends a table row: the first columns of an array. */
static void add_columns(const mbs_array *array, const char *name, api_buffer *out) {
  enum { SHOWN = 7 };
  size_t count = 0;
  for (size_t i = 0; i < mbs_array_columns(array); i++) {
    if (!column_is_of(array->labels[i], name)) continue;
    if (count == 0) api_buffer_print(out, "| `%s` | ", array->name);
    if (count < SHOWN) {
      api_buffer_text(out, count ? ", " : "");
      api_markdown_code(out, array->labels[i]);
      if (array->units[i][0]) api_buffer_print(out, " [%s]", array->units[i]);
    }
    count++;
  }
  if (count == 0) return;
  if (count > SHOWN) api_buffer_print(out, " and %zu more", count - SHOWN);
  api_buffer_text(out, " | ");
  api_markdown_text(out, array->doc ? array->doc : "");
  api_buffer_text(out, " |\n");
}

static void add_result_columns(const api_document *document, const char *name, api_buffer *out) {
  mbs_result *result = run_instant(document);
  if (!result) return;
  api_buffer table = {0};
  for (size_t i = 0; i < result->array_count; i++) add_columns(&result->arrays[i], name, &table);
  if (table.size > 0) {
    api_buffer_print(out, "## Result columns\n\nColumns of `%s` in the [arrays](arrays.md) of that model:\n\n", name);
    api_buffer_text(out, "| array | columns | content |\n| --- | --- | --- |\n");
    api_buffer_add(out, table.data, table.size);
    api_buffer_text(out, "\n");
  }
  api_buffer_free(&table);
  mbs_result_free(result);
}

static bool is_drawn(const mbs_class *cls) {
  switch (cls->family) {
  case MBS_FAMILY_JOINT:
  case MBS_FAMILY_DRIVER:
  case MBS_FAMILY_FORCE:
  case MBS_FAMILY_SHAPE: return true;
  default: return false;
  }
}

/* Appends a name, percent-encoded. */
static void add_encoded(api_buffer *out, const char *name) {
  for (; *name; name++) {
    bool plain = strchr("-_.~", *name) || isalnum((unsigned char)*name);
    api_buffer_print(out, plain ? "%c" : "%%%02X", (unsigned char)*name);
  }
}

/* Appends a link to the model as an embedded page (docs/page.md), with the element marked: the manual shows it in a
 * frame. */
static void add_drawing(const mbs_class *cls, const char *model, const char *element, api_buffer *out) {
  api_buffer_print(out, "[Drawing of the model %s](../?embed#example=%s", model, model);
  if (element) {
    api_buffer_print(out, "&element=%ss/", api_family_name(cls->family));
    add_encoded(out, element);
  }
  api_buffer_text(out, ")\n\n");
}

void api_reference_example(const mbs_class *cls, api_buffer *out) {
  found best = {.cls = cls};
  api_document document = {0};
  api_example from = {0};
  for (size_t i = 0; i < api_example_count(); i++) {
    api_example example = api_example_at(i);
    api_document other;
    if (!parse_example(&example, &other)) continue;
    best.better = false;
    look_in(mbs_class_model(), other.root, NULL, &best);
    api_document_free(best.better ? &document : &other);
    if (best.better) document = other, from = example;
  }
  if (best.length == 0) return;
  api_buffer_print(out, "## Example\n\nFrom the model [%s](../api/v1/examples/%s), ", from.name, from.name);
  json_t *title = api_example_json(&from);
  api_markdown_text(out, json_string_value(json_object_get(title, "title")));
  json_decref(title);
  api_buffer_text(out, ":\n\n");
  api_markdown_json(out, best.value);
  /* The name of a shape is known only to its body and to contacts. */
  const char *name = cls->family == MBS_FAMILY_SHAPE ? NULL : json_string_value(json_object_get(best.owner, "name"));
  if (is_drawn(cls)) add_drawing(cls, from.name, name, out);
  if (name && best.owner == best.value) add_result_columns(&document, name, out);
  api_document_free(&document);
}

/* ---- the arrays -------------------------------------------------------------------------------------------------- */

static bool is_sensor(const api_document *document, const char *name) {
  size_t index;
  json_t *sensor;
  json_array_foreach(json_object_get(document->model, "sensors"), index, sensor) {
    if (strcmp(json_string_value(json_object_get(sensor, "name")), name) == 0) return true;
  }
  return false;
}

/* Appends the table rows of arrays that no earlier model had; `seen` has one member for each array. */
static void add_arrays(const api_example *example, json_t *seen, api_buffer *out) {
  api_document document;
  if (!parse_example(example, &document)) return;
  mbs_result *result = run_instant(&document);
  for (size_t i = 0; result && i < result->array_count; i++) {
    const mbs_array *array = &result->arrays[i];
    if (json_object_get(seen, array->name) || is_sensor(&document, array->name)) continue;
    json_object_set_new(seen, array->name, json_true());
    api_buffer_print(out, "| `%s` | %s | ", array->name, array->unit ? array->unit : "");
    api_markdown_text(out, array->doc);
    size_t columns = mbs_array_columns(array);
    api_buffer_text(out, " | ");
    api_markdown_code(out, array->labels[columns > 1 ? columns / 2 : 0]);
    api_buffer_print(out, " | [%s](../api/v1/examples/%s) |\n", example->name, example->name);
  }
  mbs_result_free(result);
  api_document_free(&document);
}

void api_reference_arrays(api_buffer *out) {
  api_buffer_text(out, "# Result arrays\n\nEach array has one row per reporting time, except those of a linearization. "
                       "The model and the analysis determine which arrays a run records. Each sensor is an array with "
                       "the name of the sensor.\n\n| array | unit | content | example of a column | in model |\n"
                       "| --- | --- | --- | --- | --- |\n");
  json_t *seen = json_object();
  for (size_t i = 0; i < api_example_count(); i++) {
    api_example example = api_example_at(i);
    add_arrays(&example, seen, out);
  }
  json_decref(seen);
  api_buffer_text(out, "\n");
}
