/* job_reading.c - see job_reading.h. */
#include "server/store/sqlite/job_reading.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns that job_of() reads; the report stands apart because lists leave it out. */
#define JOB_COLUMNS                                                                                               \
  "seq, id, status, created, started, finished, progress_t, progress_fraction, evaluations, attempt, model_name," \
  " analysis, error"

static void job_of(sqlite3_stmt *row, service_job *job) {
  *job = (service_job){.created = sqlite3_column_double(row, 3),
                       .started = sqlite3_column_double(row, 4),
                       .finished = sqlite3_column_double(row, 5),
                       .progress_t = sqlite3_column_double(row, 6),
                       .progress_fraction = sqlite3_column_double(row, 7),
                       .progress_evaluations = (uint64_t)sqlite3_column_int64(row, 8),
                       .attempt = sqlite3_column_int(row, 9),
                       .model_name = sqlite_db_text(row, 10),
                       .analysis = sqlite_db_text(row, 11),
                       .error = sqlite_db_text(row, 12)};
  strncpy(job->id, (const char *)sqlite3_column_text(row, 1), sizeof job->id - 1);
  strncpy(job->status, (const char *)sqlite3_column_text(row, 2), sizeof job->status - 1);
}

static service_status read_job(sqlite_store *self, const char *id, service_job *out) {
  sqlite_reader *reader = &self->queue_reader;
  pthread_mutex_lock(&reader->mutex);
  sqlite3_stmt *query = sqlite_db_query(&reader->db, "SELECT " JOB_COLUMNS ", report FROM jobs WHERE id = ?", "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  if (code == SQLITE_ROW) {
    job_of(query, out);
    out->report = sqlite_db_text(query, 13);
  }
  sqlite3_reset(query);
  pthread_mutex_unlock(&reader->mutex);
  if (code == SQLITE_ROW) sqlite_running_show(&self->running, out);
  if (code == SQLITE_ROW) return SERVICE_OK;
  return code == SQLITE_DONE ? SERVICE_NOT_FOUND : SERVICE_FAILED;
}

static void get(srv_store *verbs, const char *id, service_job *out, store_done done, void *context) {
  done(context, read_job((sqlite_store *)verbs, id, out));
}

/* The cursor is the number of the last job that was listed. */
static bool parse_cursor(const char *cursor, sqlite3_int64 *before) {
  *before = INT64_MAX;
  if (!cursor || *cursor == '\0') return true;
  size_t length = strlen(cursor);
  for (size_t i = 0; i < length; i++)
    if (!isdigit((unsigned char)cursor[i])) return false;
  *before = strtoll(cursor, NULL, 10);
  return length <= 18;
}

static service_status collect(sqlite_db *db, sqlite3_stmt *query, size_t limit, service_job_list *out) {
  sqlite3_int64 last = 0;
  int code;
  while ((code = sqlite3_step(query)) == SQLITE_ROW && out->count < limit) {
    job_of(query, &out->items[out->count++]);
    last = sqlite3_column_int64(query, 0);
  }
  if (code == SQLITE_ROW) snprintf(out->next, sizeof out->next, "%lld", (long long)last);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(db, "list");
}

static service_status read_list(sqlite_store *self, const char *status, size_t limit, const char *cursor,
                                service_job_list *out) {
  sqlite_reader *reader = &self->queue_reader;
  *out = (service_job_list){0};
  sqlite3_int64 before;
  if (!parse_cursor(cursor, &before)) return SERVICE_NOT_FOUND;
  out->items = calloc(limit + 1, sizeof *out->items);
  if (!out->items) return SERVICE_FAILED;
  pthread_mutex_lock(&reader->mutex);
  sqlite3_int64 rows = (sqlite3_int64)limit + 1; /* one more tells whether there is a next page */
  sqlite3_stmt *query =
      status
          ? sqlite_db_query(&reader->db,
                            "SELECT " JOB_COLUMNS " FROM jobs WHERE status = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
                            "tii", status, before, rows)
          : sqlite_db_query(&reader->db, "SELECT " JOB_COLUMNS " FROM jobs WHERE seq < ? ORDER BY seq DESC LIMIT ?",
                            "ii", before, rows);
  service_status result = query ? collect(&reader->db, query, limit, out) : SERVICE_FAILED;
  sqlite3_reset(query);
  pthread_mutex_unlock(&reader->mutex);
  for (size_t i = 0; i < out->count; i++) sqlite_running_show(&self->running, &out->items[i]);
  if (result != SERVICE_OK) service_job_list_free(out);
  return result;
}

