/* worker_pool.h - the processes that make runs of a study in parallel to the main process, which combines their
 * results. They are started when there is enough work, at most as many as requested. */
#ifndef CLI_WORKER_POOL_H
#define CLI_WORKER_POOL_H

#include "api/jobs/block.h"
#include "api/jobs/job_hooks.h"

typedef struct cli_worker_pool cli_worker_pool;

/* Creates a pool of at most `most` processes. Returns NULL if memory runs out. */
cli_worker_pool *cli_worker_pool_new(size_t most);
void cli_worker_pool_free(cli_worker_pool *helpers);
/* The hooks `share` and `shared` of a job (job_hooks.h). */
bool cli_worker_pool_share(cli_worker_pool *helpers, const job_share *share);
job_shared cli_worker_pool_take(cli_worker_pool *helpers, size_t first, api_block_result *made, double *ahead);
/* Handles messages of the workers; call it from time to time while the main process makes runs itself. */
void cli_worker_pool_poll(cli_worker_pool *helpers);
/* Ends all workers, which are no longer needed. */
void cli_worker_pool_end(cli_worker_pool *helpers);

#endif
