/* document.c - see document.h. */
#include "import/document.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 100 };

static const char *const list_names[] = {"bodies", "joints", "drivers", "forces"};

void import_document_open(import_context *context, const char *name, const char *space) {
  json_t *document = context->document;
  if (name && *name) import_set_text(context, document, "name", name);
  import_set_text(context, document, "space", space);
  import_set(context, document, "gravity", json_array());
  import_set(context, document, "ground", json_object());
  json_t **const places[] = {&context->bodies, &context->joints, &context->drivers, &context->forces};
  for (size_t i = 0; i < sizeof list_names / sizeof *list_names; i++) {
    import_set(context, document, list_names[i], json_array());
    *places[i] = json_object_get(document, list_names[i]);
  }
  import_set(context, context->names[IMPORT_NAME_BODY], "ground", json_true());
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* Copies a name of the source. Characters that are not allowed become "_"; room for a suffix remains. */
static void copy_name(const char *source, bool identifier, char name[NAME_BYTES + 32]) {
  snprintf(name, NAME_BYTES, "%s", source);
  size_t length = strlen(name);
  while (length > 0 && strlen(source) > length && ((unsigned char)name[length] & 0xC0) == 0x80)
    name[--length] = 0; /* a cut inside a character */
  for (char *c = name; *c; c++) {
    const bool plain = isalnum((unsigned char)*c) || *c == '_';
    if (*c == '.' || *c == '/' || (unsigned char)*c < ' ' || (identifier && !plain)) *c = '_';
  }
  if (!identifier || !isdigit((unsigned char)*name)) return;
  memmove(name + 1, name, length + 1);
  *name = '_';
}

void import_reserve(import_context *context, import_name_kind kind, const char *source) {
  char name[NAME_BYTES + 32];
  if (!source || !*source) return;
  copy_name(source, false, name);
  if (!json_object_get(context->names[kind], name)) import_set(context, context->names[kind], name, json_null());
}

static const char *name_of(import_context *context, import_name_kind kind, const char *source, const char *word,
                           size_t number, const import_location *place, bool identifier) {
  char name[NAME_BYTES + 32];
  const bool named = source && *source;
  copy_name(named ? source : import_text(context, "%s%zu", word, number), identifier, name);
  const size_t length = strlen(name);
  const json_t *owner = json_object_get(context->names[kind], name);
  if (named && place && json_is_null(owner)) owner = NULL; /* it is reserved for this element */
  for (int k = 2; owner; k++) {
    snprintf(name + length, 32, "_%d", k);
    owner = json_object_get(context->names[kind], name);
  }
  import_set(context, context->names[kind], name, json_true());
  if (named && strcmp(name, source) != 0)
    import_note(context, IMPORT_CHANGED, "name", place, NULL, "'%.120s' is called '%s'", source, name);
  return import_text(context, "%s", name);
}

const char *import_name(import_context *context, import_name_kind kind, const char *source, const char *word,
                        size_t number, const import_location *place) {
  return name_of(context, kind, source, word, number, place, false);
}

const char *import_identifier(import_context *context, import_name_kind kind, const char *source, const char *word,
                              size_t number, const import_location *place) {
  return name_of(context, kind, source, word, number, place, true);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

json_t *import_number(import_context *context, double value) {
  if (!isfinite(value))
    import_leave(context, 422, "not_mapped", &context->place, "a number of the source is not finite");
  const bool whole = fabs(value) < 1e15 && value == floor(value);
  return import_need(context, whole ? json_integer((json_int_t)value) : json_real(value));
}

json_t *import_numbers(import_context *context, const double *values, size_t count) {
  json_t *list = import_need(context, json_array());
  for (size_t i = 0; i < count; i++) json_array_append_new(list, import_number(context, values[i]));
  return list;
}

void import_set(import_context *context, json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value) != 0) import_leave(context, 500, "no_memory", NULL, "out of memory");
}

void import_set_text(import_context *context, json_t *object, const char *key, const char *text) {
  json_t *value = json_string(text);
  if (!value) import_leave(context, 422, "not_mapped", &context->place, "a text of the source is not UTF-8");
  import_set(context, object, key, value);
}

void import_set_number(import_context *context, json_t *object, const char *key, double value) {
  import_set(context, object, key, import_number(context, value));
}

void import_set_pair(import_context *context, json_t *object, const char *key, const char *first, const char *second) {
  import_set(context, object, key, json_pack("[s, s]", first, second));
}

json_t *import_object_in(import_context *context, json_t *object, const char *key) {
  if (!json_object_get(object, key)) import_set(context, object, key, json_object());
  return json_object_get(object, key);
}

/* Notes where the source has the element that is added to a list of the document. */
static void locate_next(import_context *context, const json_t *list) {
  const json_t *const lists[] = {context->bodies, context->joints, context->drivers, context->forces};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (list == lists[i] && context->place.file)
      import_locate(context, import_text(context, "/%s/%zu", list_names[i], json_array_size(list)), &context->place);
}

json_t *import_add(import_context *context, json_t *list, const char *name, const char *type) {
  json_t *element = import_need(context, json_object());
  locate_next(context, list);
  import_set_text(context, element, "name", name);
  if (type) import_set_text(context, element, "type", type);
  if (json_array_append_new(list, element) != 0) import_leave(context, 500, "no_memory", NULL, "out of memory");
  return element;
}

const char *import_last(import_context *context, const char *member) {
  return import_text(context, "/%s/%zu", member, json_array_size(json_object_get(context->document, member)) - 1);
}

const char *import_digits(import_context *context, double value) {
  char text[32];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  return import_text(context, value < 0 ? "(%s)" : "%s", text);
}

/* ---- masses ----------------------------------------------------------------------------------------------------- */

/* Returns true if a rigid body can have this tensor: its principal moments are not negative, and none exceeds the sum
 * of the others. That is so if and only if the tensor of second moments, E tr(J)/2 - J, is not negative definite in any
 * direction. */
static bool is_possible(const double J[6]) {
  const double half = (J[0] + J[1] + J[2]) / 2;
  const double a = half - J[0], b = half - J[1], c = half - J[2], d = -J[3], e = -J[4], f = -J[5];
  const double slack = 1e-9 * (fabs(J[0]) + fabs(J[1]) + fabs(J[2]));
  const double determinant = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
  return a >= -slack && b >= -slack && c >= -slack && a * b - d * d >= -slack * slack &&
         a * c - e * e >= -slack * slack && b * c - f * f >= -slack * slack && determinant >= -slack * slack * slack;
}

void import_set_masses(import_context *context, json_t *body, double mass, const double J[6],
                       const import_location *place) {
  import_set_number(context, body, "mass", mass);
  const bool products = J[3] != 0 || J[4] != 0 || J[5] != 0;
  import_set(context, body, "inertia", import_numbers(context, J, products ? 6 : 3));
  if (is_possible(J)) return;
  import_set(context, body, "inertia_check", json_false());
  import_note(context, IMPORT_CHANGED, "inertia", place, import_last(context, "bodies"),
              "no rigid body has this inertia; it is kept, with \"inertia_check\": false");
}
