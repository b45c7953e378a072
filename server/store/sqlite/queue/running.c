/* running.c - see running.h. */
#include "server/store/sqlite/queue/running.h"

#include "api/base/array_grow.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static running_job *find(const sqlite_running *running, const char *id) {
  for (size_t i = 0; i < running->count; i++)
    if (strcmp(running->jobs[i].run.id, id) == 0) return &running->jobs[i];
  return NULL;
}

/* Returns NULL if memory runs out. */
static running_job *add(sqlite_running *running) {
  running_job *jobs = api_array_grow(running->jobs, running->count, &running->capacity, sizeof *jobs);
  if (!jobs) return NULL;
  running->jobs = jobs;
  return &jobs[running->count++];
}

void sqlite_running_begin(sqlite_running *running, const store_run *run) {
  assert(run->attempt > 0 && !run->is_block);
  pthread_mutex_lock(&running->mutex);
  running_job *job = find(running, run->id);
  if (!job) job = add(running);
  if (job) *job = (running_job){.run = *run};
  pthread_mutex_unlock(&running->mutex);
}

void sqlite_running_end(sqlite_running *running, const store_run *run) {
  pthread_mutex_lock(&running->mutex);
  running_job *job = find(running, run->id);
  if (job && (run->attempt == 0 || run->attempt == job->run.attempt)) *job = running->jobs[--running->count];
  pthread_mutex_unlock(&running->mutex);
}

bool sqlite_running_tell(sqlite_running *running, const store_run *run, const store_progress *progress) {
  assert(!run->is_block); /* a block reports no progress */
  pthread_mutex_lock(&running->mutex);
  running_job *job = find(running, run->id);
  bool runs = job && job->run.attempt == run->attempt;
  if (runs) job->progress = *progress;
  pthread_mutex_unlock(&running->mutex);
  return runs;
}

void sqlite_running_show(sqlite_running *running, service_job *job) {
  if (strcmp(job->status, job_state_name(JOB_RUNNING)) != 0) return;
  pthread_mutex_lock(&running->mutex);
  const running_job *found = find(running, job->id);
  if (found && found->run.attempt == job->attempt) {
    job->progress_t = found->progress.t;
    job->progress_fraction = found->progress.fraction;
    job->progress_evaluations = found->progress.evaluations;
  }
  pthread_mutex_unlock(&running->mutex);
}
