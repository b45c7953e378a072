/* manual_link.c - see manual_link.h. */
#include "api/documents/manual_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *api_family_name(mbs_family family) {
  switch (family) {
  case MBS_FAMILY_JOINT: return "joint";
  case MBS_FAMILY_DRIVER: return "driver";
  case MBS_FAMILY_FORCE: return "force";
  case MBS_FAMILY_SHAPE: return "shape";
  case MBS_FAMILY_SIGNAL: return "signal";
  case MBS_FAMILY_FUNCTION: return "function";
  case MBS_FAMILY_NONE:
  case MBS_FAMILY_COUNT: break;
  }
  return "";
}

void api_manual_link_of_class(const mbs_class *cls, char name[API_MANUAL_LINK_SIZE]) {
  const char *family = api_family_name(cls->family);
  snprintf(name, API_MANUAL_LINK_SIZE, "%s%s%s", family, family[0] ? "-" : "", cls->name);
}

/* The current position of a pointer: a value, and the class of the object that it is or belongs to. */
typedef struct place {
  const json_t *value;
  const mbs_class *cls;
  const mbs_field *field; /* field of the value; NULL: it is an object of the class */
} place;

/* Returns the class of an element, from its type; for a function from its only key. Returns NULL if it is unknown. */
static const mbs_class *element_class(mbs_family family, const json_t *value) {
  const json_t *given = json_object_get(value, "type");
  const char *type = given ? json_string_value(given) : mbs_family_default(family);
  if (family == MBS_FAMILY_FUNCTION) type = json_object_iter_key(json_object_iter((json_t *)value));
  return type ? mbs_class_find(family, type) : NULL;
}

/* Enters an object in a field. Returns false if its class is not known, which ends the search. */
static bool enter_object(place *at, char name[API_MANUAL_LINK_SIZE]) {
  const mbs_field *field = at->field;
  if (field->kind == MBS_KIND_OBJECT) {
    at->cls = field->of;
  } else {
    at->cls = element_class(field->family, at->value);
    snprintf(name, API_MANUAL_LINK_SIZE, "%ss", api_family_name(field->family));
    if (!at->cls) return false;
    if (field->family == MBS_FAMILY_FUNCTION) at->value = json_object_get(at->value, at->cls->name);
  }
  if (at->cls->family != MBS_FAMILY_NONE || at->cls == mbs_class_analysis()) api_manual_link_of_class(at->cls, name);
  at->field = NULL;
  return true;
}

/* Follows one step of the pointer. Returns false if nothing is known about the value. */
static bool step(place *at, const char *token, char name[API_MANUAL_LINK_SIZE]) {
  if (json_is_array(at->value)) {
    at->value = json_array_get(at->value, (size_t)strtoul(token, NULL, 10));
  } else if (!at->field) {
    int index = mbs_field_index(at->cls, token);
    if (index < 0) return false;
    at->field = &at->cls->fields[index];
    at->value = json_object_get(at->value, token);
  } else {
    return false; /* a plain value, or a map of plain values */
  }
  bool object = at->field && (at->field->kind == MBS_KIND_OBJECT || at->field->kind == MBS_KIND_ELEMENT);
  return !object || !json_is_object(at->value) || enter_object(at, name);
}

void api_manual_link_at(const json_t *root, const char *pointer, char name[API_MANUAL_LINK_SIZE]) {
  place at = {.value = root, .cls = mbs_class_model()};
  api_manual_link_of_class(at.cls, name);
  if (json_object_get(root, "model")) {
    const struct {
      const char *member;
      const mbs_class *cls;
    } parts[] = {{"model", mbs_class_model()}, {"analysis", mbs_class_analysis()}, {"study", mbs_class_study()}};
    size_t length = strcspn(pointer + (*pointer == '/'), "/"), k = 0;
    while (k < 3 && (strlen(parts[k].member) != length || strncmp(pointer + 1, parts[k].member, length) != 0)) k++;
    if (k == 3) {
      name[0] = '\0';
      return;
    }
    pointer += 1 + length;
    at = (place){.value = json_object_get(root, parts[k].member), .cls = parts[k].cls};
    api_manual_link_of_class(at.cls, name);
  }
  while (*pointer == '/') {
    char token[API_MANUAL_LINK_SIZE];
    size_t length = strcspn(++pointer, "/");
    snprintf(token, sizeof token, "%.*s", (int)length, pointer);
    pointer += length;
    if (!step(&at, token, name)) return;
  }
}
