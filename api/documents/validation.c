/* validation.c - see validation.h. */
#include "api/documents/validation.h"

#include "api/base/clock.h"
#include "api/documents/report_json.h"
#include "api/documents/scene_json.h"

#include <string.h>

void api_document_assembly(const api_document *document, api_document *assembly) {
  json_t *analysis = json_is_object(document->analysis) ? json_copy(document->analysis) : json_object();
  json_object_set_new(analysis, "type", json_string("assembly"));
  json_object_del(analysis, "error_estimate");
  json_t *root = json_copy(document->root); /* bare or wrapped as it was sent, so that pointers refer to the original */
  json_object_set_new(root, "analysis", analysis);
  json_object_del(root, "study"); /* a study has motions, an assembly has none */
  api_document_adopt(root, assembly);
}

/* Adds the analysis of the document in place of the assembly; NULL: the default. */
static void add_analysis(const char *type, const mbs_report *report, json_t *answer) {
  json_object_set_new(answer, "analysis", json_string(type ? type : "dynamics"));
  const int freedoms = report->velocity_freedoms;
  const char *undriven = report->undriven;
  bool driven = type && (strcmp(type, "kinematics") == 0 || strcmp(type, "inverse-dynamics") == 0);
  if (!driven || freedoms <= 0) return;
  json_array_append_new(
      json_object_get(answer, "notes"),
      json_sprintf("%s needs a driver for every degree of freedom, but %d %s no driver%s%s%s: a job will fail", type,
                   freedoms, freedoms == 1 ? "has" : "have", undriven ? " (" : "", undriven ? undriven : "",
                   undriven ? ")" : ""));
}

/* Reports on the assembled model, with the analysis of the document. Leaves out the rows of results of the assembly,
 * which a reader would take for those of that analysis. */
static json_t *assemble(const mbs_model *model, const json_t *analysis) {
  static const char *const of_results[] = {"recorded", "final_state", "sensors", "efforts"};
  const mbs_hooks hooks = {.now = api_now};
  mbs_result *result = NULL;
  mbs_error error = {0};
  mbs_status status = mbs_run_assembly_report(model, &hooks, &result, &error);
  json_t *answer = result ? api_report_json(&result->report) : json_object();
  for (size_t i = 0; i < sizeof of_results / sizeof *of_results; i++) json_object_del(answer, of_results[i]);
  json_object_set_new(answer, "assembled", json_boolean(status == MBS_OK));
  if (status != MBS_OK) json_object_set_new(answer, "error", api_error_json(&error));
  if (result && analysis) add_analysis(json_string_value(json_object_get(analysis, "type")), &result->report, answer);
  mbs_result_free(result);
  return answer;
}

/* Builds the model of the document as an assembly: for a document without an analysis, or with a study, whose runs are
 * motions. */
static mbs_model *build_assembly(const api_document *document, const mbs_limits *limits, mbs_diagnostics *list) {
  api_document assembly;
  api_document_assembly(document, &assembly);
  mbs_model *model = api_document_build(&assembly, limits, list);
  api_document_free(&assembly);
  return model;
}

json_t *api_document_validate(api_document *document, const mbs_limits *limits, bool scene, mbs_diagnostics *list) {
  mbs_model *model = NULL;
  if (document->analysis) { /* reports errors in the analysis; the assembly does not use it */
    model = api_document_build(document, limits, list);
    if (!model) return NULL;
  }
  if (!model || document->study) {
    mbs_model_free(model);
    model = build_assembly(document, limits, list);
  }
  json_t *answer = model ? assemble(model, document->analysis) : NULL;
  if (answer && scene) json_object_set_new(answer, "scene", api_scene_json(model));
  mbs_model_free(model);
  return answer;
}
