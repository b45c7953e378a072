/* document_reader.c - see document_reader.h. An object is read field by field; a value by the kind of its field. */
#include "api/documents/document_reader.h"

#include "api/base/name_list.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE_MAX = 100 };

static void read_value(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer,
                       mbs_value *value);

/* ---- small things -------------------------------------------------------------------------------------------- */

bool api_key_is_extension(const char *key) { return key[0] == 'x' && key[1] == '-'; }

const char *api_json_type(const json_t *json) {
  switch (json_typeof(json)) {
  case JSON_OBJECT: return "an object";
  case JSON_ARRAY: return "an array";
  case JSON_STRING: return "a string";
  case JSON_INTEGER:
  case JSON_REAL: return "a number";
  case JSON_TRUE:
  case JSON_FALSE: return "a boolean";
  case JSON_NULL: break;
  }
  return "null";
}

/* Passes on memory of the arena. If the arena is full (NULL), reports that once, as an error of the document. */
static void *taken(api_document_reader *reader, void *memory) {
  if (!memory && !reader->no_memory) {
    reader->no_memory = true;
    mbs_diagnose(reader->list, MBS_TOO_LARGE, "", "the document needs more memory than the limit for a model%s%s",
                 reader->advice ? "; " : "", reader->advice ? reader->advice : "");
  }
  return memory;
}

static void *take(api_document_reader *reader, size_t count, size_t size) {
  return taken(reader, mbs_arena_alloc(reader->arena, count, size));
}

/* Copies a text to the arena; returns "" if memory runs out. */
static const char *keep_text(api_document_reader *reader, const char *text, size_t length) {
  char *copy = taken(reader, mbs_arena_characters(reader->arena, length));
  return copy ? memcpy(copy, text, length + 1) : "";
}

/* Returns the pointer of a member or item; `parent` if memory runs out. */
static const char *pointer_to(api_document_reader *reader, const char *parent, const char *key) {
  size_t above = strlen(parent), length = above + 1;
  for (const char *c = key; *c; c++) length += *c == '~' || *c == '/' ? 2 : 1;
  char *pointer = taken(reader, mbs_arena_characters(reader->arena, length));
  if (!pointer) return parent;
  memcpy(pointer, parent, above);
  char *out = pointer + above;
  *out++ = '/';
  for (const char *c = key; *c; c++) {
    if (*c == '~' || *c == '/') {
      *out++ = '~';
      *out++ = *c == '~' ? '0' : '1';
    } else {
      *out++ = *c;
    }
  }
  *out = '\0';
  return pointer;
}

/* Returns the pointer of an item, without printf() for speed: a document has thousands of them. */
static const char *pointer_to_item(api_document_reader *reader, const char *parent, size_t index) {
  char key[24], *first = key + sizeof key - 1;
  *first = '\0';
  do {
    *--first = (char)('0' + index % 10);
    index /= 10;
  } while (index > 0);
  return pointer_to(reader, parent, first);
}

static bool exists_here(const api_document_reader *reader, mbs_space spaces) {
  return spaces == 0 || (spaces & reader->space) != 0;
}

static const char *space_name(mbs_space space) { return space == MBS_PLANAR ? "planar" : "spatial"; }

static int dimensions(const api_document_reader *reader, int count) {
  return mbs_count_in(count, reader->space == MBS_PLANAR);
}

/* The expected form of a single value, by kind. */
static const char *const expected[] = {
    [MBS_KIND_TEXT] = "a string",
    [MBS_KIND_BOOL] = "true or false",
    [MBS_KIND_CHOICE] = "a string",
    [MBS_KIND_COLOR] = "a colour as \"#rrggbb\" or a colour name",
    [MBS_KIND_NUMBER] = "a number or an expression in a string",
    [MBS_KIND_LAW] = "a number or an expression in a string",
    [MBS_KIND_BODY] = "the name of a body",
    [MBS_KIND_POINT] = "a point as \"body.point\"",
    [MBS_KIND_VECTOR] = "a vector as \"body.vector\"",
    [MBS_KIND_JOINT] = "the name of a joint",
    [MBS_KIND_LINE] = "a line as [\"body.point\", \"body.vector\"]",
};

static void wrong_type(api_document_reader *reader, const char *what, const json_t *json, const char *pointer) {
  mbs_diagnose(reader->list, MBS_WRONG_TYPE, pointer, "expected %s, got %s", what, api_json_type(json));
}

