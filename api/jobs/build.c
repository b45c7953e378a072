/* build.c - see build.h. */
#include "api/jobs/build.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"

#include <stdio.h>

/* The server checked the document before it was queued, but may have had other limits or another version. */
json_t *api_build_errors(const mbs_diagnostics *list) {
  json_t *error = list->count == 1 ? api_error_json(&list->items[0])
                                   : api_plain_error_json(mbs_status_code(MBS_INVALID),
                                                          "the document has errors, listed in \"errors\"");
  json_object_set_new(error, "errors", api_errors_json(list));
  return error;
}

mbs_model *api_build_document(api_document *document, const mbs_limits *limits, json_t **error) {
  mbs_diagnostics list = {0};
  mbs_model *model = api_document_build(document, limits, &list);
  api_document_free(document);
  if (!model) *error = api_build_errors(&list);
  mbs_diagnostics_free(&list);
  return model;
}

mbs_model *api_build_text(const char *text, size_t size, const mbs_limits *limits, json_t **error) {
  api_document document;
  api_syntax_error place;
  if (!api_document_parse(text, size, &document, &place)) {
    char detail[320];
    snprintf(detail, sizeof detail, "line %d, column %d: %s", place.line, place.column, place.detail);
    *error = api_plain_error_json("malformed_json", detail);
    return NULL;
  }
  return api_build_document(&document, limits, error);
}
