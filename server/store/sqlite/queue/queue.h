/* queue.h - changes of queued jobs: claim, requeue, cancel, change, and recovery after a daemon died. */
#ifndef SERVER_STORE_SQLITE_QUEUE_QUEUE_H
#define SERVER_STORE_SQLITE_QUEUE_QUEUE_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/store.h"

/* Sets the verbs claim, claim_short, claim_next_block, stop_claims, cancel and change of a store. */
void sqlite_queue_verbs(srv_store *verbs);

/* Queues again the jobs that ran when a daemon died; ends them if a cancel was requested or their workers died too
 * often. */
service_status sqlite_queue_recover(sqlite_db *queue);

/* Recounts the jobs of each state, and the waiting and running jobs and the bytes of each client. */
service_status sqlite_queue_count(sqlite_db *queue);

/* Gives a running job back, or ends it if a cancel was requested. As the verb requeue. */
service_status sqlite_queue_requeue(sqlite_db *queue, const store_run *run, double t, bool crashed, bool *ended);

/* Determines whether the results of a run that does not hold its job are the job's last results: the job shows them
 * (`shown`), or waits to run again, or is damaged. */
service_status sqlite_queue_wants(sqlite_db *queue, const store_run *run, bool *wanted, bool *shown);

#endif