static void list(srv_store *verbs, const char *status, size_t limit, const char *cursor, service_job_list *out,
                 store_done done, void *context) {
  done(context, read_list((sqlite_store *)verbs, status, limit, cursor, out));
}

static service_status read_document(sqlite_reader *reader, const char *id, char **text, size_t *size) {
  pthread_mutex_lock(&reader->mutex);
  sqlite3_stmt *query = sqlite_db_query(
      &reader->db, "SELECT text FROM documents WHERE job = (SELECT seq FROM jobs WHERE id = ?)", "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  service_status status = code == SQLITE_DONE ? SERVICE_NOT_FOUND : SERVICE_FAILED;
  if (code == SQLITE_ROW) {
    const void *data = sqlite3_column_blob(query, 0);
    *size = (size_t)sqlite3_column_bytes(query, 0);
    *text = malloc(*size + 1);
    if (*text) {
      if (data) memcpy(*text, data, *size);
      (*text)[*size] = '\0';
      status = SERVICE_OK;
    }
  }
  sqlite3_reset(query);
  pthread_mutex_unlock(&reader->mutex);
  return status;
}

static void document(srv_store *verbs, const char *id, char **text, size_t *size, store_done done, void *context) {
  done(context, read_document(&((sqlite_store *)verbs)->queue_reader, id, text, size));
}

static service_status read_counts(sqlite_store *self, size_t out[JOB_STATES]) {
  sqlite_reader *reader = &self->queue_reader;
  memset(out, 0, JOB_STATES * sizeof out[0]);
  pthread_mutex_lock(&reader->mutex);
  sqlite3_stmt *query = sqlite_db_query(&reader->db, "SELECT status, jobs FROM counts", "");
  int code = SQLITE_ERROR;
  while (query && (code = sqlite3_step(query)) == SQLITE_ROW) {
    job_state state = job_state_find((const char *)sqlite3_column_text(query, 0));
    if (state < JOB_STATES) out[state] = (size_t)sqlite3_column_int64(query, 1);
  }
  sqlite3_reset(query);
  pthread_mutex_unlock(&reader->mutex);
  out[JOB_QUEUED] += atomic_load(&self->enqueuing);
  return code == SQLITE_DONE ? SERVICE_OK : SERVICE_FAILED;
}

static void counts(srv_store *verbs, size_t out[JOB_STATES], store_done done, void *context) {
  done(context, read_counts((sqlite_store *)verbs, out));
}

service_status sqlite_job_shown(sqlite_store *self, const char *id, int *attempt, bool *running) {
  sqlite_reader *reader = &self->queue_reader;
  pthread_mutex_lock(&reader->mutex);
  sqlite3_stmt *query =
      sqlite_db_query(&reader->db,
                      "SELECT CASE status WHEN 'running' THEN attempt ELSE shown END, status = 'queued',"
                      " status = 'running' FROM jobs WHERE id = ?",
                      "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  service_status status = code == SQLITE_DONE ? SERVICE_NOT_FOUND : SERVICE_FAILED;
  if (code == SQLITE_ROW) {
    *attempt = sqlite3_column_int(query, 0);
    *running = sqlite3_column_int(query, 2) != 0;
    status = sqlite3_column_int(query, 1) ? SERVICE_NOT_READY : SERVICE_OK;
  }
  sqlite3_reset(query);
  pthread_mutex_unlock(&reader->mutex);
  return status;
}

void sqlite_job_reading_verbs(srv_store *verbs) {
  verbs->get = get;
  verbs->list = list;
  verbs->document = document;
  verbs->counts = counts;
}
