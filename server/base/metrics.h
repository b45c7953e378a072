/* metrics.h - what the service counts, for GET /metrics (Prometheus' text format 0.0.4). Any thread. */
#ifndef SERVER_BASE_METRICS_H
#define SERVER_BASE_METRICS_H

#include "server/base/job_state.h"
#include "server/base/storage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct srv_metrics srv_metrics;

/* What is looked up when the metrics are asked for. */
typedef struct srv_gauges {
  size_t jobs[JOB_STATES];
  size_t workers, workers_busy;
  size_t connections;
  srv_storage storage;
  bool accepting; /* whether new jobs are taken */
} srv_gauges;

srv_metrics *srv_metrics_new(void);
void srv_metrics_free(srv_metrics *metrics);

/* A job ended in `state` after `seconds` of work and so many evaluations of the equations of motion. */
void srv_metrics_job(srv_metrics *metrics, job_state state, double seconds, uint64_t evaluations);
/* A worker died of a job, or was killed. */
void srv_metrics_worker_death(srv_metrics *metrics);
/* An answer went out. */
void srv_metrics_answer(srv_metrics *metrics, int status);

/* The text, malloc'd; NULL when memory is short. */
char *srv_metrics_text(srv_metrics *metrics, const srv_gauges *gauges);

#endif
