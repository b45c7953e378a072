/* job_reading.c - see job_reading.h. */
#include "server/store/sqlite/queue/job_reading.h"

#include "api/base/text.h"
#include "server/store/common/listing.h"
#include "server/store/sqlite/queue/job_rows.h"
#include "server/store/sqlite/queue/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Error shown for a job whose row is damaged. */
#define DAMAGED_ERROR "{\"code\":\"damaged\",\"detail\":\"the stored row of the job does not match its checksum\"}"

/* The report is separate because lists omit it. */
#define JOB_COLUMNS SQLITE_JOB_ROW ", row_checksum"
enum { COLUMN_REPORT = ROW_COLUMNS };

/* Logs and counts damaged data of a job. */
static service_status tell_damaged(sqlite_store *self, const char *id, const char *what) {
  atomic_fetch_add(&self->health.wrong_numbers, 1);
  return sqlite_text_damaged(id, what);
}

static char *copied(sqlite3_value *value) { return api_text_copy((const char *)sqlite3_value_text(value)); }

/* Copies a value into an array of zeros. */
static void copy_into(char *out, size_t size, sqlite3_value *value) {
  const char *text = (const char *)sqlite3_value_text(value);
  if (text) strncpy(out, text, size - 1);
}

static void job_of(sqlite3_value *const row[ROW_COLUMNS], service_job *job) {
  *job = (service_job){.created = sqlite3_value_double(row[ROW_CREATED]),
                       .started = sqlite3_value_double(row[ROW_STARTED]),
                       .finished = sqlite3_value_double(row[ROW_FINISHED]),
                       .progress_t = sqlite3_value_double(row[ROW_PROGRESS_T]),
                       .progress_fraction = sqlite3_value_double(row[ROW_PROGRESS_FRACTION]),
                       .progress_evaluations = (uint64_t)sqlite3_value_int64(row[ROW_EVALUATIONS]),
                       .attempt = sqlite3_value_int(row[ROW_ATTEMPT]),
                       .runs = (size_t)sqlite3_value_int64(row[ROW_RUNS]),
                       .model_name = copied(row[ROW_MODEL_NAME]),
                       .analysis = copied(row[ROW_ANALYSIS]),
                       .error = copied(row[ROW_ERROR]),
                       .name = copied(row[ROW_NAME]),
                       .tags = copied(row[ROW_TAGS]),
                       .keep = sqlite3_value_int(row[ROW_KEEP]) != 0};
  copy_into(job->id, sizeof job->id, row[ROW_ID]);
  copy_into(job->status, sizeof job->status, row[ROW_STATUS]);
  copy_into(job->content_hash, sizeof job->content_hash, row[ROW_CONTENT_HASH]);
  copy_into(job->client, sizeof job->client, row[ROW_CLIENT]);
}

