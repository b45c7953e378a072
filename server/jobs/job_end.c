/* job_end.c - see job_end.h. */
#include "server/jobs/job_end.h"

#include "api/base/text.h"
#include "server/base/clock.h"
#include "server/base/log.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double retry_seconds = 1;

char *job_end_error(const char *code, const char *detail, double t) {
  json_t *error = json_pack("{s:s, s:s, s:f, s:n, s:n}", "code", code, "detail", detail, "t", t, "element", "pointer");
  char *text = error ? json_dumps(error, JSON_COMPACT) : NULL;
  json_decref(error);
  return text;
}

/* ---- endings ---------------------------------------------------------------------------------------------------- */

static void ending_free(job_ending *ending) {
  free(ending->report);
  free(ending->error);
  free(ending);
}

static void ending_settled(job_ending *ending) {
  srv_pool *pool = ending->pool;
  pthread_mutex_lock(&pool->mutex);
  assert(pool->endings_open > 0 && pool->endings_failing <= pool->endings_open);
  pool->endings_open--;
  if (ending->retry_at > 0) pool->endings_failing--;
  pthread_mutex_unlock(&pool->mutex);
  ending_free(ending);
}

static void ending_done(void *context, service_status status);

static void ending_post(job_ending *ending) {
  assert(ending->end.state >= JOB_SUCCEEDED && ending->end.state < JOB_STATES);
  ending->end.report = ending->report;
  ending->end.error = ending->error;
  ending->pool->store->finish(ending->pool->store, &ending->end, ending_done, ending);
}

/* The results could not be stored (the disk is full): the job keeps its report and fails. */
static void without_results(job_ending *ending) {
  free(ending->error);
  ending->error = job_end_error("results_not_kept",
                                "the result arrays could not be stored: the disk is full, or the free space reached "
                                "--disk-reserve (see the log of the service). Delete jobs, then submit this job again",
                                ending->end.progress.t);
  ending->end.state = JOB_FAILED;
  ending->end.extent = (store_extent){0};
}

/* The store refuses this end permanently, and retries would hold the job for ever. The job fails with an error that a
 * store can hardly refuse. If it does, nothing of the job can be recorded until its lease expires. */
static void ending_rejected(job_ending *ending) {
  srv_log(SRV_ERROR, "job_end_rejected",
          (srv_field[]){srv_text("id", ending->end.run.id),
                        srv_text("status", job_state_name(ending->end.state)),
                        srv_number("attempt", ending->end.run.attempt),
                        {0}});
  if (ending->rejected) {
    ending_settled(ending);
    return;
  }
  char detail[160];
  snprintf(detail, sizeof detail,
           "the job finished as '%s', but the database could not store this state; see the log of the service",
           job_state_name(ending->end.state));
  ending->rejected = true;
  free(ending->report);
  free(ending->error);
  ending->report = NULL;
  ending->error = job_end_error("end_not_kept", detail, ending->end.progress.t);
  ending->end = (store_end){.run = ending->end.run, .state = JOB_FAILED, .extent = ending->end.extent};
  ending_post(ending);
}

/* Called on the store's thread. */
static void ending_done(void *context, service_status status) {
  job_ending *ending = context;
  srv_pool *pool = ending->pool;
  if (status == SERVICE_OK) {
    srv_metrics_job(pool->metrics, ending->end.state, ending->seconds, ending->end.progress.evaluations);
    srv_log(SRV_INFO, "job_finished",
            (srv_field[]){srv_text("id", ending->end.run.id),
                          srv_text("status", job_state_name(ending->end.state)),
                          srv_number("seconds", ending->seconds),
                          srv_number("attempt", ending->end.run.attempt),
                          srv_number("evaluations", (double)ending->end.progress.evaluations),
                          {0}});
    ending_settled(ending);
  } else if (status == SERVICE_NOT_FOUND) {
    srv_log(SRV_INFO, "job_end_refused",
            (srv_field[]){srv_text("id", ending->end.run.id), srv_number("attempt", ending->end.run.attempt), {0}});
    ending_settled(ending);
  } else if (status == SERVICE_NOT_READY) {
    without_results(ending);
    ending_post(ending);
  } else if (status == SERVICE_REJECTED) {
    ending_rejected(ending);
  } else {
    pthread_mutex_lock(&pool->mutex);
    if (ending->retry_at == 0) pool->endings_failing++;
    ending->retry_at = srv_clock_monotonic() + retry_seconds;
    ending->next = pool->retries;
    pool->retries = ending;
    pthread_mutex_unlock(&pool->mutex);
  }
}

