/* jobs.c - see jobs.h. */
#include "api/resources/jobs.h"

#include "api/base/name_list.h"
#include "api/base/values.h"
#include "api/documents/document.h"
#include "api/http/fields.h"
#include "api/http/problem.h"
#include "api/resources/check_limits.h"
#include "api/resources/document_problem.h"
#include "api/resources/job_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_LIMIT = 50, LIST_LIMIT_MAX = 500 };

/* ---- waiting ------------------------------------------------------------------------------------------------- */

/* Seconds of "Prefer: wait=N" (RFC 7240), at most what the service allows; 0 where it did not come. */
static double wait_preference(const api_call *call) {
  size_t line = 0;
  for (const char *prefer; (prefer = api_field_line(call->request, "Prefer", &line));) {
    api_field rest = {prefer, strlen(prefer)}, part;
    while (api_field_next(&rest, ",;", &part)) {
      char text[32];
      if (!api_field_value(part, "wait", text, sizeof text)) continue;
      double seconds = strtod(text, NULL);
      if (!(seconds > 0)) return 0;
      return seconds < call->service->limits.wait_seconds ? seconds : call->service->limits.wait_seconds;
    }
  }
  return 0;
}

/* Makes the response one to wait for, unless the waiting is over. */
static bool wait_for(const api_call *call, api_response *response, const service_job *job) {
  double seconds = wait_preference(call);
  if (call->request->waited || seconds <= 0 || api_job_ended(job)) return false;
  snprintf(response->wait_id, sizeof response->wait_id, "%s", job->id);
  response->wait_seconds = seconds;
  return true;
}

static void add_preference_applied(const api_call *call, api_response *response) {
  double seconds = wait_preference(call);
  if (seconds > 0) api_response_header(response, "Preference-Applied", "wait=%g", seconds);
}

/* ---- posting ------------------------------------------------------------------------------------------------- */

/* Answers that a job is not there, or what else is wrong. */
static void respond_failure(const api_call *call, api_response *response, service_status status, const char *id) {
  char what[64];
  snprintf(what, sizeof what, "job '%.40s'", id);
  api_problem_service(call, response, status, what);
}

/* Loads a job; false after answering that there is none. */
static bool load(const api_call *call, api_response *response, const char *id, service_job *job) {
  *job = (service_job){0};
  service_status status = call->service->job(call->service->context, id, job);
  if (status != SERVICE_OK) respond_failure(call, response, status, id);
  return status == SERVICE_OK;
}

/* The answer to a post: 200 when the client waited and the job ended, else 202. */
static void respond_posted(const api_call *call, api_response *response, const char *id) {
  service_job job;
  if (!load(call, response, id, &job)) return;
  if (!wait_for(call, response, &job)) {
    bool finished = api_job_ended(&job) && wait_preference(call) > 0;
    api_respond_json(response, finished ? 200 : 202, api_job_json(&job, API_JOB_WHOLE));
    api_response_header(response, "Location", "/api/v1/jobs/%s", id);
    add_preference_applied(call, response);
  }
  service_job_free(&job);
}

/* Finds all mistakes of the document before it is queued; false after answering with them. */
static bool check_document(const api_call *call, api_response *response, api_document *document) {
  const mbs_limits limits = api_check_limits(call->service);
  mbs_diagnostics list = {0};
  mbs_model *model = api_document_build(document, &limits, &list);
  if (!model) api_problem_diagnostics(call, response, &list);
  mbs_diagnostics_free(&list);
  mbs_model_free(model);
  return model != NULL;
}

static void submit(const api_call *call, api_response *response, const api_document *document) {
  char *analysis = api_document_analysis(document);
  service_submission submission = {
      .document = call->request->body,
      .document_size = call->request->body_size,
      .model_name = api_document_name(document),
      .analysis = analysis,
  };
  char id[SERVICE_ID_SIZE] = "";
  service_status status = call->service->submit(call->service->context, &submission, id);
  free(analysis);
  if (status == SERVICE_OK)
    respond_posted(call, response, id);
  else
    api_problem_service(call, response, status, "queue");
}

