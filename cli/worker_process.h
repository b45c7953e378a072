/* worker_process.h - a process beside the program that makes blocks of a study, one after another: forked when the model is
 * built, so that it has it without reading it, and what it says needs no more than the bytes as they are in memory. */
#ifndef CLI_WORKER_PROCESS_H
#define CLI_WORKER_PROCESS_H

#include "api/base/buffer.h"
#include "blocks.h"

#include <sys/types.h>

typedef struct cli_worker {
  pid_t pid;  /* 0: there is none */
  int socket; /* to it */
  bool busy;
  cli_range range; /* that it makes */
  double done;     /* runs of them, and parts of runs, as far as is known */
  api_buffer said; /* that is not taken yet */
} cli_worker;

/* What has become of one that something was heard of. */
typedef enum cli_worker_news { CLI_WORKER_WORKS, CLI_WORKER_DONE, CLI_WORKER_DIED } cli_worker_news;

/* Starts one, which ends with this process; it has nothing to do with the others of its list [count]. False: there is
 * no process to be had. */
bool cli_worker_start(cli_worker *self, const mbs_model *model, const cli_worker *list, size_t count);
/* Has it make a block. */
void cli_worker_order(cli_worker *self, cli_range range);
/* Hears what it has to say. DONE: `result`, the caller's, is what the block came to, in so many seconds; it has no
 * report where there is no memory for it. */
cli_worker_news cli_worker_receive(cli_worker *self, api_block_result *result, double *seconds);
/* Ends it, if there is one. */
void cli_worker_end(cli_worker *self);

#endif