/* Takes out the retries due by `now`, and all those of a run (NULL: of none). */
static job_ending *take_retries(srv_pool *pool, double now, const store_run *run) {
  job_ending *taken = NULL;
  pthread_mutex_lock(&pool->mutex);
  for (job_ending **link = &pool->retries; *link;) {
    job_ending *ending = *link;
    if (now < ending->retry_at && !(run && pool_run_is(&ending->end.run, run))) {
      link = &ending->next;
    } else {
      *link = ending->next;
      ending->next = taken;
      taken = ending;
    }
  }
  pthread_mutex_unlock(&pool->mutex);
  return taken;
}

void job_end_retry(srv_pool *pool, double now) {
  for (job_ending *due = take_retries(pool, now, NULL), *next; due; due = next) {
    next = due->next;
    ending_post(due);
  }
}

void job_end_drop(srv_pool *pool, const store_run *run) {
  for (job_ending *dropped = take_retries(pool, -INFINITY, run), *next; dropped; dropped = next) {
    next = dropped->next;
    ending_settled(dropped);
  }
}

void job_end_forget(srv_pool *pool) {
  for (job_ending *ending; (ending = pool->retries);) {
    pool->retries = ending->next;
    ending_free(ending);
  }
}

void job_end_run(srv_pool *pool, const pool_run *run, job_state state, char *report, char *error) {
  assert(!run->run.is_block);
  job_ending *ending = calloc(1, sizeof *ending);
  if (!ending) {
    /* The lease expires, and the job runs again. */
    free(report);
    free(error);
    return;
  }
  *ending = (job_ending){.pool = pool,
                         .end = {.run = run->run,
                                 .state = state,
                                 .seconds = run->seconds,
                                 .progress = run->progress,
                                 .extent = run->extent},
                         .report = report,
                         .error = error,
                         .seconds = srv_clock_monotonic() - run->started};
  if (state == JOB_SUCCEEDED) ending->end.progress.fraction = 1;
  if (run->stop == POOL_STOP_NOT_KEPT) without_results(ending);
  pthread_mutex_lock(&pool->mutex);
  pool->endings_open++;
  pthread_mutex_unlock(&pool->mutex);
  ending_post(ending);
}

void job_end_outcome(pool_worker *worker, const char *status, const char *report, const char *error) {
  job_end_run(worker->pool, &worker->run, job_state_find(status), api_text_copy(report), api_text_copy(error));
}

/* ---- back to the queue ------------------------------------------------------------------------------------------- */

typedef struct requeueing {
  srv_pool *pool;
  store_run run;
} requeueing;

/* Called on the store's thread. After a failure the lease expires eventually. */
static void requeue_done(void *context, service_status status) {
  requeueing *self = context;
  srv_log(SRV_INFO, "job_requeued",
          (srv_field[]){srv_text("id", self->run.id),
                        srv_number("attempt", self->run.attempt),
                        srv_text("result", status == SERVICE_OK ? "ok" : "refused"),
                        {0}});
  pthread_mutex_lock(&self->pool->mutex);
  assert(self->pool->endings_open > 0);
  self->pool->endings_open--;
  pthread_mutex_unlock(&self->pool->mutex);
  free(self);
}

static void requeue(srv_pool *pool, const store_run *run, double t, bool crashed) {
  requeueing *self = malloc(sizeof *self);
  if (!self) return;
  *self = (requeueing){pool, *run};
  pthread_mutex_lock(&pool->mutex);
  pool->endings_open++;
  pthread_mutex_unlock(&pool->mutex);
  pool->store->requeue(pool->store, run, t, crashed, requeue_done, self);
}

