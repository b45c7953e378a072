/* job_reading.c - see job_reading.h. */
#include "server/store/sqlite/job_reading.h"

#include "server/store/sqlite/texts.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A page that looks for what no index knows ends after so many jobs: others wait for the same connection. */
enum { LOOKED_AT_ONCE = 10000 };

/* In place of an error that differs from its checksum. */
#define DAMAGED_ERROR "{\"code\":\"damaged\",\"detail\":\"the stored error of the job differs from its checksum\"}"

/* The columns that job_of() reads; the report stands apart because lists leave it out. Tags go out as they are: what is
 * no JSON any more must not make a whole list unreadable. */
#define JOB_COLUMNS                                                                                               \
  "seq, id, status, created, started, finished, progress_t, progress_fraction, evaluations, attempt, model_name," \
  " analysis, error, name, iif(json_valid(tags), tags, NULL), keep, content_hash, client, error_checksum, "       \
  "analysis_checksum"

enum { JOB_COLUMN_COUNT = 20 };

static bool is_analysis_whole(sqlite3_stmt *row) { return sqlite_text_is_whole(row, 11, 19); }

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
                       .error = sqlite_db_text(row, 12),
                       .name = sqlite_db_text(row, 13),
                       .tags = sqlite_db_text(row, 14),
                       .keep = sqlite3_column_int(row, 15) != 0};
  const char *hash = (const char *)sqlite3_column_text(row, 16);
  if (hash) strncpy(job->content_hash, hash, sizeof job->content_hash - 1);
  const char *client = (const char *)sqlite3_column_text(row, 17); /* after content_hash, 16 */
  if (client) strncpy(job->client, client, sizeof job->client - 1);
  strncpy(job->id, (const char *)sqlite3_column_text(row, 1), sizeof job->id - 1);
  /* A list tells that something is damaged, or leaves it out, and goes on. */
  if (!is_analysis_whole(row)) {
    sqlite_text_damaged(job->id, "analysis");
    free(job->analysis);
    job->analysis = NULL;
  }
  if (!sqlite_text_is_whole(row, 12, 18)) {
    sqlite_text_damaged(job->id, "error");
    free(job->error);
    job->error = strdup(DAMAGED_ERROR);
  }
  strncpy(job->status, (const char *)sqlite3_column_text(row, 2), sizeof job->status - 1);
}