/* Writes an example of an object: {"law": "coulomb", ...}, with its first field, or its type if it is an element. */
static const char *object_example(const mbs_class *cls, char *out, size_t size) {
  const mbs_field *first = cls->fields;
  const bool element = cls->family != MBS_FAMILY_NONE && cls->family != MBS_FAMILY_FUNCTION;
  const char *word = element ? cls->name : first->kind == MBS_KIND_CHOICE ? first->choices : NULL;
  if (word)
    snprintf(out, size, "{\"%s\": \"%.*s\", ...}", element ? "type" : first->name, (int)strcspn(word, "|"), word);
  else
    snprintf(out, size, "{\"%s\": ...}", first->name);
  return out;
}

/* Writes an example of item k of a field. */
static const char *item_example(const mbs_field *field, int k, char *out, size_t size) {
  const mbs_class *first = field->kind == MBS_KIND_ELEMENT ? mbs_class_at(field->family, 0) : field->of;
  if ((field->kind == MBS_KIND_OBJECT || field->kind == MBS_KIND_ELEMENT) && first)
    return object_example(first, out, size);
  if (field->kind == MBS_KIND_NUMBER || field->kind == MBS_KIND_LAW)
    snprintf(out, size, "%d", k + 1);
  else
    snprintf(out, size, "%s", field->kind == MBS_KIND_ROW ? "[1, 2]" : "\"...\"");
  return out;
}

/* Writes an example of an array: all items if the field has a fixed number of them. */
static const char *array_example(const api_document_reader *reader, const mbs_field *field, char *out, size_t size) {
  enum { SHOWN = 4 };
  const int low = dimensions(reader, field->min_count);
  const bool fixed = low == dimensions(reader, field->max_count);
  char item[128];
  size_t used = (size_t)snprintf(out, size, "[");
  for (int k = 0; k < (fixed ? low : 1) && k < SHOWN; k++)
    used += (size_t)snprintf(out + used, size - used, "%s%s", k ? ", " : "", item_example(field, k, item, sizeof item));
  snprintf(out + used, size - used, "%s]", fixed && low <= SHOWN ? "" : ", ...");
  return out;
}

/* Checks that a name can be used in references ("body.point"), pointers and addresses. */
static void check_name(api_document_reader *reader, const char *name, const char *pointer, bool in_references) {
  if (name[0] == '\0') {
    mbs_diagnose(reader->list, MBS_INVALID, pointer, "a name must not be empty");
    return;
  }
  if (strlen(name) > NAME_SIZE_MAX) {
    mbs_diagnose(reader->list, MBS_INVALID, pointer, "a name may have at most %d bytes", NAME_SIZE_MAX);
    return;
  }
  for (const char *c = name; *c; c++) {
    if ((unsigned char)*c < ' ' || *c == 0x7f) {
      mbs_diagnose(reader->list, MBS_INVALID, pointer, "a name must not contain control characters");
      return;
    }
    if (in_references && (*c == '.' || *c == '/')) {
      mbs_diagnose(reader->list, MBS_INVALID, pointer,
                   "the name '%.100s' must not contain '%c', which separates names in references", name, *c);
      return;
    }
  }
}

/* ---- scalars ------------------------------------------------------------------------------------------------- */

static void read_choice(api_document_reader *reader, const mbs_field *field, const char *word, const char *pointer) {
  api_name_list choices;
  api_name_list_split(&choices, field->choices);
  if (api_name_list_has(&choices, word)) return;
  char hint[256];
  mbs_diagnose(reader->list, MBS_UNKNOWN_NAME, pointer, "unknown %s '%.60s'; %s", field->name, word,
               api_name_list_hint(&choices, word, hint, sizeof hint));
}

/* Returns true if a single value has the kind of the field. */
static bool is_of_kind(const mbs_field *field, const json_t *json) {
  const bool number = field->kind == MBS_KIND_NUMBER || field->kind == MBS_KIND_LAW;
  if (field->kind == MBS_KIND_BOOL) return json_is_boolean(json);
  return json_is_string(json) || (number && json_is_number(json));
}

static bool holds_nodes(mbs_kind kind) {
  return kind == MBS_KIND_OBJECT || kind == MBS_KIND_ELEMENT || kind == MBS_KIND_ROW;
}

