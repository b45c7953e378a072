/* document.c - see document.h. */
#include "api/documents/document.h"

#include "api/base/name_list.h"
#include "api/documents/document_reader.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void api_document_adopt(json_t *root, api_document *document) {
  assert(root);
  json_t *inner = json_object_get(root, "model");
  *document = (api_document){.root = root, .wrapped = inner != NULL, .model = inner ? inner : root};
  document->analysis = inner ? json_object_get(root, "analysis") : NULL;
  if (!document->analysis) document->analysis = json_object_get(document->model, "analysis");
  document->study = inner ? json_object_get(root, "study") : NULL;
}

/* Returns true if the text has a comma before the closing bracket at which reading it failed. */
static bool has_extra_comma(const char *text, size_t size, const json_error_t *place) {
  size_t at = place->position > 0 ? (size_t)place->position : 0;
  if (at == 0 || at > size || (text[at - 1] != '}' && text[at - 1] != ']')) return false;
  for (at--; at > 0 && strchr(" \t\r\n", text[at - 1]);) at--;
  return at > 0 && text[at - 1] == ',';
}

/* The remedy for a mistake, which Jansson describes by a message such as `invalid token near 'True'`. */
typedef struct syntax_hint {
  const char *said, *next; /* first characters of the message, and of its quoted part; "": any */
  const char *remedy;
} syntax_hint;

static const syntax_hint hints[] = {
    {"", "/", "JSON has no comments; remove this one, or write it as a field \"x-comment\""},
    {"", "#", "JSON has no comments; remove this one, or write it as a field \"x-comment\""},
    {"", "'", "texts and names of fields need double quotes, not single ones"},
    {"invalid token", "<", "this is XML, not JSON; convert a model of another program by 'mbs import'"},
    {"invalid token", ".", "a number must begin with a digit: write 0.5, not .5"},
    {"invalid token", "+", "a number cannot begin with +"},
    {"invalid token", "True", "write true and false in small letters"},
    {"invalid token", "False", "write true and false in small letters"},
    {"invalid token", "None", "write null, or leave the field out"},
    {"invalid token", "NaN", "JSON has no NaN; write a number, or leave the field out"},
    {"'}' expected", "\"", "a comma is missing before the next field"},
    {"']' expected", "", "a comma or ']' is missing before this place"},
    {"'}' expected", "", "a comma or '}' is missing before this place"},
    {"string or '}' expected", "", "here a name of a field in double quotes is expected, or '}'"},
};

/* Returns the remedy for a message of Jansson, or the message itself. */
static const char *remedy_of(const char *message) {
  const char *near = strstr(message, " near '");
  if (!near) return message;
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strncmp(message, hints[i].said, strlen(hints[i].said)) == 0 &&
        strncmp(near + 7, hints[i].next, strlen(hints[i].next)) == 0)
      return hints[i].remedy;
  return message;
}