static service_status read_job(sqlite_store *self, const char *id, service_job *out) {
  sqlite_reader *reader = &self->queue_reader;
  pthread_mutex_lock(&reader->mutex);
  /* Selects by `seq`, so that the id comes from the row, which has a checksum, and not from the index. */
  sqlite3_stmt *query = sqlite_db_query(
      &reader->db, "SELECT " JOB_COLUMNS ", report FROM jobs WHERE seq = (SELECT seq FROM jobs WHERE id = ?)", "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  const char *damaged = NULL;
  if (code == SQLITE_ROW) {
    sqlite3_value *row[ROW_COLUMNS];
    if (!sqlite_job_row_read(query, row))
      damaged = "row";
    else if (!sqlite_text_is_intact(query, COLUMN_REPORT, ROW_REPORT_CHECKSUM))
      damaged = "report";
    else
      job_of(row, out);
    if (!damaged) out->report = sqlite_db_text(query, COLUMN_REPORT);
  }
  sqlite3_reset(query);
  pthread_mutex_unlock(&reader->mutex);
  if (damaged) return tell_damaged(self, id, damaged);
  if (code == SQLITE_ROW) sqlite_running_show(&self->running, out);
  if (code == SQLITE_ROW) return SERVICE_OK;
  return code == SQLITE_DONE ? SERVICE_NOT_FOUND : SERVICE_FAILED;
}

static void get(srv_store *verbs, const char *id, service_job *out, store_done done, void *context) {
  done(context, read_job((sqlite_store *)verbs, id, out));
}

/* A page of a list during its construction. */
typedef struct list_page {
  const service_filter *filter;
  size_t limit;
  sqlite3_int64 last; /* the seq of the last job examined */
  service_job_list *out;
} list_page;

/* Lists contain damaged jobs, with an error. */
static void tell_of_damaged(sqlite_store *self, sqlite3_int64 seq, service_job *job) {
  *job = (service_job){.status = "failed", .error = strdup(DAMAGED_ERROR)};
  sqlite_job_row_id(&self->queue_reader.db, seq, job->id);
  tell_damaged(self, job->id, "row");
}

/* Reads the current job of a query, if it belongs to the list; a damaged job always does, because it may match. */
static bool read_listed(sqlite_store *self, sqlite3_stmt *query, const service_filter *filter, service_job *job) {
  sqlite3_value *row[ROW_COLUMNS];
  if (!sqlite_job_row_read(query, row)) {
    tell_of_damaged(self, sqlite3_column_int64(query, ROW_SEQ), job);
    return true;
  }
  job_of(row, job);
  if (store_job_fulfils(job, filter)) return true;
  service_job_free(job);
  return false;
}

static service_status collect(sqlite_store *self, sqlite3_stmt *query, list_page *page) {
  service_job_list *out = page->out;
  size_t looked_at = 0;
  int code;
  while ((code = sqlite3_step(query)) == SQLITE_ROW && out->count < page->limit && looked_at++ < STORE_LOOKED_AT_ONCE) {
    page->last = sqlite3_column_int64(query, ROW_SEQ);
    if (read_listed(self, query, page->filter, &out->items[out->count])) out->count++;
  }
  if (code == SQLITE_ROW) snprintf(out->next, sizeof out->next, "%lld", (long long)page->last);
  if (code == SQLITE_ROW || code == SQLITE_DONE) return SERVICE_OK;
  return sqlite_db_failure(&self->queue_reader.db, "list");
}

#define LIST(which) "SELECT " JOB_COLUMNS " FROM jobs WHERE seq < ?1 AND seq >= ?2" which " ORDER BY seq DESC"

/* Selects the jobs from `first` to before `before` with the state and the model of the filter. */
static sqlite3_stmt *list_query(sqlite_db *db, const service_filter *filter, sqlite3_int64 before,
                                sqlite3_int64 first) {
  if (filter->model_name && filter->status)
    return sqlite_db_query(db, LIST(" AND model_name = ?3 AND status = ?4"), "iitt", before, first, filter->model_name,
                           filter->status);
  if (filter->model_name)
    return sqlite_db_query(db, LIST(" AND model_name = ?3"), "iit", before, first, filter->model_name);
  if (filter->status) return sqlite_db_query(db, LIST(" AND status = ?3"), "iit", before, first, filter->status);
  return sqlite_db_query(db, LIST(""), "ii", before, first);
}

/* Finds the first job created after `since`; later ones may have earlier times if clocks were set back. */
static service_status first_since(sqlite_db *db, double since, sqlite3_int64 *first) {
  *first = 0;
  if (!(since > 0)) return SERVICE_OK;
  sqlite3_stmt *query = sqlite_db_query(db, "SELECT min(seq) FROM jobs WHERE created >= ?", "d", since);
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  bool found = code == SQLITE_ROW && sqlite3_column_type(query, 0) != SQLITE_NULL;
  *first = found ? sqlite3_column_int64(query, 0) : INT64_MAX;
  sqlite3_reset(query);
  return code == SQLITE_ROW ? SERVICE_OK : sqlite_db_failure(db, "list");
}

static service_status read_page(sqlite_store *self, list_page *page, sqlite3_int64 before) {
  sqlite_db *db = &self->queue_reader.db;
  sqlite3_int64 first;
  service_status status = first_since(db, page->filter->since, &first);
  if (status != SERVICE_OK) return status;
  sqlite3_stmt *query = list_query(db, page->filter, before, first);
  status = query ? collect(self, query, page) : SERVICE_FAILED;
  sqlite3_reset(query);
  return status;
}

static service_status read_list(sqlite_store *self, const service_filter *filter, size_t limit, const char *cursor,
                                service_job_list *out) {
  sqlite_reader *reader = &self->queue_reader;
  *out = (service_job_list){0};
  int64_t before;
  if (!store_cursor_read(cursor, &before)) return SERVICE_NOT_FOUND;
  out->items = calloc(limit + 1, sizeof *out->items);
  if (!out->items) return SERVICE_FAILED;
  list_page page = {.filter = filter, .limit = limit, .out = out};
  pthread_mutex_lock(&reader->mutex);
  service_status result = read_page(self, &page, before);
  pthread_mutex_unlock(&reader->mutex);
  for (size_t i = 0; i < out->count; i++) sqlite_running_show(&self->running, &out->items[i]);
  if (result != SERVICE_OK) service_job_list_free(out);
  return result;
}

static void list(srv_store *verbs, const service_filter *filter, size_t limit, const char *cursor,
                 service_job_list *out, store_done done, void *context) {
  done(context, read_list((sqlite_store *)verbs, filter, limit, cursor, out));
}

static service_status read_document(sqlite_store *self, const char *id, char **text, size_t *size) {
  sqlite_reader *reader = &self->queue_reader;
  pthread_mutex_lock(&reader->mutex);
  sqlite3_stmt *query = sqlite_db_query(
      &reader->db, "SELECT text, checksum FROM documents WHERE job = (SELECT seq FROM jobs WHERE id = ?)", "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  service_status status = code == SQLITE_DONE ? SERVICE_NOT_FOUND : SERVICE_FAILED;
  bool whole = code != SQLITE_ROW || sqlite_text_is_intact(query, 0, 1);
  if (code == SQLITE_ROW && whole) {
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
  return whole ? status : tell_damaged(self, id, "document");
}

static void document(srv_store *verbs, const char *id, char **text, size_t *size, store_done done, void *context) {
  done(context, read_document((sqlite_store *)verbs, id, text, size));
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

static service_status last_counts(srv_store *verbs, size_t out[JOB_STATES]) {
  return read_counts((sqlite_store *)verbs, out);
}

service_status sqlite_job_shown(sqlite_store *self, const char *id, int *attempt, bool *running, bool *succeeded) {
  sqlite_reader *reader = &self->queue_reader;
  pthread_mutex_lock(&reader->mutex);
  sqlite3_stmt *query =
      sqlite_db_query(&reader->db,
                      "SELECT CASE status WHEN 'running' THEN attempt ELSE shown END, status = 'queued',"
                      " status = 'running', status = 'succeeded', " SQLITE_JOB_IS_WHOLE " FROM jobs WHERE id = ?",
                      "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  service_status status = code == SQLITE_DONE ? SERVICE_NOT_FOUND : SERVICE_FAILED;
  if (code == SQLITE_ROW) {
    *attempt = sqlite3_column_int(query, 0);
    *running = sqlite3_column_int(query, 2) != 0;
    *succeeded = sqlite3_column_int(query, 3) != 0;
    status = sqlite3_column_int(query, 1) ? SERVICE_NOT_READY : SERVICE_OK;
    if (!sqlite3_column_int(query, 4)) status = SERVICE_DAMAGED;
  }
  sqlite3_reset(query);
  pthread_mutex_unlock(&reader->mutex);
  return status == SERVICE_DAMAGED ? sqlite_text_damaged(id, "row") : status;
}

void sqlite_job_reading_verbs(srv_store *verbs) {
  verbs->get = get;
  verbs->list = list;
  verbs->document = document;
  verbs->counts = counts;
  verbs->last_counts = last_counts;
}
