/* threads.h - threads that make runs of a study. They start when the study offers runs. */
#ifndef LIBRARY_THREADS_H
#define LIBRARY_THREADS_H

#include "api/jobs/block.h"
#include "api/jobs/job_hooks.h"

typedef struct thread_pool thread_pool;

/* Creates a pool of `most` threads; 0: one for each processor. Returns NULL if memory runs out. */
thread_pool *thread_pool_new(size_t most);
/* Ends the threads and frees the pool; NULL is allowed. */
void thread_pool_free(thread_pool *pool);
/* The hooks `share` and `shared` of a job (job_hooks.h). */
bool thread_pool_share(thread_pool *pool, const job_share *share);
job_shared thread_pool_take(thread_pool *pool, size_t first, api_block_result *made, double *ahead);

#endif
