/* job_reading.c - see job_reading.h. */
#include "server/store/postgres/queue/job_reading.h"

#include "server/store/common/listing.h"
#include "server/store/common/result_chunk.h"
#include "server/store/postgres/connection/state.h"
#include "server/store/postgres/operations/health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of rows of a list fetched together. */
enum { LIST_ROWS = 200 };

/* Columns of a job. Its state in the queue and the progress of its run are in other tables than its other data. The
 * report is separate because lists omit it. */
#define JOB_COLUMNS                                                                                              \
  "j.seq, j.id, coalesce(j.status, CASE WHEN q.running THEN 'running' ELSE 'queued' END), j.created,"            \
  " coalesce(q.started, j.started), j.finished, coalesce(p.t, j.progress_t), coalesce(p.fraction,"               \
  " j.progress_fraction), coalesce(p.evaluations, j.evaluations), coalesce(q.attempt, j.attempt), j.model_name," \
  " j.analysis, j.error, j.name, j.tags, j.keep, j.content_hash, j.client, j.runs"
#define JOB_TABLES                                \
  " FROM jobs j LEFT JOIN queue q ON q.id = j.id" \
  " LEFT JOIN progress p ON p.id = q.id AND p.attempt = q.attempt AND q.running"

typedef enum job_column {
  JOB_SEQ,
  JOB_ID,
  JOB_STATUS,
  JOB_CREATED,
  JOB_STARTED,
  JOB_FINISHED,
  JOB_PROGRESS_T,
  JOB_PROGRESS_FRACTION,
  JOB_EVALUATIONS,
  JOB_ATTEMPT,
  JOB_MODEL_NAME,
  JOB_ANALYSIS,
  JOB_ERROR,
  JOB_NAME,
  JOB_TAGS,
  JOB_KEEP,
  JOB_CONTENT_HASH,
  JOB_CLIENT,
  JOB_RUNS,
  JOB_REPORT,
  JOB_REPORT_CHECKSUM
} job_column;

static void job_of(const PGresult *result, int row, service_job *job) {
  *job = (service_job){.created = postgres_double(result, row, JOB_CREATED),
                       .started = postgres_double(result, row, JOB_STARTED),
                       .finished = postgres_double(result, row, JOB_FINISHED),
                       .progress_t = postgres_double(result, row, JOB_PROGRESS_T),
                       .progress_fraction = postgres_double(result, row, JOB_PROGRESS_FRACTION),
                       .progress_evaluations = (uint64_t)postgres_integer(result, row, JOB_EVALUATIONS),
                       .attempt = (int)postgres_integer(result, row, JOB_ATTEMPT),
                       .runs = (size_t)postgres_integer(result, row, JOB_RUNS),
                       .model_name = postgres_text(result, row, JOB_MODEL_NAME),
                       .analysis = postgres_text(result, row, JOB_ANALYSIS),
                       .error = postgres_text(result, row, JOB_ERROR),
                       .name = postgres_text(result, row, JOB_NAME),
                       .tags = postgres_text(result, row, JOB_TAGS),
                       .keep = postgres_integer(result, row, JOB_KEEP) != 0};
  postgres_copy(result, row, JOB_ID, job->id, sizeof job->id);
  postgres_copy(result, row, JOB_STATUS, job->status, sizeof job->status);
  postgres_copy(result, row, JOB_CONTENT_HASH, job->content_hash, sizeof job->content_hash);
  postgres_copy(result, row, JOB_CLIENT, job->client, sizeof job->client);
}

/* ---- one job ----------------------------------------------------------------------------------------------------- */

typedef struct job_reading {
  postgres_reading reading;
  char id[SERVICE_ID_SIZE];
  service_job *job;
  char **text;
  size_t *size, *counts;
} job_reading;

static job_reading *new_reading(srv_store *verbs, const char *id) {
  job_reading *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->reading.store = (postgres_store *)verbs;
  snprintf(self->id, sizeof self->id, "%s", id);
  return self;
}

static void post(srv_store *verbs, job_reading *self, store_done done, void *context) {
  postgres_readers_post(&((postgres_store *)verbs)->readers, self ? &self->reading : NULL, done, context);
}