/* Returns the pointer of an item only if an error may be reported for it: documents have many thousands of numbers. */
static const char *pointer_to_told(api_document_reader *reader, const mbs_field *field, const json_t *item,
                                   const char *parent, size_t index) {
  const bool plain = !holds_nodes(field->kind) && field->kind != MBS_KIND_CHOICE && is_of_kind(field, item);
  return plain ? parent : pointer_to_item(reader, parent, index);
}

/* Reports a table or a function of time where a law is expected, and how to write a law piece by piece. */
static void refuse_table(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer) {
  const char *key = json_object_iter_key(json_object_iter((json_t *)json)), *name = key ? key : "";
  const bool function = mbs_class_find(MBS_FAMILY_FUNCTION, name) != NULL;
  mbs_diagnose(reader->list, MBS_WRONG_TYPE, pointer,
               "expected %s, got %s: %s%s%s; write the points of a table as pieces of an expression, for example "
               "\"if(b.x < 0.1, 50*b.x, 5 + 20*(b.x - 0.1))\" or \"smoothstep(b.x, 0, 0, 0.1, 5)\", where b is a body",
               expected[field->kind], api_json_type(json), function ? "'" : "", function ? name : "tables",
               function ? "' is a function of time, for drivers only" : " are not allowed here");
}

static void read_scalar(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer,
                        mbs_scalar *scalar) {
  assert(!holds_nodes(field->kind) && expected[field->kind]);
  if (field->nullable && json_is_null(json)) {
    scalar->number = INFINITY;
  } else if (!is_of_kind(field, json)) {
    if (field->kind == MBS_KIND_LAW && (json_is_object(json) || json_is_array(json)))
      refuse_table(reader, field, json, pointer);
    else
      wrong_type(reader, expected[field->kind], json, pointer);
    *scalar = (mbs_scalar){.number = NAN};
  } else if (json_is_string(json)) {
    scalar->text = keep_text(reader, json_string_value(json), json_string_length(json));
    if (field->kind == MBS_KIND_CHOICE) read_choice(reader, field, scalar->text, pointer);
  } else {
    scalar->number = json_is_boolean(json) ? json_is_true(json) : json_number_value(json);
  }
}

static void read_line(api_document_reader *reader, const json_t *json, const char *pointer, mbs_value *value) {
  if (!json_is_array(json) || json_array_size(json) != 2) {
    wrong_type(reader, expected[MBS_KIND_LINE], json, pointer);
    return;
  }
  value->scalars = take(reader, 2, sizeof *value->scalars);
  if (!value->scalars) return;
  static const mbs_field parts[2] = {{.kind = MBS_KIND_POINT}, {.kind = MBS_KIND_VECTOR}};
  value->count = 2;
  value->list = true;
  for (size_t i = 0; i < 2; i++) {
    const json_t *item = json_array_get(json, i);
    read_scalar(reader, &parts[i], item, pointer_to_told(reader, &parts[i], item, pointer, i), &value->scalars[i]);
  }
}

/* ---- objects ------------------------------------------------------------------------------------------------- */

/* Sets class and values of a node. Returns false if memory runs out. */
static bool begin_node(api_document_reader *reader, mbs_node *node, const mbs_class *cls, const char *pointer) {
  assert(cls && cls->fields && pointer);
  size_t fields = 0;
  while (cls->fields[fields].name) fields++;
  node->cls = cls;
  node->pointer = pointer;
  node->values = take(reader, fields, sizeof *node->values);
  return node->values != NULL;
}

enum { OWNER = 64 };

/* Writes the name of a class for a message: that of an element is its type, another is words, "contact friction". */
static const char *owner_of(const mbs_class *cls, char text[OWNER]) {
  snprintf(text, OWNER, "%s", cls->name);
  for (char *at = text; cls->family == MBS_FAMILY_NONE && *at; at++) *at = *at == '-' ? ' ' : *at;
  return text;
}

