/* validate.c - /api/v1/validate, and validation.h. */
#include "problem.h"
#include "report_json.h"
#include "resources.h"
#include "validation.h"

#include <string.h>
#include <time.h>

/* The assembly runs in the process that answers requests, one after another, so it may not take long. */
static const double assembly_seconds = 2;
static const uint64_t assembly_evaluations = 100000;

mbs_limits api_check_limits(const service *host) {
  return (mbs_limits){.rows = host->limits.rows,
                      .memory = host->limits.check_bytes,
                      .advice = "start the service with a larger --check-memory"};
}

static double monotonic_now(void *user) {
  (void)user;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The same document with the analysis "assembly"; what else its analysis says stays, but for what only a motion has. */
static void make_assembly(const api_document *document, api_document *assembly) {
  json_t *analysis = json_is_object(document->analysis) ? json_copy(document->analysis) : json_object();
  json_object_set_new(analysis, "type", json_string("assembly"));
  json_object_del(analysis, "error_estimate");
  json_t *root = json_copy(document->root); /* bare or wrapped as it came, so that pointers are into what was sent */
  json_object_set_new(root, "analysis", analysis);
  api_document_adopt(root, assembly);
}

static json_t *assemble(const mbs_model *model) {
  const mbs_hooks hooks = {.now = monotonic_now};
  mbs_result *result = NULL;
  mbs_error error = {0};
  mbs_status status = mbs_run(model, &hooks, &result, &error);
  json_t *answer = result ? api_report_json(&result->report) : json_object();
  json_object_set_new(answer, "assembled", json_boolean(status == MBS_OK));
  if (status != MBS_OK) json_object_set_new(answer, "error", api_error_json(&error));
  mbs_result_free(result);
  return answer;
}

/* The analysis asked for, NULL: the default, that the assembly stood in for. */
static void add_analysis(const char *type, json_t *answer) {
  json_object_set_new(answer, "analysis", json_string(type ? type : "dynamics"));
  json_int_t freedoms = json_integer_value(json_object_get(answer, "degrees_of_freedom"));
  bool driven = type && (strcmp(type, "kinematics") == 0 || strcmp(type, "inverse-dynamics") == 0);
  if (!driven || freedoms <= 0) return;
  json_array_append_new(json_object_get(answer, "notes"),
                        json_sprintf("%s needs a driver for every freedom, and %d %s left: a job will fail", type,
                                     (int)freedoms, freedoms == 1 ? "is" : "are"));
}

json_t *api_document_validate(api_document *document, const mbs_limits *limits, mbs_diagnostics *list) {
  mbs_model *model = NULL;
  if (document->analysis) { /* mistakes of the analysis asked for; an assembly needs none */
    model = api_document_build(document, limits, list);
    if (!model) return NULL;
    mbs_model_free(model);
  }
  api_document assembly;
  make_assembly(document, &assembly);
  model = api_document_build(&assembly, limits, list);
  json_t *answer = model ? assemble(model) : NULL;
  mbs_model_free(model);
  if (answer && document->analysis)
    add_analysis(json_string_value(json_object_get(document->analysis, "type")), answer);
  api_document_free(&assembly);
  return answer;
}

void api_validate(const api_call *call, api_response *response) {
  api_document document;
  api_syntax_error error;
  if (!api_document_parse(call->request->body, call->request->body_size, &document, &error)) {
    api_problem_syntax(call, response, &error);
    return;
  }
  mbs_limits limits = api_check_limits(call->service);
  limits.wall_seconds = assembly_seconds;
  limits.evaluations = assembly_evaluations;
  mbs_diagnostics list = {0};
  json_t *answer = api_document_validate(&document, &limits, &list);
  if (answer)
    api_respond_json(response, 200, answer);
  else
    api_problem_diagnostics(call, response, &list);
  mbs_diagnostics_free(&list);
  api_document_free(&document);
}
