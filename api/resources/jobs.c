/* jobs.c - see jobs.h. */
#include "api/resources/jobs.h"

#include "api/base/digest.h"
#include "api/checks/change.h"
#include "api/http/access.h"
#include "api/http/fields.h"
#include "api/http/limits.h"
#include "api/http/problem.h"
#include "api/resources/batch.h"
#include "api/resources/job_filter.h"
#include "api/resources/job_json.h"
#include "api/resources/job_key.h"
#include "api/resources/request_validation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_LIMIT = 50, LIST_LIMIT_MAX = 500 };

/* ---- waiting ------------------------------------------------------------------------------------------------- */

/* Returns the seconds of "Prefer: wait=N" (RFC 7240), limited by the service; 0 if it is missing. */
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

/* Makes the response wait for the job, unless the wait is over. */
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

/* Answers that a job does not exist, or with another error. */
static void respond_failure(const api_call *call, api_response *response, service_status status, const char *id) {
  char what[64];
  snprintf(what, sizeof what, "job '%.40s'", id);
  api_problem_service(call, response, status, what);
}

/* Loads a job. Returns false after answering with an error. */
static bool load(const api_call *call, api_response *response, const char *id, service_job *job) {
  *job = (service_job){0};
  service_status status = call->service->job(call->service->context, id, job);
  if (status != SERVICE_OK) respond_failure(call, response, status, id);
  return status == SERVICE_OK;
}

/* Answers with the given text and a newline. */
static void respond_written(api_response *response, int status, api_buffer *text) {
  api_buffer_text(text, "\n");
  if (text->failed) api_buffer_free(text);
  api_respond_text(response, status, "application/json", text->data, text->size);
}

static void respond_job_as(const api_call *call, api_response *response, int status, const service_job *job,
                           int extent) {
  api_buffer text = {0};
  api_job_write(job, extent, call->prefix, &text);
  respond_written(response, status, &text);
}

/* Writes a job, and computes its ETag, without quotes, from that text. */
static void write_tagged(const api_call *call, const service_job *job, api_buffer *text, char tag[API_DIGEST_SIZE]) {
  api_digest digest;
  api_job_write(job, API_JOB_WHOLE, call->prefix, text);
  api_digest_begin(&digest);
  api_digest_add(&digest, text->data, text->size);
  api_digest_end(&digest, tag);
}

/* Answers with a job and its ETag; a GET with 304 if the client has it. */
static void respond_job(const api_call *call, api_response *response, int status, const service_job *job) {
  api_buffer text = {0};
  char tag[API_DIGEST_SIZE];
  write_tagged(call, job, &text, tag);
  const bool reads = strcmp(call->request->method, "GET") == 0 || strcmp(call->request->method, "HEAD") == 0;
  if (!text.failed && reads && api_respond_unchanged(call->request, response, tag)) {
    api_buffer_free(&text);
    return;
  }
  if (!reads) api_response_header(response, "ETag", "\"%s\"", tag);
  respond_written(response, status, &text);
  response->whole = true;
}

/* Returns true if an If-Match of the request, if there is one, has the tag of the job or is "*". A tag that compression
 * made weak counts, as the job is the same. Returns false after answering with an error. */
static bool is_expected(const api_call *call, api_response *response, const service_job *job) {
  size_t line = 0;
  char tag[API_DIGEST_SIZE], quoted[API_DIGEST_SIZE + 2];
  const char *known = api_field_line(call->request, "If-Match", &line);
  if (!known) return true;
  api_buffer text = {0};
  write_tagged(call, job, &text, tag);
  api_buffer_free(&text);
  snprintf(quoted, sizeof quoted, "\"%s\"", tag);
  for (; known; known = api_field_line(call->request, "If-Match", &line))
    if (strcmp(known, "*") == 0 || strstr(known, quoted)) return true;
  respond_failure(call, response, SERVICE_CHANGED, job->id);
  return false;
}

/* Adds the headers of every response to a submission. */
static void add_posted_headers(const api_call *call, api_response *response, const char *id) {
  api_response_header(response, "Location", "%s/api/v1/jobs/%s", call->prefix, id);
  if (call->service->replayed(call->service->context)) api_response_header(response, "Idempotency-Replayed", "true");
}

/* Answers a submission: 200 if the client waited and the job has finished, else 202. */
static void respond_posted(const api_call *call, api_response *response, const char *id) {
  service_job job;
  if (!load(call, response, id, &job)) return;
  if (!wait_for(call, response, &job)) {
    bool finished = api_job_ended(&job) && wait_preference(call) > 0;
    respond_job(call, response, finished ? 200 : 202, &job);
    add_posted_headers(call, response, id);
    add_preference_applied(call, response);
  }
  service_job_free(&job);
}

/* Answers with a job that had succeeded before. */
static void respond_reused(const api_call *call, api_response *response, const char *id) {
  service_job job;
  if (!load(call, response, id, &job)) return;
  respond_job_as(call, response, 200, &job, API_JOB_WHOLE | API_JOB_REUSED);
  add_posted_headers(call, response, id);
  service_job_free(&job);
}