static void unknown_field(api_document_reader *reader, const mbs_node *node, const char *key, const char *implied) {
  if (reader->list->count >= MBS_SUGGESTIONS_MAX) {
    mbs_diagnose(reader->list, MBS_UNKNOWN_FIELD, pointer_to(reader, node->pointer, key), "unknown field '%.60s'", key);
    return;
  }
  api_name_list known;
  api_name_list_split(&known, implied);
  for (const mbs_field *field = node->cls->fields; field->name; field++) {
    if (exists_here(reader, field->spaces)) api_name_list_add(&known, field->name);
  }
  char hint[512], type[64];
  const size_t length = strlen(key);
  snprintf(type, sizeof type, "%.*s", (int)(length > 0 && key[length - 1] == 's' ? length - 1 : length), key);
  const bool of_force = mbs_class_find(MBS_FAMILY_FORCE, type) != NULL;
  const bool of_bodies = strcmp(type, "joint") == 0 && mbs_field_index(node->cls, "bodies") >= 0;
  if (of_force)
    snprintf(hint, sizeof hint, "a %s is an entry of the model's 'forces', with \"type\": \"%s\"", type, type);
  else if (of_bodies)
    snprintf(hint, sizeof hint, "a %s connects 'bodies'", node->cls->name);
  else
    api_name_list_hint(&known, key, hint, sizeof hint);
  char owner[OWNER];
  mbs_diagnose(reader->list, MBS_UNKNOWN_FIELD, pointer_to(reader, node->pointer, key),
               "unknown field '%.60s' of %s; %s", key, owner_of(node->cls, owner), hint);
}

/* Returns true if objects of a class are referenced by name: elements, and objects with named parts. */
static bool is_referred_to(const mbs_class *cls) {
  bool parts = false;
  for (const mbs_field *field = cls->fields; field->name; field++) parts = parts || field->kind == MBS_KIND_MAP;
  return parts || cls->family != MBS_FAMILY_NONE;
}

static void read_member(api_document_reader *reader, mbs_node *node, const char *key, const json_t *json,
                        const char *implied) {
  int index = mbs_field_index(node->cls, key);
  if (index < 0) {
    if (!api_key_is_extension(key) && !(implied && strcmp(key, implied) == 0))
      unknown_field(reader, node, key, implied);
    return;
  }
  const mbs_field *field = &node->cls->fields[index];
  const char *pointer = pointer_to(reader, node->pointer, key);
  if (!exists_here(reader, field->spaces)) {
    const bool other = strcmp(key, "plane") == 0 && mbs_field_index(node->cls, "line") >= 0;
    mbs_diagnose(reader->list, MBS_UNKNOWN_FIELD, pointer, "'%s' exists only in %s models%s", key,
                 space_name(field->spaces), other ? "; use 'line'" : "");
    return;
  }
  read_value(reader, field, json, pointer, &node->values[index]);
  const mbs_value *value = &node->values[index];
  if (field->kind == MBS_KIND_TEXT && field->required && value->given) {
    check_name(reader, value->scalars[0].text, pointer, is_referred_to(node->cls));
  }
}

static bool check_object(api_document_reader *reader, const mbs_class *cls, const json_t *json, const char *pointer) {
  if (json_is_object(json)) return true;
  char example[128], what[192];
  snprintf(what, sizeof what, "fields in braces, such as %s", object_example(cls, example, sizeof example));
  wrong_type(reader, what, json, pointer);
  return false;
}

/* Reads an object. `implied` is a key that is permitted although it is not a field. Returns false if there is no
 * node. */
static bool read_node(api_document_reader *reader, const mbs_class *cls, const json_t *json, const char *pointer,
                      const char *implied, mbs_node *node) {
  assert(reader->depth <= API_DOCUMENT_DEPTH);
  if (reader->depth == API_DOCUMENT_DEPTH) {
    mbs_diagnose(reader->list, MBS_TOO_LARGE, pointer, "objects are nested more than %d levels deep",
                 API_DOCUMENT_DEPTH);
    return false;
  }
  if (!begin_node(reader, node, cls, pointer)) return false;
  reader->depth++;
  /* json_object_foreach() needs a non-const object; nothing here changes it. */
  const char *key;
  json_t *member;
  json_object_foreach((json_t *)json, key, member) read_member(reader, node, key, member, implied);
  const mbs_value *value = node->values; /* a given field has a pointer, whether its value is valid or not */
  for (const mbs_field *field = node->cls->fields; field->name; field++, value++) {
    if (field->required && exists_here(reader, field->spaces) && !value->pointer) {
      char owner[OWNER];
      mbs_diagnose(reader->list, MBS_MISSING, node->pointer, "missing field '%s' of %s", field->name,
                   owner_of(node->cls, owner));
    }
  }
  reader->depth--;
  return true;
}

/* Returns the type in this space of a joint that other programs, or models in the other space, call `name`; NULL if
 * there is none. */
