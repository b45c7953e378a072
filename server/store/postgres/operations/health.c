/* health.c - see health.h. */
#include "server/store/postgres/operations/health.h"

#include "server/base/clock.h"
#include "server/base/log.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Time that a full disk is assumed to stay full before new jobs may try again [s]. */
static const double full_seconds = 5;

void postgres_health_connected(postgres_store *store, const postgres_writer *writer, bool connected, const char *why) {
  postgres_health *health = &store->health;
  unsigned flag = !writer ? 4 : writer == &store->queue_writer ? 1 : 2;
  assert(connected || why[0]); /* an empty text means that there is no fault */
  pthread_mutex_lock(&health->mutex);
  unsigned before = health->cut_off, now = connected ? before & ~flag : before | flag;
  health->cut_off = now;
  if (now == 0 || !connected) snprintf(health->last.fault, sizeof health->last.fault, "%s", now == 0 ? "" : why);
  pthread_mutex_unlock(&health->mutex);
  if ((before == 0) == (now == 0)) return;
  if (now == 0)
    srv_log(SRV_INFO, "storage_fault_over", (srv_field[]){srv_text("database", store->address.where), {0}});
  else
    srv_log(SRV_ERROR, "storage_fault", (srv_field[]){srv_text("fault", why), {0}});
}

void postgres_health_full(postgres_store *store) {
  postgres_health *health = &store->health;
  double now = srv_clock_monotonic();
  pthread_mutex_lock(&health->mutex);
  bool tell = now > health->full_until + full_seconds;
  health->full_until = now + full_seconds;
  pthread_mutex_unlock(&health->mutex);
  if (tell)
    srv_log(SRV_WARNING, "disk_full",
            (srv_field[]){
                srv_text("database", store->address.where), srv_text("do", "delete jobs, or free disk space"), {0}});
}

service_status postgres_health_count(postgres_store *store, postgres_db *db, size_t jobs[JOB_STATES]) {
  postgres_health *health = &store->health;
  PGresult *result = postgres_db_query(db,
                                       "SELECT sum(queued)::bigint, sum(running)::bigint, sum(succeeded)::bigint,"
                                       " sum(failed)::bigint, sum(cancelled)::bigint FROM counts",
                                       "");
  if (!result) return postgres_db_failure(db);
  for (int i = 0; i < JOB_STATES; i++) {
    int64_t count = postgres_integer(result, 0, i);
    jobs[i] = count > 0 ? (size_t)count : 0;
  }
  PQclear(result);
  jobs[JOB_QUEUED] += atomic_load(&store->enqueuing);
  pthread_mutex_lock(&health->mutex);
  memcpy(health->jobs, jobs, sizeof health->jobs);
  health->counted = true;
  pthread_mutex_unlock(&health->mutex);
  return SERVICE_OK;
}

void postgres_health_measured(postgres_store *store, const srv_storage *sizes) {
  postgres_health *health = &store->health;
  pthread_mutex_lock(&health->mutex);
  health->last.queue_bytes = sizes->queue_bytes;
  health->last.results_bytes = sizes->results_bytes;
  health->last.used_bytes = sizes->used_bytes;
  health->last.oldest_end = sizes->oldest_end;
  health->last.retired += sizes->retired;
  pthread_mutex_unlock(&health->mutex);
}

service_status postgres_health_damaged(postgres_store *store, const char *id, const char *what) {
  atomic_fetch_add(&store->health.wrong_numbers, 1);
  srv_log(SRV_ERROR, "job_damaged",
          (srv_field[]){srv_text("id", id),
                        srv_text("text", what),
                        srv_text("why", "the stored text does not match its checksum"),
                        {0}});
  return SERVICE_DAMAGED;
}

static bool has_space(srv_store *verbs) {
  postgres_health *health = &((postgres_store *)verbs)->health;
  pthread_mutex_lock(&health->mutex);
  bool has = srv_clock_monotonic() >= health->full_until;
  pthread_mutex_unlock(&health->mutex);
  return has;
}

static void tell(srv_store *verbs, srv_storage *out) {
  postgres_health *health = &((postgres_store *)verbs)->health;
  pthread_mutex_lock(&health->mutex);
  *out = health->last;
  out->shared = true;
  pthread_mutex_unlock(&health->mutex);
  out->checksum_failures = atomic_load(&health->wrong_numbers);
}

static service_status last_counts(srv_store *verbs, size_t counts[JOB_STATES]) {
  postgres_health *health = &((postgres_store *)verbs)->health;
  pthread_mutex_lock(&health->mutex);
  bool counted = health->counted;
  memcpy(counts, health->jobs, sizeof health->jobs);
  pthread_mutex_unlock(&health->mutex);
  return counted ? SERVICE_OK : SERVICE_UNAVAILABLE;
}

void postgres_health_verbs(srv_store *verbs) {
  verbs->last_counts = last_counts;
  verbs->has_space = has_space;
  verbs->health = tell;
}
