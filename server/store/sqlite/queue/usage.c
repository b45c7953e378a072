/* usage.c - see usage.h. */
#include "server/store/sqlite/queue/usage.h"

#include "server/base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double day_seconds = 86400;

static sqlite3_int64 day_of(double wall) { return (sqlite3_int64)floor(wall / day_seconds); }

/* ---- reading ----------------------------------------------------------------------------------------------------- */

service_status sqlite_usage_read(sqlite_db *queue, const char *client, service_usage *out) {
  const double now = srv_clock_wall();
  *out = (service_usage){.day_left = day_seconds * (double)(day_of(now) + 1) - now};
  sqlite3_stmt *query = sqlite_db_query(queue,
                                        "SELECT coalesce((SELECT queued FROM clients WHERE client = ?1), 0),"
                                        " coalesce(bytes, 0), iif(day = ?2, cpu, 0.0)"
                                        " FROM (SELECT 1) LEFT JOIN client_use ON client = ?1",
                                        "ti", client, day_of(now));
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  if (code == SQLITE_ROW) {
    out->used[SERVICE_LIMIT_QUEUE] = (double)sqlite3_column_int64(query, 0);
    out->used[SERVICE_LIMIT_BYTES] = (double)sqlite3_column_int64(query, 1);
    out->used[SERVICE_LIMIT_CPU] = sqlite3_column_double(query, 2);
  }
  sqlite3_reset(query);
  return code == SQLITE_ROW ? SERVICE_OK : sqlite_db_failure(queue, "usage");
}

static void usage(srv_store *verbs, const char *client, service_usage *out, store_done done, void *context) {
  sqlite_reader *reader = &((sqlite_store *)verbs)->queue_reader;
  pthread_mutex_lock(&reader->mutex);
  service_status status = sqlite_usage_read(&reader->db, client, out);
  pthread_mutex_unlock(&reader->mutex);
  done(context, status);
}

/* ---- charge ------------------------------------------------------------------------------------------------------ */

typedef struct charge_command {
  sqlite_command command;
  double seconds;
  char client[sizeof((store_claim){0}.client)];
} charge_command;

static service_status charge_execute(sqlite_command *command, sqlite_db *db) {
  const charge_command *self = (const charge_command *)command;
  return sqlite_db_run(db,
                       "INSERT INTO client_use (client, day, cpu) VALUES (?, ?, ?) ON CONFLICT (client) DO UPDATE"
                       " SET cpu = excluded.cpu + iif(day = excluded.day, cpu, 0), day = excluded.day",
                       "tid", self->client, day_of(srv_clock_wall()), self->seconds);
}

static void charge_done(sqlite_command *command, service_status status) {
  (void)status; /* after a failure this time is not counted */
  free(command);
}

static void charge(srv_store *verbs, const store_run *run, const char *client, double seconds) {
  (void)run;
  charge_command *self = malloc(sizeof *self);
  if (!self) return;
  *self = (charge_command){.command = {charge_execute, charge_done, 0, SERVICE_OK, NULL, true}, .seconds = seconds};
  snprintf(self->client, sizeof self->client, "%s", client);
  /* The end of the run is posted after it, so that no transaction has the end without the time. */
  sqlite_writer_post_later(&((sqlite_store *)verbs)->queue_writer, &self->command);
}

/* ---- recovery ---------------------------------------------------------------------------------------------------- */

service_status sqlite_usage_count(sqlite_db *queue) {
  service_status status = sqlite_db_run(queue, "UPDATE client_use SET bytes = 0", "");
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(queue,
                       "INSERT INTO client_use (client, bytes) SELECT client, sum(bytes) FROM jobs WHERE true"
                       " GROUP BY client ON CONFLICT (client) DO UPDATE SET bytes = excluded.bytes",
                       "");
}

/* Gets the next job whose results were not measured. Returns NOT_FOUND if there is none. */
static service_status next_unmeasured(sqlite_db *queue, store_run *shown) {
  sqlite3_stmt *query = sqlite_db_query(queue, "SELECT id, shown FROM jobs WHERE bytes < 0 LIMIT 1", "");
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  if (code == SQLITE_ROW) {
    *shown = (store_run){.attempt = sqlite3_column_int(query, 1)};
    strncpy(shown->id, (const char *)sqlite3_column_text(query, 0), SERVICE_ID_SIZE - 1);
  }
  sqlite3_reset(query);
  if (code == SQLITE_DONE) return SERVICE_NOT_FOUND;
  return code == SQLITE_ROW ? SERVICE_OK : sqlite_db_failure(queue, "recovery");
}

static service_status measure_results(sqlite_db *results, const store_run *run, sqlite3_int64 *bytes) {
  sqlite3_stmt *query = sqlite_db_query(results,
                                        "SELECT coalesce((SELECT sum(length(data)) FROM parts WHERE run = r.id), 0)"
                                        " + coalesce((SELECT sum(length(data)) FROM tiles WHERE run = r.id), 0)"
                                        " FROM runs r WHERE job = ? AND attempt = ?",
                                        "ti", run->id, (sqlite3_int64)run->attempt);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  *bytes = code == SQLITE_ROW ? sqlite3_column_int64(query, 0) : 0;
  sqlite3_reset(query);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(results, "recovery");
}

service_status sqlite_usage_recover(sqlite_db *queue, sqlite_db *results) {
  store_run shown;
  service_status status;
  while ((status = next_unmeasured(queue, &shown)) == SERVICE_OK) {
    sqlite3_int64 bytes;
    status = measure_results(results, &shown, &bytes);
    if (status == SERVICE_OK)
      status = sqlite_db_run(queue, "UPDATE jobs SET bytes = ?2 - 1 - bytes WHERE id = ?1", "ti", shown.id, bytes);
    if (status != SERVICE_OK) return status;
  }
  if (status != SERVICE_NOT_FOUND) return status;
  return sqlite_db_run(queue, "DELETE FROM client_use WHERE bytes = 0 AND day < ?", "i", day_of(srv_clock_wall()));
}

void sqlite_usage_verbs(srv_store *verbs) {
  verbs->charge = charge;
  verbs->usage = usage;
}
