/* check.c - see check.h. */
#include "api/checks/check.h"

#include "api/base/text.h"
#include "api/checks/document_problem.h"
#include "api/checks/equations_query.h"
#include "api/checks/source.h"
#include "api/documents/answers.h"
#include "api/documents/content.h"
#include "api/documents/document.h"
#include "api/documents/validation.h"
#include "api/exports/fmu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the assembly for validation: the client waits for the answer, and other requests wait for the process. */
static const double assembly_seconds = 2;
static const uint64_t assembly_evaluations = 100000;
/* Estimated time for a row of one body in an easy motion [s]. If a job takes longer, the next estimate uses that. */
static const double cell_seconds = 20e-6;
/* Smallest limit of memory that can be imposed [bytes]: below this, the memory of any process exceeds it. */
static const size_t least_hold = (size_t)64 << 20;

static void hold(const api_check *asked, size_t bytes) {
  if (asked->hold) asked->hold(asked->context, bytes);
}

static bool lacked_memory(const mbs_diagnostics *list) {
  bool lacked = list->dropped > 0;
  for (size_t i = 0; i < list->count; i++)
    lacked = lacked || list->items[i].status == MBS_NO_MEMORY || list->items[i].status == MBS_TOO_LARGE;
  return lacked;
}

/* Builds the model with the job's limits while the process may use only the memory of a model that is only checked; so
 * the model satisfies both limits. Returns false if that cannot be decided: the model must then be checked with the
 * smaller limits. */
static bool build_for_running(const api_check *asked, api_document *document, mbs_diagnostics *list,
                              mbs_model **model) {
  *model = NULL;
  if (asked->looking.memory < least_hold || asked->running.memory < asked->looking.memory) return false;
  hold(asked, asked->looking.memory);
  *model = api_document_build(document, &asked->running, list);
  hold(asked, 0);
  if (*model || !lacked_memory(list)) return true;
  mbs_diagnostics_free(list);
  return false;
}

/* Estimates the cost of a job from its size; the real cost is learned later. */
static service_cost cost_of(const api_document *document) {
  service_cost cost = {.kind = api_content_kind(document), .span = 1, .seconds = INFINITY};
  double span, cells;
  if (!api_content_span(document, &span, &cells)) return cost;
  cost.span = span;
  cost.seconds = cells * cell_seconds;
  return cost;
}

/* Characters of a model's name that are stored with each job; the document has the whole name. */
enum { NAME_CHARACTERS = 200 };

/* Fills in the data of a job. Returns false if memory runs out. */
static bool describe(const api_document *document, service_verdict *verdict) {
  const api_annotations *said = &document->annotations;
  const char *model_name = api_document_name(document), *name = json_string_value(said->name);
  verdict->model_name = api_text_start(model_name, NAME_CHARACTERS);
  verdict->analysis = api_document_analysis(document);
  verdict->name = api_text_copy(name);
  verdict->tags = api_annotations_tags(said);
  verdict->keep = json_is_true(said->keep);
  verdict->reuse = said->reuse;
  verdict->cost = cost_of(document);
  bool hashed = api_content_hash(document, verdict->content_hash);
  return hashed && (!model_name || verdict->model_name) && (!document->analysis || verdict->analysis) &&
         (!name || verdict->name) && (json_array_size(said->tags) == 0 || verdict->tags);
}

/* Checks the document of a job. Returns false with the errors in `list`. */
static bool check_job(const api_check *asked, api_document *document, mbs_diagnostics *list, service_verdict *verdict,
                      mbs_model **model) {
  bool good;
  if (build_for_running(asked, document, list, model)) {
    good = *model != NULL;
    if (good) verdict->runs = mbs_model_runs(*model);
  } else {
    mbs_model *looked_at = api_document_build(document, &asked->looking, list);
    good = looked_at != NULL;
    if (good) verdict->runs = mbs_model_runs(looked_at);
    mbs_model_free(looked_at);
  }
  if (!good) return false;
  bool whole = describe(document, verdict);
  if (!whole) mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
  return whole;
}

/* Validates the document. Returns false with the errors in `list`. */
static bool validate(const api_check *asked, api_document *document, mbs_diagnostics *list, api_response *response) {
  mbs_limits limits = asked->looking;
  limits.wall_seconds = assembly_seconds;
  limits.evaluations = assembly_evaluations;
  json_t *answer = api_document_validate(document, &limits, asked->document.purpose == SERVICE_DRAW, list);
  if (answer) api_respond_json(response, 200, answer);
  return answer != NULL;
}