static service_status get_execute(postgres_reading *reading, postgres_reader *reader) {
  job_reading *self = (job_reading *)reading;
  PGresult *result = postgres_db_query(
      &reader->db, "SELECT " JOB_COLUMNS ", j.report, j.report_checksum" JOB_TABLES " WHERE j.id = $1", "t", self->id);
  if (!result) return postgres_db_failure(&reader->db);
  service_status status = PQntuples(result) > 0 ? SERVICE_OK : SERVICE_NOT_FOUND;
  if (status == SERVICE_OK && !PQgetisnull(result, 0, JOB_REPORT)) {
    uint64_t sum = store_checksum(PQgetvalue(result, 0, JOB_REPORT), (size_t)PQgetlength(result, 0, JOB_REPORT));
    if ((int64_t)sum != postgres_integer(result, 0, JOB_REPORT_CHECKSUM))
      status = postgres_health_damaged(reading->store, self->id, "report");
  }
  if (status == SERVICE_OK) {
    job_of(result, 0, self->job);
    self->job->report = postgres_text(result, 0, JOB_REPORT);
  }
  PQclear(result);
  return status;
}

static void get(srv_store *verbs, const char *id, service_job *out, store_done done, void *context) {
  job_reading *self = new_reading(verbs, id);
  if (self) self->reading.execute = get_execute;
  if (self) self->job = out;
  post(verbs, self, done, context);
}

static service_status document_execute(postgres_reading *reading, postgres_reader *reader) {
  job_reading *self = (job_reading *)reading;
  PGresult *result = postgres_db_query(
      &reader->db, "SELECT d.text, d.checksum FROM jobs j JOIN documents d ON d.job = j.seq WHERE j.id = $1", "t",
      self->id);
  if (!result) return postgres_db_failure(&reader->db);
  service_status status = PQntuples(result) > 0 ? SERVICE_OK : SERVICE_NOT_FOUND;
  size_t size = status == SERVICE_OK ? (size_t)PQgetlength(result, 0, 0) : 0;
  const char *data = status == SERVICE_OK ? PQgetvalue(result, 0, 0) : "";
  if (status == SERVICE_OK && (int64_t)store_checksum(data, size) != postgres_integer(result, 0, 1))
    status = postgres_health_damaged(reading->store, self->id, "document");
  char *text = status == SERVICE_OK ? malloc(size + 1) : NULL;
  if (status == SERVICE_OK && !text) status = SERVICE_FAILED;
  if (text) {
    memcpy(text, data, size);
    text[size] = '\0';
    *self->text = text;
    *self->size = size;
  }
  PQclear(result);
  return status;
}

static void document(srv_store *verbs, const char *id, char **text, size_t *size, store_done done, void *context) {
  job_reading *self = new_reading(verbs, id);
  if (self) self->reading.execute = document_execute;
  if (self) self->text = text;
  if (self) self->size = size;
  post(verbs, self, done, context);
}

static service_status counts_execute(postgres_reading *reading, postgres_reader *reader) {
  return postgres_health_count(reading->store, &reader->db, ((job_reading *)reading)->counts);
}

