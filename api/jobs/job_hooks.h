/* job_hooks.h - the callbacks through which a job reports and asks while it runs. */
#ifndef API_JOBS_JOB_HOOKS_H
#define API_JOBS_JOB_HOOKS_H

#include "mbs.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct api_block_result;

/* Runs of a study that other processes may make. */
typedef struct job_share {
  const mbs_model *model;
  size_t first, runs;
  size_t together;    /* number of runs that take about as long as one run */
  double run_seconds; /* time of such a run [s]; 0: not known */
} job_share;

/* State of shared runs. */
typedef enum job_shared {
  JOB_SHARED_BLOCK,       /* a block is finished */
  JOB_SHARED_LATER,       /* no block is finished yet */
  JOB_SHARED_ALL_CRASHED, /* processes crash in run after run */
  JOB_SHARED_FAILED       /* memory ran out */
} job_shared;

/* Callbacks to the process that runs a job. Every member may be 0. */
typedef struct job_hooks {
  void *context;
  bool (*progress)(void *context, double t, double fraction, uint64_t evaluations); /* false: cancel */
  double (*now)(void *context);                                                     /* seconds of a monotonic clock */
  void (*built)(void *context, const mbs_model *model); /* the model of the job, before it runs */
  void (*study)(void *context, size_t runs); /* the job is a study with that many runs; its progress has no t */
  /* Offers runs to other processes. Called between runs and during a run. Returns false if there are no other
   * processes; it is then not called again. */
  bool (*share)(void *context, const job_share *share);
  /* Returns a block from run `first` on (block.h) that another process made; waits for it a moment. `ahead`: number of
   * runs, with fractions of runs in progress, that other processes have made and that were not taken, including this
   * block. */
  job_shared (*shared)(void *context, size_t first, struct api_block_result *made, double *ahead);
  void (*arrays)(void *context, const mbs_array *list,
                 size_t count); /* all arrays that follow, valid as long as the job runs */
  /* Receives the next array, or only its head if the hook `rows` is set. Returns NULL, or why the array cannot be
   * stored, in a text that lasts until the end of the job; no more arrays follow then. */
  const char *(*array)(void *context, const mbs_array *array, const char *labels_json, const char *units_json);
  /* Receives rows first, first + 1, ... (`count`) of array number `position`, in order. Returns as `array` does. */
  const char *(*rows)(void *context, size_t position, const mbs_array *array, size_t first, size_t count);
  /* Returns true if finished rows are wanted now, although the job goes on. */
  bool (*wants_rows)(void *context);
  /* Marks the end of these rows; the last one has time t. */
  void (*has_rows)(void *context, double t);
  /* The computation has ended; the remaining rows follow. */
  void (*computed)(void *context);
  /* Takes ownership of the report of a run in shortened form, which then has no text in the outcome (outcome.h). */
  void (*report)(void *context, json_t *report);
  size_t array_bytes; /* limit of all arrays together; 0: none */
} job_hooks;

#endif
