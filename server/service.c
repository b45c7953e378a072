/* service.c - see service.h. */
#include "server/service.h"

#include "server/base/clock.h"
#include "server/base/id.h"
#include "server/base/log.h"
#include "server/store/wait.h"

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

void srv_service_resume(srv_service *self) { atomic_store(&self->holds, 1); }

/* On the pool's thread. */
static void check_done(srv_check *check) {
  srv_service_release((srv_service *)((char *)check - offsetof(srv_service, check)));
}

static service_status check_document(void *context, const service_document *document, service_verdict *verdict) {
  srv_service *self = context;
  if (self->checked) {
    *verdict = self->check.verdict;
    self->check.verdict = (service_verdict){0};
    return self->check.status;
  }
  srv_pool *pool = self->server->pool;
  if (!srv_pool_ready(pool)) return SERVICE_NO_WORKERS;
  self->check = (srv_check){.document = *document, .done = check_done};
  if (!srv_id_new(self->check.id)) return SERVICE_FAILED;
  atomic_fetch_add(&self->holds, 1);
  service_status status = srv_pool_check(pool, &self->check);
  self->checked = status == SERVICE_PENDING;
  if (!self->checked) atomic_fetch_sub(&self->holds, 1);
  return status;
}

/* ---- submitting ------------------------------------------------------------------------------------------------- */

/* On the store's thread. */
static void submitted(void *context, service_status status) {
  srv_service *self = context;
  self->committed = status;
  srv_service_release(self);
}

static service_status may_submit(srv_server *server) {
  if (atomic_load(&server->draining)) return SERVICE_DRAINING;
  if (!server->store->has_space(server->store)) return SERVICE_NO_SPACE;
  if (!srv_pool_ready(server->pool)) return SERVICE_NO_WORKERS;
  size_t counts[JOB_STATES];
  service_status status = count_jobs(server->store, counts);
  if (status != SERVICE_OK) return status;
  return counts[JOB_QUEUED] >= server->config->queue ? SERVICE_QUEUE_FULL : SERVICE_OK;
}

static char *copy_of(const char *text) { return text ? strdup(text) : NULL; }

static service_status submit(void *context, const service_submission *submission, char id[SERVICE_ID_SIZE]) {
  srv_service *self = context;
  service_status status = may_submit(self->server);
  if (status != SERVICE_OK) return status;
  memcpy(id, self->check.id, SERVICE_ID_SIZE);
  self->job = (service_job){.status = "queued",
                            .created = srv_clock_wall(),
                            .model_name = copy_of(submission->model_name),
                            .analysis = copy_of(submission->analysis)};
  memcpy(self->job.id, id, sizeof self->job.id);
  self->submitted = true;
  atomic_fetch_add(&self->holds, 1);
  srv_store *store = self->server->store;
  store->enqueue(store, id, self->job.created, submission, submitted, self);
  srv_log(SRV_DEBUG, "job_submitted",
          (srv_field[]){srv_text("id", id), srv_number("bytes", (double)submission->document_size), {0}});
  return SERVICE_OK;
}

/* ---- cancelling and removing ------------------------------------------------------------------------------------- */

/* On the store's thread. Who runs the job has heard of it before, by watching. */
static void changed(void *context, service_status status) {
  srv_service *self = context;
  self->change = status;
  srv_service_release(self);
}

/* Does `verb` (cancel or remove) to a job. */
static service_status change(srv_service *self, const char *id,
                             void (*verb)(srv_store *, const char *, store_done, void *)) {
  if (self->changed[0]) return self->change;
  if (strlen(id) >= sizeof self->changed) return SERVICE_NOT_FOUND;
  memcpy(self->changed, id, strlen(id) + 1);
  atomic_fetch_add(&self->holds, 1);
  verb(self->server->store, id, changed, self);
  return SERVICE_PENDING;
}

static service_status cancel(void *context, const char *id) {
  srv_service *self = context;
  return change(self, id, self->server->store->cancel);
}

