/* blocks.h - the runs of a study that worker processes make (worker_pool.h): missing runs, and finished blocks that
 * wait for those before them. */
#ifndef CLI_BLOCKS_H
#define CLI_BLOCKS_H

#include "api/jobs/block.h"

#include <stdbool.h>
#include <stddef.h>

/* Consecutive runs. */
typedef struct cli_range {
  size_t first, end;
  int crashes; /* number of workers that crashed while they made only this range */
} cli_range;

typedef struct cli_made {
  size_t first;
  api_block_result result;
} cli_made;

typedef struct cli_blocks {
  cli_range *missing; /* sorted */
  size_t missing_count, missing_capacity;
  cli_made *made; /* sorted */
  size_t made_count, made_capacity;
  size_t together;    /* number of runs that take about as long as one run */
  double run_seconds; /* time of such a run [s]; 0: not known */
  size_t last_size;   /* runs of the block that was handed out last */
  bool failed;        /* memory ran out: some runs are in neither list */
} cli_blocks;

void cli_blocks_free(cli_blocks *blocks);
/* Adds missing runs. */
void cli_blocks_add(cli_blocks *blocks, cli_range range);
/* Removes a block from the missing runs, which must not be empty, and returns it. `held` is the number of other blocks
 * that are being made. */
cli_range cli_blocks_next(cli_blocks *blocks, size_t held);
/* Stores `result`, which has the first runs of a block, or all; the others are missing again. `seconds` is the time
 * that these runs took; 0: not known. Takes ownership of `result`; it has no report if memory ran out. */
void cli_blocks_keep(cli_blocks *blocks, cli_range range, const api_block_result *result, double seconds);
/* Handles the crash of a worker that was making a block: divides a block of several runs into halves, so that the run
 * that causes the crash is found. */
void cli_blocks_crashed(cli_blocks *blocks, cli_range range);
/* Returns true if the block that begins with run `first`, the first that was not taken, is finished. */
bool cli_blocks_has(const cli_blocks *blocks, size_t first);
/* Returns this block; the caller owns the result. */
api_block_result cli_blocks_take(cli_blocks *blocks);
/* Returns the number of finished runs. */
size_t cli_blocks_made(const cli_blocks *blocks);

#endif