void job_end_give_back(srv_pool *pool, const store_run *run) { requeue(pool, run, 0, false); }

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Called on the store's thread. A block that could not be stored is computed again. */
static void block_done(void *context, service_status status) {
  requeueing *self = context;
  srv_pool *pool = self->pool;
  if (status != SERVICE_OK && status != SERVICE_NOT_FOUND) requeue(pool, &self->run, 0, false);
  pthread_mutex_lock(&pool->mutex);
  pool->endings_open--;
  pthread_mutex_unlock(&pool->mutex);
  free(self);
}

void job_end_block(pool_worker *worker, const store_block *block) {
  srv_pool *pool = worker->pool;
  assert(worker->run.run.is_block && block->runs <= worker->run.runs);
  srv_log(SRV_DEBUG, "block_finished",
          (srv_field[]){srv_text("id", worker->run.run.id),
                        srv_number("attempt", worker->run.run.attempt),
                        srv_number("worker", worker->pid),
                        srv_number("first", (double)block->first),
                        srv_number("runs", (double)block->runs),
                        srv_number("seconds", block->seconds),
                        {0}});
  if (block->runs == 0) {
    requeue(pool, &worker->run.run, 0, false);
    return;
  }
  requeueing *self = malloc(sizeof *self);
  if (!self) return; /* the lease expires */
  *self = (requeueing){pool, worker->run.run};
  pthread_mutex_lock(&pool->mutex);
  pool->endings_open++;
  pthread_mutex_unlock(&pool->mutex);
  pool->store->finish_block(pool->store, &worker->run.run, block, block_done, self);
}

/* The block is computed again, split into smaller ones, so that the run that kills workers is found. */
static void block_death(const pool_worker *worker, bool blameless) {
  pool_stop stop = worker->run.stop;
  bool crashed = !blameless && (stop == POOL_STOP_NONE || stop == POOL_STOP_BROKEN || stop == POOL_STOP_TIMED_OUT);
  requeue(worker->pool, &worker->run.run, 0, crashed);
}

void job_end_unstarted(srv_pool *pool, const store_claim *claim) {
  requeue(pool, &claim->run, 0, false);
  free(claim->document);
}

void job_end_death(pool_worker *worker, const char *why, bool blameless) {
  srv_pool *pool = worker->pool;
  const pool_run *run = &worker->run;
  char detail[256];
  assert(worker->has_run);
  srv_metrics_worker_death(pool->metrics);
  if (run->run.is_block) {
    block_death(worker, blameless);
    return;
  }
  switch (run->stop) {
  case POOL_STOP_CANCELLED:
  case POOL_STOP_REMOVED:
    job_end_run(worker->pool, &worker->run, JOB_CANCELLED, NULL,
                job_end_error("cancelled", "stopped on request", run->progress.t));
    return;
  case POOL_STOP_NOT_KEPT: job_end_run(worker->pool, &worker->run, JOB_FAILED, NULL, NULL); return;
  case POOL_STOP_TIMED_OUT:
    snprintf(detail, sizeof detail,
             "the job exceeded the limit of %g s (--job-seconds) and did not respond to the request to stop",
             pool->settings.job.seconds);
    job_end_run(worker->pool, &worker->run, JOB_FAILED, NULL, job_end_error("timed_out", detail, run->progress.t));
    return;
  case POOL_STOP_DRAINED: requeue(pool, &run->run, run->progress.t, false); return;
  case POOL_STOP_NONE:
  case POOL_STOP_BROKEN: break;
  }
  if (blameless || run->crashes < POOL_MOST_CRASHES) {
    requeue(pool, &run->run, run->progress.t, !blameless);
    return;
  }
  snprintf(detail, sizeof detail, "the worker process %s while running this job, for the second time", why);
  job_end_run(worker->pool, &worker->run, JOB_FAILED, NULL, job_end_error("worker_crashed", detail, run->progress.t));
}
