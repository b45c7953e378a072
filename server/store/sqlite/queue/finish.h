/* finish.h - changes that touch both files: the end of a run, its return to the queue, the removal of a job.
 *
 * Two files do not commit together, so each change is a chain of transactions in an order that is right wherever it
 * breaks off:
 *
 *     finish   results: all has arrived      -> queue: the job ends    -> results: settle this run, drop older ones
 *     requeue  results: cut this, drop older -> queue: the job is back -> results, if that is refused: drop this run
 *     remove   results: unsettle the runs    -> queue: the job goes    -> results: drop all of its runs
 *
 * Runs younger than this one are let alone: it may be one that was overtaken. Where not all has arrived, the queue is
 * asked whether that is why.
 *
 * A run that is not settled is looked at when the store is opened: it stays where its job shows it, or waits to be run
 * again. */
#ifndef SERVER_STORE_SQLITE_QUEUE_FINISH_H
#define SERVER_STORE_SQLITE_QUEUE_FINISH_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs of this file. */
void sqlite_finish_verbs(srv_store *verbs);

/* As the verb remove, of a job that has ended and that nobody asked to keep: any other is NOT_FOUND. */
void sqlite_remove_ended(sqlite_store *store, const char *id, store_done done, void *context);

#endif
