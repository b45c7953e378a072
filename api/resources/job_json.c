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

json_t *api_job_json(const service_job *job, int extent) {
  json_t *progress = json_object();
  json_object_set_new(progress, "t", api_json_number(job->progress_t));
  json_object_set_new(progress, "fraction", api_json_number(job->progress_fraction));
  json_object_set_new(progress, "evaluations", json_integer((json_int_t)job->progress_evaluations));

  json_t *object = json_object();
  json_object_set_new(object, "id", api_json_text(job->id));
  json_object_set_new(object, "status", api_json_text(job->status));
  json_object_set_new(object, "model_name", api_json_text(job->model_name));
  json_object_set_new(object, "analysis", api_json_parse(job->analysis));
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
