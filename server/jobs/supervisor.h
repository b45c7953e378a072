/* supervisor.h - the small process that forks the workers, and the messages between it and the server.
 *
 * Forking a small process is quick and copies no threads or locks. The server starts the supervisor as a separate
 * program (`mbsd --supervisor`, with a SOCK_SEQPACKET socket as descriptor 3) at its start, and again if it dies. The
 * first message to it contains the settings of the workers. When the server ends for any reason, the socket closes, the
 * supervisor exits, and the kernel kills its workers. */
#ifndef SERVER_JOBS_SUPERVISOR_H
#define SERVER_JOBS_SUPERVISOR_H

#include "server/jobs/worker.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SUPERVISOR_SOCKET = 3, SUPERVISOR_WORKERS_MAX = 2048 };

typedef enum supervisor_verb {
  SUPERVISOR_START, /* pool to supervisor: fork a worker for `slot` */
  SUPERVISOR_KILL,  /* pool to supervisor: kill the worker `pid` */
  SUPERVISOR_BEGAN, /* supervisor to pool: `pid` is the worker for `slot`; the message carries its socket */
  /* supervisor to pool: `pid` has ended with `status` (waitpid()) after `seconds` of processor time; pid 0: `slot` was
   * not started */
  SUPERVISOR_ENDED
} supervisor_verb;

typedef struct supervisor_message {
  int32_t verb;
  int32_t slot;
  int32_t pid;
  int32_t status;
  double seconds;
} supervisor_message;

/* Runs the supervisor process; never returns. */
_Noreturn void srv_supervisor_main(void);

/* ---- the server's side ------------------------------------------------------------------------------------------ */

typedef struct srv_supervisor {
  pid_t pid;
  int socket; /* socket to the supervisor; -1: not running */
} srv_supervisor;

/* Starts the process, for workers with these settings. Returns false with errno on failure. */
bool srv_supervisor_start(srv_supervisor *supervisor, const worker_settings *settings);
/* Sends a message; if the supervisor has died its socket reports that. */
void srv_supervisor_send(const srv_supervisor *supervisor, supervisor_verb verb, int slot, pid_t pid);
/* Receives a message without waiting; `socket`: the one that came with it, or -1. Returns false if there is none (errno
 * is EAGAIN) or the supervisor has died. */
bool srv_supervisor_receive(const srv_supervisor *supervisor, supervisor_message *message, int *socket);

#endif