static service_status remove_job(void *context, const char *id) {
  srv_service *self = context;
  return change(self, id, self->server->store->remove);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static service_status submitted_job(const srv_service *self, service_job *out) {
  *out = self->job;
  out->model_name = copy_of(self->job.model_name);
  out->analysis = copy_of(self->job.analysis);
  return SERVICE_OK;
}

static service_status job(void *context, const char *id, service_job *out) {
  srv_service *self = context;
  srv_store *store = self->server->store;
  store_wait wait = STORE_WAIT_INIT;
  store->get(store, id, out, store_wait_done, &wait);
  service_status status = store_wait_for(&wait);
  if (status == SERVICE_NOT_FOUND && self->submitted && strcmp(id, self->job.id) == 0) return submitted_job(self, out);
  return status;
}

static service_status jobs(void *context, const char *status, size_t limit, const char *cursor, service_job_list *out) {
  srv_store *store = ((srv_service *)context)->server->store;
  store_wait wait = STORE_WAIT_INIT;
  store->list(store, status, limit, cursor, out, store_wait_done, &wait);
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
  srv_store *store = ((srv_service *)context)->server->store;
  store_wait wait = STORE_WAIT_INIT;
  store->read(store, id, array, first, stride, count, columns, column_count, out, store_wait_done, &wait);
  return store_wait_for(&wait);
}

/* ---- following --------------------------------------------------------------------------------------------------- */

static service_status follow(void *context, const char *id, service_follower *follower) {
  srv_server *server = ((srv_service *)context)->server;
  if (atomic_load(&server->draining)) return SERVICE_DRAINING;
  srv_feed_follow(server->feed, id, follower);
  return SERVICE_OK;
}

static service_status next_event(void *context, service_follower *follower, service_event *out) {
  srv_server *server = ((srv_service *)context)->server;
  return srv_feed_next(server->feed, follower, out) ? SERVICE_OK : SERVICE_NOT_READY;
}

/* ---- the service itself ------------------------------------------------------------------------------------------ */

static service_status ready(void *context, char reason[128]) {
  srv_server *server = ((srv_service *)context)->server;
  service_status status = may_submit(server);
  const char *text = "";
  if (status == SERVICE_OK && srv_pool_stuck(server->pool)) {
    snprintf(reason, 128, "results of jobs that have ended cannot be written to the disk");
    return SERVICE_FAILED;
  }
  switch (status) {
  case SERVICE_DRAINING: text = "the service is about to stop"; break;
  case SERVICE_NO_SPACE: text = "the disk is nearly full"; break;
  case SERVICE_NO_WORKERS: text = "no worker process is alive"; break;
  case SERVICE_QUEUE_FULL: text = "the queue is full"; break;
  case SERVICE_OK: break;
  default: text = "the database does not answer"; break;
  }
  snprintf(reason, 128, "%s", text);
  return status;
}

static service_status metrics(void *context, char **text) {
  srv_server *server = ((srv_service *)context)->server;
  srv_gauges gauges = {.connections = atomic_load(&server->connections)};
  service_status status = count_jobs(server->store, gauges.jobs);
  if (status != SERVICE_OK) return status;
  srv_pool_count(server->pool, &gauges.workers, &gauges.workers_busy);
  gauges.accepting = may_submit(server) == SERVICE_OK;
  *text = srv_metrics_text(server->metrics, &gauges);
  return *text ? SERVICE_OK : SERVICE_FAILED;
}

void srv_service_init(srv_service *self, srv_server *server, void (*released)(srv_service *self)) {
  *self = (srv_service){.server = server, .released = released};
  atomic_init(&self->holds, 1);
  self->verbs = (service){.context = self,
                          .limits = {.body_bytes = server->config->body,
                                     .check_seconds = server->config->check_seconds,
                                     .wait_seconds = server->config->wait},
                          .host_names = server->loopback ? server->config->host_names : NULL,
                          .check = check_document,
                          .submit = submit,
                          .job = job,
                          .jobs = jobs,
                          .cancel = cancel,
                          .remove = remove_job,
                          .document = document,
                          .arrays = arrays,
                          .read = read_rows,
                          .follow = follow,
                          .event = next_event,
                          .metrics = metrics,
                          .ready = ready};
}

void srv_service_clear(srv_service *self) {
  service_verdict_free(&self->check.verdict);
  free(self->job.model_name);
  free(self->job.analysis);
}
