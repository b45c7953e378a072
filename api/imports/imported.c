/* imported.c - see imported.h. */
#include "api/imports/imported.h"

#include "api/documents/document.h"
#include "api/documents/report_json.h"
#include "api/documents/validation.h"

#include <time.h>

static double monotonic_now(void *user) {
  (void)user;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static json_t *count_of(const json_t *model, const char *list) {
  return json_integer((json_int_t)json_array_size(json_object_get(model, list)));
}

/* Adds the numbers of the assembled model to the answer. */
static void add_summary(const json_t *model, const mbs_report *report, json_t *answer) {
  json_t *all = report ? api_report_json(report) : NULL;
  json_t *cuts = json_object_get(all, "cut"), *freedoms = json_object_get(all, "degrees_of_freedom");
  json_object_set_new(answer, "summary",
                      json_pack("{s:o, s:o, s:o, s:o, s:o, s:O?}", "bodies", count_of(model, "bodies"), "joints",
                                count_of(model, "joints"), "cuts", json_integer((json_int_t)json_array_size(cuts)),
                                "drivers", count_of(model, "drivers"), "forces", count_of(model, "forces"),
                                "degrees_of_freedom", freedoms));
  json_decref(all);
}

/* Assembles the model. A mass matrix that is singular is an error of the source; that the position cannot be corrected
 * is left to the job. Returns false with the reason in out->errors. */
static bool assemble(const mbs_model *model, const json_t *document, api_imported *out) {
  const mbs_hooks hooks = {.now = monotonic_now};
  mbs_result *result = NULL;
  mbs_error error = {0};
  const mbs_status status = mbs_run(model, &hooks, &result, &error);
  if (status == MBS_SINGULAR_MASS)
    out->errors = json_pack("[{s:s, s:s, s:s, s:s}]", "code", "not_mapped", "element", error.element, "pointer",
                            error.pointer, "detail", error.message);
  else
    add_summary(document, result ? &result->report : NULL, out->answer);
  if (status != MBS_SINGULAR_MASS && status != MBS_OK) out->not_assembled = api_error_json(&error);
  mbs_result_free(result);
  return status != MBS_SINGULAR_MASS;
}

/* Builds the document as an assembly. Returns false with the errors in out->errors. */
static bool check(json_t *model, const mbs_limits *limits, api_imported *out) {
  api_document document, assembly;
  mbs_diagnostics list = {0};
  api_document_adopt(json_incref(model), &document);
  api_document_assembly(&document, &assembly);
  mbs_model *built = api_document_build(&assembly, limits, &list);
  if (!built) out->errors = api_errors_json(&list);
  const bool good = built && assemble(built, model, out);
  mbs_model_free(built);
  mbs_diagnostics_free(&list);
  api_document_free(&assembly);
  api_document_free(&document);
  return good;
}

void api_import(import_tree *tree, const import_options *options, const mbs_limits *limits, api_imported *out) {
  import_answer answer;
  import_convert(tree, options, &answer);
  *out = (api_imported){.errors = json_incref(answer.errors),
                        .notes = json_incref(answer.notes),
                        .format = answer.format,
                        .fault = answer.fault};
  if (answer.model) {
    out->answer = json_pack("{s:s, s:O, s:O}", "format", answer.format, "model", answer.model, "notes", answer.notes);
    if (!out->answer) out->fault = (import_fault){.status = 500, .code = "no_memory", .detail = "out of memory"};
    if (out->answer && !check(answer.model, limits, out)) {
      size_t index;
      json_t *error;
      json_array_foreach(out->errors, index, error) import_answer_locate(&answer, error);
      json_decref(out->answer);
      out->answer = NULL;
    }
  }
  import_answer_free(&answer);
}

void api_imported_free(api_imported *imported) {
  json_decref(imported->answer);
  json_decref(imported->errors);
  json_decref(imported->notes);
  json_decref(imported->not_assembled);
  *imported = (api_imported){0};
}
