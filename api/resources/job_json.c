/* job_json.c - see job_json.h.
 * JSON text in the store (analysis, report, error, tags) is copied to the response unchanged. This program wrote it,
 * and parsing and printing it again would be most of the cost of a response. Only an analysis
 * is also parsed, unless it is long, as it decides on a link. */
#include "api/resources/job_json.h"

#include "api/base/values.h"
#include "api/exports/fmu.h"

#include <arpa/inet.h>
#include <string.h>

bool api_job_ended(const service_job *job) {
  return strcmp(job->status, "queued") != 0 && strcmp(job->status, "running") != 0;
}

/* Adds a member from JSON text; null if there is none. `name` includes the separators: ,"name": */
static void add_json(const char *name, const char *json, api_buffer *out) {
  api_buffer_text(out, name);
  api_buffer_text(out, json ? json : "null");
}

static void add_text(const char *name, const char *text, api_buffer *out) {
  api_buffer_text(out, name);
  api_json_write_text(text, out);
}

static void add_time(const char *name, double seconds, api_buffer *out) {
  api_buffer_text(out, name);
  api_json_write_time(seconds, out);
}

static void add_number(const char *name, double value, api_buffer *out) {
  api_buffer_text(out, name);
  api_json_write_number(value, out);
}

/* A link of a job: the text before and after the job's path. */
typedef struct job_link {
  const char *before, *after;
} job_link;

static const job_link of_every_job[] = {
    {",\"links\":{\"self\":\"", "\""}, {",\"model\":\"", "/model\""}, {",\"events\":\"", "/events\""}};
static const job_link until_it_ends[] = {{",\"cancel\":\"", "/cancel\""}};
static const job_link when_it_has_ended[] = {
    {",\"equations\":\"", "/equations\""}, {",\"certificate\":\"", "/certificate\""},
    {",\"results\":\"", "/results\""},     {",\"npz\":\"", "/results.npz\""},
    {",\"mat\":\"", "/results.mat\""},     {",\"h5\":\"", "/results.h5\""},
    {",\"csv\":\"", "/results.csv\""},     {",\"csv_zip\":\"", "/results.csv.zip\""},
    {",\"glb\":\"", "/results.glb\""}};
static const job_link of_motions[] = {{",\"fmu\":\"", "/model.fmu\""}};

/* Size of an analysis above which it is not read for its links: the tree of a long text takes much memory [bytes]. */
enum { ANALYSIS_READ_MAX = 64 << 10 };

/* Returns true if the job may compute a motion as an FMU does. */
static bool is_motion(const service_job *job) {
  if (job->runs > 0) return false;
  const bool large = job->analysis && strnlen(job->analysis, ANALYSIS_READ_MAX) == ANALYSIS_READ_MAX;
  if (large) return true; /* the FMU itself tells */
  json_t *analysis = job->analysis ? json_loads(job->analysis, JSON_DECODE_ANY, NULL) : NULL;
  const bool possible = api_fmu_is_possible(analysis);
  json_decref(analysis);
  return possible;
}

static void add_some_links(const job_link *links, size_t count, const api_buffer *path, api_buffer *out) {
  for (size_t i = 0; i < count; i++) {
    api_buffer_text(out, links[i].before);
    api_buffer_add(out, path->data, path->size);
    api_buffer_text(out, links[i].after);
  }
}

#define LINKS(list) (list), sizeof(list) / sizeof *(list)

/* Ids come from the service and have only letters, digits and hyphens. */
static void add_links(const service_job *job, const char *prefix, api_buffer *out) {
  api_buffer path = {0};
  api_buffer_text(&path, prefix);
  api_buffer_text(&path, "/api/v1/jobs/");
  api_buffer_text(&path, job->id);
  out->failed = out->failed || path.failed;
  add_some_links(LINKS(of_every_job), &path, out);
  if (api_job_ended(job))
    add_some_links(LINKS(when_it_has_ended), &path, out);
  else
    add_some_links(LINKS(until_it_ends), &path, out);
  if (api_job_ended(job) && is_motion(job)) add_some_links(LINKS(of_motions), &path, out);
  api_buffer_text(out, "}");
  api_buffer_free(&path);
}

static void add_integer(const char *name, unsigned long long value, api_buffer *out) {
  api_buffer_text(out, name);
  api_json_write_integer(value, out);
}

static void add_progress(const service_job *job, api_buffer *out) {
  api_buffer_text(out, ",\"progress\":{");
  if (job->runs == 0) add_number("\"t\":", job->progress_t, out);
  add_number(job->runs == 0 ? ",\"fraction\":" : "\"fraction\":", job->progress_fraction, out);
  add_integer(",\"evaluations\":", job->progress_evaluations, out);
  api_buffer_text(out, "}");
}

/* Returns the name of the token with which a job was sent; NULL without one, as its sender is then an address. */
static const char *owner_of(const service_job *job) {
  unsigned char address[sizeof(struct in6_addr)];
  const bool named = job->client[0] && strcmp(job->client, "unix") != 0 &&
                     inet_pton(AF_INET, job->client, address) != 1 && inet_pton(AF_INET6, job->client, address) != 1;
  return named ? job->client : NULL;
}

void api_job_write(const service_job *job, int extent, const char *prefix, api_buffer *out) {
  add_text("{\"id\":", job->id, out);
  add_text(",\"status\":", job->status, out);
  add_text(",\"model_name\":", job->model_name, out);
  add_text(",\"name\":", job->name, out);
  add_json(",\"tags\":", job->tags ? job->tags : "[]", out);
  add_json(",\"keep\":", job->keep ? "true" : "false", out);
  add_text(",\"owner\":", owner_of(job), out);
  add_json(",\"analysis\":", job->analysis, out);
  add_text(",\"content_hash\":", job->content_hash[0] ? job->content_hash : NULL, out);
  if (extent & API_JOB_REUSED) add_json(",\"reused\":", "true", out);
  add_time(",\"created\":", job->created, out);
  add_time(",\"started\":", job->started, out);
  add_time(",\"finished\":", job->finished, out);
  add_integer(",\"attempt\":", (unsigned long long)job->attempt, out);
  add_progress(job, out);
  if (extent & API_JOB_WHOLE) add_json(",\"report\":", job->report, out);
  add_json(",\"error\":", job->error, out);
  add_links(job, prefix, out);
  api_buffer_text(out, "}");
}
