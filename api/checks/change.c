/* change.c - see change.h. */
#include "api/checks/change.h"

#include "api/base/name_list.h"
#include "api/checks/document_problem.h"
#include "api/documents/annotations.h"
#include "api/documents/document_reader.h"
#include "api/http/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BODY_MAX = 64 << 10 };

/* Returns true if a media type, apart from its parameters, is a JSON type. */
static bool is_json(const char *type) {
  static const char *const known[] = {"application/json", "application/merge-patch+json"};
  size_t length = type ? strcspn(type, "; \t") : 0;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (length == strlen(known[i]) && strncasecmp(type, known[i], length) == 0) return true;
  return false;
}

static bool check_request(const api_call *call, api_response *response) {
  if (!is_json(api_request_header(call->request, "Content-Type"))) {
    api_problem(call, response, API_PROBLEM_MEDIA_TYPE,
                "Send a change with Content-Type: application/merge-patch+json, or application/json");
    api_response_header(response, "Accept-Patch", "application/merge-patch+json, application/json");
    return false;
  }
  if (call->request->body_size <= BODY_MAX) return true;
  api_problem(call, response, API_PROBLEM_BODY_TOO_LARGE,
              "The request body is larger than %d bytes, the limit for a change", BODY_MAX);
  return false;
}

static bool parse(const api_call *call, api_response *response, json_t **body) {
  api_document document;
  api_syntax_error error;
  if (!api_document_parse(call->request->body, call->request->body_size, &document, &error)) {
    api_problem_syntax(call, response, &error);
    return false;
  }
  *body = json_incref(document.root);
  api_document_free(&document);
  return true;
}

static void check_members(json_t *body, mbs_diagnostics *list) {
  if (!json_is_object(body)) mbs_diagnose(list, MBS_WRONG_TYPE, "", "expected an object, got %s", api_json_type(body));
  api_name_list known;
  api_name_list_split(&known, "name|tags|keep");
  const char *key;
  json_t *value;
  json_object_foreach(body, key, value) {
    if (api_name_list_has(&known, key)) continue;
    char hint[128], pointer[256];
    snprintf(pointer, sizeof pointer, "/%s", key);
    mbs_diagnose(list, MBS_UNKNOWN_FIELD, pointer, "the field '%.60s' of a job cannot be changed; %s", key,
                 api_name_list_hint(&known, key, hint, sizeof hint));
  }
}

/* Reads the change. Returns false with the errors in `list`. */
static bool read_change(api_change *out, mbs_diagnostics *list) {
  api_annotations said;
  check_members(out->body, list);
  api_annotations_read(out->body, &said, list);
  if (list->count + list->dropped > 0) return false;
  out->tags = api_annotations_tags(&said);
  out->change = (service_change){.set_name = said.name != NULL,
                                 .set_tags = said.tags != NULL,
                                 .set_keep = said.keep != NULL,
                                 .name = json_string_value(said.name),
                                 .tags = out->tags,
                                 .keep = json_is_true(said.keep)};
  if (json_array_size(said.tags) == 0 || out->tags) return true;
  mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
  return false;
}

bool api_change_read(const api_call *call, api_response *response, api_change *out) {
  *out = (api_change){.body = NULL};
  if (!check_request(call, response) || !parse(call, response, &out->body)) return false;
  mbs_diagnostics list = {0};
  bool good = read_change(out, &list);
  if (!good) api_problem_diagnostics(call, response, &list, NULL);
  mbs_diagnostics_free(&list);
  return good;
}

void api_change_free(api_change *change) {
  json_decref(change->body);
  free(change->tags);
  *change = (api_change){.body = NULL};
}
