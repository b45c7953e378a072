/* metrics.c - see metrics.h. */
#include "server/base/metrics.h"

#include "mbs.h"
#include "server/base/clock.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double bucket_bounds[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                       1,     2.5,    5,     10,   25,    50,   100, 250,  500};

enum { BUCKETS = sizeof bucket_bounds / sizeof bucket_bounds[0], STATUS_MAX = 600 };

/* Upper bounds of the durations of requests [s]. */
static const double request_bounds[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60};
enum { REQUEST_BUCKETS = sizeof request_bounds / sizeof request_bounds[0] };

/* Requests of one method to one route that were answered with one status. */
typedef struct route_times {
  const char *method, *route;
  int status;
  double seconds;
  uint64_t buckets[REQUEST_BUCKETS + 1];
} route_times;

struct srv_metrics {
  pthread_mutex_t mutex;
  uint64_t finished[JOB_STATES];
  uint64_t buckets[BUCKETS + 1]; /* durations up to each bound; the last one is beyond all bounds */
  double seconds;
  uint64_t evaluations, worker_deaths;
  uint64_t answers[STATUS_MAX];
  route_times *routes;
  size_t route_count;
};

srv_metrics *srv_metrics_new(void) {
  srv_metrics *metrics = calloc(1, sizeof *metrics);
  if (metrics) pthread_mutex_init(&metrics->mutex, NULL);
  return metrics;
}

void srv_metrics_free(srv_metrics *metrics) {
  if (!metrics) return;
  pthread_mutex_destroy(&metrics->mutex);
  free(metrics->routes);
  free(metrics);
}

void srv_metrics_job(srv_metrics *metrics, job_state state, double seconds, uint64_t evaluations) {
  assert(state >= JOB_SUCCEEDED && state < JOB_STATES);
  size_t bucket = 0;
  while (bucket < BUCKETS && seconds > bucket_bounds[bucket]) bucket++;
  pthread_mutex_lock(&metrics->mutex);
  metrics->finished[state]++;
  metrics->buckets[bucket]++;
  metrics->seconds += seconds;
  metrics->evaluations += evaluations;
  pthread_mutex_unlock(&metrics->mutex);
}

void srv_metrics_worker_death(srv_metrics *metrics) {
  pthread_mutex_lock(&metrics->mutex);
  metrics->worker_deaths++;
  pthread_mutex_unlock(&metrics->mutex);
}

/* Returns the static text of a method; a client can send any. */
static const char *method_name(const char *method) {
  static const char *const names[] = {"GET", "POST", "HEAD", "DELETE", "PATCH", "OPTIONS", "PUT"};
  for (size_t i = 0; method && i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], method) == 0) return names[i];
  return "other";
}

/* Returns the row of a method, route and status, which it adds if necessary; NULL if memory runs out. */
static route_times *row_of(srv_metrics *metrics, const char *method, const char *route, int status) {
  for (size_t i = 0; i < metrics->route_count; i++) {
    route_times *row = &metrics->routes[i];
    if (row->route == route && row->status == status && row->method == method) return row;
  }
  route_times *larger = realloc(metrics->routes, (metrics->route_count + 1) * sizeof *larger);
  if (!larger) return NULL;
  metrics->routes = larger;
  larger[metrics->route_count] = (route_times){.method = method, .route = route, .status = status};
  return &larger[metrics->route_count++];
}

void srv_metrics_answer(srv_metrics *metrics, const char *method, const char *route, int status, double seconds) {
  if (status < 0 || status >= STATUS_MAX) return;
  static const char other[] = "other";
  size_t bucket = 0;
  while (bucket < REQUEST_BUCKETS && seconds > request_bounds[bucket]) bucket++;
  pthread_mutex_lock(&metrics->mutex);
  metrics->answers[status]++;
  route_times *row = row_of(metrics, method_name(method), route ? route : other, status);
  if (row) row->buckets[bucket]++;
  if (row) row->seconds += seconds;
  pthread_mutex_unlock(&metrics->mutex);
}

