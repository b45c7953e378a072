/* worker_pool.h - the processes that make the runs of a study beside the program, which puts together what they made: as
 * many as it is told to have, once there is something to do for them. */
#ifndef CLI_WORKER_POOL_H
#define CLI_WORKER_POOL_H

#include "api/jobs/block.h"
#include "api/jobs/job_hooks.h"

typedef struct cli_worker_pool cli_worker_pool;

/* At most `most` of them. NULL: no memory. */
cli_worker_pool *cli_worker_pool_new(size_t most);
void cli_worker_pool_free(cli_worker_pool *helpers);
/* The hooks `share` and `shared` of a job (job_hooks.h). */
bool cli_worker_pool_share(cli_worker_pool *helpers, const job_share *share);
job_shared cli_worker_pool_take(cli_worker_pool *helpers, size_t first, api_block_result *made, double *ahead);
/* Looks after them now and then, while the program makes runs itself. */
void cli_worker_pool_poll(cli_worker_pool *helpers);
/* Ends those that there are: they are not needed any more. */
void cli_worker_pool_end(cli_worker_pool *helpers);

/* How many processors this process may use. */
size_t cli_processors(void);

#endif