static service_status read_job(sqlite_store *self, const char *id, service_job *out) {
  sqlite_reader *reader = &self->queue_reader;
  pthread_mutex_lock(&reader->mutex);
  sqlite3_stmt *query =
      sqlite_db_query(&reader->db, "SELECT " JOB_COLUMNS ", report, report_checksum FROM jobs WHERE id = ?", "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  const char *damaged = NULL;
  if (code == SQLITE_ROW && !is_analysis_whole(query)) damaged = "analysis";
  if (code == SQLITE_ROW && !sqlite_text_is_whole(query, JOB_COLUMN_COUNT, JOB_COLUMN_COUNT + 1)) damaged = "report";
  if (code == SQLITE_ROW && !damaged) {
    job_of(query, out);
    out->report = sqlite_db_text(query, JOB_COLUMN_COUNT);
  }
  sqlite3_reset(query);
  pthread_mutex_unlock(&reader->mutex);
  if (damaged) return sqlite_text_damaged(id, damaged);
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

/* A page of a list in the making. */
typedef struct list_page {
  const service_filter *filter;
  size_t limit;
  sqlite3_int64 last; /* the seq of the last job that was looked at */
  service_job_list *out;
} list_page;

/* Whether one of the tags is `whole`, or has `part` in it. */
static bool has_tag(const char *tags, const char *whole, const char *part) {
  json_t *list = tags ? json_loads(tags, 0, NULL) : NULL;
  bool has = false;
  size_t i;
  json_t *tag;
  json_array_foreach(list, i, tag) {
    const char *text = json_string_value(tag);
    has = has || (text && ((whole && strcmp(text, whole) == 0) || (part && strcasestr(text, part))));
  }
  json_decref(list);
  return has;
}

static bool contains(const char *text, const char *part) { return text && strcasestr(text, part); }

/* What no index knows. */
static bool fulfils(const service_job *job, const service_filter *filter) {
  if (job->created < filter->since) return false;
  if (filter->tag && !has_tag(job->tags, filter->tag, NULL)) return false;
  return !filter->text || contains(job->name, filter->text) || contains(job->model_name, filter->text) ||
         has_tag(job->tags, NULL, filter->text);
}

static service_status collect(sqlite_db *db, sqlite3_stmt *query, list_page *page) {
  service_job_list *out = page->out;
  size_t looked_at = 0;
  int code;
  while ((code = sqlite3_step(query)) == SQLITE_ROW && out->count < page->limit && looked_at++ < LOOKED_AT_ONCE) {
    service_job *job = &out->items[out->count];
    job_of(query, job);
    page->last = sqlite3_column_int64(query, 0);
    if (fulfils(job, page->filter))
      out->count++;
    else
      service_job_free(job);
  }
  if (code == SQLITE_ROW) snprintf(out->next, sizeof out->next, "%lld", (long long)page->last);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(db, "list");
}

#define LIST(which) "SELECT " JOB_COLUMNS " FROM jobs WHERE seq < ?1 AND seq >= ?2" which " ORDER BY seq DESC"

/* The jobs from `first` to before `before` that are of the state and of the model that the filter wants. */
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

/* The first job that arrived since; clocks may have been set back, so that not all after it did. */
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

static service_status read_page(sqlite_db *db, list_page *page, sqlite3_int64 before) {
  sqlite3_int64 first;
  service_status status = first_since(db, page->filter->since, &first);
  if (status != SERVICE_OK) return status;
  sqlite3_stmt *query = list_query(db, page->filter, before, first);
  status = query ? collect(db, query, page) : SERVICE_FAILED;
  sqlite3_reset(query);
  return status;
}

static service_status read_list(sqlite_store *self, const service_filter *filter, size_t limit, const char *cursor,
                                service_job_list *out) {
  sqlite_reader *reader = &self->queue_reader;
  *out = (service_job_list){0};
  sqlite3_int64 before;
  if (!parse_cursor(cursor, &before)) return SERVICE_NOT_FOUND;
  out->items = calloc(limit + 1, sizeof *out->items);
  if (!out->items) return SERVICE_FAILED;
  list_page page = {.filter = filter, .limit = limit, .out = out};
  pthread_mutex_lock(&reader->mutex);
  service_status result = read_page(&reader->db, &page, before);
  pthread_mutex_unlock(&reader->mutex);
  for (size_t i = 0; i < out->count; i++) sqlite_running_show(&self->running, &out->items[i]);
  if (result != SERVICE_OK) service_job_list_free(out);
  return result;
}

static void list(srv_store *verbs, const service_filter *filter, size_t limit, const char *cursor,
                 service_job_list *out, store_done done, void *context) {
  done(context, read_list((sqlite_store *)verbs, filter, limit, cursor, out));
}

static service_status read_document(sqlite_reader *reader, const char *id, char **text, size_t *size) {
  pthread_mutex_lock(&reader->mutex);
  sqlite3_stmt *query = sqlite_db_query(
      &reader->db, "SELECT text, checksum FROM documents WHERE job = (SELECT seq FROM jobs WHERE id = ?)", "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  service_status status = code == SQLITE_DONE ? SERVICE_NOT_FOUND : SERVICE_FAILED;
  bool whole = code != SQLITE_ROW || sqlite_text_is_whole(query, 0, 1);
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
  return whole ? status : sqlite_text_damaged(id, "document");
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

service_status sqlite_job_shown(sqlite_store *self, const char *id, int *attempt, bool *running, bool *succeeded) {
  sqlite_reader *reader = &self->queue_reader;
  pthread_mutex_lock(&reader->mutex);
  sqlite3_stmt *query =
      sqlite_db_query(&reader->db,
                      "SELECT CASE status WHEN 'running' THEN attempt ELSE shown END, status = 'queued',"
                      " status = 'running', status = 'succeeded' FROM jobs WHERE id = ?",
                      "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  service_status status = code == SQLITE_DONE ? SERVICE_NOT_FOUND : SERVICE_FAILED;
  if (code == SQLITE_ROW) {
    *attempt = sqlite3_column_int(query, 0);
    *running = sqlite3_column_int(query, 2) != 0;
    *succeeded = sqlite3_column_int(query, 3) != 0;
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
