/* worker.h - a worker process: takes documents to check and jobs to run from its socket, one after another, and sends
 * back what comes of them. It opens no files and no database. */
#ifndef SERVER_JOBS_WORKER_H
#define SERVER_JOBS_WORKER_H

enum {
  WORKER_TILE_BYTES = 256 << 10, /* of a tile of results, unless one row is more */
  WORKER_TILE_MAX = 64 << 20,    /* of a tile at all: arrays with longer rows are refused */
  WORKER_EXIT_FOREIGN = 76       /* it was told something that is no message of its program */
};

/* Works until the other side closes the socket. Never returns. */
_Noreturn void srv_worker_main(int socket);

#endif
