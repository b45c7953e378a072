/* fake_service.c - see fake_service.h. */
#include "fake_service.h"

#include "api/checks/check.h"
#include "api/jobs/job.h"
#include "json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

enum { FAKE_ROWS = 10000 };

MODEL(pendulum,
    {"name": "Pendulum", "space": "planar", "parameters": {"L": 0.5}, "gravity": [0, -9.81],
     "ground": {"points": {"O": [0, 0]}},
     "bodies": [{"name": "bob", "mass": 2, "inertia": "0.1", "points": {"A": [0, "L"]}}],
     "joints": [
       {"name": "pin", "type": "revolute", "points": ["ground.O", "bob.A"], "initial": {"position": "pi/6"}}],
     "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}});
const char *const fake_pendulum = pendulum;

/* ---- the service ------------------------------------------------------------------------------------------------- */

static fake_job *find(fake_service *fake, const char *id) {
  for (size_t i = 0; i < fake->job_count; i++) {
    if (fake->jobs[i].used && strcmp(fake->jobs[i].job.id, id) == 0) return &fake->jobs[i];
  }
  return NULL;
}

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

static void copy_job(const service_job *from, service_job *to) {
  *to = *from;
  to->model_name = copy(from->model_name);
  to->analysis = copy(from->analysis);
  to->report = copy(from->report);
  to->error = copy(from->error);
  to->name = copy(from->name);
  to->tags = copy(from->tags);
}

static bool ended(const fake_job *job) {
  return strcmp(job->job.status, "queued") != 0 && strcmp(job->job.status, "running") != 0;
}

fake_job *fake_service_add(fake_service *fake, const char *status) {
  assert_true(fake->job_count < FAKE_JOBS_MAX);
  fake_job *job = &fake->jobs[fake->job_count++];
  *job = (fake_job){.used = true};
  snprintf(job->job.id, sizeof job->job.id, "job-%zu", fake->job_count);
  snprintf(job->job.status, sizeof job->job.status, "%s", status);
  job->job.created = 1700000000.25;
  return job;
}

/* Returns true if a slow call must return PENDING first. */
static bool is_pending(fake_service *fake) {
  fake->begun = fake->slow && !fake->begun;
  return fake->begun;
}

static service_status check_now(const fake_service *fake, const service_document *document, service_verdict *verdict) {
  if (fake->check_status != SERVICE_OK) return fake->check_status;
  const api_check asked = {.document = *document, .looking = {.rows = FAKE_ROWS}};
  mbs_model *model;
  api_check_document(&asked, verdict, &model);
  assert_null(model);
  return SERVICE_OK;
}

static service_status check(void *context, const service_document *document, service_verdict *verdict) {
  fake_service *fake = context;
  service_status status = is_pending(fake) ? SERVICE_PENDING : check_now(fake, document, verdict);
  free(document->own);
  return status;
}

static bool is_or_is_not_said(const char *text, const char *said) { return !said || (text && strcmp(text, said) == 0); }

/* Returns the job that a key or `reuse` refers to; NULL if there is none. */
static fake_job *find_submitted(fake_service *fake, const service_submission *submission, service_receipt *receipt) {
  for (size_t i = 0; i < fake->job_count; i++) {
    fake_job *job = &fake->jobs[i];
    receipt->replayed =
        job->used && job->key && submission->idempotency_key && strcmp(job->key, submission->idempotency_key) == 0;
    receipt->reused = job->used && submission->reuse && strcmp(job->job.status, "succeeded") == 0 &&
                      strcmp(job->job.content_hash, submission->content_hash) == 0 &&
                      is_or_is_not_said(job->job.name, submission->name) &&
                      is_or_is_not_said(job->job.tags, submission->tags) && job->job.keep >= submission->keep;
    if (receipt->replayed || receipt->reused) return job;
  }
  return NULL;
}

static fake_job *add_submitted(fake_service *fake, const service_submission *submission) {
  fake_job *job = fake_service_add(fake, "queued");
  job->document = malloc(submission->document_size + 1);
  assert_non_null(job->document);
  memcpy(job->document, submission->document, submission->document_size);
  job->document_size = submission->document_size;
  job->job.model_name = copy(submission->model_name);
  job->job.analysis = copy(submission->analysis);
  job->job.name = copy(submission->name);
  job->job.tags = copy(submission->tags);
  job->job.keep = submission->keep;
  snprintf(job->job.content_hash, sizeof job->job.content_hash, "%s", submission->content_hash);
  job->client = copy(submission->client);
  job->key = copy(submission->idempotency_key);
  job->body_hash = copy(submission->body_hash);
  job->cost = submission->cost;
  return job;
}

static service_status submit(void *context, const service_submission *submission) {
  fake_service *fake = context;
  service_receipt *receipt = submission->receipt;
  memcpy(fake->most, submission->most, sizeof fake->most);
  if (fake->submit_status == SERVICE_CLIENT_FULL) *receipt = fake->refusal;
  if (fake->submit_status != SERVICE_OK) return fake->submit_status;
  *receipt = (service_receipt){.reused = false};
  fake_job *job = find_submitted(fake, submission, receipt);
  fake->replayed = receipt->replayed;
  if (receipt->replayed && strcmp(job->body_hash, submission->body_hash) != 0) return SERVICE_CONFLICT;
  if (!job) job = add_submitted(fake, submission);
  snprintf(receipt->id, sizeof receipt->id, "%s", job->job.id);
  return SERVICE_OK;
}

static bool get_replayed(void *context) {
  const fake_service *fake = context;
  return fake->replayed;
}

static service_status get_usage(void *context, const char *client, service_usage *out) {
  const fake_service *fake = context;
  assert_non_null(client);
  *out = fake->usage;
  return SERVICE_OK;
}

static service_status get_job(void *context, const char *id, service_job *out) {
  const fake_job *job = find(context, id);
  if (!job) return SERVICE_NOT_FOUND;
  copy_job(&job->job, out);
  return SERVICE_OK;
}

/* The cursor is the number of jobs that were already listed. */
static service_status get_jobs(void *context, const service_filter *filter, size_t limit, const char *cursor,
                               service_job_list *out) {
  fake_service *fake = context;
  fake->filter = *filter;
  const char *status = filter->status;
  char *end = NULL;
  size_t skip = cursor && *cursor ? (size_t)strtoul(cursor, &end, 10) : 0, seen = 0;
  if (end && *end) return SERVICE_NOT_FOUND;
  out->items = calloc(FAKE_JOBS_MAX, sizeof *out->items);
  for (size_t i = fake->job_count; i-- > 0;) {
    const fake_job *job = &fake->jobs[i];
    if (!job->used || (status && strcmp(job->job.status, status) != 0)) continue;
    if (seen++ < skip) continue;
    if (out->count == limit) {
      snprintf(out->next, sizeof out->next, "%zu", seen - 1);
      break;
    }
    copy_job(&job->job, &out->items[out->count++]);
  }
  return SERVICE_OK;
}

static void replace(char **text, const char *with) {
  free(*text);
  *text = copy(with);
}

static bool changing(void *context) {
  (void)context;
  return false;
}

static service_status change_job(void *context, const char *id, const service_change *change) {
  if (is_pending(context)) return SERVICE_PENDING;
  fake_job *job = find(context, id);
  if (!job) return SERVICE_NOT_FOUND;
  if (change->set_name) replace(&job->job.name, change->name);
  if (change->set_tags) replace(&job->job.tags, change->tags);
  if (change->set_keep) job->job.keep = change->keep;
  return SERVICE_OK;
}

static service_status cancel(void *context, const char *id) {
  if (is_pending(context)) return SERVICE_PENDING;
  fake_job *job = find(context, id);
  if (!job) return SERVICE_NOT_FOUND;
  if (!ended(job)) strcpy(job->job.status, "cancelled");
  return SERVICE_OK;
}

static void free_job(fake_job *job) {
  service_job_free(&job->job);
  free(job->document);
  free(job->client);
  free(job->key);
  free(job->body_hash);
  for (size_t i = 0; i < job->array_count; i++) {
    service_array_free(&job->arrays[i]);
    free(job->data[i]);
  }
  *job = (fake_job){0};
}

static service_status remove_job(void *context, const char *id) {
  if (is_pending(context)) return SERVICE_PENDING;
  fake_job *job = find(context, id);
  if (!job) return SERVICE_NOT_FOUND;
  free_job(job);
  return SERVICE_OK;
}

static service_status get_document(void *context, const char *id, char **text, size_t *size) {
  const fake_job *job = find(context, id);
  if (!job) return SERVICE_NOT_FOUND;
  *text = malloc(job->document_size + 1);
  assert_non_null(*text);
  memcpy(*text, job->document, job->document_size);
  *size = job->document_size;
  return SERVICE_OK;
}

static service_status get_arrays(void *context, const char *id, service_array **list, size_t *count) {
  const fake_job *job = find(context, id);
  if (!job) return SERVICE_NOT_FOUND;
  if (!ended(job) && job->array_count == 0) return SERVICE_NOT_READY;
  if (job->damaged && !*job->damaged) return SERVICE_DAMAGED;
  *list = calloc(FAKE_ARRAYS_MAX, sizeof **list);
  *count = job->array_count;
  for (size_t i = 0; i < job->array_count; i++) {
    service_array *array = &(*list)[i];
    *array = job->arrays[i];
    array->name = copy(array->name);
    array->unit = copy(array->unit);
    array->doc = copy(array->doc);
    array->labels = copy(array->labels);
    array->units = copy(array->units);
    array->partial = !ended(job);
    array->checksum = ended(job) ? 0xabc : 0;
  }
  return SERVICE_OK;
}

static size_t width_of(const service_array *array) {
  size_t width = 1;
  for (int i = 1; i < array->rank; i++) width *= array->shape[i];
  return width;
}

static service_status read_rows(void *context, const char *id, const char *name, size_t first, size_t stride,
                                size_t count, const size_t *columns, size_t column_count, double *out) {
  fake_service *fake = context;
  const fake_job *job = find(fake, id);
  for (size_t i = 0; job && i < job->array_count; i++) {
    if (strcmp(job->arrays[i].name, name) != 0) continue;
    if (job->damaged && strcmp(job->damaged, name) == 0) return SERVICE_DAMAGED;
    if (!out) return SERVICE_OK;
    size_t width = width_of(&job->arrays[i]);
    for (size_t row = 0; row < count; row++) {
      assert_true(first + row * stride < job->arrays[i].shape[0]);
      for (size_t k = 0; k < column_count; k++) *out++ = job->data[i][(first + row * stride) * width + columns[k]];
    }
    fake->numbers_read += count * column_count;
    return SERVICE_OK;
  }
  return SERVICE_NOT_FOUND;
}

static service_status follow(void *context, const char *id, service_subscription *follower) {
  const fake_service *fake = context;
  if (!fake->ready) return SERVICE_DRAINING;
  *follower = (service_subscription){.life = FAKE_LIFE, .next = fake->event_count + 1};
  if (id) snprintf(follower->id, sizeof follower->id, "%s", id);
  return SERVICE_OK;
}

static service_status next_event(void *context, service_subscription *follower, service_event *out) {
  const fake_service *fake = context;
  bool missed = follower->life != FAKE_LIFE;
  if (missed) *out = (service_event){.kind = SERVICE_EVENT_MISSED};
  for (; !missed && follower->next <= fake->event_count; follower->next++) {
    *out = fake->events[follower->next - 1];
    if (follower->id[0] && strcmp(follower->id, out->id) != 0) continue;
    follower->next++;
    return SERVICE_OK;
  }
  follower->life = FAKE_LIFE;
  follower->next = fake->event_count + 1;
  return missed ? SERVICE_OK : SERVICE_NOT_READY;
}

static service_status get_metrics(void *context, char **text) {
  (void)context;
  *text = strdup("mbsd_jobs{status=\"queued\"} 0\n");
  return SERVICE_OK;
}

static service_status get_ready(void *context, char reason[SERVICE_REASON_SIZE]) {
  const fake_service *fake = context;
  if (fake->ready) return SERVICE_OK;
  snprintf(reason, 128, "no worker is there");
  return SERVICE_NO_WORKERS;
}

void fake_service_open(fake_service *fake) {
  *fake = (fake_service){.ready = true};
  fake->service = (service){.context = fake,
                            .limits = {.body_bytes = 1 << 20, .check_seconds = 60, .wait_seconds = 30},
                            .host_names = "*",
                            .check = check,
                            .submit = submit,
                            .replayed = get_replayed,
                            .usage = get_usage,
                            .job = get_job,
                            .jobs = get_jobs,
                            .change = change_job,
                            .changing = changing,
                            .cancel = cancel,
                            .remove = remove_job,
                            .document = get_document,
                            .arrays = get_arrays,
                            .read = read_rows,
                            .follow = follow,
                            .event = next_event,
                            .metrics = get_metrics,
                            .ready = get_ready};
}

void fake_service_close(fake_service *fake) {
  for (size_t i = 0; i < fake->job_count; i++) free_job(&fake->jobs[i]);
}

service_event *fake_service_tell(fake_service *fake, service_event_kind kind, const char *id) {
  assert_true(fake->event_count < FAKE_EVENTS_MAX);
  service_event *event = &fake->events[fake->event_count++];
  *event = (service_event){.kind = kind, .number = fake->event_count};
  snprintf(event->id, sizeof event->id, "%s", id);
  return event;
}

/* ---- work ------------------------------------------------------------------------------------------------------ */

void fake_job_add_array(fake_job *job, const char *name, int rank, const size_t *shape, const char *labels,
                        const double *data, bool timeless) {
  assert_true(job->array_count < FAKE_ARRAYS_MAX);
  service_array *array = &job->arrays[job->array_count];
  *array = (service_array){.name = copy(name),
                           .unit = copy("m"),
                           .doc = copy("test data"),
                           .rank = rank,
                           .timeless = timeless,
                           .labels = copy(labels)};
  memcpy(array->shape, shape, (size_t)rank * sizeof *shape);
  size_t bytes = array->shape[0] * width_of(array) * sizeof *data;
  job->data[job->array_count] = malloc(bytes + 1);
  assert_non_null(job->data[job->array_count]);
  if (bytes > 0) memcpy(job->data[job->array_count], data, bytes);
  job->array_count++;
}

static const char *keep_array(void *context, const mbs_array *array, const char *labels, const char *units) {
  fake_job *job = context;
  fake_job_add_array(job, array->name, array->rank, array->shape, labels, array->data, array->timeless);
  job->arrays[job->array_count - 1].units = copy(units);
  return NULL;
}

void fake_service_work(fake_service *fake) {
  const mbs_limits limits = {.rows = FAKE_ROWS};
  for (size_t i = 0; i < fake->job_count; i++) {
    fake_job *job = &fake->jobs[i];
    if (!job->used || strcmp(job->job.status, "queued") != 0) continue;
    const job_hooks hooks = {.context = job, .array = keep_array};
    job_outcome outcome;
    api_job_run(job->document, job->document_size, &limits, &hooks, &outcome);
    memcpy(job->job.status, outcome.status, sizeof job->job.status);
    job->job.report = copy(outcome.report);
    job->job.error = copy(outcome.error);
    job->job.started = 1700000001;
    job->job.finished = 1700000002.5;
    job_outcome_free(&outcome);
  }
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void take_body(api_response *response, fake_answer *answer) {
  size_t capacity = response->body_size + 1;
  answer->text = malloc(capacity);
  assert_non_null(answer->text);
  if (response->body) memcpy(answer->text, response->body, response->body_size);
  answer->size = response->body_size;
  while (response->stream.read) {
    char piece[977];
    ssize_t got = response->stream.read(response->stream.context, piece, sizeof piece);
    if (got == API_STREAM_AGAIN) continue;
    answer->broken = got < 0 && got != API_STREAM_WAIT;
    if (got <= 0) break;
    if (answer->size + (size_t)got >= capacity) {
      capacity = 2 * (answer->size + (size_t)got) + 1;
      answer->text = realloc(answer->text, capacity);
      assert_non_null(answer->text);
    }
    memcpy(answer->text + answer->size, piece, (size_t)got);
    answer->size += (size_t)got;
  }
  answer->text[answer->size] = '\0';
}

void fake_request(fake_service *fake, const char *method, const char *target, const char *header, const void *body,
                  size_t size, const char *waited, fake_answer *answer) {
  *answer = (fake_answer){0};
  char lines[512] = "";
  api_header headers[8];
  size_t count = 0;
  if (header) snprintf(lines, sizeof lines, "%s", header);
  for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
    assert_true(count < 8);
    char *colon = strchr(line, ':');
    *colon = '\0';
    headers[count++] = (api_header){line, colon + 2};
  }
  const api_request request = {.beside = true,
                               .method = method,
                               .target = target,
                               .headers = headers,
                               .header_count = count,
                               .body = body,
                               .body_size = size,
                               .waited = waited != NULL,
                               .wait_id = waited,
                               .service = &fake->service};
  api_response response;
  for (fake->rounds = 1; api_handle(&request, &response), response.pending; fake->rounds++)
    api_response_free(&response);
  int parts = (response.body != NULL) + (response.stream.read != NULL) + (response.wait_id[0] != '\0');
  assert_int_equal(parts, 1);
  take_body(&response, answer);
  answer->response = response;
  api_response_free(&response);
}

void fake_get(fake_service *fake, const char *target, const char *header, fake_answer *answer) {
  fake_request(fake, "GET", target, header, NULL, 0, NULL, answer);
}

void fake_post(fake_service *fake, const char *target, const char *header, const char *body, fake_answer *answer) {
  fake_request(fake, "POST", target, header, body, strlen(body), NULL, answer);
}

void fake_answer_free(fake_answer *answer) { free(answer->text); }

const char *fake_answer_header(const fake_answer *answer, const char *name) {
  for (size_t i = 0; i < answer->response.header_count; i++) {
    if (strcasecmp(answer->response.headers[i].name, name) == 0) return answer->response.headers[i].value;
  }
  return NULL;
}

json_t *fake_answer_json(const fake_answer *answer) {
  assert_true(answer->size > 0 && answer->text[answer->size - 1] == '\n');
  json_error_t error;
  json_t *value = json_loadb(answer->text, answer->size, 0, &error);
  if (!value) fail_msg("not JSON: %s in %.200s", error.text, answer->text);
  return value;
}
