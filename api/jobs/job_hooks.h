/* job_hooks.h - what a job asks for and tells while it runs. */
#ifndef API_JOBS_JOB_HOOKS_H
#define API_JOBS_JOB_HOOKS_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct api_block_result;

/* Runs of a study that others are to make. */
typedef struct job_share {
  const mbs_model *model;
  size_t first, runs;
  size_t together;    /* of which so many take about as long as one */
  double run_seconds; /* that takes; 0: it is not known */
} job_share;

/* What has become of them. */
typedef enum job_shared {
  JOB_SHARED_BLOCK,       /* they made some */
  JOB_SHARED_LATER,       /* not yet */
  JOB_SHARED_ALL_CRASHED, /* they die of one after another */
  JOB_SHARED_FAILED       /* there is no memory for them */
} job_shared;

/* The process that runs a job, as the job sees it. Every member may be 0. */
typedef struct job_hooks {
  void *context;
  bool (*progress)(void *context, double t, double fraction, uint64_t evaluations); /* false: stop, cancelled */
  double (*now)(void *context);                                                     /* monotonic seconds */
  void (*study)(void *context, size_t runs); /* the job is a study of so many runs; its progress has no t */
  /* Has others make runs. It is called between runs and while one goes on. False: there are no others, and it is not
   * called again. */
  bool (*share)(void *context, const job_share *share);
  /* Takes what others made from run `first` on (block.h), which they were asked for; waits for it a moment. `ahead`: so
   * many runs, and parts of runs, they have made that are not taken, with this block. */
  job_shared (*shared)(void *context, size_t first, struct api_block_result *made, double *ahead);
  void (*arrays)(void *context, const mbs_array *list, size_t count); /* all that follow, which last as long */
  /* Takes the next array, or where there is `rows`, only its head. NULL, or why it cannot be kept, in a text that lasts
   * until the job is over: no more of them follow. */
  const char *(*array)(void *context, const mbs_array *array, const char *labels_json, const char *units_json);
  /* Takes rows first, ... (`count`) of the array number `position` of those it has: all of them in order. As array. */
  const char *(*rows)(void *context, size_t position, const mbs_array *array, size_t first, size_t count);
  /* Whether the rows that are finished are to come now, although the job goes on. */
  bool (*wants_rows)(void *context);
  /* That were all of them, the last one of time t. */
  void (*has_rows)(void *context, double t);
  /* The job is over: what is left of its arrays follows. */
  void (*computed)(void *context);
  /* Takes over what is printed of the report of a run, in the place of its text (outcome.h). */
  void (*report)(void *context, json_t *report);
  size_t array_bytes; /* most that all arrays together may take; 0: no limit */
} job_hooks;

#endif
