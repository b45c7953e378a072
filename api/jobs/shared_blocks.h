/* shared_blocks.h - the runs of a study that other processes or threads make: missing runs, and finished blocks that
 * wait for those before them. */
#ifndef API_JOBS_SHARED_BLOCKS_H
#define API_JOBS_SHARED_BLOCKS_H

#include "api/jobs/block.h"

#include <stdbool.h>
#include <stddef.h>

/* Consecutive runs. */
typedef struct api_run_range {
  size_t first, end;
  int crashes; /* number of workers that crashed while they made only this range */
} api_run_range;

typedef struct api_made_block {
  size_t first;
  api_block_result result;
} api_made_block;

typedef struct api_shared_blocks {
  api_run_range *missing; /* sorted */
  size_t missing_count, missing_capacity;
  api_made_block *made; /* sorted */
  size_t made_count, made_capacity;
  size_t together;    /* number of runs that take about as long as one run */
  double run_seconds; /* time of such a run [s]; 0: not known */
  size_t last_size;   /* runs of the block that was handed out last */
  bool failed;        /* memory ran out: some runs are in neither list */
} api_shared_blocks;

void api_shared_blocks_free(api_shared_blocks *blocks);
/* Adds missing runs. */
void api_shared_blocks_add(api_shared_blocks *blocks, api_run_range range);
/* Removes a block from the missing runs, which must not be empty, and returns it. `held` other blocks are being
 * made. */
api_run_range api_shared_blocks_next(api_shared_blocks *blocks, size_t held);
/* Stores the result of the first runs of a block, or of all, which took `seconds`; 0: not known. Takes ownership of
 * `result`, which has no report if memory ran out. */
void api_shared_blocks_keep(api_shared_blocks *blocks, api_run_range range, const api_block_result *result,
                            double seconds);
/* Handles the crash of a worker that was making a block: divides a block of several runs into halves, so that the run
 * that causes the crash is found. */
void api_shared_blocks_crashed(api_shared_blocks *blocks, api_run_range range);
/* Returns true if the block that begins with run `first`, the first that was not taken, is finished. */
bool api_shared_blocks_has(const api_shared_blocks *blocks, size_t first);
/* Returns this block; the caller owns the result. */
api_block_result api_shared_blocks_take(api_shared_blocks *blocks);
/* Returns the number of finished runs. */
size_t api_shared_blocks_made(const api_shared_blocks *blocks);

#endif
