/* service.c - see service.h. */
#include "server/service.h"

#include "api/base/text.h"
#include "server/base/clock.h"
#include "server/base/id.h"
#include "server/base/log.h"
#include "server/store/common/wait.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- waiting for the store --------------------------------------------------------------------------------------- */

static service_status count_jobs(srv_store *store, size_t counts[JOB_STATES]) {
  store_wait wait = STORE_WAIT_INIT;
  store->counts(store, counts, store_wait_done, &wait);
  return store_wait_for(&wait);
}

/* ---- checking ---------------------------------------------------------------------------------------------------- */

void srv_service_release(srv_service *self) {
  if (atomic_fetch_sub(&self->holds, 1) == 1) self->released(self);
}

void srv_service_resume(srv_service *self) {
  self->stored = self->submitted;
  atomic_store(&self->holds, 1);
}

/* Holds of a part are those of its request. */
static srv_service *whole_of(srv_service *self) { return self->whole ? self->whole : self; }

static void hold(srv_service *self) { atomic_fetch_add(&whole_of(self)->holds, 1); }

/* Called on the pool's thread. */
static void check_done(srv_check *check) {
  srv_service_release(whole_of((srv_service *)((char *)check - offsetof(srv_service, check))));
}

static service_status check_document(void *context, const service_document *document, service_verdict *verdict) {
  srv_service *self = context;
  if (self->checked) {
    free(document->own);
    *verdict = self->check.verdict;
    self->check.verdict = (service_verdict){0};
    return self->check.status;
  }
  srv_pool *pool = self->server->pool;
  self->check = (srv_check){.document = *document, .done = check_done};
  if (document->client) snprintf(self->check.client, sizeof self->check.client, "%s", document->client);
  if (!srv_pool_ready(pool)) return SERVICE_NO_WORKERS;
  if (!srv_id_new(self->check.id)) return SERVICE_FAILED;
  hold(self);
  service_status status = srv_pool_check(pool, &self->check);
  self->checked = status == SERVICE_PENDING;
  if (!self->checked) atomic_fetch_sub(&whole_of(self)->holds, 1);
  return status;
}

/* ---- submitting ------------------------------------------------------------------------------------------------- */

static bool has_fault(srv_server *server) {
  srv_storage storage;
  server->store->health(server->store, &storage);
  return storage.fault[0] != '\0';
}

/* Returns the status of a change: during a fault of the store the failure is temporary, and the request may be
 * repeated. */
static service_status outcome(srv_server *server, service_status status) {
  return status == SERVICE_FAILED && has_fault(server) ? SERVICE_UNAVAILABLE : status;
}

/* Called on the store's thread. */
static void submitted(void *context, service_status status) {
  srv_service *self = context;
  assert(self->submitted && !self->finding);
  self->committed = outcome(self->server, status);
  srv_service_release(whole_of(self));
}

/* Returns OK if new jobs are accepted. If it must not wait, it uses the last known number of jobs. */
static service_status may_submit(srv_server *server, bool waits) {
  srv_store *store = server->store;
  if (atomic_load(&server->draining)) return SERVICE_DRAINING;
  if (has_fault(server)) return SERVICE_UNAVAILABLE;
  if (!store->has_space(store)) return SERVICE_NO_SPACE;
  if (!srv_pool_ready(server->pool)) return SERVICE_NO_WORKERS;
  size_t counts[JOB_STATES];
  service_status status = waits ? count_jobs(store, counts) : store->last_counts(store, counts);
  if (status != SERVICE_OK) return outcome(server, status);
  return counts[JOB_QUEUED] >= server->config->queue ? SERVICE_QUEUE_FULL : SERVICE_OK;
}