static void write_head(FILE *out, const char *name, const char *type, const char *help) {
  fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_value(FILE *out, const char *name, const char *type, const char *help, double value) {
  write_head(out, name, type, help);
  fprintf(out, "%s %.17g\n", name, value);
}

static void write_gauges(FILE *out, const srv_gauges *gauges) {
  write_head(out, "mbsd_build_info", "gauge", "Version of the program.");
  fprintf(out, "mbsd_build_info{version=\"%s\"} 1\n", MBS_VERSION);
  write_head(out, "mbsd_jobs", "gauge", "Jobs in the store by state.");
  for (int i = 0; i < JOB_STATES; i++)
    fprintf(out, "mbsd_jobs{status=\"%s\"} %zu\n", job_state_name((job_state)i), gauges->jobs[i]);
  write_value(out, "mbsd_queue_length", "gauge", "Queued jobs.", (double)gauges->jobs[JOB_QUEUED]);
  write_value(out, "mbsd_workers", "gauge", "Running worker processes for jobs.", (double)gauges->workers);
  write_value(out, "mbsd_workers_busy", "gauge", "Worker processes that are running a job.",
              (double)gauges->workers_busy);
  write_value(out, "mbsd_http_connections", "gauge", "Open connections.", (double)gauges->connections);
  write_value(out, "mbsd_accepting", "gauge", "1 if the service accepts new jobs.", gauges->accepting);
}

static void write_file_sizes(FILE *out, const srv_storage *storage) {
  write_head(out, "mbsd_database_bytes", "gauge", "Sizes of the database files and their write-ahead logs.");
  fprintf(out, "mbsd_database_bytes{file=\"queue.db\"} %.17g\n", storage->queue_bytes);
  fprintf(out, "mbsd_database_bytes{file=\"queue.db-wal\"} %.17g\n", storage->queue_wal_bytes);
  fprintf(out, "mbsd_database_bytes{file=\"results.db\"} %.17g\n", storage->results_bytes);
  fprintf(out, "mbsd_database_bytes{file=\"results.db-wal\"} %.17g\n", storage->results_wal_bytes);
  write_value(out, "mbsd_disk_free_bytes", "gauge", "Free space of the disk with the data folder.",
              storage->free_bytes);
  write_value(out, "mbsd_disk_reserve_bytes", "gauge", "Free space below which jobs are refused (--disk-reserve).",
              storage->reserve_bytes);
}

/* A database server does not report its disk to its users, so only table sizes are written. */
static void write_table_sizes(FILE *out, const srv_storage *storage) {
  write_head(out, "mbsd_database_bytes", "gauge", "Sizes of the tables with their indexes.");
  fprintf(out, "mbsd_database_bytes{tables=\"jobs\"} %.17g\n", storage->queue_bytes);
  fprintf(out, "mbsd_database_bytes{tables=\"results\"} %.17g\n", storage->results_bytes);
}

static void write_storage(FILE *out, const srv_storage *storage) {
  if (storage->shared)
    write_table_sizes(out, storage);
  else
    write_file_sizes(out, storage);
  write_value(out, "mbsd_database_used_bytes", "gauge",
              "Size of all documents, reports and results in the database (limit: --keep-bytes).", storage->used_bytes);
  write_value(out, "mbsd_storage_fault", "gauge",
              "1 if the data folder or a database has a fault (reported at /readyz).", storage->fault[0] != '\0');
  write_value(out, "mbsd_jobs_retired_total", "counter", "Jobs removed because of --keep-days or --keep-bytes.",
              (double)storage->retired);
  write_value(out, "mbsd_checksum_failures_total", "counter",
              "Stored results and jobs that did not match their checksum when read.",
              (double)storage->checksum_failures);
  if (storage->oldest_end > 0)
    write_value(out, "mbsd_oldest_job_age_seconds", "gauge", "Time since the oldest finished job finished.",
                srv_clock_wall() - storage->oldest_end);
  if (storage->last_backup > 0)
    write_value(out, "mbsd_last_backup_timestamp_seconds", "gauge",
                "Time of the last backup of this folder by mbsd --backup.", storage->last_backup);
}

static void write_counters(FILE *out, const srv_metrics *metrics) {
  write_head(out, "mbsd_jobs_finished_total", "counter", "Jobs that finished since the service started, by state.");
  for (int i = JOB_SUCCEEDED; i < JOB_STATES; i++) {
    fprintf(out, "mbsd_jobs_finished_total{status=\"%s\"} %llu\n", job_state_name((job_state)i),
            (unsigned long long)metrics->finished[i]);
  }
  write_head(out, "mbsd_job_duration_seconds", "histogram", "Wall-clock time of the last attempt of a job.");
  uint64_t count = 0;
  for (size_t i = 0; i < BUCKETS; i++) {
    count += metrics->buckets[i];
    fprintf(out, "mbsd_job_duration_seconds_bucket{le=\"%g\"} %llu\n", bucket_bounds[i], (unsigned long long)count);
  }
  count += metrics->buckets[BUCKETS];
  fprintf(out, "mbsd_job_duration_seconds_bucket{le=\"+Inf\"} %llu\n", (unsigned long long)count);
  fprintf(out, "mbsd_job_duration_seconds_sum %.17g\n", metrics->seconds);
  fprintf(out, "mbsd_job_duration_seconds_count %llu\n", (unsigned long long)count);
  write_value(out, "mbsd_function_evaluations_total", "counter",
              "Evaluations of the equations of motion by finished jobs.", (double)metrics->evaluations);
  write_value(out, "mbsd_worker_deaths_total", "counter",
              "Worker processes that crashed or were killed while running a job.", (double)metrics->worker_deaths);
  write_head(out, "mbsd_http_answers_total", "counter", "HTTP responses by status code.");
  for (int i = 0; i < STATUS_MAX; i++) {
    if (metrics->answers[i] > 0)
      fprintf(out, "mbsd_http_answers_total{code=\"%d\"} %llu\n", i, (unsigned long long)metrics->answers[i]);
  }
}

static void write_routes(FILE *out, const srv_metrics *metrics) {
  static const char name[] = "mbsd_http_request_duration_seconds";
  write_head(out, name, "histogram",
             "Time from the first line of a request until its answer, with the wait for a job, by route.");
  for (const route_times *row = metrics->routes; row < metrics->routes + metrics->route_count; row++) {
    char labels[256];
    uint64_t count = 0;
    snprintf(labels, sizeof labels, "method=\"%s\",route=\"%s\",code=\"%d\"", row->method, row->route, row->status);
    for (size_t i = 0; i < REQUEST_BUCKETS; i++) {
      count += row->buckets[i];
      fprintf(out, "%s_bucket{%s,le=\"%g\"} %llu\n", name, labels, request_bounds[i], (unsigned long long)count);
    }
    count += row->buckets[REQUEST_BUCKETS];
    fprintf(out, "%s_bucket{%s,le=\"+Inf\"} %llu\n", name, labels, (unsigned long long)count);
    fprintf(out, "%s_sum{%s} %.17g\n%s_count{%s} %llu\n", name, labels, row->seconds, name, labels,
            (unsigned long long)count);
  }
}

char *srv_metrics_text(srv_metrics *metrics, const srv_gauges *gauges) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  write_gauges(out, gauges);
  write_storage(out, &gauges->storage);
  pthread_mutex_lock(&metrics->mutex);
  write_counters(out, metrics);
  write_routes(out, metrics);
  pthread_mutex_unlock(&metrics->mutex);
  if (fclose(out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}
