/* open.c - opens and closes the PostgreSQL store. */
#include "server/store/postgres/connection/open.h"

#include "server/store/postgres/connection/listener.h"
#include "server/store/postgres/connection/notifications.h"
#include "server/store/postgres/connection/state.h"
#include "server/store/postgres/operations/health.h"
#include "server/store/postgres/operations/maintenance.h"
#include "server/store/postgres/queue/blocks.h"
#include "server/store/postgres/queue/claims.h"
#include "server/store/postgres/queue/enqueue.h"
#include "server/store/postgres/queue/finish.h"
#include "server/store/postgres/queue/job_changes.h"
#include "server/store/postgres/queue/job_reading.h"
#include "server/store/postgres/queue/leases.h"
#include "server/store/postgres/queue/usage.h"
#include "server/store/postgres/results/array_reading.h"
#include "server/store/postgres/results/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void subscribe(srv_store *verbs, store_subscriber *subscriber) {
  store_subscribers_add(&((postgres_store *)verbs)->subscribers, subscriber);
}

static void made(postgres_store *self, const postgres_event *events, size_t count) {
  for (size_t i = 0; i < count; i++) postgres_notifications_event(self, events[i].event, events[i].id);
}

static void store_free(postgres_store *self) {
  store_assemblies_free(&self->assemblies);
  free(self->progress.runs);
  pthread_mutex_destroy(&self->progress.mutex);
  pthread_mutex_destroy(&self->subscribers.mutex);
  pthread_mutex_destroy(&self->health.mutex);
  postgres_address_free(&self->address);
  free(self);
}

static void store_close(srv_store *verbs) {
  postgres_store *self = (postgres_store *)verbs;
  postgres_maintenance_stop(self);
  postgres_listener_stop(self);
  postgres_readers_stop(&self->readers);
  /* Each writer may have posted commands to the other. */
  postgres_writer_settle(&self->results_writer);
  postgres_writer_settle(&self->queue_writer);
  postgres_writer_stop(&self->results_writer);
  postgres_writer_stop(&self->queue_writer);
  store_free(self);
}

static void set_verbs(srv_store *verbs) {
  verbs->answers_later = true;
  verbs->close = store_close;
  verbs->subscribe = subscribe;
  postgres_enqueue_verbs(verbs);
  postgres_health_verbs(verbs);
  postgres_claim_verbs(verbs);
  postgres_lease_verbs(verbs);
  postgres_finish_verbs(verbs);
  postgres_usage_verbs(verbs);
  postgres_job_change_verbs(verbs);
  postgres_part_verbs(verbs);
  postgres_block_verbs(verbs);
  postgres_job_reading_verbs(verbs);
  postgres_array_reading_verbs(verbs);
}

static const postgres_hooks queue_hooks = {postgres_leases_tick, made, postgres_health_connected};
static const postgres_hooks results_hooks = {NULL, made, postgres_health_connected};

/* Without threads nothing else works: the process ends and releases everything. */
static bool start_threads(postgres_store *self) {
  postgres_address *address = &self->address;
  return postgres_writer_start(&self->queue_writer, self, address, POSTGRES_SECONDS, &queue_hooks) &&
         postgres_writer_start(&self->results_writer, self, address, POSTGRES_LONG_SECONDS, &results_hooks) &&
         postgres_readers_start(&self->readers, address) && postgres_listener_start(self) &&
         postgres_maintenance_start(self);
}

static postgres_store *store_new(const postgres_store_settings *settings) {
  postgres_store *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  pthread_mutex_init(&self->subscribers.mutex, NULL);
  pthread_mutex_init(&self->progress.mutex, NULL);
  pthread_mutex_init(&self->health.mutex, NULL);
  postgres_parts_init(self);
  self->maintenance.keep_days = settings->keep_days;
  self->maintenance.keep_bytes = settings->keep_bytes;
  set_verbs(&self->verbs);
  self->verbs.lease_seconds = settings->lease_seconds > 0 ? settings->lease_seconds : STORE_LEASE_SECONDS;
  return self;
}

bool postgres_store_is_url(const char *address) {
  return strncmp(address, "postgresql://", 13) == 0 || strncmp(address, "postgres://", 11) == 0;
}

srv_store *postgres_store_open(const postgres_store_settings *settings, char message[POSTGRES_STORE_MESSAGE],
                               bool *passing) {
  bool ignored;
  if (!passing) passing = &ignored;
  *passing = false;
  postgres_store *self = store_new(settings);
  if (!self) {
    snprintf(message, POSTGRES_STORE_MESSAGE, "out of memory");
    return NULL;
  }
  if (postgres_address_read(&self->address, settings->url, settings->password, message) &&
      postgres_schema_open(&self->address, message, passing)) {
    if (start_threads(self)) return &self->verbs;
    snprintf(message, POSTGRES_STORE_MESSAGE, "cannot start a thread: %s", strerror(errno));
    return NULL;
  }
  store_free(self);
  return NULL;
}
