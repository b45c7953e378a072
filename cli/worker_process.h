/* worker_process.h - a process that makes blocks of a study, one after another. It is forked after the model is built,
 * so that it need not read the model. Its messages contain data as it is in memory. */
#ifndef CLI_WORKER_PROCESS_H
#define CLI_WORKER_PROCESS_H

#include "api/base/buffer.h"
#include "api/jobs/shared_blocks.h"

#include <sys/types.h>

typedef struct cli_worker {
  pid_t pid;  /* process id; 0: no process */
  int socket; /* socket to the process */
  bool busy;
  api_run_range range; /* the block that it is making */
  double done;         /* runs of that block that are done, with fractions of runs, as far as known */
  api_buffer said;     /* received bytes that were not processed yet */
} cli_worker;

/* State of a worker after a message. */
typedef enum cli_worker_news { CLI_WORKER_WORKS, CLI_WORKER_DONE, CLI_WORKER_DIED } cli_worker_news;

/* Starts a worker, which ends with this process. The new process closes the sockets of the other workers in `list`
 * [count]. Returns false if no process can be started. */
bool cli_worker_start(cli_worker *self, const mbs_model *model, const cli_worker *list, size_t count);
/* Sends the order to make a block. */
void cli_worker_order(cli_worker *self, api_run_range range);
/* Receives a message. With DONE, `result` is the result of the block, which the caller owns, and `seconds` the time
 * that it took; it has no report if memory ran out. */
cli_worker_news cli_worker_receive(cli_worker *self, api_block_result *result, double *seconds);
/* Ends the worker, if there is one. */
void cli_worker_end(cli_worker *self);

#endif