static const char *joint_meant(const api_document_reader *reader, const char *name) {
  static const char *const meant[][2] = {{"hinge", "revolute"},
                                         {"pin", "revolute"},
                                         {"ball", "spherical"},
                                         {"slider", "translational"},
                                         {"slider", "prismatic"},
                                         {"prismatic", "translational"},
                                         {"translational", "prismatic"},
                                         {"weld", "rigid"},
                                         {"weld", "fixed"},
                                         {"fixed", "rigid"},
                                         {"rigid", "fixed"}};
  for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
    const mbs_class *cls = strcmp(meant[i][0], name) == 0 ? mbs_class_find(MBS_FAMILY_JOINT, meant[i][1]) : NULL;
    if (cls && exists_here(reader, cls->spaces)) return cls->name;
  }
  return NULL;
}

/* Returns the class of family `family` named `name`; NULL after reporting the known names. */
static const mbs_class *find_class(api_document_reader *reader, mbs_family family, const char *what, const char *name,
                                   const char *pointer) {
  const mbs_class *cls = mbs_class_find(family, name);
  if (cls && exists_here(reader, cls->spaces)) return cls;
  const char *other = family == MBS_FAMILY_JOINT ? joint_meant(reader, name) : NULL;
  if (cls) {
    mbs_diagnose(reader->list, MBS_UNKNOWN_NAME, pointer, "%s '%.60s' exists only in %s models%s%s%s", what, name,
                 space_name(cls->spaces), other ? "; use '" : "", other ? other : "", other ? "'" : "");
    return NULL;
  }
  api_name_list known;
  api_name_list_split(&known, NULL);
  for (size_t i = 0; (cls = mbs_class_at(family, i)) != NULL; i++) {
    if (exists_here(reader, cls->spaces)) api_name_list_add(&known, cls->name);
  }
  char hint[512];
  if (other)
    snprintf(hint, sizeof hint, "did you mean '%s'?", other);
  else
    api_name_list_hint(&known, name, hint, sizeof hint);
  mbs_diagnose(reader->list, MBS_UNKNOWN_NAME, pointer, "unknown %s '%.60s'; %s", what, name, hint);
  return NULL;
}

bool api_function_has_shorthand(const mbs_class *cls) {
  assert(cls->family == MBS_FAMILY_FUNCTION && cls->fields->name);
  for (const mbs_field *field = cls->fields + 1; field->name; field++) {
    if (field->required) return false;
  }
  return true;
}

/* Reads a node whose only given value is that of the first field. */
static bool read_first(api_document_reader *reader, const mbs_class *cls, const json_t *json, const char *pointer,
                       mbs_node *node) {
  if (!begin_node(reader, node, cls, pointer)) return false;
  read_value(reader, &cls->fields[0], json, pointer, &node->values[0]);
  return true;
}

/* Reads a function of time: a number, a string, or {"class": fields or the first field's value}. */
static bool read_function(api_document_reader *reader, const json_t *json, const char *pointer, mbs_node *node) {
  const char *name = "expression";
  if (json_is_object(json)) {
    if (json_object_size(json) != 1) {
      mbs_diagnose(reader->list, MBS_WRONG_TYPE, pointer,
                   "expected an object with one key, the type of the function; got %zu keys", json_object_size(json));
      return false;
    }
    void *only = json_object_iter((json_t *)json);
    name = json_object_iter_key(only);
    json = json_object_iter_value(only);
    pointer = pointer_to(reader, pointer, name);
  } else if (!json_is_number(json) && !json_is_string(json)) {
    wrong_type(reader, "a number, an expression in a string, or a function in braces", json, pointer);
    return false;
  }
  const mbs_class *cls = find_class(reader, MBS_FAMILY_FUNCTION, "function", name, pointer);
  if (!cls) return false;
  if (!api_function_has_shorthand(cls) && !check_object(reader, cls, json, pointer)) return false;
  if (json_is_object(json)) return read_node(reader, cls, json, pointer, NULL, node);
  return read_first(reader, cls, json, pointer, node);
}

