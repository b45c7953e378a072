/* worker.h - a worker process: takes documents to check and jobs to run from its socket, one after another, and sends
 * back what comes of them. It opens no files and no database, and is held to that (sandbox.h). */
#ifndef SERVER_JOBS_WORKER_H
#define SERVER_JOBS_WORKER_H

#include "server/jobs/sandbox.h"

enum {
  WORKER_TILE_BYTES = 256 << 10, /* of a tile of results, unless one row is more */
  WORKER_TILE_MAX = 64 << 20,    /* of a tile at all: arrays with longer rows are refused */
  WORKER_EXIT_FOREIGN = 76,      /* it was told something that is no message of its program */
  WORKER_EXIT_OPEN = 77          /* it could not be held to its sandbox */
};

/* How long [s] the model of a document that was checked is kept for its job, while nothing else comes. */
enum { WORKER_KEEP_SECONDS = 10 };

/* What all workers are started with. */
typedef struct worker_settings {
  bool confined;    /* to the filter of system calls, and without files */
  double seconds;   /* of processor time for a document */
  sandbox_user own; /* the user that they become */
} worker_settings;

/* Works until the other side closes the socket. Never returns. */
_Noreturn void srv_worker_main(int socket, const worker_settings *settings);

#endif
