/* job_state.c - see job_state.h. */
#include "server/base/job_state.h"

#include <assert.h>
#include <string.h>

static const char *const state_names[JOB_STATES] = {"queued", "running", "succeeded", "failed", "cancelled"};

const char *job_state_name(job_state state) {
  assert(state < JOB_STATES);
  return state_names[state];
}

job_state job_state_find(const char *name) {
  for (int i = 0; i < JOB_STATES; i++)
    if (strcmp(name, state_names[i]) == 0) return (job_state)i;
  return JOB_STATES;
}