/* Stores the job as it will be stored by the store. */
static void note_job(srv_service *self, const service_submission *submission) {
  self->job = (service_job){.status = "queued",
                            .created = srv_clock_wall(),
                            .model_name = api_text_copy(submission->model_name),
                            .analysis = api_text_copy(submission->analysis),
                            .name = api_text_copy(submission->name),
                            .tags = api_text_copy(submission->tags),
                            .keep = submission->keep,
                            .runs = submission->runs};
  memcpy(self->job.id, self->check.id, sizeof self->job.id);
  if (submission->content_hash)
    snprintf(self->job.content_hash, sizeof self->job.content_hash, "%s", submission->content_hash);
  if (submission->client) snprintf(self->job.client, sizeof self->job.client, "%s", submission->client);
}

/* Adds a new job whose id is known now. */
static void add_job(srv_service *self, const service_submission *submission) {
  assert(!self->submitted && self->check.id[0]);
  note_job(self, submission);
  if (submission->receipt) {
    *submission->receipt = (service_receipt){.replayed = false};
    memcpy(submission->receipt->id, self->job.id, sizeof submission->receipt->id);
  }
  service_submission sent = *submission;
  sent.receipt = &self->receipt; /* the request's own may be gone then */
  self->submitted = true;
  srv_store *store = self->server->store;
  store->enqueue(store, self->job.id, self->job.created, &sent, submitted, self);
}

/* Called on the store's thread. */
static void changed(void *context, service_status status) {
  srv_service *self = context;
  self->change = outcome(self->server, status);
  srv_service_release(whole_of(self));
}

static void find_or_add_job(srv_service *self, const service_submission *submission) {
  service_submission sent = *submission;
  assert(self->check.id[0]);
  sent.receipt = &self->receipt;
  self->finding = true;
  srv_store *store = self->server->store;
  store->enqueue(store, self->check.id, srv_clock_wall(), &sent, changed, self);
}

static service_status submit(void *context, const service_submission *submission) {
  srv_service *self = context;
  if (self->finding) {
    if (submission->receipt) *submission->receipt = self->receipt;
    return self->change;
  }
  service_status status = may_submit(self->server, true);
  if (status != SERVICE_OK) return status;
  /* A part waits until its row is durable, as the answer of the request is not known before. */
  bool finds = submission->idempotency_key || submission->reuse || self->whole;
  srv_log(SRV_DEBUG, "job_submitted",
          (srv_field[]){srv_text("id", self->check.id), srv_number("bytes", (double)submission->document_size), {0}});
  hold(self);
  if (finds)
    find_or_add_job(self, submission);
  else
    add_job(self, submission);
  return finds ? SERVICE_PENDING : SERVICE_OK;
}

static bool replayed(void *context) {
  const srv_service *self = context;
  return self->finding && self->receipt.replayed;
}

/* ---- cancelling, changing and removing --------------------------------------------------------------------------- */

/* Returns true if a change of a job must be started now; otherwise `status` is its result. */
static bool begin_change(srv_service *self, const char *id, service_status *status) {
  *status = self->changed[0] ? self->change : SERVICE_NOT_FOUND;
  if (self->changed[0] || strlen(id) >= sizeof self->changed) return false;
  if (has_fault(self->server)) {
    *status = SERVICE_UNAVAILABLE;
    return false;
  }
  memcpy(self->changed, id, strlen(id) + 1);
  hold(self);
  *status = SERVICE_PENDING;
  return true;
}

static bool changing(void *context) { return ((const srv_service *)context)->changed[0] != '\0'; }

static service_status cancel(void *context, const char *id) {
  srv_service *self = context;
  srv_store *store = self->server->store;
  service_status status;
  if (begin_change(self, id, &status)) store->cancel(store, id, changed, self);
  return status;
}

static service_status remove_job(void *context, const char *id) {
  srv_service *self = context;
  srv_store *store = self->server->store;
  service_status status;
  if (begin_change(self, id, &status)) store->remove(store, id, changed, self);
  return status;
}

