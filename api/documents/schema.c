/* schema.c - see schema.h. A class becomes a definition under "$defs", a field a property. */
#include "api/documents/schema.h"

#include "api/base/name_list.h"
#include "api/documents/document_reader.h"
#include "api/documents/manual_link.h"
#include "mbs.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES_MAX = 512 };

/* The definitions so far, and the names of their classes. */
typedef struct builder {
  json_t *defs;
  struct {
    const mbs_class *cls;
    char name[API_MANUAL_LINK_SIZE];
  } classes[CLASSES_MAX];
  size_t count;
} builder;

static json_t *class_reference(builder *schemas, const mbs_class *cls, const char *owner);
static json_t *family_reference(builder *schemas, mbs_family family);
static json_t *field_schema(builder *schemas, const mbs_class *cls, const mbs_field *field);

static json_t *reference_to(const char *name) { return json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", name)); }

/* ---- values -------------------------------------------------------------------------------------------------- */

/* Returns "reporting step [s] (planar models)". */
static json_t *description(const char *doc, const char *unit, mbs_space spaces) {
  bool has_unit = unit && unit[0];
  const char *where = spaces == MBS_PLANAR ? " (planar models)" : spaces == MBS_SPATIAL ? " (spatial models)" : "";
  return json_sprintf("%s%s%s%s%s", doc ? doc : "", has_unit ? " [" : "", has_unit ? unit : "", has_unit ? "]" : "",
                      where);
}

/* Returns the schema of a number, or of a string with an expression or a number with a unit, or of null where a field
 * allows it; the bounds apply to numbers. */
static json_t *number_schema(const mbs_field *field) {
  json_t *schema = json_pack("{s:[s,s]}", "type", "number", "string");
  if (field->nullable) json_array_append_new(json_object_get(schema, "type"), json_string("null"));
  if (field->low < field->high) {
    json_object_set_new(schema, field->low_open ? "exclusiveMinimum" : "minimum", json_real(field->low));
    if (isfinite(field->high)) json_object_set_new(schema, "maximum", json_real(field->high));
  }
  return schema;
}

static json_t *choice_schema(const mbs_field *field) {
  api_name_list choices;
  api_name_list_split(&choices, field->choices);
  json_t *list = json_array();
  for (size_t i = 0; i < choices.count; i++) json_array_append_new(list, json_string(choices.items[i]));
  return json_pack("{s:o}", "enum", list);
}

static const char color_pattern[] = "^(#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})|[A-Za-z]+)$";
static const char place_pattern[] = "^[^./]+[.][^./]+$";

/* Returns the schema of an object, or of the value of its first field where that may be written alone. */
static json_t *object_schema(builder *schemas, const mbs_class *cls, const mbs_field *field) {
  json_t *object = class_reference(schemas, field->of, cls->name);
  if (!field->or_first) return object;
  return json_pack("{s:[o,o]}", "anyOf", field_schema(schemas, field->of, &field->of->fields[0]), object);
}

/* Returns the schema of one value of a field, without the field's own keywords. */
static json_t *value_schema(builder *schemas, const mbs_class *cls, const mbs_field *field) {
  switch (field->kind) {
  case MBS_KIND_TEXT:
  case MBS_KIND_BODY:
  case MBS_KIND_JOINT: return json_pack("{s:s}", "type", "string");
  case MBS_KIND_BOOL: return json_pack("{s:s}", "type", "boolean");
  case MBS_KIND_COLOR: return json_pack("{s:s, s:s}", "type", "string", "pattern", color_pattern);
  case MBS_KIND_CHOICE: return choice_schema(field);
  case MBS_KIND_NUMBER:
  case MBS_KIND_LAW: return number_schema(field);
  case MBS_KIND_POINT:
  case MBS_KIND_VECTOR: return json_pack("{s:s, s:s}", "type", "string", "pattern", place_pattern);
  case MBS_KIND_LINE:
    return json_pack("{s:s, s:{s:s, s:s}, s:i, s:i}", "type", "array", "items", "type", "string", "pattern",
                     place_pattern, "minItems", 2, "maxItems", 2);
  case MBS_KIND_OBJECT: return object_schema(schemas, cls, field);
  case MBS_KIND_ELEMENT: return family_reference(schemas, field->family);
  case MBS_KIND_MAP:
    return json_pack("{s:s, s:{s:s}, s:o}", "type", "object", "propertyNames", "pattern",
                     field->reference_keys ? "^[^/]{1,200}$" : "^[^./]{1,100}$", "additionalProperties",
                     api_map_has_objects(field) ? class_reference(schemas, field->of, cls->name)
                                                : field_schema(schemas, field->of, &field->of->fields[0]));
  case MBS_KIND_ROW: return json_pack("{s:s, s:{s:[s,s]}}", "type", "array", "items", "type", "number", "string");
  }
  return json_object();
}

/* Returns the schema of an array. A count that depends on the space means from its smaller to its larger value. */
static json_t *array_schema(const mbs_field *field, json_t *item) {
  json_t *schema = json_pack("{s:s, s:o}", "type", "array", "items", item);
  int low = mbs_count_in(field->min_count, true), high = mbs_count_in(field->max_count, false);
  if (low > 0) json_object_set_new(schema, "minItems", json_integer(low));
  json_object_set_new(schema, "maxItems", json_integer(high));
  if (!field->or_single) return schema;
  json_incref(item);
  return json_pack("{s:[o,o]}", "anyOf", item, schema);
}

static void add_default(json_t *schema, const mbs_field *field) {
  if (field->required) return;
  const bool excluded = field->low < field->high && field->low_open && field->fallback <= field->low; /* means: none */
  bool number = (field->kind == MBS_KIND_NUMBER || field->kind == MBS_KIND_LAW) && field->max_count == 0;
  if (field->fallback_text)
    json_object_set_new(schema, "default", json_string(field->fallback_text));
  else if (number && isfinite(field->fallback) && !excluded)
    json_object_set_new(schema, "default", json_real(field->fallback));
  else if (field->kind == MBS_KIND_BOOL && field->fallback == 1)
    json_object_set_new(schema, "default", json_true());
}

static json_t *field_schema(builder *schemas, const mbs_class *cls, const mbs_field *field) {
  json_t *schema = value_schema(schemas, cls, field);
  if (field->max_count != 0) schema = array_schema(field, schema);
  json_object_set_new(schema, "description", description(field->doc, field->unit, field->spaces));
  add_default(schema, field);
  return schema;
}

/* ---- classes ------------------------------------------------------------------------------------------------- */

/* Returns true for the class of elements that have no type. */
static bool is_default(const mbs_class *cls) {
  const char *name = mbs_family_default(cls->family);
  return name && strcmp(name, cls->name) == 0;
}

static json_t *class_schema(builder *schemas, const mbs_class *cls) {
  json_t *properties = json_object(), *required = json_array();
  /* Elements are distinguished by their type, functions by their key. */
  if (cls->family != MBS_FAMILY_NONE && cls->family != MBS_FAMILY_FUNCTION) {
    json_object_set_new(properties, "type", json_pack("{s:s}", "const", cls->name));
    if (!is_default(cls)) json_array_append_new(required, json_string("type"));
  }
  for (const mbs_field *field = cls->fields; field->name; field++) {
    json_object_set_new(properties, field->name, field_schema(schemas, cls, field));
    bool everywhere = field->spaces == 0 || field->spaces == MBS_ANY_SPACE;
    if (field->required && everywhere) json_array_append_new(required, json_string(field->name));
  }
  return json_pack("{s:s, s:o, s:o, s:o, s:{s:b}, s:b}", "type", "object", "description",
                   description(cls->doc, NULL, cls->spaces), "properties", properties, "required", required,
                   "patternProperties", "^x-", 1, "additionalProperties", 0);
}

/* Defines a class once, under its own name or, if that is used, with the prefix `owner`, the class whose field it
 * is. */
static json_t *class_reference(builder *schemas, const mbs_class *cls, const char *owner) {
  for (size_t i = 0; i < schemas->count; i++) {
    if (schemas->classes[i].cls == cls) return reference_to(schemas->classes[i].name);
  }
  if (schemas->count == CLASSES_MAX) return NULL;
  char *name = schemas->classes[schemas->count].name;
  schemas->classes[schemas->count++].cls = cls;
  api_manual_link_of_class(cls, name);
  if (json_object_get(schemas->defs, name)) snprintf(name, API_MANUAL_LINK_SIZE, "%s-%s", owner, cls->name);
  /* Reserves the definition first, because a class may contain itself. */
  json_object_set_new(schemas->defs, name, json_null());
  json_object_set_new(schemas->defs, name, class_schema(schemas, cls));
  return reference_to(name);
}

/* Returns the schema of {"type": "revolute", ...}: the type selects the class that the other members must follow. */
static json_t *element_schema(builder *schemas, mbs_family family) {
  json_t *types = json_array(), *cases = json_array();
  const mbs_class *cls;
  const char *without_type = mbs_family_default(family);
  for (size_t i = 0; (cls = mbs_class_at(family, i)) != NULL; i++) {
    json_t *condition = json_pack("{s:{s:{s:s}}}", "properties", "type", "const", cls->name);
    if (!is_default(cls)) json_object_set_new(condition, "required", json_pack("[s]", "type"));
    json_array_append_new(types, json_string(cls->name));
    json_array_append_new(cases,
                          json_pack("{s:o, s:o}", "if", condition, "then", class_reference(schemas, cls, cls->name)));
  }
  json_t *schema =
      json_pack("{s:s, s:{s:{s:o}}, s:o}", "type", "object", "properties", "type", "enum", types, "allOf", cases);
  if (!without_type) json_object_set_new(schema, "required", json_pack("[s]", "type"));
  return schema;
}

/* Returns the schema of a number, an expression, or {"class": its fields, or the value of its first field}. */
static json_t *function_schema(builder *schemas) {
  json_t *kinds = json_object();
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_FUNCTION, i)) != NULL; i++) {
    json_t *fields = class_reference(schemas, cls, cls->name);
    json_t *first = api_function_has_shorthand(cls) ? field_schema(schemas, cls, &cls->fields[0]) : NULL;
    json_object_set_new(kinds, cls->name, first ? json_pack("{s:[o,o]}", "anyOf", fields, first) : fields);
  }
  return json_pack("{s:[{s:[s,s]}, {s:s, s:i, s:i, s:o, s:b}]}", "anyOf", "type", "number", "string", "type", "object",
                   "minProperties", 1, "maxProperties", 1, "properties", kinds, "additionalProperties", 0);
}

