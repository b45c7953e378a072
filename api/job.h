/* job.h - what a worker does with one job: from the document's text to arrays, a report or an error. */
#ifndef API_JOB_H
#define API_JOB_H

#include "mbs.h"

#include <stdbool.h>
#include <stddef.h>

/* The worker process, as a job sees it. Every member may be 0. */
typedef struct job_host {
  void *host;
  bool (*progress)(void *host, double t, double fraction, uint64_t evaluations); /* false: stop, cancelled */
  double (*now)(void *host);                                                     /* monotonic seconds */
  void (*arrays)(void *host, const mbs_array *list, size_t count); /* all that follow, which last as long */
  /* Takes the next array, or where there is `rows`, only its head. NULL, or why it cannot be kept, in a text that lasts
   * until the job is over: no more of them follow. */
  const char *(*array)(void *host, const mbs_array *array, const char *labels_json);
  /* Takes rows first, ... (`count`) of the array number `position` of those it has: all of them in order. As array. */
  const char *(*rows)(void *host, size_t position, const mbs_array *array, size_t first, size_t count);
  /* Whether the rows that are finished are to come now, although the job goes on. */
  bool (*wants_rows)(void *host);
  /* That were all of them, the last one of time t. */
  void (*has_rows)(void *host, double t);
  /* The job is over: what is left of its arrays follows. */
  void (*computed)(void *host);
  size_t array_bytes; /* most that all arrays together may take; 0: no limit */
} job_host;

typedef struct job_outcome {
  char status[16]; /* succeeded, failed, cancelled */
  char *report;    /* JSON text, malloc'd; NULL where the model could not be built */
  char *error;     /* JSON text, malloc'd; NULL when succeeded: {"code","detail","t","element","pointer","errors"} */
} job_outcome;

/* Runs the job of a request body: {"model": ..., "analysis": ...} or a bare model document. */
void api_job_run(const char *text, size_t size, const mbs_limits *limits, const job_host *host, job_outcome *outcome);
void job_outcome_free(job_outcome *outcome);

#endif