static bool read_element(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer,
                         mbs_node *node) {
  if (field->family == MBS_FAMILY_FUNCTION) return read_function(reader, json, pointer, node);
  if (!check_object(reader, mbs_class_at(field->family, 0), json, pointer)) return false;
  const json_t *type = json_object_get(json, "type");
  const char *name = type ? json_string_value(type) : mbs_family_default(field->family);
  if (!type && !name) {
    mbs_diagnose(reader->list, MBS_MISSING, pointer, "missing field 'type'");
    return false;
  }
  if (!name) {
    wrong_type(reader, "a string", type, pointer_to(reader, pointer, "type"));
    return false;
  }
  const mbs_class *cls = mbs_class_find(field->family, name);
  if (!cls || !exists_here(reader, cls->spaces)) /* find_class() reports why */
    cls = find_class(reader, field->family, "type", name, pointer_to(reader, pointer, "type"));
  return cls && read_node(reader, cls, json, pointer, "type", node);
}

/* ---- values -------------------------------------------------------------------------------------------------- */

bool api_map_has_objects(const mbs_field *map) { return map->of->fields[1].name != NULL; }

static void read_map(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer,
                     mbs_value *value) {
  if (!json_is_object(json)) {
    const mbs_field *entry = &field->of->fields[0];
    char example[512], what[600];
    if (api_map_has_objects(field))
      object_example(field->of, example, sizeof example);
    else if (entry->max_count != 0)
      array_example(reader, entry, example, sizeof example);
    else
      item_example(entry, 0, example, sizeof example);
    snprintf(what, sizeof what, "names and values in braces, such as {\"A\": %s}", example);
    wrong_type(reader, what, json, pointer);
    return;
  }
  value->nodes = take(reader, json_object_size(json), sizeof *value->nodes);
  if (!value->nodes) return;
  const char *key;
  json_t *entry;
  json_object_foreach((json_t *)json, key, entry) {
    mbs_node *node = &value->nodes[value->count];
    const char *place = pointer_to(reader, pointer, key);
    const bool object = api_map_has_objects(field);
    if (object
            ? !check_object(reader, field->of, entry, place) || !read_node(reader, field->of, entry, place, NULL, node)
            : !begin_node(reader, node, field->of, place))
      continue;
    value->count++;
    node->key = keep_text(reader, key, strlen(key));
    check_name(reader, key, place, !field->reference_keys);
    if (!object) read_value(reader, &field->of->fields[0], entry, place, &node->values[0]);
  }
}

/* Reads a row of a table: a node whose only value is an array of numbers. */
static bool read_row(api_document_reader *reader, const json_t *json, const char *pointer, mbs_node *node) {
  static const mbs_field number = {.name = "row", .kind = MBS_KIND_NUMBER, .min_count = 1, .max_count = 1000000};
  node->pointer = pointer;
  node->values = take(reader, 1, sizeof *node->values);
  if (!node->values) return false;
  read_value(reader, &number, json, pointer, &node->values[0]);
  return true;
}

/* Reads an object that is written as the value of its first field. */
static bool read_shorthand(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer,
                           mbs_node *node) {
  const mbs_field *first = &field->of->fields[0];
  if (first->max_count == 0 && !is_of_kind(first, json)) {
    mbs_diagnose(reader->list, MBS_WRONG_TYPE, pointer, "expected %s, or fields in braces, got %s",
                 expected[first->kind], api_json_type(json));
    return false;
  }
  return read_first(reader, field->of, json, pointer, node);
}

/* Keeps the name of an item that cannot be read, whose number is `i`. */
static void keep_lost(api_document_reader *reader, const json_t *json, size_t i, size_t items, mbs_value *value) {
  const json_t *name = json_object_get(json, "name");
  if (!json_is_string(name)) return;
  if (!value->lost) value->lost = take(reader, items - i, sizeof *value->lost);
  const char *text = keep_text(reader, json_string_value(name), json_string_length(name));
  if (value->lost && text) value->lost[value->lost_count++] = text;
}

/* Reads the next item of the value, whose arrays exist. Leaves out an item that cannot be read. */
static void read_item(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer,
                      mbs_value *value) {
  if (!holds_nodes(field->kind)) {
    read_scalar(reader, field, json, pointer, &value->scalars[value->count++]);
    return;
  }
  mbs_node *node = &value->nodes[value->count];
  bool begun = false;
  if (field->kind == MBS_KIND_ELEMENT)
    begun = read_element(reader, field, json, pointer, node);
  else if (field->kind == MBS_KIND_ROW)
    begun = read_row(reader, json, pointer, node);
  else if (field->or_first && !json_is_object(json))
    begun = read_shorthand(reader, field, json, pointer, node);
  else if (check_object(reader, field->of, json, pointer))
    begun = read_node(reader, field->of, json, pointer, NULL, node);
  if (begun)
    value->count++;
  else
    *node = (mbs_node){0};
}