/* Answers that equations are too large; `instead` says how to request fewer. */
static void too_large(const api_call *call, api_response *response, const api_equations_excess *excess,
                      const char *instead) {
  bool some = excess->fitting[0] != 0;
  api_problem(call, response, API_PROBLEM_EQUATIONS_TOO_LARGE, "%s%s%s%s", excess->detail, some ? "; " : "",
              some ? instead : "", excess->fitting);
}

/* Answers with the equations of the document, as the query of the target asks. Returns false with the errors in
 * `list`. */
static bool derive(const api_check *asked, const api_call *call, api_document *document, mbs_diagnostics *list,
                   api_response *response) {
  char why[160];
  api_target target;
  api_equations_query query;
  api_equations_excess excess = {0};
  bool read = api_target_parse(asked->document.target, &target, why) &&
              api_equations_query_read(call, &target, response, &query);
  mbs_limits limits = asked->looking;
  limits.wall_seconds = assembly_seconds;
  limits.evaluations = assembly_evaluations;
  char *text = read ? api_document_equations(document, &query, &limits, list, &excess) : NULL;
  if (!read) /* the error in the query was answered before */
    mbs_diagnose(list, MBS_INVALID, "", "the query of the request is invalid");
  else if (text)
    api_respond_text(response, 200, api_equations_media_type(query.format), text, strlen(text));
  else if (list->count == 0)
    too_large(call, response, &excess,
              "to get a part of them, set \"sparse\": true beside \"model\" and request ?only=");
  api_target_free(&target);
  return text || list->count == 0;
}

/* Checks the answers beside the document's model. Returns false with the errors in `list`. */
static bool check_claims(const api_check *asked, const api_call *call, api_document *document, mbs_diagnostics *list,
                         api_response *response) {
  mbs_limits limits = asked->looking;
  limits.wall_seconds = assembly_seconds;
  limits.evaluations = assembly_evaluations;
  api_equations_excess excess = {0};
  json_t *answer = api_document_check_answers(document, &limits, list, &excess);
  if (answer)
    api_respond_json(response, 200, answer);
  else if (list->count == 0)
    too_large(call, response, &excess, "\"claim\" may contain only the matrices ");
  return answer || list->count == 0;
}

/* Makes the texts of an FMU. Returns false with the errors in `list`. */
static bool export_fmu(const api_check *asked, api_document *document, mbs_diagnostics *list, api_response *response) {
  mbs_limits limits = asked->looking;
  limits.wall_seconds = assembly_seconds;
  limits.evaluations = assembly_evaluations;
  json_t *texts = api_fmu_make(json_incref(document->root), &limits, list);
  if (texts) api_respond_json(response, 200, texts);
  return texts != NULL;
}

static void look_at(const api_check *asked, const api_call *call, api_document *document, api_response *response,
                    service_verdict *verdict, mbs_model **model) {
  mbs_diagnostics list = {0};
  bool good;
  switch (asked->document.purpose) {
  case SERVICE_RUN: good = check_job(asked, document, &list, verdict, model); break;
  case SERVICE_DERIVE: good = derive(asked, call, document, &list, response); break;
  case SERVICE_CHECK_ANSWERS: good = check_claims(asked, call, document, &list, response); break;
  case SERVICE_EXPORT: good = export_fmu(asked, document, &list, response); break;
  default: good = validate(asked, document, &list, response);
  }
  if (!good) {
    api_problem_diagnostics(call, response, &list, document->root);
    mbs_model_free(*model);
    *model = NULL;
  }
  mbs_diagnostics_free(&list);
}

/* Moves the body of a response to the verdict. */
static void take_answer(api_response *response, service_verdict *verdict) {
  verdict->status = response->status;
  if (response->status == 0) return;
  verdict->text = strndup(response->body, response->body_size);
  api_response_free(response);
}

void api_check_document(const api_check *asked, service_verdict *verdict, mbs_model **model) {
  *verdict = (service_verdict){0};
  *model = NULL;
  const api_request request = {.target = asked->document.target};
  const api_call call = {.request = &request};
  api_response response = {0};
  api_document document;
  api_syntax_error error;
  hold(asked, 0);
  if (asked->document.purpose == SERVICE_IMPORT) {
    mbs_limits limits = asked->looking;
    limits.wall_seconds = assembly_seconds;
    limits.evaluations = assembly_evaluations;
    api_source_convert(&asked->document, &limits, &call, &response);
  } else if (api_document_parse(asked->document.text, asked->document.size, &document, &error)) {
    look_at(asked, &call, &document, &response, verdict, model);
    api_document_free(&document);
  } else {
    api_problem_unparsed(&call, &response, &error, asked->looking.advice);
  }
  take_answer(&response, verdict);
}
