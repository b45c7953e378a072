/* job_changes.h - changes of a job by other callers than its runner: cancel, change, remove. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_JOB_CHANGES_H
#define SERVER_STORE_POSTGRES_QUEUE_JOB_CHANGES_H

#include "server/store/postgres/connection/writer.h"

/* Sets the verbs cancel, change and remove of a store. */
void postgres_job_change_verbs(srv_store *verbs);

#endif