static void submit(const api_call *call, api_response *response, const api_job_key *key,
                   const service_verdict *verdict) {
  service_receipt receipt = {.reused = false};
  service_submission submission = {
      .document = call->request->body,
      .document_size = call->request->body_size,
      .model_name = verdict->model_name,
      .analysis = verdict->analysis,
      .name = verdict->name,
      .tags = verdict->tags,
      .keep = verdict->keep,
      .reuse = verdict->reuse,
      .reuse_own = api_access_only_owner(call) != NULL,
      .content_hash = verdict->content_hash[0] ? verdict->content_hash : NULL,
      .cost = verdict->cost,
      .runs = verdict->runs,
      .client = call->request->client,
      .idempotency_key = key->text,
      .body_hash = key->body_hash,
      .receipt = &receipt,
  };
  api_limits_of(call, submission.most);
  service_status status = call->service->submit(call->service->context, &submission);
  if (status == SERVICE_CLIENT_FULL)
    api_problem_limit(call, response, &receipt);
  else if (status != SERVICE_OK)
    api_problem_service(call, response, status, "queue");
  else if (receipt.reused)
    respond_reused(call, response, receipt.id);
  else
    respond_posted(call, response, receipt.id);
}

static void check_and_submit(const api_call *call, api_response *response, const api_job_key *key) {
  service_verdict verdict = {0};
  if (api_request_validate(call, response, SERVICE_RUN, &verdict)) submit(call, response, key, &verdict);
  service_verdict_free(&verdict);
}

void api_jobs_post(const api_call *call, api_response *response) {
  if (call->request->waited) {
    respond_posted(call, response, call->request->wait_id);
    return;
  }
  api_job_key key;
  if (api_batch_is(call->request))
    api_batch_post(call, response, check_and_submit);
  else if (api_job_key_read(call, response, &key))
    check_and_submit(call, response, &key);
}

/* ---- looking ------------------------------------------------------------------------------------------------- */

void api_jobs_get(const api_call *call, api_response *response) {
  service_job job;
  if (!load(call, response, call->arguments[0], &job)) return;
  if (!wait_for(call, response, &job)) {
    respond_job(call, response, 200, &job);
    add_preference_applied(call, response);
  }
  service_job_free(&job);
}

/* Reads ?limit=. Returns false after answering that it is invalid. */
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
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "The query parameter limit must be an integer from 1 to %d",
              LIST_LIMIT_MAX);
  return false;
}

void api_jobs_list(const api_call *call, api_response *response) {
  size_t limit;
  if (!read_limit(call, response, &limit)) return;
  service_filter filter;
  if (!api_job_filter_read(call, response, &filter)) return;
  if (api_access_only_owner(call)) filter.client = api_access_only_owner(call);
  service_job_list list = {0};
  const char *cursor = api_target_query(&call->target, "cursor");
  service_status status = call->service->jobs(call->service->context, &filter, limit, cursor, &list);
  if (status == SERVICE_NOT_FOUND) {
    api_problem(call, response, API_PROBLEM_BAD_REQUEST,
                "The query parameter cursor is invalid; use \"next\" of the previous list");
    return;
  }
  if (status != SERVICE_OK) {
    api_problem_service(call, response, status, "list");
    return;
  }
  api_buffer text = {0};
  api_buffer_text(&text, "{\"jobs\":[");
  for (size_t i = 0; i < list.count; i++) {
    if (i > 0) api_buffer_text(&text, ",");
    api_job_write(&list.items[i], API_JOB_SUMMARY, call->prefix, &text);
  }
  const char *quote = list.next[0] ? "\"" : ""; /* cursors come from the service and have only letters and digits */
  api_buffer_print(&text, "],\"next\":%s%s%s}", quote, list.next[0] ? list.next : "null", quote);
  respond_written(response, 200, &text);
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

/* ---- changing ------------------------------------------------------------------------------------------------ */

void api_jobs_patch(const api_call *call, api_response *response) {
  const char *id = call->arguments[0];
  api_change change;
  service_job job, before = {0};
  const bool conditional = api_request_header(call->request, "If-Match") != NULL;
  const bool begun = call->service->changing(call->service->context);
  bool good = api_change_read(call, response, &change);
  if (good && conditional && !begun) good = load(call, response, id, &before) && is_expected(call, response, &before);
  if (good) {
    change.change.expected = conditional && !begun ? &before : NULL;
    service_status status = call->service->change(call->service->context, id, &change.change);
    if (status != SERVICE_OK) {
      respond_failure(call, response, status, id);
    } else if (load(call, response, id, &job)) {
      respond_job(call, response, 200, &job);
      service_job_free(&job);
    }
  }
  service_job_free(&before);
  api_change_free(&change);
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
    respond_job(call, response, api_job_ended(&job) ? 200 : 202, &job);
    service_job_free(&job);
  }
}

void api_jobs_delete(const api_call *call, api_response *response) {
  const char *id = call->arguments[0];
  if (api_request_header(call->request, "If-Match") && !call->service->changing(call->service->context)) {
    service_job job;
    const bool good = load(call, response, id, &job) && is_expected(call, response, &job);
    service_job_free(&job);
    if (!good) return;
  }
  service_status status = call->service->remove(call->service->context, id);
  if (status == SERVICE_OK)
    api_respond_empty(response, 204);
  else
    respond_failure(call, response, status, id);
}
