/* worker.h - a worker process: receives documents to check and jobs to run from its socket, one at a time, and sends
 * the results back. It opens no files and no database; sandbox.h enforces that. */
#ifndef SERVER_JOBS_WORKER_H
#define SERVER_JOBS_WORKER_H

#include "server/jobs/sandbox.h"

enum {
  WORKER_TILE_BYTES = 256 << 10, /* size of a tile of results, unless one row is larger */
  WORKER_TILE_MAX = 64 << 20,    /* maximum size of a tile: arrays with longer rows are refused */
  WORKER_EXIT_FOREIGN = 76,      /* the worker received an invalid message */
  WORKER_EXIT_OPEN = 77          /* the worker could not be restricted to its sandbox */
};

/* Time that the model of a checked document is cached for its job, if no other document comes [s]. */
enum { WORKER_KEEP_SECONDS = 10 };

/* Settings of all workers. */
typedef struct worker_settings {
  bool confined;    /* restricted by the system-call filter, without files */
  double seconds;   /* processor time for a document */
  sandbox_user own; /* the user that they become */
} worker_settings;

/* Works until the other side closes the socket. Never returns. */
_Noreturn void srv_worker_main(int socket, const worker_settings *settings);

#endif
