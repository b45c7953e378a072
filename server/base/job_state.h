/* job_state.h - the states of a job. */
#ifndef SERVER_BASE_JOB_STATE_H
#define SERVER_BASE_JOB_STATE_H

/* States in the order of job_state_name(). */
typedef enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED, JOB_STATES } job_state;

/* Returns "queued", "running", ... */
const char *job_state_name(job_state state);
/* Returns the state of a name; JOB_STATES if there is none. */
job_state job_state_find(const char *name);

#endif