static json_t *family_reference(builder *schemas, mbs_family family) {
  const char *name = api_family_name(family);
  if (!json_object_get(schemas->defs, name)) {
    json_object_set_new(schemas->defs, name, json_null());
    json_t *schema = family == MBS_FAMILY_FUNCTION ? function_schema(schemas) : element_schema(schemas, family);
    json_object_set_new(schemas->defs, name, schema);
  }
  return reference_to(name);
}

char *api_schema_text(void) {
  builder *schemas = calloc(1, sizeof *schemas);
  if (!schemas) return NULL;
  schemas->defs = json_object();
  json_t *root = json_object();
  json_object_set_new(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
  json_object_set_new(root, "title", json_string("Model document of mbsd"));
  json_object_set_new(root, "description",
                      json_string("SI units, radians. Every number, also in a list, may be a string: an expression of "
                                  "the parameters, or a number with a unit (\"5 mm\", \"300 rpm\", \"10 N/mm\") if the "
                                  "description of the field gives a unit of the same dimension in brackets."));
  json_object_update_new(root, class_reference(schemas, mbs_class_model(), ""));
  json_decref(class_reference(schemas, mbs_class_study(), "")); /* used beside a model: only a definition */
  json_object_set_new(root, "$defs", schemas->defs);
  char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
  json_decref(root);
  free(schemas);
  return text;
}
