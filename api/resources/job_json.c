/* job_json.c - see job_json.h. */
#include "api/resources/job_json.h"

#include "api/base/values.h"

#include <string.h>

bool api_job_ended(const service_job *job) {
  return strcmp(job->status, "queued") != 0 && strcmp(job->status, "running") != 0;
}

static json_t *links(const service_job *job) {
  json_t *object = json_object();
  json_object_set_new(object, "self", json_sprintf("/api/v1/jobs/%s", job->id));
  json_object_set_new(object, "model", json_sprintf("/api/v1/jobs/%s/model", job->id));
  if (api_job_ended(job)) {
    json_object_set_new(object, "results", json_sprintf("/api/v1/jobs/%s/results", job->id));
    json_object_set_new(object, "npz", json_sprintf("/api/v1/jobs/%s/results.npz", job->id));
  } else {
    json_object_set_new(object, "cancel", json_sprintf("/api/v1/jobs/%s/cancel", job->id));
  }
  return object;
}

/* Adds the members of an object, which is taken over, without its braces. */
static void add_members(json_t *object, api_buffer *out) {
  api_buffer text = {0};
  if (api_json_print(object, &text))
    api_buffer_add(out, text.data + 1, text.size - sizeof "{}"); /* "{...}" and a newline */
  else
    out->failed = true;
  api_buffer_free(&text);
}

static json_t *identity(const service_job *job) {
  json_t *object = json_object();
  json_object_set_new(object, "id", api_json_text(job->id));
  json_object_set_new(object, "status", api_json_text(job->status));
  json_object_set_new(object, "model_name", api_json_text(job->model_name));
  return object;
}

static json_t *state(const service_job *job, int extent) {
  json_t *progress = json_object();
  json_object_set_new(progress, "t", api_json_number(job->progress_t));
  json_object_set_new(progress, "fraction", api_json_number(job->progress_fraction));
  json_object_set_new(progress, "evaluations", json_integer((json_int_t)job->progress_evaluations));

  json_t *object = json_object();
  json_object_set_new(object, "created", api_json_time(job->created));
  json_object_set_new(object, "started", api_json_time(job->started));
  json_object_set_new(object, "finished", api_json_time(job->finished));
  json_object_set_new(object, "attempt", json_integer(job->attempt));
  json_object_set_new(object, "progress", progress);
  if (extent == API_JOB_WHOLE) json_object_set_new(object, "report", api_json_parse(job->report));
  json_object_set_new(object, "error", api_json_parse(job->error));
  json_object_set_new(object, "links", links(job));
  return object;
}

void api_job_write(const service_job *job, int extent, api_buffer *out) {
  api_buffer_text(out, "{");
  add_members(identity(job), out);
  /* As it was written when it was checked: a client's text, whose tree may take a hundred times its memory. */
  api_buffer_text(out, ",\"analysis\":");
  api_buffer_text(out, job->analysis ? job->analysis : "null");
  api_buffer_text(out, ",");
  add_members(state(job, extent), out);
  api_buffer_text(out, "}");
}