/* Writes why a text is not JSON. */
static void write_detail(const char *text, size_t size, const json_error_t *place, char *detail, size_t detail_size) {
  size_t start = 0;
  while (start < size && strchr(" \t\r\n", text[start]) && text[start]) start++;
  const char *bad = strncmp(place->text, "unable to decode byte 0x", 24) == 0 ? place->text + 22 : NULL;
  if (start == size)
    snprintf(detail, detail_size, "the text is empty; a JSON object is expected");
  else if (bad && size > 1 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
    snprintf(detail, detail_size, "the text is UTF-16; save it as UTF-8");
  else if (bad)
    snprintf(detail, detail_size, "the byte %.4s is not valid UTF-8; save the text as UTF-8", bad);
  else if (json_error_code(place) == json_error_null_character)
    snprintf(detail, detail_size, "the character \\u0000 is not allowed");
  else if (has_extra_comma(text, size, place))
    snprintf(detail, detail_size, "a comma before a closing bracket is not allowed");
  else
    snprintf(detail, detail_size, "%s", remedy_of(place->text));
}

bool api_document_parse(const char *text, size_t size, api_document *document, api_syntax_error *error) {
  *document = (api_document){0};
  json_error_t place;
  /* Integers are read as reals, so that long ones are valid numbers. */
  json_t *root =
      json_loadb(size ? text : "", size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &place);
  if (!root) {
    error->line = place.line > 0 ? place.line : 1;
    error->column = place.column > 0 ? place.column : 1;
    error->no_memory = json_error_code(&place) == json_error_out_of_memory || place.text[0] == '\0';
    write_detail(text, size, &place, error->detail, sizeof error->detail);
    return false;
  }
  api_document_adopt(root, document);
  return true;
}

/* Checks the members of {"model", "analysis", "study", ...}. */
static void check_wrapping(api_document *document, mbs_diagnostics *list) {
  api_name_list known;
  api_name_list_split(&known, "model|analysis|study|" API_ANNOTATIONS);
  api_annotations_read(document->root, &document->annotations, list);
  const char *key;
  json_t *value;
  json_object_foreach(document->root, key, value) {
    if (api_name_list_has(&known, key) || api_key_is_extension(key)) continue;
    char hint[128], pointer[256];
    snprintf(pointer, sizeof pointer, "/%s", key);
    mbs_diagnose(list, MBS_UNKNOWN_FIELD, pointer, "unknown field '%.60s' beside the model; %s", key,
                 api_name_list_hint(&known, key, hint, sizeof hint));
  }
}

/* Reads the nodes. Returns false if no model can be built from them. */
static bool read_nodes(api_document *document, const mbs_limits *limits, mbs_diagnostics *list) {
  assert(document->root && document->model);
  mbs_arena_free(document->arena);
  document->arena = mbs_documents_arena(limits);
  if (!document->arena) {
    mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
    return false;
  }
  api_document_reader reader = {.arena = document->arena, .list = list, .space = MBS_PLANAR, .advice = limits->advice};
  const char *space = json_string_value(json_object_get(document->model, "space"));
  if (space && strcmp(space, "spatial") == 0) reader.space = MBS_SPATIAL;

  if (document->wrapped) check_wrapping(document, list);
  document->model_node =
      api_document_read(&reader, mbs_class_model(), document->model, document->wrapped ? "/model" : "");
  json_t *beside = document->wrapped ? json_object_get(document->root, "analysis") : NULL;
  if (beside) document->analysis_node = api_document_read(&reader, mbs_class_analysis(), beside, "/analysis");
  if (document->study) document->study_node = api_document_read(&reader, mbs_class_study(), document->study, "/study");
  /* an analysis or a study that is not an object does not prevent reports of other errors */
  return document->model_node && !reader.no_memory;
}

/* Returns true if a message contains the name of a field in quotes. */
static bool names(const char *message, const char *field) {
  const size_t length = strlen(field);
  for (const char *at = strchr(message, '\''); at; at = strchr(at + 1, '\''))
    if (strncmp(at + 1, field, length) == 0 && at[1 + length] == '\'') return true;
  return false;
}

/* Returns true if an error of the builder at `later` only follows from one of the reader. Their positions are then the
 * same, or one contains the other. Another field that is missing there is a separate error. */
static bool follows_from(const mbs_error *earlier, const mbs_error *later) {
  size_t length = strlen(earlier->pointer);
  if (earlier->status == MBS_MISSING && later->status == MBS_MISSING) return false;
  if (strcmp(earlier->pointer, later->pointer) == 0) return true;
  if (earlier->status == MBS_MISSING) return false;
  if (strncmp(earlier->pointer, later->pointer, length) == 0 && later->pointer[length] == '/') return true;
  const char *last = strrchr(earlier->pointer, '/');
  size_t parent = last ? (size_t)(last - earlier->pointer) : 0;
  if (!(strlen(later->pointer) == parent && strncmp(earlier->pointer, later->pointer, parent) == 0)) return false;
  return later->status != MBS_MISSING || !last || names(later->message, last + 1);
}

mbs_model *api_document_build(api_document *document, const mbs_limits *limits, mbs_diagnostics *list) {
  if (!read_nodes(document, limits, list)) return NULL;
  size_t read = list->count, kept = read;
  const mbs_documents nodes = {document->model_node, document->analysis_node, document->study_node, document->arena};
  document->arena = NULL;
  mbs_model *model = mbs_model_build_for(&nodes, NULL, limits, list);
  if (!model) document->model_node = document->analysis_node = document->study_node = NULL;
  for (size_t i = read; i < list->count; i++) {
    bool follows = false;
    for (size_t k = 0; k < read && !follows; k++) follows = follows_from(&list->items[k], &list->items[i]);
    if (!follows) list->items[kept++] = list->items[i];
  }
  list->count = kept;
  if (!model && list->count == 0) mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
  return model;
}

void api_document_free(api_document *document) {
  mbs_arena_free(document->arena);
  json_decref(document->root);
  *document = (api_document){0};
}

void api_document_replace_analysis(json_t *root, json_t *analysis) {
  json_t *model = json_object_get(root, "model");
  const bool beside = json_object_get(root, "analysis") || !json_object_get(model, "analysis");
  if (!beside) json_object_set_new(root, "model", model = json_copy(model));
  json_object_set_new(beside ? root : model, "analysis", analysis);
}

const char *api_document_name(const api_document *document) {
  return json_string_value(json_object_get(document->model, "name"));
}

char *api_document_analysis(const api_document *document) {
  return document->analysis ? json_dumps(document->analysis, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
}
