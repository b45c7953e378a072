/* job_reading.h - reads jobs, their documents, and their counts. */
#ifndef SERVER_STORE_SQLITE_QUEUE_JOB_READING_H
#define SERVER_STORE_SQLITE_QUEUE_JOB_READING_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs get, list, document and counts of a store. */
void sqlite_job_reading_verbs(srv_store *verbs);

/* Gets the attempt whose results a job shows, ended or `running`; 0 if there are none. Errors: NOT_FOUND, NOT_READY. */
service_status sqlite_job_shown(sqlite_store *self, const char *id, int *attempt, bool *running, bool *succeeded);

#endif