static service_status change_job(void *context, const char *id, const service_change *change) {
  srv_service *self = context;
  srv_store *store = self->server->store;
  service_status status;
  if (begin_change(self, id, &status)) store->change(store, id, change, changed, self);
  return status;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static service_status submitted_job(const srv_service *self, service_job *out) {
  *out = self->job;
  out->model_name = api_text_copy(self->job.model_name);
  out->analysis = api_text_copy(self->job.analysis);
  out->name = api_text_copy(self->job.name);
  out->tags = api_text_copy(self->job.tags);
  return SERVICE_OK;
}

static service_status job(void *context, const char *id, service_job *out) {
  srv_service *self = context;
  srv_store *store = self->server->store;
  const bool is_own = self->submitted && strcmp(id, self->job.id) == 0;
  if (is_own && !self->stored) return submitted_job(self, out);
  store_wait wait = STORE_WAIT_INIT;
  store->get(store, id, out, store_wait_done, &wait);
  service_status status = store_wait_for(&wait);
  return status == SERVICE_NOT_FOUND && is_own ? submitted_job(self, out) : status;
}

static service_status usage(void *context, const char *client, service_usage *out) {
  srv_store *store = ((srv_service *)context)->server->store;
  store_wait wait = STORE_WAIT_INIT;
  store->usage(store, client, out, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static service_status jobs(void *context, const service_filter *filter, size_t limit, const char *cursor,
                           service_job_list *out) {
  srv_store *store = ((srv_service *)context)->server->store;
  store_wait wait = STORE_WAIT_INIT;
  store->list(store, filter, limit, cursor, out, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static service_status document(void *context, const char *id, char **text, size_t *size) {
  srv_store *store = ((srv_service *)context)->server->store;
  store_wait wait = STORE_WAIT_INIT;
  store->document(store, id, text, size, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static service_status arrays(void *context, const char *id, service_array **list, size_t *count) {
  srv_store *store = ((srv_service *)context)->server->store;
  store_wait wait = STORE_WAIT_INIT;
  store->arrays(store, id, list, count, store_wait_done, &wait);
  return store_wait_for(&wait);
}

static service_status read_rows(void *context, const char *id, const char *array, size_t first, size_t stride,
                                size_t count, const size_t *columns, size_t column_count, double *out) {
  srv_server *server = ((srv_service *)context)->server;
  if (atomic_load(&server->ending)) return SERVICE_UNAVAILABLE;
  srv_store *store = server->store;
  store_wait wait = STORE_WAIT_INIT;
  store->read(store, id, array, first, stride, count, columns, column_count, out, store_wait_done, &wait);
  return store_wait_for(&wait);
}

/* ---- files that are made ---------------------------------------------------------------------------------------- */

static service_status borrow_file(void *context, const char *client, uint64_t bytes, size_t *loan) {
  srv_server *server = ((srv_service *)context)->server;
  const srv_config *config = server->config;
  return srv_download_limits_acquire(&server->download_limits, config->data, config->disk_reserve, client, bytes, loan);
}

static void file_made(void *context, size_t loan) {
  srv_download_limits_made(&((srv_service *)context)->server->download_limits, loan);
}

static void return_file(void *context, size_t loan) {
  srv_download_limits_release(&((srv_service *)context)->server->download_limits, loan);
}

/* ---- following --------------------------------------------------------------------------------------------------- */

static service_status follow(void *context, const char *id, service_subscription *follower) {
  srv_server *server = ((srv_service *)context)->server;
  if (atomic_load(&server->draining)) return SERVICE_DRAINING;
  srv_event_log_subscribe(server->event_log, id, follower);
  return SERVICE_OK;
}

static service_status next_event(void *context, service_subscription *follower, service_event *out) {
  srv_server *server = ((srv_service *)context)->server;
  return srv_event_log_next(server->event_log, follower, out) ? SERVICE_OK : SERVICE_NOT_READY;
}

/* ---- the service itself ------------------------------------------------------------------------------------------ */

/* This and the metrics are called on the HTTP loop: they report the last known state and do not wait. */
static service_status ready(void *context, char reason[SERVICE_REASON_SIZE]) {
  srv_server *server = ((srv_service *)context)->server;
  service_status status = may_submit(server, false);
  srv_storage storage;
  server->store->health(server->store, &storage);
  const char *text = storage.note;
  if (status == SERVICE_OK && srv_pool_stuck(server->pool)) {
    snprintf(reason, SERVICE_REASON_SIZE, "results of finished jobs cannot be written to the disk");
    return SERVICE_FAILED;
  }
  switch (status) {
  case SERVICE_DRAINING: text = "the service is shutting down"; break;
  case SERVICE_UNAVAILABLE: text = storage.fault[0] ? storage.fault : "the database does not respond"; break;
  case SERVICE_NO_SPACE: text = "the free disk space is below the reserve (--disk-reserve)"; break;
  case SERVICE_NO_WORKERS: text = "no worker process is running"; break;
  case SERVICE_QUEUE_FULL: text = "the queue is full (--queue)"; break;
  case SERVICE_OK: break;
  default: text = "the database does not respond"; break;
  }
  snprintf(reason, SERVICE_REASON_SIZE, "%s", text);
  return status;
}

static service_status metrics(void *context, char **text) {
  srv_server *server = ((srv_service *)context)->server;
  srv_gauges gauges = {.connections = atomic_load(&server->connections)};
  service_status status = server->store->last_counts(server->store, gauges.jobs);
  if (status != SERVICE_OK) return status;
  srv_pool_count(server->pool, &gauges.workers, &gauges.workers_busy);
  server->store->health(server->store, &gauges.storage);
  gauges.accepting = may_submit(server, false) == SERVICE_OK;
  *text = srv_metrics_text(server->metrics, &gauges);
  return *text ? SERVICE_OK : SERVICE_FAILED;
}

static const service_holder *holder(void *context, const char *token, size_t size) {
  srv_service *self = context;
  return srv_tokens_find(self->server->tokens, token, size, &self->holder) ? &self->holder : NULL;
}

static service_part *part(void *context, size_t i) {
  srv_service *self = context;
  assert(i < SERVICE_BATCH_MAX && !self->whole);
  if (!self->parts) self->parts = calloc(SERVICE_BATCH_MAX, sizeof *self->parts);
  if (!self->parts) return NULL;
  srv_service *one = &self->parts[i];
  if (!one->whole) {
    srv_service_init(one, self->server, self->released);
    one->whole = self;
    one->part.service = one->verbs;
  }
  return &one->part;
}

void srv_service_init(srv_service *self, srv_server *server, void (*released)(srv_service *self)) {
  *self = (srv_service){.server = server, .released = released};
  atomic_init(&self->holds, 1);
  self->verbs = (service){.context = self,
                          .only_runs = server->config->workers_only,
                          .limits = {.body_bytes = server->config->body,
                                     .check_seconds = server->config->check_seconds,
                                     .wait_seconds = server->config->wait,
                                     .client = {[SERVICE_LIMIT_QUEUE] = (double)server->config->client_queue}},
                          .host_names = server->host_names,
                          .page_origins = server->config->cors_origins,
                          .holder = server->tokens ? holder : NULL,
                          .scratch_folder = server->config->data,
                          .scratch_keep = server->config->disk_reserve,
                          .borrow_file = borrow_file,
                          .file_made = file_made,
                          .return_file = return_file,
                          .check = check_document,
                          .submit = submit,
                          .replayed = replayed,
                          .usage = usage,
                          .job = job,
                          .jobs = jobs,
                          .change = change_job,
                          .changing = changing,
                          .cancel = cancel,
                          .remove = remove_job,
                          .document = document,
                          .arrays = arrays,
                          .read = read_rows,
                          .follow = follow,
                          .event = next_event,
                          .metrics = metrics,
                          .ready = ready,
                          .part = part};
}

void srv_service_clear(srv_service *self) {
  for (size_t i = 0; self->parts && i < SERVICE_BATCH_MAX; i++)
    if (self->parts[i].whole) srv_service_clear(&self->parts[i]);
  free(self->parts);
  free(self->part.text);
  service_verdict_free(&self->check.verdict);
  free(self->check.document.own);
  service_job_free(&self->job);
}
