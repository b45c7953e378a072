/* finish.h - changes of both files: the end of a run, its return to the queue, the removal of a job.
 *
 * Two files have no common commit, so each change is a chain of transactions in an order that is correct wherever it is
 * interrupted:
 *
 *     finish   results: all has arrived      -> queue: the job ends    -> results: settle this run, drop older ones
 *     requeue  results: cut this, drop older -> queue: the job is back -> results, if that is refused: drop this run
 *     remove   results: unsettle the runs    -> queue: the job goes    -> results: drop all of its runs
 *
 * Runs younger than this one stay, because this run may have lost the job. If results are missing, the queue determines
 * whether that is the reason.
 *
 * When the store is opened it examines each run that is not settled: the run stays if its job shows it or waits to run
 * again. */
#ifndef SERVER_STORE_SQLITE_QUEUE_FINISH_H
#define SERVER_STORE_SQLITE_QUEUE_FINISH_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs finish, requeue and remove of a store. */
void sqlite_finish_verbs(srv_store *verbs);

/* Removes a job as the verb remove, if it has ended and has no `keep`; any other job is NOT_FOUND. */
void sqlite_remove_ended(sqlite_store *store, const char *id, store_done done, void *context);

#endif
