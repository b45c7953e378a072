/* job_reading.h - reads jobs, lists of jobs, documents, counts. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_JOB_READING_H
#define SERVER_STORE_POSTGRES_QUEUE_JOB_READING_H

#include "server/store/store.h"

/* Sets the verbs get, list, document and counts of a store. */
void postgres_job_reading_verbs(srv_store *verbs);

#endif
