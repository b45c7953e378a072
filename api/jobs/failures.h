/* failures.h - what runs of a study ended with, each kind once. */
#ifndef API_JOBS_FAILURES_H
#define API_JOBS_FAILURES_H

#include "mbs.h"

#include <jansson.h>

typedef struct api_failure {
  mbs_error error; /* of the first run that has it */
  size_t count, first;
} api_failure;

typedef struct api_failures {
  api_failure items[MBS_STATUS_COUNT]; /* in the order of their first runs */
  size_t count;
  size_t runs; /* that failed */
} api_failures;

/* Counts a failure of run `index`, of runs in the order of their indices; its number in the list, from 1. */
size_t api_failures_add(api_failures *failures, const mbs_error *error, size_t index);
/* The commonest; NULL: none failed. */
const api_failure *api_failures_commonest(const api_failures *failures);
/* [{"code", "detail", "count", "first"}, ...] */
json_t *api_failures_json(const api_failures *failures);

#endif