void api_jobs_post(const api_call *call, api_response *response) {
  if (call->request->waited) {
    respond_posted(call, response, call->request->wait_id);
    return;
  }
  api_document document;
  api_syntax_error error;
  if (!api_document_parse(call->request->body, call->request->body_size, &document, &error)) {
    api_problem_syntax(call, response, &error);
    return;
  }
  if (check_document(call, response, &document)) submit(call, response, &document);
  api_document_free(&document);
}

/* ---- looking ------------------------------------------------------------------------------------------------- */

void api_jobs_get(const api_call *call, api_response *response) {
  service_job job;
  if (!load(call, response, call->arguments[0], &job)) return;
  if (!wait_for(call, response, &job)) {
    api_respond_json(response, 200, api_job_json(&job, API_JOB_WHOLE));
    add_preference_applied(call, response);
  }
  service_job_free(&job);
}

/* Reads ?limit=; false after answering that it is no such number. */
static bool read_limit(const api_call *call, api_response *response, size_t *limit) {
  const char *text = api_target_query(&call->target, "limit");
  *limit = LIST_LIMIT;
  if (!text) return true;
  char *end;
  long value = strtol(text, &end, 10);
  if (end != text && *end == '\0' && value >= 1 && value <= LIST_LIMIT_MAX) {
    *limit = (size_t)value;
    return true;
  }
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "limit is a whole number from 1 to %d", LIST_LIMIT_MAX);
  return false;
}

void api_jobs_list(const api_call *call, api_response *response) {
  size_t limit;
  if (!read_limit(call, response, &limit)) return;
  const char *state = api_target_query(&call->target, "status");
  api_name_list states;
  api_name_list_split(&states, "queued|running|succeeded|failed|cancelled");
  if (state && !api_name_list_has(&states, state)) {
    char hint[256];
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "Unknown status '%.60s'; %s", state,
                api_name_list_hint(&states, state, hint, sizeof hint));
    return;
  }
  service_job_list list = {0};
  const char *cursor = api_target_query(&call->target, "cursor");
  service_status status = call->service->jobs(call->service->context, state, limit, cursor, &list);
  if (status == SERVICE_NOT_FOUND) {
    api_problem(call, response, API_PROBLEM_BAD_REQUEST, "The cursor is not one that a list gave");
    return;
  }
  if (status != SERVICE_OK) {
    api_problem_service(call, response, status, "list");
    return;
  }
  json_t *jobs = json_array();
  for (size_t i = 0; i < list.count; i++) {
    json_array_append_new(jobs, api_job_json(&list.items[i], API_JOB_SUMMARY));
  }
  json_t *answer = json_object();
  json_object_set_new(answer, "jobs", jobs);
  json_object_set_new(answer, "next", list.next[0] ? api_json_text(list.next) : json_null());
  api_respond_json(response, 200, answer);
  service_job_list_free(&list);
}

void api_jobs_model(const api_call *call, api_response *response) {
  const char *id = call->arguments[0];
  char *text = NULL;
  size_t size = 0;
  service_status status = call->service->document(call->service->context, id, &text, &size);
  if (status == SERVICE_OK)
    api_respond_text(response, 200, "application/json", text, size);
  else
    respond_failure(call, response, status, id);
}

/* ---- stopping ------------------------------------------------------------------------------------------------ */

void api_jobs_cancel(const api_call *call, api_response *response) {
  const char *id = call->arguments[0];
  service_status status = call->service->cancel(call->service->context, id);
  service_job job;
  if (status != SERVICE_OK) {
    respond_failure(call, response, status, id);
  } else if (load(call, response, id, &job)) {
    /* A running job stops a little later. */
    api_respond_json(response, api_job_ended(&job) ? 200 : 202, api_job_json(&job, API_JOB_WHOLE));
    service_job_free(&job);
  }
}

void api_jobs_delete(const api_call *call, api_response *response) {
  const char *id = call->arguments[0];
  service_status status = call->service->remove(call->service->context, id);
  if (status == SERVICE_OK)
    api_respond_empty(response, 204);
  else
    respond_failure(call, response, status, id);
}
