/* metrics.h - the counters of the service, for GET /metrics (Prometheus text format 0.0.4). Any thread. */
#ifndef SERVER_BASE_METRICS_H
#define SERVER_BASE_METRICS_H

#include "server/base/job_state.h"
#include "server/base/storage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct srv_metrics srv_metrics;

/* Values that are read when the metrics are requested. */
typedef struct srv_gauges {
  size_t jobs[JOB_STATES];
  size_t workers, workers_busy;
  size_t connections;
  srv_storage storage;
  bool accepting; /* new jobs are accepted */
} srv_gauges;

srv_metrics *srv_metrics_new(void);
void srv_metrics_free(srv_metrics *metrics);

/* Counts a job that ended in `state` after `seconds` of work and `evaluations` evaluations of the equations of
 * motion. */
void srv_metrics_job(srv_metrics *metrics, job_state state, double seconds, uint64_t evaluations);
/* Counts a worker that died during a job or was killed. */
void srv_metrics_worker_death(srv_metrics *metrics);
/* Counts an answer, and the time from the first line of its request until it is sent [s]. `route` is a static text such
 * as "/api/v1/jobs/{id}", or NULL for another path; `method` may be NULL. */
void srv_metrics_answer(srv_metrics *metrics, const char *method, const char *route, int status, double seconds);

/* Returns the text, malloc'd; NULL if memory runs out. */
char *srv_metrics_text(srv_metrics *metrics, const srv_gauges *gauges);

#endif