/* Checks that `json` is an array with the length of the field. */
static bool check_array(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer) {
  int low = dimensions(reader, field->min_count), high = dimensions(reader, field->max_count);
  if (!json_is_array(json)) {
    const bool numbers = field->kind == MBS_KIND_NUMBER || field->kind == MBS_KIND_LAW;
    char example[512], what[600] = "a list";
    if (low == high) snprintf(what, sizeof what, "%d %s", low, numbers ? "numbers" : "values");
    const size_t used = strlen(what);
    snprintf(what + used, sizeof what - used, " in brackets, such as %s",
             array_example(reader, field, example, sizeof example));
    wrong_type(reader, what, json, pointer);
    return false;
  }
  size_t size = json_array_size(json);
  if (size >= (size_t)low && size <= (size_t)high) return true;
  const char *here = field->max_count < 0 ? space_name(reader->space) : NULL;
  const char *where_before = here ? " in a " : "", *where_after = here ? " model" : "";
  char wanted[64];
  if (low == high)
    snprintf(wanted, sizeof wanted, "%d", low);
  else if (size < (size_t)low)
    snprintf(wanted, sizeof wanted, "at least %d", low);
  else
    snprintf(wanted, sizeof wanted, "at most %d", high);
  const bool one = (size < (size_t)low ? low : high) == 1;
  mbs_diagnose(reader->list, MBS_WRONG_TYPE, pointer, "expected %s value%s%s%s%s, got %zu", wanted, one ? "" : "s",
               where_before, here ? here : "", where_after, size);
  return false;
}

static void read_values(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer,
                        mbs_value *value) {
  bool array = field->max_count != 0 && !(field->or_single && !json_is_array(json));
  if (array && !check_array(reader, field, json, pointer)) return;
  size_t count = array ? json_array_size(json) : 1;
  if (holds_nodes(field->kind))
    value->nodes = take(reader, count, sizeof *value->nodes);
  else
    value->scalars = take(reader, count, sizeof *value->scalars);
  if (!value->nodes && !value->scalars) return;
  for (size_t i = 0; i < count && !reader->no_memory; i++) {
    const json_t *item = array ? json_array_get(json, i) : json;
    const size_t before = value->count;
    read_item(reader, field, item, array ? pointer_to_told(reader, field, item, pointer, i) : pointer, value);
    if (value->count == before) keep_lost(reader, item, i, count, value);
  }
  value->given = value->count > 0 || array;
  value->list = array;
}

/* Returns true for lists whose readers skip invalid items, so that errors in the others are also reported. */
static bool keeps_others(const mbs_field *field, const mbs_value *value) {
  const bool kind = field->kind == MBS_KIND_NUMBER || field->kind == MBS_KIND_TEXT || field->kind == MBS_KIND_JOINT;
  return kind && value->list && value->count > 0;
}

/* Reads the value of a field. Other lists with an error count as missing. */
static void read_value(api_document_reader *reader, const mbs_field *field, const json_t *json, const char *pointer,
                       mbs_value *value) {
  size_t mistakes = reader->list->count + reader->list->dropped;
  value->pointer = pointer;
  switch (field->kind) {
  case MBS_KIND_MAP:
    read_map(reader, field, json, pointer, value);
    value->given = value->nodes != NULL;
    return;
  case MBS_KIND_LINE:
    read_line(reader, json, pointer, value);
    value->given = true;
    break;
  default: read_values(reader, field, json, pointer, value);
  }
  if (!holds_nodes(field->kind) && !keeps_others(field, value) &&
      reader->list->count + reader->list->dropped != mistakes) {
    *value = (mbs_value){.pointer = pointer};
  }
}

const mbs_node *api_document_read(api_document_reader *reader, const mbs_class *cls, const json_t *json,
                                  const char *pointer) {
  assert(reader->depth == 0 && cls && json);
  mbs_node *node = take(reader, 1, sizeof *node);
  const char *own = mbs_arena_text(reader->arena, pointer);
  if (!node || !own || !check_object(reader, cls, json, own) || !read_node(reader, cls, json, own, NULL, node))
    return NULL;
  return node;
}
