/* verification.c - see verification.h. The model in the other formulation is built from a modified document with the
 * bodies at the start of the run. So both runs start there, although their corrections use different norms. */
#include "api/jobs/verification.h"

#include "api/base/values.h"
#include "api/documents/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Smaller corrections of the start are rounding errors. */
static const double corrected_by = 1e-12;

/* ---- the document --------------------------------------------------------------------------------------------- */

static bool differ(const double *before, const double *after, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (fabs(before[i] - after[i]) > corrected_by * (1 + fabs(after[i]))) return true;
  return false;
}

/* Returns true if the first row of the run differs from the position in the document. */
static bool starts_elsewhere(const mbs_report *report) {
  return strcmp(report->analysis, "equilibrium") == 0 || strcmp(report->analysis, "linearization") == 0 ||
         differ(report->q_before, report->q_after, report->coordinates) ||
         differ(report->v_before, report->v_after, report->velocities);
}

/* Returns the first row of an array: `width` numbers of body `b`. */
static json_t *of_body(const mbs_result *result, const char *array, size_t b, size_t width) {
  return api_json_numbers(mbs_result_array(result, array)->data + b * width, width);
}

static json_t *number_of_body(const mbs_result *result, const char *array, size_t b) {
  return api_json_number(mbs_result_array(result, array)->data[b]);
}

/* Returns the position of body `b` in the first row, in the form of a document. */
static json_t *initial_of(const mbs_result *result, size_t b, bool space) {
  json_t *initial = json_object();
  size_t dim = space ? 3 : 2;
  json_object_set_new(initial, "position", of_body(result, "r", b, dim));
  json_object_set_new(initial, "velocity", of_body(result, "rd", b, dim));
  if (space) {
    json_object_set_new(initial, "orientation", json_pack("{s:o}", "euler_parameters", of_body(result, "p", b, 4)));
    json_object_set_new(initial, "angular_velocity", of_body(result, "omega", b, 3));
  } else {
    json_object_set_new(initial, "angle", number_of_body(result, "p", b));
    json_object_set_new(initial, "angular_velocity", number_of_body(result, "pd", b));
  }
  return initial;
}

static void start_there(json_t *model, const mbs_result *result) {
  bool space = strcmp(result->report.space, "spatial") == 0;
  size_t i;
  json_t *part;
  json_array_foreach(json_object_get(model, "bodies"), i, part) {
    json_object_set_new(part, "initial", initial_of(result, i, space));
  }
  json_array_foreach(json_object_get(model, "joints"), i, part) { json_object_del(part, "initial"); }
}

/* Returns the request body with the other formulation; a new reference. */
static json_t *other_request(const api_document *document, const mbs_result *result) {
  json_t *model = json_deep_copy(document->model), *analysis = json_deep_copy(document->analysis);
  bool joint = strcmp(result->report.formulation, "joint") == 0;
  json_object_del(model, "analysis");
  json_object_set_new(analysis, "formulation", json_string(joint ? "body" : "joint"));
  json_object_del(analysis, "certify");
  json_object_del(analysis, "error_estimate");
  if (starts_elsewhere(&result->report)) start_there(model, result);
  return json_pack("{s:o, s:o}", "model", model, "analysis", analysis);
}

/* Builds the model in the other formulation. Returns NULL with the reason in `why_not`, which an arena owns. */
static mbs_model *build_other(const api_job_source *source, mbs_result *result, const char **why_not) {
  api_document document, other;
  api_syntax_error place;
  mbs_diagnostics list = {0};
  *why_not = "the document is not available";
  if (!source->text || !api_document_parse(source->text, source->size, &document, &place)) return NULL;
  json_t *request = other_request(&document, result);
  api_document_free(&document);
  if (!request) return NULL;
  api_document_adopt(request, &other);
  mbs_model *model = api_document_build(&other, source->limits, &list);
  if (!model && list.count > 0)
    *why_not = mbs_arena_format(result->arena, "the model of the comparison run cannot be built: %s: %s",
                                list.items[0].pointer, list.items[0].message);
  api_document_free(&other);
  mbs_diagnostics_free(&list);
  return model;
}

/* ---- the examination ------------------------------------------------------------------------------------------- */

typedef struct examination {
  const job_hooks *hooks;
  uint64_t evaluations; /* of the run */
} examination;

static bool progress(void *user, double t, double fraction, uint64_t evaluations) {
  const examination *self = user;
  const job_hooks *hooks = self->hooks;
  return hooks->progress(hooks->context, t, API_RUN_SHARE + (1 - API_RUN_SHARE) * fraction,
                         self->evaluations + evaluations);
}

static double now(void *user) {
  const job_hooks *hooks = ((const examination *)user)->hooks;
  return hooks->now(hooks->context);
}

mbs_status api_verify_result(const mbs_model *model, const api_job_source *source, const job_hooks *hooks,
                             mbs_result *result, mbs_error *error) {
  examination self = {.hooks = hooks, .evaluations = result->report.evaluations};
  const mbs_hooks asked = {
      .user = &self, .progress = hooks->progress ? progress : NULL, .now = hooks->now ? now : NULL};
  const char *why_not = NULL;
  mbs_model *other = build_other(source, result, &why_not);
  mbs_status status = mbs_verify_result(model, other, why_not, &asked, result, error);
  mbs_model_free(other);
  if (status == MBS_NO_MEMORY) snprintf(error->message, sizeof error->message, "out of memory for the certificate");
  if (status == MBS_NO_MEMORY) error->status = status;
  return status;
}
