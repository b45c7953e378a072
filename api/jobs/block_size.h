/* block_size.h - chooses the number of runs in the next block of a study. */
#ifndef API_JOBS_BLOCK_SIZE_H
#define API_JOBS_BLOCK_SIZE_H

#include <stddef.h>

#define API_BLOCK_SECONDS 0.2 /* intended duration of a block [s] */
/* Time after which a worker returns a block unfinished, because other jobs may wait for the worker [s]. */
#define API_BLOCK_MOST_SECONDS 0.5
enum { API_BLOCK_RUNS = 1 << 16 }; /* largest number of runs in a block */

/* The progress of a study so far. */
typedef struct api_block_history {
  double run_seconds; /* time for one run in the last finished block; 0: not known */
  size_t last_size;   /* size of the last block that was handed out */
  size_t missing;     /* runs not yet handed out */
  size_t held;        /* blocks that other workers are making */
} api_block_history;

/* Returns the number of runs, at least 1. It grows by a limited factor from block to block, because the time of a run
 * may vary along a study. The remaining runs are divided into several blocks, so that all workers finish at about the
 * same time. */
size_t api_block_size(const api_block_history *study);

#endif
