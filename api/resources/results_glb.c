/* results_glb.c - see results_glb.h. A worker builds the model and answers with its scene, as for the page; the motion
 * is read from the results, track by track. */
#include "api/resources/results_glb.h"

#include "api/base/hash.h"
#include "api/drawing/glb.h"
#include "api/formats/slice.h"
#include "api/http/body_stream.h"
#include "api/http/problem.h"
#include "api/resources/result_list.h"
#include "api/resources/result_name.h"
#include "api/resources/row_query.h"
#include "mbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct glb_source {
  char id[SERVICE_ID_SIZE];
  api_result_list list;
  api_poses poses;
  api_glb *glb;
} glb_source;

static int fill_glb(void *context, api_buffer *out) { return api_glb_next(((glb_source *)context)->glb, out); }

static void close_glb(void *context) {
  glb_source *source = context;
  api_glb_free(source->glb);
  api_result_list_free(&source->list);
  free(source);
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/* Selects the requested rows. Returns false after answering with an error. */
static bool select_rows(const api_call *call, api_response *response, glb_source *source) {
  double from, to;
  size_t stride;
  if (!api_row_query_time(call, response, "from", &from) || !api_row_query_time(call, response, "to", &to) ||
      !api_row_query_stride(call, response, &stride))
    return false;
  if (!api_poses_find(&source->poses, call->service, source->id, source->list.items, source->list.count)) {
    api_problem(call, response, API_PROBLEM_NOT_FOUND,
                "Job '%.40s' has no motion of bodies: the arrays r, p and rP over time", call->arguments[0]);
    return false;
  }
  service_array times = {.shape = {source->poses.count}, .rank = 1};
  api_slice slice = {.service = call->service, .array = times};
  snprintf(slice.id, sizeof slice.id, "%s", source->id);
  const service_status status = api_slice_cut(&slice, from, to, stride);
  source->poses.first = slice.first;
  source->poses.stride = slice.stride;
  source->poses.count = slice.count;
  if (status != SERVICE_OK)
    api_problem_service(call, response, status, "reporting times");
  else if (slice.count == 0)
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "There are no rows between from and to");
  return status == SERVICE_OK && slice.count > 0;
}

/* Compares the rows with their checksums. */
static bool check_rows(const api_call *call, api_response *response, const glb_source *source) {
  const api_poses *poses = &source->poses;
  const service_array *const arrays[] = {poses->centres, poses->turns, poses->points};
  size_t budget = API_RESULTS_CHECKED;
  bool good = true;
  for (int i = 0; i < 3 && good; i++) {
    const size_t width = api_result_columns(arrays[i]);
    size_t *columns = malloc((width + 1) * sizeof *columns);
    for (size_t k = 0; columns && k < width; k++) columns[k] = k;
    if (!columns) api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
    good = columns && api_results_check(call, response, arrays[i], poses->first, poses->stride, poses->count, columns,
                                        width, &budget);
    free(columns);
  }
  return good;
}

/* ---- the scene ------------------------------------------------------------------------------------------------- */

/* Answers with what a worker says against the document. */
static void refuse(api_response *response, service_verdict *verdict) {
  api_respond_text(response, verdict->status, "application/problem+json", verdict->text,
                   verdict->text ? strlen(verdict->text) : 0);
  verdict->text = NULL;
}

/* Returns what a worker says about the document of the job, with the scene; NULL after answering, or while that is
 * pending. */
static json_t *describe_model(const api_call *call, api_response *response) {
  const service *from = call->service;
  char *text = NULL;
  size_t size = 0;
  service_status status = from->document(from->context, call->arguments[0], &text, &size);
  if (status != SERVICE_OK || !text) {
    api_problem_service(call, response, status == SERVICE_OK ? SERVICE_DAMAGED : status, "document of the job");
    return NULL;
  }
  service_verdict verdict = {0};
  const service_document document = {
      .text = text, .size = size, .target = call->request->target, .purpose = SERVICE_DRAW, .own = text};
  json_t *answer = NULL;
  status = from->check(from->context, &document, &verdict);
  if (status != SERVICE_OK)
    api_problem_service(call, response, status, "drawing");
  else if (verdict.status != 200)
    refuse(response, &verdict);
  else if (!(answer = json_loads(verdict.text, 0, NULL)))
    api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
  service_verdict_free(&verdict);
  return answer;
}

/* ---- the answer ------------------------------------------------------------------------------------------------ */

static void respond(const api_call *call, api_response *response, glb_source *source) {
  json_t *answer = describe_model(call, response);
  if (!answer) {
    response->header_count = 0; /* a problem has no tag */
    close_glb(source);
    return;
  }
  source->glb = api_glb_new(json_object_get(answer, "scene"), &source->poses);
  json_decref(answer);
  const uint64_t size = source->glb ? api_glb_size(source->glb) : 0;
  if (size == 0) {
    response->header_count = 0;
    api_problem(call, response, source->glb ? API_PROBLEM_BAD_REQUEST : API_PROBLEM_INTERNAL, "%s",
                source->glb ? "The file would have more than 4 GiB; request fewer rows by stride" : "Out of memory");
    close_glb(source);
    return;
  }
  const bool complete = api_result_list_is_complete(&source->list);
  const uint64_t checksum = source->list.count > 0 ? source->list.items[0].checksum : 0;
  char *model_name = api_result_model_name(call);
  api_result_disposition(response, model_name, source->id, NULL, "glb");
  free(model_name);
  api_respond_source(
      response, 200, API_GLB_TYPE,
      &(api_source){.context = source, .fill = fill_glb, .close = close_glb, .sized = true, .size = size});
  api_set_result_headers(response, complete, checksum);
}

/* Makes the entity tag from the job, the rows and the version, which determine the bytes. */
static void make_tag(const glb_source *source, char tag[96]) {
  const size_t rows[3] = {source->poses.first, source->poses.stride, source->poses.count};
  snprintf(tag, 96, "%s-glb-%s-%016" PRIx64, source->id, MBS_VERSION, api_hash(API_HASH_START, rows, sizeof rows));
}

void api_results_glb(const api_call *call, api_response *response) {
  glb_source *source = calloc(1, sizeof *source);
  char tag[96];
  if (!source) {
    api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
    return;
  }
  snprintf(source->id, sizeof source->id, "%s", call->arguments[0]);
  if (!api_result_list_load(call, response, &source->list) || !select_rows(call, response, source)) {
    close_glb(source);
    return;
  }
  const bool complete = api_result_list_is_complete(&source->list);
  const uint64_t checksum = source->list.items[0].checksum;
  make_tag(source, tag);
  if (api_results_unchanged(call, response, complete, checksum, tag)) {
    api_set_result_headers(response, complete, checksum);
    close_glb(source);
  } else if (check_rows(call, response, source)) {
    respond(call, response, source);
  } else {
    close_glb(source);
  }
}
