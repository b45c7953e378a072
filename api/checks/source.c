/* source.c - see source.h. */
#include "api/checks/source.h"

#include "api/base/values.h"
#include "api/http/problem.h"
#include "api/imports/imported.h"

#include <string.h>

/* Reads a query parameter that is true or false. Returns false after answering that it is neither. */
static bool read_switch(const api_call *call, const api_target *target, const char *name, bool *out,
                        api_response *response) {
  const char *text = api_target_query(target, name);
  *out = text && strcmp(text, "true") == 0;
  if (!text || *out || strcmp(text, "false") == 0) return true;
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "The query parameter %s must be true or false", name);
  return false;
}

static api_problem_kind kind_of(int status, const char *code) {
  static const struct {
    const char *code;
    api_problem_kind kind;
  } kinds[] = {{"entity_refused", API_PROBLEM_ENTITY_REFUSED},
               {"path_refused", API_PROBLEM_PATH_REFUSED},
               {"unknown_format", API_PROBLEM_UNKNOWN_FORMAT}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(kinds[k].code, code) == 0) return kinds[k].kind;
  switch (status) {
  case 400: return API_PROBLEM_MALFORMED_SOURCE;
  case 413: return API_PROBLEM_SOURCE_TOO_LARGE;
  case 500: return API_PROBLEM_INTERNAL;
  default: return API_PROBLEM_NOT_MAPPED;
  }
}

/* Answers that the source as a whole cannot be converted. */
static void respond_fault(const api_call *call, const import_fault *fault, const char *format, api_response *response) {
  json_t *line = fault->line ? json_integer(fault->line) : json_null();
  json_t *error = json_pack("{s:s, s:s, s:o, s:s, s:o}", "code", fault->code, "file", fault->file, "line", line,
                            "pointer", "", "detail", api_json_text(fault->detail));
  json_t *more = json_pack("{s:s, s:s?, s:[o]}", "code", fault->code, "format", format, "errors", error);
  if (fault->line) json_object_set_new(more, "line", json_integer(fault->line));
  if (fault->column) json_object_set_new(more, "column", json_integer(fault->column));
  api_problem_with(call, response, kind_of(fault->status, fault->code), api_json_text(fault->detail), more);
}

/* Answers with all errors. */
static void respond_errors(const api_call *call, const api_imported *imported, api_response *response) {
  const size_t count = json_array_size(imported->errors);
  const json_t *first = json_array_get(imported->errors, 0);
  const char *code = json_string_value(json_object_get(first, "code"));
  json_t *more = json_pack("{s:s, s:s?, s:O, s:O?}", "code", code ? code : "not_mapped", "format", imported->format,
                           "errors", imported->errors, "notes", imported->notes);
  json_t *detail = count == 1 ? json_incref(json_object_get(first, "detail"))
                              : json_sprintf("the source has %zu errors, listed in the field \"errors\"", count);
  api_problem_with(call, response, API_PROBLEM_NOT_MAPPED, detail, more);
}

static void convert(const service_document *document, const import_options *options, const mbs_limits *limits,
                    const api_call *call, api_response *response) {
  import_fault fault = {0};
  const char *name = options->main_file ? options->main_file : "source";
  import_tree *tree = import_tree_of_bytes(name, document->text, document->size, &fault);
  if (!tree) {
    respond_fault(call, &fault, options->format, response);
    return;
  }
  api_imported imported;
  api_import(tree, options, limits, &imported);
  if (imported.answer)
    api_respond_json(response, 200, json_incref(imported.answer));
  else if (imported.fault.status)
    respond_fault(call, &imported.fault, imported.format, response);
  else
    respond_errors(call, &imported, response);
  api_imported_free(&imported);
  import_tree_free(tree);
}

void api_source_prepare(void) { import_prepare(); }

void api_source_convert(const service_document *document, const mbs_limits *limits, const api_call *call,
                        api_response *response) {
  char why[160];
  api_target target;
  import_options options = {.format_option = "the query parameter format"};
  if (!api_target_parse(document->target, &target, why)) {
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "%s", why);
    return;
  }
  options.format = api_target_query(&target, "format");
  options.main_file = api_target_query(&target, "main");
  options.keyframe = api_target_query(&target, "keyframe");
  if (read_switch(call, &target, "partial", &options.partial, response) &&
      read_switch(call, &target, "floating", &options.floating, response))
    convert(document, &options, limits, call, response);
  api_target_free(&target);
}