static void counts(srv_store *verbs, size_t out[JOB_STATES], store_done done, void *context) {
  job_reading *self = new_reading(verbs, "");
  if (self) self->reading.execute = counts_execute;
  if (self) self->counts = out;
  post(verbs, self, done, context);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

typedef struct list_reading {
  postgres_reading reading;
  service_filter filter; /* the texts are copies */
  size_t limit;
  int64_t before;
  service_job_list *out;
} list_reading;

#define LIST(which) \
  "SELECT " JOB_COLUMNS JOB_TABLES " WHERE j.seq < $1 AND j.seq >= $2" which " ORDER BY j.seq DESC LIMIT $3"

/* Selects the next jobs from `first` to before `before` with the state and the model of the filter. */
static PGresult *query_rows(postgres_db *db, const service_filter *filter, int64_t before, int64_t first) {
  const char *model = filter->model_name, *status = filter->status;
  bool waits = status && strcmp(status, "queued") == 0, runs = status && strcmp(status, "running") == 0;
  if (waits || runs)
    return postgres_db_query(db, LIST(" AND q.running = $4::boolean AND ($5::text IS NULL OR j.model_name = $5)"),
                             "iiift", before, first, (int64_t)LIST_ROWS, (int)runs, model);
  if (model && status)
    return postgres_db_query(db, LIST(" AND j.model_name = $4 AND j.status = $5"), "iiitt", before, first,
                             (int64_t)LIST_ROWS, model, status);
  if (model)
    return postgres_db_query(db, LIST(" AND j.model_name = $4"), "iiit", before, first, (int64_t)LIST_ROWS, model);
  if (status)
    return postgres_db_query(db, LIST(" AND j.status = $4"), "iiit", before, first, (int64_t)LIST_ROWS, status);
  return postgres_db_query(db, LIST(""), "iii", before, first, (int64_t)LIST_ROWS);
}

/* Takes the rows that belong to the list. Returns true if it is full. `looked_at`: number of rows examined; `last`: the
 * last of them. */
static bool take_rows(const list_reading *self, const PGresult *result, int64_t *last, size_t *looked_at) {
  service_job_list *out = self->out;
  for (int row = 0; row < PQntuples(result); row++) {
    if (out->count == self->limit || *looked_at == STORE_LOOKED_AT_ONCE) return true;
    service_job *job = &out->items[out->count];
    *last = postgres_integer(result, row, JOB_SEQ);
    ++*looked_at;
    job_of(result, row, job);
    if (store_job_fulfils(job, &self->filter))
      out->count++;
    else
      service_job_free(job);
  }
  return false;
}

/* Finds the first job created after `since`; later ones may have earlier times if clocks were set back. */
static service_status first_since(postgres_db *db, double since, int64_t *first) {
  *first = 0;
  if (!(since > 0)) return SERVICE_OK;
  PGresult *result =
      postgres_db_query(db, "SELECT coalesce(min(seq), 9223372036854775807) FROM jobs WHERE created >= $1", "d", since);
  if (!result) return postgres_db_failure(db);
  *first = postgres_integer(result, 0, 0);
  PQclear(result);
  return SERVICE_OK;
}

static service_status read_pages(list_reading *self, postgres_db *db) {
  int64_t first, last = self->before;
  size_t looked_at = 0;
  service_status status = first_since(db, self->filter.since, &first);
  bool full = false, end = false;
  while (status == SERVICE_OK && !full && !end) {
    PGresult *result = query_rows(db, &self->filter, last, first);
    if (!result) return postgres_db_failure(db);
    full = take_rows(self, result, &last, &looked_at);
    end = PQntuples(result) < LIST_ROWS;
    PQclear(result);
  }
  if (full) snprintf(self->out->next, sizeof self->out->next, "%lld", (long long)last);
  return status;
}

static service_status list_execute(postgres_reading *reading, postgres_reader *reader) {
  list_reading *self = (list_reading *)reading;
  service_job_list *out = self->out;
  *out = (service_job_list){.items = calloc(self->limit + 1, sizeof *out->items)};
  service_status status = out->items ? read_pages(self, &reader->db) : SERVICE_FAILED;
  if (status != SERVICE_OK) service_job_list_free(out);
  return status;
}

/* Copies of the filter's texts follow the reading in memory. */
static list_reading *new_list(const service_filter *filter) {
  enum { TEXTS = 5 };
  const char *texts[TEXTS] = {filter->status, filter->model_name, filter->client, filter->tag, filter->text};
  size_t sizes[TEXTS], all = 0;
  for (int i = 0; i < TEXTS; i++) all += sizes[i] = texts[i] ? strlen(texts[i]) + 1 : 0;
  list_reading *self = calloc(1, sizeof *self + all);
  if (!self) return NULL;
  char *end = (char *)(self + 1);
  self->filter = *filter;
  const char **copies[TEXTS] = {&self->filter.status, &self->filter.model_name, &self->filter.client, &self->filter.tag,
                                &self->filter.text};
  for (int i = 0; i < TEXTS; i++) {
    if (!texts[i]) continue;
    memcpy(end, texts[i], sizes[i]);
    *copies[i] = end;
    end += sizes[i];
  }
  return self;
}

static void list(srv_store *verbs, const service_filter *filter, size_t limit, const char *cursor,
                 service_job_list *out, store_done done, void *context) {
  int64_t before;
  *out = (service_job_list){0};
  if (!store_cursor_read(cursor, &before)) {
    done(context, SERVICE_NOT_FOUND);
    return;
  }
  list_reading *self = new_list(filter);
  if (self) {
    self->reading.execute = list_execute;
    self->limit = limit;
    self->before = before;
    self->out = out;
  }
  postgres_readers_post(&((postgres_store *)verbs)->readers, self ? &self->reading : NULL, done, context);
}

void postgres_job_reading_verbs(srv_store *verbs) {
  verbs->get = get;
  verbs->list = list;
  verbs->document = document;
  verbs->counts = counts;
}
